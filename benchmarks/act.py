"""Speed of one agent at a time: `act`, recall inside `act`, and a single search.

Prints two tables. The first runs one model, a transfer of wealth between random agents, as Mesa
objects and with a block that has `act`. The second recalls the best 10 of 1,000 memories: for a
single agent, inside `act`, and for a cohort. All variants run on one thread, one after the other
in each round; the tables show medians of processor time over rounds.
"""

# ruff: noqa: E402 - libraries read these when they are imported
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import mesa
from rich.console import Console
from rich.table import Table

from memopolis import Agent, Block, Citizen, Cohort, Filter, Memory, Settings, Society, attribute

STEPS = 20
"""Steps of a round."""
AGENTS = 1_000
"""Agents of the variants that call a function for each agent."""
MEMORIES = 1_000
K = 10
SEARCHES = 200
"""Searches of a round."""
RECALLING = 200
"""Agents of the variants that recall in a society."""
TEXTS = [f"On day {i} I met person {i % 97} at place {i % 31}." for i in range(MEMORIES)]
QUERY = "Who did I meet at place 7?"


class MesaPerson(mesa.Agent["MesaTown"]):
    """A person of the Mesa model."""

    model: "MesaTown"

    def __init__(self, model: "MesaTown") -> None:
        super().__init__(model)
        self.wealth = 1

    def give(self) -> None:
        """Give one unit to a random person."""
        if self.wealth > 0:
            other = self.model.random.choice(self.model.people)
            other.wealth += 1
            self.wealth -= 1


class MesaTown(mesa.Model[Any, Any]):
    """The model as Mesa objects."""

    def __init__(self, agents: int) -> None:
        super().__init__(rng=1)
        # A list: indexing `model.agents` takes time in proportion to their number.
        self.people = list(MesaPerson.create_agents(self, agents))

    def step(self) -> None:
        """Let each person give once, in random order."""
        self.agents.shuffle_do("give")


class MesaTownInOrder(MesaTown):
    """The same model without shuffling."""

    def step(self) -> None:
        """Let each person give once, in a fixed order."""
        self.agents.do("give")


class Person(Agent):
    """A person of the Memopolis model."""

    wealth: int = attribute(1, "Units owned")


class GiveInTurn(Block):
    """Let one person after the other give."""

    reads = writes = ("wealth",)

    def act(self, person: Person) -> None:
        """Give one unit to a random person."""
        if person.wealth > 0:
            agents: list[Any] = self.population.agents
            other = agents[int(self.chance.uniform() * len(agents))]
            other.wealth += 1
            person.wealth -= 1


class TownInTurn(Society[Settings]):
    """The model with a function that is called for each agent."""

    def build(self, settings: Settings) -> None:
        """Create the persons."""
        self.populate(Person, settings.agents, blocks=[GiveInTurn()])


class Rememberer(Citizen):
    """A citizen who acts on what it recalls."""

    trust: float = attribute(0.5, "Trust in place 7, 0..1")


class RecallInTurn(Block):
    """Let one agent after the other recall and act."""

    def act(self, person: Rememberer) -> None:
        """Trust the place as much as the memories of it are important."""
        recalled = person.stream.search(QUERY, K)
        person.trust = sum(one.importance for one in recalled) / len(recalled)


class RecallFilteredInTurn(Block):
    """Let one agent after the other recall memories that meet a condition, and act."""

    def act(self, person: Rememberer) -> None:
        """Trust the place as much as the memories of it are important."""
        recalled = person.stream.search(QUERY, K, where=Filter(topic="social"))
        person.trust = sum(one.importance for one in recalled) / len(recalled)


class RecallAtOnce(Block):
    """Let all agents recall and act at once."""

    def step(self, people: Cohort) -> None:
        """Trust the place as much as the memories of it are important."""
        stream = people.stream
        recalled = stream.search(QUERY, K)
        people["trust"] = stream.column("importance", recalled.ids).mean(axis=1)


