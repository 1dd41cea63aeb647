"""Tools that make runs, which are only there with `--write`."""

import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from memopolis import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.sim.run_folder.manifest import read_content

mcp = pytest.importorskip("mcp")
pytestmark = [pytest.mark.extras, pytest.mark.anyio]

TINY = {"agents": 30, "days": 1}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "runs")


@pytest.fixture
async def client(place: Path) -> AsyncIterator[Any]:
    from memopolis.mcp_server.server import make_server

    async with mcp.Client(make_server(place, write=True)) as client:
        yield client


async def refused(client: Any, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    return str(answer.content[0].text)


async def test_run_scenario_runs_and_reports_progress(client: Any, place: Path) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(done: float, total: float | None, words: str | None) -> None:
        heard.append((done, total, words))

    options = {"scenario": "hurricane", "settings": TINY, "seed": 9, "name": "tiny"}
    answer = await client.call_tool("run_scenario", options, progress_callback=hear)
    assert answer.structured_content == {
        "run": "tiny", "status": "succeeded", "steps": 24, "seed": "9", "note": "",
    }  # fmt: skip
    assert heard[-1][:2] == (24, 24)
    assert load_run(place / "tiny").settings["agents"] == 30
    listed = await client.call_tool("list_runs", {})
    assert "tiny" in {one["run"] for one in listed.structured_content["runs"]}


@pytest.mark.parametrize("seed", [2**60 + 1, 2**255 + 1])
async def test_a_long_seed_is_taken_and_returned_as_text(
    client: Any, place: Path, seed: int
) -> None:
    settings = {**TINY, "agents": 10, "days": 0.1}
    options = {"scenario": "hurricane", "settings": settings, "seed": str(seed), "name": ""}
    answer = await client.call_tool("run_scenario", options)
    assert not answer.is_error, answer.content[0].text
    made = answer.structured_content
    assert made["seed"] == str(seed)
    assert load_run(place / made["run"]).seed == seed
    described = await client.call_tool("describe_run", {"run": made["run"]})
    assert described.structured_content["seed"] == str(seed)
    listed = await client.call_tool("list_runs", {})
    assert str(seed) in {one["seed"] for one in listed.structured_content["runs"]}


async def test_a_run_is_forked_and_repeated(client: Any, place: Path) -> None:
    answer = await client.call_tool(
        "fork_run", {"run": "storm", "at": "48", "changes": {"social.tell": 0.0}}
    )
    assert not answer.is_error, answer.content[0].text
    name = answer.structured_content["run"]
    assert name == "storm-fork-1"
    parted = await client.call_tool("compare_runs", {"a": "storm", "b": name})
    assert parted.structured_content["diverges_at_step"] >= 48
    again = await client.call_tool("repeat_run", {"run": "storm", "name": "same"})
    assert not again.is_error, again.content[0].text
    assert table_digests(place / "same") == table_digests(place / "storm")


async def test_existing_folders_are_never_overwritten(
    client: Any, place: Path, digest_of: Callable[[Path], dict[str, str]]
) -> None:
    before = digest_of(place)
    for name, item in (
        ("calm", "already"),
        ("../calm", "name: string should match pattern"),
        ("/calm", "name: string should match pattern"),
        ("a/b", "name: string should match pattern"),
    ):
        assert item in await refused(client, "fork_run", run="storm", at="48", name=name)
        assert item in await refused(client, "repeat_run", run="storm", name=name)
        options = {"scenario": "hurricane", "settings": TINY, "name": name}
        assert item in await refused(client, "run_scenario", **options)
    assert digest_of(place) == before


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("run_scenario", {"scenario": "tornado"}, "there is no installed scenario 'tornado'"),
        (
            "run_scenario",
            {"scenario": "evil.py:Evil"},
            "there is no installed scenario 'evil.py:Evil'",
        ),
        ("run_scenario", {"scenario": "os:system"}, "there is no installed scenario 'os:system'"),
        ("run_scenario", {"scenario": "huricane"}, "did you mean hurricane?"),
        (
            "run_scenario",
            {"scenario": "hurricane", "settings": {"agnets": 3}},
            "did you mean agents?",
        ),
        ("fork_run", {"run": "storm", "at": "9", "changes": {"socal": {}}}, "did you mean social?"),
        ("run_scenario", {"scenario": "hurricane", "settings": {"days": -1}}, "days"),
        (
            "run_scenario",
            {"scenario": "hurricane", "settings": {"mind": "llm"}},
            "starts the server",
        ),
        (
            "run_scenario",
            {"scenario": "hurricane", "settings": {"profiles": "/x.csv"}},
            "files are not allowed",
        ),
        ("run_scenario", {"scenario": "hurricane", "settings": {"agents": 10**6}}, "at most"),
        ("run_scenario", {"scenario": "hurricane", "seed": -1}, "seed: input should be greater"),
        ("fork_run", {"run": "nobody", "at": "5"}, "there is no run 'nobody'"),
        ("fork_run", {"run": "storm", "at": "5000"}, "has the steps 0 to 72"),
        ("fork_run", {"run": "storm", "at": "soon"}, "neither a number of steps nor a date"),
        ("fork_run", {"run": "storm", "at": "9", "changes": {"agents": 61}}, "during a run"),
        ("repeat_run", {"run": "../storm"}, "there is no run"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_impossible_runs_are_refused_and_leave_nothing(
    client: Any, place: Path, tool: str, arguments: dict[str, Any], message: str
) -> None:
    text = await refused(client, tool, **arguments)
    assert message in text
    assert "\n" not in text
    assert names_in(place) == ["calm", "storm"]


async def test_one_run_is_created_at_a_time_while_queries_are_answered(
    client: Any, place: Path
) -> None:
    reports: list[str] = []

    async def make() -> None:
        options = {"scenario": "hurricane", "settings": {"agents": 60, "days": 3}, "name": "long"}
        reports.append((await client.call_tool("run_scenario", options)).structured_content["run"])

    async with anyio.create_task_group() as group:
        group.start_soon(make)
        await until((place / "long").is_dir)
        text = await refused(client, "run_scenario", scenario="hurricane", settings=TINY)
        assert "another run is in progress" in text
        with anyio.fail_after(10):
            reports.append((await client.call_tool("list_runs", {})).structured_content["total"])
    assert reports[-1] == "long"


async def test_a_cancelled_call_stops_its_run(client: Any, place: Path) -> None:
    options = {"scenario": "hurricane", "settings": {"agents": 60, "days": 14}, "name": "long"}
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "run_scenario", options)
        await until((place / "long" / "tables").is_dir)
        group.cancel_scope.cancel()
    await until(lambda: status_of(place / "long") != "running")
    assert status_of(place / "long") == "interrupted"


async def until(holds: Callable[[], bool]) -> None:
    with anyio.fail_after(60):
        while not holds():  # noqa: ASYNC110 - what is waited for is a file
            await anyio.sleep(0.02)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def status_of(folder: Path) -> str:
    return str(read_content(folder)["status"])


async def test_forks_of_a_single_served_run_are_created_next_to_it(place: Path) -> None:
    from memopolis.mcp_server.server import make_server

    async with mcp.Client(make_server(place / "storm", write=True)) as client:
        answer = await client.call_tool("fork_run", {"at": "60", "name": "other"})
        assert not answer.is_error, answer.content[0].text
        listed = (await client.call_tool("list_runs", {})).structured_content
        assert [one["run"] for one in listed["runs"]] == ["other", "storm"]
    assert (place / "other" / "manifest.json").is_file()
