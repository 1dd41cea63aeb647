"""The attributes of a status: names, types and start values."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict, Unpack

import numpy as np

from memopolis.sim.arguments import shown
from memopolis.sim.distributions import Distribution
from memopolis.sim.errors import SchemaError

Kind = Literal["float", "int", "bool", "text", "list", "set", "dict", "any"]

TEMPLATE = "My {name} is {value}"  # default text of an attribute for searches
# A Python float keeps all its digits; numbers of texts and most integers fit into 32 bits.
_DTYPES: dict[str, str] = {"float": "f8", "int": "i4", "bool": "?", "text": "i4"}

_KINDS: tuple[tuple[Kind, tuple[type, ...]], ...] = (
    ("bool", (bool, np.bool_)),  # before int, which a bool also is
    ("int", (int, np.integer)),
    ("float", (float, np.floating)),
    ("text", (str,)),
    ("list", (list,)),
    ("set", (set,)),
    ("dict", (dict,)),
)


def kind_of(value: object) -> Kind:
    """Return the kind of a value, which a new column takes from its first value."""
    return next((kind for kind, types in _KINDS if isinstance(value, types)), "any")


def empty_of(kind: Kind) -> object:
    """Return the default of a column that is declared during a run."""
    return next((types[0]() for name, types in _KINDS if name == kind), None)


def dtype_of(kind: Kind, value: object) -> str:
    """Return the NumPy type of a column of a kind with this first value."""
    if kind == "int" and isinstance(value, int | np.integer):
        small = np.iinfo(np.int32)
        if not small.min <= value <= small.max:
            return "i8"
    return _DTYPES.get(kind, "O")


type Role = Literal[
    "", "zone", "current zone", "tick", "need", "code", "count", "reference", "memory"
]
"""What the values of an attribute refer to, so that readers can show them.

- zone, current zone: number of a zone, shown by its name; the zone where the agent is now
- tick: number of a step, shown as a date
- need: satisfaction of a need, 0 to 1
- code: number that stands for something else, so that means are without meaning
- count: number of things
- reference: row or id within the society, not shown in profiles
- memory: id of a memory of the agent, -1 for none; not shown in profiles, searched by its text
"""

# Roles whose values are numbers within the society, without meaning to readers.
REFERENCES = ("reference", "memory")


@dataclass(frozen=True)
class Attribute:
    """One declared attribute."""

    name: str  # its key; a dot joins a struct and its field ("emotion.fear")
    kind: Kind  # type of the values; list, set, dict and any are stored as JSON
    default: object  # value of a new agent, unless it is drawn
    description: str = ""  # meaning of the attribute
    unit: str = ""  # unit of the values, "" for none
    role: Role = ""  # what the values refer to, so that readers can show them; "" for anything else
    low: float | None = None  # least sensible value, for settings, tables and prompts
    high: float | None = None  # greatest sensible value
    dtype: str = "O"  # NumPy type of the column
    record: bool = False  # whether it is written to the tables of a run
    labels: tuple[str, ...] = ()  # names of the values if these are codes; tables show the names
    embed: bool = False  # whether `Status.search` finds it
    template: str = TEMPLATE  # text for `search`, with {name} and {value}
    # Distribution of the values of new agents; None for the default.
    distribution: Distribution[bool] | Distribution[float] | Distribution[str] | None = None
    optional: bool = False  # whether only agents to which a value was written have the attribute

    @property
    def is_json(self) -> bool:
        """Whether values are stored as JSON text."""
        return self.kind not in _DTYPES


class Facts(TypedDict, total=False):
    """Fields of `Attribute` that a declaration may give."""

    description: str
    unit: str
    role: Role
    low: float | None
    high: float | None
    record: bool
    labels: tuple[str, ...]
    embed: bool
    template: str
    optional: bool


@dataclass
class Schema:
    """The declared attributes of a population, in order of declaration.

    Attributes:
        attributes: By name.
        closed: Whether undeclared keys are refused instead of declared.
        owner: Name of the population; part of the name of random streams, so that attributes
            with the same name in two populations have independent draws.
    """

    attributes: dict[str, Attribute] = field(default_factory=dict)
    closed: bool = False
    owner: str = ""

    def declare(
        self,
        name: str,
        default: object,
        dtype: str | None = None,
        *,
        float_dtype: str | None = None,
        **facts: Unpack[Facts],
    ) -> None:
        """Declare an attribute; a dict with keys becomes a struct of columns.

        Args:
            name: Its key.
            default: Value of a new agent, or its distribution.
            dtype: NumPy type, if not f8, i4 or bool.
            float_dtype: NumPy type if the default is a float and `dtype` is None.
            facts: Further fields of `Attribute`.

        Raises:
            SchemaError: If the name is declared with another type, or as a struct.
        """
        check_name(name)
        if isinstance(default, dict) and default:
            for key, value in default.items():
                self.declare(f"{name}.{key}", value, dtype, float_dtype=float_dtype, **facts)
            return
        drawn = default if isinstance(default, Distribution) else None
        value = default if drawn is None else drawn.default
        kind = kind_of(value)
        known = self.attributes.get(name)
        if known is not None and known.kind != kind:
            raise SchemaError(f"attribute {name!r} is declared as {known.kind}, now as {kind}")
        self._check_struct(name)
        if dtype is None and kind == "float":
            dtype = float_dtype
        if dtype is not None:
            dtype = _plain_dtype(name, kind, dtype)
        self.attributes[name] = Attribute(
            name, kind, value, dtype=dtype or dtype_of(kind, value), distribution=drawn, **facts
        )

    def withdraw(self, name: str) -> None:
        """Remove an attribute, or a struct with all its columns."""
        for known in [n for n in self.attributes if n == name or n.startswith(f"{name}.")]:
            del self.attributes[known]

    def _check_struct(self, name: str) -> None:
        """Check that no name is both an attribute and a struct."""
        for other in self.attributes:
            inner, outer = sorted((name, other), key=len, reverse=True)
            if inner.startswith(f"{outer}."):
                raise SchemaError(
                    f"{outer!r} cannot be an attribute and a struct with the field {inner!r}"
                )

    def record(self, names: Iterable[str], *, recorded: bool) -> None:
        """Set whether some attributes are recorded in the tables of a run."""
        for name in names:
            self.attributes[name] = replace(self.attributes[name], record=recorded)

    def copy(self) -> "Schema":
        """Return an independent copy."""
        return replace(self, attributes=dict(self.attributes))


_TYPES: dict[str, str] = {"float": "f", "int": "iu", "bool": "b", "text": "i"}


def has_type_of_kind(kind: str, dtype: "np.dtype[np.generic]") -> bool:
    """Return whether values of a kind are stored in columns of a type: of 64 bits at most."""
    return dtype.kind in _TYPES.get(kind, "O") and dtype.isnative and dtype.itemsize <= 8


def _plain_dtype(name: str, kind: str, dtype: object) -> str:
    """Return the name of the type of a column; SchemaError if values of the kind do not fit."""
    try:
        column = np.dtype(dtype if isinstance(dtype, str | np.dtype) else "V")
    except (TypeError, ValueError):
        column = np.dtype("V")
    if not has_type_of_kind(kind, column):
        raise SchemaError(f"{name!r} is of type {kind}; dtype {shown(dtype)} cannot store it")
    return column.str.lstrip("<>=|")


def check_name(name: object) -> None:
    """Check that a name is a str without empty parts between dots."""
    if not isinstance(name, str) or not all(name.split(".")):
        raise SchemaError(
            f"an attribute has a name, such as 'age' or 'mood.joy', got {shown(name)}"
        )
