"""Data sets and networks that the demo and the laptop scale of one seed share, as the findings count them."""

import re

import pytest
from house import ROOT

from isobath.study import loading
from isobath.study.run import canonical
from isobath.workflow import plan

STUDIES = ("locality", "kernels", "fractals", "width", "expressivity")
SHARED = {
    "expressivity": r"(?P<data>\d+) of the (?P<all_data>\d+) data sets of `expressivity` at laptop scale "
    r"\((?P<networks>\d+) of (?P<all_networks>\d+) networks\)",
    "locality": r"(?P<data>\d+) of (?P<all_data>\d+) of `locality` "
    r"\((?P<networks>\d+) of (?P<all_networks>\d+)\)",
    "kernels": r"(?P<data>\d+) of (?P<all_data>\d+) of `kernels` \((?P<networks>no) networks\)",
    "fractals": r"the (?P<data>\d+) curves of the conjecture of `fractals`",
    "width": r"(?P<data>none) of `width`",
}
PER_CENT = {
    "expressivity": r"(\d+) % of the data sets of `expressivity` at laptop scale",
    "locality": r"(\d+) % of those of `locality`",
    "kernels": r"(\d+) % of `kernels`",
}


def run_at(scale):
    """Return the run of the studies at a scale; their files of digits are not asked for."""
    studies = {name: plan.load_study(ROOT / "workflow/studies" / name, scale) for name in STUDIES}
    return plan.Run(loading.load_config(ROOT, {"scale": scale}), studies, source=ROOT)


def data_sets(run, study):
    """Return the specs of the training sets of a study, by task, number of samples and number of the data set."""
    jobs = [job for job in plan.jobs(run) if job.rule == "training_sets" and job.names["study"] == study]
    return {tuple(job.names[key] for key in ("task", "n_train", "draw")): canonical(job.spec(run)) for job in jobs}


def networks(run, study):
    """Return the networks of a study, (task, n_train, draw, protocol, depth, width, seed)."""
    keys = ("task", "n_train", "draw", "protocol", "depth", "width")
    found = set()
    for job in plan.jobs(run):
        if job.rule == "networks" and job.names["study"] == study:
            first, last = map(int, job.names["seeds"].split("-"))
            found |= {(*(job.names[key] for key in keys), seed) for seed in range(first, last + 1)}
    return found


@pytest.fixture(scope="module")
def runs():
    """Return the runs of the demo and of the laptop scale."""
    return run_at("demo"), run_at("laptop")


def shared(runs, study):
    """Return the data sets of a study that both runs have, and those of the second."""
    ours, theirs = (data_sets(run, study) for run in runs)
    return {key for key, spec in theirs.items() if ours.get(key) == spec}, theirs


def counted(number):
    """Return a number of the text, in which none and no are 0."""
    return 0 if number in ("none", "no") else int(number)


@pytest.mark.parametrize("study", STUDIES)
def test_the_findings_say_what_both_scales_share(runs, study):
    both, theirs = shared(runs, study)
    ours, of_theirs = (networks(run, study) for run in runs)
    text = (ROOT / "docs/history.md").read_text(encoding="utf-8")
    (said,) = (found.groupdict() for found in re.finditer(SHARED[study], text))
    numbers = {
        "data": len(both),
        "all_data": len(theirs),
        "networks": sum(key in ours and key[:3] in both for key in of_theirs),
        "all_networks": len(of_theirs),
    }
    assert {key: counted(number) for key, number in said.items()} == {key: numbers[key] for key in said}


@pytest.mark.parametrize("study", PER_CENT)
def test_the_readme_says_the_share_of_the_data_sets(runs, study):
    both, theirs = shared(runs, study)
    (said,) = re.findall(PER_CENT[study], (ROOT / "README.md").read_text(encoding="utf-8"))
    assert int(said) == round(100 * len(both) / len(theirs))
