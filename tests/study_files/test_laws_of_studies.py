"""Laws of a study, and the settings of networks that they need: what is bad is refused in one sentence, early."""

import pytest
from study_template import KEPT, load

from isobath.results import WITHOUT_PART, ensembles
from isobath.study.loading import ConfigError


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("kind: powers", "kind: power", ["laws.l.kind is 'power'", "did you mean 'powers'"]),
        ("exponents: [-1]", "exponent: [-1]", ["unknown key 'exponent' in laws.l", "did you mean 'exponents'"]),
        ("exponents: [-1]", "exponents: [a]", ["laws.l.exponents", "'a'"]),
        ("grid: g, group", "grid: h, group", ["laws.l.grid is 'h'", "allowed: g"]),
        ("group: networks", "group: ensemble", ["laws.l.group is 'ensemble'", "ensembles"]),
        (
            "variable: test_error",
            "variable: test_eror",
            ["laws.l.variable is 'test_eror'", "did you mean 'test_error'"],
        ),
        ("axis: width", "axis: n_weight", ["laws.l.axis is 'n_weight'", "did you mean 'n_weights'"]),
        ("'0.1 / width'", "[0.1, 0.2]", ["learning_rate is a sweep and store is 'outputs'"]),
        ("along: width", "along: hight", ["laws.l.along is 'hight'", "width"]),
        ("along: width", "along: width, select: {step: 7}", ["laws.l.select.step is 7", "0, 1, 3, 10, 32, 100"]),
        (
            "group: networks, variable: test_error",
            "group: ensembles, variable: variance, select: {measure: tset}",
            ["laws.l.select.measure is 'tset'", "grid g has test, train"],
        ),
        (
            "group: networks, variable: test_error",
            "group: ensembles, variable: ensemble_error, select: {size: 99}",
            ["laws.l.select.size is 99", "grid g has 1, 2"],
        ),
        ("along: width", "along: width, select: {task: b}", ["laws.l.select.task is 'b'", "has a"]),
        ("along: width", "along: width, above: 9, below: 3", ["laws.l.above is 9", "less than below, which is 3"]),
        ("along: width", "along: width, beyond: -1", ["laws.l.beyond is -1"]),
        ("along: width", "along: width, beyond: 5, within: 2", ["laws.l.beyond is 5", "less than within, which is 2"]),
        ("along: width", "along: width, select: {draw: 99}", ["laws.l.select.draw is 99", "grid g has 0"]),
        ("along: width", "along: width, select: {width: []}", ["laws.l.select.width is empty"]),
        (
            "along: width",
            "along: width, select: {width: {a: 1}}",
            ['laws.l.select.width is {"a": 1}; allowed: a word or an integer, written without a point or a number'],
        ),
        ("along: width", "along: width, select: {width: [[1]]}", ["laws.l.select.width[0] is [1]; allowed: a word or"]),
        ("along: width", "along: draw", ["laws.l.along is 'draw'", "width"]),
        ("along: width", "along: learning_rate", ["laws.l.along is 'learning_rate'", "width"]),
        ("axis: width", "axis: seed", ["laws.l.axis is 'seed'"]),
        ("variable: test_error", "variable: depth", ["laws.l.variable is 'depth'"]),
        ("along: width", "along: width, select: {dept: 1}", ["laws.l.select is 'dept'", "did you mean 'depth'"]),
        ("variable: test_error", "variable: status", ["laws.l.variable is 'status'"]),
        ("variable: test_error", "variable: outputs", ["laws.l.variable is 'outputs'"]),
        ("axis: width", "axis: protocol", ["laws.l.axis is 'protocol'"]),
        ("store: outputs", "store: output", ["protocols.sgd.store", "'output'", "'outputs'"]),
        ("store: outputs", "record_every: 5", ["protocols.sgd has records 2 and record_every 5"]),
        ("store: outputs", "precision: half", ["protocols.sgd.precision", "'half'"]),
        ("store: outputs", "loss: hinge", ["protocols.sgd.loss.kind is 'hinge'", "squared_hinge"]),
    ],
)
def test_a_bad_law_or_protocol_is_refused_in_one_sentence(tmp_path, old, new, words):
    with pytest.raises(ConfigError) as refusal:
        load(tmp_path, old, new, text=KEPT)
    assert "\n" not in str(refusal.value)
    for word in ["locality/study.yaml (scale demo)", *words]:
        assert word in str(refusal.value)


def test_a_law_of_what_is_recorded_needs_records(tmp_path):
    """Once it failed after every training."""
    text = KEPT.replace("variable: test_error", "variable: best_error")
    assert load(tmp_path, text=text).laws["l"].variable == "best_error"
    with pytest.raises(ConfigError, match=r"laws.l.variable is 'best_error', and no protocol of grid g has records"):
        load(tmp_path, "records: 2, ", "", text=text)


def test_a_law_of_ensembles_needs_outputs_that_are_kept(tmp_path):
    text = KEPT.replace("group: networks, variable: test_error", "group: ensembles, variable: excess_error")
    assert load(tmp_path, text=text).laws["l"].group == "ensembles"
    several = text.replace("variable: excess_error", "variable: distance")
    with pytest.raises(ConfigError, match="'distance', and the networks of grid g have several outputs each"):
        load(tmp_path, text=several)
    assert load(tmp_path, "store: outputs", "store: outputs, loss: squared_hinge", text=several).laws["l"]
    real = text.replace("kind: k_local, k: 2", "kind: linear_teacher").replace(
        "store: outputs", "store: outputs, loss: mean_squared_error"
    )
    with pytest.raises(ConfigError, match="the tasks of grid g have real targets: it is a number of classes"):
        load(tmp_path, text=real)
    text = text.replace("store: outputs, ", "")
    with pytest.raises(ConfigError, match="grid g needs a protocol with store: outputs and two seeds"):
        load(tmp_path, text=text)


def test_what_ensembles_have_of_every_task_is_all_but_numbers_of_classes_and_boundaries():
    declared, lists = {*ensembles.VARIABLES}, (ensembles.OF_CLASSES, ensembles.OF_BOUNDARIES)
    assert not set.intersection(*lists)
    assert set.union(*lists) <= declared
    rest = {name for name in declared - set.union(*lists) if not name.endswith(WITHOUT_PART)}
    assert rest == {"n_weights", "fluctuation", "variance", "variance_unbiased", "variance_biased"}
