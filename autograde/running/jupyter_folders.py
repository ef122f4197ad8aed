"""Where Jupyter keeps its own files: in the home folder, or beside the lessons where it cannot.

In containers, computer rooms and on full quotas the home folder may take no file. JupyterLab and
IPython would then end in a traceback, or lose settings without a word.
"""

import os
import tempfile
from collections.abc import MutableMapping
from pathlib import Path

VARIABLES = {
    "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_CONFIG_DIR": "config",
    "IPYTHONDIR": "ipython",
    "MPLCONFIGDIR": "matplotlib",
}


def not_writable() -> Path | None:
    """The first folder of Jupyter's own that takes no file; None where all do."""
    from jupyter_core import paths

    for folder in (
        paths.jupyter_runtime_dir(),
        paths.jupyter_data_dir(),
        paths.jupyter_config_dir(),
    ):
        if not _takes_files(Path(folder)):
            return Path(folder)
    return None


def keep_in(folder: Path, environment: MutableMapping[str, str] = os.environ) -> None:
    """Have JupyterLab and the kernels that it starts keep their files in `folder`.

    Raises
    ------
    OSError
        If that takes no file either.
    """
    for variable, name in VARIABLES.items():
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        if name == "runtime":
            place.chmod(0o700)  # it holds the keys of the kernels
        environment[variable] = str(place)


def _takes_files(folder: Path) -> bool:
    """Whether a file can be written there, or where the folder would have to be made."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"x")
    except OSError:
        return False
    return True
