"""
Several cleaned histories, side by side.
"""

from .cloud import find_with_particles

__all__ = ["find_with_particles"]
