"""What agents of a population know about themselves: names, types and start values."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from memopolis.sim.errors import SchemaError
from memopolis.sim.memory.status.distributions import Distribution

Kind = Literal["float", "int", "bool", "text", "list", "set", "dict", "any"]

TEMPLATE = "My {name} is {value}"
"""Text that a search of the status sees, unless said otherwise."""

# Numbers are kept small on purpose: an agent's whole status is some hundred bytes.
_DTYPES: dict[str, str] = {"float": "f4", "int": "i4", "bool": "?", "text": "i4"}

_KINDS: tuple[tuple[Kind, tuple[type, ...]], ...] = (
    ("bool", (bool, np.bool_)),  # before int, which a bool also is
    ("int", (int, np.integer)),
    ("float", (float, np.floating)),
    ("text", (str,)),
    ("list", (list,)),
    ("set", (set,)),
    ("dict", (dict,)),
)


def kind_of(value: Any) -> Kind:
    """Name the kind of a value: the type that a column of its first value gets."""
    return next((kind for kind, types in _KINDS if isinstance(value, types)), "any")


def empty_of(kind: Kind) -> Any:
    """Default of a column that is declared during a run."""
    empty: dict[Kind, Any] = {
        "float": 0.0,
        "int": 0,
        "bool": False,
        "text": "",
        "list": [],
        "set": set(),
        "dict": {},
    }
    return empty.get(kind)


def dtype_of(kind: Kind, value: Any) -> str:
    """NumPy type of a column of a kind whose first value is given."""
    if kind == "int" and not np.iinfo(np.int32).min <= value <= np.iinfo(np.int32).max:
        return "i8"
    return _DTYPES.get(kind, "O")


@dataclass(frozen=True)
class Attribute:
    """One declared attribute.

    Attributes:
        name: Its key; a dot joins a struct and its field ("emotion.fear").
        kind: Type of the values; list, set, dict and any are kept as JSON.
        default: Value of a new agent, where it is not drawn.
        description: What it means.
        unit: Unit of the values, "" if none.
        low: Least sensible value, for settings, tables and prompts.
        high: Greatest sensible value.
        dtype: NumPy type of the column.
        record: Written to the tables of a run.
        labels: Names of the values where they are numbers of something; tables show these.
        embed: Found by `Status.search`.
        template: Text that `search` sees; takes {name} and {value}.
        distribution: What the values of new agents are drawn from; None for the default.
    """

    name: str
    kind: Kind
    default: Any
    description: str = ""
    unit: str = ""
    low: float | None = None
    high: float | None = None
    dtype: str = "O"
    record: bool = False
    labels: tuple[str, ...] = ()
    embed: bool = False
    template: str = TEMPLATE
    distribution: Distribution[Any] | None = None

    @property
    def is_json(self) -> bool:
        """Whether values are kept as JSON text."""
        return self.kind not in _DTYPES


@dataclass
class Schema:
    """The declared attributes of a population, in order of declaration.

    Attributes:
        attributes: By name.
        closed: Whether an undeclared key is refused instead of added.
        owner: Whose attributes they are; part of the purpose of what is drawn for them, so
            that two populations do not share the luck of attributes of one name.
    """

    attributes: dict[str, Attribute] = field(default_factory=dict)
    closed: bool = False
    owner: str = ""

    def declare(self, name: str, default: Any, dtype: str | None = None, **facts: Any) -> None:
        """Declare an attribute; a dict with keys becomes a struct of columns.

        Args:
            name: Its key.
            default: Value of a new agent, or the distribution it is drawn from.
            dtype: NumPy type where another than f4, i4, bool is needed.
            facts: Further fields of `Attribute`.

        Raises:
            SchemaError: If the name is taken by another type, or by a struct.
        """
        check_name(name)
        if isinstance(default, dict) and default:
            for key, value in default.items():
                self.declare(f"{name}.{key}", value, dtype, **facts)
            return
        drawn = default if isinstance(default, Distribution) else None
        value = default if drawn is None else drawn.default
        kind = kind_of(value)
        known = self.attributes.get(name)
        if known is not None and known.kind != kind:
            raise SchemaError(f"attribute {name!r} is declared as {known.kind}, now as {kind}")
        self._check_struct(name)
        self.attributes[name] = Attribute(
            name, kind, value, dtype=dtype or dtype_of(kind, value), distribution=drawn, **facts
        )

    def withdraw(self, name: str) -> None:
        """Forget an attribute, or a struct with all its columns, to be declared anew."""
        for known in [n for n in self.attributes if n == name or n.startswith(f"{name}.")]:
            del self.attributes[known]

    def _check_struct(self, name: str) -> None:
        """Refuse a name that is an attribute and a struct at once."""
        for other in self.attributes:
            inner, outer = sorted((name, other), key=len, reverse=True)
            if inner.startswith(f"{outer}."):
                raise SchemaError(
                    f"{outer!r} cannot be an attribute and a struct with the field {inner!r}"
                )

    def copy(self) -> "Schema":
        """A schema that can grow without changing this one."""
        return replace(self, attributes=dict(self.attributes))


def check_name(name: Any) -> None:
    """Refuse what is no key of a status.

    Raises:
        SchemaError: If it is no str, or a part of it between dots is empty.
    """
    if not isinstance(name, str) or not all(name.split(".")):
        raise SchemaError(f"an attribute has a name, such as 'age' or 'mood.joy', given {name!r}")
