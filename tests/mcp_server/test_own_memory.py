"""An assistant's own memory, asked by the official client and by several processes at once."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from memopolis import Memory
from memopolis.sim.errors import RunFolderError, TrustError
from memopolis.sim.memory.saving.folder import FILES

mcp = pytest.importorskip("mcp")
pytestmark = [pytest.mark.extras, pytest.mark.anyio]

READING = {
    "list_memories", "assess_knowledge", "knowledge_map", "review_list", "describe_memory",
}  # fmt: skip
WRITING = {
    "store_memory", "store_thought", "read_memories", "search_memory", "context_search",
    "recommend_memories", "related_memories", "update_memory", "forget_memories",
}  # fmt: skip

type Ask = Callable[..., Any]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def server_of(folder: Path) -> Any:
    from memopolis.mcp_server.server import make_memory_server

    return make_memory_server(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
async def client(folder: Path) -> AsyncIterator[Any]:
    async with mcp.Client(server_of(folder)) as client:
        yield client


@pytest.fixture
def ask(client: Any) -> Ask:
    """Call a tool and return its answer."""

    async def call(tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await client.call_tool(tool, arguments)
        assert not answer.is_error, answer.content[0].text
        result: dict[str, Any] = answer.structured_content
        return result

    return call


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def refused(client: Any, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    text = str(answer.content[0].text)
    assert "\n" not in text
    assert "Traceback" not in text
    return text


async def test_tools_say_whether_they_change_the_memory(client: Any) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == READING | WRITING
    for name, tool in tools.items():
        assert tool.annotations.read_only_hint == (name in READING)
        assert len(tool.description) > 20
        for argument, one in tool.input_schema["properties"].items():
            assert one.get("description"), f"{name}: {argument}"
    assert tools["forget_memories"].annotations.destructive_hint
    assert not tools["store_memory"].annotations.destructive_hint


async def test_a_stored_memory_is_found_by_a_new_server(ask: Ask, folder: Path) -> None:
    stored = await ask("store_memory", text="Ann's birthday is on 3 May.", topic="family")
    await ask("store_memory", text="The build fails on Windows.", topic="project", importance=0.9)
    assert stored["id"] == 0
    async with mcp.Client(server_of(folder)) as other:
        answer = await other.call_tool(
            "search_memory", {"query": "When is Ann's birthday?", "k": 1}
        )
    (match,) = answer.structured_content["memories"]
    assert (match["id"], match["topic"], match["text"]) == (
        0, "family", "Ann's birthday is on 3 May.",
    )  # fmt: skip
    assert match["relevance"] > 0
    about = await ask("describe_memory")
    assert (about["memories"], about["topics"]) == (2, {"family": 1, "project": 1})


async def test_the_folder_is_parquet_that_python_loads(ask: Ask, folder: Path) -> None:
    await ask("store_memory", text="Tea at four.")
    await ask("store_memory", text="Coffee at eight.")
    version = folder / "version-2"
    assert names_in(folder) == {"memory.lock", "version-2"}
    assert names_in(version) == set(FILES)
    assert [one.text for one in Memory.load(version)[0].stream.read([0, 1])] == [
        "Tea at four.",
        "Coffee at eight.",
    ]


async def test_searches_and_reads_count_as_recalls_and_lists_do_not(ask: Ask) -> None:
    await ask("store_memory", text="The wifi password is on the fridge.")
    for tool in ("list_memories", "review_list", "describe_memory"):
        await ask(tool)
    assert (await ask("list_memories"))["rows"][0]["recalls"] == 0
    await ask("search_memory", query="wifi")
    await ask("read_memories", ids=[0])
    await ask("recommend_memories")
    assert (await ask("list_memories"))["rows"][0]["recalls"] == 3


async def test_reviews_are_listed_by_topic(folder: Path) -> None:
    memory = Memory(1)
    for topic in ("home", "work"):
        memory[0].stream.add(topic, f"A note of 1970 about {topic}.")
    memory.save(folder / "version-1")
    async with mcp.Client(server_of(folder)) as client:
        for topic, ids in (("", {0, 1}), ("home", {0}), ("work", {1}), ("sport", set())):
            answer = await client.call_tool("review_list", {"topic": topic, "least": 0})
            assert {row["id"] for row in answer.structured_content["memories"]} == ids


async def test_a_thought_links_to_its_evidence(ask: Ask) -> None:
    for text in ("Bob was late on Monday.", "Bob was late on Tuesday."):
        await ask("store_memory", text=text)
    thought = await ask("store_thought", text="Bob is often late.", evidence=[0, 1])
    rows = (await ask("read_memories", ids=[0, 1]))["memories"]
    assert [row["thought"] for row in rows] == [thought["id"]] * 2
    assert (await ask("list_memories", kind="thought"))["total"] == 1


async def test_an_update_changes_what_is_found_and_keeps_the_number(ask: Ask) -> None:
    await ask("store_memory", text="The meeting is in Paris.", importance=0.4)
    answer = await ask("update_memory", id=0, text="The meeting is in Rome.", tags=["travel"])
    assert (answer["id"], answer["tags"]) == (0, ["travel"])
    (match,) = (await ask("search_memory", query="meeting in Rome"))["memories"]
    assert (match["text"], match["importance"]) == ("The meeting is in Rome.", 0.4)


async def test_forgotten_memories_are_gone(ask: Ask, client: Any) -> None:
    for text in ("One.", "Two.", "Three."):
        await ask("store_memory", text=text)
    assert (await ask("forget_memories", ids=[1, 1]))["forgotten"] == 1
    assert [row["id"] for row in (await ask("list_memories"))["rows"]] == [2, 0]
    assert "no memory 1" in await refused(client, "read_memories", ids=[0, 1])


async def test_situations_feelings_and_topics_select(ask: Ask, client: Any) -> None:
    await ask("store_memory", text="The party was wonderful.", topic="fun", tags=["company"])
    await ask("store_memory", text="The party was expensive.", topic="money", valence=-0.8)
    matches = await ask("context_search", query="party", emotion="negative")
    assert [row["id"] for row in matches["memories"]] == [1]
    matches = await ask("context_search", query="party", tags=["company"])
    assert [row["id"] for row in matches["memories"]] == [0]
    assert (await ask("list_memories", topic="money"))["total"] == 1
    assert (await ask("list_memories", until="2001-01-01T00:00:00"))["total"] == 0
    assert "tag" in await refused(client, "context_search", query="party", tags=["noisy"])


async def test_related_memories_knowledge_and_limits(ask: Ask) -> None:
    for text in ("The cat sleeps on the sofa.", "The cat sleeps on the red sofa.", "Rain today."):
        await ask("store_memory", text=text)
    known = await ask("assess_knowledge", topic="the cat on the sofa")
    assert known["memories"] == 2
    assert known["level"] != "none"
    drawn = await ask("knowledge_map", topic="the cat on the sofa")
    assert {node["id"] for node in drawn["nodes"]} == {0, 1}
    first = await ask("list_memories", limit=2)
    assert (len(first["rows"]), first["total"]) == (2, 3)
    assert first["note"].startswith("1 of 3 rows were left out: narrow the query by topic, kind,")


async def test_a_merge_updates_the_nearly_identical_memory(ask: Ask) -> None:
    await ask("store_memory", text="The server room is on the third floor.")
    again = await ask("store_memory", text="The server room is on the third floor!", merge=True)
    assert again["id"] == 0
    assert (await ask("list_memories"))["total"] == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("store_memory", {"text": "  "}, "empty"),
        ("store_memory", {"text": "x" * 10_001}, "text"),
        ("store_memory", {"text": "x", "importance": 2}, "importance"),
        ("store_thought", {"text": "So.", "evidence": [5]}, "no memory 5"),
        ("update_memory", {"id": 0}, "update takes"),
        ("update_memory", {"id": 9, "text": "x"}, "no memory 9"),
        ("search_memory", {"query": ""}, "query"),
        ("search_memory", {"query": "x", "kind": "dream"}, "dream"),
        ("list_memories", {"since": "soon"}, "since"),
    ],
)
async def test_bad_arguments_are_refused_in_one_line_and_change_nothing(
    client: Any, ask: Ask, tool: str, arguments: dict[str, Any], says: str
) -> None:
    await ask("store_memory", text="Kept.")
    assert says in await refused(client, tool, **arguments)
    assert [row["text"] for row in (await ask("list_memories"))["rows"]] == ["Kept."]


WRITER = """
import sys, anyio, mcp
from memopolis.mcp_server.server import make_memory_server

