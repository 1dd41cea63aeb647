"""Equal searches of agents that act in turn are computed together, with unchanged results."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis import Agent, Block, Filter, Settings, Society, attribute
from memopolis.sim.memory.retrieval import plan
from memopolis.sim.memory.retrieval.recollection import Recollections

AGENTS = 40
QUERIES = ("a storm at the harbour", "bread", "a storm at the harbour")


class Person(Agent):
    """An agent with a memory."""

    level: float = attribute(0.0, "Anything")


class Recall(Block):
    """Recall in turn, by a function of the test."""

    def __init__(self, recall: Callable[[Person], Any]) -> None:
        self.recall = recall

    def act(self, person: Person) -> None:
        self.recall(person)


def society(recall: Callable[[Person], Any]) -> Society[Settings]:
    class Town(Society[Settings]):
        def build(self, settings: Settings) -> None:
            people = self.populate(Person, settings.agents, blocks=[Recall(recall)])
            rng = np.random.default_rng(1)
            for number in range(60):
                texts = [f"Saw {w} at place {number % 7}" for w in ("a storm", "bread", "a ship")]
                chosen = [texts[i] for i in rng.integers(0, 3, len(people))]
                stream = people.memory.stream
                stream.add("social", chosen, importance=rng.random(len(people)), place=number % 3)

    return Town(agents=AGENTS, rng=1)


def together(
    search: Callable[[Person], Recollections], change: Callable[[Person], Any] | None = None
) -> tuple[list[Recollections], list[Recollections]]:
    """Return what agents recall in their turns, and what they recall alone; the same if equal."""
    pooled: list[Recollections] = []
    alone: list[Recollections] = []
    for results in (pooled, alone):

        def act(person: Person, results: list[Recollections] = results) -> None:
            memory = person.population.memory
            turns = memory.turns
            memory.turns = turns if results is pooled else None
            results.append(search(person))
            memory.turns = turns
            if change is not None:
                change(person)

        town = society(act)
        town.step()
        town.step()
        stream = town.population("person").memory.observed[3].stream
        results.append(stream.read(range(60)))
    return pooled, alone


@pytest.mark.parametrize("query", [*QUERIES, "", "ships"])
@pytest.mark.parametrize("profile", ["recall", "lasting", "town", "working"])
def test_agents_recall_what_they_recall_alone(query: str, profile: str) -> None:
    pooled, alone = together(lambda person: person.memory.stream.search(query, 5, profile=profile))
    assert pooled == alone
    assert any(pooled)


def test_arguments_are_those_of_each_search() -> None:
    where = Filter(place=1)

    def search(person: Person) -> Recollections:
        first = person.memory.stream.search("bread", 3, where=where, explain=True)
        second = person.memory.observed.stream.search("bread", 3, feeling=0.5, actor=2)
        return Recollections([*first, *second])

    pooled, alone = together(search)
    assert pooled == alone


def test_results_follow_new_texts_and_merged_memories() -> None:
    def change(person: Person) -> None:
        person.memory.stream.add("social", f"Saw a storm with {person.unique_id} others")
        person.memory.stream.add("social", "Saw bread at place 1", importance=1.0, merge=True)

    def search(person: Person) -> Recollections:
        person.memory.stream.search("bread", 2)
        change(person)
        return person.memory.stream.search("bread", 4)

    pooled, alone = together(search, change)
    assert pooled == alone


def test_one_pass_serves_many_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []

    run_plan = plan.run_plan

    def counted(prepared: Any, streams: Any, rows: Any, *arguments: Any, **options: Any) -> Any:
        passes.append(len(rows))
        return run_plan(prepared, streams, rows, *arguments, **options)

    monkeypatch.setattr(plan, "run_plan", counted)
    town = society(lambda person: person.memory.stream.search("bread", 5, profile="town"))
    town.step()
    assert passes
    assert len(passes) < AGENTS / 5
    assert sum(passes) < 2 * AGENTS


def test_a_search_of_another_population_or_after_the_block_is_its_own() -> None:
    town = society(lambda person: person.population.memory[0].stream.search("bread"))
    town.step()
    assert town.population("person").memory.turns is None
