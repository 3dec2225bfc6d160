"""Steps on a GPU: recorded once as CUDA graphs and replayed, by a host that runs ahead and waits for nothing.

A recorded step reads the same memory each time. What differs from step to step therefore lies in tables on the device,
with a row for each step, and the number of the step is itself on the device. The host fills the tables for the next
epochs while these run, through memory that the device reads by itself.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

DEVICES = ("cuda",)  # whose steps are recorded and replayed
BLOCK = 10  # steps of the longer graph: from here on the cost of a launch is negligible
Number = int | Tensor  # of a step: (1,) on a device that replays

Step = Callable[[Number], Tensor]  # works in place; returns a tensor that is not finite where a network has diverged


def replays(device: torch.device) -> bool:
    """Return whether steps on a device are recorded and replayed: then the host should not wait for it without need."""
    return device.type in DEVICES


@functools.cache
def side_stream(device: torch.device) -> torch.cuda.Stream:
    """Return the stream of a GPU beside that of its steps: one for all, since cuBLAS keeps a workspace for each."""
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]


def at(table: Tensor, k: Number) -> Tensor:
    """Return the row of step k of a table (steps, ...); a table of one row holds for every step."""
    if len(table) == 1 or isinstance(k, int):
        return table[0 if len(table) == 1 else k]
    return table.index_select(0, k).squeeze(0)


class Table:
    """Numbers with a row for each step, on a device: ``values``."""

    def __init__(self, *shape: int, dtype: torch.dtype, device: torch.device) -> None:
        self.values = torch.empty(shape, dtype=dtype, device=device)
        self._staged = torch.empty(shape, dtype=dtype, pin_memory=device.type == "cuda") if replays(device) else None
        self._sent = torch.cuda.Event() if replays(device) else None  # type: ignore[no-untyped-call]

    def fill(self, values: Tensor) -> None:
        """Set the values, from the CPU; a GPU copies them after the work that was queued before."""
        if self._staged is None or self._sent is None:
            self.values.copy_(values)
            return
        self._sent.synchronize()  # the device has copied the values before these: it is at most one filling behind
        self._staged.copy_(values)
        self.values.copy_(self._staged, non_blocking=True)
        self._sent.record()


class Eager:
    """Steps that are called one by one."""

    def __init__(self, step: Step) -> None:
        self.step, self.k = step, 0

    def restart(self) -> None:
        """Go back to the first rows of the tables."""
        self.k = 0

    def run(self, steps: int) -> Tensor:
        """Take some steps; return what the last one returns."""
        for k in range(self.k, self.k + steps):
            result = self.step(k)
        self.k += steps
        return result


class _Graph(NamedTuple):
    """A recorded graph, and the tensor that its last step returns."""

    graph: torch.cuda.CUDAGraph
    result: Tensor


class Replayed:
    """Steps on static tensors of a GPU: the first is called, the others are recorded, one or BLOCK in a row."""

    def __init__(self, step: Step, device: torch.device) -> None:
        self.step, self.k = step, torch.zeros(1, dtype=torch.long, device=device)
        self.graphs: dict[int, _Graph] = {}
        self.warm = False

    def restart(self) -> None:
        """Go back to the first rows of the tables."""
        self.k.zero_()

    def run(self, steps: int) -> Tensor:
        """Take some steps; return what the last one returns, in memory that the next steps write over."""
        if not self.warm:
            result, steps = self._warm_up(), steps - 1
        for block in (BLOCK, 1):
            for _ in range(steps // block):
                graph = self._recorded(block)
                graph.graph.replay()
                result = graph.result
            steps %= block
        return result

    def _advance(self) -> Tensor:
        result = self.step(self.k)
        self.k.add_(1)
        return result

    def _warm_up(self) -> Tensor:
        """Take a step without recording it, on a side stream, as CUDA requires before: libraries set themselves up."""
        self.warm = True
        side, current = side_stream(self.k.device), torch.cuda.current_stream()
        side.wait_stream(current)
        with torch.cuda.stream(side):
            result = self._advance()
        current.wait_stream(side)
        return result

    def _recorded(self, steps: int) -> _Graph:
        """Return the graph of some steps, which is recorded, without running, when it is first asked for."""
        if steps not in self.graphs:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(steps):
                    result = self._advance()
            self.graphs[steps] = _Graph(graph, result)
        return self.graphs[steps]
