import gc
import subprocess
import sys
import weakref

from memopolis.sim.recording.garbage import freeze_agents, freeze_others

OF_A_WORKER = """
import gc
from memopolis.sim.recording.garbage import freeze_agents, freeze_permanently

freeze_permanently()
frozen = gc.get_freeze_count()
assert frozen > 0
with freeze_agents():
    assert gc.get_freeze_count() == frozen
assert gc.get_freeze_count() == frozen
"""


def test_existing_objects_are_frozen_for_the_garbage_collector_during_a_run() -> None:
    before = gc.get_freeze_count()
    with freeze_agents():
        assert gc.get_freeze_count() > before
    assert gc.get_freeze_count() == 0


def test_a_short_run_leaves_no_garbage_and_does_not_thaw_what_exists() -> None:
    with freeze_others():
        # Frozen objects may still be freed, so that their number can fall.
        with freeze_agents():
            assert gc.get_freeze_count() > 0
        assert gc.get_freeze_count() > 0
        made = weakref.ref(model := Cycle())
        model.own = model
        del model
    assert made() is None
    assert gc.get_freeze_count() == 0


class Cycle:
    """An object that refers to itself."""

    own: "Cycle"


def test_objects_frozen_by_a_worker_stay_frozen() -> None:
    subprocess.run([sys.executable, "-c", OF_A_WORKER], check=True)
