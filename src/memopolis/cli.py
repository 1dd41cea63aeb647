"""The command line: `memopolis run hurricane`. Each command's work is in `commands/`.

Nothing slow is imported here, so that `memopolis --help` starts quickly.
"""

import errno
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperGroup

from memopolis.commands.shown_text import harmless
from memopolis.sim.error_places import described, note_place, place_of
from memopolis.sim.errors import MemopolisError, reason_of
from memopolis.sim.recording.stopping import INTERRUPTED

if TYPE_CHECKING:
    from memopolis.sim.running.trust import Trust

WRONG_INPUT = 2
"""Exit code of any error that the user can fix."""

# Typer does not export this class; BadParameter, which it exports, is a subclass.
_UsageError = cast("type[Exception]", typer.BadParameter.__mro__[1])


class _Commands(TyperGroup):
    """Commands that report errors in one line on standard error."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; report an error in one line and exit with its code."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _warn(warnings.showwarning)
                return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            code = getattr(stopped, "code", INTERRUPTED)
            raise _complaint(str(stopped) or "interrupted", code) from None
        except Exception as error:  # noqa: BLE001 - `_exit_of` raises again what it cannot report
            raise _exit_of(error) from None


def _exit_of(error: Exception) -> typer.Exit:
    """Report an error in one line if the user can fix it; raise any other unchanged."""
    # Compiled code reports a ctrl-C during its import as an ImportError.
    if isinstance(error, ImportError) and _was_stopped(error):
        return _complaint("interrupted", INTERRUPTED)
    note_place(error)
    match error:
        case MemopolisError():
            message = described(error)
        case _UsageError():
            message = _wrong_usage(error)
        case UnicodeEncodeError() if error.reason == "surrogates not allowed":
            message = f"{error.object!a} is not valid UTF-8; rename it"
        case OSError() if error.errno != errno.EPIPE:
            place = place_of(error)
            message = f"{error.filename or 'a file'}: {reason_of(error)}"
            message += f"; {place}" if place else ""
        case MemoryError():
            what = f" ({error})" if str(error) else ""
            message = f"out of memory{what}; set fewer agents or days, or close other programs"
        case _ if place_of(error):  # raised by the user's own code
            message = described(error)
        case _:
            raise error
    return _complaint(message, WRONG_INPUT)


def _wrong_usage(error: Exception) -> str:
    message = getattr(error, "message", str(error)).rstrip(".")
    line = getattr(error, "format_message", lambda: message)().rstrip(".")
    path = getattr(getattr(error, "ctx", None), "command_path", "memopolis")
    return f"{line}; see `{path} --help`"


def _warn(otherwise: Callable[..., None]) -> Callable[..., None]:
    """Show each warning of the engine in one line."""

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, RuntimeWarning):
            sys.stderr.write(f"memopolis: {harmless(' '.join(str(message).split()))}\n")
        else:
            otherwise(message, category, *where, **more)

    return show


def _was_stopped(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _complaint(message: str, code: int) -> typer.Exit:
    sys.stdout.flush()
    sys.stderr.write(f"memopolis: {harmless(' '.join(message.split()))}\n")
    return typer.Exit(code)


app = typer.Typer(
    cls=_Commands,
    name="memopolis",
    help="Agent-based simulation of societies in which every agent has a memory.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)

_Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
_Scenario = Annotated[
    str | None,
    typer.Option(
        "--scenario",
        metavar="NAME",
        help="The run's scenario as file.py:Class, if it is not installed.",
    ),
]
_Repeated = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Allow a file or server that the run's settings name, by repeating that setting.",
    ),
]
_Trust = Annotated[
    bool,
    typer.Option(
        "--trust", help="Allow all code, files and servers that the run names; see SECURITY.md."
    ),
]
_Report = Annotated[bool, typer.Option(help="Write report.html at the end.")]
_Agents = Annotated[str | None, typer.Option(metavar="N", help="Number of citizens.")]
_Model = Annotated[str | None, typer.Option(metavar="NAME", help="Name of the model.")]
_BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="URL of a server with an OpenAI-compatible API.")
]
_Cassette = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="File in which answers are recorded, or from which they are replayed."
    ),
]
_BudgetTokens = Annotated[
    str | None,
    typer.Option(
        metavar="N", help="Maximum number of tokens; the fallback mind answers beyond it."
    ),
]
_BudgetCalls = Annotated[
    str | None,
    typer.Option(
        metavar="N", help="Maximum number of model calls; the fallback mind answers beyond it."
    ),
]
_AgentId = Annotated[int, typer.Option(metavar="ID", help="Number (unique_id) of the agent.")]
_Force = Annotated[
    bool, typer.Option("--force", help="Run even if it may need more memory than is available.")
]
_Workers = Annotated[
    int | None, typer.Option(min=1, help="Number of processes; one per core if omitted.")
]


@app.command()
def run(
    *,
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO", help="A scenario, such as hurricane, or file.py:Class."),
    ],
    agents: _Agents = None,
    seed: Annotated[
        str | None, typer.Option(metavar="N", help="Random seed; chosen at random if omitted.")
    ] = None,
    days: Annotated[
        str | None, typer.Option(metavar="N", help="Length of the run in days.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Read settings from a TOML file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Output folder; runs/SCENARIO-SEED-N if omitted."),
    ] = None,
    report: _Report = True,
    mind: Annotated[
        str | None,
        typer.Option(metavar="MIND", help="How agents decide: rule, llm, replay or archetype."),
    ] = None,
    model: _Model = None,
    base_url: _BaseUrl = None,
    cassette: _Cassette = None,
    budget_tokens: _BudgetTokens = None,
    budget_calls: _BudgetCalls = None,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate", help="Only estimate model calls, tokens and cost; record no run."
        ),
    ] = False,
    force: _Force = False,
) -> None:
    """Run a scenario and record it in a folder."""
    from memopolis.commands.run import RunOptions, estimate_scenario, run_scenario

    short = {
        "agents": agents,
        "days": days,
        "mind": mind,
        "llm.model": model,
        "llm.base_url": base_url,
        "llm.cassette": cassette,
        "llm.budget_tokens": budget_tokens,
        "llm.budget_calls": budget_calls,
    }
    changes = [f"{key}={value}" for key, value in short.items() if value is not None]
    options = RunOptions(
        scenario, (*changes, *(sets or ())), seed, settings, out, report=report, force=force
    )
    if estimate:
        estimate_scenario(options)
    else:
        run_scenario(options)


@app.command()
def dashboard(
    *,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO | RUN [RUN]",
            help="A scenario, such as hurricane, or file.py:Class; or one or two run folders.",
        ),
    ],
    agents: _Agents = None,
    seed: Annotated[
        str | None, typer.Option(metavar="N", help="Random seed; chosen at random if omitted.")
    ] = None,
    days: Annotated[
        str | None, typer.Option(metavar="N", help="Length of the run in days.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Read settings from a TOML file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Output folder; runs/SCENARIO-SEED-N if omitted."),
    ] = None,
    mind: Annotated[
        str | None,
        typer.Option(metavar="MIND", help="How agents decide: rule, llm, replay or archetype."),
    ] = None,
    model: _Model = None,
    base_url: _BaseUrl = None,
    cassette: _Cassette = None,
    budget_tokens: _BudgetTokens = None,
    budget_calls: _BudgetCalls = None,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address to listen on; the default is local only."),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=65535, help="Port; the next free one if it is in use."
        ),
    ] = 8765,
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")] = True,
    force: _Force = False,
) -> None:
    """Watch and steer a run in the browser, or replay runs.

    Name a scenario to simulate it, one run folder to replay it, or two to replay them side by side.
    """
    from memopolis.commands.run import RunOptions
    from memopolis.dashboard.address import Address
    from memopolis.dashboard.command import Served, show_dashboard

    short = {
        "agents": agents,
        "days": days,
        "mind": mind,
        "llm.model": model,
        "llm.base_url": base_url,
        "llm.cassette": cassette,
        "llm.budget_tokens": budget_tokens,
        "llm.budget_calls": budget_calls,
    }
    changes = [f"{key}={value}" for key, value in short.items() if value is not None]
    options = RunOptions(names[0], (*changes, *(sets or ())), seed, settings, out, force=force)
    show_dashboard(names, options, Served(Address(host, port), opened))


@app.command()
def resume(
    *,
    folder: _Folder,
    days: Annotated[
        str | None, typer.Option(metavar="N", help="New total length of the run in days.")
    ] = None,
    scenario: _Scenario = None,
    sets: _Repeated = None,
    base_url: _BaseUrl = None,
    trust: _Trust = False,
    report: _Report = True,
    force: _Force = False,
) -> None:
    """Resume an interrupted run, or extend a finished one."""
    from memopolis.commands.resume import resume_run

    allowed = _allowed(scenario, sets, base_url, trust=trust)
    resume_run(folder, allowed, days=days, report=report, force=force)


@app.command()
def fork(
    *,
    folder: _Folder,
    at: Annotated[
        str, typer.Option(metavar="STEP", help="Step or date from which the fork diverges.")
    ],
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting from that step on; or repeat one that names a file or a server "
            "to allow it.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Output folder; RUN-fork-N if omitted.")
    ] = None,
    scenario: _Scenario = None,
    base_url: _BaseUrl = None,
    trust: _Trust = False,
    report: _Report = True,
    force: _Force = False,
) -> None:
    """Continue a copy of a run with other settings.

    The fork has the same past and the same random seed.
    """
    from memopolis.commands.fork import fork_run

    allowed = _allowed(scenario, sets, base_url, trust=trust)
    fork_run(folder, out, allowed, at=at, report=report, force=force)


@app.command()
def repeat(
    *,
    folder: _Folder,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Output folder; RUN-repeat-N if omitted.")
    ] = None,
    scenario: _Scenario = None,
    sets: _Repeated = None,
    base_url: _BaseUrl = None,
    trust: _Trust = False,
    report: _Report = True,
    force: _Force = False,
) -> None:
    """Reproduce a run from its manifest and compare tables.

    Exits with code 1 if the tables are not identical.
    """
    from memopolis.commands.repeat import repeat_run

    allowed = _allowed(scenario, sets, base_url, trust=trust)
    if not repeat_run(folder, out, allowed, report=report, force=force):
        raise typer.Exit(1)


def _allowed(
    scenario: str | None, sets: list[str] | None, base_url: str | None, *, trust: bool
) -> "Trust":
    """Return what the run's folder may name, from the command line."""
    from memopolis.sim.running.trust import Trust
    from memopolis.sim.settings import parse_sets

    changes = [] if base_url is None else [f"llm.base_url={base_url}"]
    return Trust(parse_sets([*changes, *(sets or ())]), scenario, everything=trust)


