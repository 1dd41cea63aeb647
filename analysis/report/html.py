"""Build the HTML of reports; all text from a run is escaped here."""

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from memopolis.sim.files import write_whole, writing_to

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_page(path: Path, title: str, body: str) -> Path:
    """Write a page and return its path; an existing file is replaced atomically.

    Raises RunFolderError if it cannot be written.
    """
    page = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    with writing_to(path):
        write_whole(path, page.substitute(title=escape(title), body=body))
    return path


def section(title: str, body: str) -> str:
    """Return a section with a heading; `body` is HTML."""
    return f"<h2>{escape(title)}</h2>\n{body}\n"


def rows_html(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Return a table of texts, which are escaped."""
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    top = f"<tr>{top}</tr>" if any(head) else ""
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table>{top}{body}</table>"


def figure_html(figure: "Figure", caption: str) -> str:
    """Draw a figure and embed it as a picture."""
    from memopolis.analysis.figures.style import as_png

    data = base64.b64encode(as_png(figure)).decode()
    alt = escape(caption)
    return f'<figure><img alt="{alt}" src="data:image/png;base64,{data}"></figure>\n'
