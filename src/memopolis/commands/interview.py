"""`memopolis interview`: ask one agent of a saved run a question."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from memopolis.analysis import load_run
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.labels import day_form
from memopolis.commands.show import print_agent, print_decision
from memopolis.commands.terminal import short, stdout_console, table


def interview_agent(
    folder: Path, agent: int, question: str, memories: int, mind: Mapping[str, object]
) -> None:
    """Print an answer and its evidence."""
    run = load_run(folder)
    answered = restore_agent(run, agent, mind).interview(question, memories=memories)
    out = stdout_console()
    print_agent(out, answered.name, f"{run.population_of(agent)} {agent}", f" of {folder}")
    out.print(f"[bold]{escape(question)}[/]")
    out.print(Padding(f"{escape(answered.text)} [dim]({answered.mind})[/]", (0, 0, 0, 2)))
    if len(answered.decisions):
        out.print("[bold]Decisions on this subject[/]")
    days = day_form(run.start, run.end)
    decisions: Iterable[Any] = answered.decisions.itertuples()
    for decision in decisions:
        print_decision(out, decision, decision.evidence, days)
    _print_evidence(out, answered.evidence)


def _print_evidence(out: Console, evidence: pd.DataFrame) -> None:
    if evidence.empty:
        out.print("(the answer is based on no memory)")
        return
    shown = table(
        "Memories the answer is based on", "id", "time", "rel.", "memory", numbers=("id", "rel.")
    )
    for number, one in evidence.iterrows():
        text = f"{escape(str(one['text']))} [dim]({escape(str(one['topic']))})[/]"
        shown.add_row(str(number), f"{one['time']:%d %b %Y %H:%M}", short(one["relevance"]), text)
    out.print(shown)
