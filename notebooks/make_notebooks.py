"""Execute the notebooks in place, so that they can be read with their outputs.

    make notebooks                                  # all, in some minutes
    python notebooks/make_notebooks.py 02 05        # some of them

Each runs in a temporary copy of this folder, so that no run is left behind. What differs between
machines, such as execution times, is removed.
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
"""Timeout of a cell in seconds."""
PICTURES = {"arms.png": ("01", 3), "echo-chambers.png": ("03", 2)}
"""Figures in README.md: the notebook, and the number of its figure, counted from 1."""


def execute(notebook: Path) -> nbformat.NotebookNode:
    """Run a notebook in a copy of its folder.

    Args:
        notebook: The file; it is not changed.

    Returns:
        The notebook with its outputs, without data of this machine.

    Raises:
        CellExecutionError: If a cell stops with an error.
    """
    content = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "notebooks"
        shutil.copytree(notebook.parent, work, ignore=shutil.ignore_patterns("runs", "*.ipynb"))
        client = NotebookClient(
            content,
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
    return plain(content)


def plain(content: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Remove the metadata of machines and editors from a notebook."""
    content.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in content.cells:
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            if "metadata" in output:
                output.metadata = {}
    return content


def figures(content: nbformat.NotebookNode) -> Iterator[bytes]:
    """Yield the figures of an executed notebook as PNG, in order."""
    for cell in content.cells:
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                yield base64.b64decode(output.data["image/png"])


def main() -> None:
    """Execute the notebooks whose names begin with the arguments, or all."""
    parser = argparse.ArgumentParser(description="Execute the notebooks in place.")
    parser.add_argument("names", nargs="*", help="first characters, such as 02; all if omitted")
    names = tuple(parser.parse_args().names)
    for notebook in sorted(HERE.glob("[0-9]*.ipynb")):
        if names and not notebook.name.startswith(names):
            continue
        print(notebook.name, flush=True)
        content = execute(notebook)
        nbformat.write(content, notebook)
        for picture, (number, place) in PICTURES.items():
            if notebook.name.startswith(number):
                (HERE / "figures" / picture).write_bytes(list(figures(content))[place - 1])


if __name__ == "__main__":
    main()
