"""
Whatever comes in either works or is refused in one sentence, and is left as
it was.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from gluonts_lai import IndicatorChain
from gluonts_lai.indicator import (
    condition_on_labels,
    expected_transitions,
    filter_chain,
    sample_paths,
    smooth_chain,
)

CHAIN = IndicatorChain(0.1, 0.1, 0.6)


def sample(chain, log_normal, log_anomalous):
    return sample_paths(
        chain, log_normal, log_anomalous, 2, np.random.default_rng(0)
    )


@pytest.fixture(
    params=[filter_chain, smooth_chain, expected_transitions, sample]
)
def ask(request):
    """Every question that takes two arrays of log densities."""
    return request.param


def densities(*shape):
    rng = np.random.default_rng(0)
    return rng.normal(size=shape) - 1, np.full(shape, -2.0)


def assert_same(a, b):
    for x, y in zip(a, b):
        assert_array_equal(x, y)


@pytest.mark.parametrize(
    "form",
    [
        lambda array: array.tolist(),
        lambda array: np.asfortranarray(array),
        lambda array: np.repeat(array, 2, axis=-1)[:, ::2],
        lambda array: array[:, ::-1].copy()[:, ::-1],
        lambda array: array.astype(">f8"),
        lambda array: array.astype(np.longdouble),
    ],
    ids=["list", "fortran", "strided", "reversed", "big-endian", "longdouble"],
)
def test_any_layout_gives_the_same_answer(ask, form):
    pair = densities(3, 12)

    assert_same(ask(CHAIN, *map(form, pair)), ask(CHAIN, *pair))


@pytest.mark.parametrize("dtype", [np.int64, np.int8, bool, np.float16])
def test_other_numbers_count_as_double_precision(ask, dtype):
    pair = [np.array([[0, 1, 1, 0]]).astype(dtype) for _ in range(2)]

    assert_same(
        ask(CHAIN, *pair), ask(CHAIN, *(array.astype(float) for array in pair))
    )


def test_nothing_of_the_callers_is_written_to(ask):
    pair = densities(3, 12)
    pair[0][1, 5] = np.nan
    before = [array.copy() for array in pair]
    for array in pair:
        array.flags.writeable = False

    ask(CHAIN, *pair)

    assert_same(pair, before)


def test_masked_points_are_missing(ask):
    log_normal, log_anomalous = densities(2, 12)
    masked = np.ma.masked_array(log_normal, mask=log_normal < -2)
    holes = np.where(log_normal < -2, np.nan, log_normal)

    assert_same(
        ask(CHAIN, masked, log_anomalous), ask(CHAIN, holes, log_anomalous)
    )


def test_columns_of_a_table_will_do(ask):
    table = pd.DataFrame(dict(zip("ab", densities(12))))

    assert_same(ask(CHAIN, table.a, table.b), ask(CHAIN, *densities(12)))


def test_the_users_way_with_rounding_is_not_ours(ask):
    pair = densities(2, 12)
    pair[0][0, 3] = -1e308
    with np.errstate(all="raise"):
        results = ask(CHAIN, *pair)

    assert_same(results, ask(CHAIN, *pair))


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4), (2, 0, 4)])
def test_empty_arrays_have_empty_answers(shape):
    pair = densities(*shape)

    filtered, smoothed = filter_chain(CHAIN, *pair), smooth_chain(CHAIN, *pair)

    assert filtered.filtered.shape == smoothed.smoothed.shape == shape
    assert_array_equal(filtered.log_likelihood, np.zeros(shape[:-1]))
    assert_array_equal(smoothed.transitions, np.zeros(shape[:-1] + (2, 2)))
    assert sample(CHAIN, *pair).shape == (2,) + shape


@pytest.mark.parametrize(
    "index, place",
    [((7,), "series 0, time 7"), ((2, 7), "series 2, time 7")],
)
def test_a_point_that_nothing_explains_is_named(ask, index, place):
    pair = densities(*([12] if len(index) == 1 else [4, 12]))
    for array in pair:
        array[index] = -np.inf

    with pytest.raises(
        ValueError, match=f"got -inf for both at {place}; give"
    ):
        ask(CHAIN, *pair)


def test_the_first_such_point_is_named_among_many_series():
    pair = densities(3, 40_000, 12)
    for array in pair:
        array[1, 39_999, 3] = array[2, 5, 1] = -np.inf

    with pytest.raises(ValueError, match=r"series \(1, 39999\), time 3;"):
        smooth_chain(CHAIN, *pair)


@pytest.mark.parametrize("which", [0, 1])
def test_an_infinite_density_is_refused(ask, which):
    pair = densities(4, 12)
    pair[which][3, 2] = np.inf

    with pytest.raises(
        ValueError, match="got inf at series 3, time 2; an inf"
    ):
        ask(CHAIN, *pair)


@pytest.mark.parametrize(
    "log_normal, log_anomalous, message",
    [
        (np.zeros(3), np.zeros(4), r"one shape, got \(3,\) and \(4,\); use"),
        (np.zeros((3, 1)), np.zeros(3), "must have one shape"),
        (0.0, 0.0, "must have a time axis, got a single number; give"),
        ([0.0], 0.0, "must have a time axis"),
        ([0.0], ["b"], r"log_anomalous must be an array of real .* \['b'\]"),
        (np.zeros(2, complex), np.zeros(2), "log_normal .* dtype complex128"),
        (np.array(["a"]), [1.0], "log_normal .* dtype <U1; convert it"),
        (np.array([None]), [1.0], "log_normal .* dtype object; convert it"),
    ],
)
def test_arrays_that_are_no_densities_are_refused(
    ask, log_normal, log_anomalous, message
):
    with pytest.raises(ValueError, match=message):
        ask(CHAIN, log_normal, log_anomalous)


def test_ragged_series_are_refused_by_name(ask):
    ragged = [[0.0, 1.0], [0.0]]

    with pytest.raises(ValueError, match="series of different lengths one at"):
        ask(CHAIN, ragged, ragged)


def test_there_must_be_as_many_chains_as_series(ask):
    with pytest.raises(
        ValueError, match=r"before time, \(3,\); got chains of shape \(2"
    ):
        ask([CHAIN, CHAIN], *densities(3, 5))


@pytest.mark.parametrize("chain", [None, 0.01, (0.1, 0.1, 0.5), [CHAIN, 1]])
def test_a_chain_must_be_a_chain(ask, chain):
    with pytest.raises(TypeError, match="chain must be an IndicatorChain, or"):
        ask(chain, *densities(2, 5))


@pytest.mark.parametrize("label", [-0.1, 1.1, 2.0, np.inf])
def test_labels_outside_zero_and_one_are_refused(label):
    labels = np.array([[np.nan, 0.0], [1.0, label]])

    with pytest.raises(ValueError, match=r"got .* at index \(1, 1\)"):
        condition_on_labels(*densities(2, 2), labels)


def test_labels_must_have_the_shape_of_the_series():
    with pytest.raises(ValueError, match="one label for each point, got"):
        condition_on_labels(*densities(5), np.zeros(4))
    with pytest.raises(ValueError, match="one label for each point, got"):
        condition_on_labels(*densities(5), [1.0])
    with pytest.raises(ValueError, match="labels must be an array of real"):
        condition_on_labels(*densities(1), ["a"])


def test_labels_leave_their_arrays_alone():
    arrays = *densities(5), np.array([0, 1, 0, 1, 0])
    before = [array.copy() for array in arrays]

    condition_on_labels(*arrays)

    assert_same(arrays, before)
