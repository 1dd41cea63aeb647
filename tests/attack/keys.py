"""API keys and model servers: what a server echoes, asks for, sends and redirects."""

import gzip
import json
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

import pyarrow.parquet as pq
from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import CommandResult, call, start
from tests.attack.server import (
    Answer,
    ModelServer,
    Request,
    Script,
    chat_body,
    compressed,
    good_answer,
)
from tests.attack.workshop import Workshop

KEY = "sk-attack-Zq8Xw3Vt7Rk5"
_BODY_MB = 300
_MOST_MB = 150
"""Memory that such a body may take beyond that of a run with good answers, in megabytes."""
_JSON = {"Content-Type": "application/json"}
_RUN = (
    "run", "polarization", "--agents", "20", "--days", "2", "--seed", "1", "--out", "run",
    "--mind", "llm", "--model", "m", "--budget-calls", "20", "--set", "llm.retries=0",
    "--set", "llm.timeout=30", "--set", "llm.in_flight=4",
)  # fmt: skip


def _error(status: int, text: str) -> Answer:
    return Answer(json.dumps({"error": {"message": text, "code": text}}).encode(), status, _JSON)


def _in_raw_text(_: Request) -> Answer:
    return Answer(chat_body(f"no JSON, but your key: {KEY}"), headers=_JSON)


def _escaped(request: Request) -> Answer:
    """Answer with the key written in JSON escapes, which any reader decodes."""
    body = good_answer(request, KEY).body.decode()
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    return Answer(body.replace(KEY, escaped.replace("\\", "\\\\")).encode(), headers=_JSON)


def _in_option(request: Request) -> Answer:
    return Answer(chat_body(json.dumps(dict.fromkeys(request.schema, KEY))), headers=_JSON)


_ECHOES: dict[str, Script] = {
    "in the reasons and texts of good answers": lambda asked: good_answer(asked, f"key {KEY}"),
    "in an answer that is no JSON": _in_raw_text,
    "in answers, written in JSON escapes": _escaped,
    "as the value of every field": _in_option,
    "in an error of status 400": lambda _: _error(400, f"bad key {KEY}"),
    "in an error of status 401": lambda _: _error(401, f"Incorrect API key provided: {KEY}"),
    "in an error of status 500": lambda _: _error(500, f"Bearer {KEY}"),
    "in headers and in the body": lambda asked: Answer(
        good_answer(asked, KEY).body, headers=_JSON | {"X-Key": KEY, "x-request-id": KEY}
    ),
}


def _echo(workshop: Workshop, *, script: Script, installed: bool = False) -> Outcome:
    """Run with a server that echoes the key, then search for it in everything written."""
    run = start if installed else call
    with ModelServer(script) as server:
        words = (*_RUN, "--base-url", server.url, "--cassette", "cassette.jsonl")
        result = run(*words, cwd=workshop.folder, env={"OPENAI_API_KEY": KEY})
        received = sum(KEY in one.key for one in server.requests)
    faults = result.crash_faults() + _hits(workshop.folder)
    faults += [] if received else ["the server never received the key"]
    printed = (result.stdout + result.stderr).count(KEY)
    faults += [f"printed {printed} times"] if printed else []
    return judge(faults, f"{received} answers with the key, 0 hits; exit code {result.code}")


def _hits(folder: Path) -> list[str]:
    """Search all files for the key, also within the values of tables."""
    hits = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        count = path.read_bytes().count(KEY.encode())
        if path.suffix == ".parquet":
            count = str(pq.read_table(path).to_pylist()).count(KEY)
        if count:
            hits.append(f"the key is in {path.relative_to(folder)}, {count} times")
    return hits


def _bad_key(workshop: Workshop, *, key: str) -> Outcome:
    """Run with a key that no header can carry."""
    with ModelServer() as server:
        words = (*_RUN, "--base-url", server.url)
        result = start(*words, cwd=workshop.folder, env={"OPENAI_API_KEY": key})
        faults = result.refusal_faults() + server.faults
    faults += ["the key was printed"] if key.strip() in result.stdout + result.stderr else []
    return judge(faults, f"0 requests; {result.summary}")


