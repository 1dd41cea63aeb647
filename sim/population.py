"""Agents, cohorts of agents, and populations.

An agent is a row of its population: its status is in typed columns, its memories in shared pages.
`Agent` is the Mesa agent, `Cohort` is a subset of a population; both have the same methods.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import mesa
import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import check_type, whole_number
from memopolis.sim.arrays import Array
from memopolis.sim.distributions import Distribution
from memopolis.sim.errors import MemopolisError, ParameterError, StateError, UnknownNameError
from memopolis.sim.memory.status.columns import Cell, Columns, is_number
from memopolis.sim.memory.status.encoding import LARGEST_FLOAT
from memopolis.sim.memory.status.schema import TEMPLATE, Attribute, Role, Schema
from memopolis.sim.memory.views.agent_stream import AgentStream
from memopolis.sim.memory.views.base_stream import CohortStream
from memopolis.sim.memory.views.memories import check_rows
from memopolis.sim.memory.views.status import AgentStatus, CohortStatus
from memopolis.sim.threads import is_part
from memopolis.sim.world.ties import Ties

if TYPE_CHECKING:
    from memopolis.sim.chance import Chance
    from memopolis.sim.clock import Clock
    from memopolis.sim.memory.memory import AgentMemory, CohortMemory, Memory
    from memopolis.sim.memory.text.texts import Texts
    from memopolis.sim.timeline import Shock
    from memopolis.sim.world.place import Place

# Attributes of the object itself; all others belong in columns.
_OWN = frozenset({"model", "unique_id", "pos", "current_action", "population", "row"})


PROFILE = (
    "name",
    "gender",
    "age",
    "race",
    "religion",
    "marriage_status",
    "occupation",
    "education",
    "personality",
    "consumption",
    "family_consumption",
    "income",
    "skill",
    "home",
)
"""Attributes of the profile of a person, as far as the class has them.

Source:
    The profile in the prompts of AgentSociety 1.5.7; `home` is the residence.
"""


class Host(Protocol):
    """The part of a society that its agents use."""

    chance: "Chance"
    clock: "Clock"
    texts: "Texts"
    place: "Place | None"
    populations: "list[Population]"
    lists_agents: bool
    doing: object
    division: Any

    @property
    def closed(self) -> bool:
        """Whether no agent can join."""

    def reserve_ids(self, count: int) -> NDArray[np.int64]:
        """Return the unique_id of each of `count` new agents."""

    def list_agents(self, agents: "Iterable[Agent]") -> None:
        """Add agents to Mesa's lists."""


class Behaviour(Protocol):
    """The part of a `Block` that its population uses."""

    @property
    def name(self) -> str:
        """Name in tables and draws."""

    @property
    def writes(self) -> Sequence[str]:
        """Status attributes that the behaviour writes."""

    @property
    def topics(self) -> Sequence[str]:
        """Topics of memories that the behaviour reads."""

    @property
    def reacts_to(self) -> "Sequence[type[Shock]]":
        """Kinds of shocks that the behaviour reacts to."""

    @property
    def state(self) -> Sequence[str]:
        """Names of arrays that the behaviour keeps between steps."""

    def bind(self, population: "Population") -> None:
        """Attach to a population."""

    def run(self, cohort: "Cohort") -> None:
        """Apply the behaviour to a cohort."""


@dataclass(frozen=True)
class _Attribute:
    """Declaration of a status attribute; the class of agents has a property instead."""

    default: Any
    dtype: str | None
    facts: dict[str, Any]


def _property(name: str, schema: Schema) -> property:
    """Return the property that reads an attribute; `Agent.__setattr__` writes it.

    Python inlines the function of a plain property, but not that of another descriptor.
    """

    def read_number(agent: "Agent") -> Any:
        return agent._views[name][agent.row]

    def read(agent: "Agent") -> Any:
        return agent._columns.read(name, agent.row)

    declared = schema.attributes.get(name)  # None for a struct, whose fields have attributes
    number = declared is not None and is_number(declared)
    return property(read_number if number else read)


