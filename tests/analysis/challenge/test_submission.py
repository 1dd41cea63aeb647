"""Predictions of other engines: hostile files, and what counts as the same."""

from pathlib import Path

import pytest

from memopolis.analysis.challenge.case import read_case
from memopolis.analysis.challenge.submission import check_engines, read_submission
from memopolis.sim.errors import DataFileError, ParameterError

HEAD = "case,quantity,member,value\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column case, quantity, value is missing"),
        (HEAD, "has no rows"),
        (HEAD + "small,suport,1,0.1\n", "row 1, column quantity: 'suport' is unknown; did you"),
        (HEAD + "smal,support,1,0.1\n", "row 1, column case: 'smal' is unknown; did you mean sm"),
        (HEAD + "small,support,1,nan\n", "row 1, column value: 'nan', expected a number"),
        (HEAD + "small,support,1,inf\n", "row 1, column value: 'inf', expected a number"),
        (HEAD + "small,support,1,1e300\n", "at most 1e+15"),
        (HEAD + "small,support,1,0.1,2\n", "row 1: 5 cells, but the header names 4"),
        (HEAD + "small,support,1,0.1\nsmall,support,1,0.2\n", "row 2: small, support has member 1"),
        ("case,case,quantity,value\n1,1,1,1\n", "column case occurs twice"),
    ],
)
def test_a_mistake_is_one_line(folder: Path, tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "other.csv"
    file.write_text(text)
    with pytest.raises(DataFileError) as caught:
        read_submission(file, [read_case(folder)])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_links_folders_and_missing_files_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(folder / "outcomes.csv")
    for name in ("link.csv", "small", "absent.csv"):
        with pytest.raises(DataFileError, match="a regular file is needed"):
            read_submission(tmp_path / name, [read_case(folder)])


def test_members_are_optional_and_other_shipped_cases_are_ignored(
    folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "other.csv"
    file.write_text("case,quantity,value,note\nsmall,gap,3.5,a guess\ndorian-2019,left,0.5,\n")
    submission = read_submission(file, [read_case(folder)])
    assert submission.engine == "other"
    assert submission.predictions == {("small", "gap"): {"1": 3.5}}


def test_engines_need_their_own_names() -> None:
    check_engines(["a", "b"])
    with pytest.raises(ParameterError, match="two engines are called 'a'"):
        check_engines(["a", "b", "a"])
