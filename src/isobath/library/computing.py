"""The device and the threads of a computation, set as those of a job, and given back afterwards."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from threadpoolctl import threadpool_limits

from isobath.jobs import variables
from isobath.jobs.device import choose_device

FORMATS = (  # of products and convolutions on a GPU, which a job chooses
    (torch.backends.cuda.matmul, "allow_tf32"),
    (torch.backends.cudnn, "allow_tf32"),
    (torch.backends.cudnn, "deterministic"),
)


@contextmanager
def as_a_job() -> Iterator[torch.device]:
    """Compute with the device, threads and number formats of a job, and then with those from before.

    The device is $ISOBATH_DEVICE, else a GPU, else the CPU; the number of threads is $OMP_NUM_THREADS, else 1.
    Raises VariableError where one of these means nothing.
    """
    threads, flushes = torch.get_num_threads(), _flushes_denormals()
    formats = [getattr(place, name) for place, name in FORMATS]
    with _checked_variables(), threadpool_limits():
        try:
            yield choose_device()
        finally:
            torch.set_num_threads(threads)
            torch.set_flush_denormal(flushes)
            for (place, name), value in zip(FORMATS, formats, strict=True):
                setattr(place, name, value)


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


def _flushes_denormals() -> bool:
    """Tell whether torch takes numbers below the normal ones for 0."""
    least = torch.full((), torch.finfo(torch.float32).tiny)
    return bool(least / 2 == 0)
