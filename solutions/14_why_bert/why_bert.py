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
# # 14 · Why pretraining, and BERT
#
# You have built a reader of both sides and a writer, and you have seen that pretrained weights help. There are three explanations: a better place to begin, a leash against learning by heart, and knowledge of the language. Here you test each with an experiment that could have failed. Then you read BERT's tables as somebody who knows what to ask of them.

# %%
import numpy as np
import torch
from torch.nn import functional

from autograde import calibration, check, or_reference, outcome, predict, progress
from elmo_mini.experiments import published_tables as drawn
from elmo_mini.experiments import tuning_report as report
from elmo_mini.experiments.broken_bodies import four_runs, print_symptoms
from elmo_mini.experiments.tuning_bench import KINDS, bench, optimizer_of
from elmo_mini.figures import plots
from elmo_mini.figures.two_ways import two_ways
from elmo_mini.results import published
from elmo_mini.results.stored import stored_result

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% tags=["road"]
plots.road("14")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - write the loop that fine-tunes a pretrained Transformer, with warm-up and a pull to the start,
# - tell what pretrained weights owe to their scale, and what to what they have learnt,
# - derive a penalty from a prior, and say when the prior wins,
# - say how many labels pretraining is worth, with its control in the same figure,
# - find out why a fine-tuning run gained nothing from its checkpoint,
# - read the tables of ELMo's and BERT's papers without being taken in.
#
# ## The papers
#
# **BERT**: Devlin and others, [arXiv:1810.04805](https://arxiv.org/abs/1810.04805), version 2: tables 1 to 7. **ELMo**: Peters and others, [N18-1202](https://aclanthology.org/N18-1202), table 1. **GPT**: Radford and others, *Improving language understanding by generative pre-training*, 2018, section 3.2 and table 5. **The pull to the start**: Li, Grandvalet and Davoine, [arXiv:1802.01483](https://arxiv.org/abs/1802.01483).
#
# The lesson takes 110 minutes, or 90 without exercises 4 and 6. Exercises 1, 2, 3 and 5 are the spine; the lesson goes on without the others.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $w$ | the weights of the body | $N$ | labels to learn from |
# | $w_0$ | where they stand before fine-tuning | $x_n, y_n$ | an example, and its label |
# | $\tau$ | spread of the prior around $w_0$ | $\lambda$ | strength of the pull to $w_0$ |
# | $S$ | steps of a run | $D$ | numbers in a state |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes: section 1, 7; section 2, 15; section 3, 26; section 4, 22; section 5, 6; section 6, 11; section 7, 9; section 8, 10; the rest, 4: 110. For 60 minutes, show exercise 3 solved and leave out exercises 4 and 6. Students get stuck in exercise 2 on the highest rates: they multiply the rate of the step before. Let them print the rates. The task ships with the course, so everything that runs here is the same with and without the NLTK corpora.

# %% [markdown] slide="slide"
# ## 1. Fifty labels
#
# A sentence is cut at a random place. Which class of word is the last one? *Run* may be a noun or a verb, *that* an article or a conjunction: then what stands before it decides. Often the word alone will do. You get 50 labelled beginnings, from letters, essays, talk and news (MASC). The pretrained weights are those of the president of lesson 13. They have read speeches, and not one of these texts.

# %%
it = bench()
TASK, SEEDS = it.task, (0, 1, 2)
for text, label in list(zip(TASK.train.texts, TASK.train.labels, strict=True))[:5]:
    print(f"  {' '.join(text)}  ->  {TASK.classes[label]}")
known = TASK.train.drawn(50, 0)

# %% [markdown]
# The network is your block of lesson 13, three times. On top of it stands one linear layer, the **head**. It reads the state of the last word and gives a score to each class. Everything below the head is the **body**. Two networks are trained on the same 50 labels, body and head together. One body is pretrained, the other is fresh.

# %%
predict("win", "How many points is the pretrained network ahead of the fresh one?")

# %% slide="subslide"
first = {kind: it.tuned(it.weights(kind, 0), known, 0) for kind in ("fresh", "pretrained")}
report.first_figure(it, first, known)

# %%
right = {kind: it.right(model, TASK.test).mean() for kind, model in first.items()}
outcome("win", 100 * (right["pretrained"] - right["fresh"]))

