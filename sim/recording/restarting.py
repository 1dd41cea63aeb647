"""Restart a run from its newest checkpoint after the process of a part has died."""

import warnings
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import PartLostError
from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.run_folder.integrity import IntegrityCheck
from memopolis.sim.state.checkpoints import newest, read
from memopolis.sim.state.rebuilding import add_interventions, built_for, restore_read

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase


def restart(society: "SocietyBase[Any]", recorder: Recorder, failure: PartLostError) -> Recorder:
    """Set a society and the tables of its run to the newest checkpoint.

    Returns a recorder that continues from there. Raises `failure` if there is no checkpoint.
    """
    folder, step = recorder.folder, round(society.time)
    manifest = recorder.manifest("interrupted")
    intact = IntegrityCheck(folder, manifest)
    checkpoint, _ = newest(folder, check=intact.check)
    if checkpoint is None:
        raise failure
    state = read(checkpoint)
    rebuilt = built_for(state, type(society), society.settings)
    restore_read(rebuilt, state)
    add_interventions(rebuilt, manifest["interventions"])
    # The caller's society continues: both objects share their attributes from now on.
    society.__dict__ = rebuilt.__dict__
    line = f"{failure} in step {step}; the run continues from step {checkpoint.step}"
    warnings.warn(line, RuntimeWarning, stacklevel=2)
    entries = recorder.entries | {
        "resumed": [*manifest.get("resumed", ()), {"step": checkpoint.step}],
        "warnings": [*recorder.entries.get("warnings", ()), line],
    }
    return Recorder(folder, society, position=intact.position(state), entries=entries)
