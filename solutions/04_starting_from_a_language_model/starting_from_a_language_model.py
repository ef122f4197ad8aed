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
# # 04 · Starting from a language model
#
# In lesson 03 you trained a reader on plain text and looked at its states from outside. The other way to use a reader is to **become** it: a new network takes over its weights and goes on from there. This lesson is about what people did with that idea in the three years before ELMo, what it is worth, and what it destroys.

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("04")

# %% [markdown] slide="subslide"
# ## What you will be able to do
#
# - write the steps of a sequence autoencoder, the other way to learn from plain text,
# - start a classifier from a language model or from an autoencoder, as in 2015, and measure whether it helps,
# - measure how a fine-tuned model forgets, and what a joint loss does about it,
# - write attention: the shares of a look at the source, with none for the padding,
# - say which parts of a translation model can start from two language models.
#
# ## The papers
#
# - **Dai and Le**: *Semi-supervised Sequence Learning*, NIPS 2015 (arXiv:1511.01432).
# - **Ramachandran, Liu and Le**: *Unsupervised Pretraining for Sequence to Sequence Learning*, EMNLP 2017 (arXiv:1611.02683).
#
# The lesson takes about an hour and a half with everything in it; the exercises are 30 minutes of that. Short of time? Exercise 2 is the spine. Exercises 1 and 3 can wait: the lesson goes on without them, and they keep their points.
#
# ## Letters
#
# | letter | means | letter | means |
# |---|---|---|---|
# | $n$ | words in a sentence | $q$ | the decoder's question |
# | $B$ | sentences in a batch | $k_s$ | what source word $s$ offers to it, its key |
# | $T$, $S$ | words in a target, in a source | $\alpha_s$ | the share of the look that word $s$ gets |
# | $H$ | numbers in a state | $\mathcal{L}$ | a loss |

# %% [markdown] instructor=true
# **Instructor.** Timing for 90 minutes: the reader from lesson 03, 5; section 1, 45 (exercises 1 and 2); section 2, 15; section 3, 25 (exercise 3). For 60 minutes: show exercises 1 and 3 solved, let them do 2. Two places to watch: in exercise 1 the boundary between listening and reciting, and in exercise 3 what comes first, the mask or the softmax. Draw the five columns of *a b* on the board for the first.

# %% [markdown]
# ### The reader from lesson 03
#
# There you wrote the training of an LSTM language model. The model reads a word and bets on the next; its **hidden state** is a vector of the word in its left context. `</s>` is the boundary between sentences, and `<unk>` stands for every word outside the vocabulary of 2,000. The surprise of a bet is $-\log p$ of the word that came, in nats. **Perplexity** is exp of the mean surprise: the model hesitates as if between so many equally likely words.
#
# The next cell trains that model once more: the same text, the same sizes, the same seed. `train_language_model` is the training that you saw there, packed into one function of the course. The perplexity is measured with **your** functions of lesson 03, if they passed: `mine` fetches them and says so. It should be the one that you saw there.

# %%
import itertools

import numpy as np
import torch
from torch.nn import functional

from autograde import calibration, check, mine, or_reference, outcome, predict
from elmo_mini import corpora
from elmo_mini.figures.diagrams import Arrow, Box, boxes_and_arrows
from elmo_mini.recurrent.language_model import LSTMLanguageModel, train_language_model
from elmo_mini.recurrent.training import TrainingOptions
from elmo_mini.results.intervals import difference
from elmo_mini.results.stored import stored_result
from elmo_mini.text.running_text import text_stream, word_vocabulary

torch.set_num_threads(1)  # small matrices: a second thread often costs more than it brings

text = corpora.course_text()


def short_sentences(part, most):
    """Sentences of 5 to 25 words of one part of the text, in lower case."""
    found = (s for s in text.split(part).sentences(lower=True) if 5 <= len(s) <= 25)
    return [sentence for sentence, _ in zip(found, range(most), strict=False)]


train, held_out = short_sentences("train", 12_000), short_sentences("dev", 1_500)
vocabulary = word_vocabulary(train, max_size=2_000)
ids = [vocabulary.encode(sentence) for sentence in train]
stream, held_out_stream = text_stream(train, vocabulary), text_stream(held_out, vocabulary)

stream_rows, next_word_windows = mine("stream_rows"), mine("next_word_windows")
perplexity = mine("perplexity")

PASSES = 1 if text.name == "brown" else 4  # a small text is read more often
OPTIONS = TrainingOptions(epochs=PASSES, batch_size=16, learning_rate=1e-2, progress=True)
torch.manual_seed(0)
model = LSTMLanguageModel(len(vocabulary), embedding=64, hidden=64)
train_language_model(model, stream, OPTIONS)


