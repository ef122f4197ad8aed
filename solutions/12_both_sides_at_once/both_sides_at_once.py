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
from torch.nn import functional

from autograde import calibration, check, or_reference, outcome, predict, progress
from course.both_sides_at_once import agreement, figures, next_sentences
from course.both_sides_at_once import broken_blanks as planted
from course.both_sides_at_once import experiments as both_sides
from course.both_sides_at_once.directional_block import block_for
from course.both_sides_at_once.fill import fill
from course.both_sides_at_once.single_blanks import single_blanks
from course.figures import plots
from course.results.intervals import lead_twice
from course.results.stored import stored_result
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.models.masked_lm import MaskedLM, MaskedLMOptions
from elmo_mini.progress import progress_bar
from elmo_mini.transformer import heads
from elmo_mini.transformer.files import load_masked_lm
from elmo_mini.transformer.masked_lm_training import ScheduledAdam
from elmo_mini.transformer.sentence_pairs import padded

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% tags=["road"]
plots.road("12")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - test what two separate readers know of a sentence, each alone and together,
# - hide words in the way of BERT, and train a model on the blanks,
# - say what both sides at once bring on real text, and what asking for few words costs,
# - read from its symptoms what is wrong with such a run,
# - derive the best score that a judge of sentence pairs can give.
#
# ## The paper
#
# **BERT**: Devlin, Chang, Lee and Toutanova, *BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding*, NAACL 2019, [arXiv:1810.04805](https://arxiv.org/abs/1810.04805). Section 3.1 has both tasks, appendix A.1 the reasons.
#
# Plan 90 minutes, 100 with second tries; the essay at the end is for home. Short of time? Exercises 2, 3 and 4 are the spine, 75 minutes; of exercise 1, only read the task: the course's function stands in for yours. Optional sections follow, 50 minutes in all, with exercises 5 and 6.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B$ | sentences in a batch | $D$ | numbers in a state |
# | $T$ | tokens in a row | $V$ | words in the vocabulary |
# | $w_t$ | the token at position $t$ | $p$ | a probability |
# | $a, b$ | the first and the second sentence of a pair | $f$ | the share of false pairs |
#
# `ids`, `mask` and `segments` are tables (B, T): word numbers, which positions are tokens, and to which sentence of a pair each belongs.

# %% [markdown] instructor=true
# **Instructor.** Minutes of a first reader: introduction 5; section 1, 8; section 2, exercise 1 18, exercise 2 20, the rest 16; section 3, 12; section 4, 18; myth and recap, 5. That is 102, with second tries; who passes the checks at once needs 80 to 90. The essay takes 12, at home. Optional: packing and pairs 35, states 6, readers that meet 4, heads 4. Students get stuck in exercise 2 on the difference between what is read and what is asked: write both rows on the board, one below the other. In section 1 ask who believes that a better-trained ELMo would pass; the answer is no, and four inequalities prove it.

# %% [markdown] deck="words"
# ## One question, two readers
#
# > The dogs near the gate **is** not here.
#
# One reader has read *The dogs near the gate*. The other has read *here not is gate*.
#
# minutes: 2
#
# say: At the word *gate* the noun lies behind you and the verb ahead. Neither of the two is wrong alone; only together. ELMo's vector at this word has one half from each reader. A linear reader adds up its numbers, each with a weight, and says yes above zero.
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
# We ask the course's ELMo at this word. One half of its vector has read *The dogs near the gate*, the other *here not is gate*. A **linear reader** adds up the numbers of a vector, each with a weight of its own, and says *yes* above zero. It learns from sentences with eight nouns and is tested on eight others. Half of all sentences are right.

# %% [markdown] deck="poll"
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
elmo = load_pretrained()
right, hidden = agreement.linear_reader(elmo), agreement.hidden_reader(elmo)
figures.agreement_bars({"linear reader": right, "with a hidden layer": hidden})

