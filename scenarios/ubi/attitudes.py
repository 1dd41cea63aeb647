"""Attitudes of citizens and institutions, their memory topics, and cognition at monthly steps."""

from memopolis.agents.appraisal import read_attitudes
from memopolis.agents.block_settings import CognitionSettings
from memopolis.sim.memory.retrieval.profiles import Profile

ATTITUDES = read_attitudes(__file__, "citizen")
PROFILE = "month"  # retrieval profile of all monthly questions

# Steps longer than a day count as one day: 24 h are a month here, so an event of half a year ago
# has half the recency (illustrative).
PROFILES = {PROFILE: Profile(recency=0.5, importance=0.5, relevance=1.0, half_life=6 * 24.0)}

MONTH_HOURS = 720.0  # hours of a month of 30 days, the length of a step


# Feelings decay over months here, not hours. All values are illustrative: a feeling has a half-life
# of three months, and the effect of an event on attitudes one of half a year. An attitude update,
# once in three months, covers up to 6 % of the remaining distance.
COGNITION = CognitionSettings(
    calm_half_life=3 * MONTH_HOURS,
    fresh=6 * MONTH_HOURS,
    gain=5.0,
    memories=10,
    attitude_rate=0.06,
    profile=PROFILE,
)
"""Settings of cognition for steps of a month."""
