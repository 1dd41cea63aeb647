"""Answer questions from the tables of a run: reasons, people, opinions, status."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from memopolis.analysis.interview.attitude_answers import (
    describe_attitude,
    describe_change_of_mind,
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
    describe_events,
    describe_friends_party,
    describe_sources,
    describe_stay,
    describe_talks,
    list_memories,
    plain_answer,
    recall,
)
from memopolis.analysis.interview.questions import (
    RELEVANT,
    SAME,
    Action,
    Kind,
    asked_actions,
    asks_opinion,
    asks_peak,
    asks_what_if,
    asks_why,
    compute_relevance,
    find_kinds,
    find_subjects,
    read_kinds,
    read_suggestions,
    split_question,
)
from memopolis.analysis.interview.speech import (
    MOST_NAMES,
    in_language_of,
    join_sentences,
    phrase,
    say_intention,
    say_memory,
    say_names,
    say_role,
    translate,
    voice_of,
)
from memopolis.analysis.interview.status_answers import (
    describe_status,
    household_of,
    named_attributes,
    read_household,
    speak_peak,
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
# Outside of quotes
_SENTENCE_END = re.compile(r'(?:(?<=[.!?])\s+|(?<=。))(?=(?:[^"“”]*["“][^"“”]*["”])*[^"“”]*$)')
_LEVELS = ("emotion.*", "hunger", "energy", "safety", "social")  # levels with a highest value
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
    with in_language_of(question):
        answer = _answer_all(run, life, question)
        has_quote = answer is not None and "“" in answer.text and not answer.declines
        note = phrase("original") if has_quote else ""
        return answer and replace(answer, text=answer.text + note)


def _answer_all(run: Run, life: Life, question: str) -> RecordAnswer | None:
    if asks_what_if(question):
        return _decline(run, life, "what_if")
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
    some = [answer for answer in answers if answer is not None and not answer.declines]
    if not some:
        return None
    each = [_SENTENCE_END.split(answer.text) for answer in some]
    first = [sentences[0] for sentences in each]
    more = [sentence for sentences in each for sentence in sentences[1:]]
    text = join_sentences([*dict.fromkeys(first + more)][:SENTENCES])
    return RecordAnswer(
        text,
        tuple(dict.fromkeys(number for answer in some for number in answer.memories)),
        pd.concat([answer.decisions for answer in some], ignore_index=True),
        " ".join(answer.details for answer in some).strip(),
    )


def _answer_part(run: Run, life: Life, question: str) -> RecordAnswer | None:
    if asks_why(question) and (reason := _answer_why(run, life, question)):
        return reason
    if asks_peak(question) and (peak := speak_peak(run, life, _LEVELS, question)):
        return plain_answer(life, peak, describe_status(run, life, _LEVELS, question))
    kinds = find_kinds(question)
    is_sure = bool(kinds) and kinds[0][1] >= SAME
    named = [] if is_sure else named_attributes(run, life, question)
    if named and (answer := _say(run, life, named)):
        return answer
    answers = (_answer(run, life, kind, question) for kind, _ in kinds)
    answer = next((answer for answer in answers if answer is not None), None)
    if answer is None and asks_opinion(question):
        answer = describe_attitude(run, life, question)
    is_open = not kinds or kinds[0][0].answer == "memories"
    return answer or (None if is_open else _decline(run, life, "nothing"))


def _answer_why(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Explain the decision that a question names; None if it names none."""
    actions = asked_actions(question)
    if actions and actions[0].kind == LEAVING and life.population != "citizen":
        return _decline(run, life, "no_home")
    answers = (_explain_best(run, life, action, actions) for action in actions)
    answer = next((answer for answer in answers if answer is not None), None)
    decided = set(life.decisions["kind"].astype(str)) if len(life.decisions) else set()
    if answer is None and actions and not decided & {action.kind for action in actions}:
        return _decline(run, life, "no_decision")
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
    correction = voice_of(life).say("did_not")
    return answer and replace(answer, text=join_sentences([correction, answer.text]))


def _decline(run: Run, life: Life, reason: str) -> RecordAnswer:
    """Say in one sentence why a question has no answer, and ask for others that have one."""
    details = describe_possible_questions(run, life)
    return replace(plain_answer(life, suggest_questions(run, life, reason), details), declines=True)


