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
# ## TagLM: labels cost money, text is free
#
# Lesson 05 · Peters, Ammar, Bhagavatula and Power, 2017
#
# minutes: 1
#
# say: A language model that has read only free text sits beside a network that labels words. Today: the last layer of that network, what the language model brings, and the sceptic's question: was it the context, or only the words?
#
# ask: How long does it take to label one sentence by hand?
#
# expect: "Seconds." With a doctor and a record it is minutes, and somebody pays them.
#
# skip: Leave out the question.

# %% [markdown] slide="slide"
# # 05 · TagLM
#
# Labels cost money, text is free. In 2017 four researchers let a language model that had read only free text sit beside a network that labels words. You write the last layer of that network, train it, and let it listen. Then you ask what a careful reader should ask: was it the context, or only the words?

# %%
import math

import numpy as np
import torch

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from course.taglm import report

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings
tune_and_watch = mine("tune_and_watch")  # of lesson 04
report.print_first()

# %% tags=["road"]
from course.figures import plots

plots.road("05")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - score a whole path of labels, sum over all paths, and find the best one,
# - derive what such a layer learns from one sentence,
# - put the parts together into a CRF, train it in your own loop, and tell from its symptoms what is wrong with one,
# - join the states of a frozen language model to a tagger, and say how much of the gain is context.
#
# ## The paper
#
# **TagLM**: Peters, Ammar, Bhagavatula and Power, *Semi-supervised sequence tagging with bidirectional language models*, ACL 2017, arXiv:1705.00108. Section 2 is the model. The name stands for *language-model-augmented sequence tagger*. (Not *Tagged Language Model*, as some pages write: nothing is tagged in it.)
#
# Plan 115 minutes. Short of time? Exercises 1 to 3 and 5 to 8 are the spine, 100 minutes.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B$ | sentences in a batch | $e_{t,k}$ | emission: how much word $t$ likes label $k$ |
# | $T$ | words in a sentence | $A_{j,k}$ | transition: how well label $k$ follows label $j$ |
# | $K$ | labels | $a_k$, $b_k$ | how well a sentence starts, or ends, with $k$ |
# | $y_t$ | the label of word $t$ | $Z$ | partition function: the sum over all paths |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes, for somebody who passes most checks at once: opening, 2; section 1, 4; section 2, 12; section 3, 32; section 4, 36; section 5, 11; section 6, 11; the myth and recap, 2: 110 in all. The essays take 10 more, the optional sections 25. For 95 minutes: show exercise 4 solved; for 80, exercises 1 and 5 as well. Draw the trellis of section 2 on the board before anybody types. Students get stuck in exercise 2 on the axis of the sum: make them say aloud "from, to" for shape (B, from, to). Exercise 4 is exercise 2 with max for logsumexp, plus the walk back; say so. Poll before section 6: "With all 8,000 sentences, will the gain be more or less than with 80?" The usual wrong answer is "more, because the network can use it better".

# %% [markdown] slide="slide"
# ## 1. One label for every word
#
# Take a page and two coloured pens. Mark every person yellow and every place green. That is **named-entity recognition**. Mark every small group of words that belongs together (*the old man*, *has been waiting*, *at*): that is **chunking**. A computer has no pens. It writes one label beside each word: **sequence labelling**. The program is a **tagger**.
#
# A language model wrote and labelled this sentence for the course. No native speaker has read it.

# %% [markdown] deck="printed" lines="1-9"
# ## One label for every word: BIO (left) and BIOES (right)
#
# minutes: 2
#
# say: Left BIO: B begins a span, I goes on, O is outside. Right BIOES, which the paper uses: E ends a span, S is a span of a single word. A language model wrote and labelled this sentence for the course.
#
# ask: Why letters, and not the colour alone?
#
# expect: "To mark the length." Two marks can touch: *She gave Anna Berger Ben's book*. Without B nobody sees where one ends.
#
# skip: Explain only BIO.

# %%
from elmo_mini.tagging import data
from elmo_mini.tagging.spans import to_bio

example = next(s for s in data.entities("train") if any(x.startswith("B-") for x in s.labels))
for word, short, label in zip(example.words, to_bio(example.labels), example.labels, strict=True):
    print(f"{word:>14}  {short:>6}  {label:>6}")

# %% [markdown]
# Why letters, not the colour alone? Two marks can touch: *She gave Anna Berger Ben's book*. In the scheme **BIO**, left, **B** begins a span, **I** goes on, **O** is outside. The paper labels in **BIOES**, right. **E** is the last word of a span, and **S** a span of a **single** word.
#
# How good is a tagger? The share of right words misleads. The laziest tagger writes **O** beside every word.

# %% [markdown] deck="poll"
# ## A tagger writes O beside every word. How many words are right?
#
# - about 14 %
# - about 50 %
# - about 86 %
# - about 98 %
#
# minutes: 1.5
#
# say: The laziest tagger writes O beside every word. How many words does it label right?
#
# ask: The poll.
#
# expect: "Half." Most words are in no name at all. It has found nobody, so we count spans: F1.
#
# skip: Say the number, then F1 in one sentence.

# %%
predict(
    "lazy", "Of the words in the course's test sentences, how many does it label right?", unit="%"
)

# %%
gold = [label for sentence in data.entities("test") for label in sentence.labels]
outcome("lazy", 100 * np.mean([label == "O" for label in gold]), unit="%")

# %% [markdown]
# It has found nobody. So we count **spans**, and a span is right only if start, end and kind are right. **Precision** is the share of the predicted spans that is right, **recall** the share of the true spans that was found, and **F1** their harmonic mean, $2PR / (P + R)$. From here on, F1 means F1 of spans.

# %% [markdown] slide="slide"
# ## 2. Labels depend on labels
#
# You plan a walk of several days and choose a hut for each night. Every hut has a comfort, and every path from one hut to the next a beauty. The best walk is **not** the list of the most comfortable huts: two of them may have a swamp between them.
#
# Sequence labelling has the same problem. Look at *in New York today*, in BIO. *New* is mostly an ordinary adjective, so it leans towards O. *York* leans towards I-LOC, because it mostly stands inside *New York*. But *I-LOC* right after *O* is a swamp.

# %% [markdown] deck="figure"
# ## Labels depend on labels: *New* leans to O, *York* to I-LOC
#
# minutes: 3
#
# say: You plan a walk of four days; each column is a night, each cell a hut with its comfort. The numbers at the line are the paths between huts. The most comfortable huts, one by one, have a swamp between them: I-LOC right after O has minus 4.
#
# ask: Which walk would you take?
#
# expect: "Always the strongest shade." That is the line in the picture: it goes through the swamp.
#
# skip: Leave out the huts, read the two numbers at *New*.

# %%
from course.taglm.trellis import trellis

words = ["in", "New", "York", "today"]
labels = ["O", "B-LOC", "I-LOC"]
emissions = torch.tensor([[[3.0, 0.0, 0.0], [1.5, 1.0, 0.0], [0.0, 1.2, 2.0], [3.0, 0.0, 0.0]]])
transitions = torch.tensor(  # from a row, to a column
    [[0.5, 0.5, -4.0], [0.0, -1.0, 1.0], [0.0, -1.0, 0.0]]
)
start, end = torch.tensor([0.0, 0.0, -4.0]), torch.zeros(3)
mask = torch.ones(1, 4, dtype=torch.bool)

favourites = emissions[0].argmax(-1).tolist()
title = "Emissions (stronger shade: higher); at the line, transitions"
walk = {"each word on its own": favourites}
trellis(emissions[0].numpy(), words, labels, walk, title=title, transitions=transitions.numpy())

