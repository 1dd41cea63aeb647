"""Options that several commands have."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

Scenario = Annotated[
    str, Argument(metavar="SCENARIO", help="A scenario, such as hurricane, or file.py:Class.")
]
RunFolder = Annotated[Path, Argument(metavar="RUN", help="Folder of a run.")]
RunOrSweep = Annotated[Path, Argument(metavar="FOLDER", help="Folder of a run or a sweep.")]
AgentId = Annotated[int, Option(metavar="ID", help="Number (unique_id) of the agent.")]
Report = Annotated[bool, Option(help="Write report.html at the end.")]
Force = Annotated[
    bool, Option("--force", help="Run even if it may need more memory than is available.")
]
Agents = Annotated[
    str | None,
    Option(metavar="N|all", help="Number of citizens, or all for one per resident of the place."),
]
CitizensPerRun = Annotated[
    int | None, Option(min=1, help="Citizens per run; set by the scenario or case if omitted.")
]
Days = Annotated[str | None, Option(metavar="N", help="Length of the run in days.")]
Sets = Annotated[
    list[str] | None,
    Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated."),
]
Mind = Annotated[
    str | None, Option(metavar="MIND", help="How agents decide: rule, llm, replay or archetype.")
]
BaseUrl = Annotated[
    str | None, Option(metavar="URL", help="URL of a server with an OpenAI-compatible API.")
]
Confidence = Annotated[float, Option(metavar="SHARE", help="Confidence level of the intervals.")]
Reused = Annotated[
    Path | None, Option(metavar="DIR", help="Output folder; finished runs in it are reused.")
]
Workers = Annotated[int | None, Option(min=1, help="Number of processes; one per core if omitted.")]
Executor = Annotated[
    str,
    Option(
        metavar="NAME",
        help="Where to run: processes, dask or ray; or dask=ADDRESS. dask and ray are extras.",
    ),
]


def setting_changes(sets: list[str] | None, **settings: str | None) -> tuple[str, ...]:
    """Return settings as "key=value": those with an option of their own, then those of --set."""
    changes = [f"{key}={value}" for key, value in settings.items() if value is not None]
    return (*changes, *(sets or ()))


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Options of the model that a mind calls."""

    model: Annotated[str | None, Option(metavar="NAME", help="Name of the model.")] = None
    base_url: BaseUrl = None
    cassette: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="File in which answers are recorded, or from which they are replayed.",
        ),
    ] = None

    @property
    def model_settings(self) -> dict[str, str]:
        """Settings of the model that were named, by key."""
        names = ("model", "base_url", "cassette", "budget_tokens", "budget_calls")
        named = {f"llm.{name}": getattr(self, name, None) for name in names}
        return {key: value for key, value in named.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class _Society:
    """Options of a new society, its output and its budget."""

    agents: Agents = None
    seed: Annotated[
        str | None, Option(metavar="N", help="Random seed; chosen at random if omitted.")
    ] = None
    days: Days = None
    sets: Sets = None
    settings: Annotated[
        Path | None, Option(metavar="FILE", help="Read settings from a TOML file.")
    ] = None
    out: Annotated[
        Path | None, Option(metavar="DIR", help="Output folder; runs/SCENARIO-SEED-N if omitted.")
    ] = None
    force: Force = False
    budget_tokens: Annotated[
        str | None,
        Option(metavar="N", help="Maximum number of tokens; the fallback mind answers beyond it."),
    ] = None
    budget_calls: Annotated[
        str | None,
        Option(
            metavar="N", help="Maximum number of model calls; the fallback mind answers beyond it."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SocietyOptions(ModelOptions, _Society):
    """Options of commands that build a society."""

    mind: Mind = None

    @property
    def changes(self) -> tuple[str, ...]:
        """Changes of settings as "key=value"."""
        own = {"agents": self.agents, "days": self.days, "mind": self.mind}
        return setting_changes(self.sets, **own, **self.model_settings)
