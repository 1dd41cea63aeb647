"""Record the answers of a model in a file, and replay them without the model.

Each line is a call as JSON, identified by seed, agent, block, tick, ordinal and attempt, and by the
hash of its content. The lines are sorted, so the file does not depend on the order of replies, and
the files of two runs differ only where their calls differ. A cassette contains neither times nor
keys, so it can be committed.
"""

import json
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from memopolis.sim.errors import DataFileError, ParameterError, ReplayError, reason_of
from memopolis.sim.files import read_regular
from memopolis.sim.mind.call import OUTCOMES, Call, Client, Key, Reply

LARGEST = 2_000_000_000  # maximum number of bytes of a cassette, that of several million calls


class RecordedCall(BaseModel):
    """One line of a cassette: the key and hash of a call, and its reply without times and tries."""

    model_config = ConfigDict(frozen=True, strict=True)

    seed: int
    agent: int
    block: str
    tick: int
    ordinal: int
    attempt: int
    hash: str
    model: str
    outcome: str
    tokens_in: int
    tokens_out: int
    text: str | None
    fault: str = ""

    @property
    def key(self) -> Key:
        """Key of the call, as in `Call`."""
        return (self.seed, self.agent, self.block, self.tick, self.ordinal, self.attempt)

    @property
    def reply(self) -> Reply:
        """The reply to the call."""
        return Reply(self.text, self.outcome, self.tokens_in, self.tokens_out, fault=self.fault)


class Cassette:
    """A file of recorded calls, which need not exist; DataFileError if a line is invalid."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._is_repaired = False
        self.calls: dict[Key, RecordedCall] = self._read()
        self._sorted = True
        self._arrived: set[Key] = set()

    def record(self, calls: Sequence[Call], replies: Sequence[Reply]) -> None:
        """Add the calls that `record_arrived` did not add to the file; `close` sorts it."""
        both = zip(calls, replies, strict=True)
        self._add([(call, reply) for call, reply in both if call.key not in self._arrived])
        self._arrived.clear()

    def record_arrived(self, call: Call, reply: Reply) -> None:
        """Add a call when its reply arrives, so that a killed run keeps the answers it paid for.

        Errors of writing are raised by `record`, which tries again.
        """
        with suppress(DataFileError):
            self._add([(call, reply)])
            self._arrived.add(call.key)

    def _add(self, replied: Sequence[tuple[Call, Reply]]) -> None:
        self._repair_end()
        new = [
            RecordedCall.model_validate(vars(call) | vars(reply) | {"hash": call.hash})
            for call, reply in replied
        ]
        self.calls |= {one.key: one for one in new}
        self._write(self.path, new, "a")
        self._sorted = self._sorted and not new

    def close(self) -> None:
        """Sort the file atomically if calls were added, and keep calls added by other runs."""
        if self._sorted:
            return
        self.calls = self._read() | self.calls
        unfinished = self.path.with_name(f"{self.path.name}.writing")
        self._write(unfinished, [self.calls[key] for key in sorted(self.calls)], "w")
        unfinished.replace(self.path)
        self._sorted = True

    def _repair_end(self) -> None:
        """Remove an incomplete last line from the file before the first call is added."""
        if self._is_repaired or not self.path.is_file():
            return
        held = read_regular(self.path, largest=LARGEST)
        whole = _whole(held)
        if whole != held:
            with self.path.open("rb+") as file:
                file.truncate(len(whole))
        if whole and not whole.endswith(b"\n"):
            with self.path.open("ab") as file:
                file.write(b"\n")
        self._is_repaired = True

    def _write(self, path: Path, calls: Sequence[RecordedCall], mode: str) -> None:
        lines = (
            json.dumps(one.model_dump(exclude_defaults=True), ensure_ascii=False) + "\n"
            for one in calls
        )
        try:
            with path.open(mode, encoding="utf-8", errors="replace", newline="\n") as file:
                file.write("".join(lines))
        except OSError as error:
            raise DataFileError(f"cannot write the cassette {path}: {reason_of(error)}") from None

    def _read(self) -> dict[Key, RecordedCall]:
        try:
            held = read_regular(self.path, largest=LARGEST)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise DataFileError(
                f"cannot read the cassette {self.path}: {reason_of(error)}"
            ) from None
        try:
            whole = _whole(held).decode()
        except UnicodeDecodeError:
            raise DataFileError(f"the cassette {self.path} is not valid UTF-8") from None
        # A repeated call is listed twice until the file is sorted; the last one counts.
        lines = whole.removesuffix("\n").split("\n") if whole else []
        calls = [self._parsed(number, line) for number, line in enumerate(lines, 1)]
        return {one.key: one for one in calls}

    def _parsed(self, number: int, line: str) -> RecordedCall:
        where = f"line {number} of the cassette {self.path}"
        try:
            recorded = RecordedCall.model_validate(json.loads(line))
        except (ValueError, RecursionError):
            raise DataFileError(
                f"{where} is not a recorded call; each line is JSON with "
                f"{', '.join(RecordedCall.model_fields)}"
            ) from None
        if recorded.outcome not in OUTCOMES:
            raise DataFileError(
                f"{where} has the outcome {recorded.outcome!r}; allowed are {', '.join(OUTCOMES)}"
            )
        return recorded


class Recording:
    """Record the replies of a client in a cassette, the file `path`, to which new calls are added.

    Identical calls that the cassette already contains are answered from it, so an interrupted run
    can be repeated without paying twice. All other calls are sent.
    """

    def __init__(self, client: Client, path: str | Path) -> None:
        if not Path(path).parent.is_dir():  # before any call is paid for
            raise DataFileError(
                f"the folder of the cassette {path} does not exist; create it first"
            )
        self._client = client
        self.cassette = Cassette(path)
        if hasattr(client, "on_reply"):
            client.on_reply = self.cassette.record_arrived
        self._end = weakref.finalize(self, self.cassette.close)

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._client.name

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Return the replies in the order of the calls, and record the new ones."""
        known = [self._known(call) for call in calls]
        new = [call for call, reply in zip(calls, known, strict=True) if reply is None]
        replies = self._client.complete(new)
        self.cassette.record(new, replies)
        answered = iter(replies)
        return [next(answered) if reply is None else reply for reply in known]

    def _known(self, call: Call) -> Reply | None:
        recorded = self.cassette.calls.get(call.key)
        if recorded is None or recorded.hash != call.hash or recorded.outcome != "ok":
            return None
        return recorded.reply

    def close(self) -> None:
        """Sort the file and close the client; more calls can be recorded afterwards."""
        self.cassette.close()
        close = getattr(self._client, "close", None)
        if close is not None:
            close()


