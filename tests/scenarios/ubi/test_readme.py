import ast
import re
from collections.abc import Iterator
from importlib import import_module

import pytest

from memopolis.scenarios.ubi.odd import COMMAND, ODD
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.settings_text import describe

TEXT = ODD.readme.read_text(encoding="utf-8")
ORIGINS = {"found", "computed", "recalled", "illustrative", "calibrated", "choice"}


def constants() -> Iterator[tuple[str, str, str]]:
    """Name, value and origin of every row of the table of constants."""
    table = TEXT.split("<!-- constants -->\n")[1].split("<!-- end -->")[0]
    for line in table.splitlines()[2:]:
        name, value, _, origin, _ = (cell.strip() for cell in line.strip("|").split("|"))
        yield name.strip("`"), value, origin


def found(name: str) -> object:
    """The object that `module.NAME` means."""
    module, _, constant = name.rpartition(".")
    elsewhere = module.startswith(("agents.", "scenarios.", "sim."))
    below = "" if elsewhere else "scenarios.ubi."
    return getattr(import_module(f"memopolis.{below}{module}"), constant)


def test_the_tables_are_as_the_code_is() -> None:
    assert ODD.filled(TEXT) == TEXT, f"the README is out of date; run `{COMMAND}`"


def test_every_table_stands_in_the_readme_once() -> None:
    assert sorted(re.findall(r"<!-- table: (\w+) -->", TEXT)) == sorted(ODD.tables)


def test_every_constant_has_the_value_stated() -> None:
    stated = {name: ast.literal_eval(value) for name, value, _ in constants()}
    assert len(stated) > 70
    assert {name: found(name) for name in stated} == stated


def test_every_constant_names_its_origin() -> None:
    assert {origin for *_, origin in constants()} <= ORIGINS


def test_the_seven_parts_of_odd_come_first() -> None:
    parts = re.findall(r"^## (\d)\. (.+)$", TEXT, re.MULTILINE)
    assert [title for _, title in parts[:7]] == [
        "Purpose and patterns",
        "Entities, state variables, scales",
        "Process overview and scheduling",
        "Design concepts",
        "Initialization",
        "Input data",
        "Submodels",
    ]


def test_blocks_stand_in_the_order_in_which_they_act() -> None:
    acting = ["firm", "citizen", "government", "household", "bank", "statistics_bureau"]
    rows = [line.split("|")[1].strip() for line in ODD.schedule().splitlines()[2:]]
    assert list(dict.fromkeys(rows)) == acting


def test_the_brackets_are_those_of_the_law() -> None:
    """26 U.S.C. 1 (j) for 2019: single, joint, head of household."""
    rows = ODD.own["brackets"]().splitlines()
    assert "| 22 % | 39,475 | 78,950 | 52,850 |" in rows
    assert rows[-1] == "| standard deduction | 12,200 | 24,400 | 18,350 |"


@pytest.mark.parametrize("key", ["funding", "who", "schedule"])
def test_every_option_of_the_policy_is_told_of(key: str) -> None:
    options = {row.key: row.options for row in describe(BasicIncome.settings_class)}
    assert [name for name in options[key] if f"`{key}={name}`" not in TEXT] == []
