# FIGURES: drawings of a cube.
#
# REQUIRED INPUTS
#   cube  results/<scale>/<study>/cubes/<grid>.zarr.zip
# OUTPUTS
#   record    results/<scale>/<study>/figures/<figure>.json: its caption, its grid, the checksums of the drawings
#   drawings  results/<scale>/<study>/figures/<figure>.pdf, .svg and .png


rule figures:
    """Draw a figure of a cube in every format."""
    input:
        cube=read("figures", "cube"),
    output:
        record=result("figures"),
        drawings=drawings(),
    log:
        logfile("figures"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        spec=spec("figures"),
        code=code("figures"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" figures \
            --spec {params.spec:q} \
            --code {params.code} \
            --cube {input.cube:q} \
            --record {output.record:q} \
            --outputs {output.drawings:q} \
            --log {log:q}
        """
