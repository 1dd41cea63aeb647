"""The models in mesa-frames with Polars, in the native form, the fastest of its benchmarks."""

from typing import Any

import numpy as np
import polars as pl
from measuring import (
    CONTACTS,
    ESCAPE,
    RECOVERY,
    SEEDED,
    Form,
    Result,
    measure_epidemic,
    measure_wealth,
    seconds_of_steps,
)
from mesa_frames import AgentSetPolars, ModelDF

SUSCEPTIBLE, INFECTED, RECOVERED = range(3)


class People(AgentSetPolars):
    """Persons with wealth."""

    def __init__(self, agents: int, model: Any) -> None:
        super().__init__(model)
        self += pl.DataFrame({"unique_id": np.arange(agents), "wealth": np.ones(agents, np.int64)})

    def step(self) -> None:
        """Let all persons give at once."""
        self.select(pl.col("wealth") > 0)
        receivers = self.agents.sample(n=len(self.active_agents), with_replacement=True)
        received = receivers.group_by("unique_id").len()
        self.agents = (
            self.agents.join(received, on="unique_id", how="left", maintain_order="left")
            .with_columns(
                wealth=pl.col("wealth") - (pl.col("wealth") > 0) + pl.col("len").fill_null(0)
            )
            .drop("len")
        )


class Patients(AgentSetPolars):
    """Persons who may be infected."""

    def __init__(self, agents: int, model: Any) -> None:
        super().__init__(model)
        state = (model.random.random(agents) < SEEDED).astype(np.int64)
        self += pl.DataFrame({"unique_id": np.arange(agents), "state": state})

    def step(self) -> None:
        """Let the susceptible meet others, then let the infected recover."""
        random = self.model.random
        state = self.agents["state"].to_numpy()
        susceptible = np.flatnonzero(state == SUSCEPTIBLE)
        contacts = random.integers(len(state), size=(len(susceptible), CONTACTS))
        met = (state == INFECTED)[contacts].sum(axis=1)
        escape = np.array(ESCAPE)[met]
        state = state.copy()
        state[susceptible[random.random(len(susceptible)) >= escape]] = INFECTED
        infected = np.flatnonzero(state == INFECTED)
        state[infected[random.random(len(infected)) < RECOVERY]] = RECOVERED
        self.agents = self.agents.with_columns(state=state)


class Town(ModelDF):
    """A model with one set of agents."""

    def __init__(self, people: type, agents: int, seed: int) -> None:
        super().__init__(seed=seed)
        pl.set_random_seed(seed)
        self.agents += people(agents, self)
        self.susceptible: list[int] = []

    def step(self) -> None:
        """Let all agents act."""
        self.agents.do("step")


class Epidemic(Town):
    """The same, with a count of the susceptible."""

    def step(self) -> None:
        """Let all agents act and count them; this version has no data collector."""
        super().step()
        (states,) = self.agents["state"].values()
        self.susceptible.append(int((states == SUSCEPTIBLE).sum()))


def _wealth(agents: int, steps: int, seed: int) -> Result:
    town = Town(People, agents, seed)
    seconds = seconds_of_steps(town.step, steps)
    (wealth,) = town.agents["wealth"].values()
    return measure_wealth(seconds, wealth.to_list())


def _epidemic(agents: int, steps: int, seed: int) -> Result:
    town = Epidemic(Patients, agents, seed)
    seconds = seconds_of_steps(town.step, steps)
    return measure_epidemic(seconds, agents, town.susceptible)


FORMS = (Form("columns", "at once", _wealth, _epidemic),)
