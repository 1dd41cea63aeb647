"""The citizen: a person with needs, emotions, attitudes, plans and a home."""

from typing import ClassVar

from memopolis.agents.activities import Activity
from memopolis.agents.attitude_attributes import declare_attitudes, declare_convictions
from memopolis.agents.thoughts import INTENTIONS
from memopolis.sim.memory.streams.emotion import EMOTIONS
from memopolis.sim.population import PROFILE, Agent, attribute

AGE_OF_REASON = 7
"""Age in years from which people follow news, talk and form attitudes and thoughts
(illustrative)."""

SHOPPING_AGE = 16  # age in years from which people shop and pay for themselves (illustrative)


NEEDS = ("hunger", "energy", "safety", "social")  # attributes that are needs


class Citizen(Agent):
    """A person. Scenarios and data set the values; the defaults are neutral.

    Needs are levels of satisfaction in [0, 1], emotions intensities in [0, 10], attitudes ratings
    from 0 (oppose) to 10 (support). Initial values follow AgentSociety 1.5.7.
    """

    portrait: ClassVar[tuple[str, ...]] = (*PROFILE, *NEEDS)

    # Identity
    name: str = attribute("", "Given name and family name", record=True, embed=True)
    gender: str = attribute("female", "Gender", record=True)
    age: int = attribute(40, "Age", unit="years", low=0, high=110, dtype="i2", record=True)
    race: str = attribute("", "Race", record=True)
    religion: str = attribute("", "Religion")
    marriage_status: str = attribute("single", "Marriage status")
    education: str = attribute("", "Highest education")
    occupation: str = attribute("none", "Occupational group", record=True)
    personality: str = attribute("", "Dominant personality trait")
    household: int = attribute(0, "Number of the household", role="code", record=True)
    income: float = attribute(0.0, "Income of the household", unit="USD/year", low=0, record=True)
    skill: float = attribute(0.0, "Hourly wage", unit="USD/h", low=0)

    # Location; zones are numbers of the place, -1 means away
    home: int = attribute(0, "Zone of residence", role="zone", dtype="i2", record=True)
    workplace: int = attribute(-1, "Zone of work or school, -1 for none", role="zone", dtype="i2")
    place: int = attribute(
        0, "Current zone, -1 if away from the region", role="current zone", dtype="i2", record=True
    )
    target: int = attribute(0, "Destination zone of the plan", dtype="i2")
    trips: int = attribute(0, "Trips in this step", dtype="u1")
    travel_minutes: float = attribute(0.0, "Time spent travelling in this step", unit="min")

    # Needs
    hunger: float = attribute(
        0.9, "Satisfaction of hunger", role="need", low=0, high=1, record=True
    )
    energy: float = attribute(
        0.9, "Satisfaction of the need for rest", role="need", low=0, high=1, record=True
    )
    safety: float = attribute(
        0.4, "Satisfaction of the need for safety", role="need", low=0, high=1, record=True
    )
    social: float = attribute(
        0.6, "Satisfaction of the need for company", role="need", low=0, high=1, record=True
    )

    # Activities
    plan: int = attribute(
        0, "Steps of the current plan as a number, 0 for none", role="code", dtype="i8"
    )
    partner: int = attribute(
        -1, "Row of the friend that the plan is shared with, -1 for none", role="reference"
    )
    plan_step: int = attribute(0, "Step of the plan, from 0", dtype="u1")
    until: int = attribute(0, "Tick at which the current step of the plan ends", role="tick")
    credit: float = attribute(0.0, "Completed share of the last plan", low=0, high=1)
    doing: int = attribute(
        0,
        "Number of the current activity",
        role="code",
        dtype="u1",
        record=True,
        labels=tuple(a.name.lower().replace("_", " ") for a in Activity),
    )
    paused_plan: int = attribute(
        0, "Plan of which work was last interrupted, 0 for none", role="code", dtype="i8"
    )
    paused_step: int = attribute(
        -1, "Step at which today's work was interrupted, -1 for none", dtype="i1"
    )
    paused_ticks: int = attribute(0, "Ticks remaining of that step", dtype="i2")
    worked_on: int = attribute(-1, "Day on which work or school was last begun", dtype="i2")

    # Income and spending
    employer: int = attribute(-1, "Row of the firm, -1 for none", role="reference")
    spent: int = attribute(0, "Money spent in this step", unit="cents")

    # Emotions and attitudes
    emotion: dict[str, float] = attribute(
        {"sadness": 5.0, "joy": 5.0, "fear": 5.0, "disgust": 5.0, "anger": 5.0, "surprise": 5.0},
        "Intensity of an emotion",
        low=0,
        high=10,
        record=True,
    )
    emotion_word: int = attribute(
        0,
        "Number of the emotion word",
        role="code",
        dtype="u1",
        record=True,
        labels=("", *EMOTIONS),
    )
    thought: int = attribute(
        -1,
        "Id of the latest thought in the stream, -1 for none",
        role="memory",
        record=True,
        embed=True,
    )
    intention: int = attribute(
        0,
        "Number of the intention of the latest thought",
        role="code",
        dtype="u1",
        record=True,
        labels=INTENTIONS,
    )
    attitude: dict[str, float] = declare_attitudes(
        {"government_trust": 5.0, "emergency_preparedness": 5.0},
        "Attitude, from 0 (oppose) to 10 (support)",
    )
    conviction: dict[str, float] = declare_convictions("government_trust", "emergency_preparedness")
