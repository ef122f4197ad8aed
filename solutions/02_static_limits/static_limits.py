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
# ## What a static vector cannot do
#
# Lesson 02 · GloVe, Pennington, Socher and Manning, 2014
#
# minutes: 1
#
# say: Lesson 01 gave every word one vector. Today another kind, trained from counts. Then the wall that stops all such vectors: we measure it, and build a reader that looks over it.
#
# ask: Which word would you give two vectors?
#
# expect: "*Bank*." Ask for a second one. Nearly every frequent word is ambiguous.
#
# skip: Leave out the question.

# %% [markdown] slide="slide"
# # 02 · What a static vector cannot do
#
# Lesson 01 gave every word one vector. Here you train another kind, from counts, and watch it grow. Then you meet the wall that stops all such vectors. You measure it, and build a reader that looks over it.

# %% tags=["road"]
from course.figures import plots
from course.static_limits import figures as merged_words

plots.road("02")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - count who stands near whom, and train vectors on the counts as GloVe does, in a loop of your own,
# - tell three broken runs apart by their symptoms,
# - derive where the vector of an ambiguous word lies, and check it on words with known answers,
# - compute the ceiling of a static vector,
# - build a reader of contexts that passes it, and compare it with cheaper ones.
#
# ## The papers
#
# - **GloVe**: Pennington, Socher and Manning, *GloVe: Global Vectors for Word Representation*, EMNLP 2014 (D14-1162), section 3.
# - **fastText**: Bojanowski, Grave, Joulin and Mikolov, *Enriching Word Vectors with Subword Information*, TACL 2017 (arXiv:1607.04606), section 3.
#
# Plan 100 minutes, 115 with second tries, 35 more for the essays and the end. Short of time? Exercises 1 to 5, 7 and 8 are the spine, 95 minutes. Where you leave one out, the course's function takes its place.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $V$ | words in the vocabulary | $a, b$ | the vectors of two words |
# | $D$ | dimensions of a vector | $m$ | the vector of their merged word |
# | $X_{ij}$ | how often words $i$ and $j$ stand near each other | $\alpha, \beta$ | how much of $a$ and of $b$ is in $m$ |
# | $w_i, \tilde w_j$ | vector and context vector | $b_i, \tilde b_j$ | their biases |
# | $f$ | the weight of a count | $x_{\max}, \alpha$ | its two settings (this $\alpha$ is the paper's) |
# | $\theta, \theta_0$ | weights and bias of a reader | $\lambda$ | how much large weights cost |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes, for somebody who passes most checks soon (200 words a minute, and for the exercises the minutes that stand beside them): opening and section 1, 3; section 2, 41; section 3, 17; section 4, 6; section 5, 20; sections 6 and 7 and the recap, 3: that is 90. With second tries add 15; the essays take 10, at home, the section at the end 25. For 70 minutes: show exercises 1, 4 and 6 solved. For 50: show 2 and 3 as well, and run the training as a demonstration. Students get stuck in exercise 2 on the pairs that never occur: run a loss without `torch.where` in front of the class, and let them explain the `nan`. In exercise 5 write $Q$ in dot products (hint 1) on the board and let them go on.

# %%
from collections import Counter, defaultdict

import numpy as np
import torch

from autograde import calibration, check, mine, or_reference, outcome, predict
from elmo_mini import corpora
from elmo_mini.progress import progress_bar

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

text = corpora.course_text()
sentences = list(progress_bar(text.sentences(lower=True), "reading", unit=" sentences"))

# %% [markdown] slide="slide"
# ## 1. One photo for every role
#
# An actor has one photo made and sends it to every theatre. Comedy or tragedy, it is the same face. A **static vector** (or *static embedding*) is such a photo. It is made once, from all the sentences of a word, and shown in every sentence.

# %% [markdown] deck="words"
# ## One photo for every role
#
# An actor has **one photo** made and sends it to every theatre.
#
# > the teams agreed to **play** shorter quarters
# >
# > buskers who **play** guitar on the underground
# >
# > fell asleep at the **play**
#
# minutes: 2
#
# say: A static vector is such a photo. It is made once, from all the sentences of a word, and shown in every sentence. word2vec, GloVe and fastText all work like this: one vector for each type, the word in the dictionary, and none for the token, the word in its sentence.
#
# ask: In which of the three roles was the photo taken?
#
# expect: "In the commonest." In all of them at once. How much of each is what we measure.
#
# skip: Read one of the sentences.

# %%
from elmo_mini.text.senses import sense_sentences

for s in {s.gloss: s for s in sense_sentences("english") if s.target == "play"}.values():
    print(f"{s.gloss}:\n    {' '.join(s.tokens)}")

# %% [markdown]
# Three roles of *play*, one vector. (Language models wrote these sentences, and no native speaker has checked them.) word2vec, GloVe and fastText all work this way: one vector for each **type**, the word in the dictionary, and none for the *token*, the word in its sentence.

# %% [markdown] deck="words"
# ## Count first: GloVe looks at the seating plan
#
# $X_{ij}$: how often words $i$ and $j$ stand near each other
#
# . . .
#
# A pair $d$ positions apart counts $1/d$.
#
# minutes: 2
#
# say: word2vec meets the guests one by one at the door. GloVe counts the whole text once and works from the counts alone. Near neighbours count more.
#
# ask: A word stands twice in one sentence, three positions apart. Does it stand near itself?
#
# expect: "No." It does: that entry gets the count, from both sides.
#
# skip: Say it in one sentence.

# %% [markdown] slide="slide"
# ## 2. Count first: GloVe
#
# word2vec meets the guests one by one at the door. GloVe looks at the seating plan: it counts the whole text once, and works from the counts alone.
#
# The entry $X_{ij}$ of its **co-occurrence matrix** says how often words $i$ and $j$ stand near each other. Near neighbours count more: a pair $d$ positions apart counts $1/d$.

# %% [markdown] exercise="cooccurrence_counts"
# ### Exercise 1. Who stands near whom
#
# Write `cooccurrence_counts(sentences, vocabulary_size, window)`. `sentences` is a list of lists of word ids. Return the co-occurrence matrix, a NumPy array (V, V), where V is `vocabulary_size`.
#
# Each pair of positions at most `window` apart in one sentence adds 1/d to the entries of **both** words: `[i, j]` and `[j, i]`. Count each pair once. A word may stand near itself: then $i = j$, and that one entry gets both additions. No pair crosses the end of a sentence.


# %% exercise="cooccurrence_counts"
def cooccurrence_counts(sentences, vocabulary_size, window):
    """(V, V) table of counts; a pair d places apart counts 1/d, for both words."""
    ### BEGIN SOLUTION
    counts = np.zeros((vocabulary_size, vocabulary_size))
    for ids in sentences:
        for position, word in enumerate(ids):
            for distance in range(1, min(window, position) + 1):
                neighbour = ids[position - distance]
                counts[word, neighbour] += 1 / distance
                counts[neighbour, word] += 1 / distance
    return counts
    ### END SOLUTION


# %% check="cooccurrence_counts"
check("cooccurrence_counts", cooccurrence_counts)

# %% [markdown] hints="cooccurrence_counts"
# nudge: Stand on one word. Who is to your left, one position away, two positions away? And what does each of them see when looking at you?
#
# idea: If every position only looks to its left, each pair is met exactly once. Then write it into the table twice: once for each of the two words.
#
# outline: Start with `np.zeros((vocabulary_size, vocabulary_size))`. For each sentence, each `position`, each `distance` from 1 to `window` that does not run over the start: add `1 / distance` to `[word, neighbour]` and to `[neighbour, word]`. `enumerate` gives position and word. The two words may be the same; both additions then go into one entry.

# %% [markdown] model_answer="cooccurrence_counts"
# Each position looks only to its left, so each pair is met once. Both entries get their share at that moment.

