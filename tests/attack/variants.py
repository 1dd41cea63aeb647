"""Invalid variants of saved arrays and plain values, from the descriptions that readers check.

    for variant in variants_of("next", description, values):
        print(variant)  # next: one value below the least

A new array is attacked without new code here, since its description says what is invalid.
"""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.saving.arrays import SavedTexts
from memopolis.sim.memory.text.texts import pack_texts, unpack_texts
from memopolis.sim.saved_arrays import SavedArray

type Array = NDArray[Any]

_TYPES = ("<f8", "<i8", "<U2", "<c16", "<M8[s]")
_HUGE = 10**30


@dataclass(frozen=True)
class Variant:
    """An array that differs from the saved one, or None to remove it."""

    name: str
    how: str
    values: Array | None
    is_valid: bool = False  # whether a run could have saved it

    def __str__(self) -> str:
        return f"{self.name}: {self.how}"


def variants_of(name: str, description: SavedArray, values: Array) -> Iterator[Variant]:
    """Yield variants of an array; those that fit the description are marked as valid."""
    yield Variant(name, "missing", None)
    if isinstance(description, SavedTexts):
        yield from (Variant(name, how, bad) for how, bad in _packed(description, values))
        return
    for how, changed in (*_types(description, values), *_shapes(values)):
        yield Variant(name, how, changed, not description.problem(changed))
    if description.split is None:
        yield from _contents(name, description, values, lambda changed: changed)
        return
    for part, own in description.parts.items():

        def inserted(changed: Array, part: str = part) -> Array:
            whole = values.copy()
            assert description.split is not None
            description.split(whole)[part][:] = changed
            return whole

        original = description.split(values)[part]
        for variant in _contents(f"{name}, {part}", own, original, lambda changed: changed):
            assert variant.values is not None
            yield Variant(name, str(variant), inserted(variant.values), variant.is_valid)


def _types(description: SavedArray, values: Array) -> Iterator[tuple[str, Array]]:
    """Yield the array in the first two types that are not allowed, and as structured bytes."""
    wrong = [kind for kind in _TYPES if description.problem(np.zeros(values.shape, kind))]
    for kind in wrong[:2]:
        yield f"type {kind}", np.zeros(values.shape, kind)
    yield "type of bytes", np.zeros(values.shape, "V4")


def _shapes(values: Array) -> Iterator[tuple[str, Array]]:
    yield "one more axis", values[None].copy()
    if values.ndim:
        yield "no axis", np.zeros((), values.dtype)
        yield (
            "one entry more",
            np.concatenate([values, np.zeros_like(values, shape=(1, *values.shape[1:]))]),
        )
    if len(values.shape) and len(values):
        yield "one entry fewer", values[:-1].copy()
        yield "empty", values[:0].copy()
    if values.ndim > 1:
        yield "one column more", np.concatenate([values, values[:, :1]], axis=1)


def _contents(
    name: str, description: SavedArray, values: Array, inserted: Callable[[Array], Array]
) -> Iterator[Variant]:
    """Yield variants of the values."""
    seen = {values.tobytes()}
    for how, changed in _changes(description, values):
        key = changed.tobytes()
        if key not in seen:
            seen.add(key)
            yield Variant(name, how, inserted(changed), not description.problem(changed))


