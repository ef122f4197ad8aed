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
# ## From characters
#
# Lesson 06 · ELMo's encoder of words; Kim and others, 2016; *Highway Networks*, 2015
#
# minutes: 1
#
# say: ELMo has no table of words. It reads each word letter by letter and makes a vector on the spot, even for a word that nobody has written before. Today we build this reader, put trained weights into it, and measure what letters know and what they do not.
#
# ask: What does word2vec answer for a word that was not in its text?
#
# expect: "Something near." Nothing at all. It has no row.
#
# skip: Leave out the question.

# %% [markdown] slide="slide"
# # 06 · From characters
#
# ELMo has no table of words. It reads each word letter by letter and makes a vector on the spot, even for a word that nobody has written before. Here you build this reader. It runs on trained weights, and you measure what letters know and what they do not.

# %% tags=["road"]
from course.figures import plots

plots.road("06")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - turn any word of any script into fifty numbers,
# - write the convolution, the maximum over time and the highway that turn these into a vector,
# - put the parts together into an encoder that loads a trained model's weights,
# - derive how much of a gradient a highway lets through,
# - find the fault in a broken encoder from its symptoms,
# - say for which words reading letters helps, and where counting letters does as well.
#
# ## The papers
#
# - **ELMo**: Peters and others, [*Deep contextualized word representations*](https://aclanthology.org/N18-1202/), NAACL 2018, section 3.4 for the encoder.
# - Kim, Jernite, Sontag and Rush, [*Character-Aware Neural Language Models*](https://arxiv.org/abs/1508.06615), AAAI 2016: convolution, maximum over time, highway.
# - Srivastava, Greff and Schmidhuber, [*Highway Networks*](https://arxiv.org/abs/1505.00387), 2015.
# - **fastText**: Bojanowski and others, [*Enriching Word Vectors with Subword Information*](https://arxiv.org/abs/1607.04606), TACL 2017; lesson 02 built it.
#
# Plan 110 minutes, 130 with second tries; the essay is for home. Short of time? Exercises 1, 2, 4, 5 and 6 are the spine, 95 minutes.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $N$ | words encoded at once | $F$ | filters |
# | $T$ | steps of what is read: here the 50 positions of a word's row | $H$ | numbers in a word's vector, as in one direction of ELMo |
# | $D$ | numbers for each letter | $x, y$ | what goes into a highway, and what comes out |
# | $p, j$ | a position in the word, a column of a stencil | $g$ | a highway's gate, from 0 to 1 |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes: 81 for the exercises as announced, 17 to read, 5 for the predictions and figures, 2 to wait: that is 105. By section: opening 1; section 1, 4; section 2, 11; section 3, 18; section 4, 23; section 5, 22; section 6, 11; section 7, 11; the myth, 3; recap, 1. With second tries add 20; the essay takes 8, at home, the last section 10. For 45: show exercise 2 solved, let them do 1, 4 and 5, and end with the figures of section 7. Students get stuck in exercise 2 on shapes: draw one word as a strip of T columns with D numbers each, and cut a window out of paper. In exercise 5 they forget the row of zeros. The vocabulary comes from old novels, speeches and film reviews; a neighbour list can show an ugly word.

# %%
import numpy as np
import torch
from torch import nn

from autograde import calibration, check, or_reference, outcome, predict
from course.figures import plots

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% [markdown] deck="words"
# ## Words that nobody has seen
#
# > *Twas brillig, and the slithy toves did gyre and gimble in the wabe.*
#
# minutes: 1.5
#
# say: You have never met a tove. Still, you know that *slithy* describes something, that there are several *toves*, and that *gimble* is something they do.
#
# ask: How do you know?
#
# expect: "From the context." From that, too. But much is in the shape of the words: -y, -s, *did* before *gimble*.
#
# skip: Read it aloud, no question.

# %% [markdown] slide="slide"
# ## 1. Words that nobody has seen
#
# *Twas brillig, and the slithy toves did gyre and gimble in the wabe.* You have never met a tove. Still, you know that *slithy* describes something, that there are several *toves*, and that *gimble* is something they do. You know it from the shape of the words.
#
# Here is **layer 0** of the course's own ELMo: the vectors that it makes from letters alone, below all its other layers. It was trained on novels, speeches, film reviews and other texts. For words outside its vocabulary of 16,000, the cell prints the nearest words inside it. On the right stands the control, the same network before training. (About 6 s.)

# %% [markdown] deck="printed" lines="1-3,5"
# ## Layer 0 of our ELMo: vectors from letters alone
#
# minutes: 2
#
# say: Nearest words for words that are in no vocabulary. On the right, the control: the same network before training. It finds look-alikes, too, as any reader of letters does.
#
# ask: What did training add?
#
# expect: "Misspelt words are found." The untrained one finds *Wednesday* as well. Look at *unhappiest*: *purest* shares an ending with it and nothing else.
#
# skip: The second line only. Live instead: a word of the room's.

# %%
from course.from_characters import word_similarity as closeness
from course.from_characters.experiments import encoder, known_words, untrained_weights
from elmo_mini.checkpoints.official import official_weights
from elmo_mini.checkpoints.pretrained import load_pretrained

bilm = load_pretrained()
weights, at_random = official_weights(bilm), untrained_weights(bilm)  # as in the official files
known = known_words()
readers = {"trained": encoder(weights), "untrained": encoder(at_random)}
invented = ["wuggling", "unhappiest", "photographing", "Wensday", "rethinkable"]
closeness.show_nearest(readers, invented, known)  # try words of your own

# %% [markdown]
# The untrained network finds look-alikes, too: any reader of letters does. What did training add, then? *Purest* and *unhappiest* share only an ending. A table of words, such as word2vec's, has **no answer at all** here.
#
# How often does a table meet such a word in a new text?

