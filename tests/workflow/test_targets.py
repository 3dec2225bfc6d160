"""Results that are asked for by name: of another scale or study, or misspelt, they are refused in one sentence."""

import pytest
from house import ROOT

from isobath.study.schema import ConfigError
from isobath.workflow import plan
from isobath.workflow.job_answers import answers

CUBE = {"scale": "smoke", "study": "width", "grid": "widths"}
NETWORKS = {
    **{"scale": "smoke", "study": "width", "task": "digits_parity", "protocol": "full_batch_adam", "depth": "5"},
    **{"width": "8", "n_train": "100", "draw": "0", "seeds": "0-1"},
}


@pytest.fixture(scope="module")
def run():
    return plan.load(ROOT, {"scale": "smoke", "studies": ["width"]})


@pytest.mark.parametrize(
    ("rule", "names", "words"),
    [
        ("cubes", CUBE | {"scale": "demo"}, "results/demo/width/cubes/widths.zarr.zip is asked for, and the scale is"),
        ("cubes", CUBE | {"study": "locality"}, "and the studies are width; add --config studies=[locality]"),
        ("cubes", CUBE | {"grid": "width"}, "and the study has no 'width'"),
        ("networks", NETWORKS | {"protocol": "adm"}, "and the study has no 'adm'"),
        ("networks", NETWORKS | {"task": "digts"}, "and the study has no 'digts'"),
        ("networks", NETWORKS | {"seeds": "3-1"}, "seeds3-1.zarr.zip is asked for; its first seed must not be above"),
    ],
)
def test_a_result_that_the_run_does_not_have_is_refused(run, rule, names, words):
    """Once a cube of another scale was planned with the settings of this one, in the other's folder."""
    with pytest.raises(ConfigError) as refusal:
        answers(run, rule, tuple(names.items()))
    assert words in str(refusal.value)


def test_every_job_of_a_run_has_its_answers(run):
    for job in plan.jobs(run):
        assert answers(run, job.rule, tuple(job.names.items())).spec == job.spec(run)
