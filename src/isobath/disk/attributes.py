"""Attributes of a result, such as spec, code, inputs and versions, whatever the format of its file."""

from pathlib import Path
from typing import Any

from isobath.disk import sealed_documents, store
from isobath.paths import STORE


def read_attributes(path: Path) -> dict[str, Any]:
    """Return the attributes of a store (its arrays are not read), a record or a page.

    Raises CorruptedStore, FileNotFoundError.
    """
    if path.name.endswith(STORE):
        return store.attributes(path)
    if path.suffix != ".html":
        return store.read_record(path)
    store.require_file(path)
    try:
        return sealed_documents.unseal(path.read_bytes())
    except ValueError as error:
        raise store.CorruptedStore(path, str(error)) from None
