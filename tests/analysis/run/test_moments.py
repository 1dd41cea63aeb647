from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis import Run
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.sim.errors import ParameterError, UnknownNameError

RECORDED = ("measures", "memories", "decisions", "thoughts", "ledger")


@pytest.mark.parametrize("step", [0, 1, 24, 100])
def test_an_earlier_step_shows_only_what_was_recorded_by_then(stormy: Run, step: int) -> None:
    moment = stormy.until(step)
    for name in RECORDED:
        whole, cut = getattr(stormy, name), getattr(moment, name)
        expected = whole[whole["tick"] < step]
        pd.testing.assert_frame_equal(cut, expected)
    assert moment.ticks == step
    assert moment.end == stormy.start + pd.Timedelta(hours=step)


def test_a_run_can_be_opened_at_a_step(stormy: Run) -> None:
    opened = Run(stormy.folder, 24)
    assert (opened.ticks, opened.whole.ticks) == (24, stormy.ticks)
    pd.testing.assert_frame_equal(opened.decisions, stormy.until(24).decisions)
    assert Run(stormy.folder, 10_000).ticks == stormy.ticks
    with pytest.raises(ParameterError, match="step is -1; allowed are"):
        Run(stormy.folder, -1)


def test_raw_tables_are_cut_at_the_step_and_static_ones_are_complete(stormy: Run) -> None:
    moment = stormy.until(50)
    for name in stormy.tables:
        whole, cut = stormy.table(name), moment.table(name)
        if name in {"zones", "outlines", "roads", "weather", "track", "texts", "ties"}:
            assert len(cut) == len(whole), name
        else:
            assert len(cut) == (whole["tick"] < 50).sum() > 0, name
    people = moment.agents_of("citizen", "place")
    assert people["tick"].max() == 47
    assert moment.agents_of("citizen").equals(stormy.agents[stormy.agents["tick"] < 50])


def test_measures_end_at_the_step(stormy: Run) -> None:
    moment = stormy.until(30)
    assert moment.measured == stormy.measured
    for name in moment.measured:
        for group in moment.groups(name):
            expected = stormy.measure(name, group)
            expected = expected[expected.index < pd.Timestamp(moment.end)]
            pd.testing.assert_series_equal(moment.measure(name, group), expected)
    assert stormy.until(0).measure("evacuated_share").empty


def test_texts_are_those_named_by_earlier_rows(stormy: Run) -> None:
    early, late = stormy.until(2).texts, stormy.until(stormy.ticks - 1).texts
    named = set(stormy.until(2).table("memories")["text"]) | {
        number for number in stormy.until(2).table("decisions")["text"] if number
    }
    assert set(early.index) == named
    assert len(early) < len(late) <= len(stormy.texts)


def test_the_last_step_equals_the_run_and_step_0_is_empty(stormy: Run) -> None:
    assert stormy.until(stormy.ticks) is stormy
    assert stormy.until(10_000) is stormy
    with pytest.raises(ParameterError, match=r"step is -1; .* 0 to 336"):
        stormy.until(-1)
    written: Any = 24.0
    assert stormy.until(written).ticks == 24
    assert isinstance(stormy.until(written).ticks, int)


@pytest.mark.parametrize("step", [5.5, float("nan"), float("inf"), "24", None])
def test_an_invalid_number_of_steps_is_refused(stormy: Run, step: Any) -> None:
    for run in (stormy, stormy.until(40)):
        with pytest.raises(ParameterError, match="step is "):
            run.until(step)


def test_until_applied_twice_gives_the_earlier_step(stormy: Run) -> None:
    moment = stormy.until(40)
    assert moment.until(60) is moment
    assert moment.until(20).ticks == 20
    assert moment.until(20).measures.equals(stormy.until(20).measures)


def test_a_life_at_an_earlier_step_has_memories_up_to_then(
    stormy: Run,
) -> None:
    whole, life = stormy.life(17), stormy.until(60).life(17)
    before = whole.memories[whole.memories["tick"] < 60]
    assert life.memories["text"].equals(before["text"])
    unknown = ["accessed", "accesses", "thought", "held"]
    assert life.memories[unknown].isna().all(axis=None)
    assert (life.memories[unknown].dtypes == ["Int32", "Int32", "Int32", "boolean"]).all()
    assert life.thoughts.equals(whole.thoughts.iloc[:2])
    assert len(life.status) == 2
    # Whether an agent will leave is not known yet.
    assert life.profile == whole.profile


