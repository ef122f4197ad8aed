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
# ## Why pretraining, and BERT
#
# Lesson 14 · *BERT*, Devlin and others, 2018
#
# minutes: 1
#
# say: Pretrained weights help: everybody says so, and since 2018 everybody starts from them. Today we ask why. Three explanations go round. Each makes a prediction that can fail, so we test each. At the end we read BERT's tables.
#
# ask: Who has fine-tuned a network? What did you start from, and did you try without?
#
# expect: Hardly anybody has tried without. That is the control that most accounts lack.
#
# skip: Leave out the question.

# %% [markdown] deck="words"
# ## Pretrained weights help. Why?
#
# - **Optimisation:** a better place to begin
#
# . . .
#
# - **Regularisation:** a leash against learning by heart
#
# . . .
#
# - **Knowledge:** they know the language
#
# minutes: 2
#
# say: Three explanations. The first: training walks through a space of weights, and pretraining begins in the city centre. The second: it keeps a big network from learning few labels by heart. The third: it has read, so it knows something. They do not exclude each other.
#
# ask: Which one do you believe? And which experiment would make you give it up?
#
# expect: "The third, of course." Ask for the experiment. Most name one that all three would pass, such as: pretrained is better than fresh.
#
# skip: Show all three at once.

# %% [markdown] slide="slide"
# # 14 · Why pretraining, and BERT
#
# Pretrained weights help. Why? Three explanations circulate: a better place to begin (optimisation), a leash against learning by heart (regularisation against overfitting), knowledge of the language. You fine-tune a network with your own parts, and test each explanation with an experiment that could have failed. Then you read BERT's tables.

# %%
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from course.figures import plots
from course.why_bert import lesson as course
from elmo_mini.progress import progress_bar

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings
torch.set_flush_denormal(True)  # numbers next to 0 count as 0; else they are slow

# %% tags=["road"]
plots.road("14")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - put a new head on a pretrained body, and fine-tune both with two learning rates, warm-up and a pull to the start,
# - tell whether pretrained weights help by being of the right size, or by what they have learnt,
# - derive a penalty from a prior, and say when the prior wins,
# - say what pretraining adds to the best that needs no network,
# - find out why a fine-tuning run gained nothing from its checkpoint,
# - read ELMo's and BERT's tables without being taken in.
#
# ## The papers
#
# **BERT**: Devlin and others, [arXiv:1810.04805](https://arxiv.org/abs/1810.04805), version 2: tables 1 to 7. **ELMo**: Peters and others, [N18-1202](https://aclanthology.org/N18-1202/), table 1. **GPT**: Radford and others, *Improving language understanding by generative pre-training*, 2018, table 5.
#
# Plan 110 minutes, 130 with second tries; write the essay at home. Short of time? Exercises 1, 3 and 5 are the spine, 90 minutes. Leave exercise 2 to the course. For exercise 4, write `return weights`, run its check, and read the model answer. Two optional sections follow, 20 minutes, with exercise 6.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $w$ | the weights of the body | $N$ | labels to learn from |
# | $w_0$ | where they stand before fine-tuning | $x_n, y_n$ | an example, and its label |
# | $\tau$ | spread of the prior around $w_0$ | $\lambda$ | strength of the pull to $w_0$ |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes: the opening, 2; section 1, 22; section 2, 12; section 3, 27; section 4, 28; section 5, 2; section 6, 2; section 7, 7; section 8, 4; the rest, 4: 110, and 21 more for the optional sections, 12 for the discussion. Second tries add 20. For 60 minutes, show exercises 3 and 4 solved. (Section 8, *change one thing*: GPT loses ground on four of the eight, SST-2, STS-B, MRPC and RTE.) Students get stuck in exercise 3 on the highest rates: they multiply the rate of the step before. Let them print the rates. The task ships with the course, so everything that runs here is the same with and without the NLTK corpora.

# %% [markdown] slide="slide"
# ## 1. Fifty labels
#
# *Run*, *call*, *use*, *answer*: each can be a noun or a verb. A sentence is cut after such a word. Which is it there? Only the words before it can tell: *the run*, *to run*. You get 50 labelled beginnings, from letters, essays, talk and news (MASC); the beginnings end in 145 different words, and 700 of them are kept for the test.
#
# The pretrained weights are those of lesson 13's president, who has read only speeches. The body is built of **your** block of lesson 13, three times, under your causal mask. (PyTorch's own block is `nn.TransformerEncoderLayer`, with the mask handed in.)

# %% [markdown] deck="printed" lines="1-3,5-6"
# ## Fifty labels: noun or verb?
#
# minutes: 1.5
#
# say: *Touch*, *use*, *answer* can be both. A sentence is cut after such a word. Which is it there? Only the words before it can tell. We have 50 labelled beginnings. The pretrained network is small: it is the president of lesson 13, who has read nothing but speeches.
#
# ask: How do you know that *touch* is a noun?
#
# expect: "From its meaning." From one short word, *little*, and *a* before it. That is worth remembering when the rivals come.
#
# skip: Read two lines.

# %%
TASK, SEEDS = course.noun_or_verb(), (0, 1, 2)
president, vocabulary = course.load_causal_lm()
PRETRAINED = president.state_dict()  # names and tensors: 726,784 numbers
Block, causal_mask = mine("Block"), mine("causal_mask")


def body(weights=None):
    """A network of the president's sizes with these weights; without any, with fresh ones."""
    model = course.CausalLM(
        len(vocabulary),
        dim=96,
        heads=4,
        layers=3,
        longest=32,
        block=lambda dim, heads: Block(dim, heads, causal_mask),
    )
    if weights is not None:
        model.load_state_dict(weights)
    return model


for text, label in zip(TASK.train.texts[:6], TASK.train.labels, strict=False):
    print(f"  {' '.join(text)}  ->  {TASK.classes[label]}")

# %% [markdown]
# Networks read numbers in batches. Here is all that stands between a text and a network: word numbers, with a sentence end in front, padded to one length; the mask of tokens; ten texts a batch, in random order.


# %%
def numbers(texts):
    """Word numbers (B, T), and the mask of tokens."""
    rows = [torch.tensor(vocabulary.encode([course.BOUNDARY, *text])) for text in texts]
    mask = [torch.ones(len(row), dtype=torch.bool) for row in rows]
    pad = nn.utils.rnn.pad_sequence
    return pad(rows, batch_first=True), pad(mask, batch_first=True)


def over(function, texts):
    """What a function of ids and mask gives for all texts, 350 at a time, without gradients."""
    with torch.no_grad():
        parts = (texts[n : n + 350] for n in range(0, len(texts), 350))
        return torch.cat([function(*numbers(part)) for part in parts])


def batches(train, steps, seed, size=10):
    """So many batches (ids, mask, labels); each text comes once before one comes twice."""
    lots, labels = torch.Generator().manual_seed(seed), torch.tensor(train.labels)
    rounds = 1 + steps * size // len(labels)
    order = torch.cat([torch.randperm(len(labels), generator=lots) for _ in range(rounds)])
    picks = order[: steps * size].split(size)
    return [(*numbers([train.texts[n] for n in some]), labels[some]) for some in picks]


# %% [markdown] exercise="Classifier" slide="subslide"
# ### Exercise 1. A body, a head, two groups
#
# The pretrained network is the **body** (in papers the *backbone* or *encoder*). On top you put one new linear layer, the **head**: it turns the state of the last word into a score for each class, a logit. (By the last word, causal blocks have read the whole text.)
#
# Write the class. `Classifier(body, classes)` gets a body and the number of classes, K. `body.states(ids, mask)` gives the states at the top, (B, T, D); D is `body.word.embedding_dim`. Tokens stand first in a row, padding behind them; its numbers mean nothing.
#
# - `self.body` is the body that was given, itself. `self.head` is one `nn.Linear` to the K classes.
# - `forward(ids, mask)` returns the logits (B, K), from the state of each text's own last token.
# - The head begins at random and may learn fast. The body knows something already and should learn slowly. So an optimizer has parameter groups (lesson 11), each with a learning rate of its own: `groups(body_rate, head_rate)` returns a list of two dicts, each with `"params"` and `"lr"`, the body's first.


# %% [markdown] deck="words"
# ## A body, a head
#
# ```
# last = mask.sum(1) - 1
# states = self.body.states(ids, mask)
# return self.head(states[torch.arange(len(ids)), last])
# ```
#
# The **body** is pretrained. The **head** is new: one linear layer.
#
# Each learns at its own rate.
#
# minutes: 2
#
# say: That is all there is to a classifier on a pretrained network. The body gives a state for each word. The last word has seen the whole text, so the head reads its state. The head starts at random and may learn fast, the body knows something already and should not: two groups of parameters, two rates.
#
# ask: Texts in a batch have different lengths. At which place does the last word of each stand?
#
# expect: "At the end of the row, -1." There stands padding. The mask tells: the number of its tokens, less one.
#
# skip: The first two lines of the code.

# %% exercise="Classifier"
import torch
from torch import nn


