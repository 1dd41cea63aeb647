"""Several threads, and forked processes, use one memory."""

import multiprocessing
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

from memopolis import Memory
from memopolis.memory import carry
from memopolis.sim.memory.interface import AgentView, CohortView
from memopolis.sim.memory.locking import new_lock
from memopolis.sim.memory.text.texts import Texts

AGENTS = 4
EVENTS = 40
_SECONDS = 60


@pytest.fixture(autouse=True)
def switch_often() -> Iterator[None]:
    """Switch threads after each instruction, so that a race is likely to show."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def live(memory: Memory, row: int, *, first: int = 0) -> None:
    """Let one agent experience, recall, link, forget and change its status."""
    stream = memory[row].stream
    for number in range(first, first + EVENTS):
        topic = f"topic {(row + number) % 7}"
        event = stream.add(topic, f"event {number} of {row}", importance=number % 10 / 10)
        stream.search("event", k=3, profile=("recall", "act", "working")[number % 3])
        if number % 5 == 0:
            stream.link([event], f"thought {number} of {row}")
            memory[row].status[f"mood {number}"] = float(row)
        if number % 7 == 0:
            stream.forget([event])
        stream.today("event", k=2)


def content(memory: Memory) -> list[list[tuple[object, ...]]]:
    """Return what each agent remembers; numbers of texts and topics depend on the order."""
    return [
        [
            (one.id, one.text, one.topic, one.importance, one.kind, one.thought)
            for one in agent.observed.stream.read(agent.observed.stream.list_ids())
        ]
        for agent in memory
    ]


def run_threads(works: Sequence[Callable[[], object]]) -> list[Exception]:
    """Run each work in a thread of its own; return the errors."""
    with ThreadPoolExecutor(len(works)) as pool:
        jobs = [pool.submit(work) for work in works]
        errors = [job.exception(timeout=_SECONDS) for job in jobs]
    return [error for error in errors if isinstance(error, Exception)]


def test_agents_in_threads_remember_what_they_do_in_one_thread() -> None:
    alone, together = Memory(AGENTS), Memory(AGENTS)
    for row in range(AGENTS):
        live(alone, row)
    errors = run_threads([lambda row=row: live(together, row) for row in range(AGENTS)])  # type: ignore[misc]
    assert errors == []
    assert content(together) == content(alone)
    for row, agent in enumerate(together):
        assert agent.status["mood 35"] == row


def test_threads_add_to_one_agent_without_a_loss() -> None:
    memory = Memory(1)

    def add(thread: int) -> None:
        for number in range(100):
            memory[0].stream.add("work", f"{thread} {number}")

    assert run_threads([lambda thread=thread: add(thread) for thread in range(4)]) == []  # type: ignore[misc]
    texts = [one.text for one in memory[0].stream.read(memory[0].stream.list_ids())]
    assert sorted(texts) == sorted(
        f"{thread} {number}" for thread in range(4) for number in range(100)
    )


def test_threads_that_write_a_new_key_at_once_lose_no_value() -> None:
    for _ in range(60):
        memory, start = Memory(8), threading.Barrier(8)

        def write(row: int, memory: Memory = memory, start: threading.Barrier = start) -> None:
            start.wait(_SECONDS)
            memory[row].status["key"] = row + 1
            assert "key" in memory[row].status
            assert "other" not in list(memory[7 - row].status)

        assert run_threads([partial(write, row) for row in range(8)]) == []
        assert [agent.status.get("key", 0) for agent in memory] == list(range(1, 9))


def test_threads_carry_agents_to_a_memory_in_use() -> None:
    source = Memory(4)
    for number in range(30):
        source.now = number
        source.stream.add("talk", [f"event {number} of source {row}" for row in range(4)])
    for _ in range(10):
        memory = Memory(6)
        memory.now = source.now
        works: list[Callable[[], object]] = [
            partial(carry, source[row], memory[row]) for row in range(4)
        ]
        works += [partial(live, memory, row) for row in (4, 5)]
        assert run_threads(works) == []
        texts = [[text for _, text, *_ in agent] for agent in content(memory)]
        assert texts[:4] == [[text for _, text, *_ in agent] for agent in content(source)]


def test_a_memory_in_use_is_copied_whole_with_its_lock() -> None:
    memory, stop = Memory(2), threading.Event()

    def live_on() -> None:
        number = 0
        while not stop.is_set():
            memory[0].stream.add("work", f"event {number}")
            number += 1
            if number % 1_000 == 0:
                assert len(memory[0].stream) <= 1_000

    thread = threading.Thread(target=live_on)
    thread.start()
    try:
        for _ in range(20):
            with memory.lock:
                copy = pickle.loads(pickle.dumps(memory))  # noqa: S301 - made here
            assert content(copy)[0] == content(copy)[0]
            copy[1].stream.add("work", "a copy")
            assert len(copy[1].stream) == 1
    finally:
        stop.set()
        thread.join(_SECONDS)


def test_memories_with_the_same_texts_have_one_lock() -> None:
    texts = Texts()
    first, second = Memory(2, texts=texts), Memory(2, texts=texts)
    assert first.lock is second.lock is not Memory(2).lock
    errors = run_threads([lambda m=m, r=r: live(m, r) for m in (first, second) for r in (0, 1)])  # type: ignore[misc]
    assert errors == []
    alone = Memory(2)
    live(alone, 0)
    live(alone, 1)
    assert content(first) == content(second) == content(alone)


def test_a_restored_memory_has_one_lock_with_its_texts() -> None:
    memory, other = Memory(2), Memory(2)
    live(memory, 0)
    other.restore(memory.state())
    assert other.lock is other.texts.lock


@pytest.mark.parametrize("view", [CohortView, AgentView])
def test_every_public_verb_of_a_view_holds_the_lock(view: type[Any]) -> None:
    """A verb that is called while another thread holds the lock waits."""
    verbs: list[tuple[type[Any], str]] = [
        (one, name)
        for one in view.__subclasses__()
        for name, value in vars(one).items()
        if not name.startswith("_") and callable(value) and name not in ("kind", "attribute")
    ]
    assert len(verbs) > 5
    unlocked = {name for one, name in verbs if not hasattr(getattr(one, name), "__wrapped__")}
    assert unlocked <= {"add", "search"}, "these take the lock themselves"


@pytest.mark.parametrize(
    "use",
    [
        lambda memory: memory[0].stream.add("work", "Saw smoke"),
        lambda memory: memory[0].stream.search("smoke"),
        lambda memory: memory.stream.search("smoke"),
        lambda memory: memory.stream.add("work", "Saw smoke"),
        lambda memory: memory.stream.located(np.array([[0]])).column("text"),
        lambda memory: memory[0].status.update({"mood": 1.0}),
        lambda memory: memory[0].sleep(),
    ],
)
def test_a_verb_waits_for_another_thread(use: Callable[[Memory], object]) -> None:
    memory, ended = Memory(1), threading.Event()

    def call() -> None:
        use(memory)
        ended.set()

    with memory.lock:
        thread = threading.Thread(target=call)
        thread.start()
        assert not ended.wait(0.2)
    thread.join(_SECONDS)
    assert ended.is_set()


_SHARED = Memory(AGENTS)


def _live_in_child(row: int) -> list[list[tuple[object, ...]]]:
    live(_SHARED, row, first=100)
    return content(_SHARED)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_processes_forked_while_threads_remember_have_whole_memories() -> None:
    stop = threading.Event()

    def live_on() -> None:
        number = 0
        while not stop.is_set():
            _SHARED[0].stream.add("work", f"event {number}")
            _SHARED[0].stream.search("event", k=2)
            number += 1

    thread = threading.Thread(target=live_on)
    thread.start()
    try:
        for row in (1, 2, 3):
            with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
                lives = pool.submit(_live_in_child, row).result(_SECONDS)
            assert [str(text).split()[0] for _, text, *_ in lives[0]] == ["event"] * len(lives[0])
            alone = Memory(AGENTS)
            live(alone, row, first=100)
            assert lives[row] == content(alone)[row]
    finally:
        stop.set()
        thread.join(_SECONDS)
    assert len(_SHARED[1].stream) == 0, "a child changes its own copy"


def test_a_lock_that_no_memory_has_is_forgotten() -> None:
    from memopolis.sim.memory import locking

    before = len(locking._locks)
    lock = new_lock()
    assert len(locking._locks) == before + 1
    del lock
    assert len(locking._locks) == before
