"""A study that extends another: its own settings hold at every scale, and the rest is that of the other study."""

from pathlib import Path

import pytest
from house import ROOT, write_study

from isobath.study import layers, places
from isobath.study.network_cells import cells
from isobath.study.schema import ConfigError
from isobath.workflow import plan

THEIRS = """
title: t
source: s
n_test: {n_test}
tasks: {{a: {{kind: k_local, k: 1, dimension: 4}}}}
protocols: {{sgd: {{kind: sgd, network: mlp, learning_rate: 0.1}}}}
grids: {{g: [{{tasks: [a], protocols: [sgd], depth: [1], width: [3], n_train: [20]}}]}}
"""
OURS = places.studies(ROOT)


def load(folder: Path, text: str, scale: str = "smoke", known: dict[str, Path] | None = None, **overlays: str):
    mine = write_study(folder / "mine", text, **overlays)
    return plan.load_study(mine, scale, {**OURS, "mine": mine, **(known or {})})


def settings(study):
    return study.model_dump()


def test_a_study_that_says_nothing_else_is_the_other_with_its_claims(tmp_path):
    mine, ours = load(tmp_path, "extends: locality"), plan.load_study(OURS["locality"], "smoke")
    assert mine.claims == [f"locality.{name}" for name in ours.claims] != []
    (bearing,) = ours.figures["bias"].claims
    assert mine.figures["bias"].claims == [f"locality.{bearing}"]
    named = {"claims": [], "figures": {}}
    assert {**settings(mine), **named} == {**settings(ours), **named}
    assert [f.settings for f in mine.figures.values()] == [f.settings for f in ours.figures.values()]


@pytest.mark.parametrize("scale", ["smoke", "demo", "laptop", "paper"])
def test_one_grid_of_the_other_is_kept_as_the_guide_says(tmp_path, scale):
    guide = (ROOT / "docs/own.md").read_text(encoding="utf-8")
    (text,) = (block for block in guide.split("```") if "title: Biases alone" in block)
    mine = load(tmp_path, text.removeprefix("yaml"), scale)
    assert [*mine.grids] == [*mine.figures] == ["bias"]


def test_the_later_of_four_files_wins(tmp_path):
    theirs = write_study(tmp_path / "theirs", THEIRS.format(n_test=1), big="n_test: 2", small="{}")
    known = {"theirs": theirs}
    for mine, overlay, scale, wins in (("", "{}", "small", 1), ("", "{}", "big", 2), ("n_test: 3", "{}", "big", 3)):
        assert load(tmp_path, f"extends: theirs\n{mine}", scale, known, **{scale: overlay}).n_test == wins
    assert load(tmp_path, "extends: theirs\nn_test: 3", "big", known, big="n_test: 4").n_test == 4


def test_what_it_says_holds_over_the_scales_of_the_other(tmp_path):
    ours = plan.load_study(OURS["locality"], "smoke")
    assert ours.n_test != 777
    mine = load(tmp_path, "extends: locality\nn_test: 777\nprotocols: {sgd: {max_epochs: 33}}\nclaims: []")
    assert mine.n_test == 777
    assert mine.protocols["sgd"].settings == ours.protocols["sgd"].settings
    assert mine.protocols["sgd"].max_epochs == 33 != ours.protocols["sgd"].max_epochs
    assert mine.claims == []
    assert mine.grids == ours.grids
    assert load(tmp_path, "extends: locality\nn_test: 777", smoke="n_test: 778").n_test == 778


def test_lists_are_replaced_and_null_removes(tmp_path):
    ours = plan.load_study(OURS["locality"], "smoke")
    name, (block, *_) = next(iter(ours.grids.items()))
    figures = dict.fromkeys(ours.figures, "null")
    grids = {grid: "null" for grid in ours.grids if grid != name}
    text = f"extends: locality\nclaims: []\nfigures: {{{', '.join(f'{f}: null' for f in figures)}}}\n"
    one = f"{{tasks: [{block.tasks[0]}], protocols: [sgd], depth: [1], width: [7], n_train: [30]}}"
    text += f"grids: {{{', '.join(f'{g}: null' for g in grids)}{', ' if grids else ''}{name}: [{one}]}}\n"
    mine = load(tmp_path, text)
    assert mine.figures == {}
    assert [blocks[0].width for blocks in mine.grids.values()] == [[7]]
    assert [len(blocks) for blocks in mine.grids.values()] == [1]


def test_a_study_may_extend_one_that_extends(tmp_path):
    between = write_study(tmp_path / "between", "extends: locality\ntitle: Between\nn_test: 5")
    mine = load(tmp_path, "extends: between\nn_test: 6", known={"between": between})
    assert (mine.title, mine.n_test) == ("Between", 6)
    assert all(claim.startswith("locality.") for claim in mine.claims)


