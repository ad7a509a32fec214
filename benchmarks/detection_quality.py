"""
How well are the anomalies of simulated series found, and what is it due to?

Three families of 20 series of 1,500 points; one SimpleFeedForward for all
series of a draw, one step ahead, 2,000 gradient steps. The first 40 % train,
the next 10 % calibrate; what is said of the last 50 %, filtered, is compared
with the labels. Means are over series and seeds; series with no label in their
last half are left out where all thresholds are looked at.

    plain            trained as it is; its score is -log p⁺
    no filter        LAI, contexts as they were observed
    no bound         whatever is flagged is replaced, for ever
    bound            at most as many in a row as the chain expects: the default
    16 particles     cleaned histories side by side
    not calibrated   bound, after a training with calibration=False
    random           a control: any score at all
    perfect          labelled points first, the others in any order

"+ r" is with recalibration while filtering. Scores are the log-odds of being
anomalous, or -log p⁺ where the row says so. "undistorted" is VUS-PR with one
threshold for each point instead of 250. "flagged" is the share of nominal
points above 0.5, "seconds" what detection took on all seeds.

    python benchmarks/detection_quality.py --backend torch --output student
"""

import argparse
import logging
import os
import time
import warnings
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from gluonts.env import env
from networks import (
    FEED_FORWARD,
    MODELS,
    OUTPUTS,
    chosen,
    feed_forward,
    wrapped,
)

from gluonts_lai.dataset import simulate
from gluonts_lai.dataset.families import FAMILIES
from gluonts_lai.ev import auc_pr, best_adjusted_f1, f1, vus_pr

LENGTH = 1_500
TRAINED, CALIBRATED = int(0.4 * LENGTH), int(0.5 * LENGTH)
COLUMNS = ("adj. F1", "F1 at 0.5", "AUC-PR", "VUS-PR", "undistorted")
WANTED = {  # of a Student-t output: outliers, runs, changes
    "adj. F1": (0.97, 0.99, 0.88),
    "F1 at 0.5": (0.95, 0.95, 0.80),
    "AUC-PR": (0.97, 0.97, 0.85),
    "VUS-PR": (0.88, 0.97, 0.85),
}


class Way(NamedTuple):
    """One way to look at a series, with one of the trainings."""

    name: str
    model: str
    manner: dict
    scores: tuple = ("log-odds",)


def ways():
    both = "log-odds", "-log p⁺"
    as_is, follow = {"recalibrate": False}, {"recalibrate": True}
    bare, endless = {"max_run": 0}, {"max_run": 1e9}
    many = {"num_particles": 16}
    return [
        Way("plain", "plain", {**bare, **as_is}, ("-log p⁺",)),
        Way("no filter", "LAI", {**bare, **as_is}),
        Way("no bound", "LAI", {**endless, **as_is}),
        Way("bound", "LAI", as_is, both),
        Way("bound + r", "LAI", follow, both),
        Way("16 particles", "LAI", {**many, **as_is}),
        Way("16 particles + r", "LAI", {**many, **follow}),
        Way("not calibrated", "not calibrated", as_is),
        Way("not calibrated + r", "not calibrated", follow),
    ]


def unlabelled(entries, length=LENGTH):
    """The first points of series, and no word of what is wrong with them."""
    return [
        {
            "item_id": entry["item_id"],
            "start": entry["start"],
            "target": entry["target"][:length],
        }
        for entry in entries
    ]


def trained_all(backend, output, draws):
    """All trainings of all draws, by name; how long they took is printed."""
    predictors = {}
    for model in MODELS:
        begin = time.perf_counter()
        predictors[model] = [
            wrapped(model, feed_forward(backend, 1, 25, output), seed).train(
                unlabelled(entries, TRAINED), unlabelled(entries, CALIBRATED)
            )
            for seed, entries in enumerate(draws)
        ]
        taken = (time.perf_counter() - begin) / len(draws)
        print(f"  trained: {model}, {taken:.1f} s a seed", flush=True)
    return predictors


def judged(label, scores, flags=None):
    """The columns of one series; and the share of nominal points flagged."""
    figures = [
        best_adjusted_f1(label, scores),
        np.nan if flags is None else f1(label, flags),
        auc_pr(label, scores),
        vus_pr(label, scores),
        vus_pr(label, scores, num_thresholds=len(scores)),
    ]
    return [*figures, np.nan if flags is None else flags[label == 0].mean()]