# %% [markdown]
# Four sceptics stand in the figure. A bag of words and naive Bayes read the whole beginning and do not know which word came last: they do no better than the commonest class. The third knows what to look at: the last word, its endings, the word before. It beats the fresh network, not the pretrained one. The fourth takes one thing from the pretrained network, the **vector of the last word**, frozen, and needs no network at all. It does as well as the whole, or better. Remember that bar: section 2 comes back to it.
#
# **The bag does not always lose.** Where a question is about the topic, single words carry the answer. Section 5 has such a question.
#
# This is how the field's habits changed: first people wrote features by hand, as our third sceptic does; then networks learnt everything from labels; then word vectors were carried over; then, from Dai and Le in 2015 to BERT, the whole network.

# %% slide="subslide"
two_ways("Two ways to a model of the task")

# %% [markdown] slide="slide"
# ## 2. First explanation: a better place to begin
#
# You look for a restaurant in a foreign town. From the city centre, any direction leads to one soon. From a field outside you may walk for hours. Training walks through the space of weights; pretraining chooses where it begins.
#
# That may mean two things. Perhaps the pretrained weights merely have a good **size**: neither too large nor too small, some outliers. Then any weights of that size would do. Or it matters **which** number stands where. There is a cheap way to tell: put the numbers of each matrix in random order.

# %% [markdown] exercise="scrambled"
# ### Exercise 1. Keep the numbers, lose the places
#
# Write `scrambled(weights, generator)`. `weights` is what `state_dict()` gives: a dict of tensors, of one or more axes. Return a dict of new tensors with the same names and shapes. Each tensor has exactly its own numbers again, every one of them in a random place of that tensor. All chance comes from `generator`, so that somebody else can draw the same weights.


# %% exercise="scrambled"
def scrambled(weights, generator):
    """The same numbers in every tensor, in random order."""
    ### BEGIN SOLUTION
    found = {}
    for name, tensor in weights.items():
        order = torch.randperm(tensor.numel(), generator=generator)
        found[name] = tensor.flatten()[order].view(tensor.shape)
    return found
    ### END SOLUTION


# %% check="scrambled"
check("scrambled", scrambled)

# %% [markdown] hints="scrambled"
# nudge: A matrix has two axes, a vector one. How do you treat them all alike? What would be left of a word vector if only whole rows changed places?
#
# idea: Lay a tensor out in one row, reorder the row, give it its shape back. `torch.randperm` draws an order, and takes a generator.
#
# outline: For each name: an order of all its numbers, drawn from the generator; flatten, take in that order, view in the old shape.

# %%
predict("size", "Of the lead over fresh weights, how much do scrambled ones keep?", unit="%")

# %% slide="subslide"
scrambled = or_reference("scrambled", scrambled)
begun = report.answers(it, {kind: {"kind": kind} for kind in KINDS}, SEEDS, scramble=scrambled)
report.share_bars(begun, "Scrambled, the weights lose most of their worth (three draws)")

# %%
shares = report.right_by(begun)
pretrained, mixed, fresh = (shares[kind]["mean"] for kind in KINDS)
print("pretrained less scrambled:", report.difference_of(begun, "pretrained", "scrambled"))
print("scrambled less fresh:     ", report.difference_of(begun, "scrambled", "fresh"))
outcome("size", 100 * (mixed - fresh) / (pretrained - fresh), unit="%")

# %% [markdown]
# (The whiskers are over draws of labels and over the texts of the test.) Both halves of the explanation have something to them. Scrambled weights do a little better than fresh ones: a good size is worth something, at least with so few labels. The pretrained ones are far ahead of both. What has been learnt lies in the places.
#
# Where in the network does it lie? Keep the pretrained weights from the bottom up to some height, and scramble everything above.

# %% slide="subslide"
kept = report.answers(it, {up: {"kept": up} for up in ("words", "block 1", "block 2")}, SEEDS)
kept = {"nothing": begun["scrambled"], **kept, "block 3": begun["pretrained"]}
report.share_bars(kept, "Kept from the bottom up to ...: here the word vectors carry it all")

# %% [markdown]
# The bar *words* is word2vec's idea: carry over the table, learn the rest. (This table comes from a language model.) The last bar carries over everything, as ULMFiT, GPT and BERT do. Here they come out alike: with good word vectors, the blocks above may even be scrambled. The class of a word is mostly the word's own affair. So this task shows that pretraining helps, and not that it takes a Transformer. (That the table itself was learnt by reading in order, section 5 shows.)

