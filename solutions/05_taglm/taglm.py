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
# # 05 · TagLM
#
# Labels cost money, text is free. In 2017 four researchers let a language model that had read only free text look over the shoulder of a network that labels words. Here you build that network, its last layer by hand, and measure what the second reader is worth when labels are few.

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("05")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - write phrases and names as one label for each word, read them back, and score a tagger by whole spans,
# - say why a word's label depends on its neighbour's, and score a whole path of labels,
# - sum over all paths in log space, and find the best one: the two algorithms inside a CRF,
# - join the states of a frozen language model to a tagger, where the paper joins them,
# - say how much this helps with 1 %, 10 % and 100 % of the labels, and how sure that is.
#
# ## The paper
#
# **TagLM**: Peters, Ammar, Bhagavatula and Power, *Semi-supervised sequence tagging with bidirectional language models*, ACL 2017, arXiv:1705.00108. Section 2 is the model; Tables 1, 2, 5 and 6 come up below. The name stands for *language-model-augmented sequence tagger*. (Some pages on the web write *Tagged Language Model*. Nothing is tagged in the language model.)
#
# The lesson takes about three hours with everything in it. Short of time? Exercises 2, 4, 5 and 7 are the spine, and the lesson goes on without the others.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B$ | sentences in a batch | $e_{t,k}$ | emission: how much word $t$ likes label $k$ |
# | $T$ | words in a sentence | $A_{j,k}$ | transition: how well label $k$ follows label $j$ |
# | $K$ | labels | $a_k$, $b_k$ | how well a sentence starts, or ends, with $k$ |
# | $y_t$ | the label of word $t$ | $Z$ | the sum over all paths |

# %% [markdown] instructor=true
# **Instructor.** Timing for 90 minutes: sections 1 and 2, 20 minutes; sections 3 to 5 are the heart, 40; section 6 can be read at home; 7 to 10, 25. For 45 minutes: show exercises 1, 3 and 6 solved, let them do 4 and 7, and draw the trellis of section 3 on the board before anybody types. Students get stuck in exercise 4 on the axis of the sum: make them say aloud "from, to" for shape (B, from, to). Exercise 5 is exercise 4 with max for logsumexp, plus the walk back; say so.

# %%
import itertools
import math
import re
import textwrap

import numpy as np
import torch

from autograde import calibration, check, or_reference, outcome, predict
from elmo_mini import corpora
from elmo_mini.figures.trellis import trellis
from elmo_mini.results.intervals import interval
from elmo_mini.results.stored import stored_result
from elmo_mini.tagging import data
from elmo_mini.tagging.constrained_crf import END, START
from elmo_mini.tagging.spans import to_bio

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% [markdown] slide="slide"
# ## 1. One label for every word
#
# Take a page and two coloured pens. Mark every person yellow and every place green. You have just done **named-entity recognition**. Mark every small group of words that belongs together (*the old man*, *has been waiting*, *at*), and you have done **chunking**. A computer gets no pens. It writes one label beside each word. This is called **sequence labelling**, and the program is a **tagger**.
#
# Here are sentences that a language model wrote and labelled for this course. No native speaker has read them.

# %%
names = {part: data.entities(part) for part in ("train", "dev", "test")}
for sentence in names["train"][:2]:
    for word, label in zip(sentence.words, to_bio(sentence.labels), strict=True):
        print(f"{word:>14}  {label}")
    print()

# %% [markdown]
# Why **B** and **I**, and not the colour alone? Because two marks can touch. *She gave Anna Berger Ben's book*: two persons, side by side. **B** says that a span begins here, **I** that it goes on, **O** that the word is outside. The scheme is called **BIO**.

# %% [markdown] exercise="spans_of"
# ### Exercise 1. From labels to spans
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

# %% [markdown] slide="slide"
# ## 2. How good is a tagger?
#
# Before you build one, a warning. Here is the laziest tagger in the world: it writes **O** beside every word.

# %%
predict(
    "lazy", "On the course's sentences, which percentage of words does it label right?", unit="%"
)

# %%
spans_of = or_reference("spans_of", spans_of)

gold = [to_bio(sentence.labels) for sentence in names["test"]]
lazy = [["O"] * len(labels) for labels in gold]


def token_accuracy(gold, predicted):
    """Share of words with the right label, in percent."""
    pairs = [pair for a, b in zip(gold, predicted, strict=True) for pair in zip(a, b, strict=True)]
    return 100 * sum(g == p for g, p in pairs) / len(pairs)


print(f"{sum(map(len, gold)):,} words, {sum(len(list(spans_of(labels))) for labels in gold)} names")
outcome("lazy", token_accuracy(gold, lazy), unit="%")

# %% [markdown]
# It has found nobody and nothing, and still gets a mark that sounds respectable. So we count **spans**, and a span is right only if start, end and kind are right:
#
# - **precision**: of the spans that were predicted, the share that is right,
# - **recall**: of the spans that are there, the share that was found,
# - **F1**: their harmonic mean, $2PR / (P + R)$, which stays near the smaller of the two.

# %% [markdown] exercise="span_f1"
# ### Exercise 2. Precision, recall and F1
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

# %% slide="subslide"
span_f1 = or_reference("span_f1", span_f1)


def one_word_short(labels):
    """Every span of two words or more loses its last word."""
    short = list(labels)
    for start, end, _ in spans_of(labels):
        if end - start > 1:
            short[end - 1] = "O"
    return short


