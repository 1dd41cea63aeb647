"""A fork has the past of its run, and another future."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import ParameterError, RunFolderError, SettingsError
from memopolis.sim.recording.stopping import StopRun
from memopolis.sim.running.forking import fork
from memopolis.sim.running.resuming import resume
from memopolis.sim.state.checkpoints import checkpoints_of

AT = 96
"""Before the order of Dorian: 1 September, 18:30."""


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    society = Hurricane(
        agents=40,
        days=6,
        rng=3,
        survey={"ask": ("ces_d",), "every": 36},
        checkpoint={"every": 40, "keep": 0},
    )
    return society.run(tmp_path_factory.mktemp("forks") / "parent")


@pytest.fixture(scope="module")
def without_orders(parent: Path) -> Path:
    return fork(parent, parent.with_name("none"), at=AT, changes={"orders": "none"})


def test_a_fork_without_changes_equals_the_original(parent: Path, tmp_path: Path) -> None:
    steps: list[int] = []
    folder = fork(parent, tmp_path / "a", at=AT, progress=lambda done, *_: steps.append(done))
    assert table_digests(folder) == table_digests(parent)
    assert steps == list(range(81, 145))  # from the checkpoint before the step
    assert load_run(folder).manifest["fork"] == {"of": "parent", "step": AT, "changes": {}}
    for checkpoint in checkpoints_of(parent):
        assert checkpoint.folder.is_dir()


def test_a_fork_accepts_a_date_and_needs_no_checkpoint(parent: Path, tmp_path: Path) -> None:
    folder = fork(parent, tmp_path / "a", at="2019-08-28 20:00")
    assert load_run(folder).manifest["fork"]["step"] == 20
    assert table_digests(folder) == table_digests(parent)


def test_a_fork_differs_only_after_its_step(parent: Path, without_orders: Path) -> None:
    old, new = load_run(parent), load_run(without_orders)
    assert old.tables == new.tables
    differ = set()
    for name in old.tables:
        a, b = old.table(name), new.table(name)
        if "tick" not in a:
            continue
        pd.testing.assert_frame_equal(
            _plain(a[a["tick"] < AT]), _plain(b[b["tick"] < AT]), check_dtype=False
        )
        if not _plain(a).equals(_plain(b)):
            differ.add(name)
    assert {"decisions", "memories", "measures", "weather"} <= differ
    assert new.settings["orders"] == "none"
    assert new.manifest["fork"]["changes"] == {"orders": "none"}
    assert new.manifest["fork"]["kept"] == ["citizen.order_zone"]
    assert new.manifest["seed"] == old.manifest["seed"]
    evacuated = [run.measure("evacuated_share").iloc[-1] for run in (old, new)]
    assert evacuated[1] < evacuated[0]


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    texts = frame.select_dtypes("category").columns
    return frame.astype(dict.fromkeys(texts, object)).reset_index(drop=True)


def test_a_stopped_fork_can_be_resumed(parent: Path, without_orders: Path, tmp_path: Path) -> None:
    def stop(done: int, *_: object) -> None:
        if done == 120:
            raise StopRun

    changes = {"orders": "none"}
    with pytest.raises(StopRun):
        fork(parent, tmp_path / "a", at=AT, changes=changes, progress=stop)
    resume(tmp_path / "a")
    assert table_digests(tmp_path / "a") == table_digests(without_orders)
    assert load_run(tmp_path / "a").manifest["fork"]["step"] == AT


def test_a_fork_stopped_before_its_step_is_restarted(parent: Path, tmp_path: Path) -> None:
    def stop(done: int, *_: object) -> None:
        if done == 90:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fork(parent, tmp_path / "a", at=AT, progress=stop)
    with pytest.raises(RunFolderError, match=r"is a fork of parent .* run it again"):
        resume(tmp_path / "a")


@pytest.mark.parametrize(
    ("error", "message", "asked"),
    [
        (
            SettingsError,
            "made during a run.*number of agents",
            {"changes": {"agents": 5}},
        ),
        (
            SettingsError,
            "made during a run.*the place",
            {"changes": {"place": "columbia"}},
        ),
        (
            SettingsError,
            "made during a run.*first day",
            {"changes": {"start": "2019-08-29"}},
        ),
        (SettingsError, "made during a run", {"changes": {"tick": 2}}),
        (SettingsError, "no setting", {"changes": {"ordres": "none"}}),
        (ParameterError, "has the steps 0 to 144", {"at": 145}),
        (ParameterError, "has the steps 0 to 144", {"at": "2018-01-01"}),
        (ParameterError, "choose an earlier step", {"at": 144}),
        (ParameterError, "neither a number of steps nor a date: '-1' is not a date", {"at": "-1"}),
    ],
    ids=["agents", "place", "start", "tick", "unknown", "late", "early", "end", "word"],
)
def test_impossible_requests_are_refused_in_one_line(
    parent: Path, tmp_path: Path, error: type[Exception], message: str, asked: dict[str, Any]
) -> None:
    with pytest.raises(error, match=message):
        fork(parent, tmp_path / "a", **{"at": AT, **asked})
    assert not (tmp_path / "a").exists()


def test_a_nonempty_target_folder_is_refused(parent: Path) -> None:
    with pytest.raises(RunFolderError, match="is not empty"):
        fork(parent, parent, at=AT)
