"""Cognition: feelings from what happens, attitudes and thoughts from what is recalled."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.agents import occ
from memopolis.agents.appraisal import (
    BAD,
    BASELINE,
    FEELINGS,
    GOOD,
    RELIEVES,
    Attitude,
    appraised,
    updated_conviction,
)
from memopolis.agents.attitude_rules import judge, judge_by_model
from memopolis.agents.attitude_settings import OpinionSettings, backfires
from memopolis.agents.citizen import old_enough
from memopolis.agents.thoughts import Span, reflect, reflect_word, templates
from memopolis.sim.block import Block
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Added
from memopolis.sim.memory.streams.emotion import EMOTIONS, emotion_number
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.mind.mind import Decisions, Question
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


LEAST_EMOTION = 0.05
"""Strength from which an emotion of a step names the feeling (illustrative)."""


class CognitionSettings(SettingsGroup):
    """How quickly people feel, judge and think."""

    appraisal: Literal["topic", "occ"] = Field(
        "topic",
        description="How events are felt: one feeling a topic, or the 21 emotions of OCC",
    )
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
        le=10_000,
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
    opinion: OpinionSettings = OpinionSettings()


class Feel(Block):
    """Move six feelings by the events that were stored since the last step, and calm down."""

    reads: ClassVar[tuple[str, ...]] = ("emotion",)
    writes = ("emotion", "emotion_word")
    state = ("impulse", "stirred")

    def __init__(self, settings: CognitionSettings | None = None) -> None:
        self.settings = settings or CognitionSettings()

    def setup(self) -> None:
        """Listen to what is stored."""
        people = len(self.population)
        self.impulse: NDArray[np.float32] = np.zeros((len(FEELINGS), people), np.float32)
        emotions = len(EMOTIONS) if self.settings.appraisal == "occ" else 0
        self.stirred: NDArray[np.float32] = np.zeros((emotions, people), np.float32)
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
            if self.settings.appraisal == "occ":
                likely = columns["confidence"][mask].astype(np.float32) / 255
                self._stir(topics[number], added.rows[mask], weight[mask], likely)
            else:
                self._add(topics[number], added.rows[mask], weight[mask])

    def _stir(
        self,
        topic: str,
        rows: NDArray[np.int64],
        weight: NDArray[np.float32],
        likely: NDArray[np.float32],
    ) -> None:
        """Add up the emotions that events of a topic stir, and the feelings these move."""
        people = self._widen()
        felt = self.population.memory.columns.arrays
        hope, fear = (
            np.clip((felt[f"emotion.{name}"][rows] - BASELINE) / 5, 0, 1).astype(np.float32)
            for name in ("joy", "fear")
        )
        character = occ.CHARACTERS.get(topic, occ.Character())
        strength = occ.emotions(occ.appraisal(character, weight, likely, hope, fear))
        stirred = np.zeros((len(EMOTIONS), people), np.float32)
        for place in np.flatnonzero(strength.any(axis=0)):
            stirred[place] = np.bincount(rows, weights=strength[:, place], minlength=people)
        self.stirred += stirred
        self.impulse += occ.impulses(stirred)

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
        new = people - self.impulse.shape[1]
        if new:
            self.impulse = np.pad(self.impulse, ((0, 0), (0, new)))
            self.stirred = np.pad(self.stirred, ((0, 0), (0, new)))
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
        status["emotion_word"] = self._words(levels, citizens)
        self.impulse[:] = 0
        self.stirred[:] = 0

    def _words(self, levels: NDArray[np.float32], citizens: Cohort) -> NDArray[np.uint8]:
        """The emotion of this step; where there is none, the feeling that stands out."""
        words = feeling_words(levels)
        if not len(self.stirred):
            return words
        new = occ.strongest(self.stirred[:, citizens.rows], least=LEAST_EMOTION)
        return np.where(new > 0, new, words)


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
    """Once a day, each at an hour of its own, recall and judge anew.

    Attributes:
        group: Status attribute whose texts name the groups that may differ in backfire; a
            subclass names it, also among what it reads.
    """

    group: ClassVar[str] = ""
    reads: ClassVar[tuple[str, ...]] = ("attitude", "conviction", "age")
    writes = ("attitude", "conviction")
    state: ClassVar[tuple[str, ...]] = ("start",)

    def __init__(
        self,
        settings: CognitionSettings | None = None,
        attitudes: Sequence[Attitude] = ATTITUDES,
    ) -> None:
        self.settings = settings or CognitionSettings()
        self.attitudes = tuple(attitudes)

    def setup(self) -> None:
        """Take down first attitudes, where the model goes back to them."""
        if self.settings.opinion.backfire_by_group and not self.group:
            raise ParameterError(
                "opinion.backfire_by_group is set, but these citizens have no groups to differ "
                "by; set opinion.backfire, for all"
            )
        tied = self.settings.opinion.model == "friedkin_johnsen"
        people = len(self.population) if tied else 0
        self.start: NDArray[np.float32] = np.full((len(self.attitudes), people), np.nan, np.float32)

    def who(self, citizens: Cohort) -> Cohort:
        """Those whose hour it is; the hour is drawn once for each."""
        return self.chance.daily(old_enough(citizens), first=8, span=14)

    def perceive(self, citizens: Cohort) -> Iterable[Question]:
        """Recall what bears on each attitude."""
        return [self._question(citizens, attitude) for attitude in self.attitudes]

    def _question(self, citizens: Cohort, attitude: Attitude) -> Question:
        stream = citizens.memory.stream
        recalled = self._recalled(citizens, attitude)
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
        opinion = self.settings.opinion
        if opinion.model == "friedkin_johnsen":
            known["start"] = self._first(attitude, citizens)
        if opinion.model == "repulsion" and self.group:
            known["backfire"] = backfires(status[self.group], opinion)
        rule = (
            partial(judge, rate=self.settings.attitude_rate)
            if opinion.model == "leaning"
            else partial(judge_by_model, settings=opinion)
        )
        return Question(
            "attitude",
            citizens,
            "rating",
            rule,
            about=attitude.name,
            memories=recalled,
            known=known,
        )

    def _recalled(self, citizens: Cohort, attitude: Attitude) -> Recalled:
        """What comes to mind; of a topic of which nobody ever spoke there is nothing to search."""
        if attitude.topic and attitude.topic not in self.population.memory.topic_numbers:
            nothing = np.full((len(citizens), 1), -1, np.int32)
            return Recalled(citizens.rows, nothing, np.zeros(nothing.shape, np.float32))
        return citizens.memory.stream.search(
            attitude.query,
            k=self.settings.memories,
            profile=self.settings.profile,
            topic=attitude.topic or None,
        )

    def _first(self, attitude: Attitude, citizens: Cohort) -> NDArray[np.float32]:
        """The attitude that each had when it was first asked."""
        new = len(self.population) - self.start.shape[1]
        if new:
            self.start = np.pad(self.start, ((0, 0), (0, new)), constant_values=np.nan)
        place = self.attitudes.index(attitude)
        first: NDArray[np.float32] = self.start[place, citizens.rows]
        new_here = np.isnan(first)
        first[new_here] = citizens.where(new_here).status[f"attitude.{attitude.name}"]
        self.start[place, citizens.rows] = first
        return first

    def _fresh(self, time: NDArray[np.int32]) -> NDArray[np.float32]:
        """Part of an event's work that is left: without it one event would move for ever."""
        age = np.maximum(self.clock.tick - time, 0)
        # There are far fewer ages than memories.
        hours = np.arange(age.max(initial=0) + 1) * self.clock.hours
        left: NDArray[np.float32] = np.exp2(-hours / self.settings.fresh).astype(np.float32)
        return left[age]

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


