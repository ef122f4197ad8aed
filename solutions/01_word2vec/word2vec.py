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
# # 01 · word2vec with negative sampling
#
# A word is known by its neighbours. In 2013 that old idea became a program that learns from billions of words on one machine. Here you write it, step by step, and train it on real text.

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("01")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - say why the softmax over a vocabulary is expensive, and what negative sampling does instead,
# - turn text into training pairs, with a dynamic window and subsampling,
# - write the loss of skip-gram with negative sampling so that it survives large scores, and its gradient by hand,
# - train word vectors with your own step, and hold them against gensim's,
# - say what the scores converge to.
#
# ## The papers
#
# - **2013a**: Mikolov, Chen, Corrado and Dean, *Efficient Estimation of Word Representations in Vector Space*, arXiv:1301.3781. Skip-gram and CBOW, section 3.
# - **2013b**: Mikolov, Sutskever, Chen, Corrado and Dean, *Distributed Representations of Words and Phrases and their Compositionality*, NIPS 2013 (arXiv:1310.4546). Negative sampling and subsampling, section 2.
# - **2014**: Levy and Goldberg, [*Neural Word Embedding as Implicit Matrix Factorization*](https://papers.nips.cc/paper/2014/hash/feab05aa91085b7a8012516bc3533958-Abstract.html), NIPS 2014. What it all converges to, section 3.
#
# The lesson takes about two and a half hours with everything in it. Short of time? Exercises 1, 5, 6 and 7 are the spine, and the lesson goes on without the others.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $V$ | words in the vocabulary | $v_w$ | the input vector of the word $w$ |
# | $D$ | dimensions of a vector | $v'_w$ | its output vector |
# | $B$ | pairs in a batch | $w_I, w_O$ | the centre word (in) and a context word (out) |
# | $k$ or $K$ | noise words for each pair | $\sigma$ | the sigmoid function |
# | $C$ | the window | $\log$ | the natural logarithm |

# %% [markdown] instructor=true
# **Instructor.** Timing for 90 minutes: sections 1 and 2 together, 15 minutes; exercise 2 and 3 in pairs, 25; section 5 to 7 are the heart, 35; comparison and optimum, 15. For 45 minutes: show exercises 1 to 4 solved, let them do 5, 6 and 7. The exercise on the gradient is where students get stuck: have one pair with one negative on the board first.

# %%
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from autograde import calibration, check, or_reference, outcome, predict
from elmo_mini import corpora
from elmo_mini.progress import WithProgress, progress_bar
from elmo_mini.text.vocabulary import Vocabulary

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

text = corpora.course_text()
sentences = list(progress_bar(text.sentences(lower=True), "reading", unit=" sentences"))
vocabulary = Vocabulary.from_sentences(sentences, min_count=5)
print(f"{len(sentences):,} sentences. {len(vocabulary):,} words occur at least five times.")

# %% [markdown] slide="slide"
# ## 1. A word and its company
#
# Think of a party where you know nobody. Who stands beside whom tells you a lot: the two who are always with the surgeons are probably doctors too. Words are like that. Here is the company of *school*: the words within two places of it, without the 150 most frequent words of the text, which are everybody's company.

# %%
WORD = "school"  # change it (lower case) and run the cell again
everywhere = set(vocabulary.words[:150])


def company_of(word):
    """How often each other word stands within two places of `word`."""
    company = Counter()
    for sentence in sentences:
        for place, token in enumerate(sentence):
            if token == word:
                near = sentence[max(0, place - 2) : place] + sentence[place + 1 : place + 3]
                company.update(other for other in near if other not in everywhere)
    return company


top = company_of(WORD).most_common(10) or [(f"{WORD} does not occur", 0)]
plots.bars(
    [word for word, _ in top],
    {"times": [count for _, count in top]},
    title=f"The company of '{WORD}'",
    ylabel="occurrences within two places",
)

# %% [markdown]
# Do words of one kind keep similar company? Compare the counts of two words by the **cosine** between them: 1 when they have the same proportions, 0 when they have no company in common.

# %%
COUPLES = [("three", "four"), ("three", "school"), ("he", "she"), ("he", "four")]


def cosine_of_company(one, other):
    """Cosine between the company counts of two words."""
    first, second = company_of(one), company_of(other)
    lengths = [sum(n * n for n in counts.values()) ** 0.5 for counts in (first, second)]
    return sum(n * second[word] for word, n in first.items()) / max(1.0, lengths[0] * lengths[1])


plots.bars(
    [f"{one}, {other}" for one, other in COUPLES],
    {"cosine": [cosine_of_company(one, other) for one, other in COUPLES]},
    title="How similar is the company of two words?",
    ylabel="cosine of the counts",
)

# %% [markdown] slide="subslide"
# Words of one kind keep more similar company.
#
# So give each word a list of numbers, its **vector**, and ask one thing of it: *predict the neighbours*. Words with similar neighbours will need similar vectors. Nobody tells them what they mean.
#
# That is **skip-gram**. For a text $w_1 \dots w_T$ it raises the average log-probability of the words around each word (2013b, equation 1):
#
# $$\frac{1}{T}\sum_{t=1}^{T}\;\sum_{-c \le j \le c,\; j \ne 0} \log p(w_{t+j} \mid w_t)$$
#
# Its sister **CBOW** turns the question round: it predicts the middle word from the average of its neighbours. We meet it again in section 9.
#
# Every word has *two* vectors here: $v_w$ when it is the centre (its input vector) and $v'_w$ when it is the context (its output vector). The first definition of the probability is a softmax over the whole vocabulary (equation 2):
#
# $$p(w_O \mid w_I) = \frac{\exp(v'_{w_O} \cdot v_{w_I})}{\sum_{w=1}^{V} \exp(v'_{w} \cdot v_{w_I})}$$
#
# The vectors live in a space with a fixed number of dimensions $D$, far fewer than there are words. The words are *embedded* in it: hence "word embedding".

