"""Every kind of damage is found and named, and repaired by the next run alone."""

import os
import shutil
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from house import edit, forget_code, jobs

from isobath.disk import store
from isobath.hooks import present_results
from isobath.operations import arguments, verify
from isobath.workflow import plan

STUDY = "workflow/studies/small/study.yaml"
NETWORK = "results/smoke/small/networks/local/sgd/depth2_width6_n30_draw0_seeds0-1.zarr.zip"
KERNELS = "results/smoke/small/kernels/local/ntk/n30_draw0.zarr.zip"
CUBE = "results/smoke/small/cubes/depth.zarr.zip"
FIGURE = "results/smoke/small/figures/depth.json"
DRAWING = "results/smoke/small/figures/depth.pdf"
VERDICTS = "results/smoke/small/verdicts.json"


def run_of(house: Path):
    return arguments.load_run(house / "results/smoke", {"studies": ["small"]})


def faults(house: Path, *, whole: bool = True):
    return [(fault.kind, fault.path) for fault in verify.faults(run_of(house), whole=whole)]


def command(house: Path, *options: str) -> tuple[int, str]:
    """Return the exit status of the command, and its output."""
    words = [str(house / "results/smoke"), *options, "--config", "studies=[small]"]
    done = CliRunner().invoke(verify.command, words)
    assert done.stderr == ""
    return done.exit_code, done.stdout


def test_a_whole_run_has_no_faults(small_house):
    shutil.rmtree(small_house / ".snakemake")  # neither what Snakemake remembers
    for path in small_house.rglob("results/**/*"):
        os.utime(path, (1, 1))  # nor when a file was written counts
    assert faults(small_house) == faults(small_house, whole=False) == []
    assert command(small_house) == (0, "16 of 16 results of 13 jobs are as they should be.\n")


