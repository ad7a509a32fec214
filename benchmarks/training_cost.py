"""
What wrapping costs: ``LAIEstimator(e).train(d)`` beside ``e.train(d)``.

The same series, epochs and batches for both, in turns in one process; the
ratio is that of the medians. Peak memory is that of a fresh process for each.

    python benchmarks/training_cost.py                  # wall time
    python benchmarks/training_cost.py --backend torch  # of one framework
    python benchmarks/training_cost.py --together       # on a busy machine
    python benchmarks/training_cost.py --memory         # peak memory
    python benchmarks/training_cost.py --e-step         # points a second

GluonTS on PyTorch writes checkpoints while it trains; they go to a folder that
is removed afterwards.
"""

import argparse
import json
import logging
import multiprocessing
import os
import resource
import subprocess
import sys
import time
import warnings
from tempfile import TemporaryDirectory

import numpy as np
from gluonts.dataset.common import ListDataset
from gluonts.env import env

NUM_TURNS = 3
FEED_FORWARD = "SimpleFeedForward, 1 ahead"
SCRIPT = os.path.abspath(__file__)


def series(num_series, length, seed=0):
    """Hourly series with a day in them, and spikes at 1 % of the points."""
    rng = np.random.default_rng(seed)
    t = np.arange(length)
    targets = []
    for _ in range(num_series):
        day = np.sin(2 * np.pi * (t / 24 + rng.random()))
        target = 10 + day * rng.uniform(1, 3) + rng.normal(size=length) * 0.3
        spikes = rng.random(length) < 0.01
        targets.append(target + 8.0 * spikes)
    return ListDataset(
        [
            {"start": "2020-01-01 00", "target": x, "item_id": str(i)}
            for i, x in enumerate(targets)
        ],
        freq="h",
    )


def estimators_mx(epochs):
    from gluonts.mx import DeepAREstimator, SimpleFeedForwardEstimator, Trainer

    def trainer():
        return Trainer(epochs=epochs, num_batches_per_epoch=50)

    return {
        FEED_FORWARD: SimpleFeedForwardEstimator(
            prediction_length=1, context_length=25, trainer=trainer()
        ),
        "SimpleFeedForward, 24 ahead": SimpleFeedForwardEstimator(
            prediction_length=24, context_length=25, trainer=trainer()
        ),
        "DeepAR, 24 ahead": DeepAREstimator(
            freq="h",
            prediction_length=24,
            context_length=48,
            trainer=trainer(),
        ),
    }


def estimators_torch(epochs):
    from gluonts.torch import DeepAREstimator, SimpleFeedForwardEstimator

    def trainer():
        return {
            "max_epochs": epochs,
            "logger": False,
            "enable_progress_bar": False,
            "enable_model_summary": False,
        }

    return {
        FEED_FORWARD: SimpleFeedForwardEstimator(
            prediction_length=1,
            context_length=25,
            hidden_dimensions=[40, 40],  # as on MXNet
            trainer_kwargs=trainer(),
        ),
        "SimpleFeedForward, 24 ahead": SimpleFeedForwardEstimator(
            prediction_length=24,
            context_length=25,
            hidden_dimensions=[40, 40],
            trainer_kwargs=trainer(),
        ),
        "DeepAR, 24 ahead": DeepAREstimator(
            freq="h",
            prediction_length=24,
            context_length=48,
            trainer_kwargs=trainer(),
        ),
    }


ESTIMATORS = {"mx": estimators_mx, "torch": estimators_torch}


def wrapped(estimator):
    from gluonts_lai import LAIEstimator

    return LAIEstimator(estimator, seed=0)


def seconds(estimator, dataset):
    begin = time.perf_counter()
    estimator.train(dataset)
    return time.perf_counter() - begin


def compare(backend, epochs, num_turns, names):
    dataset = series(10, 4_380)
    print(
        f"{backend:30}{'plain':>9}{'LAI':>9}{'ratio':>8}   ({epochs} epochs)"
    )
    for name, estimator in ESTIMATORS[backend](epochs).items():
        if names and not any(part in name for part in names):
            continue
        small = series(2, 400)
        wrapped(ESTIMATORS[backend](2)[name]).train(small)  # compile first
        turns = [
            (
                seconds(estimator, dataset),
                seconds(wrapped(estimator), dataset),
            )
            for _ in range(num_turns)
        ]
        plain, lai = np.median(turns, axis=0)
        print(
            f"{name:30}{plain:8.2f}s{lai:8.2f}s{lai / plain:8.2f}",
            flush=True,
        )


