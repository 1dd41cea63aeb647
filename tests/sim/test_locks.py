"""Locks: one owner, also among processes, freed when it dies; where there are none, it is said."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from memopolis.sim.errors import RunFolderError
from memopolis.sim.locks import is_held, take
from memopolis.sim.run_folder.folder import LOCK, is_owned, owned
from memopolis.sim.sweep.rows import RunRow, claim, is_claimed, make_rows, write_row

HOLD = """
import sys
from pathlib import Path
from memopolis.sim.locks import take
lock = take(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""
LOOK = """
import os, sys
from pathlib import Path
from memopolis.sim.run_folder.folder import is_owned, owned
from memopolis.sim.sweep.rows import claim, is_claimed, read_row
if os.geteuid() == 0:
    os.seteuid(65534)  # nobody
folder = Path(sys.argv[1])
print(is_owned(folder), is_claimed(folder, "a"), read_row(folder, "a").status)
for take in (lambda: owned(folder), lambda: claim(folder, "b")):
    try:
        with take():
            print("taken")
    except Exception as error:
        print(type(error).__name__)
"""


@contextmanager
def holder(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds a lock until it is terminated."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.communicate("")


def test_a_lock_is_held_until_it_is_released(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    assert not is_held(path)
    assert not path.exists()  # a look makes no file
    lock = take(path)
    assert lock is not None
    assert is_held(path)
    assert take(path) is None
    # A run that is stepped by hand may end in another thread than it began in.
    thread = threading.Thread(target=lock.release)
    thread.start()
    thread.join()
    assert not is_held(path)


def test_another_process_holds_a_lock_until_it_ends_or_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with holder(path):
        assert is_held(path)
        assert take(path) is None
    assert not is_held(path)
    with holder(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert path.is_file()
        assert not is_held(path)
    lock = take(path)
    assert lock is not None
    lock.release()


@pytest.mark.parametrize("left", ["", "4711\n"])
def test_a_leftover_lock_file_locks_nothing(tmp_path: Path, left: str) -> None:
    (tmp_path / LOCK).write_text(left)
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "a.lock").write_text(left)
    assert not is_owned(tmp_path)
    assert not is_claimed(tmp_path, "a")
    with owned(tmp_path), claim(tmp_path, "a") as mine:
        assert mine


def test_concurrent_checks_of_a_lock_do_not_interfere(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    path.touch()
    seen: list[bool] = []
    looks = [
        threading.Thread(target=lambda: seen.extend(is_held(path) for _ in range(500)))
        for _ in range(4)
    ]
    for one in looks:
        one.start()
    for one in looks:
        one.join()
    assert len(seen) == 2_000
    assert not any(seen)


def fails(error: Exception) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    "error",
    [
        NotImplementedError("flock"),  # of older versions of filelock
        OSError(errno.ENOLCK, os.strerror(errno.ENOLCK)),
        OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP)),
    ],
    ids=["none", "ENOLCK", "EOPNOTSUPP"],
)
def test_a_file_system_without_locks_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    (tmp_path / LOCK).touch()
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "a.lock").touch()
    monkeypatch.setattr("fcntl.flock", fails(OSError(errno.ENOLCK, "no locks")))
    monkeypatch.setattr(FileLock, "_acquire", fails(error))
    assert not is_owned(tmp_path)
    assert not is_claimed(tmp_path, "a")
    folder = owned(tmp_path)
    with pytest.warns(RuntimeWarning, match=f"file system of {tmp_path} has no locks"):
        folder.__enter__()
    folder.__exit__(None, None, None)
    claimed = claim(tmp_path, "a")
    with pytest.warns(RuntimeWarning, match="rows has no locks"):
        assert claimed.__enter__()
    claimed.__exit__(None, None, None)


def test_a_disk_error_does_not_count_as_an_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / LOCK).touch()
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "a.lock").touch()
    monkeypatch.setattr("fcntl.flock", fails(OSError(errno.EIO, os.strerror(errno.EIO))))
    assert not is_owned(tmp_path)
    assert not is_claimed(tmp_path, "a")
    with pytest.raises(RunFolderError, match="cannot be written: input/output error"):
        owned(tmp_path).__enter__()
    with pytest.raises(OSError, match="Input/output error"):
        claim(tmp_path, "a").__enter__()


def test_a_lock_is_visible_in_a_read_only_folder() -> None:
    # Below /tmp, since others may not pass the folders of a test.
    folder = Path(tempfile.mkdtemp())
    make_rows(folder)

    def read_statuses() -> list[str]:
        command = [sys.executable, "-c", LOOK, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    try:
        with owned(folder), claim(folder, "a"):
            write_row(folder, "a", RunRow("running", 1))
            for path in (folder, *folder.rglob("*")):
                path.chmod(0o555 if path.is_dir() else 0o444)
            assert read_statuses() == ["True True running", "RunFolderError", "PermissionError"]
        # Its owner is gone, and the files are still there.
        assert (folder / LOCK).is_file()
        assert (folder / "rows" / "a.lock").is_file()
        assert read_statuses() == ["False False interrupted", "RunFolderError", "PermissionError"]
    finally:
        for path in (folder, folder / "rows"):
            path.chmod(0o755)
        shutil.rmtree(folder)