def test_each_of_200_flipped_bits_is_found_and_nothing_else_is_blamed(small_house):
    run = run_of(small_house)
    results = [path for job in plan.jobs(run) for path in job.outputs]
    rng = np.random.default_rng(0)
    for number in range(200):
        path = small_house / results[number % len(results)]
        intact = path.read_bytes()
        damaged = bytearray(intact)
        damaged[rng.integers(len(intact))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        assert [(f.kind, f.path) for f in verify.faults(run)] == [("damaged", results[number % len(results)])]
        verify.faults(run, whole=False)  # which may see it or not
        path.write_bytes(intact)


@pytest.mark.parametrize("path", [NETWORK, CUBE, DRAWING, VERDICTS, "results/smoke/index.html"])
def test_what_is_truncated_emptied_zeroed_or_deleted_is_found(small_house, path):
    intact = (small_house / path).read_bytes()
    half = len(intact) // 2
    for content in (b"", intact[:half], intact[:-1], intact + b"\0", intact[:half] + bytes(len(intact) - half)):
        (small_house / path).write_bytes(content)
        assert faults(small_house) == [("damaged", path)]
    (small_house / path).unlink()
    assert faults(small_house) == [("missing", path)]


PLACES = {
    "a folder": Path.mkdir,
    "a link to nothing": lambda path: path.symlink_to(path),  # a loop
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("path", [NETWORK, CUBE, FIGURE, DRAWING, VERDICTS, "results/smoke/index.html"])
@pytest.mark.parametrize("what", PLACES)
def test_what_is_no_file_is_found_and_set_aside(small_house, path, what):
    (small_house / path).unlink()
    PLACES[what](small_house / path)
    status, printed = command(small_house, "--set-aside")
    assert status == 1
    assert printed.splitlines()[0] == f"damaged  {path}: it is {what}"
    assert printed.splitlines()[-1] == f"set aside as {path}.damaged"
    assert not os.path.lexists(small_house / path)
    assert os.path.lexists(small_house / f"{path}.damaged")


@pytest.mark.parametrize("what", PLACES)
def test_what_is_no_file_is_no_result_of_another_run(small_house, what):
    (small_house / CUBE).unlink()
    PLACES[what](small_house / CUBE)
    present_results.require_own(run_of(small_house), [("cubes", {"study": "small", "grid": "depth"})])


def test_a_result_that_cannot_be_read_is_found(small_house, monkeypatch):
    def refuse(path: Path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(store, "verify", refuse)
    found = verify.faults(run_of(small_house))
    assert {(fault.kind, fault.reason) for fault in found} == {("damaged", "it can't be read: Permission denied")}


def test_a_member_that_is_left_out_is_found_even_in_an_intact_archive(small_house):
    data = store.read(small_house / NETWORK)
    store.write(data.drop_vars("epochs"), small_house / NETWORK)
    found = verify.faults(run_of(small_house))
    assert [(fault.kind, fault.path, fault.reason) for fault in found] == [("odd", NETWORK, "it has no epochs")]
    store.write(data.isel(seed=[0]), small_house / NETWORK)
    (fault,) = verify.faults(run_of(small_house))
    assert "status has 1 of seed, not 2" in fault.reason
    data.loss.attrs["units"] = "epochs"
    store.write(data, small_house / NETWORK)
    (fault,) = verify.faults(run_of(small_house))
    assert fault.reason == "loss is 'mean training loss' in 'epochs', not 'mean training loss' in '1'"


def test_values_that_are_nan_are_no_damage_but_a_cube_knows_its_cells(small_house):
    data = store.read(small_house / KERNELS)
    store.write(data.assign(jitter=data.jitter * np.nan), small_house / KERNELS)
    (fault,) = verify.faults(run_of(small_house))
    assert fault == (CUBE, "stale", "it was made from other inputs")


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        pytest.param(STUDY, "caption: Depth.", "caption: Width.", {FIGURE: "spec"}, id="a caption"),
        pytest.param(STUDY, "beta: 0.1", "beta: 0.2", {KERNELS: "spec", CUBE: "spec"}, id="a setting"),
        pytest.param("src/isobath/claims/small.py", "below=1.0", "below=0.9", {VERDICTS: "code"}, id="a claim's code"),
        pytest.param(STUDY, "depth: [1, 2, 3], n_train", "depth: [2, 1, 3], n_train", {CUBE: "spec"}, id="an order"),
    ],
)
def test_what_the_config_or_the_code_no_longer_asks_for_is_stale(small_house, monkeypatch, file, old, new, expected):
    edit(small_house, file, old, new)
    forget_code()
    assert {fault.path: fault.reason.split()[-1] for fault in verify.faults(run_of(small_house))} == expected


def test_other_versions_and_files_that_nobody_asked_for_are_said_and_are_no_faults(small_house, monkeypatch):
    left = ["results/smoke/small/networks/.seeds0-1.partial", "results/smoke/small/old.zarr.zip"]
    for path in left:
        (small_house / path).write_bytes(b"")
        os.utime(small_house / path, (1, 1))
    for path in ("results/smoke/small/networks/.seeds2-3.partial", "results/smoke/report.html"):
        (small_house / path).write_bytes(b"")  # one that is being written, and that of `make report`
    monkeypatch.setattr(verify, "version", lambda name: {"torch": "9.9"}.get(name) or version(name))
    status, printed = command(small_house, "--set-aside")
    assert status == 0
    first, second, third, _ = printed.splitlines()
    assert [first, second] == [f"extra    {path}" for path in left]
    assert third == f"13 results were made by torch {version('torch')} (here 9.9)."
    assert all((small_house / path).exists() for path in left)


def test_a_result_that_was_made_since_its_fault_was_found_stays(small_house):
    """Once `verify --set-aside` took it away, beside a run that goes on."""
    run, whole = run_of(small_house), {path: (small_house / path).read_bytes() for path in (NETWORK, VERDICTS)}
    (small_house / VERDICTS).unlink()
    (small_house / NETWORK).write_bytes(b"")
    found = verify.faults(run)
    (small_house / VERDICTS).write_bytes(whole[VERDICTS])
    assert verify.set_aside(run, found) == [f"{NETWORK}.damaged"]
    (small_house / NETWORK).write_bytes(whole[NETWORK])
    assert verify.set_aside(run, found) == []
    assert faults(small_house) == []


def test_what_is_set_aside_is_made_again_with_what_depends_on_it_and_nothing_else(small_house):
    intact = (small_house / NETWORK).read_bytes()
    for number, content in enumerate((intact[:-9], intact[:-1]), start=1):
        (small_house / NETWORK).write_bytes(content)
        status, printed = command(small_house, "--set-aside")
        aside = NETWORK + (".damaged" if number == 1 else ".damaged.2")
        assert (status, f"set aside as {aside}" in printed.splitlines()) == (1, True)
        assert (small_house / aside).read_bytes() == content
    shown = {"cubes": 1, "figures": 1, "verdicts": 1, "page": 1}
    assert jobs(small_house, study="small") == {"networks": 1, "ensembles": 1, **shown}
    (small_house / NETWORK).write_bytes(intact)
    (small_house / DRAWING).write_bytes(b"%PDF")
    assert command(small_house, "--set-aside")[0] == 1
    assert jobs(small_house, study="small") == {"figures": 1, "page": 1}


def test_a_name_of_two_lines_is_listed_as_one(small_house):
    """Once its second line was listed as if it were a file, which the line of docs/own.md would have removed."""
    name = small_house / "results/smoke/small/note\nextra    config.yaml"
    name.touch()
    try:
        lines = command(small_house)[1].splitlines()
    finally:
        name.unlink()
    assert lines[0] == "extra    'results/smoke/small/note\\nextra    config.yaml'"
    assert len(lines) == 2
