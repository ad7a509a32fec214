"""
Engines that are started once, for all tests that ask for them.
"""

import pytest

from .engines import ENGINES, spark


def started(name):
    @pytest.fixture(scope="package", name=f"{name}_engine")
    def fixture():
        with ENGINES[name]() as settings:
            yield settings

    return fixture


loky_engine, dask_engine, ray_engine = map(started, ENGINES)


@pytest.fixture(params=ENGINES)
def engine(request):
    """What ``joblib.parallel_config`` is told, for each engine in turn."""
    return request.getfixturevalue(f"{request.param}_engine")


@pytest.fixture(scope="package")
def session():
    with spark() as session:
        yield session