# %% [markdown] deck="poll"
# - about 1 %
# - about 5 %
# - about 10 %
# - about 25 %
#
# minutes: 1
#
# say: How often does one need this? The model's list has 16,000 words. Take running words of another text, the Brown corpus.
#
# ask: The poll.
#
# expect: "Hardly ever." Nearly one in ten running words, and of the different words far more than half.
#
# skip: Say the number.

# %%
predict("unknown", "Of 100 running words of another text, how many are not listed?", unit="%")

# %%
from elmo_mini import corpora

text = corpora.course_text().sentences()
words, listed = [word for s in text for word in s if word.isalpha()], set(known)
unlisted = sorted(set(words) - listed)
print(f"{len(unlisted):,} of {len(set(words)):,} different words are not listed, such as")
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
# | start and end of a sentence, `<S>` and `</S>` | 256, 257 | 257, 258 |
# | start of a word | 258 | 259 |
# | end of a word | 259 | 260 |
# | padding in a word's row | 260 | 261 |
#
# Last, **1 is added to every id**, once. That frees 0: a row of fifty zeros means that there is no word here, the sentence is over. This is the **mask**. It is not 261, which fills up the row of a word.
#
# The model also reads where a sentence starts and ends. To it these two **boundaries** are words like others, each with a single id where other words have their bytes.

# %% [markdown] exercise="character_ids"
# ### Exercise 1. A word as fifty numbers
#
# Write `character_ids(word)`. Return fifty whole numbers (a list will do): start of the word, its UTF-8 bytes, end of the word, padding, all shifted by one. A word of more than 48 bytes is cut to its first 48, even if the cut goes through a letter. The words `<S>` and `</S>` are not spelled: each has its one id in place of bytes.


# %% exercise="character_ids"
def character_ids(word):
    """The fifty ids of a word."""
    ### BEGIN SOLUTION
    boundaries = {"<S>": [256], "</S>": [257]}
    row = [258, *boundaries.get(word, word.encode("utf-8")[:48]), 259]
    row += [260] * (50 - len(row))
    return [number + 1 for number in row]
    ### END SOLUTION


# %% check="character_ids"
check("character_ids", character_ids)

# %% [markdown] hints="character_ids"
# nudge: What does `list("naïve".encode("utf-8"))` give? How many numbers are there, and how many letters?
#
# idea: Build the row with the numbers before the shift: 258, the bytes (or the one id of a boundary), 259, then 260 until there are fifty. Add 1 to all of them in the last line.
#
# outline: `word.encode("utf-8")` is a sequence of whole numbers; cut it with `[:48]` after encoding, before the end mark. A dict has the ids of the two boundaries. Count how many 260s it takes to reach fifty. Add 1 in a list comprehension.

# %% [markdown] deck="printed" lines="1-3"
# ## Every word is fifty numbers
#
# start · its bytes · end · padding, all **shifted by one**
#
# minutes: 2
#
# say: The first number says that a word begins, 259. Then the bytes of the word in UTF-8, then the end, 260, and the rest of the row is padding, 261. Bytes and not letters: Unicode has more than a hundred thousand characters, bytes are 256. *A* is one byte, the i with two dots is two, a Chinese character three. One is added to every id, so that zero is free and means: no word here.
#
# ask: Why not use zero for padding inside a word?
#
# expect: "It would be the same." Zero says that the sentence is over. Three broken encoders come later; one of them does just that.
#
# skip: First line only.

# %%
character_ids = or_reference("character_ids", character_ids)

for word in ("cat", "naïve", "打针", "<S>", "</S>"):
    print(f"{word:>5}:", *list(character_ids(word))[:11], "…")

# %% [markdown] slide="slide"
# ## 3. A stencil slid along the word
#
# Each id has a row of $D$ numbers in a small table, so a word is now a strip: $T = 50$ columns of $D$ numbers. How do you get one vector from a strip?
#
# Cut a **stencil** out of cardboard, three columns wide. Slide it along the strip, one column at a time. At each position it reports how well it matches the letters below. A stencil for *-ing* matches once in *sing*, twice in *singing* and not at all in *sin*. Such a stencil is a **filter** (or *kernel*), and sliding it is a **convolution**, `nn.Conv1d` in PyTorch. The encoder of this lesson is called a **character CNN**.


# %% [markdown] deck="figure"
# minutes: 2
#
# say: Each id has a row of numbers, so a word is a strip. Cut a stencil out of cardboard, three columns wide, and slide it along. At each position it reports how well it matches. *-ing* matches twice in *singing*. A stencil is a filter, sliding it is a convolution.
#
# ask: How many positions has a stencil of width 3 on a strip of 50?
#
# expect: "50." 48: it stays inside.
#
# skip: Live instead: another word, another stencil; at once.

# %% slide="subslide"
from course.from_characters.char_cnn_figure import stencil

stencil("singing", "ing")  # try other words and stencils

# %% [markdown] deck="formula"
# ## A trained stencil has weights, not letters
#
# minutes: 1.5
#
# say: A weight for every number in each of its columns: multiply, add up, add a bias. They write it in exercise 2 with a single loop and compare it with PyTorch's.
#
# ask: Over what do you loop?
#
# expect: "Over the words." There are sixteen thousand. Over the columns of the stencil, of which there are four.
#
# skip: Leave it out.

# %% [markdown]
# A trained stencil is not made of letters. It has a weight for every one of the $D$ numbers in each of its columns. For filter $f$ with weights $W$ and bias $b$, at position $p$:
#
# $$\text{match}_{f}(p) = b_f + \sum_{d=1}^{D} \sum_{j=0}^{\text{width}-1} W_{f,d,j}\; \text{letters}_{d,\,p+j}$$
#
# The stencil stays inside the strip, so there are $T - \text{width} + 1$ positions.

