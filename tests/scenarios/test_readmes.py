"""What holds of every scenario's README; a scenario adds its own by a line in `READMES`."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import pytest

from memopolis.scenarios.hurricane.odd import ODD as HURRICANE
from memopolis.scenarios.odd import Odd
from memopolis.scenarios.polarization.odd import ODD as POLARIZATION
from memopolis.scenarios.ubi.odd import ODD as UBI

ORIGINS = {"found", "computed", "recalled", "illustrative", "calibrated", "choice"}


@dataclass(frozen=True)
class Readme:
    """A README and what is expected of it.

    Attributes:
        name: Of the scenario's folder.
        odd: Its tables.
        constants: How many constants it states at least.
        untold: Tables that it need not have.
    """

    name: str
    odd: Odd
    constants: int
    untold: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        return self.odd.readme.read_text(encoding="utf-8")

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Name, value and origin of every row of the table of constants."""
        table = self.text.split("<!-- constants -->\n")[1].split("<!-- end -->")[0]
        for line in table.splitlines()[2:]:
            name, value, _, origin, _ = (cell.strip() for cell in line.strip("|").split("|"))
            yield name.strip("`"), value, origin

    def resolve(self, name: str) -> object:
        """Return the object named `module.NAME`, optionally with indices."""
        dotted, *places = re.split(r"\[(\d+)\]", name)
        module, _, constant = dotted.rpartition(".")
        elsewhere = module.startswith(("agents.", "scenarios.", "sim."))
        below = "" if elsewhere else f"scenarios.{self.name}."
        value = getattr(import_module(f"memopolis.{below}{module}"), constant)
        for place in filter(None, places):
            value = value[int(place)]
        return value


READMES = (
    Readme("hurricane", HURRICANE, 90),
    # Messages are felt by how far one agrees with them, not by their topic.
    Readme("polarization", POLARIZATION, 15, frozenset({"feelings"})),
    Readme("ubi", UBI, 70),
)

every = pytest.mark.parametrize("readme", READMES, ids=lambda readme: readme.name)


@every
def test_tables_match_the_code(readme: Readme) -> None:
    command = f"python -m memopolis.scenarios.odd {readme.name}"
    text = readme.text
    assert readme.odd.fill(text) == text, f"the README is out of date; run `{command}`"


@every
def test_every_table_is_in_the_readme_once(readme: Readme) -> None:
    result = re.findall(r"<!-- table: (\w+) -->", readme.text)
    assert sorted(result) == sorted({*readme.odd.tables} - readme.untold)


@every
def test_every_constant_has_the_value_stated(readme: Readme) -> None:
    stated = {name: ast.literal_eval(value) for name, value, _ in readme.rows()}
    assert len(stated) > readme.constants
    assert {name: readme.resolve(name) for name in stated} == stated


@every
def test_every_constant_names_its_origin(readme: Readme) -> None:
    assert {origin for *_, origin in readme.rows()} <= ORIGINS


@every
def test_the_seven_sections_of_odd_come_first(readme: Readme) -> None:
    parts = re.findall(r"^## (\d)\. (.+)$", readme.text, re.MULTILINE)
    assert [title for _, title in parts[:7]] == [
        "Purpose and patterns",
        "Entities, state variables, scales",
        "Process overview and scheduling",
        "Design concepts",
        "Initialization",
        "Input data",
        "Submodels",
    ]
