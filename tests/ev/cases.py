"""
Random series with labels and scores.
"""

import numpy as np


def draw(seed, length=60, num_segments=4):
    """Segments, one of them at an end; every third case has ties."""
    rng = np.random.default_rng(seed)
    labels = np.zeros(length, int)
    for start in rng.integers(length, size=num_segments):
        labels[start : start + rng.integers(1, 8)] = 1
    labels[[0, -1][seed % 2]] = 1
    scores = rng.normal(size=length) + labels
    return labels, scores.round(1) if seed % 3 == 0 else scores