async def write():
    async with mcp.Client(make_memory_server(sys.argv[1])) as client:
        print("ready", flush=True)
        for number in range(12):
            text = f"Writer {sys.argv[2]} note {number}."
            answer = await client.call_tool("store_memory", {"text": text})
            print(answer.structured_content["id"], flush=True)

anyio.run(write)
"""


def writer(folder: Path, name: str) -> "subprocess.Popen[str]":
    arguments = [sys.executable, "-c", WRITER, str(folder), name]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


async def test_concurrent_writers_lose_nothing(folder: Path, ask: Ask) -> None:
    with writer(folder, "A") as a, writer(folder, "B") as b:
        ids = [*map(int, a.communicate()[0].split()[1:]), *map(int, b.communicate()[0].split()[1:])]
    rows = (await ask("list_memories", limit=100))["rows"]
    assert sorted(ids) == list(range(24))
    assert {row["text"] for row in rows} == {
        f"Writer {name} note {number}." for name in "AB" for number in range(12)
    }


async def test_a_killed_writer_loses_nothing_that_it_confirmed(folder: Path, ask: Ask) -> None:
    confirmed = 0
    for name in "CD":
        with writer(folder, name) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(4)]
            process.kill()
            confirmed += len(lines) - 1 + len(process.stdout.read().split("\n")) - 1
    total = (await ask("list_memories"))["total"]
    assert confirmed <= total <= confirmed + 3
    await ask("store_memory", text="And on.")
    assert (await ask("list_memories"))["total"] == total + 1


def test_other_folders_are_refused_and_not_changed(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann")
    with pytest.raises(RunFolderError, match=r"letter\.txt"):
        server_of(tmp_path)
    (tmp_path / "letter.txt").unlink()
    (tmp_path / "version-3").mkdir()
    (tmp_path / "version-3" / "memory.json").write_text("{}")
    with pytest.raises(RunFolderError, match="format"):
        server_of(tmp_path)
    assert (tmp_path / "version-3" / "memory.json").read_text() == "{}"


@pytest.mark.parametrize(
    ("agents", "embedder", "says"), [(2, "static", "2 agents"), (1, "openai:m", "'openai:m'")]
)
def test_memories_of_another_kind_are_refused(
    tmp_path: Path, agents: int, embedder: str, says: str
) -> None:
    memory = Memory(agents)
    memory.embedder = embedder
    memory.save(tmp_path / "version-1")
    with pytest.raises((RunFolderError, TrustError), match=says):
        server_of(tmp_path)


def test_links_are_refused(tmp_path: Path) -> None:
    Memory(1).save(tmp_path / "elsewhere")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "version-1").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunFolderError, match="link"):
        server_of(tmp_path / "notes")
    assert (tmp_path / "elsewhere" / "memory.json").exists()


def test_a_linked_lock_is_refused_and_its_target_kept(tmp_path: Path) -> None:
    target = tmp_path / "diary.txt"
    target.write_text("Dear diary")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "memory.lock").symlink_to(target)
    with pytest.raises(RunFolderError, match="link"):
        server_of(tmp_path / "notes")
    assert target.read_text() == "Dear diary"


async def test_the_command_serves_a_memory(folder: Path) -> None:
    code = "from memopolis.cli import app; app()"
    started = mcp.StdioServerParameters(
        command=sys.executable, args=["-c", code, "mcp", "--memory", str(folder)]
    )
    async with (
        mcp.stdio_client(started) as (read, write),
        mcp.ClientSession(read, write) as session,
    ):
        answer = await session.initialize()
        assert "store_memory" in answer.instructions
        stored = await session.call_tool("store_memory", {"text": "Hello."})
        assert json.loads(stored.content[0].text)["id"] == 0


def test_the_command_needs_either_runs_or_a_memory(folder: Path) -> None:
    for arguments in ([], [str(folder), "--memory", str(folder)]):
        result = subprocess.run(
            [sys.executable, "-c", "from memopolis.cli import app; app()", "mcp", *arguments],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.returncode == 2
        assert "--memory FOLDER" in result.stderr