# %%
outcome("agree", min(shares, key=lambda name: abs(int(name.split()[1]) - 100 * right["agree"])))

# %% [markdown]
# The linear reader tells singular from plural, in noun and in verb, without a slip: both facts are in the vector. But it cannot be right about all four kinds of sentence, and no training will change that. Call $l$ what the left half adds to the sum and $r$ what the right half adds, singular (1) or plural (2). It would need
#
# $$l_1 + r_1 > 0, \qquad l_2 + r_2 > 0, \qquad l_1 + r_2 < 0, \qquad l_2 + r_1 < 0.$$
#
# Add up the first two, then the last two. Both sums are $l_1 + l_2 + r_1 + r_2$, which cannot be both above zero and below it. (A bias adds the same to both, so it does not help.) This is the old puzzle of the exclusive or (XOR): a linear classifier cannot learn it.
#
# Three kinds of four a sum can get right, 75 %: answer *no* unless both are singular. Ours did not even find that: the four kinds are equally frequent, so its loss gains nothing by leaning to any side.
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
# ### The model
#
# A token enters as the sum of three vectors: the embedding of its word, the **position embedding** of where it stands in the row, and the **segment embedding** of its sentence (section 4). Then come blocks, in which every token reads all others by attention (lesson 04).
#
# What happens there? In lesson 04 a decoder looked back at the encoder's states: a dot product scored each state, a softmax made weights of the scores, and the weights mixed the states. Here the sentence looks at **itself**. Think of a room full of people. Each wears a badge, says what it is looking for, and has something to tell. Each compares what it looks for with every badge, and takes home a mixture of what all others tell, most from those that fit best. So in *the [MASK] was open*, the blank can ask for what stands after it and take home a little of *open*. Three learnt linear layers make question, badge and message from each token's state. Nobody waits for a neighbour, as an LSTM must: left and right are one step away, and all tokens look at once. Only padding is closed.
#
# A block adds what was found to the token's state, then passes each state by itself through a small network of two layers. That is PyTorch's `nn.TransformerEncoderLayer`. You may take it as it is: a table of states (B, T, D) goes in, one of the same shape comes out, and every state has read both sides. In lesson 13 you write it yourself. At the top, a state's score for a word is the dot product with that word's own vector.
#
# `model(inputs, mask, segments)` gives the states (B, T, D), and `model.scores(states)` the scores (..., V).

# %% [markdown] exercise="train_blanks" slide="subslide"
# ### Exercise 2. Learn from the blanks
#
# Write `train_blanks(model, batches, corrupt, optimizer)`. A batch is `(ids, mask, segments)`; `corrupt(ids)` gives what is read and what is asked. For every batch take one step that lowers the mean of $-\log p(w_t)$ over the positions that are asked for. Return the list of these means, as plain numbers.
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
# Now train yours, on short sentences of the news that comes with gensim (Lee): 1,000 words, one block, states of 64 numbers. Its size apart, two things differ from BERT. The position embeddings begin as **sinusoidal** ones (waves: sines and cosines), so that neighbours begin alike. And we ask for 30 words in 100; what 15 in 100 costs follows below. The optimizer is Adam; its learning rate rises in the first steps (a warm-up) and falls to zero. `[CLS]` and `[SEP]` stand at the ends of a row (section 4).
#
# Write two sentences of your own in `MINE`, of words that the news might use, with a `[MASK]` in each.

# %% [markdown] deck="printed" lines="2-9"
# ## Your loop, before and after 3,000 batches
#
# minutes: 2
#
# say: A thousand words, one block, states of 64 numbers, on the news that comes with gensim. Before training every blank has the same guesses. After it: states, minister, acquitted. And *have have the game*: it is small.
#
# ask: Which of these answers could a count of pairs give as well?
#
# expect: "None." *The united states, prime minister*: pairs of neighbours know these.
#
# skip: Read the first two. Live: it takes a minute or more to train; show the stored lines.

