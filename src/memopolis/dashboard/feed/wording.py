"""Format the lines of a feed for readers."""

from datetime import timedelta
from typing import Any

import numpy as np

from memopolis.analysis.feed.feed import FeedLine
from memopolis.analysis.labels import format_moment, short, words
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import beginning, harmless
from memopolis.dashboard.life.words import describe_subject

KIND_NAMES = {
    "decision": "Decisions",
    "attitude": "Changes of attitude",
    "thought": "Thoughts",
    "speech": "Speech",
    "news": "News",
    "order": "Orders and policies",
    "message": "Messages sent by hand",
}
"""Names of the kinds of lines, in the order of the choice."""
_MOST = 280  # most characters of a text in a line
_CARRIED_OUT = {"stay_or_go": "leaves because of the storm"}
"""What a decision without a named choice means once a draw has carried it out, by its kind."""


def describe_line(run: Run, line: FeedLine) -> dict[str, Any]:
    """Return a line as plain values for the browser."""
    when = run.start + timedelta(hours=run.hours * line.tick)
    shown: dict[str, Any] = {
        "tick": line.tick,
        "time": format_moment(when, run.hours),
        "kind": line.kind,
        "label": line.kind,
        "agent": line.agent,
        "who": display_name(run, line.agent, line.name),
        "other": -1,
        "hearer": "",
        "verb": "",
        "text": "",
        "detail": "",
        "more": "",
        "hand": False,
    }
    shown |= _shock(line) if line.shock is not None else _FORMS[line.kind](run, line)
    if line.more:
        noun = "remarks" if line.kind == "speech" else KIND_NAMES[line.kind].lower()
        shown["more"] = f"and {line.more:,} more {noun} in this step"
    texts = ("who", "hearer", "verb", "text", "detail")
    shown |= {name: _cut(shown[name]) for name in texts}
    shown["key"] = "|".join(str(shown[name]) for name in ("tick", "kind", "agent", "other", "text"))
    return shown


def display_name(run: Run, agent: int, name: str) -> str:
    """Return the name of an agent; of one without a name, its population in words."""
    population = run.population_of(agent)
    return name if name != f"{population} {agent}" else f"{words(population)} {agent}"


def _shock(line: FeedLine) -> dict[str, Any]:
    shock = line.shock
    assert shock is not None  # noqa: S101 - for the type checker
    return {
        "label": shock.title.lower(),
        "text": shock.text,
        "detail": shock.audience,
        "hand": shock.by_hand,
    }


def _thought(_: Run, line: FeedLine) -> dict[str, Any]:
    return {"verb": "thinks:", "text": line.text}


def _speech(run: Run, line: FeedLine) -> dict[str, Any]:
    if line.count == 1:
        hearer = display_name(run, line.other, line.other_name)
        text = f": {line.text}"
        return {"verb": line.verb, "other": line.other, "hearer": hearer, "text": text}
    return {"verb": f"{line.verb}:", "text": line.text, "detail": f"heard by {line.count:,}"}


def _order(_: Run, line: FeedLine) -> dict[str, Any]:
    return {"text": line.text, "detail": f"heard by {line.count:,} in this step"}


def _attitude(_: Run, line: FeedLine) -> dict[str, Any]:
    subject = line.item.replace("_", " ")
    text = f"{subject}: {line.before:.1f} → {line.value:.1f} of 10"
    return {"verb": "changes the attitude to", "text": text, "detail": line.reason}


def _decision(_: Run, line: FeedLine) -> dict[str, Any]:
    subject = describe_subject(line.subject, line.item)
    if line.choice:
        before = line.previous.replace("_", " ")
        since = f"{before} → " if before and line.previous != line.choice else ""
        text = f"{subject}: {since}{line.choice.replace('_', ' ')}"
    elif line.subject in _CARRIED_OUT:
        text = _CARRIED_OUT[line.subject]
    elif not np.isnan(line.before):
        text = f"{subject}: {short(line.before)} → {short(line.value)}"
    else:
        text = subject
    return {"text": text, "detail": line.reason}


_FORMS = {
    "thought": _thought,
    "speech": _speech,
    "order": _order,
    "attitude": _attitude,
    "decision": _decision,
}


def _cut(text: object) -> str:
    begun = beginning(text, most=_MOST)
    return f"{begun.text}…" if begun.cut else harmless(begun.text)
