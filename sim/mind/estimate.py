"""What a run would cost: its prompts made and counted, in a run by rule, and none sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.building import build_mind
from memopolis.sim.mind.call import Call, Reply
from memopolis.sim.mind.prompting import counted

if TYPE_CHECKING:
    from memopolis.sim.settings import Settings
    from memopolis.sim.society import Society
    from memopolis.sim.society_base import Progress

_UNSENT = Reply(None, "budget", tries=0)
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What the questions of one block cost.

    Attributes:
        block: Name of the block.
        calls: How many questions a model is asked.
        tokens_in: Tokens of the prompts, as the engine counts them.
        tokens_out: Tokens of the answers at most: the limit of each call.
        dollars: Price of all of it at most; None where prices are not known.
    """

    block: str
    calls: int
    tokens_in: int
    tokens_out: int
    dollars: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run costs if every answer is as long as it may be.

    Questions to repair an answer are not in it, nor is what agents would do differently
    because a model decides: the run that was counted is one by rule.

    Attributes:
        model: Name of the model.
        costs: A row a block, the dearest in tokens first.
    """

    model: str
    costs: tuple[Cost, ...]

    @property
    def total(self) -> Cost:
        """All blocks together, under the name "all"."""
        known = [cost.dollars for cost in self.costs if cost.dollars is not None]
        return Cost(
            "all",
            sum(cost.calls for cost in self.costs),
            sum(cost.tokens_in for cost in self.costs),
            sum(cost.tokens_out for cost in self.costs),
            sum(known) if len(known) == len(self.costs) else None,
        )


class Tally:
    """A client that sends nothing and counts what it was to send, by block.

    Args:
        name: Name of the model it counts for.

    Attributes:
        counts: Calls, tokens of prompts and most tokens of answers by block.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.counts: dict[str, tuple[int, int, int]] = {}

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Count calls; every reply says that there was no budget for it."""
        for call in calls:
            number, asked, answered = self.counts.get(call.block, (0, 0, 0))
            asked += sum(counted(message.text) for message in call.messages)
            self.counts[call.block] = (number + 1, asked, answered + call.max_tokens)
        return [_UNSENT] * len(calls)


def estimate(
    scenario: "type[Society[Any]]",
    settings: "Settings",
    seed: int | None = None,
    *,
    progress: "Progress | None" = None,
) -> Estimate:
    """Count what a run would ask a model, by a run of the same society by rule.

    Args:
        scenario: What would be run.
        settings: Its settings, with the mind it would have. Budgets are passed over, so that
            they can be chosen by what is needed.
        seed: The run's seed; None draws one.
        progress: Called after each step with steps done, steps in all and the date.

    Raises:
        ParameterError: If the settings name a mind that asks no model.
    """
    if settings.mind not in {"llm", "archetype"}:
        raise ParameterError(
            f"mind is {settings.mind!r}, which asks no model; set llm or archetype"
        )
    unlimited = {"budget_tokens": None, "budget_calls": None, "fallback": "rule"}
    society = scenario(settings.with_changes({"mind": "rule", "llm": unlimited}), rng=seed)
    tally = Tally(settings.llm.model)
    society.mind = build_mind(society, settings.mind, client=tally)
    for done in range(1, society.ticks + 1):
        society.step()
        if progress is not None:
            progress(done, society.ticks, society.clock.date_of(society.clock.tick + 1))
    return costed(tally, settings.llm.price_in, settings.llm.price_out)


def costed(tally: Tally, price_in: float, price_out: float) -> Estimate:
    """Lay a tally out by block, with what it costs.

    Args:
        tally: What was counted.
        price_in: Dollars for a million tokens of prompts.
        price_out: Dollars for a million tokens of answers; both 0 where they are not known.
    """
    known = price_in > 0 or price_out > 0
    costs = [
        Cost(
            block,
            calls,
            asked,
            answered,
            (asked * price_in + answered * price_out) / _MILLION if known else None,
        )
        for block, (calls, asked, answered) in tally.counts.items()
    ]
    return Estimate(tally.name, tuple(sorted(costs, key=lambda cost: -cost.tokens_in)))
