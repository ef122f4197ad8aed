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
# Lesson 02 ended at a wall: one vector for every word, whatever the sentence. Here a network reads the sentence, and the vector changes with it. Then you find out what people did with such readers in the three years before ELMo.

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("03")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - feed running text to an LSTM language model: rows, windows, and targets shifted by one,
# - write its loss under a mask, and turn losses into a perplexity,
# - show what its hidden state knows of the sentence, and what it cannot know,
# - build context2vec's view of a place: both sides, and never the word itself,
# - start a classifier from a language model or from an autoencoder, as in 2015, and measure whether it helps,
# - measure how a fine-tuned model forgets, and what a joint loss does about it,
# - say which parts of a translation model can start from two language models.
#
# ## The papers
#
# - **context2vec**: Melamud, Goldberger and Dagan, *context2vec: Learning Generic Context Embedding with Bidirectional LSTM*, CoNLL 2016.
# - **Dai and Le**: *Semi-supervised Sequence Learning*, NIPS 2015.
# - **Ramachandran, Liu and Le**: *Unsupervised Pretraining for Sequence to Sequence Learning*, EMNLP 2017 (arXiv:1611.02683).
#
# The lesson takes two hours to two and a half; the exercises are 75 minutes of them. Short of time? Exercises 2, 3, 5 and 7 are the spine. Exercises 1, 4, 6 and 8 can wait: the lesson goes on without them, and they keep their points.

# %% [markdown] instructor=true
# **Instructor.** Timing for two hours: sections 1 and 2 together, 45 minutes (exercises 1 to 4); sections 3 and 4, 30; section 5, 25; sections 6 and 7, 20. For 90 minutes: show exercises 1, 4, 6 and 8 solved, let them do 2, 3, 5 and 7. Two places where people get stuck: in exercise 2 the word between two windows, and in exercise 5 the direction of the right-to-left reader. Draw five words on the board for both.

# %%
import itertools

import numpy as np
import torch
from torch.nn import functional

from autograde import calibration, check, or_reference, outcome, predict
from elmo_mini import corpora
from elmo_mini.figures.diagrams import Arrow, Box, boxes_and_arrows
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
# Write `next_word_windows(rows, width)`. `rows` has shape (B, L). Return a list of pairs `(inputs, targets)` in the order of the text, each of shape (B, `width`). The last pair may be shorter.
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
# Return the mean of $-\log p$ over the real words, as a tensor that autograd can follow back.


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

# %% [markdown] slide="subslide"
# A loss of 4.6 nats says little to the ear. Its exponential does: $e^{4.6} \approx 100$. The model hesitates as much as if it had to throw a fair die with 100 sides. This number is the **perplexity**. A fair six-sided die has perplexity 6, and a model that is always certain and always right has 1.
#
# $$\text{perplexity} = \exp(\mathcal{L})$$

# %% [markdown] exercise="perplexity"
# ### Exercise 4. How many words it hesitates between
#
# Write `perplexity(losses, tokens)`. `losses` has the mean loss of each batch in nats a token, `tokens` how many tokens each batch had. Return the perplexity over **all** tokens, one number.


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

# %% [markdown] slide="subslide"
# Your four functions are a language model's whole training, apart from the network; the cell after next runs on them. Running text in rows has no padding, so there the mask is True everywhere. Sentences side by side, as in sections 5 and 7, need it.
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
    for inputs, targets in windows:
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
# A small LSTM that has read half a million words once is **no better than counting**. It has 91.2 (89.6 to 92.7 over three seeds), bigrams have 89.6, and trigrams 86.8. A network needs more text, more size or more passes to win; the language models behind TagLM and ELMo read 800 million words. We go on with it for another reason. A trigram has no state: nothing in it is a vector of the sentence so far.

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
# Keep this test. In lesson 06 it will catch a famous mistake.
#
# ### Myth or measured?
#
# > *"The hidden state at place k predicts the k-th word."*
#
# Many explanations of ELMo say so. Try it: at each place of the held-out text, hold the bet of the state against the word at the **same** place, and against the **next** word.

# %%
predict(
    "which_word",
    "After training, for which word is the bet of state k better?",
    options=["word k, which it has just read", "word k + 1, which comes next", "both alike"],
)

# %% slide="subslide"
inputs = stream_rows(held_out_stream, 8)[:, :400]
with torch.no_grad():
    bets = model(inputs[:, :-1])[0].log_softmax(-1)


def typical_surprise(words):
    """Perplexity of the bets on these words."""
    return float(torch.exp(-bets.gather(-1, words.unsqueeze(-1)).mean()))


about = {
    "word k": typical_surprise(inputs[:, :-1]),
    "word k + 1": typical_surprise(inputs[:, 1:]),
}
for word, value in about.items():
    print(f"bet of state k on {word}: perplexity {value:,.0f}")
repeated = float((inputs[:, 1:] == inputs[:, :-1]).float().mean())
print(f"places where the text repeats a word at once: {repeated:.0%}")

# %%
outcome(
    "which_word",
    "word k + 1, which comes next"
    if about["word k + 1"] < about["word k"]
    else "word k, which it has just read",
)

# %% [markdown]
# **Measured: state k bets on word k + 1.** For the word that it has just read its bet is worse than bad: texts rarely repeat a word at once (see the last line of the output), and it has learnt that. So the vector that we take for word $k$ **contains** word $k$, and there is no cheating in that, because the loss asked for its neighbour.
#
# ### Does the state tell senses apart?
#
# The course has sentences for 28 ambiguous words, labelled with the sense. The test is the simplest there is: for each test sentence, find the three training sentences of the same word whose state at that word is **nearest**, and let them vote. A static vector is the same in all of them, so it cannot pass its ceiling.

