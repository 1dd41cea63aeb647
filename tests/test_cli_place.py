"""`memopolis place new`: places of any county or country, their report, and runs in them."""

import json
import tomllib
from pathlib import Path

import matplotlib.image
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from memopolis import load_run
from memopolis.cli import app
from memopolis.scenarios.places.fit import REST, TOTALS

NEW_PROVIDENCE = Path(__file__).parent / "scenarios" / "places" / "files" / "new_providence.geojson"
PLACES = {
    "lee": ("--county", "12071"),
    "denver": ("--county", "08031"),
    "new-providence": ("--geojson", str(NEW_PROVIDENCE)),
}


def memopolis(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a Florida Gulf county, an inland county and an island outside the country."""
    folder = tmp_path_factory.mktemp("places")
    for name, sources in PLACES.items():
        result = memopolis("place", "new", name, *sources, "--out", folder / name)
        assert result.exit_code == 0, result.output
        assert f"--set place={folder / name}" in result.output
        assert "taken over: " in result.output
    return folder


@pytest.mark.parametrize("name", PLACES)
def test_a_population_fits_the_marginals_of_a_new_place(places: Path, name: str) -> None:
    whole = pd.read_csv(places / name / "report" / "whole.csv")
    assert len(whole) == 21
    # Shares of a few percent deviate by chance; all others must be within the limit itself.
    assert whole["fits"].all(), whole[~whole["fits"]]
    assert (whole["deviation"].abs() <= np.maximum(whole["chance"], REST)).all()
    assert (whole.loc[whole["target"] > 15, "deviation"].abs() <= REST).all()
    zones = pd.read_csv(places / name / "report" / "zones.csv", dtype={"zone": str})
    totals = zones["marginal"] == "population"
    assert (zones.loc[totals, "deviation"].abs() <= TOTALS).all()
    assert (zones.loc[~totals, "deviation"].abs() <= REST).all()
    assert len(zones) == 7 * totals.sum()
    drawn = zones[totals]
    error = np.average(drawn["drawn_deviation"].abs(), weights=drawn["target"])
    assert 0 < error < 0.05


@pytest.mark.parametrize("name", PLACES)
def test_the_report_lists_the_worst_misfits_and_has_figures(places: Path, name: str) -> None:
    report = (places / name / "report" / "fit.md").read_text("utf-8")
    assert "## Zones with the largest deviations" in report
    assert "| no_high_school | 12.70 |" in report
    for figure in ("map.png", "fit.png"):
        pixels = matplotlib.image.imread(places / name / "report" / figure)
        assert pixels.shape[1] > 1_000
        assert pixels[..., :3].std() > 0.05


def test_the_folder_describes_the_place_its_sources_and_defaults(places: Path) -> None:
    lee = places / "lee"
    content = tomllib.loads((lee / "place.toml").read_text("utf-8"))
    assert (content["name"], content["title"]) == ("lee", "Lee, Florida")
    header = (lee / "zones.csv").read_text("utf-8").splitlines()[0].split(",")
    assert set(content["sources"]) == set(header)
    features = json.loads((lee / "zones.geojson").read_text("utf-8"))["features"]
    assert [feature["id"] for feature in features] == list(
        pd.read_csv(lee / "zones.csv", dtype=str)["zone"]
    )
    assert not list(places.glob(".*"))


@pytest.mark.parametrize(
    ("scenario", "name", "options"),
    [
        ("hurricane", "lee", ("--set", "storm=ian", "--set", "start=2022-09-26", "--days", "3")),
        ("polarization", "denver", ("--days", "7")),
        (
            "hurricane",
            "new-providence",
            ("--set", "storm=matthew", "--set", "start=2016-10-05", "--days", "2"),
        ),
    ],
)
def test_scenarios_run_in_new_places(
    places: Path, tmp_path: Path, scenario: str, name: str, options: tuple[str, ...]
) -> None:
    place = f"place={places / name}"
    out = tmp_path / "run"
    result = memopolis(
        "run", scenario, "--set", place, "--agents", "80", "--seed", "1", *options, "--out", out,
        "--no-report",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    run = load_run(out)
    assert run.status == "succeeded"
    content = tomllib.loads((places / name / "place.toml").read_text("utf-8"))
    for phrase in content["taken_over"]:
        assert phrase in run.facts["taken_over"]
    zones = pd.read_csv(places / name / "zones.csv", dtype={"zone": str})
    assert list(run.zones["zone"]) == list(zones["zone"])
    if scenario == "hurricane":
        assert run.facts["storm"] == options[1].partition("=")[2]
        assert run.weather["gust_kt"].max() > 34


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (
            ("lee", "--county", "12070"),
            "12069 (Lake, Florida) or 12071 (Lee, Florida)",
        ),
        (("lee", "--county", "Lee"), "Did you mean"),
        (("../lee", "--county", "12071"), "the name of the place is '../lee'"),
        (("columbia", "--county", "45079"), "such as my-columbia"),
        (("lee",), "give --county FIPS"),
        (("lee", "--geojson", "missing.geojson"), "missing.geojson: no such file"),
        (("lee", "--csv", "missing.csv"), "missing.csv: no such file"),
        (("lee", "--zip", "99999"), "unknown ZIP area '99999'"),
    ],
)
def test_an_error_is_one_line_and_leaves_no_folder(
    arguments: tuple[str, ...], part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = memopolis("place", "new", *arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert part in result.stderr
    assert not list(tmp_path.iterdir())


def test_an_existing_place_is_not_overwritten(places: Path) -> None:
    before = (places / "lee" / "zones.csv").read_bytes()
    result = memopolis("place", "new", "lee", "--county", "12021", "--out", places / "lee")
    assert result.exit_code == 2
    assert "exists and is not empty; name another folder or remove it" in result.stderr
    assert (places / "lee" / "zones.csv").read_bytes() == before
