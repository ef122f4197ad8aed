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
# Pretrained weights help. Why? Three explanations circulate: a better place to begin (optimisation), a leash against learning by heart (regularisation against overfitting), knowledge of the language. You test each with an experiment that could have failed. Then you read BERT's tables.

# %%
import numpy as np
import torch
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from course.figures import plots
from course.results import published
from course.results.stored import stored_result
from course.why_bert import published_tables as drawn
from course.why_bert import report
from course.why_bert.broken_bodies import four_runs, print_symptoms
from course.why_bert.elmo_in_answering import elmo_in_answering
from course.why_bert.fine_tuning_setup import CONTROLS, KINDS, course_setup, optimizer_of
from course.why_bert.two_ways import two_ways

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% tags=["road"]
plots.road("14")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - write the loop that fine-tunes a pretrained Transformer, with warm-up and a pull to the start,
# - tell what pretrained weights owe to their scale, and what to learning,
# - derive a penalty from a prior, and say when the prior wins,
# - say how many labels pretraining saves,
# - find out why a fine-tuning run gained nothing from its checkpoint,
# - read ELMo's and BERT's tables without being taken in.
#
# ## The papers
#
# **BERT**: Devlin and others, [arXiv:1810.04805](https://arxiv.org/abs/1810.04805), version 2: tables 1 to 7. **ELMo**: Peters and others, [N18-1202](https://aclanthology.org/N18-1202/), table 1. **GPT**: Radford and others, *Improving language understanding by generative pre-training*, 2018, table 5.
#
# Plan 90 minutes, 110 with second tries; write the essay at home. Short of time? Exercises 1, 2, 3 and 5 are the spine, 80 minutes.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $w$ | the weights of the body | $N$ | labels to learn from |
# | $w_0$ | where they stand before fine-tuning | $x_n, y_n$ | an example, and its label |
# | $\tau$ | spread of the prior around $w_0$ | $\lambda$ | strength of the pull to $w_0$ |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes: the opening, 1; section 1, 3; section 2, 11; section 3, 25; section 4, 21; section 5, 4; section 6, 12; section 7, 6; section 8, 3; the rest, 4: 90, and 12 more for the discussion. Second tries add 20. For 60 minutes, show exercise 3 solved and leave out exercise 4. Students get stuck in exercise 2 on the highest rates: they multiply the rate of the step before. Let them print the rates. The task ships with the course, so everything that runs here is the same with and without the NLTK corpora.

# %% [markdown] slide="slide"
# ## 1. Fifty labels
#
# A sentence is cut at a random place. Which class of word is the last one? *Run* may be a noun or a verb: then what stands before it decides. You get 50 labelled beginnings, from letters, essays, talk and news (MASC). The pretrained weights are those of lesson 13's president, who has read only speeches.

# %%
setup = course_setup()
TASK, SEEDS = setup.task, (0, 1, 2)
for text, label in list(zip(TASK.train.texts, TASK.train.labels, strict=True))[:5]:
    print(f"  {' '.join(text)}  ->  {TASK.classes[label]}")
train = TASK.train.drawn(50, 0)

# %% [markdown]
# The network is your block of lesson 13, three times. On top stands one linear layer, the **head**: it turns the state of the last word into a score for each class, a logit. Everything below it is the **body** (in papers the *backbone* or *encoder*). Two networks learn from the same 50 labels for 100 steps, body and head together. One body is pretrained, the other fresh.

# %%
predict("win", "How many points is the pretrained network ahead of the fresh one?")

# %% slide="subslide"
first = {kind: setup.tuned(setup.weights(kind, 0), train, 0) for kind in ("fresh", "pretrained")}
report.first_figure(setup, first, train)

# %%
correct = {kind: setup.correct(model, TASK.test).mean() for kind, model in first.items()}
outcome("win", 100 * (correct["pretrained"] - correct["fresh"]))

# %% [markdown]
# Four sceptics stand in the figure. A bag of words and naive Bayes cannot tell which word is last: no better than guessing the commonest class. The third knows where to look: the last word, its endings, the word before. It beats the fresh network, not the pretrained one. The fourth takes only the pretrained **vector of the last word**, frozen. It does about as well as the whole.
#
# The field went the same way. People wrote features by hand, as our third sceptic does. Then networks learnt all from labels. Then word vectors were carried over; from Dai and Le (2015) to BERT, the whole network.

