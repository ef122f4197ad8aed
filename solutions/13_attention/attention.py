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
# # 13 · Attention
#
# An LSTM hands everything it knows from word to word through one state. Attention lets every word look straight at every other. Here you build it, from one head to the block of which BERT and GPT are made. Your block takes over the masked model of lesson 12. Then you change one line, and the same block writes text.

# %%
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from autograde import calibration, check, or_reference, outcome, predict, progress
from elmo_mini.experiments import broken_attention
from elmo_mini.experiments.next_words import learn_next_words
from elmo_mini.experiments.reading_time import reading_times, where_they_cross
from elmo_mini.experiments.small_text import small_text
from elmo_mini.figures import plots
from elmo_mini.figures.attention import distance_curves, reach_tables, share_tables, time_curves
from elmo_mini.figures.block_diagram import block_diagram
from elmo_mini.figures.interval_bars import interval_bars
from elmo_mini.results.intervals import interval
from elmo_mini.results.stored import stored_result
from elmo_mini.transformer import recall
from elmo_mini.transformer.causal_lm import CausalLM, RecurrentLM
from elmo_mini.transformer.causal_lm_file import load_causal_lm
from elmo_mini.transformer.from_pytorch import exchange_blocks, weights_of_heads, weights_of_layer
from elmo_mini.transformer.masked_lm import MaskedLM, MaskedLMOptions

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% tags=["road"]
plots.road("13")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - write an attention head, several heads and the block, and show that they are PyTorch's,
# - derive why scores are divided by √d,
# - measure what a short way is worth, against the LSTM and against a baseline with no attention at all,
# - say when attention is faster than an LSTM, and when it is not,
# - turn a reader of both sides into a writer by changing one mask, and find the fault when it has looked ahead.
#
# ## The papers
#
# **The Transformer**: Vaswani and others, *Attention is all you need*, NIPS 2017, [arXiv:1706.03762](https://arxiv.org/abs/1706.03762), sections 3 and 4. **GPT**: Radford and others, *Improving language understanding by generative pre-training*, 2018. **BERT**: [arXiv:1810.04805](https://arxiv.org/abs/1810.04805), section 3.
#
# The lesson takes 105 minutes, or 75 without exercises 2, 6 and 7. Exercises 1, 3, 4 and 5 are the spine; the lesson goes on without the others.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B$ | sentences in a batch | $q_t$ | query: what place $t$ asks |
# | $T$ | places in a sentence | $k_s$ | key: what place $s$ can be found by |
# | $D$ | numbers in the state of a place | $v_s$ | value: what place $s$ has to give |
# | $A$ | heads | $a_{ts}$ | share: how much place $t$ takes from place $s$ |
# | $d$ | numbers of one head, $D / A$ | $V$ | words in the vocabulary |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes: section 1, 6; section 2, 14; section 3, 14; section 4, 20; section 5, 14; section 6, 10; section 7, 18; section 8, 10; the rest, 8. That is 105 for somebody who passes most checks soon, 115 with hints; for 60, show exercise 3 solved and leave out exercises 2, 6 and 7. Students get stuck in exercise 3 on the axes: let them write the four letters B, A, T, d on paper and say after each line which axis is which. Whoever uses `view` where a `transpose` is missing gets no error; the check names it, and section 8 shows what it costs.

# %% [markdown] slide="slide"
# ## 1. A question about something far back
#
# Four facts, some chatter, and a question about one of the facts. Letters, values and chatter are drawn anew for every text.


# %%
def texts_of(number, distance, seed=0):
    """Texts (B, T) with so much chatter, and the values that they ask for (B,)."""
    return recall.recall_texts(number, distance, torch.Generator().manual_seed(seed))


one, its_answer = texts_of(1, 12)
print(*recall.in_words(one[0]), " answer:", int(its_answer))

# %%
predict(
    "far",
    "16 words of chatter, 300 batches to learn: how many questions will an LSTM answer right? (1 in 8 is chance)",
    unit="%",
)

# %% slide="subslide"
right = {}
for name, reader in {"LSTM": recall.Recurrent(), "attention": recall.Attentive()}.items():
    recall.train_to_recall(reader, 16, 300, progress=True)
    right[name] = 100 * recall.recall_accuracy(reader, 16)
plots.bars(
    list(right),
    {"right answers": list(right.values())},
    title="Attention finds the fact, the LSTM has lost it (one run each)",
    ylabel="right answers in 1,000 (%)",
    level=("chance", 100 / recall.VALUES),
)

# %%
outcome("far", right["LSTM"], unit="%")

# %% [markdown]
# Both readers have about 15,000 weights and have read the same texts. To the LSTM the fact is 17 to 20 steps away, and each step passes it through gates. To attention it is one step away, like everything else. Is that all there is to it? Section 6 asks a sceptic. First, build it.

