# FIGURES: drawings of a cube.
#
# REQUIRED INPUTS
#   cube  results/<scale>/<study>/cubes/<grid>.zarr.zip
# OUTPUTS
#   record    results/<scale>/<study>/figures/<figure>.json: its caption, its grid, the checksums of the drawings
#   drawings  results/<scale>/<study>/figures/<figure>.pdf, .svg and .png


localrules:
    figures,


def drawings():
    """Return a figure in every format; Snakemake's report shows it as SVG."""
    files = [template("figures", path) for path in results.option("figures", "ALSO")]
    shown = {
        "category": "{study}",
        "labels": {"figure": "{figure}"},
        "caption": "../report/figure.rst",
    }
    return [report(path, **shown) if path.endswith("svg") else path for path in files]


rule figures:
    """Draw a figure of a cube in every format."""
    input:
        cube=read("figures", "cube"),
    output:
        record=result("figures"),
        drawings=drawings(),
    log:
        logfile("figures"),
    conda:
        ENVIRONMENT
    params:
        spec=spec("figures"),
        code=code("figures"),
    shell:
        r"""
        python -m isobath.stages.figures \
            --spec {params.spec:q} \
            --code {params.code} \
            --cube {input.cube:q} \
            --record {output.record:q} \
            --outputs {output.drawings:q} \
            --log {log:q}
        """
