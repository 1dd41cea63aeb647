"""Commands that run many societies: arms, designs, validation."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from memopolis.cli import options as opt
from memopolis.cli.options import exit_unless, model_settings, setting_changes

app = typer.Typer(rich_markup_mode=None)


@app.command()
def audit(
    *,
    scenario: opt.Scenario,
    sample: Annotated[
        float, Option(metavar="SHARE", help="Share of the agents that are also asked individually.")
    ] = 1.0,
    agents: opt.Agents = None,
    seed: opt.Seed = None,
    days: opt.Days = None,
    sets: opt.Sets = None,
    settings: opt.Settings = None,
    out: Annotated[
        Path | None,
        Option(metavar="DIR", help="Output folder; runs/audit-SCENARIO-SEED-N if omitted."),
    ] = None,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    cassette: opt.Cassette = None,
    budget_tokens: opt.BudgetTokens = None,
    budget_calls: opt.BudgetCalls = None,
    confidence: opt.Confidence = 0.95,
    force: opt.Force = False,
) -> None:
    """Compare the answers of groups of agents with those of their members.

    Runs a scenario with the archetype mind. The members of a sample are also asked individually,
    twice, and in random groups, without an effect on the run. Prints the distances by question.
    """
    from memopolis.commands.audit import audit_scenario
    from memopolis.commands.run import RunOptions

    server = model_settings(model, base_url, cassette, budget_tokens, budget_calls)
    changes = (*setting_changes(sets, agents=agents, days=days, **server), "mind=archetype")
    options = RunOptions(scenario, changes, seed, settings, out, force=force)
    audit_scenario(options, sample, confidence)


@app.command()
def compare(
    *,
    names: Annotated[
        list[str],
        Argument(
            metavar="SCENARIO | RUN_A RUN_B",
            help="A scenario, such as hurricane, or file.py:Class, with --arms; or two run "
            "folders.",
        ),
    ],
    arms: Annotated[
        str | None,
        Option(
            metavar="A,B,...",
            help="Arms, reference first: names that the scenario declares, or KEY=VALUE; join "
            "several changes with +.",
        ),
    ] = None,
    replications: Annotated[
        int | None, Option(metavar="N", help="Number of runs per arm; 10 if omitted.")
    ] = None,
    seed: Annotated[
        str | None,
        Option(metavar="N", help="First random seed; all arms use the same seeds. 1 if omitted."),
    ] = None,
    agents: opt.Agents = None,
    days: opt.Days = None,
    sets: Annotated[
        list[str] | None,
        Option("--set", metavar="KEY=VALUE", help="Change a setting of all arms; may be repeated."),
    ] = None,
    settings: Annotated[
        Path | None, Option(metavar="FILE", help="Read settings of all arms from a TOML file.")
    ] = None,
    outcomes: Annotated[
        str | None,
        Option(
            metavar="X,Y,...",
            help="Outcomes to compare: names of measures, or NAME@end, NAME@mean or NAME@sum.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Output folder; finished runs in it are reused. For two runs, the folder of the "
            "comparison page.",
        ),
    ] = None,
    workers: opt.Workers = None,
    confidence: Annotated[
        float | None,
        Option(metavar="SHARE", help="Confidence level of the intervals; 0.95 if omitted."),
    ] = None,
    force: opt.Force = False,
) -> None:
    """Compare arms of a scenario, or two runs.

    Arms run over the same random seeds. For two runs, shows where and when they diverge.
    """
    from memopolis.commands.compare import CompareOptions, compare_named

    options = CompareOptions(
        arms,
        replications,
        setting_changes(sets, agents=agents, days=days),
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
    design: Annotated[Path, Argument(metavar="DESIGN", help="TOML file with the factors to vary.")],
    out: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Output folder; sweeps/DESIGN if omitted. Finished runs in it are kept.",
        ),
    ] = None,
    sets: opt.Sets = None,
    workers: opt.Workers = None,
    executor: opt.Executor = "processes",
    retry_failed: Annotated[
        bool, Option("--retry-failed", help="Retry runs that failed before.")
    ] = False,
    shard: Annotated[
        str | None, Option(metavar="I/N", help="Run only one shard, such as 2/8.")
    ] = None,
    force: opt.Force = False,
) -> None:
    """Run all runs of a design. Repeat the command to continue an interrupted sweep."""
    from memopolis.commands.sweep import sweep_design

    success = sweep_design(
        design,
        out,
        sets=sets or (),
        workers=workers,
        executor=executor,
        retry_failed=retry_failed,
        shard=shard,
        force=force,
    )
    exit_unless(success)


@app.command()
def merge(
    *,
    out: Annotated[Path, Argument(metavar="OUT", help="Folder to create or add to.")],
    shards: Annotated[list[Path], Argument(metavar="SHARD...", help="Folders of shards.")],
) -> None:
    """Merge the shards of a sweep into one folder."""
    from memopolis.commands.sweep import merge_shards

    exit_unless(merge_shards(out, shards))


@app.command()
def sensitivity(
    *,
    folder: Annotated[Path, Argument(metavar="SWEEP", help="Folder of a sweep.")],
    outcomes: Annotated[
        list[str] | None,
        Option(
            "--outcome",
            metavar="NAME",
            help="An outcome or measure; may be repeated. The design's outcomes if omitted.",
        ),
    ] = None,
    confidence: opt.Confidence = 0.95,
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE.png",
            help="Output figure; SWEEP/sensitivity.png if omitted. A CSV file of the same name has "
            "its numbers.",
        ),
    ] = None,
    minus: Annotated[
        Path | None,
        Option(
            metavar="SWEEP",
            help="Analyse differences from this sweep of another arm, with the same points and "
            "seeds.",
        ),
    ] = None,
    top: Annotated[
        int | None,
        Option(metavar="N", min=1, help="Show only the N factors with the largest effects."),
    ] = None,
    markdown: Annotated[
        bool, Option("--markdown", help="Print one Markdown table of all outcomes.")
    ] = False,
) -> None:
    """Compute the sensitivity indices of a sweep.

    Shows which factors the outcomes depend on: Sobol indices or Morris effects.
    """
    from memopolis.commands.sensitivity import show_sensitivity

    show_sensitivity(
        folder,
        outcomes or [],
        confidence=confidence,
        out=out,
        minus=minus,
        top=top,
        is_markdown=markdown,
    )


@app.command()
def calibrate(
    *,
    design: Annotated[
        Path, Argument(metavar="DESIGN", help="TOML file with priors, targets and budget.")
    ],
    out: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Output folder; calibrations/DESIGN if omitted. Finished runs in it are kept.",
        ),
    ] = None,
    coverage: Annotated[
        int,
        Option(
            metavar="N",
            min=0,
            help="Check the intervals on N simulated data sets, which are simulations of the first "
            "generation.",
        ),
    ] = 0,
    arviz: Annotated[
        Path | None,
        Option(metavar="FILE", help="Also write the posterior for ArviZ, to a file .nc or .zarr."),
    ] = None,
    workers: opt.Workers = None,
    executor: opt.Executor = "processes",
    force: opt.Force = False,
) -> None:
    """Calibrate settings on data, with uncertainty.

    Approximate Bayesian computation by sequential Monte Carlo. Repeat the command to continue an
    interrupted calibration.
    """
    from memopolis.commands.calibrate import calibrate_design

    calibrate_design(
        design, out, coverage=coverage, arviz=arviz, workers=workers, executor=executor, force=force
    )


@app.command()
def validate(
    *,
    scenarios: Annotated[
        list[str] | None,
        Argument(metavar="[SCENARIO]...", help="Scenarios to validate; all if omitted."),
    ] = None,
    seeds: Annotated[int, Option(min=2, help="Number of seeds per arm.")] = 10,
    agents: Annotated[
        int | None, Option(min=1, help="Citizens per run; set by the scenario if omitted.")
    ] = None,
    out: opt.Reused = None,
    workers: opt.Workers = None,
    markdown: Annotated[
        Path | None, Option(metavar="FILE", help="Write the tables to this Markdown file.")
    ] = None,
) -> None:
    """Compare scenarios with real data and with null arms.

    A null arm is a run without the mechanism under test. Exits with code 1 if a check fails.
    """
    from memopolis.commands.validate import PLANS, validate_scenarios

    passes = validate_scenarios(
        scenarios or PLANS, seeds=seeds, agents=agents, out=out, workers=workers, markdown=markdown
    )
    exit_unless(passes)


@app.command()
def challenge(
    *,
    cases: Annotated[
        list[str] | None,
        Option(
            "--case",
            metavar="NAME|DIR",
            help="A shipped case, or the folder of one; may be repeated. All shipped if omitted.",
        ),
    ] = None,
    submissions: Annotated[
        list[Path] | None,
        Option(
            "--submission",
            metavar="FILE.csv",
            help="Predictions of another engine; may be repeated.",
        ),
    ] = None,
    seeds: Annotated[
        int | None, Option(min=1, help="Number of seeds; set by the case if omitted.")
    ] = None,
    agents: Annotated[
        int | None, Option(min=1, help="Citizens per run; set by the case if omitted.")
    ] = None,
    out: opt.Reused = None,
    workers: opt.Workers = None,
    markdown: Annotated[
        Path | None, Option(metavar="FILE", help="Write the results to this Markdown file.")
    ] = None,
) -> None:
    """Predict past events that no setting was fitted to, and score the predictions.

    Settings and predictions are frozen before the outcomes are read. Naive baselines and the
    results of other engines are scored in the same table.
    """
    from memopolis.commands.challenge import run_challenge

    run_challenge(
        cases or (),
        submissions=submissions or (),
        seeds=seeds,
        agents=agents,
        out=out,
        workers=workers,
        markdown=markdown,
    )
