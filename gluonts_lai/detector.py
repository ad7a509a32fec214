"""
What is anomalous in a data set, with what was learned of it.
"""

from typing import Any, NamedTuple, Optional

import numpy as np

from gluonts_lai.choices import check_at_least, check_choice, check_share
from gluonts_lai.evidence import Chains
from gluonts_lai.filtering import COARSE, FINE, Filter, Settled
from gluonts_lai.filtering.judging import OUTLASTING
from gluonts_lai.filtering.vigil import Rules
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.profiles import Late, Profile, anomalous_densities
from gluonts_lai.transform import Treatment

# Whether spreads follow residuals, unless the user says otherwise.
RECALIBRATE = True
# Of what is flagged in clean contexts, most are jumps that the forecaster did
# not learn. A forecast of the next point wants to see them, one of many less
# so, and none where far more is anomalous.
FEW, MANY = 0.02, 0.1
NEXT, LATER = 0.9, 0.6


class Manner(NamedTuple):
    """
    How series are looked at.

    Parameters
    ----------
    mode
        "filter" for what was known when each point came, "smooth" for
        hindsight.
    treatment
        How flagged points are replaced in the context of later ones.
    threshold
        Probability above which a point is replaced.
    max_run
        Most points in a row to replace: what lasts longer is how the series
        is now. None: in hindsight a context, else see :func:`longest_run`.
    recalibrate
        Whether spreads follow the residuals.
    num_particles
        Number of cleaned histories to carry side by side; 0 for one.
    """

    mode: str = "filter"
    treatment: str = "impute"
    threshold: float = 0.5
    max_run: Optional[float] = None
    recalibrate: bool = False
    num_particles: int = 0

    @classmethod
    def chosen(
        cls,
        mode: str,
        treatment: str,
        threshold: float,
        max_run: Optional[float],
        recalibrate: Optional[bool],
        num_particles: int = 0,
    ) -> "Manner":
        """What a user wants, if it can be had."""
        check_choice("mode", mode, ("filter", "smooth"))
        check_share("threshold", threshold)
        check_at_least("max_run", max_run, 0)
        check_at_least("num_particles", num_particles, 0)
        check_choice("recalibrate", recalibrate, (True, False, None))
        if num_particles != int(num_particles):
            raise ValueError(
                "num_particles must be a whole number, got "
                f"{num_particles!r}."
            )
        if mode == "smooth" and (num_particles or recalibrate):
            raise ValueError(
                "num_particles and recalibrate need mode='filter', got "
                "mode='smooth'; hindsight has no use for them."
            )
        return cls(
            mode,
            treatment,
            float(threshold),
            None if max_run is None else float(max_run),
            RECALIBRATE if recalibrate is None else recalibrate,
            int(num_particles),
        )

    def rules(
        self, chains: Chains, profiles: list[Profile], context_length: int
    ) -> Rules:
        """How the rows of series are judged."""
        num_dims = [len(profile.anomalous) for profile in profiles]
        rows = np.repeat(np.arange(len(chains)), num_dims)
        max_runs = self.max_runs(chains, context_length)
        return Rules.of(
            [chains[i] for i in rows],
            [profiles[i].widening for i in rows],
            [max_runs[i] for i in rows],
            self.threshold,
            self.treatment,
            self.recalibrate,
        )

    def max_runs(self, chains: Chains, context_length: int) -> list[float]:
        """Most points in a row to replace, in each series."""
        if self.max_run is not None:
            return [float(self.max_run)] * len(chains)
        if self.mode == "smooth":
            return [float(context_length)] * len(chains)
        return [longest_run(chain, context_length) for chain in chains]


class Found(NamedTuple):
    """What was found out about every point."""

    probability: Table  # P(z = 1)
    log_odds: Table
    log_density: Table  # log p⁺; NaN where there is none
    expected: Table  # by p⁺; NaN where there is none
    lower: Table  # lower end of what it expects
    upper: Table
    cleaned: Table  # anomalous and missing points replaced


