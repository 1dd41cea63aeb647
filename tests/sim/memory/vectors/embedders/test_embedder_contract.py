"""The contract of a memory, over the embedders that need an extra."""

from pathlib import Path

import pytest
from tests.contracts.memory_contract import PROMISES, Contract, keep

from memopolis import Memory
from memopolis.sim.memory.retrieval.profiles import PROFILES

pytestmark = pytest.mark.extras


@pytest.fixture
def embedder(request: pytest.FixtureRequest) -> str:
    """Name of an embedder that runs on this machine without a network."""
    if request.param == "fastembed":
        return f"fastembed:{request.getfixturevalue('model_folder')}"
    if request.param == "openai":
        return f"openai:smollm2@{request.getfixturevalue('llama_server')}"
    return "minilm"


VECTORS = "town"
"""A profile that searches by vectors, others by words: for the slow embedder, this one is tried."""
TRIED = [
    *(("minilm", profile) for profile in PROFILES),
    *(("fastembed", profile) for profile in PROFILES if profile != "late_interaction"),
    ("openai", VECTORS),
]


@pytest.mark.parametrize(("embedder", "profile"), TRIED, indirect=["embedder"])
@pytest.mark.parametrize("promise", PROMISES)
def test_the_memory_contract_is_fulfilled(
    promise: str, profile: str, embedder: str, tmp_path: Path
) -> None:
    contract = Contract(
        make=lambda agents, limit: Memory(agents, limit=limit, embedder=embedder),
        load=lambda folder: Memory.load(folder, embedder=embedder),
        profile=profile,
    )
    keep(contract, promise, tmp_path)
