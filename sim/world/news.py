"""Read news from a file, and find the audience of a news item.

A file of news is CSV in UTF-8 with a header:

| column | what | if left out |
| --- | --- | --- |
| time | local date and time, 2019-09-01 18:30; not before the start of the run | needed |
| text | text of the news | needed |
| topic | its topic | needed |
| stance | for (1) or against (-1) its topic, from -1 to 1 | 0 |
| importance | importance to its audience, from 0 to 1 | 0.5 |
| audience | all, the name of a zone, or key=value on a status attribute | all |
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.clock import Clock, parse_date
from memopolis.sim.errors import DataFileError, ParameterError, UnknownNameError, did_you_mean
from memopolis.sim.timeline import EVERYONE, News
from memopolis.sim.world.columns import read_rules, read_table

if TYPE_CHECKING:
    from memopolis.sim.population import Cohort

NEWS_COLUMNS = read_rules(__file__, "news")


def read_news(
    path: str | Path, clock: Clock, zones: Sequence[str] | None = None
) -> list[tuple[datetime, News]]:
    """Read a file of news, sorted by time; rows of equal times keep their order.

    The file is CSV with the columns above; DataFileError names a bad column and row. `zones` are
    names allowed as an audience; None to skip this check.
    """
    table = read_table(path, NEWS_COLUMNS)
    news = [
        (
            _read_time(f"{path}, row {row}", str(item["time"]), clock),
            News(**{str(name): value for name, value in item.items() if name != "time"}),
        )
        for row, item in enumerate(table.to_dict("records"), start=1)
    ]
    for row, (_, item) in enumerate(news, start=1):
        known = item.audience in (EVERYONE, *(zones or ())) or "=" in item.audience
        if zones is not None and not known:
            raise DataFileError(
                f"{path}, row {row}, column audience: {item.audience!r} is neither all, nor a "
                "zone, nor key=value"
            )
    return sorted(news, key=lambda dated: dated[0])


def audience_of(people: "Cohort", audience: str) -> NDArray[np.bool_]:
    """Return which agents hear a news item, by home zone or by status; see `audience_mask`."""
    population = people.population
    place = population.society.place
    homes = "home" in population.attributes
    return audience_mask(
        audience,
        len(people),
        zone=people["home"] if homes else np.full(len(people), -1),
        zones=() if place is None else place.zones,
        status=people.__getitem__,
    )


def audience_mask(
    audience: str,
    agents: int,
    *,
    zone: NDArray[np.integer],
    zones: Sequence[str],
    status: Callable[[str], NDArray[np.generic]],
) -> NDArray[np.bool_]:
    """Return which agents hear a news item, shape (agents,); see `News.audience`.

    `zone` is the index of each agent's zone in `zones`, -1 for none, and `status` returns a status
    column by name. Raises UnknownNameError if the audience is unknown, or ParameterError if the
    value does not fit the type of the status attribute.
    """
    if audience == EVERYONE:
        return np.ones(agents, dtype=np.bool_)
    if audience in zones:
        return np.asarray(zone == zones.index(audience), dtype=np.bool_)
    key, equals, value = (part.strip() for part in audience.partition("="))
    if not equals:
        near = did_you_mean(audience, zones)
        advice = f"; {near.strip()}" if near else ""
        raise UnknownNameError(
            f"audience {audience!r} is neither all, nor a zone, nor key=value{advice}"
        )
    try:
        column = status(key)
    except UnknownNameError as error:
        raise UnknownNameError(f"audience {audience!r}: {error}") from None
    return np.asarray(column == _like(column, value, audience), dtype=np.bool_)


def _like(column: NDArray[np.generic], value: str, audience: str) -> str | float | bool:
    """Convert a typed value to the type of a column."""
    # Flags that some agents do not have are in an array of objects.
    is_flag = column.dtype.kind == "b" or (
        column.dtype.kind == "O" and any(type(item) is bool for item in column)
    )
    if is_flag and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if column.dtype.kind not in "biuf":
        return value
    try:
        return float(value)
    except ValueError:
        raise ParameterError(
            f"audience {audience!r}: {value!r} does not fit the attribute, of type {column.dtype}"
        ) from None


def _read_time(where: str, text: str, clock: Clock) -> datetime:
    try:
        when = parse_date(text)
    except ParameterError as error:
        raise DataFileError(f"{where}, column time: {error}") from None
    if when < clock.start:
        raise DataFileError(
            f"{where}, column time: {text} is before the start of the run, {clock.start}; "
            "leave the row out or set `start` earlier"
        )
    return when
