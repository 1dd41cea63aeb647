"""Files of a stranger that name a server, code or other files: saved memories, stores, graphs.

Nothing that such a file names is contacted, run or opened unless the user names it, too.
"""

import json
import pickle
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from tests.attack.assistant_client import AssistantClient
from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import added_to_environment, call, start
from tests.attack.server import ModelServer
from tests.attack.watched import opened_in
from tests.attack.workshop import Workshop

_KEY = "sk-stranger-0123456789"
_QUIET = "--no-report"


@contextmanager
def _watched(workshop: Workshop) -> Iterator[tuple[ModelServer, Path, list[str]]]:
    """Yield a server, a folder with a secret, and a list of what reached either of them."""
    elsewhere = workshop.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret.txt").write_text("the moon is hollow")
    acts: list[str] = []
    server = ModelServer()
    with server, opened_in(elsewhere) as opened, added_to_environment({"OPENAI_API_KEY": _KEY}):
        yield server, elsewhere, acts
    acts += [*server.faults, *opened]


def _save_memory(folder: Path, embedder: str) -> Path:
    """Save a memory of five texts that names an embedder."""
    from memopolis import Memory

    memory = Memory(1)
    for number in range(5):
        memory[0].stream.add("note", f"private text {number}")
    memory.embedder = embedder
    return memory.save(folder)


def _embedders(server: ModelServer) -> tuple[str, ...]:
    return (f"openai:m@{server.url}", "openai:m", "fastembed:some/model", "minilm", "evil\n" * 9)


def _load_memories(workshop: Workshop) -> Outcome:
    """Load saved memories that name an embedder; then search as the caller allows it."""
    from memopolis import Memory
    from memopolis.sim.errors import TrustError

    faults: list[str] = []
    with _watched(workshop) as (server, _, acts):
        names = _embedders(server)
        for number, name in enumerate(names):
            folder = _save_memory(workshop.folder / f"memory-{number}", name)
            try:
                Memory.load(folder)
                faults.append(f"{name!r} was loaded")
            except TrustError as error:
                faults += ["more than one line"] if "\n" in str(error) else []
            loaded = Memory.load(folder, embedder="static")
            for profile in ("recall", "act", "dense"):
                loaded[0].stream.search("my secret question", profile=profile)
    return judge(
        faults + acts, f"{len(names)} refused; searched with embedder='static'; 0 requests"
    )


def _load_named_again(workshop: Workshop) -> Outcome:
    """Repeat the name of the embedder, which must be asked now, or the case is blind."""
    from memopolis import Memory
    from memopolis.sim.errors import ServerError

    with ModelServer() as server, added_to_environment({"OPENAI_API_KEY": _KEY}):
        name = f"openai:m@{server.url}"
        folder = _save_memory(workshop.folder / "memory", name)
        with suppress(ServerError):  # the server answers with an error
            Memory.load(folder, embedder=name)[0].stream.search("question", profile="dense")
        asked = len(server.requests)
    return judge([] if asked else ["the server was not asked"], f"{asked} request")


def _serve_memory(workshop: Workshop) -> Outcome:
    """Serve a folder of an assistant's memory whose only version names a server."""
    with _watched(workshop) as (server, _, acts):
        folder = workshop.folder / "notes"
        _save_memory(folder / "version-1", f"openai:m@{server.url}")
        result = start("mcp", "--memory", folder, cwd=workshop.folder, env={"OPENAI_API_KEY": _KEY})
    return judge(result.refusal_faults() + acts, f"{result.summary}, 0 requests")


