"""Variables of a fitted law: name -> dims, meaning. The dim "along" stands for the dim along which the points lie."""

UNITS = "networks, or data sets where these are several"
OVER = "of the 95 % interval over networks, and over test samples where these have parts"
VARIABLES: dict[str, tuple[tuple[str, ...], str]] = {
    "value": (("fit", "parameter"), "parameter of the law"),
    "low": (("fit", "parameter"), f"lower end {OVER}"),
    "high": (("fit", "parameter"), f"upper end {OVER}"),
    "failed": (("fit",), "resamples without a justified fit"),
    "parts": (("fit",), "parts of the test samples, without each of which the law is also fitted"),
    "chi2": (("fit",), "weighted sum of squared residuals"),
    "dof": (("fit",), "points less parameters"),
    "p_value": (("fit",), "probability of a larger chi2 if the law holds for these test samples"),
    "r2": (("fit",), "share of the weighted variance that the law explains"),
    "reason": (("fit",), "why a fit or its interval is missing"),
    "upper": (("fit",), "free exponent by the half of the points that is nearer to the limit"),
    "upper_low": (("fit",), "lower end of its 95 % interval"),
    "upper_high": (("fit",), "upper end of its 95 % interval"),
    "upper_reason": (("fit",), "why it or its interval is missing"),
    "n_points": ((), "points that are fitted"),
    "left_out": ((), f"points with fewer than 2 {UNITS}"),
    "x_min": ((), "smallest x that is fitted"),
    "x_max": ((), "largest x that is fitted"),
    "x": (("along",), "x of a point"),
    "y": (("along",), "y of a point"),
    "error": (("along",), f"standard error of y over {UNITS}"),
    "networks": (("along",), f"number of {UNITS}"),
    "fitted": (("along",), "whether a point is fitted"),
}