# %% [markdown]
# Your function now counts the whole text. The 2,000 most frequent words take part; the others are left out first, so the words around them move together.

# %% [markdown] deck="poll"
# - about 20 %
# - about 50 %
# - about 80 %
# - about 99 %
#
# minutes: 1.5
#
# say: The 2,000 most frequent words, a window of five, a million words of text. Four million cells.
#
# ask: The poll.
#
# expect: "Nearly all." These are frequent words, so a fifth of the cells is filled. With the whole vocabulary nearly all are empty.
#
# skip: Say the number.

# %%
predict("empty_cells", "2,000 words, window 5: what percentage of the cells is 0?", unit="%")

# %%
from elmo_mini.text.vocabulary import Vocabulary

cooccurrence_counts = or_reference("cooccurrence_counts", cooccurrence_counts)


def counted(some, words):
    """The row of each word, and your table of counts as a tensor."""
    ids = {word: row for row, word in enumerate(words)}
    rows = [[ids[token] for token in sentence if token in ids] for sentence in some]
    return ids, torch.as_tensor(cooccurrence_counts(rows, len(ids), 5), dtype=torch.float32)


words = Vocabulary.from_sentences(sentences, max_size=2000).words
ids, counts = counted(sentences, words)
outcome("empty_cells", 100 * float((counts == 0).double().mean()), unit="%")

# %% [markdown] deck="formula" lines="2"
# ## The loss: the score should be the logarithm of the count
#
# $f$ is the weight of a count: it rises with it, and stops at 1
#
# minutes: 3
#
# say: A score is a dot product and two biases. It should be the log of the count. The errors are squared, weighted and added. Ask one person for the way and you may be sent anywhere; ask a hundred and you can trust them. So the weight rises with the count and stops.
#
# ask: What happens to a pair that never occurs?
#
# expect: "The log is minus infinity, so it breaks." Its weight is zero: it adds nothing, and nobody needs its log.
#
# skip: Leave out the weight.

# %% [markdown] slide="subslide"
# ### How much is a count worth?
#
# Ask one person for the way and you may be sent anywhere. Ask a hundred and you can trust them; the hundred-and-first adds little. So the weight rises with the count and stops at 1:
#
# $$f(x) = \begin{cases} (x / x_{\max})^{\alpha} & \text{if } x < x_{\max} \\ 1 & \text{otherwise} \end{cases}$$
#
# The paper takes $x_{\max} = 100$ and $\alpha = 3/4$. The authors' demonstration on a small corpus takes $x_{\max} = 10$, and so shall we.
#
# ### The loss
#
# Each word gets a vector $w_i$, a context vector $\tilde w_i$, and a bias for each, $b_i$ and $\tilde b_i$. The **score** of a pair is a dot product plus two biases. It should be the **logarithm** of the count. The errors are squared, weighted and added up:
#
# $$J = \sum_{i,j} f(X_{ij}) \left( w_i^\top \tilde w_j + b_i + \tilde b_j - \log X_{ij} \right)^2$$
#
# A pair that never occurs has $f = 0$ and adds nothing. Its $\log X$ does not exist, and nobody needs it. Counts between 0 and 1 are common, since a pair far apart counts 1/3 or 1/5: they do belong in the sum, and their $\log X$ is negative.

# %% [markdown] exercise="glove_loss"
# ### Exercise 2. GloVe's weighted least squares
#
# Write `glove_loss(vectors, context_vectors, biases, context_biases, counts, x_max, alpha)` for tensors:
#
# - `vectors` (V, D) and `context_vectors` (V', D),
# - `biases` (V,) and `context_biases` (V',),
# - `counts` (V, V'), zeros among them.
#
# Return $J$, the **sum** over all pairs, as a tensor: the next exercise lets autograd follow it back. Leave `counts` as it is: your function is called with it again and again.


# %% exercise="glove_loss"
def glove_loss(vectors, context_vectors, biases, context_biases, counts, x_max=100.0, alpha=0.75):
    """The sum J over all pairs that occur; see the equation above."""
    ### BEGIN SOLUTION
    scores = vectors @ context_vectors.T + biases[:, None] + context_biases  # (V, V')
    weight = (counts / x_max).clamp(max=1.0) ** alpha
    logs = torch.log(torch.where(counts > 0, counts, torch.ones_like(counts)))
    return (weight * (scores - logs) ** 2).sum()
    ### END SOLUTION


# %% check="glove_loss"
check("glove_loss", glove_loss)

# %% [markdown] hints="glove_loss"
# nudge: Four things per pair: a score, a target, a weight, a square. What is the target where the count is 0?
#
# idea: All scores at once: `vectors @ context_vectors.T` has shape (V, V'). `biases[:, None]` adds to the rows, `context_biases` to the columns. In a computer 0 times infinity is `nan`, so the logarithm must not see a 0.
#
# outline: Three tables of the shape (V, V'). The scores. The weights: the counts over `x_max`, cut off at 1 (`clamp`), to the power. The logarithms: of a table that has 1 where the count is 0 (`torch.where`). Then weight times squared error, added up.

# %% [markdown] model_answer="glove_loss"
# `torch.where` hides the zeros from the logarithm. A weight of 0 alone would not help, because 0 times infinity is no number.

# %% [markdown] slide="subslide"
# ### The loop
#
# The optimiser is **AdaGrad**, as in the authors' program: every number has its own step size, and one whose gradients were large takes smaller steps. The first step moves every number by the whole rate, so the loss may rise before it falls. In the end both tables are **added**: $w + \tilde w$ is the word's vector.

# %% [markdown] exercise="train_glove"
# ### Exercise 3. The loop
#
# Write `train_glove(counts, loss_of, dimension, steps, rate, look)`.
#
# - `counts` (V, V) is a tensor. `loss_of(vectors, context_vectors, biases, context_biases, counts)` is what to minimise, on the whole table at each step.
# - Both tables (V, `dimension`) start with random numbers, drawn evenly from $-\frac{1}{2D}$ to $\frac{1}{2D}$, both biases (V,) with zeros. Set no seed.
# - Take `steps` steps with AdaGrad, `torch.optim.Adagrad`, and the learning rate `rate`.
# - After each step call `look(number, table)` with the number of steps taken and the sum of both tables, so that somebody can watch.
#
# Return the sum of both tables, without gradients, and a list with the loss of each step, plain numbers.


# %% exercise="train_glove"
def train_glove(counts, loss_of, dimension, steps, rate, look):
    """Fit vectors to counts (V, V); the sum of both tables (V, D), and the loss of each step."""
    ### BEGIN SOLUTION
    size = len(counts)
    w, c = ((torch.rand(size, dimension) - 0.5) / dimension for _ in range(2))
    parts = [part.requires_grad_() for part in (w, c, torch.zeros(size), torch.zeros(size))]
    optimiser = torch.optim.Adagrad(parts, lr=rate)
    losses = []
    for number in range(steps):
        loss = loss_of(*parts, counts)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        look(number + 1, (w + c).detach())
    return (w + c).detach(), losses
    ### END SOLUTION


# %% check="train_glove"
check("train_glove", train_glove)

# %% [markdown] hints="train_glove"
# nudge: What is made once, before the loop? How many things learn?
#
# idea: Four parts learn: two tables and two biases. Each needs `requires_grad_()`, and the optimiser gets all four in a list. `(w + c).detach()` is a table without gradients.
#
# outline: Make the four parts and the optimiser. For each step: the loss of the four parts and the counts; empty the gradients; backward; step; append `loss.item()`; call `look(number + 1, (w + c).detach())`. Return the last sum and the losses.

# %% [markdown] model_answer="train_glove"
# The steps change the four tensors in place, so the loop has nothing to assign. The sum is made anew for each look.

# %% [markdown]
# **Put in words of your own.** Your counts, your loss and your loop do the rest: four million cells at each step. (About 12 s.)

