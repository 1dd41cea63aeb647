"""Pages to test."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RUN_PAGES = sorted([*ROOT.glob("README*.md"), *DOCS.rglob("*.md")])
"""Pages whose code is run."""
PAGES = [
    *RUN_PAGES,
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "notebooks" / "README.md",
]
"""Pages whose commands and links are held."""


def title(page: Path) -> str:
    """Return the name of a page, for messages."""
    return page.relative_to(ROOT).as_posix()
