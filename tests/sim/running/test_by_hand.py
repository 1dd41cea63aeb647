"""Runs that are stepped and steered by hand: recorded as any other, resumed, forked."""

import gc
import json
import re
import shutil
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.sim.running.steering import CALL, SCENARIOS, SIREN, go_on, polarization, steered, to_some

from memopolis.agents.citizen import Citizen
from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.sim.block import Block
from memopolis.sim.errors import MemopolisError, ParameterError, RunFolderError
from memopolis.sim.run_folder.folder import is_owned
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.forking import fork
from memopolis.sim.running.resuming import resume
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import checkpoints_of
from memopolis.sim.timeline import Message, News, Order, Policy, Shock


def manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def make(name: str) -> Path:
        if name not in made:
            made[name] = steered(name, tmp_path_factory.mktemp("whole") / name)
        return made[name]

    return make


def test_a_run_stepped_by_hand_equals_the_run_of_the_loop(tmp_path: Path) -> None:
    straight = polarization(4).run(tmp_path / "straight")
    with RunByHand(polarization(4), tmp_path / "by_hand") as run:
        go_on(run, [], run.steps)
        assert manifest(run.folder)["status"] == "running"
        run.finish()
    a, b = manifest(straight), manifest(run.folder)
    assert table_digests(run.folder) == table_digests(straight)
    for one in (a, b):
        # The files of the wall clock differ, and with them the checksum of the manifest.
        one["files"] = {k: v for k, v in one["files"].items() if not k.startswith("timings/")}
        del one["versions"], one["crc32"]
    assert a == b
    remembered = [
        (folder / "memory" / "citizen.parquet").read_bytes() for folder in (straight, run.folder)
    ]
    assert remembered[0] == remembered[1]
    assert [c.step for c in checkpoints_of(straight)] == [
        c.step for c in checkpoints_of(run.folder)
    ]


def test_a_shock_changes_the_run(whole: Callable[[str], Path], tmp_path: Path) -> None:
    plain = polarization().run(tmp_path / "plain")
    assert table_digests(plain) != table_digests(whole("polarization"))


@pytest.mark.parametrize(
    ("name", "kept"),
    [*((name, kept) for name in SCENARIOS for kept in (1, 99)), ("polarization", 0)],
)
def test_a_steered_run_resumed_after_a_kill_equals_an_uninterrupted_one(
    whole: Callable[[str], Path], name: str, kept: int, tmp_path: Path
) -> None:
    make, shocks = SCENARIOS[name]
    society = make(4)
    run = RunByHand(society, tmp_path / "run")
    go_on(run, shocks(society), run.steps - 1)
    _kill(run)
    checkpoints = checkpoints_of(run.folder)
    assert len(checkpoints) > 1
    for checkpoint in checkpoints[kept:]:
        shutil.rmtree(checkpoint.folder)
    resume(run.folder)
    assert table_digests(run.folder) == table_digests(whole(name))
    assert manifest(run.folder)["interventions"] == manifest(whole(name))["interventions"]
    assert manifest(run.folder)["timeline"] == manifest(whole(name))["timeline"]


def _kill(run: RunByHand) -> None:
    """Leave the folder as a killed process does: nothing is written, and the lock is free."""
    run.recorder.break_off = lambda *_: None  # type: ignore[method-assign]
    run.society.step = lambda: 1 / 0  # type: ignore[method-assign, assignment]
    with pytest.raises(ZeroDivisionError):
        run.make_step()
    assert manifest(run.folder)["status"] == "running"


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_fork_before_a_shock_keeps_the_shock(
    whole: Callable[[str], Path], name: str, tmp_path: Path
) -> None:
    parent = steered(name, tmp_path / "parent", checkpoint=4)
    assert table_digests(parent) == table_digests(whole(name))
    # From a checkpoint before some of the shocks, and from the start.
    for run, at in ((parent, 7), (whole(name), 2)):
        forked = fork(run, tmp_path / f"at{at}", at=at)
        assert table_digests(forked) == table_digests(parent), at
        assert manifest(forked)["interventions"] == manifest(parent)["interventions"]


def test_an_order_sent_by_hand_is_in_the_tables_from_its_step(
    whole: Callable[[str], Path], tmp_path: Path
) -> None:
    weather = load_run(whole("hurricane")).table("weather")
    strictest = weather.groupby("tick")["order"].max().tolist()
    assert strictest == [0] * 13 + [2] * 5 + [0] * 6
    late = fork(whole("hurricane"), tmp_path / "late", at=15)
    assert table_digests(late) == table_digests(whole("hurricane"))