# %% slide="subslide"
from elmo_mini.probing.classifiers import knn
from elmo_mini.text.senses import sense_sentences
from elmo_mini.word_vectors.majority_ceiling import majority_ceiling

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
# Write `around_target(left, right)`. Return (B, T, 2H): for each word $t$, the left state that has read everything **before** $t$, and beside it the right state that has read everything **after** $t$.


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

# %% [markdown] slide="subslide"
# The loss you know already. The place plays the part that the centre word had in word2vec; the word that belongs there is the right answer; noise words are drawn by the counts to the power 3/4, as in the authors' program. With $c$ the vector of the place, $v'_w$ the output vector of its word and $v'_{n_k}$ those of the noise words:
#
# $$-\log \sigma(v'_w \cdot c) - \sum_k \log \sigma(-v'_{n_k} \cdot c)$$
#
# It is the function that you wrote in lesson 01. Both, on the same random vectors:

# %%
from elmo_mini.recurrent.context2vec import Context2Vec, context_loss, fill_blank, train_context2vec
from elmo_mini.word_vectors.word2vec import sgns_loss

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
SETTINGS = {"batch_size": 32 if PASSES == 1 else 8, "learning_rate": 1e-2, "seed": 0}


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
# A wonderful loss, and worthless. The spoilt reader can copy the word under its nose, and has little reason to look at the context. Remember this curve: in lesson 10 the same leak explains why nobody could build a deep model that reads both ways and predicts every word, and what BERT did instead.
#
# Now the honest one, on the whole text. Give it a few stains.

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
# It knows roughly which **kind** of word fits. From so little text it learns hardly more. The percentages come from lesson 01 too: with negative sampling the scores converge to a PMI minus log k, so from the score and the noise probability one gets back to a probability.
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
# In the stored run both readers pass both ceilings, the LSTM the second one by little. The one that sees both sides is ahead of the one that sees the left only, by 5.4 points (4.6 to 6.1 over three seeds). The crude average of lesson 02, here of word2vec vectors, has 47 %: more than one vector per word can have, less than both readers. A plain mean knows no order and no grammar.
#
# The vote had eight labelled sentences for each sense. In **senseval** (600 sentences for each of four words, with long contexts) a classifier can learn which directions of a vector to listen to. Does the order of the readers stay?
#
# **How we compare, here and below.** All models of one seed share their text and their split. So we take the difference **seed by seed**, and its 95 % interval. If the interval contains 0, we say *no clear difference*.

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
from elmo_mini.results.intervals import interval


def difference(one, other):
    """Percentage points between two stored results, seed by seed, in words."""
    points = interval(100 * (np.array(one["values"]) - np.array(other["values"])))
    if points["low"] <= 0 <= points["high"]:
        verdict = "no clear difference"
    else:
        verdict = "ahead" if points["low"] > 0 else "behind"
    return f"{points['mean']:+.1f} ({points['low']:+.1f} to {points['high']:+.1f}): {verdict}"


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
# **Not the first, and on this task the two are about equal.** ELMo's merit lies elsewhere: in lessons 05 to 08.
#
# Mind the difference, too. context2vec's vector does **not** contain the word. It is a vector of the gap. A state of a language model, and of ELMo, does contain it. In spirit context2vec is near to BERT, which also hides a word and looks at both sides. But its two readers never meet before the very end.

# %% [markdown] slide="slide"
# ## 5. Moving in with the furniture: Dai and Le, 2015
#
# So far we looked at the states from outside. The other way to use a reader is to **become** it.
#
# Think of somebody who looks for a good restaurant in a strange city. Dropped anywhere at random, they may search for hours. Dropped in the old town, they only have to look around. Training is such a search, among millions of numbers. Usually a network starts anywhere. **Pretraining** starts it in the old town: first learn something from text without labels, then go on from there with the few labels that you have.
#
# Until then it was mostly word vectors that were carried over, and the network above them started anywhere. Dai and Le carried over **everything but the last layer**. They tried two ways to learn from plain text:
#
# - **a language model**, as you wrote it above: LM-LSTM;
# - **a sequence autoencoder**: read a sentence, then say it again from memory: SA-LSTM.
#
# Afterwards the same LSTM becomes a classifier: it reads the text, and a fresh layer on its last state names the class. **All** weights go on learning.

# %% [markdown] exercise="autoencoder_steps"
# ### Exercise 6. Read it, then say it again
#
# A courier learns a message by heart: listen first, then recite. One and the same LSTM does both. For a sentence of $n$ words it makes $2n + 1$ steps:
#
# - it listens: it reads `w1 … wn`, and nothing is asked;
# - it reads the boundary: now it must say `w1`;
# - it is told the word that it should have said, and must say the next one; after `wn` it must say the boundary.
#
# Write `autoencoder_steps(sentence, boundary)` for a list of word ids. Return three lists of length $2n + 1$: what is read, what is to be said (where nothing is asked, anything will do; the boundary is usual), and whether the step counts (True or False).


# %% exercise="autoencoder_steps"
def autoencoder_steps(sentence, boundary):
    """Inputs, targets and whether a step counts, 2n + 1 of each."""
    ### BEGIN SOLUTION
    silent = len(sentence)
    inputs = [*sentence, boundary, *sentence]
    targets = [boundary] * silent + [*sentence, boundary]
    counted = [False] * silent + [True] * (silent + 1)
    return inputs, targets, counted
    ### END SOLUTION


