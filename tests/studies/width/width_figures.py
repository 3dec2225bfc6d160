"""The figures of the width study as they are drawn from a made-up cube, and the lines in them."""

from matplotlib import style

from isobath import binding
from isobath.plotting.style import STYLE

AT = {"task": "digits", "protocol": "adam"}
SETTINGS = {
    "width_dependence": {"law": "test_error", "published": [0.02, 0.3, -2.0]},
    "boundary_plane": {"width": 6},
    "ensemble_size": {"laws": ["ensemble_size", "distance_size", "error_and_distance_size"], "width": 16},
    "fluctuations": {"law": "fluctuation"},
    "kernel_fluctuations": {"laws": ["kernel_fluctuation", "kernel_change"]},
    "asymptotics": {
        "laws": ["gradient_norm", "error_and_distance", "distance_estimate", "excess_error"],
        "gradient": [2.0, 50.0],
        "excess": [0.3, -2.0],
    },
    "norms": {"law": "norm"},
    "profiles": {"widths": [3, 16]},
    "boundary_distances": {"width": 16},
    "compute": {"sizes": [2, 4, 9]},
}


def draw(kind, tree, **settings):
    with style.context(["default", STYLE]):
        figure = binding.load("figure", kind).draw(tree, **AT, **settings)
        figure.draw_without_rendering()  # all of it can be laid out
    return figure


def line(axis, label):
    (found,) = [one for one in axis.get_lines() if str(one.get_label()).startswith(label)]
    return found.get_xdata(), found.get_ydata()


def labels(figure):
    return [str(one.get_label()) for axis in figure.axes for one in axis.get_lines()]


def parameters(tree, law, fit="fixed"):
    values = tree[f"laws/{law}"].value.sel(fit=fit).squeeze()
    return {str(name): float(values.sel(parameter=name)) for name in values.parameter.values}


def own(tree, group="networks"):
    return tree[group].to_dataset().squeeze(drop=True)
