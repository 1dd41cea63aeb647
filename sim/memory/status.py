"""Status: what an agent knows about itself, as typed columns.

A schema declares the attributes of all agents of a population; `Columns` keeps one array an
attribute; `Status` is the view of one agent or of many, with the same verbs. Reading always
gives the reader's own copy.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError, SchemaError, UnknownNameError

Kind = Literal["float", "int", "bool", "text", "list", "set", "dict", "any"]
Mode = Literal["replace", "merge"]
Rows = int | slice | NDArray[np.intp]

# Numbers are kept small on purpose: an agent's whole status is some hundred bytes.
_DTYPES: dict[str, str] = {"float": "f4", "int": "i4", "bool": "?", "text": "i4"}
_MISSING: Any = object()


@dataclass(frozen=True)
class Attribute:
    """One declared attribute.

    Attributes:
        name: Its key; a dot joins a struct and its field ("emotion.fear").
        kind: Type of the values; list, set, dict and any are kept as JSON.
        default: Value of a new agent.
        description: What it means.
        unit: Unit of the values, "" if none.
        low: Least sensible value, for settings, tables and prompts.
        high: Greatest sensible value.
        dtype: NumPy type of the column.
        record: Written to the tables of a run.
        labels: Names of the values where they are numbers of something; tables show these.
        embed: Found by `Status.search`.
        template: Text that `search` sees; takes {name} and {value}.
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
    template: str = "My {name} is {value}"

    @property
    def is_json(self) -> bool:
        """Whether values are kept as JSON text."""
        return self.kind not in _DTYPES


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


@dataclass
class Schema:
    """The declared attributes of a population, in order of declaration.

    Attributes:
        attributes: By name.
        closed: Whether an undeclared key is refused instead of added.
    """

    attributes: dict[str, Attribute] = field(default_factory=dict)
    closed: bool = False

    def declare(self, name: str, default: Any, dtype: str | None = None, **facts: Any) -> None:
        """Declare an attribute; a dict with keys becomes a struct of columns.

        Raises:
            SchemaError: If the name is taken by another type.
        """
        if isinstance(default, dict) and default:
            for key, value in default.items():
                self.declare(f"{name}.{key}", value, dtype, **facts)
            return
        kind = kind_of(default)
        known = self.attributes.get(name)
        if known is not None and known.kind != kind:
            raise SchemaError(f"attribute {name!r} is declared as {known.kind}, now as {kind}")
        self.attributes[name] = Attribute(
            name, kind, default, dtype=dtype or _DTYPES.get(kind, "O"), **facts
        )

    def copy(self) -> "Schema":
        """A schema that can grow without changing this one."""
        return replace(self, attributes=dict(self.attributes))


