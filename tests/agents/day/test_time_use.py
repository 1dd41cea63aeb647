"""The tables of time use that ship."""

import numpy as np
import pandas as pd
import pytest

from memopolis.agents.day.calendar import DayKind
from memopolis.agents.day.time_use import (
    BANDS,
    FIRST_AGES,
    NAMES,
    TABLES,
    Status,
    Use,
    find_band,
    find_status,
    read_time_use,
)

ROWS = pd.concat([pd.read_csv(path) for path in TABLES])


def test_every_group_has_shares_and_minutes() -> None:
    table = read_time_use()
    shape = (len(DayKind), len(Status), len(BANDS), len(Use))
    assert table.share.shape == table.minutes.shape == shape
    assert ((table.share >= 0) & (table.share <= 1)).all()
    assert np.isfinite(table.minutes).all()
    assert ((table.minutes >= 0) & (table.minutes < 1440)).all()
    assert (table.mean[..., Use.EATING] > 20).all()


def test_the_table_has_the_values_of_the_file() -> None:
    table = read_time_use()
    for row in ROWS.sample(100, random_state=1).itertuples():
        if row.activity in NAMES:
            of = (
                DayKind[str(row.day).upper()],
                Status[str(row.status).upper().replace(" ", "_")],
                BANDS.index(row.age_band),
                NAMES[str(row.activity)],
            )
            assert table.share[of] == pytest.approx(row.share, abs=1e-6)
            assert table.mean[of] == pytest.approx(row.minutes if row.share else 0, abs=1e-3)


def test_a_group_without_diaries_has_the_values_of_the_nearest_age() -> None:
    table = read_time_use()
    of = table.share[DayKind.WEEKDAY, Status.CHILD]
    assert np.array_equal(of[BANDS.index("75+")], of[BANDS.index("12-14")])


def test_a_day_has_24_hours_and_every_activity_is_a_use_or_sleep() -> None:
    adults = ROWS[ROWS["status"] != "child"]
    total = adults.groupby(["day", "status", "age_band"])["minutes"].sum()
    assert total.between(1380, 1445).all(), total.describe()
    assert set(ROWS["activity"]) - {"sleep"} == set(NAMES) & set(ROWS["activity"])


def test_bands_and_statuses() -> None:
    assert len(BANDS) == len(FIRST_AGES)
    ages = np.array([0, 4, 5, 11, 12, 14, 15, 17, 18, 24, 25, 44, 45, 64, 65, 74, 75, 110])
    assert find_band(ages).tolist() == np.repeat(np.arange(9), 2).tolist()
    status = find_status(
        np.array([8, 16, 16, 40, 40, 40]),
        employed=np.array([False, False, True, True, True, False]),
        part_time=np.array([False, False, True, True, False, False]),
        pupil=np.array([True, True, True, False, False, False]),
    )
    assert [Status(number) for number in status] == [
        Status.CHILD,
        Status.STUDENT,
        Status.PART_TIME,
        Status.PART_TIME,
        Status.FULL_TIME,
        Status.NOT_EMPLOYED,
    ]
