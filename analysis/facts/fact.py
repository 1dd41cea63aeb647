"""Facts: numbers that a simulation should show, with tolerances, judged over seeds."""

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from memopolis.analysis.compare.intervals import interval
from memopolis.analysis.facts.basis import basis_of
from memopolis.analysis.facts.reading import Arms, runs_by_seed
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import ParameterError

LARGE = 1000  # absolute value from which numbers are formatted without decimals


@dataclass(frozen=True)
class Value:
    """A measured number and its tolerance."""

    what: str  # name of the number
    value: float  # as measured; NaN where the run cannot provide it, such as without an order
    low: float = -math.inf  # lower bound of the tolerance
    high: float = math.inf  # upper bound of the tolerance
    unit: str = ""  # "%" for a share, "pp" for a difference of shares, or a unit
    strict: bool = False  # whether the bounds themselves are outside the tolerance

    @property
    def passes(self) -> bool | None:
        """Whether the number is tolerated; None without a number or a tolerance."""
        is_judged = self.has_tolerance and not math.isnan(self.value)
        return self.tolerates(self.value) if is_judged else None

    @property
    def has_tolerance(self) -> bool:
        """Whether there is a tolerance; a number without one is listed for information."""
        return not (math.isinf(self.low) and math.isinf(self.high))

    def tolerates(self, value: float) -> bool:
        """Check whether a number is within the tolerance."""
        if self.strict:
            return self.low < value < self.high
        return self.low <= value <= self.high

    @property
    def shown(self) -> str:
        """The number with its unit."""
        return "-" if math.isnan(self.value) else format_number(self.value, self.unit)

    @property
    def tolerance(self) -> str:
        """The tolerance in words."""
        if not self.has_tolerance:
            return ""
        least, most = (">", "<") if self.strict else ("at least", "at most")
        low, high = (format_number(bound, self.unit) for bound in (self.low, self.high))
        if math.isinf(self.high):
            return f"{least} {low}"
        if math.isinf(self.low):
            return f"{most} {high}"
        return low if low == high else f"{low.removesuffix(self.unit).strip()} to {high}"


@dataclass(frozen=True)
class Fact:
    """A stylised fact of one run."""

    id: str  # identifier, such as "H-P1"
    statement: str  # what the simulation should show
    values: tuple[Value, ...]  # numbers by which it is judged; all of them must be tolerated
    source: str  # source of the fact

    @property
    def passes(self) -> bool | None:
        """Whether every number that could be measured is tolerated; None if there is none."""
        judged = [value.passes for value in self.values if value.passes is not None]
        return all(judged) if judged else None


@cache
def read_facts() -> Mapping[str, Mapping[str, Any]]:
    """Read the statement, source and tolerances of each fact from `facts.toml`."""
    return tomllib.loads(Path(__file__).with_name("facts.toml").read_text(encoding="utf-8"))


def make_fact(name: str, numbers: Mapping[str, float], **bounds: Mapping[str, float]) -> Fact:
    """Return a fact of `facts.toml` with its measured numbers.

    `bounds` are those of tolerances that depend on the run, each by the name of its number.
    """
    declared = read_facts()[name]
    values = []
    for what, value in numbers.items():
        tolerance: dict[str, Any] = dict(declared["numbers"][what])
        tolerance |= {bound: of[what] for bound, of in bounds.items() if what in of}
        low, high = tolerance.get("low", -math.inf), tolerance.get("high", math.inf)
        above, below = tolerance.get("above", low), tolerance.get("below", high)
        strict = not tolerance.keys().isdisjoint({"above", "below"})
        values.append(Value(what, float(value), above, below, tolerance.get("unit", ""), strict))
    return Fact(declared.get("id", name), declared["statement"], tuple(values), declared["source"])


def format_number(number: float, unit: str) -> str:
    """Format a number with its unit; shares in percent."""
    if unit in {"%", "pp"}:
        return f"{100 * number:.1f} {unit}"
    digits = ",.0f" if abs(number) >= LARGE else ".3g"
    return f"{number:{digits}} {unit}".rstrip()


type Compute = Callable[[Arms], Fact | Sequence[Fact]]
"""Computes one or more facts from one run of each arm, all of the same seed."""


def compute(fact: Compute, arms: Arms) -> Sequence[Fact]:
    """Return the facts that a function computes, as a sequence if it is only one."""
    computed = fact(arms)
    return [computed] if isinstance(computed, Fact) else computed


def judge_arms(
    arms: Mapping[str, Sequence[Run]], facts: Sequence[Compute], required: Sequence[str] = ()
) -> pd.DataFrame:
    """Judge facts of arms over many seeds, as `judge_facts`; arguments as for `runs_by_seed`."""
    by_seed = runs_by_seed(arms, required)
    return judge_facts([[one for fact in facts for one in compute(fact, own)] for own in by_seed])


def judge_facts(per_seed: Sequence[Sequence[Fact]]) -> pd.DataFrame:
    """Judge facts over many seeds.

    A number passes if its mean over seeds is tolerated, since a single seed of a thousand agents
    may miss by chance. Returns a row per number: fact, statement, what, basis (see `basis.py`),
    unit, tolerance, mean, low, high (95 % interval over seeds), seeds, held (share of the seeds
    whose own number is tolerated), holds (whether the mean is tolerated; None where no seed has the
    number or there is no tolerance) and surely (whether the whole interval is tolerated). Raises
    ParameterError if there is no run. `per_seed` has the same facts for each seed, in the same
    order.
    """
    if not per_seed:
        raise ParameterError("facts are judged over at least one run; none is given")
    rows: list[dict[str, object]] = []
    for same in zip(*per_seed, strict=True):
        by_number = zip(*(fact.values for fact in same), strict=True)  # noqa: PD011 - no DataFrame
        rows += judged_rows(same[0].id, same[0].statement, by_number)
    return pd.DataFrame(rows)


def judged_rows(
    fact: str, statement: str, numbers: Iterable[Sequence[Value]]
) -> list[dict[str, object]]:
    """Return the rows of a fact in the table of `judge_facts`, given its numbers by seed."""
    return [
        {
            "fact": fact,
            "statement": statement,
            "basis": basis_of(fact, values[0].what),
            **_judge_number(values),
        }
        for values in numbers
    ]


def _judge_number(values: Sequence[Value]) -> dict[str, object]:
    first = values[0]
    mean = interval([value.value for value in values])
    single = [value.passes for value in values if value.passes is not None]
    # A single seed has no interval, so nothing is sure.
    bounds = np.array([mean.low, mean.high])
    surely = not np.isnan(bounds).any() and all(first.tolerates(float(b)) for b in bounds)
    return {
        "what": first.what,
        "unit": first.unit,
        "tolerance": first.tolerance,
        **mean._asdict(),
        "held": float(np.mean(single)) if single else np.nan,
        "holds": first.tolerates(mean.mean) if single else None,
        "surely": surely if single else None,
    }
