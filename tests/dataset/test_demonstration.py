import numpy as np
import pytest

from gluonts_lai.dataset import demonstration
from gluonts_lai.dataset.demonstration import NOISE
from gluonts_lai.indicator import count_transitions, estimate_chain


def test_the_series_is_the_sine_of_the_paper():
    series = demonstration(np.random.default_rng(0))

    residual = series.values - series.clean
    anomalous = series.labels == 1
    assert abs(series.clean).max() == 0.4
    assert anomalous[250:270].all()
    assert (residual[250:270] < -1.5).all()
    outside = np.delete(anomalous, range(250, 270))
    assert (np.delete(residual, range(250, 270))[outside] > 1.5).all()
    # 950 points: five standard errors of a standard deviation.
    assert residual[~anomalous].std() == pytest.approx(
        NOISE, rel=5 / np.sqrt(2 * 950)
    )


def test_its_chain_is_on_average_the_one_that_was_published():
    rng = np.random.default_rng(0)

    counts = [count_transitions(demonstration(rng).labels) for _ in range(500)]

    chain = estimate_chain(np.array(counts))
    # As measured over many draws: P(1→1) = 0.40 and P(0→1) = 0.031.
    assert chain.p_stay == pytest.approx(0.40, abs=0.01)
    assert chain.p_enter == pytest.approx(0.031, abs=0.001)
