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
# # 08 · ScalarMix and ELMo
#
# You have a reader of letters and two language models. They give three vectors for every word. Which one do you take? ELMo takes all of them and lets the task decide how much of each. Here you build that mix, put your own parts together, and let them load a file in the official format: an ELMo of your own.

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("08")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - mix the layers of a biLM with weights that a task can learn, and say what γ and layer norm are for,
# - load a published ELMo into classes of your own, and prove that they give its vectors,
# - question a black box until it shows its fault,
# - say how far ELMo has solved polysemy, and how far not.
#
# ## The paper
#
# **ELMo** means *Embeddings from Language Models*: Peters, Neumann, Iyyer, Gardner, Clark, Lee and Zettlemoyer, *Deep contextualized word representations*, NAACL 2018, [arXiv:1802.05365](https://arxiv.org/abs/1802.05365), a best paper of that conference. Section 3.2 is the mix, 3.3 its use, 5.1 and 5.3 the measurements.
#
# Plan an hour and three quarters, or two and a quarter if you read slowly; the exercises are an hour of that. Short of time? Exercises 1 to 4 are the spine: without exercise 5 the lesson goes on. The last three sections, with exercise 6, are for those who have another three quarters of an hour. Whenever you do them, both exercises count in full.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B$ | sentences in a batch | $h_{k,j}$ | the vector of token $k$ in layer $j$ |
# | $T$ | words in a sentence | $w_j$ | the weight of layer $j$, any number |
# | $L$ | layers of LSTMs | $s_j$ | its share: $s = \text{softmax}(w)$ |
# | $H$ | numbers in a state of one direction | $\gamma$ | the scale of the whole mix |
# | | | $\lambda$ | how hard the weights are pulled to 0 (last sections) |

# %% [markdown] instructor=true
# **Instructor.** Minutes, estimated from a fresh reader's: opening 4, section 1 9, section 2 16, section 3 16, section 4 8, section 5 24, section 6 22, section 7 13, recap and essay 11. That is a little over two hours for somebody who reads each sentence, and 100 minutes for a quick one. The optional sections: 30, 5 and 12. For 90 minutes in class leave exercise 5 and the essay for home. For 45: show exercises 1 and 2 solved, let them do 4, and end with the figures of section 7. Students get stuck in exercise 4 on where `END` goes in a short sentence: draw two rows of a batch, padding in grey. Anyone who missed lessons 06 and 07 gets the course's parts, and the lesson says so. In the solved notebook `write_my_elmo()` makes its package of the course's parts in a temporary folder, so there is something to show without a learner's folder.

# %%
import itertools
import tempfile
from pathlib import Path

import h5py
import numpy as np
import torch
from gensim.models import Word2Vec

from autograde import calibration, check, mine, or_reference, outcome, predict, whose
from autograde.exercises.scalar_mix_and_elmo.broken import planted
from elmo_mini import Elmo, ElmoEmbedder, batch_to_ids, corpora
from elmo_mini.bilm.model import BiLM as FastBiLM
from elmo_mini.checkpoints.official import official_weights, save_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.figures.interval_bars import interval_bars
from elmo_mini.figures.mix_sliders import mix_sliders
from elmo_mini.figures.word_explorer import word_explorer
from elmo_mini.probing.neighbours import same_label_share
from elmo_mini.probing.report import bootstrap_interval, stored_points
from elmo_mini.results.stored import stored_result
from elmo_mini.text.senses import sense_sentences

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% [markdown] slide="slide"
# ## 1. One word, three roles
#
# *The twins play hockey. She plays the cello. His play ran for eleven nights.* A static table has one vector for *play*. What is near it? We ask word2vec (lesson 01), trained on a small collection of news.

# %%
news = list(corpora.lee().sentences(lower=True))
static = Word2Vec(news, vector_size=50, sg=1, epochs=15, seed=1, workers=1).wv
for word in ("play", "bank"):
    print(f"{word:>5}: {', '.join(near for near, _ in static.most_similar(word, topn=8))}")

# %% [markdown]
# In the news *play* is sport, and *bank* stands in names: the West Bank, the Reserve Bank. The table shows the use that its text is full of; the stage and the river are lost. A larger text does not save them: these are the neighbours of *play* in GloVe, from table 4 of the paper: *playing, game, games, played, players, plays, player, Play, football, multiplayer*.
#
# Now the same word in its sentence. The course has 39 sentences with *play*, 13 of each role. (A language model wrote them; no native speaker has checked them all.) The course's own ELMo gives each *play* a vector of its own. Which others are nearest?

# %% slide="subslide"
COURSE = load_pretrained()
embedder = ElmoEmbedder(module=COURSE)
SENTENCES = sense_sentences()
texts = [list(s.tokens) for s in SENTENCES]
in_context = embedder.embed_batch(texts)  # (L + 1, words, 2H) for each sentence
explorer = word_explorer(
    embedder.embed_batch, texts, in_context, start="Children *play* in the yard .", topn=3
)
for typed in (
    "Her first *play* ran for eleven nights above a butcher 's shop .",
    "The twins *play* hockey every Saturday , whatever the weather .",
    "She could *play* the cello before she could read .",
):
    print(typed, *explorer.nearest(typed)[-1], sep="\n   ")

# %% [markdown]
# Type a sentence of your own, with stars around one word. *Bank*, *mouse*, *spring* and 25 other words are there. (On a page where nothing can move, you see one example.)

# %%
explorer

# %% [markdown]
# The play on the stage finds other plays on the stage. But whom do hockey and the cello find? Keep it in mind until section 7.

# %% [markdown] slide="slide"
# ## 2. The mixing desk
#
# A biLM with $L$ layers leaves $2L + 1$ vectors for every token (lesson 07): the word from its letters, and a state of each direction in each layer. With the directions side by side these are $L + 1$ vectors of $2H$ numbers, $h_{k,0}$ to $h_{k,L}$. TagLM took the top one, $h_{k,L}$.
#
# Think of a sound engineer with three microphones on one band: a slider for each, and a knob for the volume of the whole. The shares $s_j$ are the sliders, $\gamma$ is the volume:
#
# $$\text{ELMo}_k = \gamma \sum_{j=0}^{L} s_j\, h_{k,j} \qquad s = \text{softmax}(w) \tag{1}$$
#
# The softmax keeps the shares positive, and they sum to one. $w$ and $\gamma$ belong to the **task**: it learns them with its own weights, while the biLM stays frozen. $w$ starts at zeros, $\gamma$ at 1.

