"""What a design may say: its factors and points, and the names of what is varied."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError, SettingsError, did_you_mean
from memopolis.sim.settings_text import describe
from memopolis.sim.sweep.factors import Factor, plain, read_factor
from memopolis.sim.sweep.sampling import MOST_RUNS, Sampling, count_points

if TYPE_CHECKING:
    from memopolis.sim.society import Society

ARM = "arm"
"""Factor whose levels are arms of the scenario, unless it has a setting of that name."""


def checked_factors(given: object, sampling: str) -> "dict[str, Factor] | list[dict[str, Any]]":
    """Factors of a design as plain values: levels or ranges by name, or the points listed.

    Raises:
        ParameterError: If they are not what the sampling needs, or a factor is none.
    """
    if sampling == "points":
        return _checked_points(given)
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"factors is a list of points, but sampling is {sampling}; with listed points "
            "sampling is 'points'"
        )
    return {str(name): read_factor(name, one) for name, one in given.items()}


def _checked_points(given: object) -> list[dict[str, Any]]:
    if isinstance(given, Mapping) or not isinstance(given, Sequence) or not given:
        raise ParameterError(
            "sampling is 'points', so factors is a list of points, each with a value of every "
            'factor: [{"agents": 100}, {"agents": 200}]'
        )
    points = [{str(name): plain(value) for name, value in dict(one).items()} for one in given]
    for number, point in enumerate(points):
        lacking = sorted(set(points[0]) ^ set(point))
        if lacking:
            raise ParameterError(
                f"point {number} and point 0 do not both say {', '.join(lacking)}; every point "
                "has a value of every factor"
            )
    # In one order, so that columns and keys do not depend on how a point was written.
    return [{name: point[name] for name in points[0]} for point in points]


def checked_outcomes(given: object) -> tuple[str, ...]:
    """Names of outcomes, each once.

    Raises:
        ParameterError: If they are no list of texts.
    """
    if (
        isinstance(given, str)
        or not isinstance(given, Sequence)
        or not all(isinstance(one, str) for one in given)
    ):
        raise ParameterError(f"outcomes is {given!r}; give a list of texts, as ['gini']")
    return tuple(given)


def check_size(
    factors: "Mapping[str, Any] | Sequence[Any]",
    sampling: Sampling,
    samples: int,
    replications: int,
) -> None:
    """Refuse more runs than a sweep holds, before any of them is planned.

    Raises:
        ParameterError: If there are more.
    """
    points = (
        count_points(sampling, factors, samples=samples)
        if isinstance(factors, Mapping)
        else len(factors)
    )
    if points * replications > MOST_RUNS:
        raise ParameterError(
            f"a design of {points:,} points and {replications:,} replications comes to "
            f"{points * replications:,} runs; a sweep holds {MOST_RUNS:,} at most: take fewer "
            "levels, samples or replications"
        )


def check_names(names: Sequence[str], scenario: "type[Society[Any]]") -> None:
    """Refuse a factor that is no setting of the scenario.

    Raises:
        SettingsError: If there is none of its name.
    """
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


def check_choice(name: str, given: object, known: Sequence[str]) -> None:
    """Refuse a word that is none of those known.

    Raises:
        ParameterError: If it is not.
    """
    if given not in known:
        advice = did_you_mean(str(given), known)
        raise ParameterError(f"{name} is {given!r}; {advice}there are {', '.join(known)}")


def check_number(name: str, given: object, least: int) -> None:
    """Refuse what is no whole number, or too small.

    Raises:
        ParameterError: If it is.
    """
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise ParameterError(f"{name} is {given!r}; a whole number of at least {least} is needed")
