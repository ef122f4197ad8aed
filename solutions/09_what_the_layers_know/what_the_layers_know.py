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
# # 09 · What the layers know, and using them
#
# You have an ELMo. For each token it gives three vectors, one for each layer. What does each of them know? (This lesson reads with the course's copy, which is faster; yours gives the same vectors, as you have shown.) Here you ask the layers with simple tools, learn how such tools can fool you, and then put the layers to work.

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("09")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - ask a frozen layer what it knows, with two probes of your own, one of which you derive and train,
# - tell what the layer knows from what the probe has learnt by heart,
# - find the fault in a probe that looks good,
# - freeze, mix and concatenate: at the input of a task, at its output, at both,
# - judge what learned mixing weights tell, and what they do not,
# - compute what it costs to keep the vectors of a text.
#
# ## The papers
#
# - **ELMo**: Peters and others, *Deep contextualized word representations*, NAACL 2018, [N18-1202](https://aclanthology.org/N18-1202/). Sections 3.3, 5.1 to 5.5; Tables 2, 3, 5 and 6.
# - **Control tasks**: Hewitt and Liang, *Designing and Interpreting Probes with Control Tasks*, EMNLP 2019, [arXiv:1909.03368](https://arxiv.org/abs/1909.03368).
#
# Plan an hour and three quarters, or two hours if you read slowly; the exercises are 70 minutes of that. Short of time? Exercises 1, 3, 4 and 6 are the spine: without 2, 5 and 7 the lesson goes on. Whenever you do them, they count in full. Two sections at the end are for those who have 15 minutes more.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $N, K$ | labelled words, labels | $h_j$ | the vectors of layer $j$; layer 0 is the token layer |
# | $L$ | LSTM layers; with the token layer $L + 1$ | $s_j$ | the share of layer $j$ in a mix: softmax of $w$ |
# | $H$ | numbers of one direction; a vector has $2H$ | $\gamma$ | the factor in front of the mix |
# | $B, T$ | sentences in a batch, tokens in each | $W, b$ | weights and bias of a linear probe |
# | $x$ | a vector that goes in | $\lambda$ | how hard weights are pulled to 0 |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes, for somebody who passes most checks at once: introduction 3; section 1, 14; section 2, 34; section 3, 14; section 4, 10; section 5, 15; section 6, 3; section 7, 10; the myth, 8; recap and discussion, 9: about 120. With hints and second tries add 15. The two sections at the end are 15 more. For 45 minutes: show exercises 2, 3 and 5 solved, let them do 1, 4 and 6, and end with the myth. Before section 3, ask the room what 90 % proves; somebody should say "compared with what?". With the treebank and CoNLL-2000, words are labelled with parts of speech and sentences with chunks; without these corpora, both are labelled with names.

# %%
import time

import numpy as np
import torch

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from elmo_mini.experiments import asked_layers, broken_probes
from elmo_mini.experiments.fifty_sentences import FiftySentences
from elmo_mini.experiments.layer_weights import LayerWeights
from elmo_mini.figures.interval_bars import interval_bars
from elmo_mini.probing.report import stored_points
from elmo_mini.results.intervals import interval, lead
from elmo_mini.results.stored import stored_result
from elmo_mini.vectors.stream import embed_stream

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% [markdown] slide="slide"
# ## 1. Ask the neighbours
#
# A new face at a party. You cannot ask what they do for a living, but you can see whom they stand with. If the three nearest guests are doctors, you would bet on a doctor.
#
# Do the same with vectors. Below is a sentence with *play*, and the sense that it has. Which of the sentences with a known sense stands nearest, at each layer? (This sentence is chosen: the layers differ. The numbers 0 to 14 give you the others.)

# %%
MODELS = asked_layers.trained_and_not()
SENSES = asked_layers.senses(MODELS)
SENSES.show_nearest("play", 12)  # other words: "bank", "spring", "match", with numbers from 0

# %% [markdown]
# That is the simplest **probe**: a small tool that looks at frozen vectors and names a label. This one learns nothing at all. One sentence proves nothing, so let the nearest vote, for 335 sentences with 28 words. (A language model wrote these sentences, and no native speaker has read all of them.)

# %% [markdown] exercise="nearest_labels"
# ### Exercise 1. Ask the neighbours
#
# Write `nearest_labels(known, labels, asked, k)`. `known` is an array (N, 2H), one row for each example, and `labels` the list of their N labels. `asked` is (M, 2H). For each asked vector, take the `k` examples with the largest **cosine** and let them vote. Return a list of M labels.
#
# If two labels have equally many votes, the one whose nearest example is nearer wins. If there are fewer than `k` examples, all of them vote.


# %% exercise="nearest_labels"
def nearest_labels(known, labels, asked, k):
    """The label that most of the k nearest examples have, for each asked vector."""
    ### BEGIN SOLUTION
    unit = known / np.linalg.norm(known, axis=1, keepdims=True)
    found = []
    for similarity in asked @ unit.T:
        nearest = [labels[row] for row in np.argsort(-similarity)[:k]]
        found.append(max(nearest, key=nearest.count))
    return found
    ### END SOLUTION


# %% check="nearest_labels"
check("nearest_labels", nearest_labels)

# %% [markdown] hints="nearest_labels"
# nudge: A cosine is a product of two vectors of length 1. Which of the two lengths can change the order of the examples?
#
# idea: `known / np.linalg.norm(known, axis=1, keepdims=True)` has rows of length 1. One product gives all similarities, (M, N). `np.argsort(-row)[:k]` are the places of the k largest, the nearest first.
#
# outline: For each row of similarities: the labels of the k nearest, in order. Then the label that occurs most often in this list; `max(nearest, key=nearest.count)` takes the first of equals, and the first is the nearest.

# %% [markdown] model_answer="nearest_labels"
# Only the examples need length 1: the length of the asked vector stretches all its similarities alike. The list of votes is in the order of nearness, so the first label with the most votes is the one that the tie rule asks for.

# %%
predict(
    "best_for_senses",
    "Which layer will be best at senses?",
    options=["layer 0", "layer 1", "layer 2", "no clear winner"],
)

