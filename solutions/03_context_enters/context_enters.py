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
# ## Context enters
#
# Lesson 03 · LSTM, Hochreiter and Schmidhuber, 1997 · context2vec, Melamud and others, 2016
#
# minutes: 1
#
# say: Lesson 02 ended at a wall: one vector for every word, whatever the sentence. Today we build a network that reads the sentence, so that the vector changes with it. And we ask what its state knows that cheap controls do not.
#
# ask: What did a reader of the neighbours need, in the last lesson?
#
# expect: "A large network." A mean of ten words, or only which words they are. Keep that in mind: it comes back today.
#
# skip: Leave out the question.

# %% [markdown] slide="slide"
# # 03 · Context enters
#
# Lesson 02 ended at a wall: one vector for every word, whatever the sentence. Here you build a network that reads the sentence, and the vector changes with it. You type an LSTM from its gates, train it, hear it speak, and ask what its state knows that cheap controls do not.

# %% tags=["road"]
from course.figures import plots

plots.road("03")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - type an LSTM from its gates, and derive why a plainer network forgets,
# - write a language model's loss and loop, draw words from it, judge it against counts,
# - tell three broken runs apart by their symptoms,
# - say what a state knows of a word's sense, and what untrained controls know,
# - say what context2vec looks at, and show the leak that it avoids.
#
# ## The papers
#
# - **LSTM**: Hochreiter and Schmidhuber, Neural Computation 9(8), 1997; the forget gate: Gers, Schmidhuber and Cummins, 2000.
# - **context2vec**: Melamud, Goldberger and Dagan, *context2vec: Learning Generic Context Embedding with Bidirectional LSTM*, CoNLL 2016 (K16-1006).
#
# Plan 110 minutes. Short of time? Exercises 1 to 5, 7 and 8 are the spine, 100 minutes.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $N$ | words in a text | $h_t$ | the state after word $t$ |
# | $V$ | words in the vocabulary | $c_t$ | the cells after word $t$ |
# | $B$ | rows, or sentences, side by side | $H$ | numbers in a state |
# | $L$ | words in a row | $i, f, g, o$ | input gate, forget gate, candidate, output gate, before squashing |
# | $T$ | words in a window or a sentence | $\sigma$ | the sigmoid function |
# | $w_t$ | the word at position $t$ | $\tau$ | the temperature |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes, for somebody who passes most checks at once: opening, 2; section 1, 8; section 2, 10; section 3, 31; section 4, 30; section 5, 9; section 6, 5; section 7, 9; recap, 1: 105 in all, the discussion 6 more, and 15 for what stands at the end. For 80 minutes: show exercises 3 and 6 solved. For 60: exercises 5, 8 and 9 as well, and take section 7 as a poll. Students get stuck in exercise 2 (the word between two windows), in exercise 4 (which axis is time) and in exercise 9 (the direction of the right reader). Draw five words on the board for all three.

# %%
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict
from course.baselines.kneser_ney import KneserNey
from course.texts.small_text import small_text

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

TEXT = small_text(train=12_000, held_out=1_500, words=2_000, longest=25)
vocabulary, V = TEXT.vocabulary, len(TEXT.vocabulary)
stream, other = (torch.tensor(TEXT.running(part)) for part in (TEXT.train, TEXT.held_out))
pairs = KneserNey(stream.tolist(), V, order=2)
print(f"{len(stream):,} words to learn from, {len(other):,} held out, {V:,} in the vocabulary.")
print(f"Words outside it are <unk>: {float((stream == 0).double().mean()):.0%} of the text.")

# %% [markdown] deck="words"
# ## Cover the end of this sentence
#
# > The doctor washed her …
#
# . . .
#
# Nobody gave you labels for that. **Text was enough.**
#
# . . .
#
# A **language model** makes such bets: a probability for each word that may come next.
#
# minutes: 1.5
#
# say: You expect *hands*, not *giraffe*, and not *of* either. The product of all the bets of a text is the probability of the text. This is the chain rule, and it is exact. The trouble is that the condition grows with every word.
#
# ask: Your bet, before I uncover it?
#
# expect: "*Hands*", from everybody. So a word's neighbours on the left say a lot, and each text is full of such questions with their answers.
#
# skip: Show all steps at once.

# %% [markdown] slide="slide"
# ## 1. A machine that goes on talking
#
# Cover the end of this sentence: *The doctor washed her …*. You expect *hands*, not *giraffe*, and not *of* either. Nobody gave you labels for that. Text was enough.
#
# A **language model** makes such bets: probabilities of the next word. Their product is the probability of the whole text:
#
# $$p(w_1, \dots, w_N) = \prod_{t=1}^{N} p(w_t \mid w_1, \dots, w_{t-1})$$
#
# This is the **chain rule**, and it is exact. But the condition grows with every word. The oldest answer keeps the last word only, and **counts** what followed it: pairs, or bigrams.
#
# A model that bets can also talk, by **sampling**: draw a word, read it, draw the next. Each word $w$ gets a score $s_w$, its **logit**; the softmax turns the logits into probabilities. The **temperature** $\tau$ says how daring the speaker is:
#
# $$p(w) = \frac{\exp(s_w / \tau)}{\sum_v \exp(s_v / \tau)}$$
#
# Below 1 the likely words become likelier still. Far above 1 all become almost equally likely.

# %% [markdown] exercise="draw_word"
# ### Exercise 1. A word is drawn
#
# Write `draw_word(scores, temperature)`. `scores` is a tensor (V,), and some of its numbers may be $-\infty$: such a word never comes. Draw a word by the formula above, and return its id, a whole number.


# %% exercise="draw_word"
def draw_word(scores, temperature):
    """The id of a word, drawn by the softmax of the scores over the temperature."""
    ### BEGIN SOLUTION
    chances = (scores / temperature).softmax(-1)
    return int(torch.multinomial(chances, 1))
    ### END SOLUTION


# %% check="draw_word"
check("draw_word", draw_word)

# %% [markdown] hints="draw_word"
# nudge: Where does the temperature stand: before the softmax or after it? And what differs between sampling and taking the best?
#
# idea: Divide the scores, take the softmax. `torch.multinomial(chances, 1)` draws an index by its probability and gives it as a tensor.
#
# outline: `chances` is the softmax of `scores / temperature`; draw one index with `torch.multinomial`; make an `int` of it.

# %% [markdown] model_answer="draw_word"
# The temperature divides the logits. Dividing the probabilities would change nothing, because they are made to sum to 1 again when a word is drawn.

# %% [markdown] deck="printed"
# ## It can talk: counts of pairs, at three temperatures
#
# minutes: 1.5
#
# say: The oldest model keeps the last word only, and counts what followed it. Draw a word, read it, draw the next. A slash ends a sentence. The temperature says how daring the speaker is: a low one makes likely words likelier still.
#
# ask: What is missing?
#
# expect: "Grammar." Most neighbours fit. No sentence has a plan, since nothing of what lies further back is kept.
#
# skip: Read one line.

# %%
from course.context_enters.speaking import spoken

draw_word = or_reference("draw_word", draw_word)


def after_pairs(ids):
    """Scores (V,) of the next word, by counts of pairs: it looks at the last word only."""
    return torch.tensor([pairs.probability(ids[-1:], word) for word in range(V)]).log()


for temperature in (0.3, 0.7, 2.0):
    print(f"{temperature}: {spoken(after_pairs, draw_word, vocabulary, ['the'], temperature)}")

