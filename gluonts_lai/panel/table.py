"""
Series of different lengths, as few rectangular arrays.

A data set is a list of arrays, ``(time,)`` or ``(dim, time)``. The indicator
wants rows of equal length; networks and users want entries. A table holds both
views of the same memory: ``blocks``, ``(rows, time)`` arrays of rows of
one length, and ``entries``, in the order and the shape in which they came.

Tables of the same series share one layout, and an entry is cut out of its
block when it is asked for: what there is of many short series are numbers, not
objects. A table that is large may be in a file (:mod:`.room`).
"""

import math
from collections.abc import Sequence
from typing import Any, Callable, Iterable, Iterator, NamedTuple

import numpy as np

from .room import is_in_memory, room

# Points in a block, so that what is computed of it fits into little memory.
MAX_POINTS = 200_000


class Layout(NamedTuple):
    """Where the entries of a table are."""

    shapes: list[tuple[int, ...]]  # of the entries
    owners: list[np.ndarray]  # for each row of each block, its entry
    blocks: np.ndarray  # for each entry, its block
    begins: np.ndarray  # and its first row there

    @classmethod
    def of(cls, shapes: Sequence[tuple[int, ...]]) -> "Layout":
        """Room for entries of these shapes."""
        owners: list[np.ndarray] = []
        blocks, begins = np.zeros((2, len(shapes)), int)
        for members in groups(shapes):
            num_rows = [num_rows_of(shapes[i]) for i in members]
            blocks[members] = len(owners)
            begins[members] = np.cumsum(num_rows) - num_rows
            owners.append(np.repeat(members, num_rows))
        return cls(list(shapes), owners, blocks, begins)

    def cut(self, numbers: np.ndarray) -> list[np.ndarray]:
        """All numbers of a table, one block after the other."""
        blocks, begin = [], 0
        for owners in self.owners:
            shape = len(owners), self.shapes[owners[0]][-1]
            end = begin + math.prod(shape)
            blocks.append(numbers[begin:end].reshape(shape))
            begin = end
        return blocks


class Entries(Sequence):
    """The entries of a table; several of them are a list."""

    def __init__(self, blocks: list[np.ndarray], layout: Layout) -> None:
        self.blocks = blocks
        self.layout = layout

    def __len__(self) -> int:
        return len(self.layout.shapes)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        shape = self.layout.shapes[i]
        begin = self.layout.begins[i]
        block = self.blocks[self.layout.blocks[i]]
        if len(shape) == 1:
            return block[begin]
        return block[begin : begin + num_rows_of(shape)].reshape(shape)


