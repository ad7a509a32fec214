"""
The mask that training sees.

Points that a path calls anomalous, and missing ones, are replaced by something
ordinary and count as not observed, so that no loss is taken there.
"""

from typing import Iterator, NamedTuple, Optional, Sequence

import numpy as np
from gluonts.dataset import DataEntry
from gluonts.transform import Transformation

from gluonts_lai.gaps import bounded, fill
from gluonts_lai.panel.table import Table

TARGET, OBSERVED = "target", "observed_values"
# What the inner 80 % of a Gaussian span, in sds.
GAUSSIAN_RANGE = 2.563


class TreatAnomalies(Transformation):
    """
    Put cleaned targets in the place of those that came, entry by entry.

    It goes after a network's own transformation: missing values before it
    would reach the network as zeros.

    Parameters
    ----------
    targets
        Cleaned series, in the order of the entries.
    observed
        Where each of them was observed and is nominal.

    Examples
    --------
    >>> treat = TreatAnomalies([np.array([3.0, 4.0])], [np.array([1, 0])])
    >>> entry = {"target": np.array([3.0, 99.0]), "item_id": "a"}
    >>> next(treat(iter([entry]), is_train=True))
    {'target': array([3., 4.]), 'item_id': 'a'}
    """

    def __init__(
        self, targets: Sequence[np.ndarray], observed: Sequence[np.ndarray]
    ) -> None:
        self.targets = targets
        self.observed = observed

    def __call__(
        self, data_it: Iterator[DataEntry], is_train: bool
    ) -> Iterator[DataEntry]:
        for entry, target, seen in zip(data_it, self.targets, self.observed):
            yield treated(entry, target, seen)


def treated(entry: DataEntry, target: np.ndarray, seen: np.ndarray) -> dict:
    """A copy of an entry with another target."""
    entry = dict(entry)
    for name, array in ((TARGET, target), (OBSERVED, seen)):
        if name in entry:
            old = np.asarray(entry[name])
            entry[name] = array.astype(old.dtype).reshape(old.shape)
    return entry


class Clean(NamedTuple):
    """Series as a forecaster may learn from them."""

    targets: Table  # nothing missing, anomalous points replaced
    observed: Table  # where a point is neither; no loss elsewhere

    @classmethod
    def as_observed(cls, values: Table) -> "Clean":
        """With missing values filled in, and nothing else done."""
        nowhere = values.like(0, np.uint8)
        return Treatment.of(values, "mask").clean(values, nowhere)


class Rows(NamedTuple):
    """What values rows can have: one number a row."""

    low: np.ndarray
    high: np.ndarray
    is_whole: np.ndarray
    spread: np.ndarray  # usual sd, whatever a few points are like

    @classmethod
    def of(cls, block: np.ndarray) -> "Rows":
        """
        As far beyond what was observed as that reaches, and no further: a
        forecaster that feeds on its own expectations may run away. What was
        never negative stays so.
        """
        known = ~np.isnan(block)
        low = np.min(block, -1, initial=np.inf, where=known)
        high = np.max(block, -1, initial=-np.inf, where=known)
        nothing = low > high
        low[nothing] = high[nothing] = 0.0
        reach = high - low
        least = np.where(low >= 0, np.maximum(low - reach, 0), low - reach)
        is_whole = np.all((block == np.rint(block)) | ~known, axis=1)
        return cls(least, high + reach, is_whole, usual_spread(block))

    def confine(self, filled: np.ndarray) -> np.ndarray:
        """Possible values in the place of others; written to."""
        np.clip(filled, self.low[:, None], self.high[:, None], out=filled)
        filled[self.is_whole] = np.rint(filled[self.is_whole])
        return filled


def usual_spread(block: np.ndarray) -> np.ndarray:
    """The sd of each row if it were Gaussian, by its inner 80 %."""
    if not block.size:
        return np.zeros(len(block))
    ranked = np.sort(block, axis=-1)  # NaN is last
    most = np.maximum((~np.isnan(block)).sum(-1) - 1, 0)
    ends = [np.rint(share * most).astype(int) for share in (0.1, 0.9)]
    low, high = (ranked[np.arange(len(block)), end] for end in ends)
    return np.nan_to_num((high - low).astype(float)) / GAUSSIAN_RANGE


class Treatment(NamedTuple):
    """
    How to replace anomalous points.

    ``"impute"`` takes the forecaster's expectation, ``"mask"`` the last
    nominal value.
    """

    kind: str
    rows: list["Rows"]  # what is possible in the rows of each block
    max_run: float  # what lasts longer is not anomalous any more

    @classmethod
    def of(
        cls, values: Table, kind: str, max_run: float = np.inf
    ) -> "Treatment":
        return cls(kind, [Rows.of(block) for block in values.blocks], max_run)

    def clean(
        self, values: Table, path: Table, expected: Optional[Table] = None
    ) -> Clean:
        """The series without the anomalies of a path, in hindsight."""
        path = path.map(lambda block: bounded(block, self.max_run))
        observed = values.map(
            lambda block, anomalous: (anomalous == 0) & ~np.isnan(block), path
        )
        return Clean(self.replace(values, path, expected), observed)

    def replace(
        self,
        values: Table,
        path: Table,
        expected: Optional[Table] = None,
        bridge: bool = True,
    ) -> Table:
        """The series with something ordinary at the points of a path."""

        def filled(k: int) -> np.ndarray:
            guess = None
            if self.kind == "impute" and expected is not None:
                guess = expected.blocks[k]
            return fill(values.blocks[k], path.blocks[k], guess, bridge)

        return values.with_blocks(
            rows.confine(filled(k)) for k, rows in enumerate(self.rows)
        )
