"""What the server sends for the map: valid JSON, only what changed, and nothing hostile."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis import Hurricane, load_run
from memopolis.analysis.figures.charts import ChartLines
from memopolis.analysis.run.positions import Positions
from memopolis.analysis.run.run import Run
from memopolis.dashboard.charts.points import ChartPoints
from memopolis.dashboard.map.frames import MapFrames, MapOptions, activities_in_words, groups_of
from memopolis.dashboard.map.packing import TYPES, pack, pack_gaps
from memopolis.dashboard.map.place_shape import describe_place

AGENTS = 50


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("frames") / "run"
    record = {"agents_every": 1}
    return load_run(Hurricane(agents=AGENTS, days=1, rng=1, record=record).run(folder))


def unpacked(text: str) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text[3:]), np.dtype(TYPES[text[:2]]).newbyteorder("<"))


def test_arrays_are_packed() -> None:
    assert unpacked(pack([-1, 300], "i2")).tolist() == [-1, 300]
    assert pack([-1, 300], "i2").startswith("i2:")
    rows = np.array([0, 3, 4, 70_000])
    assert np.cumsum(unpacked(pack_gaps(rows))).tolist() == rows.tolist()


def test_the_place_is_described_in_kilometres(run: Run) -> None:
    place = describe_place(run)
    json.dumps(place, allow_nan=False)
    assert [zone["name"] for zone in place["zones"]] == run.zones["label"].tolist()
    west, south, east, north = place["box"]
    assert 50 < east - west < 200
    for zone in place["zones"]:
        x, y = zone["centre"]
        assert west < x < east
        assert south < y < north
    assert place["land"]
    assert len(place["roads"]) > 50
    assert all(place["ways"])
    assert len(place["track"]["path"]) == 2 * len(run.table("track"))


def test_frames_add_up_to_the_positions_of_each_moment(run: Run) -> None:
    frames, options = MapFrames(), MapOptions()
    zone, doing = np.zeros(AGENTS, np.int64), np.zeros(AGENTS, np.int64)
    sizes = []
    for step in (0, 1, 2, 3, 9, 24, 5):
        moment = run.until(step)
        frame = frames.next(moment, options, step)
        sizes.append(len(json.dumps(frame, allow_nan=False)))
        people = frame["people"]
        rows = np.arange(AGENTS) if "agents" in people else np.cumsum(unpacked(people["gaps"]))
        zone[rows], doing[rows] = unpacked(people["zone"]), unpacked(people["doing"])
        expected = Positions()
        expected.go_to(moment)
        assert zone.tolist() == expected.zone.tolist()
        assert doing.tolist() == expected.doing.tolist()
    assert sizes[2] < sizes[0] / 3


def test_people_and_zones_can_have_the_colour_of_an_attribute(run: Run) -> None:
    frames = MapFrames()
    frames.next(run, MapOptions(), 24)
    options = MapOptions(shade="attitude.government_trust", colour="attitude.government_trust")
    frame = json.loads(json.dumps(frames.next(run, options, 24), allow_nan=False))
    assert frame["colouring"]["title"] == "Attitude: government trust"
    assert len(unpacked(frame["people"]["colour"])) == AGENTS
    assert len(frame["shade"]["values"]) == len(run.zones)
    plain = frames.next(run, MapOptions(), 24)
    assert plain["shade"] is None
    assert plain["colouring"] is None


def test_other_activities_have_groups_of_their_own() -> None:
    names = ["", "<b>dance</b>", "sleep"]
    groups = [group["label"] for group in groups_of(names, "villagers")]
    assert groups == ["other", "<b>dance</b>", "sleep"]
    assert [one["group"] for one in activities_in_words(names, "villagers")] == [0, 1, 2]
    assert groups_of([""], "villagers")[0]["label"] == "villagers"
    citizens = [group["label"] for group in groups_of(["drive", "sleep"], "citizens")]
    assert citizens == ["at home", "driving out"]


def test_charts_get_only_new_points(run: Run) -> None:
    title = "Emotions"
    points = ChartPoints(title)
    first = points.next(run.until(5))["lines"]
    assert all((one["keep"], len(one["points"])) == (0, 10) for one in first)
    second = points.next(run.until(8))["lines"]
    assert all((one["keep"], len(one["points"])) == (5, 6) for one in second)
    back = points.next(run.until(2))["lines"]
    assert all((one["keep"], len(one["points"])) == (2, 0) for one in back)
    expected = ChartLines.of(run.until(8), title).series
    for one in second:
        assert one["points"][1::2] == pytest.approx(expected[one["name"]].to_list()[5:])


def test_a_run_without_moves_is_shown(tmp_path: Path) -> None:
    record = {"tables": ("agents", "world", "measures"), "agents_every": 1}
    folder = Hurricane(agents=20, days=0.25, rng=1, record=record).run(tmp_path / "run")
    frame = MapFrames().next(load_run(folder), MapOptions(), 6)
    assert len(unpacked(frame["people"]["zone"])) == 20
