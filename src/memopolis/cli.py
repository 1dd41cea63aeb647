"""The command line: `memopolis run hurricane`. Each command's work is in `commands/`.

Nothing heavy is imported here, so that `memopolis --help` answers at once.
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
from memopolis.sim.running.stopping import INTERRUPTED

if TYPE_CHECKING:
    from memopolis.sim.running.trust import Trust

WRONG_INPUT = 2
"""Exit code of anything the user can put right."""

# Typer keeps this class to itself; BadParameter, which it gives, is a subclass.
_UsageError = cast("type[Exception]", typer.BadParameter.__mro__[1])


class _Commands(TyperGroup):
    """Commands whose mistakes are one line on standard error."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; give a mistake as one line and its exit code."""
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
    """Report an error in one line, if it can be put right; raise any other unchanged."""
    # Compiled code reports a ctrl-C that came while it was imported as an ImportError.
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
            message = f"memory ran out{what}; set fewer agents or days, or close other programs"
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
    """Show warnings of the engine as one line each."""

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
        help="The run's scenario, if it is not installed, as file.py:Class.",
    ),
]
_Repeated = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting of the run that names a file or a server, repeated to allow it.",
    ),
]
_Trust = Annotated[
    bool,
    typer.Option(
        "--trust", help="Allow all code, files and servers that the run names; see SECURITY.md."
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
_Force = Annotated[
    bool, typer.Option("--force", help="Run even if it may need more memory than is available.")
]
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
    force: _Force = False,
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
    asked = Asked(
        scenario, (*given, *(sets or ())), seed, settings, out, report=report, force=force
    )
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
    force: _Force = False,
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
    asked = Asked(names[0], (*given, *(sets or ())), seed, settings, out, force=force)
    show_dashboard(names, asked, Served(Address(host, port), opened))


@app.command()
def resume(
    *,
    folder: _Folder,
    days: Annotated[
        str | None, typer.Option(metavar="N", help="Length of the whole run in days, to go on.")
    ] = None,
    scenario: _Scenario = None,
    sets: _Repeated = None,
    base_url: _BaseUrl = None,
    trust: _Trust = False,
    report: _Report = True,
    force: _Force = False,
) -> None:
    """Go on with a run that was killed or stopped, or for more days."""
    from memopolis.commands.resume import resume_run

    allowed = _allowed(scenario, sets, base_url, trust=trust)
    resume_run(folder, allowed, days=days, report=report, force=force)


@app.command()
def fork(
    *,
    folder: _Folder,
    at: Annotated[str, typer.Option(metavar="STEP", help="Steps after which it parts, or a date.")],
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="A setting from then on; or one that names a file or a server, repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder to make; RUN-fork-N if left out.")
    ] = None,
    scenario: _Scenario = None,
    base_url: _BaseUrl = None,
    trust: _Trust = False,
    report: _Report = True,
    force: _Force = False,
) -> None:
    """Branch a run: the same past and luck, other settings from a step on."""
    from memopolis.commands.fork import fork_run

    allowed = _allowed(scenario, sets, base_url, trust=trust)
    fork_run(folder, out, allowed, at=at, report=report, force=force)


@app.command()
def repeat(
    *,
    folder: _Folder,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder to make; RUN-repeat-N if left out.")
    ] = None,
    scenario: _Scenario = None,
    sets: _Repeated = None,
    base_url: _BaseUrl = None,
    trust: _Trust = False,
    report: _Report = True,
    force: _Force = False,
) -> None:
    """Make a run anew from its manifest, and say whether its tables are the same."""
    from memopolis.commands.repeat import repeat_run

    allowed = _allowed(scenario, sets, base_url, trust=trust)
    if not repeat_run(folder, out, allowed, report=report, force=force):
        raise typer.Exit(1)


def _allowed(
    scenario: str | None, sets: list[str] | None, base_url: str | None, *, trust: bool
) -> "Trust":
    """What the folder of a run may name, as typed."""
    from memopolis.sim.running.trust import Trust
    from memopolis.sim.settings import parse_sets

    given = [] if base_url is None else [f"llm.base_url={base_url}"]
    return Trust(parse_sets([*given, *(sets or ())]), scenario, everything=trust)


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
    force: _Force = False,
) -> None:
    """Run arms of a scenario over the same seeds; or show where and when two runs diverge."""
    from memopolis.commands.compare import Wanted, compare_named

    short = {"agents": agents, "days": days}
    given = [f"{key}={value}" for key, value in short.items() if value is not None]
    wanted = Wanted(
        arms,
        replications,
        (*given, *(sets or ())),
        settings,
        seed,
        outcomes,
        workers,
        confidence,
        force=force,
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
    force: _Force = False,
) -> None:
    """Make the runs of a design; the same command goes on where it stopped."""
    from memopolis.commands.sweep import Asked, sweep_design

    if not sweep_design(Asked(design, out, workers, executor, retry_failed, shard, force=force)):
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
def verify(
    *,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of a run or a sweep.")],
) -> None:
    """Compare all files of a run, or of a sweep's runs, with their checksums."""
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
