"""Tables of this scenario's README; see `tools/odd/tables.py`."""

from memopolis.agents.activities import AS_SCHEDULED, INDEFINITELY, STEPS, Step
from memopolis.agents.blocks.cognition import ATTITUDES
from memopolis.agents.blocks.needs import RELIEFS
from memopolis.scenarios.hurricane.blocks.endure_storm import LEVELS
from memopolis.scenarios.hurricane.blocks.hear_orders import NOTICES
from memopolis.scenarios.hurricane.scenario import Hurricane
from tools.odd.tables import SCENARIOS, Odd, markdown


def plans() -> str:
    """Table of the kinds of steps of plans; all numbers are illustrative."""
    facts = ("topic", "importance", "valence", "attitude", "norm")
    return markdown(
        ("step", "serves", "activity", "where", "hours", "block", *facts),
        (
            (
                step.name,
                _word(step.need.name),
                _word(step.doing.name),
                _word(step.where.name),
                _hours(step),
                f"`{step.block}`",
                step.topic if step.memories else "(not remembered)",
                *(f"{n:g}" for n in (step.importance, step.valence, step.attitude, step.norm)),
            )
            for step in STEPS[1:]
        ),
    )


def reliefs() -> str:
    """Table of the satisfaction of needs by activity."""
    rows = ((_word(r.doing.name), r.need, f"{r.hourly:g}") for r in RELIEFS)
    return markdown(("activity", "need", "gain, 1/h"), rows)


def notices() -> str:
    """Table of memories of announcements and of the storm."""
    announced = [(kind, *_cells(*notice)) for kind, notice in NOTICES.items()]
    felt = [
        (f"gust of {gust:g} kt", *_cells("disaster", weight, valence, text))
        for gust, weight, valence, text in LEVELS
    ]
    return markdown(("event", "topic", "importance", "valence", "memory"), announced + felt)


def _word(name: str) -> str:
    return name.lower().replace("_", " ")


def _hours(step: Step) -> str:
    endless = {AS_SCHEDULED: "as scheduled", INDEFINITELY: "until cancelled"}
    return endless.get(step.hours, str(step.hours))


def _cells(topic: str, importance: float, valence: float, text: str) -> tuple[str, ...]:
    return topic, f"{importance:g}", f"{valence:g}", text


ODD = Odd(
    Hurricane,
    SCENARIOS / "hurricane" / "README.md",
    ATTITUDES,
    (plans, reliefs, notices),
    small={"agents": 50, "start": "2019-09-01T00:00"},  # the storm is in the news at once
    steps=24,
)
"""The README and all its tables."""
