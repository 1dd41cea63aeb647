"""Recognise questions about reasons, people and opinions by their words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_WHY = re.compile(r"\b(why|how come|what made|what led|for what reason|reasons?)\b", re.IGNORECASE)
_PEOPLE = re.compile(
    r"\b(friends?|who (do|did) you (know|trust|talk|meet)|who (are|is|were) (you )?(close|closest)"
    r"|closest to you|colleagues?|acquaintances?)\b",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"\b(?:(?:what|how) do you (?:think|feel) (?:of|about)|what is your (?:opinion|view|attitude)"
    r" (?:of|on|about|to|towards?)|your (?:opinion|view|views|attitude) (?:of|on|about|to|towards?)"
    r"|do you (?:support|oppose|trust|favou?r|like))\b(?P<subject>.*)",
    re.IGNORECASE | re.DOTALL,
)
_WORD = re.compile(r"[^\W_]+")

LEAVE, STAY = "leave", "stay"
POST, SILENT = "post", "stay silent"
ACTIONS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("leave", "leaving", "left", "go", "going", "went", "gone", "evacuate", "evacuated",
         "flee", "fled"),
        ("stay_or_go", LEAVE),
    ),
    **dict.fromkeys(("stay", "stayed", "staying", "remain", "remained"), ("stay_or_go", STAY)),
    **dict.fromkeys(("prepare", "prepared", "preparing"), ("attitude", "emergency_preparedness")),
    **dict.fromkeys(("close", "closed", "closing", "shut"), ("opening", "closed")),
    **dict.fromkeys(("open", "opened", "reopen", "reopened"), ("opening", "open")),
    **dict.fromkeys(("order", "ordered"), ("order", "")),
    **dict.fromkeys(("work", "worked", "working", "hours"), ("labour_supply", "")),
    **dict.fromkeys(("post", "posted", "posting"), ("speak_up", POST)),
    **dict.fromkeys(("silent", "silence"), ("speak_up", SILENT)),
    **dict.fromkeys(("spend", "spent", "save", "saved", "buy", "bought"), ("consumption", "")),
}  # fmt: skip
"""Kind of a decision, and its choice or item, by the words for what was done."""
_NEGATIONS = frozenset({"not", "didn", "never", "don", "didnt", "dont"})
_OPPOSITES = {LEAVE: STAY, STAY: LEAVE, "closed": "open", "open": "closed", POST: SILENT}


@dataclass(frozen=True)
class Action:
    """What an agent is asked to explain.

    Attributes:
        kind: Kind of the decision.
        what: Choice or item of the decision, "" for any.
    """

    kind: str
    what: str


def asks_why(question: str) -> bool:
    """Check whether a question asks for the reason of a decision."""
    return bool(_WHY.search(question))


def asks_about_people(question: str) -> bool:
    """Check whether a question asks which people an agent knows."""
    return bool(_PEOPLE.search(question))


def opinion_subject(question: str) -> str:
    """Return what a question asks an opinion of, "" if it asks for none."""
    match = _OPINION.search(question)
    return "" if match is None else match["subject"].strip(" ?!.")


def asked_actions(question: str) -> list[Action]:
    """Return the actions that a question names, in its order; "not" reverses them."""
    words = split(question)
    is_negated = not _NEGATIONS.isdisjoint(words)
    actions = [Action(*ACTIONS[word]) for word in words if word in ACTIONS]
    if not is_negated:
        return actions
    return [Action(one.kind, _OPPOSITES.get(one.what, one.what)) for one in actions]


def split(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [match[0].lower() for match in _WORD.finditer(text)]
