# in:  the first networks of a cell, its training set and its test set
# out: what their averages are, and how far their boundaries lie apart


rule ensembles:
    input:
        networks=first_networks,
        training_set=f"{STUDY}/{TRAINING_SET}",
        test_set=test_set,
    output:
        f"{STUDY}/{ENSEMBLES}",
    log:
        log(ENSEMBLES),
    benchmark:
        benchmark(ENSEMBLES)
    conda:
        ENVIRONMENT
    resources:
        **memory(ensembles_memory),
        runtime=work_minutes("ensembles"),
    params:
        **of("ensembles"),
    shell:
        "python -m isobath.stages.ensembles --spec {params.spec:q} --code {params.code}"
        " --training-set {input.training_set:q} --test-set {input.test_set:q}"
        " --networks {input.networks:q} --output {output:q} --log {log:q}"
