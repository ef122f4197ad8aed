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
# ## word2vec with negative sampling
#
# Lesson 01 · Mikolov and others, 2013
#
# minutes: 1
#
# say: In 2013 an old idea became a program that learns from billions of words on one machine. Today we look at that program from the inside: its pairs, its loss, its gradient. Then we watch vectors grow.
#
# ask: What do you know about a word that you have never seen, after reading ten sentences with it?
#
# expect: "Nothing certain." You know what it stands beside, and that is often enough to use it.
#
# skip: Go on without the question.

# %% [markdown] slide="slide"
# # 01 · word2vec with negative sampling
#
# A word is known by its neighbours: words in similar contexts have similar meanings. This is the **distributional hypothesis** (Harris 1954, Firth 1957). In 2013 that old idea became a program that learns from billions of words on one machine. Here you write that program: the vocabulary, the pairs, the loss, its gradient, the step and the loop. You watch your vectors grow. Then you ask what they know that a table of counts does not.

# %%
from collections import Counter

import numpy as np
import torch

from autograde import calibration, check, or_reference, outcome, predict, progress
from course.figures import plots
from course.word2vec import figures
from elmo_mini import corpora
from elmo_mini.progress import progress_bar

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

text = corpora.course_text()
sentences = list(progress_bar(text.sentences(lower=True), "reading", unit=" sentences"))
print(f"{len(sentences):,} sentences")

# %% tags=["road"]
plots.road("01")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - turn text into ids, and ids into training pairs, with a dynamic window and subsampling,
# - say why the softmax over a vocabulary is expensive, and what negative sampling does instead,
# - write the loss of skip-gram with negative sampling so that it survives large scores, and derive its gradient,
# - train word vectors with a step and a loop of your own, and tell from the symptoms what is wrong with a run,
# - say what the scores converge to, and measure what such vectors add to counts.
#
# ## The papers
#
# - **2013a**: Mikolov, Chen, Corrado and Dean, *Efficient Estimation of Word Representations in Vector Space*, arXiv:1301.3781. Skip-gram and CBOW, section 3.
# - **2013b**: Mikolov, Sutskever, Chen, Corrado and Dean, *Distributed Representations of Words and Phrases and their Compositionality*, NIPS 2013 (arXiv:1310.4546). Negative sampling and subsampling, section 2.
# - **2014**: Levy and Goldberg, [*Neural Word Embedding as Implicit Matrix Factorization*](https://papers.nips.cc/paper/2014/hash/feab05aa91085b7a8012516bc3533958-Abstract.html), NIPS 2014. What it all converges to, section 3.
#
# Plan 120 minutes; the essays are for home. Short of time? Exercises 1, 4, 5, 7, 9 and 10 are the spine, 95 minutes. The lesson goes on without the others. Sections 11 to 14 are for those who have time. Nothing needs them; their two exercises count in full.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $V$ | words in the vocabulary | $v_w$ | the input vector of the word $w$ |
# | $D$ | dimensions of a vector | $v'_w$ | its output vector |
# | $B$ | pairs in a batch | $w_I, w_O$ | the centre word (in) and a context word (out) |
# | $k$ or $K$ | noise words for each pair | $\sigma$ | the sigmoid function |
# | $C$ | the window | $R$ | the reach drawn for one centre, at most $C$ |
# | $T$ | tokens in the text | $t$ | a position in the text (section 1), a threshold (sections 4, 11) |
# | $f$ | a relative frequency | $\log$ | the natural logarithm |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes, for a reader of 130 words a minute who passes most checks soon (for the exercises, the minutes that stand beside them): opening and section 1, 6; section 2, 9; section 3, 9; section 4, 2; section 5, 5; section 6, 13; section 7, 19; section 8, 33; section 9, 8; section 10, 14; recap, 1: that is 119. The essays take 15, at home. Then, each for itself: section 11, 11; section 12, 6; section 13, 6; section 14, 6. For 45 minutes: show exercises 1 to 3 solved and let them do 4, 6, 7 and 8. The derivation of exercise 5 is the hardest step: have one pair with one noise word on the board first.

# %% [markdown] slide="slide"
# ## 1. A word and its company
#
# Think of a party where you know nobody. Who stands beside whom tells you a lot: the two who are always with the surgeons are probably doctors too. Words are like that. Here is the company of *school*: the words within two positions of it, without the 150 most frequent words of the text, which are everybody's company.

# %% [markdown] deck="figure"
# ## A word and its company: who stands near *school*?
#
# minutes: 2
#
# say: Think of a party where you know nobody. Those who are always with the surgeons are probably doctors, too. These are the words within two places of *school* in the Brown corpus, the 150 commonest words left out. This is the distributional hypothesis: words in similar contexts have similar meanings.
#
# ask: Which other word would have nearly this company?
#
# expect: "Teacher." It goes together with school and stands in other places. *College* can take its place.
#
# skip: Leave out the question. Live instead: put a word of the room's into this cell, it takes a second.

# %%
WORD = "school"  # change it (lower case) and run the cell again
common = Counter(word for sentence in sentences for word in sentence).most_common(150)
figures.company(sentences, WORD, everywhere=dict(common))

# %% [markdown] deck="formula" lines="2"
# ## The task: predict the neighbours
#
# Two vectors a word: $v$ when it is the centre, $v'$ when it is the context.
#
# minutes: 2.5
#
# say: Give each word a list of numbers and ask one thing of it: predict the neighbours. Words with similar neighbours will need similar vectors. Nobody tells them what they mean. The probability is a softmax over the vocabulary. I is in, the centre; O is out, the context.
#
# ask: Where in this fraction is the expensive part?
#
# expect: "The exponential." It is the sum: all V words, for every pair, at every step.
#
# skip: Leave out that there are two vectors.

# %% [markdown] slide="subslide"
# Words of one kind keep similar company. So give each word a list of numbers, its **vector**, and ask one thing of it: *predict the neighbours*. Words with similar neighbours will need similar vectors: the distributional hypothesis as a task. Nobody tells them what they mean.
#
# That is **skip-gram**. For a text $w_1 \dots w_T$ it raises the average log-probability of the words around each word (2013b, equation 1, with $C$ for its $c$):
#
# $$\frac{1}{T}\sum_{t=1}^{T}\;\sum_{-C \le j \le C,\; j \ne 0} \log p(w_{t+j} \mid w_t)$$
#
# Its sister **CBOW** turns the question round: it predicts the middle word from the average of its neighbours. Section 12 returns to it.
#
# Every word has *two* vectors here: $v_w$ when it is the centre (its input vector) and $v'_w$ when it is the context (its output vector). The first definition of the probability is a **softmax** over the whole vocabulary (equation 2):
#
# $$p(w_O \mid w_I) = \frac{\exp(v'_{w_O} \cdot v_{w_I})}{\sum_{w=1}^{V} \exp(v'_{w} \cdot v_{w_I})}$$
#
# The vectors live in a space with a fixed number of dimensions $D$, far fewer than there are words. The words are *embedded* in it: hence **word embedding**.

# %% [markdown] deck="words"
# ## Ten thousand cards, face down
#
# **Softmax:** find the right one among all of them. Turn every card.
#
# . . .
#
# **Negative sampling:** is it this one? The right card and five at random. Turn six.
#
# minutes: 2
#
# say: The sum in the denominator turns every card. The other game asks yes or no, six times. You learn less from one round, and you can play many rounds in the time of one. The vocabulary of our text has 14,221 words: 2,370 times the multiplications.
#
# ask: What does the second game no longer give you?
#
# expect: "Good vectors." What is lost is the probability of a word. The vectors are what we want.
#
# skip: Show both steps at once.

# %% [markdown] slide="subslide"
# Ten thousand cards lie face down, each with a number. To find the largest you must turn every one. The sum in the denominator is like that: it needs **all** words, for **every** pair, at every step.
#
# Now another game. Somebody mixes the right card with five drawn at random and asks of each: is it this one? Six cards to turn. You learn less from one round, but you can play many rounds in the time of one. That is **negative sampling**. (Section 14 counts and times the difference.)

# %% [markdown] slide="slide"
# ## 2. Text to ids
#
# Guests leave their coats and get a number; from then on everybody works with numbers. A network, too, works with numbers: each word gets an **id**, the row of its vector in a table. The list of words that have one is the **vocabulary**. Words that occur once or twice teach too little, and are left out.

# %% [markdown] exercise="text_to_ids"
# ### Exercise 1. Text to ids
#
# Write `text_to_ids(sentences, min_count)`. `sentences` is a list of lists of words. Return three things:
#
# - `words`, the list of all words that occur at least `min_count` times in all sentences together: the most frequent first; words of one count stand in alphabetical order,
# - `counts`, how often each of them occurs, in the same order,
# - for each sentence the list of its ids. The id of `words[i]` is i. Words that were left out are dropped; the others move together. A sentence of which nothing is left is an empty list.


# %% exercise="text_to_ids"
def text_to_ids(sentences, min_count):
    """The words by falling count, their counts, and each sentence as a list of ids."""
    ### BEGIN SOLUTION
    counter = Counter(word for sentence in sentences for word in sentence)
    kept = [word for word, count in counter.items() if count >= min_count]
    words = sorted(kept, key=lambda word: (-counter[word], word))
    ids = {word: row for row, word in enumerate(words)}
    texts = [[ids[word] for word in sentence if word in ids] for sentence in sentences]
    return words, [counter[word] for word in words], texts
    ### END SOLUTION


# %% check="text_to_ids"
check("text_to_ids", text_to_ids)

