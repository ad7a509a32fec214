"""
Parameters as values: frozen, compared by content, written by GluonTS.
"""

from dataclasses import fields
from numbers import Real
from typing import Any


class Value:
    """
    Base of the frozen dataclasses that travel inside estimators.

    GluonTS's ``dump_json`` does not know a standard dataclass, but it follows
    the protocol by which Python copies immutable objects; so does ``pickle``.
    """

    def __getnewargs_ex__(self) -> tuple[tuple, dict[str, Any]]:
        names = [field.name for field in fields(self)]  # type: ignore
        return (), {name: getattr(self, name) for name in names}


def is_number(parameter: Any) -> bool:
    """Whether a parameter is a real number, numpy's included."""
    return isinstance(parameter, Real) and not isinstance(parameter, bool)
