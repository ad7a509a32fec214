"""
What is on a picture, read back from it.
"""

from typing import NamedTuple, Optional

import numpy as np
import pandas as pd

HOUR = pd.Period("2024-02-28 22:00", "h")
LONG = 100_000


class Drawn(NamedTuple):
    """What a picture needs to know of a detection."""

    item_id: Optional[str]
    start: pd.Period
    value: np.ndarray
    probability: np.ndarray
    expected: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    cleaned: np.ndarray


def drawn(*shape, num_flagged=0, start=HOUR, item_id="sensor"):
    """A detection of chance; a flagged point may well be unremarkable."""
    rng = np.random.default_rng(0)
    value, expected = rng.normal(size=(2, *shape))
    probability = rng.uniform(0.0, 0.4, size=shape)
    for row in np.atleast_2d(probability):
        row[rng.choice(shape[-1], num_flagged, replace=False)] = 0.9
    band = expected - 2, expected + 2
    cleaned = np.where(probability > 0.5, expected, value)
    return Drawn(item_id, start, value, probability, expected, *band, cleaned)


def line(axes, label):
    """The one line of a panel whose label ends so."""
    (found,) = [x for x in axes.lines if x.get_label().endswith(label)]
    return found


def times(start, indices):
    """When periods begin, one by one."""
    return [(start + int(i)).start_time.to_datetime64() for i in indices]


def band(axes, i=0):
    """Corners of one band of a panel, ``(corners, 2)``."""
    polygons = axes.collections[i]
    return np.concatenate([path.vertices for path in polygons.get_paths()])


def bars(axes):
    """The probabilities in a strip, and where their bars begin and end."""
    (polygon,) = axes.collections
    corners = polygon.get_paths()[0].vertices
    # From the left end of the ground over the top, then back on the ground.
    top = corners[1 : len(corners) // 2]
    return top[:-1:2, 1], top[::2, 0]


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def greys(figure):
    """How light each dot of a picture is, from 0 to 255, the top row first."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    picture = Image.fromarray(np.array(canvas.buffer_rgba()))
    return np.array(picture.convert("RGB").convert("L")).astype(int)


def grey_at(picture, axes, time, value):
    """How light the dot at a point of a panel is."""
    from matplotlib.dates import date2num

    column, row = axes.transData.transform([date2num(time), value])
    return picture[int(len(picture) - row), int(column)]
