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
# - ask a frozen layer what it knows, with a probe of your own,
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
# Plan an hour and three quarters, or two hours if you read slowly; the exercises are 55 minutes of that. Short of time? Exercises 1, 2 and 4 are the spine: without 3 and 5 the lesson goes on. Whenever you do them, they count in full. Two sections at the end, one with exercise 6, are for those who have 25 minutes more.
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
# **Instructor.** Honest minutes, for somebody who passes most checks at once: introduction 3; section 1, 5; section 2, 17; section 3, 6; section 4, 15; section 5, 11; section 6, 15; section 7, 3; section 8, 11; the myth, 8; recap and discussion, 9: about 105. With hints and second tries add 20. The two sections at the end are 25 more. For 45 minutes: show exercises 3 and 5 solved, let them do 1, 2 and 4, and end with the myth. Before section 4, ask the room what 90 % proves; somebody should say "compared with what?". With the treebank and CoNLL-2000, words are labelled with parts of speech and sentences with chunks; without these corpora, both are labelled with names.

# %%
import time

import numpy as np
import torch

from autograde import calibration, check, mine, or_reference, outcome, predict
from elmo_mini.bilm.model import BiLM
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.experiments import broken_probes
from elmo_mini.experiments.small_tasks import labelled_sentences, labelled_words
from elmo_mini.figures.interval_bars import interval_bars
from elmo_mini.probing.classifiers import majority
from elmo_mini.probing.linear_probe import linear_probe
from elmo_mini.probing.mixed_probe import LabelledLayers, mixed_probe
from elmo_mini.probing.probe import occurrence_vectors
from elmo_mini.probing.report import share_right, stored_points
from elmo_mini.probing.tasks import course_senses
from elmo_mini.recurrent.training import TrainingOptions
from elmo_mini.results.intervals import interval, lead
from elmo_mini.results.stored import stored_result
from elmo_mini.tagging.elmo_tagger import train_elmo_tagger, with_layers
from elmo_mini.vectors.stream import embed_stream

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% [markdown] slide="slide"
# ## 1. Fifty sentences
#
# Fifty labelled sentences are an afternoon's work. What can a tagger learn from them? We train the same small tagger three times: with its own word vectors alone; then with the layers of a biLM that has **never read anything**; then with those of the course's biLM, which has read 3.9 million words, nearly three times over. The tagger is the course's for now; in section 6 you write its heart.

# %%
MODELS = {"trained": load_pretrained()}
torch.manual_seed(0)
MODELS["untrained"] = BiLM(MODELS["trained"].options).eval()
WHAT, TRAIN, TEST = labelled_sentences(50, 120)
read = {
    name: (with_layers(model, TRAIN), with_layers(model, TEST)) for name, model in MODELS.items()
}
span_f1 = mine("span_f1")
print(f"{WHAT}: {len(TRAIN)} sentences to learn from, {len(TEST)} for the test")


def f1(tagger, sentences):
    """F1 of whole spans, as in lesson 05."""
    return span_f1([s.labels for s in sentences], tagger.predict(sentences))[2]


def f1_of_seeds(where, model="trained", epochs=8, **parts):
    """F1 of taggers that differ in their seed, with mean and interval."""
    train, test = read[model]
    found = []
    for seed in (0, 1, 2):
        options = TrainingOptions(epochs, 8, learning_rate=6e-3, seed=seed, progress=True)
        found.append(f1(train_elmo_tagger(train, where, options, **parts), test))
    return interval(found)


# %% slide="subslide"
first_look = {
    "word vectors\nalone": f1_of_seeds("none", epochs=48),
    "with layers that\nhave read nothing": f1_of_seeds("input", "untrained", epochs=48),
    "with the\ncourse's layers": f1_of_seeds("input"),
}
interval_bars(
    list(first_look),
    {"F1": list(first_look.values())},
    title=f"Fifty sentences, three seeds: {WHAT}",
    ylabel="F1 of spans, percent",
)

