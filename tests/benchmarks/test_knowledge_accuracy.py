"""The accuracy of key memories, tags and search by situation is measured as described."""

import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def accuracy() -> Iterator[Any]:
    sys.path.insert(0, str(FOLDER))
    try:
        yield importlib.import_module("knowledge_accuracy")
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture(scope="module")
def small(accuracy: Any) -> Any:
    """One person of the town with 15 questions, for some of which search misses evidence."""
    town = accuracy.town()
    stream = town.streams[5]
    return replace(town, streams=(replace(stream, questions=stream.questions[:15]),))


def test_labels_are_of_the_drawn_memories(accuracy: Any) -> None:
    labels = [line.split("|") for line in accuracy.lines(accuracy.FOLDER / "feelings.txt")]
    assert Counter(label[0] for label in labels) == {"talks": 100, "town": 100}
    assert {label[3] for label in labels} == set(accuracy.FEELINGS)
    chance = importlib.import_module("memopolis.sim.chance").Chance(7)
    for material in (accuracy.talks(), accuracy.town()):
        every = [(s.name, str(i)) for s in material.streams for i in range(len(s.memories))]
        draws = chance.uniform("labelled", np.arange(len(every)))
        drawn = [every[i] for i in sorted(np.argsort(draws)[:100].tolist())]
        assert [(one[1], one[2]) for one in labels if one[0] == material.name] == drawn


def test_tags_are_counted_against_the_labels(accuracy: Any) -> None:
    table = accuracy.feeling_table([accuracy.town()])
    ((name, right, never, positive, _, negative, _, urgent),) = table.rows
    assert (name, right, never) == ("town", "76%", "69%")
    assert (positive, negative, urgent) == ("6 of 9", "5 of 6", "2")


def test_pinned_evidence_is_in_every_context(accuracy: Any, small: Any) -> None:
    without, _ = accuracy.contexts(small, None)
    with_evidence, _ = accuracy.contexts(small, 0)
    assert without.mean() < 1
    assert (with_evidence == 1).all()
    others, _ = accuracy.contexts(small, 1)
    assert ((others >= 0) & (others <= 1)).all()


def test_a_known_situation_concerns_questions_with_such_evidence(accuracy: Any, small: Any) -> None:
    result = accuracy.situations(small)
    assert set(result) == {"time", "feeling"}
    for plain, situated in result.values():
        assert 0 < len(plain) == len(situated) <= 15
        assert ((situated >= 0) & (situated <= 1)).all()


def test_promoted_key_memories_come_from_questions(accuracy: Any) -> None:
    town = accuracy.town()
    stream = town.streams[4]
    memory = accuracy.promoted(replace(town, streams=(stream,)))
    keys = list(memory[0].observed.layers.key)
    assert keys
    assert {key.source for key in keys} == {"auto"}
    unasked = accuracy.promoted(replace(town, streams=(replace(stream, questions=()),)))
    assert not {key.text for key in keys} & {key.text for key in unasked[0].observed.layers.key}
