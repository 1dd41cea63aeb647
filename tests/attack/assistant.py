"""An assistant over MCP: requests without side effects, unknown steps, missing words, dates."""

from collections.abc import Callable
from functools import cache, partial
from multiprocessing.util import Finalize
from pathlib import Path

from tests.attack.assistant_client import AssistantClient, is_error, words_of
from tests.attack.case import Case, Outcome, judge, shorten
from tests.attack.commands import TRACEBACK
from tests.attack.workshop import Workshop

_REFUSED_SQL = (
    "delete from measures",
    "select 1; select 2",
    "copy measures to '/tmp/leak.csv'",
    "attach '/tmp/leak.db'",
    "install httpfs",
    "pragma database_list",
    "set memory_limit = '100GB'",
    "create table leak as select 1",
    "selekt 1",
)
_OF_OTHER_FILES = (
    "select * from read_csv('/etc/passwd')",
    "select * from '/etc/passwd'",
    "select * from read_text('/etc/passwd')",
    "select * from read_parquet('../*/tables/*/*.parquet')",
    "select * from glob('/etc/*')",
    "select getenv('HOME')",
)
_DATED = (
    "birthday 3 May", "in 2025", "2025-11-02", "2.11.2025", "in March", "29 February", "in 1965",
    "1600-01-01", "in 2190", "31 April 2025", "2025年11月2日", "五月三日", "5月", "yesterday",
    "last week", "昨天", "the oak",
)  # fmt: skip
_ZONES = ("America/New_York", "Pacific/Kiritimati")
_LIMITS = (
    "2025-11-02", "2025-11-02T01:30:00", "2025-11-02T01:30:00-05:00", "0001-01-01T00:00:00",
    "9999-12-31T23:59:59", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "1e400", "NaN",
    "yesterday", "", 0, -1, 2**63, 1e308, True,
)  # fmt: skip
_DAY = 24 * 60
_PRESENT = 29_000_000  # minutes since 1970, in February 2025
_WRONG = (2**31 - 5, _PRESENT + 3_650 * _DAY, _PRESENT - 3_650 * _DAY, 0, -_PRESENT)
_SECONDS_OF_A_QUESTION = 1.0
"""Processor time that a small question may take once the worker is warm."""

type Check = Callable[[AssistantClient], tuple[list[str], str]]


def _refused_sql(client: AssistantClient) -> tuple[list[str], str]:
    """Send statements that are refused, before any question was answered."""
    before, ended = client.children, client.ended_children_seconds
    faults = []
    for sql in _REFUSED_SQL:
        response = client.tool("query_sql", sql=sql)
        faults += [] if is_error(response) else [f"{sql} was answered"]
    if client.children - before or client.ended_children_seconds > ended:
        faults.append(
            f"{len(client.children - before)} processes were started, "
            f"{client.ended_children_seconds - ended:.1f} s of processor time"
        )
    return faults, f"{len(_REFUSED_SQL)} refused, 0 processes"


def _other_files(client: AssistantClient) -> tuple[list[str], str]:
    """Ask questions that read files outside the tables of the run."""
    responses = [(sql, client.tool("query_sql", sql=sql)) for sql in _OF_OTHER_FILES]
    faults = [f"{sql} was answered" for sql, response in responses if not is_error(response)]
    return faults, f"{len(responses)} refused: {words_of(responses[0][1])}"


def _warm_worker(client: AssistantClient) -> tuple[list[str], str]:
    """Ask questions in SQL; the second one must find a process that is warm."""
    sql = "select count(*) as n from measures"
    answers = [client.tool("query_sql", sql=sql)]
    workers, ended = client.children, client.ended_children_seconds
    answers += [client.tool("query_sql", sql=sql) for _ in range(3)]
    spent = client.ended_children_seconds - ended
    faults = [words_of(one) for one in answers if is_error(one)]
    faults += [] if client.children == workers else ["another process was started"]
    faults += [f"{spent:.1f} s of processor time"] if spent > _SECONDS_OF_A_QUESTION else []
    return faults, f"4 questions, one process, {spent:.1f} s in others"


def _late_step(client: AssistantClient) -> tuple[list[str], str]:
    """Ask for steps that the run does not have."""
    calls = (
        ("citizen_life", {"agent": 1, "step": 99_999}),
        ("citizen_life", {"agent": 1, "step": -1}),
        ("search_memory", {"agent": 1, "query": "news", "step": 99_999}),
        ("interview", {"agent": 1, "question": "How are you?", "step": 99_999}),
    )
    responses = [(name, client.tool(name, **arguments)) for name, arguments in calls]
    faults = [f"{name} answered" for name, response in responses if not is_error(response)]
    return faults, f"{len(calls)} refused: {words_of(responses[0][1])}"