# %% [markdown] slide="slide"
# ## 3. The loop
#
# So far the course's loop stood in. Write yours. Three habits of fine-tuning go into it.
#
# **Two rates.** The head begins at random and must learn fast. The body knows something already. So the optimizer has two groups of parameters, each with a highest rate of its own.
#
# **Warm-up.** The first gradients come through a random head: they are noise. BERT and GPT begin with small steps. The rate rises, then falls.
#
# **A leash.** The body may be held near its start $w_0$. What is minimised is the mean loss of the batch plus
#
# $$\frac{\lambda}{2} \lVert w - w_0 \rVert^2 .$$
#
# Section 4 derives it. With $\lambda = 0$ this is plain fine-tuning.

# %% [markdown] exercise="tune" slide="subslide"
# ### Exercise 2. The loop of fine-tuning
#
# Write `tune(model, batches, optimizer, warm_up, pull)`. It takes one step for each batch `(ids, mask, labels)` of the list. `model(ids, mask)` gives scores; `model.body` and `model.head` are its two parts. This must be true:
#
# - The losses are cross-entropies, means over a batch. The pull, of strength `pull`, holds the body to where it stands when `tune` is called. It leaves the head alone.
# - Each group of `optimizer.param_groups` comes with its highest rate in `group["lr"]`. In step `warm_up` (counted from 1) the rate is the highest. In the first step it is that divided by `warm_up`, and it rises in a straight line. After step `warm_up` it falls in a straight line that meets the highest rate at step `warm_up + 1` and 0 one step after the last.
# - The model learns in training mode and is left in evaluation mode.
# - You return the loss of each batch before its step, a plain number, without the pull.


# %% exercise="tune"
def tune(model, batches, optimizer, warm_up, pull):
    """One step for each batch; the mean loss of each batch before its step."""
    ### BEGIN SOLUTION
    start = [weight.detach().clone() for weight in model.body.parameters()]
    highest = [group["lr"] for group in optimizer.param_groups]
    steps, losses = len(batches), []
    model.train()
    for step, (ids, mask, labels) in enumerate(batches):
        share = min((step + 1) / warm_up, (steps - step) / (steps - warm_up))
        for group, rate in zip(optimizer.param_groups, highest, strict=True):
            group["lr"] = rate * share
        loss = functional.cross_entropy(model(ids, mask), labels)
        there = zip(model.body.parameters(), start, strict=True)
        away = sum(((now - then) ** 2).sum() for now, then in there) if pull else 0
        optimizer.zero_grad()
        (loss + pull / 2 * away).backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return losses
    ### END SOLUTION


# %% check="tune"
check("tune", tune)

# %% [markdown] hints="tune"
# nudge: Which three things must be remembered before the first step? Write down the rate of each of ten steps with a warm-up of two.
#
# idea: The start is a copy, `detach().clone()`: what is only detached moves along. The two straight lines meet, so the share is the smaller of them. The pull is a sum of squares over all tensors of the body.
#
# outline: Keep copies of the body and the highest rates; training mode. For each batch: set the rates, loss, distance, zero the slopes, backward of loss plus half the pull times the squared distance, step, note the loss. Evaluation mode; return the losses.

# %% slide="subslide"
tune = or_reference("tune", tune)
yours = it.classifier(it.pretrained, 0)
losses = tune(yours, it.batches(known, 100, 0), optimizer_of(yours), 10, 0.0)
print(
    f"{it.right(yours, TASK.test).mean():.0%} right on the test; the last loss is {losses[-1]:.3f}"
)
for text in ("we can", "the can", "to run", "a long run"):
    scores = yours(*it.numbers([text.split()]))
    print(f"  {text}  ->  {TASK.classes[int(scores.argmax())]}")

# %% [markdown]
# That is your loop and your block. Read the four answers with care: it has seen 50 labels.
#
# ### Two modes
#
# Set the body's rate to 0, and only the head learns, on frozen states: that is the **feature-based** mode, ELMo's. With a rate for the body it is **fine-tuning**, as with Dai and Le, ULMFiT, GPT and BERT. One number lies between two schools. Which of them is ahead?

# %%
schools = ["frozen", "fine-tuned", "about the same"]
predict("modes", "50 labels: which mode answers better?", options=schools)

