"""The design of a sweep: which settings are varied over what, how often, and by which luck."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from memopolis.sim.arms import changes_of
from memopolis.sim.errors import MemopolisError, ParameterError, SettingsError
from memopolis.sim.outcomes import Outcome, read_outcomes
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.scenario_reference import reference_if_any
from memopolis.sim.settings import RECORDED_OF_MANY, Settings, dotted, merge, nest
from memopolis.sim.sweep.design_checks import (
    ARM,
    check_choice,
    check_names,
    check_number,
    check_size,
    checked_factors,
    checked_outcomes,
)
from memopolis.sim.sweep.factors import Factor, Range, plain
from memopolis.sim.sweep.planned import PlannedRun
from memopolis.sim.sweep.run_key import run_keys
from memopolis.sim.sweep.sampling import SAMPLINGS, Sampling, drawn_points
from memopolis.sim.sweep.seeds import Seeds, run_seed

if TYPE_CHECKING:
    from memopolis.sim.society import Society

_PLAIN = ("sampling", "samples", "replications", "seed", "seeds")
_TOLD = ("settings", "factors", *_PLAIN, "outcomes")

type Factors = Mapping[str, object]
type Points = Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class Design:
    """Many runs of one scenario: factors and how they are sampled, replications and seeds.

    Args:
        scenario: A society's class, or its name as `memopolis run` takes it.
        settings: What all runs share: changes to the defaults by name, or settings as a whole.
            Where they say nothing of it, runs record measures, agents and the ledger only.
        factors: What is varied, by name of the setting, such as "decision.spread": levels, or a
            `Range`. "arm" takes names of the scenario's arms as levels. For sampling "points"
            a list of points, each a value of every factor by name.
        sampling: How points are chosen: "grid" of all levels, "points" as they are listed,
            "random", "latin_hypercube", "sobol", or for `sensitivity` "saltelli" and "morris".
        samples: How many points; for "saltelli" the base sample N, which comes to
            N * (2 * factors + 2) points, for "morris" trajectories of factors + 1 points. Not
            for "grid" and "points".
        replications: Runs of each point, >= 1.
        seed: Root of all seeds and of the points' sampling, >= 0.
        seeds: "paired": replication r has the same seed at every point, so that differences
            between points are free of luck that they share. "independent": each run its own.
        outcomes: What a run comes to, as `read_outcomes` reads it; () for the scenario's own.

    Raises:
        ParameterError: If a factor, the sampling, a number or the kind of seeds is not possible,
            or there are more runs than a sweep holds.
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
            check_choice(name, getattr(self, name), known)
        for name, least in (("samples", 1), ("replications", 1), ("seed", 0)):
            check_number(name, getattr(self, name), least)
        object.__setattr__(self, "outcomes", checked_outcomes(self.outcomes))
        object.__setattr__(self, "factors", checked_factors(self.factors, self.sampling))
        check_size(self.factors, self.sampling, self.samples, self.replications)

    @property
    def names(self) -> list[str]:
        """Names of the factors."""
        if isinstance(self.factors, Mapping):
            return list(self.factors)
        return list(self.factors[0])

    @cached_property
    def points(self) -> list[dict[str, Any]]:
        """The points, each a value of every factor by name.

        Raises:
            ParameterError: If `samples` does not fit the sampling, or a grid is asked of a range.
        """
        if not isinstance(self.factors, Mapping):
            return [dict(point) for point in self.factors]
        given: dict[str, Factor] = dict(self.factors)  # type: ignore[arg-type]
        return drawn_points(self.sampling, given, samples=self.samples, seed=self.seed)

    @cached_property
    def society(self) -> "type[Society[Any]]":
        """Class of the scenario.

        Raises:
            UnknownNameError: If there is none of its name.
        """
        return find_scenario(self.scenario) if isinstance(self.scenario, str) else self.scenario

    def taken(self) -> list[Outcome]:
        """What is taken of every run.

        Raises:
            UnknownNameError: If the scenario has no such measure.
        """
        declared = [measure.to_dict() for measure in self.society.measures]
        return read_outcomes(
            self.outcomes or self.society.outcomes, declared, title=self.society.title
        )

    def planned(self) -> list[PlannedRun]:
        """All runs, point by point; the settings of all of them are checked first.

        Two points that come to the same settings, such as levels that were drawn twice, share
        their runs where seeds are paired: a name may then come more than once.

        Raises:
            UnknownNameError: If there is no such scenario, arm or outcome.
            SettingsError: If a factor is no setting, a value is not allowed, or runs would not
                record what outcomes are taken of.
            ParameterError: As `points`.
        """
        check_names(self.names, self.society)
        base = self._base()
        told = [self._settings_of(base, number, one) for number, one in enumerate(self.points)]
        self._check_recorded(told)
        runs = []
        for number, (point, settings) in enumerate(zip(self.points, told, strict=True)):
            seeds = [
                run_seed(self.seed, point=number, replication=one, seeds=self.seeds)
                for one in range(self.replications)
            ]
            names = run_keys(self.society, settings, seeds)
            runs += [
                PlannedRun(name, number, replication, seed, settings, point)
                for replication, (name, seed) in enumerate(zip(names, seeds, strict=True))
            ]
        return runs

    def to_dict(self) -> dict[str, Any]:
        """What was asked, as plain values that JSON keeps."""
        given = self.settings
        factors = self.factors
        told = (
            [dict(one) for one in factors]
            if not isinstance(factors, Mapping)
            else {
                name: one.to_dict() if isinstance(one, Range) else plain(one)
                for name, one in factors.items()
            }
        )
        return {
            "scenario": _named(self.scenario),
            "settings": given.model_dump(mode="json")
            if isinstance(given, Settings)
            else plain(given),
            "factors": told,
            **{name: getattr(self, name) for name in _PLAIN},
            "outcomes": list(self.outcomes),
        }

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> "Design":
        """Make a design of what `to_dict` gave.

        Its scenario is looked for when it is needed first; one of a notebook is not found.

        Raises:
            ParameterError: If it is no design.
        """
        try:
            return cls(told["scenario"], **{name: told[name] for name in _TOLD})
        except KeyError as error:
            raise ParameterError(f"a design without {error.args[0]} is none") from None

    def _base(self) -> Settings:
        known = self.society.settings_class
        if isinstance(self.settings, Settings):
            return self.settings.with_changes({"threads": 1})
        twice = set(dotted(self.settings)) & set(self.names)
        if twice:
            raise SettingsError(
                f"{', '.join(sorted(twice))} is a factor and one of the settings; it is one of both"
            )
        given = merge(RECORDED_OF_MANY, nest(self.settings))
        return known().with_changes(merge(given, {"threads": 1}))

    def _settings_of(self, base: Settings, number: int, point: Mapping[str, Any]) -> Settings:
        """Settings of a point, checked."""
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
        """Refuse runs that would record nothing to take an outcome of, before they run."""
        wanted = self.taken()
        for number, one in enumerate(settings):
            if wanted and "measures" not in one.record.tables:
                raise SettingsError(
                    f"point {number}: record.tables is {', '.join(one.record.tables) or 'none'}; "
                    f"{wanted[0].name} is taken of the measures, so they must be among the tables"
                )


def _named(scenario: "type[Society[Any]] | str") -> str:
    """A scenario's name for another process; of one in a notebook or a function just its own."""
    if isinstance(scenario, str):
        return scenario
    return reference_if_any(scenario) or scenario.__qualname__
