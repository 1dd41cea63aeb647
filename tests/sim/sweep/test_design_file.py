from pathlib import Path

import pytest

from memopolis.sim.errors import DataFileError
from memopolis.sim.sweep.design_file import design_from_file
from memopolis.sim.sweep.factors import Range

WHOLE = """
scenario = "hurricane"
sampling = "latin_hypercube"
samples = 8
replications = 3
seed = 5
seeds = "independent"
outcomes = ["evacuated_share", "away_share@mean"]

[settings]
agents = 200
start = 2019-08-30T00:00:00

[settings.record]
tables = ["measures"]

[factors]
orders = ["default", "none"]
"decision.spread" = {low = 0.5, high = 1.5, log = true}

[factors.needs]
hunger_rate = [0.1, 0.2]
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "design.toml"
    file.write_text(text)
    return file


def test_a_file_defines_a_complete_design(tmp_path: Path) -> None:
    design = design_from_file(written(tmp_path, WHOLE))
    assert (design.scenario, design.sampling, design.samples) == ("hurricane", "latin_hypercube", 8)
    assert (design.replications, design.seed, design.seeds) == (3, 5, "independent")
    assert design.outcomes == ("evacuated_share", "away_share@mean")
    assert design.settings == {
        "agents": 200,
        "start": "2019-08-30T00:00:00",
        "record": {"tables": ["measures"]},
    }
    assert design.factors == {
        "orders": ("default", "none"),
        "decision.spread": Range(0.5, 1.5, log=True),
        "needs.hunger_rate": (0.1, 0.2),
    }


def test_points_can_be_listed(tmp_path: Path) -> None:
    text = (
        'scenario = "hurricane"\nsampling = "points"\n'
        '[[points]]\norders = "none"\n"decision.spread" = 0.7\n'
        '[[points]]\ndecision.spread = 0.8\norders = "default"\n'
    )
    assert design_from_file(written(tmp_path, text)).points == [
        {"orders": "none", "decision.spread": 0.7},
        {"orders": "default", "decision.spread": 0.8},
    ]


def test_a_scenario_is_found_beside_its_design(tmp_path: Path) -> None:
    (tmp_path / "town.py").write_text("")
    file = written(tmp_path, 'scenario = "town.py:Town"')
    assert design_from_file(file).scenario == f"{tmp_path / 'town.py'}:Town"
    assert design_from_file(written(tmp_path, 'scenario = "other.py"')).scenario == "other.py"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("replications", "replicatons", "line 5: .*'replicatons'; did you mean replications"),
        ("[settings]", "[seting]", "line 10: .*'seting'; did you mean settings"),
        ("[settings]\nagents", "agents", "line 10: .*'agents'; settings go below"),
        ("replications = 3", "replications = 0", "line 5: replications is 0"),
        ("latin_hypercube", "latin", "line 3: sampling is 'latin'.*latin_hypercube"),
        ("seed = 5", "seed =", "not valid TOML"),
        ('scenario = "hurricane"', "", "lacks the scenario"),
        ('orders = ["default", "none"]', 'orders = "none"', "line 18: factor orders is 'none'"),
        ("high = 1.5", "hihg = 1.5", "line 19: factor decision.spread"),
        ("[0.1, 0.2]", "0.1", "line 22: factor needs.hunger_rate is 0.1"),
        ("[settings]", "points = []\n[settings]", ""),
    ],
)
def test_an_error_is_reported_with_its_line(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    assert before in WHOLE
    file = written(tmp_path, WHOLE.replace(before, after, 1))
    if not message:
        assert design_from_file(file).points
        return
    with pytest.raises(DataFileError, match=message):
        design_from_file(file)


def test_points_and_factors_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match='set sampling = "points"'):
        design_from_file(written(tmp_path, f"{WHOLE}\n[[points]]\nagents = 1\n"))
    text = 'scenario = "x"\nsampling = "points"\n[factors]\na = [1]\n[[points]]\na = 1\n'
    with pytest.raises(DataFileError, match=r"remove \[factors\]"):
        design_from_file(written(tmp_path, text))


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"cannot read the design .*no\.toml"):
        design_from_file(tmp_path / "no.toml")


def test_deeply_nested_toml_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, f"scenario = {'[' * 5000}{']' * 5000}")
    with pytest.raises(DataFileError, match="nested too deep"):
        design_from_file(file)


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    file = written(tmp_path, '\ufeffscenario = "hurricane"\n')
    assert design_from_file(file).scenario == "hurricane"


VARIED = """
scenario = "hurricane"
sampling = "morris"
samples = 2

[vary]
origins = ["calibrated"]
share = 0.5
except = ["decision.threat"]
"""


def test_all_settings_of_an_origin_can_be_varied(tmp_path: Path) -> None:
    design = design_from_file(written(tmp_path, VARIED))
    assert design.factors == {
        "decision.constant": Range(-15.9, -5.3),
        "decision.mandatory": Range(0.05, 0.15),
        "decision.surge": Range(1.0, 3.0),
        "decision.threat_scale": Range(0.15, 0.45),
        "decision.warning": Range(0.225, 0.675),
        "decision.spread": Range(1.75, 5.25),
        "decision.wait": Range(9.0, 27.0),
        "daily.prepare_rate": Range(0.1, 0.3),
        "government.mandatory_at": Range(0.06, 0.18),
    }
    assert len(design.planned()) == 2 * 10


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('["calibrated"]', '["calibratd"]', r"origins is \['calibratd'\]; give a list of some of"),
        ('["calibrated"]', "1", "origins is 1; give a list"),
        ("share = 0.5", "share = 1", "share is 1; give a number above 0 and below 1"),
        ("share = 0.5", "shares = 0.5", "no key 'shares'; allowed are origins, share, except"),
        ("decision.threat", "decision.thread", "'decision.thread', which is no setting; did you"),
        ('except = ["decision.threat"]', "except = 1", "except is 1; give a list of names"),
    ],
)
def test_an_impossible_range_of_settings_is_refused(
    before: str, after: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataFileError, match=message):
        design_from_file(written(tmp_path, VARIED.replace(before, after, 1)))