# %% [markdown] deck="printed" lines="1-5"
# ## From counts to neighbours, in 150 steps
#
# minutes: 2
#
# say: Your counts, your loss, your loop: four million cells at each step. After one step half of the neighbours are chance, after 150 *four* has its numbers and *night* has *last* and *Saturday*.
#
# ask: What is wrong with the neighbours of *he*?
#
# expect: "Nothing, *she* is first." *Had, but, when*: frequent words are near every frequent word.
#
# skip: Read two rows. Live instead: put in a word of the room's.

# %%
MY_WORDS = ["he", "school", "four", "night"]  # lower case

glove_loss = or_reference("glove_loss", glove_loss)
train_glove = or_reference("train_glove", train_glove)
nearest = mine("nearest")  # from lesson 01


def loss_of(w, c, b, d, counts):
    """J with the settings for a small text."""
    return glove_loss(w, c, b, d, counts, x_max=10.0, alpha=0.75)


near = {word: {} for word in MY_WORDS if word in ids}


def ask(number, table):
    """Keep the four nearest neighbours of your words, after the first step and the last."""
    if number in (1, 150):
        for word, at in near.items():
            at[number] = [words[int(row)] for row in nearest(table, ids[word], 4)]


torch.manual_seed(0)
with progress_bar(total=150, what="training") as bar:
    vectors, losses = train_glove(
        counts, loss_of, 50, 150, 0.3, lambda *now: (ask(*now), bar.update())
    )
print(f"J falls from {losses[0]:,.0f} to {losses[-1]:,.0f}. Neighbours after 1 step, after 150:")
for word, at in near.items():
    print(f"{word:>8}: {', '.join(at[1])} | {', '.join(at[150])}")

# %% [markdown]
# (On the small Lee news, expect worse neighbours.)

# %% [markdown] slide="subslide"
# ### Three broken runs
#
# Here are four short runs of your loop, on 600 words (yours are shown if among them). One is sound. A, B and C have one fault each, from this list:
#
# 1. the words of the text are shuffled before they are counted
# 2. a score is fitted to the count, not to its logarithm
# 3. the learning rate is a hundred times too small
# 4. pairs that never occur are fitted, too, to a number far below 0
# 5. the biases start at 10

# %%
from course.static_limits import broken_counts as broken

seen = broken.four_runs(sentences, MY_WORDS, cooccurrence_counts, loss_of, train_glove)
for name, s in seen.items():
    print(f"{name}: pairs that count 10 or more have the mean score {s.frequent:.1f}", end=" ")
    print(f"(mean log X {s.target:.1f}); pairs that never occur, {s.unseen:.1f}")
    two = list(s.near.items())[1:3]
    print("   " + "; ".join(f"{word}: {', '.join(near[:4])}" for word, near in two))

# %% [markdown] deck="figure"
# ## Four runs, three of them broken. Which would you keep?
#
# minutes: 2
#
# say: One run is sound; A, B and C have one fault each. B ends lowest: its text was shuffled before it was counted. Its counts fit beautifully, and there was nothing to find. Let the room choose before you say so.
#
# ask: Which one, by the loss?
#
# expect: "B, it is the lowest." A falling loss says that something was fitted, and not that there was anything to find.
#
# skip: Say what B is.

# %% slide="subslide"
plots.curves(
    np.arange(1, broken.STEPS + 1),
    {name: s.losses for name, s in seen.items()},
    title="Four runs",
    xlabel="step",
    ylabel="loss, as a share of the first",
    log_y=True,
)

# %% [markdown] exercise="broken_counts"
# ### Exercise 4. Three broken runs
#
# Which run has which fault? Return a dict with the number of each: `{"A": ..., "B": ..., "C": ...}`.


# %% exercise="broken_counts"
def broken_counts():
    """The number of each run's fault."""
    ### BEGIN SOLUTION
    return {"A": 2, "B": 1, "C": 4}
    ### END SOLUTION


# %% check="broken_counts"
check("broken_counts", broken_counts)

# %% [markdown] hints="broken_counts"
# nudge: For each run, compare the two scores with those of the sound run. Then look at the neighbours.
#
# idea: For each fault ask: what should the score of a frequent pair come near? And that of a pair that never occurs, which nothing pulls on in a sound run?
#
# outline: One run has far too high scores, one has far too low scores for the pairs that never occur. The third fits about as well as the sound run. What did it fit?

# %% [markdown] model_answer="broken_counts"
# **A**: the scores of its frequent pairs are far above the logarithms of their counts: they are on the way to the counts themselves. **B**: it fits about as well as the sound run, and its neighbours mean nothing. In shuffled text only frequency is left to learn. **C**: its pairs that never occur have scores far below those of the sound run, where nothing pulls on them. Faults 3 and 5 are not there.

# %% [markdown]
# A falling loss says that something was fitted. It does not say that there was anything to find.

# %% [markdown] deck="words"
# ## The wall: two people share one post box
#
# Whoever reads the letters thinks of **one strange person** who loves football and knitting.
#
# . . .
#
# **Pseudo-words:** take two words, and replace both by one invented word. Ambiguous, with known answers.
#
# minutes: 2
#
# say: Is the vector of an ambiguous word such a person? No labels are needed to find out. Take any two words, such as *county* and *taken*, and write *county|taken* for both. Now the text has an ambiguous word, and we know at every place which one stood there.
#
# ask: If one of the two gets ten times the post, who is the strange person?
#
# expect: "Half and half." Mostly the one with the post. That can be measured.
#
# skip: Show both steps at once.

# %% [markdown] slide="slide"
# ## 3. The wall
#
# Two people share one post box. Whoever reads the letters thinks of one strange person who loves football and knitting. If one of the two gets ten times the post, the strange person is mostly that one.
#
# Is the vector of an ambiguous word, a **polysemous** one, such a person? A trick needs no labels: take any two words, and **replace both by one invented word**. Now the text has a **pseudo-word**: ambiguity with known answers.

# %% [markdown]
# One pair proves little, so **twelve** are drawn by a seed from the frequent words of five letters or more. Only a **part** of their occurrences is merged. So each word keeps a vector of its own, in the same space as the merged one. For each pair another share is taken from the first word.

# %%
from course.static_limits.pseudo_words import pseudo_words_of

hidden_text, pseudo_words = pseudo_words_of(text.name, sentences, seed=11)
for word in pseudo_words[:4]:
    print(f"{word.name}: {len(word.labels)} places, {word.share:.0%} of them {word.first}")
number, _, stood = word.labels[0]
print(f"{' '.join(hidden_text[number])}\n    {stood} stood there")

# %% [markdown] deck="formula"
# ## Where does it lie? The mixture that comes closest
#
# Position $\alpha / (\alpha + \beta)$: 1 at the first word, 0 at the second
#
# minutes: 2
#
# say: m is the merged vector, a and b are those of its two words, trained from the places that were left alone. Least squares: which mixture of a and b comes closest? Two derivatives, two equations. They derive it in exercise 5.
#
# ask: Can the position lie outside of 0 and 1?
#
# expect: "No, it is a share." It can: nothing keeps alpha and beta positive.
#
# skip: Say what position 1 and 0 mean.

# %% [markdown] slide="subslide"
# ### Where does it lie?
#
# Call the merged vector $m$, and the vectors of its two words $a$ and $b$. Write $m$ as a mixture: the two numbers $\alpha$ and $\beta$ for which $\alpha a + \beta b$ comes closest to $m$. Closest means **least squares**, as in GloVe:
#
# $$Q(\alpha, \beta) = \lVert m - \alpha a - \beta b \rVert^2$$
#
# The **position** of $m$ is $\alpha / (\alpha + \beta)$: 1 at the first word, 0 at the second, one half in the middle.
#
# 1. **Two derivatives.** What is $\partial Q / \partial \alpha$, in dot products of $a$, $b$ and $m$? And $\partial Q / \partial \beta$?
# 2. **Two equations.** At the closest point both are 0.
# 3. **Two unknowns.** Solve for $\alpha$ and $\beta$. Both have the same denominator. Do you need it?

