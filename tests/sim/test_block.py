"""Behaviours in three forms: what they may see, write, draw and keep."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

from memopolis.sim.block import Block
from memopolis.sim.errors import BlockError, ParameterError, StateError
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Agent, Cohort, Population, attribute
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Villager(Agent):
    """A person of the tests."""

    level: float = attribute(0.0)
    draw: float = attribute(0.0)
    more: float = attribute(0.0)
    mood: dict[str, float] = attribute({"joy": 1.0, "fear": 0.0})


class Rise(Block):
    """Everyone at once."""

    reads: ClassVar[tuple[str, ...]] = ("level",)
    writes = ("level",)

    def step(self, cohort: Cohort) -> None:
        cohort["level"] = cohort["level"] + np.float32(1)


class Climb(Block):
    """One agent at a time."""

    writes = ("level",)

    def act(self, agent: Villager) -> None:
        agent.level = agent.level + 1


class Judge(Block):
    """A mind decides."""

    reads = ("level",)
    writes = ("level",)

    def who(self, cohort: Cohort) -> Cohort:
        return cohort.where(cohort.rows % 2 == 0)

    def perceive(self, cohort: Cohort) -> Question:
        return Question("level", cohort, "rating", higher, known={"old": cohort["level"]})

    def apply(self, cohort: Cohort, decisions: Decisions) -> None:
        cohort["level"] = decisions.value


def higher(question: Question) -> Answer:
    return Answer(question.known["old"] + 10)


def village(*blocks: Block, agents: int = 5, rng: int = 3) -> tuple[Society[Settings], Population]:
    society: Society[Settings] = Society(rng=rng)
    return society, society.populate(Villager, agents, blocks=blocks)


def levels(people: Population, name: str = "level") -> list[float]:
    values: list[float] = people.cohort()[name].tolist()
    return values


# Three forms


def test_a_block_takes_one_of_three_forms() -> None:
    society, people = village(Rise(), Climb(), Judge())
    society.step()
    assert levels(people) == [12, 2, 12, 2, 12]


class Nothing(Block):
    """A behaviour that is none."""


class Both(Block):
    """A behaviour that cannot make up its mind."""

    def step(self, cohort: Cohort) -> None: ...

    def act(self, agent: Any) -> None: ...


@pytest.mark.parametrize(("block", "result"), [(Nothing(), "none"), (Both(), "step, act")])
def test_another_number_of_forms_is_refused(block: Block, result: str) -> None:
    with pytest.raises(BlockError, match=f"exactly one of step, perceive .* defines {result}"):
        village(block)


class Asks(Judge):
    """Has nothing to ask."""

    def perceive(self, cohort: Cohort) -> None:  # type: ignore[override] # noqa: ARG002
        return None


def test_nothing_to_decide_is_no_question() -> None:
    society, _ = village(Asks())
    society.step()


def test_a_block_that_asks_must_also_apply() -> None:
    class Forgot(Block):
        def perceive(self, cohort: Cohort) -> Question:
            return Question("level", cohort, "rating", lambda q: Answer(np.zeros(len(q.cohort))))

    with pytest.raises(BlockError, match="apply"):
        village(Forgot())


def test_a_subclass_keeps_the_form_of_its_base() -> None:
    class Rush(Rise):
        def step(self, cohort: Cohort) -> None:
            super().step(cohort)
            super().step(cohort)

    society, people = village(Rush())
    society.step()
    assert levels(people) == [2] * 5
    assert people.blocks[0].name == "rush"


# Declarations


class Lost(Block):
    """Names what is not there."""

    reads: ClassVar[tuple[str, ...]] = ("level", "wealth")

    def step(self, cohort: Cohort) -> None: ...


class LostToo(Lost):
    """Writes what is not there."""

    reads = ()
    writes = ("mood", "weal")


@pytest.mark.parametrize(("block", "name"), [(Lost(), "wealth"), (LostToo(), "weal")])
def test_reads_and_writes_are_checked_at_start(block: Block, name: str) -> None:
    with pytest.raises(BlockError, match=f"names the attribute '{name}', which Villager"):
        village(block)


def test_a_struct_is_named_whole_or_by_field() -> None:
    class Feels(Rise):
        reads = ("mood", "mood.joy")

    village(Feels())


def test_a_refused_block_is_not_added() -> None:
    society, people = village()
    with pytest.raises(BlockError):
        society.give(people, Lost())
    assert people.blocks == []


def test_a_block_belongs_to_one_population() -> None:
    rise = Rise()
    society, people = village(rise)
    with pytest.raises(BlockError, match="a block 'rise' already"):
        society.give(people, Rise())
    with pytest.raises(BlockError, match="serves a population already"):
        village(rise)


# State


class Counts(Block):
    """Keeps an array it declares, and tries to keep a number it does not."""

    state = ("seen",)

    def setup(self) -> None:
        self.seen = np.zeros(len(self.population))
        self.scale = 2.0

    def step(self, cohort: Cohort) -> None:  # noqa: ARG002
        self.seen = self.seen + self.scale


class Hoards(Counts):
    """Keeps what would be lost."""

    def step(self, cohort: Cohort) -> None:  # noqa: ARG002
        self.total = 3


def test_a_block_keeps_the_arrays_it_declares() -> None:
    society, people = village(Counts())
    society.step()
    society.step()
    (block,) = people.blocks
    assert isinstance(block, Counts)
    assert block.seen.tolist() == [4] * 5


def test_a_stray_attribute_of_a_block_is_refused_with_advice() -> None:
    society, _ = village(Hoards())
    with pytest.raises(StateError, match=r"named in `state = \('total',\)`"):
        society.step()


# Random streams


class DrawsAll(Block):
    """Draws in arrays."""

    def step(self, cohort: Cohort) -> None:
        for n, name in enumerate(("level", "draw", "more")):
            cohort[name] = self.chance.uniform(cohort, "a", n=n)
        cohort["mood.joy"] = self.chance.normal(cohort, "b")
        cohort["mood.fear"] = self.chance.uniform(cohort)


class DrawsOne(Block):
    """Draws the same, agent by agent."""

    @property
    def name(self) -> str:
        return "draws_all"

    def act(self, agent: Villager) -> None:
        agent.level = self.chance.uniform(purpose="a")
        agent.mood = {"joy": self.chance.normal(purpose="b"), "fear": self.chance.uniform()}
        agent.draw = self.chance.uniform(purpose="a")
        agent.more = self.chance.uniform(purpose="a")


def test_a_draw_inside_act_is_the_vectorised_one() -> None:
    both = [village(DrawsAll(), agents=40), village(DrawsOne(), agents=40)]
    for _ in range(3):
        for society, _ in both:
            society.step()
        (_, many), (_, one) = both
        for name in ("level", "draw", "more", "mood.joy", "mood.fear"):
            assert levels(many, name) == levels(one, name)
        assert len(set(levels(many)) | set(levels(many, "draw"))) == 80


def test_other_agents_do_not_change_the_draws_of_an_agent() -> None:
    all_, fewer = village(DrawsOne(), agents=30), village(DrawsOne(), agents=30)
    for row in (0, 7, 29):
        fewer[1].agents[row].remove()
    all_[0].step()
    fewer[0].step()
    kept = fewer[1].cohort().rows
    assert np.array_equal(all_[1].cohort()["draw"][kept], fewer[1].cohort()["draw"])


def test_random_streams_are_named_by_population_and_block() -> None:
    class Other(DrawsAll):
        pass

    first, second = village(DrawsAll()), village(Other())
    first[0].step()
    second[0].step()
    assert not set(levels(first[1])) & set(levels(second[1]))


def test_a_draw_outside_act_needs_a_cohort() -> None:
    class Careless(Block):
        def step(self, cohort: Cohort) -> None:  # noqa: ARG002
            self.chance.uniform()

    society, _ = village(Careless())
    with pytest.raises(BlockError, match=r"needs a cohort: self\.chance\.uniform\(cohort\)"):
        society.step()


class Samples(Block):
    """Draws from a list."""

    def act(self, agent: Villager) -> None:
        drawn = self.chance.sample("abcde", 3)
        assert len(set(drawn)) == 3
        assert sorted(self.chance.sample("ab", 5)) == ["a", "b"]
        assert self.chance.sample([], 2) == []
        agent.level = "abcde".index(drawn[0])


def test_a_sample_is_drawn_without_replacement() -> None:
    society, people = village(Samples(), agents=500)
    society.step()
    counts = np.bincount(np.array(levels(people), int), minlength=5)
    assert counts.min() > 70


class MixedAll(Block):
    """Draws several numbers for all agents."""

    def step(self, cohort: Cohort) -> None:
        first, second = self.chance.normal(cohort, "x", n=0), self.chance.uniform(cohort, "x", n=1)
        third = self.chance.uniform(cohort, "x", n=2)
        cohort["level"] = first + 2 * second
        cohort["draw"] = np.where(cohort.rows % 3 == 0, third, 0)


class MixedOne(Block):
    """Draws the same numbers for one agent at a time."""

    @property
    def name(self) -> str:
        return "mixed_all"

    def act(self, agent: Villager) -> None:
        agent.level = self.chance.normal(purpose="x") + 2 * self.chance.uniform(purpose="x")
        agent.draw = self.chance.uniform(purpose="x") if agent.row % 3 == 0 else 0.0


def test_draws_of_several_kinds_and_of_few_agents_are_the_vectorised_ones() -> None:
    both = [village(MixedAll(), agents=700), village(MixedOne(), agents=700)]
    for _ in range(2):
        for society, _ in both:
            society.step()
        for name in ("level", "draw"):
            assert levels(both[0][1], name) == levels(both[1][1], name)


class Several(Block):
    """Draws several numbers at once."""

    def step(self, cohort: Cohort) -> None:
        draws = self.chance.uniforms(cohort, 3, "x", first=2)
        single = [self.chance.uniform(cohort, "x", n) for n in (2, 3, 4)]
        assert np.array_equal(draws, np.stack(single, axis=1))


def test_several_draws_at_once_are_the_single_ones() -> None:
    society, _ = village(Several(), agents=5)
    society.step()


class Parts(Block):
    """Draws some."""

    def step(self, cohort: Cohort) -> None:
        assert len(self.chance.some(cohort, 0.0)) == 0
        assert len(self.chance.some(cohort, 1.0)) == len(cohort)
        chosen = self.chance.some(cohort, 0.3)
        chosen["level"] = np.ones(len(chosen), np.float32)
        order = self.chance.order(cohort)
        assert sorted(order.tolist()) == list(range(len(cohort)))


def test_some_selects_agents_with_their_probability() -> None:
    society, people = village(Parts(), agents=2_000)
    society.step()
    assert np.mean(levels(people)) == pytest.approx(0.3, abs=0.04)


class Daily(Block):
    """Counts how often it is one's hour."""

    first: ClassVar[float] = 20.0
    span: ClassVar[float] = 8.0

    def step(self, cohort: Cohort) -> None:
        due = self.chance.daily(cohort, self.first, self.span)
        due["level"] = due["level"] + np.float32(1)
        due["draw"] = np.full(len(due), self.clock.hour, np.float32)


