"""`memopolis repeat`."""

from pathlib import Path
from typing import Any

import pytest
from tests.manifests import change_manifest
from tests.sim.running.steering import SCENARIOS, go_on, polarization
from typer.testing import CliRunner

from memopolis.cli import app
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.forking import fork
from memopolis.sim.society import Society
from memopolis.sim.timeline import Policy


def run(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture(scope="module")
def steered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    make, shocks = SCENARIOS["polarization"]
    society = make(0)
    with RunByHand(society, tmp_path_factory.mktemp("cli") / "steered") as by_hand:
        go_on(by_hand, shocks(society), 9)
        by_hand.finish()
    return by_hand.folder


def test_repeating_a_steered_run_gives_equal_tables(steered: Path) -> None:
    code, texts = run("repeat", steered)
    assert code == 0, texts
    again = steered.with_name("steered-repeat-1")
    assert "Polarization: 20 agents" in texts
    assert "9 steps, seed 3" in texts
    assert f"Run {again} Report {again}/report.html Tables equal" in texts
    assert (again / "report.html").is_file()


def test_repeat_reports_where_tables_differ(tmp_path: Path) -> None:
    society = polarization()
    with RunByHand(society, tmp_path / "run") as by_hand:
        go_on(by_hand, [(3, None, SCENARIOS["polarization"][1](society)[1][2])], 6)
        by_hand.finish()
    change_manifest(tmp_path / "run", interventions={"shocks": [], "surveys": []})
    code, texts = run("repeat", tmp_path / "run", "--out", tmp_path / "again", "--no-report")
    assert code == 1, texts
    assert "Tables differ. The runs diverge at step 3, Sun 04 Jan 2026 00:00, in agents_" in texts
    assert f"Compare memopolis compare {tmp_path / 'run'} {tmp_path / 'again'}" in texts
    assert "extended at" not in texts
    change_manifest(tmp_path / "run", resumed=[{"step": 2, "days": 6}])
    code, texts = run("repeat", tmp_path / "run", "--out", tmp_path / "b", "--no-report")
    assert code == 1, texts
    assert "The first run was extended at step 2: values that depend on the length" in texts


def test_repeat_needs_only_the_manifest(steered: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "manifest.json").write_text((steered / "manifest.json").read_text())
    code, texts = run("repeat", tmp_path / "run", "--out", tmp_path / "again", "--no-report")
    assert code == 0, texts
    assert f"Tables not compared: {tmp_path / 'run'} has none" in texts


def test_an_incomplete_step_is_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunByHand(polarization(), tmp_path / "run") as by_hand:
        go_on(by_hand, [], 3)

        def fail(_: Society[Any]) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(Society, "_survey", fail)
            with pytest.raises(KeyboardInterrupt):
                by_hand.make_step()
    code, texts = run("repeat", tmp_path / "run", "--out", tmp_path / "again", "--no-report")
    assert code == 0, texts
    assert (
        "Tables equal in all 3 complete steps; the first run was interrupted during a step" in texts
    )


def test_changed_code_is_reported_in_one_line(steered: Path, tmp_path: Path) -> None:
    content = (steered / "manifest.json").read_text()
    try:
        change_manifest(steered, code="another")
        code, texts = run("repeat", steered, "--out", tmp_path / "again", "--no-report")
    finally:
        (steered / "manifest.json").write_text(content)
    assert code == 0
    assert "has changed since the run in" in texts


def test_impossible_requests_are_one_line(steered: Path, tmp_path: Path) -> None:
    code, texts = run("repeat", tmp_path / "none")
    assert (code, texts) == (2, f"memopolis: there is no run folder {tmp_path / 'none'}")
    code, texts = run("repeat", steered, "--out", steered)
    assert code == 2
    assert "exists and is not empty; name another folder or remove it" in texts
    branch = fork(steered, tmp_path / "branch", at=2)
    code, texts = run("repeat", branch, "--out", tmp_path / "again")
    assert code == 2
    assert "is a fork, whose first 2 steps are those of steered: repeat steered, then" in texts
    shock = Policy("a", 1).to_dict() | {"b": 2}
    change_manifest(branch, fork=None, interventions={"shocks": [[3, shock]], "surveys": []})
    code, texts = run("repeat", branch, "--out", tmp_path / "again")
    assert code == 2
    assert "cannot make a Policy" in texts
    assert not (tmp_path / "again").exists()
