"""The contract of every block: it reads and writes what it declares, and nothing else.

Before a block of a running society runs, two copies of the society are made. In one of them
all status columns that the block does not declare are scrambled; then the block runs in both.
The results must be the same, and no undeclared column may have changed.
"""

import copy
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.block import Block
from memopolis.sim.memory.memory import Added
from memopolis.sim.memory.text.pieces import likeness, word_pieces
from memopolis.sim.population import Behaviour, Population
from memopolis.sim.society import Society

Columns = dict[str, NDArray[Any]]


@dataclass
class Access:
    """What the blocks of a society were seen to do.

    Attributes:
        undeclared_reads: By block, columns that it reads without declaring them.
        undeclared_writes: By block, columns that it writes without declaring them.
        changed_by_perceiving: By block, what `perceive` changed: columns, state and memories.
        ran: Blocks that changed or stored something.
    """

    undeclared_reads: dict[str, set[str]] = field(default_factory=dict)
    undeclared_writes: dict[str, set[str]] = field(default_factory=dict)
    changed_by_perceiving: dict[str, set[str]] = field(default_factory=dict)
    ran: set[str] = field(default_factory=set)


def twin(society: Society[Any]) -> Society[Any]:
    """Copy a society so that the copy continues exactly like it."""
    shared = [society.place, getattr(society, "circumstances", None), society.settings]
    shared += [word_pieces(), likeness()]  # tables of the process: most of a copy otherwise
    made: Society[Any] = copy.deepcopy(society, {id(one): one for one in shared})
    for population in made.populations:
        streams = population.memory.streams
        # A deep copy tears apart the views of the pages.
        streams._hold(streams.words)
        population.memory.forget_index()
    return made


def columns_of(population: Population) -> Columns:
    status = population.memory.status
    return {name: status.encoded(name).copy() for name in status.attributes}


def declared(names: tuple[str, ...], columns: Columns) -> set[str]:
    return {c for c in columns for name in names if c == name or c.startswith(f"{name}.")}


def same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def scramble(population: Population, name: str, seed: int) -> None:
    """Give a column other values of its type and range, in place."""
    rng = np.random.default_rng([seed, *name.encode()])
    values = population.memory.status.encoded(name)
    mixed = rng.permutation(values)
    if values.dtype.kind == "b":
        mixed = rng.random(len(values)) < 0.5
    elif values.dtype.kind in "iu" and len(values) == 1:
        # A permutation of one value changes nothing.
        mixed = values + 1
    elif values.dtype.kind == "f":
        facts = population.attributes[name]
        low, high = facts.low, facts.high
        if low is not None and high is not None:
            mixed = rng.uniform(low, high, len(values))
        else:
            mixed = mixed + rng.random(len(values))
    population.memory.status.store_encoded(name, slice(None), mixed)


def run_block(society: Society[Any], number: int, name: str) -> tuple[Columns, list[Added]]:
    """Run one block of one population; return its columns and its new memories."""
    population = society.populations[number]
    (block,) = (one for one in population.blocks if one.name == name)
    stored: list[Added] = []
    for other in society.populations:
        other.memory.stored.append(stored.append)
    block.run(population.cohort())
    # Listeners to what is stored write columns too.
    after = columns_of(population)
    for other in society.populations:
        other.memory.flush()
    return after, stored


def find_changes_by_perceiving(society: Society[Any], number: int, name: str) -> set[str]:
    """Return columns, state of the block and populations with memories that `perceive` changed."""
    population = society.populations[number]
    (block,) = (one for one in population.blocks if one.name == name)
    if not isinstance(block, Block) or type(block).perceive is Block.perceive:
        return set()
    cohort = block.who(population.cohort())
    before = [columns_of(one) for one in society.populations]
    kept = {name: np.copy(getattr(block, name)) for name in block.state}
    if len(cohort):
        asked = block.perceive(cohort)
        if isinstance(asked, Iterable):  # questions that are made one by one
            deque(asked, maxlen=0)
    changed = {name for name in kept if not same(kept[name], np.asarray(getattr(block, name)))}
    for one, columns in zip(society.populations, before, strict=True):
        after = columns_of(one)
        changed |= {f"{one.name}.{n}" for n in columns if not same(columns[n], after[n])}
        if one.memory.pending.take() is not None:
            changed.add(f"memories of {one.name}")
    return changed


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
    """Step a society; at the given ticks, yield before each block."""
    stops: list[tuple[Behaviour, Population]] = []
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
            assert isinstance(block, Block)
            yield society.populations.index(population), block
            society._run(block, population)


def examine(society: Society[Any], ticks: tuple[int, ...]) -> Access:
    access = Access()
    for number, block in moments(society, ticks):
        plain, mixed = twin(society), twin(society)
        before = columns_of(society.populations[number])
        reads, writes = (declared(names, before) for names in (block.reads, block.writes))
        left = sorted(set(before) - reads - writes - {"alive"})
        for name in left:
            scramble(mixed.populations[number], name, society.clock.tick)
        scrambled = columns_of(mixed.populations[number])
        perceived = find_changes_by_perceiving(plain, number, block.name)
        after, stored = run_block(plain, number, block.name)
        after_mixed, stored_mixed = run_block(mixed, number, block.name)
        # Who joins in the step has no values before; their columns are given when they join.
        changed = {n for n, old in before.items() if not same(old, after[n][: len(old)])}
        changed_mixed = {
            n for n in left if not same(scrambled[n], after_mixed[n][: len(scrambled[n])])
        }
        stray = (changed | changed_mixed) - writes
        differs = {name for name in writes if not same(after[name], after_mixed[name])}
        if not same_memories(stored, stored_mixed):
            differs.add("memories")
        key = f"{society.populations[number].name}.{block.name}"
        if perceived:
            access.changed_by_perceiving.setdefault(key, set()).update(perceived)
        if changed or stored:
            access.ran.add(key)
        if stray:
            access.undeclared_writes.setdefault(key, set()).update(stray)
        if differs and key not in access.undeclared_reads:
            access.undeclared_reads[key] = find_undeclared_reads(
                society, number, block, left, (after, stored), differs
            )
    return access


def find_undeclared_reads(  # noqa: PLR0917
    society: Society[Any],
    number: int,
    block: Block,
    names: list[str],
    expected: tuple[Columns, list[Added]],
    differs: set[str],
) -> set[str]:
    """Find the undeclared columns that a block reads, by scrambling one at a time."""
    single = set()
    for name in names:
        mixed = twin(society)
        scramble(mixed.populations[number], name, society.clock.tick)
        after, stored = run_block(mixed, number, block.name)
        if any(not same(expected[0][n], after[n]) for n in differs - {"memories"}) or (
            "memories" in differs and not same_memories(expected[1], stored)
        ):
            single.add(name)
    return single or {"several together"}
