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
# ## AWD-LSTM
#
# Lesson 10 · *Regularizing and Optimizing LSTM Language Models*, Merity, Keskar and Socher, 2018
#
# minutes: 1
#
# say: A language model that reads its text too often learns it by heart. Today: the remedies, one by one, put into a model on which ULMFiT stands. And we measure which of them earns its place. At our size few do.
#
# ask: What is the cheapest remedy against learning by heart?
#
# expect: "Dropout." Stop in time.
#
# skip: Leave out the question.

# %% [markdown] slide="slide"
# # 10 · AWD-LSTM
#
# A language model that reads its text too often learns it by heart: it overfits. It can recite that text, and fails on any other. Here you build the remedies, one by one, into a model of your own: the AWD-LSTM, on which ULMFiT stands (lesson 11). And you measure which of them earns its place: at our size, few do.

# %%
import copy

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from course.figures import plots

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% tags=["road"]
plots.road("10")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - write dropout for running text, with one mask for a window,
# - drop weights of an LSTM so that evaluating, copying and saving still work,
# - derive the gradient of a table that is used at both ends of a network,
# - train your own AWD-LSTM with windows of varying length and averaged weights,
# - hold a regulariser against the plainest rivals, and ask what it adds to counts,
# - if you have time: write embedding dropout, two penalties on states, and the trigger of averaging.
#
# ## The paper
#
# **AWD-LSTM**: Merity, Keskar and Socher, *Regularizing and Optimizing LSTM Language Models*, ICLR 2018, [arXiv:1708.02182](https://arxiv.org/abs/1708.02182). The name stands for *ASGD Weight-Dropped LSTM*; ASGD is averaged stochastic gradient descent. Table 4 is the ablation: one part at a time is taken out.
#
# Plan 90 minutes, 105 with second tries; the essay is for home. Optional sections follow, half an hour in all, with exercises 6 to 8, which count in full. Nothing in the main line needs them.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B$ | rows of a batch, each its own piece of text | $E$ | the table of word vectors, (V, D) |
# | $T$ | steps of a window | $e_w$ | its row of word $w$ |
# | $V$ | words in the vocabulary | $W$ | a square matrix, here all of the network |
# | $D$ | numbers in a word's vector and in a state | $p$ | the share that is dropped |
# | $h_t$ | the state after step $t$ | $\alpha, \beta$ | weights of two penalties |
# | $n$ | epochs of patience | $\eta$ | the learning rate |
# | $L$ | words in a row of text | $N$ | pairs of a word read and a word said |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes, for somebody who passes most checks soon: opening 3; section 1, 4; section 2, 9; section 3, 16; section 4, 11; section 5, 21; section 6, 1; section 7, 15; section 8, 9; recap, 1. That is 90. With second tries add 15; the essay takes 10, at home. Then, each for itself: section 9, 24; myth, 2. For 60 minutes: show exercises 1 and 3 solved, take section 8 as a poll, and leave *a tenth of the text* for home. Students get stuck in exercise 2 on the question who owns the matrix. Ask: "What does the optimiser hold?" Let the published code, which puts another matrix into the LSTM at each call, fail before their eyes (train, evaluate, train): it is the best argument for lending a matrix and not writing it.

# %% [markdown] deck="words"
# ## It recites
#
# A pupil has **one page** to prepare, and **a month** for it.
#
# . . .
#
# In the end he knows every comma, and has learnt no English.
#
# minutes: 1
#
# say: Our page has two thousand words. A plain LSTM with one layer reads it thirty times.
#
# ask: How would you find out that the pupil only recites?
#
# expect: "Ask for the page." Ask for another one.
#
# skip: Say it in one sentence.

# %% [markdown] slide="slide"
# ## 1. It recites
#
# A pupil has one page to prepare, and a month for it. In the end he knows every comma and has learnt no English.
#
# Here is a page of two thousand words. Your LSTM language model and your loop of lesson 03 read it thirty times, with nothing against learning by heart. After each reading: how surprised is it by the page, and by another text? (Of that text only words that stand in the page are asked.)

# %% [markdown] deck="figure"
# minutes: 2
#
# say: The upward axis is logarithmic. On the page itself the perplexity falls nearly to one: it knows what comes next. On another text, of words that all stand in the page, it is best after a few readings, and then gets about seven times worse.
#
# ask: After how many readings would you stop?
#
# expect: "When it no longer falls." Which of the two curves? The page itself falls to the end.
#
# skip: The two ends.

# %%
from functools import partial

from course.awd_lstm.text import running_text
from elmo_mini.progress import progress_bar

LanguageModel, train_windows = mine("LanguageModel"), mine("train_windows")  # of lesson 03
next_word_windows, stream_rows = mine("next_word_windows"), mine("stream_rows")
PAGE = running_text(2_000, 1_500, 100_000)  # every word of the page is in the vocabulary


def nats_of(logits, targets):
    """The mean surprise of the words; <unk> is number 0 and is not asked."""
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)


torch.manual_seed(0)
reciter = LanguageModel(len(PAGE.vocabulary), 128, partial(nn.LSTM, batch_first=True))
optimiser = torch.optim.Adam(reciter.parameters(), lr=5e-3)
windows = next_word_windows(stream_rows(PAGE.train, 4), 25)
texts = {"the page itself": PAGE.train, "other text, words of the page": PAGE.dev}
heard = {name: [] for name in texts}
for _ in progress_bar(range(30), "reading"):
    train_windows(reciter, windows, nats_of, optimiser, 1.0, lambda step: None)
    for name, text in texts.items():
        rows = stream_rows(text, 4)
        with torch.no_grad():
            logits, _ = reciter(rows[:, :-1])
        heard[name].append(float(nats_of(logits, rows[:, 1:]).exp()))
own, other = heard.values()
best = 1 + int(np.argmin(other))
plots.curves(
    np.arange(1, 31),
    heard,
    title=f"On other text the best reading is number {best}; the last is {other[-1] / min(other):.0f} times worse (one run)",
    xlabel="times the page was read",
    ylabel="perplexity",
    log_y=True,
)

# %% [markdown] deck="poll"
# ## Given 8 words of the page, it writes 10 more. How many of them match the page?
# - about 10 %
# - about 50 %
# - about 99 %
#
# minutes: 1
#
# say: Always the word it finds likeliest.
#
# ask: The poll.
#
# expect: "50: it is a small network." Two thousand words fit into it.
#
# skip: Say the number.

# %%
predict(
    "recites",
    "It is given 8 words of the page and writes 10 more, always the word it finds likeliest. "
    "What percentage of them match the page?",
    unit="%",
)

# %% [markdown] deck="printed" lines="1-2,5-6"
# ## Everything after the ▸ comes out of the weights
#
# minutes: 2
#
# say: Two of the prompts. And the control: with prompts from another text, hardly a word is right. The plainest remedy is early stopping: take the epoch that is best on a held-out text. All that comes has to beat that.
#
# ask: Why does one need a third text, a test?
#
# expect: "To be safe." The epoch was chosen on the second; the best of thirty flatters.
#
# skip: One prompt, and the numbers.


# %% slide="subslide"
@torch.no_grad()
def recite(text, prompts=40, given=8, length=10):
    """Prompts from all over a text, the likeliest words behind each, and which are the text's."""
    starts = torch.linspace(0, len(text) - given - length, prompts).long()
    rows = torch.stack([text[start : start + given + length] for start in starts])
    said, (logits, state) = [], reciter(rows[:, :given])
    for _ in range(length):
        said.append(logits[:, -1].argmax(-1))
        logits, state = reciter(said[-1][:, None], state)
    said = torch.stack(said, 1)
    return rows[:, :given], said, (said == rows[:, given:]).double().mean()


