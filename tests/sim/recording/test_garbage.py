import gc
import subprocess
import sys

from memopolis.sim.recording.garbage import freeze_agents

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


def test_objects_frozen_by_a_worker_stay_frozen() -> None:
    subprocess.run([sys.executable, "-c", OF_A_WORKER], check=True)