# %% slide="subslide"
nearest_labels = or_reference("nearest_labels", nearest_labels)


def senses_right(vectors):
    """Who votes right: the 3 nearest examples of the same word."""
    return SENSES.right_by_word(lambda *known: nearest_labels(*known, 3), vectors)


senses = SENSES.ladder(senses_right)
senses["commonest\nsense"] = SENSES.commonest([o.group for o in SENSES.every])
senses["random vectors\nof words around"] = senses_right(asked_layers.of_neighbours(SENSES.every))
interval_bars(
    list(senses),
    {"right": [SENSES.share(right) for right in senses.values()]},
    title="Two trained layers know more of senses than the words around them tell",
    ylabel="right, percent",
)

# %%
layer_1, layer_2 = (senses[f"trained\nlayer {j}"] * 1.0 for j in (1, 2))
ahead = SENSES.share(layer_2 - layer_1)
print("In points, with the 95 % interval:")
print(
    "  layer 1 minus random vectors:",
    lead(SENSES.share(layer_1 - senses["random vectors\nof words around"])),
)
print("  layer 2 minus layer 1:", lead(ahead))
senseval = stored_result("layers_senseval").numbers["differences"]["layer 2 less layer 1"]
print("  layer 2 minus layer 1, four words of senseval (stored):", lead(senseval))
verdict = "no clear winner" if ahead["low"] <= 0 <= ahead["high"] else "layer 2"
outcome("best_for_senses", verdict if ahead["high"] >= 0 else "layer 1")

# %% [markdown]
# Layer 0 sees no context: it can tell *bank* from *banks*, no more. Untrained layers see the sentence and are hardly better: seeing is not knowing. (Each untrained bar is the mean of two networks.) The control to beat is the last bar. It adds up random vectors of the form and of the words around it; no network, and nothing read. The trained layers 1 and 2 are ahead of it.
#
# Which of the two knows more? Look at the interval of the **difference**, not at two overlapping bars. Our 335 sentences cannot say. On the 1,519 test sentences of senseval, layer 2 is ahead by a little. (Nearly all of that comes from one of the four words, *serve*; the interval draws sentences anew, not words.) In the paper it is ahead, too: 67.4 for layer 1, 69.0 for layer 2 (F1, Table 5); the first sense of the dictionary has 65.9.

# %% [markdown] slide="slide"
# ## 2. Draw a line
#
# A second probe. It may learn, but only a straight cut: a **linear** probe gives each label a score, $x W + b$, and a softmax turns the scores into probabilities. It finds only what the vectors show plainly.
#
# To learn, it must know in which direction to turn. Its loss is the mean surprise plus a small price on large weights. Here $y_n$ is the right label of word $n$, $p_{n,k}$ the probability of label $k$, and $\lambda$ says how hard the weights are pulled to 0:
#
# $$\mathcal{L} = -\frac{1}{N} \sum_{n=1}^{N} \log p_{n, y_n} + \frac{\lambda}{2} \lVert W \rVert^2 \qquad\qquad p_{n,k} = \frac{e^{x_n W_{:,k} + b_k}}{\sum_{m} e^{x_n W_{:,m} + b_m}}$$

# %% [markdown] exercise="probe_gradient"
# ### Exercise 2. The slope of a linear probe (derive it)
#
# First with pen and paper. By how much does $\mathcal{L}$ change when the score of label $k$ for word $n$ moves a little? Two cases: $k$ is the right label $y_n$, or it is not. One formula covers both. From there it is one step to $W$ and one to $b$.
#
# Then write `probe_gradient(x, y, W, b, l2)`. `x` is an array (N, 2H), `y` (N,) holds the numbers of the right labels, `W` is (2H, K), `b` (K,), and `l2` is $\lambda$. Return two arrays: the gradient for `W` and the one for `b`. Scores can be as large as a thousand. Write your formula, without autograd.


# %% exercise="probe_gradient"
def probe_gradient(x, y, W, b, l2):
    """The gradients for W (2H, K) and for b (K,)."""
    ### BEGIN SOLUTION
    scores = x @ W + b
    p = np.exp(scores - scores.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)  # (N, K)
    p[np.arange(len(y)), y] -= 1
    error = p / len(y)
    return x.T @ error + l2 * W, error.sum(0)
    ### END SOLUTION


# %% check="probe_gradient"
check("probe_gradient", probe_gradient)

# %% [markdown] hints="probe_gradient"
# nudge: $-\log p_{y} = -z_{y} + \log \sum_m e^{z_m}$ for scores $z$. What is the derivative of the second part for $z_k$?
#
# idea: It is $p_k$. So the slope for the scores of one word is $p_k$, less 1 at the right label: prediction minus target, as in lesson 01. The score is $x W + b$, so $W$ gets $x$ times that error, and $b$ the error itself. Do not forget the mean, and the slope of $\frac{\lambda}{2} w^2$.
#
# outline: Scores (N, K); subtract each row's largest; softmax over `axis=1`. Take 1 from `p[np.arange(N), y]`, divide by N. For W: `x.T @ error + l2 * W`. For b: `error.sum(0)`.

# %% [markdown] model_answer="probe_gradient"
# For one word, $\partial / \partial z_k$ of $-z_y + \log \sum_m e^{z_m}$ is $p_k - [k = y]$. The chain rule gives $\partial z_k / \partial W_{i,k} = x_i$ and $\partial z_k / \partial b_k = 1$. The mean divides by $N$; $\frac{\lambda}{2} w^2$ has the slope $\lambda w$. Subtracting the largest score of a row changes no probability and keeps the exponentials finite.

# %% [markdown] exercise="linear_probe"
# ### Exercise 3. Train it
#
# Write `linear_probe(known, labels, asked, gradient)`. `known` (N, 2H) are the vectors of the known words and `labels` their N labels, as text. `asked` is (M, 2H). Return M labels. What must be true:
#
# - Every direction counts alike. So the numbers of each direction have mean 0 and spread 1 over the **known** words (add $10^{-6}$ to the spread). The asked words are measured with the same mean and the same spread: a probe must not look at the test.
# - `gradient` is called as yours above: with `x`, the numbers `y` of the right labels (0 to K − 1, in an order of your choice), `W`, `b` and $\lambda = 0.05$.
# - `W` and `b` begin at 0 and take sixty steps. In each step all known words count. Each of the two has a **pace**, 0 at first: the new pace is 0.9 times the old one minus 0.1 times the slope. The pace is added to the weights.
# - An asked word gets the label with the largest score.