@torch.no_grad()
def perplexity_on(model, stream):
    """Perplexity of the model on running text, with your functions."""
    losses, tokens, state = [], [], None
    for inputs, targets in next_word_windows(stream_rows(stream, 8), 64):
        logits, state = model(inputs, state)
        losses.append(float(functional.cross_entropy(logits.flatten(0, 1), targets.flatten())))
        tokens.append(targets.numel())
    return perplexity(losses, tokens)


print(f"The reader: perplexity {perplexity_on(model, held_out_stream):.0f} on held-out text")

# %% [markdown] slide="slide"
# ## 1. Moving in with the furniture: Dai and Le, 2015
#
# Think of somebody who looks for a good restaurant in a strange city. Dropped anywhere at random, they may search for hours. Dropped in the old town, they only have to look around. Training is such a search, among millions of numbers. Usually a network starts anywhere. **Pretraining** starts it in the old town: first learn something from text without labels, then go on from there with the few labels that you have.
#
# Until 2015 it was mostly word vectors that were carried over, and the network above them started anywhere. Dai and Le carried over **everything but the last layer**. They tried two ways to learn from plain text:
#
# - **a language model**, as in lesson 03: LM-LSTM;
# - **a sequence autoencoder**: read a sentence, then say it again from memory: SA-LSTM.
#
# Afterwards the same LSTM becomes a classifier: it reads the text, and a fresh layer on its last state names the class. **All** weights go on learning.

# %% [markdown] exercise="autoencoder_steps"
# ### Exercise 1. Read it, then say it again
#
# A courier learns a message by heart: listen first, then recite. One and the same LSTM does both. For a sentence of $n$ words it makes $2n + 1$ steps:
#
# - it listens: it reads `w1 … wn`, and nothing is asked;
# - it reads the boundary: now it must say `w1`;
# - it is told the word that it should have said, and must say the next one; after `wn` it must say the boundary.
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
# outline: inputs `[*sentence, boundary, *sentence]`; targets: n times anything, then `[*sentence, boundary]`; counted: n times False, then n + 1 times True.

# %% [markdown] model_answer="autoencoder_steps"
# The boundary after the sentence starts the recital. From there on the targets are one place ahead of the inputs, for n + 1 steps.

# %%
# Only printed here: `train_autoencoder`, below, uses the package's own function.
autoencoder_steps = or_reference("autoencoder_steps", autoencoder_steps)

print(f"{'reads':>8}  must say")
for read, said, counts in zip(*autoencoder_steps(["send", "more", "paper"], "</s>"), strict=True):
    print(f"{read:>8}  {said if counts else '-'}")

# %% [markdown] exercise="start_from"
# ### Exercise 2. Move in with the furniture
#
# Both models are PyTorch modules of the course's package. A language model has the parts `embedding`, `lstm` and `softmax`; a classifier has `embedding`, `lstm` and `output`. Embedding and LSTM of the two have the same sizes.
#
# Write `start_from(classifier, language_model)`. Afterwards the classifier's embedding and LSTM have the language model's numbers, and its `output` is as it was. Training the classifier later must **not** move the language model. Return nothing.


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

# %% [markdown] slide="subslide"
# Now a task. It needs no labels from people, and it can be had in any language: **is this sentence in its order, or has somebody shuffled its words?** Half of the sentences are shuffled, all but the last sign. Whoever only counts words is at 50 %, always.
#
# One hundred labelled sentences, for an LSTM. Three starts: at random, from our language model, from an autoencoder of a part of the same text.

# %%
predict(
    "order_start",
    "With 100 labelled sentences: which accuracy from the language model's start?",
    unit="%",
)

# %% slide="subslide"
from elmo_mini.recurrent.classifier import (
    LSTMClassifier,
    accuracy,
    train_autoencoder,
    train_classifier,
)

start_from = or_reference("start_from", start_from)

torch.manual_seed(0)
autoencoder = LSTMLanguageModel(len(vocabulary), embedding=64, hidden=64)
train_autoencoder(autoencoder, ids[:3_000], OPTIONS)

shuffle = np.random.default_rng(0)
examples = []
for number, sentence in enumerate(held_out):
    words = list(sentence)
    if number % 2:
        words[:-1] = shuffle.permutation(words[:-1]).tolist()
    examples.append((vocabulary.encode(words), number % 2))

