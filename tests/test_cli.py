"""The command line: output, and one clear line for each user error."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from memopolis.cli import app
from memopolis.commands.show import print_decision
from memopolis.commands.terminal import interrupts

SMALL = ("--agents", "40", "--days", "1", "--seed", "7")
MEMOPOLIS = [sys.executable, "-c", "from memopolis.cli import app; app(prog_name='memopolis')"]


def memopolis(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def complaint(result: Result) -> str:
    """Return the one-line error message."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1
    assert lines[0].startswith("memopolis: ")
    return lines[0]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "dorian"
    start = ("--set", "start=2019-08-31", "--days", "3", "--agents", "60", "--seed", "7")
    result = memopolis("run", "hurricane", *start, "--out", folder)
    assert result.exit_code == 0, result.output
    return folder


# What works


def test_help_imports_no_heavy_package() -> None:
    script = """
import sys
from memopolis.cli import app
app(["--help"], standalone_mode=False)
heavy = {"mesa", "numpy", "pandas", "numba", "pydantic", "matplotlib", "pyarrow"} & set(sys.modules)
print("HEAVY", sorted(heavy - {"pydantic"}))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "HEAVY []" in done.stdout
    assert "scenarios" in done.stdout


@pytest.mark.parametrize("words", [("show", "RUN", "--agent", "3"), ("report", "RUN")])
def test_commands_that_read_a_run_do_not_load_mesa(run: Path, words: tuple[str, ...]) -> None:
    arguments = [str(run) if word == "RUN" else word for word in words]
    script = f"""
