"""Claims of Bietti & Bach on depth in kernel regimes, and on consequences of the spectra of kernels."""