# %% slide="subslide"
modes = report.answers(it, {"frozen": {"body_rate": 0.0}}, SEEDS, tune=tune)
between = report.difference_of(modes | {"fine-tuned": begun["pretrained"]}, "fine-tuned", "frozen")
print(f"fine-tuned less frozen: {between}")
said = ["behind", "ahead", "no clear difference"]
outcome("modes", schools[said.index(between.partition(": ")[2])])

# %% [markdown]
# Peters, Ruder and Smith compared both modes for ELMo and BERT in 2019 ([arXiv:1903.05987](https://arxiv.org/abs/1903.05987)). BERT's own paper has them side by side for names (its table 7).

# %% slide="subslide"
drawn.features_figure("BERT-base on names: frozen layers come close to fine-tuning (their table 7)")

# %% [markdown]
# Side by side, the last four layers, frozen, are 0.3 points behind fine-tuning. (A network of two LSTMs stands on top of the frozen ones.) Fine-tuning resembles what people do with photos, and it needs no new network for each task. Frozen vectors can be computed once and kept, as in lesson 09. Neither mode has won for good.

# %% [markdown] slide="slide"
# ## 4. Second explanation: a leash
#
# A network with 700,000 weights learns 50 labels by heart, wherever it begins. Perhaps pretraining does not only help to reach a low training loss: perhaps, of all the places with a low training loss, it ends in one that also holds for new texts. That is **regularisation**. How could one tell it from better optimisation? Erhan and others asked in 2010 (*Why does unsupervised pre-training help deep learning?*, JMLR): compare networks **at equal training loss**. If pretraining is only faster, both kinds lie on one curve.

# %% slide="subslide"
title = "At equal training loss, pretrained weights do better on new texts"
report.trained_and_held_out(it, KINDS[::2], SEEDS[:2], title=title)

# %% [markdown]
# The corners are runs of 10, 20, 40 and 80 steps. The two kinds share no curve. At the same training loss, the pretrained network does better on new texts. So there is more than speed, at least here. (Ramachandran, Liu and Le found one of each, in lesson 04: in translation pretraining helped to generalise, in summarisation to optimise.)
#
# ### The leash, as a belief
#
# Here is a way to say it with probabilities. Before you see a label, you believe that good weights lie near $w_0$: each weight has a normal distribution around its start, with spread $\tau$. That is the **prior**. The labels say how likely they are, given weights: the **likelihood**. Their product is, up to a constant, the **posterior**. What is its most likely point?

# %% [markdown] exercise="prior_gradient" slide="subslide"
# ### Exercise 3. A prior around the start (derive it)
#
# First with pen and paper. Two classes and a linear classifier: $p(y = 1 \mid x) = \sigma(w \cdot x)$. The prior: the $D$ weights are independent, weight $i$ is normal with mean $w_{0,i}$ and standard deviation $\tau$. Write down $-\frac{1}{N} \log p(w \mid y_1, \dots, y_N)$. What does not hang on $w$, you may drop. Take its slope by $w$.
#
# Then write `prior_gradient(weights, start, spread, x, labels)`: that slope, (D,). `weights` and `start` are (D,), `spread` is a number, `x` is (N, D), `labels` is (N,), 0 or 1. Compare with exercise 2: which $\lambda$ belongs to $\tau$ and $N$?


# %% exercise="prior_gradient"
def prior_gradient(weights, start, spread, x, labels):
    """The slope of -log p(weights | labels) / N, (D,)."""
    ### BEGIN SOLUTION
    surprise = torch.sigmoid(x @ weights) - labels
    pull = (weights - start) / spread**2
    return (x.T @ surprise + pull) / len(x)
    ### END SOLUTION


# %% check="prior_gradient"
check("prior_gradient", prior_gradient)

# %% [markdown] hints="prior_gradient"
# nudge: The logarithm of a product is a sum. How many terms come from the labels, how many from the prior?
#
# idea: For one label, the slope of $-\log p$ by the score is $\sigma - y$. For one weight, $-\log$ of the normal distribution is $(w_i - w_{0,i})^2 / 2\tau^2$ and a constant.
#
# outline: Chance less label for each example, times its x, summed over the examples. Add weights less start, over the squared spread. Divide everything by N.

