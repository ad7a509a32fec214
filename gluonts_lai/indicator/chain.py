"""
The indicator's own law: how anomalies begin, and how long they last.
"""

from dataclasses import dataclass, fields

import numpy as np

from gluonts_lai.value import Value, is_number

# A p_stay of zero could never be re-estimated: single points keep a trace.
SHORTEST_STAY = 0.01


@dataclass(frozen=True)
class IndicatorChain(Value):
    """
    Two-state Markov chain of the indicator ``z``.

    Parameters
    ----------
    p_start
        Probability that the first point is anomalous.
    p_enter
        Probability that an anomaly begins after a normal point.
    p_stay
        Probability that an anomaly lasts one step more.

    Examples
    --------
    >>> chain = IndicatorChain.from_prior(anomaly_rate=0.01, anomaly_length=4)
    >>> chain.p_stay
    0.75
    >>> round(chain.anomaly_rate, 4)
    0.01
    """

    p_start: float = 0.01
    p_enter: float = 0.01
    p_stay: float = 0.50

    def __post_init__(self) -> None:
        for field in fields(self):
            p = getattr(self, field.name)
            if not is_number(p) or not 0.0 < p < 1.0:
                raise ValueError(
                    f"{field.name} must lie strictly between 0 and 1, got "
                    f"{p!r}; a certain transition can never be re-estimated."
                )
            # Below the smallest normal number, ratios lose their digits.
            if p < np.finfo(float).tiny:
                raise ValueError(
                    f"{field.name} must be at least {np.finfo(float).tiny}, "
                    f"got {p!r}; take that as the smallest probability."
                )
            object.__setattr__(self, field.name, float(p))

    @classmethod
    def from_prior(
        cls, anomaly_rate: float = 0.01, anomaly_length: float = 2.0
    ) -> "IndicatorChain":
        """
        The chain of which a share ``anomaly_rate`` of the points is anomalous,
        in runs of ``anomaly_length`` points on average.

        Single points (``anomaly_length=1``) keep ``p_stay`` at 0.01, so that
        longer anomalies can still be learned.

        Examples
        --------
        >>> IndicatorChain.from_prior(anomaly_rate=0.2, anomaly_length=4)
        IndicatorChain(p_start=0.2, p_enter=0.0625, p_stay=0.75)
        """
        if not is_number(anomaly_rate) or not 0.0 < anomaly_rate < 1.0:
            raise ValueError(
                "anomaly_rate must lie strictly between 0 and 1, got "
                f"{anomaly_rate!r}; it is a share of points, not a percentage."
            )
        if not is_number(anomaly_length) or not 1.0 <= anomaly_length < 1e15:
            raise ValueError(
                "anomaly_length must be a number of points between 1 and "
                f"1e15, got {anomaly_length!r}."
            )
        p_stay = max(SHORTEST_STAY, 1.0 - 1.0 / anomaly_length)
        p_enter = anomaly_rate / (1.0 - anomaly_rate) * (1.0 - p_stay)
        if p_enter >= 1.0:
            raise ValueError(
                f"anomaly_rate={anomaly_rate!r} cannot be reached by runs of "
                f"anomaly_length={anomaly_length!r} points, even if the next "
                "run begins after a single normal point; lower the rate or "
                "lengthen the runs."
            )
        return cls(p_start=anomaly_rate, p_enter=p_enter, p_stay=p_stay)

    @property
    def anomaly_rate(self) -> float:
        """
        Share of anomalous points in the long run.

        Examples
        --------
        >>> IndicatorChain(p_enter=0.125, p_stay=0.5).anomaly_rate
        0.2
        """
        return self.p_enter / (self.p_enter + 1.0 - self.p_stay)

    @property
    def anomaly_length(self) -> float:
        """
        Mean number of points in an anomaly.

        Examples
        --------
        >>> IndicatorChain(p_stay=0.75).anomaly_length
        4.0
        """
        return 1.0 / (1.0 - self.p_stay)

    @property
    def transition_matrix(self) -> np.ndarray:
        """
        Matrix of P(z[t+1] = k | z[t] = j), row j, column k.

        Examples
        --------
        >>> IndicatorChain(p_enter=0.25, p_stay=0.5).transition_matrix
        array([[0.75, 0.25],
               [0.5 , 0.5 ]])
        """
        return np.array(
            [
                [1.0 - self.p_enter, self.p_enter],
                [1.0 - self.p_stay, self.p_stay],
            ]
        )

    def pseudo_counts(self, num_points: float = 100.0) -> np.ndarray:
        """
        The transitions that ``num_points`` points of this chain show on
        average: as pseudo-counts, a prior that weighs as much as they do.

        Examples
        --------
        >>> IndicatorChain(p_enter=0.125, p_stay=0.5).pseudo_counts(10)
        array([[7., 1.],
               [1., 1.]])
        """
        if not is_number(num_points) or not 0.0 <= num_points < np.inf:
            raise ValueError(
                "a prior must weigh a finite number of points, at least 0, "
                f"got {num_points!r}."
            )
        occupancy = np.array([1.0 - self.anomaly_rate, self.anomaly_rate])
        return num_points * occupancy[:, None] * self.transition_matrix
