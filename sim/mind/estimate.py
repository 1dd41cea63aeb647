"""Estimate the cost of a run: create and count its prompts without sending them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.building import build_mind
from memopolis.sim.mind.call import Call, Reply
from memopolis.sim.mind.prompting import counted

if TYPE_CHECKING:
    from memopolis.sim.progress import StepProgress
    from memopolis.sim.settings import Settings
    from memopolis.sim.society import Society

_UNSENT = Reply(None, "budget", tries=0)
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of the questions of one block."""

    block: str  # name of the block
    calls: int  # number of calls
    tokens_in: int  # tokens of the prompts, as counted by Memopolis
    tokens_out: int  # maximum number of tokens of the answers
    dollars: float | None  # maximum price; None if prices are unknown


@dataclass(frozen=True, slots=True)
class Estimate:
    """Cost of a run whose answers all have the maximum length, without requests for repair.

    The counted run uses the rules, so agents may act differently when a model decides.
    """

    model: str  # name of the model
    costs: tuple[Cost, ...]  # one row per block, the one with most tokens first

    @property
    def total(self) -> Cost:
        """Sum over all blocks, with the name "all"."""
        known = [cost.dollars for cost in self.costs if cost.dollars is not None]
        return Cost(
            "all",
            sum(cost.calls for cost in self.costs),
            sum(cost.tokens_in for cost in self.costs),
            sum(cost.tokens_out for cost in self.costs),
            sum(known) if len(known) == len(self.costs) else None,
        )


class Tally:
    """Count calls by block: their number, tokens of prompts, and maximum tokens of answers."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.counts: dict[str, tuple[int, int, int]] = {}

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Count calls; every reply has the outcome "budget"."""
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
    progress: "StepProgress | None" = None,
) -> Estimate:
    """Estimate the calls of a run, by running the same society with the rules.

    `settings` include the mind; their budgets are ignored. `progress` is called after each step
    with steps done, total steps and the date. Raises ParameterError if the mind uses no model.
    """
    if settings.mind not in {"llm", "archetype"}:
        raise ParameterError(
            f"mind is {settings.mind!r}, which sends no calls; set llm or archetype"
        )
    unlimited = {"budget_tokens": None, "budget_calls": None, "fallback": "rule"}
    society = scenario(settings.with_changes({"mind": "rule", "llm": unlimited}), rng=seed)
    tally = Tally(settings.llm.model)
    society.mind = build_mind(society, settings.mind, client=tally)
    for done in range(1, society.ticks + 1):
        society.step()
        if progress is not None:
            progress(done, society.ticks, society.clock.date_of(society.clock.tick + 1))
    return price_tally(tally, settings.llm.price_in, settings.llm.price_out)


def price_of(tokens_in: int, tokens_out: int, price_in: float, price_out: float) -> float | None:
    """Return the price in dollars, from prices per million tokens; None if both are 0, unknown."""
    if not price_in and not price_out:
        return None
    return (tokens_in * price_in + tokens_out * price_out) / _MILLION


def price_tally(tally: Tally, price_in: float, price_out: float) -> Estimate:
    """Compute the cost of counted calls by block, from prices in dollars per million tokens."""
    costs = [
        Cost(block, calls, asked, answered, price_of(asked, answered, price_in, price_out))
        for block, (calls, asked, answered) in tally.counts.items()
    ]
    return Estimate(tally.name, tuple(sorted(costs, key=lambda cost: -cost.tokens_in)))
