# in:  nothing
# out: a training set per (task, n_train, draw), a test set per task


rule training_set:
    output:
        f"{STUDY}/{TRAINING_SET}",
    log:
        log(TRAINING_SET),
    conda:
        ENVIRONMENT
    params:
        **of("data", training_set_spec),
    shell:
        "python -m isobath.stages.data --spec {params.spec:q} --code {params.code} --output {output:q} --log {log:q}"


rule test_set:
    output:
        f"{STUDY}/{TEST_SET}",
    log:
        log(TEST_SET),
    conda:
        ENVIRONMENT
    params:
        **of("data", test_set_spec),
    shell:
        "python -m isobath.stages.data --spec {params.spec:q} --code {params.code} --output {output:q} --log {log:q}"
