# in:  a training set
# out: the learning rate of an architecture on it, with every trial of the search


rule learning_rate:
    input:
        training_set=f"{STUDY}/{TRAINING_SET}",
    output:
        f"{STUDY}/{LEARNING_RATE}",
    log:
        log(LEARNING_RATE),
    benchmark:
        benchmark(LEARNING_RATE)
    priority: 2  # the longest chain first
    group:
        brief(minutes("learning_rate"))
    conda:
        ENVIRONMENT
    resources:
        **memory(search_memory),
        runtime=minutes("learning_rate"),
    params:
        **of("learning_rate"),
    shell:
        "python -m isobath.stages.learning_rates --spec {params.spec:q} --code {params.code}"
        " --training-set {input.training_set:q} --memory-mb {resources.planned_mb} --output {output:q} --log {log:q}"