# %% [markdown] exercise="convolve"
# ### Exercise 2. A convolution by hand
#
# Write `convolve(letters, weight, bias)` without PyTorch's `conv1d`:
#
# - `letters` (N, D, T): N words side by side,
# - `weight` (F, D, width), `bias` (F,): F stencils of the same width.
#
# Return a tensor (N, F, T − width + 1) that autograd can follow back. A loop over the positions, or over the columns of the stencil, is fine. Loops over words and filters are too slow: 16,000 words and 512 filters wait below.


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
# nudge: A word of 5 letters and a stencil of width 2: at how many positions can it lie? Draw them.
#
# idea: Fix one column $j$ of the stencil. Over all positions it meets the letters `letters[:, :, j : j + places]`, and `weight[:, :, j]` has shape (F, D). A matrix product of the two adds up over D for all words, filters and positions at once. (Or fix one position, and let the whole stencil meet one window. Flatten both in the same order.)
#
# outline: `places = T - width + 1`. Start with `bias[:, None]`, shape (F, 1), so that it lies along the filters. For each `j` below `width`, add `weight[:, :, j] @ letters[:, :, j : j + places]`, which is (N, F, positions).

# %% [markdown] deck="figure"
# minutes: 2
#
# say: A filter of the trained model on *suspended*. It waits for *spen*. Where in the word that lies does not matter much: *spend* or *suspended*. So each filter keeps only its largest match, the maximum over time. One number for each filter, however long the word is.
#
# ask: What is lost with the maximum?
#
# expect: "Nothing." Where it was, and how often.
#
# skip: Title and the maximum.

# %% slide="subslide"
from course.from_characters.char_cnn_figure import matches_along

convolve = or_reference("convolve", convolve)


# The files keep filters as (1, width, D, F), and row k of the table is the letter with id k + 1.
W, b = weights["CNN/W_cnn_3"][0].permute(2, 1, 0), weights["CNN/b_cnn_3"]  # 128 filters of width 4
rows = torch.tensor([list(character_ids(word)) for word in ["suspended", *known[:200]]])
strips = weights["char_embed"][rows - 1].transpose(1, 2)  # (N, D, T), from the trained table
matches = convolve(strips, W, b)
difference = (matches - nn.functional.conv1d(strips, W, b)).abs().max()
print(f"largest difference from conv1d: {difference:.1e}")

SPEND = 10  # a filter of the trained model
matches_along("suspended", matches[0, SPEND], 4, f"filter {SPEND}")

# %% [markdown]
# Where in the word the best match lies does not matter much: *-spen-* is the same in *spend* and in *suspended*. So each filter keeps only its largest match, the **maximum over time** (*max pooling*). ("Time" is the name for the axis that is read along, even where no time passes.) That makes one number for each filter, however long the word.
#
# What do trained filters look for? Take the words in which a filter matches best. Below them are filters of the untrained network.

# %% [markdown] deck="printed"
# ## What do filters look for?
#
# minutes: 2
#
# say: For three filters, the words in which each matches best. Filter 10 loves *spen*. Below, the same filters before training. They have their favourite letters, too: *memories, emotion*.
#
# ask: What does a neat list prove?
#
# expect: "That the network has found morphemes." Any stencil matches something. A neat list is no proof of learning.
#
# skip: The two lines of filter 10.

# %% slide="subslide"
plain_words = [word for word in known[:6000] if word.isalpha()]
rows = torch.tensor([list(character_ids(word)) for word in plain_words])
for state, w in {"trained": weights, "untrained": at_random}.items():
    W, b = w["CNN/W_cnn_3"][0].permute(2, 1, 0)[[0, 7, 10]], w["CNN/b_cnn_3"][[0, 7, 10]]
    best = convolve(w["char_embed"][rows - 1].transpose(1, 2), W, b).amax(-1)  # (words, 3)
    for number, top in zip((0, 7, 10), best.topk(7, dim=0).indices.T, strict=True):
        print(f"{state:>9}, filter {number:>2}:", ", ".join(plain_words[i] for i in top))

# %% [markdown]
# An untrained filter has its favourite letters, too: any stencil matches something. So a neat list is no proof of learning.
#
# The published ELMo has filters of widths 1 to 7, numbering 32, 32, 64, 128, 256, 512 and 1024: 2048 in all, and letters of $D = 16$ numbers. The course checkpoint has the first five kinds: $F = 512$.

# %% [markdown] deck="formula"
# ## A road with two lanes: the highway
#
# minutes: 2
#
# say: A maximum says which patterns a word contains, and they must be combined: *-ed* is one thing in *walked* and another in *bed*. A dense layer could do it, but would have to learn to copy what is fine already. A highway makes copying free: g is a gate, a share of the new, and the rest of the old goes through as it is.
#
# ask: The files call the gate *carry*. Which lane would you multiply with it?
#
# expect: "The old one, which is carried." It multiplies the new. Many have loaded the weights the wrong way round.
#
# skip: The second formula, in words.

# %% [markdown] slide="slide"
# ## 4. A road with two lanes
#
# After the maximum, relu sets every negative number to 0. The result $x$ says which letter patterns a word contains. But *-ed* means one thing after *walk* and another in *bed*: patterns must be **combined**. A dense layer, $\text{relu}(x W + b)$, could do it. But it would have to learn to copy everything that is fine as it is.
#
# A **highway** network makes copying free. Two lanes lead from $x$ to $y$: one makes something new, the other lets the old through. Each number has a gate $g$ that mixes the two ($\sigma$ is the sigmoid):
#
# $$g = \sigma(x W_{\text{carry}} + b_{\text{carry}}), \qquad y = g \cdot \text{relu}(x W_{\text{transform}} + b_{\text{transform}}) + (1 - g) \cdot x$$
#
# %% [markdown] deck="figure"
# minutes: 1.5
#
# say: The same as a drawing. Upper lane: something new. Lower lane: the old as it is. One gate serves both.
#
# ask: If the gate is shut, what comes out?
#
# expect: "Nothing." x, as it came in.
#
# skip: Show it and go on.

