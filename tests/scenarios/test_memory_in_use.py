"""In each scenario, agents remember and recall, and decide and think from what they recall."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis import Run, load_run
from memopolis.agents.activities import Activity
from memopolis.analysis.metrics.memory_use import COLUMNS, count_memory_use
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.mind.prompting import Prompts
from memopolis.sim.population import Population
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from pathlib import Path

ALL_SUMMARISED = {"sleep": {"summaries": 1.0}}
SOCIETIES: Mapping[str, tuple[type[Society[Any]], dict[str, Any]]] = {
    "hurricane": (
        Hurricane,
        {"agents": 40, "days": 5, "start": "2019-09-01", "record": {"plans": True}},
    ),
    "polarization": (Polarization, {"agents": 60, "days": 8, "arm": "echo"}),
    "ubi": (BasicIncome, {"agents": 60, "days": 14 * 30, "start": 2}),
}
GROUPS = {"household"}
"""Populations that are groups of agents and remember nothing of their own."""

EVIDENCED = 0.5
"""Minimum share of the decisions of each kind that name memories."""
CHOICES = {
    "eat at home",
    "eat out",
    "eat with a friend",
    "meet",
    "leisure",
    "rest",
    "shop",
    "sport",
}
"""Plans with another way to do the same, or another place."""
TAGGED = 0.4
"""Minimum share of the memories of citizens that have a context tag."""


@dataclass(frozen=True)
class Case:
    """A society after its run, and what it recorded."""

    society: Society[Any]
    run: Run

    @property
    def populations(self) -> list[Population]:
        """The populations whose agents remember."""
        return [one for one in self.society.populations if one.name not in GROUPS]


@pytest.fixture(scope="module", params=list(SOCIETIES))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    society_class, changes = SOCIETIES[request.param]
    folder: Path = tmp_path_factory.mktemp("runs") / request.param
    society = society_class(rng=3, **changes, **ALL_SUMMARISED)
    return Case(society, load_run(society.run(folder)))


def test_every_population_remembers_recalls_decides_and_thinks(case: Case) -> None:
    use = count_memory_use(case.run)
    for population in case.populations:
        counts = use.loc[population.name, list(COLUMNS)]
        assert (counts > 0).all(), f"{population.name}: {counts.to_dict()}"


def test_decisions_of_every_kind_name_the_memories_they_rest_on(case: Case) -> None:
    decisions = case.run.decisions
    # Where citizens have no choice, they recall nothing.
    is_plan = decisions["kind"] == "plan"
    decisions = decisions[~is_plan | decisions["choice"].isin(CHOICES)]
    has_evidence = decisions["evidence"].str.len() > 0
    shares = has_evidence.groupby([decisions["population"], decisions["kind"]], observed=True)
    assert shares.mean().min() > EVIDENCED, shares.mean().to_dict()
    kinds = decisions.groupby("population", observed=True)["kind"].agg(set)
    for population in case.populations:
        assert kinds[population.name] > {"attitude", "thought"}, population.name


def test_memories_of_citizens_have_context_tags(case: Case) -> None:
    tags = []
    for agent in case.society.population("citizen").agents:
        stream = agent.memory.observed.stream
        tags += stream.column("tags", stream.list_ids()).tolist()
    assert np.count_nonzero(tags) > TAGGED * len(tags) > 100


def test_the_status_of_every_agent_is_searched_by_name_and_thought(case: Case) -> None:
    for population in case.populations:
        agents: Any = population.agents
        one = next(agent for agent in agents if agent.thought >= 0)
        texts = {item.name: item.text for item in one.memory.status.search("what I think", k=2)}
        (thought,) = one.memory.observed.stream.read(one.thought)
        assert texts == {
            "name": f"My name is {one.name}",
            "thought": f"My thought is {thought.text}",
        }


def test_prompts_contain_the_newest_summary_of_the_agent(case: Case) -> None:
    everyone = case.society.population("citizen").cohort()
    newest = [list(agent.memory.observed.layers.long)[-1:] for agent in everyone]
    some = everyone.where(np.array([bool(summaries) for summaries in newest]))
    assert len(some) >= 5
    prompts = Prompts().of(Question("thought", some, "text", _answer_nothing))
    texts = [summary.text for summaries in newest for summary in summaries]
    for text, prompt in zip(texts, prompts, strict=True):
        data = prompt.messages[-1].text.split("<data>")[1].split("</data>")[0]
        (line,) = json.loads(data)["summaries_newest_first"]
        assert line.endswith(f": {text}")


def _answer_nothing(question: Question) -> Answer:
    return Answer(np.full(len(question.cohort), np.nan, np.float32))


def test_recall_changes_a_day_without_a_storm() -> None:
    def live(recall: str, agents: int, **plans: float) -> dict[str, NDArray[Any]]:
        society = Hurricane(
            agents=agents, days=3, rng=2, storm="none", recall=recall, plans=plans,
            record={"tables": ()},
        )  # fmt: skip
        citizens = society.population("citizen")
        kept: dict[str, Any] = {"scheduled": [], "doing": [], "plan": []}
        for _ in range(48):
            society.step()
            for name, values in kept.items():
                values.append(citizens[name].copy())
        return {name: np.array(values) for name, values in kept.items()}

    scored, none = live("scored", 200), live("none", 200)
    differs = scored["plan"] != none["plan"]
    assert differs[np.isin(scored["scheduled"], (Activity.EAT, Activity.REST))].mean() > 0.03
    # Who is met depends also on which friends are free.
    assert differs[scored["scheduled"] == Activity.MEET].mean() > 0.05
    # Recall acts on what people do by the attitudes, norms and intentions of plans.
    off = {"experience": 0.0, "conformity": 0.0, "intention": 0.0}
    assert np.array_equal(live("scored", 60, **off)["doing"], live("none", 60, **off)["doing"])
