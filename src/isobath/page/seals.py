"""A document that knows what made it and whether it is whole.

Its last line is a comment with the SHA-256 of all that precedes it; what made it stands in it as JSON.
"""

import hashlib
import json
import re
from typing import Any

_SEAL = re.compile(rb"<!-- sha256 ([0-9a-f]{64}) -->\n\Z")
_RECORD = re.compile(rb'<script type="application/json" id="made">(.*?)</script>', re.DOTALL)


def seal(html: str) -> bytes:
    """The document with its seal."""
    body = html.encode()
    return body + f"<!-- sha256 {hashlib.sha256(body).hexdigest()} -->\n".encode()


def unseal(document: bytes) -> dict[str, Any]:
    """What made a document: spec, code, inputs, versions. Raises ValueError where it is not as it was written."""
    found, record = _SEAL.search(document), _RECORD.search(document)
    if found is None or record is None:
        raise ValueError("it is not a complete page")
    if hashlib.sha256(document[: found.start()]).hexdigest().encode() != found[1]:
        raise ValueError("its content does not match its checksum")
    attributes: dict[str, Any] = json.loads(record[1])
    return attributes
