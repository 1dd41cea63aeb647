"""Arms as they are typed."""

from pathlib import Path

import pytest

from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.arms import ARMS, check_arms, folder_name, read_arms, save_arms, saved_arms
from memopolis.sim.errors import ParameterError, UnknownNameError


def test_arms_are_names_or_changed_settings() -> None:
    typed = "orders=none + needs.hunger_rate=1e+3"
    arms = read_arms(Hurricane, ["storm", "no_storm", typed])
    assert arms == {
        "storm": {},
        "no_storm": {"storm": "none"},
        typed: {"orders": "none", "needs": {"hunger_rate": "1e+3"}},
    }


def test_a_named_arm_can_be_combined_with_changes() -> None:
    assert read_arms(Hurricane, ["storm", "no_storm+agents=9"])["no_storm+agents=9"] == {
        "storm": "none",
        "agents": "9",
    }


def test_an_unknown_arm_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean no_storm.*there are storm, no_storm"):
        read_arms(Hurricane, ["storm", "no_strom"])


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        ([], "at least two"),
        (["storm"], "at least two"),
        (["storm", "storm"], "twice"),
        (["news=a/b", "news=a:b"], "share a folder"),
        (["storm", "a..b=1"], "group.name=value"),
    ],
)
def test_arms_that_cannot_be_compared_are_refused(arms: list[str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_arms(Hurricane, arms)


def test_an_arm_has_a_folder() -> None:
    check_arms(["a", "b"])
    assert folder_name("network.kind=/tmp/my ties.csv+x=1") == "network.kind=_tmp_my_ties.csv+x=1"


def test_saved_arms_are_read_in_their_order(tmp_path: Path) -> None:
    save_arms(tmp_path / "new", ["storm", "news=a/b"])
    assert list(saved_arms(tmp_path / "new").items()) == [
        ("storm", "storm"),
        ("news=a_b", "news=a/b"),
    ]


@pytest.mark.parametrize("text", ["", "3", '{"a": 1}', "[1, null]", "[" * 100_000, "\x00"])
def test_broken_files_of_arms_are_ignored(text: str, tmp_path: Path) -> None:
    (tmp_path / ARMS).write_text(text, encoding="utf-8")
    assert saved_arms(tmp_path) == {}
    assert saved_arms(tmp_path / "missing") == {}