def together(backend, epochs, num_turns, names):
    """
    Both trainings at the same time, on one core, by the processor's clock.

    Where others are at work, what a training takes depends on the moment:
    here both have the same neighbours.
    """
    print(f"{backend:30}{'ratio':>9}{'least':>8}{'most':>8}   (together)")
    spawn = multiprocessing.get_context("spawn")
    for name in ESTIMATORS[backend](epochs):
        if names and not any(part in name for part in names):
            continue
        start, taken = spawn.Barrier(2), spawn.Manager().dict()
        about = backend, name, epochs, num_turns
        both = [
            spawn.Process(target=turns, args=(*about, which, start, taken))
            for which in ("plain", "LAI")
        ]
        for process in both:
            process.start()
        for process in both:
            process.join()
        ratios = np.array(taken["LAI"]) / np.array(taken["plain"])
        print(
            f"{name:30}{np.median(ratios):9.2f}"
            f"{ratios.min():8.2f}{ratios.max():8.2f}",
            flush=True,
        )


def turns(backend, name, epochs, num_turns, which, start, taken):
    """Seconds of the processor that one of two trainings takes, each turn."""
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")

    def train(num_epochs, dataset):
        estimator = ESTIMATORS[backend](num_epochs)[name]
        if which == "LAI":
            estimator = wrapped(estimator)
        estimator.train(dataset)

    seconds = []
    with env._let(use_tqdm=False):
        train(2, series(2, 400))  # compile first
        dataset = series(10, 4_380)
        for _ in range(num_turns):
            start.wait()
            begin = time.process_time()
            train(epochs, dataset)
            seconds.append(time.process_time() - begin)
    taken[which] = seconds


def e_step(backend, num_turns):
    """Points a second, scored by one pass of a network over clean series."""
    from gluonts_lai.panel import Panel
    from gluonts_lai.transform import Clean

    predictor = wrapped(ESTIMATORS[backend](1)[FEED_FORWARD]).train(
        series(2, 400)
    )
    nominal, panel = predictor.nominal(), Panel.of(series(10, 50_000))
    scales = [profile.scale for profile in predictor.profiles_of(panel)]
    prepared = nominal.prepare(panel, scales)
    contexts = Clean.as_observed(panel.values).targets
    best = np.inf
    for _ in range(num_turns + 1):
        # Of the processor: with one thread, whoever else is there is not seen.
        begin = time.process_time()
        nominal.score(prepared, contexts)
        best = min(best, time.process_time() - begin)
    print(f"{backend:8}{panel.values.size / best:12,.0f} points a second")


def on_one_core():
    """Start this script again with one core and one thread."""
    if os.environ.get("OMP_NUM_THREADS") != "1":
        for name in ("OMP", "MKL", "NUMBA"):
            os.environ[f"{name}_NUM_THREADS"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])


def peak(backend, num_points, is_wrapped):
    """Peak memory of one training in this process, in MB."""
    dataset = series(num_points // 10_000, 10_000)
    estimator = ESTIMATORS[backend](10)[FEED_FORWARD]
    (wrapped(estimator) if is_wrapped else estimator).train(dataset)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def memory(backend):
    print(f"{backend:6}{'points':>12}{'plain':>10}{'LAI':>10}{'ratio':>8}")
    for num_points in (100_000, 1_000_000, 4_000_000):
        plain, lai = (
            float(
                subprocess.run(
                    [sys.executable, SCRIPT, "--peak"]
                    + [json.dumps([backend, num_points, is_wrapped])],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout.split()[-1]
            )
            for is_wrapped in (False, True)
        )
        print(
            f"{num_points:18,}{plain:8.0f}MB{lai:8.0f}MB{lai / plain:8.2f}",
            flush=True,
        )


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--backend", choices=list(ESTIMATORS))
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--turns", type=int, default=NUM_TURNS)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--e-step", action="store_true")
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def measure(options):
    for backend in [options.backend] if options.backend else ESTIMATORS:
        if options.memory:
            memory(backend)
        elif options.e_step:
            e_step(backend, options.turns)
        else:
            way = together if options.together else compare
            way(backend, options.epochs, options.turns, options.names)


def main():
    options = arguments()
    if options.e_step or options.together:
        on_one_core()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    with env._let(use_tqdm=False), TemporaryDirectory() as folder:
        os.chdir(folder)
        if options.peak:
            print(peak(*json.loads(options.peak)))
        else:
            measure(options)


if __name__ == "__main__":
    main()