# %% slide="subslide"
two_ways("Two ways to a model of the task")

# %% [markdown] slide="slide"
# ## 2. First explanation: a better place to begin
#
# You look for a restaurant in a foreign town. From the city centre, any direction leads to one soon. From a field outside you may walk for hours. Training walks through the space of weights; pretraining chooses the **initialisation**.
#
# Perhaps a good initialisation is merely one of a good **size**; then any weights of that size would do. Or it matters **which** number stands where. To tell, put the numbers of each matrix in random order.

# %% [markdown] exercise="scrambled"
# ### Exercise 1. Keep the numbers, lose the places
#
# Write `scrambled(weights, generator)`. `weights` is what `state_dict()` gives: a dict of tensors, of one or more axes. Return a dict of new tensors with the same names and shapes. Each has exactly its own numbers again, every one in a random place of that tensor. All chance comes from `generator`, so that somebody else can draw the same weights.


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
kinds = {kind: {"kind": kind} for kind in KINDS}
begun = report.fine_tuned_accuracies(setup, kinds, SEEDS, scramble=scrambled)
begun |= report.fine_tuned_accuracies(setup, {kind: {"kind": kind} for kind in CONTROLS}, SEEDS)
report.share_bars(begun, "Scrambled, the weights lose most of their worth (three draws)")

# %%
shares = report.accuracy_by(begun)
pretrained, mixed, fresh = (shares[kind]["mean"] for kind in KINDS)
report.print_scales(setup, begun)
outcome("size", 100 * (mixed - fresh) / (pretrained - fresh), unit="%")

# %% [markdown]
# (Intervals: three draws and the test.) Scrambled weights keep about a third of the lead; over section 6's five draws, a quarter. Two controls do about as well: *normal*, random numbers with each tensor's mean and spread, and *enlarged*, fresh weights whose word vectors are as large as the pretrained ones, five times as large as fresh ones. So most of what survives seems to be **one scale, the word vectors'**. The rest lies in the places: it has been learnt.
#
# Where in the network? Keep the pretrained weights from the bottom up to some height, and scramble everything above.

# %% slide="subslide"
heights = {up: {"kept": up} for up in ("words", "block 1", "block 2")}
kept = report.fine_tuned_accuracies(setup, heights, SEEDS)
kept = {"nothing": begun["scrambled"], **kept, "block 3": begun["pretrained"]}
print("all less words:", report.difference_of(kept, "block 3", "words"))
report.share_bars(
    kept, "Kept from the bottom up to ...: with the word vectors alone, no clear loss"
)

# %% [markdown]
# The bar *words* is word2vec's idea: carry over the table, learn the rest. The last bar carries over everything, as ULMFiT, GPT and BERT do. Here they come out alike: the class of a word is mostly the word's own affair. So this task shows that pretraining helps, and not that it takes a Transformer.

# %% [markdown] slide="slide"
# ## 3. The loop
#
# Write the loop, with three habits of fine-tuning.
#
# **Two rates.** The head begins at random and must learn fast. The body knows something already. So the optimizer has groups of parameters, each with a highest rate of its own.
#
# **Warm-up.** The first gradients come through a random head: they are noise. So BERT and GPT begin with small steps: their learning-rate schedule rises before it falls.
#
# **A leash.** The body may be held near its start $w_0$. What is minimised is the mean loss of the batch plus
#
# $$\frac{\lambda}{2} \lVert w - w_0 \rVert^2 .$$
#
# With $\lambda = 0$ this is plain fine-tuning. (BERT's program uses **AdamW** in all but name, PyTorch's `torch.optim.AdamW`: Adam and a pull to 0 beside its steps, which is **weight decay**. Ours is Adam; AdamW would fit the same loop. Both pulls meet in section 4.)