LABELS = 100 if len(examples) > 800 else 40  # a small text has few held-out sentences
SEEDS = (0, 1, 2)
unseen = examples[len(SEEDS) * LABELS :]
starts = {"random start": None, "language model": model, "autoencoder": autoencoder}
by_draw = {name: [] for name in starts}
for seed in SEEDS:
    labelled = examples[seed * LABELS : (seed + 1) * LABELS]
    for name, start in starts.items():
        torch.manual_seed(seed)
        classifier = LSTMClassifier(len(vocabulary), 2, embedding=64, hidden=64, dropout=0.2)
        if start is not None:
            start_from(classifier, start)
        options = TrainingOptions(epochs=10, batch_size=8, seed=seed, progress=True)
        train_classifier(classifier, *zip(*labelled, strict=True), options)
        by_draw[name].append(100 * accuracy(classifier, *zip(*unseen, strict=True)))

plots.bars(
    list(by_draw),
    {"accuracy": [np.mean(values) for values in by_draw.values()]},
    errors={
        "accuracy": np.array(
            [[np.mean(v) - min(v), max(v) - np.mean(v)] for v in by_draw.values()]
        ).T
    },
    title=f"In order or shuffled? {LABELS} labels (here; whiskers: range of 3 draws)",
    ylabel="percent right",
    level=("guessing", 50.0),
)

# %%
outcome("order_start", float(np.mean(by_draw["language model"])), unit="%")

# %% [markdown]
# With a random start, one hundred sentences are not enough to find out that order matters. Both pretrained starts know how sentences go, and need the labels only to be told what the question is.

# %% [markdown]
# ### What they measured
#
# Dai and Le tried it on film reviews (IMDB), among other texts. Test errors from their Table 2, as a later paper (TopicRNN) quotes it:
#
# | start of the LSTM | percent wrong |
# |---|---|
# | at random | 13.50 |
# | word2vec | 10.00 |
# | language model | 7.64 |
# | sequence autoencoder | 7.24 |

# %% [markdown]
# In the same table an autoencoder that is trained *jointly* with the classifier has 14.70: worse than no pretraining at all. So not all that is learnt beside a task helps it. Can a **start** hurt, too? Here is a task for which order hardly matters: is a sentence **subjective or objective**? Count the words and you know most of it. The stored experiment gives the LSTM more and more labels, from each start, and sets a plain bag of words beside it.
#
# **How we compare.** As in lesson 03: all models of one seed share their text and their split. So we take the difference **seed by seed**, and its 95 % interval. If the interval contains 0, we say *no clear difference*.

# %%
predict(
    "subjectivity_start",
    "Subjective or objective, 100 labels: what does the language model's start do for the LSTM?",
    options=["helps", "hurts", "no clear difference"],
)

# %% slide="subslide"
STORED_START = stored_result("context_pretraining")
print(STORED_START)
TASKS = STORED_START.numbers["tasks"]
SHORT = {
    "bag of words, no LSTM": "bag of words",
    "nothing": "random start",
    "word2vec embedding": "word2vec",
    "sequence autoencoder": "autoencoder",
}


def compare(task):
    """Each start against the random one and against word2vec, seed by seed."""
    for count, of in TASKS[task]["accuracy"].items():
        print(f"{task}, {count} labels")
        for name, other in itertools.product(of, ("nothing", "word2vec embedding")):
            if name in ("language model", "sequence autoencoder") or (
                name == "word2vec embedding" and other == "nothing"
            ):
                pair = f"{SHORT.get(name, name)} against {SHORT[other]}"
                print(f"   {pair:<34} {difference(of[name], of[other])}")


def by_start(task):
    """Bars for each number of labels, one for each start."""
    by_labels = {
        count: {SHORT.get(name, name): value for name, value in of.items()}
        for count, of in TASKS[task]["accuracy"].items()
    }
    names = list(next(iter(by_labels.values())))
    return plots.bars(
        [f"{count} labels" for count in by_labels],
        {name: [100 * of[name]["mean"] for of in by_labels.values()] for name in names},
        errors={
            name: np.array(
                [100 * (of[name]["high"] - of[name]["mean"]) for of in by_labels.values()]
            )
            for name in names
        },
        title=f"{task.capitalize()}: accuracy by the LSTM's start (stored)",
        ylabel="percent right",
    )


by_start("subjectivity")

# %%
few = next(iter(TASKS["subjectivity"]["accuracy"].values()))
said = difference(few["language model"], few["nothing"])
verdict = {"ahead": "helps", "behind": "hurts"}.get(said.split(": ")[1], "no clear difference")
compare("subjectivity")
outcome("subjectivity_start", verdict)

# %% [markdown]
# With 100 labels the language model's start **hurts**, by 12 points (5 to 18). With 1,000 labels it is still below on average, and no clear difference is left; there the autoencoder is behind. word2vec's start, which brings words and nothing else, has the highest mean, yet no clear lead over the random start. Three seeds and 100 labels make wide intervals.
#
# Now a task where the order counts. The model sees the beginning of a sentence and must name the **part of speech** of the last word that it saw (ten coarse tags).

