"""A run that is killed at random moments and resumed is the run that was never stopped."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.sim.errors import RunFolderError
from memopolis.sim.running.resuming import resume

KILLS = 3
STEPS = 50


class Sittings:
    """Sittings of runs, each in a process that can be killed."""

    def __init__(self, server: "subprocess.Popen[str]") -> None:
        self._server = server

    def begin(self, folder: Path, steps: int = STEPS) -> int:
        """Let a run begin or go on; gives its process when it has made so many steps."""
        assert self._server.stdin is not None
        self._server.stdin.write(f"{folder}\n")
        self._server.stdin.flush()
        pid = 0
        while steps > 0 or not pid:
            what, number = self._next()
            pid = number if what == "pid" else pid
            steps -= what == "step"
            if what == "ended":
                raise AssertionError(f"it ended with {number}")
        return pid

    def ended(self) -> int:
        """Exit code of the sitting, when it has ended."""
        return next(number for what, number in iter(self._next, ("", 0)) if what == "ended")

    def _next(self) -> tuple[str, int]:
        assert self._server.stdout is not None
        what, number = self._server.stdout.readline().split()
        return what, int(number)


@pytest.fixture(scope="module")
def sittings() -> Iterator[Sittings]:
    script = Path(__file__).with_name("killed.py")
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        yield Sittings(server)
        assert server.stdin is not None
        server.stdin.close()


def test_a_run_killed_three_times_equals_an_uninterrupted_one(
    sittings: Sittings, tmp_path: Path
) -> None:
    straight, folder = tmp_path / "straight", tmp_path / "killed"
    sittings.begin(straight)
    assert sittings.ended() == 0
    moments = np.random.default_rng(7)
    for _ in range(KILLS):
        os.kill(sittings.begin(folder, int(moments.integers(5, 20))), signal.SIGKILL)
        assert sittings.ended() == -signal.SIGKILL
    sittings.begin(folder, 1)
    assert sittings.ended() == 0
    assert table_digests(folder) == table_digests(straight)
    remembered = [path.read_bytes() for path in sorted((straight / "memory").iterdir())]
    assert [path.read_bytes() for path in sorted((folder / "memory").iterdir())] == remembered
    assert not list(folder.rglob("*.writing"))
    run = load_run(folder)
    assert run.status == "succeeded"
    assert len(run.manifest["resumed"]) == KILLS
    assert run.timings["ticks"] == STEPS


def test_an_active_run_has_one_owner_and_a_killed_one_reports_how_to_resume(
    sittings: Sittings, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    process = sittings.begin(folder, 2)
    with pytest.raises(RunFolderError, match=r"is under way$"):
        load_run(folder)
    with pytest.raises(RunFolderError, match="is under way: another process runs or resumes it"):
        resume(folder)
    os.kill(process, signal.SIGKILL)
    assert sittings.ended() == -signal.SIGKILL
    with pytest.raises(RunFolderError, match=r"was killed; `memopolis resume .*` continues it"):
        load_run(folder)