# %% exercise="linear_probe"
def linear_probe(known, labels, asked, gradient):
    """The label of each asked vector, by a linear probe that the known ones have trained."""
    ### BEGIN SOLUTION
    names = sorted(set(labels))
    y = np.array([names.index(label) for label in labels])
    mean, spread = known.mean(0), known.std(0) + 1e-6
    x = (known - mean) / spread
    W, b = np.zeros((x.shape[1], len(names)), x.dtype), np.zeros(len(names), x.dtype)
    pace_W, pace_b = 0, 0
    for _ in range(60):
        slope_W, slope_b = gradient(x, y, W, b, 0.05)
        pace_W = 0.9 * pace_W - 0.1 * slope_W
        pace_b = 0.9 * pace_b - 0.1 * slope_b
        W, b = W + pace_W, b + pace_b
    scores = (asked - mean) / spread @ W + b
    return [names[number] for number in scores.argmax(1)]
    ### END SOLUTION


# %% check="linear_probe"
check("linear_probe", linear_probe)

# %% [markdown] hints="linear_probe"
# nudge: Which numbers may the probe see before it answers: those of the asked words, too?
#
# idea: `known.mean(0)` and `known.std(0)` have one number for each direction. Give each label a number: the place of the label in a list of all labels. Then sixty times: slopes, paces, weights. W and b move in the same way, each by its own pace.
#
# outline: names, y; mean and spread of `known`; x. W of zeros (2H, K), b of zeros (K,), two paces of 0. In the loop: the two slopes from `gradient(x, y, W, b, 0.05)`, the two paces, then both weights. At the end the scores of `(asked - mean) / spread`, the largest of each row, and its name.

# %% [markdown] model_answer="linear_probe"
# The mean and the spread belong to the training, so they come from the known words alone. The labels' numbers may be in any order, as long as `names` turns them back. The pace (momentum) remembers earlier slopes: where they agree, the steps grow; where they turn round, they cancel. Sixty steps do what two hundred would without it.

# %% [markdown]
# Our labels now belong to **every** word: its part of speech. (Without the treebank, kinds of names take their place, on fewer words; the text below speaks of parts of speech.) Three controls need no biLM: the word's commonest label; its **spelling** alone, beginnings, endings and capitals, in scikit-learn's logistic regression; and your probe on **random numbers**, one vector for each spelling.

# %%
predict("line", "Of how many of 100 words will your probe find the label, from layer 1?", unit="%")

# %% slide="subslide"
probe_gradient = or_reference("probe_gradient", probe_gradient)
linear_probe = or_reference("linear_probe", linear_probe)
WORDS = asked_layers.words(MODELS)


def words_right(vectors, labels=None):
    """Who is right: your probe, trained by your gradient."""
    probe = lambda *known: linear_probe(*known, probe_gradient)  # noqa: E731
    return WORDS.right(probe, vectors, labels)


tags = WORDS.ladder(words_right)
tags["commonest\nlabel"] = WORDS.commonest(WORDS.forms)
tags["spelling\nalone"] = asked_layers.spelling_right(WORDS)
tags["random\nnumbers"] = words_right(asked_layers.of_forms(WORDS.forms))
interval_bars(
    list(tags),
    {"right": [WORDS.share(right) for right in tags.values()]},
    title="Most of a part of speech is in the spelling",
    ylabel="right, percent",
)

# %%
by = {name.replace("\n", " "): right * 1.0 for name, right in tags.items()}
print(f"{WORDS.task.title}. In points, with the 95 % interval:")
for one, other in (("trained layer 0", "spelling alone"), ("trained layer 1", "trained layer 0")):
    print(f"  {one} minus {other}:", lead(WORDS.share(by[one] - by[other])))
outcome("line", float(100 * by["trained layer 1"].mean()), unit="%")

# %% [markdown]
# Read the ladder from the bottom. Spelling alone, without any network, gets most of the way. The trained layer 0 reads spelling, too, with eyes that a big text has trained. The step to layer 1 is what the rest of the sentence adds, and one more layer.
#
# In the paper's Table 6, parts of speech prefer layer 1: 97.3 against 96.8. With Table 5 this makes the famous sentence: *the lower layer knows syntax, the upper one meaning*. The gaps are half a point and one and a half. And ours?

# %%
again = asked_layers.leads_with_other_words(
    WORDS, lambda *known: linear_probe(*known, probe_gradient)
)
print("Layer 1 minus layer 2, in points, with the 95 % interval:")
print("  the figure's:", lead(WORDS.share(by["trained layer 1"] - by["trained layer 2"])))
print("  other words to learn from, ours first:", ", ".join(f"{100 * x:+.1f}" for x in again))
pos = stored_result("layers_pos").numbers["differences"]["layer 1 less layer 2"]
print("  20,000 words to learn from (stored):", lead(pos))

# %% [markdown]
# The lines answer different questions. The interval of the first asks what other **test** sentences would have given. With other words to **learn** from, the lead is now larger, now smaller. The stored run learnt from ten times as many words, so the luck of the draw weighs less. The lead of layer 1 is half a point or none: both LSTM layers know both things. *An interval speaks only of what was drawn anew.*

# %% [markdown] slide="slide"
# ## 3. Can a probe cheat?
#
# The layer need not know grammar, for the probe learns. From two thousand labelled words it can learn **by heart** that *the* is an article, given any vector by which it recognises *the*. So look separately at words that it has met and words that are new.

# %% slide="subslide"
met = WORDS.met()
print(f"{met.mean():.0%} of the asked words occur among the words that the probe learns from.")
shown = ["commonest\nlabel", "random\nnumbers", "spelling\nalone"]
shown += ["untrained\nlayer 0", "trained\nlayer 0", "trained\nlayer 1"]
interval_bars(
    shown,
    {
        name: [WORDS.share(tags[reader], among=some) for reader in shown]
        for name, some in {"words that it has met": met, "new words": ~met}.items()
    },
    title="Words that were met hide who knows what; new words tell",
    ylabel="right, percent",
)

