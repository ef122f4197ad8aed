# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] deck="words"
# ## Both sides at once
#
# Lesson 12 · BERT: Devlin, Chang, Lee and Toutanova, 2019
#
# minutes: 1
#
# say: ELMo has two readers who never meet. If they did, the model would see its own answer. Today: what that separation costs, and the way round it: hide some words, and let every layer read both sides.
#
# ask: Why may ELMo's two readers not meet?
#
# expect: "It would be too slow." The second layer would read off the word that it is to predict.
#
# skip: Leave out the question if lesson 07 was last week.

# %% [markdown] slide="slide"
# # 12 · Both sides at once
#
# ELMo has two readers who never meet: if they did, the model would see its own answer (lesson 07). Here you find out what that separation costs, in a task made for it and in real text. Then you build the way round it: hide some words, and let every layer read both sides. Your model will fill the blanks that you choose.

# %%
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from course.both_sides_at_once import agreement, figures
from course.figures import plots

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings
torch.set_flush_denormal(True)  # numbers next to 0 count as 0; else they are slow

# %% tags=["road"]
plots.road("12")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - test what two separate readers know of a sentence, each alone and together,
# - say what a Transformer encoder is: three embeddings, attention, blocks,
# - hide words in the way of BERT, train a model on the blanks, and judge it beside counts,
# - say what both sides at once bring on real text, and what asking for few words costs,
# - read from its symptoms what is wrong with such a run.
#
# ## The paper
#
# **BERT**: Devlin, Chang, Lee and Toutanova, *BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding*, NAACL 2019, [arXiv:1810.04805](https://arxiv.org/abs/1810.04805). Section 3.1 has both tasks, appendix A.1 the reasons.
#
# Plan 90 minutes, 110 with second tries; the essay at the end is for home. Short of time? Exercises 1, 2 and 3 are the spine, 80 minutes. Of exercise 4, read the model answer. Optional sections follow, 65 minutes in all, with exercises 5 to 7.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B$ | sentences in a batch | $D$ | numbers in a state |
# | $T$ | tokens in a row | $V$ | words in the vocabulary |
# | $w_t$ | the token at position $t$ | $p$ | a probability |
#
# `ids`, `mask` and `segments` are tables (B, T): word numbers, which positions are tokens, and to which sentence of a pair each belongs.

# %% [markdown] instructor=true
# **Instructor.** Minutes of a first reader: introduction 5; section 1, 9; section 2, exercise 1 16, the encoder 7, exercise 2 6, exercise 3 20, training and judging 15, real text 8, few words 6; section 3, 12; section 4, 3; myth and recap, 4. That is 111, with second tries; who passes the checks at once needs 90 to 95. The essay takes 12, at home. Optional: packing and pairs 30, the best judge 18, states 6, readers that meet 4, heads 4. Students get stuck in exercise 3 on the difference between what is read and what is asked: write both rows on the board, one below the other. In section 1 ask who believes that a better-trained ELMo would pass; the answer is no, and four inequalities prove it.

# %% [markdown] deck="words"
# ## One question, two readers
#
# > The dogs near the gate **is** not here.
#
# One reader has read *The dogs near the gate*. The other has read *here not is gate*.
#
# minutes: 2
#
# say: At the word *gate* the noun lies behind you and the verb ahead. Neither is wrong alone; together they are. ELMo's vector at this word has one half from each reader. A linear reader adds up its numbers, each with a weight, and says yes above zero.
#
# ask: Which of the two halves knows that something is wrong?
#
# expect: "The backward one, it has read *is*." *Is* is right with some nouns. It has not read *dogs*.
#
# skip: Read the sentence and go to the poll.

# %% [markdown] slide="slide"
# ## 1. One question, two readers
#
# *The dogs near the gate **is** not here.* At the word *gate* the noun lies behind you and the verb ahead. Neither is wrong alone. Only the two together are.
#
# We ask the course's ELMo at this word. One half of its vector has read *The dogs near the gate*, the other *here not is gate*. A **linear reader**, your probe of lesson 09 (sixty steps on all sentences at once), adds up the numbers of a vector, each with a weight of its own, and says *yes* above zero. It learns from sentences with eight nouns and is tested on eight others. Half of all sentences are right. (A rule of letters would judge all of them: a noun with an *s* wants *are*, *were*, *have* or *do*. The question is what the vector holds, not whether the task is hard.)

# %% [markdown] deck="poll"
# ## How often does a linear reader know whether noun and verb agree?
#
# minutes: 2
#
# say: Eight nouns to learn from, eight others to be tested on, half of all sentences right. It tells singular from plural without a slip, in noun and in verb. Does it know whether they agree?
#
# ask: The poll. Let somebody of C say why.
#
# expect: "Near 100: both facts are in the vector." A sum cannot join them: it is the exclusive or. 75 would be possible, and it does not even find that.
#
# skip: Vote without reasons.

# %%
shares = ["near 50 %", "near 75 %", "near 100 %"]
predict("agree", "How often is it right about whether noun and verb agree?", options=shares)

# %% [markdown] deck="figure"
# minutes: 2
#
# say: Both facts are there, and the linear reader is at 50 per cent. Proof on the board: l1 plus r1 and l2 plus r2 above zero, l1 plus r2 and l2 plus r1 below. Add the first two, add the last two: the same sum. One hidden layer joins the halves without a slip, but it has to learn that from the task's few labels. The pretrained layers never did it.
#
# ask: So what is missing in ELMo?
#
# expect: "More data." A place where the two halves meet, before the task.
#
# skip: Leave out the proof.

# %% slide="subslide"
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding.stream import embed_stream

LEARN, NEW = agreement.agreement()  # sentences with eight nouns, and with eight others
print(f"{len(LEARN.sentences)} sentences to learn from, {len(NEW.sentences)} to be asked, such as:")
for words, agrees in zip(LEARN.sentences[:4], LEARN.agree[:4], strict=True):
    print("right:" if agrees else "wrong:", *words)


linear_probe, probe_gradient = mine("linear_probe"), mine("probe_gradient")  # of lesson 09


def linear_reader(known, labels, asked):
    """Your linear probe."""
    return linear_probe(known, labels, asked, probe_gradient)


def hidden_layer(known, labels, asked):
    """A network with one hidden layer, on numbers brought to one spread."""
    network = MLPClassifier((32,), alpha=0.01, max_iter=600, random_state=0)
    return make_pipeline(StandardScaler(), network).fit(known, labels).predict(asked)


def right(reader, known, new):
    """Share of the new sentences that a reader judges rightly, by what it is asked."""
    found = {}
    for question in ("left", "right", "agree"):
        labels, truth = (getattr(task, question).astype(str).tolist() for task in (LEARN, NEW))
        found[question] = np.mean(np.array(reader(known, labels, new)) == truth)
    return found


def elmo_states(task, elmo):
    """ELMo's top layer at the last word before the verb, (N, D): left half, right half."""
    read = zip(embed_stream(elmo, task.sentences), task.position, strict=True)
    return np.stack([sentence.layers[-1, at] for sentence, at in read])


states = [elmo_states(task, load_pretrained()) for task in (LEARN, NEW)]
kinds = {"linear reader": linear_reader, "with a hidden layer": hidden_layer}
readers = {name: right(reader, *states) for name, reader in kinds.items()}
figures.agreement_bars(readers)

# %%
share = 100 * readers["linear reader"]["agree"]
outcome("agree", min(shares, key=lambda name: abs(int(name.split()[1]) - share)))

# %% [markdown]
# The linear reader tells singular from plural, in noun and in verb, without a slip: both facts are in the vector. But it cannot be right about all four kinds of sentence, and no training will change that. Call $l$ what the left half adds to the sum and $r$ what the right half adds, singular (1) or plural (2). It would need
#
# $$l_1 + r_1 > 0, \qquad l_2 + r_2 > 0, \qquad l_1 + r_2 < 0, \qquad l_2 + r_1 < 0.$$
#
# Add up the first two, then the last two. Both sums are $l_1 + l_2 + r_1 + r_2$, which cannot be both above zero and below it. (A bias adds the same to both, so it does not help.) This is the old puzzle of the exclusive or (XOR): a linear classifier cannot learn it.
#
# There are four kinds of sentence. A sum can get at most three of them right, 75 %: it answers *no* unless both are singular. Ours did not find even that. All four kinds are equally frequent, so its loss is lowest with all weights at 0, and there it answers by chance.
#
# A task network with one hidden layer joins the halves without a slip (32 units, the second bar). But it must learn that from the task's few labels. The pretrained layers never did it.

