"""
The series that a user brings: checked once, then laid out as few arrays.
"""

from .panel import Panel, check_freq, check_shape, parts, training_panel

__all__ = [
    "Panel",
    "check_freq",
    "check_shape",
    "parts",
    "training_panel",
]
