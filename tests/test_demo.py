"""
The paper's acceptance check, on its own demonstration.
"""

from importlib.util import find_spec

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from gluonts_lai.demo import BACKENDS, backend_at_hand, run  # noqa: E402

RUNS = [("mx", 1), ("mx", 2), ("torch", 1)]


@pytest.fixture(
    scope="module", params=RUNS, ids=lambda run: f"{run[0]}-{run[1]}"
)
def demo(request):
    backend, seed = request.param
    if find_spec(BACKENDS[backend]) is None:
        pytest.skip(f"{BACKENDS[backend]} is not installed")
    return run(seed, backend)


@pytest.mark.parametrize(
    "installed, expected",
    [
        (["mxnet", "torch"], "mx"),
        (["mxnet"], "mx"),
        (["torch"], "torch"),
        ([], "mx"),  # whose absence is then explained
    ],
)
def test_the_backend_is_one_that_is_installed(
    installed, expected, monkeypatch
):
    monkeypatch.setattr(
        "gluonts_lai.demo.find_spec", lambda name: name in installed or None
    )

    assert backend_at_hand() == expected


def test_the_anomalies_are_found(demo):
    precision, recall, f1 = demo.scores()

    assert f1 > 0.95


def test_the_chain_is_learned(demo):
    chain = demo.output.predictor.chain

    assert abs(chain.p_stay - demo.truth.p_stay) < 0.15
    assert abs(chain.p_enter - demo.truth.p_enter) < 0.02


def test_the_sine_is_recovered(demo):
    assert demo.error(demo.lai) < 0.8 * demo.error(demo.plain)
    assert demo.error(demo.lai) < 0.8 * demo.error(demo.control)


def test_the_spread_is_that_of_the_noise(demo):
    sd = {
        name: np.nanmedian(getattr(demo, name).sd) for name in ("plain", "lai")
    }

    # A plain network calls the anomalies noise; ours may be off by a third.
    assert sd["plain"] > 2 / 15
    assert 1 / 15 / 1.33 < sd["lai"] < 1.33 / 15


def test_the_table_says_so(demo):
    head, error, sd, enter, stay, precision, recall, f1 = (
        demo.table().splitlines()
    )

    assert head.split("  ")[-1].strip() == "true"
    assert error.split()[-2] == f"{demo.error(demo.lai):.3f}"
    assert stay.split()[-2:] == [
        f"{demo.output.predictor.chain.p_stay:.3f}",
        f"{demo.truth.p_stay:.3f}",
    ]
    assert f1.split()[-1] == f"{demo.scores()[2]:.3f}"


def test_precision_and_recall_count_what_was_found(demo):
    probability = np.zeros(1_000)
    probability[250:260] = probability[:5] = 0.51
    probability[10] = 0.49
    labels = np.zeros(1_000, np.uint8)
    labels[250:270] = 1
    invented = demo._replace(
        output=demo.output._replace(posterior=[probability]),
        series=demo.series._replace(labels=labels),
    )

    # 10 of 15 flagged points are among the 20 that are anomalous.
    assert invented.scores() == (10 / 15, 10 / 20, 20 / 35)
