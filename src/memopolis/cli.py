"""The command line: `memopolis run hurricane`. Each command's work is in `commands/`.

Nothing slow is imported here, so that `memopolis --help` starts quickly.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memopolis.commands.failures import Commands

if TYPE_CHECKING:
    from memopolis.sim.running.trust import Trust

# Matrices are small here: threads of the linear algebra library would only wait for each other,
# which doubles the processor time of a report.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

app = typer.Typer(
    cls=Commands,
    name="memopolis",
    help="Agent-based simulation of societies in which every agent has a memory.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)

_places = typer.Typer(
    help="Build places: zones, outlines, people and roads for the setting place.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(_places, name="place")

_Run = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
_Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of a run or a sweep.")]
_Reference = Annotated[
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
_Seed = Annotated[
    str | None, typer.Option(metavar="N", help="Random seed; chosen at random if omitted.")
]
_Agents = Annotated[
    str | None,
    typer.Option(
        metavar="N|all", help="Number of citizens, or all for one per resident of the place."
    ),
]
_Days = Annotated[str | None, typer.Option(metavar="N", help="Length of the run in days.")]
_Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated."),
]
_Settings = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Read settings from a TOML file.")
]
_Out = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Output folder; runs/SCENARIO-SEED-N if omitted.")
]
_Mind = Annotated[
    str | None,
    typer.Option(metavar="MIND", help="How agents decide: rule, llm, replay or archetype."),
]
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

_Executor = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Where to run: processes, dask or ray; or dask=ADDRESS. dask and ray are extras.",
    ),
]


@app.command()
def run(
    *,
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO", help="A scenario, such as hurricane, or file.py:Class."),
    ],
    agents: _Agents = None,
    seed: _Seed = None,
    days: _Days = None,
    sets: _Sets = None,
    settings: _Settings = None,
    out: _Out = None,
    report: _Report = True,
    mind: _Mind = None,
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

    model_settings = _model_settings(model, base_url, cassette, budget_tokens, budget_calls)
    changes = _changes(sets, agents=agents, days=days, mind=mind, **model_settings)
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
        typer.Argument(
            metavar="SCENARIO | RUN [RUN]",
            help="A scenario, such as hurricane, or file.py:Class; or one or two run folders.",
        ),
    ],
    agents: _Agents = None,
    seed: _Seed = None,
    days: _Days = None,
    sets: _Sets = None,
    settings: _Settings = None,
    out: _Out = None,
    mind: _Mind = None,
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
    from memopolis.dashboard.command import show_dashboard

    model_settings = _model_settings(model, base_url, cassette, budget_tokens, budget_calls)
    changes = _changes(sets, agents=agents, days=days, mind=mind, **model_settings)
    options = RunOptions(names[0], changes, seed, settings, out, force=force)
    show_dashboard(names, options, Address(host, port), opened=opened)


@app.command()
def resume(
    *,
    folder: _Run,
    days: Annotated[
        str | None, typer.Option(metavar="N", help="New total length of the run in days.")
    ] = None,
    scenario: _Reference = None,
    sets: _Repeated = None,
    base_url: _BaseUrl = None,
    trust: _Trust = False,
    report: _Report = True,
    force: _Force = False,
) -> None:
    """Resume an interrupted run, or extend a finished one."""
    from memopolis.commands.from_run import FromRun, resume_run

    allowed = _allowed(scenario, sets, base_url, trust=trust)
    resume_run(FromRun(folder, allowed, report=report, force=force), days)


@app.command()
def fork(
    *,
    folder: _Run,
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
    scenario: _Reference = None,
    base_url: _BaseUrl = None,
    trust: _Trust = False,
    report: _Report = True,
    force: _Force = False,
) -> None:
    """Continue a copy of a run with other settings.

    The fork has the same past and the same random seed.
    """
    from memopolis.commands.from_run import FromRun, fork_run

    allowed = _allowed(scenario, sets, base_url, trust=trust)
    fork_run(FromRun(folder, allowed, out, report=report, force=force), at)


@app.command()
def repeat(
    *,
    folder: _Run,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Output folder; RUN-repeat-N if omitted.")
    ] = None,
    scenario: _Reference = None,
    sets: _Repeated = None,
    base_url: _BaseUrl = None,
    trust: _Trust = False,
    report: _Report = True,
    force: _Force = False,
) -> None:
    """Reproduce a run from its manifest and compare tables.

    Exits with code 1 if the tables are not identical.
    """
    from memopolis.commands.from_run import FromRun, repeat_run

    allowed = _allowed(scenario, sets, base_url, trust=trust)
    _exit_unless(repeat_run(FromRun(folder, allowed, out, report=report, force=force)))


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
    folder: _Run,
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
    else:
        from memopolis.commands.show import show_life

        show_life(folder, agent, query, memories)


@app.command()
def interview(
    *,
    folder: _Run,
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

    settings = {"mind": mind, **_model_settings(model, base_url, cassette)}
    interview_agent(folder, agent, question, memories, settings)


@app.command()
def report(folder: _Run) -> None:
    """Write the report of a run, replacing an earlier one."""
    from memopolis.analysis import write_report

    typer.echo(write_report(folder))


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
    days: _Days = None,
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

    options = CompareOptions(
        arms,
        replications,
        _changes(sets, agents=agents, days=days),
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
    executor: _Executor = "processes",
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
    from memopolis.commands.sweep import sweep_design

    success = sweep_design(
        design,
        out,
        workers=workers,
        executor=executor,
        retry_failed=retry_failed,
        shard=shard,
        force=force,
    )
    _exit_unless(success)


@app.command()
def merge(
    *,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to create or add to.")],
    shards: Annotated[list[Path], typer.Argument(metavar="SHARD...", help="Folders of shards.")],
) -> None:
    """Merge the shards of a sweep into one folder."""
    from memopolis.commands.sweep import merge_shards

    _exit_unless(merge_shards(out, shards))


@app.command()
def query(
    *,
    folder: _Folder,
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
def verify(folder: _Folder) -> None:
    """Verify the checksums of all files of a run or sweep."""
    from memopolis.commands.verify import verify_folder

    _exit_unless(verify_folder(folder))


@app.command()
def mcp(
    *,
    place: Annotated[
        Path | None,
        typer.Argument(metavar="[RUN | FOLDER]", help="Folder of a run, or of runs and sweeps."),
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Serve a memory of the assistant's own instead, created if it does not exist.",
        ),
    ] = None,
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
    """Serve runs, or a memory of its own, to an AI assistant (Model Context Protocol).

    The server uses standard input and output. Needs the extra `mcp`.
    """
    from memopolis.mcp_server.command import serve, serve_memory

    settings = {"mind": mind, **_model_settings(model, base_url, cassette)}
    match place, memory:
        case Path(), None:
            serve(place, write=write, mind={} if mind == "rule" else settings)
        case None, Path():
            serve_memory(memory)
        case _:
            raise typer.BadParameter("give either the folder of runs or --memory FOLDER")


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


@app.command()
def calibrate(
    *,
    design: Annotated[
        Path,
        typer.Argument(metavar="DESIGN", help="TOML file with priors, targets and budget."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Output folder; calibrations/DESIGN if omitted. Finished runs in it are kept.",
        ),
    ] = None,
    coverage: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Check the intervals on N simulated data sets, which are simulations of the first "
            "generation.",
        ),
    ] = 0,
    arviz: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write the posterior for ArviZ, to a file .nc or .zarr."
        ),
    ] = None,
    workers: _Workers = None,
    executor: _Executor = "processes",
    force: _Force = False,
) -> None:
    """Calibrate settings on data, with uncertainty.

    Approximate Bayesian computation by sequential Monte Carlo. Repeat the command to continue an
    interrupted calibration.
    """
    from memopolis.commands.calibrate import calibrate_design

    calibrate_design(
        design,
        out,
        coverage=coverage,
        arviz=arviz,
        workers=workers,
        executor=executor,
        force=force,
    )


@_places.command(name="new")
def new_place(
    *,
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="Name of the place, in lower case."),
    ],
    counties: Annotated[
        str | None,
        typer.Option(
            "--county",
            metavar="FIPS[,FIPS...]",
            help="Counties of the United States, by FIPS codes of five digits.",
        ),
    ] = None,
    zips: Annotated[
        str | None,
        typer.Option("--zip", metavar="ZIP[,ZIP...]", help="Only these ZIP areas."),
    ] = None,
    geojson: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Outlines of zones, anywhere: one feature per zone."),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Columns of zones, such as marginals; without other options, also their centres.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder to create; places/NAME if omitted."),
    ] = None,
    agents: Annotated[
        int,
        typer.Option(min=100, max=2_000_000, help="Residents drawn for the report of the fit."),
    ] = 300_000,
) -> None:
    """Build a place from a county, or from zones of your own.

    Writes zones with outlines, marginals, distances to the sea and roads to a folder, and a report
    of how well a synthetic population fits. Use it with --set place=DIR.
    """
    from memopolis.commands.place import PlaceOptions, build_new_place

    build_new_place(PlaceOptions(name, counties, zips, geojson, csv, out, agents))


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
    _exit_unless(passes)


def _model_settings(
    model: str | None,
    base_url: str | None,
    cassette: str | None,
    budget_tokens: str | None = None,
    budget_calls: str | None = None,
) -> dict[str, str]:
    """Return the settings of a model that were named on the command line."""
    settings = {
        "llm.model": model,
        "llm.base_url": base_url,
        "llm.cassette": cassette,
        "llm.budget_tokens": budget_tokens,
        "llm.budget_calls": budget_calls,
    }
    return {key: value for key, value in settings.items() if value is not None}


def _changes(sets: list[str] | None, **settings: str | None) -> tuple[str, ...]:
    """Return settings as "key=value": those with an option of their own, then those of --set."""
    changes = [f"{key}={value}" for key, value in settings.items() if value is not None]
    return (*changes, *(sets or ()))


def _allowed(
    scenario: str | None, sets: list[str] | None, base_url: str | None, *, trust: bool
) -> "Trust":
    """Return what the run's folder may name, from the command line."""
    from memopolis.sim.running.trust import Trust
    from memopolis.sim.settings import parse_sets

    changes = _changes(sets, **_model_settings(None, base_url, None))
    return Trust(parse_sets(changes), scenario, everything=trust)


def _exit_unless(success: bool) -> None:  # noqa: FBT001 - named by the function
    """Exit with code 1 unless a command was successful."""
    if not success:
        raise typer.Exit(1)
