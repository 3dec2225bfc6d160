"""Cubes of the width study in which every number differs along every axis: a wrong choice of any gives another number.

Claims read the first value of each axis. There the sizes lie as ``SIZES`` says, N* is 300, some networks diverged, one
width was not trained, some test samples have no label, and halves of networks and of samples disagree on which width
has the largest error. The numbers that claims should find in these cubes are those of ``width_expected``.
"""

import numpy as np
import xarray as xr

SIZES = {4: 100, 6: 170, 8: 280, 9: 301, 10: 330, 12: 420, 15: 590, 20: 950, 26: 1500, 40: 2900, 64: 6000}
CHANNELS = {8: 60, 16: 170, 24: 290, 28: 390, 40: 610, 48: 880, 64: 1270, 96: 2400, 128: 4100}
DATA_SETS = {5: 90, 7: 180, 9: 240, 11: 310, 13: 450, 16: 620, 20: 900, 32: 2500}
MARGINS = {5: 90, 7: 150, 9: 220, 11: 300, 13: 410, 16: 560, 20: 800}
MISSING, NETWORKS, SAMPLES = 9, 11, 205
DIVERGED = {4: 3, 8: 1, 10: 9, 20: 7, 40: 0, 64: 4}  # width -> the seed that did
STEPS = [0, 10, 100, 300, 350, 900]  # one is half a decade before the last, another nearer to it
AXES = {"task": ["digits", "other"], "protocol": ["adam", "long"], "depth": [3, 5], "n_train": [100, 200]}
PLACES = {**AXES, "draw": [0, 1]}
WORDS = {"status": ["fitted", "unfitted", "diverged"], "test_labels": [0, 1]}
# How far outputs lie on the right side at each width, and how much farther on the halves of networks x samples.
RIGHT = {4: 0.9, 6: 0.6, 8: 0.2, 10: 0.25, 12: 0.3, 15: 0.55, 20: 0.9, 26: 1.4, 40: 1.05, 64: 1.0}
HALVES = {
    8: [[0.1, 0.0], [-0.6, 0.2]], 10: [[-0.7, 0.2], [0.3, 0.0]], 12: [[0.4, -1.4], [0.1, 0.1]],
    15: [[0.0, 0.1], [0.0, -0.8]], 40: [[0.3, -0.3], [0.3, -0.3]], 64: [[-0.2, 0.5], [-0.2, 0.5]],
}  # fmt: skip
OF_CHANNELS = {8: 0.3, 16: 0.4, 24: 0.6, 28: 0.7, 40: 1.0, 48: 1.3, 64: 1.2, 96: 1.3, 128: 1.3}
HALVES_OF_CHANNELS = {64: [[0.9, -0.6], [-1.0, 0.1]], 96: [[-0.4, 0.3], [0.4, 0.4]], 128: [[0.0, 0.9], [-0.4, 0.0]]}
EPOCHS = {4: 410, 6: 390, 8: 240, 10: 200, 12: 150, 15: 150, 20: 100, 26: 60, 40: 20, 64: 120}
GROWTH = {8: 0.02, 10: 0.12, 64: -0.005}  # of the norm in its last half decade


def everywhere(random, axes, columns, coords):
    """Make a data set of columns name -> (dims, values) at the first value of each axis, with other numbers elsewhere.

    Axes are name -> values.
    """
    lengths, data = [len(values) for values in axes.values()], {}
    for name, (dims, values) in columns.items():
        first = np.asarray(values)
        if first.dtype == bool:
            table = random.random((*lengths, *first.shape)) < 0.5
        elif first.dtype == object:
            table = random.choice(np.array(WORDS.get(name, [""]), dtype=object), (*lengths, *first.shape))
        else:
            table = first * np.exp(0.3 * random.standard_normal((*lengths, *first.shape)))
        table[(0,) * len(lengths)] = first
        data[name] = ((*axes, *dims), table)
    return xr.Dataset(data, {**axes, **coords})


