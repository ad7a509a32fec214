"""
What a user may choose, and what to say where that is not possible.
"""

from typing import Any, Optional

TREATMENTS = ("impute", "mask")
SCOPES = ("dataset", "series")


def check_choice(name: str, value: Any, choices: tuple) -> None:
    if value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {listed}, got {value!r}.")


def check_at_least(name: str, value: Optional[float], least: int) -> None:
    if value is not None and not value >= least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}.")


def check_share(name: str, value: float) -> None:
    if not 0.0 < value < 1.0:
        raise ValueError(
            f"{name} must lie strictly between 0 and 1, got {value!r}; it is "
            "a share, not a percentage."
        )
