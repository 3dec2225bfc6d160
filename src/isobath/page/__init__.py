"""The page of a run: its verdicts, its figures with the numbers behind them, and where they come from.

Data in, one HTML document out, which needs no other file and no network: ``document.compose``. What it says stands in
``page.html``, how it looks in ``page.css``; the modules here say which numbers those two are given. Equal results are
equal bytes, and the document ends with its own checksum (``seals``).
"""
