"""From what happens to the 21 emotion words and on to six feelings, after OCC.

Ortony, Clore and Collins distinguish what one is pleased or displeased about: what an event
means for oneself or for another, whose deed something is, and what a thing is like. Pure
functions of arrays; `Feel` only calls them.

Source:
    Ortony, Clore, Collins 1988, The Cognitive Structure of Emotions. It orders 22 emotions and
    gives no numbers. The formulas of strength here are this project's. The list of 21 words
    has no own word for being happy for somebody and for gloating (here Joy) and for fears
    confirmed (here Distress), and has Liking and Disliking for weak Love and Hate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.appraisal import FEELINGS
from memopolis.sim.memory.streams.emotion import EMOTIONS

Float32 = NDArray[np.float32]

STRONG = 0.75
"""Appeal from which liking is love and disliking hate (illustrative)."""

# Which feelings a word moves, and which way (illustrative).
MOVES: Mapping[str, Mapping[str, float]] = {
    "Joy": {"joy": 1.0},
    "Distress": {"sadness": 1.0},
    "Resentment": {"anger": 0.6, "disgust": 0.4},
    "Pity": {"sadness": 0.7},
    "Hope": {"joy": 0.5},
    "Fear": {"fear": 1.0},
    "Satisfaction": {"joy": 1.0},
    "Relief": {"joy": 0.5, "fear": -1.0},
    "Disappointment": {"sadness": 0.8, "surprise": 0.4},
    "Pride": {"joy": 0.8},
    "Admiration": {"joy": 0.5, "surprise": 0.3},
    "Shame": {"sadness": 0.5, "disgust": 0.3},
    "Reproach": {"anger": 0.5, "disgust": 0.5},
    "Liking": {"joy": 0.5},
    "Disliking": {"disgust": 0.8},
    "Gratitude": {"joy": 1.0},
    "Anger": {"anger": 1.0},
    "Gratification": {"joy": 1.0},
    "Remorse": {"sadness": 1.0},
    "Love": {"joy": 1.0},
    "Hate": {"disgust": 1.0, "anger": 0.5},
}


@dataclass(frozen=True)
class Character:
    """What kind of event a topic tells of.

    Attributes:
        time: Whether it has happened, may yet come, or settles what was hoped or feared.
        deed: Part of its weight that is praise or blame, in [0, 1].
        by: Who did it.
        whose: Whose fortune it is; what happens to a friend is not one's own.
    """

    time: Literal["happened", "prospect", "settles"] = "happened"
    deed: float = 0.0
    by: Literal["oneself", "another"] = "another"
    whose: Literal["own", "friend"] = "own"


# Illustrative: topics of built-in behaviours and news.
CHARACTERS: Mapping[str, Character] = {
    "disaster": Character("prospect"),
    "evacuation": Character("prospect"),
    "order": Character("prospect", deed=0.3),
    "relief": Character("settles"),
    "preparation": Character(deed=0.8, by="oneself"),
    "traffic": Character(deed=0.8),
    "government": Character(deed=0.9),
    "shelter": Character(deed=0.5),
    "social": Character(whose="friend"),
}


@dataclass(frozen=True, eq=False)
class Appraisal:
    """Events as those see them to whom they happen, one value an event, shape (events,).

    Attributes:
        desirable: What it means for oneself, in [-1, 1].
        praise: Praise (+) or blame (-) for the deed, in [-1, 1].
        own_deed: Whether it is one's own deed.
        prospect: Whether it has not happened yet.
        likely: How sure a prospect is, in [0, 1].
        settles: Whether it settles what was hoped or feared.
        hope: Hope there was, in [0, 1].
        fear: Fear there was, in [0, 1].
        for_other: What it means for somebody else, in [-1, 1].
        goodwill: How well one wishes that one, in [-1, 1].
        appeal: How attractive a thing is, in [-1, 1].
    """

    desirable: Float32
    praise: Float32
    own_deed: NDArray[np.bool_]
    prospect: NDArray[np.bool_]
    likely: Float32
    settles: NDArray[np.bool_]
    hope: Float32
    fear: Float32
    for_other: Float32
    goodwill: Float32
    appeal: Float32


def appraisal(
    character: Character, weight: Float32, likely: Float32, hope: Float32, fear: Float32
) -> Appraisal:
    """Appraise events of one character.

    Args:
        character: What kind of events they are.
        weight: Importance times valence, in [-1, 1], shape (events,).
        likely: How sure they are, in [0, 1], shape (events,).
        hope: Hope before, in [0, 1], shape (events,).
        fear: Fear before, in [0, 1], shape (events,).

    Source:
        This project: friends are wished well without reserve, and an event appeals to nobody
        as a thing does.
    """
    none, every = np.zeros_like(weight), np.ones(len(weight), np.bool_)
    own = character.whose == "own"
    return Appraisal(
        desirable=weight if own else none,
        praise=np.float32(character.deed) * weight,
        own_deed=every if character.by == "oneself" else ~every,
        prospect=every if character.time == "prospect" else ~every,
        likely=likely,
        settles=every if character.time == "settles" else ~every,
        hope=hope,
        fear=fear,
        for_other=none if own else weight,
        goodwill=none if own else none + 1,
        appeal=none,
    )


def emotions(seen: Appraisal) -> Float32:
    """How strongly each event stirs each of the 21 emotions.

    Args:
        seen: The events, each with its appraisal.

    Returns:
        In [0, 1], in the order of `EMOTIONS`, shape (events, 21).

    Source:
        Which appraisal leads to which emotion: Ortony, Clore, Collins 1988. Strengths are this
        project's: a prospect counts by its likelihood; a settled hope or fear, and an emotion
        of event and deed together, by the geometric mean of its two parts, of which only the
        rest remains beside it.
    """
    felt = _of_events(seen) | _of_others(seen) | _of_deeds(seen) | _of_things(seen)
    felt["Joy"] = np.maximum(felt["Joy"], felt.pop("for others"))
    for both, deed, event in (
        ("Gratification", "Pride", "Joy"),
        ("Remorse", "Shame", "Distress"),
        ("Gratitude", "Admiration", "Joy"),
        ("Anger", "Reproach", "Distress"),
    ):
        felt[both] = together(felt[deed], felt[event])
        for part in (deed, event):
            felt[part] = np.maximum(felt[part] - felt[both], 0)
    table = np.stack([felt[word] for word in EMOTIONS], axis=1)
    return np.clip(table, 0, 1).astype(np.float32)


def _of_events(seen: Appraisal) -> dict[str, NDArray[np.floating]]:
    """What an event means for oneself, now or later, or after hope and fear."""
    good, bad = np.maximum(seen.desirable, 0), np.maximum(-seen.desirable, 0)
    settled = seen.settles & ~seen.prospect
    satisfied = together(seen.hope, good) * settled
    relieved = together(seen.fear, good) * settled
    disappointed = together(seen.hope, bad) * settled
    return {
        "Hope": good * seen.likely * seen.prospect,
        "Fear": bad * seen.likely * seen.prospect,
        "Satisfaction": satisfied,
        "Relief": relieved,
        "Disappointment": disappointed,
        "Joy": np.maximum(good - np.maximum(satisfied, relieved), 0) * ~seen.prospect,
        "Distress": np.maximum(bad - disappointed, 0) * ~seen.prospect,
    }


def _of_others(seen: Appraisal) -> dict[str, NDArray[np.floating]]:
    """What an event means for somebody whom one wishes well or ill."""
    good, bad = np.maximum(seen.for_other, 0), np.maximum(-seen.for_other, 0)
    well, ill = np.maximum(seen.goodwill, 0), np.maximum(-seen.goodwill, 0)
    return {
        "for others": np.maximum(good * well, bad * ill),
        "Pity": bad * well,
        "Resentment": good * ill,
    }


def _of_deeds(seen: Appraisal) -> dict[str, NDArray[np.floating]]:
    """What one did, or another."""
    praise, blame = np.maximum(seen.praise, 0), np.maximum(-seen.praise, 0)
    return {
        "Pride": praise * seen.own_deed,
        "Shame": blame * seen.own_deed,
        "Admiration": praise * ~seen.own_deed,
        "Reproach": blame * ~seen.own_deed,
    }


def _of_things(seen: Appraisal) -> dict[str, NDArray[np.floating]]:
    """What something is like."""
    draws, repels = np.maximum(seen.appeal, 0), np.maximum(-seen.appeal, 0)
    return {
        "Liking": draws * (draws < STRONG),
        "Love": draws * (draws >= STRONG),
        "Disliking": repels * (repels < STRONG),
        "Hate": repels * (repels >= STRONG),
    }


def together(one: NDArray[np.floating], other: NDArray[np.floating]) -> NDArray[np.floating]:
    """Strength of what needs two parts: their geometric mean, 0 without either."""
    return np.sqrt(one * other)


def impulses(stirred: Float32) -> Float32:
    """Sum up how emotions move six feelings.

    Args:
        stirred: Strength of each emotion, in the order of `EMOTIONS`, shape (21, agents).

    Returns:
        Signed impulses in the order of `FEELINGS`, shape (6, agents), for `appraised`.

    Source:
        This project, illustrative: `MOVES`.
    """
    moved = np.zeros((len(FEELINGS), stirred.shape[1]), np.float32)
    for word, strength in zip(EMOTIONS, stirred, strict=True):
        for feeling, share in MOVES[word].items():
            moved[FEELINGS.index(feeling)] += np.float32(share) * strength
    return moved


def strongest(stirred: Float32, *, least: float) -> NDArray[np.uint8]:
    """Name the emotion that was stirred most.

    Args:
        stirred: Strength of each emotion, in the order of `EMOTIONS`, shape (21, agents).
        least: Strength below which nothing is named.

    Returns:
        Numbers of emotion words, 0 where none is strong enough, shape (agents,).
    """
    number = stirred.argmax(axis=0) + 1
    return np.where(stirred.max(axis=0) >= least, number, 0).astype(np.uint8)
