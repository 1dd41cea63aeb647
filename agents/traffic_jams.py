"""Memories of traffic jams: the longer the delay, the more important and the worse."""

import numpy as np

from memopolis.sim.arrays import Float32, Floats, Ints
from memopolis.sim.population import Cohort

JAM_HOURS = 0.5  # delay from which a jam is remembered (illustrative)
PATIENCE = 2.2  # delay at which the annoyance is 1 - 1/e, hours (illustrative: 0.6 after two hours)
MOST_HOURS = 48  # longest delay that a text names

ON_THE_WAY = "I was stuck in traffic for {time} on the way to {{place}}."
OUT = "We were stuck in traffic for {time} on the way out of {{place}}."
BACK = "We were stuck in traffic for {time} on the way back to {{place}}."
"""Texts of a jam on a daily trip, on the way out of the region, and on the way back."""


def annoyance(hours: Floats) -> Float32:
    """Compute how important and how bad a delay in hours is: 1 - exp(-hours / 2.2), (agents,).

    Source: This project, illustrative: annoyance rises less and less.
    """
    return np.asarray(-np.expm1(-hours / PATIENCE), np.float32)


def remember_jams(people: Cohort, hours: Floats, place: Ints, text: str) -> None:
    """Let the people who lost half an hour or more remember the jam, with its duration.

    `place` is the zone that the text, `ON_THE_WAY` or `OUT`, names.
    """
    is_long = hours >= JAM_HOURS
    if not is_long.any():
        return
    lost = hours[is_long]
    bad = annoyance(lost)
    texts = people.population.society.texts.intern_many(
        [text.format(time=_duration(n)) for n in range(MOST_HOURS + 1)]
    )
    number = np.where(lost < 0.75, 0, np.clip(np.round(lost), 1, MOST_HOURS)).astype(np.intp)
    people.where(is_long).stream.add(
        "traffic", texts[number], place=place[is_long], importance=bad, valence=-bad
    )


def _duration(hours: int) -> str:
    if hours < 2:
        return ("half an hour", "an hour")[hours]
    return f"{hours} hours" if hours < MOST_HOURS else f"{hours} hours or more"
