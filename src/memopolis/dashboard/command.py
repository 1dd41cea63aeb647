"""`memopolis dashboard`: watch a society in the browser, or replay finished runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memopolis.commands.run import RunOptions, check_folder, seed_of, settings_of
from memopolis.commands.terminal import (
    announce,
    building,
    free_folder,
    short_warnings,
    stderr_console,
    stdout_console,
)
from memopolis.dashboard.address import Address, Listener
from memopolis.dashboard.one_heap import share_one_heap
from memopolis.sim.errors import ExtraError, ParameterError, UnknownNameError
from memopolis.sim.recording.stopping import handle_signals
from memopolis.sim.run_folder.manifest import MANIFEST
from memopolis.sim.run_size import check_size
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings, parse_sets
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from memopolis.dashboard.watch.live import FolderFor, LiveWatch
    from memopolis.dashboard.watch.watch import Watch

_FEW = 2_000
"""Maximum number of agents whose status is recorded in every step by default."""


@dataclass(frozen=True)
class Served:
    """How the page is served.

    Attributes:
        address: Address to listen on; if the port is taken, the next free port is used.
        opened: Whether to open a browser.
    """

    address: Address
    opened: bool = True


def show_dashboard(names: Sequence[str], options: RunOptions, served: Served) -> None:
    """Watch a scenario, or replay one run or two, until the page is closed by ctrl-C.

    Args:
        names: A scenario, or the folders of one run or two.
        options: Options of the scenario; for runs, only those of the mind that answers questions.
        served: How the page is served.

    Raises:
        MemopolisError: If the names or options are wrong, or the page cannot be served.
    """
    share_one_heap()
    if len(names) > 2:
        raise ParameterError(
            f"{len(names)} names were given; name a scenario, a run, or two runs to replay side by "
            "side"
        )
    if len(names) == 2 or Path(names[0]).is_dir():
        _replay(names, _mind_of(names, options), served)
    else:
        _watch(replace(options, scenario=names[0]), served)


def _mind_of(names: Sequence[str], options: RunOptions) -> dict[str, object]:
    """Return the settings of the mind that answers questions; empty if no option names one.

    Raises:
        ParameterError: If options that are only for scenarios were given.
        SettingsError: If the mind does not exist.
    """
    from memopolis.analysis.interview.agent_society import mind_settings

    changes = parse_sets(options.sets)
    if replace(options, sets=()) != RunOptions(options.scenario) or not {"mind", "llm"}.issuperset(
        changes
    ):
        what = "are runs" if len(names) == 2 else "is a run"
        raise ParameterError(
            f"{' and '.join(names)} {what}, not a scenario: settings, --seed and --out are for "
            "scenarios; for runs only --mind and the options of its model are allowed"
        )
    if changes and changes.get("mind", "rule") == "rule":
        raise ParameterError("options of a model need --mind llm or --mind replay")
    mind_settings(changes)
    llm = cast("dict[str, object]", changes.pop("llm", {}))
    return changes | {f"llm.{name}": value for name, value in llm.items()}


def _replay(names: Sequence[str], mind: Mapping[str, object], served: Served) -> None:
    from memopolis.analysis.run.load import load_run
    from memopolis.dashboard.watch.replay import Replay, ReplayWatch

    replay = Replay([load_run(name) for name in names], mind)
    title = ReplayWatch(replay).title
    with _listener(served.address) as listener:
        for run in replay.runs:
            stdout_console().print(f"Run     {run.folder}", soft_wrap=True, markup=False)
        _serve(lambda: ReplayWatch(replay), listener, title, opened=served.opened)
    stderr_console().print("the page is closed")


def _watch(options: RunOptions, served: Served) -> None:
    scenario = _scenario(options.scenario)
    settings = settings_of(scenario, options)
    seed = seed_of(options.seed)
    check_folder(options.out)
    announce(stderr_console(), check_size(scenario, settings, force=options.force))
    with _listener(served.address) as listener:
        watch = _built(scenario, _with_curves(settings, options), seed, options.out)
        stdout_console().print(f"Run     {watch.folder}", soft_wrap=True, markup=False)
        try:
            with short_warnings(stderr_console()):
                _serve(lambda: watch, listener, watch.title, opened=served.opened)
        finally:
            watch.close()
            stderr_console().print(_closing_note(watch), soft_wrap=True, markup=False)


def _built(
    scenario: type[Society[Any]], settings: Settings, seed: int | None, out: Path | None
) -> "LiveWatch":
    from memopolis.dashboard.watch.live import LiveWatch

    with building(stderr_console(), settings.agents):
        return LiveWatch(scenario(settings, rng=seed), _folders(out))


def _scenario(name: str) -> type[Society[Any]]:
    try:
        return find_scenario(name)
    except UnknownNameError as error:
        if ":" in name or name.endswith(".py"):
            raise
        raise UnknownNameError(f"{error}; and {name} is not a run folder either") from None


def _listener(address: Address) -> Listener:
    """Reserve the port of the page."""
    if find_spec("nicegui") is None:
        raise ExtraError("the page needs nicegui: pip install 'memopolis[viz]'")
    listener = address.listen()
    if address.port not in {0, listener.address.port}:
        stderr_console().print(f"port {address.port} is in use, using {listener.address.port}")
    return listener


def _serve(
    new_watch: "Callable[[], Watch]", listener: Listener, title: str, *, opened: bool
) -> None:
    from memopolis.dashboard.watch.read_ahead import ReadAhead

    with listener, ReadAhead(new_watch().runs) as ahead:
        from memopolis.dashboard.serving import serve

        ahead.wait()
        # The server handles ctrl-C itself and raises the signal again when it has stopped.
        with handle_signals(lambda *_: None):
            stdout_console().print(f"Page    {listener.address}", soft_wrap=True, markup=False)
            serve(new_watch, listener, title=title, opened=opened)


def _with_curves(settings: Settings, options: RunOptions) -> Settings:
    """Record status in every step if that is cheap and the user set no interval."""
    usual = type(settings).model_fields["record"].get_default(call_default_factory=True)
    every, key = settings.record.agents_every, "record.agents_every="
    if (
        settings.agents > _FEW
        or settings.tick >= every
        or every != usual.agents_every
        or any(one.replace(" ", "").startswith(key) for one in options.sets)
    ):
        return settings
    stderr_console().print(f"recording status in every step (less often: --set {key}{every:g})")
    return settings.with_changes({"record.agents_every": settings.tick})


def _folders(out: Path | None) -> "FolderFor":
    """Return a function that names run folders: `out` for the first, numbered for later ones."""
    first = [] if out is None else [out]

    def folder_for(society: Society[Any]) -> Path:
        if first:
            return first.pop()
        usual = Path("runs", f"{type(society).__name__.lower()}-{society.seed}")
        return free_folder(usual if out is None else out)

    return folder_for


def _closing_note(watch: "LiveWatch") -> str:
    """Describe the state of the run when the page was closed."""
    if watch.state == "ended":
        return f"the page is closed; the run in {watch.folder} is complete"
    if watch.state == "failed":
        return f"the page is closed; the run in {watch.folder} failed: {watch.error}"
    if not (watch.folder / MANIFEST).exists():
        return "the page is closed before the first step; no run was recorded"
    return (
        f"the page is closed after step {watch.step:,} of {watch.steps:,}; "
        f"continue with `memopolis resume {watch.folder}`"
    )
