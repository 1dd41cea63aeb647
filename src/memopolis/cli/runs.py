"""Commands that run a scenario: new runs, the page, and runs that start from others."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from memopolis.cli import options as opt
from memopolis.cli.options import allowed_names, exit_unless, model_settings, setting_changes

app = typer.Typer(rich_markup_mode=None)


@app.command()
def run(
    *,
    scenario: opt.Scenario,
    agents: opt.Agents = None,
    seed: opt.Seed = None,
    days: opt.Days = None,
    sets: opt.Sets = None,
    settings: opt.Settings = None,
    out: opt.Out = None,
    report: opt.Report = True,
    mind: opt.Mind = None,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    cassette: opt.Cassette = None,
    budget_tokens: opt.BudgetTokens = None,
    budget_calls: opt.BudgetCalls = None,
    estimate: Annotated[
        bool,
        Option("--estimate", help="Only estimate model calls, tokens and cost; record no run."),
    ] = False,
    force: opt.Force = False,
) -> None:
    """Run a scenario and record it in a folder."""
    from memopolis.commands.run import RunOptions, estimate_scenario, run_scenario

    server = model_settings(model, base_url, cassette, budget_tokens, budget_calls)
    changes = setting_changes(sets, agents=agents, days=days, mind=mind, **server)
    options = RunOptions(scenario, changes, seed, settings, out, report=report, force=force)
    if estimate:
        estimate_scenario(options)
    else:
        run_scenario(options)


@app.command()
def dashboard(
    *,
    names: Annotated[
        list[str],
        Argument(
            metavar="SCENARIO | RUN...",
            help="A scenario, such as hurricane, or file.py:Class; or folders of runs, arms, "
            "comparisons or sweeps.",
        ),
    ],
    agents: opt.Agents = None,
    seed: opt.Seed = None,
    days: opt.Days = None,
    sets: opt.Sets = None,
    settings: opt.Settings = None,
    out: opt.Out = None,
    mind: opt.Mind = None,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    cassette: opt.Cassette = None,
    budget_tokens: opt.BudgetTokens = None,
    budget_calls: opt.BudgetCalls = None,
    host: Annotated[
        str, Option(metavar="ADDRESS", help="Address to listen on; the default is local only.")
    ] = "127.0.0.1",
    port: Annotated[
        int, Option(metavar="N", min=0, max=65535, help="Port; the next free one if it is in use.")
    ] = 8765,
    opened: Annotated[bool, Option("--open/--no-open", help="Open a browser.")] = True,
    force: opt.Force = False,
) -> None:
    """Watch and steer a run in the browser, or replay runs.

    Name a scenario to simulate it, a run folder to replay it, or several to compare them.
    """
    from memopolis.commands.run import RunOptions
    from memopolis.dashboard.address import Address
    from memopolis.dashboard.command import show_dashboard

    server = model_settings(model, base_url, cassette, budget_tokens, budget_calls)
    changes = setting_changes(sets, agents=agents, days=days, mind=mind, **server)
    options = RunOptions(names[0], changes, seed, settings, out, force=force)
    show_dashboard(names, options, Address(host, port), opened=opened)


@app.command()
def resume(
    *,
    folder: opt.RunFolder,
    days: Annotated[
        str | None, Option(metavar="N", help="New total length of the run in days.")
    ] = None,
    scenario: opt.Reference = None,
    sets: opt.Repeated = None,
    base_url: opt.BaseUrl = None,
    trust: opt.TrustAll = False,
    report: opt.Report = True,
    force: opt.Force = False,
) -> None:
    """Resume an interrupted run, or extend a finished one."""
    from memopolis.commands.from_run import FromRun, resume_run

    allowed = allowed_names(scenario, sets, base_url, trust=trust)
    resume_run(FromRun(folder, allowed, report=report, force=force), days)


@app.command()
def fork(
    *,
    folder: opt.RunFolder,
    at: Annotated[str, Option(metavar="STEP", help="Step or date from which the fork diverges.")],
    sets: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting from that step on; or repeat one that names a file or a server "
            "to allow it.",
        ),
    ] = None,
    out: Annotated[
        Path | None, Option(metavar="DIR", help="Output folder; RUN-fork-N if omitted.")
    ] = None,
    scenario: opt.Reference = None,
    base_url: opt.BaseUrl = None,
    trust: opt.TrustAll = False,
    report: opt.Report = True,
    force: opt.Force = False,
) -> None:
    """Continue a copy of a run with other settings.

    The fork has the same past and the same random seed.
    """
    from memopolis.commands.from_run import FromRun, fork_run

    allowed = allowed_names(scenario, sets, base_url, trust=trust)
    fork_run(FromRun(folder, allowed, out, report=report, force=force), at)


@app.command()
def repeat(
    *,
    folder: opt.RunFolder,
    out: Annotated[
        Path | None, Option(metavar="DIR", help="Output folder; RUN-repeat-N if omitted.")
    ] = None,
    scenario: opt.Reference = None,
    sets: opt.Repeated = None,
    base_url: opt.BaseUrl = None,
    trust: opt.TrustAll = False,
    report: opt.Report = True,
    force: opt.Force = False,
) -> None:
    """Reproduce a run from its manifest and compare tables.

    Exits with code 1 if the tables are not identical.
    """
    from memopolis.commands.from_run import FromRun, repeat_run

    allowed = allowed_names(scenario, sets, base_url, trust=trust)
    exit_unless(repeat_run(FromRun(folder, allowed, out, report=report, force=force)))


@app.command()
def scenarios(
    *,
    name: Annotated[
        str | None, Argument(metavar="NAME", help="Show only this scenario; may be file.py:Class.")
    ] = None,
    markdown: Annotated[bool, Option("--markdown", help="Print Markdown tables.")] = False,
) -> None:
    """List scenarios and their settings.

    The list has the type, range, default and source of each setting.
    """
    from memopolis.commands.scenarios import list_scenarios

    list_scenarios(name, markdown=markdown)


@app.command(name="compile")
def compile_kernels() -> None:
    """Compile all kernels so that the first run starts faster."""
    from memopolis.commands.compile import compile_all

    compile_all()
