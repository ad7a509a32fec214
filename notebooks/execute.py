"""
Run notebooks, and keep what they show.

    python notebooks/execute.py                               # all of them
    python notebooks/execute.py notebooks/01_quickstart.ipynb

A notebook is run from top to bottom by the Python that runs this file,
whatever kernels are installed, in an empty folder that goes away. What depends
on the machine or the moment is not kept: versions, times, logs, progress bars.

Settings stand in a cell tagged ``parameters``; others can be given in a cell
after it, so that tests take seconds and the outputs in the repository do not
come from toys. A notebook with a cell tagged ``needs-data`` is left alone
where ``GLUONTS_LAI_DATA`` is not set.
"""

import json
import os
import sys
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Mapping, Optional, Sequence

import click
import nbformat
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from PIL import Image

FOLDER = Path(__file__).parent
METADATA = {
    "kernelspec": {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}
NUM_COLOURS = 128  # of a picture: a third of the bytes, the same to the eye
PICTURE = "image/png"
WIDGET = "application/vnd.jupyter.widget-view+json"
NEEDS_DATA = "needs-data"
FACTS = "facts, as JSON: "


class ThisPython(AsyncKernelManager):
    """The kernel of the running Python: an installed one may be another's."""

    @property
    def kernel_spec(self) -> KernelSpec:
        # Or the debugger, which nobody uses here, warns at each start.
        env = {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        return KernelSpec(**get_kernel_dict(), env=env)


def run(
    notebook: NotebookNode,
    folder: Path,
    parameters: Optional[Mapping[str, Any]] = None,
    facts: Optional[Mapping[str, str]] = None,
) -> dict[str, Any]:
    """
    Run a notebook, which then holds its outputs.

    Parameters
    ----------
    notebook
        As read by nbformat.
    folder
        Where it runs.
    parameters
        Settings that replace those of the cell tagged ``parameters``.
    facts
        Expressions to look up when it has ended; JSON must know their values.

    Returns
    -------
    dict
        What the facts were.
    """
    if parameters:
        notebook.cells.insert(
            place_of_parameters(notebook) + 1,
            new_code_cell(
                "\n".join(f"{name} = {x!r}" for name, x in parameters.items())
            ),
        )
    pairs = ", ".join(f"{name!r}: {x}" for name, x in (facts or {}).items())
    question = f"import json; print({FACTS!r} + json.dumps({{{pairs}}}))"
    notebook.cells.append(new_code_cell(question))
    NotebookClient(
        notebook,
        kernel_manager_class=ThisPython,
        resources={"metadata": {"path": str(folder)}},
        timeout=None,
        coalesce_streams=True,
    ).execute()
    answer = notebook.cells.pop().outputs[0].text
    return json.loads(answer.removeprefix(FACTS))


def place_of_parameters(notebook: NotebookNode) -> int:
    """Where the cell with the settings stands."""
    for i, cell in enumerate(notebook.cells):
        if "parameters" in cell.metadata.get("tags", []):
            return i
    raise ValueError(
        "a notebook must have a cell tagged 'parameters' to be run with "
        "others, got none; tag the one with the settings."
    )


def tidy(notebook: NotebookNode) -> None:
    """Leave out what another machine, or another day, would change."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if not is_noise(o)]
            for output in cell.outputs:
                if PICTURE in output.get("data", {}):
                    output.data[PICTURE] = smaller(output.data[PICTURE])


def is_noise(output: NotebookNode) -> bool:
    """Logs, warnings and progress bars."""
    return output.get("name") == "stderr" or WIDGET in output.get("data", {})


def smaller(picture: str) -> str:
    """A picture in few colours."""
    image = Image.open(BytesIO(b64decode(picture))).convert("RGB")
    # An octree keeps the red of a single flagged point; the default does not.
    few = image.quantize(NUM_COLOURS, Image.Quantize.FASTOCTREE)
    kept = BytesIO()
    few.save(kept, "PNG", optimize=True)
    return b64encode(kept.getvalue()).decode("ascii")


def execute(path: Path) -> None:
    """Run a notebook and write it back with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        run(notebook, Path(folder))
    tidy(notebook)
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def lacks_data(path: Path) -> bool:
    """Whether a notebook reads data that are not here."""
    cells = nbformat.read(path, as_version=4).cells
    tags = {tag for cell in cells for tag in cell.metadata.get("tags", [])}
    return NEEDS_DATA in tags and "GLUONTS_LAI_DATA" not in os.environ


@click.command(help="Run notebooks, all by default, and keep their outputs.")
@click.argument(
    "files", nargs=-1, type=click.Path(exists=True, path_type=Path)
)
def main(files: Sequence[Path]) -> None:
    for path in files or sorted(FOLDER.glob("*.ipynb")):
        if lacks_data(path):
            click.echo(
                f"{path.name} stays as it is: set GLUONTS_LAI_DATA to a "
                "folder with electricity/ and nab/ to run it.",
                err=True,
            )
            continue
        click.echo(f"{path.name} …", err=True)
        execute(path)


if __name__ == "__main__":
    sys.exit(main())
