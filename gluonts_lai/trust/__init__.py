"""
WHICH classes may a model folder name?

GluonTS writes objects as JSON that names their classes, and makes them by
calling whatever a name leads to. Here the names are looked at first. Known are

- what GluonTS's encoder writes of numpy, pandas and MXNet,
- classes of GluonTS and of this package that are made to be written, and
  the functions of ``gluonts.time_feature``,
- the user's own predictors, p⁻ and ``@validated()`` classes, if they are
  imported already: nothing is imported because a folder says so,
- what the user has named with :func:`allow`.
"""

from .folders import check_base, check_file
from .known import BASE, LAI, allow, own
from .names import check_names

__all__ = [
    "BASE",
    "LAI",
    "allow",
    "check_base",
    "check_file",
    "check_names",
    "own",
]
