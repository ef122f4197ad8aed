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
# # 02 · What a static vector cannot do
#
# Lesson 01 gave every word a vector. Here you meet two relatives of word2vec, one that counts and one that spells. Then you walk into the wall that all three share, and measure how high it is.

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("02")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - count who stands near whom, and fit vectors to the counts as GloVe does,
# - cut words into character n-grams and give a vector to a word that nobody has seen, as fastText does,
# - make ambiguous words with known answers out of any text,
# - measure where the vector of a word with two made-up meanings lies,
# - compute the ceiling that no static vector passes, and show that context passes it.
#
# ## The papers
#
# - **GloVe**: Pennington, Socher and Manning, *GloVe: Global Vectors for Word Representation*, EMNLP 2014 (D14-1162).
# - **fastText**: Bojanowski, Grave, Joulin and Mikolov, *Enriching Word Vectors with Subword Information*, TACL 2017 (arXiv:1607.04606).
#
# The lesson takes about two and a half hours with everything in it. Short of time? Exercises 3, 6 and 7 are the spine, and section 8 can wait. Where you leave an exercise out, the course's own function takes its place, and the cells below still run.

# %% [markdown] instructor=true
# **Instructor.** Timing for two hours: sections 1 and 2 together, 40 minutes; section 3, 25; sections 4 to 6 are the heart, 45; 7 and 8 can be read at home. For 45 minutes: show exercises 1, 2, 4 and 5 solved, let them do 3, 6 and 7. Students get stuck in exercise 3 on the pairs that never occur: let one of them run into `nan` in front of the class.

# %%
from collections import Counter, defaultdict

import numpy as np
import torch

from autograde import calibration, check, or_reference, outcome, predict
from elmo_mini import corpora
from elmo_mini.progress import WithProgress, progress_bar
from elmo_mini.results.stored import stored_result
from elmo_mini.text.vocabulary import Vocabulary

torch.set_num_threads(1)

text = corpora.course_text()
sentences = list(progress_bar(text.sentences(lower=True), "reading", unit=" sentences"))
vocabulary = Vocabulary.from_sentences(sentences, min_count=5)
print(f"{len(sentences):,} sentences. {len(vocabulary):,} words occur at least five times.")

# %% [markdown] slide="slide"
# ## 1. One photo for every role
#
# An actor has one photo made and sends it to every theatre. The comedy sees it, the tragedy sees it, the children's play sees it: always the same face. A **static vector** is such a photo. It is made once, from all the sentences of a word, and shown in every sentence.

# %%
from elmo_mini.text.senses import sense_sentences

shown = {}
for sentence in sense_sentences("english"):
    if sentence.word == "play":
        shown.setdefault(sentence.gloss, " ".join(sentence.tokens))
for gloss, example in shown.items():
    print(f"{gloss}:\n    {example}")

# %% [markdown]
# Three roles of *play*, one vector. (The course's English sentences were written by a language model, and no native speaker has read them.) word2vec, GloVe and fastText all work this way: one vector for each **type**, the word in the dictionary, and none for the **token**, the word in its sentence. It is no fault of one algorithm. It is what a table of words can do.
#
# Before the wall, the relatives. Both have ideas that come back in later lessons.

# %% [markdown] slide="slide"
# ## 2. Count first: GloVe
#
# word2vec reads the text pair by pair, like somebody who meets guests one at a time at the door. GloVe looks at the seating plan: it counts the whole text once, and then works from the table of counts alone.
#
# The entry $X_{ij}$ says how often words $i$ and $j$ stand near each other. Near neighbours count more: a pair $d$ places apart counts $1/d$.

# %% [markdown] exercise="cooccurrence_counts"
# ### Exercise 1. Who stands near whom
#
# Write `cooccurrence_counts(sentences, vocabulary_size, window)`. `sentences` is a list of lists of word ids. Return an array of shape (V, V).
#
# Each pair of places at most `window` apart in one sentence adds 1/d to the entries of **both** words: `[i, j]` and `[j, i]`. Count each pair once, and places, not words: where a word stands near itself, $i = j$, that one entry gets both additions. No pair crosses the end of a sentence.


# %% exercise="cooccurrence_counts"
def cooccurrence_counts(sentences, vocabulary_size, window):
    """(V, V) table of counts; a pair d places apart counts 1/d, for both words."""
    ### BEGIN SOLUTION
    counts = np.zeros((vocabulary_size, vocabulary_size))
    for ids in sentences:
        for place, word in enumerate(ids):
            for distance in range(1, min(window, place) + 1):
                neighbour = ids[place - distance]
                counts[word, neighbour] += 1 / distance
                counts[neighbour, word] += 1 / distance
    return counts
    ### END SOLUTION


# %% check="cooccurrence_counts"
check("cooccurrence_counts", cooccurrence_counts)

# %% [markdown] hints="cooccurrence_counts"
# nudge: Stand on one word. Who is to your left, one place away, two places away? And what does each of them see when looking at you?
#
# idea: If every place only looks to its left, each pair is met exactly once. Then write it into the table twice: once for each of the two words.
#
# outline: Start with `np.zeros((vocabulary_size, vocabulary_size))`. For each sentence, each `place`, each `distance` from 1 to `window` that does not run over the start: add `1 / distance` to `[word, neighbour]` and to `[neighbour, word]`. `enumerate` gives place and word. The two words may be the same; both additions then go into one entry.

# %% [markdown] model_answer="cooccurrence_counts"
# Each place looks only to its left, so each pair is met once. Both entries get their share at that moment.

# %% slide="subslide"
cooccurrence_counts = or_reference("cooccurrence_counts", cooccurrence_counts)