@app.command()
def scenarios(
    *,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Show only this scenario; may be file.py:Class."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")] = False,
) -> None:
    """List scenarios and their settings.

    The list has the type, range, default and source of each setting.
    """
    from memopolis.commands.scenarios import list_scenarios

    list_scenarios(name, markdown=markdown)


@app.command()
def show(
    *,
    folder: _Folder,
    agent: _AgentId,
    query: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Rank the agent's memories by relevance to this text."),
    ] = None,
    memories: Annotated[int, typer.Option(min=1, help="Number of memories to print.")] = 20,
    step: Annotated[
        int | None,
        typer.Option(min=0, help="Show only this step: its prompts, answers and decisions."),
    ] = None,
) -> None:
    """Show the life of one agent.

    Prints its profile, status, memories, thoughts, and decisions with their evidence.
    """
    if step is not None:
        from memopolis.commands.show_step import show_step

        show_step(folder, agent, step)
        return
    from memopolis.commands.show import show_life

    show_life(folder, agent, query, memories)


@app.command()
def interview(
    *,
    folder: _Folder,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question, in quotes.")],
    agent: _AgentId,
    memories: Annotated[int, typer.Option(min=1, help="Maximum number of recalled memories.")] = 5,
    mind: Annotated[
        str, typer.Option(metavar="MIND", help="How the agent answers: rule, llm or replay.")
    ] = "rule",
    model: _Model = None,
    base_url: _BaseUrl = None,
    cassette: _Cassette = None,
) -> None:
    """Interview one agent from a saved run.

    The answer is based on the agent's memories, which are listed. The run is not changed.
    """
    from memopolis.commands.interview import interview_agent

    llm_options = {"model": model, "base_url": base_url, "cassette": cassette}
    llm = {f"llm.{name}": value for name, value in llm_options.items() if value is not None}
    interview_agent(folder, agent, question, memories, {"mind": mind, **llm})


