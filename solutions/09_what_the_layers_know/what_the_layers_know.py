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
# ## What the layers know
#
# Lesson 09 · probes of a frozen ELMo
#
# minutes: 1
#
# say: ELMo gives each token three vectors. What does each of them know? We ask with simple tools, see how such tools fool us, and put the layers to work.
#
# ask: How would you find out what a vector knows?
#
# expect: "Look at its numbers." Nobody can read 512 numbers. Let a small program answer a question from them.
#
# skip: Leave out the question.

# %% [markdown] slide="slide"
# # 09 · What the layers know, and using them
#
# You have an ELMo. It gives each token three vectors, one from each layer. What does each of them know? You will ask them with simple tools, see how such tools fool you, and put the layers to work. (The course's copy does the reading: it is faster than yours and gives the same vectors.)

# %% tags=["road"]
from course.figures import plots

plots.road("09")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - ask a frozen layer what it knows, with two probes of your own, one of which you derive and train,
# - say what a network adds to plain counting,
# - measure how much of a probe's score was learnt by heart,
# - find the fault in a probe that looks good,
# - freeze, mix and concatenate: at the input of a task, at its output, at both,
# - judge what learned mixing weights tell.
#
# ## The papers
#
# - **ELMo**: Peters and others, *Deep contextualized word representations*, NAACL 2018, [N18-1202](https://aclanthology.org/N18-1202/). Sections 3.3, 5.1 to 5.5; Tables 2, 3, 5 and 6.
# - **Hewitt and Liang**: *Designing and Interpreting Probes with Control Tasks*, EMNLP 2019, [arXiv:1909.03368](https://arxiv.org/abs/1909.03368).
#
# Plan 125 minutes, 150 with second tries; the essay at the end is for home. Short of time? Exercises 3 to 7 are the spine, 95 minutes. Optional sections follow, 30 minutes with exercise 8; nothing before needs them.
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
# **Instructor.** Minutes of a first reader: introduction 2; section 1, 20; section 2, 38; section 3, 26; section 4, 13; section 5, 18; section 6, 2; myth and recap, 6. That is about 125, with three minutes of waiting; with hints and second tries, 150. The essay takes 10, at home. Optional: the bill 16, γ 8, the larger biLM 6. Exercise 8 gives points like the others: tell those who stop before it. For 45 minutes: show exercises 2, 3 and 6 solved, let them do 1, 5 and 7, and end with the myth. Before section 3, ask the room what 90 % proves; somebody should say "compared with what?". In exercise 5 students get stuck on what is trained anew: let them name, aloud, the right answers of each of the two tasks. With the treebank and CoNLL-2000, words are labelled with parts of speech and sentences with chunks; without these corpora, both are labelled with names.

# %%
import numpy as np
import torch
from torch import nn

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from course.figures.interval_bars import interval_bars
from course.results.intervals import Lead
from elmo_mini.probing.probe import occurrence_vectors
from elmo_mini.probing.report import bootstrap_interval, sentence_numbers

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% [markdown] slide="slide"
# ## 1. Ask the neighbours
#
# A new face at a party. You cannot ask what they do, but you see whom they stand with. If the three nearest guests are doctors, you bet on a doctor.
#
# Our guests are 28 ambiguous words in sentences of the course, each with its sense. (A language model wrote them, and no native speaker has read them all.) Beside the trained network stands one with fresh weights: it has read nothing.

# %%
from course.baselines.untrained import untrained_like
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.probing.probing_tasks import course_senses

BILM = load_pretrained()
MODELS = {"trained": BILM, "untrained": untrained_like(BILM)}


def read(places):
    """What each network makes of words in their sentences: (N, 3 layers, 2H)."""
    return {
        name: occurrence_vectors(bilm, places, [0, 1, 2], progress=False)
        for name, bilm in MODELS.items()
    }


SENSES = course_senses()
PLACES = [*SENSES.train, *SENSES.test]  # each has .words, .position, .label and .group, its word
VECTORS = read(PLACES)
print(f"{len(SENSES.train)} sentences to learn from, {len(SENSES.test)} for the test")

# %% [markdown] deck="words"
# ## Ask the neighbours
#
# > Rehearsals for the school **play** begin on Monday.
#
# Layer 0: *The twins play hockey every Saturday …*
#
# Layers 1 and 2: *The second act of the play …* · *Censors cut whole scenes from the play …*
#
# minutes: 2
#
# say: A new face at a party: you see whom they stand with. The sentence is about a school play. Layer 0 sees no context and finds hockey. Layers 1 and 2 find the theatre. The sentence is chosen, so that the layers differ.
#
# ask: Why does layer 0 find just that sentence?
#
# expect: "It is the most similar one." To layer 0 all *play*s are alike; the first of them wins.
#
# skip: Read layers 0 and 2. Live instead: another word in the call, a second.

# %%
WORD, NUMBER = "play", 12  # other words: "bank", "spring", "match", with numbers from 0
at = [i for i, place in enumerate(PLACES) if place.group == WORD]
train = [i for i in at if i < len(SENSES.train)]
asked = [i for i in at if i >= len(SENSES.train)][NUMBER]
print(*PLACES[asked].words, f"  [{PLACES[asked].label}]")
for layer in range(3):
    unit = VECTORS["trained"][:, layer]
    unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
    best = PLACES[train[np.argmax(unit[train] @ unit[asked])]]
    print(f"  layer {layer}:", *best.words, f"  [{best.label}]")

# %% [markdown]
# The test sentence stands on top, with its sense; below is the known sentence that is nearest to it at each layer. (The sentence is chosen: the layers differ.)
#
# That is the simplest **probe**, or **probing classifier**: a small tool that looks at frozen vectors and names a label. This one does not even learn. One sentence proves nothing, so let the nearest vote.

# %% [markdown] exercise="nearest_labels"
# ### Exercise 1. Ask the neighbours
#
# Write `nearest_labels(train, labels, test, k)`. `train`, the **training set**, is an array (N, 2H), one row for each example, and `labels` the list of their N labels. `test`, the **test set**, is (M, 2H). For each test vector, take the `k` examples with the largest **cosine** and let them vote. Return a list of M labels.
#
# If two labels have equally many votes, the one whose nearest example is nearer wins. If there are fewer than `k` examples, all of them vote.


# %% exercise="nearest_labels"
def nearest_labels(train, labels, test, k):
    """The label that most of the k nearest examples have, for each test vector."""
    ### BEGIN SOLUTION
    unit = train / np.linalg.norm(train, axis=1, keepdims=True)
    found = []
    for similarity in test @ unit.T:
        nearest = [labels[row] for row in np.argsort(-similarity)[:k]]
        found.append(max(nearest, key=nearest.count))
    return found
    ### END SOLUTION


# %% check="nearest_labels"
check("nearest_labels", nearest_labels)

# %% [markdown] hints="nearest_labels"
# nudge: A cosine is a product of two vectors of length 1. Which of the two lengths can change the order of the examples?
#
# idea: `train / np.linalg.norm(train, axis=1, keepdims=True)` has rows of length 1. One product gives all similarities, (M, N). `np.argsort(-row)[:k]` are the indices of the k largest, the nearest first.
#
# outline: For each row of similarities: the labels of the k nearest, in order. Then the label that occurs most often in this list; `max(nearest, key=nearest.count)` takes the first of equals, and the first is the nearest.

# %% [markdown] model_answer="nearest_labels"
# Only the examples need length 1: the length of the test vector stretches all its similarities alike. The list of votes is in the order of nearness, so the first label with the most votes is the one that the tie rule asks for.

# %% [markdown] slide="subslide"
# ### The strongest rival
#
# What would somebody do in an afternoon, without a network? Count. Naive Bayes (lesson 08) looks at the word's form and at two words on either side, each in its place. A network is worth its price if it **adds** something to that. So we also let naive Bayes listen to your vote: the label that your neighbours name counts three times as much as before.
#
# ELMo has read millions of words more. Counting can read them, too: **counted vectors** (positive PMI and SVD, lesson 01) of five words, side by side, vote like a layer (stored).


# %%
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

nearest_labels = or_reference("nearest_labels", nearest_labels)
GROUP, LABEL = (np.array([getattr(place, what) for place in PLACES]) for what in ("group", "label"))
IS_TRAIN = np.arange(len(PLACES)) < len(SENSES.train)
WORD_NUMBERS = np.unique(GROUP[~IS_TRAIN], return_inverse=True)[1]  # of the test sentences


def beside(place):
    """The form and two words on either side, each with its offset."""
    words = ["", "", *(word.lower() for word in place.words), "", ""]
    return [f"{offset}: {words[place.position + 2 + offset]}" for offset in range(-2, 3)]


def right_by_word(vectors=None, bayes=False):
    """(M,) who has the sense right: your vote, naive Bayes, or naive Bayes that hears the vote."""
    right = np.zeros(len(PLACES), bool)
    for word in np.unique(GROUP):
        train, test = (np.flatnonzero((word == GROUP) & part) for part in (IS_TRAIN, ~IS_TRAIN))
        if vectors is not None:
            said = nearest_labels(vectors[train], LABEL[train].tolist(), vectors[test], 3)
        if bayes:
            counts = CountVectorizer(analyzer=beside)
            seen = counts.fit_transform([PLACES[i] for i in train])
            model = MultinomialNB(alpha=0.5).fit(seen, LABEL[train])
            score = model.predict_log_proba(counts.transform([PLACES[i] for i in test]))
            if vectors is not None:
                score += np.log(3) * (np.array(said)[:, None] == model.classes_)
            said = model.classes_[score.argmax(1)]
        right[test] = np.array(said) == LABEL[test]
    return right[~IS_TRAIN]