def _changes(description: SavedArray, values: Array) -> Iterator[tuple[str, Array]]:
    if not values.size:
        return
    for how, number in _numbers(description, values.dtype):
        changed = values.copy()
        changed.flat[values.size // 2] = number
        yield f"one value {how}", changed
        yield f"all values {how}", np.full_like(values, number)
    if values.size > 1:
        yield "in reverse order", values[::-1].copy()
        repeated = values.copy()
        repeated.flat[1] = repeated.flat[0]
        yield "a value repeated", repeated


def _numbers(description: SavedArray, dtype: "np.dtype[Any]") -> Iterator[tuple[str, Any]]:
    if dtype.kind == "f":
        yield from (("nan", np.nan), ("infinite", np.inf), ("negative", -1.0), ("huge", 1e30))
        return
    if dtype.kind not in "iu":
        return
    least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
    bounds = [("negative", -1), ("least of the type", least), ("greatest of the type", greatest)]
    if description.low is not None:
        bounds.append(("below the least", int(description.low) - 1))
    if description.high is not None:
        bounds.append(("above the greatest", int(description.high) + 1))
    if description.allowed:
        bounds.append(("not allowed", max(description.allowed) + 1))
    for how, number in bounds:
        if least <= number <= greatest:
            yield how, number


def _packed(description: SavedTexts, values: Array) -> Iterator[tuple[str, Array]]:
    """Yield invalid arrays of texts."""
    texts = unpack_texts(values)
    yield "type", values.astype(np.int64)
    yield "cut off", values[:-1]
    yield "without the number of texts", values[:7]
    for how, number in (("huge", 2**62), ("negative", -1), ("one more", len(texts) + 1)):
        changed = values.copy()
        changed[:8] = np.array([number], "<i8").view(np.uint8)
        yield f"{how} number of texts", changed
    if len(texts) > 1:
        changed = values.copy()
        ends = changed[8 : 8 * (len(texts) + 1)].view("<i8")
        ends[0], ends[1] = ends[1] + 1, ends[0]
        yield "ends out of order", changed
        yield "a text twice", pack_texts([texts[0], *texts[:-1]])
    if texts and texts[-1]:
        changed = values.copy()
        changed[-1] = 255
        yield "not UTF-8", changed
    if description.most < 10_000:
        yield "too many texts", pack_texts([*texts, *map(str, range(description.most + 1))])
    if description.first:
        yield "without the first texts", pack_texts(texts[1:])


def plain_variants(plain: Any, *, depth: int = 3) -> Iterator[tuple[str, Any]]:
    """Yield plain values with one entry missing, of another type, or out of any range.

    Of lists, the first entry is changed.
    """
    for path in _paths(plain, depth):
        for how, change in _EDITS.items():
            changed = copy.deepcopy(plain)
            if change(changed, path):
                yield f"{'.'.join(map(str, path))}: {how}", changed


def _paths(value: Any, depth: int) -> Iterator[tuple[Any, ...]]:
    if not depth or not value:
        return
    entries = value.items() if isinstance(value, dict) else [(0, value[0])]
    for key, inner in entries:
        yield (key,)
        if isinstance(inner, dict | list):
            yield from ((key, *path) for path in _paths(inner, depth - 1))


def _edit(new: Callable[[Any], Any]) -> Callable[[Any, tuple[Any, ...]], bool]:
    """Return a function that replaces the entry at a path, if its new value has another type."""

    def change(plain: Any, path: tuple[Any, ...]) -> bool:
        *groups, key = path
        for group in groups:
            plain = plain[group]
        before = plain[key]
        plain[key] = new(before)
        return plain[key] is not None and plain[key] != before

    return change


def _delete(plain: Any, path: tuple[Any, ...]) -> bool:
    *groups, key = path
    for group in groups:
        plain = plain[group]
    if isinstance(plain, list):
        return False
    del plain[key]
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_EDITS: dict[str, Callable[[Any, tuple[Any, ...]], bool]] = {
    "missing": _delete,
    "of another type": _edit(lambda old: 3 if not _is_number(old) else [old]),
    "a text": _edit(lambda old: None if isinstance(old, str) else "x"),
    "negative": _edit(lambda old: -(10**9) if _is_number(old) else None),
    "huge": _edit(lambda old: _HUGE if _is_number(old) else None),
    "nan": _edit(lambda old: float("nan") if isinstance(old, float) else None),
    "with an unknown entry": _edit(
        lambda old: {**old, "unknown entry": 1} if isinstance(old, dict) else None
    ),
}