taggers = {
    "writes O": lazy,
    "stops a word short": [one_word_short(labels) for labels in gold],
    "calls everything a person": [[re.sub("-.*", "-PER", x) for x in labels] for labels in gold],
}
plots.bars(
    list(taggers),
    {
        "words right": [token_accuracy(gold, labels) for labels in taggers.values()],
        "F1 of spans": [100 * span_f1(gold, labels)[2] for labels in taggers.values()],
    },
    title="Three bad taggers, two ways to mark them",
    ylabel="percent",
)

# %% [markdown]
# The share of words looks respectable for all three. The spans say that something is wrong. From here on, F1 means F1 of spans.

# %% [markdown] slide="slide"
# ## 3. Labels depend on labels
#
# You plan a walk of several days. For each night you choose a hut. Every hut has a comfort, and every path from one hut to the next has a beauty. The best walk is **not** the list of the most comfortable huts: two of them may have a swamp between them.
#
# A tagger has the same problem. Each word has its favourite label. But *I-LOC* right after *O* is a swamp. Look at *in New York today*. The word *New* is mostly an ordinary adjective, so it leans to O. *York* leans to I-LOC, because it has mostly been seen inside *New York*.

# %%
words = ["in", "New", "York", "today"]
labels = ["O", "B-LOC", "I-LOC"]
emissions = torch.tensor([[[3.0, 0.0, 0.0], [1.5, 1.0, 0.0], [0.0, 1.2, 2.0], [3.0, 0.0, 0.0]]])
transitions = torch.tensor(  # from a row, to a column
    [[0.5, 0.5, -4.0], [0.0, -1.0, 1.0], [0.0, -1.0, 0.0]]
)
start = torch.tensor([0.0, 0.0, -4.0])
end = torch.zeros(3)
mask = torch.ones(1, 4, dtype=torch.bool)

alone = emissions[0].argmax(-1).tolist()
trellis(
    emissions[0].numpy(),
    words,
    labels,
    {"each word on its own": alone},
    title="Emissions (stronger shade: higher); at the line, transitions",
    transitions=transitions.numpy(),
)

# %% [markdown] slide="subslide"
# A **conditional random field** (CRF) scores the whole walk. The score of a path of labels $y$ is
#
# $$s(y) = a_{y_1} + \sum_{t=1}^{T} e_{t,y_t} + \sum_{t=2}^{T} A_{y_{t-1},\,y_t} + b_{y_T}$$
#
# The emissions come from a network that reads the sentence. The transitions are a table of $K \times K$ numbers, learnt with everything else, and the same at every place. `transitions[j, k]` is for label $k$ right **after** label $j$.

# %% [markdown] exercise="path_score"
# ### Exercise 3. The score of a path
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

# %% [markdown]
# How many paths are there? Each word may have any label, so the choices multiply. Take 20 labels and 24 words. (A sentence of CoNLL-2000, the text of section 7, has 24 words on average; how many labels its chunks need is printed there.)

# %%
predict(
    "paths",
    "20 labels, 24 words: the number of paths is a number with how many digits?",
    unit="digits",
)

# %%
outcome("paths", len(str(20**24)), unit="digits")

# %% slide="subslide"
path_score = or_reference("path_score", path_score)

every_path = torch.tensor(list(itertools.product(range(3), repeat=4)))  # (81, 4)
many = (emissions.expand(81, -1, -1), every_path, mask.expand(81, -1))
scores = path_score(*many, transitions, start, end)
best = scores.argsort(descending=True)[:5]
plots.bars(
    [" ".join(labels[k] for k in every_path[i].tolist()) for i in best.tolist()],
    {"score": scores[best].numpy()},
    title="in New York today: the five best of all 81 paths",
    ylabel="score s(y)",
)

# %% [markdown]
# With four words and three labels we can walk every path, and the best one is the one you would choose. To **learn**, the network needs more than the best path: it needs a probability. As in a softmax, take the exponential of each score and divide by the sum over **all** paths:
#
# $$p(y) = \frac{e^{s(y)}}{Z}, \qquad Z = \sum_{\text{all paths } y'} e^{s(y')}, \qquad \text{loss} = -\log p(y_{\text{gold}}) = \log Z - s(y_{\text{gold}})$$
#
# A softmax over whole paths. But nobody can walk a number of paths with that many digits.

# %% [markdown] slide="slide"
# ## 4. The sum over all paths
#
# Back to the huts. On the evening of day $t$ you stand in hut $k$. However you came, the rest of the walk does not care. So all the ways that lead here can be put into **one number**: the sum of their exponentials. Its logarithm is called $\alpha_t(k)$. The next day needs only the numbers of today:
#
# $$\alpha_1(k) = a_k + e_{1,k} \qquad\quad \alpha_t(k) = e_{t,k} + \log \sum_{j} e^{\,\alpha_{t-1}(j) + A_{j,k}} \qquad\quad \log Z = \log \sum_k e^{\,\alpha_T(k) + b_k}$$
#
# $K^2$ steps a day instead of $K$ times as many walks each day. It is called the **forward algorithm**.

# %% slide="subslide"
lengths = np.arange(1, 31)
plots.curves(
    lengths,
    {
        "all paths, one by one": (2.0 * lengths + 1) * 20.0**lengths - 1,
        "forward algorithm": 2 * 20.0**2 * (lengths - 1) + 3 * 20 - 1,
    },
    title="Additions for a sentence, 20 labels",
    xlabel="words",
    ylabel="number",
    log_y=True,
)

# %% [markdown]
# (Counted are the additions of scores and those under the logarithm. For one word the two ways are the same.)
#
# Why stay in logarithms all the way? The 32-bit numbers that this lesson computes with end at about $e^{88}$, and those of 64 bits at $e^{709}$. Beyond lies infinity, and the gradient of infinity is no number. `torch.logsumexp` takes the largest score out first and never leaves the safe region.

