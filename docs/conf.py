"""Settings of the site. Its sources are the Markdown files where they lie: paths begin at the top of the repository."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))
import isobath

project = "isobath"
author = "The isobath authors"
copyright = "the isobath authors, MIT licence"  # noqa: A001 (Sphinx reads it by this name)
release = isobath.__version__

root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "config/README.md",
    "src/isobath/README.md",
    "tests/README.md",
    "docs/**.md",
]
exclude_patterns = [
    ".*",
    "docs/_*",
    "workflow",
    "envs",
    "results",
    "resources",
    "logs",
    "checkpoints",
    "build",
    "**/__pycache__",
]
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "html_anchors",
    "kinds_of_families",
    "sphinx-mathjax-offline",
    "plain_docstrings",
    "source_pages",
]

myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
nb_execution_mode = "cache"
nb_execution_cache_path = "docs/_build/notebooks"
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True
suppress_warnings = ["misc.highlighting_failure"]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
add_module_names = False

html_theme = "furo"
html_title = f"isobath {release}"
html_copy_source = False
html_show_sourcelink = False
html_extra_path = ["_top"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
pygments_style = "tango"
pygments_dark_style = "monokai"
