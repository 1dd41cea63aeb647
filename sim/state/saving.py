"""A state in a folder: `state.json` and `arrays.arrow`, whole or not at all.

What is written goes into a folder whose name ends in `.writing`, which takes its own name
once the disk has all of it. Both files are kept with a checksum, so that what is read is what
was written, to the last bit.
"""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.own_files import refuse_links, remove_files
from memopolis.sim.state.fsync import synced, synced_folder
from memopolis.sim.state.state import State, state_of
from memopolis.sim.state.tensors import read_arrays, write_arrays
from memopolis.sim.whole_file import WRITING

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

FORMAT = 4
"""Changes when older states can no longer be read."""

_JSON, _ARRAYS = "state.json", "arrays.arrow"
MEMBERS = (_JSON, _ARRAYS)
"""Files of a state, in the order in which they are removed: without the first it is none."""
_HEAD = re.compile(rb'\{"format": (\d+), "crc32": "([0-9a-f]{8})", "state":\n')
_TAIL = b"}\n"


def save_state(society: "SocietyBase[Any]", folder: str | Path) -> Path:
    """Save a society between two steps.

    Args:
        society: Which; it can go on afterwards.
        folder: Where; must not exist or be empty.

    Returns:
        The folder, for `load_state`.

    Raises:
        RunFolderError: If the folder holds something or cannot be written.
        StateError: If a state that is to be saved is no array.
    """
    return write_state(state_of(society), Path(folder))


def write_state(state: State, folder: Path, *, replace: bool = False) -> Path:
    """Write a state into a folder, which is there with all of it or not at all.

    Args:
        state: Which; its arrays are read while they are written.
        folder: Where; must not exist or be empty.
        replace: Whether a folder that holds something gives way to the new one.

    Returns:
        The folder.

    Raises:
        RunFolderError: If the folder holds something or cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"{folder} is a file; name a folder")
    if not replace and folder.is_dir() and any(folder.iterdir()):
        raise RunFolderError(f"{folder} exists and is not empty; name another folder")
    writing, replaced = _remains(folder)
    refuse_links(folder, writing, replaced)
    if others := others_in(folder):
        raise RunFolderError(f"{folder} also holds {others[0]}, which is no file of a state")
    try:
        remove_remains(folder)
        writing.mkdir(parents=True)
        contents = write_arrays(writing / _ARRAYS, state.arrays)
        _write_json(writing / _JSON, {"arrays": contents, "plain": state.plain})
        synced_folder(writing)
        if folder.exists():
            folder.rename(replaced)
        writing.rename(folder)
        synced_folder(folder.parent)
    except OSError as error:
        raise RunFolderError(f"{folder} cannot be written: {reason_of(error)}") from None
    finally:
        remove_remains(folder)
    return folder


def remove_remains(folder: Path) -> None:
    """Remove the files of a state that an interrupted writing left beside a folder."""
    for remains in _remains(folder):
        with suppress(OSError):
            remove_files(remains, MEMBERS)


def _remains(folder: Path) -> tuple[Path, Path]:
    """Where a state is written, and where the one it replaces is kept meanwhile."""
    name = folder.name
    return folder.with_name(name + WRITING), folder.with_name(f"{name}.old{WRITING}")


def others_in(folder: Path) -> list[str]:
    """Names in the folder of a state that are not its own, sorted; none without a folder."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    return sorted(names - {*MEMBERS})


def read_state(folder: Path) -> State:
    """Read what `write_state` wrote, and check it.

    Returns:
        The state; its arrays lie in the file and cannot be written.

    Raises:
        RunFolderError: If there is no state, or it is broken or of another format.
    """
    try:
        kept = _read_json(folder / _JSON)
        return State(read_arrays(folder / _ARRAYS, kept["arrays"]), kept["plain"])
    except RunFolderError as error:
        raise RunFolderError(f"the state in {folder} cannot be used: {error}") from None
    except FileNotFoundError as error:
        name = Path(error.filename or _ARRAYS).name
        raise RunFolderError(f"{folder} holds no saved state: no {name}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(f"the state in {folder} is broken: {error}") from None


def read_plain(folder: Path) -> dict[str, Any]:
    """Read the plain values of a state, without its arrays.

    Raises:
        RunFolderError: If there is no state, or its plain values are broken.
    """
    try:
        plain: dict[str, Any] = _read_json(folder / _JSON)["plain"]
    except (RunFolderError, OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(f"the state in {folder} cannot be used: {error}") from None
    return plain


def _write_json(path: Path, kept: dict[str, Any]) -> None:
    body = json.dumps(kept).encode()
    head = f'{{"format": {FORMAT}, "crc32": "{crc32(body):08x}", "state":\n'.encode()
    with path.open("wb") as file:
        file.write(head + body + _TAIL)
        file.flush()
        synced(file.fileno())


def _read_json(path: Path) -> dict[str, Any]:
    text = path.read_bytes()
    head = _HEAD.match(text)
    if head is None or not text.endswith(_TAIL):
        raise RunFolderError(f"{path.name} is broken")
    if int(head[1]) != FORMAT:
        raise RunFolderError(f"{path.name} has format {int(head[1])}; this version reads {FORMAT}")
    body = text[head.end() : -len(_TAIL)]
    checksum = f"{crc32(body):08x}"
    if checksum.encode() != head[2]:
        raise RunFolderError(
            f"{path.name} has the checksum {checksum}, {head[2].decode()} was written"
        )
    kept: dict[str, Any] = json.loads(body)
    return kept
