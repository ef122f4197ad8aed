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
# ## Starting from a language model
#
# Lesson 04 · Dai and Le, 2015 · Ramachandran, Liu and Le, 2017
#
# minutes: 1
#
# say: In lesson 03 we looked at a reader's states from outside. The other way to use a reader is to become it: a new network takes over its weights and goes on from there. Using for one task what was learnt on another is called transfer learning.
#
# ask: Who was the first to fine-tune a pretrained language model?
#
# expect: "GPT." GPT is from June 2018, Dai and Le from 2015, Ramachandran and others were on arXiv in November 2016.
#
# skip: Leave out the question.

# %% [markdown] slide="slide"
# # 04 · Starting from a language model
#
# In lesson 03 you trained a reader on plain text and looked at its states from outside. The other way to use a reader is to **become** it: a new network takes over its weights and goes on from there. Using for one task what was learnt on another is **transfer learning**.

# %% tags=["road"]
from course.figures import plots

plots.road("04")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - let your own language model talk, and let it judge a sentence without a label,
# - write a classifier that moves into it, the loop that trains it, and say where a gain comes from,
# - measure forgetting, and derive how much of the old loss prevents it,
# - write one step of a translator, and let it say a sentence.
#
# ## The papers
#
# - **Dai and Le**: *Semi-supervised Sequence Learning*, NIPS 2015, arXiv:1511.01432.
# - **Ramachandran, Liu and Le**: *Unsupervised Pretraining for Sequence to Sequence Learning*, EMNLP 2017, arXiv:1611.02683.
#
# Plan 120 minutes, 145 with second tries. Short of time? Exercises 1 to 6 are the spine, 95 minutes. The translator of section 4 can wait for another day.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $B$, $S$, $T$ | sentences in a batch, words in a source, in a target | $q$ | the decoder's question |
# | $H$; $V$, $C$ | numbers in a state; words in the vocabulary, classes | $k_s$ | what source word $s$ offers to it, its key |
# | $\mathcal{L}$, $g$ | a loss, its gradient | $\alpha_s$ | the attention weight of source word $s$ |
# | $w$ | the weight of the old loss | $\eta$ | the learning rate |

# %% [markdown] instructor=true
# **Instructor.** Honest minutes: section 1, 30; section 2, 38 (exercise 5 alone is 15); section 3, 17; section 4, 32 (exercise 8 is 13); the rest, 3; the optional sections, 20 more. For 90 minutes: stop after section 3. Students get stuck in exercise 5 on the modes: a look sets the model to evaluation, and nobody sets it back. Poll before section 2: "You have 100 labels and 9,000 sentences without. Copy the word vectors, the LSTM, both, or neither?"

# %% [markdown] slide="slide"
# ## 1. Your model, once more
#
# Take your parts of lesson 03 and train your language model. Its LSTM is PyTorch's, `nn.LSTM`: you showed that yours gives the same states, and theirs is faster. (One reading, about 5 s.)

# %%
from functools import partial

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict, progress
from course.starting_from_a_language_model import report, transfer_setup
from elmo_mini.progress import WithProgress, progress_bar

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings
LanguageModel, train_windows = mine("LanguageModel"), mine("train_windows")  # of lesson 03
next_word_windows, stream_rows = mine("next_word_windows"), mine("stream_rows")
draw_word = mine("draw_word")

# %% slide="subslide"
TEXT, BOUNDARY = transfer_setup.transfer_setup(), transfer_setup.BOUNDARY
vocabulary, V, SIZE = TEXT.vocabulary, len(TEXT.vocabulary), TEXT.size
RATES = (1e-2,) if TEXT.large else (1e-2, 1e-2, 1e-2, 3e-3)  # a small text is read more often


def nats_of(logits, targets):
    """The mean surprise of all words: logits (B, T, V), targets (B, T)."""
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def language_model(stream, seed=0):
    """Your language model of a text, one reading for each rate."""
    torch.manual_seed(seed)
    model = LanguageModel(V, SIZE, partial(nn.LSTM, batch_first=True))
    windows = next_word_windows(stream_rows(stream, 16), 24)
    for rate in RATES:
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        with progress_bar(total=len(windows)) as bar:
            train_windows(model, windows, nats_of, optimiser, 1.0, lambda step: bar.update())
    return model.eval().requires_grad_(False)  # from here on it stays as it is


model = language_model(TEXT.stream)
rows = stream_rows(TEXT.held_out_third[:4_000], 8)
READ, SAID = rows[:, :-1], rows[:, 1:]  # held-out text, far from the sentences with labels
known, logits = SAID != transfer_setup.UNKNOWN, model(READ)[0]
rest = nats_of(logits[known][None], SAID[known][None]).exp()
print(f"{len(TEXT.train):,} sentences to learn from ({len(TEXT.stream):,} tokens)")
print(f"{V:,} words; {SIZE} numbers in a word vector and in a state")
print(f"Perplexity on held-out text: {nats_of(logits, SAID).exp():.0f}")
print(f"{1 - known.double().mean():.0%} of it is <unk>, easy to guess; on the rest: {rest:.0f}")

# %% [markdown] exercise="go_on" slide="subslide"
# ### Exercise 1. It goes on talking
#
# In lesson 03 you drew one word. A machine that talks reads its own word before it chooses the next: it is *autoregressive*. Write the loop, `go_on(step, start, choose, boundary, longest)`:
#
# - `step(word, state)` reads one word (an id) and returns two things: the scores (V,) of the next word, and the new state. The first word of all is read with the state None, each later one with the state that the step before returned.
# - First the words of `start` are read, in order. Then `choose(scores)` says the next word, which is read in its turn, and so on.
# - It ends when `boundary` is chosen, or after `longest` chosen words.
#
# Return the list of chosen words: without `start`, and without the boundary. You will use this loop twice today.


# %% exercise="go_on"
def go_on(step, start, choose, boundary, longest):
    """The words that are chosen after `start`, each read before the next is chosen."""
    ### BEGIN SOLUTION
    state, said = None, []
    for word in start:
        scores, state = step(word, state)
    while len(said) < longest:
        word = choose(scores)
        if word == boundary:
            break
        said.append(word)
        scores, state = step(word, state)
    return said
    ### END SOLUTION


# %% check="go_on"
check("go_on", go_on)

# %% [markdown] hints="go_on"
# nudge: Play the machine with pen and paper: `start` is *the old*, and you choose *man*, *read*, boundary. What is read, in which order? After which words do you choose?
#
# idea: Two things travel from step to step: the scores, for the next choice, and the state, for the next step. Both are overwritten each time.
#
# outline: State None, an empty list. A loop over `start` that keeps scores and state. While the list is shorter than `longest`: choose; stop at the boundary; else append the word and take a step with it.

# %% [markdown] model_answer="go_on"
# The boundary is tested before the word is kept. The step at the end of the loop reads what was just said: without it the model would choose from the same scores for ever.

# %% [markdown] deck="printed"
# ## Your model, once more: the likeliest word, and a drawn one
#
# minutes: 1.5
#
# say: A machine that talks reads its own word before it chooses the next: it is autoregressive. First line: the likeliest word each time. It goes round in circles. Second line: drawn by the probabilities, at temperature 0.7.
#
# ask: Why does the likeliest word each time not give the likeliest sentence?
#
# expect: "It should." After a good first word the best second one may lie elsewhere. And the same page leads to the same word, again and again.
#
# skip: Read the first line aloud, that is enough.

# %% slide="subslide"
go_on = or_reference("go_on", go_on)
MY_START = "she said"


def step(word, state):
    """One word through your model: scores (V,) of the next word, and the new state."""
    logits, state = model(torch.tensor([[word]]), state)
    logits[0, -1, transfer_setup.UNKNOWN] = -torch.inf  # it never says <unk>
    return logits[0, -1], state


def likeliest(scores):
    """The word with the best score."""
    return int(scores.argmax())


torch.manual_seed(1)
for choose in (likeliest, lambda scores: draw_word(scores, 0.7)):
    said = go_on(step, [BOUNDARY, *vocabulary.encode(MY_START.split())], choose, BOUNDARY, 20)
    print(MY_START, *vocabulary.decode(said))

# %% [markdown] deck="words"
# ## A judge without a label
#
# Are the words of this sentence in order, or has somebody shuffled them?
#
# . . .
#
# Add up how much each word **surprises** the model: $-\log p$.
#
# . . .
#
# Shuffle five times more. If one of these surprises it **less**: shuffled.
#
# minutes: 1.5
#
# say: Half of the sentences are shuffled; the last token stays in its place. Nobody has given the model a label. It compares the sentence with shuffles of itself.
#
# ask: Who else could judge like this?
#
# expect: "A grammar." Anything that gives probabilities: counts of pairs, for example.
#
# skip: Show all steps at once.

# %% [markdown] slide="subslide"
# (The first line takes the likeliest word each time, the second draws.) Now let it listen.
#
# ### A judge without a label
#
# **Are the words of this sentence in order, or has somebody shuffled them?** Half of the sentences are shuffled; the last token stays in its place. A language model can judge that. Add up how much each word surprises it, $-\log p$ in nats. Then shuffle the sentence five times more. If one of these shuffles surprises the model less, the sentence was probably not in order.