# %% [markdown] exercise="tune" slide="subslide"
# ### Exercise 2. The loop of fine-tuning
#
# Write `tune(model, batches, optimizer, warm_up, pull)`. It takes one step for each batch `(ids, mask, labels)` of the list. `model(ids, mask)` gives scores; `model.body` and `model.head` are its two parts. This must be true:
#
# - The losses are cross-entropies, means over a batch. The pull, of strength `pull`, holds the body to where it stands when `tune` is called. It leaves the head alone.
# - Each group of `optimizer.param_groups` comes with its highest rate in `group["lr"]`. The rate rises in a straight line: in step 1 it is the highest rate divided by `warm_up`, in step `warm_up` the highest. After that it falls in a straight line, from the highest rate at step `warm_up + 1` to 0 one step after the last. (Warm-up 2, six steps: 1/2, 1, 1, 3/4, 1/2, 1/4.)
# - The model learns in training mode and is left in evaluation mode, whatever mode it came in.
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
# outline: Keep copies of the body and the highest rates; training mode. For each batch: set the rates, loss, distance, zero the gradients, backward of loss plus half the pull times the squared distance, step, note the loss. Evaluation mode; return the losses.

# %% slide="subslide"
tune = or_reference("tune", tune)
yours = setup.classifier(setup.pretrained, 0)
losses = tune(yours, setup.batches(train, 100, 0), optimizer_of(yours), 10, 0.0)
share = setup.correct(yours, TASK.test).mean()
print(f"{share:.0%} right on the test; the last loss is {losses[-1]:.3f}")
for text in ("we can", "the can", "to run", "a long run"):
    scores = yours(*setup.numbers([text.split()]))
    print(f"  {text}  ->  {TASK.classes[int(scores.argmax())]}")

# %% [markdown]
# Is *the can* a modal verb, and *to run* a noun? The network hardly looks to the left.
#
# ### Two modes
#
# Set the body's rate to 0, and only the head learns, on frozen states: that is the **feature-based** mode, or **feature extraction**, ELMo's. With a rate for the body it is fine-tuning, as with Dai and Le, ULMFiT, GPT and BERT.

# %%
schools = ["frozen", "fine-tuned", "no clear difference"]
predict("modes", "50 labels: which mode answers better?", options=schools)

# %% slide="subslide"
modes = report.fine_tuned_accuracies(setup, {"frozen": {"body_rate": 0.0}}, SEEDS, tune=tune)
between = report.difference_of(modes | {"fine-tuned": begun["pretrained"]}, "fine-tuned", "frozen")
print(f"fine-tuned less frozen: {between}")
verdicts = ["behind", "ahead", "no clear difference"]
outcome("modes", schools[verdicts.index(between.partition(": ")[2])])

# %% [markdown]
# BERT's paper has both modes for names (its table 7).

# %% slide="subslide"
drawn.features_figure("BERT-base on names: frozen layers come close to fine-tuning (their table 7)")

# %% [markdown]
# The last four layers, frozen and side by side under a BiLSTM, are 0.3 points behind fine-tuning. Fine-tuning, common with photos, needs no new network for each task. Feature extraction can store its vectors and reuse them, and forgets nothing; fine-tuning risks catastrophic forgetting (lesson 04). Neither mode has won for good.

# %% [markdown] slide="slide"
# ## 4. Second explanation: a leash
#
# A network with 700,000 weights learns 50 labels by heart, wherever it begins: it overfits. Perhaps, of all the places with a low training loss, pretraining leads to one that also holds for new texts (it **generalises**). That is **regularisation**. To tell it from faster learning, compare networks **at equal training loss** (Erhan and others, 2010). If pretraining is only faster, all kinds lie on one curve.

# %% slide="subslide"
title = "At equal training loss, pretrained weights do better on new texts"
report.trained_and_held_out(setup, KINDS, SEEDS[:2], title=title)

# %% [markdown]
# The corners are runs of 10, 20, 40 and 80 steps, from right to left. Held-out loss rises on the way. But the pretrained curve lies far below the others, in both draws, so there is more than speed.
#
# ### The leash, as a belief
#
# Before you see a label, you believe that good weights lie near $w_0$. Each weight is normal around its start, with spread $\tau$. That is the **prior**. How likely the labels are, given weights, is the **likelihood**. The product of the two is, up to a constant, the **posterior**. Where is it highest? Weights there are the **maximum a posteriori** estimate, MAP.

