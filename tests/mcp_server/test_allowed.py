"""What a client may set: no model, no file, not too much."""

from pathlib import Path

import pytest

from memopolis import Hurricane
from memopolis.errors import SettingsError

pytest.importorskip("mcp")

from memopolis.mcp_server.making_tools import change_settings

USUAL = Hurricane.settings_class()


def test_plain_settings_are_accepted() -> None:
    options = {
        "agents": 30,
        "days": "2",
        "social.tell": 0.5,
        "orders": "none",
        "survey.ask": ["ces_d"],
        "start": "2019-08-30 12:00",
    }
    assert change_settings(USUAL, options).agents == 30


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("mind", "llm", "mind was given 'llm'; models"),
        ("llm", {"base_url": "http://somewhere"}, "llm.base_url was given .* models"),
        ("embedder", "openai:m@http://somewhere", "embedder was given .* models"),
        ("llm.cassette", "here", "llm.cassette was given 'here', .* files are not allowed here"),
        ("llm.prompts", "here", "llm.prompts was given 'here', .* files are not allowed here"),
        (
            "profiles",
            "/etc/passwd",
            "profiles was given '/etc/passwd', .* files are not allowed here",
        ),
        ("memories", "../secret.csv", "memories was given .*; files are not allowed here"),
        ("news", "news.csv", "news was given .*; files are not allowed here"),
        (
            "survey.ask",
            ["phq9", "~/mine.toml"],
            "survey.ask was given .*; files are not allowed here",
        ),
        ("storm", "C:\\storm", "storm was given .*; files are not allowed here"),
        ("orders", "plain", "orders was given .*; files are not allowed here"),
        ("agents", 10_000_000, "at most 5,000,000"),
    ],
)
def test_models_files_and_large_runs_are_refused(
    key: str, value: object, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain").write_text("x")
    with pytest.raises(SettingsError, match=message):
        change_settings(USUAL, {key: value})
