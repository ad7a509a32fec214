"""
The record of a training run.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd


class Round(NamedTuple):
    """
    What one round of EM found.

    Examples
    --------
    >>> Round(5, -1.2, 0.031, 0.02, 0.5, 0.1, 1.2).news()["flagged"]
    '3.10%'
    """

    epoch: int  # epochs trained before it
    log_likelihood: float  # of a point on average, z summed out
    share_flagged: float  # share of the points with P(z = 1) > 0.5
    p_enter: float
    p_stay: float
    seconds: float  # in the E-step
    widening: float  # of densities, by calibration; the mean over series

    def news(self) -> dict[str, str]:
        """What to show of it while training goes on."""
        return {
            "epoch": str(self.epoch),
            "flagged": f"{self.share_flagged:.2%}",
            "p_enter": f"{self.p_enter:.4f}",
            "p_stay": f"{self.p_stay:.3f}",
        }


class History(list):
    """One :class:`Round` after the other."""

    def to_frame(self) -> "pd.DataFrame":
        """
        One row for each round.

        Examples
        --------
        >>> rounds = [Round(epoch, -1.2, 0.03, 0.02, 0.5, 0.1, 1.2)
        ...           for epoch in (5, 8)]
        >>> History(rounds).to_frame()[["epoch", "share_flagged"]]
           epoch  share_flagged
        0      5           0.03
        1      8           0.03
        """
        import pandas as pd

        return pd.DataFrame(list(self), columns=Round._fields)