# %% [markdown]
# It talks (a slash ends a sentence; `<unk>` is never drawn). At low temperatures most neighbours fit, but no sentence has a plan. The next machine keeps something of **all** it has read.
#
# ## 2. Feeding it a book
#
# Think of a reader with a notebook that has a single page of $H$ numbers. After each word the reader crosses some things out and writes some down. All bets are made from that page, the **hidden state** $h_t$. Such a network is **recurrent**, an RNN.

# %% [markdown] deck="figure"
# minutes: 2
#
# say: A reader with a notebook of a single page. After each word some things are crossed out and some written down, and all bets are made from that page, the hidden state. Such a network is recurrent. It knows the words so far and nothing else. The first word is the boundary between sentences.
#
# ask: The state that has just read *doctor*: which word does it bet on?
#
# expect: "On *doctor*." Explanations of ELMo often say so. It bets on *washed*, one position ahead; on the word that it has just read its bets are hopeless.
#
# skip: Follow one arrow.

# %% slide="subslide"
from course.context_enters import figures as readers

readers.language_model(["</s>", "the", "doctor", "washed", "her"])

# %% [markdown]
# The hidden state moves from left to right, so it knows the words **so far** and nothing else. And the state that has just read *doctor* bets on *washed*: input and target are one position apart. (`</s>` is the boundary between sentences.)
#
# One reader needs a million steps for a book of a million words. So tear the book into 16 parts, the **rows**, and hire 16 readers: each gets one stretch of the text. Rows are still long, so they are cut into **windows** of, say, 24 words. The model learns after each window, keeps its state, and goes on with the next. The gradient stays within a window: this is **truncated backpropagation through time**, truncated BPTT.

# %% [markdown] exercise="next_word_windows"
# ### Exercise 2. What is read, and what is to be said
#
# Write `next_word_windows(rows, width)`. `rows` has shape (B, L). Return a list of pairs `(inputs, targets)` in the order of the text, tensors (B, `width`); the last pair may be shorter. The target of a word is the next word of its row. Every word of a row is a target exactly once, except the first.


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
# idea: Shift first, cut afterwards. `rows[:, :-1]` has every word that something comes after; `rows[:, 1:]` has what comes after it. Cut both at the same positions.
#
# outline: `inputs, targets = rows[:, :-1], rows[:, 1:]`. `inputs.split(width, 1)` and `targets.split(width, 1)` give the windows. `zip` them into a list of pairs.

# %% [markdown] model_answer="next_word_windows"
# The shift comes before the cut. So the last target of a window is the first input of the next one, and no word between two windows is lost.

# %% [markdown] deck="printed" lines="2-3"
# ## What is read, and what is asked for
#
# Above: what the model **reads**. Below: what it is **asked for**, at the same place.
#
# minutes: 1.5
#
# say: Above: what the model reads. Below: what it is asked for, at the same positions. A long text is torn into 16 rows with a reader each, and a row is cut into windows of 24 words. The state goes on from window to window, the gradient stays within one. That is called truncated backpropagation through time.
#
# ask: What is the target of the last word of a window?
#
# expect: "It has none." It has: the first word of the next window. Drop it and a word in every window is never asked for.
#
# skip: Read the two lines.

# %%
from elmo_mini.text.running_text import stream_rows

next_word_windows = or_reference("next_word_windows", next_word_windows)

READINGS, ROWS = (3, 16) if len(stream) > 100_000 else (4, 8)  # a small text is read more often
windows = next_word_windows(stream_rows(stream, ROWS), 24)
print(f"{len(windows)} windows. The first row of the first one reads, and is asked for:")
for ids in windows[0]:
    print("  ", " ".join(vocabulary.decode(ids[0, :10].tolist())))

# %% [markdown] deck="formula"
# ## The plainest page: mix, and squash
#
# The new page $h_t$: the last page and the new word $x_t$
#
# minutes: 1.5
#
# say: One number for the page. Suppose that a note from the very beginning matters at the end. To learn that, training must feel how the last state moves with the first. If that derivative is zero, nothing is learnt over that distance. They derive it in exercise 3: a product of slopes.
#
# ask: How large is one factor of that product, at most?
#
# expect: "One." It is w times one minus h squared. A large w may do better, for a moment.
#
# skip: Say only: a product with a factor for each word.

# %% [markdown] slide="slide"
# ## 3. A page that can be kept
#
# The plainest recurrent network (`nn.RNN`) mixes its page with each new word and squashes the result. With one number for the page:
#
# $$h_t = \tanh(w\,h_{t-1} + x_t)$$
#
# Suppose that a note from the very beginning matters at the last position. To learn that, training must feel how $h_T$ moves with $h_0$: the gradient $\partial h_T / \partial h_0$. If it is 0, nothing is learnt over that distance.

# %% [markdown] exercise="slope_left"
# ### Exercise 3. How a gradient fades (derive it)
#
# First with pen and paper: what is $\partial h_1 / \partial h_0$? What does the chain rule make of $t$ such steps?
#
# Then write `slope_left(w, x, h_0)` for a number `w`, a NumPy array `x` (T,) and a number `h_0`. Return an array (T,): $\partial h_t / \partial h_0$ for $t = 1, \dots, T$. Write your formula in NumPy: autograd is switched off.


# %% exercise="slope_left"
def slope_left(w, x, h_0):
    """(T,): by how much h_t moves when h_0 moves a little."""
    ### BEGIN SOLUTION
    left, h, slopes = 1.0, h_0, []
    for x_t in x:
        h = np.tanh(w * h + x_t)
        left = left * w * (1 - h**2)
        slopes.append(left)
    return np.array(slopes)
    ### END SOLUTION


# %% check="slope_left"
check("slope_left", slope_left)

# %% [markdown] hints="slope_left"
# nudge: One step is a function within a function: a product with $w$ and a sum inside, the tanh outside. What are the two derivatives?
#
# idea: The derivative of $\tanh$ is $1 - \tanh^2$, and $\tanh$ of this step *is* the new state. So one step has the derivative $w\,(1 - h_t^2)$. Over several steps the derivatives multiply.
#
# outline: Keep `left = 1.0` and `h = h_0`. For each x: the new h, then `left` times w times (1 - h²), and append it.

# %% [markdown] model_answer="slope_left"
# $\partial h_t / \partial h_{t-1} = w\,(1 - h_t^2)$, and $\partial h_T / \partial h_0$ is the product of these over all steps. The second factor is at most 1, and clearly less wherever the state is far from 0.

# %% [markdown] deck="figure"
# minutes: 2
#
# say: The share of the gradient that is left, by how many words have been read since. All three fade. With w above 1 it grows at first, then the states are driven to where the tanh is flat. This is the vanishing gradient.
#
# ask: Why does a weight of 1.5 not help?
#
# expect: "It should explode." With many numbers it can. Here the states run to 1 and minus 1, and there the slope is nearly zero.
#
# skip: One curve.

# %%
slope_left = or_reference("slope_left", slope_left)
readers.fading(slope_left)

# %% [markdown] deck="formula"
# ## The remedy: a second page, which is not squashed
#
# minutes: 2.5
#
# say: The cell state c, for private notes. From word to word it is multiplied by a gate and added to. A gate is a number between 0 and 1, made anew at each word. Forget gate: how much of each old note to keep. Input gate: how much of the new note to write down. Output gate: how much to show.
#
# ask: What is the derivative of the new c with respect to the old c, along that line?
#
# expect: "A tanh again." Only the forget gate. If it is near 1, the note stays.
#
# skip: The middle line.

