"""The design of a calibration: parameters with priors, targets, arms and budget."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from memopolis.analysis.calibration.priors import Finite, Prior, read_prior
from memopolis.sim.arguments import whole_number
from memopolis.sim.chance import LARGEST_SEED
from memopolis.sim.errors import ParameterError, SettingsError, did_you_mean
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.scenario_reference import reference_if_any
from memopolis.sim.settings import dotted, merge, nest
from memopolis.sim.settings_text import describe
from memopolis.sim.society import Society
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.design_toml import DesignToml
from memopolis.sim.sweep.factors import plain
from memopolis.sim.sweep.sampling import MOST_RUNS
from memopolis.sim.toml_files import Entry, read_entry

_PLAIN = ("samples", "generations", "accept", "predictive", "seed")
KEYS = ("scenario", *_PLAIN, "settings", "arms", "parameters", "targets", "checks")
"""Keys and tables allowed at the top of a design file."""

_ARM = re.compile(r"[\w-]{1,50}")
_MOST_PARAMETERS = 20
_LEAST_KEPT = 20


class Target(Entry):
    """A summary statistic of the simulations, and its observed value."""

    name: str  # name in tables and figures
    value: Finite = math.nan  # observed value; NaN for a check without one
    # Standard deviation of the observation and of what the model leaves out; normal noise of this
    # size is added to simulations (Wilkinson 2013, doi:10.1515/sagmb-2013-0010)
    error: Finite = Field(0.0, ge=0)
    outcome: str = ""  # outcome of a run, see `read_outcomes`
    arm: str = ""  # arm whose outcome it is; "" for the only one
    minus: str = ""  # another arm whose outcome is subtracted; "" for none
    source: str = ""  # source of the value


def read_target(name: str, written: object, arms: Sequence[str], *, is_check: bool) -> Target:
    """Read a target, as {value = 0.53, error = 0.05}, from a mapping with the fields of `Target`.

    A check, which is predicted but not used, needs neither of the two. Raises ParameterError if it
    is no such mapping, or an entry is missing or invalid.
    """
    if not isinstance(written, Mapping) or not (is_check or {"value", "error"} <= written.keys()):
        raise ParameterError(
            f"target {name} is {written!r}; write it as {{value = 0.5, error = 0.05}}"
        )
    target = read_entry(Target, {"outcome": name, **written, "name": name}, f"target {name}")
    for key, arm in (("arm", target.arm), ("minus", target.minus)):
        if arm not in arms and (key == "arm" or arm):
            known = ", ".join(filter(None, arms)) or "none, since the design has no arms"
            raise ParameterError(f"target {name}: {key} is {arm!r}; there are {known}")
    return target


@dataclass(frozen=True)
class CalibrationDesign:
    """Design a calibration of one scenario by approximate Bayesian computation.

    Args:
        scenario: Class of a society, or its name as in `memopolis run`.
        parameters: Priors by name of the setting, see `read_prior`.
        targets: Summary statistics by name, each a mapping with `value` and `error`, and
            optionally `outcome` (the name if omitted), `arm`, `minus` and `source`.
        settings: Settings of all runs that differ from the defaults.
        arms: Settings of each arm by name; empty for one arm. Arms of a simulation share its
            random seed.
        checks: Summary statistics that are predicted but not used, like targets; `value` and
            `error` may be omitted.
        samples: Simulations of each generation.
        generations: Maximum number of generations. The first is drawn from the prior.
        accept: Share of a generation's simulations; so many simulations, the nearest to the
            targets, are kept.
        predictive: Simulations with parameters from the posterior, for predictive checks.
        seed: Root of all random seeds.

    Raises:
        ParameterError: If an entry is invalid.
        SettingsError: If a parameter is not a numeric setting of the scenario.
        UnknownNameError: If there is no such scenario or outcome.
    """

    scenario: type[Society[Any]] | str
    _: KW_ONLY
    parameters: Mapping[str, object]
    targets: Mapping[str, object]
    settings: Mapping[str, object] = field(default_factory=dict)
    arms: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    checks: Mapping[str, object] = field(default_factory=dict)
    samples: int = 200
    generations: int = 3
    accept: float = 0.3
    predictive: int = 40
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (("samples", 30), ("generations", 1), ("predictive", 0), ("seed", 0)):
            most = LARGEST_SEED if name == "seed" else MOST_RUNS
            number = whole_number(name, getattr(self, name), least=least, most=most)
            object.__setattr__(self, name, number)
        share: object = self.accept
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
            raise ParameterError(f"accept is {share!r}; give a share above 0 and at most 1")
        if self.kept < _LEAST_KEPT:
            raise ParameterError(
                f"accept keeps {self.kept} of {self.samples} samples; at least {_LEAST_KEPT} are "
                "needed: raise accept or samples"
            )
        for what in ("parameters", "targets", "arms", "checks"):
            if not isinstance(getattr(self, what), Mapping):
                raise ParameterError(f"{what} must be a table of entries by name")
        if not 1 <= len(self.parameters) <= _MOST_PARAMETERS:
            raise ParameterError(
                f"there are {len(self.parameters)} parameters; name 1 to {_MOST_PARAMETERS}"
            )
        if not self.targets:
            raise ParameterError("there are no targets; name at least one outcome with its value")
        self._check_arms()
        object.__setattr__(self, "priors", self._priors())
        object.__setattr__(self, "summaries", self._summaries())

    priors: tuple[Prior, ...] = field(init=False, default=())
    """Priors of the parameters, in order."""
    summaries: tuple[Target, ...] = field(init=False, default=())
    """Targets, then checks."""

    @property
    def kept(self) -> int:
        """Number of simulations that are kept."""
        return round(self.accept * self.samples)

    @property
    def names(self) -> list[str]:
        """Names of the parameters."""
        return list(self.parameters)

    @property
    def arm_names(self) -> list[str]:
        """Names of the arms; "" for the only one."""
        return list(self.arms) or [""]

    @property
    def society(self) -> type[Society[Any]]:
        """Class of the scenario."""
        return find_scenario(self.scenario) if isinstance(self.scenario, str) else self.scenario

    def sweep_of(self, arm: str, points: Sequence[Mapping[str, object]], seed: int) -> Design:
        """Return the sweep of one arm at some points; arms with the same seed are paired."""
        outcomes = [one.outcome for one in self.summaries if arm in {one.arm, one.minus}]
        return Design(
            self.scenario,
            settings=merge(nest(self.settings), nest(self.arms.get(arm, {}))),
            factors=list(points),
            sampling="points",
            seeds="independent",
            seed=seed,
            outcomes=tuple(dict.fromkeys(outcomes)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the design as plain values for JSON."""
        scenario = self.scenario
        name = scenario if isinstance(scenario, str) else reference_if_any(scenario)
        tables = ("settings", "arms", "parameters", "targets", "checks")
        return {
            "scenario": name or getattr(scenario, "__qualname__", ""),
            **{key: getattr(self, key) for key in _PLAIN},
            **{key: plain(getattr(self, key)) for key in tables},
        }

    def _priors(self) -> tuple[Prior, ...]:
        rows = {row.key: row for row in describe(self.society.settings_class)}
        fixed = {key for one in (self.settings, *self.arms.values()) for key in dotted(one)}
        priors = []
        for name, written in self.parameters.items():
            row = rows.get(name)
            if row is None:
                advice = did_you_mean(name, list(rows)) or "`memopolis scenarios` lists them"
                raise SettingsError(f"parameter {name!r} is not a setting; {advice.strip()}")
            if row.type != "number":
                raise SettingsError(f"parameter {name!r} is a {row.type}; a number is needed")
            if name in fixed:
                raise ParameterError(f"{name} is both a parameter and a setting; remove one")
            low = -math.inf if row.low is None else row.low
            high = math.inf if row.high is None else row.high
            priors.append(read_prior(name, written, (low, high)))
        return tuple(priors)

    def _summaries(self) -> tuple[Target, ...]:
        twice = set(self.targets) & set(self.checks)
        if twice:
            raise ParameterError(f"{min(twice)} is both a target and a check; remove one of them")
        return tuple(
            read_target(name, one, self.arm_names, is_check=is_check)
            for table, is_check in ((self.targets, False), (self.checks, True))
            for name, one in table.items()
        )

    def _check_arms(self) -> None:
        """Refuse arms whose names are no folder names, or that are no tables."""
        for name, arm in self.arms.items():
            if not _ARM.fullmatch(name):
                raise ParameterError(f"arm {name!r}: use letters, digits, _ and - only")
            if not isinstance(arm, Mapping):
                raise ParameterError(f"arm {name} is {arm!r}; write settings below [arms.{name}]")


def design_from_toml(path: str | Path) -> CalibrationDesign:
    """Read the design of a calibration from a TOML file.

    Errors in the file are a DataFileError whose message contains the line; otherwise as for
    `CalibrationDesign`.
    """
    file = DesignToml(Path(path), KEYS)
    options = {key: file.content[key] for key in _PLAIN if key in file.content}
    with file.naming_lines():
        tables = {
            name: plain(file.table(name))
            for name in ("settings", "arms", "parameters", "targets", "checks")
        }
        return CalibrationDesign(file.scenario, **tables, **options)