few = Vocabulary.from_sentences(sentences, max_size=12)
number = defaultdict(lambda: len(few), {word: i for i, word in enumerate(few.words)})
ids = [[number[word] for word in s] for s in sentences[:3000]]  # every other word is number 12
small = cooccurrence_counts(ids, len(few) + 1, 2)[: len(few), : len(few)]
names = [word if word.isalnum() else f"“{word}”" for word in few.words]
print(f"{np.mean(small > 0):.0%} of these cells are filled.")
plots.table(
    small,
    names,
    names,
    title="Counts of the 12 commonest words, window 2, 3,000 sentences",
    form="{:.0f}",
)

# %% [markdown]
# All other words keep their places here and share one number, whose row is not shown. Most cells of this corner are filled. What about the table of all words?

# %%
predict(
    "empty_cells", "The table of all words, window 5: which percentage of its cells is 0?", unit="%"
)

# %%
from elmo_mini.word_vectors.glove import sparse_counts

counts = sparse_counts([vocabulary.encode(s) for s in sentences], len(vocabulary), 5)
outcome("empty_cells", 100 * (1 - counts.nnz / len(vocabulary) ** 2), unit="%")

# %% [markdown] slide="subslide"
# ### How much is a count worth?
#
# Ask one person for the way and you may be sent anywhere. Ask a hundred and you can trust them; the hundred-and-first adds little. GloVe trusts counts in this way. The weight rises with the count and stops at 1:
#
# $$f(x) = \begin{cases} (x / x_{\max})^{\alpha} & \text{if } x < x_{\max} \\ 1 & \text{otherwise} \end{cases}$$
#
# The paper takes $x_{\max} = 100$ and $\alpha = 3/4$. The authors' demonstration on a small corpus takes $x_{\max} = 10$, and so shall we.

# %% [markdown] exercise="glove_weight"
# ### Exercise 2. How much a count is trusted
#
# Write `glove_weight(counts, x_max, alpha)`. `counts` is an array of numbers, a row or a table, zeros and fractions among them; return an array of the same shape.


# %% exercise="glove_weight"
def glove_weight(counts, x_max=100.0, alpha=0.75):
    """The weight f of each count."""
    ### BEGIN SOLUTION
    return np.minimum(counts / x_max, 1.0) ** alpha
    ### END SOLUTION


# %% check="glove_weight"
check("glove_weight", glove_weight)

# %% [markdown] hints="glove_weight"
# nudge: What is the largest weight that any pair may have? And what is raised to the power?
#
# idea: Cut the fraction `counts / x_max` off at 1. One to any power is 1, so the order of the two steps does not matter.
#
# outline: `np.minimum(counts / x_max, 1.0) ** alpha`.

# %% [markdown] model_answer="glove_weight"
# One to any power is one, so the cut may come before the power.

# %% slide="subslide"
glove_weight = or_reference("glove_weight", glove_weight)

x = np.linspace(0, 150, 301)
plots.curves(
    x,
    {
        "maximum 100, power 3/4 (the paper)": glove_weight(x, 100.0, 0.75),
        "maximum 10, power 3/4 (a small text)": glove_weight(x, 10.0, 0.75),
        "maximum 100, power 1 (a straight line)": glove_weight(x, 100.0, 1.0),
    },
    title="How much GloVe trusts a count",
    xlabel="count X",
    ylabel="weight f(X)",
)

# %% [markdown] slide="subslide"
# ### The loss
#
# Now each word gets a vector $w_i$, a context vector $\tilde w_j$, and one number each, the biases $b_i$ and $\tilde b_j$. Their score should be the **logarithm** of the count. Each pair is off by some error; the errors are squared, weighed and added up:
#
# $$J = \sum_{i,j} f(X_{ij}) \left( w_i^\top \tilde w_j + b_i + \tilde b_j - \log X_{ij} \right)^2$$
#
# A pair that never occurs has $f = 0$ and adds nothing. Its $\log X$ does not exist, and nobody needs it. Counts between 0 and 1 are common, since a pair far apart counts 1/3 or 1/5: they do belong in the sum, and their $\log X$ is negative.

# %% [markdown] exercise="glove_loss"
# ### Exercise 3. GloVe's weighted least squares
#
# Write `glove_loss(vectors, context_vectors, biases, context_biases, counts, x_max, alpha)` for tensors:
#
# - `vectors` (V, D) and `context_vectors` (V', D),
# - `biases` (V,) and `context_biases` (V',),
# - `counts` (V, V'), zeros among them.
#
# Return $J$, the **sum** over all pairs, as a tensor: the next cell lets autograd follow it back. Leave `counts` as it is: your function is called with it again and again. Write the weight again, for tensors: `np.minimum` of exercise 2 does not work here; `torch.where` and `.clamp` do.


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
# outline: `scores` as above; `weight` as in exercise 2, with `.clamp(max=1.0)`; `logs` of `torch.where(counts > 0, counts, torch.ones_like(counts))`. Return the sum of `weight * (scores - logs) ** 2`.

# %% [markdown] model_answer="glove_loss"
# `torch.where` hides the zeros from the logarithm. A weight of 0 alone would not help, because 0 times infinity is no number.

# %% [markdown]
# Let your loss learn. The 150 commonest words are a small enough table to take all pairs at once.

# %%
glove_loss = or_reference("glove_loss", glove_loss)

TOP = 150
table = torch.tensor(counts[:TOP, :TOP].toarray())
torch.manual_seed(0)
parts = [0.1 * torch.randn(TOP, 10, dtype=torch.float64) for _ in range(2)]
parts += [torch.zeros(TOP, dtype=torch.float64) for _ in range(2)]
optimiser = torch.optim.Adagrad([part.requires_grad_() for part in parts], lr=0.3)
losses = []
for _ in range(200):
    optimiser.zero_grad()
    loss = glove_loss(*parts, table, x_max=10.0, alpha=0.75)
    loss.backward()
    optimiser.step()
    losses.append(float(loss.detach()))
