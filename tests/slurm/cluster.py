"""A real SLURM cluster of one node on loopback: Debian's slurm-wlm and munge, run from a folder and gone with it.

Nothing is written to /etc: commands and jobs find the cluster by $SLURM_CONF, so that it runs beside another one.
As Snakemake's job steps take $SLURM_CONF away, an srun that knows it comes first in $PATH.
"""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PACKAGES = ("slurm-wlm", "munge")
MEMORY = 250000  # MB that the node says it has
CONF = """
ClusterName=isobath
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
AuthInfo=socket={folder}/munge.socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides # the CPUs and the memory below, whatever there is
ProctrackType=proctrack/linuxproc # no cgroups
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,bf_interval=1
MpiDefault=none
ReturnToService=2
MinJobAge=3600 # squeue shows jobs that have ended
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} Gres=gpu:1 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES State=UP
"""


RESTARTED: list[subprocess.Popen[bytes]] = []  # daemons of the cluster that runs, after they were killed


def install() -> str:
    """Install missing programs; return the reason why there can be no cluster here, or nothing."""
    if shutil.which("slurmctld") and shutil.which("munged"):
        return ""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return f"{' and '.join(PACKAGES)} are not installed, and installing them takes root and apt-get"
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "--yes", "--no-install-recommends", *PACKAGES]):
        subprocess.run(["apt-get", "-qq", *words], env=quiet, check=True, capture_output=True)
    return ""


@contextlib.contextmanager
def running(folder: Path, *, cpus: int = 8) -> Iterator[dict[str, str]]:
    """Run a cluster whose state lies in ``folder``; yield the variables that its users add to their environment."""
    conf = _configure(folder, cpus)
    environment = {"SLURM_CONF": str(conf), "PATH": f"{_own_srun(conf)}:{os.environ['PATH']}"}
    munge = [
        f"--{name}={folder}/munge.{name.split('-')[0]}" for name in ("socket", "key-file", "pid-file", "seed-file")
    ]
    with contextlib.ExitStack() as stack:
        stack.callback(_reap)
        stack.callback(_kill_strays, conf)
        for command in (
            ["munged", "--foreground", "--force", f"--log-file={folder}/munge.log", *munge],
            ["slurmctld", "-D", "-c", "-L", f"{folder}/slurmctld.log"],
            ["slurmd", "-D", "-c", "-L", f"{folder}/slurmd.log"],
        ):
            stack.enter_context(_daemon(command, environment, folder))
        wait_until(lambda: "idle" in _said(["sinfo", "-h", "-o", "%T"], environment), "the node is idle")
        try:
            yield environment
        finally:
            alive = ["PENDING", "RUNNING", "COMPLETING"]
            kill([job.strip() for job in queue(environment, "jobid", *alive)], environment)
            wait_until(lambda: not queue(environment, "jobid", *alive), "no job runs")


def queue(environment: dict[str, str], columns: str, *states: str) -> list[str]:
    """Return one line, as squeue --Format makes it, per job in one of ``states``, or per job if no states are named."""
    return _said(["squeue", "-h", f"--states={','.join(states) or 'all'}", "-O", columns], environment).splitlines()


def kill(jobs: list[str], environment: dict[str, str]) -> None:
    """Kill jobs as a failing node does: every process at once, without a word."""
    if jobs:
        _said(["scancel", "--signal=KILL", "--full", *jobs], environment)


def disturb(fault: str, job: str, environment: dict[str, str]) -> None:
    """Cancel a job, drain its node for a while, or kill a daemon (slurmd, slurmctld) and start it again."""
    folder, node = Path(environment["SLURM_CONF"]).parent, socket.gethostname().partition(".")[0]
    if fault == "scancel":
        _said(["scancel", job], environment)
    elif fault == "drain":
        _said(["scontrol", "update", f"nodename={node}", "state=drain", "reason=test"], environment)
        time.sleep(10)
        _said(["scontrol", "update", f"nodename={node}", "state=resume"], environment)
    else:
        os.kill(int((folder / f"{fault}.pid").read_text(encoding="ascii")), signal.SIGKILL)
        time.sleep(10)
        with (folder / f"{fault}.again").open("w") as out:  # ended with the cluster, as a stray
            command = [fault, "-D", "-L", f"{folder}/{fault}.log"]
            RESTARTED.append(subprocess.Popen(command, env={**os.environ, **environment}, stdout=out, stderr=out))


def wait_until(happened: Callable[[], bool], what: str, *, seconds: float = 180) -> None:
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            raise TimeoutError(f"after {seconds} s it is still not so that {what}")
        time.sleep(0.1)


def _kill_strays(conf: Path) -> None:
    """Kill the processes that killed jobs have left: those that have this very cluster in their environment."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if f"SLURM_CONF={conf}\0".encode() in (process / "environ").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


def _reap() -> None:
    """Wait for the daemons that were started again, which have been killed as strays."""
    while RESTARTED:
        RESTARTED.pop().wait(timeout=30)


def _configure(folder: Path, cpus: int) -> Path:
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    (folder / "munge.key").write_bytes(secrets.token_bytes(128))
    (folder / "munge.key").chmod(0o600)
    conf, host = folder / "slurm.conf", socket.gethostname().partition(".")[0]
    conf.write_text(CONF.format(folder=folder, host=host, cpus=cpus, memory=MEMORY, ports=_free_ports(2)))
    (folder / "gres.conf").write_text(f"NodeName={host} Name=gpu File=/dev/null\n")  # any device passes for a GPU
    return conf


def _own_srun(conf: Path) -> Path:
    srun = conf.parent / "bin/srun"
    srun.parent.mkdir()
    srun.write_text(f'#!/bin/sh\nSLURM_CONF={conf} exec {shutil.which("srun")} "$@"\n')
    srun.chmod(0o755)
    return srun.parent


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@contextlib.contextmanager
def _daemon(command: list[str], environment: dict[str, str], folder: Path) -> Iterator[None]:
    with (folder / f"{command[0]}.out").open("w") as out:
        process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=out, stderr=out)
        try:
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)


def _said(command: list[str], environment: dict[str, str]) -> str:
    found = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    return found.stdout
