"""Functions whose indices are known, as societies of one: their value is all they measure."""

import math
from typing import Any, cast

from memopolis.sim.block import Block
from memopolis.sim.measures import Measure
from memopolis.sim.population import Agent, Cohort, attribute
from memopolis.sim.settings import Field, Settings
from memopolis.sim.society import Society


class FunctionSettings(Settings):
    """What the function is taken of."""

    agents: int = Field(1, "Functions", ge=1)
    days: float = Field(1 / 24, "One step", gt=0, unit="d")
    x1: float = Field(0.0, "First number", ge=-math.pi, le=math.pi)
    x2: float = Field(0.0, "Second number", ge=-math.pi, le=math.pi)
    x3: float = Field(0.0, "Third number", ge=-math.pi, le=math.pi)
    broken: float = Field(99.0, "From which x1 on the function cannot be taken")
    noise: float = Field(0.0, "Spread of random noise", ge=0)


class Function(Agent):
    """Something with a value."""

    value: float = attribute(0.0, "Its value", dtype="f8", record=True)


def ishigami(settings: FunctionSettings) -> float:
    """Source: Ishigami and Homma 1990, doi:10.1109/ISUMA.1990.151285."""
    return (
        math.sin(settings.x1)
        + 7 * math.sin(settings.x2) ** 2
        + 0.1 * settings.x3**4 * math.sin(settings.x1)
    )


def linear(settings: FunctionSettings) -> float:
    return 1 * settings.x1 + 2 * settings.x2 - 4 * settings.x3


class Take(Block):
    """Take the function."""

    writes = ("value",)

    def step(self, cohort: Cohort) -> None:
        settings, society = self.society.settings, cast("Ishigami", self.society)
        if settings.x1 >= settings.broken:
            raise ZeroDivisionError("x1 is too large")
        noise = settings.noise * self.chance.uniform(cohort)
        cohort["value"] = society.function(settings) + noise


class Ishigami(Society[FunctionSettings]):
    """The function of Ishigami and Homma."""

    measures = (Measure("value", "value", "Its value", population="function", chart="Value"),)
    function: Any = staticmethod(ishigami)

    def build(self, settings: FunctionSettings) -> None:
        self.populate(Function, settings.agents, blocks=[Take()])


class Linear(Ishigami):
    """A sum of three numbers with weights."""

    function: Any = staticmethod(linear)
