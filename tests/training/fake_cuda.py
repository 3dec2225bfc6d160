"""CUDA graphs, streams and events without a GPU: operations on CPU tensors, recorded and run again.

As on a GPU, recording runs nothing (what was written over is put back), memory that the recording allocates holds
no numbers before a replay, an input whose memory has been freed cannot be read, and nothing may look at numbers.
What the host decides while recording is decided for every replay: a training that differs from one without graphs
has a value of the host baked in.
"""

import time
from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from isobath.training import replay

WAITING = {"_local_scalar_dense", "nonzero", "is_nonzero", "masked_select", "_unique2", "equal"}  # on any device
METHODS = {"cpu", "numpy", "item", "tolist", "__bool__", "__int__", "__float__", "__index__"}


class CaptureError(RuntimeError):
    """An operation that cannot be recorded, or no longer be replayed."""


@dataclass(frozen=True)
class Place:
    """The place of a tensor in memory that it does not keep."""

    storage: StorageWeakRef
    size: torch.Size
    stride: tuple[int, ...]
    offset: int
    dtype: torch.dtype

    @classmethod
    def of(cls, x):
        return cls(StorageWeakRef(x.untyped_storage()), x.shape, x.stride(), x.storage_offset(), x.dtype)

    def tensor(self):
        storage = torch.UntypedStorage._new_with_weak_ptr(self.storage.cdata)
        if storage is None:
            raise CaptureError("a replay reads memory that has been freed")
        return torch.empty(0, dtype=self.dtype).set_(storage, self.offset, self.size, self.stride)


def waits(func, args):
    """Tell whether an operation waits for the device, also where a mask selects the elements."""
    masks = [x for x in tensors(args[1:]) if x.dtype in (torch.bool, torch.uint8)]
    return name_of(func) in WAITING or (name_of(func).startswith(("index", "_index_put")) and masks != [])


def name_of(func):
    return func._schema.name.partition("::")[2]


def tensors(tree):
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def address(x):
    return x.untyped_storage()._cdata


class Recorder(TorchDispatchMode):
    """A mode that keeps each operation with its tensors, and the numbers that it wrote over."""

    def __init__(self):
        super().__init__()
        self.calls, self.own, self.before = [], {}, {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if waits(func, args):
            raise CaptureError(f"{func} looks at numbers: a graph that is being recorded has none")
        for x in self._written(func, args, kwargs):
            if address(x) not in self.own and address(x) not in self.before:
                self.before[address(x)] = (x.untyped_storage(), x.untyped_storage().clone())
        known = {address(x) for x in tensors((args, kwargs))}
        given = [tree_map_only(torch.Tensor, Place.of, tree) for tree in (args, kwargs)]
        result = func(*args, **kwargs)
        self.own |= {address(x): x.untyped_storage() for x in tensors(result) if address(x) not in known}
        new = [None if address(x) in known else Place.of(x) for x in tensors(result)]
        self.calls.append((func, *given, new))
        return result

    def _written(self, func, args, kwargs):
        for i, argument in enumerate(func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                yield from tensors(args[i] if i < len(args) else kwargs.get(argument.name))

    def end(self):
        for storage, numbers in self.before.values():
            storage.copy_(numbers)
        for storage in self.own.values():
            storage.fill_(255)  # NaN
        self.before.clear()


class CUDAGraph:
    """A graph of operations."""

    replays = 0

    def record(self):
        self.recorder = Recorder()
        return self.recorder

    def replay(self):
        CUDAGraph.replays += 1
        with torch.no_grad():
            for func, args, kwargs, new in self.recorder.calls:
                given = [tree_map_only(Place, Place.tensor, tree) for tree in (args, kwargs)]
                for result, place in zip(tensors(func(*given[0], **given[1])), new, strict=True):
                    if place is not None:
                        place.tensor().copy_(result)


@contextmanager
def graph(cuda_graph):
    recorder = cuda_graph.record()
    try:
        with recorder:
            yield
    finally:
        recorder.end()


class Stream:
    """A stream on which everything has been done."""

    def wait_stream(self, stream):
        pass


class Event:
    """An event, which has happened when it is recorded."""

    def __init__(self, enable_timing=False):
        self.timed, self.seconds = enable_timing, None

    def record(self):
        self.seconds = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        assert self.timed
        assert end.timed
        return 1000 * (end.seconds - self.seconds)


class Waits(TorchFunctionMode):
    """A mode that counts by name the calls of methods, and the operations, that wait for a device or copy."""

    def __init__(self):
        super().__init__()
        self.seen = Counter()
        outer = self

        class Operations(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                counted = waits(func, args) or name_of(func) == "_to_copy"
                outer.seen.update([name_of(func)] if counted else [])
                return func(*args, **(kwargs or {}))

        self.operations = Operations()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        self.seen.update([name] if name in METHODS else [])
        return func(*args, **(kwargs or {}))

    def __enter__(self):
        self.operations.__enter__()
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self.operations.__exit__(*error)


class OneDevice(TorchDispatchMode):
    """A mode that refuses operations on tensors of two devices; single numbers and copies may be, and are counted."""

    def __init__(self):
        super().__init__()
        self.copies = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        devices = {x.device.type for x in tensors((args, kwargs)) if x.dim()}
        result = func(*args, **(kwargs or {}))
        devices |= {x.device.type for x in tensors(result) if x.dim() and name_of(func) == "_to_copy"}
        if len(devices) > 1 and name_of(func) not in ("copy_", "_to_copy"):
            raise CaptureError(f"{name_of(func)}: {', '.join(sorted(devices))}")
        self.copies += len(devices) > 1
        return result


def install(monkeypatch):
    """Let the CPU be a device that replays."""
    monkeypatch.setattr(replay, "DEVICES", ("cpu",))
    monkeypatch.setattr(replay, "side_stream", lambda _: Stream())
    fakes = {
        "CUDAGraph": CUDAGraph,
        "graph": graph,
        "Stream": Stream,
        "Event": Event,
        "current_stream": Stream,
        "stream": lambda _: nullcontext(),
        "synchronize": lambda: None,
        "set_sync_debug_mode": lambda mode: None,
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(torch.cuda, name, fake)