# %% [markdown] exercise="position"
# ### Exercise 5. Where a merged vector lies (derive it)
#
# With pen and paper first. Then write `position(merged, first, second)` for three NumPy arrays (D,). `first` and `second` are not parallel, and need not be at right angles. Return $\alpha / (\alpha + \beta)$, a number. It may lie below 0 or above 1.


# %% exercise="position"
def position(merged, first, second):
    """alpha / (alpha + beta) of the mixture alpha * first + beta * second nearest to merged."""
    ### BEGIN SOLUTION
    aa, ab, bb = first @ first, first @ second, second @ second
    am, bm = first @ merged, second @ merged
    alpha = am * bb - bm * ab
    beta = bm * aa - am * ab
    return float(alpha / (alpha + beta))
    ### END SOLUTION


# %% check="position"
check("position", position)

# %% [markdown] hints="position"
# nudge: Write $Q$ out as dot products: $m \cdot m - 2\alpha\, a \cdot m - 2\beta\, b \cdot m + \dots$ Then take the derivatives.
#
# idea: The two equations are $\alpha\, a \cdot a + \beta\, a \cdot b = a \cdot m$ and $\alpha\, a \cdot b + \beta\, b \cdot b = b \cdot m$. Multiply the first by $b \cdot b$ and the second by $a \cdot b$, and subtract: $\beta$ is gone.
#
# outline: Five dot products: aa, ab, bb, am, bm. Up to one common factor, alpha is am times bb less bm times ab. In the same way, beta is bm times aa less am times ab. The factor cancels in alpha over alpha + beta.

# %% [markdown] model_answer="position"
# $\alpha = \frac{(a \cdot m)(b \cdot b) - (b \cdot m)(a \cdot b)}{(a \cdot a)(b \cdot b) - (a \cdot b)^2}$, and $\beta$ is the same with $a$ and $b$ swapped. The denominator is the same for both, so it cancels in the position.

# %% [markdown]
# Your loop now trains vectors on the hidden text. As a yardstick for chance, each $m$ is also mixed from the words of **another** pair.

# %% [markdown] deck="poll"
# ## Twelve pseudo-words: how many lie nearer to the word that they stood for more often?
#
# - about a half, as by chance
# - [x] about three quarters
# - all of them
#
# minutes: 1.5
#
# say: Twelve pseudo-words, each with another share of its first word. Where does the merged vector lie: nearer to the word that it stood for more often?
#
# ask: The poll.
#
# expect: "All of them." Twelve words, one short training of GloVe, and a coin gets nine of twelve one time in fourteen: the next slide has sixty.
#
# skip: Say the number.

# %%
predict(
    "merged_place",
    "What percentage of the twelve lie nearer to the word they stood for more often?",
    unit="%",
)

# %% slide="subslide"
from course.results.intervals import lead
from course.static_limits.merged_words import over_words

position = or_reference("position", position)

names = [name for word in pseudo_words for name in (word.name, word.first, word.second)]
usual = Vocabulary.from_sentences(hidden_text, max_size=2000).words
hidden_ids, hidden_counts = counted(hidden_text, dict.fromkeys([*usual, *names]))
torch.manual_seed(0)
with progress_bar(total=100, what="training") as bar:
    table, _ = train_glove(hidden_counts, loss_of, 50, 100, 0.3, lambda *_: bar.update())
table = table.double().numpy()


def mixed(word, of):
    """The position of a merged vector between two words, and the cosine with its mixture."""
    m, a, b = (table[hidden_ids[name]] for name in (word.name, of.first, of.second))
    alpha, beta = np.linalg.lstsq(np.stack([a, b], 1), m, rcond=None)[0]
    fitted = alpha * a + beta * b
    assert abs(position(m, a, b) - alpha / (alpha + beta)) < 1e-6, "position() and lstsq disagree"
    return position(m, a, b), fitted @ m / np.linalg.norm(fitted) / np.linalg.norm(m)


places, own = np.array([mixed(word, word) for word in pseudo_words]).T
others = [pseudo_words[-1], *pseudo_words[:-1]]
other = np.array([mixed(word, of)[1] for word, of in zip(pseudo_words, others, strict=True)])
shares = np.array([word.share for word in pseudo_words])
print(f"cosine with the mixture of its own two words {own.mean():.2f}, of two others", end=" ")
print(f"{other.mean():.2f}; the difference times 100: {lead(over_words(own - other))}")
outcome("merged_place", 100 * float(((places > 0.5) == (shares > 0.5)).mean()), unit="%")

# %% [markdown]
# The yardstick is passed: its own two words make up a merged vector far better than two others. (In brackets: the 95 % interval over the twelve pairs. The mean over many such pairs likely lies in it. *Ahead*: all of it is above 0.) More is stored, sixty pairs each: skip-gram by the fast trainer and by the plain loop of lesson 01, and GloVe with more words and a longer training.

# %% [markdown] deck="figure"
# ## A mixture, weighted by how often each word occurs
#
# minutes: 3
#
# say: Across: how often the first word stood there. Up: where the merged vector lies. On the diagonal the two are the same. For skip-gram the correlation over sixty pairs is 0.9, for GloVe 0.74; your own twelve after a short training only 0.19. Measured on words paired by chance: that senses of a real word mix in the same way is likely, and not shown.
#
# ask: A sense with one use in twenty: how much of the vector is its own?
#
# expect: "A good deal, vectors have many dimensions." About a twentieth, if it mixes like these words.
#
# skip: Read the title and the stored points.

# %% slide="subslide"
from course.results.stored import stored_result

STORED = stored_result("static_pseudo_words")
print(STORED)
STORED_LOOP = stored_result("static_plain_skip_gram")
print(STORED_LOOP)
merged_words.places_by_share((shares, places), STORED.numbers)

# %%
merged_words.mixtures(STORED.numbers, STORED_LOOP.numbers)

# %% [markdown]
# Cosines: how near is the merged vector to a mixture of its own two words, and of two others? Correlations: how closely does its position follow the share?
#
# **The vector of a merged word is, for the most part, a mixture of its two words, weighted by how often each occurs.** In the stored runs share and position go together closely for skip-gram, with the fast trainer and with three passes of lesson 01's loop. (After one pass of the loop, it depends on the seed.) For GloVe less closely, and least with vectors brought to length 1. On Brown your twelve points scatter far more; why was not measured.
#
# And this was measured on words paired by chance. That the senses of a real word mix in the same way is likely, and not shown here.

# %% [markdown] deck="words"
# ## The ceiling of one vector
#
# Whoever sees only the word's vector has a **rule from words to senses**.
#
# . . .
#
# The best rule names the commonest sense. What it gets right is the ceiling.
#
# minutes: 2
#
# say: The vector is a function of the word. So whatever network stands behind it, however clever: the same word, the same answer. The best such rule names the most frequent sense. For *hard* in senseval that is 79.7 per cent, for *serve* 41.4.
#
# ask: Does a larger vector raise the ceiling?
#
# expect: "With enough dimensions, yes." It is a function of the word all the same.
#
# skip: Keep it, it is the lesson's main sentence.

# %% [markdown] slide="slide"
# ## 4. The ceiling
#
# How well can **any** method name the sense of a word if it sees only the word's vector? The vector is a function of the word. So any such method is a rule from words to senses, however clever it is inside. The best rule names for each word its commonest sense (in papers, the **most frequent sense** baseline). The share it gets right is the **ceiling**.

# %% [markdown] exercise="majority_ceiling"
# ### Exercise 6. The ceiling of a static vector
#
# Write `majority_ceiling(words, senses)`. Both are lists of the same length: for each occurrence, the word and its true sense. Return the largest share of occurrences that a rule from word to sense can get right. There may be several different words; words with different spellings, capitals included, are different words. Do not round.


