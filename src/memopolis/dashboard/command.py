"""`memopolis dashboard`: a page on which a society is watched, or finished runs are replayed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memopolis.commands.run import Asked, check_folder, seed_of, settings_of
from memopolis.commands.terminal import (
    announce,
    asides,
    building,
    free_folder,
    results,
    warnings_told,
)
from memopolis.dashboard.address import Address, Listener
from memopolis.dashboard.one_heap import share_one_heap
from memopolis.sim.errors import ExtraError, ParameterError, UnknownNameError
from memopolis.sim.run_size import check_size
from memopolis.sim.running.manifest import MANIFEST
from memopolis.sim.running.stopping import signals_heard
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings, parse_sets
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from memopolis.dashboard.watch.live import FolderFor, LiveWatch
    from memopolis.dashboard.watch.watch import Watch

_FEW = 2_000
"""Most agents whose status is recorded in each step, if nothing else was asked for."""


@dataclass(frozen=True)
class Served:
    """How the page is served.

    Attributes:
        address: Where; if the port is taken, at the next that is free.
        opened: Whether a browser is opened.
    """

    address: Address
    opened: bool = True


def show_dashboard(names: Sequence[str], asked: Asked, served: Served) -> None:
    """Watch a scenario, or replay one run or two, until the page is closed by ctrl-C.

    Args:
        names: A scenario, or the folders of one run or two.
        asked: What was typed of a scenario; of runs only the model that answers questions.
        served: How the page is served.

    Raises:
        MemopolisError: If anything that was asked for is not possible.
    """
    share_one_heap()
    if len(names) > 2:
        raise ParameterError(
            f"{len(names)} names were given; name a scenario, a run, or two runs to see them side "
            "by side"
        )
    if len(names) == 2 or Path(names[0]).is_dir():
        _replay(names, _mind_of(names, asked), served)
    else:
        _watch(replace(asked, scenario=names[0]), served)


def _mind_of(names: Sequence[str], asked: Asked) -> dict[str, object]:
    """Settings of the model that answers questions to the citizens of runs; none if none is named.

    Raises:
        ParameterError: If anything else was asked for.
        SettingsError: If there is no such mind.
    """
    from memopolis.analysis.interview.agent_society import mind_settings

    given = parse_sets(asked.sets)
    if replace(asked, sets=()) != Asked(asked.scenario) or not {"mind", "llm"}.issuperset(given):
        what = "are runs" if len(names) == 2 else "is a run"
        raise ParameterError(
            f"{' and '.join(names)} {what} made already: settings, --seed and --out are for a "
            "scenario; only --mind, --model and what else names a model are for runs, too"
        )
    if given and given.get("mind", "rule") == "rule":
        raise ParameterError("a model answers questions only with --mind llm, or replay")
    mind_settings(given)
    llm = cast("dict[str, object]", given.pop("llm", {}))
    return given | {f"llm.{name}": value for name, value in llm.items()}


def _replay(names: Sequence[str], mind: Mapping[str, object], served: Served) -> None:
    from memopolis.analysis.run.load import load_run
    from memopolis.dashboard.watch.replay import Replay, ReplayWatch

    replay = Replay([load_run(name) for name in names], mind)
    title = ReplayWatch(replay).title
    with _listener(served.address) as listener:
        for run in replay.runs:
            results().print(f"Run     {run.folder}", soft_wrap=True, markup=False)
        _serve(lambda: ReplayWatch(replay), listener, title, opened=served.opened)
    asides().print("the page is closed")


def _watch(asked: Asked, served: Served) -> None:
    scenario = _scenario(asked.scenario)
    settings = settings_of(scenario, asked)
    seed = seed_of(asked.seed)
    check_folder(asked.out)
    announce(asides(), check_size(scenario, settings, force=asked.force))
    with _listener(served.address) as listener:
        watch = _built(scenario, _with_curves(settings, asked), seed, asked.out)
        results().print(f"Run     {watch.folder}", soft_wrap=True, markup=False)
        try:
            with warnings_told(asides()):
                _serve(lambda: watch, listener, watch.title, opened=served.opened)
        finally:
            watch.close()
            asides().print(_what_became(watch), soft_wrap=True, markup=False)


def _built(
    scenario: type[Society[Any]], settings: Settings, seed: int | None, out: Path | None
) -> "LiveWatch":
    from memopolis.dashboard.watch.live import LiveWatch

    with building(asides(), settings.agents):
        return LiveWatch(scenario(settings, rng=seed), _folders(out))


def _scenario(name: str) -> type[Society[Any]]:
    try:
        return find_scenario(name)
    except UnknownNameError as error:
        if ":" in name or name.endswith(".py"):
            raise
        raise UnknownNameError(f"{error}; nor is there a folder {name} of a run") from None


def _listener(address: Address) -> Listener:
    """Hold the port of the page, once everything else was checked."""
    if find_spec("nicegui") is None:
        raise ExtraError("the page needs nicegui: pip install 'memopolis[viz]'")
    listener = address.listen()
    if address.port not in {0, listener.address.port}:
        asides().print(f"port {address.port} is taken, {listener.address.port} is free")
    return listener


def _serve(
    new_watch: "Callable[[], Watch]", listener: Listener, title: str, *, opened: bool
) -> None:
    from memopolis.dashboard.watch.read_ahead import ReadAhead

    with listener, ReadAhead(new_watch().runs) as ahead:
        from memopolis.dashboard.serving import serve

        ahead.wait()
        # Typed signals end the server, which tells them on when it has ended: they are heard then.
        with signals_heard(lambda *_: None):
            results().print(f"Page    {listener.address}", soft_wrap=True, markup=False)
            serve(new_watch, listener, title=title, opened=opened)


def _with_curves(settings: Settings, asked: Asked) -> Settings:
    """Record status in each step, where that is cheap and nobody said how often."""
    usual = type(settings).model_fields["record"].get_default(call_default_factory=True)
    every, said = settings.record.agents_every, "record.agents_every="
    if (
        settings.agents > _FEW
        or settings.tick >= every
        or every != usual.agents_every
        or any(one.replace(" ", "").startswith(said) for one in asked.sets)
    ):
        return settings
    asides().print(f"status is recorded in each step (--set {said}{every:g} for less)")
    return settings.with_changes({"record.agents_every": settings.tick})


def _folders(out: Path | None) -> "FolderFor":
    """Names of folders: the first as asked for, those of later runs numbered."""
    first = [] if out is None else [out]

    def folder_for(society: Society[Any]) -> Path:
        if first:
            return first.pop()
        usual = Path("runs", f"{type(society).__name__.lower()}-{society.seed}")
        return free_folder(usual if out is None else out)

    return folder_for


def _what_became(watch: "LiveWatch") -> str:
    """What became of the run when the page was closed."""
    if watch.state == "ended":
        return f"the page is closed; the run in {watch.folder} has ended"
    if watch.state == "failed":
        return f"the page is closed; the run in {watch.folder} failed: {watch.error}"
    if not (watch.folder / MANIFEST).exists():
        return "the page is closed before the first step; there is no run to keep"
    return (
        f"the page is closed after step {watch.step:,} of {watch.steps:,}; "
        f"`memopolis resume {watch.folder}` goes on"
    )
