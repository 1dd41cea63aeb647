"""What a page watches, without a page: a run under way, and runs replayed."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.analysis.savers import Save, Saver, Savers, SaverSettings

from memopolis import Polarization
from memopolis.analysis.run.run import Run, load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.dashboard.watch import live
from memopolis.dashboard.watch.live import LiveWatch
from memopolis.dashboard.watch.replay import Replay, ReplayWatch
from memopolis.dashboard.watch.watch import FASTEST, Watch
from memopolis.sim.errors import MemopolisError, ParameterError, SettingsError, StateError
from memopolis.sim.population import Cohort
from memopolis.sim.running.resuming import resume
from memopolis.sim.timeline import News

DAYS = 6


class Rob(Save):
    """Save, until the bank is robbed on the fourth day."""

    def step(self, cohort: Cohort) -> None:
        if self.society.clock.tick == 3 and not self.society.settings.extra:
            raise ValueError("the bank\nwas robbed")
        super().step(cohort)


class Robbed(Savers):
    """Savers whose bank is robbed, unless they have something extra."""

    def build(self, settings: SaverSettings) -> None:
        if settings.agents > 50:
            raise ParameterError("the bank has room for 50")
        self.populate(Saver, settings.agents, blocks=[Rob()])


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Callable[..., LiveWatch]]:
    """Begins to watch a society; its runs lie in tmp_path/1, 2 and so on."""
    watched: list[LiveWatch] = []
    numbers = count(1)

    def begin(kind: type[Savers] = Savers, **changes: Any) -> LiveWatch:
        society = kind(rng=7, **{"days": DAYS, **changes})
        watched.append(LiveWatch(society, lambda _: tmp_path / str(next(numbers))))
        watched[-1].set_speed(FASTEST)
        return watched[-1]

    yield begin
    for one in watched:
        one.close()


def until(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return content


# A run under way


def test_a_watch_has_the_interface_of_the_page(watch: Callable[..., LiveWatch]) -> None:
    watched: Watch = watch()
    assert watched.title == "Savers"
    assert (watched.step, watched.steps, watched.state) == (0, DAYS, "paused")
    assert watched.date == datetime(2026, 1, 1)
    assert watched.names == ("1",)


def test_a_step_is_executed_and_shown(watch: Callable[..., LiveWatch]) -> None:
    watched = watch()
    before, version = watched.moment().runs, watched.version
    assert watched.moment().runs[0] is before[0]
    watched.step_once()
    until(lambda: watched.step == 1)
    assert watched.version > version
    assert watched.moment().runs[0] is not before[0]
    assert watched.date == datetime(2026, 1, 2)
    assert len(watched.moment().runs[0].measure("saved")) == 1
    assert watched.state == "paused"


def test_a_run_plays_to_its_end(watch: Callable[..., LiveWatch], tmp_path: Path) -> None:
    watched = watch()
    watched.play()
    until(lambda: watched.state == "ended")
    assert watched.step == DAYS
    assert not watched.playing
    alone = Savers(days=DAYS, rng=7).run(tmp_path / "alone")
    assert table_digests(watched.folder) == table_digests(alone)
    assert load_run(watched.folder).status == "succeeded"
    watched.play()
    watched.step_once()
    watched.close()
    assert watched.step == DAYS
    with pytest.raises(StateError, match="closed"):
        watched.shock(News("nobody hears it"))


def test_pause_stops_between_two_steps(watch: Callable[..., LiveWatch]) -> None:
    watched = watch(days=10_000)
    watched.play()
    assert watched.state == "playing"
    until(lambda: watched.step > 3)
    watched.pause()
    until(lambda: watched.state == "paused")
    stands = watched.step
    time.sleep(0.1)
    assert watched.step == stands
    assert watched.state == "paused"


def test_a_run_can_be_advanced_to_a_step(watch: Callable[..., LiveWatch]) -> None:
    watched = watch()
    watched.go_to(4)
    until(lambda: watched.state == "paused")
    assert (watched.step, watched.state) == (4, "paused")
    watched.go_to(2)
    assert watched.state == "paused"


def test_speed_is_in_steps_per_second(watch: Callable[..., LiveWatch]) -> None:
    watched = watch(days=10_000)
    watched.set_speed(20)
    began = time.monotonic()
    watched.play()
    until(lambda: watched.step >= 6)
    assert time.monotonic() - began > 0.2
    watched.set_speed(FASTEST)
    before = watched.step
    until(lambda: watched.step > before + 20)
    with pytest.raises(ParameterError, match="above 0"):
        watched.set_speed(0)


def test_finish_ends_a_run_at_the_current_step(watch: Callable[..., LiveWatch]) -> None:
    watched = watch()
    watched.go_to(2)
    until(lambda: watched.step == 2)
    watched.finish()
    assert watched.state == "ended"
    assert load_run(watched.folder).ticks == 2
    assert load_run(watched.folder).status == "succeeded"


def test_closing_interrupts_a_run_that_can_be_resumed(
    watch: Callable[..., LiveWatch], tmp_path: Path
) -> None:
    watched = watch()
    watched.go_to(2)
    until(lambda: watched.step == 2)
    watched.close()
    assert manifest(watched.folder)["status"] == "interrupted"
    alone = Savers(days=DAYS, rng=7).run(tmp_path / "alone")
    assert table_digests(resume(watched.folder)) == table_digests(alone)


def test_a_failing_step_is_reported_and_reset_works(watch: Callable[..., LiveWatch]) -> None:
    watched = watch(Robbed)
    watched.play()
    until(lambda: watched.state == "failed")
    assert watched.error.startswith("step 4 failed: ValueError: the bank was robbed; ")
    assert " in Rob.step (" in watched.error
    assert manifest(watched.folder)["status"] == "failed"
    assert len(watched.moment().runs[0].measure("saved")) == 3
    watched.play()
    watched.step_once()
    watched.reset({"extra": 1.0})
    until(lambda: watched.state == "paused")
    assert (watched.step, watched.error) == (0, "")
    watched.play()
    until(lambda: watched.state == "ended")


def test_reset_starts_again_in_a_new_folder(watch: Callable[..., LiveWatch]) -> None:
    watched = watch()
    watched.step_once()
    until(lambda: watched.step == 1)
    first = watched.folder
    watched.reset({"agents": 9}, seed=3)
    until(lambda: watched.state == "paused")
    assert (watched.step, watched.seed, watched.settings.agents) == (0, 3, 9)
    assert manifest(first)["status"] == "interrupted"
    assert watched.folder != first
    assert manifest(watched.folder)["settings"]["agents"] == 9
    watched.reset({})
    until(lambda: watched.state == "paused")
    assert (watched.seed, watched.settings.agents) == (3, 9)


def test_a_run_without_a_step_leaves_no_folder(watch: Callable[..., LiveWatch]) -> None:
    watched = watch()
    first = watched.folder
    assert manifest(first)["status"] == "running"
    watched.reset({"agents": 9})
    until(lambda: watched.state == "paused")
    assert not first.exists()
    assert manifest(watched.folder)["settings"]["agents"] == 9
    watched.close()
    assert not watched.folder.exists()


def test_a_shock_before_the_first_step_is_kept(watch: Callable[..., LiveWatch]) -> None:
    watched = watch()
    watched.shock(News("a bank opens"))
    watched.close()
    assert manifest(watched.folder)["status"] == "interrupted"
    assert len(manifest(watched.folder)["interventions"]["shocks"]) == 1


def test_an_invalid_reset_keeps_the_run(watch: Callable[..., LiveWatch]) -> None:
    watched = watch(Robbed)
    watched.step_once()
    until(lambda: watched.step == 1)
    with pytest.raises(SettingsError, match="agents"):
        watched.reset({"agents": 0})
    watched.reset({"agents": 51})
    until(lambda: watched.state == "paused")
    assert watched.error.startswith("no new society: the bank has room for 50; ")
    watched.step_once()
    until(lambda: watched.step == 2)
    assert watched.settings.agents == 4


def test_a_shock_is_recorded_and_an_invalid_one_reported(watch: Callable[..., LiveWatch]) -> None:
    watched = watch()
    assert watched.shock(News("a bank opens")) == 0
    assert watched.shock(News("a bank closes"), "2026-01-03") == 2
    with pytest.raises(MemopolisError, match="2027"):
        watched.shock(News("too late"), "2027-01-01")
    assert [when for when, _ in manifest(watched.folder)["interventions"]["shocks"]] == [0, 2]


def test_readers_and_steps_do_not_disturb_each_other(
    watch: Callable[..., LiveWatch], tmp_path: Path
) -> None:
    watched = watch(days=60)
    wrong: list[str] = []

    def read() -> None:
        while watched.state != "ended":
            run = watched.moment().runs[0]
            rows = len(run.measure("saved")) if run.measured else 0
            if rows != run.ticks:
                wrong.append(f"{rows} rows at step {run.ticks}")

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    watched.play()
    for reader in readers:
        reader.join(30)
    assert watched.state == "ended"
    assert wrong == []
    alone = Savers(days=60, rng=7).run(tmp_path / "alone")
    assert table_digests(watched.folder) == table_digests(alone)


# Runs that have ended


class Wall:
    """A clock on the wall that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("replay") / "days"
    return load_run(Savers(days=DAYS, rng=7).run(folder))


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Begins two days later, in steps of half a day, and lasts three days."""
    folder = tmp_path_factory.mktemp("replay") / "halves"
    settings = {"start": "2026-01-03", "tick": 12.0, "days": 3.0}
    return load_run(Savers(SaverSettings().with_changes(settings), rng=7).run(folder))


def test_a_replay_opens_at_the_end_and_plays_from_the_start(run: Run) -> None:
    wall = Wall()
    watched = ReplayWatch(Replay([run]), wall)
    assert (watched.step, watched.steps, watched.state) == (DAYS, DAYS, "ended")
    watched.set_speed(2)
    watched.play()
    assert (watched.step, watched.state) == (0, "playing")
    wall.now += 1.6
    assert (watched.step, watched.date) == (3, datetime(2026, 1, 4))
    watched.set_speed(1)
    assert watched.step == 3
    wall.now += 1
    assert watched.step == 4
    watched.pause()
    wall.now += 9
    assert (watched.step, watched.state) == (4, "paused")
    watched.play()
    wall.now += 99
    assert (watched.step, watched.playing, watched.state) == (DAYS, False, "ended")


def test_a_replay_shows_the_state_of_its_step(run: Run) -> None:
    watched = ReplayWatch(Replay([run]))
    watched.go_to(2)
    (shown,) = watched.moment().runs
    assert len(shown.measure("saved")) == 2
    assert watched.moment().runs[0] is shown
    watched.step_once()
    assert len(watched.moment().runs[0].measure("saved")) == 3
    watched.go_to(-4)
    assert watched.step == 0
    watched.go_to(99)
    assert watched.step == DAYS
    with pytest.raises(ParameterError, match="above 0"):
        watched.set_speed(-1)


def test_visitors_share_runs_but_not_clocks(run: Run) -> None:
    replay = Replay([run])
    one, other = ReplayWatch(replay), ReplayWatch(replay)
    one.go_to(2)
    assert other.step == DAYS
    other.go_to(2)
    assert one.moment().runs[0] is other.moment().runs[0]


def test_the_number_of_cached_steps_is_limited(run: Run) -> None:
    replay = Replay([run])
    first = replay.at(0)
    for _ in range(3):
        for step in range(DAYS + 1):
            replay.at(step)
    assert len(replay._moments) <= 12
    assert replay.at(0)[0].ticks == first[0].ticks == 0


def test_two_runs_share_one_clock_by_date(run: Run, later: Run) -> None:
    watched = ReplayWatch(Replay([run, later]))
    assert watched.names == ("days", "halves")
    assert watched.steps == 2 * DAYS
    steps = {0: (0, 0), 4: (2, 0), 5: (2, 1), 9: (4, 5), 10: (5, 6), 12: (6, 6)}
    for step, done in steps.items():
        watched.go_to(step)
        assert tuple(shown.ticks for shown in watched.moment().runs) == done
    with pytest.raises(ParameterError, match="one or two"):
        Replay([run, later, run])


def test_kernels_are_loaded_by_scenarios_without_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(Polarization):
        """A scenario of a user."""

    stepped: list[int] = []
    settings = Polarization(agents=200, rng=1).settings
    monkeypatch.setattr(Polarization, "step", lambda self: stepped.append(self.settings.agents))
    for scenario, mind in ((Own, "rule"), (Polarization, "llm"), (Polarization, "rule")):
        live._load_kernels(scenario, settings.with_changes({"mind": mind}))
    assert stepped == [live._FEW]