def judged_detection(entry, detection, score):
    """The columns of one series, by one of the scores of a detection."""
    label = entry["label"][CALIBRATED:]
    if score == "-log p⁺":
        return judged(label, -detection.log_density[CALIBRATED:])
    flags = detection.probability[CALIBRATED:] > 0.5
    return judged(label, detection.score[CALIBRATED:], flags)


def control(draws, knows):
    """The columns of random scores; or of random ones below the labelled."""
    rng = np.random.default_rng(0)
    labels = [e["label"][CALIBRATED:] for entries in draws for e in entries]
    return [judged(x, rng.random(len(x)) + knows * x) for x in labels]


def cell(x):
    return "–" if np.isnan(x) else f"{x:.3f}"


def say(name, rows, seconds=np.nan):
    """Print the means of a row, and give them back."""
    *means, flagged = np.nanmean(rows, axis=0)
    cells = "".join(f"{cell(x):>13}" for x in means)
    share = "–" if np.isnan(flagged) else f"{flagged:.2%}"
    taken = "–" if np.isnan(seconds) else f"{seconds:.1f}"
    print(f"{name:30}{cells}{share:>9}{taken:>9}", flush=True)
    return dict(zip(COLUMNS, means))


def family_table(family, backend, output, options):
    """All rows of one family: their means by name."""
    draws = [
        simulate(family, options.num_series, LENGTH, seed)
        for seed in range(
            options.first_seed, options.first_seed + options.seeds
        )
    ]
    silent = sum(
        not entry["label"][CALIBRATED:].any() for one in draws for entry in one
    )
    print(
        f"\n{family}, {output}, {backend}: {options.seeds} seeds of "
        f"{options.num_series} series, {silent} of them with no label"
    )
    predictors = trained_all(backend, output, draws)
    header = "".join(f"{name:>13}" for name in COLUMNS)
    print(f"{'':30}{header}{'flagged':>9}{'seconds':>9}")
    means = {
        name: say(name, control(draws, knows))
        for name, knows in (("random", 0), ("perfect", 1))
    }
    for way in ways():
        begin = time.perf_counter()
        found = [
            pair
            for predictor, entries in zip(predictors[way.model], draws)
            for pair in zip(
                entries, predictor.detect(unlabelled(entries), **way.manner)
            )
        ]
        seconds = time.perf_counter() - begin
        for score in way.scores:
            rows = [judged_detection(*pair, score) for pair in found]
            name = way.name + (", -log p⁺" if score == "-log p⁺" else "")
            means[name] = say(name, rows, seconds)
    return means


def summary(backend, output, tables):
    """All families in one table, beside what is wanted."""
    print(f"\n{output}, {backend}: {' / '.join(tables)}\n")
    print(f"| | {' | '.join(COLUMNS)} |\n|---|" + "---|" * len(COLUMNS))
    wanted = [
        " / ".join(
            f"{WANTED[name][FAMILIES.index(family)]:.2f}" for family in tables
        )
        for name in COLUMNS[:-1]
    ]
    print(f"| wanted (Student-t) | {' | '.join(wanted)} | |")
    for name in next(iter(tables.values())):
        cells = [
            " / ".join(cell(means[name][column]) for means in tables.values())
            for column in COLUMNS
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print("\nWanted of plain: VUS-PR of about 0.58 on runs.")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--backend", choices=[*FEED_FORWARD, "both"], default="both"
    )
    parser.add_argument("--output", choices=[*OUTPUTS, "both"], default="both")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument(
        "--families", nargs="+", choices=FAMILIES, default=list(FAMILIES)
    )
    parser.add_argument("--num-series", type=int, default=20)
    return parser.parse_args()


def main():
    options = arguments()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    with env._let(use_tqdm=False):
        for backend in chosen(options.backend, FEED_FORWARD):
            for output in chosen(options.output, OUTPUTS):
                tables = {
                    family: family_table(family, backend, output, options)
                    for family in options.families
                }
                summary(backend, output, tables)


if __name__ == "__main__":
    main()
