"""
Series whose points arrive one by one.
"""

from .detector import StreamingDetector
from .readings import Reading

__all__ = ["Reading", "StreamingDetector"]
