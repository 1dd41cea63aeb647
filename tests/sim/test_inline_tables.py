"""DataFrames as settings: their rows are part of the manifest, so a run needs no other file."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.sim.test_society_people import Town

from memopolis.analysis.run.run import load_run
from memopolis.sim.errors import DataFileError, SettingsError
from memopolis.sim.inline_tables import LARGEST
from memopolis.sim.running.forking import fork
from memopolis.sim.running.repeating import repeat
from memopolis.sim.running.resuming import resume
from memopolis.sim.running.trust import external_settings
from memopolis.sim.settings import Settings

PEOPLE = pd.DataFrame({"agent": [1, 2], "age": [71, 34], "emotion.fear": [8.5, None]})
PAST = pd.DataFrame({"agent": [2], "topic": ["work"], "text": ['Hired; "Ann", Zoë.']})


def ages(folder: Path) -> list[int]:
    agents = load_run(folder).agents.set_index(["tick", "agent"])["age"]
    values: list[int] = agents.xs(agents.index[0][0])[[1, 2]].tolist()
    return values


def test_a_run_of_dataframes_is_resumed_repeated_and_forked(tmp_path: Path) -> None:
    town = Town(agents=5, rng=1, days=1, profiles=PEOPLE, memories=PAST)
    citizen = town.population("citizen").agents[1]
    assert (citizen["age"], citizen.memory.stream.read([0])[0].text) == (
        34,
        'Hired; "Ann", Zoë.',
    )
    run = town.run(tmp_path / "run")
    assert load_run(run).manifest["data"] == {}
    repeated = repeat(run, tmp_path / "again", scenario=Town)
    assert load_run(repeated).memories.equals(load_run(run).memories)
    resume(run, days=2, scenario=Town)
    forked = fork(run, tmp_path / "fork", at=0, scenario=Town)
    assert ages(run) == ages(repeated) == ages(forked) == [71, 34]


def test_a_dataframe_is_saved_as_rows_of_json() -> None:
    settings = Settings().with_changes({"profiles": PEOPLE})
    rows = json.loads(settings.profiles)
    assert rows[1] == {"agent": 2, "age": 34, "emotion.fear": None}
    assert Settings(**json.loads(settings.model_dump_json())) == settings
    assert external_settings(settings) == []


def test_rows_are_never_the_name_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("[secret].csv").write_text("age\n71\n", encoding="utf-8")
    settings = Settings(profiles="[secret].csv")
    assert external_settings(settings) == []
    with pytest.raises(SettingsError, match=r"rows '\[secret\].csv' of a table are not readable"):
        Town(settings, agents=5, rng=1)
    assert [s.kind for s in external_settings(Settings(profiles="people.csv"))] == ["file"]
    assert [s.kind for s in external_settings(Settings(news="[secret].csv"))] == ["file"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"born": [date(2000, 1, 1)]}, "the table, row 1, column born: .* is of type date"),
        ({}, "the table has no rows"),
        ({"x": [[np.nan]]}, "the table cannot be saved with the settings"),
        ({"x": ["y" * LARGEST]}, "at most 10,000,000; save it with to_parquet or to_csv"),
    ],
)
def test_a_dataframe_that_cannot_be_saved_is_refused(
    table: dict[str, list[Any]], message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as refused:
        Settings().with_changes({"profiles": pd.DataFrame(table)})
    assert "\n" not in str(refused.value)


def test_wrong_rows_are_refused_when_a_society_is_built() -> None:
    for rows, message in (
        ("[1", "rows .* are not readable"),
        ("[1]", "a list of objects is needed"),
        ("[]", "the table has no rows"),
        ('[{"agent": 1, "agee": 7}]', "column agee: there is no such attribute; did you mean age"),
        ('[{"agent": 1, "age": "x"}]', "row 1, column age: 'x', expected a whole number"),
    ):
        with pytest.raises((SettingsError, DataFileError), match=message):
            Town(agents=5, rng=1, profiles=rows)
