"""
Anomalies of one labelled series, found by one detector: a cell of a table.

The paper's protocol: each series on its own; the first 40 % train, the next
10 % calibrate, what is said of the last half is compared with the labels.
Detectors that need no calibration learn from the first half. Nobody is told a
label; points that were not observed are not judged.

    plain      the control, em=False: an MLP on 25 points, scored by -log p⁺
    LAI        the same MLP trained with LAI, filtered; the score is the
               log-odds of being anomalous
    LAI, p⁺    the same, scored by -log p⁺
    … for all  one network for all series of a simulated family instead of one
               for each

The others are those of ``detectors.py``.
"""

from functools import lru_cache
from typing import Any, Callable, Optional

import numpy as np
from networks import BATCHES_AN_EPOCH, feed_forward

from gluonts_lai import LAIEstimator
from gluonts_lai.dataset import FAMILIES, read_nab, read_yahoo, simulate
from gluonts_lai.ev import (
    auc_pr,
    best_adjusted_f1,
    best_composite_f1,
    best_f1,
    f1,
    mean_delay,
    vus_pr,
)

CONTEXT = 25
# Draws that no choice in this project was made on.
FIRST_SEED = 100
LENGTH = 1_500
NEURAL = ("plain", "LAI")
FOR_ALL = " for all"
SCORED: dict[str, Callable] = {
    "adjusted F1": best_adjusted_f1,
    "F1": best_f1,
    "composite F1": best_composite_f1,
    "AUC-PR": auc_pr,
    "VUS-PR": vus_pr,
}


@lru_cache
def read(name: str, num_series: Optional[int], folder: str) -> list[dict]:
    """The series of a set; the first ones of a family, if not all are."""
    if name in FAMILIES:
        return simulate(name, num_series or 20, LENGTH, FIRST_SEED)
    if name.startswith("yahoo"):
        return read_yahoo(folder, name.split()[1])[:num_series]
    entries = read_nab()
    kinds = {"NAB real": "real", "NAB artificial": "artificialWith"}
    chosen = [e for e in entries if e["item_id"].startswith(kinds[name])]
    return chosen[:num_series]


def measure(cell: dict) -> dict:
    """Figures of one series, or of each series that shares a network."""
    entries = read(cell["set"], cell["series"], cell.get("folder", ""))
    if cell["number"] is None:
        return {"each": measured(cell, entries)}
    return measured(cell, [entries[cell["number"]]])[0]


def measured(cell: dict, entries: list[dict]) -> list[dict]:
    detector = cell["detector"].removesuffix(FOR_ALL)
    if detector in NEURAL:
        return neural(cell, detector, entries)
    return [by_rival(cell, detector, entry) for entry in entries]


def parts(entry: dict) -> tuple[int, int]:
    """Where training ends, and where calibration does."""
    length = len(entry["target"])
    return int(0.4 * length), int(0.5 * length)


def cut(entry: dict, end: Optional[int] = None) -> dict:
    """The first points of a series, and no word of what is wrong with them."""
    return {
        "item_id": entry["item_id"],
        "start": entry["start"],
        "target": entry["target"][:end],
    }


def neural(cell: dict, detector: str, entries: list[dict]) -> list[dict]:
    """What a network makes of series: one for all that are given."""
    network = feed_forward(
        cell["backend"],
        1,
        CONTEXT,
        cell["output"],
        cell["steps"] // BATCHES_AN_EPOCH,
    )
    em = detector == "LAI"
    output = LAIEstimator(network, em=em, seed=cell["seed"]).train_model(
        [cut(entry, parts(entry)[0]) for entry in entries],
        [cut(entry, parts(entry)[1]) for entry in entries],
    )
    manner = {} if em else {"max_run": 0, "recalibrate": False}
    found = output.predictor.detect(map(cut, entries), **manner)
    rows = []
    for entry, detection, posterior in zip(entries, found, output.posterior):
        surprise = -detection.log_density
        if not em:
            rows.append({"test": judged(entry, surprise)})
            continue
        rows.append(
            {
                "test": judged(entry, detection.score, detection.probability),
                "p⁺": judged(entry, surprise),
                "training": judged_training(entry, posterior),
            }
        )
    return rows


def by_rival(cell: dict, detector: str, entry: dict) -> dict:
    from detectors import DETECTORS

    whole = np.asarray(entry["target"], float)
    scores = DETECTORS[detector](whole[: parts(entry)[1]], whole)
    return {"test": judged(entry, scores)}


def judged(
    entry: dict, scores: np.ndarray, probability: Optional[np.ndarray] = None
) -> dict:
    """The metrics of the last half of a series."""
    begin = parts(entry)[1]
    seen = np.isfinite(entry["target"][begin:])
    label, scores = entry["label"][begin:][seen], scores[begin:][seen]
    # A point of which nothing can be said is the least suspicious one.
    scores = np.where(np.isnan(scores), -np.inf, scores)
    figures = {name: metric(label, scores) for name, metric in SCORED.items()}
    if probability is not None:
        flags = probability[begin:][seen] > 0.5
        figures["F1 at 0.5"] = f1(label, flags)
        figures["delay"] = mean_delay(label, flags)
        figures["flagged"] = float(flags[label == 0].mean())
    return figures


def judged_training(entry: dict, posterior: np.ndarray) -> dict:
    """The metrics of the posterior of the training part."""
    end = parts(entry)[0]
    seen = np.isfinite(entry["target"][:end])
    label, probability = entry["label"][:end][seen], posterior[seen]
    return {
        "adjusted F1": best_adjusted_f1(label, probability),
        "F1": best_f1(label, probability),
        "F1 at 0.5": f1(label, probability > 0.5),
        "AUC-PR": auc_pr(label, probability),
    }


def cells_of(
    options: Any,
    name: str,
    detector: str,
    output: str = "",
    backend: str = "",
    seed: int = 0,
) -> list[dict]:
    """The cells of a set: one for each series, or one for all of them."""
    neural = detector.removesuffix(FOR_ALL) in NEURAL
    for_all = detector.endswith(FOR_ALL)
    folder = getattr(options, "yahoo", None) or ""
    entries = read(name, options.series, folder)
    cell = {
        "set": name,
        "series": options.series,
        "detector": detector,
        "output": output if neural else "",
        "backend": backend if neural else "",
        "steps": options.steps * (1 + for_all) if neural else 0,
        "seed": seed,
    }
    if name.startswith("yahoo"):
        cell["folder"] = folder
    numbers = [None] if for_all else range(len(entries))
    return [{**cell, "number": number} for number in numbers]


def figures_of(ledger: Any, cells: list[dict]) -> list[dict]:
    """What has been measured of a set, series by series."""
    found = []
    for cell in cells:
        figures = ledger.get(cell)
        if figures is not None:
            found += figures.get("each", [figures])
    return found


def mean_of(figures: list[dict], part: str, metric: str) -> float:
    """Mean over the series where a metric is defined."""
    values = [one[part].get(metric, np.nan) for one in figures if part in one]
    values = [x for x in values if x is not None and np.isfinite(x)]
    return float(np.mean(values)) if values else np.nan


def num_silent(figures: list[dict], part: str = "test") -> int:
    """Series with no anomaly in the part at hand."""
    return sum(not np.isfinite(one[part]["F1"]) for one in figures)