class Classifier(nn.Module):
    """A pretrained body, and a new head at the state of the last token."""

    def __init__(self, body, classes):
        super().__init__()
        ### BEGIN SOLUTION
        self.body = body
        self.head = nn.Linear(body.word.embedding_dim, classes)
        ### END SOLUTION

    def forward(self, ids, mask):
        """Word numbers and mask (B, T) to logits (B, K)."""
        ### BEGIN SOLUTION
        last = mask.sum(1) - 1
        states = self.body.states(ids, mask)
        return self.head(states[torch.arange(len(ids)), last])
        ### END SOLUTION

    def groups(self, body_rate, head_rate):
        """Two parameter groups, as PyTorch's optimizers take them."""
        ### BEGIN SOLUTION
        return [
            {"params": self.body.parameters(), "lr": body_rate},
            {"params": self.head.parameters(), "lr": head_rate},
        ]
        ### END SOLUTION


# %% check="Classifier"
check("Classifier", Classifier)

# %% [markdown] hints="Classifier"
# nudge: A text of three tokens in a batch of width five: at which place does its last token stand? Where does the mask say so?
#
# idea: The number of tokens of a row is the sum of its mask. With two rows of indices, `states[rows, places]` takes one state from each row.
#
# outline: Last place: the sum of the mask along the row, less 1. States of the body, with the mask; of row b the state at its last place; the head on that. Groups: `self.body.parameters()` and `self.head.parameters()`, each with its rate.

# %% [markdown]
# Two networks learn from the same 50 labels for 100 steps, body and head together. One body is pretrained, the other fresh. Nothing else differs.

# %% [markdown] deck="poll"
# - none
# - about 10
# - [x] about 20
#
# minutes: 1
#
# say: Two networks learn from the same 50 labels, for 100 steps. One body is pretrained, the other fresh. Nothing else differs. A guess is right 53 times in 100.
#
# ask: The poll.
#
# expect: "10." It is twice that. But wait before you are impressed: compared with whom?
#
# skip: Take one vote.

# %%
predict("win", "How many points is the pretrained network ahead of the fresh one?")

# %% [markdown]
# (About 10 s. Each of three seeds draws 50 labels, the head's start, the batches and, where it is fresh, the body.)

# %%
Classifier = or_reference("Classifier", Classifier)


def classifier(weights, seed):
    """A body of these weights under a new head; the seed draws what begins at random."""
    torch.manual_seed(1_000 + seed)
    return Classifier(body(weights), len(TASK.classes))


