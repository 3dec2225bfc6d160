"""Edges of files: checkpoints and ledgers of others, archives with files added, limits, claims that fail."""

import hashlib
import json
import os
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from findings_runs import claim, run, sealed
from house import ROOT

from isobath.analysis.estimates import exactly
from isobath.analysis.judging import judged
from isobath.analysis.verdicts import Criterion
from isobath.analysis.verdicts import claim as claimed
from isobath.archive import check
from isobath.claim_files import ClaimError
from isobath.disk import checkpoints, processors, store, whole_files
from isobath.findings import FindingsError, folder, gathering, ledger
from isobath.operations.findings import make
from isobath.study import loading
from isobath.workflow.progress import Progress

DECAY = "ntk_decay_is_depth_free"
LEDGER = "provenance.json"


class Part:
    """Progress of a part of a training with one network."""

    epoch, active = 3, np.array([True])

    def arrays(self):
        return {"epoch": np.array(3), "weights": np.zeros((1, 2))}


@pytest.fixture
def kept(tmp_path):
    """Save a checkpoint of the networks "first" of a job, and return the folder."""
    kept = checkpoints.Checkpoints(tmp_path, "spec", every=60.0)
    arrays, keep = kept("first")
    assert arrays is None
    kept.save(keep.part, Part())
    return tmp_path


def again(folder):
    return checkpoints.Checkpoints(folder, "spec", every=60.0)


def test_a_checkpoint_of_other_networks_of_the_job_is_not_used(kept, capsys):
    (file,) = kept.glob("*.zarr.zip")
    assert again(kept)("first")[0] is not None
    _, other = again(kept)("second")
    shutil.copy(file, kept / f"{other.part}_0.zarr.zip")
    assert again(kept)("second")[0] is None
    assert "or for other networks" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "value"), [("threads", "7"), ("torch", "1.0"), ("numpy", "1.0")])
def test_a_training_that_continues_in_another_environment_is_marked(kept, monkeypatch, name, value):
    again(kept)("first")
    assert "bitwise" not in processors.attributes()
    here = processors.environment()
    monkeypatch.setattr(processors, "environment", lambda: {**here, name: value})
    again(kept)("first")
    marked = processors.attributes()
    assert marked["bitwise"] == "false"
    assert {name: here[name]} in json.loads(marked["continued_from"])
    processors.begin()


@pytest.fixture
def findings(tmp_path):
    """Write findings of one run, and return their folder."""
    output = tmp_path / "findings"
    folder.write(output, make([run(tmp_path / "a", claim(DECAY))], output, ROOT))
    return output


def refusal(findings):
    with pytest.raises(FindingsError) as refused:
        folder.read(findings)
    message = str(refused.value)
    assert "\n" not in message
    assert len(message) < 500
    return message


def test_a_number_of_the_ledger_that_was_edited_is_refused(findings):
    path = findings / LEDGER
    text = path.read_text(encoding="utf-8")
    assert '"hours": 0.5' in text
    path.write_text(text.replace('"hours": 0.5', '"hours": 5.5'), encoding="utf-8")
    assert "its content does not match its checksum" in refusal(findings)


def rewritten(findings, change):
    """Change the entries of a ledger, and its digest with them."""
    path = findings / LEDGER
    entries = json.loads(path.read_text(encoding="utf-8"))
    change(entries)
    path.write_bytes(sealed(entries))


