"""
What a file seems to hold, told to the user.
"""

from typing import NamedTuple, Optional

from .layout import Layout
from .sheet import listed


class Guesses(NamedTuple):
    """How a file was read: as it seemed, or as the user said."""

    layout: str  # "long", "wide" or "jsonl"
    freq: str
    timestamp: Optional[str] = None
    values: tuple[str, ...] = ()
    item_id: Optional[str] = None
    label: Optional[str] = None
    left_out: tuple[str, ...] = ()  # columns that are not read

    @classmethod
    def of(
        cls,
        entries: list[dict],
        layout: Optional[Layout],
        label: Optional[str],
    ) -> "Guesses":
        freq = entries[0]["start"].freqstr
        if layout is None:
            return cls("jsonl", freq, label=label)
        return cls(
            layout.kind,
            freq,
            layout.timestamp,
            layout.values,
            layout.item_id,
            layout.label,
            layout.left_out,
        )

    def summary(self) -> str:
        """All of it in a line."""
        said = [f"{self.layout}, one point each {self.freq}"]
        if self.timestamp:
            said.append(f"time in {self.timestamp!r}")
        if self.layout == "wide":
            said.append(f"series in {listed(self.values, 3)}")
        elif self.values:
            said.append(f"values in {listed(self.values, 3)}")
        if self.item_id:
            said.append(f"series by {self.item_id!r}")
        if self.label:
            said.append(f"labels in {self.label!r}")
        if self.left_out:
            said.append(f"not read: {listed(self.left_out, 3)}")
        return "; ".join(said)
