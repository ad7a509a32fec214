"""
What EM leaves behind: what it learned of series, and doubts about it.
"""

import logging
from collections import Counter

import numpy as np

from gluonts_lai.calibration import calibrated
from gluonts_lai.caution import warn
from gluonts_lai.em import MonteCarloEM
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.panel import Panel
from gluonts_lai.recipe import Recipe
from gluonts_lai.seeds import derived

logger = logging.getLogger(__name__)

# More than this is worth a second look.
MANY_FLAGGED = 0.05
# Rounds of EM around a forecaster that does not learn.
NUM_ROUNDS = 3


def learn_around(
    nominal: Nominal,
    panel: Panel,
    recipe: Recipe,
    calibrates: bool,
    seed: int,
) -> dict:
    """What there is to learn of anomalies with a forecaster as it is."""
    if calibrates:
        recipe = calibrated(recipe, nominal, panel)
    rng = np.random.default_rng(derived(seed, 0))
    em = MonteCarloEM(panel, None, recipe, nominal.context_length, rng)
    for _ in range(NUM_ROUNDS):
        scores = em.finish(nominal)
    second_look(em)
    return {
        "chain": em.chain,
        "anomalous": recipe.anomalous,
        "residual_scale": scores.residual_scale,
        "widening": recipe.widening,
        **by_key(em),
    }


def by_key(em: MonteCarloEM) -> dict:
    """What was learned of series that can be recognised."""
    keys = em.panel.keys()
    count = Counter(keys)
    known = [i for i, key in enumerate(keys) if count[key] == 1]
    chains = {}
    if em.recipe.chain_scope == "series":
        chains = {keys[i]: em.chains[i] for i in known}
    item_ids = em.panel.item_ids()
    return {
        "chains": chains,
        "fitted": {
            keys[i]: em.anomalous[i] for i in known if item_ids[i] is not None
        },
    }


def second_look(em: MonteCarloEM) -> None:
    """Say what is worth a second look."""
    limit = em.recipe.max_anomaly_share
    if em.is_guarded:
        warn(
            "max_anomaly_share should not be reached, but the chain came to "
            f"believe in more than {limit:.0%} of anomalous points and was "
            "held there; check the data, or raise it."
        )
    if em.history and not em.is_explained:
        warn(
            f"the forecaster should explain at least {1 - limit:.0%} of the "
            f"training points, but {em.history[-1].share_flagged:.0%} were "
            "flagged; train for longer, or take one that fits them better."
        )
    elif em.history and em.history[-1].share_flagged > MANY_FLAGGED:
        logger.warning(
            "%.1f %% of the training points were flagged; if that is more "
            "than the data deserve, widen p⁻ (Uniform(width=...)) or "
            "train for longer.",
            100 * em.history[-1].share_flagged,
        )
