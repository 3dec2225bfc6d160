"""Claims of Bietti & Bach on depth in kernel regimes, and what follows from the spectra of kernels."""