given, said, right = recite(PAGE.train)
for prompt, words in list(zip(given, said, strict=True))[1:20:6]:
    print(f"{PAGE.said(prompt)} ▸ {PAGE.said(words)}")
print(f"Words that stand so in the page: {right:.0%}")
print(f"The same with prompts from other text: {recite(PAGE.dev)[2]:.0%}")
outcome("recites", 100 * float(right), unit="%")

# %% [markdown]
# Everything after the ▸ comes out of the network's weights. But on other text it was best after a few readings.
#
# The plainest remedy is **early stopping**: stop at the epoch that is best on a held-out text, the **validation set** (here called *dev*, for development set). Everything below must beat that.

# %% [markdown] deck="words"
# ## Dropout for running text: one mask for a window
#
# ```
#             step 1      step 2      step 3
# ordinary    1 0 1 1     0 1 1 0     1 1 0 1
# locked      1 0 1 1     1 0 1 1     1 0 1 1
# ```
#
# What is left is divided by $1 - p$.
#
# minutes: 2.5
#
# say: Dropout sets numbers to zero in training, so that no unit can rely on one other. Drawn anew at every step, a note that must be kept for ten words meets ten different masks. Locked dropout draws once for a window. Here it is used outside of the LSTM, on its inputs and outputs. Does it beat ordinary dropout? Keep the question.
#
# ask: Do two rows of a batch share their mask?
#
# expect: "Yes, it is locked." Each row has its own. Only the steps share it.
#
# skip: The two lines of the drawing.

# %% [markdown] slide="slide"
# ## 2. Dropout for running text
#
# In training, **dropout** (`nn.Dropout`) sets each number of a layer to 0 with probability $p$, and divides the rest by $1 - p$. So no unit can rely on one other unit. In evaluation nothing is dropped.
#
# Ordinary dropout draws anew at every step. In the state that an LSTM hands itself, a note that must be kept for ten words would meet ten different masks. So **locked dropout** (*variational dropout* in [Gal and Ghahramani, 2016](https://arxiv.org/abs/1512.05287)) draws once for a window: what is missing is missing throughout. Here we use it outside the LSTM, on its inputs and outputs. Does it beat ordinary dropout? Section 7 asks.

# %% [markdown] exercise="locked_dropout"
# ### Exercise 1. One mask for all steps
#
# Write `locked_dropout(x, p)` for states `x` (B, T, D). Each dimension of a row is dropped with probability $p$, on its own, and then at every step. Each row loses dimensions of its own, and each call draws anew. What is left is made larger, so that the mean of each number stays what it was. The function is called in training only.


# %% [markdown] deck="code"
# ## Locked dropout, in three lines
#
# minutes: 1
#
# say: The one in the middle of the shape does it.
#
# ask: What is the shape of the mask?
#
# expect: "That of x." With a 1 at the steps: the same for all of them.
#
# skip: Show the answer at once.


# %% exercise="locked_dropout"
def locked_dropout(x, p):
    """(B, T, D): the same dimensions of a row dropped at every step."""
    ### BEGIN SOLUTION
    keep = torch.full((x.shape[0], 1, x.shape[2]), 1 - p)
    mask = torch.bernoulli(keep) / (1 - p)
    return x * mask
    ### END SOLUTION


# %% check="locked_dropout"
check("locked_dropout", locked_dropout)

# %% [markdown] hints="locked_dropout"
# nudge: How many coins do you toss for a row of six steps and four dimensions? Which shape holds one coin for each, and multiplies with (B, T, D)?
#
# idea: A tensor of shape (B, 1, D) is stretched along the steps when it is multiplied. `torch.bernoulli` of a tensor of probabilities gives zeros and ones. The probability of a 1 is $1 - p$.
#
# outline: Make a tensor (B, 1, D) filled with 1 - p, toss it with `torch.bernoulli`, divide by 1 - p, multiply x by it.

# %%
locked_dropout = or_reference("locked_dropout", locked_dropout)

# %% [markdown] deck="words"
# ## Weight drop: thin the matrix, not the states
#
# Inside, the state meets itself through **one matrix**. A fast LSTM is one sealed call.
#
# . . .
#
# Thin the matrix **once, before the call**. The LSTM never knows.
#
# . . .
#
# But who **owns** the matrix? The thinned one is only **lent**.
#
# minutes: 2.5
#
# say: No dropout so far touches the hidden-to-hidden weights, and between the steps of a sealed call one can do nothing. So drop weights in place of states; this is called DropConnect. The published code puts another matrix into the LSTM at each call. Then the optimiser, a copy and a file hold the wrong one.
#
# ask: What does the optimiser hold?
#
# expect: "The thinned matrix, that is what is used." It must hold the whole one, or the dropped weights never come back.
#
# skip: First two steps.

# %% [markdown] slide="slide"
# ## 3. Weight drop
#
# That mask stays outside the LSTM. Inside, the state meets itself at every step through one matrix, the **hidden-to-hidden weights**, (4D, D), in PyTorch's `nn.LSTM` `weight_hh_l0`. No dropout so far touches it. But a fast LSTM is one sealed call: you cannot drop anything between its steps.
#
# The paper's idea, **weight drop**: leave the states alone and thin the **matrix**, once before the call. The sealed LSTM never knows. (Dropout of weights in place of units is called **DropConnect**.)
#
# But who **owns** the matrix? The optimiser holds the whole one, and files and copies must have it, too. So the thinned one is only **lent**, for one call. Here a module with one weight is lent another:

# %% [markdown] deck="printed"
# ## Lent for one call
#
# A module with one weight is lent another, 100, for one call
#
# minutes: 1
#
# say: A module with one weight is lent another. Within the call it uses 100; after it, it has its own again. They write the class in exercise 2 with this one function.
#
# ask: And the gradient: to which weight does it go?
#
# expect: "To the lent one." Through the lent one to the whole matrix, of which it was made.
#
# skip: Read it and go on.

# %%
lender = nn.Linear(1, 1, bias=False)  # any module, here y = w x
lent = torch.func.functional_call(lender, {"weight": torch.tensor([[100.0]])}, (torch.ones(1),))
print(f"lent 100: {lent.item():.2f}; its own again: {lender(torch.ones(1)).item():.2f}")

# %% [markdown] exercise="WeightDrop"
# ### Exercise 2. Weight drop that lives through everything
#
# Write the class. `lstm` is an `nn.LSTM` of one layer with `batch_first=True`. Calling the module with a batch and a state gives what an `nn.LSTM` gives: the outputs, and the pair (h, c). What must be true of it:
#
# - In training each call does without a share `p` of the hidden-to-hidden weights, other ones each time. Those that are kept are made larger. Nothing else is dropped.
# - In evaluation it is the LSTM itself.
# - Gradients reach the whole matrix, and a step of the optimiser changes what the LSTM does.
# - Training, evaluating and training again work as often as you like. So do `copy.deepcopy`, also right after a call in training, and `state_dict` with `load_state_dict`.


# %% exercise="WeightDrop"
import torch
from torch import nn
from torch.nn import functional


class WeightDrop(nn.Module):
    """An LSTM that loses recurrent weights in training."""

    def __init__(self, lstm, p):
        super().__init__()
        ### BEGIN SOLUTION
        self.lstm, self.p = lstm, p
        ### END SOLUTION

    def forward(self, x, state=None):
        """(B, T, D) and a state to the outputs and the pair (h, c)."""
        ### BEGIN SOLUTION
        if not self.training:
            return self.lstm(x, state)
        thin = functional.dropout(self.lstm.weight_hh_l0, self.p)
        return torch.func.functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state))
        ### END SOLUTION


