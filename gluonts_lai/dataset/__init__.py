"""
Series whose anomalies are known.
"""

from .demonstration import Demonstration, demonstration
from .families import FAMILIES, simulate

__all__ = ["FAMILIES", "Demonstration", "demonstration", "simulate"]