def share(right, units):
    """A bar: the mean, and where it would lie if other units (words, sentences) were drawn."""
    found = bootstrap_interval(np.atleast_2d(np.asarray(right, float)), units)
    return dict(zip(("mean", "low", "high"), found, strict=True))


def lead(one, other, units):
    """How far one reader is ahead of another, asked the same: an interval with its verdict."""
    return Lead.of(share(np.asarray(one, float) - other, units))


# %% [markdown] deck="poll"
# - nothing
# - 2 points
# - [x] 7 points
# - 15 points
#
# minutes: 1.5
#
# say: Naive Bayes sees two words on either side, and has 60 per cent of the senses. Now it also hears what the neighbours at layer 1 say. How much does it gain?
#
# ask: The poll.
#
# expect: "15, it is ELMo." The words beside tell a lot of the same. And of the seven, ask at once: what would counting ELMo's text have brought?
#
# skip: Vote without reasons.

# %%
predict("adds", "Naive Bayes has 60 %. With layer 1's vote: how many points more?", unit="points")

# %% [markdown] deck="figure"
# ## Senses: what reading plain text adds to the words beside
#
# minutes: 3
#
# say: The dashed line is naive Bayes on two words on either side: 60. First bar of each pair: the vote alone. Layers 1 and 2 have 65 and 64, not to be told from naive Bayes. Second bar: naive Bayes that hears the vote. With a trained layer it gains seven points, with an untrained one or layer 0 nothing that we can see. The first pair has no network: vectors counted in ELMo's own text. They bring four, and 28 words cannot tell layer 1 from them.
#
# ask: Do these sentences show that it takes a network?
#
# expect: "Yes, 65 against less than 50." That is against no context at all. Beside the counts of the labelled sentences it is seven points. Beside counts of ELMo's text it is two, from minus four to eight; and seven words of layer 0, in order, bring five, no LSTM.
#
# skip: The dashed line, the first pair and the last two.

# %% slide="subslide"
from course.results.stored import stored_result
from course.scalar_mix_and_elmo.neighbour_features import TokenLayer, words_around

in_order = words_around(PLACES, 3, TokenLayer(BILM)).reshape(len(PLACES), -1)
READERS = {
    "untrained\nlayer 1": VECTORS["untrained"][:, 1],
    "layer 0": VECTORS["trained"][:, 0],
    "layer 0 of\nseven words,\nin order": in_order,
    "layer 1": VECTORS["trained"][:, 1],
    "layer 2": VECTORS["trained"][:, 2],
}
counts = right_by_word(bayes=True)
alone = {name: right_by_word(vectors) for name, vectors in READERS.items()}
both = {name: right_by_word(vectors, bayes=True) for name, vectors in READERS.items()}
BY_COUNTS = stored_result("counted_senses_votes").numbers  # counted vectors vote as above
ways = {"the vote alone": alone, "naive Bayes that hears it": both}
layer_1 = Lead.of(BY_COUNTS["layer less counted"][list(ways)[1]]["layer 1 less five words"])
interval_bars(
    ["counted,\nfive words\n(stored)", *READERS],
    {
        way: [
            BY_COUNTS["right"][way]["five words"],
            *(share(right, WORD_NUMBERS) for right in found.values()),
        ]
        for way, found in ways.items()
    },
    title=f"With naive Bayes, layer 1 less counted: {layer_1}",
    ylabel="senses right, percent",
    level=("naive Bayes alone", 100 * counts.mean()),
    controls=["counted,\nfive words\n(stored)", *list(READERS)[:3]],
)

# %%
print("In points; the interval is over words:")
print("  layer 1 minus naive Bayes:", lead(alone["layer 1"], counts, WORD_NUMBERS))
for name, right in both.items():
    print(f"  naive Bayes gains by {' '.join(name.split())}:", lead(right, counts, WORD_NUMBERS))
by_counts = Lead.of(BY_COUNTS["naive Bayes gains by"]["five words"])
print("  naive Bayes gains by counted vectors of five words (stored):", by_counts)
print("  with naive Bayes, layer 1 minus these (stored):", layer_1)
lstm = lead(both["layer 1"], both["layer 0 of\nseven words,\nin order"], WORD_NUMBERS)
print("  with naive Bayes, layer 1 minus layer 0 of seven words:", lstm)
adds = lead(both["layer 1"], counts, WORD_NUMBERS)
outcome("adds", adds.mean, unit="points")

# %% [markdown]
# Hollow bars are controls: no trained LSTM has read the sentence for them. The whiskers, and the intervals in brackets, say what other *words* would have given. (Up to section 6 there is one biLM: another start is in no interval.)
#
# A vote by layer 1 is far ahead of layer 0, which sees no context: it can tell *bank* from *banks*, no more. That sounds like a triumph of reading. But layer 1 is not clearly ahead of naive Bayes, which has no network. Together they are ahead: to the counts of the labelled sentences **layer 1 adds about seven points**. Layer 0 and the untrained network add nothing clear.
#
# Does that take a network? Vectors counted in ELMo's own text add four points (4.2, −1.2 to 10.3), and **28 words cannot tell layer 1 from them**: 2.4 points (−3.8 to 8.4). Does it take an LSTM? Layer 0 of seven words, side by side in their order, has trained letters and no LSTM. It adds five points, and the last line cannot tell it from layer 1. So these sentences show that *having read plain text* adds something: similar words have similar vectors. They do not show that it takes a network.
#
# Which layer is best at senses? Our sentences cannot say (the last two bars). In senseval (real text, 1,519 test sentences) layer 2 is ahead of layer 1 by 1.9 points, but nearly all of that comes from one of the four words, *serve*: over words it is no finding. In the paper layer 2 is ahead, too: 67.4 for layer 1, 69.0 for layer 2 (F1, Table 5).

# %% [markdown] deck="words"
# ## The second probe draws a line
#
# A **linear probe** gives each label a logit, $x W + b$. It finds only what the vectors show plainly.
#
# minutes: 1.5
#
# say: It may learn, but only a straight cut. Softmax, cross-entropy, a small price on large weights; they derive its gradient in exercise 2: prediction minus target, times the input. Every word now has a label, its part of speech.
#
# ask: Why not a large network as a probe?
#
# expect: "It would be better." It would: then we ask what the probe can learn, and not what the layer knows.
#
# skip: One sentence.

# %% [markdown] slide="slide"
# ## 2. Draw a line
#
# The second probing classifier may learn, but only a straight cut. A **linear** probe gives each label a logit, $x W + b$, and a softmax turns the logits into probabilities. It finds only what the vectors show plainly. (In PyTorch: `nn.Linear` under `nn.CrossEntropyLoss`.)
#
# Its loss is the cross-entropy plus a small price on large weights. Here $y_n$ is the right label of word $n$, $p_{n,k}$ the probability of label $k$, and $\lambda$ says how hard the weights are pulled to 0:
#
# $$\mathcal{L} = -\frac{1}{N} \sum_{n=1}^{N} \log p_{n, y_n} + \frac{\lambda}{2} \lVert W \rVert^2 \qquad\qquad p_{n,k} = \frac{e^{x_n W_{:,k} + b_k}}{\sum_{m} e^{x_n W_{:,m} + b_m}}$$

# %% [markdown] exercise="probe_gradient"
# ### Exercise 2. The gradient of a linear probe (derive it)
#
# First with pen and paper. By how much does $\mathcal{L}$ change when the score of label $k$ for word $n$ moves a little? Two cases: $k$ is the right label $y_n$, or it is not. One formula covers both. From there it is a step to $W$ and one to $b$.
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
# idea: It is $p_k$. So the gradient for the scores of one word is $p_k$, less 1 at the right label: prediction minus target, as in lesson 01. The score is $x W + b$, so $W$ gets $x$ times that error, and $b$ the error itself. Do not forget the mean, and the gradient of $\frac{\lambda}{2} w^2$.
#
# outline: Scores (N, K); subtract each row's largest; softmax over `axis=1`. Take 1 from `p[np.arange(N), y]`, divide by N. For W: `x.T @ error + l2 * W`. For b: `error.sum(0)`.

# %% [markdown] model_answer="probe_gradient"
# For one word, $\partial / \partial z_k$ of $-z_y + \log \sum_m e^{z_m}$ is $p_k - [k = y]$. The chain rule gives $\partial z_k / \partial W_{i,k} = x_i$ and $\partial z_k / \partial b_k = 1$. The mean divides by $N$; $\frac{\lambda}{2} w^2$ has the gradient $\lambda w$. Subtracting the largest score of a row changes no probability and keeps the exponentials finite.

# %% [markdown] exercise="linear_probe"
# ### Exercise 3. Train it
#
# Write `linear_probe(train, labels, test, gradient)`. `train` (N, 2H) are the vectors of the training words and `labels` their N labels, as text. `test` (M, 2H) are the test words. Return M labels. What must be true:
#
# - Every direction counts alike. So the numbers are **standardised**: those of each direction have mean 0 and standard deviation 1 over the **training** words (add $10^{-6}$ to the deviation). The test words are measured with the same two numbers: a probe must not look at the test.
# - `gradient` is called as yours above: with `x`, the numbers `y` of the right labels (0 to K − 1, in an order of your choice), `W`, `b` and $\lambda = 0.05$.
# - `W` and `b` begin at 0 and take sixty steps. In each step all training words count. Each of the two has a **momentum** (a pace), 0 at first: the new momentum is 0.9 times the old one minus 0.1 times the gradient. It is added to the weights.
# - A test word gets the label with the largest logit.