# %%
train_blanks = or_reference("train_blanks", train_blanks)
TEXT = both_sides.news()
WORDS = both_sides.masked_vocabulary(TEXT, 1_000)
V, STEPS = len(WORDS), 3_000
MINE = ["police said the man was [MASK] .", "they have [MASK] the game ."]  # change me
SENTENCES = ["the united [MASK] .", "the prime [MASK] says he is happy .", *MINE]


def blanked(share):
    """Your corruption, with this share."""
    return lambda ids: corrupt(ids, V, share)


def train(steps, asks, seed=0, side="both"):
    """A small model, trained by your loop on 32 sentences a step; `asks` stands for `corrupt`."""
    torch.manual_seed(seed)
    options = MaskedLMOptions(V, dim=64, heads=4, layers=1, longest=32)
    model = MaskedLM(options, block_for(side))
    optimizer = ScheduledAdam(model.parameters(), 3e-3, steps)
    batches = both_sides.clean_batches(TEXT, WORDS, progress_bar(range(steps)), seed)
    losses = train_blanks(model, batches, asks, optimizer)
    return model, losses


fresh, _ = train(0, blanked(0.3))
before = [fill(fresh, WORDS, sentence, 3)[0] for sentence in SENTENCES]
trained, losses = train(STEPS, blanked(0.3))
for sentence, guess in zip(SENTENCES, before, strict=True):
    print(f"{sentence:38} before: {guess}")
    print(f"{'':38} after:  {fill(trained, WORDS, sentence, 3)[0]}")

# %% [markdown]
# Your loop's means, smoothed over 100 batches:

# %% slide="subslide"
figures.loss_curve(losses)

# %%
blanks, (early, _) = single_blanks(TEXT, WORDS), train(200, blanked(0.3))
for steps, model in {200: early, STEPS: trained}.items():
    share = float((blanks.first_choices(model) == WORDS.id("the")).mean())
    print(f"After {steps:,} steps *the* is its first choice in {share:.0%} of the held-out blanks.")

# %% [markdown]
# At first it learns which words are common: the loss falls fast, and most blanks are filled with *the*. The rest it must learn from the neighbours, through its attention, which takes much longer.
#
# But for words side by side no network is needed: count how often one word follows another, and multiply the probabilities given by the two neighbours.

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: So no network is needed for words side by side: count how often one word follows another, and multiply what the two neighbours say. Which counts does this network beat on held-out blanks?
#
# ask: The poll.
#
# expect: "Both: it reads the whole sentence." Counting knows from the start that neighbours matter. The network has to find that out.
#
# skip: Show the bars.

# %%
choices = ["none", "of words", "of words and of pairs on both sides"]
predict("yours", "Which counts does your model beat on held-out blanks?", options=choices)

# %% [markdown] deck="figure"
# minutes: 2
#
# say: Nats for the right word: lower is better. Counts of pairs 3.9, the network 4.2; the interval of the difference reaches from minus 0.47 to zero. On its own sentences the network has 2.8: of what it learnt late, much holds for these sentences alone.
#
# ask: What would you change to let the network win?
#
# expect: "Train longer." It has learnt its sentences by heart already: give it more text.
#
# skip: Say the title.

# %% slide="subslide"
nats = blanks.nats_of_counts(TEXT, WORDS) | {"yours": blanks.nats(trained)}
points = {name: blanks.interval(cost) for name, cost in nats.items()}
figures.blank_bars(points, title="Blanks in held-out news: your network and what counting can do")

# %%
of_words, of_pairs, own = nats.values()
gain = blanks.interval(of_pairs - own)
print("Pairs less yours, nats: {mean:+.2f} ({low:+.2f} to {high:+.2f})".format(**gain))
print(f"Yours: {np.mean(losses[-100:]):.1f} nats on its own sentences, {own.mean():.1f} on others")
outcome("yours", choices[2 if gain["low"] > 0 else int(own.mean() < of_words.mean())])

