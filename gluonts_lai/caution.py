"""
Warnings that point at the caller's line, not at ours.
"""

import sys
import warnings
from pathlib import Path

HERE = str(Path(__file__).parent)


def warn(message: str) -> None:
    """Warn whoever called into this package."""
    level = 2
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back  # type: ignore[assignment]
        level += 1
    warnings.warn(message, stacklevel=level)