# %% [markdown] exercise="scalar_mix"
# ### Exercise 1. One vector out of all layers
#
# Write `scalar_mix(layers, w, gamma)`, equation (1). `layers` is a tensor (L + 1, B, T, 2H), `w` a tensor (L + 1,), `gamma` a tensor with one number. Return (B, T, 2H). A task learns `w` and `gamma` through your function, so stay with tensors. It must work for any number of layers, and for weights beyond ±1,000.


# %% exercise="scalar_mix"
def scalar_mix(layers, w, gamma):
    """gamma times the layers' sum, weighted by the softmax of w."""
    ### BEGIN SOLUTION
    s = torch.softmax(w, 0)
    return gamma * sum(s_j * h_j for s_j, h_j in zip(s, layers, strict=True))
    ### END SOLUTION


# %% check="scalar_mix"
check("scalar_mix", scalar_mix)

# %% [markdown] hints="scalar_mix"
# nudge: How many numbers are in $s$? Along which axis of `layers` do they lie?
#
# idea: `torch.softmax(w, 0)` gives the shares. Walk over shares and layers together with `zip`, or let `torch.einsum` multiply and add.
#
# outline: First the shares. Then each layer times its share, added up over the layers. Multiply by `gamma` last. The result has lost the first axis.

# %% [markdown]
# Two old friends are special cases. Zeros give the plain **average**. One weight far above the others gives **one layer alone**; TagLM's choice is the top one.

# %% slide="subslide"
scalar_mix = or_reference("scalar_mix", scalar_mix)

EXAMPLE = [["I", "love", "you", "."], ["Sorry", ",", "I", "don", "'t", "love", "you", "."]]
layers, words_there = embedder.batch_to_embeddings(EXAMPLE)
layers = layers.transpose(0, 1)  # (L + 1, B, T, 2H)
one = torch.tensor(1.0)
cases = {
    "average": (torch.zeros(3), layers.mean(0)),
    "top layer": (torch.tensor([0.0, 0, 99]), layers[2]),
}
for name, (w, expected) in cases.items():
    print(f"{name:>9}: largest distance {(scalar_mix(layers, w, one) - expected).abs().max():.0e}")

# %% [markdown]
# Now sit down at the desk. Each point is one of the 39 *play*s, its 512 dimensions flattened to two. Move the weights. What does γ change, and what does it leave alone?


# %% slide="subslide"
def at_targets(vectors, sentences):
    """The vector of each sentence's target word: (sentences, ..., 2H)."""
    return np.stack([v[..., s.position, :] for v, s in zip(vectors, sentences, strict=True)])


of_targets = at_targets(in_context, SENTENCES)  # (sentences, L + 1, 2H)
IS_PLAY = [i for i, s in enumerate(SENTENCES) if s.word == "play"]
PLAY = [SENTENCES[i] for i in IS_PLAY]
mix_sliders(of_targets[IS_PLAY], [s.sense for s in PLAY], word="play")

# %% [markdown] slide="slide"
# ## 3. A desk that learns
#
# In a task the desk is a module: an optimiser finds $w$ and $\gamma$ in it and trains them with all the other weights.
#
# It has one switch, off by default. A slider at one third means little if one microphone is twice as loud as another. So **layer norm** first brings the layers to one volume: take all numbers of a layer, at all words of the batch; subtract their mean; divide by their standard deviation. One mean and one deviation serve the whole layer, and **padding does not count**. (`nn.LayerNorm` treats each token on its own and learns a scale.)

# %% [markdown] exercise="ScalarMix"
# ### Exercise 2. The mixing desk as a module
#
# Write the class `ScalarMix`.
#
# - `ScalarMix(n_layers, do_layer_norm=False)` makes the parameters `self.w`, zeros of shape (n_layers,), and `self.gamma`, a one.
# - `forward(layers, mask)` takes a list of `n_layers` tensors (B, T, 2H) and the mask (B, T), True at words. It returns the mix, (B, T, 2H). With `do_layer_norm` each layer is first normalised as above. For the variance divide by n, not n − 1. Add 1e-13 to it before the root, in case all numbers are equal. What you leave at padding does not matter.
#
# Your `scalar_mix` does the mixing. It takes one tensor: `torch.stack(layers)`.


# %% exercise="ScalarMix"
import torch
from torch import nn


class ScalarMix(nn.Module):
    """A mix of layers whose shares and scale are learned."""

    def __init__(self, n_layers, do_layer_norm=False):
        super().__init__()
        ### BEGIN SOLUTION
        self.w = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.ones(()))
        self.do_layer_norm = do_layer_norm
        ### END SOLUTION

    def forward(self, layers, mask):
        """n_layers tensors (B, T, 2H), and the mask (B, T), to one (B, T, 2H)."""
        ### BEGIN SOLUTION
        if self.do_layer_norm:
            normal = []
            for layer in layers:
                words = layer[mask]  # (words, 2H)
                deviation = (words.var(correction=0) + 1e-13).sqrt()
                normal.append((layer - words.mean()) / deviation)
            layers = normal
        return scalar_mix(torch.stack(list(layers)), self.w, self.gamma)
        ### END SOLUTION


# %% check="ScalarMix"
check("ScalarMix", ScalarMix)

# %% [markdown] hints="ScalarMix"
# nudge: What must an optimiser find in the module? And where does the mask come in: in the mix, in the norm, or in both?
#
# idea: `nn.Parameter(torch.zeros(n_layers))` is found; a plain tensor is not. `layer[mask]` has the numbers at words alone, (words, 2H), and its `.mean()` and `.var(correction=0)` are one number each.
#
# outline: Keep `do_layer_norm` in `__init__`. In `forward`, if it is set, make a new list: each layer minus the mean of `layer[mask]`, over the root of its variance plus 1e-13. Then call `scalar_mix` with the stacked layers, `self.w` and `self.gamma`.

