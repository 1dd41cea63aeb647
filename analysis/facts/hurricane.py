"""Facts H-P1 to H-P9: an evacuation and its aftermath, computed from tables.

Each fact takes a run and, where a baseline is needed, the paired run: same seed and settings,
without storm and orders. Real figures and their sources are in the scenario's README.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from memopolis.analysis.facts.aftermath import feelings, mobility_back, returns, stocking_up
from memopolis.analysis.facts.clearing import clearing
from memopolis.analysis.facts.fact import Fact, make_fact
from memopolis.analysis.facts.leaving import (
    DISTANCE,
    destinations,
    order_and_leaving,
    when_they_leave,
    who_leaves,
)
from memopolis.analysis.facts.reading import NONE, outcome_of, people_at_end
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import ParameterError

FACTS: tuple[Callable[[Run, Run | None], Fact], ...] = (
    order_and_leaving,
    who_leaves,
    when_they_leave,
    stocking_up,
    mobility_back,
    destinations,
    returns,
    feelings,
    clearing,
)
"""All facts, in order."""
ORDERS = ("mandatory", "voluntary", "none")  # arms that `effect_of_orders` needs
DANGERS = ("disaster", "order", "evacuation")
"""Topics of memories that only a storm causes; earlier storms have other topics."""


def has_storm(run: Run) -> bool:
    """Check whether a storm comes near in a run, and whether it recorded what the facts need."""
    comes = run.date_of("nearest") is not None
    return comes and "agents_citizen" in run.tables and "evacuated_share" in run.measured


def facts_of(run: Run, paired: Run | None = None) -> list[Fact]:
    """Compute all facts of a run; those that need the paired run have no values without it.

    Raises ParameterError if the paired run has another seed or starts at another time.
    """
    if paired is not None:
        check_pair(run, paired)
    return [fact(run, paired) for fact in FACTS]


def check_pair(run: Run, paired: Run) -> None:
    """Refuse a paired run with another seed, start or step length.

    Raises ParameterError if they differ.
    """
    for what in ("seed", "start", "hours"):
        own, other = getattr(run, what), getattr(paired, what)
        if own != other:
            raise ParameterError(
                f"{run.folder} and its pair {paired.folder} differ in {what}: {own} and {other}; "
                "paired runs need the same seed, start and step length"
            )


def no_response(run: Run) -> Fact:
    """Measure what must not change without a storm, apart from the weekly rhythm."""
    fear, prepared = run.measure("fear"), run.measure("emergency_preparedness")
    visits = run.measure("store_visits").resample("D").sum()
    weekly = (visits / visits.shift(7).replace(0, np.nan)).max()
    topics = run.table("memories")["topic"] if "memories" in run.tables else None
    dangers = NONE if topics is None else float(topics.isin(DANGERS).sum())
    rise = float((fear.resample("D").mean() - fear.iloc[0]).max())
    change = abs(float(prepared.iloc[-1] - prepared.iloc[0]))
    numbers = {
        "evacuated share": outcome_of("evacuated_share", "end")(run),
        "departures": outcome_of("departures", "sum")(run),
        "memories of danger": dangers,
        "largest daily rise of fear, points": rise,
        "change of preparedness, points": change,
        "highest ratio of store visits to a week before": weekly,
    }
    return make_fact("no-storm", numbers)


def effect_of_orders(runs: Mapping[str, Run]) -> Fact:
    """Compare the same citizens under each order: the numbers of H-P1 that one run cannot provide.

    They are those whom the mandatory order addresses.
    """
    people = people_at_end(runs["mandatory"])
    addressed = people[people["order_zone"] == "mandatory"]
    inland = addressed[addressed["surge_band"] == "none"]
    strict, mild = (_evacuated(runs[order], addressed) for order in ("mandatory", "voluntary"))
    gap = _evacuated(runs["voluntary"], inland) - _evacuated(runs["none"], inland)
    numbers = {
        "mandatory minus voluntary": strict - mild,
        "voluntary minus none, outside surge bands": gap,
        DISTANCE: _by_distance(runs["none"]),
    }
    return make_fact("H-P1", numbers)


def _evacuated(run: Run, chosen: pd.DataFrame) -> float:
    people = people_at_end(run)
    return float(people.loc[people["agent"].isin(chosen["agent"]), "evacuated"].mean())


def _by_distance(run: Run) -> float:
    """Return the correlation over citizens of evacuation and the home's distance to the sea."""
    people = people_at_end(run)
    distance = people["home"].map(run.zones.set_index("number")["coast_km"].astype(float))
    left = people["evacuated"].astype(float)
    is_constant = left.empty or left.min() == left.max()
    return NONE if is_constant else float(distance.corr(left))
