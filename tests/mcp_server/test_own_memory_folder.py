"""The folder of an assistant's memory: what is on disk before a version is removed, and clocks."""

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from memopolis import Memory
from memopolis.mcp_server import own_memory_tools
from memopolis.mcp_server.own_memory_tools import OwnMemory, OwnMemoryTools
from memopolis.sim.errors import RunFolderError
from memopolis.sim.memory.night.sleep import Night
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.saving.folder import FILES

DAY = 24 * 60  # ticks of a day
PRESENT = 29_000_000  # a tick in February 2025


def tools_of(folder: Path) -> OwnMemoryTools:
    return OwnMemoryTools(OwnMemory(folder))


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"memory.lock"}


def texts_in(tools: OwnMemoryTools) -> list[str]:
    return [row["text"] for row in tools.list_memories(limit=100).rows][::-1]


def damage(version: Path, name: str = "memory.json") -> None:
    path = version / name
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def test_a_version_is_on_disk_before_an_older_one_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.name == "nt":
        pytest.skip("folders cannot be synced")
    tools = tools_of(tmp_path / "notes")
    for number in range(2):
        tools.store_memory(text=f"Note {number}.")
    acts: list[str] = []
    opened: dict[int, str] = {}
    open_, sync, rename, unlink = os.open, os.fsync, Path.rename, Path.unlink

    def note_open(path: str | Path, *arguments: int, **more: int) -> int:
        descriptor = open_(path, *arguments, **more)
        opened[descriptor] = Path(path).name
        return descriptor

    def note_sync(descriptor: int) -> None:
        acts.append(f"sync {opened.get(descriptor, 'a file')}")
        sync(descriptor)

    def note_rename(path: Path, target: Path) -> Path:
        acts.append(f"rename to {target.name}")
        return rename(path, target)

    def note_unlink(path: Path, *, missing_ok: bool = False) -> None:
        acts.append(f"remove from {path.parent.name}")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(os, "open", note_open)
    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "rename", note_rename)
    monkeypatch.setattr(Path, "unlink", note_unlink)
    tools.store_memory(text="Note 2.")
    monkeypatch.undo()
    removed = acts.index("remove from version-2")
    renamed = acts.index("rename to version-3")
    assert "sync version-next.writing" in acts[:renamed]
    assert "sync notes" in acts[renamed:removed]


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_memory_is_refused_and_kept(tmp_path: Path, name: str) -> None:
    tools = tools_of(tmp_path)
    for number in range(2):
        tools.store_memory(text=f"Note {number}.")
    damage(tmp_path / "version-2", name)
    with pytest.raises(RunFolderError, match="version-2"):
        tools_of(tmp_path)
    assert names_in(tmp_path) == {"version-2"}


def test_a_newest_version_of_another_kind_is_refused_and_not_replaced(tmp_path: Path) -> None:
    tools_of(tmp_path).store_memory(text="Mine.")
    Memory(2).save(tmp_path / "version-2")
    with pytest.raises(RunFolderError, match="2 agents"):
        tools_of(tmp_path)
    assert names_in(tmp_path) == {"version-1", "version-2"}


def test_forgotten_texts_are_in_no_file(tmp_path: Path) -> None:
    tools = tools_of(tmp_path)
    tools.store_memory(text="The kettle is blue.")
    number = tools.store_memory(text="The code of the safe is 7314.").model_dump()["id"]
    tools.forget_memories(ids=[number])
    assert names_in(tmp_path) == {"version-3"}
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"kettle" in content
    assert b"7314" not in content
    assert texts_in(tools) == texts_in(tools_of(tmp_path)) == ["The kettle is blue."]


def test_a_replaced_text_is_in_no_file(tmp_path: Path) -> None:
    tools = tools_of(tmp_path)
    tools.store_memory(text="The code of the safe is 7314.")
    tools.update_memory(id=0, text="The safe is gone.")
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"safe" in content
    assert b"7314" not in content


def test_a_memory_whose_folder_was_emptied_begins_again(tmp_path: Path) -> None:
    tools = tools_of(tmp_path)
    tools.store_memory(text="Old.")
    for path in (tmp_path / "version-1").iterdir():
        path.unlink()
    (tmp_path / "version-1").rmdir()
    assert texts_in(tools) == []
    tools.store_memory(text="New.")
    assert texts_in(tools) == ["New."]


