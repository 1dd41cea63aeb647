"""The models in AMBER, in both forms of its documentation: objects and columns.

Objects are also kept in a list: `agents.random()` takes time in proportion to their number.
"""

import time
from typing import ClassVar

import ambr
import numpy as np
from measuring import (
    CONTACTS,
    ESCAPE,
    RECOVERY,
    SEEDED,
    TRANSMISSION,
    Form,
    Result,
    Run,
    measure_epidemic,
    measure_wealth,
)

SUSCEPTIBLE, INFECTED, RECOVERED = range(3)


class Person(ambr.Agent):
    """A person with wealth."""

    def setup(self) -> None:
        """Start with one unit."""
        self.wealth = 1

    def give(self) -> None:
        """Give one unit to a random person."""
        if self.wealth > 0:
            other = self.model.random.choice(self.model.people)
            other.wealth += 1
            self.wealth -= 1


class Timed(ambr.Model):
    """A model that measures its steps, without those of building and of the results."""

    def setup(self) -> None:
        """Create the agents and start the clock."""
        self.create()
        self.started = time.process_time()

    def end(self) -> None:
        """Stop the clock."""
        self.seconds = time.process_time() - self.started


class TownOfObjects(Timed):
    """A town whose persons give one after the other."""

    def create(self) -> None:
        """Create the persons."""
        self.agents = ambr.AgentList(self, self.p.n, Person)
        self.people = list(self.agents)

    def step_oop(self) -> None:
        """Let each person give once."""
        self.agents.give()


class TownOfColumns(Timed):
    """A town whose persons give at once."""

    def create(self) -> None:
        """Create the persons."""
        self.add_agents(self.p.n, wealth=1)

    def step_vectorized(self) -> None:
        """Let each person give once."""
        givers = self.agents.where(self.agents.wealth > 0)
        givers.wealth -= 1
        receivers = self.rng.choice(self.agents.ids.to_numpy(), size=len(givers))
        self.agents.at[receivers].scatter_add(wealth=1)


class Patient(ambr.Agent):
    """A person who may be infected."""

    def setup(self) -> None:
        """Be infected with a small probability."""
        self.state = INFECTED if self.model.random.random() < SEEDED else SUSCEPTIBLE
        self._caught = False

    def meet(self) -> None:
        """Catch the disease from infected contacts."""
        if self.state == SUSCEPTIBLE:
            random = self.model.random
            for other in random.choices(self.model.people, k=CONTACTS):
                if other.state == INFECTED and random.random() < TRANSMISSION:
                    self._caught = True

    def advance(self) -> None:
        """Fall ill, or recover."""
        if self._caught:
            self._caught = False
            self.state = INFECTED
        if self.state == INFECTED and self.model.random.random() < RECOVERY:
            self.state = RECOVERED


class EpidemicOfObjects(Timed):
    """An epidemic among objects."""

    model_reporters: ClassVar = {
        "susceptible": lambda model: sum(one.state == SUSCEPTIBLE for one in model.people)
    }

    def create(self) -> None:
        """Create the patients."""
        self.agents = ambr.AgentList(self, self.p.n, Patient)
        self.people = list(self.agents)

    def step_oop(self) -> None:
        """Let all patients meet, then let all change."""
        self.agents.meet()
        self.agents.advance()


class EpidemicOfColumns(Timed):
    """An epidemic on columns."""

    model_reporters: ClassVar = {
        "susceptible": lambda model: int((model.agents.state == SUSCEPTIBLE).sum())
    }

    def create(self) -> None:
        """Create the patients."""
        self.add_agents(self.p.n, state=(self.rng.random(self.p.n) < SEEDED).astype(np.int64))

    def step_vectorized(self) -> None:
        """Let the susceptible meet others, then let the infected recover."""
        state = self.agents.numpy("state")
        susceptible = np.flatnonzero(state == SUSCEPTIBLE)
        contacts = self.rng.integers(len(state), size=(len(susceptible), CONTACTS))
        met = (state == INFECTED)[contacts].sum(axis=1)
        escape = np.array(ESCAPE)[met]
        state = state.copy()
        state[susceptible[self.rng.random(len(susceptible)) >= escape]] = INFECTED
        infected = np.flatnonzero(state == INFECTED)
        state[infected[self.rng.random(len(infected)) < RECOVERY]] = RECOVERED
        self.agents.set(state=state)


def _run(model: type[Timed], mode: str, agents: int, steps: int, seed: int) -> tuple:
    made = model({"n": agents, "steps": steps, "seed": seed})
    return made, made.cpu(mode=mode).run()


def _wealth(model: type[Timed], mode: str) -> Run:
    def run(agents: int, steps: int, seed: int) -> Result:
        town, results = _run(model, mode, agents, steps, seed)
        return measure_wealth(town.seconds, results.agents["wealth"].to_list())

    return run


def _epidemic(model: type[Timed], mode: str) -> Run:
    def run(agents: int, steps: int, seed: int) -> Result:
        town, results = _run(model, mode, agents, steps, seed)
        return measure_epidemic(town.seconds, agents, results.model["susceptible"].to_list())

    return run


FORMS = (
    Form(
        "columns",
        "at once",
        _wealth(TownOfColumns, "vectorized"),
        _epidemic(EpidemicOfColumns, "vectorized"),
    ),
    Form("objects", "in order", _wealth(TownOfObjects, "oop"), _epidemic(EpidemicOfObjects, "oop")),
)
