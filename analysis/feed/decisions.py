"""Find the decisions that change something, among all that a run recorded."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.feed.rows import KINDS, Rows, Vocabulary, empty_rows
from memopolis.analysis.run.texts import OTHER_TEXTS

COLUMNS = ("kind", "value", "choice", "text", "reason", "probability", "draw")
LEAST_ATTITUDE = 0.1  # least change of an attitude, from 0 to 10, that is a line of the feed
LEAST_SHARE = 0.25
"""Least relative change of another number, such as hours of work, that is a line of the feed."""
_TINY = 1e-6


class DecisionRows:
    """Extract rows of decisions, attitudes and thoughts; each call continues the previous one.

    A decision is a row if it differs from the agent's last one on the same subject: another
    choice, an attitude that moved by `LEAST_ATTITUDE`, another number by `LEAST_SHARE`. A decision
    carried out by a draw is a row each time. A first decision has nothing to differ from.
    """

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._keys = np.zeros(0, np.int64)
        self._values = np.zeros(0, np.float32)
        self._choices = np.zeros(0, np.int32)

    def extract(self, rows: pa.Table) -> Rows:
        """Return the rows of some consecutive steps of the table `decisions`."""
        words = self._words
        subject, item = words.numbers(rows["kind"]), words.numbers(rows["item"])
        value = rows["value"].to_numpy().astype(np.float32)
        choice = words.numbers(rows["choice"])
        agent = rows["agent"].to_numpy().astype(np.int64)
        key = (agent << 32) | ((subject.astype(np.int64) & 0xFFFF) << 16) | (item & 0xFFFF)
        before, previous = self._exchange(key, value, choice)

        has_choice = choice != words.number("")
        is_attitude = subject == words.number("attitude")
        text = rows["text"].to_numpy()
        no_thoughts = [words.number(kind) for kind in OTHER_TEXTS]
        is_thought = (text != 0) & ~np.isin(subject, no_thoughts)
        probability, draw = _drawn(rows)
        changed = has_choice & (previous >= 0) & (choice != previous)
        least = np.where(is_attitude, LEAST_ATTITUDE, LEAST_SHARE * np.abs(before) + _TINY)
        moved = ~has_choice & (np.abs(value - before) >= least)
        drawn = ~np.isnan(probability)
        shown = np.where(drawn, draw < probability, changed | moved)
        shown = (is_thought & (text != 0)) | (shown & (text == 0))

        made = empty_rows(int(shown.sum()))
        kinds = [KINDS.index(name) for name in ("thought", "attitude", "decision")]
        made["kind"] = np.select([is_thought, is_attitude], kinds[:2], kinds[2])[shown]
        columns: dict[str, NDArray[Any]] = {
            "tick": rows["tick"].to_numpy(),
            "agent": agent,
            "subject": subject,
            "item": item,
            "choice": choice,
            "previous": previous,
            "value": value,
            "before": before,
            "reason": words.numbers(rows["reason"]),
            "text": text,
        }
        for name, values in columns.items():
            made[name] = values[shown]
        return made

    def _exchange(
        self, keys: NDArray[np.int64], values: NDArray[np.float32], choices: NDArray[np.int32]
    ) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return the last value and choice before each row, NaN and -1 for none."""
        known = len(self._keys)
        all_keys = np.concatenate([self._keys, keys])
        all_values = np.concatenate([self._values, values])
        all_choices = np.concatenate([self._choices, choices])
        order = np.argsort(all_keys, kind="stable")
        same = all_keys[order][1:] == all_keys[order][:-1]
        before = np.full(len(order), np.nan, np.float32)
        previous = np.full(len(order), -1, np.int32)
        before[order[1:][same]] = all_values[order[:-1][same]]
        previous[order[1:][same]] = all_choices[order[:-1][same]]
        newest = order[np.append(~same, True)] if len(order) else order
        self._keys, self._values = all_keys[newest], all_values[newest]
        self._choices = all_choices[newest]
        return before[known:], previous[known:]


def _drawn(rows: pa.Table) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return probabilities and draws, NaN where nothing was drawn or an old run has none."""
    missing = np.full(rows.num_rows, np.nan, np.float32)
    if "probability" not in rows.column_names:
        return missing, missing
    return rows["probability"].to_numpy(), rows["draw"].to_numpy()
