"""Tables of model calls: the calls, their texts without duplicates, and their durations."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from memopolis.sim.files import whole
from memopolis.sim.mind.call import OUTCOMES, Call, LoggedCall
from memopolis.sim.recording.schema import CALL_TIMINGS
from memopolis.sim.recording.table import Coded, Table
from memopolis.sim.run_folder.folder import parts_of

TIMINGS = "model_calls.parquet"
"""File in `timings/` with the duration and the number of tries of each call."""

type _Timing = tuple[int, str, int, int, int, int, float]


class CallTables:
    """Write the tables `model_calls` and `prompts`, and a file of durations, up to step `until`."""

    def __init__(self, folder: Path, table: Callable[[str], Table], *, until: int = 0) -> None:
        self._folder = folder
        self._table = table
        self._written: set[int] = set()
        self._timings: list[_Timing] = []
        if until:
            self._written = hashes_in(folder, "prompts")
            self._timings = _timings_in(folder / "timings" / TIMINGS, until)

    def record(self, logged: Sequence[LoggedCall]) -> None:
        """Record the calls of one question, in their order."""
        if not logged:
            return
        calls = [entry.call for entry in logged]
        replies = [entry.reply for entry in logged]
        prompts = [self._keep(transcript(call)) for call in calls]
        answers = [0 if reply.text is None else self._keep(reply.text) for reply in replies]
        blocks = [call.block for call in calls]
        self._table("model_calls").append(
            len(calls),
            {
                "tick": np.array([call.tick for call in calls], np.int32),
                "block": _coded(blocks),
                "agent": np.array([call.agent for call in calls], np.int32),
                "ordinal": np.array([call.ordinal for call in calls], np.int32),
                "attempt": np.array([call.attempt for call in calls], np.int8),
                "hash": np.array([call.hash for call in calls], object),
                "prompt": np.array(prompts, np.int64),
                "answer": np.array(answers, np.int64),
                "tokens_in": np.array([reply.tokens_in for reply in replies], np.int64),
                "tokens_out": np.array([reply.tokens_out for reply in replies], np.int64),
                "outcome": Coded(
                    np.array([OUTCOMES.index(entry.outcome) for entry in logged]), OUTCOMES
                ),
                "fault": _coded([entry.fault for entry in logged]),
            },
        )
        self._timings += [
            (call.tick, call.block, call.agent, call.ordinal, call.attempt, r.tries, r.seconds)
            for call, r in zip(calls, replies, strict=True)
        ]

    def _keep(self, text: str) -> int:
        """Write a text unless it was written before, and return its hash."""
        digest = blake2b(text.encode(), digest_size=8).digest()
        number = int.from_bytes(digest, "little", signed=True)
        if number not in self._written:
            self._written.add(number)
            self._table("prompts").append(
                1, {"hash": np.array([number]), "text": np.array([text], object)}
            )
        return number

    def write_timings(self) -> None:
        """Write the durations of the calls; there is no file if there were no calls."""
        if not self._timings:
            return
        import pyarrow as pa
        import pyarrow.parquet as pq

        folder = self._folder / "timings"
        folder.mkdir(exist_ok=True)
        columns = zip(*self._timings, strict=True)
        rows = pa.table(dict(zip(CALL_TIMINGS.columns, map(list, columns), strict=True)))
        with whole(folder / TIMINGS) as unfinished:
            pq.write_table(rows, unfinished)


def transcript(call: Call) -> str:
    """Return the messages of a call as one text, each below the role of its speaker."""
    return "\n\n".join(f"[{message.role}]\n{message.text}" for message in call.messages)


def hashes_in(run: Path, table: str) -> set[int]:
    """Return the hashes of the texts in a table of a run."""
    import pyarrow.parquet as pq

    columns = (pq.read_table(part, columns=["hash"])[0] for part in parts_of(run, table))
    return {number for column in columns for number in column.to_pylist()}


def _timings_in(path: Path, until: int) -> list[_Timing]:
    """Read the durations of calls before a step; empty if the file is missing or damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        columns = pq.read_table(path, columns=list(CALL_TIMINGS.columns)).to_pydict()
    except (OSError, pa.ArrowException):
        return []
    rows = zip(*(columns[name] for name in CALL_TIMINGS.columns), strict=True)
    return [row for row in rows if row[0] < until]


def _coded(texts: Sequence[str]) -> Coded:
    labels = tuple(dict.fromkeys(texts))
    return Coded(np.array([labels.index(text) for text in texts]), labels)