print(f"J falls from {losses[0]:,.0f} to {losses[-1]:,.0f} in 200 steps.")
plots.curves(
    np.arange(1, len(losses) + 1),
    {"J": losses},
    title=f"The loss of exercise 3 on the {TOP} commonest words",
    xlabel="step",
    ylabel="J, a sum over all pairs",
    log_y=True,
)

# %% [markdown] slide="subslide"
# For the whole text the course's package does the same with the pairs that occur, batch by batch. The optimiser is **AdaGrad**, as in the authors' program: every number has its own step size, and one that has moved much takes smaller steps. (Their first rate is 0.05; we take 0.1, because we read so few times.) In the end both tables are **added**: $w + \tilde w$ is the word's vector. The figure shows $J$ divided by the number of pairs, so that texts of different size can be compared.

# %%
from elmo_mini.word_vectors.glove import Glove

passes = 8 if text.name == "brown" else 25  # a small text is read more often
glove = Glove(sentences, window=5, learning_rate=0.1, epochs=passes, progress=True)
plots.curves(
    np.arange(1, passes + 1),
    {"loss": glove.loss_history},
    title=f"GloVe learns from {glove.pairs:,} counts",
    xlabel="pass over all counts",
    ylabel="mean weighted squared error",
)

# %%
for word in ("four", "night", "president", "september"):
    if word in glove:
        near = ", ".join(other for other, _ in glove.most_similar(word, topn=8))
        print(f"{word:>10}: {near}")

# %% [markdown]
# Most of these neighbours fit. These four words are frequent, and were picked.
#
# **WordSim-353** is a list of word pairs that people have marked for how closely they are related. Do the vectors order the pairs as people do? The **rank correlation** (Spearman's) compares two orders: 1 is the same order, 0 is no relation, −1 is the reverse. The stored experiment takes all pairs whose words both occur at least 5 times, then at least 50, then at least 100. Each group lies inside the one before it. Skip-gram has read the text three times, GloVe its counts 8 or 25 times. The whiskers are 95 % intervals over three seeds. How much the choice of pairs matters is printed as well, by Fisher's rule of thumb: $1.96 / \sqrt{n - 3}$ for $n$ pairs.

# %% slide="subslide"
STORED_GLOVE = stored_result("static_glove")
print(STORED_GLOVE)
judged = STORED_GLOVE.numbers["agreement"]
known = STORED_GLOVE.numbers["pairs"]
for kind, by in judged.items():
    print(f"{kind:>16}:", ", ".join(f"{least}+ {by[least]['mean']:.2f}" for least in known))
for pairs in known.values():
    print(
        f"A correlation over {pairs} pairs is uncertain by about ±{1.96 / np.sqrt(pairs - 3):.2f}."
    )
plots.bars(
    [f"{least}+ ({known[least]} pairs)" for least in known],
    {kind: [by[least]["mean"] for least in known] for kind, by in judged.items()},
    errors={
        kind: np.array([by[least]["high"] - by[least]["mean"] for least in known])
        for kind, by in judged.items()
    },
    title="Agreement with people, by how often both words occur (stored, Brown)",
    xlabel="least number of occurrences of both words",
    ylabel="rank correlation",
)

# %% [markdown]
# The clear difference is on the left: over all pairs skip-gram agrees with people to some degree, and GloVe hardly at all. A likely reason: GloVe fits only counts that it has seen, and a rare word has a few dozen of them, too few to say where fifty numbers should go. Skip-gram's noise words also tell it what is *not* near.
#
# On the right, among frequent words, GloVe is no worse, and its bar is the highest after 25 passes. Do not read more into it: the whiskers show the spread over seeds, and the printed lines show that the choice of so few pairs alone can shift a correlation by more than the bars differ. The dip of skip-gram in the middle may be of that kind as well. (The vectors that the authors give away as glove.6B know 400,000 words, as their page says, and come from far more text than this.)
#
# Counting and predicting are closer than they look. Lesson 01 ended with PMI, which is made of counts, and GloVe's target is made of the same counts.

# %% [markdown] slide="slide"
# ## 3. Spell it out: fastText
#
# You have never met the word *unfriendlyish*, and still you know roughly what it means. You know its pieces. word2vec and GloVe do not look inside a word: a word that was not in the text has no vector at all.
#
# fastText gives vectors to pieces. A word is wrapped in boundary signs, `<` and `>`, and cut into all stretches of 3 to 6 characters. Its vector is the **sum** of the vectors of its pieces. A word of the vocabulary also has a vector of its own, which is added. Everything else is skip-gram with negative sampling, as you wrote it; noise words are drawn by the square root of the counts.

# %% [markdown] exercise="character_ngrams"
# ### Exercise 4. A word in pieces
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
# idea: Two loops: over the lengths, and over the places where a stretch of that length still fits. A text of m characters has m − n + 1 stretches of length n.
#
# outline: `marked = f"<{word}>"`. For `length` in `range(shortest, longest + 1)`, for `start` in `range(len(marked) - length + 1)`: take `marked[start : start + length]`.

# %% [markdown] model_answer="character_ngrams"
# The boundary signs are put on first. A text of m characters has m − n + 1 stretches of length n, and none when n is larger than m.

# %%
character_ngrams = or_reference("character_ngrams", character_ngrams)

for word in ("where", "her", "打电话"):
    print(f"{word}: {' '.join(character_ngrams(word))}")

# %% [markdown] slide="subslide"
# The boundary signs matter: *where* has the piece `her` and not the piece `<her>`. The word *her* has both, so the two words share one piece and are told apart by the others. And nothing here needs spaces or letters, so Chinese words have pieces too.
#
# A large text has millions of pieces. A dictionary of all of them would be too big. So each piece is sent to one of $K$ **buckets** by a hash, a fixed way to turn text into a number (FNV-1a), and the pieces of a bucket share a vector. The paper has $K = 2 \cdot 10^6$. It is like a cloakroom with fewer hooks than coats: sometimes two coats hang together, and it rarely hurts.

