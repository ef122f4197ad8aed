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
# # 07 · A bidirectional language model from scratch
#
# ELMo's vectors are the states of two language models. One reads from the left, one from the right. Here you build both, from the single step of an LSTM to a training run. Then your code takes up a model that was trained for an hour and a half, and gives its vectors. On the way you learn the test that every such model must pass.

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("07")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - write one step of the LSTM that ELMo uses, with projection, clips and the open forget gate,
# - read a padded batch from both ends, and say which word each state must predict,
# - train a bidirectional language model on raw text, and judge it against a fair control,
# - prove by experiment that no state has seen its answer, and find the fault when one has,
# - load published weights into your own class and go on training.
#
# ## The paper
#
# **ELMo**: Peters, Neumann, Iyyer, Gardner, Clark, Lee and Zettlemoyer, *Deep contextualized word representations*, NAACL 2018, [arXiv:1802.05365](https://arxiv.org/abs/1802.05365). Section 3.1 is the model, section 3.4 its sizes. The cell is that of [Sak, Senior and Beaufays (2014)](https://arxiv.org/abs/1402.1128).
#
# The lesson takes about two hours with everything in it; the exercises are 90 minutes of that. Short of time? Exercises 1, 3, 4 and 6 are the spine. The others can wait: the lesson goes on without them, and they keep their points.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B$ | sentences in a batch | $x_t$ | the vector of token $t$, without context |
# | $T$ | tokens in a sentence | $h_t$ | the state after token $t$: what is shown |
# | $H$ | numbers in a state of one direction | $c_t$ | the cells after token $t$: private notes |
# | $C$ | cells | $i, g, f, o$ | input gate, candidate, forget gate, output gate |
# | $L$ | layers | $\sigma$ | the sigmoid function |
# | $V$ | words in the vocabulary | $w_t$ | the token at place $t$ |
#
# In the code, `W_0`, `B` and `W_P_0` are the names of an LSTM's weights in ELMo's official files. There `B` is the bias; as a shape it still counts sentences.

# %% [markdown] instructor=true
# **Instructor.** Timing for 90 minutes: section 1, 10; section 2, 20 (leave exercise 2 for home); section 3, 25; sections 4 and 5, 15; section 6, 15; section 7 as a poll on three pictures. For 60 minutes: show exercises 1 and 5 solved, let them do 3, 4 and 6. Students get stuck in exercise 4 on what the backward reader is given and what must be turned back: draw a batch with one short sentence on the board, padding in grey, and move a finger. Keep the secret of section 1 until section 6. Somebody will shout "it cheats"; ask how they would prove it.

# %%
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict
from elmo_mini.bilm.model import BiLM as FastBiLM
from elmo_mini.bilm.options import BiLMOptions
from elmo_mini.characters.ids import batch_to_ids
from elmo_mini.checkpoints.official import official_weights
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.experiments import planted_faults
from elmo_mini.experiments.small_text import small_text
from elmo_mini.figures.bilm_network import bilm_network
from elmo_mini.figures.causality import causality
from elmo_mini.figures.two_readers import step_through
from elmo_mini.recurrent.training import TrainingOptions, train

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% [markdown] slide="slide"
# ## 1. A record that cannot be
#
# You want the states of a network that knows both sides of a word. PyTorch has a switch for that: `bidirectional=True`. Two layers are better than one, so `num_layers=2`. The first half of each state comes from the left and predicts the next word; the second half comes from the right and predicts the word before. So this is the obvious class to write.

# %%
TEXT = small_text(train=10_000, held_out=200, words=1_000)
V, HELD_OUT = len(TEXT.vocabulary), TEXT.held_out
print(f"{len(TEXT.train):,} sentences to learn from, {len(HELD_OUT)} held out, {V:,} words")


# %% slide="subslide"
class Famous(nn.Module):
    """The obvious bidirectional language model."""

    def __init__(self, words, size):
        super().__init__()
        self.table = nn.Embedding(words + 1, size)  # row 0: padding
        self.bias = nn.Parameter(torch.zeros(words))
        self.lstm = nn.LSTM(size, size, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, ids):
        """(B, T) to the word vectors and the top states, (B, T, 2 size) each, and the mask."""
        x = self.table(ids)
        states, _ = self.lstm(x)
        return [torch.cat([x, x], -1), states], ids > 0


# %% [markdown]
# It needs a yardstick. The simplest bet looks at no context at all: each word gets its share of the training text. This is the **unigram** model. Perplexity (lesson 03) says between how many words a model hesitates.

# %%
unigram = TEXT.unigram(HELD_OUT)
print(f"Betting by the counts alone: perplexity {unigram:.0f} on the held-out sentences")

# %%
predict("famous", "Which perplexity will the class above reach on held-out sentences?")

# %% [markdown]
# The control is a model of the same kind and size in which the two directions never meet. Section 3 builds one by hand; here the course's quick version will do. Both also use their word table as the softmax, which makes small models learn faster.

# %% slide="subslide"
SIZE, STEPS = 64, 320
held_ids, held_words = TEXT.words(HELD_OUT)  # ids: 0 is padding


def quick_run(model, steps, **fault):
    """Held-out losses while the model reads so many batches of 16 sentences."""
    batches = map(TEXT.words, TEXT.batches(16))
    return planted_faults.trained(model, batches, (held_ids, held_words), steps, **fault)


