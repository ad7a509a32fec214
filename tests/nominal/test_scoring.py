"""
Each answer of a forecaster goes to the point that it is about.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm, t

from gluonts_lai.nominal.bells import MOST_FALL
from gluonts_lai.nominal.densities import StudentT, robust_scale
from gluonts_lai.nominal.protocol import Update
from gluonts_lai.nominal.scaling import Scale
from gluonts_lai.nominal.scoring import (
    RESIDUAL_DF,
    Answer,
    Grid,
    Points,
    score,
    tell,
)
from gluonts_lai.panel.table import Table
from tests import naive

SD = 3.0
LENGTHS = [20, 5, 33, 20, 9, 0]
EXACT = 1e-9


def log_normal(scores, spread=1.0):
    """Log densities, made wider, as the module of bells has it."""
    bells = scores.bells
    return bells.df.map(
        lambda df, top, distance: top
        - np.log(spread)
        - (df + 1) / 2 * np.log1p((distance / spread) ** 2 / df),
        bells.log_height,
        bells.distance,
    )


def log_density_of(x, mean):
    """Of a Gaussian; no bell holds more than so many nats of its fall."""
    return norm.logpdf(x, mean, SD).clip(norm.logpdf(0, 0, SD) - MOST_FALL)


class Forecaster:
    """Expects a number that tells which window, point and dimension it is."""

    def __init__(self, num_dims=None, points=False, offset=0.0, student=None):
        self.student = student
        self.num_dims = num_dims
        self.points = points
        self.offset = offset
        self.batches = []

    def __call__(self, pieces, num_leads):
        self.batches.append(pieces)
        mean = np.array(
            [
                [self.expect(i, start, lead) for lead in range(num_leads)]
                for i, starts in pieces
                for start in starts
            ]
        )
        if self.points:
            return Answer(Points(mean), None)
        sd = np.full(mean.shape, SD)
        if self.student is not None:
            return Answer(StudentT(self.student, mean, sd), None)
        return Answer(naive.Bell(mean, sd), None)

    def expect(self, entry, start, lead):
        number = 1_000 * entry + 10 * start + lead + self.offset
        if self.num_dims is None:
            return number
        return number + np.arange(self.num_dims) / 4

    def windows(self):
        return [
            (i, int(start))
            for pieces in self.batches
            for i, starts in pieces
            for start in starts
        ]


def series(num_dims=None, lengths=LENGTHS):
    rng = np.random.default_rng(0)
    before = () if num_dims is None else (num_dims,)
    return Table.of([rng.normal(size=before + (n,)) for n in lengths], float)


def windows(grid, values):
    """Each window of each series, with the points that it covers."""
    for i, entry in enumerate(values.entries):
        length = entry.shape[-1]
        for start in range(grid.first, length - grid.lead_time, grid.stride):
            points = [
                start + grid.lead_time + n for n in range(grid.num_leads)
            ]
            yield i, start, [point for point in points if point < length]


def by_hand(forecaster, grid, values):
    """Expectations, one after the other."""
    expected = values.like(np.nan, float)
    for i, start, points in windows(grid, values):
        for lead, point in enumerate(points):
            told = forecaster.expect(i, start, lead)
            expected.entries[i][..., point] = told
    return expected


@pytest.mark.parametrize("num_dims", [None, 1, 3])
@pytest.mark.parametrize("lead_time", [0, 2])
@pytest.mark.parametrize("stride", [1, 3])
@pytest.mark.parametrize("batch_size", [1, 7, 1_000])
def test_each_answer_goes_to_its_place(
    num_dims, lead_time, stride, batch_size
):
    values, forecaster = series(num_dims), Forecaster(num_dims)
    grid = Grid(4, stride, stride, lead_time, batch_size)

    scores = score(forecaster, grid, values, [])

    expected = by_hand(forecaster, grid, values)
    told = log_normal(scores)
    for i, mean in enumerate(expected.entries):
        assert_array_equal(scores.bells.expected.entries[i], mean)
        log_density = log_density_of(values.entries[i], mean)
        assert_allclose(told.entries[i], log_density, rtol=EXACT)
    assert scores.residual_scale is None
    # All points after the first context, and no others.
    assert_array_equal(
        np.isnan(scores.bells.expected.entries[2][..., : 5 + lead_time]).all(
            tuple(range(values.entries[2].ndim - 1))
        ),
        np.arange(5 + lead_time) < 4 + lead_time,
    )


def test_batches_are_full_and_reach_over_series():
    forecaster = Forecaster()

    score(forecaster, Grid(4, 1, 1, 0, 7), series(), [])

    sizes = [
        sum(piece.starts.size for piece in pieces)
        for pieces in forecaster.batches
    ]
    num_windows = sum(max(0, n - 4) for n in LENGTHS)
    assert sum(sizes) == num_windows
    assert set(sizes[:-1]) == {7} and 0 < sizes[-1] <= 7
    assert any(len(pieces) > 1 for pieces in forecaster.batches)


def test_missing_values_have_an_expectation_but_no_density():
    values = series()
    values.entries[0][[6, 8]] = np.nan

    scores = score(Forecaster(), Grid(4, 1, 1, 0, 7), values, [])

    assert np.isnan(log_normal(scores).entries[0][[6, 8]]).all()
    assert np.isfinite(log_normal(scores).entries[0][[5, 7]]).all()
    assert np.isfinite(scores.bells.expected.entries[0][[6, 8]]).all()


@pytest.mark.parametrize("num_dims", [None, 2])
@pytest.mark.parametrize("lead_time, stride", [(0, 1), (0, 3), (2, 3)])
def test_an_update_scores_stale_windows_only(num_dims, lead_time, stride):
    lengths = [20, 5, 33, 20]
    values, before = series(num_dims, lengths), Forecaster(num_dims)
    grid = Grid(4, stride, stride, lead_time, 7)
    scores = score(before, grid, values, [])
    rng = np.random.default_rng(2)
    stale = values.map(lambda block: rng.random(block.shape) < 0.1)
    after = Forecaster(num_dims, offset=0.5)
    old = by_hand(before, grid, values)
    new = by_hand(after, grid, values)

    updated = score(after, grid, values, [], update=Update(scores, stale))

    touched = set()
    for i, start, points in windows(grid, values):
        if stale.entries[i][..., points].any():
            touched.add((i, start))
            old.entries[i][..., points] = new.entries[i][..., points]
    assert set(after.windows()) == touched
    assert 0 < len(touched) < len(before.windows())
    for i, mean in enumerate(old.entries):
        assert_array_equal(updated.bells.expected.entries[i], mean)
        log_density = log_density_of(values.entries[i], mean)
        assert_allclose(
            log_normal(updated).entries[i], log_density, rtol=EXACT
        )


def test_an_update_with_nothing_stale_asks_nothing():
    values, grid = series(lengths=[20, 9]), Grid(4, 1, 1, 0, 7)
    scores = score(Forecaster(), grid, values, [])
    before = [entry.copy() for entry in log_normal(scores).entries]
    forecaster = Forecaster()

    update = Update(scores, values.like(0, bool))
    updated = score(forecaster, grid, values, [], update=update)

    assert not forecaster.batches
    assert updated.residual_scale is None
    for one, other in zip(log_normal(updated).entries, before):
        assert_array_equal(one, other)


def test_an_update_may_meet_a_series_without_any_point():
    values, grid = series(lengths=[20, 0]), Grid(4, 1, 1, 0, 7)
    scores = score(Forecaster(), grid, values, [])

    score(
        Forecaster(),
        grid,
        values,
        [],
        update=Update(scores, values.like(1, bool)),
    )


def test_an_answer_is_brought_to_the_units_of_its_series():
    rng = np.random.default_rng(3)
    mean, x = rng.normal(size=(2, 6, 4))
    scale = Scale(rng.normal(size=(6, 1)), rng.random((6, 1)) + 0.1)
    answer = Answer(naive.Bell(mean, np.full(mean.shape, SD)), scale)

    told = tell(answer, x)

    loc, sd = scale.centre + scale.width * mean, SD * scale.width
    assert_allclose(told.expected, loc, rtol=1e-12)
    assert_allclose(told.expected - told.below, norm.ppf(0.025, loc, sd))
    assert_allclose(told.expected + told.above, norm.ppf(0.975, loc, sd))
    assert_allclose(told.log_height, norm.logpdf(loc, loc, sd))


def test_tails_are_lighter_by_a_factor_for_each_series():
    values, forecaster = series(), Forecaster(student=5.0)
    tails = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]

    scores = score(forecaster, Grid(4, 1, 1, 0, 7), values, [], tails=tails)

    for i, df in enumerate(scores.bells.df.entries):
        assert_array_equal(df[4:], np.full(max(0, len(df) - 4), 5 * tails[i]))


def residual_scores(values, residual_scale=None):
    rng = np.random.default_rng(4)
    units = [
        Scale(np.zeros(1), 1 + rng.random(entry.shape[:-1] + (1,)))
        for entry in values.entries
    ]
    dims = values.entries[0].shape[:-1]
    forecaster = Forecaster(*dims, points=True)
    grid = Grid(4, 1, 1, 0, 7)
    scores = score(forecaster, grid, values, units, residual_scale)
    return scores, units, forecaster, grid


def near(num_dims=None):
    """Series near to what is expected of them, some more than others."""
    values = by_hand(
        Forecaster(num_dims),
        Grid(4, 1, 1, 0, 7),
        series(num_dims, [40, 30, 6]),
    )
    rng = np.random.default_rng(5)
    for sd, entry in zip((1, 5, 9), values.entries):
        entry[..., :4] = 0.0
        entry += rng.normal(0, sd, entry.shape)
    return values


@pytest.mark.parametrize("num_dims", [None, 2])
@pytest.mark.parametrize("given", [None, 0.7])
def test_point_forecasts_are_as_wide_as_they_are_wrong(num_dims, given):
    values = near(num_dims)

    scores, units, _, _ = residual_scores(values, given)

    found = []
    for x, mean, told, unit in zip(
        values.entries,
        scores.bells.expected.entries,
        log_normal(scores).entries,
        units,
    ):
        own = robust_scale((x - mean) / unit.width)[..., None]
        found.extend(np.ravel(own))
        width = (own if given is None else given) * unit.width
        expected = t.logpdf(x, RESIDUAL_DF, mean, width)
        assert_allclose(told, expected, rtol=EXACT, atol=EXACT)
        assert np.isnan(told[..., :4]).all()
    scale = np.median(found) if given is None else given
    assert scores.residual_scale == pytest.approx(scale)


def test_a_perfect_point_forecast_keeps_a_little_width():
    values = by_hand(Forecaster(), Grid(4, 1, 1, 0, 7), series(lengths=[30]))

    scores, *_ = residual_scores(values)

    assert np.isfinite(log_normal(scores).entries[0][4:]).all()
    assert scores.residual_scale == 1.0


@pytest.mark.parametrize("num_series", [1, 3])
def test_point_forecasts_that_hold_still_keep_their_scores(num_series):
    values = Table.of(near().entries[:num_series], float)
    scores, units, forecaster, grid = residual_scores(values)
    before = [entry.copy() for entry in log_normal(scores).entries]

    update = Update(scores, values.like(0, bool))
    updated = score(forecaster, grid, values, units, update=update)

    for one, other in zip(log_normal(updated).entries, before):
        assert_allclose(one, other, rtol=EXACT)


class Idling(Forecaster):
    """One that is sure of itself at some windows: bells without a width."""

    def __init__(self, num_dims=None, idle=(5, 6, 8)):
        super().__init__(num_dims, student=5.0)
        self.idle = idle

    def __call__(self, pieces, num_leads):
        df, loc, scale = super().__call__(pieces, num_leads).density
        starts = np.concatenate([starts for _, starts in pieces])
        scale[np.isin(starts, self.idle)] = np.nan
        return Answer(StudentT(df, loc, scale), None)


@pytest.mark.parametrize("num_dims", [None, 2])
@pytest.mark.parametrize("batch_size", [1, 7, 1_000])
@pytest.mark.parametrize("given", [None, 0.7])
def test_where_a_forecast_is_a_point_others_keep_their_density(
    num_dims, batch_size, given
):
    values, grid = near(num_dims), Grid(4, 1, 1, 0, batch_size)
    units = [
        Scale(0.0, np.full(x.shape[:-1] + (1,), 2.0)) for x in values.entries
    ]

    scores = score(Idling(num_dims), grid, values, units, given)

    alone = score(Forecaster(num_dims, student=5.0), grid, values, [])
    expected = scores.bells.expected
    found = []
    for i, x in enumerate(values.entries):
        idle = np.isin(np.arange(x.shape[-1]), (5, 6, 8))
        for mixed, own in zip(scores.bells, alone.bells):
            assert_array_equal(
                mixed.entries[i][..., ~idle], own.entries[i][..., ~idle]
            )
        usual = robust_scale(x - expected.entries[i])[..., None]
        found.extend(np.ravel(usual / 2.0))
        width = usual if given is None else 2.0 * given
        density = t.logpdf(x, RESIDUAL_DF, expected.entries[i], width)
        told = log_normal(scores).entries[i]
        assert_allclose(told[..., idle], density[..., idle], rtol=EXACT)
    scale = np.median(found) if given is None else given
    assert scores.residual_scale == pytest.approx(scale)


def at(values, times):
    """Flags at some times of each series."""
    return values.map(lambda block: np.isin(np.indices(block.shape)[1], times))


def test_a_point_that_is_scored_again_may_have_a_density_now():
    """And the other way round; those that hold still stay what they were."""
    values, grid = near(), Grid(4, 1, 1, 0, 7)
    units = [Scale(0.0, np.array([2.0]))] * 3
    scores = score(Idling(idle=(5, 6)), grid, values, units, 0.7)
    stale = at(values, [6, 7])

    updated = score(
        Idling(idle=(7,)), grid, values, units, 0.7, Update(scores, stale)
    )

    anew = score(Idling(idle=(5, 7)), grid, values, units, 0.7)
    for column, expected in zip(updated.bells, anew.bells):
        for one, other in zip(column.entries, expected.entries):
            assert np.isfinite(other[4:]).all()
            assert_array_equal(one, other)


def test_an_update_after_the_first_point_forecasts_leaves_others_alone():
    values, grid = near(), Grid(4, 1, 1, 0, 7)
    units = [Scale(0.0, np.array([2.0]))] * 3
    scores = score(Idling(idle=()), grid, values, units)
    assert scores.is_pointwise is None and scores.residual_scale is None
    before = [entry.copy() for entry in scores.bells.deviation.entries]
    stale = at(values, [5])

    updated = score(Idling(), grid, values, units, 0.7, Update(scores, stale))

    others = np.arange(40) != 5
    for after, own in zip(updated.bells.deviation.entries, before):
        mine = others[: len(own)]
        assert_array_equal(after[mine], own[mine])
        assert (after[~mine] != own[~mine]).all()


@pytest.mark.parametrize("is_scaled", [False, True])
def test_an_answer_has_residuals_where_it_has_no_density(is_scaled):
    """In the units of its series."""
    rng = np.random.default_rng(6)
    mean, scale = rng.normal(size=(2, 6, 4))
    scale = np.where(rng.random(scale.shape) < 0.5, np.nan, np.exp(scale))
    shown = None
    if is_scaled:
        shown = Scale(rng.normal(size=(6, 1)), rng.random((6, 1)) + 0.1)
    x = rng.normal(size=(6, 4))
    answer = Answer(StudentT(5.0, mean, scale), shown)
    units = [Scale(0.0, np.array([1.0 + i])) for i in range(6)]
    assert answer.has_points

    filled = answer.with_residuals(0.7, units)

    assert not filled.has_points
    bare, width = np.isnan(scale), 0.7 * (1.0 + np.arange(6.0))[:, None]
    own, told = tell(answer, x), tell(filled, x)
    for mixed, alone in zip(told, own):
        assert_allclose(mixed[~bare], alone[~bare], rtol=EXACT)
    assert_array_equal(told.df[bare], RESIDUAL_DF)
    assert_allclose(told.expected, own.expected, rtol=EXACT)
    height = t.logpdf(0, RESIDUAL_DF, scale=width)
    assert_allclose(told.log_height[bare], (height + 0 * mean)[bare])
