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
# ## A hundred labels
#
# Lesson 15 · Which method do you take, and how do you know?
#
# minutes: 1
#
# say: Somebody gives you a hundred labelled sentences and asks for a classifier. You can count words, and you can read with ELMo. Today both are built, chosen and measured. The exercise after it is the project of the course: a method of your own, on texts on which nothing was ever measured.
#
# ask: A hundred labels. Counting or reading?
#
# expect: "Reading." Write the votes on the board. It will depend on the task.
#
# skip: Leave out the question.

# %% [markdown] slide="slide"
# # 15 · A hundred labels
#
# Somebody gives you a hundred labelled sentences and asks for a classifier. You can count words, and you can read with ELMo. Which do you take, and how do you know? You will build both, choose and measure. At the end your method meets texts on which nothing was ever measured.

# %%
import numpy as np
import torch

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from course.a_hundred_labels import ideas, report
from course.a_hundred_labels.protocol import split
from course.a_hundred_labels.tasks import first_task
from course.figures import plots
from elmo_mini.progress import progress_bar

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% tags=["road"]
plots.road("15")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - let every part of a method learn from the known texts alone,
# - make one vector of a sentence from ELMo's layers,
# - choose among methods without looking at the test,
# - write the interval of a lead, over labels *and* over texts,
# - let text without labels teach: EM, and two readers that teach each other,
# - find the leak in a report that looks too good,
# - choose a method for few labels, and defend the choice,
# - if you have time: split texts so that none stands on both sides; say how many texts it takes to see a lead.
#
# ## The papers
#
# Three papers say what few labels are worth: **TagLM**, [P17-1161](https://aclanthology.org/P17-1161/), **ELMo**, section 5.4, [N18-1202](https://aclanthology.org/N18-1202/), and **ULMFiT**, section 5, [arXiv:1801.06146](https://arxiv.org/abs/1801.06146). Their numbers stand in *Myth or measured?*, at the end. Here you measure on tasks of the course.
#
# Plan 150 minutes; the report of section 7 (10) and the essays (25) come on top. Short of time? Exercises 2, 4 and 7 are the spine, 95 minutes. Where you leave one out, the course's function stands in. Optional sections follow the essays, 40 minutes in all, with exercises 8 and 9, which count in full. Nothing in the main line needs them.
#
# ## Letters
#
# | letter | means |
# |---|---|
# | $n$ | texts of the test |
# | $\Delta_i$ | 1 if only the first method has text $i$ right, −1 if only the second has, else 0 |
# | $\bar\Delta$ | the mean of the $\Delta_i$: the lead of the first method |
# | $k_{jc}$, $w_{jc}$ | in how many texts of class $c$ word $j$ stands, and the log of its share |
# | $u$ | the share of the texts on which exactly one of the two is right (section 9) |
# | $z$ | how many standard errors an interval reaches to each side (section 9); 1.96 for 95 % (in code: `width`) |

# %% [markdown] instructor=true
# **Instructor.** Minutes: introduction and luck 5; section 2, 15; section 3, 17; section 4, 25; section 5, 40; section 6, 9; section 7 without its report, 26; the rest 2: 139. The report takes 10 and the essays 25 more. Sections 8 and 9 and the myth are optional: 13, 18 and 4. For 60 minutes: sections 1, 3, 5 and 7; show exercise 1 solved. **The hidden test.** In self-study it is the test part of the lesson's task, on the learner's disk: the check never shows a label, and nothing stops a thief. For marks, write 200 texts or more of a task of your own as JSON lines, `{"part": "train", "text": "...", "label": "..."}`, parts train and test, and set `BEFORE_BERT_HIDDEN` to that file where nbgrader runs, and nowhere else. The mark for exercise 7 is a ladder: five steps for each of 25, 50 and 100 labels. On opinions and plots, ELMo's vectors under a regression reach the third step with each number, and so do counts with EM. Both log-odds added reach the fourth with 50 and 100 labels; two readers that teach each other reach the fifth with each (75, 67 and 65 % fewer errors than the bag). The course's own co-training is refused, so no single call climbs above the third step. Without the corpora the hidden texts are 204, the two readers together are no better than ELMo alone, and the ladder is lower: ELMo alone climbs it. It stays so for a file of your own. How often the hidden texts were opened stands under the result, as far as the learner's folder remembers; who deletes the folder deletes that, too. Answers of two processors may differ in a text or two; on a ladder that costs one step at most. What is thought stands in the report of section 7 and in essay 1: keep both in the grade.

# %% [markdown] deck="words"
# ## The luckiest coin
#
# **200** methods take part in a contest.
#
# Each one **tosses a coin** for every text.
#
# The test has **50** texts, and the winner is published.
#
# minutes: 1.5
#
# say: Nobody cheats. Each method has its name, its author, its poster.
#
# ask: How good is a coin?
#
# expect: "A half." Each one is. We ask for the best of two hundred.
#
# skip: Read the slide.

# %% [markdown] slide="slide"
# ## 1. The luckiest coin
#
# Two hundred methods take part in a contest. Each one tosses a coin for every text. The test has 50 texts, and the winner is published.

# %% [markdown] deck="poll"
# - about 50 %
# - about 58 %
# - about 68 %
# - about 80 %
#
# minutes: 1
#
# say: The best of the two hundred, on these fifty texts.
#
# ask: The poll.
#
# expect: "58: a little luck." Two hundred draws, fifty texts: the luckiest is far out.
#
# skip: Say the number.

# %%
predict("luck", "What percentage of the 50 texts does the best of 200 coins have right?", unit="%")

# %% [markdown] deck="printed" lines="1-2"
# ## Published, and asked again
#
# minutes: 1.5
#
# say: The same coin on fifty fresh texts. Whoever tries many things and reports the best measures luck. With a hundred labels luck is large. So half of this lesson is a protocol, a way of measuring that keeps luck and leaks out.
#
# ask: Who has reported the best of several seeds?
#
# expect: Silence. Nobody has to answer.
#
# skip: Read both lines.

# %% slide="subslide"
coins = np.random.default_rng(16).integers(0, 2, (200, 100))  # 200 methods, 100 texts
truth = np.random.default_rng(51).integers(0, 2, 100)
hits = (coins == truth)[:, :50].mean(1)
best = hits.argmax()
print(f"Published: coin {best} has {hits[best]:.0%} of the test right.")
print(f"The same coin on 50 fresh texts: {(coins[best, 50:] == truth[50:]).mean():.0%}")
outcome("luck", 100 * hits[best], unit="%")

# %% [markdown]
# Nobody cheated, and the published number is worth nothing. If you try many things and report the best, you measure luck. With a hundred labels luck is large, so **half of this lesson is a protocol**: a way of measuring that keeps luck and leaks out (**data leakage**: the answer gets in beforehand).

# %% [markdown] slide="slide"
# ## 2. No way in
#
# Here is the task.

# %% [markdown] deck="printed" lines="2-3"
# ## The task: the plot of a film, or an opinion of it?
#
# minutes: 1
#
# say: One of each. Six thousand known texts, three thousand asked, and hidden ones that are locked away until the end. Labels are dear: you get 25, 50 or 100.
#
# ask: By which words would you tell them apart?
#
# expect: "*Film* and *movie*." A hundred texts hold few of the words that matter. That is the difficulty.
#
# skip: Read one.

# %%
TASK = first_task()
report.print_task(TASK)

# %% [markdown] deck="words"
# ## Three sets of texts
#
# - **known**: labels to learn from
# - **asked**: for trying methods out, as often as you like
# - **hidden**: opened **once**, for the method that was chosen
#
# . . .
#
# No text on both sides: all **copies** of a text go together.
#
# minutes: 2
#
# say: Training, validation and test. Many files repeat themselves: TREC's training file holds 11 of its 500 test questions. A model that knows a text by heart is right about it and has understood nothing.
#
# ask: Why not try things out on the hidden ones, just to see?
#
# expect: "If I do not train on them it is fine." Then you are the luckiest coin again: you choose by them.
#
# skip: The three lines.

# %% [markdown]
# You will meet three sets of texts. From the **known** ones come the labels to learn from: the training set. The **asked** ones (`CHECKED` below) are for trying methods out, as often as you like: the validation set. The **hidden** ones are the test set, opened once, in section 7. (A function's `test` is whatever it must answer; the notebook's own is 400 of `CHECKED`.)

# %% [markdown] slide="subslide"
# ### No text on both sides
#
# Many files repeat themselves: a snippet is quoted twice, a question is asked again with a capital. (TREC's training file holds 11 of its 500 test questions; ours has no copies.) A model that knows such a text by heart is right about it, and has understood nothing. So `split` draws *texts*, not rows: all copies go to one side, whatever their capitals. (If you have time, you write it in section 8.)

