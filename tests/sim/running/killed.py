"""Runs in a process that can be killed: each folder on standard input begins a sitting.

What was imported once is there for all of them, which are forked from a process of one thread.
"""

import os
import sys
import time
from pathlib import Path

from memopolis import Polarization, resume


def society() -> Polarization:
    return Polarization(
        agents=40,
        days=50,
        rng=3,
        survey={"ask": "ces_d,gun_control", "every": 240},
        checkpoint={"every": 4},
    )


def sit(folder: Path) -> None:
    """Run, or go on; a step takes some milliseconds at least, so that kills find it alive."""

    def tell(done: int, *_: object) -> None:
        sys.stdout.write(f"step {done}\n")
        sys.stdout.flush()
        time.sleep(0.01)

    if (folder / "manifest.json").exists():
        resume(folder, progress=tell)
    else:
        society().run(folder, progress=tell)


def main() -> None:
    for folder in sys.stdin:
        pid = os.fork()
        if not pid:
            sit(Path(folder.strip()))
            os._exit(0)
        sys.stdout.write(f"pid {pid}\n")
        sys.stdout.flush()
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        sys.stdout.write(f"ended {code}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
