# in:  a training set, a test set
# out: the test error of a kernel regression, for every depth that the study asks of the kernel


rule kernels:
    input:
        training_set=f"{STUDY}/{TRAINING_SET}",
        test_set=test_set,
    output:
        f"{STUDY}/{KERNELS}",
    log:
        log(KERNELS),
    benchmark:
        benchmark(KERNELS)
    group:
        brief(work_minutes("kernels"))
    conda:
        ENVIRONMENT
    resources:
        **memory(kernel_memory),
        runtime=work_minutes("kernels"),
    params:
        **of("kernels"),
    shell:
        "python -m isobath.stages.kernels --spec {params.spec:q} --code {params.code}"
        " --training-set {input.training_set:q} --test-set {input.test_set:q}"
        " --memory-mb {resources.planned_mb} --output {output:q} --log {log:q}"
