"""A society that remembers: agent-based simulation with memory for every agent.

Public names are imported from here: `from memopolis import Hurricane, load_run`. Everything
else is private to the package and may move.

A name is fetched from its module when it is first asked for, so that `memopolis --help` does
not wait for Mesa and whoever wants the memory alone does not load a scenario.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memopolis.agents.citizen import Citizen
    from memopolis.agents.firm import Firm
    from memopolis.agents.government import Government
    from memopolis.analysis.compare.arms import Comparison, compare
    from memopolis.analysis.compare.divergence import Divergence, find_divergence
    from memopolis.analysis.compare.intervals import interval
    from memopolis.analysis.figures.draw import canvas, draw
    from memopolis.analysis.interview.restored_agent import RestoredAgent, interview, restore_agent
    from memopolis.analysis.metrics.memory_trend import memory_trend
    from memopolis.analysis.run.load import load_run
    from memopolis.analysis.run.run import Run
    from memopolis.analysis.sql.query import query
    from memopolis.analysis.sql.query_process import QueryLimits
    from memopolis.analysis.sweep.results import SweepResults, load_sweep
    from memopolis.analysis.sweep.sensitivity import Sensitivity, sensitivity
    from memopolis.analysis.sweep.sweep import sweep
    from memopolis.scenarios.hurricane import Hurricane
    from memopolis.scenarios.polarization import Polarization
    from memopolis.scenarios.ubi import BasicIncome
    from memopolis.sim.block import Block
    from memopolis.sim.calibration import Calibrated, calibrated
    from memopolis.sim.chance import Chance
    from memopolis.sim.clock import Clock
    from memopolis.sim.errors import (
        AnswerError,
        BlockError,
        DataFileError,
        ExtraError,
        MemopolisError,
        ParameterError,
        ReplicationError,
        RunFolderError,
        SchemaError,
        ServerError,
        SettingsError,
        StateError,
        TrustError,
        UnknownNameError,
    )
    from memopolis.sim.measures import Measure
    from memopolis.sim.memory.keeping.carrying import carry
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.night.consolidation import Consolidation
    from memopolis.sim.memory.night.replay import Review
    from memopolis.sim.memory.night.sleep import Night
    from memopolis.sim.memory.retrieval.filter import Filter
    from memopolis.sim.memory.retrieval.profiles import Profile
    from memopolis.sim.memory.status.distributions import Choice, Normal, Uniform
    from memopolis.sim.memory.status.from_table import FromTable
    from memopolis.sim.memory.status.past_table import read_memories
    from memopolis.sim.memory.status.people_table import read_profiles
    from memopolis.sim.memory.status.schema import Schema
    from memopolis.sim.memory.text.context_tags import ContextExtractor
    from memopolis.sim.mind.allow import no_models
    from memopolis.sim.mind.archetype import Archetype
    from memopolis.sim.mind.budget import Budget
    from memopolis.sim.mind.checking import check_mind
    from memopolis.sim.mind.estimate import estimate
    from memopolis.sim.mind.llm import LlmMind
    from memopolis.sim.mind.mind import Answer, Decisions, Mind, Question
    from memopolis.sim.mind.mix import Mix, by_block, by_class, by_share
    from memopolis.sim.mind.scripted import ScriptedClient
    from memopolis.sim.population import Agent, Cohort, Population, attribute
    from memopolis.sim.replicate import replicate
    from memopolis.sim.run_size import Footprint
    from memopolis.sim.running.by_hand import RunByHand
    from memopolis.sim.running.forking import fork
    from memopolis.sim.running.repeating import repeat
    from memopolis.sim.running.resuming import resume
    from memopolis.sim.running.stopping import StopRun
    from memopolis.sim.settings import Field, LocalTime, Settings, SettingsGroup
    from memopolis.sim.society import Society
    from memopolis.sim.state.saving import load_state, save_state
    from memopolis.sim.survey.asking import ask_survey
    from memopolis.sim.survey.item import Item
    from memopolis.sim.survey.named import find_survey
    from memopolis.sim.survey.score import Score
    from memopolis.sim.survey.survey import Survey
    from memopolis.sim.sweep.design import Design
    from memopolis.sim.sweep.factors import Range
    from memopolis.sim.timeline import Message, News, Order, Policy, Shock, Timeline
    from memopolis.sim.verifying import Finding, verify
    from memopolis.sim.world.ledger import Ledger
    from memopolis.sim.world.place import Place
    from memopolis.sim.world.ties import Network, Ties

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "Answer",
    "AnswerError",
    "Archetype",
    "BasicIncome",
    "Block",
    "BlockError",
    "Budget",
    "Calibrated",
    "Chance",
    "Choice",
    "Citizen",
    "Clock",
    "Cohort",
    "Comparison",
    "Consolidation",
    "ContextExtractor",
    "DataFileError",
    "Decisions",
    "Design",
    "Divergence",
    "ExtraError",
    "Field",
    "Filter",
    "Finding",
    "Firm",
    "Footprint",
    "FromTable",
    "Government",
    "Hurricane",
    "Item",
    "Ledger",
    "LlmMind",
    "LocalTime",
    "Measure",
    "MemopolisError",
    "Memory",
    "Message",
    "Mind",
    "Mix",
    "Network",
    "News",
    "Night",
    "Normal",
    "Order",
    "ParameterError",
    "Place",
    "Polarization",
    "Policy",
    "Population",
    "Profile",
    "QueryLimits",
    "Question",
    "Range",
    "ReplicationError",
    "RestoredAgent",
    "Review",
    "Run",
    "RunByHand",
    "RunFolderError",
    "Schema",
    "SchemaError",
    "Score",
    "ScriptedClient",
    "Sensitivity",
    "ServerError",
    "Settings",
    "SettingsError",
    "SettingsGroup",
    "Shock",
    "Society",
    "StateError",
    "StopRun",
    "Survey",
    "SweepResults",
    "Ties",
    "Timeline",
    "TrustError",
    "Uniform",
    "UnknownNameError",
    "ask_survey",
    "attribute",
    "by_block",
    "by_class",
    "by_share",
    "calibrated",
    "canvas",
    "carry",
    "check_mind",
    "compare",
    "draw",
    "estimate",
    "find_divergence",
    "find_survey",
    "fork",
    "interval",
    "interview",
    "load_run",
    "load_state",
    "load_sweep",
    "memory_trend",
    "no_models",
    "query",
    "read_memories",
    "read_profiles",
    "repeat",
    "replicate",
    "restore_agent",
    "resume",
    "save_state",
    "sensitivity",
    "sweep",
    "verify",
]

_MODULES = {
    "agents.citizen": ("Citizen",),
    "agents.firm": ("Firm",),
    "agents.government": ("Government",),
    "analysis.compare.arms": ("Comparison", "compare"),
    "analysis.compare.intervals": ("interval",),
    "analysis.figures.draw": ("canvas", "draw"),
    "analysis.run.load": ("load_run",),
    "analysis.run.run": ("Run",),
    "analysis.compare.divergence": ("Divergence", "find_divergence"),
    "analysis.sql.query": ("query",),
    "analysis.sql.query_process": ("QueryLimits",),
    "analysis.interview.restored_agent": ("RestoredAgent", "interview", "restore_agent"),
    "analysis.sweep.sensitivity": ("Sensitivity", "sensitivity"),
    "analysis.sweep.sweep": ("sweep",),
    "analysis.sweep.results": ("SweepResults", "load_sweep"),
    "analysis.metrics.memory_trend": ("memory_trend",),
    "scenarios.hurricane": ("Hurricane",),
    "scenarios.polarization": ("Polarization",),
    "scenarios.ubi": ("BasicIncome",),
    "sim.block": ("Block",),
    "sim.calibration": ("Calibrated", "calibrated"),
    "sim.chance": ("Chance",),
    "sim.clock": ("Clock",),
    "sim.run_size": ("Footprint",),
    "sim.errors": (
        "AnswerError",
        "BlockError",
        "DataFileError",
        "ExtraError",
        "MemopolisError",
        "ParameterError",
        "ReplicationError",
        "RunFolderError",
        "SchemaError",
        "ServerError",
        "SettingsError",
        "StateError",
        "TrustError",
        "UnknownNameError",
    ),
    "sim.measures": ("Measure",),
    "sim.memory.keeping.carrying": ("carry",),
    "sim.memory.text.context_tags": ("ContextExtractor",),
    "sim.memory.status.distributions": ("Choice", "Normal", "Uniform"),
    "sim.memory.status.from_table": ("FromTable",),
    "sim.memory.night.consolidation": ("Consolidation",),
    "sim.memory.memory": ("Memory",),
    "sim.memory.night.replay": ("Review",),
    "sim.memory.night.sleep": ("Night",),
    "sim.memory.status.past_table": ("read_memories",),
    "sim.memory.status.people_table": ("read_profiles",),
    "sim.memory.retrieval.profiles": ("Profile",),
    "sim.memory.status.schema": ("Schema",),
    "sim.memory.retrieval.filter": ("Filter",),
    "sim.mind.allow": ("no_models",),
    "sim.mind.archetype": ("Archetype",),
    "sim.mind.budget": ("Budget",),
    "sim.mind.checking": ("check_mind",),
    "sim.mind.estimate": ("estimate",),
    "sim.mind.llm": ("LlmMind",),
    "sim.mind.mind": ("Answer", "Decisions", "Mind", "Question"),
    "sim.mind.mix": ("Mix", "by_block", "by_class", "by_share"),
    "sim.mind.scripted": ("ScriptedClient",),
    "sim.population": ("Agent", "Cohort", "Population", "attribute"),
    "sim.replicate": ("replicate",),
    "sim.sweep.factors": ("Range",),
    "sim.sweep.design": ("Design",),
    "sim.running.by_hand": ("RunByHand",),
    "sim.running.forking": ("fork",),
    "sim.running.repeating": ("repeat",),
    "sim.running.resuming": ("resume",),
    "sim.running.stopping": ("StopRun",),
    "sim.settings": ("Field", "LocalTime", "Settings", "SettingsGroup"),
    "sim.society": ("Society",),
    "sim.state.saving": ("load_state", "save_state"),
    "sim.survey.asking": ("ask_survey",),
    "sim.survey.item": ("Item",),
    "sim.survey.named": ("find_survey",),
    "sim.survey.score": ("Score",),
    "sim.survey.survey": ("Survey",),
    "sim.timeline": ("Message", "News", "Order", "Policy", "Shock", "Timeline"),
    "sim.verifying": ("Finding", "verify"),
    "sim.world.ledger": ("Ledger",),
    "sim.world.place": ("Place",),
    "sim.world.ties": ("Network", "Ties"),
}
if not (Path(__file__).parent / "sim").is_dir():
    # A checkout without symbolic links, which is what git makes on Windows by default: the four
    # folders are found where they are, at the top of the repository.
    __path__.append(str(Path(__file__).parents[2]))

_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module 'memopolis' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"memopolis.{module}"), name)
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