# %% slide="subslide"
from course.from_characters.char_cnn_figure import lanes

lanes()

# %% [markdown]
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

# %% [markdown]
# Below is the smallest highway: one number goes in, one comes out. The slider (mouse or arrow keys) moves the bias of its gate; where nothing can move, you see three positions.

# %% [markdown] deck="figure"
# minutes: 2
#
# say: The smallest highway: one number in, one out. The straight line is the old, the bent one the new. With a bias of minus 2 y follows the old nearly everywhere, with plus 2 the new. When training starts, the bias is minus 2: the gate is open by 12 per cent. In the notebook this is a slider.
#
# ask: Why start nearly shut?
#
# expect: "So that it does not change too much." It is about the way back: through how many layers does a gradient come?
#
# skip: The lines for minus 2 and for 2. Live instead: move the slider.

# %% slide="subslide"
from course.from_characters.char_cnn_figure import gate_slider

highway = or_reference("highway", highway)

gate_slider(highway)

# %% [markdown]
# When training starts, $b_{\text{carry}}$ is −2, so $g$ is about $\sigma(-2) = 0.12$: nearly everything takes the old lane. Why start nearly shut? Learning goes **backwards** through the layers. Each layer multiplies the gradient by its derivative, the slope $dy/dx$. Twenty layers multiply twenty of them, and if they are small, the gradient vanishes on the way (lesson 03). So: what is the slope of a highway?

# %% [markdown] exercise="highway_slope"
# ### Exercise 4. Derive the slope
#
# Take pen and paper; no autograd, no finite differences. One number goes in, one comes out:
#
# $$y = g\,t + (1 - g)\,x, \qquad g = \sigma(w_c\, x + b_c), \qquad t = \text{relu}(w_t\, x + b_t)$$
#
# Derive $dy/dx$. (Remember $\sigma' = \sigma (1 - \sigma)$, and how many ways lead from $x$ to $y$.) Then write `highway_slope(x, w_transform, b_transform, w_carry, b_carry)`. All five are tensors of one length, one entry for each unit; return one tensor, a slope for each.


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
# Read your formula with the gate nearly shut. Which terms are left? Does it predict what arrives below twenty highways with random weights?

# %% [markdown] deck="poll"
# - 0.01 %
# - 8 %
# - 50 %
# - 88 %
#
# minutes: 1.5
#
# say: Twenty highways, one on top of the other, random weights, bias minus 2. The slope of one is about 1 minus g, 0.88. They derive it exactly in exercise 4.
#
# ask: The poll.
#
# expect: "88: the slope of one." To the power of 20. Let them work it out before you show it.
#
# skip: Say the number.

# %%
predict("twenty", "Bias −2, twenty highways: how much of the gradient arrives?", unit="%")

# %% [markdown] deck="printed"
# ## Half open, next to nothing arrives
#
# minutes: 2
#
# say: Measured 8 per cent, and the derived slope to the power of 20 says 8.8. With the bias 0 it is less than a thousandth. ELMo itself has one or two highways, where no gradient gets lost: its minus 2 is inherited from deep networks.
#
# ask: Which bias would let half of it through?
#
# expect: "Minus 4, twice as much." About minus 3.3: solve 1 minus g to the power of 20 equals one half.
#
# skip: First and second line.

# %%
from course.from_characters.deep_highways import arriving, mean_slope, with_bias

highway_slope = or_reference("highway_slope", highway_slope)

arrived = 100 * arriving(with_bias(highway, -2.0), 20)
print(f"measured: {arrived:.1f} %;  your slope to the power of 20:", end=" ")
print(f"{100 * mean_slope(highway_slope, -2.0) ** 20:.1f} %")
for bias in (0.0, 1.0):
    print(f"with bias {bias:g}: {100 * arriving(with_bias(highway, bias), 20):.3f} %")
outcome("twenty", arrived, unit="%")

# %% [markdown]
# With the gate nearly shut, $g$ and $g'$ are small, and the slope is about $1 - g = 0.88$. Half open, at bias 0, far less arrives. Now change the bias: which one lets **half** of the gradient through? Work it out from $(1 - g)^{20} = 0.5$ first.

# %%
MINE = -2.0  # your bias
print(f"with bias {MINE:g}: {100 * arriving(with_bias(highway, MINE), 20):.0f} % arrive")

# %% [markdown]
# The formula gives $g = 0.034$, a bias of about −3.3. With it a little is still missing: the two terms that you left out count, too. ELMo has one or two highways, where no gradient gets lost; the −2 is inherited from deep networks. Was it needed there? See the last section.

# %% [markdown] slide="slide"
# ## 5. Your encoder
#
# Now the parts come together. The last one is a **projection**: a matrix that takes the $F$ numbers down to $H$.
#
# letters → strip → filters, maximum over time, side by side → relu → highways → projection
#
# The weights come as a dict of tensors, under the names of the official files:

# %%
for name, tensor in weights.items():
    if not name.startswith("RNN"):
        print(f"{name:>24} {tuple(tensor.shape)}")