# %% [markdown]
# All three fade in the end: this is the **vanishing gradient**. A weight above 1 does not help: it drives the states towards 1 and −1, where the tanh is flat. (With many numbers on the page the product can also explode. **Gradient clipping** helps: it cuts gradients down to a largest length.)
#
# The remedy is a second page $c$ (1997), for private notes: the **cell state**. From word to word it is **not** squashed: it is multiplied by a gate (2000) and added to. A **gate** is a number between 0 and 1, made anew at each word from the word $x_t$ and the old $h$:
#
# $$[\,i, f, g, o\,] = W\,[x_t; h_{t-1}] + b$$
# $$c_t = \sigma(f) \odot c_{t-1} + \sigma(i) \odot \tanh(g) \qquad h_t = \sigma(o) \odot \tanh(c_t)$$
#
# The **forget gate** $\sigma(f)$ says how much of each old note to keep. The **input gate** $\sigma(i)$ says how much of the new note $\tanh(g)$, the **candidate**, to write down. The **output gate** $\sigma(o)$ says how much to show. ($\odot$: number by number.) Along the cell state, a step has the derivative $\sigma(f)$, which the network can set close to 1.

# %% [markdown] deck="figure"
# minutes: 2
#
# say: The same as a drawing. Follow the path from the old c to the new c: one product, one sum, nothing else. Everything that squashes lies beside this road. They type this class in exercise 4 and get the states of PyTorch's to six decimals.
#
# ask: Where is the road on which a gradient can travel far?
#
# expect: "Along h." That road goes through a tanh at every word. Along c.
#
# skip: Show the road with a finger, and go on.

# %% slide="subslide"
readers.lstm_step()

# %% [markdown] exercise="LSTM"
# ### Exercise 4. An LSTM from its gates
#
# Write the class. `LSTM(inputs, hidden)` has one part with weights: `self.gates`, an `nn.Linear` from $[x_t; h_{t-1}]$ to the four blocks i, f, g, o, `hidden` numbers each.
#
# `lstm(x, state)` reads a batch `x` (B, T, `inputs`). `state` is None at the start of a text (then $h$ and $c$ are zeros), later the pair `(h, c)`, (B, `hidden`) each. Return the states after **each** word, (B, T, `hidden`), and the last pair. Gradients must find their way through all words, and into a given state.


# %% exercise="LSTM"
import torch
from torch import nn


class LSTM(nn.Module):
    """One layer: (B, T, inputs) to the states (B, T, hidden) and the last (h, c)."""

    def __init__(self, inputs, hidden):
        super().__init__()
        ### BEGIN SOLUTION
        self.hidden = hidden
        self.gates = nn.Linear(inputs + hidden, 4 * hidden)
        ### END SOLUTION

    def forward(self, x, state=None):
        """The state after each word, and the last pair."""
        ### BEGIN SOLUTION
        if state is None:
            state = x.new_zeros(len(x), self.hidden), x.new_zeros(len(x), self.hidden)
        h, c = state
        states = []
        for x_t in x.unbind(1):
            i, f, g, o = self.gates(torch.cat([x_t, h], -1)).chunk(4, -1)  # (B, hidden) each
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            states.append(h)
        return torch.stack(states, 1), (h, c)
        ### END SOLUTION


# %% check="LSTM"
check("LSTM", LSTM)

# %% [markdown] hints="LSTM"
# nudge: What changes from word to word, and what stays? Which axis of `x` do you walk along?
#
# idea: `x.unbind(1)` gives the words one after the other, (B, inputs) each. One product makes all four blocks: `self.gates(torch.cat([x_t, h], -1))`. `.chunk(4, -1)` cuts it into i, f, g and o. Collect each h; `torch.stack(states, 1)` puts time back on axis 1.
#
# outline: Constructor: keep `hidden`, make the `nn.Linear`. Forward: zeros if there is no state; h and c from the pair; for each word the four blocks, new c, new h, append h. The gates i, f and o go through a sigmoid, the candidate g through a tanh, and so does c on its way to h. Detach nothing. Return the stack, and `(h, c)`.

# %% [markdown] model_answer="LSTM"
# One `nn.Linear` holds all four blocks, so each word costs one product. Time is a plain loop. Nothing is detached here: the training loop decides where the gradient is cut off.

# %% [markdown] slide="subslide"
# Is it the real thing? Copy the weights of PyTorch's `nn.LSTM` into yours, and let both read.

# %%
LSTM = or_reference("LSTM", LSTM)
theirs, yours, x = nn.LSTM(8, 6, batch_first=True), LSTM(8, 6), torch.randn(3, 20, 8)
W_x, W_h, b_x, b_h = theirs.parameters()
yours.load_state_dict({"gates.weight": torch.cat([W_x, W_h], 1), "gates.bias": b_x + b_h})
print(f"largest distance of any state: {(yours(x)[0] - theirs(x)[0]).abs().max().item():.0e}")

# %% [markdown] slide="slide"
# ## 4. Train it
#
# A language model is an LSTM between two tables: word vectors below (the **embedding matrix**, `nn.Embedding`), a softmax above.

# %% [markdown] exercise="LanguageModel"
# ### Exercise 5. A language model around it
#
# Write the class. `LanguageModel(words, size, lstm)` has three parts: `self.embedding`, the embedding matrix, `size` numbers for each word; `self.lstm`, made by `lstm(size, size)`; `self.softmax`, a linear layer to a logit for each word.
#
# `states(ids, state)` gives the state after each word, (B, T, `size`), and the last pair. Calling the model gives the logits of the next word, (B, T, `words`), and the last pair. Detach nothing.


# %% exercise="LanguageModel"
import torch
from torch import nn


class LanguageModel(nn.Module):
    """Ids (B, T) to scores of the next word (B, T, words), and the last (h, c)."""

    def __init__(self, words, size, lstm):
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = nn.Embedding(words, size)
        self.lstm = lstm(size, size)
        self.softmax = nn.Linear(size, words)
        ### END SOLUTION

    def states(self, ids, state=None):
        """The state after each word, (B, T, size), and the last (h, c)."""
        ### BEGIN SOLUTION
        return self.lstm(self.embedding(ids), state)
        ### END SOLUTION

    def forward(self, ids, state=None):
        ### BEGIN SOLUTION
        outputs, last = self.states(ids, state)
        return self.softmax(outputs), last
        ### END SOLUTION


# %% check="LanguageModel"
check("LanguageModel", LanguageModel)

# %% [markdown] hints="LanguageModel"
# nudge: What goes into the LSTM, ids or vectors? And where does the given state go?
#
# idea: `nn.Embedding(words, size)` and `nn.Linear(size, words)`. The layer is called with the vectors and the state, and returns two things.
#
# outline: `states` returns what `self.lstm` gives for the vectors of the ids and the state. `forward` takes the first of the two through `self.softmax`, and returns it with the second.

# %% [markdown] model_answer="LanguageModel"
# The layer is handed in, so another one with the same two results would do as well. The softmax itself is left to the loss.

# %% [markdown]
# How wrong is a bet? Its surprise is $-\log p$ of what came, in **nats**: 0.7 for a probability of 1 in 2, 6.9 for 1 in 1000. The loss $\mathcal{L}$ is the mean surprise of all words, the **cross-entropy**.
#
# Where sentences stand side by side, the shorter ones are filled up with padding. No surprise counts there. A **mask** tells which positions are real.

