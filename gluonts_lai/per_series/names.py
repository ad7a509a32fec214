"""
Which series is it? Models are found by the ``item_id`` of an entry.
"""

from typing import Any
from zlib import crc32

from gluonts_lai.panel.entries import name_of
from gluonts_lai.seeds import derived


def key_of(entry: Any, position: int) -> str:
    """What the model of an entry is found by."""
    item_id = entry.get("item_id") if isinstance(entry, dict) else None
    if item_id is None:
        raise ValueError(
            "each entry must have an item_id, by which its model is found, "
            f"got none in {name_of(entry, position)}."
        )
    return str(item_id)


def keys_of(entries: list) -> list[str]:
    return [key_of(entry, i) for i, entry in enumerate(entries)]


def check_unique(keys: list[str], what: str) -> None:
    """Each series comes once where there is to be one model of each."""
    seen: dict[str, int] = {}
    for i, key in enumerate(keys):
        if key in seen:
            raise ValueError(
                f"each item_id must come once in {what}, got {key!r} in "
                f"entries {seen[key]} and {i}; give each series a name of its "
                "own."
            )
        seen[key] = i


def seed_of(seed: int, key: str, *path: int) -> int:
    """Where chance begins for a series, whatever others there are."""
    return derived(seed, crc32(key.encode()), *path)
