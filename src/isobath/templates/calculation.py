"""The error of sign(x_1 + .. + x_d) on majority labels, for normal inputs and large d.

Both sums are normal with the correlation rho = E|x| = sqrt(2 / pi): they differ in sign with probability
arccos(rho) / pi.
"""

import math

import numpy as np
import xarray as xr


def calculate(*, generator: np.random.Generator) -> xr.Dataset:
    """Return the variable ``error``, a number."""
    error = math.acos(math.sqrt(2 / math.pi)) / math.pi
    return xr.Dataset({"error": ((), error, {"long_name": "error of the sum on majority labels", "units": "1"})})
