"""Losses of tiny outputs, against torch and by hand."""

import pytest
import torch

import isobath
from isobath.classes import misclassified, predicted
from isobath.contracts.tiny_stacks import LOSS, LOSSES
from isobath.jobs.specs import loss as loss_of
from isobath.randomness import stream


def outputs(*shape):
    return torch.from_numpy(stream(0, "f").standard_normal(shape))


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_and_their_derivatives(loss):
    chosen = LOSS[loss]
    f = outputs(2, 5, 3).requires_grad_()
    targets = chosen.targets(torch.tensor([0, 2, 1, 1, 0]), torch.float64)
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


def test_samples_that_are_unsatisfied_or_misclassified():
    f = torch.tensor([[[2.0], [0.5], [-0.5], [-2.0]]])
    labels = torch.tensor([1, 1, 1, 0])
    hinge = LOSS["squared_hinge"]
    assert hinge.targets(labels, torch.float32)[:, 0].tolist() == [1, 1, 1, -1]
    assert hinge.unsatisfied(f, labels).tolist() == [[False, True, True, False]]
    assert hinge.error(f, labels).tolist() == [[False, False, True, False]]
    two = torch.cat([-f, f], dim=2)
    for loss in ("cross_entropy", "mean_squared_error"):
        assert LOSS[loss].error(two, labels).tolist() == [[False, False, True, False]]
        assert LOSS[loss].unsatisfied(two, labels).tolist() == [[False, False, True, False]]


@pytest.mark.parametrize("loss", ["squared_hinge", "linear_hinge"])
@pytest.mark.parametrize("margin", [0.5, 2.0])
def test_a_margin_scales_a_hinge(loss, margin):
    """With outputs and margin in one unit the loss is m^2 or m times that with margin 1."""
    labels, f = torch.tensor([0, 1, 1, 0]), outputs(3, 4, 1)
    wide, power = loss_of({"kind": loss, "margin": margin}), 2 if loss == "squared_hinge" else 1
    targets = wide.targets(labels, torch.float64)
    torch.testing.assert_close(wide.value(margin * f, targets), margin**power * LOSS[loss].value(f, targets))
    assert torch.equal(wide.unsatisfied(margin * f, labels), LOSS[loss].unsatisfied(f, labels))


@pytest.mark.parametrize("loss", ["squared_hinge", "linear_hinge"])
def test_a_hinge_does_not_hide_what_is_not_finite(loss):
    f = torch.tensor([[[torch.nan], [-torch.inf]]])
    delta = LOSS[loss].derivative_(f.clone(), torch.ones(2, 1))
    assert not torch.isfinite(delta).any()


@pytest.mark.parametrize("p", [2, 4, 6])
def test_the_power_of_real_targets(p):
    loss, f, y = loss_of({"kind": "power", "p": p}), outputs(2, 5, 3), outputs(5, 3)
    expected = sum((f[..., i] - y[..., i]) ** p / p for i in range(3)) / 3
    torch.testing.assert_close(loss.value(f, loss.targets(y, torch.float64)), expected)
    torch.testing.assert_close(loss.error(f, y), ((f - y) ** 2).mean(-1))


def test_real_targets_are_satisfied_only_without_any_error():
    y = outputs(4, 2)
    f = torch.stack([y, y + 1e-12])
    for kind in ("mean_squared_error", {"kind": "power", "p": 4}):
        assert loss_of(kind).unsatisfied(f, y).tolist() == [[False] * 4, [True] * 4]


@pytest.mark.parametrize("kind", ["cross_entropy", "squared_hinge", "linear_hinge"])
def test_a_loss_of_classes_refuses_real_targets_in_one_sentence(kind):
    with pytest.raises(ValueError, match=f"^the loss {kind} takes classes; the data set has real targets$"):
        loss_of(kind).targets(outputs(4, 1), torch.float64)


@pytest.mark.parametrize(("p", "words"), [(3, "p is 3; it must be even"), (1, "p is 1; it must be even")])
def test_an_odd_power_is_refused(p, words):
    with pytest.raises(ValueError, match=words):
        loss_of({"kind": "power", "p": 2}).module.check(p=p)


@pytest.mark.parametrize("convert", [torch.Tensor.numpy, lambda x: x])
def test_one_rule_classifies_arrays_of_both_kinds(convert):
    f, labels = outputs(3, 50, 4), torch.arange(50) % 4
    assert predicted(convert(f)).tolist() == f.argmax(-1).tolist()
    assert predicted(convert(f[..., :1])).tolist() == (f[..., 0] > 0).tolist()
    assert misclassified(convert(f), convert(labels)).tolist() == (f.argmax(-1) != labels).tolist()


@pytest.mark.parametrize("loss", ["squared_hinge", "linear_hinge"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_sample_at_the_margin_is_satisfied_whatever_the_rounding(loss, dtype):
    eps = torch.finfo(dtype).eps
    f = torch.tensor([1.0, 1 - eps, 1 - 16 * eps, 1 - 2000 * eps, 0.9], dtype=torch.float64).to(dtype)[None, :, None]
    found = LOSS[loss].unsatisfied(f, torch.ones(5, dtype=torch.int64))
    assert found.tolist() == [[False, False, False, True, True]]


def test_networks_without_a_loss_are_fitted():
    """Near jamming samples come to lie at the margin: what training reaches to within rounding is reached."""
    x = outputs(300, 10).numpy()
    y = (x[:, 0] * x[:, 1] + x[:, 2] / 2 > 0).astype(int)
    how = {"protocol": "adam", "rate": 1e-3, "max_epochs": 3000, "check_every": 20, "batch_size": None}
    how |= {"loss": "squared_hinge", "precision": "float64", "network": {"kind": "mlp", "initialisation": "orthogonal"}}
    found = isobath.train(x, y, test=(x, y), depth=3, width=16, networks=6, **how)
    assert (found.loss < 1e-25).all()
    assert (found.status == "fitted").all()


@pytest.mark.parametrize("convert", [torch.Tensor.numpy, lambda outputs: outputs], ids=["numpy", "torch"])
def test_an_output_of_zero_is_of_the_first_class(convert):
    assert predicted(convert(torch.tensor([[-1.0], [0.0], [1.0]]))).tolist() == [False, False, True]
