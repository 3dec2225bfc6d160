"""The page that an archive is opened with."""

from collections.abc import Collection

from isobath.disk.faults import Fault
from isobath.study.run import Run

PAGE = """\
# isobath: results of scale {scale}
{studies}
{gaps}
## Is it whole?

```sh
sha256sum --check --quiet SHA256SUMS   # on a Mac: shasum -a 256 --check --quiet SHA256SUMS
```

## Draw the figures again

Python 3.11 or later; neither Snakemake nor PyTorch.

```sh
python3 -m venv .venv
.venv/bin/python -m pip install --constraint envs/lock.txt numpy scipy xarray zarr matplotlib annotated-types
PYTHONPATH=src .venv/bin/python -m isobath.archive.redraw results/{scale}
```

The drawings go to `redrawn`, and each is compared with the one in `results`: with the versions of `envs/lock.txt` they
are the same, byte by byte.

## Read the numbers

`csv/<study>/<grid>` holds each cube as tidy tables: a column per dimension and per variable, a row per observation.
Tables of more than {rows:,} rows are left out; their numbers are in the cubes:

```python
import isobath  # with src on the path

results = isobath.open_results("results/{scale}")  # a DataTree: study / grid / group
```

Without isobath, a cube is a zarr v3 store in a zip:

```python
import xarray as xr, zarr

with zarr.storage.ZipStore("results/{scale}/<study>/cubes/<grid>.zarr.zip", mode="r") as store:
    tree = xr.open_datatree(store, engine="zarr", consolidated=False).load()
```

What every variable is: `DICTIONARY.md`.

## Run it again

```sh
.venv/bin/python -m pip install --requirement envs/lock.txt
.venv/bin/python -m pip install --no-deps --editable .
.venv/bin/snakemake --profile workflow/profiles/laptop --cores 8 --forceall
```

## What is where

| file | what it is |
| --- | --- |
| `results/{scale}/<study>/verdicts.json` | what each source claims, what was measured, and the verdict |
| `results/{scale}/<study>/figures` | the figures, with their captions and checksums |
| `results/{scale}/<study>/cubes` | all numbers, a labelled cube per grid |
| `csv` | the same as tables |
| `DICTIONARY.md`, `DICTIONARY.json` | every variable: dims, type, units, meaning, table |
| `config.yaml`, `workflow/studies` | what was asked |
| `PROVENANCE.json` | of every result: its spec, its code, versions, and digests; of a store, the comment of its zip |
| `Snakefile`, `workflow`, `src`, `envs/lock.txt` | what made it |
| `CITATION.cff`, `LICENSE` | how to cite it and the works that it reproduces; what you may do |
| `ro-crate-metadata.json` | the same for machines: a Workflow Run RO-Crate |
| `SHA256SUMS` | the checksum of every file |
"""


def page(run: Run, faults: Collection[Fault], rows: int) -> bytes:
    """README.md of the archive of ``run``, whose results have ``faults``; tables have at most so many ``rows``."""
    studies = "".join(f"\n- **{name}**: {study.title}. {study.source}" for name, study in run.studies.items())
    items = "".join(f"\n- `{f.path}`: {f.kind}{', ' if f.why else ''}{f.why}" for f in faults)
    gaps = f"\n## It is incomplete\n\nNot all results are as they were asked for:\n{items}\n" if faults else ""
    return PAGE.format(scale=run.config.scale, studies=studies, gaps=gaps, rows=rows).encode()
