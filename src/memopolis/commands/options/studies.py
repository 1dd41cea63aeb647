"""Options of commands that run many societies."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from memopolis.commands.options.shared import (
    Agents,
    CitizensPerRun,
    Confidence,
    Days,
    Executor,
    Force,
    Reused,
    Scenario,
    Sets,
    SocietyOptions,
    Workers,
    setting_changes,
)


@dataclass(frozen=True, kw_only=True)
class AuditOptions(SocietyOptions):
    """Options of `memopolis audit`, whose mind is always archetype."""

    scenario: Scenario
    sample: Annotated[
        float, Option(metavar="SHARE", help="Share of the agents that are also asked individually.")
    ] = 1.0
    out: Annotated[
        Path | None,
        Option(metavar="DIR", help="Output folder; runs/audit-SCENARIO-SEED-N if omitted."),
    ] = None
    confidence: Confidence = 0.95
    mind: str | None = field(default="archetype", init=False)


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Options of `memopolis compare`."""

    names: Annotated[
        list[str],
        Argument(
            metavar="SCENARIO | RUN_A RUN_B",
            help="A scenario, such as hurricane, or file.py:Class, with --arms; or two run "
            "folders.",
        ),
    ]
    arms: Annotated[
        str | None,
        Option(
            metavar="A,B,...",
            help="Arms, reference first: names that the scenario declares, or KEY=VALUE; join "
            "several changes with +.",
        ),
    ] = None
    replications: Annotated[
        int | None, Option(metavar="N", help="Number of runs per arm; 10 if omitted.")
    ] = None
    seed: Annotated[
        str | None,
        Option(metavar="N", help="First random seed; all arms use the same seeds. 1 if omitted."),
    ] = None
    agents: Agents = None
    days: Days = None
    sets: Annotated[
        list[str] | None,
        Option("--set", metavar="KEY=VALUE", help="Change a setting of all arms; may be repeated."),
    ] = None
    settings: Annotated[
        Path | None, Option(metavar="FILE", help="Read settings of all arms from a TOML file.")
    ] = None
    outcomes: Annotated[
        str | None,
        Option(
            metavar="X,Y,...",
            help="Outcomes to compare: names of measures, or NAME@end, NAME@mean or NAME@sum.",
        ),
    ] = None
    out: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Output folder; finished runs in it are reused.",
        ),
    ] = None
    workers: Workers = None
    confidence: Annotated[
        float | None,
        Option(metavar="SHARE", help="Confidence level of the intervals; 0.95 if omitted."),
    ] = None
    force: Force = False

    @property
    def changes(self) -> tuple[str, ...]:
        """Changes of settings as "key=value"."""
        return setting_changes(self.sets, agents=self.agents, days=self.days)


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """Options of `memopolis sweep`."""

    design: Annotated[Path, Argument(metavar="DESIGN", help="TOML file with the factors to vary.")]
    out: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Output folder; sweeps/DESIGN if omitted. Finished runs in it are kept.",
        ),
    ] = None
    sets: Sets = None
    workers: Workers = None
    executor: Executor = "processes"
    retry_failed: Annotated[
        bool, Option("--retry-failed", help="Retry runs that failed before.")
    ] = False
    shard: Annotated[str | None, Option(metavar="I/N", help="Run only one shard, such as 2/8.")] = (
        None
    )
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class SensitivityOptions:
    """Options of `memopolis sensitivity`."""

    folder: Annotated[Path, Argument(metavar="SWEEP", help="Folder of a sweep.")]
    outcomes: Annotated[
        list[str] | None,
        Option(
            "--outcome",
            metavar="NAME",
            help="An outcome or measure; may be repeated. The design's outcomes if omitted.",
        ),
    ] = None
    confidence: Confidence = 0.95
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE.png",
            help="Output figure; SWEEP/sensitivity.png if omitted. A CSV file of the same name has "
            "its numbers.",
        ),
    ] = None
    minus: Annotated[
        Path | None,
        Option(
            metavar="SWEEP",
            help="Analyse differences from this sweep of another arm, with the same points and "
            "seeds.",
        ),
    ] = None
    top: Annotated[
        int | None,
        Option(metavar="N", min=1, help="Show only the N factors with the largest effects."),
    ] = None
    markdown: Annotated[
        bool, Option("--markdown", help="Print one Markdown table of all outcomes.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions:
    """Options of `memopolis calibrate`."""

    design: Annotated[
        Path, Argument(metavar="DESIGN", help="TOML file with priors, targets and budget.")
    ]
    out: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Output folder; calibrations/DESIGN if omitted. Finished runs in it are kept.",
        ),
    ] = None
    coverage: Annotated[
        int,
        Option(
            metavar="N",
            min=0,
            help="Check the intervals on N simulated data sets, which are simulations of the first "
            "generation.",
        ),
    ] = 0
    arviz: Annotated[
        Path | None,
        Option(metavar="FILE", help="Also write the posterior for ArviZ, to a file .nc or .zarr."),
    ] = None
    workers: Workers = None
    executor: Executor = "processes"
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class ValidateOptions:
    """Options of `memopolis validate`."""

    scenarios: Annotated[
        list[str] | None,
        Argument(metavar="[SCENARIO]...", help="Scenarios to validate; all if omitted."),
    ] = None
    seeds: Annotated[int, Option(min=2, help="Number of seeds per arm.")] = 10
    agents: CitizensPerRun = None
    out: Reused = None
    workers: Workers = None
    markdown: Annotated[
        Path | None, Option(metavar="FILE", help="Write the tables to this Markdown file.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class ChallengeOptions:
    """Options of `memopolis challenge`."""

    cases: Annotated[
        list[str] | None,
        Option(
            "--case",
            metavar="NAME|DIR",
            help="A shipped case, or the folder of one; may be repeated. All shipped if omitted.",
        ),
    ] = None
    submissions: Annotated[
        list[Path] | None,
        Option(
            "--submission",
            metavar="FILE.csv",
            help="Predictions of another engine; may be repeated.",
        ),
    ] = None
    seeds: Annotated[
        int | None, Option(min=1, help="Number of seeds; set by the case if omitted.")
    ] = None
    agents: CitizensPerRun = None
    out: Reused = None
    workers: Workers = None
    markdown: Annotated[
        Path | None, Option(metavar="FILE", help="Write the results to this Markdown file.")
    ] = None