# %% [markdown] deck="formula"
# ## A CRF scores the whole walk
#
# Start + emissions + transitions + end
#
# minutes: 2.5
#
# say: The emissions e come from a network that reads the sentence. The transitions A are a table, K by K, learnt with the rest and the same at every position. The score of a path is a sum: where you begin, each hut, each path between two, where you end.
#
# ask: How many numbers does the CRF add to the network, with 20 labels?
#
# expect: "One for each path." A table of 20 by 20, and 20 for the start and the end: 440.
#
# skip: Read the four words and go on.

# %% [markdown] slide="subslide"
# A **conditional random field** (CRF) scores the whole walk. The score of a path of labels $y$ is
#
# $$s(y) = a_{y_1} + \sum_{t=1}^{T} e_{t,y_t} + \sum_{t=2}^{T} A_{y_{t-1},\,y_t} + b_{y_T}$$
#
# The **emissions** (logits) come from a network that reads the sentence. The **transitions** are a table of $K \times K$ numbers, learnt with the rest, the same at every position. `transitions[j, k]` is for label $k$ right **after** label $j$.

# %% [markdown] exercise="path_score"
# ### Exercise 1. The score of a path
#
# Write `path_score(emissions, labels, mask, transitions, start, end)` for a batch:
#
# - `emissions` (B, T, K), `labels` (B, T) whole numbers,
# - `mask` (B, T), True at words. Sentences differ in length, and padding stands only at the end,
# - `transitions` (K, K), `start` (K,), `end` (K,).
#
# Return the score of each sentence's path, a tensor of shape (B,) that autograd can follow back. Padding must not count, and the last label of a sentence is that of its last **word**.


# %% exercise="path_score"
def path_score(emissions, labels, mask, transitions, start, end):
    """(B,) score of one given path for each sentence."""
    ### BEGIN SOLUTION
    own = emissions.gather(2, labels.unsqueeze(2)).squeeze(2)  # (B, T)
    moves = transitions[labels[:, :-1], labels[:, 1:]]  # (B, T - 1)
    last_place = mask.sum(1, keepdim=True) - 1  # (B, 1)
    last_label = labels.gather(1, last_place).squeeze(1)  # (B,)
    total = (own * mask).sum(1) + (moves * mask[:, 1:]).sum(1)
    return start[labels[:, 0]] + total + end[last_label]
    ### END SOLUTION


# %% check="path_score"
check("path_score", path_score)

# %% [markdown] hints="path_score"
# nudge: Four parts: one start, $T$ emissions, $T - 1$ transitions, one end. Which of them know about padding?
#
# idea: `transitions[labels[:, :-1], labels[:, 1:]]` picks all moves at once, shape (B, T − 1). `emissions.gather(2, labels.unsqueeze(2))` picks the emissions. Two loops, over sentences and words, are just as right; then join the results with `torch.stack`, because `.item()`, `float()`, `.detach()` and `torch.tensor` cut autograd off.
#
# outline: Pick emissions (B, T), multiply by `mask`, sum. Pick moves (B, T − 1), multiply by `mask[:, 1:]`, sum. The last word stands at `mask.sum(1) - 1`; gather its label. Add `start[labels[:, 0]]` and `end[last_label]`.

# %% [markdown] model_answer="path_score"
# A move counts if the word that it leads to is real, hence `mask[:, 1:]`. The end score belongs to the label of the last real word, which `gather` picks.

# %%
import itertools

path_score = or_reference("path_score", path_score)
every_path = torch.tensor(list(itertools.product(range(3), repeat=4)))  # (81, 4)
many = (emissions.expand(81, -1, -1), every_path, mask.expand(81, -1))
scores = path_score(*many, transitions, start, end)
for number in scores.argsort(descending=True)[:3].tolist():
    print(f"{scores[number]:6.1f}  {' '.join(labels[k] for k in every_path[number].tolist())}")

# %% [markdown] deck="formula"
# ## To learn, make it a probability: a softmax over whole paths
#
# minutes: 2.5
#
# say: Exponential of each score, over the sum over all paths. Z is the partition function. The loss is log Z minus the score of the right path. It can never be below zero: Z contains that path.
#
# ask: What does it mean if a loss goes below zero?
#
# expect: "Very good training." A fault: the sum leaves out something that the path has. Exercise 7 has such a CRF.
#
# skip: Leave out the question.

# %% [markdown]
# With four words and three labels we can walk every path; the best is the one you would choose. To **learn**, the network needs more: a probability. As in a softmax, take the exponential of each score and divide by the sum over **all** paths:
#
# $$p(y) = \frac{e^{s(y)}}{Z}, \qquad Z = \sum_{\text{all paths } y'} e^{s(y')}, \qquad \text{loss} = -\log p(y_{\text{gold}}) = \log Z - s(y_{\text{gold}})$$
#
# A softmax over whole paths; $Z$ is called the **partition function**. But how many paths are there?

# %% [markdown] deck="poll"
# - 3
# - 8
# - 32
# - 480
#
# minutes: 1
#
# say: Z is a sum over all paths. Twenty labels, a sentence of twenty-four words.
#
# ask: The poll.
#
# expect: "480, twenty times twenty-four." At each word the walks multiply: 20 to the 24th.
#
# skip: Say the number.

# %%
predict("paths", "20 labels, 24 words: the number of paths has how many digits?", unit="digits")

# %%
outcome("paths", len(str(20**24)), unit="digits")

# %% [markdown] deck="words"
# ## The forward algorithm
#
# On the evening of day $t$ you stand in hut $k$. However you came, **the rest of the walk does not care**.
#
# $$\alpha_t(k) = e_{t,k} + \log \sum_j e^{\,\alpha_{t-1}(j) + A_{j,k}}$$
#
# . . .
#
# $K^2$ steps a day, while the walks multiply by $K$
#
# minutes: 4
#
# say: So put all the ways that lead to this hut into one number, the log of the sum of their exponentials. The next day needs only the numbers of today. Draw three huts and two days on the board. In log space, because a 32-bit number ends at about e to the 88.
#
# ask: Why may we forget how we came?
#
# expect: "Because only the best counts." Because a transition looks one step back and no further.
#
# skip: Board only, without log space.

# %% [markdown] slide="slide"
# ## 3. The sum over all paths
#
# Back to the huts. On the evening of day $t$ you stand in hut $k$. However you came, the rest of the walk does not care. So all the ways that lead here can be put into **one number**: the sum of their exponentials. Its logarithm is called $\alpha_t(k)$. The next day needs only the numbers of today:
#
# $$\alpha_1(k) = a_k + e_{1,k} \qquad\quad \alpha_t(k) = e_{t,k} + \log \sum_{j} e^{\,\alpha_{t-1}(j) + A_{j,k}} \qquad\quad \log Z = \log \sum_k e^{\,\alpha_T(k) + b_k}$$
#
# That is $K^2$ steps a day, while the walks multiply by $K$. This is the **forward algorithm**. Why stay in **log space**? Numbers of 32 bits end at about $e^{88}$. `torch.logsumexp` takes the largest score out first and never leaves the safe region.

# %% [markdown] exercise="log_partition"
# ### Exercise 2. The sum over all paths, in log space
#
# Write `log_partition(emissions, mask, transitions, start, end)` with the shapes of exercise 1. Return the log of the partition function, $\log Z$, of each sentence, a tensor of shape (B,) that autograd can follow back.
#
# The sentences of a batch differ in length. When a sentence has ended, its $\alpha$ stands still while the others go on. Scores may reach ±1000, and a forbidden transition is −10,000: the sum **and its gradient** must stay numbers. And do not walk over every path: with ten labels seven words have ten million.


