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
# ## ScalarMix and ELMo
#
# Lesson 08 · *Deep contextualized word representations*, Peters and others, 2018
#
# minutes: 1
#
# say: Last time we trained two language models, one reading forwards and one backwards. Today they give three vectors for every word, and we ask what to do with three. By the end the parts are put together, and we hold them against the program that the world has used.
#
# ask: How many vectors has a word in word2vec, and how many should *play* have?
#
# expect: "One for each meaning in the dictionary." ELMo does not count meanings: it makes a vector anew for each sentence.
#
# skip: Leave it out if the room has just had lesson 07.

# %% [markdown] slide="slide"
# # 08 · ScalarMix and ELMo
#
# Your two language models give three vectors for every word. ELMo takes all of them and lets the task decide how much of each. Here you build that mix, put your own parts together, and hold your ELMo against the program that the world has used.

# %% tags=["road"]
from course.figures import plots

plots.road("08")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - mix the layers of a biLM, derive what a task teaches the mix, and train it on labelled words,
# - load official files into classes of your own, hold them against AllenNLP, and explain a difference,
# - find the fault in an ELMo when nobody's numbers are at hand,
# - read ELMo's table of results, and say how far it has solved polysemy.
#
# ## The paper
#
# **ELMo** means *Embeddings from Language Models*: Peters and others, *Deep contextualized word representations*, NAACL 2018, [arXiv:1802.05365](https://arxiv.org/abs/1802.05365), a best paper of that conference. Sections 3.2 to 5.3.
#
# Plan 150 minutes, 175 with second tries; the essay at the end is for home. Short of time? Exercises 1, 2, 6, 7 and 8 are the spine, 100 minutes. Optional sections follow, 15 minutes.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B, T$ | sentences, words in each | $h_{k,j}$ | the vector of token $k$ in layer $j$ |
# | $L, K$ | layers of LSTMs, labels | $w_j, s_j$ | the weight of layer $j$, and its share: $s = \text{softmax}(w)$ |
# | $H$ | numbers in a state of one direction | $\gamma, \lambda$ | the scale of the mix, the pull of the weights to 0 |

# %% [markdown] instructor=true
# **Instructor.** Minutes of two readers: introduction and sections 1 and 2, 12 and 16; section 3, 17 and 20; section 4, 27 and 35; section 5, 25 and 24; section 6, 18 and 25; section 7, 17 both; section 8, myth and recap, 7 and 17. That is about 125 and 155 (estimated, with waiting, without hints). The essay takes 10, at home. Optional: senses 5, the old interface 10, or 18 in all. For 60 minutes: show exercises 3, 4 and 5 solved, let them do 1, 2, 6 and 8, and leave the rest for home. Students get stuck in exercise 6 on where `</S>` goes in a short sentence (draw two rows of a batch, padding in grey), and in exercise 7 on the state of a short sentence beside a long one: the same drawing helps. Anyone who missed lessons 06 and 07 gets the course's parts, and the lesson says so. In the solved notebook `write_my_elmo()` makes its package of the course's parts in a temporary folder, so there is something to show without a learner's folder.

# %%
import numpy as np
import torch

from autograde import calibration, check, mine, or_reference, outcome, predict, whose
from course.figures import plots
from course.figures.interval_bars import interval_bars
from course.results.intervals import Lead
from elmo_mini.checkpoints.official import official_file

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% [markdown] deck="words"
# ## One word, three roles
#
# > The twins **play** hockey.
# >
# > She **plays** the cello.
# >
# > His **play** ran for eleven nights.
#
# . . .
#
# GloVe's neighbours: *playing, game, games, played, players, plays, player, Play, football, multiplayer*
#
# minutes: 2
#
# say: Three roles, one row in a static table. Read out the neighbours in GloVe, from table 4 of the paper. The table shows the use that its text is full of: sport. The stage is lost.
#
# ask: Which of the three sentences do GloVe's ten neighbours know about?
#
# expect: "All three, a little." Look for one word of theatre or of music among the ten: there is none.
#
# skip: Show both steps at once.

# %% [markdown] slide="slide"
# ## 1. One word, three roles
#
# *The twins play hockey. She plays the cello. His play ran for eleven nights.* A static table has one vector for *play*. Its neighbours in GloVe are *playing, game, games, played, players, plays, player, Play, football, multiplayer* (table 4 of the paper). The table shows the use that its text is full of. The stage is lost.
#
# The course's own ELMo gives each *play* a vector of its own. Take two of 39 sentences with *play*: which others are nearest, by the cosine of their vectors in the top layer?

# %% [markdown] deck="printed"
# ## The stage finds the stage
#
# Nearest of 38 other *play*s, by our own ELMo
#
# minutes: 2
#
# say: The number is the cosine. The first sentence is about the theatre, and all three neighbours are. In the second she plays the cello: the neighbours are verbs, and two of them are about sport. A language model wrote these sentences, so this is an illustration and no proof.
#
# ask: What did the second sentence find: the music, or the grammar?
#
# expect: "The music." Only one neighbour has a soloist in it. All three are the verb *play*.
#
# skip: Read the first block only. Live instead: type a sentence of the room's into the next cell; it takes a second.

# %% slide="subslide"
from elmo_mini import ElmoEmbedder
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.probing.neighbours import in_brackets
from elmo_mini.text.senses import sense_sentences

embedder = ElmoEmbedder(module=load_pretrained())
SENTENCES = [s for s in sense_sentences() if s.word in ("play", "bank", "mouse", "spring")]
texts = [list(s.tokens) for s in SENTENCES]
in_context = embedder.embed_batch(texts)  # (L + 1, words, 2H) for each sentence


def nearest(sentence, word, most=3):
    """Where the word's top vector has the largest cosines with the one here, and these."""
    here = embedder.embed_sentence(sentence)[-1, sentence.index(word)]
    found = []
    for s, layers in zip(SENTENCES, in_context, strict=True):
        if s.word == word and list(s.tokens) != sentence:
            there = layers[-1, s.position]
            cosine = here @ there / (np.linalg.norm(here) * np.linalg.norm(there))
            found.append((cosine, in_brackets(s.tokens, s.position, 6)))
    return sorted(found, reverse=True)[:most]


for typed in (
    "Her first play ran for eleven nights above a butcher 's shop .",
    "She could play the cello before she could read .",
):
    print(typed, *(f"{c:.2f} {where}" for c, where in nearest(typed.split(), "play")), sep="\n   ")

# %% [markdown]
# Type one of your own, with stars around *play*, *bank*, *mouse* or *spring*. (A language model wrote these sentences: an illustration, no proof.)

# %%
from course.scalar_mix_and_elmo.word_explorer import word_explorer

word_explorer(
    embedder.embed_batch, texts, in_context, start="We *play* hockey in the winter .", topn=3
)

# %% [markdown]
# The stage finds the stage. But the cello finds sport as well as music, and hockey the guitar: all of them verbs.

# %% [markdown] deck="formula"
# ## The mixing desk: a slider for each layer, one knob for the volume
#
# Shares are positive and sum to one. The **task** learns $w$ and $\gamma$; the language model stays frozen.
#
# minutes: 3
#
# say: A sound engineer has three microphones on one band. The shares s are the sliders, gamma is the volume. The softmax keeps the shares positive and lets them sum to one. The weights start at zero, so the mix starts as the plain average.
#
# ask: Which w gives the top layer alone?
#
# expect: "Zeros, and a one at the top." After the softmax that is 21, 21 and 58 per cent. One weight must lie far above the others.
#
# skip: Leave out how the weights start.

# %% [markdown] slide="slide"
# ## 2. The mixing desk
#
# A biLM with $L$ layers leaves $2L + 1$ vectors for every token (lesson 07). With the directions side by side these are $L + 1$ vectors of $2H$ numbers, $h_{k,0}$ to $h_{k,L}$.
#
# Think of a sound engineer with three microphones on one band: a slider for each, and one knob for the volume. The shares $s_j$, the paper's **softmax-normalised weights**, are the sliders, $\gamma$ is the volume:
#
# $$\text{ELMo}_k = \gamma \sum_{j=0}^{L} s_j\, h_{k,j} \qquad s = \text{softmax}(w) \tag{1}$$
#
# By the softmax the shares are positive and sum to one. $w$ and $\gamma$ belong to the **task**: it learns them, from zeros and from 1, while the biLM stays frozen.

# %% [markdown] exercise="scalar_mix"
# ### Exercise 1. One vector out of all layers
#
# Write `scalar_mix(layers, w, gamma)`, equation (1), for tensors (L + 1, B, T, 2H), (L + 1,) and one number. Return (B, T, 2H). A task learns `w` and `gamma` through it, so stay with tensors. It must work for any number of layers, and for weights beyond ±1,000.


