"""
Seeds from seeds.
"""

import numpy as np


def derived(seed: int, *path: int) -> int:
    """A seed of its own for each step on the way of a run."""
    state = np.random.SeedSequence([seed, *path]).generate_state(1)
    return int(state[0] % 2**31)
