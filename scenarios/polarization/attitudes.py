"""Effects of remembered messages on attitudes and feelings."""

from dataclasses import replace

import numpy as np

from memopolis.agents.appraisal import FEELINGS, Attitude, read_attitudes
from memopolis.agents.block_settings import CognitionSettings
from memopolis.agents.blocks import cognition
from memopolis.agents.joining import extend_rows, read_rows
from memopolis.scenarios.polarization.dispositions import (
    compute_settled_share,
    find_dispositions,
    measure_strength,
    rank_attitudes,
    renew,
    settle,
)
from memopolis.scenarios.polarization.people import PARTIES
from memopolis.scenarios.polarization.settings import DispositionSettings
from memopolis.scenarios.polarization.start import (
    SCALE,
    THERMOMETERS,
    select_moments,
    select_thermometers,
)
from memopolis.scenarios.polarization.subjects import GUNS, PLACEBO, Subject
from memopolis.sim.arrays import Float32, Float64, Floats, Int32
from memopolis.sim.errors import SettingsError
from memopolis.sim.memory.memory import Added
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.streams.encoding import IMPORTANCE
from memopolis.sim.mind.mind import Decisions
from memopolis.sim.population import Cohort
from memopolis.sim.threads import CACHES


def list_attitudes(subject: Subject) -> tuple[Attitude, ...]:
    """Return the attitudes of citizens that are updated daily: those of a subject and a placebo."""
    placebo = [one for one in read_attitudes(__file__, "citizen") if one.name == PLACEBO]
    return (*subject.attitudes, *placebo)


ATTITUDES = list_attitudes(GUNS)  # attitudes of the default subject

HOURS_PER_DAY = 24.0  # attitudes are updated once a day

OPINION = Profile(
    recency=0.5,
    importance=1.0,
    relevance=1.0,
    neighbours=0.0,
    actor=0.0,
    date=0.0,
    half_life=1_080.0,
    since="created",
)
"""Retrieval profile of messages, in which important ones are remembered for weeks.

Recency has a half-life of 45 days since a message was heard; recall does not renew it. Half-life
and weight of importance are calibrated, with the setting `cognition.fresh`, to the decline of
support after Uvalde (Gallup: 9 of 14 points within 4 to 5 months).
"""


class UpdateAttitudes(cognition.UpdateAttitudes):
    """Recall messages and update attitudes daily; backfire may differ by party.

    States: ids of the messages recalled last, -1 for none, in the order of the subject's topics,
    shape (topics, citizens, memories), and their weights; the settled part of the disposition of
    each topic and thermometer, and its considerations, NaN before the first update, shape
    (topics and thermometers, citizens); see `dispositions.py`.
    """

    group = "party"
    reads = ("attitude", "conviction", "age", "party", "side", "pid")
    state = ("start", "recalled", "weight", "settled", "considerations")

    def __init__(
        self,
        settings: CognitionSettings,
        subject: Subject,
        *,
        dispositions: DispositionSettings,
        symmetric: bool = False,
    ) -> None:
        super().__init__(settings, list_attitudes(subject))
        self.subject = subject
        self.disposed = (*subject.topics, *THERMOMETERS)
        self.dispositions = dispositions
        self.symmetric = symmetric

    def setup(self) -> None:
        """Allocate arrays. Raises SettingsError if backfire is set for an unknown party."""
        super().setup()
        unknown = [name for name in self.settings.opinion.backfire_by_group if name not in PARTIES]
        if unknown:
            raise SettingsError(
                f"setting cognition.opinion.backfire_by_group names {', '.join(unknown)}; it must "
                f"name parties: {', '.join(PARTIES)}"
            )
        people = len(self.population)
        shape = (len(self.subject.topics), people, self.settings.memories)
        self.recalled: Int32 = np.full(shape, -1, np.int32)
        self.weight: Float32 = np.zeros(shape, np.float32)
        disposed = (len(self.disposed), people)
        self.settled: Float32 = np.full(disposed, np.nan, np.float32)
        self.considerations: Float32 = np.full(disposed, np.nan, np.float32)

    def find_predisposition(self, attitude: Attitude, citizens: Cohort) -> Floats:
        """Return what the attitude of each citizen returns to today, shape (citizens,)."""
        if attitude.name not in self.subject.topics:
            return super().find_predisposition(attitude, citizens)
        return self.find_disposition(attitude.name, citizens)

    def find_disposition(self, name: str, citizens: Cohort) -> Float64:
        """Return what an attitude or a thermometer returns to today, shape (citizens,)."""
        rank = sum(self._renew(name, citizens))
        mean, sd = self._find_moments(name, citizens)
        return find_dispositions(np.asarray(rank), mean, sd, scale=_find_scale(name))

    def _renew(self, name: str, citizens: Cohort) -> tuple[Float64, Float64]:
        """Return settled part and today's considerations of each citizen."""
        place = self.disposed.index(name)
        limits = self.dispositions
        share = compute_settled_share(
            measure_strength(citizens["pid"]), least=limits.settled, most=limits.settled_strong
        )
        settled = read_rows(self.settled[place], citizens.rows, np.nan).astype(np.float64)
        held = read_rows(self.considerations[place], citizens.rows, np.nan).astype(np.float64)
        new = np.isnan(settled)
        if new.any():
            now = citizens[name if name in THERMOMETERS else f"attitude.{name}"]
            moments = self._find_moments(name, citizens)
            rank = rank_attitudes(now, *moments, scale=_find_scale(name))
            normal = self.society.chance.normal(f"settled {name}", citizens.rows)
            settled = np.where(new, settle(rank, normal, share), settled)
            held = np.where(new, rank - settled, held)
        kept = 2 ** (-HOURS_PER_DAY / self.settings.fresh)
        normal = self.chance.normal(citizens, f"considerations {name}")
        return settled, renew(held, normal, kept=kept, share=share)

    def _find_moments(self, name: str, citizens: Cohort) -> tuple[Float64, Float64]:
        """Return mean and standard deviation of an attitude or thermometer among the like."""
        if name in THERMOMETERS:
            moments = select_thermometers(name, symmetric=self.symmetric)
            group = np.clip(citizens["pid"].astype(np.intp), 0, len(moments) - 1)
        else:
            moments = select_moments(name, symmetric=self.symmetric)
            # Sides are -1, 0 and 1; an attribute may be changed to another number.
            group = 1 - np.clip(citizens["side"].astype(np.intp), -1, 1)
        mean, sd = moments[group].T
        return mean, sd

    def apply(self, citizens: Cohort, decisions: Decisions) -> None:
        """Store the new ratings, and keep recalled messages for warmth and for talks."""
        question = decisions.question
        if question.about in self.subject.topics and "start" in question.known:
            recalls = question.known["weight"].sum(axis=1) > 0
            self.keep_considerations(question.about, citizens.where(recalls))
        super().apply(citizens, decisions)
        if question.about not in self.subject.topics:
            return
        place = self.subject.topics.index(question.about)
        count = question.recalled.shape[1]
        self.recalled[place, citizens.rows] = -1
        self.recalled[place, citizens.rows, :count] = question.recalled
        self.weight[place, citizens.rows] = 0
        self.weight[place, citizens.rows, :count] = question.known["weight"]

    def keep_considerations(self, name: str, citizens: Cohort) -> None:
        """Store what an attitude or a thermometer of citizens who recalled a message returns to."""
        place = self.disposed.index(name)
        with CACHES:  # parts write to the same arrays
            self.settled = extend_rows(self.settled, len(self.population), np.nan)
            self.considerations = extend_rows(self.considerations, len(self.population), np.nan)
        settled, considerations = self._renew(name, citizens)
        self.settled[place, citizens.rows] = settled
        self.considerations[place, citizens.rows] = considerations


