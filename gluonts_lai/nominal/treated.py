"""
The series of an epoch, as training sees them.

An epoch may see few of many series: each is made when it is first asked for,
and kept, as it may be asked for again.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonts_lai.transform import Clean

from .prepared import Prepared


class Treated(Sequence):
    """
    Entries with any value, cleaned.

    Parameters
    ----------
    prepared
        The series as the network wants them.
    clean
        The same without their anomalies.
    first
        Which of them to begin with; those before it come last.
    """

    def __init__(
        self, prepared: Prepared, clean: Clean, first: int = 0
    ) -> None:
        self.prepared = prepared
        self.clean = clean
        self.which = np.roll(np.flatnonzero(prepared.usable), -first)
        self.made: dict[int, dict] = {}

    def __len__(self) -> int:
        return len(self.which)

    def __getitem__(self, place: Any) -> Any:
        i = int(self.which[place])
        if i not in self.made:
            self.made[i] = self.prepared.treated(self.clean, i)
        return self.made[i]
