"""Numbers of facts by name, for predictions: those that `memopolis validate` judges."""

from collections.abc import Mapping, Sequence

from memopolis.analysis.facts import basic_income, hurricane, polarization
from memopolis.analysis.facts.fact import Compute, Fact, compute
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import UnknownNameError, did_you_mean

type Numbers = Mapping[tuple[str, str], float]
"""Values by fact, such as "U-P1", and name of the number."""

_BY_ARMS: Mapping[str, Sequence[Compute]] = {
    "polarization": polarization.FACTS,
    "ubi": basic_income.FACTS,
}
"""Facts that are functions of the arms of one seed, by scenario."""
SCENARIOS = ("hurricane", *_BY_ARMS)  # scenarios with facts


class _MissingArmError(UnknownNameError):
    """A fact needs an arm that was not run."""


class _Arms(dict[str, "Run"]):
    """Arms by name; a missing one is named by the error."""

    def __missing__(self, name: str) -> Run:
        raise _MissingArmError(name)


def fact_numbers(
    scenario: str, arms: Mapping[str, Run], *, arm: str, null_arm: str
) -> tuple[Numbers, list[str]]:
    """Compute the numbers of all facts of a scenario for which the arms of one seed suffice.

    Facts of the hurricane are those of `arm`, paired with `null_arm`. Returns the numbers, and the
    names of arms that other facts would need.
    """
    if scenario not in _BY_ARMS:
        return _by_name(hurricane.facts_of(arms[arm], arms.get(null_arm))), []
    present = _Arms(arms)
    measured: list[Fact] = []
    missing: list[str] = []
    for function in _BY_ARMS[scenario]:
        try:
            measured += compute(function, present)
        except _MissingArmError as error:
            missing.append(str(error.args[0]))
    return _by_name(measured), missing


def find_number(numbers: Numbers, missing: list[str], fact: str, what: str) -> float:
    """Return one number of `fact_numbers`.

    Raises UnknownNameError if no fact has it; the message lists those of the fact.
    """
    if (fact, what) not in numbers:
        of_fact = [name for known, name in numbers if known == fact]
        facts = ", ".join(sorted({known for known, _ in numbers})) or "none"
        listed = f"its numbers are {'; '.join(of_fact)}" if of_fact else f"there are {facts}"
        arms = f", and facts that need the arms {', '.join(sorted(set(missing)))}"
        raise UnknownNameError(
            f"fact {fact!r} has no number {what!r}; {did_you_mean(what, of_fact)}{listed}"
            f"{arms if missing else ''}"
        )
    return numbers[fact, what]


def _by_name(facts: list[Fact]) -> Numbers:
    return {(fact.id, value.what): value.value for fact in facts for value in fact.values}
