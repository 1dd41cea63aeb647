"""`memopolis compare`: arms of a scenario over the same seeds, or two runs."""

from collections.abc import Mapping
from math import isnan
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis.compare import arms_report as shown_arms
from memopolis.analysis.compare.arms import compare
from memopolis.analysis.compare.divergence import Divergence, find_divergence
from memopolis.analysis.labels import date_form, is_share, scaled, short, words
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

_NUMBERS = (*("mean", "difference", "effect", "A", "B", "largest"),)
"""Headings of columns that are aligned to the right."""
_DIFFERENCES = ("table", "step", "date", "agent", "subject", "column", "A", "B")
_MEASURES = ("measure", "A", "B", "difference", "largest", "when")
_LETTERS = 100  # letters of a value before it is shortened


def compare_named(options: CompareOptions) -> None:
    """Compare arms of a scenario, or two runs."""
    names = options.names
    if len(names) == 2 and options == CompareOptions(names=names):
        _compare_runs(*names)
    elif len(names) == 1 and options.arms is not None:
        _compare_arms(names[0], options.arms, options)
    elif len(names) == 1:
        raise ParameterError(
            f"cannot compare {names[0]} alone: name arms of a scenario with --arms A,B, or a "
            "second run"
        )
    else:
        raise ParameterError(
            f"{len(names)} names were given ({', '.join(names)}): name two runs, without options, "
            "or one scenario with --arms"
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
            outcomes=[name for name in (options.outcomes or "").split(",") if name.strip()],
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


def _compare_runs(a: str, b: str) -> None:
    """Print where two runs diverge, and their measures."""
    folders = [_run_folder(name) for name in (a, b)]
    with waiting("Comparing the runs"):
        divergence = find_divergence(*folders)
        changed = [(key, str(of_a), str(of_b)) for key, (of_a, of_b) in divergence.settings.items()]
        measures = _measures(divergence)
    for name, run in zip("AB", divergence.runs, strict=True):
        print_line(f"{name}  {run.folder}  ({run.title}, seed {run.seed}, {run.status})")
    stdout_console(width=WIDTH).print(f"\n{divergence}\n", style="bold", markup=False)
    if changed:
        print_table("Settings that differ", ("setting", "A", "B"), changed, numbers=_NUMBERS)
    if not divergence.same:
        print_differences("First difference of each table that differs", divergence)
    if measures:
        title = "Measures at the end and at their largest difference"
        print_table(title, _MEASURES, measures, numbers=_NUMBERS)


def print_differences(title: str, divergence: Divergence) -> None:
    """Print the first difference of each table that differs, the earliest first."""
    form = date_form(divergence.runs[0].hours)
    rows = [
        (
            row["table"],
            *(("", "") if pd.isna(row["tick"]) else (f"{row['tick']:,}", f"{row['time']:{form}}")),
            "" if pd.isna(row["agent"]) else _agent(row["name"], row["agent"]),
            *(row["subject"], row["column"]),
            *(_cell(row[name]) for name in "ab"),
        )
        for row in divergence.table.to_dict("records")
    ]
    print_table(title, _DIFFERENCES, rows, numbers=("step",))


def _agent(name: str, number: int) -> str:
    """Return the name and number of an agent; the name may be made of the number."""
    return name if name.endswith(f" {number}") else f"{name} ({number})"


def _cell(value: object) -> str:
    """Format a value, a number with enough digits to distinguish those in single precision."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:.9g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS].rstrip()} ..."


def _measures(divergence: Divergence) -> list[tuple[str, ...]]:
    """Return the charted measures that differ in any step, with the columns `_MEASURES`."""
    declared = {
        str(measure["name"]): measure for measure in divergence.runs[0].manifest["measures"]
    }
    form, ends = date_form(divergence.runs[0].hours), divergence.ends
    rows = []
    for row in ends[(ends["group"] == "") & (ends["most"].abs() > 0)].to_dict("records"):
        measure = declared[row["measure"]]
        if measure["chart"]:
            values = (_number(row[name], measure) for name in ("a", "b", "difference", "most"))
            rows.append((_named(measure), *values, f"{row['most_time']:{form}}"))
    return rows


def _named(measure: Mapping[str, Any]) -> str:
    """Return the name of a measure with its unit, unless it contains it."""
    name, unit = words(measure["name"]), "" if is_share(measure) else scaled(measure["unit"])[1]
    return f"{name}, {unit}" if unit and unit not in name.lower() else name


def _number(value: float, measure: Mapping[str, Any]) -> str:
    if is_share(measure):
        return "-" if isnan(value) else f"{value:.1%}"
    return short(value * scaled(measure["unit"])[0])


def _run_folder(name: str) -> Path:
    folder = Path(name)
    if not folder.is_dir():
        raise RunFolderError(
            f"{name} is not a run folder; name two run folders, or one scenario with --arms A,B"
        )
    return folder