import sys
from memopolis.cli import app
app({arguments}, standalone_mode=False)
print("HEAVY", sorted({{"mesa", "networkx", "numba"}} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "HEAVY []" in done.stdout


def test_a_run_writes_a_folder_with_a_report(run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    assert (manifest["status"], manifest["seed"], manifest["ticks"]) == ("succeeded", 7, 72)
    assert "<html" in (run / "report.html").read_text()


def test_a_run_prints_a_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        result = memopolis("run", "hurricane", *SMALL, "--no-report")
        assert result.exit_code == 0, result.output
        assert f"runs/hurricane-7-{number}" in result.stdout
        assert "Evacuated share" in result.stdout
        # Without a terminal the bar must not fill a log.
        assert len(result.stderr.splitlines()) <= 2
    assert not (tmp_path / "runs" / "hurricane-7-1" / "report.html").exists()


def test_settings_come_from_a_file_and_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('agents = 30\nstorm = "florence"\n[social]\ntell = 0.5\n')
    out = tmp_path / "out"
    result = memopolis(
        "run", "hurricane", "--settings", tmp_path / "mine.toml", "--set", "storm=none",
        "--days", "1", "--set", "record.tables=measures", "--out", out, "--no-report",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    settings = json.loads((out / "manifest.json").read_text())["settings"]
    assert (settings["agents"], settings["storm"], settings["social"]["tell"]) == (30, "none", 0.5)
    assert sorted(path.name for path in (out / "tables").iterdir())[:1] == ["measures"]


def test_model_options_set_settings(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = memopolis(
        "run", "hurricane", *SMALL, "--mind", "rule", "--model", "small", "--base-url",
        "http://127.0.0.1:9/v1", "--cassette", "calls.jsonl", "--budget-tokens", "5000",
        "--budget-calls", "7", "--out", out, "--no-report",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    llm = json.loads((out / "manifest.json").read_text())["settings"]["llm"]
    assert (llm["model"], llm["base_url"]) == ("small", "http://127.0.0.1:9/v1")
    assert (llm["cassette"], llm["budget_tokens"], llm["budget_calls"]) == ("calls.jsonl", 5000, 7)


def test_show_prints_one_step_of_an_agent(run: Path) -> None:
    shown = memopolis("show", run, "--agent", "1", "--step", "20").stdout
    assert "step 20" in shown
    quiet = memopolis("show", run, "--agent", "1", "--step", "3").stdout
    assert "no decision was recorded" in quiet
    assert "Nearest steps with a decision: " in quiet
    assert "no step 72" in complaint(memopolis("show", run, "--agent", "1", "--step", "72"))


def test_a_default_of_none_has_no_unit() -> None:
    words = " ".join(memopolis("scenarios", "hurricane").stdout.split())
    assert not re.search(r"\bnone (h|d|h/week|min|kt)\b", words)
    assert "14.0 d" in words


def test_a_run_of_a_scenario_in_a_file(tmp_path: Path) -> None:
    village = tmp_path / "village.py"
    village.write_text(
        "from memopolis import Citizen, Settings, Society\n"
        "class SmallVillage(Society[Settings]):\n"
        "    '''A village.'''\n"
        "    def build(self, settings):\n"
        "        self.populate(Citizen, settings.agents)\n"
    )
    out = tmp_path / "out"
    result = memopolis("run", f"{village}:SmallVillage", *SMALL, "--out", out)
    assert result.exit_code == 0, result.output
    assert "Small village: 40 agents" in result.stderr
    assert "<h1>Small village, seed " in (out / "report.html").read_text()
    listed = memopolis("scenarios", f"{village}:SmallVillage").stdout
    assert "Small village: A village." in listed


def test_scenarios_lists_every_setting_with_range_and_default() -> None:
    shown = " ".join(memopolis("scenarios").stdout.split())
    assert "hurricane" in shown
    for part in ("agents", "1000", "evacuation.packing", "whole number, 1 to 10000000"):
        assert part in shown


def test_scenarios_output_fits_a_terminal() -> None:
    result = CliRunner().invoke(app, ["scenarios"], env={"COLUMNS": "80"})
    table = [line for line in result.stdout.splitlines() if line.startswith(" ")]
    assert max(map(len, table)) <= 80


def test_scenarios_prints_markdown() -> None:
    lines = memopolis("scenarios", "hurricane", "--markdown").stdout.splitlines()
    assert lines[0] == "| setting | type | range | default | unit | origin | description |"
    assert lines[2] == (
        "| agents | whole number | 1 to 10000000 | 1000 |  | choice | "
        "Citizens; all for one per resident of the place |"
    )
    assert all(line.startswith("| ") and line.endswith(" |") for line in lines)


def test_show_prints_an_agent(run: Path) -> None:
    result = memopolis("show", run, "--agent", "3")
    assert result.exit_code == 0, result.output
    for part in ("citizen 3", "Age", "years", "Status", "memories", "Thoughts", "Decisions"):
        assert part in result.stdout
    assert re.search(r"Hunger +(well fed|could eat|hungry)", result.stdout)


def test_interview_gives_details_on_request(run: Path) -> None:
    asked = ("interview", run, "--agent", "3", "How are you?")
    plain, detailed = memopolis(*asked).stdout, memopolis(*asked, "--details").stdout
    assert "Details" not in plain
    assert "Details" in detailed


def test_a_decision_is_printed_with_each_of_its_memories_once() -> None:
    decision = SimpleNamespace(
        kind="plan", item="", choice="meet", value=1.0, reason="", mind="rule", probability=np.nan,
        threshold=np.nan, time=pd.Timestamp("2019-08-30 12:00"), evidence=[*"abacbdde"],
    )  # fmt: skip
    out = Console(file=StringIO(), width=100)
    print_decision(out, decision, "%d %b")
    assert isinstance(out.file, StringIO)
    printed = [line.strip() for line in out.file.getvalue().splitlines()]
    assert printed[1:] == ["- a", "- b", "- c", "and 2 more"]


def test_show_prints_agents_other_than_people(run: Path) -> None:
    populations = json.loads((run / "manifest.json").read_text())["populations"]
    assert list(populations) == ["citizen", "household", "firm", "government"]
    people, households, firms, _ = populations.values()
    household = memopolis("show", run, "--agent", people + 1).stdout
    assert household.startswith(f"household {people + 1} of ")
    assert f"(household {people + 1} has no memories)" in household
    for agent in (people + households + 1, people + households + firms + 1):
        shown = memopolis("show", run, "--agent", agent).stdout
        assert "Thoughts" in shown
        assert "()" not in shown
        assert "did not record" not in shown


def test_show_and_interview_print_the_year_in_runs_of_several_years(tmp_path: Path) -> None:
    out = tmp_path / "run"
    period = ("--set", "start=2019-12-31", "--days", "2", "--agents", "40", "--seed", "7")
    result = memopolis("run", "hurricane", *period, "--out", out, "--no-report")
    assert result.exit_code == 0, result.output
    shown = memopolis("show", out, "--agent", "1").stdout
    asked = memopolis("interview", out, "--agent", "1", "Will you leave?").stdout
    assert re.search(r"01 Jan 2020 \d\d:\d\d", shown)
    for text in (shown, asked):
        assert not re.search(r"\d\d (Dec|Jan) (?!20(19|20))", text)


def test_interview_prints_an_answer_with_its_evidence(run: Path) -> None:
    result = memopolis("interview", run, "--agent", "3", "What about the hurricane?")
    assert result.exit_code == 0, result.output
    for part in ("citizen 3", "What about the hurricane?", "(rule)", "based on", "hurricane"):
        assert part in result.stdout


def test_interview_by_a_model_requires_its_name(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMOPOLIS_MODEL", raising=False)
    asked = memopolis("interview", run, "--agent", "3", "Why?", "--mind", "llm")
    assert "no model is selected" in complaint(asked)


def test_a_survey_set_on_the_command_line_is_asked(tmp_path: Path) -> None:
    asked = ("--set", "survey.ask=ces_d", "--set", "survey.at=2019-08-28 12:00")
    out = ("--no-report", "--out", tmp_path / "run")
    result = memopolis("run", "hurricane", *SMALL, *asked, *out)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "run" / "tables" / "survey").is_dir()


def test_show_ranks_memories_by_a_query(run: Path) -> None:
    result = memopolis("show", run, "--agent", "3", "--query", "evacuation order")
    assert result.exit_code == 0, result.output
    assert "score" in result.stdout


def test_show_prints_the_scores_of_the_search(run: Path) -> None:
    from memopolis import load_run
    from memopolis.sim.memory.retrieval.profiles import PROFILES
    from memopolis.surveys import restore_agent

    best = restore_agent(load_run(run), 3).search("hurricane", k=5)
    assert len(best) == 5
    assert best["score"].is_monotonic_decreasing
    weights = PROFILES["recall"].weights
    shown = sum(best[name] * weights[name] for name in ("recency", "importance", "relevance"))
    assert (shown < best["score"]).all(), "the other terms are not shown"
    assert "urricane" in best["text"].iloc[0]


def test_report_rewrites_the_page(run: Path) -> None:
    page = run / "report.html"
    page.unlink()
    result = memopolis("report", run)
    assert result.exit_code == 0, result.output
    assert page.exists()
    assert "report.html" in result.stdout


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("huricane",), "did you mean hurricane"),
        (("nowhere.py:Village",), "no file"),
        (("hurricane", "--set", "strom=none"), "did you mean storm"),
        (("hurricane", "--set", "storm"), "--set name=value"),
        (("hurricane", "--set", "decision.every=often"), "decision.every was given 'often'"),
        (("hurricane", "--set", "decision=1"), "group of settings"),
        (("hurricane", "--set", "recall=best"), "scored | none | random"),
        (("hurricane", "--agents", "0"), "agents was given '0'; allowed: whole number, 1 to"),
        (("hurricane", "--agents", "many"), "agents was given 'many'"),
        (("hurricane", "--agents", "5", "--set", "agents=6"), "given twice"),
        (("hurricane", "--days", "-1"), "days was given '-1'"),
        (("hurricane", "--seed", "lucky"), "--seed was given 'lucky'"),
        (("hurricane", "--seed", "-1"), "--seed was given '-1'"),
        (("hurricane", "--set", "start=2019-13-01"), "2019-13-01"),
        (("hurricane", "--set", "place=atlantis"), "atlantis"),
        (("hurricane", "--set", "storm=nobody"), "neither one of dorian"),
        (("hurricane", "--set", "storm=nowhere.csv"), "nowhere.csv"),
        (("hurricane", "--set", "orders=nowhere.csv"), "nowhere.csv"),
        (("hurricane", "--set", "place=nowhere.csv"), "nowhere.csv"),
        (("hurricane", "--set", "news=nowhere.csv"), "nowhere.csv"),
        (("hurricane", "--set", "wind=strong"), "rankine"),
        (("hurricane", "--settings", "nowhere.toml"), "nowhere.toml"),
        (("hurricane", "--mind", "genius"), "rule | llm | replay | archetype"),
        (("hurricane", "--mind", "llm", "--model", ""), "no model is selected"),
        (("hurricane", "--mind", "replay"), "set llm.cassette"),
        (("hurricane", "--mind", "replay", "--cassette", "nowhere.jsonl"), "nowhere.jsonl"),
        (("hurricane", "--budget-tokens", "-1"), "llm.budget_tokens was given '-1'"),
        (("hurricane", "--budget-calls", "few"), "llm.budget_calls was given 'few'"),
        (("hurricane", "--fast"), "--fast"),
        ((), "SCENARIO"),
    ],
)
def test_a_user_error_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    small = () if {"--agents", "--days"} & set(arguments) else ("--agents", "20", "--days", "1")
    assert message in complaint(memopolis("run", *arguments, *small))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("setting", "text", "message"),
    [
        ("news", "time,text,topic\n2019-13-01,A storm.,disaster\n", "row 1, column time"),
        ("news", "time,text,topic\n1999-01-01,A storm.,disaster\n", "before the start"),
        ("news", "when,text,topic\n", "column time is missing"),
        ("storm", "time_utc,lat,lon,wind_kt\n2019-09-01,95,-79,80\n", "row 1, column lat"),
        ("storm", "time_utc,lat\n2019-09-01,30\n", "column lon, wind_kt is missing"),
        ("orders", "announced,area,kind\n2019-09-01,all,maybe\n", "row 1, column kind"),
        ("place", "zone,name,lat,lon,population\n1,Town,32,-80,many\n", "row 1, column population"),
        ("place", "", "place.csv"),
    ],
)
def test_an_invalid_data_file_is_reported_with_row_and_column(
    tmp_path: Path, setting: str, text: str, message: str
) -> None:
    file = tmp_path / f"{setting}.csv"
    file.write_text(text)
    out = tmp_path / "out"
    result = f"{setting}={file}"
    line = complaint(memopolis("run", "hurricane", *SMALL, "--set", result, "--out", out))
    assert message in line
    assert file.name in line
    assert not out.exists()


def test_a_nonempty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("kept")
    assert "exists and is not empty" in complaint(
        memopolis("run", "hurricane", *SMALL, "--out", tmp_path)
    )
    file = tmp_path / "kept.txt"
    assert "is a file" in complaint(memopolis("run", "hurricane", *SMALL, "--out", file))
    below = file / "run"
    assert "cannot be written" in complaint(memopolis("run", "hurricane", *SMALL, "--out", below))
    assert file.read_text() == "kept"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder_is_reported(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    out = tmp_path / "run"
    assert "cannot be written" in complaint(memopolis("run", "hurricane", *SMALL, "--out", out))


def test_a_device_without_folders_is_reported() -> None:
    out = Path("/proc/nowhere/run")
    if not out.parents[1].is_dir():
        pytest.skip("no /proc here")
    assert "cannot be written" in complaint(memopolis("run", "hurricane", *SMALL, "--out", out))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "nowhere", "--agent", "1"), "no run folder nowhere"),
        (("report", "nowhere"), "no run folder nowhere"),
        (("scenarios", "nowhere"), "no scenario is called 'nowhere'"),
        (("show", "nowhere", "--agent", "one"), "--agent"),
        (("interview", "nowhere", "--agent", "1", "Why?"), "no run folder nowhere"),
        (("run", "hurricane", "--set", "survey.ask=joy"), "no survey is called 'joy'"),
        (("validate", "--seeds", "1"), "--seeds"),
    ],
)
def test_user_errors_of_other_commands_are_one_line(
    arguments: tuple[str, ...], message: str
) -> None:
    assert message in complaint(memopolis(*arguments))


def test_an_unknown_agent_number_is_refused(run: Path) -> None:
    assert "there is no agent 99999" in complaint(memopolis("show", run, "--agent", "99999"))


class Swallows:
    """Something that is interrupted while it is being removed: Python ignores that."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_ctrl_c_ignored_by_python_still_stops_the_run() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts() as check:
        check()
        Swallows()
        with pytest.raises(KeyboardInterrupt):
            check()
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_marks_the_run_as_interrupted(tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = ["run", "hurricane", "--agents", "200", "--days", "100", "--out", str(out)]
    process = subprocess.Popen(
        [*MEMOPOLIS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not (out / "tables").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stdout == ""
    last = stderr.strip().splitlines()[-1]
    assert last.startswith("memopolis: interrupted at ")
    assert "Traceback" not in stderr
    assert json.loads((out / "manifest.json").read_text())["status"] == "interrupted"
    shown = memopolis("run", "hurricane", *SMALL, "--out", out)
    assert "exists and is not empty" in complaint(shown)