# %% [markdown]
# The same tagger, the same sentences; the first two even saw them six times as often as the third. (They learn slowly: still more passes would bring them a few points, and the third as well.) The middle bar is the control: the same letters, size and two directions, but no reading. The step from there to the last bar is what reading adds. Which layer holds it? Let us ask them one by one.

# %% [markdown] slide="slide"
# ## 2. Ask the neighbours
#
# A new face at a party. You cannot ask what they do for a living, but you can see whom they stand with. If the three nearest guests are doctors, you would bet on a doctor.
#
# That is the simplest **probe**: a small tool that looks at frozen vectors and names a label. This one learns nothing at all. For *bank* in a new sentence, find the occurrences of *bank* with the nearest vectors, and let their senses vote. We use the course's sentences for 28 words with two or three senses each. (A language model wrote them, and no native speaker has read all of them.)

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

# %% slide="subslide"
nearest_labels = or_reference("nearest_labels", nearest_labels)

SENSES = course_senses()
spoken = (*SENSES.train, *SENSES.test)
learnt = len(SENSES.train)
sense_of, word_of = (np.array([getattr(o, key) for o in spoken]) for key in ("label", "group"))
sense_vectors = {
    m: occurrence_vectors(MODELS[m], spoken, [0, 1, 2], progress=False) for m in MODELS
}


def senses_right(vectors):
    """(M,) whether each test sentence's sense was found, among the sentences of its word."""
    right = np.zeros(len(spoken), bool)
    for word in set(word_of):
        rows = np.flatnonzero(word_of == word)
        known, asked = rows[rows < learnt], rows[rows >= learnt]
        said = nearest_labels(vectors[known], sense_of[known].tolist(), vectors[asked], 3)
        right[asked] = np.array(said) == sense_of[asked]
    return right[learnt:]


by_layer = {
    m: [senses_right(vectors[:, layer]) for layer in range(3)]
    for m, vectors in sense_vectors.items()
}

# %%
predict(
    "best_for_senses",
    "Which layer will be best at senses?",
    options=["layer 0", "layer 1", "layer 2", "no clear winner"],
)

# %% slide="subslide"
LAYERS = ["layer 0", "layer 1", "layer 2"]
guessed = majority(word_of[:learnt], sense_of[:learnt], word_of[learnt:]) == sense_of[learnt:]
interval_bars(
    LAYERS,
    {m: [share_right(right, SENSES.test) for right in rights] for m, rights in by_layer.items()},
    title=f"Senses by the 3 nearest of 8 examples a sense ({len(guessed)} test sentences)",
    ylabel="right, percent",
    level=("always the same sense", 100 * np.mean(guessed)),
)

# %%
ahead = share_right(by_layer["trained"][2].astype(float) - by_layer["trained"][1], SENSES.test)
print("Layer 2 minus layer 1, in points, with the 95 % interval:")
print("  our sentences:", lead(ahead))
senseval = stored_result("layers_senseval").numbers["differences"]["layer 2 less layer 1"]
print("  four words of senseval, 1,000 examples each (stored):", lead(senseval))
verdict = "no clear winner" if ahead["low"] <= 0 <= ahead["high"] else "layer 2"
outcome("best_for_senses", verdict if ahead["high"] >= 0 else "layer 1")

# %% [markdown]
# Layer 0 sees no context: it can tell *bank* from *banks*, no more. Untrained layers see the sentence and are hardly better: seeing is not knowing. Layers 1 and 2 of the trained model know something about senses.
#
# Which of the two knows more? Look at the interval of the **difference**, not at two overlapping bars. Our 335 sentences cannot say. On the 1,519 test sentences of senseval, layer 2 is ahead by a little. (Nearly all of that comes from one of the four words, *serve*; the interval draws sentences anew, not words.) In the paper it is ahead, too: 67.4 for layer 1, 69.0 for layer 2 (F1, Table 5); the first sense of the dictionary has 65.9.

