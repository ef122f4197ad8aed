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
# ## A bidirectional language model from scratch
#
# Lesson 07 · ELMo: Peters and others, 2018, section 3.1
#
# minutes: 1
#
# say: ELMo's vectors are the states of two language models: one reads from the left, one from the right. Today both are built, and on the way the class that everybody writes first is taken apart.
#
# ask: Who has used `nn.LSTM(bidirectional=True)`?
#
# expect: Most hands. Ask what it was trained to do: for labels it is fine.
#
# skip: Leave out the question.

# %% [markdown] slide="slide"
# # 07 · A bidirectional language model from scratch
#
# ELMo's vectors are the hidden states of a **bidirectional language model**, a biLM: one reader from the left, one from the right. Here you build both: the question, the loop, the step, the two readers. Your class then loads a model that was trained for an hour and a half, and it speaks. On the way you learn the test that every such model must pass.

# %%
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from course.figures import plots
from course.texts.small_text import small_text

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% tags=["road"]
plots.road("07")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - write the loss and the loop of a bidirectional language model, and judge it against counts,
# - write one step of ELMo's LSTM, and derive what it remembers,
# - open a file in ELMo's official format, and read a padded batch from both ends with its weights,
# - show which states have read which words, and find the fault when one has read its answer.
#
# ## The paper
#
# **ELMo**: Peters, Neumann, Iyyer, Gardner, Clark, Lee and Zettlemoyer, *Deep contextualized word representations*, NAACL 2018, [arXiv:1802.05365](https://arxiv.org/abs/1802.05365). Section 3.1 is the model, section 3.4 its sizes. The projection is from [Sak, Senior and Beaufays (2014)](https://arxiv.org/abs/1402.1128).
#
# Plan 130 minutes, 155 with second tries; the essay is for home. Short of time? Exercises 2, 5, 7, 8 and 9 are the spine, 90 minutes. Two sections at the end are optional.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B, T$ | sentences, tokens in each | $w_t, x_t$ | token $t$, and its vector without context |
# | $H, C$ | numbers in a state, cells | $h_t, c_t$ | the state after token $t$, and the cells |
# | $L, V$ | layers, words in the vocabulary | $i, g, f, o$ | input gate, candidate, forget gate, output gate |
# | $\sigma$ | the sigmoid function | `W_0`, `B`, `W_P_0` | weights, bias and projection in ELMo's official files |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes: 97 for the exercises as announced, 16 to read, 5 for the predictions, 2 to wait: that is 120. By section: introduction 2; section 1, 31; section 2, 27; section 3, 29; section 4, 5; section 5, 15; section 6, 10; recap, 1. With second tries add 25. The essay takes 10, at home, the sections at the end 8 and 3. For 60 minutes: show exercises 1, 3, 4 and 6 solved, let them do 2, 5, 7 and 8, and take section 6 as a poll. Students get stuck in exercise 7 on what the backward reader is given and what must be reversed again: draw a batch with one short sentence on the board, padding in grey, and move a finger. Keep the secret of section 1 until section 5. Somebody will shout "it cheats"; ask how they would show it.

# %% [markdown] deck="words"
# ## The class that everybody writes first
#
# ```python
# nn.LSTM(dim, dim, num_layers=2, bidirectional=True)
# ```
#
# The first half of each state predicts the **next** word, the second half the word **before**.
#
# minutes: 2
#
# say: You want a network that knows both sides of a word. PyTorch has a switch for that, and two layers are better than one. Its forward half is asked for the next word, its backward half for the one before.
#
# ask: Is anything wrong with it?
#
# expect: "No, each half predicts its own side." Do not answer. The next slides do.
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## 1. The class that everybody writes first
#
# You want the states of a network that knows both sides of a word. PyTorch has a switch for that: `bidirectional=True`. Two layers are better than one: `num_layers=2`. The first half of each state comes from the left and predicts the next word, the second half the word before.

# %%
TEXT = small_text(train=6_400, held_out=200, words=1_000)
V, HELD_OUT = len(TEXT.vocabulary), TEXT.held_out
held_ids, held_words = TEXT.words(HELD_OUT)  # ids: 0 is padding; words: 0 is <unk>
unknown = float((held_words[held_ids > 0] == 0).double().mean())
print(f"{len(TEXT.train):,} sentences to learn from, {len(HELD_OUT)} held out, {V:,} words.")
print(f"All other words are <unk>: {unknown:.0%} of the held-out tokens.")

# %% [markdown] exercise="TwoWay"
# ### Exercise 1. The class that everybody writes first
#
# Write the class. `TwoWay(words, size, layers)` has three parts with weights:
#
# - `self.table`: a vector of `size` numbers for each of the words, and a row 0 for padding,
# - `self.bias`: a parameter with a number for each word, zeros at first,
# - `self.lstm`: PyTorch's LSTM in both directions, with `size` numbers for each. It reads whole rows, padding included.
#
# Called with `ids` (B, T), where 0 is padding and 1 the first word, it returns two things: a list of two tensors (B, T, 2 size), namely each word's vector beside itself, $[x; x]$, and the top states; and the mask (B, T), True at words.


# %% exercise="TwoWay"
import torch
from torch import nn


class TwoWay(nn.Module):
    """A bidirectional language model with PyTorch's own switch."""

    def __init__(self, words, size, layers=2):
        super().__init__()
        ### BEGIN SOLUTION
        self.table = nn.Embedding(words + 1, size)
        self.bias = nn.Parameter(torch.zeros(words))
        self.lstm = nn.LSTM(size, size, layers, bidirectional=True, batch_first=True)
        ### END SOLUTION

    def forward(self, ids):
        """(B, T) to [x ; x] and the top states, (B, T, 2 size) each, and the mask (B, T)."""
        ### BEGIN SOLUTION
        x = self.table(ids)
        states, _ = self.lstm(x)
        return [torch.cat([x, x], -1), states], ids > 0
        ### END SOLUTION


# %% check="TwoWay"
check("TwoWay", TwoWay)

# %% [markdown] hints="TwoWay"
# nudge: How many rows does the table need, if the ids go from 0 to the number of words? Which axis of its input does `nn.LSTM` take for the sentence?
#
# idea: `nn.Embedding(words + 1, size)`, `nn.Parameter(torch.zeros(words))`, and an `nn.LSTM` that is told `bidirectional=True` and `batch_first=True`. An LSTM returns two things: the states of all words, and the last ones.
#
# outline: In `forward`: x from the table; the states are the first thing that `self.lstm(x)` returns. The first layer is `torch.cat([x, x], -1)`. Return the list of the two, and `ids > 0`.

# %% [markdown] deck="words"
# ## What the readers are asked
#
# At every token the forward reader bets on the **next** word, the backward reader on the one **before**.
#
# . . .
#
# The state at position $t$ has **read** $w_t$. It is asked about a neighbour.
#
# minutes: 2
#
# say: Nobody has labelled anything: the text asks the questions, so this is self-supervised. The two readers share the token layer and the softmax; the LSTMs have weights of their own. The losses are added.
#
# ask: How many questions does a sentence of ten words ask?
#
# expect: "Ten." Nearly twice that: one for each reader at each word.
#
# skip: First sentence only.

# %% [markdown] slide="subslide"
# ### What the readers are asked
#
# Nobody has labelled anything. The text itself asks the questions: learning is **self-supervised**. At every token, the forward reader bets on the next one and the backward reader on the one before:
#
# $$\sum_{t=1}^{T} \Big( \log p(w_t \mid w_1, \dots, w_{t-1};\ \Theta_x, \overrightarrow{\Theta}_{\text{LSTM}}, \Theta_s) + \log p(w_t \mid w_{t+1}, \dots, w_T;\ \Theta_x, \overleftarrow{\Theta}_{\text{LSTM}}, \Theta_s) \Big)$$
#
# This is section 3.1 of the paper, the chain rule of lesson 03, once from each end. $\Theta_x$ is the token layer and $\Theta_s$ the softmax, and **both directions share them**. The LSTMs of the two have weights of their own. They are trained jointly, by the sum of their losses.
#
# The state at position $t$ has **read** $w_t$. It is asked about a neighbour.

# %% [markdown] exercise="bilm_loss"
# ### Exercise 2. What each direction is asked
#
# Write `bilm_loss(top, mask, words, W, b)`:
#
# - `top` (B, T, 2H), the top states: the first H numbers are the forward reader's,
# - `mask` (B, T), True at tokens; padding stands at the end of a row,
# - `words` (B, T), the word numbers, the boundaries `<S>` and `</S>` of a sentence included (one number for both); at padding they mean nothing,
# - `W` (V, H) and `b` (V,), the softmax of both directions: a word's score is the dot product of its row and the state, plus its bias.
#
# Return a tensor (2,): the mean $-\log p$ in nats over all tokens that the forward reader is asked for, and the same for the backward reader.


# %% exercise="bilm_loss"
def bilm_loss(top, mask, words, W, b):
    """(2,): what the forward and the backward reader pay for a token, in nats."""
    ### BEGIN SOLUTION
    ahead, behind = top.chunk(2, -1)
    pair = mask[:, 1:]  # a token and the one before it are both there
    forward = functional.cross_entropy(ahead[:, :-1][pair] @ W.T + b, words[:, 1:][pair])
    backward = functional.cross_entropy(behind[:, 1:][pair] @ W.T + b, words[:, :-1][pair])
    return torch.stack([forward, backward])
    ### END SOLUTION


