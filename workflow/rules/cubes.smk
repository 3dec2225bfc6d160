# CUBES: the results of a grid, gathered along its axes.
#
# REQUIRED INPUTS
#   cells  all results of the grid: networks, learning rates, ensembles, kernels, constructions, calculations, ...
# OUTPUTS
#   results/<scale>/<study>/cubes/<grid>.zarr.zip


rule cubes:
    """Gather the results of a grid into a cube, and fit the laws that are asked of it."""
    input:
        cells=read("cubes", "cells"),
    output:
        result("cubes"),
    log:
        logfile("cubes"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        spec=spec("cubes"),
        code=code("cubes"),
        folder=folder,
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" cubes \
            --spec {params.spec:q} \
            --code {params.code} \
            --folder {params.folder:q} \
            --output {output:q} \
            --log {log:q}
        """