# %% [markdown] deck="code"
# ## The mix, in two lines
#
# minutes: 2
#
# say: Let them say the two lines before you show them. This is the first exercise, and the only code of today that everybody should have in mind.
#
# ask: Along which axis is the softmax, and what would happen with numbers in place of tensors?
#
# expect: "The last axis, as always." The layers lie on the first one. And without tensors no gradient reaches w.
#
# skip: Show the answer at once.


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
# Two special cases: zeros give the plain **average**, and one weight far above the others gives **one layer alone**; TagLM's choice is the top one.
#
# Sit down at the desk. Each point is one of the 39: *play*, and eleven times *plays*, *played* or *playing*. It is drawn along the two directions in which they differ most. Is the nearest other one the same part of speech? (Equally near ones share that place.) Take layer 0 alone, then let in a little of the others. What does γ change?


# %% [markdown] deck="figure"
# ## The 39 *play*s, as layer after layer is let in
#
# minutes: 2
#
# say: Each point is one occurrence, 512 numbers flattened to two. Layer 0 knows no context: a word has the same vector everywhere, only its ending makes a difference. As the other layers come in, nouns and verbs separate. In the notebook this figure has sliders.
#
# ask: What does gamma change in this picture?
#
# expect: "It pulls the groups apart." It makes every vector longer or shorter and turns none, so the neighbours stay the same.
#
# skip: Say only that nouns and verbs separate. Live instead: move the sliders in the notebook; each move is drawn at once.

# %% slide="subslide"
from course.scalar_mix_and_elmo.mix_sliders import mix_sliders

scalar_mix = or_reference("scalar_mix", scalar_mix)
PLAYS = [
    (layers[:, s.position], s.pos.lower())
    for layers, s in zip(in_context, SENTENCES, strict=True)
    if s.word == "play"
]
mix_sliders(np.stack([v for v, _ in PLAYS]), [pos for _, pos in PLAYS], word="play")

# %% [markdown]
# γ makes every vector longer or shorter. It turns none, so the neighbours stay. A network that reads the vectors does notice: section 3.

# %% [markdown] deck="formula"
# ## What do the sliders listen to?
#
# Each layer is asked how far it points along $u$, the direction that makes the task's loss **worse**.
#
# minutes: 2.5
#
# say: Backpropagation gives u, a number for each number of the mixed vector: how the loss grows with it. A layer with a large a makes the loss worse when it gets louder. The gradient of its weight is gamma times its share times a minus the mean of all a. So a layer is compared with the mix, never judged alone.
#
# ask: All three layers make the loss worse, one of them less than the others. Does its slider go up or down?
#
# expect: "Down, since it makes things worse." Up: it is better than the mix. The shares sum to one, so only the comparison counts.
#
# skip: Leave the derivation to exercise 2.

# %% [markdown] slide="slide"
# ## 3. What the sliders listen to
#
# For each number of the mixed vectors, backpropagation tells how the task's loss changes when that number grows. Call this *upstream*, $u$. Which way should the sliders go? Ask each layer how far it points along $u$:
#
# $$a_j = \sum_{\text{tokens, numbers}} u \cdot h_j$$
#
# A layer with a large $a_j$ makes the loss worse when it gets louder. ELMo's authors sometimes add a penalty, $\lambda \lVert w \rVert^2 = \lambda \sum_j w_j^2$. It pulls every weight to zero.

# %% [markdown] exercise="mix_gradient"
# ### Exercise 2. What a task teaches the mix (derive it)
#
# Derive the gradient of $\text{loss} + \lambda \lVert w \rVert^2$ for each $w_j$ and for $\gamma$.
#
# Then write `mix_gradient(layers, w, gamma, upstream, decay)` in NumPy, without autograd. `layers` is (L + 1, ...) and `upstream` has the shape of one layer; `decay` is λ. Weights may be large, such as 1000. Return two things: the gradient for `w`, (L + 1,), and the one for `gamma`, a number.


# %% exercise="mix_gradient"
import numpy as np


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
# idea: For γ: $\sum_j s_j a_j$, no γ in it. For the shares: $\gamma\, a_i$. Then multiply by $\partial s_i / \partial w_j = s_i\,(\mathbb{1}[i = j] - s_j)$ and add up over $i$; two terms are left. The penalty adds $2 \lambda w_j$.
#
# outline: Shares from `np.exp(w - w.max())`, so that large weights do not overflow. `a`: one number for each layer, the sum of all products. `mean = s @ a`. The gradient for w has the form: γ, times the shares, times how far each `a` lies from the mean; plus the penalty's.

# %% [markdown]
# A slider goes down if its layer is *worse than the mix*: the layers are judged against each other.
#
# Mix real layers with the shares 10 %, 70 % and 20 % and the volume 2, and hand over the result alone. Can your gradient find these numbers again? And if γ is held at 1? The layers are not equally loud:

# %%
mix_gradient = or_reference("mix_gradient", mix_gradient)
REAL = np.concatenate(in_context[:8], 1).astype(float)[:, None]  # (3, 1, words, 2H)
TRUTH = np.array([0.1, 0.7, 0.2])
WANTED = 2 * np.einsum("j,jbkd->bkd", TRUTH, REAL)  # (1, words, 2H)
for j, layer in enumerate(REAL):
    print(f"layer {j}: standard deviation {layer.std():.2f}")

# %% [markdown] deck="poll"
# - below 40 %
# - about 70 %, the truth
# - above 90 %
#
# minutes: 2
#
# say: Somebody has mixed real layers with shares of 10, 70 and 20 per cent and the volume 2. We let the gradient find the numbers again, once with gamma free, once with gamma held at 1. The layers are not equally loud: their standard deviations are 0.48, 0.33 and 0.55.
#
# ask: The poll. Let those who said C give a reason first.
#
# expect: "70, because gamma is only the volume." The shares cannot make the mix louder: they sum to one. So they do the next best thing.
#
# skip: Take one vote, without reasons.

# %%
predict(
    "held", "With γ held at 1, what share will layer 1 end with? (The truth is 70 %.)", unit="%"
)

# %% [markdown] deck="figure"
# minutes: 2
#
# say: In the middle, with gamma free, the truth comes out to the second decimal. On the right, gamma is held. Layer 1 was to have 70 per cent and has less than a fifth: layer 2, the loudest, has taken over. The paper calls gamma of practical importance for the optimisation; one reason could be this.
#
# ask: Why layer 2, of all layers?
#
# expect: "Because it is the best one." Nobody asked for the best: the target was a sum. It is the loudest.
#
# skip: Keep this one: the rest of the lecture leans on it.


# %% slide="subslide"
def recovered(hold_gamma):
    """Shares and gamma after 300 steps down the mean squared distance, by your gradient."""
    w, gamma = np.zeros(3), 1.0
    for _ in range(300):
        mixed = scalar_mix(torch.from_numpy(REAL), torch.from_numpy(w), gamma).numpy()
        upstream = 2 * (mixed - WANTED) / WANTED.size
        for_w, for_gamma = mix_gradient(REAL, w, gamma, upstream, decay=0.0)
        w = w - np.asarray(for_w)
        gamma = gamma if hold_gamma else gamma - float(for_gamma)
    return torch.softmax(torch.from_numpy(w), 0).numpy(), gamma


(free, gamma), (held, _) = recovered(hold_gamma=False), recovered(hold_gamma=True)
print(f"layer 1: {100 * free[1]:.1f} % with γ free, {100 * held[1]:.1f} % with γ held")
plots.bars(
    ["the truth,\nγ = 2", f"learned,\nγ = {gamma:.2f}", "learned,\nγ held at 1"],
    {f"layer {j}": [100 * s[j] for s in (TRUTH, free, held)] for j in range(3)},
    title=f"Layer 1: {free[1]:.0%} with γ free, {held[1]:.0%} with γ held, where 70% is true",
    ylabel="share, percent",
)

# %%
outcome("held", float(100 * held[1]), unit="%")

# %% [markdown]
# With γ free, the truth comes out. With γ held the shares cannot make the mix louder, because they sum to one. So they bend towards layer 2, the loudest, likely for that reason. The paper calls γ "of practical importance to aid the optimization process".

# %% [markdown] deck="words"
# ## One microphone is twice as loud as another
#
# **Layer norm**, off by default: from all numbers of a layer take their mean, then divide by their standard deviation.
#
# . . .
#
# One mean and one deviation for the whole layer, over all words of the batch. **Padding does not count.**
#
# minutes: 1
#
# say: A slider at one third means little if one microphone is louder. A switch brings all layers to one volume first. Ba and others treat each token on its own; ELMo's code takes the whole batch.
#
# ask: What else does a sentence's vector depend on, once the batch has one mean?
#
# expect: "Nothing else." It depends on its company: the same sentence beside other sentences gets another vector. We come back to that.
#
# skip: Leave out the second step.

