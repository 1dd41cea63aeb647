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


def test_what_there_is_when_a_run_begins_is_not_looked_at_until_it_ends() -> None:
    before = gc.get_freeze_count()
    with freeze_agents():
        assert gc.get_freeze_count() > before
    assert gc.get_freeze_count() == 0


def test_what_a_worker_froze_stays_frozen() -> None:
    subprocess.run([sys.executable, "-c", OF_A_WORKER], check=True)