# %% [markdown] slide="slide"
# ## 2. One head
#
# Think of a room full of people. Everybody wears a badge, the **key**, and holds a note, the **value**. You come in with a question, the **query**. You compare your question with every badge. Then you copy a little from each note, most from those whose badges fit best. That is all.
#
# "Fits" is a dot product. "A little from each" is a softmax:
#
# $$a_{ts} = \operatorname*{softmax}_{s} \left( \frac{q_t \cdot k_s}{\sqrt{d}} \right) \qquad\qquad \text{found}_t = \sum_{s=1}^{T} a_{ts}\, v_s$$
#
# (Equation 1 of the paper.) In a sentence everybody asks at once: each place has a query, a key and a value. Some pairs are closed. Nobody may copy from padding, for example.

# %% [markdown] exercise="one_head"
# ### Exercise 1. One head
#
# Write `one_head(q, k, v, allowed)`. The last two axes of `q` are (T, d), those of `k` (S, d), those of `v` (S, e). There may be other axes in front, such as sentences and heads, the same for all three. `allowed` is True where a place (row) may look at a place (column).
#
# Return two tensors: what each place takes home, (..., T, e), and its shares, (..., T, S). Each row of shares adds up to 1, and a closed pair has a share of exactly 0. (That is true of every row: no row is closed everywhere.)


# %% exercise="one_head"
def one_head(q, k, v, allowed):
    """What each place takes home (..., T, e), and the shares (..., T, S)."""
    ### BEGIN SOLUTION
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
    shares = scores.masked_fill(~allowed, -torch.inf).softmax(-1)
    return shares @ v, shares
    ### END SOLUTION


# %% check="one_head"
check("one_head", one_head)

# %% [markdown] hints="one_head"
# nudge: Draw the table of scores for two places that ask and three that answer. Which axis does the softmax run over? When must a pair be closed, before it or after it?
#
# idea: `k.transpose(-2, -1)` turns the last two axes, however many stand in front. `masked_fill(where, value)` writes where `where` is True. A score of minus infinity gets a share of 0.
#
# outline: Scores: `q @` the turned keys, divided by the root of the last size of k. Close the pairs that are not allowed. Softmax over the last axis gives the shares. Return shares times v, and the shares.

# %% [markdown]
# Your head needs no training if you write badges and notes yourself. A fact's badge is its letter and its note is its value. The question's query is the letter that it asks for. The `8` makes a fitting badge loud.

# %% slide="subslide"
one_head = or_reference("one_head", one_head)
badge, note = recall.set_by_hand()
asked_texts, answers = texts_of(1_000, 64)
before, question = asked_texts[:, :-1], asked_texts[:, -1:]
everywhere = torch.ones(1, 1, before.shape[1], dtype=torch.bool)
said, _ = one_head(badge[question], badge[before], note[before], everywhere)
number = int((said[:, 0].argmax(-1) == answers).sum())
print(f"{number:,} of 1,000 right, 64 words of chatter, nothing trained")

# %% slide="subslide"
before, question, words = one[:, :-1], one[:, -1:], recall.in_words(one[0])
_, shares = one_head(badge[question], badge[before], note[before], everywhere[..., :16])
title = "Where the question looks"
share_tables({"one head": shares[0]}, words[:-1], asking=words[-1:], title=title)

# %% [markdown]
# Training has only one thing to add: it finds badges, notes and queries itself. They are three linear layers, applied to the state of each place.

# %% [markdown] slide="slide"
# ## 3. Why the root of d?
#
# A softmax can be too sure. If one score lies far above the others, its share is 1, the others are 0, and a small change of the scores changes nothing. There is no slope to learn from. How far do scores lie apart? At the start, queries and keys are as good as random. So ask how far a dot product of random vectors strays.

# %% [markdown] exercise="dot_moments"
# ### Exercise 2. How far a dot product strays (derive it)
#
# First with pen and paper. $q$ and $k$ have $d$ numbers each; all $2d$ are independent. The $i$-th number of $q$ has mean `q_mean[i]` and variance `q_var[i]`, and so for $k$. What are the mean and the variance of $q \cdot k$? The means need not be 0. You need one rule: for independent $x$ and $y$, $E[xy] = E[x]\,E[y]$.
#
# Then write `dot_moments(q_mean, q_var, k_mean, k_var)` for NumPy arrays (d,). Return the two numbers, first the mean.


# %% exercise="dot_moments"
def dot_moments(q_mean, q_var, k_mean, k_var):
    """Mean and variance of the dot product of two random vectors."""
    ### BEGIN SOLUTION
    q_square, k_square = q_var + q_mean**2, k_var + k_mean**2  # E[q²], E[k²]
    each = q_square * k_square - (q_mean * k_mean) ** 2
    return (q_mean * k_mean).sum(), each.sum()
    ### END SOLUTION


# %% check="dot_moments"
check("dot_moments", dot_moments)

