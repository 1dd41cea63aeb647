"""Items of opinion polls: gun control, and satisfaction with life as a whole.

Gun control: the options are those of published polls, of Gallup on the sale of firearms (Oct 2022:
57 % more strict, 32 % as now, 10 % less strict) and of Pew on how easy it is to get a gun (Jun
2023: 61 % too easy, 30 % about right, 9 % too hard). The wording is recalled and shortened. The
rule mind reads `attitude.gun_control`, 0 (oppose) to 10 (support), and divides it into equal parts
(illustrative).

Satisfaction with life: one item from 0 to 10, whose wording follows the European Social Survey
(recalled). The rule mind reads the status attribute `life_satisfaction`. Where agents lack the
attribute of an item, the rule mind answers from their memories.
"""

from memopolis.sim.survey.item import Item
from memopolis.sim.survey.survey import Survey

ATTITUDE = "attitude.gun_control"
"""Status attribute that the rule reads."""

GUN_CONTROL = Survey(
    name="gun_control",
    items=(
        Item(
            "support",
            "How far do you support stricter gun control, from 0 (not at all) to 10 (fully)?",
            reads=ATTITUDE,
        ),
        Item(
            "sales_law",
            "Should the laws covering the sale of firearms be made less strict, be kept as they "
            "are now, or be made more strict?",
            form="choice",
            options=("less strict", "kept as they are now", "more strict"),
            reads=ATTITUDE,
        ),
        Item(
            "access",
            "How easy is it to get a gun legally where you live?",
            form="choice",
            options=("too hard", "about right", "too easy"),
            reads=ATTITUDE,
        ),
        Item(
            "background_checks",
            "Do you favor or oppose background checks on all buyers of guns?",
            form="choice",
            options=("strongly oppose", "oppose", "favor", "strongly favor"),
            reads=ATTITUDE,
        ),
        Item("why", "Why do you see it that way?", form="text"),
    ),
    query="guns, shootings, gun control and the right to own a gun",
)
"""Five items on gun control: a rating, three choices and a free text."""


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
