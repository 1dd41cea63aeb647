"""A run that parts from another at a step: the same past and luck, other settings from then on."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError, SettingsError
from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.running.checkpointing import Checkpointing
from memopolis.sim.running.folder import check_unused, copy_files, owned, writing
from memopolis.sim.running.intact import Intact
from memopolis.sim.running.kept import KeptRun
from memopolis.sim.running.kept_checks import tell_other_code, tell_refused
from memopolis.sim.running.loop import run_as_before, run_to_the_end
from memopolis.sim.running.moved import Built, society_moved
from memopolis.sim.running.trust import Trust
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import newest, read
from memopolis.sim.state.state import State, state_of

if TYPE_CHECKING:
    from memopolis.sim.run_size import SizeCheck
    from memopolis.sim.society_base import Progress


def fork(
    folder: str | Path,
    out: str | Path,
    *,
    at: int | str | datetime,
    changes: Mapping[str, object] | None = None,
    scenario: type[Society[Any]] | str | None = None,
    trust: bool = False,
    progress: "Progress | None" = None,
    check: "SizeCheck | None" = None,
) -> Path:
    """Branch a run: what if something had been otherwise from a step on?

    The fork has the past of the run that it parts from, and the same seed: whoever acts as
    before has the same luck. Without a change its tables are the same as those of the run.

    Args:
        folder: Of the run to part from.
        out: Folder of the fork; must not exist or be empty.
        at: Steps after which it parts, or the date at which it does.
        changes: Settings from then on, nested or by dotted key; None for no change. A setting of
            the run that names a file or a server is repeated here, with the same value.
        scenario: Its class, or its name as `memopolis run` takes it; None for the one that the
            manifest names, if that is installed.
        trust: Whether the folder may name any code, files and servers, see SECURITY.md.
        progress: Called after each step with steps done, steps in all and the date.
        check: Called with scenario and settings before the society is built; it may refuse them.

    Returns:
        The folder of the fork, for `load_run`.

    Raises:
        RunFolderError: If there is no run, `out` holds something, or data has changed.
        ParameterError: If `at` lies outside of the run.
        SettingsError: If a change is unknown or not allowed, or cannot be made midway.
        TrustError: If the run names code, a file or a server that was not repeated.
        UnknownNameError: If the scenario is not found.
        StateError: If the scenario now has other populations or blocks.
    """
    plain, out = {} if changes is None else dict(changes), Path(out)
    run = KeptRun.read(Path(folder), Trust(plain, scenario, everything=trust))
    step = _step(run, at)
    settings = run.settings.with_changes(plain) if plain else run.settings
    until = run.until if settings.days == run.settings.days else run.steps_of(settings.days)
    if step >= until:
        raise ParameterError(f"at is step {step}, and the fork has {until} steps: none is left")
    check_unused(out)
    if check is not None:
        check(run.scenario, settings)
    tell_other_code(run)
    intact = Intact(run.folder, run.manifest)
    checkpoint, refused = newest(run.folder, at_most=step, check=intact.check)
    tell_refused(refused, checkpoint.step if checkpoint else run.began)
    state = None if checkpoint is None else read(checkpoint)
    society, built = run.society(state=state)
    position = None if state is None else intact.position(state)
    del state  # what it holds is held by the society now
    if plain:
        _check_change(built, Built.of(run.scenario(settings, rng=run.seed)))
    fork_of = {"of": run.folder.resolve().name, "step": step, "changes": _as_json(plain)}
    story = {"began": run.began, "until": until, "fork": fork_of}
    with owned(out):
        if position is not None:
            with writing(out):
                copy_files(run.folder, out, position["files"])
        recorder = Recorder(out, society, position=position, story=story)
        run_as_before(society, recorder, step, progress=progress)
        state = _state(society, recorder)
        del society
        _depart(run, state, settings, built, recorder=recorder, progress=progress)
    return out


def _step(run: KeptRun, at: int | str | datetime) -> int:
    """Steps that are done at a moment, within the run."""
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
    """Refuse a change that would make other agents, other behaviours or another world.

    Raises:
        SettingsError: If it would.
    """
    for what in ("start", "hours", "zones", "agents", "blocks"):
        if getattr(before, what) != getattr(after, what):
            raise SettingsError(
                f"such a change cannot be made midway: it changes {_NAMES[what]} of the society; "
                f"run it from the start"
            )


_NAMES = {
    "start": "the first day",
    "hours": "the length of a step",
    "agents": "the number of agents",
    "blocks": "the blocks",
    "zones": "the place",
}


def _state(society: Society[Any], recorder: Recorder) -> State:
    """The state of a society as it would come from a file: nothing in it is shared."""
    position = recorder.position() | {"mind": society.mind.state()}
    state = state_of(society)
    return State(state.arrays, _as_json({**state.plain, "position": position}))


def _depart(
    run: KeptRun,
    state: State,
    settings: Settings,
    before: Built,
    *,
    recorder: Recorder,
    progress: "Progress | None",
) -> None:
    """Go on with the settings of the fork."""
    society, after = society_moved(state, run.scenario, settings, before)
    story, out = recorder.story, recorder.folder
    if kept := _otherwise(before, after):
        story["fork"] = {**story["fork"], "kept": kept}
    recorder = Recorder(out, society, position=state.plain["position"], story=story)
    recorder.static_from(story["fork"]["step"])
    # From it, and not from the start, a fork that is killed goes on.
    Checkpointing(society, recorder).write()
    run_to_the_end(society, recorder, progress=progress)


def _otherwise(before: Built, after: Built) -> list[str]:
    """Attributes that the change would have made otherwise at the start, which a fork keeps."""
    there = before.status.keys() & after.status.keys()
    return sorted(name for name in there if before.status[name] != after.status[name])


def _as_json(plain: Mapping[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(json.dumps(plain, default=str))
    return told