# %% [markdown] slide="slide"
# ## 4. A task at the desk
#
# A slider at one third means little if one microphone is twice as loud as another. A switch, off by default, brings the layers to one volume first. This is **layer norm**: from each number of a layer subtract the mean of all, and divide by their standard deviation. One mean and one deviation serve the whole layer, over all words of the batch; **padding does not count**. (So the authors' code. Ba and others, whom the paper cites, treat each token on its own.)

# %% [markdown] exercise="ScalarMix"
# ### Exercise 3. The mixing desk as a module
#
# Write the class `ScalarMix`.
#
# - `ScalarMix(n_layers, do_layer_norm=False)` makes the parameters `self.w`, zeros of shape (n_layers,), and `self.gamma`, a one.
# - `forward(layers, mask)` takes a list of `n_layers` tensors (B, T, 2H) and the mask (B, T), True at words. It returns the mix, (B, T, 2H). With `do_layer_norm` each layer is first normalised as above. For the variance divide by n, not n − 1. Add 1e-13 to it before the root, in case all numbers are equal. What you leave at padding does not matter.
#
# Your `scalar_mix` does the mixing, of `torch.stack(layers)`.


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

# %% [markdown] exercise="train_mix"
# ### Exercise 4. A task trains the mix
#
# Every word has a label, one of $K$. Above the desk stands a classifier. Write `train_mix(mix, head, layers, mask, labels, steps, rate, decay)`:
#
# - `mix(layers, mask)` is the mix, (B, T, 2H), with `mix.w` and `mix.gamma` as in your class (`w` may be frozen); `head` makes K scores of a vector,
# - `labels` (B, T) are numbers from 0 to K − 1; at padding they mean nothing,
# - the loss is the mean cross-entropy over the **words**, plus λ‖w‖² with λ = `decay`,
# - both modules learn, by Adam at the learning rate `rate`, from all words in each of the `steps`.
#
# Return a tensor (steps, L + 1): the shares after each step.


# %% exercise="train_mix"
import torch
from torch.nn import functional


def train_mix(mix, head, layers, mask, labels, steps, rate, decay):
    """The shares after each step; mix and head are trained."""
    ### BEGIN SOLUTION
    optimizer = torch.optim.Adam([*mix.parameters(), *head.parameters()], lr=rate)
    shares = []
    for _ in range(steps):
        scores = head(mix(layers, mask))[mask]
        loss = functional.cross_entropy(scores, labels[mask]) + decay * mix.w.square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        shares.append(torch.softmax(mix.w.detach(), 0))
    return torch.stack(shares)
    ### END SOLUTION


# %% check="train_mix"
check("train_mix", train_mix)

# %% [markdown] hints="train_mix"
# nudge: Whose numbers does the optimiser get? Which positions of the batch have a label that means something?
#
# idea: `[*mix.parameters(), *head.parameters()]` are the numbers of both. `scores[mask]` and `labels[mask]` are those of the words, (N, K) and (N,). The penalty is `decay * mix.w.square().sum()`. The shares are a softmax; `.detach()` takes them out of the graph.
#
# outline: One optimiser before the loop. In each step: scores at the words, the loss with its penalty, empty the gradients, `backward`, `step`, append the softmax of the detached `mix.w`. `torch.stack` at the end.

# %% [markdown]
# Now parts of speech in the Penn Treebank. (Without this corpus: kinds of names, in fewer sentences.) A linear head on the mix learns from forty sentences, drawn from 120, in fifty steps; the words of a hundred others judge it. The head sees one word's vector at a time, so all words can lie in one long row, without padding.

# %% slide="subslide"
from course.texts.small_tasks import sentences_with_labels

WHAT, LEARN, ASKED = sentences_with_labels(120, 100)  # two lists of (words, labels)
KINDS = sorted({label for _, labels in LEARN for label in labels})


def in_a_row(sentences):
    """Four tables of all words, (1, N, ...); their mask and label numbers, (1, N).

    The three layers, and layer 0 with that of the word before and after; beyond the ends, zeros.
    """
    tables = list(embedder.embed_sentences(words for words, _ in sentences))
    labels = [label for _, labels in sentences for label in labels]
    numbers = [[KINDS.index(label) if label in KINDS else -1 for label in labels]]
    sides = []
    for word, *_ in tables:
        none = np.zeros_like(word[:1])
        before, after = np.concatenate([none, word[:-1]]), np.concatenate([word[1:], none])
        sides.append(np.concatenate([word, before, after], -1))
    rows = [*np.concatenate(tables, 1), np.concatenate(sides)]
    rows = [torch.from_numpy(row)[None] for row in rows]
    return rows, torch.ones(1, len(labels), dtype=torch.bool), torch.tensor(numbers)


ScalarMix, train_mix = or_reference("ScalarMix", ScalarMix), or_reference("train_mix", train_mix)
DRAWS = [np.random.default_rng(seed).permutation(len(LEARN))[:40] for seed in range(3)]
SETS = [in_a_row([LEARN[row] for row in draw]) for draw in DRAWS]
LEFT = [LEARN[row] for row in range(len(LEARN)) if row not in np.concatenate(DRAWS)]
QUESTIONS = in_a_row(ASKED)
SENTENCE = np.repeat(np.arange(len(ASKED)), [len(words) for words, _ in ASKED])
print(f"{WHAT}: {len(KINDS)} kinds, {len(SENTENCE)} words to judge by")


# %% [markdown]
# Layer 0 alone, the top layer alone, the plain average, or learned shares? `trained()` is the whole experiment, and each way is one call of it.


# %% slide="subslide"
def trained(use=(0, 1, 2), learn=True, norm=False, decay=0.0, louder=(1, 1, 1, 1), asked=QUESTIONS):
    """Mix and head, trained on each set: (3, N) right, and (3, steps, layers) shares in percent."""
    rights, histories = [], []
    for seed, (layers, mask, labels) in enumerate(SETS):
        torch.manual_seed(seed)
        head = torch.nn.Linear(layers[use[0]].shape[-1], len(KINDS))
        mix = ScalarMix(len(use), do_layer_norm=norm)
        mix.w.requires_grad_(learn)  # False leaves the shares equal; gamma learns
        used = [louder[j] * layers[j] for j in use]
        shares = train_mix(mix, head, used, mask, labels, 50, 0.02, decay)
        tables, everywhere, truth = asked
        with torch.no_grad():
            said = head(mix([louder[j] * tables[j] for j in use], everywhere)).argmax(-1)
        rights.append((said == truth)[0].numpy())
        histories.append([100 * torch.as_tensor(row).detach().numpy() for row in shares])
    return np.array(rights, float), np.array(histories)


# %% [markdown]
# A control has context, but nobody to read it: layer 0 of a word, with that of the word before and after at its sides. How loud should the sides be? Sentences that no draw has learnt from decide:


# %%
def with_sides(factor):
    """Layer 0 with its neighbours', turned down, as arguments of `trained`."""
    return {"use": [3], "louder": (1, 1, 1, torch.tensor([1.0] * 512 + [factor] * 1024))}


spare, SIDES = in_a_row(LEFT), {}
for factor in (0.1, 0.2, 0.5, 1.0):
    SIDES[factor] = trained(**with_sides(factor), asked=spare)[0].mean()
    print(f"sides times {factor}: {SIDES[factor]:.1%} right, in {len(LEFT)} other sentences")
SIDE = max(SIDES, key=SIDES.get)

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: Now a real task: parts of speech in the Penn Treebank, forty sentences to learn from, a hundred to judge by. A linear classifier stands on the mix. Once the shares are learned, once they are held at one third each.
#
# ask: The poll.
#
# expect: "Learned shares, of course." More freedom helps where there is something to gain. Wait for the figure.
#
# skip: Show of hands for A only.

# %%
predict(
    "best_mix",
    "Which will have more test words right?",
    options=["learned shares", "the plain average", "no clear difference"],
)

# %% [markdown] deck="figure"
# ## Are learned shares better than the plain average?
#
# minutes: 2.5
#
# say: Zero is the plain average. The hollow bars are controls: layer 0 alone is five points below it, with its neighbours three, the top layer alone two. Learning the shares brings nothing that we can see: the interval holds zero. Three draws of sentences, and the bars are over draws and test sentences.
#
# ask: Why does learning bring nothing here?
#
# expect: "There were too few steps." The classifier sees the same numbers either way and can weigh them itself. Table 2 of the paper has the same: two tenths of a point.
#
# skip: Leave out the reason.

# %% slide="subslide"
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.progress import progress_bar

SETTINGS = {
    "layer 0\nalone": {"use": [0]},
    "layer 0 and\nneighbours'": with_sides(SIDE),
    "top layer\nalone": {"use": [2]},
    "average": {"learn": False},
    "learned": {},
    "learned,\nlayer norm": {"norm": True},
}
WAYS = {way: trained(**settings) for way, settings in progress_bar(SETTINGS.items(), "training")}
AHEAD = {}  # of the average, on the same words: mean and 95 % interval over draws and sentences
for way, (right, _) in WAYS.items():
    found = bootstrap_interval(right - WAYS["average"][0], SENTENCE)
    AHEAD[way] = dict(zip(("mean", "low", "high"), found, strict=True))
