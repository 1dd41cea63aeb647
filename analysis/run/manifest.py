"""The manifest of a run: what it was, and whether its folder can be read."""

import warnings
from pathlib import Path
from typing import Any

from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import refuse_outer_links
from memopolis.sim.run_folder.folder import is_owned
from memopolis.sim.run_folder.manifest import manifest_problem, read_content


def read_manifest(folder: Path, *, so_far: bool = False) -> dict[str, Any]:
    """Read the manifest of a run that has ended.

    Args:
        folder: Of the run.
        so_far: Whether it may also be under way, or have been killed.

    Returns:
        Its content. What is wrong with it is warned of, and added to its `warnings`, if it was
        changed since the run wrote it.

    Raises:
        RunFolderError: If there is no run, it is broken, or it has not ended.
    """
    manifest = read_content(folder)
    refuse_outer_links(folder)
    if manifest["status"] == "running" and not so_far:
        raise RunFolderError(
            f"the run in {folder} is under way"
            if is_owned(folder)
            else f"the run in {folder} was killed; `memopolis resume {folder}` goes on with it"
        )
    if not (folder / "tables").is_dir():
        raise RunFolderError(f"the run in {folder} is broken: its folder tables is missing")
    if problem := manifest_problem(folder):
        problem = f"{problem}; its settings and seed may not be those of the tables"
        manifest["warnings"] = [*manifest.get("warnings", ()), problem]
        warnings.warn(problem, RuntimeWarning, stacklevel=3)
    return manifest
