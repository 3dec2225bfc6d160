"""Tables of numbers in the texts of findings: a row per run, a number per part, and refusals of what is no part."""

import re

import pytest
from findings_runs import claim, part, run
from house import ROOT

from isobath.findings import FindingsError, folder, gathering, number_tables
from isobath.findings.number_tables import NONE, TOGETHER, filled
from isobath.page.findings import MARKS

DECAY, LAZY = "ntk_decay_is_depth_free", "gain_of_depth_vanishes_when_lazy"
COLUMN = f"{{title: decay of k^-2, claim: {DECAY}, part: [d = 9, d = 3]}}"
PUBLISHED = folder.read(ROOT / "docs/findings")
PAGES = {study: f"workflow/studies/{study}/findings.md" for study in PUBLISHED.ledger.studies}


def block(*columns, study="kernels"):
    lines = "".join(f"  - {column}\n" for column in columns)
    return f"Before.\n\n```numbers\nstudy: {study}\ncolumns:\n{lines}```\n\nAfter.\n"


def rows(text):
    lines = text.replace(TOGETHER, " ").splitlines()
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if line.startswith("|")]


@pytest.fixture
def findings(tmp_path):
    """Gather three runs: one with a number, one with an open part by former criteria, one that did not run it."""
    a = run(tmp_path / "a", claim(DECAY, part("d = 3", 0.5)))
    unsure = part("d = 9", None, "inconclusive", reason="rate not found")
    b = run(tmp_path / "b", claim(DECAY, unsure, part("d = 3", 0.25), measured="another thing"), seed=1)
    c = run(tmp_path / "c", claim(DECAY, part("d = 3", None, "not run")), seed=2)
    return gathering.gather([a, b, c], ROOT)


def test_a_row_has_the_number_of_each_run_with_its_interval_and_mark(findings):
    text = filled(block(COLUMN), findings)
    assert (text[:9], text[-9:]) == ("Before.\n\n", "\n\nAfter.\n")
    header, _, claimed, *body = rows(text)
    assert header == ["run", f"[decay of k<sup>−2</sup>](kernels.md#{DECAY})"]
    assert claimed == ["claimed", r"\> 0"]
    assert body == [["smoke, seed 0", r"0.50 \[0.40, 0.60\] +"], ["smoke, seed 1", "(former criteria) ?"]]


def test_an_interval_and_its_mark_are_not_parted(findings):
    assert rf"\[0.40,{TOGETHER}0.60\]{TOGETHER}+ |" in filled(block(COLUMN), findings)


def test_on_its_own_page_a_claim_is_linked_to_within_it(findings):
    own = filled(block(COLUMN).replace("study: kernels\n", ""), findings, "kernels")
    assert rows(own)[0][1].endswith(f"](#{DECAY})")


def test_a_factor_is_the_exponential_of_a_logarithm(findings):
    (_, claimed), (_, cell), *_ = rows(filled(block(COLUMN.replace("}", ", factor: true}")), findings))[2:]
    assert claimed == r"\> 1"
    assert cell == r"1.65 \[1.49, 1.82\] +"


def test_what_is_claimed_is_the_region_of_the_present_criteria(tmp_path):
    former = run(tmp_path / "a", claim(DECAY, part(above=0.25), measured="another thing"))
    present = run(tmp_path / "b", claim(DECAY, part(above=None, below=0.75)), seed=1)
    _, _, claimed, *_ = rows(filled(block(COLUMN), gathering.gather([former, present], ROOT)))
    assert claimed == ["claimed", r"\< 0.75"]


def test_parts_that_no_run_has_make_no_table(findings):
    assert NONE in filled(block(f"{{title: a, claim: {LAZY}, part: b}}"), findings)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (block(f"{{title: a, claim: {DECAY[:-1]}, part: b}}"), f"did you mean '{DECAY}'"),
        (block(COLUMN, study="kernel"), "did you mean 'kernels'"),
        (block(COLUMN.replace("title", "tittle")), "unknown key 'tittle'"),
        (block(COLUMN.replace(f"claim: {DECAY}, ", "")), "columns[0].claim is missing"),
        (block().replace("columns:\n", ""), "columns is missing"),
        (block("{title: ["), "line"),
    ],
)
def test_a_block_that_names_no_part_is_refused_in_one_sentence(findings, text, said):
    with pytest.raises(FindingsError) as refusal:
        filled(text, findings)
    message = str(refusal.value)
    assert message.startswith("the text on all studies, ")
    assert said in message
    assert "\n" not in message


@pytest.mark.parametrize("page", ["workflow/findings.md", *PAGES.values()])
def test_every_column_of_the_published_texts_has_a_number(page):
    """A label that no run has would leave its column empty and say nothing."""
    study = next((name for name, file in PAGES.items() if file == page), None)
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in number_tables.BLOCK.finditer(text):
        header, _, _, *body = rows(filled(found[0], PUBLISHED, study))
        columns = dict(zip(header, zip(*body, strict=True), strict=True))
        empty = [name for name, cells in columns.items() if not any(re.search(r"\w", cell) for cell in cells)]
        assert not empty
        assert all(cell == "" or cell.endswith(tuple(MARKS.values())) for row in body for cell in row[1:])
