"""Interviews: a question to one agent of a run, answered from what it remembers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.revived import Revived
from memopolis.sim.memory.knowledge.relevant import shares
from memopolis.sim.memory.streams.recollection import Recollection
from memopolis.sim.memory.text.words import STOP, cut
from memopolis.sim.mind.mind import MINDS, Answer, Mind, Question, close_mind
from memopolis.sim.survey.rule import BEARS, bearing

if TYPE_CHECKING:
    from memopolis.analysis.life import Life
    from memopolis.analysis.load import Run
    from memopolis.sim.memory.memory import Memory

SENTENCES = 3
"""Most memories that the rule mind tells."""

NOTHING = "I remember nothing about that."
"""What the rule mind says where no memory bears on the question."""


@dataclass(frozen=True, eq=False)
class Interview:
    """What an agent said, and what that rests on.

    Attributes:
        agent: Its unique_id.
        name: What it is called.
        question: What it was asked.
        text: What it said.
        mind: Who answered: rule, model, replay or fallback.
        evidence: The memories it rests on, best first, by their id in the run: time, topic,
            text, relevance.
        decisions: The last decision of each kind that the question names, by its own words or
            by some that mean about the same, or that rests on a memory told: time, kind, item,
            choice, value, reason and evidence, a list of texts.
    """

    agent: int
    name: str
    question: str
    text: str
    mind: str
    evidence: pd.DataFrame
    decisions: pd.DataFrame


def interview(
    run: "Run",
    agent: int,
    question: str,
    *,
    mind: Mind | None = None,
    settings: Mapping[str, object] | None = None,
    memories: int = 5,
) -> Interview:
    """Ask an agent of a run something, at the end of it.

    Args:
        run: Its run, which is not changed.
        agent: Its unique_id.
        question: What it is asked.
        mind: Who answers; None for the one that `settings` name. The rule mind tells the
            memories that bear on the question.
        settings: Settings of the mind by name, such as {"mind": "llm", "llm.model": "small"};
            None for the rule mind.
        memories: Most memories recalled, >= 1.

    Raises:
        SettingsError: If a setting is unknown or not allowed.
        UnknownNameError: If nobody has that unique_id, or the run recorded no memories.
        ParameterError: If the question is empty or `memories` is below 1.
    """
    from memopolis.analysis.respondent import respondent

    asked = respondent(run, agent, settings)
    return asked.interview(question, mind=mind, memories=memories)


def held_interview(
    society: Revived, life: "Life", question: str, *, mind: Mind | None, memories: int
) -> Interview:
    """Hold an interview with an agent that was brought back.

    Args:
        society: Its society, which is used up: what it says becomes a text of it.
        life: Everything recorded of it.
        question: What it is asked.
        mind: Who answers; None for the mind of its society, which is closed then.
        memories: Most memories recalled, >= 1.

    Raises:
        ParameterError: If `memories` is below 1.
    """
    if mind is not None:
        society.mind = mind
    cohort = society.who.cohort()
    found = cohort.memory.observed.stream.search(question, k=memories, explain=True)
    weight = bearing(found.terms["relevance"]) * (found.ids >= 0)
    rule = partial(extract, weight=weight)
    asked = Question("interview", cohort, "text", rule, about=question, memories=found)
    try:
        decisions = society.ask(asked, block="interview")
    finally:
        if mind is None:
            close_mind(society.mind)
    rests = decisions.evidence[0][decisions.evidence[0] >= 0]
    told = society.numbers[rests]
    evidence = life.memories.loc[told, ["time", "topic", "text"]]
    relevance = dict(zip(found.ids[0].tolist(), found.terms["relevance"][0].tolist(), strict=True))
    return Interview(
        agent=life.agent,
        name=life.name,
        question=question,
        text=society.texts[int(decisions.text[0])],
        mind=MINDS[int(decisions.how[0])],
        evidence=evidence.assign(relevance=[relevance.get(number, np.nan) for number in rests]),
        decisions=_decided(life, question, set(told.tolist()), society.who.memory),
    )


def extract(question: Question, *, weight: NDArray[np.floating]) -> Answer:
    """Tell the memories that bear on what is asked, oldest first: the rule of an interview.

    Args:
        question: Of kind "interview".
        weight: What each memory recalled has to do with it, 0 for nothing, shape (agents, k).

    Returns:
        At most `SENTENCES` memories, each text once; they are the evidence.
    """
    cohort = question.cohort
    evidence = np.where(weight > 0, question.recalled, -1).astype(np.int32)
    said = [_told(best) or NOTHING for best in cohort.memory.observed.stream.read(evidence)]
    texts = cohort.population.memory.texts.intern_many(said)
    return Answer(np.full(len(cohort), np.nan, np.float32), evidence=evidence, text=texts)


def _told(best: Sequence[Recollection]) -> str:
    """Events as sentences, oldest first; thoughts only where there is no event."""
    events = [one for one in best if one.kind == "event"] or best
    chosen: dict[str, Recollection] = {}
    for one in events:
        chosen.setdefault(one.text, one)
    first = sorted(list(chosen.values())[:SENTENCES], key=lambda one: one.id)
    return " ".join(f"{one.text.rstrip('.')}." for one in first)


def _decided(life: "Life", question: str, told: set[int], memory: "Memory") -> pd.DataFrame:
    """The last decision of each kind and item that a question is about, see `Interview`."""
    decisions = life.decisions
    if decisions.empty:
        return decisions
    names = decisions["kind"].astype(str) + "_" + decisions["item"].astype(str)
    words = names + "_" + decisions["choice"].astype(str).str.replace(" ", "_")
    asked = set(cut(question)[0]) - STOP
    meant = _meant(list(names.unique()), question, memory)
    about = [
        name in meant or bool(asked & set(text.split("_"))) or not told.isdisjoint(rests)
        for name, text, rests in zip(names, words, decisions["rests_on"], strict=True)
    ]
    return decisions[about].groupby(names[about], sort=False).tail(1).reset_index(drop=True)


def _meant(names: list[str], question: str, memory: "Memory") -> set[str]:
    """Names of decisions that a question speaks of, if in other words: to leave is to go."""
    texts = np.full((len(names), 1), memory.texts.intern(question), np.int32)
    held = shares(memory, [name.replace("_", " ") for name in names], texts)[:, 0]
    return {name for name, share in zip(names, held.tolist(), strict=True) if share >= BEARS}
