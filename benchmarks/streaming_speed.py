"""
How fast are points taken in as they arrive, and how much is remembered?

A sine with noise, watched by ``predictor.stream()``: one series point by
point, and 1,000 series that are fed together by ``update_many``. Next to it
``detect(mode="filter")`` of the same points at once. Points a second, best and
median of five chunks after a warm-up, by the wall clock; "processor" is the
best by the processor's clock, where one thread does not see its neighbours.
Wanted are 2,000 for one series and 50,000 for 1,000.

With ``--memory``, the resident memory of this process and the size of the
stream's state as JSON, early on and after many updates: neither may grow.

    python benchmarks/streaming_speed.py --backend torch
    python benchmarks/streaming_speed.py --memory --updates 1000000
"""

import argparse
import json
import logging
import os
import resource
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from gluonts.env import env
from networks import FEED_FORWARD, chosen, feed_forward, wrapped

START = pd.Period("2024-01-01", "h")
NUM_CHUNKS = 5
# Steps before anything is timed, and steps of all chunks, by number of series.
STEPS = {1: (500, 5_000), 1_000: (50, 100)}
WANTED = {1: 2_000, 1_000: 50_000}
EARLY = 10_000  # updates before memory is looked at first


def sines(num_series, length, seed=0):
    """A day with noise, each series at its own hour."""
    rng = np.random.default_rng(seed)
    hours = np.arange(length) + 24 * rng.random((num_series, 1))
    waves = 10 + 2 * np.sin(2 * np.pi * hours / 24)
    return waves + 0.3 * rng.normal(size=waves.shape)


def entries(values, name="new"):
    return [
        {"item_id": f"{name}-{i}", "start": START, "target": row}
        for i, row in enumerate(values)
    ]


def trained(backend, horizon):
    """A predictor of sines, after a short training."""
    network = feed_forward(backend, horizon, 25, epochs=10)
    estimator = wrapped("LAI", network, seed=0)
    return estimator.train(entries(sines(10, 1_000), "known"))


def opened(predictor, num_series):
    """A stream that has seen nothing yet, and how it is fed one step."""
    nothing = [{"item_id": f"new-{i}"} for i in range(num_series)]
    if num_series == 1:
        stream = predictor.stream(nothing[0])
        return stream, lambda values: stream.update(values[0])
    stream = predictor.stream(nothing)
    return stream, stream.update_many


def timed(act):
    """Seconds on the wall and of the processor."""
    begin = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - begin[0], time.process_time() - begin[1]


def feed(take, steps):
    for values in steps:
        take(values)


def stream_speeds(predictor, values, num_warmup):
    """Points a second of each chunk, by both clocks."""
    _, take = opened(predictor, len(values))
    steps = values.T.tolist()
    feed(take, steps[:num_warmup])
    num_steps = (len(steps) - num_warmup) // NUM_CHUNKS
    taken = []
    for k in range(NUM_CHUNKS):
        begin = num_warmup + k * num_steps
        chunk = steps[begin : begin + num_steps]
        taken.append(timed(lambda chunk=chunk: feed(take, chunk)))
    return num_steps * len(values) / np.array(taken)


def detect_speeds(predictor, values):
    """Points a second of each of several calls, by both clocks."""

    def detect():
        for _ in predictor.detect(entries(values), mode="filter"):
            pass

    detect()  # compiles what is not compiled yet
    return values.size / np.array([timed(detect) for _ in range(NUM_CHUNKS)])


def say(name, speeds, wanted=""):
    wall, processor = speeds.T
    print(
        f"{name:38}{wall.max():12,.0f}{np.median(wall):12,.0f}"
        f"{processor.max():12,.0f}{wanted:>10}",
        flush=True,
    )


def speed(backend):
    print(
        f"{backend + ', points a second':38}{'best':>12}{'median':>12}"
        f"{'processor':>12}{'wanted':>10}"
    )
    for horizon in (1, 24):
        predictor = trained(backend, horizon)
        for num_series, (num_warmup, num_steps) in STEPS.items():
            values = sines(num_series, num_warmup + num_steps, seed=1)
            name = f"{horizon} ahead, {num_series:,} series"
            found = stream_speeds(predictor, values, num_warmup)
            say(f"{name}: stream", found, f"{WANTED[num_series]:,}")
            say(f"{name}: detect", detect_speeds(predictor, values))


def resident():
    """Memory that this process holds now, in MB; Linux only."""
    with open("/proc/self/statm", encoding="ascii") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize() / 2**20


def state_size(stream):
    """Bytes of the state as JSON."""
    if not hasattr(stream, "to_dict"):
        return "no to_dict"
    return f"{len(json.dumps(stream.to_dict())):,}"


def memory(backend, num_updates):
    print(
        f"{backend + ', updates':18}{'resident':>12}{'peak':>12}"
        f"{'state, bytes':>14}{'a second':>10}"
    )
    stream, take = opened(trained(backend, 1), 1)
    done, rng = 0, np.random.default_rng(2)
    for until in sorted({min(EARLY, num_updates), num_updates}):
        begin = time.perf_counter()
        for t in range(done, until):
            sine = np.sin(2 * np.pi * t / 24)
            take([10 + 2 * sine + 0.3 * rng.normal()])
        speed = (until - done) / (time.perf_counter() - begin)
        done = until
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{done:18,}{resident():10.1f}MB{peak:10.1f}MB"
            f"{state_size(stream):>14}{speed:10,.0f}",
            flush=True,
        )


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--backend", choices=[*FEED_FORWARD, "both"], default="both"
    )
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--updates", type=int, default=1_000_000)
    return parser.parse_args()


def main():
    options = arguments()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    with env._let(use_tqdm=False):
        for backend in chosen(options.backend, FEED_FORWARD):
            if options.memory:
                memory(backend, options.updates)
            else:
                speed(backend)


if __name__ == "__main__":
    main()
