"""The memory of an assistant in a folder, shared by all processes that serve it.

    memory.lock      held while the memory is read or changed
    version-6/       the memory before that change, used if version 7 is damaged
    version-7/       the memory after its seventh change, as `Memory.load` reads it

A change writes a new version under the lock, and removes older ones once it is on disk. So a
process that is killed and a power failure lose only the change that was being made, and concurrent
writers lose nothing.
"""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

from filelock import FileLock, Timeout

from memopolis.sim.errors import RunFolderError, StateError, reason_of
from memopolis.sim.files import (
    WRITING,
    links_below,
    refuse_links,
    remove_files,
    synced_folder,
    writing_to,
)
from memopolis.sim.memory.context_tags import ContextExtractor
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.filter import ALWAYS
from memopolis.sim.memory.saving.folder import FILES
from memopolis.sim.memory.views.memories import AgentMemory

MOST_MEMORIES = 1_000_000  # maximum number of memories; the oldest is evicted first
EMBEDDER = "static"  # the embedder, which needs no server and no model file
_LOCK_TIMEOUT = 60  # seconds to wait for another process
_VERSION = "version-"


class OwnMemory:
    """The memory of one assistant; a tick is a minute since 1970 (UTC).

    Raises RunFolderError if the folder cannot be used, or contains other files or a broken memory.
    """

    _newest: int  # number of the newest version
    _version: int  # number of the version that was read

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = Lock()
        self._forget_read()
        refuse_links(folder, *links_below(folder))  # the lock file, too, is opened for writing
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file_lock = FileLock(folder / "memory.lock", timeout=_LOCK_TIMEOUT)
            names = sorted(path.name for path in folder.iterdir())
        except OSError as error:
            raise RunFolderError(f"{folder} cannot be used: {reason_of(error)}") from None
        for name in names:
            if name != "memory.lock" and not name.startswith(_VERSION):
                raise RunFolderError(
                    f"{folder} contains other files, such as {name}; name a folder for the memory "
                    "alone"
                )
        with self.reading():  # a broken memory is rejected at the start
            pass

    @contextmanager
    def reading(self) -> Iterator[AgentMemory]:
        """Yield the memory for reading, without recording an access."""
        with self._current() as memory:
            yield memory.observed[0]

    @contextmanager
    def changing(self, *, keeps_previous: bool = True) -> Iterator[AgentMemory]:
        """Yield the memory, and save it at the end; an error leaves it unchanged.

        The version before the change is kept, or removed with all that it contains.
        """
        with self._current() as memory:
            try:
                yield memory[0]
                self._save(memory, keeps_previous=keeps_previous)
            except BaseException:
                self._forget_read()
                raise

    @contextmanager
    def _current(self) -> Iterator[Memory]:
        """Yield the newest version, whose clock is the current minute.

        That may be before the last change, so a clock that was wrong dates only the memories that
        were stored meanwhile.
        """
        try:
            with self._lock, self._file_lock:
                versions = sorted(self._versions(), reverse=True)
                if not versions:
                    self._forget_read()
                elif versions[0] != self._newest:
                    self._version, self._memory = self._read_newest_of(versions)
                    self._newest = versions[0]
                memory = self._memory
                memory.now = max(0, int(time.time() // 60))  # noqa: TID251 - lives in the present
                offset = date_of(memory.now).astimezone().utcoffset() or timedelta()
                memory.day_offset = offset // timedelta(minutes=1)
                yield memory
        except Timeout:
            raise StateError("another process keeps the memory locked; try again") from None

    def _forget_read(self) -> None:
        """Read the newest version again at the next use."""
        self._newest = self._version = 0
        self._memory = _with_calendar(Memory(1, limit=MOST_MEMORIES, embedder=EMBEDDER))

    def _read_newest_of(self, versions: list[int]) -> tuple[int, Memory]:
        """Return the first version that is not damaged, and warn of those that are.

        Raises RunFolderError if each is damaged, or that version is of another kind, and TrustError
        if it names an embedder.
        """
        damaged: list[RunFolderError] = []
        for version in versions:
            path = self._path(version)
            refuse_links(path, *(path / name for name in FILES))
            try:
                memory = Memory.load(path)
            except RunFolderError as error:
                damaged.append(error)
                continue
            if len(memory) != 1:
                raise RunFolderError(
                    f"the memory in {path} belongs to {len(memory)} agents, not to one"
                )
            for problem in damaged:
                message = f"{problem}; continuing from the earlier {path.name}"
                warnings.warn(message, RuntimeWarning, stacklevel=2)
            return version, _with_calendar(memory)
        raise damaged[0]

    def _save(self, memory: Memory, *, keeps_previous: bool) -> None:
        unfinished = self.folder / f"{_VERSION}next{WRITING}"
        remove_files(unfinished, FILES)
        version = self._newest + 1
        # Of the row, since the texts of a whole memory include those that no memory has any more.
        memory.save(unfinished, rows=[0])
        with writing_to(self.folder):
            unfinished.rename(self._path(version))
            synced_folder(self.folder)
        if not keeps_previous:
            Memory.load(self._path(version))  # before all others are removed
        kept = {version, self._version} if keeps_previous else {version}
        for number in set(self._versions()) - kept:
            remove_files(self._path(number), FILES)
        self._newest = self._version = version

    def _versions(self) -> list[int]:
        names = (path.name.removeprefix(_VERSION) for path in self.folder.glob(f"{_VERSION}*"))
        return [int(name) for name in names if name.isdecimal() and name.isascii()]

    def _path(self, version: int) -> Path:
        return self.folder / f"{_VERSION}{version}"


def date_of(tick: int) -> datetime:
    """Return the local date and time of a tick, without a time zone as all dates of a memory.

    `fold` is 1 in the second of two equal hours, when daylight saving time ends.
    """
    return datetime.fromtimestamp(60 * tick)


def tick_of(date: datetime) -> int:
    """Return the tick of a date and time, local without a time zone; at most that of a memory."""
    first, last = ALWAYS
    try:
        return min(max(int(date.timestamp() // 60), first), last)
    except (OverflowError, ValueError, OSError):  # a date that the system cannot convert
        return first if date.year < date_of(0).year else last


def _with_calendar(memory: Memory) -> Memory:
    """Set what is not saved."""
    memory.ticks_per_day = 24 * 60
    memory.date_of = date_of
    memory.extractor = ContextExtractor()
    return memory
