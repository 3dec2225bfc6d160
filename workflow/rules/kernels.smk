# in:  a training set, a test set
# out: the test error of a kernel regression, for every depth that the study asks of the kernel


def kernels_spec(w):
    return grids.kernels_spec(study(w), grids.KernelCell(w.task, w.kernel, int(w.n_train), int(w.draw)))


def kernel_memory(w):
    """The Gram matrix and its factor, 16 n^2 bytes, and the blocks; in MB."""
    return 1000 + int(1.1 * 16 * int(w.n_train) ** 2 / 1e6)


rule kernels:
    input:
        training_set=f"{STUDY}/{TRAINING_SET}",
        test_set=f"{STUDY}/{TEST_SET}",
    output:
        f"{STUDY}/{KERNELS}",
    log:
        log(KERNELS),
    benchmark:
        benchmark(KERNELS)
    params:
        **of("kernels", kernels_spec),
    resources:
        mem_mb=kernel_memory,
    shell:
        "python -m isobath.stages.kernels --spec {params.spec:q} --code {params.code}"
        " --training-set {input.training_set:q} --test-set {input.test_set:q}"
        " --memory-mb {resources.mem_mb} --output {output:q} &>{log:q}"
