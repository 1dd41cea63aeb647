"""Let the mind write summaries of memories and gists of frequently recalled clusters."""

from collections.abc import Iterable

import numpy as np

from memopolis.sim.arrays import Int32, Int64, Ints
from memopolis.sim.block import Block
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.layers import summaries
from memopolis.sim.memory.layers.key import gist_passage, promotions_due, store_gist
from memopolis.sim.memory.layers.summaries import (
    Kind,
    extractive,
    load_passage,
    shorten,
    store_summary,
    summaries_due,
)
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.recollection import Recalled
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort


class Summarise(Block):
    """Ask for summaries and gists that are due: one summary per `summary_interval` memories.

    The rule of both kinds of questions, "summary" and "gist", is extractive. Citizens that sleep
    need no such block: see `Sleep`.
    """

    writes = (summaries.SUMMARIES, summaries.KEY_MEMORIES)

    def __init__(self, layers: LayerSettings | None = None) -> None:
        """Set the layer settings of the population; None keeps the current ones."""
        self.layers = layers

    def setup(self) -> None:
        """Declare the attributes of the status that are written."""
        memory = self.population.memory
        if self.layers is not None:
            memory.layer_settings = self.layers
        for name in self.writes:
            summaries.declare(memory, name)

    def who(self, cohort: Cohort) -> Cohort:
        """Select agents with summaries or gists due."""
        memory = self.population.memory
        due = summaries_due(memory, cohort.rows)[1] > 0
        due[promotions_due(memory, cohort.rows)[0]] = True
        return cohort.where(due)

    def perceive(self, cohort: Cohort) -> Iterable[Question]:
        """Ask for all summaries and gists due, each agent's first ones together."""
        return [*ask_summaries(cohort), *ask_gists(cohort)]

    def apply(self, cohort: Cohort, decisions: Decisions) -> None:
        """Store the texts, cut to the maximum length."""
        store_texts(cohort, decisions)


def ask_summaries(cohort: Cohort) -> Iterable[Question]:
    """Ask for all summaries that are due, each agent's first ones together."""
    memory = cohort.population.memory
    interval = memory.layer_settings.summary_interval
    starts, due = summaries_due(memory, cohort.rows)
    for block in range(int(due.max(initial=0))):
        first = starts + block * interval
        ids = first[:, None] + np.arange(interval)
        present = memory.streams.holds(cohort.rows[:, None], ids)
        asked = (due > block) & present.any(axis=1)
        table = np.where(present, ids, -1)[asked].astype(np.int32)
        if len(table):
            known = {"first": first[asked]}
            yield _build_question("summary", cohort.where(asked), table, known)


def ask_gists(cohort: Cohort) -> Iterable[Question]:
    """Ask for all gists that are due, each agent's first ones together."""
    memory = cohort.population.memory
    places, numbers = promotions_due(memory, cohort.rows)
    pairs = zip(cohort.rows[places], numbers, strict=True)
    members = [_gist_ids(memory, int(row), int(number)) for row, number in pairs]
    some = np.array([len(ids) > 0 for ids in members], np.bool_)
    for at in np.flatnonzero(~some).tolist():  # small talk
        store_gist(memory, int(cohort.rows[places[at]]), int(numbers[at]), members[at], "")
    places, numbers = places[some], numbers[some]
    members = [ids for ids in members if len(ids)]
    # One question for each agent's first cluster, one for each agent's second, ...
    turn = np.arange(len(places)) - np.searchsorted(places, places)
    for number in range(int(turn.max(initial=-1)) + 1):
        chosen = np.flatnonzero(turn == number)
        table = np.full((len(chosen), max(len(members[at]) for at in chosen)), -1, np.int32)
        for line, at in zip(table, chosen.tolist(), strict=True):
            line[: len(members[at])] = members[at]
        mask = np.zeros(len(cohort), np.bool_)
        mask[places[chosen]] = True
        yield _build_question("gist", cohort.where(mask), table, {"cluster": numbers[chosen]})


def store_texts(cohort: Cohort, decisions: Decisions) -> None:
    """Store the summaries or gists that a question asked for, cut to the maximum length."""
    memory, question = cohort.population.memory, decisions.question
    kind: Kind = "summary" if question.kind == "summary" else "gist"
    for at, row in enumerate(cohort.rows.tolist()):
        ids = question.recalled[at][question.recalled[at] >= 0]
        number = int(decisions.text[at])
        text = _fit_text(memory, row, ids, kind, memory.texts[number] if number >= 0 else "")
        if kind == "summary":
            store_summary(memory, row, ids, text)
        else:
            store_gist(memory, row, int(question.known["cluster"][at]), ids, text)
    if kind == "summary":
        ends = question.known["first"] + memory.layer_settings.summary_interval
        summaries.summarised_to(memory)[cohort.rows] = ends


def extract_passage(question: Question) -> Answer:
    """Extract a summary or gist from memories: the rule of both questions."""
    memory = question.cohort.population.memory
    kind: Kind = "summary" if question.kind == "summary" else "gist"
    passages = [
        _fit_text(memory, row, ids[ids >= 0], kind, "")
        for row, ids in zip(question.cohort.rows.tolist(), question.recalled, strict=True)
    ]
    no_value = np.full(len(passages), np.nan, np.float32)
    return Answer(no_value, text=memory.texts.intern_many(passages))


def _fit_text(memory: Memory, row: int, ids: Ints, kind: Kind, text: str) -> str:
    """Cut a text to the maximum length; an empty one is replaced by an extract."""
    if text.strip():
        return shorten(text.strip(), memory.layer_settings.max_summary_length)
    passage = load_passage(memory, row, ids, kind)
    return "" if passage is None else extractive(passage)


def _gist_ids(memory: Memory, row: int, number: int) -> Int64:
    passage = gist_passage(memory, row, number)
    return np.empty(0, np.int64) if passage is None else passage.ids


def _build_question(kind: Kind, cohort: Cohort, ids: Int32, known: dict[str, Int64]) -> Question:
    recalled = Recalled(cohort.rows, ids, np.zeros(ids.shape, np.float32))
    return Question(kind, cohort, "text", extract_passage, memories=recalled, known=known)
