"""Answer questions from the status and the memories of an agent, by the table of questions."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from memopolis.analysis.interview.questions import Question, read_questions
from memopolis.analysis.interview.wording import (
    RecordAnswer,
    date,
    join_names,
    quote_memories,
    short_number,
    stems,
    words,
)
from memopolis.analysis.labels import short
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run

type Part = tuple[str, tuple[int, ...]]
"""Text of a part of an answer, and ids of the memories that it quotes."""

LAST = 5  # maximum number of memories of the last day in an answer
_ATTRIBUTE = re.compile(r"\{([\w.]+)(?::(\w+))?\}")
_NOTHING = frozenset({"", "none", "never", "away", "-1", "nan"})  # values that stand for none
_CENTS = 100
_NEUTRAL = 5.0  # level of an emotion without a cause
_NOTABLE = 0.05  # difference of levels that is reported


def answer_from_status(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Answer a question by the first row of the table that it matches and that applies.

    Questions that match no row, but contain the name of a recorded attribute, are answered with
    its value. None if no row applies and no attribute is named.
    """
    for row in read_questions():
        if row.ask.search(question):
            answer = _answer(run, life, row)
            if answer is not None:
                return answer
    return _describe_attributes(run, life, question)


def list_questions(run: Run, life: Life) -> list[str]:
    """List what an agent can be asked, of the rows of the table that apply to it."""
    rows = (row for row in read_questions() if _answer(run, life, row) is not None)
    return list(dict.fromkeys(row.about for row in rows))


def find_subject(life: Life, question: str) -> str:
    """Return the subject of a question that is answered from the record alone, "" for none."""
    for row in read_questions():
        if row.declines and row.ask.search(question) and (not row.of or life.population in row.of):
            return row.about
    return ""


def _answer(run: Run, life: Life, row: Question) -> RecordAnswer | None:
    if row.of and life.population not in row.of:
        return None
    values = read_values(life)
    parts = [part for say in row.say if (part := _say(run, life, values, say)) is not None]
    if not parts and row.otherwise and _is_recorded(values, row):
        parts = [(row.otherwise, ())]
    if not parts:
        return None
    text = " ".join(text for text, _ in parts)
    ids = tuple(dict.fromkeys(one for _, quoted in parts for one in quoted))
    return RecordAnswer(text, ids, life.decisions.iloc[:0])


def read_values(life: Life) -> dict[str, Any]:
    """Return the last recorded value of each attribute of an agent."""
    last = life.status.iloc[-1].to_dict() if len(life.status) else {}
    return {**life.profile, **{str(name): value for name, value in last.items()}}


def _is_recorded(values: Mapping[str, Any], row: Question) -> bool:
    named = {name for say in row.say for name, _ in _ATTRIBUTE.findall(say.get("text", ""))}
    return any(name in values for name in named)


def _say(run: Run, life: Life, values: Mapping[str, Any], say: Mapping[str, Any]) -> Part | None:
    """Return one part of an answer, None if it does not apply."""
    if any(values.get(name) != value for name, value in say.get("where", {}).items()):
        return None
    if "memories" in say:
        return _quote(life, say)
    if "tell" in say:
        return _TELL[say["tell"]](run, life, say)
    attributes = _ATTRIBUTE.findall(say["text"])
    if any(str(values.get(name, "")).lower() in _NOTHING for name, _ in attributes):
        return None
    declared = run.attributes(life.population)
    text = _ATTRIBUTE.sub(
        lambda one: format_value(values[one[1]], declared.get(one[1], {}), one[2] or ""),
        say["text"],
    )
    return text, ()