# %% exercise="log_partition"
def log_partition(emissions, mask, transitions, start, end):
    """(B,) log Z of each sentence, by the forward algorithm."""
    ### BEGIN SOLUTION
    alpha = start + emissions[:, 0]  # (B, K)
    for t in range(1, emissions.shape[1]):
        arriving = alpha.unsqueeze(2) + transitions  # (B, from, to)
        new = torch.logsumexp(arriving, 1) + emissions[:, t]  # (B, to)
        alpha = torch.where(mask[:, t].unsqueeze(1), new, alpha)
    return torch.logsumexp(alpha + end, 1)
    ### END SOLUTION


# %% check="log_partition"
check("log_partition", log_partition)

# %% [markdown] hints="log_partition"
# nudge: The loop runs over the words, and no word stands alone: the transitions tie it to its neighbour. What must you know of yesterday? One number for each label, and nothing else.
#
# idea: `alpha.unsqueeze(2) + transitions` has shape (B, from, to): every way of going from one label to another. Sum over *from*: `torch.logsumexp(..., 1)`. The emission of the new word does not depend on where you came from, so add it afterwards. Tensors all the way: `.item()`, `float()`, `.detach()` and `torch.tensor` cut autograd off.
#
# outline: `alpha = start + emissions[:, 0]`. For `t` from 1: `new = torch.logsumexp(alpha.unsqueeze(2) + transitions, 1) + emissions[:, t]`; then `alpha = torch.where(mask[:, t].unsqueeze(1), new, alpha)`. Return `torch.logsumexp(alpha + end, 1)`.

# %% [markdown] model_answer="log_partition"
# For each label, `alpha` is the logarithm of the sum over all ways that end there. `torch.where` keeps it as it is for sentences that have ended.

# %%
log_partition = or_reference("log_partition", log_partition)
log_z = log_partition(emissions, mask, transitions, start, end).item()
print(f"log Z from 81 paths {torch.logsumexp(scores, 0):.6f}, by the forward algorithm {log_z:.6f}")
print(f"probability of the best path: {math.exp(scores.max().item() - log_z):.0%}")

# %% [markdown] slide="subslide"
# ### What does a transition learn?
#
# The loss is $\log Z - s(y_{\text{gold}})$, and training goes down its gradient. What is that gradient for one number, $A_{j,k}$?

# %% [markdown] exercise="transition_slope"
# ### Exercise 3. What a transition learns (derive it)
#
# First with pen and paper: derive $\partial\,(\log Z - s(y_{\text{gold}})) / \partial A_{j,k}$ from the definition of $Z$ as a sum over paths. How often does $A_{j,k}$ stand in the score of a path?
#
# Then write `transition_slope(paths, scores, gold, count)` for one short sentence, in NumPy. `paths` (N, T) are all its paths, `scores` (N,) their scores, `gold` (T,) is the right path, `count` is $K$. Return an array (K, K). A sentence may have one word. Scores may reach ±1000. Autograd is switched off.


# %% exercise="transition_slope"
def transition_slope(paths, scores, gold, count):
    """(K, K): the slope of log Z - s(gold) for each transition."""
    ### BEGIN SOLUTION
    chances = np.exp(scores - scores.max())
    chances = chances / chances.sum()
    slope = np.zeros((count, count))
    for path, chance in zip(paths, chances, strict=True):
        for before, after in itertools.pairwise(path):
            slope[before, after] += chance
    for before, after in itertools.pairwise(gold):
        slope[before, after] -= 1
    return slope
    ### END SOLUTION


# %% check="transition_slope"
check("transition_slope", transition_slope)

# %% [markdown] hints="transition_slope"
# nudge: Take two words: each path makes one move. Then $Z$ is a plain softmax's sum, and you know that gradient.
#
# idea: $\partial \log Z = \frac{1}{Z} \sum_y e^{s(y)}\, \partial s(y)$, and $e^{s(y)} / Z$ is the probability of the path. $\partial s(y) / \partial A_{j,k}$ is the number of moves from j to k in y.
#
# outline: Probabilities of the paths: exponentials of the scores minus the largest, divided by their sum. Zeros (K, K). For each path and each of its moves, add the path's probability at that move. Then subtract 1 for each move of the gold path.

# %% [markdown] model_answer="transition_slope"
# The gradient is the number of moves that the model **expects**, minus the number that was **counted** in the gold path. Where the two agree, nothing more is learnt. A move that comes twice counts twice: `slope[rows, columns] += ...` with lists of indices would count it once.

# %% [markdown] deck="figure"
# ## What a transition learns: expected minus counted
#
# From the label of the row to that of the column, on one sentence
#
# minutes: 2.5
#
# say: The gradient for one transition: how often the model expects this move, over all paths, minus how often it stands in the right path. Positive numbers go down, negative go up: from B-LOC to I-LOC the table says minus 0.43, so it is raised. That is all that a CRF ever learns from.
#
# ask: When is nothing more learnt?
#
# expect: "When the right path is the best one." When expected and counted agree, that is, when it has all the probability.
#
# skip: Say the title.

# %%
transition_slope = or_reference("transition_slope", transition_slope)
truth = torch.tensor([[0, 1, 2, 0]])  # O B-LOC I-LOC O
leaf = transitions.clone().requires_grad_()
lost = log_partition(emissions, mask, leaf, start, end) - path_score(
    emissions, truth, mask, leaf, start, end
)
(by_autograd,) = torch.autograd.grad(lost.sum(), leaf)
derived = transition_slope(every_path.numpy(), scores.double().numpy(), truth[0].numpy(), 3)
print(f"largest distance to autograd: {np.abs(derived - by_autograd.numpy()).max():.0e}")
plots.table(derived, labels, labels, title="Expected minus counted: from the row to the column")

# %% [markdown]
# **Expected minus counted.** That is all a CRF ever learns from, and autograd walked 81 paths in four steps. The same holds for emissions: the **gradient of $\log Z$** for $e_{t,k}$ is how often the model expects label $k$ at word $t$. That is the **marginal** probability of the label, given the whole sentence.

# %% slide="subslide"
leaf = emissions.clone().requires_grad_()
(chances,) = torch.autograd.grad(log_partition(leaf, mask, transitions, start, end).sum(), leaf)
title = "Probability of each label, from the gradient of log Z"
plots.table(chances[0].numpy(), words, labels, title=title)

# %% [markdown]
# On its own *New* leaned to O. By its marginal, beside *York*, it more probably begins a place.

# %% [markdown] slide="slide"
# ## 4. The best path, and a CRF of your own
#
# To **use** the tagger you want the path with the highest score. The same walk finds it, with one change. Keep for each hut not the sum over all ways, but the **best** way, and write on the door which hut it came from. On the last evening take the best hut and read the doors backwards. This is **Viterbi's algorithm**.

# %% [markdown] exercise="viterbi"
# ### Exercise 4. The best path
#
# Write `viterbi(emissions, mask, transitions, start, end)`, without a walk over every path. Return two things:
#
# - a list with one path for each sentence: a list of label numbers, one for each **word** (none for padding),
# - the scores of these paths, a tensor of shape (B,).


# %% exercise="viterbi"
def viterbi(emissions, mask, transitions, start, end):
    """The best path of each sentence, and its score (B,)."""
    ### BEGIN SOLUTION
    paths, scores = [], []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        best, doors = start + row[0], []  # (K,)
        for t in range(1, length):
            arriving, came_from = (best.unsqueeze(1) + transitions).max(0)  # (to,)
            best = arriving + row[t]
            doors.append(came_from)
        score, label = (best + end).max(0)
        path = [int(label)]
        for came_from in reversed(doors):
            path.append(int(came_from[path[-1]]))
        paths.append(path[::-1])
        scores.append(score)
    return paths, torch.stack(scores)
    ### END SOLUTION


