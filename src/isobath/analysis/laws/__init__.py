"""Scaling laws: sums of basis functions, fitted by weighted least squares, with intervals over networks.

A form, ``forms/<kind>.py``, gives the columns of a law that is linear in its coefficients c, with
perhaps nonlinear parameters theta (Golub & Pereyra 1973):

    y(x) = sum_k c_k phi_k(x; theta),   chi^2(theta) = min_c sum_i (y_i - y(x_i))^2 / error_i^2

A ``fixed`` fit has the exponents of the theory; a ``free`` fit has the leading one free, to see whether the data give
the same. A fit that is not justified has a reason and no numbers.
"""