@app.command()
def report(folder: _Folder) -> None:
    """Write the report of a run, replacing an earlier one."""
    from memopolis.commands.report import write

    typer.echo(write(folder))


@app.command()
def compare(
    *,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO | RUN_A RUN_B",
            help="A scenario, such as hurricane, or file.py:Class, with --arms; or two run "
            "folders.",
        ),
    ],
    arms: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Arms, reference first: names that the scenario declares, or KEY=VALUE; join "
            "several changes with +.",
        ),
    ] = None,
    replications: Annotated[
        int | None, typer.Option(metavar="N", help="Number of runs per arm; 10 if omitted.")
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="First random seed; all arms use the same seeds. 1 if omitted."
        ),
    ] = None,
    agents: _Agents = None,
    days: Annotated[
        str | None, typer.Option(metavar="N", help="Length of each run in days.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a setting of all arms; may be repeated."
        ),
    ] = None,
    settings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Read settings of all arms from a TOML file."),
    ] = None,
    outcomes: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,...",
            help="Outcomes to compare: names of measures, or NAME@end, NAME@mean or NAME@sum.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Output folder; finished runs in it are reused. For two runs, the folder of the "
            "comparison page.",
        ),
    ] = None,
    workers: _Workers = None,
    confidence: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Confidence level of the intervals; 0.95 if omitted."),
    ] = None,
    force: _Force = False,
) -> None:
    """Compare arms of a scenario, or two runs.

    Arms run over the same random seeds. For two runs, shows where and when they diverge.
    """
    from memopolis.commands.compare import CompareOptions, compare_named

    short = {"agents": agents, "days": days}
    changes = [f"{key}={value}" for key, value in short.items() if value is not None]
    options = CompareOptions(
        arms,
        replications,
        (*changes, *(sets or ())),
        settings,
        seed,
        outcomes,
        workers,
        confidence,
        force=force,
    )
    compare_named(names, options, out)


