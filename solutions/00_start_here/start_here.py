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
# ## Start here
#
# Lesson 00 · before the first lesson, on your own machine
#
# minutes: 1
#
# say: This lesson is ten minutes long, and it has one purpose: at its end everybody knows that the machine is ready, and what a check says. Open it now, we go through it together.
#
# ask: Who has a laptop on which the course is installed?
#
# expect: Half the room. Pair them up: one machine for two is enough today.
#
# skip: Go on at once.

# %% [markdown] deck="words"
# ## A computer knows a word as a list of numbers
#
# **Where do the numbers come from?**
#
# . . .
#
# **What changes when they depend on the sentence around the word?**
#
# minutes: 2
#
# say: This is the one question of the course. The first half is lessons 01 and 02. The second half is everything after that.
#
# ask: *Play* in *a play by Shakespeare* and in *play football*: the same list of numbers?
#
# expect: "Of course not, they mean different things." For years it was the same list, in every program. Lesson 02 measures what that costs.
#
# skip: Show both steps at once.

# %% [markdown] slide="slide"
# # 00 · Start here
#
# Ten minutes or so, and five for the question at the end. Afterwards you know that your machine is ready, what a check tells you, and how a lesson is built.
#
# This course follows one question. A computer knows a word as a list of numbers. **Where do the numbers come from, and what changes when they depend on the sentence around the word?**

# %% [markdown] deck="figure"
# ## The road: from one vector a word to a vector for each sentence
#
# minutes: 2
#
# say: Sixteen stations. You are at the large one. The others take from an hour and a half to two and a half hours each. Every lesson ends with this picture, with a tick where all exercises are passed.
#
# ask: Which of these names have you heard before?
#
# expect: "BERT." It stands near the end. What comes before it is what makes it understandable.
#
# skip: Point at the first and the last station.

# %% tags=["road"]
from course.figures import plots

plots.road("00")

# %% [markdown]
# The large station is where you are. The other lessons take from an hour and a half to two and a half hours each.
#
# ## What you will be able to do
#
# - read the report on your machine and fix what it names,
# - run a check, read what it says about a wrong answer, and pass it,
# - record a prediction before a measurement, and compare the two.
#
# ## The papers
#
# Lesson 00 follows no paper. Each of the others names its own, with links. You need not read them first.

# %% [markdown] instructor=true
# **Instructor.** Let everybody run this lesson in the first session, on the machine they will use all term. It finds broken installations while there is time. The two exercises are worth a point each, so that the whole path from notebook to mark is walked once. Honest minutes: reading, 5 (at 200 words a minute); section 1 and the prediction, 1; the repair in section 3, 1; the two answers, 2 and 2: that is 11. The essay takes 5, at home. In a lecture: 5 minutes, show the failing check live, skip the rest.

# %% [markdown] deck="words"
# ## Is this machine ready?
#
# ```
# environment()
# ```
#
# A line that does not say **OK** says what to do.
#
# minutes: 2
#
# say: Click on the first cell of section 1 and press Shift and Enter. It looks at the machine and answers in words. Wait until everybody has an answer, and collect the lines that do not say OK. The corpora are optional: without them the lessons run on news text that is always here.
#
# ask: Who has a line without OK?
#
# expect: "It says something about a corpus, so I cannot go on." You can: the course brings a small text of its own, and stored results for the rest.
#
# skip: Let them run it at home, and look at the failures after the lecture.

# %% [markdown] slide="subslide"
# ## 1. Is this machine ready?
#
# Click on the next cell and press `Shift` + `Enter`. It looks at this machine and answers in words. A line that does not say OK says what to do.

# %%
from autograde import environment

environment()

# %% [markdown] deck="words"
# ## How a lesson works
#
# 1. Run the cells **from top to bottom**.
# 2. Replace `raise NotImplementedError()` by your answer.
# 3. Run the answer's cell, then the check, **as often as you like**.
# 4. Stuck? Three hints: a nudge, the idea, an outline.
#
# minutes: 2
#
# say: Nothing is lost by a wrong answer. The check can be run a hundred times. The copy is yours, and an update of the course never writes over it.
#
# ask: You change your answer and run only the check. What happens?
#
# expect: "It checks the new answer." It checks the old one: the cell with the answer has not been run again.
#
# skip: Points 2 and 3.

