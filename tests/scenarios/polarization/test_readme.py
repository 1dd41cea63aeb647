import ast
import re
from collections.abc import Iterator
from importlib import import_module

from memopolis.scenarios.polarization.odd import COMMAND, ODD
from memopolis.scenarios.polarization.scenario import Polarization
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
    below = "" if module.startswith(("agents.", "sim.")) else "scenarios.polarization."
    return getattr(import_module(f"memopolis.{below}{module}"), constant)


def test_the_tables_are_as_the_code_is() -> None:
    assert ODD.filled(TEXT) == TEXT, f"the README is out of date; run `{COMMAND}`"


def test_every_table_stands_in_the_readme_once() -> None:
    # Messages are felt by how far one agrees with them, not by their topic.
    wanted = sorted({*ODD.tables} - {"feelings"})
    assert sorted(re.findall(r"<!-- table: (\w+) -->", TEXT)) == wanted


def test_every_constant_has_the_value_stated() -> None:
    stated = {name: ast.literal_eval(value) for name, value, _ in constants()}
    assert len(stated) > 15
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


def test_every_model_and_every_arm_is_told_of() -> None:
    options = {row.key: row.options for row in describe(Polarization.settings_class)}
    named = (*options["cognition.opinion.model"], *options["arm"])
    assert [name for name in named if f"`{name}`" not in TEXT] == []