# %% [markdown] exercise="masked_cross_entropy"
# ### Exercise 6. The loss of real words
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
# nudge: Over how many positions does your mean run? And over which axis does your softmax run?
#
# idea: Choose the real positions first: `logits[mask]` has shape (real words, V), `targets[mask]` (real words,). Then every position counts, and every position counts the same.
#
# outline: `torch.nn.functional.cross_entropy(logits[mask], targets[mask])` takes the softmax, the logarithm, the minus sign and the mean. By hand: `log_softmax(-1)`, `gather` the targets, choose by the mask, minus the mean.

# %% [markdown] model_answer="masked_cross_entropy"
# The real positions are chosen first, so the mean runs over them alone. Padding takes part neither in the sum nor in the count.

# %% [markdown] slide="subslide"
# A loss of 4.6 nats says little. Its exponential says more: $e^{4.6} \approx 100$. The model hesitates as if it had to guess the throw of a fair die with 100 sides. This is the **perplexity**, $\exp(\mathcal{L})$.

# %% [markdown] exercise="train_windows"
# ### Exercise 7. The loop
#
# Write `train_windows(model, windows, loss_of, optimiser, clip, look)`: one reading of all `windows`, in their order.
#
# - `model(inputs, state)` returns the logits and the last pair `(h, c)`. The first window begins with `None`, each later one where the one before has ended. The gradient is cut off between windows.
# - `loss_of(logits, targets)` is what to minimise, one step of `optimiser` for each window. The norm of all gradients together is at most `clip` (gradient clipping).
# - After each step call `look(n)` with the number of steps taken. Return a list with the loss of each window, plain numbers.


# %% exercise="train_windows"
def train_windows(model, windows, loss_of, optimiser, clip, look):
    """One reading; the loss of each window, before its step."""
    ### BEGIN SOLUTION
    state, losses = None, []
    for inputs, targets in windows:
        logits, (h, c) = model(inputs, state)
        state = h.detach(), c.detach()
        loss = loss_of(logits, targets)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()
        losses.append(loss.item())
        look(len(losses))
    return losses
    ### END SOLUTION


# %% check="train_windows"
check("train_windows", train_windows)

# %% [markdown] hints="train_windows"
# nudge: What does window 7 need from window 6? And what must it *not* get from there?
#
# idea: `h.detach()` has the numbers of h and no past. `backward()` adds to the gradients that are there, so empty them first. `torch.nn.utils.clip_grad_norm_(model.parameters(), clip)` stands between `backward()` and the step.
#
# outline: `state = None`. For each window: logits and (h, c); the detached pair is the next state; the loss; empty the gradients, backward, clip, step; append `loss.item()`; call `look` with the length of the list.

# %% [markdown] model_answer="train_windows"
# The detached pair carries what was read, and no way back: truncated backpropagation through time. Without `.detach()`, autograd would try to go back through windows that are over.

# %% [markdown] slide="subslide"
# Now your parts run together. The opponents count in the same text: single words, pairs, and triples (bigrams and trigrams, smoothed after Kneser and Ney, so that the unseen keeps some probability).

# %%
from elmo_mini.models.lstm_language_model import perplexity

LanguageModel = or_reference("LanguageModel", LanguageModel)
masked_cross_entropy = or_reference("masked_cross_entropy", masked_cross_entropy)
train_windows = or_reference("train_windows", train_windows)


def loss_of(logits, targets):
    """The mean surprise of a window; rows of running text have no padding."""
    return masked_cross_entropy(logits, targets, torch.ones_like(targets, dtype=torch.bool))


@torch.no_grad()
def perplexity_on(model, width=64, page=None):
    """Perplexity on the held-out text; each window begins from the page, if one is given."""
    losses, tokens, state = [], [], None
    for inputs, targets in next_word_windows(stream_rows(other, 8), width):
        logits, state = model(inputs, page or state)
        losses.append(float(loss_of(logits, targets)))
        tokens.append(targets.numel())
    return perplexity(losses, tokens)


counted = {order: TEXT.ngram(TEXT.held_out, order) for order in (1, 2, 3)}
print(f"Perplexity: a die {V:,}, counts of words {counted[1]:.1f}, of pairs {counted[2]:.1f}")

# %% [markdown] deck="poll"
# - about 20
# - about 50
# - about 100
# - about 500
#
# minutes: 1.5
#
# say: Perplexity: the model hesitates as if it had to guess the throw of a fair die with so many sides. The vocabulary has 2,000 words. Counts of single words have a perplexity of 112, counts of pairs 53.
#
# ask: The poll.
#
# expect: "20, it is a neural network." It is trained for some seconds on two hundred thousand words, and counting pairs is a strong opponent.
#
# skip: Take one vote.

# %%
predict("lm_perplexity", "Which perplexity will your LSTM have on the held-out words?")

# %% [markdown] deck="printed" lines="1,3-4,7-8"
# ## Your class, your loss, your loop: it learns to talk
#
# minutes: 2
#
# say: Before training it bets like a die with two thousand sides. Then three readings of the text. After *the* it goes on by itself. It passes the counts of pairs with its second reading only. In the stored experiment, with half a million words and one reading, it does not pass them at all.
#
# ask: What would you compare this perplexity with?
#
# expect: "With GPT's." Only on the same text with the same vocabulary. Every rare word that becomes unknown makes the game easier.
#
# skip: The perplexities only.

# %% slide="subslide"
from elmo_mini.progress import progress_bar

torch.manual_seed(0)
model = LanguageModel(V, 64, LSTM)
optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)


def after_all(ids):
    """Scores (V,) of the next word; it has read all the words before."""
    return model(torch.tensor([ids]))[0][0, -1]


def report(when):
    """Perplexity, and what it says when it goes on after *the*."""
    said = spoken(after_all, draw_word, vocabulary, ["the"])
    print(f"{when}: perplexity {perplexity_on(model):,.1f}\n   {said}")


report("before training")
for reading in range(1, READINGS + 1):
    with progress_bar(total=len(windows)) as bar:
        train_windows(model, windows, loss_of, optimiser, 1.0, lambda step: bar.update())
    report(f"after reading {reading} of {READINGS}")

# %%
from course.context_enters import mixed_bets

reached, held_out = perplexity_on(model), stream_rows(other, 8)
lstm = mixed_bets.network_bets(model, held_out)
triples = mixed_bets.counted_bets(KneserNey(stream.tolist(), V, order=3), held_out)
recent = mixed_bets.cache_bets(held_out)  # the share of each word among the last 400
together = (lstm + triples) / 2
print(f"Your LSTM {reached:.1f}, pairs {counted[2]:.1f}, triples {counted[3]:.1f}")
for name, bets in {"triples": triples, "half LSTM, half triples": together}.items():
    cached = mixed_bets.bets_perplexity(mixed_bets.with_cache(bets, recent))
    print(f"{name}: {mixed_bets.bets_perplexity(bets):.1f}, with a cache {cached:.1f}")
outcome("lm_perplexity", reached, factor=1.5)

# %% [markdown]
# It talks, if not sense (one run). Change beginning and temperature, and listen:

# %%
MINE, TEMPERATURE = "she said", 0.7
for seed in range(3):
    print(spoken(after_all, draw_word, vocabulary, MINE.split(), TEMPERATURE, seed=seed))

