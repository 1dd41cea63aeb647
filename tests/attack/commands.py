"""The command line under attack, as the installed command or inside this process.

A process takes one to two seconds to start. Where a case needs many commands they are called
inside the worker process, through the same typer application.
"""

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

TRACEBACK = "Traceback (most recent call last)"
_PREFIX = "memopolis: "
_POLL = 0.02


@dataclass(frozen=True)
class CommandResult:
    """What a command did.

    Attributes:
        code: Exit code; negative if a signal ended the process, None if it took too long.
        stdout: Standard output.
        stderr: Standard error.
        seconds: Duration.
        peak_mb: Largest resident memory of the process in megabytes; 0 inside this process.
    """

    code: int | None
    stdout: str
    stderr: str
    seconds: float
    peak_mb: float = 0.0

    @property
    def errors(self) -> list[str]:
        """The lines of standard error that report an error, without their prefix."""
        lines = self.stderr.splitlines()
        return [line.removeprefix(_PREFIX) for line in lines if line.startswith(_PREFIX)]

    @property
    def summary(self) -> str:
        """The exit code and the last error."""
        last = self.errors[-1] if self.errors else ""
        return f"exit code {self.code}{': ' if last else ''}{last}"

    def crash_faults(self) -> list[str]:
        """Return what is wrong with any command: a traceback, a signal, a timeout."""
        faults = []
        if TRACEBACK in self.stdout + self.stderr:
            faults.append(f"traceback: {self.stderr.strip().splitlines()[-1]}")
        if self.code is None:
            faults.append(f"did not end within {self.seconds:.0f} s")
        elif self.code < 0:
            faults.append(f"ended by {signal.Signals(-self.code).name}")
        return faults

    def refusal_faults(self) -> list[str]:
        """Return why this is no refusal in one line; lines of warnings may precede it."""
        faults = self.crash_faults()
        if self.code == 0:
            faults.append("accepted, exit code 0")
        elif not faults and not self.stderr.rstrip().rpartition("\n")[2].startswith(_PREFIX):
            faults.append(f"exit code {self.code} and no line of error at the end")
        return faults


def executable() -> str:
    """Return the path of the installed command."""
    return str(Path(sys.executable).parent / "memopolis")


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a command: no key and no model server unless a case sets them."""
    hidden = ("MEMOPOLIS_", "OPENAI_", "PYTEST")
    own = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    return own | single | dict(extra or {})


def start(
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    limits: Mapping[int, int] | None = None,
    timeout: float = 90.0,
) -> CommandResult:
    """Run the installed command as a process of its own.

    Args:
        arguments: What follows `memopolis`.
        cwd: Working directory.
        env: Environment variables to add.
        limits: Resource limits of the process, by number such as `resource.RLIMIT_AS`.
        timeout: Seconds after which the process is killed.
    """
    return start_process(
        [executable(), *map(str, arguments)], cwd=cwd, env=env, limits=limits, timeout=timeout
    )


def start_process(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    limits: Mapping[int, int] | None = None,
    timeout: float = 90.0,
) -> CommandResult:
    """Run any command and measure its memory; the arguments are those of `start`."""
    began = time.perf_counter()
    with TemporaryFile() as out, TemporaryFile() as err:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment(env),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        for number, most in (limits or {}).items():
            resource.prlimit(process.pid, number, (most, most))
        code, peak = _wait(process, began + timeout)
        stdout, stderr = _content(out.fileno()), _content(err.fileno())
    return CommandResult(code, stdout, stderr, time.perf_counter() - began, peak)


def _wait(process: "subprocess.Popen[bytes]", deadline: float) -> tuple[int | None, float]:
    """Wait for a process; return its exit code and its peak memory in megabytes.

    The peak that the system reports at the end includes that of the parent when it forked.
    """
    killed, peak = False, 0.0
    while True:
        peak = max(peak, _read_peak(process.pid))
        pid, status = os.waitpid(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return None if killed else process.returncode, peak
        if not killed and time.perf_counter() > deadline:
            process.kill()
            killed = True
        time.sleep(_POLL)


def _read_peak(pid: int) -> float:
    """Return the peak memory of a running process in megabytes, 0 if it has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    match = re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)
    return int(match[1]) / 1024 if match else 0.0


def _content(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0).decode(errors="replace")


def call(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> CommandResult:
    """Run a command inside this process, through the same application as the installed command.

    Args:
        arguments: What follows `memopolis`.
        cwd: Working directory.
        env: Environment variables to add.
    """
    import traceback

    from typer.testing import CliRunner

    from memopolis.cli import app

    began = time.perf_counter()
    with working_in(cwd), added_to_environment(env or {}):
        done = CliRunner().invoke(app, [str(one) for one in arguments])
    stderr = done.stderr
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        stderr += "".join(traceback.format_exception(done.exception))
    return CommandResult(done.exit_code, done.stdout, stderr, time.perf_counter() - began)


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Make a folder the working directory."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def added_to_environment(extra: Mapping[str, str]) -> Iterator[None]:
    """Add environment variables, among them PYTHONPATH, and remove them again."""
    before, path = dict(os.environ), list(sys.path)
    os.environ.update(extra)
    sys.path += extra["PYTHONPATH"].split(os.pathsep) if "PYTHONPATH" in extra else []
    try:
        yield
    finally:
        sys.path[:] = path
        os.environ.clear()
        os.environ.update(before)
