"""`memopolis show --step`: what one agent was asked and decided in one step, and on what."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from memopolis.commands.terminal import results, short
from memopolis.sim.errors import UnknownNameError

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

_NEAR = 5
"""Steps named where nothing was decided in the one asked for."""


def show_step(folder: Path, agent: int, step: int) -> None:
    """Print what an agent decided in a step: recalled memories, prompt, answer, what was applied.

    Args:
        folder: Of the run.
        agent: unique_id of the agent.
        step: The step, from 0.

    Raises:
        RunFolderError: If there is no run, or it is broken.
        UnknownNameError: If nobody has that number, or the run has no such step.
    """
    from memopolis.analysis import load_run

    run = load_run(folder)
    life = run.life(agent)
    steps = int(run.manifest["ticks"])
    if step >= steps:
        raise UnknownNameError(f"the run has no step {step}; it has 0 to {steps - 1}")
    when = run.time_of(pd.Series([step]))[0]
    out = results()
    name = f"[bold]{escape(life.name)}[/]"
    out.print(f"{name}, {life.population} {agent}, step {step}: {when:%d %b %Y %H:%M}")
    decisions = _of_step(life.decisions, when)
    thoughts = _of_step(life.thoughts, when)
    for one in decisions.itertuples():
        answer = one.choice or short(float(str(one.value)))
        _decided(out, f"{one.kind} {one.item}".strip(), str(answer), one)
    for one in thoughts.itertuples():
        _decided(out, "thought", str(one.text), one)
    calls = _calls(run, agent, step)
    for call in calls.itertuples():
        _asked(out, call)
    if decisions.empty and thoughts.empty and calls.empty:
        out.print("(nothing that was recorded was decided in this step)")
        frames = (life.decisions, life.thoughts)
        times = [time for frame in frames if "time" in frame for time in frame["time"]]
        near = sorted(set(times), key=lambda time: abs(time - when))[:_NEAR]
        if near:
            hours = [(time - run.start).total_seconds() / 3600 for time in sorted(near)]
            steps_near = ", ".join(str(round(hour / run.hours)) for hour in hours)
            out.print(f"Decided nearest to it: steps {steps_near}")


def _of_step(frame: pd.DataFrame, when: pd.Timestamp) -> pd.DataFrame:
    return frame[frame["time"] == when] if "time" in frame else frame


def _calls(run: "Run", agent: int, step: int) -> pd.DataFrame:
    """Calls of the agent in the step, in the order in which they were put."""
    if "model_calls" not in run.tables:
        return pd.DataFrame()
    calls = run.model_calls
    return calls[(calls["agent"] == agent) & (calls["tick"] == step)]


def _decided(out: Console, what: str, answer: str, one: Any) -> None:
    how = ", ".join(
        filter(None, (str(getattr(one, name, "")) for name in ("emotion", "reason", "mind")))
    )
    aside = f" [dim]({escape(how)})[/]" if how else ""
    out.print(f"\n[bold]Applied[/] {escape(what)}: [bold]{escape(answer)}[/]{aside}")
    for text in one.evidence:
        out.print(Padding(escape(f"- {text}"), (0, 0, 0, 2)))


def _asked(out: Console, call: Any) -> None:
    again = ", asked again" if call.attempt else ""
    spent = f"{call.tokens_in:,} tokens in, {call.tokens_out:,} out"
    out.print(f"\n[bold]Asked by {escape(str(call.block))}[/]{again}: {call.outcome}, {spent}")
    out.print(Padding(escape(str(call.prompt)), (0, 0, 0, 2)))
    out.print("[bold]Answered[/]")
    answer = "(nothing)" if pd.isna(call.answer) else str(call.answer)
    out.print(Padding(escape(answer), (0, 0, 0, 2)))
