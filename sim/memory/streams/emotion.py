"""The 21 words for what a memory felt like, and the numbers they are kept as."""

from memopolis.sim.errors import UnknownNameError

EMOTIONS = (
    "Joy",
    "Distress",
    "Resentment",
    "Pity",
    "Hope",
    "Fear",
    "Satisfaction",
    "Relief",
    "Disappointment",
    "Pride",
    "Admiration",
    "Shame",
    "Reproach",
    "Liking",
    "Disliking",
    "Gratitude",
    "Anger",
    "Gratification",
    "Remorse",
    "Love",
    "Hate",
)
"""The words; a word is kept as its place here plus 1, and 0 is no emotion.

Source:
    Ortony, Clore, Collins 1988, The Cognitive Structure of Emotions, as listed by AgentSociety.
"""

_NUMBERS = {"": 0} | {word: place for place, word in enumerate(EMOTIONS, start=1)}


def emotion_number(word: str | None) -> int:
    """Give the number of an emotion word; None and "" are 0.

    Raises:
        UnknownNameError: If it is none of the 21 words.
    """
    number = _NUMBERS.get(word or "")
    if number is None:
        allowed = ", ".join(EMOTIONS)
        raise UnknownNameError(f"emotion {word!r} is none of the 21 words: {allowed}")
    return number


def emotion_word(number: int) -> str:
    """Give the emotion word of a number, "" for 0."""
    return EMOTIONS[number - 1] if number else ""
