"""The contract of a memory, over every profile and the embedders that need no extra."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.contracts.memory_contract import PROMISES, Contract, keep

from memopolis import Memory
from memopolis.sim.memory.retrieval.profiles import PROFILES
from memopolis.sim.memory.vectors.embedders.protocol import Embedder


class Letters:
    """A custom embedder: counts how often each letter occurs in a text."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = [[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts]
        return np.array(counts, np.float32).reshape(len(texts), 26)

    def token_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return the direction of each letter of each text."""
        directions = np.eye(26, dtype=np.float32)
        return [directions[[ord(c) - 97 for c in t.lower() if "a" <= c <= "z"]] for t in texts]


EMBEDDERS: dict[str, str | Embedder] = {"static": "static", "of one's own": Letters()}


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("promise", PROMISES)
def test_the_memory_contract_is_fulfilled(
    promise: str, profile: str, embedder: str, tmp_path: Path
) -> None:
    result = EMBEDDERS[embedder]
    contract = Contract(
        make=lambda agents, limit: Memory(agents, limit=limit, embedder=result),
        load=lambda folder: Memory.load(folder, embedder=result),
        profile=profile,
    )
    keep(contract, promise, tmp_path)
