"""The design of a calibration: parameters with priors, targets, arms and budget."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, FiniteFloat, Strict

from memopolis.sim.arguments import whole_number
from memopolis.sim.chance import LARGEST_SEED
from memopolis.sim.errors import ParameterError, SettingsError, did_you_mean
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.scenario_reference import reference_if_any
from memopolis.sim.settings import dotted, merge, nest
from memopolis.sim.settings_text import describe
from memopolis.sim.society import Society
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.design_file import DesignToml
from memopolis.sim.sweep.factors import plain
from memopolis.sim.sweep.sampling import MOST_RUNS
from memopolis.sim.toml_files import Entry, read_entry

_PLAIN = ("samples", "generations", "accept", "predictive", "seed")
_TABLES = ("settings", "arms", "parameters", "targets", "checks")
KEYS = ("scenario", *_PLAIN, *_TABLES)
"""Keys and tables allowed at the top of a design file."""

_ARM = re.compile(r"[\w-]{1,50}")
_MOST_PARAMETERS = 20
_LEAST_KEPT = 20
_LEAST_WEIGHT = 1e-3  # least share of a prior without truncation between its ends
_MOST_SCORE = 8.0  # beyond this absolute score, shares cannot be distinguished from 0 and 1

type Kind = Literal["uniform", "normal", "lognormal"]
type Array = NDArray[np.float64]
type _Finite = Annotated[FiniteFloat, Strict()]
type _Positive = Annotated[FiniteFloat, Strict(), Field(gt=0)]

_NUMBERS: Mapping[str, tuple[str, ...]] = {
    "uniform": ("low", "high"),
    "normal": ("mean", "sd"),
    "lognormal": ("median", "sigma"),
}
"""Numbers that describe each kind of prior."""


class Prior(Entry):
    """Prior distribution of one setting, as a function of scores.

    All inference takes place in scores: a score is the standard normal quantile of the prior share
    below a value. There, every prior is a standard normal distribution, kernels need no bounds, and
    a regression cannot leave the prior's range.
    """

    name: str  # name of the setting
    prior: Kind
    low: _Finite = -math.inf  # smallest value
    high: _Finite = math.inf  # largest value; normal and lognormal priors are truncated to both
    mean: _Finite = math.nan  # of a normal prior
    sd: _Positive = math.nan
    median: _Positive = math.nan  # of a lognormal prior
    sigma: _Positive = math.nan  # standard deviation of its logarithm

    def value(self, scores: ArrayLike) -> Array:
        """Return the values of scores, shape (n,)."""
        from scipy.special import ndtr

        shares = ndtr(np.clip(np.asarray(scores, np.float64), -_MOST_SCORE, _MOST_SCORE))
        values: Array = self._distribution.ppf(self._below + shares * self.weight)
        return values.clip(self.low, self.high)

    def density(self, values: ArrayLike) -> Array:
        """Return the density at values within [low, high], shape (n,)."""
        density: Array = self._distribution.pdf(values) / self.weight
        return density

    @cached_property
    def weight(self) -> float:
        """Share of the distribution without truncation that is within [low, high]."""
        return float(self._distribution.cdf(self.high)) - self._below

    @cached_property
    def _below(self) -> float:
        return float(self._distribution.cdf(self.low))

    @cached_property
    def _distribution(self) -> Any:
        """The distribution without truncation."""
        from scipy import stats

        match self.prior:
            case "uniform":
                return stats.uniform(self.low, self.high - self.low)
            case "normal":
                return stats.norm(self.mean, self.sd)
            case "lognormal":
                return stats.lognorm(self.sigma, scale=self.median)

    def __str__(self) -> str:
        if self.prior == "uniform":
            return f"uniform {self.low:g} to {self.high:g}"
        numbers = ", ".join(f"{key} {getattr(self, key):g}" for key in _NUMBERS[self.prior])
        bounds = f" in [{self.low:g}, {self.high:g}]"
        limited = bounds if math.isfinite(self.low) or math.isfinite(self.high) else ""
        return f"{self.prior} {numbers}{limited}"


def read_prior(
    name: str, written: object, limits: tuple[float, float] = (-math.inf, math.inf)
) -> Prior:
    """Read the prior of a setting, as {prior = "uniform", low = 0, high = 1}.

    Normal and lognormal priors may also have `low` and `high`; they are truncated to these and to
    the limits of the setting. Raises ParameterError if it is no such mapping, a number is not
    allowed, or a prior exceeds the limits.
    """
    if not isinstance(written, Mapping) or "prior" not in written:
        raise ParameterError(
            f'parameter {name} is {written!r}; write it as {{prior = "uniform", low = 0, high = 1}}'
        )
    entry = read_entry(Prior, {**written, "name": name}, f"parameter {name}")
    needed = _NUMBERS[entry.prior]
    numbers = entry.model_dump(exclude={"name", "prior"}, exclude_unset=True)
    if not {*needed} <= numbers.keys() <= {"low", "high", *needed}:
        raise ParameterError(
            f"parameter {name}: a {entry.prior} prior has {' and '.join(needed)}, not "
            f"{', '.join(numbers) or 'nothing'}"
        )
    prior = entry.model_copy(update={"low": limits[0], "high": limits[1], **numbers})
    if not prior.low < prior.high:
        raise ParameterError(
            f"parameter {name}: low is {prior.low:g} and high {prior.high:g}; low < high"
        )
    if prior.low < limits[0] or prior.high > limits[1]:
        raise ParameterError(
            f"parameter {name}: the prior covers {prior.low:g} to {prior.high:g}; the setting "
            f"allows {limits[0]:g} to {limits[1]:g}"
        )
    if prior.weight < _LEAST_WEIGHT:
        raise ParameterError(
            f"parameter {name}: the prior {prior} has nearly no weight between its ends; move its "
            f"{needed[0]} between them"
        )
    return prior


class Target(Entry):
    """A summary statistic of the simulations, and its observed value."""

    name: str  # name in tables and figures
    value: _Finite = math.nan  # observed value; NaN for a check without one
    # Standard deviation of the observation and of what the model leaves out; normal noise of this
    # size is added to simulations (Wilkinson 2013, doi:10.1515/sagmb-2013-0010)
    error: _Finite = Field(0.0, ge=0)
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
        for what in ("parameters", "targets", "arms", "checks"):
            if not isinstance(getattr(self, what), Mapping):
                raise ParameterError(f"{what} must be a table of entries by name")
        if not 1 <= len(self.parameters) <= _MOST_PARAMETERS:
            raise ParameterError(
                f"there are {len(self.parameters)} parameters; name 1 to {_MOST_PARAMETERS}"
            )
        least = max(_LEAST_KEPT, 2 * len(self.parameters))  # a covariance needs more than one each
        if self.kept < least:
            raise ParameterError(
                f"accept keeps {self.kept} of {self.samples} samples; at least {least} are "
                "needed: raise accept or samples"
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
        outcomes = [
            summary.outcome for summary in self.summaries if arm in {summary.arm, summary.minus}
        ]
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
        return {
            "scenario": name or getattr(scenario, "__qualname__", ""),
            **{key: getattr(self, key) for key in _PLAIN},
            **{key: plain(getattr(self, key)) for key in _TABLES},
        }

    def _priors(self) -> tuple[Prior, ...]:
        rows = {row.key: row for row in describe(self.society.settings_class)}
        fixed = {key for group in (self.settings, *self.arms.values()) for key in dotted(group)}
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
        tables = {name: plain(file.table(name)) for name in _TABLES}
        return CalibrationDesign(file.scenario, **tables, **options)
