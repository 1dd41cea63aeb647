"""The citizen: a person of any age, with needs, feelings, opinions, plans and a home."""

from memopolis.agents.activities import Activity
from memopolis.sim.memory.streams.emotion import EMOTIONS
from memopolis.sim.population import Agent, Cohort, attribute

AGE_OF_REASON = 7
"""Age in years from which people follow news, talk, judge and think (illustrative)."""

SHOPPING_AGE = 16
"""Age in years from which people shop and pay for themselves (illustrative)."""


def old_enough(citizens: Cohort) -> Cohort:
    """Those who follow news, talk, judge and think."""
    return citizens.where(citizens.status["age"] >= AGE_OF_REASON)


class Citizen(Agent):
    """A person. What it is told to be comes from data or a scenario; defaults are plain.

    Needs are satisfactions in [0, 1], emotions intensities in 0..10, attitudes ratings from
    0 (oppose) to 10 (support). Start values follow AgentSociety 1.5.7.
    """

    # Who it is
    name: str = attribute("", description="Given name and family name", record=True)
    gender: str = attribute("female", description="Gender", record=True)
    age: int = attribute(
        40, description="Age", unit="years", low=0, high=110, dtype="i2", record=True
    )
    race: str = attribute("", description="Race", record=True)
    religion: str = attribute("", description="Religion")
    marriage_status: str = attribute("single", description="Marriage status")
    education: str = attribute("", description="Highest education")
    occupation: str = attribute("none", description="Group of occupations", record=True)
    personality: str = attribute("", description="Dominant trait of character")
    household: int = attribute(0, description="Number of the household", record=True)
    income: float = attribute(
        0.0, description="Income of the household", unit="USD/year", low=0, record=True
    )
    skill: float = attribute(0.0, description="Hourly wage", unit="USD/h", low=0)

    # Where it is; zones are numbers of the place, -1 is away
    home: int = attribute(0, description="Zone of residence", dtype="i2", record=True)
    workplace: int = attribute(-1, description="Zone of work or school, -1 for none", dtype="i2")
    place: int = attribute(
        0, description="Zone now, -1 away from the region", dtype="i2", record=True
    )
    target: int = attribute(0, description="Zone the plan leads to", dtype="i2")
    trips: int = attribute(0, description="Trips in this step", dtype="u1")
    travel_minutes: float = attribute(
        0.0, description="Time spent travelling in this step", unit="min"
    )

    # What it needs
    hunger: float = attribute(0.9, description="Satisfaction of hunger", low=0, high=1, record=True)
    energy: float = attribute(
        0.9, description="Satisfaction of the need for rest", low=0, high=1, record=True
    )
    safety: float = attribute(
        0.4, description="Satisfaction of the need for safety", low=0, high=1, record=True
    )
    social: float = attribute(
        0.6, description="Satisfaction of the need for company", low=0, high=1, record=True
    )

    # What it does
    plan: int = attribute(0, description="Number of the running plan, 0 for none", dtype="u1")
    plan_step: int = attribute(0, description="Step of the plan, from 0", dtype="u1")
    until: int = attribute(0, description="Tick at which the step ends")
    credit: float = attribute(
        0.0, description="Share of the last plan that was carried out", low=0, high=1
    )
    doing: int = attribute(
        0,
        description="Number of the activity in this step",
        dtype="u1",
        record=True,
        labels=tuple(a.name.lower().replace("_", " ") for a in Activity),
    )
    paused_step: int = attribute(
        -1, description="Step of the work that was broken off today, -1 for none", dtype="i1"
    )
    paused_ticks: int = attribute(0, description="Ticks that were left of that step", dtype="i2")
    worked_on: int = attribute(
        -1, description="Day of the last work or school day begun", dtype="i2"
    )

    # What it earns and spends
    employer: int = attribute(-1, description="Row of the firm, -1 for none")
    spent: int = attribute(0, description="Money spent in this step", unit="cents")

    # What it feels and thinks
    emotion: dict[str, float] = attribute(
        {"sadness": 5.0, "joy": 5.0, "fear": 5.0, "disgust": 5.0, "anger": 5.0, "surprise": 5.0},
        description="Intensity of an emotion",
        low=0,
        high=10,
        record=True,
    )
    emotion_word: int = attribute(
        0, description="Number of the emotion word", dtype="u1", record=True, labels=("", *EMOTIONS)
    )
    thought: int = attribute(
        -1, description="Id of the latest thought in the stream, -1 for none", record=True
    )
    attitude: dict[str, float] = attribute(
        {"government_trust": 5.0, "emergency_preparedness": 5.0},
        description="Attitude, from 0 (oppose) to 10 (support)",
        low=0,
        high=10,
        record=True,
    )
    conviction: dict[str, float] = attribute(
        {"government_trust": 0.0, "emergency_preparedness": 0.0},
        description="Strength of an attitude, which slows its change",
        low=0,
        high=1,
    )
