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
# An LSTM hands everything it knows from word to word through one state. **Self-attention** lets every word of a text look straight at every other. Here you build it, from one head to the block of which BERT and GPT are made. Your block takes the place of PyTorch's in lesson 12's masked model. Then you change one line, and the same block writes text.

# %%
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from course.attention import beside_pytorch, broken_attention, figures, next_words, recall, report
from course.attention.block_diagram import block_diagram
from course.attention.permutation import notices_a_swap
from course.attention.reading_time import block_and_lstm, where_they_cross
from course.attention.unscaled_attention import learning_with, slopes, taken_apart
from course.figures import plots
from course.results.intervals import interval
from course.results.stored import stored_result
from course.texts.small_text import small_text
from elmo_mini.transformer import causal_lm
from elmo_mini.transformer.causal_lm_file import load_causal_lm

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

# %% tags=["road"]
plots.road("13")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - write an attention head, several heads and the block, and show that they are PyTorch's,
# - derive why scores are divided by √d, and say what happens if they are not,
# - turn an encoder, which reads both sides, into a decoder, which writes, by changing one mask,
# - tell from its symptoms what is wrong with a model of blocks,
# - say what a short way is worth, against the LSTM and against a baseline with no attention at all.
#
# ## The papers
#
# **The Transformer**: Vaswani and others, *Attention is all you need*, NIPS 2017, [arXiv:1706.03762](https://arxiv.org/abs/1706.03762), sections 3 and 4. **GPT**: Radford and others, *Improving language understanding by generative pre-training*, 2018. **BERT**: [arXiv:1810.04805](https://arxiv.org/abs/1810.04805), section 3.
#
# Plan 90 minutes, 110 with second tries; write the essay at home. Short of time? Read exercise 2 with its model answer, and save 10. Optional sections follow, 53 minutes in all, with exercises 7 and 8.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B$ | sentences in a batch | $q_t$ | query: what position $t$ asks |
# | $T$ | positions in a sentence | $k_s$ | key: what position $s$ can be found by |
# | $D$ | numbers in the state of a position | $v_s$ | value: what position $s$ has to give |
# | $A$ | heads | $a_{ts}$ | attention weight: how much position $t$ takes from position $s$ |
# | $d$ | numbers of one head, $D / A$ | $V$ | words in the vocabulary |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes, for somebody who passes most checks soon: opening 3; section 1, 4; section 2, 12; section 3, 16; section 4, 19; section 5, 10; section 6, 12; section 7, 11; recap, 3. That is 90. The essay takes 6, at home. Then, each for itself: the model written and writing 30, is it the attention 5, the bill 5, order 3, slope 4, myth 6. Students get stuck in exercise 3 on the axes: let them write the four letters B, A, T, d on paper and say after each line which axis is which. Whoever uses `view` where a `transpose` is missing gets no error; the check names it, and section 7 shows what it costs. In exercise 7 the shift is what goes wrong: write `<S> dogs bark </S>` on the board and draw an arrow from each position to the word that it must say.

# %% [markdown] slide="slide"
# ## 1. A question about something far back
#
# Four facts, some chatter, and a question about one of the facts. Letters, values and chatter are drawn anew for every text. There are eight values, so 1 answer in 8 is right by chance.
#
# Three models race: an LSTM, attention, and a **plain sum**, a sceptic's control. It adds up the vectors of all words: every word is one step away, too, but no question changes the sum. (A layer behind it reads the sum and the question.) The race takes ten to twenty seconds.

# %%
one, its_answer = recall.some_texts(1, 12)
print(*recall.in_words(one[0]), " answer:", int(its_answer))

# %%
predict(
    "far", "16 words of chatter, 300 batches: how many answers will an LSTM get right?", unit="%"
)

# %% slide="subslide"
readers = {"LSTM": recall.Recurrent, "plain sum": recall.Bag, "attention": recall.Attentive}
right = recall.race(readers, 16, 300)
figures.recall_bars(right, 1 / recall.VALUES)

# %%
outcome("far", 100 * right["LSTM"], unit="%")

# %% [markdown]
# All have read the same texts. To the LSTM the fact is 17 to 20 steps away, and each step passes it through gates. To attention it is one step away, like everything else. So after 300 batches part of the lead is the short way alone. The rest is **aim**: choosing where to look. (Section 9 goes on: more chatter, more training, LSTMs that start with open gates.) Now build it.

# %% [markdown] slide="slide"
# ## 2. One head
#
# Think of a room full of people. Everybody wears a badge, the **key**, and holds a note, the **value**. You come in with a question, the **query**. You compare your question with every badge. Then you copy a little from each note, most from those whose badges fit best. That is all.
#
# "Fits" is a dot product. "A little from each" is a softmax: it gives the attention weights $a_{ts}$ (as in lesson 04), by which the values are mixed:
#
# $$a_{ts} = \operatorname*{softmax}_{s} \left( \frac{q_t \cdot k_s}{\sqrt{d}} \right) \qquad\qquad \text{found}_t = \sum_{s=1}^{T} a_{ts}\, v_s$$
#
# This is **scaled dot-product attention**, equation 1 of the paper. In a sentence everybody asks at once: each position has a query, a key and a value, so $T$ positions make $T^2$ scores. That a text asks itself is the *self* in self-attention. Where one text asks another, as the decoder of lesson 04 asked the encoder's states, it is **cross-attention**: the same equation, with keys and values from elsewhere. Some pairs are closed, or *masked*. Nobody may copy from padding, for example.