class Recalling(Society[Settings]):
    """A society that recalls in each step; `block` is the form of its behaviour."""

    block: type[Block] = RecallInTurn

    def build(self, settings: Settings) -> None:
        """Create agents with memories."""
        people = self.populate(Rememberer, settings.agents, blocks=[self.block()])
        for text in TEXTS:
            people.cohort().stream.add("social", text)


class RecallingFiltered(Recalling):
    """The same with a filter, for which equal searches are pooled."""

    block = RecallFilteredInTurn


class RecallingAtOnce(Recalling):
    """The same with arrays."""

    block = RecallAtOnce


def median_seconds(variants: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the median processor time of each variant; each round runs all of them in turn."""
    for run in variants.values():
        run()  # warm up: compile, fill caches
    seconds: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(rounds):
        for name, run in variants.items():
            start = time.process_time()
            run()
            seconds[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def steps_of(model: mesa.Model[Any, Any], steps: int = STEPS) -> Callable[[], None]:
    """Return a function that makes the steps of a round."""

    def run() -> None:
        for _ in range(steps):
            model.step()

    return run


def compare_act(rounds: int) -> Table:
    """Time one function call per agent, in Mesa and in Memopolis."""
    mesa_name = f"Mesa {mesa.__version__}"
    variants: dict[str, Callable[[], object]] = {
        f"{mesa_name}, objects, `shuffle_do`": steps_of(MesaTown(AGENTS)),
        f"{mesa_name}, objects, `do`": steps_of(MesaTownInOrder(AGENTS)),
        "Memopolis, `act`": steps_of(TownInTurn(agents=AGENTS, rng=1)),
    }
    seconds = median_seconds(variants, rounds)
    speeds = {name: AGENTS * STEPS / one for name, one in seconds.items()}
    base = next(iter(speeds.values()))
    table = Table(title=f"Transfer of wealth, {AGENTS:,} agents, processor time")
    for column in ("variant", "agent-steps a second", "compared with the first"):
        table.add_column(column, justify="left" if column == "variant" else "right")
    for name, speed in speeds.items():
        table.add_row(name, f"{speed:,.0f}", f"{speed / base:.2f}")
    return table


def compare_recall(rounds: int) -> Table:
    """Time recall for a single agent, inside `act`, and for a cohort."""
    memory = Memory(1)
    memory.threads = 1
    for text in TEXTS:
        memory[0].stream.add("social", text)
    own, seen = memory[0].stream, memory[0].observed.stream

    def repeat(search: Callable[[], object]) -> None:
        for _ in range(SEARCHES):
            search()

    forms: dict[str, type[Society[Settings]]] = {
        "recall inside `act`": Recalling,
        "recall with a filter inside `act`": RecallingFiltered,
        "recall inside `step`, on arrays": RecallingAtOnce,
    }
    variants: dict[str, tuple[int, Callable[[], object]]] = {
        "`stream.search` of one agent": (SEARCHES, partial(repeat, partial(own.search, QUERY, K))),
        "the same for an observer": (SEARCHES, partial(repeat, partial(seen.search, QUERY, K))),
        **{
            name: (RECALLING, steps_of(form(agents=RECALLING, rng=1), 1))
            for name, form in forms.items()
        },
    }
    seconds = median_seconds({name: run for name, (_, run) in variants.items()}, rounds)
    table = Table(title=f"Recall of the best {K} of {MEMORIES:,} memories, processor time")
    for column in ("variant", "milliseconds an agent"):
        table.add_column(column, justify="left" if column == "variant" else "right")
    for name, (count, _) in variants.items():
        table.add_row(name, f"{seconds[name] / count * 1e3:.4f}")
    return table


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    console = Console(width=110)
    console.print(compare_act(rounds))
    console.print(compare_recall(rounds))


if __name__ == "__main__":
    main()