# %% [markdown]
# Does its page keep a note? Your gradient of section 3, now along the cell state: an LSTM before its first step, yours, and a fresh one whose forget gates begin near 1 (a bias of 3).

# %% [markdown] deck="figure"
# minutes: 2
#
# say: The gradient along the cell state, in three networks. A fresh LSTM forgets like the plain one. A fresh one whose forget gates begin near 1 keeps nearly all. And the trained one has opened its gates by itself.
#
# ask: So is it the formula that helps?
#
# expect: "Yes, that is what LSTMs are for." The formula makes it possible. The gates must be open, by training or by a bias.
#
# skip: The lowest and the highest curve.

# %% slide="subslide"
from course.context_enters.cell_gradients import cell_gradient_norms

readers.cell_gradients(
    cell_gradient_norms(LanguageModel(V, 64, LSTM), model, stream_rows(stream, 64))
)

# %% [markdown]
# The formula alone is no remedy. Fresh gates are half closed, and a note fades as before. With Brown, **training has opened them**. (In lesson 07, a 1 is added to $f$.)
#
# Counting is strong. With Brown, yours passes it in its second reading, its cache in the third. In the stored experiment a network of this size reads half a million words **once** (vocabulary 4,000). Its perplexity is 91.2 (89.6 to 92.7 over three seeds). Counts of pairs have 89.6, and counts of triples 86.8.
#
# But the two know different things: the **mixture**, half of each, has 75.9 there (75.3 to 76.5); two LSTMs, mixed, have 90.1 (89.2 to 91.0). A cheap rival is a **cache**, a tenth of the probability for the last 400 words: with it the triples have 78.2. Added to both, the LSTM still saves 0.090 nats a word (0.085 to 0.095). So ask what a network *adds*.
#
# Compare perplexities only on the same text **with the same vocabulary**: every rare word that becomes `<unk>` makes it easier.
#
# ### Change one thing: a reader who forgets
#
# Your model carries its state through the text. Take that away in the test: begin every window from zeros, and make the windows short. But in training it met a page of zeros only where a reading began. So there is a fairer way: begin every window from the **average page** of the training text.

# %% [markdown] deck="poll"
# ## Every 4 words it forgets all and gets the average page. How much does perplexity grow?
#
# - 1.1 times
# - 1.7 times
# - 3 times
#
# minutes: 1.5
#
# say: We take away its memory: every four words the page is replaced by the average page of the training text. Not by zeros: a page of zeros is strange to the model.
#
# ask: The poll.
#
# expect: "Three times: memory is what it is for." The last four words do most of the work. (From zeros it is 1.7 times.)
#
# skip: Say the result.

# %%
predict("forgetful", "The average page every 4 words: by what factor does perplexity grow?")

# %% [markdown] deck="figure"
# minutes: 2
#
# say: Across: how many words until it forgets. Beginning from zeros looks terrible, but most of that is no lost memory: the model has hardly ever met such a page. From the average page, resets every four words leave it about as good as counts of pairs; a longer memory brings most of its lead over them.
#
# ask: Which of the two curves says what memory is worth?
#
# expect: "From zeros, that is no memory." That one measures surprise at a strange page, too. A control can be unfair.
#
# skip: The lower curve only.

# %% slide="subslide"
FORGET = (1, 2, 4, 8, 16, 64)  # change them, if you like

with torch.no_grad():
    _, state = model.states(stream_rows(stream, 1_000))
average = tuple(part.mean(0).expand(8, -1) for part in state)
zeros = tuple(map(torch.zeros_like, average))
forgetful = [[perplexity_on(model, n, page) for n in FORGET] for page in (zeros, average)]
readers.memory(FORGET, *forgetful, counted[2])

# %%
print(f"From zeros: {perplexity_on(model, 4, zeros) / reached:.2f} times")
outcome("forgetful", perplexity_on(model, 4, average) / reached, factor=1.1)

# %% [markdown]
# Most of that is no lost memory: a page of zeros is strange to the model. From the average page far less is lost: to this LSTM **the last words count most**.

# %% [markdown] slide="slide"
# ## 5. Three broken runs
#
# Three people have written the loop, each with one fault; none stops with an error. They and a sound run read the same text six times. *Operations* are the steps that autograd goes back through for one window.

# %% slide="subslide"
from course.context_enters.broken_readers import look_at_all, print_beside

seen = look_at_all(stream, other, vocabulary)
print_beside(seen)

# %% [markdown] deck="figure"
# ## One sound run, three broken ones: what does the loss tell?
#
# minutes: 2.5
#
# say: One is sound; A, B and C have one fault each, and none stops with an error. B is far below the others: it is asked for the word that it has just read, and its held-out perplexity is in the thousands. A and C cannot be told from this figure at all; exercise 8 has their other symptoms.
#
# ask: Had nobody told you which run is sound, which one would you take?
#
# expect: "B, the lowest." What is the loss of copying? Ask what was held out.
#
# skip: Say what B is.

# %%
readers.training({name: run.training for name, run in seen.items()})

# %% [markdown]
# What does each run read over the edge of a window? The bar is the edge.

# %%
for name, run in seen.items():
    print(f"{name:>5}: {'; '.join(run.seams[:3])}")

# %% [markdown] exercise="broken_readers"
# ### Exercise 8. Three broken runs
#
# Write `broken_readers()`: a dict with the number of the fault of A, B and C, `{"A": ..., "B": ..., "C": ...}`.
#
# 1. It is asked for the word that it has just read.
# 2. It is asked for the word after the next.
# 3. The windows are shuffled, and the state is handed on all the same.
# 4. Every window begins from zeros.
# 5. The state is handed on without being cut off.
# 6. The learning rate is a hundred times too small.


# %% exercise="broken_readers"
def broken_readers():
    """The number of each run's fault."""
    ### BEGIN SOLUTION
    return {"A": 3, "B": 1, "C": 5}
    ### END SOLUTION


# %% check="broken_readers"
check("broken_readers", broken_readers)

# %% [markdown] hints="broken_readers"
# nudge: Go line by line: where does a run differ from the sound one?
#
# idea: A training loss that falls while other text goes wrong learns something that other text does not reward. Work that grows from window to window has a past that is never cut off. And words can be read aloud.
#
# outline: Find the run with the huge held-out perplexity, and the run whose operations grow. For the third, read its words over the edges of windows: do they go on?

# %% [markdown] model_answer="broken_readers"
# **A** is fault 3: over the edge of a window its text does not go on, so the state that it is handed comes from elsewhere. Its losses hardly show it. **B** is fault 1: it copies the word under its nose, so its training loss is far too good and other text is a disaster. **C** is fault 5: every window drags all earlier ones along. Its losses are almost those of the sound run, and its time and memory grow until the machine gives up. A and C end near the sound run: on so little text hardly anything crosses the edge of a window, as the average page said. (PyTorch usually stops such a run with an error. To show the symptom, this one keeps every graph and works on copies of its weights.)

# %% [markdown] slide="slide"
# ## 6. The page as a vector
#
# To bet well after *she put the money in the bank*, the page must hold something about *bank* **in this sentence**. So the hidden state $h_t$ is a **contextual vector** (a *contextual embedding*) of the word $w_t$ in its left context, made anew for every sentence. (word2vec's vectors are by-products too, but rows of a table.)
#
# What does such a contextual vector know? Replace **one** word of a sentence, and see which states move.

