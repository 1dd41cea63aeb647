"""Options of commands that run one society, or build a place."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from memopolis.commands.options.shared import (
    BaseUrl,
    Force,
    Report,
    RunFolder,
    Scenario,
    SocietyOptions,
    setting_changes,
)

if TYPE_CHECKING:
    from memopolis.sim.running.trust import Trust


@dataclass(frozen=True, kw_only=True)
class RunOptions(SocietyOptions):
    """Options of `memopolis run`."""

    scenario: Scenario
    report: Report = True
    estimate: Annotated[
        bool,
        Option("--estimate", help="Only estimate model calls, tokens and cost; record no run."),
    ] = False


@dataclass(frozen=True, kw_only=True)
class ScenariosOptions:
    """Options of `memopolis scenarios`."""

    name: Annotated[
        str | None, Argument(metavar="NAME", help="Show only this scenario; may be file.py:Class.")
    ] = None
    markdown: Annotated[bool, Option("--markdown", help="Print Markdown tables.")] = False


@dataclass(frozen=True, kw_only=True)
class DashboardOptions(SocietyOptions):
    """Options of `memopolis dashboard`."""

    names: Annotated[
        list[str],
        Argument(
            metavar="SCENARIO | RUN...",
            help="A scenario, such as hurricane, or file.py:Class; or folders of runs, arms, "
            "comparisons or sweeps.",
        ),
    ]
    host: Annotated[
        str, Option(metavar="HOST", help="Address of the page; the default is local only.")
    ] = "127.0.0.1"
    port: Annotated[
        int, Option(metavar="N", min=0, max=65535, help="Port; the next free one if it is in use.")
    ] = 8765
    opened: Annotated[bool, Option("--open/--no-open", help="Open a browser.")] = True


@dataclass(frozen=True, kw_only=True)
class FromRunOptions:
    """Options of commands that start from a recorded run."""

    folder: RunFolder
    scenario: Annotated[
        str | None,
        Option(
            "--scenario",
            metavar="NAME",
            help="The run's scenario as file.py:Class, if it is not installed.",
        ),
    ] = None
    sets: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="KEY=VALUE",
            help="Allow a file or server that the run's settings name, by repeating that setting.",
        ),
    ] = None
    base_url: BaseUrl = None
    trust: Annotated[
        bool,
        Option(
            "--trust",
            help="Allow all code, files and servers that the run names; see SECURITY.md.",
        ),
    ] = False
    report: Report = True
    force: Force = False

    @property
    def allowed(self) -> "Trust":
        """What the run's folder may name."""
        from memopolis.sim.running.trust import Trust
        from memopolis.sim.settings import parse_sets

        changes = setting_changes(self.sets, **{"llm.base_url": self.base_url})
        return Trust(parse_sets(changes), self.scenario, everything=self.trust)


@dataclass(frozen=True, kw_only=True)
class ResumeOptions(FromRunOptions):
    """Options of `memopolis resume`."""

    days: Annotated[
        str | None, Option(metavar="N", help="New total length of the run in days.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class ForkOptions(FromRunOptions):
    """Options of `memopolis fork`."""

    at: Annotated[str, Option(metavar="STEP", help="Step or date from which the fork diverges.")]
    sets: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting from that step on; or repeat one that names a file or a server "
            "to allow it.",
        ),
    ] = None
    out: Annotated[
        Path | None, Option(metavar="DIR", help="Output folder; RUN-fork-N if omitted.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class RepeatOptions(FromRunOptions):
    """Options of `memopolis repeat`."""

    out: Annotated[
        Path | None, Option(metavar="DIR", help="Output folder; RUN-repeat-N if omitted.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class PlaceOptions:
    """Options of `memopolis place new`; lists are separated by commas."""

    name: Annotated[str, Argument(metavar="NAME", help="Name of the place, in lower case.")]
    counties: Annotated[
        str | None,
        Option(
            "--county",
            metavar="FIPS[,FIPS...]",
            help="Counties of the United States, by FIPS codes of five digits.",
        ),
    ] = None
    zips: Annotated[
        str | None, Option("--zip", metavar="ZIP[,ZIP...]", help="Only these ZIP areas.")
    ] = None
    geojson: Annotated[
        Path | None,
        Option(metavar="FILE", help="Outlines of zones, anywhere: one feature per zone."),
    ] = None
    csv: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Columns of zones, such as marginals; without other options, also their centres.",
        ),
    ] = None
    out: Annotated[
        Path | None, Option(metavar="DIR", help="Folder to create; places/NAME if omitted.")
    ] = None
    agents: Annotated[
        int, Option(min=100, max=2_000_000, help="Residents drawn for the report of the fit.")
    ] = 300_000