def attribute[T](
    default: T | Distribution[Any],
    description: str = "",
    *,
    unit: str = "",
    role: Role = "",
    low: float | None = None,
    high: float | None = None,
    dtype: str | None = None,
    record: bool = False,
    labels: tuple[str, ...] = (),
    embed: bool = False,
    template: str = TEMPLATE,
) -> T:
    """Declare a status attribute on an agent class.

    Args:
        default: Value of a new agent, or a distribution from which it is drawn, as in
            `attribute(Choice(["old", "new"], p=[0.3, 0.7]))`. Its type is the type of the column.
            A dict with keys is a struct, with a column for each key. An empty dict, a list, a set
            or None is a column of plain values stored as JSON.
        description: Meaning of the attribute.
        unit: Unit of the values.
        role: Kind of things that the values refer to, so that readers can show them.
        low: Smallest plausible value.
        high: Largest plausible value.
        dtype: NumPy type, if other than f8, i4 or bool.
        record: Whether it is recorded in the tables of a run.
        labels: Names of values that are indices; tables contain the names.
        embed: Whether `status.search` finds it.
        template: Text that `status.search` compares.
    """
    facts = {
        "description": description,
        "unit": unit,
        "role": role,
        "low": low,
        "high": high,
        "record": record,
        "labels": labels,
        "embed": embed,
        "template": template,
    }
    return cast("T", _Attribute(default, dtype, facts))


