"""What an order is worth: arms that differ in the order alone."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from memopolis.analysis.compare import paired_difference
from memopolis.analysis.facts.fact import Value
from memopolis.analysis.facts.reading import people_at_end
from memopolis.sim.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memopolis.analysis.load import Run

ARMS = ("mandatory", "voluntary", "none")


def orders_table(arms: "Mapping[str, Sequence[Run]]", *, confidence: float = 0.95) -> pd.DataFrame:
    """Compare the same citizens under a mandatory, a voluntary and no order (part of H-P1).

    Args:
        arms: Runs by order, "mandatory", "voluntary" and "none", of the same seeds in the same
            order; compared are the citizens whom the first arm orders to leave.
        confidence: Of the intervals, in (0, 1).

    Returns:
        One row a comparison: what, difference, low, high, seeds, tolerance and holds (of the
        mean difference over seeds).

    Raises:
        UnknownNameError: If an arm is missing.
        ParameterError: If the arms differ in their seeds.
    """
    for name in ARMS:
        if name not in arms:
            raise UnknownNameError(f"no arm {name!r}; there are {', '.join(arms) or 'none'}")
        if [run.seed for run in arms[name]] != [run.seed for run in arms["mandatory"]]:
            raise ParameterError(f"arm {name!r} has other seeds; paired arms have the same")
    everyone = {name: _shares(arms["mandatory"], arms[name], inland=False) for name in ARMS}
    inland = {name: _shares(arms["mandatory"], arms[name], inland=True) for name in ARMS}
    rows = []
    for what, one, other, low, high in (
        ("mandatory above voluntary", everyone["mandatory"], everyone["voluntary"], 0.0, np.inf),
        ("voluntary against none, no surge", inland["voluntary"], inland["none"], -0.05, 0.05),
    ):
        found = paired_difference(one, other, confidence=confidence)
        judged = Value(what, found.mean, low, high, "pp", strict=bool(np.isinf(high)))
        rows.append(
            {
                "what": what,
                "difference": found.mean,
                "low": found.low,
                "high": found.high,
                "seeds": found.seeds,
                "tolerance": judged.tolerance,
                "holds": judged.holds,
            }
        )
    return pd.DataFrame(rows)


def _shares(ordered: "Sequence[Run]", runs: "Sequence[Run]", *, inland: bool) -> list[float]:
    """Evacuated share of those the first arm orders to leave, outside surge bands or all."""
    shares = []
    for base, run in zip(ordered, runs, strict=True):
        people = people_at_end(base)
        chosen = people[people["order_zone"] == "mandatory"]
        if inland:
            chosen = chosen[chosen["surge_band"] == "none"]
        same = people_at_end(run)
        shares.append(float(same.loc[same["agent"].isin(chosen["agent"]), "evacuated"].mean()))
    return shares
