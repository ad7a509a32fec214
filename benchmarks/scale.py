"""
How does cost grow with the data?

One SimpleFeedForward, one step ahead from 25 points, on hourly series with a
day in them and spikes at 1 % of the points. Data come from Parquet files; each
training and each detection has a fresh process, whose peak memory is taken.

    python benchmarks/scale.py                   # all of it, on PyTorch
    python benchmarks/scale.py growth            # time and memory, 1e5 to 1e7
    python benchmarks/scale.py workers           # a model for each series
    python benchmarks/scale.py workers --series 100  # the same, in minutes
    python benchmarks/scale.py speed             # detect, points a second
    python benchmarks/scale.py large             # 20 million points
    python benchmarks/scale.py --backend mx --quick

"growth" of a time is the ratio to the line before, as a multiple of the ratio
of the points: 1 is linear, less is better; times there are those of the
processor's clock, which neighbours do not disturb. "bytes a point" are those
that the points since the line before have added. Neither counts what a first,
small training costs: the process has done that, and compiled what is compiled.
"""

import argparse
import json
import logging
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from gluonts.dataset.arrow import ParquetWriter
from gluonts.dataset.common import FileDataset
from gluonts.env import env
from gluonts.model.predictor import Predictor
from networks import FEED_FORWARD, chosen, feed_forward, wrapped
from tables import print_table

SCRIPT = os.path.abspath(__file__)
START = pd.Period("2020-01-01", "h")
MB = 2**20
EPOCHS = 10
SHORT = 200  # points of a short series
NUM_LONG = 10  # series, where they are long
SHAPES = ("many short", "few long")
# What is wanted: speed-up by two workers, points a second, MB.
SPEED_UP, SPEED, MOST_MEMORY = 1.7, 100_000, 4_096


def series(num_series, length, seed=0):
    """Entries, one after the other: none is kept."""
    rng = np.random.default_rng(seed)
    t = np.arange(length)
    for i in range(num_series):
        day = np.sin(2 * np.pi * (t / 24 + rng.random()))
        target = 10 + day * rng.uniform(1, 3) + rng.normal(size=length) * 0.3
        target += 8.0 * (rng.random(length) < 0.01)
        yield {
            "item_id": str(i),
            "start": START,
            "target": target.astype(np.float32),
        }


def estimator_of(backend, epochs=EPOCHS):
    network = feed_forward(backend, 1, 25, epochs=epochs)
    return wrapped("LAI", network, seed=0)


def peak():
    """Most memory that this process has held, in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / MB if sys.platform == "darwin" else most / 1024


def timed(act):
    """Time by the wall, time of all threads by the processor's clock."""
    begins = time.perf_counter(), time.process_time()
    result = act()
    ends = time.perf_counter(), time.process_time()
    return *(end - begin for begin, end in zip(begins, ends)), result


# What a fresh process measures.


def train(backend, data, model):
    estimator_of(backend, 2).train(list(series(2, 400)))
    before = peak()
    dataset = FileDataset(Path(data), freq="h")
    seconds, busy, predictor = timed(
        lambda: estimator_of(backend).train(dataset)
    )
    found = {
        "seconds": seconds,
        "busy": busy,
        "before": before,
        "peak": peak(),
    }
    Path(model).mkdir(exist_ok=True)
    predictor.serialize(Path(model))
    return found


def detect(data, model, n_jobs=1, again=False):
    predictor = Predictor.deserialize(Path(model))
    kwargs = {} if n_jobs == 1 else {"n_jobs": n_jobs}

    def detect(dataset):
        return sum(d.value.size for d in predictor.detect(dataset, **kwargs))

    detect(list(series(2, 400)))
    before = peak()
    dataset = FileDataset(Path(data), freq="h")
    seconds, busy, num_points = timed(lambda: detect(dataset))
    found = {
        "seconds": seconds,
        "busy": busy,
        "before": before,
        "peak": peak(),
        "speed": num_points / seconds,
    }
    if again:  # now that the workers are there
        seconds, *_ = timed(lambda: detect(dataset))
        found["again"] = num_points / seconds
    return found


def train_each(backend, num_series, length, n_jobs):
    from gluonts_lai import PerSeriesEstimator

    estimator = PerSeriesEstimator(estimator_of(backend), n_jobs=n_jobs)
    estimator.train(list(series(2 * n_jobs, 400)))  # workers start
    entries = list(series(num_series, length))
    seconds, busy, _ = timed(lambda: estimator.train(entries))
    return {"speed": num_series / seconds, "cores": busy / seconds}


CELLS = {"train": train, "detect": detect, "train_each": train_each}


def measured(what, **cell):
    """What a function says in a process of its own."""
    return begun(what, **cell)()


def begun(what, **cell):
    """Begin it, and say what to call for what it says."""
    about = ", ".join(f"{k} {v}" for k, v in cell.items() if k != "model")
    print(f"... {what} {about}", file=sys.stderr, flush=True)
    process = subprocess.Popen(
        [sys.executable, SCRIPT, "--cell", json.dumps([what, cell])],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )

    def end():
        output, _ = process.communicate()
        if process.returncode:
            sys.exit(f"{what} {about} failed; see above.")
        return json.loads(output.splitlines()[-1])

    return end


# Tables.


def written(num_series, length):
    """A file with so many series, in the folder where we are."""
    path = Path(f"{num_series}x{length}.parquet").absolute()
    if not path.exists():
        ParquetWriter().write_to_file(series(num_series, length), path)
    return str(path)