torch.manual_seed(0)
quick = {
    "bidirectional=True": Famous(V, SIZE),
    "two that never meet": planted_faults.WordBiLM(V, SIZE),
}
curves = {name: quick_run(model, STEPS) for name, model in quick.items()}
perplexities = {name: np.exp(curve.mean(1)) for name, curve in curves.items()}
plots.curves(
    STEPS * np.arange(1, 13) / 12,
    perplexities | {"unigram": np.full(12, unigram)},
    title="One run each: perplexity on held-out sentences",
    xlabel="batches of 16 sentences",
    ylabel="perplexity",
)

# %%
outcome("famous", float(perplexities["bidirectional=True"][-1]))

# %% [markdown]
# Look at the lower curve. It says that a small network, after five thousand sentences, hesitates between a handful of words. On text that it has never seen! The other model, of the same kind, needs several times as many. Nothing looks wrong with the held-out sentences: whatever the trick is, it works there as well.
#
# Keep this mystery in mind. In section 6 you will **prove** what happens. First, build the right thing.

# %% [markdown] slide="slide"
# ## 2. One step of the reader
#
# The reader has two pages. The page $c$ holds private notes, $C$ numbers. The page $h$ is what the reader shows. At each word there are four decisions, and all four look at the new word $x$ and at what was shown last, $h$:
#
# - the **forget gate** $f$: how much of each old note to keep,
# - the **input gate** $i$: how much of the new note to write down,
# - the **candidate** $g$: the new note itself,
# - the **output gate** $o$: how much of each note to show.
#
# $$[\,i, g, f, o\,] = [x; h]\,W_0 + B \qquad c' = \operatorname{clip}\big(\sigma(f + 1) \odot c + \sigma(i) \odot \tanh(g)\big) \qquad h' = \operatorname{clip}\big((\sigma(o) \odot \tanh(c'))\,W_{P}\big)$$
#
# Three things differ from the textbook. A **projection** $W_P$ brings $C$ cells down to $H$ numbers: ELMo has $C = 4096$ cells and shows $H = 512$ numbers, so the memory is large and the rest of the network is not. A **clip** keeps the numbers on both pages between −3 and 3. And the forget gate gets a **1**, so that the reader begins by remembering.

# %% [markdown] exercise="lstm_step"
# ### Exercise 1. One word through the cell
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
# idea: `torch.cat([x, h], -1)` has shape (B, 2H). `.chunk(4, -1)` cuts the (B, 4C) that comes into four. The 1 is added to f before its sigmoid. `*` multiplies number by number, `@` is for the matrices.
#
# outline: Cut the product into i, g, f, o. New c: forget gate times old c, plus input gate times tanh of g; then `.clamp(-clip, clip)`. New h: output gate times tanh of the **clipped** c, through `@ W_P_0`, then clamped too.

# %%
lstm_step = or_reference("lstm_step", lstm_step)

# %% [markdown] slide="subslide"
# ### Why the 1?
#
# A note from the first word must survive $T$ steps to help at the last. How much of it is left? Hold the gates fixed and ask by how much $c_t$ moves when $c_0$ moves a little: $\partial c_t / \partial c_0$. The same number says how much of the **gradient** comes back from word $t$ to the start.

# %% [markdown] exercise="memory_left"
# ### Exercise 2. What is left of a note (derive it)
#
# First with pen and paper. The cells obey $c_t = \operatorname{clip}(\sigma(f_t + 1)\, c_{t-1} + \sigma(i_t) \tanh(g_t))$. The gates are given numbers here: they do not depend on $c$. Derive $\partial c_t / \partial c_0$ with the chain rule. What is the slope of the clip where it does not bind, and where it does?
#
# Then write `memory_left(i, g, f, c_0, clip)`. `i`, `g` and `f` are NumPy arrays (T, C), before their sigmoid or tanh; `c_0` is (C,). Return an array (T, C): in row $t$ the derivative after word $t$ has been read. Each cell is on its own. Write your formula, without autograd.


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
# nudge: For one step, $c_t = a\,c_{t-1} + b$ with numbers $a$ and $b$. What is the slope? And for two steps?
#
# idea: The slope of one step is the forget gate $\sigma(f_t + 1)$; the new note does not depend on $c_0$. Over $t$ steps the slopes multiply. A clipped cell stands still when its input moves: slope 0, and 0 times anything stays 0.
#
# outline: Keep `left`, ones of shape (C,), and `c = c_0`. For each word: the gate, the new c before clipping, `left = left * gate * (np.abs(new) < clip)`, then clip c and append `left`. Return the rows as one array.

# %%
memory_left = or_reference("memory_left", memory_left)

# %% [markdown]
# Check yourself with numbers: move $c_0$ by a millionth and look at what arrives. Then change **one** thing. With all $f = 0$, as in a fresh network, compare the forget gate with its 1 and without.

# %%
predict("plus_one", "After 20 words: by what factor is more left with the 1 than without?")

# %%
zeros = np.zeros((20, 1))
with_1 = memory_left(zeros, zeros, zeros, np.array([0.5]), 3.0)
without_1 = memory_left(zeros, zeros, zeros - 1, np.array([0.5]), 3.0)  # f + 1 is 0
cells = torch.full((1, 1), 0.5 + 1e-6, dtype=torch.float64)
for _ in range(20):  # W_0 = 0: no gate depends on anything
    no_weights = torch.zeros(2, 4).double(), torch.zeros(4).double(), torch.zeros(1, 1).double()
    _, cells = lstm_step(cells * 0, cells * 0, cells, *no_weights, 3.0)
print(
    f"by your formula {with_1[-1, 0]:.6f}, by moving the cell {(cells.item() - 0.5 * with_1[-1, 0]) / 1e-6:.6f}"
)
plots.curves(
    np.arange(1, 21),
    {"with the 1": with_1[:, 0], "without": without_1[:, 0]},
    title="What is left of a note in a fresh network",
    xlabel="words read since",
    ylabel="share",
    log_y=True,
)

