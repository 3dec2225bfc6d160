# in:  nothing
# out: a training set per (task, n_train, draw), a test set per task


def training_set_spec(w):
    return grids.data_spec(study(w), CONFIG.seed, w.task, int(w.n_train), int(w.draw))


def test_set_spec(w):
    return grids.data_spec(study(w), CONFIG.seed, w.task, study(w).n_test, None)


rule training_set:
    output:
        f"{STUDY}/{TRAINING_SET}",
    log:
        log(TRAINING_SET),
    params:
        **of("data", training_set_spec),
    shell:
        "python -m isobath.stages.data --spec {params.spec:q} --code {params.code} --output {output:q} &>{log:q}"


rule test_set:
    output:
        f"{STUDY}/{TEST_SET}",
    log:
        log(TEST_SET),
    params:
        **of("data", test_set_spec),
    shell:
        "python -m isobath.stages.data --spec {params.spec:q} --code {params.code} --output {output:q} &>{log:q}"
