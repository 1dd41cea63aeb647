"""`memopolis interview`: ask one agent of a saved run a question."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from memopolis.commands.terminal import short, stdout_console, table

_EVIDENCE = 3
"""Memories shown per decision, of those it is based on."""


def interview_agent(
    folder: Path, agent: int, question: str, memories: int, mind: Mapping[str, object]
) -> None:
    """Print an answer and its evidence.

    Args:
        folder: Folder of the run.
        agent: unique_id of the agent.
        question: The question.
        memories: Maximum number of recalled memories.
        mind: Settings of the mind that answers, by name.

    Raises:
        RunFolderError: If the folder has no run or a damaged one.
        UnknownNameError: If no agent has that number, or the run recorded no memories.
        SettingsError: If the mind cannot be created.
        ParameterError: If the question is empty.
    """
    from memopolis.analysis import load_run
    from memopolis.analysis.interview.restored_agent import restore_agent

    run = load_run(folder)
    held = restore_agent(run, agent, mind).interview(question, memories=memories)
    out = stdout_console()
    who = f"[bold]{escape(held.name)}[/], {run.population_of(agent)} {agent} of {folder}"
    out.print(who, soft_wrap=True)
    out.print(f"[bold]{escape(question)}[/]")
    out.print(Padding(f"{escape(held.text)} [dim]({held.mind})[/]", (0, 0, 0, 2)))
    _evidence(out, held.evidence)
    _decisions(out, held.decisions)


def _evidence(out: Console, evidence: pd.DataFrame) -> None:
    if evidence.empty:
        out.print("(no memory is relevant to the question)")
        return
    shown = table(
        "Memories the answer is based on", "id", "time", "rel.", "memory", numbers=("id", "rel.")
    )
    for number, one in evidence.iterrows():
        words = f"{escape(str(one['text']))} [dim]({escape(str(one['topic']))})[/]"
        shown.add_row(str(number), f"{one['time']:%d %b %Y %H:%M}", short(one["relevance"]), words)
    out.print(shown)


def _decisions(out: Console, decisions: pd.DataFrame) -> None:
    if decisions.empty:
        return
    out.print("[bold]Latest decisions on this subject[/]")
    for one in decisions.itertuples():
        _decision(out, one)


def _decision(out: Console, one: Any) -> None:
    what = escape(f"{one.kind} {one.item}".strip())
    answer = escape(str(one.choice or short(float(one.value))))
    why = escape(", ".join(filter(None, (str(one.reason), str(one.mind)))))
    out.print(f"  {one.time:%d %b %H:%M}  {what}: [bold]{answer}[/] [dim]({why})[/]")
    for text in list(dict.fromkeys(one.evidence))[:_EVIDENCE]:
        out.print(Padding(escape(f"- {text}"), (0, 0, 0, 16)))