class Agent(mesa.Agent):  # type: ignore[type-arg]
    """One agent: a population and a row, from which everything else is read."""

    schema: ClassVar[Schema] = Schema()
    portrait: ClassVar[tuple[str, ...]] = PROFILE
    """Attributes that prompts to a model contain, as far as the class has them."""
    _columns: Columns
    _views: dict[str, Any]
    _cells: dict[str, Cell]
    _declared: ClassVar[frozenset[str]] = frozenset()
    _in_zones: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(
        cls,
        *,
        unrecorded: Sequence[str] = (),
        in_zones: Sequence[str] = (),
        table: Mapping[str, Mapping[str, Any]] | None = None,
        labels: Mapping[str, tuple[str, ...]] | None = None,
        float_dtype: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Declare the attributes of the class.

        Inherited attributes that are `unrecorded` never change in this class. Attributes
        `in_zones`, such as the home, are recorded only in a society with zones. `table` declares
        further attributes: the arguments of `attribute`, by name, and `labels` the names of
        values that are indices. Floats that this class declares have the type `float_dtype`, by
        default f8; with "f4", they take half the memory and keep seven digits.
        """
        super().__init_subclass__(**kwargs)  # type: ignore[no-untyped-call]
        cls.schema = cls.schema.copy()
        cls.schema.record(unrecorded, recorded=False)
        cls.schema.owner = snake_case(cls.__name__)
        for name, row in (table or {}).items():
            setattr(cls, name, attribute(**row, labels=(labels or {}).get(name, ())))
        own = {n: item for n, item in vars(cls).items() if isinstance(item, _Attribute)}
        cls._declared = cls._declared.union(own)
        for name, declared in own.items():
            cls.schema.withdraw(name)
            cls.schema.declare(
                name, declared.default, declared.dtype, float_dtype=float_dtype, **declared.facts
            )
            setattr(cls, name, _property(name, cls.schema))
        cls._in_zones = frozenset(in_zones)
        cls.schema.record(cls._in_zones, recorded=False)

    @classmethod
    def schema_of(cls, *, zones: bool) -> Schema:
        """Return the attributes in a society with or without zones."""
        if not zones or not cls._in_zones:
            return cls.schema
        schema = cls.schema.copy()
        schema.record(cls._in_zones, recorded=True)
        return schema

    def __init__(self, model: Host, population: "Population", row: int) -> None:
        object.__setattr__(self, "population", population)
        object.__setattr__(self, "row", row)
        self._attach(population.memory._columns)
        super().__init__(cast("mesa.Model[Any, Any]", model))

    def _attach(self, columns: Columns) -> None:
        object.__setattr__(self, "_columns", columns)
        # Found without a detour, since every access to an attribute reads one of them.
        object.__setattr__(self, "_views", columns.views)
        object.__setattr__(self, "_cells", columns.cells)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs: views refer to the columns of the original."""
        own = cast("dict[str, Any]", super().__getstate__())
        return {name: value for name, value in own.items() if name not in ("_views", "_cells")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy."""
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self._attach(state["_columns"])

    unique_id: int  # type: ignore[assignment] # Mesa starts with None
    population: "Population"
    row: int

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            # As `Columns.write`, without a further call.
            view, kind = self._cells[name]
            if kind is None or (
                type(value) is kind and (kind is bool or -LARGEST_FLOAT <= value <= LARGEST_FLOAT)
            ):
                view[self.row] = value
                return
        except (KeyError, TypeError, ValueError):
            pass  # no column of numbers, or no fitting integer, which `Columns.write` explains
        if name in self._declared:
            self._columns.write(name, self.row, value)
        elif name in _OWN:
            object.__setattr__(self, name, value)
        else:
            raise StateError(
                f"{type(self).__name__} has no attribute {name!r}, and one set here would not be "
                f"saved with the run; declare it on the class: {name} = attribute(...)"
            )

    def __getitem__(self, name: str) -> Any:
        """Return a value by name, as for the field of a struct: `agent["emotion.fear"]`."""
        return self._columns.read(name, self.row)

    def __setitem__(self, name: str, value: Any) -> None:
        """Set a value by name; one that is not declared is then an attribute of this agent."""
        AgentStatus(self.population.memory, self.row)[name] = value

    @property
    def memory(self) -> "AgentMemory":
        """Status and stream of this agent."""
        return self.population.memory[self.row]

    @property
    def stream(self) -> AgentStream:
        """Episodic memories of this agent."""
        return AgentStream(self.population.memory, self.row)

    def ties(self, kind: str) -> "list[Agent]":
        """Return the contacts of this agent, in the order of rows."""
        return self.population.objects(self.population.ties[kind].of(self.row))

    def remove(self) -> None:
        """Remove the agent from the society; its row is never used again."""
        self._columns.write("alive", self.row, value=False)
        super().remove()


class Cohort:
    """A subset of the agents of a population, read and changed together.

    Attributes:
        population: Population of the agents.
        rows: Rows of the agents, ascending, shape (agents,).
        index: The rows, as a slice if they are consecutive, which is much faster to read.

    Raises:
        ParameterError: If there is no agent in one of the rows.
    """

    __slots__ = ("index", "population", "rows")

    def __init__(
        self, population: "Population", rows: NDArray[np.intp], *, is_checked: bool = False
    ) -> None:
        if not is_checked:  # rows of another cohort exist
            rows = check_rows(rows, len(population))
        self.population = population
        self.rows = rows
        consecutive = len(rows) > 0 and rows[-1] - rows[0] == len(rows) - 1 and ascending(rows)
        self.index: slice | NDArray[np.intp] = (
            slice(int(rows[0]), int(rows[-1]) + 1) if consecutive else rows
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> "Iterator[Agent]":
        return iter(self.population.objects(self.rows))

    @property
    def ids(self) -> NDArray[np.int64]:
        """unique_id of each agent, shape (agents,)."""
        return self.population.ids[self.rows]

    def __getitem__(self, name: str) -> Array:
        """Return a copy of the values of an attribute, shape (agents,); of a struct, a dict.

        Agents without the attribute have NaN among numbers, and None among other values. Raises
        UnknownNameError if no agent of the population has it.
        """
        values: Array = self.population.memory._columns.read(name, self.index)
        return values

    def __setitem__(self, name: str, values: ArrayLike) -> None:
        """Set an attribute to one value, or to an array of shape (agents,).

        Raises SchemaError for values of another type, ParameterError for another shape.
        """
        memory = self.population.memory
        try:
            memory._columns.write(name, self.index, values)
        except MemopolisError:  # raised again, with the ids of the agents
            CohortStatus(memory, self.index)[name] = values

    def codes(self, name: str) -> Array:
        """Return a copy of the numbers of the labels of a text attribute, shape (agents,)."""
        return CohortStatus(self.population.memory, self.index).codes(name)

    @property
    def memory(self) -> "CohortMemory":
        """Status and streams of the cohort."""
        return self.population.memory.of(self.rows)

    @property
    def stream(self) -> CohortStream:
        """Episodic memories of the cohort."""
        memory = self.population.memory
        stream: CohortStream = memory.open_stream(memory, self.rows)
        return stream

    def where(self, mask: NDArray[np.bool_]) -> "Cohort":
        """Return the agents selected by a mask of shape (agents,); others raise ParameterError."""
        mask = np.asarray(mask, np.bool_)
        if mask.shape != (len(self),):
            raise ParameterError(f"mask has shape {mask.shape}; the cohort has {len(self)} agents")
        if np.count_nonzero(mask) == len(mask):  # faster than `all`
            return self
        (at,) = mask.nonzero()  # faster than indexing with the mask
        if isinstance(self.index, slice):
            first = self.index.start
            return Cohort(self.population, at + first if first else at, is_checked=True)
        return Cohort(self.population, self.rows.take(at), is_checked=True)

    def of_age(self, years: float) -> "Cohort":
        """Return the agents that are at least so old; all of them if they have no age."""
        return self.where(self["age"] >= years) if "age" in self.population.attributes else self

    def none(self) -> "Cohort":
        """Return a cohort of the same population without agents."""
        return Cohort(self.population, self.rows[:0], is_checked=True)

    def among(self, rows: NDArray[np.intp]) -> "Cohort":
        """Return the agents of the cohort that are among some rows, given in ascending order."""
        if isinstance(self.index, slice) and len(self) == len(self.population):
            return Cohort(self.population, rows)
        is_among = np.zeros(len(self.population), np.bool_)
        is_among[rows] = True
        return self.where(is_among[self.index])

    def at(self, rows: NDArray[np.intp]) -> "Cohort":
        """Return other agents of the same population by row."""
        return Cohort(self.population, rows)


class Population:
    """All agents of a class: their columns, streams, ties and behaviours.

    Attributes:
        name: Name of the class in lower case with underscores.
        memory: Status and streams of all rows.
        ids: unique_id by row, shape (agents,).
        ties: Networks among them, by kind.
        blocks: Behaviours in the order in which they run.
    """

    def __init__(
        self, society: Host, agent_class: type[Agent], agents: int, memory: "Memory"
    ) -> None:
        self.society = society
        self.agent_class = agent_class
        self.name = snake_case(agent_class.__name__)
        self.memory = memory
        self.ties = Ties(agents)
        self.blocks: list[Behaviour] = []
        if "alive" not in memory.status.attributes:
            memory.status.declare("alive", default=True)
        self.ids = np.zeros(0, np.int64)
        self._objects: list[Any] = []  # an Agent, or None until it is requested
        self._complete = 0  # number of first rows whose agents were requested
        self._register(agents)

    def _register(self, count: int) -> None:
        first = len(self)
        self.ids = np.concatenate([self.ids, self.society.reserve_ids(count)])
        self.memory.unique_ids = self.ids
        self._objects += [None] * count
        self._everyone: Cohort | None = None
        if self.society.lists_agents:
            self.society.list_agents(self.objects(np.arange(first, first + count)))

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, name: str) -> Array:
        """Return the values of an attribute of all agents by row, also of those that have left.

        The array is read-only. Numbers are not copied: the array shows later changes, so copy it to
        keep old values. Raises UnknownNameError if no agent has the attribute.
        """
        return self.memory._columns.column(name)

    def __setitem__(self, name: str, values: ArrayLike) -> None:
        """Set an attribute of all agents to one value, or to an array with a value for each row.

        `population.at(rows)[name] = values` sets it for some rows. Errors as for a cohort.
        """
        self.memory.status[name] = values

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """Declared attributes by name; a struct has one for each field."""
        return self.memory._columns.schema.attributes

    def at(self, rows: NDArray[np.intp]) -> Cohort:
        """Return agents by row."""
        return Cohort(self, rows)

    @property
    def agents(self) -> list[Agent]:
        """The Mesa agents by row, which are created when first requested."""
        if self._complete < len(self):
            self.objects(np.arange(len(self)))
        return self._objects

    def objects(self, rows: NDArray[np.intp]) -> list[Agent]:
        """Return the Mesa agents of ascending rows, which are created when first requested."""
        known, all_rows = self._objects, len(rows) == len(self)
        if self._complete < len(self):
            for row in rows[np.searchsorted(rows, self._complete) :].tolist():
                if known[row] is None:
                    known[row] = self.agent_class(self.society, self, row)
            if all_rows:
                self._complete = len(self)
        return known.copy() if all_rows else [known[row] for row in rows.tolist()]

    def present(self) -> list[Agent]:
        """Return the Mesa agents that have not left."""
        return self.objects(self.cohort().rows)

    @property
    def recorded(self) -> dict[str, Attribute]:
        """Recorded attributes by name."""
        return {name: one for name, one in self.attributes.items() if one.record}

    @property
    def written(self) -> frozenset[str]:
        """Names of the attributes that its blocks declare to write, with fields of structs.

        A block may also write to other populations, or declare nothing.
        """
        columns = self.memory._columns
        names = {name for block in self.blocks for name in block.writes}
        return frozenset(field for name in names for field in columns.fields(name))

    def cohort(self) -> Cohort:
        """Return all agents that have not left."""
        alive = self["alive"]
        everyone = self._everyone
        if everyone is None or len(everyone) != np.count_nonzero(alive):
            everyone = Cohort(self, np.flatnonzero(alive), is_checked=True)
            self._everyone = everyone
        return everyone

    def add(self, count: int = 1, *, status: Mapping[str, Any] | None = None) -> Cohort:
        """Add agents to a society, also while it runs, and return them.

        They have an empty memory, no ties, and the defaults or draws of their attributes. They act
        from the next block on, and are recorded, saved and resumed like all others. Most columns
        are lengthened in place, so adding few agents to many is fast.

        Args:
            count: Number of new agents, >= 1.
            status: Values by attribute, one for all new agents, or an array with one for each.

        Raises:
            ParameterError: If `count` or the length of an array is invalid.
            SchemaError: If a value does not fit its attribute.
            UnknownNameError: If the schema is closed and does not have an attribute.
            StateError: If the society is closed, or a block with `by_row` adds agents, which would
                have other rows with another number of threads or parts.
        """
        count = whole_number("count", count, least=1)
        check_type("status", status, (Mapping, NoneType), "a mapping of names to values, or None,")
        self._check_open()
        columns, first = self.memory._columns, len(self)
        encoded = columns.encode_all(status or {}, count)  # before anything changes
        self.memory.grow(first + count)
        columns.store(encoded, slice(first, first + count))
        self.ties.grow(first + count)
        self._register(count)
        return Cohort(self, np.arange(first, first + count), is_checked=True)

    def _check_open(self) -> None:
        if self.society.closed:
            raise StateError(
                f"no agent can join a {type(self.society).__name__}: its households, accounts and "
                "ties are made together, once; set agents instead"
            )
        # Threads and parts would add agents in another order.
        division = self.society.division
        is_local = is_part() or (division is not None and division.is_local)
        if is_local or getattr(self.society.doing, "by_row", False):
            raise StateError(
                f"a block with by_row cannot add a {self.name}; add it in a block without by_row"
            )

    def restore(self, ids: NDArray[np.int64], alive: NDArray[np.bool_]) -> None:
        """Restore the agents of a saved state: unique_id by row, and which have not left."""
        if len(ids) > len(self):
            self.add(len(ids) - len(self))
        self.ids = self.memory.unique_ids = ids
        for agent in filter(None, self._objects):
            agent.unique_id = int(ids[agent.row])
            if not alive[agent.row]:
                agent.remove()
        self["alive"] = alive
        self._everyone = None

    def find(self, unique_id: int) -> int | None:
        """Return the row of an agent, or None if this population does not contain the id."""
        # Mesa numbers agents upwards, so ids are sorted; ids of populations interleave if agents
        # join several of them.
        row = int(self.ids.searchsorted(unique_id))
        return row if row < len(self.ids) and self.ids[row] == unique_id else None

    def name_of(self, unique_id: int) -> str | None:
        """Return the attribute `name`, or population and id; None if the agent is elsewhere."""
        row = self.find(unique_id)
        if row is None:
            return None
        columns = self.memory._columns
        named = columns.is_present("name", row)
        return str(columns.read("name", row)) if named else f"{self.name} {unique_id}"

    def row_of(self, unique_id: int) -> int:
        """Return the row of an agent; UnknownNameError if this population does not have the id."""
        row = self.find(unique_id)
        if row is None:
            raise UnknownNameError(
                f"no {self.name} has the id {unique_id}; ids run from "
                f"{self.ids[0]} to {self.ids[-1]}"
            )
        return row


def set_status(memory: "Memory", status: Mapping[str, ArrayLike]) -> None:
    """Set attributes of all agents, each with one value per agent."""
    for name, values in status.items():
        if np.shape(values) != (len(memory),):
            raise ParameterError(
                f"status {name!r} has shape {np.shape(values)}; {len(memory)} values are needed"
            )
    for name, values in status.items():
        memory.status[name] = np.asarray(values)


def ascending(rows: NDArray[np.intp]) -> bool:
    """Whether rows rise from first to last, each once."""
    return bool((rows[1:] > rows[:-1]).all())


@cache
def snake_case(name: str) -> str:
    """Name of a population or block from its class: StatisticsBureau -> statistics_bureau."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