# %%
tall = torch.tensor([1000.0, 999.0])
print("log of the sum of exp, by hand:", tall.exp().sum().log().item())
print("torch.logsumexp:               ", torch.logsumexp(tall, 0).item())

# %% [markdown] exercise="log_partition"
# ### Exercise 4. The sum over all paths, in log space
#
# Write `log_partition(emissions, mask, transitions, start, end)` with the shapes of exercise 3. Return $\log Z$ of each sentence, a tensor of shape (B,) that autograd can follow back.
#
# The sentences of a batch differ in length. When a sentence has ended, its $\alpha$ stands still while the others go on. Scores may be as large as 1000, and a forbidden transition is −10,000: the sum **and its gradient** must stay numbers. And do not walk over every path: with ten labels seven words have ten million.


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

# %% slide="subslide"
log_partition = or_reference("log_partition", log_partition)

clever = log_partition(emissions, mask, transitions, start, end).item()
by_walking = torch.logsumexp(scores, 0).item()
print(f"log Z from all 81 paths: {by_walking:.6f}; by the forward algorithm: {clever:.6f}")
print(f"probability of the best path: {math.exp(scores.max().item() - clever):.0%}")

# %% [markdown]
# One more thing comes for nothing. Move one emission up a little: $\log Z$ rises by exactly the share of paths, weighted by their probability, that go through this point. So the **gradient of $\log Z$** holds, for every word and label, the probability of that label given the whole sentence. Autograd walks back through your loop and does what textbooks call the backward algorithm.

# %% slide="subslide"
leaf = emissions.clone().requires_grad_()
(chances,) = torch.autograd.grad(log_partition(leaf, mask, transitions, start, end).sum(), leaf)
plots.table(
    chances[0].numpy(),
    words,
    labels,
    title="Probability of each label, from the gradient of log Z",
)

# %% [markdown]
# Compare *New* with its emissions above. On its own it leaned to O. With its neighbour *York* it is more probably the beginning of a place. Each word is judged together with all the others.

# %% [markdown] slide="slide"
# ## 5. The best path
#
# To **use** the tagger you want one answer: the path with the highest score. The same walk does it, with one change. Keep for each hut not the sum over all ways, but the **best** way, and write on the door which hut it came from. On the last evening take the best hut and read the doors backwards. This is **Viterbi's algorithm**.

# %% [markdown] exercise="viterbi"
# ### Exercise 5. The best path
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

# %% slide="subslide"
viterbi = or_reference("viterbi", viterbi)

(path,), (score,) = viterbi(emissions, mask, transitions, start, end)
trellis(
    emissions[0].numpy(),
    words,
    labels,
    {"each word on its own": alone, "Viterbi": path},
    title="The best walk is not the list of the best huts",
    transitions=transitions.numpy(),
)

# %% [markdown]
# The two lines are drawn side by side, so that both can be seen where they go the same way. Each cell shows its emission, each line the transitions it walks. The lazy walk pays −4.0 for going from *O* to *I-LOC*.

# %% [markdown] slide="slide"
# ## 6. Which label may follow which
#
# The paper labels in **BIOES**. Two letters are new: **E** for the last word of a span, **S** for a span of a **single** word. So a span of three words is B I E, of two B E, of one S. The letters say more about where a word stands, and the rules are stricter: what B opened must be closed by E. A CRF can learn such rules from data. With few labels it is safer to tell it: every forbidden transition gets a score of −10,000.

# %% [markdown] exercise="may_follow"
# ### Exercise 6. Which label may follow which
#
# Write `may_follow(before, after)` for BIOES labels such as `"B-NP"` or `"O"`. Return True if `after` may stand right behind `before`.
#
# `before` can also be `"<start>"`, the place before the first word, and `after` can be `"<end>"`, the place after the last. A sentence without words is allowed: `"<start>"`, then `"<end>"`. A kind may hold a hyphen, as in `"B-NON-GPE"`.


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

# %% slide="subslide"
may_follow = or_reference("may_follow", may_follow)

few_labels = ["O", "B-PER", "I-PER", "E-PER", "S-PER", "B-LOC", "E-LOC"]
rows, columns = [START, *few_labels], [*few_labels, END]
plots.table(
    np.array([[float(may_follow(before, after)) for after in columns] for before in rows]),
    rows,
    columns,
    title="1: the column may follow the row; 0: it must not",
    form="{:.0f}",
)

# %% [markdown] slide="slide"
# ## 7. A tagger with few labels
#
# Now the network that makes the emissions. A hospital wants to find every drug and every dose in its records. It has millions of records. But each **labelled** record costs a doctor's evening. Law firms and banks have the same bill. So the question of this lesson is: how far do you get with few labels?
#
# Our task is **CoNLL-2000**: sentences from the Wall Street Journal, cut into chunks. We pretend that only 1 % of the training sentences have labels.

# %%
LIVE_TEST = 200
try:
    pool, test = data.chunking("train"), data.chunking("test")[:LIVE_TEST]
    labelled, dev = data.few(pool, 0.01, seed=0), data.chunking("dev")[:40]
    task = "chunks, 1 % of the labels"
    print(f"CoNLL-2000: {len(pool):,} training sentences, of which {len(labelled)} keep labels.")
    print(f"{len(dev)} more labelled sentences choose the best pass; {len(test)} are for the test.")
