"""
Anomalies around a few values.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Optional

import numpy as np

from gluonts_lai.arrays import real_array
from gluonts_lai.value import Value

from .floor import CauchyFloor
from .gaussian import NUM_PSEUDO, log_gaussian
from .model import AnomalousModel, Sample, fitted

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
    the anomalous points; a broad component remains for what was not seen yet.

    Parameters
    ----------
    num_components
        Number of values around which anomalies scatter.
    fixed
        Whether to keep to the broad component, whatever anomalies are found.
    shares, means, sds, floor
        The components and the heavy tail; found by :meth:`fit`.

    Examples
    --------
    >>> values, weights = [3.0, 4.0, 0.0, 5.0, 0.0], [0, 0, 1, 0, 1]
    >>> model = GaussianMixture(num_components=1).fit(values, weights)
    >>> np.round(model.means, 1), np.round(model.shares, 1)
    (array([0. , 2.4]), array([0.5, 0.5]))
    """

    num_components: int = 2
    fixed: bool = False
    shares: Optional[tuple[float, ...]] = None
    means: Optional[tuple[float, ...]] = None
    sds: Optional[tuple[float, ...]] = None
    floor: Optional[CauchyFloor] = None

    def __post_init__(self) -> None:
        if not self.num_components >= 1 or self.num_components % 1:
            raise ValueError(
                "num_components must be a whole number of at least 1, got "
                f"{self.num_components!r}."
            )

    def fit(
        self, values: np.ndarray, weights: Optional[np.ndarray] = None
    ) -> "GaussianMixture":
        """The model of one series; ``weights`` tell its anomalous points."""
        sample = Sample.of(values, weights)
        mean, sd = sample.broad
        parts = np.array([[NUM_PSEUDO, mean, sd]])
        if (
            sample.weights is not None
            and sample.weights.any()
            and not self.fixed
        ):
            parts = np.concatenate(
                [components(sample, self.num_components), parts]
            )
        shares, means, sds = parts.T
        return replace(
            self,
            shares=tuple((shares / shares.sum()).tolist()),
            means=tuple(means.tolist()),
            sds=tuple(sds.tolist()),
            floor=CauchyFloor(sample.middle, sample.range),
        )

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """Log density of each value; NaN where there is none."""
        shares, means, sds, floor = fitted(
            self, "shares", "means", "sds", "floor"
        )
        values = real_array(values, "values")
        parts = [
            np.log(share) + log_gaussian(values, mean, sd)
            for share, mean, sd in zip(shares, means, sds)
        ]
        with np.errstate(invalid="ignore"):  # NaN in, NaN out
            log_density = np.logaddexp.reduce(parts)
        return floor.mix(log_density, values)


def components(sample: Sample, num_components: int) -> np.ndarray:
    """Rows of weight, mean and standard deviation, one for each component."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture as Mixture

    assert sample.weights is not None
    points = thinned(sample.values, sample.weights)
    points = (points - sample.middle) / sample.range
    mixture = Mixture(
        min(num_components, len(np.unique(points))),
        reg_covar=LEAST_VARIANCE,
        random_state=0,
    )
    with warnings.catch_warnings():
        # Even before its last digit has settled, it is a density.
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(points[:, None])
    return np.column_stack(
        [
            mixture.weights_ * sample.weights.sum(),
            sample.middle + sample.range * mixture.means_[:, 0],
            sample.range * np.sqrt(mixture.covariances_[:, 0, 0]),
        ]
    )


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