# %% [markdown] model_answer="prior_gradient"
# $-\frac1N \log p(w \mid y) = \frac1N \sum_n -\log p(y_n \mid x_n, w) + \frac{1}{2 N \tau^2} \lVert w - w_0 \rVert^2 + \text{const}$. The slope of one label's part is $(\sigma(w \cdot x_n) - y_n)\, x_n$; the prior's is $(w - w_0) / \tau^2$; both are divided by $N$. So the pull of exercise 2 is $\lambda = 1 / (N \tau^2)$. With few labels it is strong, and the prior decides. With many it fades, and the labels decide. A narrow belief (small $\tau$) pulls harder. Weight decay is the same with $w_0 = 0$: the belief that good weights are small.

# %% [markdown]
# So your `pull` is a prior with $\lambda = 1 / (N \tau^2)$. Plain weight decay is one, too, with its middle at 0. With few labels a prior should matter. Does it matter **where its middle is**?

# %%
predict("leash", "A strong pull to 0, not to the start: how many points does it cost?")

# %% slide="subslide"
ways = {f"to start, {size:g}": {"pull": size} for size in (0.3, 3)}
ways |= {f"to 0, {size:g}": {"decay": size} for size in (0.3, 3)}
pulled = {"none": begun["pretrained"]} | report.answers(it, ways, SEEDS, tune=tune)
report.share_bars(pulled, "A pull to 0 seems to cost points, a pull to the start none")

# %%
to_start, to_0 = (report.right_by(pulled)[f"to {name}, 3"]["mean"] for name in ("start", "0"))
print("to start less to 0, 3:", report.difference_of(pulled, "to start, 3", "to 0, 3"))
print("to start, 3, less none:", report.difference_of(pulled, "to start, 3", "none"))
outcome("leash", 100 * (to_start - to_0))

# %% [markdown]
# The middle seems to matter: the belief *good weights are small* costs some points, though with three draws the interval just touches 0. The belief *good weights are near these* costs nothing. But it does not help either, at the strengths that we tried. Even without a leash, 100 small steps hardly leave the neighbourhood of the start (section 7 shows by how much). ELMo, ULMFiT and BERT have no such penalty; their leash is the short training and the small rate. **The prior is a good way to think of pretraining, and here no trick that pays.**

# %% [markdown] slide="slide"
# ## 5. Third explanation: knowledge
#
# To guess the next word, one must know that a verb follows *to*, that *Congress* is a body of people, that winters are cold. Syntax, meaning and some facts are paid for in the same coin. If that is why pretraining helps, it must matter **what** was read. So three models of one size were pretrained on as many tokens: on speeches; on the same speeches with the words of each sentence shuffled; on film reviews. They are smaller than the president, and know 1,000 words.
#
# And there are two tasks. One is ours. The other asks what kind of thing a question wants to know (TREC-6): a person, a place, a number.

# %%
tasks = ["class of the last word", "kind of question", "both", "neither"]
predict("order", "Which task suffers from shuffled pretraining?", options=tasks)

# %% slide="subslide"
knowledge = stored_result("why_bert_knowledge")
title = "Reading in order helps with the word; with the question, reading does not help (50 labels)"
report.knowledge_figure(knowledge.numbers["right"], title=title)

# %%
knowledge

# %%
outcome("order", report.suffering(knowledge.numbers["right"]))

# %% [markdown]
# For the class of a word, order is what must have been read. Weights from shuffled sentences are behind even fresh ones. The topic hardly matters: film reviews serve as well as speeches, for it is grammar that is asked for. On the questions reading did not help at all: after shuffled speeches, and perhaps after ordered ones, the network is behind one that has read nothing, and a bag of words is as good as any. Two things stand in its way. These networks know 1,000 words, so three in ten words of a question are `<unk>`, while the bag knows them all. And the head reads the state at the last token, which is nearly always the question mark. (After more reading there is a gain: lesson 11.)
#
# So knowledge is the strongest of the three explanations and the narrowest: **what was read must hold what is asked.** This is one pretraining run of each kind, and the intervals do not know that.
#
# ### Which knowledge for which task?
#
# Names need the form of a word and its neighbours, opinions need what words mean, answering questions needs both, and facts. Linguists have long described language in such layers, from word forms to sentences to meaning; lesson 09 found some of them. Whether **one** representation can serve every task is a hypothesis. In photos it came true early: edges, textures and shapes serve all. Language is more abstract, and its tasks differ more. ELMo's weighted layers are one answer: let the task choose.

# %% [markdown] slide="slide"
# ## 6. What are the labels worth?
#
# In medicine or law, an hour of an expert buys a handful of labels. So the right unit for pretraining is labels saved. Change one thing, the number of labels. **Before you look:** when does the fresh network reach what the pretrained one does with 50?

