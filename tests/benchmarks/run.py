"""``make bench``: ratios on this machine, each measured in turns in one process; written to benchmarks.json."""

import importlib.util
import itertools
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import memory
import numpy as np
import rivals
import torch
from rivals import BATCH, Case
from threadpoolctl import threadpool_info
from timing import rates, ratio

from isobath.kernels import ntk
from isobath.losses import cross_entropy
from isobath.networks import mlp
from isobath.protocols import adam, sgd
from isobath.regression.gram import gram
from isobath.training.architecture import Architecture
from isobath.training.objective import Loss
from isobath.training.recipes import stack_size
from isobath.training.stacks import Stack, pack
from isobath.workflow.job_costs import training_seconds

ROOT = Path(__file__).parent.parent.parent
SAMPLES = 1000
CASES = [
    Case(2, 4, 10, "adam"),
    Case(40, 1, 100),
    Case(40, 7, 50),
    Case(100, 7, 100),
    Case(100, 1, 500),
    Case(500, 7, 500),
    Case(500, 1, 2000),
]


def stack_of(case: Case, x: torch.Tensor, y: torch.Tensor, networks: int) -> Callable[[], int]:
    """Our own: returns a function that trains an epoch of the stack and says how many network-steps it made."""
    architecture = Architecture(mlp)
    starts = [np.random.default_rng(i) for i in range(networks)]
    weights = architecture.init(starts, n_inputs=case.d, n_outputs=2, depth=case.depth, width=case.width)
    stack = Stack(
        architecture=architecture,
        parameters=pack(weights),
        shapes=[w.shape[1:] for w in weights],
        rows=np.tile(np.arange(len(x)), (networks, 1)),
        rates=torch.full((networks,), 0.01),
        orders=list(range(networks)),
    )
    protocol = adam if case.optimiser == "adam" else sgd
    targets = torch.nn.functional.one_hot(y, 2).float()
    training = protocol.train(stack, x, targets, loss=Loss(cross_entropy), batch_size=BATCH)

    def epoch() -> int:
        next(training)
        return networks * -(-len(x) // BATCH)

    return epoch


def sgemm(n: int = 1000) -> Callable[[], int]:
    a = torch.randn(n, n)

    def multiply() -> int:
        torch.mm(a, a)
        return 2 * n**3

    return multiply


def training(case: Case) -> dict[str, Any]:
    """Network-steps per second of a stack, as ratios to the rivals and to the sgemm rate."""
    x = torch.randn(SAMPLES, case.d)
    y = (x[:, 0] * x[:, 1] > 0).long()
    networks = min(50, stack_size(case.size, SAMPLES, 8e9, batch=BATCH))
    contenders = {
        "stack": stack_of(case, x, y, networks),
        "tight": rivals.tight_loop(case, x, y),
        "dataloader": rivals.dataloader_loop(case, x, y),
        "sgemm": sgemm(),
    }
    if case.optimiser == "sgd":
        contenders["vmap"] = rivals.vmap_stack(case, x, y, networks)
    found = rates(contenders)
    row = {"case": str(case), "R": networks, "steps_per_second": statistics.median(found["stack"])}
    row |= {f"to_{name}": ratio(found["stack"], found[name])._asdict() for name in contenders if name in found}
    flops = [r * case.flops for r in found["stack"]]
    row["of_sgemm"] = ratio(flops, found["sgemm"])._asdict()
    row["tight_of_sgemm"] = ratio([r * case.flops for r in found["tight"]], found["sgemm"])._asdict()
    for name in ("to_stack", "to_sgemm"):
        row.pop(name)
    seconds = training_seconds(case.size, case.depth, SAMPLES, 1, networks, batch=BATCH) / (networks * SAMPLES / BATCH)
    row["estimated_to_measured_time"] = seconds * row["steps_per_second"]
    return row


MEMORY = [
    {"n": 1000, "d": 100, "depth": 7, "width": 100, "optimiser": "sgd"},
    {"n": 1000, "d": 100, "depth": 7, "width": 100, "optimiser": "adam"},
    {"n": 10_000, "d": 40, "depth": 1, "width": 100, "optimiser": "adam"},
]


def memory_per_network(case: dict[str, Any]) -> dict[str, Any]:
    """Bytes of one network of a stack, measured by the peak of processes and by the model that cuts stacks."""
    return {"case": case, **memory.per_network(case, 50, 400)}


def textbook_ntk(x: torch.Tensor, y: torch.Tensor, depth: int) -> torch.Tensor:
    """What a user would write from the paper: arccos, whole matrices."""
    d, beta = x.shape[1], 0.1
    sigma = x @ y.T / d + beta**2
    q, p = (z.square().sum(1) / d + beta**2 for z in (x, y))
    theta = sigma.clone()
    for _ in range(depth):
        norms = torch.sqrt(q[:, None] * p[None, :])
        angle = torch.arccos(torch.clamp(sigma / norms, -1, 1))
        sigma = norms * (torch.sin(angle) + (torch.pi - angle) * torch.cos(angle)) / torch.pi + beta**2
        theta = theta * (torch.pi - angle) / torch.pi + sigma
        q, p = q + beta**2, p + beta**2
    return theta


def neural_tangents_ntk(x: torch.Tensor, y: torch.Tensor, depth: int) -> Callable[[], np.ndarray]:
    """The same kernel by neural-tangents: variance 1 / d in the first layer, 2 / fan-in above, biases of beta."""
    import jax  # noqa: PLC0415

    jax.config.update("jax_enable_x64", True)
    from neural_tangents import stax  # noqa: PLC0415

    layers = [stax.Dense(1, W_std=1.0, b_std=0.1)]
    for _ in range(depth):
        layers += [stax.Relu(), stax.Dense(1, W_std=2**0.5, b_std=0.1)]
    _, _, kernel = stax.serial(*layers)
    compiled = jax.jit(lambda a, b: kernel(a, b, "ntk"))
    a, b = x.numpy(), y.numpy()
    return lambda: np.asarray(compiled(a, b))


def kernels() -> dict[str, Any]:
    """Entries per second of the NTK at depths 1 .. 7 in one pass, against rivals that give depth 7 alone."""
    n, m, d, depth = 1000, 2000, 100, 7
    x, y = torch.randn(n, d, dtype=torch.float64), torch.randn(m, d, dtype=torch.float64)

    def ours() -> int:  # in blocks that stay in the cache, as regression.py does it
        for rows, columns in itertools.product(x.split(256), y.split(256)):
            for _ in gram(ntk.profile, rows, columns, depth=range(depth + 1)):
                pass
        return n * m

    def textbook() -> int:
        textbook_ntk(x, y, depth)
        return n * m

    contenders: dict[str, Callable[[], int]] = {"ours": ours, "textbook": textbook}
    row: dict[str, Any] = {"case": f"NTK, L = 0..7, {n} x {m}, d = {d}"}
    if importlib.util.find_spec("neural_tangents"):
        theirs = neural_tangents_ntk(x, y, depth)
        (theta,) = gram(ntk.profile, x, y, depth=[depth])
        row["largest_difference_to_neural_tangents"] = float(np.abs(theta.numpy() - theirs()).max())

        def compiled() -> int:
            theirs()
            return n * m

        contenders["neural_tangents"] = compiled
    found = rates(contenders, seconds=1.0)
    row["entries_per_second"] = statistics.median(found["ours"])
    row |= {f"to_{name}": ratio(found["ours"], found[name])._asdict() for name in contenders if name != "ours"}
    return row


STUDY = """
title: overhead
source: none
n_test: 100
tasks: {t: {kind: k_local, k: 1, dimension: 3}}
protocols: {sgd: {kind: sgd, max_epochs: 1, check_every: 1, learning_rate: [0.1], network: {kind: mlp}}}
grids: {g: [{tasks: [t], protocols: [sgd], depth: [1], width: [4], n_train: [50], seeds: SEEDS}]}
"""


def overhead(per_job: int, networks: int) -> dict[str, Any]:
    """Seconds of workflow per network whose training costs nothing: Snakemake, imports, stores."""
    with tempfile.TemporaryDirectory() as folder:
        house = Path(folder)
        parts = [ROOT / name for name in ("Snakefile", "config.yaml", "workflow", "src", "envs")]
        subprocess.run(["cp", "-r", *parts, house], check=True)
        study = house / "workflow/studies/overhead"
        study.mkdir()
        (study / "study.yaml").write_text(STUDY.replace("SEEDS", str(networks)), encoding="utf-8")
        (study / "paper.yaml").touch()
        config = ["scale=paper", "studies=[overhead]", f"seeds_per_job={per_job}"]
        snakemake = [str(Path(sys.executable).parent / "snakemake"), "--profile", "workflow/profiles/laptop"]
        start = time.perf_counter()
        subprocess.run([*snakemake, "--config", *config], cwd=house, check=True, stderr=subprocess.DEVNULL)
        return {"per_job": per_job, "networks": networks, "seconds": (time.perf_counter() - start) / networks}


def blas() -> dict[str, Any]:
    """What NumPy multiplies with, and for which processor; $OPENBLAS_CORETYPE changes the latter."""
    loaded = threadpool_info()
    known: dict[str, Any] = next((b for b in loaded if "numpy" in b["filepath"]), {})
    return {"internal_api": "unknown", "version": "", "architecture": ""} | known


def table(measured: dict[str, Any]) -> str:
    """The measurements as Markdown, for the README."""

    def times(row: dict[str, Any], name: str) -> str:
        return f"{row[name]['median']:.2g}x" if name in row else ""

    lines = ["| networks | R | to a tight loop | to a DataLoader loop | to vmap | of sgemm | tight loop, of sgemm |"]
    lines.append("| --- " * 7 + "|")
    for row in measured["training"]:
        ratios = [times(row, f"to_{rival}") for rival in ("tight", "dataloader", "vmap")]
        shares = [f"{100 * row[name]['median']:.0f} %" for name in ("of_sgemm", "tight_of_sgemm")]
        lines.append("| " + " | ".join([row["case"], str(row["R"]), *ratios, *shares]) + " |")
    kernel = measured["kernels"]
    rivals_ = [f"{times(kernel, k)} {k.removeprefix('to_').replace('_', '-')}" for k in kernel if k.startswith("to_")]
    costs = [f"{o['seconds']:.2g} s at {o['per_job']} a job" for o in measured["overhead"]]
    held = [f"{m['measured'] / 1e6:.2g} MB of {m['model'] / 1e6:.2g} allowed for" for m in measured["memory"]]
    shapes = [
        f"d={m['case']['d']} L={m['case']['depth']} H={m['case']['width']} {m['case']['optimiser']}"
        for m in measured["memory"]
    ]
    lines += ["", f"NumPy's BLAS: {measured['machine']['numpy_blas']}."]
    lines += ["", "Memory per network: " + ", ".join(f"{h} ({s})" for h, s in zip(held, shapes, strict=True)) + "."]
    lines += ["", f"{kernel['case']}: {', '.join(rivals_)}. Workflow per network: {', '.join(costs)}."]
    return "\n".join(lines)


def show(measured: dict[str, Any], readme: Path) -> None:
    """Put the table between the marks in the README."""
    before, rest = readme.read_text(encoding="utf-8").split("<!-- bench -->\n")
    _, after = rest.split("<!-- /bench -->")
    text = f"{before}<!-- bench -->\n{table(measured)}\n<!-- /bench -->{after}"
    readme.write_text(text, encoding="utf-8")


def main() -> None:
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    measured: dict[str, Any] = {
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "device": "cpu, one thread",
            "numpy_blas": " ".join(str(blas()[key]) for key in ("internal_api", "version", "architecture")),
        },
        "versions": {"torch": torch.__version__.split("+")[0], "python": platform.python_version()},
        "training": [],
    }
    for case in CASES:
        measured["training"].append(training(case))
        print(measured["training"][-1], flush=True)
    measured["memory"] = [memory_per_network(case) for case in MEMORY]
    print(measured["memory"], flush=True)
    measured["kernels"] = kernels()
    print(measured["kernels"], flush=True)
    measured["overhead"] = [overhead(per_job, networks) for per_job, networks in ((1, 10), (10, 20), (100, 100))]
    print(measured["overhead"], flush=True)
    path = Path(__file__).parent / "benchmarks.json"
    path.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    show(measured, ROOT / "README.md")


if __name__ == "__main__":
    main()
