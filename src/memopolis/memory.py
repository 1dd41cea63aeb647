"""Parts of a memory: its attributes, consolidation, sleep, and reading it from files."""

from memopolis.sim.distributions import Choice, FromTable, Normal, Uniform
from memopolis.sim.memory.context_tags import ContextExtractor
from memopolis.sim.memory.night.sleep import Night, Review
from memopolis.sim.memory.retention.activation import Retention
from memopolis.sim.memory.retention.consolidation import Consolidation
from memopolis.sim.memory.saving.carry import carry
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.tables.past import read_memories
from memopolis.sim.tables.people import read_profiles

__all__ = [
    "Choice",
    "Consolidation",
    "ContextExtractor",
    "FromTable",
    "Night",
    "Normal",
    "Retention",
    "Review",
    "Schema",
    "Uniform",
    "carry",
    "read_memories",
    "read_profiles",
]
