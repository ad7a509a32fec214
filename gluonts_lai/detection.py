"""
What was found in one series.
"""

from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Optional

import numpy as np
import pandas as pd

from gluonts_lai.detector import Found
from gluonts_lai.gaps import Gaps
from gluonts_lai.panel import Panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Detection(NamedTuple):
    """
    What was found in one series: arrays of its full length, time last.

    Examples
    --------
    >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
    >>> from gluonts_lai import LAIPredictor
    >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
    >>> values[100:103] = 20.0
    >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
    >>> naive = SeasonalNaivePredictor(1, season_length=4)
    >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
    >>> (detection,) = predictor.detect([entry])
    >>> np.flatnonzero(detection.probability > 0.5)
    array([100, 101, 102])
    >>> detection.value[98:104], detection.cleaned[98:104]
    (array([ 4.,  7., 20., 20., 20.,  7.]), array([4., 7., 3., 5., 4., 7.]))
    """

    item_id: Optional[str]
    start: Any
    value: np.ndarray  # as observed; NaN is missing
    probability: np.ndarray  # P(z = 1); the chain's where nothing is known
    score: np.ndarray  # its log-odds, which do not tie at 1
    log_density: np.ndarray  # log p⁺; NaN where there is none
    expected: np.ndarray  # by the forecaster; NaN where it has no context
    lower: np.ndarray  # 95 % of nominal points lie between these two,
    upper: np.ndarray  # if the forecaster is right
    cleaned: np.ndarray  # anomalous and missing points replaced

    @classmethod
    def of(cls, panel: Panel, found: Found) -> "Iterator[Detection]":
        """The detections of the entries of a panel."""
        for i, entry in enumerate(panel.entries):
            yield cls(
                entry.get("item_id"),
                entry.get("start"),
                panel.values.entries[i],
                found.probability.entries[i],
                found.log_odds.entries[i],
                found.log_density.entries[i],
                found.expected.entries[i],
                found.lower.entries[i],
                found.upper.entries[i],
                found.cleaned.entries[i],
            )

    def to_frame(self) -> pd.DataFrame:
        """
        One row a point, indexed by its period.

        Several dimensions become a second level of the columns.

        Examples
        --------
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> from gluonts_lai import LAIPredictor
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> (detection,) = predictor.detect([entry])
        >>> detection.to_frame()[["value", "probability"]][99:101].round(2)
                          value  probability
        2024-01-05 03:00    7.0          0.0
        2024-01-05 04:00   20.0          1.0
        """
        index = pd.period_range(self.start, periods=self.value.shape[-1])
        columns = {}
        for name in self._fields[2:]:
            array = np.atleast_2d(getattr(self, name))
            for dim, row in enumerate(array):
                key = name if self.value.ndim == 1 else (name, dim)
                columns[key] = row
        return pd.DataFrame(columns, index=index)

    def segments(self, threshold: float = 0.5) -> pd.DataFrame:
        """
        The anomalies: where each begins and ends, both included, how long it
        lasts and how sure it is.

        Examples
        --------
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> from gluonts_lai import LAIPredictor
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> (detection,) = predictor.detect([entry])
        >>> detection.segments()[["start", "end", "length"]]
                      start               end  length
        0  2024-01-05 04:00  2024-01-05 06:00       3
        """
        probability = np.atleast_2d(self.probability)
        gaps = Gaps.of(probability > threshold)
        segments = pd.DataFrame(
            {
                "start": periods(self.start, gaps.begin),
                "end": periods(self.start, gaps.end - 1),
                "length": gaps.end - gaps.begin,
                "peak_probability": [
                    probability[row, begin:end].max()
                    for row, begin, end in zip(*gaps)
                ],
            }
        )
        if self.value.ndim == 2:
            segments.insert(0, "dim", gaps.row)
        return segments

    def plot(self, threshold: float = 0.5) -> "Figure":
        """
        A picture: the series, what was expected of it, what was found.

        Needs matplotlib; save it with ``.savefig(path)``.

        Examples
        --------
        >>> figure = detection.plot()  # doctest: +SKIP
        >>> figure.savefig("sensor.png")  # doctest: +SKIP
        """
        from gluonts_lai.plot import plot_detection

        return plot_detection(self, threshold)


def periods(start: pd.Period, times: np.ndarray) -> pd.PeriodIndex:
    """The periods of some points of a series, of which there may be none."""
    return pd.PeriodIndex([start + int(t) for t in times], freq=start.freq)
