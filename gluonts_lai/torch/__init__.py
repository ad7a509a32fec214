"""
The nominal model on PyTorch: the only place that imports torch.
"""

from gluonts_lai.nominal.backend import require

require("torch")
