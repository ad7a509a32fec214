"""
What wrapping costs: ``LAIEstimator(e).train(d)`` beside ``e.train(d)``.

The same series, epochs and batches for both, in turns in one process; the
ratio is that of the medians. Peak memory is that of a fresh process for each.

    python benchmarks/training_cost.py            # wall time
    python benchmarks/training_cost.py --memory   # peak memory
"""

import argparse
import json
import logging
import resource
import subprocess
import sys
import time

import numpy as np
from gluonts.dataset.common import ListDataset
from gluonts.env import env

NUM_TURNS = 3


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


def estimators(epochs):
    from gluonts.mx import DeepAREstimator, SimpleFeedForwardEstimator, Trainer

    def trainer():
        return Trainer(epochs=epochs, num_batches_per_epoch=50)

    return {
        "SimpleFeedForward, 1 ahead": SimpleFeedForwardEstimator(
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


def wrapped(estimator):
    from gluonts_lai import LAIEstimator

    return LAIEstimator(estimator, seed=0)


def seconds(estimator, dataset):
    begin = time.perf_counter()
    estimator.train(dataset)
    return time.perf_counter() - begin


def compare(epochs, names):
    dataset = series(10, 4_380)
    print(f"{'':30}{'plain':>9}{'LAI':>9}{'ratio':>8}   ({epochs} epochs)")
    for name, estimator in estimators(epochs).items():
        if names and not any(part in name for part in names):
            continue
        small = series(2, 400)
        wrapped(estimators(2)[name]).train(small)  # compile first
        turns = [
            (
                seconds(estimator, dataset),
                seconds(wrapped(estimator), dataset),
            )
            for _ in range(NUM_TURNS)
        ]
        plain, lai = np.median(turns, axis=0)
        print(f"{name:30}{plain:8.2f}s{lai:8.2f}s{lai / plain:8.2f}")


def peak(num_points, is_wrapped):
    """Peak memory of one training in this process, in MB."""
    dataset = series(num_points // 10_000, 10_000)
    estimator = estimators(10)["SimpleFeedForward, 1 ahead"]
    (wrapped(estimator) if is_wrapped else estimator).train(dataset)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def memory():
    print(f"{'points':>12}{'plain':>10}{'LAI':>10}{'ratio':>8}")
    for num_points in (100_000, 1_000_000, 4_000_000):
        plain, lai = (
            float(
                subprocess.run(
                    [sys.executable, __file__, "--peak"]
                    + [json.dumps([num_points, is_wrapped])],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout.split()[-1]
            )
            for is_wrapped in (False, True)
        )
        print(
            f"{num_points:12,}{plain:8.0f}MB{lai:8.0f}MB{lai / plain:8.2f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    with env._let(use_tqdm=False):
        if options.peak:
            print(peak(*json.loads(options.peak)))
        elif options.memory:
            memory()
        else:
            compare(options.epochs, options.names)


if __name__ == "__main__":
    main()
