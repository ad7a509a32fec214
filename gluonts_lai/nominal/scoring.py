"""
Log densities of every point, a batch of windows at a time.

A window starts at ``t``: the forecaster sees the clean points before ``t`` and
says what it expects at ``t`` and, with a horizon above 1, at the points after
it. Which points are asked about, and where the answers belong, is decided
here; how a forecaster is asked is its own matter.
"""

from typing import Callable, Iterator, NamedTuple, Optional, Sequence

import numpy as np

from gluonts_lai.panel.table import Table, as_rows

from .bells import Bells
from .densities import Density, StudentT, robust_scale
from .protocol import Scores, Update
from .scaling import Scale

# Residuals of point forecasts: heavy tails keep ordinary noise nominal.
RESIDUAL_DF = 4.0
LEAST_RESIDUAL = 1e-6


class Points(NamedTuple):
    """A forecast that has no density: its residuals must give it one."""

    mean: np.ndarray

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        return np.full(values.shape, np.nan)

    def quantile(self, level: float) -> np.ndarray:
        return np.full(self.mean.shape, np.nan)


class Piece(NamedTuple):
    """Some windows of one series."""

    entry: int
    starts: np.ndarray


class Answer(NamedTuple):
    """What a forecaster says of a batch of windows, in its own units."""

    density: Density
    scale: Optional[Scale]  # back to the units of the series; one a window

    @property
    def has_points(self) -> bool:
        """Whether some of the points have no density."""
        if isinstance(self.density, StudentT):
            return bool(np.isnan(self.density.scale).any())
        return isinstance(self.density, Points)

    def with_residuals(
        self, residual_scale: Optional[float], units: list[Scale]
    ) -> "Answer":
        """The same with a density where it has none; a unit for a window."""
        if not self.has_points:
            return self
        df, loc, own = self.as_student()
        if self.scale is not None:
            loc, own = self.scale.undo(loc), self.scale.width * own
        width = np.stack([np.ravel(unit.width) for unit in units])
        width = width.reshape((loc.shape[0], 1) + loc.shape[2:])
        scale = max(residual_scale or 1.0, LEAST_RESIDUAL) * width
        bare = np.isnan(own)
        df = np.where(bare, RESIDUAL_DF, df)
        return Answer(StudentT(df, loc, np.where(bare, scale, own)), None)

    def as_student(self) -> StudentT:
        """The density, with no width where it is of a point."""
        if isinstance(self.density, StudentT):
            return self.density
        mean = self.density.mean
        return StudentT(RESIDUAL_DF, mean, np.full(mean.shape, np.nan))

    def with_tails(self, factor: np.ndarray) -> "Answer":
        """
        The same with so many times the degrees of freedom, one factor a
        window, where a density has any.
        """
        if not isinstance(self.density, StudentT):
            return self
        shape = (-1,) + (1,) * (self.density.loc.ndim - 1)
        df = np.asarray(self.density.df) * factor.reshape(shape)
        return self._replace(density=self.density._replace(df=df))


class Grid(NamedTuple):
    """Which windows to ask about, and which points of them to take."""

    first: int  # earliest start
    stride: int  # from one window to the next
    num_leads: int  # points of each window
    lead_time: int  # points between a start and the first of its points
    batch_size: int

    def pieces(
        self, values: Table, stale: Optional[Table] = None
    ) -> Iterator[list[Piece]]:
        """
        All windows, in batches that may reach over several series; or only
        those with stale points.
        """
        batch: list[Piece] = []
        room = self.batch_size
        for i, entry in enumerate(values.entries):
            length = entry.shape[-1]
            starts = np.arange(
                self.first, length - self.lead_time, self.stride
            )
            if stale is not None:
                points = np.minimum(self.points(starts), length - 1)
                flags = as_rows(stale.entries[i]).any(0)
                starts = starts[flags[points].any(1)]
            while starts.size:
                batch.append(Piece(i, starts[:room]))
                room -= batch[-1].starts.size
                starts = starts[batch[-1].starts.size :]
                if room == 0:
                    yield batch
                    batch, room = [], self.batch_size
        if batch:
            yield batch

    def points(self, starts: np.ndarray) -> np.ndarray:
        """Times of the points of each window: (window, lead)."""
        return starts[:, None] + self.lead_time + np.arange(self.num_leads)


