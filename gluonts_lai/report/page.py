"""
The page itself, with everything in it.

What is written into it comes from other people's files. Jinja escapes it; and
should something slip through, the page's own policy allows no script but two,
which are known by their digests, and no request at all.
"""

import base64
import hashlib
import math
from importlib.resources import files
from typing import Any, Mapping, Optional

from .chart import chart_of
from .extras import require
from .model import chain_facts, model_facts
from .survey import Survey
from .views import Segment, segments_of

# Rows of tables that somebody may want to read.
MOST_SERIES = 1_000
MOST_SEGMENTS = 500


def page_of(
    survey: Survey,
    predictor: Any,
    title: Optional[str],
    threshold: float,
    settings: Mapping[str, Any],
) -> str:
    """A page of HTML about all that was found."""
    segments = strongest_segments(survey)
    num_rows = max(MOST_SERIES, len(survey.drawn))
    return template().render(
        title=title or "Anomaly report",
        threshold=threshold,
        survey=survey,
        summaries=survey.summaries[:num_rows],
        charts=[chart_of(series, threshold) for series in survey.drawn],
        segments=segments[:MOST_SEGMENTS],
        num_segments=len(segments),
        model=model_facts(predictor),
        chain=chain_facts(predictor),
        settings=settings,
        style=resource("page.css"),
        script=resource("page.js"),
        plotly=require("plotly.offline").get_plotlyjs(),
    )


def strongest_segments(survey: Survey) -> list[Segment]:
    """The segments of all charts."""
    segments = [
        segment
        for number, series in enumerate(survey.drawn)
        for segment in segments_of(series, number)
    ]
    return sorted(segments, key=lambda s: s.strongest, reverse=True)


def template() -> Any:
    """The page to be filled in; all is escaped that is not marked as safe."""
    jinja2 = require("jinja2")
    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    for act in (count, digest, log_odds, value):
        environment.filters[act.__name__] = act
    return environment.from_string(resource("page.html"))


def count(number: int) -> str:
    return f"{number:,}"


def log_odds(score: float) -> str:
    """With a sign; a dash where there are none."""
    return f"{score:+,.1f}" if math.isfinite(score) else "–"


def value(number: float) -> str:
    """A number as JavaScript reads it."""
    return str(number).replace("inf", "Infinity")


def resource(name: str) -> str:
    """A file of this package."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def digest(script: str) -> str:
    """What a browser knows an allowed script by."""
    sha = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(sha).decode()}"
