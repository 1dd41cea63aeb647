"""Every column that a run records takes more than one value, or there is a reason."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pytest

from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.settings import nest
from memopolis.sim.society import Society

type Changes = tuple[tuple[str, Any], ...]

RUNS: Mapping[str, tuple[type[Society[Any]], dict[str, Any]]] = {
    "hurricane": (Hurricane, {"agents": 150, "start": "2019-09-01", "days": 9}),
    "polarization": (Polarization, {"agents": 150, "days": 20}),
    "ubi": (BasicIncome, {"agents": 200, "days": 60 * 30, "start": 20}),
}
"""Default settings but for size and length."""

EVERYWHERE = {
    "decisions.mind": "the rules decide",
}
ALONE = {f"decisions.{column}": "every agent decides alone" for column in ("threshold", "together")}
CERTAIN = {f"decisions.{column}": "no decision is drawn" for column in ("probability", "draw")}
CONSTANT: Mapping[str, dict[str, str]] = {
    "hurricane": {
        "agents_firm.turned_away": "agents are recorded at midnight, when stores are closed",
        "agents_firm.price": "prices are fixed in so short a time; a file of profiles may set them",
        "agents_government.agent": "there is one",
        "agents_government.name": "there is one",
        "zones.sea_bearing": "the sea is south-east of all zones",
    },
    "polarization": {
        **ALONE,
        "agents_citizen.persuaded": "everyone assigned gets persuasion.messages a day",
        "measures.persuaded": "everyone assigned gets persuasion.messages a day",
        "agents_outlet.stories": "each has one story a day",
        "agents_statistics_bureau.agent": "there is one",
        "agents_statistics_bureau.name": "there is one",
        # Friendships and sides do not change.
        "agents_statistics_bureau.assortativity": "friends stay friends",
        "agents_statistics_bureau.ei_friends": "friends stay friends",
        "agents_statistics_bureau.modularity": "friends stay friends",
        "measures.assortativity": "friends stay friends",
        "measures.ei_friends": "friends stay friends",
        "measures.modularity": "friends stay friends",
        "ties.kind": "friendship is the only tie",
        # A topic without conversations shows that nothing else changes attitudes.
        "agents_statistics_bureau.left_right": "the placebo",
        "agents_statistics_bureau.left_right_variance": "the placebo",
        "measures.left_right": "the placebo",
        "measures.left_right_variance": "the placebo",
        "memories.place": "there are no zones",
    },
    "ubi": {
        **ALONE,
        **CERTAIN,
        "agents_bank.agent": "there is one",
        "agents_bank.name": "institutions have no names",
        "agents_firm.name": "institutions have no names",
        "agents_government.name": "institutions have no names",
        "agents_statistics_bureau.name": "institutions have no names",
        "agents_statistics_bureau.intention": "it always intends to publish",
        "agents_government.agent": "there is one",
        "agents_statistics_bureau.agent": "there is one",
        "agents_citizen.occupation": "only a file of profiles sets it",
        "agents_citizen.race": "only a file of profiles sets it",
        "memories.place": "there are no zones",
        # The panel asks for numbers, and the rules read them from the status.
        "survey.choice": "its items are ratings",
        "survey.text": "its items are ratings",
        "survey.evidence": "an answer from the status rests on no memory",
        "survey.reason": "the rules read the status",
        "survey.mind": "the rules answer",
        "survey.population": "only citizens are asked",
    },
}
"""Columns of one value and measures that stay the same, each with the reason."""

_folder = TemporaryDirectory(prefix="columns")


def _news() -> str:
    path = Path(_folder.name) / "news.csv"
    rows = ("2026-01-02,A storm is coming.,disaster,-1,0.9", "2026-01-02,Jobs go.,money,-1,0.9")
    path.write_text("\n".join(("time,text,topic,stance,importance", *rows)), encoding="utf-8")
    return str(path)


MOVED_BY: Mapping[str, list[tuple[Changes, set[str]]]] = {
    "hurricane": [
        (
            # The gusts of Dorian damage few of so few buildings.
            (("storm", "matthew"), ("start", "2016-10-02"), ("days", 10)),
            {"agents_household.damage", "agents_firm.damage"},
        ),
    ],
    "polarization": [
        (
            (("arm", "cross"), ("days", 10)),
            {
                "agents_citizen.persuader",
                "agents_persuader.sent",
                "agents_persuader.thought",
                "agents_persuader.intention",
                "agents_persuader.checks_share",
                "agents_persuader.attitude.outlook",
            },
        ),
        (
            # Messages on guns please and anger; only other news saddens and frightens.
            (("agents", 40), ("days", 3), ("news", _news())),
            {
                "agents_citizen.emotion.fear",
                "agents_citizen.emotion.sadness",
                "agents_citizen.emotion.surprise",
            },
        ),
    ],
    "ubi": [
        (
            # Only the bank makes money.
            (("funding", "created"),),
            {"agents_bank.reserves", "measures.reserves"},
        ),
    ],
}
"""Columns that stay the same by default, with settings by which they move."""


@cache
def constant(name: str, changes: Changes = ()) -> frozenset[str]:
    """Run a scenario; gives the columns of one value, and the measures that stay the same."""
    scenario, small = RUNS[name]
    folder = Path(_folder.name) / "-".join((name, *(key for key, _ in changes)))
    scenario(rng=1, **nest({**small, **dict(changes)})).run(folder)
    collected = set()
    for path in (folder / "tables").iterdir():
        if path.name.startswith("start_"):  # of one moment only
            continue
        table = pd.read_parquet(path)
        collected |= {f"{path.name}.{column}" for column in table if _is_constant(table[column])}
        if path.name == "measures":
            values = table.groupby("measure")["value"]
            collected |= {
                f"measures.{measure}" for measure, one in values if len(one.unique()) == 1
            }
    return frozenset(collected)


def _is_constant(column: "pd.Series[Any]") -> bool:
    values = column.map(tuple) if column.name in {"evidence", "together"} else column
    return len(values.unique()) == 1


@pytest.mark.parametrize("name", RUNS)
def test_columns_of_one_value_have_a_reason(name: str) -> None:
    moved = set().union(*(columns for _, columns in MOVED_BY[name]))
    assert constant(name) == {*EVERYWHERE, *CONSTANT[name]} | moved


@pytest.mark.parametrize(
    ("name", "changes", "columns"),
    [(name, *case) for name, cases in MOVED_BY.items() for case in cases],
)
def test_columns_that_depend_on_settings_vary(
    name: str, changes: Changes, columns: set[str]
) -> None:
    assert not columns & constant(name, changes)
