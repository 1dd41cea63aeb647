"""The store of memories during a run: a copy of all streams in Qdrant."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memopolis.sim.recording.recorder import Recorder
    from memopolis.sim.society_base import SocietyBase


@contextmanager
def connected_store(society: "SocietyBase[Any]", recorder: "Recorder") -> Iterator[None]:
    """Connect the memories of all populations to the store that the settings name.

    Each population has its own collection, named after the run folder. A resumed run replaces
    the content of a collection; a new run refuses a collection that is not empty.

    Args:
        society: Society between two steps.
        recorder: Recorder of the run.

    Raises:
        ExtraError: If the package qdrant-client is not installed.
        ServerError: If the server does not answer.
        ParameterError: If a collection of a new run is not empty.
    """
    settings = society.settings.memory
    if settings.store == "arrays":
        yield
        return
    from memopolis.sim.memory.qdrant.store import QdrantStore, make_client

    client = make_client(settings.url, settings.path)
    memories = [population.memory for population in society.populations]
    try:
        for population in society.populations:
            name = f"{settings.collection}-{recorder.folder.name}-{population.name}"
            store = QdrantStore(client, name)
            if recorder.is_continued:
                store.clear()
            population.memory.connect(store)
        yield
        for memory in memories:
            memory.flush()
    finally:
        for memory in memories:
            memory.store = None
        client.close()