# %% [markdown] exercise="prior_gradient" slide="subslide"
# ### Exercise 3. A prior around the start (derive it)
#
# Pen and paper first. Two classes and a linear classifier: $p(y = 1 \mid x) = \sigma(w \cdot x)$. The $D$ weights are independent, weight $i$ is normal with mean $w_{0,i}$ and standard deviation $\tau$. Write down $-\frac{1}{N} \log p(w \mid y_1, \dots, y_N)$. Drop the terms without $w$. Take the gradient in $w$.
#
# Then write `prior_gradient(weights, start, spread, x, labels)`: that gradient, (D,). The tensors `weights` and `start` are (D,), `x` is (N, D), `labels` is (N,), 0 or 1; `spread` is a number. Compare with exercise 2: which $\lambda$ belongs to $\tau$ and $N$?


# %% exercise="prior_gradient"
def prior_gradient(weights, start, spread, x, labels):
    """The gradient of -log p(weights | labels) / N, (D,)."""
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
# idea: For one label, the gradient of $-\log p$ by the logit is $\sigma - y$. For one weight, $-\log$ of the normal distribution is $(w_i - w_{0,i})^2 / 2\tau^2$ and a constant.
#
# outline: Probability less label for each example, times its x, summed over the examples. Add weights less start, over the squared spread. Divide everything by N.

# %% [markdown] model_answer="prior_gradient"
# $-\frac1N \log p(w \mid y) = \frac1N \sum_n -\log p(y_n \mid x_n, w) + \frac{1}{2 N \tau^2} \lVert w - w_0 \rVert^2 + \text{const}$. The gradient of one label's part is $(\sigma(w \cdot x_n) - y_n)\, x_n$; the prior's is $(w - w_0) / \tau^2$; both are divided by $N$. So the pull of exercise 2 is $\lambda = 1 / (N \tau^2)$. With few labels it is strong, and the prior decides. With many it fades, and the labels decide. A narrow belief (small $\tau$) pulls harder. Weight decay is the same with $w_0 = 0$: the belief that good weights are small.

# %%
prior_gradient = or_reference("prior_gradient", prior_gradient)
w, start, tau, N = torch.tensor([1.0, 3.0]), torch.tensor([0.5, 1.0]), 0.5, 50
alone = prior_gradient(w, start, tau, torch.zeros(N, 2), torch.zeros(N))
print("texts of zeros leave the prior alone:", alone, "pull:", 1 / (N * tau**2) * (w - start))

# %% [markdown]
# So with your `pull` training looks for the maximum a posteriori, under a prior that is strong while labels are few. (A pull to the pretrained weights is called **L2-SP**: a penalty on the squared distance from the *starting point*.) Weight decay is a prior, too, centred at 0. Does it matter **where the centre is**?

# %%
predict("leash", "A strong pull to 0, not to the start: how many points does it cost?")

# %% slide="subslide"
ways = {"to the start": {"pull": 1.0}, "to 0": {"decay": 1.0}}
pulled = report.fine_tuned_accuracies(setup, ways, SEEDS, tune=tune)
outcome("leash", report.points_ahead(pulled, *ways))

# %% [markdown]
# The stored runs try four strengths, five draws, and three times the steps:

# %% slide="subslide"
held = stored_result("why_bert_leash")
title = "A strong pull to 0 costs; a pull to the start gains nothing (five draws)"
report.leash_figure(held.numbers["steps"], title=title)

# %%
held

# %%
report.print_leash(held.numbers["steps"])

# %% [markdown]
# At $\lambda = 1$, the belief *good weights are small* costs 4 points, and 15 over the longer run. (10 costs less than 1; we have not measured why.) *Good weights are near these* gains nothing at any strength, and may cost a point or two. ULMFiT and BERT have no L2-SP; their leash is short training (early stopping, lesson 10) and a small rate. **The prior is a good way to think of pretraining; as a trick it gains nothing here.** So more than speed is shown, and a leash is not.

