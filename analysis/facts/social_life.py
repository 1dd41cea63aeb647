"""Facts about ties and talk, computed from recorded ties and status.

Only runs that recorded the ties of all citizens have numbers on ties; see `ALL_TIED`.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from memopolis.analysis.facts.fact import Fact, make_fact
from memopolis.analysis.facts.reading import NONE, Arms, people_at_end
from memopolis.analysis.metrics.networks import (
    compare_ends,
    count_outside,
    describe_ties,
)
from memopolis.analysis.run.run import Run

if TYPE_CHECKING:
    from memopolis.sim.arrays import Bools

FRIEND = "friend"
WORKING_AGES, OLD = (25, 64), 65
WEEKEND = 5  # number of the first day of a weekend, from Monday


def friendships(run: Run, _paired: Run | None = None) -> Fact:
    """H-P10: friends cluster, are alike and unequal in number; leavers have more far away."""
    people, ties = run.first_rows("citizen"), run.ties(FRIEND)
    graph = describe_ties(ties, agents=len(people))
    race = compare_ends(ties, people, "race")
    numbers = {
        "transitivity of friendships": graph["transitivity"],
        "coefficient of variation of the number of friends": graph["variation"],
        "friends of the same race, minus chance": race["same"] - race["by_chance"],
        "ages of friends, r": compare_ends(ties, people, "age")["correlation"],
        "share of people with friends in the largest component": graph["connected"],
        "friends in other zones, who left minus who stayed": _compare_leavers(run, ties),
    }
    return make_fact("H-P10", numbers)


def _compare_leavers(run: Run, ties: pd.DataFrame) -> float:
    """Return the difference of the shares of friends in other zones between leavers and others."""
    people = people_at_end(run)
    outside = count_outside(ties, people)
    left = people.set_index("agent")["evacuated"].astype(bool).reindex(outside.index)
    if left.all() or not left.any():
        return NONE
    return float(outside[left].mean() - outside[~left].mean())


def talks(run: Run, paired: Run | None = None) -> Fact:
    """H-P11: without a storm, people talk with several others a day, fewer in old age."""
    people = (run if paired is None else paired).agents_of("citizen", "talked_with", "age")
    count, age = people["talked_with"], people["age"]
    weekend = people["time"].dt.day_of_week >= WEEKEND
    by_person = count[~weekend].groupby(people["agent"][~weekend]).mean()
    numbers = {
        "different people talked with a day": count.mean(),
        "the same on weekends, minus weekdays": _mean(count[weekend]) - _mean(count[~weekend]),
        "the same from 65 years on, minus 25 to 64 years": _mean(count[age >= OLD])
        - _mean(count[age.between(*WORKING_AGES)]),
        "coefficient of variation between people": by_person.std() / by_person.mean(),
    }
    return make_fact("H-P11", numbers)


def parties_of_friends(arms: Arms) -> Fact:
    """P-P13: friends cluster and are alike, and few friendships cross parties."""
    run = arms["control"]
    people, ties = run.first_rows("citizen"), run.ties(FRIEND)
    graph = describe_ties(ties, agents=len(people))
    party = people.set_index("agent")["party"].astype(str)
    ends = [party.reindex(ties[end]).to_numpy() for end in ("source", "target")]
    sided = [np.isin(end, ("Democrat", "Republican")) for end in ends]
    crosses = sided[0] & sided[1] & (ends[0] != ends[1])
    race = compare_ends(ties, people, "race")
    numbers = {
        "friendships of Democrats with Republicans": _mean(crosses),
        "transitivity of friendships": graph["transitivity"],
        "coefficient of variation of the number of friends": graph["variation"],
        "friends of the same race, minus chance": race["same"] - race["by_chance"],
        "ages of friends, r": compare_ends(ties, people, "age")["correlation"],
    }
    return make_fact("P-P13", numbers)


def _mean(values: "pd.Series[float] | Bools") -> float:
    return float(values.mean()) if len(values) else NONE
