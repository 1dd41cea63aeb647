"""Danger that institutions recall: forecasts and storms since the last all-clear."""

import numpy as np

from memopolis.agents.experience import Experience
from memopolis.scenarios.hurricane.padm import perceived_threat
from memopolis.sim.arrays import Float32
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.population import Cohort

QUERY = "hurricane forecast: storm winds, or the danger has passed"
DANGERS = ("forecast", "storm")
RELIEF = "relief"
SCALE = 2.0  # weighted sum of memories at which danger is 1 - 1/e (illustrative)
RECENT = 48.0  # age in hours up to which a forecast counts (illustrative)


def recall_danger(agents: Cohort, *, k: int) -> tuple[Float32, Experience]:
    """Recall at most k recent reports, and compute the danger that they amount to, in [0, 1).

    Only memories since the last all-clear count.
    """
    clock = agents.population.society.clock
    recent = Filter(ticks=(clock.tick - clock.ticks(RECENT), clock.tick))
    experience = Experience.recall(agents, QUERY, k=k, where=recent)
    time = experience.column("time")
    last = np.where(experience.about(RELIEF), time, -(2**30)).max(axis=1)
    valid = experience.about(*DANGERS) & (time > last[:, None])
    bad = np.where(valid, np.maximum(-experience.column("valence"), 0), 0)
    weight = experience.recalled.scores * experience.column("importance")
    total = (weight * experience.column("confidence") * bad).sum(axis=1)
    return perceived_threat(total, scale=SCALE), experience
