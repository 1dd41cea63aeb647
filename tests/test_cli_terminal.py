"""The command line in terminals that cannot encode all characters, and ctrl-C after a run."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memopolis.cli import app
from memopolis.commands import running
from memopolis.scenarios.polarization import Polarization

SIZE = ("--agents", "20", "--days", "1", "--seed", "1")
PAST = "agent,topic,text\n1,social,Zoë → 你好 met me 🙂\n"


def memopolis(*arguments: str | Path, charset: str = "utf-8") -> Result:
    return CliRunner(charset=charset).invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("terminal")
    past = folder / "past.csv"
    past.write_text(PAST, encoding="utf-8")
    return Polarization(agents=20, days=1, rng=1, memories=str(past)).run(folder / "run")


@pytest.mark.parametrize("charset", ["latin-1", "ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize(
    "words",
    [
        ("show", "RUN", "--agent", "1", "--memories", "50"),
        ("interview", "RUN", "What about Zoë?", "--agent", "1"),
        pytest.param(
            ("query", "RUN", "select text from texts where text like '%met me%'"),
            marks=pytest.mark.extras,
        ),
    ],
    ids=lambda words: words[0],
)
def test_characters_that_the_terminal_lacks_are_replaced(
    run: Path, words: tuple[str, ...], charset: str
) -> None:
    result = memopolis(*(run if word == "RUN" else word for word in words), charset=charset)
    assert result.exit_code == 0, result.output
    expected = PAST.splitlines()[1].split(",")[2].encode(charset, "replace").decode(charset)
    assert expected in " ".join(result.stdout.split())


def test_ctrl_c_during_the_report_names_the_command_that_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Path) -> Path:
        raise KeyboardInterrupt

    folder = tmp_path / "a run"
    with monkeypatch.context() as patch:
        patch.setattr(running, "write_report", interrupted)
        result = memopolis("run", "polarization", *SIZE, "--out", folder)
    assert result.exit_code == 130
    advice = f"write its report with `memopolis report '{folder}'`"
    assert f"memopolis: interrupted after the end of the run; {advice}" in result.stderr
    assert not (folder / "report.html").exists()
    assert memopolis("report", folder).exit_code == 0
    assert (folder / "report.html").exists()
