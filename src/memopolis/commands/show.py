"""`memopolis show`: one agent's life, as the tables of a run tell it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.markup import escape

from memopolis.commands.terminal import results, short, table

if TYPE_CHECKING:
    from memopolis.analysis.life import Life
    from memopolis.analysis.load import Run

_MOST_DAYS = 6
"""Days of the status that fit beside each other."""


def show_life(folder: Path, agent: int, query: str | None, memories: int) -> None:
    """Print a life.

    Args:
        folder: Of the run.
        agent: unique_id of the agent.
        query: What to rank its memories by; None for the latest.
        memories: How many memories, thoughts and decisions to print.

    Raises:
        RunFolderError: If there is no run, or it is broken.
        UnknownNameError: If nobody has that number.
    """
    from memopolis.analysis import load_run

    run = load_run(folder)
    life = run.life(agent)
    out = results()
    out.print(f"[bold]{escape(life.name)}[/], {life.population} {agent} of {folder}", soft_wrap=True)
    _profile(out, life)
    _status(out, life)
    _memories(out, run, life, query, memories)
    _thoughts(out, life, memories)
    _decisions(out, life, memories)


def scores_of(run: "Run", memories: pd.DataFrame, query: str, k: int) -> pd.DataFrame:
    """Rank memories by a query, as their agent would have at the end of the run.

    The very search of a society does it: the memories are put into a memory of one agent.

    Args:
        run: Whose memories they are.
        memories: Of one agent, by id, as `Life.memories` gives them.
        query: What is asked for.
        k: Most memories wanted.

    Returns:
        The best memories, best first, with columns score, recency, importance and relevance
        (each term before its weight).
    """
    from memopolis.sim.memory.memory import Memory

    memory = Memory(agents=1, limit=max(len(memories), 1))
    memory.ticks_per_day = 24.0 / run.hours
    memory.date_of = lambda tick: (pd.Timestamp(run.start) + tick * pd.Timedelta(hours=run.hours))
    (mind,) = memory
    for one in memories.itertuples():
        memory.now = int(one.tick)
        mind.stream.add(
            str(one.topic),
            str(one.text),
            actor=int(one.actor),
            place=int(one.place),
            importance=float(one.importance),
            continues=bool(one.continues),
        )
    memory.flush()
    if "accessed" in memories:
        accessed = memories["accessed"].fillna(memories["tick"]).to_numpy(np.int32)
        slots, _ = memory.streams.live(np.arange(1))
        memory.streams.put("accessed", slots, accessed)
    memory.now = int(run.manifest["ticks"])
    found = memory.observed[0].stream.search(query, k=k, explain=True)
    rows: list[dict[str, Any]] = [{"score": one.score, **one.terms} for one in found]
    return pd.DataFrame(rows, index=memories.index[[one.id for one in found]])


def _profile(out: Console, life: "Life") -> None:
    pairs = [f"{name} [bold]{escape(_shown(value))}[/]" for name, value in life.profile.items()]
    out.print(", ".join(pairs) or "(the run did not record agents)")


def _status(out: Console, life: "Life") -> None:
    status = life.status
    if status.empty:
        return
    # First, last, and days evenly between.
    at = np.unique(np.linspace(0, len(status) - 1, _MOST_DAYS).round().astype(int))
    chosen = status.iloc[at]
    days = [f"{time:%d %b}" for time in chosen.index]
    shown = table("Status at the end of the day", "", *days, numbers=tuple(days))
    for name in status:
        shown.add_row(escape(str(name)), *(escape(_shown(value)) for value in chosen[name]))
    out.print(shown)


def _memories(out: Console, run: "Run", life: "Life", query: str | None, k: int) -> None:
    memories = life.memories
    if memories.empty:
        out.print("(the run did not record memories)")
        return
    columns = ["id", "time", "imp."]
    if query is None:
        title = f"The latest {min(k, len(memories))} of {len(memories)} memories"
        best, last = memories.tail(k), ["recalled"]
    else:
        title = f"Memories that answer {query!r}, of {len(memories)}"
        scores = scores_of(run, memories, query, k)
        best, last = memories.loc[scores.index], ["rec.", "rel.", "score"]
    shown = table(escape(title), *columns, *last, "memory", numbers=("id", *columns[2:], *last))
    for number, one in best.iterrows():
        if query is None:
            numbers = [_accesses(one)]
        else:
            score = scores.loc[number]
            numbers = [f"{score[name]:.2f}" for name in ("recency", "relevance", "score")]
        words = f"{escape(str(one['text']))} [dim]({escape(str(one['topic']))})[/]"
        cells = (str(number), f"{one['time']:%d %b %H:%M}", f"{one['importance']:.2f}")
        shown.add_row(*cells, *numbers, words)
    out.print(shown)


def _accesses(one: pd.Series) -> str:
    accesses = one.get("accesses")
    return "-" if accesses is None or pd.isna(accesses) else f"{accesses} x"


def _thoughts(out: Console, life: "Life", k: int) -> None:
    if life.thoughts.empty:
        return
    out.print("[bold]Thoughts[/]")
    for one in life.thoughts.tail(k).itertuples():
        out.print(f"  {one.time:%d %b %H:%M}  {escape(str(one.text))} [dim]({one.emotion})[/]")
    out.print()


def _decisions(out: Console, life: "Life", k: int) -> None:
    if life.decisions.empty:
        return
    out.print("[bold]Decisions and what they rest on[/]")
    for one in life.decisions.tail(k).itertuples():
        what = f"{one.kind} {one.item}".strip()
        answer = one.choice or short(float(one.value))
        out.print(f"  {one.time:%d %b %H:%M}  {escape(what)}: [bold]{escape(str(answer))}[/]", end="")
        out.print(f" [dim]({escape(str(one.reason))}; {one.mind})[/]" if one.reason else f" [dim]({one.mind})[/]")
        for text in list(one.evidence)[:3]:
            out.print(f"                - {escape(str(text))}")
        if len(one.evidence) > 3:
            out.print(f"                [dim]and {len(one.evidence) - 3} more[/]")


def _shown(value: object) -> str:
    if isinstance(value, float | np.floating):
        return short(float(value))
    return "yes" if value is True else "no" if value is False else str(value)