# %%
from elmo_mini.word_vectors.fasttext import bucket, fnv1a

for piece in ("<wh", "her", "her>"):
    print(f"{piece:>5}: hash {fnv1a(piece):>10}, bucket {bucket(piece, 20_000):>6} of 20,000")

# %% [markdown] exercise="subword_vector"
# ### Exercise 5. A vector for every spelling
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
# outline: Collect the row numbers of all n-grams; `ngram_vectors[rows].sum(0)`; if `word in words`, add `word_vectors[words.index(word)]`. Do not change the arrays.

# %% [markdown] model_answer="subword_vector"
# A list of row numbers takes a row twice when two pieces share a bucket. `total + ...` makes a new array, so the tables stay as they are.

# %% [markdown]
# gensim has fastText. Train it on the Lee news, which is small and always here, and give its tables to *your* function.

# %% slide="subslide"
from gensim.models import FastText

subword_vector = or_reference("subword_vector", subword_vector)

news = list(corpora.lee().sentences(lower=True))
fast = FastText(
    WithProgress(news, "fastText"),
    vector_size=50,
    window=5,
    min_count=5,
    sg=1,
    alpha=0.05,
    epochs=12,
    bucket=20_000,
    ns_exponent=0.5,
    seed=1,
    workers=1,
)
known = fast.wv.index_to_key
for word in ("government", "governmentally", "unfriendlyish"):
    yours = subword_vector(word, known, fast.wv.vectors_vocab, fast.wv.vectors_ngrams)
    theirs = fast.wv[word]
    cosine = yours @ theirs / np.linalg.norm(yours) / np.linalg.norm(theirs)
    times = np.linalg.norm(yours) / np.linalg.norm(theirs)
    print(
        f"{word} ({'known' if word in known else 'unknown'}, {len(character_ngrams(word))} pieces): "
        f"cosine with gensim's vector {cosine:.4f}, {times:.2f} times as long"
    )

# %% [markdown]
# The same direction. The length differs because gensim divides by the number of vectors in the sum: the pieces, and one more for a known word. Neighbours are judged by direction, so nothing changes.
#
# Now a test on words that this model has never seen: inflected forms from the same news that were too rare to get into the vocabulary, and the vocabulary's own words with a slip of the pen. The right answer is the word that was meant.

# %%
predict(
    "unseen",
    "How often is the right word among the five nearest, over all kinds together?",
    unit="%",
)

# %% slide="subslide"
seen = Vocabulary.from_sentences(news)
frequent = Vocabulary.from_sentences(news, min_count=5)
unseen = defaultdict(list)  # kind: (unseen word, the word that was meant)
for word in seen.words:
    for ending in ("s", "ed", "ing", "ly"):
        base = word[: -len(ending)]
        if word.endswith(ending) and word not in frequent and base in frequent and len(base) > 4:
            unseen[f"-{ending}"].append((word, base))

rng = np.random.default_rng(0)
pool = [w for w in frequent.words if len(w) > 5 and w.isalpha()]
for word in rng.permutation(pool)[:80].tolist():
    i = int(rng.integers(1, len(word) - 2))
    unseen["doubled"].append((word[:i] + word[i] + word[i:], word))
    unseen["lost"].append((word[:i] + word[i + 1 :], word))
    unseen["swapped"].append((word[:i] + word[i + 1] + word[i] + word[i + 2 :], word))

found = {}
for kind, cases in unseen.items():
    cases = [(odd, meant) for odd, meant in cases if odd not in frequent][:80]
    nearest = [[w for w, _ in fast.wv.most_similar(odd, topn=5)] for odd, _ in cases]
    found[kind] = [meant in five for (_, meant), five in zip(cases, nearest, strict=True)]
    print(f"{kind:>8}: {len(cases):>3} words, such as {cases[0][0]}: {', '.join(nearest[0])}")
outcome("unseen", 100 * float(np.mean([hit for hits in found.values() for hit in hits])), unit="%")

# %% slide="subslide"
plots.bars(
    list(found),
    {"among the five nearest": [100 * np.mean(hits) for hits in found.values()]},
    title="The word that was meant, for words without a vector in word2vec",
    ylabel="percent",
)

# %% [markdown]
# A word2vec model scores 0 on all of them: it has no vector to start from. A doubled letter breaks few pieces, two swapped letters break most of them. And an ending can be stronger than a stem: look at what stands beside the word in *-ing*. Forms in *-s* and *-ly* are found more often than those in *-ing* and *-ed*; why, these numbers do not say. One guess: a news text is full of verbs in *-ing* and *-ed*, so those endings have many words to pull towards. The authors call the choice of 3 to 6 characters arbitrary, and then check it (section 5.5). Training is about 1.5 times slower than skip-gram's, they say (section 4.3).
#
# But look at what fastText does **not** change: *play* has one vector in every sentence. It knows how the word is written. It does not know where it stands.

# %% [markdown] slide="slide"
# ## 4. The wall
#
# Two people share one post box. Letters for both come in, and whoever reads them thinks of one strange person who loves football and knitting. If one of the two gets ten times the post, the strange person is mostly that one.
#
# Is the vector of an ambiguous word such a person? To measure it we would need a text where every sense is labelled. Here is a trick that needs no labels: take two words that have nothing to do with each other, and **replace both by one invented word**. Now the text has a truly ambiguous word, and we know the answer at every place. It is called a **pseudo-word**.

