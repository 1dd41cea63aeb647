"""Tools that create runs, offered only with `--write`."""

import time
from asyncio import CancelledError
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Lock

import anyio.from_thread
from mcp.server.mcpserver import Context

from memopolis.mcp_server import arguments as arg
from memopolis.mcp_server.answers import Answer
from memopolis.mcp_server.served_runs import ServedRuns
from memopolis.sim.errors import SettingsError, StateError, TrustError
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
MOST_AGENT_STEPS = 5_000_000  # maximum of agents times steps of a run that a client creates


class MakingTools:
    """Tools that create runs, one at a time, without overwriting anything."""

    def __init__(self, runs: ServedRuns) -> None:
        self._runs = runs
        self._making = Lock()

    def run_scenario(
        self, *, scenario: arg.Scenario, ctx: Context, settings: arg.Settings = None,
        seed: arg.Seed = 1, name: arg.NewName = "",
    ) -> Answer:  # fmt: skip
        """Run an installed scenario and record it; takes a while.

        The same scenario, settings and seed give the same run. Start small: agents 300, days 3.
        """
        arg.check_known("there is no installed scenario", scenario, scenario_names())
        society = find_scenario(scenario)
        chosen = change_settings(society.settings_class(), settings or {})
        out = self._runs.new_folder(name, f"{scenario}-{str(seed)[:_DIGITS]}")
        return self._made(
            out, lambda listen: society(chosen, rng=seed).run(out, progress=listen), ctx
        )

    def fork_run(
        self, *, at: arg.Moment, ctx: Context, run: arg.Run = "", changes: arg.Settings = None,
        name: arg.NewName = "",
    ) -> Answer:  # fmt: skip
        """Continue a copy of a run with other settings from a step on; takes a while.

        Without changes the fork is identical to the run. Compare both with compare_runs.
        """
        folder = self._runs.folder_of(run)
        plain = dict(changes or {})
        change_settings(run_to_continue(folder).settings, plain)
        out = self._runs.new_folder(name, f"{folder.name}-fork")
        moment = int(at) if at.strip().isdecimal() else at
        return self._made(
            out, lambda listen: fork(folder, out, at=moment, changes=plain, progress=listen), ctx
        )

    def repeat_run(self, *, ctx: Context, run: arg.Run = "", name: arg.NewName = "") -> Answer:
        """Reproduce a run from its manifest: same settings, seed and shocks; takes a while.

        Its tables are the same as those of the run, which compare_runs shows.
        """
        folder = self._runs.folder_of(run)
        change_settings(run_to_continue(folder).settings, {})
        out = self._runs.new_folder(name, f"{folder.name}-again")
        return self._made(out, lambda listen: repeat(folder, out, progress=listen), ctx)

    def _made(self, out: Path, make: Callable[[StepProgress], object], ctx: Context) -> Answer:
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
                self._runs.add(out.name)
        content = read_content(out)
        kept = ", ".join((content["fork"] or {}).get("kept", ()))
        return Answer.of(
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
    for setting in external_settings(chosen):
        if setting.key in keys:
            no_file = ", which is no built-in name; files are not allowed here"
            no_server = "; models and servers are chosen by the user who starts the server"
            why = no_server if setting.kind == "server" else no_file
            raise SettingsError(f"{setting.key} was given {setting.value[:80]!r}{why}")
    work = chosen.agents * chosen.days * 24 / chosen.tick
    if work > MOST_AGENT_STEPS:
        raise SettingsError(
            f"{chosen.agents:,} agents for {chosen.days:g} days need {work:,.0f} agent-steps; "
            f"at most {MOST_AGENT_STEPS:,} are allowed here, so set fewer agents or days"
        )
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
