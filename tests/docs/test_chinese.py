"""A Chinese page has the same code, commands and numbers as the English one."""

import re
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, ROOT, title

PAIRS = [
    (ROOT / "README.md", ROOT / "README.zh.md"),
    (DOCS / "quick-start.md", DOCS / "quick-start.zh.md"),
]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)]+)\)")
NUMBER = re.compile(r"\d[\d,.]*\d|\d")
CODE = re.compile(rf"<!-- [^\n]* -->|{FENCED.pattern}", FENCED.flags)
"""Blocks, and the marks above them, which say how they are run."""

both = pytest.mark.parametrize(("english", "chinese"), PAIRS, ids=title)


def read_text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    return FENCED.sub("", read_text(page))


def code(page: Path) -> list[str]:
    return [item[0] for item in CODE.finditer(read_text(page))]


@both
def test_code_blocks_are_equal(english: Path, chinese: Path) -> None:
    # The blocks of the English page are run; those of the Chinese one are not run again.
    for here, item in zip(*map(code, (english, chinese)), strict=True):
        assert item == here


@both
def test_inline_commands_and_names_are_equal(english: Path, chinese: Path) -> None:
    missing = set(INLINE.findall(prose(english))) - set(INLINE.findall(prose(chinese)))
    assert missing == set()


@both
def test_sections_and_tables_have_equal_lengths(english: Path, chinese: Path) -> None:
    for shape in (r"^#+ ", r"^\|", r"^!\["):
        counted = [len(re.findall(shape, prose(page), re.MULTILINE)) for page in (english, chinese)]
        assert counted[0] == counted[1], shape


@both
def test_links_are_equal(english: Path, chinese: Path) -> None:
    places = [{*LINK.findall(prose(page))} for page in (english, chinese)]
    translated = {here.name for here, _ in PAIRS} | {present.name for _, present in PAIRS}
    lost = {place for place in places[0] - places[1] if Path(place).name not in translated}
    assert lost == set()


@both
def test_measured_numbers_are_equal(english: Path, chinese: Path) -> None:
    rows = [
        [sorted(NUMBER.findall(line)) for line in prose(page).splitlines() if line[:1] == "|"]
        for page in (english, chinese)
    ]
    assert rows[0] == rows[1]


@both
def test_the_pages_link_to_each_other(english: Path, chinese: Path) -> None:
    for page, other in ((english, chinese), (chinese, english)):
        assert f"]({other.name})" in prose(page)[:400]
