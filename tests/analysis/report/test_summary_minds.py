from memopolis.analysis.report.summary import minds

SPENT = {
    "model": "tiny",
    "calls": 1_200,
    "tokens_in": 34_000,
    "tokens_out": 5_600,
    "failed": 0,
    "unsent": 0,
    "fallbacks": 0,
    "budget": "kept",
}


def test_a_run_with_rules_has_no_model_rows() -> None:
    assert minds({}) == []


def test_the_cost_of_a_model_is_one_row() -> None:
    assert minds(SPENT) == [("Model", "tiny: 1,200 calls, 34,000 tokens in, 5,600 out")]


def test_failures_and_a_spent_budget_are_reported() -> None:
    rows = dict(
        minds({**SPENT, "failed": 3, "fallbacks": 1_003, "unsent": 1_000, "budget": "reached"})
    )
    assert rows["Model without answer"] == "3 calls, 1,003 answers by the rule instead"
    assert rows["Budget of the model"] == "reached: 1,000 calls were not made"


def test_groups_and_their_savings_are_reported() -> None:
    rows = dict(minds({**SPENT, "answers": 120_000, "groups": 1_200, "groups_per_answer": "1.00%"}))
    assert rows["Groups asked"] == "1,200 for 120,000 answers (1.00%)"


def test_each_mind_has_its_own_rows() -> None:
    rows = minds({"minds": [SPENT, {**SPENT, "model": "great"}]})
    assert [value.partition(":")[0] for _, value in rows] == ["tiny", "great"]
