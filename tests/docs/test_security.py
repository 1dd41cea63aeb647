"""SECURITY.md: the tests that it names exist, and show what it says about files."""

import re

from tests.attack.worker import FAMILIES
from tests.docs.pages import ROOT

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (?P<way>[^|]+) \| (?P<what>[^|]+) \| (?P<tests>`tests/[^|]+) \|$", re.MULTILINE
)


def test_every_way_of_a_file_names_a_test_that_exists() -> None:
    _, _, section = PAGE.partition("## What other files may name")
    table = section.partition("\n## ")[0]
    rows = list(ROW.finditer(table))
    assert len(rows) == len([line for line in table.splitlines() if line.startswith("| ")]) - 2
    for row in rows:
        for name in re.findall(r"`([^`]+)`", row["tests"]):
            path = ROOT / name
            assert path.is_file(), name
            if path.parent.name == "attack":
                assert path.stem in FAMILIES
            else:
                assert "def test_" in path.read_text(encoding="utf-8")
