"""Check the plain values of a saved state: types, ranges, and numbers that would run forever."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError, model_validator

from memopolis.sim.chance import LARGEST_SEED
from memopolis.sim.clock import MOST_TICKS
from memopolis.sim.errors import RunFolderError
from memopolis.sim.memory.status.schema import Kind
from memopolis.sim.state.saving import read_state
from memopolis.sim.state.state import State
from memopolis.sim.validation import Distinct, Plain, describe_error

_WORDS = 624  # numbers of the state of Python's generator, besides its position
_MOST_CENTS = 2**62

Tick = Annotated[int, Field(ge=0, le=MOST_TICKS)]
Count = Annotated[int, Field(ge=0, le=2**62)]
Cents = Annotated[int, Field(ge=-_MOST_CENTS, le=_MOST_CENTS)]
# JSON has no tuples.
Shock = Annotated[tuple[Tick, dict[str, Any]], Strict(strict=False)]


class _Timeline(Plain):
    past: list[Shock]
    pending: list[Shock]

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        for shocks in (self.past, self.pending):
            ticks = [tick for tick, _ in shocks]
            if ticks != sorted(ticks):
                raise ValueError("the shocks of timeline are not in order of time")
        return self


class _Interventions(Plain):
    shocks: list[Shock]
    surveys: list[Shock]


class _Surveys(Plain):
    surveys: list[dict[str, Any]]
    ticks: list[Annotated[tuple[Tick, list[str]], Strict(strict=False)]]

    @model_validator(mode="after")
    def _are_declared(self) -> Self:
        names = {survey.get("name") for survey in self.surveys}
        for _, asked in self.ticks:
            if unknown := sorted(set(asked) - names):
                raise ValueError(f"there is no survey {unknown[0]!r}")
        return self


class _Budget(Plain):
    tokens: Count
    calls: Count
    reached: Annotated[int, Field(ge=0, le=1)]


class _Generator(Plain):
    state: Annotated[int, Field(ge=0, lt=2**128)]
    inc: Annotated[int, Field(ge=0, lt=2**128)]


class _Rng(Plain):
    bit_generator: Literal["PCG64"]
    state: _Generator
    has_uint32: Annotated[int, Field(ge=0, le=1)]
    uinteger: Annotated[int, Field(ge=0, lt=2**32)]


class _Population(Plain):
    labels: Distinct
    json_: dict[str, list[str]] = Field(alias="json")
    kinds: dict[str, Kind]
    blocks: list[str]


class _Ledger(Plain):
    kinds: list[str]
    issuers: list[str]
    created: Cents
    owed: Count
    flows: list[Annotated[tuple[str, str, str, Cents, Count], Strict(strict=False)]]

    @model_validator(mode="after")
    def _has_distinct_kinds(self) -> Self:
        if len(set(self.kinds)) < len(self.kinds) or not {*self.issuers} <= {*self.kinds}:
            raise ValueError("kinds must be distinct and contain all issuers")
        return self


class _Position(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    files: dict[str, Any] = {}
    texts_seen: Count = 0
    seconds: Annotated[float, Field(ge=0)] = 0.0
    blocks: dict[str, float] = {}
    changing: dict[str, list[str]] = {}
    mind: dict[str, Any] = {}


_Words = Annotated[
    list[Annotated[int, Field(ge=0, lt=2**32)]],
    Field(min_length=_WORDS + 1, max_length=_WORDS + 1),
]


class PlainState(Plain):
    """All plain values of a state."""

    scenario: str
    settings: Annotated[dict[str, Any], Field(min_length=1)]
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)]
    time: Annotated[float, Field(ge=0, le=MOST_TICKS)]
    tick: Tick
    running: bool
    next_id: Annotated[int, Field(ge=1, le=2**31)]
    random: Annotated[tuple[Literal[3], _Words, float | None], Strict(strict=False)]
    rng: _Rng
    timeline: _Timeline
    interventions: _Interventions
    surveys: _Surveys
    budget: _Budget
    policies: dict[str, Any]
    measured: dict[str, dict[str, float | bool | None]]
    collected: dict[str, list[Any]]
    populations: dict[str, _Population]
    blocks: list[str]
    ledger: _Ledger | None = None
    reserves: Cents | None = None
    position: _Position | None = None

    @model_validator(mode="after")
    def _is_between_steps(self) -> Self:
        if not self.time.is_integer() or self.tick != max(round(self.time) - 1, 0):
            raise ValueError(f"tick is {self.tick} after {self.time:g} steps")
        if self.timeline.past and self.timeline.past[-1][0] > self.tick:
            raise ValueError(f"a past shock of timeline is after the tick {self.tick}")
        if self.random[1][-1] > _WORDS:
            raise ValueError(f"the position of random is {self.random[1][-1]}")
        return self


def read_checked(folder: Path) -> State:
    """Read a state, and check its plain values; RunFolderError if one is invalid."""
    state = read_state(folder)
    try:
        PlainState.model_validate(state.plain)
    except ValidationError as error:
        raise RunFolderError(
            f"the state in {folder} cannot be used: {describe_error(error)}"
        ) from None
    return state
