"""Save a state to a folder atomically: `state.json` and `arrays.arrow`.

Files are written to a folder whose name ends in `.writing`, which is renamed after it is synced to
disk. Both files have a checksum, so that a damaged state is never read.
"""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import WRITING, refuse_links, remove_files, synced_folder, writing_to
from memopolis.sim.sealed_json import read_sealed, write_sealed
from memopolis.sim.state.state import State, state_of
from memopolis.sim.state.tensors import read_arrays, write_arrays

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

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
