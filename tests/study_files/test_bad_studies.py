"""A bad study is refused in one sentence that names file, key, value and what is allowed."""

import pytest
from study_template import STUDY, load

from isobath.study.loading import ConfigError


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("n_test: 10", 'n_test: "10"', ["n_test is '10'; allowed: an integer", "without quotes"]),
        ("{folds: 5}", "-1", ["learning_rate is -1; it must be", "a formula, or a search"]),
        ("n_test: 10", "n_tests: 10", ["unknown key 'n_tests'", "did you mean 'n_test'"]),
        ("width: [3]", "widths: [3]", ["'widths' in grids.g[0]", "did you mean 'width'"]),
        ("{folds: 5}", "{fold: 5}", ["'fold' in protocols.sgd.learning_rate", "did you mean 'folds'"]),
        ("k: 2,", "k: 2, beta: 1,", ["unknown key 'beta' in tasks.a", "allowed: dimension, k, kind, n_test, offsets"]),
        ("k: 2,", "", ["tasks.a.k is missing"]),
        ("kind: k_local", "kind: k_locale", ["tasks.a.kind is 'k_locale'", "did you mean 'k_local'"]),
        ("kind: sgd", "kind: sdg", ["protocols.sgd.kind is 'sdg'", "did you mean 'sgd'"]),
        (
            "{kind: mlp}",
            "{kind: mlp, initialisation: glorot}",
            ["protocols.sgd.network.initialisation.kind is 'glorot'", "he_normal"],
        ),
        (
            "{kind: mlp}",
            "{kind: cnn}",
            ["protocols.sgd.network on tasks.a", "4 inputs are no square image of 3 channels"],
        ),
        (
            "{kind: mlp}",
            "{kind: lazy, network: {kind: lazy}}",
            ["protocols.sgd.network", "network is lazy", "it keeps a start itself"],
        ),
        ("{kind: mlp}", "{kind: linearised, network: deep_linear}", ["network is deep_linear", "have no biases"]),
        (
            "depth: [1]",
            "depth: [0, 1]",
            ["grids.g[0].depth has 0, at which kernels.ntk is linear", "give the kernel ridges"],
        ),
        (
            "title: t",
            "title: t\n"
            "calculations: {c: {kind: folding_basin, grid: g, folds: [2, 24], noise: [0], networks: 1, steps: 1, "
            "rate: 1}}",
            ["calculations.c.folds", "24", "less than or equal to 20"],
        ),
        (
            "title: t",
            "title: t\ncalculations: {c: {kind: least_errors, grid: g, levels: 3, curves: [1, 7]}}",
            ["calculations.c.curves", "7"],
        ),
        *(
            ("title: t", f"title: t\ncalculations: {{c: {{grid: g, {calculation}}}}}", [f"calculations.c.{words}"])
            for calculation, words in (
                ("kind: least_errors, levels: 3, curves: []", "curves is []; allowed: a list with at least one entry"),
                ("kind: least_errors, levels: 3, curves: [2, 2]", "curves is [2, 2]; a value stands twice"),
                ("kind: radial_density, dimensions: [], radii: [1]", "dimensions is []; allowed: a list with at"),
                ("kind: sawtooth_counts, triangles: [1], folds: []", "folds is []; allowed: a list with at least"),
                ("kind: sawtooth_counts, triangles: [1], folds: [1, 1]", "folds is [1, 1]; a value stands twice"),
                (
                    "kind: initial_gradients, levels: 9, growth: [1], depth: [1], width: 9, networks: 1, "
                    "initialisations: [[a, he_normal]], delta: 0",
                    "delta is 0; it must be greater than 0",
                ),
                (
                    "kind: region_counts, depth: [1], width: [1], networks: 1, levels: [], initialisations: [[a, he]]",
                    "levels is []; allowed: a list with at least one entry",
                ),
                (
                    "kind: gram_eigenvalues, n_train: 9, draws: 1, kernels: [[a, ntk, [1]], [a, nngp, [1]]]",
                    'kernels is [["a", "ntk", [1]], ["a", "nngp", [1]]]; a value stands twice',
                ),
                (
                    "kind: gram_eigenvalues, n_train: 9, draws: 1, kernels: [[a, ntk, [1, 1]]]",
                    "kernels[0][2] is [1, 1]; a value stands twice",
                ),
            )
        ),
        *(
            ("title: t", f"title: t\ncalculations: {{c: {{grid: g, {calculation}}}}}", ["calculations.c: ", words])
            for calculation, words in (
                ("kind: sawtooth_counts, triangles: [1], folds: [30]", "folds [30]; all have more than 1000000 pieces"),
                ("kind: deep_certificates, levels: [9, 2], shortcut: 3, samples: 1", "shortcut is 3; it must not"),
                (
                    "kind: initial_gradients, levels: 9, growth: [1], depth: [1], width: 9, networks: 1, "
                    "initialisations: [[a, he_normal]]",
                    "levels is 9; Theorem 5 needs more than n' = 22",
                ),
            )
        ),
        ("title: t", "title: ''", ["title is ''; it must be a text that can be printed"]),
        ("title: t", "title: '  '", ["title is '  '; it must be a text"]),
        ("source: s", "source: ''", ["source is ''; it must be a text"]),
        ("caption: c", "caption: ' '", ["figures.f.caption is ' '; it must be a text"]),
        (
            "title: t",
            'title: t\nworks: {"": "arXiv:2005.12488"}',
            ["works has ''; the word that names a work must not"],
        ),
        ("kind: ntk", "kind: ntk, input_variance: true", ["ntk.input_variance is true; it must be 1 or 2"]),
        (
            "a: {kind: k_local, k: 2, dimension: 4}",
            "a: {kind: fractal, levels: 3, curve: true}",
            ["tasks.a.curve is true; it must be 1 or 2 or 3 or 4 or 5 or 6 or 'given'"],
        ),
        (
            "title: t",
            "title: t\ncalculations: {c: {kind: least_errors, grid: g, levels: 3, curves: [true, 2]}}",
            ["calculations.c.curves[0] is true; it must be 1 or 2 or 3"],
        ),
        ("n_test: 10", f"n_test: {'9' * 5000}", [f"line 4: {'9' * 77}... is not a finite number"]),
        ("n_test: 10", f"n_test: {'0' * 5000}", [f"line 4: {'0' * 77}... could be octal"]),
        ("n_test: 10", "n_test: ten", ["n_test", "'ten'", "integer"]),
        ("n_test: 10", "n_test: 10.5", ["n_test", "10.5", "integer"]),
        ("n_test: 10", "n_test: true", ["n_test", "true", "integer"]),
        ("n_test: 10", "n_test: 0", ["n_test", "0", "greater than or equal to 1"]),
        ("n_test: 10", "n_test: -3", ["n_test", "-3"]),
        ("n_test: 10", "n_test: .nan", ["line", ".nan", "finite"]),
        ("n_test: 10", "n_test: -.inf", ["line", "-.inf", "finite"]),
        ("n_test: 10", "n_test: 010", ["line", "010", "octal"]),
        ("n_test: 10", "n_test: 1:30", ["n_test", "'1:30'"]),
        ("n_test: 10", "n_test: 2020-01-01", ["n_test", "'2020-01-01'"]),
        ("n_test: 10", "n_test: no", ["n_test", "'no'"]),
        ("n_test: 10", "n_test: 10\nn_test: 11", ["line", "'n_test' stands twice"]),
        ("title: t", "title: &x t", ["line 2", "anchors"]),
        ("title: t", "title: !!python/object:os.system x", ["line 2", "tag"]),
        (
            "title: t",
            'title: t\nworks: {Mori: "2005.12488"}',
            ["works.Mori is '2005.12488'; a work is an arXiv number, a DOI or an address: arXiv:2005.12488, doi:10."],
        ),
        ("title: t", "__use_yte__: true\ntitle: t", ["unknown key '__use_yte__'"]),
        ("title: t", "\ttitle: t", ["line"]),
        ("depth: [1]", "depth: []", ["grids.g[0].depth is empty", "protocols and kernels need it"]),
        ("depth: [1]", "constructions: [c], depth: [1]", ["grids.g[0].constructions is 'c'", "allowed: none"]),
        ("title: t", "title: t\ncalculations: {c: {kind: regions, grid: g}}", ["calculations.c.kind is 'regions'"]),
        ("depth: [1]", "depth: [1, 1]", ["grids.g[0].depth", "stands twice"]),
        ("depth: [1]", "depth: [-1]", ["grids.g[0].depth[0]", "-1"]),
        ("depth: [1]", "depth: 1", ["grids.g[0].depth", "list"]),
        ("width: [3],", "", ["grids.g[0].width is missing"]),
        ("n_train: [20]", "n_train: [4]", ["grids.g[0].n_train is 4", "folds", "5"]),
        ("tasks: [a], p", "tasks: [b], p", ["grids.g[0].tasks is 'b'", "allowed: a"]),
        ("protocols: [sgd], kernels: [ntk], ", "", ["grids.g[0]", "neither protocols nor kernels"]),
        ("k: 2,", "k: 5,", ["tasks.a", "k is 5", "dimension", "4"]),
        ("k: 2,", "k: 2, offsets: [3, 2],", ["tasks.a", "[3, 2]", "increasing"]),
        ("grid: g", "grid: h", ["figures.f.grid is 'h'", "allowed: g"]),
        (
            "{kind: bias_dependence, grid: g, caption: c, tasks: [a]}",
            "{kind: accuracy_by_rate, grid: g, caption: c, tasks: [a], protocol: sgd}",
            [
                "figures.f.kind is 'accuracy_by_rate', which reads recorded_first_half_error",
                "no protocol of grid g has records",
            ],
        ),
        ("claims: []", "claims: [mse_agree]", ["claims[0] is 'mse_agree'", "did you mean 'mse_agrees'"]),
        *(
            (old, new.format(name), [key, f"[0] is {name!r:.60}", "allowed: "])
            for old, new, key in (
                ("claims: []", 'claims: ["{}"]', "yaml (scale demo): claims"),
                ("caption: c", 'caption: c, claims: ["{}"]', "yaml (scale demo): figures.f.claims"),
            )
            for name in ("own/mine.better", "../x.y", "/.x", "a/b.x", "...x", "x" * 300 + ".y")
        ),
        ("a: {kind", "../../x: {kind", ["../../x", "letters, digits"]),
        ("a: {kind", "'a;rm': {kind", ["a;rm", "letters, digits"]),
        ("a: {kind", "'{n}': {kind", ["{n}", "letters, digits"]),
        ("a: {kind", "'$(x)': {kind", ["$(x)", "letters, digits"]),
        ("a: {kind", f"{'a' * 300}: {{kind", ["letters, digits"]),
        ("  a: {kind", "  A: {kind: k_local, k: 2, dimension: 4}\n  a: {kind", ["tasks has 'A' and 'a'"]),
        ("{folds: 5}", "{minimum: 2, maximum: 1}", ["learning_rate.minimum is 2", "maximum"]),
        ("{folds: 5}", "-0.1", ["protocols.sgd.learning_rate", "-0.1"]),
        ("{folds: 5}", "[0.1, 0.10]", ["protocols.sgd.learning_rate", "stands twice"]),
        ("{folds: 5}", "[0.3, 0.1]", ["protocols.sgd.learning_rate is [0.3, 0.1]; the rates must increase"]),
        (
            "{folds: 5}",
            "0.1, max_epochs: 30000, record_every: 1",
            ["protocols.sgd.record_every is 1, which makes 30001 recordings of 30000 epochs; allowed are 5000 at most"],
        ),
        ("{folds: 5}", "0.1, max_epochs: 1000000000, record_every: 1", ["makes 1000000001 recordings"]),
        (
            "{folds: 5}",
            "0.1, max_epochs: 1000000000, records: 1000",
            ["protocols.sgd.records is 1000, which makes 6798"],
        ),
        (
            "n_train: [20]",
            "n_train: [20], draws: 100000000",
            ["grids.g[0] has 1000000000 networks and 100000000 regressions; allowed are 1000000 at most"],
        ),
        ("n_train: [20]", "n_train: [20], seeds: 1000000000000", ["grids.g[0] has 1000000000000 networks"]),
        ("n_train: [20]", "n_train: [20], seeds: 10, draws: 90910", ["grids.g[0] has 909100 networks and 90910 reg"]),
        (
            "{folds: 5}",
            "{rounds: 1000000, suggestions: 1000000}",
            ["learning_rate tries 1000000000008 rates, initial + rounds * suggestions; allowed are 1000 at most"],
        ),
        ("{folds: 5}", "{initial: 1000000000000}", ["learning_rate tries 1000000000012 rates"]),
        (
            "ntk: {kind: ntk}",
            f'ntk: {{kind: ntk}}\n  f: {{name: "{{a}}{{b}}{{c}}", each: { {key: [*range(200)] for key in "abc"} }}}',
            ["kernels.f.each has 8000000 combinations; allowed are 1000 at most"],
        ),
        ("kind: ntk", "kind: ntk, ridges: [-1]", ["kernels.ntk.ridges[0] is -1", "greater than or equal to 0"]),
        ("kind: ntk", "kind: ntk, ridges: [0.1, 0.10]", ["kernels.ntk.ridges", "stands twice"]),
        ("kind: ntk", "kind: ntk, ridges: [0.1], validation: 0", ["kernels.ntk.validation is 0", "greater than 0"]),
        ("kind: ntk", "kind: ntk, validation: 1.0", ["kernels.ntk.validation is 1.0", "less than 1"]),
        ("kind: ntk", "kind: ntk, ridge: 0.1", ["unknown key 'ridge' in kernels.ntk", "did you mean 'ridges'"]),
        ("kind: ntk", "kind: ntk, first_bias: true", ["kernels.ntk", "first_bias needs beta: 0"]),
        ("kind: ntk", "kind: nngp, first_bias: true", ["kernels.ntk", "first_bias needs beta: 0"]),
        ("kind: ntk", "kind: gamma_exponential, gamma: 1.0", ["kernels.ntk.gamma is 1.0", "less than 1"]),
        ("kind: ntk", "kind: gamma_exponential, gamma: 0", ["kernels.ntk.gamma is 0", "greater than 0"]),
        ("kind: ntk", "kind: gamma_exponential, depth: 1", ["unknown key 'depth' in kernels.ntk"]),
        (
            "g: [{tasks: [a], protocols: [sgd], kernels: [ntk], depth: [1], width: [3]",
            "depth: [{tasks: [a], protocols: [sgd], kernels: [ntk], depth: [1], widht: [3]",
            ["unknown key 'widht' in grids.depth[0]", "did you mean 'width'"],
        ),
        ("kernels:\n  ntk: {kind: ntk}", "kernels: 5", ["kernels is 5", "a mapping"]),
        ("kernels:\n  ntk: {kind: ntk}", "kernels:", ["kernels is null", "a mapping"]),
        ("kernels:\n  ntk: {kind: ntk}", "kernels: [{kind: ntk}]", ["kernels is", "a mapping"]),
        (
            "  sgd: {",
            "  sgd_he: {like: sgd_hee}\n  sgd: {",
            ["sgd_he.like is 'sgd_hee'; did you mean 'sgd'?"],
        ),
    ],
)
def test_a_bad_study_is_refused_in_one_sentence(tmp_path, old, new, words):
    with pytest.raises(ConfigError) as refusal:
        load(tmp_path, old, new)
    message = str(refusal.value)
    assert "\n" not in message
    for word in ["locality/study.yaml", *words]:
        assert word in message