def format_value(value: Any, declared: Mapping[str, Any], form: str = "") -> str:
    """Format a recorded value with its unit; `form` is "percent" for shares, "lower" for words."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if not isinstance(value, int | float | np.number):
        text = words(value)
        return text.lower() if form == "lower" else text
    if form == "percent":
        return f"{100 * float(value):.1f} %"
    unit = str(declared.get("unit", ""))
    if unit == "cents":
        return f"{float(value) / _CENTS:,.0f} USD"
    number = f"{value:,}" if isinstance(value, int | np.integer) else short(float(value))
    per = unit.removeprefix("1").replace("/year", " a year").replace("/h", " an hour")
    per = per.replace("h/", "hours a ").replace("/d", " a day")
    return number if unit in {"", "years", "h/week"} else f"{number} {per.strip()}"


def _quote(life: Life, say: Mapping[str, Any]) -> Part | None:
    """Quote a memory of some topics."""
    memories = life.memories
    if memories.empty:
        return None
    own = memories[memories["topic"].astype(str).isin(say["memories"])]
    own = own[own["kind"].astype(str) == "event"]
    own = own[own["text"].astype(str).str.contains(say.get("with", ""), regex=True)]
    if own.empty:
        return None
    order = {"first": [0], "last": [-1]}.get(say["which"])
    chosen = (
        own.sort_values("valence", kind="stable").iloc[[0]] if order is None else own.iloc[order]
    )
    text = quote_memories(life, chosen.index, lead="I remember")
    return text, tuple(int(one) for one in chosen.index)


def _tell_kind(run: Run, life: Life, say: Mapping[str, Any]) -> Part:
    del run, say
    return f"In this society I am {words(life.population)} {life.agent}.", ()


def _tell_thought(run: Run, life: Life, say: Mapping[str, Any]) -> Part | None:
    """Quote the latest thought."""
    del run, say
    if life.memories.empty:
        return None
    thoughts = life.memories[life.memories["kind"].astype(str) == "thought"]
    if thoughts.empty:
        return None
    last = thoughts.iloc[-1]
    return f"My latest thought ({date(last['time'])}): {last['text']}", (int(thoughts.index[-1]),)


def _tell_emotion(run: Run, life: Life, say: Mapping[str, Any]) -> Part | None:
    """Describe the level of an emotion, and its highest one with what was remembered then."""
    del run
    name = f"emotion.{say['name']}"
    if name not in life.status:
        return None
    levels = life.status[name].dropna()
    if levels.empty:
        return None
    now, best = float(levels.iloc[-1]), pd.Timestamp(levels.index[int(levels.to_numpy().argmax())])
    text = f"My {say['name']} is {now:.1f} of 10; {_NEUTRAL:.0f} is neutral."
    if float(levels.max()) <= max(now, _NEUTRAL) + _NOTABLE or life.memories.empty:
        return text, ()
    text += f" Of the recorded levels, it was highest on {date(best)}: {levels.max():.1f}."
    before = life.memories[(life.memories["time"] <= best) & (life.memories["kind"] == "event")]
    sign = 1 if say["name"] == "joy" else -1
    recent = before[(before["time"] > best - pd.Timedelta(days=1)) & (sign * before["valence"] > 0)]
    if recent.empty:
        return text, ()
    strength = (recent["valence"].abs() * recent["importance"]).to_numpy()
    strongest = int(recent.index[int(strength.argmax())])
    return f"{text} {quote_memories(life, [strongest], lead='I remember')}", (strongest,)


def _tell_household(run: Run, life: Life, say: Mapping[str, Any]) -> Part | None:
    """Name the members of the household."""
    del say
    people = run.people(life.population)
    if "household" not in people:
        return None
    mine = people[people["agent"] == life.agent]["household"]
    if mine.empty:
        return None
    others = people[(people["household"] == mine.iloc[0]) & (people["agent"] != life.agent)]
    if others.empty:
        return "I live alone.", ()
    ages = others["age"] if "age" in others else pd.Series("", others.index)
    named = [
        f"{run.name_of(int(one))} ({age})" for one, age in zip(others["agent"], ages, strict=True)
    ]
    return f"I live with {join_names(named)}.", ()


def _tell_last(run: Run, life: Life, say: Mapping[str, Any]) -> Part | None:
    """List the events of the last day, or of the last step if steps are longer."""
    del say
    if life.memories.empty:
        return None
    own = life.memories[life.memories["kind"].astype(str) == "event"]
    if own.empty:
        return None
    end = own["time"].max()
    day = end.normalize() if run.hours < 24 else end
    last = own[own["time"] >= day].sort_values("importance", ascending=False, kind="stable")
    last = last.drop_duplicates("text").head(LAST).sort_values("time", kind="stable")
    text = " ".join(f"{str(one).rstrip('.')}." for one in last["text"])
    return f"On {end:%d %b %Y}: {text}", tuple(int(one) for one in last.index)


def _tell_decision(run: Run, life: Life, say: Mapping[str, Any]) -> Part | None:
    """Describe the last decision of a kind that changed the choice, with its reason."""
    del run
    decisions = life.decisions
    if decisions.empty:
        return None
    own = decisions[decisions["kind"].astype(str) == say["kind"]]
    choice = own["choice"].astype(str)
    changed = own[choice != choice.shift(fill_value="none")]
    if changed.empty:
        return None
    row = changed.iloc[-1]
    answer = words(row["choice"]) or short_number(row["value"])
    text = f"On {date(row['time'])} I decided on {words(row['kind'])}: {answer} ({row['reason']})."
    return text, ()


def _tell_attitudes(run: Run, life: Life, say: Mapping[str, Any]) -> Part | None:
    """List the attitudes of an agent, now and when they were first recorded."""
    del run, say
    parts = []
    for name in life.status:
        if str(name).startswith("attitude."):
            levels = life.status[name].dropna()
            label = words(str(name).removeprefix("attitude."))
            if len(levels):
                parts.append(f"{label} {levels.iloc[-1]:.1f} (at first {levels.iloc[0]:.1f})")
    return (f"My attitudes, from 0 to 10: {join_names(parts)}.", ()) if parts else None


_TELL: Mapping[str, Callable[[Run, Life, Mapping[str, Any]], Part | None]] = {
    "kind": _tell_kind,
    "thought": _tell_thought,
    "emotion": _tell_emotion,
    "household": _tell_household,
    "last": _tell_last,
    "decision": _tell_decision,
    "attitudes": _tell_attitudes,
}
"""Functions that compose a part, by the name in the table."""


def _describe_attributes(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Return the values of the recorded attributes that a question names."""
    values, declared = read_values(life), run.attributes(life.population)
    text = " ".join(
        f"{declared[name]['description']}: {format_value(values[name], declared[name])}."
        for name in _named_attributes(values, question)
        if name in declared
    )
    return RecordAnswer(text, (), life.decisions.iloc[:0]) if text else None


def _named_attributes(values: Mapping[str, Any], question: str) -> Iterator[str]:
    asked = stems(question)
    for name, value in values.items():
        named = stems(name)
        if named and named <= asked and str(value).lower() not in _NOTHING:
            yield name