# %% [markdown] exercise="by_surprise"
# ### Exercise 2. A judge without a label
#
# Write `by_surprise(bets, sentence, others, boundary)`. `sentence` is a tensor (T,) of word ids without boundaries, `others` (K, T) has K shuffles of it. `bets(ids)` takes ids (rows, T) and returns, at each position, a score for each word that may come next, (rows, T, V), before the softmax.
#
# The surprise of a sentence is $-\log p$ of all its words and of the boundary after the last one. In front of the first word the model reads a boundary, too: put it there. Return the surprise of `sentence` less that of the **least** surprising of the others, in nats: a number above 0 says *shuffled*.


# %% exercise="by_surprise"
def by_surprise(bets, sentence, others, boundary):
    """Nats by which the sentence surprises more than the least surprising of the others."""
    ### BEGIN SOLUTION
    rows = torch.cat([sentence[None], others])
    edge = torch.full((len(rows), 1), boundary)
    scores = bets(torch.cat([edge, rows], 1))
    targets = torch.cat([rows, edge], 1)
    nats = functional.cross_entropy(scores.transpose(1, 2), targets, reduction="none").sum(1)
    return float(nats[0] - nats[1:].min())
    ### END SOLUTION


# %% check="by_surprise"
check("by_surprise", by_surprise)

# %% [markdown] hints="by_surprise"
# nudge: Write *a b c* with both boundaries. What does the model read, and what is asked for at each position?
#
# idea: All rows have the same length, so they can be read at once: sentence and others in one table, a column of boundaries in front for what is read, behind for what is asked. `functional.cross_entropy(..., reduction="none")` gives the surprise of each word; it wants the words of the vocabulary on axis 1.
#
# outline: `torch.cat([sentence[None], others])`; a column `torch.full((rows, 1), boundary)`; scores of column and rows; targets are rows and column; cross-entropy of `scores.transpose(1, 2)`, added up over axis 1; the first less the smallest of the rest.

# %% [markdown] model_answer="by_surprise"
# A sentence and its shuffles have the same words and the same length, so only their order can make a difference. The boundary at the end counts: a sentence seldom stops after *the*.

# %% [markdown] slide="subslide"
# Who else could judge? Lesson 03 had a strong opponent: **counts of pairs** of the same text (Kneser and Ney). They have `bets`, too. And two judges can bet together: half of the probability from each. What does the network **add** to the counts? This is how each is judged:

# %% slide="subslide"
by_surprise = or_reference("by_surprise", by_surprise)


def judged(bets, examples=TEXT.unseen[:400]):
    """(N,): 1 where these bets alone are right about a sentence."""
    torch.manual_seed(1)
    right = []
    for words, shuffled in examples:
        *free, last = words  # the last token stays where it is
        orders = [torch.randperm(len(free)).tolist() for _ in range(5)]
        others = torch.tensor([[*(free[place] for place in order), last] for order in orders])
        nats = float(by_surprise(bets, torch.tensor(words), others, BOUNDARY))
        right.append((nats > 0) == bool(shuffled))
    return np.array(right, float)


# %% [markdown] deck="poll"
# ## How many sentences do counts of pairs judge correctly?
#
# - about 50 %, as by chance
# - about 70 %
# - about 90 %
#
# minutes: 1.5
#
# say: Counts of pairs, smoothed, from the same text. No network. They compare the sentence with its five shuffles by the same rule.
#
# ask: The poll.
#
# expect: "70: they have no idea of grammar." A shuffle breaks nearly every pair of neighbours.
#
# skip: Take one vote.

# %%
predict("no_label", "What share of the sentences do counts of pairs judge correctly?", unit="%")

# %% [markdown]
# (With one more language model, from another seed: about 15 s.)

# %% [markdown] deck="figure"
# ## Shuffled or not, no label: does the LSTM add to counts?
#
# minutes: 2
#
# say: Nine in ten, without a label. And the network is not better than counting. Let both bet together, half of the probability from each: the interval of what the network adds holds zero.
#
# ask: Is the task too easy, or the network too weak?
#
# expect: "The network is too weak." Look at the task first: who knows which words stand side by side sees a shuffle at once.
#
# skip: The first two bars.

# %% slide="subslide"
from course.baselines.kneser_ney import KneserNey

pairs, triples = (KneserNey(TEXT.stream.tolist(), V, order).scores for order in (2, 3))
models = [model, language_model(TEXT.stream, seed=1)]
lstms = [lambda ids, network=network: network(ids)[0] for network in models]


def mixed(one, other):
    """Bets of which half the probability comes from each of two."""
    return lambda ids: torch.logaddexp(one(ids).log_softmax(-1), other(ids).log_softmax(-1))


alone = {
    "counts\nof pairs": judged(pairs)[None],
    "your LSTM": np.stack([judged(bets) for bets in lstms]),
    "both,\nmixed": np.stack([judged(mixed(bets, pairs)) for bets in lstms]),
}
adds = report.lead(alone["both,\nmixed"], alone["counts\nof pairs"])
report.right_figure(alone, f"Shuffled or not, no label. What the LSTM adds, in points: {adds}")

# %%
report.print_leads(alone, "both,\nmixed")
outcome("no_label", 100 * alone["counts\nof pairs"].mean(), unit="%")

# %% [markdown] deck="words"
# ## A better question: what lies further back
#
# Two sentences have a word in common. They **exchange everything that stands behind it**.
#
# . . .
#
# > I have read **the** | letter from my mother.
# >
# > We cannot stop **the** | rain in Spain.
#
# . . .
#
# Which two are the originals?
#
# minutes: 1.5
#
# say: These two are for the slide; the lesson takes its sentences from held-out text. The word *the* stays, the ends change sides. The sentences are in order, and every word has sensible neighbours.
#
# ask: What must a judge know, to find the originals?
#
# expect: "Grammar." Both versions are grammatical, nearly always. What came before *the*.
#
# skip: Only the drawing of the exchange.

# %% [markdown]
# About nine in ten, from plain text alone. (Whiskers: 95 % intervals over the sentences, and over two seeds for the networks.) But **counting pairs is as good**, and the network adds nothing clear. The reason is in the task: a shuffle breaks nearly every pair of neighbours, and whoever knows which words stand side by side sees it at once.
#
# So ask a better question, one in which what lies **further back** decides. Two sentences have a word in common, say *the*, somewhere in the middle. They exchange everything that stands behind it. Which two are the originals? (About 10 s.)

# %% [markdown] deck="poll"
# - about 50 %, as by chance
# - about 70 %
# - about 90 %
#
# minutes: 1
#
# say: The same counts of pairs, the new question.
#
# ask: The poll.
#
# expect: "70, a little worse than before." Exactly half: the very same pairs stand in both versions.
#
# skip: Say the number and why.

# %%
predict("exchanged", "How often do counts of pairs find the originals?", unit="%")

# %% [markdown] deck="figure"
# ## Ends exchanged: is your LSTM ahead of counts of triples?
#
# minutes: 2.5
#
# say: Pairs can only toss a coin. Our LSTM is ahead of them, by some six points: its state does carry something from further back. But triples see one word beyond the shared one, and with that alone they come about as far. In both tasks a network of this size is not clearly ahead of the best counts. Lesson 07 asks again, with one that has read four million words.
#
# ask: Is a small gain over chance a proof of understanding?
#
# expect: "At least it understands something." Triples do as well, and they know one word more.
#
# skip: The last two bars.

# %% slide="subslide"
PAIRED = TEXT.exchanged[:1_000]
for what, words in zip(("originals:", "ends exchanged:"), PAIRED[0], strict=True):
    print(what, *vocabulary.decode(words.tolist()))


def found(bets):
    """(N,): 1 where the originals surprise less, a half where both surprise alike."""
    nats = [by_surprise(bets, own, other[None], BOUNDARY) for own, other in WithProgress(PAIRED)]
    return np.array([0.5 if abs(n) < 1e-3 else float(n < 0) for n in nats])


further = {
    "counts\nof pairs": found(pairs)[None],
    "counts\nof triples": found(triples)[None],
    "your LSTM": np.stack([found(bets) for bets in lstms]),
}
adds = report.lead(further["your LSTM"], further["counts\nof triples"])
report.right_figure(further, f"Ends exchanged. Your LSTM less counts of triples, in points: {adds}")

# %%
report.print_leads(further, "your LSTM", "pairs of sentences")
outcome("exchanged", 100 * further["counts\nof pairs"].mean(), unit="%")

# %% [markdown]
# Counts of pairs can only toss a coin: the very same pairs stand in both. With Brown **your LSTM is ahead of them**: its state does carry something from further back. But not much. Triples see one word beyond the shared one, and with that alone they come about as far (no clear difference). Lesson 07 asks again, with a network that has read four million words.

# %% [markdown] deck="words"
# ## Moving in with the furniture: Dai and Le, 2015
#
# Looking for a good restaurant in a strange city: dropped **anywhere**, or in the **old town**?
#
# . . .
#
# A language model becomes a classifier: **everything but the last layer** moves in.
#
# . . .
#
# All weights go on learning: **fine-tuning**.
#
# minutes: 2
#
# say: Training is such a search. Pretraining starts it in the old town: first learn from text without labels, then go on with the few labels that you have. A fresh layer on the last hidden state names the class.
#
# ask: What is different from reading the states from outside?
#
# expect: "Nothing, the numbers are the same." At the start. Then they move, with every label.
#
# skip: The second step.

