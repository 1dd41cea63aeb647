"""Evacuation decision: adults rate their readiness, and households combine the ratings."""

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from memopolis.agents.ages import AGE_OF_REASON
from memopolis.agents.blocks.plan import SHOP_HOURS
from memopolis.agents.conversation import INVITATION
from memopolis.agents.experience import Experience
from memopolis.agents.itinerary import Itinerary
from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.blocks.hear_orders import MANDATORY_FROM
from memopolis.scenarios.hurricane.forecast import LEADS, Forecasts
from memopolis.scenarios.hurricane.local_weather import describe_shore
from memopolis.scenarios.hurricane.moving import members_of, start_plan, travellers_of
from memopolis.scenarios.hurricane.padm import (
    EXPOSURE,
    NOT_FORECAST,
    Pace,
    belief_in_order,
    believed_impact,
    combine_ratings,
    coping_appraisal,
    individual_logit_factor,
    leaving_probability,
    perceived_threat,
    readiness,
)
from memopolis.scenarios.hurricane.people import ADULT, Stage
from memopolis.scenarios.hurricane.settings import DecisionSettings
from memopolis.sim.arrays import Float32, Intp, UInt8
from memopolis.sim.block import Block
from memopolis.sim.memory.memory import Added
from memopolis.sim.mind.mind import Answer, Decisions, Outcome, Question, Words
from memopolis.sim.population import Cohort, Population

QUERY = (
    "hurricane danger: evacuate, the order to leave, a place to stay, or danger has passed and "
    "people may return"
)
DANGERS = ("disaster", "order", "evacuation")  # topics of memories of danger
FORECASTS = ("disaster",)  # topics of forecasts
RELIEFS = ("relief",)  # topics of memories that danger is over
PAST = ("past storm",)  # topics of memories of earlier storms
CONTACTS = ("friend", "colleague")
REASONS = (
    "nothing recalled is a threat",
    "recalls that the danger has passed",
    "recalls a threat, but hesitates",
    "recalls an order to leave, but hesitates",
    "recalls a threat",
    "recalls an order to leave",
)
READY = 5.0  # rating from which an adult is rather ready to leave than not: the middle of the scale
RESULTS = ("the household stays for now", "the household leaves")
"""Remarks on what a household decided together."""
REFUSES = 0.25
"""Probability that an adult who would not leave alone does not leave with the others
(illustrative)."""
ON_DUTY = 0.03
"""Probability that a working adult stays for the job when the others leave (illustrative; with the
former about a tenth of the households leave a member behind; recalled: 1 in 10 to 1 in 7)."""
STAYING = (
    "I stay behind in {place}: I do not want to leave my home.",
    "I stay behind in {place}: I am needed at work.",
)


