"""The table of docs/extending.md: line counts of the examples."""

import ast
import re

import pytest
from tests.docs.pages import DOCS

PAGE = (DOCS / "extending.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| \[[^]]+\]\(#([\w-]+)\) \|.*\| ([\d, ]+) \|$", PAGE, re.MULTILINE)
SECTIONS = {
    section.partition("\n")[0].lower().replace(" ", "-"): section
    for section in PAGE.split("\n## ")[1:]
}


def count_lines(code: str) -> int:
    """Count the nonblank lines of classes and functions, or of assignments if there are none."""
    tree = ast.parse(code)
    definitions = [part for part in tree.body if isinstance(part, ast.ClassDef | ast.FunctionDef)]
    parts: list[ast.stmt] = [*definitions]
    parts = parts or [part for part in tree.body if isinstance(part, ast.Assign)]
    decorators = sum(len(part.decorator_list) for part in definitions)
    sources = [ast.get_source_segment(code, part) or "" for part in parts]
    return decorators + sum(bool(line.strip()) for part in sources for line in part.splitlines())


def test_the_table_lists_every_section() -> None:
    assert [anchor for anchor, _ in ROWS] == list(SECTIONS)


@pytest.mark.parametrize(("anchor", "lines"), ROWS, ids=[anchor for anchor, _ in ROWS])
def test_line_counts_in_the_table_match_the_examples(anchor: str, lines: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", SECTIONS[anchor], re.DOTALL)
    assert ", ".join(str(count_lines(block)) for block in blocks) == lines