# %% [markdown] slide="slide"
# ## 2. Moving in with the furniture: Dai and Le, 2015
#
# You look for a good restaurant in a strange city. Dropped anywhere, you may search for hours; in the old town, you only have to look around. Training is such a search. **Pretraining** starts it in the old town: first learn from text without labels, then go on with the few labels that you have.
#
# Dai and Le carried over **everything but the last layer**: a language model becomes a classifier. It reads the text, and a fresh layer on its last hidden state names the class. **All** weights go on learning: this is **fine-tuning**.

# %% [markdown] exercise="LSTMClassifier"
# ### Exercise 3. Read, then judge
#
# Write the class `LSTMClassifier(words, classes, embedding, hidden, dropout)`. Its parts are called `embedding`, a table of word vectors; `lstm`, one layer; and `output`, a linear layer that gives a logit to each class. (`embedding` is the length of a word vector, `hidden` the number of units of the LSTM.)
#
# `forward(ids, lengths)` is given word ids (B, T), with padding at the end of shorter sentences, and the number of real words of each sentence, (B,). It returns the logits (B, C), one for each class. Each sentence is judged by the state after its own last word. In training, dropout with the share `dropout` falls on what the LSTM reads and on what the last layer reads.


# %% exercise="LSTMClassifier"
from torch import nn


class LSTMClassifier(nn.Module):
    """Word vectors, an LSTM, and a linear layer on the state after the last word."""

    def __init__(self, words, classes, embedding, hidden, dropout=0.0):
        ### BEGIN SOLUTION
        super().__init__()
        self.embedding = nn.Embedding(words, embedding)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True)
        self.output = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, ids, lengths):
        """Scores (B, C)."""
        ### BEGIN SOLUTION
        states, _ = self.lstm(self.dropout(self.embedding(ids)))
        last = states[torch.arange(len(ids)), lengths - 1]
        return self.output(self.dropout(last))
        ### END SOLUTION


# %% check="LSTMClassifier"
check("LSTMClassifier", LSTMClassifier)

# %% [markdown] hints="LSTMClassifier"
# nudge: What stands in the last column of a table for a sentence of two words, if another has five? What has the LSTM read by then?
#
# idea: The states are a tensor (B, T, H). The last word of sentence b stands at `lengths[b] - 1`. Two rows of numbers as an index pick one position of each sentence.
#
# outline: `batch_first=True` for the LSTM. It returns the states and something else. Index the states with `torch.arange(len(ids))` and the lengths minus 1.

# %% [markdown] model_answer="LSTMClassifier"
# The LSTM reads the padding, too, and its states there are of no use. They stand behind the last word, so they cannot change its state.

# %% [markdown] exercise="start_from" slide="subslide"
# ### Exercise 4. Move in with the furniture
#
# A language model has the parts `embedding`, `lstm` and `softmax`; a classifier has `embedding`, `lstm` and `output`. Embedding and LSTM of the two have the same sizes.
#
# Write `start_from(classifier, language_model)`. Afterwards the classifier's embedding and LSTM have the language model's numbers, and its `output` is as it was. Training the classifier later must **not** move the language model, and all parts of both must still be able to learn. Return nothing.


# %% [markdown] deck="code"
# ## The move, in two lines
#
# minutes: 1
#
# say: Word vectors and LSTM are copied, the output layer is left fresh. Let the room say the two lines.
#
# ask: Why not simply assign the module of the one to the other?
#
# expect: "It is the same." Then they share their numbers, and training the classifier would spoil the language model.
#
# skip: Show the answer at once.


# %% exercise="start_from"
def start_from(classifier, language_model):
    """Copy embedding and LSTM of the language model into the classifier."""
    ### BEGIN SOLUTION
    classifier.embedding.load_state_dict(language_model.embedding.state_dict())
    classifier.lstm.load_state_dict(language_model.lstm.state_dict())
    ### END SOLUTION


# %% check="start_from"
check("start_from", start_from)

# %% [markdown] hints="start_from"
# nudge: Which parts do both models have? And what is the difference between giving somebody your key and giving them a copy of your furniture?
#
# idea: Every module gives its numbers with `state_dict()` and takes such numbers with `load_state_dict(...)`, which copies them. An assignment like `classifier.lstm = language_model.lstm` makes both use one and the same part.
#
# outline: For each of the two parts: `classifier.part.load_state_dict(language_model.part.state_dict())`.

# %% [markdown] model_answer="start_from"
# `load_state_dict` copies numbers. After an assignment both models would share one part, and training the classifier would move the language model.

# %% [markdown] exercise="tune_and_watch" slide="subslide"
# ### Exercise 5. The loop, with an eye on what is lost
#
# One loop will train everything in this lesson. It can also look at the model on the way, and minimise beside the new loss an old one, of what the model was trained for before; section 3 needs both.
#
# Write `tune_and_watch(model, batches, loss_of, rate, watch, every, old_loss=None, weight=1.0)`. This must be true:
#
# - It takes one step of Adam for each batch, in their order. The learning rate falls in a straight line: `rate` in the first step, 0 one step after the last.
# - It minimises `loss_of(batch)`, plus `weight` times `old_loss()` where an `old_loss` is given. Before each step the norm of this sum's gradient, over all parameters together, is clipped at 1.
# - `watch()` is called before the first step, after every `every` steps, and after the last. Where two of these coincide, it is called once. It sees the model in evaluation mode and without gradients.
# - The model learns in training mode, and is left in evaluation mode.
# - It returns two lists: `loss_of` of each batch before its step, as plain numbers, and what `watch()` returned.


# %% exercise="tune_and_watch"
def tune_and_watch(model, batches, loss_of, rate, watch, every, old_loss=None, weight=1.0):
    """Train in place; the loss of each batch, and what was seen on the way."""
    ### BEGIN SOLUTION
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses, watched = [], []

    def look():
        model.eval()
        with torch.no_grad():
            watched.append(watch())

    look()
    for step, batch in enumerate(batches):
        model.train()
        optimizer.param_groups[0]["lr"] = rate * (1 - step / len(batches))
        loss = loss_of(batch)
        total = loss if old_loss is None else loss + weight * old_loss()
        optimizer.zero_grad()
        total.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        if len(losses) % every == 0 or len(losses) == len(batches):
            look()
    model.eval()
    return losses, watched
    ### END SOLUTION


# %% check="tune_and_watch"
check("tune_and_watch", tune_and_watch)

# %% [markdown] hints="tune_and_watch"
# nudge: Write down, for three batches and `every=2`, the rate of each step and where the looks fall. In which mode is the model in each line?
#
# idea: The rate of step s, counted from 0, is `rate` times 1 - s / number of batches; write it into `optimizer.param_groups[0]["lr"]`. A look is needed in two places, so give it a name. Clipping stands between `backward` and the step.
#
# outline: Adam once. A look. For each batch: training mode; the rate; the task's loss, whose `.item()` is noted at once; the sum, under a name of its own; zero the gradients, backward of the sum, `nn.utils.clip_grad_norm_`, step; a look if the number of losses is a multiple of `every` or the last. Evaluation mode at the end.

# %% [markdown] model_answer="tune_and_watch"
# A look changes the mode, so the mode must be set back. `model.train()` at the beginning of every step is the simplest way to be sure. The list has the task's loss alone, so that runs with and without an old loss can be compared.

# %%
LSTMClassifier = or_reference("LSTMClassifier", LSTMClassifier)
start_from = or_reference("start_from", start_from)
tune_and_watch = or_reference("tune_and_watch", tune_and_watch)

# %% [markdown] slide="subslide"
# ### Does it help, and which part of it?
#
# Shuffled or not, once more, now with 100 labelled sentences. Your classifier gets four starts: at random; with your language model's **word vectors** alone; with its **LSTM** alone; with **both**. Beside them stands naive Bayes, which counts words and multiplies their probabilities in each class. It counts all words (a shuffle keeps these, so it can only guess), or only the two ends: the first word, and the last one before the final token.

# %% [markdown] deck="poll"
# - 0 points
# - 5 points
# - 15 points
# - 30 points
#
# minutes: 1
#
# say: Shuffled or not, once more, now with a hundred labelled sentences to learn from. A random start, or everything from the language model.
#
# ask: The poll.
#
# expect: "30: it did nine in ten without a label." A last state is something else than a sum of surprises.
#
# skip: Take one vote.

# %%
predict("order_start", "100 labels: how many points is the whole move ahead of the random start?")

# %% slide="subslide"
IDS, LENGTHS, LABELS = TEXT.test  # held-out sentences that are in no draw of labels
words, shuffled = TEXT.drawn(0)[1]
print("shuffled:" if shuffled else "in order:", *vocabulary.decode(words))
print(f"{len(TEXT.drawn(0))} such sentences in each draw, {len(LABELS):,} others to judge by")


def fresh_with(draw, *parts):
    """A fresh language model, another for each draw, with these parts of yours."""
    torch.manual_seed(100 + draw)
    fresh = LanguageModel(V, SIZE, partial(nn.LSTM, batch_first=True))
    for part in parts:
        getattr(fresh, part).load_state_dict(getattr(model, part).state_dict())
    return fresh


def task_loss(classifier, batch):
    """The mean cross-entropy of a batch."""
    ids, lengths, labels = batch
    return functional.cross_entropy(classifier(ids, lengths), labels)


