"""Polarization: citizens remember messages on gun laws and update their attitudes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from memopolis.agents.appraisal import read_attitudes
from memopolis.agents.block_settings import SocialSettings
from memopolis.agents.blocks.institution import Reflect, ReviewAttitudes
from memopolis.agents.blocks.sleep import SleepByHour
from memopolis.agents.blocks.social import FollowNews
from memopolis.scenarios.places.place_files import find_title
from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.attitudes import (
    OPINION,
    Feel,
    Think,
    UpdateAttitudes,
)
from memopolis.scenarios.polarization.blocks.choose_subject import (
    PERSUADED,
    READ,
    ChooseSubject,
    FollowEffect,
    FollowReaders,
)
from memopolis.scenarios.polarization.blocks.discuss import Discuss, StrengthenViews
from memopolis.scenarios.polarization.blocks.persuade import FOR, Persuade, assign_persuaders
from memopolis.scenarios.polarization.blocks.poll import Poll
from memopolis.scenarios.polarization.blocks.read_feed import Follow, ReadFeed
from memopolis.scenarios.polarization.blocks.report_figures import ReportFigures
from memopolis.scenarios.polarization.blocks.speak_up import SpeakUp
from memopolis.scenarios.polarization.blocks.update_warmth import UpdateWarmth
from memopolis.scenarios.polarization.grounds import Grounds
from memopolis.scenarios.polarization.messages import read_shooting
from memopolis.scenarios.polarization.people import (
    Persuader,
    StatisticsBureau,
    define_citizen,
    define_outlet,
)
from memopolis.scenarios.polarization.residents import describe_social_life, read_residence
from memopolis.scenarios.polarization.settings import (
    WITH_PERSUADERS,
    PolarizationSettings,
    StartSettings,
)
from memopolis.scenarios.polarization.start import draw_citizens, draw_outlets
from memopolis.scenarios.polarization.subjects import GUNS, SUBJECTS, Subject
from memopolis.scenarios.synthesis.counties import list_data
from memopolis.scenarios.synthesis.microdata import find_survey
from memopolis.scenarios.synthesis.social_life import draw_friendships
from memopolis.scenarios.synthesis.taken_over import NATION
from memopolis.scenarios.synthesis.taken_over import list_taken_over as list_from_elsewhere
from memopolis.sim.errors import SettingsError
from memopolis.sim.files import hash_of_file, hash_of_shipped, shipped_tables
from memopolis.sim.footprint import Footprint
from memopolis.sim.measures import Measure, read_measures
from memopolis.sim.population import Population
from memopolis.sim.society import Society
from memopolis.sim.world.news import read_news
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties import Network, Ties
from memopolis.sim.world.ties_homophilic import block_model, homophilic_growth
from memopolis.sim.world.ties_read import FILES, read_network

if TYPE_CHECKING:
    from memopolis.sim.block import Block


class Polarization(Society[PolarizationSettings]):
    """Citizens of two parties read, talk, remember, and update attitudes to gun laws daily."""

    measures = read_measures(Path(__file__).with_name("measures.csv"))
    closed = True
    footprint: ClassVar[Footprint] = Footprint(
        4.47e8, 1_480, 3_120, 318, 4.04e-5, 3.76e-5, full=137_000
    )
    outcomes: ClassVar[tuple[str, ...]] = (
        "variance", "extreme_share", "bimodality", "esteban_ray", "party_gap", "warmth_gap",
        "ei_follows",
    )  # fmt: skip
    arms: ClassVar[Mapping[str, Mapping[str, object]]] = {
        arm: {"arm": arm} for arm in ("control", "echo", "cross", "random", "neutral", "none")
    }

    def build(self, settings: PolarizationSettings) -> None:
        """Create citizens with friends, outlets, persuaders and the statistics bureau."""
        subject = SUBJECTS[settings.subject]
        self.measures = _measure_subject(self.measures, subject)
        words.intern_neutral(self.texts, subject)
        adults = read_residence(settings.place, settings.agents, self.chance)
        self.place = None if adults is None else adults.place
        start = draw_citizens(
            settings.agents,
            self.chance,
            settings=settings.people,
            symmetric=settings.symmetric,
            adults=adults,
            subject=subject,
        )
        friends = self._build_friends(start)
        outlet_columns = self._list_outlets()
        start["outlet"] = draw_outlets(
            start["side"],
            outlet_columns["slant"],
            self.chance,
            followers=settings.media.followers,
            partisan=settings.media.partisan,
            counter=settings.media.counter,
        )
        start["persuader"] = self._assign_persuaders(start[f"attitude.{subject.main}"])
        citizens = self.populate(
            define_citizen(subject),
            settings.agents,
            status=start,
            ties=Ties(settings.agents, {"friend": friends}),
        )
        outlets = self.populate(
            define_outlet(subject), settings.media.outlets, status=outlet_columns
        )
        persuaders = self.populate(Persuader, 2, status=self._list_persuaders())
        bureau = self.populate(StatisticsBureau, 1)
        for population in self.populations:
            population.memory.profiles.setdefault("opinion", OPINION)
        self._schedule_event()
        self._assign_blocks(citizens, outlets, persuaders, bureau)

    def _build_friends(self, start: Mapping[str, Any]) -> Network:
        """Build the network of friends that the settings select."""
        network, agents = self.settings.network, self.settings.agents
        if network.kind == "social":
            return draw_friendships(
                describe_social_life(start, self.place, other_side=network.other_side),
                self.chance,
                mean=network.mean,
            )
        if network.kind not in ("block", "growth"):
            if Path(network.kind).suffix.lower() not in FILES:
                raise SettingsError(
                    f"setting network.kind is '{network.kind}'; it must be social, block, "
                    f"growth, or a file that ends in {', '.join(FILES)}"
                )
            return read_network(network.kind, agents)
        mean, cross = min(network.mean, agents - 1), network.cross_share
        if network.kind == "block":
            zones = None if self.place is None else (self.place, start["home"])
            return block_model(
                start["side"], mean=mean, cross_share=cross, chance=self.chance, zones=zones
            )
        links = max(round(mean / 2), 1)
        return homophilic_growth(start["side"], links=links, cross_share=cross, chance=self.chance)

    def _assign_persuaders(self, attitude: Any) -> Any:
        rows = np.arange(self.settings.agents)
        order = self.chance.order("persuader", rows)
        return assign_persuaders(
            self.settings.arm, attitude, order, self.chance.uniform("persuader side", rows)
        )

    def _list_outlets(self) -> dict[str, Any]:
        media = self.settings.media
        slant = np.linspace(-media.slant, media.slant, media.outlets) if media.outlets > 1 else [0]
        side = np.where(np.abs(slant) < 0.1, 0, np.sign(slant)).astype(np.int8)
        names = np.array([f"Outlet {number + 1}" for number in range(media.outlets)], object)
        return {
            "name": names,
            "slant": np.asarray(slant, np.float32),
            "side": side,
            "checks_share": np.full(media.outlets, self.settings.talk.checks, np.float32),
        }

    def _list_persuaders(self) -> dict[str, Any]:
        side = np.array([1, -1] if FOR == 0 else [-1, 1], np.int8)
        if self.settings.arm == "neutral":
            side = np.zeros(2, np.int8)
        return {
            "name": np.array(["Persuader A", "Persuader B"], object),
            "side": side,
            "stance": (side * self.settings.persuasion.stance).astype(np.float32),
            "checks_share": np.full(2, self.settings.talk.checks, np.float32),
        }

    def _schedule_event(self) -> None:
        """Add the event of the settings to the timeline."""
        event = self.settings.event
        if event == "none":
            return
        if event == "shooting":
            for day, news in read_shooting():
                when = self.clock.start + timedelta(days=self.settings.event_day + day)
                self.at(when, news)
            return
        for when, news in read_news(event, self.clock):
            self.at(when, news)

    def _assign_blocks(
        self, citizens: Population, outlets: Population, persuaders: Population, bureau: Population
    ) -> None:
        s, subject = self.settings, SUBJECTS[self.settings.subject]
        persuading = s.arm in WITH_PERSUADERS
        social = s.arm != "none" and (s.persuasion.keep_friends or not persuading)
        news = SocialSettings(news_delay=s.media.news_delay, trust=s.media.news_trust)
        update_attitudes = UpdateAttitudes(
            s.cognition, subject, dispositions=s.dispositions, symmetric=s.symmetric
        )
        grounds = Grounds(update_attitudes, outlets, persuaders)
        feed = ReadFeed(s.feed, s.media, s.talk, outlets, grounds, reading=social)
        speak_up = [SpeakUp(s.cognition, s.feed.climate, subject)] if social else []
        blocks: list[Block] = [FollowNews(news), *speak_up, feed]
        if social:
            blocks += [Follow(s.feed, feed), Discuss(s.talk, grounds)]
        if persuading:
            blocks.append(Persuade(s.persuasion, s.talk, s.media, persuaders, subject))
        update_warmth = UpdateWarmth(update_attitudes, (outlets, persuaders))
        blocks += [Feel(s.cognition, subject), update_attitudes]
        if s.talk.reinforce:
            blocks.append(StrengthenViews(s.talk.reinforce, subject))
        blocks += [update_warmth, Think(s.cognition, subject), SleepByHour(s.sleep)]
        self.give(citizens, *blocks)
        usual = s.talk.checks
        self.give(
            outlets,
            FollowReaders(subject),
            ChooseSubject(s.subjects, subject, usual=usual, patterns=READ),
        )
        self.give(
            persuaders,
            FollowEffect(citizens, subject),
            ChooseSubject(s.subjects, subject, usual=usual, patterns=PERSUADED),
        )
        self.give(bureau, Poll(citizens, feed, subject), ReportFigures(s.subjects, subject))
        for institutions in (outlets, persuaders, bureau):
            attitudes = read_attitudes(__file__, institutions.name)
            self.give(institutions, ReviewAttitudes(s.cognition, attitudes), Reflect(s.cognition))

    def static_tables(self) -> dict[str, pd.DataFrame]:
        """Return friendships, by unique_id of both ends, and outlets."""
        citizens, outlets = self.population("citizen"), self.population("outlet")
        friends = citizens.ties["friend"]
        rows = np.arange(len(citizens))
        source = np.repeat(rows, friends.count(rows))
        once = source < friends.contacts
        return {
            "ties": pd.DataFrame(
                {
                    "source": citizens.ids[source[once]],
                    "target": citizens.ids[friends.contacts[once]],
                    "kind": "friend",
                }
            ),
            "outlets": pd.DataFrame(
                {"outlet": outlets.ids, "name": outlets["name"], "slant": outlets["slant"]}
            ),
        }

    def facts(self) -> dict[str, Any]:
        """Return facts for the manifest: arm, symmetry and place."""
        where = find_title(self.settings.place)
        taken = "; ".join(list_taken_over(self.settings, self.place))
        own = {"arm": self.settings.arm, "symmetric": self.settings.symmetric}
        return own | {"place": where, "taken_over": taken}

    def data_hashes(self) -> dict[str, str]:
        """Return hashes of shipped tables and of user files."""
        own = [
            name
            for name in (self.settings.network.kind, self.settings.event)
            if name not in {"social", "block", "growth", "none", "shooting"}
        ]
        phrases = words.list_phrase_files(SUBJECTS[self.settings.subject])
        paths = (*shipped_tables(words.DATA), *phrases)
        shipped = {path.name: hash_of_shipped(path) for path in paths}
        files = [*map(Path, own), *list_data(self.settings.place)]
        if self.place is not None:
            files.append(find_survey(self.settings.place))
        return shipped | {path.name: hash_of_file(path) for path in files} | super().data_hashes()


def _measure_subject(measures: Sequence[Measure], subject: Subject) -> tuple[Measure, ...]:
    """Return the measures of a run, of which those of attitudes are of its subject."""
    default, main = f"attitude.{GUNS.main}", f"attitude.{subject.main}"
    return tuple(
        replace(
            measure,
            column=main,
            description=measure.description.replace("gun control", subject.names[0]),
            chart=measure.chart.replace("gun control", subject.names[0]),
        )
        if measure.column == default and subject != GUNS
        else measure
        for measure in measures
    )


def list_taken_over(settings: PolarizationSettings, place: Place | None) -> list[str]:
    """List what a run in a place uses that was measured elsewhere; nothing without a place."""
    if place is None:
        return []
    taken = list_from_elsewhere(settings.place, place)
    people, usual = settings.people, StartSettings()
    if (people.democrats, people.republicans) == (usual.democrats, usual.republicans):
        taken.append(f"shares of the parties in polls of {NATION}")
    return [
        *taken,
        f"party by age, sex, race, education and urbanity in surveys of {NATION}",
        f"attitudes and gun owners by party in polls of {NATION}",
    ]
