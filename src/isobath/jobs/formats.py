"""Formats in which torch multiplies numbers of float32: all of their digits, as in a job, and those from before.

TF32 keeps 10 bits of a factor, bfloat16 7. torch has older and newer switches for them, and refuses products where the
two contradict each other, so that both are set.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

import torch

NEWER = ("cuda.matmul", "cudnn.conv", "cudnn.rnn", "mkldnn.matmul", "mkldnn.conv", "mkldnn.rnn")


def keep_all_digits() -> None:
    """Let no product and no convolution round its factors, and no convolution choose its way by chance."""
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False  # convolutions have a switch of their own
    torch.backends.cudnn.deterministic = True
    for switch in _newer():
        switch.fp32_precision = "ieee"


@contextmanager
def given_back() -> Iterator[None]:
    """Give torch the formats of now back at the end; of older switches those that newer ones do not contradict."""
    cudnn = torch.backends.cudnn
    products, convolutions = _read(torch.get_float32_matmul_precision), _read(lambda: cudnn.allow_tf32)
    newer, deterministic = [switch.fp32_precision for switch in _newer()], cudnn.deterministic
    try:
        yield
    finally:
        if products is not None:
            torch.set_float32_matmul_precision(products)
        if convolutions is not None:
            cudnn.allow_tf32 = convolutions
        cudnn.deterministic = deterministic
        for switch, precision in zip(_newer(), newer, strict=True):
            switch.fp32_precision = precision


def _newer() -> list[Any]:
    """Return the newer switches, which torch has since 2.9."""
    there = hasattr(torch.backends.cuda.matmul, "fp32_precision")
    return [attrgetter(name)(torch.backends) for name in NEWER] if there else []


def _read(switch: Callable[[], Any]) -> Any:
    """Return what an older switch says; None where newer ones contradict it, when torch raises RuntimeError."""
    try:
        return switch()
    except RuntimeError:
        return None
