"""Answer questions from the tables of a run: reasons, people, opinions, status."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from memopolis.analysis.interview.decision_answers import (
    LEAVING,
    explain_decision,
    explain_leaving,
)
from memopolis.analysis.interview.questions import (
    RELEVANT,
    Action,
    Kind,
    asked_actions,
    asks_opinion,
    asks_why,
    compute_relevance,
    find_kinds,
    read_attitude_words,
    read_kinds,
    read_suggestions,
)
from memopolis.analysis.interview.speech import (
    say_attitude,
    say_intention,
    say_memory,
    say_role,
    voice_of,
)
from memopolis.analysis.interview.status_answers import (
    describe_status,
    household_of,
    named_attributes,
    speak_status,
)
from memopolis.analysis.interview.wording import (
    RecordAnswer,
    date,
    join_names,
    quote_memories,
    words,
)
from memopolis.analysis.labels import plural
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run
from memopolis.sim.memory.retrieval.recollection import quote_speech

CHANGES = 3  # maximum number of changes of an attitude in an answer
LEAST_CHANGE = 0.005  # smallest change of an attitude, in points, that is reported
EVENTS = 3  # maximum number of events of one day in an answer
WEEK = 7  # days of a week
SUGGESTED = 3  # number of questions that an agent suggests if it has no answer
_DAY = 24.0  # hours
_DEED = re.compile(r"(?:I|We) (?!told|answered)")  # begins a memory of what an agent did itself
_LEAST_SHARED = 0.08  # least share of a subject in the words of an attitude (illustrative)
_MOST_NAMES = 5
_LABELS = {"household": ("member of my household", "members of my household")}
_FAMILY = "household live alone family wife husband married children kids parents 住 孩子"


def answer_from_record(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Answer a question from decisions, ties, attitudes, status or memories of its subject.

    None if the question asks for something else, or no answer to it was recorded.
    """
    if asks_why(question) and (reason := _answer_why(run, life, question)):
        return reason
    if asks_opinion(question) and (opinion := describe_attitude(run, life, question)):
        return opinion
    if named := named_attributes(run, life, question):
        return _say(run, life, named)
    kinds = find_kinds(question)
    answers = (_answer(run, life, kind, question) for kind, _ in kinds)
    answer = next((answer for answer in answers if answer is not None), None)
    about = next((kind.about for kind, _ in kinds if kind.attributes), "")
    if answer is None and about:
        return _decline(run, life, _nothing_recorded(life, about))
    return answer