# %% [markdown] exercise="merge_words"
# ### Exercise 6. Ambiguity with known answers
#
# Write `merge_words(sentences, first, second, merged)`. `sentences` is a list of lists of tokens. Return two lists, `new, labels` (no generators: the next cell walks through both more than once):
#
# - **new** sentences in which every token `first` or `second` is replaced by `merged`; leave the old ones as they are,
# - a list of labels `(sentence number, place, word)`, in the order of the text: one for each token that was replaced, with the word that stood there. Numbers and places begin at 0.


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

merged_text, labels = merge_words(sentences, "three", "government", "three|government")
print(f"{len(labels):,} places; {Counter(word for _, _, word in labels)}")
for number, place, word in labels[:3]:
    around = merged_text[number][max(0, place - 5) : place + 6]
    print(f"{word:>12}: {' '.join(around)}")

# %% [markdown] slide="subslide"
# One pair proves little, and a pair picked by hand proves less. So: **twelve pairs by a rule**. The pool holds words of five letters or more that occur often enough, without the commonest; a seeded draw makes pairs of them. All are merged at once.
#
# One more idea makes the measurement possible, and the package's `hide` adds it to what you wrote in exercise 6. Only a **part** of the occurrences is merged, and the rest stays. So each word keeps a vector of its own, in the same space as the merged one. And for each pair a different share is taken from the first word, from a fifth up to four fifths, so that the mixtures differ.

# %%
predict(
    "merged_place",
    "Where will the merged vector lie?",
    options=["nearer to the more frequent word", "half way, always", "somewhere else"],
)

# %%
from elmo_mini.word_vectors.pseudo_word_vectors import look_at
from elmo_mini.word_vectors.pseudo_words import pseudo_words_of
from elmo_mini.word_vectors.word2vec_options import course_options
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

hidden_text, pseudo_words = pseudo_words_of(text.name, sentences, seed=11)
skip_gram = Word2Vec(hidden_text, sg=1, seed=11, progress=True, **course_options(text.name))
for word in pseudo_words[:4]:
    near = ", ".join(other for other, _ in skip_gram.most_similar(word.name, topn=5))
    print(f"{word.name} ({len(word.labels)} places, {word.share:.0%} {word.first}): {near}")

# %% [markdown]
# Do not look for the friends of both words here: a vector between two groups has odd neighbours. Its place must be measured.
#
# To find the place of the merged vector $m$ between the vectors $a$ and $b$ of its two words, write it as a mixture: the two numbers $\alpha$ and $\beta$ for which $\alpha a + \beta b$ comes closest to $m$ (least squares). Its **position** is $\alpha / (\alpha + \beta)$: 1 at the first word, 0 at the second. And the cosine of $m$ with $\alpha a + \beta b$ says how much of $m$ the mixture explains. As a yardstick we mix the words of *another* pair in the same way. Your prediction is judged by the plain cosines: to which of its two words is $m$ nearer?

# %% slide="subslide"
rows = look_at(pseudo_words, hidden_text, skip_gram)
STORED_PSEUDO = stored_result("static_pseudo_words")
everywhere = STORED_PSEUDO.numbers["pairs"]


def column(rows, key):
    return np.array([row[key] for row in rows])


def on_the_frequent_side(rows):
    """Whether each merged vector is nearer to the word that stood at more of its places."""
    nearer_first = column(rows, "cosine with the first") > column(rows, "cosine with the second")
    return nearer_first == (column(rows, "share of the first") > 0.5)


for name, some in (("here", rows), ("stored", everywhere)):
    print(
        f"{name}: nearer to the more frequent word in {on_the_frequent_side(some).sum()}", end=" "
    )
    print(f"of {len(some)} pairs")
explained = column(rows, "cosine with its mixture") > column(rows, "cosine with another pair's")
if explained.mean() < 0.75:
    place = "somewhere else"
else:
    often = on_the_frequent_side(rows).mean() >= 0.75
    place = "nearer to the more frequent word" if often else "half way, always"
outcome("merged_place", place)

# %% slide="subslide"
plots.scatter(
    {
        "here, 12 pairs": (column(rows, "share of the first"), column(rows, "position")),
        "stored, 60 pairs": (
            column(everywhere, "share of the first"),
            column(everywhere, "position"),
        ),
    },
    title="Where a merged vector lies between its two words",
    xlabel="share of the first word among the merged places",
    ylabel="position (0: second word, 1: first word)",
    diagonal=True,
)

# %%
print(STORED_PSEUDO)
ends = [name for word in pseudo_words for name in (word.first, word.second)]
between = [skip_gram.similarity(a, b) for i, a in enumerate(ends) for b in ends[:i]]
print(f"Two of the 24 words, any two, have a cosine of {np.mean(between):.2f} on average.")
places = column(everywhere, "occurrences")
print(f"Stored: each merged vector was trained on {places.min()} to {places.max()} places.")
summary = STORED_PSEUDO.numbers["summary"]
plots.bars(
    ["its own two words", "two other words"],
    {
        "here": [
            column(rows, "cosine with its mixture").mean(),
            column(rows, "cosine with another pair's").mean(),
        ],
        "stored, 5 seeds": [
            summary["cosine with its mixture"]["mean"],
            summary["cosine with another pair's"]["mean"],
        ],
    },
    errors={
        "stored, 5 seeds": np.array(
            [
                summary[key]["high"] - summary[key]["mean"]
                for key in ("cosine with its mixture", "cosine with another pair's")
            ]
        )
    },
    title="How much of the merged vector a mixture of two words explains",
    ylabel="cosine with the best mixture",
)

# %%
for key in ("position", "position, vectors of length 1"):
    live = np.corrcoef(column(rows, "share of the first"), column(rows, key))[0, 1]
    whole = summary[f"correlation of share and {key}"]
    print(
        f"share and {key}: correlation {live:.2f} here; "
        f"stored {whole['mean']:.2f} (95 % interval {whole['low']:.2f} to {whole['high']:.2f})"
    )