# %% [markdown] slide="slide"
# ## 2. The bill of the softmax
#
# Ten thousand cards lie face down, each with a number. To find the largest you must turn every one. The sum under the fraction is like that: it needs **all** words, for **every** pair, at every step.
#
# Now another game. Somebody puts the right card among five drawn at random and asks: which one is it? Six cards to turn. You learn less from one round, but you can play many rounds in the time of one. That is negative sampling.

# %% [markdown] exercise="softmax_cost"
# ### Exercise 1. The cost of the full softmax
#
# One score is a dot product: $D$ multiplications. Write `softmax_cost(vocabulary_size, dimension, negatives)`. It returns two whole numbers: the multiplications that score one pair with the **full softmax**, and with **negative sampling**, which scores the true context word and `negatives` noise words.


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
# Counting is one thing, a clock another. Take the vocabulary of our text, 100 dimensions and 5 noise words. How many times slower will one training step on 128 pairs be with the full softmax? Type your guess and press *Record*. (No form? Write it into the call: `predict(..., guess=20)`.)

# %%
predict(
    "softmax_ratio",
    f"How many times slower is the full softmax, with {len(vocabulary):,} words?",
    unit="x",
)

# %% slide="subslide"
from elmo_mini.word_vectors.word2vec import full_softmax_loss
from elmo_mini.word_vectors.word2vec import sgns_loss as reference_loss


def seconds_per_step(vocabulary_size, full, pairs=128, dimension=100, negatives=5, repeats=9):
    """Median time of loss and gradient for a batch of pairs."""
    table = torch.randn(vocabulary_size, dimension, requires_grad=True)
    centers = torch.randn(pairs, dimension, requires_grad=True)
    targets = torch.randint(vocabulary_size, (pairs,))
    noise = torch.randint(vocabulary_size, (pairs, negatives))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        if full:
            full_softmax_loss(centers, table, targets).backward()
        else:  # the rows are taken out first, so that only they get a gradient
            rows = [table.detach()[ids].requires_grad_() for ids in (targets, noise)]
            reference_loss(centers, *rows).backward()
        times.append(time.perf_counter() - start)
    return float(np.median(times[1:]))  # the first step warms up


sizes = [1_000, 3_000, 10_000, 30_000]
clock = {
    name: [seconds_per_step(size, name == "full softmax") for size in sizes]
    for name in ("full softmax", "negative sampling")
}
plots.curves(
    sizes,
    {name: 1000 * np.array(values) for name, values in clock.items()},
    title="One training step on 128 pairs, measured here",
    xlabel="words in the vocabulary",
    ylabel="milliseconds",
    log_x=True,
    log_y=True,
)

# %%
softmax_cost = or_reference("softmax_cost", softmax_cost)
counted, sampled = softmax_cost(len(vocabulary), 100, 5)
measured = seconds_per_step(len(vocabulary), True) / seconds_per_step(len(vocabulary), False)
print(f"Counted: {counted / sampled:,.0f} times the multiplications for {len(vocabulary):,} words.")
outcome("softmax_ratio", measured, unit="x")

# %% [markdown]
# The clock shows a smaller factor than the count, for two reasons. Every step has a fixed price, whatever its size: calls, bookkeeping, small tensors. Negative sampling has little else to pay. And the full softmax is one large matrix product, the thing that processors do best, while negative sampling gathers scattered rows. Count first, then measure.
#
# Two older ways around the bill deserve their place.
#
# - **Hierarchical softmax** (2013a, and 2013b equation 3): put the words at the leaves of a binary tree. A probability becomes a product of left-or-right decisions on the way down. In a Huffman tree frequent words hang near the root, so that the average way is short, at most about $\log_2 V$.
# - **Noise-contrastive estimation, NCE** (Gutmann and Hyvärinen; Mnih and Teh for language models): learn to tell data from noise, using the noise *probabilities* too. It approximately maximises the softmax log-probability.
#
# Negative sampling **simplifies NCE**: it drops the noise probabilities. It no longer estimates the softmax, and it need not, because we want vectors and not exact probabilities. It did not make the others disappear: on analogies between phrases, with subsampling, hierarchical softmax did best in 2013b (Table 3: 47 % right, against 42 % with 15 noise words).

# %% slide="subslide"
import heapq


def huffman_lengths(counts):
    """Length of every word's path in the Huffman tree."""
    heap = [(int(count), [word]) for word, count in enumerate(counts)]
    heapq.heapify(heap)
    length = np.zeros(len(counts))
    while len(heap) > 1:
        (a, left), (b, right) = heapq.heappop(heap), heapq.heappop(heap)
        length[left] += 1
        length[right] += 1
        heapq.heappush(heap, (a + b, left + right))
    return length


average_path = float(huffman_lengths(vocabulary.counts) @ vocabulary.frequencies)
plots.bars(
    ["full softmax", "hierarchical", "5 negatives"],
    {"scores": [len(vocabulary), average_path, 6]},
    title="Scores that one training pair needs, in our vocabulary",
    ylabel="scores (logarithmic)",
    log_y=True,
)

# %%
print(
    f"log2 of {len(vocabulary):,} words is {np.log2(len(vocabulary)):.1f}. The average Huffman path has"
)
print(f"{average_path:.1f} decisions, because the words that are needed often hang high.")

# %% [markdown] slide="slide"
# ## 3. Pairs from a window
#
# A training example is a pair: a **centre** word and one **context** word near it. How near? The paper draws the answer at random. For each centre, a reach $R$ between 1 and the window $C$; every word at most $R$ places away is a context (2013a, section 3.2). A direct neighbour is always taken, the farthest one rarely.

# %% [markdown] exercise="dynamic_window_pairs"
# ### Exercise 2. Pairs from a dynamic window
#
# Write `dynamic_window_pairs(tokens, window, rng)`. It returns a list of pairs `(center, context)` of tokens.
#
# Use `rng.integers(low, high)` for the reach, once for every centre word. Draw from this `rng` alone: the same seed must give the same pairs. The window ends where the sentence ends. A word is no context of itself; but the *same word at another place* is one.


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
# nudge: Walk over the places of the sentence. At each place, how far do you look this time, and to which sides?
#
# idea: `rng.integers(low, high)` never returns `high`. For 1 to `window` you need `rng.integers(1, window + 1)`, inside the loop over centres. Compare places, not words, when you skip the centre.
#
# outline: For each `place`: draw `reach`; for `other` from `max(0, place - reach)` to `min(len(tokens), place + reach + 1)`: if `other` is not `place`, append `(tokens[place], tokens[other])`. Return the list.

