"""Page of a run: one HTML document with its verdicts, its figures and their numbers, and the provenance of both.

``document.compose`` makes it from data. The document needs no other file and no network. Its text is in the templates
``*.html``, its style in ``page.css``; the modules prepare the numbers that the templates show. Equal results give
equal bytes, and the document ends with its own checksum (``disk/seals.py``).
"""