# %% [markdown]
# On words that the probe has met, random numbers are nearly as good as the best layer: the probe has learnt by heart. New words tell the six apart far better. There random numbers fail, and so does the commonest label. Spelling alone finds more than half, and the untrained layer 0, which sees the same letters through random filters, finds less. The step from spelling to the trained layer 0 is what reading adds to letters. The step to layer 1 is what two things add together: one more layer, and the rest of the sentence.
#
# Hewitt and Liang ask how well the probe does where there is **nothing** to understand. In their **control task** every word type gets a random label and keeps it wherever it stands. A probe that is right here has learnt by heart. The real task's score minus this one is called **selectivity**.

# %% [markdown] exercise="control_labels"
# ### Exercise 4. Random labels
#
# Write `control_labels(words, labels, rng)`. `words` are the running words of a text and `labels` the real label of each. Return a list with a new label for each running word:
#
# - the same spelling has the same label everywhere (*The* and *the* are two spellings),
# - for each spelling the label is drawn with `rng`, a NumPy generator, and each label is as probable as it is frequent in `labels`.


# %% exercise="control_labels"
def control_labels(words, labels, rng):
    """A random label for each spelling, written at all its places."""
    ### BEGIN SOLUTION
    drawn = {}
    for word in words:
        if word not in drawn:
            drawn[word] = labels[rng.integers(len(labels))]
    return [drawn[word] for word in words]
    ### END SOLUTION


# %% check="control_labels"
check("control_labels", control_labels)

# %% [markdown] hints="control_labels"
# nudge: How do you remember what a spelling has drawn when you meet it again?
#
# idea: Keep a dictionary from spelling to label. Draw one **place** of the text at random and take its label: that gives each label as often as it occurs, `labels[rng.integers(len(labels))]`.
#
# outline: Go through the words. If a word is not in the dictionary yet, draw for it. Then return `[drawn[word] for word in words]`.

# %% [markdown] model_answer="control_labels"
# The dictionary makes the label a property of the spelling. Drawing a random entry of `labels` keeps the shares of the real task, so both tasks have the same majority and the same number of labels.

# %%
predict(
    "control",
    "The course's layer 0, linear probe: what percentage of the random labels does it find?",
    unit="%",
)

# %% slide="subslide"
control_labels = or_reference("control_labels", control_labels)

drawn = control_labels(WORDS.forms, WORDS.labels, np.random.default_rng(0))
control = WORDS.ladder(lambda vectors: words_right(vectors, drawn))
recalled = WORDS.commonest(WORDS.forms, drawn)
interval_bars(
    list(control),
    {
        "the real task": [WORDS.share(tags[name]) for name in control],
        "random labels": [WORDS.share(right) for right in control.values()],
    },
    title="A linear probe learns random labels by heart, too",
    ylabel="right, percent",
    level=("a dictionary, random labels", 100 * recalled.mean()),
)

# %%
gaps = {name: tags[name] - right for name, right in control.items()}
print("Selectivity, in points, with the 95 % interval:")
for name, gap in gaps.items():
    print(f"  {' '.join(name.split())}: {lead(WORDS.share(gap))}")
more = WORDS.share(gaps["trained\nlayer 2"] - gaps["trained\nlayer 1"])
print("  trained, layer 2 minus layer 1:", lead(more))
outcome("control", float(100 * control["trained\nlayer 0"].mean()), unit="%")

# %% [markdown]
# Random labels are found, too: learning by heart, measured. (The dashed line in the figure is a dictionary of the words met; for new words it says the commonest label.) In the untrained model, learning by heart works best from layer 0, where the *word itself* is easiest to recognise; higher up, a word's vectors differ from sentence to sentence. So a layer that is a little worse at the task can be the more honest witness. On the published ELMo, Hewitt and Liang report just that: layer 1 is slightly better at parts of speech, layer 2 substantially more selective. On ours, the last line printed shows no clear difference.

# %% [markdown] slide="slide"
# ## 4. Three broken probes
#
# Three colleagues each report on a probe by the nearest neighbour. You do not get their code. You get:
#
# - `test`: the share that is right on their test sentences, by *their* labels,
# - `fresh`: the share that is right on sentences that somebody else labelled later,
# - `offsets`: for the fresh words, how often the answer is the right label of the word **before**, of the word **itself**, of the word **after**,
# - `moved`: how far the vector of the first word moves when the *second* word is replaced.
#
# One probe had its test sentences in the training data. One reads vectors without context. One has its labels shifted by a word in training, and perhaps in the test too. A fourth probe is sound.

# %% slide="subslide"
parts = broken_probes.three_parts(WORDS.every, WORDS.layers(), WORDS.known)
seen = {
    name: broken_probes.symptoms(name, MODELS["trained"], *parts, nearest_labels)
    for name in broken_probes.RUNS
}
plots.table(
    np.array([[s.test, s.fresh, *s.offsets, s.moved] for s in seen.values()]),
    list(seen),
    ["test", "fresh", "before", "itself", "after", "moved"],
    title="One probe is sound: test and fresh agree, and its answers are its own word's",
)

# %% [markdown] exercise="diagnose_probe"
# ### Exercise 5. Three broken probes
#
# Decide by eye first. Then write the doctor: `diagnose_probe(test, fresh, offsets, moved)` returns `"test sentences in training"`, `"no context"`, `"labels shifted"` or `"sound"`. `offsets` is an array (3,), the other three are numbers.
#
# A `test` that is better than `fresh` by up to 0.05 is chance here: with 300 words each, this is about two standard errors of the difference. A movement up to 1e-6 is rounding. A probe has one fault at most, but a fault can have more than one symptom.


# %% exercise="diagnose_probe"
def diagnose_probe(test, fresh, offsets, moved):
    """The fault of a probe, from its symptoms."""
    ### BEGIN SOLUTION
    if np.argmax(offsets) != 1:
        return "labels shifted"
    if moved <= 1e-6:
        return "no context"
    return "test sentences in training" if test - fresh > 0.05 else "sound"
    ### END SOLUTION


