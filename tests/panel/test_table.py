"""
Blocks and entries are two views of the same numbers.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gluonts_lai.panel import room
from gluonts_lai.panel.table import Table, flat, num_rows_of, unflat

SHAPES = [(5,), (2, 7), (5,), (7,), (3, 5), (1, 1), (7,)]


@pytest.fixture(params=["in memory", "in a file"], autouse=True)
def where(request, monkeypatch):
    if request.param == "in a file":
        monkeypatch.setattr(room, "MAX_BYTES", 0)
    return request.param


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape) for shape in SHAPES]


@pytest.fixture
def table(arrays):
    return Table.of(arrays, float)


def test_entries_come_in_their_order_and_shape(table, arrays):
    assert table.shapes == SHAPES
    for entry, array in zip(table.entries, arrays):
        assert_array_equal(entry, array)


def test_a_table_is_a_copy(table, arrays):
    before = [entry.copy() for entry in table.entries]
    for array in arrays:
        array += 1

    for entry, old in zip(table.entries, before):
        assert_array_equal(entry, old)


def test_there_is_one_block_for_each_length(table):
    lengths = [block.shape[1] for block in table.blocks]

    assert sorted(lengths) == sorted({shape[-1] for shape in SHAPES})
    assert table.size == sum(np.prod(shape) for shape in SHAPES)


def test_what_is_written_to_one_view_is_read_in_the_other(table):
    for k, block in enumerate(table.blocks):
        block[...] = k
    for entry in table.entries:
        (k,) = np.unique(entry)
        assert table.blocks[int(k)].shape[1] == entry.shape[-1]

    for i, entry in enumerate(table.entries):
        entry[...] = i
    for block, owners in zip(table.blocks, table.owners):
        assert_array_equal(
            block, np.repeat(owners, block.shape[1]).reshape(block.shape)
        )


def test_rows_know_their_entry_and_dimension(table, arrays):
    found = [(i, j) for i, j, _ in table.rows()]

    expected = [
        (i, j) for i, s in enumerate(SHAPES) for j in range(num_rows_of(s))
    ]
    assert found == expected
    for i, j, row in table.rows():
        assert_array_equal(
            row, arrays[i] if arrays[i].ndim == 1 else arrays[i][j]
        )
        assert np.shares_memory(row, table.entries[i])


def test_a_map_is_taken_point_by_point(table, arrays):
    other = Table.of([2 * array for array in arrays], float)

    total = table.map(np.add, other)

    for entry, array in zip(total.entries, arrays):
        assert_array_equal(entry, array + 2 * array)
    for block, entries in zip(total.blocks, total.owners):
        assert all(np.shares_memory(block, total.entries[i]) for i in entries)


def test_new_blocks_are_seen_as_the_old_ones_were(table, arrays):
    same = table.with_blocks(table.blocks)

    for entry, array in zip(same.entries, arrays):
        assert_array_equal(entry, array)
        assert entry.shape == array.shape


def test_a_table_like_another_is_another(table, arrays):
    other = table.like(3, np.uint8)

    assert other.shapes == SHAPES
    assert all((b == 3).all() and b.dtype == np.uint8 for b in other.blocks)
    other.blocks[0][...] = 4
    assert_array_equal(table.entries[0], arrays[0])


def test_the_total_is_over_all_points(table, arrays):
    # Sums in another order, of a few numbers.
    flat = np.concatenate([array.ravel() for array in arrays])
    assert table.total() == pytest.approx(flat.sum(), rel=1e-12)
    assert table.total(lambda block: (block > 0).sum()) == (flat > 0).sum()


def test_a_table_may_be_empty():
    table = Table.of([], float)

    assert table.blocks == list(table.entries) == list(table.rows()) == []
    assert table.size == table.total() == 0


def test_a_series_without_any_point_has_a_row():
    rows = list(Table.of([np.zeros(0), np.zeros((2, 0))], float).rows())

    assert [(i, j) for i, j, _ in rows] == [(0, 0), (1, 0), (1, 1)]


def test_some_entries_are_a_copy_of_them(table, arrays):
    part = table.part(slice(1, 4))
    part.entries[0][...] = 0
    assert_array_equal(table.entries[1], arrays[1])

    table.put(slice(1, 4), part)

    assert_array_equal(table.entries[1], np.zeros(SHAPES[1]))
    assert_array_equal(table.entries[2], arrays[2])
    assert_array_equal(table.entries[-1], arrays[-1])


def test_entries_may_begin_later(table, arrays):
    firsts = [block.shape[1] // 2 for block in table.blocks]

    later = table.since(firsts)

    for i, (entry, array) in enumerate(zip(later.entries, arrays)):
        first = firsts[table.layout.blocks[i]]
        assert_array_equal(entry, array[..., first:])
    for block in later.blocks:
        block[...] = -1
    for entry, array in zip(table.entries, arrays):
        assert_array_equal(entry, array)


def test_all_points_in_a_row_are_the_same_table(table, arrays):
    numbers = flat(table)
    assert_array_equal(numbers, np.concatenate([a.ravel() for a in arrays]))

    again = unflat(numbers, table)

    for entry, array in zip(again.entries, arrays, strict=True):
        assert_array_equal(entry, array)


def test_tables_of_the_same_series_share_their_layout(table):
    assert table.like(0, bool).layout is table.layout
    assert table.map(np.negative).layout is table.layout


def test_a_table_is_where_there_is_room_for_it(table, where):
    def root(array):
        while isinstance(getattr(array, "base", None), np.ndarray):
            array = array.base
        return array

    for found in (table, table.like(0, bool), table.map(np.negative)):
        # What lies in a file looks at something that is no array.
        is_there = [root(block).base is not None for block in found.blocks]
        assert is_there == [where == "in a file"] * len(found.blocks)