# %% slide="subslide"
by_start("part of speech")

# %%
compare("part of speech")

# %% [markdown]
# With 100 labels the picture is turned round: language model and autoencoder are far ahead of the random start, by 21 and 19 points. Against word2vec's start the autoencoder has a lead, and the language model's, 12 points on average, is not clear. With 1,000 labels the lead over the random start is no longer clear, and **word2vec has overtaken both**, by 3 points (the autoencoder at the very edge). **A start helps when it brings what the task needs, and when labels are few.** A language model of this size knows grammar. Which words are opinions, it never had to know.
#
# ### Why should a start help at all?
#
# Three stories are told, and they do not exclude each other.
#
# - **The search starts in a better place.** The restaurant: fewer steps to go, and fewer dead ends on the way.
# - **A leash.** With few labels there are many settings that fit them all. Training from a good start ends at one that is near it. Statisticians say *prior*: with little evidence the prior decides, with much evidence the data do. As an analogy this is useful. But neither Dai and Le nor ELMo nor ULMFiT puts an explicit penalty on moving away.
# - **Knowledge.** Who predicts the next word well must know grammar, which words go together, and a little about the world. Whether that is the knowledge that the *task* needs is another question, as you have just seen.
#
# ### Myth or measured?
#
# > *"GPT was the first to fine-tune a pretrained language model."*
#
# GPT is from June 2018. Dai and Le: NIPS **2015**. Ramachandran, Liu and Le: on arXiv in November **2016**. ULMFiT, lesson 11: January 2018. And the saying that before 2017 only word vectors were transferred overlooks the first two. GPT's merit is the Transformer and the one recipe for many tasks, not the idea.

# %% [markdown] slide="slide"
# ## 2. What fine-tuning destroys
#
# Whoever learns Spanish after Italian will, for a while, say Spanish words in Italy. A network learns the new task with the same numbers that hold the old one, and nothing asks it to keep them. How much is lost depends on how far it must move. When much is lost, people call it **catastrophic forgetting** (Goodfellow and others measured it in 2013, arXiv:1312.6211). Whether it is a catastrophe here, you will measure.
#
# It can be watched. Our classifier began as a language model. Keep that model's softmax beside it, and ask at every few steps: how good is your LSTM **as a language model** now? The measure is the perplexity on held-out text.
#
# Ramachandran, Liu and Le (our section 3) have a remedy: **do not stop.** While the labels are learnt, the language model's loss is minimised too, on plain text. Here the two losses are added:
#
# $$\mathcal{L} = \mathcal{L}_{\text{task}} + \mathcal{L}_{\text{LM}}$$

# %%
predict(
    "forgotten",
    "After fine-tuning on the labels: how many times its old perplexity has the language model?",
    unit="x",
)

# %% slide="subslide"
from elmo_mini.recurrent.forgetting import fine_tune_and_watch

