"""benchmarks.json, and its numbers as the tables of docs/speed.md."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import geometric_mean
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "benchmarks.json"
PAGE = HERE.parent.parent / "docs/speed.md"
BEGIN, END = "<!-- bench -->\n", "<!-- /bench -->"

NAMES = {
    "loop": "PyTorch, a loop over networks",
    "numpy": "NumPy by hand",
    "baddbmm": "PyTorch, baddbmm",
    "compiled": "torch.compile",
    "jax": "JAX, vmap",
    "jax_map": "JAX, map",
    "numpy_256": "NumPy by hand, blocks of 256",
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
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{page(read())}{END}{rest.split(END)[1]}", encoding="utf-8")


def rounded(value: Any) -> Any:
    """Return numbers with four digits."""
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def page(results: dict[str, Any]) -> str:
    """Return all tables as Markdown."""
    parts = {"training": training, "kernels": kernels, "memory": memory}
    texts = [f"### {part.capitalize()}\n\n{machine(results[part])}\n\n{parts[part](results[part])}" for part in parts if part in results]
    return "\n".join(["", *texts, ""])


def machine(part: dict[str, Any]) -> str:
    where = part["machine"]
    wide = "with AVX-512" if where["avx512"] else "without AVX-512"
    return f"{where['processor']} {wide}, {where['cores']} cores, Python {where['python']}, load {where['load']} at the start."


def table(heads: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    rows = [list(heads), *map(list, lines)]
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def times(ratio: dict[str, float] | None) -> str:
    """Return a ratio with its quartiles over turns."""
    return f"{ratio['median']:.2f} ({ratio['lower']:.2f} to {ratio['upper']:.2f})" if ratio else "not measured"


def training(part: dict[str, Any]) -> str:
    rows = part["rows"]
    by_cpu = table(
        ["networks", "R", *[NAMES[name] for name in TRAINING], "of the best gemm"],
        [*map(of_row, rows), mean_row("geometric mean", [{n: r["cpu"][n]["median"] for n in r["cpu"]} for r in rows], TRAINING)],
    )
    jobs = [row for row in rows if row["case"]["job"]]
    as_jobs = table(
        ["job of the demo", "R", "steps", *[f"{NAMES[name]}" for name in COMPILED], "ours compiles", *[f"{NAMES[n]} compiles" for n in COMPILED]],
        [*map(of_job, jobs), mean_row("geometric mean", [job_ratios(row) for row in jobs], COMPILED, before=["", ""])],
    )
    return (
        f"Steps per CPU second of a network, ours over the rival's: the median of {part['turns']} turns (quartiles).\n\n{by_cpu}\n"
        f"The same for a whole job with the time to compile, and the CPU seconds of a first start (of a later one).\n\n{as_jobs}"
        f"{missing(row['not_measured'] for row in rows)}"
    )


def of_row(row: dict[str, Any]) -> list[str]:
    share = f"{100 * row['of_gemm']['median']:.0f} %"
    return [row["text"], str(row["case"]["networks"]), *[times(row["cpu"].get(name)) for name in TRAINING], share]


def job_seconds(row: dict[str, Any], name: str, start: str) -> float:
    """Return the CPU seconds of a job of the demo: the first epoch with what is compiled, and all steps."""
    first = row["first"][name]
    return (first[start] or first["warm"]) + row["case"]["job"] * row["case"]["networks"] / row["rate"][name]


def job_ratios(row: dict[str, Any]) -> dict[str, float]:
    """Return a job's time over ours. What isobath compiles serves all shapes, and is there after the first job."""
    return {n: job_seconds(row, n, "cold") / job_seconds(row, "ours", "warm") for n in COMPILED if n in row["first"]}


def of_job(row: dict[str, Any]) -> list[str]:
    ratios, case = job_ratios(row), row["case"]
    firsts = [row["first"].get(name) for name in ("ours", *COMPILED)]
    starts = [f"{first['cold']:.1f} ({first['warm']:.1f})" if first else "" for first in firsts]
    shown = [f"{ratios[name]:.2f}" if name in ratios else "not measured" for name in COMPILED]
    return [row["text"], str(case["networks"]), str(case["job"]), *shown, *starts]


def mean_row(head: str, found: list[dict[str, float]], names: Iterable[str], before: Iterable[str] = ("",)) -> list[str]:
    """Return the geometric means over the rows in which a rival was measured."""
    means = [geometric_mean(of[n] for of in found if n in of) if any(n in of for of in found) else None for n in names]
    return [head, *before, *[f"**{mean:.2f}**" if mean else "not measured" for mean in means], *[""] * (1 if len(means) > 3 else 4)]


def kernels(part: dict[str, Any]) -> str:
    size = part["case"]
    names = [name for name in NAMES if name in part["cpu"]]
    lines = [(NAMES[name], times(part["cpu"][name]), f"{part['difference'][name]:.1g}") for name in names]
    head = f"NTK of {size['n']} x {size['m']} inputs, d = {size['d']}, L = 0 to {size['depth']} in one pass: "
    rate = f"{part['entries_per_second'] / 1e6:.1f} million entries per CPU second.\n\n"
    rows = table(["rival", "ours over it, per CPU second", "largest difference"], lines)
    return head + rate + rows + missing([part["not_measured"]])


def missing(reasons: Iterable[dict[str, str]]) -> str:
    """Return a line for each rival that could not be had."""
    found = {name: reason for row in reasons for name, reason in row.items()}
    return "".join(f"\nNot measured: {NAMES[name]} ({reason}).\n" for name, reason in found.items())


def memory(part: dict[str, Any]) -> str:
    return table(["networks", "measured", "allowed for"], memory_rows(part["rows"]))


def memory_rows(rows: list[dict[str, Any]]) -> Iterator[list[str]]:
    for row in rows:
        case = row["case"]
        shape = f"d={case['d']} L={case['depth']} H={case['width']}, n={case['n']}, {case['optimiser']}"
        yield [shape, f"{row['measured'] / 1e6:.2g} MB", f"{row['model'] / 1e6:.2g} MB"]