# %%
outcome("plus_one", float(with_1[-1, 0] / without_1[-1, 0]))

# %% [markdown]
# A gate of one half halves the note at every word. The 1 does not make the memory long. It makes it long enough for learning to begin, and the network then opens and closes the gates as it needs.

# %% [markdown] slide="slide"
# ## 3. Two readers who never meet
#
# Give the same sentence to two people in two rooms. One reads it from the front, the other from the back. At every word each notes what the sentence has told so far. Later we lay the two notes for a word side by side. People use both sides to understand a word; here two readers with one side each must do. What makes them honest is the wall between the rooms.

# %% slide="subslide"
bilm_network(["<S>", "dogs", "bark", "</S>"])

# %% [markdown]
# "Deep" in the paper's title means these two layers, $L = 2$. From the second layer on, a layer's output is its states **plus** what went in, a **residual connection** (section 3.4 of the paper). The gradient then has a way to the first layer that no gate can close. So each token has $2L + 1$ vectors:
#
# $$R_t = \{\, x_t,\ \overrightarrow{h}_{t,j},\ \overleftarrow{h}_{t,j} \mid j = 1, \dots, L \,\}$$
#
# The backward reader is a forward reader that is given the sentence turned round. With padding this goes wrong easily: in a batch, a short sentence has padding at its end, and turned round as a whole the padding comes first.

# %% [markdown] exercise="reverse_each"
# ### Exercise 3. Turn each sentence round
#
# Write `reverse_each(x, lengths)`. `x` is a tensor (B, T), (B, T, H) or with more axes. `lengths` (B,) has the number of tokens of each sentence. Return a tensor of the same shape in which each sentence is turned round within its own length. The padding stays where it is, as it is.


# %% exercise="reverse_each"
def reverse_each(x, lengths):
    """Each sentence turned round within its own length."""
    ### BEGIN SOLUTION
    rows = zip(x, lengths.tolist(), strict=True)
    return torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in rows])
    ### END SOLUTION


# %% check="reverse_each"
check("reverse_each", reverse_each)

# %% [markdown] hints="reverse_each"
# nudge: Take *a b c* with two places of padding: *a b c . .* becomes *c b a . .*. Which slice of the row is turned?
#
# idea: One sentence at a time is fine: turn `row[:n]`, keep `row[n:]`. Or make a table of places, (B, T): place t comes from `n - 1 - t` while t is inside the sentence, and from t outside.
#
# outline: For each row and its n: `torch.cat([row[:n].flip(0), row[n:]])`. Put the rows together with `torch.stack`.

# %%
reverse_each = or_reference("reverse_each", reverse_each)

# %% [markdown] exercise="BiLM" slide="subslide"
# ### Exercise 4. Two readers who never meet
#
# Finish the class. The constructor is given: `self.stacks[0]` has the layers of the forward reader, `self.stacks[1]` those of the backward one. Each layer is a dict with `W_0`, `B` and `W_P_0`, so `lstm_step(x_t, h, c, **layer, clip=self.clip)` is one step.
#
# - `read(x, stack)`: one direction. From the token vectors (B, T, H) to a list with the states (B, T, H) of each layer, from left to right. Each layer begins with h and c at 0. From the second layer on, what went in is added to the states, and the sum is what the next layer reads.
# - `forward(ids)`: `ids` (B, T, letters), padded with zeros at the end. Return a list of $L + 1$ tensors (B, T, 2H), first `[x ; x]`, then `[forward ; backward]` of each layer, and the mask (B, T).
#
# `self.char_cnn` takes words, (N, letters), and gives (N, H). What you leave at padding does not matter.


# %% exercise="BiLM"
import torch
from torch import nn


class BiLM(nn.Module):
    """Two stacks of LSTMs over the same words."""

    def __init__(self, char_cnn, weights, clip=3.0):
        super().__init__()
        self.char_cnn, self.clip = char_cnn, clip
        cell = "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell/{}"
        depth = sum(name.startswith("RNN_0/") and name.endswith("/B") for name in weights)
        self.stacks = nn.ModuleList(
            nn.ModuleList(
                nn.ParameterDict(
                    {
                        name: weights[cell.format(direction, layer, name)].clone()
                        for name in ("W_0", "B", "W_P_0")
                    }
                )
                for layer in range(depth)
            )
            for direction in (0, 1)
        )

    def read(self, x, stack):
        """(B, T, H) to a list of (B, T, H), one for each layer."""
        ### BEGIN SOLUTION
        layers = []
        for layer in stack:
            cells, hidden = layer["W_P_0"].shape
            h, c = x.new_zeros(len(x), hidden), x.new_zeros(len(x), cells)
            states = []
            for x_t in x.unbind(1):
                h, c = lstm_step(x_t, h, c, **layer, clip=self.clip)
                states.append(h)
            states = torch.stack(states, 1)
            x = states + x if layers else states
            layers.append(x)
        return layers
        ### END SOLUTION

    def forward(self, ids):
        """(B, T, letters) to L + 1 tensors (B, T, 2 H), and the mask (B, T)."""
        ### BEGIN SOLUTION
        mask = (ids > 0).any(-1)
        lengths = mask.sum(1)
        x = self.char_cnn(ids.flatten(0, 1)).unflatten(0, ids.shape[:2])  # (B, T, H)
        ahead = self.read(x, self.stacks[0])
        behind = self.read(reverse_each(x, lengths), self.stacks[1])
        behind = [reverse_each(h, lengths) for h in behind]
        pairs = zip([x, *ahead], [x, *behind], strict=True)
        return [torch.cat(pair, -1) for pair in pairs], mask
        ### END SOLUTION


