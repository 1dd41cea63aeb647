"""Add to a society what its settings name: news, profiles and memories of people, and surveys."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import StateError
from memopolis.sim.memory.status.past_table import read_memories
from memopolis.sim.memory.status.people_table import read_profiles
from memopolis.sim.survey.schedule import plan
from memopolis.sim.world.news import read_news

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase
    from memopolis.sim.world.frames import Source


def add_news(society: "SocietyBase[Any]") -> None:
    """Schedule the news in the file that the setting `news` names."""
    source = society.settings.news
    path = society.default_news if source == "default" else Path(source)
    if source == "none" or path is None:
        return
    zones = society.place.zones if society.place is not None else ()
    for when, item in read_news(path, society.clock, zones):
        society.at(when, item)


def add_people(society: "SocietyBase[Any]") -> None:
    """Read the files that the settings `profiles` and `memories` name."""
    if society.settings.profiles != "none":
        add_profiles(society, society.settings.profiles)
    if society.settings.memories != "none":
        add_memories(society, society.settings.memories)


def add_profiles(society: "SocietyBase[Any]", source: "Source") -> None:
    """Set the status of agents from a table; see `Society.read_profiles`."""
    memories = [population.memory for population in society.populations]
    read_profiles(memories, source, owned=society.built)
    society.update_names()


def add_memories(society: "SocietyBase[Any]", source: "Source") -> None:
    """Add memories from before the start; see `Society.read_memories`."""
    if society.time:
        raise StateError("earlier memories come before the first step, which was made already")
    memories = [population.memory for population in society.populations]
    places = None if society.place is None else society.place.numbers
    read_memories(memories, source, places=places)


def add_surveys(society: "SocietyBase[Any]") -> None:
    """Schedule the surveys that the settings name."""
    plan(society.surveys, society.settings.survey, society.clock, society.ticks)
