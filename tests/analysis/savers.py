"""A society small enough to compute by hand, with arms: all agents save random amounts."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from memopolis.sim.block import Block
from memopolis.sim.measures import Measure
from memopolis.sim.population import Agent, Cohort, attribute
from memopolis.sim.settings import Field, LocalTime, Settings
from memopolis.sim.society import Society


class SaverSettings(Settings):
    """How much is saved."""

    start: LocalTime = Field(datetime(2026, 1, 1), "Start")
    tick: float = Field(24.0, "Step", gt=0, unit="h")
    agents: int = Field(4, "Savers", ge=1)
    days: float = Field(3.0, "Length", gt=0, unit="d")
    extra: float = Field(0.0, "Saved each day in addition to the random amount")


class Saver(Agent):
    """An agent that saves."""

    town: str = attribute("north", "Where it lives")
    saved: float = attribute(0.0, "Saved in this step", dtype="f8")
    wealth: float = attribute(0.0, "Saved so far", dtype="f8", record=True)


class Save(Block):
    """Save a random amount, and the extra."""

    reads = ("wealth",)
    writes = ("saved", "wealth")

    def step(self, cohort: Cohort) -> None:
        saved = self.chance.uniform(cohort) + self.society.settings.extra
        cohort["saved"] = saved
        cohort["wealth"] += saved


class Savers(Society[SaverSettings]):
    """People who save."""

    measures = (
        Measure(
            "saved",
            "saved",
            "Saved in the step",
            of="sum",
            unit="cents",
            population="saver",
            chart="Savings",
        ),
        Measure(
            "wealth",
            "wealth",
            "Saved so far, by town",
            unit="USD",
            group="town",
            population="saver",
            chart="Wealth",
        ),
        Measure("hidden", "wealth", "Not charted", population="saver"),
    )
    arms: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "plain": {},
        "thrifty": {"extra": 1.0},
    }

    def build(self, settings: SaverSettings) -> None:
        towns = ["north" if row % 2 else "south" for row in range(settings.agents)]
        self.populate(Saver, settings.agents, blocks=[Save()], status={"town": towns})
