"""Cases of the challenge: a folder each, with settings, events and, apart from them, outcomes.

`case.toml` has settings, arms and the predicted quantities; other files, such as orders, are named
by settings. Nothing here opens the outcomes: only `scoring.py` does, given frozen predictions.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from pathlib import Path
from typing import Any

from memopolis.analysis.facts.basis import Basis, basis_of
from memopolis.analysis.facts.numbers import SCENARIOS
from memopolis.sim.errors import (
    DataFileError,
    MemopolisError,
    SettingsError,
    UnknownNameError,
    did_you_mean,
    reason_of,
)
from memopolis.sim.files import hash_of_file, is_link, refuse_outer_links
from memopolis.sim.outcomes import read_outcomes
from memopolis.sim.replicate import settings_of
from memopolis.sim.running.trust import external_settings
from memopolis.sim.scenario_names import find_scenario, scenario_names
from memopolis.sim.settings import Settings, merge, nest
from memopolis.sim.toml_files import read_toml

SHIPPED = Path(__file__).resolve().with_name("cases")
"""Folder of the cases that ship with Memopolis."""
CASE, OUTCOMES = "case.toml", "outcomes.csv"
LARGEST = 1_000_000  # maximum size of a file of a case, in bytes
MOST_SEEDS, MOST_QUANTITIES = 1_000, 200
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")
_TOP = ("title", "scenario", "date", "note", "agents", "seeds", "null_arm")
_TABLES = ("settings", "arms", "predict")


@dataclass(frozen=True)
class Quantity:
    """A number that is predicted: of a measure or of a fact."""

    name: str  # key of the quantity in the files of outcomes and submissions
    what: str  # description
    arm: str  # arm of which it is measured
    basis: Basis  # what agreement is evidence of, for the shipped settings
    reason: str = ""  # why `basis` is not "independent"
    unit: str = ""  # "%" for a share, "pp" for a difference of shares, or a unit
    group: str = ""  # group of comparable quantities, also of other cases, for the rank correlation
    # Measure such as "evacuated_share[mandatory]"; its way, as in `@mean`, applies without `at` and
    # `since`
    measure: str = ""
    at: datetime | None = None  # local time at which it is taken: the last step until then
    since: datetime | None = None  # local time from which it is averaged
    minus_arm: str = ""  # arm of which the same measure is subtracted
    minus_at: datetime | None = None  # local time of which the same measure is subtracted
    fact: str = ""  # fact of `memopolis validate`, such as "U-P1", in place of a measure
    number: str = ""  # number of the fact


_KEYS = tuple(field.name for field in fields(Quantity))
_TIMES = ("at", "since", "minus_at")


@dataclass(frozen=True, eq=False)
class Case:
    """A case, without its outcomes."""

    name: str  # name of its folder
    folder: Path
    title: str  # title in one line
    scenario: str  # name of an installed scenario
    date: date  # first day of the event or study
    seeds: int  # number of random seeds, which are 1, 2, ..
    null_arm: str  # arm without the event or treatment
    arms: Mapping[str, Settings]  # complete settings by arm
    files: tuple[Path, ...]  # files of the folder that settings name
    quantities: tuple[Quantity, ...]  # what is predicted

    def describe_settings(self, arm: str) -> dict[str, Any]:
        """Return the settings of an arm for JSON, with files by name, without their folder."""
        text = json.dumps(self.arms[arm].model_dump(mode="json"), sort_keys=True)
        for file in self.files:
            text = text.replace(json.dumps(str(file)), json.dumps(file.name))
        described: dict[str, Any] = json.loads(text)
        return described

    def freeze(self) -> dict[str, Any]:
        """Return all that determines the predictions, with its hash."""
        frozen: dict[str, Any] = {
            "scenario": self.scenario,
            "date": self.date.isoformat(),
            "seeds": self.seeds,
            "null_arm": self.null_arm,
            "arms": {arm: self.describe_settings(arm) for arm in self.arms},
            "files": {file.name: hash_of_file(file) for file in self.files},
            "quantities": [
                {key: str(value) for key in _KEYS if (value := getattr(quantity, key))}
                for quantity in self.quantities
            ],
        }
        return {"sha256": hash_of_json(frozen), **frozen}


def hash_of_json(content: object) -> str:
    """Return the SHA-256 of an object as JSON with sorted keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def shipped_names() -> list[str]:
    """Return the names of the shipped cases, sorted."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{CASE}"))


def find_cases(
    names: Iterable[str] = (), *, seeds: int | None = None, agents: int | None = None
) -> list[Case]:
    """Read cases by name of a shipped case or path of a folder; all shipped cases by default.

    Raises UnknownNameError if there is no such case, or two have the same name, or DataFileError if
    a case is invalid; see `read_case`.
    """
    cases: dict[str, Case] = {}
    for name in list(names) or shipped_names():
        folder = Path(name)
        if name in shipped_names():
            folder = SHIPPED / name
        elif not folder.is_dir():
            advice = did_you_mean(name, shipped_names())
            raise UnknownNameError(
                f"no case {name!r}; {advice}there are {', '.join(shipped_names())}, and folders "
                f"with a {CASE}"
            )
        case = read_case(folder, seeds=seeds, agents=agents)
        if case.name in cases:
            raise UnknownNameError(f"two cases are called {case.name!r}; rename a folder")
        cases[case.name] = case
    return list(cases.values())


def read_case(folder: str | Path, *, seeds: int | None = None, agents: int | None = None) -> Case:
    """Read a case from its folder, except for its outcomes.

    `seeds` and `agents` replace the numbers of the case. Raises DataFileError if an entry is
    missing, unknown or invalid, or SettingsError if a setting is unknown or not allowed, or names a
    file outside of the folder, a server or a model.
    """
    folder = Path(folder).resolve()
    file = folder / CASE
    if not _NAME.fullmatch(folder.name):
        raise DataFileError(
            f"{folder}: the name of a case has lower-case letters, digits, - and _ only, and at "
            "most 61 of them; rename the folder"
        )
    refuse_outer_links(folder)
    content = _read_toml(file)
    _refuse_unknown(file, content, (*_TOP, *_TABLES), "a case")
    texts = {key: _text(file, content, key) for key in ("title", "scenario", "null_arm")}
    if texts["scenario"] not in scenario_names():
        raise DataFileError(
            f"{file}: scenario is {texts['scenario']!r}; it must be installed: "
            f"{', '.join(scenario_names())}"
        )
    first = content.get("date")
    if not isinstance(first, date) or isinstance(first, datetime):
        raise DataFileError(f"{file}: date is {first!r}; write a day such as date = 2016-10-04")
    own_agents = _whole(file, content, "agents", 10_000_000)
    own_seeds = _whole(file, content, "seeds", MOST_SEEDS)
    arms, files = _read_arms(file, content, texts["scenario"], agents or own_agents)
    if texts["null_arm"] not in arms:
        raise DataFileError(f"{file}: null_arm is {texts['null_arm']!r}; arms: {', '.join(arms)}")
    quantities = _read_quantities(file, content, texts["scenario"], tuple(arms))
    return Case(
        name=folder.name,
        folder=folder,
        date=first,
        seeds=seeds or own_seeds,
        arms=arms,
        files=files,
        quantities=quantities,
        **texts,
    )


def check_file(file: Path, largest: int = LARGEST) -> None:
    """Refuse a file that is missing, a link, not a regular file, or larger than `largest` bytes."""
    try:
        is_plain = file.is_file() and not is_link(file)
        size = file.stat().st_size if is_plain else 0
    except OSError as error:
        raise DataFileError(f"{file}: not readable: {reason_of(error)}") from None
    if not is_plain:
        raise DataFileError(f"{file}: no such file, or a link; a regular file is needed")
    if size > largest:
        raise DataFileError(f"{file}: {size:,} bytes; at most {largest:,} are allowed")


def _read_toml(file: Path) -> dict[str, Any]:
    check_file(file)
    invalid = f"{file}: not valid TOML"
    return read_toml(file, unreadable=f"{file}: not readable", invalid=invalid)[1]


def _refuse_unknown(
    file: Path, content: Mapping[str, Any], allowed: tuple[str, ...], what: str
) -> None:
    for key in content:
        if key not in allowed:
            advice = did_you_mean(key, allowed)
            raise DataFileError(
                f"{file}: {what} has no key {key!r}; {advice}allowed are {', '.join(allowed)}"
            )


def _text(file: Path, content: Mapping[str, Any], key: str) -> str:
    value = content.get(key)
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise DataFileError(f'{file}: {key} is {value!r}; write one line as {key} = "..."')
    return value


def _whole(file: Path, content: Mapping[str, Any], key: str, most: int) -> int:
    value = content.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise DataFileError(f"{file}: {key} is {value!r}; a whole number from 1 to {most:,}")
    return value


def _read_arms(
    file: Path, content: Mapping[str, Any], scenario: str, agents: int
) -> tuple[dict[str, Settings], tuple[Path, ...]]:
    """Return complete settings by arm, and the files of the case that they name."""
    common, arms = content.get("settings", {}), content.get("arms")
    if not isinstance(arms, dict) or not arms or not isinstance(common, dict):
        raise DataFileError(f"{file}: arms are missing; write tables [arms.NAME] with settings")
    read, files = {}, set()
    for name, own in arms.items():
        if not isinstance(own, dict) or not name.isprintable():
            raise DataFileError(f"{file}: arm {name!r} is {own!r}; write it as a table of settings")
        try:
            changes = merge(nest({"agents": agents, **common}), nest(own))
            settings, named = _with_files(file.parent, scenario, changes)
        except SettingsError as error:
            raise SettingsError(f"{file}, arm {name}: {error}") from None
        read[name] = settings
        files |= named
    return read, tuple(sorted(files))


def _with_files(
    folder: Path, scenario: str, changes: Mapping[str, object]
) -> tuple[Settings, set[Path]]:
    """Return settings with the paths of files of the folder, and these files.

    Raises SettingsError if a setting is not allowed, or names another file, a server or a model.
    """
    settings = settings_of(find_scenario(scenario), changes)
    if settings.mind != "rule":
        raise SettingsError(
            f"mind is {settings.mind}; cases run with the mind rule: submit other results as a "
            "file with --submission"
        )
    files = {}
    for one in external_settings(settings):
        path = folder / one.value
        is_own = one.kind == "file" and one.value == path.name
        if not is_own or path.parent != folder or path.name in {CASE, OUTCOMES}:
            raise SettingsError(
                f"{one.key} is {one.value!r}; a case may only name files of its folder, other "
                f"than {CASE} and {OUTCOMES}, and no servers or models"
            )
        check_file(path)
        files[one.key] = path
    paths = {key: str(path) for key, path in files.items()}
    return settings.with_changes(paths), set(files.values())


def _read_quantities(
    file: Path, content: Mapping[str, Any], scenario: str, arms: tuple[str, ...]
) -> tuple[Quantity, ...]:
    rows = content.get("predict")
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST_QUANTITIES:
        raise DataFileError(
            f"{file}: predict is missing or too long; write 1 to {MOST_QUANTITIES} tables "
            "[[predict]]"
        )
    quantities = [_read_quantity(file, row, scenario, arms) for row in rows]
    names = [quantity.name for quantity in quantities]
    for name in names:
        if names.count(name) > 1:
            raise DataFileError(f"{file}: two quantities are called {name!r}; use each name once")
    return tuple(quantities)


def _read_quantity(file: Path, row: object, scenario: str, arms: tuple[str, ...]) -> Quantity:
    if not isinstance(row, dict):
        raise DataFileError(f"{file}: predict is {row!r}; write tables [[predict]]")
    _refuse_unknown(file, row, _KEYS, "a quantity")
    name = _text(file, row, "name")
    if not _NAME.fullmatch(name):
        raise DataFileError(f"{file}: name {name!r} may have lower-case letters, digits, - and _")
    source = f"{file}, {name}"
    texts = {key: _text(Path(source), row, key) for key in row if key not in _TIMES}
    for key in _TIMES:
        if key in row and (not isinstance(row[key], datetime) or row[key].tzinfo is not None):
            raise DataFileError(
                f"{source}: {key} is {row[key]}; write a local time such as 2016-10-06T15:00:00"
            )
    for key in ("what", "arm"):
        _text(Path(source), row, key)
    for key in ("arm", "minus_arm"):
        if texts.get(key, arms[0]) not in arms:
            raise DataFileError(f"{source}: {key} is {texts[key]!r}; arms: {', '.join(arms)}")
    _check_number(source, row, scenario)
    texts["basis"] = _find_basis(source, texts)
    times = {key: row[key] for key in _TIMES if key in row}
    return Quantity(**{**texts, **times})


def _check_number(source: str, row: Mapping[str, Any], scenario: str) -> None:
    """Refuse a quantity that is neither a measure nor a number of a fact."""
    if ("measure" in row) == ("fact" in row) or ("fact" in row) != ("number" in row):
        raise DataFileError(f"{source}: write either measure, or fact and number")
    if "at" in row and "since" in row:
        raise DataFileError(f"{source}: write either at or since")
    if "fact" in row:
        extra = [key for key in (*_TIMES, "minus_arm") if key in row]
        if extra or scenario not in SCENARIOS:
            raise DataFileError(
                f"{source}: a fact has no {', '.join(extra)}"
                if extra
                else f"{source}: facts exist for {', '.join(SCENARIOS)}, not {scenario}"
            )
        return
    known = find_scenario(scenario)
    declared = [measure.to_dict() for measure in known.measures]
    try:
        read_outcomes([row["measure"]], declared, title=known.title)
    except MemopolisError as error:
        raise DataFileError(f"{source}: {error.args[0]}") from None


def _find_basis(source: str, texts: Mapping[str, str]) -> Basis:
    """Return the label of a quantity: its own, or that of its fact in `basis.csv`."""
    own = texts.get("basis") or basis_of(texts.get("fact", ""), texts.get("number", ""))
    allowed = [basis.value for basis in Basis if basis]
    if own not in allowed:
        raise DataFileError(f"{source}: basis is '{own}'; allowed are {', '.join(allowed)}")
    return Basis(own)