@pytest.mark.parametrize(
    ("demo", "words"),
    [
        ("grids: {gridd: [{n_train: [20]}]}", ["grids.gridd is no grid of the study", "did you mean 'grids_of_a'"]),
        ("protocols: {sgd_her: {max_epochs: 4}}", ["protocols.sgd_her is no entry", "did you mean 'sgd_he'"]),
        ("protocols: {sgd_her: {kind: sgd}}", ["protocols.sgd_her.network is missing"]),
        (
            "protocols: {sgd_he: {max_epochs: 4e2}}",
            ["sgd_he.max_epochs is 400.0; allowed: an integer, written without"],
        ),
    ],
)
def test_a_name_that_the_file_of_a_scale_misspells_is_refused(tmp_path, demo, words):
    text = STUDY.replace("  g: ", "  grids_of_a: ").replace("grid: g", "grid: grids_of_a")
    text = text.replace("kernels:", "  sgd_he: {like: sgd}\nkernels:", 1)
    demo = demo.replace("gridd", "grid_of_a")
    with pytest.raises(ConfigError) as refusal:
        load(tmp_path, text=text, demo=demo)
    for word in ["locality/demo.yaml", *words]:
        assert word.replace("gridd", "grid_of_a") in str(refusal.value)


def test_a_grid_has_one_nature_of_targets(tmp_path):
    """Once the errors of its tasks were all shares, or all mean squares, by the order of the tasks."""
    text = STUDY.replace("dimension: 4}", "dimension: 4}\n  b: {kind: linear_teacher, dimension: 4, noise: 0.1}", 1)
    text = text.replace("tasks: [a], protocols", "tasks: [a, b], protocols").replace(
        "learning_rate", "loss: mean_squared_error, learning_rate"
    )
    with pytest.raises(ConfigError, match=r"tasks.a, which has classes, and tasks.b, which has real targets"):
        load(tmp_path, text=text)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{folds: 5}", "{minimum: 1, maximum: 1}", "learning_rate.minimum is 1.0; it must be less than maximum"),
        ("n_train: [20]", "n_train: [20, 4]", "n_train is 4; it must be at least folds"),
    ],
)
def test_edges_of_searches_are_refused(tmp_path, old, new, words):
    with pytest.raises(ConfigError, match=words):
        load(tmp_path, old, new)
