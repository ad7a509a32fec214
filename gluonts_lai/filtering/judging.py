"""
One point after the other: what is known of a series, and how it goes on.

A point comes, and what the forecaster had said of it. Its density is widened:
after points that were not seen, by calibration, and by what the points before
it have shown of the forecaster. Then, in log-odds,

    what the chain believed + log p⁻(x) − log p⁺(x)

is what is known of its indicator. A point that is probably anomalous is
replaced before the forecaster looks back on it, but not for ever: of more than
``max_run`` such points in a row the rest is accepted as it comes, until the
forecaster explains the series again. That is how the series is now, and the
chain starts again.

So a point after ``max_run`` others may be explained in two ways: the series is
back where the forecaster looks for it, or it has moved for good, and lies as
far from there as the point before. p⁺ of that point is a mixture of both.

All that filters goes through :func:`advance`: whole series at once
(:mod:`.filter`) and points as they come
(:mod:`gluonts_lai.streaming`).
"""

import numba
import numpy as np

from gluonts_lai.indicator.recursion import compiled
from gluonts_lai.nominal.bells import MOST_SQUARE, Bells

from .vigil import (
    ANOMALOUS,
    OPEN,
    Rules,
    Stand,
    Verdicts,
    Vigil,
)

# How fast the spread is recalibrated, and how far from where it began.
FORGETTING = 0.01
LEAST_VARIANCE, MOST_VARIANCE = 0.25, 16.0
# Share of the anomalies that outlast the bound: those are how the series is.
OUTLASTING = 0.2
# No network can look back on what is larger: single precision overflows.
MOST_SIZE = 1e30
# Squares of numbers beyond this overflow.
LARGE = 1e150


@numba.njit
def confined(value, low, high, whole):
    """
    A value that a series can have, given the values that it had.

    As far beyond them as they reach, and no further: a forecaster that feeds
    on its own expectations may run away. What was never negative stays so.
    """
    reach = high - low
    least = max(low - reach, 0.0) if low >= 0.0 else low - reach
    value = min(max(value, least), high + reach)
    return np.rint(value) if whole else value


@numba.njit
def log_bell(log_height, df, distance, spread):
    """Log density of a bell, made wider, at a distance from its top."""
    distance = distance / spread
    if distance < LARGE:
        log_fall = np.log1p(distance * distance / df)
    else:
        log_fall = 2.0 * np.log(distance) - np.log(df)
    return log_height - np.log(spread) - (df + 1.0) / 2.0 * log_fall


def advance(
    values: np.ndarray,
    bells: Bells,
    log_anomalous: np.ndarray,
    opinions: np.ndarray,
    decisions: np.ndarray,
    rules: Rules,
    stand: Stand,
    vigil: Vigil,
    verdicts: Verdicts,
) -> None:
    """
    Judge the points of some rows, one after the other.

    Parameters
    ----------
    values
        The points: (rows, time), as all that follows.
    bells
        What the forecaster said of them.
    log_anomalous
        log p⁻ of them.
    opinions
        Log-odds of what somebody knows of them.
    decisions
        What has been decided of them; OPEN where that is done here.
    rules
        How they are judged.
    stand
        Where a context has changed since it was scored, points stay what they
        are until they are scored again: replaced on account of what is out of
        date, they would mislead those after them.
    vigil
        What is known before them, and afterwards what is known then.
    verdicts
        Filled in.
    """
    # One by one: numba is slow to recognise tuples of arrays.
    go_on(
        values,
        *(bells.expected, bells.deviation),
        *(bells.log_height, bells.df, bells.distance),
        *(log_anomalous, opinions, decisions),
        *rules,
        *stand,
        *vigil,
        *verdicts,
    )


