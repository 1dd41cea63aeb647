"""Compare recall with Concordia: `make bench-others`.

Recalls the best 10 memories of an agent with 1,000 memories, in Concordia and in Memopolis. All
variants run on one thread, one after the other in each round; the table shows medians over rounds.
"""

import os

from own_process import ONE_THREAD

os.environ.update(ONE_THREAD)  # libraries read these when they are imported

import argparse
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from act import MEMORIES, QUERY, TEXTS, K, median_seconds
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from memopolis import Memory

DIMENSIONS = 384


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    Console(width=110).print(_speed_of_recall(rounds))


def _speed_of_recall(rounds: int) -> Table:
    agents = 200
    memory = Memory(agents=agents)
    memory.threads = 1
    for text in TEXTS:
        memory.stream.add("social", text)
    first = next(iter(memory)).observed.stream
    everyone = memory.observed.stream
    variants: dict[str, tuple[int, Callable[[], object]]] = {
        **_concordia_variant(TEXTS, QUERY),
        "Memopolis, one agent": (1, partial(first.search, QUERY, K)),
        f"Memopolis, {agents} agents at once": (agents, partial(everyone.search, QUERY, K)),
    }
    seconds = median_seconds({name: run for name, (_, run) in variants.items()}, rounds)
    table = Table(title=f"Recall of the best {K} of {MEMORIES:,} memories, processor time")
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


if __name__ == "__main__":
    main()
