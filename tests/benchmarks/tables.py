"""benchmarks.json, and its numbers as the tables of docs/speed.md."""

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import geometric_mean
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "benchmarks.json"
PAGE = HERE.parent.parent / "docs/speed.md"
README = PAGE.parent.parent / "README.md"
BEGIN, END = "<!-- bench -->\n", "<!-- /bench -->"

NAMES = {
    "loop": "PyTorch, a loop over networks",
    "numpy": "NumPy by hand",
    "baddbmm": "PyTorch, baddbmm",
    "compiled": "torch.compile",
    "jax": "JAX, vmap",
    "jax_map": "JAX, map",
    "printed": "NumPy as printed, in blocks of 128",
    "in_place": "NumPy in place, in blocks of 128",
    "neural_tangents": "neural-tangents, L = 7 alone",
}
TRAINING = ("jax", "jax_map", "compiled", "baddbmm", "numpy", "loop")
COMPILED = ("jax", "jax_map", "compiled")


def read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def write(results: dict[str, Any]) -> None:
    """Write benchmarks.json and the tables between the marks of the page."""
    RESULTS.write_text(json.dumps(rounded(results), indent=1) + "\n", encoding="utf-8")
    for file, text in ((PAGE, page(read())), (README, headline(read()))):
        before, rest = file.read_text(encoding="utf-8").split(BEGIN)
        file.write_text(f"{before}{BEGIN}{text}{END}{rest.split(END)[1]}", encoding="utf-8")


def rounded(value: Any) -> Any:
    """Return numbers with four digits."""
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def headline(results: dict[str, Any]) -> str:
    """Return the table of the README, one row of geometric means over all cases, and where they were measured."""
    rows = [row["cpu"] for row in results["training"]["rows"]]
    medians = [{name: ratio["median"] for name, ratio in row.items()} for row in rows]
    heads = [f"geometric mean of {len(rows)} cases", *[NAMES[name] for name in TRAINING]]
    means = table(heads, [["isobath over the rival", *[mean(medians, name) for name in TRAINING]]])
    return f"{means}\n{machine(results['training'])}\n"


def page(results: dict[str, Any]) -> str:
    """Return all tables as Markdown."""
    texts = [
        f"### {title}\n\n{machine(results[part])}\n\n{text(results[part])}"
        for part, (title, text) in PARTS.items()
        if part in results
    ]
    return "\n".join(["", *texts, ""])


def machine(part: dict[str, Any]) -> str:
    where = part["machine"]
    units = "AVX-512" if where["avx512"] else "no AVX-512"
    return (
        f"Measured on: {where['processor']}, {units}, {where['cores']} cores "
        f"with a load of {where['load']} at the start; Python {where['python']}."
    )


