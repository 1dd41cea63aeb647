"""Contexts of a memory: their order, their policies, what they book and what they leave alone."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.layers import contexts
from memopolis.sim.memory.layers.contexts import (
    POLICIES,
    Context,
    Counter,
    Draft,
    Policy,
    count_tokens,
    fit,
)
from memopolis.sim.memory.memory import Memory

Lived = Callable[..., Memory]

STORM = "What did the storm do to the roof?"


def names(context: Context) -> list[str]:
    return [part.name for part in context.parts]


def ids(context: Context, name: str = "history") -> list[int]:
    part = next((part for part in context.parts if part.name == name), None)
    return [] if part is None else [line.memories[0] for line in part.lines if line.memories]


@pytest.fixture
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole short term and all summaries, whatever the budget."""
    monkeypatch.setattr(contexts, "SEARCH_ALONE", -1_000_000)


def test_layers_are_in_order(lived: Lived) -> None:
    memory = lived(24, top_k=1)
    memory[0].layers.key.add("I cannot swim.")
    context = memory[0].context(STORM, 8_000)
    assert names(context) == ["key", "long", "mid", "short", "input"]
    assert ids(context, "long") == [10, 0]  # the newest summary first
    assert sorted(ids(context, "mid")[:7]) == list(range(0, 21, 3))
    assert ids(context, "short") == [21, 22, 23]
    assert context.parts[-1].lines[0].content == STORM
    assert context.fits
    assert context.tokens == count_tokens(context.text) == count_tokens(str(context))
    assert context.evidence == tuple(range(24))
    assert "- I cannot swim." in context.text.splitlines()


def test_short_term_and_summaries_shrink_with_the_budget(lived: Lived) -> None:
    memory = lived(150, short_term_size=20)
    sizes = []
    for budget in (400, 600, 1_000, 3_000):
        context = memory[0].context(STORM, budget)
        recent, summaries = ids(context, "short"), ids(context, "long")
        assert recent == list(range(150 - len(recent), 150))
        assert summaries == [140, 130, 120][: len(summaries)]
        assert len(ids(context, "mid")) > len(recent)
        assert context.fits
        sizes.append((len(recent), len(summaries)))
    assert sizes[0] == (0, 0)  # all of it for the search
    assert sizes == sorted(sizes)
    assert sizes[-1][0] >= 10
    assert sizes[-1][1] == 3


def test_long_lines_leave_room_for_matches() -> None:
    memory = Memory(1)
    for tick in range(40):
        memory.now = tick
        memory[0].stream.add("talk", f"Message {tick} of the storm. " + "And so it went on. " * 40)
    memory[0].layers.long.delete(range(40))
    for budget, recent in ((400, 0), (600, 0), (1_000, 1), (3_000, 1)):
        context = memory[0].context(STORM, budget)
        assert len(ids(context, "short")) == recent
        assert len(ids(context, "mid")) >= recent


def test_memories_of_the_same_time_have_one_date_at_the_best_of_them() -> None:
    memory = Memory(1)
    for text in ("Good morning.", "The storm tore the roof off.", "Really?"):
        memory[0].stream.add("talk", text)
    memory.now = 30
    memory[0].stream.add("life", "Fed the cat.")
    context = memory[0].context(STORM, 400)
    storm, *others = context.part("mid").lines  # type: ignore[union-attr]
    assert storm.text == "- day 0, 00:00: The storm tore the roof off."
    assert [one.text for one in others[:2]] == ["- Good morning.", "- Really?"]
    assert others[2].text == "- day 1, 06:00: Fed the cat."
    tight = memory[0].context(STORM, context.tokens - 1)
    assert storm in tight.part("mid").lines  # type: ignore[union-attr]


def test_a_line_has_its_day_and_hour(lived: Lived) -> None:
    memory = lived(27)
    text = memory[0].context("", 2_000).text
    assert "- day 1, 02:00: My sister" not in text
    assert "- day 1, 02:00: The bank refused the loan for the boat, number 26." in text
    assert "Now:" not in text
    memory.ticks_per_day = 0.5
    assert "- day 52: The bank" in memory[0].context("", 2_000).text


@pytest.mark.usefixtures("roomy")
def test_a_tighter_budget_drops_the_mid_term_then_summaries_then_the_oldest(lived: Lived) -> None:
    memory = lived(24, top_k=1)
    memory[0].layers.key.add("I cannot swim.")
    seen = memory.observed[0]
    memory[0].layers.summarise()
    last: Context | None = None
    for budget in range(300, 0, -1):
        context = seen.context(STORM, budget)
        left = {part.name: ids(context, part.name) for part in context.parts if part.name != "key"}
        assert {"key", "input"} <= set(names(context))
        assert context.fits or names(context) == ["key", "input"]
        if left.get("mid"):
            assert left["long"] == [10, 0]
        if left.get("long"):
            assert left["short"] == [21, 22, 23]
            assert left["long"][0] == 10
        if left.get("short"):
            assert left["short"] == [21, 22, 23][-len(left["short"]) :]
        if last is not None:
            assert set(context.evidence) <= set(last.evidence)
        last = context
    assert last is not None
    assert names(last) == ["key", "input"]


