"""What citizens remember of everyday life: which steps, places and people were pleasant.

Memories of completed steps have a valence: how pleasant the occasion was. It depends on a fixed
taste for the step, a fixed quality of the place, the rapport between two people, and chance. So
citizens learn their own likings from memories.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memopolis.agents.activities import EVERYDAY, STEPS, Activity, Need, Step
from memopolis.agents.experience import Experience
from memopolis.agents.grammar import Grammar
from memopolis.sim.arrays import Float32, Float64, Floats, Intp, Ints
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from memopolis.sim.chance import Chance

REPLIES = Path(__file__).parent / "data" / "replies.toml"  # phrases of talks
RECEIVED = "{actor} told me: "  # beginning of memories of what others said

QUERIES = {
    Need.HUNGRY: "meals at home and going out to eat",
    Need.SAFE: "shopping, the store, sold out",
    Need.SOCIAL: "friends: meeting them, messages",
    Need.ANYTHING: "free time, staying in, what I enjoyed",
}
"""What citizens recall before they choose a plan or a place, by need."""

NEEDS = tuple(QUERIES)
_QUERY = np.full(len(Need), -1, np.intp)
_QUERY[[int(need) for need in NEEDS]] = np.arange(len(NEEDS))
_QUERY[Need.WORK] = _QUERY[Need.HUNGRY]  # workers choose where to have lunch
_QUERY[Need.INTERVENTION] = _QUERY[Need.SAFE]  # citizens that prepare choose a shop

TASTE = 0.25  # standard deviation of the taste for a step, in units of valence (illustrative)
QUALITY = 0.2  # standard deviation of the quality of a place (illustrative)
RAPPORT = 0.3  # standard deviation of the rapport between two people (illustrative)
_MIX = 2_654_435_761
"""Multiplier that mixes two rows into one number, whatever the size of the population."""
GOOD, BAD = 0.3, -0.15
"""Valence from which a memory says that an occasion was good, and up to which it was bad."""
MOMENT = 0.2  # standard deviation of the pleasantness of one occasion (illustrative)


def name_friend(text: str) -> str:
    """Replace the person in a template, since a passed-on memory names its reporter."""
    return text.replace("{actor}", "a friend")


@cache
def read_replies() -> Grammar:
    """Read the phrases of talks: subjects, replies and closings."""
    return Grammar.read(REPLIES)


def add_subject(step: Step, text: str, subject: str) -> str:
    """Add to the memory of a shared step what the two talked or wrote about, "" for nothing."""
    verb = "wrote" if step.doing == Activity.MESSAGE else "talked"
    return f"{text} We {verb} about {subject}." if subject else text


def _list_memories(step: Step) -> list[str]:
    """Return all texts of memories of a step, those with a subject included."""
    is_shared = any("{actor}" in text for text in step.memories)
    subjects = ["", *read_replies().phrases("subject")] if is_shared else [""]
    return [add_subject(step, text, subject) for text in step.memories for subject in subjects]


_MEMORIES = [_list_memories(step) for step in STEPS[:EVERYDAY]]
_OWN = [text for texts in _MEMORIES for text in texts]
_REPORTS = _OWN + [RECEIVED + name_friend(text) for text in _OWN]
_STEPS = np.repeat(np.arange(EVERYDAY), [len(texts) for texts in _MEMORIES])
# Step that each template reports; those of others follow those of the agent itself.
_REPORTED = np.concatenate((_STEPS, _STEPS + EVERYDAY))


def query_of(need: Ints) -> Intp:
    """Return the index in `NEEDS` of each need, -1 for those without a query."""
    return np.asarray(_QUERY[need])


def recall_steps(agents: Cohort, experience: Experience) -> tuple[Float32, Float32]:
    """Return what recalled memories report of everyday steps, shape (agents, steps) each.

    The first array is the mean remembered valence of each step, 0 if unknown. The second is how
    often others took it, as a share of all their steps that are recalled, 0 without any. A plan
    that the agent shared with a friend is also a plan of that friend.
    """
    from memopolis.agents.experience_kernels import average_steps

    texts = agents.population.society.texts
    # By the number of a text; the last entry is for unknown templates.
    reported = np.full(texts.capacity + 1, -1, np.int16)
    reported[texts.find_many(_REPORTS)] = _REPORTED
    valence, share = experience.located.compute(
        lambda view, times, fading, slots, scores: average_steps(
            view, times, fading, slots, scores, reported, EVERYDAY
        ),
        experience.recalled.scores,
    )
    return valence, share


def find_mood(valence: Floats) -> Intp:
    """Return which text of a step's memories fits: 0 ordinary, 1 good, 2 bad, (agents,)."""
    return np.asarray((valence >= GOOD) + 2 * (valence <= BAD))


def draw_quality(number: Ints, chance: "Chance") -> Float64:
    """Draw how much more pleasant a step is at a place; `number` is place * len(STEPS) + step."""
    return np.asarray(QUALITY * chance.normal("quality", number))


def draw_pleasantness(
    agents: Cohort,
    step: Ints,
    *,
    place: Ints,
    usual: Floats,
    quality: Float64,
    chance: "Chance",
    tick: int,
) -> Float32:
    """Draw how pleasant an occasion was: valence in [-1, 1], shape (agents,).

    `usual` is the usual valence of the completed step, and `quality` that of `draw_quality` for all
    zones of the society, empty without zones; a zone is -1 for none.

    Source: This project, illustrative: usual valence plus a fixed taste, the fixed quality of the
    place, and chance.
    """
    rows = agents.rows.astype(np.int64)
    taste = chance.normal("taste", rows * len(STEPS) + step)
    valence = usual + TASTE * taste + MOMENT * chance.normal("occasion", rows, tick)
    return _add_quality(valence, step, place, quality, chance)


def draw_rapport(
    first: Ints,
    second: Ints,
    step: Ints,
    *,
    place: Ints,
    usual: Floats,
    quality: Float64,
    chance: "Chance",
    tick: int,
) -> Float32:
    """Draw how pleasant an occasion was for two people alike, shape (pairs,).

    `first` and `second` are their rows; for the rest see `draw_pleasantness`.

    Source: This project, illustrative: usual valence plus the accord of the pair and the fixed
    quality of the place.
    """
    valence = usual + draw_accord(first, second, chance, tick)
    return _add_quality(valence, step, place, quality, chance)


def draw_accord(first: Ints, second: Ints, chance: "Chance", tick: int) -> Float64:
    """Draw how well two people get on in a step, whatever they do: a valence, shape (pairs,).

    It is the fixed rapport of the pair, and chance.
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    pair = low.astype(np.int64) * _MIX + high
    moment = chance.normal("shared occasion", pair, tick)
    return np.asarray(RAPPORT * chance.normal("rapport", pair) + MOMENT * moment)


def _add_quality(
    valence: Float64, step: Ints, place: Ints, quality: Float64, chance: "Chance"
) -> Float32:
    """Add the quality of places to valences, and clip them."""
    (at,) = (place >= 0).nonzero()
    number = place[at].astype(np.int64) * len(STEPS) + step[at]
    valence[at] += quality[number] if len(quality) else draw_quality(number, chance)
    return np.clip(valence, -1, 1).astype(np.float32)