# %% [markdown]
# Your network does not beat the pairs of neighbours. Counting knows from the start that neighbours matter, and twelve hundred sentences are few: of what your network learnt late, much holds for its own sentences alone.
#
# ### A larger one
#
# The package has a larger masked model: three blocks of 256 numbers and 10,000 words, trained by `python -m elmo_mini pretrain-masked` with a loop like yours. It has read what the course's biLM read, in the same number of steps ([its card](../../elmo_mini/data/larger_masked_lm/README.md)), and is about as large: 5.0 million weights against 4.8. Half of its weights are word vectors, which the biLM makes from letters. One core trained it in 24 minutes; the biLM took 92. It has read novels, film reviews and speeches; yours has read news.

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
large, large_words = load_masked_lm()
for sentence in ["she opened the [MASK] and went in .", "two [MASK] ago we left .", *MINE]:
    print(f"{sentence:40} {fill(large, large_words, sentence, 4)[0]}")

# %% [markdown]
# Does it pass the test of section 1? A linear reader of its top layer, at the same word, is asked for the noun's number (`left`), the verb's (`right`), and whether they agree. The last line asks this of the sentences that the reader has learnt from.

# %%
before = agreement.unread_reader(large, large_words)
for question, share in agreement.masked_reader(large, large_words).items():
    print(f"{question:23} {share:4.0%}   networks that have read nothing {before[question]:4.0%}")

# %% [markdown]
# The model's reading has joined noun and verb: of the sentences that it learnt from, the linear reader judges far more than 75 in 100 rightly, which no sum of ELMo's halves allows. With new nouns little of that is left, about six in ten. At this word the model has not always kept the noun's number. (The verb stands next door: networks that have read nothing find it, too.)

# %% [markdown] slide="subslide"
# ### How often does real text ask for both?
#
# What of real sentences? We trained networks like yours, for as many steps, from five starts, on 6,400 short sentences of Brown. In some a token reads only to its **left**, in some only to its **right**. Each held-out blank is filled from the left, from the right, from both sides at once, and from the **product** of two separate models, a kind of **product of experts**:
#
# $$p(w) \propto \frac{p(w \mid \text{left})\; p(w \mid \text{right})}{p(w)}$$
#
# It is divided by the word's own probability, which would otherwise count twice.

# %% [markdown] deck="poll"
# minutes: 2
#
# say: Back to the question: what do both sides at once bring on real text? The rival is fair: two separate models, one for each side, their probabilities multiplied and divided by the word's own. A product of experts. It is what ELMo's users can do afterwards.
#
# ask: The poll. How much will lie between them?
#
# expect: "Both at once, by far." It is ahead. Look at how much.
#
# skip: Vote only.

# %%
choices = ["the product", "both at once"]
predict("product", "What loses less on real text?", options=choices)

# %% [markdown] deck="figure"
# ## Both at once is far ahead of each side, and hardly of their product
#
# minutes: 3
#
# say: Brown, five starts, nats for the hidden word. From the left 4.19, from the right 3.91, product 3.55, both at once 3.48. So 0.06 nats between the last two, interval 0.01 to 0.12. Most of what the two sides know of a blank can be joined afterwards.
#
# ask: Why then did BERT win everywhere?
#
# expect: "Because of the joint reading." It was larger, had read more, was fine-tuned as a whole. The paper argues for joint reading; no table of it trains ELMo's way.
#
# skip: Left, right, both.

# %% slide="subslide"
BLANKS = stored_result("both_sides_blanks")
figures.side_bars(BLANKS.numbers["nats"])

# %%
print(BLANKS)
print("More nats than both at once; 95 %, sentences and starts drawn anew:")
for name, found in BLANKS.numbers["less_both"].items():
    more = found["over_sentences_and_seeds"]
    print(f"  {name}: " + "{mean:+.2f} ({low:+.2f} to {high:+.2f})".format(**more))
