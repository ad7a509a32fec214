"""
The nominal model on MXNet: the only place that imports mxnet.
"""

from gluonts_lai.nominal.backend import require

require("mxnet")
