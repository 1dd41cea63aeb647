"""The server, asked by the official client: each tool with good and with bad arguments."""

import json
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from memopolis import Hurricane, QueryLimits, load_run
from memopolis.minds import LlmMind, ScriptedClient
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.cassette import Recording
from memopolis.sim.run_folder.folder import owned
from memopolis.surveys import restore_agent

mcp = pytest.importorskip("mcp")
pytestmark = [pytest.mark.extras, pytest.mark.anyio]

READING = {
    "list_runs", "describe_run", "read_table", "read_measures", "list_citizens", "citizen_life",
    "search_memory", "context_search", "assess_knowledge", "knowledge_map", "review_list",
    "interview", "compare_runs", "query_sql",
}  # fmt: skip
MAKING = {"run_scenario", "fork_run", "repeat_run"}

type Ask = Callable[..., Any]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def server_of(place: Path, **options: Any) -> Any:
    from memopolis.mcp_server.server import make_server

    return make_server(place, **options)


@pytest.fixture
async def client(runs: Path) -> AsyncIterator[Any]:
    async with mcp.Client(server_of(runs)) as client:
        yield client


@pytest.fixture
def ask(client: Any) -> Ask:
    """Call a tool and give what it answers."""

    async def call(tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await client.call_tool(tool, arguments)
        assert not answer.is_error, answer.content[0].text
        assert json.loads(answer.content[0].text) == answer.structured_content
        result: dict[str, Any] = answer.structured_content
        return result

    return call


async def refused(client: Any, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    (only,) = answer.content
    text = str(only.text)
    assert "Traceback" not in text
    assert "\n" not in text
    assert len(text) < 2_000
    return text


async def test_tools_describe_themselves_and_their_arguments(client: Any) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == READING
    for tool in tools.values():
        assert len(tool.description) > 50
        assert tool.annotations.read_only_hint
        assert tool.output_schema["properties"]
        for name, one in tool.input_schema["properties"].items():
            assert one.get("description"), f"{tool.name}: {name}"


async def test_tools_that_create_runs_need_write(runs: Path) -> None:
    async with mcp.Client(server_of(runs, write=True)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == READING | MAKING
    assert not any(tools[name].annotations.read_only_hint for name in MAKING)


async def test_runs_of_every_status_are_listed(ask: Ask) -> None:
    listed = await ask("list_runs")
    by_name = {one["run"]: one for one in listed["runs"]}
    assert {name: one["status"] for name, one in by_name.items()} == {
        "storm": "succeeded",
        "calm": "succeeded",
        "killed": "killed",
        "young": "killed",
        "broken": "broken",
        "odd": "broken",
        "trial/runs/p000-r0": "succeeded",
    }
    assert by_name["storm"]["agents"]["citizen"] == 60
    assert by_name["calm"]["fork_of"] == "storm"
    assert "manifest.json is broken" in by_name["broken"]["note"]
    assert listed["sweeps"] == ["trial"]
    first = await ask("list_runs", limit=2)
    assert (len(first["runs"]), first["total"]) == (2, 7)
    assert first["note"].startswith("5 of 7 runs were left out: raise limit, or query")
    assert listed["note"] == ""
    assert (by_name["killed"]["steps"], by_name["young"]["steps"]) == (48, 0)


@pytest.mark.parametrize("odd", ["[" * 10**5, '{"seed": ' + "9" * 5000 + "}", '"ticks": Infinity'])
async def test_one_broken_manifest_hides_no_other_run(
    storm: Path, tmp_path: Path, odd: str
) -> None:
    content = (storm / "manifest.json").read_text()
    for name in ("odd", "whole"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(content)
    if odd.startswith('"ticks"'):
        odd = content.replace('"ticks": 72', odd)
    (tmp_path / "odd" / "manifest.json").write_text(odd)
    async with mcp.Client(server_of(tmp_path)) as client:
        answer = await client.call_tool("list_runs", {})
        assert not answer.is_error
        listed = {one["run"]: one["status"] for one in answer.structured_content["runs"]}
        assert listed == {"odd": "broken", "whole": "succeeded"}
        assert "broken" in await refused(client, "describe_run", run="odd")


OF_ONE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("describe_run", {}),
    ("read_table", {"table": "memories", "agent": 3}),
    ("read_measures", {"every": 12}),
    ("list_citizens", {}),
    ("citizen_life", {"agent": 3}),
    ("search_memory", {"agent": 3, "query": "the storm"}),
    ("context_search", {"agent": 3, "query": "the storm"}),
    ("assess_knowledge", {"agent": 3, "topic": "the storm"}),
    ("knowledge_map", {"agent": 3, "topic": "home", "least": 0.1}),
    ("review_list", {"agent": 3}),
    ("interview", {"agent": 3, "question": "What of the storm?"}),
)  # fmt: skip
"""Tools that read one run, and what they are asked."""


async def test_an_active_run_is_read_as_of_a_reported_step(
    ask: Ask, client: Any, runs: Path
) -> None:
    with owned(runs / "killed"):
        listed = await ask("list_runs")
        status = {one["run"]: one["status"] for one in listed["runs"]}
        assert status["killed"] == "running"
        for tool, asked in OF_ONE:
            answer = await ask(tool, run="killed", **asked)
            note, _, left_out = answer.pop("note").partition("; ")
            assert note == "killed is running: read as of step 48", tool
            assert not left_out or "rows were left out: narrow" in left_out, tool
            if tool not in {"describe_run", "read_table", "read_measures"}:
                then = await ask(tool, run="storm", step=48, **asked)
                assert answer == {name: one for name, one in then.items() if name != "note"}, tool
        answer = await ask("describe_run", run="killed")
        assert (answer["status"], answer["steps"], answer["end"]) == (
            "running",
            48,
            "2019-08-30T00:00:00",
        )
        decided = load_run(runs / "storm").decisions
        assert answer["tables"]["decisions"] == (decided["tick"] < 48).sum()
        both = await ask("compare_runs", a="killed", b="storm")
        assert (both["same"], both["steps"]) == (True, 48)
        assert both["note"] == "killed is running: read as of step 48"
    assert "was killed" in (await ask("citizen_life", run="killed", agent=3))["note"]
    assert "no checkpoint yet" in await refused(client, "describe_run", run="young")


async def test_an_active_run_is_queried_in_sql(ask: Ask) -> None:
    pytest.importorskip("duckdb")
    sql = "select max(tick) as last, count(*) as n from measures"
    half = await ask("query_sql", run="killed", sql=sql)
    whole = await ask("query_sql", run="storm", sql=f"{sql} where tick < 48")
    assert half["rows"] == whole["rows"]
    assert half["rows"][0]["last"] == 47
    assert (half["note"][-23:], whole["note"]) == ("it): read as of step 48", "")


async def test_a_run_is_described(ask: Ask, runs: Path) -> None:
    answer = await ask("describe_run", run="storm")
    run = load_run(runs / "storm")
    assert (answer["scenario"], answer["steps"], answer["seed"]) == ("Hurricane", 72, "5")
    assert answer["settings"]["agents"] == 60
    assert answer["facts"]["storm"] == "dorian"
    assert set(answer["tables"]) == set(run.tables)
    assert set(answer["measures"]) == set(run.measured)
    assert "age" in answer["attributes"]["citizen"]
    assert answer["populations"]["citizen"] == 60
    assert [one["step"] for one in answer["shocks"] if one["shock"] == "News"] == [48, 60, 61]
    assert answer["by_hand"] == []


async def test_a_table_is_read_with_its_texts(ask: Ask, runs: Path) -> None:
    run = load_run(runs / "storm")
    page = await ask("read_table", run="storm", table="memories", agent=3, limit=4)
    own = run.life(3).memories
    assert page["total"] == len(own)
    assert [row["id"] for row in page["rows"]] == [0, 1, 2, 3]
    events = [row for row in page["rows"] if row["kind"] == "event"]
    assert [row["text"] for row in events] == own.loc[[r["id"] for r in events], "text"].tolist()
    assert page["note"] == (
        f"{len(own) - 4} of {len(own)} rows were left out: narrow the query by agent, from_step, "
        "to_step or columns, or raise limit (at most 500)"
    )
    few = await ask(
        "read_table", run="storm", table="measures", columns=["value"], from_step=5, to_step=5
    )
    assert {row["tick"] for row in few["rows"]} == {5}
    assert set(few["rows"][0]) == {"tick", "time", "measure", "group", "value"}
    texts = await ask("read_table", run="storm", table="memories", columns=["text"], limit=1)
    assert set(texts["rows"][0]) == {"tick", "time", "population", "agent", "id", "text"}


async def test_every_table_can_be_read(ask: Ask, runs: Path) -> None:
    for table in load_run(runs / "storm").tables:
        page = await ask("read_table", run="storm", table=table, limit=3)
        assert page["rows"], table


def as_javascript(text: str) -> Any:
    """Read JSON as JavaScript does, whose numbers have 53 bits."""
    return json.loads(text, parse_int=lambda digits: int(float(digits)))


async def test_no_number_of_an_answer_is_rounded_by_javascript(client: Any, runs: Path) -> None:
    pytest.importorskip("duckdb")
    run = load_run(runs / "storm")
    calls: list[tuple[str, dict[str, Any]]] = [
        *(("read_table", {"run": "storm", "table": table, "limit": 20}) for table in run.tables),
        ("list_runs", {}),
        ("describe_run", {"run": "storm"}),
        ("read_measures", {"run": "storm"}),
        ("list_citizens", {"run": "storm"}),
        ("citizen_life", {"run": "storm", "agent": 3}),
        ("search_memory", {"run": "storm", "agent": 3, "query": "the storm"}),
        ("interview", {"run": "storm", "agent": 3, "question": "Why did you leave?"}),
        ("compare_runs", {"a": "storm", "b": "calm", "groups": True}),
        *(
            ("query_sql", {"run": "storm", "sql": sql})
            for sql in (
                "select * from texts order by hash",
                "select text as x from decisions",
                "select min(hash) as least, max(hash) as largest, count(*) as n from texts",
                "select case when length(text) > 20 then hash end as hash from texts",
                "select list(hash) as hashes, {'one': max(hash)} as nested from texts",
            )
        ),
    ]
    for tool, arguments in calls:
        answer = await client.call_tool(tool, arguments)
        text = answer.content[0].text
        assert not answer.is_error, text
        assert as_javascript(text) == json.loads(text) == answer.structured_content, tool


async def test_a_hash_of_an_answer_finds_its_text(ask: Ask, runs: Path) -> None:
    pytest.importorskip("duckdb")
    texts = load_run(runs / "storm").table("texts")
    page = await ask("read_table", run="storm", table="texts", limit=500)
    hashes = [row["hash"] for row in page["rows"]]
    assert all(type(one) is str for one in hashes)
    assert hashes == texts["hash"].sort_values().astype(str).tolist()[: len(hashes)]
    text = texts["text"].iloc[0]
    for number in (str(texts["hash"].iloc[0]), f"'{texts['hash'].iloc[0]}'"):
        sql = f"select hash, text, count(*) over () as n from texts where hash = {number}"  # noqa: S608 - its own number
        answer = await ask("query_sql", run="storm", sql=sql)
        assert answer["rows"] == [{"hash": number.strip("'"), "text": text, "n": 1}]


async def test_measures_are_read_by_name_group_and_step(ask: Ask, runs: Path) -> None:
    run = load_run(runs / "storm")
    name = next(name for name in sorted(run.measured) if len(run.groups(name)) > 1)
    page = await ask("read_measures", run="storm", measures=[name], every=24, limit=100)
    assert [row["tick"] for row in page["rows"]] == [0, 24, 48]
    assert page["rows"][1]["value"] == pytest.approx(run.measure(name).iloc[24], nan_ok=True)
    group = run.groups(name)[1]
    one = await ask("read_measures", run="storm", measures=[name], group=group, limit=1)
    assert one["rows"][0]["group"] == group
    each = await ask("read_measures", run="storm", measures=[name], group="*", to_step=0)
    assert {row["group"] for row in each["rows"]} == set(run.groups(name))


async def test_citizens_are_found_by_name_and_status(ask: Ask, runs: Path) -> None:
    people = load_run(runs / "storm").people()
    old = await ask("list_citizens", run="storm", where=["age >= 65"], columns=["age"])
    assert {row["agent"] for row in old["rows"]} == set(people[people["age"] >= 65]["agent"])
    assert set(old["rows"][0]) == {"agent", "name", "zone_name", "age"}
    name = str(people["name"].iloc[7])
    answer = await ask("list_citizens", run="storm", name=name.upper())
    assert int(people["agent"].iloc[7]) in {row["agent"] for row in answer["rows"]}
    assert [r["agent"] for r in (await ask("list_citizens", run="storm", name="7"))["rows"]] == [7]
    firms = await ask("list_citizens", run="storm", population="firm", limit=1)
    assert (firms["population"], len(firms["rows"])) == ("firm", 1)


async def test_a_life_is_described_at_the_end_and_at_a_step(ask: Ask, runs: Path) -> None:
    run = load_run(runs / "storm")
    answer = await ask("citizen_life", run="storm", agent=3, decisions=2)
    life = run.life(3)
    assert answer["name"] == life.name
    assert answer["status"]["place"] == life.status["place"].iloc[-1]
    assert sum(answer["memories_by_topic"].values()) == len(life.memories)
    assert len(answer["decisions"]) == 2
    newest = life.decisions.iloc[-1]
    assert answer["decisions"][0]["evidence"] == newest["evidence"]
    then = await ask("citizen_life", run="storm", agent=3, step=24)
    assert then["at"] == run.until(24).end.isoformat()
    assert sum(then["memories_by_topic"].values()) < len(life.memories)


async def test_memories_are_searched_with_the_terms_of_their_score(ask: Ask, runs: Path) -> None:
    answer = await ask("search_memory", run="storm", agent=3, query="the hurricane", k=3)
    results = restore_agent(load_run(runs / "storm"), 3).search("the hurricane", k=3)
    assert [row["id"] for row in answer["memories"]] == results.index.tolist()
    assert answer["memories"][0]["relevance"] == pytest.approx(results["relevance"].iloc[0])
    assert {"recency", "importance", "relevance", "score", "text"} <= set(answer["memories"][0])
    events = await ask("search_memory", run="storm", agent=3, query="home", kind="event", k=100)
    assert {row["kind"] for row in events["memories"]} == {"event"}
    early = await ask("search_memory", run="storm", agent=3, query="home", step=20, k=100)
    assert all(row["time"] < "2019-08-28T20:00:00" for row in early["memories"])


async def test_memories_are_searched_by_situation(ask: Ask) -> None:
    answer = await ask(
        "context_search", run="storm", agent=3, query="at home", tags=["home", "work"], k=3
    )
    assert {row["match"] for row in answer["memories"]} <= {0.5, 1.0}
    assert answer["memories"]


async def test_knowledge_is_assessed_mapped_and_reviewed(ask: Ask, runs: Path) -> None:
    asked = restore_agent(load_run(runs / "storm"), 3)
    known = await ask("assess_knowledge", run="storm", agent=3, topic="the hurricane")
    assert known["level"] == asked.assess("the hurricane").level
    graph = await ask("knowledge_map", run="storm", agent=3, topic="home", least=0.1)
    assert {row["id"] for row in graph["nodes"]} == set(asked.map("home", least=0.1).nodes)
    due = await ask("review_list", run="storm", agent=3, k=5)
    assert [row["id"] for row in due["memories"]] == asked.review(5).index.tolist()


async def test_reviews_are_of_a_least_priority(ask: Ask, runs: Path) -> None:
    # Only a storm leaves memories that are due within days.
    folder = Hurricane(agents=20, days=6, start="2019-09-02", rng=5).run(runs / "reviewed")
    try:
        every = restore_agent(load_run(folder), 2).review(100, 0.0)
        assert len(every) > 1
        for least in every["priority"]:
            due = await ask("review_list", run="reviewed", agent=2, k=100, least=least)
            expected = every.index[every["priority"] >= least]
            assert [row["id"] for row in due["memories"]] == expected.tolist()
    finally:
        shutil.rmtree(folder)


async def test_an_agent_is_interviewed(ask: Ask, runs: Path) -> None:
    answer = await ask("interview", run="storm", agent=3, question="What do you know of the storm?")
    expected = restore_agent(load_run(runs / "storm"), 3).interview(
        "What do you know of the storm?"
    )
    assert (answer["answer"], answer["mind"]) == (expected.text, "rule")
    assert [row["id"] for row in answer["evidence"]] == expected.evidence.index.tolist()


async def test_two_runs_are_compared(ask: Ask) -> None:
    answer = await ask("compare_runs", a="storm", b="calm")
    assert not answer["same"]
    assert answer["diverges_at_step"] >= 24
    assert answer["settings"]["social.tell"][1] == 0.0
    outcome = answer["outcomes"][0]
    assert {"measure", "a", "b", "difference"} <= set(outcome)
    assert {row["group"] for row in answer["outcomes"]} == {""}
    assert (await ask("compare_runs", a="calm", b="trial/runs/p000-r0"))["same"]


async def test_tables_are_queried_in_sql(ask: Ask, client: Any, runs: Path) -> None:
    pytest.importorskip("duckdb")
    page = await ask(
        "query_sql", run="storm", sql="select agent from memories order by agent, id", limit=2
    )
    memories = load_run(runs / "storm").table("memories")
    assert (len(page["rows"]), page["total"]) == (2, len(memories))
    assert page["note"].startswith(f"{len(memories) - 2:,} of {len(memories):,} rows were left out")
    few = await ask("query_sql", run="storm", sql="select 1 as n -- one row;", limit=1)
    assert (few["rows"], few["total"], few["note"]) == ([{"n": 1}], 1, "")
    for sql, item in (
        ("drop table memories", "would change something"),
        ("select 1; select 2", "give exactly one"),
        ("select * from '/etc/passwd'", "there is no table '/etc/passwd'"),
        ("select * from read_text('/etc/passwd')", "only the recorded tables"),
        ("copy memories to '/tmp/x.csv'", "would change something"),
        ("selekt", "the query failed: syntax error"),
    ):
        assert item in await refused(client, "query_sql", run="storm", sql=sql)


LONG = "a" * 10**5
BAD: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("describe_run", {"run": "nobody"}, "there is no run 'nobody' here"),
    ("describe_run", {"run": "../secret"}, "there is no run '../secret' here"),
    ("describe_run", {"run": "/etc/passwd"}, "there is no run '/etc/passwd' here"),
    ("describe_run", {"run": "notes/secret.txt"}, "there is no run 'notes/secret.txt' here"),
    ("describe_run", {"run": "strom"}, "did you mean storm?"),
    ("describe_run", {}, "name a run"),
    ("describe_run", {"run": "broken"}, "broken/manifest.json is broken"),
    ("describe_run", {"run": "odd"}, "odd/manifest.json is broken"),
    ("describe_run", {"run": "young"}, "has no checkpoint yet"),
    ("describe_run", {"run": 7}, "run: input should be a valid string"),
    ("list_runs", {"limit": 10**9}, "limit: input should be less than or equal to"),
    ("list_runs", {"limit": 0}, "limit: input should be greater than or equal to 1"),
    ("list_runs", {"offset": 5}, "the tool has no argument 'offset'; there are limit"),
    ("read_table", {"run": "storm"}, "table: field required"),
    ("read_table", {"run": "storm", "table": "memoires"}, "did you mean memories?"),
    ("read_table", {"run": "storm", "table": "../../notes"}, "the run has no table"),
    ("read_table", {"run": "storm", "table": "zones", "agent": 3}, "has no agents"),
    ("read_table", {"run": "storm", "table": "zones", "to_step": 3}, "has no steps"),
    ("read_table", {"run": "storm", "table": "zones", "columns": ["x"]}, "has no column 'x'"),
    ("read_table", {"run": "storm", "table": "zones", "columns": "x"}, "columns: input should be"),
    ("read_measures", {"run": "storm", "measures": ["joyfulness"]}, "has no measure 'joyfulness'"),
    ("read_measures", {"run": "storm", "measures": ["feer"]}, "did you mean fear?"),
    ("read_measures", {"run": "storm", "measures": ["fear"], "group": "x"}, "has no group 'x'"),
    ("read_measures", {"run": "storm", "every": 0}, "every: input should be greater"),
    ("list_citizens", {"run": "storm", "where": ["age like 3"]}, "is not a condition"),
    ("list_citizens", {"run": "storm", "where": ["aeg > 3"]}, "did you mean age?"),
    ("list_citizens", {"run": "storm", "columns": ["aeg"]}, "did you mean age?"),
    ("list_citizens", {"run": "storm", "population": "dragons"}, "dragons"),
    ("list_citizens", {"run": "storm", "population": "citzen"}, "did you mean agents_citizen?"),
    ("describe_run", {"run": "storm", "part": "table"}, "'tables' or 'attributes', given 'table'"),
    ("citizen_life", {"run": "storm", "agent": 10**6}, "there is no agent 1000000"),
    ("citizen_life", {"run": "storm", "agent": "Ann"}, "agent: input should be a valid integer"),
    ("citizen_life", {"run": "storm", "agent": 1, "step": -1}, "step: input should be greater"),
    ("search_memory", {"run": "storm", "agent": 3, "query": ""}, "query: string should have"),
    ("search_memory", {"run": "storm", "agent": 3, "query": " "}, "the query is empty"),
    ("search_memory", {"run": "storm", "agent": 3, "query": "x", "k": 10**9}, "k: input should"),
    ("search_memory", {"run": "storm", "agent": 3, "query": "x", "k": 0}, "k: input should be"),
    ("search_memory", {"run": "storm", "agent": 0, "query": "x"}, "there is no agent 0"),
    ("search_memory", {"run": "storm", "agent": 3, "query": "x", "kind": "dream"}, "'dream'"),
    ("search_memory", {"run": "storm", "agent": 3, "query": "x" * 10**6}, "query: string should"),
    ("search_memory", {"run": "storm", "agent": 3, "qurey": "x"}, "did you mean query? there are"),
    (
        "context_search",
        {"run": "storm", "agent": 3, "query": "x", "tags": ["loud"]},
        "unknown tag 'loud'",
    ),
    (
        "context_search",
        {"run": "storm", "agent": 3, "query": "x", "emotion": "glad"},
        "'negative' or 'urgent', given 'glad'",
    ),
    ("assess_knowledge", {"run": "storm", "agent": 3, "topic": "\t"}, "the topic is empty"),
    ("knowledge_map", {"run": "storm", "agent": 3, "topic": "x", "depth": 99}, "depth: input"),
    ("knowledge_map", {"run": "storm", "agent": 3, "topic": "x", "least": 2}, "least: input"),
    ("review_list", {"run": "storm", "agent": 3, "k": 101}, "k: input should be less"),
    ("interview", {"run": "storm", "agent": 3, "question": " "}, "the question is empty"),
    ("interview", {"run": "storm", "agent": 3, "question": "x", "memories": 0}, "memories: input"),
    (
        "context_search",
        {"run": "storm", "agent": 3, "query": "x", "tags": [LONG]},
        "more characters",
    ),
    ("read_measures", {"run": "storm", "measures": [LONG]}, "more characters"),
    ("compare_runs", {"a": "storm"}, "b: field required"),
    ("compare_runs", {"a": "storm", "b": "../x"}, "there is no run '../x' here"),
    ("query_sql", {"run": "storm", "sql": ""}, "sql: string should have"),
    ("fork_run", {"run": "storm", "at": "5"}, "there is no tool 'fork_run'"),
)


@pytest.mark.parametrize(("tool", "arguments", "message"), BAD, ids=lambda value: str(value)[:40])
async def test_invalid_arguments_are_reported_in_one_line(
    client: Any, runs: Path, tool: str, arguments: dict[str, Any], message: str
) -> None:
    text = await refused(client, tool, **arguments)
    assert message in text
    assert "hollow" not in text
    assert str(runs) not in text


async def test_a_single_served_run_needs_no_name(runs: Path) -> None:
    async with mcp.Client(server_of(runs / "storm")) as client:
        answer = await client.call_tool("describe_run", {})
        assert answer.structured_content["run"] == "storm"
        listed = await client.call_tool("list_runs", {})
        assert [one["run"] for one in listed.structured_content["runs"]] == ["storm"]
        assert "there is no run 'calm' here" in await refused(client, "describe_run", run="calm")


GOOD: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_runs", {}),
    ("describe_run", {"run": "storm"}),
    ("read_table", {"run": "storm", "table": "memories", "limit": 500}),
    ("read_table", {"run": "storm", "table": "agents_citizen", "limit": 500}),
    ("read_measures", {"run": "storm", "limit": 500, "group": "*"}),
    ("list_citizens", {"run": "storm", "limit": 500}),
    ("citizen_life", {"run": "storm", "agent": 3, "decisions": 100}),
    ("search_memory", {"run": "storm", "agent": 3, "query": "the storm", "k": 100}),
    ("context_search", {"run": "storm", "agent": 3, "query": "the storm", "k": 100}),
    ("assess_knowledge", {"run": "storm", "agent": 3, "topic": "the storm"}),
    ("knowledge_map", {"run": "storm", "agent": 3, "topic": "the storm", "least": 0}),
    ("review_list", {"run": "storm", "agent": 3, "k": 100}),
    ("interview", {"run": "storm", "agent": 3, "question": "What now?", "memories": 50}),
    ("compare_runs", {"a": "storm", "b": "calm", "groups": True}),
    ("query_sql", {"run": "storm", "sql": "select * from memories", "limit": 500}),
)


async def test_queries_change_no_file(
    client: Any, runs: Path, digest_of: Callable[[Path], dict[str, str]]
) -> None:
    before = digest_of(runs)
    for tool, arguments in GOOD:
        await client.call_tool(tool, arguments)
    for tool, arguments, _ in BAD:
        await client.call_tool(tool, arguments)
    assert digest_of(runs) == before


async def test_concurrent_calls_are_answered(client: Any) -> None:
    reports: list[str] = []

    async def one(agent: int) -> None:
        arguments = {"run": "storm", "agent": agent, "query": "the storm"}
        answer = await client.call_tool("search_memory", arguments)
        reports.append(answer.structured_content["name"])

    async with anyio.create_task_group() as group:
        for agent in range(1, 13):
            group.start_soon(one, agent)
    assert len(reports) == 12


async def test_the_prompt_ask_a_citizen_is_filled_in(client: Any) -> None:
    (prompt,) = (await client.list_prompts()).prompts
    assert prompt.name == "ask_a_citizen"
    got = await client.get_prompt("ask_a_citizen", {"question": "Why stay?", "agent": "3"})
    text = got.messages[0].content.text
    assert "Why stay?" in text
    assert "agent 3" in text


async def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    from memopolis.errors import RunFolderError

    with pytest.raises(RunFolderError, match="there is no folder"):
        server_of(tmp_path / "nothing")


async def test_a_model_answers_only_if_the_server_was_started_with_one(
    runs: Path, tmp_path: Path
) -> None:
    question, cassette = "What of the storm?", tmp_path / "said.cassette"
    scripted = ScriptedClient(lambda _: json.dumps({"text": "The roof worried me."}))
    mind = LlmMind(Recording(scripted, cassette), seed=5)
    restore_agent(load_run(runs / "storm"), 3).interview(question, mind=mind)
    mind.close()
    replay = {"mind": "replay", "llm.cassette": str(cassette)}
    async with mcp.Client(server_of(runs, mind=replay)) as client:
        asked = {"run": "storm", "agent": 3}
        answer = await client.call_tool("interview", {**asked, "question": question})
        assert answer.structured_content["answer"] == "The roof worried me."
        assert answer.structured_content["mind"] == "model"
        assert "agent 3" in await refused(client, "interview", **asked, question="And the roof?")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("describe_run", {"run": "\ud800"}),
        ("interview", {"run": "storm", "agent": 3, "question": "Why \udfff?"}),
        ("list_citizens", {"run": "storm", "where": ["name = \ud800"]}),
    ],
)
async def test_a_lone_surrogate_is_refused(
    client: Any, tool: str, arguments: dict[str, Any]
) -> None:
    assert "a lone surrogate" in await refused(client, tool, **arguments)


