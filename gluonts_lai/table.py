"""
Series of different lengths, as few rectangular arrays.

A data set is a list of arrays, ``(time,)`` or ``(dim, time)``. The indicator
wants rows of equal length; networks and users want entries. A table holds both
views of the same memory: ``blocks``, ``(rows, time)`` arrays of rows of
one length, and ``entries``, in the order and the shape in which they came.
"""

from typing import Callable, Iterator, NamedTuple, Sequence

import numpy as np

# Points in a block, so that what is computed of it fits into little memory.
MAX_POINTS = 200_000


class Table(NamedTuple):
    """One number a point; see the module for its two views."""

    blocks: list[np.ndarray]  # each (rows, time)
    entries: list[np.ndarray]  # views of them, (time,) or (dim, time)
    owners: list[np.ndarray]  # for each row of each block, its entry

    @classmethod
    def empty(cls, shapes: Sequence[tuple[int, ...]], dtype: type) -> "Table":
        """Room for entries of these shapes."""
        blocks, owners = [], []
        entries: list = [None] * len(shapes)
        for members in groups(shapes):
            num_rows = [num_rows_of(shapes[i]) for i in members]
            length = shapes[members[0]][-1]
            block: np.ndarray = np.empty((sum(num_rows), length), dtype)
            ends = np.cumsum(num_rows)
            for i, end, rows in zip(members, ends, num_rows):
                entries[i] = block[end - rows : end].reshape(shapes[i])
            blocks.append(block)
            owners.append(np.repeat(members, num_rows))
        return cls(blocks, entries, owners)

    @classmethod
    def of(cls, arrays: Sequence[np.ndarray], dtype: type) -> "Table":
        """A copy of these entries."""
        table = cls.empty([array.shape for array in arrays], dtype)
        for entry, array in zip(table.entries, arrays):
            entry[...] = array
        return table

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        return [entry.shape for entry in self.entries]

    @property
    def dtype(self) -> type:
        return self.blocks[0].dtype.type if self.blocks else np.float32

    @property
    def size(self) -> int:
        """Number of points."""
        return sum(block.size for block in self.blocks)

    def like(self, fill: float, dtype: type) -> "Table":
        """A table of the same shapes with one number everywhere."""
        table = self.empty(self.shapes, dtype)
        for block in table.blocks:
            block[...] = fill
        return table

    def map(
        self, function: Callable[..., np.ndarray], *others: "Table"
    ) -> "Table":
        """The table of ``function`` of the blocks of this and other tables."""
        blocks = [
            function(*parts)
            for parts in zip(self.blocks, *(other.blocks for other in others))
        ]
        return self.with_blocks(blocks)

    def with_blocks(self, blocks: list[np.ndarray]) -> "Table":
        """These blocks, seen as entries in the same way."""
        entries: list = [None] * len(self.entries)
        for block, owners in zip(blocks, self.owners):
            first = np.flatnonzero(np.diff(owners, prepend=-1))
            for a, b in zip(first, [*first[1:], len(owners)]):
                i = int(owners[a])
                entries[i] = block[a:b].reshape(self.entries[i].shape)
        return Table(blocks, entries, self.owners)

    def part(self, which: slice) -> "Table":
        """A copy of some of the entries."""
        return Table.of(self.entries[which], self.dtype)

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
            if len(group) * np.prod(shapes[i]) >= MAX_POINTS:
                yield group
                group = []
        if group:
            yield group


def as_rows(entry: np.ndarray) -> np.ndarray:
    """An entry as a table of its own: (rows, time)."""
    return entry.reshape(num_rows_of(entry.shape), entry.shape[-1])


def num_rows_of(shape: tuple[int, ...]) -> int:
    """Rows that an entry of this shape takes."""
    return int(np.prod(shape[:-1], dtype=int))


def flat(table: Table) -> np.ndarray:
    """All points of a table, entry by entry."""
    return np.concatenate([np.ravel(entry) for entry in table.entries])


def unflat(array: np.ndarray, like: Table) -> Table:
    """The table of entries like these that has these points."""
    if array.shape != (like.size,) or array.dtype.kind not in "biuf":
        raise ValueError(f"{array.shape} points of a table of {like.size}")
    table = Table.empty(like.shapes, array.dtype.type)
    begin = 0
    for entry in table.entries:
        entry[...] = array[begin : begin + entry.size].reshape(entry.shape)
        begin += entry.size
    return table
