"""Check, build and tag a release: `python tools/release.py [--tag]`.

CONTRIBUTING.md describes the steps before. Without `--tag`, nothing outside `dist/` changes.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")


class ReleaseError(Exception):
    """A release that cannot be made, and why."""


@dataclass(frozen=True)
class Release:
    """A checkout of the repository that is to be released."""

    root: Path

    def check(self) -> str:
        """Return the version. Raises ReleaseError if the checkout is not ready for a release."""
        version = self.read_version()
        self.check_citation(version)
        self.check_changelog(version)
        if self.run_git("status", "--porcelain"):
            raise ReleaseError("the work tree has changes; commit or remove them")
        if self.run_git("tag", "--list", f"v{version}"):
            raise ReleaseError(f"the tag v{version} exists; set a new version in pyproject.toml")
        return version

    def read_version(self) -> str:
        """Return the version of pyproject.toml."""
        project = tomllib.loads(self.read("pyproject.toml"))["project"]
        version = str(project["version"])
        if not VERSION.fullmatch(version):
            raise ReleaseError(
                f"version {version} in pyproject.toml: it must be MAJOR.MINOR.PATCH, optionally "
                "with aN, bN or rcN"
            )
        return version

    def check_citation(self, version: str) -> None:
        """Raise ReleaseError unless CITATION.cff names the version."""
        cited = re.search(r"^version: (.+)$", self.read("CITATION.cff"), re.MULTILINE)
        if cited is None or cited[1] != version:
            raise ReleaseError(
                f"CITATION.cff names version {cited and cited[1]}; change it to {version}"
            )

    def check_changelog(self, version: str) -> None:
        """Raise ReleaseError unless the changelog has a dated section and no fragment is left."""
        fragments = [
            path.name for path in (self.root / "changelog.d").iterdir() if path.name != "README.md"
        ]
        heading = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d{{2}}-\d{{2}}$"
        section = re.search(heading, self.read("CHANGELOG.md"), re.MULTILINE)
        if fragments or section is None:
            raise ReleaseError(
                f"CHANGELOG.md has no section '## [{version}] - DATE', or changelog.d/ still has "
                f"fragments; run `towncrier build --yes --version {version}`"
            )

    def build(self, version: str) -> list[Path]:
        """Build the source distribution and the wheel from the commit, and return their paths."""
        folder = self.root / "dist"
        shutil.rmtree(folder, ignore_errors=True)
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
        subprocess.run([*command, str(self.root)], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        files = sorted(folder.iterdir())
        names = [f"memopolis-{version}-py3-none-any.whl", f"memopolis-{version}.tar.gz"]
        if [path.name for path in files] != names:
            raise ReleaseError(f"dist/ has {[path.name for path in files]} instead of {names}")
        return files

    def tag(self, version: str) -> None:
        """Create an annotated tag with the version."""
        self.run_git("tag", "--annotate", f"v{version}", "--message", f"Memopolis {version}")

    def run_git(self, *arguments: str) -> str:
        """Run git in the checkout and return what it prints."""
        git = shutil.which("git")
        if git is None:
            raise ReleaseError("git is not installed")
        command = [git, "-C", str(self.root), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603

    def read(self, name: str) -> str:
        """Return the text of a file."""
        return (self.root / name).read_text(encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Make the release, and print what comes next."""
    release = Release(ROOT)
    try:
        version = release.check()
        files = release.build(version)
        if "--tag" in arguments:
            release.tag(version)
    except ReleaseError as error:
        sys.exit(f"No release: {error}")
    for path in files:
        sys.stdout.write(f"built {path.relative_to(ROOT)}\n")
    following = (
        f"Tagged v{version}. Push it with `git push origin v{version}`, then upload dist/."
        if "--tag" in arguments
        else f"Version {version} is ready. `make release TAG=--tag` tags it."
    )
    sys.stdout.write(f"{following}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
