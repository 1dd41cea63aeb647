"""Positions and activities of people follow the recorded moves, forwards and backwards."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memopolis import Hurricane, load_run
from memopolis.analysis.run.positions import Positions
from memopolis.analysis.run.run import Run
from memopolis.sim.running.by_hand import RunByHand

AGENTS, STEPS = 40, 30


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("positions") / "run"
    record = {"agents_every": 1}
    return load_run(Hurricane(agents=AGENTS, days=STEPS / 24, rng=1, record=record).run(folder))


def doing(positions: Positions) -> list[str]:
    return [positions.activities[number] for number in positions.doing]


def test_positions_are_those_of_the_recorded_status(run: Run) -> None:
    positions = Positions()
    for step in (3, 4, 21, STEPS, 8, 1):  # forwards and backwards
        moment = run.until(step)
        positions.go_to(moment)
        status = moment.people()
        assert positions.agents.tolist() == status["agent"].tolist()
        assert positions.zone.tolist() == status["zone"].tolist()
        assert doing(positions) == status["doing"].astype(str).tolist()


def test_changes_are_only_those_who_moved(run: Run) -> None:
    positions = Positions()
    first = positions.go_to(run.until(20))
    assert first.whole
    assert len(first.rows) == AGENTS
    before = positions.zone.copy(), positions.doing.copy()
    changes = positions.go_to(run.until(21))
    assert not changes.whole
    moved = (before[0] != positions.zone) | (before[1] != positions.doing)
    assert set(np.flatnonzero(moved)) <= set(changes.rows.tolist())
    assert len(changes.rows) < AGENTS
    assert len(positions.go_to(run.until(21)).rows) == 0
    back = positions.go_to(run.until(20))
    assert back.rows.tolist() == np.flatnonzero(moved).tolist()


def test_people_are_at_home_at_the_start(run: Run) -> None:
    positions = Positions()
    positions.go_to(run.until(0))
    homes = run.first_rows("citizen").sort_values("agent")["home"]
    assert positions.zone.tolist() == homes.tolist()


def test_a_run_in_progress_is_followed(tmp_path: Path) -> None:
    by_hand = RunByHand(Hurricane(agents=AGENTS, days=1, rng=1), tmp_path / "run")
    now, positions = load_run(by_hand), Positions()
    positions.go_to(now)
    for _ in range(9):
        by_hand.make_step()
        now = now.latest()
        positions.go_to(now)
        assert positions.zone.tolist() == now.people()["zone"].tolist()
        assert doing(positions) == now.people()["doing"].astype(str).tolist()
    by_hand.leave()


def test_a_resumed_run_continues_its_moves(run: Run, tmp_path: Path) -> None:
    society = Hurricane(agents=AGENTS, days=STEPS / 24, rng=1, checkpoint={"every": 10})
    by_hand = RunByHand(society, tmp_path / "run")
    for _ in range(14):
        by_hand.make_step()
    by_hand.leave()
    from memopolis import resume

    again = load_run(resume(tmp_path / "run"))
    moves = again.table("moves"), run.table("moves")
    pd.testing.assert_frame_equal(*moves, check_categorical=False)  # parts order their words


def test_runs_without_moves_show_the_latest_status(tmp_path: Path) -> None:
    tables = ("agents", "world")
    record = {"agents_every": 1, "tables": tables}
    folder = Hurricane(agents=AGENTS, days=0.25, rng=1, record=record).run(tmp_path / "run")
    run, positions = load_run(folder), Positions()
    assert "moves" not in run.tables
    positions.go_to(run)
    assert positions.zone.tolist() == run.people()["zone"].tolist()


def test_a_society_without_a_place_records_no_moves(tmp_path: Path) -> None:
    from memopolis import Polarization

    run = load_run(Polarization(agents=20, days=2, rng=1).run(tmp_path / "run"))
    assert "moves" not in run.tables
    placed = Polarization(agents=20, days=2, rng=1, place="charleston").run(tmp_path / "placed")
    moves = load_run(placed).table("moves")
    assert moves["tick"].unique().tolist() == [-1]  # people stay at home
    assert len(moves) == 20
