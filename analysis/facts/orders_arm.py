"""What an order is worth: arms that differ in the order alone."""

from typing import TYPE_CHECKING

import pandas as pd

from memopolis.analysis.facts.fact import Fact, Value
from memopolis.analysis.facts.reading import people_at_end
from memopolis.analysis.facts.seeds import judged
from memopolis.sim.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memopolis.analysis.run.run import Run

ARMS = ("mandatory", "voluntary", "none")


def orders_table(arms: "Mapping[str, Sequence[Run]]", *, confidence: float = 0.95) -> pd.DataFrame:
    """Compare the same citizens under a mandatory, a voluntary and no order (part of H-P1).

    Args:
        arms: Runs by order, "mandatory", "voluntary" and "none", of the same seeds in the same
            order; compared are the citizens whom the first arm orders to leave.
        confidence: Of the intervals, in (0, 1).

    Returns:
        As `facts_table`; the numbers are named as those of H-P1 that a run with one kind of
        order leaves open.

    Raises:
        UnknownNameError: If an arm is missing.
        ParameterError: If the arms differ in their seeds, or have none.
    """
    for name in ARMS:
        if name not in arms:
            raise UnknownNameError(f"no arm {name!r}; there are {', '.join(arms) or 'none'}")
        if [run.seed for run in arms[name]] != [run.seed for run in arms["mandatory"]]:
            raise ParameterError(f"arm {name!r} has other seeds; paired arms have the same")
    if not arms["mandatory"]:
        raise ParameterError("orders are compared over at least one seed; none is given")
    same = zip(*(arms[name] for name in ARMS), strict=True)
    return judged([[order_worth(*runs)] for runs in same], confidence=confidence)


def order_worth(mandatory: "Run", voluntary: "Run", none: "Run") -> Fact:
    """H-P1 of three runs that differ in the order alone.

    Args:
        mandatory: Its order says whose evacuated shares are compared.
        voluntary: Of the same seed, with a voluntary order to the same zones.
        none: Of the same seed, without an order.
    """
    people = people_at_end(mandatory)
    ordered = people[people["order_zone"] == "mandatory"]
    inland = ordered[ordered["surge_band"] == "none"]
    stricter = _share(mandatory, ordered) - _share(voluntary, ordered)
    gap = _share(voluntary, inland) - _share(none, inland)
    values = (
        Value("mandatory above voluntary", stricter, low=0, unit="pp", strict=True),
        Value("voluntary against none outside surge bands", gap, -0.05, 0.05, "pp"),
    )
    return Fact("H-P1", "Orders decide who leaves", values, "Darzi 2021; South Carolina officials")


def _share(run: "Run", chosen: pd.DataFrame) -> float:
    people = people_at_end(run)
    return float(people.loc[people["agent"].isin(chosen["agent"]), "evacuated"].mean())
