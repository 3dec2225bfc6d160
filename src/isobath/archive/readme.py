"""README of an archive."""

from collections.abc import Collection

from isobath.disk.faults import Fault
from isobath.study.run import Run

PAGE = """\
# isobath: results of scale {scale}
{studies}
{gaps}
## Check the files

```sh
sha256sum --check --quiet SHA256SUMS   # on a Mac: shasum -a 256 --check --quiet SHA256SUMS
PYTHONPATH=src python3 -m isobath.archive.check   # the same, and names files that were added; Python 3.11 or later
```

## Draw the figures again

Python 3.11 or later; neither Snakemake nor PyTorch.

```sh
python3 -m venv .venv
grep -o '^[^ #]*==[^ ]*' envs/lock.txt > .venv/versions.txt  # pip wants hashes for all or none
.venv/bin/python -m pip install --constraint .venv/versions.txt numpy scipy xarray zarr matplotlib annotated-types
PYTHONPATH=src .venv/bin/python -m isobath.archive.redraw results/{scale}
```

The drawings go to `redrawn`, and each is compared with the one in `results`: with the package versions of
`envs/lock.txt` they are equal to the byte.

## Read the numbers

`csv/<study>/<grid>` holds each cube as tidy tables: a column per dimension and per variable, a row per observation.
Tables of more than {rows:,} rows are not written; their numbers are in the cubes:

```python
import isobath  # with src on the path

results = isobath.open_results("results/{scale}")  # by name: study / grid / group
```

Without isobath, a cube is a zarr v3 store in a zip:

```python
import xarray as xr, zarr

with zarr.storage.ZipStore("results/{scale}/<study>/cubes/<grid>.zarr.zip", mode="r") as store:
    tree = xr.open_datatree(store, engine="zarr", consolidated=False).load()
```

`DICTIONARY.md` explains every variable.

## Run it again

```sh
.venv/bin/python -m pip install --no-deps --require-hashes --requirement envs/lock.txt
.venv/bin/python -m pip install --requirement envs/torch.txt
.venv/bin/python -m pip install --no-deps --editable .
.venv/bin/snakemake --profile workflow/profiles/laptop --cores 8 --forceall
```

## Contents

| file | content |
| --- | --- |
| `results/{scale}/<study>/verdicts.json` | the claims of each source, the measured numbers and the verdicts |
| `results/{scale}/<study>/figures` | the figures, with their captions and checksums |
| `results/{scale}/<study>/cubes` | all numbers, a labelled cube per grid |
| `csv` | the numbers of the cubes as tables |
| `datapackage.json` | type, unit and meaning of every column of the tables: a Frictionless data package |
| `DICTIONARY.md`, `DICTIONARY.json` | every variable: dims, type, units, meaning, table |
| `config.yaml`, `workflow/studies` | the settings of the run |
| `PROVENANCE.json` | spec, code, versions and digests of every result; the comment of a store's zip is its digest |
{own}| `Snakefile`, `workflow`, `src`, `envs/lock.txt` | the workflow that made the results |
| `CITATION.cff` | citation of isobath and of the works that it reproduces |
| `LICENSE`, `LICENSE-data` | terms of use: of the code; of tables, cubes and figures |
| `ro-crate-metadata.json` | a machine-readable description: a Workflow Run RO-Crate |
| `SHA256SUMS` | the checksum of every file |
"""


def page(run: Run, faults: Collection[Fault], rows: int, *, has_own: bool) -> bytes:
    """Return README.md for the archive of ``run``, whose results have ``faults``, and whose tables ``rows`` at most.

    ``has_own`` says whether the archive has work of the authors' own.
    """
    studies = "".join(f"\n- **{name}**: {study.title}. {study.source}" for name, study in run.studies.items())
    items = "".join(f"\n- `{f.path}`: {f.kind}{', ' if f.reason else ''}{f.reason}" for f in faults)
    gaps = f"\n## It is incomplete\n\nThese results are missing or have faults:\n{items}\n" if faults else ""
    line = "| `own` | plug-ins, claims and studies of the authors' own |\n" if has_own else ""
    return PAGE.format(own=line, scale=run.config.scale, studies=studies, gaps=gaps, rows=rows).encode()
