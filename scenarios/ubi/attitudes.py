"""Attitudes of citizens and institutions, their memory topics, and cognition at monthly steps."""

from memopolis.agents.appraisal import Attitude, outlook
from memopolis.agents.block_settings import CognitionSettings
from memopolis.sim.memory.retrieval.profiles import Profile

# Illustrative: effect of the topics of a month's memories on attitudes. The valence of a memory is
# what the event meant to the agent, so all effects are positive.
ATTITUDES = (
    Attitude(
        "government_trust",
        "the government, taxes, the basic income and help from the government",
        {"policy": 1.0, "tax": 0.8, "help": 1.0, "prices": 0.4, "job": 0.2},
    ),
    Attitude("work", "my job, work and pay", {"job": 0.8, "pay": 1.0}),
    Attitude(
        "basic_income",
        "the basic income and the surtax that pays for it",
        {"policy": 1.0, "tax": 1.0},
    ),
)

FIRM_ATTITUDES = (
    outlook("our customers, shelves, staff and costs", "sales", "shortage", "staff", "price"),
)
BANK_ATTITUDES = (
    outlook("unemployment, and borrowers who could not repay us", "unemployment", "default"),
    # High inflation is a bad memory, and raises concern.
    Attitude("inflation_concern", "inflation compared with our target", {"inflation": -1.0}),
)
GOVERNMENT_ATTITUDES = (
    outlook("unemployment, poverty and our budget", "unemployment", "poverty", "budget"),
    Attitude("public_approval", "what people think of us and of our policy", {"reaction": 1.0}),
)
BUREAU_ATTITUDES = (outlook("the figures that we published", "figures"),)
"""Attitudes of institutions; all effects are illustrative."""

PROFILE = "month"
"""Retrieval profile of all monthly questions."""

# Steps longer than a day count as one day: 24 h are a month here, so an event of half a year ago
# has half the recency (illustrative).
PROFILES = {PROFILE: Profile(recency=0.5, importance=0.5, relevance=1.0, half_life=6 * 24.0)}

MONTH_HOURS = 720.0
"""Hours of a month of 30 days, the length of a step."""


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
