"""Speak of status, decisions and reasons in the first person, without codes and scales.

The sentences are in `speech.toml`.
"""

import calendar
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis import labels
from memopolis.analysis.interview.wording import words
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run
from memopolis.sim.memory.retrieval.recollection import quote_speech

_LEVELS = (7.5, 5.5, 4.5, 2.5, 0.0)  # least values of the sentences of an attitude
_DAY = 24.0
_MOMENT = re.compile(r"(\d\d) ([A-Z][a-z]{2}) \d\d:\d\d")  # a moment as labelled in tables
_MONTHS = {name[:3]: name for name in calendar.month_name if name}
_UNITS = {"USD/year": "USD a year", "USD/h": "USD an hour", "h/week": "hours a week"}
# A sentence of a person, alone or as the first of a table or list
_PERSONAL = re.compile(r"(?:[^\"']*[\"'])?(?:I|My) ")
_ROUNDED = re.compile(r"([\d,.]+) (USD/year|USD|h/week)")  # values that people round
_ABOUT = 1_000  # amount of money from which people round (illustrative)
_CODE = re.compile(r" \d{5}$")  # ZIP code of a zone whose name is not unique


@dataclass(frozen=True)
class Voice:
    """Pronouns of an agent: those of a person or of an institution."""

    i: str
    my: str

    def fill(self, sentence: str) -> str:
        """Fill {I}, {We} and {My} of a sentence."""
        return (
            sentence.replace("{I}", self.i)
            .replace("{We}", self.i.capitalize())
            .replace("{My}", self.my.capitalize())
        )


PERSON, INSTITUTION = Voice("I", "my"), Voice("we", "our")
_OTHERS = {"female": Voice("she", "her"), "male": Voice("he", "his")}


def voice_of(life: Life) -> Voice:
    """Return the voice of an agent: citizens say "I", all others "we"."""
    return PERSON if life.population == "citizen" else INSTITUTION


def voice_of_other(life: Life) -> Voice:
    """Return the pronouns by which others speak of an agent."""
    return _OTHERS.get(str(life.profile.get("gender", "")), Voice("they", "their"))


def say_value(name: str, value: str, number: float | None, life: Life) -> str:
    """Return a sentence about an attribute, "" if there is nothing to say.

    `value` is the formatted value with its unit, and `number` the same as a number, if it is one.
    """
    status = _read()["status"]
    usual = status.get(name, _find_attitude(name) or "{My} {label} is {value}.")
    sentence = _read()["of"].get(life.population, {}).get(name, usual)
    if voice_of(life) == INSTITUTION and _PERSONAL.match(str(sentence)):
        sentence = "{label} is {value}."
    if isinstance(sentence, list):
        if number is None:
            return ""
        sentence = next((text for least, text in sentence if number >= least), sentence[-1][1])
    elif isinstance(sentence, Mapping):
        sentence = sentence.get(value, sentence.get("", ""))
    text = voice_of(life).fill(sentence)
    percent = "" if number is None else f"{100 * number:.1f} %"
    label = labels.lower_first(labels.words(name))
    fields = {"value": _say_plainly(name, value, number), "percent": percent, "label": label}
    for field, content in fields.items():
        text = text.replace(f"{{{field}}}", content)
    return _capitalise(text)


def _say_plainly(name: str, value: str, number: float | None) -> str:
    """Return a formatted value as people say it: without codes, hours and signs of units."""
    if number is not None and number.is_integer() and re.fullmatch(r"[\d,.]+", value):
        return f"{number:,.0f}"
    if number is not None and (amount := _ROUNDED.fullmatch(value)):
        return _round(float(amount[1].replace(",", "")), amount[2])
    text = labels.lower_first(value) if name == "emotion_word" else _CODE.sub("", value)
    for unit, spoken in _UNITS.items():
        text = text.replace(unit, spoken)
    return _MOMENT.sub(lambda at: f"{int(at[1])} {_MONTHS[at[2]]}", text)


