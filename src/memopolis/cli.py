"""The command line: `memopolis run hurricane`. Each command's work is in `commands/`.

Nothing heavy is imported here, so that `memopolis --help` answers at once.
"""

import errno
import sys
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from memopolis.sim.errors import MemopolisError, reason_of
from memopolis.sim.running.stopping import INTERRUPTED

WRONG_INPUT = 2
"""Exit code of anything the user can put right."""

# Typer keeps this class to itself; BadParameter, which it gives, is a subclass.
_UsageError = cast("type[Exception]", typer.BadParameter.__mro__[1])


class _Commands(TyperGroup):
    """Commands whose mistakes are one line on standard error."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; give a mistake as one line and its exit code."""
        try:
            return super().invoke(ctx)
        except MemopolisError as error:
            raise _complaint(str(error), WRONG_INPUT) from None
        except _UsageError as error:
            message = getattr(error, "message", str(error)).rstrip(".")
            told = getattr(error, "format_message", lambda: message)().rstrip(".")
            path = getattr(getattr(error, "ctx", None), "command_path", "memopolis")
            raise _complaint(f"{told}; see `{path} --help`", WRONG_INPUT) from None
        except KeyboardInterrupt as stopped:
            code = getattr(stopped, "code", INTERRUPTED)
            raise _complaint(str(stopped) or "interrupted", code) from None
        except ImportError as error:
            # Compiled code tells of a ctrl-C that came while it was imported as of its failing.
            if not _was_stopped(error):
                raise
            raise _complaint("interrupted", INTERRUPTED) from None
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            where = error.filename or "a file"
            raise _complaint(f"{where}: {reason_of(error)}", WRONG_INPUT) from None


def _was_stopped(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _complaint(message: str, code: int) -> typer.Exit:
    sys.stdout.flush()
    sys.stderr.write(f"memopolis: {' '.join(message.split())}\n")
    return typer.Exit(code)


app = typer.Typer(
    cls=_Commands,
    name="memopolis",
    help="A society that remembers: agent-based simulation with memory for every agent.",
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
        help="The run's scenario, where its file was moved, as file.py:Class.",
    ),
]
_Report = Annotated[bool, typer.Option(help="Write report.html at the end.")]
_Agents = Annotated[str | None, typer.Option(metavar="N", help="How many citizens.")]
_Model = Annotated[str | None, typer.Option(metavar="NAME", help="Name of the model.")]
_BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Server with an OpenAI-compatible API.")
]
_Cassette = Annotated[
    str | None, typer.Option(metavar="FILE", help="Record answers here, or replay them.")
]
_BudgetTokens = Annotated[
    str | None, typer.Option(metavar="N", help="Most tokens of the model, then the fallback.")
]
_BudgetCalls = Annotated[
    str | None, typer.Option(metavar="N", help="Most calls of the model, then the fallback.")
]
_AgentId = Annotated[int, typer.Option(metavar="ID", help="Number (unique_id) of the agent.")]
_Workers = Annotated[
    int | None, typer.Option(min=1, help="Processes; as many as cores if left out.")
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
        str | None, typer.Option(metavar="N", help="Names the run's luck; drawn if left out.")
    ] = None,
    days: Annotated[
        str | None, typer.Option(metavar="N", help="Length of the run in days.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Any setting; may be given several times."),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings from a TOML file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder to make; runs/SCENARIO-SEED-N if left out."),
    ] = None,
    report: _Report = True,
    mind: Annotated[
        str | None,
        typer.Option(metavar="MIND", help="Who thinks: rule, llm, replay or archetype."),
    ] = None,
    model: _Model = None,
    base_url: _BaseUrl = None,
    cassette: _Cassette = None,
    budget_tokens: _BudgetTokens = None,
    budget_calls: _BudgetCalls = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only count what the model would be asked.")
    ] = False,
) -> None:
    """Run a scenario and record it in a folder."""
    from memopolis.commands.run import Asked, estimate_scenario, run_scenario

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
    given = [f"{key}={value}" for key, value in short.items() if value is not None]
    asked = Asked(scenario, (*given, *(sets or ())), seed, settings, out, report=report)
    if estimate:
        estimate_scenario(asked)
    else:
        run_scenario(asked)


