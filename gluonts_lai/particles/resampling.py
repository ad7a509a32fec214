"""
Few of many weights, chosen without favour.

The optimal resampling of Fearnhead and Clifford (2003).
"""

import numpy as np

from gluonts_lai.indicator.recursion import compiled


@compiled
def resample(weights, uniforms, parents, kept):
    """
    Choose some of many weights, so that each is kept on average.

    All above a bound stay what they are; of the others as many as there is
    room for, each with the bound as its weight.
    """
    num_series, num_weights = weights.shape
    room = parents.shape[1]
    for i in range(num_series):
        ranked = np.sort(weights[i])[::-1]
        rest = ranked.sum()
        bound = 0.0
        for k in range(room):
            bound = rest / (room - k)
            if ranked[k] <= bound:
                break
            rest -= ranked[k]
        if (ranked > 0.0).sum() <= room:
            bound = 0.0
        place, due = 0, uniforms[i] * bound
        for j in range(num_weights):
            weight = weights[i, j]
            if weight > bound and place < room:
                parents[i, place], kept[i, place] = j, weight
                place += 1
            elif bound > 0.0 and weight > 0.0:
                due -= weight
                if due < 0.0 and place < room:
                    due += bound
                    parents[i, place], kept[i, place] = j, bound
                    place += 1
