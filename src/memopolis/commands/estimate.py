"""`memopolis run --estimate`: what a run would cost, before it starts."""

from typing import Any

from rich.markup import escape

from memopolis.commands.terminal import asides, results, table, ticking
from memopolis.sim.mind.estimate import Cost, Estimate, estimate
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society

_NUMBERS = ("calls", "tokens in", "tokens out, at most", "cost, at most")


def print_estimate(scenario: type[Society[Any]], settings: Settings, seed: int | None) -> None:
    """Run a society by rule without recording it, and print what a model would be asked.

    Args:
        scenario: What would be run.
        settings: Its settings, with the mind it would have.
        seed: The run's seed; None draws one.

    Raises:
        MemopolisError: If the settings name a mind that asks no model, or are wrong.
    """
    with ticking(asides()) as show:
        estimated = estimate(scenario, settings, seed, progress=show)
    _print(estimated, settings)


def _print(estimated: Estimate, settings: Settings) -> None:
    out, total = results(), estimated.total
    shown = table(_title(estimated, settings), "block", *_NUMBERS, numbers=_NUMBERS)
    for cost in (*estimated.costs, total):
        if cost is total:
            shown.add_section()
        shown.add_row(escape(cost.block), *_cells(cost))
    out.print(shown)
    out.print(
        "Counted in a run by rule, with every answer as long as it may be; questions to repair "
        "an answer come on top."
    )
    if total.dollars is None:
        out.print("Cost: set llm.price_in and llm.price_out, in USD per million tokens.")
    for line in _over(total, settings):
        out.print(line)


def _title(estimated: Estimate, settings: Settings) -> str:
    model = escape(estimated.model or "a model")
    return f"What {settings.agents:,} agents would ask {model} in {settings.days:g} days"


def _cells(cost: Cost) -> tuple[str, ...]:
    dollars = "not known" if cost.dollars is None else f"{cost.dollars:,.2f} USD"
    return (f"{cost.calls:,}", f"{cost.tokens_in:,}", f"{cost.tokens_out:,}", dollars)


def _over(total: Cost, settings: Settings) -> list[str]:
    """What the budget does not cover."""
    llm, tokens = settings.llm, total.tokens_in + total.tokens_out
    lines = []
    if llm.budget_tokens is not None and tokens > llm.budget_tokens:
        lines.append(f"The budget of {llm.budget_tokens:,} tokens is less than {tokens:,}.")
    if llm.budget_calls is not None and total.calls > llm.budget_calls:
        lines.append(f"The budget of {llm.budget_calls:,} calls is less than {total.calls:,}.")
    return lines
