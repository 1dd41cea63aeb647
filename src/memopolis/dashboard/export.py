"""Export a run for others: a replay in one HTML file, an animated map, or the network."""

import base64
import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from html import escape
from io import BytesIO
from pathlib import Path
from string import Template
from typing import Any

import networkx as nx
import pandas as pd

from memopolis.analysis import load_run
from memopolis.analysis.figures.animation import animate_map
from memopolis.analysis.figures.charts import titles
from memopolis.analysis.figures.network_now import NetworkNow, has_network
from memopolis.analysis.figures.place_now import has_place, people_now
from memopolis.analysis.labels import date_form
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless, one_line
from memopolis.dashboard.charts.points import ChartPoints, describe_chart
from memopolis.dashboard.map.frames import MapFrames, MapOptions, describe_colours, describe_ties
from memopolis.dashboard.map.place_shape import describe_place
from memopolis.sim.clock import parse_date
from memopolis.sim.errors import ParameterError
from memopolis.sim.files import whole, write_whole

MOST_MOMENTS = {".html": 400, ".gif": 100}
"""Moments of an export by kind of file, unless the steps between them are given."""
_MOST_NAMES = 20_000
_NAME = 40
_REPLAY = Path(__file__).with_name("static_replay")
_DRAWINGS = _REPLAY.parent / "map" / "js"
_COLOURS = _REPLAY.parent / "colours.css"
_IMPORTED = re.compile(r'from "\./([a-z]+\.js)"')