def _answer_why(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Explain the decision that a question names; None if it names none."""
    actions = asked_actions(question)
    if actions and actions[0].kind == LEAVING and life.population != "citizen":
        return _decline(run, life, "We stay where we are and do not leave a home")
    answers = (_explain_best(run, life, action, actions) for action in actions)
    answer = next((answer for answer in answers if answer is not None), None)
    decided = set(life.decisions["kind"].astype(str)) if len(life.decisions) else set()
    if answer is None and actions and not decided & {action.kind for action in actions}:
        return _decline(run, life, _nothing_decided(life))
    return answer


def _explain_best(
    run: Run, life: Life, action: Action, actions: Sequence[Action]
) -> RecordAnswer | None:
    """Explain an action; of a kind that others name with a choice, that choice if it was made.

    An answer about another choice than the one that the question names says so.
    """
    named = [other for other in actions if other.kind == action.kind and other.what]
    if action.what or not named:
        return _explain(run, life, action)
    for other in named:
        if answer := _explain(run, life, other):
            return answer
    answer = _explain(run, life, action)
    text = f"{voice_of(life).i.capitalize()} did not do that. " if answer else ""
    return answer and replace(answer, text=text + answer.text)


def _nothing_decided(life: Life) -> str:
    return f"{voice_of(life).i.capitalize()} made no such decision"


def _nothing_recorded(life: Life, about: str) -> str:
    """Say that nothing is recorded on a kind of question, as a person would say it."""
    voice = voice_of(life)
    subject = re.sub(r"\b(my|our)\b", voice.my, about)
    return f"{voice.i.capitalize()} cannot say anything about {re.sub(r'\bI\b', voice.i, subject)}"


def _decline(run: Run, life: Life, reason: str) -> RecordAnswer:
    """Say in one sentence why a question has no answer, and ask for others that have one."""
    return _plain(
        life, f"{reason}; {suggest_questions(run, life)}", describe_possible_questions(run, life)
    )


def suggest_questions(run: Run, life: Life, most: int = SUGGESTED) -> str:
    """Return a clause with questions that the agent can answer."""
    able = [
        question
        for question in read_suggestions(life.population)
        if any(_answer(run, life, kind, question) for kind, _ in find_kinds(question))
    ]
    quoted = [f'"{question}"' for question in able[:most]]
    listed = " or ".join(filter(None, (", ".join(quoted[:-1]), *quoted[-1:])))
    return f"ask me, for example, {listed}" if quoted else "ask me what I remember"


def _plain(
    life: Life, text: str, details: str = "", memories: tuple[int, ...] = ()
) -> RecordAnswer:
    """Return an answer that explains no decision."""
    return RecordAnswer(text, memories, life.decisions.iloc[:0], details)


def _say(
    run: Run, life: Life, attributes: Sequence[str], question: str = ""
) -> RecordAnswer | None:
    """Say what some attributes mean; None if the agent has none of them."""
    details = describe_status(run, life, attributes, question)
    return (
        _plain(life, speak_status(run, life, attributes, question) or details, details)
        if details
        else None
    )


def _answer(run: Run, life: Life, kind: Kind, question: str) -> RecordAnswer | None:
    """Answer a question of a kind; None if nothing was recorded."""
    if kind.answer == "memories":
        return None
    describe = _DESCRIBE.get(kind.answer)
    if describe is not None:
        return describe(run, life, question)
    status = _say(run, life, kind.attributes, question)
    if kind.answer == "self" and life.population != "citizen":
        return _plain(life, say_role(life), status.details if status else "")
    if kind.answer != "thought":
        return status
    quotes, ids = _last_thought(run, life)
    thoughts = [str(life.memories.loc[number, "text"]) for number in ids]
    intends = "intention" in kind.attributes
    if intends and status:
        spoken = [say_intention(_last_intention(life), life)]
    else:
        spoken = [status.text] if status else []
    lead = "My last thought was" if voice_of(life).i == "I" else "Our last note was"
    spoken += [f"{lead}: {say_memory(text)}" for text in thoughts]
    details = f"{status.details if status else ''} {quotes}".strip()
    return _plain(life, " ".join(spoken), details, ids) if spoken else None


def _last_intention(life: Life) -> str:
    column = "intention"
    recorded = [*life.status[column].dropna()] if column in life.status else []
    return str(recorded[-1] if recorded else life.profile.get(column, ""))


def _last_thought(_: Run, life: Life) -> tuple[str, tuple[int, ...]]:
    thoughts = _memories(life, "thought").tail(1)
    return quote_memories(life, thoughts.index, lead="My latest thought:")


def describe_events(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Report what an agent did on the last day, on the day before, or on each of the last seven.

    With steps longer than a day, it is the last step. None if nothing happened to the agent.
    """
    own = _memories(life, "event")
    if own.empty:
        return None
    asked, days = question.casefold(), own["time"].dt.normalize()
    last = days.max()
    if run.hours > _DAY:
        chosen = own[own["time"] == own["time"].max()]
    elif any(word in asked for word in ("week", "days", "周", "星期")):
        chosen = own[days > last - pd.Timedelta(days=WEEK)]
    elif any(word in asked for word in ("yesterday", "昨天")):
        chosen = own[days == last - pd.Timedelta(days=1)]
    else:
        chosen = own[days == last]
    if chosen.empty:
        return _plain(life, "I remember nothing of that day.")
    is_deed = chosen["text"].astype(str).str.match(_DEED)
    chosen = chosen.assign(weight=chosen["importance"] + is_deed)  # deeds before news
    best = chosen.sort_values("weight", ascending=False, kind="stable").drop_duplicates("text")
    day = best["time"].dt.normalize()
    is_week = len(day.unique()) > 1
    best = best.groupby(day).head(1) if is_week else best.head(EVENTS)
    best = best.sort_values("time", kind="stable")
    lines = [
        (f"{row['time']:%A}: " if is_week else "") + quote_speech(str(row["text"])).rstrip(".")
        for row in best.to_dict("records")
    ]
    details, ids = quote_memories(life, best.index, most=WEEK)
    joined = "; ".join(lines) if is_week else ". ".join(lines)
    return _plain(life, f"{joined}.", details, ids)


def _memories(life: Life, kind: str) -> pd.DataFrame:
    memories = life.memories
    return memories if memories.empty else memories[memories["kind"].astype(str) == kind]


def list_questions(run: Run, life: Life) -> list[str]:
    """List the kinds of question that an agent can answer."""
    kinds = [kind for kind in read_kinds() if kind.attributes]
    return [kind.about for kind in kinds if _answer(run, life, kind, "") is not None]


def describe_possible_questions(run: Run, life: Life) -> str:
    """Return one line on what an agent can be asked."""
    attitudes = [words(name) for name in _attitudes(run, life)]
    kinds = sorted({words(kind) for kind in life.decisions.get("kind", ()) if kind != "attitude"})
    subjects = [
        *list_questions(run, life),
        *([f"what I think of {join_names(attitudes)}"] if attitudes else []),
        *([f"why I decided as I did on {join_names(kinds)}"] if kinds else []),
        "anything that I remember",
    ]
    return f"You can ask about {join_names(subjects)}."


def _explain(run: Run, life: Life, action: Action) -> RecordAnswer | None:
    if action.kind == LEAVING:
        return explain_leaving(run, life, action.what)
    if action.kind == "attitude":
        attitude = describe_attitude(run, life, words(action.what))
        spoken, status = (own(run, life, ["prepared"]) for own in (speak_status, describe_status))
        return attitude and replace(
            attitude,
            text=f"{spoken} {attitude.text}".strip(),
            details=f"{status} {attitude.details}".strip(),
        )
    return explain_decision(run, life, action)


def describe_contacts(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Describe the ties of an agent, and what it remembers of the closest contact.

    Among ties of the kind that the question names, friends by default, the closest contact is the
    one of whom the agent remembers most. If no ties of the agent were recorded, all people whom
    it remembers are compared.
    """
    events = _memories(life, "event")
    events = events[events["actor"] >= 0] if len(events) else life.memories
    counts = events["actor"].value_counts().to_dict() if len(events) else {}
    ties = run.ties()
    mine = ties[(ties["source"] == life.agent) | (ties["target"] == life.agent)]
    mine = mine.assign(other=mine["source"].where(mine["source"] != life.agent, mine["target"]))
    contacts = {str(kind): own["other"].unique().tolist() for kind, own in mine.groupby("kind")}
    contacts = contacts or {"acquaintance": [*counts]}
    if "household" in life.profile:
        contacts["household"] = household_of(run, life)
    texts = [_FAMILY if kind == "household" else words(kind) for kind in contacts]
    shares = dict(zip(contacts, compute_relevance(question, texts), strict=True))
    kind = max(
        contacts,
        key=lambda contact: (shares[contact] * (shares[contact] >= RELEVANT), contact == "friend"),
    )
    if kind == "household" and not contacts[kind]:
        return _plain(life, "I live alone.")
    ranked = {
        kind: sorted(ids, key=lambda agent: (-int(counts.get(agent, 0)), agent))
        for kind, ids in contacts.items()
    }
    if not ranked[kind]:
        return None
    best, name = ranked[kind][0], run.name_of(ranked[kind][0])
    about = events[events["actor"] == best].sort_values("importance", kind="stable")
    times = "once" if len(about) == 1 else f"{len(about)} times"
    quotes, ids = quote_memories(life, about.index[::-1])
    text = [
        f"The {_LABELS.get(kind, [words(kind)])[0]} closest to me is {name}.",
        f"I remember something with or about {name} {times}." if len(about) else "",
        quotes,
    ]
    for group, members in ranked.items():
        rest = [run.name_of(member) for member in members if member != best]
        more = [f"{len(rest) - _MOST_NAMES} more"] if len(rest) > _MOST_NAMES else []
        if rest:
            title = _LABELS.get(group, ["", plural(words(group))])[1]
            title = f"{'other ' if group == kind else ''}{title}".capitalize()
            text.append(f"{title}: {join_names([*rest[:_MOST_NAMES], *more])}.")
    names = [name, *(run.name_of(other) for other in ranked[kind] if other != best)]
    spoken = _speak_of_contacts(life, kind, names, ids)
    return _plain(life, spoken, " ".join(filter(None, text)), ids)


def _speak_of_contacts(life: Life, kind: str, names: Sequence[str], ids: Sequence[int]) -> str:
    """Name the contacts of a kind, the closest first, and quote a memory of that one."""
    if kind == "household":
        return f"I live with {join_names(names)}."
    label = words(kind)
    parts = [f"My closest {label} is {names[0]}."]
    quotes = [str(life.memories.loc[number, "text"]) for number in ids[:1]]
    parts += [f"I remember: {say_memory(quote)}" for quote in quotes]
    parts += [f"My other {plural(label)} are {_shorten(names[1:])}."] if len(names) > 2 else []
    return " ".join(parts)


def _shorten(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMES
    return join_names([*names[:_MOST_NAMES], *([f"{rest} more"] if rest > 0 else [])])


def describe_attitude(run: Run, life: Life, subject: str) -> RecordAnswer | None:
    """Describe the attitude to a subject, and its last changes with their evidence."""
    name = matching_attitude(run, life, subject)
    if not name:
        return None
    column = f"attitude.{name}"
    levels = life.status[column].dropna() if column in life.status else [life.profile[column]]
    now, first = (float([*levels][at]) for at in (-1, 0))
    _, _, scale = str(run.attributes(life.population)[column]["description"]).partition(", from ")
    between = f", on a scale from {scale}" if scale else ""
    moved = "It was the same" if abs(now - first) < LEAST_CHANGE else f"It was {first:.1f}"
    text = [f"My attitude to {words(name)} is {now:.1f} of 10{between}."]
    text.append(f"{moved} when it was first recorded.")
    changes = _changes(life, name, first)
    quoted: list[int] = []
    for change in changes.to_dict("records"):
        step = f"{change['change']:+.2f} to {change['value']:.2f}"
        text.append(f"It changed on {date(change['time'])} by {step}: {change['reason']}.")
        # Only the first memory is certain to speak for the change.
        ids = [number for number in change["rests_on"][:1] if number not in quoted]
        quotes, own = quote_memories(life, ids, lead="I remembered")
        text.append(quotes)
        quoted += own
    rows = life.decisions.loc[changes.index[:1]]
    spoken = [say_attitude(name, now, life)]
    for number in quoted[:1]:
        quote = say_memory(str(life.memories.loc[number, "text"]))
        spoken.append(
            f"What moved {'me' if voice_of(life).i == 'I' else 'us'} last was this: {quote}"
        )
    return RecordAnswer(" ".join(spoken), tuple(quoted), rows, " ".join(filter(None, text)))


def _changes(life: Life, name: str, first: float) -> pd.DataFrame:
    """Return the last decisions that changed an attitude, newest first, with their changes."""
    decisions = life.decisions
    if decisions.empty:
        return pd.DataFrame(columns=["time", "value", "change", "reason", "rests_on"])
    own = decisions[(decisions["kind"].astype(str) == "attitude") & (decisions["item"] == name)]
    changes = own.assign(change=own["value"].diff().fillna(own["value"] - first))
    return changes[changes["change"].abs() >= LEAST_CHANGE].iloc[::-1].head(CHANGES)


def matching_attitude(run: Run, life: Life, subject: str) -> str:
    """Return the attitude that shares most words with a subject, "" for none."""
    names, more = _attitudes(run, life), read_attitude_words()
    if not names:
        return ""
    own, others = (
        compute_relevance(subject, [text(name) for name in names])
        for text in (words, lambda name: more.get(name, "-"))
    )
    shared = {name: a + b / 2 for name, a, b in zip(names, own, others, strict=True)}
    best = max(shared, key=lambda name: shared[name])
    return best if shared[best] >= _LEAST_SHARED else ""


def _attitudes(run: Run, life: Life) -> list[str]:
    """List the recorded attitudes of an agent; small children have none."""
    known = {name for name, value in life.profile.items() if pd.notna(value)}
    known |= {str(name) for name in life.status if life.status[name].notna().any()}
    names = [
        attribute
        for attribute in run.attributes(life.population)
        if attribute.startswith("attitude.")
    ]
    return [name.removeprefix("attitude.") for name in names if name in known]


_DESCRIBE: Mapping[str, Callable[[Run, Life, str], RecordAnswer | None]] = {
    "contacts": describe_contacts,
    "attitude": describe_attitude,
    "last": describe_events,
}
"""Descriptions of what is not an attribute, by the answer of a kind of question."""
