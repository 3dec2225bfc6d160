"""Variables of the jamming transition: name -> dims, meaning. The dim "along" stands for that of the sizes."""

VARIABLES: dict[str, tuple[tuple[str, ...], str]] = {
    "threshold": ((), "N* at which half of the networks fit"),
    "low": ((), "lower end of the 95 % interval of N*"),
    "high": ((), "upper end of the 95 % interval of N*"),
    "fraction": (("along",), "fraction of networks that fit"),
    "range": ((), "factor in N over which the fraction that fits rises from 10 % to 90 %"),
    "range_low": ((), "lower end of its 95 % interval"),
    "range_high": ((), "upper end of its 95 % interval"),
    "reason": ((), "why N* or its interval is not known"),
    "median_steps": (("along",), "median of the steps to fit"),
    "censored": (("along",), "whether the median is beyond the steps that were made"),
    "t_star": (("protocol",), "t*, the epochs after which an unfitted network is given up"),
    "threshold_at": (("step",), "N* with the epochs of ``step`` as t*"),
    "low_at": (("step",), "lower end of the 95 % interval of threshold_at"),
    "high_at": (("step",), "upper end of the 95 % interval of threshold_at"),
}
