"""Sleep as a behaviour: who sleeps remembers differently, who does not stays as he was."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.agents.activities import STEPS, Activity
from memopolis.agents.block_settings import SleepSettings
from memopolis.agents.blocks.sleep import Sleep, SleepByHour
from memopolis.agents.citizen import Citizen
from memopolis.agents.experience import Experience
from memopolis.agents.institutions import Firm
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.block import Block
from memopolis.sim.errors import SettingsError
from memopolis.sim.memory.night.merging import Trivia
from memopolis.sim.memory.night.sleep import Night
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.building import build_mind
from memopolis.sim.mind.call import ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.mind.mix import members
from memopolis.sim.mind.prompting import Prompts
from memopolis.sim.population import Cohort, Population
from memopolis.sim.running.building import load_state
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.saving import save_state

STORIES = ("The storm broke our window.", "The storm drove the neighbours out.", "I baked bread.")
OFF: Any = {"replay": 0, "repeats": 0, "forget_below": 0, "tags": False, "summaries": 0}
"""Settings of a night that changes nothing."""


def only(**changes: Any) -> SleepSettings:
    """Return the settings of a night that does nothing else."""
    return SleepSettings(**OFF | changes)


ON = only(replay=5)


class Rest(Block):
    """The first half of the people sleep from 23 to 7, the others never do."""

    reads = ("doing",)
    writes = ("doing",)

    def step(self, citizens: Cohort) -> None:
        night = self.clock.hour >= 23 or self.clock.hour < 7
        rests = night & (citizens.rows < len(self.population) // 2)
        citizens["doing"] = np.where(rests, Activity.SLEEP, Activity.IDLE).astype(np.uint8)


class Hamlet(Society[Settings]):
    """People who remember three things, and rest or not."""

    def build(self, settings: Settings) -> None:
        self.people = self.populate(Citizen, settings.agents)
        for text, valence in zip(STORIES, (-0.5, 0.0, 0.0), strict=True):
            self.people.memory.stream.add("disaster", text, importance=0.2, valence=valence)


def hamlet(sleep: SleepSettings, *, hours: int = 0, tick: float = 1.0) -> Hamlet:
    made = Hamlet(agents=6, rng=1, start="2026-01-01", tick=tick)
    made.give(made.people, Rest(), Sleep(sleep))
    for _ in range(hours):
        made.step()
    return made


def accesses(people: Population, count: int = len(STORIES)) -> np.ndarray:
    ids = np.tile(np.arange(count), (len(people), 1))
    return people.memory.stream.column("accesses", ids)


def test_only_sleeping_agents_rehearse() -> None:
    people = hamlet(ON, hours=48).people
    booked = accesses(people)
    assert (booked[:3] > 0).all()
    assert not booked[3:].any()


def test_a_citizen_who_sleeps_remembers_differently() -> None:
    asleep, awake = hamlet(ON, hours=50).people, hamlet(only(), hours=50).people
    results, other = (
        people.memory.observed.stream.search("storm", k=3, profile="recall")
        for people in (asleep, awake)
    )
    firm, loose = (
        people.memory.stream.consolidation(np.tile(np.arange(3), (6, 1)))
        for people in (asleep, awake)
    )
    slept = np.arange(6) < 3
    assert (results.scores[slept] > other.scores[slept]).all()
    assert np.array_equal(results.scores[~slept], other.scores[~slept])
    assert (firm[slept] > loose[slept]).all()
    assert np.array_equal(firm[~slept], loose[~slept])


def test_rehearsed_memories_rank_higher() -> None:
    people = hamlet(only(replay=1), hours=52).people
    # What moved most is rehearsed; without sleep the newer of two like ones comes first.
    assert accesses(people).tolist() == [[1, 0, 0]] * 3 + [[0, 0, 0]] * 3
    first = people.memory.observed.stream.search("storm", k=1, profile="act").ids[:, 0]
    assert first.tolist() == [0, 0, 0, 1, 1, 1]


def test_memories_are_consolidated_once_a_night() -> None:
    made = hamlet(only(replay=1), hours=50)
    after_one = accesses(made.people).sum()
    for _ in range(12):
        made.step()
    assert accesses(made.people).sum() == after_one == 3
    for _ in range(24):
        made.step()
    assert accesses(made.people).sum() == 6


def test_the_first_hours_of_a_run_belong_to_the_night_before() -> None:
    made = hamlet(ON, hours=3)
    (_, block) = made.people.blocks
    assert isinstance(block, Sleep)
    assert block.slept_on.tolist() == [-1] * 3 + [-2] * 3
    for _ in range(24):
        made.step()
    assert block.slept_on.tolist() == [0] * 3 + [-2] * 3


def test_forgetting_at_night_reaches_only_the_sleepers() -> None:
    people = hamlet(only(forget_days=1), hours=60).people
    assert people.memory.streams.count[np.arange(6)].tolist() == [0, 0, 0, 3, 3, 3]


def test_all_agents_sleep_with_daily_ticks() -> None:
    people = hamlet(ON, hours=3, tick=24.0).people
    assert (accesses(people) > 0).all()


def test_agents_without_activities_sleep_at_their_own_hour() -> None:
    made = Hamlet(agents=1, rng=1, start="2026-01-01")
    firms = made.populate(Firm, 40)
    for text in STORIES:
        firms.memory.stream.add("economy", text)
    firms.memory.flush()
    made.give(firms, SleepByHour(ON))
    slept = []
    for _ in range(48):
        before = accesses(firms).sum(axis=1)
        made.step()
        slept.append(accesses(firms).sum(axis=1) - before)
    by_hour = np.array(slept)
    assert (by_hour[24:].sum(axis=0) > 0).all(), "everybody once"
    assert ((by_hour > 0).sum(axis=0) <= 2).all()
    hours = np.flatnonzero(by_hour.any(axis=1)) % 24
    assert set(hours.tolist()) == {2, 3, 4}


def test_longevity_is_complete_at_the_end_of_a_run() -> None:
    made = Hamlet(agents=2, rng=1, days=12)
    assert made.people.memory.consolidation.run == 12.0


def test_each_part_of_the_night_can_be_switched_off() -> None:
    assert only().night == Night(replay=0)
    assert only().night.does_nothing
    usual = SleepSettings().night
    assert usual.replay
    assert usual.repeats
    assert usual.forget_below
    assert not usual.merge


def routine(**changes: Any) -> Population:
    """Return people who had the same meal on three days, after the nights between them."""
    made = Hamlet(agents=6, rng=1, start="2026-01-01")
    made.give(made.people, Rest(), Sleep(only(**changes)))
    for hour in range(72):
        if hour % 24 == 12:
            made.people.memory.stream.add("activity", "I had a meal at home.", importance=0.1)
        made.step()
    return made.people


def test_nights_merge_repeats_of_routine() -> None:
    counts = routine().memory.streams.count[np.arange(6)]
    assert counts.tolist() == [6] * 6
    people = routine(repeats=2)
    assert people.memory.streams.count[np.arange(6)].tolist() == [4, 4, 4, 6, 6, 6]
    (meal,) = people.memory[0].stream.search("a meal at home", k=1)
    assert (meal.times, meal.text) == (3, "I had a meal at home (3 times since 1 January).")
    # With a limit of zero, nothing is trivial.
    none = routine(repeats=2, trivia=0).memory.streams.count[np.arange(6)]
    assert none.tolist() == [6] * 6


def test_nights_forget_faded_trivia() -> None:
    assert routine(forget_below=0.99).memory.streams.count[np.arange(6)].tolist() < [6] * 6
    assert routine(forget_below=0.0).memory.streams.count[np.arange(6)].tolist() == [6] * 6


def test_nights_link_related_memories() -> None:
    assert not routine().memory.streams.has_column("related")
    assert routine(relate=True).memory.streams.has_column("related")


def test_memories_are_tagged_by_time_task_and_feeling() -> None:
    people = routine(tags=True)
    tagged = people.memory.tags.names(int(people.memory[0].stream.column("tags", [3])[0]))
    assert set(tagged) == {"work_hours", "home"}
    # The blocks give the valence; words do not replace it.
    assert people.memory[0].stream.column("valence", [3]).tolist() == [0]
    assert routine().memory[0].stream.column("tags", [3]).tolist() == [0]


def test_memories_of_rest_are_idle_and_left_out_by_town() -> None:
    people = hamlet(only(tags=True), hours=1).people
    stream = people.memory[0].stream
    of_steps = {text: step.name for step in STEPS for text in step.memories}
    for text in of_steps:
        stream.add("activity", text)
    people.memory.flush()
    idle = stream.list_ids(Filter(tags=("idle",)))
    texts = {one.template for one in stream.read(idle)}
    assert {of_steps[text] for text in texts} == {"rest"}
    everything = stream.search("at home", k=100, profile="town")
    assert len(everything) == len(STORIES) + len(of_steps) - len(idle)


def summaries_of(people: Population) -> list[int]:
    return [len(one.memory.observed.layers.long) for one in people.agents]


def eventful(**changes: Any) -> Population:
    """Return people with 30 different memories, after the night."""
    made = Hamlet(agents=6, rng=1, start="2026-01-01")
    made.give(made.people, Rest(), Sleep(only(**changes)))
    for number in range(30):
        made.people.memory.stream.add("life", f"Saw a heron at pond {number}.", importance=0.4)
    for _ in range(26):
        made.step()
    return made.people


def test_nights_write_summaries_for_a_share_of_the_agents() -> None:
    assert summaries_of(eventful()) == [0] * 6
    assert summaries_of(eventful(summaries=1.0)) == [3, 3, 3, 0, 0, 0]


def asked_model(**llm: Any) -> tuple[Hamlet, ScriptedClient]:
    """Return a society with 30 memories of each agent, a model for its summaries, and the model."""
    made = Hamlet(agents=6, rng=1, start="2026-01-01", llm=llm)
    made.give(made.people, Rest(), Sleep(only()))
    client = ScriptedClient(lambda _: json.dumps({"text": "Herons, and no decision yet."}))
    made.mind = build_mind(made, "llm", client=client)
    for number in range(30):
        made.people.memory.stream.add("life", f"Saw a heron at pond {number}.", importance=0.4)
    return made, client


def test_the_model_writes_the_summaries_of_its_agents() -> None:
    pytest.importorskip("jinja2")
    made, client = asked_model(share=0.5)
    for _ in range(26):
        made.step()
    by_model = members(made.people.cohort(), 0.5, made.chance)[:3]
    assert 0 < by_model.sum() < 3  # of those who sleep
    assert summaries_of(made.people) == [*(3 * by_model), 0, 0, 0]
    texts = {one.text for agent in made.people.agents for one in agent.memory.observed.layers.long}
    assert texts == {"Herons, and no decision yet."}
    assert {call.block for call in client.calls} == {"sleep"}
    assert len(client.calls) == 3 * by_model.sum()
    prompt = client.calls[0].messages[-1].text
    assert all(word in prompt for word in ("topics", "decisions", "facts", "progress"))
    assert "Saw a heron at pond 9." in prompt
    assert "Saw a heron at pond 10." not in prompt.split("recalled_for_this_question")[1]


def test_without_an_answer_the_rule_summarises() -> None:
    pytest.importorskip("jinja2")
    made, _ = asked_model(budget_calls=1)
    for _ in range(26):
        made.step()
    first, second, _ = made.people.agents[0].memory.observed.layers.long
    assert first.text == "Herons, and no decision yet."
    assert "pond 13." in second.text


def test_the_model_of_groups_writes_no_summaries() -> None:
    pytest.importorskip("jinja2")
    made, client = asked_model()
    made.mind = Archetype(LlmMind(client, seed=1), seed=1, least=2)
    for _ in range(26):
        made.step()
    assert summaries_of(made.people) == [3, 3, 3, 0, 0, 0]
    assert client.calls == []


class Wonder(Block):
    """All people think of the herons every hour."""

    def step(self, citizens: Cohort) -> None:
        citizens.stream.search("herons at the pond", k=2, profile="society")


def wondering(mind: str = "rule", **sleep: Any) -> tuple[Hamlet, ScriptedClient]:
    """Return a society two days later, in which all people often recalled one event."""
    made = Hamlet(agents=6, rng=1, start="2026-01-01")
    made.give(made.people, Rest(), Wonder(), Sleep(only(**sleep)))
    client = ScriptedClient(lambda _: json.dumps({"text": "I like herons."}))
    made.mind = build_mind(made, mind, client=client)
    stream = made.people.memory.stream
    for text in ("Herons nest at the pond.", "Herons fish at the pond.", *["Paid a bill."] * 25):
        stream.add("life", text)
    for _ in range(50):
        made.step()
    return made, client


def key_facts(made: Hamlet) -> list[list[str]]:
    return [[fact.text for fact in one.memory.observed.layers.key] for one in made.people.agents]


def test_often_recalled_memories_become_key_memories_in_a_run() -> None:
    made, _ = wondering(key_memories=1.0)
    facts = key_facts(made)
    for own in facts[:3]:
        assert len(own) == 1  # once, however often it is recalled
        assert own[0] in ("Herons nest at the pond.", "Herons fish at the pond.")
    assert facts[3:] == [[]] * 3  # they do not sleep
    assert key_facts(wondering()[0]) == [[]] * 6
    assert not wondering()[0].people.memory.streams.has_column("cluster")  # costs nothing


def test_prompts_contain_the_key_memories_that_the_model_wrote() -> None:
    pytest.importorskip("jinja2")
    made, client = wondering("llm")
    assert key_facts(made)[:3] == [["I like herons."]] * 3
    gists = [call for call in client.calls if "have in common" in call.messages[-1].text]
    assert [call.agent for call in gists] == made.people.ids[:3].tolist()
    asleep = made.people.cohort().where(np.arange(6) < 3)
    question = Question("thought", asleep, "text", lambda _: Answer(np.zeros(3)))
    for prompt in Prompts().of(question):
        assert '"key_facts": ["I like herons."]' in prompt.messages[-1].text


def test_decisions_recall_the_memories_behind_key_memories() -> None:
    made, _ = wondering(key_memories=1.0)
    people = made.people.cohort()
    herons, bill = (
        Experience.recall(people, "Paid a bill", k=2, key=key) for key in (2, 0)
    )  # fmt: skip
    assert bill.recalled.ids.shape == (6, 2)
    ids = herons.recalled.ids
    assert (ids[:, :2] == bill.recalled.ids).all()
    assert np.sort(ids[:3, 2:], axis=1).tolist() == [[3, 4]] * 3
    assert (ids[3:, 2:] == -1).all()
    assert (herons.recalled.scores[:3, 2:] > 0).all()


def test_a_night_without_parts_changes_nothing() -> None:
    assert not accesses(hamlet(only(), hours=48).people).any()


def test_sleep_settings_define_a_night() -> None:
    options = only(replay=3, merge=4, forget_days=10, forget_below=0.05)
    assert options.night == Night(replay=3, merge=4, forget_older=240.0, forget_below=0.05)
    options = only(repeats=3, trivia=0.1, relate=True)
    trivia = Trivia(importance=0.1)
    assert options.night == Night(replay=0, repeats=3, trivia=trivia, relate=True)
    with pytest.raises(SettingsError, match="summaries"):
        SleepSettings(summaries=2)
    with pytest.raises(SettingsError, match=r"repeats was given 1; .*at least 2, or 0"):
        SleepSettings(repeats=1)
    with pytest.raises(SettingsError, match="forget_below"):
        SleepSettings(forget_below=2.0)


def first_night(**sleep: float) -> tuple[Population, np.ndarray]:
    """People late in the first night of a run, and who of them has slept since 8 h."""
    society = Hurricane(
        agents=300, rng=3, days=2, sleep=sleep, start="2019-08-28T08:00", record={"tables": ()}
    )
    people = society.population("citizen")
    slept = np.zeros(len(people), np.bool_)
    for _ in range(17):
        society.step()
        slept |= people.cohort()["doing"] == Activity.SLEEP
    return people, slept


def test_sleep_can_be_enabled_in_the_hurricane() -> None:
    off, slept = first_night(**OFF)
    on, slept_too = first_night(**OFF | {"replay": 10})
    assert np.array_equal(slept, slept_too), "a rehearsal alone does not change the day"
    assert slept.sum() > 200
    assert (~slept).sum() > 3
    more = accesses(on, 40).sum(axis=1) - accesses(off, 40).sum(axis=1)
    results, before = (people.memory.observed.stream.recommend(k=40) for people in (on, off))
    differ = (results.scores != before.scores).any(axis=1) | (results.ids != before.ids).any(axis=1)
    # Those who had something due remember differently, and those who lay awake as before.
    # Plans recall memories, and those are not due for review.
    assert (more[slept] > 0).sum() > 10
    assert differ[slept].sum() > 10
    assert not more[~slept].any()
    assert not differ[~slept].any()


EVERYTHING = {
    "replay": 10, "merge": 3, "forget_below": 0.02, "relate": True, "summaries": 0.5,
    "key_memories": 0.5,
}  # fmt: skip


def lived(hours: int, *, saved_at: int | None = None, folder: Path | None = None) -> dict[str, Any]:
    society: Any = Hurricane(agents=80, rng=2, days=8, sleep=EVERYTHING)
    for hour in range(hours):
        if hour == saved_at and folder is not None:
            society = load_state(save_state(society, folder))
        society.step()
    return dict(society.population("citizen").memory.state())


def test_sleep_is_deterministic_also_after_saving(tmp_path: Path) -> None:
    one = lived(60)
    other = lived(60, saved_at=27, folder=tmp_path / "state")
    assert set(one) == set(other)
    assert all(np.array_equal(values, other[name]) for name, values in one.items())
    assert (one["streams/count"] < one["streams/next"]).any(), "repeats were merged"
    assert (one["streams/memories/times"] > 1).any()
    assert one["streams/agents/cluster_hits"].any()


def test_citizens_are_searched_by_name_and_thought() -> None:
    society = Hurricane(agents=40, rng=2, days=8, record={"tables": ()})
    for _ in range(24):
        society.step()
    citizens: Any = society.population("citizen").agents
    thinking = next(one for one in citizens if one.thought >= 0)
    texts = {one.name: one.text for one in thinking.memory.status.search("what I think", k=2)}
    (thought,) = thinking.memory.observed.stream.read(thinking.thought)
    assert texts["thought"] == f"My thought is {thought.text}"
    assert texts["name"] == f"My name is {thinking.name}"
