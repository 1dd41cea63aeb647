"""Measure key memories, tags of feeling, and search by situation on the project's own test sets.

    python benchmarks/knowledge_accuracy.py

The test sets are those of `quality.py`. docs/sleep-and-knowledge.md has the conclusions.
"""

# ruff: noqa: E402 - libraries read these when they are imported
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from collections.abc import Sequence

import numpy as np
from context_quality import best_sentence, token_f1
from numpy.typing import NDArray
from quality_material import town
from quality_pages import Table, marked
from quality_recall import remember
from quality_shapes import FOLDER, Material, Question, lines
from quality_tables import difference
from quality_talks import talks

from memopolis.sim.memory.context_tags import (
    BAD,
    GOOD,
    URGENT,
    ContextExtractor,
    count_words,
    mark,
)
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.recollection import Recollections

BUDGET = 1_000
PINNED = 10
"""Questions whose evidence is pinned together."""
DEPTH = 10
FEELINGS = {"+": GOOD, "-": BAD, "0": 0}
MOODS = {GOOD: "positive", BAD: "negative"}

Values = NDArray[np.float64]


def promoted_table(materials: Sequence[Material]) -> Table:
    """How many promoted key memories are evidence of a question, and how many memories are."""
    rows = []
    for material in materials:
        right: list[bool] = []
        later: list[bool] = []
        shares = []
        memory = promoted(material)
        for row, stream in enumerate(material.streams):
            known, others = evidence(stream.questions), evidence(stream.questions[1::2])
            shares.append(len(known) / len(stream.memories))
            for key in memory[row].observed.layers.key:
                members = memory[row].observed.stream.read(key.memories)
                sources = {one.id for one in members if key.text in one.text or len(members) == 1}
                right.append(bool(sources & known))
                later.append(bool(sources & others))
        counts = (f"{sum(one)} of {len(one)}" for one in (right, later))
        rows.append((material.name, *counts, f"{np.mean(shares):.0%}"))
    head = ("test set", "evidence of a question", "of one that is still to come", "of all memories")
    return Table("Promoted key memories that are evidence", head, rows)


def promoted(material: Material) -> Memory:
    """Return a memory whose agents had a context for every second of their questions."""
    memory = remember(material)
    for person, stream in zip(memory, material.streams, strict=True):
        for question in stream.questions[::2]:
            person.context(question.text, BUDGET)
        len(person.layers.key)  # promotes what is due
    return memory


def evidence(questions: Sequence[Question]) -> set[int]:
    """Places of the evidence of questions."""
    return {at for question in questions for at in question.evidence}


def key_table(materials: Sequence[Material]) -> Table:
    """Evidence in a context and F1 of its best sentence, without and with pinned evidence."""
    rows = []
    for material in materials:
        without = contexts(material, None)
        for name, shift in (("none", None), ("its evidence among others", 0), ("others", 1)):
            recalled, f1 = contexts(material, shift)
            away = "" if shift is None else difference(f1 - without[1])
            lift = "" if shift is None else f"{f1.mean() / without[1].mean() - 1:+.0%}"
            cells = (f"{100 * recalled.mean():.1f}", f"{100 * f1.mean():.1f}", away, lift)
            rows.append((material.name, name, *cells))
    head = ("test set", "key memories", "evidence, %", "token F1, %", "change of F1", "relative")
    return Table(f"Contexts of {BUDGET:,} tokens", head, rows)


def contexts(material: Material, shift: int | None) -> tuple[Values, Values]:
    """Measure the context of each question: share of its evidence, F1 of its best sentence.

    Args:
        material: The test set.
        shift: The evidence of ten consecutive questions is pinned: 0 of those that are asked, 1
            of the next ten; None for nothing.
    """
    memory = remember(material)
    measured = []
    for row, stream in enumerate(material.streams):
        asked = stream.questions
        groups = [asked[at : at + PINNED] for at in range(0, len(asked), PINNED)]
        for number, group in enumerate(groups):
            key = memory[row].layers.key
            key.delete([one.id for one in key])
            pins = evidence(groups[(number + shift) % len(groups)]) if shift is not None else set()
            for at in sorted(pins):
                key.add(stream.memories[at].text)
            measured += [answered(memory, row, one, pins) for one in group]
    recalled, f1 = np.array(measured).T
    return recalled, f1


