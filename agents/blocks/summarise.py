"""Summarise: let the mind write summaries, and the gist of what is asked for often."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.block import Block
from memopolis.sim.memory.layers import in_status
from memopolis.sim.memory.layers.cutting import cut
from memopolis.sim.memory.layers.long import blocks_due, keep_summary
from memopolis.sim.memory.layers.promoting import clusters_due, gist_of, keep_gist
from memopolis.sim.memory.layers.settings import LayerSettings
from memopolis.sim.memory.layers.writing import Kind, extractive, passage_of
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort


class Summarise(Block):
    """Put into words what is due: every tenth memory a summary, and clusters asked for often.

    The mind answers two kinds of questions, "summary" and "gist", whose rule is extractive.
    Without this block no agent of a society has summaries or promoted key memories. The
    answers are kept in the status, as `summaries` and `key_memories`.
    """

    writes = (in_status.SUMMARIES, in_status.KEY_MEMORIES)

    def __init__(self, layers: LayerSettings | None = None) -> None:
        """Take the settings of the population's layers; None to leave them as they are."""
        self.layers = layers

    def setup(self) -> None:
        """Declare what is written."""
        memory = self.population.memory
        if self.layers is not None:
            memory.layer_settings = self.layers
        for name in self.writes:
            in_status.declare(memory, name)

    def who(self, cohort: Cohort) -> Cohort:
        """Those who have something to be put into words."""
        memory = self.population.memory
        due = blocks_due(memory, cohort.rows)[1] > 0
        due[clusters_due(memory, cohort.rows)[0]] = True
        return cohort.where(due)

    def perceive(self, cohort: Cohort) -> Iterable[Question]:
        """Ask for each summary and gist that is due, an agent's first ones together."""
        return [*self._summaries(cohort), *self._gists(cohort)]

    def _summaries(self, cohort: Cohort) -> Iterable[Question]:
        memory = self.population.memory
        interval = memory.layer_settings.summary_interval
        starts, due = blocks_due(memory, cohort.rows)
        for block in range(int(due.max(initial=0))):
            first = starts + block * interval
            ids = first[:, None] + np.arange(interval)
            there = memory.streams.holds(cohort.rows[:, None], ids)
            asked = (due > block) & there.any(axis=1)
            table = np.where(there, ids, -1)[asked].astype(np.int32)
            if len(table):
                known = {"first": first[asked]}
                yield _question("summary", cohort.where(asked), table, known)

    def _gists(self, cohort: Cohort) -> Iterable[Question]:
        memory = self.population.memory
        places, numbers = clusters_due(memory, cohort.rows)
        # One question for each agent's first cluster, one for each agent's second, ...
        turn = np.arange(len(places)) - np.searchsorted(places, places)
        for at in range(int(turn.max(initial=-1)) + 1):
            here, which = places[turn == at], numbers[turn == at]
            ids = [_gist_ids(memory, *pair) for pair in zip(cohort.rows[here], which, strict=True)]
            table = np.full((len(ids), max(map(len, ids))), -1, np.int32)
            for line, members in zip(table, ids, strict=True):
                line[: len(members)] = members
            mask = np.zeros(len(cohort), np.bool_)
            mask[here] = True
            yield _question("gist", cohort.where(mask), table, {"cluster": which})

    def apply(self, cohort: Cohort, decisions: Decisions) -> None:
        """Keep what was written, within its length."""
        memory = self.population.memory
        question = decisions.question
        kind: Kind = "summary" if question.kind == "summary" else "gist"
        for at, row in enumerate(cohort.rows.tolist()):
            ids = question.recalled[at][question.recalled[at] >= 0]
            number = int(decisions.text[at])
            text = _within(memory, row, ids, kind, memory.texts[number] if number >= 0 else "")
            if kind == "summary":
                keep_summary(memory, row, ids, text)
            else:
                keep_gist(memory, row, int(question.known["cluster"][at]), ids, text)
        if kind == "summary":
            ends = question.known["first"] + memory.layer_settings.summary_interval
            in_status.summarised(memory)[cohort.rows] = ends


def extract(question: Question) -> Answer:
    """Pick a summary or gist from the memories of each agent: the rule of both questions."""
    memory = question.cohort.population.memory
    kind: Kind = "summary" if question.kind == "summary" else "gist"
    said = [
        _within(memory, row, ids[ids >= 0], kind, "")
        for row, ids in zip(question.cohort.rows.tolist(), question.recalled, strict=True)
    ]
    nothing = np.full(len(said), np.nan, np.float32)
    return Answer(nothing, text=memory.texts.intern_many(said))


def _within(memory: Memory, row: int, ids: NDArray[np.integer], kind: Kind, text: str) -> str:
    """A text cut to its length; what the rule picks where there is none."""
    if text.strip():
        return cut(text.strip(), memory.layer_settings.max_summary_length)
    passage = passage_of(memory, row, ids, kind)
    return "" if passage is None else extractive(passage)


def _gist_ids(memory: Memory, row: int, number: int) -> NDArray[np.int64]:
    passage = gist_of(memory, int(row), int(number))
    return np.empty(0, np.int64) if passage is None else passage.ids


def _question(
    kind: Kind, cohort: Cohort, ids: NDArray[np.int32], known: dict[str, NDArray[np.int64]]
) -> Question:
    recalled = Recalled(cohort.rows, ids, np.zeros(ids.shape, np.float32))
    return Question(kind, cohort, "text", extract, memories=recalled, known=known)
