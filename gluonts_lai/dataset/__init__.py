"""
Series whose anomalies are known.
"""

from .demonstration import Demonstration, demonstration

__all__ = ["Demonstration", "demonstration"]
