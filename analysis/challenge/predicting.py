"""Run the arms of cases, and write frozen predictions; nothing here reads outcomes."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np

from memopolis.analysis.challenge.case import Case, Quantity, hash_of_json
from memopolis.analysis.challenge.submission import Submission, read_submission, write_submission
from memopolis.analysis.facts.numbers import fact_numbers, find_number
from memopolis.analysis.run.run import Run, load_run
from memopolis.sim.errors import DataFileError, UnknownNameError
from memopolis.sim.files import write_whole
from memopolis.sim.outcomes import read_outcomes
from memopolis.sim.progress import RunProgress
from memopolis.sim.replicate import replicate_arms
from memopolis.sim.run_folder.code_version import code_version
from memopolis.sim.scenario_names import find_scenario

ENGINE, NULL = "memopolis", "memopolis-null"
"""Names of the engine, and of the same engine without the event or treatment."""
FROZEN = "frozen.json"

type Counting = Callable[[str], AbstractContextManager[RunProgress]]
"""Returns a progress bar over runs, given its title."""
type Runs = Mapping[str, Sequence[Path]]
"""Folders of runs by arm, in the order of the seeds."""
type Row = tuple[str, str, str, float]
"""Case, quantity, member and value."""


def predict(
    cases: Sequence[Case], folder: Path, *, workers: int | None, counting: Counting
) -> list[Submission]:
    """Freeze the settings of cases, run them, and write and freeze the predictions.

    The folder gets `frozen.json`, the runs and the predictions. Finished runs with the same
    settings, files and code are reused; arms with the same settings share runs. Returns the
    predictions of the engine, and those of its null arms.
    """
    folder.mkdir(parents=True, exist_ok=True)
    frozen = {
        "memopolis": version("memopolis"),
        "code": {
            scenario: code_version(find_scenario(scenario))
            for scenario in sorted({case.scenario for case in cases})
        },
        "cases": {case.name: case.freeze() for case in cases},
    }
    _write(folder, frozen)
    runs = _run(cases, folder / "runs", workers, counting)
    submissions = []
    for engine, function in ((ENGINE, _predict_case), (NULL, _predict_null)):
        file = folder / f"{engine}.csv"
        rows = [row for case in cases for row in function(case, runs[case.name])]
        write_submission(file, [row for row in rows if not math.isnan(row[3])])
        submissions.append(read_submission(file, cases))
    hashes = {submission.engine: submission.sha256 for submission in submissions}
    _write(folder, {**frozen, "predictions": hashes})
    return submissions


def _write(folder: Path, frozen: Mapping[str, object]) -> None:
    write_whole(folder / FROZEN, json.dumps(frozen, indent=1, ensure_ascii=False) + "\n")


def _run(
    cases: Sequence[Case], folder: Path, workers: int | None, counting: Counting
) -> dict[str, dict[str, list[Path]]]:
    """Run all arms of all cases; arms with the same settings share a folder."""
    arms = {(case.name, arm): _arm_folder(folder, case, arm) for case in cases for arm in case.arms}
    made: dict[Path, list[Path]] = {}
    for scenario, seeds in dict.fromkeys((case.scenario, case.seeds) for case in cases):
        chosen = [case for case in cases if (case.scenario, case.seeds) == (scenario, seeds)]
        settings = {arms[case.name, arm]: own for case in chosen for arm, own in case.arms.items()}
        folder.mkdir(exist_ok=True)
        with counting(scenario) as progress:
            made |= replicate_arms(
                scenario, settings, seeds=range(1, seeds + 1), workers=workers, progress=progress
            )
    return {
        case.name: {arm: made[arms[case.name, arm]][: case.seeds] for arm in case.arms}
        for case in cases
    }


def _arm_folder(folder: Path, case: Case, arm: str) -> Path:
    code = code_version(find_scenario(case.scenario))
    files = case.freeze()["files"]
    key = hash_of_json([code, case.describe_settings(arm), files])[:12]
    return folder / f"{case.scenario}-{key}"


def _predict_case(case: Case, runs: Runs) -> list[Row]:
    """Return the predictions of a case by seed."""
    rows: list[Row] = []
    for folders in zip(*runs.values(), strict=True):
        arms = {arm: load_run(folder) for arm, folder in zip(runs, folders, strict=True)}
        facts = {
            arm: fact_numbers(case.scenario, arms, arm=arm, null_arm=case.null_arm)
            for arm in dict.fromkeys(q.arm for q in case.quantities if q.fact)
        }
        for quantity in case.quantities:
            if quantity.fact:
                try:
                    value = find_number(*facts[quantity.arm], quantity.fact, quantity.number)
                except UnknownNameError as error:
                    raise UnknownNameError(f"case {case.name}: {error.args[0]}") from None
            else:
                value = _measure(quantity, arms)
            rows.append((case.name, quantity.name, str(next(iter(arms.values())).seed), value))
    return rows


def _predict_null(case: Case, runs: Runs) -> list[Row]:
    """Return the same measures in the null arm, which numbers of facts do not have."""
    rows: list[Row] = []
    for folder in runs[case.null_arm]:
        run = load_run(folder)
        arms = dict.fromkeys(runs, run)
        rows += [
            (case.name, quantity.name, str(run.seed), _measure(quantity, arms, is_null=True))
            for quantity in case.quantities
            if quantity.measure
        ]
    return rows


def _measure(quantity: Quantity, arms: Mapping[str, Run], *, is_null: bool = False) -> float:
    """Measure a quantity in the runs of one seed."""
    value = _value(quantity, arms[quantity.arm], quantity.at, strict=not is_null)
    if not quantity.minus_arm and quantity.minus_at is None:
        return value
    other = arms[quantity.minus_arm or quantity.arm]
    return value - _value(quantity, other, quantity.minus_at or quantity.at, strict=False)


def _value(quantity: Quantity, run: Run, at: datetime | None, *, strict: bool) -> float:
    """Return a measure of a run: at a local time, averaged since a time, or in its own way.

    Unless `strict`, all agents stand for a group that is missing, such as citizens under an order
    in a run without orders. Raises UnknownNameError if the group is missing, or DataFileError if
    the time is not within the run.
    """
    (outcome,) = read_outcomes([quantity.measure], run.manifest["measures"], title=run.title)
    group = outcome.group
    if not strict and group not in run.groups(outcome.measure):
        group = ""
    series = run.measure(outcome.measure, group)
    since = quantity.since
    for time in filter(None, (at, since)):
        if not run.start <= time <= run.end:
            raise DataFileError(
                f"{quantity.name}: {time} is not within the run, {run.start} to {run.end}"
            )
    if at is not None:
        return float(series[series.index <= at].iloc[-1])
    if since is not None:
        return float(series[series.index >= since].mean())
    return outcome.of(series.to_numpy(np.float64))
