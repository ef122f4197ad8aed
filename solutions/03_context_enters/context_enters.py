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

# %% [markdown] slide="slide"
# # 03 · Context enters
#
# Lesson 02 ended at a wall: one vector for every word, whatever the sentence. Here a network reads the sentence, and the vector changes with it. It reads from the left only. So a second network reads from the right. Together the two are context2vec, two years before ELMo.

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("03")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - feed running text to an LSTM language model: rows, windows, and targets shifted by one,
# - write its loss under a mask, and turn losses into a perplexity,
# - show what its hidden state knows of the sentence, and what it cannot know,
# - build context2vec's view of a place: both sides, and never the word itself.
#
# ## The paper
#
# **context2vec**: Melamud, Goldberger and Dagan, *context2vec: Learning Generic Context Embedding with Bidirectional LSTM*, CoNLL 2016 (K16-1006).
#
# The lesson takes about an hour and three quarters with everything in it; the exercises are 45 minutes of that. Short of time? Exercises 2, 3 and 5 are the spine. Exercises 1 and 4 can wait: the lesson goes on without them, and they keep their points.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $N$ | words in a text | $h_t$ | the hidden state after word $t$ |
# | $V$ | words in the vocabulary | $c_t$ | the LSTM's second page after word $t$ |
# | $B$ | rows, or sentences, side by side | $H$ | numbers in a state |
# | $L$ | words in a row | $\mathcal{L}$ | the loss, in nats a word |
# | $T$ | words in a window or a sentence | $g$ | context2vec's vector of a place |
# | $w_t$ | the word at place $t$ | $v'_w$ | the output vector of the word $w$ |
# | $k$ | noise words for each place | $\sigma$ | the sigmoid function |

# %% [markdown] instructor=true
# **Instructor.** Timing for 90 minutes: sections 1 and 2 together, 55 (exercises 1 to 4); sections 3 and 4, 35. For 60 minutes: show exercises 1 and 4 solved, let them do 2, 3 and 5. Two places where people get stuck: in exercise 2 the word between two windows, and in exercise 5 the direction of the right-to-left reader. Draw five words on the board for both.

# %%
import itertools

import numpy as np
import torch
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict
from elmo_mini import corpora
from elmo_mini.figures.diagrams import Arrow, Box, boxes_and_arrows
from elmo_mini.progress import progress_bar
from elmo_mini.recurrent.language_model import LSTMLanguageModel
from elmo_mini.results.stored import stored_result
from elmo_mini.text.running_text import text_stream, word_vocabulary

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

text = corpora.course_text()


def short_sentences(part, most):
    """Sentences of 5 to 25 words of one part of the text, in lower case."""
    found = (s for s in text.split(part).sentences(lower=True) if 5 <= len(s) <= 25)
    return [sentence for sentence, _ in zip(found, range(most), strict=False)]


train, held_out = short_sentences("train", 12_000), short_sentences("dev", 1_500)
vocabulary = word_vocabulary(train, max_size=2_000)
print(f"{len(train):,} sentences to learn from, {len(held_out):,} held out; here are two:")
for sentence in held_out[:2]:
    print("   ", " ".join(sentence))

# %% [markdown] slide="slide"
# ## 1. A reader who bets on the next word
#
# Cover the end of this sentence with your hand: *The doctor washed her …*. You expect *hands*. You would not bet on *giraffe*, and not on *of* either. To bet well you used grammar, the meaning of *doctor* and *washed*, and some knowledge of the world. Nobody gave you labels for that. Text was enough.
#
# A **language model** is a machine that makes such bets. It gives every word of the vocabulary a probability of coming next. Bets on single words multiply to the probability of the whole text:
#
# $$p(w_1, \dots, w_N) = \prod_{t=1}^{N} p(w_t \mid w_1, \dots, w_{t-1})$$
#
# This is the **chain rule**, and it is exact. The hard part is the growing condition on the right: the model must keep all that it has read.
#
# An **LSTM** keeps it on one page. Think of a reader with a notebook that has a single page of $H$ numbers. After each word the reader crosses some things out, writes some things down, and turns to the next word. All bets are made from the page alone. The page after word $t$ is the **hidden state** $h_t$.
#
# To be exact, the reader has a second page, $c_t$, for private notes: what goes to $h_t$ is chosen from it. The code carries both along, as `(h, c)`. The bets, and the vectors of this lesson, come from $h_t$.

# %% slide="subslide"
WORDS, SAID = ["</s>", "the", "doctor", "washed"], ["the", "doctor", "washed", "her"]
boxes, arrows = [], []
for step, (word, said) in enumerate(zip(WORDS, SAID, strict=True)):
    boxes += [
        Box(f"word '{word}'", step, 0, text=word),
        Box(f"embedding {step}", step, 1, "word vectors", "vector"),
        Box(f"state {step}", step, 2, "LSTM", f"state {step}"),
        Box(f"softmax {step}", step, 3, "softmax over the vocabulary", "softmax"),
        Box(f"bet on '{said}'", step, 4, text=f"{said}?"),
    ]
    column = boxes[-5:]
    arrows += [Arrow(a.name, b.name) for a, b in itertools.pairwise(column)]
    if step:
        arrows.append(Arrow(f"state {step - 1}", f"state {step}"))
