# in:  a test set; nothing
# out: the error of a network known in closed form; the numbers of a calculation


rule construction:
    input:
        test_set=f"{STUDY}/{TEST_SET}",
    output:
        f"{STUDY}/{CONSTRUCTION}",
    log:
        log(CONSTRUCTION),
    conda:
        ENVIRONMENT
    params:
        **of("construction"),
    shell:
        "python -m isobath.stages.constructions --spec {params.spec:q} --code {params.code}"
        " --test-set {input.test_set:q} --output {output:q} --log {log:q}"


rule calculation:
    output:
        f"{STUDY}/{CALCULATION}",
    log:
        log(CALCULATION),
    benchmark:
        benchmark(CALCULATION)
    conda:
        ENVIRONMENT
    params:
        **of("calculation"),
    shell:
        "python -m isobath.stages.calculations --spec {params.spec:q} --code {params.code}"
        " --output {output:q} --log {log:q}"
