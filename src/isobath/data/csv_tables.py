"""Reader of CSV files of numbers, in memory: what is no table is refused with the line at which it is none."""

import csv
import io
import math
from collections.abc import Iterator

import numpy as np

SHOWN = 40  # characters of a value that an error shows
NUMBERS = "allowed are finite numbers such as -1.5 or 2e-3, with commas between them"

Line = tuple[int, list[str]]  # where it stands in the file, from 1, and its values


def parse(content: bytes, *, name: str) -> np.ndarray:
    """Return the numbers (n, columns) of a CSV file; a first line of names, and lines without a value, are passed over.

    Raises ValueError, with the line, for a file that is no table of finite numbers, or may have numbers as names, and,
    with the column, for one that can't be standardised.
    """
    lines = [(number, line) for number, line in _lines(_text(content, name), name) if any(map(str.strip, line))]
    body = lines[1:] if lines and all(map(_is_word, lines[0][1])) else lines
    if not body:
        raise ValueError(f"{name} has no lines of numbers")
    _require_rows(body, name)
    if len(body) == len(lines):
        _refuse_counted(*body[0], name)
    numbers = np.array([line for _, line in body], dtype=float)
    _require_spread(numbers, lines[0][1] if len(body) < len(lines) else [], name)
    return numbers


def _require_rows(body: list[Line], name: str) -> None:
    """Refuse values that are no finite numbers, and lines of other lengths than the first (ValueError)."""
    columns = len(body[0][1])
    for number, line in body:
        wrong = next((word for word in line if not _is_number(word)), None)
        if wrong is not None:
            raise ValueError(f"{name}, line {number}: {_shown(wrong)} is no finite number; {NUMBERS}")
        if len(line) != columns:
            raise ValueError(f"{name}, line {number}: {len(line)} columns, not {columns}; all lines must have as many")


def _refuse_counted(number: int, line: list[str], name: str) -> None:
    """Refuse a first line that counts up, as 0, 1, 2 or 2019, 2020 (ValueError).

    pandas writes the numbers of columns there where they have no names: they would become a sample.
    """
    values = np.array(line, dtype=float)
    if len(values) > 1 and (values % 1 == 0).all() and (np.diff(values) == 1).all():
        raise ValueError(
            f"{name}, line {number}: {_shown(','.join(line))} counts up, as numbers of columns do; "
            "remove it, or, if it is a sample, put a line of names before it"
        )


def _require_spread(numbers: np.ndarray, names: list[str], name: str) -> None:
    """Refuse columns without a spread: equal numbers, and numbers whose standard deviation overflows (ValueError).

    Rounding leaves equal numbers such as 0.1 a spread of 1e-17, by which they would be divided.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(numbers.std(axis=0))
    for column, values in enumerate(numbers.T):
        subject = f"{name}: column {column} (from 0{f', {_shown(names[column])}' if column < len(names) else ''})"
        if (values == values[0]).all():
            raise ValueError(f"{subject} is {values[0]:g} in all {len(values)} lines; each column must vary")
        if not finite[column]:
            raise ValueError(
                f"{subject} has numbers up to {abs(values).max():g}, whose spread is not finite; rescale it"
            )


def _text(content: bytes, name: str) -> str:
    """Return the text of a file, with or without a byte order mark. Raises ValueError for one that is not UTF-8."""
    try:
        text = content.decode("utf-8-sig")
        wrong = content.find(0)  # UTF-16 without its mark is valid UTF-8, with a NUL beside each character
    except UnicodeDecodeError as error:
        wrong = len(content) - len(error.object) + error.start  # the object lacks the mark
    if wrong < 0:
        return text
    number = content.count(b"\n", 0, wrong) + 1
    raise ValueError(f"{name}, line {number}: the byte 0x{content[wrong]:02x} is no text; the file must be UTF-8")


def _lines(text: str, name: str) -> Iterator[Line]:
    """Yield the lines of a file. Raises ValueError for line ends and quotes that CSV does not have."""
    for number, line in enumerate(text.split("\n"), start=1):
        if "\r" in line.rstrip("\r"):
            raise ValueError(f"{name}, line {number}: it ends in CR alone ('\\r'); lines must end in LF or in CR LF")
    reader, number = csv.reader(io.StringIO(text), strict=True), 1
    try:
        for values in reader:
            yield number, values
            number = reader.line_num + 1  # values in quotes can span lines
    except csv.Error as error:
        start = _shown(text.split("\n")[number - 1])
        raise ValueError(f"{name}, line {number}: {start} can't be read ({error}); {NUMBERS}") from None


def _shown(value: str) -> str:
    return repr(value if len(value) <= SHOWN else f"{value[:SHOWN]}...")


def _is_word(value: str) -> bool:
    """Return whether Python reads no number here, not even one that a table may not have, such as nan or 1_0."""
    try:
        float(value)
    except ValueError:
        return True
    return False


def _is_number(value: str) -> bool:
    return not _is_word(value) and "_" not in value and math.isfinite(float(value))