# %% check="autoencoder_steps"
check("autoencoder_steps", autoencoder_steps)

# %% [markdown] hints="autoencoder_steps"
# nudge: Write the steps of *a b* on paper, one column for each: what goes in, what must come out. There are five columns.
#
# idea: What goes in is the sentence, the boundary, the sentence. What must come out begins at the boundary: first word to last, then the boundary. It is the language model's shift once more.
#
# outline: inputs `[*sentence, boundary, *sentence]`; targets: n times anything, then `[*sentence, boundary]`; counted: n times False, then n + 1 times True.

# %%
# Only printed here: `train_autoencoder`, below, uses the package's own function.
autoencoder_steps = or_reference("autoencoder_steps", autoencoder_steps)

print(f"{'reads':>8}  must say")
for read, said, counts in zip(*autoencoder_steps(["send", "more", "paper"], "</s>"), strict=True):
    print(f"{read:>8}  {said if counts else '-'}")

# %% [markdown] exercise="start_from"
# ### Exercise 7. Move in with the furniture
#
# Both models are PyTorch modules of the course's package. A language model has the parts `embedding`, `lstm` and `softmax`; a classifier has `embedding`, `lstm` and `output`. Embedding and LSTM of the two have the same sizes.
#
# Write `start_from(classifier, language_model)`. Afterwards the classifier's embedding and LSTM have the language model's numbers, and its `output` is as it was. Training the classifier later must **not** move the language model. Return nothing.


# %% exercise="start_from"
def start_from(classifier, language_model):
    """Copy embedding and LSTM of the language model into the classifier."""
    ### BEGIN SOLUTION
    classifier.embedding.load_state_dict(language_model.embedding.state_dict())
    classifier.lstm.load_state_dict(language_model.lstm.state_dict())
    ### END SOLUTION


# %% check="start_from"
check("start_from", start_from)

# %% [markdown] hints="start_from"
# nudge: Which parts do both models have? And what is the difference between giving somebody your key and giving them a copy of your furniture?
#
# idea: Every module gives its numbers with `state_dict()` and takes such numbers with `load_state_dict(...)`, which copies them. An assignment like `classifier.lstm = language_model.lstm` makes both use one and the same part.
#
# outline: For each of the two parts: `classifier.part.load_state_dict(language_model.part.state_dict())`.

# %% [markdown] slide="subslide"
# Now a task. It needs no labels from people, and it can be had in any language: **is this sentence in its order, or has somebody shuffled its words?** Half of the sentences are shuffled, all but the last sign. Whoever only counts words is at 50 %, always.
#
# One hundred labelled sentences, for an LSTM. Three starts: at random, from the language model of section 2, from an autoencoder of the same text.

# %%
predict(
    "order_start",
    "With 100 labelled sentences: which accuracy from the language model's start?",
    unit="%",
)

# %% slide="subslide"
from elmo_mini.recurrent.classifier import (
    LSTMClassifier,
    accuracy,
    train_autoencoder,
    train_classifier,
)

start_from = or_reference("start_from", start_from)

torch.manual_seed(0)
autoencoder = LSTMLanguageModel(len(vocabulary), embedding=64, hidden=64)
train_autoencoder(autoencoder, ids[:PART], TrainingOptions(epochs=PASSES, learning_rate=1e-2))

shuffle = np.random.default_rng(0)
examples = []
for number, sentence in enumerate(held_out):
    words = list(sentence)
    if number % 2:
        words[:-1] = shuffle.permutation(words[:-1]).tolist()
    examples.append((vocabulary.encode(words), number % 2))

LABELS = 100 if len(examples) > 800 else 40  # a small text has few held-out sentences
SEEDS = (0, 1, 2)
unseen = examples[len(SEEDS) * LABELS :]
starts = {"random start": None, "language model": model, "autoencoder": autoencoder}
by_draw = {name: [] for name in starts}
for seed in SEEDS:
    mine = examples[seed * LABELS : (seed + 1) * LABELS]
    for name, start in starts.items():
        torch.manual_seed(seed)
        classifier = LSTMClassifier(len(vocabulary), 2, embedding=64, hidden=64, dropout=0.2)
        if start is not None:
            start_from(classifier, start)
        options = TrainingOptions(epochs=10, batch_size=8, seed=seed)
        train_classifier(classifier, *zip(*mine, strict=True), options)
        by_draw[name].append(100 * accuracy(classifier, *zip(*unseen, strict=True)))

plots.bars(
    list(by_draw),
    {"accuracy": [np.mean(values) for values in by_draw.values()]},
    errors={
        "accuracy": np.array(
            [[np.mean(v) - min(v), max(v) - np.mean(v)] for v in by_draw.values()]
        ).T
    },
    title=f"In order or shuffled? {LABELS} labels (here; whiskers: range of 3 draws)",
    ylabel="percent right",
    level=("guessing", 50.0),
)

# %%
outcome("order_start", float(np.mean(by_draw["language model"])), unit="%")

# %% [markdown]
# With a random start, one hundred sentences are not enough to find out that order matters. Both pretrained starts know how sentences go, and need the labels only to be told what the question is.

# %% [markdown]
# ### What they measured
#
# Dai and Le tried it on film reviews (IMDB), among other texts. Test errors from their Table 2, as a later paper (TopicRNN) quotes it:
#
# | start of the LSTM | percent wrong |
# |---|---|
# | at random | 13.50 |
# | word2vec | 10.00 |
# | language model | 7.64 |
# | sequence autoencoder | 7.24 |

