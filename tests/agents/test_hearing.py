"""News is not received after the longest delay that a draw can have."""

import numpy as np

from memopolis.agents.hearing import compute_delays, compute_longest_delay


def test_no_delay_exceeds_the_longest() -> None:
    last = np.full(24, np.nextafter(1.0, 0.0))
    for mean in (0.5, 4.0, 48.0):
        delays = [compute_delays(last, hour, mean=mean).max() for hour in range(24)]
        assert max(delays) <= compute_longest_delay(mean)