# %% check="BiLM"
check("BiLM", BiLM)

# %% [markdown] hints="BiLM"
# nudge: `read` does not know its direction. What must `forward` do before and after it, so that place t of the backward states belongs to token t?
#
# idea: In `read`, the outer loop goes over the layers, the inner one over `x.unbind(1)`; a layer's cells and outputs are counted by `layer["W_P_0"].shape`. In `forward`, `ids.flatten(0, 1)` makes one list of words, and `.unflatten(0, ids.shape[:2])` turns their vectors back into a batch. The lengths are `mask.sum(1)`.
#
# outline: `mask = (ids > 0).any(-1)`. Token vectors x. `ahead = self.read(x, self.stacks[0])`. `behind`: turn x with `reverse_each`, read with `self.stacks[1]`, turn every layer back. Join `[x, *ahead]` and `[x, *behind]` pair by pair on the last axis. In `read`: h and c at 0, the steps, `torch.stack(states, 1)`, plus x unless it is the first layer.

# %% slide="subslide"
BiLM = or_reference("BiLM", BiLM)
CharCNN = mine("CharCNN")
COURSE = load_pretrained()
weights = official_weights(COURSE)
grown_up = BiLM(CharCNN(weights), weights)
with torch.no_grad():
    layers, mask = grown_up(TEXT.characters(HELD_OUT[:8]))
    theirs = COURSE(batch_to_ids(HELD_OUT[:8]))["activations"]
for layer, (ours, other) in enumerate(zip(layers, theirs, strict=True)):
    print(
        f"layer {layer}: {tuple(ours.shape)}, largest distance {((ours - other) * mask[..., None]).abs().max():.0e}"
    )

# %% [markdown]
# This was the course's own checkpoint: 4.8 million weights, trained for 92 minutes on other texts. Your class has taken it up and gives its vectors, but for rounding. The published ELMo has the same parts; it is larger: 4096 cells, $H = 512$, so three vectors of 1024 numbers for each token, of which the first says the same 512 twice.

# %% [markdown] slide="slide"
# ## 4. The exam
#
# Nobody has labelled anything. The text itself asks the questions. The forward reader, at every token, must bet on the next one; the backward reader on the one before:
#
# $$\sum_{t=1}^{T} \Big( \log p(w_t \mid w_1, \dots, w_{t-1};\ \Theta_x, \overrightarrow{\Theta}_{\text{LSTM}}, \Theta_s) + \log p(w_t \mid w_{t+1}, \dots, w_T;\ \Theta_x, \overleftarrow{\Theta}_{\text{LSTM}}, \Theta_s) \Big)$$
#
# This is section 3.1 of the paper. Each half is the chain rule of lesson 03, once from each end. $\Theta_x$ is the token layer and $\Theta_s$ the softmax, and **both directions share them**. The two stacks of LSTMs have weights of their own. So the readers are trained jointly, and meet only in what they share and in the sum of their losses.
#
# Mind the places. The state at place $t$ has **read** $w_t$. It is asked about a neighbour.

# %% [markdown] exercise="both_targets"
# ### Exercise 5. What each direction is asked
#
# Write `both_targets(words, mask)`. `words` (B, T) has the word numbers, boundaries included; `mask` (B, T) is True at tokens. Return a tensor (2, B, T): first what the forward state of each place must predict, then what the backward state must. Where there is nothing to predict, write −100: `cross_entropy` leaves those places out. Do not change `words`.


# %% exercise="both_targets"
def both_targets(words, mask):
    """(2, B, T): the word after each place, and the word before it; -100 where there is none."""
    ### BEGIN SOLUTION
    ahead, behind = torch.full_like(words, -100), torch.full_like(words, -100)
    pair = mask[:, 1:]  # a token and the one before it are both there
    ahead[:, :-1] = words[:, 1:].masked_fill(~pair, -100)
    behind[:, 1:] = words[:, :-1].masked_fill(~pair, -100)
    return torch.stack([ahead, behind])
    ### END SOLUTION


# %% check="both_targets"
check("both_targets", both_targets)

# %% [markdown] hints="both_targets"
# nudge: Write the sentence *`<S>` dogs bark `</S>`* and two places of padding. Below each place write what either reader must say. Which places stay empty?
#
# idea: The forward targets are `words` moved one place to the left, the backward ones moved one place to the right. A pair counts if both places are tokens; padding stands at the end, so `mask[:, 1:]` says it for both directions.
#
# outline: Begin with two tensors full of −100 (`torch.full_like`). Fill `ahead[:, :-1]` with `words[:, 1:]` and `behind[:, 1:]` with `words[:, :-1]`, both with −100 where `mask[:, 1:]` is False. `torch.stack` the two.

# %% slide="subslide"
both_targets = or_reference("both_targets", both_targets)


class LanguageModel(nn.Module):
    """A reader of both directions and the one softmax that they share."""

    def __init__(self, reader, hidden):
        super().__init__()
        self.reader = reader
        self.softmax = nn.Linear(hidden, V)

    def forward(self, ids, words):
        """The loss of each direction in nats a token, (2,)."""
        layers, mask = self.reader(ids)
        scores = self.softmax(torch.stack(layers[-1].chunk(2, -1)))  # (2, B, T, V)
        pairs = zip(scores, both_targets(words, mask), strict=True)
        return torch.stack([functional.cross_entropy(s.transpose(1, 2), a) for s, a in pairs])