# %%
predict("catch", "How many labels until fresh weights do as well as pretrained ones with 50?")

# %% [markdown] exercise="labels_needed"
# ### Exercise 4. What are the labels worth?
#
# Write `labels_needed(labels, right, level)`. `labels` are rising numbers of labels, `right` the share of right answers at each. Return the number of labels at which the curve **first** reaches `level`. Between two points the curve is a straight line over the **logarithm** of the labels. If the first point is at the level or above it, return its number of labels; if the curve never reaches the level, infinity.


# %% exercise="labels_needed"
def labels_needed(labels, right, level):
    """The number of labels at which the curve first reaches the level."""
    ### BEGIN SOLUTION
    if right[0] >= level:
        return float(labels[0])
    for i in range(1, len(labels)):
        if right[i] >= level:
            share = (level - right[i - 1]) / (right[i] - right[i - 1])
            return float(labels[i - 1] * (labels[i] / labels[i - 1]) ** share)
    return float("inf")
    ### END SOLUTION


# %% check="labels_needed"
check("labels_needed", labels_needed)

# %% [markdown] hints="labels_needed"
# nudge: Find the first point that reaches the level. Between which two points does the curve cross it?
#
# idea: How much of the way up from one point to the next is done at the level? Go the same share of the way between the two logarithms.
#
# outline: The first point first. Then each pair of neighbours: if the right one reaches the level, the share of the way, and the left number times the ratio of both to that power. At the end, infinity.

# %% slide="subslide"
labels_needed = or_reference("labels_needed", labels_needed)
curves = stored_result("why_bert_labels")
report.label_curves(
    curves.numbers["right"],
    title="What pretraining is worth, by the number of labels (three draws)",
)

# %%
curves

# %%
needed = report.saved_labels(curves.numbers["right"], labels_needed)
for name, number in needed.items():
    print(f"{name:>22}: {number:,.0f} labels for what the pretrained one does with 50")
outcome("catch", min(needed["fresh"], 3_200))

# %% [markdown]
# The fresh network needs about six times as many labels in these three draws (the pretrained level itself moves between 57 and 69 % from draw to draw, so the six may be four or eleven). That is what the reading was worth, and as you saw, most of it lies in the table of words. Now look at the sceptic's features, two words and endings. They save labels, too, and with 3,200 labels they have all but caught up with the pretrained network, while the fresh one has not. Pretraining buys labels; so does somebody who knows what to look at. And the lead of scrambled over fresh weights is gone as soon as there are 200 labels: size was a small help at the very beginning.
#
# *"With 10 to 20 % of the labels you reach 80 to 90 % of the performance"* circulates without a source. It is a weak claim in any case: with a quarter of its labels, the fresh network, too, has nine tenths of what it has with all of them. Ask for the control, always.

# %% [markdown] slide="slide"
# ## 7. Three broken runs
#
# Four runs on the same 50 labels. One is sound. A, B and C have one fault each, from this list. All four end without an error.
#
# 1. the names in the file and in the model differ, and nobody notices
# 2. the body is frozen
# 3. the body learns thirty times too fast, without a warm-up
# 4. the labels belong to other texts
# 5. the head is not among the parameters of the optimizer
# 6. the body is pulled to 0, not to its start

# %% slide="subslide"
runs = four_runs(it)
report.broken_figure(runs)

# %%
print_symptoms(runs)

# %% [markdown] exercise="broken_bodies"
# ### Exercise 5. Three broken runs
#
# Which run has which fault? Return a dict with the number of each: `{"A": ..., "B": ..., "C": ...}`.


# %% exercise="broken_bodies"
def broken_bodies():
    """The number of each run's fault."""
    ### BEGIN SOLUTION
    return {"A": 1, "B": 3, "C": 2}
    ### END SOLUTION


# %% check="broken_bodies"
check("broken_bodies", broken_bodies)

# %% [markdown] hints="broken_bodies"
# nudge: What did each body know of language before its run?
#
# idea: How far a body has moved tells a gentle run from a wild one, and from one that sleeps.
#
# outline: One body knows no language at the start. One has moved more than its own length. One has not moved.

