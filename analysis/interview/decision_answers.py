"""Explain the decisions of an agent, such as why it left its home, from the tables of a run."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from memopolis.analysis.interview.questions import STAY, Action
from memopolis.analysis.interview.speech import (
    PERSON,
    join_sentences,
    phrase,
    say_because,
    say_decision,
    say_memory,
    say_names,
    say_time,
    voice_of,
    voice_of_other,
)
from memopolis.analysis.interview.status_answers import describe_status, household_of
from memopolis.analysis.interview.wording import (
    RecordAnswer,
    date,
    join_names,
    percent,
    quote_memories,
    words,
)
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run

LEAVING = "stay_or_go"  # kind of the decision to leave home
_FOLLOWED = ("left_at", "destination", "returned_at")  # status that followed the decision


def explain_decision(run: Run, life: Life, action: Action) -> RecordAnswer | None:
    """Explain the last decision with a choice; None if the agent made no such decision.

    Of decisions that chose the same as the one before, the first of the last row is explained.
    """
    own = decisions_of(life, action.kind)
    if own.empty:
        return None
    choice = own["choice"].astype(str)
    named = own[choice == action.what] if action.what else own[choice != "none"]
    if named.empty:
        return None
    changed = named[((choice != choice.shift()) & (choice != ""))[named.index]]
    row = (named if changed.empty else changed).iloc[[-1]]
    text, ids = describe_decision(run, life, row.iloc[0])
    later = own[own["time"] > row["time"].iloc[0]]
    changed = later[later["choice"] != row["choice"].iloc[0]] if row["choice"].iloc[0] else later
    if len(changed):
        text += f" On {date(changed.iloc[0]['time'])} I changed it to {_answer(changed.iloc[0])}."
    spoken = [say_decision(run, life, row.iloc[0]), _speak_of(life, ids)]
    return RecordAnswer(join_sentences(spoken), ids, row, text)


def _speak_of(life: Life, ids: Sequence[int]) -> str:
    """Quote the first of the memories that a decision was based on, "" if there is none."""
    texts = [str(life.memories.loc[number, "text"]) for number in ids[:1]]
    return voice_of(life).say("remembered", quote=say_memory(texts[0])) if texts else ""


def decisions_of(life: Life, kind: str) -> pd.DataFrame:
    """Return the decisions of a kind; without rows if there are none."""
    decisions = life.decisions
    return decisions if decisions.empty else decisions[decisions["kind"].astype(str) == kind]


def describe_decision(run: Run, life: Life, row: pd.Series) -> tuple[str, tuple[int, ...]]:
    """Describe a decision with its reason, memories, companions and draw; return quoted ids."""
    parts = [f"On {date(row['time'])} I decided on {words(row['kind'])}: {_answer(row)}."]
    reason = str(row["reason"])
    parts += [f"The recorded reason: {reason.rstrip('.')}."] if reason else []
    # Memories whose topic the reason names come first.
    named = set(re.findall(r"\w+", reason.casefold()))
    topics = life.memories["topic"].astype(str).to_dict() if "topic" in life.memories else {}
    ids = sorted(row["rests_on"], key=lambda number: topics.get(number, "") not in named)
    quotes, quoted = quote_memories(life, ids, lead="I remembered")
    parts += [quotes] if quotes else []
    if len(row["together"]):
        others = [_companion(run, int(companion), row) for companion in row["together"]]
        parts.append(f"I decided together with {join_names(others)}.")
    if pd.notna(row["threshold"]):
        parts.append(f"The choice changes at {row['threshold']:.3g}.")
    if pd.notna(row["probability"]):
        side = "below" if row["draw"] < row["probability"] else "not below"
        chance, draw = percent(row["probability"]), f"{row['draw']:.3g}"
        parts.append(f"The probability was {chance}; the draw was {draw}, {side} it.")
    return " ".join(parts), quoted


def _answer(row: pd.Series) -> str:
    return words(row["choice"]) or f"{float(row['value']):.3g}"


def _companion(run: Run, agent: int, row: pd.Series) -> str:
    """Return the name of an agent that decided with another, and its rating."""
    theirs = decisions_of(run.life(agent), str(row["kind"]))
    same = theirs[theirs["time"] == row["time"]] if len(theirs) else theirs
    rating = f" ({same['value'].iloc[0]:.1f})" if len(same) else ""
    return f"{run.name_of(agent)}{rating}"


def explain_leaving(run: Run, life: Life, what: str) -> RecordAnswer | None:
    """Explain the last decision to leave, or the decision to stay when it came closest to leaving.

    `what` is "leave" or "stay". If the agent did not do what the question assumes, the answer says
    so and explains what it did; if an adult of its household decided, that one is explained. None
    if no decision with a draw was recorded.
    """
    decider = _decider(run, life)
    if decider is None:
        return None
    own = _drawn(decider)
    left = own[own["draw"] < own["probability"]]
    # Below their threshold, people never leave, whatever their readiness.
    closest = own.sort_values(["probability", "value"], kind="stable").iloc[[-1]]
    rows = left.iloc[[-1]] if len(left) else closest
    leaving = _Leaving(decider, own, rows.iloc[0], what, has_left=len(left) > 0)
    details, ids = _describe_leaving(run, life, leaving)
    spoken = _speak_of_leaving(run, life, leaving, ids)
    if decider.agent != life.agent:
        return RecordAnswer(spoken, (), life.decisions.iloc[:0], details)
    return RecordAnswer(spoken, ids, rows, details)


@dataclass(frozen=True, eq=False)
class _Leaving:
    """The decision to leave home or to stay that an answer explains."""

    decider: Life  # the agent, or the adult of its household that decided
    own: pd.DataFrame  # all decisions of the decider that were made by a draw
    row: pd.Series  # the decision
    what: str  # what the question assumes: "leave" or "stay"
    has_left: bool


def _speak_of_leaving(run: Run, life: Life, leaving: _Leaving, ids: Sequence[int]) -> str:
    """Say whether, when and why the agent left, in at most three sentences."""
    row, has_left = leaving.row, leaving.has_left
    is_self = leaving.decider.agent == life.agent
    voice = PERSON if is_self else voice_of_other(leaving.decider)
    joint = "because" if has_left else "when"
    because, when = say_because(str(row["reason"]), voice, joint=joint), say_time(run, row["time"])
    others = [run.name_of(int(other)) for other in row["together"]]
    if not is_self:
        fields, name = {"name": leaving.decider.name}, "other_left" if has_left else "other_stayed"
    elif has_left:
        company = phrase("company", names=say_names(others)) if others else ""
        fields, name = {"company": company}, "left"
    else:
        closest = phrase("closest", when=when) if row["value"] else ""
        fields, name = {"closest": closest}, "stayed"
    return join_sentences(
        [
            "" if has_left != (leaving.what == STAY) else phrase(f"not_{leaving.what}"),
            phrase(name, when=when, because=because, **fields),
            _speak_of(life, ids) if is_self else "",
        ]
    )


def _describe_leaving(run: Run, life: Life, leaving: _Leaving) -> tuple[str, tuple[int, ...]]:
    """Describe the decision as recorded, with its rating, probability and draw."""
    row, decider, what = leaving.row, leaving.decider, leaving.what
    parts = [] if leaving.has_left != (what == STAY) else [f"I did not {what}."]
    if decider.agent != life.agent:
        parts.append(f"{decider.name}, with whom I live, decided, and gives this account:")
    if leaving.has_left:
        parts.append(f"I decided to leave on {date(row['time'])}.")
    else:
        count = len(leaving.own)
        times = "the one time" if count == 1 else f"each of the {count} times"
        parts.append(f"I decided to stay {times} that I considered leaving.")
        parts += [f"I came closest to leaving on {date(row['time'])}."] if row["value"] else []
    parts.append(f"I rated my readiness to leave {row['value']:.1f} of 10.")
    text, ids = describe_decision(run, decider, row)
    parts.append(text.partition(". ")[2])
    parts += [describe_status(run, decider, _FOLLOWED)] if leaving.has_left else []
    return " ".join(parts), ids


def _drawn(life: Life) -> pd.DataFrame:
    """Return the decisions to stay or go of an agent that were made by a draw."""
    own = decisions_of(life, LEAVING)
    return own if own.empty else own[own["probability"].notna()]


def _decider(run: Run, life: Life) -> Life | None:
    """Return the agent, or the first of its household if it did not decide itself."""
    if len(_drawn(life)) or "household" not in life.profile:
        return life if len(_drawn(life)) else None
    lives = (run.life(agent) for agent in household_of(run, life))
    return next((life_table for life_table in lives if len(_drawn(life_table))), None)