labelled = examples[: 2 * LABELS]
curves, skill = {}, {}
for name, plain_text in (("labels alone", None), ("with the joint loss", stream)):
    torch.manual_seed(0)
    classifier = LSTMClassifier(len(vocabulary), 2, embedding=64, hidden=64, dropout=0.2)
    curves[name] = fine_tune_and_watch(
        classifier,
        model,
        *zip(*labelled, strict=True),
        held_out_stream[-len(held_out_stream) // 3 :],  # the last third of it
        TrainingOptions(epochs=8, batch_size=8, progress=True),
        text=plain_text,
        looks=8,
    )
    skill[name] = 100 * accuracy(classifier, *zip(*unseen, strict=True))

figure = plots.curves(
    curves["labels alone"].steps,
    {name: curve.perplexities for name, curve in curves.items()},
    title="The language model inside the classifier (here)",
    xlabel="fine-tuning steps",
    ylabel="held-out perplexity",
)
most = max(max(curve.perplexities) for curve in curves.values())
figure.figure.axes[0].set_ylim(0, 1.4 * most)  # from 0: a small loss must look small
figure

# %%
for name, curve in curves.items():
    print(
        f"{name:>20}: perplexity {curve.before:.0f} before, {curve.after:.0f} after; "
        f"task {skill[name]:.0f} % right"
    )
alone = curves["labels alone"]
outcome("forgotten", alone.after / alone.before, unit="x")

# %% slide="subslide"
STORED_FORGETTING = stored_result("context_forgetting")
print(STORED_FORGETTING)
watched = STORED_FORGETTING.numbers["tasks"]
for task, numbers in watched.items():
    for way, reached_by in numbers["accuracy"].items():
        times = np.exp(numbers["forgotten, nats a token"][way]["mean"])
        print(
            f"{task}, {way}: {times:.2f} times the old perplexity, task "
            f"{reached_by['mean']:.0%} right ({reached_by['low']:.0%} to {reached_by['high']:.0%})"
        )
    by_way = numbers["accuracy"]
    price = difference(by_way["with the language-model loss"], by_way["labels alone"])
    print(f"   joint loss against labels alone, task: {price}")

# %% [markdown]
# Is it a catastrophe? Not at this size. With labels alone the perplexity grows by the factor that your outcome shows here, and in the stored runs with 1,000 labels by 1.4 (1.2 to 1.7) for the part of speech and by 1.8 (1.1 to 2.9) for subjective or objective: **the model forgets a part**. Why so little? A guess: fine-tuning lasts a few hundred steps only, and on English. With the joint loss the perplexity stays within 2 % of what it was.
#
# Is that free? For the shuffled sentences we had one seed, too little to say. For the part of speech the stored runs show a small one, 1.0 points (0.2 to 1.9). For subjective or objective the accuracy falls from 82 % to 54 %: near guessing. With the joint loss the LSTM learnt next to nothing of that task. It may be that the LSTM must move to see opinions, and the other loss holds it. It may also be that weight 1 and these five passes are a bad choice; smaller weights were not tried.
#
# And forgetting hurts only whoever still needs the old skill. Dai and Le need the language model only as a start; afterwards it may go. For a translator it is half of the work, as you will see next.

# %% [markdown] slide="slide"
# ## 3. Two language models become a translator
#
# Translation, summaries, answers in a dialogue: one sequence goes in, another comes out. The **encoder–decoder** of 2014 (Sutskever, Vinyals and Le, arXiv:1409.3215; Cho and others, arXiv:1406.1078) does this with two recurrent networks: LSTMs in the first paper, a gated unit of the authors' own in the second. The encoder reads the source. The decoder says the target word by word, and is itself a language model, one that has been told what to talk about. Such a model has many numbers, and pairs of sentences with their translations are expensive. So it overfits.
#
# Plain text in either language is cheap. Ramachandran, Liu and Le take **two language models**, one for each side, and build the translator from them:

# %% slide="subslide"
LM, FRESH = "from a language model", "starts at random"
boxes, arrows = [], []
for step, word in enumerate(["A", "B", "C"]):
    boxes += [
        Box(f"source word {word}", step, 0, text=word),
        Box(f"source embedding {step}", step, 1, LM, "vector"),
        Box(f"encoder layer 1, step {step}", step, 2, LM, "LSTM 1"),
        Box(f"encoder layer 2, step {step}", step, 3, FRESH, "LSTM 2"),
    ]
for step, word in enumerate(["</s>", "W", "X"], start=4):
    boxes += [
        Box(f"target word {word}", step, 0, text=word),
        Box(f"target embedding {step}", step, 1, LM, "vector"),
        Box(f"decoder layer 1, step {step}", step, 2, LM, "LSTM 1"),
        Box(f"decoder layer 2, step {step}", step, 3, FRESH, "LSTM 2"),
        Box(f"softmax {step}", step, 4.6, LM, "softmax"),
    ]
boxes.append(Box("attention", 3, 4, FRESH, "attention", width=1.1))
names = {box.name for box in boxes}
for start, end in (
    ("source word", "source embedding"),
    ("source embedding", "encoder layer 1"),
    ("encoder layer 1", "encoder layer 2"),
    ("target word", "target embedding"),
    ("target embedding", "decoder layer 1"),
    ("decoder layer 1", "decoder layer 2"),
    ("decoder layer 2", "softmax"),
):
    lower = [box for box in boxes if box.name.startswith(start)]
    upper = [box for box in boxes if box.name.startswith(end)]
    arrows += [Arrow(a.name, b.name) for a, b in zip(lower, upper, strict=True)]
arrows += [
    Arrow(f"{side} layer {layer}, step {step}", f"{side} layer {layer}, step {step + 1}")
    for side, steps in (("encoder", (0, 1)), ("decoder", (4, 5)))
    for layer in (1, 2)
    for step in steps
]
arrows += [
    Arrow("encoder layer 2, step 2", "attention", kind="read by attention"),
    Arrow("encoder layer 1, step 2", "attention", bend=0.2, kind="read by attention"),
    Arrow("decoder layer 2, step 4", "attention", kind="asks, with its query q"),
    Arrow("attention", "softmax 4", kind="read by attention"),
    Arrow("decoder layer 1, step 6", "softmax 6", bend=0.9, kind="residual"),
]
boxes_and_arrows(
    boxes, arrows, title="A translator from two language models", height=4.4, width=7.0
)

# %% [markdown]
# Drawn once each, and meant at every step: attention, with the decoder's question, and the residual. Four ideas, each with its reason:
#
# - **The softmax too** comes from the target's language model. It is one of the two largest tables, and it knows how the target language bets.
# - **Joint loss**: task and both language models, equally weighted, against forgetting.
# - **A residual.** The upper layers start at random. At first they send noise upwards and noisy gradients downwards, into numbers that took long to learn. So the output of the first layer goes around them, straight to the softmax input. On the first day, the decoder can bet as the language model did.
# - **Attention to both layers.** The decoder looks back at the source: at the new top layer, and at the pretrained first layer beside it.
#
# **Attention** is a look into the source with shared-out eyes. The decoder asks with a vector $q$. Each source word offers a vector $k_s$. The better the two fit, the larger the share of the look:
#
# $$\alpha_s = \frac{\exp(q \cdot k_s)}{\sum_{s'} \exp(q \cdot k_{s'})}$$

# %% [markdown] exercise="attend"
# ### Exercise 3. Where to look
#
# Write `attend(queries, keys, mask)`:
#
# - `queries` (B, T, H): one for each target word,
# - `keys` (B, S, H): one for each source word,
# - `mask` (B, S): True at real source words, False at padding, in front or behind.
#
# Return the shares (B, T, S). Those of one query add up to 1, and padding gets exactly 0. It must also work with scores of hundreds, even where padding has the largest.


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
# nudge: Three steps: all scores, then something about the padding, then the shares. Which of them must come before which?
#
# idea: `queries @ keys.transpose(1, 2)` has all scores, (B, T, S). A score of minus infinity gets a share of exactly 0, and the others still add up to 1. The mask needs an axis in the middle: `mask.unsqueeze(1)`.
#
# outline: `scores.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(-1)`.

# %% [markdown] model_answer="attend"
# A score of minus infinity becomes a share of exactly 0, and the softmax shares out the look among the real words alone. Zeros written in after the softmax would leave shares that no longer add up to 1.

# %% [markdown] slide="subslide"
# The same shares then read **both** layers, and the two results stand side by side. (The translator below uses the package's `attend`, the one that yours was held to.)

# %%
from elmo_mini.recurrent.seq2seq import attend_to_layers

attend = or_reference("attend", attend)
torch.manual_seed(0)
query, first_layer, top_layer = torch.randn(1, 1, 4), torch.randn(1, 3, 4), torch.randn(1, 3, 4)
shares = attend(query, top_layer, torch.tensor([[True, True, False]]))
print("shares:", ", ".join(f"{share:.2f}" for share in shares.flatten()), "(the third is padding)")
print("both layers, read:", tuple(attend_to_layers(shares, first_layer, top_layer).shape))

# %% [markdown] slide="subslide"
# ### A task without a translator
#
# Translations are expensive, so we make pairs out of any text. In a **telegram** every word cost money, and the small words stayed away. The source is a sentence as a telegram, the target the whole sentence. The model must put the small words back.

# %%
from elmo_mini.recurrent.seq2seq import (
    Seq2Seq,
    seq2seq_perplexity,
    start_decoder,
    start_encoder,
    train_seq2seq,
)
from elmo_mini.recurrent.telegrams import telegram

LONGEST, UNKNOWN = (9, 1) if text.name == "brown" else (25, 6)  # a small text has few short ones


def as_pairs(part, skip=0):
    """(telegram, sentence) of short sentences with few words outside the vocabulary."""
    of_length = (s for s in text.split(part).sentences(lower=True) if 5 <= len(s) <= 25)
    return [
        (vocabulary.encode(telegram(s)), vocabulary.encode(s))
        for s in itertools.islice(of_length, skip, None)
        if len(s) <= LONGEST
        and len(telegram(s)) >= 2
        and sum(word not in vocabulary for word in s) <= UNKNOWN
    ]


# Sentences that the language model has not read; a small text has none left, so it shares.
unread = as_pairs("train", skip=len(train)) or as_pairs("train")
draw = np.random.default_rng(0).permutation(len(unread))[:2_000]
known, asked = [unread[i] for i in draw], as_pairs("dev")[:300]
print(f"{len(known):,} pairs to learn from, {len(asked)} to be asked. For example:")
for short, whole in known[:3]:
    print("  ", " ".join(vocabulary.decode(short)).upper(), "→", " ".join(vocabulary.decode(whole)))

# %% [markdown]
# Our language model will be the decoder's. For the encoder we train a second one, on telegrams. Both have seen plain text only.
#
# **Does the translator read its telegram at all?** A decoder from a good language model can bet well without looking at the source. So two numbers belong beside its perplexity:
#
# - that of the language model alone, which gets no telegram,
# - that of the same translator when each sentence comes with the telegram of **another** sentence.


# %%
def swapped(pairs):
    """Each sentence with the telegram of the next pair."""
    return [(pairs[i - len(pairs) + 1][0], whole) for i, (_, whole) in enumerate(pairs)]


@torch.no_grad()
def without_telegram(pairs):
    """Perplexity of our language model on the same sentences, one by one."""
    losses, tokens = [], []
    for _, whole in pairs:
        ids_of = torch.tensor([[1, *whole, 1]])  # 1 is the boundary
        logits, _ = model(ids_of[:, :-1])
        losses.append(float(functional.cross_entropy(logits[0], ids_of[0, 1:])))
        tokens.append(len(whole) + 1)
    return perplexity(losses, tokens)


alone = without_telegram(asked)
print(f"The language model alone, without a telegram: perplexity {alone:.0f}")

# %%
predict(
    "seq2seq_start",
    "Perplexity of the whole sentence, given the telegram: how many times larger with a random start?",
    unit="x",
)

# %% slide="subslide"
telegrams = text_stream([telegram(sentence) for sentence in train], vocabulary)
torch.manual_seed(0)
source_model = LSTMLanguageModel(len(vocabulary), embedding=64, hidden=64)
train_language_model(source_model, telegrams, OPTIONS)

right, wrong = {}, {}
for name, from_models in (("random start", False), ("two language models", True)):
    torch.manual_seed(0)
    translator = Seq2Seq(len(vocabulary), len(vocabulary), 64, dropout=0.2)
    if from_models:
        start_encoder(translator, source_model)
        start_decoder(translator, model)
    options = TrainingOptions(epochs=6, batch_size=32, learning_rate=7e-3, progress=True)
    train_seq2seq(translator, known, options)
    right[name] = seq2seq_perplexity(translator, asked)
    wrong[name] = seq2seq_perplexity(translator, swapped(asked))

plots.bars(
    ["language model alone", *right],
    {
        "with its telegram": [np.nan, *right.values()],
        "with another's telegram": [np.nan, *wrong.values()],
        "without a telegram": [alone, np.nan, np.nan],
    },
    title=f"Telegrams made whole, {len(known):,} pairs (here, one seed)",
    ylabel="perplexity",
)

# %%
outcome("seq2seq_start", right["random start"] / right["two language models"], unit="x")

# %% [markdown]
# On our text (Brown) the translator from two language models **reads its telegram**. With it the perplexity is less than half of that of the language model alone. With the telegram of another sentence it is led astray: much worse than the language model with none. The second comparison is the stronger one: the translator has practised short sentences, the language model has not.
#
# The random start, with the same pairs, reads its telegram a little as well; but it must learn English besides, and ends about where the language model stands without any telegram. That is one seed. And do not expect good sentences: perplexity asks for one word at a time, with the true words before it. What such a small model says by itself is hardly ever the right sentence.
#
# (If you run on the small text that comes with the course, a few hundred pairs are not enough: its own telegram and another's make hardly a difference.)

# %% [markdown] slide="subslide"
# The start is worth a great deal. Which **part** of it? The stored experiment takes the method apart, with three seeds. Most variants lack one piece; the first lacks two, the start and the language-model loss.

# %% slide="subslide"
STORED_SEQ2SEQ = stored_result("context_seq2seq")
print(STORED_SEQ2SEQ)
cost = STORED_SEQ2SEQ.numbers["log perplexity above the whole method, same seeds"]
NAMES = {
    "no pretraining, no language-model loss": "neither start nor LM loss",
    "language-model loss without pretraining": "LM loss, random start",
    "pretraining without language-model loss": "start, no LM loss",
    "only the encoder pretrained": "encoder's start only",
    "only the decoder pretrained": "decoder's start only",
    "decoder without its softmax": "start without softmax",
    "without the residual": "no residual",
    "attention to the top layer only": "attention to top only",
}
plots.bars(
    list(NAMES.values()),
    {"nats lost": [cost[name]["mean"] for name in NAMES]},
    errors={"nats lost": np.array([cost[name]["high"] - cost[name]["mean"] for name in NAMES])},
    title="Loss above the whole method, 3 seeds (stored)",
    ylabel="nats a word",
)

# %%
for name, numbers in STORED_SEQ2SEQ.numbers["variants"].items():
    value = {measure: numbers[measure]["mean"] for measure in numbers}
    print(
        f"{NAMES.get(name, name):>26}: perplexity {value['perplexity']:.0f}, with another's "
        f"telegram {value['perplexity, telegram of another sentence']:.0f}; "
        f"BLEU {100 * value['BLEU']:.1f} of 100"
    )

# %% [markdown]
# Read it by the same rule: an interval that contains 0 is no clear difference.
#
# - **The start is the large piece.** Without it the loss is 0.53 nats higher (0.33 to 0.72): a perplexity of 60 in place of 35. (Without the language-model loss as well it is 0.48, 0.26 to 0.69.) Nearly all of it is the **decoder's**: with the encoder's start alone 0.36 are lost, with the decoder's alone 0.04 (−0.01 to 0.08), which is no clear difference. The decoder has to know the language; the telegram is short.
# - **Softmax, residual, attention to both layers** are worth 0.11 to 0.12 nats each: a perplexity about an eighth higher without. Small, and clear.
# - **The joint loss does not help here.** Without it the loss is 0.09 nats *lower* (0.01 to 0.17). It does keep the language model inside alive (perplexity 45, without it 117). All models were best after their last pass: they did not overfit yet, and protection against overfitting is what the paper wants it for.
#
# All of them read their telegrams: with another's it is far worse. And all of them speak badly. **BLEU** counts the word groups that a sentence shares with the right one; 1 or 2 of 100 means almost none.

# %% [markdown]
# ### What they claimed, and what is told
#
# The abstract claims two things. **Translation**, English to German: 1.3 BLEU above the previous best, on the test texts of 2014 and 2015 of WMT, the yearly comparison of translation systems. **Summaries**, on news from CNN and the Daily Mail: better than the purely supervised baseline *in the eyes of human judges*. It claims no record there. Translation gained because the model **generalised** better, they write, and summaries because **training** went better (arXiv, version 1).
#
# To cite it right: the paper was at EMNLP 2017; CNN and Daily Mail are its summaries, not its translation; and the figure that is redrawn above is its own, not the ELMo paper's.

# %% [markdown] slide="slide"
# ## Recap
#
# - Two ways to learn from plain text: bet on the next word, or read a sentence and say it again.
# - In 2015 a whole LSTM, and not only its word vectors, moved into a classifier. It helps when what it has learnt is what the task needs.
# - Fine-tuning wears the language model down, here by a part. A joint loss keeps it alive; what that costs depends on the task.
# - A translator can start from two language models, softmax included. Whether it reads its source is a question of its own: ask with a wrong source.
#
# What was still missing: a deep reader whose layers go **unchanged** into every task, and words that no table knows. TagLM, next, takes the first step.

# %%
calibration()

# %%
from autograde import progress

progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A language model is trained without a single label. **Why can it help a task with labels at all? Name one kind of knowledge that predicting the next word forces on a model, a task that profits from it, and a task that does not.** Use what you measured here. Four to six sentences.

# %% [markdown] discussion="why_unlabelled_helps" points=3
# **Rubric, 3 points.** 1 for a mechanism: predicting forces knowledge of order, agreement, topic or the like (0.5 for "it has seen a lot of text"). 1 for a task that profits, with the reason. 1 for a task that does not, or less, with the reason, or for a measurement of this lesson read correctly.

# %% [markdown] model_answer="why_unlabelled_helps"
# To predict the next word well, a model must keep what the words so far say about it: agreement, which kinds of words follow each other, which words belong to one topic. These regularities are in every text, so no label is needed to learn them. A task profits when its answer depends on the same regularities. Whether a sentence is shuffled is a question about order: with a hundred labels the random start stays near guessing, and the pretrained starts do not. A task whose answer lies in single words needs little of this, because counting words goes a long way. With 100 labels, the language model's start even hurt on subjective or objective. Pretraining helps as far as the knowledge behind the two tasks overlaps.

# %% [markdown]
# ## Further reading
#
# - Dai and Le, on the two ways to pretrain.
# - Ramachandran, Liu and Le, for the figure that is redrawn above, and for their own ablation.
# - In the package: `elmo_mini/recurrent/classifier.py`, `elmo_mini/recurrent/forgetting.py`, `elmo_mini/recurrent/seq2seq.py`; the stored experiments are `python -m elmo_mini.experiments.context`.
#
# Next: **05 · TagLM**, where the language model stays as it is and a tagger reads its states.

# %% [markdown] instructor=true
# **Instructor, common questions.** *Is the joint loss not simply more training data?* It is; that is the point: plain text is the data that keeps the old skill. *Why so small an LSTM?* The lesson must run in a minute; the stored results say what they were made with. *Poll before section 1:* "You have 100 labels and 10,000 sentences without. Copy the word vectors, the LSTM, both, or neither?"