def table(heads: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    rows = [list(heads), *map(list, lines)]
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def times(ratio: dict[str, float] | None) -> str:
    """Return a ratio with its quartiles over turns."""
    return f"{ratio['median']:.2f} ({ratio['lower']:.2f} to {ratio['upper']:.2f})" if ratio else "not measured"


def mean(ratios: Iterable[dict[str, float]], name: str) -> str:
    """Return the geometric mean over the rows in which a rival was measured."""
    found = [of[name] for of in ratios if name in of]
    return f"**{geometric_mean(found):.2f}**" if found else "not measured"


def named(row: dict[str, Any]) -> list[str]:
    return [f"`{row['case']['name']}` {row['text']}", str(row["case"]["networks"])]


def training(part: dict[str, Any]) -> str:
    rows = part["rows"]
    texts = [
        f"Steps of a network per CPU second, ours over the rival's: medians of {part['turns']} turns (quartiles).\n",
        steps(rows, "cpu"),
        "Per second of the clock, which other work on the machine moves:\n",
        steps(rows, "wall"),
        "The CPU seconds of a whole job of the demo, with the time to compile, the rival's over ours:\n",
        jobs([row for row in rows if row["case"]["job"]]),
    ]
    return "\n".join(texts) + missing(row["not_measured"] for row in rows)


def steps(rows: list[dict[str, Any]], clock: str) -> str:
    lines, medians = [], []
    for row in rows:
        medians.append({name: ratio["median"] for name, ratio in row[clock].items()})
        least = min(medians[-1], key=medians[-1].__getitem__)
        medians[-1] |= {"least": medians[-1][least]}
        lines.append([*named(row), *[times(row[clock].get(name)) for name in TRAINING], NAMES[least], share(row)])
    means = ["geometric mean", "", *[mean(medians, name) for name in TRAINING], mean(medians, "least"), ""]
    return table(["networks", "R", *[NAMES[name] for name in TRAINING], "fastest rival", "of gemm"], [*lines, means])


def share(row: dict[str, Any]) -> str:
    return f"{100 * row['of_gemm']['median']:.0f} %"


def jobs(rows: list[dict[str, Any]]) -> str:
    ratios = [job_ratios(row) for row in rows]
    lines = []
    for row, of in zip(rows, ratios, strict=True):
        shown = [f"{of[name]:.2f}" if name in of else "not measured" for name in COMPILED]
        lines.append(
            [*named(row), str(row["case"]["job"]), *shown, *[starts(row, name) for name in ("ours", *COMPILED)]]
        )
    means = ["geometric mean", "", "", *[mean(ratios, name) for name in COMPILED], *[""] * 4]
    compiling = [f"first start: {name}" for name in ("ours", *[NAMES[name] for name in COMPILED])]
    return table(["networks", "R", "steps", *[NAMES[name] for name in COMPILED], *compiling], [*lines, means])


def starts(row: dict[str, Any], name: str) -> str:
    """Return the CPU seconds of a first start, and of a later one, which finds what was compiled."""
    first = row["first"].get(name)
    return f"{first['cold']:.1f} s, later {first['warm']:.1f} s" if first else "not measured"


def job_seconds(row: dict[str, Any], name: str, start: str) -> float:
    """Return the CPU seconds of a job of the demo: its start with the first epoch, and all of its steps."""
    rate = row["rate"]["ours"] / (1.0 if name == "ours" else row["cpu"][name]["median"])
    return float(row["first"][name][start]) + row["case"]["job"] * row["case"]["networks"] / rate


def job_ratios(row: dict[str, Any]) -> dict[str, float]:
    """Return a job's time over ours.

    What isobath compiles serves all shapes, and is there after the first job; a rival compiles each shape anew.
    """
    ours = job_seconds(row, "ours", "warm")
    return {name: job_seconds(row, name, "cold") / ours for name in COMPILED if name in row["first"]}


def limits(part: dict[str, Any]) -> str:
    lines = [[*named(row), times(row["share"])] for row in part["rows"]]
    return (
        "The part of our time that the products of matrices take, run alone from the same compiled code: "
        f"medians of {part['turns']} turns (quartiles).\n\n" + table(["networks", "R", "products"], lines)
    )


def kernels(part: dict[str, Any]) -> str:
    size, names = part["case"], [name for name in NAMES if name in part["cpu"]]
    lines = [[NAMES[name], times(part["cpu"][name]), f"{part['difference'][name]:.1g}"] for name in names]
    return (
        f"The NTK of {size['n']} x {size['m']} inputs, d = {size['d']}, L = 0 to {size['depth']} in one pass: "
        f"{part['entries_per_second'] / 1e6:.1f} million entries per CPU second.\n\n"
        + table(["rival", "ours over it, per CPU second", "largest difference"], lines)
        + missing([part["not_measured"]])
    )


def regression(part: dict[str, Any]) -> str:
    size = part["size"]
    parts = {"gram": "the Gram matrix", "solve": "factor and solution", "test": f"{size['test']} test samples"}
    lines = [[text, f"{part[name]:.0f}"] for name, text in parts.items()]
    return (
        f"One regression with the NTK at N = {size['n']}, d = {size['d']}, L = {size['depth']}: "
        f"{part['peak'] / 1e9:.1f} GB at its peak, residual {part['residual']:.1g}.\n\n"
        + table(["part", "CPU seconds"], lines)
    )


def spectra(part: dict[str, Any]) -> str:
    first = part["rows"][0]
    lines = [[str(row["dimension"]), f"{row['seconds']:.0f}"] for row in part["rows"]]
    return (
        f"Eigenvalues of {first['kernels']} kernels to degree {first['degrees']}, each by two quadratures whose "
        "difference is the estimate of its error, and fits of their decay.\n\n" + table(["d", "CPU seconds"], lines)
    )


def memory(part: dict[str, Any]) -> str:
    lines = []
    for row in part["rows"]:
        case = row["case"]
        shape = f"d={case['d']} L={case['depth']} H={case['width']}, n={case['n']}, {case['optimiser']}"
        lines.append([shape, f"{row['measured'] / 1e6:.2g} MB", f"{row['model'] / 1e6:.2g} MB"])
    return table(["one network of a stack", "measured", "allowed for"], lines)


def search(part: dict[str, Any]) -> str:
    lines = []
    for row in part["rows"]:
        case, settings = row["case"], dict(row["case"]["task"])
        task = ", ".join([settings.pop("kind"), *[f"{key}={value}" for key, value in settings.items()]])
        name = f"{task}; L={case['depth']} H={case['width']}, n={case['n']}, {case['protocol']}"
        difference = f"{row['difference']:.4f} ± {row['standard_error']:.4f}"
        rates = f"{row['same_rate']} of {part['draws']}"
        lines.append([name, f"{row['epochs']:.2f}", f"{row['error']:.3f}", difference, rates])
    heads = ["cell", "epochs over all", "error with all", "error more (± standard error)", "same rate"]
    return (
        "The search for a learning rate beside one that tries every rate on every fold to the last epoch, over "
        f"{part['draws']} data sets: the epochs that it trains, and the test error of networks at the rate that it "
        "chooses.\n\n" + table(heads, lines)
    )


def missing(reasons: Iterable[dict[str, str]]) -> str:
    """Return a line for each rival that could not be had."""
    found = {name: reason for row in reasons for name, reason in row.items()}
    return "".join(f"\nNot measured: {NAMES[name]} ({reason}).\n" for name, reason in found.items())


PARTS = {
    "training": ("Training", training),
    "limits": ("What limits training", limits),
    "kernels": ("Kernels", kernels),
    "regression": ("A large kernel regression", regression),
    "spectra": ("Spectra of kernels", spectra),
    "memory": ("Memory", memory),
    "search": ("The search for a learning rate", search),
}