del AHEAD["average"]  # of itself
by_learning = Lead.of(AHEAD["learned"])
interval_bars(
    list(AHEAD),
    {"ahead": list(AHEAD.values())},
    title=f"Learned shares less plain average: {by_learning}",
    ylabel="points ahead of the average",
    controls=list(AHEAD)[:2],
)

# %%
print(f"The average has {WAYS['average'][0].mean():.1%} right.")
for way, point in AHEAD.items():
    print(f"{' '.join(way.split())} minus average, in points: {Lead.of(point)}")
better = {"ahead": "learned shares", "behind": "the plain average"}
outcome("best_mix", better.get(by_learning.verdict, by_learning.verdict))

# %% [markdown]
# A bar is the lead over the average on the same words, a whisker its 95 % interval over draws and sentences (one biLM: another start is in no interval of this lesson). Hollow bars are controls. **Context** brings most: layer 0, which has none, is five points behind. Does it take an LSTM? Not for all of it: with its two neighbours' layer 0 beside it, it is about three points behind. The rest is not in those two. In parts of speech the top layer alone is about two points behind. Learning the shares brought nothing that we can see. But look at the shares:

# %% [markdown] deck="figure"
# ## Layer 2 is turned up; with the layer norm, no longer
#
# minutes: 2
#
# say: But look at the shares themselves. Without the norm layer 2 is turned up. With the norm its lead is gone, or nearly, and the task is solved as well as before.
#
# ask: Does the task like layer 2, or is it only the loudest? How would you find out?
#
# expect: "The share says what the task prefers." That is the usual reading. It can be tested: change the loudness alone.
#
# skip: Go straight to the poll.

# %% slide="subslide"
lines, bands = {}, {}
for way, added in (("learned", ""), ("learned,\nlayer norm", ", layer norm")):
    history = WAYS[way][1]  # (draws, steps, layers)
    for j in (1, 2):
        lines[f"layer {j}{added}"] = history[..., j].mean(0)
        bands[f"layer {j}{added}"] = history[..., j].min(0), history[..., j].max(0)
leads = [lines[f"layer 2{added}"][-1] - lines[f"layer 1{added}"][-1] for added in ("", added)]
print(f"layer 2 less layer 1: {leads[0]:+.1f} points of share, {leads[1]:+.1f} with the norm")
plots.curves(
    np.arange(1, 51),
    lines,
    bands=bands,
    title=f"Layer 2 less layer 1: {leads[0]:+.0f} points of share, {leads[1]:+.0f} with the norm",
    xlabel="steps (bands: three draws of sentences)",
    ylabel="share, percent",
)

# %% [markdown]
# Layer 2 takes the lead. With the norm the lead is gone, or nearly, and the task is solved as well. Was layer 2 only the loudest? Change that alone: layers 1 and 2 get each other's volume. Each variant is one line of `CHANGED`. Add one of your own, such as `trained(decay=0.001)`, which AllenNLP's guide recommends.

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: We change one thing: layers 1 and 2 get each other's volume. Nothing else moves.
#
# ask: The poll.
#
# expect: "Layer 2 still, the information is in it." The lead goes with the loudness. So a share says how much a layer is turned up, and not how much the task prefers it.
#
# skip: Say the result: the lead goes to layer 1.

# %%
LAYERS = ["layer 0", "layer 1", "layer 2"]
predict("swapped", "With the volumes of layers 1 and 2 swapped: which gets most?", options=LAYERS)

# %% slide="subslide"
volume = [torch.cat([layers[j] for layers, _, _ in SETS], 1).std().item() for j in range(3)]
times = volume[2] / volume[1]
CHANGED = {
    "as it was": WAYS["learned"],
    "volumes swapped": trained(louder=(1, times, 1 / times)),
    "λ = 1": trained(decay=1.0),
}
for way, (right, history) in CHANGED.items():
    ends = history[:, -1].mean(0)
    print(f"{way:>15}: shares {ends.round(1)}, right {right.mean():.1%}")

# %%
outcome("swapped", LAYERS[CHANGED["volumes swapped"][1][:, -1].mean(0).argmax()])

# %% [markdown] deck="table"
# ## The paper says so, too: the average is enough
#
# minutes: 1.5
#
# say: Table 2, development sets. From left to right: no ELMo, the top layer, the average, learned shares. Most of the gain is there with the top layer alone. The average adds two to five tenths, learning adds two tenths more.
#
# ask: One reads that learned shares are "much better than averaging". How much better, in the table?
#
# expect: "Four points." That is ELMo against no ELMo. Learned against average is 0.2 in all three rows.
#
# skip: Read one row.

# %% [markdown]
# The lead goes with the loudness. So a share says how much a layer is *turned up*, not how much the task "prefers" it. And **a large λ is the plain average**. The paper has compared (table 2, development sets; the *baseline* has no ELMo):
#
# | | baseline | top layer | average (λ = 1) | learned (λ = 0.001) |
# |---|---|---|---|---|
# | SQuAD, questions | 80.8 | 84.7 | 85.0 | 85.2 |
# | SNLI, entailment | 88.1 | 89.1 | 89.3 | 89.5 |
# | SRL, who did what to whom | 81.6 | 84.1 | 84.6 | 84.8 |
#
# The top layer alone gives most of the gain. One reads that learned shares are "much better than averaging": table 2 says 0.2 points.

# %% [markdown] slide="slide"
# ## 5. Your own ELMo
#
# A biLM reads each sentence between two boundaries, `<S>` and `</S>`. A task has no label for them, so their vectors go.

# %% [markdown] exercise="without_boundaries"
# ### Exercise 5. The vectors of the words alone
#
# Write `without_boundaries(vectors, mask)`. `vectors` (B, T + 2, 2H) and `mask` (B, T + 2) are of sentences with both boundaries and with padding at the end. Return two things, in this order: the vectors of the words, (B, T, 2H), with zeros at padding, and their mask, (B, T). Gradients must come through.


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
# nudge: Write two rows on paper: *S a b c E* and *S d E · ·*. Which positions hold words, and how long is the new row?
#
# idea: Every word moves one position to the left: `vectors[:, 1:-1]`. A sentence of n words has n + 2 tokens. For which new positions t is there a token at the old position t + 2?
#
# outline: The new mask is the old one without its first two columns. Cut the first and the last column off the vectors, and multiply by the new mask, which needs one axis more: `.unsqueeze(-1)`.

# %%
without_boundaries = or_reference("without_boundaries", without_boundaries)
CharCNN, BiLM = mine("CharCNN"), mine("BiLM")

# %% [markdown] exercise="embed" slide="subslide"
# ### Exercise 6. Your ELMo
#
# Write `embed(sentences, weights, CharCNN, BiLM, ScalarMix)`. `sentences` is a list of lists of words, of any lengths. Return a list with one tensor (words, 2H) for each: the mix of **all** layers by a fresh `ScalarMix`, which is their plain average, without the boundaries.
#
# - `character_ids(word)`, from lesson 06, gives the fifty ids of a word, and those of the boundaries, `<S>` and `</S>`.
# - A position without a word is a row of fifty zeros. This padding comes last, after `</S>`.
# - `BiLM(CharCNN(weights), weights)` is your class of lesson 07. It takes ids (B, T + 2, 50) and gives the list of $L + 1$ layers and the mask.
# - Your `without_boundaries` is there, too. Use the classes that come as arguments.


# %% exercise="embed"
import torch

from autograde import mine

character_ids = mine("character_ids")


@torch.no_grad()  # nothing is learned here
def embed(sentences, weights, CharCNN, BiLM, ScalarMix):
    """ELMo's vectors of each sentence's words, (words, 2H)."""
    ### BEGIN SOLUTION
    longest = max(len(words) for words in sentences)
    rows = []
    for words in sentences:
        row = [list(character_ids(word)) for word in ("<S>", *words, "</S>")]
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
# idea: For each sentence: the ids of `<S>`, of the words and of `</S>`, then rows of zeros up to the longest. `torch.tensor(rows)` is (B, T + 2, 50). The mix runs over all tokens; the boundaries go afterwards. `row[there]` keeps the positions where the mask is True.
#
# outline: Build the rows. Layers and mask from `BiLM(CharCNN(weights), weights)(ids)`. `ScalarMix(len(layers))(layers, mask)`. `without_boundaries` gives vectors and a new mask. For each sentence, return the vectors at which its mask is True.

# %% [markdown] deck="words"
# ## Your parts, and AllenNLP's program
#
# The same weights, three texts of four sentences. First sentences: the largest difference is one in a million.
#
# . . .
#
# **This is ELMo.**
#
# minutes: 1
#
# say: AllenNLP is the authors' own library; most people who used ELMo ran its code. We give our parts its weights and compare the vectors. The first sentences agree to rounding.
#
# ask: Are we done?
#
# expect: "Yes, it is the same." It is the same for the first sentence of each text. There are three more.
#
# skip: Say it in one sentence and go on.

