"""The data package of the findings: it reads the tables, says their licence, and knows every column."""

import shutil
import subprocess
from pathlib import Path

import pytest
from data_packages import read
from house import FRICTIONLESS, ROOT

from isobath.archive import datapackage
from isobath.findings import tables

FINDINGS = ROOT / "docs/findings"


def test_the_findings_are_read_by_their_package():
    found = read(FINDINGS)
    assert {*found} == {tables.VERDICTS, tables.NUMBERS}
    numbers = found[tables.NUMBERS]
    assert any(isinstance(row["estimate"], float) and row["low"] <= row["estimate"] <= row["high"] for row in numbers)
    assert {type(row["seed"]) for row in numbers} == {int}
    assert {row["check"] for row in numbers} == {True, False}
    claims = {tuple(row[name] for name in (*tables.KEY, "claim")) for row in found[tables.VERDICTS]}
    assert {tuple(row[name] for name in (*tables.KEY, "claim")) for row in numbers} <= claims


@pytest.mark.parametrize(("old", "new"), [("0.2207", "0.2208"), ("demo,0,", "demo,zero,")])
def test_tables_that_were_altered_are_not_those_of_the_package(tmp_path, old, new):
    folder = shutil.copytree(FINDINGS, tmp_path / "findings")
    file = folder / tables.NUMBERS
    file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises((AssertionError, ValueError)):
        read(folder)


def test_a_column_without_a_description_is_refused():
    files = {tables.VERDICTS: b"scale,mood\n", tables.NUMBERS: b"scale\n"}
    with pytest.raises(KeyError, match="mood"):
        tables.package(files, "CC0-1.0")


def test_the_order_of_tables_does_not_matter():
    field = datapackage.Field("width", "integer", "units per hidden layer", "1")
    one, other = (datapackage.resource(f"{n}.csv", b"width\n4\n", [field], key=["width"], title=n) for n in "ab")
    packages = [datapackage.package("p", "P", order, licence="CC0-1.0") for order in ([one, other], [other, one])]
    assert packages[0] == packages[1]


def test_the_licence_of_the_data_is_the_one_that_the_workflow_names(tmp_path):
    assert datapackage.licence(ROOT) == "CC-BY-4.0"
    file = tmp_path / datapackage.LICENCE
    file.write_text("SPDX-License-Identifier: CC0-1.0\n", encoding="utf-8")
    assert datapackage.licence(tmp_path) == "CC0-1.0"
    file.write_text("Public domain\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"LICENSE-data: the first line must be 'SPDX-License-Identifier: '"):
        datapackage.licence(tmp_path)


@pytest.mark.skipif(not Path(FRICTIONLESS).exists(), reason="frictionless is not installed")
@pytest.mark.parametrize("folder", [FINDINGS], ids=["findings"])
def test_frictionless_finds_the_package_valid(folder: Path):
    run = subprocess.run(
        [FRICTIONLESS, "validate", "datapackage.json"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
