"""Claims of Jacot, Geiger et al. (2020), "Scaling description of generalization with number of parameters"."""