except corpora.CorpusMissing:
    labelled, dev, test = names["train"][:80], names["dev"], names["test"]
    task = f"names, {len(labelled)} sentences"
    print(
        "CoNLL-2000 is not on this machine. The taggers that are trained here learn from "
        f"{len(labelled)} of the course's own sentences with names instead. "
        "The stored results below are for CoNLL-2000."
    )
different = {label for sentence in labelled for label in sentence.labels}
print(f"They use {len(different)} different labels. The first sentence begins:")
for word, label in list(zip(labelled[0].words, labelled[0].labels, strict=True))[:9]:
    print(f"{word:>14}  {label}")

# %% [markdown] slide="subslide"
# The network has two floors. Each is a **bidirectional LSTM**: one reads from left to right, one from right to left, and their states are put side by side. Below them, every word comes in as a vector of its own, together with a small convolution over its letters, so that *-ing* and *-s* can help with words that were never seen. Above them, a dense layer makes $K$ emissions for each word, and the CRF takes over. All of it starts at random and is trained on the labelled sentences, with the loss $\log Z - s(y_{\text{gold}})$ that you built.
#
# This was the ordinary way until 2017: word vectors could come from outside, but whatever reads the *sentence* started from nothing for every task. (There were forerunners, as lesson 04 told.)

# %%
from elmo_mini.tagging.taglm import TaggerOptions
from elmo_mini.tagging.training import TaggerTrainingOptions, f1_on, train_tagger

LIVE = TaggerTrainingOptions(
    epochs=10, patience=10, batch_size=8, learning_rate=6e-3, progress=True
)

alone_tagger = train_tagger(labelled, dev, TaggerOptions(lm_position="none"), LIVE)
f1_alone = 100 * f1_on(alone_tagger.tagger, test).f1
print(f"Without a language model: F1 {f1_alone:.1f} on {len(test)} test sentences ({task}).")

# %% slide="subslide"
between, first, last = alone_tagger.tagger.crf.scores()
learnt = alone_tagger.tagger.labels
kind = "NP" if "B-NP" in learnt else "PER"
shown = [label for label in ("O", *(f"{x}-{kind}" for x in "BIES"), "S-VP") if label in learnt]
at = [learnt.index(label) for label in shown]
picked = between.detach().numpy()[np.ix_(at, at)]
plots.table(
    np.where(picked < -1000, -np.inf, picked),
    shown,
    shown,
    title="Learnt transitions: from the row to the column (-inf: forbidden)",
)

# %%
with torch.no_grad():
    heard = alone_tagger.tagger(alone_tagger.tagger.batch(test[:20]))
print(
    f"typical size of an emission {heard.std():.2f}, of a transition {picked[picked > -1000].std():.2f}"
)

# %% [markdown]
# Read a row as *after this label*. The rules of BIOES do the forbidding. What the tagger has learnt on top is small beside the emissions: eighty sentences do not teach many habits of labels, and the two LSTMs already look at the neighbours.

# %% [markdown] slide="slide"
# ## 8. The language consultant
#
# Imagine you sort letters in a country whose language you began to learn last week. You have seen eighty sorted letters. Beside you sits somebody who has read whole libraries in that language. She knows nothing about your sorting, and she will never learn it. But for every word she can tell you: *from what comes before, I expected this sort of word; from what comes after, that sort.* You write her remarks beside your own notes, and then decide.
#
# She is the **language model**. She has read text without labels, and she is **frozen**: her weights do not change while you learn. Her remarks are her states. For word $k$ the forward model has read up to and including word $k$, the backward model from the end back to word $k$:
#
# $$h^{LM}_k = [\overrightarrow{h}^{LM}_k ;\; \overleftarrow{h}^{LM}_k]$$
#
# Where do the remarks go? Many summaries say: into the input. The paper says (equation 3): beside what the **first floor** gives,
#
# $$h_{k,1} = [\overrightarrow{h}_{k,1} ;\; \overleftarrow{h}_{k,1} ;\; h^{LM}_k]$$
#
# and the second floor reads both.

# %% slide="subslide"
from elmo_mini.figures.diagrams import Arrow, Box, boxes_and_arrows

LEARNT, FROZEN = "learnt from labels", "frozen, learnt from text without labels"
sentence = ["Maria", "flew", "to", "Oslo"]
answer = ["S-PER", "O", "O", "S-LOC"]
boxes, arrows = [], []
for place, (word, label) in enumerate(zip(sentence, answer, strict=True)):
    x = 2.0 * place
    boxes += [
        Box(word, x, 0.0),
        Box(f"floor 1 {word}", x - 0.46, 1.0, LEARNT, "floor 1"),
        Box(f"LM states {word}", x + 0.46, 1.0, FROZEN, "LM states"),
        Box(f"floor 2 {word}", x, 2.1, LEARNT, "floor 2", 1.2),
        Box(f"label {label} of {word}", x, 4.1, "", label),
    ]
    arrows += [
        Arrow(word, f"floor 1 {word}"),
        Arrow(word, f"LM states {word}"),
        Arrow(f"floor 1 {word}", f"floor 2 {word}"),
        Arrow(f"LM states {word}", f"floor 2 {word}"),
        Arrow(f"floor 2 {word}", "CRF"),
        Arrow("CRF", f"label {label} of {word}"),
    ]
boxes.append(Box("CRF", 3.0, 3.1, LEARNT, "dense layer and CRF", 6.8))
boxes_and_arrows(boxes, arrows, title="TagLM for names", height=4.4, width=7.6)

# %% [markdown]
# Every word has LM states of its own: one from the forward model and one from the backward model. Not drawn are the ways along the sentence: both floors and both language models also read the neighbours.

