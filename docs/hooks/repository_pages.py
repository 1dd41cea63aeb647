"""Add pages of the repository outside docs/ to the site.

A file outside docs/ keeps its path: `scenarios/ubi/README.md` is a page of that name. Links are
written for readers of the repository; here they are converted to links of the site.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ELSEWHERE = (
    "README.md",
    "README.zh.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "paper/paper.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "scenarios/*/README.md",
    "scenarios/*/data/README.md",
    "agents/data/README.md",
    "notebooks/README.md",
)
"""Files outside docs/ that are pages."""

RENAMED = {"README.md": "readme.md"}
"""Files with another name on the site, where `README.md` would replace the front page."""

_LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^\s*(```|~~~)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages outside docs/."""
    root = root_of(config)
    for pattern in ELSEWHERE:
        for path in sorted(root.glob(pattern)):
            where = path.relative_to(root).as_posix()
            files.append(File.generated(config, site_path(where), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Convert the links of a page, except in code."""
    inside = False
    lines = []
    for line in markdown.splitlines():
        fence = _FENCE.match(line) is not None
        inside ^= fence
        lines.append(line if inside or fence else linked(line, page.file, config, files))
    return "\n".join(lines) + "\n"


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Declare the language of a Chinese page, by which browsers choose the shapes of characters."""
    chinese = page.file.src_uri.endswith(".zh.md")
    return f'<div lang="zh-Hans">{html}</div>' if chinese else html


def root_of(config: MkDocsConfig) -> Path:
    """Return the folder of the repository."""
    return Path(config.docs_dir).resolve().parent


def site_path(where: str) -> str:
    """Return the path on the site of a file of the repository; notebooks are pages."""
    place = RENAMED.get(where, where.removeprefix("docs/"))
    if place.startswith("notebooks/") and place.endswith(".ipynb"):
        return place.removesuffix(".ipynb") + ".md"
    return place


def linked(line: str, page: File, config: MkDocsConfig, files: Files) -> str:
    """Convert the links of a line; add files to the site that it links to."""

    def replace(match: re.Match[str]) -> str:
        place = place_on_site(match[1], page, config, files)
        if place is None:
            return match[0]
        relative = posixpath.relpath(place, posixpath.dirname(page.src_uri) or ".")
        return f"]({relative}{match[2] or ''})"

    return _LINK.sub(replace, line)


def place_on_site(target: str, page: File, config: MkDocsConfig, files: Files) -> str | None:
    """Return the path on the site to which a link of a page leads.

    Args:
        target: The link on the page, without its anchor.
        page: The page.
        config: Configuration of the site.
        files: Files of the site; a linked file of the repository is added if it is missing.

    Returns:
        The path, or None if the link leads to no file of the repository.
    """
    root = root_of(config)
    source = Path(page.abs_src_path or root / page.src_uri)
    path = Path(posixpath.normpath((source.parent / target).as_posix()))
    if ":" in target or not path.is_file() or not path.is_relative_to(root):
        return None
    where = site_path(path.relative_to(root).as_posix())
    if files.get_file_from_path(where) is None:
        files.append(File.generated(config, where, abs_src_path=str(path)))
    return where