def moved_in(start, seed):
    """Your classifier, with embedding and LSTM of a language model."""
    torch.manual_seed(seed)
    classifier = LSTMClassifier(V, 2, SIZE, SIZE, dropout=0.2)
    start_from(classifier, start)
    return classifier


@torch.no_grad()
def right_now(classifier):
    """(N,): 1 where it is right about an unseen sentence."""
    return (classifier(IDS, LENGTHS).argmax(-1) == LABELS).double().numpy()


# %% [markdown] deck="figure"
# ## Shuffled or not, few labels: what does the move bring?
#
# minutes: 2.5
#
# say: From the left: naive Bayes on all words can only guess. Then naive Bayes on the two ends of the sentence. A random start learns its labels by heart, and next to nothing about other sentences. Vectors alone or the LSTM alone help a little, both together much: the LSTM was trained to read just these vectors. But the two ends, counted, do about as well. And the judges without a label are far ahead of every bar here.
#
# ask: Which bar spoils the story?
#
# expect: "The random start." It makes the story. The second one: a sentence seldom ends in *the*, and counting finds that out.
#
# skip: The last bar and the second.


# %% slide="subslide"
def right_from(start_of):
    """For three draws of labels: right or not, (3, N), and the mean loss of ten passes, (3, 10)."""
    rows, passes = [], []
    for draw in range(3):
        classifier = moved_in(start_of(draw), draw)
        batches = TEXT.batches(TEXT.drawn(draw), epochs=10, seed=draw, size=8)
        loss_of = partial(task_loss, classifier)
        losses, _ = tune_and_watch(classifier, batches, loss_of, 0.003, lambda: None, len(batches))
        rows.append(right_now(classifier))
        passes.append(np.reshape(losses, (10, -1)).mean(1))
    return np.stack(rows), np.stack(passes)


started = {
    "random\nstart": right_from(fresh_with),
    "LM's\nvectors": right_from(lambda draw: fresh_with(draw, "embedding")),
    "LM's\nLSTM": right_from(lambda draw: fresh_with(draw, "lstm")),
    "both": right_from(lambda draw: model),
}
right = report.right_by_counting(TEXT) | {name: rows for name, (rows, _) in started.items()}
gain = report.lead(right["both"], right["random\nstart"])
report.right_figure(right, f"Shuffled or not, few labels. Both less random start: {gain}")

# %%
report.print_leads(right, "both")
for name in ("random\nstart", "both"):
    first, *_, last = started[name][1].mean(0)
    who = " ".join(name.split())
    print(f"{who}: loss of its own labels {first:.2f} in the first pass, {last:.2f} in the last")
outcome("order_start", gain.mean)

# %% [markdown]
# With Brown, the move pays. Your loop has noted the losses: the random start learns its labels nearly by heart, and next to nothing about other sentences. This is **overfitting**. The network that moved in fits the same labels less closely, and judges other sentences better. But read the other bars.
#
# - Neither the **word vectors** alone nor the **LSTM** alone brings what both bring together: the LSTM was trained to read just these vectors.
# - Naive Bayes on the two **ends** of a sentence does about as well as the whole move. A sentence seldom ends in *the*, and counting finds that out.
# - The judges of section 1, with **no label**, are far ahead of every classifier here. Before you train anything, ask what counts and a language model say by themselves.

# %% [markdown] deck="table"
# ## Film reviews, as measured in 2015: percent wrong
#
# minutes: 1.5
#
# say: IMDB, from their table 2 as a later paper quotes it. A random start, word2vec vectors, a language model, and a sequence autoencoder, which reads a text and says it again from memory. Here the reviews are long, and there are twenty-five thousand of them.
#
# ask: How much of the gain is there with word2vec vectors alone?
#
# expect: "Very little." Three and a half of about six points.
#
# skip: First and last row.

# %% [markdown] slide="subslide"
# ### What they measured
#
# Dai and Le tried film reviews (IMDB), among other texts. They pretrained in two ways: with a language model (LM-LSTM), and with a **sequence autoencoder** (SA-LSTM), which reads a text and says it again from memory. Test errors from their Table 2, as a later paper (TopicRNN) quotes it:
#
# | start of the LSTM | percent wrong |
# |---|---|
# | at random | 13.50 |
# | word2vec | 10.00 |
# | language model | 7.64 |
# | sequence autoencoder | 7.24 |
#
# What does the **start** do for other tasks? Two more, in stored runs: a language model, of 64 units like yours, has read the task's own sentences once, without labels (about 200,000 tokens). A classifier that starts from it reads 100 labelled ones up to 40 times; 1,000 others judge it. Beside it: word2vec's vectors, of the same sentences, and a bag of words (logistic regression). Is a sentence **subjective or objective**? And a sentence is cut off somewhere: which of ten **parts of speech** is its last word?

# %% [markdown] deck="poll"
# minutes: 1
#
# say: Two more tasks, in stored runs with three draws of a hundred labels. First: is a sentence of a film page subjective or objective?
#
# ask: The poll.
#
# expect: "Helps: it always does." It depends on the task, and on how one trains.
#
# skip: Vote without reasons.

# %%
predict(
    "subjectivity_start",
    "Subjective or objective, 100 labels: what does the language model's start do?",
    options=["helps", "hurts", "no clear difference"],
)

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: Blue is subjective or objective. The whole move makes no clear difference, and a bag of words is ahead of it. Hatched is the part of speech of the last word. There it helps, by fifteen points. But the language model's word vectors alone bring as much, and so, nearly, does counting the last word.
#
# ask: What would you report: the gain over the random start?
#
# expect: "Yes, that is what one does." Beside it the vectors alone, and the cheapest count.
#
# skip: One of the two tasks.

# %% slide="subslide"
report.starts_figure(report.starts_title())

# %%
report.print_starts()
outcome("subjectivity_start", report.verdict("subjectivity"))

# %% [markdown] deck="words"
# ## Why should a start help at all? Three stories
#
# - **The search starts in a better place.**
# - **A leash:** few labels, many fits. A pretrained network ends near its start.
# - **Knowledge:** to predict a word one must know grammar, and which words go together.
#
# minutes: 2
#
# say: Three stories are told, and lesson 14 tests them. The second is often called a prior. That is an analogy: neither Dai and Le nor ELMo nor ULMFiT puts a penalty on moving away.
#
# ask: Which one do you believe? And which measurement would tell them apart?
#
# expect: "Knowledge." Then what do its word vectors know? They brought the whole gain just now.
#
# skip: Read them.

# %% [markdown]
# (Whiskers: over three draws of labels, by **Student's t**, which allows for how few they are. For each start, rate and stopping pass were chosen on 500 other sentences, a luxury with 100 labels.)
#
# Subjective or objective: the whole move makes no clear difference, and a bag of words is ahead of it. word2vec's vectors have the highest mean (80 %), not clearly ahead of naive Bayes. Part of speech: the move **helps**. But the language model's word vectors alone bring as much, and it is not clearly ahead of counting the last word.
#
# ### Why should a start help at all?
#
# Three stories are told, and lesson 14 tests them. **The search starts in a better place**: the restaurant. **A leash**: with few labels many settings of the weights fit them all, and many of these fail on new texts (you have just seen it); a pretrained network ends near its start. Statisticians say *prior*: an analogy, for no method here puts an explicit penalty on moving away. **Knowledge**: to predict the next word, one must know grammar and which words go together.
#
# ### Myth or measured?
#
# > *"GPT was the first to fine-tune a pretrained language model."*
#
# GPT: June 2018. Dai and Le: NIPS **2015**. Ramachandran, Liu and Le: on arXiv in November **2016**. ULMFiT, lesson 11: January 2018.

# %% [markdown] slide="slide"
# ## 3. What fine-tuning destroys
#
# Learn Spanish after Italian, and for a while you say Spanish words in Italy. A network learns the new task with the numbers that hold the old one, and nothing asks it to keep them. When much is lost, people call it **catastrophic forgetting** (Goodfellow and others measured it in 2013, arXiv:1312.6211).
#
# You can watch it. Put the old softmax on the classifier's LSTM, and it is a language model again. How good is it after eight passes over 200 labelled sentences, at the rate of section 2? Your loop can ask.

# %% [markdown] deck="poll"
# - 1, nothing is lost
# - 1.3
# - 3
# - 10
#
# minutes: 1
#
# say: Learn Spanish after Italian, and for a while you say Spanish words in Italy. We fine-tune for eight passes on labels. Then we put the old softmax on its LSTM again and ask for the old perplexity.
#
# ask: The poll.
#
# expect: "10: it is called catastrophic." It is often called so. Look first.
#
# skip: Say the number.

# %%
predict(
    "forgotten", "After fine-tuning on labels: by what factor has the perplexity grown?", unit="x"
)

# %% [markdown] deck="figure"
# minutes: 1.5
#
# say: The perplexity on held-out text, while the classifier learns its labels. Most of the loss comes early. A third worse: a part is forgotten, and no catastrophe here. In the stored runs it is 1.4 and 1.8 times.
#
# ask: Does this hurt the classifier?
#
# expect: "Yes, it forgets." Forgetting hurts only whoever still needs the old skill.
#
# skip: Title only.

# %% slide="subslide"
train = TEXT.drawn(0, 2 * TEXT.labels)
WINDOWS = next_word_windows(stream_rows(TEXT.stream, 8), 16)


