"""A state in a folder: whole or not at all, and read only as it was written."""

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from memopolis.sim.errors import RunFolderError
from memopolis.sim.state import saving
from memopolis.sim.state.saving import read_arrays, read_state, write_arrays, write_state
from memopolis.sim.state.state import State

STATE = State(
    {"a": np.arange(1_000), "b": np.zeros((2, 3), np.float32)},
    {"time": 3, "text": "ü " * 40, "list": [1.5, None, True]},
)
FILES = ("arrays.arrow", "state.json")


class Full:
    """Replaces a file on a disk that is full after some bytes."""

    def __init__(self, path: Path, room: int) -> None:
        self.file = path.open("wb", buffering=0)
        self.room = room
        self.closed = False

    def write(self, part: Any) -> int:
        self.room -= len(part)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(part)

    def tell(self) -> int:
        return self.file.tell()

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.file.close()
        self.closed = True


def fill_disk(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """Let the disk be full after some bytes of arrays."""

    def opened(path: str, _: str) -> pa.PythonFile:
        return pa.PythonFile(Full(Path(path), room), mode="w")

    monkeypatch.setattr(pa, "OSFile", opened)


def assert_refused(folder: Path, match: str | None = None) -> None:
    with pytest.raises(RunFolderError, match=match) as caught:
        read_state(folder)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


def test_a_state_survives_a_round_trip(tmp_path: Path) -> None:
    result = read_state(write_state(STATE, tmp_path / "state"))
    assert result.plain == STATE.plain
    assert result.arrays["a"].tolist() == STATE.arrays["a"].tolist()
    assert result.arrays["b"].shape == (2, 3)
    assert [file.name for file in sorted((tmp_path / "state").iterdir())] == list(FILES)
    assert [file.name for file in tmp_path.iterdir()] == ["state"]


def test_the_same_state_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = (write_state(STATE, tmp_path / name) for name in ("one", "two"))
    assert all((one / file).read_bytes() == (two / file).read_bytes() for file in FILES)


@pytest.mark.parametrize("file", FILES)
def test_a_flipped_bit_anywhere_is_refused(tmp_path: Path, file: str) -> None:
    folder = write_state(STATE, tmp_path / "state")
    whole = (folder / file).read_bytes()
    step = max(len(whole) // 300, 1)
    for place in [*range(0, len(whole), step), len(whole) - 1]:
        flipped = bytes([whole[place] ^ 1 << place % 8])
        (folder / file).write_bytes(whole[:place] + flipped + whole[place + 1 :])
        assert_refused(folder)
    (folder / file).write_bytes(whole)
    assert read_state(folder).plain == STATE.plain


@pytest.mark.parametrize("file", FILES)
def test_a_truncated_file_is_refused(tmp_path: Path, file: str) -> None:
    folder = write_state(STATE, tmp_path / "state")
    whole = (folder / file).read_bytes()
    for length in [0, 1, 40, len(whole) // 2, len(whole) - 1]:
        (folder / file).write_bytes(whole[:length])
        assert_refused(folder)


@pytest.mark.parametrize("file", FILES)
def test_a_missing_file_is_refused(tmp_path: Path, file: str) -> None:
    folder = write_state(STATE, tmp_path / "state")
    (folder / file).unlink()
    assert_refused(folder, f"no {file}")


def test_a_missing_state_folder_is_refused(tmp_path: Path) -> None:
    assert_refused(tmp_path / "state", "no saved state")


def test_another_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "FORMAT", 7)
    folder = write_state(STATE, tmp_path / "state")
    monkeypatch.undo()
    assert_refused(folder, f"format 7; this version reads {saving.FORMAT}")


def test_a_nonempty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("kept")
    with pytest.raises(RunFolderError, match="not empty"):
        write_state(STATE, tmp_path)
    assert (tmp_path / "kept.txt").read_text() == "kept"


@pytest.mark.parametrize("room", [0, 100, 1_500, 8_200])
def test_a_full_disk_leaves_no_incomplete_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    fill_disk(monkeypatch, room)
    with pytest.raises(RunFolderError, match="cannot be written: No space left") as caught:
        write_state(STATE, tmp_path / "state")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_late_disk_error_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(saving, "synced", full)
    with pytest.raises(RunFolderError, match="No space left"):
        write_state(STATE, tmp_path / "state")
    assert list(tmp_path.iterdir()) == []


LIMITED = """
import resource, sys
import numpy as np
from memopolis.sim.errors import RunFolderError
from memopolis.sim.state.saving import write_state
from memopolis.sim.state.state import State
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_state(State({"a": np.zeros(1_000_000)}, {}), __import__("pathlib").Path(sys.argv[1]))
except RunFolderError as error:
    print(error)
"""


def test_a_file_size_limit_leaves_no_incomplete_folder(tmp_path: Path) -> None:
    assert resource.RLIMIT_FSIZE
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "state")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "cannot be written: File too large" in done.stdout
    assert done.stdout.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_folder_is_reported(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("the administrator may write everywhere")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(RunFolderError, match="Permission denied"):
            write_state(STATE, tmp_path / "state")
    finally:
        tmp_path.chmod(0o700)


def test_a_read_only_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "mkdir", read_only)
    with pytest.raises(RunFolderError, match="cannot be written: Read-only file system"):
        write_state(STATE, tmp_path / "state")


def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(RunFolderError, match="cannot be written: Not a directory"):
        write_state(STATE, tmp_path / "run" / "state")


def test_an_existing_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("kept")
    with pytest.raises(RunFolderError, match="is a file"):
        write_state(STATE, tmp_path / "state")
    assert (tmp_path / "state").read_text() == "kept"


def test_leftovers_of_an_earlier_write_are_removed(tmp_path: Path) -> None:
    (tmp_path / "state.writing").mkdir()
    (tmp_path / "state.writing" / "arrays.arrow").write_bytes(b"half")
    write_state(STATE, tmp_path / "state")
    assert [file.name for file in tmp_path.iterdir()] == ["state"]


ARRAYS: dict[str, NDArray[Any]] = {
    "bool": np.array([True, False, True]),
    "none": np.zeros(0, np.int32),
    "none/wide": np.zeros((0, 3), np.float32),
    "one": np.array(5, np.int64),
    "half": np.arange(7, dtype=np.float16),
    "every other": np.arange(20, dtype=np.int32)[::2],
    "turned": np.arange(6, dtype=np.uint16).reshape(2, 3).T,
    "date": np.array(["2019-09-01T10", "NaT"], "M8[us]"),
    "text": np.array(["a", "ü"]),
    "other way round": np.arange(3, dtype=">i4"),
    "complex": np.array([1 + 2j]),
    "not a number": np.array([np.nan, -np.nan, np.inf, -0.0]),
}

DTYPES: list[np.dtype[Any]] = [
    np.dtype(name) for name in ("?", "i1", "u2", "i4", "f4", "f8", "M8[s]")
]


def same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def test_every_kind_of_array_survives_a_round_trip(tmp_path: Path) -> None:
    contents = write_arrays(tmp_path / "arrays.arrow", ARRAYS)
    result = read_arrays(tmp_path / "arrays.arrow", contents)
    assert list(result) == list(ARRAYS)
    assert all(same(result[name], values) for name, values in ARRAYS.items())


@given(
    st.lists(
        hnp.arrays(
            st.sampled_from(DTYPES),
            hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
        ),
        max_size=6,
    )
)
def test_any_arrays_survive_a_round_trip(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[Any]
) -> None:
    path = tmp_path_factory.mktemp("tensors") / "arrays.arrow"
    arrays = {str(number): values for number, values in enumerate(drawn)}
    result = read_arrays(path, write_arrays(path, arrays))
    assert result.keys() == arrays.keys()
    assert all(same(result[name], values) for name, values in arrays.items())


def test_it_is_a_file_of_arrow_tensors(tmp_path: Path) -> None:
    arrays = {"one": np.arange(5, dtype=np.int32), "two": np.arange(4.0)}
    contents = write_arrays(tmp_path / "arrays.arrow", arrays)
    with pa.memory_map(str(tmp_path / "arrays.arrow")) as source:
        for entry in contents["tensors"]:
            assert entry["offset"] % 64 == 0
            source.seek(entry["offset"])
            tensor = pa.ipc.read_tensor(source).to_numpy()
            assert tensor.tolist() == arrays[entry["name"]].tolist()


def test_read_arrays_are_memory_mapped_and_read_only(tmp_path: Path) -> None:
    contents = write_arrays(tmp_path / "arrays.arrow", {"one": np.arange(5)})
    before = pa.total_allocated_bytes()
    result = read_arrays(tmp_path / "arrays.arrow", contents)["one"]
    assert pa.total_allocated_bytes() == before
    with pytest.raises(ValueError, match="read-only"):
        result[0] = 1


def test_every_flipped_byte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arrays.arrow"
    contents = write_arrays(path, ARRAYS)
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :]
        )
        with pytest.raises(RunFolderError, match=r"arrays\.arrow has the checksum"):
            read_arrays(path, contents)


