"""
The deep learning frameworks, and what to do where one is missing.
"""

import sys
from importlib import import_module

PYTHONS = {"mxnet": "3.10 or 3.11", "torch": "3.10 to 3.13"}


def require(framework: str) -> None:
    """
    Import ``"mxnet"`` or ``"torch"``, or say how to get it.

    An mxnet beside a numpy that is too new fails with an AttributeError, one
    without its shared libraries with an OSError.
    """
    try:
        import_module(framework)
    except (ImportError, AttributeError, OSError) as error:
        raise ImportError(
            f"{framework} cannot be imported ({error}); install it with "
            f"pip install 'gluonts-lai[{framework}]' on Python "
            f"{PYTHONS[framework]} (this is Python "
            f"{sys.version_info[0]}.{sys.version_info[1]})."
        ) from error