def _round(amount: float, unit: str) -> str:
    """Return an amount of money or hours as people say it, with three digits at most."""
    if unit == "h/week":
        return f"{amount:,.0f} {_UNITS[unit]}"
    if amount < _ABOUT:
        return f"{amount:,.0f} {_UNITS.get(unit, unit)}"
    step = 10.0 ** (len(f"{amount:.0f}") - 3)
    rounded = round(amount / step) * step
    about = "" if rounded == amount else "about "
    return f"{about}{rounded:,.0f} {_UNITS.get(unit, unit)}"


def say_place(place: str) -> str:
    """Say in which zone a person is, "" for outside the region."""
    return f"in {_CODE.sub('', place)}" if place else "away from the region"


def _find_attitude(name: str) -> list[tuple[float, str]]:
    """Return the levels of an attitude that has sentences."""
    sentences = _read()["attitudes"].get(name.removeprefix("attitude."), [])
    return list(zip(_LEVELS, sentences, strict=False)) if name.startswith("attitude.") else []


def say_role(life: Life) -> str:
    """Say what an institution is."""
    role = _read()["roles"].get(life.population, "{name}").replace("{name}", life.name)
    return f"We are {role}."


def say_attitude(name: str, level: float, life: Life) -> str:
    """Say what an attitude of a level from 0 to 10 means."""
    return say_value(f"attitude.{name}", f"{level:.1f} of 10", level, life)


def say_decision(run: Run, life: Life, row: pd.Series) -> str:
    """Say what an agent decided, when, and why, in one sentence."""
    voice, choice = voice_of(life), str(row["choice"])
    choices = _read()["decided"].get(str(row["kind"]), {})
    did = choices.get(choice, choices.get("", f"decided on {words(row['kind'])}"))
    number = float(row["value"])
    for field, content in (
        ("value", labels.short(number)), ("count", f"{number:,.0f}"),
        ("percent", f"{100 * number:.1f} %"), ("choice", words(choice)),
    ):  # fmt: skip
        did = did.replace(f"{{{field}}}", content)
    text = f"{say_time(run, row['time'])}, {voice.i} {did}"
    reason = say_reason(str(row["reason"]), voice)
    return _capitalise(f"{text}, because {reason}." if reason else f"{text}.")


def say_reason(reason: str, voice: Voice) -> str:
    """Return a recorded reason as a person says it after "because", "" for none."""
    plain = reason.partition(" (")[0].rstrip(".")
    spoken = _read()["reasons"].get(plain, f"of this: {plain}" if plain else "")
    return voice.fill(spoken).replace("because of this", "of this")


def say_intention(name: str, life: Life) -> str:
    """Say what an agent intends."""
    voice = voice_of(life)
    plan = _read()["intentions"].get(name)
    text = f"{voice.i} want to {plan}." if plan else f"{voice.i} have no particular plan."
    return _capitalise(text)


def say_time(run: Run, time: Any) -> str:
    """Say when something happened: "on Saturday, 31 August", "in August 2019" with long steps."""
    moment = pd.Timestamp(time)
    if run.hours > _DAY:
        return f"in {moment:%B %Y}"
    return f"on {moment:%A}, {moment.day} {moment:%B}"


def say_hour(hour: int) -> str:
    """Say an hour of the day from 0 to 23: "noon", "3 in the afternoon"."""
    if hour % 12 == 0:
        return "noon" if hour else "midnight"
    parts = (
        (5, "at night"),
        (12, "in the morning"),
        (18, "in the afternoon"),
        (24, "in the evening"),
    )
    part = next(text for end, text in parts if hour < end)
    return f"{hour % 12} {part}"


def say_memory(text: str) -> str:
    """Quote a memory: what others said with their names, all else in quotation marks."""
    quoted = quote_speech(text)
    return quoted.rstrip() if quoted != text else f'"{text.rstrip(".")}."'


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("speech.toml").read_text(encoding="utf-8"))