@pytest.mark.parametrize("tick", [0.5, 1.0, 3.0, 24.0, 48.0])
def test_the_hour_of_an_agent_comes_once_a_day(tick: float) -> None:
    society: Society[Settings] = Society(rng=1, tick=tick)
    people = society.populate(Villager, 200, blocks=[Daily()])
    days = 4
    for _ in range(round(days * 24 / tick)):
        society.step()
    assert levels(people) == [days * 24 / max(24, tick)] * 200
    if tick < 24:
        hours = np.array(levels(people, "draw"))
        assert ((hours - 20 + tick) % 24 < 8 + tick).all()


# What is seen, and when it is stored


class Looks(Block):
    """Two questions, put one after the other."""

    writes = ("level", "draw")

    def perceive(self, cohort: Cohort) -> Iterator[Question]:
        for name in ("level", "draw"):
            known = {"old": cohort["level"]}
            yield Question(
                name, cohort, "rating", lambda q: Answer(q.known["old"] + 1), known=known
            )

    def apply(self, cohort: Cohort, decisions: Decisions) -> None:
        cohort[decisions.question.kind] = decisions.value


def test_all_decisions_of_a_block_see_the_state_before_it() -> None:
    society, people = village(Looks())
    society.step()
    assert levels(people) == [1] * 5
    assert levels(people, "draw") == [1] * 5


