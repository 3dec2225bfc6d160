# ENSEMBLES: averages of the first networks of a cell, and the distances of their boundaries.
#
# REQUIRED INPUTS
#   networks      results/<scale>/<study>/networks/..., the blocks that hold the first networks of the cell
#   training_set  results/<scale>/<study>/data/<task>/n<N>_draw<draw>.zarr.zip
#   test_set      results/<scale>/<study>/data/<task>/test.zarr.zip, or n<N>_draw<draw>_test.zarr.zip
# OUTPUTS
#   results/<scale>/<study>/ensembles/<task>/<protocol>/depth<L>_width<H>_n<N>_draw<draw>_of<networks>.zarr.zip


rule ensembles:
    """Average the networks of a cell, and measure how far their boundaries lie apart."""
    input:
        networks=read("ensembles", "networks"),
        training_set=read("ensembles", "training_set"),
        test_set=read("ensembles", "test_set"),
    output:
        result("ensembles"),
    log:
        logfile("ensembles"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=wanted_mb("ensembles"),
        planned_mb=planned_mb("ensembles"),
        runtime=minutes("ensembles"),
    params:
        spec=spec("ensembles"),
        code=code("ensembles"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" ensembles \
            --spec {params.spec:q} \
            --code {params.code} \
            --training-set {input.training_set:q} \
            --test-set {input.test_set:q} \
            --networks {input.networks:q} \
            --output {output:q} \
            --log {log:q}
        """
