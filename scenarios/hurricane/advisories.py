"""From forecasts to the news: what radio and television make of each advisory."""

from datetime import datetime

import numpy as np

from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.sim.clock import Clock
from memopolis.sim.timeline import News
from memopolis.sim.world.place import Place

EVERY_HOURS = 12
"""Hours between two reports in the news (illustrative; forecasts come every 6)."""

LAST_HOURS = 6
"""Hours before the storm is nearest from which it is lived through rather than reported."""

# Words by forecast wind over land, kt; the bounds are those of the warnings (illustrative words).
STRENGTHS = (
    (64.0, "hurricane winds"),
    (34.0, "tropical storm winds"),
    (22.0, "strong gusts and heavy rain"),
)


def advisories(
    circumstances: Circumstances, place: Place, clock: Clock
) -> list[tuple[datetime, News]]:
    """Reports of the coming storm, and one that it has passed.

    Importance rises with the forecast wind and as the storm comes nearer; nothing is
    reported while less than strong gusts are forecast anywhere.

    Args:
        circumstances: With the forecasts of the run.
        place: Zones, whose people weigh the forecast.
        clock: Turns ticks into dates.

    Returns:
        Dated news of the topics "disaster" and "relief".
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
            reports.append(
                (clock.date_of(tick), _warning(circumstances.storm, peak, hours, strike))
            )
        elif threatened and hours >= 130:
            threatened = False
            reports.append((clock.date_of(tick), _all_clear(circumstances.storm)))
    return reports


def _warning(storm: str, peak: float, hours: float, strike: float) -> News:
    words = next(text for bound, text in STRENGTHS if peak >= bound)
    days = round(hours / 24)
    when = (
        "within the day" if days < 1 else "in about a day" if days == 1 else f"in about {days} days"
    )
    near = 1 - min(hours, 120) / 120
    importance = 0.2 + 0.3 * min(max(peak - 20, 0) / 50, 1) + 0.25 * near + 0.25 * strike
    return News(
        f"Forecasters expect hurricane {storm.title()} to bring {words} to our area {when}.",
        topic="disaster",
        stance=-round(min(importance, 1.0), 2),
        importance=round(min(importance, 1.0), 2),
    )


def _all_clear(storm: str) -> News:
    return News(
        f"Hurricane {storm.title()} has moved away; the danger has passed.",
        topic="relief",
        stance=0.6,
        importance=0.6,
    )
