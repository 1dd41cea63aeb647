"""Answers of a model in a plain file: recorded once, replayed without the model.

One call a line, as JSON, named by run seed, agent, block, tick, ordinal and attempt and by the
hash of all that was asked. The lines are sorted, so that the file does not depend on the order
in which answers came, and of two runs only what changed differs. It contains neither
times nor keys, so it can be committed.
"""

import json
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memopolis.sim.errors import DataFileError, ParameterError, ReplayError, reason_of
from memopolis.sim.mind.call import OUTCOMES, Call, Client, Key, Reply

_KEY = ("seed", "agent", "block", "tick", "ordinal", "attempt")
_TYPES: dict[str, type | tuple[type, ...]] = {
    "seed": int, "agent": int, "block": str, "tick": int, "ordinal": int, "attempt": int,
    "hash": str, "model": str, "outcome": str, "tokens_in": int, "tokens_out": int,
    "text": (str, type(None)),
}  # fmt: skip


@dataclass(frozen=True)
class Recorded:
    """One call of a cassette.

    Attributes:
        hash: Of all that was asked.
        model: Name of the model that answered.
        reply: Its answer, without times and tries.
    """

    hash: str
    model: str
    reply: Reply


class Cassette:
    """A file of recorded calls.

    Args:
        path: The file; need not exist.

    Raises:
        DataFileError: If it cannot be read or has a bad line.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._mended = False
        self.calls: dict[Key, Recorded] = self._read()
        self._sorted = True

    def record(self, calls: Sequence[Call], replies: Sequence[Reply]) -> None:
        """Take in what was asked and answered, and add it to the file at once.

        A run that is interrupted or killed keeps what it paid for; `close` sorts the file.
        """
        self._mend()
        for call, reply in zip(calls, replies, strict=True):
            kept = Reply(reply.text, reply.outcome, reply.tokens_in, reply.tokens_out)
            self.calls[call.key] = Recorded(call.hash, call.model, kept)
        self._write(self.path, [call.key for call in calls], "a")
        self._sorted = self._sorted and not calls

    def close(self) -> None:
        """Rewrite the whole file, sorted, if calls were added; it appears whole or not at all.

        What another run has added meanwhile stays in it.
        """
        if self._sorted:
            return
        self.calls = self._read() | self.calls
        unfinished = self.path.with_name(f"{self.path.name}.writing")
        self._write(unfinished, sorted(self.calls), "w")
        unfinished.replace(self.path)
        self._sorted = True

    def _mend(self) -> None:
        """Let the file end with a whole line, before the first one is added."""
        if self._mended or not self.path.is_file():
            return
        held = self.path.read_bytes()
        whole = _whole(held)
        if whole != held:
            with self.path.open("rb+") as file:
                file.truncate(len(whole))
        if whole and not whole.endswith(b"\n"):
            with self.path.open("ab") as file:
                file.write(b"\n")
        self._mended = True

    def _write(self, path: Path, keys: Sequence[Key], mode: str) -> None:
        lines = "".join(_line(key, self.calls[key]) for key in keys)
        try:
            with path.open(mode, encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(lines)
        except OSError as error:
            raise DataFileError(f"cannot write the cassette {path}: {reason_of(error)}") from None

    def _read(self) -> dict[Key, Recorded]:
        try:
            held = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise DataFileError(
                f"cannot read the cassette {self.path}: {reason_of(error)}"
            ) from None
        try:
            whole = _whole(held).decode()
        except UnicodeDecodeError:
            raise DataFileError(f"the cassette {self.path} is no UTF-8") from None
        # A call that was repeated is listed twice until the file is sorted: the last counts.
        lines = whole.removesuffix("\n").split("\n") if whole else []
        return dict(self._parsed(number, line) for number, line in enumerate(lines, 1))

    def _parsed(self, number: int, line: str) -> tuple[Key, Recorded]:
        try:
            entry: Any = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict) or not all(
            isinstance(entry.get(name, ...), kind) for name, kind in _TYPES.items()
        ):
            raise DataFileError(
                f"line {number} of the cassette {self.path} is no recorded call; each is JSON "
                f"with {', '.join(_TYPES)}"
            )
        if entry["outcome"] not in OUTCOMES:
            raise DataFileError(
                f"line {number} of the cassette {self.path} has the outcome {entry['outcome']!r}; "
                f"there are: {', '.join(OUTCOMES)}"
            )
        seed, agent, block, tick, ordinal, attempt = (entry[name] for name in _KEY)
        reply = Reply(entry["text"], entry["outcome"], entry["tokens_in"], entry["tokens_out"])
        return (seed, agent, block, tick, ordinal, attempt), Recorded(
            entry["hash"], entry["model"], reply
        )


class _Hearing:
    """Records each answer when it arrives: of a run that is killed, nothing paid for is lost."""

    def __init__(self, cassette: Cassette) -> None:
        self._cassette = cassette
        self._taken: set[Key] = set()

    def take(self, call: Call, reply: Reply) -> None:
        """Record one answer; what cannot be written is said when all have arrived."""
        with suppress(DataFileError):
            self._cassette.record([call], [reply])
            self._taken.add(call.key)

    def take_others(self, calls: Sequence[Call], replies: Sequence[Reply]) -> None:
        """Record those answers that were not taken when they arrived."""
        both = zip(calls, replies, strict=True)
        left = [(call, reply) for call, reply in both if call.key not in self._taken]
        self._taken.clear()
        self._cassette.record([call for call, _ in left], [reply for _, reply in left])


class Recording:
    """Lets a client answer and records it.

    What the cassette holds already, asked and answered in the same way, is taken from there:
    a run that was interrupted goes on without paying twice. All other calls are sent again.

    Args:
        client: Who answers.
        path: The cassette's file; new calls are added to those it holds.

    Raises:
        DataFileError: If its folder is missing, or the file cannot be read or has a bad line.
    """

    def __init__(self, client: Client, path: str | Path) -> None:
        if not Path(path).parent.is_dir():  # said before anybody is asked and paid
            raise DataFileError(f"the cassette {path} lies in no folder; make the folder first")
        self._client = client
        self.cassette = Cassette(path)
        self._hearing = _Hearing(self.cassette)
        if hasattr(client, "heard"):
            client.heard = self._hearing.take
        self._end = weakref.finalize(self, self.cassette.close)

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._client.name

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Answer all calls, in their order, and record the new ones.

        Raises:
            DataFileError: If the file cannot be written.
        """
        known = [self._known(call) for call in calls]
        new = [call for call, reply in zip(calls, known, strict=True) if reply is None]
        replies = self._client.complete(new)
        self._hearing.take_others(new, replies)
        answered = iter(replies)
        return [next(answered) if reply is None else reply for reply in known]

    def _known(self, call: Call) -> Reply | None:
        recorded = self.cassette.calls.get(call.key)
        if recorded is None or recorded.hash != call.hash or recorded.reply.outcome != "ok":
            return None
        return recorded.reply

    def close(self) -> None:
        """Sort the file and end what the client keeps open; more can be recorded afterwards."""
        self.cassette.close()
        close = getattr(self._client, "close", None)
        if close is not None:
            close()


