"""
The indicator at work: EM on the chain, with a nominal model that is known.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gluonts_lai.anomalous import Uniform
from gluonts_lai.dataset import Demonstration, demonstration
from gluonts_lai.dataset.demonstration import NOISE
from gluonts_lai.indicator import (
    Filtered,
    IndicatorChain,
    Smoothed,
    count_transitions,
    estimate_chain,
    filter_chain,
    smooth_chain,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NUM_ROUNDS = 20


class Demo(NamedTuple):
    """A series, its chain at each round, and what was found at the last."""

    series: Demonstration
    chains: list[IndicatorChain]
    filtered: Filtered
    smoothed: Smoothed

    @property
    def truth(self) -> IndicatorChain:
        """The chain that the labels followed."""
        return estimate_chain(count_transitions(self.series.labels))

    def table(self) -> str:
        """What was found, beside what is true."""
        true = self.series.labels == 1
        flagged = self.smoothed.smoothed > 0.5
        hits = np.count_nonzero(true & flagged)
        precision, recall = hits / flagged.sum(), hits / true.sum()
        f1 = 2 * hits / (flagged.sum() + true.sum())
        learned, truth = self.chains[-1], self.truth
        rows = [
            ("anomalous points", flagged.sum(), true.sum()),
            ("P(0→1), an anomaly begins", learned.p_enter, truth.p_enter),
            ("P(1→1), it goes on", learned.p_stay, truth.p_stay),
        ]
        lines = [f"{'':28}{'inferred':>10}{'true':>10}"]
        lines += [f"{name:28}{a:10.4g}{b:10.4g}" for name, a, b in rows]
        lines += [
            f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}"
            " at P(z = 1 | x) > 0.5"
        ]
        return "\n".join(lines)

    def picture(self) -> "Figure":
        """Series, indicator and learning, one above the other."""
        from gluonts_lai.plot import plot_demonstration

        return plot_demonstration(
            self.series,
            NOISE,
            self.filtered,
            self.smoothed,
            self.chains,
            self.truth,
        )


def run(rng: np.random.Generator) -> Demo:
    """Draw a series, then learn its chain and its indicator."""
    series = demonstration(rng)
    residual = (series.values - series.clean) / NOISE
    log_normal = -0.5 * residual**2 - np.log(NOISE * np.sqrt(2 * np.pi))
    log_anomalous = Uniform().fit(series.values).log_prob(series.values)

    prior = IndicatorChain.from_prior(anomaly_rate=0.01, anomaly_length=2.0)
    chains = [prior]
    for _ in range(NUM_ROUNDS):
        smoothed = smooth_chain(chains[-1], log_normal, log_anomalous)
        chains.append(estimate_chain(smoothed.transitions, prior))
    last = chains[-1], log_normal, log_anomalous
    return Demo(series, chains, filter_chain(*last), smooth_chain(*last))
