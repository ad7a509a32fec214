"""
Samples and quantiles become the density they came from.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import norm, t

from gluonts_lai.nominal.densities import (
    Piecewise,
    StudentT,
    from_quantiles,
    robust_scale,
)

NINE = np.arange(1, 10) / 10
UNEVEN = np.array([0.02, 0.1, 0.5, 0.7, 0.95])
rng = np.random.default_rng(0)
DENSITIES = {
    "samples": StudentT.from_samples(rng.standard_t(5, 200), axis=0),
    "point": StudentT.of(4.0, np.array(3.0), np.array(2.0)),
    "three quantiles": from_quantiles([0.1, 0.5, 0.9], [-2.0, 0.0, 1.0]),
    "two quantiles": from_quantiles([0.6, 0.9], [1.0, 3.0]),
    "nine quantiles": from_quantiles(NINE, norm.ppf(NINE, 10, 3)),
    "uneven quantiles": from_quantiles(UNEVEN, [-3.0, 0.0, 1.0, 5.0, 6.0]),
    "crossing quantiles": from_quantiles(NINE, rng.normal(size=9)),
    "coarse": Piecewise.of([0.25, 0.75], [-1.0, 1.0]),
}
# What sums and logarithms of a few numbers lose to rounding.
ROUNDING = 1e-12


@pytest.fixture(params=DENSITIES)
def density(request):
    return DENSITIES[request.param]


def mass(density, low, high):
    """Share of the density between two values, by numerical integration."""
    edges = [x for x in getattr(density, "knots", ()) if low < x < high]
    bounds = [low, *edges, high]
    return sum(
        quad(lambda x: float(np.exp(density.log_prob(x))), a, b)[0]
        for a, b in zip(bounds, bounds[1:])
    )


def test_a_density_integrates_to_one(density):
    # What quad promises of each piece is 1.5e-8.
    assert mass(density, -np.inf, np.inf) == pytest.approx(1, abs=1e-7)


@pytest.mark.parametrize("level", [0.001, 0.1, 0.45, 0.5, 0.8, 0.9, 0.999])
def test_a_quantile_has_its_share_of_the_density_below(density, level):
    below = mass(density, -np.inf, density.quantile(level))

    assert below == pytest.approx(level, abs=1e-7)


def test_a_density_is_finite_a_million_scales_away(density):
    scale = density.quantile(0.9) - density.quantile(0.1)
    far = density.mean + scale * np.array([-1e6, -1e3, 0, 1e3, 1e6])

    log_density = density.log_prob(far)

    assert np.isfinite(log_density).all()
    assert (log_density[[0, 1, 3, 4]] < log_density[2]).all()


def test_a_student_is_nowhere_zero():
    largest = np.finfo(float).max
    for scale in (0.0, 1.0, 1e300):
        density = StudentT.of(4.0, np.array(0.0), np.array(scale))

        log_density = density.log_prob([-largest, -1e200, 0.0, largest])

        assert np.isfinite(log_density).all()


def test_missing_values_have_no_density(density):
    log_density = density.log_prob([np.nan, np.inf, -np.inf, 0.0])

    assert_array_equal(np.isnan(log_density), [True, True, True, False])


def test_the_mean_is_the_middle(density):
    # Of a symmetric density it is the median; elsewhere it stands for it.
    middle = density.quantile(0.5)

    assert_allclose(density.mean, middle, rtol=ROUNDING, atol=ROUNDING)


def test_samples_give_the_student_with_their_moments():
    # Variance 1/4; fourth moment 1/4, so an excess kurtosis of 4 - 3 = 1.
    samples = 10 + 3 * np.array([-1, 0, 0, 0, 0, 0, 0, 1])

    density = StudentT.from_samples(samples, axis=0)

    df = 4 + 6 / 1  # where a Student-t has that kurtosis
    sd = 3 * np.sqrt(1 / 4)
    assert_allclose(t.stats(df, moments="k"), 1.0)
    expected = df, 10, sd / t.std(df)
    assert_allclose(density, expected, rtol=ROUNDING)


def test_samples_of_a_gaussian_give_nearly_its_density():
    n, x = 400_000, np.array([0.0, 2.0, 4.0])
    samples = np.random.default_rng(1).normal(size=n)

    log_density = StudentT.from_samples(samples, axis=0).log_prob(x)

    # Five standard errors, of the mean and of the deviation, by the slope of
    # the log density in each.
    sampled = 5 * np.hypot(x / np.sqrt(n), (x**2 - 1) / np.sqrt(2 * n))
    # It is the heaviest tail of those that hardly differ.
    bent = t.logpdf(x, 100, scale=1 / t.std(100)) - norm.logpdf(x)
    assert abs(bent[:2]).max() < 0.02 and 0 < bent[2] < 0.5
    error = abs(log_density - norm.logpdf(x) - bent)
    assert (error <= sampled).all()


def test_samples_with_heavy_tails_give_heavy_tails():
    x = np.array([0.0, 2.0, 4.0, 6.0])
    samples = np.random.default_rng(2).standard_t(4, size=400_000)

    log_density = StudentT.from_samples(samples, axis=0).log_prob(x)

    # 4 degrees are taken for 4.5, and as the variance of samples varies
    # without bounds, it is known to a few percent.
    assert_allclose(log_density, t.logpdf(x, 4), atol=0.2)
    # A Gaussian with their variance is far from that.
    gaussian = norm.logpdf(6.0, scale=samples.std())
    assert gaussian < t.logpdf(6.0, 4) - 2


def test_a_student_has_the_density_of_scipy():
    df, loc, scale = np.array([[0.5], [4.0], [100.0]]), 3.0, 0.2
    x = np.linspace(-8, 8, 17)

    log_density = StudentT(df, np.array(loc), np.array(scale)).log_prob(x)

    assert_allclose(log_density, t.logpdf(x, df, loc, scale), rtol=ROUNDING)


def test_nine_quantiles_give_nearly_the_density_between_them():
    density = from_quantiles(NINE, norm.ppf(NINE))
    x = np.linspace(-1.28, 1.28, 200)

    # Where it bends most, from 10 to 20 %, the Gaussian rises from 0.18 to
    # 0.28: a constant is off by log(0.28 / 0.18) / 2 and a little.
    assert_allclose(density.log_prob(x), norm.logpdf(x), atol=0.3)


@pytest.mark.parametrize("x", [2.0, 4.0, 6.0])
def test_nine_quantiles_give_exponential_tails(x):
    low, high = norm.ppf([0.8, 0.9])
    half_life = high - low  # in which 20 % become 10 %
    above = 0.1 * 0.5 ** ((x - high) / half_life)
    expected = np.log(above * np.log(2) / half_life)

    density = from_quantiles(NINE, norm.ppf(NINE))

    assert_allclose(density.log_prob(x), expected, rtol=ROUNDING)
    assert_allclose(density.log_prob(-x), expected, rtol=ROUNDING)


def test_a_knot_belongs_to_what_is_above_it():
    density = Piecewise.of([0.2, 0.4, 0.8], [0.0, 1.0, 5.0])

    at_knots = np.exp(density.log_prob([0.0, 1.0, 5.0]))

    # The last: 60 % become 20 % within 4, from where the tail goes on.
    expected = [0.2 / 1, 0.4 / 4, 0.2 * np.log(3) / 4]
    assert_allclose(at_knots, expected, rtol=ROUNDING)


def test_a_mirrored_forecast_has_the_mirrored_density():
    knots, x = np.array([-3.0, 0.0, 1.0, 5.0, 6.0]), np.linspace(-20, 20, 98)

    mirrored = from_quantiles(1 - UNEVEN, -knots).log_prob(-x)

    expected = from_quantiles(UNEVEN, knots).log_prob(x)
    assert_allclose(mirrored, expected, rtol=ROUNDING)


def test_few_quantiles_give_nearly_a_gaussian():
    levels, x = [0.1, 0.5, 0.9], np.array([-2.0, 4.0, 10.0])

    density = from_quantiles(levels, norm.ppf(levels, 4, 3))

    assert isinstance(density, StudentT)
    assert_allclose(density.quantile(0.9), norm.ppf(0.9, 4, 3), rtol=1e-9)
    # 100 degrees of freedom, at two standard deviations.
    assert_allclose(density.log_prob(x), norm.logpdf(x, 4, 3), atol=0.02)


def test_three_quantiles_give_a_density_around_their_median():
    density = from_quantiles([0.1, 0.5, 0.9], [-2.0, 0.0, 1.0])

    width = density.quantile(0.9) - density.quantile(0.1)
    assert_allclose((density.mean, width), (0, 3), rtol=ROUNDING)


@pytest.mark.parametrize("levels", [[0.1, 0.9], [0.6, 0.7], [0.2, 0.3, 0.4]])
def test_few_quantiles_need_not_include_the_median(levels):
    density = from_quantiles(levels, t.ppf(levels, 100, 4, 3))

    # What the quantile function of scipy is good for.
    assert_allclose((density.loc, density.scale), (4, 3), rtol=1e-9)


def test_quantiles_come_in_any_order():
    order = np.random.default_rng(3).permutation(5)
    knots = np.array([-3.0, 0.0, 1.0, 5.0, 6.0])

    shuffled = from_quantiles(UNEVEN[order], knots[order])

    expected = from_quantiles(UNEVEN, knots)
    assert_array_equal(shuffled.levels, expected.levels)
    assert_array_equal(shuffled.knots, expected.knots)


@pytest.mark.parametrize("levels", [NINE[1:6], NINE[[1, 4, 7]]])
def test_crossing_quantiles_are_uncrossed(levels):
    knots = np.arange(float(len(levels)))
    crossed = knots.copy()
    crossed[[0, 1]] = crossed[[1, 0]]

    uncrossed = from_quantiles(levels, crossed)

    for one, other in zip(uncrossed, from_quantiles(levels, knots)):
        assert_array_equal(one, other)


@pytest.mark.parametrize("middle", [-1e30, -5.0, 0.0, 1e-30, 1.0, 1e9, 1e30])
@pytest.mark.parametrize("num", [1, 3, 9])
def test_a_forecast_without_spread_is_a_narrow_density(middle, num):
    same = np.full(num, middle)
    densities = [StudentT.from_samples(same, axis=0)]
    if num > 1:
        densities.append(from_quantiles(NINE[:num], same))
    elsewhere = middle + (abs(middle) or 1.0) * np.array([-1, 0, 0.1, 1e6])

    for density in densities:
        log_density = density.log_prob(elsewhere)

        assert np.isfinite(log_density).all()
        assert log_density.argmax() == 1
        # One part in a million: what single precision shows of a number.
        assert_allclose(density.quantile(0.9), middle, rtol=1e-6, atol=1e-99)
        if isinstance(density, StudentT):
            assert density.df == 100.0


def test_equal_quantiles_keep_the_others_in_place():
    knots = np.array([0.0, 0.0, 0.0, 1.0, 4.0])  # as of rare events

    density = from_quantiles(UNEVEN, knots)

    assert (np.diff(density.knots) > 0).all()
    # One part in a million of the whole.
    assert_allclose(density.knots, knots, atol=4e-6)
    assert density.log_prob(0.0) > density.log_prob(0.5) + 10
    assert_allclose(
        density.log_prob(0.5), np.log(0.7 - 0.5), rtol=1e-6, atol=0
    )


def test_missing_samples_are_left_out():
    samples = np.array([1.0, np.nan, 3.0, 7.0, np.inf, -np.inf])

    density = StudentT.from_samples(samples, axis=0)

    expected = StudentT.from_samples(samples[[0, 2, 3]], axis=0)
    assert_allclose(density, expected, rtol=ROUNDING)


def test_without_a_forecast_there_is_no_evidence():
    one = np.array([[1.0, 1.0], [2.0, 2.0], [np.nan, 3.0], [4.0, 4.0]])
    none = np.where(np.isnan(one).any(axis=0), np.nan, one)

    for density in (
        StudentT.from_samples(none, axis=0),
        from_quantiles(NINE[:4], none),
        from_quantiles(NINE[:4], one),
        from_quantiles([0.1, 0.5, 0.9], one[1:]),
    ):
        assert_array_equal(np.isnan(density.log_prob(0.0)), [True, False])
        assert_array_equal(np.isnan(density.quantile(0.3)), [True, False])
        assert_array_equal(np.isnan(density.mean), [True, False])

    for parameter in StudentT.from_samples(np.empty((3, 0)), axis=1):
        assert_array_equal(parameter, [np.nan] * 3)


def test_single_precision_is_enough():
    # The squares of these would overflow.
    samples = np.random.default_rng(4).normal(1e30, 3e29, 100)
    samples = samples.astype(np.float32)
    x = samples[:9]

    density = StudentT.from_samples(samples, axis=0)

    double = StudentT.from_samples(samples.astype(float), axis=0)
    assert_allclose(density, double, rtol=ROUNDING)
    assert density.log_prob(x).dtype == np.float64
    assert_allclose(density.log_prob(x), double.log_prob(x.astype(float)))
    knots = np.sort(x)
    assert_allclose(
        from_quantiles(NINE, knots).log_prob(x),
        from_quantiles(NINE, knots.astype(float)).log_prob(x),
    )


@pytest.mark.parametrize("unit", [1e-100, 1e5, 1e300])
def test_the_unit_does_not_matter(unit):
    samples = np.random.default_rng(5).normal(2, 1, 50)
    x = np.array([-5.0, 2.0, 3.0, 30.0])

    small = StudentT.from_samples(samples, axis=0).log_prob(x)
    large = StudentT.from_samples(unit * samples, axis=0).log_prob(unit * x)

    assert_allclose(large, small - np.log(unit), rtol=ROUNDING)


@pytest.mark.parametrize("num_levels", [3, 9])
def test_windows_do_not_interact(num_levels):
    rng = np.random.default_rng(6)
    samples, values = rng.normal(size=(3, 50, 4)), rng.normal(size=(3, 4))
    samples[1, 20:, 2] = np.nan
    samples[2, :, 1] = 7.0
    levels = np.linspace(0.1, 0.9, num_levels)
    knots = rng.normal(size=(num_levels, 3, 4))
    knots[:, 2, 1] = 7.0

    together = StudentT.from_samples(samples, axis=1)
    quantiles = from_quantiles(levels, knots)

    for i, j in np.ndindex(3, 4):
        alone = StudentT.from_samples(samples[i, :, j], axis=0)
        assert_same(together, alone, values, (i, j))
        alone = from_quantiles(levels, knots[:, i, j])
        assert_same(quantiles, alone, values, (i, j))


def assert_same(batch, alone, values, at):
    one, other = batch.log_prob(values)[at], alone.log_prob(values[at])
    assert_allclose(one, other, rtol=ROUNDING)
    for level in (0.01, 0.3, 0.99):
        one, other = batch.quantile(level)[at], alone.quantile(level)
        assert_allclose(one, other, rtol=ROUNDING)


def test_many_values_are_asked_of_one_batch():
    values = np.random.default_rng(7).normal(size=(5, 2, 4))
    for density in (
        StudentT.from_samples(values, axis=0),
        from_quantiles(NINE[:5], values),
    ):
        together = density.log_prob(values)

        for i in range(5):
            assert_array_equal(together[i], density.log_prob(values[i]))


def test_inputs_are_left_as_they_were():
    samples = np.array([[3.0, np.nan, 1.0], [1.0, 1.0, 2.0]] * 2)
    before = samples.copy()

    StudentT.from_samples(samples, axis=1)
    from_quantiles(NINE[:4], samples)
    Piecewise.of(NINE[:4], samples)
    robust_scale(samples)

    assert_array_equal(samples, before)


@pytest.mark.parametrize(
    "levels", [0.5, [0.5], [], [0.5, 0.5], [0.1, 0.1, 0.9]]
)
def test_one_level_is_no_density(levels):
    with pytest.raises(
        ValueError, match=r"two or more different numbers, got \[.*robust_sc"
    ):
        from_quantiles(levels, np.zeros(np.size(levels)))


@pytest.mark.parametrize("level", [0.0, 1.0, 90, -0.1, np.nan])
def test_levels_are_shares(density, level):
    message = "strictly between 0 and 1, got .*; write 90 % as 0.9"
    with pytest.raises(ValueError, match=message):
        density.quantile(level)
    with pytest.raises(ValueError, match=message):
        from_quantiles([0.1, 0.2, 0.3, level], np.arange(4))


def test_there_is_one_quantile_for_each_level():
    with pytest.raises(
        ValueError, match=r"one quantile for each level .*\(4, 9\) for 9 lev"
    ):
        from_quantiles(NINE, np.zeros((4, 9)))


def test_a_robust_scale_is_the_standard_deviation_of_a_gaussian():
    n = 100_000
    residuals = np.random.default_rng(8).normal(0, 3, n)
    residuals[:10] = 1e9

    # Five standard errors of a median of absolute values, and a little for
    # the ten: its slope there is 2 φ(0.67), over 0.67.
    relative = 5 * 0.5 / np.sqrt(n) / (2 * norm.pdf(0.6745)) / 0.6745 + 2e-4
    assert_allclose(robust_scale(residuals), 3, rtol=relative)


@pytest.mark.parametrize(
    "residuals, expected",
    [
        ([-1.0, 2.0, -4.0], 1.4826 * 2),
        ([-1.0, 2.0, -4.0, 4.0], 1.4826 * 3),
        ([np.nan, 2.0, np.inf, -np.inf], 1.4826 * 2),
        ([0.0, 0.0, 0.0, -2.0, 2.0], 4 / 5),
        ([0.0, 0.0, np.nan, 3.0], 1.0),
        ([0.0, 2.0], 1.4826),
        ([0.0, np.nan], 0.0),
        ([np.nan, np.inf], np.nan),
        ([], np.nan),
    ],
)
def test_a_robust_scale_is_zero_only_without_errors(residuals, expected):
    assert_allclose(robust_scale(residuals), expected, rtol=ROUNDING)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_robust_scale_is_taken_along_an_axis(axis):
    residuals = np.random.default_rng(9).normal(size=(4, 5, 6))
    residuals[residuals > 1] = np.nan

    expected = 1.4826 * np.nanmedian(abs(residuals), axis)
    assert_allclose(robust_scale(residuals, axis), expected, rtol=ROUNDING)