# %% [markdown]
# Now let it learn a task whose answer we know. Somebody has mixed real layers with the shares 10 %, 70 % and 20 % and the volume 2. Can your desk recover these numbers from the layers and the mixed vectors? And what if γ is held at 1? The layers are not equally loud:

# %%
real = [layer[None] for layer in torch.tensor(np.concatenate(in_context[:8], 1))]  # (1, words, 2H)
for j, layer in enumerate(real):
    print(f"layer {j}: standard deviation {layer.std(correction=0):.2f}")

# %%
predict(
    "held", "With γ held at 1, what share will layer 1 end with? (The truth is 70 %.)", unit="%"
)

# %% slide="subslide"
ScalarMix = or_reference("ScalarMix", ScalarMix)

TRUTH = torch.tensor([0.1, 0.7, 0.2])
EVERYWHERE = torch.ones(real[0].shape[:2], dtype=torch.bool)
wanted = 2 * sum(share * layer for share, layer in zip(TRUTH, real, strict=True))


def trained(hold_gamma, steps=300):
    """Shares and gamma of your desk after learning."""
    desk = ScalarMix(3)
    desk.gamma.requires_grad_(not hold_gamma)
    optimiser = torch.optim.Adam(desk.parameters(), lr=0.05)
    for _ in range(steps):
        optimiser.zero_grad()
        (desk(real, EVERYWHERE) - wanted).square().mean().backward()
        optimiser.step()
    return 100 * torch.softmax(desk.w.detach(), 0), desk.gamma.item()


(free, gamma), (held, _) = trained(hold_gamma=False), trained(hold_gamma=True)
plots.bars(
    ["the truth,\nγ = 2", f"learned,\nγ = {gamma:.2f}", "learned,\nγ held at 1"],
    {f"layer {j}": [100 * float(TRUTH[j]), float(free[j]), float(held[j])] for j in range(3)},
    title="Shares that your desk learns",
    ylabel="percent",
)

# %%
outcome("held", float(held[1]), unit="%")

# %% [markdown]
# Your desk finds the truth as long as γ may move. Without γ the shares cannot make the mix louder, because they sum to one. They bend towards whatever comes nearest to twice the wanted mix. Here that is layer 2: it is the loudest, and the residual has put layer 1 into it. They no longer say which layer is useful. The paper calls γ "of practical importance to aid the optimization process".
#
# What does the desk add in practice? In three tasks of the paper, the top layer alone gives most of ELMo's gain. The average adds a little, and learned shares another 0.2 points. (The numbers are in the first optional section.)

# %% [markdown] slide="slide"
# ## 4. The two that were never words
#
# A biLM reads each sentence between two boundaries, `<S>` and `</S>`. A tagger has no label for them, so their vectors go. In a batch the last words stand in different columns.

# %% [markdown] exercise="without_boundaries"
# ### Exercise 3. The vectors of the words alone
#
# Write `without_boundaries(vectors, mask)`. `vectors` (B, T + 2, 2H) and `mask` (B, T + 2) are of sentences with both boundaries and with padding at the end. Return two things, in this order: the vectors of the words, (B, T, 2H), with zeros at padding, and their mask, (B, T).


# %% exercise="without_boundaries"
def without_boundaries(vectors, mask):
    """The vectors of the words, and their mask."""
    ### BEGIN SOLUTION
    inner = mask[:, 2:]  # a word stays where two places further on there is a token
    return vectors[:, 1:-1] * inner.unsqueeze(-1), inner
    ### END SOLUTION


# %% check="without_boundaries"
check("without_boundaries", without_boundaries)

# %% [markdown] hints="without_boundaries"
# nudge: Write two rows on paper: *S a b c E* and *S d E · ·*. Which places hold words, and how long is the new row?
#
# idea: Every word moves one place to the left: `vectors[:, 1:-1]`. A sentence of n words has n + 2 tokens. For which new places t is there a token at the old place t + 2?
#
# outline: The new mask is the old one without its first two columns. Cut the first and the last column off the vectors, and multiply by the new mask, which needs one axis more: `.unsqueeze(-1)`.

# %% [markdown] slide="slide"
# ## 5. Your own ELMo
#
# Everything is there. Here is a model in the authors' own format: `options.json` with the sizes, and an HDF5 file with the weights under their official names. (We make it from the course's checkpoint. A published file has the same names and larger shapes.)

# %% slide="subslide"
without_boundaries = or_reference("without_boundaries", without_boundaries)

FOLDER = Path(tempfile.mkdtemp())
OPTIONS, WEIGHTS = FOLDER / "options.json", FOLDER / "weights.hdf5"
save_bilm(COURSE, OPTIONS, WEIGHTS)


def official_file(path):
    """All weights of an official file, by name."""
    found = {}

    def take(name, part):
        if isinstance(part, h5py.Dataset):
            found[name] = torch.tensor(part[()])

    with h5py.File(path) as file:
        file.visititems(take)
    return found


weights = official_file(WEIGHTS)
print(f"{sum(part.numel() for part in weights.values()) / 1e6:.1f} million weights, such as")
for name in ("char_embed", "CNN/W_cnn_0", "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell/W_0"):
    print(f"{name:>42} {tuple(weights[name].shape)}")

# %%
CharCNN, BiLM = mine("CharCNN"), mine("BiLM")

# %% [markdown] exercise="embed" slide="subslide"
# ### Exercise 4. Your ELMo
#
# Write `embed(sentences, weights, CharCNN, BiLM, ScalarMix)`. `sentences` is a list of lists of words, of any lengths. Return a list with one tensor (words, 2H) for each: the mix of **all** layers by a fresh `ScalarMix`, which is their plain average, without the boundaries.
#
# - `character_ids(word)`, from lesson 06, gives the fifty ids of a word. `START` and `END` are the rows of the two boundaries. They have ids of their own, so they are not spelled.
# - A place without a word is a row of fifty zeros. This padding comes last, after `END`.
# - `BiLM(CharCNN(weights), weights)` is your class of lesson 07. It takes ids (B, T + 2, 50) and gives the list of $L + 1$ layers and the mask.
# - Your `without_boundaries` is there, too. Use the classes that come as arguments.


