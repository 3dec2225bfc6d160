"""Losses: values and derivatives against torch, and what they ask of outputs."""

import pytest
import torch
from tiny_stacks import LOSSES

from isobath.randomness import stream
from isobath.training import losses


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_and_their_derivatives(loss):
    chosen = getattr(losses, loss)
    f = torch.from_numpy(stream(0, "f").standard_normal((2, 5, 3))).requires_grad_()
    targets = chosen.encoded(torch.tensor([0, 2, 1, 1, 0])).double()
    assert targets.unique().tolist() == ([-1, 1] if "hinge" in loss else [0, 1])
    value = chosen.value(f, targets)
    (gradient,) = torch.autograd.grad(value.sum(), f)
    torch.testing.assert_close(chosen.derivative_(f.detach().clone(), targets), gradient, rtol=1e-12, atol=1e-13)
    expected = (f - targets).square().sum(-1)
    if loss == "cross_entropy":
        expected = -(torch.log_softmax(f, -1) * targets).sum(-1)
    if "hinge" in loss:
        gap = torch.relu(1 - f * targets)
        expected = (gap**2 / 2 if loss == "squared_hinge" else gap).mean(-1)
    torch.testing.assert_close(value, expected)


def test_what_is_learned_and_what_is_misclassified():
    f = torch.tensor([[[2.0], [0.5], [-0.5], [-2.0]]])
    labels = torch.tensor([1, 1, 1, 0])
    assert losses.squared_hinge.encoded(labels)[:, 0].tolist() == [1, 1, 1, -1]
    assert losses.squared_hinge.unmet(f, losses.squared_hinge.encoded(labels)).tolist() == [[False, True, True, False]]
    assert losses.misclassified(f, labels).tolist() == [[False, False, True, False]]
    two = torch.cat([-f, f], dim=2)
    assert losses.misclassified(two, labels).tolist() == [[False, False, True, False]]
    assert losses.cross_entropy.unmet(two, losses.cross_entropy.encoded(labels)).tolist() == [
        [False, False, True, False]
    ]


@pytest.mark.parametrize("loss", ["squared_hinge", "linear_hinge"])
def test_a_hinge_does_not_hide_what_is_not_finite(loss):
    f = torch.tensor([[[torch.nan], [-torch.inf]]])
    delta = getattr(losses, loss).derivative_(f.clone(), torch.ones(2, 1))
    assert not torch.isfinite(delta).any()
