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
# # 06 · From characters
#
# ELMo has no table of words. It reads each word letter by letter and makes a vector on the spot, even for a word that nobody has written before. Here you build this reader. It runs on trained weights, and you measure what letters know and what they do not.

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("06")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - turn any word of any script into fifty numbers,
# - write the convolution, the maximum over time and the highway that turn these into a vector,
# - put the parts together into an encoder that loads a trained model's weights,
# - find the fault in a broken encoder from its symptoms,
# - say for which words reading letters helps, for which it does not, and where counting letters does just as well.
#
# ## The papers
#
# - **ELMo**: Peters and others, [*Deep contextualized word representations*](https://aclanthology.org/N18-1202/), NAACL 2018, section 3.4 for the encoder.
# - Kim, Jernite, Sontag and Rush, [*Character-Aware Neural Language Models*](https://arxiv.org/abs/1508.06615), AAAI 2016: convolution, maximum over time, highway.
# - Srivastava, Greff and Schmidhuber, [*Highway Networks*](https://arxiv.org/abs/1505.00387), 2015.
# - **fastText**: Bojanowski and others, [*Enriching Word Vectors with Subword Information*](https://arxiv.org/abs/1607.04606), TACL 2017; lesson 02 built it.
#
# Plan an hour and forty minutes to an hour and fifty; the exercises are about an hour of that. Short of time? Exercises 1 to 4 are the spine: without exercise 5 the lesson goes on. Exercise 6 is in the last section, which is for those who have another half hour. Whenever you do them, both count in full.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $N$ | words encoded at once | $F$ | filters |
# | $T$ | steps of what is read: here the 50 places of a word's row | $H$ | numbers in a word's vector, as in one direction of ELMo |
# | $D$ | numbers for each letter | $x, y$ | what goes into a highway, and what comes out |
# | $p, j$ | a place in the word, a column of a stencil | $g$ | a highway's gate, from 0 to 1 |

# %% [markdown] instructor=true
# **Instructor.** A first reader's minutes: opening 3; section 1, 7; section 2, 11; section 3, 20; section 4, 9; section 5, 20; section 6, 11; section 7, 7; the myth, 5; recap and essay, 8: about 100; the optional section, 25 more. For 90 minutes leave the essay for home. For 45: show exercise 2 solved, let them do 1, 3 and 4, and end with the figures of section 7. Students get stuck in exercise 2 on shapes: draw one word as a strip of T columns with D numbers each, and cut a window out of paper. In exercise 4 they forget the row of zeros. The vocabulary comes from old novels, speeches and film reviews; a neighbour list can show an ugly word.

# %%
import numpy as np
import torch
from gensim.models import FastText
from torch import nn

from autograde import calibration, check, or_reference, outcome, predict
from elmo_mini import corpora
from elmo_mini.bilm import plain
from elmo_mini.bilm.model import BiLM
from elmo_mini.characters import closeness, ids, spellings
from elmo_mini.checkpoints.official import official_weights
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT, load_pretrained
from elmo_mini.figures import plots
from elmo_mini.figures.interval_bars import interval_bars
from elmo_mini.figures.slider import Slider
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.progress import progress_bar
from elmo_mini.results.stored import stored_result
from elmo_mini.text.vocabulary import Vocabulary

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% [markdown] slide="slide"
# ## 1. Words that nobody has seen
#
# *Twas brillig, and the slithy toves did gyre and gimble in the wabe.* You have never met a tove. Still, you know that *slithy* describes something, that there are several *toves*, and that *gimble* is something they do. You know it from the shape of the words.
#
# Here is **layer 0** of the course's own ELMo: the vectors that it makes from letters alone, below all its other layers. It was trained on novels, speeches, film reviews and other texts. For words outside its vocabulary of 16,000, the cell prints the nearest words inside it.

# %%
bilm = load_pretrained()
weights = official_weights(bilm)  # named tensors, as in the official files
known = Vocabulary.load(COURSE_CHECKPOINT.with_name("vocabulary.json")).words[3:]


def encoder(char_cnn, ids_of):
    """A function from a list of words to their vectors, (words, H)."""

    @torch.no_grad()
    def encode(words):
        rows = torch.stack([torch.as_tensor(ids_of(word)) for word in words])
        parts = progress_bar(rows.split(500), "reading letters", show=len(rows) > 500)
        return torch.cat([char_cnn(part) for part in parts]).numpy()

    return encode


def show_neighbours(close, words, n=6):
    """Print the nearest known words of each word."""
    for word, places in zip(words, closeness.nearest(close, words, known, n), strict=True):
        print(f"{word:>14}: {', '.join(known[i] for i in places)}")


theirs = closeness.by_vectors(encoder(plain.CharCNN(weights), ids.word_to_ids))
show_neighbours(theirs, ["wuggling", "unhappiest", "photographing", "Wensday", "rethinkable"])

# %% [markdown]
# Try words of your own in the last line. (The list comes from old books and film reviews. It holds words of their time, a few of them ugly.)
#
# What do the neighbours share? Not just any letters: *purest* and *unhappiest* share only an ending. Section 7 measures what layer 0 goes by. A table of words, such as word2vec's, has **no answer at all** here.
#
# How often does a table meet such a word? Let us count in a text that the model has never read. Punctuation, numbers and words with a hyphen or an apostrophe are left out, for texts differ in how they write them.

# %%
predict(
    "unknown",
    "Of 100 running words of another text, how many are not among these 16,000?",
    unit="%",
)

