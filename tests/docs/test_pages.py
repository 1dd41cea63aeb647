"""Pages: navigation, links and public names are complete."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from sybil import Document
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer
from tests.docs.pages import DOCS, PAGES, ROOT, title
from tests.docs.shell_blocks import named_file, write_named_files
from tests.public_names import PUBLIC

from memopolis.analysis.calibration.design import design_from_toml
from memopolis.sim.sweep.design_file import design_from_file

LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")
FENCED = re.compile(r"^(```|~~~).*?^\1$", re.MULTILINE | re.DOTALL)
NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
KNOWN_LANGUAGES = {"sh", "bash", "python", "toml", "csv", "text", "r", "julia", "yaml", "json"}

every = pytest.mark.parametrize("page", PAGES, ids=title)


def blocks(page: Path, language: str) -> list[str]:
    document = Document(page.read_text(encoding="utf-8"), str(page))
    return [str(item.lexemes["source"]) for item in FencedCodeBlockLexer(language)(document)]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and the site create them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    bare = [
        re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    ]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in bare}


def test_every_page_is_in_the_navigation_once() -> None:
    listed = Counter(re.findall(r"(\S+\.md)$", NAV, re.MULTILINE))
    ours = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert ours - set(listed) == set()
    # The README has another name on the site, where it is not the front page.
    elsewhere = [name.replace("readme.md", "README.md") for name in set(listed) - ours]
    assert [name for name in elsewhere if not (ROOT / name).exists()] == []
    assert max(listed.values()) == 1


@every
def test_every_link_has_a_target(page: Path) -> None:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    lost = []
    for target, anchor in LINK.findall(text):
        if ":" in target:
            continue
        present = (page.parent / target).resolve() if target else page
        result = present.exists() and present.is_relative_to(ROOT)
        if not result or (
            anchor and present.suffix == ".md" and anchor[1:] not in anchors(present)
        ):
            lost.append(target + anchor)
    assert lost == []


@every
def test_every_block_names_its_language(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    opened = re.findall(r"^ *```(\w*)$", text, re.MULTILINE)[::2]
    assert set(opened) - {""} <= KNOWN_LANGUAGES


@every
def test_settings_and_designs_are_valid(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_named_files(page.read_text(encoding="utf-8"), tmp_path)
    for block in blocks(page, "toml"):
        keys = set(tomllib.loads(block))
        Path("read.toml").write_text(block, encoding="utf-8")
        if "scenario" in keys and keys & {"factors", "vary"}:
            assert design_from_file("read.toml").planned()
        if {"scenario", "targets"} <= keys:
            assert design_from_toml("read.toml").summaries


@every
def test_each_file_is_defined_once_per_page(page: Path) -> None:
    names = [name for block in blocks(page, r"\w+") if (name := named_file(block))]
    assert sorted(names) == sorted(set(names))


def test_every_public_name_is_on_one_api_page() -> None:
    listed = Counter(
        name
        for page in (DOCS / "api").glob("*.md")
        for name in re.findall(r"^::: ([\w.]+)$", page.read_text(), re.MULTILINE)
    )
    assert set(listed) == {f"{module}.{name}" for module, names in PUBLIC.items() for name in names}
    assert max(listed.values()) == 1
