"""A run is reproduced from its manifest alone, however it was stepped, steered and stopped."""

import json
import shutil
from pathlib import Path

import pytest
from tests.manifests import change_manifest
from tests.sim.running.steering import SCENARIOS, SIREN, go_on, polarization, steered, ubi

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.errors import RunFolderError, UnknownNameError
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.forking import fork
from memopolis.sim.running.repeating import repeat
from memopolis.sim.running.resuming import resume
from memopolis.sim.survey.named import find_survey


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_steered_by_hand_is_reproduced_from_its_manifest(name: str, tmp_path: Path) -> None:
    run = steered(name, tmp_path / "run")
    wanted = table_digests(run)
    for part in ("tables", "memory"):  # only the manifest is left
        shutil.rmtree(run / part)
    steps: list[int] = []
    again = repeat(run, tmp_path / "again", progress=lambda done, *_: steps.append(done))
    assert table_digests(again) == wanted
    content, first = load_run(again).manifest, json.loads((run / "manifest.json").read_text())
    assert content["interventions"] == first["interventions"]
    assert len(content["interventions"]["shocks"]) >= 5
    assert content["repeats"] == "run"
    assert steps == list(range(1, content["ticks"] + 1))
    assert content["timeline"] == first["timeline"]


def test_a_steered_run_that_was_stopped_and_resumed_is_reproduced(tmp_path: Path) -> None:
    make, shocks = SCENARIOS["polarization"]
    society = make(2)
    with RunByHand(society, tmp_path / "run") as run:
        go_on(run, shocks(society), 5)
    for ended in (5, 10):
        again = repeat(run.folder, tmp_path / f"again{ended}")
        assert table_digests(again) == table_digests(run.folder)
        assert load_run(again).manifest["until"] == ended
        resume(run.folder)


def test_shortened_and_extended_runs_are_reproduced(
    tmp_path: Path,
) -> None:
    society = ubi(2)
    with RunByHand(society, tmp_path / "run") as run:
        go_on(run, SCENARIOS["ubi"][1](society), 6)
        run.finish()
    again = repeat(run.folder, tmp_path / "again")
    assert table_digests(again) == table_digests(run.folder)
    assert load_run(again).ticks == 6
    resume(run.folder, days=330)
    again = repeat(run.folder, tmp_path / "longer")
    assert load_run(again).ticks == 11
    assert table_digests(again) == table_digests(run.folder)


def test_additions_before_the_start_are_applied_again(tmp_path: Path) -> None:
    society = polarization(4)
    society.at("2026-01-03", SIREN)
    society.survey("2026-01-04", find_survey("ces_d"))
    run = society.run(tmp_path / "run")
    assert table_digests(repeat(run, tmp_path / "again")) == table_digests(run)
    change_manifest(run, status="running")
    resume(run)  # from a checkpoint, where both are known already
    assert table_digests(repeat(run, tmp_path / "once")) == table_digests(run)


def test_an_incomplete_step_is_not_repeated(tmp_path: Path) -> None:
    with RunByHand(polarization(), tmp_path / "run") as run:
        go_on(run, [], 3)
        run.society.population("outlet").blocks.clear()
        run.society._survey = lambda: 1 / 0  # type: ignore[method-assign, assignment]
        with pytest.raises(ZeroDivisionError):
            run.make_step()
    assert load_run(run.folder).ticks == 4
    assert load_run(repeat(run.folder, tmp_path / "again")).ticks == 3


def test_changed_code_is_reported(tmp_path: Path) -> None:
    run = polarization().run(tmp_path / "run", days=1)
    change_manifest(run, code="another")
    with pytest.warns(RuntimeWarning, match="has changed since the run in .* began"):
        repeat(run, tmp_path / "again")
    assert load_run(tmp_path / "again").manifest["code"] != "another"


def test_a_class_of_a_notebook_must_be_passed(tmp_path: Path) -> None:
    class Local(Polarization):
        """As if it were of a notebook."""

    run = Local(agents=20, days=2, rng=1).run(tmp_path / "run")
    with pytest.raises(UnknownNameError, match="give its class, as scenario=Local"):
        repeat(run, tmp_path / "again")
    assert table_digests(repeat(run, tmp_path / "again", scenario=Local)) == table_digests(run)


def test_runs_that_cannot_be_repeated_are_reported_in_one_line(tmp_path: Path) -> None:
    run = polarization(2).run(tmp_path / "run", days=4)
    with pytest.raises(RunFolderError, match="exists and is not empty"):
        repeat(run, run)
    branch = fork(run, tmp_path / "branch", at=2, changes={"news": "none"})
    text = r"first 2 steps are those of run: repeat run, then `memopolis fork` that at 2 --set news"
    with pytest.raises(RunFolderError, match=text):
        repeat(branch, tmp_path / "again")
    change_manifest(run, status="running")
    with pytest.raises(RunFolderError, match=r"finish it with `memopolis resume .*run`"):
        repeat(run, tmp_path / "again")
    with RunByHand(polarization(), tmp_path / "live") as live:
        with pytest.raises(RunFolderError, match="is under way"):
            repeat(live.folder, tmp_path / "again")
        live.stop()
        with pytest.raises(RunFolderError, match="has no complete step"):
            repeat(live.folder, tmp_path / "again")
    lived = polarization()
    lived.step()
    with pytest.raises(RunFolderError, match="had made 1 steps before"):
        repeat(lived.run(tmp_path / "lived", days=2), tmp_path / "again")
    with pytest.raises(RunFolderError, match="no run folder"):
        repeat(tmp_path / "none", tmp_path / "again")
    assert not (tmp_path / "again").exists()
