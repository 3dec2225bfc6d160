"""Names of the random streams of the networks of a cell.

A module of its own: an edit of it makes no search for a learning rate anew.
"""

from typing import Any

from isobath.randomness import Name


def streams(cell: dict[str, Any]) -> tuple[Name, ...]:
    """Return the name of the initial weights and minibatch orders of a cell: networks add their seeds to it.

    Networks of each data set start from weights of their own, so that data sets are independent units. The name of data
    set 0 has no number: it was the name for all data sets once, and its networks stay the same.
    """
    name = (cell["task"], cell["depth"], cell["width"])
    return (*name, "draw", cell["draw"]) if cell["draw"] else name