# %% [markdown]
# Would a **larger** biLM know more? We trained one with 1,024 cells in each direction in place of 448. Nothing else was changed: the same text, the same number of steps. It bets better. On sentences held out, its perplexity is 79.0, where ours has 84.7.

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
    LAYERS[1:],
    {n: stored_points(rows, map(row.format, (1, 2))) for n, (rows, row) in sizes.items()},
    title="Senses of hard, interest, line and serve, two sizes (stored)",
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

# %% [markdown] slide="slide"
# ## 3. Draw a line
#
# A second probe. It may learn, but only a straight cut: a **linear** probe gives each label a score, $x W + b$, and a softmax turns the scores into probabilities. It finds only what the vectors show plainly. (Exercise 6, at the end, derives how it learns.) Our labels now belong to **every** word: its part of speech. (Without the treebank, kinds of names take their place, on fewer words; the text below speaks of parts of speech.)

# %%
WORDS = labelled_words(2000, 2000)
every = (*WORDS.train, *WORDS.test)
n_train = len(WORDS.train)
vectors = {m: occurrence_vectors(MODELS[m], every, [0, 1, 2], progress=False) for m in MODELS}
forms, tags = [o.form for o in every], [o.label for o in every]
print(f"{WORDS.title}: {n_train:,} words to learn from, {len(WORDS.test):,} asked")
print(f"{len(set(tags))} labels: {' '.join(sorted(set(tags)))}")


def linear_right(vectors, labels):
    """(M,) whether a linear probe finds the label of each test word."""
    found = linear_probe(vectors[:n_train], labels[:n_train], vectors[n_train:])
    return found == np.array(labels[n_train:])


tags_right = {m: [linear_right(v[:, j], tags) for j in range(3)] for m, v in vectors.items()}

# %% slide="subslide"
by_heart = np.array(majority(forms[:n_train], tags[:n_train], forms[n_train:])) == tags[n_train:]
interval_bars(
    LAYERS,
    {m: [share_right(right, WORDS.test) for right in rights] for m, rights in tags_right.items()},
    title=f"A linear probe: {WORDS.title}",
    ylabel="right, percent",
    level=("the word's commonest label", 100 * by_heart.mean()),
)

# %% [markdown]
# In the paper's Table 6, parts of speech prefer layer 1: 97.3 against 96.8. With Table 5 this makes the famous sentence: *the lower layer knows syntax, the upper one meaning*. The gaps are half a point and one and a half. And ours?

# %%
pool = labelled_words(5 * n_train, 2000).train
pool_vectors = occurrence_vectors(MODELS["trained"], pool, [0, 1, 2], progress=False)


def lead_of_layer_1(start):
    """Layer 1 minus layer 2 on our test words; the probe learns from the pool, from `start` on."""
    known = slice(start, start + n_train)
    labels = [o.label for o in pool[known]]
    one, two = (
        linear_probe(pool_vectors[known, j], labels, vectors["trained"][n_train:, j])
        for j in (1, 2)
    )
    return float(np.mean(one == tags[n_train:]) - np.mean(two == tags[n_train:]))


live = share_right(tags_right["trained"][1] * 1.0 - tags_right["trained"][2], WORDS.test)
again = [lead_of_layer_1(start) for start in range(0, len(pool) - n_train + 1, n_train)]
pos = stored_result("layers_pos")
print("Layer 1 minus layer 2, in points, with the 95 % interval:")
print("  the figure's:", lead(live))
print("  other words to learn from, ours first:", ", ".join(f"{100 * x:+.1f}" for x in again))
if len(again) > 1:
    print("    their mean:", lead(interval(again)))
print(
    "  20,000 words to learn from (stored):",
    lead(pos.numbers["differences"]["layer 1 less layer 2"]),
)

