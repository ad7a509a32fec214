"""
Engines for large tables find what one call on the whole frame finds.
"""

from functools import partial

import pytest
from pandas.testing import assert_frame_equal

from gluonts_lai import detect_frame
from tests.readings import COLUMNS, long_frame, naive_predictor

pytestmark = pytest.mark.filterwarnings("ignore")

TYPES = ["string", "timestamp", *["double"] * 7, "boolean"]
SCHEMA = ", ".join(map(" ".join, zip(COLUMNS, TYPES)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("model")
    naive_predictor().serialize(path)
    return str(path)


@pytest.fixture(scope="module")
def frame():
    """Its readings in no order, as tables have them."""
    return long_frame().sample(frac=1, random_state=0)


def in_order(frame):
    order = ["item_id", "timestamp"]
    return frame.sort_values(order).reset_index(drop=True)


def assert_found(found, frame, folder):
    assert_frame_equal(
        in_order(found),
        in_order(detect_frame(frame, folder)),
        check_dtype=False,  # each engine has text and times of its own
        check_exact=True,
    )


def test_dask_maps_it_over_partitions(frame, folder, dask_engine):
    dataframe = pytest.importorskip("dask.dataframe")
    table = dataframe.from_pandas(frame, npartitions=3)
    table = table.shuffle("item_id")  # partitions of whole series

    found = table.map_partitions(
        detect_frame, folder, meta=detect_frame(table._meta, folder)
    )

    assert list(found.columns) == COLUMNS
    assert found.npartitions > 1
    assert_found(found.compute(), frame, folder)


def test_ray_data_maps_it_over_groups(frame, folder, ray_engine):
    data = pytest.importorskip("ray.data")
    data.DataContext.get_current().enable_progress_bars = False
    groups = data.from_pandas(frame).groupby("item_id", num_partitions=2)

    found = groups.map_groups(
        detect_frame, fn_kwargs={"model": folder}, batch_format="pandas"
    )

    assert_found(found.to_pandas(), frame, folder)


def test_spark_applies_it_to_groups(frame, folder, session):
    groups = session.createDataFrame(frame).groupBy("item_id")

    found = groups.applyInPandas(partial(detect_frame, model=folder), SCHEMA)

    assert_found(found.toPandas(), frame, folder)