# %% [markdown] slide="slide"
# ## 5. Third explanation: knowledge
#
# To guess the next word, one must know that a verb follows *to*, that *Congress* is a body of people, that winters are cold. So one task teaches syntax, meaning and some facts. If that is why pretraining helps, it must matter **what** was read. So three small models have read the same number of tokens: speeches; speeches with each sentence's words shuffled; film reviews.
#
# There are two tasks: ours, and what a question wants to know (TREC-6): a person, a place, a number.

# %%
tasks = ["class of the last word", "kind of question", "both", "neither"]
predict("order", "Which task suffers if the text that was read is shuffled?", options=tasks)

# %% slide="subslide"
knowledge = stored_result("why_bert_knowledge")
title = "Order helps with the word; with the question no reading is seen to help (50 labels)"
report.knowledge_figure(knowledge.numbers["right"], title=title)

# %%
knowledge

# %%
outcome("order", report.tasks_hurt(knowledge.numbers["right"]))

# %% [markdown]
# For the class of a word, order counts. Reading in order brings 18 points over no reading. Shuffled, it is 7 points *worse* than none, scale and all; we have not measured why. The topic hardly matters: film reviews serve as well, for the task asks for grammar.
#
# On the questions no reading is seen to help. All three means lie *below* no reading: 5.5 points after speeches, 9.0 shuffled, 4.4 after films. Only the last is clear by both intervals. Two suspects, each with a control:
#
# **The mark.** The head reads the state of the last token, here `?`. Without it, speeches lie 2.6 points above no reading, shuffled ones 5.0 above, films 2.4 below, none clearly. So `?` may be part of it.
#
# **The vocabulary.** The networks know 1,000 words. A bag of those has 54.8 %, 8.2 points *more* than a bag of all (clear by one interval), and leads every network's mean. So few words do not hinder a bag; networks we have not measured.
#
# So reading helped where **what was read held what was asked**: order, for the class of a word. (One pretraining run of each kind. Whether the right text would help with the questions is open.)
#
# ### Which knowledge for which task?
#
# Names need the form of a word and its neighbours, opinions need what words mean, answers to questions need both, and facts. Lesson 09 found such layers. Whether **one** representation can serve every task is a hypothesis. In photos it came true early: edges, textures and shapes serve all. Language is more abstract, and its tasks differ more. ELMo's weighted layers are one answer: let the task choose.

# %% [markdown] slide="slide"
# ## 6. What are the labels worth?
#
# In medicine, law or finance, an hour of an expert buys a handful of labels. So measure sample efficiency (lesson 09), in labels saved: when does the fresh network reach what the pretrained one does with 50?

# %%
predict("catch", "How many labels until fresh weights do as well as pretrained ones with 50?")

# %% [markdown] exercise="labels_needed"
# ### Exercise 4. What are the labels worth?
#
# Write `labels_needed(labels, accuracy, level)`. `labels` are rising numbers of labels, `accuracy` the accuracy at each (the share of correct answers). Return the number of labels at which the curve **first** reaches `level`. Between two points the curve is a straight line over the **logarithm** of the labels. If the first point is at the level or above it, return its number of labels; if the curve never reaches the level, infinity.


# %% exercise="labels_needed"
def labels_needed(labels, accuracy, level):
    """The number of labels at which the curve first reaches the level."""
    ### BEGIN SOLUTION
    if accuracy[0] >= level:
        return float(labels[0])
    for i in range(1, len(labels)):
        if accuracy[i] >= level:
            share = (level - accuracy[i - 1]) / (accuracy[i] - accuracy[i - 1])
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
title = "What pretraining is worth, by the number of labels (five draws)"
report.label_curves(curves.numbers["right"], title=title)

# %%
curves

# %%
report.print_longer(setup, 200, (150, 300), SEEDS[:2])
needed = report.saved_labels(curves.numbers["right"], labels_needed)
report.print_needed(needed, curves.numbers)
report.print_of_all(curves.numbers["right"], ("pretrained", "fresh"), ("320", "640"))
outcome("catch", min(needed["fresh"], 3_200))

