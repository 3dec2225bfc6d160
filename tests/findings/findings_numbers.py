"""Results of three runs of one study whose numbers all differ: of every part in every run, and of two cubes each."""

import json

import numpy as np
import xarray as xr
from findings_runs import OLD, claim, run

from isobath.disk import store, usage

DECAY, RANDOM, OWN = (
    "ntk_decay_is_depth_free",
    "random_features_decay_is_depth_free",
    "value_of_features_falls_with_terms",
)
RUNS = [("demo", 4), ("smoke", 0), ("smoke", 1)]  # in the order of the pages
LABELS = ["d = 3", "d = 5", "d = 3", "L = 2"]  # two parts share a label
WORDS = {  # verdict of each claim in each run
    DECAY: ["reproduced", "not reproduced", "inconclusive"],
    RANDOM: ["not reproduced", "reproduced", "reproduced"],
    OWN: ["does not hold", "holds", "does not hold"],
}
FORMER = (0, RANDOM)  # the run and the claim that measured something else
STATUSES = ("diverged", "fitted", "unfitted")


def numbered(rng, label, i):
    """Return a part whose numbers are all drawn; the ends of its interval are not alike, and the regions differ."""
    estimate, below, above = rng.uniform([0.3, 0.015, 0.015], [0.6, 0.09, 0.09])
    number = {"estimate": float(estimate), "low": float(estimate - below), "high": float(estimate + above)}
    bounds = [{"above": 0.1, "below": None}, {"above": None, "below": 0.8}, {"above": 0.2, "below": 0.9}][i % 3]
    bounds = {end: bound and round(float(bound + rng.uniform(0, 0.05)), 3) for end, bound in bounds.items()}
    counted, more, count = (int(n) for n in rng.integers([20, 1, 3], [90, 9, 19]))
    counts = {"count": count, "counted": counted, "trained": counted + more}
    value, tolerance = (round(float(x), 3) for x in rng.uniform(0.1, 0.3, 2))
    place = {"place": f"Fig. {i + 1}", "same_size": i % 2 == 0}
    published = {"value": value, **place, "tolerance": tolerance} if i != 1 else None
    verdict = ("reproduced", "inconclusive", "not reproduced", "verified")[(i + count) % 4]
    reason = f"rate {estimate:.6f} not found" if verdict == "inconclusive" else ""
    unit = ("networks", "data sets")[i % 2]
    about = {"label": label, "check": i == 3, "verdict": verdict, "reason": reason, "unit": unit}
    return {**about, **number, **counts, **bounds, "published": published}


def claims(i):
    """Return the claims of a run; in the first one, the last part of each is not there."""
    rng, labels = np.random.default_rng(i), LABELS[:3] if i == 0 else LABELS
    listed = []
    for name, words in WORDS.items():
        about = {"verdict": words[i], "own": name == OWN, "measured": "another thing" if (i, name) == FORMER else None}
        listed.append(claim(name, *(numbered(rng, label, k) for k, label in enumerate(labels)), **about))
    return listed


def cube(i, grid):
    """Return a cube with other numbers of networks and kernels in every run and grid."""
    rng = np.random.default_rng([i, len(grid)])
    counts = rng.choice(range(1, 20), 4, replace=False).tolist()
    status = np.repeat(STATUSES, counts[:3]).astype(object)
    tree = xr.DataTree.from_dict({"networks": xr.Dataset({"status": ("seed", status)})})
    if grid == "second":
        tree["kernels"] = xr.DataTree(xr.Dataset({"test_error": ("draw", rng.uniform(size=counts[3]))}))
    return tree, dict(zip((*STATUSES, "kernels"), counts, strict=True))


def with_cubes(results, seeds, trees, study="kernels"):
    """Give the verdicts of a run these cubes, by grid, each with a seed, versions and a processor of its own."""
    for (grid, tree), seed in zip(trees.items(), seeds, strict=True):
        spec = json.dumps({**json.loads(tree.attrs.get("spec", "{}")), "grid": grid})
        made = {"versions": json.dumps({"xarray": grid}), "processor": json.dumps({"blas": grid})}
        tree.attrs = {
            "scale": results.name,
            "study": study,
            "seed": seed,
            "grid": grid,
            "spec": spec,
            "code": OLD,
            **made,
        }
        store.write(tree, results / study / f"cubes/{grid}.zarr.zip")
    file = results / study / "verdicts.json"
    record = {key: value for key, value in store.read_record(file).items() if key != "sha256"}
    record["spec"] = json.dumps({**json.loads(record["spec"]), "grids": [*trees]})
    record["inputs"] = store.inputs([results / study / f"cubes/{grid}.zarr.zip" for grid in trees])
    store.write_record(record, file)
    return results


def three_runs(folder):
    """Write the results of all runs, with different core-hours, and return their folders."""
    folders = []
    for i, (scale, seed) in enumerate(RUNS):
        results = run(folder / str(i), *claims(i), scale=scale, seed=seed, hours=0.5 * (i + 1))
        trees = {grid: cube(i, grid)[0] for grid in ("theory", "second")}
        log = folder / str(i) / "logs" / scale / "kernels/cubes/second.log"
        log.write_text(f"{usage.Usage(1.0, 360.0, 0.1, 1e6)}isobath: finished\n", encoding="utf-8")
        folders.append(with_cubes(results, [seed, seed], trees))
    return folders


def occurrences(parts):
    """Return parts by label and by their number among those of the label."""
    found, counts = {}, {}
    for part in parts:
        counts[part["label"]] = counts.get(part["label"], -1) + 1
        found[part["label"], counts[part["label"]]] = part
    return found