def nats_inside(classifier, read, said):
    """The old loss: the classifier's embedding and LSTM under your model's softmax."""
    states, _ = classifier.lstm(classifier.embedding(read))
    return nats_of(model.softmax(states), said)


def watched_run(weight, epochs=8):
    """The classifier, and its perplexity on the way, with this weight of the old loss."""
    classifier, windows = moved_in(model, 0), iter(WINDOWS)
    _, seen = tune_and_watch(
        classifier,
        TEXT.batches(train, epochs, seed=0, size=8),
        partial(task_loss, classifier),
        rate=0.003,
        watch=lambda: float(nats_inside(classifier, READ, SAID).exp()),
        every=len(train) // 8,  # once an epoch
        old_loss=(lambda: nats_inside(classifier, *next(windows))) if weight else None,
        weight=weight,
    )
    return classifier, seen


alone_run = watched_run(0.0)
_, labels_alone = alone_run
times = labels_alone[-1] / labels_alone[0]
title = f"Labels alone: the perplexity grows {times:.2f} times (here, one run)"
report.forgetting_figure({"labels alone": labels_alone}, title)

# %%
print(f"perplexity {labels_alone[0]:.0f} before, {labels_alone[-1]:.0f} after")
outcome("forgotten", times, unit="x", factor=1.2)

# %% [markdown] deck="formula"
# ## The remedy: do not stop
#
# How large must $w$ be, so that a small step does not raise the old loss?
#
# minutes: 2
#
# say: Ramachandran, Liu and Le go on with the language model's loss while the labels are learnt. This is a joint loss. The weight can be derived, in exercise 6: a step moves against the sum of both gradients. Write the two arrows on the board: if they point the same way, no weight is needed; if they point against each other, just enough to cancel the part along the old one.
#
# ask: When is the smallest safe weight zero?
#
# expect: "Never." When the task's step happens to help the old loss, too.
#
# skip: Leave the derivation to the exercise.

# %% [markdown]
# Is it a catastrophe? Not here: it forgets a part.
#
# Ramachandran, Liu and Le (our section 4) have a remedy: **do not stop.** While the labels are learnt, the language model's loss is minimised too, on plain text. This is a **joint loss**; the language model is an *auxiliary task*:
#
# $$\mathcal{L} = \mathcal{L}_{\text{task}} + w \, \mathcal{L}_{\text{LM}}$$
#
# How large must $w$ be? Derive it.

# %% [markdown] exercise="safe_weight" slide="subslide"
# ### Exercise 6. How much of the old loss does a step need? (derive it)
#
# First with pen and paper. $g_{\text{task}}$ and $g_{\text{LM}}$ are the gradients of the two losses with respect to the same parameters. One step of plain gradient descent on the joint loss moves the parameters by $-\eta\,(g_{\text{task}} + w\, g_{\text{LM}})$. By how much does that change $\mathcal{L}_{\text{LM}}$, if $\eta$ is small? For which $w$ does it not grow?
#
# Then write `safe_weight(task, old)`: the smallest $w \ge 0$ with which a small step does not raise the old loss. Both arguments are lists of tensors: one gradient for each tensor of parameters. There is **one** weight for all of them together. The old gradient is not 0. Return a plain number.


# %% exercise="safe_weight"
def safe_weight(task, old):
    """The smallest weight of the old loss at which a small step does not raise it."""
    ### BEGIN SOLUTION
    together = sum((a * b).sum() for a, b in zip(task, old, strict=True))
    length = sum((b * b).sum() for b in old)
    return max(0.0, -float(together / length))
    ### END SOLUTION


# %% check="safe_weight"
check("safe_weight", safe_weight)

# %% [markdown] hints="safe_weight"
# nudge: A small move by $\delta$ changes a loss with gradient $g$ by about $g \cdot \delta$. Which $g$ and which $\delta$ are meant here?
#
# idea: The change is $-\eta\,(g_{\text{LM}} \cdot g_{\text{task}} + w\, g_{\text{LM}} \cdot g_{\text{LM}})$. Set it to 0. What does it mean if the solution is below 0?
#
# outline: Sum the products of the two gradients over all numbers of all tensors, and the squares of the old one. Minus the first over the second, and never below 0.

# %% [markdown] model_answer="safe_weight"
# $\mathcal{L}_{\text{LM}}$ changes by $g_{\text{LM}} \cdot \delta = -\eta\,(g_{\text{LM}} \cdot g_{\text{task}} + w\,\lVert g_{\text{LM}} \rVert^2)$. It does not grow if $w \ge -\,g_{\text{LM}} \cdot g_{\text{task}} \,/\, \lVert g_{\text{LM}} \rVert^2$. Where the two gradients agree, the right side is below 0, and no weight is needed. Only the part of the task's gradient that points *against* the language model destroys anything.

# %% [markdown] slide="subslide"
# Is the derivation right? Let the classifier learn for 0, 1 and 3 epochs, take the gradients of both losses there, and make one plain step. Does the old loss change as it says? The task's gradient is once that of **all** sentences together, once that of the batch of **eight** that needs the largest weight.

# %% slide="subslide"
from copy import deepcopy

safe_weight = or_reference("safe_weight", safe_weight)
everything = next(iter(TEXT.batches(train, epochs=1, seed=0, size=len(train))))
rows = stream_rows(TEXT.stream[:8_000], 40)
READ_BEFORE, SAID_BEFORE = rows[:, :-1], rows[:, 1:]  # of the text that it was trained on


def both_gradients(classifier, batch):
    """Of the task's loss and of the old loss, by embedding and LSTM."""
    shared = [*classifier.embedding.parameters(), *classifier.lstm.parameters()]
    losses = task_loss(classifier, batch), nats_inside(classifier, READ_BEFORE, SAID_BEFORE)
    return shared, *(torch.autograd.grad(loss, shared) for loss in losses)


def dot(one, other):
    """The products of two lists of tensors, added up."""
    return float(sum((a * b).sum() for a, b in zip(one, other, strict=True)))


@torch.no_grad()
def plain_step(classifier, task, old, weight, rate=0.1):
    """The change of the old loss in one plain step: expected and measured, in nats."""
    moved = deepcopy(classifier)
    shared = [*moved.embedding.parameters(), *moved.lstm.parameters()]
    for numbers, a, b in zip(shared, task, old, strict=True):
        numbers -= rate * (a + weight * b)
    before, after = (nats_inside(it, READ_BEFORE, SAID_BEFORE) for it in (classifier, moved))
    return -rate * (dot(task, old) + weight * dot(old, old)), float(after - before)


# %% slide="subslide"
needed = {"all": [], "eight": []}
print("change of the old loss, thousandths of a nat: expected (measured)")
for epochs_done in (0, 1, 3):
    classifier = watched_run(0.0, epochs_done)[0] if epochs_done else moved_in(model, 0).eval()
    shared, task, old = both_gradients(classifier, everything)
    eights = [
        torch.autograd.grad(task_loss(classifier, eight), shared)
        for eight in TEXT.batches(train, epochs=1, seed=0, size=8)
    ]
    worst = max(eights, key=lambda eight: safe_weight(eight, old))
    for which, gradient in (("all", task), ("eight", worst)):
        weight = float(safe_weight(gradient, old))
        needed[which].append(weight)
        changes = [plain_step(classifier, gradient, old, w) for w in (0.0, weight)]
        alone, yours = (f"{1000 * e:+z.2f} ({1000 * m:+z.2f})" for e, m in changes)
        print(
            f"{epochs_done} epochs, {which}: weight 0: {alone}; your safe weight, {weight:.3f}: {yours}"
        )
# %% [markdown]
# Each change comes out about as derived: the rest is curvature, which the derivation leaves out. **Then why did the perplexity rise?** All sentences together ask for little. But training learns from eight at a time, and eight alone may ask for much more. So there are two candidates: the largest weight for all, and the largest for eight. **Which one stops the rise?** (Adam's steps are not plain, so neither is sure to.) **Change one thing:** the third weight, `MY_WEIGHT`.

# %%
predict(
    "a_little",
    "With the largest weight for all: how much of the rise in perplexity is left?",
    unit="%",
)

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: The uppermost is labels alone. The weight that all sentences together need leaves about a third of the rise. The largest that eight of them need leaves none: training steps along the gradient of eight. And in this task the labels are learnt as well as before, in one run each.
#
# ask: Then why not always take 1, to be sure?
#
# expect: "One should." Wait for the next slide.
#
# skip: First and last curve.

# %% slide="subslide"
FOR_ALL, FOR_EIGHT = (round(max(weights), 3) for weights in needed.values())
MY_WEIGHT = 1.0  # yours to choose
chosen = (FOR_ALL, FOR_EIGHT, MY_WEIGHT)
runs = {0.0: alone_run} | {weight: watched_run(weight) for weight in chosen}
left = {w: (seen[-1] - seen[0]) / (labels_alone[-1] - seen[0]) for w, (_, seen) in runs.items()}
report.forgetting_figure(
    {f"weight {w:g}": seen for w, (_, seen) in runs.items()},
    f"Rise that is left: {left[FOR_ALL]:.0%} with the weight for all, "
    f"{left[FOR_EIGHT]:.0%} with that for eight (one run each)",
)

