"""
Pictures of series, of what was found in them and of what is to come.

========================  ===================================================
:func:`plot_detection`    a series, what was expected of it, what is anomalous
:func:`plot_forecast`     the end of a series, its forecast, and what came
:func:`plot_history`      a training run: what EM found, round by round
:func:`plot_figure1`      the paper's Figure 1
:func:`check_picture`     whether a picture can be written to a path
========================  ===================================================

Each gives a matplotlib figure for a file, ``figure.savefig(path)``, that can
be read in grey. Importing this package does not import matplotlib.
"""

from .detection import plot_detection
from .figure import check_picture
from .figure1 import Fit, plot_figure1
from .forecast import plot_forecast
from .history import plot_history

__all__ = [
    "Fit",
    "check_picture",
    "plot_detection",
    "plot_figure1",
    "plot_forecast",
    "plot_history",
]