@pytest.mark.usefixtures("roomy")
def test_the_worst_match_of_the_mid_term_is_dropped_first(lived: Lived) -> None:
    seen = lived(24).observed[0]
    whole = ids(seen.context(STORM, 2_000), "mid")
    assert len(whole) == 21
    assert sorted(whole[:7]) == list(range(0, 21, 3))
    best = set(range(0, 21, 3))
    for budget in range(60, 500, 5):
        some = set(ids(seen.context(STORM, budget), "mid"))
        assert not some - best or best <= some


class Banks:
    """Knows rivers from everything else."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([(1, 0) if "river" in text else (0, 1) for text in texts], np.float32)


def test_the_cluster_of_the_best_memory_counts_a_hit() -> None:
    memory = Memory(agents=1, embedder=Banks())
    memory.layer_settings = LayerSettings(short_term_size=1, top_k=1, similarity_threshold=0.7)
    for text in ("The loan was signed at the river", "Fed the cat", "Swam in the river", "Rest"):
        memory[0].stream.add("life", text)
    asked = "Who signed the loan?"
    assert [one.id for one in memory[0].layers.mid(asked)] == [1]  # near in the vectors alone
    assert ids(memory[0].context(asked, 500), "mid")[0] == 0
    assert [one.hits for one in memory[0].layers.mid] == [1, 1]


def test_only_the_newest_summaries_are_included(lived: Lived) -> None:
    memory = lived(40, long_term_size=2)
    assert ids(memory[0].context("", 9_000), "long") == [30, 20]
    memory = lived(40, long_term_size=0)
    assert ids(memory[0].context("", 9_000), "long") == []


def test_only_memories_in_the_context_record_access(lived: Lived) -> None:
    memory = lived(24, top_k=1)
    memory[0].layers.summarise()
    context = memory[0].context(STORM, memory.observed[0].context(STORM, 2_000).tokens - 50)
    result = ids(context, "mid")
    assert 0 < len(result) < 24
    booked = [one.id for one in memory[0].stream.read(range(24)) if one.accesses]
    assert booked == sorted(result)
    assert memory[0].layers.mid[0].hits == 1


@pytest.mark.parametrize("policy", POLICIES)
def test_an_observer_sees_the_context_and_changes_nothing(lived: Lived, policy: Policy) -> None:
    memory, other = lived(24), lived(24)
    for one in (memory, other):
        one[0].layers.summarise()
        one[0].layers.key.add("I cannot swim.")
    before = {name: values.copy() for name, values in memory.state().items()}
    status = {name: memory[0].status[name] for name in memory[0].status}
    seen = memory.observed[0].context(STORM, 300, policy=policy)
    after = memory.state()
    assert before.keys() == after.keys()
    assert all((before[name] == after[name]).all() for name in before)
    assert status == {name: memory[0].status[name] for name in memory[0].status}
    assert seen == other[0].context(STORM, 300, policy=policy)


@pytest.mark.parametrize("policy", POLICIES)
def test_contexts_of_a_cohort_equal_those_of_each_agent(lived: Lived, policy: Policy) -> None:
    together, alone = lived(25, agents=3), lived(25, agents=3)
    queries = [STORM, "bread", "the loan"]
    made = together.of([2, 0, 1]).context(queries, 250, policy=policy)
    for row, query, context in zip([2, 0, 1], queries, made, strict=True):
        assert context == alone[row].context(query, 250, policy=policy)
    one = together.observed.of([0, 1]).context(STORM, 250, policy=policy)
    assert len(one) == 2


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_stays_within_the_budget(lived: Lived, policy: Policy) -> None:
    memory = lived(60, short_term_size=20)
    for budget in (40, 100, 350):
        context = memory[0].context(STORM, budget, policy=policy)
        assert context.tokens == count_tokens(context.text) <= budget
        assert context.policy == policy
        assert context.parts[-1].name == "input"


@pytest.mark.parametrize("policy", POLICIES)
def test_an_empty_memory_gives_only_the_input(policy: Policy) -> None:
    memory = Memory(agents=1)
    context = memory[0].context("What now?", 100, policy=policy)
    assert context.text == "Now:\nWhat now?"
    assert context.evidence == ()
    assert memory[0].context("", 100, policy=policy).text == ""
    assert len(memory.of(np.zeros(0, np.int64)).context([], 100, policy=policy)) == 0


def test_full_history_keeps_the_newest_that_fit_in_the_order_of_time(lived: Lived) -> None:
    memory = lived(60)
    result = ids(memory[0].context("", 300, policy="full history"))
    assert result == list(range(60 - len(result), 60))
    assert 3 < len(result) < 60
    assert ids(memory[0].context("", 9_000, policy="full history")) == list(range(60))


def test_the_sliding_window_ends_at_its_size(lived: Lived) -> None:
    memory = lived(60, short_term_size=5)
    assert ids(memory[0].context("", 9_000, policy="sliding window")) == [55, 56, 57, 58, 59]
    few = ids(memory[0].context("", 60, policy="sliding window"))
    assert few == [55, 56, 57, 58, 59][-len(few) :]


def test_the_random_policy_uses_the_seed_of_the_memory(lived: Lived) -> None:
    memory = lived(60)
    first = ids(memory[0].context("", 300, policy="random"))
    assert first == sorted(first)
    assert first == ids(memory[0].context("", 300, policy="random"))
    assert first == ids(lived(60)[0].context("", 300, policy="random"))
    assert max(np.diff(first)) > 1
    memory.now += 1
    assert first != ids(memory[0].context("", 300, policy="random"))
    assert ids(memory[0].context("", 9_000, policy="random")) == list(range(60))
    wider = ids(memory[0].context("", 400, policy="random"))
    assert set(ids(memory[0].context("", 200, policy="random"))) <= set(wider)


def test_a_custom_counter_is_used(lived: Lived) -> None:
    context = lived(24)[0].context(STORM, 400, count=len)
    assert context.tokens == len(context.text) <= 400


@pytest.mark.parametrize("policy", POLICIES)
def test_reading_only_candidates_gives_the_same_context(
    lived: Lived, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = lived(300).observed[0]
    budgets = (30, 90, 150, 260, 700, 2_000, 9_000)
    lazily = [seen.context(STORM, budget, policy=policy) for budget in budgets]

    def wholly(make: Callable[[int], Draft], budget: int, count: Counter, name: str) -> Context:
        return fit(make(10_000), budget, count, name)

    monkeypatch.setattr(contexts, "fit_lazily", wholly)
    assert lazily == [seen.context(STORM, budget, policy=policy) for budget in budgets]


def test_forgotten_memories_are_in_no_context(lived: Lived) -> None:
    memory = lived(24)
    memory[0].stream.forget([0, 3, 22])
    for policy in POLICIES:
        assert not {0, 3, 22} & set(memory[0].context(STORM, 5_000, policy=policy).evidence)


@pytest.mark.parametrize("budget", [0, -1, 2.5, True, None, "10"])
def test_a_budget_below_one_is_refused(lived: Lived, budget: int) -> None:
    with pytest.raises(ParameterError, match="budget is"):
        lived(3)[0].context(STORM, budget)


def test_invalid_policies_and_queries_are_refused(lived: Lived) -> None:
    memory = lived(3, agents=2)
    with pytest.raises(ParameterError, match="'full history'"):
        memory[0].context(STORM, 100, policy="best")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="3 queries for 2 agents"):
        memory.of([0, 1]).context(["a", "b", "c"], 100)
    wrong: Sequence[str] = ["a", None]  # type: ignore[list-item]
    with pytest.raises(ParameterError, match=r"query is .* a str"):
        memory.of([0, 1]).context(wrong, 100)


def test_any_text_can_be_in_a_context(lived: Lived) -> None:
    memory = lived(0, short_term_size=1)
    warning = "飓风警报响起需要立即撤离"
    texts = [
        warning,
        "A\nB \u2028 C",
        "\U0001f300" * 50,
        "",
        "{curly} {actor}",
    ]
    for text in texts * 5:
        memory[0].stream.add("life", text)
    context = memory[0].context("飓风 撤离 安全", 3_000)
    assert warning in context.text
    # Each line is one line, whatever the texts hold.
    assert len(context.text.split("\n")) == sum(1 + len(part.lines) for part in context.parts)


def test_layers_are_saved_with_the_memory(lived: Lived, tmp_path: object) -> None:
    memory = lived(24)
    memory[0].layers.key.add("I cannot swim.")
    memory[0].context(STORM, 500)
    memory.save(f"{tmp_path}/kept")
    again = Memory.load(f"{tmp_path}/kept")
    again.layer_settings = memory.layer_settings
    assert list(again[0].layers.long) == list(memory[0].layers.long)
    assert list(again[0].layers.key) == list(memory[0].layers.key)
    assert again[0].layers.summarise() == 0
    assert [c.hits for c in again[0].layers.mid] == [c.hits for c in memory[0].layers.mid]
    assert again[0].context(STORM, 500) == memory[0].context(STORM, 500)
    assert again[0].layers.key.add("later") == memory[0].layers.key.add("later")