class Table(NamedTuple):
    """One number a point; see the module for its two views."""

    blocks: list[np.ndarray]  # each (rows, time)
    layout: Layout

    @classmethod
    def empty(cls, shapes: Sequence[tuple[int, ...]], dtype: type) -> "Table":
        """Room for entries of these shapes."""
        return cls.laid_out(Layout.of(shapes), dtype)

    @classmethod
    def laid_out(cls, layout: Layout, dtype: type) -> "Table":
        """Room for entries that lie in this way."""
        size = sum(map(math.prod, layout.shapes))
        return cls(layout.cut(room(size, np.dtype(dtype))), layout)

    @classmethod
    def of(cls, arrays: Sequence[np.ndarray], dtype: type) -> "Table":
        """A copy of these entries."""
        table = cls.empty([array.shape for array in arrays], dtype)
        for entry, array in zip(table.entries, arrays):
            entry[...] = array
        return table

    @property
    def entries(self) -> Entries:
        """Views of the blocks, (time,) or (dim, time)."""
        return Entries(self.blocks, self.layout)

    @property
    def owners(self) -> list[np.ndarray]:
        """For each row of each block, its entry."""
        return self.layout.owners

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        return self.layout.shapes

    @property
    def dtype(self) -> type:
        return self.blocks[0].dtype.type if self.blocks else np.float32

    @property
    def size(self) -> int:
        """Number of points."""
        return sum(block.size for block in self.blocks)

    def like(self, fill: float, dtype: type) -> "Table":
        """A table of the same shapes with one number everywhere."""
        table = self.laid_out(self.layout, dtype)
        for block in table.blocks:
            block[...] = fill
        return table

    def map(
        self, function: Callable[..., np.ndarray], *others: "Table"
    ) -> "Table":
        """The table of ``function`` of the blocks of this and other tables."""
        pairs = zip(self.blocks, *(other.blocks for other in others))
        return self.with_blocks(function(*blocks) for blocks in pairs)

    def with_blocks(self, blocks: Iterable[np.ndarray]) -> "Table":
        """These blocks, seen as entries in the same way."""
        blocks = iter(blocks)
        first = next(blocks, None)
        if first is None or is_in_memory(self.size, first.dtype):
            here = [] if first is None else [first, *blocks]
            return Table(here, self.layout)
        table = self.laid_out(self.layout, first.dtype.type)
        table.blocks[0][...] = first
        for place, block in zip(table.blocks[1:], blocks):
            place[...] = block
        return table

    def part(self, which: slice) -> "Table":
        """A copy of some of the entries."""
        return Table.of(self.entries[which], self.dtype)

    def since(self, firsts: Sequence[int]) -> "Table":
        """A copy of the entries of each block from one of its points on."""
        lengths = [
            block.shape[1] - first for block, first in zip(self.blocks, firsts)
        ]
        shapes = [
            (*shape[:-1], lengths[k])
            for shape, k in zip(self.shapes, self.layout.blocks)
        ]
        return Table(
            [
                block[:, first:].copy()
                for block, first in zip(self.blocks, firsts)
            ],
            self.layout._replace(shapes=shapes),
        )

    def put(self, which: slice, part: "Table") -> None:
        """Write to some of the entries."""
        for entry, new in zip(self.entries[which], part.entries):
            entry[...] = new

    def rows(self) -> Iterator[tuple[int, int, np.ndarray]]:
        """Each row with the entry and the dimension that it belongs to."""
        for i, entry in enumerate(self.entries):
            for j, row in enumerate(as_rows(entry)):
                yield i, j, row

    def total(self, function: Callable[[np.ndarray], float] = np.sum) -> float:
        """Sum of ``function`` over the blocks."""
        return float(sum(function(block) for block in self.blocks))


def groups(shapes: Sequence[tuple[int, ...]]) -> Iterator[list[int]]:
    """Entries of equal length, in blocks of up to so many points."""
    by_length: dict[int, list[int]] = {}
    for i, shape in enumerate(shapes):
        by_length.setdefault(shape[-1], []).append(i)
    for members in by_length.values():
        group: list[int] = []
        for i in members:
            group.append(i)
            if len(group) * math.prod(shapes[i]) >= MAX_POINTS:
                yield group
                group = []
        if group:
            yield group


def as_rows(entry: np.ndarray) -> np.ndarray:
    """An entry as a table of its own: (rows, time)."""
    return entry.reshape(num_rows_of(entry.shape), entry.shape[-1])


def num_rows_of(shape: tuple[int, ...]) -> int:
    """Rows that an entry of this shape takes."""
    return math.prod(shape[:-1])


def flat(table: Table) -> np.ndarray:
    """All points of a table, entry by entry."""
    return np.concatenate([np.ravel(entry) for entry in table.entries])


def unflat(array: np.ndarray, like: Table) -> Table:
    """The table of entries like these that has these points."""
    if array.shape != (like.size,) or array.dtype.kind not in "biuf":
        raise ValueError(f"{array.shape} points of a table of {like.size}")
    table = Table.laid_out(like.layout, array.dtype.type)
    begin = 0
    for entry in table.entries:
        entry[...] = array[begin : begin + entry.size].reshape(entry.shape)
        begin += entry.size
    return table
