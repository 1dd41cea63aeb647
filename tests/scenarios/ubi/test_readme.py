"""What the README says beyond `tests/scenarios/test_readmes.py`."""

import pytest
from tools.odd.ubi import ODD

from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.settings_text import describe

TEXT = ODD.readme.read_text(encoding="utf-8")


def test_blocks_are_listed_in_order() -> None:
    acting = ["firm", "citizen", "government", "household", "bank", "statistics_bureau"]
    rows = [line.split("|")[1].strip() for line in ODD.schedule().splitlines()[2:]]
    assert list(dict.fromkeys(rows)) == acting


def test_brackets_equal_those_of_the_law() -> None:
    """26 U.S.C. 1 (j) for 2019: single, joint, head of household."""
    rows = ODD.tables["brackets"]().splitlines()
    assert "| 22 % | 39,475 | 78,950 | 52,850 |" in rows
    assert rows[-1] == "| standard deduction | 12,200 | 24,400 | 18,350 |"


@pytest.mark.parametrize("key", ["funding", "who", "schedule"])
def test_every_policy_option_is_documented(key: str) -> None:
    options = {row.key: row.options for row in describe(BasicIncome.settings_class)}
    assert [name for name in options[key] if f"`{key}={name}`" not in TEXT] == []