@pytest.mark.parametrize("step", [0, 3])
def test_people_are_as_at_the_start_before_the_first_record(stormy: Run, step: int) -> None:
    early, first = stormy.until(step).people(), stormy.until(24).people()
    assert early["name"].tolist() == first["name"].tolist()
    assert (early["tick"] == -1).all()
    assert early["time"].isna().all()
    assert early["attitude.government_trust"].median() == pytest.approx(8, abs=0.3)
    assert not early["evacuated"].any()
    assert (early["zone"] == early["home"]).mean() > 0.95
    life = stormy.until(step).life(17)
    assert life.name == stormy.name_of(17)
    assert {"age", "gender"} <= set(life.profile)
    assert life.status.index.tolist() == [stormy.start]
    assert life.status["attitude.government_trust"].notna().all()


def test_people_are_those_of_the_newest_record(stormy: Run) -> None:
    people = stormy.until(60).people()
    expected = stormy.agents[stormy.agents["tick"] == 47]
    assert people["agent"].tolist() == expected["agent"].tolist()
    for name in expected.columns.drop(["tick", "time", "agent"]):
        own, other = people[name].astype(object), expected[name].astype(object)
        pd.testing.assert_series_equal(own, other, check_index=False)
    assert (people["tick"] == 47).all()
    assert (people["time"] == expected["time"].iloc[0]).all()
    named = [stormy.place_name(zone) if zone >= 0 else "away" for zone in people["zone"]]
    assert people["zone_name"].tolist() == named
    assert people["zone"].equals(people["place"].rename("zone"))


def test_people_of_any_population_have_names(stormy: Run) -> None:
    firms = stormy.people("firm")
    assert len(set(firms["name"])) > 1
    homes = stormy.people("household")
    assert homes["name"].iloc[0] == f"household {homes['agent'].iloc[0]}"
    assert firms["zone_name"].notna().all()
    with pytest.raises(UnknownNameError, match="agents_dog"):
        stormy.people("dog")


def test_constant_attributes_follow_from_blocks_or_records(stormy: Run) -> None:
    changing = stormy.changing("citizen")
    frame = stormy.agents.astype({"name": str}).sort_values(["agent", "tick"])
    for name in frame.columns.drop(["tick", "time", "agent"]):
        codes = pd.factorize(frame[name])[0]
        same = np.diff(frame["agent"]) == 0
        if (np.diff(codes)[same] != 0).any():
            assert name in changing, name
    assert not {"name", "age", "home", "income"} & changing


def test_a_table_can_be_read_by_columns(stormy: Run) -> None:
    assert stormy.has("agents_citizen", "place", "tick")
    assert not stormy.has("agents_citizen", "party")
    assert not stormy.has("agents_dog")
    assert stormy.until(1).has("zones", "label")


def test_memory_is_searched_as_of_the_step(stormy: Run) -> None:
    late = restore_agent(stormy, 17).search("the hurricane", k=5)
    early = restore_agent(stormy.until(60), 17).search("the hurricane", k=5)
    assert len(late) == len(early) == 5
    assert early["score"].is_monotonic_decreasing
    assert (early["time"] < stormy.until(60).end).all()
    assert {"recency", "importance", "relevance"} < set(early)
    words = stormy.life(17).memories["text"]
    assert early["text"].tolist() == words.loc[early.index].tolist()


def test_ties_name_people_by_their_numbers(stormy: Run) -> None:
    ties = stormy.ties()
    assert list(ties) == ["source", "target", "kind"]
    assert set(ties["source"]) <= set(stormy.agents["agent"])
    kind = ties["kind"].iloc[0]
    assert (stormy.ties(kind)["kind"] == kind).all()
    assert stormy.ties("enemy").empty
    assert list(stormy.until(5).ties()) == list(ties)