# %% [markdown] model_answer="broken_bodies"
# **A** loads nothing: `load_state_dict(..., strict=False)` skips names that do not fit, and says so only to those who read what it returns. The training loss falls to 0 all the same; only the perplexity before the run, that of a guess among 4,000 words, gives it away. Ask for the list of names that fit, each time. **B** has torn its body apart in the first steps: its distance is larger than its length, its language is gone, and the loss never recovers. **C** is frozen: the body stands exactly where it stood. It answers rather well, so nobody looks.

# %% [markdown] slide="slide"
# ## 8. What was published
#
# BERT's paper appeared in October 2018 and claimed the lead on eleven tasks. You are now somebody who can read its tables.

# %% slide="subslide"
drawn.glue_figure("GLUE: BERT leads each task, ELMo's entry does not lead the older ones (table 1)")

# %% [markdown]
# Look at the entry with ELMo. On seven of eight tasks it lies below what was best before GPT, which was another system on each task. Now the distances. From 95 to 97 looks small, and two fifths of the error are gone.

# %% [markdown] exercise="error_reduction"
# ### Exercise 6. How much of the error is gone?
#
# Write `error_reduction(before, after)` for two arrays of scores that run to 100. For each task, return which share of the error is gone, in percent. If a score became worse, the number is negative.


# %% exercise="error_reduction"
def error_reduction(before, after):
    """The share of the error that is gone, in percent, for each task."""
    ### BEGIN SOLUTION
    return 100 * (after - before) / (100 - before)
    ### END SOLUTION


# %% check="error_reduction"
check("error_reduction", error_reduction)

# %% [markdown] hints="error_reduction"
# nudge: A score of 80 has an error of 20. A score of 85 has one of 15. How much of the 20 is gone?
#
# idea: The error before is the whole. The gain is the part that is gone.
#
# outline: The gain, over what was missing to 100 before, times 100.

# %% slide="subslide"
error_reduction = or_reference("error_reduction", error_reduction)
glue = {name: np.array(scores) for name, scores in published.GLUE.items()}
gone = error_reduction(glue["GPT"], glue["BERT-large"])
drawn.gone_figure(gone, "How much of GPT's error BERT-large removed (GLUE, test)")

# %%
for task, scores in published.ELMO.items():
    (gone,) = error_reduction(*np.array([scores]).T)
    print(f"ELMo on {task}: {scores[1] - scores[0]:.1f} points, {gone:.1f} % of the error is gone")

# %% [markdown]
# The famous 25 % of ELMo are the error of question answering. In points of F1 they are 4.7. ELMo's own text says "6 – 20 %", and its table 1 says 5.8 to 24.9. The smallest of the six, on entailment (SNLI), is 0.7 points.

# %% slide="subslide"
drawn.squad_and_swag(
    "Finding answers and choosing endings: past one person's score (tables 2 and 4)"
)

# %% [markdown]
# SWAG's expert saw 100 examples, and five annotators together are still ahead there.
#
# **What it cost.** BERT-base ran for four days on 16 chips, BERT-large for four days on 64. Their text has 3.3 billion words. Your president read 300 thousand, in two minutes. That is the other half of *why BERT*: somebody paid once, and everybody fine-tunes for pennies. Its paper tries no task in which text is written.

# %% slide="subslide"
drawn.fixed_and_open("Four models of one year: what each fixed, and what it left open")

# %% [markdown]
# ### Opinions, with what speaks for and against
#
# *"Had ELMo used a Transformer, BERT would have made less of a stir."* Nobody has measured it. For it speaks GPT's table 5: with an LSTM in place of the Transformer, the average fell by 5.6 points. Against it speaks BERT's table 5: a Transformer that looks to one side, trained in the same way, loses 10 points of F1 on SQuAD (87.9 to 77.8) and under two on MNLI (83.9 to 82.1).
#
# *"ELMo is only better word vectors; BERT is a backbone."* For it: ELMo enters networks that each task builds, BERT brings one linear layer. Against it: BERT's frozen layers, used as ELMo's were, come within 0.3 points on names.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"BERT beat everything, everywhere. It says so in the table."*
#
# Which table? Two versions of the paper circulate. GLUE re-released one of its tasks, QNLI, in between. Many pages copy October's numbers.

# %%
places = ["first", "second", "third"]
predict("names", "Names in news: on which of 5 places is BERT-large?", options=places)

# %% slide="subslide"
drawn.ner_figure("Names: BERT's own table has somebody in front of it (table 7, test)")