print("Twice the other's chance for the right word; 95 %, Student's t over the five starts:")
for name in ("both_twice_as_sure_as_product", "product_twice_as_sure_as_both"):
    share = "in {mean:.1%} of the blanks ({low:.1%} to {high:.1%})".format(**BLANKS.numbers[name])
    print(f"  {name.replace('_', ' ')}: {share}")
outcome("product", choices[int(more["mean"] > 0)])

# %% [markdown]
# On another text, with five times your sentences, the network is well ahead of the pairs, and of either side alone. Against the product of experts, which has two networks, it gains little: most of what the two sides know of a blank can be joined afterwards, as ELMo's users do. In about one blank of six, both at once gives the right word twice the product's probability; in one of seven it is the other way round. So each is often the surer one; both at once is ahead in only 3 or 4 more blanks of a hundred. (The figure's whiskers are over the five starts alone.)
#
# The paper argues for joint reading (section 5.1); no table of it trains ELMo's way.

# %% [markdown]
# ### What asking for 15 in 100 costs
#
# A forward language model learns from **every** word that it reads, BERT from 15 in 100. Three networks, trained on the news, see only what stands to the left. The first is asked at every position for the next word, the second at 15 positions in 100. The third fills blanks, 15 in 100. Your loop trains them all, from the same two starts: only what stands for `corrupt` differs.

# %% [markdown] deck="poll"
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
choices = ["under 0.1 nats", "0.1 to 1 nat", "over 1 nat"]
predict("share", "How much worse is the second than the first?", options=choices)

# %% [markdown] deck="figure"
# ## What asking for 15 words in 100 costs
#
# minutes: 2
#
# say: After 300 batches 0.36 nats, and a blank costs about as much again: a reader of the next word stands beside it, a blank must find its neighbour. Two starts are few, so both intervals are too narrow. In the paper the masked model converges a little more slowly.
#
# ask: What happens to the first one's lead after 600 rounds?
#
# expect: "It grows." On so little text it begins to learn by heart. They try it.
#
# skip: Say the first difference.

# %% slide="subslide"
ROUNDS = 300  # change me
ASKED = {
    "next word, all": both_sides.next_words,
    "next word, 15 in 100": lambda ids: both_sides.next_words(ids, 0.15),
    "blank, 15 in 100": blanked(0.15),
}
nats = {}
for name, asks in ASKED.items():
    runs = [train(ROUNDS, asks, seed, "left") for seed in (1, 2)]
    nats[name] = np.stack([blanks.nats(model, int("next" in name)) for model, _ in runs])
    print(f"{name:20} {np.mean([told[-50:] for _, told in runs]):.1f} nats on its own sentences")
points = {name: blanks.interval(cost) for name, cost in nats.items()}
figures.blank_bars(points, title="A held-out word from what stands to its left (two runs each)")

# %%
every, few, hidden_few = nats.values()
cost = blanks.interval(few - every)
says = "{mean:+.2f} nats ({low:+.2f} to {high:+.2f}, sentences and starts drawn anew)"
print("Asked for few and not for all:", says.format(**cost))
print("At a blank and not before it: ", says.format(**blanks.interval(hidden_few - few)))
outcome("share", choices[int(cost["mean"] > 0.1) + int(cost["mean"] > 1)])

# %% [markdown]
# After 300 rounds, asking for fewer words has a price, and the blank costs about as much again. (Two starts are few: both intervals are too narrow.) One reason may be that a reader of the next word stands beside it, while a blank must find its neighbour. And its context has holes. (Neither was tested.)
#
# **Change one thing:** give them 600 rounds. What becomes of the first one's lead? Its loss on its own sentences tells why.
#
# In the paper the masked model converges a little more slowly than one that reads from left to right. Yet on MNLI, the one task shown, it is ahead almost at once (appendix C.1, figure 5).