# %%
for weight, (tuned, seen) in runs.items():
    task = right_now(tuned).mean()
    print(
        f"weight {weight:g}: perplexity {seen[-1]:.1f}, {left[weight]:.0%} of the rise is left, "
        f"task {task:.0%} right"
    )
outcome("a_little", 100 * left[FOR_ALL], unit="%")

# %% [markdown]
# The weight for all leaves about a third of the rise, that for eight about nothing. That fits: each step follows the gradient of eight. At the three times that you looked, no batch asks for more. So this weight is enough here. It need not be the smallest that is (try 0.5).
#
# What does it cost? Here nothing that can be seen: the task goes about as well with each weight. Elsewhere it does. Stored runs, five passes over 1,000 labels; by how much the perplexity grew, and how well the task went, with its interval over three seeds:

# %% [markdown] deck="printed" lines="1-4"
# ## The weight matters: within five passes, 1 is no safe choice
#
# minutes: 2
#
# say: Subjective or objective, a thousand labels, five passes, three seeds. With labels alone, 82 per cent. With weight 1 the language model is whole, and the task near guessing, like the control with frozen layers. For the part of speech the same weight costs hardly anything.
#
# ask: Which line would you choose?
#
# expect: "The third, nothing is lost." The task is lost, in five passes at least. With twenty it comes back, to six or seven points behind labels alone.
#
# skip: First and third line.

# %%
report.print_forgetting()


# %% [markdown]
# With labels alone the perplexity grows: by a factor of 1.4 (1.2 to 1.7) for the part of speech, and of 1.8 (1.1 to 2.9) for subjective or objective. With weight 1 it stays within 2 %. What that costs depends on the task:
#
# - For the **part of speech**, little.
# - For **subjective or objective** the accuracy falls from 82 % to 54 %, near guessing. The control, embedding and LSTM **frozen**, has 51 % there and 64 % for the part of speech.
# - On subjective or objective, a tenth of the weight keeps most of the language model. There the accuracy is 76 %, with an interval from 61 to 91 (by Student's t).
#
# **The weight matters, and within five passes 1 is no safe choice.**
#
# Is that its price, or its pace? Give subjective or objective twenty passes, and stop each run where the dev sentences like it best (stored, the same seeds). Now weight 1 has 80 % (75 to 84), at 1.03 times the perplexity. Labels alone have 86 % at 2.5 times, a tenth of the weight 84 % at 1.2 times. So the price of weight 1 is more passes, and 6.5 points (1.1 to 11.9); of a tenth it is 2.0 points (0.4 to 3.5).
#
# Forgetting hurts only whoever still needs the old skill. Dai and Le do not. For a translator it is half of the work.

# %% [markdown] slide="slide"
# ## 4. Two language models become a translator
#
# In translation one sequence goes in, another comes out. The **encoder–decoder** of 2014 (Sutskever, Vinyals and Le, arXiv:1409.3215; Cho and others, arXiv:1406.1078) does this with two recurrent networks. The **encoder** reads the source. The **decoder** says the target word by word, and is itself a language model, one that has been told what to talk about. This is **sequence-to-sequence** learning, *seq2seq*. Translated pairs are expensive, so overfitting is likely. Plain text is cheap. Ramachandran, Liu and Le take **two language models**, one for each side:

# %% [markdown] deck="figure"
# minutes: 2.5
#
# say: In translation one sequence goes in and another comes out. An encoder reads the source. A decoder says the target word by word, and is itself a language model, one that has been told what to talk about. Translated pairs are expensive and plain text is cheap: so take two language models, one for each side. The upper layers start at random and make noise; so the first layer goes around them.
#
# ask: Which parts cannot come from a language model?
#
# expect: "The softmax." It does, that of the target. What joins the two: attention, and the upper layers.
#
# skip: Encoder, decoder, and what is coloured.

# %% slide="subslide"
from course.starting_from_a_language_model.two_models import two_models

two_models("A translator from two language models")

# %% [markdown] deck="formula"
# ## Attention: one look, divided among the source words
#
# minutes: 2
#
# say: The decoder asks with a vector q. Each source word offers a vector k. The better the two fit, the larger that word's share of the look. What is read is an average with these shares. Lesson 13 builds a whole network of this.
#
# ask: The scores are 300 and 299. Do both get about half?
#
# expect: "Yes, they are nearly equal." The softmax looks at the difference: 73 and 27 per cent.
#
# skip: Say: a look, divided in shares.

# %% [markdown]
# (Attention, *combine* and the residual are drawn for one word; each word has them.) Four ideas, each with its reason:
#
# - **The softmax too** comes from the target's language model.
# - **A joint loss again**: task and both language models, equally weighted, against forgetting.
# - **A residual.** The upper layers start at random and send noise, up and down. So the output of the first layer goes around them, straight to the softmax input.
# - **Attention to both layers** of the encoder, the new top layer and the pretrained first one.
#
# **Attention** is one look at the source, divided among its words. The decoder asks with a vector $q$. Each source word offers a vector $k_s$. The better the two fit, the larger the share of the look. These shares are the **attention weights**:
#
# $$\alpha_s = \frac{\exp(q \cdot k_s)}{\sum_{s'} \exp(q \cdot k_{s'})}$$
#
# What is **read** is an average with these weights, $\sum_s \alpha_s v_s$. Here $v_s$ is the encoder's state at word $s$, in its first layer or in its top one.

# %% [markdown] exercise="attend"
# ### Exercise 7. Where to look
#
# Write `attend(queries, keys, mask)`:
#
# - `queries` (B, T, H): one for each target word,
# - `keys` (B, S, H): one for each source word,
# - `mask` (B, S): True at real source words, False at padding, in front or behind.
#
# Return the attention weights (B, T, S). Those of one query add up to 1, and padding gets exactly 0. It must also work with scores of hundreds, even where padding has the largest.


# %% exercise="attend"
def attend(queries, keys, mask):
    """(B, T, S): how much each target step looks at each source word."""
    ### BEGIN SOLUTION
    scores = queries @ keys.transpose(1, 2)
    return scores.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(-1)
    ### END SOLUTION


# %% check="attend"
check("attend", attend)

# %% [markdown] hints="attend"
# nudge: Three steps: all scores, then something about the padding, then the attention weights. Which of them must come before which?
#
# idea: `queries @ keys.transpose(1, 2)` has all scores, (B, T, S). A score of minus infinity gets a weight of exactly 0, and the others still add up to 1. The mask needs an axis in the middle: `mask.unsqueeze(1)`.
#
# outline: All scores in one product; minus infinity where the mask is False; softmax over the last axis.

# %% [markdown] model_answer="attend"
# A score of minus infinity becomes an attention weight of exactly 0, and the softmax shares out the look among the real words alone. Zeros written in after the softmax would leave weights that no longer add up to 1.

# %%
attend = or_reference("attend", attend)

# %% [markdown] exercise="decode_step" slide="subslide"
# ### Exercise 8. One word of a translation
#
# Now the decoder of the drawing, one step of it. `model` has the parts `target_embedding`; the LSTMs `decoder_first` and `decoder_top` (both with `batch_first`); the linear layers `combine`, 3H to H, and `softmax`, which gives scores.
#
# Write `decode_step(model, words, state, first, top, mask)`. `words` (B,) holds the word before, one for each sentence (at the beginning, the boundary). In training that is the true word, whatever the decoder would have said: **teacher forcing**. `first` and `top` (B, S, H) are the encoder's two layers, `mask` (B, S) is True at real source words. `state` is whatever your step returned one word earlier, and None at the beginning. This must be true:
#
# - The word before goes through both LSTMs, and each goes on from its own state.
# - The top LSTM's output asks, and the keys are the encoder's top layer. The attention weights then read both layers.
# - `combine` reads what was read of the first layer, what was read of the top layer, and the top LSTM's output, in this order. Its tanh is what the new layers have to say.
# - The residual: the softmax reads that plus the first LSTM's output.
#
# Return three things: the logits (B, V), the new state, the attention weights (B, S).


# %% exercise="decode_step"
def decode_step(model, words, state, first, top, mask):
    """Scores (B, V) of the next word, the new state, and the weights (B, S)."""
    ### BEGIN SOLUTION
    below, above = state or (None, None)
    lower, below = model.decoder_first(model.target_embedding(words).unsqueeze(1), below)
    upper, above = model.decoder_top(lower, above)
    weights = attend(upper, top, mask)
    heard = torch.cat([weights @ first, weights @ top, upper], -1)
    scores = model.softmax(lower + torch.tanh(model.combine(heard)))
    return scores[:, 0], (below, above), weights[:, 0]
    ### END SOLUTION


# %% check="decode_step"
check("decode_step", decode_step)

# %% [markdown] hints="decode_step"
# nudge: Follow one word through the drawing with your finger. Which shapes do you pass? Which two things must survive until the next word?
#
# idea: An LSTM with `batch_first` reads (B, T, H), and here T is 1: `unsqueeze(1)` makes the axis, `[:, 0]` takes it out at the end. Called as `lstm(x, state)` it returns its output and its new state; None stands for zeros.
#
# outline: Unpack the two states, or two times None. Embedding, first LSTM, top LSTM. `attend` with the top output as query. `weights @ first`, `weights @ top` and the top output side by side; `combine`; tanh; add the first output; softmax layer.

# %% [markdown] model_answer="decode_step"
# `attend` gets one query a sentence: its T is 1 here. With teacher forcing one wrong bet does not spoil the next. Left alone, the decoder reads what it has said itself. Padding needs no care beyond the mask.