def test_a_shock_between_a_checkpoint_and_the_stop_is_not_lost(
    whole: Callable[[str], Path], tmp_path: Path
) -> None:
    make, shocks = SCENARIOS["polarization"]
    society = make(2)
    with RunByHand(society, tmp_path / "run") as run:
        go_on(run, shocks(society), 8)
        assert checkpoints_of(run.folder)[-1].step == 8
        assert run.shock(CALL) == 8
    assert run.ended
    content = manifest(run.folder)
    assert (content["status"], content["made"], len(content["interventions"]["shocks"])) == (
        "interrupted",
        8,
        5,
    )
    resume(run.folder)
    assert table_digests(run.folder) == table_digests(whole("polarization"))


def test_a_run_without_steps_leaves_no_folder(tmp_path: Path) -> None:
    run = RunByHand(polarization(), tmp_path / "run")
    run.leave()
    assert run.ended
    assert list(tmp_path.iterdir()) == []
    run.leave()


def test_leaving_removes_only_what_the_run_wrote(tmp_path: Path) -> None:
    empty, noted = tmp_path / "empty", tmp_path / "noted"
    empty.mkdir()
    for folder in (empty, noted):
        run = RunByHand(polarization(), folder)
        mine = ("notes.txt", "report.html", "tables/mine.csv", "tables/zones/x", "memory/a.parquet")
        if folder == noted:
            for name in mine:
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text("mine", encoding="utf-8")
        run.leave()
    assert list(empty.iterdir()) == []
    left = {str(path.relative_to(noted)) for path in noted.rglob("*") if path.is_file()}
    assert left == set(mine)


def test_leaving_keeps_the_files_of_a_later_run(tmp_path: Path) -> None:
    run = RunByHand(polarization(), tmp_path / "run")
    run.folder.rename(tmp_path / "moved")
    other = polarization().run(tmp_path / "run")
    before = table_digests(other)
    run.leave()
    assert table_digests(other) == before


def test_leaving_does_not_follow_links(tmp_path: Path) -> None:
    run = RunByHand(polarization(), tmp_path / "run")
    other = polarization().run(tmp_path / "other")
    before = table_digests(other)
    (run.folder / "tables").rmdir()
    (run.folder / "tables").symlink_to(other / "tables", target_is_directory=True)
    run.leave()
    assert table_digests(other) == before


@pytest.mark.parametrize("what", ["step", "shock", "failure"])
def test_a_run_with_content_is_kept(what: str, tmp_path: Path) -> None:
    run = RunByHand(polarization(), tmp_path / "run")
    if what == "step":
        run.make_step()
    elif what == "shock":
        run.shock(CALL)
    else:
        run.society.step = lambda: 1 / 0  # type: ignore[method-assign, assignment]
        with pytest.raises(ZeroDivisionError):
            run.make_step()
    run.leave()
    assert manifest(run.folder)["status"] == ("failed" if what == "failure" else "interrupted")


def test_a_run_stopped_before_its_first_step_can_be_resumed(tmp_path: Path) -> None:
    straight = polarization().run(tmp_path / "straight")
    with RunByHand(polarization(), tmp_path / "run"):
        pass
    assert manifest(tmp_path / "run")["status"] == "interrupted"
    assert [one.step for one in checkpoints_of(tmp_path / "run")] == [0]
    resume(tmp_path / "run")
    assert table_digests(tmp_path / "run") == table_digests(straight)


class Calls(Block):
    """Sets a shock of its own for the fourth step."""

    def step(self, cohort: Any) -> None:
        if self.clock.tick == 1:
            self.society.at(self.clock.date_of(4), Policy("order", "block"))
        cohort.memory.stream.add("rule", f"It is {self.society.policies.get('order')}")


class Town(Society[Settings]):
    """Citizens who see a rule."""

    def build(self, settings: Settings) -> None:
        self.populate(Citizen, settings.agents, blocks=[Calls()])
        self.at(self.clock.date_of(4), Policy("order", "built"))


