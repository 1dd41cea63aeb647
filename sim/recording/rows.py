"""Build the rows of each table.

Functions `*_rows` return columns by name for a `Table`: arrays of shape (rows,), `Coded` texts or
`Lists`. Tables that are recorded once are data frames.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.sim.memory.streams.encoding import EMOTIONS, IMPORTANCE
from memopolis.sim.memory.streams.layout import CONTINUES
from memopolis.sim.memory.streams.pending import FIELDS, Added
from memopolis.sim.mind.mind import MINDS, Decisions, Outcome
from memopolis.sim.recording.table import Coded, Lists
from memopolis.sim.settings import PlanRecordSettings, RecordSettings
from memopolis.sim.survey.survey import SURVEY_ITEM

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.streams.encoding import TagNames
    from memopolis.sim.memory.text.texts import Texts
    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase
    from memopolis.sim.survey.survey import Answers
    from memopolis.sim.world.ledger import Flow
    from memopolis.sim.world.place import Place
    from memopolis.sim.world.ties import Ties

type Columns = dict[str, Any]

KINDS = ("event", "thought")
_FEELINGS = ("", *EMOTIONS)
_SHARES = np.round(np.arange(256) / 255, 2).astype(np.float32)
# Indexed by an int8: a negative number counts from the end.
_SIGNED = np.round(np.r_[0:128, -128:0] / 127, 2).astype(np.float32)


def memory_rows(population: "Population", added: Added) -> Columns:
    """Build rows of `memories` from stored memories."""
    memory = population.memory
    return {
        "tick": added.time,
        "population": Coded(0, (population.name,)),
        "agent": population.ids[added.rows].astype(np.int32),
        "id": added.ids,
        "topic": Coded(added.topic, memory.topics),
        "kind": Coded(added.kind & 1, KINDS),
        "text": memory.texts.hash_of(added.text),
        "actor": added.actor,
        "place": added.place,
        "importance": (added.importance / np.float32(IMPORTANCE)).round(2),
        "valence": _SIGNED[added.valence],
        "confidence": _SHARES[added.confidence],
        "emotion": Coded(added.emotion, _FEELINGS),
        "continues": added.kind >= CONTINUES,
        "tags": _tags(memory.tags, added.tags),
    }


def _tags(tags: "TagNames", bits: NDArray[np.uint16]) -> Coded:
    """Return the names of tags, separated by commas, from their bits."""
    (used,) = np.bincount(bits, minlength=1).nonzero()
    code = np.zeros(int(used.max(initial=0)) + 1, np.int32)
    code[used] = np.arange(len(used))
    return Coded(code[bits], tuple(", ".join(tags.names(b)) for b in used.tolist()) or ("",))


def remembered(memory: "Memory") -> Added:
    """Return all current memories of agents as a batch, such as memories of earlier years."""
    streams = memory.streams
    rows, ids, slots = streams.listed()
    columns = streams.all_at(slots)
    return Added(rows, ids.astype(np.int32), *(columns[name] for name in FIELDS[2:]))


def select_recorded(
    decided: Decisions, outcome: Outcome, record: RecordSettings
) -> tuple[Decisions, Outcome] | None:
    """Select the answers that `decisions` records; None without any.

    Plans that follow a rule are recorded only if the settings say so.
    """
    kind = decided.question.kind
    # Answers to surveys have a separate table.
    if "decisions" not in record.tables or kind == SURVEY_ITEM:
        return None
    if kind == "plan" and not (isinstance(record, PlanRecordSettings) and record.plans):
        by_model = decided.how != MINDS.index("rule")
        if not by_model.any():
            return None
        return decided.select(by_model), outcome.select(by_model)
    return decided, outcome


class DecisionRows(NamedTuple):
    """Rows of `decisions` from the answers to one question of a step.

    Attributes:
        turn: Number of exchanges of a divided society before them, 0 if it is not divided.
        population: Name of the population.
        block: Name of the block that asked.
        about: Kind and subject of the question.
        rows: Number of rows.
        columns: Columns by name.
    """

    turn: int
    population: str
    block: str
    about: tuple[str, str]
    rows: int
    columns: Columns


def decisions_to_record(
    society: "SocietyBase[Any]", decided: Decisions, outcome: Outcome
) -> DecisionRows | None:
    """Build rows of `decisions` from the answers that the settings record; None without any."""
    recorded = select_recorded(decided, outcome, society.settings.record)
    if recorded is None:
        return None
    decided, outcome = recorded
    question = decided.question
    return DecisionRows(
        0 if society.division is None else society.division.exchanges,
        question.cohort.population.name,
        question.block,
        (question.kind, question.about),
        len(question.cohort),
        decision_rows(decided, outcome, society.clock.tick, society.texts),
    )


def group_decisions(step: Iterable[DecisionRows]) -> list[list[tuple[int, Columns]]]:
    """Order the decisions of a step by block, in the order of execution, then kind and subject.

    Returns number and columns of the rows of each question; questions that differ only in their
    agents, which parts and threads ask, are in one list. Agents have at most one decision in most
    lists, and their decisions are in order in all of them.
    """
    blocks: dict[tuple[str, str], int] = {}
    groups: dict[tuple[int, tuple[str, str]], list[tuple[int, Columns]]] = {}
    for decision in sorted(step, key=attrgetter("turn")):
        block = blocks.setdefault((decision.population, decision.block), len(blocks))
        groups.setdefault((block, decision.about), []).append((decision.rows, decision.columns))
    return [groups[key] for key in sorted(groups)]


def decision_rows(decided: Decisions, outcome: Outcome, tick: int, texts: "Texts") -> Columns:
    """Build rows of `decisions` from the answers to a question and how they were carried out."""
    question = decided.question
    cohort = question.cohort
    ids = cohort.ids.astype(np.int32)
    return {
        "tick": np.full(len(cohort), tick, np.int32),
        "block": Coded(0, (question.block,)),
        "kind": Coded(0, (question.kind,)),
        "population": Coded(0, (cohort.population.name,)),
        "agent": ids,
        "item": Coded(0, (question.about,)),
        "value": decided.value,
        "choice": _choices(decided, outcome),
        "text": _hashes(decided.text, texts),
        "emotion": Coded(decided.emotion, _FEELINGS),
        "reason": _reasons(decided, outcome),
        "evidence": _lists(decided.evidence),
        "mind": Coded(decided.how, MINDS),
        "probability": _numbers(outcome.probability, len(ids)),
        "draw": _numbers(outcome.draw, len(ids)),
        "threshold": _numbers(outcome.threshold, len(ids)),
        "together": list_others(outcome.group, ids),
    }


def _choices(decided: Decisions, outcome: Outcome) -> Coded:
    """Return what is carried out, or the options chosen."""
    question = decided.question
    if outcome.choice is not None:
        return Coded(outcome.choice.number.astype(np.int32), outcome.choice.texts)
    if question.form in {"choice", "steps"}:
        return Coded(decided.value.astype(np.int32), question.options)
    return Coded(0, ("",))


def _reasons(decided: Decisions, outcome: Outcome) -> Coded:
    """Return the reasons, with remarks in parentheses."""
    note = outcome.note
    if note is None or not any(note.texts):
        return Coded(decided.reason, decided.reasons)
    pairs = decided.reason.astype(np.int64) * len(note.texts) + note.number
    distinct, number = np.unique(pairs, return_inverse=True)
    texts = [
        " ".join(filter(None, (decided.reasons[one], remark and f"({remark})")))
        for one, remark in (
            (p // len(note.texts), note.texts[p % len(note.texts)]) for p in distinct
        )
    ]
    names = tuple(dict.fromkeys(texts))
    return Coded(np.array([names.index(text) for text in texts], np.int32)[number], names)


def list_others(group: NDArray[np.integer[Any]] | None, ids: NDArray[np.int32]) -> Lists:
    """List the other members of each agent's group, -1 for none; None if no agent is in a group."""
    if group is None:
        return Lists(np.zeros(len(ids), np.int32), np.zeros(0, np.int32))
    order = np.argsort(group, kind="stable")
    _, numbers, counts = np.unique(group, return_inverse=True, return_counts=True)
    starts = np.cumsum(counts) - counts
    size = np.where(group >= 0, counts[numbers], 0)
    agent = np.repeat(np.arange(len(ids)), size)
    within = np.arange(len(agent)) - np.repeat(np.cumsum(size) - size, size)
    member = order[starts[numbers[agent]] + within]
    is_other = member != agent
    lengths = np.bincount(agent[is_other], minlength=len(ids)).astype(np.int32)
    return Lists(lengths, ids[member[is_other]])


