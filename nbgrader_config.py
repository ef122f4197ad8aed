"""nbgrader reads this file when it is started in this folder. The settings are the course's."""

from autograde.grading.nbgrader_settings import configure

configure(get_config())  # noqa: F821 (nbgrader provides get_config)
