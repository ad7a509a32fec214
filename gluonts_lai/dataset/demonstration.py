"""
The sine of the paper's Figure 1.
"""

from typing import NamedTuple

import numpy as np

NOISE = 1 / 15


class Demonstration(NamedTuple):
    """
    A contaminated series, and what nobody is told of it.

    Examples
    --------
    >>> sine = demonstration(np.random.default_rng(0))
    >>> error = abs(sine.values - sine.clean)
    >>> bool(error[sine.labels == 1].min() > error[sine.labels == 0].max())
    True
    """

    values: np.ndarray  # what was observed
    clean: np.ndarray  # what would have been, without noise and anomalies
    labels: np.ndarray  # 1 where a point is anomalous


def demonstration(rng: np.random.Generator) -> Demonstration:
    """
    A noisy sine of 1,000 points, with single outliers and one long anomaly.

    3 % of the points are raised by 2, each on its own; the points 250 to 269
    are lowered by 2.

    Examples
    --------
    >>> sine = demonstration(np.random.default_rng(0))
    >>> sine.values.shape, int(sine.labels[250:270].sum())
    ((1000,), 20)
    """
    clean = 0.4 * np.cos(np.arange(1_000) / 10)
    noise = rng.normal(scale=NOISE, size=clean.size)
    shift = 2.0 * (rng.random(clean.size) < 0.03)
    shift[250:270] = -2.0
    return Demonstration(
        values=clean + noise + shift,
        clean=clean,
        labels=(shift != 0).astype(np.uint8),
    )