# %% exercise="embed"
import torch

from autograde import mine

character_ids = mine("character_ids")
START = [259, 257, 260] + [261] * 47
END = [259, 258, 260] + [261] * 47


@torch.no_grad()  # nothing is learned here
def embed(sentences, weights, CharCNN, BiLM, ScalarMix):
    """ELMo's vectors of each sentence's words, (words, 2H)."""
    ### BEGIN SOLUTION
    longest = max(len(words) for words in sentences)
    rows = []
    for words in sentences:
        row = [START, *(list(character_ids(word)) for word in words), END]
        rows.append(row + [[0] * 50] * (longest - len(words)))
    layers, mask = BiLM(CharCNN(weights), weights)(torch.tensor(rows))
    mixed = ScalarMix(len(layers))(layers, mask)
    vectors, kept = without_boundaries(mixed, mask)
    return [row[there] for row, there in zip(vectors, kept, strict=True)]
    ### END SOLUTION


# %% check="embed"
check("embed", embed)

# %% [markdown] hints="embed"
# nudge: Draw the batch of *dogs bark* and *go*: four rows of fifty ids, then three and a row of zeros. What does each of your parts make of it, and in which shape?
#
# idea: For each sentence: `[START, ids of the words ..., END]`, then rows of zeros up to the longest. `torch.tensor(rows)` is (B, T + 2, 50). The mix runs over all tokens; the boundaries go afterwards. `row[there]` keeps the places where the mask is True.
#
# outline: Build the rows. Layers and mask from `BiLM(CharCNN(weights), weights)(ids)`. `ScalarMix(len(layers))(layers, mask)`. `without_boundaries` gives vectors and a new mask. For each sentence, return the vectors at which its mask is True.

# %% [markdown]
# The moment of truth. Your parts and the package's `Elmo` get the same weights and read the same sentences. A part that you wrote shares no line of code with the package. Where you have not written a part, the course's takes its place.

# %% slide="subslide"
embed = or_reference("embed", embed)

plays = [texts[i] for i in IS_PLAY]
yours = [torch.as_tensor(v) for v in embed(plays, weights, CharCNN, BiLM, ScalarMix)]
package = Elmo(OPTIONS, WEIGHTS, 1, dropout=0.0)
with torch.no_grad():
    theirs = package(batch_to_ids(plays))["elmo_representations"][0]
apart = max(float((v - row[: len(v)]).abs().max()) for v, row in zip(yours, theirs, strict=True))
print(f"{len(plays)} sentences, {sum(map(len, yours))} words, {yours[0].shape[1]} numbers each")
print(f"largest distance from the package's vectors: {apart:.0e}")
print("This is ELMo." if apart < 1e-4 else "Not the same: see exercise 4.")
print(
    whose(
        character_ids=character_ids,
        CharCNN=CharCNN,
        BiLM=BiLM,
        ScalarMix=ScalarMix,
        without_boundaries=without_boundaries,
        embed=embed,
    )
)

# %% [markdown]
# What is yours can leave home. The next cell writes your parts and the weights as a package of your own, which needs torch, NumPy and h5py, and nothing of this course. Then that package reads two sentences.

# %% slide="subslide"
from autograde import write_my_elmo

write_my_elmo()

# %% [markdown]
# A static table has one vector for *plays*. Your package has two, and the cosine says how alike they are. Try *saw* in a terminal, twice as a verb and once as a tool. (*Bank*, with money and with a river, is harder than one expects: section 7.) `--options` and `--weights` take another model by its two files. In a program, `ELMo` takes them, builds the model once, and has two methods: `embed` gives the vectors, `every_layer` the layers before the mix. The package has a README, and a test of its own that reads a tiny model once more in NumPy.

# %% [markdown] slide="slide"
# ## 6. Three that look right
#
# How good are your ELMo's neighbours? Take each of the 39 *play*s. Of the five nearest others, how many have the same role? By chance it would be 12 in 38, or 32 %. The control is the same network with random weights.
#
# Three colleagues bring their ELMos, too. They load the same file and give vectors of the right size. Each has **one** fault. Do the neighbours betray them?

# %%
predict("roles", "Your ELMo: what percentage of the five nearest have the same role?", unit="%")


# %% slide="subslide"
def your_elmo(read):
    """Your ELMo with these weights: sentences in, arrays (words, 2H) out."""
    return lambda texts: [np.asarray(v) for v in embed(texts, read, CharCNN, BiLM, ScalarMix)]


def untrained_network(seed):
    """The same network with random weights."""
    torch.manual_seed(seed)
    return FastBiLM(COURSE.options)


def point(shares, drawn=None):
    """Mean and 95 % interval: sentences are drawn again, or what `drawn` names; nan is left out."""
    there = ~np.isnan(shares)
    names = np.arange(len(shares)) if drawn is None else np.array(drawn)
    units = np.unique(names[there], return_inverse=True)[1]
    mean, low, high = bootstrap_interval(shares[None, there], units)
    return {"mean": mean, "low": low, "high": high}


def roles(vectors, sentences):
    """For each sentence, the share of the five nearest that have its sense."""
    return same_label_share(at_targets(vectors, sentences), [s.sense for s in sentences])


boxes = {"yours": your_elmo(weights), **planted(weights)}
nothing_read = your_elmo(official_weights(untrained_network(seed=0)))
rows = {"yours,\nuntrained": nothing_read} | boxes
interval_bars(
    list(rows),
    {"same role": [point(roles(box(plays), PLAY)) for box in rows.values()]},
    title="play: the five nearest of 39 sentences",
    ylabel="percent",
    level=("chance", 100 * 12 / 38),
)

# %%
outcome("roles", 100 * point(roles(boxes["yours"](plays), PLAY))["mean"], unit="%")

# %% [markdown]
# What your ELMo has read makes the difference: with random weights it is no better than chance. And the three lose a little, or nothing. A score does not find such faults. **Promises** do. A sound ELMo keeps four:
#
# 1. *Number.* Each sentence gets as many vectors as it has words, in any batch.
# 2. *Memory.* The same sentence again, the same vectors.
# 3. *Company.* A sentence has the same vectors alone and beside a longer one.
# 4. *Place.* Replace one word. In the forward reader's half, the first, the vectors of earlier words stay the same, and the vector of the replaced word moves.