def fine_tuned(weights, seed, labels=50, steps=100):
    """A classifier whose body starts from these weights, trained on so many labels."""
    model = classifier(weights, seed)
    optimizer = torch.optim.Adam(model.groups(1e-3, 1e-2), fused=True)
    for ids, mask, truth in batches(TASK.train.drawn(labels, seed), steps, seed):
        loss = functional.cross_entropy(model(ids, mask), truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def correct(model, part=TASK.test):
    """(N,) True where the model is right about a text of the test, or of another part."""
    return (over(model, part.texts).argmax(-1) == torch.tensor(part.labels)).numpy()


def fresh(seed):
    """The weights of a network that has read nothing."""
    torch.manual_seed(seed)
    return body().state_dict()


def pretrained(seed):
    """The president's weights, whatever the seed."""
    return PRETRAINED


def over_draws(start, **how):
    """For each seed: which test texts a network gets right that begins at this start."""
    return [correct(fine_tuned(start(seed), seed, **how)) for seed in progress_bar(SEEDS)]


starts = {"fresh": fresh, "pretrained": pretrained}
right = {name: over_draws(start) for name, start in starts.items()}
for name, draws in right.items():
    print(name, [f"{draw.mean():.1%}" for draw in draws])

# %% [markdown]
# By how much, and how sure is it? Both networks answered the same texts, after the same labels. So subtract text by text: 1, 0 or −1. The mean is the lead. Then repeat the experiment in thought: draw as many seeds and as many texts again from those that there are, some twice, some never, and take the mean anew. Of 2,000 such means the middle 95 % are the **paired bootstrap interval** over draws and texts (lesson 08).


# %% slide="subslide"
def lead_of(right, one, other, rounds=2_000):
    """How far one is ahead of another: the mean, and its interval over draws and texts."""
    apart = np.array(right[one], float) - np.array(right[other], float)  # (draws, N)
    lots, means = np.random.default_rng(0), []
    for _ in range(rounds):
        draws, texts = (lots.integers(size, size=size) for size in apart.shape)
        means.append(apart[draws][:, texts].mean())
    low, high = np.percentile(means, [2.5, 97.5])
    point = {"mean": apart.mean(), "low": low, "high": high}
    return course.NamedLead.of(point, one=one, other=other)  # prints itself, in points


win = lead_of(right, "pretrained", "fresh")
print(win)
outcome("win", win.mean)

# %% [markdown]
# ### Who needs no network?
#
# A sceptic asks what somebody would do in an afternoon. First rival: a **table** of each last word's commonest class. Second: the pretrained **vector** of the last word, frozen. Third: **features** by hand: the last word, two words before it, their pair, endings. Each feature that occurs gets a column of 0 and 1.
#
# The **state** of the pretrained body can be read frozen, too: alone, or beside the features. So you see what the network adds to them. One model reads them all but the table: a logistic regression. (Its penalty treats all columns alike, and features are 0 or 1. So vectors and states are standardised and multiplied by 0.2, a number that was chosen on texts apart from the test.)

# %% [markdown] deck="figure"
# ## Who needs no network?
#
# minutes: 3
#
# say: The two bars on the left are the poll. The fresh network is next to a guess. Then the sceptic's rivals. A table of each last word's commonest class: near a guess. The last word's vector: hardly better. Features by hand, the two words before it and their pair: 12 points above the fresh network. On the right, the frozen state, and the state beside the features: 9 points above the features.
#
# ask: A paper shows the first two bars only. What does its reader believe, and what is true?
#
# expect: "That pretraining is worth 20 points." To a network, yes. To somebody who writes features by hand it is worth 9.
#
# skip: Table and vector.

# %% slide="subslide"
from collections import defaultdict

from scipy.sparse import hstack
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

frozen = body(PRETRAINED)


def last_vector(ids, mask):
    """(B, D) the pretrained vector of each text's last word, whatever stands before it."""
    return frozen.word(ids)[torch.arange(len(ids)), mask.sum(1) - 1]


def last_state(ids, mask):
    """(B, D) the frozen body's state of each text's last word."""
    return frozen.states(ids, mask)[torch.arange(len(ids)), mask.sum(1) - 1]


def features(text):
    """What somebody might notice about a beginning, each as a string."""
    two, before, last = ["<s>", "<s>", *text][-3:]
    words = [f"last {last}", f"before {before}", f"two before {two}", f"pair {two} {before}"]
    endings = [f"ending {last[-size:]}" for size in (1, 2, 3)]
    return [*words, *endings, f"ending before {before[-2:]}"]


def scaled(known, asked):
    """Vectors of training and test, standardised over training, and shrunk to a fifth."""
    known, asked = known.double().numpy(), asked.double().numpy()
    mean, spread = known.mean(0), known.std(0) + 1e-6
    return 0.2 * (known - mean) / spread, 0.2 * (asked - mean) / spread


def untrained(task, labels, seeds):
    """Who trains no network, draw by draw: which texts of the test each gets right."""
    right, test = defaultdict(list), task.test
    vectors, states = over(last_vector, test.texts), over(last_state, test.texts)
    for seed in seeds:
        train = task.train.drawn(labels, seed)
        right["table of last words"].append(course.table_of_last_words(train, test))
        columns = CountVectorizer(analyzer=features)
        own = columns.fit_transform(train.texts), columns.transform(test.texts)
        state = scaled(over(last_state, train.texts), states)
        rows = {
            "last word's vector": scaled(over(last_vector, train.texts), vectors),
            "features": own,
            "frozen state": state,
            "features and state": [hstack(pair) for pair in zip(own, state, strict=True)],
        }
        for name, (known, asked) in rows.items():
            reader = LogisticRegression(max_iter=1_000).fit(known, train.labels)
            right[name].append(reader.predict(asked) == test.labels)
    return right


right |= untrained(TASK, 50, SEEDS)
adds = lead_of(right, "features and state", "features")
course.bars(right, f"50 labels. {adds.title}")

# %%
print(" ".join(TASK.train.texts[0]), "->", features(TASK.train.texts[0]))
print(lead_of(right, "features", "fresh"))
print(adds)

# %% [markdown]
# Bars are means of three draws; whiskers are 95 % intervals over draws and texts. Always saying *verb* is right for 53 %.
#
# The last word alone says little here: table and vector are near that. Features look at the words before it, too, and beat the fresh network. The frozen state, beside them, adds to what they know. Both look to the left, but the body has met those words in thousands of sentences, and the features only in fifty. (*Pretrained*, the fine-tuned network, stands high in these three draws. Section 6 asks again, with other draws and a stronger rival.)
#
# The field went the same way. People wrote features by hand. Then networks learnt all from labels. Then word vectors were carried over; from Dai and Le (2015) to BERT, the whole network.

# %% [markdown] deck="words"
# ## First: a better place to begin
#
# You look for a restaurant in a foreign town. From the city centre, any way leads to one.
#
# . . .
#
# Is it enough that the numbers have the right **size**? Or does it matter **which number stands where**?
#
# . . .
#
# Put the numbers of each matrix in **random order**.
#
# minutes: 1.5
#
# say: Pretraining chooses the initialisation. Perhaps a good one is merely one of a good size: then any weights of that size would do. There is a test. Scramble each matrix. Sizes stay, what was learnt goes.
#
# ask: What do we learn if the scrambled weights do as well?
#
# expect: "Nothing, it cannot be." If they did, pretraining would be an expensive way to choose a standard deviation.
#
# skip: The restaurant.

# %% [markdown] slide="slide"
# ## 2. First explanation: a better place to begin
#
# The restaurant of lesson 04, once more: from the city centre, any direction leads to one soon. Training walks through the space of weights; pretraining chooses the **initialisation**.
#
# Perhaps a good initialisation is merely one of a good **size**; then any weights of that size would do. Or it matters **which** number stands where. To tell, put the numbers of each matrix in random order.

# %% [markdown] exercise="scrambled"
# ### Exercise 2. Keep the numbers, lose the places
#
# Write `scrambled(weights, generator)`. `weights` is what `state_dict()` gives: a dict of tensors, of one or more axes. Return a dict of new tensors with the same names and shapes. Each has exactly its own numbers again, every one in a random place of that tensor. All chance comes from `generator`, so that somebody else can draw the same weights.


# %% exercise="scrambled"
def scrambled(weights, generator):
    """The same numbers in every tensor, in random order."""
    ### BEGIN SOLUTION
    found = {}
    for name, tensor in weights.items():
        order = torch.randperm(tensor.numel(), generator=generator)
        found[name] = tensor.flatten()[order].view(tensor.shape)
    return found
    ### END SOLUTION


# %% check="scrambled"
check("scrambled", scrambled)

# %% [markdown] hints="scrambled"
# nudge: A matrix has two axes, a vector one. How do you treat them all alike? What would be left of a word vector if only whole rows changed places?
#
# idea: Lay a tensor out in one row, reorder the row, give it its shape back. `torch.randperm` draws an order, and takes a generator.
#
# outline: For each name: an order of all its numbers, drawn from the generator; flatten, take in that order, view in the old shape.

# %% [markdown] deck="poll"
# - about 10 %
# - about 50 %
# - about 90 %
#
# minutes: 1
#
# say: The lead over fresh weights is a hundred per cent. How much of it do the scrambled ones keep?
#
# ask: The poll.
#
# expect: "Half: good sizes help a lot." In very deep networks they do. Here the interval includes nothing at all.
#
# skip: Take one vote.

# %%
predict("size", "Of the lead over fresh weights, how much do scrambled ones keep?", unit="%")

# %% [markdown]
# The comparison is one line longer: another start. And does what was learnt lie in one part of the network? Keep the pretrained weights from the bottom up to some height, and scramble everything above. Then leave the first block out, and keep the rest: the two layers that write what it adds get zeros, so at the start it adds nothing. (About 25 s.)

# %% [markdown] deck="figure"
# ## In which part does it lie?
#
# minutes: 2.5
#
# say: On the left a fresh network, beside it one with everything scrambled: no difference is seen. On the right everything is kept. Between them we keep from the bottom up: the table of words alone, which is word2vec's idea, 3 points. One block more adds nothing to be seen; the second adds 12. So is it all in the second? Look at the last bar but one. There only the first block is left out, and 8 points are gone. Each block reads what the one below writes: it is a chain.
#
# ask: The first block adds nothing, and without it 8 points are gone. How do both go together?
#
# expect: "One of the two is noise." The first block writes for the second. Alone it has no reader; without it the second misses what it was used to.
#
# skip: Say the two ends only.

# %% slide="subslide"
scrambled = or_reference("scrambled", scrambled)


def kept(*parts):
    """A start that is pretrained where a name begins with one of these, and scrambled elsewhere."""

    def start(seed):
        mixed = scrambled(PRETRAINED, torch.Generator().manual_seed(seed))
        return {name: PRETRAINED[name] if name.startswith(parts) else mixed[name] for name in mixed}

    return start


def without(block):
    """A pretrained start in which this block adds nothing: what it would add is 0."""
    silent = f"{block}.attention.out", f"{block}.narrow"
    return lambda seed: {name: w * (not name.startswith(silent)) for name, w in PRETRAINED.items()}


words = ("word", "position", "norm")  # both tables of embeddings, and the norm of their sum
starts = {
    "nothing": kept(),
    "words": kept(*words),
    "up to block 1": kept(*words, "blocks.0"),
    "up to block 2": kept(*words, "blocks.0", "blocks.1"),
    "all but block 1": without("blocks.0"),
}
heights = {"fresh": right["fresh"]}
heights |= {name: over_draws(start) for name, start in starts.items()}
heights["all"] = right["pretrained"]
gap = lead_of(heights, "all", "all but block 1")
course.bars(heights, f"Parts that are kept. {gap.title}")

# %%
pairs = [("nothing", "fresh"), ("all", "nothing"), ("words", "nothing")]
pairs += [("up to block 1", "words"), ("up to block 2", "up to block 1")]
pairs += [("all", "all but block 1"), ("all but block 1", "words")]
for one, other in pairs:
    print(lead_of(heights, one, other))
means = {name: np.mean(draws) for name, draws in heights.items()}
share = (means["nothing"] - means["fresh"]) / (means["all"] - means["fresh"])
outcome("size", 100 * share, unit="%")

# %% [markdown]
# The bar *nothing* has every matrix scrambled: as large as before, and all that was learnt is gone. It keeps nothing clear of the lead over *fresh*. So **which number stands where** is what was learnt, and size alone is no explanation.
#
# The bar *words* is word2vec's idea: carry over the table, learn the rest. Here the table alone brings about 3 points of the 18. The first block above it adds nothing that can be seen, the second about 12. So does all of it lie in the second block? No. Leave out the first alone, and about 8 points are gone. Each block reads what the one below writes. So what was learnt lies in no single part, but in the chain. On this task a pretrained table is not enough. ULMFiT, GPT and BERT carry over everything.

# %% [markdown] deck="words"
# ## The loop of fine-tuning: three habits
#
# - **Two rates:** a small one for the body, a larger one for the head
# - **Warm-up:** the first steps are small
# - **A leash:** whoever moves away from the start $w_0$ pays
#
# . . .
#
# $$\text{loss of the labels} + \frac{\lambda}{2} \lVert w - w_0 \rVert^2$$
#
# minutes: 2
#
# say: Three habits. Two rates: body and head. A warm-up, since the first gradients come through a random head and are noise. And a leash, the formula: whoever moves away from the pretrained weights w-zero pays for it. With lambda zero this is plain fine-tuning. In our measurements one habit counts: give the body the head's rate, and about 20 points are gone. Weight decay is the same with zero in the place of w-zero.
#
# ask: What does weight decay pull towards, and why is that odd for a pretrained body?
#
# expect: "Towards small weights, that is always good." Towards zero, away from all that was learnt. A strong pull to zero costs 15 points here.
#
# skip: The warm-up.

# %% [markdown] slide="slide"
# ## 3. The loop
#
# Your loop so far is five lines. Fine-tuning has three habits; write a loop that knows them.
#
# **Two rates.** Each group comes with its highest rate.
#
# **Warm-up.** The first gradients come through a random head: they are noise. So BERT and GPT begin with small steps: their learning-rate schedule rises before it falls.
#
# **A leash.** The body may be held near its start $w_0$. What is minimised is the mean loss of the batch plus
#
# $$\frac{\lambda}{2} \lVert w - w_0 \rVert^2 .$$
#
# With $\lambda = 0$ this is plain fine-tuning. (BERT's program uses **AdamW** in all but name, PyTorch's `torch.optim.AdamW`: Adam and a pull to 0 beside its steps, which is **weight decay**. Ours is Adam; AdamW would fit the same loop. Both pulls meet in section 4.)

# %% [markdown] exercise="tune" slide="subslide"
# ### Exercise 3. The loop of fine-tuning
#
# Write `tune(model, batches, optimizer, warm_up, pull)`. It takes one step for each batch `(ids, mask, labels)` of the list. `model(ids, mask)` gives scores; `model.body` and `model.head` are its two parts. This must be true:
#
# - The losses are cross-entropies, means over a batch. The pull, of strength `pull`, holds the body to where it stands when `tune` is called. It leaves the head alone.
# - Each group of `optimizer.param_groups` comes with its highest rate in `group["lr"]`. The rate rises in a straight line: in step 1 it is the highest rate divided by `warm_up`, in step `warm_up` the highest. After that it falls in a straight line, from the highest rate at step `warm_up + 1` to 0 one step after the last. (Warm-up 2, six steps: 1/2, 1, 1, 3/4, 1/2, 1/4.)
# - The model learns in training mode and is left in evaluation mode, whatever mode it came in.
# - You return the loss of each batch before its step, a plain number, without the pull.


# %% exercise="tune"
def tune(model, batches, optimizer, warm_up, pull):
    """One step for each batch; the mean loss of each batch before its step."""
    ### BEGIN SOLUTION
    start = [weight.detach().clone() for weight in model.body.parameters()]
    highest = [group["lr"] for group in optimizer.param_groups]
    steps, losses = len(batches), []
    model.train()
    for step, (ids, mask, labels) in enumerate(batches):
        share = min((step + 1) / warm_up, (steps - step) / (steps - warm_up))
        for group, rate in zip(optimizer.param_groups, highest, strict=True):
            group["lr"] = rate * share
        loss = functional.cross_entropy(model(ids, mask), labels)
        there = zip(model.body.parameters(), start, strict=True)
        away = sum(((now - then) ** 2).sum() for now, then in there) if pull else 0
        optimizer.zero_grad()
        (loss + pull / 2 * away).backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return losses
    ### END SOLUTION


# %% check="tune"
check("tune", tune)

# %% [markdown] hints="tune"
# nudge: Which three things must be remembered before the first step? Write down the rate of each of ten steps with a warm-up of two.
#
# idea: The start is a copy, `detach().clone()`: what is only detached moves along. The two straight lines meet, so the share is the smaller of them. The pull is a sum of squares over all tensors of the body.
#
# outline: Keep copies of the body and the highest rates; training mode. For each batch: set the rates, loss, distance, zero the gradients, backward of loss plus half the pull times the squared distance, step, note the loss. Evaluation mode; return the losses.

# %% [markdown]
# From here on your loop does the work. `fine_tuned` gets it, and with it four things that a run may change: the two rates, the pull to the start, the pull to 0. And does one need two rates? In *both fast* the body gets the head's, in *both slow* the head gets the body's. (About 20 s.)


# %% slide="subslide"
tune = or_reference("tune", tune)


def fine_tuned(
    weights, seed, labels=50, steps=100, body_rate=1e-3, head_rate=1e-2, pull=0.0, decay=0.0
):
    """A classifier whose body starts from these weights, trained by your loop."""
    model = classifier(weights, seed)
    groups = model.groups(body_rate, head_rate)
    groups[0]["weight_decay"] = decay  # Adam's own pull, to 0
    optimizer = torch.optim.Adam(groups, fused=True)
    lots = batches(TASK.train.drawn(labels, seed), steps, seed)
    tune(model, lots, optimizer, warm_up=max(1, steps // 10), pull=pull)
    return model


ways = {"five lines": right["pretrained"], "fine-tuned": over_draws(pretrained)}
ways["both fast"] = over_draws(pretrained, body_rate=1e-2)
ways["both slow"] = over_draws(pretrained, head_rate=1e-3)
for other in ("five lines", "both fast", "both slow"):
    print(lead_of(ways, "fine-tuned", other))
model = fine_tuned(PRETRAINED, 0)
for text in ("to answer", "the answer", "they call", "a call", "we will vote", "his vote"):
    ids, mask = numbers([text.split()])
    print(f"  {text}  ->  {TASK.classes[int(model(ids, mask).argmax())]}")

# %% [markdown]
# One habit counts here: **the body learns slowly**. At the head's rate the network is about 20 points worse, so all that pretraining brought is gone. Where the head is slow, too, no difference is seen. And warm-up and fall gain nothing to be seen over the five lines. (One of the six answers is wrong: *the answer*. Fifty labels leave such gaps.)
#
# ### Two modes
#
# Set the body's rate to 0, and only the head learns, on frozen states: that is the **feature-based** mode, or **feature extraction**, ELMo's. With a rate for the body it is fine-tuning, as with Dai and Le, ULMFiT, GPT and BERT. Frozen states have two readers by now: your loop, and the logistic regression, whose bar you know from section 1.

# %%
question = "50 labels: how many points is fine-tuning ahead of frozen states that YOUR loop reads?"
predict("modes", question)

# %% slide="subslide"
ways["frozen, your loop"] = over_draws(pretrained, body_rate=0.0)
ways["frozen, logistic regression"] = right["frozen state"]
readers = ("frozen, your loop", "frozen, logistic regression")
modes = [lead_of(ways, "fine-tuned", reader) for reader in readers]
print(*modes, sep="\n")
outcome("modes", modes[0].mean)

# %% [markdown]
# Fine-tuning leads frozen states that your loop reads. It is not seen to lead those that the logistic regression reads. The better reader counts: whoever prints the first line alone has chosen a weak rival.
#
# BERT's paper has both modes for names (its table 7).

# %% [markdown] deck="figure"
# ## Fine-tuned, or frozen? Names, as BERT's authors measured
#
# minutes: 2
#
# say: With the body's rate at zero we have the other way to use a network: frozen, as features, ELMo's way. BERT's paper tried both on names. The last four layers, frozen, under a BiLSTM, come within 0.3 points of fine-tuning. In our own task, too, no difference is seen with 50 labels, if the frozen states get their best reader. With 1,600 labels fine-tuning leads by 5.
#
# ask: When would you choose frozen?
#
# expect: "Never, it is behind." When vectors are to be stored and shared by many tasks, or when the body must forget nothing.
#
# skip: Our own task.

# %% slide="subslide"
course.features_figure(
    "BERT-base on names: frozen layers come close to fine-tuning (their table 7)"
)

# %% [markdown]
# The last four layers, frozen and side by side under a BiLSTM, are 0.3 points behind fine-tuning. Fine-tuning, common with photos, needs no new network for each task. Feature extraction can store its vectors and reuse them, and forgets nothing. Fine-tuning may overwrite what the body knew, which is catastrophic forgetting (lesson 04; section 7 measures it). Neither mode has won for good.

# %% [markdown] slide="slide"
# ## 4. Second explanation: a leash
#
# A network with 700,000 weights learns 50 labels by heart, wherever it begins: it overfits. Perhaps, of all the places with a low training loss, pretraining leads to one that also holds for new texts (it **generalises**). That is **regularisation**. To tell it from faster learning, compare networks **at equal training loss** (Erhan and others, 2010). If pretraining is only faster, both lie on one curve.
#
# The new texts are the task's validation set (lesson 10; also *dev*): nothing learns from them. You watch them and choose by them, so that the test stays untouched. (About 15 s.)


# %% [markdown] deck="figure"
# ## Second: a leash? Compare at equal training loss
#
# minutes: 3
#
# say: Both learn the 50 labels by heart: to the left, the loss of the labels falls to nothing. Were pretraining only faster, both lines would lie on top of each other: it would get to the same place earlier. They do not. At the same training loss the pretrained network is better on new texts. And see how both lines rise on the way to the left, above the loss of a coin: a network that knows its labels by heart is sure of itself even where it is wrong. The right answers do not fall with it.
#
# ask: Why not simply compare both after 40 steps?
#
# expect: "It is the same." After as many steps one has come further, so faster and better would be mixed up.
#
# skip: The coin.


# %% slide="subslide"
def seen_by(model, part):
    """Of a part of the task: the mean of -log p(label), in nats, and the share that is right."""
    scores, truth = over(model, part.texts), torch.tensor(part.labels)
    right = (scores.argmax(-1) == truth).double().mean()
    return functional.cross_entropy(scores, truth).item(), right.item()


lengths, runs = (5, 10, 20, 40), {}
for name, start in (("fresh", fresh), ("pretrained", pretrained)):
    runs[name] = np.zeros((3, len(SEEDS), len(lengths)))  # two losses and right answers
    for seed in progress_bar(SEEDS):
        for place, steps in enumerate(lengths):
            model = fine_tuned(start(seed), seed, steps=steps)
            known, _ = seen_by(model, TASK.train.drawn(50, seed))
            runs[name][:, seed, place] = known, *seen_by(model, TASK.dev)

trained, held_out, answers = (
    {name: run[row].mean(0) for name, run in runs.items()} for row in range(3)
)
course.loss_lines(trained, held_out, equal=0.1)

# %%
for seed in SEEDS:
    at = {name: course.held_out_at(0.1, *run[:2, seed]) for name, run in runs.items()}
    both = ", ".join(f"{name} {loss:.2f}" for name, loss in at.items())
    print(f"draw {seed}, validation loss at a training loss of 0.1: {both}")
for name, shares in answers.items():
    print(f"{name}: right answers after {lengths} steps:", *(f"{share:.0%}" for share in shares))

# %% [markdown]
# Each corner is the mean of three runs of 5, 10, 20 and 40 steps, from right to left. The labels are learnt by heart in both. But at the same training loss the pretrained network has the lower validation loss, in each draw. So there is more than speed.
#
# *Chance* is the loss of a coin: who says 50 : 50 each time has $\ln 2$ = 0.69 nats. Both lines end above it, though the pretrained network is right on more than 70 %. A network that knows its labels by heart is sure of itself even where it is wrong, and the loss punishes that. The right answers do not fall. So **when to stop depends on what you count**: by the loss of a validation set, early (early stopping, lesson 10, is the commonest leash); by right answers, it hardly matters here.
#
# ### The leash, as a belief
#
# Before you see a label, you believe that good weights lie near $w_0$. Each weight is normal around its start, with spread $\tau$. That is the **prior**. How likely the labels are, given weights, is the **likelihood**. The product of the two is, up to a constant, the **posterior**. Where is it highest? Weights there are the **maximum a posteriori** estimate, MAP.

# %% [markdown] deck="words"
# ## The leash, as a belief
#
# Before any label: each weight is normal around its start, $w_0$.
#
# . . .
#
# $N$ labels, spread $\tau$:
#
# $$\lambda = \frac{1}{N \tau^2}$$
#
# . . .
#
# **Few labels:** the belief decides. **Many:** the labels do.
#
# minutes: 2.5
#
# say: Believe that good weights lie near the start. Take the logarithm of prior times likelihood, divide by N: the pull comes out, and its strength is one over N tau squared. You derive it in exercise 4. With five labels the belief decides, with 800 the same belief is 160 times weaker.
#
# ask: Weight decay is such a belief, too. Which one?
#
# expect: "That weights do not overfit." That good weights are small: normal around zero.
#
# skip: Show all steps at once.

# %% [markdown] exercise="prior_gradient" slide="subslide"
# ### Exercise 4. A prior around the start (derive it)
#
# Pen and paper first. Two classes and a linear classifier: $p(y = 1 \mid x) = \sigma(w \cdot x)$. The $D$ weights are independent, weight $i$ is normal with mean $w_{0,i}$ and standard deviation $\tau$. Write down $-\frac{1}{N} \log p(w \mid y_1, \dots, y_N)$. Drop the terms without $w$. Take the gradient in $w$.
#
# Then write `prior_gradient(weights, start, spread, x, labels)`: that gradient, (D,). The tensors `weights` and `start` are (D,), `x` is (N, D), `labels` is (N,), 0 or 1; `spread` is a number. Compare with exercise 3: which $\lambda$ belongs to $\tau$ and $N$?


# %% exercise="prior_gradient"
def prior_gradient(weights, start, spread, x, labels):
    """The gradient of -log p(weights | labels) / N, (D,)."""
    ### BEGIN SOLUTION
    surprise = torch.sigmoid(x @ weights) - labels
    pull = (weights - start) / spread**2
    return (x.T @ surprise + pull) / len(x)
    ### END SOLUTION


# %% check="prior_gradient"
check("prior_gradient", prior_gradient)

# %% [markdown] hints="prior_gradient"
# nudge: The logarithm of a product is a sum. How many terms come from the labels, how many from the prior?
#
# idea: For one label, the gradient of $-\log p$ by the logit is $\sigma - y$. For one weight, $-\log$ of the normal distribution is $(w_i - w_{0,i})^2 / 2\tau^2$ and a constant.
#
# outline: Probability less label for each example, times its x, summed over the examples. Add weights less start, over the squared spread. Divide everything by N.

# %% [markdown] model_answer="prior_gradient"
# $-\frac1N \log p(w \mid y) = \frac1N \sum_n -\log p(y_n \mid x_n, w) + \frac{1}{2 N \tau^2} \lVert w - w_0 \rVert^2 + \text{const}$. The gradient of one label's part is $(\sigma(w \cdot x_n) - y_n)\, x_n$; the prior's is $(w - w_0) / \tau^2$; both are divided by $N$. So the pull of exercise 3 is $\lambda = 1 / (N \tau^2)$. With few labels it is strong, and the prior decides. With many it fades, and the labels decide. A narrow belief (small $\tau$) pulls harder. Weight decay is the same with $w_0 = 0$: the belief that good weights are small.

# %% [markdown]
# Now let a belief work. A frozen state of the body and a constant are the $x$, 97 numbers. The belief $w_0$ is bought with the labels of another task: 1,704 beginnings that end in *any* noun or verb, *house* or *said*. From these you take the MAP weights, around 0. (The spread of all priors is $\tau = 0.1$.) Then *run* and *call* come, with few labels: once with the prior around 0, once around the belief. `most_probable` walks down your gradient.

# %% [markdown] deck="poll"
# - about 2
# - about 10
# - about 20
#
# minutes: 1
#
# say: The belief comes from other words, *house* and *said*, which are always a noun or a verb. Then *run* and *call* come, with five labels: once with a prior around zero, once around the belief.
#
# ask: The poll.
#
# expect: "2: five labels are too few to learn anything." Just then the belief is all there is.
#
# skip: Leave the poll out.

# %%
predict("belief", "5 labels: how many points is the prior around the belief ahead of one around 0?")


# %% [markdown] deck="figure"
# ## Where you begin matters most when you have least
#
# minutes: 2.5
#
# say: On the left, with five labels, the belief is worth 19 points. With 200 no difference is seen any more. That is what the formula says. But be fair: as a trick on the whole network, in fine-tuning, the same pull gained nothing that we could see.
#
# ask: Where on this axis is medicine, and where is spam?
#
# expect: "Both have much text." Text, yes. A label by a doctor is dear, a click on *spam* is not.
#
# skip: The last sentence.

# %% slide="subslide"
prior_gradient = or_reference("prior_gradient", prior_gradient)


def most_probable(start, spread, x, labels, steps=200):
    """The MAP weights, (D,): steps down the gradient, from the middle of the prior."""
    w = start.clone()
    rate = 1 / (10 + 1 / (len(x) * spread**2))  # the narrower the prior, the shorter the steps
    for _ in range(steps):
        w -= rate * prior_gradient(w, start, spread, x, labels)
    return w


SPREAD = 0.1  # tau: a line to change
other = course.plain_nouns_and_verbs()
seen = over(last_state, other.texts)


def rows(part):
    """Standardised states and a constant, (N, 97), and the labels, (N,)."""
    x = (over(last_state, part.texts) - seen.mean(0)) / seen.std(0)
    return torch.cat([x, torch.ones(len(x), 1)], 1), torch.tensor(part.labels).float()


zero, (asked, truth) = torch.zeros(97), rows(TASK.test)
belief = most_probable(zero, SPREAD, *rows(other))
centres, counts = {"around 0": zero, "around the belief": belief}, (5, 20, 50, 200, 800)
answers = {n: {name: [] for name in centres} for n in counts}
x, y = rows(TASK.train)
for n in counts:
    for seed in range(10):
        some = np.random.default_rng(seed).permutation(len(x))[:n]  # as `drawn` draws
        for name, centre in centres.items():
            w = most_probable(centre, SPREAD, x[some], y[some])
            answers[n][name].append(((asked @ w > 0) == truth).numpy())

leads = {n: lead_of(answers[n], "around the belief", "around 0") for n in counts}
course.by_labels(answers, f"5 labels. {leads[5].title}")

# %%
alone = ((asked @ belief > 0) == truth).float().mean()
print(f"the belief alone, without a label: {100 * alone:.1f} % right")
for n, lead in leads.items():
    print(f"{n} labels; {lead}")
outcome("belief", leads[5].mean)

# %% [markdown]
# With 5 labels the prior decides: around the belief you have what the belief has alone. With 800, $\lambda = 1/(N\tau^2)$ is 160 times smaller, the labels decide, and it hardly matters where you began. That is what the formula says. (Lines are means of ten draws.)
#
# The same on the whole network: with your `pull`, training looks for the maximum a posteriori weights of the body. By your $\lambda = 1/(N\tau^2)$, a pull of 1 with 50 labels is the belief that a weight strays from its start by $\tau = 1/\sqrt{50}$. A pull to the pretrained weights is called **L2-SP**: a penalty on the squared distance from the *starting point*. Weight decay is a prior, too, centred at 0. Each is one word in your call. (About 10 s.)

# %%
predict("leash", "A strong pull to 0: how many points behind a pull to the start does it end?")

# %% slide="subslide"
hows = {"to the start": {"pull": 1.0}, "to 0": {"decay": 1.0}}
leash = {"no pull": ways["fine-tuned"]}
for name, how in hows.items():
    leash[name] = over_draws(pretrained, **how)
for name in hows:
    print(lead_of(leash, name, "no pull"))
outcome("leash", lead_of(leash, "to the start", "to 0").mean)

# %% [markdown]
# The belief *good weights are small* costs much here. *Good weights are near these* gains nothing to be seen over no pull. (Three draws, one strength.) ULMFiT and BERT have no L2-SP; their leash is early stopping and a small rate. **The prior is a good way to think of pretraining, and it works where a belief meets five labels. As a trick on the whole body it gained nothing here.**

# %% [markdown] slide="slide"
# ## 5. Third explanation: knowledge
#
# To guess the next word, one must know that a verb follows *to*, that *Congress* is a body of people, that winters are cold. So one task teaches syntax, meaning and some facts. If that is why pretraining helps, it must matter **what** was read. So three small models (two blocks, 48 numbers a word, the 1,000 commonest words) have read 120,000 tokens each, five times over: speeches; speeches with each sentence's words shuffled; film reviews.
#
# There are two tasks: ours, and what a question wants to know (TREC-6): a person, a place, a number. (The questions come twice, the second time without their `?`.) Each model is fine-tuned by the loop of section 3, no pull: 50 labels, 100 steps, five draws. A fourth has read *nothing*. Beside them stands a **bag of words**, without a network: word counts under a logistic regression, once of all words, once of the 1,000 that the networks know. (Stored; it takes minutes.)

# %% [markdown] deck="poll"
# minutes: 1
#
# say: Third explanation: knowledge. Then it must matter what was read. Three small models read speeches, the same speeches with each sentence's words shuffled, and film reviews. Two tasks: ours, and what a question wants to know: a person, a place, a number.
#
# ask: The poll.
#
# expect: "Both." The second task asks for single words. Whoever says so has half of the next slide.
#
# skip: Take one vote.

# %%
tasks = ["noun or verb", "kind of question", "both", "neither"]
predict("order", "Which task suffers if the text that was read is shuffled?", options=tasks)

# %% [markdown] deck="figure"
# ## Third: does it matter what was read?
#
# minutes: 2.5
#
# say: Blue is noun or verb: speeches in order help by 10 points, shuffled they do not help. Film reviews help half as much. Orange are the questions: each reading hurts, by 4 to 9 points. The bag of 1,000 words, on the right, has a higher mean than every network there. So what pretraining brings depends on the text and on the task.
#
# ask: Why might reading hurt with the questions?
#
# expect: "Speeches hold few questions." That would explain no gain, not a loss. With the question mark taken off, in green, no reading differs clearly from none. Perhaps the state of a question mark knows only what follows it. We do not know more.
#
# skip: Green.

# %% slide="subslide"
knowledge = course.stored_result("why_bert_knowledge")
read = {
    task: course.knowledge_leads(knowledge.numbers, task) for task in knowledge.numbers["right"]
}
title = f"Noun or verb, 50 labels. {read['noun or verb']['in order'].title}"
course.knowledge_figure(knowledge.numbers, title)

# %%
knowledge

# %%
print(*read["noun or verb"].values(), sep="\n")
hurt = [task for task in tasks[:2] if read[task]["in order"].verdict == "ahead"]
outcome("order", "both" if len(hurt) == 2 else hurt[0] if hurt else "neither")

# %% [markdown]
# For noun or verb, order counts. Speeches in order bring 10 points over nothing read; the same speeches, shuffled, bring nothing that can be seen. Film reviews bring 5, perhaps because the task asks for grammar, and any English has some. And the questions?

# %%
for task, leads in list(read.items())[1:]:
    for lead in leads.values():
        print(f"{task}; {lead}")

# %% [markdown]
# On the questions **every reading hurts**, as they stand: each is clearly behind nothing read. Why? The head reads the state of the last token, the `?`. A pretrained network has learnt what follows a `?`: a sentence end, whatever was asked. That is a guess. In its favour, without the `?` no reading differs clearly from none. But none helps there, either. And the bag of 1,000 words has 54.8 % with the `?`, above every network's mean.
#
# So what pretraining brings depends on text **and** task. Do these texts not hold what the questions ask, or can 50 labels and this head not reach it? This experiment cannot tell. (One pretraining run of each kind.)
#
# ### Which knowledge for which task?
#
# Names need the form of a word and its neighbours, opinions need what words mean, answers to questions need both, and facts.  Whether **one** representation can serve every task is a hypothesis. In photos it came true early: edges, textures and shapes serve all. Language is more abstract, and its tasks differ more. ELMo's weighted layers are one answer: let the task choose.

# %% [markdown] slide="slide"
# ## 6. What are the labels worth?
#
# In medicine, law or finance, an hour of an expert buys a handful of labels. So measure sample efficiency (lesson 09): what does pretraining add, with 50 labels and with 1,600? And what does it add to the best that needs no network?
#
# Here two more rivals stand. **Counted vectors**: which words stand near which in the president's own speeches, as positive PMI, cut down to 96 numbers by an SVD (lesson 02); a reader sees those of the last two words. And *features and counts*, side by side: the strongest without a network.
#
# (Stored: five draws; the rates of section 3, no pull. With 50, 200, 800 and 1,600 labels the loop takes 100, 150, 250 and 300 steps of ten texts. So it reads 50 labels twenty times, and 1,600 not quite twice. The result does not say what longer training would bring.)

# %% [markdown] deck="figure"
# ## What are the labels worth?
#
# minutes: 3
#
# say: Two true answers. To a network, from fresh to fine-tuned, pretraining gives 15 points with 50 labels and 4 with 1,600. To the strongest rival without a network, features and counted vectors from the same labels, the state adds 3.5 points with 50 labels, and with 800 nothing that can be seen. Both are right. A headline has room for one.
#
# ask: Which of the two numbers would you put into a paper on your own model?
#
# expect: Laughter. Both, and the rival by name.
#
# skip: Read the left end only.

# %%
curves = course.stored_result("why_bert_labels")
task = curves.numbers["tasks"]["noun or verb"]
adds = course.leads_by_labels(task, "features, counts and state", "features and counts")
rows = ["features and counts", "features, counts and state", "fine-tuned", "fresh"]
course.label_curves(task, rows, f"50 labels. {adds[50].title}")

# %%
curves


# %%
def print_leads(pairs):
    """Of each pair of names: who is ahead, with these numbers of labels."""
    for pair, counts in pairs.items():
        leads = course.leads_by_labels(task, *pair)
        for count in counts:
            print(f"{count:,} labels; {leads[count]}")


print_leads(
    {
        ("fine-tuned", "fresh"): (50, 1_600),
        ("features, counts and state", "features and counts"): (50, 200, 800),
    }
)

# %% [markdown]
# **Two true answers.** Pretraining gives *a network* 15 points with 50 labels, and 4 with 1,600. To *the strongest rival without one* that learns from the same labels, the state adds 3.5 points with 50, 1.4 with 200, and from 800 on nothing can be seen. And fine-tuning alone: does it beat that rival, or its own frozen state?

# %%
print_leads(
    {
        ("fine-tuned", "features and counts"): (50, 200, 800, 1_600),
        ("fine-tuned", "frozen state"): (50, 1_600),
    }
)

# %% [markdown]
# The fine-tuned network alone is nowhere ahead of that rival, and with 800 labels it is 3 points behind, with 1,600 it is 2. One or two words before decide this task, and there counts are strong.
#
# Fine-tuning or frozen? With 50 labels no lead is seen, with 1,600 fine-tuning is 5 points ahead. So many labels speak for tuning. (And where nothing can be looked up? *Another task*, at the end, has one more rival.)

# %% [markdown] slide="slide"
# ## 7. Three broken runs
#
# Four runs on the same 50 labels: one sound, three with one fault each. None raises an error. The course hands over each run ready to begin: a model, its optimizer and a warm-up. The fault hides in one of them. **Your** loop trains it.
#
# 1. the names in the file and in the model differ, and nobody notices
# 2. the labels belong to other texts
# 3. the body is pulled to 0, not to its start
# 4. the body is frozen, and should learn
# 5. the head is not among the parameters of the optimizer
# 6. the body learns thirty times too fast, without a warm-up

# %% [markdown]
# Beside the loss, measure what each run does to its body: what it knows of language before and after, as perplexity of the next word, and how far it has *moved*: the length of its step from start to end, divided by the length of its weights at the start. (About 10 s.)


# %%
def perplexity(body, part=TASK.dev):
    """Of a body as a model of the next word, on the texts of dev."""
    ids, mask = numbers(part.texts)
    with torch.no_grad():
        scores, has_next = body(ids, mask)[:, :-1], mask[:, 1:]
        return functional.cross_entropy(scores[has_next], ids[:, 1:][has_next]).exp().item()


def weights_of(part):
    """All numbers of a part of the model, in one row."""
    return torch.cat([weight.detach().flatten() for weight in part.parameters()])


# %% [markdown] deck="figure"
# ## Three of these runs are broken
#
# minutes: 1.5
#
# say: Four runs on the same labels. One is sound, three have one fault each. No error was raised.
#
# ask: By the training loss, which are broken?
#
# expect: "B." Yes. And A and C? They fall as the sound run does. The training loss does not tell.
#
# skip: Go to the next slide at once.

# %% slide="subslide"
losses, symptoms = {}, []
for run in progress_bar(("sound", "A", "B", "C")):
    model, optimizer, warm_up = course.planted(run, classifier, PRETRAINED)
    parts = model.body, model.head
    before, start = perplexity(model.body), [weights_of(part) for part in parts]
    lots = batches(TASK.train.drawn(50, 0), 100, 0)
    losses[run] = tune(model, lots, optimizer, warm_up, pull=0.0)
    body_moved, head_moved = (
        (weights_of(part) - then).norm() / then.norm()
        for part, then in zip(parts, start, strict=True)
    )
    symptoms.append(
        f"{run:>5}: {correct(model, TASK.dev).mean():.0%} right; perplexity {before:,.0f} before, "
        f"{perplexity(model.body):,.0f} after; moved: body {body_moved:.0%}, head {head_moved:.0%}"
    )
course.broken_figure(losses)

# %% [markdown] deck="words"
# ## The same four, measured
#
# | run | right | perplexity before | after | body moved |
# |---|---|---|---|---|
# | sound | 76 % | 144 | 173 | 3 % |
# | A | 65 % | 4,026 | 3,991 | 8 % |
# | B | 48 % | 144 | 9,388 | 113 % |
# | C | 72 % | 144 | 144 | 0 % |
#
# **1** file and model differ in their names · **4** the body is frozen · **6** it learns thirty times too fast
#
# . . .
#
# **A is 1, B is 6, C is 4.**
#
# minutes: 2.5
#
# say: These are the three faults. Which run has which? Two measurements tell: what the body knows of language before and after, and how far it has moved. A: a perplexity of 4,026, that of a guess, *before* the run. Nothing was loaded. B has moved further than its own length and has lost its language. C has not moved.
#
# ask: Which line do you print from now on, in each run of your own?
#
# expect: "The accuracy." That of C is near the sound run's. How far the body moved, and what it knew before.
#
# skip: Show the answer at once.

# %%
print(*symptoms, sep="\n")

# %% [markdown] exercise="broken_bodies"
# ### Exercise 5. Three broken runs
#
# Which run has which fault? Return a dict with the number of each: `{"A": ..., "B": ..., "C": ...}`.


# %% exercise="broken_bodies"
def broken_bodies():
    """The number of each run's fault."""
    ### BEGIN SOLUTION
    return {"A": 1, "B": 6, "C": 4}
    ### END SOLUTION


# %% check="broken_bodies"
check("broken_bodies", broken_bodies)

# %% [markdown] hints="broken_bodies"
# nudge: What did each body know of language before its run?
#
# idea: How far a body has moved tells a gentle run from a wild one, and from one that sleeps.
#
# outline: One body knows no language at the start. One has not moved. One has moved further than its own length; a pull to 0 takes it about that far at most.

# %% [markdown] model_answer="broken_bodies"
# **A** loads nothing: `load_state_dict(..., strict=False)` skips names that do not fit, and says so only to those who read what it returns. The training loss falls to 0 all the same; only the perplexity before the run, that of a guess among 4,000 words, gives it away. Ask for the list of names that fit, each time. **B** has torn its body apart in the first steps: its distance is larger than its length, its language is gone, and the loss never recovers. **C** is frozen: the body stands exactly where it stood. It answers only a few points worse than the sound run, so nobody looks; over three draws on the test it was some points behind, too (section 3). Compare also the sound run's two perplexities: 100 gentle steps cost its language little. B is catastrophic forgetting.

# %% [markdown] slide="slide"
# ## 8. What was published
#
# BERT's paper came in October 2018, eight months after ELMo's, and claimed the lead on eleven tasks. GLUE asks of two texts: does one follow from the other (MNLI, RTE), answer it (QNLI), say the same (QQP, MRPC, STS-B)? Of one sentence: is its opinion good or bad (SST-2), is it good English (CoLA)?

# %% [markdown] deck="figure"
# ## What was published: GLUE, October 2018
#
# minutes: 2
#
# say: Eight tasks. BERT-large leads on all eight. ELMo's entry lies below the best system before GPT on seven of eight. On two of the eight that best system had ELMo in it, too.
#
# ask: From 91.3 to 94.9 on SST-2: is that a little or a lot?
#
# expect: "3.6 points, a little." Of the 8.7 that were missing, 41 in a hundred are gone. Read gains as a share of the error.
#
# skip: ELMo's entry.

# %% slide="subslide"
course.glue_figure("GLUE: BERT leads all; ELMo's entry trails the best before GPT (table 1)")

# %% [markdown]
# QQP and MRPC are in F1, CoLA and STS-B in correlations, the rest in right answers. On seven of eight tasks this entry with ELMo lies below the best system before GPT. On QQP and CoLA that system had ELMo, too (GPT's table 4).
#
# **Read a gain as a share of the error.** Your `errors_gone` of lesson 08 does it: on SST-2, from GPT's 91.3 to BERT-large's 94.9, 41 % of the error is gone. (ELMo's famous 25 % is such a share, of the error in question answering: 4.7 points of F1.)
#
# **Then ask what else differs.** GPT has 117 million weights, BERT-large 340. BERT-base has 110, no more than GPT.

# %%
predict("gone", "SST-2, from GPT to BERT-base: how much of the error is gone?", unit="%")

# %% slide="subslide"
errors_gone, glue = mine("errors_gone"), course.published.GLUE
pairs = [("GPT", "BERT-large"), ("GPT", "BERT-base")]  # the line to change
gone = {
    f"{one} to {other}": errors_gone(np.array(glue[one]), np.array(glue[other]))
    for one, other in pairs
}
course.gone_figure(gone, "How much of the error is gone (GLUE, test)")

# %%
sst = course.published.GLUE_TASKS.index("SST-2")
outcome("gone", errors_gone(glue["GPT"][sst], glue["BERT-base"][sst]), unit="%")

# %% [markdown]
# (Compare bars of one kind: what F1 and a correlation lack to 100 is no share of wrong answers.) BERT-base, of GPT's size, takes away 14 % of GPT's error on MNLI, where BERT-large takes 26, and on SST-2 25 where BERT-large takes 41. The rest came with size.
#
# And what is left, did looking to both sides bring it? BERT-base has also read 3.3 billion words, GPT only the books among them, a quarter. BERT's table 5 holds size and text fixed and takes the second side away (dev). SQuAD (find the answer in a paragraph) falls from 87.9 to 77.8 (F1), MRPC from 86.5 to 77.5, MNLI from 83.9 to 82.1, SST-2 from 92.6 to 92.1. So the second side is worth ten points on one task (three, where a BiLSTM on top looks back), and half a point on another.
#
# **Change one thing.** Add the pair `("best before GPT", "GPT")` to the line. On how many tasks did GPT lose ground to what stood before it?
#
# **What it cost.** BERT-base was trained for four days on 16 chips, BERT-large on 64. The president's text has 300 thousand words; its training took two minutes of one core (`elmo_mini/data/course_causal_lm/README.md`). That is the other half of *why BERT*: somebody paid once, and everybody fine-tunes cheaply.

# %% [markdown] slide="slide"
# ## Myth or measured?
#
# > *"BERT beat everything, everywhere. It says so in the table."*
#
# In which table?

# %% [markdown] deck="poll"
# - ELMo
# - CVT
# - [x] CSE (Flair)
# - BERT-base
# - BERT-large
#
# minutes: 1
#
# say: "BERT beat everything, everywhere. It says so in the table." Which table?
#
# ask: The poll.
#
# expect: "BERT-large." Nearly all hands. Turn over.
#
# skip: Leave the poll out, show the figure.

# %%
systems = [*course.published.NER]
predict("names", "Names in news: which of five systems is first in BERT's table?", options=systems)

# %% [markdown] deck="figure"
# minutes: 1.5
#
# say: BERT's own table 7. Flair, a character language model with an LSTM, has 93.1, BERT-large 92.8. It stands in the paper itself, and nobody retells it. Nor does the average of GLUE hold its ninth task, WNLI. And the paper has two versions, with two numbers for QNLI.
#
# ask: So is the sentence wrong?
#
# expect: "Yes!" Nearly true. Eleven tasks were won, and names are the exception.
#
# skip: The versions.

# %% slide="subslide"
course.ner_figure("Names: BERT's own table has somebody in front of it (table 7, test)")

# %%
outcome("names", max(systems, key=lambda name: course.published.NER[name][1]))

# %% [markdown]
# Flair's character language models (CSE), 93.1, stand above BERT-large's 92.8 in BERT's own table. (CVT is an LSTM that learns from texts without labels, too.) Ask for the version, too: in October 2018 BERT-large has 91.1 on QNLI, in the paper of 2019 it has 92.7, because GLUE had released the task anew. And the 85.8 of a reader with ELMo on SQuAD, a score on the **test**, stands under *dev* in the first version.
#
# **Verdict: nearly.** Names are the exception. And WNLI, a ninth task of GLUE, was left out of the average. Another myth, *"ELMo has more parameters than BERT"*: 94 million against 110 and 340.

# %% [markdown] deck="words"
# ## What to take home
#
# - Fine-tuning: a **body** that learns slowly, a **head**, one loop.
# - Not the size of the weights: **which number stands where**.
# - A good start is worth most with the **fewest labels**.
# - Ask of each gain: **ahead of whom?**
#
# minutes: 1.5
#
# say: A line each. At home: exercises 1, 3 and 5 are the spine. For exercise 4, one try opens the model answer.
#
# ask: "Pretraining saves 90 % of the labels." What do you ask?
#
# expect: "On which task?" And ahead of whom: of a fresh network, or of the strongest rival without one?
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## If you have time
#
# ### How many labels does pretraining save?
#
# When does the fresh network reach what the pretrained one does with 50 labels? (10 minutes.)

# %%
predict("catch", "How many labels until fresh weights do as well as pretrained ones with 50?")

# %% [markdown] exercise="labels_needed"
# ### Exercise 6. What are the labels worth?
#
# Write `labels_needed(labels, accuracy, level)`. `labels` are rising numbers of labels, `accuracy` the accuracy at each (the share of correct answers). Return the number of labels at which the curve **first** reaches `level`. Between two points the curve is a straight line over the **logarithm** of the labels. If the first point is at the level or above it, return its number of labels; if the curve never reaches the level, infinity.


# %% exercise="labels_needed"
def labels_needed(labels, accuracy, level):
    """The number of labels at which the curve first reaches the level."""
    ### BEGIN SOLUTION
    if accuracy[0] >= level:
        return float(labels[0])
    for i in range(1, len(labels)):
        if accuracy[i] >= level:
            share = (level - accuracy[i - 1]) / (accuracy[i] - accuracy[i - 1])
            return float(labels[i - 1] * (labels[i] / labels[i - 1]) ** share)
    return float("inf")
    ### END SOLUTION


# %% check="labels_needed"
check("labels_needed", labels_needed)

# %% [markdown] hints="labels_needed"
# nudge: Find the first point that reaches the level. Between which two points does the curve cross it?
#
# idea: How much of the way up from one point to the next is done at the level? Go the same share of the way between the two logarithms.
#
# outline: The first point first. Then each pair of neighbours: if the right one reaches the level, the share of the way, and the left number times the ratio of both to that power. At the end, infinity.

# %%
labels_needed = or_reference("labels_needed", labels_needed)
task = curves.numbers["tasks"]["noun or verb"]
accuracy = {name: [point["mean"] for point in row.values()] for name, row in task["right"].items()}
labels = [int(count) for count in task["right"]["fresh"]]
for name in ("fresh", "features", "features and counts"):
    print(f"{name}: {labels_needed(labels, accuracy[name], accuracy['fine-tuned'][0]):,.0f} labels")
of_fresh = "labels that fresh needs for what fine-tuned does with the fewest"
ends = curves.numbers[of_fresh]["noun or verb"]
print(f"fresh, other draws and texts: {ends['low']:,.0f} to {ends['high']:,.0f} labels")
for name in ("fresh", "table of last words"):
    part = accuracy[name][labels.index(200)] / accuracy[name][labels.index(1_600)]
    print(f"{name}: with 200 labels {part:.0%} of what it has with 1,600")
outcome("catch", labels_needed(labels, accuracy["fresh"], accuracy["fine-tuned"][0]))

# %% [markdown]
# The fresh network needs about eight times as many (four to seventeen times, with other draws and texts). *Features and counts* need none more: at 50 labels they are already there. So **labels saved** depend on whom you compare with.
#
# *"With 10 to 20 % of the labels you reach 80 to 90 % of the performance"* circulates without a source. Here an eighth of the labels brings a network that has **read nothing** to 77 % of what it reaches with all of them, and a mere table of last words to 88 %. So such a sentence says nothing of pretraining.

# %% [markdown]
# ### Another task: what comes next?
#
# Take away the last word and ask for **its** class: which of ten classes comes *next*? Now nothing is there to look up. `untrained` takes another task as it is. (10 minutes.)

# %% slide="subslide"
ASKED = course.next_class()
print(*ASKED.classes, sep="; ")
print(" ".join(ASKED.train.texts[0]), "->", ASKED.classes[ASKED.train.labels[0]])
after = untrained(ASKED, 200, range(10))
for name in ("table of last words", "last word's vector", "features"):
    print(lead_of(after, "frozen state", name))

# %% [markdown]
# The frozen state leads all three. But who asks what comes next has an older answer: **count**. One more rival, *what counts expect next*. Triples of words in the president's own speeches give each possible next word a probability (Kneser-Ney, lesson 03). Take the mean of all words' counted vectors, weighted by these probabilities. That one vector, 96 numbers, goes to the logistic regression. No network. (Its form was chosen on dev; ten draws, stored.)

# %% slide="subslide"
expected = course.stored_result("why_bert_next").numbers
counted, state = "what counts expect next", "frozen state"
level = course.leads_by_labels(expected, state, counted)
rows = [state, counted, "last word's vector"]
course.label_curves(expected, rows, f"200 labels. {level[200].title}")

# %%
for count, lead in level.items():
    print(f"{count:,} labels; {lead}")
print(f"200 labels; {course.leads_by_labels(expected, 'counts and state', counted)[200]}")

# %% [markdown]
# **The lead was over weak rivals.** The state lies about two points above the counts everywhere, and nowhere clearly; beside them it adds nothing that can be seen. (With 377 texts a lead below three points does not show.) *Where is* and *there is* end in the same word, and a table of triples can tell them apart, too. So before you praise a network, ask what counting the same text would have brought.

# %% [markdown]
# ### Four models of one year
#
# What each fixed, and what it left open:
#
# | model | fixed | left open |
# |---|---|---|
# | ULMFiT, January 2018 | the whole network is carried over; a recipe that forgets less | an LSTM, one direction at a time; tried on classification alone |
# | ELMo, February 2018 | vectors in context, from all layers; any task's network can take them in | two readers who never meet; each task still builds its own network |
# | GPT, June 2018 | blocks in place of LSTMs; one network for twelve datasets | looks back only; 512 tokens |
# | BERT, October 2018 | both sides in every layer; one linear layer for each task | learns from 15 % of the words; writes no text; 512 tokens; costly |
#
# ### Opinions, with what speaks for and against
#
# *"Had ELMo used a Transformer, BERT would have made less of a stir."* Nobody has measured it. For it: GPT's table 5. With an LSTM instead of the Transformer, the average fell by 5.6 points. (That LSTM had one layer, the Transformer twelve blocks.) Against it: BERT's table 5, section 8. A BiLSTM on top of the Transformer that looks to one side wins back much of SQuAD (84.9) and nothing elsewhere.
#
# *"ELMo is only better word vectors; BERT is a backbone."* For it: ELMo enters networks that each task builds, BERT needs one linear layer. Against it: BERT's frozen layers, used as ELMo's were, come within 0.3 points on names.

# %% [markdown] slide="slide"
# ## Recap
#
# - A body, a head, two parameter groups, one loop: that is fine-tuning. Each variant was one word in a call. The body must learn slowly; warm-up showed no gain.
# - Pretrained weights are a better initialisation. Their size alone brings nothing clear; which number stands where is worth 18 points here (three draws), and it lies in the chain of table and blocks, not in one of them.
# - At equal training loss the pretrained network does better on new texts: so it is not only speed; regularisation or knowledge is part of it. When to stop depends on what you count, loss or right answers.
# - A normal prior around $w_0$ is a pull (L2-SP) with $\lambda = 1/(N\tau^2)$, as weight decay is one around 0. A good centre is worth most with the fewest labels. On the whole body the pull gained nothing.
# - What reading brings depends on text and task: with the order of words it helped to tell nouns from verbs, shuffled it did not; on the questions each reading hurt.
# - To a network, pretraining gives 15 points with 50 labels. To features and counts from the same labels it adds 3.5, and with 800 nothing that can be seen.
# - Where names differ, nothing may be loaded, silently. Measure the body before training.
# - Read a gain as a share of the error, ask what else differs and which version of the table it is, and look for the rival that needs no network.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# Opinions depend on single strong words, names on spelling and the words around them, questions and answers on how two texts fit. **Why can one language model, trained without a label, help all three? Name a kind of task on which you expect it not to help, and how you would find out.** Five to eight sentences, with at least two measurements from this lesson or the one on layers.

# %% [markdown] discussion="one_model_many_tasks" points=3
# **Rubric, 3 points.** 1 for the reason: guessing words needs form, syntax, meaning and some facts at once, and the labels only have to pick out what is there; with a measurement (scrambled weights, weights kept up to a height, shuffled text, layers of lesson 09). 1 for a kind of task that fails, with a reason that follows from the first: what is not needed to guess words, a domain or language far from what was read, a task where a bag of words is enough. 1 for a test that could refute it: a control (fresh, scrambled, features or counted vectors), several draws, an interval. 0.5 of it without a control.

# %% [markdown] model_answer="one_model_many_tasks"
# Whoever must guess the next word profits from everything that makes words likely: that *to* asks for a verb, which words are kind, who is a person. So the states hold many things at once, and a task with labels only has to find the direction in which its own answer lies. Our scrambled weights keep hardly a tenth of the lead, so it is the arrangement that helps; the table of words alone brings 3 points of the 18, and with only the first block scrambled not clearly more is left, so table and blocks serve one another. Shuffled text shows that order is part of it where the task needs order. Lesson 09 found parts of speech and senses in both LSTM layers of one network.
#
# It should fail where the answer is not worth anything for guessing words: whether a sum in a text is right, whether a signature is forged, what a word means in a company's private code. It should help little where single words decide and labels abound. I would take such a task, fine-tune from pretrained, scrambled and fresh weights with 50 to 1,600 labels and five draws, and put the best counts and features beside them. If pretrained weights are not ahead of scrambled ones by more than the interval, or add nothing to the counts, what was learnt in reading does not serve there.

# %% [markdown]
# ## Further reading
#
# - Erhan and others, *Why does unsupervised pre-training help deep learning?*, Journal of Machine Learning Research 11, 2010.
# - Li, Grandvalet and Davoine, [Explicit inductive bias for transfer learning with convolutional networks](https://arxiv.org/abs/1802.01483), 2018: L2-SP, the pull to the start, with photos.
# - Peters, Ruder and Smith, [To tune or not to tune?](https://arxiv.org/abs/1903.05987), 2019.
# - In the package: `elmo_mini/models/fine_tuning.py`, and `python -m course.why_bert.experiments knowledge labels next`, which repeats the stored figures.
#
# Next: **15 · A hundred labels.**
