"""What kinds of question ask, in words for prompts; the table is `kinds.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Wording:
    """What a kind of question asks; fields as in the table."""

    ask: str = ""
    unit: str = ""
    low: str = ""  # what the lowest rating means
    high: str = ""  # what the highest rating means
    options: Mapping[str, str] = field(default_factory=dict)  # what each option means
    # Names in prompts of what the agents know, by its name in the question
    known: Mapping[str, str] = field(default_factory=dict)

    def name_facts(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return what an agent knows by the names that the prompt uses."""
        if not self.ask:
            return dict(known)
        return {name: known[own] for own, name in self.known.items() if own in known}


def word_question(kind: str, about: str = "") -> Wording:
    """Return what a kind of question asks; without `ask` for kinds that the table does not have.

    `about` is the attitude that a question of the kind "attitude" is about.
    """
    if kind == "attitude":
        name = about.replace("_", " ")
        ask, low, high = _read()["attitude"].get(
            about, (name, "oppose strongly", "support strongly")
        )
        return Wording(ask, "points", low, high)
    return Wording(**_read()["kind"].get(kind, {}))


@cache
def _read() -> Mapping[str, Any]:
    path = Path(__file__).with_name("kinds.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))
