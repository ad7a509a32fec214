"""
What must be true on every framework, for each that is installed.

A backend's folder has the estimators (``zoo``) and a few ways to look at the
framework from outside (``probes``).
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import NamedTuple

import pytest


class Backend(NamedTuple):
    """A framework, as tests see it."""

    name: str
    zoo: ModuleType
    probes: ModuleType


BACKENDS = {
    name: Backend(
        name,
        import_module(f"tests.{name}.zoo"),
        import_module(f"tests.{name}.probes"),
    )
    for name, framework in (("mx", "mxnet"), ("torch", "torch"))
    if find_spec(framework) is not None
}
# Every estimator of every backend.
EACH = [
    pytest.param(backend, name, id=f"{backend.name}-{name}")
    for backend in BACKENDS.values()
    for name in backend.zoo.CASES
]