def export_run(
    folder: Path,
    file: Path,
    *,
    start: datetime | None = None,
    end: datetime | None = None,
    every: int | None = None,
    step: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write a replay (.html), an animated map (.gif) or the network (.graphml, .gexf) of a run.

    A file that exists is replaced.

    Args:
        folder: Folder of the run.
        file: The file to write.
        start: Local time of the first moment; None for the start of the run.
        end: Local time of the last moment; None for the end of the run.
        every: Steps from one moment to the next, >= 1; None for at most `MOST_MOMENTS`.
        step: Number of steps after which agents are read for a network; None for the end.
        progress: Called after each moment with the number of moments done and of all.

    Raises:
        ParameterError: If the file is of another kind or in no folder, the run has nothing to
            show, no step is in the period, or a period is given for a network or a step for others.
        RunFolderError: If there is no run in the folder.
        OSError: If the file cannot be written.
    """
    kind = file.suffix.lower()
    if kind not in MOST_MOMENTS and kind not in NETWORKS:
        raise ParameterError(
            f"{file} must end in .html (a replay), .gif (an animated map), or .graphml or .gexf "
            "(the network)"
        )
    if not file.parent.is_dir():
        raise ParameterError(f"{file} cannot be written: {file.parent} is not a folder")
    run = load_run(folder)
    if kind in NETWORKS:
        if (start, end, every) != (None, None, None):
            raise ParameterError("a network is of one moment; give step, not start, end or every")
        if step is not None and step > run.ticks:
            raise ParameterError(f"step is {step:,}; the run has the steps 0 to {run.ticks:,}")
        _write(file, network_file(run if step is None else run.until(step), kind))
        return
    if step is not None:
        raise ParameterError(f"{kind} shows a period; give start, end and every, not step")
    steps = moments(run, start, end, every, most=MOST_MOMENTS[kind])
    if kind == ".html":
        write_replay(run, file, steps, progress)
        return
    if not has_place(run):
        raise ParameterError(f"{folder} has no map to animate; export it as .html")
    _write(file, animate_map(run, steps, progress))


def _write(file: Path, contents: bytes) -> None:
    with whole(file) as unfinished:
        unfinished.write_bytes(contents)


def moments(
    run: Run, start: datetime | None, end: datetime | None, every: int | None, *, most: int
) -> list[int]:
    """Return the steps of a period at equal distances, with its last.

    Raises ParameterError if `every` is below 1, a time has a zone, or no step is in the period.

    Args:
        run: The run.
        start: Local time of the first; None for the start of the run.
        end: Local time of the last; None for the end of the run.
        every: Distance in steps, >= 1; None for the smallest with at most `most` moments.
        most: See `every`.
    """
    if every is not None and every < 1:
        raise ParameterError(f"every is {every}; allowed is 1 or more")
    hour = timedelta(hours=run.hours)
    first = 0 if start is None else max(0, -((run.start - parse_date(start)) // hour))
    last = run.ticks if end is None else min(run.ticks, (parse_date(end) - run.start) // hour)
    if not 0 <= first <= last:
        raise ParameterError(
            f"no step of the run is in this period; it runs from {run.start:%Y-%m-%dT%H:%M} "
            f"to {run.start + hour * run.ticks:%Y-%m-%dT%H:%M}"
        )
    step = every or max(1, -(-(last - first) // (most - 1)))
    return [*range(first, last, step), last]


def write_replay(
    run: Run,
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
    page = Template((_REPLAY / "page.html").read_text(encoding="utf-8")).substitute(
        colours=_COLOURS.read_text(encoding="utf-8"),
        title=escape(f"{run.title}, seed {run.seed}"),
        facts=escape(f"{len(steps):,} moments of {run.ticks:,} steps, by Memopolis"),
        # No text of a run can end the element.
        data=json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
        modules=json.dumps({"imports": _modules()}),
    )
    write_whole(file, page)


def _describe(
    run: Run, steps: Sequence[int], progress: Callable[[int, int], None] | None
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


def _chart(run: Run, title: str) -> dict[str, Any]:
    return {**describe_chart(run, title, 1), **ChartPoints(title).next(run)}


def _names(run: Run) -> dict[int, str]:
    """Return the names of people, unless there are very many."""
    agents = run.people()["agent"].tolist() if run.first_population else []
    if len(agents) > _MOST_NAMES:
        return {}
    return {agent: one_line(run.name_of(agent), most=_NAME) for agent in agents}


def _modules() -> dict[str, str]:
    """Return the scripts by name, each as a data URL: files cannot import files in a browser."""
    files = [*sorted(_DRAWINGS.glob("*.js")), _REPLAY / "player.js"]
    return {f"memopolis/{file.name}": _data_url(file.read_text(encoding="utf-8")) for file in files}


def _data_url(script: str) -> str:
    named = _IMPORTED.sub(r'from "memopolis/\1"', script)
    return f"data:text/javascript;base64,{base64.b64encode(named.encode()).decode()}"


NETWORKS = {".graphml": "GraphML", ".gexf": "GEXF"}
"""Formats of networks by the ending of the file."""

_NOT_OF_A_NODE = frozenset({"agent", "tick", "time", "thought"})
_OF_GEXF = frozenset({"id", "label", "pid", "start", "end", "viz", "parents", "spells"})
"""Names with a meaning of their own in GEXF."""


def network_file(run: Run, kind: str) -> bytes:
    """Return the network of a run at its moment as a file.

    A node is an agent with recorded ties, by its unique_id, and has the columns of the latest
    record of its population that are not empty. An edge is a tie with its kind; two agents may
    have ties of several kinds. The recorded tables have no strength of ties.

    Args:
        run: The run, see `Run.until` for a moment.
        kind: One of `NETWORKS`.

    Raises:
        ParameterError: If the run recorded no ties.
    """
    if not has_network(run):
        raise ParameterError(f"{run.folder} recorded no ties, so it has no network")
    ties, file = run.ties(), BytesIO()
    graph = nx.MultiGraph()
    # Numbered, because programs take the key for a unique id.
    for number, tie in enumerate(zip(ties["source"], ties["target"], ties["kind"], strict=True)):
        graph.add_edge(int(tie[0]), int(tie[1]), key=number, kind=harmless(tie[2]))
    people = people_now(run)
    columns = [name for name in map(str, people) if name not in _NOT_OF_A_NODE]
    values = {name: _values(people[name]) for name in columns}
    for row, agent in enumerate(people["agent"].tolist()):
        if agent in graph:
            own = {name: of[row] for name, of in values.items() if of[row] is not None}
            graph.nodes[agent].update(own)
    if kind == ".graphml":
        nx.write_graphml(graph, file)
        return file.getvalue()
    for agent, own in graph.nodes(data=True):
        for name in _OF_GEXF & own.keys():
            own[f"{name}_"] = own.pop(name)
        own["label"] = own.get("name", agent)
    nx.write_gexf(graph, file)
    return file.getvalue()


def _values(column: pd.Series) -> list[float | str | None]:
    """Return the values of a column as numbers or texts that XML allows; None for missing ones."""
    values = column.tolist()
    if not pd.api.types.is_numeric_dtype(column.dtype):
        values = [value if pd.isna(value) else harmless(value) for value in column.astype(object)]
    return [None if pd.isna(value) else value for value in values]