# %% [markdown] exercise="CharCNN"
# ### Exercise 5. From letters to the vector of a word
#
# Write the class `CharCNN`. `CharCNN(weights)` keeps **copies** of the weights as parameters: an optimiser finds them, and training leaves the dict alone. `forward(ids)` takes (N, 50) ids and returns (N, H) vectors. Use your `convolve` and your `highway`.
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
        self.weights = nn.ParameterDict({name: part.clone() for name, part in weights.items()})
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
# nudge: In `__init__`, only keep things and count them: `nn.ParameterDict` makes parameters of a whole dict, `.clone()` copies a tensor, and the two sums tell `forward` how often to go round.
#
# idea: Put a row of zeros in front of the table with `torch.cat`; then `table[ids]` is right for every id, 0 included. It gives (N, 50, D), and `convolve` wants (N, D, 50). A filter bank is `weights["CNN/W_cnn_0"][0]`, (width, D, F): turn it with `permute(2, 1, 0)`.
#
# outline: `forward`: look up and transpose. For each width: `convolve(...)`, then `.amax(-1)`; keep the results in a list. `torch.cat(..., -1)`, relu. For each highway: call `highway` with its four weights in order. Return `x @ W_proj + b_proj`.

# %% [markdown]
# The weights of the trained model now go into **your** class. The model's own layer 0 is the judge:

# %% slide="subslide"
CharCNN = or_reference("CharCNN", CharCNN)

letter_weights = {name: part for name, part in weights.items() if not name.startswith("RNN")}
encode = closeness.remembered(closeness.reader(CharCNN(letter_weights), character_ids))
layer_0 = closeness.reader(bilm.token_encoder, character_ids)(known[:1000])
difference = np.abs(encode(known[:1000]) - layer_0).max()
print(f"1,000 words, {layer_0.shape[1]} numbers each: largest difference {difference:.1e}")
print("Your encoder makes layer 0." if difference < 1e-5 else "Not the same: see exercise 5.")

# %% [markdown]
# Ask it about words that you make up:

# %%
readers["yours"] = closeness.by_vectors(encode)
closeness.show_nearest({"yours": readers["yours"]}, ["unbananaed", "google", "brexiting"], known)

# %% [markdown]
# The ELMo paper calls this vector $x_k$ (not the highway's $x$), and, as the lowest of its layers, $h_{k,0}$. It depends on the spelling and on nothing else: *bank* gets one vector in every sentence, as in lesson 02.
#
# A small RNN over the letters is the other usual way; TagLM's tagger for names has one (lesson 05).

# %% [markdown] slide="slide"
# ## 6. Three broken encoders
#
# A wrong encoder seldom crashes. The results are a little worse, and nobody knows why. Here are three encoders, each with **one** fault and with the same trained weights. The figure compares them with a sound one.

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: A wrong encoder seldom crashes. Three encoders have one fault each, with the same trained weights. In the table: by how much each word's vector is off. Look at B first: it is exact for English and wrong where a letter has two bytes. Which fault could that be? C has the right letters and filters, and goes wrong at the highway. Then let them find A at home.
#
# ask: A: why is a word that fills its row right?
#
# expect: "It is long, so errors average out." It has no padding.
#
# skip: B only.

# %% slide="subslide"
from autograde.exercises.from_characters.broken import symptoms

TITLE = "Each fault spares other words (distance from a sound encoder, % of its length)"
plots.table(*symptoms(weights), title=TITLE, form="{:.0f}")

# %% [markdown]
# The first seven columns are whole words; *63 letters* is a word that fills its row. The last four follow *Wednesday* through the stages: its strip of letters, the filters, the highway, and the highway with its gate shut by hand (bias −50).

# %% [markdown] exercise="broken_encoders"
# ### Exercise 6. What is wrong with them?
#
# Each encoder has one of these faults:
#
# 1. bytes are not shifted by one
# 2. padding is read as id 0
# 3. characters, not bytes
# 4. no end mark
# 5. lower case first
# 6. mean over the positions
# 7. the gate the other way round
# 8. no relu in the highway
#
# Return a dict with the number of each encoder's fault: `{"A": ..., "B": ..., "C": ...}`.


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
# Reading letters is praised for unseen words, morphology and misspellings. A sceptic first tries readers without any network. One counts the **letters to change**, to insert, delete or replace: the **edit distance** (Levenshtein's). Yours to write: the **longest common ending**.

# %% [markdown] exercise="common_ending"
# ### Exercise 7. The sceptic's reader
#
# Write `common_ending(words, candidates)`. Both are lists of words. Return a table of numbers, a row for each word and a column for each candidate: how many letters the two share, counted from the end up to the first that differs. *walking* and *talking* share six, *walking* and *ring* three. Six million pairs wait below, so a pair should take a few microseconds at most.


# %% exercise="common_ending"
def common_ending(words, candidates):
    """A table (words, candidates): the letters that two words share at their ends."""
    ### BEGIN SOLUTION
    table = np.zeros((len(words), len(candidates)))
    for row, word in enumerate(words):
        for column, other in enumerate(candidates):
            for ours, theirs in zip(reversed(word), reversed(other), strict=False):
                if ours != theirs:
                    break
                table[row, column] += 1
    return table
    ### END SOLUTION


# %% check="common_ending"
check("common_ending", common_ending)

# %% [markdown] hints="common_ending"
# nudge: Which letter do you compare first, and when do you stop?
#
# idea: `reversed(word)` gives the letters from the last to the first. `zip` of two of them walks through both and stops where the shorter word ends.
#
# outline: Make a table of zeros. For each pair of words go through the pairs of letters from the end; add 1 to the pair's cell, and leave the innermost loop at the first two letters that differ.

# %% [markdown] slide="subslide"
# ### Grammar
#
# In section 1 *-ing* words stood beside *-ing* words. Grammar, then: of the five nearest known words, how many have the same part of speech? The 500 words asked about occur nowhere in the model's text. None has a capital, so your ending takes words in lower case first, of equals the nearer in length. The tags are Brown's, fine-grained: plural, past tense and superlative differ.

