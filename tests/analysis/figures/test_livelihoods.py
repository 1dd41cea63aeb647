"""Figures of livelihoods and persistence: what is drawn is what the tables say."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis import Run
from memopolis.analysis.figures.income_distribution import income_and_spending, read_year
from memopolis.analysis.figures.persistence import autocorrelation
from memopolis.analysis.figures.spells import spells_without_work
from memopolis.analysis.figures.spending_response import spending_response
from memopolis.analysis.metrics.livelihoods import count_months_without_work, follow_job_losses
from memopolis.analysis.metrics.persistence import correlate_answers

MONTHS, LOST, START = 70, 40, 52


def heights(line: Any) -> list[float]:
    return [float(y) for y in line.get_ydata()]


def bars(axes: Any) -> list[float]:
    return [patch.get_height() for patch in axes.patches]


def tables() -> dict[str, pd.DataFrame]:
    """Two households; the head of the first loses the job in month 40 and finds one in month 44."""
    ticks = np.arange(MONTHS, dtype=np.int32)
    jobless = (ticks >= LOST) & (ticks < LOST + 4)
    paid = 50_000 * (ticks >= START)
    income = np.stack([np.where(jobless, 100_000, 200_000) + paid, np.full(MONTHS, 800_000)])
    spent = np.stack([np.where(jobless, 180_000, 200_000) + paid // 2, np.full(MONTHS, 600_000)])
    labour = np.where(jobless, "unemployed", "employed")
    return {
        "agents_household": pd.DataFrame(
            {
                "tick": np.tile(ticks, 2),
                "agent": np.repeat(np.array([10, 11], np.int32), MONTHS),
                "quintile": np.repeat(["lowest", "highest"], MONTHS),
                "disposable": income.ravel(),
                "consumption": spent.ravel(),
            }
        ),
        "agents_citizen": pd.DataFrame(
            {
                "tick": np.tile(ticks, 2),
                "agent": np.repeat(np.array([1, 2], np.int32), MONTHS),
                "household": np.repeat([0, 1], MONTHS),
                "labour": np.concatenate([labour, np.full(MONTHS, "employed")]),
            }
        ),
        "agents_statistics_bureau": pd.DataFrame(
            {"tick": ticks, "agent": np.int32(20), "price_level": np.ones(MONTHS)}
        ),
    }


@pytest.fixture
def livelihoods(write: Callable[..., Run], tmp_path: Path) -> Run:
    return write(
        tmp_path,
        tables(),
        start=datetime(2019, 1, 1),
        hours=720,
        ticks=MONTHS,
        populations={"citizen": 2, "household": 2, "statistics_bureau": 1},
        facts={"policy_start": "2023-05-01T00:00:00", "policy_month": START},
    )


def test_months_without_work_are_counted_by_spell(livelihoods: Run) -> None:
    people = livelihoods.table("agents_citizen", ["labour"])
    assert count_months_without_work(people).tolist() == [1, 2, 3, 4]
    (axes,) = spells_without_work(livelihoods).axes
    assert bars(axes) == pytest.approx([0.25, 0.5, 0.25, 0])


def test_a_loss_of_a_job_is_followed(livelihoods: Run) -> None:
    homes = livelihoods.table("agents_household", ["disposable"])
    income = homes.pivot_table(index="tick", columns="agent", values="disposable")
    people = livelihoods.table("agents_citizen", ["labour", "household"])
    followed = follow_job_losses(people, [income], before=2, after=5)
    assert followed.tolist() == [[[200_000, 200_000, *[100_000] * 4, 200_000]]]


def test_responses_are_relative_to_the_months_before(livelihoods: Run) -> None:
    lost, paid = spending_response(livelihoods).axes
    income, spent = (heights(line) for line in lost.lines[:2])
    assert income[:11] == [1.0] * 6 + [0.5] * 4 + [1.0]
    assert spent[6:10] == [0.9] * 4
    income, spent = (heights(line) for line in paid.lines[:2])
    assert income[6:] == pytest.approx([1.25] * 12)
    assert spent[6:] == pytest.approx([1.125] * 12)


def test_income_is_that_of_the_year_before_the_policy(livelihoods: Run) -> None:
    amounts = read_year(livelihoods, last=START)
    assert amounts["income"].tolist() == pytest.approx([2_000 - 4 / 12 * 1_000, 8_000])
    left, right = income_and_spending(livelihoods).axes
    assert left.get_xscale() == "log"
    assert bars(right)[4] == pytest.approx(8_000)


def test_correlations_are_drawn_by_the_days_between(opinionated: Run) -> None:
    people = opinionated.agents
    paths = people.pivot_table(index="agent", columns="tick", values="attitude.gun_control")
    (axes,) = autocorrelation(opinionated).axes
    attitude, answer = axes.lines[:2]
    days = [int(day) for day in np.asarray(attitude.get_xdata(), np.float64)]
    assert days[0] == 1
    assert days[-1] == len(paths.columns) - 1
    expected = [correlate_answers(paths, days=day) for day in days]
    assert heights(attitude) == pytest.approx(expected)
    assert (np.array(heights(answer)) < np.array(heights(attitude))).all()