# %% check="diagnose_probe"
check("diagnose_probe", diagnose_probe)

# %% [markdown] hints="diagnose_probe"
# nudge: Three questions, one for each fault. Which fault also makes `test` better than `fresh`?
#
# idea: If the labels of the test are shifted like those of the training, the probe agrees with the wrong test labels and disagrees with the fresh ones. So a gap alone does not prove a leak. Ask first whether the answers fit the word's own label best.
#
# outline: If the largest of `offsets` is not the middle one: labels shifted. Else if `moved` is at most 1e-6: no context. Else if `test - fresh` is above 0.05: test sentences in training. Else sound.

# %% [markdown] model_answer="diagnose_probe"
# The order of the questions matters, because shifted labels open a gap as well. The other two faults share no symptom, so their order is free. Nothing in `test` alone would have shown any of the three: a good number is no proof, and a bad one no diagnosis.

# %%
diagnose_probe = or_reference("diagnose_probe", diagnose_probe)
for name, s in seen.items():
    print(f"{name:>6}: {diagnose_probe(s.test, s.fresh, s.offsets, s.moved)}")

# %% [markdown] slide="slide"
# ## 5. Freeze, mix, concatenate
#
# The paper's recipe (section 3.3) fits many models, because it changes nothing inside them:
#
# 1. **Freeze.** The biLM computes its layers and learns nothing more.
# 2. **Mix.** The task learns weights $s_j$ and a factor $\gamma$: $\text{ELMo} = \gamma \sum_j s_j h_j$. You built this in lesson 08.
# 3. **Concatenate.** Put the mix beside the task's *own* word vectors $x$, so that the RNN reads $[x\,;\,\text{ELMo}]$. In some tasks put a second mix, with weights of its own, beside what the RNN gives.
#
# (The token layer is already in the mix, as $h_0$; the $x$ beside it is the task's own: GloVe, or vectors that it learns. In question answering, ELMo is put beside each word of the question and of the passage.)

# %% [markdown] exercise="with_elmo"
# ### Exercise 6. Freeze, mix, concatenate
#
# Write `with_elmo(x, layers, mix_in, mix_out, rnn, where)`:
#
# - `x` (B, T, D) are the task's word vectors, `layers` a list of $L + 1$ tensors (B, T, 2H) from the biLM,
# - `mix_in(layers)` and `mix_out(layers)` give a mix (B, T, 2H), each with learned weights of its own,
# - `rnn` takes (B, T, width) and gives (B, T, width of its own),
# - `where` is `"input"`, `"output"`, `"both"` or `"none"`. At the input, the RNN reads `x` and the mix; at the output, the mix is put after what the RNN gave.
#
# Return one tensor. No gradient may run back into `layers`; the mixes, `x` and the RNN must learn. Call `rnn` once, and a mix only where it is used.


# %% exercise="with_elmo"
def with_elmo(x, layers, mix_in, mix_out, rnn, where):
    """The RNN, with mixed frozen layers at its input, its output, both or nowhere."""
    ### BEGIN SOLUTION
    layers = [h.detach() for h in layers]
    if where in ("input", "both"):
        x = torch.cat([x, mix_in(layers)], -1)
    h = rnn(x)
    if where in ("output", "both"):
        h = torch.cat([h, mix_out(layers)], -1)
    return h
    ### END SOLUTION


# %% check="with_elmo"
check("with_elmo", with_elmo)

# %% [markdown] hints="with_elmo"
# nudge: Without ELMo it is `rnn(x)`. There are two places to join, before the RNN and after it. And where must the road back for gradients be cut: before the mix or after it?
#
# idea: `h.detach()` is the same tensor without a way back. Cut each *layer*; if you cut the mix, its weights no longer learn. `torch.cat([x, mixed], -1)` puts two vectors of a word side by side.
#
# outline: Detach each layer. If `where` is in `("input", "both")`, put `mix_in(layers)` after `x`. Call `rnn`. If `where` is in `("output", "both")`, put `mix_out(layers)` after its result. Return.

# %% [markdown] model_answer="with_elmo"
# The layers are cut off before the mix, so its weights still learn. The two ifs are independent, so "both" needs no case of its own.

# %%
predict(
    "where",
    "Where will the layers help most, seed by seed?",
    options=["input", "output", "both", "no clear winner"],
)

# %% [markdown]
# Fifty labelled sentences are an afternoon's work. What can a tagger learn from them? A small tagger is trained with your `with_elmo` at its heart: without layers, with untrained ones, with the token layer alone, and with all of them at three places. The first two see the sentences six times as often as the others. (They learn slowly: still more passes would bring them a few points, and the others as well.) This takes about half a minute.

# %% slide="subslide"
with_elmo = or_reference("with_elmo", with_elmo)
scalar_mix = mine("scalar_mix")
FIFTY = FiftySentences(MODELS, mine("span_f1"), join=with_elmo, mix=scalar_mix)
joined = {
    "word vectors\nalone": FIFTY.f1("none", epochs=48),
    "untrained\nlayers": FIFTY.f1("input", "untrained 0", epochs=48),
    "layer 0\nalone": FIFTY.f1("input", "layer 0"),
}
joined |= {where: FIFTY.f1(where) for where in ("input", "output", "both")}
interval_bars(
    list(joined),
    {"F1": list(joined.values())},
    title="Much of the gain needs no context: layer 0 alone brings it",
    ylabel="F1 of spans, percent (three seeds)",
)


# %%
def difference(one, other):
    """One way minus another, seed by seed."""
    return interval(np.array(joined[one]["values"]) - joined[other]["values"])


print(f"{FIFTY.what}; in points, seed by seed:")
print("  all layers minus layer 0 alone:", lead(difference("input", "layer 0\nalone")))
best, second, *_ = sorted(("input", "output", "both"), key=lambda name: -joined[name]["mean"])
print(f"  {best} minus {second}:", lead(difference(best, second)))
outcome("where", best if difference(best, second)["low"] > 0 else "no clear winner")

