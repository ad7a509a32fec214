"""
Detections made by hand: waves, and spikes that are flagged.
"""

import numpy as np
import pandas as pd

from gluonts_lai import Detection

HOUR = pd.Period("2024-02-28 22:00", "h")


def detection(length, segments=(), item_id="sensor", start=HOUR, seed=0):
    """A series with anomalies from ``begin`` up to before ``end`` each."""
    rng = np.random.default_rng(seed)
    expected = 10 + 3 * np.sin(np.arange(length) * 2 * np.pi / 24)
    value = expected + rng.normal(scale=0.4, size=length)
    score = rng.uniform(-8.0, -2.0, size=length)
    for begin, end in segments:
        value[begin:end] += 7.0
        score[begin:end] = rng.uniform(1.0, 30.0, size=end - begin)
    return Detection(
        item_id,
        start,
        value,
        probability=1 / (1 + np.exp(-score)),
        score=score,
        log_density=-score,
        expected=expected,
        lower=expected - 0.9,
        upper=expected + 0.9,
        cleaned=expected,
    )


def with_all(series, **arrays):
    """The same detection, with some of its arrays full of one number."""
    full = {name: np.full_like(series.value, x) for name, x in arrays.items()}
    return series._replace(**full)


def stacked(*rows):
    """Detections of one length as the dimensions of one."""
    arrays = {
        name: np.stack([getattr(row, name) for row in rows])
        for name in Detection._fields[2:]
    }
    return rows[0]._replace(**arrays)


def spread_out(length, num_segments, seed=0):
    """Segments of one to four points, far from one another."""
    rng = np.random.default_rng(seed)
    begin = np.linspace(1, length - 6, num_segments).astype(int)
    return [(b, b + rng.integers(1, 5)) for b in begin]
