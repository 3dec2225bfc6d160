"""Figures as the page shows them: drawings, tables of their numbers, and downloads, within a limit of size."""

import base64
import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import xarray as xr

from isobath import plugins
from isobath.page import links, tables
from isobath.page.contents import Build, Figure, Study
from isobath.page.numbers import significant

ROOM = 16_000_000  # characters of all figures together, at most; each has an equal share
ROWS = 100  # rows of a table that are shown; its download has all
CELL, SHEET = 22, 1000  # characters of markup per cell and per table
ENLARGED = 0.7  # pixels on the page per pixel of a PNG of 200 dpi


class Sheet(NamedTuple):
    """A table: its first rows as text, the whole table as a data URI of CSV, and a flag for each numeric column."""

    title: str
    columns: Sequence[str]
    numeric: Sequence[bool]
    rows: Sequence[Sequence[str]]
    length: int
    uri: str


class Exhibit(NamedTuple):
    """A figure: ``image`` is a data URI, empty if too large; ``left_out`` has titles of tables too large to show."""

    name: str
    caption: str
    grid: str
    files: Sequence[str]  # to be downloaded, relative to the folder of the study
    image: str
    width: int
    height: int
    sheets: Sequence[Sheet]
    left_out: Sequence[str]
    claims: Sequence[Mapping[str, Any]] = ()  # the records of those that link to it
    code: links.Link | None = None


def of_study(study: Study, room: int, build: Build) -> list[Exhibit]:
    """Return the drawn figures of a study, each with at most ``room`` characters."""
    averaged = {grid: tables.averages(cube) for grid, cube in study.cubes.items()}
    pairs = [(figure, figure.record) for figure in study.figures if figure.record is not None]
    bearing = _bearing(study)
    return [
        _exhibit(figure, record, averaged.get(record["grid"], {}), room)._replace(
            claims=bearing.get(figure.name, []), code=_code(record, build)
        )
        for figure, record in pairs
    ]


def _bearing(study: Study) -> dict[str, list[Mapping[str, Any]]]:
    """Return the records of the claims that link to each figure."""
    by_figure: dict[str, list[Mapping[str, Any]]] = {}
    for record in study.verdicts["claims"] if study.verdicts else ():
        for figure in links.figures_of(study, record):
            by_figure.setdefault(figure, []).append(record)
    return by_figure


def _code(record: Mapping[str, Any], build: Build) -> links.Link:
    """Return the file that draws a figure."""
    return links.of_code(build, plugins.file("figure", json.loads(record["spec"])["figure"]["kind"]))


def _exhibit(figure: Figure, record: Mapping[str, Any], averaged: Mapping[str, xr.Dataset], room: int) -> Exhibit:
    image = _image(figure, room)
    room -= len(image)
    sheets, left_out = [], []
    for table in tables.of_figure(averaged, json.loads(record["spec"])["figure"]):
        sheet = _sheet(table)
        cells = (text for row in (sheet.columns, *sheet.rows) for text in row)
        size = SHEET + len(sheet.uri) + sum(len(text) + CELL for text in cells)
        if size <= room:
            room -= size
            sheets.append(sheet)
        else:
            left_out.append(table.title)
    description = (figure.name, record["caption"], record["grid"], sorted(record["files"]))
    return Exhibit(*description, image, *_size(figure.drawings["png"]), sheets, left_out)


def _size(png: bytes) -> tuple[int, int]:
    """Read width and height on the page from the header of the PNG."""
    width, height = struct.unpack(">II", png[16:24])
    return round(ENLARGED * width), round(ENLARGED * height)


def _image(figure: Figure, room: int) -> str:
    """Return the SVG, sharp at any size, else the PNG, as a data URI; empty if both are larger than ``room``."""
    for suffix, kind in (("svg", "svg+xml"), ("png", "png")):
        uri = _data_uri(f"image/{kind}", figure.drawings[suffix])
        if len(uri) <= room:
            return uri
    return ""


def _sheet(table: tables.Table) -> Sheet:
    frame = table.frame
    uri = _data_uri("text/csv", frame.to_csv(index=False, lineterminator="\n").encode())
    columns = [[significant(value) for value in frame[name].head(ROWS).tolist()] for name in frame]
    numeric = [frame[name].dtype.kind in "iuf" for name in frame]
    rows = list(zip(*columns, strict=True))
    return Sheet(table.title, [str(name) for name in frame], numeric, rows, len(frame), uri)


def _data_uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
