"""Pages grow in place, in reserved addresses where the system has them."""

import mmap

import numpy as np
import pytest

from memopolis.sim.memory.streams import layout
from memopolis.sim.memory.streams.layout import lengthen

LARGE = 1 << 20


@pytest.mark.parametrize("most", [0, LARGE, 4 * LARGE])
def test_values_are_kept_whatever_is_reserved(most: int) -> None:
    words = np.arange(1000, dtype=np.int32)
    for length in (2000, LARGE, LARGE + 1, 2 * LARGE, 5 * LARGE):
        before = words.copy()
        words = lengthen(words, length, most)
        assert len(words) == length
        assert (words[: len(before)] == before).all()
        words[len(before) :] = np.arange(len(before), length)


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="Linux only")
def test_reserved_addresses_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    first = lengthen(np.zeros(10, np.int32), LARGE, 3 * LARGE)
    longer = lengthen(first, 3 * LARGE, 3 * LARGE)
    assert longer.ctypes.data == first.ctypes.data

    def refuse(*_: object, **__: object) -> None:
        raise OSError("no addresses")

    monkeypatch.setattr(mmap, "mmap", refuse)
    longer[:] = 7
    copied = lengthen(longer, 4 * LARGE, 4 * LARGE)
    assert (copied[: 3 * LARGE] == 7).all()
    assert not copied[3 * LARGE :].any()


def test_other_systems_resize(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(mmap, "MADV_HUGEPAGE", raising=False)
    assert layout._reserve(LARGE, LARGE) is None
    words = lengthen(np.arange(10, dtype=np.int32), 2 * LARGE, 2 * LARGE)
    assert words[:10].tolist() == list(range(10))
    assert words.base is None


def test_limited_addresses_are_not_reserved(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (2**33, 2**33))
    assert layout._reserve(LARGE, LARGE) is None
