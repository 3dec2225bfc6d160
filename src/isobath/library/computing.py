"""The device and the threads of a computation, set as those of a job, and given back afterwards."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from threadpoolctl import threadpool_limits

from isobath.jobs import formats, variables
from isobath.jobs.device import choose_device


@contextmanager
def as_a_job() -> Iterator[torch.device]:
    """Compute with the device, threads and number formats of a job, and then with those from before.

    The device is $ISOBATH_DEVICE, else a GPU, else the CPU; the number of threads is $OMP_NUM_THREADS, else 1.
    Raises VariableError where one of these means nothing.
    """
    threads, flushes = torch.get_num_threads(), _flushes_denormals()
    with _checked_variables(), threadpool_limits(), formats.given_back(), _current_gpu():
        try:
            yield choose_device()
        finally:
            torch.set_num_threads(threads)
            torch.set_flush_denormal(flushes)


@contextmanager
def _checked_variables() -> Iterator[None]:
    """Check the environment variables of a job; of a list of threads, the first counts meanwhile."""
    threads = os.environ.get(variables.THREADS)
    variables.check()
    try:
        yield
    finally:
        if threads is not None:
            os.environ[variables.THREADS] = threads


@contextmanager
def _current_gpu() -> Iterator[None]:
    """Make the GPU that is torch's current one, the first if none has been used, that again at the end."""
    current = torch.cuda.current_device() if _uses_gpus() else 0
    try:
        yield
    finally:
        if _uses_gpus():
            torch.cuda.set_device(current)


def _uses_gpus() -> bool:
    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]


def _flushes_denormals() -> bool:
    """Tell whether torch takes numbers below the normal ones for 0."""
    least = torch.full((), torch.finfo(torch.float32).tiny)
    return bool(least / 2 == 0)