# %% exercise="linear_probe"
def linear_probe(train, labels, test, gradient):
    """The label of each test vector, by a linear probe that the training vectors have trained."""
    ### BEGIN SOLUTION
    names = sorted(set(labels))
    y = np.array([names.index(label) for label in labels])
    mean, spread = train.mean(0), train.std(0) + 1e-6
    x = (train - mean) / spread
    W, b = np.zeros((x.shape[1], len(names)), x.dtype), np.zeros(len(names), x.dtype)
    pace_W, pace_b = 0, 0
    for _ in range(60):
        slope_W, slope_b = gradient(x, y, W, b, 0.05)
        pace_W = 0.9 * pace_W - 0.1 * slope_W
        pace_b = 0.9 * pace_b - 0.1 * slope_b
        W, b = W + pace_W, b + pace_b
    scores = (test - mean) / spread @ W + b
    return [names[number] for number in scores.argmax(1)]
    ### END SOLUTION


# %% check="linear_probe"
check("linear_probe", linear_probe)

# %% [markdown] hints="linear_probe"
# nudge: Which numbers may the probe see before it answers: those of the test words, too?
#
# idea: `train.mean(0)` and `train.std(0)` have one number for each direction. Give each label a number: its index in a list of all labels. Then sixty times: gradients, momenta, weights. W and b move in the same way, each by its own momentum.
#
# outline: names, y; mean and deviation of `train`; x standardised. W of zeros (2H, K), b of zeros (K,), two momenta of 0. In the loop: the two gradients from `gradient(x, y, W, b, 0.05)`, the two momenta, then both weights. At the end the scores of `(test - mean) / spread`, the largest of each row, and its name.

# %% [markdown] model_answer="linear_probe"
# The mean and the spread belong to the training, so they come from the training words alone. The labels' numbers may be in any order, as long as `names` turns them back. The momentum remembers earlier gradients: where they agree, the steps grow; where they turn round, they cancel. Sixty steps do what two hundred would without it.

# %% [markdown]
# Now **every** word has a label: its part of speech. (Without the treebank, kinds of names, on fewer words; the text speaks of parts of speech.) `right` below is the whole judge: your probe learns from the first words and is asked about the others.


# %%
from course.texts.small_tasks import labelled_words

probe_gradient = or_reference("probe_gradient", probe_gradient)
linear_probe = or_reference("linear_probe", linear_probe)
WORDS = labelled_words(2_000, 2_000)  # about so many to learn from, and for the test
RUNNING, N_TRAIN = [*WORDS.train, *WORDS.test], len(WORDS.train)
FORMS, LABELS = [o.form for o in RUNNING], [o.label for o in RUNNING]
LAYERS = read(RUNNING)
SENTENCES = sentence_numbers(WORDS.test)


def probe(train, labels, test, gradient=probe_gradient):
    """Your probe, trained by your gradient."""
    return linear_probe(train, labels, test, gradient)


def right(vectors, gradient=probe_gradient):
    """(M,) whether your probe finds the label of each test word."""
    predicted = probe(vectors[:N_TRAIN], LABELS[:N_TRAIN], vectors[N_TRAIN:], gradient)
    return np.array(predicted) == LABELS[N_TRAIN:]


# %% [markdown]
# And the rivals. Without a network: **clues**, that is the word, its endings, beginnings and capitals, and those of the word on either side, in scikit-learn's logistic regression. Without an LSTM: layer 0 of three words, the word between its neighbours. (Three words at equal strength drown the one that is asked about. So the neighbours' weights learn more slowly; how slowly is chosen among the training words, each half answered from the other.)
#
# The clues have seen two thousand words, ELMo four million more. So the strongest rival counts *those*, too: beside the clues stand the counted vectors of section 1, of the same three words (stored).

# %%
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from course.baselines.word_clues import clues

CLUES = [[clue for clue in clues(o.words)[o.position] if clue[1] != "2"] for o in RUNNING]
by_clues = make_pipeline(CountVectorizer(analyzer=list), LogisticRegression(C=3, max_iter=300))
counted = by_clues.fit(CLUES[:N_TRAIN], LABELS[:N_TRAIN]).predict(CLUES[N_TRAIN:])

zero = LAYERS["trained"][:, 0]
starts = np.array([o.position == 0 for o in RUNNING])[:, None]
before = np.where(starts, 0, np.roll(zero, 1, 0))
after = np.where(np.roll(starts, -1), 0, np.roll(zero, -1, 0))
THREE = np.hstack([before, zero, after])  # (N, 3 · 2H)


def slower(scale):
    """Your gradient, as if the neighbours' numbers had been multiplied by scale."""
    pace = np.repeat([scale**2, 1, scale**2], zero.shape[1])[:, None].astype(np.float32)

    def gradient(x, y, W, b, l2):
        slope_W, slope_b = probe_gradient(x, y, W, b, 0)
        return pace * slope_W + l2 * W, slope_b

    return gradient


