"""Claims of Mori & Ueda (2020), "Is deeper better? It depends on locality of relevant features"."""