# %% [markdown] exercise="with_lm"
# ### Exercise 7. Where the language model joins
#
# Write `with_lm(words, lm, first, second, position)`. `words` (B, T, D) are the word vectors, `lm` (B, T, L) the states of the frozen language model. `first` and `second` are the two floors; call them like functions: `first(vectors)` takes (B, T, anything) and gives (B, T, H).
#
# `position` says where the LM vectors are joined, after the vectors that are there:
#
# - `"input"`: to the word vectors,
# - `"after_first"`: to the output of the first floor, as in the paper,
# - `"after_second"`: to the output of the second floor,
# - `"none"`: nowhere.
#
# Return what comes out at the top. Call a floor only with what it gets at this `position`: a floor of the network takes vectors of one width only.


# %% exercise="with_lm"
def with_lm(words, lm, first, second, position):
    """Two floors, with the LM vectors joined at one place."""
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
# The states of the language model are joined at one place, and nothing else changes. With `"none"` they are joined nowhere: that is the tagger without a language model.

# %% [markdown] slide="subslide"
# Our consultant is the course's own language model. It is small, and it has read a few million words; lessons 06 and 07 build it, from its letters to its two directions. Here it is a black box that turns a sentence into one vector for each word. We take its **top layer**, as TagLM does.
#
# Same sentences, same network, same number of steps. Only the second floor sees more.

# %%
predict("gain", "How many points of F1 will the frozen language model add?", unit="points")

# %%
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT, load_pretrained, read_record
from elmo_mini.tagging import taglm

taglm.with_lm = or_reference("with_lm", with_lm)  # the network below uses your function

consultant = load_pretrained()
labelled, dev, test = (data.with_lm_vectors(consultant, part) for part in (labelled, dev, test))
print(f"{labelled[0].lm.shape[1]} numbers for each word, half of them from each direction")

helped_tagger = train_tagger(labelled, dev, TaggerOptions(), LIVE)
f1_helped = 100 * f1_on(helped_tagger.tagger, test).f1
outcome("gain", f1_helped - f1_alone, unit="points")

# %% slide="subslide"
plots.curves(
    np.arange(1, LIVE.epochs + 1),
    {
        "without": [100 * f for f in alone_tagger.dev_f1],
        "with the language model": [100 * f for f in helped_tagger.dev_f1],
    },
    title=f"Learning from {len(labelled)} sentences, live, one seed ({task})",
    xlabel="passes over the labelled sentences",
    ylabel="F1 on dev, percent",
)

# %% [markdown]
# One seed and eighty sentences prove little. So the same was done with several seeds, with three amounts of labels, and on the whole test set.

# %% [markdown] slide="slide"
# ## 9. One, ten, a hundred percent
#
# With 1 % and 10 % of the labels, the labelled part is drawn anew for each seed. With 100 % there is nothing to draw: the seed decides only the start values and the order of the sentences. Both taggers of a seed get the same sentences. There are five seeds or three; the printed lines say how many. As many labelled sentences again, at most 400, choose the best pass: these labels are not counted in the percentages below.

# %%
predict(
    "with_more_labels",
    "With more and more labels, the gain from the language model ...",
    options=["grows", "stays about the same", "shrinks"],
)

# %% slide="subslide"
STORED = stored_result("taglm_chunking")
print(STORED)
chunks = STORED.numbers
shares, f1 = chunks["shares"], chunks["f1"]


def percent(points, key="mean"):
    """One number of each interval, in percent."""
    return 100 * np.array([point[key] for point in points])


plots.curves(
    100 * np.array(shares),
    {f"{name} the language model": percent(f1[name]) for name in ("without", "with")},
    bands={
        f"{name} the language model": (percent(f1[name], "low"), percent(f1[name], "high"))
        for name in ("without", "with")
    },
    title="Chunking, whole test set (stored)",
    xlabel="percent of the training sentences with labels",
    ylabel="F1, percent",
    log_x=True,
)

# %%
gain = chunks["gain"]
for share, point in zip(shares, gain, strict=True):
    low, middle, high = (100 * point[key] for key in ("low", "mean", "high"))
    print(
        f"{share:>4.0%} of the labels, {len(point['values'])} seeds: "
        f"{middle:4.1f} points more ({low:.1f} to {high:.1f})"
    )
if abs(percent(gain)[-1] - percent(gain)[0]) <= 1:
    trend = "stays about the same"
else:
    trend = "grows" if percent(gain)[-1] > percent(gain)[0] else "shrinks"
outcome("with_more_labels", trend)

# %% [markdown] slide="subslide"
# ### Is it the text, or the context?
#
# A doubt. The language model has read millions of words, and our tagger's word vectors start at random. Perhaps any knowledge from that text would do, for example the static vectors of lesson 01? The control is simple: train skip-gram on the **same text** that the language model has read, and let the tagger start from those vectors. Then add the language model to that tagger as well.

# %%
predict(
    "static_share",
    "1 % of the labels: what share of the language model's gain do static vectors alone give?",
    unit="%",
)

# %% slide="subslide"
sources = {
    "static vectors": chunks["gain of static word vectors alone"],
    "language model": gain,
    "language model on top": chunks["static gain"],
}
for name, points in sources.items():
    print(f"{name}, seeds:", ", ".join(str(len(point["values"])) for point in points))
plots.bars(
    [f"{100 * share:g} % of labels" for share in shares],
    {name: percent(points) for name, points in sources.items()},
    errors={
        name: np.array(
            [
                percent(points) - percent(points, "low"),
                percent(points, "high") - percent(points),
            ]
        )
        for name, points in sources.items()
    },
    title="Gains, all paired by seed (stored)",
    ylabel="points of F1",
)

