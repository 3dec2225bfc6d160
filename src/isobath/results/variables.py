"""What the variables of results are called, and what they are."""

NETWORKS = {
    "status": "what became of the training: fitted, unfitted or diverged",
    "epochs": "epochs of training",
    "train_error": "misclassified fraction of the training set",
    "test_error": "misclassified fraction of the test set",
    "first_half_error": "misclassified fraction of the first half of the test set",
    "second_half_error": "misclassified fraction of the second half of the test set",
    "loss": "mean training loss",
    "unmet": "fraction of the training set that the loss does not count as learned",
    "n_unmet": "N_Delta, training samples that the loss does not count as learned",
    "train_norm": "||f|| over the training set",
    "test_norm": "||f|| over the test set",
    "early_stopping_error": "test error of stopping early: chosen on one half of the test set, judged on the other",
    "best_error": "smallest test error on the way, chosen by the test set itself",
    "n_parameters": "number of weights and biases",
    "n_weights": "N, number of weights without biases",
    "learning_rate": "learning rate",
    "outputs": "f(x) on the test set",
    "weights": "weights and biases of all layers, one after the other",
}


def of_real_targets(long_names: dict[str, str]) -> dict[str, str]:
    """Return what variables are where errors are those of real targets."""
    return {name: text.replace("misclassified fraction", "mean squared error") for name, text in long_names.items()}


# Of networks that are known in closed form.
CONSTRUCTIONS = {
    "test_error": "misclassified fraction of the test set",
    "error_of_class0": "misclassified fraction of class 0",
    "error_of_class1": "misclassified fraction of class 1",
    "count_of_class0": "samples of class 0 in the test set",
    "count_of_class1": "samples of class 1 in the test set",
    "n_parameters": "number of weights and biases",
    "n_hidden_layers": "number of hidden layers",
    "largest_width": "units of the largest layer",
}

# What is observed on the way, as recorded_<name>.
OBSERVED = (
    *(
        "loss",
        "n_unmet",
        "train_error",
        "train_norm",
        "test_error",
        "first_half_error",
        "second_half_error",
        "test_norm",
    ),
)

# The numbers in the group ``ensembles`` (see ensemble_tables and trained, which say what they are).
ENSEMBLES = (
    *("ensemble_error", "ensemble_error_pseudo", "subsets", "limit_error", "limit_error_pseudo", "limit_slope"),
    *("excess", "excess_pseudo", "excess_error", "fluctuation", "variance", "variance_unbiased", "variance_biased"),
    *("gradient_norm", "distance", "distance_biased", "distance_estimate", "differing", "distance_pseudo"),
    *("ensemble_distance", "ensemble_distance_estimate", "distance_along_gradient", "missed", "n_weights"),
)