# %% [markdown] deck="poll"
# minutes: 1
#
# say: So the state is a vector of the word in its left context, made anew for every sentence. What does it know? Replace one word and look.
#
# ask: The poll.
#
# expect: "All states." In lesson 07 exactly that will betray a famous mistake.
#
# skip: Vote without reasons.

# %%
MOVE = ["only state 5", "states 5 to 11", "all states", "states 1 to 5"]
predict("who_moves", "We replace word 5 of 11. Which states of your model move?", options=MOVE)

# %% [markdown] deck="figure"
# minutes: 2
#
# say: Five words in: before it nothing moves at all. The replaced word moves by nearly its own length, and then the trace fades, not evenly. A letter's sender, six words on, hardly knows.
#
# ask: In *the bank of the river*, what does the state of *bank* know?
#
# expect: "That it is a river bank." The word that tells comes afterwards. The state knows the left side only.
#
# skip: Read the title.

# %% slide="subslide"
from elmo_mini.tasks.language_model_use import hidden_states

ONE = ["the", "old", "man", "read", "a", "long", "letter", "from", "his", "dear", "wife"]
first, second = hidden_states(model, vocabulary, [ONE, [*ONE[:4], "no", *ONE[5:]]])
moved = np.linalg.norm(first - second, axis=1) / np.linalg.norm(first, axis=1)
readers.moved(ONE, moved)

# %%
moving = [place for place, share in enumerate(moved, start=1) if share > 0]
outcome("who_moves", "states 5 to 11" if moving == list(range(5, 12)) else str(moving))

# %% [markdown]
# Before word 5, nothing. From there on everything moves, and the trace fades. In lesson 07 this test catches a famous mistake.
#
# ### Myth or measured?
#
# > *"The hidden state at position t predicts the t-th word."*
#
# Explanations of ELMo often say so. Compare the bets:

# %% slide="subslide"
ids = stream_rows(other, 8)
with torch.no_grad():
    bets = model(ids[:, :-1])[0].log_softmax(-1)
for name, words in (("word t", ids[:, :-1]), ("word t + 1", ids[:, 1:])):
    surprise = -bets.gather(-1, words[..., None]).mean()
    print(f"bet of state t on {name}: perplexity {float(surprise.exp()):,.0f}")

# %% [markdown]
# **Measured: state t bets on word t + 1.** So the vector of word $t$ **contains** word $t$. That is not cheating: the loss asked for its neighbour.
#
# ### Does the state tell senses apart?
#
# The course has labelled sentences for 28 ambiguous words. (A language model wrote them, and no native speaker has read them.) Each of 335 test sentences is put to a vote. The three training sentences of the same word with the **nearest** vectors say which sense it is. One vector for each spelling is the same in all sentences, so it cannot pass its ceiling (lesson 02): the share of each spelling's commonest sense.
#
# Here is the vote, and how the ambiguous word's vector is taken:

# %%
from sklearn.neighbors import KNeighborsClassifier

from course.context_enters.sense_vote import SenseTask

TASK = SenseTask()


def at_word(states):
    """Of each sentence's states, (words, 64), the one at its ambiguous word: (N, 64)."""
    return np.stack([rows[at] for rows, at in zip(states, TASK.positions, strict=True)])


def vote(vectors):
    """(335,): whether three nearest neighbours have the sense of each test sentence."""
    correct = np.zeros(len(TASK.words), dtype=bool)
    for word in np.unique(TASK.words):
        train, test = ((TASK.words == word) & (TASK.is_test == part) for part in (False, True))
        nearest = KNeighborsClassifier(min(3, train.sum()), metric="cosine")
        nearest.fit(vectors[train], TASK.senses[train])
        correct[test] = nearest.predict(vectors[test]) == TASK.senses[test]
    return correct[TASK.is_test]


# %% [markdown]
# A sceptic brings three controls. **Spelling**: a random vector for each spelling, whatever the sentence. **Two words beside**: a random vector of the word before, and one of the word after. **Untrained**: the same LSTM before its first step. Each is drawn five times.

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: Do states tell senses apart? 28 ambiguous words, 335 test sentences; the three training sentences with the nearest vectors vote. One control is the same LSTM before its first step of training.
#
# ask: The poll.
#
# expect: "Ahead: the other has learnt nothing." An untrained state still holds the words before it, mixed at random.
#
# skip: Vote, no reasons.

# %%
HOW = ["ahead", "no clear difference", "behind"]
predict("state_senses", "At senses, is your LSTM ahead of the untrained ones?", options=HOW)

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: The line is what one vector for each spelling can reach at best, with the answers of the test in hand. Left: the spelling alone. Then random vectors of the two words beside. Then untrained LSTMs. Then ours: 4.1 points ahead of the untrained, and the interval holds zero.
#
# ask: "The states tell senses apart, so the model has learnt them." What do you say?
#
# expect: "True, it is above the line." Then so has the untrained one, nearly. Ask for the control.
#
# skip: The last two bars.


# %% slide="subslide"
from course.context_enters.sense_vote import words_beside


def by_spelling(seed):
    """A random vector for each spelling, whatever the sentence."""
    forms, number = np.unique(TASK.spellings, return_inverse=True)
    return np.random.default_rng(seed).standard_normal((len(forms), 64))[number]


def by_untrained(seed):
    """The states of your LSTM before its first step."""
    torch.manual_seed(seed)
    return at_word(hidden_states(LanguageModel(V, 64, LSTM), vocabulary, TASK.tokens))


def by_words_beside(seed):
    """A random vector of the word before, and of the word after."""
    return words_beside(TASK.tokens, TASK.positions, seed)


controls = {
    "spelling\nalone": by_spelling,
    "two words\nbeside": by_words_beside,
    "untrained\nLSTM": by_untrained,
}
right = {name: [vote(by(seed)) for seed in range(5)] for name, by in controls.items()}
right["your LSTM"] = [vote(at_word(hidden_states(model, vocabulary, TASK.tokens)))]
tested = TASK.spellings[TASK.is_test].tolist(), TASK.senses[TASK.is_test].tolist()
ceiling = mine("majority_ceiling")(*tested)  # of lesson 02
readers.senses({name: TASK.score(runs) for name, runs in right.items()}, ceiling)

# %%
from course.results.intervals import lead

gain = lead(TASK.score(1.0 * right["your LSTM"][0] - right["untrained\nLSTM"]))
print("Your LSTM before the untrained ones, over 28 words and 5 draws:", gain)
outcome("state_senses", gain.verdict)

# %% [markdown]
# The ceiling knows the answers of the test, and nobody clearly passes it. And untrained states come near: a state mixes in its **neighbours**, whoever sets the weights. *"The states tell senses apart, so the model has learnt them"* does not survive this control.
#
# And the state knows the left side only: in *the bank of the river* the word that tells comes later.

# %% [markdown] slide="slide"
# ## 7. context2vec: the view from both sides
#
# A letter has a coffee stain, and one word is gone. You read up to the stain and on beyond it, and say which word fits. Using both sides helps; people do it too.
#
# **context2vec** (2016) is this game. One LSTM reads from the left up to the word **before** the target, another from the right back to the word **after** it. A small network (an MLP, two layers) makes one vector of the two states: the vector of the *position*.

