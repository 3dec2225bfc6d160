"""Grids, seed blocks, specs and fingerprints, which decide whether a job runs."""

import json
from pathlib import Path

import pytest
import xarray as xr
from house import ROOT, forget_code

from isobath import fingerprints, plugins, results
from isobath.disk import store
from isobath.results import kernels, networks
from isobath.study import loading, network_cells
from isobath.study.run import StudyRun, canonical
from isobath.study.schema import Block, Config
from isobath.study.seed_blocks import blocks_on_disk, named_blocks, of_cell, seed_blocks
from isobath.workflow import plan

CELL = {"task": "t", "protocol": "p", "depth": 1, "width": 2, "n_train": 3, "draw": 0}


@pytest.fixture
def study():
    return loading.load_study(ROOT / "workflow/studies/locality", "demo")


def holding(path, first, last):
    """Write a store whose spec says these seeds, and no networks."""
    store.write(xr.Dataset(attrs={"spec": json.dumps({"seeds": [first, last]})}), path)


def on_disk(folder, *blocks):
    for first, last in blocks:
        path = folder / networks.PATH.format(**CELL, seeds=f"{first}-{last}")
        holding(path, first, last)


def named(folder):
    path = folder / networks.PATH.format(**CELL, seeds="")
    return of_cell(named_blocks(path.parent), path)


@pytest.mark.parametrize(
    ("trained", "seeds", "per_job", "expected"),
    [
        ([], 10, 10, [(0, 9)]),
        ([], 10, 4, [(0, 3), (4, 7), (8, 9)]),
        ([], 3, 1, [(0, 0), (1, 1), (2, 2)]),
        ([(0, 3)], 10, 10, [(0, 3), (4, 9)]),
        ([(0, 9)], 10, 3, [(0, 9)]),
        ([(0, 9)], 4, 10, [(0, 9)]),
        ([(0, 3), (0, 9)], 12, 10, [(0, 9), (10, 11)]),
        ([(4, 9)], 12, 10, [(0, 3), (4, 9), (10, 11)]),
        ([(0, 3), (4, 4)], 8, 4, [(0, 3), (4, 4), (5, 7)]),
    ],
)
def test_seed_blocks_cover_the_seeds_once_and_keep_what_is_trained(tmp_path, trained, seeds, per_job, expected):
    on_disk(tmp_path, *trained)
    found = list(seed_blocks(named(tmp_path), seeds, per_job))
    assert found == expected
    on_disk(tmp_path, *found)  # once they are made, the same blocks are found again, with any block size
    assert list(seed_blocks(named(tmp_path), seeds, per_job + 1)) == expected
    assert list(blocks_on_disk(named(tmp_path), seeds)) == expected


@pytest.mark.parametrize("seeds", ["0-999999", "0-9", "2-3"])
@pytest.mark.parametrize("content", [b"", b"PK\x05\x06" + bytes(18), "a block of other seeds"])
def test_a_file_decides_by_its_name_neither_what_is_trained_nor_what_is_read(tmp_path, seeds, content):
    other = tmp_path / networks.PATH.format(**CELL, seeds=seeds)
    on_disk(tmp_path, (0, 3))
    if isinstance(content, bytes):
        other.write_bytes(content)
    else:
        holding(other, 0, 1)
    for per_job in (1, 4, 10):
        assert list(seed_blocks(named(tmp_path), 4, per_job)) == [(0, 3)]
    assert list(blocks_on_disk(named(tmp_path), 4)) == [(0, 3)]
    (tmp_path / networks.PATH.format(**CELL, seeds="0-3")).write_bytes(b"")
    assert list(seed_blocks(named(tmp_path), 4, 10)) == [(0, 3)]  # to be trained: its reader finds the damage
    assert next(blocks_on_disk(named(tmp_path), 4)) == (0, 3)


