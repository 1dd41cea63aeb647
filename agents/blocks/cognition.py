"""Cognition: feelings from what happens, attitudes and thoughts from what is recalled."""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.appraisal import (
    BAD,
    FEELINGS,
    GOOD,
    RELIEVES,
    Attitude,
    appraised,
    leaning,
    updated_attitude,
    updated_conviction,
)
from memopolis.agents.citizen import old_enough
from memopolis.sim.block import Block
from memopolis.sim.memory.memory import Added
from memopolis.sim.memory.streams.emotion import emotion_number
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort
from memopolis.sim.settings import Field, SettingsGroup

# Illustrative: what the topics of built-in behaviours and news say about two attitudes.
ATTITUDES = (
    Attitude(
        "government_trust",
        "the governor and officials, orders to evacuate, shelters, traffic and roads",
        {"order": 0.5, "traffic": 1.0, "relief": 1.0, "government": 1.0, "shelter": 0.6},
    ),
    Attitude(
        "emergency_preparedness",
        "prepare for a hurricane: water, supplies, fuel, an evacuation plan",
        {
            "disaster": -1.0,
            "order": -1.0,
            "evacuation": -0.8,
            "preparation": 1.0,
            "traffic": -0.4,
            "relief": -0.3,
        },
    ),
)


THOUGHTS = (
    "A quiet day. {evidence}",
    "A good day. {evidence}",
    "I am worried. {evidence}",
    "I am upset. {evidence}",
)
"""Templates of thoughts, by how the day felt; written out with their evidence on reading."""


class CognitionSettings(SettingsGroup):
    """How quickly people feel, judge and think."""

    gain: float = Field(
        3.0,
        ge=0,
        le=50,
        origin="illustrative",
        description="Initial slope of a feeling in the weight of an event",
    )
    calm_half_life: float = Field(
        30.0,
        gt=0,
        le=1_000,
        unit="h",
        origin="illustrative",
        description="Half-life of a feeling's way back",
    )
    memories: int = Field(
        20,
        ge=1,
        le=200,
        origin="found",
        description="Memories recalled for an attitude or a thought",
    )
    attitude_rate: float = Field(
        0.12,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of the room one attitude update takes",
    )
    conviction_rate: float = Field(
        0.2, ge=0, le=1, origin="illustrative", description="Pace of conviction"
    )
    think_at: float = Field(
        20.0,
        ge=0,
        le=23,
        unit="h",
        origin="illustrative",
        description="Hour from which the day's thought is formed",
    )
    fresh: float = Field(
        48.0,
        gt=0,
        le=10_000,
        unit="h",
        origin="illustrative",
        description="Half-life of an event's work on attitudes",
    )
    profile: str = Field("act", description="Retrieval profile of attitude updates")


