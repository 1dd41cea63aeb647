# ruff: noqa: I001 - all names of a module together

from memopolis.agents.citizen import Citizen as Citizen
from memopolis.agents.institutions import Firm as Firm, Government as Government
from memopolis.analysis.compare.arms import Comparison as Comparison, compare as compare
from memopolis.analysis.compare.divergence import (
    Divergence as Divergence,
    find_divergence as find_divergence,
)
from memopolis.analysis.compare.intervals import interval as interval
from memopolis.analysis.figures.draw import canvas as canvas, draw as draw
from memopolis.analysis.metrics.memory_trend import memory_trend as memory_trend
from memopolis.analysis.run.run import Run as Run, load_run as load_run
from memopolis.analysis.sql.query import query as query
from memopolis.analysis.sql.query_process import QueryLimits as QueryLimits
from memopolis.scenarios.hurricane import Hurricane as Hurricane
from memopolis.scenarios.polarization import Polarization as Polarization
from memopolis.scenarios.ubi import BasicIncome as BasicIncome
from memopolis.sim.block import Block as Block
from memopolis.sim.chance import Chance as Chance
from memopolis.sim.clock import Clock as Clock
from memopolis.sim.footprint import Footprint as Footprint
from memopolis.sim.measures import Measure as Measure
from memopolis.sim.memory.memory import Memory as Memory
from memopolis.sim.memory.retrieval.filter import Filter as Filter
from memopolis.sim.memory.retrieval.profiles import Profile as Profile
from memopolis.sim.population import (
    Agent as Agent,
    Cohort as Cohort,
    Population as Population,
    attribute as attribute,
)
from memopolis.sim.recording.stopping import StopRun as StopRun
from memopolis.sim.run_folder.integrity import Finding as Finding
from memopolis.sim.running.building import load_state as load_state
from memopolis.sim.running.by_hand import RunByHand as RunByHand
from memopolis.sim.running.forking import fork as fork
from memopolis.sim.running.repeating import repeat as repeat
from memopolis.sim.running.resuming import resume as resume
from memopolis.sim.settings import (
    Field as Field,
    LocalTime as LocalTime,
    Settings as Settings,
    SettingsGroup as SettingsGroup,
)
from memopolis.sim.society import Society as Society
from memopolis.sim.state.saving import save_state as save_state
from memopolis.sim.timeline import (
    Message as Message,
    News as News,
    Order as Order,
    Policy as Policy,
    Shock as Shock,
    Timeline as Timeline,
)
from memopolis.sim.verifying import verify as verify
from memopolis.sim.world.ledger import Ledger as Ledger
from memopolis.sim.world.place import Place as Place
from memopolis.sim.world.ties import Network as Network, Ties as Ties

__version__: str