# %% [markdown] model_answer="dynamic_window_pairs"
# The reach is drawn inside the loop, once for every centre. `max` and `min` keep the window inside the sentence. Places are compared, not words, so a repeated word stays a context.

# %% slide="subslide"
dynamic_window_pairs = or_reference("dynamic_window_pairs", dynamic_window_pairs)

rng = np.random.default_rng(1)
distances = Counter(
    abs(a - b) for _ in range(300) for a, b in dynamic_window_pairs(list(range(100)), 5, rng)
)
share = [distances[d] / (300 * 2 * (100 - d)) for d in range(1, 6)]
plots.bars(
    [f"distance {d}" for d in range(1, 6)],
    {"drawn": share, "(6 - distance) / 5": [(6 - d) / 5 for d in range(1, 6)]},
    title="A dynamic window of 5 prefers near neighbours",
    ylabel="share of pairs kept",
)

# %% [markdown]
# The reach is uniform, so a neighbour at distance $d$ is kept with probability $(C - d + 1)/C$. The random window is a cheap way to weight pairs by nearness.

# %% [markdown] slide="slide"
# ## 4. Too much of *the*
#
# You saw in lesson 00 that a few words fill half of the text. A pair with *the* teaches almost nothing: everything stands near *the*. So some of its occurrences are thrown away **before** the windows are cut. The remaining words move closer together, and the windows reach further.
#
# With $f$ the relative frequency of a word and $t$ a threshold, the paper discards an occurrence with probability $1 - \sqrt{t/f}$ (2013b, equation 5). So it **keeps** it with
#
# $$P_\text{paper}(\text{keep}) = \min\left(1, \sqrt{t/f}\right)$$
#
# The authors' own program, and gensim and fastText after it, keeps a little more:
#
# $$P_\text{code}(\text{keep}) = \min\left(1, \sqrt{t/f} + t/f\right)$$

# %% [markdown] exercise="keep_probability"
# ### Exercise 3. Subsampling, as printed and as programmed
#
# Write `keep_probability(frequency, threshold, formula)`. `frequency` is an array, `formula` is `"paper"` or `"code"`. Return an array of probabilities (an array or a tensor, no list).


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

frequency = np.logspace(-6, -1, 120)
marked = {
    word: vocabulary.frequencies[vocabulary.id(word)]
    for word in ("the", "in", "has", "school")
    if word in vocabulary
}
plots.curves(
    frequency,
    {
        f"{name}, t = {t:g}": keep_probability(frequency, t, name)
        for t in (1e-3, 1e-5)
        for name in ("paper", "code")
    },
    title="How much of a word survives subsampling",
    xlabel="relative frequency of the word",
    ylabel="probability to keep an occurrence",
    log_x=True,
    marks=marked,
)

# %% [markdown]
# ### Myth or measured?
#
# > *"word2vec discards a frequent word with probability 1 − √(t/f)."*
#
# So say the paper and most explanations of it. Ask gensim: it stores the chance that it really uses for every word.

# %%
from gensim.models import Word2Vec as GensimWord2Vec

asked = GensimWord2Vec(min_count=5, sample=1e-3)
asked.build_vocab(sentences)
for word in ("the", "in", "has", "school"):
    if word in vocabulary:
        share = vocabulary.frequencies[[vocabulary.id(word)]]
        gensim_keeps = asked.wv.get_vecattr(word, "sample_int") / 2**32
        print(
            f"{word:>7}: paper {keep_probability(share, 1e-3, 'paper')[0]:.3f}, "
            f"code {keep_probability(share, 1e-3, 'code')[0]:.3f}, gensim {gensim_keeps:.3f}"
        )

# %% [markdown]
# **Measured: the program follows the other formula.** It keeps more of the frequent words, and it does not touch words up to $f = 2.618\,t$, while the paper's formula starts at $f = t$. The default threshold differs as well: about 1e-5 in the paper, 1e-3 in the authors' program and in gensim.

# %%
predict("survivors", "Which percentage of all tokens survives (code, t = 0.001)?", unit="%")

# %%
chances = np.asarray(keep_probability(vocabulary.frequencies, 1e-3, "code"))
outcome("survivors", 100 * float(vocabulary.frequencies @ chances), unit="%")

# %% [markdown] slide="slide"
# ## 5. Noise
#
# Negative sampling needs wrong answers: **noise words**. From where? Drawn evenly, most would be rare words, and those are easy to tell from a true context. Drawn by frequency, *the* would be the wrong answer all the time. The paper takes the middle: counts to the power 3/4, which did better in its experiments than either (2013b, section 2.2):
#
# $$P_n(w) = \frac{\text{count}(w)^{3/4}}{\sum_{w'} \text{count}(w')^{3/4}}$$

# %% [markdown] exercise="noise_distribution"
# ### Exercise 4. The noise distribution
#
# Write `noise_distribution(counts, power)`. Return an array of probabilities (an array or a tensor, no list).


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
# outline: `weights = counts ** power`, then `weights / weights.sum()`.

# %% [markdown] model_answer="noise_distribution"
# The power comes before the division. In the other order the result would no longer add up to 1.

# %% slide="subslide"
noise_distribution = or_reference("noise_distribution", noise_distribution)

rank = np.unique(np.geomspace(1, len(vocabulary), 60).astype(int)) - 1
plots.curves(
    rank + 1,
    {
        name: noise_distribution(vocabulary.counts, power)[rank]
        for name, power in (
            ("power 1: as in the text", 1.0),
            ("power 3/4: word2vec", 0.75),
            ("power 1/2: fastText", 0.5),
            ("power 0: all alike", 0.0),
        )
    },
    title="Where the noise words come from",
    xlabel="rank of the word",
    ylabel="probability to be drawn",
    log_x=True,
    log_y=True,
)