# %% [markdown] slide="slide"
# ## 6. Somebody else's program
#
# **AllenNLP** is the authors' own library; most people who used ELMo ran its code. Here is a small model in the official format, `options.json` and `weights.hdf5`. With it come the vectors that AllenNLP's code gives for three texts of four sentences. The third text says the same sentence four times.

# %% slide="subslide"
from course.bilm_from_scratch import allennlp_record

embed = or_reference("embed", embed)
THEIRS = allennlp_record.recorded_by_allennlp()
print(THEIRS)
weights = official_file(THEIRS.weights)
print(f"\n{sum(map(torch.numel, weights.values())):,} weights, such as", *list(weights)[:3])


# %% slide="subslide"
def your_elmo(batch):
    """A batch of sentences, read by your parts."""
    return embed(batch, weights, CharCNN, BiLM, ScalarMix)


def apart(read, recorded):
    """The largest difference of a number from the recorded one, (texts, sentences)."""
    found = []
    for n, batch in enumerate(zip(*recorded.texts, strict=True)):  # sentence n of each text
        pairs = zip(read(list(batch)), recorded.vectors, strict=False)
        found.append([np.abs(np.asarray(yours) - text[n]).max() for yours, text in pairs])
    return np.array(found).T


fresh = apart(your_elmo, THEIRS)
print("The first sentences of the three texts, largest distance from AllenNLP's vectors:")
print(*(f"{distance:.0e}" for distance in fresh[:, 0]))
print("This is ELMo." if fresh[:, 0].max() < 1e-4 else "Not the same: see exercise 6.")
PARTS = {"CharCNN": CharCNN, "BiLM": BiLM, "ScalarMix": ScalarMix, "embed": embed}
print(whose(**PARTS, character_ids=mine("character_ids"), without_boundaries=without_boundaries))

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: The first sentences agree. Now the second ones, with the same code and the same weights.
#
# ask: The poll.
#
# expect: "As near: it is the same program." Keep a straight face.
#
# skip: Show the figure at once.

# %%
NEAR = ["as near", "up to 10,000 times further off", "more than 10,000 times further off"]
predict("second", "How near will the second sentences be?", options=NEAR)

# %% [markdown] deck="figure"
# minutes: 2
#
# say: A logarithmic axis: from one in a million to nearly one. Text 3 says the same sentence four times. AllenNLP's own vectors move by 11 per cent from its first reading to the second.
#
# ask: The same sentence twice, and two different vectors. What must a program have, to do that?
#
# expect: "Dropout" or "a bug". Dropout is off, and the vectors are the same at every run. It has a memory.
#
# skip: Leave out text 3.

# %% slide="subslide"
from course.scalar_mix_and_elmo.agreement_figure import agreement

by_text = {f"text {t}": row for t, row in enumerate(fresh, start=1)}
first, later = fresh[:, 0].max(), fresh[:, 1:].min()
agreement(by_text, f"At most {first:.0e} on the first sentence, {later:.1g} or more on all others")

# %%
times = float(fresh[:, 1].max() / fresh[:, 0].max())
outcome("second", NEAR[(times > 5) + (times > 1e4)])

# %% [markdown] deck="words"
# ## AllenNLP's LSTMs begin where they ended
#
# ```
#           call 1           call 2           call 3
# text 1    0 → sentence 1 → sentence 2 → sentence 3
# text 2    0 → sentence 1 → sentence 2 → sentence 3
# ```
#
# ELMo was trained so: text runs on.
#
# minutes: 1.5
#
# say: The states are carried from batch to batch, row by row. Only the first call begins with zeros. If that is the whole difference, then carrying the states must take it away. A story that fits is not enough.
#
# ask: Which measurement would decide?
#
# expect: "Look at the code." That shows what it does, and not that nothing else differs. Carry the states as well, and compare again.
#
# skip: Drawing only, no question.

# %% [markdown]
# Before you read on, name an explanation, and a measurement that would decide. Text 3 helps: how far do AllenNLP's own vectors move from one reading of *The rain has stopped .* to the next?

# %%
from itertools import pairwise

for n, (one, other) in enumerate(pairwise(THEIRS.vectors[2]), start=2):
    print(f"reading {n}: {100 * np.linalg.norm(other - one) / np.linalg.norm(one):.1f} % changed")

# %% [markdown]
# The same words, other vectors, in **their** program: AllenNLP's LSTMs begin where they ended, row by row of the batch. ELMo was trained so. (0 is a state of zeros.)
#
# ```
#                call 1          call 2          call 3
# text 1:   0 → sentence 1   →   sentence 2   →   sentence 3
# text 2:   0 → sentence 1   →   sentence 2   →   sentence 3
# ```
#
# The backward reader carries, too: it ends at the front of one sentence and goes on at the end of the next. If that is the whole difference, then carrying the states must take it away.

# %% [markdown] exercise="read_on"
# ### Exercise 7. Begin where the last sentence ended
#
# Write `read_on(x, lengths, stack, states, step)`, one direction through all its layers.
#
# - `x` (B, T, H), read from left to right; `lengths` (B,) has the tokens of each row, padding comes after them,
# - `stack` has a dict with `W_0`, `B` and `W_P_0` for each layer, `states` a pair (h, c) for each layer, (B, H) and (B, C): where the last sentences ended,
# - `step(x_t, h, c, **layer, clip=3.0)` is your `lstm_step` of lesson 07.
#
# Return two lists. The first has each layer's output, (B, T, H); from the second layer on, what went in is added to the states, as in lesson 07. The second has each layer's new pair (h, c): the LSTM's own pages after the last token **of each row**.


# %% exercise="read_on"
import torch


def read_on(x, lengths, stack, states, step):
    """The outputs of the layers, and where each row of each layer ends."""
    ### BEGIN SOLUTION
    rows = torch.arange(len(x))
    outputs, ends = [], []
    for layer, (h, c) in zip(stack, states, strict=True):
        notes, cells = [], []
        for x_t in x.unbind(1):
            h, c = step(x_t, h, c, **layer, clip=3.0)
            notes.append(h)
            cells.append(c)
        shown, kept = torch.stack(notes, 1), torch.stack(cells, 1)
        ends.append((shown[rows, lengths - 1], kept[rows, lengths - 1]))
        x = shown + x if outputs else shown
        outputs.append(x)
    return outputs, ends
    ### END SOLUTION


# %% check="read_on"
check("read_on", read_on)

# %% [markdown] hints="read_on"
# nudge: Take a batch of *go* and *dogs bark at cats*. After the last step of the loop, what has the first row read? Which page do you want back?
#
# idea: Keep the h and the c of every step, as in lesson 07 you kept h. With `rows = torch.arange(len(x))`, `stacked[rows, lengths - 1]` picks each row's own position. (Or let a state stand still once its row has ended: `torch.where`.) What is added between layers belongs to the output, not to the state.
#
# outline: For each layer and its pair: step through `x.unbind(1)` and collect h and c; stack both on axis 1; append the pair at `[rows, lengths - 1]`; the new x is the stack, plus the old x from the second layer on; append it to the outputs.

# %% [markdown]
# `CarryingBiLM` is the wiring: your `read_on` in both directions. It keeps the states in which each ended for the next call. The measurement is `apart` again; only the reader changes.

# %% [markdown] deck="figure"
# minutes: 1.5
#
# say: All twelve sentences agree to rounding. That is how a difference is explained: by a change that makes it vanish. The package begins with zeros all the same, so that a sentence has the same vectors today and tomorrow.
#
# ask: Which of the two would you want in a program for users?
#
# expect: "The one that agrees with AllenNLP." Then a sentence's vectors depend on what somebody else has asked before.
#
# skip: Show it without the question.

# %% slide="subslide"
read_on = or_reference("read_on", read_on)
reverse_each, lstm_step = mine("reverse_each"), mine("lstm_step")


class CarryingBiLM:
    """Your two readers; every call begins where the last one ended, row by row."""

    def __init__(self, char_cnn, weights):
        self.char_cnn, self.states, self.stacks = char_cnn, [None, None], []
        name = "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell/{}"
        for d in (0, 1):  # forwards, backwards
            depth = sum(key.startswith(f"RNN_{d}/") and key.endswith("/B") for key in weights)
            kinds = ("W_0", "B", "W_P_0")
            stack = [{k: weights[name.format(d, j, k)] for k in kinds} for j in range(depth)]
            self.stacks.append(stack)

    def __call__(self, ids):
        mask = (ids > 0).any(-1)
        lengths, x = mask.sum(1), self.char_cnn(ids.flatten(0, 1)).unflatten(0, ids.shape[:2])
        both = []
        for d, stack in enumerate(self.stacks):
            seen = reverse_each(x, lengths) if d else x
            zeros = [[x.new_zeros(len(x), n) for n in layer["W_P_0"].T.shape] for layer in stack]
            states = self.states[d] or zeros  # h and c of each layer
            outputs, self.states[d] = read_on(seen, lengths, stack, states, lstm_step)
            both.append([x, *(reverse_each(h, lengths) if d else h for h in outputs)])
        return [torch.cat(pair, -1) for pair in zip(*both, strict=True)], mask


