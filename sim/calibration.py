"""A scenario as a function (parameters, steps, seed) -> array, for calibration packages.

    model = calibrated(Hurricane, parameters=["decision.spread"], measures=["away_share"])
    model([0.9], 48, 7)          # 48 steps of a society with seed 7: an array of shape (48, 1)

The function has no state and writes no files. It can be sent to other processes, and returns the
same numbers in each.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel

from memopolis.sim.arguments import whole_number
from memopolis.sim.chance import LARGEST_SEED
from memopolis.sim.clock import MOST_TICKS
from memopolis.sim.errors import ParameterError, SettingsError, UnknownNameError
from memopolis.sim.outcomes import Outcome, read_outcomes
from memopolis.sim.recording.garbage import freeze_others
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings
from memopolis.sim.settings_text import value_of
from memopolis.sim.society import Society
from memopolis.sim.sweep.serialized import load_scenario, serialize_scenario


def calibrated(
    scenario: type[Society[Any]] | str,
    *,
    parameters: Sequence[str],
    measures: Sequence[str],
    settings: Mapping[str, object] | None = None,
) -> "Calibrated":
    """Convert a scenario to a function (parameters, steps, seed) -> array.

    Args:
        scenario: Class of the society, or its name as in `memopolis run`.
        parameters: Numeric settings that are parameters, by dotted key such as
            "decision.spread".
        measures: Measures that the function returns, such as "gini", or "income[lowest]" for one
            group.
        settings: Other settings that differ from the defaults.
    """
    scenario = find_scenario(scenario) if isinstance(scenario, str) else scenario
    for what, names in (("parameters", parameters), ("measures", measures)):
        if isinstance(names, str):
            raise ParameterError(f"{what} is {names!r}; give a list of names, as [{names!r}]")
    if len(set(parameters)) < len(parameters):
        raise ParameterError(f"parameters names one twice: {', '.join(parameters)}")
    return Calibrated(scenario, tuple(parameters), tuple(measures), dict(settings or {}))


class Calibrated:
    """A scenario as a function of some of its settings; created by `calibrated`."""

    def __init__(
        self,
        scenario: type[Society[Any]],
        parameters: tuple[str, ...],
        measures: tuple[str, ...],
        settings: Mapping[str, object],
    ) -> None:
        self.parameters = parameters
        self.measures = measures
        self._scenario = scenario
        self._settings: Settings = scenario.settings_class().with_changes(settings)
        self._outcomes = _outcomes(scenario, measures)
        self.__name__ = f"calibrated_{scenario.__name__}"
        for name in parameters:
            _check_number(self._settings, name)

    def __call__(self, parameters: ArrayLike, steps: int, seed: int) -> NDArray[np.float64]:
        """Run a society of a seed for so many steps, whatever its `days`, and measure it in each.

        `parameters` are the values of the parameters, in order, shape (parameters,). Returns the
        measures, shape (steps, measures); NaN if a group is empty in a step. Raises SettingsError
        if a value is not allowed, or UnknownNameError if a measure never has such a group.
        """
        settings = self._with(parameters)
        many = whole_number("steps", steps, least=1)
        if many > MOST_TICKS:
            raise ParameterError(f"steps is {many:,}; at most {MOST_TICKS:,} are possible")
        chance = whole_number("seed", seed, least=0, most=LARGEST_SEED)
        with freeze_others():
            return self._run(settings, many, chance)

    def __repr__(self) -> str:
        names = ", ".join(self.parameters)
        return f"{self.__name__}([{names}], steps, seed) -> [{', '.join(self.measures)}]"

    def __getstate__(self) -> dict[str, Any]:
        # Other processes also find classes of notebooks and files.
        state = self.__dict__ | {"_scenario": serialize_scenario(self._scenario)}
        return state | {"_settings": self._settings.model_dump_json()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        scenario = load_scenario(state["_scenario"])
        settings = scenario.settings_class.model_validate_json(state["_settings"])
        self.__dict__.update(state | {"_scenario": scenario, "_settings": settings})

    def _with(self, parameters: ArrayLike) -> Settings:
        try:
            values = np.asarray(parameters, np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"parameters are {parameters!r}; numbers are needed") from None
        if values.shape != (len(self.parameters),):
            raise ParameterError(
                f"parameters has shape {values.shape}; {len(self.parameters)} numbers are needed: "
                f"{', '.join(self.parameters) or 'none'}"
            )
        arguments = dict(zip(self.parameters, values.tolist(), strict=True))
        for name, value in arguments.items():
            if not np.isfinite(value):
                raise ParameterError(f"parameter {name!r} is {value}; a finite number is needed")
        try:
            return self._settings.with_changes(arguments)
        except SettingsError as error:
            listed = ", ".join(f"{name}={value:g}" for name, value in arguments.items())
            raise SettingsError(f"parameters {listed}: {error}") from None

    def _run(self, settings: Settings, steps: int, seed: int) -> NDArray[np.float64]:
        # A function of its own, so that no variable holds the society when garbage is collected.
        society = self._scenario(settings, rng=seed)
        try:
            return self._measured(society, steps)
        finally:
            society.mind.close()

    def _measured(self, society: Society[Any], steps: int) -> NDArray[np.float64]:
        outcome_values = np.full((steps, len(self.measures)), np.nan)
        groups: set[tuple[str, str]] = set()
        for step in range(steps):
            society.step()
            for place, outcome in enumerate(self._outcomes):
                values = society.measured[outcome.measure]
                outcome_values[step, place] = values.get(outcome.group, np.nan)
                groups.update((outcome.measure, group) for group in values)
        for outcome in self._outcomes:
            if (outcome.measure, outcome.group) not in groups:
                known_groups = sorted(g for name, g in groups if name == outcome.measure and g)
                raise UnknownNameError(
                    f"measure {outcome.measure!r} has no group {outcome.group!r}; "
                    f"there are: {', '.join(known_groups) or 'none'}"
                )
        return outcome_values


def _outcomes(scenario: type[Society[Any]], measures: tuple[str, ...]) -> list[Outcome]:
    """Parse the measures, which are returned step by step, so that none may have `@mean`."""
    if not measures:
        raise UnknownNameError("no measures are given; name at least one")
    for name in measures:
        if "@" in name:
            raise UnknownNameError(
                f"{name!r}: measures are given at every step, so leave out what follows the @"
            )
    declared = [measure.to_dict() for measure in scenario.measures]
    by_name = {
        outcome.name: outcome for outcome in read_outcomes(measures, declared, title=scenario.title)
    }
    return [by_name[name.strip()] for name in measures]


def _check_number(settings: Settings, name: str) -> None:
    """Refuse a parameter that is not a setting, or not a number."""
    value = value_of(settings, name, ...)
    if value is ...:
        settings.with_changes({name: 0})  # raises an error that lists the settings
    if isinstance(value, bool) or not isinstance(value, int | float | None):
        kind = "a group of settings" if isinstance(value, BaseModel) else repr(value)
        raise SettingsError(f"parameter {name!r} is {kind}; a parameter is a number")