# %% [markdown] exercise="find_fault"
# ### Exercise 5. Question the black box
#
# Write the inspector. `find_fault(elmo)` may call `elmo(sentences)` as often as it likes, with sentences of its choice. Each call gives a list of NumPy arrays (words, 2H). Return the fault: `"wrong number"`, `"remembers"`, `"depends on its company"`, `"shifted"`, or `"sound"`. An ELMo has at most one fault, which can disturb more than one of your tests. Differences up to 1e-4 are rounding.


# %% exercise="find_fault"
import numpy as np


def find_fault(elmo):
    """The promise that this ELMo breaks."""
    ### BEGIN SOLUTION
    short, longer = ["the", "dog", "barks"], ["we", "saw", "it", "near", "the", "river"]
    alone, other = elmo([short])[0], elmo([["the", "cat", "barks"]])[0]
    beside, too = elmo([short, longer])
    if (len(alone), len(beside), len(too)) != (3, 3, 6):
        return "wrong number"
    if np.abs(elmo([short])[0] - elmo([short])[0]).max() > 1e-4:
        return "remembers"
    if np.abs(beside - alone).max() > 1e-4:
        return "depends on its company"
    half = alone.shape[1] // 2
    moved = np.abs(other - alone)[:, :half].max(1) > 1e-4  # at the, dog, barks
    return "shifted" if moved[0] or not moved[1] else "sound"
    ### END SOLUTION


# %% check="find_fault"
check("find_fault", find_fault)

# %% [markdown] hints="find_fault"
# nudge: For each promise: which two calls would you compare? Which of the tests does an ELMo with a memory disturb as well?
#
# idea: Count in a batch of two lengths, because padding is only there. For memory, the same call twice. For company, look at the **shorter** of two sentences. For place, replace a word in the middle and take `[:, : n // 2]` of the difference.
#
# outline: Four questions in the order of the list; return at the first that fails. Compare with `np.abs(one - other).max() > 1e-4`. For the last: `.max(1)` gives one number for each word; those before the replaced word must not exceed 1e-4, its own must.

# %% [markdown]
# Your inspector needs no look inside, so it works on any ELMo. Point it at yours, at the three boxes, and at the package in three settings. With `stateful=True` the package carries its last state into the next call, as ELMo does in AllenNLP, its authors' library. `do_layer_norm=True` is the switch of section 3.

# %%
find_fault = or_reference("find_fault", find_fault)
SETTINGS = {
    "default": {},
    "stateful=True": {"stateful": True},
    "do_layer_norm=True": {"do_layer_norm": True},
}


def as_black_box(module):
    """An `Elmo` as your inspector takes it."""

    @torch.no_grad()
    def box(sentences):
        given = module(batch_to_ids(sentences))
        pairs = zip(given["elmo_representations"][0], given["mask"], strict=True)
        return [vectors[there].numpy() for vectors, there in pairs]

    return box


for name, how in SETTINGS.items():
    boxes[f"Elmo, {name}"] = as_black_box(Elmo(OPTIONS, WEIGHTS, 1, dropout=0.0, **how))
for name, box in boxes.items():
    print(f"{name:>24}: {find_fault(box)}")

# %% [markdown]
# Neither setting is a mistake. A state breaks the second promise. Layer norm breaks the third: mean and deviation depend on who else is in the batch.

# %% [markdown] slide="slide"
# ## 7. Myth or measured?
#
# > *"With ELMo, polysemy is solved. It even gets the part of speech right: the neighbours of a verb* play *are verbs."*
#
# You will meet this claim next to the paper's table 4. The table has two occurrences of *play*, with one neighbour each, and does not name the layer. Go back to the lists of section 1. The stage found the stage. Hockey and the cello came **mixed up**. The stage is a noun; the other two are verbs. So split the score of section 6: first the part of speech, then the role among the verbs only.

# %%
predict(
    "verbs",
    "Layer 2, verbs only (sport or music, chance 48 %): what percentage of the five nearest share the role?",
    unit="%",
)


# %% slide="subslide"
untrained = ElmoEmbedder(module=untrained_network(seed=0)).embed_batch(texts)
READERS = {f"layer {j}": of_targets[:, j] for j in range(3)}
READERS["layer 2, untrained"] = at_targets(untrained, SENTENCES)[:, 2]
READERS["chance"] = np.ones((len(SENTENCES), 1))  # all alike: any sentence is nearest
PLAYS, VERBS, BANKS, WORD, WORD_AND_POS = (  # only sentences with the same key are compared
    lambda s: s.word == "play" or None,
    lambda s: (s.word, s.pos) == ("play", "VERB") or None,
    lambda s: s.word == "bank" or None,
    lambda s: s.word,
    lambda s: (s.word, s.pos),
)


def shares(reader, key, label="sense"):
    """For each sentence: of the five nearest with its key, the share that has its label."""
    labels, keys = [getattr(s, label) for s in SENTENCES], [key(s) for s in SENTENCES]
    return same_label_share(READERS[reader], labels, groups=keys)


def compare(questions, title):
    """Every reader's share for each question, a key and perhaps a label."""
    rows = {name: [point(shares(name, *q)) for q in questions.values()] for name in READERS}
    return interval_bars(list(questions), rows, title=title, ylabel="percent")


OF_PLAY = {"same role": (PLAYS,), "same part\nof speech": (PLAYS, "pos")}
compare(OF_PLAY | {"same role,\nverbs only": (VERBS,)}, "play: what do the five nearest share?")

# %%
outcome("verbs", 100 * point(shares("layer 2", VERBS))["mean"], unit="%")

# %% [markdown]
# What looked like meaning was **grammar**. Layers 1 and 2 know almost perfectly whether *play* is a noun or a verb. Between hockey and the cello they even fall below chance, and so does the untrained network. (One hand wrote all these sentences, and some hockey sentences are built like cello ones. That may be why; no cell here tests it.)
#
# The paper's own pair is harder: a baseball *play* and a Broadway *play* are both nouns, and the published model keeps them apart.
#
# **More words.** One word proves little. Take *bank*, whose two senses are both nouns. Then take all 28 words, with neighbours from every sentence of the word. Then allow only neighbours of the same part of speech. (21 of the words have two senses in one part of speech; for the others grammar is enough.)

