"""What a client may set: no model, no file, not too much."""

from pathlib import Path

import pytest

from memopolis import Hurricane, SettingsError
from memopolis.mcp_server.allowed import check_changes, check_size


def test_plain_settings_are_taken() -> None:
    given = {
        "agents": 30,
        "days": "2",
        "social.tell": 0.5,
        "orders": "none",
        "start": "2019-08-30 12:00",
    }
    assert check_changes(given)["social"] == {"tell": 0.5}
    Hurricane.settings_class().with_changes(check_changes(given))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mind", "llm"),
        ("llm.model", "small"),
        ("llm.cassette", "here"),
        ("llm", {"base_url": "http://somewhere"}),
        ("embedder", "openai"),
        ("archetype.by", ["age"]),
    ],
)
def test_models_belong_to_who_starts_the_server(key: str, value: object) -> None:
    with pytest.raises(SettingsError, match="belong to who starts the server"):
        check_changes({key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("profiles", "/etc/passwd"),
        ("memories", "../secret.csv"),
        ("news", "news.csv"),
        ("survey.ask", ["phq9", "~/mine.toml"]),
        ("storm", "C:\\storm"),
        ("orders", "plain"),
    ],
)
def test_no_file_is_read(
    key: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain").write_text("x")
    with pytest.raises(SettingsError, match=f"{key} was given"):
        check_changes({key: value})


def test_a_large_run_and_one_with_a_model_are_refused() -> None:
    settings = Hurricane.settings_class()
    check_size(settings.with_changes({"agents": 300, "days": 3}))
    with pytest.raises(SettingsError, match="at most 5,000,000"):
        check_size(settings.with_changes({"agents": 100_000, "days": 14}))
    with pytest.raises(SettingsError, match="only runs by rule"):
        check_size(settings.with_changes({"agents": 30, "mind": "llm", "llm.model": "x"}))
