"""Cases of the challenge: a folder each, with settings, events and, apart from them, outcomes.

`case.toml` has settings, arms and the predicted quantities; other files, such as orders, are named
by settings. Nothing here opens the outcomes: only `scoring.py` does, given frozen predictions.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, NaiveDatetime, Strict, model_validator

from memopolis.analysis.facts.basis import Basis, basis_of
from memopolis.analysis.facts.numbers import SCENARIOS
from memopolis.sim.errors import (
    DataFileError,
    MemopolisError,
    ParameterError,
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
from memopolis.sim.toml_files import Entry, read_entry, read_toml

SHIPPED = Path(__file__).resolve().with_name("cases")
"""Folder of the cases that ship with Memopolis."""
CASE, OUTCOMES = "case.toml", "outcomes.csv"
LARGEST = 1_000_000  # maximum size of a file of a case, in bytes
MOST_SEEDS, MOST_QUANTITIES = 1_000, 200
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")
_ONLY = "lower-case letters, digits, - and _ only, and at most 61 of them"


def _check_line(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("write one line of text")
    return text


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} may have {_ONLY}")
    return name


type _Line = Annotated[str, AfterValidator(_check_line)]
type _LocalTime = Annotated[NaiveDatetime, Strict()]


class Quantity(Entry):
    """A number that is predicted: of a measure or of a fact."""

    # Key of the quantity in the files of outcomes and submissions
    name: Annotated[str, AfterValidator(_check_name)]
    what: _Line  # description
    arm: str  # arm of which it is measured
    basis: Basis = Basis.NONE  # what agreement is evidence of; by default as in `basis.csv`
    reason: str = ""  # why `basis` is not "independent"
    unit: str = ""  # "%" for a share, "pp" for a difference of shares, or a unit
    group: str = ""  # group of comparable quantities, also of other cases, for the rank correlation
    # Measure such as "evacuated_share[mandatory]"; its way, as in `@mean`, applies without `at` and
    # `since`
    measure: str = ""
    at: _LocalTime | None = None  # local time at which it is taken: the last step until then
    since: _LocalTime | None = None  # local time from which it is averaged
    minus_arm: str = ""  # arm of which the same measure is subtracted
    minus_at: _LocalTime | None = None  # local time of which the same measure is subtracted
    fact: str = ""  # fact of `memopolis validate`, such as "U-P1", in place of a measure
    number: str = ""  # number of the fact

    @model_validator(mode="before")
    @classmethod
    def _find_basis(cls, row: object) -> object:
        if isinstance(row, dict) and not row.get("basis"):
            return row | {"basis": basis_of(str(row.get("fact", "")), str(row.get("number", "")))}
        return row

    @model_validator(mode="after")
    def _check(self) -> Self:
        if bool(self.measure) == bool(self.fact) or bool(self.fact) != bool(self.number):
            raise ValueError("write either measure, or fact and number")
        if self.at and self.since:
            raise ValueError("write either at or since")
        if self.fact and (self.at or self.since or self.minus_at or self.minus_arm):
            raise ValueError("a fact has no at, since, minus_at and minus_arm")
        if not self.basis:
            allowed = ", ".join(filter(None, Basis))
            raise ValueError(f"basis is missing; allowed are {allowed}")
        return self


class _CaseFile(Entry):
    """The content of `case.toml`."""

    title: _Line
    scenario: str
    date: Annotated[date, Strict()]
    note: str = ""
    agents: int = Field(strict=True, ge=1, le=10_000_000)
    seeds: int = Field(strict=True, ge=1, le=MOST_SEEDS)
    null_arm: str
    settings: dict[str, Any] = Field(default_factory=dict)
    arms: dict[_Line, dict[str, Any]] = Field(min_length=1)
    predict: list[Quantity] = Field(min_length=1, max_length=MOST_QUANTITIES)

    @model_validator(mode="after")
    def _check(self) -> Self:
        installed = list(scenario_names())
        if self.scenario not in installed:
            raise ValueError(
                f"scenario is {self.scenario!r}; it must be installed: {', '.join(installed)}"
            )
        names = [quantity.name for quantity in self.predict]
        for quantity in self.predict:
            self._check_arms(f"{quantity.name}: arm", quantity.arm)
            self._check_arms(f"{quantity.name}: minus_arm", quantity.minus_arm or quantity.arm)
            self._check_number(quantity)
            if names.count(quantity.name) > 1:
                raise ValueError(f"two quantities are called {quantity.name!r}; use each name once")
        self._check_arms("null_arm", self.null_arm)
        return self

    def _check_arms(self, key: str, arm: str) -> None:
        if arm not in self.arms:
            raise ValueError(f"{key} is {arm!r}; arms: {', '.join(self.arms)}")

    def _check_number(self, quantity: Quantity) -> None:
        if quantity.fact and self.scenario not in SCENARIOS:
            raise ValueError(f"facts exist for {', '.join(SCENARIOS)}, not {self.scenario}")
        known = find_scenario(self.scenario)
        declared = [measure.to_dict() for measure in known.measures]
        try:
            read_outcomes(
                [quantity.measure] if quantity.measure else [], declared, title=known.title
            )
        except MemopolisError as error:
            raise ValueError(f"{quantity.name}: {error.args[0]}") from None


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
                {
                    key: str(value)
                    for key in Quantity.model_fields
                    if (value := getattr(quantity, key))
                }
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
        raise DataFileError(f"{folder}: the name of a case has {_ONLY}; rename the folder")
    refuse_outer_links(folder)
    check_file(file)
    content = read_toml(file, unreadable=f"{file}: not readable", invalid=f"{file}: not valid TOML")
    try:
        case = read_entry(_CaseFile, content[1], str(file))
    except ParameterError as error:
        raise DataFileError(str(error)) from None
    arms, files = _read_arms(file, case, agents or case.agents)
    return Case(
        name=folder.name,
        folder=folder,
        title=case.title,
        scenario=case.scenario,
        date=case.date,
        seeds=seeds or case.seeds,
        null_arm=case.null_arm,
        arms=arms,
        files=files,
        quantities=tuple(case.predict),
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


def _read_arms(
    file: Path, case: _CaseFile, agents: int
) -> tuple[dict[str, Settings], tuple[Path, ...]]:
    """Return complete settings by arm, and the files of the case that they name."""
    arms, files = {}, set()
    for name, own in case.arms.items():
        try:
            changes = merge(nest({"agents": agents, **case.settings}), nest(own))
            arms[name], named = _with_files(file.parent, case.scenario, changes)
        except SettingsError as error:
            raise SettingsError(f"{file}, arm {name}: {error}") from None
        files |= named
    return arms, tuple(sorted(files))


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
