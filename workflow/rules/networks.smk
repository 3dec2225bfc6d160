# NETWORKS: blocks of networks that differ in their seed alone.
#
# REQUIRED INPUTS
#   training_set   results/<scale>/<study>/data/<task>/n<N>_draw<draw>.zarr.zip
#   test_set       results/<scale>/<study>/data/<task>/test.zarr.zip, or n<N>_draw<draw>_test.zarr.zip
#   learning_rate  results/<scale>/<study>/learning_rates/..., where the protocol searches
# OUTPUTS
#   results/<scale>/<study>/networks/<task>/<protocol>/depth<L>_width<H>_n<N>_draw<draw>_seeds<first>-<last>.zarr.zip


rule networks:
    """Train one block of seeds of a cell as a stack, and test it."""
    input:
        training_set=read("networks", "training_set"),
        test_set=read("networks", "test_set"),
        learning_rate=read("networks", "learning_rate"),
    output:
        result("networks"),
    log:
        logfile("networks"),
    priority: 1  # the longest chain first
    group:
        brief("networks")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=wanted_mb("networks"),
        planned_mb=planned_mb("networks"),
        runtime=minutes("networks"),
    params:
        spec=spec("networks"),
        code=code("networks"),
        checkpoints=paths.checkpoints(result("networks")),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" networks \
            --spec {params.spec:q} \
            --code {params.code} \
            --training-set {input.training_set:q} \
            --test-set {input.test_set:q} \
            --learning-rate {input.learning_rate:q} \
            --checkpoints {params.checkpoints:q} \
            --memory-mb {resources.planned_mb} \
            --output {output:q} \
            --log {log:q}
        """