# %% [markdown] deck="poll"
# minutes: 1
#
# say: What do letters know? Grammar first: five hundred unseen words. Of the five nearest known words, how many have the same part of speech? The sceptic brings a reader without a network: the longest common ending.
#
# ask: The poll.
#
# expect: "The encoder, of course." Ask by how much.
#
# skip: Take one vote.

# %%
CLEARLY = ["the trained encoder, clearly", "the ending", "no clear difference"]
predict("grammar", "Which finds more neighbours of the same class?", options=CLEARLY)

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: The encoder is far ahead of its untrained twin. But the twin looks at all letters alike. Show it only the last four, and more than half of that lead is gone: seven points are left, in the stored runs. And a few lines that read the common ending, lower case first, are nearer still: the encoder's lead is 3.6 points, from 1.5 to 5.7. Measure otherwise, with the vectors whitened, and it falls behind both.
#
# ask: What would you write in an abstract?
#
# expect: "Our encoder learns morphology." It has learnt to look at the end. That it knows more than that depends on the measure.
#
# skip: The first two bars, then the third.

# %% slide="subslide"
from course.figures.interval_bars import interval_bars
from course.from_characters.experiments import last_letters, same_classes, stored_grammar
from course.from_characters.word_similarity import chances
from course.results.accuracy import share

common_ending = or_reference("common_ending", common_ending)
ending = "your common ending,\nlower case first"

look_at = last_letters(at_random)  # the untrained encoder, given the last four letters alone
compared = {
    "your encoder": readers["yours"],
    "the same, untrained": readers["untrained"],
    "untrained, last\nfour letters": closeness.by_vectors(look_at),
    ending: closeness.lower_case_first(common_ending),  # of equals, the nearer in length
}
task = same_classes()  # 500 unseen words, the known ones, and which pairs are of one class


def same_class(closeness):
    """(500,): of a word's five nearest known words, the share of its own class."""
    return (chances(closeness, task.unseen, task.known, 5) * task.same).sum(1) / 5


if task:
    right = {name: same_class(closeness) for name, closeness in compared.items()}
    shares = {name: share(of_words) for name, of_words in right.items()}
    ahead = share(right["your encoder"] - right[ending])
else:
    shares, ahead = stored_grammar()
title = "Unseen words: most of the grammar is in the ending"
interval_bars(list(shares), {"same class": list(shares.values())}, title=title, ylabel="percent")

# %%
from course.results.intervals import lead

print("Your encoder against the common ending, on the same words:", lead(ahead))
clear = 0 if ahead["low"] > 0 else 1 if ahead["high"] < 0 else 2
outcome("grammar", CLEARLY[clear])

# %% [markdown]
# The encoder is far ahead of its twin. But most of the grammar is at the end of the word, and the twin looks at all letters alike. Give it only the **last four**, and the stored lead, 18.8 points (15.2 to 22.8, over words and three twins), shrinks to 7.4 (5.2 to 9.6). More than half of what training added is *where to look*. Beyond your ending it adds **three or four points** (stored, on 2,000 more words: 3.6, 2.5 to 4.7). On these, with labels, a logistic regression on affixes is 2.8 ahead of one on layer 0 (1.1 to 4.4).
#
# ### Misspellings
#
# Here are 128 slips such as *goverment* or *freind*. (A language model wrote the list from memory, unchecked. None occurs in the model's text.) They are few, so 600 more are made by chance: two letters swapped, one doubled, dropped or replaced. A reader has a hit if the nearest of the 16,000 known words is the one that was meant.
#
# In a cosine the few directions that differ most drown the others. **Whitening** turns and stretches the vectors until every direction varies as much as any other.

# %% [markdown] deck="poll"
# minutes: 1
#
# say: Second: misspelt words, 128 as people write them, and 600 made by chance. Is the nearest known word the right one? Whitening turns and stretches the vectors until each direction varies as much as any other. What does that do to the untrained networks?
#
# ask: The poll.
#
# expect: "More hits: it evens things out." It costs them hits.
#
# skip: Leave it out, and go to the figure.

# %%
WHITE = ["more hits, clearly", "fewer hits, clearly", "no clear difference"]
predict("white", "Whitened, the untrained encoders have", options=WHITE)

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: From the left: trained, trained and whitened, untrained, untrained and whitened, and the number of letters to change. On the short list trained and untrained cannot be told apart. On the long one the trained network, as it is, is clearly behind the untrained one. Whitened, the two are about level. And none of them is ahead of the count of letters. What finds misspelt words is that letters are read at all; a word table would score 0.
#
# ask: "ELMo is robust to misspellings because it was trained on characters." What is missing?
#
# expect: "Nothing." The control. The untrained one is as robust here.
#
# skip: The last bar and the first.

# %% slide="subslide"
from course.from_characters.spellings import made_slips, misspelt_words
from course.from_characters.word_similarity import by_letters, by_vectors, finds_meant, whitened
from elmo_mini.models import elmo as plain

draws = [plain.CharCNN(untrained_weights(bilm, seed)) for seed in range(3)]
twins = [closeness.remembered(closeness.reader(net)) for net in draws]
nets = {"trained": [encode], "untrained": twins}
asked = {}
for name, encoders in nets.items():
    asked[f"{name}, as it is"] = [by_vectors(e) for e in encoders]
    asked[f"{name}, whitened"] = [by_vectors(whitened(e, known)) for e in encoders]
asked["letters to change"] = [by_letters]
lists = {"128 as people make them": misspelt_words(), "600 made by chance": made_slips(known)}
found = {kind: {} for kind in lists}
for name, by in asked.items():
    for kind, pairs in lists.items():
        found[kind][name] = np.stack([finds_meant(reader, pairs, known) for reader in by])
