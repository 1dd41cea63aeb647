"""JSON with a format and a checksum: the same values again, or refused."""

from pathlib import Path

import pytest

from memopolis.sim.checksums import read_sealed, write_sealed
from memopolis.sim.errors import RunFolderError

CONTENT = {"name": "飓风", "numbers": [1, 2.5, None], "nested": {"yes": True}}


def test_values_survive_a_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    write_sealed(path, CONTENT, version=3, key="memory")
    assert path.read_text().startswith('{"format": 3, "crc32": "')
    assert read_sealed(path, version=3, key="memory") == CONTENT


def test_every_flipped_byte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    write_sealed(path, CONTENT, version=3, key="memory")
    whole = path.read_bytes()
    for place in range(len(whole)):
        flipped = bytes([whole[place] ^ 1 << place % 8])
        path.write_bytes(whole[:place] + flipped + whole[place + 1 :])
        with pytest.raises(RunFolderError, match=r"values\.json"):
            read_sealed(path, version=3, key="memory")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "lacks its format and its checksum"),
        ('{\n "format": 2,\n "now": 3}\n', "has format 2; this version reads 3"),
        ('{"format": 3, "crc32": "00000000", "memory":\n{}}\n', "has the checksum"),
        ('{"format": 3, "crc32": "00000000", "state":\n{}}\n', "lacks its format"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "values.json"
    path.write_text(text)
    with pytest.raises(RunFolderError, match=problem):
        read_sealed(path, version=3, key="memory")


def test_values_nested_too_deeply_are_refused(tmp_path: Path) -> None:
    from zlib import crc32

    body = b"[" * 100_000
    head = f'{{"format": 3, "crc32": "{crc32(body):08x}", "memory":\n'.encode()
    (tmp_path / "values.json").write_bytes(head + body + b"}\n")
    with pytest.raises(RunFolderError, match="not a JSON object"):
        read_sealed(tmp_path / "values.json", version=3, key="memory")
