"""What every room needs: the exceptions that name a wrong setting or file, and what a path is."""

import os

PathLike = str | os.PathLike[str]


class ConfigurationError(ValueError):
    """Settings that do not fit together; the message names the setting and the way out."""


class ElmoFileError(ConfigurationError):
    """An options or weight file that is damaged, foreign, or at odds with its partner."""
