"""
What EM remembers from round to round, as plain arrays.

All else follows from the training set and from the user's settings: how far
each series reaches, and p⁻, which is fitted again from the share that each
point has in it.
"""

import json
from typing import Any, Mapping

import numpy as np

from gluonts_lai.anomalous import Uniform
from gluonts_lai.calibration import Calibration, Shape
from gluonts_lai.em import MonteCarloEM
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.panel.table import flat, unflat
from gluonts_lai.profiles import refitted
from gluonts_lai.rounds import History, Round

Arrays = Mapping[str, np.ndarray]


def remembered(em: MonteCarloEM) -> dict[str, Any]:
    """What the next round needs to know, when one has ended."""
    arrays = {
        "epoch": em.epoch,
        "chains": [chain_row(chain) for chain in (em.chain, *em.chains)],
        "calibration": [em.calibration.pooled, *em.calibration.each],
        "shapes": [(p.widening, p.tail) for p in em.profiles],
        "contexts": flat(em.contexts),
        "is_held": em.held_out is not None,
        "is_guarded": em.is_guarded,
        "history": np.array(em.history).reshape(-1, len(Round._fields)),
        "rng": json.dumps(em.rng.bit_generator.state),
    }
    if em.shares is not None:
        arrays["shares"] = flat(em.shares)
    if em.residual_scale is not None:
        arrays["residual_scale"] = em.residual_scale
    return arrays


def recall(em: MonteCarloEM, arrays: Arrays, epoch: int) -> None:
    """Let EM go on where a round has ended, after so many epochs."""
    em.rng.bit_generator.state = json.loads(str(arrays["rng"]))
    em.epoch = int(arrays["epoch"])
    if em.epoch != epoch:
        raise ValueError(f"of epoch {em.epoch}, not {epoch}")
    em.is_guarded = bool(arrays["is_guarded"])
    if not arrays["is_held"]:
        em.held_out = None
    if "residual_scale" in arrays:
        (em.residual_scale,) = positive(
            np.atleast_1d(arrays["residual_scale"]), (1,)
        )
    num_series = len(em.panel.entries)
    chains = numbers(arrays["chains"], (num_series + 1, 3))
    # One chain is one object: it is then dealt with once for all series.
    known = {tuple(row): IndicatorChain(*row) for row in chains}
    em.chain, *em.chains = (known[tuple(row)] for row in chains)
    shapes = positive(arrays["calibration"], (num_series + 1, 2))
    pooled, *each = (Shape(*row) for row in shapes)
    em.calibration = Calibration(pooled, each)
    em.contexts = unflat(arrays["contexts"], em.contexts)
    rows = numbers(arrays["history"], (-1, len(Round._fields)))
    em.history = History(Round(int(epoch), *row) for epoch, *row in rows)
    recall_profiles(em, arrays, num_series)


def adopt(em: MonteCarloEM, memory: dict[str, Any]) -> None:
    """Let EM know all that it :func:`remembered` in another process."""
    arrays = {name: np.asarray(array) for name, array in memory.items()}
    recall(em, arrays, memory["epoch"])


def recall_profiles(em: MonteCarloEM, arrays: Arrays, num_series: int) -> None:
    """p⁻ of series, and how sure of them the forecaster may be."""
    shapes = positive(arrays["shapes"], (num_series, 2))
    em.profiles = [
        profile._replace(widening=widening, tail=tail)
        for profile, (widening, tail) in zip(em.profiles, shapes)
    ]
    if "shares" not in arrays:
        return
    em.shares = unflat(arrays["shares"], em.panel.values)
    if not isinstance(em.recipe.anomalous, Uniform):
        em.profiles = refitted(
            em.profiles, em.panel.values, em.recipe.anomalous, em.shares
        )


def chain_row(chain: IndicatorChain) -> tuple[float, float, float]:
    return chain.p_start, chain.p_enter, chain.p_stay


def positive(array: np.ndarray, shape: tuple[int, ...]) -> list:
    """Widths and their like, which none but positive numbers can be."""
    if not (np.isfinite(array) & (array > 0)).all():
        raise ValueError("a spread is not positive")
    return numbers(array, shape)


def numbers(array: np.ndarray, shape: tuple[int, ...]) -> list:
    """An array of a shape as plain numbers."""
    is_shape = array.ndim == len(shape) and all(
        there in (here, -1) for here, there in zip(array.shape, shape)
    )
    if not is_shape:
        raise ValueError(f"numbers of shape {array.shape}, not {shape}")
    return array.astype(float).tolist()
