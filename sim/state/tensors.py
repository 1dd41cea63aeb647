"""Store arrays as Arrow tensors in one file with a checksum.

Flat tensors are concatenated as written by `pyarrow.ipc.write_tensor`, each aligned to 64 bytes.
Arrow only has tensors of integers and floats, so other types (bool, dates, texts of fixed width)
are written as bytes; the contents record their types.
"""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.checksums import FileRecord, record_of
from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import synced

if TYPE_CHECKING:
    import pyarrow as pa

_STEP = 64
_TYPE = re.compile(r"[<>|][biufcmMSUV]\d{1,6}(\[\w{1,8}\])?")  # as `dtype.str`


class Entry(TypedDict):
    """Name, type, shape and position of an array in the file."""

    name: str
    dtype: str
    shape: list[int]
    offset: int
    length: int


class Contents(TypedDict):
    """Contents of a file of tensors."""

    crc32: str
    length: int
    tensors: list[Entry]


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Contents:
    """Write arrays to a file and sync it to disk; return the contents, for `read_arrays`."""
    import pyarrow as pa

    entries: list[Entry] = []
    with pa.OSFile(str(path), "wb") as sink, path.open("r+b", buffering=0) as written:
        checksum = 0
        for name, values in arrays.items():
            flat = np.ascontiguousarray(values).reshape(-1)
            offset = sink.tell()
            length, checksum = _write(sink, written, _numbers(flat), checksum)
            entries.append(
                {
                    "name": name,
                    "dtype": flat.dtype.str,
                    "shape": list(np.shape(values)),
                    "offset": offset,
                    "length": length,
                }
            )
        synced(written.fileno())
        return {"crc32": f"{checksum:08x}", "length": sink.tell(), "tensors": entries}


def _write(
    sink: "pa.NativeFile", written: Any, values: NDArray[Any], checksum: int
) -> tuple[int, int]:
    """Write a tensor; return its length without padding, and the new checksum."""
    import pyarrow as pa

    offset = sink.tell()
    length = int(pa.ipc.write_tensor(pa.Tensor.from_numpy(values), sink))
    # Arrow writes the head together with the body, so the head is read back.
    written.seek(offset)
    head = written.read(length - values.nbytes)
    rest = bytes(-(offset + length) % _STEP)
    sink.write(rest)
    return length, crc32(rest, crc32(values, crc32(head, checksum)))


def _numbers(flat: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array of shape (n,) that Arrow can write."""
    plain = flat.dtype.kind in "iuf" and flat.dtype.isnative and flat.dtype.itemsize <= 8
    return flat if plain else flat.view(np.uint8)


def read_arrays(path: Path, contents: Contents) -> dict[str, NDArray[Any]]:
    """Map a file of `write_arrays` into memory, read-only, after verifying its checksum.

    Raises RunFolderError if it is damaged, or KeyError, TypeError or ValueError if the contents
    are not those of such a file.
    """
    import pyarrow as pa

    whole = pa.memory_map(str(path)).read_buffer() if path.stat().st_size else b""
    if problem := FileRecord(contents["length"], contents["crc32"]).problem(record_of(whole)):
        raise RunFolderError(f"{path.name} {problem}")
    values = np.frombuffer(whole, np.uint8)
    return {entry["name"]: _read(values, entry) for entry in contents["tensors"]}


def _read(whole: NDArray[np.uint8], entry: Entry) -> NDArray[Any]:
    """Return the numbers of a tensor, which are at its end.

    Arrow's own function would believe the sizes in the head of the tensor.
    """
    if not _TYPE.fullmatch(entry["dtype"]):
        raise ValueError(f"{entry['name']} has the type {entry['dtype']!r}")
    dtype, shape = np.dtype(entry["dtype"]), entry["shape"]
    if any(type(axis) is not int or axis < 0 for axis in shape):
        raise ValueError(f"{entry['name']} has the type {dtype} and the shape {shape}")
    size = math.prod(shape) * dtype.itemsize
    end = entry["offset"] + entry["length"]
    if not 0 <= entry["offset"] <= end - size <= end <= len(whole):
        raise ValueError(f"{entry['name']} is not in the file")
    values: NDArray[Any] = whole[end - size : end].view(dtype).reshape(shape)
    return values