class Gossip(Block):
    """Adds, then looks."""

    def act(self, agent: Villager) -> None:
        neighbour = self.population.agents[(agent.row + 1) % len(self.population)]
        agent.draw = len(agent.memory.stream)
        agent.level = len(agent.memory.stream.search("a tale", k=3))
        neighbour.memory.stream.add("social", "A tale was told.", actor=agent)


def test_new_memories_are_stored_when_the_block_ends() -> None:
    society, people = village(Gossip())
    society.step()
    assert levels(people) == [0] * 5
    assert levels(people, "draw") == [0] * 5
    assert [len(one.memory.stream) for one in people.agents] == [1] * 5
    society.step()
    assert levels(people) == [1] * 5


def test_status_written_by_act_is_seen_at_once_in_row_order() -> None:
    class Follow(Block):
        def act(self, agent: Villager) -> None:
            before: Any = self.population.agents[agent.row - 1]
            agent.level = before.level + 1 if agent.row else 1

    society, people = village(Follow())
    society.step()
    assert levels(people) == [1, 2, 3, 4, 5]


class Recalls(Block):
    """Recalls one memory."""

    def step(self, cohort: Cohort) -> None:
        ids = cohort.memory.stream.search("a tale", k=1).ids
        accesses: NDArray[Any] = cohort.memory.stream.column("accesses", ids)
        cohort["more"] = accesses[:, 0].astype(np.float32)


def test_accesses_are_recorded_after_the_block() -> None:
    society, people = village(Recalls())
    people.cohort().memory.stream.add("social", "A tale.")
    people.memory.flush()
    society.step()
    assert levels(people, "more") == [0] * 5
    society.step()
    assert levels(people, "more") == [1] * 5


def test_an_answer_has_one_entry_an_agent() -> None:
    class Short(Judge):
        def perceive(self, cohort: Cohort) -> Question:
            return Question("level", cohort, "rating", lambda _: Answer(np.zeros(2)))

    society, _ = village(Short())
    with pytest.raises(ParameterError, match="2 entries of value for 3 agents"):
        society.step()


def test_the_mind_is_not_asked_for_an_empty_cohort() -> None:
    class EmptyJudge(Judge):
        def who(self, cohort: Cohort) -> Cohort:
            return cohort.where(np.zeros(len(cohort), np.bool_))

        def perceive(self, cohort: Cohort) -> Question:  # noqa: ARG002
            raise AssertionError

    society, _ = village(EmptyJudge())
    society.step()
