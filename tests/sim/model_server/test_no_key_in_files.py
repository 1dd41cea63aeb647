"""A server that quotes the key in everything it sends: no file of a run contains it."""

import json
import zlib
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.chat_server import ChatServer, Play

from memopolis.analysis.report.report import write_report
from memopolis.analysis.run.run import load_run
from memopolis.sim.model_server.key import KEY, MASK
from memopolis.sim.society import Society
from memopolis.sim.state.saving import save_state

pytestmark = [pytest.mark.extras, pytest.mark.llm]

SECRET = "sk-Proj/a+b_0123456789"  # noqa: S105 - the server of the test alone sees it
ENCODED = b64encode(SECRET.encode()).decode()
ESCAPED = "".join(f"\\u{ord(character):04x}" for character in SECRET)


def echo(asked: dict[str, Any], _: int) -> Play:
    """Quote the key, each time in another place and form."""
    which = len(str(asked["messages"])) % 5
    if which == 0:
        body = json.dumps({"error": {"message": f"{SECRET} is wrong"}}).encode()
        return Play(status=400, body=body, reason=SECRET, headers={"X-Key": SECRET})
    schema = asked["response_format"]["json_schema"]["schema"]["properties"]
    values = {"reason": f"My key is {SECRET}.", "text": f"I say {SECRET} and {ENCODED}.", SECRET: 1}
    values |= {name: value["enum"][0] for name, value in schema.items() if "enum" in value}
    text = json.dumps(values | {"rating": 6, "emotion": "Joy", "intensities": {}})
    if which == 1:
        return Play(f"This is no JSON, {SECRET}: {ESCAPED}")
    if which == 2:
        return Play(text.replace(json.dumps(SECRET)[1:-1], ESCAPED))
    return Play(text)


def contents(folder: Path) -> str:
    """Everything that is in the files of a folder, as it is and decompressed."""
    parts = []
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        held = path.read_bytes()
        parts.append(held.decode("utf-8", "replace"))
        if path.suffix == ".parquet":
            parts.append(pd.read_parquet(path).to_json())
        with suppress(zlib.error):
            parts.append(zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(held).decode("latin1"))
    return "\n".join(parts)


def test_no_file_of_a_run_contains_the_key(
    village: Callable[..., Society[Any]],
    servers: tuple[ChatServer, ChatServer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    server, _ = servers
    server.script = echo
    llm = {"model": "m", "base_url": server.url, "cassette": str(tmp_path / "calls.cassette")}
    society = village(
        agents=6,
        days=0.5,
        mind="llm",
        **{f"llm.{name}": value for name, value in llm.items()},
    )
    society.live()  # type: ignore[attr-defined]
    society.run(tmp_path / "run")
    save_state(society, tmp_path / "state")
    write_report(tmp_path / "run")
    society.mind.close()
    assert server.keys == {f"bearer {SECRET}".lower()}

    calls = load_run(tmp_path / "run").model_calls
    assert {"ok", "invalid", "refused"} <= set(calls["outcome"])
    assert calls["answer"].str.contains(MASK, regex=False).any()
    written = contents(tmp_path) + "".join(capfd.readouterr())
    assert MASK in written
    for form in (SECRET, json.dumps(SECRET)[1:-1].replace("/", "\\/"), ENCODED[:-2], ESCAPED):
        assert form not in written
