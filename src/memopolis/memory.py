"""Parts of a memory: its attributes, consolidation, sleep, and reading it from files."""

from memopolis.sim.memory.night.consolidation import Consolidation
from memopolis.sim.memory.night.replay import Review
from memopolis.sim.memory.night.sleep import Night
from memopolis.sim.memory.saving.carry import carry
from memopolis.sim.memory.status.distributions import Choice, FromTable, Normal, Uniform
from memopolis.sim.memory.status.past_table import read_memories
from memopolis.sim.memory.status.people_table import read_profiles
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.memory.text.context_tags import ContextExtractor

__all__ = [
    "Choice",
    "Consolidation",
    "ContextExtractor",
    "FromTable",
    "Night",
    "Normal",
    "Review",
    "Schema",
    "Uniform",
    "carry",
    "read_memories",
    "read_profiles",
]
