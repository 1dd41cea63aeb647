"""`memopolis compare`: arms of a scenario over the same seeds, or two runs."""

from pathlib import Path

from memopolis.analysis.compare import arms_report as shown_arms
from memopolis.analysis.compare import divergence_page as shown_runs
from memopolis.analysis.compare.arms import compare
from memopolis.analysis.compare.divergence import find_divergence
from memopolis.commands.options.studies import CompareOptions
from memopolis.commands.run import seed_of, settings_with
from memopolis.commands.terminal import (
    WIDTH,
    counting_runs,
    free_folder,
    print_line,
    print_table,
    stdout_console,
    waiting,
)
from memopolis.sim.arms import read_arms
from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import RECORDED_OF_MANY

_NUMBERS = (
    *("mean", "difference", "effect", "diverges at step", "rows that differ"),
    *("of A", "of B", "A", "B", "largest"),
)
"""Headings of columns that are aligned to the right."""


def compare_named(options: CompareOptions) -> None:
    """Compare arms of a scenario, or two runs."""
    names = options.names
    if len(names) == 2 and options == CompareOptions(names=names, out=options.out):
        _compare_runs(names[0], names[1], options.out)
    elif len(names) == 1 and options.arms is not None:
        _compare_arms(names[0], options.arms, options)
    elif len(names) == 1:
        raise ParameterError(
            f"cannot compare {names[0]} alone: name arms of a scenario with --arms A,B, or a "
            "second run"
        )
    else:
        raise ParameterError(
            f"{len(names)} names were given ({', '.join(names)}): name two runs, with no option "
            "except --out, or one scenario with --arms"
        )


def _compare_arms(name: str, named: str, options: CompareOptions) -> None:
    """Run the arms, print their differences, and write tables and report."""
    replications = 10 if options.replications is None else options.replications
    if replications < 2:
        raise ParameterError(
            f"--replications is {replications}; an interval over seeds needs at least 2, better 10"
        )
    scenario = find_scenario(name)
    arms = read_arms(scenario, named.split(","))
    settings = settings_with(scenario, options.settings, options.changes, RECORDED_OF_MANY)
    first = seed_of(options.seed or "1") or 0
    base = Path("runs", f"compare-{scenario.__name__.lower()}")
    with counting_runs(name) as progress:
        comparison = compare(
            scenario,
            settings,
            arms=arms,
            seeds=range(first, first + replications),
            folder=options.out or free_folder(base),
            outcomes=[one for one in (options.outcomes or "").split(",") if one.strip()],
            confidence=0.95 if options.confidence is None else options.confidence,
            workers=options.workers,
            progress=progress,
            force=options.force,
        )
    with waiting("Writing the report"):
        page = shown_arms.write_comparison(comparison)
    title = (
        f"{len(comparison.seeds)} seeds, {comparison.confidence:.0%} intervals, "
        f"differences from {comparison.arms[0]}"
    )
    print_table(title, shown_arms.HEAD, shown_arms.rows_of(comparison), numbers=_NUMBERS)
    if calls := shown_arms.calls_of(comparison):
        print_table(
            "Model calls, means per run", shown_arms.CALLS, calls, numbers=shown_arms.CALLS[2:]
        )
    print_line(f"Runs    {comparison.folder}")
    print_line(f"Report  {page}")


def _compare_runs(a: str, b: str, out: Path | None) -> None:
    """Print where two runs diverge, and write the page and the figure."""
    folders = [_run_folder(name) for name in (a, b)]
    base = Path("runs", f"compare-{folders[0].resolve().name}-{folders[1].resolve().name}")
    with waiting("Comparing the runs"):
        divergence = find_divergence(*folders)
        page = shown_runs.write_divergence(
            divergence, out if out is not None else free_folder(base)
        )
    for name, run in zip("AB", divergence.runs, strict=True):
        print_line(f"{name}  {run.folder}  ({run.title}, seed {run.seed}, {run.status})")
    stdout_console(width=WIDTH).print(
        f"\n{shown_runs.verdict(divergence)}\n", style="bold", markup=False
    )
    heading, differences = shown_runs.first_differences(divergence)
    ends = "Measures at the end and at their largest difference"
    changed = shown_runs.settings_of(divergence)
    tables = (
        ("Settings that differ", ("setting", "in A", "in B"), changed, _NUMBERS),
        ("Tables", shown_runs.HEAD, shown_runs.rows_of(divergence), _NUMBERS),
        (heading, shown_runs.DESCRIBED, differences, ()),
        (ends, shown_runs.ENDS, shown_runs.ends_of(divergence), _NUMBERS),
    )
    for title, head, rows, numbers in tables:
        if rows:
            print_table(title, head, rows, numbers=numbers)
    print_line(f"Page    {page}")
    print_line(f"Figure  {page.with_name(shown_runs.PICTURE)}")


def _run_folder(name: str) -> Path:
    folder = Path(name)
    if not folder.is_dir():
        raise RunFolderError(
            f"{name} is not a run folder; name two run folders, or one scenario with --arms A,B"
        )
    return folder