# %% [markdown]
# Anywhere is far better than nowhere. How much of it is context? Look at the third bar: the token layer reads letters alone, and brings much of the gain. The printed line says what the other two layers add. Between the two best places three seeds see no difference, or hardly one. In the paper it depends on the task: question answering (SQuAD), entailment (SNLI) or semantic roles (SRL; Table 3, development sets).
#
# | | input | output | both |
# |---|---|---|---|
# | SQuAD | 85.1 | 84.8 | **85.6** |
# | SNLI | 88.9 | 88.7 | **89.5** |
# | SRL | **84.7** | 80.9 | 84.3 |
#
# At the output alone, no RNN comes after the mix to read along the sentence.

# %% [markdown] slide="slide"
# ## 6. Fewer labels, fewer passes
#
# How many passes does a tagger need, and how many labels? First the passes: one run with your `with_elmo`.

# %%
curve = FIFTY.curve("input")
print("F1 with the layers, pass by pass:", ", ".join(f"{100 * x:.0f}" for x in curve))
alone = joined["word vectors\nalone"]
print(f"word vectors alone, after 48 passes: {100 * alone['mean']:.0f}")

# %% [markdown]
# After three passes the tagger with the layers is far above the other after forty-eight. Labels are saved as well: in lesson 05 the tagger with the biLM and 1 % of the labels (and as many again to know when to stop) passed what it reached alone with ten times as many. The paper reports both savings for semantic roles (section 5.4). Without ELMo the best epoch was the 486th; with ELMo that score was passed in the 10th. And with 1 % of the training set, ELMo was about as good as the baseline with 10 %. But a pass with ELMo is dearer, for every sentence goes through the biLM first.

# %% [markdown] slide="slide"
# ## 7. What it costs
#
# There is no table to look vectors up in: each sentence must go through the biLM. But the biLM is frozen, so a second pass would compute the same again. **Cache** the vectors: compute in the first pass, look up in all later ones.


# %%
def cached(embed):
    """A function from sentences to vectors that embeds no sentence twice."""
    kept = {}

    def look_up(sentences):
        new = list({s: 0 for s in sentences if s not in kept})
        kept.update(zip(new, embed(new) if new else [], strict=True))
        return [kept[s] for s in sentences]

    return look_up


text = [s.words for s in FIFTY.test]
embed = cached(lambda new: [e.every_layer() for e in embed_stream(MODELS["trained"], new)])
for number in (1, 2, 3):
    start = time.perf_counter()
    kept = embed(text)
    print(f"pass {number}: {1000 * (time.perf_counter() - start):.1f} ms")
disk = stored_result("vector_cache").numbers["times_as_fast"]["reading in order over computing"]
print(f"the small published size, read from a disk (stored): {disk:.0f} times as fast")

# %% [markdown]
# The price is space. You cannot have both the fish and the bear's paw, says a Chinese proverb; here the two are **time** and **space**.
#
# Two conditions: the biLM must not carry its state from batch to batch (lesson 08), or the vectors change, and it must stay frozen. If you fine-tune it (AllenNLP's `Elmo(..., requires_grad=True)` could, since February 2018), each pass computes everything anew and has to pay for the gradient as well.

# %% [markdown] exercise="cache_bytes"
# ### Exercise 7. What keeping costs
#
# Write `cache_bytes(sentences, H, L, size, way)`: how many bytes do the vectors of these sentences take? `sentences` are lists of words, each direction has `H` numbers, there are `L` LSTM layers and the token layer, and a number takes `size` bytes. `way` is one of
#
# - `"every layer"`: of each token all $L + 1$ layers, $2H$ numbers each,
# - `"types once"`: the token layer depends on the spelling alone, and its $2H$ numbers are the same $H$ twice. So keep these $H$ once for each word **type** of the text, and of each token only the other $L$ layers,
# - `"one mix"`: of each token one vector of $2H$ numbers, mixed with weights that are already known.
#
# Leave out padding, boundaries, and the list that says which type stands where.


# %% exercise="cache_bytes"
def cache_bytes(sentences, H, L, size, way):
    """Bytes for the vectors of a text, kept in one of three ways."""
    ### BEGIN SOLUTION
    tokens = sum(len(sentence) for sentence in sentences)
    types = len({word for sentence in sentences for word in sentence})
    if way == "every layer":
        numbers = tokens * (L + 1) * 2 * H
    elif way == "types once":
        numbers = types * H + tokens * L * 2 * H
    else:
        numbers = tokens * 2 * H
    return numbers * size
    ### END SOLUTION


# %% check="cache_bytes"
check("cache_bytes", cache_bytes)

# %% [markdown] hints="cache_bytes"
# nudge: Count tokens and types first. How many vectors does each token keep, and how many does each type?
#
# idea: A set of all words has each spelling once. In `"types once"` there are two piles: H numbers for each type, and L times 2H for each token.
#
# outline: `tokens` is the sum of the lengths, `types` the size of the set. Three cases for the number of numbers; multiply by `size` at the end.

# %% [markdown] model_answer="cache_bytes"
# Types and tokens are counted apart because layer 0 depends on the spelling alone. Everything else is a product of counts. Measure the real thing once: `kept[0].nbytes` of the cell above is what `"every layer"` says.

# %%
tokens = sum(map(len, text))
predict(
    "saved",
    f'Our text has {tokens:,} words. How much of the space does "types once" save?',
    unit="%",
)

# %%
cache_bytes = or_reference("cache_bytes", cache_bytes)

told = cache_bytes(text, 256, 2, 4, "every layer")
print(f"your sum {told:,} bytes, the arrays {sum(v.nbytes for v in kept):,}")
plan = {
    "every layer": cache_bytes(text, 512, 2, 4, "every layer"),
    "types once": cache_bytes(text, 512, 2, 4, "types once"),
    "types once,\n2 bytes": cache_bytes(text, 512, 2, 2, "types once"),
    "one mix,\n2 bytes": cache_bytes(text, 512, 2, 2, "one mix"),
}
plots.bars(
    list(plan),
    {"bytes": [count / tokens / 1024 for count in plan.values()]},
    title=f"The published ELMo: space for each token of our {tokens:,}",
    ylabel="KiB",
)

