"""
What the two densities say of every point of a data set.
"""

from typing import Any, Iterator, NamedTuple, Optional, Sequence

import numpy as np

from gluonts_lai.anomalous import CauchyFloor
from gluonts_lai.indicator import (
    IndicatorChain,
    condition_on_labels,
    sample_paths,
    smooth_chain,
)
from gluonts_lai.indicator.inference import Smoothed
from gluonts_lai.panel.table import Table

# How far a series reaches, in its usual widths.
USUAL_RANGE = 10.0

Chains = Sequence[IndicatorChain]  # one for each entry


class Evidence(NamedTuple):
    """Both log densities of every point, NaN where they are silent."""

    log_normal: Table
    log_anomalous: Table

    @classmethod
    def of(
        cls,
        log_normal: Table,
        log_anomalous: Table,
        labels: Optional[Table] = None,
    ) -> "Evidence":
        """The densities, overruled by labels where there are any."""
        if labels is None:
            return cls(log_normal, log_anomalous)
        pairs = [
            condition_on_labels(*blocks)
            for blocks in zip(
                log_normal.blocks, log_anomalous.blocks, labels.blocks
            )
        ]
        return cls(
            log_normal.with_blocks([normal for normal, _ in pairs]),
            log_anomalous.with_blocks([anomalous for _, anomalous in pairs]),
        )

    @classmethod
    def unknown(cls, values: Table) -> "Evidence":
        """No evidence yet, for any of these points."""
        return cls(
            values.like(np.nan, np.float32), values.like(np.nan, np.float32)
        )

    def put(self, which: slice, part: "Evidence") -> None:
        """Write to some of the entries."""
        self.log_normal.put(which, part.log_normal)
        self.log_anomalous.put(which, part.log_anomalous)

    def smooth(self, chains: Chains) -> Iterator[Smoothed]:
        """For each block, what is known of the indicator in hindsight."""
        return (smooth_chain(*problem) for problem in self.problems(chains))

    def outcome(self, chains: Chains) -> tuple[float, float]:
        """
        Log-likelihood of a point on average, z summed out; and the share of
        the points that are probably anomalous.
        """
        log_likelihood, num_flagged = 0.0, 0
        for smoothed in self.smooth(chains):
            log_likelihood += float(smoothed.log_likelihood.sum())
            num_flagged += int(np.sum(smoothed.smoothed > 0.5))
        num_known = self.log_normal.total(lambda x: (x == x).sum())
        return (
            float(log_likelihood / max(num_known, 1)),
            float(num_flagged / max(self.log_normal.size, 1)),
        )

    def sample(self, chains: Chains, rng: np.random.Generator) -> Table:
        """A path for each row, from its joint posterior."""
        return self.log_normal.with_blocks(
            sample_paths(*problem, num_paths=1, rng=rng)[0]
            for problem in self.problems(chains)
        )

    def problems(self, chains: Chains) -> list[tuple[Any, Any, Any]]:
        """Chains and densities of each block."""
        one_for_all = all(chain is chains[0] for chain in chains)
        return [
            (
                chains[0] if one_for_all else [chains[i] for i in owners],
                normal,
                anomalous,
            )
            for owners, normal, anomalous in zip(
                self.log_normal.owners,
                self.log_normal.blocks,
                self.log_anomalous.blocks,
            )
        ]


def floored(
    log_density: np.ndarray, values: np.ndarray, centre: float, width: float
) -> np.ndarray:
    """A user's own p⁻ may be zero somewhere; ours never is."""
    if not np.isneginf(log_density).any():
        return log_density
    floor = CauchyFloor(centre, USUAL_RANGE * width)
    return floor.mix(np.asarray(log_density), values)
