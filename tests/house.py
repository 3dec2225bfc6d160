"""A house: a copy of the repository in which tests run the workflow, edit, and run again."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numba
from numba.core.caching import UserProvidedCacheLocator

from isobath import compilation, fingerprints, plugins, sources
from isobath.training import compiled  # noqa: F401 (it names the folder)
from isobath.workflow import plan

ROOT = Path(__file__).parent.parent
COMPILED = {  # folder of compiled code -> a module that is compiled into it
    numba.config.CACHE_DIR: "training/compiled/epochs.py",
    compilation.cache_of("numba-regression", "regression"): "regression/compiled.py",
}
FRICTIONLESS, SNAKEDEPLOY = (str(Path(sys.executable).parent / name) for name in ("frictionless", "snakedeploy"))
SNAKEMAKE = [str(Path(sys.executable).parent / "snakemake"), "--profile", "workflow/profiles/laptop", "--cores", "2"]


def snakemake(
    house: Path, *arguments: str, scale: str = "smoke", study: str = "locality", config: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    command = [*SNAKEMAKE, *arguments, "--config", f"scale={scale}", f"studies=[{study}]", *config]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    return subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True, check=False)


def jobs(house: Path, *arguments: str, **how: str) -> dict[str, int]:
    """Return the job table of a dry run, without the target itself."""
    run = snakemake(house, "-n", *arguments, **how)
    assert run.returncode == 0, run.stderr
    table = re.findall(r"^(\w+) +(\d+)$", run.stdout + run.stderr, flags=re.MULTILINE)
    return {rule: int(count) for rule, count in table if rule not in ("total", "all")}


def fresh(folder: Path) -> Path:
    """Copy the repository, without its published findings, into a folder in which nothing has been run."""
    house = folder / "isobath"
    made = {".git", ".venv", ".venv-docs", ".snakemake", ".hypothesis", "results", "resources", "logs", "checkpoints"}
    caches = shutil.ignore_patterns("__pycache__", ".*_cache", "_build")

    def skip(place: str, names: list[str]) -> set[str]:
        here = made if Path(place) == ROOT else {"findings"} if Path(place) == ROOT / "docs" else set()
        return caches(place, names) | (here & {*names})

    shutil.copytree(ROOT, house, symlinks=True, ignore=skip)
    return share_compiled_code(house)


def copy(house: Path, target: Path) -> Path:
    shutil.copytree(house, target, symlinks=True, copy_function=shutil.copy2)
    return share_compiled_code(target)


def share_compiled_code(house: Path) -> Path:
    """Let a house use what this repository has compiled: Numba names its folders by where the code lies.

    The folder above is named by the code itself (compilation.py), so a house whose code is edited compiles its own.
    """
    for caches, module in COMPILED.items():
        ours, theirs = (_folder_of_numba(where / "src/isobath" / module) for where in (ROOT, house))
        shared, link = (where / "src/isobath/__pycache__" / Path(caches).name for where in (ROOT, house))
        (shared / ours).mkdir(parents=True, exist_ok=True)
        link.mkdir(parents=True, exist_ok=True)
        if not (link / theirs).exists():
            (link / theirs).symlink_to(shared / ours)
    return house


def _folder_of_numba(module: Path) -> str:
    return str(UserProvidedCacheLocator.get_suitable_cache_subpath(str(module)))


def forget_code() -> None:
    """Forget the code that was read, so that this process is like one that has not read it yet."""
    read = (sources.text, plugins.tree, plugins._families, plan.jobs)
    for cached in (
        *read,
        fingerprints._closure,
        fingerprints._imports,
        fingerprints._meaning,
        fingerprints._of_modules,
    ):
        cached.cache_clear()


def edit(house: Path, file: str, old: str, new: str) -> None:
    path = house / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= 1, f"{old!r} is not in {file}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@contextmanager
def edited(house: Path, file: str, old: str, new: str) -> Iterator[None]:
    """Edit a file for a while: a house in which nothing is run meanwhile is as before, and needs no copy."""
    before = (house / file).read_bytes()
    edit(house, file, old, new)
    try:
        yield
    finally:
        (house / file).write_bytes(before)


def edit_smoke(house: Path, old: str, new: str, *, study: str = "locality") -> None:
    """Edit the smoke scale of a study."""
    edit(house, f"workflow/studies/{study}/smoke.yaml", old, new)


def write_study(folder: Path, text: str, **overlays: str) -> Path:
    """Write a study into its folder: study.yaml, and what each scale changes in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {"study": text, **overlays}.items():
        (folder / f"{name}.yaml").write_text(content, encoding="utf-8")
    return folder
