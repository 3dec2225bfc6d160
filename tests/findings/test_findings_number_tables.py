"""Tables of numbers in the texts of findings: a row per run, a number per part, and refusals of what is no part."""

import re
import stat
from functools import partial

import pytest
from click.testing import CliRunner
from findings_runs import claim, part, run
from house import ROOT

from isobath import __main__ as commands
from isobath.findings import FindingsError, folder, gathering, number_tables, outlines
from isobath.findings.number_tables import NONE, TOGETHER, filled, refilled
from isobath.page.findings import MARKS

DECAY, LAZY = "ntk_decay_is_depth_free", "gain_of_depth_vanishes_when_lazy"
COLUMN = f"{{title: decay of k^-2, claim: {DECAY}, part: [d = 9, d = 3]}}"
PUBLISHED = folder.read(ROOT / "docs/findings")
PAGES = {study: f"workflow/studies/{study}/findings.md" for study in PUBLISHED.ledger.studies}


def block(*columns, study="kernels"):
    lines = "".join(f"  - {column}\n" for column in columns)
    return f"Before.\n\n```numbers\nstudy: {study}\ncolumns:\n{lines}```\n\nAfter.\n"


def comment(block, table=""):
    """Return a block as the comment that keeps it in a text outside of the findings, above its table."""
    return block.replace("```numbers", "<!-- numbers").replace("```", f"-->\n{table}<!-- /numbers -->")


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


def test_numbers_as_rows_have_a_column_for_each_run(findings):
    columns = rows(filled(block(COLUMN), findings))
    as_rows = rows(filled(block(COLUMN).replace("columns:", "rows:"), findings))
    (_, *runs), _, (title, *cells) = as_rows
    assert (title, runs) == (columns[0][1], ["claimed", "smoke, seed 0", "smoke, seed 1"])
    assert cells == [cell for _, cell in columns[2:]]


def test_a_table_of_one_scale_names_seeds_alone(tmp_path):
    a = run(tmp_path / "a", claim(DECAY, part("d = 3", 0.5)))
    b = run(tmp_path / "b", claim(DECAY, part("d = 3", 0.25)), scale="demo", seed=1)
    text = block(COLUMN).replace("columns:", "scale: demo\ncolumns:")
    header, _, *lines = rows(filled(text, gathering.gather([a, b], ROOT)))
    assert [header[0], *(line[0] for line in lines)] == ["run", "claimed", "seed 1"]


def test_a_text_elsewhere_keeps_its_block_above_its_table(findings):
    text = comment(block(COLUMN), "| old |\n")
    made = refilled(text, findings, "README.md", "docs/findings/")
    head, table = (made.partition("-->\n")[i] for i in (0, 2))
    assert head == text.partition("-->\n")[0]
    assert rows(table)[0][1] == f"[decay of k<sup>−2</sup>](docs/findings/kernels.md#{DECAY})"
    assert rows(table)[2:] == rows(filled(block(COLUMN), findings))[2:]
    assert made.endswith("\n<!-- /numbers -->\n\nAfter.\n")
    assert refilled(made, findings, "README.md", "docs/findings/") == made


def test_the_command_makes_the_tables_of_a_text_elsewhere_and_checks_them(findings, tmp_path):
    output, readme = tmp_path / "docs/findings", tmp_path / "README.md"
    words = ["findings", "--output", str(output), "--fill", str(readme)]
    kept = tmp_path / "kept.md"
    kept.write_text(comment(block(COLUMN)), encoding="utf-8")
    kept.chmod(0o640)
    readme.symlink_to(kept)
    folder.write(output, folder.compose(findings, outlines.texts(ROOT, findings.ledger.studies), "CC-BY-4.0"))
    isobath = partial(CliRunner().invoke, commands.main)
    assert "README.md: its tables of numbers would change" in isobath([*words, "--check"]).stderr
    assert readme.read_text(encoding="utf-8") == comment(block(COLUMN))
    assert isobath(words).exit_code == 0
    assert f"(docs/findings/kernels.md#{DECAY})" in readme.read_text(encoding="utf-8")
    assert isobath([*words, "--check"]).exit_code == 0
    assert readme.is_symlink()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Nothing.\n", "notes.md has no block of numbers"),
        ("<!-- numbers\ncolumns: []\n-->\n", "notes.md has a block of numbers that does not end"),
        (comment(block(COLUMN)) + "<!-- numbers\n", "notes.md has a block of numbers that does not end"),
        (comment(block(COLUMN, study="kernel")), "notes.md, the number 'decay of k^-2': study is 'kernel'"),
        (comment(block(COLUMN)).replace("columns", "scale: lap\ncolumns"), "scale is 'lap'; allowed: smoke"),
    ],
)
def test_a_text_elsewhere_without_whole_blocks_is_refused(findings, text, said):
    with pytest.raises(FindingsError, match=re.escape(said)):
        refilled(text, findings, "notes.md", "findings/")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (block(f"{{title: a, claim: {DECAY[:-1]}, part: b}}"), f"did you mean '{DECAY}'"),
        (block(COLUMN, study="kernel"), "did you mean 'kernels'"),
        (block(COLUMN.replace("title", "tittle")), "unknown key 'tittle'"),
        (block(COLUMN.replace(f"claim: {DECAY}, ", "")), "columns[0].claim is missing"),
        (block().replace("columns:\n", ""), "must be listed as columns or as rows"),
        (block(COLUMN).replace("columns:", f"rows: [{COLUMN}]\ncolumns:"), "must be listed as columns or as rows"),
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


def test_of_parts_with_one_label_the_first_is_shown():
    number = number_tables.Number(title="t", claim="c", part="d = 3")
    parts = [{"label": "d = 3", "verdict": "holds", "estimate": n} for n in (1.0, 2.0)]
    assert number_tables._part(number, {"parts": parts})["estimate"] == 1.0
