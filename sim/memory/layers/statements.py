"""Statements of a person about themselves: what a chat gives reason to keep, without a model.

    text -> sentences -> those with a frame, such as "I live in" or "my daughter is"

A frame such as the home has one value, so a new statement replaces the old one; so does one that
announces a change ("actually", "no longer") and has a word in common with the old one.

Source: this project, illustrative; English. A model that writes gists needs no frames.
"""

import re
from functools import lru_cache

from memopolis.sim.memory.layers.writing import split_sentences
from memopolis.sim.memory.text.pieces import STOP_WORDS

_AM = r"\b(?:i|we)(?: am|'m|\u2019m| are|'re|\u2019re)"
_WOULD = r"\b(?:i|we)(?: would|'d|\u2019d)"
_NOT = r"(?:no longer|never|can't|can\u2019t|cannot|don't|don\u2019t|do not|won't|won\u2019t)"
_OFTEN = r"(?:(?:now|really|still|always|usually|currently|just) )*"
_PEOPLE = (
    "wife|husband|partner|mother|father|mum|mom|dad|parents|sister|brother|daughter|son|child|kids|"
    "children|grandmother|grandfather|friend|boss|dog|cat|dogs|cats"
)

SINGLE = ("name", "home", "work")
"""Frames of which only the newest statement is true."""

FRAMES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "name": r"\bmy name(?: is|'s|\u2019s)\b|\b(?:please )?call me\b",
        "home": rf"\b(?:i|we) {_OFTEN}(?:live|moved?|stay) (?:in|to|near|at|with)\b|"
        rf"{_AM} {_OFTEN}(?:living|moving) (?:in|to|near|at|with)\b|"
        r"\bmy (?:new )?(?:home|flat|house|address) is (?:in|at|near)\b",
        "work": rf"\b(?:i|we) (?:{_NOT} )?{_OFTEN}work (?:as|at|for|in)\b|"
        rf"{_AM} {_OFTEN}working (?:as|at|for|in)\b|\bmy (?:new )?(?:job|profession) is\b",
        "origin": rf"{_AM} from\b|\bi grew up in\b",
        "ability": rf"\b(?:i|we) {_NOT} (?:eat|drink|spend|swim|drive|fly|smoke|like|want|read)\b|"
        rf"{_AM} (?:not |no longer )?(?:allergic|vegetarian|vegan|diabetic|afraid|pregnant|deaf)\b",
        "wish": rf"{_WOULD} {_OFTEN}(?:rather|prefer|love|like) (?!to (?:help|know|hear|ask)\b)|"
        rf"\b(?:i|we) {_OFTEN}(?:want|hope|plan|wish|intend) to (?!know|ask|hear|check|see if)|"
        rf"\b(?:i|we) {_OFTEN}(?:prefer|love|hate|like)\b(?! to (?:say|think))|"
        r"\bmy (?:dream|goal|plan|wish|favou?rite)\b",
        "circle": rf"\bmy (?:\w+ )?(?:{_PEOPLE})(?: \w+)? (?:is|are|has|was|lives?|works?|turns)\b|"
        r"\b(?:i|we) have (?:an?|two|three|four|no) \w+|\bmy (?:birthday|budget|phone|car) is\b",
        "change": r"\bi(?: have|'ve|\u2019ve)? changed my mind\b",
    }.items()
}
"""Frames of statements, by name."""

_CHANGES = re.compile(
    r"\b(?:actually|instead|no longer|any ?more|changed my mind|after all|not any more)\b",
    re.IGNORECASE,
)
_QUOTE = re.compile('["\u201c\u201d]')
_WORD = re.compile(r"[^\W\d_]+|\d+")
_SMALL = """
    anything back bye cool course day done else evening everything fine glad go good got great ha
    happy haha hello help hey hi hope know later let like lot love may might morning much need never
    nice night no oh ok okay one perfect please question right see soon sorry sounds sure thank
    thanks tomorrow want welcome well wonderful worries would yep yes
    """
"""Words of thanks, greetings and offers of help."""
_REQUEST = re.compile(
    r"(?:please )?(?:write|give|tell|show|list|make|explain|suggest|translate|find|help|repeat)\b",
    re.IGNORECASE,
)
_COMMON = frozenset((*_SMALL.split(), *STOP_WORDS))


def find_statements(text: str) -> list[str]:
    """Return the sentences of a text that state something about the person who says them."""
    return [one for one in split_sentences(text) if find_frame(one)]


@lru_cache(4_096)
def find_frame(sentence: str) -> str:
    """Return the name of the frame of a statement; "" for any other sentence.

    Questions, quotations and sentences such as "I love it", which say nothing alone, are none.
    """
    if sentence.endswith(("?", "\uff1f")) or _QUOTE.search(sentence):
        return ""
    if not _content_words(sentence):
        return ""
    return next((name for name, frame in FRAMES.items() if frame.search(sentence)), "")


@lru_cache(4_096)
def is_small_talk(text: str) -> bool:
    """Return whether a text is a question or request, or has fewer than two words with content.

    Of texts in other scripts than English, only questions are recognised.
    """
    asks = text.rstrip().endswith(("?", "\uff1f")) or _REQUEST.match(text) is not None
    return asks or (text.isascii() and len(_content_words(text)) < 2)


def replaces(new: str, old: str) -> bool:
    """Return whether a statement replaces an older one of the same person."""
    frame = find_frame(new)
    if frame in SINGLE and frame == find_frame(old):
        return True
    return _CHANGES.search(new) is not None and bool(_content_words(new) & _content_words(old))


def _content_words(text: str) -> set[str]:
    """Return the words that are neither common nor small talk, without a plural s."""
    words = (word.removesuffix("s") for word in _WORD.findall(text.lower()) if word not in _COMMON)
    return {word for word in words if len(word) > 1}
