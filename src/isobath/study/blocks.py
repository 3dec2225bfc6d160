"""Blocks of grids with the keys that kinds of result add to them, and studies of such blocks."""

from typing import Annotated, Any

from pydantic import Field, create_model

from isobath import plugins, roots
from isobath.study.schema import Block, Name, NotEmpty, Study


@roots.cached
def block_model() -> type[Block]:
    """Return the model of a block: the keys of all blocks, and those that kinds of result declare in ``BLOCK``.

    Raises PluginError for a key that is declared twice.
    """
    fields: dict[str, Any] = {}
    for kind in plugins.kinds("result"):
        file = plugins.path("result", kind)
        for name, (written, default, meaning) in plugins.table("result", kind, "BLOCK").items():
            if name in (*Block.model_fields, *fields):
                raise plugins.PluginError(f"{file}: BLOCK has {name}, which is a key of a block already; rename it")
            fields[name] = plugins.evaluated(written, f"{file}: {name} of BLOCK"), Field(default, description=meaning)
    return create_model(Block.__name__, __base__=Block, __doc__=Block.__doc__, **fields)


@roots.cached
def study_model() -> type[Study]:
    """Return the model of a study whose grids have blocks of ``block_model``."""
    grids: Any = Annotated[dict[Name, list[block_model()]], NotEmpty]  # type: ignore[misc]
    described = Field(description=Study.model_fields["grids"].description)
    return create_model(Study.__name__, __base__=Study, __doc__=Study.__doc__, grids=(grids, described))
