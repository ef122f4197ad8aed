"""The exceptions of the package that name a wrong setting or a wrong file."""


class ConfigurationError(ValueError):
    """Settings that do not fit together; the message names the setting and the way out."""


class ElmoFileError(ConfigurationError):
    """An options or weight file that is damaged, foreign, or at odds with its partner."""