# %%
TEXTS, LABELS = TASK.train.texts + TASK.dev.texts, TASK.train.labels + TASK.dev.labels
KNOWN, CHECKED = split(TEXTS, len(TEXTS) // 3, np.random.default_rng(1))
print(f"{len({*map(tuple, TEXTS)}):,} unique texts: {len(KNOWN):,} known, {len(CHECKED):,} asked")

# %% [markdown] slide="subslide"
# ### Learn here, answer there
#
# A method is more than its classifier. Before it may come a counter that collects words, a scale that brings numbers to mean 0, a picker that keeps the twenty best words. **All of them learn.** And what learns may leak: most data leakage enters here.
#
# So here a method is a *list of steps*. Each is called with inputs and their labels, learns from them what it likes, and returns a function. That function turns any inputs into what the next step takes. The function of the last step gives labels. Two small ones:


# %%
def lengths(texts, labels):
    """A step that learns nothing: each text becomes the number of its words."""
    return lambda test: [len(text) for text in test]


def longer_than_usual(numbers, labels):
    """A step that learns a mean: 1 for what is above it, whichever class is longer."""
    mean = sum(numbers) / len(numbers)
    return lambda test: [int(number > mean) for number in test]


SHORT_OR_LONG = [lengths, longer_than_usual]

# %% [markdown] exercise="learn_and_answer"
# ### Exercise 1. Learn here, answer there
#
# Write `learn_and_answer(steps, train, labels, test)`: the labels that the method gives to the texts in `test`. Every step learns once, from the known texts as the steps before it have left them. No step learns anything from `test`. A list has one or more steps.


# %% [markdown] deck="code"
# ## Everything that learns, learns from the known texts
#
# minutes: 2
#
# say: A method is a list of steps, and all of them learn: the counter that collects words, the scale, the one that picks the best twenty. Each step learns from the known texts as the steps before have left them, and returns a function. Let them say the loop.
#
# ask: Where would a leak get in?
#
# expect: "In the classifier." Seldom there. In a scale or a picker of words that has seen all the texts.
#
# skip: Show the answer at once.


# %% exercise="learn_and_answer"
def learn_and_answer(steps, train, labels, test):
    """Answers for `test`, by steps that have learnt from `train` alone."""
    ### BEGIN SOLUTION
    for step in steps:
        function = step(train, labels)
        train = function(train)
        test = function(test)
    return test
    ### END SOLUTION


# %% check="learn_and_answer"
check("learn_and_answer", learn_and_answer)

# %% [markdown] hints="learn_and_answer"
# nudge: Follow `SHORT_OR_LONG` by hand for two known texts and one that is asked. What does the second step learn from?
#
# idea: Two things travel through the steps side by side: the known texts and the asked ones. Both go through the same function. Only one of the two is learnt from.
#
# outline: For each step in turn: let it learn from what `train` has become, and replace both `train` and `test` by what its function makes of them.

# %% [markdown]
# A bag of words has two steps: which words occur, and a logistic regression. They are scikit-learn's. (`freedom` is its `C`: how large the weights may grow.)

# %%
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression


def occurring(texts, labels):
    """A step: 1 where a word occurs that these texts hold, (N, words)."""
    return CountVectorizer(analyzer=list, binary=True).fit(texts).transform


def regression(freedom):
    """A step that learns to tell the labels apart by weighted numbers."""
    return lambda x, labels: LogisticRegression(C=freedom, max_iter=2_000).fit(x, labels).predict


BAG = [occurring, regression(10.0)]

# %% [markdown] deck="printed"
# ## Two methods without reading
#
# minutes: 1.5
#
# say: *Short or long* learns one number, the mean length, and is a bad guess. The bag of words is a logistic regression on which words occur. A hundred labels, four hundred asked texts. Write the bag's number on the board: what comes has to pass it.
#
# ask: How sure is that number?
#
# expect: "It is measured." Other labels, and it moves; other texts, and it moves.
#
# skip: Second line.

# %%
learn_and_answer = or_reference("learn_and_answer", learn_and_answer)


def labelled(rows):
    """The texts and labels of these rows of the task."""
    return [TEXTS[row] for row in rows], [LABELS[row] for row in rows]


train, labels = labelled(np.random.default_rng(0).permutation(KNOWN)[:100])
test, answers = labelled(CHECKED[:400])
for name, steps in {"short or long": SHORT_OR_LONG, "bag of words": BAG}.items():
    predicted = np.array(learn_and_answer(steps, train, labels, test))
    print(f"{name}, 100 labels: {(predicted == answers).mean():.1%} of {len(test)} texts are right")

# %% [markdown]
# (*Short or long* may fall below a half: it learns where to cut, and not which side is which class.)

# %% [markdown] deck="words"
# ## Reading: one row for each text
#
# ELMo gives a vector for each **word**, in three layers.
#
# . . .
#
# Average the words, layer by layer; put the three means **side by side**. Then a logistic regression.
#
# . . .
#
# The language model is **frozen**. Nothing in it is trained here.
#
# minutes: 1.5
#
# say: The mean is over the real words: neither the boundaries nor the padding belong into it. Everything is in PyTorch up to there, then it is the same regression as for the bag.
#
# ask: What is lost in the mean?
#
# expect: "Nothing, each vector knows its sentence." Order, and who did what to whom. It is cheap, and strong all the same.
#
# skip: Second step.

# %% [markdown] slide="slide"
# ## 3. The vectors of a sentence
#
# A classifier wants one row of numbers for each text. ELMo gives one for each *word*, in three layers. So the words of a text are averaged, layer by layer, and the three means stand side by side.
#
# The biLM is the course's, with 4.8 million weights. Nothing in it is trained here. (Your `BiLM` of lesson 08 gives the same numbers, some ten times slower.)

# %%
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.text.character_ids import batch_to_ids

bilm = load_pretrained()


def layers_of(batch):
    """Up to 64 lists of words to three layers, each (B, T + 2, 2H), and the mask (B, T + 2)."""
    output = bilm(batch_to_ids(batch))
    return output["activations"], output["mask"]


print([tuple(layer.shape) for layer in layers_of([["a", "small", "gem"], ["no"]])[0]])

# %% [markdown] exercise="sentence_vectors"
# ### Exercise 2. The vectors of a sentence
#
# Write `sentence_vectors(texts, layers_of)`: an array with one row for each text, in their order. A row has the mean over the text's words of the lowest layer, then that of the next, and so on.
#
# - `layers_of(batch)` takes from 1 to 64 texts. It gives a list of layers, (B, T + 2, 2H) each, and the mask (B, T + 2).
# - The `+ 2` are the boundaries: one stands before the first word, one after the last. After that comes padding. Neither belongs into a mean.
# - No text is empty. There may be thousands.


# %% exercise="sentence_vectors"
import torch


@torch.no_grad()
def sentence_vectors(texts, layers_of):
    """(N, (L + 1) 2H): the mean over the words of each layer, side by side."""
    ### BEGIN SOLUTION
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))  # little padding
    found = [None] * len(texts)
    for start in range(0, len(order), 64):
        rows = order[start : start + 64]
        layers, _ = layers_of([texts[row] for row in rows])
        for b, row in enumerate(rows):
            found[row] = torch.cat([layer[b, 1 : 1 + len(texts[row])].mean(0) for layer in layers])
    return torch.stack(found).numpy()
    ### END SOLUTION


# %% check="sentence_vectors"
check("sentence_vectors", sentence_vectors)

# %% [markdown] hints="sentence_vectors"
# nudge: Draw the batch of *a small gem* and *no*: five positions each. Which of them are words?
#
# idea: A text of n words has them at the positions 1 to n. `layer[b, 1 : 1 + n].mean(0)` is one layer's mean, of length 2H. `torch.cat` puts the layers side by side.
#
# outline: Go through the texts in batches of 64. For each text of a batch, cut its words out of every layer, take the means, join them. Stack the rows. If you sort the texts by length, which saves padding, put every row back where its text stood.

# %%
from sklearn.preprocessing import StandardScaler

sentence_vectors = or_reference("sentence_vectors", sentence_vectors)


def reading(layers_of):
    """A step that learns nothing: each text becomes its row, and is read only once."""
    read = {}

    def rows(test):
        new = [text for text in dict.fromkeys(map(tuple, test)) if text not in read]
        read.update(zip(new, sentence_vectors(new, layers_of) if new else (), strict=True))
        return np.stack([read[tuple(text)] for text in test])

    return lambda texts, labels: rows


def scale(x, labels):
    """A step: each number is brought to mean 0 and spread 1."""
    return StandardScaler().fit(x).transform


