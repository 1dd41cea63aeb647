"""The design of a sweep: factors, sampling, replications and random seeds.

The name of a run is its key: a hash of scenario, settings, random seed, the content of files named
in settings, and the version of the code. Settings that do not affect the tables, such as threads or
checkpoints, and paths of files are left out.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel

from memopolis.sim.arguments import whole_number
from memopolis.sim.arms import changes_of
from memopolis.sim.chance import LARGEST_SEED
from memopolis.sim.errors import MemopolisError, ParameterError, SettingsError, did_you_mean
from memopolis.sim.outcomes import Outcome, read_outcomes
from memopolis.sim.run_folder.code_version import code_version, hash_of
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.scenario_reference import reference_if_any
from memopolis.sim.settings import RECORDED_OF_MANY, Settings, dotted, merge, nest
from memopolis.sim.settings_text import describe
from memopolis.sim.sweep.factors import Factor, Range, plain, read_factor
from memopolis.sim.sweep.sampling import (
    MOST_RUNS,
    SAMPLINGS,
    Sampling,
    count_points,
    draw_points,
)
from memopolis.sim.sweep.seeds import Seeds, run_seed

if TYPE_CHECKING:
    from memopolis.sim.society import Society


_PLAIN = ("sampling", "samples", "replications", "seed", "seeds")
ARM = "arm"  # factor whose levels are arms of the scenario, unless it has a setting of that name
_KEYS = ("settings", "factors", *_PLAIN, "outcomes")

type Factors = Mapping[str, object]
type Points = Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class DesignedRun:
    """One run of a design."""

    name: str  # its key in ledger, folders and tables: 12 hexadecimal digits
    point: int  # number of its design point, from 0
    replication: int  # number of its replication, from 0
    seed: int  # random seed of the run


@dataclass(frozen=True, eq=False)
class PlannedRun(DesignedRun):
    """A run with all its settings, validated, and the values of the factors by name."""

    settings: Settings
    factors: Mapping[str, Any]


@dataclass(frozen=True)
class Design:
    """Design many runs of one scenario: factors, sampling, replications and random seeds.

    Raises ParameterError if a factor, the sampling, a number or the kind of seeds is invalid, or
    there are more runs than a sweep may have.

    Args:
        scenario: Class of a society, or its name as in `memopolis run`.
        settings: Settings of all runs: changes to the defaults by name, or complete settings. By
            default, runs record only measures, agents and the ledger.
        factors: Settings to vary, by name, such as "decision.spread": levels, or a `Range`. The
            levels of "arm" are names of the scenario's arms. For sampling "points", a list of
            points, each with a value of every factor by name.
        sampling: How points are chosen: "grid" of all levels, listed "points", "random",
            "latin_hypercube", "sobol", or for `sensitivity` "saltelli", "saltelli_total" and
            "morris".
        samples: Number of points; for "saltelli" the base sample N, which gives
            N * (2 * factors + 2) points, or N * (factors + 2) for "saltelli_total", which has no
            indices of pairs; for "morris" the number of trajectories, of factors + 1 points each.
            Not used for "grid" and "points".
        replications: Runs of each point, >= 1.
        seed: Root of all random seeds, including the seed of the sampling, >= 0.
        seeds: "paired": replication r has the same random seed at every point, which reduces
            the variance of differences between points. "independent": every run has its own.
        outcomes: Outcomes of a run, see `read_outcomes`; () for those of the scenario.
    """

    scenario: "type[Society[Any]] | str"
    _: KW_ONLY
    settings: Settings | Mapping[str, object] = field(default_factory=dict)
    factors: Factors | Points = field(default_factory=dict)
    sampling: Sampling = "grid"
    samples: int = 64
    replications: int = 1
    seed: int = 1
    seeds: Seeds = "paired"
    outcomes: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name, known in (("sampling", SAMPLINGS), ("seeds", get_args(Seeds.__value__))):
            _check_choice(name, getattr(self, name), known)
        for name, least in (("samples", 1), ("replications", 1), ("seed", 0)):
            number = whole_number(name, getattr(self, name), least=least, most=LARGEST_SEED)
            object.__setattr__(self, name, number)
        object.__setattr__(self, "outcomes", _checked_outcomes(self.outcomes))
        object.__setattr__(self, "factors", _checked_factors(self.factors, self.sampling))
        _check_size(self.factors, self.sampling, self.samples, self.replications)

    @property
    def names(self) -> list[str]:
        """Names of the factors."""
        if isinstance(self.factors, Mapping):
            return list(self.factors)
        return list(self.factors[0])

    @cached_property
    def points(self) -> list[dict[str, Any]]:
        """Points of the design, each with a value of every factor by name."""
        if not isinstance(self.factors, Mapping):
            return [dict(point) for point in self.factors]
        factors: dict[str, Factor] = dict(self.factors)  # type: ignore[arg-type]
        return draw_points(self.sampling, factors, samples=self.samples, seed=self.seed)

    @cached_property
    def society(self) -> "type[Society[Any]]":
        """Class of the scenario; UnknownNameError if there is none of that name."""
        return find_scenario(self.scenario) if isinstance(self.scenario, str) else self.scenario

    def taken(self) -> list[Outcome]:
        """Return the outcomes computed for every run."""
        declared = [measure.to_dict() for measure in self.society.measures]
        return read_outcomes(
            self.outcomes or self.society.outcomes, declared, title=self.society.title
        )

    def planned(self) -> list[PlannedRun]:
        """Return all runs by point, after checking the settings of all points.

        With paired seeds, two points with the same settings share their runs, so a name may occur
        more than once. Raises SettingsError if a factor is not a setting, a value is not allowed,
        or runs do not record the tables of the outcomes.
        """
        _check_names(self.names, self.society)
        base = self._base()
        each = [self._settings_of(base, number, one) for number, one in enumerate(self.points)]
        self._check_recorded(each)
        runs = []
        for number, (point, settings) in enumerate(zip(self.points, each, strict=True)):
            seeds = [
                run_seed(self.seed, point=number, replication=replication, seeds=self.seeds)
                for replication in range(self.replications)
            ]
            names = run_keys(self.society, settings, seeds)
            runs += [
                PlannedRun(name, number, replication, seed, settings, point)
                for replication, (name, seed) in enumerate(zip(names, seeds, strict=True))
            ]
        return runs

    def to_dict(self) -> dict[str, Any]:
        """Return the design as plain values for JSON."""
        settings = self.settings
        factors = (
            [dict(factor) for factor in self.factors]
            if not isinstance(self.factors, Mapping)
            else {
                name: one.to_dict() if isinstance(one, Range) else plain(one)
                for name, one in self.factors.items()
            }
        )
        return {
            # A name for another process, or the bare name of a class without one.
            "scenario": self.scenario
            if isinstance(self.scenario, str)
            else reference_if_any(self.scenario) or self.scenario.__qualname__,
            "settings": settings.model_dump(mode="json")
            if isinstance(settings, Settings)
            else plain(settings),
            "factors": factors,
            **{name: getattr(self, name) for name in _PLAIN},
            "outcomes": list(self.outcomes),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Design":
        """Create a design from the result of `to_dict`.

        The scenario is looked up on first use; one defined in a notebook is not found.
        """
        try:
            return cls(values["scenario"], **{name: values[name] for name in _KEYS})
        except KeyError as error:
            raise ParameterError(f"the design lacks {error.args[0]}") from None

    def _base(self) -> Settings:
        known = self.society.settings_class
        if isinstance(self.settings, Settings):
            return self.settings.with_changes({"threads": 1})
        twice = set(dotted(self.settings)) & set(self.names)
        if twice:
            raise SettingsError(
                f"{', '.join(sorted(twice))} is both a factor and a setting; remove one of them"
            )
        changes = merge(RECORDED_OF_MANY, nest(self.settings))
        return known().with_changes(merge(changes, {"threads": 1}))

    def _settings_of(self, base: Settings, number: int, point: Mapping[str, Any]) -> Settings:
        """Return the validated settings of a point."""
        changes = dict(point)
        try:
            if ARM in changes and ARM not in type(base).model_fields:
                arm = changes_of(self.society, str(changes.pop(ARM)))
                return base.with_changes(merge(nest(arm), nest(changes)))
            return base.with_changes(changes) if changes else base
        except MemopolisError as error:
            where = ", ".join(f"{name} = {value}" for name, value in point.items())
            raise SettingsError(f"point {number} ({where}): {error}") from None

    def _check_recorded(self, settings: Sequence[Settings]) -> None:
        """Refuse settings that do not record the table of the outcomes."""
        wanted = self.taken()
        for number, one in enumerate(settings):
            if wanted and "measures" not in one.record.tables:
                raise SettingsError(
                    f"point {number}: record.tables is {', '.join(one.record.tables) or 'none'}; "
                    f"the outcome {wanted[0].name} needs the table measures; add it"
                )


def _checked_factors(factors: object, sampling: str) -> "dict[str, Factor] | list[dict[str, Any]]":
    """Return the factors of a design: levels or ranges by name, or listed points."""
    if sampling == "points":
        return _checked_points(factors)
    if not isinstance(factors, Mapping):
        raise ParameterError(
            f"factors is a list of points, but sampling is {sampling}; set sampling to 'points'"
        )
    return {str(name): read_factor(name, one) for name, one in factors.items()}


def _checked_points(listed: object) -> list[dict[str, Any]]:
    if isinstance(listed, Mapping) or not isinstance(listed, Sequence) or not listed:
        raise ParameterError(
            "sampling is 'points', so factors must be a list of points, each with a value of "
            'every factor: [{"agents": 100}, {"agents": 200}]'
        )
    points = [{str(name): plain(value) for name, value in dict(point).items()} for point in listed]
    for number, point in enumerate(points):
        lacking = sorted(set(points[0]) ^ set(point))
        if lacking:
            raise ParameterError(
                f"point {number} and point 0 do not both have {', '.join(lacking)}; every point "
                "needs a value of every factor"
            )
    # The same order for all, so that columns and keys do not depend on how a point was written.
    return [{name: point[name] for name in points[0]} for point in points]


def _checked_outcomes(outcomes: object) -> tuple[str, ...]:
    """Return the names of outcomes as a tuple."""
    if (
        isinstance(outcomes, str)
        or not isinstance(outcomes, Sequence)
        or not all(isinstance(outcome, str) for outcome in outcomes)
    ):
        raise ParameterError(f"outcomes is {outcomes!r}; give a list of texts, such as ['gini']")
    return tuple(outcomes)


def _check_size(
    factors: "Mapping[str, Any] | Sequence[Any]",
    sampling: Sampling,
    samples: int,
    replications: int,
) -> None:
    """Refuse designs with too many runs, before any run is planned."""
    points = (
        count_points(sampling, factors, samples=samples)
        if isinstance(factors, Mapping)
        else len(factors)
    )
    if points * replications > MOST_RUNS:
        raise ParameterError(
            f"a design of {points:,} points and {replications:,} replications has "
            f"{points * replications:,} runs; a sweep may have at most {MOST_RUNS:,}: use fewer "
            "levels, samples or replications"
        )


def _check_names(names: Sequence[str], scenario: "type[Society[Any]]") -> None:
    """Refuse a factor that is not a setting of the scenario, with a `SettingsError`."""
    rows = describe(scenario.settings_class)
    known = [row.key for row in rows]
    groups = tuple(f"{row.key}." for row in rows if row.type == "groups by name")
    arms = [] if ARM in known or not scenario.arms else [ARM]
    for name in names:
        if name in known or name in arms or (groups and name.startswith(groups)):
            continue
        advice = did_you_mean(name, [*known, *arms]) or "`memopolis scenarios` lists them all"
        raise SettingsError(
            f"factor {name!r}: {scenario.__name__} has no setting of that name; {advice.strip()}"
        )


def _check_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Refuse a value that is not one of `known`."""
    if value not in known:
        advice = did_you_mean(str(value), known)
        raise ParameterError(f"{name} is {value!r}; {advice}choose from {', '.join(known)}")