# %% [markdown] slide="slide"
# ## 3. Three broken runs
#
# Four runs of 200 batches. One is sound. A, B and C have one fault each, from this list.
#
# 1. the model reads the words as they were before any was hidden
# 2. the model is asked for what it reads at the chosen positions
# 3. the model is asked for every word
# 4. the model has no position embeddings
# 5. the learning rate is a hundred times too small
# 6. the mask of the words is turned round: attention goes to the padding
#
# You see the loss that each run reports of itself, and the loss of true blanks in held-out sentences. Three more numbers follow:
#
# - *moves by*: how far the state of a blank moves when the other words of its sentence change places (up to 1e-4 is rounding),
# - *repeats*: how many of the words in sight the model answers with themselves,
# - *answers [MASK]*: how many of the blanks it answers with `[MASK]`.

# %% [markdown] deck="figure"
# ## Three broken runs: what does a loss of 0.7 say?
#
# minutes: 2.5
#
# say: Two bars a run: the loss that it reports of itself, and the loss of true blanks in held-out sentences. A and C report a splendid loss. Both have the answer in sight, in one way or another: one of them is asked for every word, or for what it reads, or reads the words before they were hidden. Exercise 3 has more symptoms. B is quiet: it does not move when words change places.
#
# ask: Which bar do you look at first?
#
# expect: "The loss." A loss says something only of the question that was asked.
#
# skip: Say that A and C see the answer.

# %% slide="subslide"
seen = planted.every_run(TEXT, WORDS, 200)
reported = {name: s.training for name, s in seen.items()}
figures.run_bars(reported, {name: s.blanks for name, s in seen.items()})

# %%
for name, s in seen.items():
    print(f"{name:>5}: moves by {s.moved:.0e}, repeats {s.own:.0%}, answers [MASK] {s.mask:.0%}")

# %% [markdown] exercise="broken_blanks"
# ### Exercise 3. Three broken runs
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
# outline: Compare the second bar of the two low runs with the sound run's. A model that was asked for what it reads would answer `[MASK]` to a blank: does one of them? The third broken run has losses like the sound one's: look at the number that depends on the order of the words.

# %% [markdown] model_answer="broken_blanks"
# **A** is asked for every word (3): five in six stand in sight, so it repeats them and reports a low loss, but it has met blanks too and fills them about as well as the sound run. **B** has no position embeddings (4): its losses hardly show it, but a blank's state does not move when the other words change places. **C** never saw a blank (1): its report is good, and its blanks cost it more than a blind guess among all words would (6.9 nats). Asked for what it reads (2), it would have learnt to answer `[MASK]`, and it does not. A loss means something only for the question that it was asked.

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
# `[CLS]` is a position for what concerns the whole row, `[SEP]` ends a sentence. A token enters as the sum of its three vectors: word, position embedding, segment embedding. All are learnt (`nn.Embedding`), BERT's positions from random numbers, ours from sinusoidal ones. BERT has 512 positions, ours 32. In all this BERT is a pretrained encoder and has no decoder (lesson 13).

# %% [markdown] deck="words"
# ## The second question: does this sentence follow that one?
#
# Half of the pairs are true; in the other half the second sentence is drawn at random.
#
# . . .
#
# The best judge of pairs scores by $\log \dfrac{p(a, b)}{p(a)\,p(b)} + \log \dfrac{1 - f}{f}$
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
# BERT learns a second question from raw text, **next-sentence prediction**: does the second sentence follow the first? In one half of the pairs it does. In the other half it was drawn at random.
#
# Is that negative sampling? In lesson 01 a true pair of words stood against $k$ false ones, and the best score of a pair was its pointwise mutual information less $\log k$. Here sentences take the place of words, and a share $f$ of the pairs is false.