halves = [slice(0, N_TRAIN // 2), slice(N_TRAIN // 2, N_TRAIN)]
chosen = dict.fromkeys((0.1, 0.2, 0.5, 1), 0)
for scale in chosen:
    for known, held in (halves, halves[::-1]):
        said = probe(THREE[known], LABELS[known], THREE[held], slower(scale))
        chosen[scale] += np.sum(np.array(said) == LABELS[held])
SCALE = max(chosen, key=chosen.get)
print(f"the neighbours' numbers are best multiplied by {SCALE}")

# %% [markdown] deck="poll"
# - about 50
# - about 75
# - about 92
# - 99
#
# minutes: 1
#
# say: Two thousand labelled words of the Penn Treebank to learn from. The commonest label of each word has 66.
#
# ask: The poll.
#
# expect: "75." Clues that anybody can count have 85.
#
# skip: Say the number.

# %%
predict("line", "Of how many of 100 words will your probe find the label, from layer 1?", unit="%")

# %% [markdown] deck="figure"
# ## Parts of speech: the sentence comes in at layer 1
#
# minutes: 2.5
#
# say: Hollow bars are controls. Clues, without a network, are right for 85 words of 100; with vectors counted in ELMo's own text, for 89 (stored). Layer 0 of three words is ahead of layer 0 of one. Layer 1 is ahead of all, and has 92: seven points more than the clues, two or three more than the strongest counts. In an untrained network, layer 1 has 58.
#
# ask: Layer 1 leads layer 2 by one point, and the interval does not hold zero. Is that the famous sentence?
#
# expect: "Yes, it is clear." With other words to learn from the lead is 0.0 to 1.0, with ten times as many it is gone. An interval speaks only of what was drawn anew.
#
# skip: Leave out the untrained ones.

# %% slide="subslide"
TAGS = {"clues, no\nnetwork": counted == LABELS[N_TRAIN:]}
for j in (0, 1):
    TAGS[f"untrained\nlayer {j}"] = right(LAYERS["untrained"][:, j])
TAGS["layer 0"] = right(zero)
TAGS["layer 0 of\nthree words"] = right(THREE, slower(SCALE))
for j in (1, 2):
    TAGS[f"layer {j}"] = right(LAYERS["trained"][:, j])
TAGS["three layers\nside by side"] = right(LAYERS["trained"].reshape(len(RUNNING), -1))
COUNTED_TOO = stored_result("counted_words_pos").numbers  # the same words, parts of speech
points = {"clues, counted\nvectors (stored)": COUNTED_TOO["right"]["all"]}
points |= {name: share(each, SENTENCES) for name, each in TAGS.items()}
interval_bars(
    list(points),
    {"right": list(points.values())},
    title="Three words of layer 0 go far, layer 1 goes further",
    ylabel="labels right, percent",
    controls=list(points)[:6],
)

# %%
said = {" ".join(name.split()): each for name, each in TAGS.items()}
said["layer 0 beside untrained layer 1"] = right(np.hstack([zero, LAYERS["untrained"][:, 1]]))
print(f"{WORDS.title}: in points; the interval is over test sentences:")
for one, other in (
    ("layer 1", "clues, no network"),
    ("layer 0 of three words", "layer 0"),
    ("layer 1", "layer 0 of three words"),
    ("layer 0 beside untrained layer 1", "layer 0"),
    ("three layers side by side", "layer 1"),
    ("layer 1", "layer 2"),
):
    print(f"  {one} minus {other}:", lead(said[one], said[other], SENTENCES))
LEADS = {
    of: Lead.of(point)
    for of, point in COUNTED_TOO["layer 1 less clues and counted vectors"].items()
}
print("  layer 1 minus clues and counted vectors (parts of speech, stored):", LEADS["all"])
outcome("line", 100 * said["layer 1"].mean(), unit="%")

# %% [markdown]
# Clues are right for more than four words of five, and layer 1 is seven points ahead of what one could count in *these* words. Count in ELMo's text as well, and most of that is gone: layer 1 is ahead by 2.4 points (1.2 to 3.6). With five sets of words to learn from it is 2.1 (1.1 to 3.1). **Two or three points are the network's.**
#
# The trained layer 0 reads letters, too. In layer 1 the rest of the sentence comes in. Much of that is the two neighbours: with them at its sides, layer 0 is two points ahead of itself. Layer 1 is ahead of the three words by two points more. And all three layers side by side are ahead of layer 1: they do not hold the same.
#
# An untrained layer 1 overwrites the word with its surroundings, and its bar falls below that of its own layer 0. *Beside* the trained layer 0 it brings a point or so, if anything: mixing without training is worth little.
#
# In the paper's Table 6, parts of speech prefer layer 1: 97.3 against 96.8. With Table 5 this makes the famous sentence: *the lower layer knows syntax, the upper one meaning*. The gaps are half a point and one and a half. Ours is the last line above. And with other words to learn from? We take five sets of 2,000 (about 5 s):

# %%
test, truth, size = LAYERS["trained"][N_TRAIN:], np.array(LABELS[N_TRAIN:]), N_TRAIN
pool = labelled_words(5 * size, len(truth)).train
vectors = occurrence_vectors(BILM, pool, [1, 2], progress=False)
again = []
for first in range(0, len(pool) - size + 1, size):
    rows = slice(first, first + size)
    names = [o.label for o in pool[rows]]
    found = [np.array(probe(vectors[rows, j], names, test[:, j + 1])) == truth for j in (0, 1)]
    again.append(found[0] * 1.0 - found[1])
print("Layer 1 minus layer 2, set by set:", ", ".join(f"{100 * x.mean():+.1f}" for x in again))
print("over sets and sentences:", Lead.of(share(again, SENTENCES)))

# %% [markdown]
# The first interval asked what other **test** sentences would have given. With other words to **learn** from, the lead is now larger, now smaller. With ten times as many (20,000, stored) it is +0.1 points, from −0.3 to +0.5: gone. Both layers know both things. *An interval speaks only of what was drawn anew.*

# %% [markdown] slide="slide"
# ## 3. Can a probe cheat?
#
# The layer need not know grammar, for the probe learns. From two thousand labelled words it can learn **by heart** that *the* is an article, given any vector by which it recognises *the*. So look at new words apart. Two controls show the danger: the word's commonest label among the training words, and your probe on **random numbers**, one vector for each spelling.

# %% [markdown] deck="figure"
# ## Can a probe cheat? Words that it has met, and new ones
#
# minutes: 2.5
#
# say: First bar: words that the probe has met in training. The commonest label is as good as the best layer, and random numbers nearly as good: learnt by heart. Second bar, hatched: new words. Random numbers fall to 19, clues to 71, with counts of ELMo's text to 81, layers 1 and 2 to 86.
#
# ask: Six words of ten were met. What does an average over all words hide?
#
# expect: "Nothing, it is the average." It is mostly a test of memory.
#
# skip: Point at the two bars of random numbers.

# %% slide="subslide"
from elmo_mini.probing.classifiers import majority

forms, numbers = np.unique(FORMS, return_inverse=True)
random = np.random.default_rng(0).standard_normal((len(forms), 512)).astype(np.float32)[numbers]
common = majority(FORMS[:N_TRAIN], LABELS[:N_TRAIN], FORMS[N_TRAIN:])
readers = {
    "commonest\nlabel": np.array(common) == truth,
    "random\nnumbers": right(random),
    **{name: TAGS[name] for name in ("clues, no\nnetwork", "layer 0", "layer 1", "layer 2")},
}
MET = np.isin(FORMS[N_TRAIN:], FORMS[:N_TRAIN])
print(f"{MET.mean():.0%} of the test words stand among the words that the probe learns from.")
interval_bars(
    ["clues, counted\nvectors (stored)", *readers],
    {
        name: [
            COUNTED_TOO["right"][name],
            *(share(each[rows], SENTENCES[rows]) for each in readers.values()),
        ]
        for name, rows in {"words that it has met": MET, "new words": ~MET}.items()
    },
    title="Words that were met hide who knows what; new words tell",
    ylabel="labels right, percent",
    controls=["clues, counted\nvectors (stored)", *list(readers)[:4]],
)

# %%
print("New words, in points:")
new = lead(readers["layer 1"][~MET], readers["clues, no\nnetwork"][~MET], SENTENCES[~MET])
print("  layer 1 minus clues:", new)
print("  layer 1 minus clues and counted vectors (stored):", LEADS["new words"])

# %% [markdown]
# On words that the probe has met, the commonest label is as good as the best layer, and random numbers are nearly as good: learnt by heart. On new words both fail. The clues, which see endings and neighbours, find seven new words of ten, and layers 1 and 2 sixteen points more. With counted vectors beside the clues it is eight of ten: layer 1 is 5.7 points ahead (3.5 to 8.1). On words that were met it is ahead of them by nothing that can be seen (0.2, −1.3 to 1.4). What the network adds to counting, it adds on new words.
#
# Hewitt and Liang ask how well the probe does where there is **nothing** to understand. In their **control task** every word type gets a random label and keeps it wherever it stands. Whoever is right here has learnt by heart.

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
# idea: Keep a dictionary from spelling to label. Draw one **position** of the text at random and take its label: that gives each label as often as it occurs, `labels[rng.integers(len(labels))]`.
#
# outline: Go through the words. If a word is not in the dictionary yet, draw for it. Then return `[drawn[word] for word in words]`.

# %% [markdown] model_answer="control_labels"
# The dictionary makes the label a property of the spelling. Drawing a random entry of `labels` keeps the shares of the real task, so both tasks have the same majority and the same number of labels.

# %% [markdown] exercise="selectivity"
# ### Exercise 5. Selectivity
#
# The real task's accuracy less the control task's is called **selectivity**: what the probe finds beyond what it can learn by heart. Measure it word by word.
#
# Write `selectivity(vectors, words, labels, n_train, probe, draw)`. `vectors` (N, 2H), `words` and `labels` belong to the N running words of a text. The first `n_train` are the training set; the other M are the test set. `probe(known, labels, asked)` trains a probe and gives the labels of the asked vectors, and `draw(words, labels)` gives random labels, another draw at each call. Return M numbers: 1 where only the real task is right, −1 where only the control task is, 0 otherwise.
#
# What must be true: in the control task the random labels are *the* labels, for learning and for judging; and the probe can learn nothing by heart unless a spelling means the same in both.


# %% exercise="selectivity"
def selectivity(vectors, words, labels, n_train, probe, draw):
    """For each test word (M,): right in the real task, less right in the control task."""
    ### BEGIN SOLUTION
    drawn = draw(words, labels)
    right = []
    for of in (labels, drawn):
        found = probe(vectors[:n_train], of[:n_train], vectors[n_train:])
        right.append(np.array(found) == np.array(of[n_train:]))
    return 1.0 * right[0] - 1.0 * right[1]
    ### END SOLUTION


# %% check="selectivity"
check("selectivity", selectivity)

# %% [markdown] hints="selectivity"
# nudge: Two probes are trained, on the same vectors. What differs between them, and what is each held against?
#
# idea: Draw once, for all running words. Then do the same thing twice, with `labels` and with the drawn ones: learn from the first `n_train`, ask about the others, compare with the others' labels *of the same task*.
#
# outline: `drawn = draw(words, labels)`. For each of the two lists of labels: the probe's answers for `vectors[n_train:]`, and where they equal the list's own `[n_train:]`, as 0 and 1. The first row of 0 and 1 minus the second.

# %% [markdown] model_answer="selectivity"
# Everything is done twice, and only the labels differ. If the asked words had a draw of their own, no spelling would keep its label, the probe could learn nothing by heart, and its score in the control task would be chance: every layer would look selective. Word by word the difference can be paired, so it has a small interval.

# %% [markdown] deck="poll"
# - less than 5 %
# - about 20 %
# - about 50 %
# - about 90 %
#
# minutes: 1.5
#
# say: Hewitt and Liang: give every word type a random label, which it keeps wherever it stands. There is nothing to understand. How many does the probe find from layer 0?
#
# ask: The poll.
#
# expect: "Less than 5: there is nothing to learn." Whoever recognises the word knows its label.
#
# skip: Say the number.

# %%
predict("control", "Layer 0 of the course: what percentage of random labels is found?", unit="%")

# %% [markdown] deck="figure"
# ## Selectivity: what a probe finds beyond what it learns by heart
#
# minutes: 2
#
# say: First bar the real task, second the random labels. The difference is called selectivity: what the probe finds beyond what it can learn by heart. It is 37 for layer 0, 44 and 45 for the layers above.
#
# ask: Why does learning by heart work best from layer 0?
#
# expect: "It has the most information." It is the same for a word everywhere: it recognises the word itself. Higher up a word's vectors differ.
#
# skip: Say the title.

# %% slide="subslide"
control_labels = or_reference("control_labels", control_labels)
selectivity = or_reference("selectivity", selectivity)


def gap(vectors, seed=0):
    """Your selectivity, with the same random labels for every layer."""
    draw = lambda words, labels: control_labels(words, labels, np.random.default_rng(seed))  # noqa: E731
    return selectivity(vectors, FORMS, LABELS, N_TRAIN, probe, draw)


real = {f"untrained\nlayer {j}": LAYERS["untrained"][:, j] for j in (0, 1)}
real |= {f"layer {j}": LAYERS["trained"][:, j] for j in range(3)}
gaps = {name: gap(vectors) for name, vectors in real.items()}
real = {name: TAGS[name] for name in gaps}
interval_bars(
    list(real),
    {
        "the real task": [share(each, SENTENCES) for each in real.values()],
        "random labels": [share(real[name] - gaps[name], SENTENCES) for name in real],
    },
    title="A linear probe learns random labels by heart, too",
    ylabel="labels right, percent",
    controls=list(real)[:2],
)

# %%
print("Selectivity, in points:")
for name, each in gaps.items():
    print(f"  {' '.join(name.split())}: {100 * each.mean():.1f}")
more = []
for seed in (1, 2, 3):  # more draws of random labels
    one, two = (gap(LAYERS["trained"][:, j], seed) for j in (1, 2))
    more.append(two - one)
more = np.array(more)  # (draws, words)
print("words met, layer 2 minus layer 1:", Lead.of(share(more[:, MET], SENTENCES[MET])))
print("new words, layer 2 minus layer 1:", Lead.of(share(more[:, ~MET], SENTENCES[~MET])))
outcome("control", 100 * (real["layer 0"] - gaps["layer 0"]).mean(), unit="%")

# %% [markdown]
# Random labels are found, too: learning by heart, measured. It works best from layer 0, where the *word itself* is easiest to recognise; higher up, a word's vectors differ from sentence to sentence.
#
# Of a new word nothing can be known by heart, so the last two lines look at the met words apart (with three more draws of random labels). On words that were met, layer 2 is more selective than layer 1: the probe learns it less well by heart. On new words there is nothing to see. Hewitt and Liang report the same of the published ELMo: layer 1 is slightly better at parts of speech, layer 2 substantially more selective. So a layer that is a little worse at a task can be the more honest witness.

# %% [markdown] slide="slide"
# ## 4. Which of the probes are broken?
#
# Four colleagues each report on a probe by the nearest neighbour. Their code is hidden. You see:
#
# - `test`: the share that is right on their test sentences, by *their* labels,
# - `fresh`: the share that is right on sentences that somebody else labelled later,
# - `offsets`: for the fresh words, how often the answer is the right label of the word **before**, of the word **itself**, of the word **after**,
# - `moved`: how far the vector of the first word moves when the *second* word is replaced.
#
# One probe had its test sentences in the training data. One reads vectors without context. One has its labels shifted by a word in training, and perhaps in the test too. The fourth is sound.

# %% [markdown] deck="figure"
# ## Four probes. Which one would you trust?
#
# minutes: 2.5
#
# say: test: right on their own test sentences. fresh: right on sentences that somebody labelled later. before, itself, after: whose label the answer is. moved: how far the first word's vector moves when the second word changes. One is sound, one had its test in training, one has no context, one is off by a word. Let the room diagnose, one by one.
#
# ask: A has 1.00. Is that good?
#
# expect: "The best of the four." It had its test sentences in training: fresh is 0.90.
#
# skip: A and D only.

# %% slide="subslide"
from course.what_the_layers_know import broken_probes

parts = broken_probes.three_parts(RUNNING, LAYERS["trained"], N_TRAIN)
seen = {
    name: broken_probes.symptoms(name, BILM, *parts, nearest_labels) for name in broken_probes.RUNS
}
broken_probes.draw_symptoms(seen, "Four probes and their symptoms")

# %% [markdown] exercise="diagnose_probe"
# ### Exercise 6. A doctor for probes
#
# Decide by eye first. Then write the doctor: `diagnose_probe(test, fresh, offsets, moved)` returns `"test sentences in training"`, `"no context"`, `"labels shifted"` or `"sound"`. `offsets` is an array (3,), the other three are numbers.
#
# A `test` that is better than `fresh` by up to 0.05 is chance here: with 300 words each, this is about two standard errors of the difference. A movement up to 1e-6 is rounding. A probe has one fault at most; a fault can have several symptoms.


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

# %% [markdown] deck="words"
# ## Put to work: freeze, mix, concatenate
#
# 1. **Freeze:** the biLM learns nothing more
# 2. **Mix:** the task learns $s_j$ and $\gamma$
# 3. **Concatenate:** the RNN reads $[x\,;\,\text{ELMo}]$
#
# minutes: 2
#
# say: Section 3.3 of the paper. It fits many models because it changes nothing inside them: the task's own word vectors stay, ELMo stands beside them. Some tasks put a second mix beside what the RNN gives.
#
# ask: Which numbers learn?
#
# expect: "All." Not one of the biLM's.
#
# skip: Read the three words.

# %% [markdown] slide="slide"
# ## 5. Freeze, mix, concatenate
#
# The paper's recipe (section 3.3) fits many models, because it changes nothing inside them:
#
# 1. **Freeze.** The biLM computes its layers and learns nothing more.
# 2. **Mix.** The task learns weights $s_j$ and a factor $\gamma$: $\text{ELMo} = \gamma \sum_j s_j h_j$. You built this in lesson 08.
# 3. **Concatenate.** Put the mix beside the task's *own* word vectors $x$, so that the RNN reads $[x\,;\,\text{ELMo}]$. In some tasks put a second mix, with weights of its own, beside what the RNN gives.
#
# (The token layer is already in the mix, as $h_0$; $x$ is the task's own: GloVe, or vectors that it learns. In question answering, ELMo stands beside each word of the question and of the passage.)

# %% [markdown] exercise="with_elmo"
# ### Exercise 7. Freeze, mix, concatenate
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

# %% [markdown] slide="subslide"
# ### A tagger of your own parts
#
# Chunks again (lesson 05), from fifty labelled sentences. Your `with_elmo` stands at the heart of the tagger, with your `scalar_mix`; your CRF sits on top, and your loop of lesson 04 trains it. The task's own vectors $x$ are the strongest that we have without a language model: the mean of a small vector for each **clue** of section 2.


# %%
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

with_elmo, scalar_mix = or_reference("with_elmo", with_elmo), mine("scalar_mix")  # of lesson 08


class Mix(nn.Module):
    """Your mix, with a w and a γ to learn."""

    def __init__(self):
        super().__init__()
        self.w, self.gamma = nn.Parameter(torch.zeros(3)), nn.Parameter(torch.ones(()))

    def forward(self, layers):
        return nn.functional.dropout(
            scalar_mix(torch.stack(list(layers)), self.w, self.gamma), 0.4, self.training
        )


class Tagger(nn.Module):
    """Vectors of clues, an LSTM that reads both ways, and the layers where they are wanted."""

    def __init__(self, clues, labels, where):
        super().__init__()
        wide = {place: 512 * (where in (place, "both")) for place in ("input", "output")}
        self.where, self.mix_in, self.mix_out = where, Mix(), Mix()
        self.clues = nn.EmbeddingBag(clues, 32, mode="mean", padding_idx=0)
        nn.init.normal_(self.clues.weight, std=0.3)
        self.lstm = nn.LSTM(32 + wide["input"], 48, batch_first=True, bidirectional=True)
        self.dense, self.drop = nn.Linear(96 + wide["output"], labels), nn.Dropout(0.4)

    def forward(self, ids, mask, layers):
        def rnn(x):
            packed = pack_padded_sequence(x, mask.sum(1), True, enforce_sorted=False)
            return self.drop(pad_packed_sequence(self.lstm(packed)[0], True)[0])

        if self.training:  # now and then a clue is unknown, as in the test
            ids = ids * (torch.rand(ids.shape) > 0.2)
        x = self.drop(self.clues(ids.flatten(0, 1)).unflatten(0, mask.shape))
        return self.dense(with_elmo(x, layers, self.mix_in, self.mix_out, rnn, self.where))


# %% [markdown]
# The rival has no network: a linear CRF, a weight for each clue and label, under the same CRF of yours. `train` is all that happens to either. (If your CRF loops over labels, or your loop is slow, put the course's in its place: `from elmo_mini.tagging.constrained_crf import LinearChainCRF as CRF`.)


# %%
from course.baselines.word_clues import ClueScores, ClueTable
from course.results.span_f1 import f1_share
from course.texts.small_tasks import labelled_sentences
from elmo_mini.embedding.stream import embed_stream
from elmo_mini.tagging.spans import to_bio

CRF, spans_of, span_f1 = mine("CRF"), mine("spans_of"), mine("span_f1")  # of lesson 05
tune_and_watch = mine("tune_and_watch")  # of lesson 04
TASK, POOL, TEST = labelled_sentences(250, 200)
GOLD = [to_bio(s.labels) for s in TEST]


def train(rows, where, layers, rate=0.02, passes=8, seed=0):
    """The labels of TEST by a tagger that has learnt from these rows of POOL."""
    torch.manual_seed(seed)
    labels = sorted({label for row in rows for label in POOL[row].labels})
    table = ClueTable([POOL[row].words for row in rows])
    model = ClueScores if where == "clues" else Tagger
    model = model(len(table), len(labels), *([] if where == "clues" else [where]))
    both = nn.ModuleList([model, CRF(labels)])

    def emissions(sentences, layers):
        ids, mask = table.of([s.words for s in sentences])
        return model(ids, mask, pad_sequence(layers, batch_first=True).unbind(2)), mask

    def loss(rows):
        scores, mask = emissions([POOL[row] for row in rows], [layers["pool"][row] for row in rows])
        gold = [torch.tensor([labels.index(label) for label in POOL[row].labels]) for row in rows]
        return both[1].loss(scores, pad_sequence(gold, batch_first=True), mask)

    by_length = sorted(rows, key=lambda row: len(POOL[row].words))  # little padding
    parts = [by_length[first : first + 10] for first in range(0, len(rows), 10)]
    batches = [parts[i] for _ in range(passes) for i in torch.randperm(len(parts)).tolist()]
    tune_and_watch(both, batches, loss, rate, lambda: None, len(batches))
    with torch.no_grad():
        paths = both[1].decode(*emissions(TEST, layers["test"]))
    return [to_bio([labels[k] for k in path]) for path in paths]


def counts(said):
    """(N, 3) for each sentence of TEST: spans that are right, predicted, and there."""
    spans = [[set(map(tuple, spans_of(row))) for row in rows] for rows in (said, GOLD)]
    return [(len(a & b), len(a), len(b)) for a, b in zip(*spans, strict=True)]


# %% [markdown] deck="poll"
# ## A tagger of chunks, 50 sentences: where do the layers help most?
#
# minutes: 1.5
#
# say: A small tagger for chunks learns from fifty labelled sentences. Its own vectors are clues that one could count. Where do the layers help most?
#
# ask: The poll.
#
# expect: "Both, more is more." The input and both cannot be told apart; in the paper it depends on the task.
#
# skip: Vote without reasons.

# %%
predict(
    "where",
    "Where will the layers help most?",
    options=["input", "output", "both", "no clear winner"],
)

# %% [markdown]
# Seven taggers, each trained on three draws of fifty sentences: about 40 s. (Each sees its sentences eight times. The rate of each was chosen, with twelve, on 100 other sentences of the training part.)

# %% [markdown] deck="figure"
# ## Chunks from fifty sentences: what the layers add
#
# minutes: 2.5
#
# say: Hollow bars are controls. First, stored: vectors counted from ELMo's own text. A CRF on clues, without a network: about 70. An LSTM above the clues is behind it, and so are untrained layers. Layer 0 reads letters and no sentence: 82. All layers at the input: about 86. So most of the lead is there before a sentence is read; the reading adds four points.
#
# ask: Which bar is missing in the paper's tables?
#
# expect: "The baseline." Layer 0 alone, under the same tagger, and a CRF on clues.
#
# skip: First, second, fifth, sixth bar.

# %% slide="subslide"
from elmo_mini.progress import progress_bar


def layers_of(bilm, first):
    """The three layers of each sentence, (T, 3, 2H), of the first of POOL and of TEST."""
    return {
        part: [
            torch.from_numpy(e.every_layer()).transpose(0, 1)
            for e in embed_stream(bilm, [s.words for s in sentences], progress=False)
        ]
        for part, sentences in (("pool", POOL[:first]), ("test", TEST))
    }


ALL, FRESH = layers_of(BILM, 250), layers_of(MODELS["untrained"], 150)
ZERO = {part: [h[:, :1].expand(-1, 3, -1) for h in rows] for part, rows in ALL.items()}
VARIANTS = {
    "clues and\nCRF alone": {"where": "clues", "layers": ALL},
    "LSTM,\nno layers": {"where": "none", "layers": ALL, "rate": 0.04},
    "untrained\nlayers": {"where": "input", "layers": FRESH, "rate": 0.04},
    "layer 0": {"where": "input", "layers": ZERO, "rate": 0.04},
    "input": {"where": "input", "layers": ALL},
    "output": {"where": "output", "layers": ALL},
    "both": {"where": "both", "layers": ALL},
}
found = {name: [] for name in VARIANTS}
for name, seed in progress_bar([(name, seed) for seed in range(3) for name in VARIANTS]):
    rows = np.random.default_rng(seed).permutation(min(150, len(POOL)))[:50].tolist()
    found[name].append(counts(train(rows, seed=seed, **VARIANTS[name])))
found = {name: np.array(each) for name, each in found.items()}  # (draws, sentences, 3)
points = {name: f1_share(each) for name, each in found.items()}
COUNTED = stored_result("counted_input_chunks").numbers  # the same draws, with counted vectors
points = {"counted vectors,\nchunks (stored)": COUNTED["f1"]["counted vectors"], **points}
interval_bars(
    list(points),
    {"F1": list(points.values())},
    title="Most of the gain needs no sentence: layer 0 brings it",
    ylabel="F1, percent",
    controls=list(points)[:5],
)

# %%
said = {" ".join(name.split()): each for name, each in found.items()}
places = sorted(("input", "output", "both"), key=lambda name: -f1_share(said[name])["mean"])
print(f"{TASK}: in points of F1; the interval is over draws and test sentences:")
for one, other in (
    ("LSTM, no layers", "clues and CRF alone"),
    ("layer 0", "clues and CRF alone"),
    ("input", "clues and CRF alone"),
    ("input", "layer 0"),
    ("input", "untrained layers"),
    (places[0], places[1]),
):
    print(f"  {one} minus {other}:", Lead.of(f1_share(said[one], said[other])))
for name, point in COUNTED["leads"].items():
    if "counted" in name:
        print(f"  {name} (chunks, stored):", Lead.of(point))
best = Lead.of(f1_share(said[places[0]], said[places[1]]))
outcome("where", places[0] if best.verdict == "ahead" else "no clear winner")

# %% [markdown]
# Hollow bars are controls. Counting is a strong opponent: the CRF on clues has some 70. An LSTM over the same clues is *behind* it after as many passes, and untrained layers do not help. With ELMo at the input the tagger is 15 points ahead of it.
#
# Is all that the network's? Put vectors counted in ELMo's text in place of layer 0 (the same draws, stored). They bring 6.8 (4.6 to 9.0) of the points. Over them ELMo is 8.3 (6.6 to 10.0) ahead: that is what the network **adds** to counting.
#
# And much of it comes before any sentence is read. Layer 0 knows letters and no neighbour, and it is 11 points ahead of the clues, 4.3 (2.3 to 6.2) ahead of counted vectors: for a rare word, too, it has a vector that is like those of similar words. The two LSTM layers add four points more. Without these controls you would have said that ELMo's context brings more than 20 points.
#
# Which of the three places is best, three draws cannot tell. In the paper it depends on the task (Table 3, development sets).
#
# | | input | output | both |
# |---|---|---|---|
# | SQuAD | 85.1 | 84.8 | **85.6** |
# | SNLI | 88.9 | 88.7 | **89.5** |
# | SRL | **84.7** | 80.9 | 84.3 |
#
# At the output alone, no RNN comes after the mix to read along the sentence.

# %% [markdown] slide="slide"
# ## 6. Fewer labels
#
# How many labels does a tagger need? That is its **sample efficiency**. Change one thing: the number of sentences. Ten for the tagger with the layers, and all that there are for the CRF on clues (about 5 s).

# %% [markdown] deck="printed" lines="2-3,5-8"
# ## 25 sentences with the layers: level with 100 with counts
#
# minutes: 1.5
#
# say: Twenty-five sentences with all layers: nearly 85. The CRF on clues has 81, with 250. A tenth of the labels? But let the rival count in ELMo's own text. Then the CRF with 250 sentences is level with the layers, and so is our tagger with 100: a quarter. The paper reports a tenth for semantic roles: with 1 per cent of the training set ELMo was about as good as the baseline with 10.
#
# ask: What is saved: passes, or labels?
#
# expect: "Passes." Both: without ELMo the best epoch was the 486th; with it, that score was passed in the 10th.
#
# skip: One sentence.

# %% slide="subslide"
runs = [(10, "input", 24), (25, "input", 24), (len(POOL), "clues", 6)]
few = {}
for count, where, passes in progress_bar(runs):
    few[count] = train(list(range(count)), where, ALL, passes=passes)
many = few.pop(len(POOL))
for count, predicted in few.items():
    print(f"all layers, {count} sentences: F1 {100 * span_f1(GOLD, predicted)[2]:.1f}")
print(f"clues alone, {len(POOL)} sentences: F1 {100 * span_f1(GOLD, many)[2]:.1f}")
ahead = f1_share(np.array([counts(few[25])]), np.array([counts(many)]))
print(f"layers and 25 minus clues and {len(POOL)}, over test sentences:", Lead.of(ahead))
FEWER = stored_result("fewer_labels_chunks").numbers["leads"]
print("Chunks, three draws, stored: how far all layers with 25 sentences are ahead of")
for name, point in FEWER.items():
    print(f"  {name.partition(' less ')[2]}:", Lead.of(point))

# %% [markdown]
# With 25 labelled sentences the tagger with the layers is ahead of the CRF that has 250. (One run each; the interval knows other test sentences, not other sentences to learn from.) A tenth of the labels, then? Those clues have not read ELMo's text. Give the rival counted vectors as well. The CRF with 250 sentences is now level: the layers are 0.2 points behind (−1.6 to 2.0). So is our tagger with 100 sentences and counted vectors in place of the layers: 0.5 points in favour of the layers (−1.5 to 2.4). **About a quarter of the labels, not a tenth.**
#
# The paper reports a tenth for semantic roles (section 5.4, Figure 1): with 1 % of the training set, ELMo was about as good as the baseline with 10 %. Passes are saved as well: without ELMo the best epoch was the 486th; with ELMo that score was passed in the 10th. So sample efficiency rises. But a pass with ELMo is dearer: every sentence goes through the biLM first.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"Every task learns weights of its own: tasks of syntax put a large weight on layer 1, tasks of meaning on layer 2."*
#
# *Probing* gave rise to this claim. The paper's learned weights say something else (section 5.5, Figure 2). At the input, **all** its tasks favour layer 1, most of all SQuAD and coreference. At the output the weights are nearly even, leaning to the lower layers. In lesson 08 loudness bent the shares. So learn the weights of one task of each sort, and change one thing: the **scale**. The layers keep their own, or all are brought to one.


# %%
def tensors(places, vectors, n_train, one_scale=False):
    """Layers (3, N, 2H), numbers of the labels (N,), and how many of them are to learn from."""
    names = sorted({o.label for o in places})
    layers = torch.from_numpy(vectors).transpose(0, 1)
    if one_scale:
        mean, spread = (f((1, 2), keepdim=True) for f in (layers.mean, layers.std))
        layers = (layers - mean) / spread
    return layers, torch.tensor([names.index(o.label) for o in places]), n_train


def mixed_probe(task, w=None, gamma=None, rate=0.02, seed=0):
    """A linear probe of a mix; what is not given is learned. Shares (3,), γ, and who is right."""
    layers, y, n_train = task
    torch.manual_seed(seed)
    linear = nn.Linear(layers.shape[2], int(y.max()) + 1)
    w = nn.Parameter(torch.zeros(3)) if w is None else torch.tensor(w)
    gamma = nn.Parameter(torch.ones(())) if gamma is None else torch.tensor(gamma)
    learned = [t for t in (w, gamma, *linear.parameters()) if t.requires_grad]
    optimizer = torch.optim.Adam(learned, lr=rate)
    for _ in range(60):
        mixed = scalar_mix(layers[:, None, :n_train], w, gamma)[0]
        loss = nn.functional.cross_entropy(linear(mixed), y[:n_train])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        logits = linear(scalar_mix(layers[:, None, n_train:], w, gamma)[0])
    right = (logits.argmax(1) == y[n_train:]).numpy()
    return w.detach().softmax(0).numpy(), gamma.item(), right


half = (
    [*range(800), *range(N_TRAIN, min(N_TRAIN + 1_000, len(RUNNING)))]
    if N_TRAIN > 800
    else range(len(RUNNING))
)
TASKS = {
    "senses": (PLACES, VECTORS["trained"], len(SENSES.train)),
    "words": ([RUNNING[i] for i in half], LAYERS["trained"][half], min(800, N_TRAIN)),
}
UNITS = {name: sentence_numbers(places[n:]) for name, (places, _, n) in TASKS.items()}

# %% [markdown] deck="poll"
# ## Parts of speech: which layer gets the largest learned weight?
#
# minutes: 1.5
#
# say: "Every task learns weights of its own: syntax puts a large weight on layer 1, meaning on layer 2." So says many an account. Here a task learns the weights for parts of speech.
#
# ask: The poll.
#
# expect: "1, it is syntax." Layer 2 has the largest numbers, and so the largest share.
#
# skip: Vote only.

# %%
predict("largest", "Own scale: which layer gets most for words?", options=["0", "1", "2"])

# %% [markdown] deck="figure"
# ## Learned weights change with the scale of the layers
#
# minutes: 2.5
#
# say: Each task twice: at the layers' own scale, and with all layers at one scale. For words layer 2 loses its lead. Nothing that the layers know has changed. So a learned weight does not measure knowledge.
#
# ask: What would measure it?
#
# expect: "More seeds." Fix the weights, and see what is lost.
#
# skip: The two bars of words.

# %% slide="subslide"
from course.results.intervals import interval

weights = {
    f"{name},\n{scale} scale": [
        mixed_probe(tensors(*task, one_scale=scale == "one"), seed=seed)[0]
        for seed in progress_bar(range(3))
    ]
    for name, task in TASKS.items()
    for scale in ("own", "one")
}
interval_bars(
    list(weights),
    {f"layer {j}": [interval([w[j] for w in each]) for each in weights.values()] for j in range(3)},
    title="The learned weights change with the scale of the layers (three seeds)",
    ylabel="share of the layer, percent",
)

# %%
sizes = LAYERS["trained"].std((0, 2))
print("typical size of a number in each layer:", ", ".join(f"{size:.2f}" for size in sizes))
outcome("largest", str(np.mean(weights["words,\nown scale"], 0).argmax()))

# %% [markdown]
# The weights change, although nothing that the layers *know* has changed. So a learned weight does not measure knowledge. What would? Fix the weights and see what is lost.

# %% [markdown] deck="figure"
# ## The plain average loses nothing that can be seen
#
# minutes: 2
#
# say: The average loses nothing against learned weights that we can see, in either task. Layer 1 against layer 2: no clear difference, in either. Half a myth: both layers know both things.
#
# ask: What would you put into a program tomorrow?
#
# expect: "Learned weights." The average is simpler, and nobody can tell them apart.
#
# skip: Say the title.

# %% slide="subslide"
FIXED = {"layer 0": [99.0, 0, 0], "layer 1": [0, 99.0, 0], "layer 2": [0, 0, 99.0]}
FIXED |= {"average": [0.0, 0, 0], "learned": None}
fixed = {
    name: {how: mixed_probe(tensors(*task), w=w)[2] for how, w in FIXED.items()}
    for name, task in TASKS.items()
}
interval_bars(
    list(FIXED),
    {name: [share(r, UNITS[name]) for r in each.values()] for name, each in fixed.items()},
    title="The plain average loses nothing to learned weights (one run each)",
    ylabel="right, percent",
    controls=["layer 0"],
)

# %%
print("In points; the interval is over test sentences:")
for name, each in fixed.items():
    for one, other in (("learned", "average"), ("layer 1", "layer 2")):
        print(f"  {name}: {one} minus {other}:", lead(each[one], each[other], UNITS[name]))

# %% [markdown]
# **Half a myth.** At the layers' own scale both tasks put most on layer 2, whose numbers are the largest. At one scale layer 2 has no more than layer 1: parts of speech are near a third each, and senses lean to layers 1 and 2. And little depends on the weights: on neither task can the learned ones be told from the plain average, or layer 1 from layer 2. What remains: different layers hold different things, so give the task *all* of them.

# %% [markdown] deck="words"
# ## What to take home
#
# - A probe that learns can learn **by heart**: ask new words, and random labels.
# - No claim without its rival: what does the network **add** to counting?
# - A weight that was learned is no measure of **knowledge**.
# - Fifty labelled sentences go a long way beside a frozen model.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 3 to 7.
#
# ask: Next paper with a probe: what is your first question?
#
# expect: "How good is it?" What does it reach on random labels, or on vectors that nobody trained?
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## Recap
#
# - Beside a probe stand an untrained model, layer 0, and counting without a model: in the labelled words, and in the text that the model has read. The finding is what the network *adds*: a paired difference.
# - New words show what a layer knows. A control task shows what the probe learns by heart; selectivity is the difference.
# - Both LSTM layers know syntax and meaning. The gaps are small.
# - Freeze, mix, concatenate: at the input, at the output, or both, each with weights of its own. Much of what ELMo brings to a tagger is in layer 0, before any sentence is read, and counts of the same text hold part of that.
# - Learned weights depend on the scale of the layers. They do not measure knowledge.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A colleague writes: *"Our probe finds the part of speech in layer 1 with 95 % and in layer 2 with 94.5 %. So layer 1 is the syntactic layer, and for our parser we will use layer 1 only."* **Why may different layers help different tasks at all? Which controls would you ask for before you believe the first conclusion? And does the second follow from the first?** Six to nine sentences.

# %% [markdown] discussion="layer_one_only" points=3
# **Rubric, 3 points.** 1 for a reason why layers may differ (lower layers nearer to the word and its neighbours, upper ones nearer to what is needed to predict the next word; or the parallel to levels of linguistic description, said with care). 1 for two controls: interval of the paired difference; other words to learn from; new words apart; control task or selectivity; untrained model or layer 0; majority; counting without a network (in the model's text, too), and what the layer adds to it. 1 for saying that the second does not follow: a task can mix all layers at little cost, the other layers may hold what a parser needs beyond parts of speech, and it must be measured in the parser. 0.5 of it for "use all layers" without a reason.

# %% [markdown] model_answer="layer_one_only"
# The biLM's layers do different work. The lowest is close to the word and its spelling; each layer above can combine more of the sentence, and the top must be fit to bet on a neighbour, which takes grammar and meaning. Linguists, too, describe words, syntax and meaning as levels, but nothing forces a network to sort its knowledge in that way, and in our measurements both layers know both things.
#
# Before I believe the first conclusion I ask for the difference on the same test words with its interval, and with other words to learn from: half a point can be chance. I ask for the score of layer 0, of an untrained model, of the commonest tag of each word, and of what one can count in the labelled words and in the model's own text, because most of the 95 % may come from there. And I ask for a control task, or for words that the probe has not met: layer 1 may win because its vectors are easier to learn by heart.
#
# The second does not follow. A probe for parts of speech is not a parser, which may need what layer 2 knows, such as which noun a verb can take. A mix of all layers costs a handful of weights and lets the parser choose; whether a single layer is as good must be measured in the parser.

# %% [markdown] slide="slide"
# ## If you have time: what it costs
#
# This section takes about 16 minutes, with exercise 8.
#
# There is no table to look vectors up in: each sentence must go through the biLM. But the biLM is frozen, so a second pass would compute the same again. **Cache** the vectors: compute in the first pass, look up in all later ones. You cannot have both the fish and the bear's paw, says a Chinese proverb; here the two are **time** and **space**.
#
# Two conditions: the biLM must not carry its state from batch to batch (lesson 08), or the vectors change, and it must stay frozen. If you fine-tune it (AllenNLP's `Elmo(..., requires_grad=True)` could, since February 2018), each pass computes everything anew and has to pay for the gradient as well, in time and in memory.

# %% [markdown] exercise="bill"
# ### Exercise 8. The bill
#
# Question answering has two texts: a paragraph and a question. ELMo reads both. The same paragraph comes back with each of its questions, and there are several passes over all pairs. What does it cost to compute every time, and what to keep?
#
# Write `bill(pairs, H, L, speed, passes)`. `pairs` is a list of pairs (paragraph, question), each a list of words. Each direction has `H` numbers, there are `L` LSTM layers and the token layer, and a number takes four bytes. The biLM reads `speed` words a second; a look-up takes no time. A text that comes again is kept once. Return a dictionary with four numbers:
#
# - `"every layer"`: bytes, if of each token all $L + 1$ layers are kept, $2H$ numbers each,
# - `"types once"`: bytes, if the token layer is kept once for each word **type**, and of each token only the other $L$ layers. The token layer depends on the spelling alone, and its $2H$ numbers are the same $H$ twice: keep $H$,
# - `"computing"`: seconds, if nothing is kept,
# - `"keeping"`: seconds, if the first pass keeps what it computes.
#
# Leave out boundaries and padding.


# %% exercise="bill"
def bill(pairs, H, L, speed, passes):
    """Bytes for the vectors of all texts, kept in two ways; seconds without and with them."""
    ### BEGIN SOLUTION
    texts = {tuple(text) for pair in pairs for text in pair}
    tokens = sum(len(text) for text in texts)
    types = len({word for text in texts for word in text})
    read = passes * sum(len(text) for pair in pairs for text in pair)
    return {
        "every layer": tokens * (L + 1) * 2 * H * 4,
        "types once": (types * H + tokens * L * 2 * H) * 4,
        "computing": read / speed,
        "keeping": tokens / speed,
    }
    ### END SOLUTION


# %% check="bill"
check("bill", bill)

# %% [markdown] hints="bill"
# nudge: Three counts decide everything: the words that are read, the words that are kept, the different spellings. Which of them does a paragraph with five questions enter five times?
#
# idea: A set of all texts has each once; lists cannot be in a set, `tuple(text)` can. Disk and "keeping" are counted over that set, "computing" over all pairs, both texts, all passes.
#
# outline: The set of texts; its tokens; its types. The words of all pairs, times the passes. Bytes: tokens times L + 1 layers of 2H numbers; types times H plus tokens times L layers of 2H. Times four. Seconds: words divided by `speed`.

# %% [markdown] model_answer="bill"
# What is read grows with the pairs and the passes; what is kept grows with the different texts. Types and tokens are counted apart because layer 0 depends on the spelling alone. Measure the real thing once: the next cell holds your sum against the arrays.

# %%
predict("saved", 'How much of the space does "types once" save?', unit="%")

# %%
import time

bill = or_reference("bill", bill)
text = [s.words for s in TEST[:120]]
start = time.perf_counter()
kept = [e.every_layer() for e in embed_stream(BILM, text, progress=False)]
speed = sum(map(len, text)) / (time.perf_counter() - start)
ours = bill([(sentence, []) for sentence in text], 256, 2, speed, 48)
print(f"your sum {ours['every layer']:,} bytes, the arrays {sum(v.nbytes for v in kept):,}")
print(f"48 passes: {ours['computing']:.0f} s, or {ours['keeping']:.1f} s and a look-up")
disk = stored_result("vector_cache").numbers["times_as_fast"]["reading in order over computing"]
print(f"the small published size, read from a disk (stored): {disk:.0f} times as fast")
outcome("saved", 100 * (1 - ours["types once"] / ours["every layer"]), unit="%")

# %%
paragraphs = [[f"p{i}"] * 140 for i in range(23_215)]
squad = [(paragraphs[j % len(paragraphs)], [f"q{j}"] * 10) for j in range(107_785)]
whole = bill(squad, 512, 2, speed, 20)
print(f"SQuAD, every layer of the published ELMo: {whole['every layer'] / 1e9:.0f} GB")
for way in ("computing", "keeping"):
    print(f"{way}, 20 passes at the speed of ours: {whole[way] / 3600:.1f} hours")

# %% [markdown]
# For the published ELMo, all three layers together take $3 \times 1024 \times 4 = 12{,}288$ bytes a token: **12 KiB**. One GiB holds 87,381 tokens, on a disk as on a graphics card. (Several cards can share the work, and sharing costs time of its own, which we have not measured.) One also reads that SQuAD takes 480 GB: 100,000 passages of 400 words. But it has about 100,000 **questions** (107,785), on 23,215 paragraphs (Rajpurkar and others, 2016), and a paragraph is kept once. With about 140 words in a paragraph and 10 in a question (estimates), the bill is a ninth of that. A quarter of it goes to the questions.
#
# *Types once* loses nothing, and saves a third minus the table of types. Two-byte numbers halve what is left. Keeping two of three layers saves a third. *One mix* of the layers saves two thirds, but its weights must be known before, so the task can no longer learn them. For SNLI and SQuAD the authors advise another way: cache the token layer alone, for a fixed vocabulary, and run the LSTMs each time.

# %% [markdown]
# ## If you have time: what γ is for
#
# This section takes about 8 minutes, and nothing else needs it.
#
# Does a task need $\gamma$? A linear layer behind the mix could scale the vectors as well. The paper calls γ "of practical importance" (lesson 08). One also reads that γ = 0.01 is better than 1 for SQuAD. No such number stands in the paper: there γ is **learned**, from 1. We train the probe of the myth with γ fixed at several values, sixty steps each. One control: γ = 0.01 again, with steps ten times as large.

# %%
predict("gamma", "Points lost with γ fixed at 0.01, against a learned γ?", unit="points")

# %% slide="subslide"
GAMMAS = {
    "γ learned": {},
    "γ 0.01": {"gamma": 0.01},
    "γ 1": {"gamma": 1.0},
    "γ 10": {"gamma": 10.0},
}
GAMMAS["γ 0.01,\nlarger steps"] = {"gamma": 0.01, "rate": 0.2}
tried = {name: mixed_probe(tensors(*TASKS["words"]), **how) for name, how in GAMMAS.items()}
interval_bars(
    list(tried),
    {"right": [share(right, UNITS["words"]) for _, _, right in tried.values()]},
    title="A small fixed γ needs larger steps (one run each)",
    ylabel="labels right, percent",
)

# %%
print(f"learned: γ = {tried['γ learned'][1]:.2f}; in points, the interval is over sentences:")
learned = tried["γ learned"][2]
for name, (_, _, right_here) in list(tried.items())[1:]:
    print(f"  γ learned minus {' '.join(name.split())}:", lead(learned, right_here, UNITS["words"]))
outcome("gamma", lead(learned, tried["γ 0.01"][2], UNITS["words"]).mean, unit="points")

# %% [markdown]
# With γ = 0.01 the probe sees numbers a hundred times too small and needs weights a hundred times as large. In sixty steps it does not get there. With larger steps it does, at the same γ. And a γ fixed at 1 is as good as a learned one. So for these layers, whose numbers are of ordinary size, γ insures the score against a scale that does not fit the steps. We have measured no more than that, on one task.

# %% [markdown] slide="slide"
# ## If you have time: would a larger biLM know more?
#
# This section takes about 6 minutes. We trained one with 1,024 cells in each direction in place of 448. Nothing else was changed: the same text, the same number of steps. It bets better. On sentences held out, its perplexity is 79.0, where ours has 84.7.

# %% slide="subslide"
from course.what_the_layers_know import larger_bilm

print(stored_result("larger_senseval"))
larger_bilm.draw_sizes("At senses, the larger biLM gains two points in layer 1 (stored)")

# %%
larger_bilm.print_sizes()

# %% [markdown]
# The larger one bets better by 7 %. At senses in real text it gains a point or two, clearly only in layer 1; at parts of speech, nothing that we can see. On our own sentences its layer 2 is even four points behind, at the edge of what they can tell. And look at the networks that have read nothing: size alone brings them about three points. (A guess: more cells keep more of the sentence.) What **reading** adds, the step from not trained to trained, has not grown. (One network of each size: another start could move such differences, and that is in no interval.)
#
# So a larger network alone, on the same few books, brings little. The published one has 4,096 cells, and it read some 800 million words, ten times over.

# %% [markdown]
# ## Further reading
#
# - The ELMo paper, sections 5.1 to 5.5, with the tables of this lesson.
# - Hewitt and Liang, [*Designing and Interpreting Probes with Control Tasks*](https://arxiv.org/abs/1909.03368): also on probes that are too strong.
# - In the package: `elmo_mini/tagging/elmo_tagger.py` is section 5, `elmo_mini/probing/probe.py` the probe with all its baselines; `python -m elmo_mini probe --help` asks any checkpoint. `elmo_mini/embedding/cache/writing.py` keeps vectors on disk, types once.
#
# Next: **10 · AWD-LSTM.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Is a probe without training not the most honest one?* It cannot learn by heart more than its examples, but it sees only the directions with the most variance; a linear probe finds what is small and clean. *Why not a deep probe?* It finds more and proves less: see selectivity in Hewitt and Liang. *Why is the untrained layer 1 worse than the untrained layer 0?* Random LSTMs blur the word with its neighbours, and what the probe recognised is harder to recognise. *Could we fine-tune the biLM?* As a language model on the task's text, then frozen: the paper does so in most experiments (section 3.4). With the task's own loss: lesson 11. *Poll before the myth:* "Which layer gets most weight in a task of syntax?" Most will say 1.
