"""A figure, in every format that is asked for."""

from typing import Any

from matplotlib import style

from isobath import cli, plugins, store
from isobath.charts import STYLE
from isobath.cli import Path

# No dates and no versions: the same cube gives the same bytes.
METADATA: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
}


def main(spec: dict[str, Any], code: str, cube: Path, record: Path, outputs: list[Path]) -> None:
    """Draw the cube and save the figure under each of ``outputs``, by its suffix; ``record`` has their checksums."""
    settings = dict(spec["figure"])
    draw = plugins.load("figure", settings.pop("kind")).draw
    with style.context(["default", STYLE]):
        figure = draw(store.read_tree(cube), **settings)
        for path in outputs:
            path.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, metadata=METADATA[path.suffix])
    files = {path.name: store.digest(path) for path in outputs}
    about = {key: spec[key] for key in ("name", "grid", "caption")}
    store.write_record({**about, "files": files, **cli.provenance(spec, code, cube)}, record)


if __name__ == "__main__":
    cli.run(main)
