"""Answer a question to one agent of a run from the memories that the agent holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.interview.agent_society import AgentSociety
from memopolis.sim.memory.knowledge.topics import topic_shares
from memopolis.sim.memory.streams.recollection import Recollection
from memopolis.sim.memory.text.words import STOP, split_words
from memopolis.sim.mind.mind import MINDS, Answer, Mind, Question
from memopolis.sim.survey.rule import BEARS, bearing

if TYPE_CHECKING:
    from memopolis.analysis.run.life import Life
    from memopolis.sim.memory.memory import Memory

SENTENCES = 3
"""Maximum number of memories in an answer of the rule mind."""

NOTHING = "I remember nothing about that."
"""Answer of the rule mind if no memory is relevant to the question."""


@dataclass(frozen=True, eq=False)
class Interview:
    """Answer of an agent, with its evidence.

    Attributes:
        agent: unique_id of the agent.
        name: Name of the agent.
        question: The question.
        text: The answer.
        mind: How the answer was reached: rule, model, replay or fallback.
        evidence: Memories used, best first, by their id in the run: time, topic, text,
            relevance.
        decisions: The last decision of each kind that the question refers to, in the same or
            similar words, or that used a memory of the answer: time, kind, item, choice,
            value, reason and evidence, a list of texts.
    """

    agent: int
    name: str
    question: str
    text: str
    mind: str
    evidence: pd.DataFrame
    decisions: pd.DataFrame


def run_interview(
    society: AgentSociety, life: "Life", question: str, *, mind: Mind | None, memories: int
) -> Interview:
    """Ask a restored agent a question.

    Args:
        society: Society of the agent; the answer becomes one of its texts, so use it once.
        life: Everything recorded of the agent.
        question: The question.
        mind: Mind that answers; None for the mind of the society, which is then closed.
        memories: Maximum number of memories to recall, >= 1.

    Raises:
        ParameterError: If `memories` is below 1.
    """
    if mind is not None:
        society.mind = mind
    cohort = society.population_of_one.cohort()
    recalled = cohort.memory.observed.stream.search(question, k=memories, explain=True)
    weight = bearing(recalled.terms["relevance"]) * (recalled.ids >= 0)
    rule = partial(extract, weight=weight)
    asked = Question("interview", cohort, "text", rule, about=question, memories=recalled)
    try:
        decisions = society.ask(asked, block="interview")
    finally:
        if mind is None:
            society.mind.close()
    used = decisions.evidence[0][decisions.evidence[0] >= 0]
    ids = society.numbers[used]
    evidence = life.memories.loc[ids, ["time", "topic", "text"]]
    scores = recalled.terms["relevance"][0].tolist()
    relevance = dict(zip(recalled.ids[0].tolist(), scores, strict=True))
    return Interview(
        agent=life.agent,
        name=life.name,
        question=question,
        text=society.texts[int(decisions.text[0])],
        mind=MINDS[int(decisions.how[0])],
        evidence=evidence.assign(relevance=[relevance.get(number, np.nan) for number in used]),
        decisions=_decided(life, question, set(ids.tolist()), society.population_of_one.memory),
    )


def extract(question: Question, *, weight: NDArray[np.floating]) -> Answer:
    """Answer with the relevant memories, oldest first: the rule of an interview.

    Args:
        question: Question of kind "interview".
        weight: Relevance of each recalled memory, 0 for none, shape (agents, k).

    Returns:
        At most `SENTENCES` memories, without duplicate texts; they are the evidence.
    """
    cohort = question.cohort
    evidence = np.where(weight > 0, question.recalled, -1).astype(np.int32)
    answers = [_sentences(best) or NOTHING for best in cohort.memory.observed.stream.read(evidence)]
    texts = cohort.population.memory.texts.intern_many(answers)
    return Answer(np.full(len(cohort), np.nan, np.float32), evidence=evidence, text=texts)


def _sentences(best: Sequence[Recollection]) -> str:
    """Join events as sentences, oldest first; thoughts only if there is no event."""
    events = [one for one in best if one.kind == "event"] or best
    chosen: dict[str, Recollection] = {}
    for one in events:
        chosen.setdefault(one.text, one)
    first = sorted(list(chosen.values())[:SENTENCES], key=lambda one: one.id)
    return " ".join(f"{one.text.rstrip('.')}." for one in first)


def _decided(life: "Life", question: str, used: set[int], memory: "Memory") -> pd.DataFrame:
    """Return the last decision of each kind and item that a question refers to."""
    decisions = life.decisions
    if decisions.empty:
        return decisions
    names = decisions["kind"].astype(str) + "_" + decisions["item"].astype(str)
    words = names + "_" + decisions["choice"].astype(str).str.replace(" ", "_")
    asked = set(split_words(question)[0]) - STOP
    similar = _similar_names(list(names.unique()), question, memory)
    about = [
        name in similar or bool(asked & set(text.split("_"))) or not used.isdisjoint(ids)
        for name, text, ids in zip(names, words, decisions["rests_on"], strict=True)
    ]
    return decisions[about].groupby(names[about], sort=False).tail(1).reset_index(drop=True)


def _similar_names(names: list[str], question: str, memory: "Memory") -> set[str]:
    """Return the names of decisions that a question mentions in similar words."""
    texts = np.full((len(names), 1), memory.texts.intern(question), np.int32)
    held = topic_shares(memory, [name.replace("_", " ") for name in names], texts)[:, 0]
    return {name for name, share in zip(names, held.tolist(), strict=True) if share >= BEARS}
