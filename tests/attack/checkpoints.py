"""Checkpoints with invalid content and valid checksums, as a stranger could make.

The variants are derived from the descriptions of arrays (`variants.py`), so that a new array is
attacked without a new case.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import call
from tests.attack.crafted import Crafted, judge_crafted, spread
from tests.attack.variants import Variant, plain_variants, variants_of
from tests.attack.workshop import Workshop

if TYPE_CHECKING:
    from memopolis.sim.running.saved_run import SavedRun
    from memopolis.sim.state.state import State

_ARRAYS, _ARRAYS_AT_A_TIME = 800, 200
"""Variants of arrays of each checkpoint, and those of a case."""
_VALID = 100
"""Variants that a run could have saved, from which a step is made."""
_PLAIN, _SETTINGS = 100, 20
_BY_COMMAND = 8
_RUNS = ("killed", "opinions-killed")


def _newest(run: Path) -> "tuple[SavedRun, State]":
    from memopolis.sim.running.saved_run import SavedRun
    from memopolis.sim.state.checkpoints import checkpoints_of, read

    return SavedRun.read(run), read(checkpoints_of(run)[-1])


def _checkpoint_arrays(run: Path) -> Iterator[tuple[Variant, Callable[[], Any]]]:
    """Yield variants of the arrays of a checkpoint, and functions that restore its society."""
    from memopolis.sim.running.building import settings_of
    from memopolis.sim.state.rebuilding import built_for, describe_state, restore_read
    from memopolis.sim.state.state import State

    saved, state = _newest(run)
    settings = settings_of(state, saved.scenario)
    society = built_for(state, saved.scenario, settings)
    warm = built_for(state, saved.scenario, settings)
    restore_read(warm, state)
    warm.step()  # so that no child has to load compiled loops

    def restore(arrays: dict[str, Any], words: bool) -> Any:  # noqa: FBT001
        changed = State(arrays, state.plain)
        own = built_for(changed, saved.scenario, settings) if words else society
        restore_read(own, changed)
        return own

    for name, description in describe_state(society, state):
        for variant in variants_of(name, description, state.arrays[name]):
            arrays = {**state.arrays, name: variant.values}
            if variant.values is None:
                del arrays[name]
            words = name.endswith(("/topics", "/tags", "/texts/texts", "/texts/numbers"))
            yield variant, partial(restore, arrays, words)


def _restore_arrays(workshop: Workshop, *, run: str, first: int) -> Outcome:
    """Restore a society from checkpoints of which one array is invalid."""
    folder = workshop.shared(run)
    _, state = _newest(folder)
    variants = [
        Crafted(str(variant), partial(_is_same, restore, state))
        for variant, restore in _checkpoint_arrays(folder)
        if not variant.is_valid
    ]
    chosen = spread(variants, _ARRAYS)[first : first + _ARRAYS_AT_A_TIME]
    return judge_crafted(chosen, _ARRAYS_AT_A_TIME)


def _is_same(restore: Callable[[], Any], state: "State") -> bool:
    """Return whether a restored society has the state that was saved."""
    from memopolis.sim.state.state import state_of

    now = state_of(restore())
    return all(
        now.arrays[name].dtype == values.dtype
        and np.array_equal(now.arrays[name], values, equal_nan=values.dtype.kind == "f")
        for name, values in state.arrays.items()
    ) and json.loads(json.dumps(now.plain)) == {
        name: value for name, value in state.plain.items() if name != "position"
    }


def _step_from(workshop: Workshop, *, run: str) -> Outcome:
    """Make a step from checkpoints with values that are unusual, but that a run could have."""

    def step(restore: Callable[[], Any]) -> bool:
        restore().step()
        return False

    variants = [
        Crafted(str(variant), partial(step, restore))
        for variant, restore in _checkpoint_arrays(workshop.shared(run))
        if variant.is_valid
    ]
    return judge_crafted(spread(variants, _VALID), _VALID, differing=True)


def _restore_plain(workshop: Workshop, *, run: str) -> Outcome:
    """Restore a society from checkpoints of which one plain value is invalid."""
    from memopolis.sim.run_folder.integrity import IntegrityCheck
    from memopolis.sim.running.saved_run import Restored
    from memopolis.sim.state.checkpoints import checkpoints_of, read
    from memopolis.sim.state.saving import write_state
    from memopolis.sim.state.state import State

    saved, state = _newest(workshop.shared(run))
    copy = workshop.copy(run)
    checkpoint = checkpoints_of(copy)[-1]

    def restore(plain: dict[str, Any]) -> bool:
        write_state(State(dict(state.arrays), plain), checkpoint.folder, replace=True)

        def again() -> Any:
            restored = Restored(saved, saved.settings, IntegrityCheck(copy, saved.manifest))
            restored.check(read(checkpoint))
            return restored.complete()[0]

        return _is_same(again, state)

    variants = [
        Crafted(how, partial(restore, plain))
        for how, plain in plain_variants(state.plain)
        if not how.startswith(_FREE)
    ]
    settings = [one for one in variants if one.name.startswith("settings.")]
    others = [one for one in variants if not one.name.startswith("settings.")]
    return judge_crafted([*spread(settings, _SETTINGS), *spread(others, _PLAIN)], _PLAIN)


_FREE = ("measured.", "collected.", "position.", "policies", "rng.state.")
"""Plain values of a state whose entries may be any."""


def _resume(workshop: Workshop, *, run: str) -> Outcome:
    """Resume copies of a killed run by the command line, with invalid newest checkpoints."""
    from memopolis.sim.state.checkpoints import checkpoints_of
    from memopolis.sim.state.saving import write_state
    from memopolis.sim.state.state import State

    _, state = _newest(workshop.shared(run))
    invalid = [v for v, _ in _checkpoint_arrays(workshop.shared(run)) if not v.is_valid]
    kept = [v for v in invalid if v.values is not None and v.values.dtype.kind != "V"]
    faults, counted = [], Counter[str]()
    expected = workshop.copy(run, "expected")
    call("resume", "expected", "--no-report", cwd=workshop.folder)
    digests = _digests(expected)
    for number, variant in enumerate(spread(kept, _BY_COMMAND)):
        copy = workshop.copy(run, f"run-{number}")
        arrays: dict[str, Any] = {**state.arrays, variant.name: variant.values}
        folder = checkpoints_of(copy)[-1].folder
        write_state(State(arrays, state.plain), folder, replace=True)
        result = call("resume", copy.name, "--no-report", cwd=workshop.folder)
        faults += [f"{variant}: {fault}" for fault in result.crash_faults()]
        if result.code == 0 and _digests(copy) != digests:
            faults.append(f"{variant}: the tables differ")
        counted["earlier checkpoint" if result.code == 0 else "refused"] += 1
        shutil.rmtree(copy)
    return judge(faults, ", ".join(f"{n} {kind}" for kind, n in counted.items()))


def _digests(run: Path) -> object:
    from memopolis.analysis.run.tables import table_digests

    return table_digests(run)


CASES = [
    *(
        Case(
            f"restore {run}, invalid arrays {first + 1} to {first + _ARRAYS_AT_A_TIME}",
            "each refused, 0 crashes, hangs and tracebacks",
            partial(_restore_arrays, run=run, first=first),
        )
        for run in _RUNS
        for first in range(0, _ARRAYS, _ARRAYS_AT_A_TIME)
    ),
    *(
        Case(
            f"restore {run} from unusual values, and make a step",
            "accepted or refused, 0 crashes, hangs and tracebacks",
            partial(_step_from, run=run),
        )
        for run in _RUNS
    ),
    *(
        Case(
            f"restore {run}, {_PLAIN + _SETTINGS} invalid plain values",
            "each refused, 0 crashes, hangs and tracebacks",
            partial(_restore_plain, run=run),
        )
        for run in _RUNS
    ),
    Case(
        f"resume opinions-killed with {_BY_COMMAND} invalid newest checkpoints",
        "the same tables, from an earlier checkpoint",
        partial(_resume, run="opinions-killed"),
    ),
]
