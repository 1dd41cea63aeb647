"""The statistics bureau publishes opinions, exposure and network figures."""

from dataclasses import dataclass

import numpy as np

from memopolis.scenarios.polarization.blocks.read_feed import ReadFeed
from memopolis.scenarios.polarization.subjects import Subject
from memopolis.sim.arrays import Floats
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population
from memopolis.sim.statistics import network, polarization

SIDES = {"democrat": 1, "independent": 0, "republican": -1}
"""Side by the suffix of the bureau's columns."""

OPINIONS = (
    "mean", "variance", "sd", "bimodality", "esteban_ray", "support", "party_gap",
    "extreme_share", *(f"{what}_{party}" for what in ("support", "mean") for party in SIDES),
)  # fmt: skip
FEELINGS = ("warmth", "in_warmth", "warmth_gap")
OTHERS = ("left_right", "left_right_variance", "policy")
TIES = (
    "assortativity", "opinion_assortativity", "modularity", "ei_friends", "ei_follows",
    "ei_exposure", "messages",
)  # fmt: skip


@dataclass(eq=False, repr=False)
class Poll(Block):
    """Compute and publish all figures at the end of a day.

    The state `start` has the initial attitudes to the subject, shape (citizens,).
    """

    writes = (*OPINIONS, *FEELINGS, *OTHERS, *TIES)
    state = ("start",)

    citizens: Population
    feed: ReadFeed
    subject: Subject

    def setup(self) -> None:
        """Store initial attitudes, and compute figures of friendships, which are constant."""
        self.start = self.citizens[f"attitude.{self.subject.main}"].copy()
        side = self.citizens["side"]
        ties = network.among(self.citizens.ties["friend"], side != 0)
        self.friendships = {
            "assortativity": network.group_assortativity(ties, side),
            "modularity": network.modularity(ties, side),
            "ei_friends": network.e_i_index(ties, side),
        }

    def step(self, bureau: Cohort) -> None:
        """Publish the figures."""
        people = self.citizens.cohort()
        figures = compute_opinions(
            people, self.start[people.rows], self.subject
        ) | compute_feelings(people)
        figures |= compute_exposure(people) | self.friendships
        figures["ei_follows"] = self._compute_follows_index(people)
        figures["opinion_assortativity"] = network.assortativity(
            self.citizens.ties["friend"],
            self.citizens[f"attitude.{self.subject.main}"],
        )
        for name, value in figures.items():
            bureau[name] = value

    def _compute_follows_index(self, people: Cohort) -> float:
        """Return the E-I index of follows among citizens with a side."""
        follows = self.feed.follows[people.rows]
        place = follows >= 0
        side = self.citizens["side"]
        source = np.broadcast_to(people.rows[:, None], follows.shape)[place]
        ties = network.among((source, follows[place]), side != 0)
        return network.e_i_index(ties, side)


def compute_opinions(people: Cohort, start: Floats, subject: Subject) -> dict[str, float]:
    """Compute figures of attitudes, by name, given those to the subject at the start."""
    held, side = people[f"attitude.{subject.main}"].astype(np.float64), people["side"]
    other = people["attitude.left_right"].astype(np.float64)
    figures = {
        "mean": held.mean(),
        "variance": held.var(),
        "sd": held.std(),
        "bimodality": polarization.bimodality_coefficient(held),
        "esteban_ray": polarization.esteban_ray(held),
        "support": (held > 5).mean(),
        "party_gap": polarization.party_gap(held, side),
        "extreme_share": polarization.extreme_share(held, start),
        "left_right": other.mean(),
        "left_right_variance": other.var(),
        "policy": people[f"attitude.{subject.topics[1]}"].mean(dtype=np.float64),
    }
    for party, number in SIDES.items():
        mine = held[side == number]
        figures[f"support_{party}"] = (mine > 5).mean() if len(mine) else np.nan
        figures[f"mean_{party}"] = mine.mean() if len(mine) else np.nan
    return {name: float(value) for name, value in figures.items()}


def compute_feelings(people: Cohort) -> dict[str, float]:
    """Compute figures of feeling thermometers, among citizens with a side."""
    side = people["side"]
    out, own = people["warmth"].astype(np.float64), people["in_warmth"].astype(np.float64)
    sided = side != 0
    return {
        "warmth": float(out[sided].mean()) if sided.any() else float("nan"),
        "in_warmth": float(own[sided].mean()) if sided.any() else float("nan"),
        "warmth_gap": polarization.thermometer_gap(own, out, side),
    }


def compute_exposure(people: Cohort) -> dict[str, float]:
    """Count the messages of the day, and compute the E-I index of those read."""
    count = {
        name: int(people[name].sum(dtype=np.int64))
        for name in ("read", "read_like", "read_cross", "heard", "persuaded")
    }
    sided = count["read_like"] + count["read_cross"]
    return {
        "messages": count["read"] + count["heard"] + count["persuaded"],
        "ei_exposure": (count["read_cross"] - count["read_like"]) / sided
        if sided
        else float("nan"),
    }
