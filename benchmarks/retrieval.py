"""Speed and size of scored retrieval, compared with other methods.

Prints tables: the compiled pass with all terms and with three terms only, the NumPy definition of
the package, plain NumPy one agent at a time, and the published town algorithm. All rows run on one
thread, in turn within each round; times are medians of processor time over rounds.
"""

# ruff: noqa: E402 - libraries read these when they are imported
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
from yardsticks import PlainNumpy, Town

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.by_numpy import find_numpy
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import PROFILES
from memopolis.sim.memory.retrieval.recalling import find
from memopolis.sim.memory.retrieval.request import SearchOptions, build_request
from memopolis.sim.memory.retrieval.terms.term import Request

K = 10
QUERIES = 200
TICKS = 336
START = datetime(2019, 8, 28)
NAMES = 50

_WHO = [
    "a neighbour", "my sister", "the mayor", "a friend", "the teacher", "a nurse",
    "the landlord", "my boss",
]  # fmt: skip
_WHAT = [
    "talked about the storm", "bought bread and milk", "was stuck in a traffic jam",
    "worked late at the office", "boarded up the windows", "lost power for an hour",
    "heard the evacuation order", "went to the shelter", "cooked dinner", "paid the rent",
    "looked for a new job", "visited the doctor", "filled the car with fuel", "packed a bag",
    "watched the news", "met at the church", "read about prices", "called the family",
]  # fmt: skip
_WHERE = [
    "near the harbour", "at home", "downtown", "by the bridge", "at the market", "in the park",
    "on the highway", "at school", "outside the hospital", "in the library", "by the river",
    "at the station", "on the beach", "in the yard",
]  # fmt: skip
_HOW = [
    "quickly", "again", "in the rain", "before dawn", "after work", "with worry", "gladly",
    "for the last time",
]  # fmt: skip


