"""`memopolis dashboard`: watch a society in the browser, or replay finished runs."""

import ctypes
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memopolis.commands.options.runs import DashboardOptions
from memopolis.commands.options.shared import SocietyOptions
from memopolis.commands.run import check_folder, new_folder, settings_and_seed
from memopolis.commands.running import resume_hint
from memopolis.commands.terminal import (
    building,
    print_line,
    print_note,
    short_warnings,
    stderr_console,
)
from memopolis.dashboard.address import Address, Listener
from memopolis.sim.errors import ExtraError, ParameterError, UnknownNameError
from memopolis.sim.recording.stopping import StopRun, handle_signals
from memopolis.sim.run_folder.manifest import MANIFEST, read_content
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings, parse_sets
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from collections.abc import Callable

    from memopolis.dashboard.watch.live import FolderFor, LiveWatch
    from memopolis.dashboard.watch.watch import Watch

_FEW = 2_000  # maximum number of agents whose status is recorded in every step by default
_M_ARENA_MAX = -8  # number of a setting in malloc.h of the GNU C library


def show_dashboard(options: DashboardOptions) -> None:
    """Watch a scenario, or replay runs, until the page is closed by ctrl-C.

    Raises MemopolisError if the names or options are wrong, or the page cannot be served. `names`
    are a scenario, or folders of runs, arms, comparisons or sweeps, for which only the options of
    the mind that answers questions apply. If the port is taken, the next free one is used. `opened`
    opens a browser.
    """
    _share_one_heap()
    if len(options.names) > 1 or Path(options.names[0]).is_dir():
        _replay(options)
    else:
        _watch(options)


def _mind_of(options: DashboardOptions) -> dict[str, object]:
    """Return the settings of the mind that answers questions; empty if no option names one.

    Raises:
        ParameterError: If options that are only for scenarios were given.
        SettingsError: If the mind does not exist.
    """
    from memopolis.analysis.interview.agent_society import mind_settings

    changes = parse_sets(options.changes)
    others = (options.seed, options.settings, options.out, options.force or None)
    if others != (None,) * 4 or not {"mind", "llm"}.issuperset(changes):
        what = "are runs" if len(options.names) > 1 else "is a run"
        raise ParameterError(
            f"{' and '.join(options.names)} {what}, not a scenario: settings, --seed and --out are "
            "for scenarios; for runs only --mind and the options of its model are allowed"
        )
    if changes and changes.get("mind", "rule") == "rule":
        raise ParameterError("options of a model need --mind llm or --mind replay")
    mind_settings(changes)
    llm = cast("dict[str, object]", changes.pop("llm", {}))
    return changes | {f"llm.{name}": value for name, value in llm.items()}


def _replay(options: DashboardOptions) -> None:
    from memopolis.analysis.compare.arm_folders import find_arms, shown_runs
    from memopolis.dashboard.watch.replay import Replay, ReplayWatch

    mind = _mind_of(options)
    arms = find_arms([Path(name) for name in options.names])
    replay = Replay(shown_runs(arms), mind, arms)
    title = ReplayWatch(replay).title
    with _listener(Address(options.host, options.port)) as listener:
        for run in replay.runs:
            print_line(f"Run     {run.folder}")
        _serve(lambda: ReplayWatch(replay), listener, title, opened=options.opened)
    print_note("the page is closed")


def _watch(options: DashboardOptions) -> None:
    from memopolis.dashboard.watch.live import LiveWatch

    scenario = _scenario(options.names[0])
    settings, seed = settings_and_seed(scenario, options)
    check_folder(options.out)
    console = stderr_console()
    with _listener(Address(options.host, options.port)) as listener:
        settings = _with_curves(settings, options)
        with building(console, settings.agents):
            watch = LiveWatch(scenario(settings, rng=seed), _folders(options.out))
        print_line(f"Run     {watch.folder}")
        try:
            with short_warnings(console):
                _serve(lambda: watch, listener, watch.title, opened=options.opened)
        finally:
            watch.close()
            print_note(_closing_note(watch))


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
        print_note(f"port {address.port} is in use, using {listener.address.port}")
    return listener


def _serve(
    new_watch: "Callable[[], Watch]", listener: Listener, title: str, *, opened: bool
) -> None:
    from memopolis.dashboard.watch.read_ahead import ReadAhead

    watch = new_watch()
    with listener, ReadAhead(lambda: watch.moment().runs) as ahead:
        from memopolis.dashboard.serving import serve

        ahead.wait()
        started = False

        def announce() -> None:
            nonlocal started
            started = True
            print_line(f"Page    {listener.address}")

        def stop(number: int, _frame: object) -> None:
            # The server handles signals once it has started, and raises them again at its end.
            if not started:
                raise StopRun.by(number)

        with handle_signals(stop):
            serve(new_watch, listener, announce, title=title, opened=opened)


def _with_curves(settings: Settings, options: SocietyOptions) -> Settings:
    """Record status in every step if that is cheap and the user set no interval."""
    usual = type(settings).model_fields["record"].get_default(call_default_factory=True)
    every, key = settings.record.agents_every, "record.agents_every="
    if (
        settings.agents > _FEW
        or settings.tick >= every
        or every != usual.agents_every
        or any(change.replace(" ", "").startswith(key) for change in options.changes)
    ):
        return settings
    print_note(f"recording status in every step (less often: --set {key}{every:g})")
    return settings.with_changes({"record.agents_every": settings.tick})


def _folders(out: Path | None) -> "FolderFor":
    """Return a function that names run folders: `out` for the first, numbered for later ones."""
    first = [] if out is None else [out]

    def folder_for(society: Society[Any]) -> Path:
        return first.pop() if first else new_folder(society, out)

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
        f"{resume_hint(watch.folder, read_content(watch.folder))}"
    )


def _share_one_heap() -> None:
    """Make all threads started from now on allocate memory from one heap.

    Otherwise each thread has a heap of its own, and other threads cannot use the memory that it
    frees, such as the pixels of a figure: 12 MB over 500 steps with 10,000 citizens.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # missing in other C libraries
        if mallopt is not None:
            mallopt(_M_ARENA_MAX, 1)
