"""Compare speed with Mesa, AMBER and Concordia: `make bench-others`.

Two tables. The first runs one model, a transfer of wealth between random agents, as Mesa objects,
in both forms of AMBER and in both forms of Memopolis. The second recalls the best 10 memories of an
agent with 1,000 memories, in Concordia and in Memopolis. All variants run on one thread, one after
the other in each round; the tables show medians over rounds. Packages that are not installed are
left out.
"""

# ruff: noqa: E402 - libraries read these when they are imported
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version

import mesa
import numpy as np
from act import AGENTS as SMALL
from act import MEMORIES, QUERY, STEPS, TEXTS, K, MesaTown, Person, TownInTurn
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from memopolis import Block, Cohort, Memory, Settings, Society

LARGE = 100_000
"""Agents of the variants that work on arrays."""
DIMENSIONS = 384


class GiveAtOnce(Block):
    """Let all persons give at once."""

    reads = writes = ("wealth",)

    def step(self, people: Cohort) -> None:
        """Move one unit from each person that has one to a random person."""
        wealth = people.status["wealth"]
        givers = wealth > 0
        receivers = (self.chance.uniform(people)[givers] * len(people)).astype(np.int64)
        people.status["wealth"] = wealth - givers + np.bincount(receivers, minlength=len(people))


class Town(Society[Settings]):
    """The model of `act.py` with arrays."""

    def build(self, settings: Settings) -> None:
        """Create the persons."""
        self.populate(Person, settings.agents, blocks=[GiveAtOnce()])


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    console = Console(width=110)
    console.print(_speed_of_steps(rounds))
    console.print(_speed_of_recall(rounds))


def _speed_of_steps(rounds: int) -> Table:
    variants: dict[str, tuple[int, Callable[[], float]]] = {
        f"Mesa {mesa.__version__}, objects": (SMALL, _steps_of(MesaTown(SMALL))),
        "Memopolis, `act` for each agent": (SMALL, _steps_of(TownInTurn(agents=SMALL, rng=1))),
        "Memopolis, `step` on arrays": (LARGE, _steps_of(Town(agents=LARGE, rng=1))),
        **_amber_variants(),
    }
    table = Table(title=f"Transfer of wealth, {STEPS} steps a round, one thread")
    for column in ("variant", "agents", "agent-steps a second", "compared with Mesa"):
        table.add_column(column, justify="left" if column == "variant" else "right")
    seconds = _medians({name: variant for name, (_, variant) in variants.items()}, rounds)
    speeds = {name: agents * STEPS / seconds[name] for name, (agents, _) in variants.items()}
    base = next(iter(speeds.values()))
    for name, speed in speeds.items():
        table.add_row(name, f"{variants[name][0]:,}", f"{speed:,.0f}", f"{speed / base:.2f}")
    return table


def _steps_of(model: mesa.Model) -> Callable[[], float]:
    def run() -> None:
        for _ in range(STEPS):
            model.step()

    run()  # warm up: compile, fill caches
    return partial(_seconds, run)


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _amber_variants() -> dict[str, tuple[int, Callable[[], float]]]:
    try:
        from amber_models import AmberColumns, AmberObjects
    except ImportError:
        return {}

    def run(model: type, agents: int, mode: str, steps: int) -> None:
        model({"n": agents, "steps": steps, "seed": 1}).cpu(mode=mode).run()

    def seconds(model: type, agents: int, mode: str) -> float:
        # AMBER builds a model when it runs it: the difference of two runs leaves the steps.
        short, long = (partial(run, model, agents, mode, n * STEPS) for n in (1, 2))
        return _seconds(long) - _seconds(short)

    name = f"AMBER {version('ambr')}"
    return {
        f"{name}, objects": (SMALL, partial(seconds, AmberObjects, SMALL, "oop")),
        f"{name}, columns": (LARGE, partial(seconds, AmberColumns, LARGE, "vectorized")),
    }


def _speed_of_recall(rounds: int) -> Table:
    agents = 200
    memory = Memory(agents=agents)
    for text in TEXTS:
        memory.stream.add("social", text)
    first = next(iter(memory)).observed.stream
    everyone = memory.observed.stream
    variants: dict[str, tuple[int, Callable[[], object]]] = {
        **_concordia_variant(TEXTS, QUERY),
        "Memopolis, one agent": (1, partial(first.search, QUERY, K)),
        f"Memopolis, {agents} agents at once": (agents, partial(everyone.search, QUERY, K)),
    }
    for _, run in variants.values():
        run()
    seconds = _medians(
        {name: partial(_seconds, run) for name, (_, run) in variants.items()}, rounds
    )
    table = Table(title=f"Recall of the best {K} of {MEMORIES:,} memories, one thread")
    for column in ("variant", "milliseconds an agent"):
        table.add_column(column, justify="left" if column == "variant" else "right")
    for name, (number, _) in variants.items():
        table.add_row(name, f"{seconds[name] / number * 1e3:.3f}")
    return table


def _concordia_variant(texts: list[str], query: str) -> dict[str, tuple[int, Callable[[], object]]]:
    """Concordia's memory with random unit vectors, so that no embedding model is timed."""
    try:
        from concordia.associative_memory import basic_associative_memory
    except ImportError:
        return {}
    rng = np.random.default_rng(1)

    def embed(_: str) -> NDArray[np.float64]:
        vector = rng.standard_normal(DIMENSIONS)
        unit: NDArray[np.float64] = vector / np.linalg.norm(vector)
        return unit

    bank = basic_associative_memory.AssociativeMemoryBank(sentence_embedder=embed)
    for text in texts:
        bank.add(text)
    try:
        name = f"Concordia {version('gdm-concordia')}, one agent"
    except PackageNotFoundError:
        name = "Concordia, one agent"
    return {name: (1, partial(bank.retrieve_associative, query, K))}


def _medians(variants: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Return the median seconds of each variant; each round runs all of them in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(rounds):
        for name, run in variants.items():
            seconds[name].append(run())
    return {name: statistics.median(values) for name, values in seconds.items()}


if __name__ == "__main__":
    main()