# %% [markdown] deck="words"
# ## Hide the answer
#
# The fault is not the meeting. It is the question: **say a word that stands in plain sight.**
#
# . . .
#
# Of 100 words 15 are chosen, and only they are asked for. Of 100 chosen:
#
# - 80 are read as `[MASK]`
# - 10 as a random word
# - 10 as they are
#
# minutes: 3
#
# say: Teachers know the trick: strike out some words, and let the pupil fill the blanks. What is hidden cannot be copied. BERT calls it a masked language model; as a test for people it is the cloze task, of 1953. And not always the mask: a task's sentences have none. Now the model cannot know which words will be asked for, so it keeps a good state for every word.
#
# ask: Why are 10 in 100 left as they are?
#
# expect: "To make it easier." So that a state says something about the very word that stands there, too.
#
# skip: Leave out 80, 10, 10.

# %% [markdown] slide="slide"
# ## 2. Hide the answer
#
# Why not let the two directions meet in every layer? Lesson 07 tried it: `bidirectional=True` with two layers reads off its own answer. The fault is not the meeting. It is the question: *say a word that stands in plain sight*. Change the question, and the readers may meet. A model whose every layer sees both sides is **deeply bidirectional**.
#
# Teachers know the trick: strike out some words, and let the pupil fill the blanks. What is hidden cannot be copied. BERT calls this a **masked language model**; as a test for people it is the **cloze** task, of 1953.
#
# Of the words, 15 in 100 are **chosen**. Only they are asked for: they are the targets. What the model reads at a chosen position is decided by lot:
#
# - 80 in 100 are read as `[MASK]`,
# - 10 in 100 as a random word, drawn from the vocabulary,
# - 10 in 100 as they are.
#
# Why not `[MASK]` always? A task's sentences have no `[MASK]`, and a model might care only for the states at that mark. Now it cannot know which words will be asked for, so it must keep a good state for **every** word, in context (appendix A.1).

# %% [markdown] exercise="corrupt"
# ### Exercise 1. Hide some words
#
# Write `corrupt(ids, words, share=0.15)`. `ids` (B, T) are word numbers. Each ordinary one is chosen with the probability `share`. The numbers 0 to 4 are special: `[PAD]` 0, `[UNK]` 1, `[CLS]` 2, `[SEP]` 3, `[MASK]` 4. They are never chosen and never drawn at random. (`[UNK]` is every unknown word; section 4 has `[CLS]` and `[SEP]`.) `words` is the size of the vocabulary.
#
# Return two tables (B, T) of type `torch.long`: what is **read**, and what is **asked**. Where nothing is asked, the second one has −1. `ids` stays as it is. Use PyTorch's own random numbers and set no seed. The check looks at the shares of many draws.


# %% exercise="corrupt"
def corrupt(ids, words, share=0.15):
    """Inputs (B, T), and targets (B, T)."""
    ### BEGIN SOLUTION
    chosen = (torch.rand(ids.shape) < share) & (ids >= 5)
    lot = torch.rand(ids.shape)
    others = torch.randint(5, words, ids.shape)
    inputs = ids.clone()
    inputs[chosen & (lot < 0.8)] = 4
    swapped = chosen & (lot >= 0.8) & (lot < 0.9)
    inputs[swapped] = others[swapped]
    targets = ids.clone()
    targets[~chosen] = -1
    return inputs, targets
    ### END SOLUTION


# %% check="corrupt"
check("corrupt", corrupt)

# %% [markdown] hints="corrupt"
# nudge: Two questions for each position: is it chosen? And if so, which of three fates has it?
#
# idea: One table of random numbers says which positions are chosen, a second one which fate: below 0.8, below 0.9, the rest. A third table has a random word for every position, of which few are used.
#
# outline: `chosen`: a random number below `share`, and an ordinary word. `lot = torch.rand(ids.shape)`. Begin `inputs` with a copy of `ids`; write 4 where chosen and lot below 0.8; write random words where chosen and lot from 0.8 to 0.9. Begin `targets` with a copy of `ids`, and write −1 where nothing was chosen.

# %%
corrupt = or_reference("corrupt", corrupt)

# %% [markdown] slide="subslide"
# ### The model: a Transformer encoder
#
# In BERT both sides meet in a **Transformer encoder**. This half page is what you need of it; in lesson 13 you write every part.
#
# *What enters.* A token enters as the sum of three vectors of $D$ numbers: the embedding of its word, the **position embedding** of where it stands in the row, and the **segment embedding** of its sentence (section 4). Without the second, a row would be a bag of words.
#
# *Attention.* In lesson 04 a decoder looked back at the encoder's states: a dot product scored each state, a softmax made attention weights of the scores, and the weights mixed the states. Here the row looks at **itself**. Think of a room full of people. Each wears a badge, has a question, and has something to tell. Each compares the question with every badge, and takes home a mixture of what all others tell, most from those whose badge fits best. So in *the [MASK] was open*, the blank can ask for what stands after it, and take home a little of *open*. Three learnt linear layers make question, badge and message from each token's state (lesson 13 calls them query, key and value). Several such heads work side by side.
#
# An LSTM carries a word from neighbour to neighbour. Here left and right are one step away, and all tokens look at once. Only padding is closed: nobody takes anything from it.
#
# *A block.* What was found is added to the token's state, so the old state is not lost (a residual connection, as in lesson 07). Then each state passes alone through two linear layers with a bend between (GELU, a smooth ReLU). That is added, too. After each sum a layer norm brings the numbers back to mean 0 and variance 1. PyTorch's class for this block is `nn.TransformerEncoderLayer`: states (B, T, D) go in, states (B, T, D) come out, and each has read both sides. `nn.TransformerEncoder` stacks several.
#
# *At the top.* A state's score for a word is its dot product with that word's own vector, plus a bias.

# %% slide="subslide"
from elmo_mini.models.masked_lm import sinusoidal_positions


class BlankModel(nn.Module):
    """Three embeddings, encoder blocks, and scores of the words."""

    def __init__(self, words, side="both", dim=64, heads=4, layers=1, longest=32):
        super().__init__()
        self.side = side  # "left": a token reads itself and what stands to its left
        self.word, self.segment = nn.Embedding(words, dim), nn.Embedding(2, dim)
        for table in (self.word, self.segment):
            nn.init.normal_(table.weight, std=0.1)
        self.position = nn.Embedding(longest, dim)
        self.position.weight.data = 0.14 * sinusoidal_positions(longest, dim)  # a spread of 0.1
        self.norm = nn.LayerNorm(dim)
        block = nn.TransformerEncoderLayer(dim, heads, 4 * dim, 0.0, "gelu", batch_first=True)
        self.blocks = nn.TransformerEncoder(block, layers, enable_nested_tensor=False)
        self.top = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.LayerNorm(dim))
        self.bias = nn.Parameter(torch.zeros(words))

    def enter(self, ids, segments):
        """What enters the first block, (B, T, D)."""
        positions = torch.arange(ids.shape[1])
        return self.norm(self.word(ids) + self.position(positions) + self.segment(segments))

    def forward(self, ids, mask, segments):
        """Word numbers, where tokens are, and segments, (B, T) each, to states (B, T, D)."""
        right = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).triu(1)
        closed = right if self.side == "left" else None  # PyTorch's masks are True where closed
        return self.blocks(self.enter(ids, segments), closed, src_key_padding_mask=~mask)

    def scores(self, states):
        """States (..., D) to scores of the words (..., V)."""
        return self.top(states) @ self.word.weight.T + self.bias


# %% [markdown]
# Size apart, this is BERT: 12 or 24 blocks there, one here. Two things differ. Our positions begin as **sinusoidal** ones (waves: sines and cosines), so that neighbours begin alike; BERT's begin at random. And `side` can close the right side of every token, which you will need for a comparison. (`top` is one more layer before the scores, as in BERT.)

# %% [markdown] exercise="pad_rows"
# ### Exercise 2. One batch
#
# A model reads many sentences at once, in one table. Shorter ones are filled up with **padding**, and the **mask** tells which positions are tokens.
#
# Write `pad_rows(rows)`. Each row is a list of word numbers, and their lengths differ. Return two tables (B, T), where T is the length of the longest row. The first has the word numbers, and 0 behind shorter rows; its type is `torch.long`. The second is the mask, of type `torch.bool`: True at tokens, False at padding.
#
# Here the number 0 means `[PAD]` and nothing else. In lesson 13 a word has it. So your mask must not depend on the numbers.


