"""Grids, seed blocks, specs and fingerprints: what decides whether a job runs."""

import json
from pathlib import Path

import pytest

from isobath import fingerprints, plugins
from isobath.results import kernels, networks
from isobath.study import loading, network_cells
from isobath.study.run import StudyRun, canonical
from isobath.study.schema import Block, Config
from isobath.study.seed_blocks import seed_blocks

ROOT = Path(__file__).parent.parent
CELL = {"task": "t", "protocol": "p", "depth": 1, "width": 2, "n_train": 3, "draw": 0}


@pytest.fixture
def study():
    return loading.load_study(ROOT / "workflow/studies/locality", "demo")


def on_disk(folder, *blocks):
    for first, last in blocks:
        path = folder / networks.PATH.format(**CELL, seeds=f"{first}-{last}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


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
    pattern = tmp_path / networks.PATH.format(**CELL, seeds="*")
    found = list(seed_blocks(pattern, seeds, per_job))
    assert found == expected
    on_disk(tmp_path, *found)  # once they are made, the same blocks are found again, with any block size
    assert list(seed_blocks(pattern, seeds, per_job + 1)) == expected


def test_a_perceptron_has_no_width():
    block = Block(tasks=["a"], protocols=["p"], depth=[0, 1], width=[10, 20], n_train=[5], seeds=3)
    cells = network_cells.cells([block])
    assert {(c.depth, c.width) for c in cells} == {(0, 0), (1, 10), (1, 20)}


def test_overlapping_blocks_ask_for_the_larger():
    few = Block(tasks=["a"], protocols=["p"], kernels=["k"], depth=[1], width=[10], n_train=[5], seeds=3)
    more = few.model_copy(update={"seeds": 7, "depth": [7, 1]})
    assert network_cells.cells([few, more, few])[network_cells.NetworkCell("a", "p", 1, 10, 5, 0)] == 7
    assert list(kernels.cells(None, [few, more]).values()) == [(1, 7)]


def test_draws_are_cells():
    block = Block(tasks=["a"], protocols=["p"], kernels=["k"], depth=[1], width=[10], n_train=[5], draws=3)
    assert sorted(c.draw for c in network_cells.cells([block])) == [0, 1, 2]
    assert sorted(c.draw for c in kernels.cells(None, [block])) == [0, 1, 2]


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
        for cached in (p.tree, fingerprints._closure, fingerprints._meaning):
            cached.cache_clear()
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
    for cached in (p.tree, fingerprints._closure, fingerprints._meaning):
        cached.cache_clear()


def test_plugins_are_listed_and_their_schema_read_without_importing_them():
    assert {"k_local", "k_global"} <= set(plugins.kinds("task"))
    assert plugins.schema("kernel", "ntk")["beta"][1] == 0.1
    with pytest.raises(plugins.PluginError, match="did you mean 'mlp'"):
        plugins.schema("network", "mpl")
