"""
Cells of a table, each computed once.

A cell is a dict of settings that say all there is to say of it, and so its
own name. What was measured is kept in a ledger, a line of JSON for each cell:
a run that was cut off goes on where it stopped, scripts share what they have
in common, and columns of MXNet and PyTorch meet that no single environment
can compute.
"""

import json
import os
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any, Callable, Iterable, NamedTuple, Optional

from joblib import Parallel, delayed
from tqdm.auto import tqdm

# One thread for each cell; workers are as quiet as what starts them.
for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")
os.environ.setdefault("PYTHONWARNINGS", "ignore")
warnings.simplefilter("ignore")

Cell = dict[str, Any]


def key_of(cell: Cell) -> str:
    return json.dumps(cell, sort_keys=True)


class Ledger:
    """
    What has been measured, in a file that only grows.

    A last line that was cut off is passed over, and its cell measured again.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.figures: dict[str, Any] = {}
        if not self.path.exists():
            return
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            self.figures[key_of(record["cell"])] = record["figures"]

    def __contains__(self, cell: Cell) -> bool:
        return key_of(cell) in self.figures

    def get(self, cell: Cell) -> Optional[Any]:
        """The figures of a cell; None where it has not been measured."""
        return self.figures.get(key_of(cell))

    def add(self, cell: Cell, figures: Any) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"cell": cell, "figures": figures})
        # A new line first: the last one may have been cut off.
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
        self.figures[key_of(cell)] = json.loads(line)["figures"]


class Attempt(NamedTuple):
    """What came of a cell: figures, or what went wrong."""

    cell: Cell
    figures: Any = None
    trouble: str = ""


def attempt(measure: Callable[[Cell], dict], cell: Cell) -> Attempt:
    """Measure a cell in silence; one that fails does not stop the others."""
    import logging

    from gluonts.env import env

    from gluonts_lai.hush import hushed

    begin = time.perf_counter()
    try:
        with (
            hushed(logging.WARNING),
            warnings.catch_warnings(),
            env._let(use_tqdm=False),
        ):
            warnings.simplefilter("ignore")
            figures = measure(cell)
    except Exception:
        return Attempt(cell, trouble=traceback.format_exc(limit=-4))
    seconds = round(time.perf_counter() - begin, 2)
    return Attempt(cell, {**figures, "seconds": seconds})


def fill(
    ledger: Ledger,
    cells: Iterable[Cell],
    measure: Callable[[Cell], dict],
    jobs: int = 1,
) -> None:
    """Measure the cells that the ledger has not, ``jobs`` at a time."""
    wanted = {key_of(cell): cell for cell in cells}
    todo = [cell for cell in wanted.values() if cell not in ledger]
    if not todo:
        return
    print(f"{len(wanted)} cells, {len(todo)} to measure", file=sys.stderr)
    attempts = Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(attempt)(measure, cell) for cell in todo
    )
    failed = []
    for one in tqdm(attempts, total=len(todo), disable=None):
        if one.trouble:
            failed.append(one)
        else:
            ledger.add(one.cell, one.figures)
    for one in failed:
        print(f"failed: {key_of(one.cell)}\n{one.trouble}", file=sys.stderr)
