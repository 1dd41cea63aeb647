"""Answer a question to one agent of a run from the memories that the agent holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.interview.agent_society import AgentSociety
from memopolis.analysis.interview.questions import asked_actions, asks_why, read_plainly
from memopolis.analysis.interview.speech import join_sentences, phrase, say_event
from memopolis.analysis.interview.wording import RecordAnswer, gist
from memopolis.analysis.run.life import Life
from memopolis.sim.memory.knowledge import topic_shares
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.recollection import Recollection
from memopolis.sim.memory.text.words import STOP, split_words
from memopolis.sim.mind.mind import MINDS, Answer, Mind, Question
from memopolis.sim.survey.rule import BEARS

ANSWERS = 0.3  # least relevance of a memory that answers a question by itself (illustrative)
SENTENCES = 3  # maximum number of memories in an answer of the rule mind

_BY_RULE = ("rule", "fallback")


@dataclass(frozen=True, eq=False)
class Interview:
    """Answer of an agent, with its evidence."""

    agent: int  # unique_id of the agent
    name: str  # name of the agent
    question: str
    text: str  # the answer
    mind: str  # how the answer was reached: rule, model, replay or fallback
    # Memories used, best first, by their id in the run: time, topic, text, relevance
    evidence: pd.DataFrame
    # The decisions that the answer explains, then the last decision of each other kind that the
    # question refers to, in the same or similar words, or that used a memory of the answer: the
    # columns of `Life.decisions`
    decisions: pd.DataFrame
    fault: str = ""  # reason for the fallback, "" if there was none
    # The answer of the record with times, probabilities, draws and values, "" if there is none
    details: str = ""


def run_interview(
    society: AgentSociety,
    life: Life,
    question: str,
    *,
    mind: Mind | None,
    memories: int,
    record: RecordAnswer | None = None,
    nothing: str = "",
) -> Interview:
    """Ask a restored agent a question, with at most so many recalled memories.

    The answer becomes one of the texts of the society, so use it once. If no mind is given, that of
    the society answers and is closed. The rule returns the answer from the tables, `record`, which
    prompts of models contain; if no memory is relevant either, it says `nothing`.
    """
    if mind is not None:
        society.mind = mind
    cohort = society.population_of_one.cohort()
    recalled = cohort.memory.observed.stream.search(
        read_plainly(question), k=memories, explain=True
    )
    relevance = recalled.terms["relevance"]
    weight = relevance * (relevance >= ANSWERS) * (recalled.ids >= 0)
    lead = "" if record is None else record.text
    rule = partial(extract, weight=weight, lead=lead, nothing=nothing)
    known = {} if record is None else {"record": np.array([record.details or record.text], object)}
    asked = Question(
        "interview", cohort, "text", rule, about=question, memories=recalled, known=known
    )
    try:
        decisions = society.questions.ask(asked, block="interview")
    finally:
        if mind is None:
            society.mind.close()
    how = MINDS[int(decisions.how[0])]
    scores = recalled.terms["relevance"][0].tolist()
    known_ids = society.numbers[recalled.ids[0][recalled.ids[0] >= 0]].tolist()
    by_id = dict(zip(known_ids, scores, strict=False))
    used = society.numbers[decisions.evidence[0][decisions.evidence[0] >= 0]].tolist()
    if record is not None and how in _BY_RULE:
        used = list(record.memories)
    evidence = life.memories.loc[used, ["time", "topic", "text"]]
    return Interview(
        agent=life.agent,
        name=life.name,
        question=question,
        text=society.texts[int(decisions.text[0])],
        mind=how,
        evidence=evidence.assign(relevance=[by_id.get(number, np.nan) for number in used]),
        decisions=_lead(
            record, _decided(life, question, set(used), society.population_of_one.memory)
        ),
        fault=society.fault if how == "fallback" else "",
        details="" if record is None else record.details,
    )


def _lead(record: RecordAnswer | None, decisions: pd.DataFrame) -> pd.DataFrame:
    """Put the decisions that an answer explains before the latest ones of other kinds."""
    if record is None or record.decisions.empty:
        return decisions
    first = record.decisions
    explained = pd.MultiIndex.from_frame(first[["kind", "item"]].astype(str))
    others = pd.MultiIndex.from_frame(decisions[["kind", "item"]].astype(str))
    return pd.concat([first, decisions[~others.isin(explained)]], ignore_index=True)


def extract(
    question: Question, *, weight: NDArray[np.floating], lead: str = "", nothing: str = ""
) -> Answer:
    """Answer from the record, else with the most relevant memories: the rule of an interview.

    `weight` is the relevance of each recalled memory, 0 for none, shape (agents, k); `lead` is the
    answer from the record, "" for none; `nothing` is the answer if no memory is relevant either.
    Otherwise the answer quotes up to `SENTENCES` distinct memories, the most relevant first. The
    relevant memories are the evidence.
    """
    cohort = question.cohort
    order = np.argsort(-weight, axis=1, kind="stable")
    relevant = np.where(weight > 0, question.recalled, -1).astype(np.int32)
    evidence = np.take_along_axis(relevant, order, axis=1)
    memories = cohort.memory.observed.stream.read(evidence)
    answers = [lead or _sentences(best) or nothing for best in memories]
    texts = cohort.population.memory.texts.intern_many(answers)
    return Answer(np.full(len(cohort), np.nan, np.float32), evidence=evidence, text=texts)


def _sentences(best: Sequence[Recollection]) -> str:
    """Join events as sentences, best first; thoughts only if there is no event."""
    events = [memory for memory in best if memory.kind == "event"] or best
    chosen: dict[str, Recollection] = {}
    for one in events:
        chosen.setdefault(gist(one.text), one)
    most = SENTENCES if events[:1] and events[0].kind == "event" else 1
    first = list(chosen.values())[:most]
    return join_sentences([f"{say_event(one.text)}{phrase('stop').strip()}" for one in first])


def _decided(life: Life, question: str, used: set[int], memory: Memory) -> pd.DataFrame:
    """Return the last decision of each kind and item that a question refers to."""
    decisions = life.decisions
    if decisions.empty:
        return decisions
    names = decisions["kind"].astype(str) + "_" + decisions["item"].astype(str)
    words = names + "_" + decisions["choice"].astype(str).str.replace(" ", "_")
    asked = set(split_words(question)[0]) - STOP
    named = _similar_names(list(names.unique()), question, memory)
    named |= set(names[decisions["kind"].isin(_explained_kinds(question))])
    about = [
        name in named or bool(asked & set(text.split("_"))) or not used.isdisjoint(ids)
        for name, text, ids in zip(names, words, decisions["rests_on"], strict=True)
    ]
    return decisions[about].groupby(names[about], sort=False).tail(1).reset_index(drop=True)


def _explained_kinds(question: str) -> set[str]:
    """Return the kinds of decisions of which a question asks the reason, except of attitudes."""
    actions = asked_actions(question) if asks_why(question) else []
    return {action.kind for action in actions} - {"attitude"}


def _similar_names(names: list[str], question: str, memory: Memory) -> set[str]:
    """Return the names of decisions that a question mentions in similar words."""
    texts = np.full((len(names), 1), memory.texts.intern(question), np.int32)
    held = topic_shares(memory, [name.replace("_", " ") for name in names], texts)[:, 0]
    return {name for name, share in zip(names, held.tolist(), strict=True) if share >= BEARS}