# %% [markdown]
# The smaller the power, the flatter the line: frequent words lose, rare words gain. fastText, a later program with Mikolov among its authors, uses 1/2; lesson 02 comes to it.

# %% [markdown] slide="slide"
# ## 6. The loss
#
# Now the heart. A pair has a score, the dot product $x = v' \cdot v$. The **sigmoid** $\sigma(x) = 1/(1 + e^{-x})$ turns it into a number between 0 and 1: *how sure are we that this pair comes from the text?* For the true pair it should be near 1, for each of the $k$ noise words near 0 (2013b, equation 4):
#
# $$\log \sigma(v'_{w_O} \cdot v_{w_I}) \;+\; \sum_{i=1}^{k} \mathbb{E}_{w_i \sim P_n} \left[\log \sigma(-v'_{w_i} \cdot v_{w_I})\right]$$
#
# ($\mathbb{E}_{w_i \sim P_n}$ is the average over noise words drawn from $P_n$.) This should be **large**. The loss is its negative, averaged over the pairs of a batch, with $k$ drawn noise words in place of that average.

# %%
predict("first_loss", "All scores start at 0. What is the loss of one pair with 5 noise words?")

# %% [markdown] exercise="sgns_loss"
# ### Exercise 5. The loss of skip-gram with negative sampling
#
# Write `sgns_loss(center, context, negatives)` for tensors:
#
# - `center`, shape (B, D): the input vectors of the centre words,
# - `context`, shape (B, D): the output vectors of the true context words,
# - `negatives`, shape (B, K, D): the output vectors of the noise words.
#
# Return the **mean** over the B pairs, as a tensor. It must stay right for scores of a thousand: there a computer's $\sigma$ is exactly 0 and $\log 0$ is $-\infty$. `F.logsigmoid` computes $\log \sigma$ in one go and never meets that 0.

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
# outline: `positive` (B,), `negative` (B, K). Per pair: `F.logsigmoid(positive)` plus the sum over K of `F.logsigmoid(-negative)`. Mean over the batch, minus in front.

# %% [markdown] model_answer="sgns_loss"
# `F.logsigmoid` of the negated score takes the place of $\log(1 - \sigma)$, which is $\log 0$ for a large score. Noise terms are added up over K; only the pairs are averaged.

# %%
sgns_loss = or_reference("sgns_loss", sgns_loss)
untrained = sgns_loss(torch.zeros(1, 10), torch.ones(1, 10), torch.ones(1, 5, 10))
outcome("first_loss", float(untrained), factor=1.1)

# %% [markdown]
# Six fair coins: $6 \log 2 \approx 4.16$. Remember the number. A loss that stays there has learnt nothing.

# %% slide="subslide"
scores = torch.linspace(-120, 20, 281)
plots.curves(
    scores.numpy(),
    {
        "-F.logsigmoid(x)": -F.logsigmoid(scores).numpy(),
        "-log(sigmoid(x))": np.minimum(-torch.log(torch.sigmoid(scores)).numpy(), 130),
    },
    title="The loss of the true pair (infinity is drawn at 130)",
    xlabel="score of the true pair",
    ylabel="loss",
)

# %% [markdown]
# The curve is also a picture of learning. Far on the right the pair is believed and its slope is 0: nothing more to do. On the left the slope is $-1$: pull, with full strength.

# %% [markdown] slide="slide"
# ## 7. The gradient by hand
#
# Autograd could do this. Do it once yourself: the result is short, and it shows what each vector feels.
#
# Call the loss of one pair $\ell$. One fact is enough: the derivative of $-\log\sigma(x)$ is $\sigma(x) - 1$, and that of $-\log\sigma(-x)$ is $\sigma(x)$. Both are **prediction minus target**: the target is 1 for the true word and 0 for a noise word. Call them *errors*:
#
# $$e_O = \sigma(v'_{w_O}\cdot v) - 1, \qquad e_i = \sigma(v'_{w_i}\cdot v)$$
#
# A score is a dot product, so its derivative for one vector is the other vector. The chain rule does the rest:
#
# $$\frac{\partial \ell}{\partial v} = e_O\, v'_{w_O} + \sum_{i} e_i\, v'_{w_i}, \qquad \frac{\partial \ell}{\partial v'_{w_O}} = e_O\, v, \qquad \frac{\partial \ell}{\partial v'_{w_i}} = e_i\, v$$
#
# Read it aloud. *The centre is pulled towards the true word and pushed away from the noise words, each as strongly as the model is wrong about it.*

# %% [markdown] exercise="sgns_gradients"
# ### Exercise 6. The gradient by hand
#
# Write `sgns_gradients(center, context, negatives)`, with the shapes of exercise 5. Return three tensors (no NumPy: the next exercise adds them to tables of tensors): the gradients for `center` (B, D), `context` (B, D) and `negatives` (B, K, D).
#
# Each pair keeps the gradient of **its own** loss: do not divide by B. word2vec takes a whole step for every pair. (Autograd would pass the check. Do it by hand all the same: section 10 needs what you see here.)


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
# nudge: Write down one pair with one noise word first. Which three vectors meet, and in which two dot products?
#
# idea: Two errors: `torch.sigmoid(positive) - 1` and `torch.sigmoid(negative)`. Give them a last axis of length 1, (B, 1) and (B, K, 1), so that they multiply whole vectors.
#
# outline: center: error of the true word times `context`, plus the sum over K of error times noise vector. context: error of the true word times `center`. negatives: error times `center.unsqueeze(1)`. No division by B.

# %% [markdown] model_answer="sgns_gradients"
# Each error is prediction minus target, and it scales the vector that was met. The last axis of length 1 lets one error scale a whole vector.

# %% [markdown]
# Hold the formula against autograd, on fresh numbers. `sgns_loss` is a mean over 4 pairs and the formula is for each pair, hence the factor 4:

# %%
sgns_gradients = or_reference("sgns_gradients", sgns_gradients)

