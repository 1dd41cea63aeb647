"""Check the factors, points, outcomes and size of a design."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError, SettingsError, did_you_mean
from memopolis.sim.settings_text import describe
from memopolis.sim.sweep.factors import Factor, plain, read_factor
from memopolis.sim.sweep.sampling import MOST_RUNS, Sampling, count_points

if TYPE_CHECKING:
    from memopolis.sim.society import Society

ARM = "arm"  # factor whose levels are arms of the scenario, unless it has a setting of that name


def checked_factors(factors: object, sampling: str) -> "dict[str, Factor] | list[dict[str, Any]]":
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
    points = [{str(name): plain(value) for name, value in dict(one).items()} for one in listed]
    for number, point in enumerate(points):
        lacking = sorted(set(points[0]) ^ set(point))
        if lacking:
            raise ParameterError(
                f"point {number} and point 0 do not both have {', '.join(lacking)}; every point "
                "needs a value of every factor"
            )
    # The same order for all, so that columns and keys do not depend on how a point was written.
    return [{name: point[name] for name in points[0]} for point in points]


def checked_outcomes(outcomes: object) -> tuple[str, ...]:
    """Return the names of outcomes as a tuple."""
    if (
        isinstance(outcomes, str)
        or not isinstance(outcomes, Sequence)
        or not all(isinstance(one, str) for one in outcomes)
    ):
        raise ParameterError(f"outcomes is {outcomes!r}; give a list of texts, such as ['gini']")
    return tuple(outcomes)


def check_size(
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


def check_names(names: Sequence[str], scenario: "type[Society[Any]]") -> None:
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


def check_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Refuse a value that is not one of `known`."""
    if value not in known:
        advice = did_you_mean(str(value), known)
        raise ParameterError(f"{name} is {value!r}; {advice}choose from {', '.join(known)}")
