"""Client of the launcher: ``python -IS client.py <stage> <arguments>`` runs a stage there, or else by ``python -m``."""

import json
import os
import signal
import socket
import sys

ADDRESS = "ISOBATH_LAUNCHER"  # the variable with the path of the socket; any other text turns the launcher off
PATIENCE = 120.0  # seconds for the launcher to answer: it may still be importing


def run(*words: str) -> None:
    """Run a module with arguments and end as it ends: with its exit status, or by the same signal."""
    launcher = socket.socket(socket.AF_UNIX)
    if not _accepts(launcher, words):
        os.execv(sys.executable, [sys.executable, "-P", "-m", *words])  # noqa: S606
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: launcher.send(bytes([number])))
    status = int(launcher.recv(16) or -signal.SIGKILL)  # nothing comes from a launcher that was killed
    if status >= 0:
        sys.exit(status)
    if status != -signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)


def _accepts(launcher: socket.socket, words: tuple[str, ...]) -> bool:
    """Ask for a job with the environment, folder, umask and files of this process; tell whether it has begun."""
    os.umask(umask := os.umask(0))
    place = {"environment": dict(os.environ), "folder": os.path.realpath("."), "python": sys.executable}
    try:
        launcher.settimeout(PATIENCE)
        launcher.connect(os.environ.get(ADDRESS, ""))
        socket.send_fds(launcher, [b"."], [0, 1, 2])
        launcher.sendall(json.dumps({**place, "umask": umask, "words": words}).encode() + b"\n")
        begun = bool(launcher.recv(1))
        launcher.settimeout(None)
    except OSError:
        return False
    return begun


if __name__ == "__main__":
    run(f"isobath.stages.{sys.argv[1]}", *sys.argv[2:])
