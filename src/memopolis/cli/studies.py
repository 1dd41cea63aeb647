"""Commands that run many societies: arms, designs, validation."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument

from memopolis.cli.command import command
from memopolis.commands.options.studies import (
    AuditOptions,
    CalibrateOptions,
    ChallengeOptions,
    CompareOptions,
    SensitivityOptions,
    SweepOptions,
    ValidateOptions,
)

app = typer.Typer(rich_markup_mode=None)


@command(app)
def audit(options: AuditOptions) -> None:
    """Compare the answers of groups of agents with those of their members.

    Runs a scenario with the archetype mind. The members of a sample are also asked individually,
    twice, and in random groups, without an effect on the run. Prints the distances by question.
    """
    from memopolis.commands.audit import audit_scenario

    audit_scenario(options)


@command(app)
def compare(options: CompareOptions) -> None:
    """Compare arms of a scenario, or two runs.

    Arms run over the same random seeds. For two runs, shows where and when they diverge.
    """
    from memopolis.commands.compare import compare_named

    compare_named(options)


@command(app)
def sweep(options: SweepOptions) -> bool:
    """Run all runs of a design. Repeat the command to continue an interrupted sweep."""
    from memopolis.commands.sweep import sweep_design

    return sweep_design(options)


@command(app)
def merge(
    *,
    out: Annotated[Path, Argument(metavar="OUT", help="Folder to create or add to.")],
    shards: Annotated[list[Path], Argument(metavar="SHARD...", help="Folders of shards.")],
) -> bool:
    """Merge the shards of a sweep into one folder."""
    from memopolis.commands.sweep import merge_shards

    return merge_shards(out, shards)


@command(app)
def sensitivity(options: SensitivityOptions) -> None:
    """Compute the sensitivity indices of a sweep.

    Shows which factors the outcomes depend on: Sobol indices or Morris effects.
    """
    from memopolis.commands.sensitivity import show_sensitivity

    show_sensitivity(options)


@command(app)
def calibrate(options: CalibrateOptions) -> None:
    """Calibrate settings on data, with uncertainty.

    Approximate Bayesian computation by sequential Monte Carlo. Repeat the command to continue an
    interrupted calibration.
    """
    from memopolis.commands.calibrate import calibrate_design

    calibrate_design(options)


@command(app)
def validate(options: ValidateOptions) -> bool:
    """Compare scenarios with real data and with null arms.

    A null arm is a run without the mechanism under test. Exits with code 1 if a check fails.
    """
    from memopolis.commands.validate import validate_scenarios

    return validate_scenarios(options)


@command(app)
def challenge(options: ChallengeOptions) -> None:
    """Predict past events that no setting was fitted to, and score the predictions.

    Settings and predictions are frozen before the outcomes are read. Naive baselines and the
    results of other engines are scored in the same table.
    """
    from memopolis.commands.challenge import run_challenge

    run_challenge(options)
