"""Convert forecasts to news on radio and television."""

from datetime import datetime, timedelta

import numpy as np

from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.sim.clock import Clock
from memopolis.sim.timeline import News
from memopolis.sim.world.place import Place

EVERY_HOURS = 12  # hours between two news reports (illustrative; forecasts are issued every 6)

CERTAIN_HOURS = 48
"""Hours before nearest approach up to which reports name the part of the day (choice)."""
LAST_HOURS = 6  # hours before nearest approach at which reports end (illustrative)

# Phrase by forecast wind over land, kt; bounds are those of official warnings (illustrative).
STRENGTHS = (
    (64.0, "hurricane winds"),
    (34.0, "tropical storm winds"),
    (22.0, "strong gusts and heavy rain"),
)


FORECASTERS = "Forecasters"  # beginning of the text of a forecast
WORDINGS = (
    "expect {storm} to bring {winds} to our area {when}.",
    "warn of {winds} in our area as {storm} passes {when}.",
    "say that {storm} could reach us with {winds} {when}.",
    "see {storm} on a path that brings {winds} here {when}.",
    "predict {winds} for us, with {storm} nearest {when}.",
    "count on {winds} from {storm} {when}.",
    "tell us to be ready for {winds} when {storm} comes by {when}.",
)
"""What follows in the text of a forecast, report by report."""


def build_advisories(
    circumstances: Circumstances, place: Place, clock: Clock
) -> list[tuple[datetime, News]]:
    """Build reports, dated news, of the approaching storm, and one all-clear.

    Importance rises with forecast wind and proximity. Winds below strong gusts are not reported.
    """
    forecasts = circumstances.forecasts
    reports: list[tuple[datetime, News]] = []
    threatened = False
    for tick in range(0, len(forecasts.issued), clock.ticks(EVERY_HOURS)):
        peak = float(forecasts.peak_kt[tick].max())
        hours = float(forecasts.hours_to_nearest[tick].min())
        strike = float(np.average(forecasts.strike[tick], weights=place.population))
        if peak >= STRENGTHS[-1][0] and LAST_HOURS <= hours < 130 and forecasts.issued[tick] >= 0:
            threatened = True
            issued = clock.date_of(tick)
            weight = _weigh_warning(peak, hours, strike)
            wording = WORDINGS[len(reports) % len(WORDINGS)]
            text = wording.format(
                storm=_name(circumstances.storm),
                winds=next(text for bound, text in STRENGTHS if peak >= bound),
                when=name_time(issued, hours),
            )
            warning = News(
                f"{FORECASTERS} {text}",
                topic="disaster",
                stance=-weight,
                importance=weight,
                # Until the next report, and not after the time that it speaks of.
                lasts=min(EVERY_HOURS, hours),
            )
            reports.append((issued, warning))
        elif threatened and hours >= 130:
            threatened = False
            reports.append((clock.date_of(tick), _build_all_clear(circumstances.storm)))
    return reports


def name_time(issued: datetime, hours: float) -> str:
    """Name the time of nearest approach by its day, so that the words stay true.

    Examples:
        >>> name_time(datetime(2019, 9, 1, 8), 100), name_time(datetime(2019, 9, 4, 20), 17)
        ('around Thursday', 'on Thursday afternoon')
    """
    due = issued + timedelta(hours=hours)
    if hours > CERTAIN_HOURS:
        return f"around {due:%A}"
    parts = ("early on {}", "on {} morning", "on {} afternoon", "on {} evening")
    return parts[due.hour // 6].format(f"{due:%A}")


def _weigh_warning(peak: float, hours: float, strike: float) -> float:
    """Return the importance of a warning, which is also how bad it is."""
    near = 1 - min(hours, 120) / 120
    importance = 0.2 + 0.3 * min(max(peak - 20, 0) / 50, 1) + 0.25 * near + 0.25 * strike
    return round(min(importance, 1.0), 2)


def _build_all_clear(storm: str) -> News:
    name = _name(storm)
    return News(
        f"{name[:1].upper()}{name[1:]} has moved away; the danger has passed.",
        topic="relief",
        stance=0.6,
        importance=0.6,
    )


def _name(storm: str) -> str:
    return f"hurricane {storm.title()}" if storm else "the hurricane"