def outputs(random, labels, *, right, halves, seeds, classes):
    """Make outputs (seed, sample, output) of the networks of a width, which share as much as they scatter."""
    known = np.array([label if label == label else 0 for label in labels], dtype=int)  # NaN is not itself
    truth = (2 * known - 1)[:, None] if classes == 1 else np.eye(classes)[known]
    second = [(np.arange(count) >= count // 2).astype(int) for count in (seeds, len(labels))]
    margin = right + np.array(halves)[second[0]][:, second[1]]
    shared = random.standard_normal((len(labels), classes))
    return truth * margin[..., None] + 0.9 * shared + random.standard_normal((seeds, len(labels), classes))


def recorded(random, widths, seeds):
    """Make norms (width, seed, step) that grow by GROWTH in the last half decade, and by other factors before."""
    norms = np.exp(0.3 * random.standard_normal((len(widths), seeds, len(STEPS))))
    growth = np.array([GROWTH.get(width, 0.07) for width in widths])[:, None]
    norms[..., -1] = norms[..., STEPS.index(300)] * (1 + growth + 0.01 * random.standard_normal(norms.shape[:2]))
    return norms


def columns_of_networks(random, sizes, seeds, labels, *, right, halves, classes, diverged):
    """Return columns of networks (width, seed, ...); one that diverged has the wrong outputs."""
    n = np.array([*sizes.values()])[:, None] * (1 + 0.01 * random.standard_normal((len(sizes), seeds)))
    epochs = np.array([EPOCHS.get(width, 100) for width in sizes])[:, None] * (1 + 0.05 * random.random(n.shape))
    status, f = np.full(n.shape, "unfitted", dtype=object), []
    for i, width in enumerate(sizes):
        fits = random.permutation(seeds)[: round(seeds * (0.1 + 0.8 * (i >= len(sizes) // 2)))]
        status[i, fits] = "fitted"
        how = {"right": right[width], "halves": halves.get(width, [[0, 0]] * 2)}
        f.append(outputs(random, labels, **how, seeds=seeds, classes=classes))
        if width in diverged:
            status[i, diverged[width]], f[i][diverged[width]] = "diverged", -9 * f[i][diverged[width]]
    noisy = {
        name: values * (1 + 0.05 * random.standard_normal(n.shape))
        for name, values in {
            "early_stopping_error": 0.05 + 1 / n, "train_error": 0.8 / n,
            "test_norm": 300 / n**0.9,
        }.items()
    }  # fmt: skip
    level = 0.1 + 3 / np.array([*sizes.values()])[:, None]
    noisy["test_error"] = level * (1 + 0.05 * (-1.0) ** np.indices(n.shape).sum(0))  # one of two numbers at a width
    columns = {"status": status, "n_weights": n, "epochs": epochs, **noisy, "outputs": np.array(f)}
    columns["recorded_test_norm"] = recorded(random, [*sizes], seeds)
    more = {"outputs": ("test_sample", "output"), "recorded_test_norm": ("step",)}
    return {name: (("width", "seed", *more.get(name, ())), values) for name, values in columns.items()}


def columns_of_ensembles(random, lost):
    """Return columns of ensembles and tangent kernels (width, seed, ...), NaN for networks that are ``lost``."""
    level = np.linspace(0.5, 0.2, len(lost))[:, None]
    size = np.arange(1, lost.shape[1] + 1)
    pseudo = level[..., None] + 0.1 * random.standard_normal((*lost.shape, len(size))) / size**0.3
    flat = {
        "distance": level * np.exp(0.2 * random.standard_normal(lost.shape)),
        "linear_error": level * np.exp(0.4 * random.standard_normal(lost.shape)),
        "kernel_fluctuation": level * np.exp(0.2 * random.standard_normal(lost.shape)),
        "kernel_change": level / 2 * np.exp(0.2 * random.standard_normal(lost.shape)),
        "predicted_correlation": level * np.exp(0.1 * random.standard_normal(lost.shape)),
    }
    pseudo[lost] = np.nan
    columns = {name: (("width", "seed"), np.where(lost, np.nan, values)) for name, values in flat.items()}
    return columns | {"ensemble_error_pseudo": (("width", "seed", "size"), pseudo)}


def of_one_data_set(random, sizes, seeds, threshold, *, right, halves, classes=1, diverged=()):
    """Make the groups of the networks of a grid, of ensembles of them, of tangent kernels, and of their jamming."""
    labels = random.integers(0, max(classes, 2), SAMPLES).astype(object)
    labels[random.permutation(SAMPLES)[:4]] = np.nan
    how = {"right": right | {MISSING: 0.5}, "halves": halves, "classes": classes, "diverged": diverged}
    columns = columns_of_networks(random, sizes, seeds, labels, **how)
    own = {"width": [*sizes], "seed": np.arange(seeds)}
    coords = {**own, "step": STEPS, "test_sample": np.arange(SAMPLES), "output": np.arange(classes)}
    networks = everywhere(random, PLACES, columns, coords).where(xr.DataArray([*sizes], dims="width") != MISSING)
    networks["status"] = networks.status.fillna("missing")
    axes = {axis: PLACES[axis] for axis in ("task", "n_train", "draw")}
    of_labels = {"test_labels": (("test_sample",), labels)}
    known = everywhere(random, axes, of_labels, {"test_sample": coords["test_sample"]})
    lost = ~np.isin(networks.status.isel(dict.fromkeys(PLACES, 0)), ["fitted", "unfitted"])
    made = everywhere(random, PLACES, columns_of_ensembles(random, lost), {**own, "size": np.arange(1, seeds + 1)})
    groups = {"networks": networks.merge(known), "ensembles": made, "tangent_kernels": made}
    return groups | {"jamming": jamming(random, AXES, threshold)}


def jamming(random, axes, threshold):
    return everywhere(random, axes, {name: ((), value) for name, value in threshold.items()}, {})


def widths(random):
    """Make networks of which N* is between two sizes, none of which is the first above its interval."""
    threshold = {"threshold": 300.0, "low": 268.0, "high": 341.0, "range": 2.3, "range_low": 1.7, "range_high": 3.1}
    return of_one_data_set(
        random, SIZES, NETWORKS, threshold, right=RIGHT, halves=HALVES, diverged=DIVERGED
    )  # fmt: skip


def channels(random):
    """Make a few networks of three classes, with the channels whose errors the source prints."""
    threshold = {"threshold": 325.0, "low": 270.0, "high": 405.0, "range": 2.9, "range_low": 2.2, "range_high": 3.7}
    return of_one_data_set(
        random, CHANNELS, 5, threshold, right=OF_CHANNELS, halves=HALVES_OF_CHANNELS, classes=3
    )  # fmt: skip


def data_sets(random):
    """Make networks of six data sets, one of which has its largest error at another width than the others."""
    shape = (len(DATA_SETS), 6, 3)
    n = np.array([*DATA_SETS.values()], dtype=float)[:, None, None] * (1 + 0.01 * random.standard_normal(shape))
    errors = 0.1 + 0.2 * np.exp(-(np.log(n / 300) ** 2)) + 0.03 * random.standard_normal((1, 6, 1))
    errors += 0.01 * random.standard_normal(shape)
    errors[list(DATA_SETS).index(13), 3] += 0.5
    status = random.choice(np.array(["fitted", "unfitted"], dtype=object), shape)
    status[1, 4, 2] = status[3, 0, 1] = status[4, 3, 0] = status[-1, 5, 0] = "diverged"
    errors[status == "diverged"] = 0.9
    columns = {name: (("width", "draw", "seed"), v) for name, v in {"status": status, "n_weights": n}.items()}
    columns["test_error"] = (("width", "draw", "seed"), errors)
    coords = {"width": [*DATA_SETS], "draw": np.arange(6), "seed": np.arange(3)}
    threshold = {"threshold": 290.0, "low": 260.0, "high": 350.0, "range": 2.0, "range_low": 1.5, "range_high": 2.5}
    return {"networks": everywhere(random, AXES, columns, coords), "jamming": jamming(random, AXES, threshold)}


def margins(random):
    """Make networks of three data sets and three margins: on each some fit at smaller sizes than others do not."""
    shape, moved = (4, len(MARGINS), 3, 6), np.array([1.15, 1.0, 0.9, 2.0])
    sizes = np.array([*MARGINS.values()])
    needed = 300 * moved[:, None, None] * np.exp(0.25 * random.standard_normal((4, 3, 6)) + [[0.1], [0], [-0.1]])
    fits = sizes[None, :, None, None] > needed[:, None]
    swapped = random.random(shape) < 0.08
    status = np.where(fits ^ swapped, "fitted", "unfitted").astype(object)
    columns = {
        "status": (("protocol", "width", "draw", "seed"), status),
        "n_weights": (("width", "draw", "seed"), sizes[:, None, None] * (1 + 0.01 * random.random(shape[1:]))),
    }
    coords = {"width": [*MARGINS], "draw": np.arange(3), "seed": np.arange(6)}
    axes = {axis: AXES[axis] for axis in ("task", "depth", "n_train")}
    table = everywhere(random, axes, columns, {**coords, "protocol": ["four", "one", "quarter", "none"]})
    return {"networks": table.assign_coords(protocol_loss_margin=("protocol", [4.0, 1.0, 0.25, np.nan]))}