class Feel(Block):
    """Move six feelings by the events that were stored since the last step, and calm down."""

    reads = ("emotion",)
    writes = ("emotion", "emotion_word")
    state = ("impulse",)

    def __init__(self, settings: CognitionSettings | None = None) -> None:
        self.settings = settings or CognitionSettings()

    def setup(self) -> None:
        """Listen to what is stored."""
        self.impulse: NDArray[np.float32] = np.zeros(
            (len(FEELINGS), len(self.population)), np.float32
        )
        self.population.memory.stored.append(self.notice)

    def notice(self, added: Added) -> None:
        """Add up the impulses of new events, by feeling."""
        columns = added.columns
        valence = columns["valence"].astype(np.float32) / 127
        weight = columns["importance"].astype(np.float32) / 255 * valence
        moving = (weight != 0) & ((columns["kind"] & 1) == 0)
        topics = self.population.memory.topics
        for number in np.unique(columns["topic"][moving]):
            mask = moving & (columns["topic"] == number)
            self._add(topics[number], added.rows[mask], weight[mask])

    def _add(self, topic: str, rows: NDArray[np.int64], weight: NDArray[np.float32]) -> None:
        bad, good = BAD.get(topic, "sadness"), GOOD.get(topic, "joy")
        people = self._widen()
        negative = np.bincount(rows, weights=np.maximum(-weight, 0), minlength=people)
        positive = np.bincount(rows, weights=np.maximum(weight, 0), minlength=people)
        self.impulse[FEELINGS.index(bad)] += negative.astype(np.float32)
        self.impulse[FEELINGS.index(good)] += positive.astype(np.float32)
        if topic in RELIEVES:
            self.impulse[FEELINGS.index("fear")] -= positive.astype(np.float32)

    def _widen(self) -> int:
        """Make room for those who joined; gives the number of people."""
        people = len(self.population)
        if people != self.impulse.shape[1]:
            wider = np.zeros((len(FEELINGS), people), np.float32)
            wider[:, : self.impulse.shape[1]] = self.impulse
            self.impulse = wider
        return people

    def step(self, citizens: Cohort) -> None:
        """Appraise, and name the feeling that stands out."""
        self._widen()
        calm = 1 - 0.5 ** (self.clock.hours / self.settings.calm_half_life)
        status = citizens.status
        levels = np.empty((len(FEELINGS), len(citizens)), np.float32)
        for i, feeling in enumerate(FEELINGS):
            impulse = self.impulse[i, citizens.rows]
            level = appraised(
                status[f"emotion.{feeling}"], impulse, gain=self.settings.gain, calm=calm
            )
            status[f"emotion.{feeling}"] = levels[i] = level
        status["emotion_word"] = feeling_words(levels)
        self.impulse[:] = 0


