"""
The names that some JSON has, one by one.
"""

import inspect
import re
from typing import Any, Iterator

from gluonts.core.serde import Stateful

from gluonts_lai.limits import LONGEST_TEXT, is_brief

from .known import BASE, Known, found_at, is_allowed, is_time_feature

# Made by a call, as GluonTS's encoder has them.
TIMES = {
    "numpy.datetime64",
    "pandas.Period",
    "pandas.Timestamp",
    "pandas.tseries.frequencies.to_offset",
}
CALLED = TIMES | {
    "builtins.set",
    "builtins.tuple",
    "mxnet.context.Context",
    "mxnet.nd.array",
    "numpy.array",
    "numpy.dtype",
}
# Named, and not called.
NAMED = {
    *(f"builtins.{name}" for name in ("bool", "float", "int", "str")),
    *(f"numpy.float{bits}" for bits in (16, 32, 64)),
    *(f"numpy.{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)),
    "toolz.functoolz.identity",
}
# Numbers and times; of texts and records, a few letters ask for gigabytes.
DTYPE = re.compile(r"[<>|=]?([biufc]\d{1,2}|[mM]8\[\w{1,9}\])")


def check_names(content: Any, place: str, known: Known = BASE) -> None:
    """
    Refuse JSON that names a class which is not known.

    Parameters
    ----------
    content
        The JSON, as Python's own decoder gives it.
    place
        Where it stands, as a message has it.
    known
        What it may name.

    Examples
    --------
    >>> content = {"__kind__": "instance", "class": "os.system", "args": []}
    >>> check_names(content, "lai.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: lai.json must name known classes only, got 'os.system'; ...
    """
    for node in objects_of(content):
        check_texts([node.get("freq")], place)
        if "__kind__" in node:
            check_form(node, place)
            if not is_known(node, known):
                raise unknown(node["class"], place)


def is_known(node: dict, known: Known) -> bool:
    """Whether what an object names may be made, or be named."""
    name, kind = node["class"], node["__kind__"]
    if name in NAMED:
        return kind == "type"
    if name in CALLED:
        return kind == "instance"
    found = found_at(name, known)
    if is_allowed(found):
        return True
    if kind == "type" and is_time_feature(found):
        return True
    # Others would be made without their arguments being checked.
    has_state = inspect.isclass(found) and issubclass(found, Stateful)
    return known.has_class(found) and (kind != "stateful" or has_state)


def objects_of(content: Any) -> Iterator[dict]:
    """All objects of some JSON, those within others, too."""
    waiting = [content]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def check_form(node: dict, place: str) -> None:
    """Objects have the form that GluonTS gives them."""
    kwargs = node.get("kwargs", {})
    is_right = (
        node["__kind__"] in ("instance", "type", "stateful")
        and isinstance(node.get("class"), str)
        and isinstance(node.get("args", []), list)
        and isinstance(kwargs, dict)
        and "__kind__" not in kwargs
    )
    if not is_right:
        raise ValueError(
            f"{place} must hold objects as GluonTS writes them, got "
            f"{sorted(node)!r:.80}; write it again."
        )
    if node["class"] == "numpy.dtype":
        check_dtype(node, place)
    if node["class"] == "numpy.array":
        check_array(node, place)
    if node["class"] in TIMES:
        check_texts([*node.get("args", []), *kwargs.values()], place)


def check_dtype(node: dict, place: str) -> None:
    """Arrays hold numbers."""
    args = node.get("args", [])
    is_numeric = len(args) == 1 and not node.get("kwargs")
    if not is_numeric or not DTYPE.fullmatch(str(args[0])):
        raise ValueError(
            f"{place} must hold arrays of numbers, got dtype {args!r:.60}; "
            "write it again."
        )


def check_array(node: dict, place: str) -> None:
    """Arrays say what they hold: as texts, each would be as long as any."""
    args = node.get("args", [])
    dtype = args[1] if len(args) == 2 and not node.get("kwargs") else None
    if not isinstance(dtype, dict) or dtype.get("class") != "numpy.dtype":
        raise ValueError(
            f"{place} must hold arrays that name their dtype, got one that "
            "does not; write it again."
        )


def check_texts(values: list, place: str) -> None:
    """Times and frequencies are brief."""
    for value in values:
        if not is_brief(value):
            raise ValueError(
                f"{place} must hold times and frequencies of at most "
                f"{LONGEST_TEXT} characters, got {len(value):,}; write it "
                "again."
            )


def unknown(name: Any, place: str) -> ValueError:
    return ValueError(
        f"{place} must name known classes only, got {name!r:.100}; if it is "
        "your own, import it first, or name it with gluonts_lai.trust.allow, "
        "and load only what you trust."
    )
