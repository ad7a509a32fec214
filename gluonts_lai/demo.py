"""
The paper's Figure 1: a sine with outliers, and an MLP that has to learn it.

The same network three times: trained as it is, trained with scaled windows
only (the control), and trained with LAI.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np

from gluonts_lai.backends import nominal_of, seeded
from gluonts_lai.dataset import Demonstration, demonstration
from gluonts_lai.dataset.demonstration import NOISE
from gluonts_lai.detector import Manner
from gluonts_lai.estimator import LAIEstimator, LAITrainOutput
from gluonts_lai.indicator import (
    IndicatorChain,
    count_transitions,
    estimate_chain,
)
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.nominal.scaling import series_scales
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.plot import Fit, plot_figure1
from gluonts_lai.transform import Clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Our packages for the frameworks, the one to be preferred first.
BACKENDS = {"mx": "mxnet", "torch": "torch"}
PRIOR = IndicatorChain.from_prior(anomaly_rate=0.03, anomaly_length=2.0)


class Demo(NamedTuple):
    """A series, and what three trainings made of it."""

    series: Demonstration
    plain: Fit
    control: Fit
    lai: Fit
    output: LAITrainOutput

    @property
    def truth(self) -> IndicatorChain:
        """The chain that the labels followed."""
        return estimate_chain(count_transitions(self.series.labels))

    @property
    def probability(self) -> np.ndarray:
        """P(z = 1 | x) of every point."""
        return self.output.posterior[0]

    def error(self, fit: Fit) -> float:
        """Mean distance from what the series would be without accidents."""
        return float(np.nanmean(np.abs(fit.expected - self.series.clean)))

    def scores(self) -> tuple[float, float, float]:
        """Precision, recall and F1 of the inferred anomalies."""
        true, flagged = self.series.labels == 1, self.probability > 0.5
        hits = np.count_nonzero(true & flagged)
        num_true, num_flagged = true.sum(), flagged.sum()
        return (
            hits / max(num_flagged, 1),
            hits / num_true,
            2 * hits / (num_flagged + num_true),
        )

    def table(self) -> str:
        """What was learned, beside what is true."""
        fits = (self.plain, self.control, self.lai)
        chain, truth = self.output.predictor.chain, self.truth
        errors = [f"{self.error(fit):.3f}" for fit in fits]
        sds = [f"{np.nanmedian(fit.sd):.3f}" for fit in fits]
        enter = [f"{c.p_enter:.3f}" for c in (chain, truth)]
        stay = [f"{c.p_stay:.3f}" for c in (chain, truth)]
        rows = [
            ("", "plain MLP", "scaled MLP", "with LAI", "true"),
            ("MAE to the clean sine", *errors, "0"),
            ("predicted sd (median)", *sds, f"{NOISE:.3f}"),
            ("P(0→1), an anomaly begins", "", "", *enter),
            ("P(1→1), it goes on", "", "", *stay),
        ]
        for name, score in zip(("precision", "recall", "F1"), self.scores()):
            rows.append((name, "", "", f"{score:.3f}", ""))
        return "\n".join(
            f"{name:26}" + "".join(f"{cell:>12}" for cell in cells)
            for name, *cells in rows
        ).replace(" \n", "\n")

    def picture(self) -> "Figure":
        """The three panels of the figure."""
        return plot_figure1(
            self.series, self.plain, self.lai, self.probability
        )


def backend_at_hand() -> str:
    """The first backend whose framework is installed; the first if none is."""
    found = (b for b, framework in BACKENDS.items() if find_spec(framework))
    return next(found, next(iter(BACKENDS)))


def run(seed: int, backend: Optional[str] = None) -> Demo:
    """
    Draw a series, train three networks, see what they make of it.

    Parameters
    ----------
    seed
        Where chance begins, for the draw and for the trainings.
    backend
        "mx" or "torch"; None for MXNet where it is installed.
    """
    name = backend or backend_at_hand()
    paper = import_module(f"gluonts_lai.{name}.paper")
    series = demonstration(np.random.default_rng(seed))
    dataset = [
        {
            "start": period("2020-01-01 00"),
            "target": series.values.astype(np.float32),
            "item_id": "sine",
        }
    ]
    panel = Panel.of(dataset)
    raw = Clean.as_observed(panel.values).targets

    with seeded(seed):
        plain = paper.trained(dataset)
    control = LAIEstimator(paper.mlp(), em=False, seed=seed).train(dataset)
    wrapped = LAIEstimator(paper.mlp(), chain=PRIOR, seed=seed)
    output = wrapped.train_model(dataset)
    as_trained = nominal_of(plain, control.context_length, False, seed, None)
    cleaned = output.predictor.clean(panel, Manner("smooth"))
    return Demo(
        series,
        fit(as_trained, panel, raw),
        fit(control.nominal(), panel, raw),
        fit(output.predictor.nominal(), panel, cleaned),
        output,
    )


def fit(nominal: Nominal, panel: Panel, contexts: Table) -> Fit:
    """Expectation and spread of a network that gives a Gaussian."""
    scales = series_scales(panel.values, nominal.context_length)
    bells = nominal.score(nominal.prepare(panel, scales), contexts).bells
    # The peak of a Gaussian tells its standard deviation.
    sd = np.exp(-bells.log_height.entries[0]) / np.sqrt(2 * np.pi)
    return Fit(bells.expected.entries[0], sd)


def period(start: str) -> Any:
    import pandas as pd

    return pd.Period(start, freq="h")