# %% [markdown] exercise="best_log_odds"
# ### Exercise 4. The best judge of pairs (derive it)
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

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"BERT uses negative sampling, for sentences in place of words."*
#
# Your formula decides. Take sentences that know nothing of each other: $p(a, b) = p(a)\,p(b)$.

# %% [markdown] deck="poll"
# - 0
# - −log 5
# - +log 5
# - it depends on the sentences
#
# minutes: 1.5
#
# say: "BERT uses negative sampling, for sentences in place of words." Take sentences that know nothing of each other, and five false pairs for each true one.
#
# ask: The poll.
#
# expect: "It depends." They know nothing of each other, so only the shift is left: minus log five, as in word2vec. A cousin, and not the same: BERT reads the pair jointly, has no k, and the paper never speaks of it.
#
# skip: Leave it out.

# %%
predict("shift", "For each true pair, five false ones. What log odds does every pair get?")

# %%
unrelated = np.outer([2.0, 3.0], [4.0, 1.0])
for share in (1 / 2, 5 / 6):
    print(
        f"share of false pairs {share:.2f}: log odds {best_log_odds(unrelated, share)[0, 0]:+z.2f}"
    )
outcome("shift", float(best_log_odds(unrelated, 5 / 6)[0, 0]), factor=1.15)

# %% [markdown]
# **A cousin, not the same.** With one false pair for each true one, the best score is the pointwise mutual information of the two sentences. With five, subtract $\log 5$, as in lesson 01. But word2vec scores a pair by a dot product of two separate vectors. BERT reads the pair **jointly**, has no $k$ and no exponent for the noise, and the paper never speaks of negative sampling.

# %% [markdown] deck="words"
# ## What to take home
#
# - What depends on left and right together is **not in a sum** of the halves.
# - On real text both at once beat each side by far, and their product by a little.
# - A loss says something only of the **question that was asked**.
# - Asked for 15 words in 100, a model learns more slowly at first.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 2, 3 and 4. Next time we write the block ourselves.
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
# - On real text both sides at once beat each side by far, and the product of the two by a little.
# - A loss says something only of the question that was asked. Where the answer is in sight, it says nothing.
# - Masked language model, a cloze test: 15 in 100 words are asked for, so it learns more slowly at first. Of 100 of these, 80 are hidden, 10 swapped, 10 left.
# - Word, position and segment embeddings are added; `[CLS]` and `[SEP]` frame the sentences.
# - Next-sentence prediction: the best judge of pairs scores by mutual information, shifted by the share of false pairs.

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
# Each section stands alone: pairs of sentences with two exercises (35 minutes), what the states are worth (6), readers that meet (4), and BERT's heads, which need the pairs (4).
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
judged = sentence_pairs(next_sentences.pages(), np.random.default_rng(0))
predicted = {
    "shared words": next_sentences.shared_words(judged),
    "the larger model": next_sentences.predicted_by(large, large_words, judged, pack),
}
figures.judge_bars(next_sentences.accuracies(judged, predicted), next_sentences.commoner(judged))

# %% [markdown]
# The line is what you get by giving the commoner answer each time. The first judge has no model at all: *true, if they share more words than most pairs do*. The larger model was trained on this very question, and is not clearly better. RoBERTa later left next-sentence prediction out, and the scores stayed or rose slightly (its section 4.2).

# %% [markdown] slide="slide"
# ## 6. What are its states worth?
#
# Masked models like the larger one and biLMs like the course's are asked what lesson 09 asked: the senses of four words, then parts of speech. The controls: networks that have read nothing, layer 0, and random vectors of the word and its three neighbours on each side.

# %% slide="subslide"
SENSES = stored_result("masked_layers_senseval")
figures.layer_bars(
    SENSES.numbers["rows"],
    title="Senses of four words: both top layers narrowly beat the neighbours (stored)",
)