interval_bars(
    [name.replace(" ", "\n", 1) for name in asked],
    {kind: [share(hit) for hit in hits.values()] for kind, hits in found.items()},
    title="Misspelt words: nobody is ahead of a count of letters",
    ylabel="hits, percent",
)

# %%
compare = [(f"trained, {how}", f"untrained, {how}") for how in ("as it is", "whitened")]
compare += [("untrained, whitened", "untrained, as it is")]
compare += [("trained, as it is", "letters to change")]
for kind, hits in found.items():
    more = {pair: share(hits[pair[0]] - hits[pair[1]]) for pair in compare}  # on the same words
    print(f"{kind}:")
    print(*(f"  {one} less {other}: {lead(gain)}" for (one, other), gain in more.items()), sep="\n")
gain = more["untrained, whitened", "untrained, as it is"]
outcome("white", WHITE[0 if gain["low"] > 0 else 1 if gain["high"] < 0 else 2])

# %% [markdown]
# The 128 cannot tell whether training helps. The 600 can: as it is, the trained network finds **clearly fewer** than the untrained ones. Whitened, the two are about level; whitening costs the untrained ones hits. And neither is ahead of the edit distance. What finds misspelt words is that letters are read at all. A word table would score 0.
#
# And the lead in grammar?


# %%
def of_one_class(name):
    """As above, by whitened vectors: a row for each network."""
    return np.stack([same_class(by_vectors(whitened(e, known))) for e in nets[name]])


if task:
    white = of_one_class("trained")
    for name, others in (
        ("untrained", of_one_class("untrained")),
        ("untrained, last four letters", same_class(by_vectors(whitened(look_at, known)))),
        ("common ending", right[ending]),
    ):
        print(f"same class, whitened, trained against {name}:", lead(share(white - others)))

# %% [markdown]
# Whitened, the encoder is hardly ahead of its twins (stored: 3.0 points (−0.4 to 6.8) ahead). Behind those of four letters it falls by 13.7 (11.3 to 16.4), behind the ending by more. Whether it knows more than the end depends on the measure.
#
# The encoder takes any bytes, so Chinese, too, gets vectors:

# %% [markdown] deck="printed"
# ## It has an answer for everything
#
# 打针: *to have an injection*
#
# minutes: 1.5
#
# say: Dǎzhēn. The encoder takes any bytes, so Chinese, too, gets a vector and neighbours. This model has read English only: they have nothing to do with injections.
#
# ask: Is that better than no answer?
#
# expect: "Yes, something is better than nothing." No error warns you. A table would have said that the word is unknown.
#
# skip: Leave it out.

# %%
closeness.show_nearest({"yours": compared["your encoder"]}, ["打针"], known)

# %% [markdown]
# 打针 is *to have an injection*. This model has read English only: its neighbours have nothing to do with injections. It has a vector for everything, and no error warns you.

# %% [markdown] deck="words"
# ## Myth or measured?
#
# > *"ELMo's bottom layer is the word embedding: words of like meaning lie close together."*
#
# . . .
#
# Is *lawyer* closer to **attorney** or to **layer**?
#
# minutes: 1.5
#
# say: Many drawings of ELMo say so. We ask in two ways: attorney against any ordinary word of the same kind and length, and attorney against a look-alike. 68 words with two such partners each.
#
# ask: Which of the two is closer to *lawyer* in a reader of letters?
#
# expect: "*Attorney*: it is trained." Keep the answers for the poll.
#
# skip: Read the quotation, and go on.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"ELMo's bottom layer is the word embedding: words of like meaning lie close together."*
#
# Ask in two ways about a word such as *lawyer*. Is it closer to *attorney* than to **any ordinary word** with the same tag and about the same length and frequency as *attorney*? And is it closer to *attorney* than to *layer*, which is near in **letters** only? We have 68 words with two such partners each, from a language model's memory; four of them have no ordinary rival.

# %% [markdown] deck="poll"
# - about 15
# - about 50, like a coin
# - about 85
#
# minutes: 1
#
# say: Against the look-alike, in the trained encoder.
#
# ask: The poll.
#
# expect: "85." It reads letters, and *layer* has nearly all of them.
#
# skip: Say the number.

# %%
predict("meaning", "For how many of 100 words does layer 0 choose meaning over letters?", unit="%")

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: Blue: against an ordinary word. The trained encoder chooses meaning well above a coin, the untrained one does not. Hatched: against a look-alike meaning mostly loses. And fastText on the same text knows more meaning, since it learnt from the words around; even it is no better than a coin against a look-alike.
#
# ask: So, myth or measured?
#
# expect: "A myth." Half of one. There is meaning in layer 0, and form comes first.
#
# skip: The first two bars.

# %% slide="subslide"
from course.from_characters.experiments import ordinary_rivals, stored_fasttext
from course.from_characters.spellings import meaning_or_letters

asked = {name: compared[name] for name in ("your encoder", "the same, untrained")}
triples = {
    "against an ordinary word": (ordinary_rivals(), 5),  # five rivals for each word
    "against a look-alike": (meaning_or_letters(), 1),
}


def prefers_meaning(closeness, triples):
    """For each triple 1 if meaning is closer than the rival, 1/2 if they tie."""
    tables = [closeness([word], [meaning, rival])[0] for word, meaning, rival in triples]
    return np.array([(np.sign(meaning - rival) + 1) / 2 for meaning, rival in tables])


bars = {
    rival: [share(prefers_meaning(c, rows).reshape(-1, n).mean(1)) for c in asked.values()]
    for rival, (rows, n) in triples.items()
}
for row, fasttext in zip(bars.values(), stored_fasttext(), strict=True):
    row.append(fasttext)
