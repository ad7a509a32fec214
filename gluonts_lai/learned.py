"""
What EM leaves behind: what it learned of series, and doubts about it.
"""

import logging
from collections import Counter
from typing import Optional

import numpy as np
from gluonts.dataset import Dataset
from gluonts.model.predictor import Predictor

from gluonts_lai.backends import nominal_of, seeded
from gluonts_lai.calibration import (
    MIN_POINTS,
    Calibration,
    calibrate,
    looks,
    unknown_points,
)
from gluonts_lai.caution import warn
from gluonts_lai.em import MonteCarloEM
from gluonts_lai.nominal.pasts import least_past
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.panel import Panel, training_panel
from gluonts_lai.profiles import Profiles, Typical
from gluonts_lai.recipe import Recipe, wide_enough
from gluonts_lai.seeds import derived

logger = logging.getLogger(__name__)

# More than this is worth a second look.
MANY_FLAGGED = 0.05
# Rounds of EM around a forecaster that does not learn.
NUM_ROUNDS = 3


def learn_around(
    predictor: Predictor,
    dataset: Dataset,
    recipe: Recipe,
    context_length: Optional[int],
    label_field: Optional[str],
    calibrates: bool,
    seed: Optional[int],
) -> dict:
    """What there is to learn of anomalies with a predictor as it is."""
    length = context_length or least_past(predictor)
    ahead = predictor.prediction_length + predictor.lead_time
    panel = training_panel(dataset, label_field, length + ahead)
    start = int(np.random.randint(2**31)) if seed is None else seed
    nominal = nominal_of(predictor, length, False, start)
    anomalous = wide_enough(recipe.anomalous)
    rng = np.random.default_rng(derived(start, 0))
    em = MonteCarloEM(
        panel, None, recipe._replace(anomalous=anomalous), length, rng
    )
    with seeded(start):
        if calibrates:
            em.calibrate(nominal, panel.values.like(1, bool))
        for _ in range(NUM_ROUNDS):
            em.finish(nominal)
    second_look(em)
    return {"context_length": length, **what_was_learned(em)}


def has_new_points(validation: Panel, training: Panel) -> bool:
    """Whether validation data have enough points to calibrate on."""
    new = unknown_points(validation, training)
    return new.total() >= MIN_POINTS


def calibrate_on(
    validation: Panel, em: MonteCarloEM, nominal: Nominal
) -> None:
    """Find out from validation data how sure a forecaster may be."""
    known = {
        key: profile
        for key, profile, item_id in zip(
            em.panel.keys(), em.profiles, em.panel.item_ids()
        )
        if item_id is not None
    }
    typical = Typical.of(
        em.profiles, em.panel.values, em.shares, em.calibration.pooled
    )
    profiles = Profiles(known, typical).of(
        validation, em.recipe.anomalous, nominal.context_length
    )
    new = unknown_points(validation, em.panel)
    pooled, each = calibrate(
        looks(nominal, validation, profiles, em.recipe, new),
        em.calibration.pooled,
    )
    found = {
        key: shape
        for key, shape in zip(validation.keys(), each)
        if key in known
    }
    em.calibration = Calibration(
        pooled, [found.get(key, pooled) for key in em.panel.keys()]
    )


def what_was_learned(em: MonteCarloEM) -> dict:
    """What a predictor has to know of the series of a training set."""
    keys = em.panel.keys()
    count = Counter(keys)
    known = [i for i, key in enumerate(keys) if count[key] == 1]
    chains = {}
    if em.recipe.chain_scope == "series":
        chains = {keys[i]: em.chains[i] for i in known}
    item_ids = em.panel.item_ids()
    typical = Typical.of(
        em.profiles, em.panel.values, em.shares, em.calibration.pooled
    )
    return {
        "chain": em.chain,
        "anomalous": em.recipe.anomalous,
        "residual_scale": em.residual_scale,
        "chains": chains,
        "profiles": Profiles(
            {
                keys[i]: em.profiles[i]
                for i in known
                if item_ids[i] is not None and not em.profiles[i].is_unknown
            },
            typical,
        ),
        "freq": freq_of(em.panel),
    }


def freq_of(panel: Panel) -> Optional[str]:
    """The frequency of all series; None where they have not one."""
    freqs = {getattr(e["start"], "freqstr", None) for e in panel.entries}
    return freqs.pop() if len(freqs) == 1 else None


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
            "%.1f %% of the training points were flagged in the last round; "
            "if that is more than the data deserve, train for longer, or in "
            "Python widen p⁻ (Uniform(width=...)).",
            100 * em.history[-1].share_flagged,
        )
