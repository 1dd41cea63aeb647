"""A village of citizens, firms and a government in three zones, for tests of several folders."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.agents.blocks.cognition import Feel, Think, UpdateAttitudes
from memopolis.agents.blocks.diary import KeepDiary
from memopolis.agents.blocks.economy import PayBenefits, Shop, Work, open_accounts
from memopolis.agents.blocks.meet import Meet
from memopolis.agents.blocks.mobility import Mobility
from memopolis.agents.blocks.needs import Needs
from memopolis.agents.blocks.plan import FollowPlan, MakePlan
from memopolis.agents.blocks.social import FollowNews, Talk
from memopolis.agents.citizen import Citizen
from memopolis.agents.institutions import Firm, Government
from memopolis.sim.block import Block
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.world.ledger import Ledger
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties import Network, Ties


def three_zones() -> Place:
    return Place.from_table(
        pd.DataFrame(
            {
                "zone": ["n", "m", "s"],
                "name": ["North", "Middle", "South"],
                "lat": [33.0, 32.9, 32.8],
                "lon": [-80.0, -80.0, -80.0],
                "population": [100.0, 300.0, 200.0],
                "land_km2": [30.0, 10.0, 20.0],
            }
        )
    )


def neighbours(people: int) -> Ties:
    """Every citizen is a friend of the next two."""
    rows = np.arange(people)
    ends = np.concatenate([(rows + 1) % people, (rows + 2) % people])
    return Ties(people, {"friend": Network(people, np.tile(rows, 2), ends, 0.9)})


class Village(Society[Settings]):
    """Citizens who live an ordinary life."""

    def build(self, settings: Settings) -> None:
        people = settings.agents
        rows = np.arange(people)
        self.place = three_zones()
        home = (rows % 3).astype(np.int16)
        working = rows % 5 < 3
        status = {
            "home": home,
            "place": home,
            "target": home,
            "age": np.where(working, 35, 20 + rows % 60),
            "workplace": np.where(working, (rows + 1) % 3, -1),
            "employer": np.where(working, (rows + 1) % 3, -1),
            "skill": np.where(working, 20.0, 0.0),
            "hunger": self.chance.uniform("hunger", rows),
            "energy": self.chance.uniform("energy", rows),
            "social": self.chance.uniform("social", rows),
        }
        self.citizens = self.populate(Citizen, people, status=status, ties=neighbours(people))
        self.firms = self.populate(
            Firm, 3, status={"zone": np.arange(3), "inventory": np.full(3, 500.0)}
        )
        self.government = self.populate(Government, 1)
        self.ledger = Ledger()
        self.accounts = open_accounts(
            self.ledger, np.full(people, 20_000), 3, capital=1_000_000, treasury=500_000
        )

    def live(self, *, without: Sequence[type[Block]] = ()) -> None:
        """Add all blocks except some."""
        diary = KeepDiary()
        behaviours: list[Block] = [
            Needs(),
            diary,
            FollowNews(),
            FollowPlan(diary),
            MakePlan(diary),
            Meet(),
            Mobility(),
            Work(self.accounts, self.firms, self.government),
            Shop(self.accounts, self.firms),
            Talk(),
            Feel(),
            UpdateAttitudes(),
            Think(),
        ]
        self.give(self.citizens, *(b for b in behaviours if type(b) not in without))
        owed = np.where(self.citizens["employer"] < 0, 3_000, 0)
        self.give(self.government, PayBenefits(self.accounts, self.citizens, owed))


@pytest.fixture
def village() -> Callable[..., Village]:
    """Return a function that makes a village without blocks; tests add them or call `live`."""

    def make(agents: int = 30, rng: int = 1, **changes: Any) -> Village:
        return Village(agents=agents, rng=rng, **changes)

    return make


@pytest.fixture
def lived(village: Callable[..., Village]) -> Callable[..., Village]:
    """Return a function that makes a village and runs it for some hours."""

    def make(hours: int, **changes: Any) -> Village:
        made = village(**changes)
        made.live()
        for _ in range(hours):
            made.step()
        return made

    return make