vectors = reading(layers_of)
ELMO = [vectors, scale, regression(0.01)]
predicted = np.array(learn_and_answer(ELMO, train, labels, test))
print(f"ELMo, 100 labels: {(predicted == answers).mean():.1%} of {len(test)} texts are right")

# %% [markdown] deck="words"
# ## Choose without looking: five folds
#
# ```
# round 1   ask     learn   learn   learn   learn
# round 2   learn   ask     learn   learn   learn
# round 3   learn   learn   ask     learn   learn
# round 4   learn   learn   learn   ask     learn
# round 5   learn   learn   learn   learn   ask
# ```
#
# Every known text gets **one honest answer**.
#
# minutes: 2
#
# say: A hundred labels are few, and to set half of them aside for choosing hurts. Cross-validation uses each twice. The best method by these answers is chosen, learns from all hundred, and then the test is opened.
#
# ask: The copies of a text: may they stand in two folds?
#
# expect: "Yes, they are all known." Then a fold is asked for what was learnt by heart.
#
# skip: Two rounds.

# %% [markdown] slide="slide"
# ## 4. Choose without looking
#
# Choosing by the test is publishing the luckiest coin again. But a hundred labels are few, and to set half of them aside for choosing hurts. **Cross-validation** uses each of them twice. The known texts are cut into folds. Each fold is answered by a method that has learnt from all the others. When all folds have had their turn, every known text has one honest answer. (With $k$ folds: *k-fold* cross-validation.)
#
# Then one method is chosen, it learns from all known texts, and the test is opened. Once. (Here the asked texts stand in for the test.)

# %% [markdown] exercise="choose"
# ### Exercise 3. Choose without looking
#
# Write `choose(methods, train, labels, folds, test, truth)`.
#
# - `methods` is a dict: a name, and its list of steps. `folds` has a number for each known text, `truth` the label of each asked one.
# - The best method gets the largest number of known texts right in cross-validation. On a tie, take the first.
# - Return a pair: its name, and the share of `test` that it has right. No other method is asked about these.


# %% exercise="choose"
def choose(methods, train, labels, folds, test, truth):
    """The name of the chosen method, and its share of the test."""
    ### BEGIN SOLUTION
    correct = {}
    for name, steps in methods.items():
        correct[name] = 0
        for fold in set(folds):
            rest = [row for row, its in enumerate(folds) if its != fold]
            held = [row for row, its in enumerate(folds) if its == fold]
            predicted = learn_and_answer(
                steps,
                [train[row] for row in rest],
                [labels[row] for row in rest],
                [train[row] for row in held],
            )
            correct[name] += sum(
                int(label == labels[row]) for label, row in zip(predicted, held, strict=True)
            )
    best = max(correct, key=correct.get)
    predicted = learn_and_answer(methods[best], train, labels, test)
    return best, float(np.mean(np.array(predicted) == np.array(truth)))
    ### END SOLUTION


# %% check="choose"
check("choose", choose)

# %% [markdown] hints="choose"
# nudge: Which texts may a method have learnt when it answers fold 2? And when it answers the test?
#
# idea: Two loops: over the methods, and for each over the folds. Inside, two lists of rows: those of this fold, and all others. Count how many answers are right, over all folds.
#
# outline: For a fold, `learn_and_answer(steps, texts of the others, labels of the others, texts of the fold)`. Add up the hits of a method. `max(correct, key=correct.get)` names the first of the best. Then `learn_and_answer` once more, with all known texts, for `test`.

# %%
choose = or_reference("choose", choose)
METHODS = {"short or long": SHORT_OR_LONG, "bag of words": BAG, "ELMo": ELMO}

# %%
folds = [row % 5 for row in range(len(train))]
chosen, share = choose(METHODS, train, labels, folds, test, answers)
print(f"Chosen by 100 labels: {chosen}. On {len(test)} other texts: {share:.1%}")

# %% [markdown]
# Now by ten labels, five of each class. They are drawn 20 times.

# %% [markdown] deck="poll"
# - never
# - [x] 3 of 20 times
# - 10 of 20 times
#
# minutes: 1
#
# say: A hundred labels: it chooses ELMo. Now ten labels, drawn twenty times. How often does it choose another method?
#
# ask: The poll.
#
# expect: "Never: ELMo is far ahead." A fold asks two texts, and the luckiest coin is back.
#
# skip: Vote, no reasons.

# %%
predict("chosen", "How often does your protocol choose another method than ELMo?", unit="times")

# %% slide="subslide"
names = []
for seed in range(20):
    drawn = np.random.default_rng(seed).permutation(KNOWN)
    ten = [row for label in (0, 1) for row in [row for row in drawn if LABELS[row] == label][:5]]
    names.append(choose(METHODS, *labelled(ten), [0, 1, 2, 3, 4] * 2, test, answers)[0])
print({name: names.count(name) for name in METHODS})
outcome("chosen", len(names) - names.count("ELMo"), unit="times")

# %% [markdown]
# Each fold asks only two texts, and a coin may have luck in all five. Cross-validation is fair to every method; with few labels it is not sure.

# %% [markdown] deck="words"
# ## How sure? Text by text, then draw again
#
# $\Delta_i$: **1** only the first is right · **−1** only the second is · **0** else
#
# . . .
#
# Leads 3, 1, 4, 1, 5. Draw five of them, **with replacement**:
#
# > 1, 5, 5, 3, 1: mean 3.0
# >
# > 4, 1, 3, 4, 4: mean 3.2
#
# . . .
#
# A thousand rounds. The middle 95 % are the interval.
#
# minutes: 3
#
# say: The paired difference: whatever is hard for both falls out. Then the bootstrap: nobody hands you new labels and texts, so draw from those you have. Draw both the rows and the columns of the table, labels and texts: the interval must cover both kinds of chance.
#
# ask: Which of the two kinds of chance is usually forgotten?
#
# expect: "The texts." Usually the labels: one draw, and an interval over the test alone.
#
# skip: The first line and the last.

# %% [markdown] slide="slide"
# ## 5. How sure?
#
# One draw of labels, one set of texts, one number. Draw other labels and the number moves; ask other texts and it moves, too. Two methods that learn from the same labels and are asked the same texts move *together*. So take the **paired difference**, text by text. $\Delta_i$ is 1 where only the first is right, −1 where only the second is. Whatever is hard for both falls out. The lead, $\bar\Delta$, is the mean of the $\Delta_i$; with several draws of labels, over all of them.
#
# How far could it have moved? Nobody hands you new labels and texts. So the **bootstrap** draws from those you have, *with replacement*. Take five leads: 3, 1, 4, 1, 5. One round may draw 1, 5, 5, 3, 1, with mean 3.0; the next 4, 1, 3, 4, 4, with mean 3.2. After a thousand rounds, the middle 95 % of the means give the interval, a **confidence interval**. In every round a whole new experiment is made out of the old one. So the interval covers *both* kinds of chance.

# %% [markdown] exercise="paired_interval"
# ### Exercise 4. How sure is the lead?
#
# Write `paired_interval(first, second, rng, rounds=1000)`. `first` and `second` are tables (draws, n) of True and False: which texts a method has right, after learning from each draw of labels. (Make numbers of them before you subtract.) Row and column mean the same in both.
#
# Return the low and the high end of the 95 % interval of the lead, as shares. It must cover both kinds of chance: other labels could have been drawn, and other texts could have been asked. Use the bootstrap, `rounds` times: make a whole new experiment out of the old one. All chance comes from `rng`.


# %% exercise="paired_interval"
def paired_interval(first, second, rng, rounds=1000):
    """The ends of the 95 % interval of how much more often the first is right."""
    ### BEGIN SOLUTION
    lead = first.astype(float) - second.astype(float)
    draws, texts = lead.shape
    means = []
    for _ in range(rounds):
        rows = rng.integers(draws, size=draws)
        columns = rng.integers(texts, size=texts)
        means.append(lead[rows][:, columns].mean())
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
    ### END SOLUTION


# %% check="paired_interval"
check("paired_interval", paired_interval)

# %% [markdown] hints="paired_interval"
# nudge: If somebody repeats your experiment, what is drawn anew: single cells of the table, or something larger?
#
# idea: A new experiment has other draws of labels and other texts. So one round draws whole rows, with replacement, and whole columns, with replacement, from the table of differences.
#
# outline: Subtract the tables as numbers. In each round draw as many row numbers as there are rows, as many column numbers as there are columns, and keep the mean of that table. The ends are the quantiles 0.025 and 0.975 of these means.

