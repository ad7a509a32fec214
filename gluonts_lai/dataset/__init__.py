"""
Series whose anomalies are known.

=========================  ==================================================
:func:`demonstration`      the sine of the paper's Figure 1
:func:`simulate`           series of three families, with labels
:func:`contaminate`        anomalies, and labels, for any data set
:func:`read_nab`           the Numenta Anomaly Benchmark, with labels
:func:`read_yahoo`         a user's own copy of Yahoo's S5, with labels
:func:`read_electricity`   hourly load of electricity clients, without labels
=========================  ==================================================

All but the first give entries of a GluonTS data set. Readers look in the
folder that they are given, or in the one that the environment variable
``GLUONTS_LAI_DATA`` names.
"""

from .contamination import KINDS, contaminate
from .demonstration import Demonstration, demonstration
from .electricity import read_electricity
from .families import FAMILIES, simulate
from .nab import read_nab
from .yahoo import read_yahoo

__all__ = [
    "FAMILIES",
    "KINDS",
    "Demonstration",
    "contaminate",
    "demonstration",
    "read_electricity",
    "read_nab",
    "read_yahoo",
    "simulate",
]
