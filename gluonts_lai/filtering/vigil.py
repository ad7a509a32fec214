"""
What is known of a series between two points, and what is found at them.

Arrays throughout: a number for each row, or for each row and time.
"""

from typing import Any, NamedTuple, Sequence

import numpy as np

from gluonts_lai.indicator import IndicatorChain

# Decisions: left to the filter, or made before.
OPEN, NOMINAL, ANOMALOUS = -1, 0, 1


class Rules(NamedTuple):
    """How points are judged: a number for each row."""

    p_enter: np.ndarray
    p_stay: np.ndarray
    widening: np.ndarray  # of all densities, by calibration
    max_run: np.ndarray  # most points in a row to replace
    threshold: float  # probability above which a point is replaced
    imputes: bool  # by what was expected; else by the last nominal value
    recalibrates: bool  # whether spreads follow the residuals

    @classmethod
    def of(
        cls,
        chains: Sequence[IndicatorChain],
        widenings: Any,
        max_runs: Any,
        threshold: float,
        treatment: str,
        recalibrates: bool,
    ) -> "Rules":
        return cls(
            np.array([chain.p_enter for chain in chains]),
            np.array([chain.p_stay for chain in chains]),
            np.array(widenings, dtype=float),
            np.array(max_runs, dtype=float),
            float(threshold),
            treatment == "impute",
            bool(recalibrates),
        )

    def take(self, rows: np.ndarray) -> "Rules":
        """Those of some rows."""
        columns = (column[rows] for column in self[:4])
        return Rules(*columns, *self[4:])  # type: ignore[call-arg]

    def put(self, rows: np.ndarray, other: "Rules") -> None:
        """Write to some rows."""
        for column, new in zip(self[:4], other[:4]):
            column[rows] = new


class Vigil(NamedTuple):
    """What is known of each row before its next point."""

    belief: np.ndarray  # P(z = 1) of the next point
    unseen: np.ndarray  # steps that the forecaster has to guess
    run: np.ndarray  # points flagged in a row
    variance: np.ndarray  # of residuals, where 1 is as the forecaster says
    last: np.ndarray  # the last nominal value
    shift: np.ndarray  # of the last flagged point, from where it should be
    low: np.ndarray  # least value so far
    high: np.ndarray  # largest value so far
    whole: np.ndarray  # 1 while all values are whole numbers

    @classmethod
    def begin(cls, chains: Sequence[IndicatorChain]) -> "Vigil":
        """Nothing has come yet."""
        zero, one = np.zeros(len(chains)), np.ones(len(chains))
        return cls(
            np.array([chain.p_start for chain in chains]),
            zero.copy(),
            zero.copy(),
            one.copy(),
            zero.copy(),
            zero.copy(),
            np.inf * one,
            -np.inf * one,
            one.copy(),
        )

    def finite(self) -> "Vigil":
        """With the extremes of rows that have none yet."""
        return self._replace(
            low=np.where(np.isnan(self.low), np.inf, self.low),
            high=np.where(np.isnan(self.high), -np.inf, self.high),
        )

    def take(self, rows: np.ndarray) -> "Vigil":
        """A copy of some rows."""
        return Vigil(*(column[rows] for column in self))

    def put(self, rows: Any, other: "Vigil") -> None:
        """Write to some rows."""
        for column, new in zip(self, other):
            column[rows] = new


class Stand(NamedTuple):
    """Where a fixed point stands, while it is not settled yet."""

    contexts: np.ndarray  # (rows, time): what scores were made from
    slack: np.ndarray  # by how much the values of each row may still move
    reach: int  # how far a change reaches into the scores of later points

    @classmethod
    def still(cls, values: np.ndarray) -> "Stand":
        """Scores were made from contexts that do not change."""
        return cls(values, np.zeros(len(values)), 0)


class Verdicts(NamedTuple):
    """What was found of each point: arrays of (rows, time)."""

    log_normal: Any  # log p⁺, widened; NaN where there is none
    log_odds: Any  # of P(z = 1 | what came up to the point)
    probability: Any
    spread: Any  # by how much the density was widened
    replaced: Any
    targets: Any  # what the forecaster may look back on

    @classmethod
    def empty(cls, values: np.ndarray) -> "Verdicts":
        normal, odds, probability, spread = np.empty((4, *values.shape))
        replaced = np.empty(values.shape, bool)
        targets = np.empty_like(values)
        return cls(normal, odds, probability, spread, replaced, targets)


def log_odds_of(labels: np.ndarray) -> np.ndarray:
    """Labels as log-odds: infinite where they are certain, 0 if unknown."""
    labels = labels.astype(float)
    with np.errstate(divide="ignore"):
        log_odds = np.log(labels) - np.log1p(-labels)
    return np.nan_to_num(log_odds, nan=0.0, posinf=np.inf, neginf=-np.inf)
