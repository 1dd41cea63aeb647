"""The contract of every block: it reads and writes what it declares, and nothing else.

Before a block of a running society runs, two copies of the society are made. In one of them
all status columns that the block does not declare are scrambled; then the block runs in both.
What comes of it must be the same, and no undeclared column may have changed.
"""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.scenarios.hurricane.blocks.endure_storm import LEVELS
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.block import Block
from memopolis.sim.memory.memory import Added
from memopolis.sim.population import Population
from memopolis.sim.society import Society

AGENTS = 100
HURRICANE_TICKS = (31, 69, 117, 139, 188)
"""Hours of a Dorian run with daily life, thoughts and news; those in which something rarer
happens are looked up in a run of the same seed."""
VILLAGE_TICKS = (8, 12, 31, 44)
POLARIZATION_TICKS = (0, 1, 4)
BASIC_INCOME_TICKS = (0, 1, 12)
"""The first month, with news of the policy; its first payment; and a panel, after a year."""

Columns = dict[str, NDArray[Any]]


@dataclass
class Found:
    """What a block was seen to do, by block."""

    undeclared_reads: dict[str, set[str]] = field(default_factory=dict)
    undeclared_writes: dict[str, set[str]] = field(default_factory=dict)
    ran: set[str] = field(default_factory=set)


def twin(society: Society[Any]) -> Society[Any]:
    """A copy of a society that goes on just as the society would."""
    shared = [society.place, getattr(society, "circumstances", None), society.settings]
    made: Society[Any] = copy.deepcopy(society, {id(one): one for one in shared})
    for population in made.populations:
        streams = population.memory.streams
        # A deep copy tears apart the views of the pages.
        streams._hold(streams.words)
        population.memory.forget_index()
    return made


def columns_of(population: Population) -> Columns:
    return {name: values.copy() for name, values in population.memory.columns.arrays.items()}


def declared(names: tuple[str, ...], columns: Columns) -> set[str]:
    return {c for c in columns for name in names if c == name or c.startswith(f"{name}.")}


def same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def scramble(population: Population, name: str, seed: int) -> None:
    """Give a column other values of its type and range, in place."""
    rng = np.random.default_rng([seed, *name.encode()])
    values = population.memory.columns.arrays[name]
    mixed = rng.permutation(values)
    if values.dtype.kind == "b":
        mixed = rng.random(len(values)) < 0.5
    elif values.dtype.kind in "iu" and len(values) == 1:
        # There is nobody to change places with.
        mixed = values + 1
    elif values.dtype.kind == "f":
        facts = population.memory.columns.schema.attributes[name]
        low, high = facts.low, facts.high
        if low is not None and high is not None:
            mixed = rng.uniform(low, high, len(values))
        else:
            mixed = mixed + rng.random(len(values))
    values[:] = mixed


def run_block(society: Society[Any], number: int, name: str) -> tuple[Columns, list[Added]]:
    """Let one block of one population run; give the columns it leaves, and what it stored."""
    population = society.populations[number]
    (block,) = (one for one in population.blocks if one.name == name)
    stored: list[Added] = []
    for other in society.populations:
        other.memory.stored.append(stored.append)
    block.run(population.cohort())
    # Those who listen to what is stored write columns of their own.
    after = columns_of(population)
    for other in society.populations:
        other.memory.flush()
    return after, stored


def same_memories(one: list[Added], other: list[Added]) -> bool:
    if len(one) != len(other):
        return False
    names = ("rows", "ids", *(n for n in one[0].columns)) if one else ()
    return all(
        np.array_equal(np.asarray(_field(a, n)), np.asarray(_field(b, n)))
        for a, b in zip(one, other, strict=True)
        for n in names
    )


def _field(added: Added, name: str) -> NDArray[Any]:
    return added.columns[name] if name in added.columns else getattr(added, name)


def moments(society: Society[Any], ticks: tuple[int, ...]) -> Iterator[tuple[int, Block]]:
    """Step a society; at some ticks stop before each block, which then runs."""
    stops: list[tuple[Block, Population]] = []
    run = society._run

    for tick in range(max(ticks) + 1):
        if tick not in ticks:
            society.step()
            continue
        stops.clear()
        society._run = lambda block, population: stops.append((block, population))  # type: ignore[method-assign]
        society.step()
        del society._run
        assert society._run == run
        for block, population in stops:
            yield society.populations.index(population), block
            society._run(block, population)


def examine(society: Society[Any], ticks: tuple[int, ...]) -> Found:
    found = Found()
    for number, block in moments(society, ticks):
        plain, mixed = twin(society), twin(society)
        before = columns_of(society.populations[number])
        reads, writes = (declared(names, before) for names in (block.reads, block.writes))
        left = sorted(set(before) - reads - writes - {"alive"})
        for name in left:
            scramble(mixed.populations[number], name, society.clock.tick)
        scrambled = columns_of(mixed.populations[number])
        after, told = run_block(plain, number, block.name)
        after_mixed, told_mixed = run_block(mixed, number, block.name)
        # Who joins in the step has no values before; their columns are given when they join.
        changed = {n for n, old in before.items() if not same(old, after[n][: len(old)])}
        changed_mixed = {
            n for n in left if not same(scrambled[n], after_mixed[n][: len(scrambled[n])])
        }
        stray = (changed | changed_mixed) - writes
        differs = {name for name in writes if not same(after[name], after_mixed[name])}
        if not same_memories(told, told_mixed):
            differs.add("memories")
        key = f"{society.populations[number].name}.{block.name}"
        if changed or told:
            found.ran.add(key)
        if stray:
            found.undeclared_writes.setdefault(key, set()).update(stray)
        if differs and key not in found.undeclared_reads:
            guilty = culprits(society, number, block, left, (after, told), differs)
            found.undeclared_reads[key] = guilty
    return found


