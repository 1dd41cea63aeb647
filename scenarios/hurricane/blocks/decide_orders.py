"""The government decides on orders, shelters and messages, by its memories."""

from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.experience import Experience
from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.danger import DANGERS, RELIEF, recall_danger
from memopolis.scenarios.hurricane.people import ORDERS
from memopolis.scenarios.hurricane.settings import GovernmentSettings
from memopolis.sim.arrays import Bools, Float32, Floats, Int8, Intp
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Outcome, Question, Words
from memopolis.sim.population import Cohort
from memopolis.sim.timeline import News, Order

QUERY = "earlier hurricanes and how people react to us"
SHELTERS = ("closed", "open")
MESSAGES = ("none", "prepare", "leave", "return")
REASONS = ("recalls no danger", "recalls danger", "recalls that the danger has passed")
NO_EFFECT = "no effect: the setting orders gives them"
"""Remark on considered orders unless orders are decided; the same for all values of the setting, so
that runs with and without historical orders do not differ before the first order."""

TEXTS = {
    "prepare": ("preparation", "Officials ask everyone to prepare for the storm.", 0.2),
    "leave": ("government", "Officials explain the evacuation and where help is found.", 0.2),
    "return": ("government", "Officials thank people for their patience.", 0.3),
}
"""Topic, text and stance of each message (illustrative)."""
MESSAGE_IMPORTANCE = 0.2  # importance of a message to citizens (illustrative)


class DecideOrders(Block):
    """Decide on orders, shelters and messages at fixed hours.

    Orders take effect if the setting `orders` is "decided"; otherwise they are only recorded, with
    a remark, and the orders of the setting apply. Decisions on shelters and messages always take
    effect. The state `last_message` is the number of the last message, shape (1,).
    """

    reads = ("considered_order", "shelters")
    writes = ("considered_order", "shelters")
    topics = (*DANGERS, RELIEF, "past storm", "reaction")
    state = ("last_message",)

    def __init__(self, settings: GovernmentSettings, *, orders: str) -> None:
        self.settings = settings
        self.decides = orders == "decided"

    def setup(self) -> None:
        """Start without a message."""
        self.last_message: Int8 = np.zeros(1, np.int8)

    def who(self, government: Cohort) -> Cohort:
        """Select the government at the hours of decision."""
        return government if self.clock.is_every(self.settings.every) else government.none()

    def perceive(self, government: Cohort) -> Iterable[Question]:
        """Recall danger, earlier storms and reactions."""
        danger, reports = recall_danger(government, k=self.settings.memories)
        experience = Experience.recall(government, QUERY, k=self.settings.memories)
        known = {
            "danger": danger,
            "relief": reports.about(RELIEF).any(axis=1),
            "past": experience.mean(experience.about("past storm")),
            "reaction": experience.mean(experience.about("reaction")),
            "order": government["considered_order"].astype(np.intp),
            "evidence": reports.evidence(reports.about(*DANGERS, RELIEF)),
        }
        for kind, options, rule in (
            ("order", ORDERS, choose_order),
            ("shelters", SHELTERS, choose_shelters),
            ("public message", MESSAGES, choose_message),
        ):
            by_settings = partial(rule, settings=self.settings)
            yield reports.ask_choice(kind, by_settings, known, options, about=kind)

    def apply(self, government: Cohort, decisions: Decisions) -> Outcome:
        """Carry out one decision."""
        choice = np.nan_to_num(decisions.value).astype(np.intp)
        kind = decisions.question.kind
        if kind == "shelters":
            self._open_shelters(government, choice == 1)
        elif kind == "order":
            self._order(government, choice)
        elif self.settings.messages and len(choice):
            self._say(int(choice[0]))
        note = None
        if kind == "order" and not self.decides:
            note = Words(np.zeros(len(choice), np.uint8), (NO_EFFECT,))
        threshold = deciding_threshold(decisions.question, choice, self.settings)
        return Outcome(threshold=threshold, note=note)

    def _open_shelters(self, government: Cohort, opens: Bools) -> None:
        before = government["shelters"]
        government["shelters"] = opens
        for mask, text in (
            (opens & ~before, "We opened the public shelters."),
            (before & ~opens, "We closed the public shelters."),
        ):
            remember(government.where(mask), "shelter", text, 0.5, 0.1)

    def _order(self, government: Cohort, choice: Intp) -> None:
        before = government["considered_order"].astype(np.intp)
        government["considered_order"] = choice.astype(np.uint8)
        changed = government.where(choice != before)
        if not len(changed) or not self.decides:
            return
        number = int(choice[0])
        # Effective in the next step, since the shocks of this one have happened.
        following = self.clock.date_of(self.clock.tick + 1)
        self.society.timeline.at(following, Order(("ordered",), ORDERS[number]))
        text, valence = (
            ("We lifted the evacuation order.", 0.5),
            ("We advised people at the coast to leave.", -0.2),
            ("We ordered people at the coast to leave.", -0.4),
        )[number]
        remember(changed, "order", text, 0.8, valence)

    def _say(self, message: int) -> None:
        """Publish a message once, until another is due."""
        if message and message != self.last_message[0]:
            topic, text, stance = TEXTS[MESSAGES[message]]
            following = self.clock.date_of(self.clock.tick + 1)
            news = News(text, topic=topic, stance=stance, importance=MESSAGE_IMPORTANCE)
            self.society.timeline.at(following, news)
        self.last_message[0] = message


