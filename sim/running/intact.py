"""Whether the files that a run goes on from are those that it wrote, to the last bit."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memopolis.sim.errors import RunFolderError
from memopolis.sim.running.file_records import (
    FileRecord,
    Problem,
    Records,
    content_problem,
    records_in,
    size_problems,
)
from memopolis.sim.running.manifest import MANIFEST
from memopolis.sim.state.checkpoints import checkpoints_of
from memopolis.sim.state.saving import read_plain
from memopolis.sim.state.state import State


class Intact:
    """Compares the files of a run with the checksums in its manifest and its checkpoints.

    Each file is read once, however many checkpoints rest on it.

    Args:
        folder: Of the run.
        manifest: Its content.

    Raises:
        RunFolderError: If the manifest lacks the records of files.
    """

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self._folder = folder
        self._manifest = manifest
        self._recorded = records_in(manifest, folder / MANIFEST)
        self._known: dict[str, FileRecord] = {}

    def problems(self) -> list[Problem]:
        """Compare everything that the manifest of an ended run records, except timings."""
        recorded = {p: one for p, one in self._recorded.items() if not p.startswith("timings/")}
        wrong = [self._problem(path, record) for path, record in recorded.items()]
        extra = size_problems(self._folder, recorded)
        return [*filter(None, wrong), *(one for one in extra if one.is_extra)]

    def timings_problems(self) -> list[Problem]:
        """Compare the files of the wall clock, which are no data of the run."""
        timings = {p: one for p, one in self._recorded.items() if p.startswith("timings/")}
        return [*filter(None, (self._problem(path, one) for path, one in timings.items()))]

    def checkpoint_problems(self, plain: Mapping[str, Any]) -> list[Problem]:
        """Compare the parts of tables that a checkpoint rests on.

        Args:
            plain: Plain values of its state.

        Raises:
            RunFolderError: If it holds no records of parts.
        """
        records = _records_of(plain, self._folder)
        return [*filter(None, (self._problem(path, one) for path, one in records.items()))]

    def check(self, state: State) -> None:
        """Refuse a checkpoint of another run, or one that rests on damaged parts.

        Raises:
            RunFolderError: If it cannot be used.
        """
        self.check_owner(state)
        if wrong := self.checkpoint_problems(state.plain):
            more = f" and {len(wrong) - 1:,} more" if len(wrong) > 1 else ""
            raise RunFolderError(
                f"the checkpoint of step {round(state.plain['time'])} in {self._folder} cannot be "
                f"used, since {wrong[0]}{more}"
            )

    def check_owner(self, state: State) -> None:
        """Refuse a checkpoint of a run with another seed.

        Raises:
            RunFolderError: If it is one.
        """
        found, own = state.plain.get("seed"), self._manifest.get("seed")
        if found != own:
            raise RunFolderError(
                f"the checkpoint of step {round(state.plain['time'])} in {self._folder} is of a "
                f"run with the seed {found}, not {own}"
            )

    def position(self, state: State) -> dict[str, Any]:
        """Return the position of a checkpoint that was checked, with its files as they are now.

        A table that does not grow may have been written again since (`_problem`).
        """
        records = _records_of(state.plain, self._folder)
        return {**state.plain["position"], "files": {path: self._known[path] for path in records}}

    def _problem(self, path: str, record: FileRecord) -> Problem | None:
        # A table that does not grow, such as the weather, is written again when an order is given
        # or more days are. The manifest records that before the file is replaced.
        other = self._recorded.get(path, record)
        return content_problem(self._folder, path, record, other, known=self._known)


def _records_of(plain: Mapping[str, Any], folder: Path) -> Records:
    return records_in(plain.get("position", {}), folder / "checkpoints")


def check_files(folder: Path, manifest: Mapping[str, Any]) -> Records:
    """Refuse to read a run whose tables or memories differ in number or size from what it wrote.

    Of a run that has not ended, those are compared that its newest checkpoint rests on. That
    takes microseconds a file.

    Args:
        folder: Of the run.
        manifest: Its content.

    Returns:
        Records of the files that were compared, by path.

    Raises:
        RunFolderError: If a file is missing, has another size, or was not written by the run.
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
            f"everything, `memopolis resume {folder}` makes lost parts again"
        )
    return records


def _of_newest(folder: Path, recorded: Records) -> tuple[Records, list[Problem]]:
    """Records and problems of what the newest checkpoint of a run rests on that has not ended."""
    checkpoints = checkpoints_of(folder)
    if not checkpoints:
        return {}, []
    try:
        records = _records_of(read_plain(checkpoints[-1].folder), folder)
    except RunFolderError:
        if checkpoints_of(folder)[-1:] == checkpoints[-1:]:
            raise
        return _of_newest(folder, recorded)  # it gave way to a newer one meanwhile
    wrong = list(size_problems(folder, records, others=False))
    # What was written again since then has the size that the manifest records.
    again = {one.path: recorded[one.path] for one in wrong if one.path in recorded}
    still = {one.path for one in size_problems(folder, again, others=False)}
    return records, [one for one in wrong if one.path not in again or one.path in still]
