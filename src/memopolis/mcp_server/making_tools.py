"""Tools that create runs, offered only with `--write`."""

import time
from asyncio import CancelledError
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import anyio.from_thread
from mcp.server.mcpserver import Context
from pydantic import Field, WithJsonSchema

from memopolis.mcp_server.answers import Made
from memopolis.mcp_server.arguments import RunName
from memopolis.mcp_server.open_runs import OpenRuns, Tools
from memopolis.sim.chance import LARGEST_SEED
from memopolis.sim.errors import (
    ParameterError,
    SettingsError,
    StateError,
    TrustError,
    did_you_mean,
)
from memopolis.sim.progress import StepProgress
from memopolis.sim.recording.stopping import StopRun
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.running.forking import fork
from memopolis.sim.running.repeating import repeat
from memopolis.sim.running.saved_run import SavedRun
from memopolis.sim.running.trust import external_settings
from memopolis.sim.scenario_names import find_scenario, scenario_names
from memopolis.sim.settings import Settings, dotted

_DIGITS = 19  # maximum number of digits of the seed in the name of a run
_EVERY = 0.5  # seconds between two progress reports

Changes = Annotated[
    dict[str, Any] | None,
    Field(description='Settings by name, such as {"days": 3, "needs.hunger_rate": 0.2}'),
]
# Seeds have up to 256 bits, and JavaScript rounds numbers of more than 53.
_SEED_FORMS = [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{1,78}$"}]
Seed = Annotated[
    int,
    Field(ge=0, le=LARGEST_SEED, description="Random seed, a number or its digits as a text"),
    WithJsonSchema({"anyOf": _SEED_FORMS}),
]
NewName = Annotated[
    str, Field(max_length=80, description="Name of the new run; chosen automatically if empty")
]
MOST_AGENT_STEPS = 5_000_000  # maximum of agents times steps of a run that a client creates


class MakingTools(Tools):
    """Tools that create runs, one at a time, without overwriting anything."""

    def __init__(self, runs: OpenRuns) -> None:
        super().__init__(runs)
        self._making = Lock()

    def run_scenario(
        self,
        *,
        scenario: Annotated[
            str, Field(max_length=200, description="Name of a scenario, such as hurricane")
        ],
        ctx: Context,
        settings: Changes = None,
        seed: Seed = 1,
        name: NewName = "",
    ) -> Made:
        """Run an installed scenario and record it; takes a while.

        The same scenario, settings and seed give the same run. Start small: agents 300, days 3.
        """
        if scenario not in scenario_names():
            raise ParameterError(
                f"no scenario {scenario[:80]!r} is installed; "
                f"{did_you_mean(scenario[:80], scenario_names())}there are "
                f"{', '.join(scenario_names())}"
            )
        society = find_scenario(scenario)
        chosen = change_settings(society.settings_class(), settings or {})
        out = self._out(name, f"{scenario}-{str(seed)[:_DIGITS]}")
        return self._made(
            out, lambda listen: society(chosen, rng=seed).run(out, progress=listen), ctx
        )

    def fork_run(
        self,
        *,
        at: Annotated[
            str,
            Field(max_length=40, description="Step or date and time from which the fork diverges"),
        ],
        ctx: Context,
        run: RunName = "",
        changes: Changes = None,
        name: NewName = "",
    ) -> Made:
        """Continue a copy of a run with other settings from a step on; takes a while.

        Without changes the fork is identical to the run. Compare both with compare_runs.
        """
        folder = self._runs.folder.folder_of(run)
        plain = dict(changes or {})
        change_settings(run_to_continue(folder).settings, plain)
        out = self._out(name, f"{folder.name}-fork")
        moment = int(at) if at.strip().isdecimal() else at
        return self._made(
            out, lambda listen: fork(folder, out, at=moment, changes=plain, progress=listen), ctx
        )

    def repeat_run(self, *, ctx: Context, run: RunName = "", name: NewName = "") -> Made:
        """Reproduce a run from its manifest: same settings, seed and shocks; takes a while.

        Its tables are the same as those of the run, which compare_runs shows.
        """
        folder = self._runs.folder.folder_of(run)
        change_settings(run_to_continue(folder).settings, {})
        out = self._out(name, f"{folder.name}-again")
        return self._made(out, lambda listen: repeat(folder, out, progress=listen), ctx)

    def _out(self, name: str, base: str) -> Path:
        folder = self._runs.folder
        return folder.new_folder(name or folder.free_name(base))

    def _made(self, out: Path, make: Callable[[StepProgress], object], ctx: Context) -> Made:
        if not self._making.acquire(blocking=False):
            raise StateError("another run is in progress; try again when it is done")
        try:
            make(_progress_to(ctx))
        except StopRun:
            anyio.from_thread.check_cancelled()
            raise StateError(f"{out.name} was stopped; its checkpoint is kept") from None
        finally:
            self._making.release()
            if out.is_dir():
                self._runs.folder.add(out.name)
        content = read_content(out)
        kept = ", ".join((content["fork"] or {}).get("kept", ()))
        return Made(
            run=out.name,
            status=str(content["status"]),
            steps=int(content["ticks"]),
            seed=str(content["seed"]),
            note=f"unchanged by the fork: {kept}" if kept else "",
        )


def _progress_to(ctx: Context) -> StepProgress:
    """Report progress to the client; stop the run if the client cancels."""
    last = [0.0]

    def listen(done: int, total: int, date: datetime) -> None:
        try:
            anyio.from_thread.check_cancelled()
        except CancelledError:
            raise StopRun from None
        now = time.monotonic()
        if done == total or now - last[0] >= _EVERY:
            last[0] = now
            words = f"{date:%d %b %Y %H:%M}"
            anyio.from_thread.run(partial(ctx.report_progress, done, total, words))

    return listen


def change_settings(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return settings with a client's changes, which may name no model and no file."""
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
        raise SettingsError(
            f"{one.key} was given {one.value[:80]!r}, which is no built-in name; files are not "
            "allowed here"
        )
    _check_size(chosen)
    return chosen


def run_to_continue(folder: Path) -> SavedRun:
    """Read a run that is to be forked or repeated.

    Raises TrustError if it names code, a file or a server, which a client cannot allow, or
    MemopolisError if it cannot be read.
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
