"""A society whose measure is a setting plus normal noise: its posterior is known."""

from typing import Any

from memopolis import Agent, Block, Field, Measure, Settings, Society, attribute


class Numbers(Settings):
    """Two numbers, of which the measures depend on one each."""

    agents: int = Field(1, "Agents", ge=1)
    days: float = Field(1 / 24, "One step", gt=0, unit="d")
    shift: float = Field(0.0, "Mean of the measure", ge=-50, le=50)
    idle: float = Field(1.0, "A number without effect", gt=0, le=10)


class Point(Agent):
    """An agent with a number."""

    value: float = attribute(0.0, "Number", dtype="f8")


class Draw(Block):
    """Draw the number."""

    writes = ("value",)

    def step(self, cohort: Any) -> None:
        noise = self.chance.normal(cohort, "value")
        cohort["value"] = self.society.settings.shift + noise


class Normal(Society[Numbers]):
    """One number."""

    measures = (Measure("value", "value", population="point", chart="Value"),)

    def build(self, settings: Numbers) -> None:
        """Create the agents."""
        self.populate(Point, settings.agents, blocks=[Draw()])