@app.command()
def dashboard(
    *,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO | RUN [RUN]",
            help="A scenario, such as hurricane, or file.py:Class; or one or two folders of runs.",
        ),
    ],
    agents: _Agents = None,
    seed: Annotated[
        str | None, typer.Option(metavar="N", help="Names the run's luck; drawn if left out.")
    ] = None,
    days: Annotated[
        str | None, typer.Option(metavar="N", help="Length of the run in days.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Any setting; may be given several times."),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings from a TOML file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder to make; runs/SCENARIO-SEED-N if left out."),
    ] = None,
    mind: Annotated[
        str | None,
        typer.Option(metavar="MIND", help="Who thinks: rule, llm, replay or archetype."),
    ] = None,
    model: _Model = None,
    base_url: _BaseUrl = None,
    cassette: _Cassette = None,
    budget_tokens: _BudgetTokens = None,
    budget_calls: _BudgetCalls = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen at; this machine only.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Port, or the next that is free.")
    ] = 8765,
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")] = True,
) -> None:
    """Watch a scenario on a page and steer it; or replay one run, or two side by side."""
    from memopolis.commands.run import Asked
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
    given = [f"{key}={value}" for key, value in short.items() if value is not None]
    asked = Asked(names[0], (*given, *(sets or ())), seed, settings, out)
    show_dashboard(names, asked, Served(Address(host, port), opened))


@app.command()
def resume(
    *,
    folder: _Folder,
    days: Annotated[
        str | None, typer.Option(metavar="N", help="Length of the whole run in days, to go on.")
    ] = None,
    scenario: _Scenario = None,
    report: _Report = True,
) -> None:
    """Go on with a run that was killed or stopped, or for more days."""
    from memopolis.commands.resume import resume_run

    resume_run(folder, days=days, scenario=scenario, report=report)


@app.command()
def fork(
    *,
    folder: _Folder,
    at: Annotated[str, typer.Option(metavar="STEP", help="Steps after which it parts, or a date.")],
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting from then on."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder to make; RUN-fork-N if left out.")
    ] = None,
    scenario: _Scenario = None,
    report: _Report = True,
) -> None:
    """Branch a run: the same past and luck, other settings from a step on."""
    from memopolis.commands.fork import fork_run

    fork_run(folder, out, at=at, sets=tuple(sets or ()), scenario=scenario, report=report)


@app.command()
def repeat(
    *,
    folder: _Folder,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder to make; RUN-repeat-N if left out.")
    ] = None,
    scenario: _Scenario = None,
    report: _Report = True,
) -> None:
    """Make a run anew from its manifest, and say whether its tables are the same."""
    from memopolis.commands.repeat import repeat_run

    if not repeat_run(folder, out, scenario=scenario, report=report):
        raise typer.Exit(1)


@app.command()
def scenarios(
    *,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only this one; also file.py:Class.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print tables in Markdown.")] = False,
) -> None:
    """List scenarios with their settings: types, ranges, defaults, origins."""
    from memopolis.commands.scenarios import list_scenarios

    list_scenarios(name, markdown=markdown)


@app.command()
def show(
    *,
    folder: _Folder,
    agent: _AgentId,
    query: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Rank the memories by what they say of this.")
    ] = None,
    memories: Annotated[int, typer.Option(min=1, help="How many memories to print.")] = 20,
    step: Annotated[
        int | None, typer.Option(min=0, help="Only this step: prompts, answers, what was decided.")
    ] = None,
) -> None:
    """Print one agent's life: profile, status, memories, thoughts, decisions and evidence."""
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
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What is asked, in quotes.")],
    agent: _AgentId,
    memories: Annotated[int, typer.Option(min=1, help="Most memories it recalls.")] = 5,
    mind: Annotated[
        str, typer.Option(metavar="MIND", help="Who answers: rule, llm or replay.")
    ] = "rule",
    model: _Model = None,
    base_url: _BaseUrl = None,
    cassette: _Cassette = None,
) -> None:
    """Ask one agent something; it answers from its memories, which are listed."""
    from memopolis.commands.interview import interview_agent

    given = {"model": model, "base_url": base_url, "cassette": cassette}
    llm = {f"llm.{name}": value for name, value in given.items() if value is not None}
    interview_agent(folder, agent, question, memories, {"mind": mind, **llm})


@app.command()
def report(folder: _Folder) -> None:
    """Make the report of a run again."""
    from memopolis.commands.report import write

    typer.echo(write(folder))


@app.command()
def compare(
    *,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO | RUN_A RUN_B",
            help="A scenario, such as hurricane, or file.py:Class, with --arms; or two folders of "
            "runs.",
        ),
    ],
    arms: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Arms, the reference first: names that the scenario declares, or KEY=VALUE; "
            "several changes are joined by +.",
        ),
    ] = None,
    replications: Annotated[
        int | None, typer.Option(metavar="N", help="Runs of each arm; 10 if left out.")
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="N", help="The first seed, which all arms share; else 1.")
    ] = None,
    agents: _Agents = None,
    days: Annotated[
        str | None, typer.Option(metavar="N", help="Length of each run in days.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Any setting of all arms."),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings of all arms from a TOML file.")
    ] = None,
    outcomes: Annotated[
        str | None,
        typer.Option(metavar="X,Y,...", help="Measures, also as NAME@end, NAME@mean or NAME@sum."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the runs, of which those there already are used again; of two runs "
            "the folder of the page.",
        ),
    ] = None,
    workers: _Workers = None,
    confidence: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Of the intervals; 0.95 if left out."),
    ] = None,
) -> None:
    """Run arms of a scenario over the same seeds; or show where and when two runs part."""
    from memopolis.commands.compare import Wanted, compare_named

    short = {"agents": agents, "days": days}
    given = [f"{key}={value}" for key, value in short.items() if value is not None]
    wanted = Wanted(
        arms, replications, (*given, *(sets or ())), settings, seed, outcomes, workers, confidence
    )
    compare_named(names, wanted, out)


