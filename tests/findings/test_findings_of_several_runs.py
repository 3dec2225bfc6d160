"""Findings of several runs: claims that one confirms and another refutes, claims of each, figures of the largest.

One run judges nothing.
"""

import re

from findings_runs import PNG, SVG, claim, made, part, run
from house import ROOT

from isobath.findings import folder, gathering, outlines, tables
from isobath.findings.ledger import Cube
from isobath.operations.findings import make

DECAY, RANDOM = "ntk_decay_is_depth_free", "random_features_decay_is_depth_free"


def test_claims_that_one_run_confirms_and_another_refutes_are_named(tmp_path):
    a = run(tmp_path / "a", claim(DECAY), claim(RANDOM))
    other = run(
        tmp_path / "b", claim(DECAY, verdict="not reproduced"), claim(RANDOM, verdict="inconclusive"), scale="demo"
    )
    text = made(a, other)["README.md"].partition("## Verdicts that contradict each other\n\n")[2].partition("\n## ")[0]
    (line,) = text.strip().splitlines()
    assert f"kernels.md#{DECAY}" in line
    assert line.endswith("demo, seed 0: **not reproduced**; smoke, seed 0: **reproduced**")
    assert "## Verdicts that contradict each other\n\nNone.\n" in made(a)["README.md"]


def test_a_verdict_by_former_criteria_says_so_and_contradicts_nothing(tmp_path):
    """A claim that measured something else when a run was judged is no evidence against the one of today."""
    a = run(tmp_path / "a", claim(DECAY))
    other = run(tmp_path / "b", claim(DECAY, verdict="not reproduced", measured="something else"), seed=1)
    pages = made(a, other)
    assert "## Verdicts that contradict each other\n\nNone.\n" in pages["README.md"]
    assert "## Verdicts that change with the seed\n\nNone.\n" in pages["README.md"]
    assert "| not reproduced (by former criteria) |" in pages["README.md"]
    assert "smoke, seed 1: **not reproduced**, 1 of 2 parts run (by former criteria)" in pages["kernels.md"]


def test_a_claim_that_its_study_no_longer_has_stays_on_record_and_counts_for_nothing(tmp_path):
    a, b = (run(tmp_path / str(seed), claim(DECAY), claim("dropped_since"), seed=seed) for seed in (0, 1))
    text = made(a, b)["README.md"]
    assert "(kernels.md#dropped_since)" in text
    assert text.count("| reproduced (by former criteria) |") == 1
    header, _, *rows = text.partition("## Verdicts\n")[2].partition("\n## ")[0].strip().splitlines()
    place = [cell.strip() for cell in header.split("|")].index("by former criteria")
    assert [row.split("|")[place].strip() for row in rows if "of the sources" in row] == ["1", "1"]


def test_a_run_counts_the_claims_of_its_studies_alone(tmp_path):
    a = run(tmp_path / "a", claim(DECAY))
    counts = made(a)["README.md"].partition("## Verdicts\n")[2].partition("\n## ")[0]
    counted = [
        int(n) for line in counts.splitlines() if line.startswith("| smoke") for n in re.findall(r" (\d+) (?=\|)", line)
    ]
    assert sum(counted) == len(outlines.read(ROOT, "smoke")["kernels"].claims)


def test_a_figure_is_that_of_the_run_with_most_networks(tmp_path, monkeypatch):
    a = run(tmp_path / "a", claim(DECAY), figures=[("exponents", SVG, PNG)])
    other = run(tmp_path / "b", claim(DECAY), seed=1, figures=[("exponents", SVG + b" ", PNG)])
    networks = {0: 4, 1: 9}
    judged = gathering._record

    def larger(file, record, commit):
        seed = gathering._seed(file, record)
        cube = Cube(sha256="", current=True, networks={"fitted": networks[seed]}, cells={})
        return judged(file, record, commit).model_copy(update={"cubes": {"theory": cube}})

    monkeypatch.setattr(gathering, "_record", larger)
    (exhibit,) = gathering.gather([a, other], ROOT).ledger.figures
    assert exhibit.seed == 1
    networks[0] = 9
    (exhibit,) = gathering.gather([a, other], ROOT).ledger.figures
    assert exhibit.seed == 0


def test_a_part_has_the_region_of_the_runs_that_measured_it(tmp_path):
    """Once it was that of the first run, which may have none, and where bounds differ that of one run alone."""
    unknown = part(estimate=None, verdict="not run", above=None)
    a, b = run(tmp_path / "a", claim(DECAY, unknown)), run(tmp_path / "b", claim(DECAY, part(above=0.25)), seed=1)
    other = run(tmp_path / "c", claim(DECAY, part(above=0.125)), seed=2)
    for runs, region in (((a, b), "> 0.25"), ((a, b, other), "another in each run")):
        row = next(line for line in made(*runs)["kernels.md"].splitlines() if line.startswith("| d = 3 |"))
        assert row.split(" | ")[1] == region


def test_a_study_without_claims_has_findings_with_empty_tables(tmp_path):
    """It is what `isobath new study` writes; its tables once had no header, and were refused as KeyError ''."""
    output = tmp_path / "findings"
    folder.write(output, make([run(tmp_path, study="waves")], output, tmp_path))
    assert make([], output, tmp_path) == {name: (output / name).read_bytes() for name in make([], output, tmp_path)}
    assert (output / "verdicts.csv").read_text(encoding="utf-8") == f"{','.join(tables.ABOUT)}\n"
    header = (output / "numbers.csv").read_text(encoding="utf-8").strip()
    judged = made(run(tmp_path / "b", claim(DECAY)))["numbers.csv"].splitlines()[0]
    assert sorted(header.split(",")) == sorted(judged.split(","))