# %% [markdown] deck="figure"
# minutes: 2
#
# say: A letter has a coffee stain, one word is gone. You read up to the stain and on beyond it. context2vec is this game: one LSTM from the left up to the word before, another from the right back to the word after. A small network makes one vector of both: the vector of the position, and the word itself is not in it.
#
# ask: ELMo came two years later. Was it the first vector in context?
#
# expect: "Yes." context2vec is from 2016.
#
# skip: Do not name the parts.

# %% slide="subslide"
readers.gap(["</s>", "the", "bank", "was", "steep", "</s>"], 2)

# %% [markdown] exercise="around_target" slide="subslide"
# ### Exercise 9. Everything but the word itself
#
# Both readers have read `</s> w1 … wT </s>` and left a state at **each** position: `left` and `right`, (B, T + 2, H), both in the order of the text. A state has read its own word, too.
#
# Write `around_target(left, right)`. Return (B, T, 2H): for each word $t$, the left state that has read everything **before** $t$, beside it the right state that has read everything **after** $t$. Autograd must be able to follow.


# %% [markdown] deck="code"
# ## Everything but the word itself
#
# minutes: 1
#
# say: Both readers have left a state at each position, boundaries included, in the order of the text. Draw five words on the board. Which left state, and which right state, for word t?
#
# ask: Which slices?
#
# expect: "Both at position t." A state has read its own word. Then the answer stands in the question.
#
# skip: Show the answer at once.


# %% exercise="around_target"
def around_target(left, right):
    """(B, T, 2H): what the two readers know beside each word, the word not included."""
    ### BEGIN SOLUTION
    return torch.cat([left[:, :-2], right[:, 2:]], dim=-1)
    ### END SOLUTION


# %% check="around_target"
check("around_target", around_target)

# %% [markdown] hints="around_target"
# nudge: Number the positions 0 to T + 1. The boundary is position 0, the first word position 1. At which position stands the left state that you want for the first word? And the right one?
#
# idea: For word $t$: left at position $t - 1$, right at position $t + 1$. For all words together, $t - 1$ runs from 0 to T − 1, and $t + 1$ from 2 to T + 1.
#
# outline: `left[:, :-2]` and `right[:, 2:]` have T positions each. `torch.cat([...], dim=-1)` puts them side by side.

# %% [markdown] model_answer="around_target"
# The boundary is position 0, so the left state before word $t$ stands at $t - 1$ and the right state after it at $t + 1$. The states at the word itself are left out, because both have read the word.

# %% [markdown] slide="subslide"
# You know the loss: your `sgns_loss` of lesson 01. The vector of the position plays the centre word, the word that belongs there the neighbour. Noise words are drawn by the counts to the power 3/4. Beside the honest run, spoil one: take both states at the word **itself**.

# %% [markdown] deck="poll"
# minutes: 1
#
# say: Somebody makes exactly this mistake: both readers may read the target. What will they see?
#
# ask: The poll.
#
# expect: "Hardly differs." Let them think what the easiest way to a small loss is.
#
# skip: Say the result.

# %%
LOSS = ["falls far lower", "hardly differs", "stays higher"]
predict("leak", "Both readers may read the target. What does the training loss do?", options=LOSS)

# %% [markdown] deck="figure"
# minutes: 1.5
#
# say: A wonderful loss. The spoilt reader copies the word under its nose, and at the senses it is worth no more than two random words beside it, in one run. Lesson 12 has BERT's way round this leak.
#
# ask: How would you notice, without an honest run beside it?
#
# expect: "By the test loss." That is just as wonderful: the leak is there, too. By a task, or by reading the code.
#
# skip: Say the sentence on copying.

# %% slide="subslide"
from elmo_mini.models.context2vec import Context2Vec
from elmo_mini.tasks.context2vec_use import train_context2vec
from elmo_mini.training.steps import TrainingOptions

around_target, sgns_loss = or_reference("around_target", around_target), mine("sgns_loss")
sentences = [vocabulary.encode(map(str.lower, sentence)) for sentence in TEXT.train]
SIZE, EPOCHS = (32, 2) if len(stream) > 100_000 else (8, 8)


def trained(beside, sentences, epochs):
    """A context2vec whose view of a place is `beside(left, right)`, and its losses."""
    torch.manual_seed(0)
    reader = Context2Vec(V, 64, 64, 64, beside=beside)
    given = vocabulary.counts, TrainingOptions(epochs, SIZE, 1e-2, progress=True)
    losses = train_context2vec(reader, sentences, *given, negatives=5, loss_of=sgns_loss)
    return reader, np.convolve(losses, np.ones(20) / 20, mode="valid")


def spoilt(left, right):
    """Both states at the word itself: both have read it."""
    return torch.cat([left[:, 1:-1], right[:, 1:-1]], dim=-1)