@compiled
def go_on(
    values,
    # what was said
    expected,
    deviation,
    log_heights,
    dfs,
    distances,
    log_anomalous,
    opinions,
    decisions,
    # rules
    p_enters,
    p_stays,
    widenings,
    max_runs,
    threshold,
    imputes,
    recalibrates,
    # stand
    contexts,
    slacks,
    reach,
    # vigil
    beliefs,
    unseens,
    runs,
    variances,
    lasts,
    shifts,
    lows,
    highs,
    wholes,
    # verdicts
    log_normals,
    log_oddses,
    probabilities,
    spreads,
    replaced,
    targets,
):
    """See :func:`advance`."""
    for i in range(values.shape[0]):
        p_enter, p_stay, max_run = p_enters[i], p_stays[i], max_runs[i]
        belief, unseen, run = beliefs[i], unseens[i], runs[i]
        variance, last, shift = variances[i], lasts[i], shifts[i]
        low, high, whole = lows[i], highs[i], wholes[i]
        last_change = -reach - 1
        for t in range(values.shape[1]):
            x = values[i, t]
            is_seen = x == x
            is_first = low > high
            if is_first:  # there was nothing to expect it from
                expected[i, t] = np.nan

            # How wide is its density, and what does that say of it?
            before = widenings[i] * np.sqrt(1.0 + unseen)
            spread = before * np.sqrt(variance)
            log_normal, evidence = np.nan, 0.0
            off = x - expected[i, t]
            if is_seen and not is_first:
                log_height, df = log_heights[i, t], dfs[i, t]
                log_normal = log_bell(log_height, df, distances[i, t], spread)
                ratio = log_anomalous[i, t] - log_normal
                evidence = ratio if ratio == ratio else 0.0

            # Bayes: log-odds add.
            log_odds = np.log(belief / (1.0 - belief)) + evidence
            log_odds += opinions[i, t]
            probability = 1.0 / (1.0 + np.exp(-log_odds))

            # Would it be nominal if the series had moved?
            log_told = log_normal
            may_have_moved = 0.0 < max_run <= run and abs(x) <= MOST_SIZE
            if may_have_moved and evidence != 0.0 and off != 0.0:
                distance = distances[i, t] / abs(off) * abs(off - shift)
                log_told = np.logaddexp(
                    np.log(1.0 - OUTLASTING) + log_normal,
                    np.log(OUTLASTING)
                    + log_bell(log_height, df, distance, spread),
                )
                log_odds += log_normal - log_told

            # Is it replaced?
            decision = decisions[i, t]
            is_flagged = probability > threshold
            if decision != OPEN:
                is_flagged = decision == ANOMALOUS
            if is_seen:
                run = run + 1.0 if is_flagged else 0.0
                shift = off if is_flagged and off == off else 0.0
            is_replaced = is_flagged and (run <= max_run or abs(x) > MOST_SIZE)

            # What will the chain believe of the next point?
            moved = probability
            if decision != OPEN:
                moved = 1.0 if is_flagged else 0.0
            elif is_flagged and not is_replaced:
                moved = 0.0
            belief = p_enter + (p_stay - p_enter) * moved

            # What will the forecaster look back on?
            if is_seen:
                low, high = min(low, x), max(high, x)
                whole = whole if x == np.rint(x) else 0.0
                if is_first:
                    for s in range(t):
                        targets[i, s] = x
            target = x
            if is_replaced or not is_seen:
                target = last
                if imputes and expected[i, t] == expected[i, t]:
                    target = expected[i, t]
                if low <= high:
                    target = confined(target, low, high, whole)
                unseen += 1.0
            else:
                last = x
                unseen /= 2.0

            # How wrong is the forecaster nowadays?
            if recalibrates and log_normal == log_normal:
                residual = off / (deviation[i, t] * before)
                square = min(residual * residual, MOST_SQUARE * variance)
                if square == square:
                    variance += FORGETTING * (square - variance)
                    variance = max(variance, LEAST_VARIANCE)
                    variance = min(variance, MOST_VARIANCE)

            log_normals[i, t] = log_told
            log_oddses[i, t] = log_odds
            probabilities[i, t] = 1.0 / (1.0 + np.exp(-log_odds))
            spreads[i, t] = spread
            replaced[i, t] = is_replaced
            if t - last_change <= reach:
                target = contexts[i, t]
            elif (
                not is_first and not abs(target - contexts[i, t]) <= slacks[i]
            ):
                last_change = t
            targets[i, t] = target
        beliefs[i], unseens[i], runs[i] = belief, unseen, run
        variances[i], lasts[i], shifts[i] = variance, last, shift
        lows[i], highs[i], wholes[i] = low, high, whole