# %% [markdown]
# The corpora are optional. Without them the lessons run on news text that is always here, and show stored results for the rest.
#
# ## 2. How a lesson works
#
# - **Run the cells from top to bottom.** Later cells need the earlier ones.
# - **An exercise** is a cell with `# YOUR CODE HERE`. Replace the line `raise NotImplementedError()` by your answer. The cell after it checks the answer, as often as you like.
# - **After a change** run the answer's cell again before you check. `NameError` means that a cell above has not been run.
# - **Hints** are folded under each exercise: a nudge, the idea, an outline. Below them a **model answer** unfolds once yours has passed, or after a try and all three hints (if your course allows it).
# - **This copy is yours.** An update of the course never writes over it.
#
# ## 3. A check that fails on purpose
#
# Before your own answer, see a wrong one. The task is small: *what share of the tokens of a text is one given word?* A **token** is one running word or mark of a text. Here is a function that somebody wrote in a hurry.

# %% [markdown] deck="code"
# ## A wrong answer, on purpose
#
# What share of the tokens of a text is one given word?
#
# minutes: 2
#
# say: A token is one running word or mark of a text. Somebody wrote this in a hurry. Run the cell and let everybody read the report. Live: this takes a second, on every machine.
#
# ask: What is wrong, before the check tells us?
#
# expect: "Nothing, it counts." It counts, and was asked for the share. A long text gives a larger number.
#
# skip: Do not run it; name the mistake.

# %%
from autograde import check


def in_a_hurry(tokens, word):
    return float(tokens.count(word))


check("relative_frequency", in_a_hurry)

# %% [markdown] deck="words"
# ## What a check tells you
#
# - the points, and **the name of the mistake**, when it knows it
# - the **first wrong case**: what went in, what was expected, what came
#
# . . .
#
# How does it know? A list of likely wrong answers. Yours **gives the same outputs** as one of them.
#
# minutes: 2
#
# say: Read a report from the top. The first line gives the points. The cases stand in a table, the simple ones first, the corners last. What helps is folded: look yourself first.
#
# ask: How can a program know what you were thinking?
#
# expect: "It reads my code." It does not look at the code. It compares outputs with those of known mistakes.
#
# skip: Leave out how it knows.

# %% [markdown] slide="subslide"
# Read the report from the top.
#
# - The first line gives the points and, when the check recognises it, **the name of the mistake**. The second says what is wrong in the first case that fails.
# - *What helps* is folded. Look for the slip yourself first. (The hints that it speaks of stand in section 4.)
# - The table lists the cases, the simple ones first, the corners last. Below it is *the first wrong case*: what went in, what was expected, what came.
#
# How does it know? The course keeps a list of likely wrong answers. When your function gives the same outputs as one of them, the mistake has a name.
#
# **Now repair it.** Change the one line of `in_a_hurry` as the report says, and run the cell again. Now another case turns red, one that nobody in a hurry thinks of. What does it ask?

# %% [markdown] deck="formula"
# ## Your turn: how often does a word occur?
#
# minutes: 1.5
#
# say: The relative frequency. Repair the one line as the report says, and run the check again. Upper and lower case are different: The is not the.
#
# ask: Which text makes this formula break?
#
# expect: "A text in which the word never occurs." That gives zero, and zero is right. Wait for the next slide.
#
# skip: Read the formula.

# %% [markdown] exercise="relative_frequency"
# ## 4. Your turn: how often does a word occur?
#
# The **relative frequency** of a word is the share of the tokens that are this word:
#
# $$f(w) = \frac{\text{number of tokens equal to } w}{\text{number of all tokens}}$$
#
# Write `relative_frequency(tokens, word)`: your repaired line, and the corner that it missed. For a text without tokens return `0.0`. Upper and lower case are different: `The` is not `the`.


# %% exercise="relative_frequency"
def relative_frequency(tokens, word):
    """Share of the tokens (a list of str) that are exactly `word`."""
    ### BEGIN SOLUTION
    if not tokens:
        return 0.0
    return tokens.count(word) / len(tokens)
    ### END SOLUTION


