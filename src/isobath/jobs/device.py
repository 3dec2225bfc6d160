"""The device that a job computes on."""

import os
from typing import Any

from isobath.disk import processors
from isobath.jobs.variables import VariableError


def _asked_for() -> Any:
    """Return the torch device that $ISOBATH_DEVICE names, None if it is not set. Raises VariableError."""
    import torch  # noqa: PLC0415

    name = os.environ.get("ISOBATH_DEVICE")
    if not name:
        return None
    try:
        return torch.empty(0, device=name).device
    except (AssertionError, RuntimeError) as error:
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise VariableError(
            f"$ISOBATH_DEVICE is {name!r}, and torch has no such device here that it can use ({why}); "
            "leave it out for the one there is"
        ) from None


def choose_device() -> Any:
    """Set up torch and NumPy for this job, and return the torch device: $ISOBATH_DEVICE, else a GPU, else the CPU.

    The number of threads is $OMP_NUM_THREADS, else 1.
    """
    import torch  # noqa: PLC0415 (stages without tensors do without torch)
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    from isobath.jobs import formats  # noqa: PLC0415

    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    torch.set_flush_denormal(True)  # subnormal numbers, as of dying networks, are slow
    formats.keep_all_digits()
    torch.set_num_threads(threads)
    threadpool_limits(threads, user_api="blas")  # if the variable is unset, NumPy's BLAS would take all cores
    device = _asked_for() or torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cuda" and device.index is not None:
        torch.cuda.set_device(device)  # else streams and graphs would be those of the first GPU
    processors.compute_on(device.type)
    return device
