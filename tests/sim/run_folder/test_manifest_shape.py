"""A manifest is what a run writes, or one line says what is wrong with it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memopolis.cli import app
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.errors import RunFolderError
from memopolis.sim.run_folder.manifest import checked_manifest, read_content

GONE = object()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run whose manifest is rewritten by tests."""
    return Polarization(agents=20, days=2, rng=1).run(tmp_path_factory.mktemp("shape") / "run")


@pytest.fixture(scope="module")
def good(run: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((run / "manifest.json").read_text())
    return content


WRONG: list[tuple[str, object, str]] = [
    ("status", GONE, "it lacks status"),
    ("status", "done", "status should be 'running', 'succeeded', .* given 'done'"),
    ("seed", "3", "seed should be a valid integer, given '3'"),
    ("seed", 1.5, "seed should be a valid integer, given 1.5"),
    ("seed", True, "seed should be a valid integer, given True"),
    ("seed", -1, "seed should be greater than or equal to 0"),
    ("seed", 10**4000, "seed should be less than .* given 1000"),
    ("settings", {}, "settings is empty"),
    ("settings", [], r"settings should be a JSON object, given \[\]"),
    ("scenario", "nowhere", "scenario: a module and a class"),
    ("reference", None, "reference should be a valid string, given None"),
    ("title", 5, "title should be a valid string"),
    ("start", "soon", "start: a local date and time such as .* given 'soon'"),
    ("start", "2026-01-01T00:00:00+02:00", "start: a local date"),
    ("start", "9999-12-31T00:00:00", "its last step is after the year 9999"),
    ("tick_hours", "1", "tick_hours should be a valid number"),
    ("tick_hours", 0, "tick_hours should be greater than 0"),
    ("tick_hours", float("nan"), "tick_hours should be"),
    ("tick_hours", 1e308, "tick_hours should be less than"),
    ("ticks", -1, "ticks should be greater"),
    ("ticks", 10**30, "ticks should be less"),
    ("ticks", True, "ticks should be a valid integer"),
    ("until", 0.5, "until should be a valid integer"),
    ("began", 5, "until is 2, before began, 5"),
    ("made", 7, "made is 7, more than ticks, 2"),
    ("populations", [], "populations should be a JSON object"),
    ("populations", {"../x": 3}, "populations.*: a name of letters"),
    ("populations", {"citizen": "many"}, "populations.citizen should be a valid integer"),
    ("measures", {}, "measures should be a valid list"),
    ("measures", [1], "measures.0 should be a JSON object, given 1"),
    ("measures", [{"name": "x"}], r"it lacks measures.0.population \(and 6 more\)"),
    ("attributes", {"citizen": {"age": 3}}, "attributes.citizen.age should be a JSON object"),
    ("timeline", {"past": [[1]], "pending": []}, "timeline.past.0: a list of a step and a JSON"),
    ("surveys", [1], "surveys.0 should be a JSON object"),
    ("interventions", [], "interventions should be a JSON object"),
    ("interventions", {"shocks": []}, "it lacks interventions.surveys"),
    ("resumed", [{}], "it lacks resumed.0.step"),
    ("fork", "x", "fork should be a JSON object"),
    ("versions", [], "versions should be a JSON object"),
    ("mind", {"minds": 3}, "mind: minds must be a list"),
    ("mind", {"calls": "x"}, "mind: the counters of a mind must be whole numbers"),
    ("format", 99, "it has format 99; this version reads"),
    ("title", "\ud800", "lone surrogate"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_an_invalid_entry_is_reported_in_one_line(
    good: dict[str, Any], name: str, value: object, message: str
) -> None:
    content = {key: one for key, one in {**good, name: value}.items() if one is not GONE}
    with pytest.raises(ValueError, match=message) as caught:
        checked_manifest(json.dumps(content))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: "", "Expecting value"),
        (lambda _: "[]", "it is not a JSON object"),
        (lambda text: text[: len(text) // 2], "line"),
        (lambda text: '{"seed": 1,' + text.lstrip()[1:], "it has the entry 'seed' twice"),
        (lambda _: '{"a":' * 100_000, "nested too deeply"),
        (lambda _: '{"a":' * 40 + "1" + "}" * 40, "nested more than 30 levels deep"),
        (lambda text: text.replace('"seed": 1', '"seed": ' + "9" * 5_000), "digits"),
    ],
    ids=range(7),
)
def test_a_file_that_is_no_manifest_is_reported_in_one_line(
    good: dict[str, Any], change: Callable[[str], str], message: str
) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        checked_manifest(change(json.dumps(good)))
    assert "\n" not in str(caught.value)


def test_missing_entries_have_defaults_and_unknown_ones_are_kept(
    good: dict[str, Any],
) -> None:
    few = {name: good[name] for name in good if name not in {"resumed", "surveys", "interventions"}}
    content = checked_manifest(json.dumps({**few, "parts": {"measures": [[1, "a"]]}}))
    assert content["parts"] == {"measures": [[1, "a"]]}
    assert (content["resumed"], content["surveys"], content["fork"]) == ([], [], None)
    assert content["interventions"] == {"shocks": [], "surveys": []}
    assert {name: content[name] for name in few} == few


def test_a_manifest_that_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(RunFolderError, match="is not a file"):
        read_content(tmp_path)


COMMANDS = (
    ("show", "RUN", "--agent", "3"),
    ("report", "RUN"),
    pytest.param(("query", "RUN", "select 1"), marks=pytest.mark.extras),
    ("interview", "RUN", "--agent", "3", "Why?"),
    ("compare", "RUN", "RUN"),
    ("dashboard", "RUN", "--no-open"),
    ("resume", "RUN"),
    ("repeat", "RUN"),
    ("fork", "RUN", "--at", "1"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_every_command_reports_an_invalid_manifest_in_one_line(
    run: Path, good: dict[str, Any], words: tuple[str, ...]
) -> None:
    for name, value in (("seed", "3"), ("measures", [1]), ("tick_hours", 0), ("status", None)):
        (run / "manifest.json").write_text(json.dumps({**good, name: value}))
        done = CliRunner().invoke(app, [str(run) if word == "RUN" else word for word in words])
        assert done.exit_code == 2, (name, done.output, done.exception)
        assert re.fullmatch(rf"memopolis: .*manifest.json is broken: {name}\b.*\n", done.stderr)
    (run / "manifest.json").write_text(json.dumps(good))