# %%
text = corpora.course_text()
words = [word for sentence in text.sentences() for word in sentence if word.isalpha()]
listed, different = set(known), set(words)
unlisted = sorted(different - listed)
print(f"{len(unlisted):,} of {len(different):,} different words are not listed, such as")
print("  ", ", ".join(unlisted[:: len(unlisted) // 8]))
outcome("unknown", float(100 * np.mean([word not in listed for word in words])), unit="%")

# %% [markdown] slide="slide"
# ## 2. Fifty numbers
#
# Every word becomes a row of exactly fifty numbers. The first says *here a word begins*. Then come the word's **bytes**, one number each. Then *here it ends*. What is left of the row is filled with a mark of its own, *padding*.
#
# Why bytes and not letters? Unicode has more than a hundred thousand characters. A table with a row for each would stay mostly untrained. UTF-8 writes all of them with 256 different bytes: *a* is one byte, *ï* two, 打 three.
#
# | | id | in the row, shifted by one |
# |---|---|---|
# | a byte | 0 to 255 | 1 to 256 |
# | start and end of a sentence | 256, 257 | 257, 258 |
# | start of a word | 258 | 259 |
# | end of a word | 259 | 260 |
# | padding in a word's row | 260 | 261 |
#
# Last, **1 is added to every id**, once. That frees 0, and a row of fifty zeros means: there is no word here, the sentence is over. This is the **mask**. It is not the same as 261, which fills up the row of a word.

# %% [markdown] exercise="character_ids"
# ### Exercise 1. A word as fifty numbers
#
# Write `character_ids(word)`. Return fifty whole numbers (a list will do): start of the word, its UTF-8 bytes, end of the word, padding, all shifted by one. A word of more than 48 bytes is cut to its first 48, even if the cut goes through a letter.


# %% exercise="character_ids"
def character_ids(word):
    """The fifty ids of a word."""
    ### BEGIN SOLUTION
    row = [258, *word.encode("utf-8")[:48], 259]
    row += [260] * (50 - len(row))
    return [number + 1 for number in row]
    ### END SOLUTION


# %% check="character_ids"
check("character_ids", character_ids)

# %% [markdown] hints="character_ids"
# nudge: What does `list("naïve".encode("utf-8"))` give? How many numbers are there, and how many letters?
#
# idea: Build the row with the numbers before the shift: 258, the bytes, 259, then 260 until there are fifty. Add 1 to all of them in the last line.
#
# outline: `word.encode("utf-8")` is a sequence of whole numbers; cut it with `[:48]` after encoding, before the end mark. Count how many 260s it takes to reach fifty. Add 1 in a list comprehension.

# %%
character_ids = or_reference("character_ids", character_ids)

for word in ("cat", "naïve", "打针"):
    print(f"{word:>5}:", *list(character_ids(word))[:11], "…")

# %% [markdown] slide="slide"
# ## 3. A stencil slid along the word
#
# Each id has a row of $D$ numbers in a small table, so a word is now a strip: $T = 50$ columns of $D$ numbers. How do you get one vector from a strip?
#
# Cut a **stencil** out of cardboard, three columns wide. Slide it along the strip, one column at a time. At each place it reports how well it matches the letters below. A stencil for *-ing* matches once in *sing*, twice in *singing* and not at all in *sin*. Such a stencil is a **filter**, and sliding it is a **convolution**.
#
# For filter $f$ with weights $W$ and bias $b$, at place $p$:
#
# $$\text{match}_{f}(p) = b_f + \sum_{d=1}^{D} \sum_{j=0}^{\text{width}-1} W_{f,d,j}\; \text{letters}_{d,\,p+j}$$
#
# The stencil stays inside the strip, so there are $T - \text{width} + 1$ places.

# %% [markdown] exercise="convolve"
# ### Exercise 2. A convolution by hand
#
# Write `convolve(letters, weight, bias)` without PyTorch's `conv1d`:
#
# - `letters` (N, D, T): N words side by side,
# - `weight` (F, D, width), `bias` (F,): F stencils of the same width.
#
# Return a tensor (N, F, T − width + 1) that autograd can follow back. A loop over the places, or over the columns of the stencil, is fine. Loops over words and filters are too slow: 16,000 words and 512 filters wait below.


# %% exercise="convolve"
def convolve(letters, weight, bias):
    """The match of every filter at every place, (N, F, T - width + 1)."""
    ### BEGIN SOLUTION
    width = weight.shape[2]
    places = letters.shape[2] - width + 1
    matches = bias[:, None]
    for j in range(width):
        matches = matches + weight[:, :, j] @ letters[:, :, j : j + places]
    return matches
    ### END SOLUTION


# %% check="convolve"
check("convolve", convolve)

# %% [markdown] hints="convolve"
# nudge: A word of 5 letters and a stencil of width 2: at how many places can it lie? Draw them.
#
# idea: Fix one column $j$ of the stencil. Over all places it meets the letters `letters[:, :, j : j + places]`, and `weight[:, :, j]` has shape (F, D). A matrix product of the two adds up over D for all words, filters and places at once. (Or fix one place, and let the whole stencil meet one window. Flatten both in the same order.)
#
# outline: `places = T - width + 1`. Start with `bias[:, None]`, shape (F, 1), so that it lies along the filters. For each `j` below `width`, add `weight[:, :, j] @ letters[:, :, j : j + places]`, which is (N, F, places).

# %% slide="subslide"
convolve = or_reference("convolve", convolve)


def strip(words):
    """The letters of words as strips, (N, D, T), from the trained table."""
    rows = torch.tensor([list(character_ids(word)) for word in words])
    return weights["char_embed"][rows - 1].transpose(1, 2)


W, b = weights["CNN/W_cnn_3"][0].permute(2, 1, 0), weights["CNN/b_cnn_3"]  # 128 filters of width 4
by_torch = nn.functional.conv1d(strip(known[:200]), W, b)
difference = (convolve(strip(known[:200]), W, b) - by_torch).abs().max()
print(f"largest difference from conv1d: {difference:.1e}")

SPEND = 10  # a filter of the trained model
found = convolve(strip(["suspended"]), W[[SPEND]], b[[SPEND]])[0, 0, :10]
marked = "<suspended>··"
plots.bars(
    [marked[p : p + 4] for p in range(10)],
    {"match": found},
    title=f"Filter {SPEND} of width 4, slid along 'suspended'",
    ylabel="match",
)

# %% [markdown]
# (`<` and `>` are the marks for start and end, `·` is padding.)
#
# Where in the word the best match lies does not matter much: *-spen-* is the same in *spend* and in *suspended*. So each filter keeps only its largest match, the **maximum over time**. ("Time" is the name for the axis that is read along, even where no time passes.) That makes one number for each filter, however long the word.
#
# What do trained filters look for? Take the words in which a filter matches best. Below them is the control: filters of the same network with random weights, as before training.

# %% slide="subslide"
with torch.random.fork_rng():
    torch.manual_seed(0)
    at_random = official_weights(BiLM(bilm.options))  # the same network, untrained

letters_only = [word for word in known[:6000] if word.isalpha()]
rows = torch.tensor([list(character_ids(word)) for word in letters_only])
for state, w in {"trained": weights, "untrained": at_random}.items():
    strips = w["char_embed"][rows - 1].transpose(1, 2)
    W, b = w["CNN/W_cnn_3"][0].permute(2, 1, 0)[[0, 7, 10]], w["CNN/b_cnn_3"][[0, 7, 10]]
    best = convolve(strips, W, b).amax(-1)  # (words, 3): the maximum over time
    for f, number in enumerate((0, 7, 10)):
        top = best[:, f].argsort(descending=True)[:7]
        print(f"{state:>9}, filter {number:>2}:", ", ".join(letters_only[i] for i in top))

# %% [markdown]
# An untrained filter has its favourite letters, too: any stencil matches something. So do not read a neat list as a proof of learning. What the network can **do** with its filters is the question of section 7.
#
# The published ELMo has filters of widths 1 to 7, numbering 32, 32, 64, 128, 256, 512 and 1024: 2048 in all, and letters of $D = 16$ numbers. The course checkpoint has the first five kinds: $F = 512$.

# %% [markdown] slide="slide"
# ## 4. A road with two lanes
#
# After the maximum, relu sets every negative number to 0. The result $x$ says which letter patterns a word contains. But *-ed* means one thing after *walk* and another in *bed*: patterns must be **combined**. A dense layer, $\text{relu}(x W + b)$, could do it. But it would have to learn to copy everything that is fine as it is.
#
# A **highway** makes copying free. Two lanes lead from $x$ to $y$: one makes something new, the other lets the old through. Each number has a gate $g$ that mixes the two ($\sigma$ is the sigmoid):
#
# $$g = \sigma(x W_{\text{carry}} + b_{\text{carry}}), \qquad y = g \cdot \text{relu}(x W_{\text{transform}} + b_{\text{transform}}) + (1 - g) \cdot x$$
#
# ELMo's official files call the gate *carry*, though it multiplies the **new**, so it is easy to load the weights the wrong way round. (Some summaries say that ELMo "also supports" convolutions or highways. Both are standard in the published models; the original has two highways.)

# %% [markdown] exercise="highway"
# ### Exercise 3. A highway
#
# Write `highway(x, W_transform, b_transform, W_carry, b_carry)` as in the formula. `x` is (N, F), the matrices (F, F), the biases (F,). Return (N, F), for autograd. The scores inside the sigmoid can go beyond ±1,000.


# %% exercise="highway"
def highway(x, W_transform, b_transform, W_carry, b_carry):
    """(N, F) to (N, F): a gate between the new and the old."""
    ### BEGIN SOLUTION
    g = torch.sigmoid(x @ W_carry + b_carry)
    return g * torch.relu(x @ W_transform + b_transform) + (1 - g) * x
    ### END SOLUTION


# %% check="highway"
check("highway", highway)

# %% [markdown] hints="highway"
# nudge: Which lane does $g$ open, the new or the old? What is left for the other?
#
# idea: Two lines. One makes the gate, with `torch.sigmoid`. The other makes the new with `torch.relu` and mixes. Every number has its own gate, so the products are elementwise.
#
# outline: `g = torch.sigmoid(x @ W_carry + b_carry)`; the new is relu of the same with the transform weights; return `g` times the new plus `1 - g` times `x`. The vector stands on the left of the matrix, and nothing is transposed.

# %%
highway = or_reference("highway", highway)

# %% [markdown]
# When training starts, $b_{\text{carry}}$ is −2, so $g$ is about $\sigma(-2) = 0.12$: nearly everything takes the old lane. Why −2? The last section derives the reason and asks whether it is needed.

# %% [markdown] slide="slide"
# ## 5. Your encoder
#
# Now the parts come together. The last one is a **projection**: a matrix that takes the $F$ numbers down to $H$.
#
# letters → strip → filters, maximum over time, side by side → relu → highways → projection
#
# The weights come as a dict of tensors, under the names of the official ELMo files. Here they are, with their shapes:

# %%
for name, tensor in weights.items():
    if not name.startswith("RNN"):
        print(f"{name:>24} {tuple(tensor.shape)}")

# %% [markdown] exercise="CharCNN"
# ### Exercise 4. From letters to the vector of a word
#
# Write the class `CharCNN`. `CharCNN(weights)` keeps the weights as parameters, so that an optimiser finds them. `forward(ids)` takes (N, 50) ids and returns (N, H) vectors. Use your `convolve` and your `highway`.
#
# - The table `char_embed` has 261 rows: id 1 is its first. Id 0, no word, stands for a row of zeros.
# - The files keep filters as (1, width, D, F). Your `convolve` wants (F, D, width).
# - There may be any number of widths (`CNN/W_cnn_0`, `CNN/W_cnn_1`, …) and of highways (`CNN_high_0`, …), also none. To count them: `sum(name.startswith("CNN/W_cnn_") for name in weights)`, and `sum(name.endswith("/W_carry") for name in weights)`.
# - Put the maxima of all widths side by side, in the order of their numbers. Relu comes after the maximum, and nothing after the projection.


# %% exercise="CharCNN"
from torch import nn


class CharCNN(nn.Module):
    """The vector of a word from its letters."""

    def __init__(self, weights):
        super().__init__()
        ### BEGIN SOLUTION
        self.weights = nn.ParameterDict(weights)
        self.widths = sum(name.startswith("CNN/W_cnn_") for name in weights)
        self.highways = sum(name.endswith("/W_carry") for name in weights)
        ### END SOLUTION

    def forward(self, ids):
        """Ids (N, 50) to vectors (N, H)."""
        ### BEGIN SOLUTION
        w = self.weights
        no_word = torch.zeros_like(w["char_embed"][:1])
        letters = torch.cat([no_word, w["char_embed"]])[ids].transpose(1, 2)  # (N, D, 50)
        found = []
        for i in range(self.widths):
            filters = w[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)  # (F, D, width)
            found.append(convolve(letters, filters, w[f"CNN/b_cnn_{i}"]).amax(-1))
        x = torch.relu(torch.cat(found, -1))  # (N, all F)
        for i in range(self.highways):
            parts = ("W_transform", "b_transform", "W_carry", "b_carry")
            x = highway(x, *(w[f"CNN_high_{i}/{part}"] for part in parts))
        return x @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"]
        ### END SOLUTION


# %% check="CharCNN"
check("CharCNN", CharCNN)

# %% [markdown] hints="CharCNN"
# nudge: In `__init__`, only keep things and count them: `nn.ParameterDict(weights)` makes parameters of a whole dict, and the two sums tell `forward` how often to go round.
#
# idea: Put a row of zeros in front of the table with `torch.cat`; then `table[ids]` is right for every id, 0 included. It gives (N, 50, D), and `convolve` wants (N, D, 50). A filter bank is `weights["CNN/W_cnn_0"][0]`, (width, D, F): turn it with `permute(2, 1, 0)`.
#
# outline: `forward`: look up and transpose. For each width: `convolve(...)`, then `.amax(-1)`; keep the results in a list. `torch.cat(..., -1)`, relu. For each highway: call `highway` with its four weights in order. Return `x @ W_proj + b_proj`.

# %% [markdown]
# The weights of the trained model now go into **your** class. The model's own layer 0 is the judge:

# %% slide="subslide"
CharCNN = or_reference("CharCNN", CharCNN)

mine = CharCNN({name: part for name, part in weights.items() if not name.startswith("RNN")})
encode = encoder(mine, character_ids)
layer_0 = encoder(bilm.token_encoder, character_ids)(known[:1000])
difference = np.abs(encode(known[:1000]) - layer_0).max()
print(f"1,000 words, {layer_0.shape[1]} numbers each: largest difference {difference:.1e}")
print("Your encoder makes layer 0." if difference < 1e-5 else "Not the same: see exercise 4.")

# %% [markdown]
# The ELMo paper calls this vector $x_k$ (not the highway's $x$), and, as the lowest of its layers, $h_{k,0}$. It depends on the spelling and on nothing else: *bank* gets one vector in every sentence, as in lesson 02. Context comes with the layers above, in lesson 07.
#
# A small RNN over the letters is the other usual way; TagLM's tagger for names has one (lesson 05).
#
# Everything below runs on your encoder.

# %% [markdown] slide="slide"
# ## 6. Three broken encoders
#
# A wrong encoder seldom crashes. It gives vectors, a model trains on them, the results are a little worse, and nobody knows why. Here are three encoders, each with **one** fault and with the same trained weights. The figure compares them with a sound one.

# %% slide="subslide"
from autograde.exercises.from_characters.broken import encoder_with, planted

LONG = "taumata" * 9  # more than 48 bytes: its row has no padding
broken, sound = planted(weights), encoder_with("", weights)
probes = ["a", "cat", "Wednesday", "counterrevolutionary", LONG, "naïve", "café"]


def off(encode_broken, word, stage="vectors", **how):
    """Distance from the sound encoder, as a percentage of the sound one's length."""
    right, wrong = sound([word], **how)[stage], encode_broken([word], **how)[stage]
    return float(100 * (wrong - right).norm() / right.norm())


columns = [word if word != LONG else "63 letters" for word in probes]
columns += ["Wednesday:\nletters", "filters", "highway", "gate shut"]
stages = [("letters", False), ("filters", False), ("highway", False), ("highway", True)]
symptoms = [
    [off(e, word) for word in probes] + [off(e, "Wednesday", s, shut=shut) for s, shut in stages]
    for e in broken.values()
]
plots.table(
    np.array(symptoms),
    list(broken),
    columns,
    title="Distance from a sound encoder, in percent of its length",
    form="{:.0f}",
)

# %% [markdown]
# The first seven columns are whole words. The last four follow *Wednesday* through the stages: its strip of letters, the filters, the highway, and the highway with its gate shut by hand (bias −50). You can put in any word: `off(broken["A"], "yourword")`.

# %% [markdown] exercise="broken_encoders"
# ### Exercise 5. What is wrong with them?
#
# Each encoder has one of these faults:
#
# 1. bytes are not shifted by one
# 2. padding is read as id 0
# 3. characters, not bytes
# 4. no end mark
# 5. lower case first
# 6. mean over the places
# 7. the gate the other way round
# 8. no relu in the highway
#
# Write `broken_encoders()`. Return a dict with a number for each: `{"A": ..., "B": ..., "C": ...}`.


# %% exercise="broken_encoders"
def broken_encoders():
    """The number of each encoder's fault."""
    ### BEGIN SOLUTION
    return {"A": 2, "B": 3, "C": 7}
    ### END SOLUTION


# %% check="broken_encoders"
check("broken_encoders", broken_encoders)

# %% [markdown] hints="broken_encoders"
# nudge: For each fault, ask: which words would come out *exactly* right? Then look for zeros in the table.
#
# idea: A fault in the padding spares a word whose row is full. A fault in the letters spares words without such letters. A fault after the maximum leaves the first stages alone.
#
# outline: Build a table of your own: for each fault, which of the words *a*, *naïve*, the one of 63 letters come out exactly right, and at which stage of *Wednesday* does the distance begin? Then lay it beside the figure. For C, ask of both faults of the highway what comes out when its gate is shut.

# %% [markdown] slide="slide"
# ## 7. What do letters know?
#
# Reading letters is often praised for four things in one breath: unseen words, morphology, misspellings, rare words. Let us take the praise apart. We ask the same of your encoder and of readers that know less:
#
# - **the same, untrained**: your class with random weights, which knows letters and nothing else,
# - **fastText** (lesson 02), trained here on a small news text,
# - **letters to change**: no network, only the number of letters to insert, delete or replace; ties are broken by chance,
# - later, **the longest common ending**: no network either.

# %%
READERS = ["your encoder", "the same, untrained", "fastText, small news", "letters to change"]
news = list(corpora.lee().sentences())
settings = {"vector_size": 50, "min_count": 5, "sg": 1, "alpha": 0.05, "bucket": 20_000}
fast = FastText(news, **settings, epochs=10, ns_exponent=0.5, seed=1, workers=1)
untrained = CharCNN({k: part for k, part in at_random.items() if not k.startswith("RNN")})
readers = [
    closeness.by_vectors(encode),
    closeness.by_vectors(encoder(untrained, character_ids)),
    closeness.by_vectors(lambda words: np.stack([fast.wv.get_vector(word) for word in words])),
    closeness.by_letters,
]
print(f"fastText has read {len(news):,} sentences ten times")

# %% [markdown]
# First, 128 misspellings such as *goverment* or *freind*. A language model wrote the list from memory, and no one has checked it; none occurs in the text that your encoder's weights were trained on. A misspelling is a hit if the nearest of the 16,000 known words is the one that was meant.

# %%
CLEARLY = ["the trained encoder, clearly", "the untrained, or no clear difference"]
predict("slips", "Which encoder finds the meant word more often?", options=CLEARLY)

# %%


def interval(outcomes):
    """A share with its 95 % interval: the words are drawn again, 2,000 times (bootstrap)."""
    row = bootstrap_interval(outcomes[None], np.arange(len(outcomes)))
    return dict(zip(("mean", "low", "high"), row, strict=True))


misspelt = spellings.misspelt_words()
hits = [closeness.finds_meant(close, misspelt, known) for close in readers]
LABELS = [name.replace(", ", ",\n") for name in READERS]
title = "The meant word is the nearest of 16,000"
interval_bars(LABELS, {"share": [interval(hit) for hit in hits]}, title=title, ylabel="percent")

# %%
gain = interval(hits[0] - hits[1])  # on the same words
print(f"training adds {100 * gain['mean']:.0f} points ({100 * gain['low']:.0f} to", end=" ")
print(f"{100 * gain['high']:.0f})")
outcome("slips", CLEARLY[0] if gain["low"] > 0 else CLEARLY[1])

# %% [markdown]
# Training has not made the encoder better at spelling than it was with random weights. And no network is ahead of the bare count of letters. **What finds misspelt words is that letters are read at all.** A word table would score 0 here, so the advantage over a table is large. A count of letters has the same advantage.
#
# So what has training done? The neighbours in section 1 gave a hint: *-ing* words beside *-ing* words, superlatives beside superlatives. Let us ask for **grammar**: of the five nearest known words, how many have the same part of speech? (Brown's tags are fine-grained: plural, past tense and superlative are different tags.) One control is a must: words with the same ending often have the same tag, so **the longest common ending** is asked, too. The test needs Brown's tags and fastText trained on the model's own text, so its result is stored.

# %% slide="subslide"
STORED = stored_result("characters_neighbours")
print(STORED)
numbers = STORED.numbers
for asked in ("class of unseen words", "class of frequent words"):
    shares = {name: part["mean"] for name, part in numbers[asked]["share"].items()}
    shares[f"always {numbers[asked]['commonest class']}"] = numbers[asked]["its share"]
    print(f"{asked}:", ", ".join(f"{name} {100 * part:.0f} %" for name, part in shares.items()))

ASKED = ["class of unseen words", "class of frequent words", "misspelt"]
OTHERS = list(numbers["misspelt"]["checkpoint ahead of"])
ahead = {q: [numbers[q]["checkpoint ahead of"][name] for name in OTHERS] for q in ASKED}
LABELS_THERE = [name.replace(", ", ",\n").replace("common ", "common\n") for name in OTHERS]
title = "How far layer 0 is ahead of other readers (stored)"
interval_bars(LABELS_THERE, ahead, title=title, ylabel="percentage points")

# %% [markdown]
# Each bar is a difference on the same words (*paired*), and a whisker that crosses 0 is no clear difference.
#
# - **Unseen words: grammar, and most of it is the ending.** Layer 0 finds neighbours of the right class far more often than letters to change or the untrained network do. But the longest common ending gets most of the way by itself: training is worth a few points beyond that.
# - **Frequent words: the same, with a clearer lead over the ending.** fastText on the same text gets less than the ending does, for unseen and frequent words alike. (One guess: it learns from a window of words on both sides, and gathers words of one topic, whatever their class.)
# - **Misspellings: nothing.** Layer 0 is behind letters.
#
# The encoder takes any bytes, so Chinese, too, gets vectors:

# %%
show_neighbours(readers[0], ["打针"])

# %% [markdown]
# 打针 is *to have an injection*. This model has read English only, and its neighbours have nothing to do with injections. It gives a vector for everything, and no error warns you.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"ELMo's bottom layer is the word embedding: words of like meaning lie close together."*
#
# One reads this in many drawings of ELMo. Ask in two ways, both times about a word such as *lawyer*. Is it closer to *attorney* than to **any ordinary word** with the same tag and about the same length and frequency as *attorney*? And is it closer to *attorney* than to *layer*, which is near in **letters** only? We have 68 words with two such partners each. (A language model wrote the list, and nobody has checked it. For four of the words no ordinary rivals could be drawn.)

# %%
predict("meaning", "For how many of 100 words does layer 0 choose meaning over letters?", unit="%")

# %% slide="subslide"
any_word, look_alike = numbers["meaning or any word"]["drawn"], spellings.meaning_or_letters()
chosen = {"an ordinary word": [], "a word near in letters": []}
for close in readers:
    five_each = closeness.prefers_meaning(close, any_word).reshape(-1, 5)  # five rivals a word
    chosen["an ordinary word"].append(five_each.mean(1))
    chosen["a word near in letters"].append(closeness.prefers_meaning(close, look_alike))
bars = {f"against {name}": [interval(part) for part in rows] for name, rows in chosen.items()}
title = "lawyer: closer to attorney than to … ?"
interval_bars(LABELS, bars, title=title, ylabel="percent", level=("a coin", 50))

# %%
for name, key in (("an ordinary word", "any word"), ("a word near in letters", "letters")):
    stored = numbers[f"meaning or {key}"]["share"]["fastText, same text"]
    share = "{mean:.0%} ({low:.0%} to {high:.0%})".format(**stored)
    print(f"fastText on the model's own text (stored), against {name}: {share}")
outcome("meaning", float(100 * chosen["a word near in letters"][0].mean()), unit="%")

# %%
show_neighbours(readers[0], ["lawyer", "car", "ocean"])

# %% [markdown]
# **Half a myth.** Layer 0 does hold meaning: against an ordinary word it chooses the word of like meaning well above chance, and the untrained network does not. But form comes first. Against a look-alike, meaning loses nearly every time. The neighbour lists show both: persons beside *lawyer*, look-alikes beside *car*. fastText on the same text learnt from the words around, and has a vector of its own for each frequent word. It knows more meaning: it is ahead of layer 0 both times, but against a look-alike no better than a coin. *Layer 0 is where ELMo starts. What its LSTMs add is the question of the next lessons.*
#
# Two more that one meets. *"Character input is especially useful for German or Turkish, as ELMo shows"*: reasonable, but the paper's experiments are in English. *"Character-level models were a flash in the pan of 2015 to 2017"*: they were an alternative to pretrained word vectors then, and ELMo itself reads characters. We know of no measurement that settles it.

# %% [markdown] slide="slide"
# ## Recap
#
# - A word is fifty ids: start, bytes, end, padding, all shifted by one. A row of zeros is no word.
# - A filter is a stencil slid along the letters; it keeps its best match, the maximum over time.
# - A highway mixes new and old by a gate. The files' *carry* multiplies the new.
# - Your `CharCNN` gives layer 0 of a trained ELMo: one vector for each spelling, whatever the sentence.
# - Training adds grammar, most of which the longest common ending has as well, and some meaning, which look-alikes hide. It does not add correct spelling.
# - This is the third of ELMo's three ideas: read both directions, keep all layers, start from characters. The other two come next. Lesson 05 had this one inside its black box, and took only the top layer.

# %%
calibration()

# %%
from autograde import progress

progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A hospital wants to read its records. They are full of drug names that are on no list, of typing errors and of words such as *post-operative* and *reintubated*. A colleague proposes: *"We throw out the word vectors and read characters, as ELMo does. Then unknown words are no problem any more."* **For which of these words do you expect a gain, for which not, and how would you find out before anything is built?** Four to six sentences.

# %% [markdown] discussion="letters_in_records" points=3
# **Rubric, 3 points.** 1 for a gain where form carries grammar or word parts (unseen, inflected words), with the reason. 1 for a case without much gain, with the reason: frequent words, meaning of new names, look-alikes, or misspellings that counting letters finds too. 1 for a test with a control (word table, untrained encoder, endings or letters alone) that separates seen from unseen words. 0.5 in all for "characters solve the problem of unknown words" alone.

# %% [markdown] model_answer="letters_in_records"
# A word table has nothing to say about unseen words, so any vector is a gain there, and it is largest where the form tells something that the task needs. *Reintubated* is built from known parts and ends like a past tense; in our measurement neighbours of unseen words had the right class far more often with the trained encoder than with letters to change, though the longest common ending came within a few points. For typing errors reading letters helps against a table, but an untrained encoder and a count of letters did as well or better, so a spelling corrector may do. A new drug name is the hard case: its letters may say what kind of drug it is (*-mab*, *-pril*), if the model has read such names, but no more; words that look alike can be dangerous neighbours. For frequent words there is least to gain: the table has vectors for them already, and where a word near in meaning competed with a look-alike, layer 0 nearly always chose the look-alike. Before building: take the words of the records that the table lacks, sort them into these kinds and count them; then train the same small tagger with the table, with characters, with an untrained character encoder, and with the last three letters alone, on the same labelled sentences and several seeds, and report F1 for unseen and seen words separately, with intervals.

# %% [markdown] slide="slide"
# ## If you have time: why the gate starts nearly shut
#
# This section takes about 25 minutes. Nothing above or in later lessons needs it.
#
# Below is the smallest highway: one number goes in, one comes out. The slider moves $b_{\text{carry}}$; use the mouse, or the arrow keys after a click. (On a page where nothing can move, you see three positions at once.)

# %% slide="subslide"
x = torch.linspace(-2, 2, 101)[:, None]
one, half = torch.ones(1, 1), torch.full((1,), 0.5)
lanes = {"x, the old": x[:, 0], "relu(0.5 − x), the new": torch.relu(half - x)[:, 0]}


def mixed(biases, title):
    """The smallest highway's output for some carry biases, between its two lanes."""
    ys = {f"y, bias {b:g}": highway(x, -one, half, one, torch.tensor([b]))[:, 0] for b in biases}
    return plots.curves(x[:, 0], lanes | ys, title=title, xlabel="x", ylabel="y")


Slider(
    lambda bias: mixed([bias], f"Gate bias {bias:g}"),
    "gate bias",
    [float(b) for b in range(-8, 9)],
    -2.0,
    mixed([-2.0, 0.0, 2.0], "One highway unit, three gate biases"),
)

# %% [markdown]
# Training starts with $b_{\text{carry}} = -2$. Why? Learning goes **backwards** through the layers. At each layer the gradient is multiplied by the slope $dy/dx$. Through twenty layers twenty slopes are multiplied, and if they are small, nothing arrives at the bottom. So: what is the slope of a highway?

# %% [markdown] exercise="highway_slope"
# ### Exercise 6. Derive the slope
#
# Take pen and paper, and leave autograd and finite differences aside. One number goes in, one comes out:
#
# $$y = g\,t + (1 - g)\,x, \qquad g = \sigma(w_c\, x + b_c), \qquad t = \text{relu}(w_t\, x + b_t)$$
#
# Derive $dy/dx$. There are three ways from $x$ to $y$: through the old lane, through the new, and through the gate. (Remember $\sigma' = \sigma (1 - \sigma)$.) Then write `highway_slope(x, w_transform, b_transform, w_carry, b_carry)`. All five are tensors of one length, one entry for each unit; return one tensor, a slope for each.


# %% exercise="highway_slope"
def highway_slope(x, w_transform, b_transform, w_carry, b_carry):
    """dy/dx of highway units of one number."""
    ### BEGIN SOLUTION
    g = torch.sigmoid(w_carry * x + b_carry)
    t = torch.relu(w_transform * x + b_transform)
    slope_of_t = torch.where(t > 0, w_transform, torch.zeros_like(x))
    slope_of_g = w_carry * g * (1 - g)
    return (1 - g) + g * slope_of_t + slope_of_g * (t - x)
    ### END SOLUTION


# %% check="highway_slope"
check("highway_slope", highway_slope)

# %% [markdown] hints="highway_slope"
# nudge: Use the product rule on both products. Does $g$ depend on $x$? Then each product gives two terms.
#
# idea: $y' = g'\,t + g\,t' + (1 - g)'\,x + (1 - g)$. The chain rule gives $g' = w_c\, g\,(1 - g)$. Where $w_t x + b_t$ is positive, $t' = w_t$. Elsewhere relu is flat.
#
# outline: Collect the terms with $g'$: $dy/dx = (1 - g) + g\,t' + g'\,(t - x)$. In code: compute `g` and `t` first, then `t'` with a comparison `(t > 0)`, then the three terms.

# %% [markdown]
# Read your formula with the gate nearly shut. Then $g$ and $g'$ are small, the last two terms vanish, and **the slope is about $1 - g$**. Does it predict how much of a gradient arrives below a stack of highways with random weights? Your `highway` will tell.

# %%
predict(
    "twenty",
    "Bias −2, twenty highways: what percentage of the gradient arrives at the bottom?",
    unit="%",
)

# %% slide="subslide"
highway_slope = or_reference("highway_slope", highway_slope)


def arriving(layer, depth, size=64, seeds=5):
    """Share of a gradient that arrives below `depth` random layers, geometric mean over seeds."""
    shares = []
    for seed in range(seeds):
        torch.manual_seed(seed)
        start = torch.randn(16, size).abs().requires_grad_()
        y = start
        for _ in range(depth):
            y = layer(y, *(torch.randn(size, size) / size**0.5 for _ in range(2)))
        sent = torch.randn(y.shape)
        (arrived,) = torch.autograd.grad((y * sent).sum(), start)
        shares.append(float(arrived.norm() / sent.norm()))
    return float(np.exp(np.mean(np.log(shares))))


def with_bias(bias):
    """A layer for `arriving`: a highway whose gate has this bias."""
    return lambda x, W, W_gate: highway(x, W, 0 * W[0], W_gate, 0 * W[0] + bias)


MINE = 0.0  # change this: which bias lets half of the gradient through 50 layers?
DEPTHS = [1, 2, 5, 10, 20, 50]
stacks = {"relu layers, no gate": lambda x, W, _: torch.relu(x @ W)}
stacks["the same, weights √2 times as large"] = lambda x, W, _: torch.relu(x @ (2**0.5 * W))
stacks |= {f"highways, bias {bias:g}": with_bias(bias) for bias in (-2.0, MINE)}
lines = {name: [arriving(stack, depth) for depth in DEPTHS] for name, stack in stacks.items()}
torch.manual_seed(0)
units, w_new, w_gate = torch.randn(10_000).abs(), *torch.randn(2, 10_000) / 64**0.5
your_slope = highway_slope(units, w_new, 0 * units, w_gate, 0 * units - 2).mean().item()
lines["your slope to the power of the depth, bias −2"] = [your_slope**depth for depth in DEPTHS]
for name, shares in lines.items():
    print(f"{name}: {100 * shares[-1]:.2g} % arrives through {DEPTHS[-1]} layers")
plots.curves(
    DEPTHS,
    lines,
    title="Share of the gradient that arrives at the bottom (random weights)",
    xlabel="layers",
    ylabel="share",
    log_y=True,
)

# %%
outcome("twenty", 100 * arriving(with_bias(-2.0), 20), unit="%")

# %% [markdown]
# The highways with −2 stay near your slope. The first stack without gates loses nearly everything. The second loses less than the highways do: weights $\sqrt 2$ times as large make up for what relu cuts off (He and others, 2015), and about half arrives through fifty layers. **At this start, a careful choice of the weights does more than the gate.**
#
# Now change `MINE`. **Predict first** which bias lets half through, from $(1-g)^{50} = 0.5$, run the cell again and read the printed share. (The solution: $g = 1 - 0.5^{1/50}$, so the bias is about −4.3. A little less than half arrives, because the two terms that you left out count, too.)
#
# ELMo has one or two highways, and no gradient gets lost in two layers. The start is an inheritance from deep networks; whether it matters here we have not measured. And it is only a **start**: training may open the gates.

# %%
predict(
    "open",
    "After training, how far are the course checkpoint's gates open on average? (Start: 12 %)",
    unit="%",
)

# %% slide="subslide"


def gates(w):
    """Every gate of the first highway for the 2,000 commonest words: (2000, F)."""
    letters = w["char_embed"][rows_of_common - 1].transpose(1, 2)
    found = [
        convolve(letters, w[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0), w[f"CNN/b_cnn_{i}"]).amax(-1)
        for i in range(5)
    ]
    x = torch.relu(torch.cat(found, -1))
    return torch.sigmoid(x @ w["CNN_high_0/W_carry"] + w["CNN_high_0/b_carry"])


rows_of_common = torch.tensor([list(character_ids(word)) for word in known[:2000]])
opened = {"untrained": gates(at_random), "after training": gates(weights)}
print("mean of b_carry after training:", f"{weights['CNN_high_0/b_carry'].mean():.2f}")
alike = opened["after training"].mean(0).var() / opened["after training"].var()
print(f"{100 * alike:.0f} % of the gates' variance lies between gates: the same for every word")
PERCENTILES = [5, 25, 50, 75, 95]
plots.bars(
    [f"{p} % of gates\nare below" for p in PERCENTILES],
    {name: np.percentile(100 * g, PERCENTILES) for name, g in opened.items()},
    title="How far the gates are open",
    ylabel="percent open",
)

# %%
outcome("open", float(100 * opened["after training"].mean()), unit="%")

# %% [markdown]
# The bias is still near −2, but the gates have moved: some are shut and others wide open. The **weights** have opened them. They could open differently for each word. But $x$ is never negative, so positive weights also open a gate for all words alike, as a bias does. The printed share says how much of the spread is of that kind.

# %% [markdown]
# ## Further reading
#
# - Kim and others 2016, for a table of neighbours before and after the highway: compare with yours.
# - Jozefowicz and others, [*Exploring the Limits of Language Modeling*](https://arxiv.org/abs/1602.02410), 2016: the large character CNN; ELMo's is half its size.
# - In the package: `elmo_mini/bilm/plain.py` has this encoder in thirty lines; `elmo_mini/characters/fast_cnn.py` makes it fast. The stored experiment is `python -m elmo_mini.experiments.characters neighbours`.
#
# Next: **07 · a biLM from scratch.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Why not subwords?* BERT's WordPieces came later and solve the same problem with a table; a character encoder is slower and knows no boundary between pieces. *Why does the padding mark take part in the convolution?* It was there in training, so a short word's windows see it; leaving it out changes vectors (encoder A). *Is the maximum taken before or after relu?* It makes no difference: relu never turns an order round. *Why does the untrained encoder find misspelt words so well?* Random filters keep most of what the letters say, so words that share windows share numbers. *Poll before section 7:* "Does training make the encoder better at finding misspelt words?"