def suggest_questions(run: Run, life: Life, reason: str = "nothing") -> str:
    """Give a reason for having no answer, and name questions that the agent can answer."""
    able = [
        question
        for question in map(translate, read_suggestions(life.population))
        if any(_answer(run, life, kind, question) for kind, _ in find_kinds(question))
    ]
    voice = voice_of(life)
    quoted = [phrase("quoted_question", question=question) for question in able[:SUGGESTED]]
    if not quoted:
        return voice.say("ask_anything", reason=voice.say(reason))
    first = phrase("comma").join(quoted[:-1])
    listed = phrase("or", first=first, last=quoted[-1]) if first else quoted[-1]
    return voice.say("ask_me", reason=voice.say(reason), questions=listed)


def _say(
    run: Run, life: Life, attributes: Sequence[str], question: str = ""
) -> RecordAnswer | None:
    """Say what some attributes mean; None if the agent has none of them."""
    details = describe_status(run, life, attributes, question)
    spoken = speak_status(run, life, attributes, question)
    return plain_answer(life, spoken, details) if spoken else None


def _answer(run: Run, life: Life, kind: Kind, question: str) -> RecordAnswer | None:
    """Answer a question of a kind; None if nothing was recorded."""
    if (describe := _DESCRIBE.get(kind.answer)) and (answer := describe(run, life, question)):
        return answer
    if kind.answer == "unrecorded":
        return _decline(run, life, "nothing")
    # No attitude is to the subject.
    is_other = kind.answer == "attitude" and bool(find_subjects(question))
    names = [name for name in kind.attributes if not (is_other and name.startswith("attitude."))]
    status = _say(run, life, names, question)
    if kind.answer == "self" and life.population != "citizen":
        return plain_answer(life, say_role(life), status.details if status else "")
    if kind.recall:
        recalled = recall(run, life, question, kind.recall)
        return _join(life, status, recalled)
    if kind.answer != "thought":
        return status
    quotes, ids = _last_thought(run, life)
    voice = voice_of(life)
    if "intention" in kind.attributes and status:
        spoken = [say_intention(_last_intention(life), life)]
    else:
        spoken = [status.text] if status else []
    sentence = "last_thought" if life.population == "citizen" else "last_note"
    texts = [str(life.memories.loc[number, "text"]) for number in ids]
    spoken += [voice.say(sentence, quote=say_memory(text)) for text in texts]
    details = f"{status.details if status else ''} {quotes}".strip()
    return plain_answer(life, join_sentences(spoken), details, ids) if spoken else None


def _join(
    life: Life, status: RecordAnswer | None, recalled: RecordAnswer | None
) -> RecordAnswer | None:
    """Join what is said of the status with what is recalled; None if there is neither."""
    some = [answer for answer in (status, recalled) if answer is not None]
    if not some:
        return None
    details = " ".join(filter(None, (answer.details for answer in some)))
    spoken = join_sentences([answer.text for answer in some])
    return plain_answer(life, spoken, details, some[-1].memories)


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
            text=join_sentences([spoken, attitude.text]),
            details=f"{status} {attitude.details}".strip(),
        )
    answer = explain_decision(run, life, action)
    if answer and action.kind == "expected_inflation" and (rate := _say(run, life, ["rate"])):
        return replace(answer, text=join_sentences([rate.text, answer.text]))
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
        return plain_answer(life, phrase("lives_alone"))
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
        return phrase("lives_with", names=say_names(names, len(names)))
    label, voice = words(kind), voice_of(life)
    parts = [voice.say("closest_contact", label=translate(label), name=names[0])]
    for number in ids[:1]:
        quote = say_memory(str(life.memories.loc[number, "text"]))
        parts.append(voice.say("remember", quote=quote))
    if len(names) > 2:
        labels = translate(label) if translate(label) != label else plural(label)
        parts.append(voice.say("other_contacts", labels=labels, names=say_names(names[1:])))
    return join_sentences(parts)


_DESCRIBE: Mapping[str, Callable[[Run, Life, str], RecordAnswer | None]] = {
    "contacts": describe_contacts,
    "attitude": describe_attitude,
    "change of mind": describe_change_of_mind,
    "course": describe_course,
    "last": describe_events,
    "leaving": lambda run, life, question: explain_leaving(run, life, "leave"),  # noqa: ARG005
    "order": describe_order,
    "place then": describe_place_then,
    "sources": describe_sources,
    "stay": describe_stay,
    "friends' party": describe_friends_party,
    "talks": describe_talks,
}
"""Descriptions of what is not an attribute, by the answer of a kind of question."""
