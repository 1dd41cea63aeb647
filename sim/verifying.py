"""Compare every file of a run, or of the runs of a sweep, with its recorded checksum."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import is_link, links_below
from memopolis.sim.run_folder.folder import FILES, FOLDERS, TIMINGS, check_name, is_owned
from memopolis.sim.run_folder.integrity import Finding, IntegrityCheck
from memopolis.sim.run_folder.manifest import MANIFEST, manifest_problem, read_content
from memopolis.sim.state.checkpoints import checkpoints_of, read
from memopolis.sim.sweep.rows import read_row
from memopolis.sim.sweep.saved_design import DESIGN, read_design

_OWN = re.compile(
    "|".join(
        (
            *map(re.escape, FILES),
            r"tables/[^/]+/part-\d{5,}\.parquet",
            r"memory/[^/]+\.parquet",
            *(re.escape(f"timings/{name}") for name in TIMINGS),
            r"checkpoints/step-\d{8,}/(state\.json|arrays\.arrow)",
        )
    )
)
_UNFINISHED = re.compile(
    r"(tables/[^/]+|memory|timings)/[^/]+\.writing|[^/]+\.writing|checkpoints/[^/]+\.writing/[^/]+"
)


def verify(folder: str | Path) -> list[Finding]:
    """Compare every file of a run, or of the runs of a sweep, with its recorded checksum.

    For a run that was killed or is active, the files that its checkpoints depend on are compared;
    `resume` recreates the rest. Reports are not compared, since `write_report` recreates them.
    Returns damaged files, and files that the run did not write; empty if all are intact. Raises
    RunFolderError if the folder is neither that of a run nor of a sweep.
    """
    folder = Path(folder)
    check_name(folder)
    if (folder / DESIGN).is_file():
        return list(_of_sweep(folder))
    if not any((folder / name).exists() for name in (MANIFEST, *FOLDERS)):
        read_content(folder)  # raises an error about the missing file
    return list(_of_run(folder))


def _of_sweep(folder: Path) -> Iterator[Finding]:
    for name in dict.fromkeys(run.name for run in read_design(folder).runs):
        path = f"runs/{name}"
        if (folder / path / MANIFEST).exists():
            findings = _of_run(folder / path)
            yield from (replace(finding, path=f"{path}/{finding.path}") for finding in findings)
        elif read_row(folder, name).status == "succeeded":
            yield Finding(path, "is missing, although the run succeeded")


def _of_run(folder: Path) -> Iterator[Finding]:
    if links := list(_links(folder)):
        yield from links  # their targets are not read
        return
    try:
        manifest = read_content(folder)
        if problem := manifest_problem(folder):
            yield Finding(MANIFEST, problem)
        intact = IntegrityCheck(folder, manifest)
    except RunFolderError as error:
        yield Finding(MANIFEST, str(error))
        return
    if manifest.get("status") == "running":
        state = "is under way" if is_owned(folder) else "was killed"
        yield Finding(
            MANIFEST,
            f"shows that the run {state}: only files that its checkpoints depend on are verified",
            is_damage=False,
        )
        damaged = []
    else:
        damaged = [*intact.problems(), *intact.timings_problems()]
    yield from damaged
    yield from _checkpoints(folder, intact, {finding.path for finding in damaged})
    yield from _others(folder, {finding.path for finding in damaged})


def _links(folder: Path) -> Iterator[Finding]:
    links: Iterable[Path] = (folder / name for name in FILES if is_link(folder / name))
    for link in (*links, *(inner for name in FOLDERS for inner in links_below(folder / name))):
        yield Finding(
            link.relative_to(folder).as_posix(),
            "is a link, which no run writes; remove it and verify again",
        )


def _checkpoints(folder: Path, intact: IntegrityCheck, reported: set[str]) -> Iterator[Finding]:
    for checkpoint in checkpoints_of(folder):
        path = checkpoint.folder.relative_to(folder).as_posix()
        try:
            state = read(checkpoint)
            intact.check_owner(state)
            problems = intact.checkpoint_problems(state.plain)
        except RunFolderError as error:
            if checkpoint.folder.exists():  # an active run removes old checkpoints
                yield Finding(path, str(error))
            continue
        for problem in problems:
            if problem.path not in reported:
                reported.add(problem.path)
                yield problem


def _others(folder: Path, reported: set[str]) -> Iterator[Finding]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or is_link(path) or name in reported or _OWN.fullmatch(name):
            continue
        unfinished = _UNFINISHED.fullmatch(name)
        text = "was not written to its end" if unfinished else "is not a file of the run"
        yield Finding(name, text, is_damage=False)