def _large_body(workshop: Workshop, *, status: int, encoding: str) -> Outcome:
    """Send a body that is far larger than any answer."""
    if encoding == "gzip":
        answer = Answer(compressed(_BODY_MB), status, _JSON | {"Content-Encoding": "gzip"})
    elif encoding == "nested gzip":
        body = gzip.compress(compressed(_BODY_MB))
        answer = Answer(body, status, _JSON | {"Content-Encoding": "gzip, gzip"})
    else:
        answer = Answer(b" " * (_BODY_MB * 1_000_000), status, _JSON)
    usual = _usual_peak(workshop.folder.parent)
    result, asked = _measured(workshop.folder, lambda _: answer)
    faults = result.crash_faults() + ([] if asked else ["the server was never asked"])
    more = result.peak_mb - usual
    faults += [f"{more:,.0f} MB more than {usual:,.0f} MB"] if more > _MOST_MB else []
    return judge(faults, f"{more:+,.0f} MB against {usual:,.0f} MB; exit code {result.code}")


def _measured(folder: Path, script: Script) -> tuple[CommandResult, int]:
    """Run four questions as a process; return its result and how often the server was asked."""
    with ModelServer(script) as server:
        words = (*_RUN, "--base-url", server.url, "--no-report", "--budget-calls", "4")
        result = start(*words, cwd=folder, env={"OPENAI_API_KEY": KEY})
        return result, len(server.requests)


@cache
def _usual_peak(root: Path) -> float:
    """Return the peak memory of the same run with good answers, measured once a process."""
    return _measured(Path(mkdtemp(dir=root)), good_answer)[0].peak_mb


def _redirect(workshop: Workshop, *, status: int) -> Outcome:
    """Redirect every request to another host."""
    with ModelServer() as other:
        target = f"http://localhost:{other.port}/v1/chat/completions"
        with ModelServer(lambda _: Answer(b"", status, {"Location": target})) as server:
            words = (*_RUN, "--base-url", server.url, "--no-report")
            result = call(*words, cwd=workshop.folder, env={"OPENAI_API_KEY": KEY})
            asked = len(server.requests)
        keys = sum(bool(one.key) for one in other.requests)
    faults = result.crash_faults() + ([] if asked else ["the server was never asked"])
    faults += [f"the other host received the key {keys} times"] if keys else []
    return judge(faults, f"{len(other.requests)} requests, 0 with a key; {result.summary}")


def _interview(workshop: Workshop) -> Outcome:
    """Ask a citizen by a model server that answers with the key."""
    workshop.copy("opinions")
    words = ("interview", "run", "What do you think?", "--agent", "1", "--mind", "llm")
    with ModelServer(lambda asked: good_answer(asked, f"my key is {KEY}")) as server:
        result: CommandResult = call(
            *words, "--model", "m", "--base-url", server.url, "--cassette", "cassette.jsonl",
            cwd=workshop.folder, env={"OPENAI_API_KEY": KEY},
        )  # fmt: skip
    faults = result.crash_faults() + _hits(workshop.folder)
    faults += ["the key was printed"] if KEY in result.stdout + result.stderr else []
    return judge(faults, f"{len(server.requests)} answers with the key, 0 hits; {result.summary}")


CASES = [
    *(
        Case(
            f"a server echoes the key {where}",
            "0 hits in all files of the run, the cassette and the output",
            partial(_echo, script=script, installed=number == 0),
        )
        for number, (where, script) in enumerate(_ECHOES.items())
    ),
    Case("a server echoes the key in an interview", "0 hits in files and output", _interview),
    *(
        Case(
            f"a key with {what}",
            "refused in one line before the first request, without the key",
            partial(_bad_key, key=key),
        )
        for what, key in (
            ("a newline", "sk-attack\r\nX-Evil: 1"),
            ("letters that are not ASCII", "sk-ättäck-Zq8Xw3"),
        )
    ),
    *(
        Case(
            f"a body of {_BODY_MB} MB, {encoding}, with status {status}",
            f"at most {_MOST_MB} MB more than a run with good answers",
            partial(_large_body, status=status, encoding=encoding),
        )
        for encoding, status in (
            ("gzip", 400),
            ("gzip", 200),
            ("nested gzip", 400),
            ("not compressed", 400),
        )
    ),
    *(
        Case(
            f"a redirect to another host with status {status}",
            "the key is not sent there",
            partial(_redirect, status=status),
        )
        for status in (307, 308)
    ),
]
