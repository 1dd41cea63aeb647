"""A run made anew from what its manifest says: settings, seed, and what was given by hand."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import RunFolderError
from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.running.folder import check_unused, is_owned, owned
from memopolis.sim.running.kept import KeptRun
from memopolis.sim.running.kept_checks import tell_other_code
from memopolis.sim.running.loop import run_to_the_end
from memopolis.sim.running.trust import Trust

if TYPE_CHECKING:
    from memopolis.sim.run_size import SizeCheck
    from memopolis.sim.society import Society
    from memopolis.sim.society_base import Progress


def repeat(
    folder: str | Path,
    out: str | Path,
    *,
    scenario: "type[Society[Any]] | str | None" = None,
    settings: Mapping[str, object] | None = None,
    trust: bool = False,
    progress: "Progress | None" = None,
    check: "SizeCheck | None" = None,
) -> Path:
    """Make a run anew, from its manifest alone, with as many steps as it has made.

    Shocks that were sent in while it ran act in the same steps again, so its tables are the
    same, whoever stepped it. A run that was made longer with `resume` is made as one that was
    to be so long from the start.

    Args:
        folder: Of the run; of it, only the manifest is read.
        out: Folder of the new run; must not exist or be empty.
        scenario: Its class, or its name as `memopolis run` takes it; None for the one that the
            manifest names, if that is installed.
        settings: Settings of the run that name a file or a server, repeated with the same
            values, nested or by dotted key; None if it has none.
        trust: Whether the folder may name any code, files and servers, see SECURITY.md.
        progress: Called after each step with steps done, steps in all and the date.
        check: Called with scenario and settings before the society is built; it may refuse them.

    Returns:
        The folder of the new run, for `load_run`.

    Raises:
        RunFolderError: If there is no run, it has not ended, its beginning is another's, it
            rests on data that has changed, or `out` holds something.
        TrustError: If it names code, a file or a server that was not repeated.
        UnknownNameError: If the scenario is not found.
        SettingsError: If it no longer takes the run's settings, or a repeated one has another
            value in the run.
    """
    allowed = Trust(settings or {}, scenario, everything=trust)
    run, out = KeptRun.read(Path(folder), allowed), Path(out)
    allowed.check_same(run.settings, run.folder)
    _check_ended(run)
    _check_beginning(run)
    check_unused(out)
    if check is not None:
        check(run.scenario, run.settings)
    tell_other_code(run)
    society, _ = run.society()
    story = {"began": 0, "until": run.made, "repeats": run.folder.resolve().name}
    with owned(out):
        recorder = Recorder(out, society, story=story)
        run_to_the_end(society, recorder, progress=progress)
    return out


def _check_ended(run: KeptRun) -> None:
    if is_owned(run.folder):
        raise RunFolderError(f"the run in {run.folder} is under way; wait for its end or stop it")
    if run.status == "running":
        raise RunFolderError(
            f"the run in {run.folder} was killed, and its manifest does not say how far it came; "
            f"`memopolis resume {run.folder}` finishes it, then repeat it"
        )
    if not run.made:
        raise RunFolderError(f"the run in {run.folder} has made no whole step to repeat")


def _check_beginning(run: KeptRun) -> None:
    """Refuse a run whose start is not a function of settings and seed."""
    if run.fork:
        of, step = run.fork["of"], run.fork["step"]
        changes = "".join(f" --set {name}=..." for name in run.fork["changes"])
        raise RunFolderError(
            f"the run in {run.folder} is a fork, whose first {step:,} steps are those of {of}: "
            f"repeat {of}, then `memopolis fork` that at {step}{changes}"
        )
    if run.began:
        raise RunFolderError(
            f"the run in {run.folder} is of a society that had made {run.began:,} steps before, "
            f"which no manifest tells; make it again from the program that made it"
        )
