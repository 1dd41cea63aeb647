"""One item of a survey: its wording, its scale, and the attribute that the rule mind reads."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.mind import Form

_FORMS = ("rating", "choice", "text")


@dataclass(frozen=True)
class Item:
    """One question of a survey, as plain data.

    Attributes:
        name: Short name, unique in its survey.
        text: Wording of the question.
        form: A rating in [low, high], a choice among options, or a free text.
        low: Lowest rating.
        high: Highest rating.
        step: Distance between possible ratings, 0 if any number is possible.
        options: Names of the choices, in ascending order if the rule reads a status attribute.
        reads: Status attribute that the rule reads, such as "attitude.gun_control"; "" to answer
            from memories only.
        least: Value of the attribute for the lowest rating or the first option.
        most: Value for the highest rating or the last option; it may be below `least`.
        sign: Without that attribute, whether good memories lead to a high rating (1) or a low
            one (-1).
        reversed: Whether a score counts low + high - rating.
        query: Query by which memories are recalled; "" for the query of the survey.

    Raises:
        ParameterError: If the declaration is inconsistent.
    """

    name: str
    text: str
    form: Form = "rating"
    low: float = 0.0
    high: float = 10.0
    step: float = 1.0
    options: tuple[str, ...] = ()
    reads: str = ""
    least: float = 0.0
    most: float = 10.0
    sign: float = 1.0
    reversed: bool = False
    query: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(self.options))
        if not self.name.strip() or not self.text.strip():
            raise ParameterError("an item of a survey needs a name and a text")
        if self.form not in _FORMS:
            raise ParameterError(
                f"item {self.name!r} has the form {self.form!r}; allowed are {', '.join(_FORMS)}"
            )
        if (self.form == "choice") != (len(set(self.options)) >= _FEWEST_OPTIONS):
            raise ParameterError(
                f"item {self.name!r} is a {self.form} with the options {self.options}; "
                "a choice has at least two different ones, other forms have none"
            )
        if len(set(self.options)) != len(self.options):
            raise ParameterError(f"item {self.name!r} names an option twice: {self.options}")
        self._check_scale()

    def _check_scale(self) -> None:
        if not self.low < self.high or self.step < 0:
            raise ParameterError(
                f"item {self.name!r} is rated from {self.low:g} to {self.high:g} in steps of "
                f"{self.step:g}; low < high and step >= 0 are needed"
            )
        if self.least == self.most:
            raise ParameterError(f"item {self.name!r}: least and most are both {self.least:g}")
        if self.sign not in (-1, 1):
            raise ParameterError(f"item {self.name!r}: sign is {self.sign:g}; 1 or -1 is needed")

    def to_dict(self) -> dict[str, Any]:
        """Return the item as plain values."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**plain, "options": list(self.options)}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Item":
        """Create an item from the result of `to_dict` or the content of a file.

        Raises:
            ParameterError: If a field is missing, unknown or not allowed.
        """
        try:
            return Item(**{**values, "options": tuple(values.get("options", ()))})
        except (TypeError, AttributeError) as error:
            raise ParameterError(f"cannot make an item from {values!r}: {error}") from None


_FEWEST_OPTIONS = 2
