"""
The JSON files of a model folder, before GluonTS reads them.
"""

from pathlib import Path
from typing import Any

from gluonts.model.predictor import Predictor

from gluonts_lai.documents import read_json
from gluonts_lai.manifest import check_inside

from .known import BASE, Known, found_at, is_allowed
from .names import check_names, unknown

CONFIG = "gluonts-config.json"  # names the class of the predictor


def check_base(folder: Path) -> None:
    """
    Refuse the folder of a predictor that names what is not known, or leads
    to what nobody has looked at.

    Parameters
    ----------
    folder
        A folder that GluonTS wrote; those inside it are looked at, too.
    """
    check_inside(folder, "a model folder")
    if not (folder / CONFIG).is_file():
        raise ValueError(
            f"a model folder must say in {CONFIG} what it holds, got none in "
            f"{str(folder)!r}; write it again."
        )
    for path in sorted(folder.rglob("*")):
        # Some disks take ".JSON" for the same.
        if path.name.casefold().endswith(".json"):
            check_file(path, BASE)


def check_file(path: Path, known: Known) -> Any:
    """What a JSON file says, if all classes that it names are known."""
    try:
        content = read_json(path)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{path} must be JSON that can be read, got {error!s:.200}; write "
            "it again, or take a copy of it."
        ) from error
    if path.name.casefold() == CONFIG:
        check_predictor(content, path)
    check_names(content, str(path), known)
    return content


def check_predictor(config: Any, path: Path) -> None:
    """Whether the class that GluonTS is to load is a known predictor."""
    name = config.get("type") if isinstance(config, dict) else None
    found = found_at(name, BASE)
    if not is_allowed(found) and not (
        BASE.has_class(found) and issubclass(found, Predictor)
    ):
        raise unknown(name, str(path))
