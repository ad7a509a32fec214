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
from gluonts_lai.table import Table

TARGET, OBSERVED = "target", "observed_values"


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
    >>> entry = {"target": np.array([3.0, 99.0]), "observed_values": np.ones(2)}
    >>> next(treat(iter([entry]), is_train=True))
    {'target': array([3., 4.]), 'observed_values': array([1., 0.])}
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


class Treatment(NamedTuple):
    """
    How to replace anomalous points.

    ``"impute"`` takes the forecaster's expectation, ``"mask"`` the last
    nominal value.
    """

    kind: str
    is_whole: list[np.ndarray]  # for each block, which rows are counts
    max_run: float  # what lasts longer is not anomalous any more

    @classmethod
    def of(
        cls, values: Table, kind: str, max_run: float = np.inf
    ) -> "Treatment":
        is_whole = [
            np.all((block == np.rint(block)) | np.isnan(block), axis=1)
            for block in values.blocks
        ]
        return cls(kind, is_whole, max_run)

    def clean(
        self,
        values: Table,
        path: Table,
        expected: Optional[Table] = None,
        bridge: bool = True,
    ) -> Clean:
        """The series without the anomalies of a path."""
        targets, observed = [], []
        for k, block in enumerate(values.blocks):
            anomalous = bounded(path.blocks[k], self.max_run)
            guess = None
            if self.kind == "impute" and expected is not None:
                guess = expected.blocks[k]
            filled = fill(block, anomalous, guess, bridge)
            whole = self.is_whole[k]
            filled[whole] = np.rint(filled[whole])
            targets.append(filled)
            observed.append((anomalous == 0) & ~np.isnan(block))
        return Clean(values.with_blocks(targets), values.with_blocks(observed))
