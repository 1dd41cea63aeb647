"""`memopolis show --step`: the prompts, answers and decisions of one agent in one step."""

from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from memopolis.analysis import load_run
from memopolis.analysis.run.run import Run
from memopolis.commands.show import describe_decision, list_distinct, print_agent
from memopolis.commands.terminal import stdout_console
from memopolis.sim.errors import UnknownNameError

_NEAR = 5  # number of steps to suggest if the agent decided nothing in the requested step


def show_step(folder: Path, agent: int, step: int) -> None:
    """Print an agent's decisions in a step: recalled memories, prompt, answer, applied decision."""
    run = load_run(folder)
    life = run.life(agent)
    steps = int(run.manifest["ticks"])
    if step >= steps:
        raise UnknownNameError(f"the run has no step {step}; it has 0 to {steps - 1}")
    when = run.time_of(pd.Series([step]))[0]
    out = stdout_console()
    moment = f", step {step}: {when:%d %b %Y %H:%M}"
    print_agent(out, life.name, f"{life.population} {agent}", moment)
    decisions = _of_step(life.decisions, when)
    thoughts = _of_step(life.thoughts, when)
    for one in decisions.itertuples():
        _print_decided(out, *describe_decision(one), one)
    for one in thoughts.itertuples():
        _print_decided(out, "thought", str(one.text), one)
    calls = _calls(run, agent, step)
    for call in calls.itertuples():
        _print_call(out, call)
    if decisions.empty and thoughts.empty and calls.empty:
        out.print("(no decision was recorded in this step)")
        frames = (life.decisions, life.thoughts)
        times = [time for frame in frames if "time" in frame for time in frame["time"]]
        near = sorted(set(times), key=lambda time: abs(time - when))[:_NEAR]
        if near:
            hours = [(time - run.start).total_seconds() / 3600 for time in sorted(near)]
            steps_near = ", ".join(str(round(hour / run.hours)) for hour in hours)
            out.print(f"Nearest steps with a decision: {steps_near}")


def _of_step(frame: pd.DataFrame, when: pd.Timestamp) -> pd.DataFrame:
    return frame[frame["time"] == when] if "time" in frame else frame


def _calls(run: Run, agent: int, step: int) -> pd.DataFrame:
    """Return the model calls of the agent in the step, in order."""
    if "model_calls" not in run.tables:
        return pd.DataFrame()
    calls = run.model_calls
    return calls[(calls["agent"] == agent) & (calls["tick"] == step)]


def _print_decided(out: Console, subject: str, answer: str, one: Any) -> None:
    how = ", ".join(
        filter(None, (str(getattr(one, name, "")) for name in ("emotion", "reason", "mind")))
    )
    aside = f" [dim]({escape(how)})[/]" if how else ""
    out.print(f"\n[bold]Applied[/] {escape(subject)}: [bold]{escape(answer)}[/]{aside}")
    for text in list_distinct(one.evidence):
        out.print(Padding(escape(f"- {text}"), (0, 0, 0, 2)))


def _print_call(out: Console, call: Any) -> None:
    again = ", asked again" if call.attempt else ""
    spent = f"{call.tokens_in:,} tokens in, {call.tokens_out:,} out"
    out.print(f"\n[bold]Asked by {escape(str(call.block))}[/]{again}: {call.outcome}, {spent}")
    out.print(Padding(escape(str(call.prompt)), (0, 0, 0, 2)))
    out.print("[bold]Answered[/]")
    answer = "(nothing)" if pd.isna(call.answer) else str(call.answer)
    out.print(Padding(escape(answer), (0, 0, 0, 2)))