# %% exercise="pad_rows"
def pad_rows(rows):
    """Word numbers (B, T), 0 behind the shorter rows, and the mask of tokens (B, T)."""
    ### BEGIN SOLUTION
    longest = max(len(row) for row in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    mask = torch.zeros(len(rows), longest, dtype=torch.bool)
    for b, row in enumerate(rows):
        ids[b, : len(row)] = torch.tensor(row)
        mask[b, : len(row)] = True
    return ids, mask
    ### END SOLUTION


# %% check="pad_rows"
check("pad_rows", pad_rows)

# %% [markdown] hints="pad_rows"
# nudge: How long is the table? And what tells where a row ends, if its numbers do not?
#
# idea: Begin with a table of zeros and one of False, and write each row into its place. Or let `nn.utils.rnn.pad_sequence` fill up a list of tensors.
#
# outline: T is the largest of the lengths. `ids[b, : len(row)]` takes the numbers of row b, and the mask is True at the same positions. (With `pad_sequence`: `batch_first=True`, and for the mask `torch.arange(T) < lengths[:, None]`.)

# %% [markdown] exercise="train_blanks" slide="subslide"
# ### Exercise 3. Learn from the blanks
#
# Write `train_blanks(model, batches, corrupt, optimizer)`. A batch is `(ids, mask, segments)`; `corrupt(ids)` gives what is read and what is asked. For every batch take one step that lowers the mean of $-\log p(w_t)$ over the positions that are asked for. Return the list of these means, as plain numbers.
#
# `model(inputs, mask, segments)` gives the states (B, T, D), and `model.scores(states)` the scores (..., V): the class above. The model may arrive with gradients of before.
#
# In a short batch it may happen that nothing was chosen. Such a batch has no mean: it takes no step and leaves no number.


# %% exercise="train_blanks"
def train_blanks(model, batches, corrupt, optimizer):
    """Take a step for each batch; the mean loss of its hidden words, in nats."""
    ### BEGIN SOLUTION
    losses = []
    for ids, mask, segments in batches:
        inputs, targets = corrupt(ids)
        chosen = targets >= 0
        if not chosen.any():
            continue
        states = model(inputs, mask, segments)
        scores = model.scores(states[chosen])
        loss = functional.cross_entropy(scores, targets[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
    ### END SOLUTION


# %% check="train_blanks"
check("train_blanks", train_blanks)

# %% [markdown] hints="train_blanks"
# nudge: Which table does the model read, and which one do you compare with?
#
# idea: `states[targets >= 0]` picks the states of the asked positions out of the table, (N, D). The same mask picks their words out of `targets`. `cross_entropy` takes scores (N, V) and words (N,).
#
# outline: For each batch: corrupt; go on to the next if nothing is asked; states of what is **read**; scores of the asked positions alone; `cross_entropy`; gradients to zero, backward, step; append `loss.item()`.

# %% [markdown] slide="subslide"
# Now train yours, on short sentences of the news that comes with gensim (Lee), with 1,000 words. BERT asks for 15 words in 100; here we ask for 30 (what few cost, you measure below). Four things stand in the next cell:
#
# - `batch_of` makes a batch of sentences with your `pad_rows`. `[CLS]` (2) and `[SEP]` (3) stand at the ends of a row (section 4).
# - `log_p` bets on one position of each row. That is all that filling and judging need.
# - `fill` prints the likeliest words of a blank.
# - `train` hands your loop a model and its batches; `hide(0.3)` is your `corrupt` with this share. The learning rate rises in the first tenth of the steps (a warm-up) and then falls to zero.

# %%
from course.both_sides_at_once.news import news
from elmo_mini.progress import progress_bar

pad_rows = or_reference("pad_rows", pad_rows)
train_blanks, NEWS = or_reference("train_blanks", train_blanks), news()
V, STEPS = len(NEWS.words), 2_500
print(f"{len(NEWS.text.train):,} sentences to learn from")
print(f"{len(NEWS.chosen_by.rows)} blanks to choose by, {len(NEWS.judged_by.rows)} to judge by")


def batch_of(sentences, words):
    """Word numbers, the mask of tokens, and segments, all of them 0; (B, T) each."""
    rows = [[2, *words.encode(map(str.lower, sentence)), 3] for sentence in sentences]
    ids, mask = pad_rows(rows)
    return ids, mask, torch.zeros_like(ids)


def log_p(model, rows, mask, positions):
    """Log probability of every word at one position of each row, (N, V)."""
    with torch.no_grad():
        states = model(rows, mask, torch.zeros_like(rows))[torch.arange(len(rows)), positions]
        scores = model.scores(states)
    scores[:, :5] = -torch.inf  # a special word is no answer
    return scores.log_softmax(-1)


def fill(model, words, sentence, best=3):
    """The likeliest words at the first [MASK] of a sentence, and their probabilities."""
    text = [word if word == "[MASK]" else word.lower() for word in sentence.split()]
    row = torch.tensor([[2, *words.encode(text), 3]])
    bets = log_p(model, row, row > 0, (row == 4).int().argmax(1))[0]
    chances, found = bets.exp().topk(best)
    pairs = zip(words.decode(found.tolist()), chances.tolist(), strict=True)
    return ", ".join(f"{word} {chance:.0%}" for word, chance in pairs)


def hide(share):
    """Your corruption, with this share."""
    return lambda ids: corrupt(ids, V, share)


def untrained(side="both", seed=0):
    """A new model of these words."""
    torch.manual_seed(seed)
    return BlankModel(V, side)


def train(model, steps, asks, seed=0, look=lambda step: None):
    """Your loop on the news; `asks` stands for `corrupt`, `look` comes after a step."""
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 3e-3, steps, pct_start=0.1, anneal_strategy="linear", cycle_momentum=False
    )

    def batches():
        some = NEWS.text.batches(32, seed)  # sentences of like length, without end
        for step in progress_bar(range(1, steps + 1)):
            yield batch_of(next(some), NEWS.words)  # your loop takes its step here
            schedule.step()
            look(step)

    return train_blanks(model, batches(), asks, optimizer)


# %% [markdown]
# How is it judged? In a row one word is hidden, drawn by lot from the known ones, and $-\log p$ of the right one counts, in nats. Each held-out sentence has three such rows. A small part of the news is there to **choose** by: every 250 batches we look at its blanks, and keep the weights that fill them best. Another part, which nobody has looked at, will judge.
#
# Write two sentences of your own in `MINE`, of words that the news might use, with a `[MASK]` in each. 2,500 batches take about 35 s.

# %% [markdown] deck="printed" lines="1-8"
# ## Your loop, before and after 2,500 batches
#
# minutes: 2
#
# say: A thousand words, one block, states of 64 numbers, on the news that comes with gensim. Before training every blank has idle guesses. After it: *mr* before *Howard*, 82 per cent; but also *the prime government says*, *they have been the game*. It is small, and it has read twelve hundred sentences.
#
# ask: What has it learnt, and what not?
#
# expect: "Nothing." What stands next door, also on the right: *mr* before *Howard*. And which kind of word fits: *been* after *have*. Seldom which word.
#
# skip: Read the first two.

# %%
import copy

MINE = ["police said the man was [MASK] .", "they have [MASK] the game ."]  # change me
SENTENCES = ["[MASK] howard says he is happy .", "the prime [MASK] says he is happy .", *MINE]


def nats(model, blanks, before=0):
    """-log p of the right word of each blank; asked one position `before` it, if 1."""
    bets = log_p(model, blanks.rows, blanks.mask, blanks.positions - before)
    return -bets[torch.arange(len(bets)), blanks.words].double().numpy()


seen, says_the, kept = [], [], []


def look(step):
    """Every 250 steps: the blanks to choose by; keep the weights if they cost least so far."""
    if step % 250 == 0:
        blanks = NEWS.chosen_by
        seen.append(nats(trained, blanks).mean())
        best = log_p(trained, blanks.rows, blanks.mask, blanks.positions).argmax(1)
        says_the.append(float((best == NEWS.words.id("the")).double().mean()))
        if seen[-1] == min(seen):
            kept[:] = [copy.deepcopy(trained.state_dict())]


trained = untrained()
losses = train(trained, STEPS, hide(0.3), look=look)
trained.load_state_dict(kept[0])
fresh = BlankModel(V)
for sentence in SENTENCES:
    print(f"{sentence:38} before: {fill(fresh, NEWS.words, sentence)}")
    print(f"{'':38} after:  {fill(trained, NEWS.words, sentence)}")

# %% [markdown]
# The first sentence is a small success: what tells the word stands to the **right** of the blank. The others show how little this model knows. Often the *kind* of word fits, and seldom the word.
#
# Here are the losses that your loop returned, as means of 250 batches, beside the blanks of sentences that it does not learn from. Those have one blank in a row, and its own 30 in 100, so compare how the two fall, not how high they lie:

# %% slide="subslide"
own = np.reshape(losses, (-1, 250)).mean(1)
figures.loss_curves(250, {"its own sentences": own, "other sentences": seen})

# %%
best = int(np.argmin(seen))
for at in (0, best):
    print(f"after {250 * (at + 1):,} batches *the* fills {says_the[at]:.0%} of the blanks")

# %% [markdown]
# At first it learns which words are common: the loss falls fast, and most blanks are filled with *the*. The rest it must learn from the neighbours, through its attention, which takes much longer. What it learns last holds mostly for its own sentences alone: twelve hundred are few.
#
# Where does a blank look? Your `attend` of lesson 04 says it. It gets the block's own questions and badges, four heads of 16 numbers; PyTorch keeps the linear layers that make them in one matrix. (Questions are divided by $\sqrt{16}$. Lesson 13 says why.)

# %%
attend = mine("attend")  # of lesson 04
row = torch.tensor([[2, *NEWS.words.encode(SENTENCES[1].split()), 3]])
heads = trained.blocks.layers[0].self_attn
with torch.no_grad():
    entered = trained.enter(row, torch.zeros_like(row))
    made = functional.linear(entered[0], heads.in_proj_weight, heads.in_proj_bias)  # (T, 3 D)
    asks, badges, _ = made.unflatten(1, (3, 4, 16)).permute(1, 2, 0, 3)  # (4, T, 16) each
    weights = attend(asks / 4, badges, torch.ones(4, row.shape[1], dtype=torch.bool)).mean(0)
    apart = (weights - heads(entered, entered, entered)[1][0]).abs().max()
looks = zip(NEWS.words.decode(row[0].tolist()), weights[row[0] == 4][0].tolist(), strict=True)
print(f"Largest distance from PyTorch's attention weights: {apart:.0e}")
print("The blank looks at: " + ", ".join(f"{word} {share:.0%}" for word, share in looks))

# %% [markdown]
# Ours looks most at *prime*, `[SEP]` and *says*; other draws give other shares. What it makes of them is another matter: ours filled in *government*.
#
# ### What would counting do?
#
# For words side by side no network is needed. Two rivals count in the same sentences:
#
# - **pairs**: how often one word follows another; the bets of the two neighbours are multiplied,
# - **triples**: every word is tried in the blank, and all triples that then hold it are scored, up to two words away on each side. They are smoothed after Kneser and Ney, as in lesson 03.
#
# The strongest rival is a sum of both, $w\,p_{\text{pairs}} + (1 - w)\,p_{\text{triples}}$. On the blanks to choose by, its $w$ does best.

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: So no network is needed for words side by side: count pairs of neighbours, and triples that hold the blank, up to two words away. Which counts does this network beat on held-out blanks?
#
# ask: The poll.
#
# expect: "All: it reads the whole sentence." Counting knows from the start that neighbours matter. The network has to find that out.
#
# skip: Show the bars.

# %%
BEATEN = ["none", "of words", "of words and pairs", "all three"]
predict("yours", "Which counts (words, pairs, triples) does your model beat?", options=BEATEN)

# %% [markdown] deck="figure"
# minutes: 2
#
# say: Nats for the right word: lower is better. Pairs and triples mixed 3.7, the network 4.3. The last bar is the question to ask of every network: what does it add to the best cheap rival? Here 0.08 nats, from 0.00 to 0.17: not clear. On Brown, with five times as many sentences, it will be a third of a nat.
#
# ask: What would you change to let the network win?
#
# expect: "Train longer." It has begun to learn its sentences by heart already: give it more text.
#
# skip: Say the title.


# %% slide="subslide"
def mixed(one, other):
    """Nats of the best sum of two bets, on both parts; its weight is chosen on the first part."""

    def cost(w, part):
        return -np.log(w * np.exp(-one[part]) + (1 - w) * np.exp(-other[part]))

    best = min(np.linspace(0, 1, 21), key=lambda w: cost(w, 0).mean())
    return cost(best, 0), cost(best, 1)


parts = NEWS.chosen_by, NEWS.judged_by
yours = [nats(trained, part) for part in parts]
counts = mixed(*([part.counts[name] for part in parts] for name in ("pairs", "triples")))
both_kinds = mixed(counts, yours)
cost = {f"counts of\n{name}": one for name, one in NEWS.judged_by.counts.items()} | {
    "counts: pairs\nand triples": counts[1],
    "yours": yours[1],
    "counts,\nyours": both_kinds[1],
}
adds = NEWS.judged_by.lead(counts[1] - both_kinds[1])
points = {name: NEWS.judged_by.interval(one) for name, one in cost.items()}
figures.blank_bars(points, title=figures.added("your network", "counts", adds))

# %%
from collections import Counter
from itertools import pairwise

follow = (pairwise(map(str.lower, text)) for text in NEWS.text.train)
after_prime = Counter(b for pairs in follow for a, b in pairs if a == "prime")
print(f"What follows *prime* in its text:       {dict(after_prime)}")
behind = NEWS.judged_by.lead(counts[1] - yours[1])
print(f"Nats that yours saves over the counts:  {behind}")
print(f"Nats that it saves, added to them:      {adds}")
beaten = [
    NEWS.judged_by.counts[name].mean() > yours[1].mean() for name in ("words", "pairs", "triples")
]
outcome("yours", BEATEN[sum(beaten)])

# %% [markdown]
# (The whiskers are 95 %, whole sentences drawn anew; *ahead* and *behind* are said only where such an interval holds no 0.)
#
# Counting wins: it knows from the start that neighbours matter. Pairs have *minister* after *prime* every time; your network must find out from twelve hundred sentences where to look. The question to ask of every network is the other one: **what does it add to the best cheap rival?** The last bar (*counts, yours*) adds the two bets up, as pairs and triples before, with a weight that is chosen in the same way. From so few sentences it adds little: with other draws of the hidden words the verdict may change. A network like it, on Brown, with five times as many sentences, adds a third of a nat, as you will see below.
#
# ### A larger one
#
# The package has a larger masked model: three blocks of 256 numbers and 10,000 words, trained by `python -m elmo_mini pretrain-masked` with a loop like yours. It has read what the course's biLM read, in the same number of steps ([its card](../../elmo_mini/data/larger_masked_lm/README.md)), and is about as large: 5.0 million weights against 4.8. Half of its weights are word vectors, which the biLM makes from letters. Its training took 24 minutes of one core; that of the biLM took 92. It has read novels, film reviews and speeches; yours has read news.

# %% [markdown] deck="printed"
# ## A larger one: 5 million weights
#
# minutes: 1.5
#
# say: Three blocks of 256 numbers, 10,000 words, and it has read what the course's biLM read. *Two something ago we left*: years, 76 per cent. *She opened the something and went in*: room, door, sea.
#
# ask: What does it do well, and what not?
#
# expect: "It understands the sentence." It does well where a phrase decides. Look at *sea* and *boat*.
#
# skip: Read two of them. Live instead: a sentence of the room's in MINE, a second.

# %% slide="subslide"
from elmo_mini.models.masked_lm import MaskedLM
from elmo_mini.transformer.files import load_masked_lm

large, large_words = load_masked_lm()
for sentence in ["she opened the [MASK] and went in .", "two [MASK] ago we left .", *MINE]:
    print(f"{sentence:40} {fill(large, large_words, sentence, 4)}")

# %% [markdown]
# Does it pass the test of section 1? Its top layer at the same word goes to a linear reader. This one trains to its end: a probe's sixty steps are few for a hard question. ELMo's halves are asked again, by this reader, and now about the sentences that it learnt from, too. The control is three networks of these sizes that have read nothing.


# %%
from sklearn.linear_model import LogisticRegression

from course.results.intervals import Lead, interval


def to_its_end(known, labels, asked):
    """A logistic regression, trained until its loss falls no more."""
    reader = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    return reader.fit(known, labels).predict(asked)


def masked_states(task, model):
    """A masked model's top layer at the last word before the verb, (N, D)."""
    ids, mask, _ = batch_of(task.sentences, large_words)
    with torch.no_grad():
        states = model(ids, mask)
    return states[torch.arange(len(ids)), 1 + torch.tensor(task.position)].numpy()


def judged(model):
    """What the linear reader gets right; of agreement, the shares of sixteen nouns, each new."""
    parts = [masked_states(task, model) for task in (LEARN, NEW)]
    of_all, agree = np.concatenate(parts), np.concatenate([LEARN.agree, NEW.agree])
    noun, shares = np.arange(len(agree)) // 48, []  # 48 sentences with each noun
    for one in range(16):
        known, new = noun != one, noun == one
        said = to_its_end(of_all[known], agree[known], of_all[new])
        shares.append(np.mean(said == agree[new]))
    return right(to_its_end, *parts) | {"agree": shares}


reads, unread = judged(large), []
for seed in range(3):
    torch.manual_seed(seed)
    unread.append(judged(MaskedLM(large.options).eval()))
for question, share in reads.items():
    nothing = np.mean([found[question] for found in unread])
    asked = figures.QUESTIONS[question]
    print(f"{asked:19} {np.mean(share):4.0%}   has read nothing: {nothing:4.0%}")
over = interval(reads["agree"])
print("they agree, 95 % over the nouns: {low:.0%} to {high:.0%}".format(**over))
elmo_new = right(to_its_end, *states)["agree"]
elmo_known = np.mean(to_its_end(states[0], LEARN.agree, states[0]) == LEARN.agree)
print(f"they agree, ELMo's halves: {elmo_new:.0%}; of sentences learnt from: {elmo_known:.0%}")

# %% [markdown]
# Reading has joined noun and verb, but only in part: with a noun that is new to it, the linear reader is right in about two of three sentences. Of ELMo's halves it gets one in two, and no more of the very sentences that it learnt from, with 512 numbers for each: no sum can join them. (Each of the sixteen nouns was left out once. Its own sentences would prove nothing: it has 256 numbers for a few hundred of them, and could learn many by heart.) At this word the model has not always kept the noun's number. The verb stands next door: networks that have read nothing find it, too.

# %% [markdown] slide="subslide"
# ### How often does real text ask for both?
#
# What of real sentences? We trained networks like yours, with 1,000 words too, on short sentences of Brown: 3,000 steps, five starts. Each bar of the figure fills the same held-out blanks:
#
# - *left*, *right*: a language model that reads one side only. It is asked at **every** position for the word ahead, as ELMo's readers are.
# - *product*: these two, joined afterwards.
# - *both at once*: one like yours, asked for 30 words in 100.
# - *two of both*: two starts of *both at once*, joined so, for two networks against two.
# - *counts*: pairs and triples mixed, as above; *product, counts* and *both, counts*: added to these.
#
# They are joined by a kind of **product of experts**:
#
# $$p(w) \propto \frac{p(w \mid \text{left})\; p(w \mid \text{right})}{p(w)}$$
#
# It is divided by the word's own probability, which would otherwise count twice. Other sentences were there to choose by: where each network stops, an exponent for each factor, the weights of sums.

# %% [markdown] deck="poll"
# ## Blanks of real text: which one loses fewer nats?
#
# minutes: 2
#
# say: Back to the question: what do both sides at once bring on real text? The rival: two separate models, one for each side, their probabilities multiplied and divided by the word's own. A product of experts. ELMo's users could do it afterwards. The two are language models, asked for every word, as ELMo's readers are. Both at once is asked for 30 words in 100.
#
# ask: The poll. How much will lie between them?
#
# expect: "Both at once, by far." Far ahead of each side, and a little behind their product.
#
# skip: Vote only.

# %%
predict(
    "product",
    "What loses fewer nats on real text?",
    options=["both at once", "the product", "no clear difference"],
)

# %% [markdown] deck="figure"
# ## Both at once is far ahead of each side, and a little behind their product
#
# minutes: 3
#
# say: Brown, five starts, nats for the hidden word. From the left 4.17, from the right 3.90, counts 3.69, both at once 3.48, the product 3.41. Everybody is tuned on other text: where to stop, the exponents of the product. What the two sides know of a blank can be joined afterwards. At one size, two networks against two, they are level. Asked for as few words, both at once would be ahead by a tenth of a nat: the language models learn from every word. And counts still add a tenth to both at once.
#
# ask: Why then did BERT win everywhere?
#
# expect: "Because of the joint reading." It was larger, had read more, was fine-tuned as a whole. The paper argues for joint reading; no table of it trains ELMo's way.
#
# skip: Left, right, both.

# %% slide="subslide"
from course.results.stored import stored_result

BLANKS = stored_result("both_sides_blanks").numbers
print(
    "{trained_on:,} sentences, {steps:,} steps; {blanks:,} blanks of {sentences}".format(**BLANKS)
)
figures.side_bars(BLANKS)

# %%
print("Nats saved by the second; 95 %, sentences and starts drawn anew:")
leads = {}
for names in (
    "counts less both",
    "counts less both and counts",
    "both less both and counts",
    "both less product of language models",
    "two of both less product of language models",
    "both and counts less product of language models and counts",
    "product, asked at blanks less two of both",
):
    found = BLANKS["differences"][names]
    leads[names] = Lead(found["mean"], found["low"], found["high"], digits=2)
    print(f"  {names}: {leads[names]}")
verdict = leads["both less product of language models"].verdict
FEWER = {"ahead": "the product", "behind": "both at once"}
outcome("product", FEWER.get(verdict, verdict))

# %% [markdown]
# On this other text, with five times as many sentences as yours, reading both sides at once is far ahead of either side. It is ahead of the counts, too, and added to them it saves a third of a nat. But the product of experts of **two readers that never meet** is ahead of it: by 0.07 nats (0.01 to 0.13). With counts added to either, no difference is seen.
#
# The product has two networks, though. Two starts of *both at once*, multiplied in the same way, are as large, and then the two kinds are level.
#
# They also differ in what they are asked. So we trained another left and right reader, asked at blanks alone, as *both at once* was. Two of both are ahead of their product by 0.11 nats (0.06 to 0.14). So **asked the same**, and at one size, reading both sides at once pays, a little. But a language model may be asked for every word, and that makes up for it.
#
# To both at once, counts add 0.13 nats (0.07 to 0.18): it has not learnt all pairs yet. Why so little from both sides? Perhaps a blank of real text seldom asks for what stands in neither side alone, as section 1 did. (That was not measured.) And these are short sentences and small networks. The paper argues for joint reading (section 5.1); no table of it trains ELMo's way.

# %% [markdown]
# ### What asking for 15 in 100 costs
#
# A forward language model learns from **every** word that it reads, BERT from 15 in 100. Three networks, trained on the news, see only what stands to the left, so that none gains by the other side. The first is asked at every position for the next word, the second at 15 positions in 100. The third fills blanks, 15 in 100. Your loop trains them all, from the same two starts: only what stands for `corrupt` differs. The six runs take about 20 s.

# %% [markdown] deck="poll"
# ## Asked for 15 words in 100, not for all: how much worse?
#
# minutes: 1.5
#
# say: A forward model learns from every word that it reads, BERT from 15 in 100. Same network, reading only to the left: asked at every position, or at 15 in 100.
#
# ask: The poll.
#
# expect: "Under 0.1: it sees as much text." It reads as much and is told a seventh as often.
#
# skip: Say the result.

# %%
WORSE = ["under 0.1 nats", "0.1 to 1 nat", "over 1 nat"]
predict("share", "How much worse is the second than the first?", options=WORSE)

# %% [markdown] deck="figure"
# ## What asking for 15 words in 100 costs
#
# minutes: 2
#
# say: After 250 batches 0.34 nats, and a blank costs about as much again: a reader of the next word stands beside it, a blank must find its neighbour. Two starts are few, so both intervals are too narrow. In the paper the masked model converges a little more slowly.
#
# ask: What happens to the first one's lead after 500 rounds?
#
# expect: "It grows." On so little text it begins to learn by heart. They try it.
#
# skip: Say the first difference.


# %% slide="subslide"
def next_words(ids, share=1.0):
    """Nothing is hidden; a share of the positions is asked for the word that follows."""
    targets = torch.full_like(ids, -1)
    targets[:, :-1] = ids[:, 1:]
    left_out = (targets < 5) | (torch.rand(ids.shape) >= share)
    return ids, targets.masked_fill(left_out, -1)


ROUNDS = 250  # change me
ASKED = {
    "next word, all": next_words,
    "next word, 15 in 100": lambda ids: next_words(ids, 0.15),
    "blank, 15 in 100": hide(0.15),
}
cost = {}
for name, asks in ASKED.items():
    told, judged_by = [], []
    for seed in (1, 2):
        model = untrained("left", seed)
        told.append(train(model, ROUNDS, asks, seed)[-50:])
        judged_by.append(nats(model, NEWS.judged_by, before=int("next" in name)))
    cost[name] = np.stack(judged_by)
    print(f"{name:20} {np.mean(told):.1f} nats on its own sentences")
points = {name: NEWS.judged_by.interval(one) for name, one in cost.items()}
figures.blank_bars(points, title="A held-out word from what stands to its left (two runs each)")

# %%
every, few, hidden_few = cost.values()
asking, blank_less = NEWS.judged_by.lead(few - every), NEWS.judged_by.lead(hidden_few - few)
print("Nats saved; 95 %, sentences and starts drawn anew:")
print(f"  by asking for all and not for few:     {asking}")
print(f"  by asking before a word, not at a blank: {blank_less}")
outcome("share", WORSE[int(asking.mean > 0.1) + int(asking.mean > 1)])

# %% [markdown]
# After 250 rounds, asking for fewer words has a price, and the blank costs about as much again. (Two starts are few: both intervals are too narrow.) One reason may be that a reader of the next word stands beside it, while a blank must find its neighbour. And its context has holes. (Neither was tested.)
#
# **Change one thing:** give them 500 rounds. What becomes of the first one's lead? Its loss on its own sentences tells why.
#
# In the paper the masked model converges a little more slowly than one that reads from left to right. Yet on MNLI, the one task shown, it is ahead almost at once (appendix C.1, figure 5).

# %% [markdown] slide="slide"
# ## 3. Three broken runs
#
# Four runs of 200 batches, about 15 s, by the cells above: `untrained`, `train` with your loop, `nats`. One is sound. In A, B and C, `plant` has put one fault each, from this list.
#
# 1. the model reads the words as they were before any was hidden
# 2. the model is asked for the word after each chosen one
# 3. the model is asked for every word
# 4. the model has no position embeddings
# 5. the learning rate is a hundred times too small
# 6. the model is asked for padding, too
#
# You see the loss that each run reports of itself, and the loss of true blanks in held-out sentences. Two more numbers follow:
#
# - *moves by*: how far the state of a blank moves when the other words of its sentence change places (up to 1e-4 is rounding),
# - *repeats*: how many of the words in sight the model answers with themselves.

# %% [markdown] deck="figure"
# ## Three broken runs: what does a low loss say?
#
# minutes: 2.5
#
# say: Two bars a run: the loss that it reports of itself, and the loss of true blanks in held-out sentences. A and C report a splendid loss. Both have the answer in sight, each in its own way; exercise 4 has more symptoms and the list of faults. B is quiet: it does not move when words change places.
#
# ask: Which bar do you look at first?
#
# expect: "The loss." A loss says something only of the question that was asked.
#
# skip: Say that A and C see the answer.

# %% slide="subslide"
from course.both_sides_at_once.broken_blanks import plant, symptoms

blanks, runs, reported, true = NEWS.chosen_by, {}, {}, {}
for name in ("sound", "A", "B", "C"):
    runs[name] = untrained()
    asks = plant(name, runs[name], hide(0.15))  # a fault of the model, or of what it is asked
    reported[name] = np.mean(train(runs[name], 200, asks)[-20:])
    true[name] = nats(runs[name], blanks).mean()
figures.run_bars(reported, true)

# %%
for name, model in runs.items():
    run = symptoms(model, blanks.rows, blanks.mask, blanks.positions)
    print(f"{name:>5}: moves by {run.moved:.0e}, repeats {run.own:.0%}")

# %% [markdown] exercise="broken_blanks"
# ### Exercise 4. Three broken runs
#
# Which run has which fault? Return a dict with the number of each: `{"A": ..., "B": ..., "C": ...}`.


# %% exercise="broken_blanks"
def broken_blanks():
    """The number of each run's fault."""
    ### BEGIN SOLUTION
    return {"A": 3, "B": 4, "C": 1}
    ### END SOLUTION


# %% check="broken_blanks"
check("broken_blanks", broken_blanks)

# %% [markdown] hints="broken_blanks"
# nudge: Two runs report a loss far below the sound one's. What did each of them see that made it so easy?
#
# idea: A model that never met a blank has no idea what to do with one. A model that was asked for everything has met blanks among much else.
#
# outline: Compare the second bar of the two low runs with the sound run's. The third broken run has losses like the sound one's: look at the number that depends on the order of the words.

# %% [markdown] model_answer="broken_blanks"
# **A** is asked for every word (3): more than five in six stand in sight, so it repeats them and reports a low loss, but it has met blanks too and fills them about as well as the sound run. **B** has no position embeddings (4): its losses hardly show it, but a blank's state does not move when the other words change places. **C** never saw a blank (1): its report is good, and its blanks cost it more than a blind guess among all words would (6.9 nats). A loss means something only for the question that it was asked.

# %% [markdown] deck="table"
# ## Two sentences in one row
#
# minutes: 2
#
# say: A question and a passage, a claim and its evidence. Networks often read each text alone. BERT reads both in one row, so that every word of one can read every word of the other. A token enters as a sum of three vectors: word, position, segment. CLS is for what concerns the whole row, SEP ends a sentence.
#
# ask: What would be lost without the segments?
#
# expect: "Nothing, there is the SEP." A block would have to find out for each word on which side of it the word stands.
#
# skip: Read the first row.

# %% [markdown] slide="slide"
# ## 4. Two sentences in one row
#
# Many tasks have two texts: a question and a passage, a claim and its evidence, a conversation and a possible reply. Before BERT, networks often read each text alone and let the two attend to each other afterwards. BERT reads both in one row, so that every word of one can read every word of the other:
#
# | row | `[CLS]` | *he* | *went* | `[SEP]` | *it* | *rained* | `[SEP]` |
# |---|---|---|---|---|---|---|---|
# | position | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
# | segment | 0 | 0 | 0 | 0 | 1 | 1 | 1 |
#
# `[CLS]` is a position for what concerns the whole row, `[SEP]` ends a sentence. A token enters as the sum of its three vectors: word, position embedding, segment embedding. All are learnt, from random numbers or, our positions, from sinusoidal ones. BERT has 512 positions, ours 32. In all this BERT is a pretrained encoder and has no decoder (lesson 13).

# %% [markdown] deck="words"
# ## The second question: does this sentence follow that one?
#
# Half of the pairs are true; in the other half the second sentence is drawn at random.
#
# . . .
#
# The best judge of pairs scores by $\log \dfrac{p(a, b)}{p(a)\,p(b)} + \log \dfrac{1 - f}{f}$
#
# ($f$: the share of false pairs)
#
# minutes: 2.5
#
# say: Next-sentence prediction. Derive the odds: a true pair comes with p of a and b and the weight 1 minus f, a false one with p of a times p of b and the weight f. The ratio is this. The first part is the pointwise mutual information, known from lesson 01.
#
# ask: With half of the pairs false, what remains of the second part?
#
# expect: "A half." Log of one: nothing.
#
# skip: Show the question only.

# %% [markdown] slide="subslide"
# BERT learns a second question from raw text, **next-sentence prediction**: does the second sentence follow the first? In one half of the pairs it does. In the other half it was drawn at random. (Sections 5 and 6 make such pairs, and derive the best score that a judge of them can give.)

# %% [markdown] deck="words"
# ## Myth or measured?
#
# > "Two readers that never meet cannot be joined afterwards. Only both sides at once will do."
#
# . . .
#
# By a **sum**: proved. By a **product**, on real text: not so.
#
# minutes: 1.5
#
# say: In section 1 it is a proof: no sum of the two halves knows whether they agree. On real text it is a measurement: the product of two readers does it as well.
#
# ask: What would real text have to be like for the proof to matter?
#
# expect: "Longer sentences." Full of questions like the agreement of noun and verb, where neither side alone leans to an answer.
#
# skip: Leave it out.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"Two readers that never meet cannot be joined afterwards. Only both sides at once will do."*
#
# **Half a myth.** What depends on left and right together is in no sum of the two: section 1 has the proof. But that question was made for the purpose, and a network on top can join the halves, given enough labels. On real text, two language models that never meet, joined by a product, are a little ahead of one network that reads both sides, and level with two. Only where all are asked for as few words are two networks of *both at once* ahead, by a tenth of a nat.

# %% [markdown] deck="words"
# ## What to take home
#
# - What depends on left and right together is **not in a sum** of the halves.
# - On real text both at once beat each side by far, and are a little behind their product.
# - A loss says something only of the **question that was asked**.
# - Asked for 15 words in 100, a model learns more slowly at first.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 1 to 3; of exercise 4 read the model answer. Next time we write the block ourselves.
#
# ask: Which rival of today would you have left out?
#
# expect: "The counts." Or the product. Each changes the conclusion.
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## Recap
#
# - What depends on left and right together is not in a sum of the halves, however well each is trained.
# - A Transformer encoder: word, position and segment embeddings are added; in each block every token mixes what all others tell, by attention weights, and then thinks alone.
# - On real text both sides at once beat each side by far. The product of two language models that never meet is a little ahead of one such network, and level with two: they learn from every word.
# - A loss says something only of the question that was asked. Where the answer is in sight, it says nothing.
# - Masked language model, a cloze test: 15 in 100 words are asked for, so it learns more slowly at first. Of 100 of these, 80 are hidden, 10 swapped, 10 left.
# - `[CLS]` and `[SEP]` frame the sentences of a row. Next-sentence prediction asks whether the second follows the first.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# Quora asks whether two questions mean the same. The order of the two does not matter. **Yet BERT puts one of them into segment 0 and the other into segment 1. Why can that work all the same? What could go wrong, and how would you find out? Name one change that would make the model symmetric, and what it costs.** Five to eight sentences.

# %% [markdown] discussion="segments_of_a_symmetric_task" points=3
# **Rubric, 3 points.** 1 for why it can work (the segment embedding only says which text a word belongs to; fine-tuning sees pairs and can learn to use the difference the same way in both directions). 1 for what may go wrong and a measurement (swap the two, count how many decisions change; compare with a control such as another random start). 1 for a change with its price (train on both orders, or average both orders at test time: twice the computation; the same segment for both: the model must tell them apart by `[SEP]` and position alone). 0.5 of a point off for a change without its price.

# %% [markdown] model_answer="segments_of_a_symmetric_task"
# The segment embeddings do not say "question" and "answer", they only keep the two texts apart: a word's state can tell whether another word is in its own text or in the other. Whether two questions mean the same can be computed from that. But nothing forces the model to treat both orders alike: positions and segments differ, and with few labels it may learn a habit of the data, for instance that the shorter question stands first. I would swap the two questions of every test pair and count how many decisions change, and hold this against how many change between two random starts. To mend it I would put every training pair in both orders, which doubles the training, or average the two orders at test time, which doubles that. Giving both texts segment 0 costs no time, but then only `[SEP]` and the positions tell where one text ends.

# %% [markdown] slide="slide"
# ## If you have time
#
# Each section stands alone: pairs of sentences with two exercises (30 minutes), the best judge of pairs (18), what the states are worth (6), readers that meet (4), and BERT's heads, which need the pairs (4).
#
# ## 5. Make the pairs, and ask the larger model
#
# First the row of section 4, then the pairs that BERT learns from.

# %% [markdown] exercise="pack"
# ### Exercise 5. Two sentences in one row
#
# Write `pack(first, second, longest)`. The sentences are lists of word numbers. Return two lists of one length: the row, and its segments. `[CLS]` is 2, `[SEP]` is 3. An empty second sentence has no `[SEP]`.
#
# A row has at most `longest` numbers, and that is at least 3. While it is too long, the longer sentence loses its last word; if both are equally long, the second one does.


# %% exercise="pack"
def pack(first, second, longest):
    """The row and its segments."""
    ### BEGIN SOLUTION
    first, second = list(first), list(second)
    while len(first) + len(second) + (3 if second else 2) > longest:
        (first if len(first) > len(second) else second).pop()
    ids = [2, *first, 3]
    segments = [0] * len(ids)
    if second:
        ids = ids + second + [3]
        segments = segments + [1] * (len(second) + 1)
    return ids, segments
    ### END SOLUTION


# %% check="pack"
check("pack", pack)

# %% [markdown] hints="pack"
# nudge: How many marks does the row have? That depends on the second sentence.
#
# idea: Shorten copies first, one word at a time, and put the marks last. `.pop()` takes the last word of a list.
#
# outline: While words and marks are more than `longest`, pop from the longer list, from the second on a tie; count the marks anew each time. Then `[2, *first, 3]` with zeros, and, if there is a second sentence, `[*second, 3]` with ones.

# %% [markdown] exercise="sentence_pairs"
# ### Exercise 6. True pairs and false ones
#
# Write `sentence_pairs(documents, rng)`. A document is a list of sentences, a sentence a list of words. Return a list of triples `(first, second, follows)`. Every sentence but the last of its document is the first of one triple. With probability one half, `second` is the sentence after it and `follows` is 1. Otherwise `follows` is 0, and `second` is drawn from all sentences of all documents, each equally likely, except the first itself and the one after it. (Two sentences with the same words are still two sentences.) Draw with NumPy's `rng`.


# %% exercise="sentence_pairs"
def sentence_pairs(documents, rng):
    """Triples (first, second, 1 or 0)."""
    ### BEGIN SOLUTION
    positions = [(d, s) for d, document in enumerate(documents) for s in range(len(document))]
    pairs = []
    for d, s in positions:
        if s + 1 == len(documents[d]):
            continue
        follows = int(rng.random() < 0.5)
        there = (d, s + 1)
        while not follows and there in ((d, s), (d, s + 1)):
            there = positions[rng.integers(len(positions))]
        pairs.append((documents[d][s], documents[there[0]][there[1]], follows))
    return pairs
    ### END SOLUTION


# %% check="sentence_pairs"
check("sentence_pairs", sentence_pairs)

# %% [markdown] hints="sentence_pairs"
# nudge: Two sentences of a text can have the same words. What tells them apart?
#
# idea: Speak of positions, (document, sentence), until the very end. Draw a position again while it is one of the two that are forbidden.
#
# outline: List all positions. For each that is not the last of its document: flip a coin; the position after it, or, while that is forbidden, another draw; append both sentences and the coin.

# %% slide="subslide"
pack, sentence_pairs = or_reference("pack", pack), or_reference("sentence_pairs", sentence_pairs)
from course.both_sides_at_once import next_sentences

pairs = sentence_pairs(next_sentences.pages(), np.random.default_rng(0))
ids, mask, segments = next_sentences.rows(pairs, large_words, pack, 64)
with torch.no_grad():
    follows = (large.next_score(large(ids, mask, segments)) > 0).numpy()
predicted = {"shared words": next_sentences.shared_words(pairs), "the larger model": follows}
right_of = {name: next_sentences.accuracy(pairs, said) for name, said in predicted.items()}
figures.judge_bars(right_of, next_sentences.commoner(pairs))

# %%
model_leads = next_sentences.difference(pairs, *predicted.values())
print(f"The larger model less shared words, in points: {model_leads}")

# %% [markdown]
# The pairs are of Brown, which the larger model has not read; a whisker is 95 %, pages of 20 sentences drawn anew. The line gives the commoner answer each time. The first judge has no model: *true, if they share more words than most pairs do*. The larger model was trained on this very question, and is not clearly better. RoBERTa left next-sentence prediction out, and the scores stayed or rose slightly (its section 4.2).

# %% [markdown] slide="slide"
# ## 6. The best judge of pairs
#
# Is next-sentence prediction negative sampling? In lesson 01 a true pair of words stood against $k$ false ones, and the best score of a pair was its pointwise mutual information less $\log k$. Here sentences take the place of words, and a share $f$ of the pairs is false.

# %% [markdown] exercise="best_log_odds"
# ### Exercise 7. The best judge of pairs (derive it)
#
# First with pen and paper. A true pair $(a, b)$ comes with probability $p(a, b)$. In a false one, $a$ and $b$ are drawn independently: $p(a)\,p(b)$. A share $f$ of the pairs is false. Given $a$ and $b$, what are the odds that the pair is true, the probability of *true* over that of *false*?
#
# Then write `best_log_odds(counts, false)`. `counts` (A, B) says how often sentence $b$ came after sentence $a$; no count is 0. `false` is $f$. Return the natural logarithm of the odds of every pair, an array (A, B). (For simplicity a false second sentence may be the true one here.)


# %% exercise="best_log_odds"
def best_log_odds(counts, false):
    """(A, B): the log odds that a pair is true."""
    ### BEGIN SOLUTION
    joint = counts / counts.sum()
    first = joint.sum(1, keepdims=True)
    second = joint.sum(0, keepdims=True)
    return np.log((1 - false) * joint) - np.log(false * first * second)
    ### END SOLUTION


# %% check="best_log_odds"
check("best_log_odds", best_log_odds)

# %% [markdown] hints="best_log_odds"
# nudge: Of all pairs, which share is this very pair and true? Which share is this very pair and false?
#
# idea: Bayes: the odds are the first share over the second. Each has two factors, one for true or false, one for the pair.
#
# outline: Divide `counts` by their sum; row sums are $p(a)$, column sums $p(b)$, both with `keepdims=True`. Return the log of $(1 - f)\,p(a, b)$ less the log of $f\,p(a)\,p(b)$.

# %%
best_log_odds = or_reference("best_log_odds", best_log_odds)

# %% [markdown]
# > *"BERT uses negative sampling, for sentences in place of words."*
#
# Your formula decides. Take sentences that know nothing of each other: $p(a, b) = p(a)\,p(b)$.

# %%
predict("shift", "For each true pair, five false ones. What log odds does every pair get?")

# %%
unrelated = np.outer([2.0, 3.0], [4.0, 1.0])
for share in (1 / 2, 5 / 6):
    odds = best_log_odds(unrelated, share)[0, 0]
    print(f"share of false pairs {share:.2f}: log odds {odds:+z.2f}")
outcome("shift", float(odds), factor=1.15)

# %% [markdown]
# **A cousin, not the same.** With one false pair for each true one, the best score is the pointwise mutual information of the two sentences. With five, subtract $\log 5$, as in lesson 01. But word2vec scores a pair by a dot product of two separate vectors. BERT reads the pair **jointly**, has no $k$ and no exponent for the noise, and the paper never speaks of negative sampling.

# %% [markdown] slide="slide"
# ## 7. What are its states worth?
#
# The larger masked model and the course's biLM are asked what lesson 09 asked. First the **senses** of four words: a linear reader of the top layer, at the word, learns from 250 examples of each. Its rival needs no network: **naive Bayes** over the words of the sentence, and over the three neighbours on each side with their distances. Then both together: their log probabilities are added. (The smoothing, the penalty and the weight of the sum are chosen on a fifth of the examples. Four draws of examples; one start of each model.)

# %% slide="subslide"
STATES = stored_result("masked_layers_rivals").numbers
figures.sense_bars(STATES)

# %%
print("Senses, points; 95 %, draws and sentences drawn anew:")
for names in (
    "masked less naive Bayes",
    "biLM less naive Bayes",
    "naive Bayes and masked less naive Bayes",
    "naive Bayes and biLM less naive Bayes",
):
    print(f"  {names:39} {Lead.of(STATES['differences'][names])}")

# %% [markdown]
# Alone, the masked states are behind: 4.2 points (2.3 to 6.3) fewer than counted words. The biLM's are level. Added to the words, either brings a point or two: what they know is in good part what the words of the sentence tell, and a little is not.
#
# Then **parts of speech**, at words that the masked model knows (it has 10,000, in lower case): 1,117 to learn from, 4,960 to be asked. Here five starts of each model stand against each other.

# %%
POS = stored_result("masked_layers_pos_known").numbers
of_speech = {name: POS["rows"][name]["accuracy"] for name in ("majority of the form", "neighbours")}
for layer in range(4):
    of_speech[f"masked, layer {layer}"] = POS["rows"][f"masked, layer {layer}"]["accuracy"]
print("Right:", ", ".join(f"{name} {share:.0%}" for name, share in of_speech.items()))
print("Parts of speech, points; 95 %, starts and sentences drawn anew:")
for names in (
    "masked, layer 3 less masked, untrained, layer 3",
    "masked, layer 3 less biLM, layer 2",
    "biLM, layer 0 less masked, layer 3",
    "masked, layer 1 less masked, layer 0",
):
    print(f"  {names:47} {Lead.of(POS['differences'][names])}")

# %% [markdown]
# Reading has taught the masked model much, and much of it counting would tell, too: to give each word its commonest tag (*majority of the form*) is right for 75 %. The biLM is far ahead, and even its layer 0, which sees no neighbour, is nine points ahead of the masked model's top. It reads letters, and a word's letters tell much about its part of speech. The masked model's best layer, the first, is less than four points above its own layer 0. How a model reads its words can weigh more than which side it reads them from. A BERT of your own would begin with pieces of words, as BERT does.

# %% [markdown] slide="slide"
# ## 8. Readers that meet
#
# Lesson 07 had two layers of `nn.LSTM(bidirectional=True)`, deeply bidirectional in the wrong way. Does more depth copy better still? We have trained that class on Brown's short sentences, 192 batches, five times at each depth. A linear reader then learns tags from the frozen top states of 1,500 words.

# %%
DEPTHS = ["1", "2", "3"]
predict(
    "deeper", "Held-out loss of bidirectional=True: lowest with how many layers?", options=DEPTHS
)

# %% slide="subslide"
LEAK = stored_result("both_sides_leak").numbers
figures.leak_bars(LEAK["nats"])

# %%
print("Per cent of tags right; 95 % over five starts:")
for name in ("majority of the form", "untrained", "never meet", "meet, 2 layers", "masked"):
    tags = LEAK["tags"][name]
    print("  {0}: {mean:.0%} ({low:.0%} to {high:.0%})".format(name, **tags))
layers = {n: f"meet, {n} layer" + "s" * (n > "1") for n in DEPTHS}
outcome("deeper", min(DEPTHS, key=lambda n: LEAK["nats"][layers[n]]["mean"]))

# %% [markdown]
# With one layer nothing leaks: each half has read its own side, and it does as well as two readers that never meet. With two layers the answer stands before the model, on held-out text too. With three it copies, too, but less well so far; it may only need more steps.
#
# What are these states worth to a tagger? *Untrained* are two layers before any step; *masked* is a small masked model that read as many sentences. Commonest tags (*majority of the form*) are right for 65 %. No network here comes near: runs this short make no features.

# %% [markdown] slide="slide"
# ## 9. Four kinds of task, four small heads
#
# The model stays the same whatever the task (the paper's figure 4). On top comes one linear layer, called a **task head** (no relation to the heads of attention). For a sentence or a pair it reads `[CLS]`, for tags every token. For an answer in a text it gives two numbers for every token: one for the start, one for the end. No task network, no CRF, no pointer network. (Two classifiers for the two ends were not new: DrQA's reader, of 2017, has them.) Here they stand, untrained, on your model and two of your pairs.

# %% slide="subslide"
from elmo_mini.transformer import heads

ids, mask, segments = next_sentences.rows(pairs[:2], NEWS.words, pack, 32)
states = trained(ids, mask, segments)
start, end = heads.SpanHead(64)(states, segments)
print("a sentence: ", tuple(heads.SentenceHead(64, 6)(states).shape), "a score for each label")
print("a pair:     ", tuple(heads.SentenceHead(64, 2)(states).shape), "yes or no, at [CLS] too")
print("its tokens: ", tuple(heads.TaggingHead(64, 9)(states).shape), "a score for each tag")
print("an answer:  ", heads.best_span(start[0], end[0]), "first and last place, in the second text")

# %% [markdown]
# These heads have learnt nothing yet. To use a task head, train it together with the model below, on the task's labels (published results: lesson 14). Until then the state of `[CLS]` has only been asked whether a second sentence follows; nothing has made it a summary of the first. In a sentence task, all that the labels teach enters the model through this one state.
#
# Before BERT, many such tasks had ever fancier networks of their own. In January 2018 two ensembles of these, r-net+ and SLQA+, were said to beat people on SQuAD. In exact matches, yes (82.65 and 82.44 against 82.30); in F1, no (88.49 and 88.61 against 91.22).

# %% [markdown]
# ## Further reading
#
# - The BERT paper, section 3.1 and appendix A.1; table 8 has what other shares than 80, 10 and 10 do. Rows differ by a point or less, most in the feature-based column.
# - Liu and others, [RoBERTa](https://arxiv.org/abs/1907.11692), section 4.2: the same without next-sentence prediction.
# - In the package: `elmo_mini/models/masked_lm.py`, and `python -m elmo_mini pretrain-masked --help`, which trains a larger one and goes on where it stopped.
#
# Next: **13 · Attention.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Would a deeper ELMo pass section 1?* No: its halves stay apart at every depth. A task network with a hidden layer on top passes. *Why do all runs first learn the counts of words?* The bias learns them in a few steps; that neighbours matter must be found through attention, which takes longer. *Is the product a fair model?* It is exact if left and right are independent given the word. *Why did BERT hide only 15 in 100?* The paper says what it did, and tests the three fates, not the share. *Does attention learn to look away from `[MASK]`, as an LSTM's gate could not?* One reads it as a guess, and a guess it is: it was not measured here.
