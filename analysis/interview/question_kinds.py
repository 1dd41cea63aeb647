"""Recognise questions about reasons, people and opinions by their words."""

import re
from dataclasses import replace

from memopolis.analysis.interview.questions import Action, read_actions
from memopolis.analysis.interview.wording import split

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

LEAVE, STAY = "leave", "stay"
POST, SILENT = "post", "stay silent"
_NEGATIONS = frozenset({"not", "didn", "never", "don", "didnt", "dont"})
_OPPOSITES = {LEAVE: STAY, STAY: LEAVE, "closed": "open", "open": "closed", POST: SILENT}


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
    named = [one for word in words for one in read_actions() if word in one.words]
    actions = list(dict.fromkeys(named))
    if not is_negated:
        return actions
    return [replace(one, what=_OPPOSITES.get(one.what, one.what)) for one in actions]