class Think(Block):
    """Once a day, form a thought of what the day brought, and remember it."""

    reads = ("emotion_word", "emotion", "age")
    writes = ("thought", "emotion", "emotion_word")

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
        occ_words = self.settings.appraisal == "occ"
        span: Span = "day" if self.clock.hours <= 24 else "month"
        numbers = self.society.texts.intern_many(templates(span, by_word=occ_words))
        known["templates"] = np.tile(numbers, (len(citizens), 1))
        rule = reflect_word if occ_words else reflect
        return Question("thought", citizens, "text", rule, memories=recalled, known=known)

    def apply(self, citizens: Cohort, decisions: Decisions) -> None:
        """Store the thought and link the day's memories to it."""
        stream = citizens.memory.stream
        # A thought of its own each day: the template repeats, what it rests on does not.
        ids = stream.add(
            "cognition", decisions.text, kind="thought", importance=0.4, emotion=decisions.emotion
        )
        stream.link(decisions.evidence, to=ids)
        citizens.status["thought"] = ids
        self._feel(citizens, decisions)

    @staticmethod
    def _feel(citizens: Cohort, decisions: Decisions) -> None:
        """Take over the feelings that a mind says it has; the rule says none."""
        said = ~np.isnan(decisions.intensities)
        if not said.any():
            return
        status = citizens.status
        for place, feeling in enumerate(FEELINGS):
            level = np.clip(decisions.intensities[:, place], 0, 10)
            old = status[f"emotion.{feeling}"]
            status[f"emotion.{feeling}"] = np.where(said[:, place], level, old)
        named = said.any(axis=1) & (decisions.emotion > 0)
        status["emotion_word"] = np.where(named, decisions.emotion, status["emotion_word"])
