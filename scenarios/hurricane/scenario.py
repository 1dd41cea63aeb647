"""Hurricane: the people of a coastal city decide whether to evacuate before a storm."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from memopolis.agents.appraisal import read_attitudes
from memopolis.agents.blocks.accompany import Accompany
from memopolis.agents.blocks.cognition import Feel, UpdateAttitudes
from memopolis.agents.blocks.diary import KeepDiary
from memopolis.agents.blocks.economy import PayBenefits, Shop, Work, open_accounts
from memopolis.agents.blocks.institution import ReviewAttitudes
from memopolis.agents.blocks.meet import Meet
from memopolis.agents.blocks.mobility import Mobility
from memopolis.agents.blocks.needs import Needs
from memopolis.agents.blocks.plan import FollowPlan
from memopolis.agents.blocks.sleep import Sleep
from memopolis.agents.blocks.social import FollowNews, Talk
from memopolis.agents.day.time_use import DATA as DAY
from memopolis.agents.names import NAMES
from memopolis.scenarios.hurricane import residents
from memopolis.scenarios.hurricane.advisories import build_advisories
from memopolis.scenarios.hurricane.blocks.calm_down import CalmDown
from memopolis.scenarios.hurricane.blocks.count_purchases import CountPurchases
from memopolis.scenarios.hurricane.blocks.daily_life import DailyLife, Workplaces
from memopolis.scenarios.hurricane.blocks.decide_opening import DecideOpening
from memopolis.scenarios.hurricane.blocks.decide_orders import DecideOrders
from memopolis.scenarios.hurricane.blocks.decide_stock import DecideStock
from memopolis.scenarios.hurricane.blocks.drive_out import DriveOut
from memopolis.scenarios.hurricane.blocks.endure_storm import EndureStorm
from memopolis.scenarios.hurricane.blocks.evacuate import Evacuate
from memopolis.scenarios.hurricane.blocks.follow_public import FollowPublic
from memopolis.scenarios.hurricane.blocks.hear_orders import HearOrders
from memopolis.scenarios.hurricane.blocks.keep_books import KeepBooks
from memopolis.scenarios.hurricane.blocks.lodge import Lodge
from memopolis.scenarios.hurricane.blocks.offer_place import OfferPlace
from memopolis.scenarios.hurricane.blocks.prepare import Prepare
from memopolis.scenarios.hurricane.blocks.recover import Recover
from memopolis.scenarios.hurricane.blocks.return_home import ReturnHome
from memopolis.scenarios.hurricane.blocks.stay_or_go import StayOrGo
from memopolis.scenarios.hurricane.blocks.think import Reflect, ReflectAsFirm, Think
from memopolis.scenarios.hurricane.blocks.watch_forecasts import (
    WatchForecasts,
    WatchLocalForecasts,
    WatchStorm,
)
from memopolis.scenarios.hurricane.circumstances import (
    Circumstances,
    build_circumstances,
    find_first_day,
)
from memopolis.scenarios.hurricane.history import (
    find_past_storms,
    remember_as_government,
    remember_past_storms,
)
from memopolis.scenarios.hurricane.local_weather import track_table, wind_directions
from memopolis.scenarios.hurricane.people import Citizen, Firm, Government, Household
from memopolis.scenarios.hurricane.roads import find_roads_file, read_roads
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.hurricane.taken_over import list_taken_over
from memopolis.scenarios.hurricane.track import DATA
from memopolis.scenarios.places.place_files import find_place
from memopolis.scenarios.places.zones import read_place
from memopolis.scenarios.synthesis.counties import DATA as SURVEY
from memopolis.scenarios.synthesis.residents import Residents, draw_residents, draw_ties
from memopolis.sim.arrays import Float32
from memopolis.sim.files import hash_of_file, hash_of_shipped, shipped_tables
from memopolis.sim.footprint import Footprint
from memopolis.sim.measures import read_measures
from memopolis.sim.society import Society
from memopolis.sim.timeline import Order, Shock
from memopolis.sim.world.ledger import Ledger
from memopolis.sim.world.traffic import Traffic

FIRM_CAPITAL = 50_000_000  # initial money of a firm in cents (illustrative)
TREASURY = 100_000  # initial money of the government per citizen in cents (illustrative)


FIRM_ATTITUDES = read_attitudes(__file__, "firm")
GOVERNMENT_ATTITUDES = read_attitudes(__file__, "government")


class Hurricane(Society[HurricaneSettings]):
    """Citizens of Charleston or Columbia experience a storm, evacuate or stay, and return."""

    measures = read_measures(Path(__file__).with_name("measures.csv"))
    closed = True
    footprint: ClassVar[Footprint] = Footprint(4.07e8, 1_590, 1_760, 27.0, 5.0e-6, 3.61e-6)
    arms: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "storm": {},
        "no_storm": {"storm": "none"},
        "no_orders": {"orders": "none"},
    }
    outcomes = (
        "evacuated_share",
        "away_share@mean",
        "departures",
        "trips",
        "fear@mean",
        "government_trust",
        "emergency_preparedness",
    )

    @classmethod
    def starts(cls, settings: HurricaneSettings) -> datetime:
        """Return the start of the run: eight days before nearest approach, unless set."""
        return find_first_day(settings)

    def build(self, settings: HurricaneSettings) -> None:
        """Create place and storm, then people, firms and government."""
        place = self.place = read_place(settings.place)
        self.circumstances = build_circumstances(settings, place, self.clock, self.chance)
        self.weather = self.circumstances.weather
        self.roads = read_roads(settings, place)
        if settings.news == "default":
            for when, news in build_advisories(self.circumstances, place, self.clock):
                self.at(when, news)
        people = draw_residents(place, settings.agents, self.chance)
        self._populate(people, self.circumstances, settings)

    def _populate(
        self, people: Residents, inputs: Circumstances, settings: HurricaneSettings
    ) -> None:
        firms = residents.make_firms(people, self.chance)
        citizens = self.populate(
            Citizen,
            len(people),
            status=residents.citizen_status(people, inputs.orders, settings, self.chance)
            | {"employer": firms.employer},
            ties=draw_ties(people, firms.employer, self.chance),
        )
        households = self.populate(
            Household, len(people.households["size"]), status=residents.household_status(people)
        )
        companies = self.populate(
            Firm,
            len(firms.zone),
            status=residents.firm_status(firms, people, settings, self.chance),
        )
        government = self.populate(Government, 1)
        self.ledger = Ledger()
        accounts = open_accounts(
            self.ledger,
            residents.initial_cents(people),
            len(companies),
            FIRM_CAPITAL,
            TREASURY * len(people),
        )
        self.past_storms = find_past_storms(settings, self.circumstances.place, self.clock.start)
        remember_past_storms(self.past_storms, citizens, people, self.chance)
        remember_as_government(self.past_storms, government)
        traffic = Traffic(self.roads, hours=self.clock.hours, people=people.weight)
        self.world.append(traffic)
        workplaces = Workplaces(citizens, companies, inputs.closures)
        diary = KeepDiary(workplaces.find_closed)
        self.give(
            citizens,
            Needs(settings.needs),
            diary,
            HearOrders((*inputs.orders.announcements, *inputs.closures.announcements)),
            FollowNews(settings.social),
            EndureStorm(),
            OfferPlace(settings.evacuation, households, inputs.orders),
            FollowPlan(diary, settings.plans),
            StayOrGo(
                settings.decision,
                households,
                inputs.forecasts,
                packing=settings.evacuation.packing,
                forecast_news=settings.news == "default",
            ),
            Prepare(settings.daily, households, inputs.forecasts),
            DailyLife(
                diary,
                settings.plans,
                daily=settings.daily,
                workplaces=workplaces,
                weather=inputs.weather,
            ),
            Meet(settings.social),
            Accompany(diary),
            Mobility(traffic),
            CountPurchases(),
            Work(accounts, companies, government),
            Shop(accounts, companies),
            Talk(settings.social),
            CalmDown(settings.decision),
            Feel(settings.cognition),
            UpdateAttitudes(settings.cognition),
            Think(settings.cognition, think_at=settings.cognition.think_at, weather=inputs.weather),
            Sleep(settings.sleep),
        )
        self.give(
            households,
            Evacuate(
                settings.evacuation,
                citizens,
                inputs,
                gust_home=settings.daily.gust_home,
                authority=government,
            ),
            DriveOut(settings.roads, traffic, citizens, inputs, gust_home=settings.daily.gust_home),
            Lodge(citizens),
            ReturnHome(
                settings.evacuation,
                citizens,
                inputs,
                traffic,
                gust_home=settings.daily.gust_home,
                capacity=settings.roads.capacity,
            ),
            Recover(citizens, inputs),
        )
        self.give(
            companies,
            WatchLocalForecasts(inputs),
            WatchStorm(inputs),
            KeepBooks(settings.firms, citizens),
            DecideStock(settings.firms),
            DecideOpening(settings.firms, citizens),
            ReviewAttitudes(settings.cognition, FIRM_ATTITUDES),
            ReflectAsFirm(settings.cognition, think_at=settings.cognition.think_at),
        )
        self.give(
            government,
            PayBenefits(accounts, citizens, residents.daily_benefits(people)),
            WatchForecasts(),
            FollowPublic(citizens, accounts.government),
            DecideOrders(settings.government, orders=settings.orders),
            ReviewAttitudes(settings.cognition, GOVERNMENT_ATTITUDES),
            Reflect(settings.cognition, think_at=settings.cognition.think_at),
        )

    def check_shock(self, shock: Shock) -> None:
        """Refuse orders with an unknown status or zone."""
        if isinstance(shock, Order):
            self.circumstances.orders.check(shock.zones, shock.status, self.circumstances.place)
            shock = replace(shock, zones=("all",))  # areas also name zones
        super().check_shock(shock)

    def happen(self, shock: Shock) -> None:
        """Put an order to zones into effect; citizens receive it after a delay."""
        if isinstance(shock, Order):
            self.circumstances.orders.give(
                shock.zones, shock.status, self.clock.tick, self.circumstances.place
            )
            if self.recorder is not None:
                # The table of weather and orders was written before the order was known.
                self.recorder.static_from(self.clock.tick)
        super().happen(shock)

    def static_tables(self) -> dict[str, pd.DataFrame]:
        """Return weather and orders by step and zone, and the storm by step."""
        track = self.circumstances.track
        storm = {} if track is None else {"track": track_table(track, self.clock, self.ticks)}
        roads = self.roads.to_table(self.circumstances.place)
        return {"weather": self._weather_table(), "roads": roads, **storm}

    def _weather_table(self) -> pd.DataFrame:
        inputs = self.circumstances
        ticks, zones = self.ticks, len(inputs.place)
        local = [inputs.weather.at(tick) for tick in range(ticks)]
        return pd.DataFrame(
            {
                "tick": np.repeat(np.arange(ticks, dtype=np.int32), zones),
                "zone": np.tile(np.arange(zones, dtype=np.int16), ticks),
                "wind_kt": np.concatenate([one.wind_kt for one in local]),
                "gust_kt": np.concatenate([one.gust_kt for one in local]),
                "rain_in": np.concatenate([one.rain_in for one in local]),
                "wind_from": self._wind_from().ravel(),
                "forecast_kt": inputs.forecasts.peak_kt.ravel(),
                "order": inputs.orders.effective.ravel(),
            }
        )

    def _wind_from(self) -> Float32:
        """Return the wind direction by tick and zone; NaN without a storm."""
        inputs, shape = self.circumstances, (self.ticks, len(self.circumstances.place))
        if inputs.track is None:
            return np.full(shape, np.nan, np.float32)
        return wind_directions(inputs.track, inputs.place, self.clock, self.ticks)

    def facts(self) -> dict[str, Any]:
        """Return facts for the manifest: storm, nearest approach, orders, people per agent."""
        inputs = self.circumstances
        mandatory = [n for n in inputs.orders.announcements if n.kind == "mandatory"]
        lifted = [n for n in inputs.orders.announcements if n.kind == "lifted"]
        return {
            "storm": inputs.storm or Path(self.settings.storm).stem,
            "place": find_place(self.settings.place).title,
            "past_storms": ", ".join(f"{one.name} {one.day:%Y}" for one in self.past_storms),
            "taken_over": "; ".join(list_taken_over(self.settings, inputs.place)),
            "roads": self._describe_roads(),
            "nearest": inputs.nearest.isoformat() if inputs.nearest else None,
            "ordered": mandatory[0].effective.isoformat() if mandatory else None,
            "announced": mandatory[0].when.isoformat() if mandatory else None,
            "lifted": lifted[-1].effective.isoformat() if lifted else None,
            "people_per_agent": float(inputs.place.population.sum()) / self.settings.agents,
        }

    def _describe_roads(self) -> str:
        file = find_roads_file(self.settings)
        origin = "derived from the zones" if file is None else f"of {file.name}"
        return f"{len(self.roads)} links and {len(self.roads.exits)} ways out, {origin}"

    def data_hashes(self) -> dict[str, str]:
        """Return hashes of shipped tables and of user files."""
        tables = (NAMES, *shipped_tables(DAY), *shipped_tables(DATA), *shipped_tables(SURVEY))
        shipped = {path.name: hash_of_shipped(path) for path in tables}
        chosen = self.settings
        named = [
            Path(name)
            for name in (chosen.storm, chosen.orders, chosen.past_storms, chosen.roads.table)
        ]
        files = [path for path in named if path.suffix == ".csv"]
        files += find_place(chosen.place).list_files()
        return shipped | {path.name: hash_of_file(path) for path in files} | super().data_hashes()