# %% [markdown]
# **The vector of a merged word is, for the most part, a mixture of its two words, weighted by how often each occurs.** In the stored run share and position go together closely, over five seeds and sixty pairs. The yardstick is not near 0, because all vectors of such a model point to some degree the same way: see the mean cosine above. They do not lie exactly on the diagonal: a vector trained on a few hundred places is a noisy thing, and nothing forces the weights to be the bare frequencies. A doubt is in place, too: a word that keeps few of its places has a badly trained vector, perhaps a short one, and short vectors need large weights. So the last line above repeats the measurement with all vectors at length 1.
#
# This was measured on two words that have nothing to do with each other. Real senses of a word may be related, and may come with their own grammar. That their vectors mix in the same way is likely, and not shown here.
#
# A rare sense is a few drops in the bucket. A neighbour search from the mixture hardly finds it.

# %% [markdown] slide="slide"
# ## 5. The words around it know
#
# The merged vector is the same at every place. So a classifier that sees only this vector gives the same answer at every place. The best it can do is to name the commoner word each time.
#
# Now let it look at the neighbours instead. Take the plain average of the vectors of the ten words on each side, the merged word itself left out, and fit a logistic regression. It is judged on places that it was not fitted to. (Two places of one text may fall on different sides of that cut, which can make the task easier than a new text would be.)

# %%
predict("from_context", "Which percentage will the context average get right?", unit="%")

# %% slide="subslide"
better = column(rows, "accuracy from context") > column(rows, "majority")
print(f"Context beats the merged vector on {better.sum()} of {len(better)} pairs here.")
stored_better = column(everywhere, "accuracy from context") > column(everywhere, "majority")
print(f"Stored: on {stored_better.sum()} of {len(stored_better)} pairs.")
outcome("from_context", 100 * column(rows, "accuracy from context").mean(), unit="%")

# %% slide="subslide"
plots.scatter(
    {
        "here, 12 pairs": (column(rows, "majority"), column(rows, "accuracy from context")),
        "stored, 60 pairs": (
            column(everywhere, "majority"),
            column(everywhere, "accuracy from context"),
        ),
    },
    title="Which word stood there?",
    xlabel="right with the merged vector alone (the commoner word)",
    ylabel="right from the average of the context",
    diagonal=True,
)

# %% [markdown]
# The points above the diagonal are pairs where looking around helps. That is not all of them: where one word stood at most places anyway, there is little left to win, and the average can even mislead. What the single vector has lost is still there, **in the sentence**. And this was the crudest reader imaginable: an average that does not even know the order of the words.
#
# A context can only help with words that are in it. You may read that in *deposit money to the bank* the word *account* tells which bank is meant. There is no *account* in that sentence. *Deposit* and *money* can do the work.

# %% [markdown] slide="slide"
# ## 6. Real senses, and the ceiling
#
# Pseudo-words are made up. The **senseval** data are not: people have labelled the senses of *hard*, *interest*, *line* and *serve*, each in thousands of real contexts.
#
# Naming the sense of a word in its sentence is called **word-sense disambiguation**. How well can **any** method do that sees only the word's vector? The vector is a function of the word. So any such method is a rule from words to senses, however clever it is inside. The best rule names for each word its commonest sense. What it gets right is the **ceiling**. Beside it we shall put the reader of section 5: a logistic regression on the mean vector of ten words on each side, judged in five rounds, each time on the fifth of the contexts that it was not fitted to.

# %% [markdown] exercise="majority_ceiling"
# ### Exercise 7. The ceiling of a static vector
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
# outline: Fill `seen[word][sense] += 1` over all occurrences. Add up `max(counts.values())` over the words and divide by the number of occurrences.

# %% [markdown] model_answer="majority_ceiling"
# One vector per word allows one answer per word, and the best one is its commonest sense. So the largest count of each word is right, and the counts are added up before the one division.

# %% slide="subslide"
majority_ceiling = or_reference("majority_ceiling", majority_ceiling)

STORED_SENSES = stored_result("static_senseval")
stored = STORED_SENSES.numbers["words"]
try:
    senseval = corpora.load("senseval")
    ceilings = {}
    for word in stored:
        instances = list(senseval.instances(word))
        senses = [instance.sense for instance in instances]
        forms = [instance.words[instance.position].lower() for instance in instances]
        ceilings[word] = (
            majority_ceiling([word] * len(senses), senses),
            majority_ceiling(forms, senses),
        )
    print("The ceilings are computed here, the context averages are stored.")
    for form in ("interest", "interests"):
        of_form = Counter(
            instance.sense
            for instance in senseval.instances("interest")
            if instance.words[instance.position].lower() == form
        )
        share = of_form["interest_5"] / of_form.total()
        print(f"{form}: {share:.0%} of {of_form.total():,} are a share in a company (interest_5)")
except corpora.CorpusMissing:
    ceilings = {w: (r["ceiling of the word"], r["ceiling of its forms"]) for w, r in stored.items()}
    print("senseval is not on this machine: all numbers below are the stored ones.")
print(STORED_SENSES)

# %% slide="subslide"
context = [stored[word]["context average"] for word in ceilings]
plots.bars(
    list(ceilings),
    {
        "ceiling: the word": [100 * both[0] for both in ceilings.values()],
        "ceiling: the word as spelt": [100 * both[1] for both in ceilings.values()],
        "context average (stored)": [100 * c["mean"] for c in context],
    },
    errors={"context average (stored)": np.array([100 * (c["high"] - c["mean"]) for c in context])},
    title="Senses in senseval: what one vector can reach, and what context reaches",
    ylabel="percent right",
)

