"""Limits of memory: prompts of users, and numbers that would allocate gigabytes."""

import json
import resource
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import CommandResult, call, start, start_process
from tests.attack.server import ModelServer
from tests.attack.workshop import Workshop

_MOST_MB = 1_000
"""Memory that a hostile prompt or number may take, in megabytes."""
_MOST_SECONDS = 60
_ADDRESSES = 4_000_000_000
"""Limit of the address space, which keeps a failure from harming the machine."""
_SMALL = ("--agents", "20", "--days", "2", "--seed", "1", "--no-report")

_BOMBS = {
    "a loop of 10**9 turns": "{% for i in range(10**9) %}x{% endfor %}",
    "nested loops": "{% for a in range(99999) %}{% for b in range(99999) %}{{ b }}{% endfor %}"
    "{% endfor %}",
    "a text of 10**10 letters": "{{ 'x' * 10**10 }}",
    "a power with 10**9 digits": "{{ 10 ** 10 ** 9 }}",
    "a format of 10**9 letters": "{{ '%999999999d' % 1 }}",
    "padding to 10**10 letters": "{{ 'x'.ljust(10**10) }}",
    "endless recursion": "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "the file itself": "{% include 'system.jinja' %}",
    "a way out of the sandbox": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
}


def _bombs(workshop: Workshop, *, names: tuple[str, ...], installed: bool = False) -> Outcome:
    """Run with prompt templates that would exhaust memory or time."""
    faults, slowest, before = [], 0.0, _peak_mb()
    for number, name in enumerate(names):
        prompts = workshop.folder / f"prompts-{number}"
        prompts.mkdir()
        (prompts / "system.jinja").write_text(_BOMBS[name])
        with ModelServer() as server:
            words = (
                "run", "polarization", *_SMALL, "--out", f"run-{number}", "--mind", "llm",
                "--model", "m", "--base-url", server.url, "--set", f"llm.prompts={prompts}",
            )  # fmt: skip
            result = _limited(words, workshop, installed=installed)
            faults += [f"{name}: {len(server.requests)} requests"] if server.requests else []
        slowest = max(slowest, result.seconds)
        faults += [f"{name}: {fault}" for fault in result.refusal_faults()]
        more = result.peak_mb if installed else _peak_mb() - before
        faults += [f"{name}: {more:,.0f} MB"] if more > _MOST_MB else []
    faults += [f"{slowest:.0f} s"] if slowest > _MOST_SECONDS else []
    return judge(faults, f"all refused within {slowest:.0f} s: {result.summary}")


def _limited(words: tuple[str, ...], workshop: Workshop, *, installed: bool) -> CommandResult:
    """Run a command with a limit on its memory, so that a failure does not harm the machine."""
    if installed:
        limits = {resource.RLIMIT_AS: _ADDRESSES}
        return start(*words, cwd=workshop.folder, limits=limits, timeout=_MOST_SECONDS)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + _ADDRESSES, hard))
    try:
        return call(*words, cwd=workshop.folder)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- numbers ----------------------------------------------------------------------------------

_SCRIPT = """
import json, sys
from memopolis import Memory
from memopolis.sim.errors import MemopolisError
memory = Memory(agents=2, limit=1000, seed=7)
memory.stream.add("social", "I met a friend")
one = memory[0]
for statement in json.loads(sys.argv[1]):
    try:
        exec(statement)
        print("accepted", statement)
    except MemopolisError as error:
        print("refused", error)
"""
_LARGE_K = (
    "one.stream.search('a friend', k=10**9)",
    "memory.stream.search('a friend', k=10**9)",
    "one.stream.search('a friend', k=2**62)",
    "one.stream.today(k=10**9)",
    "one.search('a friend', k=10**9)",
    "memory.observed[0].stream.search('a friend', k=10**9)",
)
_ODD_TICKS = ("0.5", "float('nan')", "float('inf')", "2**40", "-2**40", "'noon'", "None", "[1]")


def _python(workshop: Workshop, statements: Iterable[str]) -> tuple[list[str], CommandResult]:
    """Run statements on a small memory in a process with little memory of its own."""
    result = start_process(
        [sys.executable, "-c", _SCRIPT, json.dumps(list(statements))],
        cwd=workshop.folder,
        limits={resource.RLIMIT_AS: _ADDRESSES},
        timeout=_MOST_SECONDS,
    )
    faults = result.crash_faults() + ([result.summary] if result.code else [])
    return faults, result


def _large(workshop: Workshop) -> Outcome:
    """Ask for a billion memories of an agent that has one; all that it has may come back."""
    faults, result = _python(workshop, _LARGE_K)
    faults += [f"{result.peak_mb:,.0f} MB"] if result.peak_mb > _MOST_MB else []
    return judge(faults, f"{result.stdout.count('accepted')} answered, {result.peak_mb:,.0f} MB")


def _odd_ticks(workshop: Workshop) -> Outcome:
    """Set the clock of a memory to values that no tick can have."""
    add = "one.stream.add('social', 'now')"
    faults, result = _python(workshop, (f"memory.now = {value}; {add}" for value in _ODD_TICKS))
    lines = result.stdout.splitlines()
    faults += [line for line in lines if line.startswith("accepted")]
    return judge(faults, f"{len(lines)} refused: {lines[0] if lines else ''}")


def _cases() -> Iterator[Case]:
    first, *others = _BOMBS
    for names, installed in (((first,), True), (tuple(others), False)):
        yield Case(
            f"{'`memopolis run`' if installed else 'run'}: prompts with {', '.join(names)}",
            f"refused in one line, 0 requests, at most {_MOST_MB:,} MB, {_MOST_SECONDS} s each",
            partial(_bombs, names=names, installed=installed),
        )
    yield Case(
        f"{len(_LARGE_K)} searches for 10**9 and more memories",
        f"what is stored, at most {_MOST_MB:,} MB",
        _large,
    )
    yield Case(f"memory.now = {', '.join(_ODD_TICKS)}", "each refused in one line", _odd_ticks)


CASES = list(_cases())
