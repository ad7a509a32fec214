"""
What pictures share: the sheet, the colours, where words go.

Colours are told apart by how dark they are, so that a copy in grey says the
same. Nothing imports matplotlib before there is something to draw.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.text import Text

OBSERVED = "black"
FLAGGED = "#c1272d"
EXPECTED = "#1f5f93"
BAND = "#a6c8e0"
NARROW_BAND = "#86b3d4"
WIDE_BAND = "#c9deed"

MOST_PANELS = 12  # more could be neither read nor laid out in a minute
LONGEST_TITLE = 40  # letters


def new_figure(**options: Any) -> "Figure":
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib; install it with "
            "pip install 'gluonts-lai[plot]'."
        ) from error
    return Figure(**options)


def stacked(
    num_panels: int, height: float, **options: Any
) -> "tuple[Figure, Any]":
    """Panels one above the other, for a file rather than a screen."""
    figure = new_figure(figsize=(10, height), dpi=120, layout="constrained")
    return figure, figure.subplots(num_panels, squeeze=False, **options)[:, 0]


def caption(axes: "Axes", title: str) -> "tuple[Text, Legend]":
    """A title on the left and the legend beside it, off the data."""
    text = axes.set_title(title, loc="left")
    legend = axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.2,
        frameon=False,
        ncols=7,
        fontsize="small",
        columnspacing=1.0,
        handlelength=1.6,
        handletextpad=0.5,
    )
    for patch in legend.get_patches():
        patch.set_linewidth(0)  # the edge of a narrow band may be broad
    return text, legend


def headline(axes: "Axes", item_id: Any, dim: Optional[int] = None) -> None:
    """The name of a series, as much of it as the legend leaves room for."""
    text, legend = caption(axes, heading(item_id, dim))
    # The axis and its label take a tenth of the sheet.
    sheet = 0.9 * axes.figure.bbox.width
    room = sheet - legend.get_window_extent().width
    num_letters = LONGEST_TITLE
    while text.get_window_extent().width > room and num_letters:
        num_letters -= 1
        text.set_text(heading(item_id, dim, num_letters))


def heading(
    item_id: Any,
    dim: Optional[int] = None,
    num_letters: int = LONGEST_TITLE,
) -> str:
    """The name of a series, and which dimension of it, if it has several."""
    name = "" if item_id is None else " ".join(str(item_id).split())
    dimension = "" if dim is None else f"dimension {dim}"
    room = max(num_letters - len(dimension), 1)
    if len(name) > room:
        name = name[: room - 1] + "…"
    title = ", ".join(filter(None, [name, dimension]))
    return title.replace("$", r"\$")  # which would begin a formula


def remark(axes: "Axes", text: str) -> None:
    """Why a panel is empty, where the eye looks for something else."""
    axes.text(
        0.5,
        0.5,
        text,
        transform=axes.transAxes,
        horizontalalignment="center",
        verticalalignment="center",
        color="#555555",
    )
    axes.tick_params(left=False, labelleft=False)


def check_picture(path: str) -> None:
    """
    Whether a picture can be written there; raises an error if not.

    >>> check_picture("found.docx")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: a picture must end in one of ..., got found.docx.
    """
    folder, kind = Path(path).parent, Path(path).suffix[1:]
    kinds = new_figure().canvas.get_supported_filetypes()
    if kind not in kinds:
        raise ValueError(
            f"a picture must end in one of {', '.join(sorted(kinds))}, got "
            f"{path}."
        )
    if not folder.is_dir():
        raise OSError(f"{folder} must be a folder to write {path} to.")
