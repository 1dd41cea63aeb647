"""Questions in SQL, answered by DuckDB."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from tests.manifests import change_manifest
from typer.testing import CliRunner, Result

from memopolis import QueryLimits, load_run, query
from memopolis.cli import app
from memopolis.commands import query as commands
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError

pytest.importorskip("duckdb")
pytestmark = pytest.mark.extras


def memopolis(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["query", *map(str, arguments)])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("query") / "it's one"
    return Path(Hurricane(agents=30, days=2, rng=1).run(folder))


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_table_is_a_view(run: Path) -> None:
    rows = set(query(run, "show tables")["name"])
    assert set(load_run(run).tables) < rows
    assert "memory_citizen" in rows


def test_answers_are_those_of_the_frames(run: Path) -> None:
    memories = load_run(run).table("memories")
    by_topic = query(run, "select topic, count(*) n, avg(importance) m from memories group by 1")
    expected = memories.groupby("topic", observed=True)["importance"].agg(["size", "mean"])
    table = by_topic.set_index("topic").loc[expected.index.astype(str)]
    assert table["n"].tolist() == expected["size"].tolist()
    assert table["m"].to_numpy() == pytest.approx(expected["mean"].to_numpy(), rel=1e-5)


def test_texts_are_joined_by_their_hash(run: Path) -> None:
    rows = query(
        run,
        "select m.id, t.text from memories m join texts t on m.text = t.hash where m.agent = 1 "
        "and m.population = 'citizen' order by m.id",
    )
    own = load_run(run).table("memories").query("agent == 1 and population == 'citizen'")
    assert rows["id"].tolist() == own["id"].tolist()
    texts = load_run(run).texts
    assert rows["text"].tolist() == [texts[one] for one in own["text"]]


def test_arguments_and_lists_stay_what_they_are(run: Path) -> None:
    rows = query(run, "select hash from texts")
    assert set(rows["hash"]) == set(load_run(run).texts.index)
    rests = query(run, "select evidence from decisions where len(evidence) > 1 limit 1")
    assert len(rests["evidence"][0]) > 1


@pytest.mark.parametrize(
    ("sql", "error", "message"),
    [
        ("select * from memorie", UnknownNameError, "did you mean memories"),
        ("select * from memry", UnknownNameError, "did you mean memories"),
        ("select * from nothing_like_it", UnknownNameError, "there are agents_citizen"),
        ("selct 1", ParameterError, "syntax error"),
        ("select nobody from memories", ParameterError, '"nobody" not found'),
        ("select 1; select 2", ParameterError, "2 statements; give exactly one"),
        ("", ParameterError, "0 statements"),
        ("create table x as select 1", ParameterError, "CREATE would change"),
        ("copy memories to 'x.csv'", ParameterError, "COPY would change"),
        ("attach 'x.db'", ParameterError, "ATTACH would change"),
        ("set lock_configuration = false", ParameterError, "SET would change"),
        ("select * from read_csv('/etc/hostname')", ParameterError, "reads other files"),
        ("select * from glob('/*')", ParameterError, "reads other files"),
        ("select * from '/etc/hostname'", UnknownNameError, "no table '/etc/hostname'"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(
    sql: str, error: type[Exception], message: str, run: Path, empty: Path
) -> None:
    with pytest.raises(error, match=message) as caught:
        query(run, sql)
    assert "\n" not in str(caught.value)
    assert not list(empty.iterdir())


def test_files_of_the_run_cannot_be_written(run: Path) -> None:
    part = run / "tables" / "texts" / "part-00000.parquet"
    before = part.read_bytes()
    with pytest.raises(ParameterError, match="COPY would change"):
        query(run, f"copy (select 1) to '{str(part).replace(chr(39), chr(39) * 2)}'")
    assert part.read_bytes() == before


def test_python_variables_are_not_tables(run: Path) -> None:
    mine = pd.DataFrame({"a": [1]})
    with pytest.raises(UnknownNameError, match="'mine'"):
        query(run, "select * from mine")
    assert len(mine) == 1


def test_other_folders_are_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"neither the folder of a run .* nor of a sweep"):
        query(tmp_path, "select 1")
    killed = tmp_path / "killed"
    shutil.copytree(run, killed)
    change_manifest(killed, status="running")
    with pytest.raises(RunFolderError, match="memopolis resume"):
        query(killed, "select 1")


def test_a_name_that_is_a_pattern_is_of_one_run(run: Path, tmp_path: Path) -> None:
    count = "SELECT count(*) AS rows FROM measures"
    rows = query(run, count)["rows"].item()
    for name in ("a?b", "a[1]", "aXb", "a1", "a*"):
        shutil.copytree(run, tmp_path / name)
        assert query(tmp_path / name, count)["rows"].item() == rows


def test_the_command_prints_and_writes(run: Path, tmp_path: Path) -> None:
    result = memopolis(run, "select tick, agent from memories")
    rows = len(load_run(run).table("memories"))
    assert f"{rows:,} rows; the first 40 are shown, --out FILE writes all" in result.stdout
    assert len(result.stdout.splitlines()) == 1 + 40 + 4
    for ending, read in ((".csv", pd.read_csv), (".parquet", pd.read_parquet)):
        out = tmp_path / f"answer{ending}"
        assert memopolis(run, "select * from measures", "--out", out).exit_code == 0
        assert len(read(out)) == len(load_run(run).table("measures"))
    result = memopolis(run, "select sum(1000000) s, 'x' || chr(91) || 'y]' b from texts")
    assert "1 row" in result.stdout
    assert "x[y]" in result.stdout
    assert "e+" not in result.stdout


def test_a_sweep_is_asked_over_its_succeeded_runs(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "design.json").write_text("{}")
    shutil.copytree(run, tmp_path / "runs" / "aaa")
    Hurricane(agents=20, days=1, rng=2, orders="none").run(tmp_path / "runs" / "bbb")
    Hurricane(agents=20, days=1, rng=3).run(tmp_path / "runs" / "ccc")
    runs = pd.DataFrame(
        {
            "run": ["aaa", "bbb", "ccc"],
            "point": [0, 1, 1],
            "orders": ["default", "none", "none"],
            "mixed": [1, "two", None],
            "status": ["succeeded", "succeeded", "failed"],
        }
    )
    # Points of equal settings share their runs; these are not read twice.
    twice = pd.concat([runs, runs.head(1).assign(point=2)])
    found_sweep = SimpleNamespace(runs=twice, folder_of=lambda run: tmp_path / "runs" / run)
    monkeypatch.setattr("memopolis.analysis.sweep.results.load_sweep", lambda _: found_sweep)
    rows = query(
        tmp_path,
        "select run, point, orders, count(*) n from measures join runs using (run) group by all "
        "order by point",
    )
    lengths = [len(load_run(tmp_path / "runs" / name).table("measures")) for name in ("aaa", "bbb")]
    assert rows.to_dict("list") == {
        "run": ["aaa", "bbb", "aaa"],
        "point": [0, 1, 2],
        "orders": ["default", "none", "default"],
        "n": [*lengths, lengths[0]],
    }
    assert query(tmp_path, "select distinct run from memory_citizen order by run")[
        "run"
    ].tolist() == ["aaa", "bbb"]
    assert query(tmp_path, "select mixed from runs order by run")["mixed"].tolist()[::2] == [
        "1",
        "two",
    ]
    assert "runs" in set(query(tmp_path, "show tables")["name"])


def test_a_broken_table_is_reported(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    (part,) = (tmp_path / "run" / "tables" / "measures").glob("*.parquet")
    part.write_bytes(bytes(part.stat().st_size))
    with pytest.raises(RunFolderError, match="table 'measures' is broken"):
        query(tmp_path / "run", "select 1")


def test_the_first_rows_of_an_answer_are_given_and_all_are_counted(run: Path) -> None:
    sql = 'select tick, measure from measures order by tick, measure, "group"'
    whole = query(run, sql)
    pd.testing.assert_frame_equal(query(run, sql, most=5), whole.iloc[:5])
    assert len(query(run, sql, most=len(whole) + 1)) == len(whole)
    for counted in (sql, f"{sql};", f"{sql} -- in a comment;"):
        assert query(run, counted, count=True).to_dict("list") == {"rows": [len(whole)]}


def test_limits_change_no_answer(run: Path) -> None:
    for sql in ("select * from measures", "select sum(agent) s, [1, 2] l from decisions"):
        pd.testing.assert_frame_equal(query(run, sql, limits=QueryLimits()), query(run, sql))
    for wrong, error in (("selekt", ParameterError), ("select * from nobody", UnknownNameError)):
        with pytest.raises(error) as free:
            query(run, wrong)
        with pytest.raises(error) as limited:
            query(run, wrong, limits=QueryLimits())
        assert str(limited.value) == str(free.value)


FEW = QueryLimits(seconds=300, memory=1, answer=2)
SHORT = QueryLimits(seconds=4)
TOO_MUCH: tuple[tuple[str, QueryLimits, str], ...] = (
    # What DuckDB neither counts nor interrupts: one long value.
    ("select range(100000000)", FEW, "needs more than 1 GB of memory"),
    ("select range(i + 10000000) from range(300) t(i)", FEW, "needs more than 1 GB of memory"),
    ("select list(i) from range(1000000000) t(i)", FEW, "needs more than 1 GB of memory"),
    ("select levenshtein(repeat('a', 9000000), repeat('b', 9000000))", SHORT, "longer than 4 s"),
    ("select count(*) from range(1000000000000)", SHORT, "takes longer than 4 s"),
    ("select repeat('x', 3000000)", FEW, "has a result of 3 MB, more than 2 MB"),
)


@pytest.mark.parametrize(("sql", "limits", "message"), TOO_MUCH)
def test_what_takes_too_much_is_ended_and_refused(
    run: Path, sql: str, limits: QueryLimits, message: str
) -> None:
    with pytest.raises(
        ParameterError, match=f"^the query .*{message}; select fewer rows or columns$"
    ):
        query(run, sql, limits=limits)


def test_a_person_can_lift_the_limits(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "LIMITS", QueryLimits(answer=0.5, lifted_by="--no-limit"))
    sql = "select length(t) n from (select repeat('x', 1000000) t)"
    assert "1000000" in memopolis(run, sql).stdout
    result = memopolis(run, "select repeat('x', 1000000) t")
    assert result.exit_code == 2
    assert "rows or columns, or lift the limits with --no-limit" in " ".join(result.stderr.split())
    assert memopolis(run, "select repeat('x', 1000000) t", "--no-limit").exit_code == 0


def test_a_step_is_asked_for(run: Path, tmp_path: Path) -> None:
    ticks = query(run, "select distinct tick from measures order by tick", step=5)["tick"]
    assert ticks.tolist() == [0, 1, 2, 3, 4]
    later = query(run, "select count(*) n from measures", step=10**6)
    assert later["n"].tolist() == [len(load_run(run).table("measures"))]
    assert "memory_citizen" not in set(query(run, "show tables", step=5)["name"])
    (tmp_path / "design.json").write_text("{}")
    with pytest.raises(ParameterError, match="a step of a sweep"):
        query(tmp_path, "select 1", step=5)
