"""Describe agents for a prompt: profile, feelings, thought, attitudes and memories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.layers.context import Context
from memopolis.sim.memory.layers.sentences import shorten
from memopolis.sim.memory.streams.recollection import Recollection
from memopolis.sim.mind.mind import Question

PROFILE = (
    "name",
    "gender",
    "age",
    "race",
    "religion",
    "marriage_status",
    "occupation",
    "education",
    "personality",
    "consumption",
    "family_consumption",
    "income",
    "skill",
)
"""Attributes of the profile of an agent, if its class has them; residence comes from `home`.

Source:
    The profile in the prompts of AgentSociety 1.5.7.
"""

LONGEST_MEMORY = 400
"""Maximum number of characters of one memory in a prompt."""


@dataclass(frozen=True, slots=True)
class Person:
    """One agent as described in its prompt, with plain values for JSON.

    Attributes:
        agent: unique_id of the agent.
        profile: Profile by attribute.
        feelings: Six feelings from 0 to 10.
        emotion: Emotion word, "" for none.
        thought: Latest thought, "" for none.
        attitudes: Attitudes from 0 to 10.
        known: Other knowledge in the question.
        recalled: Memories recalled for the question, best first.
        context: Other memories by layer: key, long, mid, short.
        now: Local date and time.
    """

    agent: int
    profile: Mapping[str, Any]
    feelings: Mapping[str, float]
    emotion: str
    thought: str
    attitudes: Mapping[str, float]
    known: Mapping[str, Any]
    recalled: Sequence[str]
    context: Mapping[str, Sequence[str]]
    now: str


def describe_people(question: Question, context_tokens: int) -> list[Person]:
    """Describe all agents that are asked, without changing them.

    Args:
        question: The question with its cohort.
        context_tokens: Approximate maximum number of tokens of the context, in addition to the
            recalled memories; 0 for none.
    """
    memory, rows = question.cohort.population.memory, question.cohort.rows
    seen = memory.observed.of(rows)
    values = {name: _read(question, name) for name in (*PROFILE, "emotion_word", "home")}
    structs = {name: _struct(question, name) for name in ("emotion", "attitude")}
    recalled = seen.stream.read(question.recalled)
    thoughts = _thoughts(question)
    wanted = question.about or question.kind.replace("_", " ")
    contexts = (
        seen.context(wanted, context_tokens, count=_about) if context_tokens else [None] * len(rows)
    )
    known = {name: list(map(_plain, v)) for name, v in question.known.items() if v.ndim == 1}
    now = _date(question, question.tick)
    return [
        Person(
            agent=int(question.cohort.ids[at]),
            profile=_profile(question, values, at),
            feelings={name: column[at] for name, column in structs["emotion"].items()},
            emotion=_one(values, "emotion_word", at) or "",
            thought=thoughts[at],
            attitudes={name: column[at] for name, column in structs["attitude"].items()},
            known={name: column[at] for name, column in known.items()},
            recalled=[_line(question, one) for one in recalled[at]],
            context=_layers(contexts[at], question.recalled[at]),
            now=now,
        )
        for at in range(len(rows))
    ]


def _about(text: str) -> int:
    """Return the approximate number of tokens; counting word pieces would take too long."""
    return len(text) // 4 + 1


def _read(question: Question, name: str) -> list[Any] | None:
    """Return the values of an attribute, with labels in place of numbers; None if it is missing."""
    columns = question.cohort.population.memory.columns
    if name not in columns.arrays:
        return None
    labels = columns.schema.attributes[name].labels
    values = columns.read(name, question.cohort.rows)
    return [labels[v] if labels else _plain(v) for v in values]


def _struct(question: Question, name: str) -> dict[str, list[Any]]:
    columns = question.cohort.population.memory.columns
    if name in columns.arrays or not columns.has(name):
        return {}
    rows = question.cohort.rows
    fields = columns.fields(name)
    return {f.partition(".")[2]: [_plain(v) for v in columns.read(f, rows)] for f in fields}


def _profile(
    question: Question, values: Mapping[str, Sequence[Any] | None], at: int
) -> dict[str, Any]:
    profile = {name: _one(values, name, at) for name in PROFILE}
    home = _one(values, "home", at)
    if home is not None and home >= 0:
        profile["residence"] = question.cohort.population.memory.place_name(home)
    return {name: value for name, value in profile.items() if value is not None and value != ""}


def _one(values: Mapping[str, Sequence[Any] | None], name: str, at: int) -> Any:
    column = values[name]
    return None if column is None else column[at]


def _thoughts(question: Question) -> list[str]:
    """Return the text of the latest thought of each agent."""
    memory, rows = question.cohort.population.memory, question.cohort.rows
    if "thought" not in memory.columns.arrays:
        return [""] * len(rows)
    ids: NDArray[Any] = np.asarray(memory.columns.read("thought", rows), np.int64)
    recollections = memory.observed.of(rows).stream.read(ids[:, None])
    return [_cut(matches[0].text) if matches else "" for matches in recollections]


def _line(question: Question, one: Recollection) -> str:
    return _cut(f"{_date(question, one.time)}, {one.topic}: {one.text}")


def _date(question: Question, tick: int) -> str:
    date_of = question.cohort.population.memory.date_of
    return f"step {tick}" if date_of is None else f"{date_of(tick):%A %d %B %Y %H:%M}"


def _layers(context: Context | None, recalled: NDArray[np.int32]) -> dict[str, list[str]]:
    """Return the lines of a context by part, without memories recalled for the question."""
    if context is None:
        return {}
    recalled_ids = set(recalled.tolist())
    layers = {
        part.name: [
            _cut(line.text.removeprefix("- "))
            for line in part.lines
            if not (line.memories and recalled_ids.issuperset(line.memories))
        ]
        for part in context.parts
        if part.name != "input"
    }
    return {name: lines for name, lines in layers.items() if lines}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_MEMORY else shorten(text, LONGEST_MEMORY)


def _plain(value: Any) -> Any:
    """Convert a value for JSON, with numbers rounded to two decimals."""
    plain = value.item() if isinstance(value, np.generic) else value
    return round(plain, 2) if isinstance(plain, float) else plain