# %%
TAGS, KNOWN = stored_result("masked_layers_pos"), stored_result("masked_layers_pos_known")
pairs = [
    ("masked, layer 3", "biLM, layer 2"),
    ("biLM, layer 0", "masked, layer 3"),
    ("masked, layer 3", "masked, layer 0"),
    ("masked, layer 1", "masked, layer 0"),
    ("masked, layer 3", "masked, untrained, layer 3"),
    ("biLM, layer 2", "biLM, untrained, layer 2"),
    ("masked, layer 3", "neighbours"),
    ("biLM, layer 2", "neighbours"),
]
print("Five starts of each. In ( ): over starts and sentences. In [ ]: over the starts alone.")
for result in (SENSES, TAGS, KNOWN):
    print(result.title)
    for ours, theirs in pairs:
        gain = result.numbers["differences"][f"{ours} less {theirs}"]
        print(f"  {ours} less {theirs}: {lead_twice(gain)}")

# %% [markdown]
# **Senses:** the biLM's top layer is 1.7 points ahead of the masked model's (0.1 to 3.2). Reading taught both far more: 18 points to the masked model, 14 to the biLM, over networks that have read nothing. But the random vectors of a few neighbours come within 3.3 points of the one and 5.0 of the other.
#
# **Parts of speech:** the biLM is far ahead, and so is its layer 0, which sees no neighbour. It reads letters, and a word's letters tell much about its part of speech. The masked model reads whole words in lower case and knows 10,000. The last list keeps to words that it knows, without capitals. The lead shrinks but stays: there its top layer is only two points above its layer 0, its best layer three and a half. And the biLM's letters alone are nine points ahead of that top layer. How a model reads its words can weigh more than which side it reads them from. A BERT of your own would begin with pieces of words, as BERT does.
#
# (Five starts of each model, the larger one and the biLM that you have used among them. All had the same text and the same number of steps. Each start learns from examples of its own, and all are asked about the same words.)

# %% [markdown] slide="slide"
# ## 7. Readers that meet
#
# Lesson 07 had two layers of `nn.LSTM(bidirectional=True)`, deeply bidirectional in the wrong way. Does more depth copy better still? We have trained that class on Brown's short sentences, five times at each depth.

# %%
choices = ["1", "2", "3"]
predict(
    "deeper", "Held-out loss of bidirectional=True: lowest with how many layers?", options=choices
)

# %% slide="subslide"
LEAK = stored_result("both_sides_leak")
nats = LEAK.numbers["nats"]
figures.leak_bars(nats)

# %%
print(LEAK)
for name in ("untrained", "never meet", "meet, 2 layers", "masked"):
    tags = LEAK.numbers["tags"][name]
    print("tags from the states, {0}: {mean:.0%} ({low:.0%} to {high:.0%})".format(name, **tags))
outcome("deeper", min(choices, key=lambda n: nats[f"meet, {n} layer" + "s" * (n > "1")]["mean"]))

# %% [markdown]
# With one layer nothing leaks: each half has read its own side, and it does as well as two readers that never meet. With two layers the answer stands before the model, on held-out text too. With three it copies, too, but less well so far; it may only need more steps.
#
# What are the states of two layers that meet worth to a tagger? Less than those of a network that has read nothing. The same holds for readers that never meet, and a masked network's are worth no more than unread ones. Runs this short tell nothing about features.

# %% [markdown] slide="slide"
# ## 8. Four kinds of task, four small heads
#
# The model stays the same whatever the task (the paper's figure 4). On top comes one linear layer, called a **task head** (no relation to the heads of attention). For a sentence or a pair it reads `[CLS]`, for tags every token. For an answer in a text it gives two numbers for every token: one for the start, one for the end. No task network, no CRF, no pointer network. (Two classifiers for the two ends were not new: DrQA's reader, of 2017, has them.) Here they stand, untrained, on your model and two of your pairs.

# %% slide="subslide"
ids, mask, segments = padded(next_sentences.packed(judged[:2], WORDS, pack, 32))
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