# %% check="WeightDrop"
check("WeightDrop", WeightDrop)

# %% [markdown] hints="WeightDrop"
# nudge: The whole matrix is what is trained, copied and saved. The thinned one lives for a single call. Which of the two should stand in `lstm`?
#
# idea: `functional.dropout` thins a tensor and scales what is left. What you lend has to come from the whole matrix with its way back: no `.data`, no `.detach()`.
#
# outline: Keep `lstm` and `p`. In evaluation return `self.lstm(x, state)`. In training make the thinned copy with `functional.dropout(..., self.p)`, and return `functional_call` with it under the name `"weight_hh_l0"` and the arguments `(x, state)`.

# %%
WeightDrop = or_reference("WeightDrop", WeightDrop)

# %% [markdown] deck="formula"
# ## One table, two uses: weight tying
#
# minutes: 2
#
# say: A word model has two tables of one shape: the vectors of the words that are read, and a row for each word that may be said. Weight tying uses one table for both and halves the largest part of the model. Here is the smallest network with both uses. They derive its gradient in exercise 3.
#
# ask: Nudge one number of E. At how many positions does the loss feel it?
#
# expect: "At one, where the word is read." As read, and as said in every single comparison.
#
# skip: Point at both E.

# %% [markdown] slide="slide"
# ## 4. One table, two uses
#
# A word model has two tables of the same shape: the embedding matrix of the words that are read, and the weights of the softmax, one row for each word that may be said. **Weight tying** uses one table for both ([Press and Wolf, 2017](https://arxiv.org/abs/1608.05859); [Inan and others, 2017](https://arxiv.org/abs/1611.01462)). That halves the largest part of the model.
#
# What gradient does such a table get? Take the smallest network that has both uses: the vector of the word that was read goes through one matrix $W$, and the result $h$ is compared with every row.
#
# $$h = e_{\text{read}}\,W \qquad s = h\,E^\top$$
#
# The softmax turns the logits $s$ into a loss. What it sends back is given: `error`, the gradient of the loss for each logit.

# %% [markdown] exercise="tied_gradient"
# ### Exercise 3. One table, two uses (derive it)
#
# Weight tying, first with pen and paper: derive $\partial\,\text{loss} / \partial E$. Nudge one number of $E$. At how many positions does the loss feel it?
#
# Then write `tied_gradient(E, W, read, error)` in NumPy; autograd is switched off. `E` is (V, D), `W` (D, D). `read` (N,) are the words that are read in N pairs, and `error` (N, V) the gradients of their mean loss. Return (V, D). A word may be read in several pairs.


# %% exercise="tied_gradient"
def tied_gradient(E, W, read, error):
    """(V, D): d mean loss / d E."""
    ### BEGIN SOLUTION
    h = E[read] @ W  # (N, D)
    gradient = error.T @ h
    np.add.at(gradient, read, error @ E @ W.T)
    return gradient
    ### END SOLUTION


# %% check="tied_gradient"
check("tied_gradient", tied_gradient)

# %% [markdown] hints="tied_gradient"
# nudge: Write the scores as a function of two tables, $A$ for what is read and $E$ for what is said. You can derive both gradients. What is the gradient when $A$ and $E$ are one?
#
# idea: As weights of the softmax, row $v$ gets its error times $h$. As a word that was read, row *read* gets the gradient for $h$, which is the error times $E$, sent back through $W$. Both parts are added.
#
# outline: First part `error.T @ h`, (V, D). Second part `error @ E @ W.T`, (N, D), added to the rows `read`. `np.add.at` adds a row as often as it is named; `+=` does so once.

# %% [markdown] deck="printed" lines="2-4"
# ## The gradient of a table with two uses
#
# Words 0 and 1 are **read**, words 2 and 3 are **said**.
#
# minutes: 2
#
# say: Autograd found the first two lines for two separate tables. The third is the derived one: their sum. As read, only the words that were read get a gradient. As said, all get one, also words 4 and 5, which occur nowhere: the softmax pushes them away.
#
# ask: Why does a word that never occurs move?
#
# expect: "It should not." Its score is in the denominator of every bet.
#
# skip: The columns of words 0 and 4.

# %%
tied_gradient = or_reference("tied_gradient", tied_gradient)
random, read, said = np.random.default_rng(0), [0, 0, 1], [2, 3, 2]
E, W = random.standard_normal((6, 3)), random.standard_normal((3, 3))
as_read, as_said = (torch.tensor(E, requires_grad=True) for _ in range(2))  # a table for each use
scores = as_read[read] @ torch.tensor(W) @ as_said.T
loss = functional.cross_entropy(scores, torch.tensor(said))
error, *slopes = torch.autograd.grad(loss, (scores, as_read, as_said))
slopes.append(tied_gradient(E, W, np.array(read), error.numpy()))
print("The slope of the first number of each row; words 0 and 1 are read, words 2 and 3 are said.")
for what, slope in zip(("as read", "as said", "yours"), slopes, strict=True):
    print(f"{what:8}", *(f"{number:+.2f}" for number in slope[:, 0]))

# %% [markdown]
# Yours is the sum of the two rows above it, which autograd found for two tables. As read, only the words that were read get a gradient. As said, all get one, even words 4 and 5, which occur nowhere: the softmax pushes them away.

# %% [markdown] slide="slide"
# ## 5. The loop
#
# Text is cut into rows, and rows into windows; the state is carried from window to window, but no gradient goes back over a cut (lesson 03). If the cuts fall at the same positions in every epoch, the first word after a cut never teaches the words before it anything. So the paper **draws the length** of each window: usually about `bptt` words (the window of truncated *back-propagation through time*), one time in twenty about half that.
#
# The loss is a mean, so in a short window each word weighs more. So a short window takes a shorter step: $\eta\,T / \text{bptt}$.

# %% [markdown] exercise="train_epoch"
# ### Exercise 4. The loop
#
# Write `train_epoch(model, optimiser, rows, lengths, bptt, rate, clip, loss_of, after_step)`: one pass over `rows` (B, L), and the list of all losses as numbers.
#
# - `lengths` is an iterator without end; `next(lengths)` is the length of the next window. Every id but the first of a row is a target exactly once, so the last window takes what is left.
# - `model(ids, state)` returns four things: logits, state, outputs, dropped. `state` is None at the start of the rows, later a list with a pair (h, c) for each layer.
# - `loss_of(logits, targets, outputs, dropped)` is the loss. The norm of all gradients together is at most `clip`.
# - The step of a window of `bptt` words has the rate `rate`. The optimiser reads it from `group["lr"]` of each of its `param_groups`.
# - `after_step()` is called after each step. The model may arrive in evaluation mode, and with gradients of before.


# %% exercise="train_epoch"
def train_epoch(model, optimiser, rows, lengths, bptt, rate, clip, loss_of, after_step):
    """One pass over rows (B, L); the loss of each window."""
    ### BEGIN SOLUTION
    model.train()
    start, last = 0, rows.shape[1] - 1
    state, losses = None, []
    while start < last:
        end = min(start + next(lengths), last)
        logits, state, outputs, dropped = model(rows[:, start:end], state)
        loss = loss_of(logits, rows[:, start + 1 : end + 1], outputs, dropped)
        for group in optimiser.param_groups:
            group["lr"] = rate * (end - start) / bptt
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()
        after_step()
        state = [(h.detach(), c.detach()) for h, c in state]
        losses.append(loss.item())
        start = end
    return losses
    ### END SOLUTION


# %% check="train_epoch"
check("train_epoch", train_epoch)