# %% [markdown] hints="text_to_ids"
# nudge: Three steps: count, sort, put numbers in place of words. Which of them need the whole text?
#
# idea: A `Counter` counts all words. `sorted` with the key `(-count, word)` has the counts fall and the alphabet decide where they are equal. A dict from word to row makes the last step quick; asking a list for its place 1.2 million times would take minutes.
#
# outline: Count over all sentences. Keep the words with enough. Sort them. `{word: row for row, word in enumerate(words)}`. For each sentence a list of the ids of those words that are in the dict. Return words, their counts, the lists.

# %% [markdown] model_answer="text_to_ids"
# The sort needs two keys. Without the second, the ids would depend on which word comes first in the text. The most frequent first has a use: `table[:2000]` holds the 2,000 most frequent words.

# %%
text_to_ids = or_reference("text_to_ids", text_to_ids)
words, counts, texts = text_to_ids(sentences, 5)
counts, number = np.asarray(counts), {word: row for row, word in enumerate(words)}
left_out = 1 - counts.sum() / sum(map(len, sentences))
print(f"{len(words):,} words occur at least five times.")
print(f"The others are {left_out:.0%} of the tokens.")

# %% [markdown] deck="words"
# ## Pairs from a window
#
# > the cat sat on the **mat** near the old door
#
# Draw a reach from 1 to 5, anew for each centre. Every word within reach is a context.
#
# . . .
#
# At distance 1: always. At distance 5: one time in five.
#
# minutes: 1.5
#
# say: A training example is a pair of a centre and one word near it. How near, the paper leaves to chance. So a direct neighbour is always taken and the farthest one rarely: a cheap way to weight pairs by nearness. The measured shares in the notebook are 1.00, 0.80, 0.60, 0.40, 0.20.
#
# ask: Is *the* a context of *the* in this sentence?
#
# expect: "No, it is the same word." Positions are compared, and not words: another *the* within reach counts.
#
# skip: Leave out the second step.

# %% [markdown] slide="slide"
# ## 3. Pairs from a window
#
# A training example is a pair: a **centre** word and one **context** word near it. How near? The paper leaves it to chance. For each centre it draws a reach $R$ from 1 to the window $C$, a **dynamic window**. Every word at most $R$ positions away is a context (2013a, section 3.2). A direct neighbour is always taken, the farthest one rarely.

# %% [markdown] exercise="dynamic_window_pairs"
# ### Exercise 2. Pairs from a dynamic window
#
# Write `dynamic_window_pairs(tokens, window, rng)`. It returns a list of pairs `(center, context)` of tokens.
#
# Use `rng.integers(low, high)` for the reach, once for every centre word. (It never draws `high`.) Draw from this `rng` alone: the same seed must give the same pairs. The window ends where the sentence ends. A word is no context of itself; but the *same word at another position* is one.


# %% exercise="dynamic_window_pairs"
def dynamic_window_pairs(tokens, window, rng):
    """All (center, context) pairs of one sentence; the reach is drawn for each center."""
    ### BEGIN SOLUTION
    pairs = []
    for place, center in enumerate(tokens):
        reach = rng.integers(1, window + 1)
        for other in range(max(0, place - reach), min(len(tokens), place + reach + 1)):
            if other != place:
                pairs.append((center, tokens[other]))
    return pairs
    ### END SOLUTION


# %% check="dynamic_window_pairs"
check("dynamic_window_pairs", dynamic_window_pairs)

# %% [markdown] hints="dynamic_window_pairs"
# nudge: Walk over the positions of the sentence. At each position, how far do you look this time, and to which sides?
#
# idea: `rng.integers(low, high)` never returns `high`. For 1 to `window` you need `rng.integers(1, window + 1)`, inside the loop over centres. Compare positions, not words, when you skip the centre.
#
# outline: For each position draw a reach. Walk from that many positions before it to that many after it, cut off at both ends of the sentence (a `range` leaves out its end). Skip the position itself; append the two tokens. Return the list.

# %% [markdown] model_answer="dynamic_window_pairs"
# The reach is drawn inside the loop, once for every centre. `max` and `min` keep the window inside the sentence. Positions are compared, not words, so a repeated word stays a context.

# %% [markdown]
# The reach is uniform, so a neighbour at distance $d$ is kept with probability $(C - d + 1)/C$. The random window is a cheap way to weight pairs by nearness. A long row of different words shows it:

# %%
dynamic_window_pairs = or_reference("dynamic_window_pairs", dynamic_window_pairs)

many = dynamic_window_pairs(list(range(30_000)), 5, np.random.default_rng(1))
distances = Counter(abs(one - other) for one, other in many)
for d in range(1, 6):
    print(f"distance {d}: {distances[d] / 60_000:.2f} are kept; by the formula {(6 - d) / 5:.2f}")

# %% [markdown] deck="formula"
# ## Too much of *the*: subsampling
#
# Throw away occurrences of frequent words **before** the windows are cut. $f$ is a word's frequency, $t$ a threshold.
#
# minutes: 1.5
#
# say: A pair with *the* teaches almost nothing, since everything stands near *the*. This is the formula of the authors' program. The paper prints another, without the second term; section 11 compares the two. What remains moves closer together, so the windows reach further.
#
# ask: A word with f equal to t: how often is it kept?
#
# expect: "Half of the time." Root of one plus one is two, so always.
#
# skip: Leave out the formula.

# %% [markdown] slide="slide"
# ## 4. Too much of *the*
#
# You saw in lesson 00 that a few words fill half of the text. A pair with *the* teaches almost nothing: everything stands near *the*. So some of its occurrences are thrown away **before** the windows are cut: **subsampling**. The remaining words move closer together, and the windows reach further.
#
# With $f$ the relative frequency of a word and $t$ a threshold, the authors' program keeps an occurrence with probability
#
# $$P(\text{keep}) = \min\left(1, \sqrt{t/f} + t/f\right)$$
#
# The paper prints another formula; section 11 compares the two.


# %% [markdown] deck="poll"
# ## t = 0.001: what share of the text survives?
#
# - 30 %
# - 50 %
# - 70 %
# - 95 %
#
# minutes: 1.5
#
# say: With the program's own threshold. Remember that a few words fill half of the text, and that only they are thinned out.
#
# ask: The poll.
#
# expect: "Half: it is the frequent words that make up half." They are thinned, not taken out: *the* keeps one occurrence in seven.
#
# skip: Show the answer.


# %%
def keep(threshold):
    """For each word, the probability that an occurrence is kept."""
    f = counts / counts.sum()
    return np.minimum(1, np.sqrt(threshold / f) + threshold / f)


predict("survivors", "t = 0.001: what share of the vocabulary's tokens survives?", unit="%")

# %%
outcome("survivors", 100 * float(counts @ keep(1e-3) / counts.sum()), unit="%")

# %% [markdown] slide="slide"
# ## 5. Noise
#
# Negative sampling needs wrong answers: **noise words**, also called *negatives*. From which **noise distribution**? Drawn evenly, most would be rare words, and those are easy to tell from a true context. Drawn by frequency, *the* and a few like it would come again and again. The paper takes the middle: counts to the power 3/4, which did better in its experiments than either (2013b, section 2.2):
#
# $$P_n(w) = \frac{\text{count}(w)^{3/4}}{\sum_{w'} \text{count}(w')^{3/4}}$$

# %% [markdown] exercise="noise_distribution"
# ### Exercise 3. The noise distribution
#
# Write `noise_distribution(counts, power)` for an array of counts. Return the probabilities as an array or a tensor, not a list.


# %% exercise="noise_distribution"
def noise_distribution(counts, power=0.75):
    """Probabilities proportional to counts ** power."""
    ### BEGIN SOLUTION
    weights = counts**power
    return weights / weights.sum()
    ### END SOLUTION


# %% check="noise_distribution"
check("noise_distribution", noise_distribution)

# %% [markdown] hints="noise_distribution"
# nudge: What should the result add up to?
#
# idea: Raise first, normalise last: divide the raised counts by their own sum.
#
# outline: Two steps, each on the whole array at once: all counts to the power, then all of that over its sum.

# %% [markdown] model_answer="noise_distribution"
# The power comes before the division. In the other order the result would no longer add up to 1.

# %% [markdown] deck="figure"
# ## Noise: counts to the power 3/4
#
# minutes: 2
#
# say: Negative sampling needs wrong answers. Drawn evenly, most are rare words, and those are easy to tell from a true context. Drawn by frequency, it is *the* again and again. The paper takes the middle and says that it did better than either.
#
# ask: Which line is the best noise, the one where the game is easy or where it is hard?
#
# expect: "Easy: then the loss is small." A game that is always won teaches nothing.
#
# skip: Read two of the lines.

# %% slide="subslide"
noise_distribution = or_reference("noise_distribution", noise_distribution)
figures.noise(noise_distribution, counts)

# %% [markdown]
# The smaller the power, the flatter the line. fastText, a later program with Mikolov among its authors, uses 1/2; lesson 02 comes to it.

# %% [markdown] deck="formula"
# ## The loss: how sure are we that a pair comes from the text?
#
# The true pair towards 1, each of the $k$ noise words towards 0
#
# minutes: 2.5
#
# say: A pair has a score, the dot product of its two vectors. The sigmoid makes it a number between 0 and 1. The first term wants the true pair near 1, the sum wants the noise words near 0. This is to be large; the loss is its negative.
#
# ask: Why is there a minus inside the second sigmoid?
#
# expect: "Because noise is bad." One minus sigma of x is sigma of minus x: it is the probability of "no".
#
# skip: Say it in words and leave out the expectation sign.

