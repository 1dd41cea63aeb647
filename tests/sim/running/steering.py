"""Runs that are steered by hand: each scenario, small, with shocks at several steps."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from memopolis.scenarios.hurricane import Hurricane
from memopolis.scenarios.polarization import Polarization
from memopolis.scenarios.ubi import BasicIncome
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, News, Order, Policy, Shock

type Given = tuple[int, int | None, Shock]
"""After how many steps it is given, the step in which it acts (None for the next), and what."""
SIREN = News("The sirens howl.", "disaster", importance=0.9)
CALL = News("They call for calm.", "disaster", stance=0.5)


def to_some(society: Society[Any], text: str, *, topic: str = "social") -> Message:
    """Words to three people."""
    ids = society.populations[0].ids
    return Message(tuple(ids[[1, 3, 4]].tolist()), text, topic, actor=int(ids[0]))


def hurricane(checkpoint: int = 0) -> Hurricane:
    return Hurricane(
        agents=16, days=1, rng=3, start="2019-09-01", checkpoint={"every": checkpoint, "keep": 0}
    )


def polarization(checkpoint: int = 0) -> Polarization:
    return Polarization(
        agents=20, days=10, rng=3, checkpoint={"every": min(checkpoint, 3), "keep": 0}
    )


def ubi(checkpoint: int = 0) -> BasicIncome:
    return BasicIncome(
        agents=40, days=300, start=4, rng=3, checkpoint={"every": min(checkpoint, 3), "keep": 0}
    )


def in_hurricane(society: Society[Any]) -> list[Given]:
    zone = society.place.zones[0] if society.place is not None else ""
    return [
        (0, None, SIREN),
        (5, 18, Order((zone, "county Berkeley"), "voluntary")),
        (5, 9, to_some(society, "Please come to me.")),
        (13, None, Order(("all",), "mandatory")),
        (13, None, CALL),
        (14, 18, Order(("all",), "none")),
        (19, 22, to_some(society, "Are you safe?")),
    ]


def in_polarization(society: Society[Any]) -> list[Given]:
    return [
        (1, 6, News("A law is made.", "gun_control", 0.7, 0.9, "side=1")),
        (1, None, to_some(society, "Guns kill.", topic="gun_control")),
        (4, 6, News("The law is stopped.", "gun_control", -0.7, 0.9)),
        (4, 6, Policy("anything", 1)),
        (8, None, CALL),
    ]


def in_ubi(society: Society[Any]) -> list[Given]:
    return [
        (1, 5, Policy("consumption.demand", 0.7)),
        (2, None, News("Prices rise.", "policy", -0.4)),
        (4, 5, Policy("consumption.demand", 0.8)),
        (4, None, to_some(society, "I lost my job.")),
        (8, None, Policy("consumption.demand", 1.0)),
    ]


SCENARIOS: dict[str, tuple[Callable[[int], Society[Any]], Callable[..., list[Given]]]] = {
    "hurricane": (hurricane, in_hurricane),
    "polarization": (polarization, in_polarization),
    "ubi": (ubi, in_ubi),
}


def go_on(run: RunByHand, value: Sequence[Given], until: int) -> None:
    """Make steps until so many are done, and give what is to be given in between."""
    while run.step < until:
        for after, when, shock in value:
            if after == run.step:
                date = None if when is None else run.society.clock.date_of(when)
                assert run.shock(shock, date) == (after if when is None else when)
        run.make_step()


def steered(name: str, folder: Path, *, checkpoint: int = 0) -> Path:
    """A whole run, steered."""
    make, shocks = SCENARIOS[name]
    society = make(checkpoint)
    with RunByHand(society, folder) as run:
        go_on(run, shocks(society), run.steps)
        run.finish()
    return folder
