"""Tables of users as spreadsheets save them, and recorded tables of wrong types."""

import json
import math
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import CommandResult, call, start
from tests.attack.workshop import Workshop, edit_manifest

_SMALL = ("--agents", "20", "--days", "1", "--seed", "1", "--no-report")
_TABLES: dict[str, tuple[str, str, str]] = {
    "profiles": (
        "agent,age,emotion.fear\n1,71,8.5\n2,34,2.25\n",
        "age",
        "ages",
    ),
    "memories": (
        "agent,topic,text,importance\n1,work,We lost our jobs.,0.75\n2,work,Hired.,0.5\n",
        "importance",
        "importence",
    ),
    "news": (
        "time,text,topic,stance\n2019-08-28 02:00,A storm comes.,disaster,-0.75\n",
        "stance",
        "stanse",
    ),
    "orders": ("announced,area,kind\n2019-08-28 02:00,all,mandatory\n", "kind", "kindd"),
    "storm": (
        (
            "time_utc,lat,lon,wind_kt\n2019-08-28T00:00Z,31.5,-79.5,80.5\n"
            "2019-08-29T00:00Z,33.5,-79.75,60.5\n"
        ),
        "wind_kt",
        "wind_kts",
    ),
    "past_storms": (
        "storm,date,left_ordered,left_coast,left_inland,valence\nHugo,1989-09-21,0.5,0.25,0.1,-0.5\n",
        "valence",
        "valense",
    ),
    "place": (
        (
            "zone,name,lat,lon,population,coast_km\n1,Harbour,32.78,-79.93,4000,1.5\n"
            "2,Hill,32.95,-80.02,6000,20.25\n"
        ),
        "coast_km",
        "cost_km",
    ),
}
"""By setting: a small table, a column of it, and the column misspelt."""


def _write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_bytes(text.encode())
    return str(path)


def _run(workshop: Workshop, setting: str, path: str, out: str = "run") -> CommandResult:
    words = ("run", "hurricane", *_SMALL, "--set", f"{setting}={path}", "--out", out)
    return call(*words, cwd=workshop.folder)


def _spreadsheet(text: str) -> str:
    """Return a table as a spreadsheet with decimal commas saves it."""
    rows = [line.split(",") for line in text.splitlines()]
    lines = [" ; ".join(rows[0])]
    for cells in rows[1:]:
        shown = [
            c.replace(".", ",") if c.lstrip("-").replace(".", "").isdigit() else c for c in cells
        ]
        lines.append(";".join(f'"{cell}"' for cell in shown))
    return "\ufeff" + "".join(f"{line}\r\n" for line in lines)


def _compare_saved(workshop: Workshop, *, setting: str) -> Outcome:
    """Run with a table of commas and with the same as a spreadsheet saves it; misspell a column."""
    from memopolis.analysis.run.tables import table_digests

    text, column, misspelt = _TABLES[setting]
    saved = {"commas": text, "spreadsheet": _spreadsheet(text)}
    faults: list[str] = []
    for name, content in saved.items():
        (workshop.folder / name).mkdir()
        path = _write(workshop.folder / name, "table.csv", content)
        result = _run(workshop, setting, path, name + "-run")
        faults += result.crash_faults() + ([result.summary] if result.code else [])
    if not faults:
        first, second = (table_digests(workshop.folder / f"{name}-run") for name in saved)
        faults += [] if first == second else ["the tables of the runs differ"]
    wrong = text.replace(f",{column}", f",{misspelt}", 1)
    refused = _run(workshop, setting, _write(workshop.folder, "wrong.csv", wrong), "wrong")
    faults += refused.refusal_faults()
    faults += [] if f"did you mean {column}?" in refused.summary else [refused.summary]
    return judge(faults, f"equal tables; {refused.summary}")


_HOSTILE = {
    "empty": b"",
    "header only": b"agent;age\n",
    "uneven rows": b"agent;age\n1;71;5\n",
    "two separators": b"agent,age;name\n1,71;a\n",
    "a column twice": b"agent; agent\n1;2\n",
    "thousands": b"agent;income\n1;12,345\n",
    "both separators of numbers": b"agent;income\n1;1.234,5\n",
    "Latin-1": "agent;name\n1;Zo\xeb\n".encode("latin-1"),
    "UTF-16": "agent;name\n1;a\n".encode("utf-16"),
    "binary": bytes(range(256)),
    "an open quote": b'agent,name\n1,"a\n',
    "blanks as separators": b"agent age\n1 71\n",
    "no name of a column": b"agent,,age\n1,2,3\n",
    "a new column": b"agent,club\n1,chess\n",
    "words for a number": b"agent;age\n1;old\n",
}


def _hostile_files(workshop: Workshop) -> Outcome:
    """Give files that can be read in two ways, or in none."""
    faults = []
    for name, content in _HOSTILE.items():
        path = workshop.folder / "people.csv"
        path.write_bytes(content)
        result = _run(workshop, "profiles", str(path))
        faults += [f"{name}: {fault}" for fault in result.refusal_faults()]
    return judge(faults, f"{len(_HOSTILE)} refused, each in one line")


def _devices(workshop: Workshop) -> Outcome:
    """Give a device and a pipe as each table."""
    os.mkfifo(workshop.folder / "pipe.csv")
    (workshop.folder / "zero.csv").symlink_to("/dev/zero")
    faults, seconds = [], 0.0
    for setting in _TABLES:
        for path in ("pipe.csv", "zero.csv"):
            result = _run(workshop, setting, str(workshop.folder / path))
            seconds = max(seconds, result.seconds)
            faults += [f"{setting} {path}: {fault}" for fault in result.refusal_faults()]
    return judge(faults, f"{2 * len(_TABLES)} refused, each within {seconds:.1f} s")