# %% [markdown] deck="words"
# ## The strongest rival: counts that read, too
#
# There are texts **without** labels. **EM** goes round and round:
#
# 1. the counts guess a label for each text: 0.8 of class 1
# 2. the guess joins the counts: 0.8 here, 0.2 there
# 3. guess again
#
# minutes: 2.5
#
# say: ELMo has read millions of words, the bag a hundred texts. Is that fair? Naive Bayes counts how often each word occurs in each class. With EM it learns words from texts without labels. Ten rounds, less than a second, no network.
#
# ask: When does this go wrong?
#
# expect: "When there are too many texts." When it goes astray: few labels, and every round leads further astray. With rare words counted, one of three draws of 25 labels ended at a coin.
#
# skip: Say what it does in one sentence.

# %% [markdown] slide="subslide"
# ### The strongest rival
#
# ELMo has read millions of words, the bag a hundred texts. Is that fair? Counting can read, too: the task has texts *without* labels.
#
# Begin with the labels. **Naive Bayes** counts in how many texts of each class a word stands, and makes shares of the counts. Every count has one added, so that no share is 0:
#
# $$w_{jc} = \log \frac{1 + k_{jc}}{\sum_l (1 + k_{lc})}$$
#
# To answer a text, add up the $w$ of its words, class by class. The largest sum names the class. A softmax over the sums gives probabilities.
#
# Then **EM** (expectation–maximisation) lets the other texts teach, round and round. *Guess*: the counts give each of them probabilities, say 0.8 of class 1. *Count*: the text joins the counts with these, 0.8 here and 0.2 there. With the new shares, guess again.

# %% [markdown] exercise="em"
# ### Exercise 5. Guess, count, guess again
#
# Write `em(w, known, labels, free, rounds=10)`: the $w$ after so many rounds, an array (V, C).
#
# - `w` is the one to begin with. Take it as it is: it may know more than the labels.
# - `known` (N, V) is 1 where a labelled text holds a word, else 0. `labels` (N,) is an array of their classes, from 0. `free` (M, V) is such a table of the texts without labels.
# - In each round the free texts are guessed, (M, C); before a text is read, all classes are equally likely. Then all is counted anew, (V, C): labelled texts by their labels, free ones by their guesses. `log_shares`, in the cell below, makes the next `w`.
#
# Later `free` has 2,000 rows and 4,000 columns. So let `@` do the counting: a loop over texts or words takes far longer.


# %% exercise="em"
import numpy as np
from scipy.special import softmax


def log_shares(counts):
    """Naive Bayes: (V, C) counts of V words in C classes to the logs of their shares."""
    return np.log((1 + counts) / (1 + counts).sum(0))


def em(w, known, labels, free, rounds=10):
    """Naive Bayes with EM: the logs of the words' shares, (V, C), after so many rounds."""
    ### BEGIN SOLUTION
    given = np.eye(w.shape[1])[labels]
    for _ in range(rounds):
        guess = softmax(free @ w, axis=1)
        w = log_shares(known.T @ given + free.T @ guess)
    return w
    ### END SOLUTION


# %% check="em"
check("em", em)

# %% [markdown] hints="em"
# nudge: A labelled text of class 1 is, in the same form as a guess, the row 0, 1. What is it that you count with these rows?
#
# idea: `free @ w` has a row of sums for each text, and the softmax of a row (`axis=1`) is the guess. `np.eye(C)[labels]` has such a row for each labelled text. Word $j$ gets from each text that holds it what the text's row says: `free.T @ guess`.
#
# outline: Make the rows of the labelled texts once. In each round guess, add the two counts, `known.T @ …` and `free.T @ …`, and put `log_shares` of the sum in `w`'s place.

# %% [markdown]
# Your `em` needs tables. Words and pairs that stand in fewer than three texts are left out (`min_df`). The next cell tries both, with a thousand unlabelled texts.
#
# The answer is a text's **log-odds**, $\log p - \log(1 - p)$ of class 1: above 0, class 1 is the likelier one, and far from 0 the reader is sure. With `start`, some free texts have labels in the first $w$ (you will need it in section 7).

# %%
from itertools import pairwise

from course.a_hundred_labels.co_training import log_shares  # the one of your cell

em = or_reference("em", em)


def words_and_pairs(text):
    return [*text, *map(" ".join, pairwise(text))]


def counts_with_em(texts, labels, unlabelled, start=((), ()), least=3):
    """Naive Bayes with EM: a function from texts to log-odds of class 1."""
    counter = CountVectorizer(analyzer=words_and_pairs, binary=True, min_df=least, dtype=float)
    every = counter.fit_transform([*texts, *unlabelled]).toarray()
    known, free = every[: len(texts)], every[len(texts) :]
    rows, answers = np.vstack([known, free[list(start[0])]]), [*labels, *start[1]]
    w = em(log_shares(rows.T @ np.eye(2)[answers]), known, np.array(labels), free)
    return lambda test: counter.transform(test) @ (w[:, 1] - w[:, 0])


FREE = [text for text in TASK.text if text not in test][:2000]  # none that is asked


def counted(texts, labels):
    """EM as a step."""
    odds = counts_with_em(texts, labels, FREE)
    return lambda test: (odds(test) > 0).astype(int)


for least in (1, 3):
    print(f"min_df={least}:", end="")
    for seed in (1, 2, 3):
        drawn = labelled(np.random.default_rng(seed).permutation(KNOWN)[:25])
        said = counts_with_em(*drawn, FREE[:1000], least=least)(test) > 0
        print(f"  {np.mean(said == answers):.0%} right, class 1 for {said.mean():.0%};", end="")
    print()

# %% [markdown]
# With rare words, one class may take most of the texts: round after round, the reader believes its guesses.

# %% [markdown] slide="subslide"
# Now the comparison: 25, 50 and 100 labels, five draws each, the smaller ones inside the larger. Each method learns from the same labels and answers the same 400 texts. This takes about 15 s.

# %% [markdown] deck="poll"
# minutes: 1
#
# say: Five draws of 25 labels, four hundred texts. Both are far ahead of a bag of words. But which of the two is better?
#
# ask: The poll.
#
# expect: "Ahead: it has read millions of words." The counts have read two thousand, and these are of the task.
#
# skip: Vote without reasons.

# %%
HOW = ["ahead", "no clear difference", "behind"]
predict("rival", "25 labels: ELMo against naive Bayes with EM?", options=HOW)

# %% [markdown] deck="printed"
# ## Percent of the asked texts right
#
# minutes: 2
#
# say: Means over five draws. Read it by columns. With 25 labels the bag is a little above a coin. ELMo is at 81 at once, and hardly moves. And counts that have read this task's own texts are at 86, without a network.
#
# ask: Where would the bag reach 81?
#
# expect: "At 200." In the stored runs it needs about four hundred.
#
# skip: First column.

# %% slide="subslide"
COUNTS, SEEDS = (25, 50, 100), (1, 2, 3, 4, 5)
METHODS = {"bag of words": BAG, "naive Bayes, EM": [counted], "ELMo": ELMO}


def table(steps, count, after=lambda: None):
    """(5, n) which of the asked texts a method has right, for five draws of so many labels."""
    rows = []
    for seed in SEEDS:
        drawn = np.random.default_rng(seed).permutation(KNOWN)[:count]
        rows.append(np.array(learn_and_answer(steps, *labelled(drawn), test)) == answers)
        after()
    return np.stack(rows)


correct = {name: {} for name in METHODS}
with progress_bar(total=len(METHODS) * len(COUNTS) * len(SEEDS)) as bar:
    for name, steps in METHODS.items():
        for count in COUNTS:
            correct[name][count] = table(steps, count, bar.update)
report.shares(correct)

# %% [markdown] deck="figure"
# ## How many points ahead of the bag of words?
#
# minutes: 2.5
#
# say: Points ahead of the bag of words, with 95 per cent intervals over draws and texts. Both are clearly ahead of it everywhere. Five draws are few: such intervals are too narrow. One that ends near zero proves little.
#
# ask: The bars of EM are higher. Is it clearly ahead of ELMo?
#
# expect: "Yes, look." These are two leads over a third. Take the difference of the two, text by text: with 25 labels ELMo is 5 points behind, clearly; with 50 and 100 there is no clear difference.
#
# skip: The two groups with 25.

# %% slide="subslide"
from course.results.intervals import Lead

paired_interval = or_reference("paired_interval", paired_interval)


def ahead(new, old):
    """The lead of one table over another, and the ends of its interval."""
    return new.mean() - old.mean(), *paired_interval(new, old, np.random.default_rng(0))


base = correct["bag of words"]
leads = {
    name: [ahead(correct[name][count], base[count]) for count in COUNTS]
    for name in ("naive Bayes, EM", "ELMo")
}
report.leads_figure(leads, COUNTS)