# %% [markdown] deck="words"
# ## After the repair, another case turns red
#
# `tokens.count(word) / len(tokens)`
#
# . . .
#
# A text **without tokens**: nothing divided by nothing. The exercise asks for `0.0`.
#
# minutes: 2
#
# say: The last cases of a table are the corners, the ones that nobody in a hurry thinks of. Give the room two minutes to pass the check on their own machines.
#
# ask: Which case is it?
#
# expect: "Capital letters." They are different words here, and count does that right already.
#
# skip: Say it, and let them do it at home.

# %% check="relative_frequency"
check("relative_frequency", relative_frequency)

# %% [markdown] hints="relative_frequency"
# nudge: A relative frequency lies between 0 and 1. What do you divide by what? Compare tokens as they are, without changing their case.
#
# idea: `tokens.count(word)` counts the tokens that equal `word`, and `len(tokens)` counts all of them. One `/` gives the share.
#
# outline: If the list is empty, return `0.0`. Otherwise return the count divided by the length. Two lines are enough.

# %% [markdown] model_answer="relative_frequency"
# The empty text comes first, because nothing can be divided by its length. `count` compares whole tokens, so upper and lower case stay apart.

# %% [markdown] slide="subslide"
# ## 5. Predict before you run
#
# Guessing first makes a result stick, above all when the guess is wrong. Type your guess into the form and press *Record*. Where you see no form, write it into the call, as in `predict(..., guess=3)`. It is kept in a file beside this notebook, and nobody marks it.
#
# A guess counts only **before** its outcome is shown. *Run All Cells* shows all outcomes at once; then no guess is recorded until you restart the kernel.
#
# The text is real: the Lee corpus, 350 short news stories, in lower case, so that *The* at the start of a sentence counts too.

# %% [markdown] deck="poll"
# - about 1 %
# - about 3 %
# - about 6 %
# - about 12 %
#
# minutes: 2
#
# say: 350 short news stories, all in lower case. Guessing first makes a result stick, above all when the guess is wrong. Each lesson asks so: type the guess, press Record, then run the next cell. Nobody marks it.
#
# ask: The poll.
#
# expect: "One per cent, there are thousands of words." One token in sixteen is the same word.
#
# skip: Take one vote.

# %%
from autograde import or_reference, outcome, predict

predict("share_of_the", "What percentage of the tokens is 'the'?", unit="%")

# %% [markdown]
# Now measure it, with the function that you have just written.

# %%
from elmo_mini import corpora

relative_frequency = or_reference("relative_frequency", relative_frequency)
tokens = [token.lower() for sentence in corpora.lee().sentences() for token in sentence]
outcome("share_of_the", 100 * relative_frequency(tokens, "the"), unit="%")

# %% [markdown] deck="words"
# ## Myth or measured?
#
# > *"In a text of this size, most of the words occur often enough to learn them from examples."*
#
# minutes: 1.5
#
# say: Every lesson has such sentences. They are said in talks and on blogs, and sound right. It feels true: we read the same words all day. Count who believes it, and then measure.
#
# ask: Who would sign it?
#
# expect: Most hands. Write the number on the board.
#
# skip: Go straight to the figure.

# %% [markdown] slide="subslide"
# ## 6. Myth or measured?
#
# > *"In a text of this size, most of the words occur often enough to learn them from examples."*
#
# It feels true: we read the same words all day. Here is how often every word of the corpus occurs, the commonest first. Each step to the right or down is a factor of ten.

# %% [markdown] deck="figure"
# minutes: 2
#
# say: All words of the corpus, the commonest first. Each step to the right or down is a factor of ten. The first word occurs more than four thousand times. The flat steps on the right are the words that occur three times, twice, once.
#
# ask: Where on this curve is a word that you could learn from examples?
#
# expect: "Everywhere but the last step." How many examples does a person need? Five? That is only the left part.
#
# skip: Point at the last step.

# %%
from collections import Counter

from course.start_here.ranks import ranks

counts = Counter(tokens)
ranks(counts, "the Lee corpus")

