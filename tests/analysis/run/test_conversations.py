"""Conversations are kept in the run folder, and files of others are refused in one line."""

import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from memopolis import Polarization, load_run
from memopolis.analysis.run.conversations import (
    MOST_BYTES,
    Conversation,
    keep_conversations,
    read_conversations,
)
from memopolis.sim.errors import RunFolderError
from memopolis.sim.run_folder.folder import remove_run
from memopolis.sim.verifying import verify

ASKED = Conversation(
    2, 3, "Ann <b>", "Why?\nNow?", "Because \u202e \x00.", "rule", 4.5, (1, 2), ("a", "b"), "g"
)


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    assert read_conversations(tmp_path) == []
    keep_conversations(tmp_path, [ASKED])
    keep_conversations(tmp_path, [replace(ASKED, step=5, value=None), ASKED])
    assert read_conversations(tmp_path) == [ASKED, replace(ASKED, step=5, value=None), ASKED]


def test_a_run_has_them_up_to_its_moment(tmp_path: Path) -> None:
    run = load_run(Polarization(agents=20, days=5, rng=1).run(tmp_path / "run"))
    assert run.conversations.empty
    assert list(run.conversations)[:3] == ["step", "agent", "name"]
    keep_conversations(run.folder, [ASKED, replace(ASKED, step=5)])
    assert run.conversations["step"].tolist() == [2, 5]
    assert run.until(3).conversations["step"].tolist() == [2]
    assert verify(run.folder) == []
    remove_run(run.folder, run.populations)
    assert not (run.folder / "conversations.jsonl").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"step": "2"},
        {"step": True},
        {"agent": 10**30},
        {"value": float("nan")},
        {"value": "4"},
        {"name": None},
        {"evidence": "12"},
        {"evidence": [1.5]},
        {"texts": [["a"]]},
        {"other": 1},
    ],
    ids=str,
)
def test_a_line_of_another_kind_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    line = json.dumps({**asdict(ASKED), **change})
    (tmp_path / "conversations.jsonl").write_text(f"{json.dumps(asdict(ASKED))}\n{line}\n")
    with pytest.raises(RunFolderError, match=r"conversations\.jsonl, line 2: .*remove the line"):
        read_conversations(tmp_path)


@pytest.mark.parametrize("text", ["[" * 100_000, "\xff", "3", '{"step": 1}'], ids=repr)
def test_a_broken_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "conversations.jsonl").write_bytes(text.encode("latin-1"))
    with pytest.raises(RunFolderError, match="line 1"):
        read_conversations(tmp_path)


def test_a_link_or_a_large_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "conversations.jsonl"
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunFolderError, match="link"):
        keep_conversations(tmp_path, [ASKED])
    assert not (tmp_path / "elsewhere").exists()
    path.unlink()
    with path.open("wb") as file:
        os.truncate(file.fileno(), MOST_BYTES + 1)
    with pytest.raises(RunFolderError, match="at most"):
        read_conversations(tmp_path)
    with pytest.raises(RunFolderError, match="exceed"):
        keep_conversations(tmp_path, [ASKED])
