"""A small town lives through a storm: what holds in every hour, and what makes a difference."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from memopolis.agents.activities import Activity
from memopolis.agents.ages import AGE_OF_REASON
from memopolis.scenarios.hurricane.people import Destination, Stage
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.hurricane.track import DATA
from memopolis.sim.errors import DataFileError, MemopolisError, SettingsError

AGENTS = 300
README = DATA.parent / "README.md"
_folders = TemporaryDirectory(prefix="hurricane")


class Hours:
    """A run, and what was seen in each of its hours."""

    def __init__(self, name: str, **changes: Any) -> None:
        self.society = Hurricane(rng=2, **{"agents": AGENTS, **changes})
        self.citizens = self.society.population("citizen")
        self.households = self.society.population("household")
        self.seen: list[dict[str, NDArray[Any]]] = []
        self.homes: list[dict[str, NDArray[Any]]] = []
        self.money: list[int] = []
        assert self.society.ledger is not None
        self.created = self.society.ledger.created
        self.folder = self.society.run(Path(_folders.name) / name, progress=self._look)

    def _look(self, *_: object) -> None:
        names = (
            "place", "away", "leaving", "doing", "plan", "destination", "left_at", "evacuated",
            "stays_behind",
        )  # fmt: skip
        self.seen.append({name: self.citizens[name].copy() for name in names})
        kept = ("stage", "destination", "left_at", "link", "driving")
        self.homes.append({name: self.households[name].copy() for name in kept})
        assert self.society.ledger is not None
        self.money.append(self.society.ledger.total)

    def column(self, name: str) -> NDArray[Any]:
        values: NDArray[Any] = self.citizens.cohort()[name]
        return values

    def table(self, name: str) -> pd.DataFrame:
        frame: pd.DataFrame = pd.read_parquet(self.folder / "tables" / name)
        return frame


@cache
def dorian() -> Hours:
    return Hours("dorian")


@cache
def calm() -> Hours:
    return Hours("calm", storm="none", days=5)


@pytest.fixture(scope="module", autouse=True)
def _clean() -> Iterator[None]:
    yield
    for made in (dorian, calm):
        made.cache_clear()
    _folders.cleanup()


# The whole run


def test_some_agents_leave_and_nearly_all_return() -> None:
    run = dorian()
    left = run.column("evacuated")
    assert 0.1 < left.mean() < 0.9
    assert np.array_equal(left, run.column("left_at") >= 0)
    assert (run.column("returned_at") >= 0)[left].mean() > 0.7
    assert np.array_equal(run.column("away"), left & (run.column("returned_at") < 0))
    times = run.column("left_at")[left]
    assert (run.column("returned_at")[left & ~run.column("away")] > 0).all()
    # No agent leaves before news of the storm.
    news = [tick for tick, _ in run.society.on_air()]
    assert times.min() > min(news)


def test_measures_equal_the_status_of_agents() -> None:
    run = dorian()
    measures = run.table("measures")
    shares = measures[(measures["measure"] == "evacuated_share") & (measures["group"] == "")]
    assert shares["value"].is_monotonic_increasing
    assert shares["value"].iloc[-1] == pytest.approx(run.column("evacuated").mean())
    departures = measures[measures["measure"] == "departures"]["value"].sum()
    assert departures >= run.column("evacuated").sum()
    assert len(run.seen) == run.society.ticks == 336
    leaving = [seen["leaving"].sum() for seen in run.seen]
    assert measures[measures["measure"] == "departures"]["value"].tolist() == leaving


def test_needs_at_the_start_are_those_of_the_odd_description() -> None:
    text = README.read_text(encoding="utf-8")
    described = re.search(r"needs at (.+?)\n", text)
    assert described
    status = Hurricane(agents=2_000, rng=1).population("citizen").cohort()
    for item in described[1].split(", "):
        need, level = item.split()
        assert status[need].min() >= 0.05
        # Values above 1 are cut, which does not change the median.
        assert np.median(status[need]) == pytest.approx(float(level), abs=0.02)


def test_households_leave_and_return_together() -> None:
    run = dorian()
    behind = np.any([seen["stays_behind"] for seen in run.seen], axis=0)
    assert 0 < behind.mean() < 0.2
    together, house = ~behind, run.column("household")[~behind]
    _, first, back = np.unique(house, return_index=True, return_inverse=True)
    for seen in run.seen:
        for name in ("away", "leaving", "destination", "left_at", "evacuated"):
            values = seen[name][together]
            assert np.array_equal(values, values[first][back]), name


def test_no_agent_is_in_two_places() -> None:
    run = dorian()
    for seen, homes in zip(run.seen, run.homes, strict=True):
        away, house = seen["away"], run.column("household")
        assert np.array_equal(seen["place"] == -1, away)
        stage, travels = homes["stage"][house], ~seen["stays_behind"]
        assert np.array_equal(np.isin(stage, (Stage.AWAY, Stage.COMING_HOME)) & travels, away)
        assert np.array_equal((stage == Stage.AWAY) & travels, seen["doing"] == Activity.AWAY)
        drives = np.isin(stage, (Stage.ON_THE_ROAD, Stage.COMING_HOME)) & travels
        assert np.array_equal(drives, seen["doing"] == Activity.DRIVE)
        on_the_road = homes["stage"] == Stage.ON_THE_ROAD
        assert np.array_equal(on_the_road, homes["driving"])
        assert np.array_equal(on_the_road, homes["link"] >= 0)


def test_shelter_beds_are_never_exceeded() -> None:
    for run in (dorian(), Hours("sheltered", days=10, evacuation={"shelter": 1.0, "beds": 0.05})):
        beds = int(run.society.settings.evacuation.beds * AGENTS)
        taken = [
            int((seen["away"] & (seen["destination"] == Destination.SHELTER)).sum())
            for seen in run.seen
        ]
        assert max(taken) <= beds
    assert max(taken) > 0.5 * beds


def test_money_is_conserved() -> None:
    run = dorian()
    assert set(run.money) == {run.created}
    assert {"wage", "tax", "goods", "benefit"} <= set(run.table("ledger")["why"])


def test_status_stays_in_its_range() -> None:
    run = dorian()
    for population in run.society.populations:
        for name, facts in population.attributes.items():
            if facts.kind in ("float", "int"):
                values = population[name]
                if name.startswith(("attitude.", "emotion.")) and population.name == "citizen":
                    # Small children have none.
                    values = values[population.cohort()["age"] >= AGE_OF_REASON]
                assert np.isfinite(values).all(), name
                assert facts.low is None or values.min() >= facts.low, name
                assert facts.high is None or values.max() <= facts.high, name


def test_fear_rises_with_the_storm_and_falls_after_it() -> None:
    measures = dorian().table("measures")
    fear = measures[measures["measure"] == "fear"]["value"].to_numpy()
    before, peak, after = fear[:72].mean(), fear[96:216].max(), fear[-24:].mean()
    assert peak > before + 0.5
    assert after < peak - 0.5


# What decisions rest on


def test_every_attitude_and_thought_names_its_evidence() -> None:
    run = dorian()
    decisions = run.table("decisions")
    asked = decisions[decisions["kind"].isin(["attitude", "thought", "stay_or_go"])]
    assert set(asked["kind"]) == {"attitude", "thought", "stay_or_go"}
    some = asked["evidence"].map(len) > 0
    assert some[asked["kind"] == "thought"].mean() > 0.95
    moved = asked["reason"].isin(["memories speak for it", "memories speak against it"])
    assert moved.any()
    assert some[moved].all()


def assert_evidence(
    run: Hours, kinds: tuple[str, ...] = ("attitude", "thought", "stay_or_go")
) -> pd.DataFrame:
    decisions = run.table("decisions")
    decisions = decisions[decisions["kind"].isin(kinds)]
    named = decisions[["tick", "agent", "kind", "evidence"]].explode("evidence").dropna()
    return named.astype({"evidence": int})


def test_evidence_exists_and_is_not_in_the_future() -> None:
    run = dorian()
    named = assert_evidence(run)
    memories = run.table("memories")
    memories = memories[["agent", "id", "tick"]]
    both = named.merge(
        memories,
        left_on=["agent", "evidence"],
        right_on=["agent", "id"],
        how="left",
        suffixes=("", "_then"),
    )
    missing = both["id"].isna()
    # Those of before the run are recorded too.
    assert missing.mean() == 0
    assert (both["tick_then"] <= both["tick"]).all()


def test_evidence_is_listed_once_per_decision() -> None:
    decisions = dorian().table("decisions")
    assert all(len(set(ids)) == len(ids) for ids in decisions["evidence"])


def test_at_least_nine_in_ten_thoughts_differ_on_different_days() -> None:
    run = dorian()
    tick = 24 * 8 - 1
    society = Hurricane(rng=2, agents=AGENTS)
    for _ in range(tick + 1):
        society.step()
    days: dict[frozenset[str], set[str]] = {}
    thoughts: list[tuple[frozenset[str], str]] = []
    for one in society.population("citizen").agents:
        stream = one.memory.observed.stream
        memories = stream.read(range(1_000))
        thought = [t for t in memories if t.kind == "thought" and t.time // 24 == 7]
        if thought:
            day = frozenset(
                t.text
                for t in memories
                if t.kind == "event" and t.time // 24 == 7 and t.time <= thought[0].time
            )
            thoughts.append((day, thought[0].text))
            days.setdefault(day, set()).add(thought[0].text)
    assert len(thoughts) > 0.7 * len(run.citizens)
    assert len(days) > 50
    # Of pairs of people whose days differ, those whose thoughts do.
    pairs = [(a, b) for i, a in enumerate(thoughts) for b in thoughts[:i] if a[0] != b[0]]
    assert np.mean([a[1] != b[1] for a, b in pairs]) >= 0.9
    assert all("{" not in text for _, text in thoughts)


def test_texts_are_templates() -> None:
    run = dorian()
    memories = run.table("memories")
    events = memories[memories["kind"] == "event"]
    # Reports and answers combine an event with phrases; people and places are placeholders.
    assert events["text"].nunique() < 0.05 * len(events)
    # Thoughts are composed of phrases, but name people, places and events by placeholders.
    assert len(run.table("texts")) < 0.13 * len(memories)


# Arms


def test_without_a_storm_no_agent_leaves() -> None:
    run = calm()
    assert not run.column("evacuated").any()
    assert not run.column("threat").any()
    assert not run.column("prepared").any()
    assert not any(seen["away"].any() for seen in run.seen)
    topics = set(run.table("memories")["topic"])
    assert topics & {"disaster", "order", "evacuation", "closure"} == set()
    assert "stay_or_go" not in set(run.table("decisions")["kind"])
    facts = run.society.facts()
    assert (facts["storm"], facts["nearest"], facts["ordered"]) == ("none", None, None)
    measures = run.table("measures")
    fear = measures[measures["measure"] == "fear"]["value"]
    assert fear.max() < 5.2


def test_without_orders_no_agent_hears_of_one() -> None:
    run = Hours("orderless", orders="none", days=9)
    memories = run.table("memories")
    assert not (memories["topic"] == "order").any()
    assert (memories["topic"] == "disaster").any()
    decisions = run.table("decisions")
    assert not decisions["reason"].str.startswith("recalls an order").any()
    assert dorian().table("decisions")["reason"].str.startswith("recalls an order").any()
    # Fewer leave than with orders.
    assert run.column("evacuated").sum() < dorian().column("evacuated").sum()


def test_without_recall_decisions_use_only_the_current_hour() -> None:
    run = Hours("forgetful", recall="none", days=8)
    decisions = run.table("decisions")
    assert {"attitude", "thought", "stay_or_go"} <= set(decisions["kind"])
    named = assert_evidence(run)
    memories = run.table("memories")
    memories = memories[["agent", "id", "tick"]]
    both = named.merge(
        memories, left_on=["agent", "evidence"], right_on=["agent", "id"], suffixes=("", "_then")
    )
    assert len(both) == len(named) > 0
    assert (both["tick_then"] == both["tick"]).all()
    asked = decisions[(decisions["kind"] == "attitude") & (decisions["population"] == "citizen")]
    assert len(asked) == 2 * 8 * len(run.citizens.cohort().of_age(AGE_OF_REASON))


def test_random_recall_changes_the_run() -> None:
    run = Hours("random", recall="random", days=8)
    named, scored = assert_evidence(run), assert_evidence(dorian())
    assert len(named) > 0
    until = scored[scored["tick"] < 8 * 24]
    assert not named.reset_index(drop=True).equals(until.reset_index(drop=True))
    path = run.table("measures").query("measure == 'emergency_preparedness'")["value"].to_numpy()
    other = dorian().table("measures").query("measure == 'emergency_preparedness'")["value"]
    assert np.abs(path - other.to_numpy()[: len(path)]).max() > 0.05


def test_all_arms_are_equal_until_they_diverge() -> None:
    first = calm().seen[:24]
    for seen, other in zip(first, dorian().seen[:24], strict=True):
        assert np.array_equal(seen["place"], other["place"])


# Other storms and places


@pytest.mark.parametrize("storm", ["florence", "matthew", "ian"])
def test_other_storms_run(storm: str) -> None:
    society = Hurricane(rng=2, agents=60, storm=storm)
    assert society.facts()["storm"].lower() == storm
    assert society.weather is not None
    gusts = np.array([society.weather.at(t).gust_kt.max() for t in range(society.ticks)])
    assert gusts.max() > 25
    for _ in range(24 * 2):
        society.step()


def test_florence_runs(tmp_path: Path) -> None:
    folder = Hurricane(rng=2, agents=60, storm="florence", days=3).run(tmp_path / "run")
    assert (folder / "tables" / "weather").is_dir()


def test_columbia_runs(tmp_path: Path) -> None:
    society = Hurricane(rng=2, agents=60, place="columbia", days=3)
    assert society.place is not None
    assert society.place.name == "columbia"
    society.run(tmp_path / "run")
    assert not society.population("citizen").cohort()["away"].any()


@pytest.mark.parametrize("tick", [0.5, 3.0])
def test_other_steps_run(tmp_path: Path, tick: float) -> None:
    society = Hurricane(rng=2, agents=100, tick=tick, days=9)
    society.run(tmp_path / "run")
    assert 0 < society.population("citizen").cohort()["evacuated"].mean() < 1


@pytest.mark.parametrize("agents", [1, 6])
def test_few_citizens_live_through_a_storm(tmp_path: Path, agents: int) -> None:
    # So few have no colleagues, schoolmates or neighbours.
    Hurricane(rng=2, agents=agents, days=9).run(tmp_path / "run")


# A user's own files

ZONES = (
    "zone,name,county,lat,lon,population,housing_units,wages_usd,land_km2,coast_km,band,ordered,"
    "central,sea_bearing\n"
    "29401,Town,Charleston,32.78,-79.94,9000,5000,300000000,9,1.0,A,1,1,135\n"
    "29483,Hills,Dorchester,33.07,-80.2,66731,26575,998665611,350,39,none,0,0,135\n"
)
ORDERS = "announced,area,kind\n2019-08-29 06:00,29401,mandatory\n2019-08-30 06:00,all,lifted\n"
NEWS = "time,text,topic,stance,importance\n2019-08-28 05:00,A whale was seen.,social,0.5,0.9\n"


def test_custom_zones_orders_and_news_are_used(tmp_path: Path) -> None:
    own = {}
    for name, text in (("place", ZONES), ("orders", ORDERS), ("news", NEWS)):
        own[name] = str(tmp_path / f"{name}.csv")
        Path(own[name]).write_text(text)
    society = Hurricane(rng=2, agents=80, days=2, **own)
    assert society.place is not None
    assert society.place.zones == ("29401", "29483")
    folder = society.run(tmp_path / "run")
    texts = pd.read_parquet(folder / "tables" / "texts").set_index("hash")["text"]
    memories = pd.read_parquet(folder / "tables" / "memories")
    result = texts.reindex(memories["text"]).to_numpy()
    heard = memories[result == "A whale was seen."]
    assert len(heard) == len(society.population("citizen").cohort().of_age(AGE_OF_REASON)) > 60
    assert heard["tick"].min() >= 5
    ordered = memories[(memories["topic"] == "order") & (memories["actor"] == -1)]
    home = society.population("citizen").cohort()["home"]
    assert 0 < len(ordered) <= (home == 0).sum()
    assert set(ordered["place"]) == {0}
    # The scenario's own warnings are replaced by the user's news.
    assert not (memories["topic"] == "disaster").any()
    hashes = society.data_hashes()
    assert {"place.csv", "orders.csv", "news.csv"} <= set(hashes)


def test_a_custom_track_is_used(tmp_path: Path) -> None:
    path = tmp_path / "track.csv"
    path.write_bytes((DATA / "storms" / "dorian.csv").read_bytes())
    own = Hurricane(rng=2, agents=50, storm=str(path))
    ours = Hurricane(rng=2, agents=50)
    assert own.clock.start == ours.clock.start
    assert own.weather is not None
    assert ours.weather is not None
    assert np.array_equal(own.weather.at(190).gust_kt, ours.weather.at(190).gust_kt)


@pytest.mark.parametrize("name", ["place", "storm", "orders", "past_storms", "news"])
def test_an_invalid_file_is_refused_by_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / "own.csv"
    with pytest.raises(DataFileError, match=r"own\.csv"):
        Hurricane(rng=1, agents=20, **{name: str(path)})
    path.write_text("colour\nred\n")
    with pytest.raises(DataFileError, match=r"own\.csv"):
        Hurricane(rng=1, agents=20, **{name: str(path)})


@pytest.mark.parametrize(
    "changes",
    [{"place": "atlantis"}, {"storm": "teacup"}, {"wind": "fan"}, {"agents": 0}, {"days": -1}],
)
def test_settings_out_of_range_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(MemopolisError):
        Hurricane(rng=1, **changes)
    assert issubclass(SettingsError, MemopolisError)


@pytest.mark.parametrize(("measure", "bound"), [("joy", 0.15), ("sadness", 0.1), ("stock", 8.0)])
def test_a_calm_week_has_no_trend_at_its_start(measure: str, bound: float) -> None:
    measures = calm().table("measures")
    values = measures.loc[measures["measure"] == measure].set_index("tick")["value"]
    first, last = values[values.index // 24 == 0], values[values.index // 24 == 4]
    assert last.mean() == pytest.approx(first.mean(), abs=bound)
