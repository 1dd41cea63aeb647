"""Satisfaction with life as a whole, in one item from 0 to 10.

The wording follows the item of the European Social Survey (recalled). The rule mind reads the
status attribute `life_satisfaction`; where agents have none it answers from their memories.
"""

from memopolis.sim.survey.item import Item
from memopolis.sim.survey.survey import Survey

LIFE_SATISFACTION = Survey(
    name="life_satisfaction",
    items=(
        Item(
            "life_satisfaction",
            "All things considered, how satisfied are you with your life as a whole nowadays?",
            reads="life_satisfaction",
        ),
    ),
    scale="(0 extremely dissatisfied, 10 extremely satisfied)",
    query="how my life is: my family, my work, money, what I am glad and what I am sad about",
)
"""One item, rated from 0 to 10."""
