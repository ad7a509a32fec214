"""
Engines, each with two workers of its own on this machine.

Each is a context that yields what ``joblib.parallel_config`` is told. Those
that are not installed skip the test, and say so.
"""

import os
import secrets
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

MISSING = "{} is not installed; `make test-scale` installs it"


@contextmanager
def loky():
    yield {"backend": "loky", "n_jobs": 2}


@contextmanager
def dask():
    distributed = pytest.importorskip(
        "distributed", reason=MISSING.format("Dask")
    )
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    )
    with cluster, distributed.Client(cluster):
        yield {"backend": "dask"}


@contextmanager
def ray():
    ray = pytest.importorskip("ray", reason=MISSING.format("Ray"))
    from ray.util.joblib import register_ray

    with pytest.MonkeyPatch.context() as patch, token() as path:
        patch.setenv("RAY_AUTH_TOKEN_PATH", path)
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        register_ray()
        try:
            yield {"backend": "ray", "n_jobs": -1}
        finally:
            ray.shutdown()


@contextmanager
def token():
    """What Ray's processes know each other by; else it is left at home."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "token"
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(32))
        yield str(path)


@contextmanager
def spark():
    """A session, which is nothing that joblib knows."""
    need_spark()
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate()
        )
        try:
            yield session
        finally:
            session.stop()


def need_spark():
    pytest.importorskip("pyspark", reason=MISSING.format("Spark"))
    home = os.environ.get("JAVA_HOME", "")
    if shutil.which("java") is None and not Path(home, "bin/java").exists():
        pytest.skip("Spark needs Java (Debian: default-jre-headless)")


ENGINES = {"loky": loky, "dask": dask, "ray": ray}
