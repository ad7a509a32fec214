"""
A chain for each series, found by what the series is called.
"""

from typing import Any

from gluonts_lai.indicator import IndicatorChain


class ChainsOfSeries(dict):
    """
    Chains by the name of their series, or by its position if it has none.

    Names are texts, and "#0", "#1", … are positions, as in JSON; whole numbers
    are understood as well.

    Examples
    --------
    >>> first, second = IndicatorChain(0.1), IndicatorChain(0.2)
    >>> chains = ChainsOfSeries({"7": first, "#1": second})
    >>> chains[7] is first, chains[1] is second
    (True, True)
    """

    def __missing__(self, key: Any) -> IndicatorChain:
        for name in (str(key), f"#{key}"):
            if not isinstance(key, str) and name in self:
                return self[name]
        raise KeyError(key)
