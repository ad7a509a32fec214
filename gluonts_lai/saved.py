"""
What a model folder says of anomalies: can it have been learned?

Numbers that nobody could have learned are refused here, before anything is
worked out with them: a damaged folder ends in a sentence, not in a forecast.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from gluonts.core.serde import decode

from gluonts_lai.anomalous import AnomalousModel
from gluonts_lai.choices import TREATMENTS
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.nominal.scaling import Scale
from gluonts_lai.profiles import Profile, Profiles, Typical
from gluonts_lai.trust import LAI, check_file
from gluonts_lai.value import is_number

# No window looks back on more, nor ahead.
LONGEST = 10_000_000


def what_was_saved(path: Path) -> dict[str, Any]:
    """
    What ``lai.json`` says, if it can have been learned.

    Parameters
    ----------
    path
        The file, in a folder whose seal is whole.
    """
    content = check_file(path, LAI)
    try:
        state = decode(content)
        check_state(state)
    except MemoryError:
        raise
    except Exception as error:  # constructors have errors of their own
        raise ValueError(
            "a model folder must hold what was learned, got something else "
            f"({error!s:.200}) in {str(path)!r}; write it again, or take a "
            "copy of it."
        ) from error
    return state


def check_state(state: Any) -> None:
    """Each argument of a predictor is one."""
    rules = {
        "chain": lambda x: isinstance(x, IndicatorChain),
        "anomalous": lambda x: isinstance(x, AnomalousModel),
        "context_length": lambda x: is_whole(x) and 1 <= x <= LONGEST,
        "profiles": lambda x: isinstance(x, Profiles),
        "scaling": is_bool,
        "treatment": lambda x: x in TREATMENTS,
        "filters": is_bool,
        "seed": lambda x: x is None or is_whole(x) and x >= 0,
        "residual_scale": lambda x: x is None or is_positive(x),
        "chains": is_table_of_chains,
        "label_field": is_text_or_none,
        "freq": lambda x: x is None or is_freq(x),
    }
    if not isinstance(state, dict) or set(state) != set(rules):
        raise ValueError(f"{state!r:.60}")
    for name, is_right in rules.items():
        if not is_right(state[name]):
            raise ValueError(f"{name} is {state[name]!r:.60}")
    check_profiles(state["profiles"])


def check_horizon(num_ahead: int) -> None:
    if num_ahead > LONGEST:
        raise ValueError(f"forecasts ahead of {num_ahead:,} points")


def check_profiles(profiles: Profiles) -> None:
    """Profiles hold the numbers of so many dimensions."""
    known, typical = profiles
    if not isinstance(typical, Typical) or not isinstance(known, dict):
        raise ValueError("profiles are none")
    check_numbers("typical values", typical.values, typical.weights)
    if typical.values.ndim not in (1, 2) or not typical.values.size:
        raise ValueError(f"typical values of shape {typical.values.shape}")
    if typical.weights.min() < 0 or typical.weights.max() > 1:
        raise ValueError("weights of typical values are no probabilities")
    check_spread(typical)
    for name, profile in known.items():
        if not isinstance(profile, Profile):
            raise ValueError(f"the profile of {name!r:.60} is none")
        check_profile(profile)


def check_profile(profile: Profile) -> None:
    """What is known of a series is numbers, and densities."""
    scale, models, bounds = profile[:3]
    if not isinstance(scale, Scale):
        raise ValueError("a scale is none")
    check_numbers("a scale", scale.centre, scale.width)
    sizes = {scale.centre.size, len(models), len(bounds)}
    if len(sizes) > 1 or scale.centre.shape[-1:] != (1,):
        raise ValueError(f"profiles of {sizes} dimensions")
    if not (scale.width > 0).all():
        raise ValueError("a width is not positive")
    for low, high in bounds:
        if not (is_finite(low) and is_finite(high) and low <= high):
            raise ValueError(f"bounds are {low!r:.30} and {high!r:.30}")
    for model in models:
        if model is not None:
            check_density(model)
    check_spread(profile)


def check_density(model: Any) -> None:
    """A p⁻ has a density: it is asked for one."""
    if not isinstance(model, AnomalousModel):
        raise ValueError(f"a p⁻ is {model!r:.60}")
    density = np.asarray(model.log_prob(np.zeros(1)), dtype=float)
    if density.shape != (1,) or np.isnan(density).any():
        raise ValueError(f"{model!r:.60} has no density")


def check_spread(known: Any) -> None:
    if not is_positive(known.widening) or not is_positive(known.tail):
        raise ValueError("a spread is not positive")


def check_numbers(name: str, *arrays: Any) -> None:
    """Finite numbers, in arrays of one shape."""
    for array in arrays:
        is_real = isinstance(array, np.ndarray) and array.dtype.kind == "f"
        if not is_real or not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite, got {array!r:.60}")
        if array.shape != arrays[0].shape:
            raise ValueError(f"{name} of shapes that differ")


def is_table_of_chains(chains: Any) -> bool:
    return isinstance(chains, dict) and all(
        isinstance(chain, IndicatorChain) for chain in chains.values()
    )


def is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not is_bool(value)


def is_finite(value: Any) -> bool:
    return is_number(value) and bool(np.isfinite(value))


def is_positive(value: Any) -> bool:
    return is_finite(value) and value > 0


def is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def is_freq(value: Any) -> bool:
    """Whether this is a frequency of pandas: else it has an error of its."""
    return isinstance(value, str) and bool(pd.Period("2000", freq=value))
