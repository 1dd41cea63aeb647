"""Arrays in a file of Arrow tensors: the same bits again, or refused."""

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
from memopolis.sim.state.tensors import read_arrays, write_arrays

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
