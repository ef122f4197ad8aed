"""What every room needs: the exceptions that name a wrong setting or file, and what a path is."""

import os

PathLike = str | os.PathLike[str]


class ConfigurationError(ValueError):
    """Settings that do not fit together; the message names the setting and the way out."""


class ElmoFileError(ConfigurationError):
    """An options or weight file that is damaged, foreign, or at odds with its partner."""


def in_a_sentence(error: BaseException) -> str:
    """What a command says of an error: one line; of the system's own errors, the file and why."""
    if isinstance(error, OSError) and error.strerror:
        what = error.strerror.lower()
        if error.filename is None or isinstance(error.filename, int):
            return what
        return f"{os.fsdecode(error.filename)} cannot be used: {what}"
    return " ".join(str(error).split())