# %% [markdown] exercise="one_head"
# ### Exercise 1. One head
#
# Write `one_head(q, k, v, allowed)`. The last two axes of `q` are (T, d), those of `k` (S, d), those of `v` (S, e): T positions ask S positions, and a value has e numbers. Axes in front, such as sentences and heads, are the same for all three. `allowed` (..., T, S) is True where a position (row) may look at a position (column). An axis in front of it may have size 1: one table for all heads.
#
# Return two tensors: the output, what each position takes home, (..., T, e), and the attention weights, (..., T, S). Each row of weights adds up to 1, and a closed pair has a weight of exactly 0. (No row is closed everywhere.)


# %% exercise="one_head"
def one_head(q, k, v, allowed):
    """The output of each position (..., T, e), and the attention weights (..., T, S)."""
    ### BEGIN SOLUTION
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
    shares = scores.masked_fill(~allowed, -torch.inf).softmax(-1)
    return shares @ v, shares
    ### END SOLUTION


# %% check="one_head"
check("one_head", one_head)

# %% [markdown] hints="one_head"
# nudge: Draw the table of scores for two positions that ask and three that answer. Which axis does the softmax run over? When must a pair be closed, before it or after it?
#
# idea: `k.transpose(-2, -1)` turns the last two axes, however many stand in front. `masked_fill(where, value)` writes where `where` is True, and stretches an axis of size 1, as an index does not. A score of minus infinity gets a weight of 0.
#
# outline: Scores: `q @` the turned keys, divided by the root of the last size of k. Close the pairs that are not allowed. Softmax over the last axis gives the attention weights. Return weights times v, and the weights.

# %% [markdown]
# PyTorch has the same in one call, `functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)`; it keeps the attention weights to itself.
#
# Your head needs no training if you write badges and notes yourself. A fact's badge is its letter: eight numbers, one of them large. Its note is its value: eight numbers, one of them 1. The question's query is the badge that it asks for. Chatter has an empty badge and an empty note.