# %%
decode_step = or_reference("decode_step", decode_step)

# %% [markdown] slide="subslide"
# ### A task without a translator
#
# In a **telegram** every word cost money, so the small words were left out (articles, pronouns, prepositions, auxiliary verbs, punctuation and the like). The source is a sentence as a telegram, the target the whole sentence, so any text gives pairs. The decoder starts from your language model, the encoder from one of telegrams. Neither has read these sentences. (The joint loss stays away here: in the stored runs at the end of the page it does not help within 15 passes.)
#
# **Does the translator read its telegram at all?** A good language model bets well without it. So beside the first perplexity belong two more: each sentence with the telegram of **another**, and your language model's, which is given **none** but has practised on the same sentences. (About 25 s.)


# %% slide="subslide"
class Translator(nn.Module):
    """The parts of the drawing; `encoded` and your `decode_step` say how they work together."""

    def __init__(self, words, size):
        super().__init__()
        self.source_embedding, self.target_embedding = (nn.Embedding(words, size) for _ in range(2))
        self.encoder_first, self.encoder_top, self.decoder_first, self.decoder_top = (
            nn.LSTM(size, size, batch_first=True) for _ in range(4)
        )
        self.combine, self.softmax = nn.Linear(3 * size, size), nn.Linear(size, words)


def encoded(translator, sources):
    """Both layers of the encoder, (B, S, H) each."""
    first, _ = translator.encoder_first(translator.source_embedding(sources))
    return first, translator.encoder_top(first)[0]


def pair_loss(translator, pairs):
    """Mean nats of a target word; with teacher forcing, the true word before it is read."""
    sources, source_mask, read, said, mask = transfer_setup.padded_pairs(pairs)
    first, top = encoded(translator, sources)
    state, nats = None, []
    for words, targets in zip(read.unbind(1), said.unbind(1), strict=True):
        logits, state, _ = decode_step(translator, words, state, first, top, source_mask)
        nats.append(functional.cross_entropy(logits, targets, reduction="none"))
    return torch.stack(nats, 1)[mask].mean()


source, target = TEXT.dev_pairs[0]
print(" ".join(vocabulary.decode(source)), "→", *vocabulary.decode(target))
print(f"{len(TEXT.pairs):,} such pairs to learn from, {len(TEXT.dev_pairs)} others to judge by")

# %%
predict("seq2seq_start", "How many times larger is the perplexity with a random start?", unit="x")

# %% slide="subslide"
telegram_model = language_model(TEXT.telegram_stream)


def trained_translator(from_models):
    """A translator after five passes of your loop over the pairs, 32 at a time."""
    torch.manual_seed(0)
    made = Translator(V, SIZE)
    if from_models:
        made.source_embedding.load_state_dict(telegram_model.embedding.state_dict())
        made.encoder_first.load_state_dict(telegram_model.lstm.state_dict())
        made.target_embedding.load_state_dict(model.embedding.state_dict())
        made.decoder_first.load_state_dict(model.lstm.state_dict())
        made.softmax.load_state_dict(model.softmax.state_dict())
    batches = TEXT.pair_batches(TEXT.pairs, epochs=5, size=32)
    loss_of = partial(pair_loss, made)
    tune_and_watch(made, batches, loss_of, 0.007, lambda: None, len(batches))
    return made


translators = {
    "random start": trained_translator(from_models=False),
    "two language models": trained_translator(from_models=True),
}

# %% [markdown] deck="figure"
# minutes: 2
#
# say: A telegram goes in, the whole sentence comes out, so any text gives pairs. Blue: with its own telegram, the start is worth a factor of less than two. The line is the language model without any telegram, after practising on the same sentences. Hatched: with the telegram of another both do much worse than it. So both read their telegram.
#
# ask: Why does one need the line and the hatched bars?
#
# expect: "To see which is better." A good language model bets well without any telegram. Whether it reads is another question.
#
# skip: The blue bars and the line, and say what the others are.

# %% slide="subslide"
practised = deepcopy(model).requires_grad_(True)


def untold_loss(network, pairs):
    """Mean nats of a target word for a language model that is given no telegram."""
    _, _, read, said, mask = transfer_setup.padded_pairs(pairs)
    return functional.cross_entropy(network(read)[0][mask], said[mask])


batches = TEXT.pair_batches(TEXT.pairs, epochs=5, size=32)
loss_of = partial(untold_loss, practised)
tune_and_watch(practised, batches, loss_of, 0.003, lambda: None, len(batches))
sources, targets = zip(*TEXT.dev_pairs, strict=True)
strangers = list(zip([sources[-1], *sources[:-1]], targets, strict=True))  # another's telegram
with torch.no_grad():
    own, others = (
        {name: float(pair_loss(it, some).exp()) for name, it in translators.items()}
        for some in (TEXT.dev_pairs, strangers)
    )
    untold, untold_after = (
        float(untold_loss(it, TEXT.dev_pairs).exp()) for it in (model, practised)
    )
times = own["random start"] / own["two language models"]
title = f"Without the start, the perplexity is {times:.1f} times as large (here, one run each)"
report.translators_figure(own, others, untold_after, title)

# %%
print(f"your language model, no telegram: {untold:.0f}; after practising: {untold_after:.0f}")
outcome("seq2seq_start", times, unit="x")

# %% [markdown]
# With Brown, your translator from two language models **reads its telegram**. Its own more than halves the perplexity of the language model that has none. Another's more than doubles it: it misleads. The random start reads its own, too, but it has to learn English as well, from the same pairs. (Without the corpora there are too few pairs for that.)
#
# Now let it say a sentence. Perplexity is measured with teacher forcing; alone, the decoder reads what it has said itself. That is your loop of exercise 1, and taking the likeliest word each time is **greedy decoding**. Write a sentence of your own; it is sent as a telegram.

# %% [markdown] deck="printed" lines="1-3,7-9"
# ## Now let it speak
#
# minutes: 1.5
#
# say: First line of each block: the telegram. Then what both translators say, the likeliest word each time. English of a kind, hardly ever the right sentence. In training every word before was true; here it goes on from its own mistakes. The gap is called exposure bias.
#
# ask: The perplexity was good. Why is this so poor?
#
# expect: "Too little training." Perplexity is measured with the true word before. It does not show this.
#
# skip: One telegram.

# %% slide="subslide"
from course.starting_from_a_language_model.telegrams import telegram

MY_SENTENCE = "the president said that the new school was very good ."


@torch.no_grad()
def translated(translator, words):
    """The telegram's ids to the words of a sentence."""
    first, top = encoded(translator, torch.tensor([words]))
    everywhere = torch.ones(1, len(words), dtype=torch.bool)

    def step(word, state):
        before = torch.tensor([word])
        scores, state, _ = decode_step(translator, before, state, first, top, everywhere)
        return scores[0], state

    return go_on(step, [BOUNDARY], likeliest, BOUNDARY, 20)


for sentence in (MY_SENTENCE.split(), *TEXT.held_out[:2]):
    sent = telegram(sentence)
    print(*sent)
    for name, it in translators.items():
        said = vocabulary.decode(translated(it, vocabulary.encode(sent)))
        print(f"   {name}: {' '.join(said)}")

# %% [markdown]
# It speaks English of a kind, hardly ever the right sentence. In training every word before was true; here it goes on from its own mistakes. This gap is called **exposure bias**.

# %% [markdown] deck="words"
# ## What to take home
#
# - Before you train: what do **counts** and the language model say **without a label**?
# - A whole LSTM can move in. How much it helps **depends on the task**.
# - Fine-tuning wears the old skill down; a **joint loss** keeps it, at a price.
# - Does a translator **read its source**? Ask with a wrong one.
#
# minutes: 1.5
#
# say: A line each. At home: exercises 1 to 6. Still missing are layers that go unchanged into every task: TagLM, next time.
#
# ask: "We started from a language model and gained 17 points." What do you ask?
#
# expect: "How large was it?" What do its word vectors alone bring, and the cheapest count?
#
# skip: Keep it.

# %% [markdown] slide="slide"
# ## Recap
#
# - Transfer learning by fine-tuning: in 2015 a whole LSTM moved into a classifier. Whether that helps depends on the task and on how it is trained. In one of our three tasks the word vectors alone brought as much.
# - Before you train, ask what counts and the language model say without a label. Our small network is not clearly ahead of the best counts: pairs where neighbours decide, triples where the pairs are the same in both.
# - Fine-tuning wears the language model down (in the worst case, catastrophic forgetting). A joint loss preserves what it knew; a large weight costs passes, and some points of the task.
# - An encoder–decoder, made for sequence-to-sequence tasks, can start from two language models: pretraining for both sides. Whether it reads its source is a question of its own: ask with a wrong source. And perplexity, with teacher forcing, does not show exposure bias.
#
# Still missing: layers that go **unchanged** into every task. TagLM takes the first step.

# %%
calibration()

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A language model is trained without a single label. **Why can it help a task with labels at all? Name one kind of knowledge that predicting the next word forces on a model, a task that profits from it, and a task that does not.** Use what you measured here. Four to six sentences.

