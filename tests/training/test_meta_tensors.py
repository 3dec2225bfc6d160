"""Shapes and devices, on tensors without numbers: what reads one, or meets a tensor of another device, fails."""

import dataclasses

import fake_cuda
import pytest
import torch
from replayed_stacks import BY_STEPS, NETWORKS, RATES, UNEVEN, stack_of

from isobath import binding
from isobath.contracts.tiny_stacks import LOSS, data, stack
from isobath.training.architecture import outputs_in_blocks


def on_meta(made):
    return dataclasses.replace(made, parameters=made.parameters.to("meta"), rates=made.rates.to("meta"))


@pytest.mark.parametrize("batch_size", [8, None])
@pytest.mark.parametrize("kind", BY_STEPS)
def test_protocols_keep_to_the_device(kind, batch_size):
    x, labels = data()
    loss, train = LOSS["cross_entropy"], binding.bound("protocol", {"kind": kind, "batch_size": batch_size})
    made, targets = on_meta(stack(RATES, UNEVEN)), loss.targets(labels, x.dtype).to("meta")
    training = train(made, x.to("meta"), targets, loss=loss)
    with fake_cuda.OneDevice() as one:
        assert next(training).finite.shape == (3,)
        one.copies = 0
        next(training)
        # The rows of an epoch are handed over, and corrections of Adam.
        assert one.copies == (batch_size is not None) + 2 * (kind == "adam")
        smaller = made.select([2, 0])
        assert smaller.membership(53).is_meta
    assert all(m.is_meta and m.shape == made.parameters.shape for m in made.moments.values())
    assert smaller.parameters.is_meta


@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_keep_to_the_device(kind):
    made = on_meta(stack_of(kind))
    x = torch.empty(5, 64, dtype=torch.float64, device="meta")
    with fake_cuda.OneDevice():
        assert outputs_in_blocks(made.architecture, made.weights, x).shape == (3, 5, 2)
        workspace = made.architecture.workspace(made.weights, x.expand(3, 5, 64))
        delta = workspace.forward()
        assert (delta.is_meta, delta.shape) == (True, (3, 5, 2))
        into = [torch.empty_like(w) for w in made.weights]
        workspace.backward(delta, into)
        workspace.step_(workspace.forward())
    assert all(w.is_meta for w in into)


def test_tensors_of_two_devices_are_found():
    x = torch.ones(3, device="meta")
    with fake_cuda.OneDevice() as one:
        x.mul(torch.ones(())).copy_(torch.ones(3))
        torch.ones(3).to("meta")
        x.double().copy_(x)
        assert one.copies == 2
        with pytest.raises(fake_cuda.CaptureError, match="mul_: cpu, meta"):
            x.mul_(torch.ones(3))
    with pytest.raises(NotImplementedError, match="no data"):
        x.cpu()