@app.command()
def sweep(
    *,
    design: Annotated[
        Path, typer.Argument(metavar="DESIGN", help="TOML file with the factors to vary.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Output folder; sweeps/DESIGN if omitted. Finished runs in it are kept.",
        ),
    ] = None,
    workers: _Workers = None,
    executor: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where to run: processes, dask or ray; or dask=ADDRESS. dask and ray are extras.",
        ),
    ] = "processes",
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Retry runs that failed before.")
    ] = False,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Run only one shard, such as 2/8.")
    ] = None,
    force: _Force = False,
) -> None:
    """Run all runs of a design.

    Repeat the command to continue an interrupted sweep.
    """
    from memopolis.commands.sweep import SweepOptions, sweep_design

    options = SweepOptions(design, out, workers, executor, retry_failed, shard, force=force)
    if not sweep_design(options):
        raise typer.Exit(1)


@app.command()
def merge(
    *,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to create or add to.")],
    shards: Annotated[list[Path], typer.Argument(metavar="SHARD...", help="Folders of shards.")],
) -> None:
    """Merge the shards of a sweep into one folder."""
    from memopolis.commands.merge import merge_shards

    if not merge_shards(out, shards):
        raise typer.Exit(1)


@app.command()
def query(
    *,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of a run or a sweep.")],
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SQL query, in quotes.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all rows to this .csv or .parquet file."),
    ] = None,
    limit: Annotated[
        bool,
        typer.Option(
            "--limit/--no-limit",
            help="Limit the query to 10 minutes, 4 GB of memory and 1 GB of rows.",
        ),
    ] = True,
) -> None:
    """Query the tables of a run or a sweep with SQL.

    Needs the extra `query`.
    """
    from memopolis.commands.query import answer

    answer(folder, sql, out, limited=limit)


