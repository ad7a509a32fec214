"""
Which points does a filter replace, and how many in a row?
"""

import numpy as np
import pytest

from gluonts_lai import IndicatorChain
from gluonts_lai.detector import longest_run, replace_above
from gluonts_lai.indicator import sample_paths

ONE_IN_FIVE = 0.2
CHAINS = {
    "rare points": IndicatorChain(0.01, 0.01, 0.01),
    "frequent points": IndicatorChain(0.1, 0.1, 0.1),
    "rare runs": IndicatorChain(0.01, 0.002, 0.8),
    "frequent runs": IndicatorChain(0.1, 0.03, 0.75),
}


def lengths_of(chain, context_length, num_contexts=20_000):
    """The lengths of anomalies in contexts that a chain has drawn."""
    nothing = np.zeros(num_contexts * context_length)
    rng = np.random.default_rng(0)
    (path,) = sample_paths(chain, nothing, nothing, 1, rng)
    edges = np.flatnonzero(np.diff(path, prepend=0, append=0))
    return edges[1::2] - edges[::2]


@pytest.mark.parametrize("context_length", [25, 72])
@pytest.mark.parametrize("which", CHAINS)
def test_few_anomalies_and_few_contexts_outlast_the_bound(
    which, context_length
):
    chain = CHAINS[which]
    lengths = lengths_of(chain, context_length)
    bound = longest_run(chain, context_length)

    # The least bound for which both hold; five standard errors of a share
    # that some 10,000 anomalies tell.
    def too_many(bound):
        longer = np.sum(lengths > bound)
        return max(longer / len(lengths), longer / 20_000)

    slack = 5 * np.sqrt(ONE_IN_FIVE / min(len(lengths), 20_000))
    assert too_many(bound) < ONE_IN_FIVE + slack
    assert bound == 1 or too_many(bound - 1) > ONE_IN_FIVE - slack


def test_spikes_side_by_side_are_replaced_where_spikes_are_frequent():
    assert longest_run(CHAINS["rare points"], 72) == 1
    assert longest_run(CHAINS["frequent points"], 72) == 2


def test_a_forecast_looks_back_on_what_is_doubtful_where_little_is_wrong():
    rates = np.linspace(0.001, 0.199, 100)
    chains = [IndicatorChain.from_prior(rate) for rate in rates]

    for length, most in ((1, 0.9), (24, 0.6125)):
        above = [replace_above(chain, length) for chain in chains]
        assert np.all(np.diff(above) <= 0)
        assert above[0] == pytest.approx(most) and above[-1] == 0.5


def test_a_forecast_of_many_steps_looks_back_on_less_that_is_doubtful():
    chain = IndicatorChain.from_prior(0.01)
    above = [replace_above(chain, length) for length in range(1, 100)]
    assert np.all(np.diff(above) < 0)