# %% [markdown] slide="slide"
# ## 6. The loss
#
# Now the heart. A pair has a score, the dot product $x = v' \cdot v$. The **sigmoid** $\sigma(x) = 1/(1 + e^{-x})$ turns it into a number between 0 and 1: *how sure are we that this pair comes from the text?* For the true pair it should be near 1, for each of the $k$ noise words near 0 (2013b, equation 4):
#
# $$\log \sigma(v'_{w_O} \cdot v_{w_I}) \;+\; \sum_{i=1}^{k} \mathbb{E}_{w_i \sim P_n} \left[\log \sigma(-v'_{w_i} \cdot v_{w_I})\right]$$
#
# ($\mathbb{E}_{w_i \sim P_n}$ is the average over noise words drawn from $P_n$.) This should be **large**. The loss is its negative, averaged over the pairs of a batch, with $k$ drawn noise words in place of that average. (Yes or no, by the sigmoid of a score: each term is the loss of a logistic regression, also called *binary cross-entropy*. Lessons 02 and 03 take up the two names.)

# %% [markdown] deck="poll"
# - 0
# - 0.69
# - [x] 4.16
# - it cannot be known
#
# minutes: 1.5
#
# say: Before the first step all scores are zero. One true pair and five noise words: six coins.
#
# ask: The poll.
#
# expect: "Zero, since nothing is known" and "0.69, a coin." Six fair coins: six times log two. A run that stays there has learnt nothing.
#
# skip: Keep it: the number comes again.

# %%
predict("first_loss", "All scores start at 0. What is the loss of one pair with 5 noise words?")

# %% [markdown] exercise="sgns_loss"
# ### Exercise 4. The loss of skip-gram with negative sampling
#
# Write `sgns_loss(center, context, negatives)` for tensors:
#
# - `center`, shape (B, D): the input vectors of the centre words,
# - `context`, shape (B, D): the output vectors of the true context words,
# - `negatives`, shape (B, K, D): the output vectors of the noise words.
#
# Return the **mean** over the B pairs, as a tensor that autograd can follow. Loss and gradient must stay right for scores of a thousand: a computer's $\sigma(-1000)$ is exactly 0, and $\log 0$ is $-\infty$. `F.logsigmoid` computes $\log \sigma$ in one go and never meets that 0.

# %% exercise="sgns_loss"
from torch.nn import functional as F


def sgns_loss(center, context, negatives):
    """Mean loss of a batch of pairs; see the equation above."""
    ### BEGIN SOLUTION
    positive = (center * context).sum(-1)  # (B,)
    negative = (center.unsqueeze(1) * negatives).sum(-1)  # (B, K)
    return -(F.logsigmoid(positive) + F.logsigmoid(-negative).sum(-1)).mean()
    ### END SOLUTION


# %% check="sgns_loss"
check("sgns_loss", sgns_loss)

# %% [markdown] hints="sgns_loss"
# nudge: What should happen to the score of the true pair, and what to the scores of the noise words? Which of them has a minus in the equation?
#
# idea: Scores first: `(center * context).sum(-1)` has shape (B,). For the noise words `center` needs a middle axis: `center.unsqueeze(1)` has shape (B, 1, D) and meets (B, K, D). Noise terms are added up over K.
#
# outline: The scores of the true pairs, (B,), and of the noise words, (B, K). One $\log\sigma$ for the true pair, and one for each noise word, whose score changes its sign. Add up over K; average over the pairs; change the sign of the result.

# %% [markdown] model_answer="sgns_loss"
# `F.logsigmoid` of the negated score takes the place of $\log(1 - \sigma)$, which is $\log 0$ for a large score. Noise terms are added up over K; only the pairs are averaged.

# %%
sgns_loss = or_reference("sgns_loss", sgns_loss)
untrained = sgns_loss(torch.zeros(1, 10), torch.ones(1, 10), torch.ones(1, 5, 10))
outcome("first_loss", float(untrained), factor=1.1)

# %% [markdown]
# Six fair coins: $6 \log 2 \approx 4.16$. Remember the number. A run whose loss stays there has learnt nothing. A run whose loss falls may still have learnt no more than which words are frequent: section 9 shows one.

# %% [markdown] deck="figure"
# minutes: 2
#
# say: Left: the true pair is not believed, the slope is minus one: pull with full strength. Right: it is believed, the slope is zero, nothing more to do. For noise it is the mirror image.
#
# ask: At which score is the pull half as strong?
#
# expect: "Where the curves begin to rise." At zero, where they cross: there sigma is one half.
#
# skip: Show it and name the two ends.

# %% slide="subslide"
figures.costs()

# %% [markdown]
# The curves are also a picture of learning. Far on the right the true pair is believed and its slope is 0: nothing more to do. On the left the slope is $-1$: pull, with full strength. For noise it is the mirror image.

# %% [markdown] deck="words"
# ## What each vector feels
#
# $$\frac{\partial \ell}{\partial v} = \underbrace{(\sigma(x) - 1)}_{\text{prediction minus target}}\, v'_{w_O} + \sum_i \underbrace{\sigma(y_i)}_{\text{prediction minus target}}\, v'_{w_i}$$
#
# . . .
#
# The centre is pulled towards the true word and pushed away from the noise, each **as strongly as the model is wrong**.
#
# minutes: 3
#
# say: Take the derivative for a score first: it is the prediction minus the target, where the target is 1 for the true word and 0 for noise. A score is a dot product, so its derivative for one vector is the other vector. Put them together. In exercise 5 they derive it themselves.
#
# ask: What does the noise word's vector get?
#
# expect: "Nothing, it is only noise." It gets its error times the centre's vector: noise words are trained, too.
#
# skip: Read only the sentence.

# %% [markdown] slide="slide"
# ## 7. The gradient, derived
#
# Autograd could do this. Do it once yourself: the result is short, and it shows what each vector feels.
#
# Take one pair with one noise word $w_n$, and paper. Call the score of the true pair $x$, that of the noise word $y$, and the centre's vector $v$. The loss is
#
# $$\ell = -\log\sigma(x) - \log\sigma(-y), \qquad x = v'_{w_O}\cdot v, \qquad y = v'_{w_n}\cdot v$$
#
# 1. **The derivative for a score.** The sigmoid has $\sigma'(x) = \sigma(x)\,(1 - \sigma(x))$ and $1 - \sigma(x) = \sigma(-x)$. With them work out $\frac{d}{dx}\left(-\log\sigma(x)\right)$ and $\frac{d}{dy}\left(-\log\sigma(-y)\right)$. Both results are of the form **prediction minus target**, with the target 1 for the true word and 0 for a noise word. Call them the *errors*.
# 2. **From the score to a vector.** A score is a dot product. What is its derivative for one of the two vectors?
# 3. **The chain.** Each of the three vectors gets a sum over the scores in which it occurs. Which of them occurs in both?
#
# Test your errors before you go on: in section 6 the curve of the true pair has the slope $-1$ far on the left and 0 far on the right.

# %% [markdown] exercise="sgns_gradients"
# ### Exercise 5. The gradient by hand
#
# Write `sgns_gradients(center, context, negatives)`, with the shapes of exercise 4. Return three tensors (no NumPy: the next exercise adds them to tables of tensors): the gradients for `center` (B, D), `context` (B, D) and `negatives` (B, K, D).
#
# Each pair keeps the gradient of **its own** loss: do not divide by B. word2vec takes a whole step for every pair. (Autograd would pass the check. Do it by hand all the same: section 10 starts from what you find here.)


# %% exercise="sgns_gradients"
def sgns_gradients(center, context, negatives):
    """Gradients of each pair's own loss for center, context and negatives."""
    ### BEGIN SOLUTION
    positive_error = torch.sigmoid((center * context).sum(-1, keepdim=True)) - 1  # (B, 1)
    scores = (center.unsqueeze(1) * negatives).sum(-1)  # (B, K)
    negative_error = torch.sigmoid(scores).unsqueeze(-1)  # (B, K, 1)
    center_gradient = positive_error * context + (negative_error * negatives).sum(1)
    return center_gradient, positive_error * center, negative_error * center.unsqueeze(1)
    ### END SOLUTION


# %% check="sgns_gradients"
check("sgns_gradients", sgns_gradients)

# %% [markdown] hints="sgns_gradients"
# nudge: Write down one pair with one noise word first. Which three vectors meet, and in which two dot products? In the derivative of $-\log\sigma(x)$ one factor $\sigma(x)$ cancels.
#
# idea: The errors are $\sigma(x) - 1$ for the true word and $\sigma(y)$ for a noise word. The derivative of a dot product for one vector is the other vector. Give the errors a last axis of length 1, (B, 1) and (B, K, 1), so that they multiply whole vectors.
#
# outline: center: error of the true word times `context`, plus the sum over K of error times noise vector. context: error of the true word times `center`. negatives: error times `center.unsqueeze(1)`. No division by B.

# %% [markdown] model_answer="sgns_gradients"
# The errors are $e_O = \sigma(x) - 1$ and $e_i = \sigma(y_i)$. With them
#
# $$\frac{\partial \ell}{\partial v} = e_O\, v'_{w_O} + \sum_{i} e_i\, v'_{w_i}, \qquad \frac{\partial \ell}{\partial v'_{w_O}} = e_O\, v, \qquad \frac{\partial \ell}{\partial v'_{w_i}} = e_i\, v$$
#
# Each error scales the vector that was met. The last axis of length 1 lets one error scale a whole vector.

# %% [markdown]
# Check your derivation against autograd, on fresh numbers. `sgns_loss` is a mean over 4 pairs and the formula is for each pair, hence the factor 4:

# %%
sgns_gradients = or_reference("sgns_gradients", sgns_gradients)

