"""Fork a run at a step: the same past and random seed, other settings from then on.

A `Branch` continues a copy of a running society, such as without a shock that was sent into it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError, SettingsError
from memopolis.sim.recording.checkpointing import Checkpointing
from memopolis.sim.recording.loop import run_to_end
from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.run_folder.folder import check_unused, copy_files, owned, writing
from memopolis.sim.run_folder.integrity import IntegrityCheck
from memopolis.sim.run_size import check_size
from memopolis.sim.running.building import Built, society_from
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.saved_run import (
    Restored,
    SavedRun,
    warn_checkpoints_refused,
    warn_code_changed,
)
from memopolis.sim.running.trust import Trust
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import newest
from memopolis.sim.state.state import State, state_of

if TYPE_CHECKING:
    from memopolis.sim.progress import StepProgress
    from memopolis.sim.run_size import SizeCheck


def fork(
    folder: str | Path,
    out: str | Path,
    *,
    at: int | str | datetime,
    changes: Mapping[str, object] | None = None,
    scenario: type[Society[Any]] | str | None = None,
    trust: bool = False,
    progress: "StepProgress | None" = None,
    check: "SizeCheck | None" = None,
) -> Path:
    """Continue a run in another folder from a step on, with changed settings.

    The fork copies the run up to that step and uses the same random seed: an agent that acts as
    before draws the same random numbers. Without changes, its tables equal those of the run.
    Returns the folder of the fork, for `load_run`. Further arguments and errors are those of
    `resume`.

    Args:
        folder: Folder of the run.
        out: Folder of the fork; must not exist or be empty.
        at: Number of steps, or date, at which the fork begins.
        changes: New settings, nested or by dotted key; None for no change. Settings of the run
            that name a file or a server must be repeated here with the same value.
        scenario: Class or name of the scenario; None for the one in the manifest.
        trust: Whether the folder may name any code, files and servers, see SECURITY.md.
        progress: Called after each step with steps done, total steps and the date.
        check: Called with scenario and settings before the society is built; may refuse them.
    """
    plain, out = {} if changes is None else dict(changes), Path(out)
    run = SavedRun.read(Path(folder), Trust(plain, scenario, everything=trust))
    step = _step(run, at)
    settings = run.settings.with_changes(plain) if plain else run.settings
    until = run.until if settings.days == run.settings.days else run.steps_of(settings.days)
    if step >= until:
        raise ParameterError(
            f"at is step {step}, and the fork has only {until} steps; choose an earlier step"
        )
    check_unused(out)
    if check is not None:
        check(run.scenario, settings)
    warn_code_changed(run)
    intact = IntegrityCheck(run.folder, run.manifest)
    restored = Restored(run, run.settings, intact)
    checkpoint, refused = newest(run.folder, at_most=step, check=restored.check)
    warn_checkpoints_refused(refused, checkpoint.step if checkpoint else run.began)
    society, built = restored.complete()
    position = None if restored.state is None else intact.position(restored.state)
    del restored  # the society holds the arrays of the state now
    if plain:
        _check_change(built, Built.of(run.scenario(settings, rng=run.seed)))
    fork_of = {"of": run.folder.resolve().name, "step": step, "changes": _as_json(plain)}
    entries = {"began": run.began, "until": until, "fork": fork_of}
    with owned(out):
        if position is not None:
            with writing(out):
                copy_files(run.folder, out, position["files"])
        recorder = Recorder(out, society, position=position, entries=entries)
        run_to_end(society, recorder, leave_at=step, progress=progress)
        # As if read from a file, sharing nothing with the society.
        position = recorder.position() | {"mind": society.mind.state()}
        state = state_of(society)
        state = State(state.arrays, _as_json({**state.plain, "position": position}))
        del society
        _continue_fork(run, state, settings, built, recorder=recorder, progress=progress)
    return out


def _step(run: SavedRun, at: int | str | datetime) -> int:
    """Return the number of steps done at a date, which must be within the run."""
    try:
        step = at if isinstance(at, int) else run.clock.tick_of(at)
    except ParameterError as error:
        raise ParameterError(f"at is neither a number of steps nor a date: {error}") from None
    if not run.began <= step <= run.until:
        first, last = run.clock.date_of(run.began), run.clock.date_of(run.until)
        raise ParameterError(
            f"at is {at}; the run in {run.folder} has the steps {run.began} to {run.until}, "
            f"{first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M}"
        )
    return step


def _check_change(before: Built, after: Built) -> None:
    """Refuse a change of settings that changes the agents, blocks, place or clock."""
    for what in ("start", "hours", "zones", "agents", "blocks"):
        if getattr(before, what) != getattr(after, what):
            raise SettingsError(
                f"this change cannot be made during a run: it changes {_NAMES[what]} of the "
                f"society; start a new run"
            )


_NAMES = {
    "start": "the first day",
    "hours": "the length of a step",
    "agents": "the number of agents",
    "blocks": "the blocks",
    "zones": "the place",
}


def _continue_fork(
    run: SavedRun,
    state: State,
    settings: Settings,
    before: Built,
    *,
    recorder: Recorder,
    progress: "StepProgress | None",
) -> None:
    """Continue with the settings of the fork."""
    society, after = society_from(state, run.scenario, settings, before=before)
    entries, out = recorder.entries, recorder.folder
    # A fork keeps the values of attributes that the change would alter at the start.
    common = before.status.keys() & after.status.keys()
    if kept := sorted(name for name in common if before.status[name] != after.status[name]):
        entries["fork"] = {**entries["fork"], "kept": kept}
    recorder = Recorder(out, society, position=state.plain["position"], entries=entries)
    recorder.static_from(entries["fork"]["step"])
    # A fork that is killed can be resumed only from a checkpoint.
    Checkpointing(society, recorder).write()
    run_to_end(society, recorder, progress=progress)


def _as_json(plain: Mapping[str, Any]) -> dict[str, Any]:
    copied: dict[str, Any] = json.loads(json.dumps(plain, default=str))
    return copied


_TABLES = ("agents", "decisions", "measures")  # tables that a copy records


@dataclass(frozen=True, eq=False)
class Branch:
    """The state of a society between two steps, from which a copy of it continues."""

    step: int  # number of steps that the society had done
    scenario: type[Society[Any]]  # class of the society
    settings: Any  # settings of the copy
    state: State  # the state; it shares nothing with the society

    @classmethod
    def of(cls, society: Society[Any]) -> "Branch":
        """Copy the state of a society, which must not take a step meanwhile.

        Raises ParameterError if a copy would ask a model again, or use the same store of memories,
        or SettingsError if there is not enough memory for it.
        """
        settings = society.settings
        if settings.mind != "rule":
            raise ParameterError(
                "decisions are made by a model, which a run without this would ask again"
            )
        if settings.memory.store != "arrays":
            raise ParameterError(
                f"memories are stored in {settings.memory.store}, for one run only"
            )
        check_size(type(society), settings)
        state = state_of(society)
        arrays = {name: values.copy() for name, values in state.arrays.items()}
        plain = json.loads(json.dumps(state.plain, default=str))
        own = settings.with_changes({"record.tables": list(_TABLES)})
        return cls(round(society.time), type(society), own, State(arrays, plain))

    def begin(self, folder: Path) -> RunByHand:
        """Build the copy, and record its next steps in an empty or missing folder."""
        society, _ = society_from(self.state, self.scenario, self.settings)
        return RunByHand(society, folder)