# %%
against_em = [ahead(correct["ELMo"][n], correct["naive Bayes, EM"][n]) for n in COUNTS]
report.print_leads({name: rows[::2] for name, rows in leads.items()}, COUNTS[::2])
report.print_leads({"ELMo less EM": against_em}, COUNTS)
apart = (correct["ELMo"][100] != base[100]).mean()
print(f"100 labels: of ELMo and the bag, exactly one is right on {apart:.0%} of the texts")
outcome("rival", Lead(*against_em[0]).verdict)

# %% [markdown]
# A whisker is the 95 % interval over draws and texts. Five draws are few: a bootstrap cannot draw labels that were never there. So such intervals are too narrow (lesson 11), and one that ends near 0 proves little.
#
# A bag of words must meet a word among its labels to know it. ELMo has met thousands, and 25 examples are enough to draw a line through what it knows. EM has met this task's texts alone, without labels, and that is enough: with 25 labels ELMo is behind it, with more the two cannot be told apart (*ELMo less EM*). (Where texts are of films, the biLM has read most of the asked ones, without labels.)
#
# Is that so on every task? The stored runs try four, against the bag of words, and then against EM. The second, *quoted or reported*, asks whose words stand in the news. The last two are lesson 11's.
#
# Hollow bars use no pretrained network. *SVD of the text* finds the main directions in which words occur together (in papers, *latent semantic analysis*). It and EM read all of a task's text without labels, up to 8,530 texts. Each asks 500 texts (*quoted or reported* has 172), with five draws of labels; EM has ten. The untrained ELMo has the same width and letters, but has learnt nothing. *ULMFiT* is fine-tuned as in lesson 11, in stages 1 and 3. The *masked LM* is lesson 12's larger one, frozen like ELMo.

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: Four tasks, stored. On opinion or plot and on quoted or reported ELMo and a masked model are ahead. On the kind of question no network is. For or against a film, the counts with EM alone are far above a coin: 63 per cent. They and the SVD have read all of a task's texts, without labels; with 2,000 in place of 8,530 EM has 55. And the untrained ELMo, the same width, the same letters, is far behind wherever ELMo is ahead: there, reading helps.
#
# ask: So what do you answer to somebody with a hundred labels?
#
# expect: "Take ELMo." Which task?
#
# skip: The bars of ELMo, trained and untrained.

# %% slide="subslide"
report.stored_leads_figure(
    "100 labels: the task decides what reading is worth, against a bag of words (stored)"
)

# %%
report.elmo_against_em()

# %% [markdown]
# **The task decides.** On opinions and plots and on *quoted or reported*, ELMo and the masked LM are ahead of the bag (on the second barely). On the kind of question no network is. For or against a film, a hundred labels take EM alone far above a coin: to 63 % (with 2,000 texts, to 55). ULMFiT, fine-tuned on so few labels, is nowhere clearly ahead. Wherever ELMo is ahead, the untrained one is far behind it: there, reading helps, and not the network's shape.
#
# And the counts that read? Held to EM, in the printed lines, ELMo is **nowhere clearly ahead**. On opinions and plots with 25 labels it is 8.8 points behind (4.4 to 13.9), for or against a film with 100 by 6.7 (3.1 to 10.5).

# %% [markdown] slide="slide"
# ## 6. Three broken reports
#
# Four reports on a hundred opinions and plots. The model is a bag of the twenty best words. Each report cross-validates in five folds, five times. One is sound. Beside the reported share stand three that anybody with the program can measure:
#
# - **fresh texts**: the share on 400 others, after all hundred,
# - **coin flips**: what would be reported if each text's label were a coin flip (up to three points from 50 come by chance),
# - **no double**: the share on test texts that have no copy among the learnt ones.

# %% [markdown] deck="printed"
# ## Four reports. Three of them are broken
#
# minutes: 2.5
#
# say: The same model in each. Reported: what stands in the paper. Five draws: each one. Fresh texts: the same models elsewhere. Coin flips: what would be reported if the labels were coin flips. No double: on texts without a copy among the learnt ones. Give them two minutes in pairs. The faults themselves are exercise 6.
#
# ask: Which column would you ask for, if you could have only one?
#
# expect: "Fresh texts." Often there are none. Coin flips: a sound protocol reports a half.
#
# skip: B: look at its five draws.

# %% slide="subslide"
report.print_reports()

# %% [markdown] exercise="broken_reports"
# ### Exercise 6. Three broken reports
#
# Which report has which fault?
#
# 1. Copies of a text stand on both sides of the split.
# 2. The words were picked with the labels of all folds.
# 3. In the test, each label stands beside the text below its own.
# 4. All five draws are the same draw.
# 5. The test holds texts of one class only.
# 6. The baseline learnt from half of the labels.
#
# Return a dict with the number of each report's fault, such as `{"A": 6, "B": 6, "C": 6}`.


# %% exercise="broken_reports"
def broken_reports():
    """The fault of each report, by its number."""
    ### BEGIN SOLUTION
    return {"A": 2, "B": 4, "C": 1}
    ### END SOLUTION


# %% check="broken_reports"
check("broken_reports", broken_reports)

# %% [markdown] hints="broken_reports"
# nudge: What should *any* sound protocol report of coin flips?
#
# idea: Two reports find something in coin flips. One of them loses it again when doubles are left out. The third has nothing wrong in its mean: look at what the mean is of.
#
# outline: A text that is learnt with its coin is known with its coin, if it comes again. If no text comes again, something else must have seen the coins of the fold.

# %% [markdown] model_answer="broken_reports"
# **A** tells coin flips apart, without any double: a step in front of the folds has seen all labels, and has kept those words that happen to fit them, those of the held-out fold, too. With many words and few labels there are always some. It is the commonest leak of all, since a table of features *looks* like data. Your `learn_and_answer` cannot make it. **B** is one draw in five copies: no spread, so the interval is of no width, and the mean is one number. **C** finds something in coin flips as well, but only among doubles. The others are right as often as they should be, or less: who chases copies learns less from the rest. With fault 3 the report itself would be a coin's, while fresh texts went well.

# %% [markdown] slide="slide"
# ## 7. Your method
#
# ### Change one thing
#
# For the same money somebody offers you twice as many labels: 100, not 50. But every fifth is wrong. Do you take them?

# %% [markdown] deck="poll"
# ## 100 labels, every fifth wrong, or 50 right ones: ELMo with the hundred is …
# - about 7 points ahead
# - level
# - [x] about 7 points behind
#
# minutes: 1.5
#
# say: For the same money. Do you take them?
#
# ask: The poll.
#
# expect: "Ahead: eighty right ones against fifty." Twenty wrong ones pull the other way, and with few labels every one has a say.
#
# skip: Say the result.

# %%
predict(
    "own",
    "ELMo's features: how many points are 100 labels, every fifth wrong, ahead of 50 right ones? (Behind: below 0.)",
    unit="points",
)


# %% slide="subslide"
def changed(train, labels):
    """ELMo's features, learnt from labels of which every fifth is wrong."""
    wrong = [1 - label if row % 5 == 0 else label for row, label in enumerate(labels)]
    return lambda test: learn_and_answer(ELMO, train, wrong, test)


change = ahead(table([changed], 100), correct["ELMo"][50])
report.print_leads({"changed": [change]}, [100])
outcome("own", 100 * change[0], unit="points")

# %% [markdown]
# Is the interval below 0? Then twice the labels don't make up for the wrong ones: fifty that are right are worth more. But the draws are few, so the interval is too narrow.
#
# Now change one thing of your own choice. The list below has one, a stronger penalty: `regression(0.001)` for `regression(0.01)`. Put another in its place: leave out the scale, cut `sentence_vectors` down to one layer, or let two methods vote. Write down *first* what you expect. Both sides have the same labels here.


# %%
my_change = [vectors, scale, regression(0.001)]  # a stronger penalty: change one thing

new, old = table(my_change, 100), correct["ELMo"][100]
report.print_leads({"my change": [ahead(new, old)]}, [100])
print(f"exactly one of the two is right on {(new != old).mean():.0%} of the texts")

# %% [markdown]
# ### Report
#
# **What did you change, and what did you expect, and why? What came out, with its interval? What do you conclude, and what would have changed your mind?** Five to eight sentences. If your change brought nothing, say so: that is a result.

# %% [markdown] discussion="one_change" points=3
# **Rubric, 3 points.** 1 for one single change, and an expectation with its reason that was there before the result. 1 for the measurement: the same labels and texts on both sides, the lead with its interval over draws and texts, on the asked texts and not on the hidden ones. 1 for a conclusion that the interval allows ("no clear difference" is not "no difference"), with what could refute it: a lead the other way, more texts (how many?), another task. A change that failed earns as much as one that helped. 0.5 off for several changes at once.

