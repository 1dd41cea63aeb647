"""Answer questions from the tables of a run: reasons, people, opinions, status."""

from dataclasses import replace

import numpy as np
import pandas as pd

from memopolis.analysis.interview.departures import explain_leaving
from memopolis.analysis.interview.questions import (
    Action,
    asked_actions,
    asks_about_people,
    asks_why,
    opinion_subject,
    read_attitude_words,
)
from memopolis.analysis.interview.status_answers import (
    answer_from_status,
    find_subject,
    list_questions,
)
from memopolis.analysis.interview.wording import (
    STEM,
    RecordAnswer,
    date,
    join_names,
    quote_memories,
    quote_reason,
    quoted_ids,
    short_number,
    stems,
    words,
)
from memopolis.analysis.labels import plural
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run

CHANGES = 3  # maximum number of changes of an attitude in an answer
LEAST_CHANGE = 0.005  # smallest change of an attitude, in points, that is reported
_MOST_NAMES = 5
_PLURALS = {"household": "members of my household"}


def answer_from_record(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Answer a question from decisions, ties, attitudes, status or memories of its subject.

    None if the question asks for something else, or no answer to it was recorded.
    """
    answer = None
    if asks_why(question):
        accounts = (_explain(run, life, action) for action in asked_actions(question))
        answer = next((one for one in accounts if one is not None), None)
    elif asks_about_people(question):
        answer = describe_contacts(run, life, question)
    if answer is None and (subject := opinion_subject(question)):
        answer = describe_attitude(run, life, subject)
    answer = answer or answer_from_status(run, life, question)
    if answer is None and (about := find_subject(life, question)):
        text = f"Nothing was recorded of me on {about}. {describe_possible_questions(run, life)}"
        return RecordAnswer(text, (), life.decisions.iloc[:0])
    return answer


def describe_possible_questions(run: Run, life: Life) -> str:
    """Return one line on what an agent can be asked."""
    attitudes = [words(name) for name in _attitudes(run, life)]
    kinds = sorted({words(one) for one in life.decisions.get("kind", ()) if one != "attitude"})
    subjects = [
        *list_questions(run, life),
        *([f"what I think of {join_names(attitudes)}"] if attitudes else []),
        *([f"why I decided as I did on {join_names(kinds)}"] if kinds else []),
        "anything that I remember",
    ]
    return f"You can ask about {join_names(subjects)}."


def _explain(run: Run, life: Life, action: Action) -> RecordAnswer | None:
    if action.kind == "stay_or_go":
        account = explain_leaving(run, life, action.what)
        return None if account is None else RecordAnswer(*account)
    decisions = life.decisions
    if decisions.empty:
        return None
    own = decisions[decisions["kind"].astype(str) == action.kind]
    if action.kind == "attitude":
        attitude = describe_attitude(run, life, action.what)
        return None if attitude is None else replace(attitude, text=_prepared(life) + attitude.text)
    choice = own["choice"].astype(str)
    named = own[choice == action.what] if action.what else own[choice != "none"]
    if named.empty:
        return None
    # The last rating, or the last time that the choice changed to this one.
    changed = named[((choice != choice.shift()) & (choice != ""))[named.index]]
    row = (named if changed.empty else changed).iloc[[-1]]
    return RecordAnswer(
        _describe(life, row.iloc[0], own), tuple(map(int, row["rests_on"].iloc[0])), row
    )


def _prepared(life: Life) -> str:
    """Report since when an agent is prepared, "" if it is not recorded."""
    if "prepared" not in life.status:
        return "I have not prepared. " if life.profile.get("prepared") is False else ""
    done = life.status.index[life.status["prepared"].astype(bool)]
    return f"I had prepared by {date(done[0])}. " if len(done) else "I have not prepared. "


def _describe(life: Life, row: pd.Series, own: pd.DataFrame) -> str:
    answer = words(row["choice"]) or short_number(row["value"])
    parts = [f"On {date(row['time'])} I decided on {words(row['kind'])}: {answer}."]
    parts.append(quote_reason(life, row))
    if pd.notna(row["threshold"]):
        parts.append(f"The choice changes at {short_number(row['threshold'])}.")
    later = own[own["time"] > row["time"]]
    changed = later[later["choice"].astype(str) != str(row["choice"])] if row["choice"] else later
    if len(changed):
        new = changed.iloc[0]
        after = words(new["choice"]) or short_number(new["value"])
        parts.append(f"On {date(new['time'])} I changed it to {after}.")
    return " ".join(filter(None, parts))


def describe_contacts(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Describe the ties of an agent, and what it remembers of the closest contact.

    Among ties of the kind that the question names, friends by default, the closest contact is the
    one of whom the agent remembers most. If no ties of the agent were recorded, all people whom
    it remembers are compared.
    """
    memories = life.memories
    events = memories[(memories["actor"] >= 0) & (memories["kind"].astype(str) == "event")]
    counts = events["actor"].value_counts()
    contacts = _ties(run, life) or {"acquaintance": [int(one) for one in counts.index]}
    named = [kind for kind in contacts if kind[:STEM] in question.lower()]
    kind = next(iter(named), "friend" if "friend" in contacts else next(iter(contacts)))
    ranked = {
        name: sorted(ids, key=lambda one: (-int(counts.get(one, 0)), one))
        for name, ids in contacts.items()
    }
    if not ranked[kind]:
        return None
    best = ranked[kind][0]
    name = run.name_of(best)
    text = [f"The {words(kind)} closest to me is {name}."]
    about = events[events["actor"] == best].sort_values("importance", kind="stable")
    if len(about):
        times = "once" if len(about) == 1 else f"{len(about)} times"
        text.append(f"I remember something with or about {name} {times}.")
    ids = quoted_ids(life, about.index[::-1])
    text.append(quote_memories(life, ids, lead="I remember"))
    for other, people in ranked.items():
        rest = [run.name_of(one) for one in people if one != best]
        more = [f"{len(rest) - _MOST_NAMES} more"] if len(rest) > _MOST_NAMES else []
        if rest:
            plurals = _PLURALS.get(other) or plural(words(other))
            title = f"{'other ' if other == kind else ''}{plurals}".capitalize()
            text.append(f"{title}: {join_names([*rest[:_MOST_NAMES], *more])}.")
    return RecordAnswer(" ".join(filter(None, text)), ids, life.decisions.iloc[:0])


def _ties(run: Run, life: Life) -> dict[str, list[int]]:
    """Return the contacts of an agent by kind of tie, as far as ties were recorded."""
    if "ties" not in run.tables:
        return {}
    ties = run.table("ties")
    mine = ties[(ties["source"] == life.agent) | (ties["target"] == life.agent)]
    other = mine["source"].where(mine["source"] != life.agent, mine["target"])
    kinds = mine["kind"].astype(str)
    return {kind: sorted(set(other[kinds == kind].tolist())) for kind in sorted(set(kinds))}


def describe_attitude(run: Run, life: Life, subject: str) -> RecordAnswer | None:
    """Describe the attitude to a subject, and its last changes with their evidence."""
    name = matching_attitude(run, life, subject)
    if not name:
        return None
    column = f"attitude.{name}"
    if column in life.status:
        recorded = life.status[column].dropna()
        now, first = float(recorded.iloc[-1]), float(recorded.iloc[0])
    else:
        now = first = float(life.profile[column])
    _, _, scale = str(run.attributes(life.population)[column]["description"]).partition(", from ")
    between = f", on a scale from {scale}" if scale else ""
    text = [f"My attitude to {words(name)} is {now:.1f} of 10{between}."]
    moved = "It was the same" if abs(now - first) < LEAST_CHANGE else f"It was {first:.1f}"
    text.append(f"{moved} when it was first recorded.")
    changes = _changes(life, name, first)
    quoted: list[int] = []
    for change in changes.to_dict("records"):
        step = f"{change['change']:+.2f} to {change['value']:.2f}"
        text.append(f"It changed on {date(change['time'])} by {step}: {change['reason']}.")
        # Only the first memory is certain to speak for the change.
        first_of = [one for one in change["rests_on"][:1] if one not in quoted]
        text.append(quote_memories(life, first_of, most=1))
        quoted += quoted_ids(life, first_of, most=1)
    rows = life.decisions.loc[changes.index[:1]]
    return RecordAnswer(" ".join(filter(None, text)), tuple(quoted), rows)


def _changes(life: Life, name: str, first: float) -> pd.DataFrame:
    """Return the last decisions that changed an attitude, newest first, with their changes."""
    decisions = life.decisions
    if decisions.empty:
        return pd.DataFrame(columns=["time", "value", "change", "reason", "rests_on"])
    own = decisions[(decisions["kind"].astype(str) == "attitude") & (decisions["item"] == name)]
    changes = own.assign(change=own["value"].diff().fillna(own["value"] - first))
    return changes[changes["change"].abs() >= LEAST_CHANGE].iloc[::-1].head(CHANGES)


def matching_attitude(run: Run, life: Life, subject: str) -> str:
    """Return the attitude whose name shares most words with a subject, "" for none."""
    asked, more = stems(subject), read_attitude_words()
    shared = {
        name: len(asked & stems(name)) + 0.5 * len(asked & stems(more.get(name, "")))
        for name in _attitudes(run, life)
    }
    best = max(shared, key=lambda name: shared[name], default="")
    return best if shared.get(best) else ""


def _attitudes(run: Run, life: Life) -> list[str]:
    """List the recorded attitudes of an agent; small children have none."""
    return [
        name.removeprefix("attitude.")
        for name in run.attributes(life.population)
        if name.startswith("attitude.")
        and (
            (name in life.status and life.status[name].notna().any())
            or pd.notna(life.profile.get(name, np.nan))
        )
    ]
