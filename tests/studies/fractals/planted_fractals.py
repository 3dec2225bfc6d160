"""Cubes of the study fractals in which the truth of the paper is planted, or its opposite."""

import fractal_cubes as made
import xarray as xr

SYSTEMS = ("cantor", "sierpinsky", "vicsek")
TASKS = {f"{s}-{curve}": made.fractal(s, curve) for s in SYSTEMS for curve in (1, 3, 6)}
CANTOR = {name: task for name, task in TASKS.items() if name.startswith("cantor")}
FINE = {f"vicsek-fine-{curve}": made.fractal("vicsek", curve, levels=6) for curve in (1, 4, 6)}
LINE = {f"line-{curve}": made.fractal("cantor_1d", curve, levels=10) for curve in (1, 6)}
CIFAR = {"cifar10": {"kind": "cifar10"}}
MARGIN = {
    "cantor_margin": made.fractal("cantor", 1, levels=4, n_test=20_000),
    "sierpinsky_margin": made.fractal("sierpinsky", 1, levels=4, n_test=20_000),
}
HARD = {"line-6": made.fractal("cantor_1d", 6, levels=10, n_test=20_000)}
FREE = {"cantor_coarse": made.fractal("cantor", 1, levels=5, n_test=20_000)}
KINDS = {
    "folding": {"kind": "fractal_folding"},
    "folding_by_2": {"kind": "fractal_folding", "shortcut": 2},
    "folding_by_3": {"kind": "fractal_folding", "shortcut": 3},
    "folding_2_by_1": {"kind": "fractal_folding", "levels": 2, "shortcut": 1},
    "folding_2_by_2": {"kind": "fractal_folding", "levels": 2, "shortcut": 2},
    "folding_wide_margin": {"kind": "fractal_folding", "margin": 0.001},
    "certificate": {"kind": "cantor_certificate"},
    "certificate_by_three": {"kind": "cantor_certificate", "shortcut": 3},
}
LEFT = 1 - (1.5 - 2**-0.4)  # 1 - P(2) of the coarse curve of 5 levels


def as_published(task, depth, width):
    """Return an error by which depth helps, more than width, and fine curves hurt, but on Sierpinsky's triangle."""
    system, curve = task["system"], task["curve"]
    finer = 0.01 if system == "sierpinsky" else 0.04 * (curve - 1)
    return 0.3 / depth**1.5 / (1 + width / 100) + finer + (0 if depth > 1 else 0.1)


def the_other_way_round(task, depth, width):
    """Return an error by which depth hurts, and fine curves help, but on Sierpinsky's triangle."""
    worse = -0.05 if task["system"] != "sierpinsky" else 0.1
    return 0.2 + 0.02 * depth + worse * (task["curve"] > 1)


def constructed(*, error=0.0, wide=0):
    """Return the same scores for every construction: these errors, and these widths beyond those of the theorems."""
    rows = {}
    for task, maps in (("cantor_margin", 4), ("sierpinsky_margin", 3)):
        rows[task, "folding"] = (error, error, error, 8 * maps + 3 + wide, 8)
        rows[task, "folding_by_2"] = (error, error, error, 8 * maps**2 + 3 + wide, 4)
        rows[task, "folding_by_3"] = (error, error, error, 8 * maps**3 + 3 + wide, 4)
    rows["cantor_coarse", "folding_2_by_1"] = (LEFT + error, 2 * (LEFT + error), 0.0, 35, 4)
    rows["cantor_coarse", "folding_2_by_2"] = (LEFT + error, 2 * (LEFT + error), 0.0, 131, 2)
    rows["cantor_coarse", "folding_wide_margin"] = (0.01, error, 0.02 * (error == 0), 35, 10)
    rows["cantor_coarse", "certificate"] = (error, error, error, 4 + wide, 6)
    rows["line-6", "certificate_by_three"] = (error, error, error, 8 + wide, 5)
    return rows


def against(numbers):
    """Return the calculations with the opposite of what is proved."""
    counts, errors, gradients = (numbers[n] for n in ("region_counts", "least_errors", "initial_gradients"))
    many = gradients.assign(
        gradient_norm=gradients.gradient_norm + 10,
        largest_output=gradients.largest_output * 0,
        fine_imbalance=gradients.fine_imbalance + 0.2,
    )
    known = numbers["deep_certificates"]
    return numbers | {
        "deep_certificates": known.assign(wrong_positives=known.wrong_positives + 1),
        "region_counts": counts.assign(regions=counts.regions * 1e6),
        "least_errors": errors.assign(least_error=errors.least_error - 0.3),
        "initial_gradients": many,
    }


def tree(error, *, fine=0.47, line=0.495, cifar=(0.4, 0.3, 0.25), worse=(0.1, 0.0, 0.5), dead=2, alive=2, theory):
    parts = {
        **made.grid("depth", {"cantor-1": TASKS["cantor-1"]}, error),
        **made.grid("curves", CANTOR, error, depths=(5,), worse=worse, dead=dead, draws=8, alive=alive),
        **made.grid("fractals", TASKS, error),
        **made.grid("fine", FINE, lambda task, depth, width: 0.05 if task["curve"] == 1 else fine - 0.001 * depth),
        **made.grid("line", LINE, lambda task, depth, width: line, depths=(1, 2), widths=(3,)),
        **made.grid("cifar", CIFAR, lambda task, depth, width: cifar[(depth - 1) // 2]),
        **made.theory(MARGIN | FREE | HARD, KINDS, *theory),
    }
    return xr.DataTree.from_dict({f"{name}{n.path}": n.to_dataset() for name, t in parts.items() for n in t.subtree})