# %% exercise="majority_ceiling"
def majority_ceiling(words, senses):
    """Share of occurrences that the best rule from word to sense labels right."""
    ### BEGIN SOLUTION
    seen = defaultdict(Counter)
    for word, sense in zip(words, senses, strict=True):
        seen[word][sense] += 1
    return sum(max(counts.values()) for counts in seen.values()) / len(words)
    ### END SOLUTION


# %% check="majority_ceiling"
check("majority_ceiling", majority_ceiling)

# %% [markdown] hints="majority_ceiling"
# nudge: For one word alone, which answer would you give each time? How many occurrences would be right?
#
# idea: Count the senses of each word apart: a `Counter` in a `defaultdict`. Its largest count is what the best rule gets right for this word.
#
# outline: Count the senses of each word. Take the largest count of each word and add these up. Divide once, by the number of occurrences.

# %% [markdown] model_answer="majority_ceiling"
# One vector per word allows one answer per word, and the best one is its commonest sense. So the largest count of each word is right, and the counts are added up before the one division.

# %% [markdown] slide="slide"
# ## 5. The words around it know
#
# The merged vector is the same at every position, so nobody who sees it alone passes the ceiling. Now let a reader look at the **neighbours**: their mean vector, the word itself left out.

# %% [markdown] exercise="context_vector"
# ### Exercise 7. What stands around
#
# Write `context_vector(tokens, place, ids, vectors, reach)`. `tokens` is a list of words. `ids` gives for each known word its row in the array `vectors` (V, D). Return the mean vector (D,) of the known words at most `reach` positions from `place`, on both sides. The token at `place` is left out; the same word at another position is not. Where no word is known, return zeros.


# %% exercise="context_vector"
def context_vector(tokens, place, ids, vectors, reach):
    """(D,) mean vector of the known words at most `reach` places away; zeros if none is known."""
    ### BEGIN SOLUTION
    near = [*tokens[max(0, place - reach) : place], *tokens[place + 1 : place + 1 + reach]]
    rows = [ids[token] for token in near if token in ids]
    return vectors[rows].sum(0) / max(1, len(rows))
    ### END SOLUTION


# %% check="context_vector"
check("context_vector", context_vector)

# %% [markdown] hints="context_vector"
# nudge: Which positions are near? What happens to `place - reach` at the start of a sentence?
#
# idea: Two slices, one for each side. A negative start of a slice counts from the end: cut it off at 0. An array can be indexed with a list of rows.
#
# outline: Cut out the words to the left, at most `reach` of them, and those to the right. Keep the known ones of both and collect their rows. Add up their vectors, and divide by how many there are, or by 1 if there is none.

# %% [markdown] model_answer="context_vector"
# The slices leave out the position and not the word. `max(1, …)` divides the empty sum by 1, which leaves zeros.

# %% [markdown]
# The reader is a **logistic regression**: the sigmoid of a weighted sum, $p = \sigma(\theta \cdot x + \theta_0)$, with weights $\theta$ and bias $\theta_0$. It is the belief that the pair's *first* word stood here. The loss is $-\log$ of the belief in what did stand there, as in lesson 01. So you know its gradient: **prediction minus target**, times the input. A reader may have more weights than examples. So one more term keeps them small, **L2 regularisation**: $\frac{\lambda}{2} \lVert \theta \rVert^2$ is added to the mean loss.

# %% [markdown] exercise="fit_reader"
# ### Exercise 8. A reader of contexts
#
# Write `fit_reader(features, answers, rate, steps, decay)` in NumPy. `features` (N, D) holds a context vector for each position, `answers` (N,) is 1 where the first word stood and 0 elsewhere. The weights (D,) and the bias start at 0. Take `steps` steps of plain gradient descent with the learning rate `rate`, each on all N examples. The loss is the **mean** over the examples; `decay` is the $\lambda$ of the L2 regularisation, and the bias does not decay. Return the weights and the bias.


# %% exercise="fit_reader"
def fit_reader(features, answers, rate, steps, decay):
    """Weights (D,) and bias of a logistic regression on features (N, D) and answers (N,) 0 or 1."""
    ### BEGIN SOLUTION
    weights, bias = np.zeros(features.shape[1]), 0.0
    for _ in range(steps):
        errors = 1 / (1 + np.exp(-(features @ weights + bias))) - answers  # (N,)
        slope = features.T @ errors / len(answers) + decay * weights  # (D,)
        weights = weights - rate * slope
        bias = bias - rate * float(errors.mean())
    return weights, bias
    ### END SOLUTION


# %% check="fit_reader"
check("fit_reader", fit_reader)

# %% [markdown] hints="fit_reader"
# nudge: In lesson 01 the error of a pair was $\sigma(x) - 1$ or $\sigma(y)$. Here both are $p$ minus the answer. Which vector does it scale?
#
# idea: `errors` has the shape (N,). `features.T @ errors` adds up error times feature over the examples. The derivative of $\frac{\lambda}{2}\theta^2$ is $\lambda\theta$. That for the bias is the mean of the errors.
#
# outline: Zeros. In each step: `errors` from weights and bias; the gradient, divided by N, plus `decay * weights`; both gradients before either changes; subtract `rate` times each.

# %% [markdown] model_answer="fit_reader"
# The bias adds 1 times itself to every score, so its derivative is the mean of the errors. The errors are computed before anything changes.

# %% [markdown]
# Each reader is fitted to four fifths of the positions and asked about the rest, five times. (The vectors were trained on all of the text, but saw no answers.) All features are scaled to the same mean length. A sceptic brings two **controls**: rivals that lack what we ask about. (They are hollow in figures, like a **baseline**: something cheap to beat.) **Random vectors**: random numbers for each word, never trained. **Bag of words**: zeros, with a 1 at the word's own index (*one-hot*), so the reader sees only *which* words stand there.

# %% [markdown] deck="poll"
# minutes: 2
#
# say: Now a reader may look at the neighbours, five on each side: the mean of their vectors, and a logistic regression. The sceptic brings a bag of words: no trained vectors, just which words stand there.
#
# ask: The poll.
#
# expect: "Ahead: the vectors know what words mean." Most of it is in which words stand there.
#
# skip: Vote without reasons.

# %%
HOW = ["ahead", "no clear difference", "behind"]
predict("against_bag", "Five words on each side: your vectors against the bag?", options=HOW)

# %% slide="subslide"
from course.static_limits.merged_words import accuracy_by_word

context_vector = or_reference("context_vector", context_vector)
fit_reader = or_reference("fit_reader", fit_reader)
majority_ceiling = or_reference("majority_ceiling", majority_ceiling)

kinds = {
    "random vectors": np.random.default_rng(0).standard_normal(table.shape),
    "bag of words": np.eye(len(table)),
    "your vectors": table,
}


def read(reach):
    """For each kind of vectors, the share of right answers for each pseudo-word, (12,)."""
    common = (hidden_text, pseudo_words, hidden_ids)
    return {
        kind: accuracy_by_word(*common, vectors, reach, context_vector, fit_reader)
        for kind, vectors in kinds.items()
    }


stood = [[word for *_, word in pseudo.labels] for pseudo in pseudo_words]
one_vector = np.array([majority_ceiling(["merged"] * len(row), row) for row in stood])
right = read(5)
total = sum(map(len, stood))
print(f"{total:,} places of {len(stood)} pseudo-words; intervals are over the pseudo-words")
for kind in ("random vectors", "bag of words"):
    print(f"your vectors less {kind}: {lead(over_words(right['your vectors'] - right[kind]))}")
for kind, shares_right in right.items():
    print(f"{kind} less the ceiling: {lead(over_words(shares_right - one_vector))}")
gain = lead(over_words(right["your vectors"] - right["bag of words"]))
outcome("against_bag", gain.verdict)