# %% slide="subslide"
compare(
    {"bank": (BANKS,), "28 words": (WORD,), "21 words, same\npart of speech": (WORD_AND_POS,)},
    "Nearest sentences with the same sense",
)

# %% [markdown]
# Where intervals overlap, take the difference sentence by sentence. For *bank*, *untrained* is the mean of six networks, each with its own random weights. For many words, the interval redraws whole words, not sentences. The last two bars ask different sentences. So the lead over chance is printed for the **same** sentences, with and without neighbours of another part of speech.


# %%
def say(name, d):
    """A difference and its interval, in points."""
    mean, low, high = (100 * d[end] for end in ("mean", "low", "high"))
    print(f"{name}: {mean:+.1f} points ({low:+.1f} to {high:+.1f})")


def of_bank(module):
    """For each sentence with bank: of the five nearest in layer 2, the share of its sense."""
    vectors = ElmoEmbedder(module=module).embed_batch([s.tokens for s in BANK])
    return roles([layers[2] for layers in vectors], BANK)


BANK = [s for s in SENTENCES if s.word == "bank"]
six = np.mean([of_bank(untrained_network(seed)) for seed in range(6)], 0)
say("bank, layer 2: untrained minus trained", point(six - of_bank(COURSE)))
ahead = shares("layer 2", WORD) - shares("layer 2, untrained", WORD)
words = list(dict.fromkeys(s.word for s in SENTENCES))
gains = [np.mean([a for a, s in zip(ahead, SENTENCES, strict=True) if s.word == w]) for w in words]
print(f"words on which trained is ahead of untrained: {sum(g > 0 for g in gains)} of {len(words)}")
asked = ~np.isnan(shares("chance", WORD_AND_POS))
print(f"\n{asked.sum()} of {len(asked)} sentences: other senses have the same part of speech")
for one, other in (("layer 1", "chance"), ("layer 2", "chance"), ("layer 2", "layer 2, untrained")):
    for key, near in ((WORD, "all neighbours"), (WORD_AND_POS, "same part of speech")):
        gain = np.where(asked, shares(one, key) - shares(other, key), np.nan)
        say(f"{near}: {one} minus {other}", point(gain, [s.word for s in SENTENCES]))

# %% [markdown]
# Over all words layers 1 and 2 are some twenty points above chance. Much of that is grammar. Take the sentences that grammar does not settle: with all neighbours layer 1 leads chance by 11 points, with those of the same part of speech by 8. Layer 2 leads by 10, and by 6. What is left is real: both intervals lie above 0, and so does that of layer 2 against the untrained network. Layer 0 has one vector for each spelling and stays near chance. (It is a little above where the form gives the sense away: *parked* is never a garden.)
#
# And *bank* is a warning: there the **untrained** network does better. Nobody taught it senses. Its states mix in the words beside *bank*, and in 26 sentences those can match the sense for many reasons. Without this control we might have told a story about learning. But *bank* is an extreme: on nearly all of the 28 words the trained network is ahead. We picked it, so its interval promises too much.
#
# **More examples** help. The stored experiment takes the four words of senseval (lesson 02), each in **one** part of speech. It looks for neighbours among up to 1,000 labelled examples of the word.

# %% slide="subslide"
STORED = stored_result("layers_senseval")
print(STORED)
ROWS = [
    "majority of the form",
    "mean of static vectors",
    "layer 0",
    "layer 2, untrained",
    "layer 2",
]
interval_bars(
    [name.replace(" of ", " of\n").replace(", ", ",\n") for name in ROWS],
    {"accuracy": stored_points(STORED.numbers["rows"], ROWS)},
    title="Senses of hard, interest, line and serve (stored)",
    ylabel="percent",
)

# %%
for name, difference in STORED.numbers["differences"].items():
    if name.startswith("layer 2"):
        say(f"{name.replace(' less ', ' minus '):>40}", difference)

# %% [markdown]
# Layer 2 lies twenty points above *majority of the form*, the best that one vector for each form can do. It lies twelve above the same network before training, and nearly seven above the mean of the sentence's static vectors. These learnt from the text of the biLM, three times over; their mean sees the words, but not their order. Layer 0 falls *below* the majority: it cannot tell the senses apart, so its choice of five is arbitrary.
#
# **The paper's own test** is harder: it takes all ambiguous words of a text (table 5, F1 in percent). (CoVe takes its vectors from the encoder of a translator.)
#
# | first sense in WordNet | CoVe, top layer | biLM, layer 1 | biLM, layer 2 | best of the field (2016–17) |
# |---|---|---|---|---|
# | 65.9 | 64.7 | 67.4 | 69.0 | 70.1 |
#
# **Half a myth.** Always saying the commonest sense scores 65.9. The published biLM's second layer scores 69.0, with one nearest neighbour among averages of labelled examples; a system made for the task had 70.1. One vector for each word *in its sentence* makes it possible. How far it gets depends on how much the model has read and on how many examples you have. *Solved* is something else.

# %% [markdown] slide="slide"
# ## Recap
#
# - A biLM gives $2L + 1$ vectors for a token, $L + 1$ with the directions side by side. ELMo mixes them all: shares by softmax, times γ, learned by the task.
# - With γ held at a wrong value, the shares bend to make up for it, and no longer say which layer is useful.
# - Your `CharCNN`, `BiLM` and `ScalarMix` load an official file and give its vectors.
# - Ask for promises: number, memory, company, place. A score hides what they show.
# - *Deep* means all layers. *Contextualized* means a vector for each occurrence, and matters more.
# - Context separates grammar well, but meaning within one part of speech only in part.

# %%
calibration()

# %%
from autograde import progress

progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# One reads: *"ELMo has solved polysemy, better than expected."* **Why can this recipe separate senses at all, although nobody ever told it what a sense is? What do the measurements of this lesson, and the paper's, say about "solved"? And what would you improve in ELMo today?** Six to nine sentences, with at least two numbers and their control.

