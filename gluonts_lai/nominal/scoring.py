"""
Log densities of every point, a batch of windows at a time.

A window starts at ``t``: the forecaster sees the clean points before ``t`` and
says what it expects at ``t`` and, with a horizon above 1, at the points after
it. Which points are asked about, and where the answers belong, is decided
here; how a forecaster is asked is its own matter.
"""

from typing import Callable, Iterator, NamedTuple, Optional, Protocol

import numpy as np

from gluonts_lai.table import Table, as_rows

from .densities import StudentT, robust_scale
from .protocol import Scores, Update
from .scaling import Scale

# Residuals of point forecasts: heavy tails keep ordinary noise nominal.
RESIDUAL_DF = 4.0


class Density(Protocol):
    """Density of every point of every window: (window, lead) or (…, dim)."""

    @property
    def mean(self) -> np.ndarray: ...

    def log_prob(self, values: np.ndarray) -> np.ndarray: ...


class Points(NamedTuple):
    """A forecast that has no density: its residuals must give it one."""

    mean: np.ndarray

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        return np.full(values.shape, np.nan)


class Piece(NamedTuple):
    """Some windows of one series."""

    entry: int
    starts: np.ndarray


class Answer(NamedTuple):
    """What a forecaster says of a batch of windows, in its own units."""

    density: Density
    scale: Optional[Scale]  # back to the units of the series; one a window


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
    spread: Optional[Table] = None,
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
    spread
        By how much to widen the density of each point; None for not at all.
    """
    if spread is None:
        spread = values.map(np.ones_like)
    if update is None:
        log_normal = values.like(np.nan, np.float32)
        expected = values.like(np.nan, values.dtype)
        has_density, stale = True, None
    else:
        (log_normal, expected, found), stale = update
        has_density = found is None
    for pieces in grid.pieces(values, stale):
        answer = ask(pieces, grid.num_leads)
        has_density = not isinstance(answer.density, Points)
        observed = np.concatenate([take(values, p, grid) for p in pieces])
        spreads = np.concatenate([take(spread, p, grid) for p in pieces])
        told, mean = tell(answer, observed, spreads)
        begin = 0
        for piece in pieces:
            end = begin + piece.starts.size
            put(log_normal, told[begin:end], piece, grid)
            put(expected, mean[begin:end], piece, grid)
            begin = end
    if has_density:
        return Scores(log_normal, expected)
    return score_residuals(values, expected, units, residual_scale, spread)


def tell(
    answer: Answer, observed: np.ndarray, spread: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """
    Log densities and expectations, in the units of the series.

    A density is made wider by a factor by asking it about a point that is
    nearer to its mean by that factor.
    """
    density, scale = answer
    mean, width = density.mean, np.array(1.0)
    if scale is not None:
        observed, width = scale.apply(observed), scale.width
    log_density = density.log_prob(mean + (observed - mean) / spread)
    expected = mean if scale is None else scale.undo(mean)
    return log_density - np.log(spread * width), expected


def take(values: Table, piece: Piece, grid: Grid) -> np.ndarray:
    """Observed values at the points of some windows; NaN after the end."""
    entry = values.entries[piece.entry]
    points = grid.points(piece.starts)
    inside = np.minimum(points, entry.shape[-1] - 1)
    taken = entry[..., inside].astype(float)
    taken[..., points >= entry.shape[-1]] = np.nan
    return np.moveaxis(taken, 0, -1) if entry.ndim == 2 else taken


def put(table: Table, told: np.ndarray, piece: Piece, grid: Grid) -> None:
    """Write what was told of some windows to its place in the table."""
    entry = table.entries[piece.entry]
    points = grid.points(piece.starts)
    inside = points < entry.shape[-1]
    told = np.moveaxis(told, -1, 0) if entry.ndim == 2 else told
    entry[..., points[inside]] = told[..., inside]


def score_residuals(
    values: Table,
    expected: Table,
    units: list[Scale],
    residual_scale: Optional[float],
    spread: Table,
) -> Scores:
    """Point forecasts through a robust scale of their residuals."""
    log_normal = values.like(np.nan, np.float32)
    scales = []
    for i, unit in enumerate(units):
        residuals = (values.entries[i] - expected.entries[i]) / unit.width
        scale = np.array(residual_scale)
        if residual_scale is None:
            scale = robust_scale(residuals)[..., None]
            scales.append(scale.ravel())
        # A perfect forecast, or none at all, has no scale.
        scale = np.fmax(scale, 1e-6) * spread.entries[i]
        density = StudentT(np.array(RESIDUAL_DF), np.array(0.0), scale)
        log_normal.entries[i][...] = density.log_prob(residuals) - np.log(
            unit.width
        )
    if residual_scale is None:
        found = np.concatenate(scales)
        found = found[np.isfinite(found) & (found > 0)]
        residual_scale = float(np.median(found)) if found.size else 1.0
    return Scores(log_normal, expected, residual_scale)