# %% [markdown]
# The objective gives every weight of the softmax two teachers: its gradient is the sum of what the two directions ask for. There are half as many weights to learn, and each word is asked for twice as often.

# %% [markdown] slide="slide"
# ## 5. Pretrain yours
#
# A small one, with your parts throughout: letters, two layers of 64 cells in each direction, 32 numbers shown. Letters are read in the case of the text; the words to be predicted are in lower case, and all but 1,000 of them are `<unk>`.

# %%
predict(
    "direction",
    "Which reader will have the lower held-out perplexity?",
    options=["forward", "backward", "within 5 % of each other"],
)

# %% slide="subslide"
LETTERS, STEPS = 20, 200


def model_of(options, seed=0):
    """A language model of your parts, with fresh weights of these sizes."""
    torch.manual_seed(seed)
    fresh = official_weights(FastBiLM(options))
    return LanguageModel(BiLM(CharCNN(fresh), fresh), options.projection_dim)


small = BiLMOptions(
    filters=((1, 16), (2, 32), (3, 48)), dim=64, projection_dim=32, max_characters=LETTERS
)
young = model_of(small)
held_letters = TEXT.characters(HELD_OUT, LETTERS)
history = []


def note(step):
    """The held-out losses, every twenty steps."""
    if step % 20 == 0:
        with torch.no_grad():
            history.append(young(held_letters, held_words).exp().tolist())


losses = (
    young(TEXT.characters(sentences, LETTERS), TEXT.numbers(sentences)[0]).mean()
    for _, sentences in zip(range(STEPS), TEXT.batches(32), strict=False)
)
options = TrainingOptions(learning_rate=1e-2, progress=True)
nats = train(young, losses, STEPS, options, after_step=note)

# %% slide="subslide"
ahead, behind = np.array(history).T
plots.curves(
    20 * np.arange(1, len(history) + 1),
    {"forward": ahead, "backward": behind, "unigram": np.full(len(history), unigram)},
    title="Your bidirectional language model (one run)",
    xlabel="batches of 32 sentences",
    ylabel="held-out perplexity",
)

# %%
print(f"forward {ahead[-1]:.1f}, backward {behind[-1]:.1f}, unigram {unigram:.1f}")
lower = "forward" if ahead[-1] < behind[-1] else "backward"
close = abs(ahead[-1] / behind[-1] - 1) < 0.05
outcome("direction", "within 5 % of each other" if close else lower)

# %% [markdown]
# Both readers beat the unigram. The counts are the control: what lies below that line was learnt from context. The number itself can be compared with no other, because it belongs to 1,000 words. The published model reports 39.7, the average of both directions, after ten epochs over the 1 Billion Word Benchmark, some 800 million words (section 3.4). Its softmax had about 793,000 words (the authors' training code).
#
# Let it write. The forward reader goes on from a beginning, the backward reader invents what came before an end.


# %% slide="subslide"
def bets(model, sentence, direction, temperature=1.0):
    """Probabilities (V,) for the word after the last, or before the first, of these words."""
    ids = batch_to_ids([sentence], allow_boundary_tokens=True, max_characters=LETTERS)
    ahead, behind = model.reader(ids)[0][-1][0].chunk(2, -1)  # (T, H) each
    scores = model.softmax(ahead[-1] if direction == "forward" else behind[0])
    scores[0] = -torch.inf  # never say <unk>
    return torch.softmax(scores / temperature, -1)


@torch.no_grad()
def sample(model, sentence, direction, temperature=0.7, most=14):
    """Words drawn one after the other, until a boundary."""
    sentence = list(sentence)
    for _ in range(most):
        chances = bets(model, sentence, direction, temperature)
        word = TEXT.vocabulary.word(int(torch.multinomial(chances, 1)))
        if word == "</s>":
            break
        sentence = [*sentence, word] if direction == "forward" else [word, *sentence]
    return " ".join(word for word in sentence if word[-2:] != "S>")


torch.manual_seed(1)
for direction, part in (("forward", ["<S>", "The"]), ("backward", ["man", ".", "</S>"])) * 2:
    print(f"{direction:>8}: {sample(young, part, direction)}")

# %% [markdown]
# Change the temperature to 0.2, and to 2. Say first what you expect. A low one sharpens the bets: the same safe words again and again. A high one flattens them. Do not expect much sense from either: this model has read for less than a minute.
#
# And now watch both readers at work. Move the slider with the mouse or with the arrow keys. Each reader says what it expects next, and the two never exchange a word.

# %% slide="subslide"
shown = ["<S>", *next(s for s in HELD_OUT if 6 <= len(s) <= 8), "</S>"]


@torch.no_grad()
def best(sentence, direction):
    """The three best bets, as words with their chances."""
    chances, numbers = bets(young, sentence, direction).topk(3)
    return list(zip(TEXT.vocabulary.decode(numbers.tolist()), chances.tolist(), strict=True))


step_through(shown, best)

# %% [markdown] slide="slide"
# ## 6. The causality test
#
# Back to the record that cannot be. How do you prove that a witness has seen the cards? Swap one card in secret, and watch whose face changes.
#
# Replace the word at place $t$. Every forward state **before** $t$ has not read it yet, so it must not move. Every backward state **after** $t$ has not read it either. The states at $t$ itself move, of course: they have read the word. One face that changes too early, and the model has seen its answer.