# %% [markdown] deck="figure"
# minutes: 3
#
# say: Left: the ceiling, 68.3. All three readers pass it, and two of them have no trained vectors. Trained ones are 4.4 points ahead of random ones; over the bag the lead is 1.4, and its interval holds zero. So context tells the sense is right; your vectors tell it would say too much.
#
# ask: Why do random vectors work at all?
#
# expect: "They should not." A sum of random vectors still says which words were there, a little blurred.
#
# skip: Ceiling and one reader.

# %% slide="subslide"
from course.figures.interval_bars import interval_bars

interval_bars(
    ["ceiling of\none vector", *(kind.replace(" ", "\n", 1) for kind in right)],
    {"right": [over_words(values) for values in (one_vector, *right.values())]},
    title="Which of the two merged words stood there?",
    ylabel="percent right",
)

# %% [markdown]
# All three readers pass the ceiling, and two of them have no trained vectors. So *"context tells the sense"* is right, and *"your vectors tell it"* would say too much: most of it is in **which** words stand there.
#
# A context helps only with words that are in it. You may read that in *deposit money to the bank* the word *account* tells which bank is meant. No *account* is in that sentence; *deposit* and *money* are.
#
# **Change one thing.** How far should a reader look?

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: We change one thing: how far the reader looks, one word on each side, three, or ten.
#
# ask: The poll.
#
# expect: "10: more context." The mean of twenty words drowns the two next door, and all order is lost.
#
# skip: Say the result.

# %%
predict("reach", "With how many words on each side is your reader best?", options=["1", "3", "10"])

# %% [markdown] deck="printed" lines="1,3,5,6"
# ## For merged words, a wider mean is a worse reader
#
# minutes: 1.5
#
# say: Per cent right of the pseudo-words. For all three kinds the nearest words say most. A guess at the reason: words drawn by chance often differ in grammar, and that shows next door.
#
# ask: What should a better reader do?
#
# expect: "Look at one word." Look far, and know what stands where. Lesson 03 builds one.
#
# skip: Read the last line.

# %%
by_reach = {str(reach): read(reach) for reach in progress_bar((1, 3, 10), "reading")}
for kind in kinds:
    near = {reach: shares_right[kind] for reach, shares_right in by_reach.items()}
    each = ", ".join(f"{reach}: {100 * values.mean():.1f} %" for reach, values in near.items())
    print(f"{kind}, words on each side {each}")
    print(f"    1 less 10: {lead(over_words(near['1'] - near['10']))}")
outcome("reach", max(near, key=lambda reach: near[reach].mean()))

# %% [markdown]
# The word before and the word after say the most here, for all three kinds of vectors. (A guess at the reason: words drawn by chance often differ in grammar, which shows next door.) In an average of twenty words these two count for little, and all order is lost. A better reader should look far **and** know what stands where: lesson 03 builds one.

# %% [markdown] slide="slide"
# ## 6. Real senses
#
# Pseudo-words are made up. In **senseval**, people have labelled the senses of *hard*, *interest*, *line* and *serve*, each in thousands of real contexts. Naming the sense of a word in its sentence is called **word-sense disambiguation**. Your ceiling, for the word and for the word as it is spelt:

# %% slide="subslide"
STORED_SENSES = stored_result("static_senseval")
print(STORED_SENSES)
four = STORED_SENSES.numbers["words"]
try:
    senseval = corpora.load("senseval")
    for word in four:
        instances = list(senseval.instances(word))
        senses = [instance.sense for instance in instances]
        forms = [instance.words[instance.position].lower() for instance in instances]
        ceilings = [majority_ceiling(seen_as, senses) for seen_as in ([word] * len(senses), forms)]
        print(f"{word}: ceiling {ceilings[0]:.1%}, as spelt {ceilings[1]:.1%}")
except corpora.CorpusMissing:
    print("senseval is not on this machine: the figure below has its stored ceilings.")

# %% [markdown] deck="figure"
# ## Real senses, labelled by people
#
# minutes: 3
#
# say: Four words of senseval. First bar: the ceiling, with a vector for each spelling. Trained vectors of ten words on each side pass it for all four. And the bag of words beats them. Likely reasons: it has thousands of labelled contexts, and an average of fifty numbers blurs what the bag keeps.
#
# ask: A network is said to understand a sense. What must it pass first?
#
# expect: "The ceiling." The bag of words.
#
# skip: One of the four words.

# %%
merged_words.stored_readers(four)

# %%
merged_words.stored_leads(four)

# %%
merged_words.near_less_far(four)

# %% [markdown]
# All three are stored: three seeds, intervals over contexts and seeds. The second has differences on the same contexts; the third sets one word on each side against ten. Four things to see.
#
# - **The spelling knows a little, sometimes.** Two vectors, for *interest* and *interests*, are better than one. The first bar is all that a vector for each spelling can get here, with any classifier that is shown only this vector.
# - **Trained vectors of the context (skip-gram's) pass the ceiling for all four words**; random ones do, too, but less far, and with ten words only for three.
# - **The bag of words beats both**, from 1 to 10 words on each side, even if it holds only words that have a vector. Likely reasons: it has thousands of labelled contexts, and an average of fifty numbers blurs what the bag keeps.
# - **How far to look depends on the word.** Trained vectors and bag both read *hard* better from one word on each side than from ten, *line* and *serve* better from ten. *interest* divides them: one for the vectors, ten for the bag.
#
# So the sentence holds what the single vector has lost. In word-sense disambiguation, a network that is said to *understand* a sense must pass a bag of words first.

# %% [markdown] deck="words"
# ## The wall does not care about the language
#
# **打** hit · play basketball · make a call · give an injection
#
# **苹果** a fruit · a company
#
# . . .
#
# Ceilings on the course's sentences: 25 % and 50 %
#
# minutes: 2
#
# say: Dǎ and píngguǒ. The course has as many sentences of each sense, so the ceilings are one in four and one in two. 银行 is the wrong example: in Chinese it is only the place with money.
#
# ask: Which word of your own language would you put here?
#
# expect: The translation of *bank*. Check whether it is ambiguous in that language.
#
# skip: Leave it out.

# %% [markdown] slide="slide"
# ## 7. 打 and 苹果
#
# The wall does not care about the language. 打 (dǎ) is *hit*; it is also the verb for playing basketball, making a call and giving an injection. 苹果 (píngguǒ) is a fruit and a company.

# %%
chinese = [s for s in sense_sentences("chinese") if s.word in ("打", "苹果")]
for s in {s.sense: s for s in reversed(chinese)}.values():
    print(f"{s.sense:>10}: {s.text}  {s.translation}")
for word in ("打", "苹果"):
    senses = [s.sense for s in chinese if s.word == word]
    print(f"{word}: ceiling {majority_ceiling([word] * len(senses), senses):.0%}")

# %% [markdown]
# (Low by design: the senses have equally many sentences.) What should be near 苹果? For the fruit: 桃子 (peach), 香蕉 (banana), 橘子 (tangerine). For the company: 华为 (Huawei), 小米 (Xiaomi), 三星 (Samsung). Both neighbourhoods are right, and one vector can live in only one place. (Many programs that cut Chinese into words make 打针, *give an injection*, one word. Then this 打 has no vector at all.) Where it lies between them we have not measured.
#
# ### Myth or measured?
#
# > *"A model must find out whether* 银行 *means a financial bank or a river bank."*
#
# **A myth, by the dictionary: 银行 is not ambiguous.** It is only yínháng, the financial bank; the river has a 河岸 (hé'àn). Ambiguity belongs to a word of *one* language, and an example of it need not survive translation. For Chinese take 打, 苹果, 包袱, 意思 or 行.