def filter_of(
    nominal: Nominal,
    panel: Panel,
    chains: Chains,
    profiles: list[Profile],
    manner: Manner,
    prepared: Any = None,
    late: Optional[Late] = None,
) -> Filter:
    """A forecaster, and what is known of series, ready to filter a panel."""
    max_runs = manner.max_runs(chains, nominal.context_length)
    is_smooth = manner.mode == "smooth"
    if prepared is None:
        scales = [profile.scale for profile in profiles]
        prepared = nominal.prepare(panel, scales)
    return Filter(
        nominal,
        panel,
        prepared,
        chains,
        anomalous_densities(profiles, panel.values),
        Treatment.of(panel.values, manner.treatment, max(max_runs)),
        [profile.widening for profile in profiles],
        max_runs,
        [profile.tail for profile in profiles],
        manner.threshold,
        manner.recalibrate and not is_smooth,
        tolerance=COARSE if is_smooth else FINE,
        late=late,
    )


def find(
    nominal: Nominal,
    panel: Panel,
    chains: Chains,
    profiles: list[Profile],
    manner: Manner,
    late: Optional[Late] = None,
) -> Found:
    """
    Find the anomalies of a panel.

    Parameters
    ----------
    nominal
        The trained forecaster.
    panel
        The series.
    chains
        The chain of each entry.
    profiles
        What is known of each entry.
    manner
        How to look at them.
    late
        Entries that are not known for a while; None if there are none.
    """
    known = nominal, panel, chains, profiles, manner
    filter = filter_of(*known, late=late)
    settled = filter.settle()
    if manner.mode == "filter":
        verdicts = settled.verdicts
        return found(settled, verdicts.probability, verdicts.log_odds)
    settled = filter.look_back(settled)
    smoothed = list(filter.evidence(settled.verdicts).smooth(chains))
    return found(
        settled,
        panel.values.with_blocks([s.smoothed for s in smoothed]),
        panel.values.with_blocks([s.log_odds for s in smoothed]),
    )


def found(settled: Settled, probability: Table, log_odds: Table) -> Found:
    bells, verdicts = settled.scores.bells, settled.verdicts
    expected, spread = bells.expected, verdicts.spread
    return Found(
        probability,
        log_odds,
        verdicts.log_normal,
        expected,
        expected.map(lambda x, far, s: x - far * s, bells.below, spread),
        expected.map(lambda x, far, s: x + far * s, bells.above, spread),
        settled.targets,
    )


def longest_run(chain: IndicatorChain, context_length: int) -> float:
    """
    Most points in a row to replace: what one anomaly in five outlasts, or one
    in each five contexts, where anomalies are frequent.

    Examples
    --------
    >>> rare = IndicatorChain.from_prior(anomaly_rate=0.01, anomaly_length=1)
    >>> frequent = IndicatorChain(p_start=0.1, p_enter=0.1, p_stay=0.1)
    >>> [longest_run(chain, 72) for chain in (rare, frequent)]
    [1.0, 2.0]
    """
    expected = context_length * (1 - chain.anomaly_rate) * chain.p_enter
    least = OUTLASTING / max(1.0, expected)
    return float(max(1.0, np.ceil(np.log(least) / np.log(chain.p_stay))))


def replace_above(chain: IndicatorChain, prediction_length: int) -> float:
    """
    The probability above which a forecast does not look back on a point.

    Examples
    --------
    >>> rates = 0.01, 0.02, 0.06, 0.1, 0.15
    >>> chains = [IndicatorChain.from_prior(rate) for rate in rates]
    >>> [round(replace_above(chain, 1), 2) for chain in chains]
    [0.9, 0.9, 0.7, 0.5, 0.5]
    >>> [round(replace_above(chains[0], length), 2) for length in (2, 6, 24)]
    [0.75, 0.65, 0.61]
    """
    few = LATER + (NEXT - LATER) / prediction_length
    return float(np.interp(chain.anomaly_rate, [FEW, MANY], [few, 0.5]))
