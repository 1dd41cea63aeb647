"""Limits on runs that a client creates: no models, no files, bounded size."""

from collections.abc import Mapping
from pathlib import Path

from memopolis.sim.errors import SettingsError, TrustError
from memopolis.sim.running.saved_run import SavedRun
from memopolis.sim.running.trust import external_settings
from memopolis.sim.settings import Settings, dotted

MOST_AGENT_STEPS = 5_000_000
"""Maximum of agents times steps of a run that a client creates."""


def changed(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return settings with a client's changes, which may name no model and no file.

    Args:
        settings: Settings of a scenario or a run.
        changes: Settings by name, nested or by dotted key.

    Raises:
        SettingsError: If a change is unknown or not allowed, or names a model or a file, or the
            run would be too large.
    """
    chosen = settings.with_changes(changes) if changes else settings
    keys = dotted(changes)
    for one in external_settings(chosen):
        if one.key not in keys:
            continue
        if one.kind == "server":
            raise SettingsError(
                f"{one.key} was given {one.value[:80]!r}; models and servers are chosen by the "
                f"user who starts the server"
            )
        raise SettingsError(f"{one.key} was given {one.value[:80]!r}; files are not allowed here")
    _check_size(chosen)
    return chosen


def run_to_continue(folder: Path) -> SavedRun:
    """Read a run that is to be forked or repeated.

    Raises:
        TrustError: If it names code, a file or a server, which a client cannot allow.
        MemopolisError: If it cannot be read.
    """
    try:
        return SavedRun.read(folder)
    except TrustError as error:
        raise TrustError(
            f"{error.named}; only runs of installed scenarios that name no files, servers or "
            f"models are continued here"
        ) from None


def _check_size(settings: Settings) -> None:
    work = settings.agents * settings.days * 24 / settings.tick
    if work > MOST_AGENT_STEPS:
        raise SettingsError(
            f"{settings.agents:,} agents for {settings.days:g} days need {work:,.0f} agent-steps; "
            f"at most {MOST_AGENT_STEPS:,} are allowed here, so set fewer agents or days"
        )