boxes_and_arrows(
    boxes, arrows, title="A language model reads a word and bets on the next", height=4
)

# %% [markdown]
# Two things to see in the picture. The state moves from left to right, so it knows the words **so far** and nothing else. And the state that has just read *doctor* bets on *washed*: input and target are one place apart.
#
# `</s>` is the boundary between sentences. It lets the model bet on the first word, and on the end.
#
# ### Feeding it a book
#
# One reader needs a million steps for a book of a million words. So tear the book into 16 parts, hire 16 readers, and let all of them read their part at the same time. Each reader must get **one stretch** of the text. Whoever deals out the words like cards gives every reader nonsense.

# %% [markdown] exercise="stream_rows"
# ### Exercise 1. A long text in parallel rows
#
# Write `stream_rows(stream, rows)`. `stream` is a tensor of N word ids, the whole text in one row. Return a tensor of shape (`rows`, N // `rows`). Row 1 goes on where row 0 ends, and so on. What is left at the end of the text is dropped.


# %% exercise="stream_rows"
def stream_rows(stream, rows):
    """The text (N,) cut into (rows, N // rows): each row is one stretch of it."""
    ### BEGIN SOLUTION
    length = len(stream) // rows
    return stream[: rows * length].view(rows, length)
    ### END SOLUTION


# %% check="stream_rows"
check("stream_rows", stream_rows)

# %% [markdown] hints="stream_rows"
# nudge: How long is each row? With which id of the text does row 1 begin?
#
# idea: Cut the text to a length that the rows fill exactly. `view` then fills a table row by row, in the order of the text.
#
# outline: `length = len(stream) // rows`; take `stream[: rows * length]`; `.view(rows, length)`.

# %% [markdown] model_answer="stream_rows"
# `view` fills the table row by row, so each row is one stretch of the text. It needs a length that the rows fill exactly, hence the cut.

# %%
stream_rows = or_reference("stream_rows", stream_rows)

stream = text_stream(train, vocabulary)
outside = float((stream == vocabulary.encode(["<unk>"])[0]).float().mean())
print(f"The stream: {len(stream):,} ids; {outside:.0%} of them are <unk>.")
for row in stream_rows(stream, 16)[:4]:
    print("  ", " ".join(vocabulary.decode(row[:11].tolist())), "…")

# %% [markdown] slide="subslide"
# `<unk>` stands for all words outside our vocabulary of 2,000: a small lesson needs a small softmax.
#
# Sixteen readers, and each part is still long. To learn from ten thousand steps at once, the gradient would have to remember every one of them. So the rows are cut into **windows** of, say, 24 words. The model learns after each window, keeps its state, and goes on with the next one.
#
# In each window it reads the **inputs** and is asked for the **targets**: the same text, one place further on.

# %% [markdown] exercise="next_word_windows"
# ### Exercise 2. What is read, and what is to be said
#
# Write `next_word_windows(rows, width)`. `rows` has shape (B, L). Return a list of pairs `(inputs, targets)` of tensors in the order of the text, each of shape (B, `width`). The last pair may be shorter.
#
# The target of a word is the next word of its row. Every word of a row is a target exactly once, except the first, which nothing comes before.


# %% exercise="next_word_windows"
def next_word_windows(rows, width):
    """[(inputs, targets), ...], each (B, width); targets are one place ahead."""
    ### BEGIN SOLUTION
    inputs, targets = rows[:, :-1], rows[:, 1:]
    return list(zip(inputs.split(width, 1), targets.split(width, 1), strict=True))
    ### END SOLUTION


# %% check="next_word_windows"
check("next_word_windows", next_word_windows)

# %% [markdown] hints="next_word_windows"
# nudge: Take the row *a b c d e f g* and the width 3. Which word is asked for after *c*? In which window?
#
# idea: Shift first, cut afterwards. `rows[:, :-1]` has every word that something comes after; `rows[:, 1:]` has what comes after it. Cut both at the same places.
#
# outline: `inputs, targets = rows[:, :-1], rows[:, 1:]`. `inputs.split(width, 1)` and `targets.split(width, 1)` give the windows. `zip` them into a list of pairs.

# %% [markdown] model_answer="next_word_windows"
# The shift comes before the cut. So the last target of a window is the first input of the next one, and no word between two windows is lost.

# %%
next_word_windows = or_reference("next_word_windows", next_word_windows)

windows = next_word_windows(stream_rows(stream, 16), 24)
inputs, targets = windows[0]
print(f"{len(windows)} windows of shape {tuple(inputs.shape)}. In the first row of the first one:")
for read, asked in zip(inputs[0, :6].tolist(), targets[0, :6].tolist(), strict=True):
    print(f"   reads {vocabulary.word(read):>10}, is asked for {vocabulary.word(asked)}")