LEFT_OUT = ("checkpoint", "threads", "parts", "executor")
"""Settings, or groups of settings, that do not affect the tables of a run."""

_DIGITS = 12
_NO_FILE = frozenset(("", "none", "default"))
_CASSETTE = ("llm", "cassette")
_PROMPTS = ("llm", "prompts")


def run_keys(scenario: "type[Society[Any]]", settings: Settings, seeds: Iterable[int]) -> list[str]:
    """Compute the keys of runs that differ in their seeds only: 12 hexadecimal digits each."""
    shared = {
        "scenario": _name(scenario),
        "settings": _settings_content(settings),
        "code": code_version(scenario),
    }
    text = json.dumps(shared, sort_keys=True, separators=(",", ":")).encode()
    return [
        hashlib.blake2b(text + f"\n{int(seed)}".encode(), digest_size=_DIGITS // 2).hexdigest()
        for seed in seeds
    ]


def _name(scenario: "type[Society[Any]]") -> str:
    """Return the name of a scenario without the path of its file."""
    module = scenario.__module__
    own = module.startswith("memopolis.")
    return f"{module}:{scenario.__qualname__}" if own else scenario.__qualname__


def _settings_content(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON, with names of files replaced by hashes of their content."""
    content: dict[str, Any] = settings.model_dump(mode="json", exclude=set(LEFT_OUT))
    recorded = settings.mind != "replay" and not settings.llm.replay
    for path in _text_settings(type(settings)):
        if path == _CASSETTE and recorded:
            continue  # written by the run
        group = content
        for name in path[:-1]:
            group = group.get(name, {})
        if path[-1] in group:
            group[path[-1]] = _with_contents(group[path[-1]], folders=path == _PROMPTS)
    return content


def _with_contents(value: Any, *, folders: bool) -> Any:
    if isinstance(value, list):
        return [_with_contents(item, folders=folders) for item in value]
    if not isinstance(value, str) or value in _NO_FILE:
        return value
    path = Path(value)
    try:
        if path.is_file():
            return _content(path)
        if not (folders and path.is_dir()):
            return value
        files = sorted(file for file in path.rglob("*") if file.is_file())
        lines = (f"{file.relative_to(path).as_posix()} {_content(file)}" for file in files)
        return f"folder:{hash_of('\n'.join(lines).encode())}"
    except (OSError, ValueError):  # not a file name
        return value


def _content(path: Path) -> str:
    stat = path.stat()
    return _content_of(path.resolve(), stat.st_mtime_ns, stat.st_size)


@cache
def _content_of(path: Path, changed: int, size: int) -> str:  # noqa: ARG001 - part of the cache key
    return f"file:{hash_of(path.read_bytes())}"


@cache
def _text_settings(schema: type[BaseModel]) -> tuple[tuple[str, ...], ...]:
    """Return the names of all text settings, which could name a file."""
    return tuple(_texts_of(schema, ()))


def _texts_of(schema: type[BaseModel], group: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, setting in schema.model_fields.items():
        kind: Any = setting.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _texts_of(kind, (*group, name))
        elif kind is str or str in get_args(kind) or get_origin(kind) is tuple:
            yield (*group, name)
