# THEORY: networks that are known in closed form, and numbers that are computed without training.
#
# REQUIRED INPUTS
#   test_set  results/<scale>/<study>/data/<task>/test.zarr.zip, for constructions
#             results/<scale>/<study>/data/<task>/n<N>_draw<draw>_test.zarr.zip, on a finite data set
# OUTPUTS
#   results/<scale>/<study>/constructions/<task>/<construction>.zarr.zip
#   results/<scale>/<study>/split_constructions/<task>/<construction>/n<N>_draw<draw>.zarr.zip
#   results/<scale>/<study>/calculations/<calculation>.zarr.zip


rule constructions:
    """Build a network that is known in closed form, and score it on the test set of a task."""
    input:
        test_set=read("constructions", "test_set"),
    output:
        result("constructions"),
    log:
        logfile("constructions"),
    conda:
        ENVIRONMENT
    params:
        spec=spec("constructions"),
        code=code("constructions"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" constructions \
            --spec {params.spec:q} \
            --code {params.code} \
            --test-set {input.test_set:q} \
            --output {output:q} \
            --log {log:q}
        """


rule split_constructions:
    """Build a network that is known in closed form, and score it on the samples that a training set leaves."""
    input:
        test_set=read("split_constructions", "test_set"),
    output:
        result("split_constructions"),
    log:
        logfile("split_constructions"),
    conda:
        ENVIRONMENT
    params:
        spec=spec("split_constructions"),
        code=code("split_constructions"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" constructions \
            --spec {params.spec:q} \
            --code {params.code} \
            --test-set {input.test_set:q} \
            --output {output:q} \
            --log {log:q}
        """


rule calculations:
    """Compute the numbers of a theory."""
    output:
        result("calculations"),
    log:
        logfile("calculations"),
    conda:
        ENVIRONMENT
    params:
        spec=spec("calculations"),
        code=code("calculations"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" calculations \
            --spec {params.spec:q} \
            --code {params.code} \
            --output {output:q} \
            --log {log:q}
        """