@pytest.mark.parametrize(
    ("text", "overlays", "words"),
    [
        ("extends: localty", {}, ["mine/study.yaml: extends is 'localty'; did you mean 'locality'?"]),
        ("extends: [locality]", {}, ['mine/study.yaml: extends is ["locality"]; ']),
        ("extends: mine", {}, ["mine/study.yaml: extends is 'mine'; studies must not extend each other in a circle"]),
        ("extends: locality", {"smoke": "extends: width"}, ["mine/smoke.yaml: extends is 'width'; ", "must stand in"]),
        (
            "extends: locality",
            {"smoke": "deviations: [Rates are ours]"},
            ['mine/smoke.yaml: deviations is ["Rates are ours"]; it is of all scales and must stand in', "study.yaml"],
        ),
        (
            "extends: locality\ndeviations: [a, ' ']",
            {},
            ["mine/study.yaml: deviations[1] is ' '; it must be a sentence"],
        ),
        (
            "extends: locality",
            {"smoke": "not_judged: [That it is blue]"},
            ['mine/smoke.yaml: not_judged is ["That it is blue"]; it is of all scales and must stand in', "study.yaml"],
        ),
        (
            "extends: locality\nnot_judged: ['']",
            {},
            ["mine/study.yaml: not_judged[0] is ''; it must be a sentence"],
        ),
        ("extends: locality\nn_tets: 5", {}, ["mine/study.yaml: unknown key 'n_tets'"]),
        (
            "extends: locality\nn_tets: null",
            {},
            ["mine/study.yaml: n_tets is null, but there is no such key", "n_test"],
        ),
        (
            "extends: locality",
            {"smoke": "protocols: {sgd: {batch_siz: null}}"},
            ["mine/smoke.yaml: protocols.sgd.batch_siz is null, but there is no such key", "batch_size"],
        ),
        (
            "extends: locality\nprotocols: {sgd: {network: {biass: null}}}",
            {},
            ["mine/study.yaml: protocols.sgd.network.biass is null, but there is no such key"],
        ),
        (
            "extends: fractals",
            {"smoke": "tasks: {curves: {levles: null}}"},
            ["mine/smoke.yaml: tasks.curves.levles is null, but there is no such key", "levels"],
        ),
        (
            "extends: locality\ntasks: {sums: {kind: k_terms, k: 1, each: {terms: [1]}, name: 's-{terms}', dim: null}}",
            {},
            ["mine/study.yaml: tasks.sums.dim is null, but there is no such key"],
        ),
        ("extends: locality", {"smoke": "n_test: -1"}, ["mine/smoke.yaml: n_test is -1"]),
        ("extends: locality\nclaims: [locality.no]", {}, ["mine/study.yaml", "claims[0] is 'locality.no'"]),
        (
            "extends: locality\nfigures: {bias: {claims: [no]}}",
            {},
            ["mine/study.yaml", "figures.bias.claims[0] is 'no'"],
        ),
        ("extends: locality\nworks: {Mori: 2005.12488}", {}, ["mine/study.yaml", "works.Mori is 2005.12488"]),
        ("title: t", {"smoke": ""}, ["mine/study.yaml (scale smoke): ", " is missing"]),
    ],
)
def test_a_mistake_is_named_with_its_file(tmp_path, text, overlays, words):
    with pytest.raises(ConfigError) as refusal:
        load(tmp_path, text, **overlays)
    assert "\n" not in str(refusal.value)
    for word in words:
        assert word in str(refusal.value)


def test_a_hidden_file_is_no_scale(tmp_path):
    """An editor's lock is one."""
    load(tmp_path, THEIRS.format(n_test=10), smoke="")
    (tmp_path / "mine/.#demo.yaml").write_text("")
    assert layers.scales(tmp_path / "mine", OURS) == ["smoke"]


@pytest.mark.parametrize("what", ["folder", "link"])
def test_a_scale_that_is_no_file_is_refused(tmp_path, what):
    """Once its study ran at the settings of study.yaml, those of the paper."""
    load(tmp_path, THEIRS.format(n_test=10), smoke="")
    place = tmp_path / "mine/big.yaml"
    place.mkdir() if what == "folder" else place.symlink_to("nowhere")
    with pytest.raises(ConfigError, match=r"mine/big\.yaml is .*; it must be a file, or not be there"):
        layers.layers(tmp_path / "mine", "big", OURS)


def test_widths_are_counted_once_at_depth_0(tmp_path):
    text = THEIRS.format(n_test=10).replace("depth: [1], width: [3]", "depth: [0, 2], width: [3, 4, 5]")
    (block,) = load(tmp_path, text, smoke="").grids["g"]
    assert block.shapes() * block.seeds == sum(cells([block]).values()) == 4 * 10


def test_a_scale_that_neither_has_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"mine: scale is 'lapto'; did you mean 'laptop'\?"):
        load(tmp_path, "extends: locality", "lapto")
    assert load(tmp_path, "extends: locality", "mine", mine="n_test: 9").n_test == 9


def test_null_removes_a_setting_of_the_former_kind(tmp_path):
    """It is no setting of the new one."""
    text = THEIRS.format(n_test=50) + "kernels: {mine: {kind: ntk, beta: 0.5}}\n"
    for change in (
        "{mine: {kind: gamma_exponential, beta: null}}",
        "{new: {like: mine, kind: gamma_exponential, beta: null}}",
    ):
        study = load(tmp_path, text, smoke=f"kernels: {change}")
        assert "beta" not in [*study.kernels.values()][-1].settings
