"""
What is too much for memory is in a file, and the file does not stay.
"""

import gc
import os
import tempfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gluonts_lai.panel import room as place
from gluonts_lai.panel.room import VARIABLE, max_bytes, room
from gluonts_lai.panel.table import Table

DOUBLE = np.dtype(float)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where temporary files go; nothing is kept in memory."""
    monkeypatch.setattr(place, "MAX_BYTES", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def num_mapped(folder):
    """Files of a folder that this process looks at, with or without name."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return sum(str(folder) in line for line in maps)


needs_proc = pytest.mark.skipif(
    not os.path.exists("/proc/self/maps"), reason="counts maps on Linux"
)


def test_few_numbers_are_in_memory(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)

    assert max_bytes() == place.MAX_BYTES
    assert room(10, DOUBLE).base is None


@needs_proc
def test_many_numbers_are_in_a_file_until_nobody_looks_at_them(folder):
    array = room(1_000, DOUBLE)
    array[...] = np.arange(1_000)
    part = array[10:20]
    assert num_mapped(folder) == 1

    del array
    gc.collect()
    assert_array_equal(part, np.arange(10, 20))
    assert num_mapped(folder) == 1

    del part
    gc.collect()
    assert num_mapped(folder) == 0


def test_the_file_has_no_name(folder):
    array = room(1_000, DOUBLE)

    assert list(folder.iterdir()) == []
    array[...] = 1  # and can be written to all the same
    assert array.sum() == 1_000


@needs_proc
def test_the_file_is_gone_after_an_exception(folder):
    def fail():
        table = Table.of([np.zeros(50), np.ones(30)], float)
        assert num_mapped(folder) == 1
        table.map(lambda block: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        fail()

    gc.collect()
    assert num_mapped(folder) == 0 and list(folder.iterdir()) == []


def test_no_numbers_need_no_file(folder):
    assert room(0, DOUBLE).shape == (0,)


@pytest.mark.parametrize("said, most", [("2", 2 * 2**20), ("0.5", 2**19)])
def test_the_user_says_how_much_is_kept_in_memory(monkeypatch, said, most):
    monkeypatch.setenv(VARIABLE, said)

    assert max_bytes() == most


@pytest.mark.parametrize("said", ["much", "-1", "nan", ""])
def test_what_is_no_number_of_mb_is_refused(monkeypatch, said):
    monkeypatch.setenv(VARIABLE, said)

    with pytest.raises(
        ValueError, match=f"must be a number of MB, got '{said}"
    ):
        room(1, DOUBLE)


@pytest.mark.skipif(
    not hasattr(os, "posix_fallocate"), reason="room is not reserved there"
)
def test_a_disk_that_is_full_is_named(folder):
    with pytest.raises(OSError, match="must have room for a table of .* MB"):
        room(2**55, DOUBLE)

    assert list(folder.iterdir()) == []
