"""Cases: each mistake is one clear line, and nothing leads to the outcomes."""

from pathlib import Path

import pytest
from tests.analysis.challenge.conftest import CASE, NEWS, write_case

from memopolis.analysis.challenge.case import SHIPPED, find_cases, read_case
from memopolis.sim.errors import DataFileError, MemopolisError, SettingsError, UnknownNameError

MISTAKES = {
    'scenario = "polarization"': {
        'scenario = "village"': "scenario is 'village'; it must be installed: hurricane",
        'scenario = "model.py:Model"': "it must be installed",
    },
    "date = 2020-01-01": {
        "date = 2020-01-01T00:00:00": "it should be a valid date",
        'date = "2020"': "date is '2020'; it should be a valid date",
    },
    "agents = 30": {
        "agents = 0": "agents is 0; it should be greater than or equal to 1",
        "agents = true": "agents is True",
        "agnets = 30": "unknown key 'agnets'; did you mean agents?",
    },
    "seeds = 2": {"seeds = 10_000": "seeds is 10000; it should be less than or equal to 1000"},
    'null_arm = "control"': {'null_arm = "calm"': "null_arm is 'calm'; arms: control, event"},
    'title = "A small case"': {
        'title = "two\\nlines"': "title: write one line",
        "title = 3": "title is 3",
        "title = [": "not valid TOML",
    },
    "days = 3": {
        "days = -3": "days",
        "dayz = 3": "did you mean days",
        'days = 3\nmind = "llm"': "cases run with the mind rule",
        'days = 3\n"llm.base_url" = "http://example.org/v1"': "no servers or models",
    },
    'news = "news.csv"': {
        'news = "outcomes.csv"': "news is 'outcomes.csv'; a case may only name files",
        'news = "case.toml"': "news is 'case.toml'",
        'news = "../news.csv"': "a case may only name files of its folder",
        'news = "/etc/passwd"': "a case may only name files of its folder",
        'news = "absent.csv"': "no such file",
        'news = "link.csv"': "or a link",
        'news = "large.csv"': "at most 1,000,000 are allowed",
    },
    'name = "support"': {
        'name = "gap"': "two quantities are called 'gap'",
        'name = "Süpport"': "may have lower-case letters",
    },
    'measure = "support"': {
        'measure = "suport"': "did you mean support",
        'measure = "support"\nfact = "cut"': "write either measure, or fact and number",
        'measure = "support"\ncolour = "red"': "unknown key 'colour'",
    },
    "at = 2020-01-03T12:00:00": {
        "at = 2020-01-03T12:00:00Z": "at is datetime",
        'at = "noon"': "at is 'noon'",
        "at = 2020-01-03T12:00:00\nsince = 2020-01-02T00:00:00": "write either at or since",
    },
    'minus_arm = "control"': {'minus_arm = "contrl"': "minus_arm is 'contrl'; arms: control"},
    'basis = "independent"': {
        "": "basis is missing; allowed are independent",
        'basis = "certain"': "basis is 'certain'; it should be 'independent'",
    },
}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [(old, new, message) for old, news in MISTAKES.items() for new, message in news.items()],
)
def test_a_mistake_is_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in CASE
    folder = write_case(tmp_path / "small", CASE.replace(old, new, 1))
    (folder / "link.csv").symlink_to(folder / "outcomes.csv")
    (folder / "large.csv").write_text("x" * 1_000_001)
    with pytest.raises(MemopolisError) as caught:
        read_case(folder)
    text = str(caught.value.args[0])
    assert message in text
    assert "\n" not in text


def test_a_link_that_leads_out_is_refused(folder: Path) -> None:
    (folder / "out").symlink_to("/")
    with pytest.raises(MemopolisError, match="leads out of it"):
        read_case(folder)


def test_an_absolute_path_to_the_outcomes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small" / "outcomes.csv"
    write_case(path.parent, CASE.replace('"news.csv"', f'"{path}"'))
    with pytest.raises(SettingsError, match="may only name files of its folder"):
        read_case(path.parent)


def test_deep_nesting_is_refused(folder: Path) -> None:
    (folder / "case.toml").write_text("a = " + "[" * 100_000)
    with pytest.raises(DataFileError, match=r"case\.toml: not valid TOML"):
        read_case(folder)


def test_names_of_cases(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean dorian-2019"):
        find_cases(["dorian-2109"])
    with pytest.raises(DataFileError, match="rename the folder"):
        find_cases([str(write_case(tmp_path / "Small Case"))])
    twice = [str(write_case(tmp_path / one / "small")) for one in ("a", "b")]
    with pytest.raises(UnknownNameError, match="two cases are called 'small'"):
        find_cases(twice)


def test_the_hash_covers_settings_files_and_seeds_but_not_the_folder(tmp_path: Path) -> None:
    def frozen(name: str, case: str = CASE, **options: int) -> str:
        hashed: str = read_case(write_case(tmp_path / name / "small", case), **options).freeze()[
            "sha256"
        ]
        return hashed

    first = frozen("a")
    assert frozen("b") == first
    assert frozen("c", CASE.replace("days = 3", "days = 4")) != first
    assert frozen("d", seeds=3) != first
    assert frozen("e", agents=31) != first
    (tmp_path / "b" / "small" / "news.csv").write_text(NEWS.replace("stricter", "milder"))
    assert read_case(tmp_path / "b" / "small").freeze()["sha256"] != first


def test_shipped_cases_are_found_by_name() -> None:
    cases = find_cases(["matthew-2016", "florence-2018"])
    assert [case.folder.parent for case in cases] == [SHIPPED, SHIPPED]
    assert [file.name for file in cases[0].files] == ["orders.csv"]
