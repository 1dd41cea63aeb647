"""The API key: what is refused, and what of it is found in a text."""

import json
import urllib.parse
from base64 import b64encode, urlsafe_b64encode

import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.model_server.key import KEY, MASK, KeyMask, read_key

SECRET = "sk-Proj/a+b_0123456789"  # noqa: S105 - no server knows it
ESCAPED = "".join(f"\\u{ord(character):04x}" for character in SECRET)


@pytest.mark.parametrize(
    ("key", "what"),
    [
        (f"{SECRET}\n", "a line break at position 23 of 23"),
        (f"\r{SECRET}", "a line break at position 1 of 23"),
        (f"Bearer {SECRET}", "a blank at position 7 of 29"),
        ("   ", "a blank at position 1 of 3"),
        (f"{SECRET}\x07", "a control character"),
        (f"{SECRET}é", "a character that is not ASCII"),
        (f"{SECRET}\u2028", "a blank"),
        (f"{SECRET}\udcff", "a character that is not ASCII"),
    ],
)
def test_a_malformed_key_is_refused_without_quoting_it(
    key: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, key)
    with pytest.raises(ParameterError, match=f"{KEY} has {what}") as refused:
        read_key()
    assert len(str(refused.value).splitlines()) == 1
    assert SECRET not in str(refused.value)


def test_the_key_is_read_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    assert read_key() == SECRET
    monkeypatch.delenv(KEY)
    assert read_key() == ""


@pytest.mark.parametrize(
    "echo",
    [
        SECRET,
        SECRET.upper(),
        f"Bearer {SECRET}, {SECRET}!",
        json.dumps({SECRET: SECRET}),
        json.dumps(SECRET).replace("/", "\\/"),
        json.dumps(json.dumps({"reason": SECRET})),
        ESCAPED,
        json.dumps(json.dumps(ESCAPED)),
        urllib.parse.quote(SECRET, safe=""),
        urllib.parse.quote(urllib.parse.quote(SECRET, safe=""), safe=""),
        "".join(f"%{ord(character):02X}" for character in SECRET),
        "".join(f"&#{ord(character)};" for character in SECRET),
        "".join(f"&#x{ord(character):X};" for character in SECRET),
        SECRET.encode().hex(),
        b64encode(SECRET.encode()).decode(),
        urlsafe_b64encode(f"Bearer {SECRET}".encode()).decode(),
        b64encode(f"user:{SECRET}:more".encode()).decode(),
    ],
)
def test_the_key_is_masked_in_every_form(echo: str) -> None:
    masked = KeyMask(SECRET)(f"It is {echo}. Yes.")
    assert MASK in masked
    assert masked.startswith("It is ")
    assert masked.endswith(". Yes.")
    for part in (SECRET, ESCAPED, SECRET.encode().hex(), b64encode(SECRET.encode()).decode()[2:18]):
        assert part.lower() not in masked.lower()


def test_text_around_the_key_is_unchanged() -> None:
    text = json.dumps({"reason": f'I said "{SECRET}" to\nher.', "rating": 5})
    assert json.loads(KeyMask(SECRET)(text)) == {
        "reason": f'I said "{MASK}" to\nher.',
        "rating": 5,
    }


@pytest.mark.parametrize("key", ["", "x", "none", "EMPTY", "ollama", "anything", "placeholder"])
def test_placeholders_are_not_masked(key: str) -> None:
    text = f"There is {key} of it: x, none, anything."
    assert KeyMask(key)(text) == text


@pytest.mark.parametrize("key", ["lm-studio", "12345678", "averylongsecretword"])
def test_possible_keys_are_masked(key: str) -> None:
    assert KeyMask(key)(f"({key})") == f"({MASK})"


def test_errors_and_their_causes_are_masked() -> None:
    first = ValueError(f"illegal header: {SECRET}")
    second = RuntimeError("broken", SECRET.encode())
    second.__cause__ = first
    first.__context__ = second  # a loop ends
    KeyMask(SECRET).mask_error(second)
    assert SECRET not in repr(first) + repr(second)
