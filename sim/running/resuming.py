"""Going on with a run that was killed, interrupted or failed, or for more days."""

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.mind.mind import facts_of
from memopolis.sim.record import BEGINNING, Recorder
from memopolis.sim.running.code_version import code_version
from memopolis.sim.running.folder import owned
from memopolis.sim.running.kept import KeptRun
from memopolis.sim.running.loop import run_to_the_end
from memopolis.sim.running.manifest import read_content
from memopolis.sim.running.moved import Built, society_from, society_moved
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import Checkpoint, checkpoints_of, newest, read, remove
from memopolis.sim.state.state import State

if TYPE_CHECKING:
    from memopolis.sim.society import Progress


def resume(
    folder: str | Path,
    *,
    days: float | None = None,
    scenario: type[Society[Any]] | str | None = None,
    progress: "Progress | None" = None,
) -> Path:
    """Go on with a run from its last whole checkpoint, or from the start where it has none.

    A run that was killed, interrupted or failed goes on to its end; its tables are then the
    same as those of a run that was never stopped. One that succeeded goes on for more days.

    Args:
        folder: Of the run.
        days: Length of the whole run; None for the length it was to have.
        scenario: Its class, where that lies in a notebook, or its name where its file was
            moved; None for the one that the manifest names.
        progress: Called after each step with steps done, steps in all and the date.

    Returns:
        The folder, for `load_run`. Nothing is done where the run has that length already.

    Raises:
        RunFolderError: If there is no run, it is under way, is of another format, or rests on
            data that has changed.
        UnknownNameError: If its scenario is not found.
        StateError: If its scenario now has other populations or blocks.
        ParameterError: If `days` is less than what is done.
    """
    folder = Path(folder)
    read_content(folder)  # no lock is left where there is no run
    with owned(folder):
        run = KeptRun.read(folder, scenario)
        until = run.until if days is None else run.steps_of(days)
        if run.status == "succeeded" and until == run.until:
            return folder
        settings = run.settings if days is None else run.settings.with_changes({"days": days})
        tell_other_code(run)
        _go_on(run, settings, until, progress)
    return folder


def _go_on(run: KeptRun, settings: Settings, until: int, progress: "Progress | None") -> None:
    checkpoint, refused = newest(run.folder)
    done = run.until if run.status == "succeeded" else checkpoint.step if checkpoint else 0
    if until < done:
        raise ParameterError(
            f"the run in {run.folder} has made {done} steps already, "
            f"{run.clock.date_of(done):%Y-%m-%d %H:%M} is reached; give more days than that"
        )
    step = run.began if checkpoint is None else checkpoint.step
    moved = checkpoint is not None and settings.days != run.settings.days
    longer = {"days": settings.days} if moved else {}
    story = {
        "began": run.began,
        "until": until,
        "resumed": [*run.manifest.get("resumed", ()), {"step": step, **longer}],
        **({"fork": run.fork} if run.fork else {}),
        **({"warnings": refused} if refused else {}),
    }
    if checkpoint is None:
        society = _from_start(run, settings)
        tell_refused(refused, step)
        recorder = Recorder(run.folder, society, position=BEGINNING, story=story)
    else:
        state = read(checkpoint)
        society, _ = society_of_run(run, state, settings)
        run.give(society)  # what was given after the checkpoint
        tell_refused(refused, step)
        position = state.plain["position"]
        recorder = Recorder(run.folder, society, position=position, story=story)
        if state.plain["settings"] != json.loads(settings.model_dump_json()):
            recorder.static_from(step)
    _remove_later(run.folder, checkpoint)
    run_to_the_end(society, recorder, progress=progress)


def _from_start(run: KeptRun, settings: Settings) -> Society[Any]:
    """The society as it was before its first step."""
    check_from_start(run)
    society = run.scenario(settings, rng=run.seed)
    run.give(society)
    check_mind(run, society)
    return society


def society_of_run(run: KeptRun, state: State, settings: Settings) -> tuple[Society[Any], Built]:
    """Build the society of a run from one of its states.

    Args:
        run: The run.
        state: Of one of its checkpoints.
        settings: From now on; they may be others than those the state was saved with.

    Returns:
        The society, and what it was like when it was built.

    Raises:
        RunFolderError: If data has changed, or its mind was another one.
        StateError: If it has other populations or blocks.
    """
    saved = run.scenario.settings_class(**state.plain["settings"])
    society, built = society_from(state, run.scenario, saved)
    check_mind(run, society)
    if saved != settings:
        society, built = society_moved(state, run.scenario, settings, built)
    check_data(run, society)
    return society, built


def check_from_start(run: KeptRun) -> None:
    """Refuse to make a run anew whose start is not a function of settings and seed.

    Raises:
        RunFolderError: If it began from another run, or after some steps.
    """
    if run.fork or run.began:
        what = (
            f"a fork of {run.fork['of']}"
            if run.fork
            else f"of a society that had made {run.began} steps before"
        )
        raise RunFolderError(
            f"the run in {run.folder} is {what} and has no whole checkpoint there, so it cannot "
            f"go on; make it again"
        )


def check_data(run: KeptRun, society: Society[Any]) -> None:
    """Refuse to go on from a state where the files that it rests on have changed.

    Raises:
        RunFolderError: If one has.
    """
    then, now = run.manifest.get("data", {}), society.data_hashes()
    changed = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    if changed:
        raise RunFolderError(
            f"the run in {run.folder} rests on data that has changed since: "
            f"{', '.join(changed)}; put the old files back, or run it anew"
        )


def tell_other_code(run: KeptRun) -> None:
    """Warn that what a run recorded so far and what follows are made by different code."""
    then = run.manifest.get("code")
    if then is not None and then != code_version(run.scenario):
        told = (
            f"the code of Memopolis or of {run.manifest['title']} has changed since the run in "
            f"{run.folder} began; what follows is made by that of now"
        )
        warnings.warn(told, RuntimeWarning, stacklevel=4)


def check_mind(run: KeptRun, society: Society[Any]) -> None:
    """Refuse to go on with another mind than the run began with.

    Raises:
        RunFolderError: If its mind is another one.
    """
    then, now = run.manifest.get("mind", {}), facts_of(society.mind)
    if _models(then) != _models(now):
        raise RunFolderError(
            f"the run in {run.folder} was thought by {_named(then)}, and its scenario and "
            f"settings now give {_named(now)}; a mind that was set by hand is kept with no run"
        )


def _models(facts: Any) -> list[str]:
    return [str(one.get("model")) for one in facts.get("minds", [facts] if facts else [])]


def _named(facts: Any) -> str:
    return ", ".join(_models(facts)) or "rules"


def tell_refused(refused: list[str], step: int) -> None:
    """Warn of checkpoints that are broken, a line each, and name the step that is used."""
    for line in refused:
        told = f"{line}; an earlier state is used, that of step {step}"
        warnings.warn(told, RuntimeWarning, stacklevel=4)


def _remove_later(folder: Path, checkpoint: Checkpoint | None) -> None:
    """Remove checkpoints that were refused, and so stand for nothing that will happen."""
    for other in checkpoints_of(folder):
        if checkpoint is None or other.step > checkpoint.step:
            remove(other)
