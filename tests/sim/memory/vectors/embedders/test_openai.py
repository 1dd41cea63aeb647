"""A model behind a server: a real one on this machine, and ones that fail."""

import gzip
import json
import tracemalloc
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError, ServerError, TrustError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.vectors.embedders import openai as module
from memopolis.sim.memory.vectors.embedders.openai import OpenAI, parse_model
from memopolis.sim.memory.vectors.embedders.protocol import measure_rounding, sample
from memopolis.sim.model_server.key import KEY, PUBLIC

extra = pytest.mark.extras
SECRET = "sk-secret-0123456789"  # noqa: S105 - a server of the test alone sees it

Answer = Callable[[dict[str, Any]], tuple[int, Any]]


class Fake:
    """A server that sends prepared answers, and records its requests."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.answer: Answer = lambda asked: (200, vectors_for(asked))
        self.headers: dict[str, str] = {}
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                fake.asked.append(asked)
                fake.keys.append(self.headers["Authorization"])
                status, content = fake.answer(asked)
                body = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                for name, value in fake.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Keep quiet."""

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


def vectors_for(asked: dict[str, Any]) -> dict[str, Any]:
    rows = [
        {"object": "embedding", "index": at, "embedding": [float(len(text)), 1.0]}
        for at, text in enumerate(asked["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    # In any order: the index counts.
    return {"object": "list", "data": rows[::-1], "model": asked["model"], "usage": usage}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    monkeypatch.setenv(KEY, SECRET)
    made = Fake()
    thread = Thread(target=made.http.serve_forever)
    thread.start()
    yield made
    made.http.shutdown()
    thread.join()
    made.http.server_close()


def test_embedder_names_are_parsed() -> None:
    assert parse_model("m@http://127.0.0.1:8080/v1/") == ("m", "http://127.0.0.1:8080/v1")
    assert parse_model("org/m@v2@https://host/v1") == ("org/m@v2", "https://host/v1")
    assert parse_model("text-embedding-3-small") == ("text-embedding-3-small", PUBLIC)
    for wrong in ("@http://host", " ", "m@http://a b"):
        with pytest.raises(ParameterError, match="openai:MODEL@URL is needed"):
            parse_model(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        f"m@https://user:{SECRET}@host/v1",
        f"m@https://host/v1?key={SECRET}",
        f"m@https://host/{SECRET}/v1",
    ],
)
def test_a_key_in_the_name_is_refused_and_not_repeated(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    with pytest.raises(ParameterError, match=KEY) as refused:
        parse_model(wrong)
    assert SECRET not in str(refused.value)


@extra
def test_texts_are_sent_in_batches_and_vectors_returned_in_order(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    result = OpenAI(f"m@{fake.url}").vectors(["a", "bbb", "cc"])
    assert result.tolist() == [[1, 1], [3, 1], [2, 1]]
    assert result.dtype == np.float32
    assert [asked["input"] for asked in fake.asked] == [["a", "bbb"], ["cc"]]
    assert fake.asked[0]["model"] == "m"
    assert fake.keys == [f"Bearer {SECRET}"] * 2


@extra
def test_a_saved_memory_sends_nothing_to_a_server_that_is_not_named_again(
    fake: Fake, tmp_path: Path
) -> None:
    name = f"openai:m@{fake.url}"
    memory = Memory(1)
    memory[0].stream.add("note", "a private note")
    memory.embedder = name
    folder = memory.save(tmp_path / "memory")
    with pytest.raises(TrustError, match="names an embedder"):
        Memory.load(folder)
    loaded = Memory.load(folder, embedder="static")
    for profile in ("recall", "act", "dense"):
        assert loaded[0].stream.search("a private question", profile=profile)
    loaded[0].stream.related([0])
    assert fake.asked == []
    again = Memory.load(folder, embedder=name)
    assert again[0].stream.search("a private question", profile="dense")
    assert any("a private note" in asked["input"] for asked in fake.asked)


@extra
def test_a_busy_server_is_retried(fake: Fake) -> None:
    def busy(asked: dict[str, Any]) -> tuple[int, Any]:
        return (503, {}) if len(fake.asked) < 2 else (200, vectors_for(asked))

    fake.answer = busy
    assert OpenAI(f"m@{fake.url}").vectors(["a"]).tolist() == [[1, 1]]
    assert len(fake.asked) == 2


@extra
def test_retries_are_limited(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRIES", 1)
    fake.answer = lambda _: (500, {"error": {"message": f"key {SECRET}"}})
    with pytest.raises(ServerError, match="refused to embed with the model m: HTTP 500"):
        OpenAI(f"m@{fake.url}").vectors(["a"])
    assert len(fake.asked) == 2


@extra
@pytest.mark.parametrize(
    ("status", "content", "message"),
    [
        (401, {"error": {"message": f"Incorrect API key provided: {SECRET}"}}, f"401; see {KEY}"),
        (404, {"error": {"message": "no model"}}, "HTTP 404"),
        (200, {"data": []}, "returned 0 vectors for 2 texts|returned no embeddings"),
        (200, {"hello": SECRET}, "returned no embeddings; is it the right URL"),
        (200, b"<html>", "returned no embeddings|refused|no answer"),
        (200, {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]},
         "of different lengths"),
    ],
)  # fmt: skip
def test_an_invalid_reply_is_reported_in_one_line_without_the_key(
    fake: Fake, status: int, content: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRIES", 0)
    fake.answer = lambda _: (status, content)
    model = OpenAI(f"m@{fake.url}")
    with pytest.raises(ServerError, match=message) as refused:
        model.vectors(["a", "b"])
    assert SECRET not in str(refused.value) + repr(model)
    assert "\n" not in str(refused.value)


@extra
@pytest.mark.parametrize(
    ("status", "message"), [(200, "returned more than 1,048,576 bytes"), (400, "HTTP 400")]
)
def test_a_huge_answer_is_read_up_to_the_limit(
    fake: Fake, status: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 2**20)
    bomb = gzip.compress(bytes(32 * 2**20))
    fake.answer = lambda _: (status, bomb)
    fake.headers = {"Content-Encoding": "gzip"}
    model = OpenAI(f"m@{fake.url}")
    tracemalloc.start()
    with pytest.raises(ServerError, match=message):
        model.vectors(["a"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * 2**20


@extra
def test_a_redirect_is_not_followed(fake: Fake) -> None:
    fake.answer = lambda _: (307, {})
    fake.headers = {"Location": f"{fake.url}/elsewhere"}
    with pytest.raises(ServerError, match=r"redirects to another address \(HTTP 307"):
        OpenAI(f"m@{fake.url}").vectors(["a"])
    assert len(fake.asked) == 1


@extra
def test_an_unreachable_server_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRIES", 1)
    with pytest.raises(ServerError, match=r"no answer from http://127.0.0.1:9/v1 after 2 tries"):
        OpenAI("m@http://127.0.0.1:9/v1").vectors(["a"])


@extra
def test_no_request_is_sent_to_openai_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    with pytest.raises(ServerError, match=f"needs a key in the environment variable {KEY}"):
        OpenAI("m").vectors(["a"])


@extra
def test_a_memory_can_search_with_a_real_server(
    llama_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    name = f"openai:SmolLM2-135M@{llama_server}"
    memory = Memory(2, embedder=name)
    texts = ["The storm tore off our roof", "I was promoted at the bank", "", "Soup for dinner"]
    for text in texts:
        memory.stream.add("other", text)
    results = memory.stream.search(
        "The storm tore the roof off", 4, profile="society", explain=True
    )
    best = results.ids[np.arange(2), results.scores.argmax(axis=1)]
    assert best.tolist() == [0, 0]
    assert results.scores.max() > 0.9
    assert memory.vectors.vectors([0]).shape == (1, 576)
    assert memory.vectors.rounded([0]).dtype == np.int16


@extra
def test_sixteen_bits_are_more_exact_than_eight(llama_server: str) -> None:
    embedder, texts = OpenAI(f"SmolLM2-135M@{llama_server}"), sample()[:60]
    # A few at a time, so that the server answers in time on a busy machine too.
    vectors = np.concatenate([embedder.vectors(texts[at : at + 5]) for at in range(0, 60, 5)])
    assert measure_rounding(vectors, 16) > 0.995 > measure_rounding(vectors, 8)
