"""Runs that were stopped go on as if they had not been; runs that succeeded go on for more days."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.manifests import change_manifest

from memopolis.agents.citizen import Citizen
from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.hurricane import Hurricane
from memopolis.scenarios.polarization import Polarization
from memopolis.scenarios.ubi import BasicIncome
from memopolis.sim.block import Block
from memopolis.sim.errors import (
    MemopolisError,
    ParameterError,
    RunFolderError,
    StateError,
    UnknownNameError,
)
from memopolis.sim.recording.stopping import StopRun
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.running.resuming import resume
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import checkpoints_of
from memopolis.sim.timeline import News

EVERYTHING = ("memories", "agents", "decisions", "measures", "ledger", "model_calls", "world")
SCENARIOS: dict[str, tuple[type[Society[Any]], dict[str, Any]]] = {
    "hurricane": (
        Hurricane,
        {"agents": 20, "days": 5, "survey": {"ask": ("ces_d",), "every": 36}},
    ),
    "polarization": (
        Polarization,
        {"agents": 30, "days": 12, "survey": {"ask": ("gun_control",), "every": 72}},
    ),
    "ubi": (
        BasicIncome,
        {"agents": 60, "days": 300, "start": 4, "survey": {"ask": ("gun_control",), "every": 2000}},
    ),
}


def stop_at(step: int, stop: type[BaseException] = StopRun) -> Callable[..., None]:
    def listen(done: int, *_: object) -> None:
        if done == step:
            raise stop

    return listen


def stopped(society: Society[Any], folder: Path, step: int) -> Path:
    with pytest.raises(StopRun):
        society.run(folder, progress=stop_at(step))
    return folder


PLANS = {"hurricane": {"record.plans": True}}
"""Where citizens make everyday plans."""


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_stopped_or_extended_run_equals_an_uninterrupted_one(name: str, tmp_path: Path) -> None:
    scenario, changes = SCENARIOS[name]
    changes = {**changes, "record.tables": EVERYTHING, **PLANS.get(name, {})}
    whole = scenario(**changes, rng=2)
    ticks = whole.ticks
    wanted = table_digests(whole.run(tmp_path / "straight"))
    folder = stopped(scenario(**changes, rng=2), tmp_path / "stopped", ticks // 3)
    assert load_run(folder).status == "interrupted"
    with pytest.raises(StopRun):
        resume(folder, progress=stop_at(ticks - 2))
    resume(folder)
    assert table_digests(folder) == wanted
    half = {**changes, "days": changes["days"] / 2, "checkpoint": {"every": ticks // 4}}
    longer = scenario(**half, rng=2).run(tmp_path / "longer")
    resume(longer, days=changes["days"])
    assert table_digests(longer) == wanted
    assert load_run(longer).settings["days"] == changes["days"]
    resumed = {"step": ticks // 2, "days": changes["days"]}
    assert load_run(longer).manifest["resumed"] == [resumed]


class Count(Block):
    """Remember something and count it."""

    state = ("count",)

    def setup(self) -> None:
        self.count = np.zeros(2)

    def step(self, cohort: Any) -> None:
        self.count += 1, len(cohort)
        some = cohort.where(self.chance.uniform(cohort) < 0.3)
        some.memory.stream.add("life", f"Hour {self.clock.tick}, {int(self.count[0])}")
        if self.clock.tick == 7:
            self.society.at("2026-01-01 20:00", News("A thing of the moment."))


class Town(Society[Settings]):
    """Citizens who count."""

    def build(self, settings: Settings) -> None:
        self.populate(Citizen, settings.agents, blocks=[Count()])
        self.at("2026-01-01 03:00", News("It begins."))


def town(days: float = 1, every: int = 0, **changes: Any) -> Town:
    made = Town(agents=6, days=days, rng=4, checkpoint={"every": every}, **changes)
    made.at("2026-01-01 12:00", News("Given by hand."))
    return made


def test_checkpoints_change_no_results_and_the_latest_are_kept(tmp_path: Path) -> None:
    town().run(tmp_path / "none")
    town(every=5).run(tmp_path / "some")
    assert table_digests(tmp_path / "none") == table_digests(tmp_path / "some")
    assert not (tmp_path / "none" / "checkpoints").exists()
    assert [one.step for one in checkpoints_of(tmp_path / "some")] == [20, 24]
    all_kept = Town(agents=6, days=1, rng=4, checkpoint={"every": 10, "keep": 0})
    all_kept.run(tmp_path / "all")
    assert [one.step for one in checkpoints_of(tmp_path / "all")] == [10, 20, 24]
    often = Town(agents=6, days=0.2, rng=4, checkpoint={"minutes": 1e-9, "keep": 0})
    often.run(tmp_path / "often")
    assert len(checkpoints_of(tmp_path / "often")) == 5


@pytest.mark.parametrize("every", [0, 5])
def test_an_immediately_stopped_run_continues_from_its_checkpoint_or_start(
    tmp_path: Path, every: int
) -> None:
    straight = town().run(tmp_path / "straight")
    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        town(every=every).run(folder, progress=stop_at(13, KeyboardInterrupt))
    (folder / "tables" / "memories" / "part-00009.writing").write_bytes(b"torn")
    begun: list[int] = []
    resume(folder, scenario=Town, progress=lambda done, *_: begun.append(done))
    assert begun[0] == (11 if every else 1)
    assert table_digests(folder) == table_digests(straight)
    assert load_run(folder).manifest["timeline"] == load_run(straight).manifest["timeline"]
    assert not list(folder.rglob("*.writing"))


def test_timings_of_several_sessions_add_up(tmp_path: Path) -> None:
    folder = stopped(town(), tmp_path / "run", 12)
    path = folder / "checkpoints" / "step-00000012" / "state.json"
    # As the checkpoint has them: writing it takes time of its own, on a busy disk much of it.
    before = json.loads(path.read_text(encoding="utf-8"))["state"]["plain"]["position"]
    resume(folder, scenario=Town)
    after = load_run(folder).timings
    assert after["seconds"] > before["seconds"] - 0.001 > 0
    assert after["ticks"] == 24
    assert after["blocks"]["count"] >= before["blocks"]["count"] - 0.001


def test_changed_code_since_the_start_is_reported(tmp_path: Path) -> None:
    folder = stopped(town(), tmp_path / "run", 12)
    content = read_content(folder)
    change_manifest(folder, code="another")
    with pytest.warns(RuntimeWarning, match="has changed since the run in .* began"):
        resume(folder, scenario=Town)
    assert load_run(folder).manifest["code"] == content["code"] != "another"


def test_a_damaged_checkpoint_is_reported_and_the_previous_one_used(tmp_path: Path) -> None:
    straight = town().run(tmp_path / "straight")
    with pytest.raises(KeyboardInterrupt):
        town(every=5).run(tmp_path / "run", progress=stop_at(17, KeyboardInterrupt))
    broken = checkpoints_of(tmp_path / "run")[-1].folder / "arrays.arrow"
    content = bytearray(broken.read_bytes())
    content[len(content) // 2] ^= 1
    broken.write_bytes(content)
    text = r"step-00000015.*continuing from the earlier state of step 10"
    with pytest.warns(RuntimeWarning, match=text):
        resume(tmp_path / "run", scenario=Town)
    run = load_run(tmp_path / "run")
    assert run.manifest["resumed"] == [{"step": 10}]
    assert "step-00000015" in run.manifest["warnings"][0]
    assert table_digests(tmp_path / "run") == table_digests(straight)


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise RunFolderError("no room")

    monkeypatch.setattr("memopolis.sim.state.checkpoints.write_checkpoint", full)
    with pytest.warns(RuntimeWarning, match="after step 5: no room; the run continues") as warning:
        town(every=5).run(tmp_path / "run")
    assert len(warning) == 1
    run = load_run(tmp_path / "run")
    assert run.status == "succeeded"
    assert "no room" in run.manifest["warnings"][0]


def test_a_run_stopped_by_a_full_disk_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    straight = town().run(tmp_path / "straight")
    folder = tmp_path / "run"
    write, write_text, truncate = Path.write_bytes, Path.write_text, os.truncate
    with monkeypatch.context() as patched:
        parts: list[Path] = []
        freed: list[int] = []

        def full(path: Path, packed: Any) -> int:
            if "tables" in path.parts:
                parts.append(path)
            if len(parts) > 8:
                write(path, b"half")
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(path, packed)

        def full_of_texts(path: Path, text: str, **more: Any) -> int:
            if len(parts) > 8 and not freed:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write_text(path, text, **more)

        def free(path: Path, length: int) -> None:
            freed.append(path.stat().st_size)
            truncate(path, length)

        patched.setattr(Path, "write_bytes", full)
        patched.setattr(Path, "write_text", full_of_texts)
        patched.setattr(os, "truncate", free)
        with pytest.raises(RunFolderError, match=r"no space left.*free some space, then"):
            town(every=4).run(folder)
    manifest = folder / "manifest.json"
    assert freed[-1] > 2 * manifest.stat().st_size
    assert (folder / "run.lock").stat().st_size == 0
    run = load_run(folder)
    assert run.status == "interrupted"
    assert "no space left" in run.manifest["error"]
    assert "rows of the last steps are lost" in run.manifest["warnings"][0]
    assert not list(folder.rglob("*.writing"))
    resume(folder, scenario=Town)
    assert table_digests(folder) == table_digests(straight)


def test_resuming_a_complete_run_does_nothing(tmp_path: Path) -> None:
    folder = town().run(tmp_path / "run")
    before = (folder / "manifest.json").read_bytes()
    assert resume(folder, scenario=Town) == folder
    assert resume(folder, scenario=Town, days=1) == folder
    assert (folder / "manifest.json").read_bytes() == before


class Village(Town):
    """Another one."""


class Other(Society[Settings]):
    """Citizens without a block, under the name of others."""

    def build(self, settings: Settings) -> None:
        self.populate(Citizen, settings.agents)


Other.__name__ = "Town"


@pytest.mark.parametrize(
    ("error", "message", "asked"),
    [
        (ParameterError, "has done 24 steps already", {"days": 0.5, "scenario": Town}),
        (ParameterError, "days is -1", {"days": -1, "scenario": Town}),
        (UnknownNameError, "is a run of Town, not of Village", {"scenario": Village}),
        (StateError, "other populations or blocks", {"days": 2, "scenario": Other}),
        (UnknownNameError, "no scenario is called 'nowhere'", {"scenario": "nowhere"}),
    ],
    ids=["fewer days", "no days", "another", "other blocks", "not found"],
)
def test_impossible_requests_are_refused_in_one_line(
    tmp_path: Path, error: type[MemopolisError], message: str, asked: dict[str, Any]
) -> None:
    folder = town(every=12).run(tmp_path / "run")
    before = table_digests(folder), (folder / "manifest.json").read_bytes()
    with pytest.raises(error, match=message):
        resume(folder, **asked)
    assert (table_digests(folder), (folder / "manifest.json").read_bytes()) == before


def test_a_folder_without_a_run_or_of_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="no run folder"):
        resume(tmp_path / "none")
    with pytest.raises(RunFolderError, match="is not the folder of a run"):
        resume(tmp_path)
    assert not list(tmp_path.iterdir())
    folder = town().run(tmp_path / "run")
    change_manifest(folder, format=99)
    with pytest.raises(RunFolderError, match="has format 99; this version reads"):
        resume(folder, scenario=Town)


def test_a_notebook_class_must_be_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Local(Town):
        """As if it were of a notebook."""

        title = "The local town"

    folder = stopped(Local(agents=3, days=1, rng=1), tmp_path / "run", 5)
    assert json.loads((folder / "manifest.json").read_text())["title"] == "The local town"
    with pytest.raises(UnknownNameError, match="give its class, as scenario=Local"):
        resume(folder)
    monkeypatch.setattr(Local, "title", "Another")  # it is known by its class
    resume(folder, scenario=Local)
    assert load_run(folder).status == "succeeded"


def test_a_society_that_had_stepped_before_needs_a_checkpoint(tmp_path: Path) -> None:
    def lived() -> Town:
        made = town(every=4)
        for _ in range(3):
            made.step()
        return made

    straight = lived().run(tmp_path / "straight", days=0.5)
    with pytest.raises(KeyboardInterrupt):
        lived().run(tmp_path / "late", days=0.5, progress=stop_at(7, KeyboardInterrupt))
    resume(tmp_path / "late", scenario=Town)
    assert table_digests(tmp_path / "late") == table_digests(straight)
    with pytest.raises(KeyboardInterrupt):
        lived().run(tmp_path / "early", days=0.5, progress=stop_at(1, KeyboardInterrupt))
    for one in checkpoints_of(tmp_path / "early"):
        (one.folder / "state.json").unlink()
    with pytest.raises(RunFolderError, match="had made 3 steps before"):
        resume(tmp_path / "early", scenario=Town)
