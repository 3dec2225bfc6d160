"""Regressions as tasks: diabetes, correlated inputs, a table of one's own, and what is refused."""

import numpy as np
import pytest

from isobath.binding import bound
from isobath.data.csv_tables import parse
from isobath.randomness import stream
from isobath.tasks.correlated import problem


def test_diabetes_has_the_condition_number_of_its_columns():
    (x, y), (x_test, _) = bound("task", "diabetes")(441, 1, generator=stream(0, "d"), files={})
    whole = np.concatenate([x, x_test])
    values = np.linalg.eigvalsh(whole.T @ whole / len(whole))
    assert values[-1] / values[0] == pytest.approx(470, rel=0.02)
    assert y.std() == pytest.approx(1, abs=0.02)


def correlated(seed=0, n=40_000, **settings):
    task = {"kind": "correlated", "dimension": 6, **settings}
    return bound("task", task)(n, 10, generator=stream(seed, "c"), files={})[0]


def test_correlated_inputs_have_variance_one_and_the_condition_of_their_decay():
    (x, y), (flat, _) = correlated(decay=2.0), correlated(decay=0.0)
    np.testing.assert_allclose(x.var(0), 1, atol=0.05)
    assert y.var() == pytest.approx(1, abs=0.05)
    np.testing.assert_allclose(np.cov(flat.T), np.eye(6), atol=0.05)
    assert np.linalg.cond(np.cov(x.T)) > 10
    w = np.linalg.lstsq(x, y, rcond=None)[0]
    assert np.mean((x @ w - y) ** 2) == pytest.approx(0.01 / 1.01, rel=0.1)
    assert not np.allclose(np.cov(x.T), np.cov(correlated(1, decay=2.0)[0].T), atol=0.05)  # another data set


def test_data_without_a_decay_do_not_depend_on_the_basis_that_rounding_chooses(monkeypatch):
    x, y = correlated(n=100, decay=0.0)
    eigh, turn = np.linalg.eigh, np.linalg.qr(np.random.default_rng(0).standard_normal((6, 6)))[0]
    monkeypatch.setattr(np.linalg, "eigh", lambda a: (eigh(a)[0], eigh(a)[1] @ turn))
    x_there, y_there = correlated(n=100, decay=0.0)
    np.testing.assert_array_equal(x, x_there)
    np.testing.assert_array_equal(y, y_there)


def test_correlated_data_do_not_depend_on_the_signs_that_lapack_gives_eigenvectors(monkeypatch):
    x, y = correlated(n=100)
    eigh, signs = np.linalg.eigh, np.array([1, -1, -1, 1, -1, 1])
    monkeypatch.setattr(np.linalg, "eigh", lambda a: (eigh(a)[0], eigh(a)[1] * signs))
    x_there, y_there = correlated(n=100)
    np.testing.assert_array_equal(x, x_there)
    np.testing.assert_array_equal(y, y_there)


def table(content, n_train=3, **settings):
    content = content if isinstance(content, bytes) else content.encode()
    task = bound("task", {"kind": "table", **settings})
    return task(n_train, 1, generator=stream(0, "t"), files={"table/table.csv": content})


