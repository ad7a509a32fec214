"""
The three loops over time, compiled.

They run on odds rather than on log-odds, so that no logarithm stands between
two steps, and release the GIL, so that threads can share the series. All that
is elementwise and needs a logarithm or an exponential stays in numpy, which
takes eight of them at once.

A point's evidence comes as ``log_ratio = log p⁻ − log p⁺`` and ``weight =
exp(−|log_ratio|)``: of the two sources the likelier has weight 1, the other
has ``weight``. Index 0 is normal, 1 is anomalous: ``a`` comes from the past,
``b`` from the future, ``e`` is the point's own evidence, ``m`` the chain's
moves.
"""

import logging
import time
from typing import Any, Callable

import numba
import numpy as np

logger = logging.getLogger(__name__)

# A message is rescaled before the smaller of its two parts can lose digits.
SMALLEST_SUM = 1e-4
# Beyond this or its inverse, products of messages are formed with more care.
SMALLEST_PRODUCT = 1e-10


def compiled(loop: Callable) -> Callable:
    """Compile ``loop`` at its first call, and say so at DEBUG."""
    options = dict(nogil=True, error_model="numpy")
    try:
        kernel = numba.njit(cache=True, **options)(loop)
    except RuntimeError:  # nowhere to write: compiled anew in each process
        kernel = numba.njit(**options)(loop)

    def call(*arguments: Any) -> None:
        num_compiled = sum(kernel.stats.cache_misses.values())
        begin = time.perf_counter()
        kernel(*arguments)
        if sum(kernel.stats.cache_misses.values()) > num_compiled:
            seconds = time.perf_counter() - begin
            logger.debug("compiled %s in %.1f s", loop.__name__, seconds)

    return call


@numba.njit
def source_weights(log_ratio, weight):
    """The weights of the normal and of the anomalous source."""
    if log_ratio < 0.0:
        return 1.0, weight
    return weight, 1.0


@numba.njit
def rescale(a0, a1, log_ratio):
    """
    A message that has seen a point, its larger part 1, and the log of what it
    was divided by. In log-odds, where nothing underflows.
    """
    log_odds = np.log(a1 / a0) + log_ratio
    if log_odds > 0.0:
        return np.exp(-log_odds), 1.0, np.log(a1) + min(0.0, log_ratio)
    return 1.0, np.exp(log_odds), np.log(a0) + min(0.0, -log_ratio)


@compiled
def pass_messages(
    log_ratio, weight, starts, moves, past, log_scale, filtering, future
):
    """
    Odds of the messages that reach each point from the past and the future.

    Both go at once, one from each end: neither waits for the other, and the
    processor works on them side by side. ``log_scale`` is the log of all that
    the message from the past was divided by. ``filtering``, if not None, takes
    the probabilities before and after each point; ``future`` may be None.
    """
    num_series, num_times = log_ratio.shape
    for i in range(num_series):
        m00, m01 = moves[i, 0, 0], moves[i, 0, 1]
        m10, m11 = moves[i, 1, 0], moves[i, 1, 1]
        a0, a1 = starts[i, 0], starts[i, 1]
        b0, b1 = 1.0, 1.0
        total, log_taken = 1.0, 0.0
        for t in range(num_times):
            past[i, t] = a1 / a0
            e0, e1 = source_weights(log_ratio[i, t], weight[i, t])
            total = a0 * e0 + a1 * e1
            if filtering is not None:
                predicted, filtered = filtering
                predicted[i, t] = a1 / (a0 + a1)
                filtered[i, t] = a1 * e1 / total
            if total < SMALLEST_SUM:
                a0, a1, log_sum = rescale(a0, a1, log_ratio[i, t])
                log_taken += log_sum
                e0, e1, total = 1.0, 1.0, a0 + a1
            # In this order, a step waits for one product and one sum only.
            a0, a1 = (
                a0 * (e0 * m00) + a1 * (e1 * m10),
                a0 * (e0 * m01) + a1 * (e1 * m11),
            )
            if future is not None:
                s = num_times - 1 - t
                future[i, s] = b1 / b0
                e0, e1 = source_weights(log_ratio[i, s], weight[i, s])
                if b0 * e0 + b1 * e1 < SMALLEST_SUM:
                    b0, b1, _ = rescale(b0, b1, log_ratio[i, s])
                    e0, e1 = 1.0, 1.0
                b0, b1 = (
                    b0 * (e0 * m00) + b1 * (e1 * m01),
                    b0 * (e0 * m10) + b1 * (e1 * m11),
                )
        log_scale[i] = log_taken + np.log(total)


@compiled
def meet(log_ratio, weight, past, future, moves, smoothed, counts):
    """
    Where both messages meet: P(z[t] = 1 | x), and expected steps j → k.

    Each step has four joint weights: what is known of ``z[t-1]`` from its past
    and its point, times the move, times what is known of ``z[t]`` from its
    point and its future.
    """
    num_series, num_times = log_ratio.shape
    for i in range(num_series):
        m00, m01 = moves[i, 0, 0], moves[i, 0, 1]
        m10, m11 = moves[i, 1, 0], moves[i, 1, 1]
        n00 = n01 = n10 = n11 = 0.0
        a0 = a1 = 0.0
        for t in range(num_times):
            e0, e1 = source_weights(log_ratio[i, t], weight[i, t])
            if t > 0:
                b0, b1 = e0, e1 * future[i, t]
                w00, w01 = a0 * b0 * m00, a0 * b1 * m01
                w10, w11 = a1 * b0 * m10, a1 * b1 * m11
                total = w00 + w01 + w10 + w11
                if not SMALLEST_PRODUCT < total < 1.0 / SMALLEST_PRODUCT:
                    a0, a1, _ = rescale(
                        1.0, past[i, t - 1], log_ratio[i, t - 1]
                    )
                    b0, b1, _ = rescale(1.0, future[i, t], log_ratio[i, t])
                    w00, w01 = a0 * b0 * m00, a0 * b1 * m01
                    w10, w11 = a1 * b0 * m10, a1 * b1 * m11
                    total = w00 + w01 + w10 + w11
                share = 1.0 / total
                n00 += w00 * share
                n01 += w01 * share
                n10 += w10 * share
                n11 += w11 * share
                smoothed[i, t] = (w01 + w11) * share
                if t == 1:
                    smoothed[i, 0] = (w10 + w11) * share
            a0, a1 = e0, e1 * past[i, t]
        if num_times == 1:
            smoothed[i, 0] = a1 / (a0 + a1)
        counts[i, 0, 0], counts[i, 0, 1] = n00, n01
        counts[i, 1, 0], counts[i, 1, 1] = n10, n11


@compiled
def draw(after_normal, after_anomalous, uniforms, begin, paths):
    """
    Draw paths backwards, each bit given the one after it.

    ``after_normal`` and ``after_anomalous`` hold ``P(z[t] = 1 | z[t+1] = k,
    x[:t+1])`` for k = 0 and k = 1; at the last time, ``P(z[t] = 1 | x)``. In
    ``paths`` these series stand from ``begin`` on.
    """
    num_series, num_paths, num_times = uniforms.shape
    for i in range(num_series):
        for k in range(num_paths):
            anomalous = False
            for t in range(num_times - 1, -1, -1):
                p = after_anomalous[i, t] if anomalous else after_normal[i, t]
                anomalous = uniforms[i, k, t] < p
                paths[k, begin + i, t] = anomalous
