"""Answer questions from the tables of a run: reasons, people, opinions, status."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from memopolis.analysis.interview.attitude_answers import (
    describe_attitude,
    describe_change_of_mind,
    describe_conviction,
    list_attitudes,
)
from memopolis.analysis.interview.course_answers import (
    describe_course,
    describe_order,
    describe_place_then,
)
from memopolis.analysis.interview.decision_answers import (
    LEAVING,
    explain_decision,
    explain_leaving,
)
from memopolis.analysis.interview.memory_answers import (
    MOST_NAMES,
    describe_deeds,
    describe_events,
    describe_first_news,
    describe_friends_views,
    describe_posts,
    describe_sources,
    describe_stay,
    describe_strongest,
    describe_talks,
    list_memories,
    plain_answer,
    say_about,
    shorten,
)
from memopolis.analysis.interview.questions import (
    RELEVANT,
    SAME,
    Action,
    Kind,
    asked_actions,
    asks_opinion,
    asks_what_if,
    asks_why,
    compute_relevance,
    find_kinds,
    read_kinds,
    read_suggestions,
    split_question,
)
from memopolis.analysis.interview.speech import (
    say_intention,
    say_memory,
    say_role,
    voice_of,
)
from memopolis.analysis.interview.status_answers import (
    describe_status,
    household_of,
    named_attributes,
    read_household,
    speak_status,
)
from memopolis.analysis.interview.wording import (
    RecordAnswer,
    join_names,
    quote_memories,
    words,
)
from memopolis.analysis.labels import plural
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run

SUGGESTED = 3  # number of questions that an agent suggests if it has no answer
SENTENCES = 3  # maximum number of sentences of an answer
_SENTENCE_END = re.compile(r'(?<=[.!?])\s+(?=(?:[^"]*"[^"]*")*[^"]*$)')  # outside of quotes
_LABELS = {"household": ("member of my household", "members of my household")}
_FAMILY = (
    "household live alone family wife husband married children kids parents depends looks after "
    "care 住 孩子"
)


def answer_from_record(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Answer a question from decisions, ties, attitudes, status or memories of its subject.

    A question of several parts gets the answers to each. None if the question asks for something
    else, or no answer to it was recorded.
    """
    if asks_what_if(question):
        return _decline(run, life, _UNKNOWN.replace("I", voice_of(life).i.capitalize(), 1))
    parts = split_question(question)
    if len(parts) > 1:
        answers = [_answer_part(run, life, part) for part in parts]
        if None in answers and asks_why(question) and (reason := _answer_why(run, life, question)):
            return reason
        if (joined := _join_answers(answers)) is not None:
            return joined
    return _answer_part(run, life, question)


def _join_answers(answers: Sequence[RecordAnswer | None]) -> RecordAnswer | None:
    """Join answers to the parts of a question in at most `SENTENCES`; None if there are none."""
    some = [answer for answer in answers if answer is not None and "; ask me" not in answer.text]
    if not some:
        return None
    each = [_SENTENCE_END.split(answer.text) for answer in some]
    first = [sentences[0] for sentences in each]
    more = [sentence for sentences in each for sentence in sentences[1:]]
    text = " ".join([*dict.fromkeys(first + more)][:SENTENCES])
    return RecordAnswer(
        text,
        tuple(dict.fromkeys(number for answer in some for number in answer.memories)),
        pd.concat([answer.decisions for answer in some], ignore_index=True),
        " ".join(answer.details for answer in some).strip(),
    )


