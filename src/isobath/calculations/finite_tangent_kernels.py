"""Tangent kernels of finite networks at their start, in the NTK parametrisation, against their infinite width.

- ``depths``: numbers of hidden layers
- ``widths``: units of a hidden layer
- ``beta``: factor of the biases
- ``input_variance``: factor of the first layer, 2 or 1
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
import xarray as xr

from isobath.initialisations import standard_normal
from isobath.kernels import ntk
from isobath.networks import mlp
from isobath.regression.gram import gram
from isobath.regression.tangent_kernel import tangent_kernel
from isobath.settings import Count, NonNegative, Values
from isobath.training.architecture import Architecture

START = standard_normal.__name__.rpartition(".")[2]  # imported, so that the fingerprint of the code has it
ABOUT = {
    "deviation": "|Theta_H - Theta| / |Theta| of one network, Frobenius norms over pairs of inputs",
    "mean_deviation": "the same of the mean of Theta_H over networks",
}


def calculate(
    *,
    generator: np.random.Generator,
    depths: Values[Count],
    widths: Values[Count],
    networks: Count,
    samples: Count = 50,
    dimension: Count = 10,
    beta: NonNegative = 0.1,
    input_variance: Literal[1, 2] = 2,
) -> xr.Dataset:
    """Return the deviations of kernels of ``networks`` networks per depth and width, on standard normal ``samples``.

    Networks have one output, and all is computed in float64.
    """
    x = torch.from_numpy(generator.standard_normal((samples, dimension)))
    settings: dict[str, Any] = {"beta": beta, "input_variance": input_variance}
    limits = [
        m.clone() for m in gram(lambda p, depth: ntk.profile(p, depth=depth, **settings), x, x, depth=sorted(depths))
    ]
    f = Architecture(mlp, {"parametrisation": "ntk", "initialisation": START, **settings})
    deviations = np.array(
        [
            [
                _deviations(f, x, limit, depth=depth, width=width, generators=generator.spawn(networks))
                for width in widths
            ]
            for depth, limit in zip(sorted(depths), limits, strict=True)
        ]
    )
    variables: dict[str, Any] = {
        "deviation": (["depth", "width", "network"], deviations[..., :-1]),
        "mean_deviation": (["depth", "width"], deviations[..., -1]),
    }
    labelled = {name: (*column, {"long_name": ABOUT[name], "units": "1"}) for name, column in variables.items()}
    return xr.Dataset(labelled, coords={"depth": sorted(depths), "width": list(widths), "network": range(networks)})


def _deviations(
    f: Architecture,
    x: torch.Tensor,
    limit: torch.Tensor,
    *,
    depth: int,
    width: int,
    generators: Sequence[np.random.Generator],
) -> list[float]:
    """Return the deviation of the kernel of each network, and that of the mean kernel, from the limit."""
    shape: dict[str, Any] = {"n_inputs": x.shape[1], "n_outputs": 1, "depth": depth, "width": width}
    starts = (f.init([generator], **shape, dtype=x.dtype) for generator in generators)
    kernels = torch.stack([tangent_kernel(f, start, x)[:, 0, :, 0] for start in starts])
    gaps = torch.cat([kernels, kernels.mean(0, keepdim=True)]) - limit
    deviations: list[float] = (gaps.flatten(1).norm(dim=1) / limit.norm()).tolist()
    return deviations
