"""Code of the user: a mistake in a block is one line that says where; no value is lost silently."""

import copy
import pickle
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import call
from tests.attack.workshop import Workshop

from memopolis import Agent, Memory, Settings, Society, attribute
from memopolis.sim.memory.retrieval.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

_USER_CODE = """\
from memopolis import Agent, Block, Citizen, Settings, Society, attribute


class Villager(Citizen):
    errands: int = attribute(0, description="Errands", record=True)
    items: list = attribute([])


class Errand(Block):
    {form}
        {line}  # the mistake


class Village(Society[Settings]):
    def build(self, settings):
        self.populate(Villager, settings.agents, blocks=[Errand()])
"""
_LINE = 11
_ACT, _STEP = "def act(self, villager):", "def step(self, villagers):"
_MISTAKES = {
    "importance 3.0": (_ACT, "villager.memory.stream.add('social', 'hello', importance=3.0)"),
    "a misspelt attribute": (_ACT, "villager.erands = 1"),
    "an attribute that is not there, read": (_ACT, "villager['erands']"),
    "a misspelt column": (_STEP, "villagers['errands'] = villagers['erands']"),
    "a division by zero": (_ACT, "1 / 0"),
    "a column of the wrong length": (_STEP, "villagers['errands'] = [1, 2]"),
    "an item appended to a list": (_ACT, "villager.items.append('shell')"),
    "an item set in a struct": (_ACT, "villager.emotion['fear'] = 9.0"),
    "a key that another agent has": (
        _ACT,
        "villager['shell'] if villager.row else villager.memory.status.update({'shell': 1})",
    ),
    "too many values for new agents": (
        _STEP,
        "self.population.add(2, status={'errands': [1, 2, 3]})",
    ),
}


def _mistake(workshop: Workshop, *, form: str, line: str) -> Outcome:
    """Make a mistake in a block; the message must say where."""
    source = workshop.folder / "village.py"
    source.write_text(_USER_CODE.format(form=form, line=line))
    words = ("run", "village.py:Village", "--agents", "5", "--days", "1", "--no-report")
    result = call(*words, "--out", "run", cwd=workshop.folder)
    faults = result.refusal_faults()
    message = result.errors[-1] if result.errors else ""
    wanted = ["village.py", str(_LINE), "errand", "step"]
    wanted += ["villager"] if form == _ACT else []
    faults += [f"no {word} in: {message}" for word in wanted if word not in message.lower()]
    return judge(faults, message)


class _Person(Agent):
    cash: float = attribute(0.0)


class _Town(Society[Settings]):
    def build(self, settings: Settings) -> None:
        self.populate(_Person, settings.agents)


_FLOATS = (20_000_000.01, -79.93112345, 1_767_225_650.5, 1e300, 5e-324)


def _keep_digits(_: Workshop) -> Outcome:
    """Write floats to an agent, a cohort and an undeclared key, and read them."""
    people = _Town(agents=len(_FLOATS), rng=1).populations[0]
    agents: Any = people.agents
    faults = []
    for agent, value in zip(agents, _FLOATS, strict=True):
        agent.cash = value
        agent["coins"] = value
        read = (agent.cash, agent["cash"], agent["coins"])
        faults += [f"{value!r} became {read}"] if set(read) != {value} else []
    everyone = people.cohort()
    everyone["cash"] = everyone["coins"]
    faults += ["a cohort loses digits"] if everyone["cash"].tolist() != list(_FLOATS) else []
    return judge(faults, f"{len(_FLOATS)} floats are equal")


def _keep_missing(_: Workshop) -> Outcome:
    """Read keys that only another agent has."""
    memory = Memory(agents=2)
    values: dict[str, Any] = {"cash": 1.5, "children": 2, "rich": True, "home": "mill", "ties": [1]}
    memory[0].status.update(values)
    faults = [
        f"{key} is {got!r}"
        for key in values
        if (got := memory[1].status.get(key, default="unknown")) != "unknown"
    ]
    faults += [f"keys are {list(memory[1].status)}"] if list(memory[1].status) else []
    return judge(faults, f"{len(values)} keys are missing")


def _copy_memory(_: Workshop) -> Outcome:
    """Copy a memory after a search by each profile, and continue with the copy."""
    faults = []
    copies: dict[str, Callable[[Any], Any]] = {
        "pickle": lambda memory: pickle.loads(pickle.dumps(memory)),  # noqa: S301 - written here
        "deepcopy": copy.deepcopy,
    }
    for name in PROFILES:
        memory = Memory(agents=1)
        memory[0].stream.add("work", "Saw smoke")
        memory[0].stream.search("smoke", profile=name)
        for way, make in copies.items():
            other = make(memory)
            other[0].stream.add("work", "Saw a flood")
            texts = {one.text for one in other[0].stream.search("saw", k=2, profile=name)}
            wrong = texts != {"Saw smoke", "Saw a flood"} or len(memory[0].stream) != 1
            faults += [f"{way} after {name}: {texts}"] if wrong else []
    return judge(faults, f"{len(PROFILES)} profiles, 2 ways")


def _add_agents(_: Workshop) -> Outcome:
    """Add agents one by one to a large society."""
    people = _Town(agents=100_000, rng=1).populations[0]
    began = time.perf_counter()
    for number in range(200):
        people.add(status={"cash": float(number)})
    seconds = time.perf_counter() - began
    faults = [f"{seconds:.1f} s"] if seconds > 2 else []
    cash = people.cohort()["cash"][-200:]
    faults += ["their values differ"] if not np.array_equal(cash, np.arange(200.0)) else []
    return judge(faults, f"200 agents in {seconds:.2f} s")


CASES = [
    Case(
        f"a block of the user with {name}",
        "one line with file, line, block and step, and the agent if there is one",
        partial(_mistake, form=form, line=line),
    )
    for name, (form, line) in _MISTAKES.items()
] + [
    Case("floats with many digits in a status", "every digit is kept", _keep_digits),
    Case("a status key that another agent has", "the default is returned", _keep_missing),
    Case("copies of a memory after searches", "all work and are independent", _copy_memory),
    Case("200 agents added one by one to 100,000", "less than 2 s", _add_agents),
]
