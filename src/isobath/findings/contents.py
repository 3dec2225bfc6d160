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
        again = tables.read(written[tables.VERDICTS], written[tables.NUMBERS], self.ledger)
        for key, judged in self.ledger.judged():
            about = dict(judged.about)
            head = {name: about.pop(name) for name in ("study", "scale", "source")}
            made = store.record_bytes({**head, "claims": again[key], **about})
            if hashlib.sha256(made).hexdigest() != judged.sha256:
                where = f"{key.study} at {key.scale} with seed {key.seed}"
                raise FindingsError(f"the numbers of {where} are not those of the verdicts with digest {judged.sha256}")
        return Findings(self.ledger, again, self.files)