# %% check="bilm_loss"
check("bilm_loss", bilm_loss)

# %% [markdown] hints="bilm_loss"
# nudge: Write the sentence *`<S>` dogs bark `</S>`* and two positions of padding. Below each position write what either reader must say. Which positions stay empty?
#
# idea: The forward states of all positions but the last meet the words of all positions but the first. For the backward reader it is the other way round. A pair counts if both positions are tokens, and `mask[:, 1:]` says that for both directions.
#
# outline: Cut the states with `.chunk(2, -1)`. Choose `ahead[:, :-1][pair]` and `words[:, 1:][pair]`, which are (N, H) and (N,). Scores: `@ W.T + b`. `functional.cross_entropy(scores, answers)` is the mean. Then the backward reader; `torch.stack` the two.

# %% [markdown] exercise="fit"
# ### Exercise 3. The loop
#
# Write `fit(model, loss_of, batches, rate, look)`. Go through `batches` once, in their order. `loss_of(batch)` gives the two losses of a batch, (2,). Minimise their mean with Adam at the learning rate `rate`, one step for each batch. After each step call `look(n)`, where n is the number of steps taken: it lets us watch. Return a list with the loss of each batch, plain numbers.


# %% exercise="fit"
def fit(model, loss_of, batches, rate, look):
    """The mean loss of each batch, before the step that it is used for."""
    ### BEGIN SOLUTION
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for batch in batches:
        loss = loss_of(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        look(len(losses))
    return losses
    ### END SOLUTION


# %% check="fit"
check("fit", fit)

# %% [markdown] hints="fit"
# nudge: Four things happen for each batch. Which of them needs the result of which?
#
# idea: One `torch.optim.Adam(model.parameters(), lr=rate)`, made before the loop. `backward()` adds to the gradients that are there, so empty them first. A loss keeps its whole computation in memory; `.item()` keeps the number.
#
# outline: Make the optimiser and an empty list. For each batch: `loss = loss_of(batch).mean()`, `optimizer.zero_grad()`, `loss.backward()`, `optimizer.step()`, append `loss.item()`, call `look` with the length of the list.

# %% [markdown] deck="words"
# ## Two checks that cost nothing
#
# 1. Before the first step it pays about $\ln V$ nats a token: here 6.91.
# 2. It can learn **one batch by heart**. If not, the fault is not the data.
#
# minutes: 1.5
#
# say: Our class passes both: 6.90 at first, 0.50 after 150 steps on one batch. Both are worth doing with every model that you will ever write.
#
# ask: A first loss of 9 with a vocabulary of a thousand. What does it tell?
#
# expect: "A bad start, training will mend it." The model is too sure, and wrong: look at the scale of the first scores.
#
# skip: Read them.

# %% [markdown] slide="subslide"
# Two checks cost nothing and find some mistakes. Before the first step a model knows nothing, so it should pay about $\ln V$ nats a token. And it must be able to learn **one** batch by heart (to overfit it). If it cannot, the fault is not the data.

# %% slide="subslide"
TwoWay, bilm_loss, fit = (
    or_reference(name, own)
    for name, own in (("TwoWay", TwoWay), ("bilm_loss", bilm_loss), ("fit", fit))
)
SIZE, RATE = 64, 1e-2


def softmax_of(model):
    """W (V, H) and b (V,): a word's row of the table serves as its row of the softmax, too.

    It is scaled, so that the scores are small at first.
    """
    return model.table.weight[1:] * SIZE**-0.5, model.bias


def word_loss(model):
    """The loss of a batch (ids, words), by your function."""

    def loss_of(batch):
        layers, mask = model(batch[0])
        return bilm_loss(layers[-1], mask, batch[1], *softmax_of(model))

    return loss_of


torch.manual_seed(0)
model = TwoWay(V, SIZE)
one_batch = TEXT.words(TEXT.train[:16])
by_heart = fit(model, word_loss(model), [one_batch] * 150, RATE, lambda step: None)
print(
    f"ln V = {np.log(V):.2f}; the first loss is {by_heart[0]:.2f}, after 150 steps {by_heart[-1]:.2f}"
)

# %% [markdown]
# Now the real run. Two yardsticks bet by counts alone, from the same sentences. One counts **words** by themselves (a unigram model). The other counts **pairs** of neighbours (a bigram model, smoothed after Kneser and Ney): it knows one word of context. Perplexity (lesson 03) says how many words a model is torn between.

# %%
unigram, pairs = (TEXT.ngram(HELD_OUT, order) for order in (1, 2))
print(f"Held-out perplexity: counts of words {unigram:.1f}, counts of pairs {pairs:.1f}")

# %% [markdown] deck="poll"
# - about 46, as the counts of words
# - about 25, as the counts of pairs
# - about 15
# - below 5
#
# minutes: 2
#
# say: Held-out sentences of Brown, a thousand words. Counts of words reach 46.5, smoothed counts of pairs 24.6. Our class has two layers of 64 and reads four thousand sentences.
#
# ask: The poll.
#
# expect: "About 15: it knows the whole sentence." If somebody says below 5, ask how that could be.
#
# skip: Vote without reasons.

# %%
predict("famous", "Which perplexity will your class reach on held-out sentences?")

# %% [markdown]
# Beside your class runs its twin: the same sizes, but **an `nn.LSTM` of its own for each direction**, so that the two never meet. The backward one gets each sentence reversed within its length, and its states are turned back (section 3 has this in full).


# %%
class Apart(nn.Module):
    """Two readers with states of the same size, whose layers never meet."""

    def __init__(self, words, size, layers=2):
        super().__init__()
        self.table = nn.Embedding(words + 1, size)
        self.bias = nn.Parameter(torch.zeros(words))
        self.ahead = nn.LSTM(size, size, layers, batch_first=True)
        self.behind = nn.LSTM(size, size, layers, batch_first=True)

    def forward(self, ids):
        """What `TwoWay` returns."""
        x, mask = self.table(ids), ids > 0
        last = mask.sum(1, keepdim=True) - 1
        turn = ((last - torch.arange(ids.shape[1])) % ids.shape[1])[..., None]  # twice: as before
        behind = self.behind(x.take_along_dim(turn, 1))[0].take_along_dim(turn, 1)
        return [torch.cat([x, x], -1), torch.cat([self.ahead(x)[0], behind], -1)], mask


# %% [markdown]
# Both now read 256 batches of 16 sentences, with your loss and your loop (about 10 s).

# %% [markdown] deck="figure"
# minutes: 2
#
# say: The lowest curve: torn between a handful of words, on text that it has never seen, after so little reading. The other model has states of the same size, and its directions never meet. It stays between the two counts. Held-out text does not give the first one away: whatever it does works there, too.
#
# ask: Which of the two would you publish?
#
# expect: "The lower one." A miracle is a fault until somebody has explained it.
#
# skip: Keep it.

# %% slide="subslide"
from elmo_mini.progress import progress_bar

STEPS, EVERY = 256, 32


def first_batches(number, size=16):
    """The first so many batches of sentences to learn from, as ids and words."""
    for _, sentences in zip(progress_bar(range(number)), TEXT.batches(size), strict=False):
        yield TEXT.words(sentences)


@torch.no_grad()
def held_out(model):
    """(2,): what the two readers pay for a held-out token."""
    return word_loss(model)((held_ids, held_words)).numpy()


torch.manual_seed(0)
quick = {"bidirectional=True": TwoWay(V, SIZE), "two that never meet": Apart(V, SIZE)}
paid = {name: [] for name in quick}
for name, model in quick.items():

    def look(step, model=model, paid=paid[name]):
        """Note what is paid, every 32 steps."""
        if step % EVERY == 0:
            paid.append(held_out(model))

    fit(model, word_loss(model), first_batches(STEPS), RATE, look)

perplexities = {name: np.exp(np.mean(nats, 1)) for name, nats in paid.items()}
low, high = sorted(float(run[-1]) for run in perplexities.values())
counts = {"counts of words": unigram, "counts of pairs": pairs}
plots.curves(
    np.arange(EVERY, STEPS + 1, EVERY),
    perplexities | {name: np.full(STEPS // EVERY, found) for name, found in counts.items()},
    title=f"One is torn between {low:.1f} words, the other between {high:.1f} (one run each)",
    xlabel="batches of 16 sentences",
    ylabel="held-out perplexity",
)

# %%
outcome("famous", float(perplexities["bidirectional=True"][-1]))

# %% [markdown]
# Look at the lowest curve. After four thousand sentences, a small network is torn between a handful of words, on text that it has never seen. The other stays near the counts. Held-out text does not give the first one away: whatever it does works there, too.

# %% [markdown] deck="formula"
# ## One step of ELMo's LSTM
#
# $c$: private notes. $h$: what the reader shows. $x$: the new word
#
# minutes: 3
#
# say: Page c has the reader's private notes, page h is what it shows. Four decisions: how much of each old note to keep, how much of the new one to write, the new note itself, how much to show. Different from the textbook: a projection brings 4,096 cells down to 512 numbers, a clip keeps both pages small, and there is a plus 1 in the forget gate.
#
# ask: What is the plus 1 for?
#
# expect: "To avoid dividing by zero." At the start all f are near 0: see the next slide.
#
# skip: Say what the four decisions are.

# %% [markdown] slide="slide"
# ## 2. One step of the reader
#
# Page $c$ holds the reader's private notes, page $h$ is what the reader shows. At each word it takes four decisions, from the new word $x$ and the $h$ before:
#
# - the **forget gate** $f$: how much of each old note to keep,
# - the **input gate** $i$: how much of the new note to write down,
# - the **candidate** $g$: the new note itself,
# - the **output gate** $o$: how much of each note to show.
#
# $$[\,i, g, f, o\,] = [x; h]\,W_0 + B \qquad c' = \operatorname{clip}\big(\sigma(f + 1) \odot c + \sigma(i) \odot \tanh(g)\big) \qquad h' = \operatorname{clip}\big((\sigma(o) \odot \tanh(c'))\,W_{P}\big)$$
#
# A prime marks the new page; $\odot$ multiplies number by number. Three things differ from the textbook. A projection $W_P$ brings $C$ cells down to $H$ numbers (`nn.LSTM(proj_size=H)`): ELMo has $C = 4096$ and $H = 512$, a large memory and small layers around it. A **clip** keeps both pages between −3 and 3. And a **1** is added to the forget gate's score.

# %% [markdown] exercise="lstm_step"
# ### Exercise 4. One word through the cell
#
# Write `lstm_step(x, h, c, W_0, B, W_P_0, clip)` for one word of each sentence of a batch:
#
# - `x` and `h` (B, H), `c` (B, C), from the word and from the step before,
# - `W_0` (2H, 4C): its upper H rows are for `x`, its lower H rows for `h`; its columns are four blocks of C, in the order i, g, f, o,
# - `B` (4C,), the bias, and `W_P_0` (C, H), the projection.
#
# Return the new `(h, c)`, tensors that autograd can follow back.


# %% exercise="lstm_step"
def lstm_step(x, h, c, W_0, B, W_P_0, clip):
    """One word: the next h (B, H) and c (B, C)."""
    ### BEGIN SOLUTION
    i, g, f, o = (torch.cat([x, h], -1) @ W_0 + B).chunk(4, -1)  # each (B, C)
    c = torch.sigmoid(f + 1) * c + torch.sigmoid(i) * torch.tanh(g)
    c = c.clamp(-clip, clip)
    h = (torch.sigmoid(o) * torch.tanh(c)) @ W_P_0
    return h.clamp(-clip, clip), c
    ### END SOLUTION


# %% check="lstm_step"
check("lstm_step", lstm_step)

# %% [markdown] hints="lstm_step"
# nudge: One product gives all four blocks at once. Which of the four go through a sigmoid, which through a tanh? What has C numbers and what has H?
#
# idea: `torch.cat([x, h], -1)` has shape (B, 2H). `.chunk(4, -1)` cuts the result, (B, 4C), into four. The 1 is added to f before its sigmoid. `*` multiplies number by number, `@` is for the matrices.
#
# outline: Cut the product into i, g, f, o. New c: forget gate times old c, plus input gate times tanh of g; then `.clamp(-clip, clip)`. New h: output gate times tanh of the **clipped** c, through `@ W_P_0`, then clamped too.

# %%
lstm_step = or_reference("lstm_step", lstm_step)

# %% [markdown] slide="subslide"
# ### Why the 1?
#
# A note from the first word must survive $T$ steps to help at the last. In a fresh network all weights are small, so all $f$ are near 0.

# %% [markdown] deck="poll"
# - about 37 %
# - about 10 %
# - less than 1 %
#
# minutes: 1.5
#
# say: A fresh network: all f are near zero, so with the 1 a gate is sigma of 1, which is 0.73. How much of a note is left after twenty words?
#
# ask: The poll.
#
# expect: "37, it is high." 0.73 to the twentieth.
#
# skip: Say it.

# %%
predict("note", "All f = 0: how much of a note is left after 20 words?", unit="%")

# %% [markdown] exercise="memory_left"
# ### Exercise 5. What is left of a note (derive it)
#
# Take pen and paper, and the formula of $c'$. Treat the gates as given numbers that do not depend on $c$. Derive $\partial c_t / \partial c_0$, by how much $c_t$ moves when $c_0$ moves a little, with the chain rule. What is the derivative of the clip where it does not bind, and where it does? Your result is also the share of the **gradient** that comes back along the cells.
#
# Then write `memory_left(i, g, f, c_0, clip)`. `i`, `g` and `f` are NumPy arrays (T, C), before their sigmoid or tanh; `c_0` is (C,). Return the derivatives after each word, an array (T, C). Each cell is on its own. Autograd is switched off.


# %% exercise="memory_left"
def memory_left(i, g, f, c_0, clip):
    """(T, C): by how much each cell moves at t when it moves at the start."""
    ### BEGIN SOLUTION
    left, c, rows = np.ones(len(c_0)), c_0, []
    for i_t, g_t, f_t in zip(i, g, f, strict=True):
        gate = 1 / (1 + np.exp(-(f_t + 1)))
        new = gate * c + np.tanh(g_t) / (1 + np.exp(-i_t))
        left = left * gate * (np.abs(new) < clip)
        c = np.clip(new, -clip, clip)
        rows.append(left)
    return np.array(rows)
    ### END SOLUTION


# %% check="memory_left"
check("memory_left", memory_left)

# %% [markdown] hints="memory_left"
# nudge: For one step, $c_t = a\,c_{t-1} + b$ with numbers $a$ and $b$. What is the derivative? And for two steps?
#
# idea: The derivative of one step is the forget gate $\sigma(f_t + 1)$; the new note does not depend on $c_0$. Over $t$ steps the derivatives multiply. A clipped cell stands still when its input moves: derivative 0, and 0 times anything stays 0.
#
# outline: Keep `left`, ones of shape (C,), and `c = c_0`. For each word: the gate, the new c before clipping, `left = left * gate * (np.abs(new) < clip)`. Append `left`, and go on with the clipped c. Return the rows as one array.

# %% [markdown] deck="figure"
# ## A note fades at each word; the 1 slows it down
#
# minutes: 1.5
#
# say: A logarithmic axis. With the 1 a fifth of a per cent is left after twenty words, without it a millionth: two thousand times less. Even that is next to nothing, so the gates must learn to open.
#
# ask: What is this called, for gradients?
#
# expect: "Overfitting." The vanishing gradient: it is the same product.
#
# skip: One sentence.

# %%
memory_left = or_reference("memory_left", memory_left)
zeros = np.zeros((20, 1))
shares = {
    name: memory_left(zeros, zeros, zeros + shift, np.array([0.5]), 3.0)[:, 0]
    for name, shift in (("with the 1", 0), ("without", -1))
}
per_word = {name: share[-1] ** (1 / 20) for name, share in shares.items()}
title = "Each word keeps {:.0%} of a note with the 1, {:.0%} without (all f = 0)".format(
    *per_word.values()
)
axes = {"xlabel": "words read since", "ylabel": "share", "log_y": True}
plots.curves(np.arange(1, 21), shares, title=title, **axes)

# %%
print(f"{shares['with the 1'][-1] / shares['without'][-1]:,.0f} times as much as without the 1")
outcome("note", 100 * float(shares["with the 1"][-1]), unit="%")

# %% [markdown]
# While the clip does not bind, the derivative is the product of the gates. At $f = 0$ a gate is $\sigma(1) = 0.73$; without the 1 it halves the note. After 20 words even 0.73 has left next to nothing: the gates must learn to open.

# %% [markdown] slide="slide"
# ## 3. Two readers who never meet
#
# Give the same sentence to two people in two rooms. One reads it from the front, the other from the back, and each takes notes at every word. Then the two notes for a word are laid side by side.

# %% [markdown] deck="figure"
# ## Two readers who never meet
#
# minutes: 2.5
#
# say: Two people in two rooms, the same sentence, one from the front and one from the back. Each takes notes at every word. Only at the end are the notes laid side by side. From the second layer on, what went in is added: a residual connection. In all, 2L + 1 vectors for each token.
#
# ask: Where in this drawing does an arrow cross from one reader to the other?
#
# expect: "In the middle." Nowhere: they share the token layer below, and that sees no neighbour.
#
# skip: Point at the two lanes.

# %% slide="subslide"
from course.bilm_from_scratch.bilm_network import bilm_network

bilm_network(["<S>", "dogs", "bark", "</S>"])

# %% [markdown]
# Your `character_ids` of lesson 06 gives the boundaries their rows, but somebody must add them: `padded` does it here, `TEXT.characters` in section 4, and the course's model by itself.

# %%
character_ids = mine("character_ids")


def padded(sentences):
    """(B, T, 50): each sentence between its boundaries, then rows of zeros."""
    rows = [[list(character_ids(w)) for w in ["<S>", *words, "</S>"]] for words in sentences]
    longest = max(map(len, rows))
    return torch.tensor([row + [[0] * 50] * (longest - len(row)) for row in rows])


for token in padded([["dogs"], ["dogs", "bark"]]).flatten(0, 1)[:, :8].tolist():
    print(*token, "…")  # <S> dogs </S> and no word, then <S> dogs bark </S>

# %% [markdown]
# "Deep" in the paper's title means that all layers are used. Above the token layer there are two, $L = 2$. From the second layer on, the output is its states **plus** what went in, a **residual connection** (section 3.4): a way back that no gate can close. In all, each token has $2L + 1$ vectors:
#
# $$R_t = \{\, x_t,\ \overrightarrow{h}_{t,j},\ \overleftarrow{h}_{t,j} \mid j = 1, \dots, L \,\}$$
#
# The backward reader is a forward reader that gets the sentence reversed. Padding makes this tricky: reverse the whole row of a short sentence, and the padding comes first.

# %% [markdown] exercise="reverse_each"
# ### Exercise 6. Reverse each sentence
#
# Write `reverse_each(x, lengths)`. `x` is a tensor (B, T), (B, T, H) or with more axes. `lengths` (B,) has the number of tokens of each sentence. Return a tensor of the same shape in which each sentence is reversed within its own length. The padding stays where it is, as it is.


# %% exercise="reverse_each"
def reverse_each(x, lengths):
    """Each sentence reversed within its own length."""
    ### BEGIN SOLUTION
    rows = zip(x, lengths.tolist(), strict=True)
    return torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in rows])
    ### END SOLUTION


# %% check="reverse_each"
check("reverse_each", reverse_each)

# %% [markdown] hints="reverse_each"
# nudge: Take *a b c* with two positions of padding: *a b c . .* becomes *c b a . .*. Which slice of the row is reversed?
#
# idea: One sentence at a time is fine: reverse `row[:n]`, keep `row[n:]`. Or make a table of positions, (B, T): position t comes from `n - 1 - t` while t is inside the sentence, and from t outside.
#
# outline: For each row and its n: `torch.cat([row[:n].flip(0), row[n:]])`. Put the rows together with `torch.stack`.

# %%
reverse_each = or_reference("reverse_each", reverse_each)

# %% [markdown] slide="subslide"
# Official weights are HDF5 files. `h5py` opens them; here is a small one:

# %%
import h5py

from course.bilm_from_scratch import allennlp_record

in_file = {}


def keep(name, part):
    """Add a tensor of the file to the dict; what is no tensor is a folder."""
    if isinstance(part, h5py.Dataset):
        in_file[name] = torch.from_numpy(part[()])


with h5py.File(allennlp_record.FOLDER / "weights.hdf5") as file:
    file.visititems(keep)
for name in (name for name in in_file if name.startswith("RNN")):
    print(name, tuple(in_file[name].shape))

# %% [markdown] exercise="BiLM"
# ### Exercise 7. Two readers who never meet
#
# Write the class. `BiLM(char_cnn, weights, clip)` gets a network that turns words, (N, letters), into vectors (N, H); and `weights`, a dict as above. `RNN_0` is the forward reader and `RNN_1` the backward one, `Cell0` is the first layer. There may be more names, and one layer or three. What must be true:
#
# - `self.char_cnn` is the network of the letters.
# - All weights can be trained: copies of those in the file, found by `model.parameters()`.
# - Each layer starts with zeros for h and c. From the second layer on, what went in is added to the states. The sum is the layer's output, and the next layer reads it.
# - `model(ids)` takes (B, T, letters), where padding has zeros alone, and returns a list of $L + 1$ tensors (B, T, 2H), first $[x; x]$, then $[\overrightarrow{h}; \overleftarrow{h}]$ of each layer; and the mask (B, T), True at tokens. What stands at padding does not matter.
# - Position $t$ belongs to token $t$, in both halves.


# %% exercise="BiLM"
import torch
from torch import nn


class BiLM(nn.Module):
    """Two stacks of LSTMs over the same words."""

    def __init__(self, char_cnn, weights, clip=3.0):
        super().__init__()
        ### BEGIN SOLUTION
        self.char_cnn, self.clip = char_cnn, clip
        cell = "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell/{}"
        depth = sum(name.startswith("RNN_0/") and name.endswith("/B") for name in weights)
        self.stacks = nn.ModuleList()
        for direction in (0, 1):
            stack = nn.ModuleList()
            for layer in range(depth):
                names = {
                    kind: cell.format(direction, layer, kind) for kind in ("W_0", "B", "W_P_0")
                }
                own = {kind: weights[name].clone() for kind, name in names.items()}
                stack.append(nn.ParameterDict(own))
            self.stacks.append(stack)
        ### END SOLUTION

    def read(self, x, stack):
        """One direction from left to right: (B, T, H) to a list of (B, T, H), one for each layer."""
        ### BEGIN SOLUTION
        outputs = []
        for layer in stack:
            cells, hidden = layer["W_P_0"].shape
            h, c = x.new_zeros(len(x), hidden), x.new_zeros(len(x), cells)
            states = []
            for x_t in x.unbind(1):
                h, c = lstm_step(x_t, h, c, **layer, clip=self.clip)
                states.append(h)
            states = torch.stack(states, 1)
            x = states + x if outputs else states
            outputs.append(x)
        return outputs
        ### END SOLUTION

    def forward(self, ids):
        """(B, T, letters) to L + 1 tensors (B, T, 2 H), and the mask (B, T)."""
        mask = (ids > 0).any(-1)
        x = self.char_cnn(ids.flatten(0, 1)).unflatten(0, ids.shape[:2])  # (B, T, H)
        ### BEGIN SOLUTION
        lengths = mask.sum(1)
        ahead = self.read(x, self.stacks[0])
        behind = self.read(reverse_each(x, lengths), self.stacks[1])
        behind = [reverse_each(h, lengths) for h in behind]
        halves = zip([x, *ahead], [x, *behind], strict=True)
        return [torch.cat(two, -1) for two in halves], mask
        ### END SOLUTION


# %% check="BiLM"
check("BiLM", BiLM)

# %% [markdown] hints="BiLM"
# nudge: `read` does not know its direction. What must `forward` do before and after it, so that position t of the backward states belongs to token t?
#
# idea: A layer is an `nn.ParameterDict` with `W_0`, `B` and `W_P_0`, a stack is an `nn.ModuleList` of layers. `lstm_step(x_t, h, c, **layer, clip=self.clip)` is one step. In `read`, step through `x.unbind(1)` and collect the h of each word; `torch.stack(states, 1)` makes (B, T, H) of them. In `forward`, `reverse_each` comes before the backward stack reads, and once more after it, for each layer.
#
# outline: Constructor: count the names that begin with `RNN_0/` and end with `/B`; for each direction and layer fetch three tensors by their names, `.clone()` them. In `read`: zeros for h and c, the steps, `torch.stack`, plus x unless it is the first layer; the result is the new x and is appended. In `forward`: read x with stack 0; reverse x, read with stack 1, reverse every layer again. Join `[x, *ahead]` and `[x, *behind]` pair by pair on the last axis.

# %% [markdown] deck="printed"
# ## Your class loads a model that was trained for 92 minutes
#
# Its vectors beside the course's: the same, but for rounding
#
# minutes: 1.5
#
# say: 4.8 million weights, in ELMo's own file format. Your two classes read them and give the same vectors as the course's, up to rounding.
#
# ask: What is missing in such a file, for a model that is to speak?
#
# expect: "Nothing." The softmax: no vector needs it.
#
# skip: One sentence.

# %% slide="subslide"
from elmo_mini.checkpoints.official import official_weights
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.text.character_ids import batch_to_ids

BiLM = or_reference("BiLM", BiLM)
CharCNN = mine("CharCNN")
COURSE = load_pretrained()
weights = official_weights(COURSE)  # such a dict, of the course's own checkpoint


def reader_of(weights):
    """Your two classes with these weights."""
    letters = {name: part for name, part in weights.items() if not name.startswith("RNN")}
    return BiLM(CharCNN(letters), weights)


grown_up = reader_of(weights)
with torch.no_grad():
    own_layers, mask = grown_up(padded(HELD_OUT[:8]))
    theirs = COURSE(batch_to_ids(HELD_OUT[:8]))["activations"]
print(f"{sum(weight.numel() for weight in grown_up.parameters()):,} weights")
for layer, (ours, other) in enumerate(zip(own_layers, theirs, strict=True)):
    far = float(((ours - other) * mask[..., None]).abs().max())
    print(f"layer {layer}: {tuple(ours.shape)}, largest distance {far:.0e}")

# %% [markdown]
# Your class has loaded the course's own checkpoint, trained for 92 minutes on one processor, on novels, speeches, reviews and recent English (`elmo_mini/data/course_bilm/README.md`, which counts the row of zeros as 16 weights more). It gives the same vectors, up to rounding. The published ELMo has the same parts under the same names, only larger; lesson 08 reads its files.
#
# Such files come **without the softmax**: no vector needs it. But a language model without it cannot speak. The course keeps a small one (5,000 words, trained later on the frozen states). Put it on your reader, and let your `draw_word` of lesson 03 draw a word from the scores, read it, draw the next. With a `temperature` below 1 the safe words become safer still, above 1 the others likelier.

# %% slide="subslide"
draw_word = mine("draw_word")


class Speaker(nn.Module):
    """A reader of both directions, and the one softmax that they share."""

    def __init__(self, reader, softmax, vocabulary, letters=50):
        super().__init__()
        self.reader, self.softmax = reader, softmax
        self.vocabulary, self.letters = vocabulary, letters

    @torch.no_grad()
    def scores(self, part, direction):
        """(V,): of the words after a beginning, or before an end; <unk> is never said."""
        ids = batch_to_ids([part], allow_boundary_tokens=True, max_characters=self.letters)
        ahead, behind = self.reader(ids)[0][-1][0].chunk(2, -1)  # (T, H) each
        scores = self.softmax(ahead[-1] if direction == "forward" else behind[0])
        scores[self.vocabulary.id(str(self.vocabulary.unknown))] = -torch.inf
        return scores


def write(scores, vocabulary, text, direction="forward", temperature=0.7, seed=0):
    """Word by word, onward from a beginning or back from an end, until a boundary is drawn."""
    torch.manual_seed(seed)
    part = ["<S>", *text.split()] if direction == "forward" else [*text.split(), "</S>"]
    while len(part) < 20:
        word = vocabulary.word(draw_word(scores(part, direction), temperature))
        if word.lower() in ("<s>", "</s>"):
            break
        part = [*part, word] if direction == "forward" else [word, *part]
    return " ".join(word for word in part if word not in ("<S>", "</S>"))


# %% [markdown]
# Change beginning, temperature and seed as you like:

# %% [markdown] deck="printed"
# ## It speaks
#
# Direction, temperature: what is drawn
#
# minutes: 1.5
#
# say: A softmax on top, and the loop of lesson 03: draw a word, read it, draw the next. Three temperatures forward, and one sentence from its end. Below 1 the safe words become safer, above 1 the rare ones gain.
#
# ask: Which one would fool you for half a sentence?
#
# expect: "None." Read the first one aloud.
#
# skip: Read one line.

# %% slide="subslide"
from course.bilm_from_scratch.quantised_softmax import course_softmax

kept = course_softmax()
softmax = nn.Linear(*reversed(kept.weight.shape))
softmax.load_state_dict({"weight": kept.weight, "bias": kept.bias})
speaker = Speaker(grown_up, softmax, kept.vocabulary)
for temperature in (0.3, 0.7, 1.2):
    said = write(speaker.scores, kept.vocabulary, "The", "forward", temperature, seed=2)
    print(f"forward, {temperature}: {said}")
print("backward, 0.7:", write(speaker.scores, kept.vocabulary, "man .", "backward", 0.7, seed=2))

# %% [markdown]
# Move the slider, with the mouse or the arrow keys: each reader says which words it expects next.

# %% [markdown] deck="figure"
# ## Each reader says what it expects
#
# minutes: 1.5
#
# say: After six of eleven words. The forward reader has read *The old man did not* and is asked for *say*; the backward reader has read the sentence from its end and is asked for *did*.
#
# ask: Which of the two has the easier question here?
#
# expect: "The forward one, it has read more." *Not* has just been read by the backward one: *did, do, could*.
#
# skip: Leave it out.

# %% slide="subslide"
from course.bilm_from_scratch.two_directions import step_through


def best(part, direction):
    """The three likeliest words, with their chances."""
    chances, ids = speaker.scores(part, direction).softmax(0).topk(3)
    return list(zip(kept.vocabulary.decode(ids.tolist()), chances.tolist(), strict=True))


SENTENCE = "The old man did not say a word ."
step_through(["<S>", *SENTENCE.split(), "</S>"], best)

# %% [markdown] slide="slide"
# ## 4. Pretrain yours
#
# Now train a small model made of your own parts: letters, two layers of 64 cells in each direction, 32 numbers shown. A `Speaker` holds it and a softmax. Twenty ids a word are enough: few words are longer. It reads 200 batches of 32 sentences (each sentence once, or a few times if your text is short) with your loss and your loop, and writes a sentence before, in the middle and after (about 12 s).

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: Now pretrain a small one of our own parts: letters, 64 cells, two hundred batches of 32 sentences.
#
# ask: The poll.
#
# expect: "Both: it knows more than one word." One word of context, from a table, is a hard opponent.
#
# skip: Vote only.

# %%
predict(
    "pass",
    "When it is done: which counts will both of your readers beat on held-out sentences?",
    options=["none", "of words", "of words and of pairs"],
)

# %% slide="subslide"
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions

BATCHES = 200


def fresh_reader(options):
    """Your biLM with fresh weights of these sizes."""
    torch.manual_seed(0)
    return reader_of(official_weights(FastBiLM(options)))


small = BiLMOptions(
    filters=((1, 16), (2, 32), (3, 48)), dim=64, projection_dim=32, max_characters=20
)
young = Speaker(fresh_reader(small), nn.Linear(32, V), TEXT.vocabulary, letters=20)
history, told = [], {"after 0": write(young.scores, TEXT.vocabulary, "The")}


def asked(sentences):
    """What your loss asks of either direction, (2,)."""
    layers, mask = young.reader(TEXT.characters(sentences, 20))
    words, _ = TEXT.numbers(sentences)  # with both boundaries
    return bilm_loss(layers[-1], mask, words, young.softmax.weight, young.softmax.bias)


def watch(step):
    """Held-out perplexities every twenty steps, a sentence halfway and at the end."""
    if step % 20 == 0:
        with torch.no_grad():
            history.append(asked(HELD_OUT).exp().tolist())
    if step in (BATCHES // 2, BATCHES):
        told[f"after {step}"] = write(young.scores, TEXT.vocabulary, "The")


batches = zip(progress_bar(range(BATCHES)), TEXT.batches(32), strict=False)
nats = fit(young, asked, (batch for _, batch in batches), RATE, watch)
told["backward"] = write(young.scores, TEXT.vocabulary, "man .", "backward")

# %% [markdown]
# What it has written, after so many batches; and what counts of pairs write:

# %% slide="subslide"
from course.baselines.kneser_ney import KneserNey

table = KneserNey(TEXT.running(TEXT.train), V, 2)


def after_the_last(part, direction):
    """(V,): log of the counted chance of each word after the last one."""
    last = TEXT.numbers([part[1:]])[0][0, -2:-1].tolist()
    scores = torch.tensor([table.probability(last, word) for word in range(V)]).log()
    scores[TEXT.vocabulary.id("<unk>")] = -torch.inf
    return scores


told["counts of pairs"] = write(after_the_last, TEXT.vocabulary, "The")
print(*(f"{when}: {text}" for when, text in told.items()), sep="\n")

# %% [markdown] deck="figure"
# minutes: 1.5
#
# say: Both readers pass the counts of words, and the counts of pairs are still ahead of both. So little reading makes no sentences. The published model reports 39.7 for both directions after ten epochs over some 800 million words; no number of this figure can be compared with that.
#
# ask: Why can they not be compared?
#
# expect: "It is another model." Another text and another vocabulary: ours has a thousand words.
#
# skip: Say the title.

# %% slide="subslide"
forward, backward = np.array(history).T
worse = max(forward[-1], backward[-1])
passed = [name for name, found in counts.items() if worse < found]
plots.curves(
    np.arange(20, BATCHES + 1, 20),
    {"forward": forward, "backward": backward}
    | {name: np.full(len(forward), found) for name, found in counts.items()},
    title=f"Your two readers pass {' and '.join(passed) or 'no counts'} (one run)",
    xlabel="batches of 32 sentences",
    ylabel="held-out perplexity",
)

# %%
print(f"forward {forward[-1]:.1f}, backward {backward[-1]:.1f}; {unigram:.1f}, {pairs:.1f}")
beaten = "of words and of pairs" if worse < pairs else "of words" if worse < unigram else "none"
outcome("pass", beaten)

# %% [markdown]
# So little reading makes no sentences. And one word of context, from a table of pairs, is a hard opponent.
#
# These perplexities hold for this text and its 1,000 words: compare them with no others. The published model reports 39.7, the average of both directions, after ten epochs over some 800 million words of the 1 Billion Word Benchmark (section 3.4); three graphics cards worked for about two weeks. Its softmax had about 793,000 words. To score them all for each token would cost more than the rest of the model. A **sampled softmax** scores the right word and 8,192 others, drawn anew for each batch, like the noise words of lesson 01.

# %% [markdown] deck="words"
# ## The causality test
#
# How do you show that a player has seen the cards? Swap one in secret, and **watch who reacts**.
#
# . . .
#
# Replace the word at position $t$.
#
# - No forward state **before** $t$ may move.
# - No backward state **after** $t$ may move.
# - The states **at** $t$ must move.
#
# minutes: 2.5
#
# say: Back to the low curve. We need a test that does not ask how good the model is. Swap one word and read again: whatever moves has read that word, directly or through others. It costs two readings and no training.
#
# ask: May the forward states after t move?
#
# expect: "No, only the one at t." They may, and they should: they have read the word.
#
# skip: Show both steps at once.

# %% [markdown] slide="slide"
# ## 5. The causality test
#
# Back to section 1. How do you show that a player has seen the cards? Swap one card in secret, and watch who reacts.
#
# Replace the word at position $t$. No forward state **before** $t$ has read it yet, so none may move, and no backward state **after** $t$. The states at $t$ itself must move.

# %% [markdown] exercise="moved"
# ### Exercise 8. The causality test
#
# Write `moved(model, ids, t, other)`. `model(ids)` gives the list of $L + 1$ layers (1, T, 2H) and the mask. `ids` is one sentence, (1, T, letters) or (1, T). Put `other` at position `t` of a **copy**, and let the model read both. Return a table of True and False, (L + 1, 2, T): for each layer, first of its forward states and then of its backward states, which ones moved. A state has moved if any of its numbers changed by more than 1e-6.


# %% exercise="moved"
def moved(model, ids, t, other):
    """(L + 1, 2, T): which states move when `other` stands at place t."""
    ### BEGIN SOLUTION
    changed = ids.clone()
    changed[:, t] = other
    answers = []
    for before, after in zip(model(ids)[0], model(changed)[0], strict=True):
        halves = (after - before)[0].abs().chunk(2, -1)  # (T, H) each
        answers.append(torch.stack([half.amax(-1) > 1e-6 for half in halves]))
    return torch.stack(answers)
    ### END SOLUTION


# %% check="moved"
check("moved", moved)

# %% [markdown] hints="moved"
# nudge: Two readings, one difference. Along which axis do you ask "any number"? Which half of a vector belongs to which reader?
#
# idea: `changed = ids.clone()`, then `changed[:, t] = other`. For each layer, `(after - before)[0]` is (T, 2H); `.chunk(2, -1)` gives the forward and the backward half. Take `.abs()` before you look for the largest.
#
# outline: Loop over `zip(model(ids)[0], model(changed)[0])`. For each half: `half.abs().amax(-1) > 1e-6`, shape (T,). `torch.stack` the two halves, then the layers.

# %% [markdown] deck="figure"
# ## bidirectional=True: every state moves
#
# minutes: 2.5
#
# say: Down, the word that was replaced; across, the state that moved. Ours is a clean pair of triangles. The other is full, and each cross is a state that moved and must not. The second layer of bidirectional=True reads both directions of the first; the first layer's backward state has read the next word, and hands it on.
#
# ask: Look at one cross above. Say aloud which word was replaced, and which state moved.
#
# expect: "The last state." Let somebody point: a word at the end was replaced, and a forward state at the beginning moved.
#
# skip: Show the triangles, and then the crosses.

# %% slide="subslide"
from course.bilm_from_scratch.causality import causality

moved = or_reference("moved", moved)


@torch.no_grad()
def tables(model, ids, other):
    """(T, T) for the forward and for the backward top states: row s, word s replaced."""
    rows = [np.asarray(moved(model, ids, s, other))[-1] for s in range(ids.shape[1])]
    return np.array(rows).swapaxes(0, 1)


short = TEXT.known_sentence(5)
word_ids, other_word = TEXT.numbers([short])[0] + 1, torch.tensor(V)
dog = TEXT.characters([["dog"]], 20)[0, 1]
tested = {
    "yours": tables(young.reader, TEXT.characters([short], 20), dog),
    "bidirectional=True": tables(quick["bidirectional=True"], word_ids, other_word),
}
strays = {
    name: int(np.tril(ahead, -1).sum() + np.triu(behind, 1).sum())
    for name, (ahead, behind) in tested.items()
}
title = "States that moved and must not: {} of yours, {} of the other's".format(*strays.values())
causality(tested, ["<S>", *short, "</S>"], title=title)

# %% [markdown]
# Yours is a clean pair of triangles. The other is full: in `nn.LSTM` with two layers, the second layer reads both directions of the first. At position $t$ the first layer's backward state has already read $w_{t+1}$. It hands that on to the second layer's forward state, which is then asked for $w_{t+1}$. The paper on BERT says it in one sentence: each word could indirectly "see itself" (section 3.1).
#
# What is such a model worth when the future is not there? Cut each sentence off after $t$ words, and let the forward half bet on the next.

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: Back to the miracle. Cut every sentence off before the word that is to be predicted. A model that reads from the left loses nothing by that.
#
# ask: The poll.
#
# expect: "It stays the best." Say why it cannot, if it has used what was cut off.
#
# skip: Vote only.

# %%
predict(
    "honest",
    "With the future cut off, bidirectional=True will bet",
    options=["as well as before", "better than counts of words", "worse than counts of words"],
)


# %% [markdown] deck="figure"
# ## Without the future, one of them falls apart
#
# minutes: 2.5
#
# say: The low curve of the beginning becomes far worse than counting words. The other does not move. (Only the forward half bets here, so its numbers differ a little from the first figure.) The second layer of `bidirectional=True` reads both halves of the first, and the first layer's backward half has read the answer. In a tagger that is what you want. In a language model it is copying.
#
# ask: Where would you use bidirectional=True, then?
#
# expect: "Nowhere." In a tagger: there the future is no answer, it helps.
#
# skip: Keep it.


# %% slide="subslide"
@torch.no_grad()
def cut_off(model):
    """Perplexity of the forward half when every sentence ends before the word to predict."""
    W, b = softmax_of(model)
    nats = []
    for t in range(1, held_ids.shape[1]):
        there = held_ids[:, t] > 0
        ahead = model(held_ids[there, :t])[0][-1][:, -1, :SIZE]
        answers = held_words[there, t]
        nats.append(functional.cross_entropy(ahead @ W.T + b, answers, reduction="none"))
    return float(torch.cat(nats).mean().exp())


whole = {name: float(np.exp(nats[-1][0])) for name, nats in paid.items()}
cut = {name: cut_off(model) for name, model in quick.items()}
worst = max(cut, key=lambda name: cut[name] / whole[name])
plots.bars(
    list(whole),
    {
        "the sentence goes on": list(whole.values()),
        "cut off before the word to predict": list(cut.values()),
    },
    title=f"Cut off: {worst}, {cut[worst] / whole[worst]:.0f} times as torn (forward half, one run)",
    ylabel="perplexity",
    level=("counts of words", unigram),
)

# %%
reached = cut["bidirectional=True"]
against_counts = f"{'worse' if reached > unigram else 'better'} than counts of words"
same = reached < 1.1 * whole["bidirectional=True"]
outcome("honest", "as well as before" if same else against_counts)

# %% [markdown]
# Where the directions never meet, the two bars are the same. The other model had learnt to copy its neighbour. Where there is no neighbour to copy, it is worse than counts of words. (A cut sentence also lacks its `</S>`.)
#
# So two measurements give the leak away, the test and the cut. Now change one thing: one layer in place of two.

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: Now change one thing: one layer in place of two. Same switch, same training.
#
# ask: The poll.
#
# expect: "Yes, it is still bidirectional." With one layer there is no second one that could join the two. But ask which half of the state bets on the next word: if the whole state does, it copies again, and the test is silent.
#
# skip: Vote only.

# %%
predict(
    "one_layer",
    "bidirectional=True with one layer: will a state move that must not?",
    options=["yes", "no"],
)

# %%
one_layer = TwoWay(V, 8, layers=1)
ahead, behind = tables(one_layer, word_ids, other_word)
leaks = bool(np.tril(ahead, -1).any() or np.triu(behind, 1).any())
outcome("one_layer", "yes" if leaks else "no")

# %% [markdown]
# No second layer, no place to meet: each half of this sentence, read alone, has read its own side only. Yet let the **whole** state bet on the next word, and the model copies again: its backward half has read that word. No state is at fault then; the question is. The causality test shows **which states have read which words**. Whether they are asked for one of these words, you must check yourself.

# %% [markdown] slide="slide"
# ## 6. Three broken runs
#
# Here are four runs of the quick model. One is sound; A, B and C have one fault each, from this list:
#
# 1. the directions meet between the layers
# 2. the forward reader is asked for the word that it has just read
# 3. the backward reader is asked for the word that it has just read
# 4. the forward reader reads padding before the first word of a short sentence
# 5. the backward reader reads padding before the last word of a short sentence
# 6. the learning rate is a hundred times too small
#
# You see how each run ends, its tables, and how far the states of a short sentence move when a longer one stands **beside it in the batch**.

# %%
from course.bilm_from_scratch.broken_bilms import four_models

longest = max(HELD_OUT, key=len)


@torch.no_grad()
def beside(model):
    """(2,): how far forward and backward top states move beside a longer sentence."""
    alone = model(TEXT.words([short])[0])[0][-1][0]
    together = model(TEXT.words([short, longest])[0])[0][-1][0, : len(alone)]
    return [float(half.abs().max()) for half in (alone - together).chunk(2, -1)]


# %% [markdown]
# Each brings its own question; the rest is yours (about 8 s):

# %%
ends, distances, four = {}, {}, {}
for name, (model, loss_of) in four_models(V, SIZE, bilm_loss).items():
    fit(model, loss_of, first_batches(120), RATE, lambda step: None)
    with torch.no_grad():
        ends[name] = loss_of((held_ids, held_words)).tolist()
    distances[name] = beside(model)
    four[name] = tables(model, word_ids, other_word)

# %% slide="subslide"
last = np.array(list(ends.values()))
plots.bars(
    list(ends),
    {"forward": last[:, 0], "backward": last[:, 1]},
    title="How do the four runs end? Held-out loss after 120 batches",
    ylabel="nats a token",
    level=("counts of words", np.log(unigram)),
)

# %% [markdown] deck="figure"
# ## Three of these four runs are faulty
#
# minutes: 2.5
#
# say: One is sound, and three have one fault each: a wrong question, padding that is read, directions that meet. The tables give one of them away at once. The other two have clean tables. One shows in its loss, which is too good. The other shows only when a short sentence stands beside a longer one in the batch.
#
# ask: Which one do the tables give away, and what would you measure to find the other two?
#
# expect: "C, and then the held-out loss." C is right. A loss finds the wrong question, and no loss finds the padding.
#
# skip: Leave out the two others.

# %% slide="subslide"
for name, (ahead, behind) in distances.items():
    print(f"{name:>6}: beside a longer one, forward {ahead:.0e}, backward {behind:.0e}")
causality(four, ["<S>", *short, "</S>"], title="Which of the four runs has read its answer?")

# %% [markdown] exercise="broken_runs"
# ### Exercise 9. Three broken runs
#
# Which run has which fault? Return a dict with the number of each: `{"A": ..., "B": ..., "C": ...}`. Distances up to 1e-4 are rounding.


# %% exercise="broken_runs"
def broken_runs():
    """The number of each run's fault."""
    ### BEGIN SOLUTION
    return {"A": 3, "B": 5, "C": 1}
    ### END SOLUTION


# %% check="broken_runs"
check("broken_runs", broken_runs)

# %% [markdown] hints="broken_runs"
# nudge: Each of the three pictures tells one run from the sound one. Which run stands out in which picture?
#
# idea: A cross in a table is a state that has read what it must not. Clean tables and a loss far below the sound run's mean that the states are right and the question is wrong. A state that depends on the sentence beside it has read padding.
#
# outline: Find the run with crosses. Of the other two, find the one with a distance above 1e-4, and say which direction has it. The last one has a loss that is too good: in which direction?

# %% [markdown] model_answer="broken_runs"
# No single number finds all three. In **A** the tables are clean: the states are right and the question is wrong, which only a loss that is too good shows. In **B** the tables are clean and no loss is too good. Its backward states depend on who else is in the batch; its backward loss is so near the sound run's that it tells nothing. In **C** the tables show it, and so do both losses. So look at three things: who has read what, what is asked, and whether a sentence read alone gives the same vectors.

# %% [markdown]
# No single number finds all three faults. Ask who has read what, what is asked, and whether a sentence read alone gives the same vectors.
#
# Now ask this of your class of section 1.

# %%
for name, model in (quick | {"one layer, untrained": one_layer}).items():
    ahead, behind = beside(model)
    print(f"{name}: padding moves forward states by {ahead:.1e}, backward states by {behind:.1e}")

# %% [markdown]
# Your `TwoWay` **has this fault, too**: it returns the mask, and its LSTM never uses it (`nn.utils.rnn.pack_padded_sequence` would). So the backward reader begins in the padding, also with one layer; with two, the forward states hear of it. The held-out loss told you of neither fault.

# %% [markdown] slide="slide"
# ## Recap
#
# - A biLM is self-supervised: each state has read its word and is asked for a neighbour. One softmax serves both directions.
# - ELMo's cell is an LSTM with a projection, clips at 3, and a 1 in the forget gate. Two layers, a residual connection, $2L + 1$ vectors for each token.
# - A low loss alone proves nothing, not even on held-out text. Replace a word and see which states have read it; then look at what they are asked.
#
# ELMo stands on three ideas: letters in place of a word table (lesson 06), both directions (this one), and all layers (lesson 08).

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A colleague shows you a bidirectional language model. *"Two layers, perplexity 1.8 on held-out text, and I checked: the training and test sentences do not overlap."* **Explain to the colleague how such a number can come about without any overlap. Which two measurements would you ask for, and what would each show? And is such a model good for nothing? Think of a tagger, which is allowed to see the whole sentence.** Five to eight sentences.

# %% [markdown] discussion="perplexity_of_1_8" points=3
# **Rubric, 3 points.** 1 for the way the answer gets in (the layers mix the directions, or the question asks for what was read) and why held-out text does not show it. 1 for two measurements with what each would show (causality test; sentences cut off before the word to predict; the targets; the loss against counts of words and of pairs). 1 for saying that seeing both sides is no fault in itself: it is a fault where the target is among the inputs. 0.5 of it for "use a masked model" without the reason.

# %% [markdown] model_answer="perplexity_of_1_8"
# The number can come from the states and not from the text: in a two-layer bidirectional LSTM the second layer's forward state reads the first layer's backward state, which has already read the next word. The model copies its answer, and copying works on any sentence, so held-out text does not reveal it. I would ask for the causality test: replace a word and see whether forward states before it, or backward states after it, move. If they do, the loss measures nothing. If they do not, each state has read its own side only, and I would check what it is asked: a backward reader that is asked for the next word passes the test and copies all the same. And I would ask for the perplexity when each sentence is cut off before the word to predict: a model that has not read its answer keeps its number, and this one will rise to that of the counts, or above.
#
# As a reader for a tagger the architecture is fine, because the tagger's labels are not in the input: every state may see the whole sentence, and task models do exactly that. What fails is the *question*, predicting words that the model is shown. To train both sides at once, the word must be hidden from the input, as BERT does.

# %% [markdown] slide="slide"
# ## If you have time: what the checkpoint has read
#
# This section takes about 8 minutes, the myth 3. Nothing else needs them.
#
# How much of the checkpoint's bets is in its states? Keep them frozen and train a new softmax, on 256 sentences only. It starts from the counts of words in these sentences: the states can only add to that. (They are brought to one spread first, so that it learns as fast from any.) When to stop is decided by 64 other sentences; the held-out ones judge. Two controls count words and pairs of **the same 256 sentences**. A third is a biLM of the same size that has never read anything.
#
# Then two that know the checkpoint's own text. **All counts** mixes three tables: these pairs and, from all that the checkpoint has read, triples and pairs (stored, for Brown's sentences). In the latter pairs the word before may be any word; elsewhere a rare one is `<unk>`. A mixture is a weighted mean of probabilities; the 64 sentences choose its weights. And the **own softmax** is that of section 3, which has learnt from 150,000 words of that text. Its words are added up onto the 1,000 asked about: *The* and *the* are one, and what is left is shared by `<unk>` and the few words that it lacks.

# %% slide="subslide"
FEW, STOP = TEXT.train[:256], TEXT.train[256:320]
ASKED = [*STOP, *HELD_OUT]


@torch.no_grad()
def bets_of(reader, sentences):
    """States (L + 1, N, H) and the words that they are asked for, (N,).

    Of a sentence forward, then backward.
    """
    states, words = [], []
    for first in progress_bar(range(0, len(sentences), 32)):
        rows = sentences[first : first + 32]
        layers, mask = reader(TEXT.characters(rows))
        read = zip(torch.stack(layers, 1), TEXT.numbers(rows)[0], mask.sum(1), strict=True)
        for sentence, ids, T in read:
            ahead, behind = sentence[:, :T].chunk(2, -1)
            states += [ahead[:, :-1], behind[:, 1:]]
            words += [ids[1:T], ids[: T - 1]]
    return torch.cat(states, 1), torch.cat(words)


# The sentence of each word asked: 64 to stop by come first.
sentence = np.repeat(np.arange(len(ASKED)), [2 * len(words) + 2 for words in ASKED])
to_stop = sentence < len(STOP)


def new_softmax(few, asked, layer=-1, steps=480):
    """-log p of each word asked, by a softmax trained on frozen states of the 256 sentences."""
    (x, y), (asked_x, asked_y) = ((states[layer], words) for states, words in (few, asked))
    middle, spread = x.mean(0), x.std(0) + 1e-6
    x, asked_x = (x - middle) / spread, (asked_x - middle) / spread
    softmax, paid = nn.Linear(x.shape[1], V), []
    nn.init.zeros_(softmax.weight)
    softmax.bias.data = (torch.bincount(y, minlength=V) + 1).log()  # the counts of words

    def look(step):
        """What it pays for each word asked, every 20 steps."""
        if step % 20 == 0:
            with torch.no_grad():
                scores = softmax(asked_x)
            paid.append(functional.cross_entropy(scores, asked_y, reduction="none").numpy())

    drawn = (torch.randint(len(y), (512,)) for _ in progress_bar(range(steps)))
    torch.manual_seed(0)
    fit(softmax, lambda n: functional.cross_entropy(softmax(x[n]), y[n]), drawn, 3e-4, look)
    return min(paid, key=lambda nats: nats[to_stop].mean())


@torch.no_grad()
def own_softmax(states, asked):
    """-log p of each word asked, by the softmax of section 3, whose words are added up."""
    ours, theirs = TEXT.vocabulary, kept.vocabulary.words
    place = torch.tensor([ours.id("</s>" if word == "<S>" else word.lower()) for word in theirs])
    p = torch.zeros(len(asked), V).index_add(1, place, speaker.softmax(states[-1]).softmax(-1))
    lacks = torch.bincount(place, minlength=V) == 0
    lacks[ours.id("<unk>")] = True  # it shares what it gets with the words that are lacking
    few = torch.bincount(torch.tensor(TEXT.running(FEW)), minlength=V) + 1.0
    p[:, lacks] = p[:, [ours.id("<unk>")]] * few[lacks] / few[lacks].sum()
    return -p[torch.arange(len(asked)), asked].log().numpy()


# %% [markdown]
# The mixture: EM finds one weight for each model. The next cell takes about 18 s:


# %% slide="subslide"
from course.bilm_from_scratch.counted_text import by_counts, stored_counts


def mixed(*parts, rounds=100):
    """-log of the weighted mean of several models' probabilities; the 64 sentences choose weights."""
    p, weights = np.exp(-np.stack(parts)), np.full(len(parts), 1 / len(parts))
    for _ in range(rounds):
        share = weights[:, None] * p[:, to_stop]
        weights = (share / share.sum(0)).mean(1)
    return -np.log(weights @ p)


grown, fresh = (
    [bets_of(reader, texts) for texts in (FEW, ASKED)]
    for reader in (grown_up, fresh_reader(COURSE.options))
)
states, untrained, own = new_softmax(*grown), new_softmax(*fresh), own_softmax(*grown[1])
words, two = (by_counts(TEXT, FEW, ASKED, order) for order in (1, 2))
of_all_read = [stored_counts(name, ASKED) for name in ("triples", "pairs")]
counted = [two, *(table for table in of_all_read if table is not None)]
paid_by = {
    "counts of words": words,
    "untrained states": untrained,
    "counts of pairs": two,
    "states, new softmax": states,
    "all counts": mixed(*counted),
    "states, own softmax": own,
    "counts and states": mixed(*counted, own),
}

# %% [markdown]
# Perplexity is $e$ to the mean of what is paid, and how many times one perplexity is another is $e$ to the mean **difference**. Its interval: draw the held-out sentences anew, 2,000 times. (Each softmax is trained once, and on one biLM: another start is in no interval.)

# %% [markdown] deck="figure"
# ## What do the states add to counts?
#
# minutes: 2.5
#
# say: Other words are asked than in the first figure, so counts have other numbers. The strongest cheap rival of a language model is counting. With a new softmax, from 256 sentences, the states are behind it. With one that has learnt from the checkpoint's own text they are ahead: a frozen network can look bad because of what sits on top. And mixed, both are ahead of either. ELMo's paper asks so: it puts ELMo beside the best system and measures what is added.
#
# ask: What can states know that a table of triples cannot?
#
# expect: "The future." Words further back than two, the letters of a word that the table has never seen, and which words are alike.
#
# skip: Point at the three bars on the right.

# %% slide="subslide"
from course.figures.interval_bars import interval_bars

each = np.bincount(sentence[~to_stop] - len(STOP))  # words asked in each held-out sentence
drawn = np.random.default_rng(0).multinomial(len(each), np.full(len(each), 1 / len(each)), 2000)


def times(name, other=None):
    """How many times the other's perplexity (without one: as it is), with its 95 % interval."""
    nats = paid_by[name] - (0 if other is None else paid_by[other])
    nats = np.bincount(sentence[~to_stop] - len(STOP), nats[~to_stop])
    low, high = np.percentile(np.exp(drawn @ nats / (drawn @ each)), [2.5, 97.5])
    return {"mean": np.exp(nats.sum() / each.sum()), "low": low, "high": high}


added = times("all counts", "counts and states")
title = "All counts have {mean:.2f} times ({low:.2f} to {high:.2f}) the perplexity".format(**added)
found = {"perplexity": [times(name) for name in paid_by]}
title += " of counts and states"
labels = [name.replace(", ", ",\n") for name in paid_by]
interval_bars(labels, found, times=1, title=title, ylabel="perplexity")

# %%
new, unread, last = "states, new softmax", "counts and untrained states", "counts and layer 0"
alike = f"counts and {new}"
paid_by[alike] = mixed(*counted, states)
paid_by[unread] = mixed(*counted, untrained)
paid_by[last] = mixed(*counted, new_softmax(*grown, layer=0))
than = {"counts of pairs": [new], "all counts": [new, "states, own softmax", "counts and states"]}
than["all counts"] += [alike, unread, last]
for name, others in than.items():
    for other in others:
        said = "{mean:.2f} times that of {0} ({low:.2f} to {high:.2f})"
        print(f"{name}:", said.format(other, **times(name, other)))

# %% [markdown]
# The lines above compare on the same sentences, so read the intervals there: one that leaves out 1 is a difference. Both biLMs have the same size. What lies between the bars of the new softmax: one has read 3.9 million words of **other** texts, each almost three times.
#
# **Are the counts ahead?** That depends on what sits on the states. A softmax from 256 sentences is behind all counts. One that has read 150,000 words of the checkpoint's own text is ahead of them: with Brown's sentences, all counts have about 1.19 times its perplexity. So before you say that a frozen network knows little, ask whether its reader has learnt enough.
#
# And what do the states **add**? With both together, the perplexity of all counts is about 1.28 times as high. To compare alike, the last three lines have the new softmax throughout. There the read states still add, and clearly. With Brown, untrained states add nothing to the counts, nor does layer 0, where each word stands alone. So it is reading that has brought this: perhaps words further back, perhaps which contexts are alike. We have not measured which. And the rival decides how much there is to find: take the pairs of any word out of the tables, and it looks like more. Try it.
#
# From here you could unfreeze the LSTMs and go on training. The paper does: in most of its experiments the biLM first reads the text of the task, as a language model and without its labels, and is frozen then (section 3.4). We have tried it once, with newspaper sentences (the treebank's) and their parts of speech.

# %%
from course.results.intervals import Lead
from course.results.stored import stored_result

stored = stored_result("task_text_pos")
print(stored)
perplexity = stored.numbers["perplexity"]
print(f"perplexity of other sentences of the paper: {perplexity['before']:.1f} before")
for who in ("softmax alone", "all weights"):
    said = "{mean:.1f} ({low:.1f} to {high:.1f})".format(**perplexity[who])
    print(f"{said} with {who} trained (95 %, over three seeds)")
for layer, gain in stored.numbers["gains"].items():
    print(f"parts of speech by a linear probe, {layer}, in points: {Lead.of(gain)}")

# %% [markdown]
# Reading the paper's sentences lowers the perplexity on others by nearly a third. More than half of that needs no new states: the softmax alone brings it. And the probe finds no clear gain. The authors speak of gains on a task "in some cases"; this, one pass over 1,200 sentences, is not one. For whole texts and few labels, lesson 11 asks again.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"ELMo's forward and backward models are two separate networks. They share no parameters; only their losses are added."*
#
# The BERT paper, too, speaks of "independently trained" language models. Count the weights.

# %% [markdown] deck="poll"
# - none: two separate networks
# - [x] about a seventh
# - about a half
#
# minutes: 1.5
#
# say: A myth to end with: the two directions are two separate networks, and only their losses are added. Count the weights of the checkpoint.
#
# ask: The poll.
#
# expect: "None." The LSTMs share nothing; the token layer serves both, and so does the softmax.
#
# skip: Say it.

# %%
predict("shared", "What share of the checkpoint's weights is used by both directions?", unit="%")

# %%
size = {"token layer (both)": 0, "forward LSTMs": 0, "backward LSTMs": 0}
for name, weight in weights.items():
    part = {"RNN_0": "forward LSTMs", "RNN_1": "backward LSTMs"}.get(name[:5], "token layer (both)")
    size[part] += weight.numel()
print(*(f"{part}: {number:,} weights" for part, number in size.items()), sep="\n")
outcome("shared", 100 * size["token layer (both)"] / sum(size.values()), unit="%")

# %% [markdown]
# **Half a myth.** The LSTMs share nothing, and no state of one direction ever reaches the other. But the token layer serves both, and so does the softmax. The paper names two models that do share nothing: TagLM's (lesson 05).
#
# And the reverse claim, that a joint model is *deeply* bidirectional? No layer ever sees both sides at once. (Some pages call the sides *Context-before* and *Context-after*, as if a word were predicted from both: neither reader has more than one.) Each direction is an ordinary language model, so training is simple. To join the sides in **every** layer, you must ask another question: lesson 12.

# %% [markdown] deck="words"
# ## What to take home
#
# - Two readers, one question each, and **no state that crosses**.
# - Low perplexity on held-out text is no proof: change a word that must not be known, and see **which states move**.
# - Two free checks: $\ln V$ at first, and one batch by heart.
# - A table of pairs is a hard opponent for a young network.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 2, 5, 7, 8 and 9. The next lesson mixes the layers: that is ELMo.
#
# ask: How would you test the next model for this fault?
#
# expect: "With held-out text." Replace a word, and look at what moves before it.
#
# skip: Keep it.

# %% [markdown]
# ## Further reading
#
# - The ELMo paper, sections 3.1 and 3.4, and its training code, [bilm-tf](https://github.com/allenai/bilm-tf): windows of 20 tokens, and states that are carried from one to the next.
# - Devlin and others, [BERT](https://arxiv.org/abs/1810.04805), section 3.1: a word could see itself.
# - In the package: `elmo_mini/models/elmo.py` has this lesson in plain code, `elmo_mini/fast/bilm.py` the fast version, tested against it. `python -m elmo_mini pretrain --help` trains a real one. `elmo_mini/data/course_bilm/softmax.md` says how the softmax was made.
#
# Next: **08 · ScalarMix and ELMo.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Does the vector of token k not contain token k itself?* It does, and must; only the loss of that state is about another word. *Why does bilm-tf carry the state from sentence to sentence?* It trains by truncated backpropagation over windows of 20 tokens and never resets the states, so that a vector depends a little on what was read before. The course's checkpoint was trained like that, too; its vectors start from zero and are deterministic. *Is the direction that reads backwards natural?* For a machine there is nothing special about the left. *Why does bidirectional=True learn the copy so quickly?* Input and output share their word table here, so handing a word on needs no new dictionary; with a softmax of its own it takes many more steps, which is worse, because then the leak looks like learning. *Are counts of pairs a fair yardstick?* They are counted on the sentences that the model has read. Trigrams would be lower still, if only a little. *Poll before section 5:* "Would a third layer make the leak stronger?" It cannot: everything has been seen after two.
