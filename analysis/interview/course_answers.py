"""Answer questions about another moment: where an agent was, and how its life has changed since."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from memopolis.analysis.interview.memory_answers import plain_answer
from memopolis.analysis.interview.questions import (
    RELEVANT,
    compute_relevance,
    read_attribute_words,
    read_moments,
)
from memopolis.analysis.interview.speech import (
    join_sentences,
    phrase,
    say_hour,
    say_names,
    say_place,
    say_time,
    say_value,
    voice_of,
)
from memopolis.analysis.interview.status_answers import format_value
from memopolis.analysis.interview.wording import RecordAnswer, date, words
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run

COURSE = ("labour", "hours", "pay", "basic_income", "life_satisfaction")
"""Attributes of a life that are compared with earlier ones, in the order of an answer."""
AMOUNTS = ("hours", "pay", "basic_income")
"""Those of which an agent has more or less than before."""
POLICY = "basic_income"
_SENTENCES = 3
_NOTICED = 0.05  # relative change of a number that is mentioned (illustrative)


def describe_place_then(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Say where an agent was at a dated event that a question names, else the first of `[moments]`.

    None if the run has no dated event, or no moves were recorded.
    """
    table = read_moments()
    dates = {name: day for name in table if (day := run.date_of(name)) is not None}
    if not dates or not run.has("moves"):
        return None
    shares = compute_relevance(question, [table[name] for name in dates])
    best = max(zip(shares, dates.values(), strict=True), key=lambda pair: pair[0])
    moment = pd.Timestamp(best[1])
    when, voice = {"when": say_time(run, moment), "hour": say_hour(moment.hour)}, voice_of(life)
    if moment >= run.end:
        return plain_answer(life, voice.say("not_yet", **when))
    moves = run.moves
    own = moves[(moves["agent"] == life.agent) & (moves["time"] <= moment)]
    if own.empty:
        return None
    zone = int(own.iloc[-1]["zone"])
    place = run.spoken_place_name(zone) if zone >= 0 else ""
    details = f"At {date(moment)} the recorded zone was {place or 'away'}."
    return plain_answer(life, voice.say("was_at", place=say_place(place), **when), details)


def describe_order(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Say when people were ordered to leave which zones, and when the order was lifted.

    None if a run has no dated order.
    """
    del question
    dates = {name: run.date_of(name) for name in ("announced", "ordered", "lifted")}
    announced = dates["announced"] or dates["ordered"]
    if announced is None:
        return None
    if announced >= run.end:
        return plain_answer(life, phrase("no_order"))
    people = run.people("citizen")
    ordered = (
        people[people["order_zone"].astype(str) != "none"] if "order_zone" in people else people
    )
    zones = [*dict.fromkeys(run.spoken_place_name(int(zone)) for zone in ordered["home"])]
    where = phrase("for_people", names=say_names(sorted(zones))) if zones else ""
    spoken = [phrase("order", when=say_time(run, announced), where=where)]
    lifted = dates["lifted"]
    if lifted is not None and lifted < run.end:
        spoken.append(phrase("lifted", when=say_time(run, lifted)))
    details = " ".join(f"{name}: {date(time)}." for name, time in dates.items() if time is not None)
    return plain_answer(life, join_sentences(spoken), details)


def describe_course(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Compare the life of an agent with that before the basic income, or at the start.

    Of the attributes `COURSE`, those are compared that the question names, or else all. None if
    none of them was recorded, or only once.
    """
    status = life.status
    names = [name for name in COURSE if name in status or name in life.profile]
    if len(status) < 2 or not names:
        return None
    constant = [name for name in names if name not in status]
    status = status.assign(**{name: life.profile[name] for name in constant}).ffill().bfill()
    before, is_paid = _find_before(status)
    more = read_attribute_words()
    shares = compute_relevance(question, [f"{words(one)} {more.get(one, '')}" for one in names])
    named = [
        name
        for name, share in zip(names, shares, strict=True)
        if share >= RELEVANT and not (is_paid and name == POLICY)
    ]
    declared = run.attributes(life.population)
    sentences, details = [], []
    for name in named or names:
        now, then = (
            Held(format_value(value, declared[name]), _read_number(value))
            for value in (status[name].iloc[-1], before[name])
        )
        sentences.append(_compare(life, name, now, then))
        details.append(f"{words(name)}: {now.text}, before {then.text}.")
    spoken = join_sentences([text for text in sentences if text][:_SENTENCES])
    return plain_answer(life, spoken, " ".join(details)) if spoken else None


@dataclass(frozen=True)
class Held:
    """A value of an attribute: formatted with its unit, and as a number, if it is one."""

    text: str
    number: float | None


def _read_number(value: object) -> float | None:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return float(value) if is_number else None  # type: ignore[arg-type]


def _find_before(status: pd.DataFrame) -> tuple[pd.Series, bool]:
    """Return the status before the first basic income and True, else the first one and False."""
    if POLICY in status:
        paid = status[POLICY].astype(float) > 0
        if paid.any() and not paid.iloc[0]:
            return status.iloc[int(paid.to_numpy().argmax()) - 1], True
    return status.iloc[0], False


def _compare(life: Life, name: str, now: Held, then: Held) -> str:
    """Say a value, and how it was before; "" if there is nothing to say."""
    sentence, earlier = (say_value(name, held.text, held.number, life) for held in (now, then))
    voice = voice_of(life)
    before = voice.say("before", sentence=earlier) if earlier else ""
    if not sentence:
        return before
    stem = sentence.rstrip(".。")
    if sentence == earlier:
        return phrase("as_before", stem=stem)
    if now.number is None or not then.number or name not in AMOUNTS:
        return join_sentences([sentence, before])
    if abs(now.number - then.number) <= _NOTICED * max(now.number, then.number):
        return phrase("much_as_before", stem=stem)
    is_more = now.number > then.number
    return phrase("more_than_before" if is_more else "less_than_before", stem=stem)
