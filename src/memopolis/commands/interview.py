"""`memopolis interview`: ask one agent of a saved run a question."""

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from memopolis.analysis import load_run
from memopolis.analysis.interview.answering import Interview
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.labels import day_form
from memopolis.analysis.run.run import Run
from memopolis.commands.options.reading import InterviewOptions
from memopolis.commands.show import print_agent, print_decision
from memopolis.commands.terminal import short, stdout_console, table


def interview_agent(options: InterviewOptions) -> None:
    """Print an answer and its evidence."""
    run, agent = load_run(options.folder), options.agent
    asked = restore_agent(run, agent, options.mind_settings)
    answered = asked.interview(options.question, memories=options.memories)
    out = stdout_console()
    print_agent(out, answered.name, f"{run.population_of(agent)} {agent}", f" of {options.folder}")
    out.print(f"[bold]{escape(options.question)}[/]")
    how = f"{answered.mind}: {answered.fault}" if answered.fault else answered.mind
    out.print(Padding(f"{escape(answered.text)} [dim]({escape(how)})[/]", (0, 0, 0, 2)))
    if options.details:
        _print_details(out, run, answered)
    _print_evidence(out, answered.evidence)


def _print_details(out: Console, run: Run, answered: Interview) -> None:
    """Print the answer and the decisions on its subject as recorded."""
    if answered.details:
        out.print("[bold]Details[/]")
        out.print(Padding(escape(answered.details), (0, 0, 0, 2)))
    if len(answered.decisions):
        out.print("[bold]Decisions on this subject[/]")
    days = day_form(run.start, run.end)
    for decision in answered.decisions.itertuples():
        print_decision(out, decision, days)


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
