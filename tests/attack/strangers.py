"""Run folders made by a stranger: manifests that ask for code, servers and files.

Reading commands never execute code, call out or open files elsewhere. Commands that continue a run
refuse such a manifest unless the user trusts it.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from tests.attack.assistant_client import AssistantClient, is_error
from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import CommandResult, call, start
from tests.attack.served_page import ServedPage, status_of
from tests.attack.trap import EVERYTHING, OF_CONTINUING, OF_READING, Probe, Trap
from tests.attack.workshop import Workshop

_NOTHING = "0 acts: no code executed, no request, no file elsewhere opened"
_REFUSED = "each refused in one line; 0 acts"

_READING: dict[str, tuple[str, ...]] = {
    "show": ("show", "run", "--agent", "1", "--query", "news"),
    "report": ("report", "run"),
    "query": ("query", "run", "select count(*) from measures"),
    "interview": ("interview", "run", "What do you think?", "--agent", "1"),
    "compare": ("compare", "run", "other"),
    "verify": ("verify", "run"),
    "export": ("export", "run", "replay.html"),
}
_CONTINUING: dict[str, tuple[str, ...]] = {
    "resume": ("resume", "run", "--no-report"),
    "fork": ("fork", "run", "--at", "4", "--out", "new", "--no-report"),
    "repeat": ("repeat", "run", "--out", "new", "--no-report"),
}
_KILLED = {"opinions": "opinions-killed", "finished": "killed"}


def _trap(workshop: Workshop, probe: Probe, command: str) -> Trap:
    """Make a trap; `resume` gets a run that was killed, `compare` another run beside it."""
    trap = Trap(workshop, _KILLED[probe.source] if command == "resume" else probe.source)
    if command == "compare":
        workshop.copy(probe.source, "other")
    probe.set_up(trap)
    return trap


type Run = Callable[..., CommandResult]


def _run(workshop: Workshop, probe: Probe, words: tuple[str, ...], run: Run) -> list[str]:
    """Give a probe to a command; return everything that it should not have done."""
    trap = _trap(workshop, probe, words[0])
    with trap.watched() as acts:
        result = run(*words, cwd=trap.home, env=trap.env)
    if words[0] in _CONTINUING and not result.errors:
        acts.append(f"not refused: {result.summary}")
    return acts + result.crash_faults()


def _each(
    workshop: Workshop, *, probes: Iterable[Probe], words: tuple[str, ...], run: Run = call
) -> Outcome:
    """Give a command one probe after the other."""
    faults: list[str] = []
    tried = tuple(probes)
    for number, probe in enumerate(tried):
        result = _run(workshop.part(str(number)), probe, words, run)
        faults += [f"{probe.name}: {fault}" for fault in result]
    return judge(faults, f"{len(tried)} manifests, 0 acts")


def _page(workshop: Workshop) -> Outcome:
    """Open the page of a stranger's run and fetch it once."""
    trap = _trap(workshop, EVERYTHING, "dashboard")
    with trap.watched() as acts:  # noqa: SIM117 - the page ends before its acts are counted
        with ServedPage("run", cwd=trap.home, env=trap.env) as page:
            status = status_of(page.head("/?agent=1")) if page.port else 0
    return judge(acts, f"served with status {status}, 0 acts")


def _assistant(workshop: Workshop) -> Outcome:
    """Ask an assistant's server for every stranger's run, and let it fork and repeat them."""
    traps = {}
    for number, probe in enumerate(OF_READING):
        traps[f"part-{number}/run"] = (_trap(workshop.part(f"part-{number}"), probe, "mcp"), probe)
    paths = ":".join(trap.env["PYTHONPATH"] for trap, _ in traps.values())
    env = {**next(iter(traps.values()))[0].env, "PYTHONPATH": paths}
    faults: list[str] = []
    with AssistantClient(".", "--write", cwd=workshop.folder, env=env) as client:
        client.tool("list_runs")
        for name, (trap, probe) in traps.items():
            with trap.watched() as acts:
                made = _use_tools(client, name)
            result = acts + [f"{tool} made a run" for tool in made]
            faults += [f"{probe.name}: {fault}" for fault in result]
    return judge(faults, f"{len(traps)} runs, 9 tools, 0 acts")


def _use_tools(client: AssistantClient, run: str) -> list[str]:
    """Call tools that read a run and those that make one; return which of these succeeded."""
    client.tool("describe_run", run=run)
    client.tool("read_measures", run=run)
    client.tool("citizen_life", run=run, agent=1)
    client.tool("search_memory", run=run, agent=1, query="the news")
    client.tool("interview", run=run, agent=1, question="What do you think?")
    client.tool("query_sql", run=run, sql="select count(*) from measures")
    client.tool("compare_runs", a=run, b=run)
    making = {
        "fork_run": client.tool("fork_run", run=run, at="4"),
        "repeat_run": client.tool("repeat_run", run=run),
    }
    return [name for name, response in making.items() if not is_error(response)]