FAULTS = {
    "a study that is a path": (lambda e: e["studies"].update({"../x": e["studies"]["kernels"]}), "pattern"),
    "a figure elsewhere": (lambda e: e["figures"][0].update(file="/etc/hostname"), "pattern"),
    "a run twice": (lambda e: e["runs"].append(e["runs"][0]), "stands twice"),
    "a study without an outline": (lambda e: e["studies"].pop("kernels"), "has no outline"),
    "verdicts without a source": (lambda e: e["runs"][0]["studies"]["kernels"]["about"].pop("source"), "lack source"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_ledger_that_does_not_go_together_is_refused(tmp_path, fault):
    output, (change, said) = tmp_path / "findings", FAULTS[fault]
    drawn = run(tmp_path / "a", claim(DECAY), figures=[("exponents", b"<svg xmlns='x'/>\n", b"")])
    folder.write(output, make([drawn], output, ROOT))
    rewritten(output, change)
    assert said in refusal(output)


@pytest.mark.parametrize(
    ("old", "new"), [(b"scale", b"\xef\xbb\xbfscale"), (b"scale", b"\xff\xfe"), (b"d = 3", b"x" * 200_000)]
)
def test_tables_that_cannot_be_read_are_refused_in_a_sentence(findings, old, new):
    path = findings / "numbers.csv"
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    assert "do not go together with the provenance" in refusal(findings)


def test_a_table_that_is_no_file_is_refused(findings):
    (findings / "verdicts.csv").unlink()
    os.mkfifo(findings / "verdicts.csv")
    with pytest.raises(store.CorruptedStore, match=r"verdicts\.csv: it is a pipe"):
        folder.read(findings)


def test_a_record_that_is_not_of_verdicts_is_refused(tmp_path):
    results = run(tmp_path / "a", claim(DECAY))
    store.write_record({"a": 1}, results / "kernels/verdicts.json")
    with pytest.raises(store.CorruptedStore, match="it is no record of verdicts: it lacks code"):
        gathering.gather([results], ROOT)


def test_files_of_an_archive_are_compared_with_the_digests_of_both_lists(tmp_path):
    """One byte of a page of findings and of a cell was altered, one file of each list is gone, and two are whole."""
    lists = {"SHA256SUMS": ("docs/a.md", "docs/b.md", "docs/c.md"), "SHA256SUMS-cells": ("x/a", "x/b", "x/c")}
    for sums, names in lists.items():
        lines = []
        for name in names:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(name.encode())
            lines.append(f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n")
        (tmp_path / sums).write_text("".join(lines), encoding="utf-8")
        (tmp_path / names[1]).write_bytes(names[1].upper().encode())
        (tmp_path / names[2]).unlink()
    found = ["altered  docs/b.md", "missing  docs/c.md", "altered  x/b", "missing  x/c"]
    assert list(check.findings(tmp_path)) == found
    for name in ("docs/b.md", "docs/c.md", "x/b", "x/c"):
        (tmp_path / name).write_bytes(name.encode())
    assert list(check.findings(tmp_path)) == []
    for sums in lists:
        (tmp_path / sums).unlink()
    with pytest.raises(FileNotFoundError, match="there is no SHA256SUMS"):
        list(check.findings(tmp_path))


def test_files_added_beside_results_are_named(tmp_path):
    (tmp_path / "SHA256SUMS").write_text("", encoding="utf-8")
    for name in ("results/__pycache__/verdicts.json", "x.egg-info/cube", "src/isobath/__pycache__/a.pyc"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    added = ["added    results/__pycache__/verdicts.json", "added    x.egg-info/cube"]
    assert list(check.findings(tmp_path)) == added
    (tmp_path / "SHA256SUMS").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="SHA256SUMS is no text"):
        list(check.findings(tmp_path))


def test_a_limit_that_is_raised_takes_no_other_away(tmp_path):
    limits = "{hours: 100, disk_gb: 20, jobs: 20000}"
    (tmp_path / "config.yaml").write_text(f"scale: smoke\nstudies: [width]\nlimits: {limits}\n", encoding="utf-8")
    raised = loading.load_config(tmp_path, {"limits": {"hours": 20000}}).limits
    assert (raised.hours, raised.disk_gb, raised.jobs) == (20000, 20, 20000)
    assert loading.load_config(tmp_path, {"limits": {"jobs": None}}).limits.jobs is None
    none = loading.load_config(tmp_path, {"limits": None}).limits
    assert none is None or not any(none.model_dump().values())


def test_a_limit_of_the_config_is_a_number_and_no_text(tmp_path):
    """Take texts from the command line alone, where Snakemake has no numbers."""
    (tmp_path / "config.yaml").write_text('scale: smoke\nstudies: [width]\nlimits: {hours: "5"}\n', encoding="utf-8")
    for overrides in ({}, {"limits": {"jobs": "5"}}):
        with pytest.raises(loading.ConfigError, match=r": limits.hours is '5'; allowed: a number"):
            loading.load_config(tmp_path, overrides)
    assert loading.load_config(tmp_path, {"limits": {"hours": "7"}}).limits.hours == 7
    assert loading.config_of(loading.given({"scale": "a", "studies": ["b"], "limits": "null"}), "x").limits is None


@pytest.mark.parametrize("studies", ["tt", "5", "true", "[width, 5]", "[]"])
def test_studies_of_the_config_are_refused_though_the_command_line_names_others(tmp_path, studies):
    """Let the page not name the letters of "tt" as studies that it lacks."""
    (tmp_path / "config.yaml").write_text(f"scale: demo\nstudies: {studies}\n", encoding="utf-8")
    with pytest.raises(loading.ConfigError, match=r"/config.yaml: studies.* is .*; allowed: a "):
        loading.load_config(tmp_path, {"studies": ["width"]})


def test_a_claim_that_fails_is_named():
    slope = claimed("A slope", statistic="one")(lambda _tree: 1 / 0)
    with pytest.raises(ClaimError, match="the claim slope fails: ZeroDivisionError: division by zero"):
        judged(slope, xr.DataTree(), "slope")


def test_a_claim_that_names_itself_is_named_once():
    slope = claimed("A slope", statistic="one")(lambda _tree: [Criterion("a", exactly(1.0))])
    with pytest.raises(ClaimError, match=r"^the criterion 'a' of the claim <lambda> has no bound"):
        judged(slope, xr.DataTree())


def test_a_ledger_ends_with_the_digest_of_the_others(findings):
    content = (findings / LEDGER).read_bytes()
    assert ledger.Ledger.of(content).content() == content
    assert list(json.loads(content))[-1] == "sha256"


def test_jobs_that_did_not_finish_are_not_called_well():
    progress = Progress.__new__(Progress)
    progress.done, progress.total = 3, 34
    assert progress._unfinished() == "31 were not finished"
    progress.done = 34
    assert progress._unfinished() == "none failed"


def test_a_training_stops_twice_its_longest_pause_before_its_deadline(tmp_path, monkeypatch):
    clock = iter([0.0, 10.0, 11.0, 18.0, 81.0])
    monkeypatch.setattr(checkpoints, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    of_job = checkpoints.Checkpoints(tmp_path, "spec", every=60.0, deadline=100.0)
    assert [of_job.expired() for _ in range(4)] == [False, False, False, True]


def test_a_folder_that_is_a_file_is_refused_with_the_name_of_what_was_to_be_written(tmp_path):
    (tmp_path / "f").write_text("")
    with pytest.raises(OSError, match=r"f/x'$") as refused:
        whole_files.replace(tmp_path / "f/x", b"")
    assert refused.value.filename == str(tmp_path / "f/x")


def test_an_error_of_another_file_keeps_its_name_and_leaves_what_was_there(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def write():
        with whole_files.writing(path) as file:
            file.write(b"new")
            (tmp_path / "source").read_bytes()

    with pytest.raises(FileNotFoundError) as missing:
        write()
    assert missing.value.filename == str(tmp_path / "source")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("x", b"old")]
