"""Digits and missing values of the status survive recording, saving, copying and division."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.sim.block import Block
from memopolis.sim.measures import Measure
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.saving.carry import carry
from memopolis.sim.mind.archetype import group_agents
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.mind.profile import describe_value
from memopolis.sim.population import Agent, Cohort, attribute
from memopolis.sim.running.building import load_state
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.saving import save_state
from memopolis.sim.survey.survey import Item, Survey
from memopolis.sim.world.news import audience_of

CASH, BORN, UNIX_TIME = 20_000_000.01, 9_007_199_254_740_993, 1_767_225_650.5
KEYS = ("club", "cash", "born", "rich", "children")
FIRST = ("chess", CASH, BORN, True, 2)
NONE = (None,) * len(KEYS)


class Saver(Agent):
    """An agent with an account."""

    account: float = attribute(UNIX_TIME, record=True)


class Earn(Block):
    """Add to all accounts, pay those who have cash, and make others rich one after the other."""

    reads = writes = ("cash", "rich", "account")
    by_row: ClassVar[bool] = True

    def step(self, cohort: Cohort) -> None:
        """Change the status."""
        cohort["account"] += 0.25
        with_cash = cohort.where(~np.isnan(cohort["cash"]))
        with_cash["cash"] += 0.5
        cohort.where(cohort.rows == self.clock.tick + 3)["rich"] = True


class Bank(Society[Settings]):
    """A society with attributes of a table."""

    def build(self, settings: Settings) -> None:
        """Add savers, of which the first and the third are in a table."""
        savers = self.populate(Saver, settings.agents)
        rows = [(1, *FIRST), (3, "golf", *NONE[1:])]
        self.read_profiles(
            pd.DataFrame(rows, columns=["agent", *KEYS], dtype=object), new_columns=True
        )
        self.give(savers, Earn())


def bank(**settings: Any) -> Bank:
    """Return a society of six savers."""
    return Bank(agents=6, days=3 / 24, rng=1, record={"agents_every": 1}, **settings)


def status_of(society: Society[Any]) -> list[tuple[Any, ...]]:
    """Return the optional attributes of each agent, None for a missing one."""
    return [
        tuple(agent.memory.status.get(key, default=None) for key in KEYS)
        for agent in society.agents
    ]


def test_tables_have_all_digits_and_empty_cells(tmp_path: Path) -> None:
    run = load_run(bank().run(tmp_path / "run"))
    first = run.agents[run.agents["tick"] == 0]
    csv = first.drop(columns=["tick", "time"]).to_csv(index=False).splitlines()
    assert csv[0] == "agent,account,club,cash,born,rich,children"
    assert csv[1].startswith(f"1,{UNIX_TIME + 0.25},chess,{CASH + 0.5},")
    assert csv[1].endswith(",True,2.0")
    assert csv[2:5] == [
        f"2,{UNIX_TIME + 0.25},,,,,",
        f"3,{UNIX_TIME + 0.25},golf,,,,",
        f"4,{UNIX_TIME + 0.25},,,,True,",
    ]
    born = pq.read_table(tmp_path / "run" / "tables" / "agents_saver")["born"].to_pylist()
    assert born[:6] == [BORN, None, None, None, None, None]


@pytest.mark.parametrize("parts", [1, 2])
def test_parts_and_threads_change_nothing(tmp_path: Path, parts: int) -> None:
    society = bank(parts=parts)
    folder = society.run(tmp_path / "run")
    assert table_digests(folder) == table_digests(bank(threads=1).run(tmp_path / "one"))
    assert [rich for *_, rich, _ in status_of(society)] == [True, None, None, True, True, True]
    assert status_of(society)[0][:3] == ("chess", CASH + 1.5, BORN)


def test_a_saved_society_continues(tmp_path: Path) -> None:
    society = bank()
    society.step()
    society.agents[1]["pet"] = "cat"
    loaded = load_state(save_state(society, tmp_path / "state"), scenario=Bank)
    for one in (society, loaded):
        one.step()
        assert [agent.memory.status.get("pet", default="-") for agent in one.agents] == [
            "-", "cat", "-", "-", "-", "-",
        ]  # fmt: skip
    assert status_of(loaded) == status_of(society)
    assert loaded.agents[5].account == UNIX_TIME + 0.5


def test_a_memory_is_saved_and_carried(tmp_path: Path) -> None:
    memory = Memory(agents=3)
    memory[0].status.update(dict(zip(KEYS, FIRST, strict=True)))
    memory[1].status["club"] = "golf"
    loaded = Memory.load(memory.save(tmp_path / "memory"))
    other = Memory(agents=3)
    carry(memory[0], other[2])
    carry(memory[1], other[0])
    for copied, rows in ((loaded, (0, 1, 2)), (other, (2, 0, 1))):
        each = [[copied[row].status.get(key, default=None) for key in KEYS] for row in rows]
        assert each == [list(FIRST), ["golf", *NONE[1:]], list(NONE)]


def test_a_run_in_progress_shows_missing_values(tmp_path: Path) -> None:
    with RunByHand(bank(), tmp_path / "run") as by_hand:
        by_hand.make_step()
        by_hand.make_step()
        live = load_run(by_hand)
        agents, people = live.agents, live.people()
        by_hand.finish()
    run = load_run(tmp_path / "run")
    assert agents.to_csv() == run.agents[run.agents["tick"] < 2].to_csv()
    assert people["club"].isna().tolist() == [False, True, False, True, True, True]
    assert people["cash"].isna().tolist() == [False, True, True, True, True, True]


def test_agents_without_a_value_are_left_out_of_a_measure() -> None:
    society = bank()
    cohort = society.population("saver").cohort()
    for measure, expected in (
        (Measure("cash", "cash"), {"": CASH}),
        (Measure("children", "children", group="club"), {"": 2.0, "chess": 2.0}),
        (Measure("accounts", "account", of="sum", where="rich"), {"": UNIX_TIME}),
    ):
        assert measure.take(cohort) == expected


def test_news_reaches_only_agents_that_have_the_value() -> None:
    cohort = bank().population("saver").cohort()
    expected = [True, False, False, False, False, False]
    for audience in ("club=chess", "rich=true", "children=2", f"born={BORN}"):
        assert audience_of(cohort, audience).tolist() == expected
    assert not audience_of(cohort, "rich=false").any()
    assert not audience_of(cohort, "children=0").any()


def test_agents_without_a_value_give_no_answer_to_a_survey() -> None:
    society = bank()
    items = (
        Item("children", "How many children do you have?", reads="children", least=0, most=10),
        Item("club", "Are you rich?", form="choice", options=("no", "yes"), reads="rich",
             least=0, most=1),
    )  # fmt: skip
    answers = society.put(Survey("family", items))
    for answer in answers:
        assert np.isfinite(answer.value).tolist() == [True, False, False, False, False, False]


def test_prompts_leave_missing_values_out() -> None:
    cohort = bank().population("saver").cohort()
    question = Question("mood", cohort, "rating", lambda asked: Answer(np.zeros(len(asked.cohort))))
    attributes = cohort.population.attributes
    for key in KEYS:
        shown = [describe_value(attributes[key], value, str) for value in cohort[key].tolist()]
        assert [value is not None for value in shown] == [
            True, False, key == "club", False, False, False,
        ]  # fmt: skip
    codes = group_agents(question, ("children",), bins=2, least=1)
    assert codes.tolist() == [0, 1, 1, 1, 1, 1]
