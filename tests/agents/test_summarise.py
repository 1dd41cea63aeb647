"""A society whose mind writes summaries and gists."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from memopolis.agents.blocks.summarise import Summarise
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.mind.mind import Answer, Mind, Question, RuleMind

MakeVillage = Callable[..., Any]

LAYERS = LayerSettings(short_term_size=3, hit_threshold=1, top_k=1)


def summarising(village: MakeVillage, agents: int = 4) -> Any:
    made = village(agents=agents, start="2026-01-01 08:00")
    made.give(made.citizens, Summarise(LAYERS))
    return made


def live(made: Any, row: int, count: int, text: str = "Saw a heron at pond {}.") -> None:
    stream = made.citizens.agents[row].memory.stream
    for at in range(count):
        stream.add("life", text.format(at))


def summaries(made: Any, row: int) -> list[Any]:
    return list(made.citizens.agents[row].memory.observed.layers.long)


class Author(Mind):
    """Writes some answers itself."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[int]]] = []

    def answer(self, question: Question) -> Answer:
        self.asked.append((question.kind, question.cohort.rows.tolist()))
        result = question.rule(question)
        assert result.text is not None
        number = question.cohort.population.memory.texts.intern(f"A {question.kind}. " + "x " * 200)
        text = result.text.copy()
        text[0] = number
        text[1:2] = -1
        return replace(result, text=text)


def test_every_ten_memories_are_summarised_by_the_rule(village: MakeVillage) -> None:
    made = summarising(village)
    live(made, 0, 25)
    live(made, 2, 10)
    made.step()
    assert [len(summaries(made, row)) for row in range(4)] == [2, 0, 1, 0]
    assert summaries(made, 0)[1].memories == tuple(range(10, 20))
    alone = village(agents=1, start="2026-01-01 08:00").citizens.memory
    alone.deferred = False
    for at in range(10):
        alone[0].stream.add("life", f"Saw a heron at pond {at}.")
    assert summaries(made, 2)[0].text == alone[0].layers.long[0].text
    made.step()
    assert [len(summaries(made, row)) for row in range(4)] == [2, 0, 1, 0]


def test_the_mind_writes_summaries_with_the_rule_as_fallback(village: MakeVillage) -> None:
    made = summarising(village)
    made.mind = Author()
    for row in range(3):
        live(made, row, 10)
    made.step()
    assert made.mind.asked == [("summary", [0, 1, 2])]
    first, second, third = (summaries(made, row)[0].text for row in range(3))
    assert first.startswith("A summary. x x")
    assert len(first) <= 200
    assert second == third  # the rule's, where the mind gave none and where it was asked


def test_a_frequently_recalled_cluster_gets_one_gist(village: MakeVillage) -> None:
    made = summarising(village)
    live(made, 0, 5)
    made.step()
    memory = made.citizens.agents[0].memory
    for _ in range(2):
        memory.context("a heron at the pond", 500)
    assert len(memory.layers.key) == 0  # in a society only the block promotes
    made.mind = Author()
    made.step()
    assert made.mind.asked == [("gist", [0])]
    assert [(one.source, one.text[:7]) for one in memory.layers.key] == [("auto", "A gist.")]
    memory.context("a heron at the pond", 500)
    made.step()
    assert len(made.mind.asked) == 1


def test_without_the_block_no_agent_has_summaries(village: MakeVillage) -> None:
    made = village(agents=2)
    live(made, 0, 30)
    made.step()
    memory = made.citizens.agents[0].memory
    assert list(memory.layers.long) == []
    assert memory.context("now", 2_000).part("long") is None
    assert "summaries" not in memory.status


def test_forgotten_memories_do_not_block_summaries(village: MakeVillage) -> None:
    made = summarising(village)
    live(made, 0, 30)
    made.step()
    live(made, 1, 30)
    made.citizens.agents[1].memory.stream.forget(np.arange(20))
    made.step()
    assert [one.id for one in summaries(made, 1)] == [20]
    made.step()
    assert [one.id for one in summaries(made, 1)] == [20]


class Quiet(RuleMind):
    """Says nothing at all."""

    def answer(self, question: Question) -> Answer:
        return Answer(np.full(len(question.cohort), np.nan))


def test_an_empty_answer_is_replaced_by_the_rule(village: MakeVillage) -> None:
    silent, ruled = summarising(village), summarising(village)
    silent.mind = Quiet()
    for made in (silent, ruled):
        live(made, 0, 10)
        made.step()
    assert summaries(silent, 0) == summaries(ruled, 0) != []


def test_a_cluster_of_small_talk_is_promoted_without_a_question(village: MakeVillage) -> None:
    made = summarising(village)
    stream = made.citizens.agents[0].memory.stream
    for _ in range(8):
        stream.add("social", "Sure, here you go.")
    made.step()
    for _ in range(3):
        stream.search("sure, here", k=8)
        made.citizens.agents[0].memory.context("sure, here", 500)
    made.mind = Author()
    made.step()
    made.step()
    assert made.mind.asked == []
    assert list(made.citizens.agents[0].memory.observed.layers.key) == []
