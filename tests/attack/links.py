"""Links that lead out of a run folder, and files of the user inside it.

A run may delete only files that it created, inside its own resolved folder.
"""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import CommandResult, call, start
from tests.attack.watched import changes, content_of
from tests.attack.workshop import Workshop, edit_checkpoints

_UNTOUCHED = "files outside unchanged; success, or one line of error"
_EARLIER = "files outside unchanged; an earlier state is used, or one line of error"
_KEPT = "the user's file is kept; success, or one line of error"

type Run = Callable[..., CommandResult]


def _outside(workshop: Workshop) -> Path:
    """Make a folder with files of another user."""
    outside = workshop.folder / "outside"
    (outside / "below").mkdir(parents=True)
    for name in ("letter.txt", "part-00000.parquet", "state.json", "below/photo.jpg"):
        (outside / name).write_text(f"the only copy of {name}")
    return outside


def _replace_by_link(path: Path, target: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def _linked(
    workshop: Workshop, *, source: str, at: str, to: str, words: tuple[str, ...], run: Run = call
) -> Outcome:
    """Replace something in a run by a link to the outside, run a command, compare the outside."""
    outside, folder = _outside(workshop), workshop.copy(source)
    _replace_by_link(folder / at, outside / to)
    return _compared(workshop, outside, words, run)


def _compared(workshop: Workshop, outside: Path, words: tuple[str, ...], run: Run) -> Outcome:
    before = content_of(outside)
    result = run(*words, cwd=workshop.folder)
    faults = changes(before, content_of(outside)) + result.crash_faults()
    faults += result.refusal_faults() if result.code else []
    return judge(faults, f"unchanged; {result.summary}")


_RESUME = ("resume", "run", "--no-report")
_FORK = ("fork", "run", "--at", "20", "--out", "deeper/fork", "--no-report")
_REPEAT = ("repeat", "run", "--out", "again", "--no-report")

_OF_RESUME = (
    ("tables/memories", "."),
    ("tables/own", "below"),
    ("tables", "."),
    ("checkpoints", "."),
    ("checkpoints/step-00000036", "."),
    ("memory", "."),
    ("timings", "."),
    ("tables/memories/part-00009.parquet", "letter.txt"),
    ("tables/memories/part-00000.parquet", "part-00000.parquet"),
    ("tables/memories/part-00002.writing", "letter.txt"),
    ("manifest.writing", "letter.txt"),
    ("timings/timings.writing", "letter.txt"),
    ("run.lock", "letter.txt"),
    ("report.html", "letter.txt"),
)
"""What is a link in a killed run, and where in the folder outside it leads."""

_OF_REPORT = ("report.html", "report.writing", "run.lock")


def _into_new_folder(workshop: Workshop, *, name: str, words: tuple[str, ...]) -> Outcome:
    """Plant a link where a new run will write; a folder with only such a file counts as unused."""
    outside = _outside(workshop)
    workshop.copy("finished")
    planted = workshop.folder / "planted"
    planted.mkdir()
    (planted / name).symlink_to(outside / "letter.txt")
    return _compared(workshop, outside, (*words, "--out", "planted", "--no-report"), call)


def _named_outside(workshop: Workshop, *, words: tuple[str, ...]) -> Outcome:
    """Let a checkpoint name a table whose path leads out of the folder."""
    outside, folder = _outside(workshop), workshop.copy("killed")
    shutil.copy(
        folder / "tables" / "memories" / "part-00000.parquet", outside / "part-00000.parquet"
    )

    def edit(plain: dict[str, Any]) -> None:
        files = plain["position"]["files"]
        files |= {
            path.replace("/memories/", "/../../outside/"): record
            for path, record in files.items()
            if path.startswith("tables/memories/")
        }

    edit_checkpoints(folder, edit)
    before = content_of(workshop.folder / "outside")
    result = call(*words, cwd=workshop.folder)
    allowed = {"run", "outside", "deeper", "fork"}
    faults = changes(before, content_of(outside)) + result.crash_faults()
    actual = [*workshop.folder.iterdir(), *(workshop.folder / "deeper").glob("*")]
    faults += [f"{one.name} was created" for one in actual if one.name not in allowed]
    if result.code:
        faults += result.refusal_faults()
    elif "continuing from the earlier state" not in result.stderr:
        faults.append("no warning of an earlier state")
    return judge(faults, result.summary)


def _user_file(workshop: Workshop, *, path: str) -> Outcome:
    """Put a file of the user into a killed run and resume it."""
    own = workshop.copy("killed") / path
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("my notes")
    result = call(*_RESUME, cwd=workshop.folder)
    faults = result.crash_faults()
    if not own.is_file() or own.read_text() != "my notes":
        faults.append(f"{path} was deleted or changed; {result.summary}")
    return judge(faults, f"kept; {result.summary}")


_USER_FILES = (
    "notes.writing",
    "drafts.writing/chapter.txt",
    "tables/memories/analysis.csv",
    "tables/own/analysis.parquet",
    "memory/notes.txt",
    "checkpoints/step-00000024/notes.txt",
    "checkpoints/notes.txt",
    "timings/notes.txt",
)

CASES = [
    *(
        Case(
            f"resume a run whose {at} links to a {'file' if '.' in to[1:] else 'folder'} outside",
            _UNTOUCHED,
            partial(_linked, source="killed", at=at, to=to, words=_RESUME),
        )
        for at, to in _OF_RESUME
    ),
    Case(
        "the installed command resumes a run whose tables/memories links outside",
        _UNTOUCHED,
        partial(_linked, source="killed", at="tables/memories", to=".", words=_RESUME, run=start),
    ),
    *(
        Case(
            f"{words[0]} a run whose {at} links to a folder outside",
            _UNTOUCHED,
            partial(_linked, source="finished", at=at, to=".", words=words),
        )
        for words in (_FORK, _REPEAT)
        for at in ("tables/memories", "checkpoints")
    ),
    *(
        Case(
            f"report of a run whose {at} links to a file outside",
            _UNTOUCHED,
            partial(_linked, source="opinions", at=at, to="letter.txt", words=("report", "run")),
        )
        for at in _OF_REPORT
    ),
    *(
        Case(
            f"{words[0]} into a folder whose {name} links to a file outside",
            _UNTOUCHED,
            partial(_into_new_folder, name=name, words=words),
        )
        for words in (
            ("run", "polarization", "--agents", "20", "--days", "1"),
            ("fork", "run", "--at", "40"),
            ("repeat", "run"),
        )
        for name in ("run.lock", "manifest.writing")
    ),
    *(
        Case(
            f"{words[0]} a run whose checkpoint names the table ../../outside",
            _EARLIER,
            partial(_named_outside, words=words),
        )
        for words in (_RESUME, _FORK)
    ),
    *(
        Case(f"resume a run in which the user put {path}", _KEPT, partial(_user_file, path=path))
        for path in _USER_FILES
    ),
]
