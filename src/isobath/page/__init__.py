"""Page of a run: one HTML document with its verdicts, its figures and their numbers, and the provenance of both.

``document.compose`` makes it from data. The document needs no other file and no network. Its text is in the templates
``*.html``, its style in ``page.css``, its interactive chart in ``explorer.js``; the modules prepare the numbers that
they show. Equal results with equal logs give equal bytes at a commit, and the document ends with its own checksum
(``disk/sealed_documents.py``). A browser runs no script but that one: the document has its digest as a policy.
"""