# %% [markdown] hints="dot_moments"
# nudge: Begin with d = 1. The variance of a product is $E[q^2 k^2] - (E[qk])^2$. What is $E[q^2]$, if you know mean and variance?
#
# idea: $E[q^2] = \operatorname{Var} q + (E[q])^2$, and $q^2$ and $k^2$ are independent, too. The dot product is a sum of $d$ independent terms, so their means add up, and their variances.
#
# outline: For each number: E[q²] times E[k²], less the square of the product of the means. Sum over the numbers. The mean is the sum of the products of the means.

# %%
dot_moments = or_reference("dot_moments", dot_moments)
sizes = (4, 16, 64, 256, 1024)
expected = [dot_moments(np.zeros(d), np.ones(d), np.zeros(d), np.ones(d))[1] for d in sizes]
print(
    *(f"d = {d}: the variance is {float(v):.0f}" for d, v in zip(sizes, expected, strict=True)),
    sep="\n",
)

# %% [markdown]
# With means of 0 and variances of 1, the variance is $d$. So scores stray by about √d, and dividing by √d brings them back to 1, **whatever d is**. The paper gives this reason in a footnote of section 3.2.1. What does it save? Measure the slope of your head's shares, with and without the division.

# %%
predict(
    "root",
    "16 places, random vectors with d = 256: what is left of the slope when scores are not divided?",
    unit="%",
)

# %% slide="subslide"
slopes = {"divided by √d": [], "not divided": []}
torch.manual_seed(0)
for d in sizes:
    q, k = torch.randn(2, 500, 16, d)
    for name, times in (("divided by √d", 1), ("not divided", d**0.5)):
        _, shares = one_head(times * q, k, k, torch.ones(16, 16, dtype=torch.bool))
        slopes[name].append(float((shares * (1 - shares)).sum(-1).mean()))  # of share t by score t
plots.curves(
    sizes,
    slopes,
    title="Undivided, the shares of random vectors lose their slope",
    xlabel="numbers of a head, d",
    ylabel="slope, summed over 16 places",
    log_x=True,
)

# %%
outcome("root", 100 * slopes["not divided"][3] / slopes["divided by √d"][3], unit="%")

# %% [markdown] slide="slide"
# ## 4. Several heads
#
# One head takes home one mixture. A word may need several things at once: its verb, its article, the name that it stands for. So cut the $D$ numbers into $A$ heads of $d = D / A$ numbers. Each asks its own question. Then join what they found, and mix it with one more linear layer. The work stays the same: $A$ heads of $D / A$ numbers cost what one head of $D$ costs.

# %% [markdown] exercise="MultiHead" slide="subslide"
# ### Exercise 3. Several heads
#
# Write the class. Its parts are four linear layers with a bias, D to D. Call them `self.query`, `self.key`, `self.value` and `self.out`: PyTorch's weights go into them later.
#
# `forward(x, allowed)` takes states (B, T, D) and who may look where, (B, T, T), the same for all heads. Each head gets a stretch of $d$ neighbouring numbers of the queries, of the keys and of the values: head 0 the first $d$, and so on. What the heads find is joined in the same order, and goes through `self.out`. Return it, (B, T, D), and the shares of all heads, (B, A, T, T). Use your `one_head`.


# %% exercise="MultiHead"
from torch import nn