def test_the_order_of_shocks_of_one_step_does_not_depend_on_when_they_are_sent(
    tmp_path: Path,
) -> None:
    early = Town(agents=3, days=0.5, rng=1)
    for name in "ab":
        early.at(early.clock.date_of(4), Policy("order", name))
    early.run(tmp_path / "early")
    with RunByHand(Town(agents=3, days=0.5, rng=1), tmp_path / "late") as run:
        for step in range(run.steps):
            if step in (1, 3):
                run.shock(Policy("order", "ab"[step // 3]), run.society.clock.date_of(4))
            run.make_step()
        run.finish()
    orders = [shock["value"] for _, shock in manifest(run.folder)["timeline"]["past"]]
    assert orders == ["built", "a", "b", "block"]
    assert table_digests(run.folder) == table_digests(tmp_path / "early")


def test_a_shock_is_in_the_manifest_before_its_step(tmp_path: Path) -> None:
    with RunByHand(polarization(), tmp_path / "run") as run:
        run.make_step()
        run.shock(SIREN, "2026-01-05 10:00")
        content = manifest(run.folder)
        assert (content["status"], content["ticks"], content["made"]) == ("running", 1, 1)
        assert content["interventions"]["shocks"] == [[4, SIREN.to_dict()]]
        assert content["timeline"]["pending"] == [[4, SIREN.to_dict()]]


@pytest.mark.parametrize(
    ("name", "shock", "when", "message"),
    [
        ("hurricane", Order(("29999",), "mandatory"), None, "no zone '29999' in charleston"),
        ("hurricane", Order(("all",), "leave"), None, "order 'leave' must be one of lifted, vol"),
        ("hurricane", News("Hear.", audience="29999"), None, "neither all, nor a zone"),
        ("polarization", Order(("here",), "none"), None, "Polarization has no place"),
        ("polarization", News("Hear.", audience="age=-4"), None, "'age=-4' is empty now"),
        ("polarization", News("Hear.", audience="shoe=4"), None, "no attribute 'shoe'"),
        ("polarization", News("Hear.", audience="age=old"), None, "'old' does not fit"),
        ("polarization", News("Hear.", topic=" "), None, "topic of a shock is empty"),
        ("polarization", News("Half \ud83d."), None, "News cannot be saved"),
        ("polarization", Message((), "Hi."), None, "at least one agent"),
        ("polarization", Message((7, 99999), "Hi."), None, "there is no agent 99999"),
        ("polarization", Message((7,), "Hi.", actor=-5), None, "actor: there is no agent -5"),
        ("polarization", Policy("x", float("nan")), None, "such a Policy cannot be saved"),
        ("polarization", "a word", None, "is not a shock; use"),
        ("polarization", SIREN, "2025-12-31", "has passed; give a time from 2026-01-01 00:00"),
        ("polarization", SIREN, "2026-02-01", "is after the end of the run; give a time from"),
        ("polarization", SIREN, "soon", "'soon' is not a date"),
        ("ubi", Policy("consumption.demnd", 0.5), None, "did you mean consumption.demand"),
        ("ubi", Policy("consumption.demand", "much"), None, "is 'much'; a number is needed"),
        ("ubi", Policy("consumption.demand", -1), None, "factor"),
    ],
)
def test_an_invalid_shock_is_reported_in_one_line_and_changes_nothing(
    opened: Callable[[str], RunByHand], name: str, shock: Shock, when: str | None, message: str
) -> None:
    run = opened(name)
    before = manifest(run.folder), run.society.timeline.state()
    with pytest.raises(MemopolisError, match=message) as refused:
        run.shock(shock, when)
    assert "\n" not in str(refused.value)
    assert (manifest(run.folder), run.society.timeline.state()) == before
    assert not run.ended


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Any:
    made: dict[str, RunByHand] = {}

    def open_run(name: str) -> RunByHand:
        if name not in made:
            folder = tmp_path_factory.mktemp("opened") / name
            made[name] = RunByHand(SCENARIOS[name][0](0), folder)
        return made[name]

    yield open_run
    for run in made.values():
        run.stop()


def test_a_shock_that_cannot_be_recorded_does_not_happen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with RunByHand(polarization(), tmp_path / "run") as run:
        before = run.society.timeline.state()
        with monkeypatch.context() as patched:
            patched.setattr("memopolis.sim.recording.recorder.write_manifest", full)
            with pytest.raises(RunFolderError, match="no space left"):
                run.shock(SIREN)
        assert run.society.timeline.state() == before
        assert run.society.interventions["shocks"] == []
        assert run.shock(CALL) == 0


class Breaks(Block):
    """Fails in the third step."""

    def step(self, cohort: Any) -> None:
        if self.clock.tick == 2:
            raise ValueError(f"a mistake of {len(cohort)}")


class Broken(Society[Settings]):
    """A society with a mistake."""

    def build(self, settings: Settings) -> None:
        self.populate(Citizen, settings.agents, blocks=[Breaks()])


def test_a_step_that_fails_ends_the_run_as_failed(tmp_path: Path) -> None:
    with RunByHand(Broken(agents=3, days=1, rng=1), tmp_path / "run") as run:
        run.make_step()
        run.make_step()
        with pytest.raises(ValueError, match="a mistake"):
            run.make_step()
        assert run.ended
        with pytest.raises(RunFolderError, match="has ended"):
            run.make_step()
        with pytest.raises(RunFolderError, match="has ended"):
            run.shock(SIREN)
        with pytest.raises(RunFolderError, match="has ended"):
            run.finish()
        run.stop()
    content = manifest(tmp_path / "run")
    assert (content["status"], content["made"]) == ("failed", 2)
    assert re.fullmatch(
        r"ValueError: a mistake of 3; .*test_by_hand.py:\d+ in Breaks.step \(.*\)", content["error"]
    )
    assert not is_owned(run.folder)


def test_a_run_finished_early_has_succeeded_and_can_be_extended(tmp_path: Path) -> None:
    straight = polarization().run(tmp_path / "straight")
    with RunByHand(polarization(), tmp_path / "run") as run:
        with pytest.raises(ParameterError, match="has done no step yet"):
            run.finish()
        go_on(run, [], 4)
        run.finish()
    result = load_run(run.folder)
    assert (result.status, result.manifest["until"], result.ticks) == ("succeeded", 4, 4)
    resume(run.folder, days=10)
    assert table_digests(run.folder) == table_digests(straight)


def test_a_run_left_without_finishing_is_interrupted(tmp_path: Path) -> None:
    run = RunByHand(polarization(), tmp_path / "run")
    run.make_step()
    del run
    gc.collect()  # its society is frozen, what opened it is not
    content = manifest(tmp_path / "run")
    assert (content["status"], content["error"]) == ("interrupted", "left before its end")
    resume(tmp_path / "run")


def test_no_step_or_shock_is_possible_after_the_last_step(tmp_path: Path) -> None:
    with RunByHand(polarization(), tmp_path / "run", days=2) as run:
        go_on(run, [], 2)
        with pytest.raises(ParameterError, match="all its 2 steps, no step is left; call finish"):
            run.make_step()
        with pytest.raises(ParameterError, match="no shock can be added"):
            run.shock(SIREN)
        run.finish()
    with pytest.raises(ParameterError, match="days is 0"):
        RunByHand(polarization(), tmp_path / "none", days=0)


def test_a_run_can_end_in_another_thread(tmp_path: Path) -> None:
    run = RunByHand(polarization(), tmp_path / "run")
    errors: list[BaseException] = []

    def sit() -> None:
        try:
            run.make_step()
            assert is_owned(run.folder)
            run.shock(to_some(run.society, "From a thread."))
            run.make_step()
            run.stop()
        except BaseException as error:  # noqa: BLE001 - reported to the test
            errors.append(error)

    thread = threading.Thread(target=sit)
    with pytest.raises(RunFolderError, match="is under way"):
        resume(run.folder)
    thread.start()
    thread.join()
    assert errors == []
    assert not is_owned(run.folder)
    resume(run.folder)
    assert manifest(run.folder)["status"] == "succeeded"


def test_a_reader_with_the_lock_reads_between_steps(tmp_path: Path) -> None:
    with RunByHand(polarization(), tmp_path / "run") as run:
        thread = threading.Thread(target=run.make_step)
        with run.lock:
            thread.start()
            thread.join(0.05)
            assert run.step == 0
        thread.join()
        assert run.step == 1


def test_finished_runs_release_their_societies(tmp_path: Path) -> None:
    before, gone = gc.get_freeze_count(), []
    for number in range(3):
        run = RunByHand(polarization(), tmp_path / str(number))
        gone.append(weakref.ref(run.society))
        run.make_step()
        assert gc.get_freeze_count() > before
        assert [one() is None for one in gone[:-1]] == [True] * number
        run.stop()
        assert gc.get_freeze_count() == before
    del run
    with (
        RunByHand(polarization(), tmp_path / "a") as a,
        RunByHand(polarization(), tmp_path / "b") as b,
    ):
        a.make_step()
        b.make_step()
        assert gone[-1]() is None
        a.stop()
        assert gc.get_freeze_count() > before
    assert gc.get_freeze_count() == before


def test_a_nonempty_folder_is_refused_and_not_locked(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "mine.txt").touch()
    with pytest.raises(RunFolderError, match="is not empty"):
        RunByHand(polarization(), tmp_path / "a")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["mine.txt"]