# %% slide="subslide"
one_head = or_reference("one_head", one_head)
badge, note = torch.zeros(2, recall.TOKENS, 8)
fact = torch.arange(64)  # the number of a fact is 8 times its letter plus its value
badge[fact, fact // 8] = 8.0
badge[-8:] = 8.0 * torch.eye(8)  # the eight questions
note[fact, fact % 8] = 1.0
asked, answers = recall.some_texts(1_000, 64)
found, _ = recall.question_asks(one_head, asked, badge, note)
share = float((found[:, 0].argmax(-1) == answers).double().mean())
print(f"{share:.0%} of 1,000 right, 64 words of chatter, nothing trained")

# %% [markdown]
# Why an 8? It makes a badge loud. A fitting badge scores $8 \cdot 8 / \sqrt{8} \approx 23$, all others 0. With a 1 it would score 0.35, and barely stand out among the 16 words of section 1's text:

# %% slide="subslide"
looks = {
    f"badges of {loud}": recall.question_asks(one_head, one, badge * loud / 8, note)[1][0]
    for loud in (1, 8)
}
words = recall.in_words(one[0])
figures.share_tables(looks, words[:-1], asking=words[-1:], title="Where the question looks")

# %% [markdown]
# Training has only one thing to add: it finds keys, values and queries itself. They come from three linear layers, applied to the state of each position.

# %% [markdown] slide="slide"
# ## 3. Why the root of d?
#
# Large keys make a softmax sure. Too sure is bad for learning. If one attention weight is 1 and the others are 0, a small change of the scores changes nothing: the gradient is 0. How large are keys before training? Then queries and keys are close to random. How far do their dot products stray, and how does that grow with $d$?

# %% [markdown] exercise="dot_moments"
# ### Exercise 2. How far a dot product strays (derive it)
#
# First with pen and paper. $q$ and $k$ have $d$ numbers each; all $2d$ are independent. The $i$-th number of $q$ has mean `q_mean[i]` and variance `q_var[i]`, and likewise for $k$. What are the mean and the variance of $q \cdot k$? The means need not be 0. You need one rule: for independent $x$ and $y$, $E[xy] = E[x]\,E[y]$.
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

# %% [markdown]
# Compare your formula with 10,000 random pairs, with means of 0 and variances of 1.

# %%
dot_moments = or_reference("dot_moments", dot_moments)
torch.manual_seed(0)
for d in (16, 64, 256):
    q, k = torch.randn(2, 10_000, d)
    _, variance = dot_moments(np.zeros(d), np.ones(d), np.zeros(d), np.ones(d))
    print(f"d = {d}: root of yours {variance**0.5:.1f}, drawn {float((q * k).sum(-1).std()):.1f}")

# %% [markdown]
# Their standard deviation is √d: each of the $d$ terms adds a variance of 1. Divided by √d, it is 1 **whatever d is**. (A fresh head's queries and keys are smaller than these, but the rule is the same.) The paper gives this reason in a footnote of section 3.2.1.
#
# Training ends that. Here is the first head of each block of section 6's president: all queries against all keys.

# %%
report.print_trained_moments(dot_moments)

# %% [markdown]
# The means are no longer 0. (Over all pairs your rule for them is exact.) The spread is one and a half times yours, or twice. You added variances, which needs independence, and a trained query's numbers vary together. So √d is a rule for the start.
#
# Does it matter for learning? Your head learns the task of section 1, alone: queries, keys and values from a table of words, one linear layer for the answer. It learns once as you wrote it and once undivided, with 16, 64 and 128 numbers. This takes ten seconds to half a minute.

# %%
predict("root", "Undivided, 128 numbers, 150 batches: how many answers will be right?", unit="%")

# %% slide="subslide"
learnt_with = learning_with(one_head, (16, 64, 128))
figures.division_bars(learnt_with)

# %%
outcome("root", learnt_with["not divided"]["128"]["mean"], unit="%")

# %% [markdown]
# With 16 numbers neither has learnt much yet, and the division makes no difference that we can see. A larger head learns faster if its scores are divided; undivided, it has learnt far less after as many batches. Is it the start alone? Undivided, the same step in the weights also moves a score √d times as far (section 12).

# %% [markdown] slide="slide"
# ## 4. Several heads
#
# One head takes home one mixture. A word may need several things at once: its verb, its article, the name that it stands for. In **multi-head attention** the $D$ numbers are cut into $A$ heads of $d = D / A$ numbers. Each asks its own question. Then join what they found, and mix it with one more linear layer. The work stays about the same (the paper's section 3.2.2).

# %% [markdown] exercise="MultiHead" slide="subslide"
# ### Exercise 3. Several heads
#
# Write the `forward` of this class. Its four linear layers stand there.
#
# `forward(x, allowed)` takes states (B, T, D) and who may look where, (B, T, T), the same for all heads. Each head gets a stretch of $d$ neighbouring numbers of the queries, of the keys and of the values: head 0 the first $d$, and so on. What the heads find is joined in the same order, and goes through `self.out`. Return it, (B, T, D), and the attention weights of all heads, (B, A, T, T). Use your `one_head`.


# %% exercise="MultiHead"
from torch import nn


class MultiHead(nn.Module):
    """Several heads side by side."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x, allowed):
        """(B, T, D) and (B, T, T) to (B, T, D) and the attention weights (B, A, T, T)."""
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
# PyTorch's class is `nn.MultiheadAttention`. With `need_weights=True` it returns the attention weights, too. Its `attn_mask` is True where a position may **not** look. Put its weights into yours, and compare the multi-head attention of both.

# %% slide="subslide"
MultiHead = or_reference("MultiHead", MultiHead)
for name, distance in beside_pytorch.heads_beside_pytorch(MultiHead).items():
    print(f"{name}: largest distance {distance:.0e}")

# %% [markdown] slide="slide"
# ## 5. The block
#
# A block does two things. First everybody **looks around**: several heads. Then each position **thinks alone** in a **feed-forward layer**: a linear layer to $4D$ numbers, a GELU (a softened ReLU), and a linear layer back to $D$. Neither replaces the state. Each is **added** to what was there: a residual connection, as ELMo's (lesson 07), is the way past everything. After each sum comes **layer normalisation**. It brings the $D$ numbers of a position back to mean 0 and variance 1; the model may then stretch and shift them.
#
# A norm after each sum is called **post-norm**, as in the paper, in GPT and in BERT. Most later models are **pre-norm**: the norm stands before the attention and before the feed-forward layer, and the sum is left alone, so that the gradient has a way back that no norm bends. Post-norm needs the warm-up of lesson 14 more than pre-norm does. In training all of them also use dropout (lesson 10) on what attention and the feed-forward layer bring; your block leaves it out.

# %% slide="subslide"
block_diagram()

# %% [markdown]
# Who may look where depends on the model, so the block is told: `look` takes the mask of tokens (B, T) and gives the attention mask (B, T, T). Blocks that read both sides are an encoder; it closes only the columns of padding. That is `both_sides`, the default; it stands in the cell below.


# %% [markdown] exercise="Block"
# ### Exercise 4. The block
#
# Write the class. Its parts: `self.attention`, your `MultiHead`; `self.wide`, linear from D to 4 D; `self.narrow`, linear from 4 D to D; `self.norm_1` and `self.norm_2`, an `nn.LayerNorm` for each sum. `look(mask)` says who may look where. The GELU is `functional.gelu`. `forward(x, mask)` takes states (B, T, D) and the mask of tokens (B, T), True at tokens. It returns the new states, (B, T, D).


# %% exercise="Block"
from torch import nn
from torch.nn import functional


def both_sides(mask):
    """(B, T, T): every position may look at every token."""
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
# nudge: Follow the drawing from left to right. What goes into each sum, and what comes right after it?
#
# idea: `self.attention(x, self.look(mask))` gives two things, and you need the first. The first sum adds it to x. What comes out of the first norm is the x of the second half.
#
# outline: `x = norm_1(x + found)`; then wide, GELU, narrow on this x; `norm_2` of x plus that.

# %% [markdown]
# Compare it with PyTorch's own layer, `nn.TransformerEncoderLayer`. It is post-norm, too, unless you say `norm_first=True`, and its `src_key_padding_mask` is True at padding. Then take the larger masked model of lesson 12. Put your blocks in the place of PyTorch's, with the same weights, compare the scores, and let it fill a blank. Last, send your block into the race of section 1.

# %% slide="subslide"
Block = or_reference("Block", Block)
print(f"one layer: largest distance {beside_pytorch.block_beside_pytorch(Block):.0e}")
blank = "he has been there for ten [MASK] ."
apart, filled = beside_pytorch.masked_model_beside_pytorch(Block, blank)
print(f"the scores of the masked model: {apart:.0e}. He has been there for ten ... {filled}")
own = recall.race({"your block": lambda: recall.Attentive(block=Block)}, 16, 300)
print(f"16 words of chatter, 300 batches: {100 * own['your block']:.0f} % right")

# %% [markdown] slide="slide"
# ## 6. A model of the next word
#
# BERT reads both sides: it is **encoder-only**. GPT, of the same year, writes: it predicts the next word from those before it, as your language models of lessons 03 and 07 did. Such a model is **autoregressive**, and **decoder-only**: a decoder with no encoder to ask. Its block is yours. Around the block there is little: word and position embeddings before it, the logits of the words after it. That part is the course's here (`elmo_mini/transformer/causal_lm.py`); section 8 lets you write it.
#
# Train it with your loop of lesson 07, on sentences of real text with 1,000 words, all others `<unk>`. The opponent is counts of pairs, smoothed as in lesson 03, so that an unseen pair keeps some probability. First with blocks that look to both sides, as they are.

# %%
fit = mine("fit")
TEXT = small_text(train=6_400, held_out=200, words=1_000)
V, LONGEST, STEPS, RATE = len(TEXT.vocabulary), 24, 480, 2e-3
unigram, pairs = (TEXT.ngram(TEXT.held_out, order) for order in (1, 2))
print(f"Held-out perplexity: counts of words {unigram:.1f}, counts of pairs {pairs:.1f}")


def model_of(block):
    """A model of the next word with two of these blocks."""
    torch.manual_seed(0)
    return causal_lm.CausalLM(V, 64, 4, 2, LONGEST, block)


def learn(model):
    """Your loop, and the held-out perplexity on the way."""
    watch = next_words.Watch(model, TEXT, STEPS)
    batches = next_words.batches(TEXT, STEPS, progress=True)
    # `fit` is made for two directions and wants a loss of each.
    fit(model, lambda batch: model.loss(*batch).expand(2), batches, RATE, watch)
    return watch.perplexity


# %%
predict("both", "Perplexity of the next word, with blocks that look to both sides?")

# %% [markdown]
# This takes ten to twenty seconds.

# %% slide="subslide"
peeking = model_of(Block)
curves = {"both sides": learn(peeking)}
print("After each eighth of the batches:", *(f"{p:.1f}" for p in curves["both sides"]))
outcome("both", curves["both sides"][-1])

# %% [markdown]
# Far below the counts of pairs after so few sentences, on text that it has never seen? You know this miracle from lesson 07. The word to predict stands one position on, and every position may look there. It does not start near 1, because even copying must be learnt. A head has to find the next position, and the state has to say which word stands there. The longer it trains, the nearer to 1 it comes. A perplexity is worth nothing while the model can see its answer.

# %% [markdown] exercise="only_back"
# ### Exercise 5. One mask changed
#
# What a decoder needs is a **causal mask**: a position may look at itself and at the tokens before it. Write `only_back(mask)` to take the place of `both_sides`. `mask` (B, T) is True at tokens, which stand before the padding. Return True and False, (B, T, T). No row is closed everywhere, not even a row of padding: the first token stays open to all.


# %% exercise="only_back"
def only_back(mask):
    """(B, T, T), the causal mask: a position may look at the tokens up to itself."""
    ### BEGIN SOLUTION
    places = mask.shape[1]
    back = torch.ones(places, places, dtype=torch.bool).tril()
    return mask[:, None, :] & back
    ### END SOLUTION


# %% check="only_back"
check("only_back", only_back)

# %% [markdown] hints="only_back"
# nudge: Write the table for three positions on paper, a row for each position that looks. Where are its ones?
#
# idea: `torch.tril` keeps the lower triangle with the diagonal. Both must hold: it is a token, and it does not stand ahead.
#
# outline: A triangle of True, (T, T). Join it by `&` with `mask[:, None, :]`, (B, 1, T).

# %% [markdown]
# Train the honest one (as long again).

# %% slide="subslide"
only_back = or_reference("only_back", only_back)


def backward_looking(dim, heads):
    """Your block, looking back only."""
    return Block(dim, heads, only_back)


writer = model_of(backward_looking)
curves["only back"] = learn(writer)
print(*(f"{name}: {values[-1]:.1f}" for name, values in curves.items()), sep="\n")
figures.next_word_curves(curves, pairs, STEPS, title="One mask makes an honest model of it")

# %% slide="subslide"
short = next(s for s in TEXT.held_out if len(s) == 6)
numbers = TEXT.numbers([short])[0][0]
looking = (("both sides", peeking), ("only back", writer))
tables = {name: broken_attention.reach(model, numbers, V - 1) for name, model in looking}
figures.reach_tables(tables, ["<S>", *short, "</S>"], title="One mask changed: nobody looks ahead")

# %% [markdown]
# The table on the right is the causal mask that you wrote, read off the trained model. Counting learns a pair from one look at it. A network moves all its numbers a little with each batch, so at first it is far **worse** than the counts. One pass over Brown's 6,400 sentences is 200 batches: there the counts still lead. After 480, yours leads by a little. Without Brown there are a tenth as many sentences. Read again and again, they are learnt by heart, and the perplexity rises. Where it ends depends on how much there is to read (*Myth or measured?*).
#
# Let it write: draw a word from its logits, put it behind the text, and ask again. This is autoregressive sampling. The temperature (lesson 03) divides the logits before the draw. Near 0 the likeliest word nearly always wins, as in greedy decoding. At 1, words come as often as their probabilities say. Above 1 the rare ones gain.

# %% slide="subslide"
torch.manual_seed(1)
print("untrained")
next_words.write(causal_lm.continue_text, model_of(backward_looking), TEXT.vocabulary, "the", 0.7)
print("yours")
for temperature in (0.2, 0.7, 1.5):
    next_words.write(causal_lm.continue_text, writer, TEXT.vocabulary, "the", temperature)

# %% [markdown]
# No sentence worth keeping: it has seen little, and may not say `<unk>`, which stands for every word outside its 1,000. So put the weights of a longer run into **your** block: three layers, trained on the speeches that presidents of the United States gave to Congress, 1945 to 2006 (`elmo_mini/data/course_causal_lm/README.md`). There the blocks beat the counts of pairs by far.

# %% slide="subslide"
president, its_words = load_causal_lm(block=backward_looking)
report.print_perplexities()
torch.manual_seed(2)
for beginning in ("we must", "the american people", "our economy"):
    for temperature in (0.2, 0.7, 1.5):
        next_words.write(causal_lm.continue_text, president, its_words, beginning, temperature)

# %% [markdown]
# That is your block speaking. It has the tone, and no thought behind it. Cold, it repeats itself. Hot, it loses the thread.
#
# GPT is this decoder-only model, larger: 12 blocks, 12 heads, 768 numbers. It read some 7,000 books a hundred times over. BERT-base, encoder-only, has GPT's sizes; BERT-large has 24 blocks with 16 heads and 1,024 numbers. BERT and GPT learn their position embeddings, as this model does. The paper of 2017 had sines and cosines there (lesson 12).

# %% [markdown] slide="slide"
# ## 7. Three broken runs
#
# Four runs of the next-word model, 240 batches each, at a rate that falls to 0. One is sound. A, B and C have one fault each, from this list:
#
# 1. every position looks to both sides
# 2. the heads are cut with `reshape`, without turning the axes
# 3. positions are closed after the softmax, not before
# 4. the scores are not divided
# 5. each state is asked for the word that it has just read
# 6. the learning rate is a hundred times too small
#
# You see how each run ends, and its table. Two numbers describe the untrained heads: how large a row's largest attention weight is on average, and what a row of weights adds up to. The runs take half a minute to a minute.

# %% slide="subslide"
runs = broken_attention.four_runs(TEXT, numbers, LONGEST, 240)
figures.run_bars({name: run.perplexity for name, run in runs.items()}, pairs)

# %% slide="subslide"
tables = {name: run.reach for name, run in runs.items()}
figures.reach_tables(tables, ["<S>", *short, "</S>"], title="The four runs")

# %% [markdown] exercise="broken_heads"
# ### Exercise 6. Three broken runs
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
# nudge: Compare the sound run's table with each of the others. One lacks grey squares, one has crosses.
#
# idea: A cross means that a position has learnt something from ahead. That can come through what it takes home, or through what its attention weights are divided by. What do the rows of weights say?
#
# outline: Holes in the table: positions that may look and do not. Crosses with rows that do not add up to 1. A clean table and a sound loss, but large attention weights from the start.

# %% [markdown] model_answer="broken_heads"
# **A** has holes: positions stand still that an earlier word should move. `reshape` has cut the sentence into stretches, one for each head, so that nobody sees beyond its own stretch. The perplexity does not tell: with Brown a little worse than the sound one's, without Brown better. **B** has crosses. Closed positions get no weight, and yet the future comes in: each attention weight was divided by a sum that counts the closed positions, too. A row that does not add up to 1 gives it away. The perplexity does not: if anything, it looks like progress. **C** has a clean table, and about the sound one's perplexity (without Brown, a little above it). Its attention weights give it away: they are too large from the start, for the scores were not divided. With 16 numbers a head this costs little, if anything. With many more it costs the learning (section 3).

# %% [markdown] slide="slide"
# ## Recap
#
# - A head is scaled dot-product attention: queries meet keys, a softmax makes attention weights, the weights mix the values.
# - A dot product of $d$ random numbers strays by √d. Undivided, large heads learn far more slowly.
# - The heads of multi-head attention are stretches of $D$, cut and turned: (B, T, D) to (B, A, T, d). `reshape` alone mixes up the positions and raises no error.
# - A block is self-attention and a feed-forward layer, each with a residual connection and layer normalisation. Yours is PyTorch's, up to rounding.
# - Attention has a short way and an aim. A plain sum has the short way alone, and beats an LSTM that trains as long. (With more training: section 9.)
# - Close a pair **before** the softmax. A causal mask makes an encoder into a decoder.
# - Counts of pairs learn at one look. With more text, the blocks pass them by far.
# - A good loss proves little. Wrongly cut heads need not show in it; pairs closed too late even lower it (one run of each).

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A hospital wants to sort letters of up to 4,000 words by urgency. There are 300 labelled letters, 20,000 without labels, and one computer without a graphics card. A colleague says: *"Attention has replaced the LSTM, so we train a Transformer."* **Which of this lesson's measurements speak for the colleague, and which against? Name one thing that you would measure before you decide, and what would change your mind.** Five to eight sentences.

# %% [markdown] discussion="lstm_or_blocks" points=3
# **Rubric, 3 points.** 1 for the length: $T^2$ scores (section 2, or the crossing of section 10), and that cutting letters or reading them in pieces is a way out. 1 for the evidence at small size: with little text, counts of pairs are ahead of the blocks at first (section 6), and a sum beats LSTMs that get the same training (sections 1 and 9); or no clear lead of blocks over LSTMs (*Myth or measured?*). 1 for a measurement with a baseline (a bag of words, the sum of section 1) and an outcome that would change the decision. 0.5 of it for a measurement without a baseline.

# %% [markdown] model_answer="lstm_or_blocks"
# The short way speaks for the colleague: a symptom in line three and a drug on page four are one step apart for attention and a thousand or more for an LSTM, and section 1 shows how an LSTM loses a fact on the way. The bill speaks against. Four thousand words make sixteen million scores for each head, and lie far beyond the crossing of section 10. Letters can be cut into pieces, but then the short way ends at the cut. The size speaks against it, too: with 1,600 sentences your blocks stay behind a table of pairs, and with each at its best rate they do not lead an LSTM (*Myth or measured?*). GPT's own table says that pretraining brought more than twice as much as the architecture. Perhaps urgency depends on a few words; then a sum of all words sees them, however far apart they stand.
#
# So I would first measure a bag of words with logistic regression on the 300 letters, by cross-validation, and next to it an LSTM and a block that were pretrained on the 20,000 letters, five seeds each. If the block on cut letters does not beat the bag by more than the interval over letters, there is no reason to pay for it.

# %% [markdown] slide="slide"
# ## If you have time
#
# Each section stands alone: write the model and let it write (30 minutes); a sceptic's questions (5); the bill (5); word order (3); where the gradient goes (4); a myth (6).
#
# ## 8. Write the model, and let it write
#
# In section 6 your block stood in the course's model, and the course drew the words. Now everything is yours.

# %% [markdown] exercise="CausalLM" slide="subslide"
# ### Exercise 7. A model of the next word
#
# Write the class. `ids` (B, T) are word numbers. What enters at a position is the embedding of its word plus the embedding of the position; the first position is number 0. A layer norm brings the sum to size. Then the blocks read, each what the one before it gave. Last, each position scores each word (its logits): the dot product of its state with that word's own vector, plus a bias of the word.
#
# The parts, which get trained weights later: `self.word` and `self.place`, two `nn.Embedding`; `self.norm`; `self.blocks`, an `nn.ModuleList` of `layers` blocks, each made by `block(dim, heads)`; `self.bias`, an `nn.Parameter` of zeros. Draw both tables small, or the first scores are far from even: `nn.init.normal_(table.weight, std=0.02)`.
#
# `forward(ids, mask)` returns the scores of the next word, (B, T, V). `loss(ids, mask)` returns the mean of $-\log p(\text{next word})$, in nats, over all tokens that have a next one. Padding stands at the end of a row, and its numbers mean nothing.


# %% exercise="CausalLM"
from torch import nn
from torch.nn import functional


class CausalLM(nn.Module):
    """Word and position embeddings, blocks, and a softmax tied to the word embeddings."""

    def __init__(self, words, dim, heads, layers, longest, block):
        super().__init__()
        ### BEGIN SOLUTION
        self.word, self.place = nn.Embedding(words, dim), nn.Embedding(longest, dim)
        nn.init.normal_(self.word.weight, std=0.02)
        nn.init.normal_(self.place.weight, std=0.02)
        self.norm = nn.LayerNorm(dim)
        self.blocks = nn.ModuleList(block(dim, heads) for _ in range(layers))
        self.bias = nn.Parameter(torch.zeros(words))
        ### END SOLUTION

    def forward(self, ids, mask=None):
        """Word numbers (B, T) to scores of the next word (B, T, V); no mask: all are tokens."""
        mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        ### BEGIN SOLUTION
        x = self.norm(self.word(ids) + self.place(torch.arange(ids.shape[1])))
        for block in self.blocks:
            x = block(x, mask)
        return x @ self.word.weight.T + self.bias
        ### END SOLUTION

    def loss(self, ids, mask):
        """Mean of -log p(next word), in nats, over the tokens that have one."""
        ### BEGIN SOLUTION
        scores = self(ids, mask)[:, :-1]
        there = mask[:, 1:]
        return functional.cross_entropy(scores[there], ids[:, 1:][there])
        ### END SOLUTION


# %% check="CausalLM"
check("CausalLM", CausalLM)

# %% [markdown] hints="CausalLM"
# nudge: Follow one sentence from word numbers to scores and write the shape after each step. Where do the positions come in, and where the mask?
#
# idea: `torch.arange(T)` are the numbers of the positions. The scores are one product with the turned table of words, `self.word.weight.T`. For the loss, write *`<S>` dogs bark `</S>`* and below each position the word that it must say. Which position has nothing to say?
#
# outline: `norm` of words plus positions; each block on the last one's states, with the mask; states times the turned table, plus the bias. Loss: the scores of all positions but the last, the words of all but the first, both where `mask[:, 1:]` is True; `cross_entropy`.

# %% [markdown] exercise="continue_text" slide="subslide"
# ### Exercise 8. Let it write
#
# Write `continue_text(model, ids, most, stop, longest, temperature, draw)`. `model` maps word numbers (1, T), T at most `longest`, to scores of the next word at each position, (1, T, V). `ids` is a list of word numbers, the beginning. Draw up to `most` words after it, each from what stands before it. A drawn `stop` is kept and ends the text; a `stop` in `ids` does not. The model reads at most the last `longest` words. `draw` takes probabilities (V,) and returns the number of one word; before the softmax, the scores are divided by `temperature`. Return a new list: the beginning and what was drawn.


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
# outline: Copy the list. At most `most` times: scores of the last position, divided, softmax, draw, append; stop if it was `stop`.

# %% [markdown]
# Put the president's weights into **your** model with **your** block, and draw with **your** pen.

# %% slide="subslide"
CausalLM = or_reference("CausalLM", CausalLM)
continue_text = or_reference("continue_text", continue_text)
yours, its_words = load_causal_lm(block=backward_looking, model=CausalLM)
torch.manual_seed(3)
for beginning in ("we must", "the world"):
    next_words.write(continue_text, yours, its_words, beginning, 0.7)

# %% [markdown] slide="slide"
# ## 9. Is it the attention?
#
# Back to section 1. The sceptic says more. *"Your LSTM starts with its forget gates half shut. Open them."* *"Train it longer."* *"And put more words in between."* So there is one more model, an LSTM whose forget gates start open, and the LSTMs and the sum train longer, too. All have 12,000 to 16,000 weights, and all read 600 batches here.

# %% slide="subslide"
stored = stored_result("attention_distance")
figures.distance_curves(stored.numbers["accuracy"])

# %%
stored

# %%
report.print_longer(stored.numbers, stored_result("attention_longer").numbers)

# %% [markdown]
# All readers get the same facts and questions; only the way grows. The plain LSTM is at chance with 16 words in between, and four times the training does not change that. Open gates do: with four times the training they carry the fact in most texts. So an LSTM *can* keep a fact that long, if it starts out keeping things.
#
# With equal training the sum beats both LSTMs, so a good part of the advantage has nothing to do with queries and keys. The more chatter there is, the worse the sum gets. Is it *unable* to find the fact, or has it *not yet* found it? **Not yet:** with sixteen times the training it finds nearly all, even with 64 words of chatter. It has the short way as well, so all that the aim saves here is training time. (With 64 words, 600 batches are not enough for attention either. The bands are over five starts; all read the same 1,000 test texts.) What attention costs is $T^2$ scores (section 10).

# %% [markdown]
# One demand is left: *"You chose the learning rate, 0.003. Try mine, 0.01."* Three readers, 600 batches, one run each; it takes ten to twenty seconds.

# %%
report.print_faster()

# %% [markdown]
# The plain LSTM still guesses. But open gates gain most, and come near the sum. So how far the sum leads depends on the rate, and the figure above shows one rate only.

# %% [markdown] slide="slide"
# ## 10. The bill
#
# Every position looks at every position: $T^2$ scores. An LSTM takes $T$ steps. So attention must lose when texts are long. But its scores wait for nobody, while an LSTM's step waits for the one before. On one processor core, where does your block fall behind an LSTM of about as many weights?

# %%
predict("cross", "One text, D = 128: from which length on is your block slower than an LSTM?")

# %% slide="subslide"
lengths = (16, 32, 64, 128, 256, 512, 1024)
times = block_and_lstm(Block, lengths)
figures.time_curves(lengths, times)

# %%
outcome("cross", where_they_cross(lengths, times["your block"], times["LSTM"]))

# %% [markdown]
# Below the crossing your block keeps up or is faster, although it computes more: its products are few and large, while an LSTM must finish one small step before the next. Beyond it the $T^2$ scores decide, and attention loses. Where the lines cross depends on $D$ and on the machine (yours is named above the figure); that they cross does not. On a graphics card, with thousands of multipliers, the crossing should lie further out. (We have not measured that.)
#
# BERT and GPT read at most 512 tokens, and BERT did nine tenths of its training steps at length 128 (appendix A.2). *"The Transformer has solved long texts"* is half true: it has made the long **way** short, and the long **text** expensive.

# %% [markdown] slide="slide"
# ## 11. Does it know the order?
#
# Swap the first two words of a sentence. Does the state of the last word notice? Your block adds up values by attention weights, and a sum has no order. That is why models add position embeddings to the words. But what if there are two blocks?

# %%
predict("order", "Two blocks that look back only: is the swap noticed?", options=["yes", "no"])

# %%
noticed = {look.__name__: notices_a_swap(Block, look) for look in (both_sides, only_back)}
outcome("order", "yes" if noticed["only_back"] else "no")

# %% [markdown]
# To an encoder, a sentence without position embeddings is a bag of words. To a decoder it is not: after the first block the second word has seen the first, and the first has not seen the second. Who has seen whom tells the order.

# %% [markdown] slide="slide"
# ## 12. Where the gradient goes
#
# If its score moves a little, an attention weight $a$ moves $a (1 - a)$ times as far: not at all at 0 or 1. Here is that number, summed over 16 positions, for your head on random vectors.

# %% slide="subslide"
sizes = (4, 16, 64, 256, 1024)
figures.slope_curves(sizes, slopes(one_head, sizes))

# %% [markdown]
# That is the start. But a sceptic asks two things about section 3. *"Undivided, every step is larger for the scores: lower the rate."* *"And start as quietly as the divided head, with queries √d times smaller."* Here is its head of 128 numbers again, at a rate of 0.001: divided, undivided, and undivided with the quiet start. This takes ten to twenty seconds.

# %% slide="subslide"
figures.rate_bars(taken_apart(one_head))

# %% [markdown]
# At this rate, too, the divided head is far ahead. The quiet start brings the undivided one nearer, though its first scores are then the divided head's, and still not there. So it seems to be the start *and* the step. The division settles both at once.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"Many studies have shown that the Transformer extracts features far better than the LSTM."*
#
# You find this in many accounts of how BERT came about, without a source. **One published measurement** is in the paper on GPT. It took the whole recipe, pretraining and fine-tuning, and put an LSTM in place of the Transformer (table 5): the average over its tasks fell from 74.7 to 69.1. Pretraining itself was worth more: without it, 59.9. So the difference is real, with 7,000 books and a recipe that was the Transformer's own.
#
# **Ours** is small. First, does your kind of model beat counting? The stored runs pass three times over Brown's sentences, from five seeds. Counts of the same sentences stand beside them:

# %%
fair = stored_result("attention_language_model")
found = fair.numbers["perplexity"]
report.print_counts(fair.numbers)

# %% [markdown]
# With 1,600 sentences your kind of model is behind the counts on average, though its starts differ widely. With 6,400 it draws level with them. (Section 6 has other held-out sentences. With Brown they are easier: the same counts of pairs get 24.6 there, 34.9 here.) Next: LSTMs with the same number of weights. Each model gets the best of four rates, chosen on sentences kept for that.

# %%
leads = ["the blocks", "the LSTM", "neither, clearly"]
predict("fair", "Three passes over 6,400 sentences: who is ahead?", options=leads)

# %% slide="subslide"
figures.model_bars(found)

# %%
fair

# %%
blocks, lstms = (np.array(found[name]["6400"]["values"]) for name in found)
ahead, starts = interval(lstms - blocks), ", ".join(f"{x:.1f}" for x in lstms - blocks)
print(f"blocks ahead by {ahead['mean']:.1f} ({ahead['low']:.1f} to {ahead['high']:.1f}): {starts}")
outcome("fair", leads[0 if ahead["low"] > 0 else 1 if ahead["high"] < 0 else 2])

# %% [markdown]
# **Verdict: at our size, a myth.** "Far better" was measured at one size, with one recipe. At ours the LSTM is ahead, by 1.1 (0.3 to 1.9). That is little, and holds for this text and recipe. Our first figure tried two rates for each, and the blocks led. The sentences that chose the rates show how easily that happens:

# %%
report.print_choosing(fair.numbers)

# %% [markdown]
# At its lowest rate the LSTM has 26.7, so the blocks' 25.6 would lead. At its best it has 25.1. Look for this in any comparison that you read.
#
# What attention brings for sure is in sections 1 and 9: a short way between any two words, and an aim that saves training. GPT's lead came with much text and much machinery. With so little text, counts come close to both, or stay ahead.

# %% [markdown]
# ## Further reading
#
# - Vaswani and others, [Attention is all you need](https://arxiv.org/abs/1706.03762): sections 3 and 4 are this lesson; table 1 there has path lengths and costs of each kind of layer.
# - Bahdanau, Cho and Bengio, [Neural machine translation by jointly learning to align and translate](https://arxiv.org/abs/1409.0473), 2014: attention beside an LSTM's cousin, three years earlier; the cross-attention of lesson 04 is its kind.
# - Zhou and others, *Multi-Turn Response Selection for Chatbots with Deep Attention Matching Network*, ACL 2018, [P18-1103](https://aclanthology.org/P18-1103/): attention within a conversation, and between it and a possible reply.
# - In the package: `elmo_mini/transformer/attention.py` and `elmo_mini/transformer/block.py` are this lesson in plain code; `elmo_mini/transformer/causal_lm.py` is the model of the next word. `python -m course.attention.experiments distance` repeats the figure of section 9.
#
# Next: **14 · Why pretraining, and BERT**.
