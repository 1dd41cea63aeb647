"""A run folder from a stranger runs no code, contacts no server and reads no other files."""

import json
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import pytest
from typer.testing import CliRunner, Result

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.cli import app
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.errors import (
    RunFolderError,
    SettingsError,
    TrustError,
    UnknownNameError,
)
from memopolis.sim.files import refuse_outer_links
from memopolis.sim.recording.stopping import StopRun
from memopolis.sim.run_folder.manifest import read_content, write_manifest
from memopolis.sim.running.forking import fork
from memopolis.sim.running.repeating import repeat
from memopolis.sim.running.resuming import resume
from memopolis.sim.running.saved_run import SavedRun
from memopolis.sim.running.trust import Trust, external_settings
from memopolis.sim.scenario_names import find_scenario, scenario_names
from memopolis.sim.settings import Field, Settings, SettingsGroup, holds_text
from memopolis.sim.state.checkpoints import newest, read
from memopolis.sim.state.saving import write_state
from memopolis.sim.sweep.saved_design import read_design

EVIL = """
from pathlib import Path
Path({marker!r}).touch()
from memopolis.scenarios.polarization import Polarization as Base
class Polarization(Base):
    pass
"""


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three days that was interrupted after two, with checkpoints."""
    folder = tmp_path_factory.mktemp("trust") / "run"

    def stop(done: int, *_: object) -> None:
        if done == 2:
            raise StopRun

    with suppress(StopRun):
        Polarization(agents=20, days=3, rng=1, checkpoint={"every": 1}).run(folder, progress=stop)
    return folder


@pytest.fixture
def run(stopped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run, in an empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(stopped, tmp_path / "run")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Listens at an address; `was_called` says whether anybody came."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)  # noqa: FBT003 - as socket has it
        yield listening


def was_called(server: socket.socket) -> bool:
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def rewritten(run: Path, settings: dict[str, Any] | None = None, **entries: object) -> Path:
    """Rewrite a manifest, as a stranger could."""
    result = read_content(run) | entries
    for key, value in (settings or {}).items():
        group, _, name = key.rpartition(".")
        (result["settings"][group] if group else result["settings"])[name] = value
    write_manifest(run, result)
    return run


def hostile(run: Path, server: socket.socket) -> Path:
    """A run that names code, files and servers wherever a run can name anything."""
    marker, home = run.parent / "executed", run.parent / "home"
    (run / "evil.py").write_text(EVIL.format(marker=str(marker)))
    home.mkdir()
    (home / "secret.csv").write_text("time,text\n2026-01-02,the moon is hollow\n")
    url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
    settings = {
        "mind": "llm",
        "llm.base_url": url,
        "llm.model": "m",
        "llm.cassette": str(home / "written.jsonl"),
        "llm.prompts": str(home),
        "embedder": f"openai:m@{url}",
        "news": str(home / "secret.csv"),
        "memories": str(home / "secret.csv"),
    }
    reference = f"{run / 'evil.py'}:Polarization"
    return rewritten(run, settings, reference=reference, status="succeeded")


def memopolis(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


READING: tuple[tuple[str, ...], ...] = (
    ("show", "RUN", "--agent", "3"),
    ("show", "RUN", "--agent", "3", "--query", "guns"),
    ("show", "RUN", "--agent", "3", "--step", "1"),
    ("report", "RUN"),
    ("interview", "RUN", "--agent", "3", "What of guns?"),
    ("compare", "RUN", "RUN"),
)
CONTINUING = (("resume", "RUN"), ("repeat", "RUN"), ("fork", "RUN", "--at", "1"))


def files_beside(run: Path) -> set[str]:
    return {path.as_posix() for path in run.parent.rglob("*") if run not in path.parents}


@pytest.mark.parametrize("words", READING, ids=lambda words: " ".join(words[:1] + words[-2:]))
def test_reading_commands_use_nothing_that_a_run_names(
    run: Path, server: socket.socket, words: tuple[str, ...]
) -> None:
    before = files_beside(hostile(run, server))
    done = memopolis(*(run if word == "RUN" else word for word in words))
    assert done.exit_code == 0, done.output
    assert not was_called(server)
    assert "hollow" not in done.output
    assert {name for name in files_beside(run) - before if "/runs" not in name} == set()


@pytest.mark.parametrize("words", CONTINUING, ids=lambda words: words[0])
def test_a_command_that_continues_a_run_refuses_it_in_one_line(
    run: Path, server: socket.socket, words: tuple[str, ...]
) -> None:
    before = files_beside(hostile(run, server))
    done = memopolis(*(run if word == "RUN" else word for word in words))
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert "names code that is not an installed scenario" in line
    assert f"--scenario {run / 'evil.py'}:Polarization" in line
    assert "--trust" in line
    known = [*words, "--scenario", "polarization"]
    done = memopolis(*(run if word == "RUN" else word for word in known))
    (line,) = done.stderr.splitlines()
    named = ("mind", "llm.base_url", "llm.cassette", "llm.prompts", "embedder", "news", "memories")
    assert [name for name in named if f"--set {name}=" in line] == list(named)
    assert not was_called(server)
    assert files_beside(run) == before


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mind", "llm"),
        ("mind", "replay"),
        ("mind", "archetype"),
        ("llm.base_url", "http://127.0.0.1:1/v1"),
        ("llm.cassette", "/tmp/a.jsonl"),  # noqa: S108 - never opened
        ("llm.prompts", "/etc"),
        ("embedder", "openai:m@http://127.0.0.1:1/v1"),
        ("embedder", "fastembed:/etc"),
        ("news", "/etc/passwd"),
        ("profiles", "../people.csv"),
        ("memories", "//host/share/past.json"),
        ("survey.ask", ["ces_d", "/etc/mine.toml"]),
        ("network.kind", "/etc/hosts"),
        ("event", "/etc/passwd"),
    ],
)
def test_each_setting_that_leads_outside_must_be_repeated(run: Path, key: str, value: Any) -> None:
    rewritten(run, {key: value})
    makes: tuple[Callable[[], Path], ...] = (
        lambda: resume(run),
        lambda: repeat(run, run.parent / "again"),
        lambda: fork(run, run.parent / "fork", at=1),
    )
    for make in makes:
        with pytest.raises(TrustError, match=f"files or servers outside of it: {key} = ") as caught:
            make()
        assert "\n" not in str(caught.value)
    assert sorted(path.name for path in run.parent.iterdir()) == ["run"]
    for allowed in (Trust({key: value}), Trust(everything=True)):
        assert external_settings(SavedRun.read(run, allowed).settings)
    with pytest.raises(TrustError):
        SavedRun.read(run, Trust({key: "none" if key != "mind" else "rule"}))


def test_a_repeated_setting_allows_the_run_to_continue(run: Path) -> None:
    (run.parent / "mine.csv").write_text("time,topic,text\n2026-01-02,gun_control,There is news\n")
    settings = {"agents": 20, "days": 2, "news": "mine.csv"}
    mine = Polarization(rng=1, **settings).run(run.parent / "mine")
    done = memopolis("repeat", mine, "--no-report", "--out", "again")
    assert "news = mine.csv (a file)" in done.stderr
    done = memopolis("repeat", mine, "--no-report", "--out", "again", "--set", "news=mine.csv")
    assert done.exit_code == 0, done.output
    assert "Tables  equal" in done.stdout
    again = repeat(mine, run.parent / "trusted", trust=True)
    assert table_digests(again) == table_digests(mine)
    with pytest.raises(SettingsError, match=r"days is .* in the run in .*, and cannot be changed"):
        repeat(mine, run.parent / "other", settings={"news": "mine.csv", "days": 9})


def test_what_the_folder_itself_contains_may_be_named(run: Path) -> None:
    (run / "news.csv").write_text("time,text\n2026-01-02,There is news\n")
    rewritten(run, {"news": str(run / "news.csv")})
    assert SavedRun.read(run).settings.news == str(run / "news.csv")


@pytest.mark.parametrize(
    "reference",
    [
        "EVIL:Polarization",
        "evil_module:Polarization",
        "memopolis.analysis.interview.agent_society:AgentSociety",
        "memopolis.scenarios.polarization:Settings",
        "os:system",
        "hurricane",
        ".:H",
        "a..b:C",
        ":",
    ],
)
def test_only_installed_scenarios_are_found_for_a_run(
    run: Path, reference: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = run.parent / "executed"
    for place in (run, run.parent):
        (place / "evil_module.py").write_text(EVIL.format(marker=str(marker)))
    monkeypatch.syspath_prepend(str(run.parent))
    rewritten(run, reference=reference.replace("EVIL", str(run / "evil_module.py")))
    with pytest.raises(TrustError, match="names code"):
        SavedRun.read(run)
    assert not marker.exists()


def test_an_already_loaded_class_is_used(run: Path) -> None:
    (run.parent / "mine.py").write_text(EVIL.format(marker=str(run.parent / "executed")))
    reference = f"{run.parent / 'mine.py'}:Polarization"
    rewritten(run, reference=reference)
    with pytest.raises(TrustError):
        SavedRun.read(run)
    assert SavedRun.read(run, Trust(scenario=reference)).scenario is find_scenario(reference)
    assert SavedRun.read(run).scenario is find_scenario(reference)


def test_checkpoints_are_checked_by_the_same_rules(run: Path) -> None:
    checkpoint, _ = newest(run)
    assert checkpoint is not None
    folder = checkpoint.folder
    good = read(checkpoint).plain
    state = read(checkpoint)
    state.arrays = {name: values.copy() for name, values in state.arrays.items()}
    state.plain = good | {"settings": {**good["settings"], "news": "/etc/passwd"}}
    write_state(state, folder, replace=True)
    with pytest.raises(TrustError, match="news = /etc"):
        resume(run)
    state.plain = good
    write_state(state, folder, replace=True)
    assert load_run(resume(run)).status == "succeeded"


@pytest.mark.parametrize(
    "part", ["tables/measures", "memory", "secret", "tables/x/part-00000.parquet"]
)
def test_a_link_that_leads_out_is_not_followed(run: Path, part: str) -> None:
    outside_of_it = run.parent / "kept"
    outside_of_it.mkdir()
    (outside_of_it / "mine.txt").write_text("mine")
    link = run / part
    link.parent.mkdir(exist_ok=True)
    if link.is_dir():
        shutil.rmtree(link)
    link.symlink_to(outside_of_it)
    for words in (*READING, *CONTINUING):
        done = memopolis(*(run if word == "RUN" else word for word in words))
        assert done.exit_code == 2, words
        assert f"{part} is a link that leads out of it" in done.stderr
    assert [path.name for path in outside_of_it.iterdir()] == ["mine.txt"]


def test_a_link_that_stays_in_the_folder_is_followed(run: Path) -> None:
    (run / "same").symlink_to("tables")
    refuse_outer_links(run)


def text_settings(schema: type[SettingsGroup], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in schema.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, SettingsGroup):
            yield from text_settings(kind, f"{prefix}{name}.")
        elif holds_text(kind):
            yield prefix + name, field


@pytest.mark.parametrize("name", scenario_names())
def test_every_text_setting_declares_what_it_names(name: str) -> None:
    schema = find_scenario(name).settings_class
    result = dict(text_settings(schema))
    unsaid = [key for key, field in result.items() if field.json_schema_extra["names"] is None]
    assert unsaid == []
    assert {"news", "llm.base_url", "llm.cassette", "survey.ask", "embedder"} <= result.keys()
    assert external_settings(schema()) == []


class Group(SettingsGroup):
    """A group."""

    where: str = "here"


class Odd(Settings):
    """Settings of a scenario of a third party, without declarations of what they name."""

    map: Path | None = Field(None, "A map")
    files: dict[str, str] = Field({}, "Files")
    choice: Literal["a", "b"] = Field("a", "A choice")
    anything: Any = Field(1, "Anything")
    group: Group = Group()


def test_a_text_setting_without_declaration_counts_as_a_file() -> None:
    assert external_settings(Odd()) == []
    changed = Odd().with_changes(
        {
            "map": "/etc/passwd",
            "files": {"a": "b"},
            "choice": "b",
            "anything": [2],
            "group.where": "x",
        }
    )
    assert [one.key for one in external_settings(changed)] == [
        "map",
        "files",
        "anything",
        "group.where",
    ]


def test_the_dashboard_of_a_run_contacts_no_server(run: Path, server: socket.socket) -> None:
    from memopolis.analysis.interview.restored_agent import restore_agent
    from memopolis.dashboard.life.minds import minds_of
    from memopolis.dashboard.watch.replay import Replay, ReplayWatch

    result = load_run(hostile(run, server))
    assert minds_of(ReplayWatch(Replay([result])).mind) == {"rule": "the rules"}
    asked = restore_agent(result, 3)
    assert len(asked.search("guns"))
    with pytest.raises(TrustError, match="embedder 'openai:m@http"):
        asked._society.population_of_one.memory.vectors.rounded([1])
    assert not was_called(server)


@pytest.mark.extras
def test_the_mcp_server_refuses_to_continue_such_a_run(run: Path, server: socket.socket) -> None:
    pytest.importorskip("mcp")
    from memopolis.mcp_server.making_tools import run_to_continue

    with pytest.raises(TrustError, match="only runs of installed scenarios") as caught:
        run_to_continue(hostile(run, server))
    assert "--trust" not in str(caught.value)
    with pytest.raises(TrustError, match=r"news = .*; only runs of installed"):
        run_to_continue(
            rewritten(run, reference="memopolis.scenarios.polarization.scenario:Polarization")
        )
    assert not was_called(server)


@pytest.mark.parametrize(
    "name",
    [
        ".:H", "a..b:C", ":X", "x:", "/etc/passwd:Y", "os..path:C", "tests:", "..", "a\0.py:B",
        "exits.py:H", "raises.py:H", "exits:H", "raises:H",
    ],
)  # fmt: skip
def test_an_invalid_scenario_name_is_reported_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "exits.py").write_text("raise SystemExit('gone')")
    (tmp_path / "raises.py").write_text("raise ZeroDivisionError('by nothing')")
    with pytest.raises(UnknownNameError) as caught:
        find_scenario(name)
    assert "\n" not in str(caught.value)
    done = memopolis("run", name)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize("name", ["../..", "/etc", "", ".", "a/b", 3])
def test_a_design_cannot_name_another_folder(tmp_path: Path, name: object) -> None:
    design = {
        "title": "x",
        "design": {
            "scenario": "polarization", "settings": {}, "factors": {"agents": [20]},
            "sampling": "grid", "samples": 1, "replications": 1, "seed": 1, "seeds": "paired",
            "outcomes": [],
        },
        "outcomes": [], "points": [{"agents": 20}], "runs": [["abc", 0, 0, 1]],
    }  # fmt: skip
    (tmp_path / "design.json").write_text(json.dumps(design))
    assert read_design(tmp_path).runs[0].name == "abc"
    design["runs"] = [[name, 0, 0, 1]]
    (tmp_path / "design.json").write_text(json.dumps(design))
    with pytest.raises(RunFolderError, match="has the invalid name"):
        read_design(tmp_path)


def test_texts_of_a_run_are_escaped(run: Path) -> None:
    drawn = "<script>alert(1)</script>[bold]$\\frac$"
    bad = f"{drawn}\x1b]0;x\x07"
    measures = [
        {**one, "chart": drawn, "unit": drawn, "description": drawn}
        for one in read_content(run)["measures"]
    ]
    rewritten(run, {"network.kind": bad}, title=bad, measures=measures, error=bad, facts={bad: bad})
    shown = memopolis("report", run)
    assert shown.exit_code == 0, shown.output
    page = (run / "report.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    for words in (("show", "--agent", "3"), ("compare", run)):
        done = memopolis(words[0], run, *words[1:])
        assert done.exit_code == 0, done.output
        assert "\x1b" not in done.output