# %% [markdown]
# In the same table an autoencoder that is trained *jointly* with the classifier has 14.70: worse than no pretraining at all. So not all that is learnt beside a task helps it. Can a **start** hurt, too? Here is a task for which order hardly matters: is a sentence **subjective or objective**? Count the words and you know most of it. The stored experiment gives the LSTM more and more labels, from each start, and sets a plain bag of words beside it.

# %%
predict(
    "subjectivity_start",
    "Subjective or objective, 100 labels: what does the language model's start do for the LSTM?",
    options=["helps", "hurts", "no clear difference"],
)

# %% slide="subslide"
STORED_START = stored_result("context_pretraining")
print(STORED_START)
TASKS = STORED_START.numbers["tasks"]
SHORT = {
    "bag of words, no LSTM": "bag of words",
    "nothing": "random start",
    "word2vec embedding": "word2vec",
    "sequence autoencoder": "autoencoder",
}


def compare(task):
    """Each start against the random one and against word2vec, seed by seed."""
    for count, of in TASKS[task]["accuracy"].items():
        print(f"{task}, {count} labels")
        for name, other in itertools.product(of, ("nothing", "word2vec embedding")):
            if name in ("language model", "sequence autoencoder") or (
                name == "word2vec embedding" and other == "nothing"
            ):
                pair = f"{SHORT.get(name, name)} against {SHORT[other]}"
                print(f"   {pair:<34} {difference(of[name], of[other])}")


def by_start(task):
    """Bars for each number of labels, one for each start."""
    by_labels = {
        count: {SHORT.get(name, name): value for name, value in of.items()}
        for count, of in TASKS[task]["accuracy"].items()
    }
    names = list(next(iter(by_labels.values())))
    return plots.bars(
        [f"{count} labels" for count in by_labels],
        {name: [100 * of[name]["mean"] for of in by_labels.values()] for name in names},
        errors={
            name: np.array(
                [100 * (of[name]["high"] - of[name]["mean"]) for of in by_labels.values()]
            )
            for name in names
        },
        title=f"{task.capitalize()}: accuracy by the LSTM's start (stored)",
        ylabel="percent right",
    )


by_start("subjectivity")

# %%
few = next(iter(TASKS["subjectivity"]["accuracy"].values()))
said = difference(few["language model"], few["nothing"])
verdict = {"ahead": "helps", "behind": "hurts"}.get(said.split(": ")[1], "no clear difference")
outcome("subjectivity_start", verdict)
compare("subjectivity")

# %% [markdown]
# With 100 labels the language model's start **hurts**, by 12 points (5 to 18). With 1,000 labels it is still below on the mean, and no clear difference is left; there the autoencoder is behind. word2vec's start, which brings words and nothing else, has the highest mean, yet no clear lead over the random start. Three seeds and 100 labels make wide intervals.
#
# Now a task where the order counts. The model sees the beginning of a sentence and must name the **part of speech** of the last word that it saw (ten coarse tags).

# %% slide="subslide"
by_start("part of speech")

# %%
compare("part of speech")

# %% [markdown]
# With 100 labels the picture is turned round: language model and autoencoder are far ahead of the random start, by 21 and 19 points. Against word2vec's start the autoencoder has a lead, and the language model's, 12 points on the mean, is not clear. With 1,000 labels the lead over the random start is no longer clear, and **word2vec has overtaken both**, by 3 points (the autoencoder at the very edge). **A start helps when it brings what the task needs, and when labels are few.** A language model of this size knows grammar. Which words are opinions, it never had to know.
#
# ### Why should a start help at all?
#
# Three stories are told, and they do not exclude each other.
#
# - **The search starts in a better place.** The restaurant: fewer steps to go, and fewer dead ends on the way.
# - **A leash.** With few labels there are many settings that fit them all. Training from a good start ends at one that is near it. Statisticians say *prior*: with little evidence the prior decides, with much evidence the data do. As an analogy this is useful. But neither Dai and Le nor ELMo nor ULMFiT puts an explicit penalty on moving away.
# - **Knowledge.** Who predicts the next word well must know grammar, which words go together, and a little about the world. Whether that is the knowledge that the *task* needs is another question, as you have just seen.
#
# ### Myth or measured?
#
# > *"GPT was the first to fine-tune a pretrained language model."*
#
# GPT is from June 2018. Dai and Le: NIPS **2015**. Ramachandran, Liu and Le: on arXiv in November **2016**. ULMFiT, lesson 09: January 2018. And the saying that before 2017 only word vectors were transferred overlooks the first two. GPT's merit is the Transformer and the one recipe for many tasks, not the idea.

# %% [markdown] slide="slide"
# ## 6. What fine-tuning destroys
#
# Whoever learns Spanish after Italian will, for a while, say Spanish words in Italy. A network learns the new task with the same numbers that hold the old one, and nothing asks it to keep them. How much is lost depends on how far it must move. When much is lost, people call it **catastrophic forgetting** (Goodfellow and others measured it in 2013, arXiv:1312.6211). Whether it is a catastrophe here, you will measure.
#
# It can be watched. Our classifier began as a language model. Keep that model's softmax beside it, and ask at every few steps: how good is your LSTM **as a language model** now? The measure is the perplexity on held-out text.
#
# Ramachandran, Liu and Le (section 7) have a remedy: **do not stop.** While the labels are learnt, the language model's loss is minimised too, on plain text. Here the two losses are added:
#
# $$\mathcal{L} = \mathcal{L}_{\text{task}} + \mathcal{L}_{\text{LM}}$$