# %%
ranked = sorted(published.NER, key=lambda name: -published.NER[name][1])
outcome("names", places[ranked.index("BERT-large")])

# %%
for task, versions in published.FIRST_VERSION.items():
    print(f"October's {task}: {versions}")
print("version 2, QNLI:   ", {name: float(glue[name][2]) for name in ("GPT", "BERT-large")})
print("version 2, average:", {name: published.GLUE_AVERAGE[name] for name in ("GPT", "BERT-large")})

# %% [markdown]
# Flair's character language models (CSE), 93.1, stand above BERT-large's 92.8 in BERT's own table. In the first version, QNLI is 91.1; in the second, 92.7. And the 85.8 of a reader with ELMo, which the first version prints under *dev*, is its score on the **test**. (On dev it has 85.6.)
#
# **Verdict: nearly.** Its abstract counts eleven tasks. On names it does not lead its own table; and a ninth GLUE task, WNLI, was left out of the average. One more that circulates, *"ELMo has more parameters than BERT"*: 94 million against 110 and 340.

# %% [markdown] slide="slide"
# ## Recap
#
# - Pretrained weights are a better place to begin. Their size alone is worth a little, the places of the numbers more; on our task, those of the word vectors.
# - At equal training loss the pretrained network does better on new texts: it is not only faster.
# - A normal prior around $w_0$ is a pull with $\lambda = 1/(N\tau^2)$. Here it neither harms nor helps. Weight decay to 0 seems to cost a little.
# - What was read must hold what is asked: order for the class of a word. For the kind of question a bag of words was as good.
# - Feature-based or fine-tuned is one rate. With few labels both can be right.
# - `strict=False` loads nothing and says nothing. Measure the body before you train it.
# - Read a gain as a share of the error, ask for the version of a table, and look for the bag of words.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# Opinions hang on single strong words, names on spelling and the words around them, questions and answers on how two texts fit. **Why can one language model, trained without a label, help all three? Name a kind of task on which you expect it not to help, and how you would find out.** Five to eight sentences, with at least two measurements from this lesson or the one on layers.

# %% [markdown] discussion="one_model_many_tasks" points=3
# **Rubric, 3 points.** 1 for the reason: guessing words needs form, syntax, meaning and some facts at once, and the labels only have to pick out what is there; with a measurement (scrambled weights, shuffled text, layers of lesson 09). 1 for a kind of task that fails, with a reason that follows from the first: what is not needed to guess words, a domain or language far from what was read, a task where a bag of words is enough. 1 for a test that could refute it: a control (fresh, scrambled, bag of words), several draws, an interval. 0.5 of it without a control.

# %% [markdown] model_answer="one_model_many_tasks"
# Whoever must guess the next word profits from everything that makes words likely: that *to* asks for a verb, which words are kind, who is a person. So the states hold many things at once, and a task with labels only has to find the direction in which its own answer lies. Our scrambled weights show that it is the arrangement that helps and not the size, and shuffled text shows that order is part of it where the task needs order. Lesson 09 found parts of speech and senses at different heights of one network.
#
# It should fail where the answer is not worth anything for guessing words: whether a sum in a text is right, whether a signature is forged, what a word means in a company's private code. It should help little where single words decide and labels abound. I would take such a task, fine-tune from pretrained, scrambled and fresh weights with 50 to 3,200 labels and five draws, and put a bag of words beside them. If pretrained weights are not ahead of scrambled ones by more than the interval, what was learnt in reading does not serve there.

# %% [markdown]
# ## Further reading
#
# - Erhan and others, *Why does unsupervised pre-training help deep learning?*, Journal of Machine Learning Research 11, 2010: starting point or regulariser, eight years before BERT.
# - Li, Grandvalet and Davoine, [Explicit inductive bias for transfer learning with convolutional networks](https://arxiv.org/abs/1802.01483), 2018: the pull to the start pays there, with photos.
# - Sinha and others, [Masked language modeling and the distributional hypothesis](https://arxiv.org/abs/2104.06644), 2021: a full-size model, pretrained on shuffled sentences, loses far less than ours does.
# - In the package: `elmo_mini/transformer/fine_tuning.py`, `elmo_mini/transformer/scrambling.py` and `elmo_mini/transformer/prior.py` are this lesson in plain code. `python -m elmo_mini.experiments.why_bert knowledge labels` repeats the stored figures.
#
# Next: **15 · A hundred labels.**
