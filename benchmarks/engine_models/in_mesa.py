"""The models in Mesa, as in its introductory tutorial.

People are also kept in a list: indexing `model.agents` takes time in proportion to their number.
"""

from typing import Any

import mesa
from measuring import (
    CONTACTS,
    RECOVERY,
    SEEDED,
    TRANSMISSION,
    Form,
    Result,
    Run,
    measure_epidemic,
    measure_wealth,
    seconds_of_steps,
)

SUSCEPTIBLE, INFECTED, RECOVERED = range(3)


class Person(mesa.Agent):
    """A person with wealth."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.wealth = 1

    def give(self) -> None:
        """Give one unit to a random person."""
        if self.wealth > 0:
            other = self.random.choice(self.model.people)
            other.wealth += 1
            self.wealth -= 1


class Town(mesa.Model):
    """A town whose persons give in random order."""

    def __init__(self, agents: int, seed: int) -> None:
        super().__init__(rng=seed)
        self.people = list(Person.create_agents(self, agents))

    def step(self) -> None:
        """Let each person give once."""
        self.agents.shuffle_do("give")


class TownInOrder(Town):
    """The same in a fixed order."""

    def step(self) -> None:
        """Let each person give once."""
        self.agents.do("give")


class Patient(mesa.Agent):
    """A person who may be infected."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.state = INFECTED if self.random.random() < SEEDED else SUSCEPTIBLE
        self.caught = False

    def meet(self) -> None:
        """Catch the disease from infected contacts."""
        if self.state == SUSCEPTIBLE:
            for other in self.random.choices(self.model.people, k=CONTACTS):
                if other.state == INFECTED and self.random.random() < TRANSMISSION:
                    self.caught = True

    def advance(self) -> None:
        """Fall ill, or recover."""
        if self.caught:
            self.caught = False
            self.state = INFECTED
        if self.state == INFECTED and self.random.random() < RECOVERY:
            self.state = RECOVERED


class Epidemic(mesa.Model):
    """A town with an infectious disease."""

    def __init__(self, agents: int, seed: int) -> None:
        super().__init__(rng=seed)
        self.people = list(Patient.create_agents(self, agents))
        self.datacollector = mesa.DataCollector(
            {"susceptible": lambda m: sum(one.state == SUSCEPTIBLE for one in m.people)}
        )

    def step(self) -> None:
        """Let all patients meet, then let all change."""
        self.agents.do("meet")
        self.agents.do("advance")
        self.datacollector.collect(self)


def _wealth(model: type[Town]) -> Run:
    def run(agents: int, steps: int, seed: int) -> Result:
        town = model(agents, seed)
        seconds = seconds_of_steps(town.step, steps)
        return measure_wealth(seconds, [one.wealth for one in town.people])

    return run


def _epidemic(agents: int, steps: int, seed: int) -> Result:
    town = Epidemic(agents, seed)
    seconds = seconds_of_steps(town.step, steps)
    return measure_epidemic(seconds, agents, town.datacollector.model_vars["susceptible"])


FORMS = (
    Form("objects, `shuffle_do`", "in random order", _wealth(Town), None),
    Form("objects, `do`", "in order", _wealth(TownInOrder), _epidemic),
)
