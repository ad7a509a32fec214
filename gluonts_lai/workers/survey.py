"""
The E-step on many series: what does the forecaster make of each point?

A training set is looked at a part at a time. Where joblib was told of several
workers, by ``joblib.parallel_config(n_jobs=...)``, they share the parts out
among themselves, and each gets a copy of the forecaster as it is now. What
comes out is the same.
"""

import logging
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional

from gluonts.model.predictor import Predictor
from joblib import effective_n_jobs

from gluonts_lai.backends import make_ready, nominal_of
from gluonts_lai.evidence import Evidence
from gluonts_lai.filtering import Filter
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.panel.table import Table

from .packing import Packed, packed
from .sharing import share_out

logger = logging.getLogger(__name__)


class Look(NamedTuple):
    """What was seen of some series."""

    targets: Table  # clean contexts, by what came before each point
    evidence: Evidence  # in hindsight
    expected: Table
    residual_scale: Optional[float]


def look(filter: Filter, contexts: Table) -> Look:
    """Look at some series, beginning with contexts that were clean before."""
    settled = filter.settle(contexts)
    seen = filter.look_back(settled)
    return Look(
        settled.targets,
        filter.evidence(seen.verdicts),
        seen.scores.bells.expected,
        seen.scores.residual_scale,
    )


def survey(
    nominal: Nominal,
    parts: Iterable[slice],
    show: Callable[[slice], tuple[Filter, Table]],
) -> Iterator[Look]:
    """
    What is seen of each part of a data set.

    Parameters
    ----------
    nominal
        The forecaster.
    parts
        The parts, in their order.
    show
        The filter of a part, and contexts to begin with.
    """
    parts = list(parts)
    copy = None
    if len(parts) > 1 and effective_n_jobs(None) > 1:
        copy = copied(nominal)
    if copy is None:
        return (look(*show(part)) for part in parts)
    return share_out(look_elsewhere, jobs(copy, parts, show), None)


class Copy(NamedTuple):
    """A forecaster that can be sent to another process."""

    files: Packed
    settings: tuple


def copied(nominal: Nominal) -> Optional[Copy]:
    """A copy of a forecaster; None of one that cannot be sent."""
    predictor = getattr(nominal, "predictor", None)
    if predictor is None:  # several of them judge one another
        return None
    try:
        return Copy(packed(predictor), nominal.settings)  # type: ignore
    except Exception as error:  # a user's own network may know no way to disk
        logger.warning(
            "The E-step is not shared among workers: the forecaster cannot "
            "be serialised (%.200r).",
            error,
        )
        return None


def jobs(copy: Copy, parts: list[slice], show: Callable) -> Iterator[tuple]:
    for part in parts:
        filter, contexts = show(part)
        alone = filter._replace(nominal=None)
        yield copy.files, copy.settings, alone, contexts


def look_elsewhere(
    base: Predictor, settings: tuple, filter: Any, contexts: Table
) -> Look:
    """Look at some series with a copy of the forecaster."""
    context_length, scaling, *_ = settings
    make_ready(base, scaling)
    return look(filter._replace(nominal=nominal_of(base, *settings)), contexts)