def reading(bilm, parts, mix):
    """A reader of batches, with this one biLM for all of its calls."""
    return lambda batch: embed(batch, parts, CharCNN, lambda *_, **__: bilm, mix)


carrying = reading(CarryingBiLM(CharCNN(weights), weights), weights, ScalarMix)
both = {"each from zeros": fresh.max(0), "states carried": apart(carrying, THEIRS).max(0)}
print(f"states carried, largest distance of all twelve: {both['states carried'].max():.0e}")
agreement(both, f"Carried: at most {both['states carried'].max():.0e} on all twelve sentences")

# %% [markdown]
# All twelve sentences. A difference is explained by a change that makes it vanish, not by a story that fits. The package begins with zeros all the same, so that a sentence always has the same vectors; `stateful=True` gives AllenNLP's numbers.

# %% [markdown]
# What is yours can leave home. The next cell writes a package of your own; it needs torch, NumPy and h5py, and nothing of this course.

# %% slide="subslide"
from autograde import write_my_elmo

write_my_elmo()

# %% [markdown] deck="words"
# ## Four promises of a sound ELMo
#
# 1. **Number:** as many vectors as words, in any batch
# 2. **Memory:** the same sentence again, the same vectors
# 3. **Company:** alone or beside a longer sentence, the same vectors
# 4. **Position:** replace a word, and the forward half stays the same before it
#
# minutes: 2
#
# say: Nobody's numbers are at hand, so ask for promises. Each can be tested with two or three calls. Four colleagues' ELMos break one each; finding which is exercise 8. And AllenNLP's own settings break two: carried states the second, layer norm the third.
#
# ask: Which promise does layer norm break?
#
# expect: "None, it is only a scale." Its mean is over the whole batch: the company changes the vectors.
#
# skip: Leave out the fourth.

# %% [markdown] slide="slide"
# ## 7. Four that look right
#
# Four colleagues bring their ELMos, each with **one** fault, and nobody's numbers are at hand. So ask for **promises**. A sound ELMo keeps four:
#
# 1. *Number.* Each sentence gets as many vectors as it has words, in any batch.
# 2. *Memory.* The same sentence again, the same vectors.
# 3. *Company.* A sentence has the same vectors alone and beside a longer one.
# 4. *Position.* Replace one word. The forward half of each vector stays the same at earlier words, and changes at the replaced one.

# %% [markdown] exercise="find_fault"
# ### Exercise 8. Question the black box
#
# Write the inspector. `find_fault(elmo)` may call `elmo(sentences)` as often as it likes, with sentences of its choice. Each call gives a list of NumPy arrays (words, 2H). Return the fault: `"wrong number"`, `"remembers"`, `"depends on its company"`, `"shifted"`, or `"sound"`. An ELMo has at most one fault, which can disturb several tests. Differences up to 1e-4 are rounding.


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
# idea: Count in a batch of two lengths, because padding is only there. For memory, the same call twice. For company, look at the **shorter** of two sentences. For position, replace a word in the middle and take `[:, : n // 2]` of the difference.
#
# outline: Four questions in the order of the list; return at the first that fails. Compare with `np.abs(one - other).max() > 1e-4`. For the last: `.max(1)` gives one number for each word; those before the replaced word must not exceed 1e-4, its own must.

# %% [markdown]
# Point your inspector at the four, at your own, and at the package in two settings.

# %%
from autograde.exercises.scalar_mix_and_elmo.broken import in_arrays, planted
from elmo_mini.embedding.elmo import Elmo, as_black_box

find_fault = or_reference("find_fault", find_fault)
boxes = planted(weights) | {"yours": in_arrays(your_elmo)}
for setting in ("stateful", "do_layer_norm"):
    package = Elmo(THEIRS.options, THEIRS.weights, 1, dropout=0.0, **{setting: True})
    boxes[f"Elmo, {setting}"] = as_black_box(package)
for name, box in boxes.items():
    print(f"{name:>19}: {find_fault(box)}")

# %% [markdown]
# The last two are no mistakes. A carried state breaks the second promise, in AllenNLP as well. Layer norm breaks the third: its mean depends on who else is in the batch.

# %% [markdown] slide="slide"
# ## 8. What ELMo achieved
#
# Six tasks, six good networks of their day, each without and with ELMo (table 1, test sets; *before* is the best published system of the time):
#
# | | before | baseline | with ELMo |
# |---|---|---|---|
# | SQuAD, question answering (F1) | 84.4 | 81.1 | 85.8 |
# | SNLI, entailment (accuracy) | 88.6 | 88.0 | 88.7 |
# | SRL, semantic roles (F1) | 81.7 | 81.4 | 84.6 |
# | Coref, who is *she*? (F1) | 67.2 | 67.2 | 70.4 |
# | NER, names (F1) | 91.93 | 90.15 | 92.22 |
# | SST-5, opinions in five grades (accuracy) | 53.7 | 51.4 | 54.7 |
#
# The gains are 0.7 to 4.7 points. The paper prints another number, *relative* increase. It is the share of the **errors** that are gone, the **relative error reduction**.

# %% [markdown] exercise="errors_gone"
# ### Exercise 9. What the table's last column says
#
# Write `errors_gone(before, after)`. Both are scores in percent, numbers or NumPy arrays. Return the relative error reduction: how many percent of the errors of `before` are gone in `after`.


# %% exercise="errors_gone"
def errors_gone(before, after):
    """The share of the errors that are gone, in percent."""
    ### BEGIN SOLUTION
    return 100 * (after - before) / (100 - before)
    ### END SOLUTION


# %% check="errors_gone"
check("errors_gone", errors_gone)

# %% [markdown] hints="errors_gone"
# nudge: Of 100 answers, how many were wrong before? How many of these are right now?
#
# idea: 81.1 % right means 18.9 of 100 wrong. A gain of 4.7 points takes 4.7 of these 18.9 away.
#
# outline: The gain, divided by 100 minus the score before, times 100.

# %% [markdown] deck="figure"
# minutes: 1.5
#
# say: Six tasks, table 1 of the paper. The bars are relative error reduction: which share of the errors is gone. Against each task's baseline, and against the best system before. ELMo was ahead in five with one method, and level in SNLI.
#
# ask: SQuAD: 24.9 per cent of errors gone. Better than what?
#
# expect: "Than the state of the art." Than the baseline of the same authors. Against the best system before, it is nine.
#
# skip: Read the first pair of bars only.

# %% slide="subslide"
errors_gone = or_reference("errors_gone", errors_gone)
best_before = np.array([84.4, 88.6, 81.7, 67.2, 91.93, 53.7])
baseline = np.array([81.1, 88.0, 81.4, 67.2, 90.15, 51.4])
with_elmo = np.array([85.8, 88.7, 84.6, 70.4, 92.22, 54.7])
against = {
    "against the baseline": errors_gone(baseline, with_elmo),
    "against the best before": errors_gone(best_before, with_elmo),
}
least, most = ([pick(gone) for gone in against.values()] for pick in (min, max))
plots.bars(
    ["SQuAD", "SNLI", "SRL", "Coref", "NER", "SST-5"],
    against,
    title=f"{least[0]:.0f} to {most[0]:.0f} % of the baselines' errors are gone; "
    f"{least[1]:.0f} to {most[1]:.0f} % of the best systems'",
    ylabel="errors that are gone, percent",
)

# %% [markdown]
# ELMo was ahead in five of six with one method, and level in SNLI (88.7 ± 0.17 against 88.6). How far ahead depends on whom you compare with. Coref's baseline was itself the best system, so its bars are equal; SNLI has the smallest gain either way.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"With ELMo, polysemy is solved. It even gets the part of speech right."*
#
# The best-known picture of ELMo is the paper's table 4: *Chico Ruiz made a spectacular play on Alusik's grounder* finds baseball, and *Olivia De Havilland signed to do a Broadway play* finds the theatre. Both are in the Brown corpus. So ask our model, which never read Brown, for the nearest of Brown's *play*s. (From here on the results are stored.)

# %% slide="subslide"
from course.results.stored import stored_result

BROWN = stored_result("real_senses_brown").numbers
for row in BROWN["shown"][:2]:  # the paper's two sentences
    print(row["query"], *row["layer 2"], sep="\n   ")

