import ast
import re
from collections.abc import Iterator
from importlib import import_module

import pytest

from memopolis.scenarios.hurricane.odd import COMMAND, ODD
from memopolis.sim.errors import ParameterError

TEXT = ODD.readme.read_text(encoding="utf-8")
ORIGINS = {"found", "computed", "recalled", "illustrative", "calibrated", "choice"}


def constants() -> Iterator[tuple[str, str, str]]:
    """Name, value and origin of every row of the table of constants."""
    table = TEXT.split("<!-- constants -->\n")[1].split("<!-- end -->")[0]
    for line in table.splitlines()[2:]:
        name, value, _, origin, _ = (cell.strip() for cell in line.strip("|").split("|"))
        yield name.strip("`"), value, origin


def found(name: str) -> object:
    """The object that `module.NAME`, perhaps with places in it, means."""
    dotted, *places = re.split(r"\[(\d+)\]", name)
    module, _, constant = dotted.rpartition(".")
    below = "" if module.startswith(("agents.", "scenarios.", "sim.")) else "scenarios.hurricane."
    value = getattr(import_module(f"memopolis.{below}{module}"), constant)
    for place in filter(None, places):
        value = value[int(place)]
    return value


def test_the_tables_are_as_the_code_is() -> None:
    assert ODD.filled(TEXT) == TEXT, f"the README is out of date; run `{COMMAND}`"


def test_every_table_stands_in_the_readme_once() -> None:
    assert sorted(re.findall(r"<!-- table: (\w+) -->", TEXT)) == sorted(ODD.tables)


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(ParameterError, match="there are: settings"):
        ODD.filled("<!-- table: nothing -->\n<!-- end -->")


def test_every_constant_has_the_value_stated() -> None:
    stated = {name: ast.literal_eval(value) for name, value, _ in constants()}
    assert len(stated) > 90
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
