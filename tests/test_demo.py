import numpy as np
import pytest
from numpy.testing import assert_allclose

from gluonts_lai.demo import run
from gluonts_lai.indicator import estimate_chain


@pytest.mark.parametrize("seed", range(5))
def test_the_demo_finds_what_was_hidden(seed):
    demo = run(np.random.default_rng(seed))

    flagged = demo.smoothed.smoothed > 0.5
    true = demo.series.labels == 1
    # The paper's own acceptance check asks for no more.
    hits = np.count_nonzero(flagged & true)
    assert 2 * hits / (flagged.sum() + true.sum()) > 0.95
    assert abs(demo.chains[-1].p_stay - demo.truth.p_stay) < 0.15
    assert abs(demo.chains[-1].p_enter - demo.truth.p_enter) < 0.01


def test_the_demo_ends_where_em_stands_still():
    demo = run(np.random.default_rng(0))

    again = estimate_chain(demo.smoothed.transitions, prior=demo.chains[0])

    last = demo.chains[-1]
    assert_allclose(again.transition_matrix, last.transition_matrix, atol=1e-6)


def test_the_table_counts_what_was_found():
    demo = run(np.random.default_rng(0))
    probability, labels = np.zeros(1_000), np.zeros(1_000, np.uint8)
    probability[250:260] = probability[:5] = 0.51
    probability[10] = 0.49
    labels[250:270] = 1
    demo = demo._replace(
        smoothed=demo.smoothed._replace(smoothed=probability),
        series=demo.series._replace(labels=labels),
    )

    _, points, p_enter, p_stay, scores = demo.table().splitlines()

    learned, truth = demo.chains[-1], demo.truth
    assert points.split()[-2:] == ["15", "20"]
    assert p_enter.split()[-2:] == [
        f"{learned.p_enter:.4g}",
        f"{truth.p_enter:.4g}",
    ]
    assert p_stay.split()[-2:] == [f"{learned.p_stay:.4g}", "0.95"]
    # 10 of 15 flagged points are among the 20 that are anomalous.
    assert scores.startswith("precision 0.667, recall 0.500, F1 0.571 at")