# %% [markdown]
# One line says *ahead*, the others do not: they answer different questions. The interval of the first asks what other **test** sentences would have given. With other words to **learn** from, the lead is anything from nothing to a whole point; ours were the luckiest of five sets. The stored run learnt from ten times as many words, so the luck of the draw weighs less. The lead of layer 1 is half a point or none: both LSTM layers know both things. *An interval speaks only of what was drawn anew.*
#
# Now look back at layer 0. It sees no context and is not far behind, and even the **untrained** layer 0 is not bad. How can a layer that has never read a word know grammar?

# %% [markdown] slide="slide"
# ## 4. Can a probe cheat?
#
# The layer need not know grammar, for the probe learns. From two thousand labelled words it can learn **by heart** that *the* is an article, given any vector by which it recognises *the*. So look separately at words that it has met and words that are new. Two controls need no biLM: the word's commonest label, and a probe on **random numbers**, one vector for each spelling.

# %% slide="subslide"
random = np.random.default_rng(0)
noise = {form: random.standard_normal(512).astype(np.float32) for form in dict.fromkeys(forms)}
readers = {
    "commonest\nlabel": by_heart,
    "random\nnumbers": linear_right(np.array([noise[form] for form in forms]), tags),
    "untrained\nlayer 0": tags_right["untrained"][0],
    "trained\nlayer 0": tags_right["trained"][0],
    "trained\nlayer 1": tags_right["trained"][1],
}
met = np.isin(forms[n_train:], forms[:n_train])
rows = {"words that it has met": np.flatnonzero(met), "new words": np.flatnonzero(~met)}
print(f"{met.mean():.0%} of the test words occur among the words that the probe learns from.")
interval_bars(
    list(readers),
    {
        name: [
            share_right(right[some], [WORDS.test[i] for i in some]) for right in readers.values()
        ]
        for name, some in rows.items()
    },
    title=f"Words met and new words: {WORDS.title}",
    ylabel="right, percent",
)

# %% [markdown]
# On words that the probe has met, random numbers are nearly as good as the best layer: the probe has learnt by heart. New words tell the five apart far better. There random numbers fail, and so does the commonest label. The untrained layer 0 does better: endings say a lot, and even random filters pass them on. The step from there to the trained layer 0 is what reading adds. The step to layer 1 is what two things add together: one more layer, and the rest of the sentence.
#
# Hewitt and Liang ask how well the probe does where there is **nothing** to understand. In their **control task** every word type gets a random label and keeps it wherever it stands. A probe that is right here has learnt by heart. The real task's score minus this one is called **selectivity**.

# %% [markdown] exercise="control_labels"
# ### Exercise 2. Random labels
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

drawn = control_labels(forms, tags, np.random.default_rng(0))
drawn_right = {m: [linear_right(v[:, j], drawn) for j in range(3)] for m, v in vectors.items()}
recalled = np.array(majority(forms[:n_train], drawn[:n_train], forms[n_train:])) == drawn[n_train:]
interval_bars(
    LAYERS,
    {
        name: [share_right(right, WORDS.test) for right in rights]
        for name, rights in {
            "the real task": tags_right["trained"],
            "random labels": drawn_right["trained"],
            "random labels, untrained": drawn_right["untrained"],
        }.items()
    },
    title=f"How much can a linear probe learn by heart? {WORDS.title}",
    ylabel="right, percent",
    level=("a dictionary, random labels", 100 * recalled.mean()),
)

# %%
gaps = {
    m: [a * 1.0 - b for a, b in zip(tags_right[m], drawn_right[m], strict=True)] for m in MODELS
}
print("Selectivity, in points:")
for m in MODELS:
    print(f"  {m}, layers 0, 1, 2:", ", ".join(f"{100 * gap.mean():.1f}" for gap in gaps[m]))
more = share_right(gaps["trained"][2] - gaps["trained"][1], WORDS.test)
print("  trained, layer 2 minus layer 1, with the 95 % interval:", lead(more))
outcome("control", float(100 * drawn_right["trained"][0].mean()), unit="%")