# %%
for words in (400, 120):
    print(f"23,215 paragraphs of {words} words: {23_215 * words * 12_288 / 1e9:.0f} GB")
outcome("saved", 100 * (1 - plan["types once"] / plan["every layer"]), unit="%")

# %% [markdown]
# For the published ELMo, all three layers together take $3 \times 1024 \times 4 = 12{,}288$ bytes a token: **12 KiB**. One GiB holds 87,381 tokens. One also reads that SQuAD takes 480 GB: 100,000 passages of 400 words. But it has about 100,000 **questions** (107,785), on 23,215 paragraphs (Rajpurkar and others, 2016), and a paragraph is kept once. Even at 400 words each that is a quarter of the 480; at 120 words, a fourteenth.
#
# Keeping two of three layers saves a third. *One mix* saves two thirds, but its weights must be known before, so the task can no longer learn them. *Types once* loses nothing, and saves a third minus the table of types. Two-byte numbers halve what is left. For SNLI and SQuAD the authors advise another way: cache the token layer alone, for a fixed vocabulary, and run the LSTMs each time.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"Every task learns weights of its own: tasks of syntax put a large weight on layer 1, tasks of meaning on layer 2."*
#
# *Probing* gave rise to this claim (sections 2 and 3). The paper's learned weights say something else (section 5.5, Figure 2). At the input, **all** its tasks favour layer 1, most of all SQuAD and coreference (which phrases name the same thing). At the output the weights are nearly even. Let us learn the weights of one task of each sort, and change one thing on the way: the **scale**. The layers keep their own, or all are brought to one.

# %%
predict(
    "largest",
    f"Weights for {WORDS.task.title}, layers at their own scale: which gets the most?",
    options=["layer 0", "layer 1", "layer 2"],
)

# %% slide="subslide"
PROBES = LayerWeights({"senses": SENSES, "words": WORDS}, scalar_mix)
weights = {
    f"{task},\n{'one scale' if one_scale else 'own scale'}": [
        PROBES.probe(task, one_scale=one_scale, seed=seed).weights for seed in (0, 1, 2)
    ]
    for task in PROBES.tasks
    for one_scale in (False, True)
}
interval_bars(
    list(weights),
    {f"layer {j}": [interval([w[j] for w in runs]) for runs in weights.values()] for j in range(3)},
    title="The learned weights change with the scale of the layers (three seeds)",
    ylabel="weight s, percent",
)

# %%
sizes = WORDS.layers().std((0, 2))
print("typical size of a number in each layer:", ", ".join(f"{size:.2f}" for size in sizes))
of_words = np.mean(weights["words,\nown scale"], 0)
outcome("largest", f"layer {of_words.argmax()}")

# %% [markdown]
# With one scale for all, the weights change, although nothing that the layers *know* has changed. A weight multiplies a vector: at the same weight, a layer with small numbers adds less to the mix. So a learned weight does not measure knowledge. What would? Fix the weights and see what is lost.

# %% slide="subslide"
choices = {
    "layer 0": {"w": (99, 0, 0)},
    "layer 1": {"w": (0, 99, 0)},
    "layer 2": {"w": (0, 0, 99)},
    "average": {"w": (0, 0, 0)},
    "learned": {},
}
fixed = {t: [PROBES.probe(t, **how).correct for how in choices.values()] for t in PROBES.tasks}
interval_bars(
    list(choices),
    {task: [PROBES.share(task, right) for right in rights] for task, rights in fixed.items()},
    title="Fixed weights lose little against learned ones (one run each)",
    ylabel="right, percent",
)

# %%
for task, (_, one, two, average, mix) in fixed.items():
    print(f"{task}: learned minus average", lead(PROBES.share(task, mix * 1.0 - average)))
    print(f"{task}: layer 1 minus layer 2", lead(PROBES.share(task, one * 1.0 - two)))

# %% [markdown]
# **Half a myth.** Senses lean to layer 2, at either scale. But parts of speech do not choose layer 1. At the layers' own scale they put most on layer 2, whose numbers are the largest; at one scale all three weights are near a third. And little depends on the weights: on neither task can the learned ones be told from the plain average, or layer 1 from layer 2.
#
# In the paper, learned weights (λ = 0.001) gain 0.2 points on each of three tasks over what is nearly the average (λ = 1). Over the top layer alone they gain 0.4 to 0.7 (Table 2). What remains is a good idea told too strongly: different layers hold different things, so give the task *all* of them.

# %% [markdown] slide="slide"
# ## Recap
#
# - A probe reads frozen vectors. Put beside it an untrained model, layer 0, and a baseline without a model.
# - Compare by paired differences, with their interval, and over several sets to learn from.
# - What a layer knows shows on words that the probe has not met. A control task measures what a probe learns by heart; selectivity is the difference.
# - Both LSTM layers know syntax and meaning. The gaps between them are small.
# - Freeze, mix, concatenate: at the input, at the output, or both, each with weights of its own.
# - Learned weights depend on the scale of the layers. They do not measure knowledge.
# - Frozen vectors can be kept: 12 KiB a token at the published sizes, and less if types are kept once.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A colleague writes: *"Our probe finds the part of speech in layer 1 with 95 % and in layer 2 with 94.5 %. So layer 1 is the syntactic layer, and for our parser we will use layer 1 only."* **Why may different layers help different tasks at all? Which controls would you ask for before you believe the first conclusion? And does the second follow from the first?** Six to nine sentences.

# %% [markdown] discussion="layer_one_only" points=3
# **Rubric, 3 points.** 1 for a reason why layers may differ (lower layers nearer to the word and its neighbours, upper ones nearer to what is needed to predict the next word; or the parallel to levels of linguistic description, said with care). 1 for two controls: interval of the paired difference; other words to learn from; new words apart; control task or selectivity; untrained model or layer 0; majority. 1 for saying that the second does not follow: a task can mix all layers at little cost, the other layers may hold what a parser needs beyond parts of speech, and it must be measured in the parser. 0.5 of it for "use all layers" without a reason.