# %% [markdown] deck="words"
# ## What to take home
#
# - One photo for every role: a merged vector is mostly a **mixture** of its two words; of senses this is likely.
# - Whoever sees only the vector has a **ceiling**.
# - The words around pass it, and mostly by **which words** they are.
# - A mean of many neighbours loses order. The next lesson keeps it.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 1 to 5, 7 and 8.
#
# ask: How would you find out whether a model knows senses, or only words?
#
# expect: "Try some examples." Give a bag of words the same neighbours, and compare.
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## Recap
#
# - GloVe counts first, and fits scores to log-counts by weighted least squares; the weight stops at 1, and pairs that never occur add nothing.
# - Pseudo-words are polysemous words with known answers, made out of any text. A pseudo-word's vector is mostly a mixture of its two words, weighted by frequency.
# - A method that sees only the word's vector cannot do better than each word's most frequent sense.
# - On pseudo-words, the words around pass that ceiling even with random vectors; a bag of words is the control to beat.
# - Ambiguity belongs to one language: 打 and 苹果, not 银行.

# %%
calibration()

# %%
from autograde import progress

progress()

# %% [markdown] slide="subslide"
# ## Discuss 1
#
# Build your own example. **Write two sentences with the same word, spelt the same, in which every static vector must fail on at least one. Say what a task would ask, what the static vector answers, and which words of each sentence a vector in context could use.** Neither *bank* nor a word from this lesson, please. A language other than English is welcome.

# %% [markdown] discussion="your_ambiguous_word" points=3
# **Rubric, 3 points.** 1 for a word with the same spelling in two clearly different senses (*play* and *played* are two spellings and two vectors: 0.5). 1 for the argument: same vector, same answer, so at least one is wrong. 1 for naming words that are really in the sentences and that tell the senses apart.

# %% [markdown] model_answer="your_ambiguous_word"
# Take *pitch*. "The goalkeeper slipped on the wet pitch." "She sang the last note a little above pitch." The task asks: is this word about sport? The vector of *pitch* is the same in both sentences, so a classifier that sees only this vector gives the same answer twice and is wrong once. A vector in context can use *goalkeeper*, *slipped* and *wet* in the first sentence, *sang* and *note* in the second.

# %% [markdown] slide="subslide"
# ## Discuss 2
#
# A friend proposes a way out: *give every word several vectors, one for each sense in the dictionary.* **What does this solve, and what does it leave open?** Three to five sentences.

# %% [markdown] discussion="several_vectors" points=2
# **Rubric, 2 points.** 1 for seeing that the sense must be chosen from the context each time. 1 for one more real limit: lists of senses are incomplete or disputed, rare senses have few examples, differences within a sense stay invisible. 0.5 for "it needs more memory" alone.

# %% [markdown] model_answer="several_vectors"
# It removes the mixture: each vector is trained on the sentences of its own sense. But somebody must say which sense each position in the text has, in training and again in use. That decision needs the context, so the problem has moved and is not gone. Dictionaries also disagree on how many senses a word has, rare senses have few examples, and new senses appear, such as 苹果 the company. And within one sense the use of a word still differs from sentence to sentence, while its vector stays the same. A vector that is computed from the sentence needs no list of senses.

# %% [markdown] slide="slide"
# ## If you have time: fastText, and two sizes of vectors
#
# You have never met the word *unfriendlyish*, and still you know roughly what it means. You know its pieces. word2vec and GloVe do not look inside a word: a word that was not in the text is **out-of-vocabulary** and has no vector at all.
#
# fastText gives vectors to pieces, or **subwords**. A word is wrapped in boundary signs, `<` and `>`, and cut into its **n-grams**, all stretches of 3 to 6 characters. Its vector is the **sum** of the vectors of these pieces. A word of the vocabulary also has a vector of its own, which is added. Everything else is skip-gram with negative sampling, as you wrote it; noise words are drawn by the square root of the counts.

# %% [markdown] exercise="character_ngrams"
# ### Exercise 9. A word in pieces
#
# Write `character_ngrams(word, shortest, longest)`. Return the list (no set, no generator) of all stretches of `shortest` to `longest` characters of `<word>`, in any order. A stretch that occurs twice is listed twice. Cut the word as it is spelt: capitals stay.


# %% exercise="character_ngrams"
def character_ngrams(word, shortest=3, longest=6):
    """All character n-grams of the word between its boundary signs."""
    ### BEGIN SOLUTION
    marked = f"<{word}>"
    return [
        marked[start : start + length]
        for length in range(shortest, longest + 1)
        for start in range(len(marked) - length + 1)
    ]
    ### END SOLUTION


# %% check="character_ngrams"
check("character_ngrams", character_ngrams)

# %% [markdown] hints="character_ngrams"
# nudge: Put the signs on first. How many stretches of length 3 does a text of 5 characters have?
#
# idea: Two loops: over the lengths, and over the positions where a stretch of that length still fits. A text of m characters has m − n + 1 stretches of length n.
#
# outline: Put the signs on. For each length, let the start run over all positions where a stretch of that length still fits, and cut it out there. Collect the stretches of all lengths in one list.

# %% [markdown] model_answer="character_ngrams"
# The boundary signs are put on first. A text of m characters has m − n + 1 stretches of length n, and none when n is larger than m.

# %%
character_ngrams = or_reference("character_ngrams", character_ngrams)

for word in ("where", "her", "打电话"):
    print(f"{word}: {' '.join(character_ngrams(word))}")

# %% [markdown] slide="subslide"
# The boundary signs matter: *where* has the piece `her` and not the piece `<her>`. The word *her* has both, so the two words share one piece and are told apart by the others. And nothing here needs spaces or letters, so Chinese words have pieces too.
#
# A large text has millions of pieces. A dictionary of all of them would be too big. So each piece is sent to one of $K$ **buckets** by a hash, a fixed way to turn text into a number (FNV-1a), and the pieces of a bucket share a vector. The paper has $K = 2 \cdot 10^6$. It is like a cloakroom with fewer hooks than coats: sometimes two coats share a hook.

# %%
from elmo_mini.models.fasttext import bucket, fnv1a

for piece in ("<wh", "her", "her>"):
    print(f"{piece:>5}: hash {fnv1a(piece):>10}, bucket {bucket(piece, 20_000):>6} of 20,000")

# %% [markdown] exercise="subword_vector"
# ### Exercise 10. A vector for every spelling
#
# Write `subword_vector(word, words, word_vectors, ngram_vectors)`:
#
# - `words`: list of the V words of the vocabulary, `word_vectors` (V, D): a row for each,
# - `ngram_vectors` (K, D): a row for each bucket.
#
# Return the sum of the vectors of all n-grams of `word` (3 to 6 characters), plus the word's own vector **if** it is among `words`, spelt the same. Use your `character_ngrams`, and `bucket(ngram, K)` with `K = len(ngram_vectors)`. Two pieces in one bucket count twice.


# %% exercise="subword_vector"
def subword_vector(word, words, word_vectors, ngram_vectors):
    """Sum of the vectors of the word's n-grams, and of its own vector if it has one."""
    ### BEGIN SOLUTION
    rows = [bucket(ngram, len(ngram_vectors)) for ngram in character_ngrams(word)]
    total = ngram_vectors[rows].sum(0)
    if word in words:
        total = total + word_vectors[words.index(word)]
    return total
    ### END SOLUTION


# %% check="subword_vector"
check("subword_vector", subword_vector)

# %% [markdown] hints="subword_vector"
# nudge: Which part of the sum does every spelling have, and which part only a known word?
#
# idea: `bucket(ngram, len(ngram_vectors))` gives a row number for each n-gram. An array can be indexed with a list of row numbers.
#
# outline: A row number for each n-gram; the sum of these rows of the table; and, if the word is known, its own row on top. Do not change the arrays.

# %% [markdown] model_answer="subword_vector"
# A list of row numbers takes a row twice when two pieces share a bucket. `total + ...` makes a new array, so the tables stay as they are.

