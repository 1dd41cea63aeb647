"""The terms that a profile can weigh.

A term is one line of `TERMS`, and an entry of the `TERMS` of its module, which is in `MODULES`.
Modules are imported on first use, so reading settings loads no compiled loops.
"""

from collections.abc import Iterable
from typing import Literal

from memopolis.sim.errors import UnknownNameError

Role = Literal["decay", "factor", "text"]
"""How a term enters a product: text terms are summed to the base, which a decay multiplies, and
a factor raises or lowers around 0.5."""

TERMS: dict[str, Role] = {
    "recency": "decay",
    "importance": "factor",
    "relevance": "text",
    "window": "text",
    "session": "text",
    "answer": "text",
    "statement": "text",
    "information": "text",
    "static": "text",
    "bm25": "text",
    "dense": "text",
    "dense_near": "text",
    "late_interaction": "text",
    "tfidf": "text",
    "keyword": "text",
    "context": "factor",
    "feeling": "factor",
    "consolidation": "factor",
    "activation": "factor",
}
"""Terms of this package and their roles, in the order of their sum."""

_NAMES = {
    "strength": ("recency", "importance", "consolidation", "activation"),
    "relevance": ("relevance", "answer"),
    "coverage": ("window", "session"),
    "text_table": (
        "statement", "information", "static", "bm25", "dense", "dense_near", "late_interaction",
        "keyword",
    ),
    "tfidf": ("tfidf",),
    "congruence": ("context", "feeling"),
}  # fmt: skip
MODULES = {name: module for module, names in _NAMES.items() for name in names}
"""Module of each term."""

ADDED: dict[str, Role] = {}  # terms that were added by `add_term`, and their roles


def role_of(name: str) -> Role:
    """Return the role of a term; refuse an unknown name."""
    roles = TERMS | ADDED
    if name not in roles:
        raise UnknownNameError(f"no term {name!r}; the terms are: {', '.join(roles)}")
    return roles[name]


def names_of(role: Role, names: Iterable[str]) -> list[str]:
    """Return the terms that have a role."""
    return [name for name in names if role_of(name) == role]