# %% [markdown]
# Two things to see.
#
# - **The spelling knows a little, sometimes.** *Interests* is more often a share in a company than *interest* is, so two vectors help there, and a little for *serve*. For *hard* and *line* the two bars are equal. A static model has a vector for each spelling, so its ceiling is the second bar. That is all it can get on these occurrences, with any amount of text, any number of dimensions, and any classifier that is shown only this word's vector.
# - **The context average is above the ceiling for all four words.** And it was tested on contexts that it had not seen, while the ceiling was counted on the very occurrences that it is judged on. The vectors in the average are ordinary static vectors. What is new is that the answer depends on the sentence.
#
# This is the whole idea of the lessons to come: let the vector depend on the sentence. From lesson 03 on, a network will do the reading that the average did here.

# %% [markdown] slide="slide"
# ## 7. 打 and 苹果
#
# The wall does not care about the language. 打 (dǎ) is *hit*; it is also what one does with a basketball, with a telephone, and with an injection. 苹果 (píngguǒ) is a fruit and a company.

# %%
chinese = defaultdict(list)
for sentence in sense_sentences("chinese"):
    chinese[sentence.word].append(sentence)

for word in ("打", "苹果"):
    shown = {}
    for sentence in chinese[word]:
        shown.setdefault(sentence.sense, sentence)
    for sense, sentence in shown.items():
        print(f"{sense:>10}: {sentence.text}  {sentence.translation}")

# %% [markdown]
# What should be near 苹果? For the fruit: 桃子 (peach), 香蕉 (banana), 橘子 (tangerine). For the company: 华为 (Huawei), 小米 (Xiaomi), 三星 (Samsung). Both neighbourhoods are right, and one vector can live in only one place. It may stand between them, as the merged words did, nearer to whatever the training text talked about more. For real senses we have not measured that.
#
# The course has sentences for ten such words, written for it by language models and not yet checked by a native speaker. They are evenly labelled, so the ceiling is one over the number of senses. Beside it stands a simple reader of the context: it counts how often each character stands in the training sentences of each sense, eight sentences for a sense, and names the sense that makes a new sentence's characters most probable. This is **naive Bayes**; naive, because it treats the characters as independent.

# %% slide="subslide"
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB


def around(sentence):
    """The characters of the sentence without the word itself."""
    tokens = sentence.tokens[: sentence.position] + sentence.tokens[sentence.position + 1 :]
    return " ".join("".join(tokens))


names, ceiling, reader = [], [], []
for word, examples in chinese.items():
    train = [s for s in examples if s.split == "train"]
    test = [s for s in examples if s.split == "test"]
    count = CountVectorizer(token_pattern=r"\S")
    model = MultinomialNB().fit(count.fit_transform(map(around, train)), [s.sense for s in train])
    right = model.predict(count.transform(map(around, test))) == [s.sense for s in test]
    names.append(examples[0].pinyin)
    ceiling.append(100 * majority_ceiling([word] * len(test), [s.sense for s in test]))
    reader.append(100 * right.mean())
    if word == "打":
        for sense in dict.fromkeys(s.sense for s in test):
            hits = [ok for ok, s in zip(right, test, strict=True) if s.sense == sense]
            print(f"{sense:>10}: {sum(hits)} of {len(hits)} right")

for word, examples in chinese.items():
    print(f"{word}  {' / '.join(dict.fromkeys(s.pinyin for s in examples))}")
plots.bars(
    names,
    {"ceiling of one vector": ceiling, "characters of the context": reader},
    title="Ten ambiguous Chinese words, 12 to 24 test sentences each",
    ylabel="percent right",
)

# %% [markdown]
# So few sentences make the bars rough: read them together, and not one by one. And note that the reader is still poor at 打. Its best sense is *play*, as the first lines of the output say: one ball game shares the character 球 (*ball*) with the next. Injections it misses. 镇静剂 (a sedative) and 玻尿酸 (a filler for the skin) share no character with 胰岛素 (insulin), 疫苗 (a vaccine) or 麻药 (an anaesthetic) in its training sentences, and it has never learnt that all of them come in a syringe. It would need vectors for the words around, and to read them in order.
#
# A caution about 打. Many programs that cut Chinese text into words take 打针 (give an injection) as *one* word. Then its 打 and the 打 of 打篮球 (play basketball) may never be one token type, and never share a vector. In our sentences the language models that wrote them set 打 apart on purpose.
#
# ### Myth or measured?
#
# > *"A model must find out whether* 银行 *means a financial bank or a river bank."*
#
# Here the English example has been carried over into Chinese. A dictionary settles it: the one is 银行 (yínháng), the other 河岸 (hé'àn). What does that do to the ceiling? The table below gives each sense its word in the other language. It is written by hand, and each sense gets a word of its own, so the new ceiling is 100 % by construction. Keep an eye on the words of 打.

# %% slide="subslide"
TRANSLATION = {
    "bank.money": "银行",
    "bank.river": "河岸",
    "打.strike": "hit",
    "打.play": "play",
    "打.inject": "inject",
    "打.call": "call",
}

bank = [s.sense for s in sense_sentences("english") if s.word == "bank"]
hit = [s.sense for s in chinese["打"]]
for word, senses in (("bank", bank), ("打", hit)):
    before = majority_ceiling([word] * len(senses), senses)
    translated = [TRANSLATION[sense] for sense in senses]
    after = majority_ceiling(translated, senses)
    print(f"{word}: ceiling {before:.0%}; as {', '.join(sorted(set(translated)))}: {after:.0%}")

# %% [markdown]
# **A myth, by the dictionary: 银行 is not ambiguous.** It only means the financial institution. Two words, two vectors, and the two senses of *bank* are apart. This part was looked up, not measured. And did the way into English free 打 of its ambiguity? Only in this list. One of its words is *play*, which had three meanings in section 1: one ambiguity is gone and another has come. Ambiguity belongs to a word of *one* language, and an example of it seldom survives translation. For Chinese take 打, 苹果, 包袱, 意思 or 行. (The character 行 *inside* 银行 is ambiguous when it stands alone: xíng, *all right*; háng, *a line* or *a trade*.)

