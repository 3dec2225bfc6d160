"""Keys that kinds of result add to the blocks of grids: declared in their files, and read by the schema."""

import pytest
from own_folders import RESULT, write
from study_template import write_study

from isobath import plugins, roots
from isobath.study import loading
from isobath.study.blocks import block_model
from isobath.study.schema import Block, ConfigError
from isobath.workflow import plan

STUDY = """
title: t
source: s
n_test: 10
tasks: {t: {kind: k_local, k: 1, dimension: 3}}
kernels: {k: ntk}
grids:
  g: [{tasks: [t], kernels: [k], depth: [1], n_train: [20], ranks: RANKS}]
"""


@pytest.fixture
def own(tmp_path):
    """A folder of one's own with a kind of result that adds a key to blocks."""

    def with_block(text):
        write(tmp_path / "own", {"results/gram_ranks.py": f"{RESULT}\n\nBLOCK = {text}\n"})
        roots.use([tmp_path / "own"])

    yield with_block
    roots.use([])


def test_a_key_of_a_block_stands_in_the_file_of_its_kind():
    assert "tangent_kernels" not in Block.model_fields
    assert block_model()(tasks=["t"], tangent_kernels=3).tangent_kernels == 3


def test_a_kind_of_your_own_adds_a_key_to_blocks(own, tmp_path):
    own('{"ranks": ("Count | None", None, "number of ranks")}')
    folder = write_study(tmp_path / "one", STUDY.replace("RANKS", "3"), smoke="")
    (block,) = loading.load_study(folder, "smoke").grids["g"]
    assert block.ranks == 3
    for value, reason in (("0", "greater than or equal to 1"), ("many", "integer")):
        folder = write_study(tmp_path / value, STUDY.replace("RANKS", value), smoke="")
        with pytest.raises(ConfigError, match=rf"grids\.g\[0\]\.ranks is .*{reason}"):
            loading.load_study(folder, "smoke")


def test_without_the_kind_the_key_is_unknown(tmp_path):
    folder = write_study(tmp_path / "one", STUDY.replace("RANKS", "3"), smoke="")
    with pytest.raises(ConfigError, match=r"unknown key 'ranks' in grids\.g\[0\]; .*tangent_kernels"):
        loading.load_study(folder, "smoke")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"depth": ("Count", 1, "another depth")}', r"BLOCK has depth, which is a key of a block already"),
        ('{"tangent_kernels": ("Count", 1, "more")}', r"BLOCK has tangent_kernels, which is a key"),
        ('{"ranks": ("Counts", 1, "number")}', r"ranks of BLOCK is Counts: .*settings\.py can be used"),
    ],
)
def test_a_key_that_cannot_be_is_refused(own, tmp_path, text, reason):
    own(text)
    with pytest.raises(plugins.PluginError, match=reason):
        block_model()
    folder = write_study(tmp_path / "one", STUDY.replace("RANKS", "3"), smoke="")
    with pytest.raises(ConfigError, match=reason):
        plan.load_study(folder, "smoke")
