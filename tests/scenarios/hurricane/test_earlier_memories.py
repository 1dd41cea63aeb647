"""An old storm that residents are given from a file changes what they recall and judge."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.run.run import Run, load_run
from memopolis.scenarios.hurricane.blocks.stay_or_go import QUERY
from memopolis.scenarios.hurricane.people import ADULT
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.sim.errors import DataFileError

AGENTS = 60
HUGO = "We had to evacuate from {place} when hurricane Hugo brought danger."
_folders = TemporaryDirectory(prefix="earlier")


def town(**changes: str) -> Hurricane:
    return Hurricane(agents=AGENTS, rng=2, days=6, **changes)


@cache
def past() -> Path:
    """A file in which every adult left home before hurricane Hugo in September 1989."""
    citizens = town().population("citizen")
    adults = citizens.ids[citizens.cohort()["age"] >= ADULT]
    table = pd.DataFrame(
        {
            "agent": adults,
            "topic": "past storm",
            "text": HUGO,
            "day": -10_933,
            "importance": 1.0,
            "valence": -0.9,
            "place": "North Charleston 29405",
        }
    )
    path = Path(_folders.name) / "hugo.csv"
    table.to_csv(path, index=False)
    return path


@cache
def lived(*, with_hugo: bool) -> Run:
    folder = Path(_folders.name) / str(with_hugo)
    society = town(memories=str(past())) if with_hugo else town()
    return load_run(society.run(folder))


def test_an_old_storm_changes_what_a_resident_recalls() -> None:
    recalled = []
    for society in (town(), town(memories=str(past()))):
        citizens = society.population("citizen")
        resident = int(np.argmax(citizens.cohort()["age"] >= ADULT))
        results = citizens.memory.observed[resident].stream.search(QUERY, k=1, profile="act")
        recalled.append(results[0])
    without, best = recalled
    assert "Hugo" not in without.text
    assert best.template == HUGO
    assert (best.day, best.location) == (-10_933, "North Charleston")


def test_an_old_storm_changes_decisions() -> None:
    ready = {
        hugo: lived(with_hugo=hugo).decisions.query("kind == 'stay_or_go'").value
        for hugo in (False, True)
    }
    assert len(ready[True]) > 100
    assert ready[True].mean() > 1.05 * ready[False].mean()


def test_earlier_memories_are_recorded_before_the_start() -> None:
    run = lived(with_hugo=True)
    old = run.memories[run.memories["text"].str.contains("Hugo")]
    assert set(old["tick"]) == {-10_933 * 24 + 12}
    assert set(old["time"].dt.date.astype(str)) == {"1989-09-21"}
    assert set(run.memories["tick"]) > {-10_933 * 24 + 12}
    assert run.manifest["data"].keys() >= {"hugo.csv", "counties.csv"}
    assert "Hugo" in run.life(int(old["agent"].iloc[0])).memories["text"].str.cat()


def test_a_profile_changes_a_resident() -> None:
    path = Path(_folders.name) / "people.csv"
    path.write_text("agent,mobile_home,vehicle,wants\n1,true,false,to stay\n", encoding="utf-8")
    first = town(profiles=str(path), new_columns="true").population("citizen").agents[0]
    result = [first[key] for key in ("mobile_home", "vehicle", "wants")]
    assert result == [True, False, "to stay"]


def test_an_unknown_zone_is_named() -> None:
    path = Path(_folders.name) / "nowhere.csv"
    path.write_text("agent,topic,text,place\n1,a,b,Charlestn 29407\n", encoding="utf-8")
    with pytest.raises(DataFileError, match=r"column place: .* did you mean Charleston 29407"):
        town(memories=str(path))
