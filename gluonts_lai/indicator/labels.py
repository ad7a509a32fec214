"""
What somebody knows of the indicator: labels, taken as evidence.
"""

import numpy as np

from gluonts_lai.arrays import real_array

from .evidence import as_densities


def condition_on_labels(
    log_normal: np.ndarray, log_anomalous: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """
    Take known labels as evidence: new densities that imply them.

    Parameters
    ----------
    log_normal
        Log density of each point under the nominal model, time last.
    log_anomalous
        Log density of each point under the anomalous model, same shape.
    labels
        1 where a point is known to be anomalous, 0 where it is known to be
        nominal, whatever the densities say; NaN where nothing is known; and
        anything between for an opinion: 0.8 multiplies the odds by 0.8 / 0.2.
        A missing point may have a label too. Same shape.

    Examples
    --------
    >>> densities = condition_on_labels([-1.0, -9.0], [-4.0, -4.0], [1.0, 0.0])
    >>> from gluonts_lai import IndicatorChain
    >>> from gluonts_lai.indicator import smooth_chain
    >>> smooth_chain(IndicatorChain(), *densities).smoothed
    array([1., 0.])
    """
    log_normal, log_anomalous = as_densities(
        log_normal=log_normal, log_anomalous=log_anomalous
    )
    labels = real_array(labels, "labels").astype(float)
    if labels.shape != log_normal.shape:
        raise ValueError(
            "there must be one label for each point, got labels of shape "
            f"{labels.shape} for points of shape {log_normal.shape}; use NaN "
            "where nothing is known."
        )
    known = ~np.isnan(labels)
    wrong = known & ~((labels >= 0) & (labels <= 1))
    if wrong.any():
        raise ValueError(
            "labels must be 1 (anomalous), 0 (nominal), a probability between "
            f"them or NaN (unknown), got {labels[wrong][0]} at index "
            f"{tuple(int(i) for i in np.argwhere(wrong)[0])}."
        )
    sides = (log_normal, 1 - labels), (log_anomalous, labels)
    missing = np.isnan(log_normal) | np.isnan(log_anomalous)
    most = np.maximum(labels, 1 - labels)
    results = []
    for log_density, share in sides:
        # A label outweighs any density, even one that is not there.
        certain = (share == 1) | (share == 0)
        idle = known & (missing | certain & ~np.isfinite(log_density))
        log_density = np.where(idle, 0.0, log_density)
        with np.errstate(divide="ignore"):  # certainty: log 0 = -inf
            opinion = np.where(known, np.log(share / most), 0.0)
        results.append((log_density + opinion).astype(log_normal.dtype))
    return results[0], results[1]
