"""The map at a moment: what is drawn is what the tables say."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shapely
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path as Outline
from matplotlib.text import Text

from memopolis.analysis import Run
from memopolis.analysis.figures.cells import KM_PER_DEGREE, cells_of
from memopolis.analysis.figures.moving_now import DOTS, FLOWS, find_outside
from memopolis.analysis.figures.place_now import PlaceNow, has_place
from memopolis.analysis.figures.shades import DENSITY, number_choices, shade_of
from memopolis.analysis.figures.storm_now import track_of
from memopolis.analysis.figures.style import as_png
from memopolis.analysis.figures.zones_now import SHADES, zones_in_words, zones_now
from memopolis.scenarios.places.zones import read_place

ATTRIBUTES = {
    "place": {
        "description": "Current zone, -1 if away",
        "role": "current zone",
        "unit": "",
        "low": None,
        "high": None,
        "changes": True,
    },
    "home": {
        "description": "Zone of residence",
        "role": "zone",
        "unit": "",
        "low": None,
        "high": None,
        "changes": True,
    },
    "evacuated": {
        "description": "Whether left",
        "role": "",
        "unit": "",
        "low": None,
        "high": None,
        "changes": True,
    },
    "attitude": {
        "description": "Attitude",
        "role": "",
        "unit": "0-10",
        "low": 0,
        "high": 10,
        "changes": True,
    },
}

type Place = Callable[..., Run]


def zones_table(names: Sequence[str] = ("Ashley", "Battery", "Cooper")) -> pd.DataFrame:
    number = np.arange(len(names))
    return pd.DataFrame(
        {
            "zone": [f"z{i}" for i in number],
            "name": names,
            "label": names,
            "number": number,
            "lat": 32.7 + 0.1 * (number % 3),
            "lon": -80.0 + 0.1 * (number // 3),
            "population": 1_000.0 * (number + 1),
            "land_km2": 10.0,
        }
    )


def status(places: Sequence[Sequence[int]], homes: Sequence[int]) -> pd.DataFrame:
    """Where people are at the end of each of some steps."""
    frames = [
        pd.DataFrame(
            {
                "tick": np.int32(tick),
                "agent": np.arange(1, len(homes) + 1, dtype=np.int32),
                "home": np.array(homes, np.int16),
                "place": np.array(now, np.int16),
                "evacuated": np.array(now) < 0,
                "attitude.trust": np.linspace(0, 10, len(homes), dtype=np.float32),
            }
        )
        for tick, now in enumerate(places)
    ]
    return pd.concat(frames, ignore_index=True)


def storm(ticks: int, zones: int = 3, order: int = 2) -> dict[str, pd.DataFrame]:
    tick = np.arange(ticks, dtype=np.int32)
    weather = pd.DataFrame(
        {
            "tick": np.repeat(tick, zones),
            "zone": np.tile(np.arange(zones, dtype=np.int16), ticks),
            "wind_kt": np.repeat(10.0 * tick, zones),
            "wind_from": 90.0,
            "order": np.repeat(np.where(tick >= 2, order, 0), zones).astype(np.int8),
        }
    )
    track = pd.DataFrame(
        {"tick": tick, "lat": 30.0 + tick, "lon": -79.0, "wind_kt": 80.0, "pressure_mb": 960.0}
    )
    return {"weather": weather, "track": track}


@pytest.fixture
def charleston() -> pd.DataFrame:
    return read_place("charleston").table


@pytest.fixture
def made(tmp_path: Path, write: Place) -> Place:
    def make(people: pd.DataFrame, ticks: int, **tables: pd.DataFrame) -> Run:
        options = {"zones": zones_table(), "agents_citizen": people, **tables}
        return write(
            tmp_path / "run",
            {name: table for name, table in options.items() if len(table)},
            start=datetime(2019, 9, 1),
            hours=1,
            ticks=ticks,
            populations={"citizen": int(people["agent"].nunique()) if len(people) else 1},
            attributes={"citizen": ATTRIBUTES},
        )

    return make


def parts(figure: Figure, kind: type[Any]) -> list[Any]:
    axes = figure.axes[0]
    return [one for one in (*axes.collections, *axes.patches) if type(one) is kind]


def test_zones_are_shaded_by_population_density(made: Place) -> None:
    run = made(status([[0, 0, 0, 1]], [0, 0, 0, 1]), 1)
    now = PlaceNow.of(run)
    assert now.here.tolist() == [3, 1, 0]
    shade = shade_of(now, DENSITY)
    assert shade.amounts == pytest.approx([0.3, 0.1, 0.0])
    (drawn,) = parts(zones_now(run), PolyCollection)
    faces = drawn.get_facecolor()
    assert faces[0] == pytest.approx(SHADES((0.3 / shade.high) ** 0.5), abs=0.01)
    light = faces[:, :3].sum(axis=1)
    assert light[0] < light[1] < light[2]


def test_each_present_citizen_is_a_dot_at_a_fixed_place(made: Place) -> None:
    run = made(status([[0, 1, 2, 0], [0, 1, -1, 1]], [0, 1, 2, 0]), 2)
    before, after = (
        parts(zones_now(run.until(step)), PathCollection)[0].get_offsets() for step in (1, 2)
    )
    assert (len(before), len(after)) == (4, 3)
    assert np.asarray(after[:2]) == pytest.approx(np.asarray(before[:2]))
    cells = cells_of(run.zones, on_land=False)
    near = np.hypot(*(cells.centres[:, None] - np.asarray(after)).T)
    assert near.argmin(axis=1).tolist() == [0, 1, 1]


def test_large_populations_are_sampled_and_marked_as_such(made: Place) -> None:
    homes = [row % 3 for row in range(2_000)]
    run = made(status([homes], homes), 1)
    figure = zones_now(run)
    assert len(parts(figure, PathCollection)[0].get_offsets()) == DOTS
    lines = [text.get_text() for axes in figure.axes for text in axes.findobj(Text)]
    assert "400 of 2,000 citizens" in lines


def test_arrow_width_is_the_number_of_moves(made: Place) -> None:
    homes = [0] * 10
    run = made(status([homes, [1, 1, 1, 1, -1, 0, 0, 0, 0, 0]], homes), 2)
    assert PlaceNow.of(run).flows.to_numpy().tolist() == [[0, 1, 4], [0, -1, 1]]
    thin, thick = sorted(arrow.get_linewidth() for arrow in parts(zones_now(run), FancyArrowPatch))
    assert thick > 1.3 * thin
    assert "5 changed zones since 01 Sep 01:00" in zones_in_words(run)
    assert not parts(zones_now(run.until(1)), FancyArrowPatch)


@pytest.mark.parametrize(("movers", "label"), [(1, "up to 1 person"), (2, "up to 2 people")])
def test_the_legend_of_a_single_move_is_singular(made: Place, movers: int, label: str) -> None:
    moved = [1] * movers + [0] * (3 - movers)
    figure = zones_now(made(status([[0, 0, 0], moved], [0, 0, 0]), 2))
    lines = [text.get_text() for axes in figure.axes for text in axes.findobj(Text)]
    assert f"moves, {label}" in lines


def test_only_the_largest_flows_are_drawn(made: Place) -> None:
    homes = np.repeat(np.arange(30), 30).tolist()
    names = [f"Zone {i}" for i in range(30)]
    shuffled = np.random.default_rng(1).permutation(homes).tolist()
    run = made(status([homes, shuffled], homes), 2, zones=zones_table(names))
    assert len(parts(zones_now(run), FancyArrowPatch)) == FLOWS < len(PlaceNow.of(run).flows)


def test_columns_shade_the_zones_where_people_live(made: Place) -> None:
    run = made(status([[-1, 0, 1, 1]], [0, 0, 1, 1]), 1)
    assert list(number_choices(run)) == ["attitude.trust", "evacuated"]
    shade = shade_of(PlaceNow.of(run), "evacuated")
    assert shade.amounts == pytest.approx([0.5, 0.0, np.nan], nan_ok=True)
    assert shade.share
    trust = shade_of(PlaceNow.of(run), "attitude.trust")
    assert (trust.low, trust.high) == (0, 10)
    assert "Evacuated: share of people who live in the zone, highest: Ashley 50%" in zones_in_words(
        run, shade="evacuated"
    )
    assert np.isnan(shade_of(PlaceNow.of(run), "unheard_of").amounts).all()


def test_orders_in_force_are_outlined(made: Place) -> None:
    run = made(status([[0, 1, 2]] * 4, [0, 1, 2]), 4, **storm(4))
    early, late = (parts(zones_now(run.until(step)), PolyCollection)[0] for step in (2, 4))
    assert late.get_linewidth()[0] > 2 > early.get_linewidth()[0]
    assert "mandatory order in 3 of 3 zones" in zones_in_words(run)
    assert "order" not in zones_in_words(run.until(2))


def test_the_storm_is_at_its_track_position(made: Place) -> None:
    run = made(status([[0, 1, 2]] * 4, [0, 1, 2]), 4, **storm(4))
    track = track_of(run.until(3))
    assert track is not None
    assert (track.now, track.passed) == (2, 3)
    assert track.description == "storm at 32.0N 79.0W: 80 kt, 960 mb"
    assert track.description in zones_in_words(run.until(3))


def test_wind_arrows_point_downwind(made: Place) -> None:
    run = made(status([[0, 1, 2]] * 4, [0, 1, 2]), 4, **storm(4))
    figure = zones_now(run)
    (arrows,) = [one for one in figure.axes[0].collections if type(one).__name__ == "Quiver"]
    assert pytest.approx([-30.0] * 3) == arrows.U  # type: ignore[attr-defined]
    assert pytest.approx([0.0] * 3, abs=1e-9) == arrows.V  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("places", "names"),
    [
        ([], ("A", "B", "C")),
        ([[0]], ("Only",)),
        ([[0, 1, 2], [-1, -1, -1]], ("北京", "القاهرة", "$x_{1$ 😀\n")),
        ([[0, 9, 2]], ("A", "A", "A")),
    ],
    ids=["no steps", "one citizen, one zone", "everybody gone", "a zone that is not"],
)
def test_unusual_places_are_drawn(
    made: Place, places: list[list[int]], names: Sequence[str]
) -> None:
    people = status(places, [0] * len(places[0])) if places else status([[0]], [0])[:0]
    run = made(people, len(places), zones=zones_table(names), **storm(len(places), len(names)))
    assert has_place(run)
    assert as_png(zones_now(run)).startswith(b"\x89PNG")
    assert zones_in_words(run)


def test_zones_with_missing_values_are_white(made: Place) -> None:
    people = status([[0, 1, 2]], [0, 1, 2])
    people["attitude.trust"] = [np.nan, 5.0, np.nan]
    run = made(people, 1)
    shade = shade_of(PlaceNow.of(run), "attitude.trust")
    assert shade.amounts == pytest.approx([np.nan, 5.0, np.nan], nan_ok=True)
    assert as_png(zones_now(run, shade="attitude.trust"))


def test_cells_divide_the_plane_and_contain_their_people() -> None:
    zones = zones_table([f"Zone {i}" for i in range(9)])
    cells = cells_of(zones, on_land=False)
    assert len(cells) == 9
    agents = np.arange(5_000)
    zone = agents % 9
    where = cells.within(zone, agents)
    away = np.hypot(*(where[:, None] - cells.centres).transpose(2, 0, 1))
    assert (away.argmin(axis=1) == zone).all()
    # Points fill the cell: each quarter of it has about a quarter of them.
    x, y = (where[zone == 4] - cells.centres[4]).T
    quarters = np.bincount(2 * (x > 0) + (y > 0), minlength=4) / len(x)
    assert quarters == pytest.approx(np.full(4, 0.25), abs=0.12)


def test_dots_and_arrows_out_of_a_coastal_place_are_on_land(charleston: pd.DataFrame) -> None:
    cells = cells_of(charleston, on_land=True)
    agents = np.arange(6_000)
    zone = agents % len(cells)
    where = cells.within(zone, agents)
    for number in range(len(cells)):
        assert shapely.contains_xy(cells.outlines[number], *where[zone == number].T).all()
    assert shapely.contains_xy(cells.land.buffer(1e-6), *where.T).all()
    assert shapely.contains_xy(cells.land.buffer(1e-6), *cells.centres.T).all()
    for centre in cells.centres:
        assert shapely.contains_xy(cells.land, *find_outside(cells, centre, 6.0))


def test_recorded_outlines_are_drawn_with_their_parts_and_holes(charleston: pd.DataFrame) -> None:
    two = charleston[:2].reset_index(drop=True)
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]], float)
    rings = [(0, square / 10), (0, square / 40 + 0.03), (0, square / 20 + 0.2), (1, square / 9 - 1)]
    table = pd.concat(
        [
            pd.DataFrame({"zone": zone, "ring": ring, "lon": points[:, 0], "lat": points[:, 1]})
            for ring, (zone, points) in enumerate(rings)
        ]
    ) + {"zone": 0, "ring": 0, "lon": two["lon"][0], "lat": two["lat"][0]}
    cells = cells_of(two, table, on_land=False)
    km2 = KM_PER_DEGREE**2 * np.cos(np.radians(cells.lat))
    assert cells.area[0] == pytest.approx((1 / 100 - 1 / 1600 + 1 / 400) * km2, rel=0.01)
    assert np.count_nonzero(np.asarray(cells.paths[0].codes) == Outline.MOVETO) == 3


def test_centres_that_coincide_have_cells() -> None:
    twice = pd.DataFrame({"lat": [1.0, 1.0, 1.1], "lon": [2.0, 2.0, 2.0]})
    assert (cells_of(twice, on_land=False).area > 0).all()
