"""How decisions were carried out is recorded with them."""

from pathlib import Path

import numpy as np
import pytest

from memopolis import Agent, Block, Cohort, Settings, Society, load_run
from memopolis.errors import ParameterError
from memopolis.sim.mind.mind import Answer, Decisions, Outcome, Question
from memopolis.sim.population import attribute


class Voter(Agent):
    """A member of a pair."""

    name: str = attribute("", "Name", record=True)


def rate(question: Question) -> Answer:
    return Answer(np.arange(len(question.cohort), dtype=np.float32))


class Vote(Block):
    """Rate, and carry it out in pairs by a draw, but for the last agent."""

    def __init__(self, missing: int = 0) -> None:
        self.missing = missing

    def perceive(self, cohort: Cohort) -> Question:
        return Question("vote", cohort, "rating", rate)

    def apply(self, cohort: Cohort, decisions: Decisions) -> Outcome | None:
        cohort.memory.stream.add("vote", "I voted.")
        if self.clock.tick:
            return None
        group = np.arange(len(cohort)) // 2
        group[-1] = -1
        draw = np.full(len(cohort) - self.missing, 0.25)
        return Outcome(probability=decisions.value / 10, draw=draw, group=group)


class Hall(Society[Settings]):
    """Voters."""

    missing = 0

    def build(self, settings: Settings) -> None:
        self.populate(Voter, settings.agents, blocks=[Vote(self.missing)])


def test_probability_draw_and_group_are_recorded(tmp_path: Path) -> None:
    run = load_run(Hall(agents=5, days=1, rng=1).run(tmp_path / "run"))
    first = run.decisions.query("tick == 0")
    assert first["probability"].tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert first["draw"].tolist() == [0.25] * 5
    assert first["threshold"].isna().all()
    assert first["together"].tolist() == [[2], [1], [4], [3], []]
    later = run.decisions.query("tick == 1")
    assert later[["probability", "draw", "threshold"]].isna().all().all()
    assert later["together"].tolist() == [[]] * 5
    assert run.life(1).decisions["together"].tolist()[:2] == [[2], []]


def test_an_outcome_of_another_length_is_refused() -> None:
    class Short(Hall):
        missing = 1

    with pytest.raises(ParameterError, match="4 entries of draw for 5 agents"):
        Short(agents=5, rng=1).step()
