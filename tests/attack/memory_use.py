"""One memory used by several threads, and called with arguments of every kind."""

import sys
import threading
from collections import Counter
from functools import partial

from tests.attack.case import Case, Outcome, judge
from tests.attack.forked import forked
from tests.attack.workshop import Workshop

_ROUNDS, _ROUNDS_AT_A_TIME = 200, 50
_THREADS = 4
_EVENTS = 20
_SWITCH_INTERVAL = 1e-6
"""Seconds between two switches of threads: as often as possible."""
_CALLS, _CALLS_AT_A_TIME = 20_000, 2_000
_SHAPES = ([[0]] * 3, [[0]] * 100, [[0, 1]] * 5_000, [[-(2**62)]], [[2**40]], [0], 0, [[[0]]])


def _live(memory: "object", row: int) -> None:
    """Let one agent of a memory experience, recall and link."""
    stream = memory[row].stream  # type: ignore[index]
    for number in range(_EVENTS):
        event = stream.add(f"topic {number % 3}", f"event {number} of {row}")
        stream.search("event", k=3)
        if number % 4 == 0:
            stream.link([event], f"thought {number} of {row}")


def _streams(memory: "object") -> list[list[str]]:
    agents = [agent.observed.stream for agent in memory]  # type: ignore[attr-defined]
    return [[str(one) for one in stream.read(stream.list_ids())] for stream in agents]


def _round(expected: list[list[str]]) -> tuple[int, int]:
    """Let each agent of a memory live in a thread of its own; return errors and wrong streams."""
    from memopolis import Memory

    sys.setswitchinterval(_SWITCH_INTERVAL)
    memory, errors = Memory(_THREADS), list[str]()

    def live(row: int) -> None:
        try:
            _live(memory, row)
        except Exception as error:  # noqa: BLE001 - any error of a thread is a fault
            errors.append(repr(error))

    threads = [threading.Thread(target=live, args=(row,)) for row in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(errors), sum(
        mine != theirs for mine, theirs in zip(_streams(memory), expected, strict=True)
    )


def _use_in_threads(_: Workshop) -> Outcome:
    from memopolis import Memory

    alone = Memory(_THREADS)
    for row in range(_THREADS):
        _live(alone, row)
    expected, faults, errors, different = _streams(alone), list[str](), 0, 0
    for _round_number in range(_ROUNDS_AT_A_TIME):
        verdict = forked(partial(_round, expected))
        if verdict.fault or verdict.refusal:
            faults.append(verdict.fault or verdict.refusal)
            continue
        errors, different = errors + verdict.result[0], different + verdict.result[1]
    faults += [f"{errors} errors"] if errors else []
    faults += [f"{different} streams differ from those of one thread"] if different else []
    return judge(faults, f"{_ROUNDS_AT_A_TIME} rounds, 0 errors, all streams as in one thread")


def _call_at_random(_: Workshop, *, seed: int) -> Outcome:
    from tests.attack.random_calls import RandomCalls

    def make() -> tuple[int, int, list[str]]:
        calls = RandomCalls(seed)
        for _ in range(_CALLS_AT_A_TIME):
            calls.make()
        return calls.made, calls.refused, calls.faults

    verdict = forked(make, seconds=200)
    if verdict.result is None:
        return judge([verdict.fault or verdict.refusal], "")
    made, refused, faults = verdict.result
    return judge(faults, f"{made:,} calls, {refused:,} refused in one line, 0 other errors")


def _locate(_: Workshop) -> Outcome:
    """Read memories by ids of shapes that do not fit the agents."""
    from memopolis import Memory

    memory = Memory(3)
    memory.stream.add("a", "x")
    streams = [lambda: memory[0].stream, lambda: memory.of([0]).stream]
    verdicts = [
        forked(partial(lambda s, i: s().located(i).column("text").ravel()[:5], stream, ids))
        for stream in streams
        for ids in _SHAPES
    ]
    counted = Counter("refused" if one.refusal else one.fault or "read" for one in verdicts)
    faults = [one.fault for one in verdicts if one.fault]
    return judge(faults, ", ".join(f"{count} {name}" for name, count in counted.items()))


CASES = [
    *(
        Case(
            f"four threads, each with an agent of one memory, rounds {first + 1} to "
            f"{first + _ROUNDS_AT_A_TIME} of {_ROUNDS}",
            "0 errors, streams as in one thread",
            _use_in_threads,
        )
        for first in range(0, _ROUNDS, _ROUNDS_AT_A_TIME)
    ),
    *(
        Case(
            f"random calls of the public memory interface, seed {number} "
            f"({_CALLS_AT_A_TIME:,} of {_CALLS:,})",
            "0 signals, only errors of the project",
            partial(_call_at_random, seed=number),
        )
        for number in range(1, _CALLS // _CALLS_AT_A_TIME + 1)
    ),
    Case("memories given by ids of other shapes than the agents", "refused or read", _locate),
]
