"""Cognition: emotions from events, attitudes and thoughts from memories."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np

from memopolis.agents import occ
from memopolis.agents.activities import Activity
from memopolis.agents.ages import AGE_OF_REASON
from memopolis.agents.appraisal import (
    BAD,
    BASELINE,
    FEELINGS,
    GOOD,
    Attitude,
    compute_share,
    read_attitudes,
    tabulate_effects,
)
from memopolis.agents.attitude_rules import (
    compute_backfire,
    rate_attitude,
    rate_attitude_by_model,
    update_conviction,
    weigh_answers,
)
from memopolis.agents.block_settings import THINK_AT, CognitionSettings
from memopolis.agents.everyday import RECEIVED
from memopolis.agents.experience import Experience
from memopolis.agents.joining import extend_rows, read_rows
from memopolis.agents.thoughts import (
    DRAWS,
    LEAST_CHANGE,
    NOTABLE,
    PERSONAL,
    REPORTS,
    WEIGHTY,
    Occasion,
    ThoughtComposer,
    choose_fitting,
    choose_quoted,
    take_composed,
)
from memopolis.sim.arguments import find_distinct
from memopolis.sim.arrays import Array, Bools, Float32, Floats, Int32, Int64, Intp
from memopolis.sim.block import Block
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Added
from memopolis.sim.memory.retrieval.filter import NO_FILTER, Filter
from memopolis.sim.memory.retrieval.recollection import Recalled
from memopolis.sim.memory.streams.encoding import EMOTIONS, IMPORTANCE
from memopolis.sim.mind.mind import Decisions, Question
from memopolis.sim.population import Cohort
from memopolis.sim.threads import CACHES

ATTITUDES = read_attitudes(__file__, "citizen")
"""Attitudes of citizens that built-in behaviours and news change."""

LEAST_EMOTION = 0.05  # intensity from which an emotion of the current step is named (illustrative)


class Feel(Block):
    """Change six feelings by the events stored since the last step, and let them decay."""

    reads: ClassVar[tuple[str, ...]] = ("emotion", "age")
    writes = ("emotion", "emotion_word")
    topics = tuple(dict.fromkeys([*BAD, *GOOD, *occ.CHARACTERS]))
    state = ("impulse", "stirred")
    by_row = True

    def __init__(self, settings: CognitionSettings | None = None) -> None:
        self.settings = settings or CognitionSettings()

    def setup(self) -> None:
        """Subscribe to stored memories."""
        people = len(self.population)
        self.impulse: Float32 = np.zeros((len(FEELINGS), people), np.float32)
        # Allocated for both kinds of appraisal: a fork may change it.
        self.stirred: Float32 = np.zeros((len(EMOTIONS), people), np.float32)
        self.population.memory.stored.append(self.notice)

    def notice(self, added: Added) -> None:
        """Sum the impulses of new events by feeling."""
        from memopolis.agents.appraisal_kernels import add_impulses

        self._extend_arrays()
        topics = self.population.memory.topics
        if self.settings.appraisal == "topic":
            add_impulses(
                self.impulse, added.rows, added.topic, added.kind, added.importance, added.valence,
                tabulate_effects(tuple(topics)),
            )  # fmt: skip
            return
        valence = added.valence.astype(np.float32) / 127
        weight = added.importance.astype(np.float32) / IMPORTANCE * valence
        moving = (weight != 0) & ((added.kind & 1) == 0)
        for number in np.flatnonzero(np.bincount(added.topic[moving])):
            mask = moving & (added.topic == number)
            likely = added.confidence[mask].astype(np.float32) / 255
            self._add_emotions(topics[number], added.rows[mask], weight[mask], likely)

    def _add_emotions(self, topic: str, rows: Int64, weight: Float32, likely: Float32) -> None:
        """Add the emotions that events of a topic cause, and their effects on feelings."""
        people = len(self.population)
        hope, fear = (
            np.clip((self.population[f"emotion.{name}"][rows] - BASELINE) / 5, 0, 1).astype(
                np.float32
            )
            for name in ("joy", "fear")
        )
        character = occ.CHARACTERS.get(topic, occ.Character())
        strength = occ.compute_emotions(occ.appraise(character, weight, likely, hope, fear))
        stirred = np.zeros((len(EMOTIONS), people), np.float32)
        for place in np.flatnonzero(strength.any(axis=0)):
            stirred[place] = np.bincount(rows, weights=strength[:, place], minlength=people)
        self.stirred += stirred
        self.impulse += occ.compute_impulses(stirred)

    def _extend_arrays(self) -> int:
        """Extend the arrays for new agents, and return the number of agents."""
        people = len(self.population)
        with CACHES:  # parts write to the same arrays
            new = people - self.impulse.shape[1]
            if new:
                self.impulse = np.pad(self.impulse, ((0, 0), (0, new)))
                self.stirred = np.pad(self.stirred, ((0, 0), (0, new)))
        return people

    def step(self, citizens: Cohort) -> None:
        """Update feelings and name the dominant one, from the age of reason on."""
        from memopolis.agents.appraisal_kernels import move_feelings

        self._extend_arrays()
        citizens = citizens.of_age(AGE_OF_REASON)
        if not len(citizens):
            return
        first, last = citizens.rows[[0, -1]]
        # Consecutive rows, also those of agents that stay unchanged, are faster to read and write.
        span = self.population.at(np.arange(first, last + 1))
        levels = tuple(span[f"emotion.{feeling}"] for feeling in FEELINGS)
        share = compute_share(self.impulse[:, first : last + 1], gain=self.settings.gain)
        calm = np.float32(1 - 0.5 ** (self.clock.hours / self.settings.calm_half_life))
        words = move_feelings(levels, self.impulse, share, citizens.rows, calm)
        for feeling, level in zip(FEELINGS, levels, strict=True):
            span[f"emotion.{feeling}"] = level
        if self.settings.appraisal != "topic":  # the emotion of this step, if there is one
            new = occ.find_strongest(self.stirred[:, citizens.index], least=LEAST_EMOTION)
            words = np.where(new > 0, new, words)
            self.stirred[:, citizens.index] = 0
        citizens["emotion_word"] = words


@lru_cache(4)
def tabulate_decay(ages: int, hours: float, half_life: float) -> Float32:
    """Return the share of an effect that is left after each age in ticks, shape (ages,)."""
    left: Float32 = np.exp2(-(np.arange(ages) * hours) / half_life).astype(np.float32)
    return left


class UpdateAttitudes(Block):
    """Recall memories and update attitudes once a day, at an hour drawn once for each agent."""

    # Status attribute that names the group of each agent, if backfire differs by group. A subclass
    # sets it and adds it to `reads`.
    group: ClassVar[str] = ""
    reads: ClassVar[tuple[str, ...]] = ("attitude", "conviction", "age")
    writes = ("attitude", "conviction")
    state: ClassVar[tuple[str, ...]] = ("start",)
    by_row = True

    def __init__(
        self, settings: CognitionSettings | None = None, attitudes: Sequence[Attitude] = ATTITUDES
    ) -> None:
        self.settings = settings or CognitionSettings()
        self.attitudes = tuple(attitudes)
        topics = [t for attitude in attitudes for t in (*attitude.effect, attitude.topic) if t]
        self.topics = tuple(dict.fromkeys(topics))

    def setup(self) -> None:
        """Allocate initial attitudes, if the model uses them."""
        if self.settings.opinion.backfire_by_group and not self.group:
            raise ParameterError(
                "opinion.backfire_by_group is set, but these citizens have no groups; set "
                "opinion.backfire for all citizens instead"
            )
        people = len(self.population) if self.settings.opinion.is_anchored else 0
        self.start: Float32 = np.full((len(self.attitudes), people), np.nan, np.float32)

    def who(self, citizens: Cohort) -> Cohort:
        """Select the agents whose hour it is."""
        return self.chance.daily(citizens, first=8, span=14).of_age(AGE_OF_REASON)

    def perceive(self, citizens: Cohort) -> Iterable[Question]:
        """Recall memories that concern each attitude."""
        return [self._question(citizens, attitude) for attitude in self.attitudes]

    def _question(self, citizens: Cohort, attitude: Attitude) -> Question:
        from memopolis.agents.attitude_kernels import weigh_memories

        recalled = self._recall(citizens, attitude)
        topics = self.population.memory.topics
        effects = np.array([attitude.effect.get(topic, 0.0) for topic in topics], np.float32)
        decay = self._tabulate_decay()
        weight, effect = citizens.stream.located(recalled).compute(
            lambda view, _, fading, slots, scores: weigh_memories(
                view, fading, slots, scores, effects, decay
            ),
            recalled.scores,
        )
        known = {
            "rating": citizens[f"attitude.{attitude.name}"],
            "conviction": citizens[f"conviction.{attitude.name}"],
            "weight": weight,
            "effect": effect,
        }
        opinion = self.settings.opinion
        if opinion.is_anchored:
            known["start"] = self.find_predisposition(attitude, citizens)
        if opinion.model == "repulsion" and self.group:
            known["backfire"] = compute_backfire(citizens[self.group], opinion)
        rule = (
            partial(rate_attitude, rate=self.settings.attitude_rate)
            if opinion.model == "leaning"
            else partial(rate_attitude_by_model, settings=opinion)
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

    def _recall(self, citizens: Cohort, attitude: Attitude) -> Recalled:
        """Search for relevant memories; there are none of a topic that no agent has encountered."""
        if attitude.topic and attitude.topic not in self.population.memory.topic_numbers:
            empty = np.full((len(citizens), 1), -1, np.int32)
            return Recalled(citizens.rows, empty, np.zeros(empty.shape, np.float32))
        return citizens.stream.search(
            attitude.query,
            k=self.settings.memories,
            profile=self.settings.profile,
            where=Filter(topic=attitude.topic) if attitude.topic else NO_FILTER,
        )

    def find_predisposition(self, attitude: Attitude, citizens: Cohort) -> Floats:
        """Return what the attitude of each agent returns to today: the initial one, (agents,)."""
        return self._initial_attitude(attitude, citizens)

    def _initial_attitude(self, attitude: Attitude, citizens: Cohort) -> Float32:
        """Return the attitude of each agent at its first update, which may be the current one."""
        place = self.attitudes.index(attitude)
        first = read_rows(self.start[place], citizens.rows, np.nan)
        held = citizens[f"attitude.{attitude.name}"]
        return np.where(np.isnan(first), held, first)

    def _tabulate_decay(self) -> Float32:
        """Compute by age in ticks how much of an effect is left, so that no event acts forever."""
        oldest = self.clock.tick - self.population.memory.streams.earliest
        longest = 1 << max(oldest, 0).bit_length()
        return tabulate_decay(longest, self.clock.hours, self.settings.fresh)

    def apply(self, citizens: Cohort, decisions: Decisions) -> None:
        """Store the new ratings and update conviction."""
        name, known = decisions.question.about, decisions.question.known
        if "start" in known:
            with CACHES:  # parts write to the same array
                self.start = extend_rows(self.start, len(self.population), np.nan)
            place = [one.name for one in self.attitudes].index(name)
            attitude = self.attitudes[place]
            self.start[place, citizens.rows] = self._initial_attitude(attitude, citizens)
        old = citizens[f"attitude.{name}"]
        pull = known["weight"] * known["effect"]
        toward = np.sign(pull.sum(axis=1))
        citizens[f"conviction.{name}"] = update_conviction(
            citizens[f"conviction.{name}"], old, toward, rate=self.settings.conviction_rate
        )
        rating = decisions.value
        if "start" in known:
            rating = weigh_answers(decisions, self.settings.opinion)
        citizens[f"attitude.{name}"] = rating
        reasons = find_strongest_reason(
            decisions.question.recalled, pull * np.sign(rating - old)[:, None]
        )
        for block in self.population.blocks:
            if isinstance(block, Think):
                block.note_reasons(name, citizens, reasons)


def find_strongest_reason(ids: Int32, pull: Floats) -> Int32:
    """Return the memory that pulled each attitude most in the direction that it moved, (agents,).

    `ids` are the recalled memories and `pull` their signed weights, positive in that direction,
    shape (agents, k) each; -1 where no memory pulled in it.
    """
    if not ids.shape[1]:
        return np.full(len(ids), -1, np.int32)
    at = np.arange(len(ids))
    strongest = pull.argmax(axis=1)
    return np.where(pull[at, strongest] > 0, ids[at, strongest], np.int32(-1))


_build_composer = lru_cache(32)(ThoughtComposer)


@lru_cache(32)
def _mark_topics(topics: tuple[str, ...], names: frozenset[str]) -> Bools:
    """Return whether each topic is one of some, shape (topics,)."""
    return np.array([topic in names for topic in topics], np.bool_)


def _put_first(ids: Int32, recalled: Recalled) -> Recalled:
    """Put one memory of each agent, shape (agents,), before those that it recalled."""
    first = ids[:, None]
    others = np.where(recalled.ids == first, np.int32(-1), recalled.ids)
    scores = np.hstack([np.zeros(first.shape, np.float32), recalled.scores])
    return Recalled(recalled.rows, np.hstack([first, others]), scores)


class Think(Block):
    """Form one thought about the day and remember it, once a day.

    A thought quotes the memory that changed an attitude most since the last thought, unless an
    earlier thought quoted it, or else the most salient memory of the day. Subclasses may name other
    `situations`, see `ThoughtComposer`, and `replaced` beginnings of texts, such as forecasts, of
    which only the newest counts. The state `considered` has the attitudes at the last thought, NaN
    before the first, and `reasons` the ids of the memories that moved them at their last update, -1
    for none, shape (attitudes, agents) each.
    """

    reads: ClassVar[tuple[str, ...]] = ("emotion_word", "emotion", "age", "attitude", "doing")
    writes: ClassVar[tuple[str, ...]] = ("thought", "intention", "emotion", "emotion_word")
    state = ("considered", "reasons")
    by_row = True
    institution: ClassVar[bool] = False
    situations: ClassVar[tuple[str, ...]] = ("", "leaving", "away")
    replaced: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, settings: CognitionSettings | None = None, *, think_at: float = THINK_AT
    ) -> None:
        self.settings = settings or CognitionSettings()
        self.think_at = think_at

    def setup(self) -> None:
        """List the attitudes that thoughts may mention."""
        self.attitudes = tuple(
            name.removeprefix("attitude.")
            for name in self.population.attributes
            if name.startswith("attitude.")
        )
        shape = (len(self.attitudes), len(self.population))
        self.considered: Float32 = np.full(shape, np.nan, np.float32)
        self.reasons: Int32 = np.full(shape, -1, np.int32)

    def note_reasons(self, attitude: str, citizens: Cohort, ids: Int32) -> None:
        """Note the memories that moved an attitude at its update, -1 for none, shape (agents,)."""
        with CACHES:  # parts write to the same array
            self.reasons = extend_rows(self.reasons, len(self.population), -1)
        self.reasons[self.attitudes.index(attitude), citizens.rows] = ids

    def who(self, citizens: Cohort) -> Cohort:
        """Select the agents whose hour it is, one of the four hours from `think_at`."""
        return self.chance.daily(citizens, first=self.think_at, span=4).of_age(AGE_OF_REASON)

    def perceive(self, citizens: Cohort) -> Question | None:
        """Recall the memories of today; agents without any form no thought."""
        recalled = citizens.stream.today(k=self.settings.memories, by="importance")
        some = recalled.ids[:, 0] >= 0
        if not some.any():
            return None
        citizens, recalled = citizens.where(some), recalled.where(some)
        known = self.feelings(citizens)
        composer = _build_composer(
            tuple(self.population.memory.topics),
            self.attitudes,
            "day" if self.clock.hours <= 24 else "month",
            institution=self.population.name if self.institution else "",
            situations=self.situations,
        )
        draws = self.chance.uniforms(citizens, DRAWS, "phrase")
        experience = self._drop_replaced(citizens, Experience(citizens, recalled))
        pleasant = self.pleasantness(
            citizens, experience.column("topic"), experience.column("valence")
        )
        occasion, quoted = self._occasion(citizens, experience, known, pleasant)
        known["composed"], known["intention"] = composer.compose(
            occasion, draws, self.society.texts
        )
        known["evidence"] = quoted[:, None]
        known["word"] = choose_fitting(known["word"], occasion.quoted_valence)
        return Question(
            "thought",
            citizens,
            "text",
            take_composed,
            memories=_put_first(quoted, experience.recalled),
            known=known,
        )

    def _drop_replaced(self, citizens: Cohort, experience: Experience) -> Experience:
        """Leave out memories of reports that a newer one replaces.

        An agent's own reports count, as far as it has any; reports of others may be older.
        """
        if not self.replaced:
            return experience
        text, ids = experience.column("text"), experience.recalled.ids
        distinct, back = find_distinct(text)
        texts = [self.society.texts[one] if one >= 0 else "" for one in distinct.tolist()]
        kinds = [
            2 * one.startswith(self.replaced) + one.removeprefix(RECEIVED).startswith(self.replaced)
            for one in texts
        ]
        # 3 for own reports, 1 for those of others.
        kind = np.array(kinds, np.int8)[back].ravel()
        at = np.flatnonzero(kind)
        if not len(at):
            return experience
        # Ids ascend with time, and distinguish reports of the same step.
        time, row = experience.column("time").ravel()[at], at // ids.shape[1]
        rank = (kind[at] * np.int64(2**33) + time) * 2**20 + ids.ravel()[at]
        newest = np.full(len(ids), -1, np.int64)
        np.maximum.at(newest, row, rank)
        is_replaced = np.zeros(ids.shape, np.bool_)
        is_replaced.ravel()[at[rank < newest[row]]] = True
        return Experience(citizens, experience.recalled.without(is_replaced))

    def feelings(self, citizens: Cohort) -> dict[str, Array]:
        """Return the feelings of each agent and the number of its emotion word."""
        known: dict[str, Array] = {name: citizens[f"emotion.{name}"] for name in FEELINGS}
        return known | {"word": citizens["emotion_word"]}

    def _occasion(
        self,
        citizens: Cohort,
        experience: Experience,
        known: Mapping[str, Array],
        pleasant: Float32,
    ) -> tuple[Occasion, Int32]:
        """Find the most important event (the oldest of equals), its context, and the quote's id."""
        ids, importance = experience.recalled.ids, experience.column("importance")
        most = np.ascontiguousarray(importance.T).max(axis=0)  # faster than along a short axis
        leads = (importance == most[:, None]) & (ids >= 0)
        first = np.where(leads, ids, np.iinfo(np.int32).max).argmin(axis=1)
        agents, topics = np.arange(len(first)), experience.column("topic")
        topic = topics[agents, first]
        if self.institution:
            total = experience.column("valence").sum(axis=1)
            mood = total / np.maximum(experience.recalled.counts, 1)
        else:
            mood = known["word"]
        is_report = _mark_topics(tuple(self.population.memory.topics), REPORTS)[topics]
        place = choose_quoted(np.where(ids >= 0, importance, -1), pleasant, is_report)
        occasion = Occasion(
            topic=topic,
            valence=pleasant[agents, first],
            quoted_topic=topics[agents, place],
            quoted_valence=pleasant[agents, place],
            quoted_weighty=importance[agents, place] >= WEIGHTY,
            mood=mood,
            attitude=np.full(len(first), -1),
            rises=np.zeros(len(first), np.bool_),
            situation=self.situation(citizens, topic),
            shadowed=((pleasant <= -NOTABLE) & (importance >= WEIGHTY)).any(axis=1),
            of_others=self._is_of_others(experience, first),
        )
        return self._quote_reasons(citizens, occasion, ids[agents, place])

    def _is_of_others(self, experience: Experience, first: Intp) -> Bools:
        """Return whether the memory at each place is of a personal event that another reported."""
        agents = np.arange(len(first))
        is_personal = _mark_topics(tuple(self.population.memory.topics), PERSONAL)
        is_personal = is_personal[experience.column("topic")[agents, first]]
        texts = experience.column("text")[agents, first]
        return np.asarray(is_personal & self.society.texts.start_with(texts, RECEIVED))

    def _quote_reasons(
        self, citizens: Cohort, occasion: Occasion, quoted: Int32
    ) -> tuple[Occasion, Int32]:
        """Quote the memory that moved the attitude that changed most, if there is a new one."""
        if not self.attitudes:
            return occasion, quoted
        rows, agents = citizens.rows, np.arange(len(citizens))
        reasons = read_rows(self.reasons, rows, -1)
        change = np.where(reasons >= 0, self._change(citizens), 0)
        attitude = np.abs(change).argmax(axis=0)
        moved = change[attitude, agents]
        some = np.flatnonzero(np.abs(moved) >= LEAST_CHANGE)
        if not len(some):
            return occasion, quoted
        people = citizens.at(rows[some])
        ids = reasons[attitude[some], some][:, None]
        memories = Experience(people, Recalled(people.rows, ids, np.zeros(ids.shape, np.float32)))
        topic, valence = memories.column("topic"), memories.column("valence")
        toward = self._effects[attitude[some], topic[:, 0]] * valence[:, 0] * moved[some]
        new = (toward > 0) & (memories.column("thought")[:, 0] < 0)
        if self.population.memory.recall == "none":
            # What moved an attitude earlier in the day cannot be recalled.
            new &= memories.column("time")[:, 0] == self.clock.tick
        at = some[new]
        agreeable = self.pleasantness(people, topic, valence)[:, 0]
        for values, own in (
            (occasion.quoted_topic, topic[:, 0]),
            (occasion.quoted_valence, agreeable),
            (occasion.quoted_weighty, memories.column("importance")[:, 0] >= WEIGHTY),
            (occasion.attitude, attitude[some]),
            (occasion.rises, moved[some] > 0),
            (quoted, ids[:, 0]),
        ):
            values[at] = own[new]
        return occasion, quoted

    @property
    def _effects(self) -> Float32:
        """Effect of a memory of each topic on each attitude, shape (attitudes, topics)."""
        topics = self.population.memory.topics
        effects = np.zeros((len(self.attitudes), len(topics)), np.float32)
        for block in self.population.blocks:
            for attitude in block.attitudes if isinstance(block, UpdateAttitudes) else ():
                effects[self.attitudes.index(attitude.name)] = [
                    attitude.effect.get(topic, 0.0) for topic in topics
                ]
        return effects

    def pleasantness(self, citizens: Cohort, topic: Int32, valence: Float32) -> Float32:
        """Return how good or bad events are, -1..1, (agents, k); by default their valence."""
        del citizens, topic
        return valence

    def situation(self, citizens: Cohort, topic: Int32) -> Intp:
        """Return the number of each agent's situation, given the topic of its event."""
        if self.institution:
            return np.zeros(len(citizens), np.intp)
        del topic
        doing = citizens["doing"]
        return np.where(doing == Activity.AWAY, 2, doing == Activity.PACK).astype(np.intp)

    def _change(self, citizens: Cohort) -> Float32:
        """Return the change of each attitude since the last thought, shape (attitudes, agents)."""
        before = read_rows(self.considered, citizens.rows, np.nan)
        change = self._read_attitudes(citizens) - before
        return np.where(np.isnan(change), np.float32(0), change)

    def _read_attitudes(self, citizens: Cohort) -> Float32:
        now = np.array([citizens[f"attitude.{name}"] for name in self.attitudes], np.float32)
        return now.reshape(len(self.attitudes), len(citizens))

    def apply(self, citizens: Cohort, decisions: Decisions) -> None:
        """Store the thought and the intention, and link the quoted memory to the thought."""
        stream = citizens.stream
        # A new memory each day: templates may repeat, their evidence does not.
        ids = stream.add(
            "cognition", decisions.text, kind="thought", importance=0.4, emotion=decisions.emotion
        )
        stream.link(decisions.evidence, to=ids)
        with CACHES:  # parts write to the same array
            self.considered = extend_rows(self.considered, len(self.population), np.nan)
            self.reasons = extend_rows(self.reasons, len(self.population), -1)
        self.considered[:, citizens.rows] = self._read_attitudes(citizens)
        self.reasons[:, citizens.rows] = -1
        citizens["thought"] = ids
        citizens["intention"] = decisions.question.known["intention"]
        if not self.institution:
            self._store_feelings(citizens, decisions)

    @staticmethod
    def _store_feelings(citizens: Cohort, decisions: Decisions) -> None:
        """Store the feelings that a mind returned; the rule returns none."""
        rated = ~np.isnan(decisions.intensities)
        if not rated.any():
            return
        for place, feeling in enumerate(FEELINGS):
            level = np.clip(decisions.intensities[:, place], 0, 10)
            old = citizens[f"emotion.{feeling}"]
            citizens[f"emotion.{feeling}"] = np.where(rated[:, place], level, old)
        named = rated.any(axis=1) & (decisions.emotion > 0)
        citizens["emotion_word"] = np.where(named, decisions.emotion, citizens["emotion_word"])
