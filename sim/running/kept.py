"""A run as it lies in its folder: what it was to be, and how far it came."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from memopolis.sim.clock import Clock
from memopolis.sim.errors import (
    MemopolisError,
    ParameterError,
    RunFolderError,
    UnknownNameError,
)
from memopolis.sim.own_files import refuse_outer_links
from memopolis.sim.running.kept_checks import check_data, check_from_start, check_mind
from memopolis.sim.running.manifest import check_manifest, class_name, read_content
from memopolis.sim.running.moved import Built, society_from, society_moved
from memopolis.sim.running.trust import Trust
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.state import State
from memopolis.sim.survey.survey import Survey
from memopolis.sim.timeline import Shock


@dataclass(frozen=True)
class KeptRun:
    """A run in its folder.

    Attributes:
        folder: Where it lies.
        manifest: What it says of itself.
        scenario: Class of its society.
        settings: Its settings.
        trust: What the user allows the folder to name.
    """

    folder: Path
    manifest: Mapping[str, Any]
    scenario: type[Society[Any]]
    settings: Settings
    trust: Trust

    @classmethod
    def read(cls, folder: Path, trust: Trust | None = None) -> "KeptRun":
        """Read a run and find its scenario, as far as its folder may name one.

        Args:
            folder: Where it lies.
            trust: What the user allows it to name; None for nothing but what is harmless.

        Raises:
            RunFolderError: If there is no run, it is broken or of another format, or its manifest
                was changed since the run wrote it.
            TrustError: If it names code, a file or a server that the user did not ask for.
            UnknownNameError: If the scenario is not found, or is another one.
            SettingsError: If it no longer takes the run's settings.
        """
        trust = Trust() if trust is None else trust
        manifest = read_content(folder)
        check_manifest(folder)
        if not trust.everything:
            refuse_outer_links(folder)
        found = _scenario(folder, manifest, trust)
        settings = found.settings_class(**manifest["settings"])
        trust.check(settings, f"the run in {folder}", folder)
        return cls(folder, manifest, found, settings, trust)

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
        return int(self.manifest["began"])

    @property
    def until(self) -> int:
        """Step to which it was to go."""
        return int(self.manifest["until"])

    @property
    def made(self) -> int:
        """Steps that are whole in its tables, once it has ended."""
        return int(self.manifest["made"])

    @property
    def fork(self) -> Mapping[str, Any] | None:
        """Of which run it is a fork and from which step on; None if it is none."""
        found: Mapping[str, Any] | None = self.manifest["fork"]
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
        try:
            saved = self.scenario.settings_class(**state.plain["settings"])
            self.trust.check(saved, f"the run in {self.folder}", self.folder)
            society, built = society_from(state, self.scenario, saved)
            check_mind(self, society)
            if saved == settings:
                return society, built
            return society_moved(state, self.scenario, settings, built)
        except MemopolisError:
            raise
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise RunFolderError(
                f"a checkpoint of {self.folder} is not what its scenario writes "
                f"({type(error).__name__}: {error}); remove it and resume from an earlier one"
            ) from error

    def _give(self, society: Society[Any]) -> None:
        """Give the shocks and surveys by hand that a society does not know yet.

        It was just built or is as it was at a checkpoint, so those that it knows are the first.
        """
        given, clock = self.manifest["given"], society.clock
        try:
            for tick, shock in given["shocks"][len(society.given["shocks"]) :]:
                society.steer(clock.date_of(tick), Shock.from_dict(shock))
            for tick, survey in given["surveys"][len(society.given["surveys"]) :]:
                society.survey(clock.date_of(tick), Survey.from_dict(survey))
        except (TypeError, ValueError, LookupError) as error:
            raise RunFolderError(
                f"{self.folder}/manifest.json is broken: given contains what cannot be given to "
                f"the run: {error}"
            ) from None


def _scenario(folder: Path, manifest: Mapping[str, Any], trust: Trust) -> type[Society[Any]]:
    name, reference = class_name(manifest), manifest["reference"]
    if not reference and trust.scenario is None:
        raise UnknownNameError(
            f"{name}, the scenario of {folder}, was defined in a notebook or at a prompt: give "
            f"its class, as scenario={name}"
        )
    try:
        found = trust.find(reference, f"the run in {folder}")
    except UnknownNameError as error:
        if trust.scenario is not None:
            raise
        raise UnknownNameError(
            f"the scenario of {folder} is not found: {error}; name it as `scenario`"
        ) from None
    if found.__name__ != name:
        raise UnknownNameError(f"{folder} is a run of {name}, not of {found.__name__}")
    return found