# %% check="viterbi"
check("viterbi", viterbi)

# %% [markdown] hints="viterbi"
# nudge: Two passes: forward, to fill in the scores and the doors; backward, to read the doors. Where does the backward pass begin in a sentence that is shorter than the batch?
#
# idea: `.max(dim)` gives two things, the largest values and where they stand. For one sentence, `(best.unsqueeze(1) + transitions).max(0)` takes the maximum over *from* for every *to*. The easiest way to respect the mask is to treat one sentence at a time, up to its own length.
#
# outline: For each sentence with its `length`: `best = start + row[0]`; for `t` from 1 to `length - 1` keep `came_from` in a list and add `row[t]`. Then `score, label = (best + end).max(0)`. Walk through the list in reverse, appending `came_from[path[-1]]`; turn the path round.

# %% [markdown] model_answer="viterbi"
# It is the forward algorithm with a maximum in place of the sum. `came_from` remembers where each maximum came from, so the best path can be read backwards.

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: To use the tagger, take the best way to each hut and not the sum, and write on the door where you came from. At the end read the doors backwards. Viterbi's walk goes by B-LOC, although *New* on its own leans to O.
#
# ask: What changes in the program, between the sum and the best?
#
# expect: "Everything." Two lines: max in place of logsumexp, and a note of where it came from.
#
# skip: Show the two walks.

# %% slide="subslide"
viterbi = or_reference("viterbi", viterbi)
(path,), _ = viterbi(emissions, mask, transitions, start, end)
walks = {"each word on its own": favourites, "Viterbi": path}
title = "The best walk is not the list of the best huts"
trellis(emissions[0].numpy(), words, labels, walks, title=title, transitions=transitions.numpy())

# %% [markdown]
# In BIOES a span of three words is B I E, of two B E: what B opened must be closed by E. A CRF can learn such rules from data. With few labels it is safer to build them in.

# %% [markdown] exercise="may_follow"
# ### Exercise 5. Which label may follow which
#
# Write `may_follow(before, after)` for BIOES labels such as `"B-NP"` or `"O"`. Return True if `after` may stand right after `before`.
#
# `before` can also be `"<start>"`, the position before the first word, and `after` can be `"<end>"`, the position after the last. A sentence without words is allowed: `"<start>"`, then `"<end>"`. A kind may hold a hyphen, as in `"B-NON-GPE"`.


# %% exercise="may_follow"
def may_follow(before, after):
    """Whether BIOES allows the label `after` right behind the label `before`."""
    ### BEGIN SOLUTION
    open_before = before[0] in "BI"  # after B and I, a span waits for more
    goes_on = after[0] in "IE"
    if open_before != goes_on:
        return False
    return not goes_on or before[2:] == after[2:]
    ### END SOLUTION


# %% check="may_follow"
check("may_follow", may_follow)

# %% [markdown] hints="may_follow"
# nudge: After which letters is a span still open? And which letters can only stand where one is open?
#
# idea: A span is open after B and I. Only I and E go on with a span. The two facts must agree: open and going on, or not open and not going on.
#
# outline: `open_before = before[0] in "BI"`, `goes_on = after[0] in "IE"`. If they differ, return False. If the span goes on, the kinds must be equal: `before[2:] == after[2:]`. `"<start>"` and `"<end>"` begin with `<`, so they need no rule of their own.

# %% [markdown] model_answer="may_follow"
# A span is open after B and I, and only I and E go on with one: the two must agree. `"<start>"` and `"<end>"` begin with none of these letters, so they need no rule of their own.

# %%
may_follow = or_reference("may_follow", may_follow)

# %% [markdown] exercise="CRF" slide="subslide"
# ### Exercise 6. A CRF that learns, and keeps to the rules
#
# Put your four functions together. `CRF(labels)` gets the $K$ labels as words, such as `"B-NP"`. This must be true:
#
# - `self.transitions` (K, K), `self.start` (K,) and `self.end` (K,) begin at 0. They alone can be learnt.
# - `crf.loss(emissions, gold, mask)` is the mean over the sentences of $\log Z - s(y_{\text{gold}})$, one number.
# - `crf.decode(emissions, mask)` returns the best paths: the first result of your `viterbi`.
# - Both use the current values of these tables, with −10,000 in place of the number of each move, first or last label that BIOES forbids. (Minus infinity can break the gradient.)


# %% exercise="CRF"
from torch import nn


class CRF(nn.Module):
    """Tables to learn, rules to keep."""

    def __init__(self, labels):
        super().__init__()
        ### BEGIN SOLUTION
        count = len(labels)
        self.transitions = nn.Parameter(torch.zeros(count, count))
        self.start = nn.Parameter(torch.zeros(count))
        self.end = nn.Parameter(torch.zeros(count))
        between = torch.tensor([[may_follow(a, b) for b in labels] for a in labels])
        first = torch.tensor([may_follow("<start>", label) for label in labels])
        last = torch.tensor([may_follow(label, "<end>") for label in labels])
        self.rules = (between, first, last)
        ### END SOLUTION

    def scores(self):
        """Transitions (K, K), start (K,) and end (K,), with the rules."""
        ### BEGIN SOLUTION
        tables = (self.transitions, self.start, self.end)
        pairs = zip(tables, self.rules, strict=True)
        return [table.masked_fill(~allowed, -10_000.0) for table, allowed in pairs]
        ### END SOLUTION

    def loss(self, emissions, gold, mask):
        """The mean of log Z - s(gold), one number."""
        ### BEGIN SOLUTION
        log_z = log_partition(emissions, mask, *self.scores())
        return (log_z - path_score(emissions, gold, mask, *self.scores())).mean()
        ### END SOLUTION

    def decode(self, emissions, mask):
        """The best path of each sentence."""
        ### BEGIN SOLUTION
        return viterbi(emissions, mask, *self.scores())[0]
        ### END SOLUTION


# %% check="CRF"
check("CRF", CRF)

# %% [markdown] hints="CRF"
# nudge: Which of these things change while the CRF learns, and which never do? Compute each in the method where it belongs.
#
# idea: The rules follow from the labels: three tables of True and False, made once. The numbers that are learnt change at every step, so the rules must be laid over them anew each time: `table.masked_fill(~allowed, -10_000.0)`.
#
# outline: In the constructor three `nn.Parameter(torch.zeros(...))`, and `torch.tensor` of `may_follow` for each pair, for `"<start>"` and for `"<end>"`. `scores` fills the three. `loss`: the mean of `log_partition` minus `path_score`, both with `*self.scores()`. `decode`: the first of the two things that `viterbi` returns.

# %% [markdown] model_answer="CRF"
# The rules are laid over the tables in every call, so an optimiser's step is seen at once. A forbidden move has gradient 0: it never learns, and need not. Training and decoding use the same tables. A loss without the rules would fight paths that can never be chosen.

# %%
CRF = or_reference("CRF", CRF)

# %% [markdown] slide="slide"
# ## 5. Your CRF trains a tagger
#
# A hospital wants to find every drug and every dose in its records. It has millions of records. But each **labelled** record costs a doctor's evening. Law firms have the same bill. So: how far do you get with **few labels**?
#
# Our task is the chunking of **CoNLL-2000**: sentences from the Wall Street Journal. We pretend that only 1 % of the training sentences have labels.
#
# The network below the CRF is the course's. Each word comes in as a vector of its own, with a small convolution over its letters (lesson 06). Two **bidirectional LSTMs** (`nn.LSTM(bidirectional=True)`), stacked as two layers, read the words both ways, and a dense layer makes the emissions. The whole is a **BiLSTM-CRF**. All of it starts at random. This was the ordinary way until 2017: word vectors could come from outside, but whatever reads the *sentence* started from nothing for every task (forerunners: lesson 04).
#
# Above it sits **your** CRF, trained by **your** loop of lesson 04. (If yours loops over labels, a run can take a minute. Then begin the cell with `CRF = LinearChainCRF`, the course's, which takes seconds.)


