"""Private words that no archive may hold: folders, users and hosts of the machine that made it, and keys."""

import getpass
import re
import socket
from collections.abc import Iterable
from pathlib import Path

_HOMES = rb"(?<![\w.-])/(?:home|Users)/[\w.-]+"
_KEYS = (
    rb"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    rb"\bgh[pousr]_[A-Za-z0-9]{36}",
    rb"\bgithub_pat_\w{50}",
    rb"\bglpat-[\w-]{20}",
    rb"\bhf_[A-Za-z0-9]{34}",
    rb"\bAKIA[A-Z0-9]{16}\b",
)


def pattern(folders: Iterable[Path]) -> re.Pattern[bytes]:
    """Compile a pattern of the private words of this machine.

    They are its ``folders``, the home of the user, the user at this host, the homes of other users, and keys. A folder
    at the root, such as /work or the home / in a container, names nobody.
    """
    places = [str(folder) for folder in [*_homes(), *folders] if len(folder.parts) > 2]
    words = [*places, *(f"{user}@{socket.gethostname()}" for user in _users())]
    words_here = [rb"(?<![\w.-])" + re.escape(word.encode()) + rb"(?![\w-]|\.\w)" for word in words]
    return re.compile(b"|".join([*words_here, _HOMES, *_KEYS]))


def _homes() -> list[Path]:
    """Return the home of the user; none where neither $HOME nor the list of users has one, as in a container."""
    try:
        return [Path.home()]
    except RuntimeError:
        return []


def _users() -> list[str]:
    """Return the name of the user; none for a number without a name."""
    try:
        return [getpass.getuser()]
    except (KeyError, OSError):
        return []


def leak(contents: Iterable[tuple[str, bytes | Path]], folders: Iterable[Path]) -> str:
    """Name the first of some files that has a private word, and the word; "" if none has.

    ``folders`` are those of this machine that no file may name, as they are written and where links lead.
    """
    words = pattern({place for folder in folders for place in (folder.absolute(), folder.resolve())})
    for name, content in contents:
        if match := first_match(content if isinstance(content, bytes) else content.read_bytes(), words):
            return f"{name} contains {match!r}"
    return ""


def first_match(content: bytes, pattern: re.Pattern[bytes]) -> str | None:
    """Return the first private word in ``content``, None if there is none."""
    match = pattern.search(content)
    return match and match.group().decode(errors="replace")
