"""The manifest of a run: what it was, and whether its folder can be read."""

from datetime import datetime
from pathlib import Path
from typing import Any

from memopolis.sim.errors import RunFolderError
from memopolis.sim.running.folder import is_owned
from memopolis.sim.running.manifest import read_content

_KINDS: dict[str, type | tuple[type, ...]] = {
    "scenario": str,
    "seed": int,
    "settings": dict,
    "start": str,
    "tick_hours": (int, float),
    "populations": dict,
    "measures": list,
}


def read_manifest(folder: Path, *, so_far: bool = False) -> dict[str, Any]:
    """Read the manifest of a run that has ended.

    Args:
        folder: Of the run.
        so_far: Whether it may also be under way, or have been killed.

    Raises:
        RunFolderError: If there is no run, it is broken, or it has not ended.
    """
    manifest = read_content(folder)
    missing = [name for name in _KINDS if name not in manifest]
    if missing:
        raise RunFolderError(f"{folder}/manifest.json is broken: it lacks {', '.join(missing)}")
    wrong = [name for name, kind in _KINDS.items() if not isinstance(manifest[name], kind)]
    if wrong or not _is_date(manifest["start"]):
        raise RunFolderError(
            f"{folder}/manifest.json is broken: {', '.join(wrong) or 'start'} is not what a run "
            "writes there"
        )
    if manifest.get("status") == "running" and not so_far:
        raise RunFolderError(
            f"the run in {folder} is under way"
            if is_owned(folder)
            else f"the run in {folder} was killed; `memopolis resume {folder}` goes on with it"
        )
    if not (folder / "tables").is_dir():
        raise RunFolderError(f"the run in {folder} is broken: its folder tables is missing")
    return manifest


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