@pytest.mark.parametrize("change", [b"", b"more"])
def test_a_file_of_another_length_is_refused(tmp_path: Path, change: bytes) -> None:
    path = tmp_path / "arrays.arrow"
    contents = write_arrays(path, ARRAYS)
    whole = path.read_bytes()
    path.write_bytes(whole + change if change else whole[:-1])
    with pytest.raises(RunFolderError, match="bytes"):
        read_arrays(path, contents)


def test_an_empty_set_of_arrays_is_stored(tmp_path: Path) -> None:
    contents = write_arrays(tmp_path / "arrays.arrow", {})
    assert read_arrays(tmp_path / "arrays.arrow", contents) == {}


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [10**9]},
        {"shape": [-1]},
        {"shape": [2.0]},
        {"offset": 2**40},
        {"offset": -64},
        {"length": 10**9},
        {"dtype": "|O"},
        {"dtype": "(3,)<i4"},
    ],
    ids=str,
)
def test_contents_that_do_not_fit_the_file_are_refused(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    contents = write_arrays(tmp_path / "arrays.arrow", {"one": np.arange(5)})
    contents["tensors"][0].update(change)  # type: ignore[typeddict-item]
    with pytest.raises((ValueError, TypeError)):
        read_arrays(tmp_path / "arrays.arrow", contents)
