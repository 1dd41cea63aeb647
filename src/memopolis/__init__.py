"""A society that remembers: agent-based simulation with memory for every agent.

Public names are imported from here: `from memopolis import Settings`. Everything else is
private to the package and may move.
"""

from memopolis.sim.block import Block
from memopolis.sim.chance import Chance
from memopolis.sim.clock import Clock
from memopolis.sim.errors import (
    BlockError,
    DataFileError,
    MemopolisError,
    ParameterError,
    RunFolderError,
    SchemaError,
    SettingsError,
    StateError,
    UnknownNameError,
)
from memopolis.sim.memory.memory import Memory
from memopolis.sim.mind.mind import Decisions, Mind, Question
from memopolis.sim.population import Agent, Cohort, Population, attribute
from memopolis.sim.settings import Field, LocalTime, Settings, SettingsGroup
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, News, Order, Policy, Shock, Timeline
from memopolis.sim.world.ledger import Ledger

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "Block",
    "BlockError",
    "Chance",
    "Clock",
    "Cohort",
    "DataFileError",
    "Decisions",
    "Field",
    "Ledger",
    "LocalTime",
    "MemopolisError",
    "Memory",
    "Message",
    "Mind",
    "News",
    "Order",
    "ParameterError",
    "Policy",
    "Population",
    "Question",
    "RunFolderError",
    "SchemaError",
    "Settings",
    "SettingsError",
    "SettingsGroup",
    "Shock",
    "Society",
    "StateError",
    "Timeline",
    "UnknownNameError",
    "attribute",
]