leaves = [torch.randn(4, 8), torch.randn(4, 8), torch.randn(4, 5, 8)]
leaves = [leaf.requires_grad_() for leaf in leaves]
(4 * sgns_loss(*leaves)).backward()
for name, leaf, by_hand in zip(
    ["center", "context", "negatives"], leaves, sgns_gradients(*leaves), strict=True
):
    print(f"{name:>10}: largest difference {float((leaf.grad - by_hand.detach()).abs().max()):.1e}")

# %% [markdown] slide="slide"
# ## 8. One step, then thousands
#
# Two tables hold all vectors: `input_vectors` and `output_vectors`, both (V, D). A step takes the rows of a batch out, computes the gradients, and subtracts them from the rows, times the learning rate.
#
# There is one trap. A frequent word occurs several times in one batch. Each occurrence has its own update, and **all of them must count**. But `table[ids] -= updates` reads, subtracts and writes: of several updates for one row only the last is left. `table.index_add_(0, ids, updates, alpha=...)` adds them all.

# %% [markdown] exercise="sgns_step"
# ### Exercise 7. One training step
#
# Write `sgns_step(input_vectors, output_vectors, centers, contexts, negatives, learning_rate)`. `centers` and `contexts` are ids, shape (B,); `negatives` are ids, shape (B, K). Change both tables **in place** and return the loss before the step, as a number: a float, no tensor.


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
# outline: After loss and gradients: three calls of `index_add_` with `alpha=-learning_rate`. The noise ids and their gradients need one axis less: `negatives.flatten()` and `dn.flatten(0, 1)`.

# %% [markdown] model_answer="sgns_step"
# All rows are read, and all gradients computed, before a table changes. `index_add_` adds up the updates of a word that is in the batch several times.

# %% [markdown] slide="subslide"
# Everything is there: the window, the subsampling, the noise, the step. Where your function is right it is yours that runs, else the course's. The learning rate falls in a straight line, as in the paper. Before it runs, a guess:

# %%
predict("nearest_to_he", "Which of these will be nearest to 'he'?", options=["she", "man", "the"])

# %% [markdown]
# The next cell takes half a minute or so. It makes a few million pairs and then about eight thousand steps.

# %%
sgns_step = or_reference("sgns_step", sgns_step)


def training_pairs(sentences, window=5, threshold=1e-3, seed=0):
    """All pairs of the text after subsampling, as an array of ids (P, 2), shuffled."""
    rng = np.random.default_rng(seed)
    keep = np.asarray(keep_probability(vocabulary.frequencies, threshold, "code"))
    pairs = []
    for sentence in progress_bar(sentences, "cutting pairs"):
        ids = vocabulary.encode(sentence)
        kept = [i for i, chance in zip(ids, rng.random(len(ids)), strict=True) if chance < keep[i]]
        pairs.extend(dynamic_window_pairs(kept, window, rng))
    return rng.permutation(np.array(pairs))


