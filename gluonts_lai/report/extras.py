"""
What a report needs and not everybody has: Plotly and Jinja2.
"""

from importlib import import_module
from typing import Any


def require(name: str) -> Any:
    """A module of an optional package, or how to get it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"a report needs {name.split('.')[0]}, which cannot be imported "
            f"({error}); install it with pip install 'gluonts-lai[report]'."
        ) from error
