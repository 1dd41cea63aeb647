"""`memopolis run --estimate`: estimate the model calls and cost of a run."""

from typing import Any

from rich.markup import escape

from memopolis.commands.terminal import stderr_console, stdout_console, table, ticking
from memopolis.sim.mind.estimate import Cost, Estimate, estimate
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society

_NUMBERS = ("calls", "tokens in", "tokens out, at most", "cost, at most")


def print_estimate(scenario: type[Society[Any]], settings: Settings, seed: int | None) -> None:
    """Run a society with the rule mind, unrecorded, and print the model calls it would need.

    Args:
        scenario: The scenario.
        settings: Its settings, with the mind whose calls are estimated.
        seed: Random seed; None to choose one at random.

    Raises:
        MemopolisError: If the settings are wrong or name a mind that uses no model.
    """
    with ticking(stderr_console()) as show:
        estimated = estimate(scenario, settings, seed, progress=show)
    _print(estimated, settings)


def _print(estimated: Estimate, settings: Settings) -> None:
    out, total = stdout_console(), estimated.total
    shown = table(_title(estimated, settings), "block", *_NUMBERS, numbers=_NUMBERS)
    for cost in (*estimated.costs, total):
        if cost is total:
            shown.add_section()
        shown.add_row(escape(cost.block), *_cells(cost))
    out.print(shown)
    out.print(
        "Counted in a run with the rule mind, with answers of maximum length. Requests to repair "
        "an invalid answer are not included."
    )
    if total.dollars is None:
        out.print("For the cost, set llm.price_in and llm.price_out in USD per million tokens.")
    for line in _over(total, settings):
        out.print(line)


def _title(estimated: Estimate, settings: Settings) -> str:
    model = escape(estimated.model or "a model")
    return f"Calls of {model}: {settings.agents:,} agents, {settings.days:g} days"


def _cells(cost: Cost) -> tuple[str, ...]:
    dollars = "unknown" if cost.dollars is None else f"{cost.dollars:,.2f} USD"
    return (f"{cost.calls:,}", f"{cost.tokens_in:,}", f"{cost.tokens_out:,}", dollars)


def _over(total: Cost, settings: Settings) -> list[str]:
    """Return a line for each budget that is too small."""
    llm, tokens = settings.llm, total.tokens_in + total.tokens_out
    lines = []
    if llm.budget_tokens is not None and tokens > llm.budget_tokens:
        lines.append(
            f"The budget of {llm.budget_tokens:,} tokens is smaller than the {tokens:,} needed."
        )
    if llm.budget_calls is not None and total.calls > llm.budget_calls:
        lines.append(
            f"The budget of {llm.budget_calls:,} calls is smaller than the {total.calls:,} needed."
        )
    return lines