def train(pairs, dimension=50, negatives=5, batch=1000, rate=0.05, rounds=1, seed=0):
    """Skip-gram with negative sampling; returns the input vectors and the losses."""
    generator = torch.Generator().manual_seed(seed)
    noise = torch.as_tensor(noise_distribution(vocabulary.counts, 0.75))
    input_vectors = (torch.rand(len(vocabulary), dimension, generator=generator) - 0.5) / dimension
    output_vectors = torch.zeros(len(vocabulary), dimension)
    batches = torch.from_numpy(pairs[: len(pairs) // batch * batch]).view(-1, batch, 2)
    losses, steps = [], rounds * len(batches)
    for step in progress_bar(range(steps), "training"):
        center, context = batches[step % len(batches)].T
        drawn = torch.multinomial(noise, batch * negatives, replacement=True, generator=generator)
        losses.append(
            sgns_step(
                input_vectors,
                output_vectors,
                center,
                context,
                drawn.view(batch, negatives),
                rate * (1 - step / steps),
            )
        )
    return input_vectors, np.array(losses)


start = time.perf_counter()
all_pairs = training_pairs(sentences)
rounds = min(12, max(2, round(3e6 / len(all_pairs))))  # a small text is read more often
vectors, losses = train(all_pairs, rounds=rounds)
print(f"{len(all_pairs):,} pairs, {rounds} rounds, {time.perf_counter() - start:.0f} seconds")

# %% slide="subslide"
smooth = losses[: len(losses) // 50 * 50].reshape(-1, 50).mean(1)
plots.curves(
    np.arange(1, len(smooth) + 1) * 50,
    {"loss": smooth, "nothing learnt: 6 log 2": np.full(len(smooth), 6 * np.log(2))},
    title="Skip-gram learns",
    xlabel="step (1,000 pairs each)",
    ylabel="mean loss",
)

# %% [markdown]
# Now ask the vectors who is near whom. Near means: a large cosine, a small angle. A million words are little, and the neighbours of rare words are mostly chance; so only words that occur at least 50 times may answer. Expect a few odd ones all the same.


# %%
frequent = {
    word for word, count in zip(vocabulary.words, vocabulary.counts, strict=True) if count >= 50
}


def neighbours(vectors, query, count=8, among=frequent):
    """The words of `among` whose vectors have the largest cosine with the query's."""
    unit = F.normalize(torch.as_tensor(vectors), dim=1).numpy()
    order = np.argsort(-unit @ unit[vocabulary.id(query)])
    words = [vocabulary.word(int(i)) for i in order]
    return [word for word in words if word in among and word != query][:count]


for word in ("he", "school", "water", "four", "government"):
    if word in vocabulary:
        print(f"{word:>10}: {', '.join(neighbours(vectors, word))}")

# %%
outcome("nearest_to_he", neighbours(vectors, "he", among={"she", "man", "the"})[0])

# %% [markdown]
# Draw a map. Two dimensions keep only a part of fifty, so trust what is close more than what is far. **Put your own words in.**

# %% slide="subslide"
MY_WORDS = {
    "people": ["he", "she", "man", "woman", "mother", "father", "children"],
    "numbers": ["two", "three", "four", "five", "six", "ten"],
    "places": ["home", "school", "house", "city", "church", "street"],
    "state": ["government", "president", "state", "law", "war", "police"],
}

known = {name: [w for w in words if w in vocabulary] for name, words in MY_WORDS.items()}
shown = [word for words in known.values() for word in words]
missing = [w for words in MY_WORDS.values() for w in words if w not in vocabulary]
if missing:
    print("Fewer than five occurrences in this text, so without a vector:", ", ".join(missing))
plots.word_map(
    shown,
    vectors[[vocabulary.id(word) for word in shown]].numpy(),
    groups=known,
    title="Some word vectors",
)

# %% [markdown] slide="slide"
# ## 9. Beside the professionals
#
# **gensim** is a library that many people use for word2vec. Give it the same text, the same settings and as many rounds. The course's package has a fast trainer too: the same mathematics as yours, with one trick more. All pairs of a stretch of text share their noise words, and the work becomes a few matrix products. The next cell takes about fifteen seconds.

# %%
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

SETTINGS = {
    "vector_size": 50,
    "window": 5,
    "negative": 5,
    "sample": 1e-3,
    "min_count": 5,
    "alpha": 0.05,
    "epochs": rounds,
    "seed": 1,
}


def timed(make):
    """What `make` returns, and how many seconds it took."""
    start = time.perf_counter()
    return make(), time.perf_counter() - start


of_gensim, gensim_seconds = timed(
    lambda: GensimWord2Vec(WithProgress(sentences, "gensim"), sg=1, workers=1, **SETTINGS)
)
of_course, course_seconds = timed(lambda: Word2Vec(sentences, sg=1, progress=True, **SETTINGS))
print(f"Same settings, one core: gensim {gensim_seconds:.1f} s, elmo_mini {course_seconds:.1f} s")

# %%
gensim_vectors = np.stack([of_gensim.wv[vocabulary.word(i)] for i in range(len(vocabulary))])
course_vectors = np.stack([of_course[vocabulary.word(i)] for i in range(len(vocabulary))])
tables = {"yours": vectors, "gensim": gensim_vectors, "elmo_mini": course_vectors}
for word in ("he", "school", "four"):
    for name, table in tables.items():
        print(f"{word:>8} {name:>10}: {', '.join(neighbours(table, word, 6))}")

# %% [markdown] slide="subslide"
# A handful of neighbours proves little. The stored experiment below compares both trainers on the whole Brown corpus, with 100 dimensions, 5 rounds and 5 seeds. It was run once, with the command that it names; nothing of it is computed here. Three questions were asked of the vectors. *Part of speech*: can a simple classifier tell nouns, verbs, adjectives and adverbs from the vector alone? *WordSim-353*: do cosines rank pairs of words as people do? *Overlap*: how many of a word's ten nearest neighbours are those of gensim with another seed?

# %%
from elmo_mini.results.stored import stored_result

stored_benchmark = stored_result("word2vec_against_gensim")
stored_benchmark

# %%
skip_gram = stored_benchmark.numbers["results"]["skip-gram"]["ways"]
asked_for = {"part of speech": "probe", "WordSim-353": "wordsim353", "overlap": "overlap"}
plots.bars(
    list(asked_for),
    {
        way: [skip_gram[way][key]["mean"] for key in asked_for.values()]
        for way in ("gensim", "ours")
    },
    errors={
        way: np.array(
            [
                [
                    skip_gram[way][key]["mean"] - skip_gram[way][key]["low"]
                    for key in asked_for.values()
                ],
                [
                    skip_gram[way][key]["high"] - skip_gram[way][key]["mean"]
                    for key in asked_for.values()
                ],
            ]
        )
        for way in ("gensim", "ours")
    },
    title="Stored result: quality of skip-gram vectors, 95 % intervals over 5 seeds",
    ylabel="accuracy, correlation, share",
)

# %%
faster = skip_gram["ours"]["times as fast, processor"]
print(f"elmo_mini is {faster['mean']:.1f} times as fast as gensim with one worker")
print(f"(processor time, 95 % interval {faster['low']:.1f} to {faster['high']:.1f})")
for way, numbers in skip_gram.items():
    print(f"overlap with gensim under another seed, {way}: {numbers['overlap']['mean']:.3f}")

# %% [markdown]
# The overlap of *gensim* is gensim with itself under another seed: even that is far from 1. Ours agrees a little less. Shared noise words are one reason: fewer different ones are drawn. But they are only a part of it. The last printed line is a run with twice as many, 128 in place of 64, and it makes up about a third of the gap. Our updates come in blocks, too, where gensim changes its tables after every pair; how much that costs was not measured.

# %% [markdown]
# ### CBOW
#
# CBOW averages the vectors of the neighbours and predicts the centre from the average. The loss is the one that you wrote: the average takes the place of `center`. That is one prediction a window, where skip-gram makes one a pair. But it still has to gather and change the vectors of all the neighbours, so it is not as many times faster as it has fewer predictions.

# %%
cbow, cbow_seconds = timed(lambda: Word2Vec(sentences, sg=0, progress=True, **SETTINGS))
print(f"CBOW {cbow_seconds:.1f} s, skip-gram {course_seconds:.1f} s")
for word in ("he", "school", "four"):
    print(f"{word:>8} {'CBOW':>10}: {', '.join(w for w, _ in cbow.most_similar(word, topn=6))}")

# %% [markdown]
# word2vec is often called *a linear language model*. It is log-bilinear: the score is linear in each of two vectors. It is not a language model in the sense of lesson 03, because it never gives a probability to a sequence, and with negative sampling it does not even give one to a word.
#
# ### Myth or measured?
#
# > *"Subtract 'man' from 'king', add 'woman', and you land on 'queen'."*
#
# Chinese explanations say 皇帝 − 皇后 = 男 − 女: emperor minus empress is man minus woman. First the famous case itself, in gensim's vectors of our text.


# %%
def arithmetic(unit, a, b, c, forbidden=True):
    """Ids of the words nearest to b - a + c; the words of the question may be forbidden."""
    cosine = (unit[b] - unit[a] + unit[c]) @ unit.T
    if forbidden:
        for ids in (a, b, c):
            cosine[np.arange(len(ids)), ids] = -np.inf
    return cosine.argmax(1)


unit_vectors = F.normalize(torch.as_tensor(gensim_vectors), dim=1).numpy()
royal = ["man", "king", "woman"]
if all(word in vocabulary for word in royal):
    man, king, woman = (np.array([vocabulary.id(word)]) for word in royal)
    for forbidden in (False, True):
        found = vocabulary.word(int(arithmetic(unit_vectors, man, king, woman, forbidden)[0]))
        print(f"king - man + woman: {found:<12} (the three words forbidden: {forbidden})")

# %% [markdown]
# One case proves nothing, either way. The authors of word2vec published a list of questions. Take those whose four words are among the 4,000 most frequent here. Most of them ask for word forms (*big, bigger, small, smaller*), the others for facts. In the full list many facts are capitals; see below which ones are left here.

# %% slide="subslide"
from gensim.test.utils import datapath

questions, sections = {"word forms": [], "facts": []}, Counter()
well_known = set(vocabulary.words[:4000])
kind = section = "facts"
for line in Path(datapath("questions-words.txt")).read_text("utf-8").lower().splitlines():
    if line.startswith(":"):
        section = line.removeprefix(":").strip()
        kind = "word forms" if "gram" in section else "facts"
    elif well_known.issuperset(line.split()):
        questions[kind].append([vocabulary.id(word) for word in line.split()])
        sections[section] += 1
print(f"{sections['family']} of the {len(questions['facts'])} facts are about the family.")

shares = {"a word of the question": [], "the right word": [], "the right word, rest forbidden": []}
for asked_ids in questions.values():
    a, b, c, d = np.array(asked_ids).T
    free = arithmetic(unit_vectors, a, b, c, forbidden=False)
    shares["a word of the question"].append(np.mean((free == a) | (free == b) | (free == c)))
    shares["the right word"].append(np.mean(free == d))
    held = arithmetic(unit_vectors, a, b, c)
    shares["the right word, rest forbidden"].append(np.mean(held == d))
plots.bars(
    [f"{kind} ({len(asked_ids):,} questions)" for kind, asked_ids in questions.items()],
    shares,
    title="What lies nearest to b - a + c",
    ylabel="share of the questions",
)

# %% [markdown]
# **Measured: the rule does much of the work.** What lies nearest is most often a word of the question itself. Published scores forbid those words, and the third bars show what that does. (In Brown the *facts* are mostly about the family: *he* and *she*, *his* and *her*, *brother* and *sister*. The printed line counts them.) The authors trained on a billion words, and skip-gram with negative sampling got 59 to 61 % of the full list right (2013b, Table 1).

# %% [markdown] slide="slide"
# ## 10. What does it converge to?
#
# Levy and Goldberg asked in 2014: if the vectors had enough dimensions to give every pair any score they liked, which score would be best?
#
# Count over the whole text. $\#(w,c)$ is how often the pair occurs, $\#(w)$ and $\#(c)$ are its row and column sums, $|D|$ is the number of all pairs. Let noise be drawn from the plain context counts. Then $w$ meets $c$ as noise $k\,\#(w)\,\#(c)/|D|$ times on average, and everything that the loss says about the score $x$ of this one pair is
#
# $$\ell(x) = -\#(w,c)\,\log\sigma(x) \;-\; k\,\frac{\#(w)\,\#(c)}{|D|}\,\log\sigma(-x)$$
#
# Its derivative, by section 7, is $\#(w,c)\,(\sigma(x)-1) + k\frac{\#(w)\#(c)}{|D|}\,\sigma(x)$. Set it to 0. Since $\frac{\sigma(x)}{1-\sigma(x)} = e^x$, the solution is $e^x = \frac{\#(w,c)\,|D|}{k\,\#(w)\,\#(c)}$, or
#
# $$v_w \cdot v'_c = \underbrace{\log \frac{\#(w,c)\;|D|}{\#(w)\;\#(c)}}_{\text{PMI}(w,c)} - \log k$$
#
# The **pointwise mutual information**, PMI, compares how often a pair occurs with how often chance would make it occur. The $k$ noise words shift everything down by $\log k$.

# %% [markdown] exercise="shifted_pmi"
# ### Exercise 8. What the scores converge to
#
# Write `shifted_pmi(pair_counts, negatives)`. `pair_counts` is an array of counts, a row for each word and a column for each context. Return PMI − log k in an array of the same shape. A pair that never occurs gets `-inf`. Every word and every context occurs in some pair.


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
# Check the claim on counts of our text. Take the 40 most frequent words and count their pairs. (Each count is raised by 1, because the score of a pair that never occurs would fall for ever.) Then minimise the loss of all pairs together with LBFGS, an optimiser for small smooth problems: once with as many dimensions as words, once with 3 only.

# %%
shifted_pmi = or_reference("shifted_pmi", shifted_pmi)

TOP, K = 40, 5
few = all_pairs[(all_pairs < TOP).all(1)]
pair_counts = np.bincount(few[:, 0] * TOP + few[:, 1], minlength=TOP * TOP).reshape(TOP, TOP) + 1.0


def best_scores(counts, k, dimension, power=1.0, steps=150):
    """Minimise the expected SGNS loss over all vectors; return the scores it ends with."""
    torch.manual_seed(0)
    n = torch.from_numpy(counts)
    noise = torch.as_tensor(noise_distribution(counts.sum(0), power))
    w, c = (0.1 * torch.randn(TOP, dimension, dtype=torch.float64) for _ in range(2))
    w.requires_grad_(), c.requires_grad_()
    optimiser = torch.optim.LBFGS([w, c], max_iter=steps, line_search_fn="strong_wolfe")

    def loss():
        optimiser.zero_grad()
        score = w @ c.T
        by_chance = k * n.sum(1, keepdim=True) * noise
        gain = n * F.logsigmoid(score) + by_chance * F.logsigmoid(-score)
        value = -gain.sum() / n.sum()
        value.backward()
        return value

    optimiser.step(loss)
    return (w @ c.T).detach().numpy().ravel()


target = np.asarray(shifted_pmi(pair_counts, K)).ravel()
squeezed, free = (best_scores(pair_counts, K, dimension) for dimension in (3, TOP))
plots.scatter(
    {"3 dimensions": (target, squeezed), f"{TOP} dimensions": (target, free)},
    title="Scores after training against PMI - log k",
    xlabel="PMI - log 5, from counts",
    ylabel="score v . v' of the trained vectors",
    diagonal=True,
)

# %%
order = np.argsort(pair_counts.ravel())
quarters = [float(np.abs(squeezed - target)[q].mean()) for q in np.array_split(order, 4)]
print("From the rarest quarter to the most frequent:", ", ".join(f"{q:.2f}" for q in quarters))
plots.bars(
    ["rarest", "rare", "frequent", "most frequent"],
    {"3 dimensions": quarters},
    title="How far scores in 3 dimensions miss, by frequency of the pair",
    ylabel="mean distance from PMI - log 5",
)

# %%
flat = np.asarray(noise_distribution(pair_counts.sum(0), 0.75))
flattened = np.log(pair_counts / (pair_counts.sum(1, keepdims=True) * flat * K)).ravel()
practice = best_scores(pair_counts, K, TOP, power=0.75)
print("Noise with power 3/4. Mean distance of the scores")
print(f"  from PMI - log k: {np.abs(practice - target).mean():.3f}")
print(f"  from PMI with flattened context counts: {np.abs(practice - flattened).mean():.3f}")

# %% [markdown]
# With enough dimensions the points lie on the diagonal: **nobody asked for PMI, and it came out.** With three dimensions the vectors must compromise. The rarest quarter of the pairs pays most, and there is a reason for that: its share of the loss is small. But this is not a rule for the rest. In Brown the miss grows again from the second quarter on, towards the most frequent pairs; this figure does not say why. The noise of practice, raised to 3/4, moves the optimum: chance is then reckoned with flattened context counts. The two printed distances show which target the scores follow.
#
# So word2vec is not magic. It is a count of neighbours, weighed and squeezed.

# %% [markdown] slide="slide"
# ## Recap
#
# - Skip-gram: predict the neighbours. The full softmax scores the whole vocabulary for it; negative sampling scores $k + 1$ words.
# - A dynamic window prefers near neighbours. Subsampling thins out frequent words before the window; paper and code differ.
# - Noise words come from counts to the power 3/4.
# - The loss pulls the true pair together and pushes noise away, each as strongly as the model is wrong.
# - With enough dimensions and plain noise, scores become PMI − log k.
# - **One vector per word.** *bank* has one, whatever the sentence. That is the next lesson.

# %%
calibration()

# %%
from autograde import progress

progress()

# %% [markdown] slide="subslide"
# ## Discuss 1
#
# Every word has two vectors, and most people keep only the first table. **What would go wrong with a single table, where the score of a pair is $v_w \cdot v_c$ with the same vectors on both sides?** Think of how often a word is its own neighbour. Three to five sentences.

# %% [markdown] discussion="two_tables" points=2
# **Rubric, 2 points.** 1 for seeing that the score of a word with itself cannot be negative although words rarely neighbour themselves. 1 for the consequence: a conflict between short and long vectors, or the limit to symmetric positive semi-definite score matrices. 0.5 for a vague "words would attract themselves".

# %% [markdown] model_answer="two_tables"
# With one table, the score of a word with itself is $v_w \cdot v_w = \|v_w\|^2$. This number is never negative, and it is large for a long vector. But words hardly ever stand beside themselves: *the the* is rare. So the text wants that score low, which makes vectors short, while other pairs need them long. In general, a single table makes the matrix of scores symmetric and positive semi-definite. PMI − log k is no such matrix, because its diagonal is mostly very negative. Two tables with enough dimensions can give any pair any score, the diagonal included. (GloVe adds its two tables, but only after training.)

# %% [markdown] slide="subslide"
# ## Discuss 2
#
# BERT (lesson 12) also trained on *next sentence prediction*: are these two sentences consecutive, or is the second one random? Some explanations call this "negative sampling, moved from words to sentences". **What is alike, and what is not?** Three to five sentences.

# %% [markdown] discussion="sentence_negatives" points=2
# **Rubric, 2 points.** 1 for the common idea (binary decision, real against random partner). 1 for at least two real differences.

# %% [markdown] model_answer="sentence_negatives"
# One thing is alike: a true pair from the text is told from a pair with a random partner, by a yes-or-no decision instead of a softmax over all possible partners. The rest differs. BERT takes one random partner for half of the examples, not k for each, and draws it from the corpus without an exponent. A deep network reads the two sentences together, where word2vec takes a dot product of two vectors. And it is a second task beside the main one, not a substitute for an expensive softmax. BERT's paper never calls it negative sampling: this is an analogy. RoBERTa later found the task unnecessary.

# %% [markdown]
# ## Further reading
#
# - 2013b, sections 2.2 and 2.3: two pages with everything that you wrote today.
# - Levy and Goldberg 2014, section 3: the derivation of PMI − log k.
# - Ji and others 2016, *Parallelizing Word2Vec in Shared and Distributed Memory* (arXiv:1604.04661): shared noise words and matrix products.
# - In the package: `elmo_mini/word_vectors/word2vec.py` has the functions of this lesson, `elmo_mini/word_vectors/word2vec_trainer.py` the fast trainer.
#
# Next: **02 · what a static vector cannot do.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Why is the original program's loop the other way round?* word2vec.c and gensim let the context word's input vector predict the centre word; over the corpus that is the same set of pairs up to window effects. *Why no bias?* The noise shift log k and the word frequencies are absorbed by the two tables. *Why do my neighbours differ from my neighbour's?* Seeds and the order of updates; on a small text the neighbours of rare words are mostly noise. *Poll before section 10:* "The score v · v' after training is: a cosine, a probability, a log-ratio?" Most say cosine.
