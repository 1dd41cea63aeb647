"""Write the folder of a new place, as a whole or not at all."""

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from memopolis.scenarios.places.new_place import NewPlace
from memopolis.scenarios.places.zone_geojson import write_zones
from memopolis.sim.run_folder.folder import check_unused
from memopolis.sim.world.roads import Roads

PROPERTIES = ["zone", "name", "population", "housing_units", "median_income", "coast_km", "band"]
"""Columns of zones that their outlines have as properties, for other programs."""


def write_place(
    new: NewPlace, folder: Path, add_report: Callable[[Path], None] | None = None
) -> Path:
    """Write the files of a place, and of `add_report`, to a new or empty folder; return the folder.

    They are written next to it first, so that an error leaves no incomplete folder. Raises
    RunFolderError if the folder is a file or not empty, or OSError if a file cannot be written.
    """
    check_unused(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        _write_files(new, draft)
        if add_report is not None:
            add_report(draft)
        draft.chmod(0o755)  # temporary folders are private
        if folder.exists():
            folder.rmdir()
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return folder


def _write_files(new: NewPlace, folder: Path) -> None:
    table = new.place.table
    flags = {name: table[name].astype(int) for name in ("ordered", "central")}
    written = table.assign(**flags)
    written.to_csv(folder / "zones.csv", index=False, lineterminator="\n")
    roads = Roads.derive(new.place).to_table(new.place)
    roads.round(3).to_csv(folder / "roads.csv", index=False, lineterminator="\n")
    known = [name for name in PROPERTIES if name in table]
    write_zones(folder / "zones.geojson", table[known], new.shapes)
    (folder / "place.toml").write_text(_describe(new), encoding="utf-8")


def _describe(new: NewPlace) -> str:
    """Return the content of place.toml."""
    lines = [
        "# Written by `memopolis place new`; docs/places.md describes the files.",
        f"name = {_quote(new.place.name)}",
        f"title = {_quote(new.title)}",
        "taken_over = [",
        *(f"    {_quote(phrase)}," for phrase in new.taken_over),
        "]",
        "",
        "[sources] # of each column of zones.csv",
        *(f"{name} = {_quote(origin)}" for name, origin in new.origins.items()),
    ]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """Return a TOML string; those of JSON are valid."""
    return json.dumps(text, ensure_ascii=False)
