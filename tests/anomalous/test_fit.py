import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai import Gaussian, GaussianMixture, Uniform

RECIPES = [Uniform(), Gaussian(), GaussianMixture()]


@pytest.fixture
def series():
    """Ordinary points around 10; anomalous ones around 0 and around 50."""
    rng = np.random.default_rng(0)
    values = rng.normal(10, 1, 400)
    weights = np.zeros(400)
    values[::20], weights[::20] = rng.normal(0, 0.5, 20), 1.0
    values[5::20], weights[5::20] = rng.normal(50, 0.5, 20), 1.0
    return values, weights


@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
def test_fitting_returns_a_new_model_and_leaves_all_else_alone(recipe, series):
    values, weights = series
    before = values.copy(), weights.copy()
    values.flags.writeable = weights.flags.writeable = False

    fitted = recipe.fit(values, weights)

    assert fitted != recipe and recipe == type(recipe)()
    assert fitted == recipe.fit(values, weights)
    assert_array_equal(values, before[0])
    assert_array_equal(weights, before[1])


@pytest.mark.parametrize(
    "recipe", [*RECIPES, Uniform(low=-99.0), Gaussian(sd=3.0)], ids=repr
)
def test_a_fitted_model_can_be_fitted_anew(recipe, series):
    values, weights = series
    other = np.random.default_rng(1).normal(-5, 2, 30)

    again = recipe.fit(other).fit(values, weights)

    assert again == recipe.fit(values, weights)


def test_a_uniform_covers_the_series_whatever_is_anomalous(series):
    values, weights = series

    model = Uniform(width=2.0).fit(values)

    assert model == Uniform(width=2.0).fit(values, weights)
    spread = values.max() - values.min()
    assert model.domain == pytest.approx(
        (values.min() - spread / 2, values.max() + spread / 2)
    )


def test_a_uniform_is_as_wide_as_so_many_spans_of_most_values():
    values = np.arange(101.0)  # 80 of them from 10 to 90
    assert Uniform(spans=8.0).fit(values).domain == pytest.approx((-270, 370))

    # Of a series with outliers, the range is wider: it stays as it was.
    wild = np.append(values, [-900.0, 1000.0])
    assert Uniform(spans=8.0).fit(wild).domain == Uniform().fit(wild).domain