def test_a_table_is_read_with_or_without_names_and_its_target_is_chosen():
    rows = "1,2,30\n2,4,10\n3,1,20\n5,0,40\n"
    (x, y), _ = table(rows, features=2)
    (named, y_named), _ = table("a,b,y\n" + rows, features=2)
    np.testing.assert_array_equal(x, named)
    np.testing.assert_array_equal(y, y_named)
    (_, first), _ = table(rows, features=2, target=0)
    assert not np.allclose(first, y)
    columns = np.array([[1, 2, 3, 5], [2, 4, 1, 0]])
    standard = (columns - columns.mean(1, keepdims=True)) / columns.std(1, keepdims=True)
    assert {tuple(np.round(row, 9)) for row in x} <= {tuple(np.round(row, 9)) for row in standard.T}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3,x\n", "line 2: 'x' is no finite number"),
        ("a,b\n1,2\n3\n", "line 3: 1 columns, not 2"),
        ("1,nan\n", "line 1: 'nan' is no finite number"),
        ("", "has no lines of numbers"),
        ("a,b\n", "has no lines of numbers"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(text, message):
    with pytest.raises(ValueError, match=f"here.csv.*{message}"):
        parse(text.encode(), name="here.csv")


NUMBERS = r"; allowed are finite numbers such as -1\.5 or 2e-3, with commas between them$"
UTF8 = r"is no text; the file must be UTF-8$"
REFUSED = {  # name of the case -> content, message after the file's name
    "UTF-16": ("a,b\n1,2\n3,4\n".encode("utf-16"), rf"line 1: the byte 0xff {UTF8}"),
    "UTF-16 without its mark": ("1,2\n3,4\n".encode("utf-16-le"), rf"line 1: the byte 0x00 {UTF8}"),
    "latin-1": ("é,b\n1,2\n3,\u00e9\n".encode().replace(b"3,\xc3", b"3,"), rf"line 3: the byte 0xa9 {UTF8}"),
    "latin-1 behind a mark": (b"\xef\xbb\xbfa,b\n1,2\n\xf6,4\n", rf"line 3: the byte 0xf6 {UTF8}"),
    "CR alone": (b"a,b\r1,2\r3,4\r", r"line 1: it ends in CR alone \('\\r'\); lines must end in LF or in CR LF$"),
    "a huge value": (
        b"1,2\n3," + b"4" * 140_000,
        rf"line 2: '3,4{{38}}\.\.\.' can't be read .*{NUMBERS}",
    ),
    "an open quote": (b'1,2\n3,"4\n5,6\n', rf"line 2: '3,\"4' can't be read .*{NUMBERS}"),
    "text behind a quote": (b'1,2\n"3"0,4\n', rf"line 2: .* can't be read .*{NUMBERS}"),
    "an underscore": ("1,2\n3,1_0\n", rf"line 2: '1_0' is no finite number{NUMBERS}"),
    "underscores in the first line": ("1_0,2_0\n3,4\n", rf"line 1: '1_0' is no finite number{NUMBERS}"),
    "no names in the first line": ("nan,inf\n3,4\n", rf"line 1: 'nan' is no finite number{NUMBERS}"),
    "blank lines": ("a,b\n\n1,2\n \n3,x\n", rf"line 5: 'x' is no finite number{NUMBERS}"),
    "a value of two lines": ('"a\nb",c\n1,2\n3,x\n', rf"line 4: 'x' is no finite number{NUMBERS}"),
    "semicolons": ("1;2\n3;4\n", rf"line 2: '3;4' is no finite number{NUMBERS}"),
    "a long value": ("1,2\n3," + "x" * 999, rf"line 2: 'x{{40}}\.\.\.' is no finite number{NUMBERS}"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_is_no_table_is_refused_in_one_sentence(case):
    content, message = REFUSED[case]
    with pytest.raises(ValueError, match=rf"^table/table\.csv, {message}") as refusal:
        table(content, features=1)
    assert type(refusal.value) is ValueError
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r\r\n"])
def test_a_mark_of_the_encoding_line_ends_and_blank_lines_change_nothing(ends):
    rows = "a,y\n1,30\n2,10\n3,20\n5,40\n"
    (x, y), _ = table(rows, features=1)
    (marked, y_marked), _ = table(b"\xef\xbb\xbf" + rows.replace("\n", ends + ends).encode(), features=1)
    np.testing.assert_array_equal(x, marked)
    np.testing.assert_array_equal(y, y_marked)


@pytest.mark.parametrize("first", ["0,1,2", "1,2,3", "2019,2020,2021", "0.0,1.0,2.0", "-1, 0, 1"])
def test_a_first_line_that_counts_up_is_refused_unless_names_stand_before_it(first):
    rows = f"{first}\n1,2,30\n2,4,10\n3,1,20\n5,0,40\n"
    with pytest.raises(ValueError, match=rf"^table/table\.csv, line 1: '{first}' counts up.*; remove it, or, if it"):
        table(rows, features=2)
    assert len(parse(b"a,b,y\n" + rows.encode(), name="here.csv")) == 5


@pytest.mark.parametrize("first", ["1,2,4", "3,2,1", "0.5,1.5,2.5", "7,7,7"])
def test_other_first_lines_of_numbers_are_samples(first):
    assert len(parse(f"{first}\n0,1,2\n".encode(), name="here.csv")) == 2


@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.1] * 20, r"is 0\.1 in all 20 lines; each column must vary$"),
        ([1e308, -1e308] * 10, r"has numbers up to 1e\+308, whose spread is not finite; rescale it$"),
    ],
)
def test_a_column_that_cannot_be_standardised_is_refused_by_its_number_and_name(column, values, message):
    columns: list[list[float]] = [[i % 7, i % 5, -i] for i in range(20)]
    for row, value in zip(columns, values, strict=True):
        row[column] = value
    rows = "".join(f"{','.join(map(str, row))}\n" for row in columns)
    with pytest.raises(ValueError, match=rf"^table/table\.csv: column {column} \(from 0\) {message}"):
        table(rows, features=2)
    with pytest.raises(ValueError, match=rf"column {column} \(from 0, '{'abc'[column]}'\) {message}"):
        table("a,b,c\n" + rows, features=2)


