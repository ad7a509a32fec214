"""
What is known by its class: made to be written, and of a package that is
known, or the user's own and there already.
"""

import inspect
import sys
from pydoc import ErrorDuringImport, locate
from typing import Any, Callable, NamedTuple

from gluonts.core.serde import Stateful, Stateless
from gluonts.model.predictor import Predictor
from gluonts.pydantic import BaseModel

from gluonts_lai.anomalous import AnomalousModel

OURS = ("gluonts_lai.",)
# Where GluonTS keeps what a predictor is made of. Not its shell, its readers
# of files, nor its nursery, of which some unpickle.
THEIRS = tuple(
    f"gluonts.{package}."
    for package in ("ext", "model", "mx", "time_feature", "torch", "transform")
)
FUNCTIONS = ("gluonts.time_feature.",)
# NamedTuples, dataclasses, and what can be copied by its arguments.
WRITTEN = ("_fields", "__dataclass_fields__", "__getnewargs_ex__")

ALLOWED: list[Any] = []


def allow(*objects: Any) -> None:
    """
    Let model folders name classes and functions of one's own.

    Needed for functions, as of features of one's own, and for classes that
    are not made with GluonTS's ``@validated()``.

    Parameters
    ----------
    objects
        Classes, which are then made with whatever arguments a folder has,
        and functions.

    Examples
    --------
    >>> def is_weekend(index):
    ...     return index.dayofweek >= 5
    >>> allow(is_weekend)
    """
    ALLOWED.extend(each for each in objects if not is_allowed(each))


def is_allowed(found: Any) -> bool:
    return any(found is other for other in ALLOWED)


class Known(NamedTuple):
    """What a file may name: packages, and what one's own must derive from."""

    packages: tuple[str, ...]
    own: Callable[[Any], bool]

    def has_class(self, found: Any) -> bool:
        if not inspect.isclass(found) or not is_written(found):
            return False
        package = f"{found.__module__}."
        return package.startswith(self.packages) or self.own(found)


def is_written(found: type) -> bool:
    """Whether a class is made to be written by GluonTS."""
    kinds = (Stateful, Stateless, BaseModel, Predictor, AnomalousModel)
    return (
        issubclass(found, kinds)
        or is_validated(found)
        or any(hasattr(found, sign) for sign in WRITTEN)
    )


def is_validated(found: Any) -> bool:
    """Whether a class has a constructor that is ``@validated()``."""
    init = found.__init__
    return getattr(init, "Model", None) is not None


def is_model_part(found: type) -> bool:
    kinds = (Predictor, AnomalousModel)
    return issubclass(found, kinds) or is_validated(found)


LAI = Known(OURS, lambda found: issubclass(found, AnomalousModel))
BASE = Known(OURS + THEIRS, is_model_part)


def found_at(name: Any, known: Known) -> Any:
    """What a name leads to; None where nothing is, or would be imported."""
    if not isinstance(name, str):
        return None
    if not name.startswith(known.packages):
        return already_there(name)
    try:
        return locate(name)
    except ErrorDuringImport as error:
        raise ImportError(
            f"{name} must be there to load the model, got {error.value}; "
            "install what it needs."
        ) from error


def already_there(name: str) -> Any:
    """What a name leads to, if that is imported already."""
    parts = name.split(".")
    for i in range(len(parts) - 1, 0, -1):
        found: Any = sys.modules.get(".".join(parts[:i]))
        if found is not None:
            for part in parts[i:]:
                found = getattr(found, part, None)
            return found
    return None


def is_time_feature(found: Any) -> bool:
    return inspect.isfunction(found) and f"{found.__module__}.".startswith(
        FUNCTIONS
    )


def own(name: str) -> Any:
    """What a name of the user's own leads to, if that is known; else None."""
    if name.startswith(BASE.packages):
        return None
    found = already_there(name)
    return found if is_allowed(found) or BASE.has_class(found) else None