class Replaying:
    """Answer calls from a cassette; `model` is required if it contains several."""

    def __init__(self, path: str | Path, *, model: str | None = None) -> None:
        self.cassette = Cassette(path)
        models = sorted({recorded.model for recorded in self.cassette.calls.values()})
        if not models:
            raise DataFileError(f"the cassette {path} is missing or empty; record it first")
        if model is None and len(models) > 1:
            raise ParameterError(
                f"the cassette {path} contains answers of {', '.join(models)}; name one of them"
            )
        self.name = models[0] if model is None else model

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Return the replies in the order of the calls; ReplayError names the first missing one."""
        return [self._recorded(call).reply for call in calls]

    def _recorded(self, call: Call) -> RecordedCall:
        recorded = self.cassette.calls.get(call.key)
        if recorded is not None and recorded.hash == call.hash:
            return recorded
        raise ReplayError(
            f"the cassette {self.cassette.path} {self._difference(call)} agent {call.agent} in "
            f"block {call.block} at tick {call.tick} (question {call.ordinal}, attempt "
            f"{call.attempt}, seed {call.seed})"
        )

    def _difference(self, call: Call) -> str:
        recorded = self.cassette.calls.get(call.key)
        seeds = sorted({key[0] for key in self.cassette.calls})
        if recorded is not None and recorded.model != call.model:
            return f"was recorded with the model {recorded.model}, not {call.model}"
        if recorded is not None:
            return (
                "contains an answer to another prompt; the first question that differs is that of"
            )
        if call.seed not in seeds:
            known = ", ".join(map(str, seeds))
            return f"contains only runs of seed {known}; the first missing question is that of"
        return "lacks a question; the first missing one is that of"


def _whole(held: bytes) -> bytes:
    """Return the content of a file without an incomplete last line, as left by a killed run."""
    last = held[held.rfind(b"\n") + 1 :]
    if not last.startswith(b"{"):
        return held
    try:
        json.loads(last)
    except ValueError:
        return held[: len(held) - len(last)]
    return held
