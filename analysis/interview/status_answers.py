"""Answer questions by the recorded status of an agent: the attributes that a question names."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd

from memopolis.analysis import labels
from memopolis.analysis.interview.questions import (
    compute_relevance,
    find_subjects,
    mark_asking,
    read_attribute_words,
)
from memopolis.analysis.interview.speech import join_sentences, say_time, say_value, voice_of
from memopolis.analysis.interview.wording import date, words
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run

_NAMED = 0.9  # least share of the name of an attribute in a question that names it
_MOSTLY = 0.75  # least share of that question in the name (illustrative, as the other)
_SUBJECT = 0.12  # least share of a question that is about an attribute (illustrative)
_MOST = 4  # number of patterns whose attributes are all described
_LEVELS = ("emotion.", "attitude.")  # attributes whose course is described
_CENTS = 100
HOUSEHOLD = "household."  # begins the names of attributes of an agent's household
SENTENCES = 3  # maximum number of sentences of an answer


def describe_status(run: Run, life: Life, patterns: Sequence[str], question: str = "") -> str:
    """Describe the attributes that `select_attributes` returns, as recorded, "" if it has none."""
    values, declared = _read_values(run, life), _read_declared(run, life)
    names = select_attributes(run, life, patterns, question)
    return " ".join(_describe(life, name, values[name], declared[name]) for name in names)


def speak_status(
    run: Run, life: Life, patterns: Sequence[str], question: str = "", *, most: int = SENTENCES
) -> str:
    """Say what the attributes that `select_attributes` returns mean, in at most `most` sentences.

    Returns "" if the agent has none of them.
    """
    values, declared = _read_values(run, life), _read_declared(run, life)
    sentences: dict[str, None] = {}
    names = select_attributes(run, life, patterns, question, most=1)
    for name in names:
        value = values[name]
        if _is_implied(name, values):
            continue
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        number = float(value) if is_number else None
        sentences[say_value(name, format_value(value, declared[name]), number, life)] = None
    spoken = join_sentences([text for text in sentences if text][:most])
    if names and question and not spoken:  # what was asked is implied by the others
        return speak_status(run, life, patterns, most=most)
    return spoken


def speak_peak(run: Run, life: Life, patterns: Sequence[str], question: str) -> str:
    """Say when the level that a question is about was highest, "" if it has no recorded course."""
    names = select_attributes(run, life, patterns, question, most=1)
    name = next((name for name in names if name in life.status and name.startswith(_LEVELS)), "")
    if not name:
        return ""
    levels = life.status[name].dropna().astype(float)
    sentence = say_value(name, f"{levels.max():.1f}", float(levels.max()), life)
    return voice_of(life).say("peak", when=say_time(run, levels.idxmax()), sentence=sentence)


def _is_implied(name: str, values: Mapping[str, Any]) -> bool:
    """Check whether another attribute says the same, or the present one rather than the first."""
    if name == "occupation":
        return "labour" in values and str(values[name]) in {"none", "child"}
    return name in {"returned_at", "destination"} and str(values.get("left_at")) == "never"


def select_attributes(
    run: Run, life: Life, patterns: Sequence[str], question: str = "", *, most: int = _MOST
) -> list[str]:
    """Return the attributes of an agent that match the patterns of their names.

    Of more than `most` patterns, only those that the question is about are returned, or else
    those that it names, or else, if it names no subject, all.
    """
    values, declared = _read_values(run, life), _read_declared(run, life)
    names = [name for pattern in patterns for name in values if fnmatchcase(name, pattern)]
    if question and names and len(patterns) > most:
        more = read_attribute_words()
        texts = [
            mark_asking(f"{words(name)} {declared[name]['description']} {more.get(name, '')}")
            for name in names
        ]
        shares = dict(zip(names, compute_relevance(mark_asking(question), texts), strict=True))
        least = max(_SUBJECT, max(shares.values()) / 2)
        relevant = [name for name in names if shares[name] >= least]
        others = [] if find_subjects(question) else names
        names = relevant or named_attributes(run, life, question) or others
    return names


def named_attributes(run: Run, life: Life, question: str) -> list[str]:
    """Return the attributes that a question names: their whole name, and little besides."""
    names = [name for name in _read_values(run, life) if not name.startswith(HOUSEHOLD)]
    shares = compute_relevance(question, [*map(words, names)]) if names else []
    near = [name for name, share in zip(names, shares, strict=True) if share >= _MOSTLY]
    return [name for name in near if compute_relevance(words(name), [question])[0] >= _NAMED]


def household_of(run: Run, life: Life) -> list[int]:
    """Return the unique_ids of the others in the household of an agent; none if it has none."""
    number = read_household(life)
    if number is None:
        return []
    people = run.people(life.population)
    house = people["agent"][people["household"] == number]
    return [int(agent) for agent in house if agent != life.agent]


def read_household(life: Life) -> int | None:
    """Return the number of the household of an agent, None if it has none."""
    number = life.profile.get("household")
    if "household" in life.status:
        number = next(iter(life.status["household"].dropna().iloc[::-1]), number)
    return None if number is None or pd.isna(number) else int(number)


def _read_values(run: Run, life: Life) -> dict[str, Any]:
    """Return the last recorded value of each declared attribute that an agent has.

    Those of its household begin with `HOUSEHOLD`.
    """
    last = life.status.ffill().iloc[-1].to_dict() if len(life.status) else {}
    values = {**life.profile, **{str(name): value for name, value in last.items()}}
    values |= _read_household_values(run, life)
    declared = _read_declared(run, life)
    return {n: v for n, v in values.items() if n in declared and str(v) not in {"", "nan", "None"}}


def _read_declared(run: Run, life: Life) -> dict[str, Mapping[str, Any]]:
    """Return the declared attributes of an agent and of its household."""
    own: dict[str, Mapping[str, Any]] = {**run.attributes(life.population)}
    if life.population == "citizen" and "household" in run.populations:
        own |= {f"{HOUSEHOLD}{name}": one for name, one in run.attributes("household").items()}
    return own


def _read_household_values(run: Run, life: Life) -> dict[str, Any]:
    """Return the last status of the household of a citizen, if households were recorded."""
    number, table = read_household(life), "agents_household"
    if life.population != "citizen" or number is None or not run.has(table):
        return {}
    # Households are numbered in the order of their unique_ids.
    ids = np.unique(run.agents_of("household", "size")["agent"])
    rows = run.people("household")
    own = rows[rows["agent"] == ids[number]] if number < len(ids) else rows.iloc[:0]
    if own.empty:
        return {}
    row = own.iloc[0].drop(["agent", "name", "tick", "time"], errors="ignore")
    return {f"{HOUSEHOLD}{name}": value for name, value in row.to_dict().items()}


def _describe(life: Life, name: str, value: object, declared: Mapping[str, Any]) -> str:
    """Describe the value of an attribute; of a level also the first and the highest one."""
    text = f"{labels.words(name)}: {format_value(value, declared)}"
    if name.startswith(_LEVELS) and name in life.status:
        levels = life.status[name].dropna().astype(float)
        best = date(levels.index[int(levels.to_numpy().argmax())])
        text += f" of 10 (at first {levels.iloc[0]:.1f}, highest {levels.max():.1f} on {best})"
    return f"{text}."


def format_value(value: object, declared: Mapping[str, Any]) -> str:
    """Format a recorded value with its unit."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if not isinstance(value, int | float | np.number):
        return words(value)
    unit = str(declared.get("unit", ""))
    if unit == "cents":
        return f"{float(value) / _CENTS:,.0f} USD"
    number = f"{value:,}" if isinstance(value, int | np.integer) else labels.short(float(value))
    return f"{number} {unit}".strip()