@app.command()
def verify(
    *,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of a run or a sweep.")],
) -> None:
    """Verify the checksums of all files of a run or sweep."""
    from memopolis.commands.verify import verify_folder

    if not verify_folder(folder):
        raise typer.Exit(1)


@app.command()
def mcp(
    *,
    place: Annotated[
        Path, typer.Argument(metavar="RUN | FOLDER", help="Folder of a run, or of runs and sweeps.")
    ],
    write: Annotated[
        bool, typer.Option("--write", help="Also offer tools that create runs in the folder.")
    ] = False,
    mind: Annotated[
        str, typer.Option(metavar="MIND", help="How agents answer interviews: rule, llm or replay.")
    ] = "rule",
    model: _Model = None,
    base_url: _BaseUrl = None,
    cassette: _Cassette = None,
) -> None:
    """Serve runs to an AI assistant (Model Context Protocol).

    The server uses standard input and output. Needs the extra `mcp`.
    """
    from memopolis.mcp_server.command import serve

    llm_options = {"model": model, "base_url": base_url, "cassette": cassette}
    llm = {f"llm.{name}": value for name, value in llm_options.items() if value is not None}
    serve(place, write=write, mind={} if mind == "rule" else {"mind": mind, **llm})


@app.command()
def sensitivity(
    *,
    folder: Annotated[Path, typer.Argument(metavar="SWEEP", help="Folder of a sweep.")],
    outcomes: Annotated[
        list[str] | None,
        typer.Option(
            "--outcome",
            metavar="NAME",
            help="An outcome or measure; may be repeated. The design's outcomes if omitted.",
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence level of the intervals.")
    ] = 0.95,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.png",
            help="Output figure; SWEEP/sensitivity.png if omitted. A CSV file of the same name has "
            "its numbers.",
        ),
    ] = None,
) -> None:
    """Compute the sensitivity indices of a sweep.

    Shows which factors the outcomes depend on: Sobol indices or Morris effects.
    """
    from memopolis.commands.sensitivity import show_sensitivity

    show_sensitivity(folder, outcomes or [], confidence=confidence, out=out)


@app.command(name="compile")
def compile_kernels() -> None:
    """Compile all kernels so that the first run starts faster."""
    from memopolis.commands.compile import compile_all

    compile_all()


@app.command()
def validate(
    *,
    scenarios: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SCENARIO]...", help="Scenarios to validate; all if omitted."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=2, help="Number of seeds per arm.")] = 10,
    agents: Annotated[
        int | None, typer.Option(min=1, help="Citizens per run; set by the scenario if omitted.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Output folder; finished runs in it are reused."),
    ] = None,
    workers: _Workers = None,
    markdown: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the tables to this Markdown file."),
    ] = None,
) -> None:
    """Compare scenarios with real data and with null arms.

    A null arm is a run without the mechanism under test. Exits with code 1 if a check fails.
    """
    from memopolis.commands.validate import PLANS, validate_scenarios

    passes = validate_scenarios(
        scenarios or PLANS,
        seeds=seeds,
        agents=agents,
        out=out,
        workers=workers,
        markdown=markdown,
    )
    if not passes:
        raise typer.Exit(1)