# %% [markdown]
# Half of the random labels are found: learning by heart, measured. (The dashed line in the figure is a dictionary of the words met; for new words it says the commonest label.) In the untrained model, learning by heart works best from layer 0, where the *word itself* is easiest to recognise; higher up, a word's vectors differ from sentence to sentence. So a layer that is a little worse at the task can be the more honest witness. On the published ELMo, Hewitt and Liang report just that: layer 1 is slightly better at parts of speech, layer 2 substantially more selective. On ours, the last line printed shows no clear difference.

# %% [markdown] slide="slide"
# ## 5. Three broken probes
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
parts = broken_probes.three_parts(every, vectors["trained"], n_train)
seen = {
    name: broken_probes.symptoms(name, MODELS["trained"], *parts, nearest_labels)
    for name in broken_probes.RUNS
}
plots.table(
    np.array([[s.test, s.fresh, *s.offsets, s.moved] for s in seen.values()]),
    list(seen),
    ["test", "fresh", "before", "itself", "after", "moved"],
    title="The symptoms of four probes",
)

# %% [markdown] exercise="diagnose_probe"
# ### Exercise 3. Three broken probes
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
# ## 6. Freeze, mix, concatenate
#
# The paper's recipe (section 3.3) fits many models, because it changes nothing inside them:
#
# 1. **Freeze.** The biLM computes its layers and learns nothing more.
# 2. **Mix.** The task learns weights $s_j$ and a factor $\gamma$: $\text{ELMo} = \gamma \sum_j s_j h_j$. You built this in lesson 08.
# 3. **Concatenate.** Put the mix beside the task's *own* word vectors $x$, so that the RNN reads $[x\,;\,\text{ELMo}]$. In some tasks put a second mix, with weights of its own, beside what the RNN gives.
#
# (The token layer is already in the mix, as $h_0$; the $x$ beside it is the task's own: GloVe, or vectors that it learns. In question answering, ELMo is put beside each word of the question and of the passage.)

# %% [markdown] exercise="with_elmo"
# ### Exercise 4. Freeze, mix, concatenate
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

# %% slide="subslide"
with_elmo = or_reference("with_elmo", with_elmo)
scalar_mix = mine("scalar_mix")

yours = {"join": with_elmo, "mix": scalar_mix}
joined = {"none": first_look["word vectors\nalone"]} | {
    where: f1_of_seeds(where, **yours) for where in ("input", "output", "both")
}
interval_bars(
    list(joined),
    {"F1": list(joined.values())},
    title=f"Where the layers join, three seeds: {WHAT}",
    ylabel="F1, percent",
)


# %%
def winner(points, names):
    """The best, if it beats the second best seed by seed."""
    best, second, *_ = sorted(names, key=lambda name: -points[name]["mean"])
    ahead = interval(np.array(points[best]["values"]) - points[second]["values"])
    print(f"{best} minus {second}, in points:", lead(ahead))
    return best if ahead["low"] > 0 else "no clear winner"


outcome("where", winner(joined, ["input", "output", "both"]))

# %% [markdown]
# Anywhere is far better than nowhere; between the two best places three seeds see no difference. In the paper it depends on the task: question answering (SQuAD), entailment (SNLI) or semantic roles (SRL; Table 3, development sets).
#
# | | input | output | both |
# |---|---|---|---|
# | SQuAD | 85.1 | 84.8 | **85.6** |
# | SNLI | 88.9 | 88.7 | **89.5** |
# | SRL | **84.7** | 80.9 | 84.3 |
#
# At the output alone, no RNN comes after the mix to read along the sentence.

# %% [markdown] slide="slide"
# ## 7. Fewer labels, fewer passes
#
# How many passes does a tagger need, and how many labels? First the passes: one run with your `with_elmo`.

# %%
curve = []
train_elmo_tagger(
    read["trained"][0],
    "input",
    TrainingOptions(8, 8, learning_rate=6e-3, progress=True),
    after_epoch=lambda tagger: curve.append(f1(tagger, read["trained"][1])),
    **yours,
)
print("F1 with the layers, pass by pass:", ", ".join(f"{100 * x:.0f}" for x in curve))
print(f"word vectors alone, after 48 passes: {100 * joined['none']['mean']:.0f}")

