"""
How fast is the indicator, beside hmmlearn and dynamax?

One run, on this machine: filter, smoother and expected transitions of a
two-state chain, from log densities in double precision.

    ours      filter_chain, then smooth_chain (which holds the transitions)
    hmmlearn  its scaled C++ recursions, series by series, as its EM calls them
    dynamax   hmm_smoother, jitted and vmapped

Before anything is timed, all three must give the same answers. They then take
turns, so that a busy moment hits all of them; the best of each counts.
"""

import argparse
import platform
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import numpy as np

from gluonts_lai import IndicatorChain
from gluonts_lai.indicator import filter_chain, smooth_chain

SHAPES = [(1, 133_000), (370, 13_300), (1_000, 500), (100_000, 50)]
CHAIN = IndicatorChain(p_start=0.01, p_enter=0.01, p_stay=0.5)
START = np.array([1 - CHAIN.p_start, CHAIN.p_start])
# Two numbers read and three written by the filter; two and two by the
# smoother.
BYTES_A_POINT = 8 * (2 + 3 + 2 + 2)


def densities(shape):
    """Gaussian points, 2 % of them replaced by something uniform."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape)
    anomalous = rng.random(shape) < 0.02
    x[anomalous] = rng.uniform(-10, 10, anomalous.sum())
    log_normal = -0.5 * x**2 - 0.5 * np.log(2 * np.pi)
    return log_normal, np.full(shape, -np.log(20))


def prepare_ours(log_normal, log_anomalous):
    def run():
        filtered = filter_chain(CHAIN, log_normal, log_anomalous)
        smoothed = smooth_chain(CHAIN, log_normal, log_anomalous)
        return filtered.filtered, smoothed.smoothed, smoothed.transitions

    return run


def prepare_hmmlearn(log_normal, log_anomalous):
    from hmmlearn import _hmmc

    log_densities = np.stack([log_normal, log_anomalous], axis=-1)

    def one(log_density):
        density = np.exp(log_density)
        _, forward, scale = _hmmc.forward_scaling(
            START, CHAIN.transition_matrix, density
        )
        backward = _hmmc.backward_scaling(
            START, CHAIN.transition_matrix, density, scale
        )
        posterior = forward * backward
        posterior /= posterior.sum(axis=1, keepdims=True)
        transitions = _hmmc.compute_scaling_xi_sum(
            forward, CHAIN.transition_matrix, backward, density
        )
        return forward[:, 1], posterior[:, 1], transitions

    def run():
        return list(zip(*map(one, log_densities)))

    return run


def prepare_dynamax(log_normal, log_anomalous):
    import jax

    jax.config.update("jax_enable_x64", True)
    from dynamax.hidden_markov_model import hmm_smoother

    log_densities = jax.numpy.stack([log_normal, log_anomalous], axis=-1)
    smoother = jax.jit(
        jax.vmap(lambda one: hmm_smoother(START, CHAIN.transition_matrix, one))
    )

    def run():
        result = jax.block_until_ready(smoother(log_densities))
        return (
            result.filtered_probs[..., 1],
            result.smoothed_probs[..., 1],
            result.trans_probs,
        )

    return run


PREPARE = {
    "ours": prepare_ours,
    "hmmlearn": prepare_hmmlearn,
    "dynamax": prepare_dynamax,
}


def seconds(shape, num_turns):
    """The best time of each library on one shape."""
    contestants = {
        name: prepare(*densities(shape)) for name, prepare in PREPARE.items()
    }
    answers = [run() for run in contestants.values()]  # compiles as well
    for others in answers[1:]:
        for mine, theirs in zip(answers[0], others):
            np.testing.assert_allclose(
                mine, np.asarray(theirs), rtol=1e-6, atol=1e-9
            )
    times = {name: [] for name in contestants}
    for _ in range(num_turns):
        for name, run in contestants.items():
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
    return {name: min(taken) for name, taken in times.items()}


def bandwidth(num_threads):
    """Bytes a second, read and written, by copying on all processors."""
    source = np.ones(2**25)
    target = np.zeros_like(source)
    parts = np.array_split(np.arange(source.size), num_threads)
    slices = [slice(part[0], part[-1] + 1) for part in parts]
    best = np.inf
    with ThreadPoolExecutor(num_threads) as pool:
        for _ in range(5):
            begin = time.perf_counter()
            list(pool.map(lambda s: np.copyto(target[s], source[s]), slices))
            best = min(best, time.perf_counter() - begin)
    return 2 * source.nbytes / best


def processor():
    """The name that the system gives to the processor."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            names = [line for line in info if line.startswith("model name")]
        return names[0].split(":")[1].strip()
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


def main():
    import numba

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--turns", type=int, default=7, help="turns of each library (7)"
    )
    num_turns = parser.parse_args().turns
    num_threads = numba.config.NUMBA_NUM_THREADS

    packages = ["numpy", "numba", "hmmlearn", "dynamax", "jax"]
    print(
        f"{processor()}, {num_threads} threads, "
        f"Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in packages)
    )
    print("\nMillion points a second, best of", num_turns, "turns:\n")
    columns = [*PREPARE, "÷ hmmlearn", "÷ dynamax"]
    print("| series × points |", " | ".join(columns), "|")
    print("|---|---|---|---|---|---|")
    for shape in SHAPES:
        best = seconds(shape, num_turns)
        speed = {name: np.prod(shape) / best[name] / 1e6 for name in best}
        print(
            f"| {shape[0]:,} × {shape[1]:,} | "
            + " | ".join(f"{speed[name]:.1f}" for name in PREPARE)
            + f" | {best['hmmlearn'] / best['ours']:.1f}"
            + f" | {best['dynamax'] / best['ours']:.1f} |",
            flush=True,
        )
    limit = bandwidth(num_threads)
    print(
        f"\nMemory moves {limit / 1e9:.1f} GB a second here; at "
        f"{BYTES_A_POINT} bytes a point that is a limit of "
        f"{limit / BYTES_A_POINT / 1e6:.0f} million points a second."
    )


if __name__ == "__main__":
    main()