# %%
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.tagging.training import batches_of_passes, f1_on


def trained(sentences, position="none", passes=20, crf=CRF, **parts):
    """A tagger with your CRF after your loop, and its F1 on dev along the way."""
    torch.manual_seed(0)
    options = TaggerOptions(lm_position=position)
    width = 0 if position == "none" else sentences.labelled[0].lm.shape[1]
    tagger = Tagger.for_sentences(sentences.labelled, options, width, crf=crf, **parts)
    batches = batches_of_passes(sentences.labelled, passes)

    def watch():
        return 100 * f1_on(tagger, sentences.dev).f1

    losses, seen = tune_and_watch(tagger, batches, tagger.loss, 0.01, watch, len(batches) // 10)
    print(f"loss of the first batch {losses[0]:.1f}, of the last {losses[-1]:.2f}")
    return tagger, seen


plain = report.few_labels()
alone, alone_dev = trained(plain)
f1_alone = 100 * f1_on(alone, plain.test).f1
print(f"Your tagger: F1 {f1_alone:.1f} on {len(plain.test)} test sentences, one run")

# %% [markdown]
# ### Change one thing: the way it decodes
#
# Keep the emissions and change only the last step. Either each word takes its own favourite. Or Viterbi runs: with the learnt numbers but no rules, with the rules alone, or with the rules and `MINE` times the learnt numbers.

# %% [markdown] deck="poll"
# - none
# - a tenth
# - half
# - [x] nearly all
#
# minutes: 1.5
#
# say: A tagger with a CRF, trained on 80 sentences. Now take the CRF away at the end: each word its own favourite label. BIOES has rules, such as I only after B or I.
#
# ask: The poll.
#
# expect: "Few, the network has learnt the rules." The rules were there in training, so nothing had to learn them.
#
# skip: Say the number.

# %%
predict(
    "broken_rules",
    "Each word takes its favourite: in how many sentences are rules broken?",
    unit="%",
)

# %% [markdown] deck="printed"
# ## Trained with rules, it cannot do without them
#
# minutes: 3
#
# say: The same emissions, decoded in five ways. Each word alone: 61. With the rules and no learnt number at all: 71.6. The whole CRF: 71.3. Times five is worse. One run, 200 sentences: the small differences are nothing.
#
# ask: So what did the learnt transitions bring?
#
# expect: "Ten points." That is the rules, since training leant on them. The learnt numbers bring at most 0.4 on average in these two taggers, in the stored runs.
#
# skip: Read lines 1, 3 and 5. Live instead: change MINE and run the cell again, it takes a second or two.

# %% slide="subslide"
MINE = 5  # a number of your choice
crf = alone.crf
learnt = (crf.transitions, crf.start, crf.end)
rules = [table.where(table < -1000, torch.zeros_like(table)) for table in crf.scores()]


def with_rules(times):
    tables = [rule + times * table for rule, table in zip(rules, learnt, strict=True)]
    return lambda emissions, mask: viterbi(emissions, mask, *tables)[0]


ways = {
    "each word's favourite": report.each_word_alone,
    "learnt numbers, no rules": lambda e, m: viterbi(e, m, *learnt)[0],
    "rules, no learnt numbers": with_rules(0),
    f"rules, learnt numbers × {MINE}": with_rules(MINE),
    "your CRF": crf.decode,
}
broken = report.decodings(alone, plain.test, ways)
outcome("broken_rules", broken["each word's favourite"], unit="%")

# %% [markdown]
# Without the rules most sentences come out broken, and the learnt numbers alone do not mend that. Is your loss the reason? The rules were there in training, so nothing had to learn them. Train one without:

# %% slide="subslide"
from functools import partial

from elmo_mini.tagging.constrained_crf import LinearChainCRF

free, _ = trained(plain, crf=partial(LinearChainCRF, scheme=None))  # the course's CRF
both = [table + rule for table, rule in zip(free.crf.scores(), rules, strict=True)]
ways = {
    "trained without rules": free.crf.decode,
    "decoded with them": lambda e, m: viterbi(e, m, *both)[0],
}
report.decodings(free, plain.test, ways)

# %% [markdown]
# So the loss was the reason. Trained without the rules, the network has to learn them, and it learns most of them. Is a CRF more than its rules? Five seeds are stored (three with all labels):

# %%
report.learnt_transitions("What learnt transitions add to the rules, for chunks (stored)")

# %% [markdown]
# On top of its rules, a CRF's learnt numbers are worth little in these two taggers: on average at most 0.4 points. (Against a softmax for each word: see the end.)
#
# ### Three broken CRFs
#
# Three taggers for named-entity recognition have one fault each in their CRF. Beside them is a sound one (stored, one run each, twelve passes). *Long names* are those of several words: the test has 17.

# %% slide="subslide"
report.print_broken()

# %% [markdown] exercise="broken_crfs"
# ### Exercise 7. Three broken CRFs
#
# Which CRF has which fault?
#
# 1. In training, $\log Z$ also walks through the padding.
# 2. In training, the score of the gold path leaves out its transitions.
# 3. In training, the best path stands in place of the sum over all.
# 4. Decoding reads the table of transitions the wrong way round.
# 5. Decoding gives each word its own best label.
# 6. The rules are left out, in training and in decoding.
#
# Write `broken_crfs()`, which returns a dict with the number of each one's fault: `{"A": ..., "B": ..., "C": ...}`.


# %% exercise="broken_crfs"
def broken_crfs():
    """The fault of each CRF, by its number."""
    ### BEGIN SOLUTION
    return {"A": 4, "B": 2, "C": 1}
    ### END SOLUTION


# %% check="broken_crfs"
check("broken_crfs", broken_crfs)

# %% [markdown] hints="broken_crfs"
# nudge: Go line by line: where does each stand out against the sound one? A probability is never above 1. What does that say about the loss?
#
# idea: Two have a loss below 0. One of these treats two sentences in a batch as it treats them one by one. The third trains like the sound one, so look at what it says.
#
# outline: Where a long sentence changes the loss of a short one, the mask is missing. Where all transitions can fall for free, the loss has no floor. And read the labels of *Meridian Air* from right to left.

# %% [markdown] model_answer="broken_crfs"
# **A** trains as the sound one does, so the fault is in decoding. It finds the names of one word and none of several, and *Meridian Air* comes out as E B: back to front. Read the wrong way round, the rules let E come before B. Fault 5 would lose names of one word, too. **B** goes below 0: its gold path leaves out the transitions, so when all transitions fall, only $\log Z$ falls. It still tags rather well, since lowering all transitions alike changes no probability. Only the sign of the loss gives it away. **C** goes below 0 as well, but only where there is padding: emissions at the padding can push $\log Z$ of a short sentence down. One by one its losses are above 0. With fault 3 the loss could not go below 0: no path beats the best one.

# %% [markdown] deck="words"
# ## The language consultant
#
# You sort the mail in a language that you began last week. Beside you sits somebody who has **read whole libraries** in it.
#
# . . .
#
# She never learns your sorting. At every word she tells you what she expects next, and what she expected before.
#
# minutes: 2
#
# say: You have seen eighty sorted envelopes. She is the language model, and she is frozen. Her remarks are the states of her top layer, forward and backward. You write them beside your own notes, and then you decide.
#
# ask: Which of you two learns from the labels?
#
# expect: "Both." She stays as she is: only the tagger is trained.
#
# skip: Show both steps at once.

# %% [markdown] slide="slide"
# ## 6. The language consultant
#
# You sort the mail in a country whose language you began to learn last week. You have seen eighty sorted envelopes. Beside you sits somebody who has read whole libraries in it. She will never learn your sorting. But at every word she can tell you: *having read up to here, I expect such words next; having read from the end, such words before.* You write her remarks beside your own notes, and then decide.
#
# She is the language model, and she is **frozen**. Her remarks are the hidden states of her **top layer**: for word $t$ the forward model has read up to and including word $t$, the backward model from the end back to word $t$.
#
# $$h^{LM}_t = [\overrightarrow{h}^{LM}_t ;\; \overleftarrow{h}^{LM}_t]$$
#
# Many summaries put the remarks into the input. The paper (equation 3) puts them beside what the **first LSTM** of the BiLSTM-CRF gives, and the second LSTM reads both.

# %% [markdown] deck="figure"
# ## TagLM: her remarks join after the first LSTM
#
# minutes: 2.5
#
# say: Words come in below; the first LSTM reads both ways; there the states of the language model are put beside what it gives; the second LSTM reads both; the CRF chooses. Many summaries put them into the input. The paper's equation 3 has them here.
#
# ask: Which parts are trained?
#
# expect: "All of them." The language model is frozen; its part is drawn in another colour.
#
# skip: Point at the place where they join.

# %% slide="subslide"
from course.taglm.taglm_network import taglm_network

taglm_network(["Maria", "flew", "to", "Oslo"], ["S-PER", "O", "O", "S-LOC"], "TagLM for names")

# %% [markdown]
# Every word has LM states of its own. Links along the sentence are not drawn: LSTMs and language models also read the neighbours.

# %% [markdown] exercise="with_lm"
# ### Exercise 8. Where the language model joins
#
# Write `with_lm(words, lm, first, second, position)`. `words` (B, T, D) are the word vectors, `lm` (B, T, L) the states of the frozen language model. `first` and `second` are the two LSTMs; call them like functions: `first(vectors)` takes (B, T, anything) and gives (B, T, H).
#
# `position` says where the LM vectors are joined, after the vectors that are there:
#
# - `"input"`: to the word vectors,
# - `"after_first"`: to the output of the first LSTM, as in the paper,
# - `"after_second"`: to the output of the second LSTM,
# - `"none"`: nowhere.
#
# Return what comes out at the top. Call an LSTM only with what it gets at this `position`: an LSTM of the network takes vectors of one width only.


# %% exercise="with_lm"
def with_lm(words, lm, first, second, position):
    """Two LSTMs, with the LM vectors joined at one place."""
    ### BEGIN SOLUTION
    states = torch.cat([words, lm], dim=-1) if position == "input" else words
    states = first(states)
    if position == "after_first":
        states = torch.cat([states, lm], dim=-1)
    states = second(states)
    if position == "after_second":
        states = torch.cat([states, lm], dim=-1)
    return states
    ### END SOLUTION


# %% check="with_lm"
check("with_lm", with_lm)

# %% [markdown] hints="with_lm"
# nudge: Without the language model the whole thing is `second(first(words))`. There are three gaps in it: before, between, after.
#
# idea: `torch.cat([states, lm], dim=-1)` puts two vectors side by side for every word. The number of words does not change, the width does.
#
# outline: If `position == "input"`, join to `words`. Call `first`. If `"after_first"`, join. Call `second`. If `"after_second"`, join. Return.

# %% [markdown] model_answer="with_lm"
# The states of the language model are joined at one point, and nothing else changes. With `"none"` they are joined nowhere: that is the tagger without a language model.

# %% [markdown] slide="subslide"
# Our consultant is the course's own. She has read a few million words; lessons 06 and 07 build her.
#
# Now the sceptic: your tagger's word vectors start at random. Perhaps knowing the **words** is all it takes? Her lowest layer, **layer 0**, answers that. It learnt from the same text. It has 256 numbers for a word, and we give them twice, so that both inputs are equally wide. But it reads the letters of one word and sees no neighbour.

# %% [markdown] deck="poll"
# minutes: 2.5
#
# say: The sceptic: the tagger's word vectors start at random. Perhaps knowing the words is all it takes. Her layer 0 answers that: it comes from the same text, gives as many numbers, and sees no neighbour.
#
# ask: The poll.
#
# expect: "Less than half: context is the point of the paper." Wait for the bars.
#
# skip: Vote without reasons.

# %%
SHARES = ["less than half", "more than half"]
predict("without_context", "How much of the gain is there with layer 0 alone?", options=SHARES)

# %%
from elmo_mini.checkpoints.pretrained import load_pretrained

with_lm = or_reference("with_lm", with_lm)
consultant = load_pretrained()
watched, reached = {"no LM": alone_dev}, {"no LM": f1_alone}
for name, layer in (("layer 0, no context", 0), ("top layer", -1)):
    heard = plain.read_by(consultant, layer)
    tagger, watched[name] = trained(heard, "after_first", join=with_lm)
    reached[name] = 100 * f1_on(tagger, heard.test).f1
    print(f"{name}: F1 {reached[name]:.1f} on {len(heard.test)} sentences (no LM: {f1_alone:.1f})")

# %% slide="subslide"
plots.curves(
    np.arange(len(alone_dev)) * 2,
    watched,
    title=f"Learning from {len(plain.labelled)} sentences (here, one run each)",
    xlabel="passes over the labelled sentences",
    ylabel="F1 on dev, percent",
)

# %% [markdown]
# One run proves little. The stored experiment has the whole test set and several seeds. Each seed draws its own labelled sentences; as many more (at most 400) choose the best pass. Layer 0 also brings a larger reader of letters, so a fourth tagger hears layer 0 of an **untrained** model: fresh weights, nothing read. (Whiskers: 95 % intervals over the seeds of the tagger; the biLM is one, and another start of it is in no interval. With all labels no control was run.)

# %% [markdown] deck="figure"
# ## Few labels, large gain; and most of it is the words
#
# minutes: 4
#
# say: Chunks, five seeds, each with its own draw of sentences. With 1 per cent of the labels, 80 sentences: 70.9 without, 85.3 with layer 0, 88.3 with the top layer. So 14.4 of the 17.4 points need no context. Context adds three, and its interval stays above zero. Vectors that are counted in the same text, without a network, bring ten (three seeds). With all labels two points are left.
#
# ask: What is the second bar for, an untrained layer 0?
#
# expect: "For completeness." Layer 0 also brings a larger reader of letters. Untrained it brings 2.5 points, so most of the 14.4 comes from reading.
#
# skip: The left group only.

# %% slide="subslide"
report.gains_figure("Chunks, with few labels and with all of them (stored)")

# %%
report.paired_gains("The same as differences, paired by seed (stored)")

# %%
gains = report.gains()
outcome("without_context", SHARES[gains["layer 0"] > gains["top"] / 2])

# %% [markdown] deck="words"
# ## For names, what the network adds is context
#
# No language model **43.7** · counted vectors, no network **56.3** · layer 0 **55.7** · top layer **66.5**
#
# . . .
#
# To guess what follows *flew to*, it helps to know places.
#
# minutes: 1.5
#
# say: F1 on the course's own 62 test sentences, five seeds; the intervals are wide. Untrained layer 0 brings nothing clear. Vectors counted in the language model's text, without a network, bring as much as layer 0: the two cannot be told apart. So all that layer 0 brings to names is to be had by counting. The top layer is ten points ahead of the counts, and these ten need context.
#
# ask: Why does context do more for names than for chunks?
#
# expect: "Names are harder." A name can be any word; what stands before it gives it away.
#
# skip: Leave it out.

# %% [markdown]
# - **Few labels, large gain.** With all labels about two points are left.
# - **Most of it is the words.** With 1 % and with 10 % of the labels, layer 0 brings more than two thirds on average. It has read millions of words, and learnt which of them behave alike. **Untrained**, layer 0 brings 2.5 points in place of 14.4 (1 %), and 0.5 in place of 4.1 (10 %).
# - **Context adds to that**, and its interval stays above 0, also over layer 0 at the input, where both LSTMs read it (1 %).
#
# And the rival without a network? A CRF on **clues** that one counts by hand (endings, capitals, the words beside; lesson 09 has it) has an F1 of 70.2 on the same draws of 1 %, where the tagger without the language model has 70.9. So that tagger is no straw man. But neither has read plain text.
#
# **Counted vectors** have: neighbours counted in the language model's own text, PPMI and SVD (lesson 01), no network. In place of her states they bring 10.0 points of F1 over no language model (5.7 to 14.3; 1 %, three seeds). Layer 0 is 4.9 ahead of them (2.9 to 6.8), and it also has a vector for a word that was never counted; the top layer is 7.9 ahead (6.3 to 9.6). So about half of the gain, perhaps more, is to be had by counting (10.0 of 17.9 points). **What the network adds is 8 points**, not 18.
#
# For names in the course's own 62 test sentences (no name of theirs is marked in training) the intervals are wide, and untrained layer 0 brings nothing clear. There the clues have 49.5 (five seeds; 38 to 60 over seeds and sentences), more on average than the 43.7 without the language model. Counted vectors have 56.3 (the same seeds): 12.6 points over no language model (4.8 to 20.4), **as much as layer 0** (layer 0 less counted vectors: −0.6, −6.9 to 5.7). The top layer is 10.2 ahead (6.5 to 14.0; all over seeds alone). **What the network adds to names is 10 points, and these need context.**

# %%
report.print_names()
report.names_figure()

# %% [markdown] deck="words"
# ## Beside the paper: F1 without and with a language model
#
# | | without | with |
# |---|---|---|
# | chunks, all labels (table 2) | 95.00 | 96.37 |
# | names, all labels (table 1) | 90.87 | 91.93 |
# | names, 1 % of the labels | 67.66 | 71.01 |
#
# minutes: 1.5
#
# say: F1, published. Their language models had read some 800 million words, and their tagger began with pretrained word vectors: a part of what our layer 0 brings, theirs already had.
#
# ask: Why is our gain with 1 per cent so much larger than theirs?
#
# expect: "Our model is better." Our tagger starts with random word vectors: its rival is weaker.
#
# skip: Read the last row.

# %% [markdown]
# What does a language model bring to names? To guess what follows *flew to*, it helps to know places.
#
# ### Beside the paper
#
# Chunks with all labels: 95.00 ± 0.08 to 96.37 ± 0.05 F1 (Table 2). Names: 67.66 to 71.01 with 1 % of the labels, 90.87 to 91.93 with all (section 3.3 and Table 1). Their language models had read about 800 million words. Their tagger began with pretrained word vectors: it already had a part of what layer 0 brings ours. A language model trained on **the labelled text alone** hurts a little, if at all: 90.79 against 90.87 (Table 6).
#
# **One limit.** TagLM asks for the **top layer only**. Do the layers that it throws away know something that the top does not? That leads to ELMo, in lesson 08.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"Studies show: with pretraining, 10 to 20 percent of the labels reach 80 to 90 percent of the performance that all labels give."*
#
# The sentence stands in a popular course without a source. It forgets the control: the same tagger **without** pretraining.

# %% [markdown] deck="poll"
# ## Without a language model: which share of its F1 does a tenth of the labels give?
#
# - about 40 %
# - about 70 %
# - more than 90 %
#
# minutes: 1.5
#
# say: One reads: with pretraining, a tenth of the labels reaches 80 to 90 per cent of the performance that all labels give. The control is missing. So: without any language model, what share of its F1 does a tagger keep with a tenth of the labels?
#
# ask: The poll.
#
# expect: "40: that is why we need pretraining." The first points are cheap. Ask how much of the missing F1 is gained.
#
# skip: Read the claim and the number.

# %%
predict("ten_percent", "No LM: F1 with 10 % of the labels, as a share of F1 with all?", unit="%")

# %%
outcome("ten_percent", report.share_without(), unit="%")

# %% [markdown]
# **Measured: the number says little.** For chunks, a tagger that was never pretrained keeps more than 90 percent, so the sentence is no reason for pretraining. The first points are cheap. Fairer: with the same labels, how much of the **missing F1** is gained?

# %% [markdown] deck="words"
# ## What to take home
#
# - A CRF is a softmax over whole paths.
# - It learns from **expected minus counted**.
# - With few labels, a language model that has read much is worth much.
# - Ask what the same model brings **without context**, and what **counting** its text brings.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 1 to 3 and 5 to 8. TagLM takes the top layer only; whether the layers below know something else is lesson 08.
#
# ask: Which control of today will you ask for in the next paper that you read?
#
# expect: "More seeds." Good, too. Those of today: the embedding alone, an untrained one, and counts of the same text.
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## Recap
#
# - A CRF is a softmax over whole paths. The forward algorithm gives its partition function in $T K^2$ steps; Viterbi is the same walk with max, and doors to read backwards.
# - Its gradient is expected minus counted. A loss below 0 is a fault.
# - TagLM joins the frozen top-layer states of a language model to the output of the tagger's first LSTM.
# - With few labels that is worth much. For chunks most of it needs no context, and about half of it no network, only counts of the same text. For names, here, counts bring as much as layer 0, and what the network adds needs context.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss 1
#
# The consultant has never seen a chunk or a name with a label. **Why can a model that only learnt to guess words help with both? And give one kind of task for which you would expect no help.** Four to six sentences.

# %% [markdown] discussion="why_it_helps" points=3
# **Rubric, 3 points.** 1 for: guessing words needs regularities of grammar and meaning (with an example). 1 for the link to few labels: unseen or rare words get states like seen ones. 1 for a task that really does not depend on those regularities, with the reason. 0.5 for "it has seen a lot of data" alone.

# %% [markdown] model_answer="why_it_helps"
# To guess the next word well, a model must know what kind of word can come: after *the* a noun or an adjective, after *flew to* a place, after *has been* a participle. So its states put words together that behave alike, and mark where a phrase can end, although nobody asked for phrases. Chunks and names are cut from just these regularities. A tagger with eighty sentences can then treat a word that it has never seen like one that it has, because the two have similar states. Expect no help where the labels do not depend on anything that helps to guess words. Examples are a company's own arbitrary categories, facts that stand in no text, and a language that the model has not read.

# %% [markdown] slide="subslide"
# ## Discuss 2
#
# A colleague writes: *"Our tagger for drug names is right for 97 % of the words. With the pretrained model it is 97.4 %. We ran it once. Pretraining is not worth it."* **What do you ask, and how would you find out?** Three to five sentences.

# %% [markdown] discussion="is_it_worth_it" points=2
# **Rubric, 2 points.** 1 for spans instead of words (or the comparison with "always O"). 1 for a fair comparison: same labels, several seeds, an interval, or the curve over amounts of labels; two of these for the full point.

# %% [markdown] model_answer="is_it_worth_it"
# Drug names are rare among words, so even a tagger that finds hardly any of them may get 97 %. Ask for precision, recall and F1 of spans, and for the score of a tagger that always writes O. One run each may differ by luck. So train both taggers on the same labelled sentences, for several draws and seeds, and report the difference with its interval. Ask how many labels there were: the gain may lie where labels are few, so draw a curve over 1 %, 10 % and 100 %. Choose the settings on a development set, and open the test set once.

# %% [markdown]
# ## If you have time: spans, by hand
#
# Everything above was judged by the course's F1. Write it yourself; lesson 09 will use yours.

# %% [markdown] exercise="spans_of"
# ### Exercise 9. From labels to spans
#
# Write `spans_of(labels)` for one sentence in BIO. Return a list of tuples `(start, end, kind)`, in the order of the sentence. The kind is all that follows the letter and its hyphen. As in a slice, `end` is one after the last word: `words[start:end]` is the span.
#
# A tagger can also write nonsense: an **I** that continues nothing, or an I of another kind than the span before it. The official program of the CoNLL-2000 task lets such an I **open** a span. Do the same.


# %% exercise="spans_of"
def spans_of(labels):
    """The spans that BIO labels spell, as (start, end, kind)."""
    ### BEGIN SOLUTION
    spans = []
    start, kind = None, ""
    for place, label in enumerate([*labels, "O"]):  # the extra O closes the last span
        if label == f"I-{kind}" and start is not None:
            continue
        if start is not None:
            spans.append((start, place, kind))
        start, kind = (None, "") if label == "O" else (place, label[2:])
    return spans
    ### END SOLUTION


# %% check="spans_of"
check("spans_of", spans_of)

# %% [markdown] hints="spans_of"
# nudge: Go from word to word and remember at most one thing: the span that is open. Which labels let it go on? All others close it.
#
# idea: An open span goes on only at an I of its own kind. At every other label close it; then open a new one unless the label is O. So an I that continues nothing opens a span without a special rule.
#
# outline: Keep `start` (None when nothing is open) and `kind`. Walk over `enumerate([*labels, "O"])`: the extra O closes a span at the end of the sentence. If `start is not None` and the label is `f"I-{kind}"`, continue. Otherwise append `(start, place, kind)` if something is open (`place` is already one after the last word); then set `start` and `kind` for O or for a new span (`label[2:]` is the kind).

# %% [markdown] model_answer="spans_of"
# A span goes on at an I of its own kind and ends at everything else. So an I that continues nothing opens a span without a rule of its own. The extra O closes the last span.

# %%
spans_of = or_reference("spans_of", spans_of)

# %% [markdown] exercise="span_f1"
# ### Exercise 10. Precision, recall and F1
#
# Write `span_f1(gold, predicted)`. Both are lists of sentences, each a list of BIO labels. Count over **all sentences together** and return `(precision, recall, f1)`, numbers from 0 to 1. Where there is nothing to divide by, the number is 0. You may call your `spans_of`.


# %% exercise="span_f1"
def span_f1(gold, predicted):
    """Precision, recall and F1 of whole spans."""
    ### BEGIN SOLUTION
    correct = there = found = 0
    for true, said in zip(gold, predicted, strict=True):
        true_spans = set(map(tuple, spans_of(true)))
        my_spans = set(map(tuple, spans_of(said)))
        correct += len(true_spans & my_spans)
        there += len(true_spans)
        found += len(my_spans)
    precision = correct / found if found else 0.0
    recall = correct / there if there else 0.0
    f1 = 2 * precision * recall / (precision + recall) if correct else 0.0
    return precision, recall, f1
    ### END SOLUTION


# %% check="span_f1"
check("span_f1", span_f1)

# %% [markdown] hints="span_f1"
# nudge: A span counts as a whole: start, end and kind must agree. You need three counts of spans: right ones, predicted ones, and those that are there. Everything else is division.
#
# idea: For one sentence, put both lists of spans into sets; `&` gives those in both. Add the three counts up over the sentences, and divide once at the end. Precision divides by what was predicted, recall by what is there.
#
# outline: Loop over `zip(gold, predicted, strict=True)`. `correct += len(set(spans_of(a)) & set(spans_of(b)))`, and the two lengths. `precision = correct / found if found else 0.0`, recall likewise. F1 is `2 * precision * recall / (precision + recall)`, and 0 when nothing is correct.

# %% [markdown] model_answer="span_f1"
# The three counts run over all sentences, and each division is done once. The intersection of the sets counts a span as right only if start, end and kind agree.

# %%
span_f1 = or_reference("span_f1", span_f1)
test_labels = [to_bio(sentence.labels) for sentence in heard.test]
said = [to_bio(row) for row in tagger.predict(heard.test)]
precision, recall, f1 = span_f1(test_labels, said)
print(f"The tagger with the top layer: precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}")

# %% [markdown]
# ## If you have time: what does the work?
#
# A good paper takes its own machine apart. So do our stored runs, for chunks; each bar is a difference in points of F1, seed by seed. Five seeds with 1 % of the labels, three with 10 %.

# %%
report.print_without_floors()
report.taken_apart("What changes when a part is moved or left out (stored)")

# %% [markdown]
# - **Where to join.** For names (CoNLL-2003) the paper has 91.55 at the input, **91.93** after the first LSTM, 91.72 after the second (Table 5). For ours, the input is level with the first LSTM with 1 % of the labels, and a little ahead with 10 %. The place after the second, where no LSTM is left to read the remarks, is clearly worse.
# - **One direction or both, big or small.** In the paper both directions add 0.22 to 0.27 points to the forward one, and the large one (perplexity 30.0) 0.26 to 0.31 to the small (Table 6). Perplexities of other texts and vocabularies, ours for one, cannot be set beside these.
# - **Is the tagger's own bidirectional LSTM needed at all?** Let the consultant decide alone: only her states, a dense layer and the CRF. In the paper that is worse than no language model (88.17 against 90.87, names, all labels). Ours, with few labels, are far ahead of no language model even so.
# - **The CRF.** With a softmax for each word in its place, about a point is lost. Now keep that softmax and give its decoding the rules: Viterbi, with nothing learnt between labels. With 1 % of the labels the CRF is then 0.2 ahead (−0.5 to 0.9), with 10 % 0.2 (−0.3 to 0.7): no clear difference. The rules alone bring back 1.1 points (0.7 to 1.6), and 0.9 (0.8 to 1.1): the point is theirs, not that of the learnt transitions.

# %% [markdown]
# ## Further reading
#
# - The TagLM paper, section 3.3, for the questions just above; it also carries a news language model over to scientific text, where it still helps (49.93 to 54.05 F1 on the development set).
# - The network that a task put over its word vectors did not have to be an LSTM. Others slid a convolution over the words: to sort sentences (Kim 2014, arXiv:1408.5882), to translate (Gehring and others 2017, arXiv:1705.03122), and, with self-attention, to answer questions (QANet, Yu and others 2018, arXiv:1804.09541).
# - Lafferty, McCallum and Pereira, *Conditional Random Fields*, ICML 2001: where the layer comes from.
# - In the package: `elmo_mini/models/crf.py`, `elmo_mini/tagging/constrained_crf.py`, `elmo_mini/tagging/spans.py`, `elmo_mini/models/taglm.py`; the stored experiments are `python -m course.taglm.experiments`.
#
# Next: **06 · from characters.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Is a CRF still used?* With strong contextual vectors its advantage shrinks; BERT's paper tags names with a softmax for each word and no CRF. *Do the LM states of word k not give away word k?* They contain it, and nothing is wrong with that: the tagger is meant to see the word; only the language model's own loss must not. *Are the two language models one?* In the paper they are two separate models that share nothing; ours, like ELMo's, shares its character layer and its softmax between the directions. *Why not train the consultant, too?* That is fine-tuning, lesson 11.