@pytest.mark.parametrize(
    ("trained", "expected"),
    [
        ([(0, 0), (2, 2), (3, 3)], [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ([(2, 3)], [(0, 1), (2, 3)]),
        ([(0, 0)], [(0, 0), (1, 3)]),
    ],
)
def test_a_block_that_failed_hides_none_behind_it(tmp_path, trained, expected):
    """Once networks that were trained and on disk counted as failed, if a block before them had."""
    on_disk(tmp_path, *trained)
    assert list(blocks_on_disk(named(tmp_path), 4)) == expected


def test_a_perceptron_has_no_width():
    block = Block(tasks=["a"], protocols=["p"], depth=[0, 1], width=[10, 20], n_train=[5], seeds=3)
    cells = network_cells.cells([block])
    assert {(c.depth, c.width) for c in cells} == {(0, 0), (1, 10), (1, 20)}


def test_overlapping_blocks_ask_for_the_larger():
    few = Block(tasks=["a"], protocols=["p"], kernels=["k"], depth=[1], width=[10], n_train=[5], seeds=3)
    more = few.model_copy(update={"seeds": 7, "depth": [7, 1]})
    assert network_cells.cells([few, more, few])[network_cells.NetworkCell("a", "p", 1, 10, 5, 0)] == 7
    assert list(kernels.cells([few, more]).values()) == [(1, 7)]


def test_draws_are_cells():
    block = Block(tasks=["a"], protocols=["p"], kernels=["k"], depth=[1], width=[10], n_train=[5], draws=3)
    assert sorted(c.draw for c in network_cells.cells([block])) == [0, 1, 2]
    assert sorted(c.draw for c in kernels.cells([block])) == [0, 1, 2]


def test_specs_are_canonical_and_leave_out_what_does_not_matter(study):
    cell = network_cells.NetworkCell("2-local", "sgd", 1, 100, 4000, 0)
    search = canonical(network_cells.training_spec(study, 0, cell))
    run = StudyRun(Config(scale="demo", studies=["locality"]), "locality", study)
    block = canonical(networks.spec(run, {**cell._asdict(), "seeds": "0-9"}))
    assert json.loads(search)["learning_rate"]["folds"] == study.protocols["sgd"].learning_rate.folds
    assert json.loads(block)["learning_rate"] is None  # its result is an input
    assert "n_test" not in search
    assert canonical({"b": 1, "a": 0.10}) == '{"a":0.1,"b":1}'


def test_a_fingerprint_follows_meaning(monkeypatch, tmp_path):
    import isobath.plugins as p  # noqa: PLC0415

    spec = {"kernel": {"kind": "ntk"}}
    package = tmp_path / "isobath"
    sources = {f: f.read_text(encoding="utf-8") for f in p.PACKAGE.rglob("*.py")}
    for file, text in sources.items():
        target = package / file.relative_to(p.PACKAGE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    monkeypatch.setattr(p, "PACKAGE", package)

    def code(stage="kernels"):
        forget_code()
        return fingerprints.fingerprint(stage, spec)

    def edit(module, old, new):
        path = package / module
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    first = code()
    edit("kernels/ntk.py", '"""The neural', '"""A neural')
    edit("regression/arc_cosine.py", "    sum_r, sum_s", "    # a comment\n\n    sum_r, sum_s")
    edit("kernels/nngp.py", "yield sigma", "yield sigma + 0")  # not of this kernel
    edit("disk/store.py", "level=3", "level=5")  # glue
    edit("plotting/style.py", "8.5", "9.5")  # not imported
    assert code() == first
    edit("regression/arc_cosine.py", "scale=-2, out=sigma", "scale=-3, out=sigma")
    second = code()
    assert second != first
    edit("regression/linear_systems.py", "1e-8", "1e-9")
    assert code() != second
    forget_code()


def test_plugins_are_listed_and_their_schema_read_without_importing_them():
    assert {"k_local", "k_global"} <= set(plugins.kinds("task"))
    assert plugins.schema("kernel", "ntk")["beta"][1] == 0.1
    with pytest.raises(plugins.PluginError, match="did you mean 'mlp'"):
        plugins.schema("network", "mpl")


def test_a_folder_of_networks_is_read_once_for_all_its_cells(monkeypatch):
    """Otherwise a plan of 20,000 cells would read a folder of 20,000 files as many times."""
    read = []
    monkeypatch.setattr(networks, "named_blocks", lambda folder: read.append(folder) or {})
    run = plan.load(ROOT, {"scale": "demo", "studies": ["locality"]}).parts["locality"]
    cells = {tuple(names.values()) for names in results.names("networks", run)}
    folders = {Path(run.path(networks.PATH, **names)).parent for names in results.names("networks", run)}
    assert len(read) == len(set(read)) == len(folders) < len(cells)
