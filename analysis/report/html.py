"""Build the HTML of reports; all text from a run is escaped here."""

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis.sim.files import write_whole, writing_to

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem; }}
h1 {{ margin-bottom: .2rem; }}
h2 {{ margin-top: 2.5rem; border-bottom: 1px solid #ddd; padding-bottom: .3rem; }}
table {{ border-collapse: collapse; width: 100%; font-size: .92rem; }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0;
  border-bottom: 1px solid #eee; }}
td:first-child {{ white-space: nowrap; color: #555; }}
td {{ overflow-wrap: anywhere; }}
figure {{ margin: 2rem 0; }}
img {{ max-width: 100%; height: auto; }}
pre {{ background: #f6f6f6; padding: .8rem; overflow-x: auto; font-size: .85rem; }}
summary {{ cursor: pointer; }}
.warning {{ background: #fff3e6; border-left: 4px solid #d55e00; padding: .6rem 1rem; }}
</style>
<h1>{title}</h1>
{body}
</html>
"""


def write_page(path: Path, title: str, body: str) -> Path:
    """Write a page and return its path; an existing file is replaced atomically.

    Raises RunFolderError if it cannot be written.
    """
    with writing_to(path):
        write_whole(path, _PAGE.format(title=escape(title), body=body))
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
    """Draw a figure and embed it."""
    from memopolis.analysis.figures.style import as_png

    return picture_html(as_png(figure), caption)


def picture_html(png: bytes, caption: str) -> str:
    """Embed a picture."""
    data = base64.b64encode(png).decode()
    alt = escape(caption)
    return f'<figure><img alt="{alt}" src="data:image/png;base64,{data}"></figure>\n'