def _numbers(values: NDArray[np.floating[Any]] | None, count: int) -> NDArray[np.float32]:
    """Return numbers as a column, NaN if there are none."""
    if values is None:
        return np.full(count, np.nan, np.float32)
    return np.asarray(values, np.float32)


def survey_rows(answers: "Answers", tick: int) -> Columns:
    """Build rows of `survey` from the answers to one item."""
    decided, cohort = answers.decisions, answers.decisions.question.cohort
    # The last label is for agents without an answer.
    options = (*answers.item.options, "")
    coded = answers.item.options
    chosen = np.nan_to_num(answers.value, nan=-1).astype(np.int32) if coded else -1
    return {
        "tick": np.full(len(cohort), tick, np.int32),
        "survey": Coded(0, (answers.survey.name,)),
        "population": Coded(0, (cohort.population.name,)),
        "agent": cohort.ids.astype(np.int32),
        "item": Coded(0, (answers.item.name,)),
        "value": answers.value,
        "choice": Coded(chosen, options),
        "text": plain(answers.text),
        "reason": Coded(decided.reason, decided.reasons),
        "evidence": _lists(decided.evidence),
        "mind": Coded(decided.how, MINDS),
    }


def measure_rows(measured: Mapping[str, Mapping[str, float]], tick: int) -> Columns:
    """Build rows of `measures` from values by measure and group."""
    names: list[str] = []
    groups: list[str] = []
    values: list[float] = []
    for measure, by_group in measured.items():
        names += [measure] * len(by_group)
        groups += by_group
        values += by_group.values()
    return {
        "tick": np.full(len(names), tick, np.int32),
        "measure": plain(names),
        "group": plain(groups),
        "value": np.array(values, np.float64),
    }


