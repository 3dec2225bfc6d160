"""What no archive may hold: where it was made and by whom, and keys."""

import getpass
import re
import socket
from collections.abc import Iterable
from pathlib import Path

_HOMES = rb"/(?:home|Users)/[\w.-]+"
_KEYS = (
    rb"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    rb"\bgh[pousr]_[A-Za-z0-9]{36}",
    rb"\bgithub_pat_\w{50}",
    rb"\bglpat-[\w-]{20}",
    rb"\bhf_[A-Za-z0-9]{34}",
    rb"\bAKIA[A-Z0-9]{16}\b",
)


def pattern(folders: Iterable[Path]) -> re.Pattern[bytes]:
    """What betrays this machine: its ``folders`` and the user's home, the user at this host, homes anywhere, keys."""
    places = [str(folder) for folder in (Path.home(), *folders) if folder != folder.parent]
    words = [*places, f"{getpass.getuser()}@{socket.gethostname()}"]
    own = [rb"(?<![\w.-])" + re.escape(word.encode()) + rb"(?![\w.-])" for word in words]
    return re.compile(b"|".join([*own, _HOMES, *_KEYS]))


def betrayal(content: bytes, what: re.Pattern[bytes]) -> str | None:
    """The first thing in ``content`` that ``what`` finds."""
    match = what.search(content)
    return match and match.group().decode(errors="replace")