# %%
predict(
    "forgotten",
    "After fine-tuning on the labels: how many times its old perplexity has the language model?",
    unit="x",
)

# %% slide="subslide"
from elmo_mini.recurrent.forgetting import fine_tune_and_watch

mine = examples[: 2 * LABELS]
curves, skill = {}, {}
for name, plain_text in (("labels alone", None), ("with the joint loss", stream)):
    torch.manual_seed(0)
    classifier = LSTMClassifier(len(vocabulary), 2, embedding=64, hidden=64, dropout=0.2)
    curves[name] = fine_tune_and_watch(
        classifier,
        model,
        *zip(*mine, strict=True),
        held_out_stream[-len(held_out_stream) // 3 :],  # another text than in section 2
        TrainingOptions(epochs=8, batch_size=8),
        text=plain_text,
        looks=8,
    )
    skill[name] = 100 * accuracy(classifier, *zip(*unseen, strict=True))

figure = plots.curves(
    curves["labels alone"].steps,
    {name: curve.perplexities for name, curve in curves.items()},
    title="The language model inside the classifier (here)",
    xlabel="fine-tuning steps",
    ylabel="held-out perplexity",
)
most = max(max(curve.perplexities) for curve in curves.values())
figure.figure.axes[0].set_ylim(0, 1.4 * most)  # from 0: a small loss must look small
figure

# %%
for name, curve in curves.items():
    print(
        f"{name:>20}: perplexity {curve.before:.0f} before, {curve.after:.0f} after; "
        f"task {skill[name]:.0f} % right"
    )
alone = curves["labels alone"]
outcome("forgotten", alone.after / alone.before, unit="x")

# %% slide="subslide"
STORED_FORGETTING = stored_result("context_forgetting")
print(STORED_FORGETTING)
watched = STORED_FORGETTING.numbers["tasks"]
for task, numbers in watched.items():
    for way, reached_by in numbers["accuracy"].items():
        times = np.exp(numbers["forgotten, nats a token"][way]["mean"])
        print(
            f"{task}, {way}: {times:.2f} times the old perplexity, task "
            f"{reached_by['mean']:.0%} right ({reached_by['low']:.0%} to {reached_by['high']:.0%})"
        )
    by_way = numbers["accuracy"]
    price = difference(by_way["with the language-model loss"], by_way["labels alone"])
    print(f"   joint loss against labels alone, task: {price}")

# %% [markdown]
# Is it a catastrophe? Not at this size. With labels alone the perplexity grows about 1.2 times here, and 1.4 and 1.8 times on the mean of the stored runs with 1,000 labels: **the model forgets a part**. Why so little? A guess: fine-tuning lasts a few hundred steps only, and on English. With the joint loss the perplexity stays within 2 % of what it was.
#
# Is that free? For the shuffled sentences we had one seed, too little to say. For the part of speech the stored runs show a small one, 1.0 points (0.2 to 1.9). For subjective or objective the accuracy falls from 82 % to 54 %: near guessing. With the joint loss the LSTM learnt next to nothing of that task. It may be that the LSTM must move to see opinions, and the other loss holds it. It may also be that weight 1 and these five passes are a bad choice; smaller weights were not tried.
#
# And forgetting hurts only whoever still needs the old skill. Dai and Le need the language model only as a start; afterwards it may go. For a translator it is half of the work, as you will see next.

# %% [markdown] slide="slide"
# ## 7. Two language models become a translator
#
# Translation, summaries, answers in a dialogue: one sequence goes in, another comes out. The **encoder–decoder** of 2014 (Sutskever, Vinyals and Le; Cho and others) does this with two LSTMs. The encoder reads the source. The decoder says the target word by word, and is itself a language model, one that has been told what to talk about. Such a model has many numbers, and pairs of sentences with their translations are dear. So it overfits.
#
# Plain text in either language is cheap. Ramachandran, Liu and Le take **two language models**, one for each side, and build the translator from them:

# %% slide="subslide"
LM, FRESH = "from a language model", "starts at random"
boxes, arrows = [], []
for step, word in enumerate(["A", "B", "C"]):
    boxes += [
        Box(f"source word {word}", step, 0, text=word),
        Box(f"source embedding {step}", step, 1, LM, "vector"),
        Box(f"encoder layer 1, step {step}", step, 2, LM, "LSTM 1"),
        Box(f"encoder layer 2, step {step}", step, 3, FRESH, "LSTM 2"),
    ]
for step, word in enumerate(["</s>", "W", "X"], start=4):
    boxes += [
        Box(f"target word {word}", step, 0, text=word),
        Box(f"target embedding {step}", step, 1, LM, "vector"),
        Box(f"decoder layer 1, step {step}", step, 2, LM, "LSTM 1"),
        Box(f"decoder layer 2, step {step}", step, 3, FRESH, "LSTM 2"),
        Box(f"softmax {step}", step, 4.6, LM, "softmax"),
    ]
boxes.append(Box("attention", 3, 4, FRESH, "attention", width=1.1))
names = {box.name for box in boxes}
for start, end in (
    ("source word", "source embedding"),
    ("source embedding", "encoder layer 1"),
    ("encoder layer 1", "encoder layer 2"),
    ("target word", "target embedding"),
    ("target embedding", "decoder layer 1"),
    ("decoder layer 1", "decoder layer 2"),
    ("decoder layer 2", "softmax"),
):
    lower = [box for box in boxes if box.name.startswith(start)]
    upper = [box for box in boxes if box.name.startswith(end)]
    arrows += [Arrow(a.name, b.name) for a, b in zip(lower, upper, strict=True)]
arrows += [
    Arrow(f"{side} layer {layer}, step {step}", f"{side} layer {layer}, step {step + 1}")
    for side, steps in (("encoder", (0, 1)), ("decoder", (4, 5)))
    for layer in (1, 2)
    for step in steps
]
arrows += [
    Arrow("encoder layer 2, step 2", "attention", kind="read by attention"),
    Arrow("encoder layer 1, step 2", "attention", bend=0.2, kind="read by attention"),
    Arrow("decoder layer 2, step 4", "attention", kind="asks, with its query q"),
    Arrow("attention", "softmax 4", kind="read by attention"),
    Arrow("decoder layer 1, step 6", "softmax 6", bend=0.9, kind="residual"),
]
boxes_and_arrows(
    boxes, arrows, title="A translator from two language models", height=4.4, width=7.0
)

# %% [markdown]
# Drawn once each, and meant at every step: attention, with the decoder's question, and the residual. Four ideas, each with its reason:
#
# - **The softmax too** comes from the target's language model. It is one of the two largest tables, and it knows how the target language bets.
# - **Joint loss**: task and both language models, equally weighted, against forgetting.
# - **A residual.** The upper layers start at random. At first they send noise upwards and noisy gradients downwards, into numbers that took long to learn. So the output of the first layer goes around them, straight to the softmax input. On the first day, the decoder can bet as the language model did.
# - **Attention to both layers.** The decoder looks back at the source: at the new top layer, and at the pretrained first layer beside it.
#
# **Attention** is a look into the source with shared-out eyes. The decoder asks with a vector $q$. Each source word offers a vector $k_s$. The better the two fit, the larger the share of the look:
#
# $$\alpha_s = \frac{\exp(q \cdot k_s)}{\sum_{s'} \exp(q \cdot k_{s'})}$$

# %% [markdown] exercise="attend"
# ### Exercise 8. Where to look
#
# Write `attend(queries, keys, mask)`:
#
# - `queries` (B, T, H): one for each target word,
# - `keys` (B, S, H): one for each source word,
# - `mask` (B, S): True at real source words.
#
# Return the shares (B, T, S). Those of one query add up to 1, and padding gets exactly 0.


# %% exercise="attend"
def attend(queries, keys, mask):
    """(B, T, S): how much each target step looks at each source word."""
    ### BEGIN SOLUTION
    scores = queries @ keys.transpose(1, 2)
    return scores.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(-1)
    ### END SOLUTION


# %% check="attend"
check("attend", attend)

# %% [markdown] hints="attend"
# nudge: Three steps: all scores, then something about the padding, then the shares. Which of them must come before which?
#
# idea: `queries @ keys.transpose(1, 2)` has all scores, (B, T, S). A score of minus infinity gets a share of exactly 0, and the others still add up to 1. The mask needs an axis in the middle: `mask.unsqueeze(1)`.
#
# outline: `scores.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(-1)`.

# %% [markdown] slide="subslide"
# The same shares then read **both** layers, and the two results stand side by side. (The translator below uses the package's `attend`, the one that yours was held to.)

# %%
from elmo_mini.recurrent.seq2seq import attend_to_layers

attend = or_reference("attend", attend)
torch.manual_seed(0)
query, first_layer, top_layer = torch.randn(1, 1, 4), torch.randn(1, 3, 4), torch.randn(1, 3, 4)
shares = attend(query, top_layer, torch.tensor([[True, True, False]]))
print("shares:", ", ".join(f"{share:.2f}" for share in shares.flatten()), "(the third is padding)")
print("both layers, read:", tuple(attend_to_layers(shares, first_layer, top_layer).shape))

# %% [markdown] slide="subslide"
# ### A task without a translator
#
# Translations are dear, so we make pairs out of any text. In a **telegram** every word cost money, and the small words stayed away. The source is a sentence as a telegram, the target the whole sentence. The model must put the small words back.

# %%
from elmo_mini.recurrent.seq2seq import (
    Seq2Seq,
    seq2seq_perplexity,
    start_decoder,
    start_encoder,
    train_seq2seq,
)
from elmo_mini.recurrent.telegrams import telegram

LONGEST, UNKNOWN = (9, 1) if text.name == "brown" else (25, 6)  # a small text has few short ones


def as_pairs(part, skip=0):
    """(telegram, sentence) of short sentences with few words outside the vocabulary."""
    of_length = (s for s in text.split(part).sentences(lower=True) if 5 <= len(s) <= 25)
    return [
        (vocabulary.encode(telegram(s)), vocabulary.encode(s))
        for s in itertools.islice(of_length, skip, None)
        if len(s) <= LONGEST
        and len(telegram(s)) >= 2
        and sum(word not in vocabulary for word in s) <= UNKNOWN
    ]


# Sentences that the language model has not read; a small text has none left, so it shares.
unread = as_pairs("train", skip=len(train)) or as_pairs("train")
draw = np.random.default_rng(0).permutation(len(unread))[:2_000]
known, asked = [unread[i] for i in draw], as_pairs("dev")[:300]
print(f"{len(known):,} pairs to learn from, {len(asked)} to be asked. For example:")
for short, whole in known[:3]:
    print("  ", " ".join(vocabulary.decode(short)).upper(), "→", " ".join(vocabulary.decode(whole)))

# %% [markdown]
# Our language model of section 2 will be the decoder's. For the encoder we train a second one, on telegrams. Both have seen plain text only.
#
# **Does the translator read its telegram at all?** A decoder from a good language model can bet well without looking at the source. So two numbers belong beside its perplexity:
#
# - that of the language model alone, which gets no telegram,
# - that of the same translator when each sentence comes with the telegram of **another** sentence.


# %%
def swapped(pairs):
    """Each sentence with the telegram of the next pair."""
    return [(pairs[i - len(pairs) + 1][0], whole) for i, (_, whole) in enumerate(pairs)]


@torch.no_grad()
def without_telegram(pairs):
    """Perplexity of section 2's language model on the same sentences, one by one."""
    losses, tokens = [], []
    for _, whole in pairs:
        ids_of = torch.tensor([[1, *whole, 1]])  # 1 is the boundary
        logits, _ = model(ids_of[:, :-1])
        losses.append(float(functional.cross_entropy(logits[0], ids_of[0, 1:])))
        tokens.append(len(whole) + 1)
    return perplexity(losses, tokens)


alone = without_telegram(asked)
print(f"The language model alone, without a telegram: perplexity {alone:.0f}")

# %%
predict(
    "seq2seq_start",
    "Perplexity of the whole sentence, given the telegram: how many times larger with a random start?",
    unit="x",
)

# %% slide="subslide"
from elmo_mini.recurrent.language_model import train_language_model

telegrams = text_stream([telegram(sentence) for sentence in train], vocabulary)
torch.manual_seed(0)
source_model = LSTMLanguageModel(len(vocabulary), embedding=64, hidden=64)
train_language_model(source_model, telegrams, TrainingOptions(epochs=PASSES, learning_rate=1e-2))

right, wrong = {}, {}
for name, from_models in (("random start", False), ("two language models", True)):
    torch.manual_seed(0)
    translator = Seq2Seq(len(vocabulary), len(vocabulary), 64, dropout=0.2)
    if from_models:
        start_encoder(translator, source_model)
        start_decoder(translator, model)
    options = TrainingOptions(epochs=6, batch_size=32, learning_rate=7e-3)
    train_seq2seq(translator, known, options)
    right[name] = seq2seq_perplexity(translator, asked)
    wrong[name] = seq2seq_perplexity(translator, swapped(asked))

plots.bars(
    ["language model alone", *right],
    {
        "with its telegram": [np.nan, *right.values()],
        "with another's telegram": [np.nan, *wrong.values()],
        "without a telegram": [alone, np.nan, np.nan],
    },
    title=f"Telegrams made whole, {len(known):,} pairs (here, one seed)",
    ylabel="perplexity",
)

# %%
outcome("seq2seq_start", right["random start"] / right["two language models"], unit="x")

# %% [markdown]
# On our text (Brown) the translator from two language models **reads its telegram**. With it the perplexity is less than half of that of the language model alone. With the telegram of another sentence it is led astray: much worse than the language model with none. The second comparison is the stronger one: the translator has practised short sentences, the language model has not.
#
# The random start, with the same pairs, reads its telegram a little as well; but it must learn English besides, and ends about where the language model stands without any telegram. That is one seed. And do not expect good sentences: perplexity asks for one word at a time, with the true words before it. What such a small model says by itself is hardly ever the right sentence.
#
# (If you run on the small text that comes with the course, a few hundred pairs are not enough: its own telegram and another's make hardly a difference.)

# %% [markdown] slide="subslide"
# The start is worth a great deal. Which **part** of it? The stored experiment takes the method apart, one piece at a time, with three seeds.

# %% slide="subslide"
STORED_SEQ2SEQ = stored_result("context_seq2seq")
print(STORED_SEQ2SEQ)
cost = STORED_SEQ2SEQ.numbers["log perplexity above the whole method, same seeds"]
NAMES = {
    "no pretraining, no language-model loss": "neither start nor LM loss",
    "language-model loss without pretraining": "LM loss, random start",
    "pretraining without language-model loss": "start, no LM loss",
    "only the encoder pretrained": "encoder's start only",
    "only the decoder pretrained": "decoder's start only",
    "decoder without its softmax": "start without softmax",
    "without the residual": "no residual",
    "attention to the top layer only": "attention to top only",
}
plots.bars(
    list(NAMES.values()),
    {"nats lost": [cost[name]["mean"] for name in NAMES]},
    errors={"nats lost": np.array([cost[name]["high"] - cost[name]["mean"] for name in NAMES])},
    title="Loss above the whole method, 3 seeds (stored)",
    ylabel="nats a word",
)

# %%
for name, numbers in STORED_SEQ2SEQ.numbers["variants"].items():
    value = {measure: numbers[measure]["mean"] for measure in numbers}
    print(
        f"{NAMES.get(name, name):>26}: perplexity {value['perplexity']:.0f}, with another's "
        f"telegram {value['perplexity, telegram of another sentence']:.0f}; "
        f"BLEU {100 * value['BLEU']:.1f} of 100"
    )

# %% [markdown]
# Read it by the same rule: an interval that contains 0 is no clear difference.
#
# - **The start is the large piece.** Without it 0.48 nats more (0.26 to 0.69): a perplexity of 57 in place of 35. Nearly all of it is the **decoder's**: with the encoder's start alone 0.36 are lost, with the decoder's alone 0.04, which is no clear difference. The decoder has to know the language; the telegram is short.
# - **Softmax, residual, attention to both layers** are worth 0.11 to 0.12 nats each: a perplexity about an eighth higher without. Small, and clear.
# - **The joint loss does not help here.** Without it the loss is 0.09 nats *lower* (0.01 to 0.17). It does keep the language model inside alive (perplexity 45, without it 117). All models were best after their last pass: they did not overfit yet, and protection against overfitting is what the paper wants it for.
#
# All of them read their telegrams: with another's it is far worse. And all of them speak badly. **BLEU** counts the word groups that a sentence shares with the right one; 1 or 2 of 100 means almost none.

# %% [markdown]
# ### What they claimed, and what is told
#
# The abstract claims two things. **Translation**, English to German: 1.3 BLEU above the previous best, on the test texts of 2014 and 2015 of WMT, the yearly comparison of translation systems. **Summaries**, on news from CNN and the Daily Mail: better than the purely supervised baseline *in the eyes of human judges*. It claims no record there. Translation gained because the model **generalised** better, they write, and summaries because **training** went better (arXiv, version 1).
#
# To cite it right: the paper was at EMNLP 2017; CNN and Daily Mail are its summaries, not its translation; and the figure that is redrawn above is its own, not the ELMo paper's.

# %% [markdown] slide="slide"
# ## Recap
#
# - A language model reads a word and bets on the next: targets are one place ahead, and rows are stretches of one text.
# - Perplexity is exp of the mean surprise of **real** words. It means nothing without its vocabulary.
# - The hidden state is a vector of the word in its **left** context. It tells senses apart that one vector per word cannot.
# - context2vec looks from both sides at a gap. Its vector does not contain the word: if it did, the game would be won by copying.
# - In 2015 a whole LSTM, and not only its word vectors, moved into a classifier. It helps when what it has learnt is what the task needs.
# - Fine-tuning wears the language model down, here by a part. A joint loss keeps it alive; what that costs depends on the task.
# - A translator can start from two language models, softmax included. Whether it reads its source is a question of its own: ask with a wrong source.
#
# What was still missing: a deep reader whose layers go **unchanged** into every task, and words that no table knows. TagLM, next, takes the first step.

# %%
calibration()

# %% [markdown] slide="subslide"
# ## Discuss 1
#
# A language model is trained without a single label. **Why can it help a task with labels at all? Name one kind of knowledge that predicting the next word forces on a model, a task that profits from it, and a task that does not.** Use what you measured here. Four to six sentences.

# %% [markdown] discussion="why_unlabelled_helps" points=3
# To predict the next word well, a model must keep what the words so far say about it: agreement, which kinds of words follow each other, which words belong to one topic. These regularities are in every text, so no label is needed to learn them. A task profits when its answer depends on the same regularities: whether a sentence is shuffled is a question about order, and the pretrained start made the difference between guessing and a usable classifier with a hundred labels. A task whose answer lies in single words, such as subjective or objective, needs little of it: counting words goes a long way. There the labels must teach what the language model never had to know, which words express an opinion. Pretraining helps as far as the knowledge behind the two tasks overlaps.
#
# **Rubric, 3 points.** 1 for a mechanism: predicting forces knowledge of order, agreement, topic or the like (0.5 for "it has seen a lot of text"). 1 for a task that profits, with the reason. 1 for a task that does not, or less, with the reason, or for a measurement of this lesson read correctly.

# %% [markdown] slide="subslide"
# ## Discuss 2
#
# Until 2018 nearly every system for tagging, translation or reading took static vectors and put its own LSTM on top, trained from nothing on the task's labels. **Why not make the vectors contextual from the start? Give two reasons that held people back, and say for each whether this lesson has weakened it.** Three to five sentences.

# %% [markdown] discussion="why_not_from_the_start" points=2
# A static table is a look-up and can be downloaded; a contextual vector must be computed for each sentence, with a network that has to be kept and run. That cost is still there. It was also widely held that the task's own LSTM would learn the context that it needs; with few labels it does not, as the shuffled sentences show: from a random start a hundred labels were hardly better than guessing. A third reason: fine-tuning a pretrained network can destroy what it knew; a joint loss, or freezing, answers that. And a left-to-right state knows only half of the sentence; context2vec answers that.
#
# **Rubric, 2 points.** 0.5 for each of two real reasons (cost, the task's own encoder, forgetting, one direction only, lack of data or machines), and 0.5 for each reasoned verdict that uses something from this lesson.

# %% [markdown]
# ## Further reading
#
# - The context2vec paper: compare its network with CBOW of lesson 01.
# - Dai and Le, on the two ways to pretrain.
# - Ramachandran, Liu and Le, for the figure that is redrawn above, and for their own ablation.
# - **CoVe** (McCann and others, NIPS 2017): contextual vectors from the encoder of a translator. It stands between this lesson and ELMo.
# - In the package: `elmo_mini/recurrent/language_model.py`, `elmo_mini/recurrent/context2vec.py`, `elmo_mini/recurrent/classifier.py`, `elmo_mini/recurrent/forgetting.py`, `elmo_mini/recurrent/seq2seq.py`; the stored experiments are `python -m elmo_mini.experiments.context`.
#
# Next: **04 · TagLM.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Why does the state contain the word, and context2vec's vector not?* Because the losses ask different things: the one for the neighbour, the other for the word itself. Let them say what a leak would be in each. *Is a perplexity of 50 good?* Ask back: with which vocabulary? *Does word2vec's window not see both sides too?* Yes, without order and without a sentence: its vector of a word is the same everywhere. *Is the joint loss not simply more training data?* It is; that is the point: plain text is the data that keeps the old skill. *Why so small an LSTM?* The lesson must run in a minute; the stored results say what they were made with. *Poll before section 5:* "You have 100 labels and 10,000 sentences without. Copy the word vectors, the LSTM, both, or neither?"
