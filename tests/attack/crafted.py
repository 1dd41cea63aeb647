"""Read crafted files, each in a forked process of its own, and count what happened."""

import gc
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from tests.attack.case import Outcome, judge
from tests.attack.forked import Verdict, forked

_SECONDS = 30.0


class Crafted(NamedTuple):
    """A variant, and what reads it; it returns whether the content is that of the original."""

    name: str
    read: Callable[[], bool]


def judge_crafted(variants: list[Crafted], least: int, *, differing: bool = False) -> Outcome:
    """Read all variants; `differing` says whether content that differs may be accepted."""
    counted, faults = Counter[str](), []
    gc.freeze()  # forked processes share the memory
    for variant in variants:
        kind = _kind_of(forked(variant.read, seconds=_SECONDS))
        if kind not in ("refused", "harmless") and not (differing and kind == "accepted"):
            faults.append(f"{variant.name}: {kind}")
        counted[kind if kind in ("refused", "harmless", "accepted") else "faults"] += 1
    if len(variants) < least:
        faults.append(f"only {len(variants)} variants")
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counted.items()))
    return judge(faults, f"{len(variants)} variants: {kinds}")


def _kind_of(verdict: Verdict) -> str:
    if verdict.fault:
        return verdict.fault
    return "refused" if verdict.refusal else "harmless" if verdict.result else "accepted"


def spread[T](items: list[T], count: int) -> list[T]:
    """Return at most so many items, evenly spread."""
    return [items[at] for at in np.linspace(0, len(items) - 1, min(count, len(items))).astype(int)]
