"""The citizen: a person with needs, emotions, attitudes, plans and a home."""

from typing import ClassVar

from memopolis.agents.activities import Activity
from memopolis.agents.thoughts import INTENTIONS
from memopolis.sim.declarations import read_declarations
from memopolis.sim.memory.streams.encoding import EMOTIONS
from memopolis.sim.population import PROFILE, Agent

NEEDS = ("hunger", "energy", "safety", "social")  # attributes that are needs
ACTIVITIES = tuple(activity.name.lower().replace("_", " ") for activity in Activity)


class Citizen(
    Agent,
    table=read_declarations(__file__, "attributes.toml")["citizen"],
    float_dtype="f4",
    labels={
        "doing": ACTIVITIES,
        "doing_before": ACTIVITIES,
        "emotion_word": ("", *EMOTIONS),
        "intention": INTENTIONS,
    },
):
    """A person. Scenarios and data set the values; the defaults are neutral.

    Needs are levels of satisfaction in [0, 1], emotions intensities in [0, 10], attitudes ratings
    from 0 (oppose) to 10 (support). Initial values follow AgentSociety 1.5.7.
    """

    portrait: ClassVar[tuple[str, ...]] = (*PROFILE, *NEEDS)