# %%
outcome("static_share", 100 * sources["static vectors"][0]["mean"] / gain[0]["mean"], unit="%")

# %% [markdown]
# The first bar is what a table of words can carry over from the text. The second is what the language model carries over. The third is what it still adds to a tagger that starts from the table. Its whiskers stay above zero with every number of labels: the states in context hold something that the table does not. With all labels the table alone gives nothing that its whiskers could tell from zero.

# %% [markdown] slide="subslide"
# ### Beside the paper
#
# The authors report the same kind of gain: chunking with all labels from 95.00 ± 0.08 to 96.37 ± 0.05 F1 (Table 2). With 1 % of the labels they measured names, not chunks: from 67.66 to 71.01, where all labels give 90.87 to 91.93 (section 3.3 and Table 1).

# %% slide="subslide"
print("paper: quoted, TagLM section 3.3 and Tables 1 and 2; ours: stored")
paper = {"names, 1 %": 71.01 - 67.66, "names, all": 91.93 - 90.87, "chunks, all": 96.37 - 95.00}
ours = {f"chunks, {100 * share:g} %": g for share, g in zip(shares, percent(gain), strict=True)}
blank = math.nan
plots.bars(
    [name.replace(", ", ",\n") for name in (*paper, *ours)],
    {
        "ours": [*(blank for _ in paper), *ours.values()],
        "the paper": [*paper.values(), *(blank for _ in ours)],
    },
    title="What a frozen language model adds: the paper's gains and ours",
    ylabel="points of F1",
)

# %%
most = {name: 100 * points[-1]["mean"] for name, points in f1.items()}
print(
    f"{100 * shares[-1]:g} % of the labels, ours: "
    f"{most['without']:.2f} without, {most['with']:.2f} with."
)
print("All labels, the paper: 95.00 without, 96.37 with.")
record = read_record(COURSE_CHECKPOINT)
print(f"Our language model has read this, {record['epochs']:g} times over:")
for source in record["sources"]:
    print(f"{source['tokens']:>12,}  {source['title']}")
tested = record["validation"]
print(
    f"Perplexity forward {tested['forward']:.0f}, backward {tested['backward']:.0f}, at "
    f"{record['softmax_words']:,} words; {record['unknown_in_validation']:.1%} of the text are others."
)
print("The paper's best pair: forward 30.0, backward 47.3, at about 793,000 words.")
print("Other text, other words: by the rule of lesson 03 the two cannot be compared.")

# %% [markdown]
# Do not read the two sets of bars as a race. They differ in almost everything:
#
# - **The consultant.** Theirs has read about 800 million words of news; one of its models was trained for three weeks on 32 GPUs (their section 3). Ours has read the few million words that are listed above: film reviews, old novels, speeches, and a sample of recent English. CoNLL-2000 is from the Wall Street Journal.
# - **The learner.** Their tagger starts with word vectors that were themselves learnt from a large text, and has 200 LSTM units in each direction (their section 3). Ours starts its word vectors at random and has 64. The less a tagger knows on its own, the more there is to add.
# - **The task.** Names and chunks are different things to look for, so their 1 % and ours measure different gaps.
#
# What can be compared is the direction: in their numbers and in ours, the gain with 1 % of the labels is larger than the gain with all of them.

# %% [markdown] slide="slide"
# ## 10. What does the work?
#
# A good paper takes its own machine apart. We repeat its questions. Our bars are stored runs over three seeds with 10 % of the labels, and over five with 1 %, each seed compared with itself; the whiskers are 95 % intervals.
#
# ### Where to join
#
# The paper tried all three places (Table 5, names): the input 91.55, after the first floor **91.93**, after the second 91.72.

# %%
predict(
    "best_place",
    "Which place is best in our runs?",
    options=["input", "after_first", "after_second", "no clear winner"],
)

# %% slide="subslide"
STORED_POSITION = stored_result("taglm_position")
print(STORED_POSITION)


IN_WORDS = {
    "input": "at the input",
    "after_first": "after the first floor",
    "after_second": "after the second floor",
    "none": "no LM",
}


def gain_bars(points, base, title, paper=None):
    """What each setting has more than `base`, paired by seed, with 95 % intervals."""
    others = [name for name in points if name != base]
    zero = np.array(points[base]["values"])
    gains = [interval(np.array(points[name]["values"]) - zero) for name in others]
    low, middle, high = (percent(gains, key) for key in ("low", "mean", "high"))
    groups = {"ours": middle} | ({"the paper": [paper[name] for name in others]} if paper else {})
    spread = {"ours": np.array([middle - low, high - middle])}
    print(f"{base}: F1 {100 * points[base]['mean']:.2f}, {len(zero)} seeds")
    ylabel = f"points of F1 against: {IN_WORDS.get(base, base)}"
    others = [textwrap.fill(IN_WORDS.get(name, name), 16) for name in others]
    return plots.bars(others, groups, errors=spread, title=title, ylabel=ylabel)


PAPER_PLACES = {"input": 91.55 - 91.93, "after_second": 91.72 - 91.93}
gain_bars(
    STORED_POSITION.numbers["f1"],
    "after_first",
    f"Where to join (stored, {100 * STORED_POSITION.numbers['share']:g} % of labels)",
    paper=PAPER_PLACES,
)


