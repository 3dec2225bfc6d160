"""The keys by which entries of a table save repetition."""

from typing import Annotated

from pydantic import Field

from isobath.study.schema import Closed, Name, NotEmpty


class Shorthand(Closed):
    """Keys that save repetition: an entry of a table may have them besides its own."""

    like: Name | None = Field(
        None,
        description="another entry of the table, which this one equals but for the keys that it states: mappings are "
        "merged, anything else is replaced, null removes, or is the value of a setting that can be null; "
        "example: `{like: sgd, loss: mean_squared_error}`",
    )
    each: dict[Name, Annotated[list[str | int | float], NotEmpty]] | None = Field(
        None,
        description="makes a family of entries, one for each combination of these values; example: "
        "`{system: [cantor, vicsek], curve: [1, 6]}`",
    )
    name: str | None = Field(
        None,
        description='name of a member of the family, with the keys of `each` in braces; example: `"{system}-{curve}"`',
    )
