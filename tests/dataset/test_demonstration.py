import numpy as np
import pytest
from numpy.testing import assert_allclose

from gluonts_lai.dataset import demonstration
from gluonts_lai.indicator import count_transitions, estimate_chain


def test_the_series_is_the_sine_of_the_paper():
    series = demonstration(np.random.default_rng(0))

    cosine = 0.4 * np.cos(np.arange(1_000) / 10)
    assert_allclose(series.clean, cosine, rtol=1e-12)
    residual = series.values - series.clean
    anomalous = series.labels == 1
    long = (np.arange(1_000) >= 250) & (np.arange(1_000) < 270)
    assert anomalous[long].all()
    # Five standard errors of a mean, and of a standard deviation.
    assert residual[long].mean() == pytest.approx(-2, abs=5 / 15 / np.sqrt(20))
    raised = residual[anomalous & ~long]
    assert raised.mean() == pytest.approx(2, abs=5 / 15 / np.sqrt(len(raised)))
    assert residual[~anomalous].std() == pytest.approx(
        1 / 15, rel=5 / np.sqrt(2 * 950)
    )


def test_its_chain_is_on_average_the_one_that_was_published():
    rng = np.random.default_rng(0)

    counts = [count_transitions(demonstration(rng).labels) for _ in range(500)]

    chain = estimate_chain(np.array(counts))
    # As measured over many draws: P(1→1) = 0.40 and P(0→1) = 0.031.
    assert chain.p_stay == pytest.approx(0.40, abs=0.01)
    assert chain.p_enter == pytest.approx(0.031, abs=0.001)