# %%
def best_place(place):
    """The best place, if it beats the second best on the same seeds."""
    ranked = sorted(place, key=lambda name: place[name]["mean"], reverse=True)
    runs = np.array([place[name]["values"] for name in ranked])  # (3, seeds)
    ahead = interval(runs[0] - runs[1])
    print(
        f"{ranked[0]} is ahead of {ranked[1]} by {100 * ahead['mean']:.2f} points "
        f"(95 % interval {100 * ahead['low']:.2f} to {100 * ahead['high']:.2f}, same seeds)."
    )
    return outcome("best_place", ranked[0] if ahead["low"] > 0 else "no clear winner")


best_place(STORED_POSITION.numbers["f1"])

# %% [markdown]
# In the paper the three places lie within 0.38 points of each other. For ours, look at the interval in the last line: if it contains 0, the order of the first two could be luck. In the middle, the second floor can read the consultant's remarks beside the notes of the first floor, and carry both along the sentence. Above the second floor nothing reads the remarks along the sentence any more, and in our runs this place is the worst of the three.
#
# ### One direction or both, big or small
#
# Here are the paper's answers, as gains over the tagger without a language model (Table 6, names).

# %% slide="subslide"
table_6 = {
    "trained on the\nlabelled text": 90.79,
    "forward,\nsmall": 91.40,
    "both,\nsmall": 91.62,
    "forward,\nlarge": 91.66,
    "forward large,\nbackward small": 91.93,
}
print("quoted from the paper, Table 6; the tagger without a language model has 90.87")
plots.bars(
    list(table_6),
    {"gain": [value - 90.87 for value in table_6.values()]},
    title="Which language model? The paper's gains, names, all labels",
    ylabel="points of F1",
)

# %% [markdown]
# The first bar is the most instructive: a language model that has read **only the labelled text** does not help; it hurts a little. So it is not the extra network that helps, it is the extra **reading**. And the LM's quality counts: of the forward models the large one has perplexity 30.0, the small one 47.7. (The 47.3 above belongs to the small backward model.)
#
# And ours: nothing, forward only, both directions.

# %% slide="subslide"
STORED_DIRECTION = stored_result("taglm_direction")
print(STORED_DIRECTION)
share = 100 * STORED_DIRECTION.numbers["share"]
for amount in (STORED_DIRECTION.numbers, STORED_DIRECTION.numbers["with 1 %"]):
    more = amount["gain over forward"]["both"]
    print(
        f"{100 * amount['share']:g} % of labels, {len(more['values'])} seeds: "
        f"the backward model adds {100 * more['mean']:.1f} "
        f"points to the forward one (95 % interval {100 * more['low']:.1f} to "
        f"{100 * more['high']:.1f})"
    )
print("the paper, Table 6, names, all labels: 0.22 to 0.27 points")
gain_bars(STORED_DIRECTION.numbers["f1"], "none", f"Directions (stored, {share:g} % of labels)")

# %% [markdown]
# ### Is the tagger's own network needed at all?
#
# If the consultant is so good, let her decide: no word vectors, no floors, only her states, a dense layer and the CRF. The paper's answer for names: **88.17**, below the 90.87 of the tagger without any language model. Her remarks were never made for this task, and somebody must learn to read them. And the other way round: is the CRF needed, or would a softmax for each word do?

# %% slide="subslide"
STORED_PARTS = stored_result("taglm_without_rnn")
print(STORED_PARTS)
gain_bars(
    STORED_PARTS.numbers["f1"],
    "no LM",
    f"Parts changed (stored, {100 * STORED_PARTS.numbers['share']:g} % of labels)",
)

# %% slide="subslide"
gain_bars(
    STORED_PARTS.numbers["with 1 %"]["f1"], "no LM", "The same with 1 % of the labels (stored)"
)

# %% [markdown]
# The paper asked with all labels. With few of them the comparison turns round: in both figures *LM and no task RNN* is far ahead of *no LM*. A network that starts from nothing has little to learn from, while the language model's states are there from the start. The task's own floors still add something, and so does the CRF: each is worth between one and two points of F1 here.
#
# ### One limit
#
# TagLM asks for the consultant's **top layer** only. Her other layers, and the letters at the bottom, are thrown away. Do they know something that the top does not? This question leads to ELMo, in lesson 08.

# %% [markdown] slide="slide"
# ## 11. Names
#
# The paper's first task was names. Its data, CoNLL-2003, do not come with this course, so the course has sentences of its own: few, made to be tricky, and with test names that never occur as names in training. *Jordan* can be a person or a country. The spelling does not tell; the sentence does.

# %% slide="subslide"
names = {part: data.with_lm_vectors(consultant, names[part]) for part in names}
readers = {
    name: train_tagger(names["train"], names["dev"], options, LIVE).tagger
    for name, options in (
        ("without", TaggerOptions(lm_position="none")),
        ("with", TaggerOptions()),
    )
}
said = {
    name: [to_bio(x) for x in reader.predict(names["test"])] for name, reader in readers.items()
}
print(f"Trained live on {len(names['train'])} sentences, one seed:")
for name, answers in said.items():
    precision, recall, reached = span_f1(gold, answers)
    print(f"  {name:>7}: precision {precision:.2f}, recall {recall:.2f}, F1 {reached:.2f}")

# %%
differ = [i for i, (a, b) in enumerate(zip(said["without"], said["with"], strict=True)) if a != b]


def marked(tokens, labels):
    """The sentence with its spans in brackets."""
    out = list(tokens)
    for first, last, kind in spans_of(labels):
        out[first] = f"[{kind} {out[first]}"
        out[last - 1] += "]"
    return " ".join(out)


