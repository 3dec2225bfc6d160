# in:  a training set, a test set, the learning rate unless the protocol gives it
# out: a block of seeds of trained networks: status, epochs, errors


def networks_spec(w):
    first, last = map(int, w.seeds.split("-"))
    return grids.networks_spec(study(w), CONFIG.seed, network_cell(w), first, last)


def searched_rate(w):
    return f"{STUDY}/{LEARNING_RATE}" if grids.searched(study(w), w.protocol) else []


rule networks:
    input:
        training_set=f"{STUDY}/{TRAINING_SET}",
        test_set=f"{STUDY}/{TEST_SET}",
        learning_rate=searched_rate,
    output:
        f"{STUDY}/{NETWORKS}",
    log:
        log(NETWORKS),
    benchmark:
        benchmark(NETWORKS)
    params:
        **of("networks", networks_spec),
    resources:
        mem_mb=4000,
    shell:
        "python -m isobath.stages.networks --spec {params.spec:q} --code {params.code}"
        " --training-set {input.training_set:q} --test-set {input.test_set:q}"
        " --learning-rate {input.learning_rate:q}"
        " --memory-mb {resources.mem_mb} --output {output:q} &>{log:q}"
