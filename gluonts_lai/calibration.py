"""
By how much is a forecaster surer of itself than it may be?

On points that it was not trained on, the width of its densities is multiplied
by what makes the series most likely, anomalies and all.
"""

from typing import Any

import numpy as np

from gluonts_lai.evidence import anomalous_densities, fit_anomalous
from gluonts_lai.filtering import COARSE, Filter
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.panel import Panel
from gluonts_lai.recipe import Recipe
from gluonts_lai.transform import Treatment

WIDENINGS = (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0)
# Enough to know one number by.
MAX_POINTS = 3_000


def calibrated(recipe: Recipe, nominal: Nominal, panel: Panel) -> Recipe:
    """
    The recipe, with densities as wide as a forecaster deserves.

    Parameters
    ----------
    recipe
        What the user chose; its own widening is the least.
    nominal
        The forecaster.
    panel
        Series that it was not trained on; a few of them will do.
    """
    sizes = np.cumsum([entry.size for entry in panel.values.entries])
    panel = panel.part(slice(0, 1 + int(np.searchsorted(sizes, MAX_POINTS))))
    prepared = nominal.prepare(panel)
    widenings = [w for w in WIDENINGS if w >= recipe.widening]
    told = [
        log_likelihood(recipe._replace(widening=w), nominal, panel, prepared)
        for w in widenings
    ]
    return recipe._replace(widening=widenings[int(np.argmax(told))])


def log_likelihood(
    recipe: Recipe, nominal: Nominal, panel: Panel, prepared: Any
) -> float:
    """How likely series are, after one look at their contexts."""
    chains = [recipe.chain] * len(panel.entries)
    anomalous = fit_anomalous(recipe.anomalous, panel.values)
    filter = Filter(
        nominal,
        panel,
        prepared,
        chains,
        anomalous_densities(anomalous, panel.values),
        Treatment.of(panel.values, recipe.treatment),
        tolerance=COARSE,
        budget=1.0,
        widening=recipe.widening,
    )
    smoothed = filter.settle().evidence.smooth(chains)
    return sum(float(s.log_likelihood.sum()) for s in smoothed)
