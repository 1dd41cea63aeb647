"""An agent is a row; one verb serves one or many."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import (
    BlockError,
    ParameterError,
    SchemaError,
    StateError,
    UnknownNameError,
)
from memopolis.sim.population import Agent, Cohort, Population, attribute, snake_case
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.world.ties import Network, Ties


class Villager(Agent):
    """A person of the tests."""

    name: str = attribute("nobody")
    hunger: float = attribute(0.5, unit="1", low=0, high=1)
    age: int = attribute(30, dtype="i2")
    awake: bool = attribute(default=True)
    mood: dict[str, float] = attribute({"joy": 1.0, "fear": 0.0})
    friends: list[str] = attribute([])


class Elder(Villager, float_dtype="f4"):
    """A villager with more attributes."""

    wisdom: float = attribute(2.0)


def society_of(agents: int = 4, **status: Any) -> tuple[Society[Settings], Population]:
    society: Society[Settings] = Society(rng=1)
    return society, society.populate(Villager, agents, status=status)


@pytest.fixture
def people() -> Population:
    return society_of(4, hunger=np.array([0.1, 0.2, 0.3, 0.4]))[1]


def test_an_attribute_is_declared_and_accessed_by_name(people: Population) -> None:
    third: Any = people.agents[2]
    assert third.hunger == pytest.approx(0.3)
    third.hunger = 0.9
    assert people.cohort()["hunger"].tolist() == pytest.approx([0.1, 0.2, 0.9, 0.4])
    assert (third.name, third.age, third.awake) == ("nobody", 30, True)
    assert third.mood == {"joy": 1.0, "fear": 0.0}
    third.mood = {"fear": 7.5}
    assert third.mood == {"joy": 1.0, "fear": 7.5}
    third.name = "Ann"
    assert people.cohort()["name"].tolist() == ["nobody", "nobody", "Ann", "nobody"]


def test_single_values_are_python_types(people: Population) -> None:
    one: Any = people.agents[0]
    assert [type(v) for v in (one.hunger, one.age, one.awake, one.name)] == [float, int, bool, str]
    assert isinstance(one.friends, list)
    assert isinstance(one.mood, dict)


def test_a_change_of_a_value_that_was_read_is_refused(people: Population) -> None:
    one: Any = people.agents[0]
    with pytest.raises(StateError, match="'friends' is a copy, so this change would be lost"):
        one.friends.append("Bob")
    with pytest.raises(StateError, match="'mood' is a copy, so this change would be lost"):
        one.mood["fear"] = 9.0
    one.friends += ["Bob"]
    one.mood |= {"fear": 9.0}
    assert (one.friends, one.mood) == (["Bob"], {"joy": 1.0, "fear": 9.0})


def test_reading_returns_a_copy(people: Population) -> None:
    for cohort in (people.cohort(), people.cohort().where(np.array([1, 0, 1, 1], bool))):
        cohort["hunger"][:] = 9
        cohort["mood"]["joy"][:] = 9
        cohort.codes("hunger")[:] = 9
    assert people.cohort()["hunger"].max() < 1
    assert people.cohort()["mood.joy"].max() == 1


def test_a_population_reads_all_rows_without_a_copy(people: Population) -> None:
    hunger = people["hunger"]
    people.agents[1].remove()
    people.cohort()["hunger"] = 0.7
    assert hunger.tolist() == people["hunger"].tolist() == [0.7, 0.2, 0.7, 0.7]
    people.add(1)
    assert people["hunger"].tolist() == [0.7, 0.2, 0.7, 0.7, 0.5]
    assert people["name"].tolist() == ["nobody"] * 5
    assert people["mood"]["joy"].tolist() == people["mood.joy"].tolist() == [1.0] * 5


@pytest.mark.parametrize("name", ["hunger", "age", "awake", "name", "friends"])
def test_an_array_of_a_population_cannot_be_written(people: Population, name: str) -> None:
    values = people[name]
    with pytest.raises(ValueError, match="read-only"):
        values[0] = values[1]


def test_a_population_is_written_by_row(people: Population) -> None:
    people["hunger"] = 0.5
    people.at(np.array([3, 1]))["hunger"] = [0.8, 0.9]
    people.at(np.array([2]))["hunger"] += 0.25
    assert people["hunger"].tolist() == [0.5, 0.9, 0.75, 0.8]
    people["name"] = np.array(["Ann", "Bob", "Cem", "Dan"], object)
    assert people.at(np.array([1, 1]))["name"].tolist() == ["Bob", "Bob"]


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("hunger", [0.1, 0.2], ParameterError, r"needed is one value or shape \(4,\)"),
        ("hunger", np.zeros(1), ParameterError, r"needed is one value or shape \(4,\)"),
        ("age", np.full(4, 40_000), SchemaError, "from -32768 to 32767, got 40000"),
        ("age", 1.5, SchemaError, "'age' is of type int, got 1.5"),
        ("awake", np.zeros(4, np.int64) + 2, SchemaError, "'awake' is of type bool"),
        (["hunger", "age"], 1, ParameterError, "the name of an attribute"),
    ],
)
def test_values_that_do_not_fit_are_refused_wherever_they_are_written(
    people: Population, name: Any, value: Any, error: type[Exception], message: str
) -> None:
    for target in (people, people.cohort(), people.at(np.array([3, 0, 1, 2]))):
        with pytest.raises(error, match=message):
            target[name] = value
    assert people["age"].tolist() == [30] * 4


@pytest.mark.parametrize("name", ["wealth", ["hunger", "age"]])
def test_an_attribute_that_does_not_exist_cannot_be_read(people: Population, name: Any) -> None:
    for source in (people, people.cohort(), people.agents[0]):
        with pytest.raises((UnknownNameError, ParameterError), match="attribute"):
            source[name]


def test_a_stray_attribute_is_refused_with_advice(people: Population) -> None:
    one: Any = people.agents[0]
    with pytest.raises(StateError, match=r"declare it on the class: wealth = attribute\(\.\.\.\)"):
        one.wealth = 3
    with pytest.raises(AttributeError):
        one.wealth = 3
    assert not hasattr(one, "wealth")


def test_a_class_inherits_and_adds_columns() -> None:
    assert "wisdom" not in Villager.schema.attributes
    society: Society[Settings] = Society(rng=1)
    elders = society.populate(Elder, 2)
    assert elders.name == "elder"
    assert elders.cohort()["wisdom"].tolist() == [2, 2]
    assert elders.cohort()["hunger"].tolist() == [0.5, 0.5]


def test_a_column_is_declared_with_its_type(people: Population) -> None:
    kinds = {name: people[name].dtype.str.lstrip("<|") for name in ("hunger", "age", "awake")}
    assert kinds == {"hunger": "f8", "age": "i2", "awake": "b1"}


def test_the_floats_of_a_class_may_be_smaller(people: Population) -> None:
    society: Society[Settings] = Society(rng=1)
    elders = society.populate(Elder, 2)
    assert [elders[name].dtype.str for name in ("hunger", "wisdom")] == ["<f8", "<f4"]
    young: Any = people.agents[0]
    young.hunger = 20_000_000.01
    assert young.hunger == young["hunger"] == 20_000_000.01


def test_cohorts_are_parts_of_a_population(people: Population) -> None:
    everyone = people.cohort()
    some = everyone.where(everyone["hunger"] > 0.15)
    assert some.rows.tolist() == [1, 2, 3]
    assert len(some) == 3
    assert some.ids.tolist() == [people.agents[row].unique_id for row in (1, 2, 3)]
    assert [agent.row for agent in some] == [1, 2, 3]
    fewer = some.where(np.array([False, True, True]))
    assert fewer.rows.tolist() == [2, 3]
    fewer["hunger"] = np.array([0.8, 0.9], np.float32)
    assert everyone["hunger"].tolist() == pytest.approx([0.1, 0.2, 0.8, 0.9])
    assert some.among(np.array([0, 2])).rows.tolist() == [2]
    assert everyone.among(np.array([0, 2])).rows.tolist() == [0, 2]
    assert some.at(np.array([0])).rows.tolist() == [0]
    assert len(everyone.where(np.zeros(4, np.bool_))) == 0


@pytest.mark.parametrize("length", [0, 1, 1000])
def test_a_mask_has_an_entry_for_each_agent(people: Population, length: int) -> None:
    with pytest.raises(ParameterError, match=rf"mask has shape \({length},\); the cohort has"):
        people.cohort().where(np.ones(length, np.bool_))


def test_one_value_can_be_assigned_to_a_cohort(people: Population) -> None:
    people.cohort().where(np.array([1, 0, 0, 1], bool))["age"] = 7
    assert people.cohort()["age"].tolist() == [7, 30, 30, 7]


def test_streams_have_the_same_methods_for_one_agent_and_many(people: Population) -> None:
    people.agents[1].memory.stream.add("social", "Hello.")
    people.cohort().memory.stream.add("social", "Hello all.")
    people.memory.flush()
    assert [len(one.memory.stream) for one in people.agents] == [1, 2, 1, 1]
    assert people.agents[1].memory.unique_id == people.agents[1].unique_id


def test_ids_name_agents_across_populations() -> None:
    society: Society[Settings] = Society(rng=1)
    first = society.populate(Villager, 3)
    second = society.populate(Elder, 2)
    ids = [*first.ids.tolist(), *second.ids.tolist()]
    assert len(set(ids)) == 5
    assert second.row_of(ids[4]) == 1
    for wrong in (ids[0], 10_000, -1):
        with pytest.raises(UnknownNameError, match=f"no elder has the id {wrong}"):
            second.row_of(wrong)


def test_names_are_found_across_populations() -> None:
    society: Society[Settings] = Society(rng=1)
    first = society.populate(Villager, 2, status={"name": np.array(["Ann", "Bob"])})
    assert society.name_of(int(first.ids[1])) == "Bob"
    assert society.name_of(-1) == "someone"
    assert society.name_of(999) == "someone"


def test_joining_agents_start_with_the_defaults(people: Population) -> None:
    people.agents[0].memory.stream.add("social", "Hello.")
    people.memory.flush()
    new = people.add(2)
    assert new.rows.tolist() == [4, 5]
    assert len(people) == len(people.cohort()) == 6
    assert new["hunger"].tolist() == [0.5, 0.5]
    assert people.cohort()["hunger"].tolist()[:4] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert [len(one.memory.stream) for one in people.agents] == [1, 0, 0, 0, 0, 0]
    people.agents[5].memory.stream.add("social", "New here.")
    assert people.agents[5] in people.agents[0].model.agents
    with pytest.raises(ParameterError, match="count is 0; a whole number of at least 1"):
        people.add(0)


def test_rows_are_never_reused(people: Population) -> None:
    gone: Any = people.agents[1]
    gone.remove()
    assert people.cohort().rows.tolist() == [0, 2, 3]
    assert people.cohort()["hunger"].tolist() == pytest.approx([0.1, 0.3, 0.4])
    assert gone not in people.agents[0].model.agents
    new = people.add()
    assert new.rows.tolist() == [4]
    assert people.cohort().rows.tolist() == [0, 2, 3, 4]
    assert people.row_of(gone.unique_id) == 1
    assert gone.hunger == pytest.approx(0.2)


def test_a_cohort_is_unchanged_when_agents_join(people: Population) -> None:
    before = people.cohort()
    people.add()
    assert len(before) == 4
    assert before["hunger"].shape == (4,)
    before["hunger"] = np.zeros(4, np.float32)
    assert people.cohort()["hunger"].tolist() == [0, 0, 0, 0, 0.5]


def test_ties_lead_to_agents() -> None:
    society: Society[Settings] = Society(rng=1)
    ties = Ties(3, {"friend": Network(3, [0, 0], [1, 2])})
    people = society.populate(Villager, 3, ties=ties)
    assert [one.row for one in people.agents[0].ties("friend")] == [1, 2]
    assert [one.row for one in people.agents[2].ties("friend")] == [0]
    people.add()
    assert people.agents[3].ties("friend") == []


@pytest.mark.parametrize("values", [np.zeros(3), np.zeros((4, 2)), 1.0])
def test_initial_values_have_one_entry_per_agent(values: object) -> None:
    with pytest.raises(ParameterError, match="4 values are needed"):
        society_of(4, hunger=values)


def test_initial_values_must_have_the_declared_type() -> None:
    with pytest.raises((SchemaError, ValueError)):
        society_of(2, hunger=np.array(["a", "b"]))


def test_a_population_must_be_new_and_not_empty() -> None:
    society, _ = society_of()
    with pytest.raises(BlockError, match="the population 'villager' exists already"):
        society.populate(Villager, 2)
    with pytest.raises(ParameterError, match="at least 1"):
        society.populate(Elder, 0)


def test_a_refused_population_leaves_no_agents() -> None:
    society, people = society_of(3)
    with pytest.raises(BlockError):
        society.populate(Villager, 2)
    assert len(society.agents) == len(people)
    assert [p.name for p in society.populations] == ["villager"]


def test_an_unknown_attribute_is_refused_by_name(people: Population) -> None:
    with pytest.raises(UnknownNameError, match="no attribute 'wealth'; there are: age, alive"):
        people.cohort()["wealth"]


def test_an_empty_cohort_reads_and_writes_nothing(people: Population) -> None:
    empty = Cohort(people, np.zeros(0, np.intp))
    assert empty["hunger"].shape == (0,)
    assert empty["name"].shape == (0,)
    empty["hunger"] = np.zeros(0, np.float32)
    empty.memory.stream.add("social", "Nobody hears.")
    assert list(empty) == []


@pytest.mark.parametrize(
    ("name", "snake"),
    [("Citizen", "citizen"), ("StatisticsBureau", "statistics_bureau"), ("A", "a")],
)
def test_classes_are_named_in_snake_case(name: str, snake: str) -> None:
    assert snake_case(name) == snake


class Child(Villager):
    """Another class whose agents join in between."""


def test_names_are_found_where_ids_of_populations_interleave() -> None:
    society, villagers = society_of(2)
    children = society.populate(Child, 2)
    villagers.add(1)
    children.add(1)
    for agent in (*villagers.agents, *children.agents):
        agent["name"] = f"n{agent.unique_id}"
    assert [society.name_of(n) for n in range(1, 8)] == [
        "n1", "n2", "n3", "n4", "n5", "n6", "someone",
    ]  # fmt: skip


class Person(Agent):
    """Who holds two attitudes."""

    attitude: dict[str, float] = attribute({"trust": 5.0, "fear": 1.0})
    pace: int = attribute(3)


class Runner(Person):
    """Who holds another, and has a pace of another type."""

    attitude: dict[str, float] = attribute({"winning": 9.0})
    pace: float = attribute(2.5)  # type: ignore[assignment]


def test_a_subclass_redeclares_an_attribute() -> None:
    assert list(Person.schema.attributes) == ["attitude.trust", "attitude.fear", "pace"]
    assert list(Runner.schema.attributes) == ["attitude.winning", "pace"]
    assert Runner.schema.attributes["pace"].kind == "float"


@pytest.mark.parametrize(
    ("name", "value"),
    [("age", 2**15), ("age", 2.5), ("wisdom", 1e39), ("hunger", "much"), ("awake", 2)],
)
def test_a_number_that_does_not_fit_is_refused_and_changes_nothing(name: str, value: Any) -> None:
    society: Society[Settings] = Society(rng=1)
    agent: Any = society.populate(Elder, 4).agents[2]
    before = getattr(agent, name)
    with pytest.raises(SchemaError, match=name):
        setattr(agent, name, value)
    with pytest.raises(SchemaError, match=name):
        agent[name] = value
    assert getattr(agent, name) == agent[name] == before


def test_numbers_are_stored_in_the_type_of_the_column() -> None:
    society: Society[Settings] = Society(rng=1)
    people = society.populate(Elder, 4)
    agent: Any = people.agents[1]
    agent.hunger, agent.wisdom, agent.age, agent.awake = 0.1, 0.1, 7, False
    assert (agent.hunger, agent.wisdom) == (0.1, float(np.float32(0.1)))
    assert (agent.age, agent.awake) == (7, False)
    agent.hunger, agent.age = np.float64(0.25), np.int64(8)
    assert (type(agent.hunger), agent.hunger, agent.age) == (float, 0.25, 8)
    assert people.cohort()["age"].tolist() == [30, 8, 30, 30]


def _pickled(society: Society[Settings]) -> Any:
    return pickle.loads(pickle.dumps(society))  # noqa: S301 - written here


@pytest.mark.parametrize("copied", [copy.deepcopy, _pickled])
def test_agents_of_a_copy_have_columns_of_their_own(copied: Any) -> None:
    society, people = society_of()
    people.agents[1].age = 30  # an agent that exists is copied, too
    other = copied(society).population("villager")
    other.agents[0].age = 99
    assert other.cohort()["age"].tolist() == [99, 30, 30, 30]
    other.add()
    other.agents[4].age = 50
    assert [agent.age for agent in other.agents] == [99, 30, 30, 30, 50]
    assert people.cohort()["age"].tolist() == [30] * 4


@pytest.mark.parametrize("rows", [[99], [-1], [2**40], [0.5], [True, False], [[0]]])
def test_rows_without_an_agent_are_refused(people: Population, rows: list[Any]) -> None:
    with pytest.raises(ParameterError, match="rows"):
        Cohort(people, np.array(rows))
    with pytest.raises(ParameterError, match="rows"):
        people.cohort().at(np.array(rows))
