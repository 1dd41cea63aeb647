"""The pages that are tested."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    path
    for pattern in ("README*.md", "docs/**/*.md", "CONTRIBUTING.md", "notebooks/README.md")
    for path in ROOT.glob(pattern)
)
"""Pages whose code and links are held."""


def title(page: Path) -> str:
    """Name of a page, for messages."""
    return page.relative_to(ROOT).as_posix()
