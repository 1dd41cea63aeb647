"""Export a run for others: a replay in one HTML file, an animated map, or the network."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from memopolis.analysis import load_run
from memopolis.analysis.figures.animation import animate_map
from memopolis.analysis.figures.place_now import has_place
from memopolis.analysis.run.run import Run
from memopolis.dashboard.network_file import NETWORKS, network_file
from memopolis.sim.clock import parse_date
from memopolis.sim.errors import ParameterError
from memopolis.sim.files import whole

MOST_MOMENTS = {".html": 400, ".gif": 100}
"""Moments of an export by kind of file, unless the steps between them are given."""


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
        from memopolis.dashboard.static_replay.write import write_replay

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