_SOCIETY = """
from pathlib import Path
from memopolis import Agent, Block, Field, Measure, Settings, Society, attribute
with Path({marker!r}).open("a") as marker:
    marker.write("imported")
class Numbers(Settings):
    agents: int = Field(1, ge=1, description="Agents")
    days: float = Field(0.05, gt=0, unit="d", description="Length")
    x: float = Field(0.0, ge=0, le=1, description="First number")
    y: float = Field(0.0, ge=0, le=1, description="Second number")
class Number(Agent):
    value: float = attribute(0.0, description="Value", dtype="f8")
class Add(Block):
    writes = ("value",)
    def step(self, cohort):
        settings = self.society.settings
        cohort["value"] = settings.x + 2 * settings.y
class Sums(Society[Numbers]):
    measures = (Measure("value", "value", population="number", chart="Value"),)
    def build(self, settings):
        self.populate(Number, settings.agents, blocks=[Add()])
"""
_DESIGN = """
scenario = "sums.py:Sums"
sampling = "morris"
samples = 2
seed = 1
outcomes = ["value"]
[factors]
x = {low = 0.0, high = 1.0}
y = {low = 0.0, high = 1.0}
"""


def _sweep(workshop: Workshop) -> Outcome:
    """Compute the sensitivity of a sweep whose scenario is a stranger's file."""
    home, marker = workshop.folder, workshop.folder / "marker"
    (home / "sums.py").write_text(_SOCIETY.format(marker=str(marker)))
    (home / "design.toml").write_text(_DESIGN)
    made = start("sweep", "design.toml", "--out", "sweep", "--workers", "1", cwd=home)
    faults = [] if marker.exists() else [f"the sweep was not made: {made.summary}"]
    marker.unlink(missing_ok=True)
    result = start("sensitivity", "sweep", "--outcome", "value", cwd=home)
    faults += result.crash_faults()
    faults += ["the stranger's code was executed"] if marker.exists() else []
    faults += [result.summary] if result.code else []
    return judge(faults, f"{result.summary}, 0 acts")


def _trusted(workshop: Workshop, *, words: tuple[str, ...], extra: tuple[str, ...]) -> Outcome:
    """Trust a stranger's run: now every probe must act, or the probe is blind."""
    faults: list[str] = []
    tried = [probe for probe in OF_CONTINUING if probe.acts_when_trusted]
    for number, probe in enumerate(tried):
        trap = _trap(workshop.part(str(number)), probe, words[0])
        with trap.watched() as acts:
            result = call(*words, *extra, cwd=trap.home, env=trap.env)
        faults += result.crash_faults()
        faults += [] if acts else [f"{probe.name} did not act: {result.summary}"]
    return judge(faults, f"{len(tried)} of {len(tried)} acted")


def _named_again(workshop: Workshop, *, words: tuple[str, ...], option: str) -> Outcome:
    """Repeat on the command line what the manifest names, which is as good as trust."""
    wanted = "a file scenario" if option == "--scenario" else "a model server"
    (probe,) = (one for one in OF_CONTINUING if one.name == wanted)
    trap = _trap(workshop, probe, words[0])
    value = f"{trap.elsewhere}/evil.py:Polarization" if option == "--scenario" else trap.server.url
    mind = () if option == "--scenario" else ("--set", "mind=llm")  # a run by a model names both
    with trap.watched() as acts:
        result = call(*words, option, value, *mind, cwd=trap.home, env=trap.env)
    faults = result.crash_faults() + ([] if acts else [f"did not act: {result.summary}"])
    return judge(faults, f"acted; {result.summary}")


def _installed() -> Iterator[Case]:
    """The twelve commands, as they are installed, against a manifest that asks for everything."""
    for name, words in (_READING | _CONTINUING).items():
        yield Case(
            f"`memopolis {name}`: manifest names a file scenario, a model server and files",
            _REFUSED if name in _CONTINUING else _NOTHING,
            partial(_each, probes=(EVERYTHING,), words=words, run=start),
        )
    page = "`memopolis dashboard RUN`: manifest names a file scenario, a model server and files"
    yield Case(page, _NOTHING, _page)
    tools = "`memopolis mcp --write`: 9 tools, each with every probe of a reading command"
    yield Case(tools, _NOTHING, _assistant)
    yield Case("`memopolis sensitivity`: scenario of the sweep is a file", _NOTHING, _sweep)


def _inside() -> Iterator[Case]:
    """Every command against one probe at a time, called inside the worker process."""
    for name, words in (_READING | _CONTINUING).items():
        probes: tuple[Probe, ...] = OF_CONTINUING if name in _CONTINUING else OF_READING
        if name == "repeat":  # reads no checkpoint
            probes = tuple(probe for probe in probes if "checkpoints" not in probe.name)
        yield Case(
            f"{name}, {len(probes)} manifests that ask for one thing each",
            _REFUSED if name in _CONTINUING else _NOTHING,
            partial(_each, probes=probes, words=words),
        )
    for name, words in _CONTINUING.items():
        yield Case(
            f"{name} --trust with manifests that ask for code, a server or a file",
            "each acts, which proves that the probes can see it",
            partial(_trusted, words=words, extra=("--trust",)),
        )
        for option in ("--scenario", "--base-url"):
            yield Case(
                f"{name} {option} with the value that the manifest names",
                "acts: repeating it on the command line is trust",
                partial(_named_again, words=words, option=option),
            )


CASES = [*_installed(), *_inside()]
