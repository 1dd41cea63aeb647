"""Execute the notebooks anew, in place, so that they can be read with their outputs.

    make notebooks                                  # all, in some minutes
    python notebooks/make_notebooks.py 02 05        # some of them

Each runs in a copy of this folder, so that its runs are left nowhere. What would differ from one
machine to the next, such as times of execution, is taken out.
"""

import argparse
import base64
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
LONGEST = 600
"""Seconds after which a cell is given up."""
PICTURES = {"arms.png": ("01", 2), "echo-chambers.png": ("03", 2)}
"""Figures that README.md shows: which of a notebook's, counted from 1."""


def execute(notebook: Path) -> nbformat.NotebookNode:
    """Run a notebook from its start in a copy of its folder.

    Args:
        notebook: The file; it is left as it is.

    Returns:
        The notebook with its outputs, without what is of this machine alone.

    Raises:
        CellExecutionError: If a cell stops with an error.
    """
    told = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "notebooks"
        shutil.copytree(notebook.parent, work, ignore=shutil.ignore_patterns("runs", "*.ipynb"))
        client = NotebookClient(
            told,
            timeout=LONGEST,
            kernel_name="python3",
            record_timing=False,
            resources={"metadata": {"path": str(work)}},
            extra_arguments=["--log-level=ERROR"],
        )
        with warnings.catch_warnings():
            # The channel to the kernel is not encrypted; both ends are on this machine.
            warnings.simplefilter("ignore")
            client.execute()
    return plain(told)


def plain(told: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Take out of a notebook what is of one machine or one editor alone."""
    told.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in told.cells:
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            if "metadata" in output:
                output.metadata = {}
    return told


def figures(told: nbformat.NotebookNode) -> Iterator[bytes]:
    """The figures of an executed notebook, as PNG, from the top."""
    for cell in told.cells:
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                yield base64.b64decode(output.data["image/png"])


def main() -> None:
    """Execute those that are named by their first characters, or all."""
    parser = argparse.ArgumentParser(description="Execute the notebooks anew, in place.")
    parser.add_argument("names", nargs="*", help="such as 02; all if none is given")
    names = tuple(parser.parse_args().names)
    for notebook in sorted(HERE.glob("[0-9]*.ipynb")):
        if names and not notebook.name.startswith(names):
            continue
        print(notebook.name, flush=True)
        told = execute(notebook)
        nbformat.write(told, notebook)
        for picture, (number, place) in PICTURES.items():
            if notebook.name.startswith(number):
                (HERE / "figures" / picture).write_bytes(list(figures(told))[place - 1])


if __name__ == "__main__":
    main()