# %% [markdown] slide="slide"
# ## 2. How wrong is a bet?
#
# A bookmaker who gave the winner a chance of 1 in 2 is hardly surprised. One who gave it 1 in 1000 is. The surprise of a bet is $-\log p$ of what came: 0 for certainty, and large for what was thought impossible. The logarithm is the natural one, so surprise is counted in **nats**; one nat is 1.44 bits. The loss of a language model is its mean surprise per word:
#
# $$\mathcal{L} = -\frac{1}{N}\sum_{t} \log p(w_t \mid w_1, \dots, w_{t-1})$$
#
# With sentences of different length side by side, the shorter ones are filled up with padding. Nobody said anything there, so nobody may be surprised there. A **mask** tells which places are real.

# %% [markdown] exercise="masked_cross_entropy"
# ### Exercise 3. The loss of real words
#
# Write `masked_cross_entropy(logits, targets, mask)`:
#
# - `logits` (B, T, V): a score for each word of the vocabulary, before the softmax,
# - `targets` (B, T): the ids that came,
# - `mask` (B, T): True at real words, False at padding.
#
# Return the mean of $-\log p$ over the real words, as a tensor that autograd can follow back. It must also work with logits of a thousand.


# %% exercise="masked_cross_entropy"
def masked_cross_entropy(logits, targets, mask):
    """Mean of -log p(target) over the places where mask is True."""
    ### BEGIN SOLUTION
    return functional.cross_entropy(logits[mask], targets[mask])
    ### END SOLUTION


# %% check="masked_cross_entropy"
check("masked_cross_entropy", masked_cross_entropy)

# %% [markdown] hints="masked_cross_entropy"
# nudge: Over how many places does your mean run? And over which axis does your softmax run?
#
# idea: Choose the real places first: `logits[mask]` has shape (real words, V), `targets[mask]` (real words,). Then every place counts, and every place counts the same.
#
# outline: `torch.nn.functional.cross_entropy(logits[mask], targets[mask])` takes the softmax, the logarithm, the minus sign and the mean. By hand: `log_softmax(-1)`, `gather` the targets, choose by the mask, minus the mean.

# %% [markdown] model_answer="masked_cross_entropy"
# The real places are chosen first, so the mean runs over them alone. Padding takes part neither in the sum nor in the count.

# %% [markdown] slide="subslide"
# A loss of 4.6 nats says little to the ear. Its exponential does: $e^{4.6} \approx 100$. The model hesitates as much as if it had to throw a fair die with 100 sides. This number is the **perplexity**. A fair six-sided die has perplexity 6, and a model that is always certain and always right has 1.
#
# $$\text{perplexity} = \exp(\mathcal{L})$$

# %% [markdown] exercise="perplexity"
# ### Exercise 4. How many words it hesitates between
#
# Write `perplexity(losses, tokens)`. `losses` has the mean loss of each batch in nats a token, `tokens` how many tokens each batch had. Return the perplexity over **all** tokens, one number: a float, no tensor.


# %% exercise="perplexity"
def perplexity(losses, tokens):
    """exp of the mean loss of all tokens; batches may differ in size."""
    ### BEGIN SOLUTION
    nats = sum(loss * count for loss, count in zip(losses, tokens, strict=True))
    return float(np.exp(nats / sum(tokens)))
    ### END SOLUTION


# %% check="perplexity"
check("perplexity", perplexity)

# %% [markdown] hints="perplexity"
# nudge: One batch has 3 tokens, another 300. Should they weigh the same? And what comes first, the mean or the exp?
#
# idea: A mean loss times its number of tokens is the sum of all surprises in the batch. Add those up over the batches, divide once by all tokens, take exp once.
#
# outline: `nats` = sum of `loss * count` over the batches; return `np.exp(nats / sum(tokens))`.

# %% [markdown] model_answer="perplexity"
# Each mean is turned back into a sum before the batches are added, so every token weighs the same. `exp` comes last, and once.

# %% [markdown] slide="subslide"
# Your four functions are a language model's whole training, apart from the network; the cell after next runs on them. Running text in rows has no padding, so there the mask is True everywhere. Sentences side by side, as in lesson 04, need it.
#
# Before it starts, meet two opponents that know no context. One throws a die with a side for every word. The other knows how **frequent** each word is, and makes the same bet at every place.

# %%
held_out_stream = text_stream(held_out, vocabulary)
counts = np.bincount(stream.numpy(), minlength=len(vocabulary))
chances = (counts + 1) / (counts + 1).sum()
surprises = -np.log(chances[held_out_stream[1:].numpy()])
reached = {"a die": float(len(vocabulary)), "frequencies": float(np.exp(surprises.mean()))}
for opponent, value in reached.items():
    print(f"{opponent}: perplexity {value:,.0f} on held-out text")

# %%
predict("lm_perplexity", "Which perplexity will the LSTM have on the held-out text?")

# %%
masked_cross_entropy = or_reference("masked_cross_entropy", masked_cross_entropy)
perplexity = or_reference("perplexity", perplexity)

