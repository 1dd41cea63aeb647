"""Describe agents for a prompt: profile, feelings, thought, attitudes and memories."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.layers.contexts import Context, Line, format_tick, summary_lines
from memopolis.sim.memory.layers.summaries import shorten
from memopolis.sim.memory.retrieval.recollection import Recollection
from memopolis.sim.mind.mind import Question
from memopolis.sim.mind.profile import (
    describe_needs,
    describe_profiles,
    round_amount,
    select_feelings,
    time_of_day,
)

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

LONGEST_MEMORY = 400  # maximum number of characters of one memory in a prompt

_LARGE = 1_000
_SPEAKER = re.compile(r"^[^:.]{1,60} (told me|answered): ")


@dataclass(frozen=True, slots=True)
class Person:
    """One agent as described in its prompt, with plain values for JSON."""

    agent: int  # unique_id of the agent
    profile: Mapping[str, Any]  # profile by attribute
    # Feelings from 0 to 10 that differ from a calm state; "calm" if none does
    feelings: Mapping[str, float] | str
    emotion: str  # emotion word, "" for none
    thought: str  # latest thought, "" for none
    attitudes: Mapping[str, float]  # attitudes from 0 to 10
    known: Mapping[str, Any]  # other knowledge in the question
    recalled: Sequence[str]  # memories recalled for the question, best first
    context: Mapping[str, Sequence[str]]  # other memories by layer: key, long, mid, short
    now: str  # local date, and the time if a step is shorter than a day
    needs: Mapping[str, float] = field(default_factory=dict)  # satisfaction of needs from 0 to 1
    time_of_day: str = ""  # morning, afternoon, evening or night, "" if a step is a day or longer


def describe_people(question: Question, context_tokens: int) -> list[Person]:
    """Describe all agents that are asked, with a context of about so many tokens; 0 for none."""
    memory, rows = question.cohort.population.memory, question.cohort.rows
    seen = memory.observed.of(rows)
    words = _read(question, "emotion_word") or [""] * len(rows)
    profiles, needs = describe_profiles(question), describe_needs(question)
    structs = {name: _struct(question, name) for name in ("emotion", "attitude")}
    recalled = seen.stream.read(question.recalled)
    thoughts = _thoughts(question)
    wanted = question.about or question.kind.replace("_", " ")
    contexts = (
        seen.context(wanted, context_tokens, count=_about) if context_tokens else [None] * len(rows)
    )
    summaries = [summary_lines(memory, row, 1) if context_tokens else () for row in rows.tolist()]
    known = {name: list(map(_plain, v)) for name, v in question.known.items() if v.ndim == 1}
    now, part_of_day = format_date(memory, question.tick), time_of_day(memory, question.tick)
    return [
        Person(
            agent=int(question.cohort.ids[at]),
            profile=profiles[at],
            feelings=select_feelings(_values(structs["emotion"], at)),
            emotion=words[at],
            thought=thoughts[at],
            attitudes=_values(structs["attitude"], at),
            known=_values(known, at),
            recalled=_recalled(question, recalled[at]),
            context=_layers(contexts[at], summaries[at], question.recalled[at], recalled[at]),
            now=now,
            needs=needs[at],
            time_of_day=part_of_day,
        )
        for at in range(len(rows))
    ]


def _about(text: str) -> int:
    """Return the approximate number of tokens; counting word pieces would take too long."""
    return len(text) // 4 + 1


def _read(question: Question, name: str) -> list[Any] | None:
    """Return the values of an attribute, with labels in place of numbers; None if it is missing."""
    attribute = question.cohort.population.attributes.get(name)
    if attribute is None:
        return None
    labels, values = attribute.labels, question.cohort[name]
    return [labels[v] if labels else _plain(v) for v in values]


def _values(columns: Mapping[str, Sequence[Any]], at: int) -> dict[str, Any]:
    """Return the values of one agent, without missing ones (NaN)."""
    return {name: column[at] for name, column in columns.items() if column[at] == column[at]}


def _struct(question: Question, name: str) -> dict[str, list[Any]]:
    status = question.cohort.population.memory.status
    if name in status.attributes or name not in status:
        return {}
    fields = status.fields(name)
    return {f.partition(".")[2]: [_plain(v) for v in question.cohort[f]] for f in fields}


def _thoughts(question: Question) -> list[str]:
    """Return the text of the latest thought of each agent."""
    memory, rows = question.cohort.population.memory, question.cohort.rows
    if "thought" not in question.cohort.population.attributes:
        return [""] * len(rows)
    ids: NDArray[Any] = np.asarray(question.cohort["thought"], np.int64)
    recollections = memory.observed.of(rows).stream.read(ids[:, None])
    return [_cut(matches[0].text) if matches else "" for matches in recollections]


def _recalled(question: Question, memories: Sequence[Recollection]) -> list[str]:
    """Return a line for each recalled memory, best first; equal texts once."""
    distinct: dict[str, Recollection] = {}
    for one in memories:
        distinct.setdefault(_gist(one.text), one)
    memory = question.cohort.population.memory
    return [
        _cut(f"{format_date(memory, one.time)}, {one.topic}: {one.text}")
        for one in distinct.values()
    ]


def _gist(text: str) -> str:
    """Return a text without the speaker who passed it on, by which repeats are recognised."""
    return _SPEAKER.sub("", text)


def _layers(
    context: Context | None,
    summary: Sequence[Line],
    ids: NDArray[np.int32],
    recalled: Sequence[Recollection],
) -> dict[str, list[str]]:
    """Return the lines of a context by part, without repeats and without recalled memories.

    The newest summary is always included: the budget may be too small for one.
    """
    if context is None:
        return {}
    recalled_ids = set(ids.tolist())
    seen = {_gist(one.text) for one in recalled}
    layers: dict[str, list[str]] = {}
    for part in context.parts:
        for line in part.lines if part.name != "input" else ():
            gist = _gist(line.content)
            if gist in seen or (line.memories and recalled_ids.issuperset(line.memories)):
                continue
            seen.add(gist)
            layers.setdefault(part.name, []).append(_cut(line.text.removeprefix("- ")))
    if "long" not in layers and summary:
        layers["long"] = [_cut(summary[0].text.removeprefix("- "))]
    return layers


def format_date(memory: "Memory", tick: int) -> str:
    """Return the date of a tick, or its number if the memory has no dates."""
    return f"step {tick}" if memory.date_of is None else format_tick(memory, tick)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_MEMORY else shorten(text, LONGEST_MEMORY)


def _plain(value: Any) -> Any:
    """Convert a value for JSON: numbers with two decimals, large ones with four digits."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, float):
        return plain
    return round_amount(plain) if abs(plain) >= _LARGE else round(plain, 2)
