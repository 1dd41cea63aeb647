"""Save a state to a folder atomically: `state.json` and `arrays.arrow`.

Files are written to a folder whose name ends in `.writing`, which is renamed after it is synced to
disk. Both files have a checksum, so that a damaged state is never read.
"""

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.checksums import FileRecord, read_sealed, record_of, write_sealed
from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import (
    WRITING,
    refuse_links,
    remove_files,
    synced,
    synced_folder,
    writing_to,
)
from memopolis.sim.state.state import State, state_of

if TYPE_CHECKING:
    import pyarrow as pa

    from memopolis.sim.society_base import SocietyBase


# Store arrays as Arrow tensors in one file with a checksum.
#
# Flat tensors are concatenated as written by `pyarrow.ipc.write_tensor`, each aligned to 64 bytes.
# Arrow only has tensors of integers and floats, so other types (bool, dates, texts of fixed width)
# are written as bytes; the contents record their types.

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


FORMAT = 4  # changes when older states can no longer be read

_JSON, _ARRAYS = "state.json", "arrays.arrow"
MEMBERS = (_JSON, _ARRAYS)
"""Files of a state, in the order of removal: without the first one, there is no state."""
_KEY = "state"


def save_state(society: "SocietyBase[Any]", folder: str | Path) -> Path:
    """Save a society between two steps, in an empty or missing folder, for `load_state`."""
    return write_state(state_of(society), Path(folder))


def write_state(state: State, folder: Path, *, replace: bool = False) -> Path:
    """Write a state to a folder atomically, and return the folder.

    The folder must not exist or be empty, unless an existing state is to be replaced. The arrays of
    the state must not change during writing.
    """
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"{folder} is a file; name a folder")
    if not replace and folder.is_dir() and any(folder.iterdir()):
        raise RunFolderError(f"{folder} exists and is not empty; name another folder")
    writing, replaced = _remains(folder)
    refuse_links(folder, writing, replaced)
    if others := others_in(folder):
        raise RunFolderError(f"{folder} also contains {others[0]}, which is not part of a state")
    try:
        with writing_to(folder):
            remove_remains(folder)
            writing.mkdir(parents=True)
            contents = write_arrays(writing / _ARRAYS, state.arrays)
            _write_json(writing / _JSON, {"arrays": contents, "plain": state.plain})
            synced_folder(writing)
            if folder.exists():
                folder.rename(replaced)
            writing.rename(folder)
            synced_folder(folder.parent)
    finally:
        remove_remains(folder)
    return folder


def remove_remains(folder: Path) -> None:
    """Remove the files that an interrupted write left next to a folder."""
    for remains in _remains(folder):
        with suppress(OSError):
            remove_files(remains, MEMBERS)


def _remains(folder: Path) -> tuple[Path, Path]:
    """Return the temporary folders for a new state and for the state it replaces."""
    name = folder.name
    return folder.with_name(name + WRITING), folder.with_name(f"{name}.old{WRITING}")


def others_in(folder: Path) -> list[str]:
    """Return the names of other files in the folder of a state, sorted."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    return sorted(names - {*MEMBERS})


def read_state(folder: Path) -> State:
    """Read and check a state written by `write_state`; its arrays are mapped and read-only."""
    try:
        kept = _read_json(folder / _JSON)
        return State(read_arrays(folder / _ARRAYS, kept["arrays"]), kept["plain"])
    except RunFolderError as error:
        raise RunFolderError(f"the state in {folder} cannot be used: {error}") from None
    except FileNotFoundError as error:
        name = Path(error.filename or _ARRAYS).name
        raise RunFolderError(f"{folder} contains no saved state: no {name}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(f"the state in {folder} is broken: {error}") from None


def read_plain(folder: Path) -> dict[str, Any]:
    """Read the plain values of a state, without its arrays."""
    try:
        plain: dict[str, Any] = _read_json(folder / _JSON)["plain"]
    except (RunFolderError, OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(f"the state in {folder} cannot be used: {error}") from None
    return plain


def _write_json(path: Path, kept: dict[str, Any]) -> None:
    write_sealed(path, kept, version=FORMAT, key=_KEY)


def _read_json(path: Path) -> dict[str, Any]:
    return read_sealed(path, version=FORMAT, key=_KEY)
