"""Counted costs against what torch counts and holds."""

import itertools
import math

import memory
import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from isobath import plugins, sizes
from isobath.ends import Ends
from isobath.network_sizes import convolutional, perceptron
from isobath.networks import cnn, mlp
from isobath.operations import calibration
from isobath.randomness import stream
from isobath.study import training_costs
from isobath.study.schema import Study
from isobath.training import recipes
from isobath.workflow import job_costs


@pytest.mark.parametrize(("n_inputs", "depth", "width"), [(500, 1, 2000), (500, 7, 100), (30, 3, 50), (9, 0, 0)])
def test_parameters_are_those_of_a_network(n_inputs, depth, width):
    shape = {"n_inputs": n_inputs, "n_outputs": 2, "depth": depth, "width": width}
    weights = mlp.init([stream(0, "costs")], **shape)
    assert perceptron.size(**shape).parameters == sum(w.numel() for w in weights)


@pytest.mark.parametrize(("depth", "width", "n_outputs"), [(0, 0, 2), (1, 40, 2), (3, 40, 3)])
def test_operations_are_those_that_torch_counts(depth, width, n_outputs):
    units = [30, *[width] * depth, n_outputs]
    layers = [nn.Linear(i, o) for i, o in itertools.pairwise(units)]
    with FlopCounterMode(display=False) as counter:
        nn.Sequential(*layers)(torch.randn(7, units[0])).square().sum().backward()
    size = perceptron.size(n_inputs=30, n_outputs=n_outputs, depth=depth, width=width)
    assert counter.get_total_flops() == 7 * size.operations
    assert size.activations == sum(units)


@pytest.mark.parametrize(
    ("channels", "side", "depth", "width", "settings"),
    [(3, 32, 3, 6, {}), (1, 8, 2, 5, {}), (3, 32, 3, 4, {"stride": 1, "pools": 2})],
)
def test_the_size_of_a_convolutional_network_is_what_torch_counts(channels, side, depth, width, settings):
    shape = {"n_inputs": channels * side**2, "n_outputs": 10, "depth": depth, "width": width}
    weights = cnn.init([stream(0, "costs")], **shape, image_channels=channels, **settings)
    leaves = [w.requires_grad_() for w in weights]
    with FlopCounterMode(display=False) as counter:
        cnn.apply(
            leaves, torch.randn(7, shape["n_inputs"]), image_channels=channels, **settings
        ).square().sum().backward()
    _, completed = plugins.completed("network", {"kind": "cnn", "image_channels": channels, **settings})
    size = sizes.size(cnn.SIZE, shape, completed)
    assert size.parameters == sum(w.numel() for w in weights)
    assert counter.get_total_flops() == 7 * size.operations


def test_a_regression_of_the_papers_size_fits_in_eight_gigabytes():
    assert sizes.regression_bytes(20_000) == 2 * 20_000 * 20_000 * 8
    assert sizes.regression_bytes(20_000) + 1e9 < 8e9


def test_the_operations_of_a_regression_are_those_of_a_cholesky_factorisation():
    """Multiplications and additions are counted one by one as the textbook writes the loops."""
    n = 30
    counted = sum(2 * j + 1 + (n - j - 1) * (2 * j + 1) for j in range(n))
    assert sizes.regression_operations(n, 4) == pytest.approx(4 * counted, rel=0.1)


def study_of(**task) -> Study:
    content = {"title": "t", "source": "s", "n_test": 10, "tasks": {"t": task}, "grids": {}}
    return Study.model_validate(content | {"grids": {"g": []}})


LOCAL = study_of(kind="k_local", k=2, dimension=500)


def training_spec(**changes):
    spec = {
        "cell": {"task": "t", "depth": 1, "width": 2000, "n_train": 10_000},
        "protocol": {
            "kind": "sgd",
            "network": {"kind": "mlp"},
            "batch_size": 50,
            "max_epochs": 1000,
            "check_every": 10,
            "precision": "float32",
        },
        "learning_rate": 0.1,
        "seeds": [0, 9],
    }
    return spec | changes


def longest(spec) -> float:
    """Return the seconds to the last epoch on one core."""
    return job_costs.seconds(training_costs.training_cost(LOCAL, spec, [0.1]).longest)


