"""Spells without work, and incomes and spending of households around the loss of a job."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.run.run import Run

type Floats = NDArray[np.float64]

YEAR = 12  # months
SETTLED = 36  # month from which all spells without work began in the run


def read_real_amounts(run: Run, *names: str) -> tuple[pd.DataFrame, ...]:
    """Return amounts of households in cents at prices of 1, by month and household."""
    figures = run.table("agents_statistics_bureau", ["price_level"])
    level = figures.set_index("tick")["price_level"]
    homes = run.table("agents_household", list(names))
    return tuple(
        homes.pivot_table(index="tick", columns="agent", values=name).div(level, axis=0)
        for name in names
    )


def find_policy_month(run: Run) -> int | None:
    """Return the number of the first month of payments, None without a policy."""
    month = run.facts.get("policy_month")
    return int(month) if month is not None and run.facts.get("policy_start") else None


def count_months_without_work(people: pd.DataFrame) -> NDArray[np.int64]:
    """Return months of search so far of the unemployed, in each month from `SETTLED` on.

    `people` has the columns tick, agent and labour.
    """
    table = people.pivot_table(index="tick", columns="agent", values="labour", aggfunc="first")
    seeks = (table.astype(str) == "unemployed").to_numpy()
    spell = np.zeros(seeks.shape, np.int64)
    for month in range(len(seeks)):
        spell[month] = np.where(seeks[month], 1 + (spell[month - 1] if month else 0), 0)
    late = spell[SETTLED:]
    return np.asarray(late[late > 0], np.int64)


def follow_job_losses(
    people: pd.DataFrame, amounts: Sequence[pd.DataFrame], *, before: int, after: int
) -> Floats:
    """Return amounts of households around the loss of a job, (losses, amounts, before + after).

    Of households of the start of which a member loses the job and is without one for two months or
    more, from the second year on. `people` has the columns tick, agent, labour and household, and
    each of `amounts` is by month and household. Citizens have the row of their household, whose
    numbers are consecutive at the start.
    """
    first, months = amounts[0].columns.min(), len(amounts[0])
    labour = people.pivot_table(index="tick", columns="agent", values="labour", aggfunc="first")
    house = people.pivot_table(index="tick", columns="agent", values="household")
    worked, seeks = (labour.astype(str) == name for name in ("employed", "unemployed"))
    lost = (
        worked.shift(1, fill_value=False) & seeks & seeks.shift(-1, fill_value=False)
    ).to_numpy()
    opening = amounts[0].columns[amounts[0].iloc[0].notna()].max()
    followed = []
    for place, column in zip(*np.nonzero(lost), strict=True):
        home = first + house.iloc[place, column]
        if not max(YEAR, before) <= place <= months - after or home > opening:
            continue
        if home in amounts[0].columns:
            around = slice(place - before, place + after)
            followed.append([table[home].to_numpy()[around] for table in amounts])
    shape = -1, len(amounts), before + after
    return np.asarray(followed, np.float64).reshape(shape)
