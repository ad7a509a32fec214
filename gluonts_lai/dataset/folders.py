"""
Where data sets lie: in a folder that the user names.
"""

import os
from pathlib import Path
from typing import Union

VARIABLE = "GLUONTS_LAI_DATA"

Folder = Union[None, str, Path]


def find_folder(folder: Folder, name: str, holds: str, advice: str) -> Path:
    """
    The folder of a data set.

    Parameters
    ----------
    folder
        It, or the one that has it under its name. None: what the environment
        variable ``GLUONTS_LAI_DATA`` says.
    name
        What the folder is called.
    holds
        A file or folder by which it is recognised.
    advice
        What to do where it is not found.
    """
    given = os.environ.get(VARIABLE) if folder is None else folder
    if not given:
        raise ValueError(
            f"the folder of {name!r} must be known, got neither a folder nor "
            f"the environment variable {VARIABLE}; {advice}."
        )
    for candidate in (Path(given) / name, Path(given)):
        if (candidate / holds).exists():
            return candidate
    raise FileNotFoundError(
        f"the folder of {name!r} must hold {holds}, got {str(given)!r}, where "
        f"neither {holds} nor {name}/{holds} exists; {advice}."
    )
