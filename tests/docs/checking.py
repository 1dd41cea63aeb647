"""Check a command of a page without running it: options, settings, files."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from typer.main import get_command

from memopolis.cli import app
from memopolis.sim.arms import read_arms
from memopolis.sim.errors import SettingsError
from memopolis.sim.scenario_names import find_scenario, scenario_names
from memopolis.sim.settings import parse_sets
from memopolis.sim.society import Society

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TARGETS = set(
    re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
)
ELSEWHERE = ("source", "cd", "git", "pytest", "mkdocs", "jupyter", "export", "sbatch", "Rscript")
"""Commands of others, which are not checked."""


def check(command: list[str]) -> None:
    """Check one command of a page.

    Args:
        command: Its words.

    Raises:
        AssertionError: If it names something that is not there.
        MemopolisError: If a setting, an arm or a scenario is not allowed.
    """
    command = [re.sub(r"\$\{?\w+\}?", "1", word) for word in command]
    if command[0] == "srun":
        command = command[1:]
    name = Path(command[0]).name
    readers = {"memopolis": _check_ours, "make": _check_make, "uv": _check_installed}
    reader = readers.get(name, _check_python if name.startswith("python") else None)
    if reader is not None:
        reader(command[1:])
    else:
        assert name in ELSEWHERE, f"no page of ours should need {name!r}"


def _check_make(words: list[str]) -> None:
    targets = [word for word in words if "=" not in word]
    assert set(targets) <= TARGETS, f"the Makefile has no {set(targets) - TARGETS}"


def _check_python(words: list[str]) -> None:
    if words[:1] == ["-m"]:
        assert find_spec(words[1]) is not None, f"there is no module {words[1]}"
        if words[1] == "pip":
            _check_installed(words)


def _check_installed(words: list[str]) -> None:
    """Check that extras and groups to install exist in the project."""
    groups = [after for word, after in pairwise(words) if word == "--group"]
    extras = [name for word in words for name in re.findall(r"\[(.*)\]", word)]
    named = {name for names in extras for name in names.split(",")}
    strange = set(groups) - set(PROJECT["dependency-groups"])
    strange |= named - set(PROJECT["project"]["optional-dependencies"])
    assert not strange, f"pyproject.toml has no {strange}"


def _check_ours(words: list[str]) -> None:
    """Parse the options as the command does, and check the resulting settings."""
    group: Any = get_command(app)
    assert words, "memopolis alone says nothing"
    assert words[0] in group.commands, f"there is no `memopolis {words[0]}`"
    result = group.commands[words[0]].make_context(words[0], words[1:]).params
    scenarios = _scenarios(result)
    sets = [one for one in result.get("sets") or () if one != "KEY=VALUE"]  # any setting
    changes = parse_sets([*_short(result), *sets])
    if scenarios:
        accepted = [one for one in scenarios if _accepts(one, changes, scenarios)]
        assert accepted, f"no scenario has all of {changes}"
    if words[0] == "validate":
        strange = {*(result.get("scenarios") or ())} - {*scenario_names()}
        assert not strange, f"there is no scenario {strange}"
    if result.get("arms") and scenarios:
        read_arms(scenarios[0], result["arms"].split(","))
    if result.get("seed") is not None:
        assert str(result["seed"]).isdecimal(), f"{result['seed']} is no seed"


def _scenarios(value: Mapping[str, Any]) -> list[type[Society[Any]]]:
    """Return the named scenario; all scenarios for a run; none for the reader's own file."""
    named = value.get("scenario") or (value["names"][0] if value.get("arms") else None)
    if named is None:
        return OURS
    file, is_file, _ = str(named).partition(".py:")
    return [] if is_file and not Path(f"{file}.py").exists() else [find_scenario(named)]


def _short(value: Mapping[str, Any]) -> list[str]:
    """Return options that stand for a setting, in the form of `--set`."""
    return [f"{key}={value[name]}" for name, key in SHORT.items() if value.get(name) is not None]


def _accepts(
    scenario: type[Society[Any]],
    changes: Mapping[str, object],
    asked: Sequence[type[Society[Any]]],
) -> bool:
    """Return whether these are settings of a scenario; raise the error if only one is possible."""
    try:
        scenario.settings_class().with_changes(changes)
    except SettingsError:
        if len(asked) == 1:
            raise
        return False
    return True


OURS = [find_scenario(name) for name in scenario_names()]
LLM = ("model", "base_url", "cassette", "budget_tokens", "budget_calls")
SHORT = {name: name for name in ("agents", "days", "mind")} | {name: f"llm.{name}" for name in LLM}
"""The setting that an option of a command is short for."""