def feeling_words(levels: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Name the feeling that stands out.

    Args:
        levels: Intensities in the order of `FEELINGS`, shape (feelings, agents).

    Returns:
        Numbers of emotion words, shape (agents,).

    Source:
        This project, illustrative.
    """
    names = ("Distress", "Joy", "Fear", "Distress", "Anger", "Hope")
    word = np.array([emotion_number(name) for name in names], np.uint8)[levels.argmax(axis=0)]
    fear, joy = levels[FEELINGS.index("fear")], levels[FEELINGS.index("joy")]
    word[(joy > 5.5) & (fear < 5.0)] = emotion_number("Relief")
    word[levels.max(axis=0) < 5.2] = emotion_number("Hope")
    return word


class UpdateAttitudes(Block):
    """Once a day, each at an hour of its own, recall and judge anew."""

    reads = ("attitude", "conviction", "age")
    writes = ("attitude", "conviction")

    def __init__(
        self,
        settings: CognitionSettings | None = None,
        attitudes: Sequence[Attitude] = ATTITUDES,
    ) -> None:
        self.settings = settings or CognitionSettings()
        self.attitudes = tuple(attitudes)

    def who(self, citizens: Cohort) -> Cohort:
        """Those whose hour it is; the hour is drawn once for each."""
        return self.chance.daily(old_enough(citizens), first=8, span=14)

    def perceive(self, citizens: Cohort) -> Iterable[Question]:
        """Recall what bears on each attitude."""
        return [self._question(citizens, attitude) for attitude in self.attitudes]

    def _question(self, citizens: Cohort, attitude: Attitude) -> Question:
        stream = citizens.memory.stream
        recalled = stream.search(
            attitude.query, k=self.settings.memories, profile=self.settings.profile
        )
        effects = np.array(
            [attitude.effect.get(t, 0.0) for t in self.population.memory.topics], np.float32
        )
        there = recalled.ids >= 0
        topics = stream.column("topic", recalled.ids)
        valence = stream.column("valence", recalled.ids)
        effect = (
            np.where(there, effects[topics] * valence, 0) if len(effects) else np.zeros(there.shape)
        )
        status = citizens.status
        known = {
            "rating": status[f"attitude.{attitude.name}"],
            "conviction": status[f"conviction.{attitude.name}"],
            "weight": recalled.scores * self._fresh(stream.column("time", recalled.ids)),
            "importance": np.nan_to_num(stream.column("importance", recalled.ids)),
            "confidence": np.nan_to_num(stream.column("confidence", recalled.ids)),
            "effect": np.asarray(effect, np.float32),
        }
        return Question(
            "attitude",
            citizens,
            "rating",
            partial(judge, rate=self.settings.attitude_rate),
            about=attitude.name,
            memories=recalled,
            known=known,
        )

    def _fresh(self, time: NDArray[np.int32]) -> NDArray[np.float32]:
        """Part of an event's work that is left: without it one event would move for ever."""
        age = np.maximum(self.clock.tick - time, 0) * self.clock.hours
        return np.exp2(-age / self.settings.fresh).astype(np.float32)

    def apply(self, citizens: Cohort, decisions: Decisions) -> None:
        """Take over the new ratings, and firm up or loosen."""
        name = decisions.question.about
        status = citizens.status
        old = status[f"attitude.{name}"]
        lean = np.sign(decisions.value - old).astype(np.float32)
        status[f"conviction.{name}"] = updated_conviction(
            status[f"conviction.{name}"], old, lean, rate=self.settings.conviction_rate
        )
        status[f"attitude.{name}"] = decisions.value


def judge(question: Question, *, rate: float) -> Answer:
    """Rate an attitude anew from the memories that bear on it; these are the evidence."""
    known = question.known
    lean, weight = leaning(
        known["weight"], known["importance"], known["confidence"], known["effect"]
    )
    value = updated_attitude(known["rating"], lean, weight, known["conviction"], rate=rate)
    reason = np.where(lean > 0, 1, np.where(lean < 0, 2, 0)).astype(np.uint8)
    evidence = np.where(known["effect"] != 0, question.recalled, -1).astype(np.int32)
    return Answer(
        value,
        evidence=evidence,
        reason=reason,
        reasons=(
            "nothing recalled bears on it",
            "memories speak for it",
            "memories speak against it",
        ),
    )


class Think(Block):
    """Once a day, form a thought of what the day brought, and remember it."""

    reads = ("emotion_word", "emotion", "age")
    writes = ("thought",)

    def __init__(self, settings: CognitionSettings | None = None) -> None:
        self.settings = settings or CognitionSettings()

    def who(self, citizens: Cohort) -> Cohort:
        """Those whose evening hour it is, of four hours from `think_at`."""
        return self.chance.daily(old_enough(citizens), first=self.settings.think_at, span=4)

    def perceive(self, citizens: Cohort) -> Question | None:
        """Recall today; who recalls nothing of it forms no thought."""
        recalled = citizens.memory.stream.today(k=self.settings.memories, by="importance")
        some = recalled.counts > 0
        if not some.any():
            return None
        citizens, recalled = citizens.where(some), recalled.where(some)
        status = citizens.status
        known = {feeling: status[f"emotion.{feeling}"] for feeling in FEELINGS}
        known["word"] = status["emotion_word"]
        known["templates"] = np.tile(self.society.texts.intern_many(THOUGHTS), (len(citizens), 1))
        return Question("thought", citizens, "text", reflect, memories=recalled, known=known)

    def apply(self, citizens: Cohort, decisions: Decisions) -> None:
        """Store the thought and link the day's memories to it."""
        stream = citizens.memory.stream
        # A thought of its own each day: the template repeats, what it rests on does not.
        ids = stream.add(
            "cognition", decisions.text, kind="thought", importance=0.4, emotion=decisions.emotion
        )
        stream.link(decisions.evidence, to=ids)
        citizens.status["thought"] = ids


def reflect(question: Question) -> Answer:
    """Put the day into words: a template by feeling, written out from its memories on reading."""
    known = question.known
    fear, joy = known["fear"], known["joy"]
    upset = np.maximum(known["sadness"], known["anger"])
    kind = np.zeros(len(fear), np.intp)
    kind[joy > 5.3] = 1
    kind[upset > np.maximum(joy, 5.3)] = 3
    kind[fear > np.maximum(np.maximum(joy, upset), 5.5)] = 2
    rows = np.arange(len(fear))
    return Answer(
        np.full(len(fear), np.nan, np.float32),
        text=known["templates"][rows, kind].astype(np.int32),
        emotion=known["word"],
    )
