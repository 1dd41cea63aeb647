"""Cost of each part of the night: `python benchmarks/memory_features.py [--agents N] [--days N]`.

Societies of the hurricane that differ in one part of the night run in turns, a day each, in one
process on one thread. For each, the table prints the processor time of a step relative to the
society with the default night, the median over days with the range, and the size of the streams
per citizen relative to it.
"""

# ruff: noqa: E402 - libraries read these when they are imported
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

from memopolis.scenarios.hurricane import Hurricane

OFF: Mapping[str, object] = {
    "replay": 0,
    "repeats": 0,
    "forget_below": 0.0,
    "tags": False,
    "summaries": 0.0,
}
"""Settings of a night without any part."""

ARMS: Mapping[str, Mapping[str, object]] = {
    "default night": {},
    **{f"without {name}": {name: value} for name, value in OFF.items()},
    "no night": OFF,
    "with relate": {"relate": True},
    "summaries of all": {"summaries": 1.0},
}
"""Arms with their settings of the group sleep; the first is the reference."""

DAY = 24


def build(agents: int, days: int, sleep: Mapping[str, object]) -> Hurricane:
    """Build a society that records nothing."""
    settings: dict[str, Any] = {"agents": agents, "days": days, "record": {"tables": ()}}
    return Hurricane(rng=1, sleep=dict(sleep), **settings)


def live(society: Hurricane) -> float:
    """Run one day; return the processor time in seconds."""
    begin = time.process_time()
    for _ in range(DAY):
        society.step()
    return time.process_time() - begin


def stream_bytes(society: Hurricane) -> float:
    """Return the bytes of the streams and the summaries of a citizen."""
    memory = society.population("citizen").memory
    memory.flush()
    held = memory.streams.nbytes
    status = memory.status
    written = status.encoded("summaries") if "summaries" in status.attributes else ()
    return (held + sum(len(text) for text in written if len(text) > 2)) / len(memory)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--days", type=int, default=8)
    parser.add_argument("--arms", nargs="*", default=list(ARMS), choices=list(ARMS))
    options = parser.parse_args(arguments)
    names = list(dict.fromkeys([next(iter(ARMS)), *options.arms]))
    societies = {name: build(options.agents, options.days, ARMS[name]) for name in names}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for day in range(options.days):
        # Every other day in reverse order, so that no arm always runs first.
        for name in names[:: 1 if day % 2 else -1]:
            seconds[name].append(live(societies[name]))
    usual = names[0]
    size = stream_bytes(societies[usual])
    speed = options.agents * DAY / statistics.median(seconds[usual][1:])
    print(f"{usual}: {speed:,.0f} agent-steps a second, {size:,.0f} bytes a citizen")
    print(f"{'':<24}{'time':>8}{'lowest':>9}{'highest':>9}{'bytes':>8}")
    for name in names[1:]:
        # The first day compiles.
        pairs = zip(seconds[name][1:], seconds[usual][1:], strict=True)
        ratios = [one / other for one, other in pairs]
        memory = stream_bytes(societies[name]) / size
        print(
            f"{name:<24}{statistics.median(ratios):>8.3f}{min(ratios):>9.3f}"
            f"{max(ratios):>9.3f}{memory:>8.3f}"
        )


if __name__ == "__main__":
    main()
