"""Facts: numbers that a simulation should show, each with its tolerance."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Value:
    """One number and where it should lie.

    Attributes:
        what: What it is.
        value: As measured; NaN where the run has nothing to measure, such as no order.
        low: Least that is tolerated.
        high: Most that is tolerated.
        unit: "%" for a share, "pp" for a difference of shares, or a unit.
        strict: Whether the bounds themselves are out.
    """

    what: str
    value: float
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    strict: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether it lies within; None where there is nothing to measure or any number will do."""
        return self.tolerates(self.value) if self.judges and not math.isnan(self.value) else None

    @property
    def judges(self) -> bool:
        """Whether there is a tolerance; a number without one is listed for information."""
        return not (math.isinf(self.low) and math.isinf(self.high))

    def tolerates(self, value: float) -> bool:
        """Whether a number lies within the tolerance."""
        if self.strict:
            return self.low < value < self.high
        return self.low <= value <= self.high

    @property
    def shown(self) -> str:
        """The number with its unit."""
        return "-" if math.isnan(self.value) else written(self.value, self.unit)

    @property
    def tolerance(self) -> str:
        """The tolerance in words."""
        least, most = (">", "<") if self.strict else ("at least", "at most")
        if not self.judges:
            return ""
        if math.isinf(self.high):
            return f"{least} {written(self.low, self.unit)}"
        if math.isinf(self.low):
            return f"{most} {written(self.high, self.unit)}"
        least, most = (written(bound, self.unit) for bound in (self.low, self.high))
        return least if least == most else f"{least} to {most}"


@dataclass(frozen=True)
class Fact:
    """A stylised fact of one run.

    Attributes:
        id: Such as "H-P1".
        statement: What the simulation should show.
        values: The numbers that it is judged by; all of them must lie within.
        source: Where the fact is from.
    """

    id: str
    statement: str
    values: tuple[Value, ...]
    source: str

    @property
    def holds(self) -> bool | None:
        """Whether every number that can be measured lies within; None if none can."""
        judged = [value.holds for value in self.values if value.holds is not None]
        return all(judged) if judged else None


def written(number: float, unit: str) -> str:
    """Write a number with its unit; shares in percent."""
    if unit in {"%", "pp"}:
        return f"{100 * number:.1f} {unit}"
    return f"{number:.3g} {unit}".rstrip()