def test_most_values_of_a_series_may_be_the_same():
    values = np.append(np.zeros(99), 5.0)
    assert (
        Uniform(spans=8.0).fit(values).domain == Uniform().fit(values).domain
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_uniform_leaves_out_no_value_of_its_series(seed):
    values = np.random.default_rng(seed).normal(0.1, 0.3, size=30)

    log_density = Uniform(width=1.0).fit(values).log_prob(values)

    assert (log_density > -np.log(np.ptp(values)) - 0.02).all()


def test_bounds_that_are_known_stay():
    model = Uniform(low=0.0).fit(np.array([40.0, 60.0]))

    assert model.domain == pytest.approx((0.0, 50 + 1.1 * 10))
    assert Uniform(low=0.0, high=100.0).log_prob(np.array([50.0]))[
        0
    ] == pytest.approx(np.log(0.01), rel=1e-2)


def test_what_is_known_of_an_anomaly_stays():
    values, weights = np.array([1.0, 2.0, 3.0, 50.0]), [0, 0, 0, 1]

    assert Gaussian(mean=7.0).fit(values, weights).body.mean == 7.0
    assert Gaussian(sd=7.0).fit(values, weights).body.sd == 7.0
    assert Uniform(high=100.0).fit(values).domain[1] == 100.0


def test_anomalies_scatter_around_the_mean_that_is_known():
    values, weights = np.array([1.0, 2.0, 3.0, 50.0]), [0, 0, 0, 1]
    free = Gaussian().fit(values, weights).body

    known = Gaussian(mean=7.0).fit(values, weights).body

    assert known.sd**2 == pytest.approx(free.sd**2 + (free.mean - 7.0) ** 2)


def test_the_floor_is_as_wide_as_the_series():
    for recipe in Gaussian(), GaussianMixture():
        model = recipe.fit([0.0, 1.0, 2.0, 10.0], [0, 0, 0, 1])

        assert model.floor == (5.0, 10.0)


@pytest.mark.parametrize("value", [5.0, -5.0])
def test_a_constant_series_reaches_as_far_as_it_is_large(value):
    constant = np.full(20, value)

    assert Uniform(width=1.0).fit(constant).domain == (
        value - 2.5,
        value + 2.5,
    )
    assert Gaussian().fit(constant).body.sd == 5.0


def test_a_constant_too_small_to_square_counts_as_zero():
    model = Uniform(width=1.0).fit(np.full(5, 1e-200))

    assert model.domain == pytest.approx((-0.5, 0.5))


@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
def test_a_fit_to_single_precision_is_as_good(recipe):
    values = np.random.default_rng(0).normal(10, 1, 400).astype(np.float32)
    weights = (values > 11).astype(np.float32) * np.float32(0.1)

    double = recipe.fit(values.astype(float), weights.astype(float))

    assert recipe.fit(values, weights) == double


def test_a_gaussian_goes_where_the_anomalies_are(series):
    values, weights = series
    weights = weights * (values > 30)

    broad = Gaussian().fit(values).body
    found = Gaussian().fit(values, weights).body

    assert broad.mean == pytest.approx(values.mean())
    assert broad.sd == pytest.approx(3 * values.std())
    assert abs(found.mean - 50) < abs(broad.mean - 50) / 5
    assert found.sd < broad.sd / 1.5


def test_a_gaussian_is_that_of_pseudo_points_and_anomalous_points():
    values, weights = np.array([0.0, 2.0, 9.0, 5.0]), np.array([0, 1, 1, 0.5])
    broad = Gaussian().fit(values).body

    model = Gaussian().fit(values, weights).body

    # Two points with the broad mean and spread, as if they had been seen.
    pseudo = broad.mean + broad.sd * np.array([-1.0, 1.0])
    points = np.append(values, pseudo)
    all_weights = np.append(weights, [1.0, 1.0])
    mean = np.average(points, weights=all_weights)
    assert model.mean == pytest.approx(mean)
    variance = np.average((points - mean) ** 2, weights=all_weights)
    assert model.sd == pytest.approx(np.sqrt(variance))


def test_a_mixture_finds_each_kind_of_anomaly(series):
    model = GaussianMixture().fit(*series)

    shares, means, sds = zip(*model.components)
    assert sorted(np.round(means[1:])) == [0, 50]
    # No narrower than 1 % of the range of 51, which widens 0.5 to 0.7.
    assert_allclose(sds[1:], np.hypot(0.5, 0.51), atol=0.15)
    # Forty anomalous points against two pseudo-points of the whole series.
    assert_allclose(shares, [2 / 42, 20 / 42, 20 / 42])
    likely = model.log_prob(np.array([0.0, 50.0]))
    assert (likely > model.log_prob(np.array([25.0])) + 2).all()


def test_no_component_is_narrower_than_a_percent_of_the_range():
    recipe = GaussianMixture(num_components=1)

    model = recipe.fit([0.0, 100.0, 7.0], [0, 1, 0])

    assert model.components[1].sd == pytest.approx(1.0)


def test_a_part_of_a_point_counts_as_a_point():
    model = GaussianMixture(num_components=3).fit([0.0, 5.0, 9.0], [0.9] * 3)

    assert len(model.components) == 4


def test_a_mixture_is_the_same_each_time():
    values = np.random.default_rng(0).uniform(size=300)
    recipe = GaussianMixture(num_components=4)

    assert len({recipe.fit(values, np.ones(300)) for _ in range(5)}) == 1


def test_a_mixture_has_no_more_components_than_points():
    values, weights = np.array([1.0, 2.0, 30.0, 3.0]), np.array([0, 0, 0.4, 0])

    model = GaussianMixture(num_components=4).fit(values, weights)

    _, only = model.components
    assert only.mean == pytest.approx(30)


def test_a_mixture_of_very_many_points_is_that_of_their_quantiles():
    rng = np.random.default_rng(1)
    values = np.append(rng.normal(0, 1, 50_000), rng.normal(40, 2, 50_000))

    model = GaussianMixture().fit(values, np.ones(100_000))

    _, means, sds = zip(*model.components[1:])
    assert_allclose(sorted(means), [0, 40], atol=0.1)
    assert_allclose(sorted(sds), [1, 2], rtol=0.15)


@pytest.mark.parametrize("recipe", [Gaussian, GaussianMixture])
def test_a_fixed_model_keeps_to_the_series_as_a_whole(recipe, series):
    values, weights = series

    fixed = recipe(fixed=True)

    assert fixed.fit(values, weights) == fixed.fit(values)
    assert recipe().fit(values, weights) != recipe().fit(values)


@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
def test_no_anomalous_point_is_no_news(recipe, series):
    values, _ = series
    nothing = np.zeros(len(values))

    x = np.linspace(-100, 100, 50)
    assert_allclose(
        recipe.fit(values, nothing).log_prob(x),
        recipe.fit(values).log_prob(x),
        rtol=1e-12,
    )


@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
@pytest.mark.parametrize("shift, factor", [(0, 1e6), (1e3, 1.0), (-50, 1e-6)])
def test_a_model_moves_and_stretches_with_its_series(
    recipe, series, shift, factor
):
    values, weights = series
    x = np.linspace(-100, 100, 50)

    plain = recipe.fit(values, weights)
    moved = recipe.fit(values * factor + shift, weights)

    assert_allclose(
        moved.log_prob(x * factor + shift),
        plain.log_prob(x) - np.log(factor),
        atol=1e-6,
    )


@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
def test_missing_values_do_not_matter(recipe, series):
    values, weights = series
    holes = np.insert(values, 7, np.nan), np.insert(weights, 7, 1.0)

    assert recipe.fit(*holes) == recipe.fit(values, weights)


@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
@pytest.mark.parametrize(
    "values, weights, message",
    [
        ([], None, "at least one finite number, got 0 without any; leave"),
        ([np.nan] * 3, None, "at least one finite number, got 3 without any"),
        ([1e200, 0.0], None, r"must lie within ±1e\+150, got 0 to 1e\+200"),
        (["a"], None, "values must be an array of real numbers"),
        ([[1.0], [2.0]], None, r"must be one series, .* shape \(2, 1\); fit"),
        ([1.0, 2.0], [1.0], r"weights of shape \(1,\) for values of shape"),
        ([1.0, 2.0], [1.0, -1.0], "weights must be finite and not negative"),
        ([1.0, 2.0], [1.0, np.nan], "give 0 to missing points"),
        ([1.0, 2.0], [1.0, np.inf], "weights must be finite and not negative"),
        ([-1e200, 0.0], None, "must lie within"),
    ],
)
def test_series_that_cannot_be_fitted_are_refused(
    recipe, values, weights, message
):
    with pytest.raises(ValueError, match=message):
        recipe.fit(values, weights)


@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
def test_an_open_recipe_says_that_it_must_be_fitted(recipe):
    name = type(recipe).__name__
    with pytest.raises(
        ValueError, match=rf"{name}\(.*\) must be fitted before"
    ):
        recipe.log_prob(np.zeros(3))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Uniform(width=0.9), "width must be a multiple of the range"),
        (lambda: Uniform(width=np.nan), "width must be a multiple"),
        (lambda: Uniform(width="2"), "between 1 and 1e6, got '2'; a narrower"),
        (lambda: Uniform(spans=-1.0), "spans must be a number from 0 to 1e6"),
        (lambda: Uniform(spans=None), "got None; it is a multiple of what"),
        (lambda: Uniform(low=1.0, high=1.0), "low must lie below high"),
        (lambda: Uniform(low=0.0, high=np.inf), "low=0.0 and high=inf"),
        (lambda: Uniform(width=np.inf), "width must be a multiple"),
        (lambda: Uniform(low=-np.inf, high=0.0), "low=-inf and high=0.0"),
        (lambda: Gaussian(sd=np.inf), "sd must be a positive number"),
        (lambda: Gaussian(mean=np.inf), "mean must be a number .* got inf"),
        (lambda: Gaussian(mean=1.0).log_prob([0.0]), "must be fitted before"),
        (lambda: Gaussian(sd=1.0).log_prob([0.0]), "must be fitted before"),
        (lambda: Uniform(low=1.0).log_prob([0.0]), "must be fitted before"),
        (lambda: Uniform(low=np.nan), "low=nan and high=None"),
        (lambda: Uniform(low="0"), "low='0' and high=None"),
        (
            lambda: Uniform(low=100.0).fit([1.0, 2.0]),
            r"reach beyond the bounds of Uniform\(.*\), got 1 to 2; correct",
        ),
        (lambda: Gaussian(sd=0.0), "sd must be a positive number .* got 0.0"),
        (lambda: Gaussian(sd="1"), "sd must be a positive number .* got '1'"),
        (lambda: Gaussian(mean=np.nan), "mean must be a number .* got nan"),
        (lambda: GaussianMixture("2"), "at least 1, got '2'"),
        (lambda: GaussianMixture(2.0), "at least 1, got 2.0"),
        (lambda: GaussianMixture(num_components=0), "at least 1, got 0"),
        (lambda: GaussianMixture(num_components=1.5), "at least 1, got 1.5"),
    ],
)
def test_parameters_that_cannot_be_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