# %% [markdown] model_answer="layer_one_only"
# The biLM's layers do different work. The lowest is close to the word and its spelling; each layer above can combine more of the sentence, and the top must be fit to bet on a neighbour, which takes grammar and meaning. Linguists, too, describe words, syntax and meaning as levels, but nothing forces a network to sort its knowledge in that way, and in our measurements both layers know both things.
#
# Before I believe the first conclusion I ask for the difference on the same test words with its interval, and with other words to learn from: half a point can be chance. I ask for the score of layer 0, of an untrained model and of the commonest tag of each word, because most of the 95 % may come from there. And I ask for a control task, or for words that the probe has not met: layer 1 may win because its vectors are easier to learn by heart.
#
# The second does not follow. A probe for parts of speech is not a parser, which may need what layer 2 knows, such as which noun a verb can take. A mix of all layers costs a handful of weights and lets the parser choose; whether a single layer is as good must be measured in the parser.

# %% [markdown]
# ## If you have time: what γ is for
#
# This section takes about 8 minutes, and nothing else needs it.
#
# Does a task need $\gamma$? A linear layer behind the mix could scale the vectors as well. The paper says that γ is "of practical importance to aid the optimization process". One also reads that γ = 0.01 is better than 1 for SQuAD. No such number stands in the paper: there γ is **learned**, from 1. We train the probe of the myth with γ fixed at several values, sixty steps each. One control: γ = 0.01 again, with steps ten times as large.

# %%
predict("gamma", "Points lost with γ fixed at 0.01, against a learned γ?", unit="points")

# %% slide="subslide"
gammas = {
    "γ 0.01": {"gamma": 0.01},
    "γ 0.01, larger steps": {"gamma": 0.01, "learning_rate": 0.2},
    "γ 1": {"gamma": 1.0},
    "γ 10": {"gamma": 10.0},
    "γ learned": {},
}
tried = {name: PROBES.probe("words", **how) for name, how in gammas.items()}
plots.curves(
    np.arange(5, 61, 5),
    {name: 100 * probe.curve for name, probe in tried.items()},
    title="A small fixed γ needs larger steps (one run each)",
    xlabel="steps",
    ylabel="right, percent",
)

# %%
print(f"learned: γ = {tried['γ learned'].gamma:.2f}")
lost = {
    name: PROBES.share("words", tried["γ learned"].correct * 1.0 - probe.correct)
    for name, probe in tried.items()
}
for name in list(gammas)[:-1]:
    print(f"learned minus {name}, in points:", lead(lost[name]))
outcome("gamma", 100 * lost["γ 0.01"]["mean"], unit="points")

# %% [markdown]
# With γ = 0.01 the probe sees numbers a hundred times too small and needs weights a hundred times as large. In sixty steps it does not get there. (Why its curve dips on the way, no cell here has measured.) With larger steps it does, at the same γ. And a γ fixed at 1 is as good as a learned one. So for these layers, whose numbers are of ordinary size, γ insures the score against a scale that does not fit the steps. We have measured no more than that, on one task.

# %% [markdown] slide="slide"
# ## If you have time: would a larger biLM know more?
#
# This section takes about 6 minutes. We trained one with 1,024 cells in each direction in place of 448. Nothing else was changed: the same text, the same number of steps. It bets better. On sentences held out, its perplexity is 79.0, where ours has 84.7.

# %% slide="subslide"
SIZES = stored_result("larger_senseval")
print(SIZES)
small, large = stored_result("layers_senseval").numbers["rows"], SIZES.numbers["rows"]
sizes = {
    "448 cells, not trained": (small, "layer {}, untrained"),
    "1,024 cells, not trained": (large, "larger, untrained, layer {}"),
    "448 cells": (large, "course, layer {}"),
    "1,024 cells": (large, "larger, layer {}"),
}
interval_bars(
    ["layer 1", "layer 2"],
    {n: stored_points(rows, map(row.format, (1, 2))) for n, (rows, row) in sizes.items()},
    title="At senses, the larger biLM gains a point or two (stored)",
    ylabel="right, percent",
    level=("the form's commonest sense", 100 * large["majority of the form"]["accuracy"]),
)

# %%
print("1,024 cells minus 448 cells, in points, with the 95 % interval:")
asked_of = {"senseval": "senses, senseval", "senses": "senses, ours", "pos": "parts of speech"}
for task, what in asked_of.items():
    gains = stored_result(f"larger_{task}").numbers["differences"]
    for j in (1, 2):
        print(f"  {what}, layer {j}:", lead(gains[f"larger, layer {j} less course, layer {j}"]))

# %% [markdown]
# The larger one bets better by 7 %. At senses it gains a point or two, clearly only in layer 1; at parts of speech it gains nothing that we can see. And look at the networks that have read nothing: they gain about three points from size alone. (A guess: more cells keep more of the sentence.) What **reading** adds, the step from not trained to trained, has not grown. (One network of each size: another start could move such differences, and that is in no interval.)
#
# So a larger network alone, on the same few books, brings little. The published one has 4,096 cells, and it read some 800 million words, ten times over.

# %% [markdown]
# ## Further reading
#
# - The ELMo paper, sections 5.1 to 5.5, with the tables of this lesson.
# - Hewitt and Liang, [*Designing and Interpreting Probes with Control Tasks*](https://arxiv.org/abs/1909.03368): also on probes that are too strong.
# - In the package: `elmo_mini/tagging/elmo_tagger.py` is section 5, `elmo_mini/probing/probe.py` the probe with all its baselines; `python -m elmo_mini probe --help` asks any checkpoint. `elmo_mini/vectors/cache/writing.py` keeps vectors on disk, types once.
#
# Next: **10 · AWD-LSTM.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Is a probe without training not the most honest one?* It cannot learn by heart more than its examples, but it sees only the directions with the most variance; a linear probe finds what is small and clean. *Why not a deep probe?* It finds more and proves less: see selectivity in Hewitt and Liang. *Why is the untrained layer 1 worse than the untrained layer 0?* Random LSTMs blur the word with its neighbours, and what the probe recognised is harder to recognise. *Could we fine-tune the biLM?* As a language model on the task's text, then frozen: the paper does so in most experiments (section 3.4). With the task's own loss: lesson 11. *Poll before the myth:* "Which layer gets most weight in a task of syntax?" Most will say 1.
