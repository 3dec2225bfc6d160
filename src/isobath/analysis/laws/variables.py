"""Variables of a fitted law: name -> dims, meaning. The dim "along" stands for the dim along which the points lie."""

VARIABLES: dict[str, tuple[tuple[str, ...], str]] = {
    "value": (("fit", "parameter"), "parameter of the law"),
    "low": (("fit", "parameter"), "lower end of the 95 % interval over networks"),
    "high": (("fit", "parameter"), "upper end of the 95 % interval over networks"),
    "failed": (("fit",), "resamples without a justified fit"),
    "chi2": (("fit",), "weighted sum of squared residuals"),
    "dof": (("fit",), "points less parameters"),
    "p_value": (("fit",), "probability of a larger chi2 if the law holds"),
    "r2": (("fit",), "share of the weighted variance that the law explains"),
    "reason": (("fit",), "why a fit or its interval is missing"),
    "n_points": ((), "points that are fitted"),
    "left_out": ((), "points with fewer than 2 networks"),
    "x_min": ((), "smallest x that is fitted"),
    "x_max": ((), "largest x that is fitted"),
    "x": (("along",), "x of a point"),
    "y": (("along",), "y of a point"),
    "error": (("along",), "standard error of y over networks"),
    "networks": (("along",), "networks behind a point"),
    "fitted": (("along",), "whether a point is fitted"),
}
