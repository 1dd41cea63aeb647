"""Locks that give a run one owner; the system releases them when the owner dies.

The file of a lock is never removed: only the lock matters, not the existence of the file.
"""

import errno
import sys
import warnings
from pathlib import Path

from filelock import FileLock, Timeout

_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP}
"""Errors of file systems without locks, such as some network file systems."""


def take(path: Path) -> FileLock | None:
    """Acquire a lock, for any thread to release; None if it is held. Warn without locks."""
    lock = FileLock(path, blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    except NotImplementedError:
        _warn_without_locks(path)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        _warn_without_locks(path)
    return lock


def is_held(path: Path) -> bool:
    """Return whether a process holds a lock; False where this cannot be determined.

    Read access to the file is enough, and concurrent calls do not disturb each other.
    """
    if sys.platform == "win32":
        return _is_refused(path)
    try:
        import fcntl

        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # freed when the file is closed
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    except OSError:
        return _is_refused(path)
    return False


def _is_refused(path: Path) -> bool:
    """Check a lock by acquiring it, for systems with other kinds of locks."""
    lock = FileLock(path, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        return True
    except (NotImplementedError, OSError):
        return False
    lock.release()
    return False


def _warn_without_locks(path: Path) -> None:
    message = (
        f"the file system of {path.parent} has no locks: make sure that nothing else runs there"
    )
    warnings.warn(message, RuntimeWarning, stacklevel=5)
