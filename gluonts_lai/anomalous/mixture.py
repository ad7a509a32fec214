"""
Anomalies around a few values.
"""

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Optional

import numpy as np

from gluonts_lai.arrays import real_array
from gluonts_lai.value import Value

from .floor import CauchyFloor
from .gaussian import NUM_PSEUDO, Component
from .model import AnomalousModel, not_fitted
from .sample import Sample

# Anomalous points are thinned to this many, evenly: more change nothing.
MOST_POINTS = 1_000
# Least variance of a component, for points that lie within a unit range.
LEAST_VARIANCE = 1e-4


@dataclass(frozen=True)
class GaussianMixture(Value, AnomalousModel):
    """
    Anomalies scatter around a few values, the same in the whole series.

    A dropout to zero and a stuck reading at full scale are two such values.
    The components are those of scikit-learn's ``GaussianMixture``, fitted to
    the anomalous points; a broad one remains for what was not seen yet.

    Parameters
    ----------
    num_components
        Number of values around which anomalies scatter.
    fixed
        Whether to keep to the broad component, whatever anomalies are found.
    components
        The broad component and the others, found by :meth:`fit`.
    floor
        The heavy tail, found by :meth:`fit`.

    Examples
    --------
    >>> values, weights = [3.0, 4.0, 0.0, 5.0, 0.0], [0, 0, 1, 0, 1]
    >>> model = GaussianMixture(num_components=1).fit(values, weights)
    >>> [round(component.mean, 1) for component in model.components]
    [2.4, 0.0]
    >>> np.exp(model.log_prob([0.0, 5.0])).round(2)
    array([3.98, 0.03])
    """

    num_components: int = 2
    fixed: bool = False
    components: Optional[tuple[Component, ...]] = None
    floor: Optional[CauchyFloor] = None

    def __post_init__(self) -> None:
        whole = isinstance(self.num_components, Integral)
        if not whole or self.num_components < 1:
            raise ValueError(
                "num_components must be a whole number of at least 1, got "
                f"{self.num_components!r}."
            )

    def fit(
        self, values: np.ndarray, weights: Optional[np.ndarray] = None
    ) -> "GaussianMixture":
        """The model of one series; ``weights`` tell its anomalous points."""
        sample = Sample.of(values, weights)
        parts = [Component(NUM_PSEUDO, *sample.broad)]
        if weights is not None and not self.fixed:
            parts += found(sample, self.num_components)
        total = sum(part.share for part in parts)
        return replace(
            self,
            components=tuple(
                part._replace(share=part.share / total) for part in parts
            ),
            floor=CauchyFloor(sample.middle, sample.range),
        )

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """Log density of each value; NaN where there is none."""
        if self.components is None or self.floor is None:
            raise not_fitted(self)
        values = real_array(values, "values")
        parts = [part.log_prob(values) for part in self.components]
        with np.errstate(all="ignore"):  # NaN in, NaN out
            log_density = np.logaddexp.reduce(parts)
        return self.floor.mix(log_density, values)


def found(sample: Sample, num_components: int) -> list[Component]:
    """Components of the anomalous points; shares sum to their number."""
    from sklearn.mixture import GaussianMixture as Mixture

    if sample.weights is None or not sample.weights.any():
        return []
    points = thinned(sample.values, sample.weights)
    points = (points - sample.middle) / sample.range
    mixture = Mixture(
        min(num_components, len(np.unique(points))),
        reg_covar=LEAST_VARIANCE,
        random_state=0,
    )
    mixture.fit(points[:, None])
    shares = mixture.weights_ * sample.weights.sum()
    means = sample.middle + sample.range * mixture.means_[:, 0]
    sds = sample.range * np.sqrt(mixture.covariances_[:, 0, 0])
    return [Component(*map(float, part)) for part in zip(shares, means, sds)]


def thinned(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """
    Evenly spaced quantiles of weighted values, about one a unit weight.

    At least two, since scikit-learn wants no fewer: they may be equal.
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    num_points = int(np.clip(np.ceil(reached[-1]), 2, MOST_POINTS))
    targets = (np.arange(num_points) + 0.5) / num_points * reached[-1]
    return values[order[np.searchsorted(reached, targets)]]
