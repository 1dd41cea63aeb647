"""Citation, paper and workflow agree with the code."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


PROJECT = tomllib.loads(text_of("pyproject.toml"))["project"]


def test_the_citation_names_this_version_its_authors_and_licence() -> None:
    cited = dict(re.findall(r"^(?:  - )?([\w-]+): (.+)$", text_of("CITATION.cff"), re.MULTILINE))
    assert cited["cff-version"] == "1.2.0"
    assert cited["version"] == PROJECT["version"]
    assert cited["license"] == PROJECT["license"]
    assert [cited["name"]] == [author["name"] for author in PROJECT["authors"]]


def test_every_reference_is_cited_and_every_citation_has_a_reference() -> None:
    references = re.findall(r"^@\w+\{(\w+),", text_of("paper/paper.bib"), re.MULTILINE)
    citations = re.findall(r"@(\w+)(?=[;\]])", text_of("paper/paper.md"))
    assert sorted(references) == sorted(set(references))
    assert set(citations) == set(references)


def test_every_reference_can_be_looked_up() -> None:
    entries = text_of("paper/paper.bib").strip().split("\n\n")
    assert [
        one for one in entries if not re.search(r"^\s+(doi|url)\s+= \{\S+\}", one, re.MULTILINE)
    ] == []


def test_the_figure_of_the_paper_exists() -> None:
    (figure,) = re.findall(r"!\[[^]]*\]\((\S+?)\)", text_of("paper/paper.md"))
    assert (ROOT / "paper" / figure).is_file()


@pytest.mark.parametrize(
    ("scenario", "words"),
    [("hurricane", "hurricane"), ("polarization", "polarization"), ("ubi", "basic income")],
)
def test_the_paper_reports_the_independent_numbers(scenario: str, words: str) -> None:
    section = text_of("docs/validation.md").partition(f"\n## {scenario}\n")[2]
    measured = re.search(r"^- Independent numbers.*: (\d+) of (\d+) pass\.", section, re.MULTILINE)
    assert measured is not None
    passed, judged = measured.groups()
    paper = " ".join(text_of("paper/paper.md").split())
    assert f"{words} passes {passed} of {judged}" in paper


@pytest.mark.parametrize(
    "figure", ["4.5 ns", "38 times", "58 s and 1.38 GB", "73.4 %", "86.3 %", "56.4 %"]
)
def test_numbers_in_the_paper_equal_those_of_the_docs(figure: str) -> None:
    paper = " ".join(text_of("paper/paper.md").split())
    number = figure.removesuffix(" %")
    as_share = f"{float(number) / 100:.3f}" if figure.endswith("%") else number
    pages = [
        text_of(name) for name in ("docs/performance.md", "docs/quality.md", "docs/validation.md")
    ]
    assert figure in paper
    assert any(number in page or as_share in page for page in pages)


def test_the_workflow_calls_targets_of_make_on_every_supported_python() -> None:
    workflow = text_of(".github/workflows/ci.yml")
    targets = set(re.findall(r"^([a-z-]+):.*## ", text_of("Makefile"), re.MULTILINE))
    called = set(re.findall(r"\bmake ([a-z-]+) PYTHON=", workflow))
    lines = re.findall(r"^[^#\n]*\bmake (.*)$", text_of(".ci/run"), re.MULTILINE)
    wanted = targets & {word for line in lines for word in line.split()}
    assert wanted >= {"test", "check", "docs", "test-extras"}
    assert called == wanted
    classified = {one.rpartition(" ")[2] for one in PROJECT["classifiers"] if "Python :: 3." in one}
    assert classified <= set(re.findall(r'"(3\.\d+)"', workflow))
    assert not re.search(r"uses: [^@\s]+(@(main|master))?$", workflow, re.MULTILINE)
