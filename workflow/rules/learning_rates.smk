# LEARNING RATES: one search per cell whose protocol searches.
#
# REQUIRED INPUTS
#   training_set  results/<scale>/<study>/data/<task>/n<N>_draw<draw>.zarr.zip
# OUTPUTS
#   results/<scale>/<study>/learning_rates/<task>/<protocol>/depth<L>_width<H>_n<N>_draw<draw>.zarr.zip


rule learning_rates:
    """Search for the learning rate of an architecture on a training set, by cross-validation."""
    input:
        training_set=read("learning_rates", "training_set"),
    output:
        result("learning_rates"),
    log:
        logfile("learning_rates"),
    priority: 2  # the longest chain first
    group:
        brief("learning_rates")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=wanted_mb("learning_rates"),
        planned_mb=planned_mb("learning_rates"),
        runtime=minutes("learning_rates"),
    params:
        spec=spec("learning_rates"),
        code=code("learning_rates"),
        checkpoints=paths.checkpoints(result("learning_rates")),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" learning_rates \
            --spec {params.spec:q} \
            --code {params.code} \
            --training-set {input.training_set:q} \
            --checkpoints {params.checkpoints:q} \
            --memory-mb {resources.planned_mb} \
            --output {output:q} \
            --log {log:q}
        """