# %% [markdown]
# The fresh network needs 285 labels, nearly six times as many (four to nine times, with other draws and texts). Twice the steps show no gain (200 labels, two draws). With 3,200, the third sceptic's features have all but caught up with the pretrained network; the fresh one has not. The lead of scrambled over fresh weights is gone with 200 labels: scale helps only at the very start.
#
# *"With 10 to 20 % of the labels you reach 80 to 90 % of the performance"* circulates without a source. Here it is true of the network that has **read nothing**: 79 % with a tenth of the labels, 88 % with a fifth. So it says nothing of pretraining.

# %% [markdown] slide="slide"
# ## 7. Three broken runs
#
# Four runs on the same 50 labels: one sound, three with one fault each. None raises an error. (*Moved*: by how many percent of the length that the weights had at the start.)
#
# 1. the names in the file and in the model differ, and nobody notices
# 2. the body is frozen, and should learn
# 3. the body learns thirty times too fast, without a warm-up
# 4. the labels belong to other texts
# 5. the head is not among the parameters of the optimizer
# 6. the body is pulled to 0, not to its start

# %% slide="subslide"
runs = four_runs(setup)
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
# **A** loads nothing: `load_state_dict(..., strict=False)` skips names that do not fit, and says so only to those who read what it returns. The training loss falls to 0 all the same; only the perplexity before the run, that of a guess among 4,000 words, gives it away. Ask for the list of names that fit, each time. **B** has torn its body apart in the first steps: its distance is larger than its length, its language is gone, and the loss never recovers. **C** is frozen: the body stands exactly where it stood. It answers rather well, so nobody looks. (Its 8 points less are one draw on 200 texts; over three draws on the test frozen and tuned were level, section 3.)

# %% [markdown] slide="slide"
# ## 8. What was published
#
# BERT's paper came in October 2018, eight months after ELMo's, and claimed the lead on eleven tasks. GLUE asks of two texts: does one follow from the other (MNLI, RTE), answer it (QNLI), say the same (QQP, MRPC, STS-B)? Of one sentence: is its opinion good or bad (SST-2), is it good English (CoLA)?

# %% slide="subslide"
drawn.glue_figure("GLUE: BERT leads all; ELMo's entry trails the best before GPT (table 1)")

# %% [markdown]
# QQP and MRPC are in F1, CoLA and STS-B in correlations, the rest in right answers. On seven of eight tasks this entry with ELMo lies below the best system before GPT. On QQP and CoLA that system had ELMo, too (GPT's table 4).
#
# On SST-2, 91.3 became 94.9. How much of the error is gone? You wrote that in lesson 08.

# %% slide="subslide"
errors_gone = mine("errors_gone")
glue = {name: np.array(scores) for name, scores in published.GLUE.items()}
gone = errors_gone(glue["GPT"], glue["BERT-large"])
drawn.gone_figure(gone, "How much of what GPT lacked to 100 BERT-large removed (GLUE, test)")

# %%
drawn.print_elmo(errors_gone)

# %% [markdown]
# (What a correlation lacks to 100 is no share of wrong answers.) ELMo's famous 25 % is its cut in question-answering error: 4.7 points of F1. There ELMo stands beside each word of the question and of the passage, twice, with weights of its own each time:

# %% slide="subslide"
elmo_in_answering("ELMo in a model that answers questions: below the RNN and above it")

# %% slide="subslide"
drawn.squad_and_swag("Answers and endings: past one person's score (tables 2 and 4)")

# %% [markdown]
# (*+ TriviaQA*: trained on TriviaQA's questions first.)
#
# **What it cost.** BERT-base was trained for four days on 16 chips, BERT-large on 64. Their text has 3.3 billion words. Your president read 300 thousand, in two minutes. That is the other half of *why BERT*: somebody paid once, and everybody fine-tunes cheaply.

# %% slide="subslide"
drawn.fixed_and_open("Four models of one year: what each fixed, and what it left open")