def score(
    ask: Callable[[list[Piece], int], Answer],
    grid: Grid,
    values: Table,
    units: list[Scale],
    residual_scale: Optional[float] = None,
    update: Optional[Update] = None,
    tails: Optional[Sequence[float]] = None,
) -> Scores:
    """
    Score the points of ``values`` on a grid of windows.

    Parameters
    ----------
    ask
        Gives the densities of the first points of a batch of windows.
    grid
        Which windows there are.
    values
        The series as observed.
    units
        Usual width of each series, in which residuals are compared.
    residual_scale
        Spread of the residuals of point forecasts in these units; None to
        find it from the residuals at hand.
    update
        Earlier scores, and which of them to replace; None to score all.
    tails
        By how much the tails of each entry are lighter; None for not at all.
    """
    scores, stale = update or (Scores.unknown(values), None)
    for pieces in grid.pieces(values, stale):
        answer = ask(pieces, grid.num_leads)
        observed = np.concatenate([take(values, p, grid) for p in pieces])
        if tails is not None:
            answer = answer.with_tails(
                np.concatenate(
                    [np.full(p.starts.size, tails[p.entry]) for p in pieces]
                )
            )
        told = tell(answer, observed)
        if told.is_pointwise.any():
            scores = scores.with_points()
        write(scores, told, pieces, grid)
    if scores.is_pointwise is not None:
        return score_residuals(values, scores, units, residual_scale, tails)
    return scores


def tell(answer: Answer, observed: np.ndarray) -> Bells:
    """What was said of points, in the units of their series."""
    density, scale = answer
    if scale is None:
        return Bells.of(density, observed)
    with np.errstate(over="ignore"):  # infinitely far will do
        bells = Bells.of(density, scale.apply(observed))
    return bells.in_units(*scale)


def take(values: Table, piece: Piece, grid: Grid) -> np.ndarray:
    """Observed values at the points of some windows; NaN after the end."""
    entry = values.entries[piece.entry]
    points = grid.points(piece.starts)
    inside = np.minimum(points, entry.shape[-1] - 1)
    taken = entry[..., inside].astype(float)
    taken[..., points >= entry.shape[-1]] = np.nan
    return np.moveaxis(taken, 0, -1) if entry.ndim == 2 else taken


def write(
    scores: Scores, told: Bells, pieces: list[Piece], grid: Grid
) -> None:
    """Write what was told of a batch of windows to its places."""
    tables, columns = list(scores.bells), list(told)
    if scores.is_pointwise is not None:
        tables.append(scores.is_pointwise)
        columns.append(told.is_pointwise)
    begin = 0
    for piece in pieces:
        end = begin + piece.starts.size
        put(tables, columns, slice(begin, end), piece, grid)
        begin = end


def put(
    tables: list[Table],
    columns: list[np.ndarray],
    rows: slice,
    piece: Piece,
    grid: Grid,
) -> None:
    """Write what was told of some windows to its place in the tables."""
    points = grid.points(piece.starts)
    inside = None
    for table, said in zip(tables, columns):
        entry, said = table.entries[piece.entry], said[rows]
        if inside is None:
            inside = points < entry.shape[-1]
            points = points[inside]
        said = np.moveaxis(said, -1, 0) if entry.ndim == 2 else said
        entry[..., points] = said[..., inside]


def score_residuals(
    values: Table,
    scores: Scores,
    units: list[Scale],
    residual_scale: Optional[float],
    tails: Optional[Sequence[float]] = None,
) -> Scores:
    """
    Point forecasts through a robust scale of the residuals.

    Points that have a density keep it: where a forecaster that draws is sure
    of itself for once, it is taken to be as wrong as it usually is.
    """
    assert scores.is_pointwise is not None
    scales = []
    for i, unit in enumerate(units):
        expected = scores.bells.expected.entries[i]
        scale = np.array(residual_scale)
        if residual_scale is None:
            residuals = (values.entries[i] - expected) / unit.width
            scale = robust_scale(residuals)[..., None]
            scales.append(scale.ravel())
        # A perfect forecast, or none at all, has no scale.
        scale = np.fmax(scale, LEAST_RESIDUAL) * unit.width
        df = np.array(RESIDUAL_DF * (1.0 if tails is None else tails[i]))
        density = StudentT(df, expected, scale)
        told = Bells.of(density, values.entries[i])
        bare = scores.is_pointwise.entries[i]
        for table, said in zip(scores.bells, told):
            np.copyto(table.entries[i], said, where=bare)
    if residual_scale is None:
        found = np.concatenate(scales)
        found = found[np.isfinite(found) & (found > 0)]
        residual_scale = float(np.median(found)) if found.size else 1.0
    return scores._replace(residual_scale=residual_scale)