type SetClock = Callable[[float], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Set the clock of the machine to a tick."""

    def set_(tick: float) -> None:
        clock = SimpleNamespace(time=lambda: 60.0 * tick)
        monkeypatch.setattr(own_memory_tools, "time", clock)

    return set_


def tick_of(text: str) -> float:
    return datetime.fromisoformat(text).timestamp() / 60


WRONG = (
    2**31 - 5,  # 6053, the last minute that a memory can have
    PRESENT + 3 * 365 * DAY,
    PRESENT - 10 * 365 * DAY,
    0,  # 1970, as after a flat battery
    -30 * 365 * DAY,
)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("restarts", [True, False])
def test_a_wrong_clock_dates_only_the_memories_of_that_time(
    tmp_path: Path, set_clock: SetClock, wrong: int, *, restarts: bool
) -> None:
    served: list[OwnMemoryTools] = []

    def tools() -> OwnMemoryTools:
        if restarts or not served:
            served.append(tools_of(tmp_path))
        return served[-1]

    def times() -> list[float]:
        rows = tools().list_memories(limit=100).rows
        return [tick_of(row["time"]) for row in rows][::-1]

    def check_searches() -> None:
        count = len(times())
        for query in ("the ferry", "in 2025", "in March", "3 May 1970"):
            for rows in (
                tools().search_memory(query=query, k=50).memories,
                tools().context_search(query=query, k=50).memories,
            ):
                assert len(rows) == count or query != "the ferry"
                assert all(row["recency"] <= 1 for row in rows if "recency" in row)
        assert len(tools().recommend_memories(k=50).memories) == count
        assert tools().assess_knowledge(topic="the ferry").model_dump()["memories"] > 0
        assert tools().knowledge_map(topic="the ferry").nodes
        tools().review_list(k=50)

    set_clock(PRESENT)
    tools().store_memory(text="The ferry leaves at nine.")
    set_clock(wrong)
    tools().store_memory(text="The ferry has a bar.")
    tools().update_memory(id=0, importance=0.6)
    check_searches()
    with tools()._own.changing() as memory:
        memory.sleep(Night(relate=True, cluster=True, merge=2, repeats=2))
    as_recorded = max(wrong, 0)
    assert times() == [PRESENT, as_recorded]

    set_clock(PRESENT + 3 * DAY)
    tools().store_memory(text="The ferry is late in winter.")
    assert times() == [PRESENT, as_recorded, PRESENT + 3 * DAY]
    about = tools().describe_memory().model_dump()
    assert tick_of(about["first"]) == min(times())
    assert tick_of(about["last"]) == max(times())
    # The accesses of the wrong time are no reason to put off a review.
    due = {row["id"] for row in tools().review_list(k=50, least=0).memories}
    assert due == ({0, 1} if wrong > PRESENT else due)
    tools().read_memories(ids=[0, 1, 2])
    check_searches()
    with tools()._own.reading() as observed:
        accessed = observed.stream.column("accessed", [0, 1, 2]).tolist()
        assert accessed == [PRESENT + 3 * DAY] * 3
    assert tools().review_list(k=50, least=0).memories == []
    set_clock(PRESENT + 100 * 365 * DAY)
    assert {row["id"] for row in tools().review_list(k=50, least=0).memories} == {0, 1, 2}


@pytest.mark.parametrize("wrong", WRONG)
def test_today_and_lists_are_those_of_the_present_clock(
    tmp_path: Path, set_clock: SetClock, wrong: int
) -> None:
    tools = tools_of(tmp_path)
    for tick in (PRESENT, wrong, PRESENT + 3 * DAY):
        set_clock(tick)
        tools.store_memory(text=f"The ferry of minute {tick}.")
    with tools._own.reading() as observed:
        assert observed.memory.now == PRESENT + 3 * DAY
        today = observed.memory.today
        assert today[0] <= observed.memory.now <= today[1] == today[0] + DAY - 1
        assert observed.stream.list_ids(Filter(ticks=today)).tolist() == [2]
    since = datetime.fromtimestamp(60 * (PRESENT - DAY))
    until = datetime.fromtimestamp(60 * (PRESENT + 4 * DAY))
    listed = tools.list_memories(since=since, until=until).rows
    assert [row["id"] for row in listed] == [2, 0]


def test_a_clock_beyond_the_last_minute_is_refused_and_heals(
    tmp_path: Path, set_clock: SetClock
) -> None:
    set_clock(PRESENT)
    tools = tools_of(tmp_path)
    tools.store_memory(text="Kept.")
    set_clock(2**31)
    with pytest.raises(ValueError, match="now is"):
        tools.store_memory(text="Too late.")
    set_clock(PRESENT + 1)
    tools.store_memory(text="And on.")
    assert texts_in(tools) == ["Kept.", "And on."]
