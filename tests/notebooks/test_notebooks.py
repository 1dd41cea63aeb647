"""The stored notebooks can be read, and give the same output when they are rerun."""

import ast
import base64
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.public_names import PUBLIC

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("[0-9]*.ipynb"))
MACHINE = re.compile(r"/(tmp|home|root|work|Users|private|opt)/|[A-Z]:\\\\|site-packages|\.venv")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
LARGEST = 600_000
TYPES = {"display_data", "execute_result", "stream"}
PNG = b"\x89PNG\r\n"

QUICK = ("07-a-language-model-against-the-rules", "08-your-own")
"""Notebooks that are rerun with the extras; each of the others takes a minute of two processors."""

by_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def words(cell: dict[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def outputs(message: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [cell["outputs"] for cell in message["cells"] if cell["cell_type"] == "code"]


def text_of(output: dict[str, Any]) -> str:
    """What an output says in plain text; "" for a figure, whose text is its size."""
    data = output.get("data", {})
    text = output.get("text", "") if "image/png" in data else data.get("text/plain", "")
    text = text or output.get("text", "")
    return text if isinstance(text, str) else "".join(text)


def test_there_are_eight_and_each_is_in_the_index() -> None:
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [path.name[:2] for path in NOTEBOOKS] == [f"{i:02}" for i in range(1, 9)]
    assert [path.name for path in NOTEBOOKS if f"({path.name})" not in index] == []


@by_notebook
def test_it_is_a_whole_notebook_of_any_machine(path: Path) -> None:
    result = read(path)
    assert (result["nbformat"], result["nbformat_minor"]) == (4, 5)
    assert result["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in result["cells"]]
    assert len(set(ids)) == len(ids)
    assert not MACHINE.search(re.sub(r'"image/png": "[^"]*"', "", json.dumps(result)))
    assert path.stat().st_size < LARGEST


@by_notebook
def test_it_has_its_outputs_and_no_trouble_among_them(path: Path) -> None:
    result = read(path)
    every = [output for some in outputs(result) for output in some]
    assert {output["output_type"] for output in every} <= TYPES
    assert [text_of(output) for output in every if output.get("name") == "stderr"] == []
    counts = [cell["execution_count"] for cell in result["cells"] if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))
    shown = [output["data"] for output in every if "data" in output]
    figures = ["".join(data["image/png"]) for data in shown if "image/png" in data]
    assert figures
    assert all(base64.b64decode(figure).startswith(PNG) for figure in figures)


@by_notebook
def test_it_asks_says_what_it_does_not_show_and_ends_with_what_to_try(path: Path) -> None:
    texts = [words(cell) for cell in read(path)["cells"] if cell["cell_type"] == "markdown"]
    assert "**Question:" in texts[0]
    assert any("does not show" in text for text in texts)
    assert re.search(r"## Try\n\n(- .+\n?){2,3}$", texts[-1])


@by_notebook
def test_its_links_lead_somewhere(path: Path) -> None:
    texts = [words(cell) for cell in read(path)["cells"] if cell["cell_type"] == "markdown"]
    links = [link for text in texts for link in LINK.findall(text)]
    assert [link for link in links if not (FOLDER / link).exists()] == []


@by_notebook
def test_it_uses_public_names_alone(path: Path) -> None:
    cells = [words(cell) for cell in read(path)["cells"] if cell["cell_type"] == "code"]
    source = "\n".join(cells).replace("%matplotlib inline", "")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("memopolis"):
            names = {name.name for name in node.names}
            # The blocks that come with the package are public, too: docs/your-own.md.
            assert str(node.module).startswith("memopolis.agents.") or (
                names <= set(PUBLIC.get(str(node.module), ()))
            )


@pytest.mark.extras
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else pytest.mark.by_hand)
        for path in NOTEBOOKS
    ],
)
def test_rerunning_gives_the_same_output(path: Path) -> None:
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    result = importlib.util.spec_from_file_location("making", FOLDER / "make_notebooks.py")
    assert result is not None
    assert result.loader is not None
    making = importlib.util.module_from_spec(result)
    result.loader.exec_module(making)
    kept, rerun = read(path), making.execute(path)
    for before, after in zip(outputs(kept), outputs(rerun), strict=True):
        assert [text_of(one) for one in after] == [text_of(one) for one in before]
        pictured = ["image/png" in one.get("data", {}) for one in before]
        assert ["image/png" in one.get("data", {}) for one in after] == pictured