def flow_rows(flows: Sequence["Flow"], tick: int) -> Columns:
    """Build rows of `ledger` from flows between kinds of accounts."""
    return {
        "tick": np.full(len(flows), tick, np.int32),
        "from": plain([flow.source for flow in flows]),
        "to": plain([flow.to for flow in flows]),
        "why": plain([flow.why for flow in flows]),
        "cents": np.array([flow.cents for flow in flows], np.int64),
        "payments": np.array([flow.payments for flow in flows], np.int64),
    }


def status_of(population: "Population", tick: int) -> Columns:
    """Copy the recorded attributes of all agents of a population, with tick and agent.

    Values of agents without an attribute are masked.
    """
    status = population.memory.status
    texts = status.labels
    rows = population.cohort().rows
    shown: Columns = {
        "tick": np.full(len(rows), tick, np.int32),
        "agent": population.ids[rows].astype(np.int32),
    }
    for name, declared in population.recorded.items():
        codes = status.encoded(name)[rows]
        present = status.presence(name)
        if present is not None:
            codes = np.ma.array(codes, mask=~present[rows])
        labels = texts if declared.kind == "text" else declared.labels
        shown[name] = Coded(codes, labels) if len(labels) else codes
    return shown


def text_rows(numbers: NDArray[np.int32], texts: "Texts") -> Columns:
    """Build rows of `texts` from numbers of texts, in alphabetical order."""
    ordered = sorted((texts[number], number) for number in numbers.tolist())
    return {
        "hash": texts.hash_of(np.array([number for _, number in ordered], np.int32)),
        "text": plain([text for text, _ in ordered]),
    }


def frame_rows(frame: "pd.DataFrame") -> Columns:
    """Build rows of a static table from a data frame."""
    return {
        str(column): values.to_numpy() if values.dtype.kind in "biuf" else plain(list(values))
        for column, values in frame.items()
    }


def plain(texts: Sequence[str]) -> NDArray[np.object_]:
    """Return texts as an array of objects, for a column of many different texts."""
    return np.array(texts, object)


def _lists(evidence: NDArray[np.int32]) -> Lists:
    """Convert ids of memories, shape (rows, most), -1 for none, to lists."""
    present = evidence >= 0
    return Lists(present.sum(axis=1, dtype=np.int32), evidence[present])


def _hashes(numbers: NDArray[np.int32], texts: "Texts") -> NDArray[np.int64]:
    """Return the hashes of texts by number; 0 for none."""
    if not len(numbers) or numbers.max() < 0:
        return np.zeros(len(numbers), np.int64)
    hashes = texts.hash_of(np.where(numbers < 0, numbers.max(), numbers))
    return np.where(numbers < 0, 0, hashes)


ALL_TIED = 5_000  # largest number of agents of which all ties are recorded (choice)
MOST_TIED = 400
"""Number of agents whose ties are recorded in larger societies, unless the scenario records all
(choice)."""


def static_tables(society: "SocietyBase[Any]") -> dict[str, pd.DataFrame]:
    """Collect the tables of a society that do not change in a run, by name.

    These are `Society.static_tables`, and unless they include them, `zones` and `outlines` of the
    place and `ties` of the first population, see `ties_table`. Empty if the settings do not record
    the world.
    """
    if "world" not in society.settings.record.tables:
        return {}
    tables = dict(society.static_tables())
    if society.place is not None and "zones" not in tables:
        tables["zones"] = zones_table(society.place)
        if society.place.outlines is not None:
            tables["outlines"] = society.place.outlines
    people = society.populations[0] if society.populations else None
    if people is not None and len(people.ties) and "ties" not in tables:
        tables["ties"] = ties_table(people.ties, people.ids)
    return tables


def zones_table(place: "Place") -> pd.DataFrame:
    """Return the zones of a place in the order of their numbers."""
    zones = place.table.copy()
    zones["label"] = place.labels
    zones["number"] = np.arange(len(zones))
    return zones


def ties_table(ties: "Ties", ids: NDArray[np.int64]) -> pd.DataFrame:
    """Return the ties among agents, each of a kind once: source, target (unique_id), kind.

    Of more than `ALL_TIED` agents, only the ties in a connected sample of `MOST_TIED` are returned.
    """
    is_small = ties.agents <= ALL_TIED
    chosen = np.arange(ties.agents) if is_small else ties.connected_sample(MOST_TIED)
    inside = np.zeros(ties.agents, bool)
    inside[chosen] = True
    parts = []
    for kind, network in ties.items():
        count = network.count(chosen)
        source = np.repeat(chosen, count)
        starts = np.repeat(network.starts[chosen] - np.cumsum(count) + count, count)
        target = network.contacts[starts + np.arange(len(source))]
        once = (source < target) & inside[target]
        ends = {"source": ids[source[once]], "target": ids[target[once]]}
        parts.append(pd.DataFrame(ends).assign(kind=kind))
    return pd.concat(parts, ignore_index=True)
