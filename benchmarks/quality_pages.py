"""Format the tables of the quality benchmark as plain text or as a page of the documentation."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from quality_shapes import Material

BEGIN = "<!-- written by benchmarks/quality.py -->\n"
PROFILES = (
    "recall", "dense, MiniLM", "late_interaction, MiniLM", "act", "town", "town, MiniLM", "society",
    "society, MiniLM", "working",
)  # fmt: skip
"""Methods of the page; comparisons with standard methods are a table of their own."""
BUDGET, POLICIES = "1000", ("layers", "sliding window", "search, recall")
"""Rows of the page on contexts."""


@dataclass(frozen=True)
class Table:
    """A table of texts: title, header, and rows as long as the header."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Section:
    """A test set, a sentence about the form of its texts, and its tables."""

    material: Material
    form: str
    tables: Sequence[Table]


def printed(claims: Table, sections: Sequence[Section]) -> str:
    """Format everything as plain text."""
    parts = [plain(claims)]
    for section in sections:
        parts += ["", f"== {section.material.name} ==", *counted(section.material), section.form]
        parts += [plain(table) for table in section.tables]
    return "\n".join(parts)


def plain(table: Table) -> str:
    """Format a table with aligned columns, numbers to the right."""
    grid = (table.head, *table.rows)
    widths = [max(len(row[i]) for row in grid) + 2 for i in range(len(table.head))]
    lines = [
        row[0].ljust(widths[0])
        + "".join(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))
        for row in grid
    ]
    return "\n".join(["", table.title, *(line.rstrip() for line in lines)])


def counted(material: Material) -> list[str]:
    """Describe the size of a test set in two lines."""
    sizes = [len(stream.memories) for stream in material.streams]
    texts = {memory.text for stream in material.streams for memory in stream.memories}
    kinds = Counter(question.kind for question in material.questions)
    by_kind = ", ".join(f"{kinds[kind]} {kind}" for kind in material.kinds)
    return [
        (
            f"{len(sizes)} streams of {min(sizes)} to {max(sizes)} memories ({sum(sizes)} in all, "
            f"{len(texts)} distinct texts), {material.start:%B %Y} to {material.end:%B %Y}"
        ),
        f"{len(material.questions)} questions: {by_kind}",
    ]


def page(top: str, claims: Table, sections: Sequence[Section]) -> str:
    """Format the page docs/quality.md: its hand-written part, then the tables that it needs.

    Args:
        top: The page so far, of which the part above `BEGIN` is kept.
        claims: Comparisons of methods.
        sections: Tables of each test set.
    """
    parts = [top.partition(BEGIN)[0] + BEGIN, "## Comparisons", "", marked(claims), ""]
    for section in sections:
        name = section.material.name.capitalize()
        parts += [f"## {name}", "", f"{'. '.join(counted(section.material))}.", ""]
        # The others are printed only: no conclusion of the page needs them.
        shares, *_, contexts = section.tables
        for table in (_profiles(shares), _budget(contexts)):
            parts += [f"### {name}: {table.title[0].lower()}{table.title[1:]}", ""]
            parts += [marked(table), ""]
    return "\n".join(parts).rstrip() + "\n"


def _profiles(shares: Table) -> Table:
    """Return the shares of the shipped profiles, without halves and intervals."""
    rows = [(*row[:4], row[6]) for row in shares.rows if row[0] in PROFILES]
    return Table(shares.title, (*shares.head[:4], shares.head[6]), rows)


def _budget(contexts: Table) -> Table:
    """Return the rows of one budget, without baselines that any search exceeds by far."""
    rows = [row for row in contexts.rows if row[1] == BUDGET and row[0] in POLICIES]
    return Table(contexts.title, contexts.head, rows)


def marked(table: Table) -> str:
    """Format a table as Markdown."""
    rule = ["---", *("---:" for _ in table.head[1:])]
    return "\n".join("| " + " | ".join(row) + " |" for row in (table.head, rule, *table.rows))
