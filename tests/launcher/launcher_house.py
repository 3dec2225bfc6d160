"""A house with a launcher, for its tests: a copy of the package with a stage that says where it runs."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from house import fresh

from isobath.launcher import server
from isobath.launcher.client import ADDRESS

PROBE = '''"""A stage that says where it runs."""

import atexit, json, os, resource, signal, sys, threading, time, weakref


def main(words):
    if words[0] == "sleep":
        if "saves" in words:
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
        print(os.getpid(), flush=True)
        time.sleep(100)
    elif words[0] == "end":
        sys.exit(int(words[1]))
    elif words[0] == "raise":
        raise ValueError(words[1])
    elif words[0] == "abort":
        os.abort()
    elif words[0] == "limits":
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
        print(os.nice(0), cores, *resource.getrlimit(resource.RLIMIT_NOFILE), "torch" in sys.modules)
    elif words[0] == "late":
        weakref.finalize(main, print, "what was finalized")
        atexit.register(print, "what was registered")
        threading.Thread(target=lambda: (time.sleep(0.2), print("a thread"))).start()
        print("the job", end=", ")
    else:
        os.umask(umask := os.umask(0))
        here = {"umask": umask, "folder": os.getcwd(), "variable": os.environ.get("TMPDIR"), "words": words}
        place = {"name": __name__, "input": sys.stdin.read(), "warm": "torch" in sys.modules}
        print(json.dumps({**here, **place}))
        print("trouble", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
'''
NO_PROCESS = """
import os
fork, depth = os.fork, 0


def limited():
    global depth
    if os.path.exists(f"{os.path.dirname(__file__)}/no_process_{depth}"):
        raise BlockingIOError("no process is left")
    pid = fork()
    depth += pid == 0
    return pid


os.fork = limited
"""
HOLDER = """
import os, sys
from isobath.launcher import server
server.begin(int(sys.argv[1]))
print(os.environ.get("ISOBATH_LAUNCHER", ""), flush=True)
sys.stdin.read()
"""
ONE = {f"{name}_THREADS": "1" for name in server.THREADS}


class House:
    """A copy of the package with a stage that prints where it runs, and a process in the place of Snakemake."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {k: v for k, v in os.environ.items() if k not in (ADDRESS, "SLURM_JOB_ID")}
        self.environment |= {"PYTHONPATH": str(folder / "src"), "PYTHONWARNINGS": "ignore"} | ONE

    def hold(self, jobs: int = 100, **variables: str) -> subprocess.Popen[str]:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        words = [sys.executable, "-c", HOLDER, str(jobs)]
        self.holder = subprocess.Popen(words, cwd=self.folder, env=self.environment | variables, **pipes)
        self.address = self.holder.stdout.readline().strip()
        return self.holder

    @property
    def launcher(self) -> psutil.Process:
        return psutil.Process(self.holder.pid).children()[0]

    def begin(self, *words: str, cwd: Path | None = None, before: str = "", **variables: str) -> subprocess.Popen[str]:
        """Begin a client as a shell line of the workflow does."""
        client = self.folder / "src/isobath/launcher/client.py"
        line = f'{before}\nexec python -IS "{client}" probe "$@"'
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = self.environment | {ADDRESS: self.address, "PATH": self.environment["PATH"]} | variables
        assert shutil.which("python", path=environment["PATH"]) == shutil.which("python", path=path)
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(
            [shutil.which("bash"), "-c", line, "sh", *words],
            cwd=cwd or self.folder,
            env=environment,
            text=True,
            **pipes,
        )

    def run(self, *words: str, **how: str) -> tuple[int, str, str]:
        client = self.begin(*words, **how)
        out, error = client.communicate("some input")
        return client.returncode, out, error

    def where(self, **how: str) -> dict[str, object]:
        status, out, error = self.run("a word", "ä ' \n", **how)
        assert (status, error.splitlines()[-1:]) == (0, ["trouble"])
        return json.loads(out) | {"told": error.removesuffix("trouble\n")}


def furnished(folder: Path) -> House:
    """Make a house, without a launcher yet."""
    folder = fresh(folder)
    (folder / "src/isobath/stages/probe.py").write_text(PROBE, encoding="utf-8")
    (folder / "src/sitecustomize.py").write_text(NO_PROCESS, encoding="utf-8")
    made = House(folder)
    made.environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return made


def eventually(holds: Callable[[], bool]) -> bool:
    """Tell whether something holds within seconds."""
    end = time.monotonic() + 10
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return held


def gone(pid: int) -> bool:
    """Tell whether a process ends within seconds."""

    def ended() -> bool:
        try:
            return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    return eventually(ended)