# %% [markdown] exercise="moved"
# ### Exercise 6. The causality test
#
# Write `moved(model, ids, t, other)`. `model(ids)` gives the list of $L + 1$ layers (1, T, 2H) and the mask. `ids` is one sentence, (1, T, letters) or (1, T). Put `other` at place `t` of a **copy**, let the model read both, and return a table of True and False, (L + 1, 2, T): for each layer, first for its forward states and then for its backward states, whether the state at each place moved. A state has moved if any of its numbers changed by more than 1e-6.


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

# %% slide="subslide"
moved = or_reference("moved", moved)


@torch.no_grad()
def tables(model, ids, other):
    """(T, T) for the forward and for the backward top states: row s, word s replaced."""
    rows = [np.asarray(moved(model, ids, s, other))[-1] for s in range(ids.shape[1])]
    return np.array(rows).swapaxes(0, 1)


short = next(s for s in HELD_OUT if len(s) == 5)
word_ids = TEXT.numbers([short])[0] + 1
tested = {
    "yours": tables(
        young.reader, TEXT.characters([short], LETTERS), TEXT.characters([["dog"]], LETTERS)[0, 1]
    ),
    "bidirectional=True": tables(quick["bidirectional=True"], word_ids, torch.tensor(7)),
}
causality(tested, ["<S>", *short, "</S>"], title="Who moves when a word is replaced?")

# %% [markdown]
# Yours is a clean pair of triangles. In the other model **every** state moves. Here is why. In `nn.LSTM` with two layers, the second layer reads both directions of the first. At place $t$ the first layer's backward state has already read $w_{t+1}$. It hands that on to the second layer's forward state, which is then asked for $w_{t+1}$. The answer came in through the back door. The paper on BERT says it in one sentence: each word could "indirectly see itself" (section 3.1).
#
# What is such a model worth when the future is really not there? Cut each sentence off after $t$ words, and let the forward half bet on the next.

# %%
predict(
    "honest",
    "With the future cut off, bidirectional=True will bet",
    options=["as well as before", "better than the unigram", "worse than the unigram"],
)


# %% slide="subslide"
@torch.no_grad()
def honest_perplexity(model):
    """Of the forward half, when every sentence ends at the word that bets."""
    nats = []
    softmax = model.table.weight[1:] * SIZE**-0.5
    for t in range(1, held_ids.shape[1]):
        there = held_ids[:, t] > 0
        ahead = model(held_ids[there, :t])[0][-1][:, -1, :SIZE]
        scores = ahead @ softmax.T + model.bias
        nats.append(functional.cross_entropy(scores, held_words[there, t], reduction="none"))
    return float(torch.cat(nats).mean().exp())


easy = {name: float(np.exp(curve[-1, 0])) for name, curve in curves.items()}
honest = {name: honest_perplexity(model) for name, model in quick.items()}
plots.bars(
    list(quick),
    {
        "the sentence goes on": list(easy.values()),
        "cut off at the word that bets": list(honest.values()),
    },
    title="The forward half, on held-out sentences (one run each)",
    ylabel="perplexity",
    level=("unigram", unigram),
)

# %%
cut = honest["bidirectional=True"]
worse = "worse than the unigram" if cut > unigram else "better than the unigram"
outcome("honest", "as well as before" if cut < 1.1 * easy["bidirectional=True"] else worse)

# %% [markdown]
# The honest model does not care whether the sentence goes on: its two bars are the same. The other one had learnt to copy its neighbour. Where there is no neighbour to copy, it bets worse than plain counts.
#
# Would one layer, `num_layers=1`, be wrong as well? Ask your test before you answer. Then ask yourself what happens if the **whole** state, both halves, is used to predict the next word.

# %%
single = Famous(V, 8)
single.lstm = nn.LSTM(8, 8, num_layers=1, bidirectional=True, batch_first=True)
ahead, behind = tables(single, word_ids, torch.tensor(7))
leaks = np.tril(ahead, -1).any() or np.triu(behind, 1).any()
print("one layer:", "leaks" if leaks else "clean")

# %% [markdown] slide="slide"
# ## 7. Three broken runs
#
# Three colleagues bring you three runs of the quick model. You do not get their code. You get the held-out curves of both directions, the tables of the causality test, and one more number: the largest distance between the states of a short sentence read **alone**, and read in a batch **beside a longer one**. Each run has one fault, each a different one. The fourth run is sound.

# %%
longer = (TEXT.numbers([max(HELD_OUT, key=len)])[0] + 1)[0]
runs = {"sound": (quick["two that never meet"], curves["two that never meet"])}
for name in ("A", "B", "C"):
    model, wrong_target = planted_faults.broken(name, V, SIZE)
    runs[name] = model, quick_run(model, 150, wrong_target=wrong_target)
seen = {
    name: planted_faults.symptoms(model, losses, moved, word_ids[0], longer, torch.tensor(7))
    for name, (model, losses) in runs.items()
}


# %% slide="subslide"
def loss_curves(side, title):
    """The held-out loss of one direction, run by run."""
    lines = {name: s.losses[:, side] for name, s in seen.items()}
    lines["unigram"], across = np.full(12, np.log(unigram)), np.arange(1, 13) / 12
    return plots.curves(across, lines, title=title, xlabel="share of the run", ylabel="nats")


loss_curves(0, "The four runs, forward: held-out loss")

# %% slide="subslide"
loss_curves(1, "The four runs, backward: held-out loss")

# %% slide="subslide"
for name, s in seen.items():
    print(f"{name:>6}: alone or not, forward {s.alone[0]:.0e}, backward {s.alone[1]:.0e}")
four = {name: (s.ahead, s.behind) for name, s in seen.items()}
causality(four, ["<S>", *short, "</S>"], title="The four runs")