class MultiHead(nn.Module):
    """Several heads side by side."""

    def __init__(self, dim, heads):
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        ### END SOLUTION

    def forward(self, x, allowed):
        """(B, T, D) and (B, T, T) to (B, T, D) and the shares (B, A, T, T)."""
        ### BEGIN SOLUTION
        q = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, A, T, d)
        k = self.key(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        v = self.value(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        found, shares = one_head(q, k, v, allowed[:, None])
        joined = found.transpose(1, 2).flatten(2)  # (B, T, D)
        return self.out(joined), shares
        ### END SOLUTION


# %% check="MultiHead"
check("MultiHead", MultiHead)

# %% [markdown] hints="MultiHead"
# nudge: Write the axes down after each line. `one_head` wants (..., T, d) at the end. Which axis must stand before T? And `reshape` never changes the order of the numbers: is that what you want?
#
# idea: `.unflatten(-1, (heads, -1))` cuts the last axis: (B, T, A, d). Then turn the two middle axes. `allowed` needs an axis for the heads: `allowed[:, None]` is (B, 1, T, T). (A loop over the heads is right, too.)
#
# outline: Queries, keys and values: the linear layer, cut, turned to (B, A, T, d). `one_head` on all heads at once. Turn what was found back to (B, T, A, d), flatten the last two axes, and apply `self.out`.

# %% [markdown]
# PyTorch has this class. Put its weights into yours, and compare.

# %% slide="subslide"
MultiHead = or_reference("MultiHead", MultiHead)
torch.manual_seed(0)
theirs, own = nn.MultiheadAttention(64, 4, batch_first=True).eval(), MultiHead(64, 4)
own.load_state_dict(weights_of_heads(theirs))
x, mask = torch.randn(3, 10, 64), torch.arange(10) < torch.tensor([10, 4, 7])[:, None]
with torch.no_grad():
    found, shares = own(x, mask[:, None, :].expand(-1, 10, -1))
    wanted, wanted_shares = theirs(x, x, x, key_padding_mask=~mask, average_attn_weights=False)
print(f"found: largest distance {float((found - wanted).abs().max()):.0e}")
print(f"shares of each head: largest distance {float((shares - wanted_shares).abs().max()):.0e}")

# %% [markdown] slide="slide"
# ## 5. The block
#
# A block does two things. First everybody **looks around**: several heads. Then each place **thinks alone**: a linear layer to $4D$ numbers, a GELU (a softened ReLU), and a linear layer back to $D$. Neither replaces the state. Each is **added** to what was there, so there is a way past everything, as in ELMo's residual connection (lesson 07). After each sum comes a **layer norm**, which brings the $D$ numbers of a place back to mean 0 and variance 1 and then lets the model stretch and shift them.

# %% slide="subslide"
block_diagram()

# %% [markdown]
# Who may look where depends on the model, so the block is told: `look` takes the mask of tokens (B, T) and gives the table (B, T, T). A reader of both sides closes only the columns of padding: `both_sides`, the default, which stands in the cell below.


# %% [markdown] exercise="Block"
# ### Exercise 4. The block
#
# Write the class. Its parts: `self.attention`, your `MultiHead`; `self.wide`, linear from D to 4 D; `self.narrow`, linear from 4 D to D; `self.norm_1` and `self.norm_2`, an `nn.LayerNorm` for each sum. `look(mask)` says who may look where. The GELU is `functional.gelu`. `forward(x, mask)` takes states (B, T, D) and the mask of tokens (B, T), True at tokens. It returns the new states, (B, T, D).


# %% exercise="Block"
from torch import nn
from torch.nn import functional


def both_sides(mask):
    """(B, T, T): every place may look at every token."""
    return mask[:, None, :].expand(-1, mask.shape[1], -1)


class Block(nn.Module):
    """One layer of a Transformer."""

    def __init__(self, dim, heads, look=both_sides):
        super().__init__()
        ### BEGIN SOLUTION
        self.look = look
        self.attention = MultiHead(dim, heads)
        self.wide, self.narrow = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        ### END SOLUTION

    def forward(self, x, mask):
        """States (B, T, D) and the mask of tokens (B, T) to new states (B, T, D)."""
        ### BEGIN SOLUTION
        found, _ = self.attention(x, self.look(mask))
        x = self.norm_1(x + found)
        inner = functional.gelu(self.wide(x))
        return self.norm_2(x + self.narrow(inner))
        ### END SOLUTION


# %% check="Block"
check("Block", Block)

# %% [markdown] hints="Block"
# nudge: Follow the drawing from below. What goes into each sum, and what comes right after it?
#
# idea: `self.attention(x, self.look(mask))` gives two things, and you need the first. The first sum adds it to x. What comes out of the first norm is the x of the second half.
#
# outline: `x = norm_1(x + found)`; then wide, GELU, narrow on this x; `norm_2` of x plus that.

# %% slide="subslide"
Block = or_reference("Block", Block)
theirs = nn.TransformerEncoderLayer(64, 4, 256, 0.0, "gelu", batch_first=True).eval()
own = Block(64, 4)
own.load_state_dict(weights_of_layer(theirs))
with torch.no_grad():
    distance = (own(x, mask) - theirs(x, src_key_padding_mask=~mask))[mask].abs().max()
print(f"PyTorch's own layer and yours, at tokens: largest distance {float(distance):.0e}")

# %% [markdown]
# Now the masked model of lesson 12. Its blocks were PyTorch's. Take them out, put yours in with the same weights, and let it read.

# %%
torch.manual_seed(0)
mini = MaskedLM(MaskedLMOptions(words=500)).eval()
ids = torch.randint(500, (4, 12))
everything = torch.ones_like(ids, dtype=torch.bool)
with torch.no_grad():
    scores = mini.scores(mini(ids, everything))
    exchange_blocks(mini, nn.ModuleList(Block(64, 4) for _ in range(2)))
    yours = mini.scores(mini(ids, everything))
print(f"largest distance {float((scores - yours).abs().max()):.0e}")

# %% [markdown] slide="slide"
# ## 6. Far, and long
#
# Back to section 1, with your block and with a sceptic. The sceptic says three things. *"Your LSTM starts with its forget gates half shut. Open them."* *"Train it longer."* And: *"Who needs attention? The way is short for anything that adds all words up."* So there are three more readers: an LSTM whose forget gates start open, LSTMs trained four times as long, and a **sum of all tokens** that knows nothing of queries and keys. All have 12,000 to 16,000 weights.

# %%
predict(
    "sum",
    "Which reader comes second, after attention, when 16 words of chatter stand in between?",
    options=["LSTM", "LSTM, forget gate open", "sum of all tokens"],
)

# %% slide="subslide"
stored = stored_result("attention_distance")
by_distance = stored.numbers["accuracy"]
distance_curves(by_distance)

# %%
stored

# %%
at_16 = {name: points["16"]["mean"] for name, points in by_distance.items() if name != "attention"}
for name, point in stored.numbers["trained 4 times as long, distance 16"].items():
    print(f"{name}, 16 words, trained four times as long: {100 * point['mean']:.0f} %")
outcome("sum", max(at_16, key=at_16.get))

# %% [markdown]
# Read the figure from left to right. All four get the same facts and the same questions; only the way grows. The plain LSTM is at chance with 16 words in between, and four times the training does not change that: no signal comes back over so many half-shut gates. Open gates do help. With four times the training they carry the fact over 16 words in most texts. So an LSTM *can* keep a fact that long. It must be told to, and it pays for every step of the way.
#
# The sum has a short way, too, and with equal training it beats both LSTMs. A good part of the advantage has nothing to do with queries and keys. But a sum takes home everything: the more chatter, the fainter the fact. Attention has the short way **and** the aim. Even so, it is not free. With 64 words of chatter it has not found every fact after 600 batches, since at the start it, too, looks at everything a little.

# %% slide="subslide"
torch.manual_seed(0)
reader = recall.Attentive(block=Block)
recall.train_to_recall(reader, 16, 300, progress=True)
print(f"Your block, 16 words of chatter: {100 * recall.recall_accuracy(reader, 16):.0f} % right")

# %% [markdown]
# ### And the bill?
#
# Every place looks at every place: $T^2$ scores. An LSTM takes $T$ steps. So attention must lose when texts are long. But its scores wait for nobody, while an LSTM's step waits for the one before. On one processor core, where is the crossing?

# %%
predict(
    "cross",
    "One text, D = 128: from which length on is your block slower than an LSTM of as many weights?",
)

# %% slide="subslide"
lengths = (16, 32, 64, 128, 256, 512, 1024)
own = Block(128, 4)
readers = {
    "your block": lambda x: own(x, torch.ones(x.shape[:2], dtype=torch.bool)),
    "LSTM": nn.LSTM(128, 166, batch_first=True),
}
times = reading_times(readers, lengths, 128)
time_curves(lengths, times)

# %%
outcome("cross", where_they_cross(lengths, times["your block"], times["LSTM"]))

# %% [markdown]
# Below the crossing your block keeps up or is faster, although it computes more: its products are few and large, while an LSTM must finish one small step before the next. From there on $T^2$ wins, and it wins against attention. Twice the length, four times the scores. Where the lines cross depends on $D$ and on the machine; that they cross does not. On a graphics card, with thousands of multipliers, waiting costs more and counting less, so there the crossing should lie further out. (We have not measured that.)
#
# BERT and GPT read at most 512 tokens, and BERT did nine tenths of its training steps at length 128 (appendix A.2). *"The Transformer has solved long texts"* is half of the truth: it has shortened the long **way**, and made the long **text** dear.

# %% [markdown] slide="slide"
# ## 7. One mask changed
#
# BERT reads both sides. GPT, of the same year, writes: it predicts the next word, as your language models of lessons 03 and 07 did. Its block is yours. What must change?
#
# Here is a model of the next word: vectors for words and for places, two blocks, and a softmax that shares the table of words. First with blocks that look to both sides, unchanged. It learns from sentences of real text with 1,000 words, all others are `<unk>`.

# %%
TEXT = small_text(train=6_400, held_out=200, words=1_000)
V, LONGEST, STEPS = len(TEXT.vocabulary), 24, 240
unigram, pairs = (TEXT.ngram(TEXT.held_out, order) for order in (1, 2))
print(f"Held-out perplexity: counts of words {unigram:.1f}, counts of pairs {pairs:.1f}")

# %%
predict(
    "both",
    "Perplexity of the next word, with blocks that look to both sides?",
)


# %% slide="subslide"
def model_of(block, seed=0):
    """A model of the next word with two of these blocks."""
    torch.manual_seed(seed)
    return CausalLM(V, longest=LONGEST, block=block)


peeking = model_of(Block)
curves = {"both sides": learn_next_words(peeking, TEXT, STEPS)}

# %%
outcome("both", float(curves["both sides"][-1]))

# %% [markdown]
# Below the counts of pairs after so few sentences, on text that it has never seen? You know this miracle from lesson 07. The word to predict stands one place on, and every place may look there. A perplexity is worth nothing while the model can see its answer.

# %% [markdown] exercise="only_back"
# ### Exercise 5. One mask changed
#
# Write `only_back(mask)` to take the place of `both_sides`. A place may look at itself and at the tokens before it. `mask` (B, T) is True at tokens, which stand before the padding. Return True and False, (B, T, T). No row may be closed everywhere, not even a row of padding.


# %% exercise="only_back"
def only_back(mask):
    """(B, T, T): a place may look at the tokens up to itself."""
    ### BEGIN SOLUTION
    places = mask.shape[1]
    back = torch.ones(places, places, dtype=torch.bool).tril()
    return mask[:, None, :] & back
    ### END SOLUTION


# %% check="only_back"
check("only_back", only_back)

# %% [markdown] hints="only_back"
# nudge: Write the table for three places on paper, a row for each place that looks. Where are its ones?
#
# idea: `torch.tril` keeps the lower triangle with the diagonal. Both must hold: it is a token, and it does not stand ahead.
#
# outline: A triangle of True, (T, T). And it with `mask[:, None, :]`, (B, 1, T).

# %% slide="subslide"
only_back = or_reference("only_back", only_back)


def backward_looking(dim, heads):
    """Your block, looking back only."""
    return Block(dim, heads, only_back)


writer = model_of(backward_looking)
torch.manual_seed(0)
others = {"only back": writer, "LSTM": RecurrentLM(V)}
curves |= {name: learn_next_words(model, TEXT, STEPS) for name, model in others.items()}
level = np.ones(len(curves["LSTM"]))
plots.curves(
    STEPS / len(level) * np.cumsum(level),
    curves | {"counts of pairs": pairs * level},
    title="Looking back only, it is an honest model of the next word (one run each)",
    xlabel="batches of 32 sentences",
    ylabel="held-out perplexity",
    log_y=True,
)

# %% slide="subslide"
short = next(s for s in TEXT.held_out if len(s) == 6)
numbers, other = TEXT.numbers([short])[0][0], V - 1
models = {"both sides": peeking, "only back": writer}
tables = {name: broken_attention.reach(model, numbers, other) for name, model in models.items()}
reach_tables(tables, ["<S>", *short, "</S>"], title="One mask changed: nobody looks ahead")

# %% [markdown]
# Now it is honest, and its perplexity is that of a small model again. The LSTM beside it has as many weights, and has read the same sentences in the same order at the same learning rate. Keep the gap between the two in mind. It comes back under *Myth or measured?*

# %% [markdown] exercise="continue_text" slide="subslide"
# ### Exercise 6. Let it write
#
# Write `continue_text(model, ids, most, stop, longest, temperature, draw)`. `model` maps word numbers (1, T), T at most `longest`, to scores of the next word at each place, (1, T, V). `ids` is a list of word numbers, the beginning. Draw up to `most` words after it, each from what stands before it; the word `stop` ends the text and is kept. Of a longer text, the model reads the last `longest` words. `draw` takes chances (V,) and returns the number of one word; before the softmax, the scores are divided by `temperature`. Return the list: the beginning and what was drawn.


# %% exercise="continue_text"
def continue_text(model, ids, most, stop, longest, temperature, draw):
    """The beginning and what the model writes after it, word numbers."""
    ### BEGIN SOLUTION
    text = list(ids)
    for _ in range(most):
        with torch.no_grad():
            scores = model(torch.tensor([text[-longest:]]))[0, -1]
        text.append(draw((scores / temperature).softmax(-1)))
        if text[-1] == stop:
            break
    return text
    ### END SOLUTION


# %% check="continue_text"
check("continue_text", continue_text)

# %% [markdown] hints="continue_text"
# nudge: Which of the T rows of scores speaks about the word that is not there yet? What does the model read in the second round?
#
# idea: The last row, `[0, -1]`. Keep one list and append to it; the model reads its last `longest` words each time.
#
# outline: Copy the list. At most `most` times: scores of the last place, divided, softmax, draw, append; stop if it was `stop`.

# %% slide="subslide"
continue_text = or_reference("continue_text", continue_text)


def draw(chances):
    """A word by its chance; never <unk>."""
    return int(torch.multinomial(chances.index_fill(0, torch.tensor(0), 0.0), 1))


def show(name, model, vocabulary, beginning, lines=2):
    """What a model writes after a beginning."""
    stop = vocabulary.id("</s>")
    begun = [stop, *vocabulary.encode(beginning)]
    for _ in range(lines):
        text = continue_text(model, begun, 24, stop, 24, 0.7, draw)
        print(f"{name}:", *vocabulary.decode(text[1:]))


torch.manual_seed(1)
show("untrained", model_of(backward_looking), TEXT.vocabulary, ["the"])
show("yours", writer, TEXT.vocabulary, ["the"])

# %% [markdown]
# Words that go together, and hardly a sentence: it has seen little, and many of its words were `<unk>`. Now put the weights of a longer run into **your** block: three layers, trained on the speeches that presidents of the United States gave to Congress, 1945 to 2006 (`elmo_mini/data/course_causal_lm/README.md`).

# %% slide="subslide"
president, its_words = load_causal_lm(block=backward_looking)
torch.manual_seed(2)
for beginning in ("we must", "the american people", "our economy"):
    show("your block", president, its_words, beginning.split())

# %% [markdown]
# That is your block speaking, drawn word by word with your code. It has the tone, and no thought behind it.
#
# GPT is this, larger: 12 blocks with 12 heads and 768 numbers, which read some 7,000 books a hundred times over. BERT-large has 24 blocks with 16 heads and 1,024 numbers, and looks to both sides. Both learn their vectors for places, as yours does. The paper of 2017 wrote sines and cosines in that place.

# %% [markdown] slide="slide"
# ## 8. Three broken runs
#
# Four runs of the next-word model, 240 batches each. One is sound. A, B and C have one fault each, from this list:
#
# 1. every place looks to both sides
# 2. the heads are cut with `reshape`, without turning the axes
# 3. places are closed after the softmax, not before
# 4. the scores are not divided
# 5. each state is asked for the word that it has just read
# 6. the learning rate is a hundred times too small
#
# You see how each run ends, its table, and two numbers about the untrained heads: how large the largest share of a row is on average, and what a row of shares adds up to.

# %% slide="subslide"
runs = broken_attention.four_runs(TEXT, numbers, LONGEST, STEPS)
plots.bars(
    list(runs),
    {"perplexity": [run.perplexity for run in runs.values()]},
    title="How the four runs end (one run each)",
    ylabel="held-out perplexity",
    level=("counts of pairs", pairs),
)

# %% slide="subslide"
tables = {name: run.reach for name, run in runs.items()}
reach_tables(tables, ["<S>", *short, "</S>"], title="The four runs")

# %% [markdown] exercise="broken_heads"
# ### Exercise 7. Three broken runs
#
# Which run has which fault? Return a dict with the number of each: `{"A": ..., "B": ..., "C": ...}`.


# %% exercise="broken_heads"
def broken_heads():
    """The number of each run's fault."""
    ### BEGIN SOLUTION
    return {"A": 2, "B": 3, "C": 4}
    ### END SOLUTION


# %% check="broken_heads"
check("broken_heads", broken_heads)

# %% [markdown] hints="broken_heads"
# nudge: Compare the sound run's table with each of the others. One lacks grey places, one has crosses.
#
# idea: A cross means that a place has learnt something from ahead. That can come through what it takes home, or through what its shares are divided by. What do the rows of shares say?
#
# outline: Holes in the table: places that may look and do not. Crosses with rows that do not add up to 1. A clean table and a sound loss, but large shares from the start.

# %% [markdown] model_answer="broken_heads"
# **A** has holes: places stand still that a word behind them may move. `reshape` has cut the sentence into stretches, one for each head, so that nobody sees beyond its own stretch. The perplexity hardly tells, and names no cause. **B** has crosses. Closed places get no share, and yet the future comes in: each share was divided by a sum that counts the closed places, too. A row that does not add up to 1 gives it away. The perplexity does not: if anything, it looks like progress. **C** looks sound in table and perplexity. Only its shares are too large from the start: the scores were not divided. With 16 numbers a head this costs nothing that we can see here. With many more it costs the slope (section 3).

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"Many studies have shown that the Transformer extracts features far better than the LSTM."*
#
# You find this in many accounts of how BERT came about, without a source. Two measurements belong beside it.
#
# **The published one.** The paper on GPT took its whole recipe, pretraining and fine-tuning, and put an LSTM in place of the Transformer (its table 5): the average over its tasks fell from 74.7 to 69.1. Pretraining itself was worth more: without it, 59.9. So the difference is real, with 7,000 books and one recipe, which was the Transformer's own.
#
# **Yours.** In section 7, blocks and LSTM learnt at one rate, which somebody chose. A sceptic gives each model the better of two rates, chosen on sentences that judge nothing else, and three seeds.

# %%
predict(
    "fair",
    "Each at its better rate, three passes over 6,400 sentences: how many points of perplexity are the blocks ahead?",
)

# %% slide="subslide"
fair = stored_result("attention_language_model")
found = fair.numbers["perplexity"]
interval_bars(
    [f"{int(n):,} sentences" for n in found["LSTM"]],
    {name: list(points.values()) for name, points in found.items()},
    times=1,
    title="Each at its better rate, the blocks lead by little (three seeds)",
    ylabel="held-out perplexity",
)

# %%
fair

# %%
blocks, lstms = (np.array(found[name]["6400"]["values"]) for name in found)
ahead = interval(lstms - blocks)
print(f"section 7: {curves['LSTM'][-1] - curves['only back'][-1]:.1f} points ahead")
print(f"seed by seed: {ahead['mean']:.1f} ({ahead['low']:.1f} to {ahead['high']:.1f}) points ahead")
outcome("fair", ahead["mean"])

# %% [markdown]
# In section 7 the blocks were well ahead. With a rate of its own, three times that of the blocks, and three passes in place of one, the LSTM comes within a point. (Both rates stand at the end of the range that was tried, and the interval is over seeds alone. Whether the last point would go, too, we do not know.)
#
# **Verdict: half a myth.** "Far better" was measured at one size, with one recipe. At ours most of it went with a better rate and more passes. What attention brings for sure is in sections 1 and 6: a short way between any two words, an aim, and no waiting. These pay where there is much text and much machinery.

# %% [markdown] slide="slide"
# ## Recap
#
# - A head: queries meet keys, a softmax makes shares, the shares mix the values.
# - A dot product of $d$ random numbers strays by √d. Divided by √d, the softmax keeps its slope.
# - Heads are stretches of $D$, cut and turned: (B, T, D) to (B, A, T, d). `reshape` alone mixes up the places and raises no error.
# - A block looks around, then thinks alone, and adds both to what was there. Yours is PyTorch's, up to rounding.
# - Attention has a short way and an aim. A plain sum has the short way alone, and beats an LSTM with it. An LSTM with open gates and more training catches up much of it.
# - Time grows with $T^2$. Short texts are cheap, long ones dear.
# - Close a pair **before** the softmax. One mask makes a reader of both sides into a writer.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A hospital wants to sort letters of up to 4,000 words by urgency. There are 300 labelled letters, 20,000 without labels, and one computer without a graphics card. A colleague says: *"Attention has replaced the LSTM, so we train a Transformer."* **Which of this lesson's measurements speak for the colleague, and which against? Name one thing that you would measure before you decide, and what would change your mind.** Five to eight sentences.

# %% [markdown] discussion="lstm_or_blocks" points=3
# **Rubric, 3 points.** 1 for the length: $T^2$, the crossing that was measured, and that cutting letters or reading them in pieces is a way out. 1 for the evidence at small size: no lead of blocks over LSTMs on little text, and that pretraining or a pretrained model matters more than the architecture (GPT's table 5). 1 for a measurement with a baseline (a bag of words, the sum of section 6) and an outcome that would change the decision. 0.5 of it for a measurement without a baseline.

# %% [markdown] model_answer="lstm_or_blocks"
# For the colleague speaks the way: a symptom in line three and a drug on page four are one step apart for attention and some thousand steps for an LSTM, and section 6 shows how an LSTM loses a fact on the way. Against speaks the bill. Four thousand words lie far beyond the crossing that we measured, and $T^2$ is then sixteen million scores for each head. Letters can be cut into pieces, but then the short way ends at the cut. Against speaks also the size: with little text, blocks led an LSTM by a point of perplexity at best, and GPT's own table says that pretraining brought more than twice as much as the architecture. Perhaps urgency hangs on a few words; then a sum of all words sees them, however far apart they stand.
#
# So I would first measure a bag of words with logistic regression on the 300 letters, by cross-validation, and next to it an LSTM and a block that were pretrained on the 20,000 letters, five seeds each. If the block on cut letters does not beat the bag by more than the interval over letters, there is no reason to pay for it.

# %% [markdown]
# ## If you have time: does it know the order?
#
# Swap the first two words of a sentence. Does the state of the last word notice? Your block adds up values by shares, and a sum has no order. That is why models add vectors for places to the words. But look at the second block.

# %%
predict(
    "order",
    "No vectors for places, two blocks that look back only: does the last state notice the swap?",
    options=["yes", "no"],
)

# %%
torch.manual_seed(0)
sentence, everybody = torch.randn(1, 6, 64), torch.ones(1, 6, dtype=torch.bool)
swapped, noticed = sentence[:, [1, 0, 2, 3, 4, 5]], {}
for look in (both_sides, only_back):
    first, second = Block(64, 4, look), Block(64, 4, look)
    with torch.no_grad():
        ends = [second(first(x, everybody), everybody)[0, -1] for x in (sentence, swapped)]
    noticed[look.__name__] = float((ends[0] - ends[1]).abs().max()) > 1e-4
print(noticed)
outcome("order", "yes" if noticed["only_back"] else "no")

# %% [markdown]
# To both sides, a sentence without places is a bag of words. With one mask it is not: after the first block the second word has seen the first, and the first has not seen the second. Who has seen whom tells the order.

# %% [markdown]
# ## Further reading
#
# - Vaswani and others, [Attention is all you need](https://arxiv.org/abs/1706.03762): sections 3 and 4 are this lesson; table 1 there has path lengths and costs of each kind of layer.
# - Bahdanau, Cho and Bengio, [Neural machine translation by jointly learning to align and translate](https://arxiv.org/abs/1409.0473), 2014: attention beside an LSTM's cousin, three years earlier; lesson 04 has its kind.
# - In the package: `elmo_mini/transformer/attention.py` and `elmo_mini/transformer/block.py` are this lesson in plain code; `elmo_mini/transformer/causal_lm.py` is the model of the next word. `python -m elmo_mini.experiments.attention distance` repeats the figure of section 6.
#
# Next: **14 · A hundred labels.**
