"""Damages to single files of a run's folder, and what the engine makes of each.

    for damage in damages(run, 100, seed=1):
        copy = shutil.copytree(run, place)
        damage.apply(copy)
        print(damage.describe(), judge(copy, undisturbed))

Every kind of file has its turn: parts of tables, memories at the end, timings, the manifest, and
both files of checkpoints. Only reports and the lock, which hold no data, are left alone.
"""

import shutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memopolis import load_run, resume, verify
from memopolis.analysis.run.tables import table_digests
from memopolis.errors import MemopolisError
from memopolis.sim.checksums import record_of_file

KINDS = ("delete", "empty", "truncate", "shorten", "flip", "append", "swap", "replace", "duplicate")
"""What is done to a file; the last three take another file of the same run."""
_LEFT_ALONE = {"run.lock", "report.html"}


@dataclass(frozen=True)
class Damage:
    """One change to one file, or to two that are swapped.

    Attributes:
        run: Folder of the run for which it was made up.
        kind: One of `KINDS`.
        path: Of the file within the folder.
        other: Of the other file, "" for none.
        at: Where in the file, as a share of its length.
    """

    run: Path
    kind: str
    path: str
    other: str = ""
    at: float = 0.5

    def describe(self) -> str:
        """What is done, in a few words."""
        match self.kind:
            case "swap" | "replace" | "duplicate":
                return f"{self.kind} {self.path} and {self.other}"
            case "flip" | "truncate":
                return f"{self.kind} {self.path} at {self.at:.0%}"
        return f"{self.kind} {self.path}"

    def apply(self, run: Path | None = None) -> None:
        """Do it.

        Args:
            run: A copy of the run; None for the run itself.
        """
        folder = self.run if run is None else run
        file, other = folder / self.path, folder / self.other
        content = bytearray(file.read_bytes())
        at = int(self.at * len(content))
        match self.kind:
            case "delete":
                file.unlink()
            case "empty":
                file.write_bytes(b"")
            case "truncate":
                file.write_bytes(content[:at])
            case "shorten":
                file.write_bytes(content[:-1])
            case "flip":
                content[at] ^= 1
                file.write_bytes(content)
            case "append":
                file.write_bytes(content + b"\n")
            case "swap":
                file.write_bytes(other.read_bytes())
                other.write_bytes(content)
            case "replace":
                file.write_bytes(other.read_bytes())
            case "duplicate":
                other.write_bytes(content)


def damages(run: Path, count: int, seed: int) -> Iterator[Damage]:
    """Make up damages to a run, over all of its files and all kinds.

    Args:
        run: Its folder, which is only read.
        count: How many.
        seed: Of what is drawn: where in a file, and which other file.

    Yields:
        The damages, which leave no file as it was.
    """
    draw = np.random.default_rng(seed)
    files = _files(run)
    pairs = [(file, kind) for kind in KINDS for file in files]
    order = [pairs[int(i)] for i in draw.permutation(len(pairs))]
    # The files of small groups, such as the manifest, come as often as the many parts of tables.
    groups = [[p for p in order if _group(p[0]) == group] for group in sorted(map(_group, files))]
    groups = [group for i, group in enumerate(groups) if group not in groups[:i]]
    made = 0
    while made < count and any(groups):
        for group in groups:
            damage = None
            while group and damage is None:
                damage = _damage(run, *group.pop(), draw)
            if damage is not None and made < count:
                made += 1
                yield damage


def _files(run: Path) -> list[str]:
    result = (p.relative_to(run).as_posix() for p in run.rglob("*") if p.is_file())
    return sorted(path for path in result if path not in _LEFT_ALONE)


def _group(path: str) -> str:
    """What kind of file it is: the folder, and the name in a checkpoint."""
    top, _, rest = path.partition("/")
    return rest.rpartition("/")[2] if top == "checkpoints" else top


def _damage(run: Path, path: str, kind: str, draw: np.random.Generator) -> Damage | None:
    """One damage; None where it would change nothing, or nothing is there to take."""
    at = float(draw.random())
    if kind in {"truncate", "shorten", "empty", "flip"} and not (run / path).stat().st_size:
        return None
    if kind == "duplicate":
        return _duplicate(run, path)
    if kind not in {"swap", "replace"}:
        return Damage(run, kind, path, at=at)
    mine = record_of_file(run / path)
    like = [
        other
        for other in _files(run)
        if _group(other) == _group(path) and record_of_file(run / other) != mine
    ]
    return Damage(run, kind, path, like[int(draw.integers(len(like)))]) if like else None


def _duplicate(run: Path, path: str) -> Damage | None:
    """A part of a table once more, as its next part."""
    if not path.startswith("tables/"):
        return None
    folder = Path(path).parent
    number = len(list((run / folder).glob("part-*.parquet")))
    return Damage(run, "duplicate", path, (folder / f"part-{number:05d}.parquet").as_posix())


def content_of(run: Path) -> dict[str, str]:
    """Hashes of all that a run recorded: its tables, and what agents remember at the end."""
    held = {p.name: record_of_file(p).crc32 for p in sorted((run / "memory").glob("*.parquet"))}
    return table_digests(run) | held


def judge(run: Path, undisturbed: dict[str, str]) -> str:
    """Read, verify and resume a damaged run, and say what became of the damage.

    Args:
        run: Its folder, which is changed.
        undisturbed: As `content_of` gives it, of the same run never damaged.

    Returns:
        "refused" (it is not resumed), "repaired" (all that it records is as undisturbed),
        "reported" (by `load_run` or `verify`), or, if none of these, "silent".
    """
    result = _reported(run)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        try:
            resume(run)
        except MemopolisError:
            return "refused"
    if content_of(run) != undisturbed:
        return "silent"
    if not any(one.is_damage for one in verify(run)):
        return "repaired"
    return "reported" if result else "silent"


def _reported(run: Path) -> bool:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            load_run(run)
        except MemopolisError:
            return True
        return bool(heard) or any(one.is_damage for one in verify(run))


def copy_of(run: Path, place: Path) -> Path:
    """Copy a run, in place of the last copy."""
    shutil.rmtree(place, ignore_errors=True)
    return shutil.copytree(run, place)
