"""The API key: read from the environment, checked, and masked in whatever a server sends back."""

import logging
import os
import re
from base64 import b64encode, urlsafe_b64encode

from memopolis.sim.errors import ParameterError

KEY = "OPENAI_API_KEY"  # environment variable with the key
PUBLIC = "https://api.openai.com/v1"  # default server
MASK = f"[{KEY}]"  # text that replaces the key

_SHORTEST = 8  # minimum length of a key that is masked
_LONGEST_WORD = 15
"""Longest key that passes for a word, and is not masked, if it is made of letters alone."""
_BACKSLASHES = 16
"""Maximum number of backslashes before a character: JSON within JSON, four deep, needs 15."""
_ESCAPE = re.compile(r"[\\%]|&#")
_LOGGERS = frozenset({"httpcore", "httpcore2", "httpx", "httpx2", "openai"})


def read_key() -> str:
    """Return the key, "" if the environment has none; an error about it does not quote it."""
    key = os.environ.get(KEY, "")
    wrong = re.search(r"[^!-~]", key)
    if wrong is None:
        return key
    if wrong[0] in "\r\n":
        what = "a line break"
    elif wrong[0].isspace():
        what = "a blank"
    else:
        what = "a control character" if wrong[0].isascii() else "a character that is not ASCII"
    raise ParameterError(
        f"the environment variable {KEY} has {what} at position {wrong.start() + 1} of "
        f"{len(key)}; a key consists of visible ASCII characters only: set it again without"
    )


class KeyMask:
    """Mask a key in texts: plain, escaped for JSON, URLs or HTML, in base64 or in hex.

    Placeholders, as often used for local servers, are not masked, since that would garble ordinary
    texts: keys of fewer than 8 characters, and words of fewer than 16 letters.
    """

    def __init__(self, key: str) -> None:
        self._forms = _forms(key)
        self._pattern = re.compile("|".join(map(_escaped_form, self._forms)), re.IGNORECASE)

    def __call__(self, text: str) -> str:
        """Return a text with a mask in place of each occurrence of the key."""
        if not self._forms:
            return text
        if not _ESCAPE.search(text):  # as in vectors, which are long: the pattern takes its time
            lowered = text.lower()
            if not any(form.lower() in lowered for form in self._forms):
                return text
        return self._pattern.sub(MASK, text)

    def mask_error(self, error: BaseException) -> None:
        """Mask the key in an error and in all that led to it: they quote what a server sent."""
        pending, seen = [error], set[int]()
        while pending:
            one = pending.pop()
            seen.add(id(one))
            one.args = tuple(self(str(arg)) for arg in one.args)
            causes = (one.__cause__, one.__context__)
            pending += [cause for cause in causes if cause is not None and id(cause) not in seen]


class LogMask(logging.Filter):
    """Mask the key in log records of the HTTP packages, such as headers of an answer."""

    def __init__(self, mask: KeyMask) -> None:
        super().__init__()
        self._mask = mask
        self._loggers = [
            logging.getLogger(name)
            for name in list(logging.root.manager.loggerDict)
            if name.partition(".")[0] in _LOGGERS
        ]
        for logger in self._loggers:
            logger.addFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask the key in a record; every record passes."""
        record.msg, record.args = self._mask(record.getMessage()), ()
        return True

    def remove(self) -> None:
        """Stop masking."""
        for logger in self._loggers:
            logger.removeFilter(self)


def _forms(key: str) -> list[str]:
    """Return what is searched for, the longest first; nothing for a placeholder."""
    if len(key) < _SHORTEST or (key.isalpha() and len(key) <= _LONGEST_WORD):
        return []
    forms = {key, key.encode().hex(), *_base64_forms(key.encode())}
    return sorted(forms, key=lambda form: (-len(form), form))


def _base64_forms(key: bytes) -> set[str]:
    """Return the base64 characters determined by the key alone, for each of its alignments."""
    forms = set()
    for before in range(3):
        first = -(-before * 8 // 6)
        last = (before + len(key)) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            forms.add(encode(bytes(before) + key).decode()[first:last])
    return forms


def _escaped_form(text: str) -> str:
    return "".join(map(_escaped_character, text))


def _escaped_character(character: str) -> str:
    r"""Return the pattern of a character, plain or escaped: `/` is also `\/` or `\u002f`."""
    code = f"{ord(character):02x}"
    html = rf"&#(?:x0{{0,4}}{code}|0{{0,4}}{ord(character)});"
    if character == "\\":
        return rf"(?:\\{{1,{_BACKSLASHES}}}+(?:[ux](?:00)?{code})?|%(?:25)?{code}|{html})"
    backslashes = rf"\\{{0,{_BACKSLASHES}}}+"
    return rf"(?:{backslashes}(?:{re.escape(character)}|[ux](?:00)?{code})|%(?:25)?{code}|{html})"