# %% [markdown] model_answer="one_change"
# I left out the scale: `[vectors, regression(0.01)]`, and nothing else. I expected to lose, since without it the directions with large numbers drown the others. Both sides learnt from the same five draws of 100 labels and were asked the same texts, and the hidden ones stayed closed. The lead was small, and I go by its interval: where it holds 0, I conclude that no difference is to be seen with these texts, and not that there is none. If it lay clearly above 0, my reason was wrong, or it was not the only one: the scale also changes how hard the penalty presses. Then another penalty with the scale kept should be as far ahead, and that is the next single change. Five draws are few, and whoever tries many changes finds one that lies above 0 by luck, so I would repeat it with fresh draws before I kept it. And it holds for this task alone: on *quoted or reported*, leaving out the scale came out behind.

# %% [markdown] deck="words"
# ## Two readers teach each other
#
# 1. ELMo learns, and answers texts without labels. The **surest** keep the answers, as many of each class.
# 2. Counts with EM start from the labels **and these texts**.
# 3. Those that the counts answer surest teach ELMo.
# 4. **Add** both log-odds.
#
# minutes: 2
#
# say: ELMo knows what words mean; the counts know which words this task uses. They make different mistakes. This is co-training, of 1998.
#
# ask: Why two different readers? Why not let ELMo teach itself?
#
# expect: "It is surest where it knows already." That was the idea of 1998. But it has been tried here: each taught by itself, and then added, does as well, or better.
#
# skip: In one sentence.

# %% [markdown] slide="subslide"
# ### Two readers
#
# ELMo and the counts make different mistakes: one knows what words mean, the other which words this task uses. So let them teach each other. This is **co-training** (Blum and Mitchell, 1998). A reader answers the unlabelled texts. Those that it answers *surest* keep its answers as labels, and the other reader learns from them, too: `counts_with_em` takes them as its `start` (their rows, and their answers). At the end the log-odds of both are added; above 0 it is class 1. (`decision_function` of a `LogisticRegression` gives its log-odds.)
#
# What decides is left to you. Who begins? Which texts are sure enough, and how many of each class? Of 25 labels drawn, perhaps eight are opinions. Then the surest half would be plots, nearly all of it, and the pupil would learn that everything is a plot. Who learns again, and from what?
#
# ### An evening: a reader of your own
#
# Anything goes that is made before the test is opened: a vote, your `choose` at work inside, or a reader of your own, in ELMo's place or as a third beside the two. Two ways to get one:
#
# - **Features.** The larger masked model of lesson 12 (`load_masked_lm` gives it and its vocabulary, with `encode`) reads a row of word numbers between `[CLS]` (2) and `[SEP]` (3), which stand where ELMo's boundaries stand. So write a `layers_of` around its `layers(ids, mask)`, and hand it to `reading`. (It has 64 positions: cut longer rows.) On opinions and plots its features alone are about as far ahead of the bag as ELMo's.
# - **A network, fine-tuned.** `mine("Classifier")` and `mine("tune")` of lesson 14, on lesson 13's president or your own `CausalLM`. Labels are few for it, but another reader's surest texts may teach it, too. Three minutes train it 16 times.
#
# **Open the hidden texts once**, when you are satisfied. Every check opens them; the number of times is kept in your folder and stands under the result. You see only the step that you reach. (In a course they may be of another task: hand in a method, and not a table of answers.)

# %% [markdown] exercise="hand_in"
# ### Exercise 7. Your method
#
# Write `hand_in(texts, labels, unlabelled, test)`: a label, as in `labels`, for each text in `test` (here, the hidden ones). Texts are lists of words in lower case. `unlabelled` has up to 2,000 more texts of the task. It is called with 25, 50 and 100 labels, three draws each, and about 400 texts that are asked.
#
# - Asked twice, it gives the same answers: seed whatever draws.
# - An answer must not depend on what else is asked: nothing learns from `test`.
# - Labels come from `labels` alone.
# - It takes no more than three minutes in all.
#
# A method that breaks one of the first three rules climbs no step.
#
# The ladder has five steps for each number of labels. The lower three are, against a bag of words on the same labels: at most 2 % more errors, then 20 and 40 % fewer. The upper two, on opinions and plots:
#
# | fewer errors | 25 labels | 50 | 100 |
# |---|---|---|---|
# | step 4 | 72 % | 61 % | 56 % |
# | step 5 | 73.5 % | 65.5 % | 63 % |
#
# (On another task: at most 12 % more, at most 2 % more, then 5, 10 and 16 % fewer. On *quoted or reported* ELMo alone comes to the top.)
#
# ELMo alone comes to the third step, and so does EM. Above it you need what you have put together yourself: `course`'s own co-training is not accepted. Over ten stored draws of labels, on texts for trying out, ELMo avoids half of the bag's errors, EM 63, 57 and 45 %, with 25, 50 and 100 labels, and co-training 69, 64 and 58 %. The hidden draws are other ones: there co-training can reach the top.


# %% exercise="hand_in"
def hand_in(texts, labels, unlabelled, test):
    """A label for each text in `test`."""
    ### BEGIN SOLUTION
    read = vectors(texts, labels)

    def elmo(train, given):
        scaled = scale(read(train), given)
        model = LogisticRegression(C=0.01, max_iter=2_000).fit(scaled(read(train)), given)
        return lambda asked: model.decision_function(scaled(read(asked)))

    def surest(odds):
        order, quarter = np.argsort(odds, kind="stable"), len(odds) // 4
        return [*order[:quarter], *order[-quarter:]], [0] * quarter + [1] * quarter

    counts = counts_with_em(texts, labels, unlabelled, surest(elmo(texts, labels)(unlabelled)))
    rows, given = surest(counts(unlabelled))
    taught = elmo([*texts, *(unlabelled[row] for row in rows)], [*labels, *given])
    return (counts(test) + taught(test) > 0).astype(int)
    ### END SOLUTION


# %% [markdown] hints="hand_in"
# nudge: Begin with one reader inside `learn_and_answer`, and measure it. Which texts does the other one have right where this one is wrong?
#
# idea: Two functions are enough beside `counts_with_em`: one learns ELMo's log-odds from texts and labels, the other names the rows that a reader is surest of, with their answers. `np.argsort(odds)` has those that lean most to class 0 first, and those that lean most to class 1 last: take as many from both ends.
#
# outline: With 25 labels ELMo knows more words, so it teaches first. EM, started from what ELMo is surest of, then knows the task, and teaches back. ELMo learns anew, from labels and taught texts together. A quarter of the unlabelled texts from each end is a good beginning.

# %% [markdown]
# Measure it on the asked texts first: what does your method add to each reader alone? This takes about 30 s.

# %% [markdown] deck="poll"
# - behind: mistakes add up
# - level
# - [x] about 7 points ahead
# - about 15 points ahead
#
# minutes: 1
#
# say: The two together against ELMo alone, with 25 labels.
#
# ask: The poll.
#
# expect: "15: the labels are multiplied." A good part was known to ELMo already.
#
# skip: Say the number.

# %%
predict("adds", "25 labels: how many points is your method ahead of ELMo alone?", unit="points")

# %% [markdown] deck="printed"
# ## What both together add to each reader alone
#
# minutes: 1.5
#
# say: With the intervals over draws and texts. Ahead of ELMo by four to seven points, ahead of the counts by one or two: clearly with 25, barely with 50, not with 100. Nothing was labelled for it.
#
# ask: Which of the two comparisons is the honest one?
#
# expect: "The larger one." That against the stronger reader: here, the counts.
#
# skip: First line.

# %% slide="subslide"
own = [lambda train, labels: lambda test: hand_in(train, labels, FREE, test)]
with progress_bar(total=len(COUNTS) * len(SEEDS)) as bar:
    yours = {count: table(own, count, bar.update) for count in COUNTS}
adds = {
    f"yours less {name}": [ahead(yours[count], correct[name][count]) for count in COUNTS]
    for name in ("ELMo", "naive Bayes, EM")
}
report.print_leads(adds, COUNTS)
outcome("adds", 100 * adds["yours less ELMo"][0][0], unit="points")

# %% [markdown]
# The stored runs have ten draws, and all four tasks. Does the teaching *each other* help? The rival lets each teach **itself**: ELMo learns again from the texts that it answers surest (**self-training**), EM begins with the labels alone, and the log-odds of both are added.

# %% slide="subslide"
report.taught_figure()

# %%
report.print_taught("opinion or plot")

# %% [markdown]
# On no task does it help to be taught by the other. On *quoted or reported* it does harm, with each number of labels, and on the kind of question with 50 and 100. A teacher that is wrong teaches its mistakes.
#
# What helps on opinions and plots is that there are two readers, and texts without labels. There co-training is ahead of ELMo alone, by 8 points with 25 labels and 4 with 50. But the reader to beat is the stronger one, mostly the counts: over EM alone, on the same 2,000 texts, it gains 2 to 3 points, clearly. So does the rival. EM that reads all 8,000 gets as far alone. (*Both, added*: ELMo's log-odds plus EM's, untaught.)