def test_the_work_of_a_training_follows_what_is_counted():
    size = training_costs.network_size(LOCAL, training_spec())
    assert size == perceptron.size(n_inputs=500, n_outputs=2, depth=1, width=2000)
    one = longest(training_spec(seeds=[3, 3]))
    assert 1000 * 10_000 * size.operations / job_costs.CORE.operations < one
    layers = size._replace(activations=2000 + 2)  # the inputs pass no layer
    assert one == job_costs.seconds(sizes.training_work(layers, 1, 10_000, 1000, 1, batch=50))
    sweep = longest(training_spec(seeds=[3, 3], learning_rate=[0.1, 0.2]))
    assert sweep > one
    search = training_spec(learning_rate={"folds": 2, "initial": 3, "rounds": 1, "suggestions": 1, "patience": 4})
    del search["seeds"]
    assert longest(search) > sweep


def test_a_network_that_takes_more_than_a_stack_may_is_counted_as_it_is():
    """Once 2 GB were counted, and a search asked for 4 GB, whatever the network."""
    spec = training_spec(seeds=[0, 9])
    spec["cell"] |= {"depth": 2, "width": 12_000}
    counted = training_costs.training_cost(LOCAL, spec, [0.1])
    each = sizes.network_bytes(training_costs.network_size(LOCAL, spec), 10_000, 50)
    assert counted.memory == each > 7e9
    assert training_costs.weights_mb(LOCAL, spec, networks=1, copies=4) * 1e6 > 4777e6  # the measured peak