PASSES = 1 if text.name == "brown" else 4  # a small text is read more often
torch.manual_seed(0)
model = LSTMLanguageModel(len(vocabulary), embedding=64, hidden=64)
optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, PASSES * len(windows))
history = []
for _ in range(PASSES):
    state = None
    for inputs, targets in progress_bar(windows, "training"):
        logits, (h, c) = model(inputs, state)
        state = h.detach(), c.detach()  # the state goes on, the gradient does not
        real = torch.ones_like(targets, dtype=torch.bool)  # full rows: no padding
        loss = masked_cross_entropy(logits, targets, real)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        history.append(float(loss.detach()))
model.eval()


@torch.no_grad()
def perplexity_on(model, stream):
    """Perplexity of the model on running text, with your functions."""
    losses, tokens, state = [], [], None
    for inputs, targets in next_word_windows(stream_rows(stream, 8), 64):
        logits, state = model(inputs, state)
        real = torch.ones_like(targets, dtype=torch.bool)
        losses.append(float(masked_cross_entropy(logits, targets, real)))
        tokens.append(targets.numel())
    return perplexity(losses, tokens)


print("loss in nats a word, mean of 20 windows:")
for start in (0, len(history) // 4, len(history) - 20):
    print(f"   from window {start:>4}: {np.mean(history[start : start + 20]):.2f}")

# %% slide="subslide"
reached["LSTM"] = perplexity_on(model, held_out_stream)
for opponent, value in reached.items():
    print(f"{opponent}: perplexity {value:,.0f}")

# %%
outcome("lm_perplexity", reached["LSTM"], factor=1.5)

# %% [markdown]
# Perplexities can be compared only on the same text **with the same vocabulary**. Every rare word that becomes `<unk>` makes the game easier. A perplexity at 2,000 words and one at 16,000 cannot be set side by side. Whoever quotes a perplexity without its vocabulary has said nothing.

# %% [markdown]
# Is that good? There is an older way to bet: **count** which word followed the last one or two words (bigrams and trigrams). Counts of rare neighbours are unreliable, so some weight is moved to the shorter count; the best known way is Kneser and Ney's. The stored experiment holds both to the same text, with 4,000 words.

# %% slide="subslide"
STORED_LM = stored_result("context_language_model")
print(STORED_LM)
print(f"  {STORED_LM.numbers['train tokens']:,} words of text, read once; 3 seeds")
stored = STORED_LM.numbers["perplexity"]
means = {
    name.replace(", Kneser-Ney", ""): value["mean"] if isinstance(value, dict) else value
    for name, value in stored.items()
}
plots.bars(
    list(means),
    {"perplexity": list(means.values())},
    errors={"perplexity": np.array([np.nan] * 3 + [stored["LSTM"]["high"] - means["LSTM"]])},
    title="Held-out perplexity on Brown, 4,000 words (stored)",
    ylabel="perplexity",
)

# %% [markdown]
# A small LSTM that has read half a million words once is **no better than counting**. It has 91.2 (89.6 to 92.7 over three seeds), bigrams have 89.6, and trigrams 86.8. A network needs more text, more size or more passes to win; the language models behind TagLM and ELMo read about 800 million words (the One Billion Word Benchmark; ELMo's training script counts 768,648,884). We go on with it for another reason. A trigram has no state: nothing in it is a vector of the sentence so far.

# %% [markdown] slide="slide"
# ## 3. The page as a vector
#
# Now the turn that this whole course is about. We trained the model to bet, and we do not care about the bets. Look at the notebook page instead. To bet well after *she put the money in the bank*, the page must hold something about *bank* **in this sentence**. So $h_t$ is a vector of the word $w_t$ in its left context. It is made anew for every sentence.
#
# Do not mix this up with word2vec. Its vectors are by-products of predicting words too, but they are rows of a table. Some blogs say that word vectors *are* the hidden states of a language model. The rows of the table are not: they never see a sentence. The hidden states are the other thing.
#
# What does a state know? Let us ask with a knife. Take a sentence, exchange **one** word, and see which states move.

# %%
predict(
    "who_moves",
    "We exchange word 5 of a sentence of 11 words. Which states of this model move?",
    options=["only state 5", "states 5 to 11", "all states", "states 1 to 5"],
)

# %% slide="subslide"
from elmo_mini.recurrent.language_model import hidden_states

ONE = ["the", "old", "man", "read", "a", "long", "letter", "from", "his", "dear", "wife"]
OTHER = [*ONE[:4], "no", *ONE[5:]]
first, second = hidden_states(model, vocabulary, [ONE, OTHER])
moved = np.linalg.norm(first - second, axis=1) / np.linalg.norm(first, axis=1)
plots.bars(
    [f"{place} {word}" for place, word in enumerate(ONE, start=1)],
    {"moved by": moved},
    title="Word 5, 'a', becomes 'no': how far each state moves",
    ylabel="share of the state's length",
)

# %%
moving = [place for place, share in enumerate(moved, start=1) if share > 0]
outcome("who_moves", "states 5 to 11" if moving == list(range(5, 12)) else str(moving))

# %% [markdown]
# Before word 5, nothing at all: a left-to-right model cannot know what comes. From word 5 on everything moves; the word itself most, and its trace fades, though not evenly.
#
# Keep this test. In lesson 07 it will catch a famous mistake.
#
# ### Myth or measured?
#
# > *"The hidden state at place t predicts the t-th word."*
#
# Many explanations of ELMo say so. Try it: at each place of the held-out text, hold the bet of the state against the word at the **same** place, and against the **next** word.

# %%
predict(
    "which_word",
    "After training, for which word is the bet of state t better?",
    options=["word t, which it has just read", "word t + 1, which comes next", "both alike"],
)

# %% slide="subslide"
inputs = stream_rows(held_out_stream, 8)[:, :400]
with torch.no_grad():
    bets = model(inputs[:, :-1])[0].log_softmax(-1)


def typical_surprise(words):
    """Perplexity of the bets on these words."""
    return float(torch.exp(-bets.gather(-1, words.unsqueeze(-1)).mean()))


about = {
    "word t": typical_surprise(inputs[:, :-1]),
    "word t + 1": typical_surprise(inputs[:, 1:]),
}
for word, value in about.items():
    print(f"bet of state t on {word}: perplexity {value:,.0f}")
repeated = float((inputs[:, 1:] == inputs[:, :-1]).float().mean())
print(f"places where the text repeats a word at once: {repeated:.0%}")

# %%
outcome(
    "which_word",
    "word t + 1, which comes next"
    if about["word t + 1"] < about["word t"]
    else "word t, which it has just read",
)

# %% [markdown]
# **Measured: state t bets on word t + 1.** For the word that it has just read its bet is worse than bad: texts rarely repeat a word at once (see the last line of the output), and it has learnt that. So the vector that we take for word $t$ **contains** word $t$, and there is no cheating in that, because the loss asked for its neighbour.
#
# ### Does the state tell senses apart?
#
# The course has sentences for 28 ambiguous words, labelled with the sense. (A language model wrote them, and no native speaker has read them.) The test is the simplest there is: for each test sentence, find the three training sentences of the same word whose state at that word is **nearest**, and let them vote. A static vector is the same in all of them, so it cannot pass its ceiling.

# %% slide="subslide"
from elmo_mini.probing.classifiers import knn
from elmo_mini.text.senses import sense_sentences

majority_ceiling = mine("majority_ceiling")  # from lesson 02

SENSES = list(sense_sentences("english"))
TEST = [i for i, s in enumerate(SENSES) if s.split == "test"]
tokens = [[token.lower() for token in s.tokens] for s in SENSES]


def senses_right(vectors):
    """Percentage of test sentences that the vote of the three nearest training ones gets right."""
    right = 0
    for word in sorted({s.word for s in SENSES}):
        of = {
            part: [i for i, s in enumerate(SENSES) if (s.word, s.split) == (word, part)]
            for part in ("train", "test")
        }
        labels = [SENSES[i].sense for i in of["train"]]
        said = knn(vectors[of["train"]], labels, vectors[of["test"]], 3)
        right += sum(s == SENSES[i].sense for s, i in zip(said, of["test"], strict=True))
    return 100 * right / len(TEST)


def at_words(vectors):
    """Of each labelled sentence, the vector at its ambiguous word."""
    return np.stack([rows[s.position] for rows, s in zip(vectors, SENSES, strict=True)])


answers = [SENSES[i].sense for i in TEST]
reader = {
    "one vector\nper word": 100 * majority_ceiling([SENSES[i].word for i in TEST], answers),
    "one vector\nper spelling": 100
    * majority_ceiling([SENSES[i].target.lower() for i in TEST], answers),
}
print(f"{len(TEST)} test sentences. At most, with")
for name, percent in reader.items():
    print(f"   {' '.join(name.split())}: {percent:.0f} % right")

# %%
predict("state_senses", "Which percentage do the LSTM's states get right?", unit="%")

# %%
reader["LSTM state"] = senses_right(at_words(hidden_states(model, vocabulary, tokens)))
outcome("state_senses", reader["LSTM state"], unit="%")

# %% [markdown]
# Above the ceiling of one vector per word, though our model is tiny and has read so little: *bank* in one sentence and *bank* in another are no longer the same point. The ceiling of one vector per **spelling** is another matter. *Park* and *parked* are two spellings, and in these sentences a spelling tells a good deal. In our run this tiny model does not get there.
#
# But the state knows the left side only. In *he sat on the bank of the river* the word that tells comes afterwards. So let somebody read from the right as well.

# %% [markdown] slide="slide"
# ## 4. context2vec: the view from both sides
#
# A letter has a coffee stain, and one word is gone. You read up to the stain. You read on behind it. Then you say which word fits. You need both sides, and you cannot peep at the word itself: it is gone.
#
# **context2vec** (2016) is this game. One LSTM reads from the left up to the word **before** the target. Another reads from the right, back to the word **after** it. A small network (an MLP, two layers) makes one vector of the two states: the vector of the *place*. People do it too: to understand a word, both sides help.

# %% slide="subslide"
SENTENCE = ["</s>", "the", "bank", "was", "steep", "</s>"]
boxes, arrows = [], []
for step, word in enumerate(SENTENCE):
    boxes.append(Box(f"word {step} '{word}'", step, 0, text=word))
for step in (0, 1):
    boxes.append(Box(f"left state {step}", step, 1, "LSTM from the left", "left"))
    arrows.append(Arrow(boxes[step].name, f"left state {step}"))
for step in (5, 4, 3):
    boxes.append(Box(f"right state {step}", step, 1, "LSTM from the right", "right"))
    arrows.append(Arrow(boxes[step].name, f"right state {step}"))
arrows += [
    Arrow("left state 0", "left state 1"),
    Arrow("right state 5", "right state 4"),
    Arrow("right state 4", "right state 3"),
]
boxes += [
    Box("MLP", 2, 2, "MLP", width=1.2),
    Box("score of the word 'bank'", 2, 3, text="bank? or a noise word?"),
]
arrows += [
    Arrow("left state 1", "MLP"),
    Arrow("right state 3", "MLP"),
    Arrow("MLP", "score of the word 'bank'"),
]
boxes_and_arrows(
    boxes, arrows, title="context2vec on the place of 'bank': the word itself is not read"
)

# %% [markdown] exercise="around_target"
# ### Exercise 5. Everything but the word itself
#
# Both readers have read `</s> w1 … wT </s>` and left a state at **each** of the T + 2 places:
#
# - `left` (B, T + 2, H): the state at a place has read everything up to it, **the place itself included**,
# - `right` (B, T + 2, H): the same from the other end. It is in the order of the text already.
#
# Write `around_target(left, right)`. Return (B, T, 2H): for each word $t$, the left state that has read everything **before** $t$, and beside it the right state that has read everything **after** $t$. Stay with `torch`: both readers learn through your answer, so autograd must be able to follow it back.


# %% exercise="around_target"
def around_target(left, right):
    """(B, T, 2H): what the two readers know beside each word, the word not included."""
    ### BEGIN SOLUTION
    return torch.cat([left[:, :-2], right[:, 2:]], dim=-1)
    ### END SOLUTION


# %% check="around_target"
check("around_target", around_target)

# %% [markdown] hints="around_target"
# nudge: Number the places 0 to T + 1. The boundary is place 0, the first word place 1. At which place stands the left state that you want for the first word? And the right one?
#
# idea: For word $t$: left at place $t - 1$, right at place $t + 1$. For all words together, $t - 1$ runs from 0 to T − 1, and $t + 1$ from 2 to T + 1.
#
# outline: `left[:, :-2]` and `right[:, 2:]` have T places each. `torch.cat([...], dim=-1)` puts them side by side.

# %% [markdown] model_answer="around_target"
# The boundary is place 0, so the left state before word $t$ stands at $t - 1$ and the right state after it at $t + 1$. The states at the word itself are left out, because both have read the word.

# %% [markdown] slide="subslide"
# The loss you know already. The place plays the part that the centre word had in word2vec; the word that belongs there is the right answer; noise words are drawn by the counts to the power 3/4, as in the authors' program. With $g$ the vector of the place, $v'_w$ the output vector of its word and $v'_{n_1}, \dots, v'_{n_k}$ those of the $k$ noise words:
#
# $$-\log \sigma(v'_w \cdot g) - \sum_{i=1}^{k} \log \sigma(-v'_{n_i} \cdot g)$$
#
# It is the function that you wrote in lesson 01. Both, on the same random vectors:

# %%
from elmo_mini.recurrent.context2vec import Context2Vec, context_loss, fill_blank, train_context2vec

sgns_loss = mine("sgns_loss")
torch.manual_seed(0)
places, words, noise = torch.randn(3, 8), torch.randn(3, 8), torch.randn(3, 5, 8)
print("context2vec's loss  ", float(context_loss(places, words, noise)))
print("lesson 01's sgns_loss", float(sgns_loss(places, words, noise)))

# %% [markdown]
# Before we train it, spoil it. Let both readers read the target **too**, by taking the states at the word itself. Everything else stays.

# %%
predict(
    "leak",
    "Both readers may read the target. What does the training loss do?",
    options=["falls far lower", "hardly differs", "stays higher"],
)

# %% slide="subslide"
from elmo_mini.recurrent import context2vec
from elmo_mini.recurrent.training import TrainingOptions

around_target = or_reference("around_target", around_target)
ids = [vocabulary.encode(sentence) for sentence in train]
SETTINGS = {
    "batch_size": 32 if PASSES == 1 else 8,
    "learning_rate": 1e-2,
    "seed": 0,
    "progress": True,
}


def trained(beside, sentences, epochs):
    """A context2vec whose view of a place is `beside(left, right)`, and its losses."""
    # The package's network looks `around_target` up in its own module. So we put `beside` there
    # for the time of the training, and put the original back, whatever happens.
    original, context2vec.around_target = context2vec.around_target, beside
    try:
        torch.manual_seed(0)
        reader = Context2Vec(len(vocabulary), embedding=64, hidden=64, out=64)
        options = TrainingOptions(epochs=epochs, **SETTINGS)
        losses = train_context2vec(reader, sentences, vocabulary.counts, options)
    finally:
        context2vec.around_target = original
    return reader, np.convolve(losses, np.ones(20) / 20, mode="valid")


def spoilt(left, right):
    """Both states at the word itself: both have read it."""
    return torch.cat([left[:, 1:-1], right[:, 1:-1]], dim=-1)


PART = 3_000
_, honest_losses = trained(around_target, ids[:PART], PASSES)
spoilt_reader, spoilt_losses = trained(spoilt, ids[:PART], PASSES)
plots.curves(
    np.arange(20, len(honest_losses) + 20),
    {"target not read": honest_losses, "target read": spoilt_losses},
    title="Training loss, with and without a look at the answer (mean of 20 batches)",
    xlabel="batches",
    ylabel="loss",
)

# %%
share = spoilt_losses[-1] / honest_losses[-1]
outcome(
    "leak",
    "falls far lower" if share < 0.75 else "hardly differs" if share < 1.1 else "stays higher",
)

# %% [markdown]
# A wonderful loss, and worthless. The spoilt reader can copy the word under its nose, and has little reason to look at the context. Remember this curve: in lesson 12 the same leak explains why nobody could build a deep model that reads both ways and predicts every word, and what BERT did instead.
#
# Now the honest one, on all the sentences that we learn from. Give it a few stains.

# %% slide="subslide"
both_sides, _ = trained(around_target, ids, 2 * PASSES)

BLANKS = (
    ("i do not ___ what you mean .", "know"),
    ("the president of the ___ states", "united"),
    ("he ___ the door and looked at her .", "opened"),
    ("it was a very ___ day .", "fine"),
)
for pattern, original in BLANKS:
    gap = pattern.split()
    best = fill_blank(both_sides, vocabulary, gap, gap.index("___"), top=5)
    said = ", ".join(f"{word} {p:.0%}" for word, p in best)
    print(f"{pattern} ({original})\n      {said}")

# %% [markdown]
# It knows roughly which **kind** of word fits. From so little text it learns hardly more. The percentages come from lesson 01 too: with negative sampling the scores converge to a PMI minus $\log k$, so from the score and the noise probability one gets back to a probability.
#
# ### The same test for both readers

# %% slide="subslide"
from elmo_mini.recurrent.context2vec import context_vectors

reader["context2vec"] = senses_right(at_words(context_vectors(both_sides, vocabulary, tokens)))
STORED_SENSES = stored_result("context_senses")
print(STORED_SENSES)
course = STORED_SENSES.numbers["course sentences"]["3-NN"]
stored_reader = {
    "one vector\nper word": STORED_SENSES.numbers["course sentences"]["ceiling of the word"],
    "one vector\nper spelling": STORED_SENSES.numbers["course sentences"]["ceiling of its forms"],
    "LSTM state": course["LSTM at the word"]["mean"],
    "context2vec": course["context2vec"]["mean"],
}
whiskers = [
    *(np.nan, np.nan),  # ceilings are exact
    *(course[n]["high"] - course[n]["mean"] for n in ("LSTM at the word", "context2vec")),
]
average = 100 * course["mean of word2vec vectors around"]["mean"]
print(f"  for comparison, stored: the mean of the word2vec vectors around has {average:.0f} %")
plots.bars(
    list(reader),
    {
        "here": list(reader.values()),
        "stored, 3 seeds": [100 * stored_reader[name] for name in reader],
    },
    errors={"stored, 3 seeds": 100 * np.array(whiskers)},
    title="Senses right, by the vote of three neighbours (335 test sentences)",
    ylabel="percent",
)

# %% [markdown]
# In the stored run both readers pass both ceilings, the LSTM the second one by little. The one that sees both sides is ahead of the one that sees the left only, by 5.4 points (4.6 to 6.1 over three seeds). The crude average of lesson 02, here of word2vec vectors, has 47 % (40 to 53). That is less than both readers, and no clear difference from the 42 % that one vector per word can have at most. A plain mean knows no order and no grammar.
#
# The vote had eight labelled sentences for each sense. In **senseval** (600 sentences for each of four words, with long contexts) a classifier can learn which directions of a vector to listen to. Does the order of the readers stay?
#
# **How we compare.** All models of one seed share their text and their split. So we take the difference **seed by seed**, and its 95 % interval. If the interval contains 0, we say *no clear difference*.

# %% slide="subslide"
READERS = {
    "average around": "mean of word2vec vectors around",
    "LSTM state": "LSTM at the word",
    "context2vec": "context2vec",
}
by_word = STORED_SENSES.numbers["senseval"]
by_reader = {
    short: [numbers["linear"][name] for numbers in by_word.values()]
    for short, name in READERS.items()
}
plots.bars(
    list(by_word),
    {
        "ceiling of spellings": [
            100 * numbers["ceiling of its forms"] for numbers in by_word.values()
        ],
        **{short: [100 * value["mean"] for value in values] for short, values in by_reader.items()},
    },
    errors={
        short: np.array([100 * (value["high"] - value["mean"]) for value in values])
        for short, values in by_reader.items()
    },
    title="Senseval, logistic regression on the vector of the place (stored)",
    ylabel="percent right",
)

# %%
from elmo_mini.results.intervals import difference

for word, numbers in by_word.items():
    of = {short: numbers["linear"][name] for short, name in READERS.items()}
    print(word)
    print("   average against context2vec:   ", difference(of["average around"], of["context2vec"]))
    print("   context2vec against LSTM state:", difference(of["context2vec"], of["LSTM state"]))

# %% [markdown]
# For *serve* the average of the words around wins by far. Its senses (a dish, a country, a purpose) differ by **topic**, and the topic is all over a long context; there the left-only LSTM is ahead of context2vec, too. For *interest* context2vec is ahead of both: the words right beside it decide. For *hard* and *line* nothing is decided with three seeds. "In context" is not one thing.
#
# ### Myth or measured?
#
# > *"ELMo was the first to give a word a vector in its context."*
#
# ELMo is from 2018, context2vec from 2016. And not only older: on the five standard test sets for word senses it was about as good. The numbers are those that the page NLP-progress lists: percent right (F1) on every ambiguous word of the texts, after training on SemCor, a corpus with labelled senses. The papers themselves were not checked for this lesson.
#
# | | Senseval-2 | Senseval-3 | SemEval-07 | SemEval-13 | SemEval-15 |
# |---|---|---|---|---|---|
# | commonest sense | 65.6 | 66.0 | 54.5 | 63.8 | 67.1 |
# | context2vec (2016) | 71.8 | 69.1 | 61.3 | 65.6 | 71.9 |
# | ELMo (2018) | 71.6 | 69.6 | 62.2 | 66.2 | 71.3 |

# %% [markdown]
# **Not the first, and on this task the two are about equal.** ELMo's merit lies elsewhere: in lessons 06 to 09.
#
# Mind the difference, too. context2vec's vector does **not** contain the word. It is a vector of the gap. A state of a language model, and of ELMo, does contain it. In spirit context2vec is near to BERT, which also hides a word and looks at both sides. But its two readers never meet before the very end.

# %% [markdown] slide="slide"
# ## Recap
#
# - A language model reads a word and bets on the next: targets are one place ahead, and rows are stretches of one text.
# - Perplexity is exp of the mean surprise of **real** words. It means nothing without its vocabulary.
# - The hidden state is a vector of the word in its **left** context. It tells senses apart that one vector per word cannot.
# - context2vec looks from both sides at a gap. Its vector does not contain the word: if it did, the game would be won by copying.
#
# So far we looked at the readers from outside. In lesson 04 other networks start from them.

# %%
calibration()

# %%
from autograde import progress

progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# Until 2018 nearly every system for tagging, translation or reading took static vectors and put its own LSTM on top, trained from nothing on the task's labels. **Why not make the vectors contextual from the start? Give two reasons that held people back, and say for each whether this lesson has weakened it.** Three to five sentences.

# %% [markdown] discussion="why_not_from_the_start" points=2
# **Rubric, 2 points.** 0.5 for each of two real reasons (cost, the task's own encoder, one direction only, lack of data or machines), and 0.5 for each reasoned verdict that uses something from this lesson.

# %% [markdown] model_answer="why_not_from_the_start"
# A static table can be downloaded and looked up. A contextual vector must be computed for each sentence, by a network that somebody has to keep and run. That cost is still there, and this lesson has not weakened it. Many people also expected the task's own LSTM to learn the context that it needs from the labels. Against that, context2vec learnt from plain text without a single label, and in the stored run its vectors pass what one vector per word can reach. So not all that is to be known of a context must come from labels; whether a task's own LSTM gets there with few labels, the next lesson asks. A third reason is that a reader needs much text. This lesson rather confirms it: an LSTM that had read half a million words was no better than counting.

# %% [markdown]
# ## Further reading
#
# - The context2vec paper: compare its network with CBOW of lesson 01.
# - **CoVe** (McCann and others, NIPS 2017, arXiv:1708.00107): contextual vectors from the encoder of a translator. It stands between this lesson and ELMo.
# - In the package: `elmo_mini/recurrent/language_model.py`, `elmo_mini/recurrent/context2vec.py`; the stored experiments are `python -m elmo_mini.experiments.context`.
#
# Next: **04 · Starting from a language model**, where the LSTM moves into a classifier and into a translator.

# %% [markdown] instructor=true
# **Instructor, common questions.** *Why does the state contain the word, and context2vec's vector not?* Because the losses ask different things: the one for the neighbour, the other for the word itself. Let them say what a leak would be in each. *Is a perplexity of 50 good?* Ask back: with which vocabulary? *Does word2vec's window not see both sides too?* Yes, without order and without a sentence: its vector of a word is the same everywhere. *Why so small an LSTM?* The lesson must run in a minute; the stored results say what they were made with.