# %% [markdown] deck="words"
# ## The hidden texts are opened **once**
#
# Each opening is counted. The count stands under your result.
#
# minutes: 1
#
# say: Exercise 7 is the project that everybody hands in. Anything goes that is made before the test is opened. There is a ladder with five steps for each number of labels, in errors avoided against a bag of words. ELMo alone comes to the third step.
#
# ask: Somebody opens it ten times and hands in the best. What is that?
#
# expect: "Diligence." Coin 121.
#
# skip: One sentence.

# %% [markdown]
# Satisfied? Then open the hidden texts. (About 30 s.)

# %% check="hand_in"
check("hand_in", hand_in)

# %% [markdown] model_answer="hand_in"
# Did a better method on `test` climb no higher here? You tried several on 400 texts: the best of them had luck, too. And if you have opened the hidden texts twice, say so: the second time you chose by them.
#
# Ours is co-training: ELMo begins, EM starts from the quarter at each end, and ELMo learns again from EM's quarters. Neither reader is new, and to let each teach itself would have been as good. On *quoted or reported* it is no good: there the two readers merely added are better, and ELMo alone is as good as that. Look at your lead over each before you choose. A ladder instead of one number was chosen because 400 texts cannot tell 86 from 87 %.

# %% [markdown] slide="slide"
# ## Recap
#
# - Whoever tries many things and reports the best measures luck.
# - No text on both sides. Everything that learns, learns inside the folds. Try methods out on some texts, and open the test once, for the method that was chosen.
# - A confidence interval should cover both kinds of chance: other labels and other texts. Methods are compared by paired differences.
# - *No clear difference* is not *no difference*: a few hundred texts show large leads only.
# - Coin flips for labels find leaks: a sound protocol reports a half.
# - Counts can read, too: naive Bayes with EM learns from texts without labels. Try it as a rival: in the stored runs ELMo was nowhere clearly ahead of it, and behind on two. With rare words counted, it may go astray.
# - Texts without labels teach: by EM, by self-training, or by co-training, in which two readers teach each other. On one task of four two such readers, added, brought 2 to 3 points over the stronger one; counts alone got as far with four times the text. To be taught by the other was nowhere better than to teach oneself, and did harm on two.
# - Against a bag of words, the fewer the labels, the more *frozen* reading was worth, on opinions and plots and on *quoted or reported*. On the other two tasks, counting words did as well.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss 1
#
# **You have 100 labelled examples. ELMo's features, fine-tuning, a bag of words, or a network from scratch? Defend your choice for one task of your own. Why should text without labels help there at all, and when would it not? How would you find out whether pretraining helps?** Eight to twelve sentences.

# %% [markdown] discussion="defend" points=5
# **Rubric, 5 points.** 1 for a choice that fits a concrete task, with why text without labels should help there and when it would not (does meaning, word order or a few words decide? how far is the text from what the model has read?). 1 for evidence of this course or of a paper, with its limits (which task, which baseline, how many labels). 1 for the controls: a bag of words on the same labels, counts that read the same text (EM), and an untrained network of the same sizes, without which "pretraining helps" cannot be said. 1 for the protocol: a split without copies, choice by folds, several draws of labels, an interval over draws and texts, the test opened once. 1 for what would change the author's mind, as a number that could come out. 0.5 off for a network from scratch as the only baseline.

# %% [markdown] model_answer="defend"
# My task is to sort letters to a city into complaint and question. I would begin with ELMo's frozen features and a logistic regression. A model that guesses words well must notice whether somebody is angry or asks, so few labels can show it which is which. On our task of opinions and plots they were far ahead of a bag of words with 25 to 100 labels, though not of counts with EM, which were ahead where they had read all 8,000 texts. On questions of TREC they were not, so I would not trust the choice before measuring. Where a few words decide, that brings nothing, and a bag of words is as good: it learns from the same labels, as the first rival. Whether *reading* helps, and not merely a wide network, I would see from an untrained biLM of the same sizes. Fine-tuning comes third: with 100 labels it was not better here, and it takes far more time. The letters that nobody has labelled teach, too: naive Bayes with EM learns from them without a network, so it is the rival to beat, and two readers together may beat both. The letters are split by sender, so that nobody's two letters stand on both sides. I choose by five folds over five draws, and take the difference letter by letter, with an interval over draws and letters. The test has more letters than the 400 texts that we asked: there, the intervals reached about four to six points to each side, so they could show large leads only. It is opened once. If the interval of ELMo less bag of words contains 0, I take the bag of words: it is smaller and can be explained. If the untrained network is as good as the trained one, then reading has not helped, whatever the score. And all this holds for texts like these: if the letters change, I measure again.

# %% [markdown] slide="subslide"
# ## Discuss 2
#
# **Which ideas of ELMo and ULMFiT live on in BERT, GPT-3 and what came after, and which were overtaken? Name two of each, and one of which you are not sure.** Six to ten sentences.

# %% [markdown] discussion="what_lives" points=4
# **Rubric, 4 points.** 1 for two ideas that live on, each with where (learning from raw text first; a vector for each occurrence; adapting a whole network; going on with the text of a field; lower rates or frozen layers to forget less; all layers and not the top one). 1 for two that were overtaken, each with by what (LSTMs by attention; two separate directions by masks; the frozen biLM beside a task's own network by one network for all; whole words or characters by pieces of words; gradual unfreezing by a small rate with warm-up). 1 for a reason in each case, and not a list. 1 for an honest doubt, with what could settle it. 0.5 off for "ELMo was the first contextual model" or "BERT proved that LSTMs are worse".

# %% [markdown] model_answer="what_lives"
# What lives on most is the order of things: first read, without labels, then learn the task. GPT and BERT took it over whole. A vector for each occurrence lives on, too: every layer of a Transformer gives one, and the habit of mixing layers came back in probing. From ULMFiT, a second round of reading on the text of a field is still done, under other names, because it needs no labels. Overtaken is the frozen language model beside a network of the task's own: one network with a small layer on top does it all, and GPT-3 needs no new layer, only a text that shows what is asked. Overtaken, too, are two directions that never meet, since masks let all layers see both sides, and with them the LSTM, since attention reads all words at once. Gradual unfreezing seems gone: a small rate with a warm-up protects well enough, as our plain run in lesson 11 did. I am not sure about characters. Pieces of words won, but they break on misspelt words and on languages with many forms. A comparison at equal size and equal text would settle it.

# %% [markdown] deck="words"
# ## The road behind you
#
# | | mended | left open |
# |---|---|---|
# | **word2vec** | vectors from raw text | one vector a word |
# | **TagLM** | a frozen language model helps | its top layer alone |
# | **ELMo** | a vector for each occurrence | two directions that never meet |
# | **ULMFiT** | fine-tuning with care | tried on classification only |
# | **BERT** | all layers see both sides | cannot write |
#
# minutes: 2
#
# say: Five of the thirteen lines of the lesson's picture. Nearly everything here was built and measured in this course, on a small scale.
#
# ask: Which of the open ends is still open today?
#
# expect: "None: there are large models." Let them argue. It is the second essay.
#
# skip: Three lines: word2vec, ELMo, BERT.

# %% [markdown] slide="slide"
# ## The road behind you

# %%
ideas.ideas("What each idea mended, and what it left open")

# %% [markdown]
# Most ideas in that picture you have built yourself, on a small scale, and measured. The [glossary](../../GLOSSARY.md) and the index of concepts, linked at the head of each lesson, say where each word and idea is taught.

# %% [markdown] slide="slide"
# ## If you have time
#
# Each section stands alone, and the exercises are marked like the others: copies, with exercise 8 (13 minutes); how many texts a test needs, with exercise 9 (18); a myth (4).

# %% [markdown] slide="slide"
# ## 8. No text on both sides
#
# Section 2 was given a `split`. Now write it. Its check plants copies, some of them with a capital, and looks for them on both sides.

# %% [markdown] exercise="split"
# ### Exercise 8. No text on both sides
#
# Write `split(texts, count, rng)`. `texts` is a list, and a text is a list of words. Return two lists of row numbers: those to learn from, and those of the test, in any order.
#
# - Every row is on exactly one side.
# - No text is on both sides, whatever its capitals.
# - The test is drawn at random. It has at least `count` rows, and more only because of copies.
# - The same `rng` gives the same split.


