"""HTML documents that contain their provenance as JSON, and end with a comment that is their checksum."""

import hashlib
import json
import re
from typing import Any

_SEAL = re.compile(rb"<!-- sha256 ([0-9a-f]{64}) -->\n\Z")
_RECORD = re.compile(rb'<script type="application/json" id="made">(.*?)</script>', re.DOTALL)


def seal(html: str) -> bytes:
    """Return the document with the SHA-256 of its content as a last line."""
    body = html.encode()
    return body + f"<!-- sha256 {hashlib.sha256(body).hexdigest()} -->\n".encode()


def unseal(document: bytes) -> dict[str, Any]:
    """Return the provenance of a document: spec, code, inputs, versions. Raises ValueError for an altered document."""
    checksum, record = _SEAL.search(document), _RECORD.search(document)
    if checksum is None or record is None:
        raise ValueError("it is not a complete page")
    if hashlib.sha256(document[: checksum.start()]).hexdigest().encode() != checksum[1]:
        raise ValueError("its content does not match its checksum")
    attributes: dict[str, Any] = json.loads(record[1])
    return attributes
