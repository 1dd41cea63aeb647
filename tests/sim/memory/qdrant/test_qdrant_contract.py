"""The contract of a memory, kept by streams in Qdrant."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.contracts.memory_contract import PROMISES, Contract, keep

from memopolis.sim.memory.retrieval.profiles import PROFILES

if find_spec("qdrant_client") is None:
    pytest.skip("needs the extra qdrant", allow_module_level=True)

from qdrant_client import QdrantClient

from memopolis.sim.memory.qdrant.memory import QdrantMemory

pytestmark = pytest.mark.extras


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("promise", PROMISES)
def test_every_promise_is_kept(promise: str, profile: str, tmp_path: Path) -> None:
    def make(agents: int, limit: int) -> QdrantMemory:
        return QdrantMemory(agents, client=QdrantClient(":memory:"), limit=limit)

    contract = Contract(
        make=make,
        load=lambda folder: QdrantMemory.load(folder, client=QdrantClient(":memory:")),
        profile=profile,
    )
    keep(contract, promise, tmp_path)