def _answer_part(run: Run, life: Life, question: str) -> RecordAnswer | None:
    if asks_why(question) and (reason := _answer_why(run, life, question)):
        return reason
    kinds = find_kinds(question)
    is_sure = bool(kinds) and kinds[0][1] >= SAME and kinds[0][0].answer != "attitude"
    if is_sure and not kinds[0][0].attributes:
        answer = _answer(run, life, kinds[0][0], question)
        if answer is not None:
            return answer
    if asks_opinion(question) and not is_sure:
        opinion = describe_attitude(run, life, question)
        if opinion is not None:
            return opinion
        kinds = [pair for pair in kinds if pair[0].answer != "self"]
    named = named_attributes(run, life, question)
    if named and not (is_sure and set(named).isdisjoint(kinds[0][0].attributes)):
        return _say(run, life, named)
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
    return plain_answer(
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


def _say(
    run: Run, life: Life, attributes: Sequence[str], question: str = ""
) -> RecordAnswer | None:
    """Say what some attributes mean; None if the agent has none of them."""
    details = describe_status(run, life, attributes, question)
    return (
        plain_answer(life, speak_status(run, life, attributes, question) or details, details)
        if details
        else None
    )


def _answer(run: Run, life: Life, kind: Kind, question: str) -> RecordAnswer | None:
    """Answer a question of a kind; None if nothing was recorded."""
    describe = _DESCRIBE.get(kind.answer)
    if describe is not None:
        return describe(run, life, question)
    if kind.answer == "unrecorded":
        return _decline(run, life, _nothing_recorded(life, kind.about))
    status = _say(run, life, kind.attributes, question)
    if status and any(name.startswith("emotion.") for name in kind.attributes):
        about, ids = say_about(life, question)
        status = replace(status, text=f"{status.text} {about}".strip(), memories=ids)
    if kind.answer == "self" and life.population != "citizen":
        return plain_answer(life, say_role(life), status.details if status else "")
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
    return plain_answer(life, " ".join(spoken), details, ids) if spoken else None


def _last_intention(life: Life) -> str:
    column = "intention"
    recorded = [*life.status[column].dropna()] if column in life.status else []
    return str(recorded[-1] if recorded else life.profile.get(column, ""))


def _last_thought(_: Run, life: Life) -> tuple[str, tuple[int, ...]]:
    thoughts = list_memories(life, "thought").tail(1)
    return quote_memories(life, thoughts.index, lead="My latest thought:")


def list_questions(run: Run, life: Life) -> list[str]:
    """List the kinds of question that an agent can answer."""
    kinds = [kind for kind in read_kinds() if kind.attributes]
    return [kind.about for kind in kinds if _answer(run, life, kind, "") is not None]


def describe_possible_questions(run: Run, life: Life) -> str:
    """Return one line on what an agent can be asked."""
    attitudes = [words(name) for name in list_attitudes(run, life)]
    kinds = sorted({words(one) for one in life.decisions.get("kind", ()) if one != "attitude"})
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
    answer = explain_decision(run, life, action)
    if answer and action.kind == "expected_inflation" and (rate := _say(run, life, ["rate"])):
        return replace(answer, text=f"{rate.text} {answer.text}")
    return answer


def describe_contacts(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Describe the ties of an agent, and what it remembers of the closest contact.

    Among ties of the kind that the question names, friends by default, the closest contact is the
    one of whom the agent remembers most. If no ties of the agent were recorded, all people whom
    it remembers are compared.
    """
    events = list_memories(life, "event")
    events = events[events["actor"] >= 0] if len(events) else life.memories
    counts = events["actor"].value_counts().to_dict() if len(events) else {}
    ties = run.ties()
    mine = ties[(ties["source"] == life.agent) | (ties["target"] == life.agent)]
    mine = mine.assign(other=mine["source"].where(mine["source"] != life.agent, mine["target"]))
    contacts = {str(kind): own["other"].unique().tolist() for kind, own in mine.groupby("kind")}
    contacts = contacts or {"acquaintance": [*counts]}
    if read_household(life) is not None:
        contacts["household"] = household_of(run, life)
    texts = [_FAMILY if kind == "household" else words(kind) for kind in contacts]
    shares = dict(zip(contacts, compute_relevance(question, texts), strict=True))
    kind = max(
        contacts,
        key=lambda contact: (shares[contact] * (shares[contact] >= RELEVANT), contact == "friend"),
    )
    if kind == "household" and not contacts[kind]:
        return plain_answer(life, "I live alone.")
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
        rest = [run.name_of(one) for one in members if one != best]
        more = [f"{len(rest) - MOST_NAMES} more"] if len(rest) > MOST_NAMES else []
        if rest:
            title = _LABELS.get(group, ["", plural(words(group))])[1]
            title = f"{'other ' if group == kind else ''}{title}".capitalize()
            text.append(f"{title}: {join_names([*rest[:MOST_NAMES], *more])}.")
    names = [name, *(run.name_of(other) for other in ranked[kind] if other != best)]
    spoken = _speak_of_contacts(life, kind, names, ids)
    return plain_answer(life, spoken, " ".join(filter(None, text)), ids)


def _speak_of_contacts(life: Life, kind: str, names: Sequence[str], ids: Sequence[int]) -> str:
    """Name the contacts of a kind, the closest first, and quote a memory of that one."""
    if kind == "household":
        return f"I live with {join_names(names)}."
    label = words(kind)
    parts = [f"My closest {label} is {names[0]}."]
    quotes = [str(life.memories.loc[number, "text"]) for number in ids[:1]]
    parts += [f"I remember: {say_memory(quote)}" for quote in quotes]
    parts += [f"My other {plural(label)} are {shorten(names[1:])}."] if len(names) > 2 else []
    return " ".join(parts)


_UNKNOWN = "I can only speak of what happened, not of what would have been"
_DESCRIBE: Mapping[str, Callable[[Run, Life, str], RecordAnswer | None]] = {
    "contacts": describe_contacts,
    "attitude": describe_attitude,
    "change of mind": describe_change_of_mind,
    "conviction": describe_conviction,
    "course": describe_course,
    "deeds": describe_deeds,
    "first news": describe_first_news,
    "friends": describe_friends_views,
    "last": describe_events,
    "memories": lambda run, life, question: None,  # noqa: ARG005 - left to a search
    "order": describe_order,
    "place then": describe_place_then,
    "posts": describe_posts,
    "sources": describe_sources,
    "stay": describe_stay,
    "strongest": describe_strongest,
    "talks": describe_talks,
}
"""Descriptions of what is not an attribute, by the answer of a kind of question."""
