"""Execute the notebooks anew, in place, so that they can be read with their outputs.

    make notebooks                                  # all, in some minutes
    python notebooks/make_notebooks.py 02 05        # some of them

Each runs in a copy of this folder, so that its runs are left nowhere. What would differ from one
machine to the next, such as times of execution, is taken out.
"""

import argparse
import shutil
import tempfile
import warnings
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
LONGEST = 300
"""Seconds after which a cell is given up."""


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
        resources = {"metadata": {"path": str(work)}}
        client = NotebookClient(
            told,
            timeout=LONGEST,
            kernel_name="python3",
            record_timing=False,
            resources=resources,
            extra_arguments=["--log-level=ERROR"],
        )
        with warnings.catch_warnings():
            # The kernel is on this machine and its channel is not encrypted: so is everyone's.
            warnings.simplefilter("ignore")
            client.execute()
    return _plain(told)


def _plain(told: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Leave what a reader needs, the same on every machine."""
    told.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in told.cells:
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            if "data" in output:
                # A DataFrame as HTML carries its own style sheet, and a number a cell.
                output.metadata = {}
    return told


def main() -> None:
    """Execute those that are named by their first characters, or all."""
    parser = argparse.ArgumentParser(description="Execute the notebooks anew, in place.")
    parser.add_argument("names", nargs="*", help="such as 02; all if none is given")
    names = tuple(parser.parse_args().names)
    for notebook in sorted(HERE.glob("[0-9]*.ipynb")):
        if not names or notebook.name.startswith(names):
            print(notebook.name, flush=True)
            nbformat.write(execute(notebook), notebook)


if __name__ == "__main__":
    main()
