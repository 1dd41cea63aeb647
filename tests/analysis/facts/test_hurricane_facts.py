import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from memopolis.analysis import Run
from memopolis.analysis.facts.fact import Fact, Value, judge_arms, judge_facts
from memopolis.analysis.facts.hurricane import (
    AWAY,
    ORDERS,
    effect_of_orders,
    facts_of,
    no_response,
)
from memopolis.analysis.facts.memory_use import (
    memory_use,
    named_evidence,
    recall_table,
    thoughts_that_differ,
)
from memopolis.sim.errors import ParameterError, UnknownNameError


def by_order(arms: Mapping[str, Sequence[Run]]) -> Any:
    return judge_arms(arms, [effect_of_orders], ORDERS)


def test_every_fact_has_numbers(stormy: Run, calm: Run) -> None:
    facts = facts_of(stormy, calm)
    assert [fact.id for fact in facts] == [f"H-P{i}" for i in range(1, 12)]
    numbers = {(f.id, v.what): v.value for f in facts for v in f.values}
    people = stormy.agents[stormy.agents["tick"] == stormy.agents["tick"].max()]
    ordered = people[people["order_zone"] == "mandatory"]
    assert numbers["H-P1", "share under a mandatory order"] == pytest.approx(
        ordered["evacuated"].mean()
    )
    assert math.isfinite(numbers["H-P5", "fewest trips, time after the closest pass"])
    assert 0 <= numbers["H-P2", "pseudo-R2 added by age, race and income"] < 1


def test_facts_without_their_paired_run_are_undecided(stormy: Run) -> None:
    by_id = {fact.id: fact for fact in facts_of(stormy)}
    assert by_id["H-P4"].passes is None
    assert by_id["H-P5"].passes is None
    assert by_id["H-P3"].passes is not None


def test_dorian_has_no_voluntary_order(stormy: Run) -> None:
    first = facts_of(stormy)[0]
    assert first.values[3].passes is None


def test_the_table_checks_every_number(stormy: Run, calm: Run) -> None:
    table = judge_facts([facts_of(stormy, calm)])
    assert set(table["fact"]) == {f"H-P{i}" for i in range(1, 12)}
    assert not table["surely"].isin([True]).any()
    assert len(judge_facts([facts_of(stormy)])) == len(table)


def test_the_calm_run_shows_no_response(calm: Run) -> None:
    table = judge_facts([[no_response(calm)]])
    assert table["holds"].all(), table


def test_the_stormy_run_would_fail_as_a_null_arm(stormy: Run) -> None:
    table = judge_facts([[no_response(stormy)]]).set_index("what")
    assert not table.loc["evacuated share", "holds"]
    assert not table.loc["memories of danger", "holds"]


def test_pairs_share_seed_and_start(stormy: Run, calm: Run) -> None:
    for changed in ({"seed": 6}, {"start": "2019-09-01T00:00:00"}):
        other = Run(calm.folder)
        other.manifest |= changed
        with pytest.raises(ParameterError, match=next(iter(changed))):
            facts_of(stormy, other)
    with pytest.raises(ParameterError, match="at least one"):
        judge_facts([])


def test_the_effect_of_an_order_is_computed(stormy: Run, calm: Run) -> None:
    table = judge_arms(
        {"mandatory": [stormy], "voluntary": [calm], "none": [calm]}, [effect_of_orders], ORDERS
    )
    assert table["holds"].tolist() == [True, True, None]  # without evacuees, no distance
    assert table["mean"].iloc[1] == 0
    evacuating = judge_arms(
        {"mandatory": [stormy], "voluntary": [calm], "none": [stormy]}, [effect_of_orders], ORDERS
    )
    assert -1 < evacuating["mean"].iloc[2] < 1
    values = facts_of(stormy)[0].values
    open_ones = [one.what for one in values if one.passes is None and one.what != AWAY]
    assert list(table["what"]) == open_ones
    with pytest.raises(UnknownNameError, match="voluntary"):
        by_order({"mandatory": [stormy]})


def test_the_mean_over_seeds_decides() -> None:
    seeds = [
        [Fact("F", "a fact", (Value("number", value, 0, 1),), "test")] for value in (0.2, 0.4, 1.2)
    ]
    row = judge_facts(seeds).iloc[0]
    assert row["mean"] == pytest.approx(0.6)
    assert row["held"] == pytest.approx(2 / 3)
    assert row["holds"]
    assert not row["surely"]


def test_strict_bounds_exclude_the_bound() -> None:
    assert not Value("difference", 0.0, low=0, strict=True).passes
    assert Value("difference", 0.0, low=0).passes
    assert Value("nothing", float("nan"), low=0).passes is None
    assert Value("share", 0.5, 0.4, 0.65, "%").tolerance == "40.0 to 65.0 %"


def test_equal_arms_do_not_differ(stormy: Run) -> None:
    table = recall_table({"scored": [stormy, stormy], "none": [stormy, stormy]})
    assert (table["difference"] == 0).all()
    assert not table["excludes_zero"].any()
    with pytest.raises(UnknownNameError, match="scored"):
        recall_table({"none": [stormy]})
    with pytest.raises(ParameterError, match="seeds"):
        recall_table({"scored": [stormy], "none": []})


def test_updates_name_their_evidence(stormy: Run) -> None:
    assert named_evidence(stormy)["attitude"] == 1.0


def test_an_answer_that_rests_on_nothing_changes_null_arms(stormy: Run) -> None:
    answers = stormy.table("decisions").sort_values("tick")
    answers = answers[answers["kind"] == "attitude"]
    before = answers.groupby(["agent", "item"], observed=True)["value"].shift()
    nothing = answers["reason"].astype(str).str.startswith("nothing") & before.notna()
    assert nothing.any()
    assert (answers["value"][nothing] == before[nothing]).all()
    assert (answers["evidence"][nothing].map(len) == 0).all()


def test_the_table_of_memory_use_lists_answers_that_are_not_updates(stormy: Run) -> None:
    table = judge_facts([[memory_use(stormy)]]).set_index("what")
    assert table["holds"].tolist()[:3] == [True, True, True]
    assert 0 < table["mean"].to_dict()["answers on attitudes that are not updates"] < 1


def test_different_memories_give_different_thoughts(stormy: Run) -> None:
    assert thoughts_that_differ(stormy) >= 0.9
