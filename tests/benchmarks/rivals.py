"""What a user would write instead of a stack: the same networks and steps, in plain PyTorch."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from isobath import sizes

BATCH = 50


@dataclass(frozen=True)
class Case:
    """Networks of one shape: d inputs, L hidden layers of H units, two outputs; the optimiser."""

    d: int
    depth: int
    width: int
    optimiser: str = "sgd"

    @property
    def sizes(self) -> list[int]:
        return [self.d, *[self.width] * self.depth, 2]

    @property
    def size(self) -> sizes.Size:
        return sizes.perceptron(n_inputs=self.d, n_outputs=2, depth=self.depth, width=self.width)

    @property
    def flops(self) -> int:
        """Multiplications and additions of one step of one network: forward, and twice that backward."""
        return BATCH * self.size.operations

    def __str__(self) -> str:
        return f"d={self.d} L={self.depth} H={self.width}{' Adam' if self.optimiser == 'adam' else ''}"


def perceptron(case: Case) -> nn.Sequential:
    layers: list[nn.Module] = []
    for fan_in, fan_out in zip(case.sizes, case.sizes[1:], strict=False):
        layers += [nn.Linear(fan_in, fan_out), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def optimiser(case: Case, model: nn.Module) -> torch.optim.Optimizer:
    kind = torch.optim.Adam if case.optimiser == "adam" else torch.optim.SGD
    return kind(model.parameters(), lr=0.01)


def tight_loop(case: Case, x: Tensor, y: Tensor) -> Callable[[], int]:
    """One network, batches by index: returns a function that trains an epoch and says how many steps it made."""
    model = perceptron(case)
    descend = optimiser(case, model)

    def epoch() -> int:
        batches = torch.randperm(len(x)).split(BATCH)
        for rows in batches:
            descend.zero_grad()
            nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
            descend.step()
        return len(batches)

    return epoch


def dataloader_loop(case: Case, x: Tensor, y: Tensor) -> Callable[[], int]:
    """The same with a DataLoader, as in most tutorials."""
    model = perceptron(case)
    descend = optimiser(case, model)
    loader = DataLoader(TensorDataset(x, y), batch_size=BATCH, shuffle=True)

    def epoch() -> int:
        for inputs, labels in loader:
            descend.zero_grad()
            nn.functional.cross_entropy(model(inputs), labels).backward()
            descend.step()
        return len(loader)

    return epoch


def vmap_stack(case: Case, x: Tensor, y: Tensor, networks: int) -> Callable[[], int]:
    """A stack by torch.func: vmap over the gradient of one network. Plain SGD only."""
    models = [perceptron(case) for _ in range(networks)]
    weights, buffers = torch.func.stack_module_state(models)  # type: ignore[arg-type]
    base = models[0]

    def loss(parameters: dict[str, Tensor], inputs: Tensor, labels: Tensor) -> Tensor:
        return nn.functional.cross_entropy(torch.func.functional_call(base, (parameters, buffers), (inputs,)), labels)

    gradient = torch.func.vmap(torch.func.grad(loss))

    def epoch() -> int:
        order = torch.stack([torch.randperm(len(x)) for _ in range(networks)])
        batches = order.split(BATCH, dim=1)
        for rows in batches:
            gradients = gradient(weights, x[rows], y[rows])
            with torch.no_grad():
                for name, w in weights.items():
                    w.sub_(gradients[name], alpha=0.01)
        return len(batches) * networks

    return epoch
