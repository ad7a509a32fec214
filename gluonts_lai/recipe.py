"""
What the user chose for EM, and what follows from it.
"""

from dataclasses import replace
from typing import Any, NamedTuple

from gluonts_lai.anomalous import AnomalousModel, Uniform
from gluonts_lai.indicator import IndicatorChain

# A forecaster is uncertain where a series jumps of its own accord; on clean
# data, whose range is narrow, p⁻ must not look better there. About twice the
# range of such data, and less than that of contaminated ones.
SPANS = 5.0
# A network that is judged on the points it was trained on, less those that it
# did not explain, is too sure of itself.
IN_SAMPLE = 1.2


class Recipe(NamedTuple):
    """What the user chose."""

    chain: IndicatorChain
    anomalous: AnomalousModel
    treatment: str
    num_paths: int
    num_warmup_epochs: int
    transitions: str
    chain_scope: str
    max_anomaly_share: float
    widening: float
    num_held_epochs: int = 0  # before tails of series are learned from


def wide_enough(anomalous: AnomalousModel) -> AnomalousModel:
    """p⁻ for a forecaster, unless the user said how wide it is to be."""
    if isinstance(anomalous, Uniform):
        if anomalous.width is None and not anomalous.spans:
            return replace(anomalous, spans=SPANS)
    return anomalous


def widening_of(calibration: Any) -> float:
    """By how much densities are to be wider than a forecaster says."""
    return 1.0 if calibration is False else IN_SAMPLE