leaves = [torch.randn(*shape, requires_grad=True) for shape in ((4, 8), (4, 8), (4, 5, 8))]
(4 * sgns_loss(*leaves)).backward()
for leaf, by_hand in zip(leaves, sgns_gradients(*leaves), strict=True):
    print(f"largest difference {float((leaf.grad - by_hand.detach()).abs().max()):.1e}")

# %% [markdown]
# Read the result aloud. *The centre is pulled towards the true word and pushed away from the noise words, each as strongly as the model is wrong about it.*

# %% [markdown] deck="words"
# ## The trap in the step
#
# A frequent word occurs several times in one batch.
#
# ```python
# table[ids] -= updates                        # one survives
# table.index_add_(0, ids, updates, alpha=-1)  # all count
# ```
#
# minutes: 2
#
# say: The first line reads, subtracts and writes. If a row is in ids three times, it is written three times, and the last one wins. Nothing crashes, the loss falls, and frequent words learn slowly.
#
# ask: Which words suffer from the first line?
#
# expect: "The rare ones." A rare word is once in a batch and loses nothing.
#
# skip: Leave it to the exercise.

# %% [markdown] slide="slide"
# ## 8. A step, a loop, and vectors that grow
#
# Two tables hold all vectors: `input_vectors` and `output_vectors`, both (V, D). A step takes the rows of a batch out, computes the gradients, and subtracts them from the rows, times the learning rate: **stochastic gradient descent**, SGD.
#
# There is one trap. A frequent word occurs several times in one batch. Each occurrence has its own update, and **all of them must count**. But `table[ids] -= updates` reads, subtracts and writes: of several updates for one row only one survives. `table.index_add_(0, ids, updates, alpha=...)` adds them all.

# %% [markdown] exercise="sgns_step"
# ### Exercise 6. One training step
#
# Write one step of stochastic gradient descent, `sgns_step(input_vectors, output_vectors, centers, contexts, negatives, learning_rate)`. `centers` and `contexts` are ids, shape (B,); `negatives` are ids, shape (B, K). Change both tables **in place**, with all gradients taken before anything changes. Return what `sgns_loss` gives before the step, as a float.


# %% exercise="sgns_step"
def sgns_step(input_vectors, output_vectors, centers, contexts, negatives, learning_rate):
    """One step of gradient descent on a batch of pairs, in place; returns the loss before it."""
    ### BEGIN SOLUTION
    v, u, n = input_vectors[centers], output_vectors[contexts], output_vectors[negatives]
    loss = sgns_loss(v, u, n)
    dv, du, dn = sgns_gradients(v, u, n)
    input_vectors.index_add_(0, centers, dv, alpha=-learning_rate)
    output_vectors.index_add_(0, contexts, du, alpha=-learning_rate)
    output_vectors.index_add_(0, negatives.flatten(), dn.flatten(0, 1), alpha=-learning_rate)
    return float(loss)
    ### END SOLUTION


# %% check="sgns_step"
check("sgns_step", sgns_step)

# %% [markdown] hints="sgns_step"
# nudge: Uphill or downhill? And what happens to a word that is in the batch three times?
#
# idea: Take the three blocks of rows out first: `input_vectors[centers]`, `output_vectors[contexts]`, `output_vectors[negatives]`. Compute loss and gradients from them. Only then change the tables.
#
# outline: After loss and gradients: three calls of `index_add_` with `alpha=-learning_rate`. The noise ids and their gradients (here `dn`) need one axis less: `negatives.flatten()` and `dn.flatten(0, 1)`.

# %% [markdown] model_answer="sgns_step"
# All rows are read, and all gradients computed, before a table changes. `index_add_` adds up the updates of a word that is in the batch several times.

# %% [markdown] slide="subslide"
# Now the loop. Before the first step the input vectors are small random numbers and the output vectors are zero: every score is 0, and every $\sigma$ one half. The learning rate falls in a straight line, as in the paper.

# %% [markdown] exercise="train_skip_gram"
# ### Exercise 7. The loop
#
# Write `train_skip_gram(pairs, noise, step, dimension, negatives, batch, rate, look)`.
#
# - `pairs` holds ids, shape (P, 2): the centre and the context of each pair. Go through them once, in their order, `batch` at a time. Pairs at the end that do not fill a batch are left out.
# - `noise` holds a probability for each of the V words. Draw `negatives` noise words for every pair of a batch, anew for each step, with `torch.multinomial(noise, number, replacement=True)`. Set no seed.
# - The input table (V, `dimension`) starts with random numbers, drawn evenly from $-\frac{1}{2D}$ to $\frac{1}{2D}$, the output table with zeros.
# - `step` is your `sgns_step`. At step $i$ of $n$, counted from 0, the learning rate is `rate` times $1 - i/n$.
# - After each step call `look(number, inputs)` with the number of steps taken and the input table, so that somebody can watch.
#
# Return the input table, the output table, and a list with the loss of each step.


# %% exercise="train_skip_gram"
def train_skip_gram(pairs, noise, step, dimension, negatives, batch, rate, look):
    """Train once over pairs (P, 2); the input table, the output table, the loss of each step."""
    ### BEGIN SOLUTION
    inputs = (torch.rand(len(noise), dimension) - 0.5) / dimension
    outputs = torch.zeros(len(noise), dimension)
    losses = []
    steps = len(pairs) // batch
    for number in range(steps):
        centers, contexts = pairs[number * batch : (number + 1) * batch].T
        drawn = torch.multinomial(noise, batch * negatives, replacement=True)
        drawn = drawn.view(batch, negatives)
        now = rate * (1 - number / steps)
        losses.append(step(inputs, outputs, centers, contexts, drawn, now))
        look(number + 1, inputs)
    return inputs, outputs, losses
    ### END SOLUTION


# %% check="train_skip_gram"
check("train_skip_gram", train_skip_gram)

# %% [markdown] hints="train_skip_gram"
# nudge: What stands before the loop, what in it, and what after it? The tables are made once; the noise words anew for each step.
#
# idea: `torch.rand` draws from 0 to 1: shift it, then divide by D. There are `len(pairs) // batch` steps. A slice of `pairs` has the shape (batch, 2), and its `.T` unpacks into centres and contexts.
#
# outline: Tables; `losses = []`; for each number: slice, draw `batch * negatives` noise words and `.view(batch, negatives)`, the falling rate, `losses.append(step(...))`, `look(number + 1, inputs)`. Return all three.

# %% [markdown] model_answer="train_skip_gram"
# If both tables started at zero, every gradient would be zero: each is an error times the other vector. One table of small random numbers is enough to begin. The step changes the tables in place, so the loop has nothing to assign.

# %% [markdown] slide="subslide"
# To watch the vectors, ask for their neighbours. Near means: a large cosine, a small angle. This is **cosine similarity**.

# %% [markdown] exercise="nearest"
# ### Exercise 8. The nearest words
#
# Write `nearest(vectors, word, count)`. `vectors` is a table (V, D), `word` the id of a row. Return the ids of the `count` rows with the largest cosine similarity to it, the largest first, without the word itself. Do not change the table.


# %% exercise="nearest"
def nearest(vectors, word, count):
    """Ids of the `count` rows with the largest cosine to row `word`, the largest first."""
    ### BEGIN SOLUTION
    unit = F.normalize(vectors, dim=1)
    cosine = unit @ unit[word]
    cosine[word] = -2
    return cosine.topk(count).indices.tolist()
    ### END SOLUTION


# %% check="nearest"
check("nearest", nearest)

# %% [markdown] hints="nearest"
# nudge: What is the cosine of two vectors of length 1?
#
# idea: `F.normalize(vectors, dim=1)` brings every row to length 1. Then one product of the table with one row gives all cosines.
#
# outline: Normalise; `unit @ unit[word]`; give the word itself a number below every cosine; `topk(count).indices`.

# %% [markdown] model_answer="nearest"
# The cosine of a word with itself is 1, so it would come first. A cosine is never below $-1$: with $-2$ the word comes last.

# %% [markdown] slide="subslide"
# Everything is ready. Where your function passed, it runs; otherwise ours does. Two functions hold the whole experiment. Each later section calls them with one thing changed.

# %%
sgns_step = or_reference("sgns_step", sgns_step)
train_skip_gram = or_reference("train_skip_gram", train_skip_gram)
nearest = or_reference("nearest", nearest)


def pairs_of(some, window=5, threshold=1e-3):
    """Pairs of ids (P, 2) after subsampling, shuffled."""
    rng, chances, pairs = np.random.default_rng(0), keep(threshold), []
    for sentence in progress_bar(some, "cutting pairs"):
        ids = [i for i in sentence if rng.random() < chances[i]]
        pairs.extend(dynamic_window_pairs(ids, window, rng))
    return rng.permutation(np.array(pairs))


def learn(pairs, steps, power=0.75, rate=0.05, look=lambda *_: None):
    """Train vectors of 50 numbers, 1,000 pairs a step; both tables and the losses."""
    rows = torch.from_numpy(np.resize(pairs, (1000 * steps, 2)))  # again from the start if too few
    noise = torch.as_tensor(noise_distribution(counts, power))
    torch.manual_seed(0)
    with progress_bar(total=steps, what="training") as bar:

        def watch(step, table):
            bar.update()
            look(step, table)

        return train_skip_gram(rows, noise, sgns_step, 50, 5, 1000, rate, watch)


