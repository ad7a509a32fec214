"""
The axis of time: when periods begin, and what is written under them.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def times_of(start: pd.Period, num_periods: int) -> np.ndarray:
    """When each period begins."""
    periods = pd.period_range(start, periods=num_periods)
    # Not in nanoseconds, which end in 2262.
    return periods.asfreq("us", how="start").asi8.view("datetime64[us]")


def show_time(axes: "Axes", edges: np.ndarray) -> None:
    """Dates under the axis, which is a little longer than the series."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    first, last, end = edges[[0, -2, -1]]
    margin = max(end - last, (last - first) // 100)
    locator = AutoDateLocator()
    axes.set_xlim(first - margin, last + margin)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))


def borders(times: np.ndarray, period: np.timedelta64) -> np.ndarray:
    """Halfway between times, and half a period before and after them."""
    around = np.concatenate([times[:1] - period, times, times[-1:] + period])
    return around[:-1] + np.diff(around) // 2
