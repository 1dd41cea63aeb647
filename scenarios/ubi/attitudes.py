"""What months do to three attitudes, and the pace at which people feel, judge and forget."""

from memopolis.agents.appraisal import Attitude
from memopolis.agents.blocks.cognition import CognitionSettings
from memopolis.sim.memory.retrieval.profiles import Profile

# Illustrative: what the topics of a month's memories say about attitudes. A memory's valence
# is what it meant to somebody, so all effects are positive.
ATTITUDES = (
    Attitude(
        "government_trust",
        "the government, taxes, the basic income and help from the government",
        {"policy": 1.0, "tax": 0.8, "help": 1.0, "prices": 0.4, "job": 0.2},
    ),
    Attitude(
        "work",
        "my job, work and pay",
        {"job": 0.8, "pay": 1.0},
    ),
    Attitude(
        "basic_income",
        "the basic income and the surtax that pays for it",
        {"policy": 1.0, "tax": 1.0},
    ),
)

PROFILE = "month"
"""Retrieval profile of a month's questions."""

# Where a step is longer than a day, every step counts as a day: 24 h are a month here, so
# what happened half a year ago has half the recency (illustrative).
PROFILES = {PROFILE: Profile(recency=0.5, importance=0.5, relevance=1.0, half_life=6 * 24.0)}

_MONTH = 720.0
"""Hours of a month of 30 days."""


# Feelings calm down in months here, not in hours. All are illustrative: a feeling is half gone
# after three months, and what happened half a year ago does half of its work on an attitude. A
# judgement, which comes once in three months, takes up to 6 % of the room there is.
COGNITION = CognitionSettings(
    calm_half_life=3 * _MONTH,
    fresh=6 * _MONTH,
    gain=5.0,
    memories=10,
    attitude_rate=0.06,
    profile=PROFILE,
)
"""Settings of cognition for steps of a month."""
