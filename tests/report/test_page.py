"""
A report is one file, small and whole, that says which model it was.
"""

import sys

import numpy as np
import pytest

pytest.importorskip("jinja2")
pytest.importorskip("plotly")

from gluonts.env import env  # noqa: E402
from gluonts.model.seasonal_naive import SeasonalNaivePredictor  # noqa: E402

from gluonts_lai import (  # noqa: E402
    IndicatorChain,
    LAIEstimator,
    LAIPredictor,
)
from gluonts_lai.report import write_report  # noqa: E402
from gluonts_lai.report.model import chain_facts, model_facts  # noqa: E402
from tests.backends import BACKENDS  # noqa: E402
from tests.series import dataset  # noqa: E402

from .made import HOUR, detection, spread_out  # noqa: E402

MEGABYTE = 1e6
FRAMEWORKS = {"mx": "MXNet", "torch": "PyTorch"}


@pytest.fixture(scope="module")
def predictor():
    values = np.tile(np.arange(24.0), 10)
    entry = {"item_id": "a", "start": HOUR, "target": values}
    naive = SeasonalNaivePredictor(2, season_length=24)
    return LAIPredictor.from_predictor(naive, [entry], seed=0)


def written(path, *args, **kwargs):
    write_report(path, *args, **kwargs)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "segments",
    [spread_out(10_000, 40), [(0, 10_000)]],
    ids=["some", "everything"],
)
def test_fifty_long_series_fit_into_fifteen_megabytes(
    tmp_path, predictor, segments
):
    path = tmp_path / "report.html"

    write_report(
        path,
        (detection(10_000, segments, f"{i}", seed=i) for i in range(50)),
        predictor,
        top=50,
    )

    assert path.stat().st_size < 15 * MEGABYTE


def test_a_thousand_series_have_a_line_each(tmp_path, predictor):
    page = written(
        tmp_path / "report.html",
        (detection(20, item_id=f"s{i}") for i in range(1_000)),
        predictor,
        top=2,
    )

    assert page.count("<figure") == 2
    assert all(f">s{i}</bdi>" in page for i in range(1_000))


def test_of_more_series_a_page_says_how_many_there_are(tmp_path, predictor):
    page = written(
        tmp_path / "report.html",
        (detection(5, item_id=f"s{i}") for i in range(1_200)),
        predictor,
        top=1,
    )

    assert "The first 1,000 of 1,200 series" in page


@pytest.mark.parametrize(
    "detections, sentence",
    [
        ([], "There is no series in this data."),
        ([detection(50)], "Nothing was found: no point is above"),
    ],
)
def test_where_nothing_was_found_a_page_says_so(
    tmp_path, predictor, detections, sentence
):
    page = written(tmp_path / "report.html", detections, predictor)

    assert sentence in page
    assert "a.segment" not in page.split("<main>")[1].split("</main>")[0]


def test_the_same_detections_give_the_same_file(tmp_path, predictor):
    pages = [
        written(tmp_path / name, [detection(50, [(5, 9)])], predictor)
        for name in ("a.html", "b.html")
    ]

    assert pages[0] == pages[1]


def test_the_model_is_described(predictor):
    facts = dict(model_facts(predictor))

    assert facts["predictor"] == "SeasonalNaivePredictor"
    assert facts["framework"].startswith("none")
    assert facts["frequency"].lower() == "h"
    assert facts["prediction length"] == "2"
    assert facts["context length"] == str(predictor.context_length)
    chain = dict(chain_facts(predictor))
    assert chain["anomaly rate"] == f"{predictor.chain.anomaly_rate:.2%}"
    assert chain["p⁻, density of anomalous points"] == "Uniform(spans=5.0)"


def test_chains_of_single_series_are_counted(predictor):
    class Own:
        chain = IndicatorChain()
        chains = {
            "a": IndicatorChain.from_prior(0.01),
            "b": IndicatorChain.from_prior(0.03),
        }

    facts = dict(chain_facts(Own()))

    assert facts["rates of 2 series with their own chain"] == "1.00% to 3.00%"


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
def test_a_network_and_its_framework_are_named(tmp_path, backend):
    data, _ = dataset("univariate", num_series=2, length=56)
    network = backend.zoo.CASES["SimpleFeedForward"].make()
    with env._let(use_tqdm=False):
        trained = LAIEstimator(network, seed=0).train(data)
    trained.serialize(tmp_path)
    path = tmp_path / "report.html"

    page = written(path, trained.detect(data), trained)

    assert page.count("<figure") == 2
    for predictor in (trained, LAIPredictor.deserialize(tmp_path)):
        facts = dict(model_facts(predictor))
        assert facts["framework"] == FRAMEWORKS[backend.name]
        assert "SimpleFeedForward" in facts["network"]


def test_settings_are_listed(tmp_path, predictor):
    page = written(
        tmp_path / "report.html",
        [detection(30)],
        predictor,
        settings={"mode": "smooth", "data": "a & b.csv"},
    )

    assert "<dt>data</dt><dd>a &amp; b.csv</dd>" in page


@pytest.fixture
def small_disk():
    """No file can grow beyond a megabyte, and a report is larger."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(MEGABYTE), hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_report_appears_whole_or_not_at_all(tmp_path, predictor, small_disk):
    path = tmp_path / "report.html"
    path.write_text("what was there")

    with pytest.raises(OSError, match="File too large"):
        write_report(path, [detection(30)], predictor)

    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert path.read_text() == "what was there"


def refused():
    raise AssertionError("detections were asked for")
    yield


def test_a_place_that_cannot_be_written_is_refused_first(tmp_path, predictor):
    with pytest.raises(FileNotFoundError, match="the folder of .* must exist"):
        write_report(tmp_path / "no" / "report.html", refused(), predictor)


@pytest.mark.parametrize("package", ["plotly", "jinja2"])
def test_a_missing_package_is_named_first(
    tmp_path, predictor, monkeypatch, package
):
    monkeypatch.setitem(sys.modules, package, None)

    advice = r"pip install 'gluonts-lai\[report\]'"
    with pytest.raises(
        ImportError, match=f"a report needs {package}, .* {advice}"
    ):
        write_report(tmp_path / "report.html", refused(), predictor)


@pytest.mark.parametrize(
    "choice, sentence",
    [
        ({"threshold": 1.0}, "threshold must lie strictly between 0 and 1"),
        ({"top": -1}, "top must be at least 0, got -1"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, predictor, choice, sentence):
    with pytest.raises(ValueError, match=sentence):
        write_report(tmp_path / "r.html", refused(), predictor, **choice)
