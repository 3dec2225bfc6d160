"""Formulas of a study file, numbers that depend on the cell: ``"min(0.1 * width**-1.5, 1e-4)"``.

Arithmetic on the axes of a grid, nothing else: + - * / **, min, max, sqrt, log, exp.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 200  # characters
VARIABLES = ("depth", "width", "n_train")
FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min, "max": max, "sqrt": math.sqrt, "log": math.log, "exp": math.exp,
}  # fmt: skip
OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: math.pow, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip


class FormulaError(ValueError):
    """A text that is no formula, or a formula without a positive and finite value."""


def positive(formula: str, cell: Mapping[str, float]) -> float:
    """Return the value of ``formula`` at a cell, which gives VARIABLES.

    Raises FormulaError unless it is positive and finite.
    """
    if len(formula) > LONGEST or not formula.isascii():
        raise FormulaError(f"{formula[:40]!r}... is no formula: {LONGEST} characters of ASCII at most")
    try:
        value = float(_value(ast.parse(formula.strip(), mode="eval").body, cell))
    except FormulaError:
        raise
    except (SyntaxError, ValueError, ArithmeticError, TypeError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error  # without its place in an unknown file
        raise FormulaError(f"{formula!r} can't be evaluated: {reason}") from None
    if not (value > 0 and math.isfinite(value)):
        raise FormulaError(f"{formula!r} is {value}; it must be positive and finite")
    return value


def _value(node: Any, cell: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name) if name in VARIABLES:
            return float(cell[name])
        case ast.BinOp(op=op) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(node.left, cell), _value(node.right, cell))
        case ast.UnaryOp(op=op) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(node.operand, cell))
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(argument, cell) for argument in node.args))
    allowed = ", ".join((*VARIABLES, *FUNCTIONS))
    raise FormulaError(f"{ast.unparse(node)!r} is not allowed in a formula; numbers, + - * / **, {allowed}")