# %% [markdown]
# Our model finds the theatre next to baseball, and baseball next to Broadway. All are **nouns**.
#
# Two sentences prove nothing, so count: of the five nearest, how many share the label? Four controls see the context, too:
#
# - *layer 2, untrained*: the same network before training (the mean of four),
# - *random vectors around*: those of the word and of three neighbours on either side, added up (the mean of five tables),
# - *layer 0 around, in order*: the trained layer 0 of these seven words, side by side,
# - *layer 0, word before*: that of one word alone.
#
# (Nouns and verbs are Brown's tags. A language model marked the senses, and nobody has checked: `elmo_mini/data/senses_brown.json`.)

# %% [markdown] deck="poll"
# minutes: 1.5
#
# say: The paper's best-known picture: *Chico Ruiz made a spectacular play on Alusik's grounder* finds baseball. Ours, which never read Brown, finds the stage; but all of them are nouns. Two sentences prove nothing. So count, for noun or verb and for money or river: of the five nearest, how many share the label?
#
# ask: The poll. The best control is the best of four, none with an LSTM that was trained.
#
# expect: "Both: that is what ELMo is for." Grammar alone. Let those who said meaning name a sentence in which the words beside *bank* do not give it away.
#
# skip: Vote without discussion.

# %%
WHERE = ["in both", "noun or verb alone", "money or river alone", "in neither"]
predict("where", "Where will layer 2 be clearly ahead of the best of these four?", options=WHERE)

# %% [markdown] deck="figure"
# ## Where is layer 2 ahead of its best control?
#
# minutes: 3
#
# say: The bars are how many of the five nearest share the label. Begin on the left: noun or verb, layer 2 is nearly perfect, and the word before alone comes within six points. Then *bank*: layer 2 leads clearly over the untrained network, and over random vectors of the neighbours, but not over layer 0 of the seven words in their order. On the right chance is already 72 per cent.
#
# ask: Which bar is the strongest rival, in each group?
#
# expect: "The untrained network." It is one of the weak ones. Beside it stand the words around, in their order.
#
# skip: Leave out the right group.

# %% slide="subslide"
ORDER = ("play: noun or verb", "bank: money or river", "the noun play: drama or game")
IN_BROWN = [BROWN["questions"][name] for name in ORDER]
LAYERS_READ = ("layer 0", "layer 1", "layer 2")  # layer 0 of the word itself is chance: not drawn
CONTROLS = [name for name in IN_BROWN[0]["share"] if name not in LAYERS_READ]
BEST = [max(CONTROLS, key=lambda name: found["share"][name]["mean"]) for found in IN_BROWN]
AGAINST = [
    Lead.of(found["layer 2 ahead of"][rival]) for found, rival in zip(IN_BROWN, BEST, strict=True)
]
clear = [name for name, lead in zip(ORDER, AGAINST, strict=True) if lead.verdict == "ahead"]
interval_bars(
    ["play:\nnoun or verb", "bank:\nmoney or river", "the noun play:\ndrama or game"],
    {name: [found["share"][name] for found in IN_BROWN] for name in (*CONTROLS, *LAYERS_READ[1:])},
    title=f"Layer 2 is ahead of its best control in: {'; '.join(clear) or 'none'}",
    ylabel="of the five nearest, percent",
)

# %%
for name, found in zip(ORDER, IN_BROWN, strict=True):
    counts = " and ".join(f"{n} {label}" for label, n in found["occurrences"].items())
    print(f"{name}: {counts}; by chance {found['chance']:.0%}")
outcome("where", WHERE[2 * (ORDER[0] not in clear) + (ORDER[1] not in clear)])

# %%
print("Layer 2, in points:".ljust(30), *(name.split(": ")[1].ljust(22) for name in ORDER))
shares = [f"{100 * found['share']['layer 2']['mean']:.1f}" for found in IN_BROWN]
print("has".ljust(30), *(share.ljust(22) for share in shares))
for rival in (*CONTROLS, "layer 1"):
    leads = [str(Lead.of(found["layer 2 ahead of"][rival])) for found in IN_BROWN]
    print(f"less {rival}".ljust(30), *(lead.split(":")[0].ljust(22) for lead in leads))

# %% [markdown]
# **Noun or verb**: *the play* or *to play*? Layer 2 leads. The word before, alone, is six points behind it, layer 1 two. **Meaning**: layer 2 is clearly ahead of itself before training, and of random vectors, for the noun *play* by very little. Nothing tells it from layer 1, nor from layer 0 of the words in their order: what an LSTM adds to meaning, 67 occurrences of each cannot show. (*Drama* is the sense of 56 of the 67 nouns.)
#
# With a thousand labelled examples (*senseval*, at the end of the page), naive Bayes counts words and is ahead of layer 2. Layer 2 beside it adds 1.4 points; layer 0 of the words around, in its place, cannot be told from it.
#
# **Half a myth.** On all ambiguous words of a text (table 5, F1), the commonest sense scores 65.9, the published biLM 69.0, a system made for the task 70.1. The half that is true: nobody told the network what a sense is, or a noun, and the same vectors serve both questions.

# %% [markdown] deck="words"
# ## What to take home
#
# - The plain average does nearly as well as learned shares, and a share says how **loud** a layer is.
# - A difference is explained by a change that makes it **vanish**.
# - *Contextualized* matters more than *deep*, in the paper's table 2.
# - Context separates grammar well. In meaning, counting the neighbours is a hard opponent.
#
# minutes: 1
#
# say: One sentence for each line. For next time: exercises 1 to 8, and the essay on whether polysemy is solved.
#
# ask: "With ELMo, polysemy is solved." What do you answer now?
#
# expect: "No, because it makes mistakes." Ask for a number, and for what it is compared with.
#
# skip: Keep this one.

# %% [markdown] slide="slide"
# ## Recap
#
# - ELMo mixes all layers by softmax-normalised weights, times γ, learned by the task. A wrong γ, or a loud layer, bends the shares; the plain average does nearly as well.
# - Your parts agree with AllenNLP, from the second sentence on only if the states are carried.
# - *Deep* means all layers. *Contextualized* means a vector for each occurrence, and matters more (table 2).
# - Context separates grammar well, and most of that is the word before. In meaning, a count of neighbouring words is a hard opponent.

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
# **Rubric, 3 points.** 1 for the reason: to predict a neighbour the state must hold what the neighbours depend on, and the words around differ between senses; the vector is made anew for each sentence. 1 for two numbers, each with its control (untrained network, random vectors or layer 0 of the neighbours, naive Bayes, majority or first sense, chance), and for grammar against meaning. 1 for an improvement with a reason (both sides in one layer, more text and size, attention, subwords, fine-tuning in place of freezing). 0.5 in all for "no, because it makes mistakes" alone.

# %% [markdown] model_answer="is_polysemy_solved"
# A language model must bet on the next word, and the words that follow *play* in a sentence about a stage are not those in one about baseball. So its state has to keep whatever tells such sentences apart. Nobody names senses; they come along because they make the bets better, and because each occurrence gets a vector of its own. Grammar comes along in the same way, and more easily: in Brown, 97 % of the nearest neighbours of *play* have its part of speech, where an untrained network has 59 % and chance 50 %; the word before alone brings 91 %. Meaning within one part of speech is harder. For *bank* layer 2 has 72 % against 60 % untrained; random vectors of the neighbouring words have 63 %, and its lead of 9 points over them has an interval from 2 to 16. But from the trained layer 0 of the same words, laid side by side in their order, it cannot be told. On senseval, with a thousand examples of a word, a linear probe of layer 2 has 84 %, three points below naive Bayes (87 %); both together have 88 %, 1.4 points more than naive Bayes alone (0.5 to 2.4). Layer 0 of the neighbouring words, which has read no sentence, does as well in its place. In the paper the large model reaches 69.0 on all words of a text, where always taking WordNet's first sense gives 65.9. That is helpful, and it is not solved.
#
# Today I would let the two directions meet inside the network. In ELMo no state has read both sides; they are only laid side by side at the end. That needs another training task, because a model must not see its answer. More text and a larger network help as well, and so does tuning the whole network on the task in place of freezing it.

# %% [markdown] slide="slide"
# ## If you have time: senses in more text
#
# Five minutes.
#
# *Senseval* has more: thousands with *hard*, *interest*, *line* and *serve*, each within **one** part of speech. A new opponent, naive Bayes, counts words: those of the sentence, and those right beside the target. Layer 2 is read by a linear probe, a straight cut that is trained (*layer 2, linear*; lesson 09), and so is the control, layer 0 of the seven words. *Naive Bayes with layer 2* adds up the log probabilities of the two, *with layer 0 around* those of naive Bayes and the control. A band is a 95 % interval over test sentences and draws of examples.

# %%
predict(
    "ten",
    "With ten labelled examples of a word: who is ahead, layer 2 (linear) or naive Bayes?",
    options=["layer 2", "naive Bayes", "no clear difference"],
)

# %% slide="subslide"
from course.figures.interval_bars import interval_curves

