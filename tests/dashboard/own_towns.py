"""Scenarios that a user could have written, without a line for the page."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd

from memopolis import (
    Agent,
    Block,
    Citizen,
    Cohort,
    Field,
    Measure,
    Network,
    News,
    Place,
    Settings,
    Shock,
    Society,
    Ties,
    attribute,
)
from memopolis.agents.blocks.social import FollowNews


class Villager(Citizen):
    """A citizen that shares stories."""

    stories: int = attribute(0, "Stories shared", record=True)
    mood: float = attribute(0.5, "How well it is", low=0, high=1, record=True)


class Tell(Block):
    """Share news with a friend."""

    def act(self, villager: Villager) -> None:
        for heard in villager.memory.stream.today(k=1, by="importance"):
            for friend in self.chance.sample(villager.ties("friend"), 1):
                friend.memory.stream.add("social", heard.template, actor=villager)
                villager.stories += 1


class Cheer(Block):
    """Let moods wander."""

    reads = writes = ("mood",)

    def step(self, villagers: Cohort) -> None:
        moved = villagers["mood"] + 0.1 * (self.chance.uniform(villagers) - 0.5)
        villagers["mood"] = np.clip(moved, 0, 1)


class TownSettings(Settings):
    """What can be set in the town."""

    friends: int = Field(2, "Friends on either side of the street", ge=0, le=10)


@dataclass(frozen=True)
class Fair(Shock):
    """A fair in some zones, which makes people glad."""

    zones: Annotated[tuple[str, ...], "Where it is."]
    joy: Annotated[float, "How glad it makes, in [0, 1]."] = 0.3


class Town(Society[TownSettings]):
    """Three zones of friends."""

    reacts_to = (Fair,)
    measures = (
        Measure("mood", "mood", population="villager", chart="How people are"),
        Measure("stories", "stories", of="sum", population="villager", chart="Stories shared"),
    )

    def build(self, settings: TownSettings) -> None:
        self.place = Place.from_table(
            pd.DataFrame(
                {
                    "zone": ["n", "m", "s"],
                    "name": ["North", "Middle", "South"],
                    "lat": [33.0, 32.9, 32.8],
                    "lon": [-80.0, -80.1, -80.0],
                    "population": [100.0, 300.0, 200.0],
                    "land_km2": [30.0, 10.0, 20.0],
                }
            )
        )
        rows = np.arange(settings.agents)
        steps = np.arange(1, settings.friends + 1)
        others = (rows[:, None] + steps) % settings.agents
        street = Network(settings.agents, rows.repeat(settings.friends), others)
        zone = (rows % 3).astype(np.int16)
        self.populate(
            Villager,
            settings.agents,
            blocks=[FollowNews(), Tell(), Cheer()],
            ties=Ties(settings.agents, {"friend": street}),
            status={"home": zone, "place": zone, "target": zone},
        )
        self.at("2026-01-01 08:00", News("A fair is coming.", topic="fair", importance=0.9))

    def happen(self, shock: Shock) -> None:
        """Let a fair make people glad; the rest is as usual."""
        if isinstance(shock, Fair):
            villagers = self.population("villager")
            villagers["mood"] = np.minimum(villagers["mood"] + shock.joy, 1)
        super().happen(shock)


class Bare(Society[Settings]):
    """A citizen without zones, ties or measures."""

    def build(self, settings: Settings) -> None:
        self.populate(Agent, settings.agents)


class Fall(Block):
    """Raises in the third step."""

    def step(self, villagers: Cohort) -> None:
        if self.clock.tick == 2:
            raise ValueError(f"the bridge fell below {len(villagers)} <b>villagers</b>")


class Falling(Town):
    """A town with a block that fails."""

    def build(self, settings: TownSettings) -> None:
        super().build(settings)
        self.give(self.population("villager"), Fall())