# %% slide="subslide"
STORED = stored_result("taglm_chunking")
print(STORED)
amounts, scores = 100 * np.array(STORED.numbers["shares"]), STORED.numbers["f1"]
points = {
    f"{name} the biLM's top layer": {
        end: 100 * np.array([point[end] for point in scores[name]])
        for end in ("mean", "low", "high")
    }
    for name in ("without", "with")
}
plots.curves(
    amounts,
    {name: point["mean"] for name, point in points.items()},
    bands={name: (point["low"], point["high"]) for name, point in points.items()},
    title="Chunks, the tagger of lesson 05 (stored, five or three seeds)",
    xlabel="labels, percent of the training set",
    ylabel="F1, percent",
    log_x=True,
)

# %% [markdown]
# After three passes the tagger with the layers is far above the other after forty-eight. With the biLM and 1 % of the labels (and as many again to know when to stop), the tagger of the figure passes what it reaches alone with ten times as many. (It reads the top layer, not the mix, and nobody has run it with an untrained biLM.) The paper reports both savings for semantic roles (section 5.4). Without ELMo the best epoch was the 486th; with ELMo that score was passed in the 10th. And with 1 % of the training set, ELMo was about as good as the baseline with 10 %. But a pass with ELMo is dearer, for every sentence goes through the biLM first.

# %% [markdown] slide="slide"
# ## 8. What it costs
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


text = [s.words for s in TEST]
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
# ### Exercise 5. What keeping costs
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
    f"Weights for {WORDS.title}, layers at their own scale: which gets the most?",
    options=["layer 0", "layer 1", "layer 2"],
)

# %% slide="subslide"
TASKS = {"senses": (spoken, sense_vectors, learnt), "words": (every, vectors, n_train)}
layered = {
    (task, one_scale): LabelledLayers.of(words, found["trained"], one_scale=one_scale)
    for task, (words, found, _) in TASKS.items()
    for one_scale in (False, True)
}


def mixed(task, one_scale=False, **how):
    """A linear probe on your mix of the layers; at most 800 examples, 1,000 are asked."""
    data, known = layered[task, one_scale], TASKS[task][2]
    train, test = data.take(slice(0, min(known, 800))), data.take(slice(known, known + 1000))
    return mixed_probe(train, test, scalar_mix, progress=True, **how)


weights = {
    f"{task},\n{'one scale' if one_scale else 'own scale'}": [
        mixed(task, one_scale=one_scale, seed=seed).weights for seed in (0, 1, 2)
    ]
    for task in TASKS
    for one_scale in (False, True)
}
interval_bars(
    list(weights),
    {f"layer {j}": [interval([w[j] for w in runs]) for runs in weights.values()] for j in range(3)},
    title="Learned mixing weights (three seeds)",
    ylabel="weight s, percent",
)

# %%
sizes = vectors["trained"].std((0, 2))
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
fixed = {task: [mixed(task, **how).correct for how in choices.values()] for task in TASKS}
asked = {task: words[known : known + 1000] for task, (words, _, known) in TASKS.items()}
interval_bars(
    list(choices),
    {task: [share_right(right, asked[task]) for right in rights] for task, rights in fixed.items()},
    title="The same probe with fixed weights (one run each)",
    ylabel="right, percent",
)

# %%
for task, (_, one, two, average, mix) in fixed.items():
    print(f"{task}: learned minus average", lead(share_right(mix * 1.0 - average, asked[task])))
    print(f"{task}: layer 1 minus layer 2", lead(share_right(one * 1.0 - two, asked[task])))

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
from autograde import progress

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

