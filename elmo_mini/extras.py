"""Packages that come with an extra of the distribution, and the sentence that says so."""

from collections.abc import Iterator
from contextlib import contextmanager

OWN = ("elmo_mini", "autograde")
# Where the package that is installed has another name than the module that is imported.
INSTALLED_AS = {"PIL": "pillow", "sklearn": "scikit-learn", "IPython": "ipython"}


class ExtraMissing(ImportError):
    """A package that only an extra brings is not installed; the message names both."""


@contextmanager
def brought_by(extra: str) -> Iterator[None]:
    """Say which extra brings a package whose import fails.

    ::

        with brought_by("experiments"):
            from sklearn.linear_model import LogisticRegression

    Parameters
    ----------
    extra : the extra of the distribution that brings what is imported inside

    Raises
    ------
    ExtraMissing
        One of them is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").split(".")[0]
        if module in OWN:
            raise
        raise ExtraMissing(missing(module, extra)) from error


def missing(module: str, extra: str) -> str:
    """One sentence: this package is not installed, that extra brings it, so do this."""
    package = INSTALLED_AS.get(module, module)
    return (
        f"{package} is not installed here; it comes with the extra [{extra}]: python -m pip "
        f"install 'before-bert[{extra}]', or '.[{extra}]' in a clone of the course."
    )