# %% [markdown] discussion="is_polysemy_solved" points=3
# **Rubric, 3 points.** 1 for the reason: to predict a neighbour the state must hold what the neighbours depend on, and the words around differ between senses; the vector is made anew for each sentence. 1 for two numbers, each with its control (majority or first sense, untrained network, chance, mean of static vectors), and for grammar against meaning. 1 for an improvement with a reason (both sides in one layer, more text and size, attention, subwords, fine-tuning in place of freezing). 0.5 in all for "no, because it makes mistakes" alone.

# %% [markdown] model_answer="is_polysemy_solved"
# A language model must bet on the next word, and the words that follow *play* in a sentence about a stage are not those in one about hockey. So its state has to keep whatever tells such sentences apart. Nobody names senses; they come along because they make the bets better, and because each occurrence gets a vector of its own. Grammar does so as well. In our sentences with *play*, nearly all of the five nearest neighbours have the same part of speech, but among the verbs sport and music are separated no better than chance (48 %). Over 28 words, about 60 % of the neighbours share the sense, against 40 % by chance and 42 % for an untrained network; on the 21 words that have two senses in one part of speech, with that held fixed, it is 50 % against 44 %. With many labelled examples the gain is clear: on senseval layer 2 has 79 %, the majority of the form 59 %, a mean of static vectors 73 % and the same network before training 67 %. In the paper the large model reaches 69.0 on all words of a text, where always taking WordNet's first sense gives 65.9. That is helpful, and it is not solved.
#
# Today I would let the two directions meet inside the network. In ELMo no state has read both sides; they are only laid side by side at the end. That needs another training task, because a model must not see its answer. More text and a larger network help as well, and so does tuning the whole network on the task in place of freezing it.

# %% [markdown] slide="slide"
# ## If you have time: what the sliders listen to
#
# This section takes about 30 minutes. Nothing above or in later lessons needs it.
#
# The task has a loss. For each number of the mixed vectors, backpropagation tells how the loss changes when that number grows. Call this *upstream*, $u$. Which way should the sliders go? Ask each layer how well it points along $u$:
#
# $$a_j = \sum_{\text{tokens, numbers}} u \cdot h_j$$
#
# A layer with a large $a_j$ makes the loss worse when it gets louder. In some cases ELMo's authors add a penalty to the loss, $\lambda \lVert w \rVert^2 = \lambda \sum_j w_j^2$. It pulls every weight to zero.

# %% [markdown] exercise="mix_gradient"
# ### Exercise 6. What a task teaches the mix (derive it)
#
# Take pen and paper. Derive the gradient of $\text{loss} + \lambda \lVert w \rVert^2$ for each $w_j$ and for $\gamma$. Mind the softmax: when $w_j$ grows, **all** shares change, $\partial s_i / \partial w_j = s_i\,(\mathbb{1}[i = j] - s_j)$.
#
# Then write `mix_gradient(layers, w, gamma, upstream, decay)` in NumPy, without autograd. `layers` is (L + 1, ...) and `upstream` has the shape of one layer; `decay` is λ. Weights may be large, such as 1000. Return two things: the gradient for `w`, (L + 1,), and the one for `gamma`, a number.


# %% exercise="mix_gradient"
def mix_gradient(layers, w, gamma, upstream, decay):
    """The gradient for w, (L + 1,), and for gamma."""
    ### BEGIN SOLUTION
    powers = np.exp(w - w.max())
    s = powers / powers.sum()
    a = np.array([(layer * upstream).sum() for layer in layers])
    mean = s @ a
    return gamma * s * (a - mean) + 2 * decay * w, mean
    ### END SOLUTION


# %% check="mix_gradient"
check("mix_gradient", mix_gradient)

# %% [markdown] hints="mix_gradient"
# nudge: $\gamma$ first: the mix is $\gamma$ times something, so what is its derivative? Then $w$: by which path does $w_j$ reach the loss?
#
# idea: For γ: $\sum_j s_j a_j$, no γ in it. For the shares: $\gamma\, a_i$. Then multiply by $\partial s_i / \partial w_j$ and add up over $i$; two terms are left. The penalty adds $2 \lambda w_j$.
#
# outline: Shares from `np.exp(w - w.max())`, so that large weights do not overflow. `a`: one number for each layer, the sum of all products. `mean = s @ a`. The gradient for w has the form: γ, times the shares, times how far each `a` lies from the mean; plus the penalty's.

# %% [markdown]
# Read your formula. A slider goes down if its layer is *worse than the mix*, and up if it is better: the layers are judged against each other, not each on its own.
#
# Take the task of section 3 once more: shares of 10, 70 and 20 %. What does λ do to them?

# %%
predict("penalty", "With λ = 1, what share will layer 1 end with? (The truth is 70 %.)", unit="%")

# %% slide="subslide"
mix_gradient = or_reference("mix_gradient", mix_gradient)

REAL, WANTED = torch.cat(real).double().numpy(), wanted[0].double().numpy()  # (3, words, 2H)


def learned(decay, steps=300):
    """The shares in percent after going down your gradient."""
    w, gamma = np.zeros(3), 1.0
    for _ in range(steps):
        powers = np.exp(w - w.max())
        shares = powers / powers.sum()
        error = gamma * np.einsum("j,jtd->td", shares, REAL) - WANTED
        for_w, for_gamma = mix_gradient(REAL, w, gamma, 2 * error / error.size, decay)
        w = w - for_w / (1 + 2.5 * decay)  # smaller steps where the penalty is steep
        gamma -= for_gamma
    return 100 * shares


MINE = 0.01  # change this: which λ leaves layer 1 half of the mix?
LAMBDAS = sorted({0.0, 0.001, MINE, 0.1, 1.0})
found = {decay: learned(decay) for decay in LAMBDAS}
plots.bars(
    [f"λ = {decay:g}" for decay in LAMBDAS],
    {f"layer {j}": [found[decay][j] for decay in LAMBDAS] for j in range(3)},
    title="Shares that your gradient learns (truth: 10, 70 and 20 %)",
    ylabel="percent",
)

# %%
outcome("penalty", float(found[1.0][1]), unit="%")