all_pairs = pairs_of(texts)
STEPS = max(3000, len(all_pairs) // 1000)
print(f"{len(all_pairs):,} pairs")

# %% [markdown]
# A guess before it runs. A million words is not much, and the neighbours of rare words are mostly chance. So only words with 50 occurrences or more are asked, or answer.

# %% [markdown] deck="poll"
# minutes: 1
#
# say: A million words, one pass. All that the vectors know is who stands beside whom. Which word is nearest to *he*?
#
# ask: The poll.
#
# expect: "Man: it means the same." Ask which word can stand in the place of *he*.
#
# skip: Vote without reasons.


# %%
predict("nearest_to_he", "Which of these will be nearest to 'he'?", options=["she", "man", "the"])

# %% [markdown]
# **Put in words of your own**, then train, about 15 s. The cell asks your vectors after the first step and after the last.

# %% [markdown] deck="printed" lines="1-2,5-6"
# ## Vectors grow: nearest neighbours at the first and the last step
#
# minutes: 2
#
# say: After one step the neighbours are chance. After 3,847 steps *he* has found *she*, *four* has found the numbers. A quarter of a minute on one core, from your own functions.
#
# ask: Which of these neighbours is no good, and why?
#
# expect: "Days." It goes together with *four* and cannot take its place: the window is wide. Names such as *Morgan* stand where *he* stands.
#
# skip: Read *he* and *four*. Live instead: put in two words of the room's and run it; the stored figure is this slide.

# %%
MY_WORDS = ["he", "school", "four", "water"]  # lower case
usual = int((counts >= 50).sum())  # the most frequent words stand first
my_words = [word for word in MY_WORDS if number.get(word, usual) < usual]


def near(table, word, count=6):
    """The nearest neighbours of a word among the usual ones."""
    return ", ".join(words[i] for i in nearest(table[:usual], number[word], count))


grown = {}
vectors, _, losses = learn(
    all_pairs,
    STEPS,
    look=lambda step, table: step in (1, STEPS) and grown.update({step: table.clone()}),
)
for word in my_words:
    for step, table in grown.items():
        print(f"{word}, after step {step:,}: {near(table, word)}")

# %% [markdown] deck="figure"
# minutes: 1
#
# say: The dashed line is the six coins: nothing learnt. The loss leaves it fast and then falls slowly. A run that leaves that line may have learnt no more than which words are frequent.
#
# ask: Is a loss of 2.5 good?
#
# expect: "It should go to zero." It cannot: *the* is a true neighbour and a noise word of the same centre.
#
# skip: One sentence.


# %% slide="subslide"
figures.learning(losses, pairs=1000, negatives=5)

# %%
from torch.nn import functional as F

he, asked_for = number["he"], ("she", "man", "the")
cosines = F.cosine_similarity(vectors[he], vectors[[number[word] for word in asked_for]])
outcome("nearest_to_he", asked_for[int(cosines.argmax())])

# %% [markdown] slide="subslide"
# **Change one thing.** With a window of 1 only direct neighbours are company; with a window of 5 half of the sentence is. One of the two windows finds words that can take each other's place, such as *four* and *three*. The other finds words that go together, such as *four* and *hours*.

# %% [markdown] deck="poll"
# minutes: 1
#
# say: We change one thing. With a window of 1 only direct neighbours are company, with 5 half of the sentence.
#
# ask: The poll.
#
# expect: "5, it has more to learn from." More pairs, of another kind.
#
# skip: Vote without reasons.

# %%
predict("replaceable", "Which window finds words that replace each other?", options=["1", "5"])

# %% [markdown]
# Words that replace each other are of one part of speech. So take the usual nouns, verbs, adjectives and adverbs, and ask each for its five nearest among them. How many are of its own kind? By chance: of random vectors. Both runs take the same number of steps, about 15 s more.

# %% [markdown] deck="printed" lines="1-3"
# ## What counts as company decides what "similar" means
#
# minutes: 2
#
# say: Of five nearest neighbours, how many are of the same part of speech? With a window of 1 far more than with one of 5, after the same number of steps on the same text. Chance is a bit more than a third.
#
# ask: When would you want the wide window?
#
# expect: "Never, it is worse." For topics: it brings together what goes together.
#
# skip: Read the first two lines.

# %%
from course.texts.word_classes import content_words

kind = {w: c for w, c in content_words().items() if number.get(w, usual) < usual}
asked = list(kind)


def same_kind(table):
    """(N,) for each word, the share of its five nearest that are of its own part of speech."""
    rows = table[[number[word] for word in asked]]
    return np.array(
        [
            np.mean([kind[asked[n]] == kind[word] for n in nearest(rows, row, 5)])
            for row, word in enumerate(asked)
        ]
    )


pairs = {1: pairs_of(texts, window=1), 5: all_pairs}
network = {1: learn(pairs[1], STEPS)[0], 5: vectors}
random = torch.randn(vectors.shape, generator=torch.Generator().manual_seed(0))
for name, table in {
    "a window of 1": network[1],
    "a window of 5": vectors,
    "chance": random,
}.items():
    print(f"{name}: {same_kind(table).mean():.0%} of the neighbours are of the word's own kind")
outcome("replaceable", str(max(network, key=lambda window: same_kind(network[window]).mean())))

# %% [markdown]
# The narrow window finds words of the same kind. A wide one mixes in words from the same sentences. What "similar" means is decided by what counts as company. Which of `power`, `rate` and `threshold` would you change next? Each is one argument: try one.

# %% [markdown] slide="slide"
# ## 9. Three broken runs
#
# A wrong run seldom crashes. Here are four short runs of `learn`, 600 steps each, about 15 s. One is sound. A, B and C have one fault each, from this list:
#
# 1. frequent words are not thinned out
# 2. the noise words are drawn evenly from the vocabulary
# 3. the learning rate is ten times too high
# 4. the learning rate is a hundred times too small
# 5. each centre word is paired with a context of another one
#
# Beside the loss you see two numbers: how many pairs hold one of the ten most frequent words, and the mean score of two frequent words drawn at random. Such words are mostly noise for each other, so in a sound run that score is clearly negative. (`nan` means *not a number*.)

# %%
from course.word2vec.broken_vectors import four_runs

seen = four_runs(lambda threshold: pairs_of(texts[:6000], threshold=threshold), learn)

# %% [markdown] deck="figure"
# ## Three broken runs: which loss looks healthy, and is not?
#
# minutes: 2.5
#
# say: One run is sound. A draws its noise evenly, B has a rate ten times too high, C does not thin out frequent words. Do not tell which is which at first: the room diagnoses. A has the lowest loss of all, because rare noise is easy to tell. Exercise 9 asks for it with two numbers more.
#
# ask: Which run would you keep, by the loss?
#
# expect: "A, it is the lowest." A loss says how well a game is played, and not whether it is the right game.
#
# skip: Show only B, then say what A is.

# %% slide="subslide"
figures.runs({name: s.losses for name, s in seen.items()})

# %%
for name, s in seen.items():
    often, score = f"{s.often:.0%} of the pairs", f"{s.by_chance:.3g}"
    print(f"{name:>6}: {often} hold a very frequent word; two by chance score {score}")

# %% [markdown] exercise="broken_vectors"
# ### Exercise 9. Three broken runs
#
# Which run has which fault? Return a dict with the number of each: `{"A": ..., "B": ..., "C": ...}`.


# %% exercise="broken_vectors"
def broken_vectors():
    """The number of each run's fault."""
    ### BEGIN SOLUTION
    return {"A": 2, "B": 3, "C": 1}
    ### END SOLUTION


# %% check="broken_vectors"
check("broken_vectors", broken_vectors)

# %% [markdown] hints="broken_vectors"
# nudge: Which run stands out in the figure, and which in each of the two numbers? A lower loss is no proof of better vectors.
#
# idea: For each fault ask: which words does a step see as noise? How far does a vector move in one step? What are the pairs made of?
#
# outline: One run leaves the figure at the top. Of the other two, one has other pairs than the sound run. The last one has the same pairs, and the score of two frequent words is far higher than in the sound run: why did nothing push them apart?

# %% [markdown] model_answer="broken_vectors"
# **A** is `learn(..., power=0)`: frequent words are almost never drawn as noise, so nothing pushes them apart. The score of any two of them ends far too high, and the loss ends *lowest of all*, because rare noise is easy to tell. (At first it stays near 4.16 for longer than the others: a look at the start alone would say fault 4.) **B** is `learn(..., rate=0.5)`: the steps are so long that each overshoots, and the scores explode until they are no longer numbers (`nan`). **C** is `pairs_of(..., threshold=1)`: half of the pairs hold one of the ten most frequent words. Its loss looks healthy; the time goes into pairs that teach little. Faults 4 and 5 are not there: the loss of 4 would stay at 4.16. The loss of 5 would fall almost as the sound one does in so short a run, because at first there is nothing to learn but who is frequent. So a falling loss alone proves nothing.

# %% [markdown]
# A loss says how well a game is played, not whether it is the right game. For that, look at the pairs, the scores and the neighbours. (You can make such a run yourself, by one argument: a rate of 0.5, say. The model answer says which argument each run had.)

# %% [markdown] deck="words"
# ## Nobody asked for it, and it came out
#
# $$v_w \cdot v'_c = \text{PMI}(w, c) - \log k$$
#
# Pointwise mutual information: how often does a pair occur, and how often would it by chance?
#
# minutes: 1.5
#
# say: Levy and Goldberg, 2014. Set the derivative of the loss to zero, with enough dimensions for every pair to have its own score. What comes out is a count: the pointwise mutual information, shifted by log k.
#
# ask: So is word2vec magic?
#
# expect: "It is deep learning." It counts neighbours and squeezes the counts into few dimensions. What does it add to them, then? Two slides on.
#
# skip: Show the formula and go on.

# %% [markdown] slide="slide"
# ## 10. What does it converge to?
#
# Levy and Goldberg asked in 2014: if the vectors had enough dimensions to give every pair any score they liked, which score would be best?
#
# Count over the whole text. $\#(w,c)$ is how often the pair occurs, $\#(w)$ and $\#(c)$ are its row and column sums, $|D|$ is the number of all pairs (not the dimensions $D$). Let noise be drawn from the plain context counts. Then $w$ meets $c$ as noise $k\,\#(w)\,\#(c)/|D|$ times on average, and everything that the loss says about the score $x$ of this one pair is
#
# $$\ell(x) = -\#(w,c)\,\log\sigma(x) \;-\; k\,\frac{\#(w)\,\#(c)}{|D|}\,\log\sigma(-x)$$
#
# Its derivative, by section 7, is $\#(w,c)\,(\sigma(x)-1) + k\frac{\#(w)\#(c)}{|D|}\,\sigma(x)$. Set it to 0. Since $\frac{\sigma(x)}{1-\sigma(x)} = e^x$, the solution is $e^x = \frac{\#(w,c)\,|D|}{k\,\#(w)\,\#(c)}$, or
#
# $$v_w \cdot v'_c = \underbrace{\log \frac{\#(w,c)\;|D|}{\#(w)\;\#(c)}}_{\text{PMI}(w,c)} - \log k$$
#
# The **pointwise mutual information**, PMI, compares how often a pair occurs with how often chance would make it occur. The $k$ noise words shift everything down by $\log k$.

# %% [markdown] exercise="shifted_pmi"
# ### Exercise 10. What the scores converge to
#
# Write `shifted_pmi(pair_counts, negatives)`. `pair_counts` is an array of counts, a row for each word and a column for each context. Return the pointwise mutual information less $\log k$, PMI − log k, with `negatives` for $k$, in an array of the same shape. A pair that never occurs gets `-inf`. Every word and every context occurs in some pair.


# %% exercise="shifted_pmi"
def shifted_pmi(pair_counts, negatives):
    """PMI(w, c) - log k for a table of pair counts."""
    ### BEGIN SOLUTION
    total = pair_counts.sum()
    by_chance = pair_counts.sum(1, keepdims=True) * pair_counts.sum(0, keepdims=True) / total
    with np.errstate(divide="ignore"):  # log 0 is -inf, and that is what we want
        return np.log(pair_counts / by_chance) - np.log(negatives)
    ### END SOLUTION


# %% check="shifted_pmi"
check("shifted_pmi", shifted_pmi)

# %% [markdown] hints="shifted_pmi"
# nudge: How often would word and context meet if the words were shuffled?
#
# idea: `pair_counts.sum(1, keepdims=True)` has one number a row, `.sum(0, keepdims=True)` one a column. Their product over the total is the count that chance would give.
#
# outline: Log of counts over chance counts, minus `np.log(negatives)`. numpy's log of 0 is already `-inf`; `np.errstate(divide="ignore")` silences its warning.

# %% [markdown] model_answer="shifted_pmi"
# `by_chance` is the count that words without any connection would have. The sums keep their axes, so that their product is a table.

# %% [markdown] slide="subslide"
# Check the claim on counts of our text. Take the 40 most frequent words, count their pairs, and add 1 to each count. Then minimise the loss of all pairs together, once with as many dimensions as words and once with only 3.

# %% [markdown] deck="figure"
# minutes: 1.5
#
# say: Measured, on the forty commonest words. Every point is a pair. With forty dimensions the scores lie on the diagonal; with three the vectors must compromise.
#
# ask: Which of the two is word2vec as people use it?
#
# expect: "The diagonal." A hundred dimensions for ten thousand words: it is the compromise.
#
# skip: Leave it out.

# %%
shifted_pmi = or_reference("shifted_pmi", shifted_pmi)


def pair_counts(pairs, most):
    """(most, most): how often each two of the most frequent words are a pair."""
    few = pairs[(pairs < most).all(1)]
    return np.bincount(few[:, 0] * most + few[:, 1], minlength=most**2).reshape(most, most) + 0.0


def best_scores(n, noise, dimension):
    """(V, V): the scores with the smallest loss of all pairs, each with five noise words."""
    torch.manual_seed(0)
    v, u = (0.1 * torch.randn(len(n), dimension, dtype=n.dtype) for _ in range(2))
    optimizer = torch.optim.LBFGS(
        [v.requires_grad_(), u.requires_grad_()], 1, 150, line_search_fn="strong_wolfe"
    )

    def loss():
        optimizer.zero_grad()
        true, false = F.logsigmoid(v @ u.T), F.logsigmoid(-v @ u.T)
        value = -(n * true + 5 * n.sum(1, keepdim=True) * noise * false).sum() / n.sum()
        value.backward()
        return value

    optimizer.step(loss)
    return (v @ u.T).detach().numpy()


few = pair_counts(all_pairs, 40) + 1
target, n = np.asarray(shifted_pmi(few, 5)), torch.from_numpy(few)
scores = {f"{d} dimensions": best_scores(n, n.sum(0) / n.sum(), d) for d in (3, 40)}
figures.optimum(target, scores, negatives=5)

# %% [markdown]
# With enough dimensions the points lie on the diagonal: **nobody asked for PMI, and it came out.** With three dimensions the vectors must compromise.
#
# word2vec is not magic, then: it counts neighbours, and squeezes the counts into few numbers. But squeezing a table is older than such networks. So ask a sceptic's question: **what does the network add to the counts?**
#
# The strongest rival is your own table. Take the pairs that the network had, and their PMI by your `shifted_pmi`. Put 0 in place of what is negative (**positive PMI**). Then keep the 50 main directions of this table: its **singular value decomposition**, SVD. No steps, no rate, no noise words.
#
# A fair rival may choose, too. The network flattens its noise (section 5): so may the counts flatten chance, by the same power. Both may keep every word in place of thinning out. Which variant of a side is best, every second word decides; the others are the test. About 20 s.

# %% [markdown] deck="poll"
# minutes: 1
#
# say: The strongest rival of a network that squeezes counts is the counts themselves, squeezed by linear algebra: positive PMI, then its 50 main directions. Each side has its best variant, chosen on other words.
#
# ask: The poll.
#
# expect: "The network, it learns." By the derivation of a moment ago both squeeze one table.
#
# skip: Vote without reasons.

# %%
SIDES = ["the network", "the counts", "no clear difference"]
predict(
    "adds", "Words of one kind: which side is ahead, each with its best variant?", options=SIDES
)

# %% [markdown] deck="figure"
# ## Words of one kind: the network is behind its best rival
#
# minutes: 2
#
# say: Of the neighbours, how many are of the word's own kind. Blue is the network, orange the counts, fifty numbers each; the best of each side meet, and the counts are 3.4 points ahead (1.4 to 5.5). Green has both side by side: the network adds nothing clear to them. This is one short run; tuned and trained longer, neither is clearly ahead, and both side by side are 1.2 points ahead (0.2 to 2.2).
#
# ask: Which of the two would you take for a text of a billion words?
#
# expect: "The counts, they are better here." The table has a cell for each two words; the network never sees more than a batch.
#
# skip: Compare the best blue bar with the best orange one.

# %% slide="subslide"
most = min(4000, len(words))


def counted(pairs, power=1.0):
    """(most, 50): the main directions of the positive PMI of the most frequent words."""
    n = pair_counts(pairs, most)
    plain, flat = (np.asarray(noise_distribution(n.sum(0), to)) for to in (1.0, power))
    with np.errstate(all="ignore"):
        pmi = np.asarray(shifted_pmi(n, 1)) + np.log(plain / flat)
        positive = np.nan_to_num(np.maximum(pmi, 0))
    torch.manual_seed(0)
    u, s, _ = torch.svd_lowrank(torch.from_numpy(positive).float(), 50, niter=4)
    return u * s


everything = pairs_of(texts, window=1, threshold=1)
tables = {
    "network: plain": network[1],
    "network: all kept": learn(everything, STEPS)[0],
    "counts: plain": counted(pairs[1]),
    "counts: flattened": counted(pairs[1], 0.75),
    "counts: flattened, all kept": counted(everything, 0.75),
}
found = {name: same_kind(table) for name, table in tables.items()}
net, rival = (
    max((name for name in found if side in name), key=lambda name: found[name][::2].mean())
    for side in ("network", "counts")
)
together = [F.normalize(tables[name][:most], dim=1) for name in (net, rival)]
tables["both: side by side"] = torch.cat(together, 1)
test = {name: same_kind(table)[1::2] for name, table in tables.items()}
figures.kinds(test, same_kind(random)[1::2], net, rival)

# %%
from course.results.accuracy import share
from course.results.intervals import Lead


def less(name, other):
    """How far one is ahead of the other, over the test words."""
    return Lead.of(share(test[name] - test[other]))


print(f"network less counts, both plain: {less('network: plain', 'counts: plain')}")
print(f"the best network less the best counts: {less(net, rival)}")
print(f"both side by side less the best counts: {less('both: side by side', rival)}")
alone = less(net, rival).verdict
outcome("adds", {"ahead": SIDES[0], "behind": SIDES[1]}.get(alone, SIDES[2]))

# %% [markdown]
# **The counts are ahead** in Brown, after this short training. (One run of each. In brackets stands the 95 % interval over the test words; *ahead* and *behind*: all of it is on one side of 0.) Against plain counts of its own pairs the network does at least as well. Let the rival choose as the network may, and it is behind. Side by side, it adds nothing clear to the counts.

# %% [markdown] slide="subslide"
# **Is your run too short?** A stored comparison on Brown gives both sides 100 numbers and eight settings each. gensim's skip-gram tries two windows and 5, 10, 20 and 40 rounds; the counts try two windows, a shift and a power of the singular values. Half of the words, or pairs, choose; the other half is the test. *Part of speech*: does a linear classifier name a word's class from its vector? *WordSim-353*: do cosines rank pairs of words as people do? *Both*: side by side, or the sum of both cosines. (Three seeds of the network.)

# %% slide="subslide"
from course.results.stored import stored_result

tuned = stored_result("word2vec_against_counts")
print(tuned)
figures.rivals(tuned.numbers)

# %%
for measure, of in tuned.numbers["measures"].items():
    for name, point in of["less counts"].items():
        print(f"{measure}, {name} less counts: {Lead.of(point)}")

# %% [markdown]
# **Tuned, neither is clearly ahead.** Rounds matter: on the words that choose, gensim with a window of 2 has 83 % after five rounds, its default, and 89 % after twenty. The counts have 89 % at once. On the test words the network is 1.2 points behind (−2.4 to 0.0). Side by side it adds 1.2 points (0.2 to 2.2): something, and little. The 137 pairs of words that are left for the test are too few to tell.
#
# Should that surprise you? By the derivation both squeeze one table. Levy and Goldberg found much the same in 2014: on the similarity of words, SVD of such a table did at least as well as word2vec (their Table 2). Then why word2vec? Here not for what it costs: nearly all of the table's 200 million cells are empty, and its SVD takes seconds. But the table grows with the text. The network holds its vectors and a batch of pairs, whatever it reads.

# %% [markdown] slide="slide"
# ## Recap
#
# - Skip-gram turns the distributional hypothesis into a game: predict the neighbours. The full softmax scores the whole vocabulary for it; negative sampling scores $k + 1$ words.
# - A dynamic window prefers near neighbours. Subsampling thins out frequent words before the window.
# - Noise words come from counts to the power 3/4.
# - The loss pulls the true pair together and pushes noise away, each as strongly as the model is wrong.
# - The scores converge to PMI − log k. Counts are the rival that every claim about word vectors must meet: positive PMI, and its singular value decomposition.
# - **One vector per word.** *bank* has one word embedding, whatever the sentence. That is the next lesson.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss 1
#
# Every word has two vectors, and most people keep only the first table. **What would go wrong with a single table, where the score of a pair is $v_w \cdot v_c$ with the same vectors on both sides?** Think of how often a word is its own neighbour. Three to five sentences.

# %% [markdown] discussion="two_tables" points=2
# **Rubric, 2 points.** 1 for seeing that the score of a word with itself cannot be negative although words rarely neighbour themselves. 1 for the consequence: a conflict between short and long vectors, or the limit to symmetric positive semi-definite score matrices. 0.5 for a vague "words would attract themselves".

# %% [markdown] model_answer="two_tables"
# With one table, the score of a word with itself is $v_w \cdot v_w = \|v_w\|^2$. This number is never negative, and it is large for a long vector. But words hardly ever stand beside themselves: *the the* is rare. So the text wants that score low, which makes vectors short, while other pairs need them long. In general, a single table makes the matrix of scores symmetric and positive semi-definite. The table of best scores (PMI − log k, section 10) is no such matrix: a word that never meets itself has $-\infty$ on the diagonal. Two tables with enough dimensions can give any pair any score, the diagonal included. (GloVe, in lesson 02, adds its two tables, but only after training.)

# %% [markdown] slide="subslide"
# ## Discuss 2
#
# BERT (lesson 12) also trained on *next sentence prediction*: are these two sentences consecutive, or is the second one random? Some explanations call this "negative sampling, moved from words to sentences". **What is alike, and what is not?** Three to five sentences.

# %% [markdown] discussion="sentence_negatives" points=2
# **Rubric, 2 points.** 1 for the common idea (binary decision, real against random partner). 1 for at least two real differences.

# %% [markdown] model_answer="sentence_negatives"
# One thing is alike: a true pair from the text is told from a pair with a random partner, by a yes-or-no decision instead of a softmax over all possible partners. The rest differs. BERT takes one random partner for half of the examples, not k for each, and draws it from the corpus without an exponent. A deep network reads the two sentences together, where word2vec takes a dot product of two vectors. And it is a second task beside the main one, not a substitute for an expensive softmax. BERT's paper never calls it negative sampling: this is an analogy. RoBERTa later found the task unnecessary.

# %% [markdown] slide="slide"
# ## If you have time
#
# Each section stands alone: the paper's formula and the program's, with an exercise (11 minutes); older ways and the professionals (6); *king* and *queen* (6); the bill of the softmax, counted and timed, with an exercise (6).
#
# ## 11. Paper and program
#
# Section 4 used the formula of the authors' program. fastText took it over, and so did gensim, a much-used library. The paper prints another one. It **discards** an occurrence with probability $1 - \sqrt{t/f}$ (2013b, equation 5). So it keeps it with
#
# $$P_\text{paper}(\text{keep}) = \min\left(1, \sqrt{t/f}\right)$$
#
# The program keeps a little more:
#
# $$P_\text{code}(\text{keep}) = \min\left(1, \sqrt{t/f} + t/f\right)$$

# %% [markdown] exercise="keep_probability"
# ### Exercise 11. Subsampling, as printed and as programmed
#
# Write `keep_probability(frequency, threshold, formula)`. `frequency` is an array of relative frequencies $f$, `threshold` is $t$, `formula` is `"paper"` or `"code"`. Return the probabilities as an array or a tensor, not a list.


# %% exercise="keep_probability"
def keep_probability(frequency, threshold, formula="code"):
    """Probability that an occurrence is kept; `formula` is "paper" or "code"."""
    ### BEGIN SOLUTION
    ratio = threshold / frequency
    keep = np.sqrt(ratio)
    if formula == "code":
        keep = keep + ratio
    return np.minimum(keep, 1.0)
    ### END SOLUTION


# %% check="keep_probability"
check("keep_probability", keep_probability)

# %% [markdown] hints="keep_probability"
# nudge: The paper prints the probability to *discard*. You need the other one. And what may a probability never be?
#
# idea: Both formulas start with the square root of `threshold / frequency`. The code adds the ratio itself to it.
#
# outline: Compute the ratio. Take its root. For `"code"` add the ratio. Cut off at 1 with `np.minimum`.

# %% [markdown] model_answer="keep_probability"
# Both formulas exceed 1 for rare words, so the last line cuts them off there.

# %% slide="subslide"
keep_probability = or_reference("keep_probability", keep_probability)
some = [word for word in ("the", "in", "has", "school") if word in number]
figures.kept(keep_probability, {word: counts[number[word]] / counts.sum() for word in some})

# %% [markdown]
# ### Myth or measured?
#
# > *"word2vec discards a frequent word with probability 1 − √(t/f)."*
#
# So say the paper and most explanations of it. gensim stores the probability that it really uses for every word.

# %%
from gensim.models import Word2Vec

model = Word2Vec(min_count=5, sample=1e-3)
model.build_vocab(sentences)
for word in some:
    share_of = np.array([counts[number[word]] / counts.sum()])
    paper, code = (float(keep_probability(share_of, 1e-3, way)[0]) for way in ("paper", "code"))
    gensim = min(1, model.wv.get_vecattr(word, "sample_int") / 2**32)
    print(f"{word:>7}: paper {paper:.3f}, code {code:.3f}, gensim {gensim:.3f}")

# %% [markdown]
# **Measured: gensim follows the other formula.** That one keeps more of the frequent words, and it does not touch words up to $f = 2.618\,t$. The paper's formula starts at $f = t$. The default threshold differs as well: about 1e-5 in the paper, 1e-3 in the authors' program and in gensim.

# %% [markdown]
# One more difference. Section 10 drew noise from the plain counts, and in practice it is drawn with the power 3/4. Should chance then be computed from *flattened* context counts, to the power 3/4? Which target do the scores follow?

# %%
flat = n.sum(0) ** 0.75 / (n.sum(0) ** 0.75).sum()
practice = best_scores(n, flat, 40)
flattened = torch.log(n / (5 * n.sum(1, keepdim=True) * flat)).numpy()
for name, wanted in {"PMI - log k": target, "PMI with flattened counts": flattened}.items():
    print(f"mean distance from {name}: {np.abs(practice - wanted).mean():.3f}")

# %% [markdown]
# They follow the flattened counts.

# %% [markdown] slide="slide"
# ## 12. Older ways, and the professionals
#
# Two older ways around the bill deserve a word.
#
# - **Hierarchical softmax** (2013a, and 2013b equation 3): put the words at the leaves of a binary tree. A probability becomes a product of left-or-right decisions on the way down. In a Huffman tree frequent words hang near the root, so the average path is short, at most about $\log_2 V$.
# - **Noise-contrastive estimation, NCE** (Gutmann and Hyvärinen; Mnih and Teh for language models): learn to tell data from noise, using the noise *probabilities* too. It approximately maximises the softmax log-probability.
#
# Negative sampling **simplifies NCE**: it drops the noise probabilities. It no longer estimates the softmax, and it need not, because we want vectors and not exact probabilities. It did not make the others disappear: on analogies between phrases, with subsampling, hierarchical softmax did best in 2013b (Table 3: 47 % right, against 42 % with 15 noise words).

# %% [markdown]
# The sister CBOW averages the vectors of the neighbours and predicts the centre from the average. The loss is the one that you wrote: the average takes the place of `center`.
#
# **gensim** trains word2vec fast, in one line. Give it your text and your settings, and two rounds (about 10 s).

# %%
from elmo_mini.progress import WithProgress

again = WithProgress(sentences, "gensim")
model = Word2Vec(again, sg=1, vector_size=50, window=5, alpha=0.05, epochs=2, seed=1, workers=1)
gensims = torch.from_numpy(np.stack([model.wv[word] for word in words]))
for word in my_words:
    print(f"{word}, yours:  {near(vectors, word)}\n{word}, gensim: {near(gensims, word)}")

# %% [markdown]
# How much of this is chance? A stored comparison trains gensim with five seeds, and asks for the ten nearest neighbours of each word.

# %%
compared = stored_result("word2vec_against_gensim").numbers["results"]
skip_gram, cbow = (compared[way]["ways"] for way in ("skip-gram", "CBOW"))
print(f"gensim with itself, another seed: {skip_gram['gensim']['overlap']['mean']:.0%} in common")
speed = [way["gensim"]["words per second, clock"]["mean"] for way in (skip_gram, cbow)]
print(f"gensim's CBOW reads {speed[1] / speed[0]:.1f} times as many words a second as skip-gram")
fast = skip_gram["ours"]["times as fast, processor"]
print("the package's trainer, times as fast: {mean:.1f} ({low:.1f} to {high:.1f})".format(**fast))

# %% [markdown]
# With another seed, half of a word's neighbours are others. On a million words, read a list of neighbours with that in mind. CBOW makes one prediction a window, where skip-gram makes one a pair; but it still has to gather and change the vectors of all the neighbours, so it gains less time than that. And the package's trainer has one trick more than you: all pairs of a stretch of text share their noise words, and the work becomes a few matrix products.

# %% [markdown]
# word2vec is often called *a linear language model*. It is log-bilinear: the score is linear in each of two vectors. It is no language model in the sense of lesson 03. It never gives a probability to a sequence, and with negative sampling not even to a word.

# %% [markdown] slide="slide"
# ## 13. King and queen
#
# ### Myth or measured?
#
# > *"Subtract 'man' from 'king', add 'woman', and you land on 'queen'."*
#
# Chinese explanations say 皇帝 − 皇后 = 男 − 女: emperor minus empress is man minus woman. (They leave aside Wu Zetian, a woman who was emperor.) Ask **your** vectors. The sum is one more row of the table, so your `nearest` can answer. Beside it stands the plainest control: the neighbours of *king* alone and of *woman* alone, without any arithmetic.

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: The best-known claim about word vectors: king minus man plus woman lands on queen. Ask our vectors, with no word forbidden.
#
# ask: The poll.
#
# expect: "The right word, everybody shows it." One case proves nothing, either way. The next slide has many.
#
# skip: Show of hands for A.

# %%
LANDING = ["the right word", "a word of the question", "another word"]
predict("queen", "On your vectors, what lies nearest to king − man + woman?", options=LANDING)

# %%
four = ("man", "king", "woman", "queen")  # the first to the second as the third to the fourth
four = four if all(word in number for word in four) else ("he", "his", "she", "her")
a, b, c = (F.normalize(vectors[number[word]], dim=0) for word in four[:3])
often, landed = vectors[:most], {}
for name, point in {"the sum": b - a + c, f"{four[1]} alone": b, f"{four[2]} alone": c}.items():
    landed[name] = [words[i] for i in nearest(torch.cat([often, point[None]]), len(often), 6)]
    print(f"{name:>11}: {', '.join(landed[name])}")
first = landed["the sum"][0]
outcome("queen", LANDING[0 if first == four[3] else 1 if first in four else 2])

# %% [markdown]
# One case proves nothing, either way. The authors of word2vec published a list of questions, *a is to b as c is to what?* Take those whose four words are among the 4,000 most frequent here. Most of them ask for word forms (*big, bigger, small, smaller*), the others for facts. The last bar of each group is the control again: no arithmetic, just the nearest neighbour of $c$ that is not in the question. A second control has no network: the best counts of section 10.

# %% [markdown] deck="figure"
# minutes: 2
#
# say: The authors' own list of questions. What lies nearest is far more often a word of the question than the right one. Published scores forbid those words. The last bar is the control: no arithmetic, just the neighbour of the third word. For facts neither of the two is clearly ahead. For word forms the arithmetic does add something, and most on the counts: it is no feat of the network.
#
# ask: Which bar do published scores report?
#
# expect: "The right word." The right word with the rest forbidden.
#
# skip: Say the title.

# %% slide="subslide"
from course.word2vec import analogies

listed, sections = analogies.questions(words[:most])
print(f"{sections['family']} of the {len(listed['facts'])} facts are about the family.")
near_by = {"your vectors": vectors, "counts": tables[rival]}
came = {
    name: analogies.answers(F.normalize(table[:most], dim=1).numpy(), listed)
    for name, table in near_by.items()
}
analogies.picture(came)

# %%
print("the arithmetic (words of the question forbidden) less no arithmetic:")
for name, by_kind in came.items():
    for sort, by_way in by_kind.items():
        print(f"{name}, {sort}: {analogies.lead_of_arithmetic(by_way)}")

# %% [markdown]
# **Measured: half a myth.** What lies nearest is often a word of the question, else mostly one that fits nothing, and seldom the right one. (A sum of three vectors lies between words. After a training as short as ours, what else lies there is chance: hence landings like those above.) Published scores forbid those words.
#
# Then, in Brown, it depends on what is asked. For *facts* the neighbour of $c$ alone gives as many, without any arithmetic. (Most of these facts are about the family: *he* and *she*, *brother* and *sister*. The printed line counts them.) For *word forms* the arithmetic adds a clear difference, and most of all on the **counts**. So it is no feat of the network: the table has it, too. The authors trained on a billion words, and skip-gram with negative sampling got 59 to 61 % of the full list right, with the words of the question forbidden (2013b, Table 1). Ask what the two controls would get there. (Nor is the rule for facts a law: in the stored comparison, counts with a window of 5 gain 14 points from the arithmetic, 5 to 24. The tuned networks gain none, and one loses 15.)

# %% [markdown] slide="slide"
# ## 14. The bill of the softmax
#
# How much does negative sampling save?

# %% [markdown] exercise="softmax_cost"
# ### Exercise 12. The cost of the full softmax
#
# One score is a dot product: $D$ multiplications. Write `softmax_cost(vocabulary_size, dimension, negatives)`. It returns two whole numbers: the multiplications that score one pair with the **full softmax**, and with negative sampling, which scores the true context word and `negatives` noise words.


# %% exercise="softmax_cost"
def softmax_cost(vocabulary_size, dimension, negatives):
    """(multiplications of the full softmax, multiplications of negative sampling)."""
    ### BEGIN SOLUTION
    return vocabulary_size * dimension, (negatives + 1) * dimension
    ### END SOLUTION


# %% check="softmax_cost"
check("softmax_cost", softmax_cost)

# %% [markdown] hints="softmax_cost"
# nudge: How many words get a score in each game? And what does one score cost?
#
# idea: The full softmax scores all `vocabulary_size` words. Negative sampling scores `negatives` words and one more.
#
# outline: Multiply each number of scores by `dimension` and return both, full softmax first.

# %% [markdown] model_answer="softmax_cost"
# Each score costs $D$ multiplications. The full softmax scores every word. Negative sampling scores the noise words and the true one, hence the `+ 1`.

# %% [markdown]
# Now the clock: the vocabulary of our text, 100 dimensions, 5 noise words. How many times slower will one training step on 128 pairs be with the full softmax? Type your guess and press *Record*.

# %%
predict("softmax_ratio", "How many times slower is a step with the full softmax?", unit="x")

# %% slide="subslide"
from course.word2vec import softmax_cost as bill

softmax_cost = or_reference("softmax_cost", softmax_cost)
full, sampled = softmax_cost(len(words), 100, 5)
print(f"Counted: {full / sampled:,.0f} times the multiplications for {len(words):,} words.")
one = bill.one_pair_of_many(len(words))
print(f"With negative sampling, a step on 1 pair takes {one:.0%} of the time of one on 128.")
outcome("softmax_ratio", bill.times_slower(len(words)), unit="x")

# %% [markdown]
# The clock shows a smaller factor than the count. One reason is printed: much of a short step is a fixed price, whatever its size. Another is likely: the full softmax is one large matrix product, the thing that processors do best, while negative sampling gathers scattered rows. Count first, then measure.

# %% [markdown] deck="words"
# ## What to take home
#
# - Predict the neighbours, and similar words need similar vectors.
# - Negative sampling turns six cards in place of all.
# - Pull the true pair, push the noise, each as strongly as the model is wrong.
# - **Ask for a rival:** counts of the same text, squeezed.
# - **One vector a word:** *bank* has one, whatever the sentence.
#
# minutes: 1
#
# say: A line each. At home: exercises 4 to 10. Next time: what a static vector cannot do.
#
# ask: In which sentence does *bank* need another vector?
#
# expect: "It has one for each meaning." It has one for all of them: that is the next lesson.
#
# skip: Keep this one.

# %% [markdown]
# ## Further reading
#
# - 2013b, sections 2.2 and 2.3: the loss, the noise and the subsampling, on two pages.
# - Levy and Goldberg 2014, section 3: the derivation of PMI − log k.
# - Ji and others 2016, *Parallelizing Word2Vec in Shared and Distributed Memory* (arXiv:1604.04661): shared noise words and matrix products.
# - In the package: `elmo_mini/models/skip_gram.py` has the functions of this lesson, `elmo_mini/word_vectors/word2vec_trainer.py` the fast trainer.
#
# Next: **02 · what a static vector cannot do.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Why is the original program's loop the other way round?* word2vec.c and gensim let the context word's input vector predict the centre word; over the corpus that is the same set of pairs up to window effects. *Why no bias?* The noise shift log k and the word frequencies are absorbed by the two tables. *Why do my neighbours differ from my neighbour's?* Seeds and the order of updates; on a small text the neighbours of rare words are mostly noise. *Poll before section 10:* "The score v · v' after training is: a cosine, a probability, a log-ratio?" It is the log-ratio.