both_sides, honest_losses = trained(around_target, sentences, EPOCHS)
both_spoilt, spoilt_losses = trained(spoilt, sentences, EPOCHS // 2)
readers.leak(honest_losses, spoilt_losses)

# %%
share = spoilt_losses[-1] / honest_losses[len(spoilt_losses) - 1]
outcome("leak", LOSS[0] if share < 0.75 else LOSS[1] if share < 1.1 else LOSS[2])

# %% [markdown]
# It means nothing: the spoilt reader can copy the word under its nose. Lesson 12 has BERT's way round this leak.
#
# ### The same vote for both readers
#
# Stored: half a million words, 4,000 in the vocabulary, three seeds.

# %% [markdown] deck="figure"
# minutes: 3
#
# say: Stored: more text, three seeds, eight labelled sentences a sense. context2vec is thirteen points ahead of its untrained twin: so here something was learnt. But now the strongest rival: word2vec vectors of the two words beside. context2vec is five points ahead, and the interval, over words and seeds, holds zero. And naive Bayes, the last bar, which counts two words on either side and has read no other text: context2vec is three points ahead of it, and that interval holds zero, too. With hundreds of labels the two words beside are not beaten at all.
#
# ask: Which bar is the fairest control?
#
# expect: "The untrained network." It knows nothing of words. Two neighbours with trained vectors know what *river* is like.
#
# skip: The last two bars and the third.

# %% slide="subslide"
from course.context_enters.sense_vote import stored_course_senses
from course.results.stored import stored_result

print(STORED := stored_result("context_senses"))
course, senseval = stored_course_senses(), STORED.numbers["senseval"]
readers.stored_senses(course)

# %%
from elmo_mini.tasks.context2vec_use import context_vectors

for pair, gain in course["leads, over words and seeds"].items():
    print(f"{pair}: {lead(gain)}")
by_counts = TASK.by_counting()  # naive Bayes on two words on either side, and no other text
print(f"naive Bayes: {by_counts.mean():.0%} right")
for name, reader in (("context2vec", both_sides), ("the spoilt one", both_spoilt)):
    correct = vote(at_word(context_vectors(reader, vocabulary, TASK.tokens)))
    print(f"{name} here, one run with less text: {correct.mean():.0%} right")
    print(f"   less naive Bayes, over words: {lead(TASK.score(1.0 * correct - by_counts))}")

# %% [markdown]
# These leads' intervals redraw words and seeds (28 and 3); the figure's whiskers, seeds alone. The LSTM leads its untrained twins by 4.0 points (−1.0 to 9.0): no clear difference. context2vec leads its own by 13.4 (7.9 to 19.0), and the two words beside by 12.2 (6.5 to 18.2). Its 63.7 % stand above the line, 55.5.
#
# But *random* vectors cannot say that *river* is like *stream*. Give both words **word2vec** vectors of the same text: context2vec is 5.1 points (−1.5 to 11.7) ahead of them, no clear difference. **Naive Bayes** counts two words on either side in the labelled sentences, without vectors: 60 %. context2vec is 3.4 points (−3.4 to 10.5) ahead of it, the LSTM 2.0 points (−5.0 to 8.6) behind: nothing clear. So plain text has not clearly paid. The spoilt reader is worth no more than two random words (one run).
#
# (With hundreds of labels: at the end.)
# %% [markdown] deck="words"
# ## What to take home
#
# - A note survives where it is **multiplied by an open gate** and added to.
# - A state is a vector of the word in its **left** context. It bets on the **next** word.
# - **Counting** is a strong opponent, untrained states are another.
# - context2vec looks at a gap **from both sides**, and must not see the word.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 1 to 5, 7 and 8.
#
# ask: A colleague's contextual vectors beat word2vec at senses. What do you ask first?
#
# expect: "How large is the model?" What do untrained ones score, and two neighbours with good vectors?
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## Recap
#
# - A plain recurrent network has a vanishing gradient. An LSTM's cell state is multiplied by a gate and added to, and the gate must be open.
# - Rows are stretches of one text, and targets are one position ahead. The state is carried from window to window; the gradient is cut off (truncated BPTT).
# - Perplexity, the exponential of the cross-entropy, means nothing without its vocabulary. Counting is a strong opponent; beside it the LSTM adds something.
# - A state is a vector of the word in its **left** context. At senses, untrained states come near trained ones.
# - context2vec looks at a gap from both sides. With few labels it beats its untrained twin, but not clearly two neighbours with trained vectors, nor naive Bayes on four neighbours. With many, the twin and the two words beside do about as well or better.

# %%
calibration()

# %%
from autograde import progress

progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# Until 2018 many systems for tagging or reading took static vectors and put their own LSTM on top, trained from nothing on the task's labels. **Why not make the vectors contextual from the start? Give two reasons that held people back, and say for each whether this lesson has weakened it.** Three to five sentences.

# %% [markdown] discussion="why_not_from_the_start" points=2
# **Rubric, 2 points.** 0.5 for each of two real reasons (cost, the task's own encoder, one direction only, lack of data or machines), and 0.5 for each reasoned verdict that uses something from this lesson.

# %% [markdown] model_answer="why_not_from_the_start"
# A static table can be downloaded and looked up. A contextual vector must be computed for each sentence, by a network that somebody has to keep and run. That cost is still there. Many people also expected the task's own LSTM to learn its context from the labels. With hundreds of labels this lesson does not contradict them: the two words beside the target did as well as context2vec, or better. With eight labels a sense, context2vec was twelve points ahead of those words with random vectors. It was not clearly ahead of them with word2vec's, nor of naive Bayes on four neighbours, which had read no plain text. So it is not shown that learning from plain text paid (lesson 09 asks what it adds to such counts). A third reason is that a reader needs much text, and the lesson rather confirms it: after one reading of half a million words an LSTM bet no better than counts, though beside them it added something.

# %% [markdown]
# ## Further reading
#
# - **CoVe** (McCann and others, NIPS 2017, arXiv:1708.00107): contextual vectors from the encoder of a translator.
# - In the package: `elmo_mini/models/lstm_language_model.py`, `elmo_mini/models/context2vec.py`; the stored experiments are `python -m course.starting_from_a_language_model.experiments`.
#
# Next: **04 · Starting from a language model**.

# %% [markdown] instructor=true
# **Instructor, common questions.** *Why does the state contain the word, and context2vec's vector not?* Because the losses ask different things: the one for the neighbour, the other for the word itself. Let them say what a leak would be in each. *Is a perplexity of 50 good?* Ask back: with which vocabulary? *Is their LSTM slow?* Its loop is in Python; PyTorch's runs the same steps in one call. *Does the LSTM's cell not fade, too?* It does, by its forget gates; lesson 07 derives that. *Does word2vec's window not see both sides too?* Yes, without order and without a sentence: its vector of a word is the same everywhere.

# %% [markdown] slide="slide"
# ## If you have time: hundreds of labels
#
# In **senseval** (real text, 600 sentences for each of four words) a logistic regression learns which numbers of a vector to listen to.

# %% slide="subslide"
readers.stored_senseval(senseval)

# %%
readers.senseval_leads(senseval)

# %% [markdown]
# **With hundreds of labels the cheap controls are not beaten**: neither the two words beside nor the untrained twin. *Interest rates*, *hard to*, *serve as*: a classifier that has seen such neighbours often enough needs no reader. For *serve* the average of all the words around beats everybody: its senses (a dish, a country, a purpose) differ by **topic**, and the topic is all over a long context. (The two words and the average know every word; the readers see `<unk>` outside their 4,000.) So what was learnt from plain text paid where labels were few, against random vectors, though not clearly against naive Bayes; but sentences and classifier differ as well, and lesson 09 brings a stronger rival. Lessons 06 to 09 bring more text and weights.

# %% [markdown] slide="subslide"
# ## If you have time: two short exercises

# %% [markdown] exercise="stream_rows"
# ### Exercise 10. A long text in parallel rows
#
# The rows of section 2: write `stream_rows(stream, rows)`. `stream` is a tensor of N word ids, the whole text. Return a tensor of shape (`rows`, N // `rows`). Row 1 goes on where row 0 ends, and so on. What is left at the end of the text is dropped.


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

# %% [markdown] exercise="perplexity"
# ### Exercise 11. How many words it hesitates between
#
# Write `perplexity(losses, tokens)`. `losses` has the mean loss of each batch in nats a token, `tokens` its number of tokens. Return the perplexity over **all** tokens, a float.


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
# ## If you have time: a stain, and who was first
#
# Give your context2vec a few stains.

# %% slide="subslide"
from elmo_mini.tasks.context2vec_use import fill_blank

for pattern in ("i do not ___ what you mean .", "he ___ the door and looked at her ."):
    words = pattern.split()
    best = fill_blank(both_sides, vocabulary, words, words.index("___"), top=5)
    print(f"{pattern}\n   ", ", ".join(f"{word} {p:.0%}" for word, p in best))

# %% [markdown]
# At best it knows which **kind** of word fits: this is little text. (With negative sampling, scores converge to a PMI minus $\log k$, section 10 of lesson 01. So a score and the noise probability give back a probability.)
#
# ### Myth or measured?
#
# > *"ELMo was the first to give a word a vector in its context."*
#
# ELMo is from 2018, context2vec from 2016. And on the five standard test sets for word senses, context2vec was about as good. The page NLP-progress lists F1 in percent over all ambiguous words, after training on SemCor, a corpus with labelled senses. (The papers themselves were not checked for this lesson.)
#
# | | Senseval-2 | Senseval-3 | SemEval-07 | SemEval-13 | SemEval-15 |
# |---|---|---|---|---|---|
# | commonest sense | 65.6 | 66.0 | 54.5 | 63.8 | 67.1 |
# | context2vec (2016) | 71.8 | 69.1 | 61.3 | 65.6 | 71.9 |
# | ELMo (2018) | 71.6 | 69.6 | 62.2 | 66.2 | 71.3 |

# %% [markdown]
# **Not the first, and on this task the two are about equal.** Mind the difference, too. context2vec's vector does **not** contain the word: it is a vector of the gap, near in spirit to BERT, which also hides a word and looks at both sides. A state of a language model, and of ELMo, does contain it.
