"""An assistant over MCP: requests without side effects, unknown steps, missing words."""

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
]