@app.command()
def sweep(
    *,
    design: Annotated[
        Path, typer.Argument(metavar="DESIGN", help="TOML file that says what is varied.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the sweep; sweeps/DESIGN if left out. Runs made there are kept.",
        ),
    ] = None,
    workers: _Workers = None,
    executor: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where runs are made: processes; dask or ray (extras), also as dask=ADDRESS.",
        ),
    ] = "processes",
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Make runs again that failed before.")
    ] = False,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Only a share of the runs, such as 2/8.")
    ] = None,
) -> None:
    """Make the runs of a design; the same command goes on where it stopped."""
    from memopolis.commands.sweep import Asked, sweep_design

    if not sweep_design(Asked(design, out, workers, executor, retry_failed, shard)):
        raise typer.Exit(1)


@app.command()
def merge(
    *,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to make, or to add to.")],
    shards: Annotated[list[Path], typer.Argument(metavar="SHARD...", help="Folders of shards.")],
) -> None:
    """Put shards of a sweep into one folder."""
    from memopolis.commands.merge import merge_shards

    if not merge_shards(out, shards):
        raise typer.Exit(1)


@app.command()
def query(
    *,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of a run or a sweep.")],
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One question, in quotes.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all rows here, .csv or .parquet."),
    ] = None,
    limit: Annotated[
        bool,
        typer.Option("--limit/--no-limit", help="At most ten minutes, 4 GB and a GB of answer."),
    ] = True,
) -> None:
    """Ask the tables of a run or a sweep in SQL (extra query)."""
    from memopolis.commands.query import answer

    answer(folder, sql, out, limited=limit)


@app.command()
def mcp(
    *,
    place: Annotated[
        Path, typer.Argument(metavar="RUN | FOLDER", help="Folder of a run, or of runs and sweeps.")
    ],
    write: Annotated[
        bool, typer.Option("--write", help="Serve tools that make runs there, too.")
    ] = False,
    mind: Annotated[
        str, typer.Option(metavar="MIND", help="Who answers interviews: rule, llm or replay.")
    ] = "rule",
    model: _Model = None,
    base_url: _BaseUrl = None,
    cassette: _Cassette = None,
) -> None:
    """Serve runs to an assistant over standard input and output (extra mcp)."""
    from memopolis.mcp_server.command import serve

    given = {"model": model, "base_url": base_url, "cassette": cassette}
    llm = {f"llm.{name}": value for name, value in given.items() if value is not None}
    serve(place, write=write, mind={} if mind == "rule" else {"mind": mind, **llm})


@app.command()
def sensitivity(
    *,
    folder: Annotated[Path, typer.Argument(metavar="SWEEP", help="Folder of a sweep.")],
    outcomes: Annotated[
        list[str] | None,
        typer.Option(
            "--outcome", metavar="NAME", help="An outcome or measure; the design's if left out."
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(metavar="SHARE", help="Of the intervals, such as 0.95.")
    ] = 0.95,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="The figure; its numbers go beside it as CSV."),
    ] = None,
) -> None:
    """Show what outcomes of a sweep depend on: Sobol indices, or Morris' effects."""
    from memopolis.commands.sensitivity import show_sensitivity

    show_sensitivity(folder, outcomes or [], confidence=confidence, out=out)


@app.command(name="compile")
def compile_kernels() -> None:
    """Compile the kernels, so that no run has to."""
    from memopolis.commands.compile import compile_all

    compile_all()


@app.command()
def validate(
    *,
    scenarios: Annotated[
        list[str] | None, typer.Argument(metavar="[SCENARIO]...", help="Which; all if left out.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=2, help="Seeds of each arm.")] = 10,
    agents: Annotated[
        int | None, typer.Option(min=1, help="Citizens of each run; else the scenario's own.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the runs; runs there already are used again."),
    ] = None,
    workers: _Workers = None,
    markdown: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the tables here, such as docs/validation.md."),
    ] = None,
) -> None:
    """Compare scenarios with real data, and with arms that lack what should matter."""
    from memopolis.commands.validate import PLANS, validate_scenarios

    holds = validate_scenarios(
        scenarios or PLANS,
        seeds=seeds,
        agents=agents,
        out=out,
        workers=workers,
        markdown=markdown,
    )
    if not holds:
        raise typer.Exit(1)
