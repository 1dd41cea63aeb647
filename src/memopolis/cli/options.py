"""Options that several commands have, and what commands make of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

if TYPE_CHECKING:
    from memopolis.sim.running.trust import Trust

Scenario = Annotated[
    str, Argument(metavar="SCENARIO", help="A scenario, such as hurricane, or file.py:Class.")
]
RunFolder = Annotated[Path, Argument(metavar="RUN", help="Folder of a run.")]
RunOrSweep = Annotated[Path, Argument(metavar="FOLDER", help="Folder of a run or a sweep.")]
Reference = Annotated[
    str | None,
    Option(
        "--scenario",
        metavar="NAME",
        help="The run's scenario as file.py:Class, if it is not installed.",
    ),
]
Repeated = Annotated[
    list[str] | None,
    Option(
        "--set",
        metavar="KEY=VALUE",
        help="Allow a file or server that the run's settings name, by repeating that setting.",
    ),
]
TrustAll = Annotated[
    bool,
    Option(
        "--trust", help="Allow all code, files and servers that the run names; see SECURITY.md."
    ),
]
Report = Annotated[bool, Option(help="Write report.html at the end.")]
Seed = Annotated[str | None, Option(metavar="N", help="Random seed; chosen at random if omitted.")]
Agents = Annotated[
    str | None,
    Option(metavar="N|all", help="Number of citizens, or all for one per resident of the place."),
]
Days = Annotated[str | None, Option(metavar="N", help="Length of the run in days.")]
Sets = Annotated[
    list[str] | None,
    Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated."),
]
Settings = Annotated[Path | None, Option(metavar="FILE", help="Read settings from a TOML file.")]
Out = Annotated[
    Path | None, Option(metavar="DIR", help="Output folder; runs/SCENARIO-SEED-N if omitted.")
]
Mind = Annotated[
    str | None, Option(metavar="MIND", help="How agents decide: rule, llm, replay or archetype.")
]
Model = Annotated[str | None, Option(metavar="NAME", help="Name of the model.")]
BaseUrl = Annotated[
    str | None, Option(metavar="URL", help="URL of a server with an OpenAI-compatible API.")
]
Cassette = Annotated[
    str | None,
    Option(
        metavar="FILE", help="File in which answers are recorded, or from which they are replayed."
    ),
]
BudgetTokens = Annotated[
    str | None,
    Option(metavar="N", help="Maximum number of tokens; the fallback mind answers beyond it."),
]
BudgetCalls = Annotated[
    str | None,
    Option(metavar="N", help="Maximum number of model calls; the fallback mind answers beyond it."),
]
AgentId = Annotated[int, Option(metavar="ID", help="Number (unique_id) of the agent.")]
Force = Annotated[
    bool, Option("--force", help="Run even if it may need more memory than is available.")
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


def model_settings(
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


def setting_changes(sets: list[str] | None, **settings: str | None) -> tuple[str, ...]:
    """Return settings as "key=value": those with an option of their own, then those of --set."""
    changes = [f"{key}={value}" for key, value in settings.items() if value is not None]
    return (*changes, *(sets or ()))


def allowed_names(
    scenario: str | None, sets: list[str] | None, base_url: str | None, *, trust: bool
) -> "Trust":
    """Return what the run's folder may name, from the command line."""
    from memopolis.sim.running.trust import Trust
    from memopolis.sim.settings import parse_sets

    changes = setting_changes(sets, **model_settings(None, base_url, None))
    return Trust(parse_sets(changes), scenario, everything=trust)


def exit_unless(success: bool) -> None:  # noqa: FBT001 - named by the function
    """Exit with code 1 unless a command was successful."""
    if not success:
        raise typer.Exit(1)
