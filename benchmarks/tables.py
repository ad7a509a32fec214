"""
Tables as they go into a page, and figures that say how sure they are.
"""

from typing import Iterable, Optional, Sequence

import numpy as np


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    print(f"| {' | '.join(head)} |")
    print("|" + "---|" * len(head))
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)
    print()


def number(x: Optional[float], digits: int = 3) -> str:
    if x is None or not np.isfinite(x):
        return "–"
    return f"{x:.{digits}f}"


def with_spread(values: Sequence[float], digits: int = 3) -> str:
    """The median over seeds, and how far the outermost lie from it."""
    values = [x for x in values if x is not None and np.isfinite(x)]
    if not values:
        return "–"
    median = float(np.median(values))
    reach = max(abs(x - median) for x in values)
    spread = f" ± {reach:.{digits}f}" if len(values) > 1 else ""
    return f"{median:.{digits}f}{spread}"