# %% [markdown] exercise="share_once"
# ### Your second answer: how many words occur once?
#
# Write `share_once(tokens)`: what share of the **different** words of a text occur exactly once? The text has at least one token. `Counter(tokens)` counts every word.


# %% exercise="share_once"
from collections import Counter


def share_once(tokens):
    """Share of the different words (a list of str) that occur exactly once."""
    ### BEGIN SOLUTION
    counts = Counter(tokens)
    once = [word for word in counts if counts[word] == 1]
    return len(once) / len(counts)
    ### END SOLUTION


# %% check="share_once"
check("share_once", share_once)

# %% [markdown] hints="share_once"
# nudge: *the* is one word, however often it occurs. What goes on top of the fraction, and what below?
#
# idea: `Counter(tokens)` has one entry for each different word, with its count: `counts[word]`. Its `len` is the number of different words.
#
# outline: Count. Collect the words whose count is 1. Divide their number by the number of different words.

# %% [markdown] model_answer="share_once"
# `Counter` goes through the tokens once. After that only the different words matter: `len(tokens)` would count every occurrence.

# %% [markdown] deck="printed"
# ## Nearly half of the words have one example
#
# minutes: 1.5
#
# say: Different words, not running words. The commonest hundred fill half of the text, and nearly half of the words occur a single time. This is Zipf's law. It holds for larger texts, too: they bring new rare words.
#
# ask: So is the sentence of the quotation true?
#
# expect: "With more text it would be." A larger text has more words that occur once.
#
# skip: Read the second line.

# %%
share_once = or_reference("share_once", share_once)
often = sum(count for _, count in counts.most_common(100))
print(f"The 100 most frequent of {len(counts):,} words and marks fill {often / len(tokens):.0%}.")
print(f"{share_once(tokens):.0%} of the words occur exactly once,")
rare = sum(count < 5 for count in counts.values())
print(f"and {rare / len(counts):.0%} fewer than five times.")

# %% [markdown] deck="words"
# ## One example. What else does a person know?
#
# . . .
#
# **Pieces and letters** of the word: lessons 02 and 06
#
# . . .
#
# **The sentence around it**: from lesson 03 on
#
# minutes: 2
#
# say: These are the two answers that run through the course. Let the room find them before you show them. It is also the question for discussion at the end of the lesson.
#
# ask: You meet *unfriendlyish* for the first time. How do you know what it means?
#
# expect: "I do not." You do: friend, un, ly, ish. And the sentence says the rest.
#
# skip: Show both steps at once.

# %% [markdown]
# **Measured: a myth.** In a text of this size about half of the words occur a single time: one example to learn from. That a few words are everywhere and most are rare is **Zipf's law**. Three quarters occur fewer than five times, and lesson 01 leaves such words out. Two answers to that run through this course: build words from pieces and letters (lessons 02 and 06), and read the sentence around them (from lesson 03 on).
#
# ## Recap
#
# - A check shows the first wrong case and, when it knows the mistake, names it.
# - Hints come in three steps. A prediction comes before a measurement.
# - In real text a few words are everywhere and most words are rare: Zipf's law.

# %% [markdown] deck="words"
# ## What to take home
#
# - Run, check, repair: a check names the **first wrong case**.
# - **Predict** before you measure.
# - A few words are everywhere, most are rare: **Zipf's law**.
#
# minutes: 1
#
# say: A line each. At home: both exercises of lesson 00, a point each, so that the way from notebook to mark is walked once.
#
# ask: What do you do when a check is red?
#
# expect: "Look at the model answer." First the first wrong case, then a hint. The model answer opens after that.
#
# skip: Keep it.

# %%
from autograde import calibration, progress

calibration()

# %% [markdown]
# ### Where you are
#
# Every lesson ends with this picture: a tick where all exercises are passed, else how many are. What your checks find stays in your folder `work/`. So does an answer that passes in full: later lessons start from **your** functions.

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
# - `docs/rooms.md`, *Where things are*: where to find the lessons, the package and the checks.
# - `python -m elmo_mini corpora` in a terminal lists the texts of the course and their licences.
#
# Next: **01 · word2vec with negative sampling**, where words learn from their neighbours.
