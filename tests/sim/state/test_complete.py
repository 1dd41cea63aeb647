"""A state is all there is: a society that was saved and loaded goes on as one that was not."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memopolis.agents.blocks.needs import Needs
from memopolis.agents.blocks.summarise import Summarise
from memopolis.agents.citizen import Citizen
from memopolis.scenarios.hurricane import Hurricane
from memopolis.scenarios.polarization import Polarization
from memopolis.scenarios.ubi import BasicIncome
from memopolis.sim.block import Block
from memopolis.sim.measures import Measure
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.call import Call, Reply, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Mind
from memopolis.sim.population import Cohort
from memopolis.sim.running.building import load_state
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.saving import save_state
from memopolis.sim.state.state import state_of


class Chat(Block):
    """Remember something new, and ask for it."""

    def step(self, cohort: Cohort) -> None:
        for row in range(len(cohort)):
            agent = cohort.population.agents[row].memory.stream
            agent.add("life", f"Saw heron {row} at pond {self.clock.tick}.")
        cohort.memory.stream.search("a heron at the pond", k=3)


class Chatters(Society[Settings]):
    """People whose memories are put into summaries and gists."""

    measures = (Measure("hunger", "hunger"),)

    def build(self, settings: Settings) -> None:
        layers = LayerSettings(short_term_size=3, hit_threshold=1, top_k=1)
        self.populate(Citizen, settings.agents, blocks=[Needs(), Chat(), Summarise(layers)])


SLEEP = {"replay": 10, "merge": 3, "forget_below": 0.02}
SURVEYS = {"survey.ask": ("ces_d",), "survey.every": 7.0}
SHOOTING = {"event": "shooting", "event_day": 4}

CASES: list[Any] = [
    pytest.param(Hurricane, {"agents": 50}, (0, 1, 25, 50), 60, id="hurricane"),
    pytest.param(Hurricane, {"agents": 30, "sleep": SLEEP}, (27,), 36, id="sleep"),
    pytest.param(Hurricane, {"agents": 50, **SURVEYS}, (5, 22), 30, id="surveys"),
    pytest.param(Polarization, {"agents": 60, "arm": "echo"}, (0, 1, 3), 8, id="polarization"),
    pytest.param(Polarization, {"agents": 60, **SHOOTING}, (4, 5), 9, id="event"),
    pytest.param(Chatters, {"agents": 3}, (4, 15), 32, id="summaries"),
    pytest.param(BasicIncome, {"agents": 100}, (0, 1, 6, 13), 16, id="income"),
]


def digests(society: Society[Any]) -> dict[str, str]:
    """Everything of a society, in short."""
    state = state_of(society)
    arrays = {
        name: f"{values.dtype} {values.shape} {hashlib.md5(values.tobytes()).hexdigest()}"  # noqa: S324
        for name, values in state.arrays.items()
    }
    return arrays | {name: json.dumps(value) for name, value in state.plain.items()}


@pytest.mark.parametrize(("kind", "settings", "saved_at", "steps"), CASES)
def test_a_restored_society_continues_unchanged(
    tmp_path: Path,
    kind: type[Society[Any]],
    settings: dict[str, Any],
    saved_at: tuple[int, ...],
    steps: int,
) -> None:
    society = kind(rng=3, **settings)
    measured = []
    for step in range(steps):
        if step in saved_at:
            save_state(society, tmp_path / str(step))
        society.step()
        measured.append(json.dumps(society.measured))
    wanted = digests(society)
    assert len(set(measured)) > 4
    for step in saved_at:
        loaded = load_state(tmp_path / str(step))
        for then in range(step, steps):
            loaded.step()
            assert json.dumps(loaded.measured) == measured[then]
        assert digests(loaded) == wanted


def answer(call: Call) -> str | Reply:
    """The answer of a model: it depends on its whole prompt, and fails now and then."""
    turn = int(call.hash[:6], 16)
    asked = call.schema["properties"]
    if turn % 7 == 0:
        return Reply(None, "timeout", tries=3, seconds=0.25)
    if "choice" in asked:
        options = asked["choice"]["enum"]
        return json.dumps({"reason": f"why {turn % 3}", "choice": options[turn % len(options)]})
    if "text" in asked:
        values = {"text": f"Well, {turn % 5}.", "emotion": "Joy", "intensities": {"joy": turn % 9}}
        return json.dumps(values)
    return json.dumps({"reason": f"why {turn % 3}", "rating": turn % 10, "emotion": "Hope"})


def model(society: Society[Any]) -> LlmMind:
    return LlmMind(
        ScriptedClient(answer), seed=society.seed, budget=society.budget, log=society.log_calls,
        max_tokens=society.settings.llm.max_tokens,
    )  # fmt: skip


MINDS: dict[str, Callable[[Society[Any]], Mind]] = {
    "model": model,
    "archetype": lambda society: Archetype(model(society), seed=society.seed),
}


@pytest.mark.parametrize("mind", MINDS)
@pytest.mark.parametrize(
    ("kind", "agents", "steps"),
    [(Hurricane, 12, (13, 24)), (Polarization, 12, (2, 4)), (BasicIncome, 20, (2, 4))],
)
def test_a_restored_society_with_a_model_continues_unchanged(
    tmp_path: Path, kind: type[Society[Any]], agents: int, steps: tuple[int, int], mind: str
) -> None:
    saved_at, until = steps
    society = kind(rng=3, agents=agents, **dict[str, Any]({"llm.budget_calls": 200}))
    society.mind = MINDS[mind](society)
    for _ in range(saved_at):
        society.step()
    loaded = load_state(save_state(society, tmp_path / "state"))
    loaded.mind = MINDS[mind](loaded)
    for one in (society, loaded):
        for _ in range(until - saved_at):
            one.step()
    assert society.budget.calls_charged > 0
    assert digests(loaded) == digests(society)


def test_data_collected_by_mesa_is_kept(tmp_path: Path) -> None:
    society = Polarization(agents=30, rng=1)
    for _ in range(3):
        society.step()
    loaded = load_state(save_state(society, tmp_path / "state"))
    for one in (society, loaded):
        one.step()
    frames = [one.datacollector.get_model_vars_dataframe() for one in (society, loaded)]
    assert len(frames[0]) == 4
    assert frames[0].equals(frames[1])