# %% [markdown]
# ### Opinions, with what speaks for and against
#
# *"Had ELMo used a Transformer, BERT would have made less of a stir."* Nobody has measured it. For it: GPT's table 5. With an LSTM instead of the Transformer, the average fell by 5.6 points (one layer against twelve blocks). Against it: BERT's table 5. A Transformer that looks to one side, trained in the same way, falls from 87.9 to 77.8 on SQuAD (F1), from 86.5 to 77.5 on MRPC, from 83.9 to 82.1 on MNLI. A BiLSTM on top wins back much of SQuAD (84.9) and nothing elsewhere.
#
# *"ELMo is only better word vectors; BERT is a backbone."* For it: ELMo enters networks that each task builds, BERT needs one linear layer. Against it: BERT's frozen layers, used as ELMo's were, come within 0.3 points on names.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"BERT beat everything, everywhere. It says so in the table."*
#
# Which table? Two versions of the paper circulate; in between, GLUE re-released QNLI.

# %%
places = ["first", "second", "third"]
predict("names", "Names in news: BERT-large's rank among 5 systems?", options=places)

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
# Flair's character language models (CSE), 93.1, stand above BERT-large's 92.8 in BERT's own table. In the first version, QNLI is 91.1; in the second, 92.7. And the 85.8 of a reader with ELMo, which the first version prints under *dev*, is its score on the **test**.
#
# **Verdict: nearly.** Names are the exception. And WNLI, a ninth task of GLUE, was left out of the average. Another myth, *"ELMo has more parameters than BERT"*: 94 million against 110 and 340.

# %% [markdown] slide="slide"
# ## Recap
#
# - Pretrained weights are a better initialisation. While labels are few, scale helps. Which number stands where helps more: on our task, in the word vectors.
# - At equal training loss the pretrained network does better on new texts: pretraining is regularisation, too, and not only speed.
# - A normal prior around $w_0$ is a pull (L2-SP) with $\lambda = 1/(N\tau^2)$, as weight decay is one around 0. Here it never helps.
# - Reading helped where the text held what was asked.
# - Where names differ, nothing may be loaded, silently. Measure the body before training.
# - Read a gain as a share of the error, ask for the version of a table, and look for the bag of words.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# Opinions depend on single strong words, names on spelling and the words around them, questions and answers on how two texts fit. **Why can one language model, trained without a label, help all three? Name a kind of task on which you expect it not to help, and how you would find out.** Five to eight sentences, with at least two measurements from this lesson or the one on layers.

# %% [markdown] discussion="one_model_many_tasks" points=3
# **Rubric, 3 points.** 1 for the reason: guessing words needs form, syntax, meaning and some facts at once, and the labels only have to pick out what is there; with a measurement (scrambled weights, shuffled text, layers of lesson 09). 1 for a kind of task that fails, with a reason that follows from the first: what is not needed to guess words, a domain or language far from what was read, a task where a bag of words is enough. 1 for a test that could refute it: a control (fresh, scrambled, bag of words), several draws, an interval. 0.5 of it without a control.

# %% [markdown] model_answer="one_model_many_tasks"
# Whoever must guess the next word profits from everything that makes words likely: that *to* asks for a verb, which words are kind, who is a person. So the states hold many things at once, and a task with labels only has to find the direction in which its own answer lies. Our scrambled weights show that the arrangement helps, more than the size, and shuffled text shows that order is part of it where the task needs order. Lesson 09 found parts of speech and senses at different heights of one network.
#
# It should fail where the answer is not worth anything for guessing words: whether a sum in a text is right, whether a signature is forged, what a word means in a company's private code. It should help little where single words decide and labels abound. I would take such a task, fine-tune from pretrained, scrambled and fresh weights with 50 to 3,200 labels and five draws, and put a bag of words beside them. If pretrained weights are not ahead of scrambled ones by more than the interval, what was learnt in reading does not serve there.

# %% [markdown]
# ## Further reading
#
# - Erhan and others, *Why does unsupervised pre-training help deep learning?*, Journal of Machine Learning Research 11, 2010.
# - Li, Grandvalet and Davoine, [Explicit inductive bias for transfer learning with convolutional networks](https://arxiv.org/abs/1802.01483), 2018: L2-SP, the pull to the start, with photos.
# - Peters, Ruder and Smith, [To tune or not to tune?](https://arxiv.org/abs/1903.05987), 2019.
# - In the package: `elmo_mini/models/fine_tuning.py`, and `python -m course.why_bert.experiments knowledge labels leash`, which repeats the stored figures.
#
# Next: **15 · A hundred labels.**
