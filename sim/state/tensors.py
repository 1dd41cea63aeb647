"""Store arrays as Arrow tensors in one file with a checksum.

Flat tensors are concatenated as written by `pyarrow.ipc.write_tensor`, each aligned to 64 bytes.
Arrow only has tensors of integers and floats, so other types (bool, dates, texts of fixed width)
are written as bytes; the contents record their types.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import RunFolderError

if TYPE_CHECKING:
    import pyarrow as pa

_STEP = 64


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
    """Map a file of `write_arrays` into memory, read-only, after verifying its checksum."""
    import pyarrow as pa

    length = path.stat().st_size
    if length != contents["length"]:
        raise RunFolderError(f"{path.name} has {length} bytes, {contents['length']} were written")
    if not length:
        return {}
    source = pa.memory_map(str(path))
    actual = crc32(source.read_buffer())
    if f"{actual:08x}" != contents["crc32"]:
        raise RunFolderError(
            f"{path.name} has the checksum {actual:08x}, {contents['crc32']} was written"
        )
    return {entry["name"]: _read(source, entry) for entry in contents["tensors"]}


def _read(source: "pa.NativeFile", entry: Entry) -> NDArray[Any]:
    import pyarrow as pa

    source.seek(entry["offset"])
    values: NDArray[Any] = pa.ipc.read_tensor(source).to_numpy()
    shape: Sequence[int] = entry["shape"]
    return values.view(np.dtype(entry["dtype"])).reshape(shape)


def synced(descriptor: int) -> None:
    """Sync an open file to disk."""
    os.fsync(descriptor)


def synced_folder(folder: Path) -> None:
    """Sync the entries of a folder to disk, if the system supports that."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
