"""How people spend their time: hours by activity, beside the diaries of a survey.

Computed from the tables `moves` (activities by step) and `agents_citizen` of a run.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.agents.day.calendar import DayKind, find_day_kind
from memopolis.agents.day.time_use import (
    BANDS,
    Status,
    TimeUse,
    Use,
    find_band,
    find_status,
    read_time_use,
)
from memopolis.analysis.run.run import Run

NEEDED = {
    "moves": ("agent", "doing", "doing_before"),
    "agents_citizen": ("age", "occupation", "pupil"),
}
"""Columns that a run must have recorded, by table."""

USES = {
    "work": Use.WORK,
    "school": Use.EDUCATION,
    "study": Use.EDUCATION,
    "personal care": Use.PERSONAL_CARE,
    "eat": Use.EATING,
    "religion": Use.RELIGION,
    "shop": Use.SHOPPING,
    "sport": Use.SPORT,
    "meet": Use.SOCIALISING,
    "housework": Use.HOUSEHOLD,
    "care": Use.CARE,
    "message": Use.TELEPHONE,
    "travel": Use.TRAVEL,
    "television": Use.TELEVISION,
    "rest": Use.LEISURE,
    "leisure": Use.LEISURE,
}
"""Use of time of each activity. Commuting counts as travel, which activities do not distinguish."""

SURVEYED_AGE = 15  # age in years from which people were surveyed
LEAST = 10  # least number of people of a group whose minutes are compared
SHARE, MINUTES = 0.25, 20.0  # tolerated deviation of a group's minutes: either of both
_ASLEEP = Path(__file__).with_name("asleep_by_hour.csv")


@dataclass(frozen=True, eq=False)
class Days:
    """Activities of the people of a run by step.

    Attributes:
        doing: Numbers of the activities in the half hour before and around the middle of each step,
            shape (agents, steps, 2).
        zone: Number of the zone, -1 away from the region, shape (agents, steps).
        activities: Names of activities by number.
        people: Status of the agents at the end of the run, one row each, in their order.
        hour: Hour of the day at which each step begins, shape (steps,).
        kind: `DayKind` of each step, shape (steps,).
        hours: Length of a step in hours.
    """

    doing: NDArray[np.uint8]
    zone: NDArray[np.int64]
    activities: tuple[str, ...]
    people: pd.DataFrame
    hour: NDArray[np.intp]
    kind: NDArray[np.intp]
    hours: float

    def does(self, *names: str) -> NDArray[np.float64]:
        """Return the share of each step that agents do one of the activities, (agents, steps)."""
        numbers = [self.activities.index(name) for name in names if name in self.activities]
        share: NDArray[np.float64] = np.isin(self.doing, numbers).mean(axis=2)
        return share


def read_days(run: Run) -> Days:
    """Read the activities of all citizens.

    Raises RunFolderError if the run did not record what `NEEDED` lists.
    """
    people = run.agents_of("citizen")
    people = people[people["tick"] == people["tick"].max()].sort_values("agent")
    moves = run.moves[run.moves["agent"].isin(people["agent"])]
    columns = ["doing_before", "doing"]
    names = sorted(set().union(*(moves[column].unique() for column in columns)))
    number = {name: at for at, name in enumerate(names)}
    halves = [
        spread_moves(moves.assign(code=moves[column].map(number).astype(int)), "code", run.ticks)
        for column in columns
    ]
    times = pd.DatetimeIndex(run.time_of(pd.Series(range(run.ticks))))
    kinds = {day: int(find_day_kind(day)) for day in set(times.date)}
    return Days(
        np.stack(halves, axis=2).astype(np.uint8),
        spread_moves(moves, "zone", run.ticks),
        tuple(names),
        people.reset_index(drop=True),
        times.hour.to_numpy(np.intp),
        np.array([kinds[day] for day in times.date], np.intp),
        run.hours,
    )


def spread_moves(moves: pd.DataFrame, column: str, steps: int) -> NDArray[np.int64]:
    """Return a column of the table of moves by agent, in their order, and step, (agents, steps)."""
    rows = moves.sort_values(["agent", "tick"], kind="stable")
    tick = np.maximum(rows["tick"].to_numpy(np.int64), 0)
    agent = rows["agent"].to_numpy(np.int64)
    following = np.append(tick[1:], steps)
    is_last = np.append(agent[1:] != agent[:-1], True)
    length = np.where(is_last, steps, following) - tick
    values = rows[column].to_numpy(np.int64)
    return np.repeat(values, length).reshape(np.count_nonzero(is_last), steps)


def compute_rhythm(days: Days, kind: DayKind) -> pd.DataFrame:
    """Compute the share of people of 15 or more by hour and activity, on one kind of day.

    Rows are hours 0 to 23, columns activities; hours without a step are missing.
    """
    surveyed = days.people["age"].to_numpy() >= SURVEYED_AGE
    steps = days.kind == kind
    doing, hour = days.doing[surveyed][:, steps], days.hour[steps]
    counts = np.zeros((24, len(days.activities)))
    np.add.at(counts, (np.broadcast_to(hour[:, None], doing.shape), doing), 1)
    total = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)
    return pd.DataFrame(shares, columns=list(days.activities)).dropna()


def compare_time_use(days: Days, survey: TimeUse | None = None) -> pd.DataFrame:
    """Compare minutes a day by kind of day, working status, age band and use with the survey.

    Returns a row for each cell with at least `LEAST` people: day, status, age_band, people, use,
    minutes, surveyed, and whether the difference is at most 25 % or 20 minutes.
    """
    survey = read_time_use() if survey is None else survey
    people = days.people
    age = people["age"].to_numpy()
    employed = people["occupation"].to_numpy() != "none"
    part_time = people["part_time"].to_numpy(bool) if "part_time" in people else employed & False
    status = find_status(age, employed, part_time, people["pupil"].to_numpy(bool))
    band = find_band(age)
    rows = []
    for kind in DayKind:
        minutes = _count_minutes(days, kind)
        for group in sorted(set(zip(status.tolist(), band.tolist(), strict=True))):
            members = (status == group[0]) & (band == group[1]) & (age >= SURVEYED_AGE)
            if not np.isnan(minutes).any() and members.sum() >= LEAST:
                rows += _compare_group(kind, group, minutes[members], survey)
    names = ["day", "status", "age_band", "people", "use", "minutes", "surveyed"]
    table = pd.DataFrame(rows, columns=names)
    gap = (table["minutes"] - table["surveyed"]).abs()
    table["close"] = (gap <= MINUTES) | (gap <= SHARE * table["surveyed"])
    return table


def _count_minutes(days: Days, kind: DayKind) -> NDArray[np.float64]:
    """Return the mean minutes a day of each agent by use and asleep, (agents, uses + 1)."""
    steps = days.kind == kind
    length = steps.sum() * days.hours / 24
    minutes = np.full((len(days.people), len(Use) + 1), np.nan)
    if length >= 1:
        minutes[:] = 0
        for number, name in enumerate(days.activities):
            use = USES.get(name, len(Use) if name == "sleep" else None)
            if use is not None:
                done = (days.doing[:, steps] == number).mean(axis=2).sum(axis=1)
                minutes[:, use] += done * 60 * days.hours / length
    return minutes


def _compare_group(
    kind: DayKind, group: tuple[int, int], minutes: NDArray[np.float64], survey: TimeUse
) -> list[tuple[object, ...]]:
    mean, surveyed = minutes.mean(axis=0), survey.mean[kind][group].astype(float)
    where = (kind.name.lower(), Status(group[0]).name.lower().replace("_", " "), BANDS[group[1]])
    sleep = float(mean[-1]), float(survey.sleep[kind][group])
    rows: list[tuple[object, ...]] = [(*where, len(minutes), "sleep", *sleep)]
    for use in Use:
        if use == Use.COMMUTE:
            continue
        reference = surveyed[use] + (surveyed[Use.COMMUTE] if use == Use.TRAVEL else 0.0)
        name = use.name.lower().replace("_", " ")
        rows.append((*where, len(minutes), name, float(mean[use]), float(reference)))
    return rows


@cache
def read_asleep() -> pd.Series:
    """Read the share of people of 15 or more who are asleep by hour, averaged over all days.

    Recalled from table A-3 of the American Time Use Survey; compare within 8 points.
    """
    return pd.read_csv(_ASLEEP, index_col="hour")["asleep"]