def test_settings_that_do_not_fit_the_table_are_refused():
    rows = "1,2,30\n2,4,10\n3,1,20\n5,0,40\n"
    with pytest.raises(ValueError, match="has 3 columns; features is 5"):
        table(rows, features=5)
    with pytest.raises(ValueError, match="n_train is 9; it must be 1 to 3"):
        table(rows, n_train=9, features=2)
    with pytest.raises(ValueError, match=r"table/table\.csv is missing"):
        bound("task", {"kind": "table", "features": 2})(1, 1, generator=stream(0, "t"), files={})


def test_rows_of_a_table_are_of_one_part_and_keep_their_targets():
    columns = np.random.default_rng(0).standard_normal((20, 3))
    content = "".join(",".join(map(repr, row)) + "\n" for row in columns.tolist()).encode()
    (x, y), (x_test, y_test) = bound("task", {"kind": "table", "features": 2})(
        12, 8, generator=stream(0, "t"), files={"table/table.csv": content}
    )
    standard = (columns - columns.mean(0)) / columns.std(0)
    found = np.concatenate([np.hstack([x, y]), np.hstack([x_test, y_test])])
    np.testing.assert_allclose(sorted(found.tolist()), sorted(standard.tolist()))


def test_correlated_data_are_tested_on_samples_of_their_own_with_the_same_targets():
    task = bound("task", {"kind": "correlated", "dimension": 6, "noise": 0.0})
    (x, y), (x_test, y_test) = task(40, 10, generator=stream(0, "c"), files={})
    w = np.linalg.lstsq(x, y, rcond=None)[0]
    np.testing.assert_allclose(x_test @ w, y_test, atol=1e-10)
    assert not {*map(bytes, x)} & {*map(bytes, x_test)}


def test_variances_of_correlated_inputs_fall_with_the_power_of_their_decay():
    """The mixing is M = D Q S, with D diagonal, Q orthogonal and S^2 = j^-decay: M S^-2 M' = D^2."""
    mixing, _ = problem(6, 2.0, generator=stream(0, "m"))
    undone = (mixing * np.arange(1, 7) ** 2.0) @ mixing.T
    np.testing.assert_allclose(undone, np.diag(np.diag(undone)), atol=1e-12)
