"""The manifest of a run: what it was, and whether its folder can be read."""

import json
from pathlib import Path
from typing import Any

from memopolis.sim.errors import RunFolderError

_NEEDED = ("scenario", "seed", "settings", "start", "tick_hours", "populations", "measures")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a run that has ended.

    Args:
        folder: Of the run.

    Raises:
        RunFolderError: If there is no run, it is broken, or it has not ended.
    """
    manifest = _content(folder)
    missing = [name for name in _NEEDED if name not in manifest]
    if missing:
        raise RunFolderError(f"{folder}/manifest.json is broken: it lacks {', '.join(missing)}")
    if manifest.get("status") == "running":
        raise RunFolderError(
            f"the run in {folder} has not ended: it is still going on, or was killed; run it again"
        )
    if not (folder / "tables").is_dir():
        raise RunFolderError(f"the run in {folder} is broken: its folder tables is missing")
    return manifest


def _content(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise RunFolderError(f"there is no run folder {folder}")
    try:
        content = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunFolderError(f"{folder} is not the folder of a run: no manifest.json") from None
    except PermissionError:
        raise RunFolderError(f"{folder}/manifest.json cannot be read: permission denied") from None
    except (json.JSONDecodeError, UnicodeDecodeError, OSError) as error:
        raise RunFolderError(f"{folder}/manifest.json is broken: {error}") from None
    if not isinstance(content, dict):
        raise RunFolderError(f"{folder}/manifest.json is broken: it is no JSON object")
    return content
