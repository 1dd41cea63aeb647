"""Facts about ties and talk, computed from recorded ties and status.

Only runs that recorded the ties of all citizens have numbers on ties; see `ALL_TIED`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from memopolis.analysis.facts.fact import Fact, make_fact
from memopolis.analysis.facts.reading import NONE, Arms, people_at_end
from memopolis.analysis.run.run import Run

if TYPE_CHECKING:
    from memopolis.sim.arrays import Bools

MISSING = float("nan")


def describe_ties(ties: pd.DataFrame, *, agents: int) -> dict[str, float]:
    """Measure ties between `agents` agents as a graph, NaN without any.

    Returns the mean and the coefficient of variation of the number of ties, over agents with ties;
    transitivity, the share of paths of two ties that a third one closes; clustering, the mean share
    of ties among the contacts of an agent; and connected, the share of the agents with ties in the
    largest component.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    if not len(ties):
        names = ("mean", "variation", "transitivity", "clustering", "connected")
        return dict.fromkeys(names, MISSING)
    ends, nodes = pd.factorize(np.concatenate([ties["source"], ties["target"]]))
    one, other, size = ends[: len(ties)], ends[len(ties) :], len(nodes)
    tied = csr_array((np.ones(len(ties)), (one, other)), shape=(size, size))
    tied = csr_array(tied + tied.T)
    tied.data[:] = 1  # of agents that are tied twice, too
    degrees = tied.sum(axis=1)
    # Ordered pairs of contacts of each agent, and those that are tied themselves
    pairs, closed = degrees * (degrees - 1), (tied @ tied).multiply(tied).sum(axis=1)
    _, component = connected_components(tied, directed=False)
    return {
        "mean": float(degrees.mean()),
        "variation": float(degrees.std() / degrees.mean()),
        "transitivity": float(closed.sum() / max(pairs.sum(), 1)),
        "clustering": float((closed / np.maximum(pairs, 1)).sum() / agents),
        "connected": float(np.bincount(component).max() / size),
    }


def compare_ends(ties: pd.DataFrame, people: pd.DataFrame, column: str) -> Mapping[str, float]:
    """Compare an attribute of the agents at both ends of ties, NaN without ties.

    `people` has the columns agent and `column`. Returns same, the share of ties between equal
    values; by_chance, that share if contacts were drawn in proportion to their numbers of ties; and
    correlation, of values that are numbers.
    """
    value = people.set_index("agent")[column]
    first, second = (value.reindex(ties[end]).to_numpy() for end in ("source", "target"))
    one, other = np.concatenate([first, second]), np.concatenate([second, first])
    if not len(one):
        return {"same": MISSING, "by_chance": MISSING, "correlation": MISSING}
    shares = pd.Series(one).value_counts(normalize=True)
    is_number = pd.api.types.is_numeric_dtype(value) and bool((one != one[0]).any())
    return {
        "same": float((one == other).mean()),
        "by_chance": float((shares**2).sum()),
        "correlation": float(np.corrcoef(one, other)[0, 1]) if is_number else MISSING,
    }


def count_outside(ties: pd.DataFrame, people: pd.DataFrame, zone: str = "home") -> pd.Series:
    """Return the share of each agent's contacts who live in another zone, by unique_id.

    `people` has the columns agent and `zone`.
    """
    home = people.set_index("agent")[zone]
    both = pd.concat(
        [ties, ties.rename(columns={"source": "target", "target": "source"})], ignore_index=True
    )
    outside = home.reindex(both["source"]).to_numpy() != home.reindex(both["target"]).to_numpy()
    shares: pd.Series = pd.Series(outside).groupby(both["source"]).mean()
    return shares


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
