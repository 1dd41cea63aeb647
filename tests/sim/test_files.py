"""Files that users name are read only if they are regular and not too large."""

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memopolis.sim.errors import DataFileError, reason_of
from memopolis.sim.files import check_regular, read_regular
from memopolis.sim.settings import load_settings_toml
from memopolis.sim.sweep.design_file import DesignToml

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no devices in the file system")


def _make_pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def _make_socket(path: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
    return path


def _make_link_to_device(path: Path) -> Path:
    path.symlink_to("/dev/zero")
    return path


@pytest.mark.parametrize("make", [_make_pipe, _make_socket, _make_link_to_device])
@pytest.mark.parametrize("function", [check_regular, read_regular])
def test_a_device_or_a_pipe_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], Path],
    function: Callable[[Path], object],
) -> None:
    monkeypatch.chdir(tmp_path)  # the address of a socket is short
    with pytest.raises(OSError, match="device or a pipe; a regular file is needed"):
        function(make(Path("special")))


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_a_device_is_refused(device: str) -> None:
    with pytest.raises(OSError, match="device or a pipe"):
        read_regular(device)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"12345678901")
    assert read_regular(path, largest=11) == b"12345678901"
    with pytest.raises(OSError, match="has 11 bytes; at most 10 are read"):
        read_regular(path, largest=10)


def test_a_file_of_unknown_size_is_read_up_to_the_limit() -> None:
    status = Path("/proc/self/status")
    assert status.stat().st_size == 0
    with pytest.raises(OSError, match="at most 20 are read"):
        read_regular(status, largest=20)


@pytest.mark.parametrize(
    ("name", "reason"), [("missing", "No such file or directory"), (".", "Is a directory")]
)
def test_other_errors_are_those_of_the_system(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(OSError, match=reason) as raised:
        read_regular(tmp_path / name)
    assert reason_of(raised.value) == reason


@pytest.mark.parametrize("read", [load_settings_toml, lambda path: DesignToml(path, ())])
def test_a_device_is_no_toml_file(read: Callable[[Path], object]) -> None:
    with pytest.raises(DataFileError, match=r"cannot read the .* /dev/zero: it is a device"):
        read(Path("/dev/zero"))