# %% [markdown]
# Without the penalty the truth comes out, as your `ScalarMix` found it. With λ = 1 hardly anything is left of it: **a large λ is the plain average**, whatever the task says. In between lies 0.001, the value that AllenNLP's guide recommends. Now change `MINE`. Which λ leaves layer 1 about half? (It lies between 0.01 and 0.1.)
#
# The paper has tried both values, and the top layer alone, in three tasks. **SQuAD**: mark the answer to a question in a text. **SNLI**: does one sentence follow from another? **SRL**, semantic roles: who did what to whom? The *baseline* is the same network without ELMo.

# %% slide="subslide"
table_2 = {  # of the paper, on development sets: baseline, top layer alone, average, learned
    "SQuAD": (80.8, 84.7, 85.0, 85.2),
    "SNLI": (88.1, 89.1, 89.3, 89.5),
    "SRL": (81.6, 84.1, 84.6, 84.8),
}
gains = {f"{task}, from {row[0]}": np.array(row[1:]) - row[0] for task, row in table_2.items()}
STEPS = ["top layer alone", "average (λ = 1)", "learned (λ = 0.001)"]
plots.bars(
    list(gains),
    {step: [gain[i] for gain in gains.values()] for i, step in enumerate(STEPS)},
    title="ELMo's gain over the baseline (table 2 of the paper)",
    ylabel="points",
)

# %% [markdown]
# Most of the gain is there with the top layer alone. The average adds a little, in all three tasks; learned shares add 0.2 points to the average each time. One reads that they are "much better than averaging". Table 2 does not say so, and it gives no intervals.

# %% [markdown] slide="slide"
# ## If you have time: the price of layer norm
#
# Five minutes. The layers are not equally loud (section 3). Layer norm makes them so. What does it cost?

# %% slide="subslide"
for norm in (False, True):
    desk = ScalarMix(3, do_layer_norm=norm)
    alone = desk([layer[:1, :4] for layer in layers], words_there[:1, :4])
    beside = desk(list(layers), words_there)[:1, :4]
    away = (alone - beside).abs().max()
    print(f"layer norm {norm!s:>5}: a sentence alone, or beside a longer one: {away:.0e}")

# %% [markdown]
# With layer norm the vectors of a sentence depend on who else is in its batch. Your inspector has found it.

# %% [markdown] slide="slide"
# ## If you have time: the old interface
#
# Twelve minutes. Much code was written for AllenNLP, whose support ended in December 2022. Its names work here. `Elmo` takes the two files and the number of outputs, `batch_to_ids` the sentences:

# %% slide="subslide"
elmo = Elmo(OPTIONS, WEIGHTS, num_output_representations=2, dropout=0.5)
character_rows = batch_to_ids(EXAMPLE)  # (2, 8, 50)
output = elmo(character_rows)
below, above = output["elmo_representations"]  # (2, 8, 512) each
print("mask:", output["mask"].int().tolist())
print("learned by the task:", *(name for name, p in elmo.named_parameters() if p.requires_grad))

# %% [markdown]
# Two outputs from one reading: **two desks on the same microphones**. For questions and entailment the paper put ELMo in twice, below the task's own network beside its word vectors, and above it; each place learned its own mix. Dropout comes last and acts in training mode only. The biLM is frozen unless you say `requires_grad=True`. (You may read that AllenNLP's ELMo could not be fine-tuned. That switch has existed since February 2018.)
#
# The other class, `ElmoEmbedder`, gives every layer unmixed, (B, L + 1, T, 2H), and a mask; you have used it all along. It left AllenNLP in April 2020. Words come as lists, in any language; an English model gives vectors for Chinese, too, and they mean next to nothing (lesson 06).
#
# One habit of the original is off here. AllenNLP carries each row's last state into the **next call**. Its guide warns that the same batch gives slightly different vectors each time. How slightly?

# %%
predict("again", "The same batch again: by what percentage do the vectors change?", unit="percent")

# %% slide="subslide"
stateful = Elmo(OPTIONS, WEIGHTS, 1, dropout=0.0, stateful=True)
with torch.no_grad():
    calls = [stateful(character_rows)["elmo_representations"][0] for _ in range(6)]
steps = [float(100 * (b - a).norm() / a.norm()) for a, b in itertools.pairwise(calls)]
plots.bars(
    [f"call {n}" for n in range(2, 7)],
    {"stateful": steps, "by default": [0.0] * 5},
    title="The same two sentences, call after call",
    ylabel="percent changed since the call before",
)

# %%
outcome("again", steps[0], unit="percent")

# %% [markdown]
# The first call is the odd one: its readers start from zero. After that they start from the end of the same sentences, and little changes. In real use other sentences come before, so the vectors never settle. Training was like that; the authors advise leaving it so. We prefer that the same sentence always has the same vectors, and `stateful=True` gives their numbers exactly.

# %% [markdown]
# ## Further reading
#
# - The ELMo paper, sections 3.2, 3.3, 5.1 and 5.3. Its figure 2 shows what tasks make of the sliders: lesson 09.
# - The authors' programs: [bilm-tf](https://github.com/allenai/bilm-tf), and AllenNLP's [guide to ELMo](https://github.com/allenai/allennlp/blob/v0.9.0/tutorials/how_to/elmo.md) with the advice on λ and on the first batches.
# - In the package: `elmo_mini/bilm/plain.py` ends with this lesson's mix; `elmo_mini/elmo/module.py` is the `Elmo` that you ran. The stored experiment is `python -m elmo_mini.experiments.layers layers_senseval`.
#
# Next: **09 · what the layers know, and using them.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Why a softmax and not free weights?* Free weights would do; the softmax keeps the shares comparable between tasks and starts from the average. *Why is there only one γ?* One for each output; a scale for each layer would undo the softmax. *Is the fresh mix not arbitrary?* It is the average, and table 2 shows that the average is nearly as good as learned shares. *Why does the untrained network find the senses of* bank *?* Its states mix in the words beside it without having learned anything; with 26 sentences by one writer, those of one sense may share small words. That is why an untrained control belongs in every such figure. *Would a larger model separate hockey from the cello?* The published model has read 800 million words, ours a small part of that; the course has not measured it. *Poll before section 7:* "Which is easier to read off a vector, noun against verb, or sport against music?"