def _unread_news(workshop: Workshop) -> Outcome:
    """Run with news on a topic that no block reads."""
    text = "time,text,topic\n2019-08-28 02:00,A storm comes.,disastre\n"
    result = _run(workshop, "news", _write(workshop.folder, "news.csv", text))
    faults = result.crash_faults() + ([result.summary] if result.code else [])
    lines = [line for line in result.errors if "no block reads news on disastre" in line]
    faults += [] if len(lines) == 1 else [f"{len(lines)} warnings"]
    return judge(faults, "".join(lines))


def _rows_as_setting(workshop: Workshop) -> Outcome:
    """Give people as rows, then resume and repeat the run; name a file like rows."""
    _write(workshop.folder, "[secret].csv", "agent,age\n1,71\n")
    run = _run(workshop, "profiles", '[{"agent": 1, "age": 71}]')
    resumed = call("resume", "run", "--days", "2", "--no-report", cwd=workshop.folder)
    repeated = call("repeat", "run", "--no-report", cwd=workshop.folder)
    faults = [result.summary for result in (run, resumed, repeated) if result.code]
    faults += [] if "Tables  equal" in repeated.stdout else ["the repeated tables differ"]
    faults += _run(workshop, "profiles", "[secret].csv", "other").refusal_faults()
    return judge(faults, "run, resumed and repeated with equal tables; the file is not read")


def _add_record(run: Path, path: str, record: list[object]) -> None:
    """Add the record of a file to the manifest of a run."""
    edit_manifest(run, lambda content: content["files"].update({path: record}))


def _foreign_entries(workshop: Workshop, *, command: str) -> Outcome:
    """Continue a run whose manifest lists files that are not its own."""
    faults: list[str] = []
    lines: list[str] = []
    for path in (
        "../../etc/passwd",
        "/etc/passwd",
        "tables/../../x/part-00000.parquet",
        "mine.txt",
    ):
        run = workshop.copy("finished", f"run-{len(lines)}")
        _add_record(run, path, [1, "0"])
        more = ("--at", "3") if command == "fork" else ()
        result = call(command, run.name, *more, "--no-report", cwd=workshop.folder)
        faults += [f"{path}: {fault}" for fault in result.refusal_faults()]
        lines.append(result.summary)
    return judge(faults, lines[-1])


def _wrong_types(workshop: Workshop, *, path: str) -> Outcome:
    """Give the columns of a part other types, with valid checksums, and read the run."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from memopolis.sim.checksums import record_of_file

    run = workshop.copy("opinions")
    part = run / path
    table = pq.read_table(part)
    reads = (("show", "run", "--agent", "3"), ("interview", "run", "--agent", "3", "How are you?"))
    faults, refused, read = [], 0, 0
    for number, name in enumerate(table.column_names[:14]):
        for wrong in (["x"], [2**62]):
            column = pa.array(wrong * len(table))
            pq.write_table(table.set_column(number, name, column), part)
            _add_record(run, path, list(record_of_file(part)))
            for words in reads:
                result = call(*words, cwd=workshop.folder)
                faults += [f"{name} {words[0]}: {fault}" for fault in result.crash_faults()]
                refused, read = refused + bool(result.code), read + (not result.code)
    return judge(faults, f"{refused} refused, {read} answered without that column, 0 tracebacks")


def _outlines(workshop: Workshop, *, points: int) -> Outcome:
    """Build a place from one outline of many points."""
    turns = (2 * math.pi * i / points for i in range(points))
    ring = [[-80 + 0.1 * math.cos(turn), 33 + 0.1 * math.sin(turn)] for turn in turns]
    feature = {
        "type": "Feature",
        "id": "a",
        "properties": {"population": 1000},
        "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]},
    }
    content = json.dumps({"type": "FeatureCollection", "features": [feature]})
    path = _write(workshop.folder, "zones.geojson", content)
    result = start("place", "new", "mine", "--geojson", path, cwd=workshop.folder, timeout=100)
    faults = result.crash_faults() + ([result.summary] if result.code else [])
    faults += [] if "points of outlines are simplified to" in result.stderr else ["no line"]
    faults += [] if result.seconds < 60 else [f"took {result.seconds:.0f} s"]
    return judge(
        faults, f"after {result.seconds:.0f} s {result.errors[0] if result.errors else ''}"
    )


def _cases() -> Iterator[Case]:
    for setting in _TABLES:
        yield Case(
            f"{setting} saved by a spreadsheet with semicolons, decimal commas and blanks, and "
            "with a misspelt column",
            "equal tables; the misspelt column refused with the right name",
            partial(_compare_saved, setting=setting),
        )
    yield Case("people in files that are ambiguous or no tables", "one line each", _hostile_files)
    yield Case("devices and pipes as tables", "one line each, at once", _devices)
    yield Case("news on a topic that no block reads", "one warning", _unread_news)
    yield Case("people as rows of JSON, resumed and repeated", "equal tables", _rows_as_setting)
    for command in ("resume", "repeat", "fork"):
        yield Case(
            f"`memopolis {command}`: a manifest with records of files outside of the run",
            "each refused in one line",
            partial(_foreign_entries, command=command),
        )
    for path in (
        "tables/memories/part-00000.parquet",
        "tables/decisions/part-00000.parquet",
        "tables/texts/part-00000.parquet",
        "tables/agents_citizen/part-00000.parquet",
        "memory/citizen.parquet",
    ):
        yield Case(
            f"show and interview with wrong types in each of the first 14 columns of {path}",
            "one line or an answer each, 0 tracebacks",
            partial(_wrong_types, path=path),
        )
    yield Case(
        "outlines of 500,000 points", "simplified within 60 s", partial(_outlines, points=500_000)
    )


CASES = list(_cases())