# %% [markdown]
# (In PyTorch, a table whose rows are looked up and summed is `nn.EmbeddingBag(..., mode="sum")`.) gensim has fastText. Train it on the Lee news, which is small and always here, and give its tables to *your* function.

# %% slide="subslide"
from course.static_limits import misspelt
from elmo_mini.models.fasttext import bucket

subword_vector = or_reference("subword_vector", subword_vector)

fast = misspelt.news_fasttext()
known = fast.wv.index_to_key
for word in ("government", "governmentally", "unfriendlyish"):
    yours = subword_vector(word, known, fast.wv.vectors_vocab, fast.wv.vectors_ngrams)
    theirs = fast.wv[word]
    cosine = yours @ theirs / np.linalg.norm(yours) / np.linalg.norm(theirs)
    print(f"{word}: known {word in known}, cosine with gensim's vector {cosine:.4f}")

# %% [markdown]
# The same direction. The length differs because gensim divides by the number of vectors in the sum; neighbours are judged by direction, so nothing changes. Now out-of-vocabulary words, which this model has never seen: words of its vocabulary with two letters swapped, or one doubled. How often is the right word among the five nearest?

# %%
for kind, cases in misspelt.slips(known).items():
    near = [[w for w, _ in fast.wv.most_similar(slip, topn=5)] for slip, _ in cases]
    hits = [meant in five for (_, meant), five in zip(cases, near, strict=True)]
    print(f"{kind}: {np.mean(hits):.0%} of {len(hits)}; {cases[0][0]}: {', '.join(near[0])}")
    alike = misspelt.nearest_by_pieces([slip for slip, _ in cases], known, character_ngrams)
    hits = [meant in five for (_, meant), five in zip(cases, alike, strict=True)]
    print(f"    no vectors, by the share of equal pieces: {np.mean(hits):.0%}")
    whole = [np.isin(character_ngrams(meant), character_ngrams(slip)) for slip, meant in cases]
    print(f"    {1 - np.mean([w.mean() for w in whole]):.0%} of a word's pieces are broken")

# %% [markdown]
# What did training bring? Give your function **random** tables, of as many numbers as fastText's and of six times as many (two letters swapped; three draws of each):

# %%
from functools import partial

buckets = len(fast.wv.vectors_ngrams)
for size in (50, 300):
    shares = []
    for seed in range(3):
        tables = misspelt.random_pieces(len(known), buckets, size, seed)
        summed = partial(lambda pieces, word: subword_vector(word, known, *pieces), tables)
        shares.append(np.mean(misspelt.found_by_sums(cases, known, summed)))
    print(f"random pieces, {size} numbers: {', '.join(f'{s:.0%}' for s in shares)}")

# %% [markdown]
# A word2vec model scores 0 on all of them: it has no vector to start from. A doubled letter breaks fewer pieces than two swapped letters, which break most of them. And two controls do as well, without training. A count of equal pieces finds the right word at least as often. So do sums of *random* pieces, if they have 300 numbers; with 50 they find far fewer than fastText does. So for typing errors the pieces do the work. The sum is not at fault: few numbers blur it, and training mends part of that. The authors call the choice of 3 to 6 characters arbitrary, and then check it (section 5.5).
#
# But look at what fastText does **not** change: *play* has one vector in every sentence. It knows how the word is written. It does not know where it stands.
#
# ### CBOW, skip-gram and their variance
#
# > *"The vectors of CBOW and of skip-gram have very different variance. A scale parameter in front of the network therefore speeds up its training."*
#
# The claim comes without numbers, so here are some. For its first half: the variance of CBOW's table, divided by that of skip-gram's. For its second half, context averages of pseudo-words are multiplied by a number. Then a logistic regression like yours takes 100 steps at the rate 0.1.

# %% slide="subslide"
STORED_VARIANCE = stored_result("static_variance")
print(STORED_VARIANCE)
for name, ratio in STORED_VARIANCE.numbers["variance of CBOW over skip-gram"].items():
    print(f"{name}: {ratio['mean']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f} over 5 seeds)")
scales = STORED_VARIANCE.numbers["scales"]
points = STORED_VARIANCE.numbers["loss after 100 steps"]
plots.curves(
    scales,
    {kind: [point["mean"] for point in row] for kind, row in points.items()},
    title="Loss after 100 steps at rate 0.1 (stored, 12 pairs, 5 seeds)",
    xlabel="scale in front of the context average",
    ylabel="loss",
    log_x=True,
    log_y=True,
)

# %% [markdown]
# The ratio depends on the program and on the learning rate, and once it is below 1. So "very different" **goes too far**. The second half was **measured: the scale matters, for both.** Too small and little is learnt in time; too large and the steps overshoot. What counts is the size of the inputs relative to the learning rate. Hold on to this. In lesson 08 ELMo gets exactly such a number, γ, and learns it.

# %% [markdown] slide="subslide"
# ### Merging by hand
#
# The pseudo-words of section 3 came from the package. Here is the merging for you to write: of all occurrences this time, not of a part.

# %% [markdown] exercise="merge_words"
# ### Exercise 11. Ambiguity with known answers
#
# Write `merge_words(sentences, first, second, merged)`. `sentences` is a list of lists of tokens. Return two lists, `new, labels` (no generators):
#
# - **new** sentences in which every token `first` or `second` is replaced by `merged`; leave the old ones as they are,
# - a list of labels `(sentence number, place, word)`, in the order of the text: one for each token that was replaced, with the word that stood there. Numbers and positions begin at 0.


# %% exercise="merge_words"
def merge_words(sentences, first, second, merged):
    """The text with two words merged, and what stood where."""
    ### BEGIN SOLUTION
    new, labels = [], []
    for number, sentence in enumerate(sentences):
        new.append([])
        for place, token in enumerate(sentence):
            if token in (first, second):
                labels.append((number, place, token))
                token = merged
            new[-1].append(token)
    return new, labels
    ### END SOLUTION


# %% check="merge_words"
check("merge_words", merge_words)

# %% [markdown] hints="merge_words"
# nudge: You need the word at the moment you overwrite it. What must be written down first?
#
# idea: Two loops with `enumerate`: over the sentences and over their tokens. Compare whole tokens, and build fresh lists instead of writing into the given ones.
#
# outline: For each sentence append an empty list to `new`. For each token: if it is `first` or `second`, append `(number, place, token)` to the labels and put `merged` into the new sentence; otherwise put the token.

# %% [markdown] model_answer="merge_words"
# The label is written down before the token is replaced. Fresh lists leave the given text as it is.

# %%
merge_words = or_reference("merge_words", merge_words)

one = pseudo_words[0]
_, labels = merge_words(sentences, one.first, one.second, one.name)
print(f"{one.name}: {len(labels):,} places; {Counter(word for *_, word in labels)}")

# %% [markdown]
# ## Further reading
#
# - The GloVe paper, for the equation of $J$; compare it with section 10 of lesson 01.
# - The fastText paper, section 5.5, on the lengths of the n-grams.
# - In the package: `elmo_mini/models/glove.py`, `elmo_mini/models/fasttext.py`, `course/static_limits/pseudo_words.py`, `course/static_limits/majority_ceiling.py`; the stored experiments are `python -m course.static_limits.experiments`.
#
# Next: **03 · context enters.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Is the ceiling a property of word2vec?* No, of anything that maps a word to one thing. Let them say it in their own words: "same input, same output". *Is the context average not static as well?* Its ingredients are; the result depends on the sentence. *Why are the points not on the diagonal?* Not measured. Likely noise: the vectors are trained on a few hundred positions, and the loss does not weigh positions evenly. *Then why vectors at all, if the bag wins?* The bag needs thousands of labels for each word; vectors need text. *Does BERT solve it?* Helps, not solves: ELMo's paper has 69.0 F1 for its second layer against 65.9 for the first WordNet sense (Table 5). *Poll before section 4:* "A classifier with a million parameters sees only the vector of the pseudo-word. What is the best it can do?"
