"""nbgrader reads this file when it is started in this folder. The settings are the course's."""

from autograde.grading.nbgrader_settings import configure

c = get_config()  # noqa: F821 (nbgrader provides get_config)
configure(c)

# True: what is released holds model answers, hidden until a learner has tried.
# False, for a graded course: neither model answers nor solved lessons are released.
c.ReleaseModelAnswers.enabled = True