for i in differ[:4]:
    tokens = names["test"][i].words
    print(f"   truth: {marked(tokens, gold[i])}")
    for name, answers in said.items():
        print(f" {name:>7}: {marked(tokens, answers[i])}")
    print()

# %% slide="subslide"
STORED_NAMES = stored_result("taglm_ner")
print(STORED_NAMES)
newswire = STORED_NAMES.numbers["newswire"]
added = {
    "the course's sentences": STORED_NAMES.numbers["gain"],
    "newswire (IEER)": newswire["gain over without"]["with"],
}
for name, points in added.items():
    print(f"{name}: {len(points['values'])} seeds")
low, middle, high = (percent(added.values(), key) for key in ("low", "mean", "high"))
plots.bars(
    [
        f"{name}, {n:,} sentences"
        for name, n in zip(
            added,
            (STORED_NAMES.numbers["sentences"]["train"], newswire["sentences"]["train"]),
            strict=True,
        )
    ],
    {"gain": middle},
    errors={"gain": np.array([middle - low, high - middle])},
    title="What the language model adds for names (stored)",
    ylabel="points of F1",
)

# %% [markdown]
# Compare precision and recall of the live run: most of the gain is recall, names that the tagger without help did not find. The help has a price. In our run the tagger *with* also makes *June* and *September* places: what follows *between* looks like a place, and here it is a month.
#
# IEER is a small free set of newswire stories with more kinds of names. The course's test set is smaller still: one name more or less moves F1 by more than a point. The whiskers show the spread over seeds, and not what other sentences would have given.
#
# What does the language model bring to names? To guess the next word after *flew to*, it helps to know that places follow. To guess what comes after a first name, it helps to know that it is one. Nobody asked the model for persons and places. They are useful for guessing words.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"Studies show: with pretraining, 10 to 20 percent of the labels reach 80 to 90 percent of the performance that all labels give."*
#
# The sentence stands in a popular course, twice, without a source. We have the runs to test it. And we have the control that it forgets: the same tagger **without** pretraining.

# %%
predict(
    "ten_percent",
    "Chunking, no language model: F1 with 10 % of the labels, as a percentage of F1 with all?",
    unit="%",
)

# %%
kept = {
    name: [100 * point["mean"] / max(points[-1]["mean"], 1e-9) for point in points]
    for name, points in f1.items()
    if name in ("without", "with")
}
plots.bars(
    [f"{100 * share:g} % of labels" for share in shares],
    {f"{name} the language model": values for name, values in kept.items()},
    title="F1 as a share of the F1 with all labels (stored)",
    ylabel="percent",
)

# %%
outcome("ten_percent", kept["without"][1], unit="%")

# %% [markdown]
# **Measured: the number says little.** Look at the bar *without* at 10 %: it stands far above 80. When a tagger that was never pretrained already keeps such a share, the sentence cannot be the reason for pretraining. A share of the best score sounds like much because the first points are the cheap ones. A fairer question is: how many of the **remaining errors** does the language model remove, with the same labels?

# %%
for share, plain, better in zip(shares, f1["without"], f1["with"], strict=True):
    removed = 100 * (better["mean"] - plain["mean"]) / (1 - plain["mean"])
    print(f"{100 * share:>4g} % of the labels: {removed:.0f} % of the missing F1 is gained")
print(f"the paper, chunks, all labels: {100 * (96.37 - 95.00) / (100 - 95.00):.0f} %")
print(f"the paper, names, 1 %: {100 * (71.01 - 67.66) / (100 - 67.66):.0f} %")
print(f"the paper, names, all: {100 * (91.93 - 90.87) / (100 - 90.87):.0f} %")

# %% [markdown] slide="slide"
# ## Recap
#
# - Spans become one label for each word, BIO or BIOES, and are scored whole: F1 of spans, not token accuracy.
# - A CRF is a softmax over whole paths. Its score adds emissions and transitions.
# - The forward algorithm sums over all paths in $T K^2$ steps, in log space. The gradient of $\log Z$ gives the probability of every label.
# - Viterbi is the same walk with max, and doors to read backwards.
# - TagLM joins the frozen top-layer states of a forward and a backward language model to the output of the tagger's first floor.
# - What it adds comes from reading much text, and it must be judged against the same tagger without it, on the same labels, over several seeds.

# %%
calibration()

# %%
from autograde import progress

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
# ## Further reading
#
# - The TagLM paper, section 3.3, for the questions of our section 10; it also carries a news language model over to scientific text, where it still helps (49.93 to 54.05 F1 on the development set).
# - Lafferty, McCallum and Pereira, *Conditional Random Fields*, ICML 2001: where the layer comes from.
# - In the package: `elmo_mini/tagging/crf.py`, `elmo_mini/tagging/constrained_crf.py`, `elmo_mini/tagging/spans.py`, `elmo_mini/tagging/taglm.py`; the stored experiments are `python -m elmo_mini.experiments.taglm`.
#
# Next: **06 · from characters.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Is a CRF still used?* With strong contextual vectors its advantage shrinks; BERT's paper tags names with a softmax for each word and no CRF. *Do the LM states of word k not give away word k?* They contain it, and nothing is wrong with that: the tagger is meant to see the word; only the language model's own loss must not. *Are the two language models one?* In the paper they are two separate models that share nothing; ours, like ELMo's, shares its letters' layer and its softmax between the directions. *Why not train the consultant along?* That is fine-tuning, lesson 11. *Poll before section 9:* "With all 8,000 sentences, will the gain be more or less than with 80?" The usual wrong answer is "more, because the network can use it better".
