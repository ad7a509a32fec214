"""
From detections to a file.
"""

from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Union

from gluonts_lai.choices import check_at_least, check_share
from gluonts_lai.detection import Detection
from gluonts_lai.files import check_writable, whole_file

from .extras import require
from .page import page_of
from .survey import Survey


def write_report(
    path: Union[str, Path],
    detections: Iterable[Detection],
    predictor: Any,
    *,
    title: Optional[str] = None,
    threshold: float = 0.5,
    top: int = 20,
    settings: Optional[Mapping[str, Any]] = None,
) -> None:
    """
    Write what was found as one page for a browser.

    Needs Plotly and Jinja2: ``pip install 'gluonts-lai[report]'``. The file
    appears whole or not at all.

    Parameters
    ----------
    path
        File to write, such as ``report.html``.
    detections
        What was found in each series, as ``predictor.detect`` yields it; gone
        through once, and not kept.
    predictor
        The model that found it, to be described.
    title
        Title of the page.
    threshold
        Probability above which a point is flagged.
    top
        Number of series to draw, those with the most flagged points first.
    settings
        What else the reader should know, by name.

    Examples
    --------
    ::

        predictor = Predictor.deserialize(Path("model"))
        detections = predictor.detect(dataset, mode="smooth")
        write_report("report.html", detections, predictor, top=10)
    """
    check_share("threshold", threshold)
    check_at_least("top", top, 0)
    check_writable(path)
    for name in ("jinja2", "plotly"):
        require(name)
    survey = Survey.of(detections, threshold, top)
    page = page_of(survey, predictor, title, threshold, settings or {})
    with whole_file(path) as unfinished:
        # Half a surrogate pair in a name is no reason to write nothing.
        unfinished.write_bytes(page.encode("utf-8", "replace"))
