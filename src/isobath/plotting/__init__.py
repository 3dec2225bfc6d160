"""Parts that all figures share: style, axes, curves, laws, legends, and their files."""
