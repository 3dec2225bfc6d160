# in:  nothing, or the files of a finite data set
# out: a training set per (task, n_train, draw), a test set per task or, of a finite data set, per training set


localrules:
    download,
    training_set,
    test_set,
    split_test_set,


rule download:
    output:
        data_file("{file}", None),
    log:
        "logs/{file}.log",
    conda:
        ENVIRONMENT
    shell:
        "python -m isobath.stages.downloads --file {wildcards.file:q} --output {output:q} --log {log:q}"


rule training_set:
    input:
        files=data_files,
    output:
        f"{STUDY}/{TRAINING_SET}",
    log:
        log(TRAINING_SET),
    conda:
        ENVIRONMENT
    params:
        **of("training_set"),
    shell:
        "python -m isobath.stages.data --spec {params.spec:q} --code {params.code}"
        " --files {input.files:q} --output {output:q} --log {log:q}"


rule test_set:
    output:
        f"{STUDY}/{TEST_SET}",
    log:
        log(TEST_SET),
    conda:
        ENVIRONMENT
    params:
        **of("test_set"),
    shell:
        "python -m isobath.stages.data --spec {params.spec:q} --code {params.code} --output {output:q} --log {log:q}"


rule split_test_set:
    input:
        files=data_files,
    output:
        f"{STUDY}/{SPLIT_TEST_SET}",
    log:
        log(SPLIT_TEST_SET),
    conda:
        ENVIRONMENT
    params:
        **of("split_test_set"),
    shell:
        "python -m isobath.stages.data --spec {params.spec:q} --code {params.code}"
        " --files {input.files:q} --output {output:q} --log {log:q}"