class Replaying:
    """Answers from a cassette, and only what was asked when it was recorded.

    Args:
        path: The cassette's file.
        model: Name of the model; None for the one that the cassette was recorded with.

    Raises:
        DataFileError: If the file is missing, empty, unreadable or has a bad line.
        ParameterError: If several models answered and `model` names none.
    """

    def __init__(self, path: str | Path, *, model: str | None = None) -> None:
        self.cassette = Cassette(path)
        models = sorted({recorded.model for recorded in self.cassette.calls.values()})
        if not models:
            raise DataFileError(f"the cassette {path} is missing or empty; record it first")
        if model is None and len(models) > 1:
            raise ParameterError(
                f"the cassette {path} holds answers of {', '.join(models)}; name one of them"
            )
        self.name = models[0] if model is None else model

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Answer all calls, in their order.

        Raises:
            ReplayError: If one was not recorded; it names the first.
        """
        for call in calls:
            self._check(call)
        return [self.cassette.calls[call.key].reply for call in calls]

    def _check(self, call: Call) -> None:
        recorded = self.cassette.calls.get(call.key)
        if recorded is not None and recorded.hash == call.hash:
            return
        asked = (
            f"agent {call.agent} in block {call.block} at tick {call.tick} "
            f"(question {call.ordinal}, attempt {call.attempt}, seed {call.seed})"
        )
        raise ReplayError(f"the cassette {self.cassette.path} {self._difference(call)} {asked}")

    def _difference(self, call: Call) -> str:
        recorded = self.cassette.calls.get(call.key)
        seeds = sorted({key[0] for key in self.cassette.calls})
        if recorded is not None and recorded.model != call.model:
            return f"was recorded with the model {recorded.model}, not {call.model}"
        if recorded is not None:
            return "holds an answer to another prompt; the first question that differs is that of"
        if call.seed not in seeds:
            return f"holds runs of seed {', '.join(map(str, seeds))} only; not recorded is"
        return "holds no such question; the first that was not recorded is that of"


def _whole(held: bytes) -> bytes:
    """What a file holds but for a last line that was torn when a run was killed."""
    last = held[held.rfind(b"\n") + 1 :]
    if not last.startswith(b"{"):
        return held
    try:
        json.loads(last)
    except ValueError:
        return held[: len(held) - len(last)]
    return held


def _line(key: Key, recorded: Recorded) -> str:
    reply = recorded.reply
    entry = dict(zip(_KEY, key, strict=True)) | {
        "hash": recorded.hash,
        "model": recorded.model,
        "outcome": reply.outcome,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "text": reply.text,
    }
    return json.dumps(entry, ensure_ascii=False) + "\n"
