# in:  a training set, a test set, the learning rate unless the protocol gives it
# out: a block of seeds of trained networks: status, epochs, errors


rule networks:
    input:
        training_set=f"{STUDY}/{TRAINING_SET}",
        test_set=test_set,
        learning_rate=searched_rate,
    output:
        f"{STUDY}/{NETWORKS}",
    log:
        log(NETWORKS),
    benchmark:
        benchmark(NETWORKS)
    priority: 1  # the longest chain first
    group:
        brief(minutes("networks"))
    conda:
        ENVIRONMENT
    resources:
        **memory(networks_memory),
        runtime=minutes("networks"),
    params:
        **of("networks"),
        checkpoints=checkpoints(NETWORKS),
    shell:
        "python -m isobath.stages.networks --spec {params.spec:q} --code {params.code}"
        " --training-set {input.training_set:q} --test-set {input.test_set:q}"
        " --learning-rate {input.learning_rate:q} --checkpoints {params.checkpoints:q}"
        " --memory-mb {resources.planned_mb} --output {output:q} --log {log:q}"
