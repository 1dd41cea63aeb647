"""The storms that people remember belong to their place, and precede the run."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.run.run import load_run
from memopolis.scenarios.hurricane.history import draw_who_left, find_past_storms
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.hurricane.track import DATA
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.chance import Chance

TAMPA = (
    "zone,name,lat,lon,population,coast_km,ordered\n"
    "1,Tampa,27.95,-82.46,9000,3,1\n2,Brandon,27.94,-82.28,8000,20,0\n"
)
FOREIGN = ("Charleston", "Carolina", "Matthew", "Florence", "Dorian", "Columbia")
"""Words that belong to no memory of a run in Tampa under Ian."""


@pytest.fixture
def tampa(tmp_path: Path) -> Path:
    folder = tmp_path / "tampa"
    folder.mkdir()
    (folder / "zones.csv").write_text(TAMPA)
    return folder


def _names(society: Hurricane) -> list[str]:
    return [storm.name for storm in society.past_storms]


@pytest.mark.parametrize(
    ("storm", "remembered"),
    [
        ("dorian", ["Matthew", "Florence"]),
        ("florence", ["Matthew"]),
        ("matthew", []),
        ("none", ["Matthew", "Florence"]),
    ],
)
def test_only_storms_before_the_run_are_remembered(storm: str, remembered: list[str]) -> None:
    society = Hurricane(rng=1, agents=30, days=1, storm=storm)
    assert _names(society) == remembered
    assert _names(Hurricane(rng=1, agents=30, days=1, storm=storm, past_storms="none")) == []


def test_another_place_inherits_no_storm_of_south_carolina(tampa: Path) -> None:
    folder = Hurricane(rng=1, agents=60, days=9, place=str(tampa), storm="ian").run(tampa / "run")
    run = load_run(folder)
    texts = "\n".join(pd.read_parquet(folder / "tables" / "texts")["text"])
    assert "hurricane Ian" in texts
    assert not [word for word in FOREIGN if word.lower() in texts.lower()]
    assert run.facts["place"] == "tampa"
    # The shipped storms that passed near Tampa before Ian.
    assert run.facts["past_storms"] == "Irma 2017"
    for word in ("marginals", "households", "religions", "decisions", "closures of Dorian"):
        assert word in run.facts["taken_over"]
    # Times are those of the place's own time zone.
    assert "local time" not in run.facts["taken_over"]


def test_a_shipped_place_takes_nothing_over() -> None:
    facts = Hurricane(rng=1, agents=30, days=1).facts()
    assert facts["taken_over"] == ""
    assert facts["past_storms"] == "Matthew 2016, Florence 2018"


def test_recorded_tracks_near_a_place_are_its_past(tmp_path: Path) -> None:
    zones = tmp_path / "myers.csv"
    zones.write_text("zone,name,lat,lon,population\n1,Fort Myers,26.64,-81.87,80000\n")
    settings = HurricaneSettings().with_changes({"place": str(zones)})
    place = read_place(zones)
    year = np.datetime64("2024-01-01").astype(object)
    start = pd.Timestamp(year).to_pydatetime()
    irma, ian = find_past_storms(settings, place, start)
    assert irma.day.year == 2017
    assert ian.name == "Ian"
    assert ian.day.date().isoformat() == "2022-09-28"
    # Ian's centre passed 25 km from the city with 127 kt.
    assert ian.valence < -0.8
    assert "within 2" in ian.government


def test_a_file_of_past_storms_is_used(tampa: Path) -> None:
    (tampa / "past_storms.csv").write_text(
        "storm,date,left_ordered,government,valence\n"
        "Charley,2004-08-13,1,Charley turned to Punta Gorda.,0.3\n"
        "Frances,2004-09-05,0,Frances brought rain.,-0.1\n"
    )
    society = Hurricane(rng=1, agents=300, days=1, place=str(tampa), storm="ian")
    assert _names(society) == ["Charley", "Frances"]
    assert society.past_storms[1].left == (0.0, 0.2, 0.03)
    assert "past_storms.csv" in society.data_hashes()
    zone = np.zeros(500, np.int16)
    left = draw_who_left(society.past_storms, read_place(tampa), zone, Chance(3))
    assert left[0].all()
    assert not left[1].any()


def test_leaving_is_correlated_between_storms_of_one_year(tampa: Path) -> None:
    rows = "".join(f"S{day},2004-09-0{day},0.5\n" for day in (1, 2, 3))
    (tampa / "past_storms.csv").write_text(f"storm,date,left_ordered\n{rows}")
    settings = HurricaneSettings().with_changes({"place": str(tampa)})
    place = read_place(tampa)
    storms = find_past_storms(settings, place, pd.Timestamp("2022-01-01").to_pydatetime())
    left = draw_who_left(storms, place, np.zeros(4000, np.int16), Chance(3))
    r = np.asarray(np.corrcoef(left))
    # Probabilities of 0.5 and a correlation of 0.7 give 2/pi asin(0.7) = 0.49; 0.49 gives 0.33.
    assert r[0, 1] == pytest.approx(0.49, abs=0.06)
    assert r[0, 2] == pytest.approx(0.33, abs=0.06)


def test_a_storm_is_named_by_its_data_or_by_the_user(tmp_path: Path) -> None:
    track = pd.read_csv(DATA / "storms" / "dorian.csv").drop(columns="name")
    file = tmp_path / "track.csv"

    def news(**changes: str) -> str:
        society = Hurricane(rng=1, agents=20, days=12, storm=str(file), **changes)
        return "\n".join(str(getattr(what, "text", "")) for _, what in society.timeline)

    track.to_csv(file, index=False)
    assert "the hurricane" in news()
    assert "Track" not in news()
    assert "hurricane Zelda" in news(storm_name="Zelda")
    track.assign(name="Walter").to_csv(file, index=False)
    assert "hurricane Walter" in news()