# %% [markdown] hints="train_epoch"
# nudge: Walk over a row of 12 ids with windows of 5 on paper. What is read and what is asked in the third window? Then ask what each window hands to the next, and what it must not hand on.
#
# idea: Keep `start`; the window ends at `start + next(lengths)`, and not after L − 1, where the row's last target stands. The targets are the same positions, one further. What autograd knows of h and c is cut with `.detach()`. `nn.utils.clip_grad_norm_` clips, between `backward` and `step`. Section 5 has the rate of a window.
#
# outline: Training mode; state None. While start is before L − 1: end; call the model; loss; set the rate; zero the gradients; backward; clip; step; `after_step()`; detach every h and c; append `loss.item()`; go on from end.

# %%
train_epoch = or_reference("train_epoch", train_epoch)

# %% [markdown] deck="words"
# ## When has training stalled?
#
# SGD with a large rate soon gets near a good place, and **jumps around it**.
#
# . . .
#
# The **mean** of the places lies nearer to the middle. But from when on?
#
# . . .
#
# The newest dev loss is worse than the best of all but the last **5**.
#
# minutes: 2
#
# say: Averaged SGD. A mean that begins too early drags the bad beginning along. One epoch a little worse than the last is noise. So the newest is compared with the best of the older ones: that is the non-monotonic trigger, the NT in NT-ASGD. The A in AWD is for averaged.
#
# ask: Why not start when the loss rises for the first time?
#
# expect: "One could." A single epoch jumps, with a rate of 20.
#
# skip: First and second step.

# %% [markdown] slide="slide"
# ## 6. When has training stalled?
#
# Plain SGD with a large, constant rate soon gets near a good place, and then jumps around it. The mean of the places that it visits lies nearer to the middle: **averaged SGD** (`torch.optim.ASGD`). But a mean that begins too early drags the bad beginning along. So when?
#
# NT-ASGD (*non-monotonically triggered*) starts averaging when the dev loss stalls. An epoch a little worse than the last is noise. So the newest is compared with the best of the *older* ones, and the last $n$ do not count as older. Here $n$ is 5. (If you have time, you write this trigger in section 9.)

# %% [markdown] slide="slide"
# ## 7. Your AWD-LSTM
#
# Three parts are given; you can write them in section 9. **Embedding dropout** takes whole words away: for one batch the language has no *Tuesday*. AR (**activation regularisation**) and TAR (the *temporal* one) are penalties: on large states, and on those that jump from word to word. The third is the trigger. One number, `factor`, turns all dropouts up or down: 1 means the paper's rates, 0 none. `plain` is the rate of ordinary dropout at the same two places, the rival.

# %%
from elmo_mini.awd_lstm.varying_windows import window_length
from elmo_mini.models.awd_lstm import averaging_is_due, awd_loss, embedding_dropout

TEXT = running_text(12_000, 4_000, 1_500, say=False)
V, SIZE, NEVER = len(TEXT.vocabulary), 100, 1_000


