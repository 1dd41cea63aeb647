"""Convert notebooks to pages of the site, with their stored outputs; none is executed."""

import base64
import json
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_PICTURES = {"image/png": "png", "image/svg+xml": "svg"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the notebooks in the navigation, below the page about them."""
    section = next(one["Notebooks"] for one in config.nav or [] if "Notebooks" in one)
    section += [f"notebooks/{path.stem}.md" for path in notebooks(config)]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each notebook, and its figures."""
    for path in notebooks(config):
        name = f"notebooks/{path.stem}"
        page, figures = page_of(json.loads(path.read_text(encoding="utf-8")), path.stem)
        files.append(File.generated(config, f"{name}.md", content=page))
        for figure, content in figures.items():
            files.append(File.generated(config, f"{name}/{figure}", content=content))
    return files


def notebooks(config: MkDocsConfig) -> list[Path]:
    """List the notebooks in order of their numbers."""
    root = Path(config.docs_dir).resolve().parent
    return sorted((root / "notebooks").glob("*.ipynb"))


def page_of(notebook: dict[str, Any], folder: str) -> tuple[str, dict[str, bytes]]:
    """Convert a notebook to Markdown.

    Args:
        notebook: Its JSON.
        folder: Folder of its figures, relative to the page.

    Returns:
        The page, and the content of each figure by file name.
    """
    figures: dict[str, bytes] = {}
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif source.strip():
            parts.append(f"```python\n{source}\n```")
            parts += [_shown(output, folder, figures) for output in cell.get("outputs", [])]
    return "\n\n".join(part for part in parts if part) + "\n", figures


def _shown(output: dict[str, Any], folder: str, figures: dict[str, bytes]) -> str:
    """Convert an output to Markdown: a figure, a table, or text."""
    if output["output_type"] == "stream":
        return _as_text(output["text"])
    kept = output.get("data", {})
    for kind, suffix in _PICTURES.items():
        if kind in kept:
            content = "".join(kept[kind])
            name = f"{len(figures) + 1}.{suffix}"
            figures[name] = base64.b64decode(content) if suffix == "png" else content.encode()
            return f"![]({folder}/{name})"
    if "text/html" in kept:
        table = "".join(kept["text/html"]).replace("\n", "")
        return table.replace(' border="1" class="dataframe"', "")  # the style of the site applies
    return _as_text(kept["text/plain"]) if "text/plain" in kept else ""


def _as_text(lines: list[str] | str) -> str:
    return f"```text\n{''.join(lines).rstrip()}\n```"