def sentences(count: int) -> list[str]:
    """Create distinct texts of ten to fifteen words, always the same."""
    made = []
    for i in range(count):
        who, what = _WHO[i % 8], _WHAT[i // 8 % 18]
        where, how = _WHERE[i // 144 % 14], _HOW[i // 2016 % 8]
        more = f" and {_WHAT[i // 16128 % 18]} {_WHERE[i * 7 % 14]}"
        made.append(f"{who} {what} {where} {how}{more}" + (f" {i // 16128}" if i >= 16128 else ""))
    return made


def questions(count: int = QUERIES) -> list[str]:
    """Create queries, of which half name an actor and an eighth a month."""
    asked = []
    for i in range(count):
        name = f"What did Person{i % NAMES} say: who " if i % 2 else "Who "
        month = " in September" if i % 8 == 0 else ""
        asked.append(f"{name}{_WHAT[i % 18]} {_WHERE[i // 18 % 14]}{month}?")
    return asked


def build(agents: int, memories: int, distinct: int, *, unequal: bool = False) -> Memory:
    """Fill a memory as a society does: each agent stores a few memories at each tick.

    Args:
        agents: Number of agents.
        memories: Memories per agent, or the maximum if `unequal`.
        distinct: Number of distinct texts.
        unequal: Whether lengths of streams are drawn from 1 to `memories`.
    """
    rng = np.random.default_rng(7)
    memory = Memory(agents, limit=memories)
    memory.threads = 1
    memory.deferred = True
    memory.names = {f"Person{i}": i for i in range(NAMES)}
    memory.date_of = lambda tick: START + timedelta(hours=tick)
    texts = memory.texts.intern_many(sentences(distinct))
    lengths = rng.integers(1, memories + 1, agents) if unequal else np.full(agents, memories)
    spread = distinct >= agents * memories
    for number in range(memories):
        memory.now = number * TICKS // memories
        rows = np.flatnonzero(lengths > number)
        chosen = number * agents + rows if spread else rng.integers(0, distinct, len(rows))
        memory.of(rows).stream.add(
            ("social", "mobility", "economy")[number % 3],
            texts[chosen],
            actor=rng.integers(-1, NAMES, len(rows)),
            place=rng.integers(0, 30, len(rows)),
            importance=rng.random(len(rows)),
            continues=rng.random(len(rows)) < 0.6,
        )
        memory.flush()
    memory.now = TICKS
    _touch(memory, rng)
    return memory


def _touch(memory: Memory, rng: np.random.Generator) -> None:
    """Draw last accesses between the creation of each memory and now."""
    rows = np.arange(len(memory))
    for part in np.array_split(rows, max(1, len(rows) // 1000)):
        slots, _ = memory.streams.live(part)
        since = memory.streams.at("time", slots)
        age = rng.integers(0, memory.now - since + 1)
        memory.streams.put("accessed", slots, since + age)


FILTERS = {
    "nothing": Filter(),
    "topic": Filter(topic="social"),
    "days": Filter(days=(2, 9)),
    "topic and days": Filter(topic="social", days=(2, 9)),
}


def request(memory: Memory, profile: str = "act", where: Filter = FILTERS["nothing"]) -> Request:
    """Build the request of all agents, each with one of the queries."""
    rows = np.arange(len(memory))
    each = (rows * 37) % QUERIES
    return build_request(
        memory, rows, questions(), SearchOptions(K, PROFILES[profile], where, each=each)
    )


def three_terms(asked: Request) -> Request:
    """Return the request with relevance, recency and importance only."""
    return replace(asked, shares=replace(asked.shares, neighbours=0), cues=False)


@dataclass(frozen=True)
class Row:
    """A row of the table: a function, and the number of agents."""

    name: str
    agents: int
    run: Callable[[], object]


def timed(rows: Sequence[Row], rounds: int) -> dict[str, float]:
    """Time the rows: median seconds per query; in each round every row runs once."""
    for row in rows:
        row.run()
    times: dict[str, list[float]] = {row.name: [] for row in rows}
    for _ in range(rounds):
        for row in rows:
            begin = time.process_time()
            row.run()
            times[row.name].append((time.process_time() - begin) / row.agents)
    return {name: statistics.median(values) for name, values in times.items()}


def part_of(asked: Request, agents: int) -> Request:
    """Return the request of the first agents only."""
    cut = {n: getattr(asked, n)[:agents] for n in ("rows", "query", "named", "first", "last")}
    return replace(asked, **cut)


def measure(agents: int, memories: int, distinct: int, *, rounds: int, sample: int) -> list[str]:
    """Time all rows; return the lines of a table."""
    memory = build(agents, memories, distinct)
    asked = request(memory)
    streams = memory.streams
    few = part_of(asked, sample)
    plain = PlainNumpy(sample, memories, distinct)
    town = Town(max(2, sample // 10), memories)
    rows = [
        Row("packed kernel, every term", agents, lambda: find(streams, asked)),
        Row("packed kernel, three terms", agents, lambda: find(streams, three_terms(asked))),
        Row("numpy path, every term", sample, lambda: find_numpy(streams, few)),
        Row("numpy path, three terms", sample, lambda: find_numpy(streams, three_terms(few))),
        Row("plain numpy per agent", sample, plain.run),
        Row("published town, arrays", len(town.streams), town.run),
    ]
    medians = timed(rows, rounds)
    base = medians[rows[0].name]
    form = "pairs" if asked.relevance.table is None else "table"
    share = min(1.0, distinct / (agents * memories))
    lines = [
        "",
        (
            f"{agents} agents x {memories} memories, {distinct} distinct texts "
            f"({share:.2%} of memories), {QUERIES} queries, top {K}, relevance as {form}"
        ),
        f"{'row':<30}{'us a query':>12}{'ns a memory':>13}{'x kernel':>10}",
    ]
    for name, seconds in medians.items():
        ns = seconds * 1e9 / memories
        lines.append(f"{name:<30}{seconds * 1e6:>12.2f}{ns:>13.2f}{seconds / base:>10.1f}")
    return lines


def filtered(agents: int, memories: int, distinct: int, *, rounds: int) -> list[str]:
    """Time filters, over full streams and over streams of unequal length.

    Streams of unequal length have half as many memories, so compare times per memory.
    """
    lines = [
        "",
        f"{agents} agents, profile act, top {K}: what filters and unequal lengths cost",
        f"{'row':<38}{'us a query':>12}{'ns a memory':>13}{'x unfiltered':>14}",
    ]
    base = 0.0
    for unequal in (False, True):
        memory = build(agents, memories, distinct, unequal=unequal)
        held = memory.streams.count[np.arange(agents)].mean()
        rows = []
        for name, where in FILTERS.items():
            label = f"{'unequal' if unequal else 'full'} streams, by {name}"
            run = partial(find, memory.streams, request(memory, where=where))
            rows.append(Row(label, agents, run))
        for name, seconds in timed(rows, rounds).items():
            ns = seconds * 1e9 / held
            base = base or ns
            lines.append(f"{name:<38}{seconds * 1e6:>12.2f}{ns:>13.2f}{ns / base:>14.2f}")
    return lines


def by_profile(agents: int, memories: int, distinct: int, *, rounds: int) -> list[str]:
    """Time every named profile that has a query, on the same streams."""
    memory = build(agents, memories, distinct)
    names = [name for name in PROFILES if name != "recommend"]
    rows = [
        Row(name, agents, partial(find, memory.streams, request(memory, name))) for name in names
    ]
    lines = ["", f"{agents} agents x {memories} memories, top {K}, by profile"]
    lines.append(f"{'profile':<30}{'us a query':>12}{'ns a memory':>13}")
    for name, seconds in timed(rows, rounds).items():
        lines.append(f"{name:<30}{seconds * 1e6:>12.2f}{seconds * 1e9 / memories:>13.2f}")
    return lines


def resident() -> int:
    """Return the resident bytes of the process."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def sizes(agents: int, memories: int, distinct: int) -> list[str]:
    """Measure bytes per memory if lengths of streams are drawn from 1 to `memories`."""
    build(100, memories, distinct, unequal=True)  # load the compiled loops once
    before = resident()
    memory = build(agents, memories, distinct, unequal=True)
    grown = resident() - before
    held = int(memory.streams.count[np.arange(agents)].sum())
    packed = memory.streams.state()["words"].nbytes / held
    empty = Memory(agents)
    each = empty.streams.nbytes / agents + empty.issued.itemsize
    return [
        "",
        f"{agents} agents with 1 to {memories} memories, {held} in all",
        (
            f"bytes a memory: {packed:.1f} packed, {memory.streams.nbytes / held:.1f} in arrays, "
            f"{grown / held:.1f} resident (with texts and all else building took)"
        ),
        f"bytes an agent without memory: {each:.0f}",
    ]


def long_stream(memories: int, distinct: int, *, rounds: int) -> list[str]:
    """Time adding to and searching the stream of one agent with very many memories."""
    memory = Memory(1, limit=memories)
    memory.threads = 1
    agent = memory[0]
    texts = sentences(distinct)
    begin = time.process_time()
    for number in range(memories):
        agent.stream.add("social", texts[number % distinct], importance=number % 10 / 10)
    memory.flush()
    added = (time.process_time() - begin) / memories
    lines = [
        "",
        f"one agent with {memories} memories, {distinct} distinct texts, top {K}, processor time",
        f"{'adding a memory':<44}{added * 1e6:>8.1f} us",
    ]
    known, *others = questions(rounds + 2)
    by_act = partial(agent.stream.search, profile="act")
    for name, search in (("stream.search", by_act), ("memory.search", agent.search)):

        def seconds(query: str, search: Callable[..., object] = search) -> float:
            begin = time.process_time()
            search(query, K)
            return time.process_time() - begin

        measured = {"the first search": seconds(known)}
        measured["a query that was asked before"] = statistics.median(
            seconds(known) for _ in range(rounds)
        )
        measured["another query"] = statistics.median(seconds(query) for query in others)
        changed = []
        for number in range(rounds):
            agent.stream.add("social", f"{name} has found something new {number}")
            changed.append(seconds(known))
        measured["a query that was asked before, after a new text"] = statistics.median(changed)
        lines += [
            f"{name}, {what}".ljust(66) + f"{s * 1e3:>9.1f} ms" for what, s in measured.items()
        ]
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--distinct", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--long", type=int, default=1_000_000, help="memories of one agent")
    options = parser.parse_args(arguments)
    agents, memories = options.agents, options.memories
    few = max(1, agents // 20)
    lines = sizes(agents, memories, options.distinct)
    lines += measure(
        agents,
        memories,
        options.distinct,
        rounds=options.rounds,
        sample=min(options.sample, agents),
    )
    lines += measure(
        few, memories, few * memories, rounds=options.rounds, sample=min(options.sample, few)
    )
    # Fewer texts, so that relevance is a table for all of them.
    lines += filtered(few, memories, options.distinct // 5, rounds=options.rounds)
    lines += by_profile(few, memories, options.distinct, rounds=options.rounds)
    for distinct in (options.distinct, options.long):
        lines += long_stream(options.long, distinct, rounds=options.rounds)
    print("\n".join(lines).lstrip())


if __name__ == "__main__":
    main()
