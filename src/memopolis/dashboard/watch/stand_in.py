"""For the time until the real one is there."""

from memopolis.analysis.load import Run
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.manifest import read_content


class UnderWay:
    """As agreed."""

    def __init__(self, by_hand: RunByHand) -> None:
        self._by_hand = by_hand

    def now(self) -> Run:
        """What stands."""
        with self._by_hand.lock:
            self._by_hand.recorder.position()
        manifest = read_content(self._by_hand.folder) | {"ticks": self._by_hand.step}
        return Run(self._by_hand.folder, manifest)