# %% [markdown]
# Decide by eye first. Which run cheats in its states? Which one is honest and answers the wrong question? Which one cheats nowhere, and still learns less well than it should?

# %% [markdown] exercise="diagnose"
# ### Exercise 7. Three broken runs
#
# Write the doctor. `diagnose(losses, ahead, behind, alone)` gets the symptoms of one run:
#
# - `losses` (steps, 2): held-out nats a token, forward and backward, from the start to the end of the run,
# - `ahead` and `behind` (T, T): in row s, which top states moved when word s was replaced,
# - `alone` (2,): the distance described above, for the forward and the backward states.
#
# Return `"the directions meet"`, `"a wrong target"`, `"padding is read"` or `"sound"`. Take a final loss below 2 nats, a perplexity of 7, as impossible for an honest model of this size, in either direction. Distances up to 1e-4 are rounding. A run has one fault at most, but a fault can have more than one symptom.


# %% exercise="diagnose"
def diagnose(losses, ahead, behind, alone):
    """The fault of a run, from its symptoms."""
    ### BEGIN SOLUTION
    if np.tril(ahead, -1).any() or np.triu(behind, 1).any():
        return "the directions meet"
    if max(alone) > 1e-4:
        return "padding is read"
    return "a wrong target" if min(losses[-1]) < 2 else "sound"
    ### END SOLUTION


# %% check="diagnose"
check("diagnose", diagnose)

# %% [markdown] hints="diagnose"
# nudge: Three questions, one for each fault. Which fault shows in two places, so that the order of the questions matters?
#
# idea: In `ahead`, row s may be True from column s on; everything **below** the diagonal is a leak: `np.tril(ahead, -1)`. In `behind` it is everything above: `np.triu(behind, 1)`. A leak lowers the loss, too, so ask about leaks before you blame the targets.
#
# outline: If a forbidden cell of either table is True: the directions meet. Else if either number of `alone` is above 1e-4: padding is read. Else if either number of `losses[-1]` is below 2: a wrong target. Else sound.

# %%
diagnose = or_reference("diagnose", diagnose)
for name, s in seen.items():
    print(f"{name:>6}: {diagnose(s.losses, s.ahead, s.behind, s.alone)}")

# %% [markdown]
# Keep the three lessons. A **leak** is found by the causality test and by nothing else. A **wrong target** passes that test: the states are honest and the exam is wrong, so look for a loss that is too good. **Padding that is read** costs some loss, and nobody notices without a sound run beside it. So ask for more: a vector must not depend on who else is in the batch.

# %% [markdown] slide="slide"
# ## 8. Take up the checkpoint and go on
#
# Pretraining is expensive, so people go on from where others stopped. The paper does it as well: in most of its experiments the biLM first reads the text of the task (section 3.4). The checkpoint in `grown_up` comes as all such files come: **without its softmax**, because no vector needs it. To hear its bets you must give it a new one.
#
# So, first, keep its states frozen and train only a fresh softmax on 256 sentences. The control is the same with a biLM of the same size that has never read anything. Then unfreeze everything and go on for a few steps.

# %% slide="subslide"
FEW, MORE, HELD = TEXT.train[:256], TEXT.train[256:512], HELD_OUT[:64]
grown = LanguageModel(grown_up, COURSE.options.projection_dim)
control = model_of(COURSE.options)


def frozen_states(model, sentences):
    """Top states (N, H) and targets (N,) of both directions, one below the other."""
    kept = []
    for rows in (sentences[k : k + 32] for k in range(0, len(sentences), 32)):
        with torch.no_grad():
            layers, mask = model.reader(TEXT.characters(rows))
        asked = both_targets(TEXT.numbers(rows)[0], mask)
        kept += [
            (h[a >= 0], a[a >= 0]) for h, a in zip(layers[-1].chunk(2, -1), asked, strict=True)
        ]
    return tuple(map(torch.cat, zip(*kept, strict=True)))


def fresh_softmax(model, steps=120):
    """Train the softmax alone on frozen states; the perplexity on held-out sentences."""
    states, asked = frozen_states(model, FEW)
    drawn = (torch.randint(len(asked), (1024,)) for _ in range(steps))
    losses = (functional.cross_entropy(model.softmax(states[n]), asked[n]) for n in drawn)
    train(model.softmax, losses, steps, TrainingOptions(learning_rate=1e-2, progress=True))
    states, asked = frozen_states(model, HELD)
    with torch.no_grad():
        return float(functional.cross_entropy(model.softmax(states), asked).exp())


frozen = {
    "untrained states": fresh_softmax(control),
    "the checkpoint's states": fresh_softmax(grown),
}

# %% slide="subslide"
going_on = (
    grown(TEXT.characters(MORE[k : k + 16]), TEXT.numbers(MORE[k : k + 16])[0]).mean()
    for k in range(0, 160, 16)
)
train(grown, going_on, 10, TrainingOptions(learning_rate=1e-4, progress=True))
with torch.no_grad():
    further = float(grown(TEXT.characters(HELD), TEXT.numbers(HELD)[0]).mean().exp())
    yours = float(young(TEXT.characters(HELD, LETTERS), TEXT.numbers(HELD)[0]).mean().exp())
bars = {
    "unigram": TEXT.unigram(HELD),
    **frozen,
    "... and ten steps more": further,
    "your small one": yours,
}
plots.bars(
    list(bars),
    {"perplexity": list(bars.values())},
    title="64 held-out sentences, 1,000 words, both directions (one run each)",
    ylabel="perplexity",
)

