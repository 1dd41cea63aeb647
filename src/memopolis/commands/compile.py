"""`memopolis compile`: compile all kernels, so that the first run starts faster."""

import time

import numpy as np

from memopolis.commands.terminal import compiling, print_line, stderr_console
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.chance import Chance
from memopolis.sim.compilation import ALL, compilation, shown_by
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.clusters import cluster
from memopolis.sim.memory.night.merging import merge_repeats
from memopolis.sim.memory.night.related import related
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.world.ties import Network


def compile_all() -> None:
    """Compile all kernels by calling them; numba caches compiled functions on disk by type."""
    parts = {
        "random streams": _chance,
        "networks": _ties,
        "memory and relevance": _memory,
        "consolidation": _nights,
        "the hurricane scenario": _hurricane,
    }
    total = time.perf_counter()
    # Without a terminal, the lines below are enough.
    with shown_by(lambda _: None), compiling(stderr_console(), ALL):
        for name, use in parts.items():
            started = time.perf_counter()
            use()
            print_line(f"{name}: {time.perf_counter() - started:.1f} s")
    seconds = time.perf_counter() - total
    print_line(f"Compiled {compilation.functions} functions in {seconds:.1f} s")


def _chance() -> None:
    chance, rows = Chance(0), np.arange(4)
    chance.uniform("compile", rows)
    chance.normal("compile", rows)
    chance.bits("compile", rows)


def _ties() -> None:
    Network(3, [0, 1], [1, 2]).mean(np.ones(3), np.arange(3))


def _memory() -> None:
    """Use every search method: by table, by pairs, filtered and random."""
    for agents in (1, 300):
        memory = Memory(agents)
        everyone = memory.stream
        for tick in range(3):
            memory.now = tick
            everyone.add("news", f"A storm comes nearer, day {tick}.", place=0, continues=tick > 0)
            ids = everyone.add("work", [f"Worked in room {i % 7}" for i in range(agents)], actor=0)
        for queries in (["storm"], ["storm", "work in a room"]):
            each = np.arange(agents) % len(queries)
            for _ in range(2):
                everyone.search(queries, k=3, each=each, explain=True)
                everyone.search(
                    queries,
                    k=3,
                    each=each,
                    where=Filter(topic="news", days=(0, 0), place=0),
                    actor=0,
                )
        everyone.search([f"storm {i}" for i in range(agents)], k=2)
        everyone.today(k=1)
        everyone.link(ids[:, None], "Much happens.", importance=0.5)
        memory.recall = "random"
        everyone.search("storm", k=2)
        memory.recall = "none"
        everyone.search("storm", k=2)
        memory.recall = "scored"
        everyone.search("storm", k=2)


def _nights() -> None:
    """Use every step of consolidation, with shared texts and with distinct texts."""
    rows = np.arange(8)
    for template in ("Bread", "Bread {}"):
        memory = Memory(len(rows))
        for merge in (False, True, False):
            memory.stream.add("work", [template.format(i) for i in rows], merge=merge)
        memory.layer_settings = LayerSettings(short_term_size=0)
        cluster(memory, rows)
        related(memory, rows, rows[:, None])
        merge_repeats(memory, rows, 2)


def _hurricane() -> None:
    society = Hurricane(agents=200, days=2.0, rng=0)
    while society.running:
        society.step()