labels = [
    *(name.replace(", ", ",\n") for name in asked),
    "fastText, the model's\nown text (stored)",
]
title = "Form comes first at layer 0, and meaning loses to look-alikes"
interval_bars(labels, bars, title=title, ylabel="percent for meaning", level=("a coin", 50))

# %%
closeness.show_nearest({"yours": compared["your encoder"]}, ["lawyer", "car", "ocean"], known)
outcome("meaning", 100 * bars["against a look-alike"][0]["mean"], unit="%")

# %% [markdown]
# **Half a myth.** Layer 0 does hold meaning: against an ordinary word by the cosine it chooses the word of like meaning well above chance, and the untrained network does not. But against a look-alike meaning mostly loses. The neighbours show both: persons beside *lawyer*, look-alikes beside *car*. fastText (lesson 02) on the same text knows more meaning, for it learnt from the words around. Even so it is no better than a coin against a look-alike.

# %% [markdown] deck="words"
# ## What to take home
#
# - A word is **fifty numbers**: start, bytes, end, padding, shifted by one.
# - A filter is a stencil; a highway **mixes new and old**.
# - It has a vector for **every** word, and no error warns you.
# - Most of what letters know, an **untrained** twin or a count of letters knows, too.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 1, 2, 4, 5 and 6. Layer 0 gives *bank* one vector in every sentence; next time the LSTMs come on top.
#
# ask: What is still missing, to tell one *bank* from the other?
#
# expect: "More training." The sentence.
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## Recap
#
# - A word is fifty ids: start, bytes, end, padding, all shifted by one. A row of zeros is no word.
# - In a character CNN a filter is a stencil slid along the letters; it keeps its best match, the maximum over time.
# - A highway mixes new and old by a gate. The files' *carry* multiplies the new.
# - Your `CharCNN` gives layer 0 of a trained ELMo: one vector for each spelling, whatever the sentence.
# - Of grammar, training teaches mostly to look at the end; beyond the common ending it adds three or four points, whitened none; with labels a list of affixes is ahead. Training adds some meaning, which look-alikes hide. With misspellings it costs hits by the cosine, and no network is ahead of a count of letters.
# - This is the third of ELMo's three ideas: read both directions, keep all layers, start from characters. Lesson 05 had this one inside its black box, and took only the top layer.

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
# A word table has nothing to say about unseen words, so any vector is a gain there, and it is largest where the form tells something that the task needs. *Reintubated* is built from known parts and ends like a past tense; in our measurement neighbours of unseen words had the right class far more often with the trained encoder than with the same network untrained, though the common ending came within three or four points, and the untrained network within eight where it saw the last letters alone. For typing errors reading letters helps against a table, but a count of letters did at least as well, so a spelling corrector may do. A new drug name is the hard case: its letters may say what kind of drug it is (*-mab*, *-pril*), if the model has read such names, but no more; words that look alike can be dangerous neighbours. For frequent words there is least to gain: the table has vectors for them already, and where a word near in meaning competed with a look-alike, layer 0 mostly chose the look-alike. Before building: take the words of the records that the table lacks, sort them into these kinds and count them; then train the same small tagger with the table, with characters, with an untrained character encoder, and with a list of affixes, on the same labelled sentences and several seeds, and report F1 for unseen and seen words separately, with intervals.

# %% [markdown] slide="slide"
# ## If you have time: was the gate needed?
#
# This section takes about ten minutes. Nothing above or in later lessons needs it.
#
# First, two common claims. *"Character input is especially useful for German or Turkish, as ELMo shows"*: reasonable, but the paper's experiments are in English. *"Character-level models were a flash in the pan of 2015 to 2017"*: they were an alternative to pretrained word vectors then, and ELMo itself reads characters. We know of no measurement that settles it.
#
# Then the gate. Fifty layers deep, with random weights: how much of a gradient arrives below highways, and below layers without any gate?

# %% slide="subslide"
from course.from_characters.deep_highways import through_layers

through_layers(highway, biases=(-5.0, -2.0, 0.0), depths=[1, 2, 5, 10, 20, 50])

# %% [markdown]
# The first stack without gates loses nearly everything. The second loses less than the highways do: weights $\sqrt 2$ times as large make up for what relu cuts off (*He initialisation*, after He and others, 2015), and about half arrives through fifty layers. **At this start, careful weights do as much as the gate: each needs the right start.** (A bias of minus 5 opens the carry lane further, and more arrives than below the weights.)

# %% [markdown]
# ## Further reading
#
# - Kim and others 2016, for a table of neighbours before and after the highway: compare with yours.
# - Jozefowicz and others, [*Exploring the Limits of Language Modeling*](https://arxiv.org/abs/1602.02410), 2016: the large character CNN; ELMo's is half its size.
# - In the package: `elmo_mini/models/elmo.py` has this encoder in thirty lines; `elmo_mini/fast/char_cnn_types.py` makes it fast. The stored experiment is `python -m course.from_characters.experiments neighbours`.
#
# Next: **07 · a biLM from scratch.**

# %% [markdown] instructor=true
# **Instructor, common questions.** *Why not subwords?* They were there: GPT used byte-pair encoding in ELMo's year. Pieces solve the same problem with a table; a character encoder is slower and knows no boundary between pieces. *Why does the padding mark take part in the convolution?* It was there in training, so a short word's windows see it; leaving it out changes vectors (encoder A). *Is the maximum taken before or after relu?* It makes no difference: relu never reverses an order. *Why does the untrained encoder find misspelt words so well?* Random filters keep most of what the letters say, so words that share windows share numbers. *Poll before section 7:* "Does training make the encoder better at finding misspelt words?"
