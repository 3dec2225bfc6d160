# KERNELS: kernel regressions, for every depth that the study asks of the kernel.
#
# REQUIRED INPUTS
#   training_set  results/<scale>/<study>/data/<task>/n<N>_draw<draw>.zarr.zip
#   test_set      results/<scale>/<study>/data/<task>/test.zarr.zip, or n<N>_draw<draw>_test.zarr.zip
# OUTPUTS
#   results/<scale>/<study>/kernels/<task>/<kernel>/n<N>_draw<draw>.zarr.zip


rule kernels:
    """Regress a training set with a kernel, and test the regression."""
    input:
        training_set=read("kernels", "training_set"),
        test_set=read("kernels", "test_set"),
    output:
        result("kernels"),
    log:
        logfile("kernels"),
    group:
        brief("kernels")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=wanted_mb("kernels"),
        planned_mb=planned_mb("kernels"),
        runtime=minutes("kernels"),
    params:
        spec=spec("kernels"),
        code=code("kernels"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" kernels \
            --spec {params.spec:q} \
            --code {params.code} \
            --training-set {input.training_set:q} \
            --test-set {input.test_set:q} \
            --memory-mb {resources.planned_mb} \
            --output {output:q} \
            --log {log:q}
        """