# %% [markdown] slide="slide"
# ## If you have time: how a linear probe learns
#
# This section takes about 17 minutes. Nothing above or in later lessons needs it.
#
# To learn, the probe of section 3 needs to know in which direction to turn. Its loss is the mean surprise plus a small price on large weights. Here $y_n$ is the right label of word $n$, $p_{n,k}$ the probability of label $k$, and $\lambda$ says how hard the weights are pulled to 0:
#
# $$\mathcal{L} = -\frac{1}{N} \sum_{n=1}^{N} \log p_{n, y_n} + \frac{\lambda}{2} \lVert W \rVert^2 \qquad\qquad p_{n,k} = \frac{e^{x_n W_{:,k} + b_k}}{\sum_{m} e^{x_n W_{:,m} + b_m}}$$

# %% [markdown] exercise="probe_gradient"
# ### Exercise 6. The slope of a linear probe (derive it)
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

# %%
probe_gradient = or_reference("probe_gradient", probe_gradient)

layer = vectors["trained"][:, 1]
given = layer[:n_train], tags[:n_train], layer[n_train:]
theirs = linear_probe(*given)
for decay in (0.05, 5.0):
    found = linear_probe(*given, gradient=probe_gradient, l2=decay)
    right, differ = np.mean(found == tags[n_train:]), np.mean(found != theirs)
    print(f"λ = {decay}, with your gradient: {right:.1%} right; {differ:.1%} unlike section 3")

# %% [markdown]
# With the λ of section 3 your gradient gives the same answers. With a hundred times as much, the weights are held so small that more than a third of the right answers is lost.

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
tried = {name: mixed("words", **how) for name, how in gammas.items()}
plots.curves(
    np.arange(5, 61, 5),
    {name: 100 * probe.curve for name, probe in tried.items()},
    title=f"γ fixed, or learned ({WORDS.title}; one run each)",
    xlabel="steps",
    ylabel="right, percent",
)

# %%
print(f"learned: γ = {tried['γ learned'].gamma:.2f}")
lost = {
    name: share_right(tried["γ learned"].correct * 1.0 - probe.correct, asked["words"])
    for name, probe in tried.items()
}
for name in list(gammas)[:-1]:
    print(f"learned minus {name}, in points:", lead(lost[name]))
outcome("gamma", 100 * lost["γ 0.01"]["mean"], unit="points")

# %% [markdown]
# With γ = 0.01 the probe sees numbers a hundred times too small and needs weights a hundred times as large. In sixty steps it does not get there. (Why its curve dips on the way, no cell here has measured.) With larger steps it does, at the same γ. And a γ fixed at 1 is as good as a learned one. So for these layers, whose numbers are of ordinary size, γ insures the score against a scale that does not fit the steps. We have measured no more than that, on one task.

# %% [markdown]
# ## Further reading
#
# - The ELMo paper, sections 5.1 to 5.5, with the tables of this lesson.
# - Hewitt and Liang, [*Designing and Interpreting Probes with Control Tasks*](https://arxiv.org/abs/1909.03368): also on probes that are too strong.
# - In the package: `elmo_mini/tagging/elmo_tagger.py` is section 6, `elmo_mini/probing/probe.py` the probe with all its baselines; `python -m elmo_mini probe --help` asks any checkpoint. `elmo_mini/vectors/cache/writing.py` keeps vectors on disk, types once.
#
# Next: **10 · AWD-LSTM**, which is being written.

# %% [markdown] instructor=true
# **Instructor, common questions.** *Is a probe without training not the most honest one?* It cannot learn by heart more than its examples, but it sees only the directions with the most variance; a linear probe finds what is small and clean. *Why not a deep probe?* It finds more and proves less: see selectivity in Hewitt and Liang. *Why is the untrained layer 1 worse than the untrained layer 0?* Random LSTMs blur the word with its neighbours, and what the probe recognised is harder to recognise. *Could we fine-tune the biLM?* As a language model on the task's text, then frozen: the paper does so in most experiments (section 3.4). With the task's own loss: lesson 11. *Poll before the myth:* "Which layer gets most weight in a task of syntax?" Most will say 1.