def shift_thresholds(past: Floats, reaction: Floats, settings: GovernmentSettings) -> Float32:
    """Compute the shift of thresholds of danger: bad storms lower them, bad reactions raise them.

    Source: This project; officials weigh false alarms and earlier disasters (Dow and Cutter 1998,
    recalled; Baker 1991: false alarms matter little).
    """
    return np.asarray(settings.past * past - settings.reaction * reaction, np.float32)


def deciding_threshold(question: Question, choice: Intp, settings: GovernmentSettings) -> Float32:
    """Return the level of danger at which a choice changes, for each agent.

    It is the danger from which the option is chosen; for option 0, from which another option is
    chosen; for an order that stays in force and the message "return", below which orders are
    lifted.
    """
    if question.kind == "shelters":
        return np.full(len(choice), settings.shelters_at, np.float32)
    known = question.known
    shift = np.zeros(len(choice), np.float32)
    if question.kind == "order":
        shift = shift_thresholds(known["past"], known["reaction"], settings)
    rising = np.where(choice == 2, settings.mandatory_at, settings.voluntary_at) + shift
    ends = (known["danger"] < rising) & (choice > 0)
    return np.where(ends, settings.lifted_at, rising).astype(np.float32)


def choose_order(question: Question, *, settings: GovernmentSettings) -> Answer:
    """Choose the strictest order whose threshold danger exceeds: the rule of "order".

    An order stays in force until danger falls below `lifted_at`.
    """
    known = question.known
    danger = known["danger"]
    shift = shift_thresholds(known["past"], known["reaction"], settings)
    choice = (danger >= settings.voluntary_at + shift).astype(np.intp)
    choice += danger >= settings.mandatory_at + shift
    holds = danger >= settings.lifted_at
    choice = np.where(holds, np.maximum(choice, known["order"]), 0)
    return _answer(question, choice)


def choose_shelters(question: Question, *, settings: GovernmentSettings) -> Answer:
    """Open shelters from a level of danger on: the rule of "shelters"."""
    return _answer(question, question.known["danger"] >= settings.shelters_at)


def choose_message(question: Question, *, settings: GovernmentSettings) -> Answer:
    """Choose a message by danger: the rule of "public message"."""
    known = question.known
    danger, relief = known["danger"], known["relief"]
    choice = np.where(danger >= settings.mandatory_at, 2, danger >= settings.voluntary_at)
    choice = np.where((danger < settings.lifted_at) & relief, 3, choice)
    return _answer(question, choice)


def _answer(question: Question, choice: NDArray[np.generic]) -> Answer:
    known = question.known
    reason = np.where(known["danger"] > 0, 1, np.where(known["relief"], 2, 0)).astype(np.uint8)
    return Answer(
        np.asarray(choice, np.float32), evidence=known["evidence"], reason=reason, reasons=REASONS
    )
