"""A run as it lies in its folder: what it was to be, and how far it came."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from memopolis.sim.clock import Clock
from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError
from memopolis.sim.running.kept_checks import check_data, check_from_start, check_mind
from memopolis.sim.running.manifest import class_name, read_content
from memopolis.sim.running.moved import Built, society_from, society_moved
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.state import State
from memopolis.sim.survey.survey import Survey
from memopolis.sim.timeline import Shock

_NEEDED = ("scenario", "seed", "settings", "status")


@dataclass(frozen=True)
class KeptRun:
    """A run in its folder.

    Attributes:
        folder: Where it lies.
        manifest: What it says of itself.
        scenario: Class of its society.
        settings: Its settings.
    """

    folder: Path
    manifest: Mapping[str, Any]
    scenario: type[Society[Any]]
    settings: Settings

    @classmethod
    def read(cls, folder: Path, scenario: type[Society[Any]] | str | None = None) -> "KeptRun":
        """Read a run and find its scenario.

        Args:
            folder: Where it lies.
            scenario: Its class, or its name as `memopolis run` takes it; None for the one that
                the manifest names.

        Raises:
            RunFolderError: If there is no run, or it is broken or of another format.
            UnknownNameError: If the scenario is not found, or is another one.
            SettingsError: If it no longer takes the run's settings.
        """
        manifest = read_content(folder)
        missing = [name for name in _NEEDED if name not in manifest]
        if missing:
            raise RunFolderError(f"{folder}/manifest.json is broken: it lacks {missing[0]}")
        found = _scenario(folder, manifest, scenario)
        return cls(folder, manifest, found, found.settings_class(**manifest["settings"]))

    @property
    def status(self) -> str:
        """How it stands: running, succeeded, failed or interrupted."""
        return str(self.manifest["status"])

    @property
    def seed(self) -> int:
        """The seed of every draw."""
        return int(self.manifest["seed"])

    @property
    def began(self) -> int:
        """Steps that the society had made before it was recorded."""
        return int(self.manifest.get("began", 0))

    @property
    def until(self) -> int:
        """Step to which it was to go."""
        return int(self.manifest.get("until", self.steps_of(self.settings.days)))

    @property
    def made(self) -> int:
        """Steps that are whole in its tables, once it has ended."""
        # Older manifests do not say it; all steps of a run that succeeded are whole.
        told = self.manifest.get("ticks", 0) if self.status == "succeeded" else 0
        return int(self.manifest.get("made", told))

    @property
    def fork(self) -> Mapping[str, Any] | None:
        """Of which run it is a fork and from which step on; None if it is none."""
        found: Mapping[str, Any] | None = self.manifest.get("fork")
        return found

    @property
    def clock(self) -> Clock:
        """Its ticks and dates."""
        return Clock(self.scenario.starts(self.settings), timedelta(hours=self.settings.tick))

    def steps_of(self, days: float) -> int:
        """Step to which it goes if it is so many days long.

        Raises:
            ParameterError: If `days` is not positive.
        """
        if not days > 0:
            raise ParameterError(f"days is {days}; a number above 0 is needed")
        return self.began + self.clock.ticks_of_days(days)

    def society(
        self, settings: Settings | None = None, *, state: State | None = None
    ) -> tuple[Society[Any], Built]:
        """Build its society again, which knows all that was given to the run by hand.

        Args:
            settings: From now on; None for the run's own.
            state: Of one of its checkpoints, which the society takes over; None for the
                society before its first step.

        Returns:
            The society, and what it was like when it was built.

        Raises:
            RunFolderError: If data has changed, its mind was another one, or its beginning is
                another run's.
            StateError: If it has other populations or blocks than the state.
        """
        society, built = self._built(self.settings if settings is None else settings, state)
        check_data(self, society)
        self._give(society)
        return society, built

    def _built(self, settings: Settings, state: State | None) -> tuple[Society[Any], Built]:
        if state is None:
            check_from_start(self)
            society = self.scenario(settings, rng=self.seed)
            check_mind(self, society)
            return society, Built.of(society)
        saved = self.scenario.settings_class(**state.plain["settings"])
        society, built = society_from(state, self.scenario, saved)
        check_mind(self, society)
        if saved == settings:
            return society, built
        return society_moved(state, self.scenario, settings, built)

    def _give(self, society: Society[Any]) -> None:
        """Give the shocks and surveys by hand that a society does not know yet.

        It was just built or is as it was at a checkpoint, so those that it knows are the first.
        """
        given, clock = self.manifest.get("given", {}), society.clock
        for tick, shock in given.get("shocks", [])[len(society.given["shocks"]) :]:
            society.steer(clock.date_of(tick), Shock.from_dict(shock))
        for tick, survey in given.get("surveys", [])[len(society.given["surveys"]) :]:
            society.survey(clock.date_of(tick), Survey.from_dict(survey))


def _scenario(
    folder: Path, manifest: Mapping[str, Any], given: type[Society[Any]] | str | None
) -> type[Society[Any]]:
    name = class_name(manifest)
    reference = given or manifest.get("reference", manifest["scenario"])
    if not reference:
        raise UnknownNameError(
            f"{name}, the scenario of {folder}, was defined in a notebook or at a prompt: give "
            f"its class, as scenario={name}"
        )
    try:
        found = find_scenario(reference) if isinstance(reference, str) else reference
    except UnknownNameError as error:
        if given is not None:
            raise
        raise UnknownNameError(
            f"the scenario of {folder} is not found: {error}; name it as `scenario`"
        ) from None
    if found.__name__ != name:
        raise UnknownNameError(f"{folder} is a run of {name}, not of {found.__name__}")
    return found