@pytest.mark.parametrize(("kernel", "stride", "pools"), [(5, 2, 0), (3, 1, 1)])
def test_the_patches_that_a_gpu_holds_are_counted(kernel, stride, pools):
    """Convolutions by products keep the outputs of each layer and the patches of its inputs for autograd."""
    kept, networks, samples = {}, 2, 7

    def keep(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    settings = {"image_channels": 3, "kernel": kernel, "stride": stride, "pools": pools}
    shape = {"n_inputs": 3 * 32**2, "n_outputs": 2, "depth": 2, "width": 6}
    weights = [w.requires_grad_() for w in cnn.init([stream(i, "costs") for i in range(networks)], **shape, **settings)]
    layers = [*zip(weights[:-2:2], weights[1:-2:2], strict=True)]
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        cnn.by_products(torch.randn(networks, samples, 3, 32, 32), layers, stride=stride, pools=pools)
    numbers = sum(tensor.untyped_storage().nbytes() for tensor in kept.values()) / 4
    size = convolutional.size(**shape, **settings)
    counted = networks * samples * (size.activations + size.patches)
    assert 0.85 * counted < numbers < 1.05 * counted


def test_a_gpu_holds_the_memory_of_a_step_three_times():
    size = sizes.Size(parameters=10, activations=100, operations=0, patches=1000)
    on_cpu, on_gpu = (sizes.network_bytes(size, 50, 5, replayed=replayed) for replayed in (False, True))
    step = sizes.step_bytes(size, 5)
    assert on_gpu - on_cpu == 2 * step + 3 * 2 * 4 * 5 * 1000
    assert recipes.stack_size(size, 50, 1e6, batch=5, replayed=True) < recipes.stack_size(size, 50, 1e6, batch=5)


def test_a_batch_has_at_most_the_samples_that_there_are():
    size = sizes.Size(parameters=10, activations=100, operations=0)
    recipe = recipes.Recipe(None, None, None, {}, None, 0, batch_size=100_000)
    assert recipe._step(torch.zeros(1000, 3))["batch"] == 1000
    costs = []
    for batch in (1000, 100_000):
        spec = training_spec(seeds=[0, 1])
        spec["cell"]["n_train"], spec["protocol"]["batch_size"] = 1000, batch
        costs.append(training_costs.training_cost(LOCAL, spec, [0.1]).memory)
    assert costs[0] == costs[1] > sizes.step_bytes(size, 1)


@pytest.mark.parametrize("value", ["x", 0, -1.0, True])
def test_a_prior_of_epochs_that_is_no_number_is_refused(monkeypatch, value):
    monkeypatch.setattr(plugins, "literal", lambda *_: value)
    with pytest.raises(plugins.PluginError, match=r"sgd\.py: EPOCHS is .*; it must be a number above 0"):
        training_costs._epochs_times_rate("sgd")


def test_a_time_limit_is_four_times_the_work_to_the_last_epoch_and_at_most_a_day(monkeypatch):
    count = training_costs.training_cost(LOCAL, training_spec(seeds=[3, 3]), [0.1])
    monkeypatch.setattr(job_costs, "counted", lambda *_: count)
    seconds = job_costs.seconds(count.longest)
    assert job_costs.minutes(None, None, None) == math.ceil(5 + 4 * seconds / 60)
    monkeypatch.setattr(job_costs, "counted", lambda *_: count._replace(longest=count.longest * 1e6))
    assert job_costs.minutes(None, None, None) == 1440
    monkeypatch.setattr(job_costs, "counted", lambda *_: sizes.Counted(known=False))
    assert job_costs.minutes(None, None, None) == 1440


def test_a_network_is_expected_to_fit_before_its_last_epoch():
    size = perceptron.size(n_inputs=500, n_outputs=2, depth=1, width=2000)
    spec = training_spec()
    expected = training_costs.expected_epochs(spec, size, [0.1])
    path = plugins.literal("protocol", "sgd", "EPOCHS") * (1 + training_costs.TIGHT * 10_000 / size.parameters)
    assert expected == 10 * math.ceil(path / 0.1 / 10) < 1000
    assert training_costs.expected_epochs(spec, size, [1e-6]) == 1000
    assert training_costs.expected_epochs(spec, size, [0.1, 1e-6]) == (expected + 1000) / 2
    assert training_costs.expected_epochs(spec, None, [0.1]) == 1000
    assert training_costs.expected_epochs(spec, size, [0.1], real=True) == 1000
    spec["protocol"]["kind"] = "one that nobody has run"
    assert training_costs.expected_epochs(spec, size, [0.1]) == 1000


@pytest.mark.parametrize("true", [job_costs.CORE, job_costs.Rates(1.0, 1e-5, 1e-10, 5e12)])
def test_calibration_finds_the_rates_of_a_machine_that_has_them(true):
    taken = [np.dot(case.counted, (true.launch, 1 / true.operations, true.activation)) for case in calibration.CASES]
    assert calibration.solve(taken, start=true.start) == pytest.approx(true, rel=1e-6)


def test_calibration_of_a_machine_that_the_equations_do_not_describe_has_rates():
    found = calibration.solve([case.counted[0] * 1e-3 for case in calibration.CASES], start=1.0)
    assert found.launch == pytest.approx(1e-3)
    assert all(0 < rate < math.inf for rate in found)


@pytest.mark.slow
def test_two_calibrations_of_one_machine_agree():
    """Each rate agrees to a tenth, also while other programs run."""
    first, second = (calibration.solve(calibration.fastest_epochs(torch.device("cpu")), start=1.0) for _ in range(2))
    assert first == pytest.approx(second, rel=0.1)


@pytest.mark.parametrize(
    ("n", "d", "depth", "width"), [pytest.param(500, 100, 3, 200, marks=pytest.mark.slow), (10_000, 20, 1, 20)]
)
def test_the_model_of_memory_covers_what_a_process_takes(n, d, depth, width):
    case = {"n": n, "d": d, "depth": depth, "width": width, "optimiser": "adam"}
    found = memory.per_network(case, 20, 120)
    assert found["measured"] < 1.1 * found["model"]
    if n == 500:  # the weights are what counts, and the model is no more than it has to be
        assert found["model"] < 2 * found["measured"]


@pytest.mark.slow
def test_a_stack_stays_within_the_memory_it_is_given():
    """A process trains more networks than its limit holds at a time, and stays within that limit."""
    case = {"n": 500, "d": 100, "depth": 3, "width": 200, "optimiser": "adam"}
    limit, nothing = 200e6, memory.peak(case, 1)
    assert memory.peak(case, 160) - nothing > 2 * limit
    assert memory.peak(case, 160, limit=limit) - nothing < limit


def test_a_task_says_what_its_networks_begin_and_end_with():
    study = study_of(kind="fractal", system="cantor_1d", ratio=None, offsets=None, levels=3)
    assert training_costs.network_size(study, training_spec()) == perceptron.size(
        n_inputs=1, n_outputs=2, depth=1, width=2000
    )


def test_a_fold_of_a_search_is_given_up_after_its_patience_with_the_fastest():
    size = perceptron.size(n_inputs=500, n_outputs=2, depth=1, width=2000)
    spec = training_spec(learning_rate={"patience": 4})
    fast = training_costs.expected_epochs(training_spec(), size, [1.0])
    assert 4 * fast < 1000
    assert training_costs.expected_epochs(spec, size, [1.0, 1e-6]) == (fast + 4 * fast) / 2


def test_two_real_targets_have_two_outputs_and_two_classes_as_many_as_the_loss_says(monkeypatch):
    spec = training_spec()
    spec["protocol"]["loss"] = {"kind": "squared_hinge"}
    for real, units in ((True, 2), (False, 1)):
        monkeypatch.setattr(training_costs, "ends_of", lambda *_, real=real: Ends(4, 2, real=real))
        assert training_costs.output_units(LOCAL, spec) == units


def test_a_data_set_takes_the_memory_of_those_that_it_is_cut_off_from():
    assert sizes.data_set((4, 2), 10, beside=90) == sizes.Counted(memory=2 * 20 * 100, disk=sizes.STORE + 20 * 10)
