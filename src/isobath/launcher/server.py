"""Launcher of jobs: a process that has imported what the stages need, and forks for every job that a client asks for.

While no client asks it reads the code of the package, whose fingerprint each job checks. It takes jobs of its own code,
environment, folder, Python, priority, cores and limits alone. It ends with Snakemake, which holds the other end of its
input, and a job ends with its client or the launcher. It forks before the process starts a thread, multiplies matrices
or initialises CUDA.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isobath import binding, fingerprints, plugins, roots
from isobath.disk import processors
from isobath.launcher.client import ADDRESS, place

PACKAGE = Path(__file__).parents[1]
FEWEST = 4  # jobs for which a launcher is worth its start
# Variables that may differ in a job.
OWN = {"_", "SHLVL", "SHELLOPTS", "PWD", "OLDPWD", *("TMPDIR", "TMP", "TEMP", "TEMPDIR")}
KEY = ("variable", "folder", "folder of Python", "Python", "priority, core or limit", "file of the code")
THREADS = ("OMP_NUM", "GOTO_NUM", "OPENBLAS_NUM", "MKL_NUM", "NUMEXPR_NUM", "VECLIB_MAXIMUM")  # Snakemake sets them
LATE = (  # imported by functions of the stages, or by the first gradient that torch takes
    "isobath.training.compiled.train",
    "bayes_opt",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "numba",
    "scipy.linalg.blas",
    "torch.fx.experimental.symbolic_shapes",
)


def is_worth_it(jobs: int) -> bool:
    """Tell whether to start a launcher for ``jobs``: not if the variable of its address is set, nor under SLURM."""
    return not (ADDRESS in os.environ or "SLURM_JOB_ID" in os.environ or jobs < FEWEST)


def begin(jobs: int) -> None:
    """Start a launcher for the ``jobs`` of this process, if that is worth it."""
    if not is_worth_it(jobs):
        return
    folder = tempfile.mkdtemp(prefix="isobath-")  # for this user alone
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # a launcher that was killed leaves it
    os.environ[ADDRESS] = f"{folder}/socket"
    environment = {**os.environ, **{f"{name}_THREADS": "1" for name in THREADS}}
    ended, _ = os.pipe()  # the other end is closed when this process ends
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as listener:  # jobs run without it, too
        listener.bind(os.environ[ADDRESS])
        listener.listen(128)  # clients wait here while the launcher imports
        words, files = [sys.executable, "-P", "-m", __name__, str(listener.fileno())], [listener.fileno()]
        # Through the shell of the jobs: it drops some variables, such as an exported PS1.
        if shell := shutil.which("bash") or shutil.which("sh"):
            words = [shell, "-c", 'exec "$@"', shell, *words]
        options: Any = {"stdin": ended, "stdout": subprocess.DEVNULL, "pass_fds": files, "start_new_session": True}
        subprocess.Popen(words, env=environment, **options)  # noqa: S603


def key(process: dict[str, Any]) -> list[Any]:
    """Return the properties that the launcher and a job must share, from a process's description of itself."""
    variables = {name: value for name, value in process["environment"].items() if name not in OWN}
    folders = [found for found in os.walk(PACKAGE) if "__pycache__" not in found[0]]
    # A file whose name begins with a dot is no code, but the lock of an editor, say: a link to nothing.
    files = [f"{folder}/{name}" for folder, _, names in folders for name in names if name[0] != "."]
    files += [str(file) for folder in roots.own() for file in (*roots.files(folder), *roots.data(folder))]
    code = {file: (os.stat(file).st_mtime_ns, os.stat(file).st_size) for file in files}  # noqa: PTH116
    python = [Path(process["python"]).parent, os.path.realpath(process["python"])]
    return [variables, process["folder"], *python, process["limits"], code]


def modules() -> Iterator[str]:
    """Yield the names of the modules that jobs import: stages and plug-ins of the package, and LATE."""
    for folder in ("stages", *map(binding.plural, plugins.families())):
        yield from (f"isobath.{folder}.{path.stem}" for path in sorted((PACKAGE / folder).glob("[!_]*.py")))
    yield from LATE


def load() -> bool:
    """Import what jobs import; tell whether a fork of this process computes correctly, as not every system allows."""
    for module in modules():
        with contextlib.suppress(Exception):  # the job that needs it says so
            importlib.import_module(module)
    with contextlib.suppress(KeyError):
        sys.modules["numba"].njit(lambda: 0)()  # it fills its tables of types when it first compiles
    processors.processor()  # what it reads off the libraries is remembered
    gc.freeze()
    # Those of torch and Numba free what ends with a process, and would take as long at the end of a job as its start.
    for finalizer in getattr(weakref.finalize, "_registry", ()):
        finalizer.atexit = False
    # Python 3.12 warns at each fork of threads that libraries start and leave asleep; whether a fork computes is tried.
    warnings.filterwarnings("ignore", ".*multi-threaded, use of fork", DeprecationWarning)
    numpy, torch = (importlib.import_module(name) for name in ("numpy", "torch"))
    if (pid := os.fork()) == 0:
        signal.alarm(20)
        os._exit((torch.ones(99, 99) @ torch.ones(99)).tolist() != (numpy.ones((99, 99)) @ numpy.ones(99)).tolist())
    return threading.active_count() == 1 and os.waitpid(pid, 0)[1] == 0


