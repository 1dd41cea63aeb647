"""Tables of a run as labelled arrays."""

import numpy as np
import pandas as pd
import pytest

from memopolis import BasicIncome, Hurricane, Run, load_run
from memopolis.sim.errors import ExtraError, UnknownNameError

xr = pytest.importorskip("xarray")
pytestmark = pytest.mark.extras


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("xarray") / "storm"
    return load_run(Hurricane(agents=30, days=2, rng=1).run(folder))


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """People are born and move away: not every agent has a row in every month."""
    folder = tmp_path_factory.mktemp("xarray") / "town"
    often = {"demography.births": 10.0, "demography.deaths": 10.0}
    return load_run(BasicIncome(agents=60, days=120, start=1, rng=1, **often).run(folder))


def cells(run: Run, table: str) -> pd.DataFrame:
    """The arrays of a table as a frame again, without cells that are missing everywhere."""
    made = run.to_xarray(table)[table].to_dataset().drop_vars("time")
    frame: pd.DataFrame = made.to_dataframe().dropna(how="all")
    return frame


@pytest.mark.parametrize("table", ["agents_citizen", "agents_firm", "weather"])
def test_a_full_table_keeps_its_values_and_types(storm: Run, table: str) -> None:
    keys = ["tick", "zone" if table == "weather" else "agent"]
    expected = storm.table(table).set_index(keys).sort_index()
    got = cells(storm, table)
    for name in expected:
        own, other = (frame[name].astype(object) for frame in (got, expected))
        pd.testing.assert_series_equal(own, other, check_index=False)
        if expected[name].dtype.kind in "biuf":
            assert got[name].dtype == expected[name].dtype


def test_an_agent_without_a_row_is_missing(town: Run) -> None:
    table = town.table("agents_citizen")
    made = town.to_xarray("agents_citizen")["agents_citizen"]
    shape = (table["tick"].nunique(), table["agent"].nunique())
    assert made["age"].shape == shape
    assert len(table) < np.prod(shape), "the test needs agents that come or go"
    rows = table.set_index(["tick", "agent"])
    absent = ~pd.MultiIndex.from_product([made["tick"].to_numpy(), made["agent"].to_numpy()]).isin(
        rows.index
    ).reshape(shape)
    assert made["age"].dtype == np.float32
    assert made["age"].to_pandas().isna().to_numpy().tolist() == absent.tolist()
    assert made["name"].to_pandas().isna().to_numpy().tolist() == absent.tolist()
    assert cells(town, "agents_citizen")["age"].tolist() == rows["age"].tolist()


def test_measures_stand_by_tick_name_and_group(storm: Run) -> None:
    made = storm.to_xarray("measures")["measures"]
    assert made["value"].dims == ("tick", "measure", "group")
    for group in storm.groups("away_share"):
        one = made["value"].sel(measure="away_share", group=group)
        expected = storm.measure("away_share", group)
        assert one.dropna("tick").to_numpy().tolist() == expected.dropna().tolist()
    declared = {one["name"]: one for one in storm.manifest["measures"]}
    for name in made["measure"].to_numpy().tolist():
        at = made.sel(measure=name)
        assert at["unit"].item() == declared[name]["unit"]
        assert at["description"].item() == declared[name]["description"]


def test_variables_have_units_descriptions_and_dates(storm: Run) -> None:
    tree = storm.to_xarray()
    assert sorted(tree.children) == [
        *(name for name in storm.tables if name.startswith("agents_")),
        "measures",
        "weather",
    ]
    assert tree["weather/wind_kt"].attrs["units"] == "kt"
    declared = storm.attributes("citizen")["income"]
    assert tree["agents_citizen/income"].attrs == {
        "units": declared["unit"],
        "description": declared["description"],
    }
    assert tree.attrs["seed"] == 1
    assert tree.attrs["tick_hours"] == 1.0
    times = storm.measure("away_share").index
    assert tree["measures"]["time"].to_numpy().tolist() == times.to_numpy().tolist()


def test_columns_select_from_all_tables(storm: Run) -> None:
    tree = storm.to_xarray(columns=["emotion.fear", "gust_kt"])
    assert {name: [*node.data_vars] for name, node in tree.children.items()} == {
        "agents_citizen": ["emotion.fear"],
        "weather": ["gust_kt"],
    }


def test_a_moment_of_a_run_ends_there(storm: Run) -> None:
    assert storm.until(5).to_xarray("measures")["measures"].sizes["tick"] == 5


def test_arrays_can_be_changed_without_changing_the_run(storm: Run) -> None:
    made = storm.to_xarray("agents_citizen")["agents_citizen"].to_dataset()
    made["income"][:] = -1
    assert (storm.to_xarray("agents_citizen")["agents_citizen"]["income"] >= 0).all()


@pytest.mark.parametrize(
    ("tables", "columns", "line"),
    [
        (("memories",), (), "table 'memories' cannot become arrays; to_xarray takes agents_"),
        (("nothing",), (), "table 'nothing' cannot"),
        ((), ("gust",), "no column 'gust' in agents_citizen, .*did you mean gust_kt"),
        (("measures",), ("tick",), "no column 'tick' in measures"),
    ],
)
def test_what_cannot_be_exported_is_refused(
    storm: Run, tables: tuple[str, ...], columns: tuple[str, ...], line: str
) -> None:
    with pytest.raises(UnknownNameError, match=line):
        storm.to_xarray(*tables, columns=columns)


def test_without_the_extra_it_says_what_to_install(
    storm: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "memopolis.sim.extras.find_spec",
        lambda name: None if name == "xarray" else object(),
    )
    with pytest.raises(ExtraError, match=r"to_xarray needs xarray: pip install 'memopolis\[xar"):
        storm.to_xarray()


def test_equal_texts_are_stored_once(storm: Run) -> None:
    names = storm.to_xarray(columns=["name"])["agents_citizen/name"].to_numpy()
    assert names.shape == (2, 30)
    assert len({id(name) for name in names.ravel()}) == len(set(names.ravel().tolist()))
