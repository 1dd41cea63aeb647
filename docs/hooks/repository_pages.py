"""Pages of the repository that stand outside docs/ become pages of the site.

A file outside docs/ keeps its place: `scenarios/ubi/README.md` is a page of that name. Links are
written as they hold in the repository, where the pages are read as files; here they are turned
into those that hold on the site.
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
    "notebooks/README.md",
)
"""Files outside docs/ that are pages."""

RENAMED = {"README.md": "readme.md"}
"""Elsewhere on the site, where `README.md` would be the front page as `index.md` is."""

_LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^\s*(```|~~~)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand outside docs/."""
    root = root_of(config)
    for pattern in ELSEWHERE:
        for path in sorted(root.glob(pattern)):
            where = path.relative_to(root).as_posix()
            files.append(File.generated(config, there_on_site(where), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the repository's links of a page into the site's, but not inside its code."""
    inside = False
    lines = []
    for line in markdown.splitlines():
        fence = _FENCE.match(line) is not None
        inside ^= fence
        lines.append(line if inside or fence else linked(line, page.file, config, files))
    return "\n".join(lines) + "\n"


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Say which language a Chinese page is in: browsers choose the shapes of characters by it."""
    chinese = page.file.src_uri.endswith(".zh.md")
    return f'<div lang="zh-Hans">{html}</div>' if chinese else html


def root_of(config: MkDocsConfig) -> Path:
    """Folder of the repository."""
    return Path(config.docs_dir).resolve().parent


def there_on_site(where: str) -> str:
    """Place on the site of a file of the repository; notebooks are pages there."""
    place = RENAMED.get(where, where.removeprefix("docs/"))
    if place.startswith("notebooks/") and place.endswith(".ipynb"):
        return place.removesuffix(".ipynb") + ".md"
    return place


def linked(line: str, page: File, config: MkDocsConfig, files: Files) -> str:
    """A line of a page with the site's links; files it names that the site lacks are added."""

    def replace(match: re.Match[str]) -> str:
        place = place_on_site(match[1], page, config, files)
        if place is None:
            return match[0]
        relative = posixpath.relpath(place, posixpath.dirname(page.src_uri) or ".")
        return f"]({relative}{match[2] or ''})"

    return _LINK.sub(replace, line)


def place_on_site(target: str, page: File, config: MkDocsConfig, files: Files) -> str | None:
    """Where a link of a page leads on the site.

    Args:
        target: The link as the page gives it, without its anchor.
        page: The page.
        config: Of the site.
        files: Those of the site; a file of the repository that is none of them is added.

    Returns:
        The place, or None where the link leads to no file of the repository.
    """
    root = root_of(config)
    source = Path(page.abs_src_path or root / page.src_uri)
    path = Path(posixpath.normpath((source.parent / target).as_posix()))
    if ":" in target or not path.is_file() or not path.is_relative_to(root):
        return None
    where = there_on_site(path.relative_to(root).as_posix())
    if files.get_file_from_path(where) is None:
        files.append(File.generated(config, where, abs_src_path=str(path)))
    return where
