"""The models in Memopolis, with arrays and with one call for each agent."""

from typing import Any

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
    seconds_of_steps,
)

from memopolis import Agent, Block, Cohort, Measure, Settings, Society, attribute


class Person(Agent):
    """A person with wealth."""

    wealth: int = attribute(1, "Units owned")


class GiveAtOnce(Block):
    """Let all persons give at once."""

    reads = writes = ("wealth",)

    def step(self, people: Cohort) -> None:
        """Move one unit from each person that has one to a random person."""
        wealth = people["wealth"]
        givers = wealth > 0
        receivers = (self.chance.uniform(people.where(givers)) * len(people)).astype(np.int64)
        people["wealth"] = wealth - givers + np.bincount(receivers, minlength=len(people))


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


class Town(Society[Settings]):
    """A society whose persons give."""

    block: type[Block] = GiveAtOnce

    def build(self, settings: Settings) -> None:
        """Create the persons."""
        self.populate(Person, settings.agents, blocks=[self.block()])


class TownInTurn(Town):
    """The same with one call for each person."""

    block = GiveInTurn


class Patient(Agent):
    """A person who may be infected."""

    susceptible: bool = attribute(True, "Whether it can be infected")
    infected: bool = attribute(False, "Whether it infects others")
    caught: bool = attribute(False, "Whether it was infected in this step")


class Spread(Block):
    """Infect and recover, all patients at once."""

    reads = writes = ("susceptible", "infected")

    def step(self, people: Cohort) -> None:
        """Let the susceptible meet others, then let the infected recover."""
        infected, susceptible = people["infected"], people["susceptible"]
        exposed = people.where(susceptible)
        contacts = self.chance.uniforms(exposed, CONTACTS, "meet") * len(people)
        met = infected[contacts.astype(np.int64)].sum(axis=1)
        at_risk = exposed.where(met > 0)
        escape = np.array(ESCAPE)[met[met > 0]]
        caught = at_risk.rows[self.chance.uniform(at_risk, "catch") >= escape]
        infected[caught], susceptible[caught] = True, False
        ill = people.where(infected)
        infected[ill.rows[self.chance.uniform(ill, "recover") < RECOVERY]] = False
        people["infected"], people["susceptible"] = infected, susceptible


class Meet(Block):
    """Let one susceptible patient after the other meet others."""

    reads = ("susceptible", "infected")
    writes = ("caught",)

    def act(self, person: Patient) -> None:
        """Catch the disease from infected contacts."""
        if person.susceptible:
            agents: list[Any] = self.population.agents
            draw = self.chance.uniform
            for _ in range(CONTACTS):
                other = agents[int(draw() * len(agents))]
                if other.infected and draw(purpose="catch") < TRANSMISSION:
                    person.caught = True


class Advance(Block):
    """Change the state of one patient after the other."""

    reads = writes = ("susceptible", "infected", "caught")

    def act(self, person: Patient) -> None:
        """Fall ill, or recover."""
        if person.caught:
            person.caught = person.susceptible = False
            person.infected = True
        if person.infected and self.chance.uniform() < RECOVERY:
            person.infected = False


class Epidemic(Society[Settings]):
    """A society with an infectious disease."""

    measures = (Measure("susceptible", "susceptible", of="sum", population="patient"),)
    blocks: tuple[type[Block], ...] = (Spread,)

    def build(self, settings: Settings) -> None:
        """Create the patients and infect some of them."""
        infected = self.chance.uniform("seed", np.arange(settings.agents)) < SEEDED
        status = {"infected": infected, "susceptible": ~infected}
        blocks = [block() for block in self.blocks]
        self.populate(Patient, settings.agents, blocks=blocks, status=status)


class EpidemicInTurn(Epidemic):
    """The same with one call for each patient."""

    blocks = (Meet, Advance)


def _wealth(model: type[Town]) -> Run:
    def run(agents: int, steps: int, seed: int) -> Result:
        town = model(agents=agents, rng=seed)
        seconds = seconds_of_steps(town.step, steps)
        return measure_wealth(seconds, town.population("person").cohort()["wealth"].tolist())

    return run


def _epidemic(model: type[Epidemic]) -> Run:
    def run(agents: int, steps: int, seed: int) -> Result:
        town: Any = model(agents=agents, rng=seed)
        seconds = seconds_of_steps(town.step, steps)
        curve = town.datacollector.get_model_vars_dataframe()["susceptible"]
        return measure_epidemic(seconds, agents, curve.tolist())

    return run


FORMS = (
    Form("arrays, `step`", "at once", _wealth(Town), _epidemic(Epidemic)),
    Form("objects, `act`", "in order", _wealth(TownInTurn), _epidemic(EpidemicInTurn)),
)
