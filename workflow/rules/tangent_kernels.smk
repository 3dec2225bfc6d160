# TANGENT KERNELS: those of the first networks of a cell, at their start and at the end of training.
#
# REQUIRED INPUTS
#   networks      results/<scale>/<study>/networks/..., the blocks that hold the first networks of the cell
#   training_set  results/<scale>/<study>/data/<task>/n<N>_draw<draw>.zarr.zip
#   test_set      results/<scale>/<study>/data/<task>/test.zarr.zip, or n<N>_draw<draw>_test.zarr.zip
# OUTPUTS
#   results/<scale>/<study>/tangent_kernels/<task>/<protocol>/
#     depth<L>_width<H>_n<N>_draw<draw>_of<networks>_at<points>.zarr.zip


rule tangent_kernels:
    """Compare the tangent kernels of the networks of a cell, and their predictions."""
    input:
        networks=read("tangent_kernels", "networks"),
        training_set=read("tangent_kernels", "training_set"),
        test_set=read("tangent_kernels", "test_set"),
    output:
        result("tangent_kernels"),
    log:
        logfile("tangent_kernels"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=wanted_mb("tangent_kernels"),
        planned_mb=planned_mb("tangent_kernels"),
        runtime=minutes("tangent_kernels"),
    params:
        spec=spec("tangent_kernels"),
        code=code("tangent_kernels"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" tangent_kernels \
            --spec {params.spec:q} \
            --code {params.code} \
            --training-set {input.training_set:q} \
            --test-set {input.test_set:q} \
            --networks {input.networks:q} \
            --output {output:q} \
            --log {log:q}
        """
