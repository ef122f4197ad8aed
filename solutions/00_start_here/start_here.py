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
# # 00 · Start here
#
# Twenty minutes. At the end you know that your machine is ready, what a check tells you, and how a lesson is built.
#
# This course follows one question. A computer knows a word as a list of numbers. **Where do the numbers come from, and what changes when they depend on the sentence around the word?**

# %% tags=["road"]
from elmo_mini.figures import plots

plots.road("00")

# %% [markdown]
# The large station is where you are. In later lessons the stations behind you are blue. A dotted station is not written yet. A lesson takes an hour and a half to three hours; this one takes twenty minutes.
#
# ## What you will be able to do
#
# - read the report on your machine and mend what it names,
# - run a check, read what it says about a wrong answer, and pass it,
# - record a prediction before a measurement, and compare the two.
#
# ## The papers
#
# Lesson 00 follows no paper. Six papers mark the road, and there are more in the lessons. You need not read them first.
#
# | lesson | paper |
# |---|---|
# | 01 | Mikolov and others 2013, two papers on word2vec (arXiv:1301.3781 and NIPS 2013) |
# | 05 | Peters and others 2017, TagLM (arXiv:1705.00108) |
# | 07 to 09 | Peters and others 2018, ELMo (arXiv:1802.05365) |
# | 11 | Howard and Ruder 2018, ULMFiT (arXiv:1801.06146) |
# | 12 and 13 | Devlin and others 2018, BERT (arXiv:1810.04805) |

# %% [markdown] instructor=true
# **Instructor.** Let everybody run this lesson in the first session, on the machine they will use all term. It finds broken installations while there is time. The single exercise is worth one point so that the whole path from notebook to mark is walked once. In a lecture: 5 minutes, show the failing check live, skip the rest.

# %% [markdown] slide="subslide"
# ## 1. Is this machine ready?
#
# Click on the next cell and press `Shift` + `Enter`. It looks at this machine and answers in words. A line that does not say OK says what to do.

# %%
from autograde import environment

environment()

# %% [markdown]
# The corpora are optional. Without them the lessons run on the news text that is always here, and larger experiments show their stored results.
#
# ## 2. How a lesson works
#
# - **Run the cells from top to bottom.** Later cells need the earlier ones.
# - **An exercise** is a cell with `# YOUR CODE HERE`. Replace the line `raise NotImplementedError()` by your answer. The cell after it checks the answer. Check as often as you like.
# - **After an error message** in an answer cell, mend it and run the cell again before you check: the check sees the last version that ran. `NameError` means that a cell above has not been run.
# - **Hints** are folded under each exercise: a nudge, then the idea, then an outline. Open one at a time. The cell below them unfolds a **model answer** once yours has passed, or after a try and all three hints. (A course with marks may have switched this off.)
# - **This copy is yours.** An update of the course never writes over it.
#
# ## 3. A check that fails on purpose
#
# Before your own answer, see a wrong one. The task is small: *what share of the tokens of a text is one given word?* A **token** is one running word or mark of a text. Here is a function that somebody wrote in a hurry.

# %%
from autograde import check


def in_a_hurry(tokens, word):
    return float(tokens.count(word))


check("relative_frequency", in_a_hurry)

# %% [markdown] slide="subslide"
# Read the report from the top.
#
# - The first line gives the points and, when the check recognises it, **the name of the mistake**.
# - The second line says what is wrong in the first case that fails.
# - *What helps* is folded. Look for the slip yourself first. Then open it: it says what to change. It also opens when you check the same answer again.
# - The table lists the cases. The simple ones come first, the corners last.
# - *The first wrong case* shows what went in, what was expected and what came.
#
# How does it know? The course keeps a collection of wrong answers that real learners write. Your function runs on the same inputs as they do. When the outputs agree, the mistake has a name.

# %% [markdown] exercise="relative_frequency"
# ## 4. Your turn: how often is a word?
#
# The **relative frequency** of a word is the share of the tokens that are this word:
#
# $$f(w) = \frac{\text{number of tokens equal to } w}{\text{number of all tokens}}$$
#
# Write `relative_frequency(tokens, word)`. For a text without tokens return `0.0`. Upper and lower case are different: `The` is not `the`.


# %% exercise="relative_frequency"
def relative_frequency(tokens, word):
    """Share of the tokens (a list of str) that are exactly `word`."""
    ### BEGIN SOLUTION
    if not tokens:
        return 0.0
    return tokens.count(word) / len(tokens)
    ### END SOLUTION


# %% check="relative_frequency"
check("relative_frequency", relative_frequency)