class AWDLSTM(nn.Module):
    """Your parts in one layer, or ordinary dropout in place of yours."""

    def __init__(self, factor=0.0, plain=0.0):
        super().__init__()
        self.factor, self.plain = factor, nn.Dropout(plain)
        self.table = nn.Embedding(V, SIZE)
        self.lstm = WeightDrop(nn.LSTM(SIZE, SIZE, batch_first=True), 0.5 * factor)
        self.decoder = nn.Linear(SIZE, V)
        nn.init.uniform_(self.table.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        self.decoder.weight = self.table.weight  # tied

    def forward(self, ids, state=None):
        """Ids (B, T) to logits, state, outputs and dropped outputs."""
        x = self.table(ids)
        if self.training and self.factor:
            x = embedding_dropout(self.table.weight, ids, 0.1 * self.factor)
            x = locked_dropout(x, 0.4 * self.factor)
        outputs, after = self.lstm(self.plain(x), state and state[0])  # the pair of the one layer
        dropped = self.plain(outputs)
        if self.training and self.factor:
            dropped = locked_dropout(outputs, 0.4 * self.factor)
        return self.decoder(dropped), [after], outputs, dropped


# %% [markdown]
# Now it learns. The text stands in ten rows; a window has about 35 words (normal, standard deviation 5). Plain SGD, rate 20; gradients are clipped at length 0.25; a weight decay of a millionth shrinks all weights a little each step. PyTorch's `AveragedModel` keeps the mean of the weights. SGD itself never sees the mean, so one run shows both: the network with its **last** weights, and with the **averaged** ones. A copy of the best on dev is kept.

# %%
from torch.optim.swa_utils import AveragedModel


@torch.no_grad()
def chances(reader, text):
    """The probability of each word of a text (N,), which is read in ten rows."""
    rows = stream_rows(text, 10)
    logits = reader(rows[:, :-1])[0]
    return logits.softmax(-1).gather(-1, rows[:, 1:, None])[..., 0]


def perplexity(p):
    """Of the probabilities that the words of a text were given."""
    return float((-p.log().mean()).exp())


def train(model, text, brakes=1, n=5, epochs=25):
    """Learn a text; perplexities after each epoch, and the best network on dev."""
    optimiser = torch.optim.SGD(model.parameters(), lr=20.0, weight_decay=1.2e-6)
    random, rows = np.random.default_rng(0), stream_rows(text, 10)
    lengths = iter(lambda: window_length(35, random), None)  # without end
    run, mean = {"learnt": [], "dev": [], "averaged": []}, None

    def loss_of(*given):
        return awd_loss(*given, 2.0 * brakes, 1.0 * brakes)  # AR and TAR

    def keep():
        if mean is not None:
            mean.update_parameters(model)

    for _ in progress_bar(range(epochs), "training"):
        losses = train_epoch(model, optimiser, rows, lengths, 35, 20.0, 0.25, loss_of, keep)
        run["learnt"].append(float(np.exp(np.mean(losses))))
        run["dev"].append(perplexity(chances(model.eval(), TEXT.dev)))
        now = model if mean is None else mean.module.eval()
        run["averaged"].append(perplexity(chances(now, TEXT.dev)) if mean else run["dev"][-1])
        if run["averaged"][-1] == min(run["averaged"]):
            run["best"] = copy.deepcopy(now).eval()
        if mean is None and averaging_is_due(run["dev"], n):
            mean = AveragedModel(model)
    return run


# %% [markdown] deck="poll"
# ## Each at its best epoch: how much lower is the perplexity with dropout, AR, TAR and averaging than without?
# - about 7 %
# - about 25 %
# - about 50 %
#
# minutes: 1.5
#
# say: The same network twice, with its four remedies and without them. AR and TAR are penalties: on large states, and on states that jump from word to word.
#
# ask: The poll.
#
# expect: "80." That is what one gets against the last epoch. At its best epoch the bare network is not bad.
#
# skip: Say the number.

# %%
predict(
    "beaten",
    "Each network at its best epoch: how many percent lower is your AWD-LSTM's perplexity than that "
    "of the same network without four remedies (dropout, AR, TAR, averaging)?",
    unit="%",
)

# %% [markdown]
# Three networks from the same start, about 40 s. (A fourth is one more line.)

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: The lowest curve at the end is the bare network on the text that it reads: it learns it by heart. On dev it is best after a few epochs and then gets worse and worse. With ordinary dropout, or with all the remedies, most of the rise is gone. The last weights jump; the averaged ones are calm, and their best epoch is no better. One run each.
#
# ask: Which number of the bare network would you report?
#
# expect: "The last." Then everything looks like a triumph. Its best, chosen on dev.
#
# skip: The bare network on dev, and the last curve.

# %% slide="subslide"
VARIANTS = {
    "no remedy": ({}, {"brakes": 0, "n": NEVER}),
    "ordinary dropout": ({"plain": 0.4}, {"brakes": 0, "n": NEVER}),
    "all of it": ({"factor": 0.6}, {}),
}
runs = {}
for name, (network, how) in VARIANTS.items():
    torch.manual_seed(0)
    runs[name] = train(AWDLSTM(**network), TEXT.train, **how)
bare, yours = runs["no remedy"], runs["all of it"]
lines = {"no remedy, the text that it reads": bare["learnt"]}
lines |= {name: run["dev"] for name, run in runs.items()}
lines["all of it, averaged"] = yours["averaged"]
turned = bare["dev"][-1] / min(bare["dev"])
plots.curves(
    np.arange(1, 26),
    lines,
    title=f"On dev, no remedy ends at {turned:.1f} times its best (one run each)",
    xlabel="times the text was read",
    ylabel="perplexity",
    log_y=True,
)

# %%
for name, run in runs.items():
    best, last = min(run["averaged"]), run["averaged"][-1]
    print(f"{name}: dev {best:.1f} at its best epoch, {last:.1f} at the last")


def fires(dev):
    """The first epoch after which the trigger says yes."""
    return next((e for e in range(1, 1 + len(dev)) if averaging_is_due(dev[:e], 5)), "none")


print(f"The trigger fires after epoch {fires(yours['dev'])}.")
print(f"Best with the last weights {min(yours['dev']):.1f}, averaged {min(yours['averaged']):.1f}")
outcome("beaten", 100 * (1 - min(yours["averaged"]) / min(bare["dev"])), unit="%")

# %% [markdown]
# The first curve is your loop's losses: they keep falling while dev gets worse. At a rate of 20 every step is long, and single epochs jump. Dropout, AR and TAR hold back most of the rise. The last curve is calm once the trigger fires. **Averaging calms the end, and here brings no better best epoch.** (Tying, drawn windows, clipping and weight decay are on in all three runs.)
#
# ### What does it add to counting?
#
# In lesson 03 counts of pairs and triples (bigrams and trigrams, with Kneser-Ney smoothing) were strong rivals. They cost a second, and nobody has to stop them early. Which is better alone? And what does a network **add** to the triples? Mix both probabilities of each next word; dev chooses the weight.

# %% [markdown] deck="printed" lines="1-4"
# ## Beside counts of triples
#
# Test perplexity: alone, and mixed with triples
#
# minutes: 2.5
#
# say: Counts of pairs and triples stand first; they need a second. Alone, the bare network is about as good as they are. Mixed with triples every network gains, and the bare one by more than all the remedies bring it. And the distance between the networks shrinks.
#
# ask: One start each. What would you ask for?
#
# expect: "More text." Also other starts, and the difference start by start.
#
# skip: The last column.

# %% slide="subslide"
from course.baselines.kneser_ney import KneserNey

pairs, triples = (KneserNey(TEXT.train.tolist(), V, order) for order in (2, 3))
PARTS = TEXT.dev, TEXT.test
counted = [chances(lambda ids: [triples.scores(ids)], part) for part in PARTS]
by_pairs = chances(lambda ids: [pairs.scores(ids)], TEXT.test)
alone, mixed = {}, {}
for name, run in runs.items():
    dev, alone[name] = (chances(run["best"], part) for part in PARTS)
    tried = {w: w * dev + (1 - w) * counted[0] for w in np.arange(0.1, 1.0, 0.1)}
    w = min(tried, key=lambda w: perplexity(tried[w]))
    mixed[name] = w * alone[name] + (1 - w) * counted[1]
print(f"counts: pairs {perplexity(by_pairs):.1f}, triples {perplexity(counted[1]):.1f}")
for name in runs:
    print(f"{name}: alone {perplexity(alone[name]):.1f}, mixed {perplexity(mixed[name]):.1f}")

# %% [markdown]
# With Brown, the bare network, stopped in time, is only level with counts of pairs. Mixed with triples each network gains.
#
# One start proves little. The stored runs have five, and two more rivals, which cost a line each (*no remedy* has neither drawn windows nor weight decay there): a **falling rate**, divided by 4 after each epoch that brings no best on dev, without dropout or with the ordinary one; and two plain networks from two starts, their probabilities **averaged**. How much better is each than *stopping early*, start by start?

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: Stored, five starts, how many points of perplexity better than the bare network, stopped early. The first bar is the triples, mixed in: twice what all the remedies bring. Then a falling rate, ordinary dropout, all of it: alone each helps. The hatched bars ask the same beside the triples: there no remedy is clear, only a second start, by half a point.
#
# ask: Then what are the remedies for?
#
# expect: "For nothing." For a network without counts, and for larger texts and networks: at our size counts smooth more cheaply.
#
# skip: The last group.

# %% slide="subslide"
from course.awd_lstm import figures
from course.results.intervals import Lead, interval
from course.results.stored import stored_result

COUNTED, RIVALS = map(stored_result, ("awd_lstm_counts", "awd_lstm_rivals"))
print(COUNTED)
figures.beside_counts(COUNTED.numbers, RIVALS.numbers)

# %% [markdown]
# **Counts bring more than all the remedies together:** 5.5 points (4.5 to 6.4) against 2.8 (0.8 to 4.7). It is not mixing alone: a second start of the same network, mixed in, brings 1.9 (0.8 to 2.9), and all of it is not clearly ahead of that. Beside the counts no remedy helps clearly; all of it brings 0.4 points (−0.5 to 1.3), a second start 0.5 (0.2 to 0.9). **And alone, ordinary dropout with a falling rate does as well as all of it:** the difference is −0.3 points (−1.2 to 0.7). Even a falling rate without dropout is not clearly behind: 1.0 points (−0.1 to 2.1). (Intervals: five starts, one test text of 4,221 words.)
#
# Now 30,000 words, alone. Ordinary dropout has 20 or 40 %, a smaller model 25 or 50 units: dev chooses.
# %% [markdown] deck="printed" lines="1-6"
# ## On more text: the great step is early stopping
#
# Test perplexity, 30,000 words
#
# minutes: 2
#
# say: Test perplexity on thirty thousand words. The bare network at its last epoch, 84; stopped early, 41. Then all remedies together bring it to 39. Averaging alone is a good brake for whoever does not look at dev.
#
# ask: A report says: from 84 to 39 by regularisation. What is missing?
#
# expect: "The interval." The third line.
#
# skip: First, third and sixth line.

# %%
LARGER, ABLATION = map(stored_result, ("awd_lstm_larger", "awd_lstm_ablation"))
for name, system in LARGER.numbers["systems"].items():
    print(f"{name:32} {system['mean']:5.1f}")

# %% [markdown]
# The great step is early stopping: from 84 to 41, for the price of a dev text. All remedies together add 2.2 points to it (1.3 to 3.1). **Within 25 epochs they are not clearly ahead of ordinary dropout:** 0.2 points (−0.4 to 0.8). A smaller model does no better than stopping early. **Averaging alone** softens the fall, to 51 where nothing ends at 84.
#
# Is that fair? Dev chose ordinary dropout's rate; the factor 0.6 was fixed (below, dev chooses). And in three of five runs the full set's best epoch was last. So both once more, for up to 60 epochs; behind each perplexity, its lead over ordinary dropout. The last two lines let the rate fall:

# %% [markdown] deck="printed" lines="1-2,4,6"
# ## With up to 60 epochs, ordinary dropout with a falling rate was ahead
#
# Test perplexity, and how much better than ordinary dropout
#
# minutes: 2
#
# say: Was that fair? In three of five runs the best epoch was the last one. So once more with up to 60. At a constant rate all of it is ahead of ordinary dropout, by 0.8 points; without averaging the lead is larger. But let the rate fall, one line, and ordinary dropout was ahead of them all. The full set's own fall was not tuned.
#
# ask: A paper holds its new method against the old one, at one rate for both. What would you ask for?
#
# expect: "More epochs." The old one at its own best rate, falling or not.
#
# skip: First and last line.

# %%
LONGER, FALLING = (
    stored_result(f"awd_lstm_{name}").numbers for name in ("longer", "rivals_larger")
)
ordinary = LONGER["systems"]["ordinary dropout"]["values"]
for name, system in (LONGER["systems"] | FALLING["alone"]).items():
    lead = Lead.of(interval(np.subtract(ordinary, system["values"])), 1)
    print(f"{name:41} {system['mean']:.1f}", "" if name == "ordinary dropout" else f"  {lead}")

# %% [markdown]
# At a constant rate, all of it is ahead of ordinary dropout with more epochs, by 0.8 points (0.1 to 1.4). Averaging does not help it: without, the lead is 1.4 (1.0 to 1.8), and on average the best epoch comes in less than half the time. Weight drop is not missed there: 0.0 (−0.4 to 0.5).
#
# **But let the rate fall, and ordinary dropout was ahead of them all** (the fall of the full set was not tuned): of all of it by 1.2 points (0.8 to 1.6), of all of it without averaging by 0.6 (0.1 to 1.0). All of it, without averaging, does worse so, perhaps because the rate falls too early; slower falls were not tried. And with more text counts have less to bring: mixed with triples, ordinary dropout with a falling rate gains 1.3 points (1.2 to 1.3), on 12,000 words 2.8 (2.6 to 2.9).

# %% [markdown] slide="subslide"
# ### Which part earns its place?
#
# Now an **ablation**, on 12,000 words. What is lost when a part is **taken out** of the whole? And what does it bring **alone**? A part that does the same work as another looks idle when it is taken out, and busy alone. A bar whose whisker crosses 0 has shown nothing. (Tying was only taken out; ordinary dropout, the control of locked, only tried alone.)

# %% [markdown] deck="figure"
# minutes: 2
#
# say: Blue: what is lost when a part is taken out. Hatched: what it brings alone. Taken out, only tying is missed. Alone, three help: locked dropout, ordinary dropout, AR and TAR. A bar whose whisker crosses zero has shown nothing.
#
# ask: Why does a part look idle in blue and busy in the other colour?
#
# expect: "A mistake." Another part does the same work. Taken out, nobody misses it.
#
# skip: The tied softmax.

# %%
figures.worth_of_parts(ABLATION.numbers)

# %% [markdown]
# And four parts alone on the larger text:

# %%
for part, point in LARGER.numbers["better with it alone"].items():
    print(f"{part:16} {Lead.of(point, 1)}")

# %% [markdown] deck="words"
# ## The paper's own ablation says otherwise
#
# | Penn Treebank, without … | test perplexity |
# |---|---|
# | nothing: all parts | 57.3 |
# | varying windows | 58.9 |
# | AR and TAR | 60.3 |
# | embedding dropout | 62.7 |
# | averaging | 63.7 |
# | **weight drop** | **the largest loss of all** |
#
# minutes: 2
#
# say: Table 4. One part is taken out at a time, and no part is missed as much as weight drop. Neither refutes the other: theirs has three layers of up to 1,150 units, ours one of 100, stopped in time.
#
# ask: What would you try, to find out where it turns?
#
# expect: "More text." Or more units, one of the two at a time.
#
# skip: First and last row.

# %% [markdown]
# **What earns its place here, without counts: stopping early, tying, a falling rate, and one of two,** ordinary dropout, or AR and TAR. Within 25 epochs the full set clearly leads neither. Taken out, tying is missed on both texts, and nothing else on 12,000 words. Alone, each of the two helps on both, and so does locked dropout; all other intervals include 0. But ordinary dropout alone is 0.7 points ahead of locked alone: clear on the larger text (0.2 to 1.2), not on 12,000 words (−0.4 to 1.9).
#
# The paper's ablation (table 4, test perplexity, Penn Treebank) says otherwise. All parts: 57.3. Without averaging 63.7, embedding dropout 62.7, weight decay 61.0, AR and TAR 60.3, varying windows 58.9. **No part is missed as much as weight drop.** Neither refutes the other: theirs has three layers of up to 1,150 units, ours one of 100, stopped in time. (Perplexities themselves do not compare: 27 to 29 in 100 words of our test texts are unknown and count as one word.)

# %% [markdown] slide="subslide"
# ### Change one thing: a tenth of the text
#
# Now take 1,200 words, about three pages. Should the dropouts go **up**, because so little text is soon learnt by heart? Or **down**, because one cannot afford to hide half of so little?

# %% [markdown] deck="poll"
# ## A tenth of the text: dropout with the factor that dev chose, against none of it?
#
# minutes: 1
#
# say: Twelve hundred words, three pages. Up, because so little is soon learnt by heart? Or down, because one cannot afford to hide half of so little? Stored, each run at its best epoch.
#
# ask: The poll.
#
# expect: "No clear difference: there is nothing to learn." It helps, a little.
#
# skip: Say the result.

# %%
predict(
    "tenth",
    "A tenth of the text, each run at its best epoch, stored runs: dropout with the factor that dev "
    "chose, against factor 0?",
    options=["ahead", "no clear difference", "behind"],
)

# %% [markdown]
# Try your own factors: change the tuple (about 10 s).

# %%
MINE = (0.0, 0.6)

tenth = {}
for factor in MINE:
    torch.manual_seed(0)
    run = train(AWDLSTM(factor), TEXT.train[:1_200])
    tenth[f"factor {factor:g}"] = run["averaged"]
title = "A tenth of the text, dev: your factors (one run each)"
plots.curves(np.arange(1, 26), tenth, title=title, xlabel="epoch", ylabel="perplexity", log_y=True)

# %% [markdown] deck="figure"
# minutes: 2
#
# say: Test perplexity by the factor on all dropouts. Above: a tenth of the text. Below: the whole text. At both sizes dropout helps a little, and dev chose 0.6 or 1 each time. Look at the bands: on a tenth, without dropout, the five starts lie five points apart.
#
# ask: Does less text ask for less dropout?
#
# expect: "Yes." Nothing here says so.
#
# skip: The title.

# %% slide="subslide"
DROPOUT = stored_result("awd_lstm_dropout")
print(DROPOUT)
figures.by_factor(DROPOUT.numbers)

# %%
for size in ("the whole text", "a tenth"):
    chosen = Lead.of(interval(figures.gains_of_dropout(DROPOUT.numbers[size])), 1)
    print(f"{size}: the factor that dev chose, against factor 0: {chosen}")
outcome("tenth", chosen.verdict)

# %% [markdown]
# **Dropout helps a little at both sizes.** The factor that dev chose is ahead of factor 0, by 1.6 points on a tenth (0.2 to 3.1) and 2.4 on the whole text (0.6 to 4.2). It was 0.6 or 1 each time, so nothing here favours less dropout for less text. On the whole text it is not clearly ahead of ordinary dropout, even so: 1.3 points (−0.1 to 2.6).
#
# At factor 0, AR, TAR, drawn windows and averaging stay on. *No remedy at all* costs 2.5 to 3.0 points on the whole text, against factors from 0.3 on. On a tenth nothing is clearly ahead of it.

# %% [markdown]
# ### A larger one
#
# The package's AWD-LSTM, with two layers, has read two and a half million words twice. Lesson 11 starts from it. It goes on talking by your loop of lesson 04, at temperature 0.8.

# %%
from elmo_mini.awd_lstm.awd_lstm_file import load_awd_lstm

go_on, draw_word = mine("go_on"), mine("draw_word")
grown_up, words = load_awd_lstm()
grown_up.eval()


@torch.no_grad()
def step(word, state):
    """One word read: the scores of the next, and the new state."""
    logits, state, *_ = grown_up(torch.tensor([[word]]), state)
    logits[0, -1, words.id("<unk>")] = -torch.inf  # it never says <unk>
    return logits[0, -1], state


for start in ("the president", "she looked at", "in the beginning"):
    ids, end = words.encode(["</s>", *start.split()]), words.id("</s>")
    said = go_on(step, ids, lambda scores: draw_word(scores, 0.8), end, 25)
    print(start, *words.decode(said))

# %% [markdown] slide="slide"
# ## 8. Three broken runs
#
# Three people have written weight drop, each with one mistake; nothing else is dropped. Your `train` reads the text six times with each of the layers (`layer(nn.LSTM(...), 0.5)`, as yours), and evaluates after each. About 15 s. You see:
#
# - how far apart two calls on the same words are: in training mode before the first epoch, after the last, and in evaluation;
# - how far the hidden-to-hidden weights (the *recurrent matrix*) have moved, and the typical (median) one, as multiples of the start.

# %% [markdown] deck="figure"
# ## Three weight drops have a mistake each. Which?
#
# minutes: 2.5
#
# say: Three people have written weight drop with one mistake each. How far apart are two calls in training, at the start and at the end? In evaluation? How far has the matrix moved, and how large is a typical weight? The training curves look alike. Two minutes in pairs; the list of faults is in exercise 5.
#
# ask: Run C: what has happened to it between the start and the end?
#
# expect: "It has converged." Two calls in training are the same. What makes two calls differ?
#
# skip: A only: the matrix has not moved at all.

# %% slide="subslide"
from course.awd_lstm.broken_weight_drop import RUNS


def weights_of(model):
    """A copy of the hidden-to-hidden weights."""
    return model.lstm.lstm.weight_hh_l0.detach().clone()


@torch.no_grad()
def apart(model):
    """How far apart the states of two calls on the same words are, at most."""
    words = TEXT.dev[None, :50]
    return float((model(words)[2] - model(words)[2]).abs().max())


seen, learnt = [], {}
for name, layer in RUNS.items():
    torch.manual_seed(0)
    model = AWDLSTM()
    model.lstm = layer(nn.LSTM(SIZE, SIZE, batch_first=True), 0.5)
    before, at_first = weights_of(model), apart(copy.deepcopy(model).train())
    learnt[name] = train(model, TEXT.train, brakes=0, epochs=6)["learnt"]
    now, at_last = weights_of(model), apart(model.train())
    moved, typical = (
        (now - before).norm() / before.norm(),
        now.abs().median() / before.abs().median(),
    )
    seen.append([at_first, at_last, apart(model.eval()), float(moved), float(typical)])
columns = ["training calls, at the start", "training calls, at the end"]
columns += ["evaluation calls, at the end", "matrix moved by", "typical weight"]
title = "How far two calls are apart; the matrix against its start"
plots.table(np.array(seen), list(RUNS), columns, title=title)

# %%
plots.curves(
    np.arange(1, 7),
    learnt,
    title="What each run shows while it learns",
    xlabel="times the text was read",
    ylabel="training perplexity",
    log_y=True,
)

# %% [markdown] exercise="broken_weight_drop"
# ### Exercise 5. Three broken runs
#
# Write `broken_weight_drop()`: a dict with the number of the fault of A, B and C, `{"A": ..., "B": ..., "C": ...}`.
#
# 1. The mask is drawn once, when the layer is made, and stays.
# 2. After the first evaluation no weight is dropped any more.
# 3. Weights are dropped in evaluation, too.
# 4. No gradient reaches the hidden-to-hidden weights.
# 5. The thinned matrix takes the place of the whole one.
# 6. The kept weights are not divided by $1 - p$.


# %% exercise="broken_weight_drop"
def broken_weight_drop():
    """The number of each run's fault."""
    ### BEGIN SOLUTION
    return {"A": 4, "B": 5, "C": 2}
    ### END SOLUTION


# %% check="broken_weight_drop"
check("broken_weight_drop", broken_weight_drop)

# %% [markdown] hints="broken_weight_drop"
# nudge: Compare each row with the sound one, column by column. Where is it 0? Where is it far smaller?
#
# idea: A matrix that has not moved has learnt nothing. A matrix that loses what is dropped consists of small weights. Two calls in training that agree have drawn no mask, or the same one.
#
# outline: Find the run whose matrix has not moved, and the run whose typical weight has shrunk. For the last one two faults remain, 1 and 2: what would each of them show before the first epoch?

# %% [markdown] model_answer="broken_weight_drop"
# **A** is fault 4: its matrix stands where it was drawn, so no gradient has come. The softmax and the other weights learn, and hide it. **B** is fault 5: at each step half of the weights are gone for good and the rest is doubled. So most of the matrix is close to 0, and a few weights are huge. **C** is fault 2: after training two calls agree to the last digit, so no mask is drawn any more; before it they differed. With fault 1 they would have agreed from the start.

# %% [markdown] slide="slide"
# ## Recap
#
# - An LSTM language model learns a small text by heart. On the text its perplexity falls, elsewhere it rises.
# - Locked dropout draws one mask for a window, embedding dropout takes away whole words, weight drop (DropConnect) thins the hidden-to-hidden weights.
# - The whole matrix stays in its place; the thinned one is lent for one call. So training, evaluation, copies and files all work.
# - With weight tying, the one table gets the sum of two gradients.
# - AR and TAR make large and jumping states expensive.
# - Averaged SGD calms the last epochs. On 12,000 words it does not improve the best one.
# - A regulariser must beat early stopping, and ordinary dropout with a falling rate. All parts together clearly beat the first. The second is level with them on 12,000 words, and ahead on 30,000.
# - At this size counts are strong rivals: mixed in, they bring more than all remedies, and beside them no remedy helps clearly.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A colleague trains a language model on 50,000 words of maintenance reports. *"With all of AWD-LSTM the test perplexity went from 210 to 60. Regularisation is everything."* The 210 belongs to the last of a hundred epochs. **What would you ask for before you believe that the regularisers did it? Name the runs, what is chosen on which text, and how many of each. And which remedies would you keep even if early stopping did as well?** Five to eight sentences.

# %% [markdown] discussion="from_210_to_60" points=3
# **Rubric, 3 points.** 1 for the missing control: the plain model at its best epoch, and at least one more (counts, alone or mixed in; a rate that falls; a smaller model; ordinary dropout tuned as carefully). 1 for the protocol: the epoch and the rates chosen on a dev text, the number taken once from a test text, several seeds, the difference taken seed by seed with its interval. 1 for a reasoned choice of what to keep (tying halves the table; a regularised run depends less on the epoch at which it is stopped; averaging smooths; a pretrained model needs less of all of it). Half of it for a choice without a reason.

# %% [markdown] model_answer="from_210_to_60"
# The 210 is the number of a model that has learnt its reports by heart; nobody would use it. I would ask for the same network without remedies at the epoch that a dev text likes best, for counts of triples, and for ordinary dropout whose rate was chosen with as much care. Each should be run with several seeds, all choices made on the validation set, the test set looked at once. Then I would take the difference to the colleague's model seed by seed and give its interval. If early stopping came to 62, the remedies would have brought two points and not a hundred and fifty.
#
# I would still keep tying, because it halves the largest part of the model, and some dropout, because a run that does not turn back depends less on the epoch at which it is stopped. And with 50,000 words I would first try to start from a model that has read millions.

# %% [markdown] slide="slide"
# ## If you have time
#
# Each section stands alone: the three given parts, with three exercises (24 minutes); a myth (2).
#
# ## 9. Three parts, by hand
#
# The table of word vectors is the largest part of a word model. Rare words are seen only a few times, and their rows are easily learnt by heart. Hence embedding dropout.

# %% [markdown] exercise="embedding_dropout"
# ### Exercise 6. Do without some words
#
# Write `embedding_dropout(table, ids, p)`. `table` (V, D) has a vector for each word, `ids` (B, T) the words of a batch. Return their vectors (B, T, D). A word of the vocabulary is dropped with probability $p$: then its vector is all 0 at each of its positions. The vectors of the others are made larger, as before. Each call drops other words.


# %% exercise="embedding_dropout"
def embedding_dropout(table, ids, p):
    """(B, T, D): vectors of the words, some words missing everywhere."""
    ### BEGIN SOLUTION
    keep = torch.full((len(table), 1), 1 - p)
    mask = torch.bernoulli(keep) / (1 - p)
    return (table * mask)[ids]
    ### END SOLUTION


# %% check="embedding_dropout"
check("embedding_dropout", embedding_dropout)

# %% [markdown] hints="embedding_dropout"
# nudge: What is dropped here: a position in the batch, or a word of the vocabulary?
#
# idea: One coin for each row of the table, (V, 1). Then look the words up as usual, with `[ids]`.
#
# outline: Toss a (V, 1) tensor filled with 1 - p, divide by 1 - p, multiply the table by it, and index the product with `ids`.

# %%
embedding_dropout = or_reference("embedding_dropout", embedding_dropout)

# %% [markdown]
# AR (activation regularisation) makes large states expensive, TAR (temporal activation regularisation) states that jump from word to word:
#
# $$\text{loss} = \text{cross-entropy} + \alpha \cdot \overline{(m \odot h_t)^2} + \beta \cdot \overline{(h_{t+1} - h_t)^2}$$
#
# The bar is a mean over rows, steps and dimensions. (The paper writes a norm; its code takes this mean.) $m$ is the dropout mask: AR looks at what the softmax sees, TAR at what the LSTM itself did.

# %% [markdown] exercise="awd_loss"
# ### Exercise 7. Two gentle brakes
#
# Write `awd_loss(logits, targets, outputs, dropped, alpha, beta)`: `logits` (B, T, V), `targets` (B, T), the states of the last layer before and after their dropout, both (B, T, D). Return one number for the optimiser, for windows of any length from one step on.


# %% exercise="awd_loss"
def awd_loss(logits, targets, outputs, dropped, alpha=2.0, beta=1.0):
    """Cross-entropy with AR and TAR."""
    ### BEGIN SOLUTION
    loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    loss = loss + alpha * (dropped**2).mean()
    if outputs.shape[1] > 1:
        change = outputs[:, 1:] - outputs[:, :-1]
        loss = loss + beta * (change**2).mean()
    return loss
    ### END SOLUTION


# %% check="awd_loss"
check("awd_loss", awd_loss)

# %% [markdown] hints="awd_loss"
# nudge: Which of the two penalties reads which states? How many changes are there in a window of five steps? And of one?
#
# idea: `outputs[:, 1:]` and `outputs[:, :-1]` are the same states, one step apart. The mean of an empty tensor is `nan`, and one `nan` spoils all weights.
#
# outline: Cross-entropy over flattened rows and steps; plus alpha times the mean square of `dropped`; plus, if there is more than one step, beta times the mean square of the differences.

# %%
awd_loss = or_reference("awd_loss", awd_loss)

# %% [markdown]
# The third part is the **trigger** of averaged SGD (section 6). Averaging begins when the newest dev loss is worse than the best of those that are old enough.

# %% [markdown] exercise="averaging_is_due"
# ### Exercise 8. When has training stalled?
#
# Write `averaging_is_due(validation, n)`. `validation` is a list of dev losses, one an epoch, the newest last. Return True if the newest is worse than the best of all but the last `n` (the newest is one of those `n`). While nothing is old enough, return False.


# %% exercise="averaging_is_due"
def averaging_is_due(validation, n):
    """Whether the newest loss is worse than the best that is old enough."""
    ### BEGIN SOLUTION
    older = validation[:-n]
    return bool(older) and validation[-1] > min(older)
    ### END SOLUTION


# %% check="averaging_is_due"
check("averaging_is_due", averaging_is_due)

# %% [markdown] hints="averaging_is_due"
# nudge: With n = 2 and the losses 9, 7, 8: which may the 8 be compared with?
#
# idea: `validation[:-n]` is everything but the last n. It is empty in the first epochs, and `min` of nothing is an error.
#
# outline: Take what is older. If there is nothing, False. Otherwise: is the last one larger than the smallest of the older?

# %%
averaging_is_due = or_reference("averaging_is_due", averaging_is_due)
print(f"Your trigger fires after epoch {fires(yours['dev'])}.")
torch.manual_seed(0)
typed = train(AWDLSTM(0.6), TEXT.train, epochs=8)  # the same names now mean your parts
print(
    f"All typed by you, 8 epochs: {min(typed['dev']):.1f}; section 7: {min(yours['dev'][:8]):.1f}"
)

# %% [markdown]
# The given parts may toss their coins in another order than yours, so the two numbers differ a little.

# %% [markdown] deck="words"
# ## What to take home
#
# - A regulariser has to beat **early stopping**, and **ordinary dropout** with a falling rate.
# - Locked dropout: one mask for a window. Weight drop: a thinned matrix, **lent**.
# - A tied table gets the **sum** of two gradients.
# - Taken out and alone are **two questions**. Ask both, with an interval.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 1 to 5.
#
# ask: "Regularisation brought us from 210 to 60." What do you ask?
#
# expect: "Which one?" What the plain model had at its best epoch.
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"The W does the work: weight drop is what makes an AWD-LSTM."*
#
# How far ahead of *stopped early* is weight drop alone?

# %%
for text in (ABLATION, LARGER):
    lead = Lead.of(text.numbers["better with it alone"]["weight drop"], 1)
    print(f"weight drop alone, {text.numbers['words']['train']:,} words: {lead}")

# %% [markdown]
# **Measured there, not seen here.** In the paper no part is missed as much. Our runs show no gain: neither alone, on either text, nor as part of the whole, on 12,000 words or, for up to 60 epochs, on more. But our intervals leave room: alone, for 1.0 points on the larger text and 2.7 on the smaller.

# %% [markdown]
# ## Further reading
#
# - The paper, [arXiv:1708.02182](https://arxiv.org/abs/1708.02182), and its code, [awd-lstm-lm](https://github.com/salesforce/awd-lstm-lm). (There the newest epoch is not one of the `n`.)
# - Melis, Dyer and Blunsom, [On the State of the Art of Evaluation in Neural Language Models](https://arxiv.org/abs/1707.05589): plain LSTMs, tuned as carefully, did better than their newer rivals.
#
# Next: **11 · ULMFiT.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Why a rate of 20?* The gradient is clipped at 0.25, so the step of a window of 35 words is not longer than 5. *Why not Adam?* The mean of the weights needs a walk that goes on jumping; with a falling rate there is nothing to average. *Is weight decay a remedy, too?* In the paper it is worth some points; here it is on in every regularised run and has not been taken out alone. *Does dropping half of the matrix halve the memory of the net?* For one window; over many windows every connection is trained. *Why may the ablation disagree with the paper's?* Another size of text, of network, of patience. *Poll before section 7:* "Who wins: AWD-LSTM or early stopping?"