def _missing_words(client: AssistantClient) -> tuple[list[str], str]:
    """Ask for a prompt without its argument, and for what does not exist."""
    responses = [
        client.ask("prompts/get", name="ask_a_citizen", arguments={}),
        client.ask("prompts/get", name="ask_a_citizen"),
        client.ask("prompts/get", name="nothing", arguments={}),
        client.tool("citizen_life"),
        client.tool("nothing"),
        client.ask("resources/read", uri="nothing://"),
    ]
    text = "".join(words_of(one) for one in responses) + client.stderr
    faults = ["a traceback was printed"] if TRACEBACK in text else []
    faults += [f"answered: {words_of(one)}" for one in responses if not is_error(one)]
    return faults, f"{len(responses)} refused: {words_of(responses[0])}"


@cache
def _client(run: Path) -> AssistantClient:
    """Serve a run until this worker process ends."""
    client = AssistantClient(run, cwd=run.parent, timeout=600)
    client.__enter__()
    Finalize(None, client.__exit__, args=(None, None, None), exitpriority=1)
    return client


def _dates(workshop: Workshop) -> Outcome:
    """Ask a memory with dates, and list it between odd ones, in several time zones."""
    faults: list[str] = []
    answered = refused = 0
    for number, zone in enumerate(_ZONES):
        notes = workshop.folder / f"notes-{number}"
        env = {"TZ": zone}
        with AssistantClient("--memory", notes, cwd=workshop.folder, env=env) as client:
            client.tool("store_memory", text="Ann's birthday is on 3 May.")
            for query in _DATED:
                for tool, name in (("search_memory", "query"), ("assess_knowledge", "topic")):
                    response = client.tool(tool, **{name: query})
                    faults += [f"{query}: {words_of(response)}"] if is_error(response) else []
                    answered += 1
            for limit in _LIMITS:
                for name in ("since", "until"):
                    response = client.tool("list_memories", **{name: limit})
                    plain = "\n" not in words_of(response)
                    faults += [] if plain else [f"{name} {limit}: more than one line"]
                    refused += is_error(response)
            faults += ["a traceback was printed"] if TRACEBACK in client.stderr else []
    return judge(faults, f"{answered} answered, {refused} limits refused")


def _wrong_clocks(workshop: Workshop) -> Outcome:
    """Store a memory while the clock is wrong by years, and one after it is right again."""
    from types import SimpleNamespace
    from unittest.mock import patch

    from memopolis.mcp_server import own_memory_tools
    from memopolis.mcp_server.own_memory_tools import OwnMemoryTools

    faults: list[str] = []
    for number, wrong in enumerate(_WRONG):
        notes = workshop.folder / f"notes-{number}"
        for tick in (_PRESENT, wrong, _PRESENT + _DAY):
            clock = SimpleNamespace(time=partial(float, 60 * tick))
            with patch.object(own_memory_tools, "time", clock):
                tools = OwnMemoryTools(own_memory_tools.OwnMemory(notes))
                tools.store_memory(text=f"The ferry of minute {tick}.")
                matches = tools.search_memory(query="the ferry in 2025", k=9).memories
                rows = tools.list_memories().rows
        dates = [
            own_memory_tools.date_of(tick) for tick in (_PRESENT, max(wrong, 0), _PRESENT + _DAY)
        ]
        expected = [date.astimezone().isoformat(timespec="minutes") for date in dates]
        times = [row["time"] for row in reversed(rows)]
        faults += [] if times == expected else [f"{wrong}: dated {times}"]
        faults += [] if len(matches) == len(times) else [f"{wrong}: {len(matches)} found"]
    return judge(faults, f"{len(_WRONG)} clocks; later memories have the true time")


def _checked(workshop: Workshop, *, check: Check) -> Outcome:
    faults, got = check(_client(workshop.shared("opinions")))
    return judge(faults, shorten(got))


CASES = [
    Case(tried, expected, partial(_checked, check=check))
    for tried, expected, check in (
        (
            f"{len(_REFUSED_SQL)} statements in SQL that are not allowed",
            "each refused; no process started",
            _refused_sql,
        ),
        (
            f"{len(_OF_OTHER_FILES)} questions in SQL that read other files",
            "each refused",
            _other_files,
        ),
        (
            "four questions in SQL",
            f"one process answers, the others take at most {_SECONDS_OF_A_QUESTION:g} s",
            _warm_worker,
        ),
        ("tools asked for step 99999 or -1 of 6", "each refused", _late_step),
        (
            "prompts and tools without their arguments",
            "an error each, no traceback",
            _missing_words,
        ),
    )
] + [
    Case(
        f"`mcp --memory` in {len(_ZONES)} time zones: {len(_DATED)} queries with dates, "
        f"{len(_LIMITS)} odd limits of a list",
        "each query answered; limits answered or refused in one line",
        _dates,
    ),
    Case(
        f"`mcp --memory`: {len(_WRONG)} clocks that are wrong for a moment",
        "only the memory of that moment is dated wrongly",
        _wrong_clocks,
    ),
]
