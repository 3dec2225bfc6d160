"""The contract of losses, over every kind: derivative against autograd, satisfied samples, errors, what is refused.

Compiled code and torch train the same networks.
"""

import pytest
import torch

from isobath import binding, plugins
from isobath.contracts.common import check_documented, doubled, kinds, required
from isobath.contracts.compiled_steps import check_steps
from isobath.contracts.tiny_stacks import data
from isobath.jobs.specs import loss
from isobath.losses import LossModule
from isobath.protocols import sgd
from isobath.randomness import stream

KINDS = kinds("loss")
REAL = [kind for kind in KINDS if "targets" in plugins.literal("loss", kind, "TAKES")]
R, N = 3, 40


def normal(*shape):
    return torch.from_numpy(stream(0, "losses", *shape).standard_normal(shape))


def chosen(kind, settings=required):
    return loss({"kind": kind, **settings("loss", kind, p=4)})


def truths(kind):
    """Return labels of two and of four classes, and real targets where a loss takes them."""
    return [torch.arange(N) % 2, torch.arange(N) % 4, *([normal(N, 3)] if kind in REAL else [])]


@pytest.mark.parametrize("kind", KINDS)
def test_every_loss_keeps_the_contract(kind):
    check_documented("loss", kind)
    module = binding.load("loss", kind)
    assert isinstance(module, LossModule)
    assert set(module.TAKES) <= {"labels", "targets"}
    for truth in truths(kind):
        targets = chosen(kind).targets(truth, torch.float64)
        if truth.dim() > 1:
            assert torch.equal(targets, truth)
        else:
            classes = int(truth.max()) + 1
            outputs = plugins.literal("loss", kind, "TWO_CLASSES", 2) if classes == 2 else classes
            assert targets.shape == (N, outputs)
        f = normal(R, *targets.shape)
        assert chosen(kind).value(f, targets).shape == (R, N)
        assert chosen(kind).error(f, truth).shape == (R, N)
        unsatisfied = chosen(kind).unsatisfied(f, truth)
        assert unsatisfied.shape == (R, N)
        assert unsatisfied.dtype == torch.bool


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("settings", [required, doubled])
def test_the_derivative_is_that_of_the_value_and_in_place(kind, settings):
    objective = chosen(kind, settings)
    for truth in truths(kind):
        targets = objective.targets(truth, torch.float64)
        f = normal(R, *targets.shape).requires_grad_()
        (gradient,) = torch.autograd.grad(objective.value(f, targets).sum(), f)
        outputs = f.detach().clone()
        derivative = objective.derivative_(outputs, targets)
        assert derivative.data_ptr() == outputs.data_ptr()
        torch.testing.assert_close(derivative, gradient, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_far_on_the_right_side_satisfy_and_have_no_error(kind):
    """Any misclassified sample is unsatisfied, too: training never stops with an error."""
    for truth in truths(kind):
        targets = chosen(kind).targets(truth, torch.float64)
        right = (targets if truth.dim() > 1 else 10 * targets).expand(R, *targets.shape)
        assert not chosen(kind).unsatisfied(right, truth).any()
        assert not chosen(kind).error(right, truth).any()
        f = normal(R, *targets.shape)
        wrong = chosen(kind).error(f, truth) != 0
        assert wrong.any()
        assert chosen(kind).unsatisfied(f, truth)[wrong].all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_satisfied_sample_has_less_value_than_its_mirror(kind):
    """Its value is less than that of the same outputs with the classes in reverse."""
    truth = torch.arange(N) % 2
    targets = chosen(kind).targets(truth, torch.float64)
    f = 0.5 * normal(R, *targets.shape)
    satisfied = ~chosen(kind).unsatisfied(f, truth)
    value, mirrored = (
        chosen(kind).value(f, targets),
        chosen(kind).value(f, chosen(kind).targets(1 - truth, torch.float64)),
    )
    assert (value <= mirrored)[satisfied].all()


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_that_are_no_numbers_are_not_hidden_in_the_derivative(kind):
    """A protocol tells by the derivative that a network has diverged."""
    targets = chosen(kind).targets(torch.arange(N) % 2, torch.float64)
    for value in (torch.nan, torch.inf, -torch.inf):
        f = torch.full((1, *targets.shape), value, dtype=torch.float64)
        assert not torch.isfinite(chosen(kind).derivative_(f, targets)).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_one_output_that_is_no_number_is_not_hidden_beside_others(kind, value):
    targets = chosen(kind).targets(torch.arange(N) % 4, torch.float64)
    for output in range(4):
        f = normal(1, *targets.shape)
        f[..., output] = value
        assert not torch.isfinite(chosen(kind).derivative_(f, targets)).all(-1).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("values", [required, doubled])
def test_the_derivative_in_compiled_code_is_that_in_torch(kind, values):
    """The networks have several outputs: four classes, or real targets."""
    inputs = data()[0]
    several = [torch.arange(len(inputs)) % 4, *([normal(len(inputs), 3)] if kind in REAL else [])]
    for targets in (chosen(kind).targets(truth, torch.float64) for truth in several):
        settings = {"loss": chosen(kind, values), "batch_size": 8}
        check_steps(
            lambda networks, y=targets, settings=settings: sgd.train(networks, inputs, y, **settings),
            outputs=targets.shape[1],
        )
