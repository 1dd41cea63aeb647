"""Damage to single files of run folders: refused, repaired exactly, or reported, never silent."""

import shutil
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import call
from tests.attack.workshop import Workshop

_COUNT = 50
"""Damages to each of two runs: one that has ended, one that was killed."""
_AT_A_TIME = 10
_SEED = 1


def _damages(workshop: Workshop, *, source: str, first: int) -> Outcome:
    """Damage copies of a run, then verify and resume them by the command line."""
    from tests.attack.damages import content_of, damages

    run = workshop.shared(source)
    undisturbed = content_of(workshop.shared("finished"))
    chosen = list(damages(run, _COUNT, _SEED))[first : first + _AT_A_TIME]
    verdicts: list[str] = []
    faults = [] if len(chosen) == _AT_A_TIME else [f"only {len(chosen)} damages"]
    for damage in chosen:
        copy = workshop.folder / "run"
        shutil.copytree(run, copy)
        damage.apply(copy)
        verdict = _verdict(copy, lambda folder: content_of(folder) == undisturbed)
        faults += [f"{damage.describe()}: {verdict}"] if verdict not in _NOTICED else []
        verdicts.append(verdict)
        shutil.rmtree(copy)
    counted = Counter(verdicts)
    return judge(faults, ", ".join(f"{counted[name]} {name}" for name in (*_NOTICED, "silent")))


_NOTICED = ("refused", "repaired", "reported")


def _verdict(run: Path, is_undisturbed: Callable[[Path], bool]) -> str:
    """Verify and resume a damaged run and return what became of the damage."""
    verified = call("verify", run.name, cwd=run.parent)
    resumed = call("resume", run.name, "--no-report", cwd=run.parent)
    crashed = verified.crash_faults() + resumed.crash_faults()
    if crashed:
        return crashed[0]
    if resumed.code:
        return "refused"
    if is_undisturbed(run) and call("verify", run.name, cwd=run.parent).code == 0:
        return "repaired"
    return "reported" if verified.code else "silent"


def _delete(part: Path) -> None:
    part.unlink()


def _shorten(part: Path) -> None:
    part.write_bytes(part.read_bytes()[:-1])


def _duplicate(part: Path) -> None:
    shutil.copy(part, part.with_name("part-00099.parquet"))


_READING = (
    ("show", "run", "--agent", "1"),
    ("query", "run", "select count(*) from memories"),
    ("report", "run"),
    ("compare", "run", "other"),
)


def _read(workshop: Workshop, *, damage: Callable[[Path], None]) -> Outcome:
    """Damage a part of a finished run, then read the run."""
    run = workshop.copy("finished")
    workshop.copy("finished", "other")
    damage(run / "tables" / "memories" / "part-00001.parquet")
    results = {words[0]: call(*words, cwd=workshop.folder) for words in _READING}
    faults = [f"{name}: {fault}" for name, one in results.items() for fault in one.refusal_faults()]
    return judge(faults, f"{len(results)} refused: {results['show'].summary}")


CASES = [
    *(
        Case(
            f"verify and resume a {source} run, damages {first + 1} to {first + _AT_A_TIME} "
            f"of {_COUNT}",
            "0 silent: each refused, repaired exactly, or reported",
            partial(_damages, source=source, first=first),
        )
        for source in ("finished", "killed")
        for first in range(0, _COUNT, _AT_A_TIME)
    ),
    *(
        Case(
            f"show, query, report and compare a finished run with a part {what}",
            "each refused in one line",
            partial(_read, damage=damage),
        )
        for what, damage in (
            ("missing", _delete),
            ("one byte shorter", _shorten),
            ("too many", _duplicate),
        )
    ),
]
