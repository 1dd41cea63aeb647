"""Arrays in one file of Arrow tensors, with a checksum of every byte.

The tensors stand one after another as `pyarrow.ipc.write_tensor` writes them, each from a
multiple of 64 bytes on, flat. Arrow has tensors of whole numbers and floats alone, so other
types (bool, dates, texts of fixed width) are written as the bytes they are made of; the
contents say what they were.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import RunFolderError
from memopolis.sim.state.fsync import synced

if TYPE_CHECKING:
    import pyarrow as pa

_STEP = 64


class Entry(TypedDict):
    """Position of an array in the file, its type and shape."""

    name: str
    dtype: str
    shape: list[int]
    offset: int
    length: int


class Contents(TypedDict):
    """What a file of tensors holds."""

    crc32: str
    length: int
    tensors: list[Entry]


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Contents:
    """Write arrays into a file, and wait until the disk has it.

    Nothing is copied but what does not lie in one piece.

    Args:
        path: The file; one that is there is replaced.
        arrays: Arrays of numbers, bool, dates or texts of fixed width, by name.

    Returns:
        The contents, for `read_arrays`.

    Raises:
        OSError: If the file cannot be written.
    """
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
    """Write a tensor; give its length without what fills it up, and the new checksum."""
    import pyarrow as pa

    offset = sink.tell()
    length = int(pa.ipc.write_tensor(pa.Tensor.from_numpy(values), sink))
    # Arrow gives the head only together with the body, so it is read again.
    written.seek(offset)
    head = written.read(length - values.nbytes)
    rest = bytes(-(offset + length) % _STEP)
    sink.write(rest)
    return length, crc32(rest, crc32(values, crc32(head, checksum)))


def _numbers(flat: NDArray[Any]) -> NDArray[Any]:
    """What Arrow can write of an array of shape (n,), without a copy."""
    plain = flat.dtype.kind in "iuf" and flat.dtype.isnative and flat.dtype.itemsize <= 8
    return flat if plain else flat.view(np.uint8)


def read_arrays(path: Path, contents: Contents) -> dict[str, NDArray[Any]]:
    """Map a file that `write_arrays` wrote, once every byte of it was checked.

    Args:
        path: The file.
        contents: What `write_arrays` gave.

    Returns:
        Arrays by name; they cannot be written, and lie in the file until they are copied.

    Raises:
        OSError: If it cannot be read.
        RunFolderError: If it is not what was written.
    """
    import pyarrow as pa

    length = path.stat().st_size
    if length != contents["length"]:
        raise RunFolderError(f"{path.name} has {length} bytes, {contents['length']} were written")
    if not length:
        return {}
    source = pa.memory_map(str(path))
    checksum = crc32(source.read_buffer())
    if f"{checksum:08x}" != contents["crc32"]:
        raise RunFolderError(
            f"{path.name} has the checksum {checksum:08x}, {contents['crc32']} was written"
        )
    return {entry["name"]: _read(source, entry) for entry in contents["tensors"]}


def _read(source: "pa.NativeFile", entry: Entry) -> NDArray[Any]:
    import pyarrow as pa

    source.seek(entry["offset"])
    values: NDArray[Any] = pa.ipc.read_tensor(source).to_numpy()
    shape: Sequence[int] = entry["shape"]
    return values.view(np.dtype(entry["dtype"])).reshape(shape)
