"""Hooks, templates, changelog and release script agree with each other and with `make check`."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from tools.release import Release, ReleaseError

ROOT = Path(__file__).parents[2]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def commands_of_check() -> set[str]:
    """Return what `make check` runs, without redirections."""
    recipe = text_of("Makefile").partition("\ncheck: setup")[2].partition("\n\n")[0]
    commands = re.findall(r"\$\(BIN\)/([^\n)]+)", recipe)
    return {re.sub(r" 2?>.*", "", command) for command in commands}


def test_hooks_run_what_make_check_runs() -> None:
    (local,) = yaml.safe_load(text_of(".pre-commit-config.yaml"))["repos"]
    hooks = {hook["entry"].removeprefix(".venv/bin/") for hook in local["hooks"]}
    assert local["repo"] == "local"
    assert hooks == commands_of_check()
    assert len(hooks) == 7


def test_the_container_runs_a_target_of_make() -> None:
    container = json.loads(text_of(".devcontainer/devcontainer.json"))
    target = container["postCreateCommand"].removeprefix("make ")
    assert re.search(rf"^{target}:.*## ", text_of("Makefile"), re.MULTILINE)


@pytest.mark.parametrize("name", ["bug", "proposal"])
def test_issue_templates_ask_for_text_with_labels(name: str) -> None:
    form = yaml.safe_load(text_of(f".github/ISSUE_TEMPLATE/{name}.yml"))
    assert {"name", "description", "body"} <= set(form)
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids))
    for field in form["body"]:
        assert field["type"] == "textarea"
        assert field["attributes"]["label"]


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    text = text_of("CHANGELOG.md")
    assert "<!-- towncrier release notes start -->\n" in text
    kinds = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    *releases, first = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert first == "Development before 0.1.0"
    assert all(re.fullmatch(r"\[\S+\] - \d{4}-\d{2}-\d{2}", heading) for heading in releases)


@pytest.fixture
def checkout(tmp_path: Path) -> Release:
    """A repository that is ready for the release 0.2.0."""
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("version: 0.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [0.2.0] - 2030-01-02\n")
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / "README.md").write_text("Fragments.\n")
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    release = Release(tmp_path)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)  # noqa: S607
    for key, value in (("user.name", "Ann"), ("user.email", "ann@example.org")):
        release.run_git("config", key, value)
    release.run_git("add", ".")
    release.run_git("commit", "--quiet", "--message", "Prepare 0.2.0")
    return release


def test_a_prepared_checkout_is_tagged_once(checkout: Release) -> None:
    assert checkout.check() == "0.2.0"
    checkout.tag("0.2.0")
    assert checkout.run_git("cat-file", "-t", "v0.2.0").strip() == "tag"
    with pytest.raises(ReleaseError, match=r"tag v0\.2\.0 exists"):
        checkout.check()


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("pyproject.toml", '[project]\nversion = "2.0"\n', "must be MAJOR"),
        ("CITATION.cff", "version: 0.1.0\n", r"names version 0\.1\.0"),
        ("CHANGELOG.md", "# Changelog\n\n## [0.2.0] - not released\n", "no section"),
        ("changelog.d/+new.added.md", "News.\n", "fragments"),
        ("notes.txt", "A file that is not committed.\n", "work tree has changes"),
    ],
)
def test_what_is_missing_for_a_release_is_an_error(
    checkout: Release, file: str, content: str, message: str
) -> None:
    (checkout.root / file).write_text(content)
    with pytest.raises(ReleaseError, match=message):
        checkout.check()
