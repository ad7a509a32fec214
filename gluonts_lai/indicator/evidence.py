"""
What the data say of the indicator: two log densities at every point.

Whatever the caller has (lists, integers, read-only or strided views, float32)
becomes a table of series by time; nothing of the caller's is written to. A
point with a density of NaN is missing: it says nothing, and the chain alone
decides there.
"""

from typing import NamedTuple, NoReturn, Sequence, Union

import numpy as np

from gluonts_lai.arrays import real_array

from .chain import IndicatorChain

Chains = Union[IndicatorChain, Sequence[IndicatorChain], np.ndarray]


class Problem(NamedTuple):
    """The densities of all series, and the chain of each."""

    log_normal: np.ndarray  # (series, time)
    log_anomalous: np.ndarray  # (series, time)
    starts: np.ndarray  # (series, 2): P(z[0] = j)
    moves: np.ndarray  # (series, 2, 2): P(z[t+1] = k | z[t] = j)
    batch_shape: tuple[int, ...]

    @classmethod
    def of(
        cls, chain: Chains, log_normal: np.ndarray, log_anomalous: np.ndarray
    ) -> "Problem":
        log_normal, log_anomalous = as_densities(
            log_normal=log_normal, log_anomalous=log_anomalous
        )
        *batch_shape, num_times = log_normal.shape
        table = int(np.prod(batch_shape, dtype=int)), num_times
        p_start, p_enter, p_stay = probabilities(chain, tuple(batch_shape))
        return cls(
            log_normal.reshape(table),
            log_anomalous.reshape(table),
            np.stack([1 - p_start, p_start], -1),
            np.stack([1 - p_enter, p_enter, 1 - p_stay, p_stay], -1).reshape(
                -1, 2, 2
            ),
            tuple(batch_shape),
        )

    def weigh(
        self, rows: slice, log_ratio: np.ndarray, weight: np.ndarray
    ) -> np.ndarray:
        """
        Fill in what the points of some series say, in double precision.

        ``log_ratio`` takes log p⁻ − log p⁺, ``weight`` the weight exp(−|·|) of
        the less likely source. Returns the log density of each whole series
        under the likelier source at each point.
        """
        log_normal = self.log_normal[rows]
        log_anomalous = self.log_anomalous[rows]
        # Rounding to 0 or to infinity is right here, whatever the user wants
        # to hear of it; that both are -inf is refused.
        with np.errstate(all="ignore"):
            log_best = np.maximum(log_normal, log_anomalous, out=weight)
            np.subtract(log_anomalous, log_normal, out=log_ratio, dtype=float)
            if not np.isfinite(log_ratio).all():
                if np.isinf(log_best).any():
                    self.refuse(rows, log_best)
                missing = np.isnan(log_ratio)
                log_ratio[missing] = log_best[missing] = 0.0
            log_best_of_series = log_best.sum(-1)
            np.abs(log_ratio, out=weight)
            np.negative(weight, out=weight)
            np.exp(weight, out=weight)
        return log_best_of_series

    def refuse(self, rows: slice, log_best: np.ndarray) -> NoReturn:
        """Say which point no chain can explain."""
        row, t = (int(i) for i in np.argwhere(np.isinf(log_best))[0])
        index = np.unravel_index(rows.start + row, self.batch_shape or (1,))
        name = index[0] if len(index) == 1 else tuple(int(i) for i in index)
        place = f"series {name}, time {t}"
        if log_best[row, t] < 0:
            raise ValueError(
                "one of the two log densities must exceed -inf, got -inf for "
                f"both at {place}; give p⁻ a floor, or NaN to both densities "
                "of a missing point."
            )
        raise ValueError(
            f"log densities must be below inf, got inf at {place}; an "
            "infinite density often is a scale of zero: give it a floor."
        )

    def part(self, rows: slice) -> "Problem":
        """Some of the series only, in double precision, one batch axis."""
        return Problem(
            self.log_normal[rows].astype(float, copy=False),
            self.log_anomalous[rows].astype(float, copy=False),
            self.starts[rows],
            self.moves[rows],
            batch_shape=(len(self.starts[rows]),),
        )

    def empty(self) -> np.ndarray:
        """Room for one number a point, in the precision of the input."""
        return np.empty_like(self.log_normal)

    def unfold(self, table: np.ndarray) -> np.ndarray:
        """Bring the caller's batch axes back."""
        return table.reshape(self.batch_shape + table.shape[1:])


def as_densities(**named: np.ndarray) -> list[np.ndarray]:
    """Equally shaped arrays with a time axis, all float32 or all float64."""
    arrays = [real_array(array, name) for name, array in named.items()]
    shapes = [array.shape for array in arrays]
    names = " and ".join(named)
    if () in shapes:
        raise ValueError(
            f"{names} must have a time axis, got a single number; give "
            "arrays, time last."
        )
    if len(set(shapes)) > 1:
        raise ValueError(
            f"{names} must have one shape, got "
            f"{' and '.join(map(str, shapes))}; use np.broadcast_to where one "
            "value serves many points."
        )
    dtype = np.result_type(*arrays)
    return [np.ascontiguousarray(array, dtype) for array in arrays]


def probabilities(chain: Chains, batch_shape: tuple[int, ...]) -> np.ndarray:
    """Rows ``p_start``, ``p_enter``, ``p_stay``, a column for each series."""
    chains = np.asarray(chain, dtype=object)
    for one in chains.flat:
        if not isinstance(one, IndicatorChain):
            raise TypeError(
                "chain must be an IndicatorChain, or a sequence with one for "
                f"each series, got {one!r}."
            )
    table = np.array([[c.p_start, c.p_enter, c.p_stay] for c in chains.flat])
    table = table.reshape(chains.shape + (3,))
    try:
        table = np.broadcast_to(table, batch_shape + (3,))
    except ValueError:
        raise ValueError(
            "there must be one chain for all series, or one for each in the "
            f"shape of the axes before time, {batch_shape}; got chains of "
            f"shape {chains.shape}."
        ) from None
    return table.reshape(-1, 3).T