def _find_scale(name: str) -> float:
    """Return the length of the scale of an attitude or a thermometer."""
    return 100.0 if name in THERMOMETERS else SCALE


class Feel(cognition.Feel):
    """Change joy and anger by messages, by their agreement with the reader, then let both decay.

    The valence of a message is its stance, which is good news for some and bad news for others. The
    further it is from neutral, the more a message is an accusation, whose anger readers share who
    agree: the share is the square of the stance.

    Source: Moral outrage spreads among the like-minded (Brady et al. 2017,
    doi:10.1073/pnas.1618923114, recalled); the square is this project's.
    """

    reads = ("emotion", "attitude")

    def __init__(self, settings: CognitionSettings, subject: Subject) -> None:
        super().__init__(settings)
        self.subject = subject

    def notice(self, added: Added) -> None:
        """Sum the feelings that messages cause, by their agreement with their readers."""
        topics = self.population.memory.topics
        own_topics = (*self.subject.topics, self.subject.neutral)
        numbers = [n for n, topic in enumerate(topics) if topic in own_topics]
        people = self._extend_arrays()
        for number in numbers:
            topic = topics[number]
            mask = added.topic == number
            if topic == self.subject.neutral or not mask.any():
                continue
            rows = added.rows[mask]
            own = (self.population[f"attitude.{topic}"][rows] - 5) / 5
            stance = added.valence[mask].astype(np.float32) / 127
            agreement = own * stance * added.importance[mask].astype(np.float32) / IMPORTANCE
            shared, opposed = np.maximum(agreement, 0), np.maximum(-agreement, 0)
            for feeling, caused in (
                ("joy", shared * (1 - stance**2)),
                ("anger", shared * stance**2 + opposed),
                ("disgust", 0.4 * opposed),
            ):
                moved = np.bincount(rows, caused, minlength=people)
                self.impulse[FEELINGS.index(feeling)] += moved.astype(np.float32)
        # All other memories cause feelings by their valence.
        is_message = np.isin(added.topic, numbers)
        super().notice(replace(added, valence=np.where(is_message, 0, added.valence)))


class Think(cognition.Think):
    """Form a thought about the day; a message is pleasant if it agrees with the reader."""

    def __init__(self, settings: CognitionSettings, subject: Subject) -> None:
        super().__init__(settings)
        self.subject = subject

    def pleasantness(self, citizens: Cohort, topic: Int32, valence: Float32) -> Float32:
        """Return the agreement of messages with their readers, and the valence of other events."""
        numbers = self.population.memory.topic_numbers
        pleasant = valence
        for name in self.subject.topics:
            own = (citizens[f"attitude.{name}"] - 5) / 5
            about = topic == numbers.get(name, -1)
            pleasant = np.where(about, own[:, None] * valence, pleasant)
        return pleasant
