"""Manifests that a test reads, changes or writes by hand, with the checksums that a run writes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memopolis.sim.checksums import record_of_file
from memopolis.sim.run_folder.manifest import FORMAT, read_content, write_manifest

_USUAL: Mapping[str, object] = {
    "format": FORMAT,
    "scenario": "somewhere:Someone",
    "reference": "",
    "title": "Someone",
    "seed": 1,
    "settings": {"agents": 1},
    "start": "2026-01-01T00:00:00",
    "tick_hours": 1.0,
    "populations": {},
    "measures": [],
    "facts": {},
    "status": "succeeded",
}


def hashes(folder: Path) -> dict[str, Any]:
    """Size and checksum of each file of a run except timings, by path."""
    files: dict[str, Any] = read_content(folder)["files"]
    return {path: record for path, record in files.items() if not path.startswith("timings/")}


def change_manifest(folder: Path, **facts: object) -> None:
    """Change entries of a run's manifest and update its checksum."""
    write_manifest(folder, read_content(folder) | facts)


def make_manifest(folder: Path, content: Mapping[str, object]) -> None:
    """Write the manifest of a run with existing tables, including the records of its files."""
    parts = [*folder.glob("tables/*/part-*.parquet"), *folder.glob("memory/*.parquet")]
    files = {path.relative_to(folder).as_posix(): record_of_file(path) for path in sorted(parts)}
    ticks = content.get("ticks", 0)
    steps = {"ticks": ticks, "began": 0, "until": ticks, "made": ticks}
    write_manifest(folder, {**_USUAL, **steps, **content, "files": files})


def record_again(folder: Path) -> None:
    """Update the records of files that a test has changed."""
    make_manifest(folder, read_content(folder))
