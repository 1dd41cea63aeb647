"""Read a saved run, check whether it can be continued, and rebuild its society."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.clock import Clock
from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError
from memopolis.sim.files import refuse_outer_links
from memopolis.sim.run_folder.code_version import code_version
from memopolis.sim.run_folder.integrity import IntegrityCheck, records_in
from memopolis.sim.run_folder.manifest import MANIFEST, check_manifest, class_name, read_content
from memopolis.sim.running.building import Built, settings_of, society_from
from memopolis.sim.running.trust import Trust
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.rebuilding import add_interventions
from memopolis.sim.state.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memopolis.sim.run_folder.integrity import Finding


def _entry(name: str) -> Any:
    """Make a property that returns an entry of the manifest."""
    return property(lambda run: run.manifest[name])


@dataclass(frozen=True)
class SavedRun:
    """A run saved in a folder, with the entries of its manifest."""

    folder: Path
    manifest: Mapping[str, Any]
    scenario: type[Society[Any]]
    settings: Settings
    trust: Trust

    @classmethod
    def read(cls, folder: Path, trust: Trust | None = None) -> "SavedRun":
        """Read a run and find its scenario; without `trust`, it may name harmless things only."""
        trust = Trust() if trust is None else trust
        manifest = read_content(folder)
        check_manifest(folder)
        if not trust.everything:
            refuse_outer_links(folder)
        scenario = _scenario(folder, manifest, trust)
        settings = scenario.settings_class(**manifest["settings"])
        trust.check(settings, f"the run in {folder}", folder)
        records_in(manifest, folder / MANIFEST)  # refuses files that are not of the run
        return cls(folder, manifest, scenario, settings, trust)

    status = _entry("status")
    seed = _entry("seed")
    began = _entry("began")
    until = _entry("until")
    made = _entry("made")
    fork = _entry("fork")

    @property
    def clock(self) -> Clock:
        """Clock of the run, which converts ticks and dates."""
        return self.scenario.make_clock(self.settings)

    def steps_of(self, days: float) -> int:
        """Return the last step of the run if it is `days` long."""
        if not days > 0:
            raise ParameterError(f"days is {days}; a number above 0 is needed")
        began: int = self.began
        return began + self.clock.ticks_of_days(days)

    def society(self, settings: Settings | None = None) -> tuple[Society[Any], Built]:
        """Rebuild the society of the run, including shocks and surveys added during the run.

        It is before its first step, and has the settings of the run unless others are given.
        Returns the society, and a description of it as first built.
        """
        check_from_start(self)
        society = self.scenario(self.settings if settings is None else settings, rng=self.seed)
        built = Built.of(society)
        self.complete(society)
        return society, built

    def restored(self, settings: Settings, state: State) -> tuple[Society[Any], Built]:
        """Restore the society from a state of the run, to be completed with `complete`.

        Returns the society, and a description of it as first built. Raises RunFolderError if it
        cannot be restored from the state.
        """
        saved = settings_of(state, self.scenario)
        self.trust.check(saved, f"the run in {self.folder}", self.folder)
        self._check_same_run(state, saved)
        society, built = society_from(state, self.scenario, saved)
        if saved == settings:
            return society, built
        return society_from(state, self.scenario, settings, before=built)

    def complete(self, society: Society[Any]) -> None:
        """Check mind and data of a society, and add the shocks and surveys of the run."""
        check_mind(self, society)
        check_data(self, society)
        self._add_interventions(society)

    def _check_same_run(self, state: State, saved: Settings) -> None:
        """Refuse a state with settings, shocks or surveys that are not those of the run."""
        if saved.model_dump() | {"days": self.settings.days} != self.settings.model_dump():
            raise RunFolderError("the state has other settings than its run")
        own = self.manifest["interventions"]
        for name, entries in state.plain["interventions"].items():
            if entries != own[name][: len(entries)]:
                raise RunFolderError(f"the state has other {name} than its run")

    def _add_interventions(self, society: Society[Any]) -> None:
        """Add the shocks and surveys that were added during the run after the state was saved.

        A society that was just built has none; one restored from a checkpoint has the first ones.
        """
        try:
            add_interventions(society, self.manifest["interventions"])
        except (TypeError, ValueError, LookupError) as error:
            raise RunFolderError(
                f"{self.folder}/manifest.json is broken: an entry of interventions cannot be "
                f"added to the run: {error}"
            ) from None


class Restored:
    """The society of a run, restored from the first state that passes `check`.

    Attributes:
        run: The run.
        settings: Settings of the society.
        intact: Check of the files that a state depends on.
        state: State that it is restored from; None before the first step.
    """

    def __init__(self, run: SavedRun, settings: Settings, intact: IntegrityCheck) -> None:
        self.run = run
        self.settings = settings
        self.intact = intact
        self.state: State | None = None
        self._pair: tuple[Society[Any], Built] | None = None

    def check(self, state: State) -> None:
        """Restore the society from a state; RunFolderError if that is impossible."""
        self.intact.check(state)
        self._pair = self.run.restored(self.settings, state)
        self.state = state

    def complete(self) -> tuple[Society[Any], Built]:
        """Return the society, built before its first step if no state passed.

        It includes the shocks and surveys added during the run. Returns a description of it as
        first built, too.
        """
        if self._pair is None:
            return self.run.society(self.settings)
        self.run.complete(self._pair[0])
        return self._pair


def _scenario(folder: Path, manifest: Mapping[str, Any], trust: Trust) -> type[Society[Any]]:
    name, reference = class_name(manifest), manifest["reference"]
    if not reference and trust.scenario is None:
        raise UnknownNameError(
            f"{name}, the scenario of {folder}, was defined in a notebook or at a prompt: give "
            f"its class, as scenario={name}"
        )
    try:
        scenario = trust.find(reference, f"the run in {folder}")
    except UnknownNameError as error:
        if trust.scenario is not None:
            raise
        raise UnknownNameError(
            f"the scenario of {folder} is not found: {error}; name it as `scenario`"
        ) from None
    if scenario.__name__ != name:
        raise UnknownNameError(f"{folder} is a run of {name}, not of {scenario.__name__}")
    return scenario


def check_from_start(run: SavedRun) -> None:
    """Refuse to restart a fork, or a run that began after some steps of its society."""
    if run.fork or run.began:
        what = (
            f"a fork of {run.fork['of']}"
            if run.fork
            else f"of a society that had made {run.began} steps before"
        )
        raise RunFolderError(
            f"the run in {run.folder} is {what} and has no intact checkpoint, so it cannot be "
            f"continued; run it again"
        )


def check_data(run: SavedRun, society: "Society[Any]") -> None:
    """Refuse a run if its data files have changed."""
    then, now = run.manifest["data"], society.data_hashes()
    changed = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    if changed:
        raise RunFolderError(
            f"the run in {run.folder} uses data that has changed since: "
            f"{', '.join(changed)}; restore the old files, or start a new run"
        )


def check_mind(run: SavedRun, society: "Society[Any]") -> None:
    """Refuse a mind other than the one the run began with."""
    then, now = _models(run.manifest["mind"]), _models(society.mind.facts())
    if then != now:
        raise RunFolderError(
            f"the run in {run.folder} used the mind {then}, but its scenario and settings now "
            f"give {now}; a mind assigned in code is not saved with a run"
        )


def _models(facts: Any) -> str:
    minds = facts.get("minds", [facts] if facts else [])
    return ", ".join(str(mind.get("model")) for mind in minds) or "rules"


def warn_code_changed(run: SavedRun) -> None:
    """Warn if the code has changed since a run began."""
    then = run.manifest["code"]
    if then and then != code_version(run.scenario):
        message = (
            f"the code of Memopolis or of {run.scenario.__name__} has changed since the run in "
            f"{run.folder} began; the remaining steps use the current code"
        )
        warnings.warn(message, RuntimeWarning, stacklevel=3)


def warn_checkpoints_refused(refused: list[str], step: int) -> None:
    """Warn of each broken checkpoint, and name the step that is used instead."""
    for line in refused:
        message = f"{line}; continuing from the earlier state of step {step}"
        warnings.warn(message, RuntimeWarning, stacklevel=3)


def warn_files_damaged(folder: Path, damaged: "Sequence[Finding]") -> None:
    """Warn that damaged files of a run will be recreated; refuse to remove extra files."""
    extra = next((finding for finding in damaged if finding.is_extra), None)
    if extra is not None:
        raise RunFolderError(f"{folder / extra.path} {extra.text}: remove it, or move it elsewhere")
    more = f", and {len(damaged) - 1:,} more files are damaged" if len(damaged) > 1 else ""
    message = f"the run in {folder} is damaged: {damaged[0]}{more}; lost data is recreated"
    warnings.warn(message, RuntimeWarning, stacklevel=3)
