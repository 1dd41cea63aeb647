"""The 21 words for the emotion of a memory, and their numbers."""

from memopolis.sim.errors import UnknownNameError

EMOTIONS = (
    "Joy", "Distress", "Resentment", "Pity", "Hope", "Fear", "Satisfaction", "Relief",
    "Disappointment", "Pride", "Admiration", "Shame", "Reproach", "Liking", "Disliking",
    "Gratitude", "Anger", "Gratification", "Remorse", "Love", "Hate",
)  # fmt: skip
"""The words; the number of a word is its index plus 1, and 0 is no emotion.

Source:
    Ortony, Clore, Collins 1988, The Cognitive Structure of Emotions, as listed by AgentSociety.
"""

EMOTION_WORDS = ("", *EMOTIONS)  # the words by number
_NUMBERS = {word: number for number, word in enumerate(EMOTION_WORDS)}


def emotion_number(word: str | None) -> int:
    """Return the number of one of the 21 emotion words; None and "" are 0."""
    number = _NUMBERS.get(word or "")
    if number is None:
        allowed = ", ".join(EMOTIONS)
        raise UnknownNameError(f"unknown emotion {word!r}; the emotions are: {allowed}")
    return number
