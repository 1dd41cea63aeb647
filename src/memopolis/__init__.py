"""A society that remembers: agent-based simulation with memory for every agent.

The main names are imported from here: `from memopolis import Hurricane, load_run`. Five modules
offer the rest by subject: `memopolis.errors`, `.memory`, `.minds`, `.surveys` and `.sweeps`.
Everything else is private to the package and may move.

A name is imported from its module on first access, so that `memopolis --help` does not import
Mesa, and using the memory alone does not import a scenario.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memopolis.agents.citizen import Citizen
    from memopolis.agents.institutions import Firm, Government
    from memopolis.analysis.compare.arms import Comparison, compare
    from memopolis.analysis.compare.divergence import Divergence, find_divergence
    from memopolis.analysis.compare.intervals import interval
    from memopolis.analysis.figures.draw import canvas, draw
    from memopolis.analysis.metrics.memory_trend import memory_trend
    from memopolis.analysis.run.run import Run, load_run
    from memopolis.analysis.sql.query import query
    from memopolis.analysis.sql.query_process import QueryLimits
    from memopolis.scenarios.hurricane import Hurricane
    from memopolis.scenarios.polarization import Polarization
    from memopolis.scenarios.ubi import BasicIncome
    from memopolis.sim.block import Block
    from memopolis.sim.chance import Chance
    from memopolis.sim.clock import Clock
    from memopolis.sim.footprint import Footprint
    from memopolis.sim.measures import Measure
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.retrieval.filter import Filter
    from memopolis.sim.memory.retrieval.profiles import Profile
    from memopolis.sim.population import Agent, Cohort, Population, attribute
    from memopolis.sim.recording.stopping import StopRun
    from memopolis.sim.run_folder.file_records import Finding
    from memopolis.sim.running.building import load_state
    from memopolis.sim.running.by_hand import RunByHand
    from memopolis.sim.running.forking import fork
    from memopolis.sim.running.repeating import repeat
    from memopolis.sim.running.resuming import resume
    from memopolis.sim.settings import Field, LocalTime, Settings, SettingsGroup
    from memopolis.sim.society import Society
    from memopolis.sim.state.saving import save_state
    from memopolis.sim.timeline import Message, News, Order, Policy, Shock, Timeline
    from memopolis.sim.verifying import verify
    from memopolis.sim.world.ledger import Ledger
    from memopolis.sim.world.place import Place
    from memopolis.sim.world.ties import Network, Ties

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "BasicIncome",
    "Block",
    "Chance",
    "Citizen",
    "Clock",
    "Cohort",
    "Comparison",
    "Divergence",
    "Field",
    "Filter",
    "Finding",
    "Firm",
    "Footprint",
    "Government",
    "Hurricane",
    "Ledger",
    "LocalTime",
    "Measure",
    "Memory",
    "Message",
    "Network",
    "News",
    "Order",
    "Place",
    "Polarization",
    "Policy",
    "Population",
    "Profile",
    "QueryLimits",
    "Run",
    "RunByHand",
    "Settings",
    "SettingsGroup",
    "Shock",
    "Society",
    "StopRun",
    "Ties",
    "Timeline",
    "attribute",
    "canvas",
    "compare",
    "draw",
    "find_divergence",
    "fork",
    "interval",
    "load_run",
    "load_state",
    "memory_trend",
    "query",
    "repeat",
    "resume",
    "save_state",
    "verify",
]

_MODULES = {
    "agents.citizen": ("Citizen",),
    "agents.institutions": ("Firm", "Government"),
    "analysis.compare.arms": ("Comparison", "compare"),
    "analysis.compare.divergence": ("Divergence", "find_divergence"),
    "analysis.compare.intervals": ("interval",),
    "analysis.figures.draw": ("canvas", "draw"),
    "analysis.metrics.memory_trend": ("memory_trend",),
    "analysis.run.run": ("Run", "load_run"),
    "analysis.sql.query": ("query",),
    "analysis.sql.query_process": ("QueryLimits",),
    "scenarios.hurricane": ("Hurricane",),
    "scenarios.polarization": ("Polarization",),
    "scenarios.ubi": ("BasicIncome",),
    "sim.block": ("Block",),
    "sim.chance": ("Chance",),
    "sim.clock": ("Clock",),
    "sim.measures": ("Measure",),
    "sim.memory.memory": ("Memory",),
    "sim.memory.retrieval.filter": ("Filter",),
    "sim.memory.retrieval.profiles": ("Profile",),
    "sim.population": ("Agent", "Cohort", "Population", "attribute"),
    "sim.footprint": ("Footprint",),
    "sim.running.by_hand": ("RunByHand",),
    "sim.running.forking": ("fork",),
    "sim.running.repeating": ("repeat",),
    "sim.running.resuming": ("resume",),
    "sim.recording.stopping": ("StopRun",),
    "sim.run_folder.file_records": ("Finding",),
    "sim.settings": ("Field", "LocalTime", "Settings", "SettingsGroup"),
    "sim.society": ("Society",),
    "sim.running.building": ("load_state",),
    "sim.state.saving": ("save_state",),
    "sim.timeline": ("Message", "News", "Order", "Policy", "Shock", "Timeline"),
    "sim.verifying": ("verify",),
    "sim.world.ledger": ("Ledger",),
    "sim.world.place": ("Place",),
    "sim.world.ties": ("Network", "Ties"),
}
if not (Path(__file__).parent / "sim").is_dir():
    # Git on Windows checks out no symbolic links by default; the four folders are then at the top
    # of the repository.
    __path__.append(str(Path(__file__).parents[2]))

_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module 'memopolis' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"memopolis.{module}"), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
