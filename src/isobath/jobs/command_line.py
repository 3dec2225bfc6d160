"""A stage's command line is the signature of its ``main``: paths, and the spec as JSON."""

import argparse
import contextlib
import inspect
import json
import os
import subprocess
import sys
import time
import traceback
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from isobath.disk import logs, store
from isobath.disk.logs import OutOfTime
from isobath.disk.store import CorruptedStore


def run(main: Callable[..., None]) -> None:
    """Call ``main`` with its arguments from the command line.

    ``spec`` is parsed from JSON; a list takes several values; an argument with a default may be
    left out, or be given without a value. With ``--log`` all that is printed goes to that file; of
    an error, one sentence goes to the terminal as well. A damaged input is set aside as ``*.damaged``.
    """
    parser = argparse.ArgumentParser(description=inspect.getdoc(main))
    hints = typing.get_type_hints(main)
    for name, parameter in inspect.signature(main).parameters.items():
        required = parameter.default is inspect.Parameter.empty
        several = list in (typing.get_origin(hint) for hint in (hints[name], *typing.get_args(hints[name])))
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=json.loads if name == "spec" else _single(hints[name]),
            required=required,
            default=None if required else parameter.default,
            nargs=("+" if required else "*") if several else (None if required else "?"),
        )
    parser.add_argument("--log", type=Path)
    arguments = vars(parser.parse_args())
    with _printing_to(arguments.pop("log")):
        try:
            main(**arguments)
        except CorruptedStore as error:  # out of the way, so that the next run rebuilds it
            error.set_aside()
            raise


@contextlib.contextmanager
def _printing_to(log: Path | None) -> Iterator[None]:
    """Send what the process prints to ``log``; the sentence of an error goes to the terminal too."""
    if log is None:
        yield
        return
    terminal = os.dup(sys.stderr.fileno())
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file, logs.heartbeat(file):
        for stream in (sys.stdout, sys.stderr):
            os.dup2(file.fileno(), stream.fileno())
        try:
            yield
            sys.stdout.flush()
            logs.end(file, "finished")
        except Exception as error:
            sentence = f"{type(error).__name__}: {error}"
            os.write(terminal, f"{log}: {sentence}\n".encode())
            with contextlib.suppress(OSError):  # a full disk has no room for the log either
                sys.stdout.flush()
                traceback.print_exc()
                logs.end(file, "paused" if isinstance(error, OutOfTime) else "failed", sentence)
            raise SystemExit(1) from None


def _single(hint: Any) -> Any:
    """The type of one value: ``Path`` of ``Path | None``, of ``list[Path]`` and of ``list[Path] | None``."""
    inner = next((a for a in typing.get_args(hint) if a is not type(None)), None)
    return hint if inner is None else _single(inner)


def device() -> Any:
    """Where to compute: $ISOBATH_DEVICE, else the GPU if there is one. Sets up torch for this job."""
    import torch  # noqa: PLC0415 (stages without tensors do without torch)
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    torch.set_flush_denormal(True)  # dying networks would crawl
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_num_threads(threads)
    threadpool_limits(threads, user_api="blas")  # without the variable NumPy's would take all cores
    return torch.device(os.environ.get("ISOBATH_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu"))


def deadline() -> float | None:
    """When a training should stop and leave the rest to the next attempt, on time.monotonic; None if never.

    A job knows its end from SLURM ($SLURM_JOB_END_TIME, seconds since 1970) or from $ISOBATH_TIME_LIMIT (seconds
    from now); a twentieth of what is left, at least 30 s, is kept for saving.
    """
    if limit := os.environ.get("ISOBATH_TIME_LIMIT"):
        return time.monotonic() + float(limit)
    end = _job_end()
    if end is None:
        return None
    left = end - time.time()
    return time.monotonic() + left - max(30.0, left / 20)


def _job_end() -> float | None:
    """When SLURM ends this job, in seconds since 1970; None if it does not."""
    job, end = os.environ.get("SLURM_JOB_ID"), os.environ.get("SLURM_JOB_END_TIME")
    if job and not end:  # not every release tells its jobs: 22.05 does not
        command = ["squeue", "--noheader", "--jobs", job, "--format", "%e"]
        seconds = {**os.environ, "SLURM_TIME_FORMAT": "%s"}
        end = subprocess.run(command, env=seconds, check=False, capture_output=True, text=True).stdout.strip()  # noqa: S603
    return float(end) if end and end.isdigit() else None


def save_every() -> float:
    """Seconds of training between two checkpoints: $ISOBATH_SAVE_EVERY, else 60."""
    return float(os.environ.get("ISOBATH_SAVE_EVERY") or 60)


def provenance(spec: dict[str, Any], code: str, *inputs: Path) -> dict[str, str]:
    """Attributes that say what made a result, and from what: nothing that changes from run to run."""
    from importlib.metadata import version  # noqa: PLC0415

    versions = {name: version(name) for name in ("numpy", "torch", "xarray", "zarr")}
    asked = json.dumps(spec, sort_keys=True)
    return {"spec": asked, "code": code, "inputs": store.inputs(inputs), "versions": json.dumps(versions)}


__all__ = ["Path", "deadline", "device", "provenance", "run", "save_every"]
