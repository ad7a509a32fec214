"""
Which series does each model of a folder belong to?
"""

from pathlib import Path
from typing import Any

from gluonts_lai.trust import BASE, check_file

INDEX = "per_series.json"


def index_in(path: Path) -> dict[str, Any]:
    """What is said of all models, if it can have been written by us."""
    index = check_file(path, BASE)
    rules = {
        "item_ids": are_names,
        "failures": are_failures,
        "prediction_length": lambda x: is_whole(x) and x >= 1,
        "lead_time": lambda x: is_whole(x) and x >= 0,
        "n_jobs": lambda x: x is None or is_whole(x) and x != 0,
        "seed": lambda x: x is None or is_whole(x) and x >= 0,
        "freq": lambda x: x is None or isinstance(x, str),
    }
    if not isinstance(index, dict) or set(index) != set(rules):
        raise no_index(path, f"{index!r:.60}")
    for name, is_right in rules.items():
        if not is_right(index[name]):
            raise no_index(path, f"{index[name]!r:.60} as {name}")
    return index


def are_names(item_ids: Any) -> bool:
    """Texts, each of which comes once."""
    return (
        isinstance(item_ids, list)
        and all(isinstance(item_id, str) for item_id in item_ids)
        and len(set(item_ids)) == len(item_ids)
    )


def are_failures(failures: Any) -> bool:
    return isinstance(failures, dict) and all(
        isinstance(why, str) for why in failures.values()
    )


def is_whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def no_index(path: Path, got: str) -> ValueError:
    return ValueError(
        f"a model folder must say in {INDEX} which series it has models of, "
        f"got {got} in {str(path)!r}; write it again, or take a copy of it."
    )
