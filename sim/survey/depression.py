"""The CES-D: twenty items on how often a person felt low in the past week.

Items, wording, scale and cut-off are those of Radloff 1977 (doi:10.1177/014662167700100306),
an instrument of a public institute. The answers of the rule mind are **illustrative**: they use
current feelings and needs in place of those of a week, and were not calibrated on people. A model
mind receives the wording and the memories instead.
"""

from memopolis.sim.survey.item import Item
from memopolis.sim.survey.survey import Score, Survey

CUT_OFF = 16
"""Smallest total that counts as a case."""

REVERSED = (4, 8, 12, 16)
"""Numbers of the four positive items."""

# Text; status attribute; its level for the answer 0, and for the answer 3. Feelings decay to 5, so
# only levels above 5 count; a joy of 5 answers 2. Illustrative.
_SADNESS, _FEAR = ("emotion.sadness", 5.0, 10.0), ("emotion.fear", 5.0, 10.0)
_ANGER, _DISGUST = ("emotion.anger", 5.0, 10.0), ("emotion.disgust", 5.0, 10.0)
_JOY = ("emotion.joy", 0.0, 7.5)
_TIRED, _ALONE = ("energy", 0.4, 0.0), ("social", 0.4, 0.0)

_ITEMS = (
    ("I was bothered by things that usually don't bother me.", _ANGER),
    ("I did not feel like eating; my appetite was poor.", _SADNESS),
    (
        "I felt that I could not shake off the blues even with help from my family or friends.",
        _SADNESS,
    ),
    ("I felt I was just as good as other people.", _JOY),
    ("I had trouble keeping my mind on what I was doing.", _FEAR),
    ("I felt depressed.", _SADNESS),
    ("I felt that everything I did was an effort.", _TIRED),
    ("I felt hopeful about the future.", _JOY),
    ("I thought my life had been a failure.", _SADNESS),
    ("I felt fearful.", _FEAR),
    ("My sleep was restless.", _FEAR),
    ("I was happy.", _JOY),
    ("I talked less than usual.", _ALONE),
    ("I felt lonely.", _ALONE),
    ("People were unfriendly.", _ANGER),
    ("I enjoyed life.", _JOY),
    ("I had crying spells.", _SADNESS),
    ("I felt sad.", _SADNESS),
    ("I felt that people disliked me.", _DISGUST),
    ("I could not get going.", _TIRED),
)


def _item(number: int, text: str, reads: str, least: float, most: float) -> Item:
    turned = number in REVERSED
    return Item(
        name=f"cesd_{number:02}",
        text=text,
        low=0,
        high=3,
        reads=reads,
        least=least,
        most=most,
        sign=1 if turned else -1,
        reversed=turned,
    )


CES_D = Survey(
    name="ces_d",
    items=tuple(_item(number, text, *read) for number, (text, read) in enumerate(_ITEMS, 1)),
    lead="During the past week:",
    scale=(
        "(0 rarely or none of the time, less than 1 day; 1 some or a little of the time, 1-2 days; "
        "2 occasionally or a moderate amount of time, 3-4 days; 3 most or all of the time, "
        "5-7 days)"
    ),
    scores=(Score("total", cut_off=CUT_OFF),),
    query="how I felt: sad, afraid, lonely, tired, hopeful, happy",
)
"""The Center for Epidemiologic Studies Depression Scale; its total runs from 0 to 60."""
