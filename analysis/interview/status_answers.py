"""Answer questions from the status and the memories of an agent, by the table of questions."""

import re
from collections.abc import Mapping
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
    composer = _Composer(run, life, values)
    parts = [part for say in row.say if (part := composer.compose(say)) is not None]
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


class _Composer:
    """Compose the parts of an answer, some by methods that the table of questions names."""

    def __init__(self, run: Run, life: Life, values: Mapping[str, Any]) -> None:
        self._run, self._life, self._values = run, life, values

    def compose(self, say: Mapping[str, Any]) -> Part | None:
        """Return one part of an answer, None if it does not apply."""
        values = self._values
        if any(values.get(name) != value for name, value in say.get("where", {}).items()):
            return None
        if "memories" in say:
            return self._quote(say)
        if "tell" in say:
            part: Part | None = getattr(self, f"_tell_{say['tell']}")(say)
            return part
        attributes = _ATTRIBUTE.findall(say["text"])
        if any(str(values.get(name, "")).lower() in _NOTHING for name, _ in attributes):
            return None
        declared = self._run.attributes(self._life.population)
        text = _ATTRIBUTE.sub(
            lambda one: format_value(values[one[1]], declared.get(one[1], {}), one[2] or ""),
            say["text"],
        )
        return text, ()

    def _memories(self, kind: str) -> pd.DataFrame:
        memories = self._life.memories
        return memories if memories.empty else memories[memories["kind"].astype(str) == kind]

    def _quote(self, say: Mapping[str, Any]) -> Part | None:
        """Quote a memory of some topics."""
        own = self._memories("event")
        if own.empty:
            return None
        own = own[own["topic"].astype(str).isin(say["memories"])]
        own = own[own["text"].astype(str).str.contains(say.get("with", ""), regex=True)]
        if own.empty:
            return None
        if say["which"] not in {"first", "last"}:
            own = own.sort_values("valence", kind="stable")
        chosen = own.iloc[[-1 if say["which"] == "last" else 0]]
        text = quote_memories(self._life, chosen.index, lead="I remember")
        return text, tuple(int(one) for one in chosen.index)

    def _tell_kind(self, _: Mapping[str, Any]) -> Part:
        return f"In this society I am {words(self._life.population)} {self._life.agent}.", ()

    def _tell_thought(self, _: Mapping[str, Any]) -> Part | None:
        """Quote the latest thought."""
        thoughts = self._memories("thought")
        if thoughts.empty:
            return None
        last = thoughts.iloc[-1]
        text = f"My latest thought ({date(last['time'])}): {last['text']}"
        return text, (int(thoughts.index[-1]),)

    def _tell_emotion(self, say: Mapping[str, Any]) -> Part | None:
        """Describe the level of an emotion, and its highest one with what was remembered then."""
        life, name = self._life, f"emotion.{say['name']}"
        levels = life.status[name].dropna() if name in life.status else pd.Series(dtype=float)
        if levels.empty:
            return None
        now, highest = float(levels.iloc[-1]), float(levels.max())
        best = pd.Timestamp(levels.index[int(levels.to_numpy().argmax())])
        text = f"My {say['name']} is {now:.1f} of 10; {_NEUTRAL:.0f} is neutral."
        if highest <= max(now, _NEUTRAL) + _NOTABLE or life.memories.empty:
            return text, ()
        text += f" Of the recorded levels, it was highest on {date(best)}: {highest:.1f}."
        events, sign = self._memories("event"), 1 if say["name"] == "joy" else -1
        is_recent = (events["time"] <= best) & (events["time"] > best - pd.Timedelta(days=1))
        recent = events[is_recent & (sign * events["valence"] > 0)]
        if recent.empty:
            return text, ()
        strength = (recent["valence"].abs() * recent["importance"]).to_numpy()
        strongest = int(recent.index[int(strength.argmax())])
        return f"{text} {quote_memories(life, [strongest], lead='I remember')}", (strongest,)

    def _tell_household(self, _: Mapping[str, Any]) -> Part | None:
        """Name the members of the household."""
        people = self._run.people(self._life.population)
        if "household" not in people:
            return None
        is_self = people["agent"] == self._life.agent
        mine = people[is_self]["household"]
        if mine.empty:
            return None
        others = people[(people["household"] == mine.iloc[0]) & ~is_self]
        if others.empty:
            return "I live alone.", ()
        ages = others["age"] if "age" in others else pd.Series("", others.index)
        pairs = zip(others["agent"], ages, strict=True)
        named = [f"{self._run.name_of(int(one))} ({age})" for one, age in pairs]
        return f"I live with {join_names(named)}.", ()

    def _tell_last(self, _: Mapping[str, Any]) -> Part | None:
        """List the events of the last day, or of the last step if steps are longer."""
        own = self._memories("event")
        if own.empty:
            return None
        end = own["time"].max()
        day = end.normalize() if self._run.hours < 24 else end
        last = own[own["time"] >= day].sort_values("importance", ascending=False, kind="stable")
        last = last.drop_duplicates("text").head(LAST).sort_values("time", kind="stable")
        text = " ".join(f"{str(one).rstrip('.')}." for one in last["text"])
        return f"On {end:%d %b %Y}: {text}", tuple(int(one) for one in last.index)

    def _tell_decision(self, say: Mapping[str, Any]) -> Part | None:
        """Describe the last decision of a kind that changed the choice, with its reason."""
        decisions = self._life.decisions
        if decisions.empty:
            return None
        own = decisions[decisions["kind"].astype(str) == say["kind"]]
        choice = own["choice"].astype(str)
        changed = own[choice != choice.shift(fill_value="none")]
        if changed.empty:
            return None
        row = changed.iloc[-1]
        answer = f"{words(row['choice']) or short_number(row['value'])} ({row['reason']})"
        return f"On {date(row['time'])} I decided on {words(row['kind'])}: {answer}.", ()

    def _tell_attitudes(self, _: Mapping[str, Any]) -> Part | None:
        """List the attitudes of an agent, now and when they were first recorded."""
        parts = []
        for name in map(str, self._life.status):
            levels = self._life.status[name].dropna()
            if name.startswith("attitude.") and len(levels):
                label = words(name.removeprefix("attitude."))
                parts.append(f"{label} {levels.iloc[-1]:.1f} (at first {levels.iloc[0]:.1f})")
        return (f"My attitudes, from 0 to 10: {join_names(parts)}.", ()) if parts else None


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


def _describe_attributes(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Return the values of the recorded attributes that a question names."""
    values, declared, asked = read_values(life), run.attributes(life.population), stems(question)
    text = " ".join(
        f"{declared[name]['description']}: {format_value(value, declared[name])}."
        for name, value in values.items()
        if name in declared and str(value).lower() not in _NOTHING
        if (named := stems(name)) and named <= asked
    )
    return RecordAnswer(text, (), life.decisions.iloc[:0]) if text else None
