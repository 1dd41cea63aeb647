"""Write the replay of a run: map, network and charts at each moment, in one HTML file."""

import base64
import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, timedelta
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from memopolis.analysis.figures.charts import titles
from memopolis.analysis.figures.network_now import NetworkNow, has_network
from memopolis.analysis.figures.place_now import has_place
from memopolis.analysis.labels import date_form
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.charts.points import ChartPoints, describe_chart
from memopolis.dashboard.map.frames import MapFrames, MapOptions
from memopolis.dashboard.map.network_frames import describe_colours, describe_ties
from memopolis.dashboard.map.place_shape import describe_place
from memopolis.sim.errors import ParameterError
from memopolis.sim.files import write_whole

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

_MOST_NAMES = 20_000
_NAME = 40
_HERE = Path(__file__).parent
_DRAWINGS = _HERE.parent / "map" / "js"
_COLOURS = _HERE.parent / "colours.css"
_IMPORTED = re.compile(r'from "\./([a-z]+\.js)"')


def write_replay(
    run: "Run",
    file: Path,
    steps: Sequence[int],
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write the replay of a run to a file; one that exists is replaced.

    Args:
        run: The run.
        file: The file.
        steps: Numbers of steps after which it is shown, ascending, at least one.
        progress: Called after each moment with the number of moments done and of all.

    Raises:
        ParameterError: If the run has no map, network or chart.
        OSError: If the file cannot be written.
    """
    if not (has_place(run) or has_network(run) or titles(run)):
        raise ParameterError(f"{run.folder} has no map, network or chart to replay")
    data = _describe(run, steps, progress)
    page = Template((_HERE / "page.html").read_text(encoding="utf-8")).substitute(
        colours=_COLOURS.read_text(encoding="utf-8"),
        title=escape(f"{run.title}, seed {run.seed}"),
        facts=escape(f"{len(steps):,} moments of {run.ticks:,} steps, by Memopolis"),
        # No text of a run can end the element.
        data=json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
        modules=json.dumps({"imports": _modules()}),
    )
    write_whole(file, page)


def _describe(
    run: "Run", steps: Sequence[int], progress: Callable[[int, int], None] | None
) -> dict[str, Any]:
    """Return the data of the page."""
    shows_map, shows_network = has_place(run), has_network(run)
    map_frames: list[dict[str, Any]] = []
    network_frames: list[dict[str, Any]] = []
    frames = MapFrames()
    for done, step in enumerate(steps, 1):
        moment = run.until(step)
        if shows_map:
            map_frames.append(frames.next(moment, MapOptions(), step))
        if shows_network:
            network_frames.append(describe_colours(NetworkNow.of(moment)))
        if progress is not None:
            progress(done, len(steps))
    place = {"place": describe_place(run), "frames": map_frames} if shows_map else None
    ties = describe_ties(NetworkNow.of(run)) if shows_network else None
    dates = [run.start + timedelta(hours=run.hours) * step for step in steps]
    return {
        "dates": [f"{when:{date_form(run.hours)}}" for when in dates],
        "times": [when.replace(tzinfo=UTC).timestamp() * 1000 for when in dates],
        "map": place,
        "network": None if ties is None else {"ties": ties, "frames": network_frames},
        "charts": [_chart(run, title) for title in titles(run)],
        "names": _names(run),
    }


def _chart(run: "Run", title: str) -> dict[str, Any]:
    return {**describe_chart(run, title, 1), **ChartPoints(title).next(run)}


def _names(run: "Run") -> dict[int, str]:
    """Return the names of people, unless there are very many."""
    agents = run.people()["agent"].tolist() if run.first_population else []
    if len(agents) > _MOST_NAMES:
        return {}
    return {agent: one_line(run.name_of(agent), most=_NAME) for agent in agents}


def _modules() -> dict[str, str]:
    """Return the scripts by name, each as a data URL: files cannot import files in a browser."""
    files = [*sorted(_DRAWINGS.glob("*.js")), _HERE / "player.js"]
    return {f"memopolis/{file.name}": _data_url(file.read_text(encoding="utf-8")) for file in files}


def _data_url(script: str) -> str:
    named = _IMPORTED.sub(r'from "memopolis/\1"', script)
    return f"data:text/javascript;base64,{base64.b64encode(named.encode()).decode()}"
