# SPDX-License-Identifier: MIT
"""Numbers that depend on the number of workers, such as rounds = "20 * workers"."""

import ast
import math
import operator
from fractions import Fraction

VARIABLE = "workers"
EXAMPLE = f'"20 * {VARIABLE}"'
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.FloorDiv: operator.floordiv}
FUNCTIONS = {"min": min, "max": max}
LONGEST = 200  # characters
DEEPEST = 20  # nested operations


class NoExpression(Exception):
    """Why a text is none, or has no value."""


def parsed(text):
    """The tree of an expression; raises NoExpression unless it has the variable and nothing else
    than numbers, parentheses, + - * / // min max."""
    try:
        tree = ast.parse(text, mode="eval").body if len(text) <= LONGEST else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None or not any(isinstance(node, ast.Name) and node.id == VARIABLE for node in ast.walk(tree)):
        raise NoExpression
    value_of(tree, 1, check=True)
    return tree


def value_of(tree, workers, check=False, depth=0):
    """The exact value. check: only whether every part is known."""
    def inner(part):
        return value_of(part, workers, check, depth + 1)

    if depth > DEEPEST:
        raise NoExpression
    if isinstance(tree, ast.Constant) and type(tree.value) in (int, float):
        if not math.isfinite(tree.value):
            raise NoExpression
        return Fraction(str(tree.value))
    if isinstance(tree, ast.Name) and tree.id == VARIABLE:
        return Fraction(workers)
    if isinstance(tree, ast.BinOp) and type(tree.op) in OPERATORS:
        left, right = inner(tree.left), inner(tree.right)
        if check:
            return left
        if right == 0 and isinstance(tree.op, (ast.Div, ast.FloorDiv)):
            raise NoExpression("divides by 0")
        return Fraction(OPERATORS[type(tree.op)](left, right))
    if (isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in FUNCTIONS
            and len(tree.args) >= 2 and not tree.keywords):
        return FUNCTIONS[tree.func.id](inner(part) for part in tree.args)
    raise NoExpression


def is_expression(value):
    """Whether a value of a configuration depends on the workers."""
    try:
        return isinstance(value, str) and parsed(value) is not None
    except NoExpression:
        return False


def resolved(value, workers, kind):
    """The number that an expression is with so many workers, as an option of this kind ("uint" or
    "real") takes it. Raises NoExpression if there is none. A fraction stays one, for the range
    check to refuse."""
    number = value_of(parsed(value), workers)
    try:
        return int(number) if number.denominator == 1 and kind == "uint" else float(number)
    except OverflowError:
        raise NoExpression("is beyond all numbers") from None
