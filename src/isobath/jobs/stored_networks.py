"""Networks made of their stored weights, and the boundaries between their classes, as labelled arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import xarray as xr
from torch import Tensor

from isobath.geometry import boundaries as geometry
from isobath.jobs.network_streams import streams
from isobath.randomness import stream
from isobath.results import labelled
from isobath.results.ensembles import VARIABLES
from isobath.training.architecture import Architecture, Weights, outputs_in_blocks
from isobath.training.recipes import replicas

POINTS = 200  # between two boundaries, along whose gradients distances are measured (Fig. 9 shows as many)
POSITIONS = np.linspace(-1, 3, 41)  # of Fig. 9, in units of the predicted distance
PLANE = 100  # points along a side of Fig. 3
CORNERS = 3  # samples that a plane goes through


@dataclass(frozen=True)
class Trained:
    """R trained networks with their weights, in float64."""

    architecture: Architecture
    weights: Weights

    def __len__(self) -> int:
        return len(self.weights[0])

    def outputs(self, x: Tensor | np.ndarray) -> np.ndarray:
        """Return f(x), (R, n, K), for x (n, d)."""
        inputs = torch.as_tensor(x, dtype=torch.float64, device=self.weights[0].device)
        return np.asarray(outputs_in_blocks(self.architecture, self.weights, inputs).cpu().numpy())

    def gradients(self, x: Tensor) -> np.ndarray:
        """Return the gradients of f with respect to its inputs x (n, d): (R, n, d)."""
        return np.asarray(geometry.gradients(self.architecture, self.weights, x.double()).cpu().numpy())


def trained(
    protocol: dict[str, Any], cell: dict[str, Any], flat: np.ndarray, *, inputs: int, outputs: int, device: torch.device
) -> Trained:
    """Return the networks of a cell, made from the rows (R, parameters) in which a networks store has their weights."""
    network = Architecture.of(protocol["network"])
    shape = {"n_inputs": inputs, "n_outputs": outputs, "depth": cell["depth"], "width": cell["width"]}
    template = network.init([np.random.default_rng(0)], **shape)
    ends = np.cumsum([w[0].numel() for w in template])
    parts = np.split(flat.astype(np.float64), ends[:-1], axis=1)
    weights = [
        torch.from_numpy(p.reshape(len(p), *w.shape[1:])).to(device) for p, w in zip(parts, template, strict=True)
    ]
    return Trained(network, weights)


def started(spec: dict[str, Any], end: Trained, seeds: list[int], *, inputs: int, outputs: int) -> Trained:
    """Return the networks at their start, which the stage of networks draws from the same streams."""
    cell, template = spec["cell"], end.weights
    names = replicas(streams(cell), [1.0], seeds, 0).names
    generators = [stream(spec["seed"], "initialisation", *name) for name in names]
    shape = {"n_inputs": inputs, "n_outputs": outputs, "depth": cell["depth"], "width": cell["width"]}
    precision = getattr(torch, spec["protocol"]["precision"])
    weights = end.architecture.init(generators, **shape, dtype=precision)
    return Trained(end.architecture, [w.double().to(template[0].device) for w in weights])


def boundaries(ensemble: Trained, test: tuple[Tensor, Tensor], f: np.ndarray) -> xr.Dataset:
    """Return distances measured along gradients (appendix A, Figs 9 and 10) and a plane through the inputs (Fig. 3).

    ``f`` (R, T, 1) are the outputs on the inputs of ``test``; at most POINTS samples between the boundaries of a
    network and of the mean are followed. Network 0 alone has a profile along its gradient, and a plane.
    """
    mean = f.mean(0)
    distances, missed = np.full(len(ensemble), np.nan), np.zeros(len(ensemble), dtype=np.int64)
    profiles = [_profile(ensemble, _between(f[member], mean, test[0]), member) for member in range(len(ensemble))]
    for member in range(len(ensemble)):
        gap = geometry.measured_distance(
            ensemble.architecture, ensemble.weights, _between(f[member], mean, test[0]), member=member
        )
        lengths = gap.distance[~gap.distance.isnan()]
        missed[member] = gap.missed
        distances[member] = lengths.mean().item() if len(lengths) else np.nan
    ratio, crossing = np.full((POINTS, len(POSITIONS)), np.nan), np.full(POINTS, np.nan)
    ratio[: len(profiles[0].ratio)] = profiles[0].ratio.cpu().numpy()
    crossing[: len(profiles[0].crossing)] = profiles[0].crossing.cpu().numpy()
    columns = {
        "distance_along_gradient": distances,
        "missed": missed,
        "linear_error": np.array([_linear_error(profile) for profile in profiles]),
        "profile": ratio,
        "crossing": crossing,
    }
    table = xr.Dataset(labelled(VARIABLES, columns)).assign_coords(position=POSITIONS, point=np.arange(POINTS))
    return table.merge(_plane(ensemble, test))


def _profile(ensemble: Trained, points: Tensor, member: int) -> geometry.Profile:
    """Return a network along its gradients at points (m, d), at POSITIONS."""
    return geometry.profile(ensemble.architecture, ensemble.weights, points, torch.from_numpy(POSITIONS), member=member)


def _linear_error(along: geometry.Profile) -> float:
    """Return how far from 1, where a linear output vanishes, a network does: mean over points, NaN for none.

    An output that does not vanish within reach counts as if it did at the end.
    """
    crossing = along.crossing.cpu().numpy()
    missing = np.abs(np.where(np.isnan(crossing), POSITIONS[-1], crossing) - 1)
    return float(missing.mean()) if len(missing) else np.nan


def _between(f: np.ndarray, mean: np.ndarray, x: Tensor) -> Tensor:
    """Return the first POINTS samples that a network and the mean, each (T, 1), classify differently."""
    rows = np.flatnonzero((f * mean)[:, 0] < 0)[:POINTS]
    return x[torch.from_numpy(rows).to(x.device)]


def _plane(ensemble: Trained, test: tuple[Tensor, Tensor]) -> xr.Dataset:
    """Return outputs of network 0 and of the mean on the plane of two test samples of class 0 and one of class 1.

    Where these lie on the sphere |x|^2 = d, so do the inputs. It is empty where there are not as many samples, or they
    are points of a line.
    """
    zeros, ones = (torch.nonzero(test[1] == label)[:, 0] for label in (0, 1))
    corners = test[0][torch.cat([zeros[:2], ones[:1]])]
    if len(corners) < CORNERS or geometry.on_a_line(corners):
        return xr.Dataset()
    on_sphere = torch.allclose(corners.square().mean(1), torch.ones(1).to(corners), rtol=1e-3)
    plane = geometry.plane(ensemble.architecture, ensemble.weights, corners, member=0, size=PLANE, project=on_sphere)
    columns = {
        "plane_network": plane.network,
        "plane_mean": plane.mean,
        "plane_first": plane.first,
        "plane_second": plane.second,
        "plane_corners": plane.corners,
    }
    return xr.Dataset(labelled(VARIABLES, {name: values.cpu().numpy() for name, values in columns.items()}))