# %% [markdown] hints="relative_frequency"
# nudge: A share lies between 0 and 1. What do you divide by what? Compare tokens as they are, without changing their case.
#
# idea: `tokens.count(word)` counts the tokens that equal `word`, and `len(tokens)` counts all of them. One `/` gives the share.
#
# outline: If the list is empty, return `0.0`. Otherwise return the count divided by the length. Two lines are enough.

# %% [markdown] model_answer="relative_frequency"
# The empty text comes first, because nothing can be divided by its length. `count` compares whole tokens, so upper and lower case stay apart.

# %% [markdown] slide="subslide"
# ## 5. Predict before you run
#
# Guessing first makes a result stick, above all when the guess is wrong. Type your guess into the form and press *Record*. Where you see no form, write it into the call instead, as in `predict(..., guess=3)`. Your prediction is kept in a file beside this notebook. Nobody marks it.
#
# A guess counts only **before** its outcome is shown. *Run All Cells* shows all outcomes at once, and after that no guess is recorded until you restart the kernel.
#
# We take real text: the Lee corpus, 350 short news stories. All its tokens are made lower case first, so that *The* at the start of a sentence counts too. Which share of them is *the*?

# %%
from autograde import or_reference, outcome, predict

predict("share_of_the", "Which percentage of the tokens is 'the'?", unit="%")

# %% [markdown]
# Now measure it, with the function that you have just written.

# %%
from elmo_mini import corpora

relative_frequency = or_reference("relative_frequency", relative_frequency)
tokens = [token.lower() for sentence in corpora.lee().sentences() for token in sentence]
outcome("share_of_the", 100 * relative_frequency(tokens, "the"), unit="%")

# %% [markdown] slide="subslide"
# ## 6. Myth or measured?
#
# > *"In a text of this size, most of the words occur often enough to learn them from examples."*
#
# It feels true: we read the same words all day. Count how often every word of the Lee corpus occurs, sort by frequency, and draw. Both axes are logarithmic: each step to the right or down is a factor of ten.

# %%
from collections import Counter

import numpy as np

counts = np.array(sorted(Counter(tokens).values(), reverse=True))
plots.curves(
    np.arange(1, len(counts) + 1),
    {"words of the Lee corpus": counts},
    title="A few words are everywhere, most words are rare",
    xlabel="rank of the word",
    ylabel="occurrences",
    log_x=True,
    log_y=True,
)

# %%
once = (counts == 1).mean()
top_hundred = counts[:100].sum() / counts.sum()
print(f"{len(counts):,} different words in {counts.sum():,} tokens.")
print(f"The 100 most frequent words and marks fill {top_hundred:.0%} of the text.")
print(f"{once:.0%} of the words occur exactly once.")

# %% [markdown]
# **Measured: a myth.** About half of the words occur a single time, in a text of this size. Whoever learns a word from its examples has one example for half of the vocabulary. Two answers to that run through this course: let similar words share what they learn (lesson 01), and read words letter by letter (lesson 06).
#
# ## Recap
#
# - A check shows the first wrong case and, when it knows the mistake, names it. How to mend it is one click away.
# - Hints come in three steps. A prediction comes before a measurement.
# - In real text a few words are everywhere and most words are rare.

# %%
from autograde import calibration, progress

calibration()

# %% [markdown]
# ### Where you are
#
# What your checks find is kept in your folder, `work/`, and nowhere else: after an update and after a restart it is still there. Every lesson ends with this picture. A tick stands at a lesson when all of its exercises are passed; else you see how many are.
#
# When an answer passes in full, its code is kept, too, as a file in `work/my_parts/`, or in `work/my_elmo/` if it belongs to the ELMo that you will put together. Later lessons start from **your** functions. The files are yours: open them, and change them as you like.

# %%
progress()

# %% [markdown] slide="subslide"
# ## Discuss
#
# A word that occurs once has one example. **Name two sources of knowledge about such a word that a person would use, and say for each how a computer could get at it.** Three or four sentences.

# %% [markdown] discussion="one_example" points=1
# **Rubric, 1 point.** 0.5 for each source that is named *and* joined to a way in which a computer could use it. A source without a way: 0.25.

# %% [markdown] model_answer="one_example"
# A person looks at the sentence around the word first: the neighbours tell what kind of thing it is. A computer can compare that context with the contexts of other words. word2vec does this with many contexts, a contextual model with the one at hand. A person also looks at the form of the word: *unhelpfully* contains *help*. A computer can read characters or pieces of words, as fastText, ELMo and BERT do. A dictionary, a translation or the topic of the document are good answers too, if you say how a computer gets at them.

# %% [markdown]
# ## Further reading
#
# - `README.md`, the first page of the course, section *Where things are*: how lessons, package and checks hang together.
# - `python -m elmo_mini corpora` in a terminal lists the texts of the course and their licences.
#
# Next: **01 · word2vec with negative sampling**, where words learn from their neighbours.