class Columns:
    """One typed array an attribute for all agents of a population.

    Args:
        agents: Number of agents.
        schema: Declared attributes; None for an empty, open schema.
    """

    def __init__(self, agents: int, schema: Schema | None = None) -> None:
        self.schema = schema.copy() if schema is not None else Schema()
        self.agents = agents
        self.arrays: dict[str, NDArray[Any]] = {}
        self._labels: list[str] = []
        self._label_numbers: dict[str, int] = {}
        for attribute in self.schema.attributes.values():
            self._make(attribute)

    def _make(self, attribute: Attribute) -> None:
        values = np.empty(self.agents, attribute.dtype)
        values[:] = self.encode(attribute, attribute.default)
        self.arrays[attribute.name] = values

    def declare(self, name: str, default: Any, dtype: str | None = None, **facts: Any) -> None:
        """Add an attribute for all agents."""
        self.schema.declare(name, default, dtype, **facts)
        for attribute in self.schema.attributes.values():
            if attribute.name not in self.arrays:
                self._make(attribute)

    def grow(self, agents: int) -> None:
        """Make room for more agents, who start with the defaults."""
        for name, values in self.arrays.items():
            attribute = self.schema.attributes[name]
            wider = np.empty(agents, values.dtype)
            wider[: self.agents] = values
            wider[self.agents :] = self.encode(attribute, attribute.default)
            self.arrays[name] = wider
        self.agents = agents

    def label(self, text: str) -> int:
        """Number of a text of the status, new if not seen before."""
        number = self._label_numbers.get(text)
        if number is None:
            number = self._label_numbers[text] = len(self._labels)
            self._labels.append(text)
        return number

    def label_of(self, number: int) -> str:
        """Text of a number that `label` gave."""
        return self._labels[number]

    @property
    def texts(self) -> list[str]:
        """All texts of the status by number."""
        return list(self._labels)

    @property
    def labels(self) -> NDArray[np.object_]:
        """All texts by number, shape (labels,)."""
        return np.array(self._labels, dtype=object)

    def encode(self, attribute: Attribute, value: Any) -> Any:
        """Turn a value, or an array of values, into what the column holds.

        Raises:
            SchemaError: If the value does not fit the declared type.
        """
        if attribute.kind == "text":
            return self._encode_text(value)
        if attribute.is_json:
            many = isinstance(value, np.ndarray)
            return np.array([to_json(v) for v in value], object) if many else to_json(value)
        given = np.asarray(value)
        fits = given.dtype.kind in ("biuf" if attribute.kind == "float" else "biu")
        if attribute.kind == "int" and given.dtype.kind == "f":
            fits = bool((given == np.trunc(given)).all())
        if not fits:
            raise SchemaError(f"{attribute.name!r} holds {attribute.kind}, not {value!r}")
        # A plain number stays one: numpy then refuses what the column cannot hold.
        return given if given.ndim else value

    def _encode_text(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.label(value)
        values = np.asarray(value)
        if values.ndim and values.dtype.kind in "iu":
            return values  # numbers of labels
        if values.dtype.kind not in "UO" or not all(isinstance(v, str) for v in values.flat):
            raise SchemaError(f"this attribute holds text, not {value!r}")
        # Each distinct text once: a column of a hundred thousand has few.
        texts, back = np.unique(values.astype(str), return_inverse=True)
        return np.array([self.label(str(text)) for text in texts], np.int32)[back]

    def has(self, name: str) -> bool:
        """Whether there is an attribute, or a struct with fields, of that name."""
        return name in self.arrays or any(key.startswith(f"{name}.") for key in self.arrays)

    def read(self, name: str, rows: Rows) -> Any:
        """Copy of the values at some rows: an array, or one plain value for one row.

        Raises:
            UnknownNameError: If there is no such attribute.
        """
        values = self.arrays.get(name)
        if values is None:
            return self._read_struct(name, rows)
        attribute = self.schema.attributes[name]
        if isinstance(rows, int):
            value = values.item(rows)
            if attribute.kind == "text":
                return self._labels[value]
            return from_json(value) if attribute.is_json else value
        part = values[rows]
        if attribute.kind == "text":
            return self.labels[part]
        if attribute.is_json:
            return np.array([from_json(v) for v in part] + [None], dtype=object)[:-1]
        # An index array has copied already, a slice has not.
        return part.copy() if isinstance(rows, slice) else part

    def _read_struct(self, name: str, rows: Rows) -> dict[str, Any]:
        prefix = f"{name}."
        fields = [key for key in self.arrays if key.startswith(prefix)]
        if not fields:
            raise UnknownNameError(
                f"no attribute {name!r}; there are: {', '.join(sorted(self.arrays)) or 'none'}"
            )
        return {key.removeprefix(prefix): self.read(key, rows) for key in fields}

    def write(self, name: str, rows: Rows, value: Any) -> None:
        """Set values at some rows; an undeclared key is added unless the schema is closed."""
        values = self.arrays.get(name)
        if values is None:
            self._write_new(name, rows, value)
            return
        values[rows] = self.encode(self.schema.attributes[name], value)

    def _write_new(self, name: str, rows: Rows, value: Any) -> None:
        if isinstance(value, Mapping) and any(k.startswith(f"{name}.") for k in self.arrays):
            for key, item in value.items():
                self.write(f"{name}.{key}", rows, item)
            return
        if self.schema.closed:
            raise UnknownNameError(f"no attribute {name!r} and the schema is closed")
        first = value.flat[0] if isinstance(value, np.ndarray) and value.size else value
        self.declare(name, empty_of(kind_of(first)))
        self.write(name, rows, value)

    def codes(self, name: str, rows: Rows = slice(None)) -> NDArray[Any]:
        """The column as it is kept: for a text attribute the numbers of its labels."""
        return self.arrays[name][rows].copy()

    @property
    def nbytes(self) -> int:
        """Bytes of all columns, without labels."""
        return sum(values.nbytes for values in self.arrays.values())

    def state(self) -> dict[str, Any]:
        """All columns and labels, as arrays and plain lists."""
        return {"arrays": dict(self.arrays), "labels": list(self._labels)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take the state that `state` gave of columns with the same schema."""
        self._labels = list(state["labels"])
        self._label_numbers = {text: i for i, text in enumerate(self._labels)}
        for name, values in state["arrays"].items():
            self.arrays[name] = np.array(values)


class Status:
    """The status of one agent (`rows` is a number) or of many: the same verbs."""

    def __init__(self, columns: Columns, rows: Rows) -> None:
        self._columns = columns
        self._rows = rows

    def __getitem__(self, key: str) -> Any:
        """Own copy of a value (one agent) or an array (many); of a struct, a dict of them."""
        return self._columns.read(key, self._rows)

    def __setitem__(self, key: str, value: Any) -> None:
        """Replace a value."""
        self._columns.write(key, self._rows, value)

    def __contains__(self, key: object) -> bool:
        return self._columns.has(str(key))

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns.arrays)

    def get(self, key: str, default: Any = _MISSING) -> Any:
        """Value of a key.

        Raises:
            UnknownNameError: If the key is unknown and there is no default.
        """
        try:
            return self[key]
        except UnknownNameError:
            if default is _MISSING:
                raise
            return default

    def update(
        self, key: str | Mapping[str, Any], value: Any = None, mode: Mode = "replace"
    ) -> None:
        """Change one value, or several given as a mapping.

        Args:
            key: A key, or a mapping of keys to values.
            value: New value where `key` is a key.
            mode: "replace", or "merge": a set's union, a dict's update, a list's extension.

        Raises:
            ParameterError: For another mode.
            SchemaError: For a merge on a number or text.
        """
        if mode not in ("replace", "merge"):
            raise ParameterError(f"mode is {mode!r}; allowed are 'replace' and 'merge'")
        if not isinstance(key, str):
            for name, item in key.items():
                self.update(name, item, mode)
        elif mode == "replace":
            self[key] = value
        else:
            self._merge(key, value)

    def _merge(self, key: str, value: Any) -> None:
        if key not in self:
            self[key] = value
            return
        if key not in self._columns.arrays:
            self[key] = value  # a struct: the fields given
            return
        if not self._columns.schema.attributes[key].is_json:
            raise SchemaError(f"{key!r} is a number or text: merge needs a list, set or dict")
        old = self[key]
        if isinstance(self._rows, int):
            self[key] = merged(old, value)
        else:
            both = np.empty(len(old), dtype=object)
            both[:] = [merged(item, value) for item in old]
            self[key] = both

    def codes(self, key: str) -> NDArray[Any]:
        """Numbers of a text attribute's labels, for quick comparisons; see `Columns.label`."""
        return self._columns.codes(key, self._rows)


def merged(old: Any, new: Any) -> Any:
    """Merge two values: union of sets, update of dicts, extension of lists."""
    match old:
        case set():
            return old | set(new)
        case dict():
            return {**old, **new}
        case list():
            return [*old, *new]
        case _:
            return new


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


def to_json(value: Any) -> str:
    """Text that an open dict, list, set or any other plain value is kept as."""
    if isinstance(value, set):
        return json.dumps({"__set__": sorted(value)})
    return json.dumps(value)


def from_json(text: str) -> Any:
    """The value that `to_json` kept."""
    value = json.loads(text)
    if isinstance(value, dict) and value.keys() == {"__set__"}:
        return set(value["__set__"])
    return value
