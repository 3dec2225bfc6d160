"""Verdicts of the study at settings that no run of it has: more samples, more epochs, a larger bias of the kernel.

The pages of findings quote what is printed here, beside verdicts that these settings would change.
"""

import numpy as np
import pytest

import isobath
from isobath.randomness import stream

DATA_SETS = 3
SGD = {"protocol": "sgd", "batch_size": 50, "check_every": 10}


def product_of_three(n_train, d, *names):
    """Draw Gaussian samples of d components and the sign of the product of three: a training and a test set."""
    generator = stream(0, "other_settings", *names)
    inputs = generator.standard_normal((n_train + 10_000, d)).astype(np.float32)
    labels = (inputs[:, :3].prod(1) >= 0).astype(np.int64)
    return (inputs[:n_train], labels[:n_train]), (inputs[n_train:], labels[n_train:])


def errors(data, test, initialisation, **settings):
    """Return the test errors of networks: by depth, rate and network."""
    network = {"kind": "mlp", "initialisation": initialisation}
    return isobath.train(*data, test=test, network=network, **SGD, **settings).test_error


@pytest.mark.slow
def test_networks_of_he_gain_from_depth_with_more_samples():
    """With 2000 samples seven layers of 100 units nearly guess, and one layer is better (``he_agrees``).

    The rate is chosen on one half of the test set, and the error is that on the other.
    """
    gains = {}
    for n_train in (2000, 8000):
        best = {}
        for depth, rates in {1: [0.4, 0.75], 7: [0.237, 0.3]}.items():
            of_data_sets = []
            for draw in range(DATA_SETS):
                data, test = product_of_three(n_train, 30, "he", draw)
                first, second = (tuple(part[half] for part in test) for half in (slice(5000), slice(5000, None)))
                shared = {"depth": depth, "width": 100, "networks": 1, "max_epochs": 300}
                chosen = rates[int(np.nanargmin(errors(data, first, "he_normal", rate=rates, **shared)))]
                of_data_sets.append(float(errors(data, second, "he_normal", rate=chosen, **shared).squeeze()))
            best[depth] = np.array(of_data_sets)
            print(f"He's initialisation, N = {n_train}, L = {depth}, better of two rates: {best[depth].round(3)}")
        gains[n_train] = best[1] - best[7]
    assert (gains[2000] < 0).all()
    assert (gains[8000] > 0).all()


@pytest.mark.slow
def test_narrow_networks_learn_products_of_three_in_2500_epochs():
    """With 500 epochs one layer of 100 units errs by more than 0.05 (``narrow_networks_express_local``)."""
    means = {}
    for epochs in (500, 2500):
        found = []
        for draw in range(DATA_SETS):
            data, test = product_of_three(4000, 3, "narrow", draw)
            found.append(
                errors(data, test, "glorot_uniform", depth=1, width=100, networks=2, rate=0.1, max_epochs=epochs)
            )
        means[epochs] = np.mean([float(each.mean()) for each in found])
        print(f"one layer of 100 units, {epochs} epochs: {means[epochs]:.3f}")
    assert means[2500] < 0.05 < means[500]


@pytest.mark.slow
def test_depth_gains_nothing_in_the_kernel_of_a_larger_bias():
    """With the source's bias the NTK of one layer hardly sees odd degrees (``ntk_misses_the_depth_dependence``)."""
    gains = {}
    for beta in (0.1, 1.0):
        of_data_sets = []
        for draw in range(DATA_SETS):
            data, test = product_of_three(2000, 20, "bias", draw)
            kernel = {"kind": "ntk", "beta": beta}
            of_data_sets.append(isobath.regress(*data, test=test, kernel=kernel, depth=[1, 7]).test_error.values)
        one, seven = np.mean(of_data_sets, axis=0)
        gains[beta] = one - seven
        print(f"NTK, bias {beta}: {one:.3f} with one layer, {seven:.3f} with seven")
    assert gains[0.1] > 0.03
    assert abs(gains[1.0]) < 0.005