class _Touch:
    """Creates a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self._marker,))


def _open_store(workshop: Workshop) -> Outcome:
    """Run with a folder of Qdrant whose only point runs code when the client reads it."""
    home, marker = workshop.folder, workshop.folder / "marker"
    name = "memopolis-run-citizen"
    (home / "qdrant" / "collection" / name).mkdir(parents=True)
    vectors = {"vectors": {"size": 256, "distance": "Cosine"}}
    (home / "qdrant" / "meta.json").write_text(json.dumps({"collections": {name: vectors}}))
    file = home / "qdrant" / "collection" / name / "storage.sqlite"
    with closing(sqlite3.connect(file)) as storage, storage:
        storage.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
        storage.execute("INSERT INTO points VALUES (?, ?)", ("1", pickle.dumps(_Touch(marker))))
    sets = ("--set", "memory.store=qdrant", "--set", "memory.path=qdrant")
    result = call(
        "run", "polarization", "--agents", "20", "--days", "1", "--out", "run", _QUIET, *sets,
        cwd=home,
    )  # fmt: skip
    faults = ["the stranger's code was executed"] if marker.exists() else []
    faults += result.refusal_faults()
    faults += [] if "names code" in result.summary else [f"another reason: {result.summary}"]
    return judge(faults, result.summary)


_GRAPH = """<?xml version="1.0"?>
<!DOCTYPE graphml [{entities}]>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="k" for="node" attr.name="name" attr.type="string"/>
<graph edgedefault="undirected"><node id="0"><data key="k">&{entity};</data></node></graph>
</graphml>
"""


def _graph(_: Path) -> str:
    levels = [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12)]
    return _GRAPH.format(entities=f'<!ENTITY e0 "ha">{"".join(levels)}', entity="e11")


def _graph_elsewhere(elsewhere: Path) -> str:
    entity = f'<!ENTITY secret SYSTEM "{(elsewhere / "secret.txt").as_uri()}">'
    return _GRAPH.format(entities=entity, entity="secret")


def _read_graph(workshop: Workshop, *, content: Callable[[Path], str]) -> Outcome:
    """Run with ties from a graph whose XML names another file, or grows without bounds."""
    with _watched(workshop) as (_, elsewhere, acts):
        (workshop.folder / "ties.graphml").write_text(content(elsewhere))
        result = start(
            "run", "polarization", "--agents", "20", "--days", "1", _QUIET,
            "--set", "network.kind=ties.graphml", cwd=workshop.folder,
        )  # fmt: skip
    faults = result.refusal_faults() + acts
    faults += [f"{result.peak_mb:.0f} MB"] if result.peak_mb > 1_000 else []
    return judge(faults, f"{result.summary}; {result.peak_mb:.0f} MB")


def _read_place(workshop: Workshop) -> Outcome:
    """Run in a place whose files are links to a file elsewhere."""
    with _watched(workshop) as (_, elsewhere, acts):
        place = workshop.folder / "place"
        place.mkdir()
        (place / "zones.csv").symlink_to(elsewhere / "secret.txt")
        result = call(
            "run", "hurricane", "--agents", "20", "--days", "1", _QUIET, "--set", "place=place",
            cwd=workshop.folder,
        )  # fmt: skip
    return judge(result.refusal_faults() + acts, result.summary)


def _fill_prompt(workshop: Workshop) -> Outcome:
    """Fill prompts of a stranger's folder that include files elsewhere."""
    from memopolis.sim.errors import MemopolisError
    from memopolis.sim.mind.templates import Templates

    faults: list[str] = []
    with _watched(workshop) as (_, elsewhere, acts):
        prompts = workshop.folder / "prompts"
        prompts.mkdir()
        (prompts / "linked.jinja").symlink_to(elsewhere / "secret.txt")
        secret = elsewhere / "secret.txt"
        names = ("../elsewhere/secret.txt", str(secret), "linked.jinja")
        for name in names:
            (prompts / "system.jinja").write_text(f"{{% include {name!r} %}}")
            try:
                shown = Templates([prompts, workshop.folder], str).fill(["system.jinja"], {})
                faults.append(f"{name} was included: {shown}")
            except MemopolisError as error:
                faults += ["more than one line"] if "\n" in str(error) else []
    return judge(faults + acts, f"{len(names)} refused")


def _read_conversations(workshop: Workshop) -> Outcome:
    """Read the conversations of a run whose file is a link, or holds more than data."""
    from memopolis.analysis.run.conversations import read_conversations
    from memopolis.sim.errors import RunFolderError

    lines = {
        "another file": json.dumps({"step": 0, "agent": 1, "file": "/etc/passwd"}),
        "a server": json.dumps({"step": 0, "base_url": "http://127.0.0.1"}),
        "no JSON": "[" * 10_000,
    }
    faults: list[str] = []
    for what, line in lines.items():
        (workshop.folder / "conversations.jsonl").write_text(f"{line}\n")
        try:
            kept = read_conversations(workshop.folder)
            faults += [f"{what} was read"] if kept else []
        except RunFolderError as error:
            faults += ["more than one line"] if "\n" in str(error) else []
    return judge(faults, f"{len(lines)} lines, none of which names anything that is used")


def _serve_damaged(workshop: Workshop) -> Outcome:
    """Serve a memory whose only version is damaged."""
    notes = workshop.folder / "notes"
    with AssistantClient("--memory", notes, cwd=workshop.folder) as client:
        for number in range(3):
            client.tool("store_memory", text=f"Note {number}.")
    (version,) = notes.glob("version-*")
    (version / "texts.parquet").write_bytes(b"no parquet")
    result = start("mcp", "--memory", notes, cwd=workshop.folder)
    faults = result.refusal_faults()
    left = {path.name for path in notes.glob("version-*")}
    faults += [] if left == {version.name} else [f"left are {sorted(left)}"]
    return judge(faults, result.summary)


_EACH = "each refused in one line; 0 requests, 0 files elsewhere opened"

CASES = [
    Case("`Memory.load`: the folder names an embedder, 5 names", _EACH, _load_memories),
    Case(
        "`Memory.load` with the embedder that the folder names",
        "the server is asked, which proves that the case can see it",
        _load_named_again,
    ),
    Case("`memopolis mcp --memory`: the folder names an embedder", _EACH, _serve_memory),
    Case(
        "`memopolis mcp --memory`: the version of the memory is damaged",
        "refused in one line, nothing removed",
        _serve_damaged,
    ),
    Case(
        "`memory.path`: a folder of Qdrant whose points run code",
        "refused in one line, no code executed",
        _open_store,
    ),
    Case(
        "`network.kind`: a graph whose XML names a file elsewhere",
        "refused in one line, the file is not opened",
        partial(_read_graph, content=_graph_elsewhere),
    ),
    Case(
        "`network.kind`: a graph whose XML grows tenfold eleven times",
        "refused in one line, at most 1 GB",
        partial(_read_graph, content=_graph),
    ),
    Case("`place`: files are links to a file elsewhere", "refused, file not opened", _read_place),
    Case("prompts that include a file elsewhere, 3 ways", "each refused", _fill_prompt),
    Case("`conversations.jsonl` with more than data", "not used", _read_conversations),
]
