"""Ask a question to a sample of people, each restored from the run: in words, or as a rating."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from memopolis.agents.ages import ADULT
from memopolis.analysis.interview.agent_society import build_society
from memopolis.analysis.interview.answering import Interview
from memopolis.analysis.interview.attitude_answers import matching_attitude
from memopolis.analysis.interview.questions import check_question
from memopolis.analysis.interview.record_answers import answer_from_record
from memopolis.analysis.interview.restored_agent import RestoredAgent
from memopolis.analysis.run.conversations import Conversation
from memopolis.analysis.run.life import Life, zone_attribute
from memopolis.analysis.run.run import Run
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.mind import MINDS
from memopolis.sim.survey.asking import ask_survey
from memopolis.sim.survey.survey import Item, Survey

type Form = Literal["words", "rating"]
"""Form of an answer: in words, or a rating from 0 to 10."""
_MOST_EVIDENCE = 5


def sample_people(run: Run, count: int, *, zone: int = -1) -> list[int]:
    """Draw up to `count` adults of the first population who are present, in a zone or (-1) any.

    The same people are drawn at the same step of a run. Returns their unique_ids, sorted. Raises a
    ParameterError if `count` is below 1 or there is no adult.
    """
    if count < 1:
        raise ParameterError(f"{count} people cannot be asked; give a number of 1 or more")
    people = run.people()
    mask = np.ones(len(people), np.bool_)
    if "age" in people:
        mask &= (people["age"] >= ADULT).to_numpy(np.bool_)
    if zone >= 0:
        known = zone_attribute(run.attributes(run.first_population)) and "zone" in people
        mask &= (people["zone"] == zone).to_numpy(np.bool_) if known else np.False_
    agents = people["agent"].to_numpy(np.int64)[mask]
    if not len(agents):
        raise ParameterError("there is no adult in this group at present; choose another one")
    drawn = Chance(run.seed).uniform("sample of people to ask", agents, run.ticks)
    return sorted(agents[np.argsort(drawn, kind="stable")[:count]].tolist())


def ask_people(
    run: Run,
    agents: Sequence[int],
    question: str,
    *,
    form: Form = "words",
    settings: Mapping[str, object] | None = None,
    group: str = "",
) -> Iterator[Conversation]:
    """Ask people one after the other, and yield their answers; they and the run are not changed.

    The settings are those of the mind that answers, None for the rule mind; the group is a
    description for the record. Raises a ParameterError if the question is empty or too long, and an
    UnknownNameError if there is no such agent or the run recorded no memories.
    """
    check_question(question)
    mind = dict(settings or {})
    for agent in agents:
        life = run.life(agent)
        if form == "rating":
            yield _rate(run, life, question, mind, group)
        else:
            answered = RestoredAgent(run, life, mind).interview(question)
            yield conversation_of(run, answered, group)


def conversation_of(run: Run, answered: Interview, group: str = "") -> Conversation:
    """Return an interview as a record of it."""
    evidence = answered.evidence.head(_MOST_EVIDENCE)
    return Conversation(
        run.ticks,
        answered.agent,
        answered.name,
        answered.question,
        answered.text,
        answered.mind,
        evidence=tuple(int(memory) for memory in evidence.index),
        texts=tuple(map(str, evidence["text"])),
        group=group,
        fault=answered.fault,
    )


def _rate(
    run: Run, life: Life, question: str, settings: Mapping[str, object], group: str
) -> Conversation:
    """Ask for a rating from 0 to 10, as in a survey.

    The rule takes an attitude that the question names, else what is remembered.
    """
    society = build_society(run, life, settings)
    attitude = matching_attitude(run, life, question)
    item = Item("asked", question, reads=f"attitude.{attitude}" if attitude else "", step=0)
    try:
        answers = ask_survey(society, Survey("asked by a user", (item,), from_age=0))
    finally:
        society.mind.close()
    (answer,) = answers
    decided = answer.decisions
    used = decided.evidence[0]
    memories = society.numbers[used[used >= 0]][:_MOST_EVIDENCE].tolist()
    record = answer_from_record(run, life, question) if attitude else None
    if record is not None:  # the memories that speak for a recorded attitude
        memories = list(record.memories)[:_MOST_EVIDENCE]
    value = float(answer.value[0])
    known = np.isfinite(value)
    how = MINDS[int(decided.how[0])]
    subject = f" ({attitude.replace('_', ' ')})" if attitude and known else ""
    return Conversation(
        run.ticks,
        life.agent,
        life.name,
        question,
        f"{value:.1f} of 10{subject}" if known else "no answer",
        how,
        value=value if known else None,
        evidence=tuple(memories),
        texts=tuple(map(str, life.memories.loc[memories, "text"])),
        group=group,
        fault=society.fault if how == "fallback" else "",
    )
