"""`memopolis show`: one agent's life from the tables of a run, or what it decided in one step."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from memopolis.analysis import load_run
from memopolis.analysis.interview.questions import check_question
from memopolis.analysis.interview.record_answers import answer_from_record
from memopolis.analysis.labels import day_form
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run
from memopolis.analysis.status_words import format_status, label_attribute
from memopolis.commands.options.reading import ShowOptions
from memopolis.commands.terminal import short, stdout_console, table
from memopolis.sim.errors import UnknownNameError
from memopolis.sim.memory.retrieval.recollection import describe_occasions

type Declared = Mapping[str, Mapping[str, Any]]
"""Declarations of the attributes of a population, by name."""

_NEAR = 5  # number of steps to suggest if the agent decided nothing in the requested step
_MOST_DAYS = 3  # days of the status that fit in 80 columns next to the names of attributes
_VALUE_WIDTH = 12  # characters of a value, such as a date with its hour
_EVIDENCE = 3  # memories shown per decision, of those it is based on


def show(options: ShowOptions) -> None:
    """Print an agent's profile, status, memories, thoughts and decisions; or those of one step."""
    run, query, memories = load_run(options.folder), options.query, options.memories
    life = run.life(options.agent)
    if options.step is not None:
        _show_step(run, life, options.step)
        return
    out = stdout_console()
    days = _days_of(run)
    print_agent(out, life.name, f"{life.population} {life.agent}", f" of {options.folder}")
    if query is not None:
        _answer(out, run, life, query, days)
    declared = run.attributes(life.population)
    _profile(out, life, declared)
    _status(out, life, declared, days)
    _memories(out, run, life, query, memories)
    _thoughts(out, life, memories, days)
    _decisions(out, life, memories, days)


def print_agent(out: Console, name: str, member: str, rest: str) -> None:
    """Print a heading of one line for an agent, called by its name or else as a member.

    `member` is its population and number, such as "citizen 3", and `rest` the text that follows.
    """
    aside = "" if name == member else f", {escape(member)}"
    out.print(f"[bold]{escape(name)}[/]{aside}{escape(rest)}", soft_wrap=True)


def print_decision(out: Console, decision: Any, days: str) -> None:
    """Print a decision and the first memories it is based on; `days` is the format of days."""
    subject, answer = describe_decision(decision)
    parts = (str(decision.reason), str(decision.mind), describe_draw(decision))
    reason = ", ".join(filter(None, parts))
    decided = f"{escape(subject)}: [bold]{escape(answer)}[/] [dim]({escape(reason)})[/]"
    out.print(f"  {decision.time:{days} %H:%M}  {decided}")
    distinct = list_distinct(decision.evidence)
    for text in distinct[:_EVIDENCE]:
        out.print(Padding(escape(f"- {text}"), (0, 0, 0, 16)))
    if len(distinct) > _EVIDENCE:
        out.print(Padding(f"[dim]and {len(distinct) - _EVIDENCE} more[/]", (0, 0, 0, 16)))


def list_distinct(texts: Iterable[str]) -> list[str]:
    """List the texts of memories, each once: an agent may remember the same text several times."""
    return list(dict.fromkeys(texts))


def describe_decision(decision: Any) -> tuple[str, str]:
    """Return the subject of a decision and its answer, as texts."""
    answer = decision.choice or short(float(decision.value))
    item = "" if decision.item == decision.kind else decision.item
    return f"{decision.kind} {item}".strip(), str(answer)


def describe_draw(decision: Any) -> str:
    """Return the probability, draw and threshold by which a decision was carried out, or ""."""
    if not pd.isna(decision.probability):
        is_done = decision.draw < decision.probability
        # A choice states itself what was done.
        result = "" if decision.choice else ": carried out" if is_done else ": not carried out"
        return f"chance {decision.probability:.2g}, draw {decision.draw:.2g}{result}"
    return "" if pd.isna(decision.threshold) else f"threshold {decision.threshold:.2g}"


def _days_of(run: Run) -> str:
    """Return the format of days in a run."""
    return day_form(run.start, run.end)


def _answer(out: Console, run: Run, life: Life, query: str, days: str) -> None:
    """Print the decision, contact or attitude that a query asks about, if it asks for one."""
    check_question(query)
    answer = answer_from_record(run, life, query)
    if answer is None:
        return
    out.print(Padding(escape(answer.text), (0, 0, 0, 2)))
    for row in answer.decisions.itertuples():
        print_decision(out, row, days)


def _profile(out: Console, life: Life, declared: Declared) -> None:
    # Empty texts, such as names in a society without names, are left out.
    known = {name: value for name, value in life.profile.items() if value != ""}
    pairs = [
        f"{escape(label_attribute(name))} [bold]{escape(_shown(name, value, declared))}[/]"
        for name, value in known.items()
    ]
    if pairs:
        out.print(", ".join(pairs))
    elif life.status.empty:
        out.print("(the run did not record agents)")


def _status(out: Console, life: Life, declared: Declared, form: str) -> None:
    status = life.status
    if status.empty:
        return
    # The first and the last day, and days evenly spaced between them.
    at = np.unique(np.linspace(0, len(status) - 1, _MOST_DAYS).round().astype(int))
    chosen = status.iloc[at]
    days = [f"{time:{form}}" for time in chosen.index]
    shown = table("Status at the end of the day", "", *days, numbers=tuple(days))
    shown.columns[0].no_wrap = True
    for column in shown.columns[1:]:
        column.max_width = _VALUE_WIDTH
    for name in status:
        if declared.get(str(name), {}).get("role") == "memory":
            continue  # the number of a memory, which is listed below
        values = [_shown(str(name), value, declared) for value in chosen[name]]
        shown.add_row(escape(label_attribute(str(name))), *map(escape, values))
    out.print(shown)