async def test_an_expensive_sql_query_is_refused(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("duckdb")
    from memopolis.mcp_server import run_tools

    few = QueryLimits(seconds=30, memory=1, answer=1)
    monkeypatch.setattr(run_tools, "LIMITS", few)
    for sql in ("select range(100000000)", "select repeat('x', 2000000)"):
        text = await refused(client, "query_sql", run="storm", sql=sql)
        assert "the query " in text
        assert "select fewer rows or columns" in text


async def test_columns_are_a_resource(client: Any, runs: Path) -> None:
    (resource,) = (await client.list_resources()).resources
    (result,) = (await client.read_resource(resource.uri)).contents
    for table in load_run(runs / "storm").tables:
        assert table.startswith(("agents_", "start_")) or f"\n## {table}\n" in result.text, table
    assert "- importance: Importance, 0 to 1\n" in result.text


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("ask_a_citizen", {}, "Missing required arguments: {'question'}"),
        ("ask_a_citizen", None, "Missing required arguments: {'question'}"),
        ("ask_nobody", {"question": "Why?"}, "Unknown prompt: ask_nobody"),
    ],
)
async def test_a_prompt_without_its_argument_is_refused_in_one_line(
    client: Any,
    capfd: pytest.CaptureFixture[str],
    name: str,
    arguments: dict[str, str] | None,
    message: str,
) -> None:
    with pytest.raises(mcp.MCPError, match=message):
        await client.get_prompt(name, arguments)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "asked",
    [
        {"step": 73},
        {"step": 99_999},
        {"step": -1},
        {"from_step": 72},
        {"to_step": 99_999},
        {"to_step": -1},
    ],
    ids=str,
)
async def test_steps_beyond_the_end_are_refused(client: Any, asked: dict[str, int]) -> None:
    tools = (await client.list_tools()).tools
    taking = [one for one in tools if asked.keys() <= one.input_schema["properties"].keys()]
    assert len(taking) >= 2
    options = {
        "agent": 3,
        "query": "storm",
        "topic": "storm",
        "question": "Why?",
        "table": "measures",
    }
    for tool in taking:
        needed = {k: v for k, v in options.items() if k in tool.input_schema.get("required", ())}
        text = await refused(client, tool.name, run="storm", **needed, **asked)
        assert next(iter(asked)) in text
        assert "\n" not in text


def test_sql_queries_share_one_process(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb")
    from memopolis.mcp_server.run_tools import RunTools
    from memopolis.mcp_server.served_runs import ServedRuns

    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    tools = RunTools(ServedRuns(runs))
    for sql in ("drop table memories", "select 1; select 2", "selekt"):
        with pytest.raises(ParameterError):
            tools.query_sql(sql=sql, run="storm")
    assert tools._worker.pid is None  # nothing is started to refuse them
    tools.query_sql(sql="select count(*) n from memories", run="storm")
    first = tools._worker.pid
    with pytest.raises(ParameterError, match="reads other files"):
        tools.query_sql(sql="select * from read_text('/proc/self/environ')", run="storm")
    tools.query_sql(sql="select count(*) n from measures", run="storm")
    assert tools._worker.pid == first
    environment = Path(f"/proc/{first}/environ")
    if environment.exists():
        assert b"sk-secret" not in environment.read_bytes()
    tools._worker.close()
    assert tools._worker.pid is None
