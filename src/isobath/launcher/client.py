"""Client of the launcher: ``python -IS client.py <stage> <arguments>`` runs a stage there, or else by ``python -m``."""

import contextlib
import json
import os
import resource
import signal
import socket
import sys

ADDRESS = "ISOBATH_LAUNCHER"  # the variable with the path of the socket; any other text turns the launcher off
PATIENCE = 120.0  # seconds for the launcher to answer: it may still be importing
PASSED_ON = (
    *(signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT),
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGTSTP, signal.SIGCONT),
)


def run(*words: str) -> None:
    """Run a module with arguments and end as it ends: with its exit status, or by the same signal."""
    launcher = socket.socket(socket.AF_UNIX)
    if not _accepts(launcher, words):
        os.execv(sys.executable, [sys.executable, "-P", "-m", *words])  # noqa: S606

    def pass_on(number: int, _: object) -> None:
        with contextlib.suppress(OSError):  # the job has just ended
            launcher.send(bytes([signal.SIGSTOP if number == signal.SIGTSTP else number]))
        if number == signal.SIGTSTP:  # Ctrl-Z in a terminal
            os.kill(os.getpid(), signal.SIGSTOP)

    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    for number in PASSED_ON:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, pass_on)
    with contextlib.suppress(OSError):
        launcher.send(b"\0")  # the job begins when its signals reach it
    signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
    answer = b""  # nothing comes from a launcher that was killed
    with contextlib.suppress(ConnectionError):
        answer = launcher.recv(16)
    status = int(answer or -signal.SIGKILL)
    if status >= 0:
        sys.exit(status)
    if status != -signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
    sys.exit(128 - status)  # the signal is blocked: as a shell names it


def place() -> dict[str, object]:
    """Return what a job takes from the process that starts it: environment, folder, Python, priority, cores, limits."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    limits = [resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")]
    process = {"environment": dict(os.environ), "folder": os.path.realpath("."), "python": sys.executable}
    return {**process, "limits": [os.getpriority(os.PRIO_PROCESS, 0), cores, *map(list, limits)]}


def _accepts(launcher: socket.socket, words: tuple[str, ...]) -> bool:
    """Ask for a job in the place of this process, with its umask and files; tell whether it is there."""
    if launcher.fileno() < 3:  # in the place of a file that this process does not have, and a job would not have either
        return False
    os.umask(umask := os.umask(0))
    try:
        launcher.settimeout(PATIENCE)
        launcher.connect(os.environ.get(ADDRESS, ""))
        socket.send_fds(launcher, [b"."], [0, 1, 2])
        launcher.sendall(json.dumps({**place(), "umask": umask, "words": words}).encode() + b"\n")
        there = bool(launcher.recv(1))
        launcher.settimeout(None)
    except OSError:
        return False
    return there


if __name__ == "__main__":
    run(f"isobath.stages.{sys.argv[1]}", *sys.argv[2:])