def _memories(out: Console, run: Run, life: Life, query: str | None, k: int) -> None:
    days = _days_of(run)
    memories = life.memories
    if "held" in memories:  # at an earlier moment of a run, it is unknown which ones are held
        memories = memories[memories["held"].fillna(True).astype(bool)]  # noqa: FBT003 - a value
    if memories.empty:
        # Members of a population without a memory, such as households, have none.
        if "memories" in run.tables:
            out.print(f"({life.population} {life.agent} has no memories)")
        else:
            out.print("(the run did not record memories: record.tables says what is recorded)")
        return
    columns = ["id", "time", "imp."]
    if query is None:
        title = f"The latest {min(k, len(memories))} of {len(memories)} memories"
        best, last = memories.tail(k), ["recalled"]
    else:
        # A query needs the society's memory and with it Mesa, whose import takes a second.
        from memopolis.analysis.interview.restored_agent import restore_agent

        title = f"Memories ranked by {query!r}, of {len(memories)}"
        scores = restore_agent(run, life.agent).search(query, k=k)
        best, last = memories.loc[scores.index], ["rec.", "rel.", "score"]
    shown = table(escape(title), *columns, *last, "memory", numbers=("id", *columns[2:], *last))
    for place, (number, one) in enumerate(best.iterrows()):
        if query is None:
            numbers = [_accesses(one)]
        else:
            score = scores.iloc[place]
            numbers = [f"{score[name]:.2f}" for name in ("recency", "relevance", "score")]
        words = f"{escape(_with_times(run, one, days))} [dim]({escape(str(one['topic']))})[/]"
        cells = (str(number), f"{one['time']:{days} %H:%M}", f"{one['importance']:.2f}")
        shown.add_row(*cells, *numbers, words)
    out.print(shown)


def _with_times(run: Run, one: pd.Series, days: str) -> str:
    """Return the text of a memory, and how often it happened if it stands for several occasions."""
    text, times = str(one["text"]), one.get("times")
    if times is None or pd.isna(times) or times < 2:
        return text
    first = run.time_of(pd.Series([one["since"]])).iloc[0]
    year = f" {first.year}" if "%Y" in days else ""
    return describe_occasions(text, int(times), f"{first.day} {first:%B}{year}")


def _accesses(one: pd.Series) -> str:
    accesses = one.get("accesses")
    return "-" if accesses is None or pd.isna(accesses) else f"{accesses} x"


def _thoughts(out: Console, life: Life, k: int, days: str) -> None:
    if life.thoughts.empty:
        return
    out.print("[bold]Thoughts[/]")
    thoughts: Iterable[Any] = life.thoughts.tail(k).itertuples()
    for thought in thoughts:
        # Only people have emotions, not firms and governments.
        aside = f" [dim]({thought.emotion})[/]" if thought.emotion else ""
        words = f"{thought.time:{days} %H:%M}  {escape(str(thought.text))}{aside}"
        out.print(Padding(words, (0, 0, 0, 2)))
    out.print()


def _decisions(out: Console, life: Life, k: int, days: str) -> None:
    if life.decisions.empty:
        return
    rest = life.decisions["evidence"].str.len() > 0
    done = life.decisions["draw"] < life.decisions["probability"]
    if done.any():
        out.print("[bold]Decisions carried out by a draw[/]")
    for row in life.decisions[done].tail(k).itertuples():
        print_decision(out, row, days)
    out.print("[bold]Decisions and the memories they are based on[/]")
    for row in life.decisions[rest & ~done].tail(k).itertuples():
        print_decision(out, row, days)
    others = life.decisions[~rest]["kind"].value_counts()
    if len(others):
        counts = ", ".join(f"{count} x {kind}" for kind, count in others.items() if count)
        out.print(f"Decisions based on no memory: {counts}")


def _shown(name: str, value: object, declared: Declared) -> str:
    """Format the value of an attribute with its unit, or a need in words."""
    return "-" if value is None else format_status(name, value, declared.get(name, {}))


def _show_step(run: Run, life: Life, step: int) -> None:
    """Print an agent's decisions in a step: recalled memories, prompt, answer, applied decision."""
    steps = int(run.manifest["ticks"])
    if step >= steps:
        raise UnknownNameError(f"the run has no step {step}; it has 0 to {steps - 1}")
    when = run.time_of(pd.Series([step]))[0]
    out = stdout_console()
    moment = f", step {step}: {when:%d %b %Y %H:%M}"
    print_agent(out, life.name, f"{life.population} {life.agent}", moment)
    decisions = _of_step(life.decisions, when)
    thoughts = _of_step(life.thoughts, when)
    for row in decisions.itertuples():
        _print_decided(out, *describe_decision(row), row)
    for row in thoughts.itertuples():
        _print_decided(out, "thought", str(row.text), row)
    calls = _calls(run, life.agent, step)
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
    fault = str(getattr(call, "fault", "") or "")
    outcome = f"{call.outcome} ({escape(fault)})" if fault else call.outcome
    out.print(f"\n[bold]Asked by {escape(str(call.block))}[/]{again}: {outcome}, {spent}")
    out.print(Padding(escape(str(call.prompt)), (0, 0, 0, 2)))
    out.print("[bold]Answered[/]")
    answer = "(nothing)" if pd.isna(call.answer) else str(call.answer)
    out.print(Padding(escape(answer), (0, 0, 0, 2)))
