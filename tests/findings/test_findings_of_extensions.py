"""Findings of studies that extend another: claims of both, each by its full name."""

import csv
import io
import re

from findings_runs import claim, made, part, run
from house import ROOT
from own_folders import write

from isobath.findings import outlines

DECAY = "ntk_decay_is_depth_free"


def test_a_study_that_extends_another_has_the_claims_of_that(tmp_path):
    pages = made(run(tmp_path, claim(f"kernels.{DECAY}", part(), part("d = 5")), study="narrow"))
    (row,) = [row for row in csv.DictReader(io.StringIO(pages["verdicts.csv"])) if row["study"] == "narrow"]
    assert (row["claim"], row["verdict"]) == (f"kernels.{DECAY}", "reproduced")
    assert "d = 5" in pages["narrow.md"]


def test_a_claim_of_another_study_and_one_of_its_own_name_are_two(tmp_path):
    """A study may take ``kernels.x`` and have a claim ``x`` itself: both were once called x, and their parts mixed."""
    own = claim(DECAY, part("d = 7"), own=True, verdict="does not hold")
    results = run(tmp_path, claim(f"kernels.{DECAY}", part("d = 5")), own, study="narrow")
    pages = made(results)
    rows = [row for row in csv.DictReader(io.StringIO(pages["verdicts.csv"])) if row["study"] == "narrow"]
    assert [(row["claim"], row["verdict"]) for row in rows] == [
        (f"kernels.{DECAY}", "reproduced"),
        (DECAY, "does not hold"),
    ]
    anchors = re.findall(r'<a id="(.*?)"></a>', pages["narrow.md"])
    assert anchors == [f"kernels.{DECAY}", DECAY]


def test_the_outline_of_a_study_that_extends_another_names_claims_as_their_records_do(tmp_path):
    write(tmp_path / "workflow/studies/narrow", {"study.yaml": "extends: kernels\ntitle: Narrow\n"})
    folder_of_base = tmp_path / "workflow/studies/kernels"
    folder_of_base.symlink_to(ROOT / "workflow/studies/kernels")
    found = {
        name: [each.claim for each in outline.claims] for name, outline in outlines.read(tmp_path, "smoke").items()
    }
    assert found["narrow"] == [f"kernels.{name}" for name in found["kernels"]]
    assert DECAY in found["kernels"]
