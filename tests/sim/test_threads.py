import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from memopolis.agents.citizen import Citizen
from memopolis.sim import block
from memopolis.sim.block import Block
from memopolis.sim.errors import MemopolisError
from memopolis.sim.population import Cohort
from memopolis.sim.running.resuming import resume
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.threads import THREAD, await_earlier_parts, is_part, run_all, run_parts, split

AGENTS = 40


class Items:
    """A queue of plain items."""

    def __init__(self) -> None:
        self.items: list[int] = []

    def extend(self, other: "Items") -> None:
        self.items += other.items


def queue_of(whole: Items) -> Items:
    """Return the queue to use in this thread, as the owner of a queue does."""
    return whole if THREAD.part is None else THREAD.part.queue_of(whole)


def test_parts_are_contiguous_and_nearly_equal() -> None:
    assert split(10, 3, least=1) == [(0, 3), (3, 6), (6, 10)]
    assert split(10, 3, least=4) == [(0, 5), (5, 10)]
    assert split(10, 1, least=1) == [(0, 10)]
    assert split(3, 8, least=2) == [(0, 3)]
    assert split(0, 8, least=2) == [(0, 0)]


def test_queues_are_joined_in_the_order_of_parts() -> None:
    whole = Items()
    last_first = [threading.Event() for _ in range(4)]
    last_first[3].set()

    def work(number: int) -> None:
        last_first[number].wait(5)
        assert is_part()
        assert split(100, 4, least=1) == [(0, 100)]
        queue_of(whole).items.append(number)
        assert not whole.items
        if number:
            last_first[number - 1].set()

    run_parts([partial(work, number) for number in range(4)])
    assert whole.items == [0, 1, 2, 3]
    assert not is_part()
    assert queue_of(whole) is whole


def test_a_part_waits_for_earlier_parts() -> None:
    order: list[int] = []

    def work(number: int) -> None:
        if number == 0:
            time.sleep(0.05)
        await_earlier_parts()
        order.append(number)

    run_parts([partial(work, number) for number in range(3)])
    assert order == [0, 1, 2]


def test_the_error_of_the_first_part_is_raised_and_nothing_is_joined() -> None:
    whole, ended = Items(), threading.Event()

    def work(number: int) -> None:
        queue_of(whole).items.append(number)
        if number == 2:
            time.sleep(0.05)
            ended.set()
        elif number:
            raise ValueError(number)

    with pytest.raises(ValueError, match=r"^1$"):
        run_parts([partial(work, number) for number in range(3)])
    assert ended.is_set()
    assert not whole.items


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of threads")
def test_all_work_has_ended_when_waiting_is_interrupted() -> None:
    ended = threading.Event()
    # A process that was started in the background ignores the signal.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt() -> None:
        time.sleep(0.05)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        time.sleep(0.05)
        ended.set()

    try:
        with pytest.raises(KeyboardInterrupt):
            run_all([lambda: None, interrupt])
    finally:
        signal.signal(signal.SIGINT, former)
    assert ended.is_set()


def test_all_work_has_ended_when_the_main_thread_is_interrupted() -> None:
    ended = threading.Event()

    def interrupt() -> None:
        raise KeyboardInterrupt

    def other() -> None:
        time.sleep(0.05)
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        run_all([interrupt, other])
    assert ended.is_set()


# Blocks


class Parted(Block):
    """Remember a text in parts, another one for each agent."""

    writes: ClassVar[tuple[str, ...]] = ()
    by_row = True
    threads: ClassVar[set[int]] = set()
    then: ClassVar[Callable[[Cohort], None] | None] = None

    def step(self, cohort: Cohort) -> None:
        self.threads.add(threading.get_ident())
        texts = [f"this is agent {row} in step {self.clock.tick}" for row in cohort.rows]
        cohort.memory.stream.add(f"topic of {cohort.rows[0] // 5}", texts)
        if Parted.then is not None:
            Parted.then(cohort)


class Town(Society[Settings]):
    def build(self, settings: Settings) -> None:
        self.give(self.populate(Citizen, settings.agents), Parted())


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block, "ROWS_PER_PART", 5)
    monkeypatch.setattr(Parted, "threads", set())
    monkeypatch.setattr(Parted, "then", None)


def step_of(threads: int) -> Town:
    town = Town(agents=AGENTS, rng=1, threads=threads, days=1)
    for _ in range(3):
        town.step()
    return town


@pytest.mark.usefixtures("few_rows")
def test_numbers_of_texts_and_memories_do_not_depend_on_threads() -> None:
    one = step_of(1)
    assert len(Parted.threads) == 1
    for number in (2, 4):
        several = step_of(number)
        mine, other = (town.populations[0].memory for town in (one, several))
        assert mine.texts.all == other.texts.all
        assert np.array_equal(mine.streams.listed()[:2], other.streams.listed()[:2])
        ids = np.arange(3)[None, :].repeat(AGENTS, axis=0)
        assert np.array_equal(mine.stream.column("text", ids), other.stream.column("text", ids))
    assert len(Parted.threads) > 1


def break_at(cohort: Cohort, row: int) -> None:
    if row in cohort.rows:
        raise MemopolisError(f"agent {row} failed")


@pytest.mark.usefixtures("few_rows")
def test_an_error_in_a_thread_names_block_and_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Parted, "then", partial(break_at, row=AGENTS - 1))
    with pytest.raises(MemopolisError, match="agent 39 failed") as error:
        step_of(2)
    assert "block parted" in " ".join(error.value.__notes__)


@pytest.mark.usefixtures("few_rows")
def test_a_run_stopped_inside_a_part_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(cohort: Cohort) -> None:
        if cohort.rows[0] == 0 and cohort.population.society.clock.tick == 15:
            raise KeyboardInterrupt

    whole = Town(agents=AGENTS, rng=1, threads=2, days=1).run(tmp_path / "whole")
    monkeypatch.setattr(Parted, "then", stop)
    town = Town(agents=AGENTS, rng=1, threads=2, days=1, **{"checkpoint.every": 6})
    with pytest.raises(KeyboardInterrupt):
        town.run(tmp_path / "run")
    monkeypatch.setattr(Parted, "then", None)
    resumed = resume(tmp_path / "run", scenario=Town)
    for table in ("memories", "texts"):
        read = [sorted((run / "tables" / table).iterdir()) for run in (whole, resumed)]
        assert read[0]
        assert tables_of(read[0]) == tables_of(read[1])


def tables_of(parts: list[Path]) -> str:
    import pandas as pd

    frame = pd.concat([pd.read_parquet(part) for part in parts])
    keys = [name for name in ("agent", "id", "hash") if name in frame]
    return frame.sort_values(keys, ignore_index=True).to_csv()