def culprits(  # noqa: PLR0917
    society: Society[Any],
    number: int,
    block: Block,
    names: list[str],
    expected: tuple[Columns, list[Added]],
    differs: set[str],
) -> set[str]:
    """Find which undeclared columns it is that a block reads, by scrambling one at a time."""
    guilty = set()
    for name in names:
        mixed = twin(society)
        scramble(mixed.populations[number], name, society.clock.tick)
        after, told = run_block(mixed, number, block.name)
        if any(not same(expected[0][n], after[n]) for n in differs - {"memories"}) or (
            "memories" in differs and not same_memories(expected[1], told)
        ):
            guilty.add(name)
    return guilty or {"several together"}


@cache
def of_hurricane() -> Found:
    return examine(Hurricane(agents=AGENTS, rng=4), tuple(sorted({*HURRICANE_TICKS, *eventful()})))


def eventful() -> set[int]:
    """Hours in which the wind rises, households leave and return, and people calm down."""
    society = Hurricane(agents=AGENTS, rng=4)
    people, homes = society.population("citizen"), society.population("household")
    assert society.weather is not None
    gusts = [society.weather.at(tick).gust_kt.max() for tick in range(society.ticks)]
    hours = {int(np.argmax(np.array(gusts) >= LEVELS[0][0]))}
    threat = people.cohort().status["threat"]
    for tick in range(society.ticks):
        society.step()
        now = people.cohort().status["threat"]
        if ((threat > 0) & (now == 0)).any():
            hours.add(tick)
            break
        threat = now
    while society.clock.tick < society.ticks - 1:
        society.step()
    for name in ("left_at", "returned_at"):
        when = homes.cohort().status[name]
        hours.add(int(when[when >= 0].min()))
    return hours


@cache
def of_polarization() -> Found:
    society = Polarization(agents=AGENTS, rng=4, arm="echo", event="shooting", event_day=0)
    return examine(society, POLARIZATION_TICKS)


@pytest.fixture
def of_village(village: Callable[..., Any]) -> Found:
    made = village(agents=40, start="2026-01-05")
    made.live()
    return examine(made, VILLAGE_TICKS)


def test_a_copy_goes_on_as_its_original() -> None:
    society = Hurricane(agents=60, rng=4)
    for _ in range(110):
        society.step()
    other = twin(society)
    for _ in range(30):
        society.step()
        other.step()
    for one, two in zip(society.populations, other.populations, strict=True):
        assert all(same(v, columns_of(two)[n]) for n, v in columns_of(one).items())


def test_blocks_of_the_hurricane_read_what_they_declare() -> None:
    assert of_hurricane().undeclared_reads == {}


def test_blocks_of_the_hurricane_write_what_they_declare() -> None:
    assert of_hurricane().undeclared_writes == {}


def test_the_hours_looked_at_let_every_block_of_the_hurricane_act() -> None:
    society = Hurricane(agents=AGENTS, rng=4)
    names = {f"{p.name}.{block.name}" for p in society.populations for block in p.blocks}
    # Work pays, and sleep may rehearse: neither writes a citizen's status.
    assert names - of_hurricane().ran <= {"citizen.work", "citizen.sleep"}


def test_blocks_of_polarization_keep_to_what_they_declare() -> None:
    assert of_polarization().undeclared_reads == {}
    assert of_polarization().undeclared_writes == {}
    society = Polarization(agents=AGENTS, rng=4, arm="echo")
    names = {f"{p.name}.{block.name}" for p in society.populations for block in p.blocks}
    # Following changes whom citizens follow, which is no status.
    assert names - of_polarization().ran == {"citizen.follow"}


@cache
def of_basic_income() -> Found:
    # What is rare happens often here.
    often = {"births": 5.0, "deaths": 5.0, "moves": 0.5, "leave_home": 0.9}
    society = BasicIncome(agents=AGENTS, rng=4, start=1, demography=often, panel={"every": 4})
    return examine(society, BASIC_INCOME_TICKS)


def test_blocks_of_the_basic_income_keep_to_what_they_declare() -> None:
    assert of_basic_income().undeclared_reads == {}
    assert of_basic_income().undeclared_writes == {}


def test_the_months_looked_at_let_every_block_of_the_basic_income_act() -> None:
    society = BasicIncome(agents=AGENTS, rng=4, start=1)
    names = {f"{p.name}.{block.name}" for p in society.populations for block in p.blocks}
    # Borrowing moves money, which is no status.
    assert names - of_basic_income().ran <= {"household.borrow"}


def test_blocks_of_a_village_keep_to_what_they_declare(of_village: Found) -> None:
    assert of_village.undeclared_reads == {}
    assert of_village.undeclared_writes == {}
