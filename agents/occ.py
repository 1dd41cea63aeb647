"""Appraise events by the OCC model: 21 emotions, mapped to six feelings.

Ortony, Clore and Collins distinguish the consequences of events for oneself and for others, the
actions of agents, and the properties of objects. Pure functions of arrays; the block `Feel` calls
them.

Source:
    Ortony, Clore, Collins 1988, The Cognitive Structure of Emotions. The book orders 22 emotions
    and gives no formulas; the formulas of intensity are this project's. The list of 21 words has
    no word for being happy for another and for gloating (here Joy) nor for fears confirmed
    (here Distress), and has Liking and Disliking for weak Love and Hate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from memopolis.agents.appraisal import FEELINGS, TABLE
from memopolis.sim.arrays import Bools, Float32, Floats, UInt8
from memopolis.sim.memory.streams.encoding import EMOTIONS

STRONG = 0.75  # appeal from which liking becomes love and disliking becomes hate (illustrative)

MOVES: Mapping[str, Mapping[str, float]] = TABLE["emotions"]
"""Feelings changed by each emotion, with signs (illustrative)."""


@dataclass(frozen=True)
class Character:
    """Kind of the events of a topic."""

    # Whether the event has happened, is a prospect, or settles a hope or fear
    time: Literal["happened", "prospect", "settles"] = "happened"
    deed: float = 0.0  # share of the event's weight that is praise or blame, in [0, 1]
    by: Literal["oneself", "another"] = "another"  # agent responsible
    # Agent affected; events that happen to a friend are not one's own
    whose: Literal["own", "friend"] = "own"


CHARACTERS = {topic: Character(**row) for topic, row in TABLE["characters"].items()}
"""Kinds of the events of topics of built-in behaviours and news (illustrative)."""


@dataclass(frozen=True, eq=False)
class Appraisal:
    """Events as the affected agents perceive them, one value per event, shape (events,)."""

    desirable: Float32  # desirability for oneself, in [-1, 1]
    praise: Float32  # praise (+) or blame (-) for the action, in [-1, 1]
    own_deed: Bools  # whether the action is one's own
    prospect: Bools  # whether the event has not happened yet
    likely: Float32  # probability of a prospect, in [0, 1]
    settles: Bools  # whether the event settles a hope or fear
    hope: Float32  # previous hope, in [0, 1]
    fear: Float32  # previous fear, in [0, 1]
    for_other: Float32  # desirability for another agent, in [-1, 1]
    goodwill: Float32  # goodwill towards that agent, in [-1, 1]
    appeal: Float32  # appeal of an object, in [-1, 1]


def appraise(
    character: Character, weight: Float32, likely: Float32, hope: Float32, fear: Float32
) -> Appraisal:
    """Appraise events of one kind; `weight` is importance times valence, in [-1, 1], (events,).

    Source: This project: goodwill towards friends is 1, and events have no appeal.
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


def compute_emotions(appraisal: Appraisal) -> Float32:
    """Compute the intensity, in [0, 1], of the emotions in `EMOTIONS`, shape (events, 21).

    Source: Mapping from appraisals to emotions: Ortony, Clore, Collins 1988. Intensities are this
    project's: prospects are weighted by probability; settled hopes and fears, and emotions that
    combine event and action, are geometric means of their two components, whose excess remains as
    separate emotions.
    """
    emotions = (
        _emotions_about_self(appraisal)
        | _emotions_about_others(appraisal)
        | _emotions_about_actions(appraisal)
        | _emotions_about_objects(appraisal)
    )
    emotions["Joy"] = np.maximum(emotions["Joy"], emotions.pop("for others"))
    for both, deed, event in (
        ("Gratification", "Pride", "Joy"),
        ("Remorse", "Shame", "Distress"),
        ("Gratitude", "Admiration", "Joy"),
        ("Anger", "Reproach", "Distress"),
    ):
        emotions[both] = combine(emotions[deed], emotions[event])
        for part in (deed, event):
            emotions[part] = np.maximum(emotions[part] - emotions[both], 0)
    table = np.stack([emotions[word] for word in EMOTIONS], axis=1)
    return np.clip(table, 0, 1).astype(np.float32)


def _emotions_about_self(appraisal: Appraisal) -> dict[str, Floats]:
    """Emotions about consequences for oneself."""
    good, bad = np.maximum(appraisal.desirable, 0), np.maximum(-appraisal.desirable, 0)
    settled = appraisal.settles & ~appraisal.prospect
    satisfied = combine(appraisal.hope, good) * settled
    relieved = combine(appraisal.fear, good) * settled
    disappointed = combine(appraisal.hope, bad) * settled
    return {
        "Hope": good * appraisal.likely * appraisal.prospect,
        "Fear": bad * appraisal.likely * appraisal.prospect,
        "Satisfaction": satisfied,
        "Relief": relieved,
        "Disappointment": disappointed,
        "Joy": np.maximum(good - np.maximum(satisfied, relieved), 0) * ~appraisal.prospect,
        "Distress": np.maximum(bad - disappointed, 0) * ~appraisal.prospect,
    }


def _emotions_about_others(appraisal: Appraisal) -> dict[str, Floats]:
    """Emotions about consequences for others."""
    good, bad = np.maximum(appraisal.for_other, 0), np.maximum(-appraisal.for_other, 0)
    well, ill = np.maximum(appraisal.goodwill, 0), np.maximum(-appraisal.goodwill, 0)
    return {
        "for others": np.maximum(good * well, bad * ill),
        "Pity": bad * well,
        "Resentment": good * ill,
    }


def _emotions_about_actions(appraisal: Appraisal) -> dict[str, Floats]:
    """Emotions about actions."""
    praise, blame = np.maximum(appraisal.praise, 0), np.maximum(-appraisal.praise, 0)
    return {
        "Pride": praise * appraisal.own_deed,
        "Shame": blame * appraisal.own_deed,
        "Admiration": praise * ~appraisal.own_deed,
        "Reproach": blame * ~appraisal.own_deed,
    }


def _emotions_about_objects(appraisal: Appraisal) -> dict[str, Floats]:
    """Emotions about objects."""
    draws, repels = np.maximum(appraisal.appeal, 0), np.maximum(-appraisal.appeal, 0)
    return {
        "Liking": draws * (draws < STRONG),
        "Love": draws * (draws >= STRONG),
        "Disliking": repels * (repels < STRONG),
        "Hate": repels * (repels >= STRONG),
    }


def combine(one: Floats, other: Floats) -> Floats:
    """Combine two necessary components by their geometric mean."""
    return np.sqrt(one * other)


def compute_impulses(intensity: Float32) -> Float32:
    """Sum the effects of emotions, shape (21, agents), on the six feelings, shape (6, agents).

    Source: This project, illustrative: `MOVES`.
    """
    moved = np.zeros((len(FEELINGS), intensity.shape[1]), np.float32)
    for word, strength in zip(EMOTIONS, intensity, strict=True):
        for feeling, share in MOVES[word].items():
            moved[FEELINGS.index(feeling)] += np.float32(share) * strength
    return moved


def find_strongest(intensity: Float32, *, least: float) -> UInt8:
    """Return the number of the most intense emotion of each agent, 0 if none reaches `least`."""
    number = intensity.argmax(axis=0) + 1
    return np.where(intensity.max(axis=0) >= least, number, 0).astype(np.uint8)
