"""Results of which no findings are made, refused in one sentence."""

import pytest
from click.testing import CliRunner
from findings_runs import PNG, SVG, claim, made, run
from house import ROOT

from isobath import __main__ as commands
from isobath.disk import store
from isobath.findings import FindingsError
from isobath.findings.figures import Figure, Shown, choose
from isobath.findings.ledger import Key

DECAY = "ntk_decay_is_depth_free"


def isobath(*words):
    return CliRunner().invoke(commands.main, ["findings", "--workflow", str(ROOT), *map(str, words)])


def refusal(*words):
    """Return the message of the command, which is one sentence."""
    done = isobath(*words)
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1), done.output
    return done.stderr


def test_a_cube_with_gaps_is_refused(tmp_path):
    results = run(tmp_path / "a", claim(DECAY), failed=2)
    said = refusal(results, "--output", tmp_path / "findings")
    assert f"{results}/kernels/cubes/theory.zarr.zip: it has gaps, since jobs of 2 results failed; run" in said
    assert not (tmp_path / "findings").exists()


def test_a_figure_of_another_cube_is_refused_and_one_that_the_study_lacks_is_left_out(tmp_path):
    """Once both were published."""
    results = run(tmp_path / "a", claim(DECAY), figures=[("exponents", SVG, PNG), ("gone", SVG, PNG)])
    assert [name for name in made(results) if name.startswith("figures/")] == ["figures/kernels-exponents.svg"]
    record = results / "kernels/figures/exponents.json"
    content = {key: value for key, value in store.read_record(record).items() if key != "sha256"}
    store.write_record({**content, "inputs": "{}"}, record)
    assert "exponents: the figure is not that of theory.zarr.zip; run the workflow" in refusal(
        results, "--output", tmp_path / "findings"
    )


def test_two_figures_with_one_name_of_a_file_are_refused():
    drawn = {
        Figure(*names, ""): Shown(Key("smoke", 0, names[0]), "", "figures/a-b-c.svg", SVG)
        for names in (("a-b", "c"), ("a", "b-c"))
    }
    with pytest.raises(FindingsError, match="c of a-b and b-c of a both have the file figures/a-b-c"):
        choose(drawn)


@pytest.mark.parametrize("name", ["README", "Methods"])
def test_a_study_with_the_name_of_another_page_is_refused(tmp_path, name):
    results = run(tmp_path / "a", claim(DECAY), study=name)
    said = refusal(results, "--output", tmp_path / "findings")
    assert f"the findings of a study {name} would replace their page" in said
    assert not (tmp_path / "findings").exists()


@pytest.mark.parametrize(("name", "text"), [("README.md", "mine\n"), ("methods.md", ""), ("provenance.json", "{}")])
def test_files_that_are_not_of_findings_are_not_replaced(tmp_path, name, text):
    results, output = run(tmp_path / "a", claim(DECAY)), tmp_path / "docs"
    output.mkdir()
    (output / name).write_text(text, encoding="utf-8")
    assert f"{output / name} is there and is not of findings" in refusal(results, "--output", output)
    assert [(path.name, path.read_text(encoding="utf-8")) for path in output.iterdir()] == [(name, text)]


def test_a_page_of_a_new_study_does_not_replace_a_file_beside_the_findings(tmp_path):
    results, output = run(tmp_path / "a", claim(DECAY)), tmp_path / "findings"
    assert isobath(results, "--output", output).exit_code == 0
    (output / "waves.md").write_text("mine\n", encoding="utf-8")
    other = run(tmp_path / "b", claim(DECAY), study="waves")
    assert f"{output / 'waves.md'} is there" in refusal(other, "--keep", "--output", output)
    assert (output / "waves.md").read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize("inside", ["findings", "../findings", "kernels", "."])
def test_a_folder_among_the_results_is_refused(tmp_path, inside):
    results = run(tmp_path / "a", claim(DECAY))
    said = refusal(results, "--output", results / inside)
    assert "it must be a folder outside of the results" in said
    assert {path.name for path in results.iterdir()} == {"kernels"}
