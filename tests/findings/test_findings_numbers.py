"""Numbers on the pages of findings and in their tables: each is in the row and the column of its part and its run."""

import csv
import functools
import io
import re

import findings_numbers
import numpy as np
import pytest
from figures_of_variances import searched, searched_errors
from findings_numbers import DECAY, FORMER, LABELS, OWN, RANDOM, RUNS, WORDS, cube, occurrences, with_cubes
from findings_runs import claim, made, run, with_thresholds
from house import ROOT
from planted_numbers import numbers, parts_of_variance
from xarray import Dataset, DataTree

from isobath.disk import store
from isobath.findings import FindingsError, cube_numbers, gathering, outlines

NAMES = [f"{scale}, seed {seed}" for scale, seed in RUNS]
CLAIMS = [findings_numbers.claims(i) for i in range(3)]
ORIGINS = ("data set", "rate search", "start")


@pytest.fixture(autouse=True, scope="module")
def _studies_are_read_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outlines, "read", functools.cache(outlines.read))
        yield


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return findings_numbers.three_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def pages(folders):
    return made(*folders)


@pytest.fixture(scope="module")
def judged(folders):
    """Return what the ledger says of each run."""
    return [record for _, record in gathering.gather(folders, ROOT).ledger.judged()]


def table(text, header):
    """Return the rows of the table that begins with a header, split into cells."""
    lines = text.partition(header)[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def rows(pages, name):
    return list(csv.DictReader(io.StringIO(pages[name])))


def test_the_table_of_numbers_has_every_number_of_every_part_of_every_run(pages):
    found = iter(rows(pages, "numbers.csv"))
    for (scale, seed), claims in zip(RUNS, CLAIMS, strict=True):
        for each in claims:
            place = [scale, str(seed), "kernels", each["claim"]]
            for part in each["parts"]:
                row = next(found)
                assert [row[key] for key in ("scale", "seed", "study", "claim")] == place
                for key in ("estimate", "low", "high", "above", "below"):
                    assert row[key] == ("" if part[key] is None else repr(part[key]))
                for key in ("label", "count", "counted", "trained", "unit", "verdict", "reason"):
                    assert row[key] == str(part[key])
                published = part["published"] or dict.fromkeys(("value", "place", "tolerance"), "")
                assert [row[f"published_{key}"] for key in published] == [_cell(value) for value in published.values()]
                assert row["check"] == str(part["check"]).lower()
    assert not list(found)


def _cell(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_table_of_verdicts_has_that_of_every_claim_in_every_run(pages):
    found = {
        (row["scale"], row["seed"], row["claim"]): row
        for row in rows(pages, "verdicts.csv")
        if row["study"] == "kernels"
    }
    for i, (scale, seed) in enumerate(RUNS):
        for name, words in WORDS.items():
            row = found.pop((scale, str(seed), name))
            assert (row["verdict"], row["headline"]) == (words[i], f"{words[i]}, 1 of 2 parts run")
            criteria = "former" if (i, name) == FORMER else "present"
            assert (row["criteria"], row["own"]) == (criteria, "true" if name == OWN else "false")
    assert {row["verdict"] for row in found.values()} == {"not run"}


def of_former(i, name):
    return " (by former criteria)" if (i, name) == FORMER else ""


def counted(i, name):
    return "by former criteria" if (i, name) == FORMER else WORDS[name][i]


def described(part):
    """Return the region that a claim expects, and the number of its source."""
    above, below, source = part["above"], part["below"], part["published"]
    region = f"{above} to {below}" if above and below else f"> {above}" if above else f"< {below}"
    words = f"{source['value']} ({source['place']})" if source else ""
    return [region, words + (", other size" if source and not source["same_size"] else "")]


def measured(part):
    """Return the number of a part with its interval, the counts behind it, and its verdict, or that it is not there."""
    if part is None:
        return ["", "not run"]
    number = f"{part['estimate']:.3f} \\[{part['low']:.3f}, {part['high']:.3f}\\]"
    units = f"{part['count']} data sets" if part["unit"] == "data sets" else f"n = {part['count']}"
    return [f"{number}; {units}, {part['counted']} of {part['trained']} trainings count", part["verdict"]]


@pytest.mark.parametrize("name", [DECAY, RANDOM, OWN])
def test_the_page_of_a_study_has_the_number_of_each_part_in_the_column_of_its_run(pages, name):
    text = pages["kernels.md"].partition(f'<a id="{name}">')[2].partition("\n### ")[0]
    header = f"| part | claimed | published | {' | '.join(f'{run_} | verdict' for run_ in NAMES)} |"
    found = table(text, header)
    parts = [occurrences(next(c for c in claims if c["claim"] == name)["parts"]) for claims in CLAIMS]
    for row, (label, number) in zip(found, occurrences([{"label": x} for x in LABELS]), strict=True):
        of_runs = [of_run.get((label, number)) for of_run in parts]
        by_present = [part for i, part in enumerate(of_runs) if part and (i, name) != FORMER]
        counting = by_present or [part for part in of_runs if part]
        first, regions = counting[0], {described(part)[0] for part in counting}
        region = regions.pop() if len(regions) == 1 else "another in each run"
        expected = [f"{label} (check)" if first["check"] else label, region, described(first)[1]]
        assert row == expected + [cell for part in of_runs for cell in measured(part)]
    words = [f"**{WORDS[name][i]}**, 1 of 2 parts run{of_former(i, name)}" for i in range(3)]
    verdicts = {word: [run_ for run_, other in zip(NAMES, words, strict=True) if other == word] for word in words}
    said = [f"- {'; '.join(runs)}: {word}" for word, runs in verdicts.items()]
    said += ["- The verdict changes with the seed."] if WORDS[name][1] != WORDS[name][2] else []
    assert "\n\n" + "\n".join(said) + "\n\n" in text


def test_reasons_name_their_run_and_their_part(pages):
    text = pages["kernels.md"].partition(f'<a id="{DECAY}">')[2].partition("\n### ")[0]
    expected = {
        f"- {run_}, inconclusive: {part['reason']} ({part['label']})"
        for run_, claims in zip(NAMES, CLAIMS, strict=True)
        for part in claims[0]["parts"]
        if part["reason"]
    }
    assert expected
    assert expected <= {*text.splitlines()}


def test_the_overview_has_the_verdict_of_each_run_in_its_column_and_counts_them(pages):
    text = pages["README.md"]
    matrix = {
        row[1]: row for row in table(text, f"| study | claim | place | {' | '.join(NAMES)} |") if row[0] == "kernels"
    }
    for name, words in WORDS.items():
        (row,) = (row for link, row in matrix.items() if f"#{name})" in link)
        assert row[3:] == [word + of_former(i, name) for i, word in enumerate(words)]
    known = outlines.read(ROOT, "smoke")["kernels"].claims
    heads = ["reproduced", "not reproduced", "holds", "does not hold", "inconclusive", "not run", "by former criteria"]
    counts = table(text, f"| run | claims | {' | '.join(heads)} |")
    expected = []
    for i, run_ in enumerate(NAMES):
        for whose, own in (("of the sources", False), ("of our own", True)):
            words = [counted(i, name) for name in WORDS if (name == OWN) == own]
            words += ["not run"] * sum(c.own == own and c.claim not in WORDS for c in known)
            expected.append([run_, whose, *(str(words.count(word) or "") for word in heads)])
    assert counts == expected


def test_changes_are_between_seeds_of_one_scale_and_contradictions_between_all_runs(pages):
    changes, contradictions = (
        pages["README.md"].partition(f"## Verdicts that {words}\n\n")[2].partition("\n## ")[0].strip().splitlines()
        for words in ("change with the seed", "contradict each other")
    )
    for lines, runs, names in ((changes, [1, 2], [DECAY, OWN]), (contradictions, [0, 1, 2], [DECAY, OWN])):
        assert len(lines) == len(names)
        for line, name in zip(lines, sorted(names, key=[*WORDS].index), strict=True):
            assert f"#{name})" in line
            assert line.endswith(": " + "; ".join(f"{NAMES[i]}: **{WORDS[name][i]}**" for i in runs))


def test_the_methods_have_the_regions_of_all_runs_and_what_lies_outside_of_them(pages):
    (section,) = (section for section in pages["methods.md"].split("\n## ") if f"#{DECAY})" in section)
    (row,) = (row for row in table(section, "| claim |") if f"#{DECAY})" in row[0])
    votes = [part for claims in CLAIMS for part in claims[0]["parts"] if not part["check"]]
    regions = [described(part)[0] for part in votes]
    outside = [
        " or ".join(
            f"{word} {part[end]}" for word, end in (("below", "above"), ("above", "below")) if part[end] is not None
        )
        for part in votes
    ]
    shown = len(regions) - 8
    assert row[2] == f"{'; '.join(regions[:8])}; and {shown} others"
    assert row[3] == "; ".join(f"an interval {words}" for words in outside[:8]) + f"; and {shown} others"
    assert row[4] == "; ".join(described(part)[0] for claims in CLAIMS for part in claims[0]["parts"] if part["check"])


def test_the_provenance_of_each_run_has_its_cubes_its_networks_and_its_hours(pages, folders, judged):
    header = "| study | run | cubes | networks | core-hours | read at commit | verdicts.json, SHA-256 |"
    found = table(pages["README.md"], header)
    for i, (row, results) in enumerate(zip(found, folders, strict=True)):
        networks = sum(sum(cube(i, grid)[1][s] for s in findings_numbers.STATUSES) for grid in ("theory", "second"))
        digest = store.digest(results / "kernels/verdicts.json")
        assert row[:5] == ["kernels", NAMES[i], "2", str(networks), f"{0.5 * (i + 1) + 0.1:g}"]
        assert row[5:] == [f"`{judged[i].commit[:12]}`", f"`{digest[:12]}`"]


def test_networks_are_counted_by_their_status_in_each_cube_of_each_run(pages, folders):
    counted = ["diverged", "fitted", "unfitted", "kernels"]
    found = table(pages["kernels.md"], f"| run | grid | {' | '.join(counted)} | SHA-256 of the cube's content |")
    places = [(i, grid) for i in range(3) for grid in ("theory", "second")]
    for row, (i, grid) in zip(found, places, strict=True):
        counts = cube(i, grid)[1] | ({} if grid == "second" else {"kernels": ""})
        digest = store.digest(folders[i] / f"kernels/cubes/{grid}.zarr.zip")
        assert row == [NAMES[i], grid, *(str(counts[word]) for word in counted), f"`{digest[:12]}`"]


def test_versions_and_processors_are_those_of_the_verdicts_and_of_all_cubes(judged, pages):
    for record in judged:
        assert record.made_by["versions"] == ['{"numpy": "2.4"}', '{"xarray": "second"}', '{"xarray": "theory"}']
        assert record.made_by["processor"] == ['{"blas": "second"}', '{"blas": "theory"}']
    assert "- Versions: numpy 2.4; xarray second; xarray theory\n" in pages["README.md"]


@pytest.mark.parametrize(("seeds", "said"), [([0, 3], r"\[0, 3\]"), ([5, 0], r"\[0, 5\]")])
def test_cubes_of_several_seeds_are_refused(tmp_path, seeds, said):
    results = run(tmp_path, claim(DECAY))
    with_cubes(results, seeds, {grid: cube(0, grid)[0] for grid in ("theory", "second")})
    with pytest.raises(FindingsError, match=f"its cubes have the seeds {said}; those of a run share one"):
        gathering.gather([results], ROOT)


@pytest.fixture(scope="module")
def origins():
    """Return what is published of the cells of a cube with repeated searches, and their errors."""
    tree = searched()
    cells = [("a", 1), ("a", 7), ("b", 7)]
    return list(cube_numbers.variances(tree)), [(*cell, searched_errors(tree, *cell)) for cell in cells]


def test_the_parts_of_a_variance_have_the_ends_of_their_own_intervals(origins):
    found = iter(origins[0])
    for task, depth, errors in origins[1]:
        deviations, shares = parts_of_variance(errors)
        for origin, of_error, of_variance in zip(ORIGINS, deviations, shares, strict=True):
            each = next(found)
            about = (each.task, each.depth, each.width, each.n_train, each.data_sets, each.origin)
            assert about == (task, depth, 50, 100, len(errors), origin)
            np.testing.assert_allclose([each.sd, each.sd_low, each.sd_high], of_error, rtol=1e-12)
            np.testing.assert_allclose([each.share, each.low, each.high], of_variance, rtol=1e-12)
    assert not list(found)


def test_thresholds_are_those_of_their_cell():
    axes = {"depth": [5, 1], "task": ["b", "a"], "n_train": [900, 100], "protocol": ["sgd", "adam"]}
    columns = {name: numbers(700 + i, low, low + 9, **axes) for i, (name, low) in enumerate(THRESHOLDS.items())}
    columns["high"].loc[{"task": "b", "depth": 1, "n_train": 100}] = np.inf
    columns["low"].loc[{"task": "a", "protocol": "sgd", "depth": 5}] = np.nan
    tree = with_thresholds((1.0, 0.5, 2.0))
    tree["jamming"] = DataTree(Dataset(columns))
    found = list(cube_numbers.thresholds(tree))
    for each in found:
        cell = {name: getattr(each, name) for name in axes}
        ends = [float(columns[name].sel(cell)) for name in THRESHOLDS]
        assert [each.threshold, each.low, each.high] == ends
    places = [(each.depth, each.task, each.n_train, each.protocol) for each in found]
    assert places == sorted({*places})
    assert len(found) == 16 - 2 - 2


THRESHOLDS = {"threshold": 200, "low": 100, "high": 300}


def test_numbers_of_cubes_are_on_the_page_of_their_run_and_grid(tmp_path, origins):
    results = run(tmp_path, claim(DECAY), seed=6)
    thresholds = with_thresholds((113.2, 101.6, 123.5), (688.0, 614.9, 700.1))
    page = made(with_cubes(results, [6, 6], {"first": thresholds, "second": searched()}))["kernels.md"]
    found = table(page, "| run | grid | task | protocol | L | samples | N\\* | 95 % interval |")
    ends = [("0", "113", "\\[102, 124\\]"), ("1", "688", "\\[615, 700\\]")]
    assert found == [["smoke, seed 6", "first", "a", "adam", depth, "100", *numbers_] for depth, *numbers_ in ends]
    heads = "| run | grid | task | L | width | samples | data sets | origin | standard deviation | 95 % interval |"
    for row, each in zip(table(page, heads), origins[0], strict=True):
        about = ["smoke, seed 6", "second", each.task, str(each.depth), "50", "100", str(each.data_sets), each.origin]
        of_error = [f"{each.sd:.4f}", f"\\[{each.sd_low:.4f}, {each.sd_high:.4f}\\]"]
        assert row == [*about, *of_error, f"{each.share:.2f}", f"\\[{each.low:.2f}, {each.high:.2f}\\]"]
