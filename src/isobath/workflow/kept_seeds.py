"""Seeds of results on disk: results of another seed are as good as those of this one, and are not replaced unasked."""

import contextlib
import json
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from isobath import store_metadata
from isobath.paths import STORE
from isobath.study.run import Run
from isobath.study.schema import ConfigError

READ = 50  # results with a seed that are read: those of a run have one


class Seeded(NamedTuple):
    """A result on disk, and the seed that it was made from."""

    path: str
    seed: int


def of_another_seed(run: Run, paths: Iterable[str]) -> Seeded | None:
    """Return the first result among ``paths``, relative to the run's folder, of another seed than the run's."""
    present = (path for path in paths if path.endswith(STORE) and (run.home / path).is_file())
    found = (Seeded(path, seed) for path in present if (seed := _seed(run.home / path)) is not None)
    return next((result for result in islice(found, READ) if result.seed != run.config.seed), None)


def require_kept(run: Run, due: Iterable[str]) -> None:
    """Refuse to replace results of another seed by those that are ``due``. Raises ConfigError."""
    if other := of_another_seed(run, due):
        raise ConfigError(
            f"{other.path} has seed {other.seed}, and seed is {run.config.seed}: it would be replaced, as all results "
            f"of results/{run.config.scale}; run each seed in a folder of its own, as `snakemake --directory "
            f"../seed{run.config.seed} ...` in a clone, or with a config.yaml there that has the path of your own "
            f"folder as `own`, or remove results/{run.config.scale} first"
        )


def _seed(path: Path) -> int | None:
    """Return the seed of a store; None where it has none, or can't be read, which others say."""
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        seed = json.loads(store_metadata.attributes(path)["spec"]).get("seed")
        return seed if isinstance(seed, int) else None
    return None