@dataclass(eq=False, repr=False)
class StayOrGo(Block):
    """Decide whether households leave, by the Protective Action Decision Model."""

    reads = (
        "alerted",
        "age",
        "household",
        "home",
        "gender",
        "mobile_home",
        "surge_band",
        "vehicle",
        "income",
        "attitude",
        "away",
        "place",
        "scheduled",
        "prepared",
        "employer",
    )
    topics = (*DANGERS, *RELIEFS, *PAST, INVITATION)
    writes = (
        "threat",
        "readiness",
        "alerted",
        "prepared",
        "stays_behind",
        "plan",
        "plan_step",
        "until",
        "doing",
        "target",
        "follows",
    )

    settings: DecisionSettings
    households: Population
    forecasts: Forecasts
    packing: float
    # Whether news of disasters are reports of these forecasts; users' news have their own stance
    forecast_news: bool

    def setup(self) -> None:
        """Draw inclinations, thresholds and decision hours, and subscribe to memories of danger."""
        houses = np.arange(len(self.households))
        chance = self.society.chance
        self.inclination = self.settings.spread * chance.normal("stay_or_go.inclination", houses)
        self.threshold = 10 * chance.uniform("stay_or_go.threshold", houses).astype(np.float32)
        self.every = self.clock.ticks(self.settings.every)
        self.turn = (chance.uniform("stay_or_go.turn", houses) * self.every).astype(np.int64)
        status = self.population.memory.status
        self.female = status.label("female")
        self.exposure = {status.label(band): share for band, share in EXPOSURE.items()}
        place = self.society.place
        zones = int(self.population["home"].max(initial=0)) + 1
        coast_km = np.zeros(zones) if place is None else describe_shore(place)[0]
        self.belief = belief_in_order(coast_km)
        self.impact, self.hours_left = self._tabulate_forecasts()
        self.itinerary = Itinerary(self.society)
        self.population.memory.stored.append(self.notice)

    def _tabulate_forecasts(self) -> tuple[Float32, Float32]:
        """Return impact and hours until gales that were forecast, (ticks, zones)."""
        if not self.forecast_news:
            empty = np.zeros((0, 1), np.float32)
            return empty, empty
        forecasts = self.forecasts
        soonest = np.minimum(forecasts.hours_to_gale, forecasts.hours_to_nearest)
        return forecasts.impact, np.minimum(soonest, np.float32(LEADS[-1]))

    def notice(self, added: Added) -> None:
        """Mark citizens with a new memory of danger."""
        memory = self.population.memory
        (at,) = memory.among_topics(DANGERS)[added.topic].nonzero()
        if len(at):
            heard = at[(added.valence[at] < 0) & (added.time[at] == self.clock.tick)]
            self.population.at(added.rows[heard])["alerted"] = self.clock.tick

    def who(self, citizens: Cohort) -> Cohort:
        """Select alert adults at home whose household decides in this step."""
        alert = citizens["alerted"] >= self.clock.tick - self.clock.ticks(self.settings.alert)
        if not alert.any():
            return citizens.where(alert)
        at_home = self.households["stage"] == Stage.AT_HOME
        decides = at_home & (self.turn == self.clock.tick % self.every)
        return citizens.where(alert & decides[citizens["household"]] & (citizens["age"] >= ADULT))

    def perceive(self, adults: Cohort) -> Question:
        """Recall danger and orders, and consider contacts and means."""
        from memopolis.scenarios.hurricane.danger_kernels import read_dangers

        experience = Experience.recall(
            adults, QUERY, k=self.settings.memories, key=self.settings.key_memories
        )
        subjects = number_subjects(tuple(self.population.memory.topics))
        fresh, own = self.settings.fresh / self.clock.hours, np.float32(self.settings.experience)
        weight, harm, dangerous, importance, newest, flags = experience.located.compute(
            lambda view, _, fading, slots, scores, homes: read_dangers(
                view,
                fading,
                slots,
                scores,
                homes,
                subjects,
                self.impact,
                self.hours_left,
                fresh,
                own,
            ),
            experience.recalled.scores,
            adults["home"],
        )
        house = adults["household"]
        homes = self.households
        settings, order, exposure = self.settings, rate_order(importance), self._expose(adults)
        impact = believed_impact(weight, harm, doubt=settings.doubt)
        impact += np.float32(settings.warning) * (order >= 1) * self.belief[adults["home"]]
        known = {
            "threat": perceived_threat(impact, scale=settings.threat_scale),
            "order": order,
            "hours_left": self._recall_hours_left(newest),
            "passed": flags[0],
            "dangerous": dangerous,
            "left_before": flags[1],
            "invited": flags[2],
            "contacts": self.population.ties.mean(self.population["away"], adults.rows, CONTACTS),
            "mobile_home": adults["mobile_home"],
            "exposure": exposure,
            "female": adults.codes("gender") == self.female,
            "trust": adults["attitude.government_trust"] / 10,
            "coping": coping_appraisal(
                adults["vehicle"],
                adults["income"],
                homes["kin_elsewhere"][house],
                homes["pets"][house],
            ),
            "inclination": self.inclination[house],
        }
        rule = partial(rate_readiness, settings=self.settings)
        return experience.ask_rating("stay_or_go", rule, known)

    def _expose(self, adults: Cohort) -> Float32:
        """Return the exposure of each adult's home to surge, 0 to 1."""
        code = adults.codes("surge_band")
        exposure = np.zeros(len(adults), np.float32)
        for label, share in self.exposure.items():
            exposure[code == label] = share
        return exposure

    def _recall_hours_left(self, newest: Float32) -> Float32:
        """Return the hours until gales by the newest forecast that each adult recalls."""
        hours, heard = newest
        left = hours - (self.clock.tick - heard) * np.float32(self.clock.hours)
        return np.where(hours < 0, np.float32(NOT_FORECAST), np.maximum(left, 0))

    def apply(self, adults: Cohort, decisions: Decisions) -> Outcome:
        """Combine the ratings of each household, and let households that decide to leave pack."""
        settings = self.settings
        adults["readiness"] = decisions.value
        adults["threat"] = decisions.question.known["threat"]
        house = adults["household"]
        # The adults of a household are consecutive.
        is_first = np.append(True, house[1:] != house[:-1])
        first, number = np.flatnonzero(is_first), np.cumsum(is_first) - 1
        houses = house[first]
        together = combine_ratings(decisions.value, first, most_concerned=settings.most_concerned)
        left = np.minimum.reduceat(decisions.question.known["hours_left"], first)
        place = self.society.place
        sunset = 20.0 if place is None else place.find_daylight(self.clock.now.date())[1]
        pace = Pace(
            settings.every,
            settings.wait,
            settings.night,
            settings.evening,
            settings.too_late,
            sunset,
        )
        is_ready = together > self.threshold[houses]
        chance = leaving_probability(is_ready, self.clock.hour, left, pace)
        u = self.society.chance.uniform("stay_or_go.leave", houses, self.clock.tick)
        leaving = houses[u < chance]
        if len(leaving):
            is_leaving = (u < chance)[number]
            leads = np.flatnonzero(is_first[is_leaving])
            self._leave_behind(adults.where(is_leaving), decisions.value[is_leaving], leads)
            self._start_packing(leaving)
        note = Words((u < chance)[number].astype(np.uint8), RESULTS)
        return Outcome(probability=chance[number], draw=u[number], group=house, note=note)

    def _leave_behind(self, adults: Cohort, ratings: Float32, first: Intp) -> None:
        """Let some adults of leaving households stay; the most concerned one always leaves.

        `first` is the first adult of each household in the cohort.
        """
        counts = np.diff(np.append(first, len(ratings)))
        most = ratings == np.repeat(np.maximum.reduceat(ratings, first), counts)
        u = self.chance.uniform(adults, "stays behind")
        agrees = ratings > self.threshold[adults["household"]]
        stays = np.where(agrees, (u < ON_DUTY) & (adults["employer"] >= 0), u < REFUSES) & ~most
        staying = adults.where(stays)
        if not len(staying):
            return
        staying["stays_behind"] = True
        texts = self.society.texts.intern_many(STAYING)
        staying.stream.add(
            "evacuation", texts[agrees[stays].astype(np.intp)], place=staying["home"],
            importance=0.7, valence=-0.3,
        )  # fmt: skip
        house, first_of = np.unique(staying["household"], return_index=True)
        others = travellers_of(self.households.at(house.astype(np.intp)), self.population)
        others = others.of_age(AGE_OF_REASON)
        actor = staying.ids[first_of][np.searchsorted(house, others["household"])]
        others.stream.add(
            "family", "{actor} stays behind.", actor=actor, importance=0.5, valence=-0.4
        )

    def _start_packing(self, houses: Intp) -> None:
        homes = self.households.at(houses)
        homes["stage"] = Stage.PACKING
        u = self.society.chance.uniform("stay_or_go.packing", houses, self.clock.tick)
        hours = 1 - np.log1p(-u) * max(self.packing - 1, 0)
        ready = self.clock.hour + hours
        # Departures late at night are postponed to the morning.
        night = (ready % 24) < 6
        hours = np.where(night, hours + 6 - ready % 24 + 2 * u, hours)
        wait = np.ceil(hours / self.clock.hours).astype(np.int64)
        homes["ready_at"] = self.clock.tick + wait
        people = travellers_of(homes, self.population)
        # One adult of a household that has not prepared runs the errands.
        grown = (people["age"] >= ADULT) & ~people["prepared"]
        _, first = np.unique(people["household"][grown], return_index=True)
        runs_errands = np.zeros(len(people), np.bool_)
        runs_errands[np.flatnonzero(grown)[first]] = True
        # Stores are closed at night.
        shops = SHOP_HOURS[0] <= self.clock.hour < SHOP_HOURS[1]
        errands = "stock up and pack" if shops else "refuel and pack"
        start_plan(self.itinerary, people.where(runs_errands), errands, self.chance)
        self.itinerary.start(people.where(~runs_errands), "pack", self.chance)
        if shops:
            members_of(homes, self.population)["prepared"] = True
        text = "We decided to leave {place} before the storm."
        remember(people.of_age(AGE_OF_REASON), "evacuation", text, 0.7, -0.2, at="home")


