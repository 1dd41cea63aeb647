from collections.abc import Sequence
from typing import Any

import pytest

from memopolis.agents.blocks.cognition import Think, UpdateAttitudes
from memopolis.agents.citizen import Citizen
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.building import build_mind
from memopolis.sim.mind.call import Call, Message, ScriptedClient
from memopolis.sim.mind.estimate import Tally, estimate, price_tally
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society


class Town(Society[Settings]):
    def build(self, settings: Settings) -> None:
        self.people = self.populate(Citizen, settings.agents, blocks=[UpdateAttitudes(), Think()])
        self.people.cohort().memory.stream.add("news", "A storm is coming.")


def settings(**llm: Any) -> Settings:
    return Settings(agents=12, days=2, mind="llm").with_changes({"llm": llm})


def call(block: str, text: str, max_tokens: int) -> Call:
    return Call(1, block, 0, 0, 0, (Message("user", text),), {}, max_tokens)


def test_an_estimate_equals_the_calls_of_the_run() -> None:
    client = ScriptedClient(lambda _: "no answer")
    result = settings()
    town = Town(result.with_changes({"mind": "rule", "llm": {"min_answered": 0}}), rng=3)
    town.mind = build_mind(town, "llm", client=client)
    for _ in range(town.ticks):
        town.step()
    first = [one for one in client.calls if one.attempt == 0]
    estimated = estimate(Town, result, 3)
    assert {cost.block: cost.calls for cost in estimated.costs} == {
        block: sum(one.block == block for one in first) for block in ("update_attitudes", "think")
    }
    # Each judges two attitudes a day, and thinks of the first, which alone brings news.
    assert estimated.total.calls == len(first) == 12 * 2 * 2 + 12
    assert estimated.total.tokens_out == 256 * len(first)
    assert estimated.total.tokens_in > 100 * len(first)


def test_prompts_are_counted_in_tokens_and_priced_per_million() -> None:
    tally = Tally("tiny")
    tally.complete([call("think", "one two three", 10), call("think", "four", 10)])
    tally.complete([call("plan", "one two", 5)])
    costs = {cost.block: cost for cost in price_tally(tally, 2.0, 10.0).costs}
    assert (costs["think"].calls, costs["think"].tokens_in, costs["think"].tokens_out) == (2, 4, 20)
    # 4 tokens at 2 dollars and 20 at 10 dollars a million; 2 at 2 and 5 at 10.
    assert costs["think"].dollars == pytest.approx(208e-6)
    assert costs["plan"].dollars == pytest.approx(54e-6)
    assert price_tally(tally, 2.0, 10.0).total.dollars == pytest.approx(262e-6)
    assert price_tally(tally, 0, 0).total.dollars is None


def test_a_budget_does_not_cut_the_estimate() -> None:
    free, cut = (
        estimate(Town, settings(**changes), 3).total
        for changes in ({}, {"budget_calls": 1, "fallback": "error"})
    )
    assert free == cut


def test_fewer_blocks_and_groups_reduce_the_cost() -> None:
    def calls(mind: str, blocks: Sequence[str] = ()) -> int:
        result = settings(blocks=tuple(blocks)).with_changes({"mind": mind})
        return estimate(Town, result, 3).total.calls

    everything = calls("llm")
    assert calls("llm", ["think"]) == 12
    assert calls("archetype") < everything


def test_progress_is_reported_to_the_end() -> None:
    reports: list[int] = []
    estimate(Town, settings(), 3, progress=lambda done, _total, _date: reports.append(done))
    assert reports == list(range(1, 49))


def test_a_mind_without_a_model_costs_nothing() -> None:
    with pytest.raises(ParameterError, match="sends no calls"):
        estimate(Town, Settings(agents=2), 1)
