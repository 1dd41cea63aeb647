"""Errors in a user's own code name its file and line, the block, the agent and the step."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from memopolis import Block, Citizen, Cohort, Settings, Society, attribute
from memopolis.cli import app
from memopolis.errors import ParameterError, SchemaError
from memopolis.sim.error_places import described, note_place, place_of
from memopolis.sim.mind.call import Call, ScriptedClient
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.timeline import Order

NAME = Path(__file__).name


NOTHING: dict[str, Any] = {}


class Villager(Citizen):
    name: str = attribute("")
    greeted: int = attribute(0)


class Importance(Block):
    def act(self, villager: Villager) -> None:
        if villager.row == 2:
            villager.memory.stream.add("social", "Hello.", importance=3.0)


class Misspelt(Block):
    def act(self, villager: Any) -> None:
        villager.greeted = villager.gretted + 1


class Entry(Block):
    def step(self, villagers: Cohort) -> None:
        worth = np.linspace(0, 1.5, len(villagers))
        villagers.memory.stream.add("social", "Hello.", importance=worth)


class Overflow(Block):
    def step(self, villagers: Cohort) -> None:
        villagers["greeted"] = np.arange(len(villagers)) * 2**30


class Shape(Block):
    def step(self, villagers: Cohort) -> None:
        villagers["hunger"] = np.ones(3)


class Rule(Block):
    def perceive(self, villagers: Cohort) -> Question:
        return Question("plan", villagers, "choice", _broken_rule)

    def apply(self, villagers: Cohort, decisions: Any) -> None: ...


def _broken_rule(question: Question) -> Answer:
    return Answer(np.zeros(len(question.cohort)) / NOTHING["no such key"])


class Listener(Block):
    def setup(self) -> None:
        self.population.memory.stored.append(lambda _: [].pop())

    def step(self, villagers: Cohort) -> None:
        villagers.memory.stream.add("social", "Hello.")


class Client(Block):
    def step(self, villagers: Cohort) -> None:
        asked = Call(int(villagers.ids[1]), "client", 0, 0, 0, (), {}, 10, 1, "m", 0.0)
        ScriptedClient(lambda call: NOTHING[call.block]).complete([asked])


class Setup(Block):
    def setup(self) -> None:
        raise KeyError("streets")

    def step(self, villagers: Cohort) -> None: ...


class Wind:
    def step(self, society: Any) -> None:
        raise RuntimeError(f"no wind in {society.title}")


class VillageSettings(Settings):
    block: str = "none"


class Village(Society[VillageSettings]):
    def build(self, settings: VillageSettings) -> None:
        blocks = [] if settings.block == "none" else [globals()[settings.block]()]
        names = np.array([f"Amy {row}" for row in range(settings.agents)])
        self.populate(Villager, settings.agents, blocks=blocks, status={"name": names})

    def happen(self, shock: Any) -> None:
        super().happen(shock)
        if isinstance(shock, Order):
            raise ZeroDivisionError("orders")


AT_START = "step 0, 2026-01-01 00:00"


@pytest.mark.parametrize(
    ("block", "kind", "message", "where", "context"),
    [
        ("Importance", ParameterError, "given 3.0", "Importance.act", 'villager 3 "Amy 2"'),
        ("Misspelt", AttributeError, "Did you mean: 'greeted'", "Misspelt.act", 'r 1 "Amy 0"'),
        ("Entry", ParameterError, "given 1.125", "Entry.step", 'villager 4 "Amy 3"'),
        ("Overflow", SchemaError, "got 2147483648", "Overflow.step", 'villager 3 "Amy 2"'),
        ("Shape", ParameterError, "shape (3,)", "Shape.step", "population villager"),
        ("Rule", KeyError, "no such key", "_broken_rule", "population villager"),
        ("Client", KeyError, "client", "<lambda>", 'villager 2 "Amy 1"'),
        ("Listener", IndexError, "pop from empty list", "<lambda>", "population villager"),
    ],
)
def test_an_error_in_a_step_names_file_line_block_agent_and_step(
    block: str, kind: type[Exception], message: str, where: str, context: str
) -> None:
    village = Village(agents=5, rng=1, block=block)
    with pytest.raises(kind) as caught:
        village.step()
    line, _, rest = described(caught.value).partition("; ")
    assert message in line
    file, _, place = rest.partition(" in ")
    assert NAME in file
    assert file.rpartition(":")[2].isdecimal()
    assert place.startswith(f"{where} (block {block.lower()}, ")
    assert place.endswith(f"{context}, {AT_START})")


def test_an_error_while_building_is_marked() -> None:
    with pytest.raises(KeyError) as caught:
        Village(agents=5, rng=1, block="Setup")
    context = "(block setup, population villager, while the society was built)"
    assert place_of(caught.value).endswith(f" in Setup.setup {context}")


def test_shocks_and_parts_of_the_world_are_named() -> None:
    village = Village(agents=5, rng=1)
    village.at("2026-01-01 00:00", Order(zones=("a",), status="none"))
    with pytest.raises(ZeroDivisionError) as caught:
        village.step()
    assert place_of(caught.value).endswith(f" in Village.happen (Order, {AT_START})")
    village = Village(agents=5, rng=1)
    village.world.append(Wind())
    with pytest.raises(RuntimeError) as windy:
        village.step()
    assert place_of(windy.value).endswith(f" in Wind.step (Wind, {AT_START})")


def test_an_error_of_the_package_gets_no_note() -> None:
    society: Society[Settings] = Society(agents=5, rng=1)
    with pytest.raises(ParameterError) as caught:
        society.populate(Villager, 0)
    error = caught.value.with_traceback(None)
    note_place(error)
    assert place_of(error) == ""
    assert described(error) == str(error)


FILE = """
from memopolis import Agent, Block, Settings, Society

class Person(Agent):
    pass

class Greet(Block):
    def act(self, person):
        if self.clock.tick == 2:
            {line}

class Village(Society[Settings]):
    def build(self, settings):
        self.populate(Person, settings.agents, blocks=[Greet()])
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            'person.memory.stream.add("x", "y", importance=3.0)',
            "importance must be between 0 and",
        ),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ('open("no such file")', "No such file or directory"),
    ],
)
def test_the_command_line_and_the_manifest_show_the_error_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("village.py").write_text(FILE.replace("{line}", line), encoding="utf-8")
    options = ("--agents", "3", "--days", "1", "--out", "run")
    result = CliRunner().invoke(app, ["run", "village.py:Village", *options])
    assert result.exit_code == 2
    (lines,) = (one for one in result.stderr.splitlines() if one.startswith("memopolis: "))
    place = "village.py:10 in Greet.act (block greet, person 1, step 2, 2026-01-01 02:00)"
    assert message in lines
    assert lines.endswith(f"; {place}")
    manifest = json.loads(Path("run", "manifest.json").read_text(encoding="utf-8"))
    assert manifest["status"] == "failed"
    assert manifest["error"].endswith(f"; {place}")