def steps(sizes, shape):
    """The shapes of data sets of so many points."""
    for size in sizes:
        long = shape == "few long"
        yield (NUM_LONG, size // NUM_LONG) if long else (size // SHORT, SHORT)


def trained(backend, num_series, length):
    data = written(num_series, length)
    model = str(Path(f"{backend}-{num_series}x{length}").absolute())
    found = measured("train", backend=backend, data=data, model=model)
    return data, model, found


def growth(backend, quick, shapes=SHAPES):
    sizes = (20_000, 100_000, 400_000) if quick else (10**5, 10**6, 10**7)
    for shape in shapes:
        rows, last = [], None
        for num_series, length in steps(sizes, shape):
            data, model, training = trained(backend, num_series, length)
            detection = measured("detect", data=data, model=model)
            now = num_series * length, training, detection
            rows.append(
                [
                    f"{num_series:,} × {length:,}",
                    *grown(now, last, 1),
                    *grown(now, last, 2),
                ]
            )
            last = now
        head = "seconds | growth | MB | bytes a point".split(" | ")
        print_table(
            [f"{backend}, {shape}", *("training: " + h for h in head)]
            + ["detection: " + h for h in head],
            rows,
        )


def grown(now, last, which):
    """Time and memory, and how they have grown."""
    found = now[which]
    times, more = "–", "–"
    if last is not None:
        ratio = found["busy"] / last[which]["busy"]
        times = f"{ratio / (now[0] / last[0]):.2f}"
        added = found["peak"] - last[which]["peak"]
        more = f"{added * MB / (now[0] - last[0]):.0f}"
    return [f"{found['busy']:.1f}", times, f"{found['peak']:.0f}", more]


def workers(backend, quick, num_series, alone):
    """By one and by two workers; by two processes that share nothing."""
    shape = (12, 400) if quick else (num_series, 1_500)
    least = (12, 400) if quick else (alone, 1_500)

    def cell(shape, n_jobs):
        return {
            "backend": backend,
            "num_series": shape[0],
            "length": shape[1],
            "n_jobs": n_jobs,
        }

    alone = measured("train_each", **cell(least, 1))
    one = alone["speed"]
    both = [begun("train_each", **cell(least, 1)) for _ in range(2)]
    apart = sum(end()["speed"] for end in both)
    two = measured("train_each", **cell(shape, 2))["speed"]
    ways = {
        f"1 worker, {least[0]:,} series": (one, "–"),
        f"2 workers, {shape[0]:,} series": (two, f"{SPEED_UP}"),
        f"2 processes of 1 worker, {least[0]:,} series each": (apart, "–"),
    }
    print_table(
        [f"{backend}, a model for each series of {shape[1]:,} points"]
        + ["series a second", "speed-up", "wanted"],
        [
            [name, f"{found:.2f}", f"{found / one:.2f}", wanted]
            for name, (found, wanted) in ways.items()
        ],
    )
    print(f"1 worker keeps {alone['cores']:.2f} cores busy.\n")


def speed(backend, quick, max_workers):
    num_series, length = (200, 1_000) if quick else (1_000, 1_000)
    _, model, _ = trained(backend, 50, 1_000)
    data = written(num_series, length)
    print_table(
        [f"{backend}, detect", "workers", "points a second"]
        + ["a second time", "wanted"],
        [
            [
                f"{num_series:,} × {length:,}",
                f"{n_jobs}",
                f"{found['speed']:,.0f}",
                f"{found['again']:,.0f}",
                f"{SPEED:,}",
            ]
            for n_jobs in range(1, max_workers + 1)
            for found in [
                measured(
                    "detect",
                    data=data,
                    model=model,
                    n_jobs=n_jobs,
                    again=True,
                )
            ]
        ],
    )


def large(backend, quick):
    num_series = 2_000 if quick else 100_000
    _, _, found = trained(backend, num_series, SHORT)
    print_table(
        [f"{backend}, training", "seconds", "MB before", "MB peak"]
        + ["wanted below"],
        [
            [
                f"{num_series:,} × {SHORT:,}",
                f"{found['seconds']:.0f}",
                f"{found['before']:.0f}",
                f"{found['peak']:.0f}",
                f"{MOST_MEMORY}",
            ]
        ],
    )


PARTS = ("growth", "workers", "speed", "large")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument(
        "--backend", choices=[*FEED_FORWARD, "both"], default="torch"
    )
    parser.add_argument(
        "--shapes",
        nargs="+",
        choices=SHAPES,
        default=SHAPES,
        help="of what is to grow",
    )
    parser.add_argument(
        "--max-workers",
        type=int,
        default=1,
        help="processes that detect shares its work among, at most",
    )
    parser.add_argument(
        "--series",
        type=int,
        default=1_000,
        help="series that two workers train on",
    )
    parser.add_argument(
        "--alone",
        type=int,
        default=100,
        help="series that one worker trains on (1,000 take half an hour)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small settings, for a look"
    )
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"choose from {', '.join(PARTS)}, got {part!r}")
    return options


def measure(options):
    for backend in chosen(options.backend, FEED_FORWARD):
        for part in options.parts or PARTS:
            if part == "growth":
                growth(backend, options.quick, options.shapes)
            elif part == "speed":
                speed(backend, options.quick, options.max_workers)
            elif part == "workers":
                workers(backend, options.quick, options.series, options.alone)
            else:
                large(backend, options.quick)


def main():
    options = arguments()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    if options.cell:
        what, cell = json.loads(options.cell)
        with env._let(use_tqdm=False):
            print(json.dumps(CELLS[what](**cell)))
        return
    # What is written, by GluonTS too, is gone afterwards.
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        measure(options)


if __name__ == "__main__":
    main()
