"""Texts as one array of bytes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.text.texts import pack_texts, unpack_texts


@given(st.lists(st.text()))
def test_texts_are_restored(texts: list[str]) -> None:
    kept = pack_texts(texts)
    assert kept.dtype == np.uint8
    assert unpack_texts(kept) == texts
    kept.flags.writeable = False
    assert unpack_texts(kept) == texts


def test_a_state_shares_memory_with_the_streams() -> None:
    memory = Memory(2)
    memory[0].stream.add("life", "It began.")
    assert np.shares_memory(memory.state()["streams/words"], memory.streams.words)