# %% [markdown] discussion="why_unlabelled_helps" points=3
# **Rubric, 3 points.** 1 for a mechanism: predicting forces knowledge of order, agreement, topic or the like (0.5 for "it has seen a lot of text"). 1 for a task that profits, with the reason. 1 for a task that does not, or less, with the reason, or for a measurement of this lesson read correctly, its control included.

# %% [markdown] model_answer="why_unlabelled_helps"
# To predict the next word well, a model must keep what the words so far say about it: agreement, which kinds of words follow each other, which words belong to one topic. These regularities are in every text, so no label is needed to learn them. A task profits when its answer depends on the same regularities. Whether a sentence is shuffled is a question about order: the model answers it without any label, and with a hundred labels a random start stays near guessing. But counts of pairs answer it as well, and the network adds nothing clear to them. Where two sentences have exchanged their ends the pairs are the same, and the network is ahead of them, though not clearly of triples. A task whose answer lies in single words needs little of this, because counting words goes a long way: the language model's start brought no clear gain on subjective or objective, with 100 labels. And where a start helps, the word vectors alone may bring as much, as for the parts of speech.

# %% [markdown] slide="slide"
# ## If you have time: which part of the translator pays?
#
# The best of fifteen passes over 2,000 pairs, three seeds, judged by 300 others (stored). Each bar leaves out one piece, but for the first, which leaves out two. Above 0, the piece was worth something.

# %% slide="subslide"
report.parts_figure("Loss without a piece, less that of the whole method (stored)")

# %% [markdown]
# - **Is the start needed?** With the LM loss, yes: without a start 0.45 nats are lost (0.18 to 0.72). Without both, 0.19 nats are lost (−0.31 to 0.69; three seeds, one of them far behind): no clear difference.
# - **Which side?** With the encoder's start alone 0.11 are lost (0.05 to 0.16), with the decoder's alone 0.04 (−0.10 to 0.17), which is not clear.
# - **Attention to both layers** is worth 0.27 nats, the residual 0.13. The softmax's 0.04 (−0.01 to 0.09) are not clear.
# - **The joint loss does not help within 15 passes.** Without it the loss is 0.10 nats *lower* (0.03 to 0.17). It does keep the language model inside alive (perplexity 43, without it 203).

# %% [markdown] slide="subslide"
# ### Three broken translators
#
# Three translators have one fault each. Beside them is a sound one (stored, one run each: six passes over 2,000 pairs). The dots are perplexities with teacher forcing on the same new sentences: with their own telegrams in batches; the same read one by one, so without padding; on other new sentences; and with the telegram of another. Then come the first five words, the loss of the very first batch of training, and what each makes of two telegrams (in capitals).

# %% slide="subslide"
report.broken_figure("Own telegram, another's, and other sentences (stored, one run each)")

# %%
report.broken_positions("Words 1 to 5 of the target, each with its own telegram (stored)")

# %%
report.print_broken()

# %% [markdown] exercise="broken_translators"
# ### Exercise 9. Three broken translators
#
# Which translator has which fault?
#
# 1. At each step it reads the very word that it must say.
# 2. In training, each telegram stands beside the sentence of another.
# 3. Attention looks at the padding, too.
# 4. Nothing was copied from the language models.
# 5. The decoder's states are not handed on from step to step.
# 6. The pairs of the test stand among those of training.
#
# Return a dict with the number of each translator's fault: `{"A": ..., "B": ..., "C": ...}`.


# %% exercise="broken_translators"
def broken_translators():
    """The fault of each translator, by its number."""
    ### BEGIN SOLUTION
    return {"A": 2, "B": 5, "C": 1}
    ### END SOLUTION


# %% check="broken_translators"
check("broken_translators", broken_translators)

# %% [markdown] hints="broken_translators"
# nudge: Compare each with the sound one. In which of the lines does it stand out?
#
# idea: What does a telegram buy: compare own and another's. Where in the sentence is a translator worse: at the first word, or later? Is a splendid perplexity borne out by what it says?
#
# outline: For each fault, say which line it must change and which it cannot. A fault of padding cannot show in sentences that are read one by one; a leak cannot show in other new sentences.

# %% [markdown] model_answer="broken_translators"
# **A** has learnt that telegrams mean nothing: its own and another's give the same perplexity, and it bets like a language model that has practised short sentences. **B** is nearly as good as the sound one at the first word and falls behind from the second on: of its own sentence it never knows more than the word before. In greedy decoding it may repeat itself without end. **C** has a perplexity that is too good to be true, and says nothing at all. It learnt to repeat the word that it reads. Left alone, without teacher forcing, it reads the boundary first, repeats it, and is done. With fault 3, a batch and single sentences would differ. With 4, the first batch would cost as much as a guess among 2,000 words, $\log 2000 = 7.6$ nats. With 6, the test would be far easier than other new sentences.

# %% [markdown]
# ## If you have time: read it, then say it again
#
# Dai and Le's other way to learn from plain text is the sequence autoencoder. A courier learns a message by heart: listen first, then recite. One and the same LSTM does both. For a sentence of $n$ words it makes $2n + 1$ steps:
#
# - it listens: it reads `w1 … wn`, and nothing is asked;
# - it reads the boundary: now it must say `w1`;
# - it is told the word that it should have said, and must say the next one; after `wn` it must say the boundary.

# %% [markdown] exercise="autoencoder_steps"
# ### Exercise 10. Read it, then say it again
#
# Write `autoencoder_steps(sentence, boundary)` for a list of word ids. Return three lists of length $2n + 1$: what is read, what is to be said (where nothing is asked, anything will do; the boundary is usual), and whether the step counts (True or False).


# %% exercise="autoencoder_steps"
def autoencoder_steps(sentence, boundary):
    """Inputs, targets and whether a step counts, 2n + 1 of each."""
    ### BEGIN SOLUTION
    silent = len(sentence)
    inputs = [*sentence, boundary, *sentence]
    targets = [boundary] * silent + [*sentence, boundary]
    counted = [False] * silent + [True] * (silent + 1)
    return inputs, targets, counted
    ### END SOLUTION


# %% check="autoencoder_steps"
check("autoencoder_steps", autoencoder_steps)

# %% [markdown] hints="autoencoder_steps"
# nudge: Write the steps of *a b* on paper, one column for each: what goes in, what must come out. There are five columns.
#
# idea: What goes in is the sentence, the boundary, the sentence. What must come out begins at the boundary: first word to last, then the boundary. It is the language model's shift of lesson 03 once more.
#
# outline: inputs: sentence, boundary, sentence; targets: n times anything, then the sentence and the boundary; counted: n times False, then n + 1 times True.

# %% [markdown] model_answer="autoencoder_steps"
# The boundary after the sentence starts the recital. From there on the targets are one position ahead of the inputs, for n + 1 steps.

# %%
autoencoder_steps = or_reference("autoencoder_steps", autoencoder_steps)
autoencoder = fresh_with(9)  # the same network, untrained
batches = TEXT.recitals(autoencoder_steps, 3_000)


def recital_loss(batch):
    """Mean nats of the steps that count."""
    read, said, counts = batch
    return functional.cross_entropy(autoencoder(read)[0][counts], said[counts])


tune_and_watch(autoencoder, batches, recital_loss, 0.01, lambda: None, len(batches))
report.print_leads(
    {"both": right["both"], "autoencoder": right_from(lambda draw: autoencoder)[0]}, "both"
)

# %% [markdown]
# With Brown the autoencoder has read a third of the language model's text, and once, so this race is not even.
#
# ### What Ramachandran, Liu and Le claimed, and what is told
#
# The abstract claims two things. **Translation**, English to German: 1.3 BLEU above the previous best on WMT's test texts of 2014 and 2015. (**BLEU** counts the runs of words that a translation shares with a person's; WMT compares systems every year, by BLEU.) **Summaries**, on news from CNN and the Daily Mail: better than the purely supervised baseline *in the eyes of human judges*. It claims no record there. Translation gained because the model **generalised** better, they write, and summaries because **training** went better (arXiv, version 1).
#
# To cite it right: the paper was at EMNLP 2017; CNN and Daily Mail are its summaries, not its translation; and the figure that is redrawn above is its own, not the ELMo paper's.

# %% [markdown]
# ## Further reading
#
# - Dai and Le, on the two ways to pretrain.
# - Ramachandran, Liu and Le, for the figure that is redrawn above, and for their own ablation.
# - Lopez-Paz and Ranzato, *Gradient Episodic Memory for Continual Learning*, 2017, arXiv:1706.08840: your safe weight, for many old tasks at once.
# - In the package: `elmo_mini/tasks/lstm_classifier.py`, `elmo_mini/tasks/joint_fine_tuning.py`, `elmo_mini/tasks/decoding.py`; the stored experiments are `python -m course.starting_from_a_language_model.experiments`.
#
# Next: **05 · TagLM**, where the language model stays as it is and a tagger reads its states.

# %% [markdown] instructor=true
# **Instructor, common questions.** *Were there two great ideas after 2016: wide context inside the vectors, and language models that read much text first?* So one account says. It is an opinion, and the dates are against it: Dai and Le pretrained in 2015, and context2vec (lesson 03) is from 2016. *Is the joint loss not simply more training data?* It is; that is the point: plain text is the data that keeps the old skill. *Why so small an LSTM?* The lesson must run in a minute; the stored results say what they were made with. *Is the judge without a label not cheating, since it makes shuffles itself?* It uses how the task was made; so does everybody who designs features.
