"""Shocks from outside of a society, as data with dates.

A shock is a frozen dataclass of plain values, never a function, so that a timeline can be saved
with a run, restored and compared. A scenario may define its own shocks:

    @dataclass(frozen=True)
    class Closure(Shock):
        zones: tuple[str, ...]
        what: str

`Annotated[str, "What is closed."]` describes a field, for the form of the dashboard.
"""

import inspect
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from operator import itemgetter
from typing import Annotated, ClassVar

import numpy as np

from memopolis.sim.clock import Clock
from memopolis.sim.errors import ParameterError, SchemaError, StateError, UnknownNameError

type Plain = str | int | float | bool | None

_LONGEST = 87_660.0  # most hours in which news can be received: ten years
EVERYONE = "all"  # audience of a News, or zones of an Order, that includes all agents


@dataclass(frozen=True)
class Shock:
    """An event from outside of a society. Subclass it with plain fields."""

    kinds: ClassVar[dict[str, type["Shock"]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Shock.kinds[cls.__name__] = cls

    def to_dict(self) -> dict[str, object]:
        """Return the shock as plain values, with its kind as "shock"."""
        plain = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }
        return {"shock": type(self).__name__, **plain}

    @staticmethod
    def from_dict(values: Mapping[str, object]) -> "Shock":
        """Create a shock from the result of `to_dict`; UnknownNameError for an unknown kind."""
        fields = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        name = str(fields.pop("shock", ""))
        kind = Shock.kinds.get(name)
        if kind is None:
            known = ", ".join(sorted(Shock.kinds))
            raise UnknownNameError(f"no kind of shock is called {name!r}; known are {known}")
        try:
            return kind(**fields)
        except TypeError as error:
            raise ParameterError(f"cannot make a {name} from {fields}: {error}") from None


@dataclass(frozen=True)
class News(Shock):
    """A piece of news for an audience.

    Raises ParameterError if a value is out of range.
    """

    text: Annotated[str, "Text of the news."]
    topic: Annotated[str, "Topic of the news and of memories of it."] = "news"
    stance: Annotated[float, "Stance for (1) or against (-1) its topic, in [-1, 1]."] = 0.0
    importance: Annotated[float, "Importance to the audience, in [0, 1]."] = 0.5
    audience: Annotated[str, '"all", the name of a zone, or "key=value" on a status attribute.'] = (
        EVERYONE
    )
    lasts: Annotated[float, "Hours in which it can be received, 0 for no limit."] = 0.0

    def __post_init__(self) -> None:
        _check_text(self.text)
        _check_range("stance", self.stance, -1.0)
        _check_range("importance", self.importance, 0.0)
        _check_range("lasts", self.lasts, 0.0, _LONGEST)


@dataclass(frozen=True)
class Order(Shock):
    """An official order to zones, in force until another order to them."""

    zones: Annotated[tuple[str, ...], 'Names of the zones, or "all".']
    status: Annotated[str, 'Status from then on, such as "mandatory", "voluntary" or "none".']

    def __post_init__(self) -> None:
        if isinstance(self.zones, str):
            # One zone may be written as a text.
            object.__setattr__(self, "zones", (self.zones,))
        if not self.zones:
            raise ParameterError("an order goes to at least one zone, or to all")
        zones: object = self.zones
        if not isinstance(zones, list | tuple) or not all(isinstance(zone, str) for zone in zones):
            raise ParameterError(f"the zones of an order are {zones!r}; names of zones are needed")


@dataclass(frozen=True)
class Policy(Shock):
    """A change of a rule of the society."""

    key: Annotated[str, 'Name of the rule, such as "tax.redistribution".']
    value: Annotated[Plain, "Value from then on."]


@dataclass(frozen=True)
class Message(Shock):
    """A message to single agents."""

    to: Annotated[tuple[int, ...], "unique_id of each recipient."]
    text: Annotated[str, "Text of the message."]
    topic: Annotated[str, "Topic of the message."] = "social"
    importance: Annotated[float, "Importance to the recipients, in [0, 1]."] = 0.5
    actor: Annotated[int, "unique_id of the speaker, -1 for a speaker outside the society."] = -1

    def __post_init__(self) -> None:
        # One id may be a number; integers of NumPy could not be saved as JSON.
        object.__setattr__(self, "to", tuple(np.atleast_1d(self.to).tolist()))
        _check_text(self.text)
        _check_range("importance", self.importance, 0.0)


class Timeline:
    """Shocks of a run in the order of their ticks, then of adding."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._past: list[tuple[int, Shock]] = []
        self._pending: list[tuple[int, Shock]] = []

    def at(self, when: datetime | str, shock: Shock, *, place: int | None = None) -> None:
        """Schedule a shock for a local date and time, a datetime or ISO text, that has not passed.

        `place` is the number of shocks of the same tick before it; None for all. Raises StateError
        if it is a function, which could not be saved with the run, or SchemaError if it is not a
        shock of plain values.
        """
        check_plain(shock)
        tick = self._clock.tick_of(when)
        if tick < self._clock.tick:
            raise ParameterError(
                f"{when} has passed: the clock is at {self._clock.now}; "
                "give a later time, or set `start` earlier"
            )
        first, end = (side(self._pending, tick, key=itemgetter(0)) for side in _SIDES)
        self._pending.insert(end if place is None else min(first + place, end), (tick, shock))

    def due(self, tick: int) -> list[Shock]:
        """Remove and return the pending shocks up to a tick, the earliest first.

        A shock that is added for the current tick after this call is returned in the next tick.
        """
        count = sum(1 for when, _ in self._pending if when <= tick)
        taken, self._pending = self._pending[:count], self._pending[count:]
        self._past += taken
        return [shock for _, shock in taken]

    @property
    def past(self) -> tuple[tuple[int, Shock], ...]:
        """Past shocks as (tick, shock), in order."""
        return tuple(self._past)

    def __iter__(self) -> Iterator[tuple[int, Shock]]:
        """Yield all shocks as (tick, shock), including past ones."""
        yield from self._past
        yield from self._pending

    def __len__(self) -> int:
        return len(self._past) + len(self._pending)

    def state(self) -> dict[str, object]:
        """Return the whole timeline as plain values."""
        return {
            "past": [[tick, shock.to_dict()] for tick, shock in self._past],
            "pending": [[tick, shock.to_dict()] for tick, shock in self._pending],
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Replace the timeline by the result of `state`."""
        self._past = _entries(state["past"])
        self._pending = _entries(state["pending"])


_SIDES = (bisect_left, bisect_right)


def _entries(rows: object) -> list[tuple[int, Shock]]:
    if not isinstance(rows, list):
        raise SchemaError(f"a saved timeline is {rows!r}; lists of [tick, shock] are needed")
    return [(int(tick), Shock.from_dict(shock)) for tick, shock in rows]


def check_plain(shock: object) -> None:
    """Refuse a function, which could not be saved, and anything but a shock of plain values."""
    if inspect.isroutine(shock) or (callable(shock) and not isinstance(shock, Shock)):
        raise StateError(
            "a timeline takes shocks as data, not functions, which could not be saved with the "
            "run; give News, Order, Policy or Message, or put what the function does in a Block"
        )
    if not isinstance(shock, Shock):
        known = ", ".join(sorted(Shock.kinds))
        raise SchemaError(f"{shock!r} is not a shock; use {known} or a subclass of Shock")
    for field in fields(shock):
        value = getattr(shock, field.name)
        if getattr(field.type, "__origin__", field.type) in _TEXT and not isinstance(value, str):
            raise SchemaError(f"{type(shock).__name__}.{field.name} is {value!r}; a text is needed")
        for part in value if isinstance(value, tuple) else (value,):
            if not isinstance(part, str | int | float | bool | None):
                raise SchemaError(
                    f"{type(shock).__name__}.{field.name} contains {part!r}; only texts, "
                    f"numbers and tuples of them can be saved"
                )


_TEXT = (str, "str")  # annotations of text fields, inside of `Annotated`


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise ParameterError(f"the text of a shock is {text!r}; a text is needed")
    if not text.strip():
        raise ParameterError("the text of a shock is empty; write what agents hear")


def _check_range(name: str, value: object, low: float, high: float = 1.0) -> None:
    if not isinstance(value, int | float | np.number) or not low <= value <= high:
        raise ParameterError(f"{name} is {value}; a number from {low:g} to {high:g} is needed")