# %% exercise="split"
def split(texts, count, rng):
    """Rows to learn from, and rows of the test."""
    ### BEGIN SOLUTION
    spelt = [" ".join(text).lower() for text in texts]
    drawn = {spelt[row] for row in rng.permutation(len(texts))[:count]}
    learn, test = [], []
    for row, text in enumerate(spelt):
        (test if text in drawn else learn).append(row)
    return learn, test
    ### END SOLUTION


# %% check="split"
check("split", split)

# %% [markdown] hints="split"
# nudge: You draw rows, or you draw texts. What happens to the copies of what you have drawn?
#
# idea: Give every row a spelling that its copies share. Then decide for each *spelling* on which side it is, and let all rows follow.
#
# outline: Draw `count` rows, collect their spellings in a set, and go through all rows: a row whose spelling is in the set belongs to the test. `rng.permutation(len(texts))` draws each once. (A set has no order of its own: draw before you make one, or sort it.)

# %%
split = or_reference("split", split)
learn_rows, test_rows = split(TEXTS, len(TEXTS) // 3, np.random.default_rng(1))
print(f"{len(learn_rows):,} rows to learn from, {len(test_rows):,} of the test")

# %% [markdown] slide="slide"
# ## 9. How many texts?
#
# In section 5 the texts were there, and you asked how sure the lead is. Now the other way round: before anybody labels a test, how large must it be? Nothing has been measured yet. You can only say which lead you want to see, and how often the two methods will disagree. (Labels add chance of their own; here only the texts count.)

# %% [markdown] exercise="texts_needed"
# ### Exercise 9. How many texts does the test need? (derive it)
#
# Pen and paper first. $\Delta_i$ is 1, −1 or 0. It is not 0 in a share $u$ of the texts, and its mean is $\bar\Delta$. What is the mean of its square? So what is its variance? What is the standard error of the mean of $n$ of them?
#
# Then write `texts_needed(lead, disagree, width=1.96)`: the smallest whole $n$ at which `width` standard errors are no more than the lead. `lead` is $\bar\Delta$, `disagree` is $u$, both shares, `width` is $z$.


# %% exercise="texts_needed"
def texts_needed(lead, disagree, width=1.96):
    """How many texts it takes until so many standard errors are no more than the lead."""
    ### BEGIN SOLUTION
    variance = disagree - lead**2
    return int(np.ceil(width**2 * variance / lead**2))
    ### END SOLUTION


# %% check="texts_needed"
check("texts_needed", texts_needed)

# %% [markdown] hints="texts_needed"
# nudge: Write a table of the three values of $\Delta_i$ and of their squares. Which of the shares do you know?
#
# idea: The square is 1 wherever exactly one is right, so its mean is $u$. A variance is the mean of the squares less the square of the mean. The standard error of a mean is the root of variance over $n$.
#
# outline: Set `width` standard errors equal to the lead, square both sides, solve for $n$, and round up.

# %% [markdown] model_answer="texts_needed"
# The mean of $\Delta_i^2$ is $u$, so the variance is $u - \bar\Delta^2$ and the standard error $\sqrt{(u - \bar\Delta^2)/n}$. From $z \sqrt{(u - \bar\Delta^2)/n} = \bar\Delta$ follows $n = z^2 (u - \bar\Delta^2) / \bar\Delta^2$. Asked of *different* texts, two methods with 85 and 88 % right have the variance $0.85 \cdot 0.15 + 0.88 \cdot 0.12 = 0.233$ instead of 0.149: half as many texts again. McNemar's test of 1947 rests on the same disagreements.

# %% [markdown] deck="printed" lines="1,3-7"
# ## How many texts does a test need?
#
# minutes: 2
#
# say: Before anybody labels a test. The smaller the lead that you want to see, the more texts, by the square. And with just so many, a true lead of three points is seen in half of the experiments: the measured lead falls as often below the true one as above. Four times out of five takes twice as many. A common test set for questions has 500.
#
# ask: A paper reports a lead of one point on 500 texts. What do you say?
#
# expect: "Congratulations." It takes thousands.
#
# skip: The line of one point.

# %%
texts_needed = or_reference("texts_needed", texts_needed)
print(f"A lead of 3 points, {apart:.0%} of the texts in dispute: {texts_needed(0.03, apart):,}")
least = 1.96 * np.sqrt(apart / len(test))
print(f"{len(test)} texts, as many in dispute: a lead of {100 * least:.1f} points")
for lead in (0.05, 0.03, 0.01):
    print(f"{100 * lead:.0f} points, 15 % in dispute: {texts_needed(lead, 0.15):,}")
rng = np.random.default_rng(0)
for width in (1.96, 2.8):  # 2,000 experiments with a true lead of 9 - 6 = 3 points
    n = texts_needed(0.03, 0.15, width)
    deltas = rng.choice([1, -1, 0], (2_000, n), p=[0.09, 0.06, 0.85])
    seen = deltas.mean(1) > 1.96 * deltas.std(1) / np.sqrt(n)
    print(f"{n:,} texts: the lead of 3 points is seen in {seen.mean():.0%} of the experiments")

# %% [markdown]
# So a smaller lead hardly shows in the figure of section 5, and *no clear difference* there may hide one.
#
# With 637 texts a true lead of 3 points is seen in *half* of the experiments only: the measured lead falls as often below the true one as above it. To see it four times out of five, a **statistical power** of 80 %, takes 1,299 texts and 2.8 standard errors: 1.96, and 0.84. (Four fifths of a normal distribution lie below that.) TREC-6 has 500.

# %% [markdown] deck="words"
# ## What to take home
#
# - Whoever tries many things and reports the best **measures luck**.
# - Everything that learns, learns **inside the folds**.
# - The interval covers **other labels and other texts**; compare in pairs.
# - Frozen reading was worth most with **few labels**, on **some tasks**. Ask what it **adds** to the strongest counts.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 2, 4 and 7, and the first essay.
#
# ask: "With 20 per cent of the labels one gets 90 per cent of the performance." What is missing?
#
# expect: "The source." This model, on this task, against that baseline, with so many labels.
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"With 10 to 20 percent of the labels, a pretrained model reaches 80 to 90 percent of full performance."*
#
# You met it in lesson 14, without a source. What has been published is narrower. ELMo's paper: in semantic role labelling, 1 % of the training set with ELMo does about what 10 % does without. TagLM: with 1 % of the labels F1 rises from 67.66 to 71.01, with all of them by 1.06. ULMFiT, against the same network from scratch: 100 labels do the work of 10 times as many on IMDb, 20 on AG; with much unlabelled text, 50 to 100. You can test one: how many labels does a bag of words need to catch up? (Your `labels_needed` of lesson 14 reads it off a curve.)

# %%
predict("catch_up", "How many labels does a bag of words need to match ELMo's features with 25?")

# %% slide="subslide"
report.curves_figure(
    "opinion or plot", "Opinion or plot: the bag of words needs many times the labels (stored)"
)

# %%
needed = report.catch_up(mine("labels_needed"))
outcome("catch_up", needed["opinion or plot"])

# %% [markdown]
# On opinions and plots the bag of words needs many times the labels, on *quoted or reported* several times, on the other two tasks at most twice as many. That baseline reads nothing: counts that do, by EM, are nowhere clearly behind ELMo with as many labels. (Between measured points the line is a guess, and the bands are wide.) So the honest sentence has four parts: *this* model, on *this* task, against *that* baseline, with *so many* labels. And a fifth, from section 5: what the model had read, and what the baseline may read.

# %% [markdown]
# ## Further reading
#
# - Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, chapter 7: the wrong way and the right way to do cross-validation.
# - Dodge and others, *Show Your Work: Improved Reporting of Experimental Results*, 2019: what to report when many variants were tried.
# - Card and others, *With Little Power Comes Great Responsibility*, 2020: the statistical power of our field's test sets.
# - [PLMpapers](https://github.com/thunlp/PLMpapers): papers on pretrained language models, and their family tree.
# - In the package: `course/a_hundred_labels/protocol.py`, and `python -m course.a_hundred_labels.experiments --help`, which measures again what is stored here.

# %% [markdown] instructor=true
# **Instructor, common questions.** *Is using the unlabelled texts a leak?* Not those of train. With the texts of the test it would be transductive, and must be said. *ELMo has read the train part of the film sentences, without labels: is that fair?* It is what stage 2 of ULMFiT does on purpose. The dev and test sentences were left out of its text. Without the corpora the task is *quoted or reported*, from the Lee news, which no model here has read, and the picture is the same. *Why is the untrained biLM a good control?* It has the same width and the same reading of letters; only what was learnt is missing. *The task stays, the texts change: does the lead stay?* Not by itself. A reader of news that is asked about letters may lose much of it, so measure again there. People are said to cope better with such a change; nobody measured that here. *Why a ladder of errors avoided and not of points?* Ten points above 56 % are easier than ten above 85 %.
