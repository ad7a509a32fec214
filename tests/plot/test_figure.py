"""
What pictures share.
"""

import subprocess
import sys

import numpy as np
import pytest

import gluonts_lai
from gluonts_lai.dataset import demonstration

pytest.importorskip("matplotlib")

from gluonts_lai.plot import (  # noqa: E402
    Fit,
    check_picture,
    plot_figure1,
)

from .reading import labels  # noqa: E402


def test_importing_pictures_does_not_import_matplotlib():
    script = (
        "import gluonts_lai, sys; gluonts_lai.plot.plot_detection; "
        "sys.exit('matplotlib' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_every_picture_can_be_reached_from_the_package():
    assert set(gluonts_lai.plot.__all__) == {
        "Fit",
        "check_picture",
        "plot_detection",
        "plot_figure1",
        "plot_forecast",
        "plot_history",
    }


@pytest.mark.parametrize("kind", ["png", "pdf", "svg"])
def test_pictures_of_the_usual_kinds_can_be_written(kind, tmp_path):
    check_picture(str(tmp_path / f"found.{kind}"))

    assert not any(tmp_path.iterdir())


def test_a_picture_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match="must end in one of .*png.*, got a.x"
    ):
        check_picture("a.x")
    with pytest.raises(OSError, match="must be a folder to write"):
        check_picture(str(tmp_path / "nowhere" / "found.png"))


def test_figure_1_shows_two_fits_and_the_indicator():
    series = demonstration(np.random.default_rng(0))
    sd = np.full(series.clean.shape, 0.1)
    plain, lai = Fit(series.clean + 0.3, 5 * sd), Fit(series.clean, sd)

    figure = plot_figure1(series, plain, lai, series.labels.astype(float))

    names = ["expected, ±2 sd", "observed", "the sine itself"]
    for panel, fit in zip(figure.axes, (plain, lai)):
        assert labels(panel) == names
        dots, sine = panel.lines
        np.testing.assert_array_equal(dots.get_ydata(), series.values)
        np.testing.assert_array_equal(sine.get_ydata(), series.clean)
        heights = panel.collections[0].get_paths()[0].vertices[:, 1]
        assert heights.max() == (fit.expected + 2 * fit.sd).max()
        assert heights.min() == (fit.expected - 2 * fit.sd).min()
    (marks,) = figure.axes[2].lines
    assert len(marks.get_xdata()) == series.labels.sum()