def answered(memory: Memory, row: int, question: Question, pins: set[int]) -> tuple[float, float]:
    """Share of the evidence in a question's context, pinned or recalled, and F1."""
    context = memory[row].observed.context(question.text, BUDGET)
    known = pins | set(context.evidence)
    sentence = best_sentence(context, question.text)
    share = len(known & set(question.evidence)) / len(question.evidence)
    return share, token_f1(sentence, question.answer)


def feeling_table(materials: Sequence[Material]) -> Table:
    """How often the tags for feeling agree with the labels of `quality/feelings.txt`."""
    rows = []
    for material in materials:
        texts = {stream.name: stream.memories for stream in material.streams}
        labels, marks = [], []
        for line in lines(FOLDER / "feelings.txt"):
            name, stream_name, place, label = line.split("|")
            if name == material.name:
                labels.append(FEELINGS[label])
                marks.append(mark(*count_words(texts[stream_name][int(place)].template)))
        wanted = np.array(labels)
        tags = np.array(marks)
        feelings = tags & (GOOD | BAD)
        cells = [f"{np.mean(feelings == wanted):.0%}", f"{np.mean(wanted == 0):.0%}"]
        for feeling in (GOOD, BAD):
            both = ((feelings == feeling) & (wanted == feeling)).sum()
            cells.append(f"{both} of {(feelings == feeling).sum()}")
            cells.append(f"{both} of {(wanted == feeling).sum()}")
        rows.append((material.name, *cells, str(((tags & URGENT) > 0).sum())))
    head = (
        "test set",
        "right",
        "right if never tagged",
        "positive: tags right",
        "positive: memories tagged",
        "negative: tags right",
        "negative: memories tagged",
        "tagged urgent",
    )
    return Table("Tags of feeling of 100 memories per test set", head, rows)


def situation_table(materials: Sequence[Material]) -> Table:
    """Evidence in the best ten if the situation of the evidence is known."""
    rows = []
    for material in materials:
        for known, (plain, situated) in situations(material).items():
            shares = (f"{100 * one.mean():.1f}" for one in (plain, situated))
            lift = f"{situated.mean() / plain.mean() - 1:+.0%}"
            cells = (str(len(plain)), *shares, difference(situated - plain), lift)
            rows.append((material.name, known, *cells))
    head = (
        "test set",
        "known of the evidence",
        "questions",
        "search, %",
        "by situation, %",
        "change",
        "relative",
    )
    return Table(f"Evidence in the best {DEPTH}, by search and by contextual search", head, rows)


def situations(material: Material) -> dict[str, tuple[Values, Values]]:
    """Shares of the evidence in the best ten by search, and if its situation is known.

    Returns:
        For the questions whose first evidence has a tag of time (work hours, late night, weekend),
        and for those whose first evidence has a tag of feeling: the shares of both searches.
    """
    extractor = ContextExtractor()
    memory = remember(material, extractor=extractor)
    measured: dict[str, list[tuple[float, float]]] = {"time": [], "feeling": []}
    for row, stream in enumerate(material.streams):
        view = memory.observed[row].stream
        for question in stream.questions:
            first = stream.memories[question.evidence[0]]
            tags = memory.tags.names(extractor.tags_of_time(memory, first.tick))
            mood = MOODS.get(mark(*count_words(first.template)) & (GOOD | BAD))
            wanted = set(question.evidence)
            plain = share(view.search(question.text, k=DEPTH), wanted)
            if tags:
                timely = view.contextual(question.text, tags=tags, k=DEPTH)
                measured["time"].append((plain, share(timely, wanted)))
            if mood:
                felt = view.contextual(question.text, emotion=mood, k=DEPTH)
                measured["feeling"].append((plain, share(felt, wanted)))
    tables = {name: np.array(pairs).T for name, pairs in measured.items()}
    return {name: (one[0], one[1]) for name, one in tables.items()}


def share(memories: Recollections, wanted: set[int]) -> float:
    """Share of the wanted memories among some."""
    return len({one.id for one in memories} & wanted) / len(wanted)


if __name__ == "__main__":
    test_sets = (talks(), town())
    for make in (promoted_table, key_table, feeling_table, situation_table):
        table = make(test_sets)
        print(f"{table.title}\n\n{marked(table)}\n")
