"""Check that the files of a run are bit for bit the files that it wrote."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memopolis.sim.checksums import FileRecord
from memopolis.sim.errors import RunFolderError
from memopolis.sim.run_folder.file_records import (
    Finding,
    Records,
    content_problem,
    counts_of,
    part_path,
    records_in,
    size_problems,
)
from memopolis.sim.run_folder.manifest import MANIFEST
from memopolis.sim.state.checkpoints import checkpoints_of
from memopolis.sim.state.saving import read_plain
from memopolis.sim.state.state import State


class IntegrityCheck:
    """Compare the files of a run, each once, with the checksums in manifest and checkpoints."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self._folder = folder
        self._manifest = manifest
        self._recorded = records_in(manifest, folder / MANIFEST)
        self._known: dict[str, FileRecord] = {}

    def problems(self) -> list[Finding]:
        """Compare all files listed in the manifest of a run that has ended, except timings."""
        recorded = {p: one for p, one in self._recorded.items() if not p.startswith("timings/")}
        wrong = [self._problem(path, record) for path, record in recorded.items()]
        extra = size_problems(self._folder, recorded)
        return [*filter(None, wrong), *(finding for finding in extra if finding.is_extra)]

    def timings_problems(self) -> list[Finding]:
        """Compare the files in `timings/`, which contain no results of the run."""
        timings = {p: one for p, one in self._recorded.items() if p.startswith("timings/")}
        return [*filter(None, (self._problem(path, one) for path, one in timings.items()))]

    def checkpoint_problems(self, plain: Mapping[str, Any]) -> list[Finding]:
        """Compare the parts of tables that a checkpoint with these plain values depends on."""
        records = _records_of(plain, self._folder)
        return [*filter(None, (self._problem(path, one) for path, one in records.items()))]

    def check(self, state: State) -> None:
        """Refuse a checkpoint of another run, or one that depends on damaged parts."""
        self.check_owner(state)
        if wrong := self.checkpoint_problems(state.plain):
            more = f" and {len(wrong) - 1:,} more" if len(wrong) > 1 else ""
            raise RunFolderError(
                f"the checkpoint of step {round(state.plain['time'])} in {self._folder} cannot be "
                f"used, since {wrong[0]}{more}"
            )

    def check_owner(self, state: State) -> None:
        """Refuse a checkpoint of a run with another seed or scenario."""
        saved, own = state.plain["seed"], self._manifest.get("seed")
        if state.plain["scenario"] != self._manifest.get("reference"):
            raise RunFolderError(
                f"the checkpoint of step {round(state.plain['time'])} in {self._folder} is of the "
                f"scenario {state.plain['scenario']!r}, not {self._manifest.get('reference')!r}"
            )
        if saved != own:
            raise RunFolderError(
                f"the checkpoint of step {round(state.plain['time'])} in {self._folder} is of a "
                f"run with the seed {saved}, not {own}"
            )

    def position(self, state: State) -> dict[str, Any]:
        """Return the position of a checked checkpoint with the current records of its files."""
        records = _records_of(state.plain, self._folder)
        return {**state.plain["position"], "files": {path: self._known[path] for path in records}}

    def _problem(self, path: str, record: FileRecord) -> Finding | None:
        # A static table such as the weather is rewritten when an order is issued or the run is
        # extended. The manifest records that before the file is replaced.
        other = self._recorded.get(path, record)
        return content_problem(self._folder, path, record, other, known=self._known)


def _records_of(plain: Mapping[str, Any], folder: Path) -> Records:
    position = plain.get("position")
    where = folder / "checkpoints"
    records = records_in(position if isinstance(position, dict) else {}, where)
    for table, count in counts_of(records).items():
        if any(part_path(table, number) not in records for number in range(count)):
            raise RunFolderError(f"{where} is broken: a part of the table {table} is not listed")
    return records


def check_files(folder: Path, manifest: Mapping[str, Any]) -> Records:
    """Refuse to read a run if the number or size of its files differs from its records.

    For a run that has not ended, the files that its newest checkpoint depends on are compared. This
    takes microseconds per file. Returns records of the files that were compared, by path.
    """
    records = records_in(manifest, folder / MANIFEST)
    if manifest.get("status") != "running":
        wrong = list(size_problems(folder, records))
    else:
        records, wrong = _of_newest(folder, records)
    if wrong:
        more = f", and {len(wrong) - 1:,} more files are damaged" if len(wrong) > 1 else ""
        raise RunFolderError(
            f"the run in {folder} is damaged: {wrong[0]}{more}. `memopolis verify {folder}` lists "
            f"everything, `memopolis resume {folder}` recreates lost parts"
        )
    return records


def _of_newest(folder: Path, recorded: Records) -> tuple[Records, list[Finding]]:
    """Return records and problems of the files that the newest checkpoint depends on."""
    checkpoints = checkpoints_of(folder)
    if not checkpoints:
        return {}, []
    try:
        records = _records_of(read_plain(checkpoints[-1].folder), folder)
    except RunFolderError:
        if checkpoints_of(folder)[-1:] == checkpoints[-1:]:
            raise
        return _of_newest(folder, recorded)  # it was replaced by a newer one meanwhile
    wrong = list(size_problems(folder, records, others=False))
    # Files rewritten since then have the size recorded in the manifest.
    again = {finding.path: recorded[finding.path] for finding in wrong if finding.path in recorded}
    still = {problem.path for problem in size_problems(folder, again, others=False)}
    return records, [
        finding for finding in wrong if finding.path not in again or finding.path in still
    ]