# %% [markdown]
# Compare *untrained states* with *the checkpoint's states*. The softmax is of the same size and was trained on the same 256 sentences; only the states differ. What lies between these two bars is what the checkpoint has **read**. (The unigram is lower than the untrained states because it has counted all the training sentences.) Your small model has seen many more of these sentences, and its own softmax with them, so its bar answers another question. Ten further steps are shown because your code can take them; ten steps prove nothing about going on.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"ELMo's forward and backward models are two separate networks. They share no parameters; only their losses are added."*
#
# You find this in blog posts and lecture notes. The BERT paper, too, speaks of "independently trained" language models. Count the weights.

# %%
predict("shared", "Which share of the checkpoint's weights is used by both directions?", unit="%")

# %%
size = {"token layer (both)": 0, "forward LSTMs": 0, "backward LSTMs": 0}
for name, weight in weights.items():
    part = {"RNN_0": "forward LSTMs", "RNN_1": "backward LSTMs"}.get(name[:5], "token layer (both)")
    size[part] += weight.numel() / 1e6
plots.bars(
    list(size),
    {"weights": list(size.values())},
    title="Weights of the checkpoint",
    ylabel="millions",
)

# %%
outcome("shared", 100 * size["token layer (both)"] / sum(size.values()), unit="%")

# %% [markdown]
# **Half a myth.** The LSTMs share nothing, and no state of one direction ever reaches the other. But the token layer serves both, and so does the softmax, which is not in the file. With 1,000 words and 256 numbers each, it alone would add a quarter of a million weights. Both are trained by the sum of the two losses. TagLM's two models (lesson 05) are the ones that share nothing in the paper.
#
# And the reverse claim, that a joint model is *deeply* bidirectional? No layer ever sees both sides at once. Each direction is an ordinary language model with an ordinary exam, and that is why training is so simple. Joining the sides in **every** layer needs another exam: lesson 12.

# %% [markdown] slide="slide"
# ## Recap
#
# - ELMo's cell is an LSTM with a projection, clips at 3, and a 1 in the forget gate that keeps early notes alive.
# - The backward reader reads each sentence turned round within its own length.
# - Two stacks, one token layer, one softmax. From the second layer on, a residual. $2L + 1$ vectors for each token.
# - The state at $t$ has read $w_t$ and is asked for a neighbour. What it has not read, it may be asked.
# - A low loss proves nothing, not even on held-out text. The causality test does: replace a word, and see who moves.
# - Your classes take published weights and go on.
#
# ELMo stands on three ideas: letters in place of a word table, both directions, and all layers in place of the top one. The first is lesson 06. You have just built the second. The third is lesson 08.

# %%
calibration()

# %%
from autograde import progress

progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A colleague shows you a bidirectional language model. *"Two layers, perplexity 1.8 on held-out text, and I checked: the training and test sentences do not overlap."* **Explain to the colleague how such a number can come about without any overlap. Which two measurements would you ask for, and what would each show? And is such a model good for nothing? Think of a tagger, which is allowed to see the whole sentence.** Five to eight sentences.

# %% [markdown] discussion="perplexity_of_1_8" points=3
# **Rubric, 3 points.** 1 for the way the answer gets in (the layers mix the directions) and why held-out text does not show it. 1 for two measurements with what each would show (causality test; sentences cut off; loss of each direction against the unigram). 1 for saying that seeing both sides is no fault in itself: it is a fault where the target is among the inputs. 0.5 of it for "use a masked model" without the reason.

# %% [markdown] model_answer="perplexity_of_1_8"
# The number can come from the states and not from the text: in a two-layer bidirectional LSTM the second layer's forward state reads the first layer's backward state, which has already read the next word. The model copies its answer, and copying works on any sentence, so held-out text does not reveal it. I would ask for the causality test: replace a word and see whether forward states before it, or backward states after it, move. If they do, the loss measures nothing. If they do not, I would check the targets: a backward reader that is asked for the next word passes the test and copies all the same. And I would ask for the perplexity when each sentence is cut off at the word that bets: an honest model keeps its number, this one will fall to the level of the counts or below.
#
# As a reader for a tagger the architecture is fine, because the tagger's labels are not in the input: every state may see the whole sentence, and task models do exactly that. What fails is this *exam*, predicting words that the model is shown. To train both sides at once, the word must be hidden from the input, as BERT does.

# %% [markdown]
# ## Further reading
#
# - The ELMo paper, sections 3.1 and 3.4, and the authors' training code, [bilm-tf](https://github.com/allenai/bilm-tf): windows of 20 tokens, a sampled softmax, and states that are carried from one window to the next.
# - Devlin and others, [BERT](https://arxiv.org/abs/1810.04805), section 3.1: the argument that a word could see itself.
# - In the package: `elmo_mini/bilm/plain.py` is this lesson in 200 lines, `elmo_mini/bilm/model.py` the fast version that is held to it. `python -m elmo_mini pretrain --help` trains a real one.
#
# Next: **08 · ScalarMix and ELMo.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Does the vector of token k not contain token k itself?* It does, and must; only the loss of that state is about another word. *Why does bilm-tf carry the state from sentence to sentence?* It saves work on running text, and its vectors then depend a little on what was read before; ours start from zero and are deterministic. *Is the direction that reads backwards natural?* For a machine there is nothing special about the left. *Why is the famous model so quick to learn the copy?* Input and output share their word table here, so handing a word on needs no new dictionary; with a softmax of its own it takes many more steps, which is worse, because then the leak looks like learning. *And if the whole state predicts the next word?* Then one bidirectional layer is enough for the leak: the other half has read the answer. *Poll before section 6:* "Would a third layer make the leak stronger?" It cannot: everything has been seen after two.