@lru_cache(4)
def number_subjects(topics: tuple[str, ...]) -> UInt8:
    """Return the bits of the subjects of each topic, shape (topics,)."""
    subjects = enumerate((DANGERS, RELIEFS, PAST, ("order",), FORECASTS, (INVITATION,)))
    bits = [(1 << bit, names) for bit, names in subjects]
    return np.array([sum(bit for bit, names in bits if one in names) for one in topics], np.uint8)


def rate_order(importance: Float32) -> Float32:
    """Rate orders by their importance in memory: 1 mandatory, 0.5 voluntary, 0 none."""
    voluntary = np.where(importance > 0, np.float32(0.5), np.float32(0))
    return np.where(importance >= MANDATORY_FROM, np.float32(1), voluntary)


def rate_readiness(question: Question, *, settings: DecisionSettings) -> Answer:
    """Rate readiness to leave from 0 to 10 by a logit: the rule of "stay_or_go"."""
    known = question.known
    threat, order = known["threat"], known["order"]
    mandatory, voluntary = order >= 1, (order > 0) & (order < 1)
    published = (
        settings.mandatory * mandatory
        + settings.voluntary * voluntary
        + settings.mobile_home * known["mobile_home"]
        + settings.surge * known["exposure"] * order
        + settings.contacts * known["contacts"]
        + settings.coping * known["coping"]
        + settings.trust * known["trust"] * order
        + settings.female * known["female"]
        + settings.left_before * known["left_before"]
        + settings.invitation * known["invited"]
    )
    logit = (
        settings.constant
        + settings.threat * threat
        + individual_logit_factor(settings.spread) * published
        + known["inclination"]
    )
    moved = (threat > 0) | (order > 0)
    rating = np.where(moved, readiness(logit), 0).astype(np.float32)
    reason = np.where(moved, 2 + (order > 0) + 2 * (rating >= READY), known["passed"])
    return Answer(
        rating,
        evidence=np.where(known["dangerous"], question.recalled, -1),
        reason=reason.astype(np.uint8),
        reasons=REASONS,
    )