CURVE = stored_result("real_senses_examples").numbers
BOTH, UNREAD = "naive Bayes with layer 2", "naive Bayes with layer 0 around"
SHOWN = (BOTH, UNREAD, "naive Bayes", "layer 2, linear", "layer 0 around, linear")
READING = Lead.of(CURVE["ahead of"][BOTH][UNREAD][-1])
interval_curves(
    CURVE["examples of a word"],
    {name: CURVE["accuracy"][name] for name in SHOWN},
    title=f"1,000 examples, beside naive Bayes, layer 2 less layer 0: {READING}",
    xlabel="labelled examples of a word (800 test sentences)",
    ylabel="right, percent",
    log_x=True,
)


# %%
def at_all_sizes(one, other):
    """Print the lead of one over the other for each number of examples; give them back."""
    leads = [Lead.of(point) for point in CURVE["ahead of"][one][other]]
    print(f"{one} minus {other}:")
    for size, lead in zip(CURVE["examples of a word"], leads, strict=True):
        print(f"{size:>7,} examples: {lead}")
    return leads


FIRST, *_ = at_all_sizes("layer 2, linear", "naive Bayes")
right = {name: f"{CURVE['accuracy'][name][-1]['mean']:.0%}" for name in SHOWN}
print("right with 1,000:", ", ".join(f"{name} {share}" for name, share in right.items()))
outcome("ten", {"ahead": "layer 2", "behind": "naive Bayes"}.get(FIRST.verdict, FIRST.verdict))

# %% [markdown]
# Layer 2 and naive Bayes cannot be told apart from ten to three hundred examples. But the difference falls all the way: with a thousand, naive Bayes is ahead by three points. Naive Bayes was made for this question, and ELMo's vectors for none. So what does the network **add**?

# %%
at_all_sizes(BOTH, UNREAD)
added = Lead.of(CURVE["ahead of"][BOTH]["naive Bayes"][-1])
print(f"1,000 examples, {BOTH} minus naive Bayes alone: {added}")

# %% [markdown]
# **Beside the counts**, with a thousand examples, layer 2 adds 1.4 points to naive Bayes (0.5 to 2.4). Is it reading that adds? **Layer 0** of the seven words knows no sentence, and does as well: at no number of examples is layer 2 clearly ahead of it there (with a thousand −0.1, −1.2 to 1.0).

# %%
at_all_sizes("layer 2, linear", "layer 0 around, linear")
voted = Lead.of(CURVE["ahead of"]["layer 2"]["naive Bayes"][-1])
print(f"1,000 examples, layer 2 by its five nearest minus naive Bayes: {voted}")

# %% [markdown]
# **Without them** the LSTM earns its place: layer 2 is three to five points ahead of layer 0 of the seven words, clearly from 30 to 300 examples. A straight cut must be trained, though. By the vote of the five nearest examples, as in the paper, layer 2 is eight points behind naive Bayes with a thousand.
#
# **The paper's own test** takes all ambiguous words of a text (table 5, F1 in percent; CoVe takes its vectors from the encoder of a translator):
#
# | first sense in WordNet | CoVe, top layer | biLM, layer 1 | biLM, layer 2 | best of the field (2016–17) |
# |---|---|---|---|---|
# | 65.9 | 64.7 | 67.4 | 69.0 | 70.1 |

# %% [markdown] slide="slide"
# ## If you have time: released models and the old interface
#
# Ten minutes; nothing else needs them.
#
# "ELMo has more weights than BERT" is false. These are the released models (allennlp.org/elmo); BERT-base has 110 million weights.
#
# | | weights, millions | cells / shown, each direction | SRL, F1 | parsing, F1 |
# |---|---|---|---|---|
# | Small | 13.6 | 1024 / 128 | 83.62 | 93.12 |
# | Medium | 28.0 | 2048 / 256 | 84.04 | 93.60 |
# | Original | 93.6 | 4096 / 512 | 84.63 | 93.85 |
# | Original, 5.5 billion words | 93.6 | 4096 / 512 | 84.93 | 94.01 |
#
# A seventh of the weights costs one point. Of these, only the last one learnt from Wikipedia, and from news as well.
#
# Much code was written for AllenNLP, whose support ended in December 2022. Its names work here. `Elmo` takes the two files and the number of outputs, `batch_to_ids` the sentences:

# %% slide="subslide"
from elmo_mini import batch_to_ids

elmo = Elmo(THEIRS.options, THEIRS.weights, num_output_representations=2, dropout=0.5)
output = elmo(batch_to_ids([["I", "love", "you", "."], ["Sorry", ",", "I", "do", "n't", "."]]))
print([tuple(vectors.shape) for vectors in output["elmo_representations"]])
print("mask:", output["mask"].int().tolist())
print("learned by the task:", *(name for name, p in elmo.named_parameters() if p.requires_grad))

# %% [markdown]
# Two outputs from one reading: **two desks on the same microphones**. For questions and entailment the paper put ELMo in twice, below the task's own network beside its word vectors, and above it; each place learned its own mix. Dropout comes last and acts in training mode only. The biLM is frozen unless you say `requires_grad=True`. What became of the shares in the paper's tasks? Lesson 09 asks.
#
# The other class, `ElmoEmbedder`, you have used in section 1. Its `batch_to_embeddings` gives every layer unmixed, (B, L + 1, T, 2H), and a mask. For the two sentences above, the published model would give (2, 3, 6, 1024), with zeros behind the shorter one, and a mask (2, 6). The class stood in `allennlp.commands.elmo`, took `options_file`, `weight_file` and `cuda_device`, and left AllenNLP in April 2020. Without files it fetched the published ones at its first call. Words come as lists: the outer list is the batch, an inner one a sentence or a whole article. An English model gives vectors for Chinese, too; they mean next to nothing (lesson 06).

# %% [markdown]
# AllenNLP and bilm-tf test themselves with a small published model and the vectors of the authors' TensorFlow program. If its files are on your machine (`ELMO_FIXTURE` names the folder), your ELMo reads them now.

# %%
PUBLISHED = allennlp_record.published_test_model()
if PUBLISHED is None:
    print(allennlp_record.NOT_HERE)
else:
    parts = official_file(PUBLISHED.weights)
    TopLayer = allennlp_record.TopLayer
    zeros = reading(BiLM(CharCNN(parts), parts), parts, TopLayer)
    carried = reading(CarryingBiLM(CharCNN(parts), parts), parts, TopLayer)
    for how, read in (("from zeros", zeros), ("carried", carried)):
        print(f"{how:>10}:", *(f"{distance:.0e}" for distance in apart(read, PUBLISHED)[0]))

# %% [markdown]
# ## Further reading
#
# - The ELMo paper, sections 3.2 to 5.3. Its abstract names two aims: to model what is complex in the use of a word, such as syntax and meaning, and how the use varies with the context.
# - The authors' programs: [bilm-tf](https://github.com/allenai/bilm-tf), and AllenNLP's [guide to ELMo](https://github.com/allenai/allennlp/blob/v0.9.0/tutorials/how_to/elmo.md) with the advice on λ and on the first batches.
# - In the package: `elmo_mini/models/elmo.py` ends with this lesson's mix; `elmo_mini/embedding/elmo.py` is the `Elmo` that you ran. `elmo_mini/data/official_pair/README.md` says how AllenNLP's vectors were made. The stored experiments, a quarter of an hour, are `python -m course.scalar_mix_and_elmo.real_senses brown` and `examples`.
#
# Next: **09 · what the layers know, and using them.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Why a softmax and not free weights?* Free weights would do; the softmax keeps the shares comparable between tasks and starts from the average. *Why is there only one γ?* One for each output; a scale for each layer would undo the softmax. *Why do learned shares not beat the average?* The head above is linear and sees the same 512 numbers either way; with forty sentences there is little to choose by. Table 2's 0.2 points are of that size. *Why is AllenNLP not run in the lesson?* It can no longer be installed beside a current PyTorch; its modules were run from the wheel, and a test repeats it. *Why does naive Bayes win?* It is made for exactly this question, and sees the very words; ELMo brings them through a small network that has read four million words. With a thousand examples both together are ahead of it, by 1.4 points, but layer 0 of the seven words in its place cannot be told from it. On noun against verb, the word before, alone, comes within six points of layer 2. *How large are ELMo's gains in table 1, as shares of the errors?* The paper's text says "6 – 20 %"; its table has 5.8 to 24.9. *Would a larger model separate baseball from Broadway?* The published one does in table 4, with two examples; it has read 800 million words. *For a discussion: was it right to build ever fancier networks, one for each data set, and what is the first place on SQuAD worth?* For it: in table 1 the best system before ELMo is such a network in every row. Against it: one change to what goes in, the same for all six, raised each of them. Against the first place as an aim: it holds for texts like those of the test (lesson 15), and people were passed by one measure and not by the other (lesson 12). *Poll before the myth:* "Which is easier to read off a vector, noun against verb, or money against river?"