# %% [markdown] slide="slide"
# ## 8. Two kinds of vectors, two sizes?
#
# ### CBOW, skip-gram and their variance
#
# > *"The vectors of CBOW and of skip-gram have very different variance. A scale parameter in front of the network therefore speeds up its training."*
#
# The claim comes without numbers. It has two halves, and both can be tested. First: how many times larger is the variance of the numbers in CBOW's table? 1 means no difference; your guess holds if it is within a factor of 1.25.

# %%
predict("variance_ratio", "Variance of CBOW's numbers over skip-gram's, on this text?", unit="x")

# %% slide="subslide"
cbow = Word2Vec(hidden_text, sg=0, seed=11, progress=True, **course_options(text.name))
ratio = float(cbow.vectors.var() / skip_gram.vectors.var())
outcome("variance_ratio", ratio, unit="x", factor=1.25)

# %% slide="subslide"
print(f"skip-gram {skip_gram.vectors.var():.4f}, CBOW {cbow.vectors.var():.4f}")
STORED_VARIANCE = stored_result("static_variance")
print(STORED_VARIANCE)
ratios = STORED_VARIANCE.numbers["variance of CBOW over skip-gram"]
plots.bars(
    [name.replace(", alpha", ",").replace("elmo_mini", "this course") for name in ratios],
    {"CBOW over skip-gram": [r["mean"] for r in ratios.values()]},
    errors={"CBOW over skip-gram": np.array([r["high"] - r["mean"] for r in ratios.values()])},
    title="Variance of CBOW's numbers over skip-gram's (stored, Brown, 5 seeds)",
    xlabel="program and learning rate",
    ylabel="ratio",
    level=("no difference", 1.0),
)

# %% [markdown]
# In the stored runs the ratio depends on the program and on the learning rate, and once it is even below 1. So "very different" is **too much said**: which of the two is larger depends on the settings, and the factor is smaller than two in all of them.
#
# Second half: does a scale in front help? Take the contexts of the pseudo-words, multiply their averages by a number, and give a logistic regression a fixed number of steps with a fixed learning rate. Below is its loss on the data it is fitted to: how far it has got. The printed line is the loss of a classifier that knows only how often each word stood there.

# %% slide="subslide"
scales = STORED_VARIANCE.numbers["scales"]
losses = STORED_VARIANCE.numbers["loss after 100 steps"]
p = column(everywhere, "share of the first")
print(f"Knowing the shares alone: {-np.mean(p * np.log(p) + (1 - p) * np.log(1 - p)):.2f}")
for kind, points in losses.items():
    best = int(np.argmin([point["mean"] for point in points]))
    print(f"{kind}: lowest, {points[best]['mean']:.2f}, at scale {scales[best]:g}")
plots.curves(
    scales,
    {kind: [point["mean"] for point in points] for kind, points in losses.items()},
    bands={
        kind: (np.array([p["low"] for p in points]), np.array([p["high"] for p in points]))
        for kind, points in losses.items()
    },
    title="Loss after 100 steps at rate 0.1 (stored, 12 pairs, 5 seeds)",
    xlabel="scale in front of the context average",
    ylabel="loss",
    log_x=True,
    log_y=True,
)

# %% [markdown]
# **Measured: the scale matters, for both.** Too small and little is learnt in time, as the loss of knowing the shares alone shows; too large and the steps overshoot. CBOW's best scale is smaller than skip-gram's, which fits its larger vectors in these settings. The curves differ in more than a shift, so variance is not the whole story. The remedy is sound, the reason too simple: the size of the inputs against the learning rate matters, for either kind of vector. Hold on to this. In lesson 08 ELMo gets exactly such a number, γ, and learns it.

# %% [markdown] slide="slide"
# ## Recap
#
# - GloVe counts first, and fits scores to log-counts by weighted least squares; the weight stops at 1, and pairs that never occur add nothing.
# - fastText adds up the vectors of character n-grams. Every spelling gets a vector. It is still one vector per word.
# - Pseudo-words make ambiguity with known answers out of any text.
# - The vector of a pseudo-word is mostly a mixture of its two words, weighted by frequency.
# - A method that sees only the word's vector is held to the commonest sense of each word. The average of the context already passes that ceiling.
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
# It removes the mixture: each vector is trained on the sentences of its own sense. But somebody must say which sense each place in the text has, in training and again in use. That decision needs the context, so the problem has moved and is not gone. Dictionaries also disagree on how many senses a word has, rare senses have few examples, and new senses appear, such as 苹果 the company. And within one sense the use of a word still differs from sentence to sentence, while its vector stays the same. A vector that is computed from the sentence needs no list of senses.

# %% [markdown]
# ## Further reading
#
# - The GloVe paper, for the equation of $J$; compare it with section 10 of lesson 01.
# - The fastText paper, section 5.5, on the lengths of the n-grams.
# - In the package: `elmo_mini/word_vectors/glove.py`, `elmo_mini/word_vectors/fasttext.py`, `elmo_mini/word_vectors/pseudo_words.py`, `elmo_mini/word_vectors/majority_ceiling.py`; the stored experiments are `python -m elmo_mini.experiments.static`.
#
# Next: **03 · context enters.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Is the ceiling a property of word2vec?* No, of anything that maps a word to one thing. Let them say it in their own words: "same input, same output". *Is the context average not static as well?* Its ingredients are; the result depends on the sentence. *Why are the points not on the diagonal?* Noise of vectors trained on a few hundred places, and subsampling and the loss do not weigh places evenly. *Does BERT solve it?* Helps, not solves: ELMo's paper has 69.0 F1 for its second layer against 65.9 for the first WordNet sense (Table 5). *Poll before section 5:* "A classifier with a million parameters sees only the vector of the pseudo-word. What is the best it can do?"
