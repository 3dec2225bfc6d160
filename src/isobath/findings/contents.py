"""Contents of findings: the ledger, the claims of every run, and the files of the figures."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from isobath.disk import store
from isobath.findings import FindingsError, tables
from isobath.findings.ledger import Ledger
from isobath.findings.tables import Claims


@dataclass(frozen=True)
class Findings:
    """All that the pages are made from. ``files`` has the drawings, by their names in the folder of the findings."""

    ledger: Ledger
    claims: Claims
    files: Mapping[str, bytes]

    def checked(self) -> "Findings":
        """Return the findings as their tables have them; refuse tables that do not belong to their verdicts.

        The record of the verdicts of every study is made again from the tables: its digest has to be that of the file
        that was read from the results. Raises FindingsError.
        """
        written = tables.write(self.claims, self.ledger)
        reread = tables.read(written[tables.VERDICTS], written[tables.NUMBERS], self.ledger)
        for key, record in self.ledger.judged():
            attrs = dict(record.about)
            head = {name: attrs.pop(name) for name in ("study", "scale", "source")}
            place = f"{key.study} at {key.scale} with seed {key.seed}"
            try:
                content = store.record_bytes({**head, "claims": reread[key], **attrs})
            except ValueError as error:
                raise FindingsError(f"{tables.NUMBERS}: a number of {place} is none: {error}") from None
            if hashlib.sha256(content).hexdigest() != record.sha256:
                raise FindingsError(f"the numbers of {place} are not those of the verdicts with digest {record.sha256}")
        return Findings(self.ledger, reread, self.files)
