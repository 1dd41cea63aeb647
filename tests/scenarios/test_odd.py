"""Tables of a README, written from the code."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest
from tools.odd.tables import Odd, markdown

from memopolis.agents.citizen import Citizen
from memopolis.sim.errors import ParameterError
from memopolis.sim.measures import Measure
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society


class Hamlet(Society[Settings]):
    """A few citizens."""

    measures = (Measure("age", "age", "Mean age", unit="years"),)
    arms: ClassVar[Mapping[str, Mapping[str, object]]] = {"many": {"agents": 9}, "as it is": {}}

    def build(self, settings: Settings) -> None:
        self.populate(Citizen, settings.agents)


def own() -> str:
    return "a table"


@pytest.fixture
def odd(tmp_path: Path) -> Odd:
    return Odd(Hamlet, tmp_path / "README.md", own=(own,), small={"agents": 2})


def test_tables_are_inserted_between_their_markers(
    odd: Odd, capsys: pytest.CaptureFixture[str]
) -> None:
    odd.readme.write_text("a\n<!-- table: own -->\nold\n<!-- end -->\nz\n")
    odd.write()
    text = odd.readme.read_text()
    assert text == "a\n<!-- table: own -->\na table\n<!-- end -->\nz\n"
    odd.write()
    lines = capsys.readouterr().out.splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["updated", "unchanged"]
    assert odd.fill(text) == text


def test_every_scenario_has_the_general_tables(odd: Odd) -> None:
    assert "| `agents` | 1000 |" in odd.settings()
    assert "| citizen | `age` | int | years | 0 to 110 |" in odd.attributes()
    assert odd.measures().endswith("| `age` | mean | years |  | Mean age |")
    assert odd.arms().splitlines()[2:] == ["| `many` | `agents=9` |", "| `as it is` | - |"]
    assert odd.schedule() == "| agents | block | description |\n| --- | --- | --- |"


def test_an_unknown_table_is_refused(odd: Odd) -> None:
    with pytest.raises(ParameterError, match="unknown table 'x'; it must be one of settings"):
        odd.fill("<!-- table: x -->\n<!-- end -->")


def test_cells_cannot_break_a_row() -> None:
    assert markdown(("a",), [("x|y",)]).splitlines()[2] == "| x/y |"