def serve(listener: socket.socket, launcher_key: list[Any]) -> list[str]:
    """Fork a guard for every client until Snakemake ends; return, in a job, its module and arguments."""
    alive, living = os.pipe()  # nothing is written: the end of the first is the end of this process
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    ahead, unread = fingerprints.read_ahead(), True
    while 0 not in (asked := select.select([0, listener.fileno()], [], [], 0 if unread else None)[0]):
        if not asked:
            unread = False
            with contextlib.suppress(OSError, ValueError, SyntaxError):  # the job that needs it says so
                unread = next(ahead, None) is not None
            continue
        try:
            client = listener.accept()[0]
        except OSError:  # no file is left; the client waits
            time.sleep(0.1)
            continue
        with client, contextlib.suppress(OSError):  # without a process that is left the client runs its job by itself
            if os.fork() == 0:
                os.close(living)
                listener.close()
                with contextlib.suppress(OSError, ValueError):
                    return guard(client, alive, launcher_key)
                os._exit(1)
    shutil.rmtree(Path(os.environ[ADDRESS]).parent, ignore_errors=True)
    raise SystemExit


def guard(client: socket.socket, alive: int, launcher_key: list[Any]) -> list[str]:
    """Fork the job of a client, pass signals on to it, and its end to the client; return in the job."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    files = socket.recv_fds(client, 1, 3)[1]
    process = json.loads(client.makefile().readline())
    if (job_key := key(process)) != launcher_key:
        _tell(files[2], launcher_key, job_key)
        os._exit(0)
    watched, watching = os.pipe()
    if (job := os.fork()) == 0:
        for number, file in enumerate(files):
            os.dup2(file, number)
        for file in (*files, alive, watching, client.detach()):
            os.close(file)
        if not os.read(watched, 1):
            os._exit(1)  # its guard has ended
        os.umask(process["umask"])
        os.environ.update(process["environment"])
        threading.Thread(target=_watch, args=(os.getpid(), watched), daemon=True).start()
        return [*process["words"]]
    for file in files:
        os.close(file)
    client.sendall(b".")  # the job is there
    if client.recv(1):
        os.write(watching, b".")  # it begins: the client passes signals on from now
    threading.Thread(target=_watch, args=(job, alive, client), daemon=True).start()
    client.sendall(str(os.waitstatus_to_exitcode(os.waitpid(job, 0)[1])).encode())
    os._exit(0)


def _tell(stderr: int, launcher_key: list[Any], job_key: list[Any]) -> None:
    """Say, to the first job that can't run here, in what it differs: it takes seconds to start by itself."""
    pairs = zip(KEY, launcher_key, job_key, strict=True)
    name, here, there = next(differing for differing in pairs if differing[1] != differing[2])
    if isinstance(here, dict):
        name += f" {min(k for k in here | there if here.get(k) != there.get(k))}"
    with contextlib.suppress(OSError):  # it was said
        os.close(os.open(Path(os.environ[ADDRESS]).with_name("told"), os.O_CREAT | os.O_EXCL))
        os.write(stderr, f"isobath: jobs start slowly, since the launcher was started with another {name}\n".encode())


def _watch(job: int, alive: int, *client: socket.socket) -> None:
    """Send a job the signals that its client passes on, and SIGKILL when the client or the writer of ``alive`` ends."""
    with contextlib.suppress(OSError):
        while alive not in select.select([alive, *map(socket.socket.fileno, client)], [], [])[0] and (
            numbers := client[0].recv(16)
        ):
            for number in numbers:
                os.kill(job, number)
    with contextlib.suppress(ProcessLookupError):  # it has ended, and its client as well
        os.kill(job, signal.SIGKILL)


def run(stage: str) -> None:
    """Run a stage and end as it ends, but for what Python does last: to free all modules takes as long as a job."""
    status = 0
    try:
        runpy.run_module(stage, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        status = end.code or 0
    threading._shutdown()  # type: ignore[attr-defined]  # as Python does: it waits for threads,
    atexit._run_exitfuncs()  # and calls what modules have registered
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


if __name__ == "__main__":
    launcher_key = key(place())
    if load():
        sys.argv[1:] = serve(socket.socket(fileno=int(sys.argv[1])), launcher_key)
        sys.modules.pop(sys.argv[1], None)  # a stage of the user's own is imported by its job alone
        run(sys.argv.pop(1))
