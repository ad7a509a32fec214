"""
The files that a user brings, and those that are written for them.

=======================  =====================================================
:func:`read_series`      the series of a CSV, Parquet or JSON lines file
:func:`whole_file`       a file that appears whole, or not at all
:func:`whole_folder`     the same for a folder
:func:`check_writable`   refuse a place where nothing can be written
=======================  =====================================================

Columns are known by usual names (``timestamp``, ``ds``, ``value``, ``y``,
``item_id``, ``unique_id``, ``label`` and others), the frequency by the times.
What was guessed is told; what cannot be guessed is refused in a sentence that
names the line.
"""

from .guesses import Guesses
from .reading import SeriesFile, read_series
from .writing import check_writable, whole_file, whole_folder

__all__ = [
    "Guesses",
    "SeriesFile",
    "check_writable",
    "read_series",
    "whole_file",
    "whole_folder",
]
