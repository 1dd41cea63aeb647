"""What holds of every scenario's README; a scenario adds its own by a line in `READMES`."""

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import pytest
from tests.docs.checking import ROOT, check
from tools.odd.hurricane import ODD as HURRICANE
from tools.odd.polarization import ODD as POLARIZATION
from tools.odd.tables import Odd
from tools.odd.ubi import ODD as UBI

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

    def trace(self) -> Iterator[tuple[str, list[str]]]:
        """Each element of the TRACE table, with the files and commands that it names."""
        table = self.text.split("<!-- trace -->\n")[1].split("<!-- end -->")[0]
        for line in table.splitlines()[2:]:
            element, _, where = (cell.strip() for cell in line.strip("|").split("|"))
            yield element, re.findall(r"`([^`]+)`", where)

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
    command = f"python -m tools.odd {readme.name}"
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


DECISION_ELEMENTS = (
    *("Theoretical and empirical background", "Individual decision-making", "Learning"),
    *("Sensing", "Prediction", "Interaction", "Collectives", "Heterogeneity", "Stochasticity"),
    "Observation",
)
TRACE_ELEMENTS = [
    *("Problem formulation", "Model description", "Data evaluation"),
    *("Conceptual model evaluation", "Implementation verification", "Model output verification"),
    *("Model analysis", "Model output corroboration"),
]


@every
def test_every_element_of_odd_d_is_described(readme: Readme) -> None:
    described = re.findall(r"^- \*\*([^*]+)\.\*\*", readme.text, re.MULTILINE)
    assert set(DECISION_ELEMENTS) <= {*described}


@every
def test_every_block_that_lets_a_mind_decide_is_described(readme: Readme) -> None:
    table = readme.text.split("<!-- table: decisions -->\n")[1].split("<!-- end -->")[0]
    described = set(re.findall(r"^\| \w+ \| `(\w+)` \|", table, re.MULTILINE))
    deciding = {type(block).__name__ for _, block in readme.odd.deciding}
    assert len(deciding) >= 6
    assert described == deciding


@every
def test_every_element_of_trace_names_tests_that_exist(readme: Readme) -> None:
    rows = dict(readme.trace())
    assert [*rows] == TRACE_ELEMENTS
    for element, named in rows.items():
        assert named, f"{element} names neither a file nor a command"
        for one in named:
            _check_evidence(one)


def _check_evidence(named: str) -> None:
    """Check a command, a file, or one test in a file as FILE::TEST.

    Raises:
        AssertionError: If it does not exist.
        Exception: If a command has an option, a setting or an arm that does not exist.
    """
    if named.startswith(("memopolis ", "make ", "python ")):
        check(shlex.split(named))
        return
    file, _, test = named.partition("::")
    assert (ROOT / file).is_file(), f"there is no file {file}"
    tests = re.findall(r"^def (\w+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    assert not test or test in tests, f"{file} has no {test}"


@pytest.mark.parametrize(
    "wrong",
    [
        "tests/scenarios/test_nothing.py",
        "tests/scenarios/test_readmes.py::test_nothing",
        "memopolis validate hurricanes",
        "memopolis compare hurricane --arms storm,no_strom",
        "make tests",
    ],
)
def test_missing_evidence_is_found(wrong: str) -> None:
    with pytest.raises(Exception, match=r"\w"):
        _check_evidence(wrong)
