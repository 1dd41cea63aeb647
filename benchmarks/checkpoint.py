"""Compare the time of a checkpoint of a large society with writing the same bytes.

All streams are full, so nearly all bytes are memories. Both methods write in turn and wait until
the data is on the disk. Then the society continues; it is loaded from the checkpoint and continued
again, and both must have the same state. Needs space for two states on the disk (about 7 GB by
default), in the given folder.
"""

import argparse
import gc
import hashlib
import os
import shutil
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from memopolis.sim.block import Block
from memopolis.sim.population import Agent, attribute
from memopolis.sim.running.building import load_state
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import checkpoints_of, write_checkpoint
from memopolis.sim.state.state import State, state_of

AT_ONCE = 25
TEXTS = 50_000


class Resident(Agent):
    """An agent with a mood and a note."""

    mood: float = attribute(0.5)
    note: str = attribute("nothing yet")


class Live(Block):
    """Store memories, recall, and change the mood."""

    def step(self, cohort: Any) -> None:
        """Let one agent in a hundred recall, and store one memory for each agent."""
        some = cohort.where(self.chance.uniform(cohort) < 0.01)
        matches = some.stream.search("what happened at work", k=5)
        some["mood"] = matches.scores.mean(axis=1).astype(np.float32)
        cohort.stream.add("work", f"Step {self.clock.tick}", importance=0.4)


class Crowd(Society[Settings]):
    """Many people with long memories."""

    def build(self, settings: Settings) -> None:
        """Create the agents."""
        self.populate(Resident, settings.agents, blocks=[Live()])


def fill(society: Crowd, memories: int) -> None:
    """Fill all streams with random texts, agent by agent."""
    memory = society.populations[0].memory
    rng = np.random.default_rng(1)
    numbers = memory.texts.intern_many(
        [f"Something of the kind {n} happened" for n in range(TEXTS)]
    )
    for _ in range(0, memories, AT_ONCE):
        rows = np.repeat(np.arange(len(memory)), AT_ONCE)
        memory.of(rows).stream.add(
            "work", rng.choice(numbers, len(rows)), importance=rng.random(len(rows), np.float32)
        )
        memory.flush()


def raw(state: State, path: Path) -> None:
    """Write the bytes of a state, and wait until they are on the disk."""
    with path.open("wb", buffering=0) as file:
        for values in state.arrays.values():
            left = memoryview(np.ascontiguousarray(values).reshape(-1).view(np.uint8))
            while left:
                left = left[file.write(left) :]
        os.fsync(file.fileno())


def digest(society: Society[Any]) -> str:
    """Compute a checksum of the state."""
    state = state_of(society)
    sums = {
        name: crc32(np.ascontiguousarray(a).reshape(-1).view(np.uint8))
        for name, a in state.arrays.items()
    }
    return hashlib.sha256(repr([sums, state.plain]).encode()).hexdigest()[:16]


def seconds(action: Any, *arguments: Any) -> float:
    """Time a function after the disk has become idle."""
    os.sync()
    begun = time.perf_counter()
    action(*arguments)
    return time.perf_counter() - begun


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--agents", type=int, default=100_000)
    options.add_argument("--memories", type=int, default=1_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--folder", type=Path, help="where to write; by default a temporary one")
    arguments = options.parse_args()
    society = Crowd(agents=arguments.agents, rng=1)
    fill(society, arguments.memories)
    society.step()
    times: dict[str, list[float]] = {"raw": [], "checkpoint": []}
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        for _ in range(arguments.rounds):
            times["raw"].append(seconds(raw, state_of(society), folder / "raw"))
            (folder / "raw").unlink()
            shutil.rmtree(folder / "checkpoints", ignore_errors=True)
            times["checkpoint"].append(
                seconds(partial(write_checkpoint, position={}), society, folder)
            )
        (checkpoint,) = checkpoints_of(folder)
        size = sum(file.stat().st_size for file in checkpoint.folder.iterdir())
        society.step()
        wanted = digest(society)
        del society
        gc.collect()
        begun = time.perf_counter()
        loaded = load_state(checkpoint.folder)
        load = time.perf_counter() - begun
        loaded.step()
        same = digest(loaded) == wanted
    median = {way: statistics.median(all_times) for way, all_times in times.items()}
    print(
        f"\nA checkpoint of {arguments.agents:,} people with {arguments.memories:,} memories each"
    )
    print(f"{size / 1e9:.2f} GB, medians of {arguments.rounds} rounds in turn")
    for way, taken in median.items():
        each = ", ".join(f"{one:.2f}" for one in times[way])
        print(f"{way:12}{taken:8.2f} s{size / taken / 1e9:8.2f} GB/s   ({each})")
    print(f"ratio       {median['checkpoint'] / median['raw']:8.2f}")
    print(f"load        {load:8.2f} s")
    print(f"goes on bit by bit the same: {same}")


if __name__ == "__main__":
    main()
